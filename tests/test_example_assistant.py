"""`examples/assistant`: each failure of an assistant, with real tools, as a user would run it."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest
from clean_environment import clean_environment

ROOT = pathlib.Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "assistant"
SECONDS = 120
SCENES = [
    ("Timeout", "ToolTimeoutError", "No response within", "Elements: heading, total-price"),
    ("Missing element", "ResourceNotFoundError", 'Did you mean "total-price"?', "| Fifty tulip bulbs: EUR 24.50"),
    ("A service that is down", "fails with ToolUnavailableError", "the call is made again", "| Found: Tulip mania."),
    ("Rate limit", "ToolRateLimitError", "after 2 s", "waits      2 s, as it was told", "| Found: Tulip mania."),
    ("Bad query: the search", "ToolArgumentError", "is never closed", "| Found: Tulip mania."),
    ("Bad query: no article", "ResourceNotFoundError", "There is no article", "| A period in the 1630s"),
    ("Infinite loop", "ToolTimeoutError", "No response within", "| 111"),
    ("Exhausted memory", "ToolQuotaError", "The tool ran out of memory.", "| 499999500000"),
    ("Disk full", "ToolQuotaError", "No space left", "old.log is deleted", "| report.txt is written, 1700 bytes."),
    ("Bad credentials", "ToolAuthenticationError", "without a tool call", "stops", "Provide valid credentials"),
]


@pytest.fixture(scope="module")
def played() -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLE / "run.py")],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def blocks(text: str) -> list[str]:
    return [block for block in re.split(r"\n(?=(?: \d|\d\d)  \S)", text) if block.strip()]


def test_it_ends_by_itself_and_as_scripted(played):
    assert played.returncode == 0
    line, cause = played.stderr.splitlines()  # the default log tells the fatal failure
    assert re.match(r"notify failed after [\d.]+ s: ToolAuthenticationError: ", line)
    assert cause == "  tools.ServiceError: The token has expired."
    assert "NOT SO" not in played.stdout
    assert len(blocks(played.stdout)) == len(SCENES)


@pytest.mark.parametrize(("title", "told"), [(title, told) for title, *told in SCENES], ids=[one[0] for one in SCENES])
def test_each_failure_is_told_and_followed_by_the_next_step(played, title, told):
    (block,) = [block for block in blocks(played.stdout) if title in block.strip().splitlines()[0]]
    at = 0
    for part in told:
        assert part in block[at:], f"{part!r} is not there, or not in its place:\n{block}"
        at = block.index(part, at) + len(part)


def test_no_token_is_printed(played):
    assert "push-7d31f0c85e" not in played.stdout


def test_the_readme_shows_what_is_printed(played):
    shown = re.findall(r"```text\n(.*?)```", (EXAMPLE / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert shown
    printed = [block.strip("\n") for block in blocks(played.stdout)]
    for block in shown:
        assert block.strip("\n") in printed
