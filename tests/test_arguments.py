"""Arguments as models send them: every text that is JSON is read exactly, every other one is refused with its place."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan import Limits, errors
from mulligan.plugin import read_arguments

LIMITS = Limits()


def nested(depth: int, opening: str = '{"a":', closing: str = "}", inside: str = "1") -> str:
    return opening * depth + inside + closing * depth


# texts that are one JSON object: read as the standard library reads them
VALID = {
    "empty object": "{}",
    "blanks inside": " \t\r\n{ \n } \n",
    "one member": '{"a": 1}',
    "no blanks": '{"a":1,"b":2}',
    "many blanks": '{ "a"\n:\t1 ,\r\n"b" : 2 }',
    "empty key": '{"": 1}',
    "blank key": '{" ": 1}',
    "dotted keys": '{"a.b": 1, "a/b": 2, "a~b": 3}',
    "keys that differ by case": '{"a": 1, "A": 2}',
    "keys that differ by normal form": '{"é": 1, "e\u0301": 2}',
    "same key at other levels": '{"a": {"a": {"a": 1}}}',
    "same key in siblings": '[{"a": 1}, {"a": 2}]'.join(['{"l": ', "}"]),
    "numeric keys": '{"1": 1, "01": 2, "1.0": 3}',
    "literals": '{"a": true, "b": false, "c": null}',
    "words inside strings": '{"a": "true", "b": "null", "c": "NaN", "d": "Infinity", "e": "-Infinity"}',
    "zero": '{"a": 0}',
    "minus zero": '{"a": -0}',
    "minus zero point": '{"a": -0.0}',
    "negative": '{"a": -17}',
    "fraction": '{"a": 0.5, "b": 1.5, "c": -0.125}',
    "trailing zeros": '{"a": 1.0, "b": 1.50, "c": 100.00}',
    "exponents": '{"a": 1e2, "b": 1E2, "c": 1e+2, "d": 1e-2, "e": 1.5e3, "f": 0e5, "g": 0.0e-3}',
    "repeating": '{"a": 0.1, "b": 0.2, "c": 0.30000000000000004}',
    "many decimals": '{"a": 0.1000000000000000055511151231257827021181583404541015625}',
    "pi": '{"a": 3.141592653589793238462643383279502884197}',
    "largest double": '{"a": 1.7976931348623157e308, "b": -1.7976931348623157e308}',
    "smallest double": '{"a": 5e-324, "b": 2.2250738585072014e-308}',
    "halfway doubles": '{"a": 9007199254740993.0, "b": 9007199254740992.5, "c": 2.2250738585072011e-308}',
    "underflow": '{"a": 1e-400, "b": -1e-9999}',
    "int 53 bits": '{"a": 9007199254740993, "b": -9007199254740993}',
    "int 63 bits": '{"a": 9223372036854775807, "b": -9223372036854775808}',
    "int 64 bits": '{"a": 18446744073709551615, "b": 18446744073709551616, "c": -9223372036854775809}',
    "int 21 digits": '{"a": 123456789012345678901, "b": -123456789012345678901}',
    "int 40 digits": '{"a": ' + "1234567890" * 4 + "}",
    "int 300 digits": '{"a": ' + "9" * 300 + "}",
    "int 310 digits": '{"a": ' + "9" * 310 + ', "b": -' + "1" * 310 + "}",
    "int 4300 digits": '{"a": ' + "7" * 4_300 + "}",
    "ints beside floats": '{"a": 100000000000000000000000, "b": 1e23, "c": 100000000000000000000000.0}',
    "many digits in a string": '{"a": "' + "7" * 10_000 + '"}',
    "long fraction": '{"a": 0.' + "3" * 5_000 + "}",
    "empty string": '{"a": ""}',
    "escapes": r'{"a": "\"\\\/\b\f\n\r\t"}',
    "escaped key": r'{"\u0061\n\"": 1}',
    "escaped letters": r'{"a": "\u0041\u00e9\u20AC\uFFFF"}',
    "escaped nul": r'{"a": "x\u0000y"}',
    "escaped controls": r'{"a": "\u0001\u001f\u007f\u0085"}',
    "surrogate pair": r'{"a": "\ud83d\ude00", "b": "\uD834\uDD1E"}',
    "astral": '{"a": "😀𝄞", "😀": "key"}',
    "bidi and invisible": '{"a": "\u202e\u200b\u2066\ufeff"}',
    "separators": '{"a": "\u2028\u2029"}',
    "delete character": '{"a": "\x7f\x80\x9f"}',
    "no characters": '{"a": "\ufffe\uffff\ufdd0"}',
    "other scripts": '{"имя": "Ωμέγα", "名前": "太郎", "שם": "דנה"}',
    "combining": '{"a": "e\u0301\u0323"}',
    "brackets in strings": '{"a": "' + "[{" * 200 + '", "b": "]}"}',
    "quotes in strings": r'{"a": "\"{\"b\": 1}\""}',
    "backslashes before a quote": r'{"a": "\\\\", "b": "\\\""}',
    "colons in strings": '{"a": "::::", "b": "http://x:1/", "c": ": : "}',
    "addresses": '{"a": "https://example.org/x", "b": {"c": "ftp://h:21//x"}}',
    "commas in strings": '{"a": ",,,", "b": "1,2"}',
    "comment in a string": '{"a": "/* x */ // y # z"}',
    "empty containers": '{"a": [], "b": {}, "c": [[]], "d": [{}]}',
    "mixed array": '{"a": [1, -2.5, "x", null, true, [], {}]}',
    "nested": '{"a": [[[[1]]]], "b": {"c": {"d": {"e": 1}}}}',
    "64 levels of objects": nested(64),
    "64 levels of both": '{"a":' + nested(63, "[", "]") + "}",
    "64 levels, twice": '{"x": [' + nested(62) + ", " + nested(62) + "]}",
    "thousands of members": "{" + ",".join(f'"k{n}": {n}' for n in range(5_000)) + "}",
    "thousands of items": '{"a": [' + ",".join(["1.25"] * 20_000) + "]}",
    "long string": '{"a": "' + "x" * 900_000 + '"}',
    "long key": '{"' + "k" * 100_000 + '": 1}',
    "JSON in a string": r'{"a": "{\"b\": [1, 2]}"}',
}

# texts that are not one JSON object: the place is line and column, or a pointer
L = r"line \d+ column \d+"
INVALID = {
    "bare word": ("hello", L),
    "number": ("12", "must be one JSON object; expected one JSON object; got number"),
    "string": ('"text"', "got string"),
    "object in a string": (r'"{\"a\": 1}"', "a string that contains JSON; send the object itself"),
    "array": ("[]", "got array"),
    "array of objects": ('[{"a": 1}]', "got array"),
    "true": ("true", "got boolean"),
    "two objects": ('{"a": 1}{"b": 2}', "line 1 column 9"),
    "two objects, two lines": ('{"a": 1}\n{"b": 2}', "line 2 column 1"),
    "text after": ('{"a": 1} then', "line 1 column 10"),
    "text before": ('json {"a": 1}', "line 1 column 1"),
    "code fence": ('```json\n{"a": 1}\n```', "without a code fence"),
    "XML": ("<a>1</a>", "line 1 column 1"),
    "key=value": ("a=1", L),
    "only a brace": ("{", "cut off"),
    "only a closing brace": ("}", "line 1 column 1"),
    "cut after key": ('{"a"', "cut off"),
    "cut after colon": ('{"a":', "cut off"),
    "cut in a word": ('{"a": tr', "cut off"),
    "cut in a string": ('{"a": "b', "cut off"),
    "cut in an escape": ('{"a": "b\\', "cut off"),
    "cut after comma": ('{"a": 1,', "cut off"),
    "cut in an array": ('{"a": [1, 2', "cut off"),
    "cut in a nested one": ('{"a": {"b": {"c": 1}', "cut off"),
    "one brace too many": ('{"a": 1}}', "line 1 column 9"),
    "wrong bracket": ('{"a": [1}', "line 1 column 9"),
    "trailing comma": ('{"a": 1,}', "remove the comma before it"),
    "trailing comma in an array": ('{"a": [1,]}', "remove the comma before it"),
    "two commas": ('{"a": 1,, "b": 2}', "line 1 column 9"),
    "leading comma": ('{,"a": 1}', "line 1 column 2"),
    "missing comma": ('{"a": 1 "b": 2}', "line 1 column 9"),
    "calculation": ('{"a": 5 * 3}', "without spaces and calculations"),
    "number with spaces": ('{"a": 1 000}', "without spaces and calculations"),
    "missing comma on line 3": ('{\n"a": 1\n"b": 2}', "line 3 column 1"),
    "missing colon": ('{"a" 1}', "line 1 column 6"),
    "equals sign": ('{"a" = 1}', "line 1 column 6"),
    "missing value": ('{"a": }', L),
    "key without quotes": ("{a: 1}", "line 1 column 2"),
    "number as key": ("{1: 2}", "line 1 column 2"),
    "null as key": ("{null: 2}", "line 1 column 2"),
    "single quotes": ("{'a': 'b'}", "double quotes"),
    "single-quoted value": ("{\"a\": 'b'}", "double quotes"),
    "typographic quotes": ("{“a”: 1}", "straight double quotes"),
    "unclosed quote": ('{"a: 1}', L),
    "raw line break": ('{"a": "x\ny"}', L),
    "raw tab": ('{"a": "x\ty"}', L),
    "raw nul": ('{"a": "x\x00y"}', L),
    "raw escape character": ('{"a": "\x1b[2J"}', L),
    "control in a key": ('{"a\x01": 1}', L),
    "bad escape": (r'{"a": "\x41"}', L),
    "escaped quote of another kind": (r"""{"a": "\'"}""", L),
    "short unicode escape": (r'{"a": "\u12"}', L),
    "letters in a unicode escape": (r'{"a": "\u12G4"}', L),
    "capital escape": (r'{"a": "\U0001F600"}', L),
    "octal escape": (r'{"a": "\101"}', L),
    "escape outside": ("{\\n}", L),
    "high surrogate escape": (r'{"a": "\ud800"}', "/a"),
    "low surrogate escape": (r'{"a": "x\udc00"}', "/a"),
    "surrogates in the wrong order": (r'{"a": "\udc00\ud800"}', "/a"),
    "surrogate escape in a key": (r'{"\ud800": 1}', "lone surrogate"),
    "surrogate escape deep inside": (r'{"a": [1, {"b": "\udfff"}]}', "/a/1/b"),
    "raw surrogate": ('{"a": "\ud800"}', "line 1 column 8"),
    "raw surrogate in a key": ('{"\udc80": 1}', "line 1 column 3"),
    "raw surrogate on line 2": ('{\n"a": "\udfff"}', "line 2 column 7"),
    "surrogate outside": ("\ud83d{}", "line 1 column 1"),
    "BOM inside": ('{\ufeff"a": 1}', "line 1 column 2"),
    "no-break space": ('{\u00a0"a": 1}', "line 1 column 2"),
    "line separator": ('{\u2028"a": 1}', "line 1 column 2"),
    "vertical tab": ('{\x0b"a": 1}', "line 1 column 2"),
    "NUL after": ("{}\x00", "line 1 column 3"),
    "NaN": ("NaN", "NaN at line 1 column 1"),
    "NaN inside": ('{"a": NaN}', "NaN at line 1 column 7"),
    "NaN after a string with it": ('{"a": "NaN", "b": NaN}', "NaN at line 1 column 19"),
    "nan": ('{"a": nan}', "line 1 column 7"),
    "Infinity": ('{"a": Infinity}', "Infinity at line 1 column 7"),
    "-Infinity": ('{"a": [1, -Infinity]}', "-Infinity at line 1 column 11"),
    "infinity": ('{"a": infinity}', "line 1 column 7"),
    "1e999": ('{"a": 1e999}', "/a"),
    "-1e999": ('{"a": {"b": -1e999}}', "/a/b"),
    "1.8e308": ('{"x": 1, "a": 1.8e308}', "/a"),
    "huge int 4400 digits": ('{"a": ' + "7" * 4_400 + "}", "too many digits"),
    "huge int 4301 digits": ('{"a": ' + "7" * 4_301 + "}", "too many digits"),
    "leading zero": ('{"a": 01}', L),
    "leading zeros": ('{"a": -007}', L),
    "plus sign": ('{"a": +1}', L),
    "point first": ('{"a": .5}', L),
    "point last": ('{"a": 1.}', L),
    "point before exponent": ('{"a": 1.e5}', L),
    "exponent without digits": ('{"a": 1e}', L),
    "exponent with sign only": ('{"a": 1e+}', L),
    "double minus": ('{"a": --1}', L),
    "hexadecimal": ('{"a": 0x1F}', L),
    "octal": ('{"a": 0o17}', L),
    "underscores": ('{"a": 1_000}', L),
    "thousands": ('{"a": 1,000}', L),
    "big integer suffix": ('{"a": 1n}', L),
    "Arabic digits": ('{"a": ١}', L),
    "full-width digits": ('{"a": １}', L),
    "percent": ('{"a": 5%}', L),
    "None": ('{"a": None}', "write null, not None"),
    "True": ('{"a": True}', "write true, not True"),
    "False": ('{"a": False}', "write false, not False"),
    "undefined": ('{"a": undefined}', L),
    "TRUE": ('{"a": TRUE}', L),
    "line comment": ('{"a": 1, // one\n"b": 2}', "does not allow comments"),
    "block comment": ('{/* one */ "a": 1}', "does not allow comments"),
    "hash comment": ('{"a": 1 # one\n}', L),
    "function call": ('{"a": date("2026")}', L),
    "tuple": ('{"a": (1, 2)}', L),
    "concatenated strings": ('{"a": "x" "y"}', L),
    "template": ('{"a": {{ name }}}', L),
    "ellipsis": ('{"a": [1, ...]}', L),
    "a word that is none, near the end": ('{"a": n}', "line 1 column 7: expecting value"),
    "half a word": ('{"a": tru', "it ends too early at line 1 column 10"),
    "cut off after a word": ('{"a": "open"', "it ends too early at line 1 column 13"),
    "cut off in an escape": (r'{"a": "\u12', "line 1 column 9"),
    "duplicate key": ('{"a": 1, "a": 2}', "/a: duplicate key"),
    "duplicate key, equal values": ('{"a": 1, "a": 1}', "/a: duplicate key"),
    "duplicate key, spelled with an escape": (r'{"a": 1, "\u0061": 2}', "/a: duplicate key"),
    "duplicate empty key": ('{"": 1, "": 2}', "/: duplicate key"),
    "duplicate key, nested": ('{"a": {"b": 1, "b": 2}}', "/a/b: duplicate key"),
    "duplicate key in an array": ('{"a": [0, {"b": 1, "b": 2}]}', "/a/1/b: duplicate key"),
    "duplicate key with slash and tilde": ('{"a/b~c": 1, "a/b~c": 2}', "/a~1b~0c: duplicate key"),
    "duplicate key beside addresses": ('{"a": "x://y", "a": "://"}', "/a: duplicate key"),
    "duplicate key beside colons": ('{"u": "a:b", "a": ":", "a": "://:"}', "/a: duplicate key"),
    "duplicate key of three": ('{"a": 1, "b": 2, "a": 3}', "/a: .*line 1 column 18"),
    "duplicate key of objects": ('{"a": {"x": 1}, "a": {"y": 2}}', "/a: duplicate key"),
    "65 levels": (nested(65), "too deeply at line 1 column 321"),
    "65 levels of arrays": ('{"a": ' + nested(65, "[", "]") + "}", "too deeply at line 1 column 70"),
    "65 levels, never closed": ("[" * 65, "too deeply at line 1 column 65"),
    "100,000 levels": (nested(100_000), "too deeply at line 1 column"),
    "450,000 levels of arrays": (nested(450_000, "[", "]"), "too deeply at line 1 column 65"),
    "too long": ('{"a": "' + "x" * 1_000_000 + '"}', "1,000,009 bytes"),
    "too long in UTF-8 only": ('{"a": "' + "é" * 500_000 + '"}', "bytes"),
    "5 MB": ('{"a": "' + "x" * 5_000_000 + '"}', "5,000,009 bytes"),
    "5 MB of nothing": ("x" * 5_000_000, "5,000,000 bytes"),
}

# no arguments at all
NOTHING = {
    "None": None,
    "empty text": "",
    "blanks": "  \n\t ",
    "null": "null",
    "null with blanks": " null\n",
    "empty bytes": b"",
    "blank bytes": b" ",
    "empty dict": {},
    "bytes": b"{}",
    "bytearray": bytearray(b"null"),
}


@pytest.mark.parametrize("text", ['{"a": true false}', '{"a": [1] [2]}', '{"a": null 5}'])
def test_only_after_a_number_it_says_how_a_number_is_written(text):
    with pytest.raises(errors.ToolArgumentError) as caught:
        read_arguments(text, LIMITS)
    assert "expecting ',' delimiter; expected" in place_of(caught.value)


def test_what_is_wrong_at_one_place_is_said_once(make_pipeline, run):
    def act(a: str) -> None: ...

    for text, what in (('{"a": 1, "a": 2}', "duplicate key"), ('{"a": 1e999}', "the number is too large")):
        told = run(make_pipeline(act), "act", text).content
        assert told.startswith(
            f"Error executing tool act: Invalid arguments: one problem; nothing was run.\n- /a: {what}"
        )
        assert told.count(what) == 1


def place_of(error: errors.ToolArgumentError) -> str:
    [problem] = error.problems
    assert problem.expected
    return f"{problem.pointer}: {problem.message}; expected {problem.expected}; got {problem.got}"


@pytest.mark.parametrize("kind", VALID)
def test_valid_texts_are_read_exactly(kind):
    text = VALID[kind]
    for given_as in (text, text.encode(), bytearray(text.encode())):
        value = read_arguments(given_as, LIMITS)
        assert repr(value) == repr(json.loads(text))
        assert value == json.loads(text)
        assert type(value) is dict


@pytest.mark.parametrize("kind", INVALID)
def test_invalid_texts_are_refused_with_their_place(kind):
    text, wanted = INVALID[kind]
    with pytest.raises(errors.ToolArgumentError) as caught:
        read_arguments(text, LIMITS)
    told = place_of(caught.value)
    assert re.search(wanted, told), told
    assert len(told) < 400
    told.encode()
    assert caught.value.message.startswith("Invalid arguments: ")
    assert caught.value.effect == "none"
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


@pytest.mark.parametrize("kind", [kind for kind, (text, _) in INVALID.items() if len(text) < 200_000])
def test_invalid_texts_never_run_a_tool(make_pipeline, kind):
    ran = []

    def work(a: Any = None) -> None:
        ran.append(a)

    result = make_pipeline(work).call("work", INVALID[kind][0])
    assert isinstance(result.error, errors.ToolArgumentError)
    assert not ran
    assert len(result.content) <= 2_000
    result.content.encode()


@pytest.mark.parametrize("kind", NOTHING)
def test_no_arguments(kind):
    assert read_arguments(NOTHING[kind], LIMITS) == {}


def test_no_arguments_are_fine_where_nothing_is_required(make_pipeline, run):
    def optional(n: int = 3) -> int:
        return n

    def required(n: int) -> int:
        return n

    pipeline = make_pipeline(optional, required)
    for arguments in NOTHING.values():
        assert run(pipeline, "optional", arguments).content == "3"
        assert [problem.pointer for problem in run(pipeline, "required", arguments).error.problems] == ["/n"]


def test_the_place_of_a_repeated_key_is_that_of_the_key():
    with pytest.raises(errors.ToolArgumentError) as caught:
        read_arguments('{"a": 1, "a": 2, "b": "a"}', LIMITS)
    assert "line 1 column 10" in place_of(caught.value)


def test_the_pointer_of_a_repeated_key_is_right_though_another_was_overwritten():
    text = '{"z": {"a": {"x": 1, "x": 2}, "a": {"p": 0}}, "b": {"c": {"y": 1}, "d": {"w": 1}}}'
    with pytest.raises(errors.ToolArgumentError) as caught:
        read_arguments(text, LIMITS)
    assert caught.value.problems[0].pointer in ("/z/a", "/z/a/x")


def test_bytes_that_are_no_text():
    for given_as in (b'{"a": "\xff"}', bytearray(b"\xfe\xff"), '{"a": "é"}'.encode("latin-1"), "{}".encode("utf-16")):
        with pytest.raises(errors.ToolArgumentError, match=r"not UTF-8 text \(byte \d+\)|not valid JSON"):
            read_arguments(given_as, LIMITS)


def test_a_text_of_a_class_of_its_own():
    class Text(str):
        def count(self, *_: Any) -> int:
            raise RuntimeError("not asked")

        def __len__(self) -> int:
            raise RuntimeError("not asked")

    value = read_arguments(Text('{"a": 1}'), LIMITS)
    assert value == {"a": 1}
    with pytest.raises(errors.ToolArgumentError, match="too deep"):
        read_arguments(Text(nested(65)), LIMITS)


# --- mappings


class Fixed(Mapping[str, Any]):
    """A mapping that is no dict."""

    def __init__(self, **items: Any) -> None:
        self._items = items

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


@pytest.mark.parametrize(
    "mapping",
    [
        {"a": 1},
        {"a": [1, {"b": None}], "c": "é😀\u202e", "": True},
        {"a": 10**20, "b": -(10**30), "c": 10**4_000, "d": 1.5, "e": -0.0, "f": 1e300},
        OrderedDict(a=1, b={"c": 2}),
        MappingProxyType({"a": 1}),
        Fixed(a=1, b=[2]),
        {"a": "\u2028 \x00 \x7f"},
        {"null": None, "a": "null"},
    ],
    ids=["one", "nested", "numbers", "ordered", "proxy", "mapping", "controls", "null"],
)
def test_a_mapping_is_read_as_the_values_that_it_holds(mapping):
    value = read_arguments(mapping, LIMITS)
    assert repr(value) == repr(dict(mapping)) or json.dumps(value) == json.dumps(dict(mapping))
    assert value == dict(mapping)
    assert value is not mapping


def test_a_mapping_is_copied():
    inner = {"n": [1]}
    value = read_arguments({"a": inner}, LIMITS)
    inner["n"].append(2)
    assert value == {"a": {"n": [1]}}


def cyclic() -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    mapping["a"] = [mapping]
    return mapping


def deep(levels: int) -> dict[str, Any]:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value  # type: ignore[no-any-return]


class Unreadable(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no keys for you")

    def __len__(self) -> int:
        raise RuntimeError("no length for you")


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (12, "got number"),
        (1.5, "got number"),
        (True, "got boolean"),
        ([{"a": 1}], "got array"),
        ((1, 2), "got array"),
        ({1: 2}, "every argument name must be a string"),
        ({"a": 1, None: 2}, "every argument name must be a string"),
        ({"a": object()}, "a value that JSON cannot represent"),
        ({"a": 1 + 2j}, "a value that JSON cannot represent"),
        ({"a": {(1, 2): 3}}, "a value that JSON cannot represent"),
        ({"a": float("nan")}, "/a"),
        ({"a": [1, float("inf")]}, "/a/1"),
        ({"a": {"b/c": float("-inf")}}, "/a/b~1c"),
        ({"a": "\ud800"}, "lone surrogate"),
        ({"\udfff": 1}, "lone surrogate"),
        ({"a": 10**4_400}, "digits|a value that JSON cannot represent"),
        (cyclic(), "too deep"),
        (deep(65), "too deep"),
        (deep(100_000), "too deep"),
        ({"a": "x" * 1_100_000}, "bytes"),
        (Unreadable(), "a value that JSON cannot represent"),
        (object(), "must be one JSON object"),
        ({1, 2}, "must be one JSON object"),
    ],
)
def test_mappings_and_other_values_that_are_refused(arguments, wanted):
    with pytest.raises(errors.ToolArgumentError) as caught:
        read_arguments(arguments, LIMITS)
    told = place_of(caught.value)
    assert re.search(wanted, told), told


def test_the_limits_are_the_pipelines_own(make_pipeline, run):
    def work(a: Any = None) -> str:
        return "ran"

    pipeline = make_pipeline(work, limits=Limits(depth=3, argument_bytes=50))
    assert run(pipeline, "work", '{"a": [[1]]}').content == "ran"
    assert "too deeply at line 1 column 9: at most 3 levels" in run(pipeline, "work", '{"a": [[[1]]]}').content
    assert "51 bytes long, but at most 50 are allowed" in run(pipeline, "work", '{"a": "' + "x" * 42 + '"}').content
    assert run(pipeline, "work", {"a": deep(3)}).is_error
    assert run(pipeline, "work", {"a": "é" * 25}).is_error


@pytest.mark.parametrize("stack", ["main", "thread"])
def test_no_depth_ends_the_process(stack):
    program = f"""
