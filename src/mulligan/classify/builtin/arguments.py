"""Arguments that are found invalid inside the tool: by its own signature or by common validators.

Data that a validator rejects counts as an argument only if it came with the call. A response from elsewhere that fails
validation is the tool's own error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from mulligan.classify.failure import Failure
from mulligan.classify.field_errors import pointer_to
from mulligan.classify.rules import Rules
from mulligan.errors import Problem, ToolArgumentError, ToolError, ToolExecutionError

rules = Rules()
_NOT_JSON = re.compile(
    r"^(?:Expecting|Extra data|Unterminated|Invalid)[^\n]{0,100}: line \d+ column \d+ \(char \d+\)\s*$"
)
_BINDING = re.compile(
    r"(?:([\w.<>]{1,200})\(\) )?(?:got an unexpected keyword argument '?(\w{1,100})"
    r"|got multiple values for argument '(\w{1,100})'"
    r"|missing \d{1,4} required (?:positional|keyword-only) arguments?: (['\w, ]{1,400}))",
    re.IGNORECASE,
)
_REQUIRED = re.compile(
    r"Missing (?:some )?(?:required|mandatory) (?:keyword )?(?:arguments?|parameters?|fields?)\b([^\n]{0,400})",
    re.IGNORECASE,
)
_MSGSPEC_PATH = re.compile(r" - at `\$([^`]{0,200})`")
_SINGLE_QUOTED = re.compile(r"'([^']{1,100})'")
_MOST_PROBLEMS = 8
_MOST_CALL_FRAMES = 2


@rules("builtins.TypeError")
def binding(failure: Failure) -> ToolError | None:
    """The tool was called with arguments that its signature does not accept. A TypeError raised deeper is the tool's own."""
    match = _BINDING.match(failure.text[:600])
    if match is None or failure.call is not None:  # a pipeline has validated them, so the handler's signature is wrong
        return None
    name, unexpected, duplicate, missing = match.groups()
    names = _SINGLE_QUOTED.findall(missing) if missing else [unexpected or duplicate]
    if not _is_binding_failure(failure, name, names, was_passed=not missing):
        return None
    words = "missing" if missing else "unknown argument" if unexpected else "given twice"
    problems = [Problem(pointer_to(one), words) for one in names[:_MOST_PROBLEMS]]
    return ToolArgumentError("The arguments do not match the tool's parameters.", problems=problems, effect="possible")


def _is_binding_failure(failure: Failure, name: str | None, names: list[str], *, was_passed: bool) -> bool:
    """Whether the call of the tool itself failed: the traceback contains no frame of the tool, and the names match the call."""
    arguments = failure.arguments or {}
    if was_passed:
        return any(one in arguments for one in names) or (name is None and not arguments)
    if any(one in arguments for one in names):
        return False
    return _frames(failure) <= _MOST_CALL_FRAMES


def _frames(failure: Failure) -> int:
    """The number of frames between the caller and the place that raised; counting stops at three."""
    frames, trace = 0, getattr(failure.exception, "__traceback__", None)
    while trace is not None and frames <= _MOST_CALL_FRAMES:
        frames, trace = frames + 1, trace.tb_next
    return frames


@rules("builtins.TypeError", "builtins.ValueError")
def required(failure: Failure) -> ToolError | None:
    """A client's own check found that required arguments are missing: `Missing required arguments; Expected 'model'`."""
    match = _REQUIRED.match(failure.text[:600])
    if match is None:
        return None
    sent, listed = failure.arguments or {}, match[1].partition(" or (")[0]  # the first of several combinations
    named = dict.fromkeys(_SINGLE_QUOTED.findall(listed) or re.findall(r"\w+", listed.partition(";")[0]))
    missing = [name for name in named if name.isidentifier() and name not in sent]
    problems = [Problem(pointer_to(name), "missing") for name in missing[:_MOST_PROBLEMS]]
    return ToolArgumentError("Required arguments are missing.", problems=problems, effect="possible")


@rules("pydantic_core.ValidationError", "pydantic.error_wrappers.ValidationError", "pydantic.v1.ValidationError")
def pydantic(failure: Failure) -> ToolError | None:
    """pydantic rejected data."""
    listed = failure.ask("errors")
    places = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, (list, tuple)) else []
    rejected = [(one.get("loc"), one.get("type"), one.get("input")) for one in places[:_MOST_PROBLEMS]]
    return _rejection_error(failure, rejected, "pydantic")


@rules("jsonschema.ValidationError", "jsonschema_rs.ValidationError")
def jsonschema(failure: Failure) -> ToolError | None:
    """A JSON Schema rejected data."""
    place = failure.look("absolute_path")
    place = list(place) if isinstance(place, Iterable) else failure.look("instance_path") or []
    validator = str(failure.look("validator") or "")
    if validator == "required":
        named = _SINGLE_QUOTED.search(str(failure.look("message") or failure.text)[:200])
        place = [*place, *named.groups()] if named else place
    return _rejection_error(failure, [(place, validator, failure.look("instance"))], "the schema")


@rules("jsonschema.SchemaError")
def schema(failure: Failure) -> ToolError | None:
    """A JSON Schema inside the tool is itself invalid."""
    return ToolExecutionError("The tool uses an invalid JSON Schema.")


