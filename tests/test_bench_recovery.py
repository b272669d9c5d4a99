"""The recovery benchmark, without the model: its scenarios are sound, and its arms answer a second call."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "bench" / "recovery"
SECOND = """
from arms import ARMS
from calls import SentCall
from scenarios import failed_call, load

one = next(one for one in load(3) if one["id"] == "3-names-1")
again = SentCall("run_workflow", failed_call(one).arguments.replace("development", "develop"))
for name in ("mulligan", "raw", "no-quoted"):
    print(name, *ARMS[name](one, [failed_call(one), again])[1].splitlines(), sep="|")
"""


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], cwd=FOLDER, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_every_scenario_fails_as_it_says_and_no_corrected_call_is_wrong(number):
    done = run("run.py", "check", "--set", number)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "mulligan misjudges 0\n" in done.stdout
    assert "'wrong'" not in done.stdout


def test_a_second_call_fails_for_what_it_sent_itself():
    mulligan, raw, unquoted = run("-c", SECOND).stdout.splitlines()
    assert "|Error executing tool run_workflow: Resource not found: develop|" in f"{mulligan}|"
    assert "No ref found for: develop " in mulligan
    assert "No ref found for: develop " in raw
    assert "No ref found" not in unquoted
    assert "|Next: " in unquoted


def test_after_how_many_refusals_the_tool_was_left_alone_is_counted(tmp_path):
    again = {"name": "awx_launch_job", "arguments": {"template": "Rotate certificates", "limit": "prod"}}
    answers = {"13-permission-1": json.dumps(again), "13-permission-2": "You may not write this key."}
    row = {"arm": "mulligan", "turn": 1, "free": False, "after": None, "feedback": ""}
    rows = [{**row, "id": one, "prompt": one, "answer": said} for one, said in answers.items()]
    (tmp_path / "said-13.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    done = run("run.py", "refusals", "--sets", "13", "--out", str(tmp_path / "said-{}.jsonl"))

    assert done.stdout == "mulligan: left alone after 1 of 2 refusals\n", done.stderr
