"""Every published code has a meaning, or a reason why it has none."""

import pathlib

import pytest
from mulligan_payments import adyen, braintree, declines, paypal, square, stripe

from mulligan.plugin import Codes
from mulligan.plugin import meanings as m

FOLDER = pathlib.Path(__file__).parent / "published"
TABLES = (
    stripe.codes,
    stripe.decline_codes,
    paypal.codes,
    square.codes,
    square.categories,
    adyen.codes,
    braintree.processor_codes,
)
DECLINES = (
    declines.DECLINED,
    declines.FUNDS,
    declines.EXPIRED,
    declines.WRONG_DATA,
    declines.PIN,
    declines.UNAUTHENTICATED,
    declines.UNSUPPORTED,
    declines.TRY_LATER,
    declines.DUPLICATE,
)


def published(name: str) -> list[str]:
    lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    return [line.split("\t")[0] for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize(("name", "codes", "at_least"), [("stripe", stripe.codes, 235), ("square", square.codes, 160)])
def test_every_published_code(name: str, codes: Codes, at_least: int) -> None:
    known = published(name)

    assert len(known) >= at_least
    assert [code for code in known if code not in codes.listed and code not in codes.skipped] == []
    assert {*codes.listed, *codes.skipped} <= set(known)
    assert len(codes.skipped) <= len(known) / 10


@pytest.mark.parametrize("name", ["stripe", "square"])
def test_a_list_says_where_it_comes_from(name: str) -> None:
    assert [line.split(":")[0] for line in (FOLDER / f"{name}.txt").read_text().splitlines()[:3]] == [
        "# source",
        "# version",
        "# date",
    ]


def test_every_decline_code_is_a_decline() -> None:
    assert {*stripe.decline_codes.listed.values()} <= {*DECLINES}
    assert {*stripe._PRIVATE} <= {*stripe.decline_codes.listed}
    assert all(stripe.decline_codes.meaning_of(code) is declines.DECLINED for code in stripe._PRIVATE)


@pytest.mark.parametrize("codes", TABLES)
def test_no_code_of_a_payment_is_transient(codes: Codes) -> None:
    """A transient error would propose the same call again."""
    temporary = (m.RATE_LIMIT.cls, m.UNAVAILABLE.cls, m.TIMEOUT.cls)
    of_payment = [meaning for meaning in codes.listed.values() if meaning.cls not in temporary]

    assert of_payment
    assert not any(meaning.transient for meaning in of_payment)
    assert not any(meaning.cls.fatal and meaning.fatal is not False for meaning in DECLINES)
