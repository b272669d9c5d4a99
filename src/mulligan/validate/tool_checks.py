"""The checks of a new tool's name, schema and argument names, and the error for invalid arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mulligan.errors import Problem, ToolArgumentError, UsageError
from mulligan.pointers import pointer_of
from mulligan.spelling import closest
from mulligan.untrusted.objects import call_safely
from mulligan.untrusted.text import first_line, safe_str
from mulligan.validate.problems import Problems
from mulligan.validate.signature import parameter_names

_LONGEST_NAME = 128
_SUGGESTED_NAME_CHARS = 64
_OTHER_KEYWORDS = frozenset(
    ("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas")
)
_OPEN_SCHEMA_HINT = "; to allow other arguments, set additionalProperties: true in its schema"


def invalid_arguments(problems: Sequence[Problem]) -> ToolArgumentError:
    """The error for arguments with these problems."""
    count, is_all = (problems.total, problems.is_all) if isinstance(problems, Problems) else (len(problems), True)
    what = "one problem" if count == 1 and is_all else f"{'' if is_all else 'at least '}{count} problems"
    message = f"Invalid arguments: {what}; nothing was run."
    error = ToolArgumentError(message, problems=list(problems), rule="host:arguments")
    error.__dict__["_problems_total"] = count if is_all else 0
    return error


def problems_of(error: Any) -> list[Problem]:
    """What a validator finds wrong with arguments: all that pydantic lists, or its text; of each text, the first line."""
    listed = call_safely(lambda: [Problem(pointer_of(item["loc"]), first_line(item["msg"])) for item in error.errors()])
    return listed or [Problem("", first_line(safe_str(error)))]


def refuse_to_run(**_: Any) -> Any:
    """The handler of a tool spec, which cannot run.

    Raises:
        UsageError: always.
    """
    raise UsageError("a repairer cannot run tools: its tools have no handlers")


def check_tool(name: Any, description: Any, handler: Any) -> None:
    """Checks the name, description and handler of a tool.

    Args:
        name: the tool's name.
        description: what the model reads about it; None for the docstring.
        handler: the function that runs.

    Raises:
        UsageError: one of them is invalid.
    """
    if not isinstance(name, str) or not name:
        raise UsageError(f"a tool name must be a non-empty string, not {name!r}")
    if description is not None and not isinstance(description, str):
        raise UsageError(f"tool {name!r}: its description must be a string, not {description!r:.80}")
    if not callable(handler):
        raise UsageError(f"tool {name!r}: its handler must be callable, not {handler!r:.80}")


def check_name(name: Any) -> None:
    """Checks that providers accept a name from the host's code.

    Names from other programs, such as an MCP server, are used as they are.

    Raises:
        UsageError: the name contains spaces or control characters, or is too long.
    """
    if not isinstance(name, str) or (name.isprintable() and " " not in name and len(name) <= _LONGEST_NAME):
        return
    fault = f"is longer than {_LONGEST_NAME} characters" if len(name) > _LONGEST_NAME else "contains spaces"
    fault = fault if name.isprintable() else "contains invisible characters"
    shown = name if len(name) <= _LONGEST_NAME else f"{name[:40]}..."
    raise UsageError(f"tool {shown!r}: its name {fault}, which providers reject; use name={_plain_name(name)!r}")


def _plain_name(name: str) -> str:
    """A similar name of letters, digits and underscores, which every provider accepts."""
    import re

    return re.sub("[^a-zA-Z0-9-]+", "_", name).strip("_-")[:_SUGGESTED_NAME_CHARS] or "my_tool"


def check_schema(name: Any, schema: Any) -> None:
    """Checks that a value is a schema of named arguments; its content is checked on first use.

    Args:
        name: the tool's name.
        schema: the value.

    Raises:
        UsageError: the value is not a mapping, or not the schema of an object.
    """
    if not isinstance(schema, Mapping):
        raise UsageError(f"tool {name!r}: parameters must be a JSON Schema as a mapping, not {schema!r:.80}")
    kind = schema.get("type", "object")
    if kind != "object":
        raise UsageError(f"tool {name!r}: its schema must be of type 'object', since arguments are named; not {kind!r}")


def check_arguments(
    name: str,
    secret: Iterable[str],
    aliases: Mapping[str, Iterable[str]],
    schema: Mapping[str, Any] | None,
    function: Any,
) -> None:
    """Checks that a tool has the arguments that its options name: a misspelt secret argument would not be protected.

    Args:
        name: the tool's name.
        secret: the names of the secret arguments.
        aliases: the aliases of each argument, by argument name.
        schema: JSON Schema of the arguments; None if they are read from the function.
        function: the tool's handler.

    Raises:
        UsageError: an argument does not exist, or an alias is the name of another argument.
    """
    if not secret and not aliases:
        return
    known = parameter_names(function) if schema is None else _declared_arguments(schema)
    if known is None:
        return
    for option, names in (("secret", secret), ("aliases", aliases)):
        for wrong in sorted(set(names) - set(known)):
            available = ", ".join(known[:20]) or "none"
            raise UsageError(
                f"tool {name!r}: {option} names {_with_closest(wrong, known, ', which is not an argument')}; "
                f"available: {available}{'' if schema is None else _OPEN_SCHEMA_HINT}"
            )
    taken = next((other for others in aliases.values() for other in sorted(others) if other in known), None)
    if taken is not None:
        raise UsageError(
            f"tool {name!r}: aliases gives the name {taken!r} to another argument, but that is one of its arguments"
        )


def _declared_arguments(schema: Mapping[str, Any]) -> list[str] | None:
    """The arguments that a schema names; None if it allows others, or defines them in another way.

    If it names some and omits `additionalProperties`, others are allowed but rarely intended.
    """
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not _OTHER_KEYWORDS.isdisjoint(schema):
        return None
    return list(properties) if schema.get("additionalProperties", not properties) is False else None


def _with_closest(wrong: str, known: Sequence[str], is_wrong: str = "") -> str:
    near = closest(wrong, known)
    return f"{wrong!r}{is_wrong}" + (f" (did you mean {near!r}?)" if near is not None else "")
