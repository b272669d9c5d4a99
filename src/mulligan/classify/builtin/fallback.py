"""The last resort for exceptions that no rule covers: names of classes, then whole clauses of the text.

These rules read the whole chain at once, outermost first, after every rule has been asked about every exception in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from mulligan.classify import meanings as m
from mulligan.classify.failure import Failure
from mulligan.classify.missing_tool import missing_tool_name
from mulligan.classify.phrases import said, text_error
from mulligan.classify.reasons import reason_of
from mulligan.classify.rules import Rules
from mulligan.classify.status_in_text import find_status
from mulligan.classify.statuses import status_error
from mulligan.errors import ToolError

rules = Rules()
_VAGUE = (m.ARGUMENT, m.FAILED)
_CHOICE_NAME = re.compile(r"[a-z]Or[A-Z]")
_COMPONENT = re.compile(
    r"(?:(?!Internal)\w*(?:Server|Backend)|Socket|WebSocket|Proxy|DNS|SSL|TLS|OAuth\d?|Auth|Billing)"
    r"(?:Base)?(?:Error|Exception|Fault)?"
)


@rules()
def no_such_tool(failure: Failure) -> ToolError | None:
    """Another runtime reports that it has no tool, or no function, with the name that was called."""
    for one in failure.whole_chain if failure.tool_name else ():
        if missing_tool_name(one.text if one.exception is None else one.exception) == failure.tool_name:
            return m.error_of(one, m.NO_TOOL)
    return None


@rules()
def status_in_text(failure: Failure) -> ToolError | None:
    """The message reports an HTTP status: `status code 404`, `error: 404`, `404 Not Found`."""
    for one in failure.whole_chain:
        is_key = issubclass(type(one.exception), LookupError)  # the 404 in `KeyError(404)` is a key, not a status
        status = None if is_key or one.is_bug else find_status(one.text, one.told)
        if status is not None:
            return status_error(one, status, effect="possible")
    return None


@rules()
def class_name(failure: Failure) -> ToolError | None:
    """The name of the exception's class contains specific words, such as `NotFound` or `RateLimit`."""
    return _classify_by_name(failure, vague=False)


@rules()
def message_text(failure: Failure) -> ToolError | None:
    """The message contains a known clause, such as `Read timed out`. Python's messages about bugs do not count."""
    for one in failure.whole_chain:
        error = None if one.is_bug else text_error(one)
        if error is not None:
            return error
    return None


@rules()
def general_name(failure: Failure) -> ToolError | None:
    """The name of the exception's class contains general words, such as `Invalid` or `Validation`."""
    return _classify_by_name(failure, vague=True)


@rules()
def json_rpc_code(failure: Failure) -> ToolError | None:
    """A JSON-RPC error with a code of the server's own: the class that carries it is the same for every server and code."""
    for one in failure.whole_chain:
        code = None if one.exception is None else one.field("error", "code")
        if type(code) is int and issubclass(type(one.field("error", "message")), str):
            return m.error_of(one, m.FAILED, message=f"The server reported the error {code}.")
    return None


def _classify_by_name(failure: Failure, *, vague: bool) -> ToolError | None:
    chain = failure.whole_chain
    for place, one in enumerate(chain):
        meaning = _meaning_of_class(one.exception)
        if meaning is not None and (meaning in _VAGUE) is vague:
            return m.error_of(one, _narrow_meaning(meaning, chain[place:]))
    return None


def _meaning_of_class(exception: BaseException | None) -> m.Meaning | None:
    """The meaning of the class's name, else that of its first base with a known name."""
    if exception is None:
        return None
    kind = type(exception)
    for cls in kind.__mro__:
        meaning = None if cls.__module__ == "builtins" else _meaning_of_name(cls.__module__, cls.__name__, cls is kind)
        if meaning is not None:
            return meaning
    return None


@lru_cache(maxsize=2_048)
def _meaning_of_name(module: str, name: str, is_own_class: bool) -> m.Meaning | None:
    """The meaning of a name, without the part that names the library (`DNSException` of `dns`).

    A base has no meaning if its name offers a choice or only names a component. Everything that a library's server or
    socket raises may derive from such a base.
    """
    short_name = name[len(_library_prefix(module, name)) :] or name
    if not is_own_class and (_CHOICE_NAME.search(short_name) or _COMPONENT.fullmatch(short_name)):
        return None
    return reason_of(short_name)


def _library_prefix(module: str, name: str) -> str:
    """The prefix of a name that names the library: its package, or a module such as `mcpserver` of `mcp`."""
    package, *inner = module.lower().split(".")
    parts = [package.rstrip("s"), package, *(part for part in inner if part.startswith(package))]
    return max((part for part in parts if part and name.lower().startswith(part)), key=len, default="")


def _narrow_meaning(meaning: m.Meaning, chain: tuple[Failure, ...]) -> m.Meaning:
    """The meaning of a general name, narrowed by the texts and the class names of the causes."""
    narrower = m.NARROWER.get(meaning, ())
    return (
        next((narrowed for narrowed in _meanings_of_chain(chain, narrower) if narrowed in narrower), meaning)
        if narrower
        else meaning
    )


def _meanings_of_chain(chain: tuple[Failure, ...], narrower: tuple[m.Meaning, ...]) -> Iterator[m.Meaning | None]:
    yield from (said(one.told, narrower) for one in chain)
    yield from (_meaning_of_class(one.exception) for one in chain[1:])
