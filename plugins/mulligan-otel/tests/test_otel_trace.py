"""One trace of a conversation, received over OTLP: parallel calls, a retry, a repair, a killable tool, nested requests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def shown() -> str:
    command = [sys.executable, str(HERE / "conversation.py")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    return ended.stdout.rstrip("\n")


def test_it_is_one_tree_with_the_right_parents(shown):
    assert shown.splitlines() == [
        "invoke_agent assistant",
        "  execute_tool search  [2 attempts, 1 repair]",
        "    attempt 1  [ToolUnavailableError]",
        "    GET",
        "      GET /search",
        "    attempt 2",
        "      GET",
        "        GET /search",
        "  execute_tool resize",
        "    decode image  [another process]",
        "  execute_tool notify",
        "    publish",
        "  execute_tool count",
        "    count characters",
        "  execute_tool serch  [ToolNotFoundError]",
    ]