import json, sys, threading
from mulligan import Pipeline, errors
def work(a: object = None) -> str:
    return "ran"
def nested_value(levels):
    value = 1
    for n in range(levels):
        value = [value] if n % 2 else {{"a": value}}
    return {{"a": value}}
def go():
    with Pipeline([work], autoload=False) as pipeline:
        for levels in (100, 1_000, 10_000, 100_000):
            for given in ('{{"a":' * levels, "[" * levels, '{{"a":[' * levels, nested_value(levels)):
                result = pipeline.call("work", given)
                assert isinstance(result.error, errors.ToolArgumentError), result
                assert "too deep" in result.content or "bytes" in result.content, result.content[:200]
        assert pipeline.call("work", {{"a": 1}}).content == "ran"
    print("lives")
if {stack!r} == "main":
    go()
else:
    threading.stack_size(256 * 1024)
    thread = threading.Thread(target=go)
    thread.start()
    thread.join()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout.strip()) == (0, "lives"), ended.stderr


# --- properties

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=6), JSON, max_size=5)


@given(OBJECTS, st.booleans(), st.sampled_from([None, 1]))
def test_whatever_is_valid_is_read_as_the_standard_library_reads_it(value, ascii_only, indent):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    read = read_arguments(text, LIMITS)
    assert repr(read) == repr(json.loads(text))
    assert repr(read_arguments(value, LIMITS)) == repr(json.loads(text))


