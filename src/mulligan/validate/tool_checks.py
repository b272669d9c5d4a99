"""The checks of a new tool, and the error for invalid arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mulligan.deadline import is_seconds
from mulligan.errors import Problem, ToolArgumentError, UsageError
from mulligan.spelling import closest
from mulligan.validate.problems import Problems
from mulligan.validate.signature import parameter_names

OPTIONS = frozenset(
    [
        "timeout",
        "read_only",
        "idempotent",
        "destructive",
        "claims_read_only",
        "inline",
        "killable",
        "secret",
        "resources",
        "detect",
        "output_schema",
        "format",
        "tags",
        "tool_type",
        "provider",
        "aliases",
        "also_called",
    ]
)
_NO_ALIASES: Mapping[str, frozenset[str]] = {}
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


def refuse_to_run(**_: Any) -> Any:
    """The handler of a tool spec, which cannot run.

    Raises:
        UsageError: always.
    """
    raise UsageError("a repairer cannot run tools: its tools have no handlers")


def check_tool(name: Any, handler: Any, timeout: Any) -> None:
    """Checks the name, handler and timeout of a tool.

    Args:
        name: the tool's name.
        handler: the function that runs.
        timeout: seconds, or None.

    Raises:
        UsageError: one of them is invalid.
    """
    if not isinstance(name, str) or not name:
        raise UsageError(f"a tool name must be a non-empty string, not {name!r}")
    if not callable(handler):
        raise UsageError(f"tool {name!r}: its handler must be callable, not {handler!r:.80}")
    if timeout is not None and not (is_seconds(timeout) and timeout > 0):
        raise UsageError(f"tool {name!r}: timeout must be above zero seconds, not {timeout!r:.80}")


def check_hints(name: str, *, read_only: bool, destructive: bool | None) -> None:
    """Checks that the declared hints of a tool do not contradict each other.

    Args:
        name: the tool's name.
        read_only: whether the tool changes nothing.
        destructive: whether the tool may destroy something, or None.

    Raises:
        UsageError: the tool is declared both read-only and destructive.
    """
    if read_only and destructive:
        raise UsageError(
            f"tool {name!r}: read_only=True and destructive=True contradict each other; declare one of them"
        )


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


def check_options(options: Mapping[str, Any], more: Iterable[str] = ()) -> None:
    """Checks that all options are known options of a tool.

    Args:
        options: the options by name.
        more: further known names.

    Raises:
        UsageError: an option is unknown.
    """
    unknown = next((option for option in options if option not in OPTIONS), None)
    if unknown is not None:
        known = sorted({*OPTIONS, *more})
        raise UsageError(f"unknown tool option {_with_closest(unknown, known)}; available: {', '.join(known)}")


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


def check_detect(name: str, value: Any) -> Any:
    """Checks the option `detect` of a tool.

    Args:
        name: the tool's name.
        value: True, False, or a function of a returned value.

    Raises:
        UsageError: the value is something else.
    """
    if not isinstance(value, bool) and not callable(value):
        raise UsageError(
            f"tool {name!r}: detect must be True, False or a function of the returned value, not {value!r:.80}"
        )
    return value


def check_output_schema(name: str, value: Any) -> Any:
    """Checks that the option `output_schema` of a tool is a mapping; its content is checked on first use.

    Args:
        name: the tool's name.
        value: JSON Schema.

    Raises:
        UsageError: the value is something else.
    """
    if not isinstance(value, Mapping):
        raise UsageError(f"tool {name!r}: output_schema must be a JSON Schema as a mapping, not {value!r:.80}")
    return value


def check_labels(name: str, option: str, value: Any) -> frozenset[str]:
    """An option that takes one string or several, as a set.

    Args:
        name: the tool's name.
        option: the option's name.
        value: one string or several.

    Raises:
        UsageError: the value is something else.
    """
    several = (value,) if isinstance(value, str) else value
    if isinstance(several, Iterable):
        found = list(several)
        if all(isinstance(label, str) for label in found):
            return frozenset(found)
    raise UsageError(f"tool {name!r}: {option} must be a string or a list of strings, not {value!r:.80}")


def check_aliases(name: str, value: Any) -> Mapping[str, frozenset[str]]:
    """The aliases of each argument, by argument name.

    Args:
        name: the tool's name.
        value: for each argument, one string or several; or None.

    Raises:
        UsageError: the value is something else, or two arguments share an alias.
    """
    if value is None:
        return _NO_ALIASES
    if not isinstance(value, Mapping):
        raise UsageError(f"tool {name!r}: aliases must map arguments to their other names, not {value!r:.80}")
    found = {str(argument): check_labels(name, "aliases", others) for argument, others in value.items()}
    all_names = [other for others in found.values() for other in others]
    twice = next((other for other in all_names if all_names.count(other) > 1), None)
    if twice is not None:
        raise UsageError(f"tool {name!r}: {twice!r} is an alias of two arguments; keep it for one")
    return found


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
            there = ", ".join(known[:20]) or "none"
            raise UsageError(
                f"tool {name!r}: {option} names {_with_closest(wrong, known, ', which is not an argument')}; "
                f"available: {there}{'' if schema is None else _OPEN_SCHEMA_HINT}"
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
