"""What a service says in the body of its response: its message and the reason for each field, for the model to read.

The formats are those of `error_body.py`; for fields also FastAPI's `loc` and `msg`, Django REST framework's and Rails'
lists by field, Google's `fieldViolations` and Azure's `details`. An HTML page gives its title and first texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from mulligan.classify.error_body import Nodes
from mulligan.lazy import lazy_pattern
from mulligan.untrusted.classes import as_dict, is_a

# fmt: off
_MESSAGES = (
    "message", "Message", "msg", "errmsg", "errorMessage", "error_message", "error_description", "detail", "description",
    "explanation", "faultstring", "user_message", "userMessage", "developer_message", "developerMessage",
    "errorDescription", "title", "reason", "error", "errors", "text",
)
_ADDED = "context"  # a sentence beside the message that says why, as in Ghost
_FIELDS = ("field", "param", "parameter", "loc", "pointer", "source", "path", "property", "attribute", "name", "target")
_VIOLATIONS = ("fieldViolations", "field_violations", "invalid-params", "invalid_params", "violations", "userErrors")
_BOILERPLATE = frozenset((
    "client", "server", "error", "http", "https", "for", "url", "message", "status", "code", "response", "request", "none",
    "received", "returned", "with", "the", "failed",
))
# fmt: on
_GENERAL = frozenset(("non_field_errors", "base", "__all__", "detail", "errors", "messages"))
_PARTS = frozenset(("body", "query", "path", "header", "cookie", "data", "attributes"))
_MOST_LINES, _MOST_FIELDS, _MOST_TEXT = 6, 8, 2_000
_MOST_PLAIN = 500
_CLASS = lazy_pattern(r"(?:\w+\.)+\w+(?:Error|Exception|Fault)")  # the name of an exception: no field
_LINK = lazy_pattern(r"\s*For more information check: https?://\S+")
_URL = lazy_pattern(r"\w+://\S+|'[^'\n]{0,2000}'|\"[^\"\n]{0,2000}\"")
_WORD = lazy_pattern(r"[a-z]{2,}")
_PHRASE_WORDS = {status.value: frozenset(_WORD.findall(status.phrase.lower())) for status in HTTPStatus}


def service_text(nodes: Nodes, text: str) -> str:
    """What the body of a response says; empty if it says nothing.

    Args:
        nodes: the error mappings of the body.
        text: the body as text, for a page or a plain text.
    """
    if not nodes:
        return _plain_text(text)
    lines = dict.fromkeys([*_headlines(nodes), *_field_lines(nodes)])
    return "\n".join(line[:_MOST_PLAIN] for line in lines)[:_MOST_TEXT]


def without_link(text: str) -> str:
    """The text of a client's exception, without the link to a page about the status."""
    return _LINK.sub("", text) if "more information" in text else text


def says_only_status(text: str, status: int | None) -> bool:
    """Whether a client's exception says no more than the status and the address: `404 Client Error: Not Found for url: ...`.

    Args:
        text: its text.
        status: the HTTP status, or None.
    """
    if status is None or str(status) not in text[:_MOST_PLAIN]:
        return False
    words = set(_WORD.findall(_URL.sub(" ", text).lower()))
    return words <= _BOILERPLATE | _PHRASE_WORDS.get(status, frozenset())


def _plain_text(text: str) -> str:
    from mulligan.classify.html_page import read_page  # with a parser that few failures need

    page = read_page(text)
    if page is None:
        return "" if text.lstrip()[:1] in ("{", "[", "<") else text.strip()[:_MOST_PLAIN]
    shown = dict.fromkeys(filter(None, (page.title, *page.texts[:_MOST_LINES])))
    return "\n".join(shown)[:_MOST_PLAIN]


def _headlines(nodes: Nodes) -> Iterator[str]:
    """The messages, outermost first; of RFC 9457 and JSON:API, the title with the detail."""
    count = 0
    for node in nodes:
        if next(_lines_of(node), None) is not None and _place_of(node):  # a field, which has a line of its own
            continue
        texts = [node[name] for name in _MESSAGES if type(node.get(name)) is str and node[name].strip()]
        sentences = [text for text in texts if " " in text] or texts[:1]
        title, detail = node.get("title"), node.get("detail")
        if sentences and count < _MOST_LINES:
            has_both = type(title) is str and type(detail) is str and title != detail
            yield f"{str(title).rstrip('.')}: {detail}" if has_both else sentences[0]
            count += 1
            if type(node.get(_ADDED)) is str and " " in node[_ADDED] and node[_ADDED][:1].isupper():
                yield node[_ADDED]
        yield from _listed(node.get("errors"))
        yield from _listed(node.get("messages"))


def _listed(value: Any) -> list[str]:
    return [text for text in value[:_MOST_LINES] if type(text) is str] if type(value) is list else []


def _field_lines(nodes: Nodes) -> Iterator[str]:
    found = (line for node in nodes for line in _lines_of(node))
    yield from (line for line, _ in zip(found, range(_MOST_FIELDS), strict=False))
    if all(type(value) is list for value in nodes[0].values()):
        yield from _lines_by_field(nodes[0])


def _lines_of(node: Mapping[str, Any]) -> Iterator[str]:
    place = _place_of(node)
    message = next((node[name] for name in _MESSAGES if type(node.get(name)) is str and " " in node[name]), "")
    if place and message:
        yield f"{place}: {message}"
    for name in _VIOLATIONS:
        for one in _mappings(node.get(name)):
            yield from _lines_of(one)
    for name in ("errors", "error", "details", "detail", "fields", "fieldErrors", "field_errors", "params"):
        if is_a(node.get(name), Mapping):
            yield from _lines_by_field(as_dict(node[name]))


def _mappings(value: Any) -> list[dict[Any, Any]]:
    return [as_dict(one) for one in value[:_MOST_FIELDS] if is_a(one, Mapping)] if type(value) is list else []


def _lines_by_field(errors: Mapping[str, Any]) -> Iterator[str]:
    """The reasons of `{"email": ["is invalid"]}` and `{"email": "email is no address"}`."""
    for name, reasons in tuple(errors.items())[:_MOST_FIELDS]:
        if type(reasons) is str and reasons.startswith(f"{name} "):
            yield reasons
        for text in _listed(reasons)[:2]:
            yield text if name in _GENERAL else f"{name}: {text}"


def _place_of(node: Mapping[str, Any]) -> str:
    """The field that an error is about, as its service writes it."""
    for name in _FIELDS:
        place: Any = node.get(name)
        if is_a(place, Mapping):
            inner = as_dict(place)
            place = inner.get("pointer") or inner.get("parameter")
        if type(place) in (list, tuple):
            parts = [str(part) for part in place if type(part) in (str, int)]
            while len(parts) > 1 and parts[0] in _PARTS:
                parts = parts[1:]
            place = ".".join(parts)
        if type(place) is str and place and " " not in place and len(place) <= 200 and not _CLASS.fullmatch(place):
            return place.removeprefix("/data/attributes/").lstrip("/")
    return ""