@settings(max_examples=2_000)
@given(st.text(alphabet=st.sampled_from('{}[]",:01.-+eE\\utrflasn \n/"a\ud800é'), max_size=40))
def test_any_text_is_read_exactly_or_refused(text):
    check_as_the_standard_library(text)


@settings(max_examples=500)
@given(OBJECTS, st.data())
def test_a_valid_text_with_a_slip_is_read_exactly_or_refused(value, data):
    text = json.dumps(value)
    at = data.draw(st.integers(0, len(text)))
    slip = data.draw(
        st.sampled_from(["", "x", '"', "{", "}", ",", ":", "\\", "\n", "\x00", "NaN", "-", "0", "e9", "'"])
    )
    check_as_the_standard_library(text[:at] + slip + text[at + data.draw(st.integers(0, 2)) :])


def check_as_the_standard_library(text: str) -> None:
    try:
        wanted = json.loads(text, object_pairs_hook=once_each, parse_constant=refuse)
        text.encode()
        finite(wanted)
    except (ValueError, RecursionError):
        wanted = None if text.strip() else {}
    if isinstance(wanted, dict):
        assert repr(read_arguments(text, LIMITS)) == repr(wanted)
    elif wanted is None and text.strip() == "null":
        assert read_arguments(text, LIMITS) == {}
    else:
        with pytest.raises(errors.ToolArgumentError):
            read_arguments(text, LIMITS)


