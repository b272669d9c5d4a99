"""What is imported when: a program pays for a part of mulligan when it first needs it."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from mulligan.lazy import lazy_pattern

DECLARE = """
from mulligan import Toolset, tool

@tool(read_only=True)
def search(query: str) -> str:
    "Search."
    return f"3 results for {query}"

tools = Toolset([search])
"""
CALL = """
from mulligan import Pipeline
pipeline = Pipeline(tools, autoload=False)
assert pipeline.call("search", '{"query": "tides"}').content == "3 results for tides"
"""
FAIL = """
assert pipeline.call("search", '{"query": 7}').is_error
"""
NEEDED_LATER = {
    DECLARE: (
        "mulligan.pipeline",
        "mulligan.hooks",
        "mulligan.classify",
        "mulligan.secrets.redaction",
        "asyncio",
        "json",
    ),
    DECLARE + CALL: (
        *("mulligan.classify.detect.values", "mulligan.render.composer", "mulligan.repair.correction"),
        *("mulligan.execute.approval", "html.parser", "asyncio"),
    ),
    DECLARE + CALL + FAIL: ("mulligan.classify.detect.values", "html.parser", "asyncio"),
}


@pytest.mark.parametrize("program", NEEDED_LATER, ids=["declare", "call", "fail"])
def test_what_a_program_does_not_need_is_not_imported(program: str) -> None:
    """In a process of its own, since this one has imported everything."""
    show = "import sys; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", f"{program}\n{show}"], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert not {*ended.stdout.split()} & {*NEEDED_LATER[program]}


def test_a_lazy_pattern_acts_like_a_compiled_one() -> None:
    pattern = lazy_pattern(r"(\w+)=(\d+)", re.IGNORECASE)
    assert pattern.findall("A=1 b=22") == [("A", "1"), ("b", "22")]
    assert pattern.flags & re.IGNORECASE
    assert pattern.sub("x", "a=1,b") == "x,b"


def test_a_wrong_lazy_pattern_is_noticed_where_it_is_used() -> None:
    pattern = lazy_pattern("(")
    with pytest.raises(re.error, match="unterminated subpattern"):
        pattern.search("a")
