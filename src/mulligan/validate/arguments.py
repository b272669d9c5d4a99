"""Strict reading of the arguments that a model sent: every key and number survives exactly, or the call is refused.

The size is checked before anything is parsed, then the nesting, by counting brackets (RFC 8259 section 9 permits such
limits). msgspec parses. The slower decoder of the standard library is used only to locate a syntax error, or to find
a key that may be duplicated.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

from mulligan.errors import Problem, ToolArgumentError
from mulligan.pointers import escape
from mulligan.policy import Limits
from mulligan.untrusted.json_values import TooDeepError, to_json_value
from mulligan.validate.numbers import NumberReader, PreciseNumberError

if TYPE_CHECKING:
    from json import JSONDecodeError


_HINTS = (
    ("'", "JSON strings and keys need double quotes"),
    ("“", "JSON strings and keys need straight double quotes"),
    ("NaN", "NaN is not JSON"),
    ("Infinity", "Infinity is not JSON"),
    ("-Infinity", "Infinity is not JSON"),
    ("None", "write null, not None"),
    ("True", "write true, not True"),
    ("False", "write false, not False"),
    ("```", "send the bare JSON object, without a code fence"),
    ("//", "JSON does not allow comments"),
    ("/*", "JSON does not allow comments"),
)
_CLOSING = ("}", "]")
_LITERALS = ("true", "false", "null")
_TRUNCATED = "Input data was truncated"
_PARTIAL_LITERAL = re.compile(r'[tfn][^"]{0,3}\Z')
_BYTE_ORDER_MARK = "\ufeff"
_COMPLETE_OBJECT = "one complete JSON object, its last brace included"
_TOKENS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\]]|-?Infinity|NaN', re.DOTALL)


def describe_syntax_error(text: str, error: JSONDecodeError) -> str:
    """Describes why a text is not valid JSON, with line and column.

    Args:
        text: the invalid text.
        error: the error of the standard library.
    """
    if _is_cut_off(text, error):
        return describe_cut_off(text)
    rest = text[error.pos : error.pos + 12]
    hint = next((hint for start, hint in _HINTS if rest.startswith(start)), "") or _hint_after(text, error)
    if rest.startswith(_CLOSING):
        before = text[: error.pos].rstrip()
        if before.endswith(","):
            hint = "remove the comma before it"
        elif not before or error.msg.startswith("Extra data"):
            hint = f"this {rest[0]!r} has no opening bracket"
    return f"not valid JSON at {line_and_column(text, error.pos)}: {_lower(error.msg)}" + (f"; {hint}" if hint else "")


def _hint_after(text: str, error: JSONDecodeError) -> str:
    """What to change if something other than a comma or a bracket follows a value; empty if that is unclear."""
    before, rest = text[: error.pos].rstrip()[-1:], text[error.pos :].lstrip()
    if error.msg.startswith("Extra data"):
        return "send one JSON object for each call" if rest.startswith("{") else ""
    if not error.msg.startswith("Expecting ',' delimiter"):
        return ""
    if rest.startswith('"'):  # only a comma is missing
        return ""
    if before == '"':
        return 'write a quotation mark inside a text as \\"'
    if before.isdigit():
        return "write a number without spaces and calculations, and any other value in double quotes"
    return ""


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip(":").removesuffix(" at")


def describe_cut_off(text: str) -> str:
    """Describes a JSON text that ends too early, with line and column."""
    return f"not valid JSON: it ends too early at {line_and_column(text, len(text))} and seems to be cut off"


def is_truncated(text: str, parse_error: str) -> bool:
    """Whether a text definitely ends before its JSON does, so that no second parser is needed to find the error.

    Args:
        text: the invalid text.
        parse_error: the message of msgspec. It reports truncation also for half a surrogate escape, and for an invalid
            literal near the end.
    """
    return parse_error == _TRUNCATED and "\\u" not in text and _PARTIAL_LITERAL.search(text[-4:]) is None


def _is_cut_off(text: str, error: JSONDecodeError) -> bool:
    """Whether the text ends inside a string or a literal, or before a required value or bracket."""
    rest = text[error.pos : error.pos + 12].strip()
    return error.msg.startswith("Unterminated string") or any(word.startswith(rest) for word in _LITERALS)


def line_and_column(text: str, position: int) -> str:
    """The line and column of a position, both counted from 1.

    Args:
        text: the text.
        position: the index of the character, counted from 0.
    """
    line = text.count("\n", 0, position) + 1
    return f"line {line} column {position - text.rfind(chr(10), 0, position)}"


_decoders: dict[NumberReader | None, Callable[[str], Any]] = {}


def _make_decoder(numbers: NumberReader | None) -> Callable[[str], Any]:
    import msgspec

    return _decoders.setdefault(numbers, msgspec.json.Decoder(float_hook=numbers).decode)


@cache
def _encoder() -> Callable[[Any], bytes]:
    import msgspec

    return msgspec.json.Encoder(decimal_format="number").encode


def arguments_text(arguments: Any) -> str:
    """The arguments of a tool call as JSON text, from which `read_arguments` reads the same values each time.

    Args:
        arguments: JSON text (str or bytes), a mapping, or None. None means no arguments.

    Raises:
        ToolArgumentError: they are neither, or contain what JSON does not allow. Its one problem says where and why.
    """
    if arguments is None:
        return "{}"
    if isinstance(arguments, str):
        return str.__str__(arguments)
    if isinstance(arguments, (bytes, bytearray)):
        try:
            return bytes(arguments).decode()
        except UnicodeDecodeError as error:
            _refuse("", f"the arguments are not UTF-8 text (byte {error.start})", "a JSON object")
    if not isinstance(arguments, Mapping):
        _refuse("", "the arguments must be one JSON object", "one JSON object", _json_type(arguments))
    return _mapping_text(arguments)


def read_arguments(arguments: Any, limits: Limits, *, numbers: NumberReader | None = None) -> dict[str, Any]:
    """The arguments of a tool call as a mapping of JSON values.

    Args:
        arguments: JSON text (str or bytes), a mapping, or None. None, `null` and blank text mean no arguments.
        limits: bounds on size and depth.
        numbers: converts the text of a number that has a fraction or an exponent, or raises `PreciseNumberError`; by
            default, the number becomes a float.

    Returns:
        A new dict of plain JSON values that shares nothing with the input.

    Raises:
        ToolArgumentError: the arguments are not JSON or not an object, are too deep or too large, or contain a
            duplicate key, a number that JSON does not allow, or a number that would be rounded to a different whole
            number. Its one problem says where and why.
    """
    if type(arguments) is not str:
        arguments = arguments_text(arguments)
    if len(arguments) * 4 > limits.argument_bytes:
        _check_size(arguments, limits.argument_bytes)
    if len(arguments) > 2 * limits.depth:  # in fewer characters, valid JSON cannot be deeper
        _check_depth(arguments, limits.depth)
    value, parse_error = None, None
    try:
        value = (_decoders.get(numbers) or _make_decoder(numbers))(arguments)
    except Exception as error:
        parse_error = str(error)
    if parse_error is not None:  # raised outside `except`: the context would keep frames alive
        return _explain(arguments, parse_error, limits, numbers)
    if type(value) is not dict:
        return _refuse_non_object(value)
    return _reparse(arguments, numbers) if _may_repeat_a_key(arguments, value) else value


def are_within_limits(text: str, limits: Limits) -> bool:
    """Whether a JSON text is clearly small and flat enough to be read as arguments, judging by its brackets alone.

    Args:
        text: the JSON text.
        limits: bounds on size and depth.
    """
    return len(text) * 4 <= limits.argument_bytes and text.count("{") + text.count("[") <= limits.depth


def _may_repeat_a_key(text: str, value: dict[str, Any]) -> bool:
    """Whether the objects of a text may have more members than keys. The colon of a member follows a quote, or a blank."""
    is_spaced = " :" in text or (
        ("\n" in text or "\t" in text or "\r" in text) and ("\n:" in text or "\t:" in text or "\r:" in text)
    )
    members = text.count('":')  # at least, if no blank precedes a colon
    if not is_spaced and (members == len(value) or members == _count_keys(value)):
        return False
    return text.count(":") != _count_keys(value)


def _count_keys(value: Any) -> int:
    """The number of keys in all objects of a value."""
    keys, stack = 0, [value]
    while stack:
        item = stack.pop()
        if type(item) is dict:
            keys += len(item)
            stack += item.values()
        elif type(item) is list:
            stack += item
    return keys


def dump(value: Any) -> str:
    """A JSON value as compact JSON text."""
    return _encoder()(value).decode()


def _mapping_text(arguments: Mapping[Any, Any]) -> str:
    try:
        plain = arguments if type(arguments) is dict else to_json_value(arguments)
        if not all(type(key) is str for key in plain):
            _refuse("", "every argument name must be a string", "string keys")
        text = dump(to_json_value(plain))
    except (RecursionError, TooDeepError):
        _refuse("", "the arguments are nested too deeply, or contain themselves", "a flatter object")
    except UnicodeEncodeError:
        _refuse("", "the arguments contain a lone surrogate, which UTF-8 cannot encode", "valid Unicode text")
    except ToolArgumentError:
        raise
    except Exception as error:
        _refuse("", "the arguments contain a value that JSON cannot represent", "JSON values", type(error).__name__)
    if "null" in text:
        _refuse_non_finite(plain)
    return text


def _refuse_non_finite(mapping: dict[str, Any]) -> None:
    stack: list[tuple[str, Any]] = [("", mapping)]
    while stack:
        pointer, value = stack.pop()
        if isinstance(value, float) and value - value != 0:
            _refuse(pointer, f"{value} is not a JSON number", "a finite number")
        if isinstance(value, dict):
            stack += [(f"{pointer}/{escape(key)}", item) for key, item in value.items()]
        elif isinstance(value, (list, tuple)):
            stack += [(f"{pointer}/{index}", item) for index, item in enumerate(value)]


def _check_depth(text: str, limit: int) -> None:
    if text.count("{") + text.count("[") <= limit:  # nearly every text
        return
    depth = 0
    for token in _TOKENS.finditer(text):
        bracket = token[0]
        if bracket in ("{", "["):
            depth += 1
            if depth > limit:
                where = line_and_column(text, token.start())
                _refuse(
                    "",
                    f"nested too deeply at {where}: at most {limit} levels are allowed",
                    f"arguments of at most {limit} levels",
                )
        elif bracket in ("}", "]"):
            depth -= 1


def _check_size(text: str, allowed: int) -> None:
    size = len(text) if len(text) > allowed else len(text.encode(errors="surrogatepass"))
    if size > allowed:
        where = line_and_column(text, min(allowed, len(text)))
        message = f"the arguments are {size:,} bytes long, but at most {allowed:,} are allowed; the limit is at {where}"
        _refuse("", message, f"at most {allowed:,} bytes of arguments")


def _explain(text: str, parse_error: str, limits: Limits, numbers: NumberReader | None) -> dict[str, Any]:
    """Raises the error for a text that msgspec refuses; returns its value if the standard library reads it exactly."""
    _check_depth(text, limits.depth)
    if text.startswith(_BYTE_ORDER_MARK):
        return read_arguments(text.removeprefix(_BYTE_ORDER_MARK), limits, numbers=numbers)
    if not text or text.isspace():
        return {}
    if not text.isascii():
        _check_unicode(text)
    problem = describe_cut_off(text) if is_truncated(text, parse_error) else _syntax_error(text)
    if problem:
        _refuse("", problem, _COMPLETE_OBJECT if "cut off" in problem else "one valid JSON object")
    return _reparse(text, numbers)


def _syntax_error(text: str) -> str:
    import json

    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return describe_syntax_error(text, error)
    except (ValueError, RecursionError):
        return ""
    return ""


def _check_unicode(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        where = line_and_column(text, error.start)
        _refuse("", f"a lone surrogate at {where}, which UTF-8 cannot encode", "valid Unicode text")


def _reparse(text: str, numbers: NumberReader | None) -> dict[str, Any]:
    """Parses with the standard library, which reports every key."""
    import json

    duplicates: dict[int, str] = {}

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(items)
        if len(mapping) != len(items):
            counts = Counter(key for key, _ in items)
            duplicates[id(mapping)] = next(key for key in mapping if counts[key] > 1)
        return mapping

    try:
        value = json.loads(
            text,
            object_pairs_hook=pairs,
            parse_constant=lambda name: _refuse_constant(text, name),
            parse_float=None if numbers is None else partial(_read_number, numbers),
        )
    except PreciseNumberError as error:
        where = line_and_column(text, text.find(error.number))
        _refuse("", f"the number at {where} has too many digits", "a number of at most 15 digits")
    except RecursionError:
        _refuse("", "the arguments are nested too deeply", "a flatter object")
    except ValueError:
        _refuse("", "a number has too many digits", "a number of at most 300 digits")
    if not isinstance(value, dict):
        return _refuse_non_object(value)
    _check_values(text, value, duplicates)
    return value


def _read_number(read: NumberReader, number: str) -> Any:
    """Converts a number. One that is too large becomes infinity, which `_check_values` reports with its place."""
    return read(number) if math.isfinite(float(number)) else float(number)


def _refuse_constant(text: str, name: str) -> NoReturn:
    start = next(token.start() for token in _TOKENS.finditer(text) if token[0] == name)
    _refuse("", f"{name} at {line_and_column(text, start)} is not a JSON number", "a finite number or null")


def _refuse_duplicate(text: str, pointer: str, key: str) -> NoReturn:
    import json

    quoted = re.escape(json.dumps(key, ensure_ascii=False))
    places = [match.start() for match in islice(re.finditer(rf"{quoted}\s*:", text), 2)]
    where = f" (again at {line_and_column(text, places[1])})" if len(places) == 2 else ""
    _refuse(f"{pointer}/{escape(key)}", f"duplicate key{where}; send only one value", "each key once")


def _check_values(text: str, value: dict[str, Any], duplicates: Mapping[int, str]) -> None:
    """Refuses what the standard library accepts: duplicate keys, infinite numbers and lone surrogates."""
    stack: list[tuple[str, Any]] = [("", value)]
    while stack:
        pointer, item = stack.pop()
        if isinstance(item, dict):
            if id(item) in duplicates:
                _refuse_duplicate(text, pointer, duplicates[id(item)])
            for key, member in item.items():
                _check_surrogates(pointer, key)
                stack.append((f"{pointer}/{escape(key)}", member))
        elif isinstance(item, list):
            stack += [(f"{pointer}/{index}", member) for index, member in enumerate(item)]
        elif isinstance(item, float) and item - item != 0:
            _refuse(pointer, "the number is too large", "a number below 1e308")
        elif isinstance(item, str):
            _check_surrogates(pointer, item)


def _check_surrogates(pointer: str, text: str) -> None:
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        _refuse(pointer, "the string contains a lone surrogate escape, which UTF-8 cannot encode", "valid Unicode text")


def _refuse_non_object(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    hint = "; it is a string that contains JSON; send the object itself" if _holds_object(value) else ""
    return _refuse("", f"the arguments must be one JSON object{hint}", "one JSON object", _json_type(value))


def _holds_object(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith("{")


def _json_type(value: Any) -> str:
    for kinds, name in (((bool,), "boolean"), ((str,), "string"), ((int, float), "number"), ((list, tuple), "array")):
        if isinstance(value, kinds):
            return name
    return "null" if value is None else type(value).__name__


def _refuse(pointer: str, message: str, expected: str | None = None, got: str | None = None) -> NoReturn:
    problem = Problem(pointer, message, expected, got)
    summary = f"Invalid arguments: {'one problem' if pointer else message}; nothing was run."
    raise ToolArgumentError(summary, problems=(problem,), rule="host:arguments") from None