def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def refuse(name: str) -> None:
    raise ValueError(name)


def finite(value: Any) -> None:
    for key, item in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        str(key).encode()
        finite(item)
    if isinstance(value, str):
        value.encode()
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("not finite")


def test_an_error_of_the_parser_is_not_kept():
    for text in ('{"a": 1', "{'a': 1}"):
        with pytest.raises(errors.ToolArgumentError) as caught:
            read_arguments(text, LIMITS)
        assert caught.value.__context__ is None


@given(OBJECTS.filter(bool))
def test_every_proper_beginning_of_a_text_is_refused(value):
    text = json.dumps(value)
    for end in {1, len(text) // 3, len(text) // 2, len(text) - 1}:
        with pytest.raises(errors.ToolArgumentError):
            read_arguments(text[:end], LIMITS)


@pytest.mark.parametrize("text", ['{"a": 1}', "{}", "", '{"a": "\ufeff"}'])
def test_a_byte_order_mark_is_no_part_of_the_json(text):
    assert read_arguments(f"\ufeff{text}", Limits()) == read_arguments(text, Limits())
    assert read_arguments(f"\ufeff{text}".encode(), Limits()) == read_arguments(text, Limits())


@given(st.text('{}[],:1 "', max_size=12))
def test_a_trailing_comma_is_told_of_only_where_there_is_one(text):
    try:
        read_arguments(text, Limits())
    except errors.ToolArgumentError as error:
        told = error.problems[0].message
        assert "remove the comma" not in told or re.search(r",\s*[}\]]", text), (text, told)


@pytest.mark.parametrize("text", ['{"a":1}}', '{"a":1}}}', "{}]", "[]]", "}", '{"a":{"b":[1]}}]}'])
def test_a_bracket_too_many_is_told_as_that(text):
    with pytest.raises(errors.ToolArgumentError, match="has no opening bracket"):
        read_arguments(text, Limits())
