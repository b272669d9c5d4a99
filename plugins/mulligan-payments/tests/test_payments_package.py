"""What holds for the package as a whole."""

import pathlib
import subprocess
import sys

import mulligan_payments
import pytest
from mulligan_testkit.readme import assert_example_runs

from mulligan import Pipeline

CLIENTS = ("stripe", "paypalserversdk", "square", "Adyen", "braintree", "requests", "httpx")


def test_no_client_is_imported() -> None:
    code = f"import mulligan_payments, sys; print([name for name in {CLIENTS!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"


def test_it_registers_itself() -> None:
    with Pipeline() as pipeline:
        info = next(info for info in pipeline.plugins if info.name == "payments")

    assert (info.state, info.distribution) == ("active", "mulligan-payments")
    assert set(info.hooks) == {"classify", "detect"}


TRAPS = ["card_declined", "took 402 ms", "resource_missing in 4290 lines", "INSTRUMENT_DECLINED", "HTTP_RESPONSE 2001"]


@pytest.mark.parametrize("text", TRAPS)
def test_words_alone_never_decide(text: str) -> None:
    with Pipeline(plugins=[mulligan_payments], autoload=False, strict=True) as pipeline:
        error = pipeline.classify(RuntimeError(text), tool="some_tool")

    assert error is not None
    assert error.provider is None


def test_the_example_of_the_readme_runs() -> None:
    assert_example_runs(pathlib.Path(__file__).parents[1])
