"""What holds for the package as a whole, and what its README promises."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from format_cases import FORMATS, GOLDEN, read_file
from mulligan_testkit.readme import assert_example_runs

from mulligan import Pipeline
from mulligan.plugin import UsageError

README = (pathlib.Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_it_registers_itself() -> None:
    with Pipeline() as pipeline:
        info = next(info for info in pipeline.plugins if info.name == "mulligan-formats")

    assert (info.state, info.distribution, info.hooks) == ("active", "mulligan-formats", ("feedback_formats",))


@pytest.mark.parametrize("format", FORMATS)
def test_it_is_chosen_by_name(format: str) -> None:
    with Pipeline([read_file], format=format) as pipeline:
        assert pipeline.call("read_file", {}).content.startswith(("<error ", "**Error ", "Error "))


def test_it_can_be_left_out() -> None:
    with pytest.raises(UsageError, match="unknown feedback format 'xml'"):
        Pipeline(format="xml", block=["mulligan-formats"])


def test_it_imports_no_xml_library() -> None:
    """`import mulligan` has a budget, and a plugin that is installed is part of it."""
    code = "import mulligan_formats, sys; print([name for name in sys.modules if name.split('.')[0] == 'xml'])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"


def test_the_example_of_the_readme_runs() -> None:
    assert_example_runs(pathlib.Path(__file__).parents[1])


def test_the_readme_shows_what_a_model_reads() -> None:
    shown = re.findall(r"`````(?:xml|markdown|text)\n(.*?)`````\n", README, re.DOTALL)
    files = [f"{format}/ToolExecutionError.txt" for format in FORMATS] + ["terse/ToolArgumentError-corrected.txt"]

    assert shown == [(GOLDEN / name).read_text(encoding="utf-8") for name in files]


def test_the_plugin_of_the_readme_works() -> None:
    module: dict[str, Any] = {}
    exec(PYTHON[1], module)
    plugin = SimpleNamespace(feedback_formats=module["feedback_formats"])
    with Pipeline([read_file], plugins=[plugin], autoload=False, format="dashed", strict=False) as pipeline:
        lines = pipeline.call("read_file", {}).content.splitlines()

    assert lines[0].startswith("Error executing tool read_file: ")
    assert lines[-1].startswith("- Next: call read_file again")
    assert len([line for line in PYTHON[1].splitlines() if line.strip()]) <= 10