@rules("msgspec.ValidationError", "msgspec.DecodeError")
def msgspec(failure: Failure) -> ToolError | None:
    """msgspec rejected data."""
    found = _MSGSPEC_PATH.search(failure.text[:1_000])
    return _rejection_error(failure, [(found[1].lstrip(".") if found else "", "", None)], "msgspec")


@rules("cattrs.BaseValidationError", "cattrs.ForbiddenExtraKeysError", "builtins.Exception")
def cattrs(failure: Failure) -> ToolError | None:
    """cattrs could not build an object from data. It raises a group whose members name the place in notes."""
    if failure.is_plain:
        return None
    known = failure.matches("cattrs.BaseValidationError", "cattrs.ForbiddenExtraKeysError")
    if not known and failure.field("__notes__") is None:
        return None
    places = [
        ([place], "", None)
        for exception in failure.exceptions[:_MOST_PROBLEMS]
        for place in _places_in_notes(exception)
    ]
    return _rejection_error(failure, places, "cattrs") if places or known else None


def _places_in_notes(exception: BaseException) -> Iterator[str | int]:
    notes = Failure(exception).field("__notes__")
    for note in islice(notes, _MOST_PROBLEMS) if type(notes) is list else ():
        fields = Failure(value=note if type(note).__module__.startswith("cattrs.") else None)
        place = fields.field("name") or fields.field("index")
        if isinstance(place, (str, int)):
            yield place


@rules("marshmallow.ValidationError", "voluptuous.Invalid", "fastjsonschema.JsonSchemaValueException")
def validators(failure: Failure) -> ToolError | None:
    """marshmallow, voluptuous or fastjsonschema rejected data."""
    texts, path = failure.look("messages"), failure.look("path")
    if isinstance(texts, Mapping):
        return _rejection_error(failure, [([str(name)], str(why), None) for name, why in texts.items()], "the schema")
    return _rejection_error(failure, [(list(path) if isinstance(path, (list, tuple)) else [], "", None)], "the schema")


def _rejection_error(failure: Failure, places: list[tuple[Any, Any, Any]], by: str) -> ToolError:
    """An argument error if the data came with the call or no arguments are known; otherwise the tool's own error."""
    pointers = {pointer_to(list(place) if isinstance(place, tuple) else place): kind for place, kind, _ in places}
    if failure.arguments and not any(_is_from_call(failure.arguments, place, data) for place, _, data in places):
        return ToolExecutionError(f"The tool received data that {by} rejected.")
    problems = [Problem(pointer, _describe_rejection(kind)) for pointer, kind in pointers.items() if pointer]
    return ToolArgumentError(f"Invalid arguments: {by} rejected them.", problems=problems, effect="possible")


def _describe_rejection(kind: object) -> str:
    return "missing" if "missing" in str(kind) or "required" in str(kind).lower() else "not valid"


def _is_from_call(arguments: Mapping[str, Any], place: Any, data: Any) -> bool:
    """Whether the arguments of the call contain the rejected field or the rejected data."""
    first = place.lstrip(".[")[:100] if isinstance(place, str) else next(iter(place), None) if place else None
    if first is not None and str(first).split(".")[0] in arguments:
        return True
    if isinstance(data, Mapping):
        return bool(data) and set(data) <= set(arguments)
    return data is not None and any(data == value for value in _values(arguments))


def _values(arguments: Mapping[str, Any]) -> Iterator[Any]:
    for value in arguments.values():
        yield value
        if isinstance(value, Mapping):
            yield from value.values()


@rules("json.JSONDecodeError")
def decoding(failure: Failure) -> ToolError | None:
    """A text is not valid JSON: an argument, or a response that the tool received."""
    error = failure.exception
    if isinstance(error, json.JSONDecodeError) and error.doc in tuple(_values(failure.arguments or {})):
        where = f"line {error.lineno} column {error.colno}"
        return ToolArgumentError(f"An argument must be JSON text and is not ({where}).")
    if failure.outer is not None and failure.outer.type_name != failure.type_name:
        return None  # the client's exception around it may describe the response
    return ToolExecutionError("The tool received a response that is not JSON.")


@rules("builtins.ValueError")
def decoding_text(failure: Failure) -> ToolError | None:
    """The text of a `json.JSONDecodeError` in a plain `ValueError`, about an argument or a response."""
    if type(failure.exception) is not ValueError or _NOT_JSON.search(failure.text) is None:
        return None
    if any(_why_no_json(value) == failure.text for value in _values(failure.arguments or {}) if type(value) is str):
        return ToolArgumentError("An argument must be JSON text and is not.")
    return ToolExecutionError("The tool received a response that is not JSON.")


def _why_no_json(text: str) -> str:
    """Why a text is no JSON; empty if it is, or nested too deeply."""
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        return str(error) if isinstance(error, ValueError) else ""
    return ""


@rules("builtins.UnicodeError")
def encoding(failure: Failure) -> ToolError | None:
    """Data is not text in the expected encoding."""
    return ToolExecutionError("The tool received text in an unexpected encoding.")
