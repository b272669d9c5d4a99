"""The texts that a model reads, pinned: a change of wording shows in `golden/`, which `python tools/golden_texts.py` writes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
from golden_texts import CASES, FORMATS, GOLDEN, pinned

from mulligan.catalogue import ENGLISH

_HEADLINES = ("headline", "headline_without_tool", "headline_not_approved")  # the other formats begin in their own way
_AFTER_SUCCESS = ("open_effect", "repeat_call", "repeat")  # in the text of a result: tests/test_open_effect.py
_FOR_USERS = {
    "service",
    "service_at",
    "a_tool",
    *(key for key in ENGLISH if key.startswith("user:")),
}  # no model reads them


@cache
def told(format: str) -> list[str]:
    """What all golden files tell in one format."""
    parts = [(GOLDEN / f"{name}.txt").read_text(encoding="utf-8") for name in CASES]
    texts = [re.split(r"^=== (?:text|json|block)\n", part, flags=re.MULTILINE)[1:] for part in parts]
    found = [dict(zip(FORMATS, sections, strict=True))[format].rstrip("\n") for sections in texts]
    if format != "json":
        return found
    return ["\n".join([json.loads(text)["message"], json.loads(text)["feedback"]]) for text in found]


@pytest.mark.parametrize("name", CASES)
def test_the_text_is_the_pinned_one(name):
    assert pinned(CASES[name]) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8"), (
        "the wording has changed; if that is meant, run: python tools/golden_texts.py"
    )


def test_no_golden_file_is_left_over():
    assert {path.stem for path in GOLDEN.iterdir()} == set(CASES)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("key", ENGLISH)
def test_every_template_is_pinned_in_every_format(key, format):
    if (key in _HEADLINES and format != "text") or key in _FOR_USERS or key in _AFTER_SUCCESS:
        return
    fixed = (re.escape(text) + ("" if field is None else ".+") for text, field, _, _ in Formatter().parse(ENGLISH[key]))
    pattern = re.compile("".join(fixed))
    assert any(pattern.search(text) for text in told(format)), f"no golden file shows the template {key!r}"


def test_equal_input_gives_equal_bytes_in_every_process():
    program = "import golden_texts as g; print(''.join(g.pinned(case) for case in g.CASES.values()))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=Path(__file__).parent,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path)), "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(outputs) == 1
    assert outputs.pop().decode().rstrip("\n") == "".join(map(pinned, CASES.values())).rstrip("\n")
