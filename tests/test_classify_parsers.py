"""A text that came with the call and that a parser cannot read is an argument; any other text is the tool's own business."""

from __future__ import annotations

import configparser
import json
import re
from typing import Any
from xml.dom import minidom

import jmespath
import pytest
import yaml
from lark import Lark

from mulligan import Pipeline, errors

GRAMMAR = Lark('start: WORD+\n%import common.WORD\n%ignore " "')
DOCUMENT = "steps:\n  - run: build\n  - run: [test\nname: x\n"


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


def raised_by(function: Any) -> Exception:
    try:
        function()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("read", "arguments", "pointer"),
    [
        (lambda: yaml.safe_load(DOCUMENT), {"path": "ci.yml", "content": DOCUMENT}, "/content"),
        (lambda: yaml.safe_load("key: @home"), {"settings": "key: @home"}, "/settings"),
        (lambda: jmespath.search("rows[?", {}), {"file": "a.json", "query": "rows[?"}, "/query"),
        (lambda: jmespath.search("rows[].{a: }", {}), {"query": "rows[].{a: }"}, "/query"),
        (lambda: GRAMMAR.parse("open 7 doors"), {"command": "open 7 doors", "room": "hall"}, "/command"),
        (lambda: re.compile("*.py"), {"pattern": "*.py", "folder": "src"}, "/pattern"),
        (lambda: compile("x ==", "f", "eval"), {"condition": "x =="}, "/condition"),
    ],
)
def test_a_text_of_the_call(bare, read, arguments, pointer):
    error = bare.classify(raised_by(read), tool="t", arguments=arguments)
    assert (type(error), error.fatal) == (errors.ToolArgumentError, False)
    assert [problem.pointer for problem in error.problems] == [pointer]


@pytest.mark.parametrize(
    "read",
    [
        lambda: yaml.safe_load("a: [1, {"),
        lambda: GRAMMAR.parse("12"),
        lambda: json.loads("{"),
        lambda: minidom.parseString("<a><b></a>"),
        lambda: configparser.ConfigParser().read_string("no section"),
    ],
)
def test_a_text_of_a_service_or_a_file(bare, read):
    error = bare.classify(raised_by(read), tool="report", arguments={"month": "May", "title": "a: 1"})
    assert not getattr(error, "problems", ())
    assert error.fatal is False


def test_a_token_of_a_text_is_no_credential(bare):
    error = bare.classify(raised_by(lambda: jmespath.search("a b", {})), tool="t", arguments={"file": "a.json"})
    assert (type(error), error.fatal) == (errors.ToolArgumentError, False)


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("Invalid token at line 3, column 9: '<'", errors.ToolArgumentError),
        ("invalid token (offset 12)", errors.ToolArgumentError),
        ("Invalid token", errors.ToolAuthenticationError),
        ("invalid access token: expired on line of business", errors.ToolAuthenticationError),
        ("invalid access token in header line 2", errors.ToolAuthenticationError),
        ("login.cfg, line 40: invalid credentials", errors.ToolAuthenticationError),
        ("Authentication failed (position 3 of the chain)", errors.ToolAuthenticationError),
        ("Bad token: column 8 of the expression", errors.ToolArgumentError),
    ],
)
def test_a_place_in_a_text_tells_what_token_is_meant(bare, text, cls):
    assert type(bare.classify(RuntimeError(text), tool="t", arguments={"path": "a"})) is cls
