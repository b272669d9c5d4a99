"""Checks and lookups inside a tool: an argument is blamed where the exception names it, shows its value, or was raised with it."""

from __future__ import annotations

import ast
import datetime
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Pipeline, Tool, errors
from mulligan.plugin import Failure


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


def raised(function: Any) -> Exception:
    try:
        function()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def deal(cards: int) -> None:
    assert cards > 0, "cards must be positive"


REJECTED = [
    (lambda: int("ninety"), {"count": "ninety"}, "/count"),
    (lambda: int("ninety"), {"orders": [{"count": "1"}, {"count": "ninety"}]}, "/orders/1/count"),
    (lambda: datetime.date.fromisoformat("2031-02-30x"), {"day": "2031-02-30x", "zone": "UTC"}, "/day"),
    (lambda: datetime.date(2031, 15, 1), {"month": 15, "year": 2031}, "/month"),
    (lambda: deal(-2), {"cards": -2}, "/cards"),
    (lambda: re.compile("(open"), {"pattern": "(open", "text": "a"}, "/pattern"),
    (lambda: ast.parse("1 +"), {"expression": "1 +"}, "/expression"),
    (lambda: "x".encode("klingon"), {"encoding": "klingon"}, "/encoding"),
    (lambda: [1, 2].index(99), {"needle": 99}, "/needle"),
    (lambda: [1][5], {"row_number": 5, "sheet": "a"}, "/row_number"),
    (lambda: open("a\0b"), {"file": "a\0b"}, "/file"),
    (ValueError("unsupported currency: XAU"), {"currency": "XAU", "amount": 3}, "/currency"),
    (ValueError("Unknown time zone Mars/Olympus"), {"timezone": "Mars/Olympus"}, "/timezone"),
    (ValueError("max_rows must be between 1 and 50, got 900"), {"maxRows": 900, "rows": 3}, "/maxRows"),
    (ValueError("weight too high"), {"weight": 3, "height": 2}, "/weight"),
    (ValueError("start date must be before end date"), {"start_date": "b", "end_date": "a"}, "/start_date"),
    (TypeError("depth must be an integer, not str"), {"depth": "deep"}, "/depth"),
    (NotImplementedError("mode 'turbo' is not supported"), {"mode": "turbo"}, "/mode"),
]


@pytest.mark.parametrize(("raises", "arguments", "pointer"), REJECTED, ids=[str(n) for n in range(len(REJECTED))])
def test_the_argument_that_a_check_rejects(bare, raises, arguments, pointer):
    error = bare.classify(raises if isinstance(raises, Exception) else raised(raises), arguments=arguments)
    assert (type(error), error.fatal) == (errors.ToolArgumentError, False)
    assert [problem.pointer for problem in error.problems] == [pointer]


@pytest.mark.parametrize(
    ("raises", "arguments"),
    [
        (lambda: [].pop(), {"items": []}),
        (lambda: [1][5], {"row": 5, "column": 2}),
        (lambda: [1][5], {"count": 5}),
        (lambda: [1][5], {"page": True}),
        (lambda: {}["rows"], {"query": "all rows of the table"}),
        (lambda: {}["data"], {"data": "data"}),
        (lambda: {}[1], {"limit": 1}),
        (lambda: {}[True], {"flag": True}),
        (lambda: {}["a"], {"letter": "a"}),
        (lambda: "a" + 1, {"kind": "int", "type": "str"}),
        (lambda: (lambda a, b: None)(*[1]), {"b": 2}),
        (ValueError("I can't do that"), {"i": 3}),
        (ValueError("the order smells odd"), {"order": 3}),
        (ValueError("got 10 rows"), {"limit": 10}),
        (ValueError("truth value of a series is ambiguous"), {"value": 3}),
        (ValueError("x not in list"), {"x": "pear"}),
        (AssertionError("an unforeseen depth in the middle"), {"depth": 3}),
    ],
)
def test_a_bug_that_only_looks_like_a_rejected_argument(bare, raises, arguments):
    error = bare.classify(raises if isinstance(raises, Exception) else raised(raises), arguments=arguments)
    assert (type(error), error.problems) == (errors.ToolExecutionError, ())


def test_a_lookup_says_what_was_not_found(make_pipeline, run):
    def price(ticker: str) -> float:
        return {"ACME": 1.0}[ticker.upper()]

    told = run(make_pipeline(price), "price", {"ticker": "zorg"})
    assert (type(told.error), told.error.resource) == (errors.ResourceNotFoundError, "zorg")
    assert told.content.splitlines()[0] == "Error executing tool price: Resource not found: zorg"


def test_a_lookup_of_something_else_is_the_tools_own_bug(make_pipeline, run):
    def price(ticker: str) -> float:
        return {"ACME": {}}["ACME"]["price"]

    told = run(make_pipeline(price), "price", {"ticker": "ACME"})
    assert (type(told.error), told.error.resource) == (errors.ToolExecutionError, None)


@pytest.mark.parametrize(
    ("text", "pointers"),
    [
        (
            "Missing required arguments; Expected either ('size' and 'colour') or ('model') arguments",
            ["/size", "/colour"],
        ),
        ("Missing required argument: 'colour'", ["/colour"]),
        ("Missing required parameters: colour, size", ["/colour", "/size"]),
        ("missing required arguments", []),
    ],
)
def test_the_arguments_that_a_client_misses(bare, text, pointers):
    error = bare.classify(TypeError(text), arguments={"prompt": "x"})
    assert (type(error), [problem.pointer for problem in error.problems]) == (errors.ToolArgumentError, pointers)
    assert {problem.message for problem in error.problems} <= {"missing"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


@given(st.text(max_size=300), st.dictionaries(st.text(max_size=8), JSON, max_size=5))
def test_what_is_blamed_is_there(text, arguments):
    failure = Failure(ValueError(text), arguments=arguments)
    pointers = [leaf.pointer for leaf in failure.leaves]
    blamed = failure.blamed()
    assert blamed is None or any(pointer == blamed or pointer.startswith(f"{blamed}/") for pointer in pointers)


@pytest.mark.parametrize("text", ["must " * 400, "unknown " * 300, "'" * 2_000, "a" * 5_000, "[" * 3_000])
def test_a_text_that_is_made_to_take_long_blames_nothing(text):
    arguments = {f"argument_{number}": {"inner": ["x" * 300] * 20} for number in range(50)}
    failure = Failure(ValueError(text), arguments=arguments)
    assert failure.blamed() is None and len(failure.leaves) == 60


@pytest.mark.parametrize("kind", [TypeError, ValueError, NotImplementedError])
@pytest.mark.parametrize(
    "text",
    [
        "shape.kind = val: enum \"round\" not found in ('CIRCLE', 'OVAL')",
        "'round' is not one of ['CIRCLE', 'OVAL']",
        "'round' not in ['CIRCLE', 'OVAL']",
    ],
)
def test_a_value_beside_the_allowed_ones_was_rejected(kind, text):
    def draw(**_: Any) -> None:
        raise kind(text)

    with Pipeline([Tool.from_schema("draw", "", {"type": "object"}, draw)], autoload=False) as pipeline:
        result = pipeline.call("draw", {"form": "round", "size": 3})
    assert [problem.pointer for problem in result.error.problems] == ["/form"]
    assert 'Next: choose the right value for "form" from those quoted above' in result.content


def test_a_state_of_what_was_sent_rejects_no_argument(bare):
    error = bare.classify(ValueError("the order is already paid"), arguments={"order": 3})
    assert (type(error), error.problems, error.fatal) == (errors.ResourceConflictError, (), False)
