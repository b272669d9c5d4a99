"""Numbers with a fraction or an exponent: whole numbers and decimals keep every digit, or are refused."""

from __future__ import annotations

import time
from datetime import timedelta
from decimal import Decimal

import attrs
import pytest

from mulligan import Limits, Pipeline, Tool
from mulligan.errors import ToolArgumentError
from mulligan.plugin import hookimpl, read_arguments
from mulligan.validate.numbers import read_exact, read_whole

WHOLE = {
    "9007199254740993.0": 9007199254740993,
    "-9007199254740993.0": -9007199254740993,
    "9.007199254740993e15": 9007199254740993,
    "123456789012345678901234567890.000": 123456789012345678901234567890,
    "5.0000000000000000000": 5,
    "1e22": 10**22,
    "1e23": 10**23,
    "7.0E2": 700,
}


@pytest.mark.parametrize(("sent", "number"), WHOLE.items(), ids=WHOLE)
def test_a_whole_number_written_as_a_float_keeps_every_digit(sent, number):
    def count(n: int) -> str:
        return f"{n!r}"

    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    other = Tool.from_schema("other", "", schema, lambda n: "kept" if Decimal(repr(n)) == number else f"lost: {n!r}")
    with Pipeline([count, other], autoload=False) as pipeline:
        assert pipeline.call("count", f'{{"n": {sent}}}').value == repr(number)
        assert not pipeline.call("other", f'{{"n": {sent}}}').value != "kept"


@pytest.mark.parametrize("sent", ["1.0000000000000000001", "-0.99999999999999999999", "4503599627370497.01", "1e-400"])
def test_a_number_that_would_become_another_whole_number_is_refused(sent):
    ran = []
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    tool = Tool.from_schema("t", "", schema, lambda n: ran.append(n), destructive=True)
    with Pipeline([tool], autoload=False) as pipeline:
        result = pipeline.call("t", f'{{"n": {sent}}}')
        assert isinstance(result.error, ToolArgumentError) and not ran
        assert "too many digits" in result.content


@attrs.frozen
class Line:
    price: Decimal
    weight: float


def test_a_decimal_gets_exactly_the_digits_that_were_sent():
    def pay(
        amount: Decimal, lines: list[Line], rate: float = 0.0, note: object = None, most: timedelta | None = None
    ) -> str:
        assert type(rate) is float and all(type(line.weight) is float for line in lines)
        assert note is None or type(note["n"]) is float
        return f"{amount} {[str(line.price) for line in lines]} {most}"

    long = "123456789012345678.91"
    sent = (
        f'{{"amount": {long}, "lines": [{{"price": 0.12345678901234567890, "weight": {long}}}], "rate": {long}, '
        f'"note": {{"n": {long}}}, "most": 1.50000000000000000001}}'
    )
    expected = f"{long} ['0.12345678901234567890'] 0:00:01.500000"
    with Pipeline([pay], autoload=False) as pipeline:
        assert pipeline.call("pay", sent).content == expected
    with Pipeline([pay], plugins=[LooksAtArguments()], autoload=False) as pipeline:
        assert pipeline.call("pay", sent).content == expected


class LooksAtArguments:
    """A plugin for the sake of which the arguments are copied, and read more than once."""

    @hookimpl
    def validate(self, tool, call):
        return None

    @hookimpl
    def authorize(self, tool, arguments, call):
        return None


def test_a_long_number_for_a_float_is_the_nearest_float():
    schema = {"type": "object", "properties": {"n": {"type": "number"}}}
    tool = Tool.from_schema("t", "", schema, lambda n: [type(n).__name__, n])
    with Pipeline([tool], autoload=False) as pipeline:
        assert pipeline.call("t", '{"n": 48.858370099999998760}').value == ["float", 48.8583701]


def test_numbers_at_the_end_of_the_range_cost_nothing():
    begun = time.process_time()
    for sent in ("1e-999999999", "1e-99999999999999999999999", f"0.{'0' * 500_000}1", f"1.{'0' * 500_000}1"):
        for numbers in (read_whole, read_exact):
            with pytest.raises(ToolArgumentError):
                read_arguments(f'{{"n": {sent}}}', Limits(), numbers=numbers)
    assert time.process_time() - begun < 2


def test_no_call_is_corrected_with_a_number_that_lost_a_digit():
    schema = {"type": "object", "properties": {"n": {"type": "number"}, "d": {"type": "boolean"}}}
    tool = Tool.from_schema("t", "", schema, lambda **_: None, read_only=True)
    with Pipeline([tool], autoload=False) as pipeline:
        assert "corrected call" in pipeline.call("t", '{"n": 1.5, "d": "true"}').content
        assert "corrected call" not in pipeline.call("t", '{"n": 123456789012345678.91, "d": "true"}').content
