"""What the model reads for each class of error, to the letter. `python format_cases.py` writes the files anew."""

from __future__ import annotations

import subprocess
import sys

import pytest
from format_cases import FORMATS, GOLDEN, calls
from format_oracles import check

from mulligan import ToolResult, errors

CASES: list[tuple[str, str, ToolResult]] = [(format, *case) for format in FORMATS for case in calls(format)]

LONGER = {  # these hold what is never left out for brevity
    "ToolArgumentError": 220,
    "ToolExecutionError-author": 220,
    "ResourceNotFoundError-several": 220,
    "ResourceNotFoundError-question": 310,
}


@pytest.mark.parametrize(("format", "name", "result"), CASES, ids=lambda part: part if isinstance(part, str) else "")
def test_every_class_of_error(format: str, name: str, result: ToolResult) -> None:
    assert type(result.error).__name__ == name.split("-")[0]
    assert f"{result.content}\n" == (GOLDEN / format / f"{name}.txt").read_text(encoding="utf-8")
    check(format, result.content)


@pytest.mark.parametrize("format", FORMATS)
def test_there_is_a_file_for_every_class_and_no_other_file(format: str) -> None:
    files = {path.stem for path in (GOLDEN / format).iterdir()}
    classes = {
        name for name, value in vars(errors).items() if isinstance(value, type) and value.__base__ is errors.ToolError
    }

    assert files == {name for _, name, _ in CASES}
    assert classes == {name.split("-")[0] for name in files}


def test_equal_input_gives_equal_bytes_in_every_process() -> None:
    code = "from format_cases import *; print([r.content for f in FORMATS for _, r in calls(f)])"
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=GOLDEN.parent,
            env={"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }

    assert len(told) == 1


def test_terse_stays_short_and_keeps_what_matters() -> None:
    for _, name, result in (case for case in CASES if case[0] == "terse"):
        assert len(result.content) <= (LONGER.get(name) or LONGER.get(name.split("-")[0]) or 200), name
        if result.feedback is not None and result.feedback.retry_after is not None:
            assert f"{result.feedback.retry_after:g} s" in result.content
        if result.feedback is not None and result.feedback.corrected:
            assert "\nCall: {" in result.content
