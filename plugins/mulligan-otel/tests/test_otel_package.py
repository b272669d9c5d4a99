"""What holds for the package as a whole: its README, and the pages about traces and metrics."""

from __future__ import annotations

import pathlib

import pytest
from mulligan_testkit.readme import assert_example_runs
from pages import blocks, outputs, traced

from mulligan import Pipeline


def test_it_registers_itself() -> None:
    with Pipeline() as pipeline:
        info = next(info for info in pipeline.plugins if info.name == "otel")

    assert (info.state, info.distribution) == ("active", "mulligan-otel")
    assert set(info.hooks) == {"observe", "middlewares"}


def test_the_example_of_the_readme_runs() -> None:
    assert_example_runs(pathlib.Path(__file__).parents[1])


@pytest.fixture(scope="module")
def shown() -> dict[tuple[str, str], str]:
    return outputs()


@pytest.mark.parametrize(("page", "name"), [("traces.md", "trace"), ("metrics.md", "metrics"), ("metrics.md", "stats")])
def test_the_pages_show_what_happens(shown: dict[tuple[str, str], str], page: str, name: str) -> None:
    assert shown[page, name].strip()
    assert blocks(page)[name] == shown[page, name]


def test_the_program_of_the_page_about_traces_sends_its_spans() -> None:
    printed, names = traced()

    assert printed.startswith("3 articles about tides\n")
    assert names == ["execute_tool search", "execute_tool serch", "invoke_agent assistant"]
