"""What is checked when a tool is made, and the error for arguments that do not fit it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mulligan.deadline import is_seconds
from mulligan.errors import Problem, ToolArgumentError, UsageError
from mulligan.signatures.signature import open_names

OPTIONS = frozenset(
    [
        "timeout",
        "read_only",
        "idempotent",
        "destructive",
        "inline",
        "killable",
        "secret",
        "resources",
        "detect",
        "format",
        "tags",
        "tool_type",
        "provider",
    ]
)


def invalid(problems: Sequence[Problem]) -> ToolArgumentError:
    """The error for arguments with these problems.

    Args:
        problems: what is wrong with them.
    """
    count = len(problems)
    what = "one problem" if count == 1 else f"{count} problems"
    message = f"Invalid arguments: {what}; nothing was run."
    return ToolArgumentError(message, problems=problems, rule="host:arguments")


def refuse_to_run(**_: Any) -> Any:
    """The handler of a tool that is only a spec.

    Raises:
        UsageError: always.
    """
    raise UsageError("a repairer cannot run a tool: it gets specs without handlers")


def check_tool(name: Any, handler: Any, timeout: Any) -> None:
    """What every tool needs.

    Args:
        name: its name.
        handler: the function that runs.
        timeout: seconds, or None.

    Raises:
        UsageError: one of them is wrong.
    """
    if not isinstance(name, str) or not name:
        raise UsageError(f"a tool needs a name that is a text and not empty, not {name!r}")
    if not callable(handler):
        raise UsageError(f"tool {name!r}: its handler must be callable, not {handler!r:.80}")
    if timeout is not None and not (is_seconds(timeout) and timeout > 0):
        raise UsageError(f"tool {name!r}: timeout must be above zero seconds, not {timeout!r:.80}")


def check_name(name: Any) -> None:
    """Whether a name that the host's own code gives is one that a provider may take.

    Names that other programs give, such as an MCP server, are taken as they are.

    Args:
        name: the name.

    Raises:
        UsageError: it holds blanks or control characters, or is too long.
    """
    if not isinstance(name, str) or (name.isprintable() and " " not in name and len(name) <= _LONGEST_NAME):
        return
    fault = f"is longer than {_LONGEST_NAME} characters" if len(name) > _LONGEST_NAME else "holds blanks"
    fault = fault if name.isprintable() else "holds characters that cannot be seen"
    shown = name if len(name) <= _LONGEST_NAME else f"{name[:40]}..."
    raise UsageError(
        f"tool {shown!r}: its name {fault}, and no provider takes that; give it name={_plain_name(name)!r}"
    )


def _plain_name(name: str) -> str:
    """A name of letters, digits and underscores that is like another: one that every provider takes."""
    import re

    return re.sub("[^a-zA-Z0-9-]+", "_", name).strip("_-")[:_SHORT] or "my_tool"


def check_options(options: Mapping[str, Any], more: Iterable[str] = ()) -> None:
    """Whether all of these are options of a tool.

    Args:
        options: by name.
        more: what is known besides the attributes of a tool.

    Raises:
        UsageError: one of them is not.
    """
    unknown = next((option for option in options if option not in OPTIONS), None)
    if unknown is not None:
        known = sorted({*OPTIONS, *more})
        raise UsageError(f"unknown tool option {unknown!r}{_meant(unknown, known)}; there are {', '.join(known)}")


def check_schema(name: Any, schema: Any) -> None:
    """Whether something is a schema of named arguments; what stands in it is looked at when it is first needed.

    Args:
        name: the tool's name.
        schema: what was given.

    Raises:
        UsageError: it is no mapping, or the schema of something else than an object.
    """
    if not isinstance(schema, Mapping):
        raise UsageError(f"tool {name!r}: parameters must be a JSON Schema as a mapping, not {schema!r:.80}")
    kind = schema.get("type", "object")
    if kind != "object":
        raise UsageError(f"tool {name!r}: its schema must be of type 'object', since arguments are named; not {kind!r}")


def labels(name: str, option: str, given: Any) -> frozenset[str]:
    """Texts that may be given as one text.

    Args:
        name: the tool's name.
        option: what they are given for.
        given: one text or several.

    Raises:
        UsageError: they are something else.
    """
    several = (given,) if isinstance(given, str) else given
    if isinstance(several, Iterable):
        found = list(several)
        if all(isinstance(label, str) for label in found):
            return frozenset(found)
    raise UsageError(f"tool {name!r}: {option} must be a text or a list of texts, not {given!r:.80}")


def check_secrets(name: str, secret: Iterable[str], schema: Mapping[str, Any] | None, function: Any) -> None:
    """Whether a tool has the arguments that are to be secret: a name that is misspelt would protect nothing.

    Args:
        name: the tool's name.
        secret: the names of the arguments.
        schema: JSON Schema of its arguments, or None where they are read from the function.
        function: its handler.

    Raises:
        UsageError: it has no such argument.
    """
    if not secret:
        return
    known = open_names(function) if schema is None else _named_in(schema)
    for wrong in sorted(secret):
        if known is not None and wrong not in known:
            there = ", ".join(known[:20]) or "none"
            raise UsageError(
                f"tool {name!r}: secret names {wrong!r}, but it has no such argument{_meant(wrong, known)}; "
                f"there are {there}{'' if schema is None else _OPEN}"
            )


def _named_in(schema: Mapping[str, Any]) -> list[str] | None:
    """The arguments that a schema names; None where it allows others too, or says in another way which there are.

    Where some are named and `additionalProperties` is left out, others are allowed, but hardly meant.
    """
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not _ELSEWHERE.isdisjoint(schema):
        return None
    return list(properties) if schema.get("additionalProperties", not properties) is False else None


def _meant(wrong: str, known: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(wrong, known, 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


_LONGEST_NAME = 128
_SHORT = 64
_ELSEWHERE = frozenset(
    ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas")
)
_OPEN = "; if it can be sent others too, its schema has to say so: additionalProperties: true"
