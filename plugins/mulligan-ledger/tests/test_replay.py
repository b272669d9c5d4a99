"""The recorded failures, worded again by today's code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import rows
from mulligan_ledger import Ledger
from mulligan_ledger.database import open_for_reading
from mulligan_ledger.replay import changes, replay

from mulligan import Pipeline, Policy, catalogue, tool
from mulligan.cli.app import run
from mulligan.errors import ToolPermissionError
from mulligan.plugin import hookimpl

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "assistant"


def reword(path, **options):
    connection = open_for_reading(path)
    make = lambda tools, recorded: Pipeline(  # noqa: E731
        tools,
        plugins=[*options.get("plugins", ()), recorded],
        autoload=False,
        policy=options.get("policy", Policy(retry=False)),
    )
    try:
        return list(replay(connection, make, session=options.get("session")))
    finally:
        connection.close()


@tool(read_only=True, resources=lambda arguments: ["src/main.py", "src/test.py"], also_called=["cat"])
def read_file(path: str, lines: int = 10) -> str:
    """Read a file."""
    if not path.endswith("main.py"):
        raise FileNotFoundError(2, "No such file or directory", path)
    return "text"


@tool
def transfer(amount: int, to: str) -> str:
    """Transfer money."""
    raise TimeoutError("timed out")


def play(pipeline: Pipeline) -> None:
    """Every way in which a call fails before, in and after its tool."""
    session = pipeline.session("talk")
    for name, arguments in [
        ("read_file", '{"path": "src/mian.py"}'),
        ("read_file", '{"path": "src/mian.py"}'),
        ("read_file", '{"path": "src/mian.py"}'),
        ("readfile", '{"path": "src/main.py"}'),
        ("cat", '{"path": "src/main.py"}'),
        ("read_file", '{"path": "src/main.py", "lines": "ten"}'),
        ("read_file", '{"path": "src/main.py"'),
        ("read_file", "null and void"),
        ("read_file", '{"path": "src/main.py"}'),
        ("transfer", '{"amount": 5, "to": "Ann"}'),
        ("transfer", '{"amount": 5}'),
        ("search_the_web", '{"q": "tulips"}'),
    ]:
        session.call(name, arguments, call_id=f"{name}-1")
    with session.step():
        session.call("read_file", {"path": "one"})
        session.call("read_file", {"path": "two"})
    pipeline.call("read_file", {"path": "three"})


def test_every_failure_reads_the_same_with_the_same_code(path):
    ledger = Ledger(path)
    with Pipeline([read_file, transfer], plugins=[ledger], autoload=False) as pipeline:
        play(pipeline)
    ledger.close()

    found = reword(path)
    assert len(found) == 14
    assert [one for one in found if one.after is None] == []
    assert ["\n".join(one.diff()) for one in changes(found)] == []


def test_the_memory_of_a_conversation_is_replayed_too(path):
    ledger = Ledger(path)
    with Pipeline([read_file], plugins=[ledger], autoload=False) as pipeline:
        session = pipeline.session()
        for _ in range(3):
            session.call("read_file", {"path": "a"})
        session.note_request("again")
        session.call("read_file", {"path": "a"})
    ledger.close()

    found = reword(path)
    assert "second time" in found[1].before or found[0].before != found[1].before
    assert [one.is_changed for one in found] == [False] * 4


def test_a_changed_sentence_names_exactly_the_texts_that_have_it(path):
    ledger = Ledger(path)
    with Pipeline([read_file, transfer], plugins=[ledger], autoload=False) as pipeline:
        play(pipeline)
    ledger.close()
    key = next(key for key, text in catalogue.ENGLISH.items() if text.startswith("Did you mean"))
    template = catalogue.ENGLISH[key].replace("Did you mean", "Perhaps")
    found = reword(path, policy=Policy(retry=False, catalogue={**catalogue.ENGLISH, key: template}))

    marked = [one for one in found if one.is_changed]
    assert marked
    assert {one.call["id"] for one in marked} == {one.call["id"] for one in found if "Did you mean" in one.before}
    for one in changes(found):
        assert any(line.startswith("-Did you mean") for line in one.diff())
        assert any(line.startswith("+Perhaps") for line in one.diff())


def test_a_rule_of_today_classifies_what_was_recorded(path):
    ledger = Ledger(path)
    with Pipeline([transfer], plugins=[ledger], autoload=False) as pipeline:
        pipeline.call("transfer", {"amount": 1, "to": "x"})
    ledger.close()

    class Rule:
        @hookimpl
        def classify(self, failure):
            return ToolPermissionError("The bank is closed.") if failure.matches("TimeoutError") else None

    (one,) = reword(path, plugins=[Rule()])
    assert "The bank is closed." in one.after
    assert one.is_changed


def test_what_a_plugin_refused_is_refused_again(path):
    class Guard:
        @hookimpl
        def authorize(self, tool, arguments):
            return ToolPermissionError("Not on Sundays.")

    ledger = Ledger(path)
    with Pipeline([transfer], plugins=[Guard(), ledger], autoload=False) as pipeline:
        before = pipeline.call("transfer", {"amount": 1, "to": "x"}).content
    ledger.close()

    (one,) = reword(path)
    assert "Not on Sundays." in before
    assert not one.is_changed


@pytest.mark.parametrize("content", ["none"])
def test_what_was_not_recorded_is_said_not_guessed(path, content):
    ledger = Ledger(path, content=content)
    with Pipeline([transfer], plugins=[ledger], autoload=False) as pipeline:
        pipeline.call("transfer", {"amount": 1, "to": "x"})
    ledger.close()

    (one,) = reword(path)
    assert (one.after, one.reason) == (None, "its content was not recorded")


RECORD = """
import sys
sys.path.insert(0, {example!r})
import run
from mulligan_ledger import Ledger
ledger = Ledger({path!r})
run.Watch = lambda: ledger
run.main()
ledger.close()
"""


def test_the_assistant_is_worded_again_byte_for_byte_in_every_order_of_hashes(path, tmp_path):
    code = RECORD.format(example=str(EXAMPLE), path=str(path))
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
    told = []
    for seed in ("0", "0", "1", "4242"):
        command = [sys.executable, "-m", "mulligan.cli", "replay", str(path), "--session", "1"]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "MULLIGAN_DISABLE_PLUGIN_AUTOLOAD": "1"}
        done = subprocess.run(command, capture_output=True, check=False, env=environment, cwd=tmp_path)
        told.append((done.returncode, done.stdout))

    assert told[0][0] in (0, 1)
    assert len(set(told)) == 1
    failures = sum(
        call["is_error"] for call in rows(path, "calls")
    )  # 9, and more where the machine is too busy for a timeout
    assert failures >= 9
    assert f"{failures} failures: ".encode() in told[0][1]


def test_the_command_exits_with_1_where_a_text_changed(path, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ledger = Ledger(path)
    with Pipeline([read_file], plugins=[ledger], autoload=False) as pipeline:
        pipeline.session("talk").call("read_file", {"path": "a"})
    ledger.close()

    assert run(["replay", str(path)]) == 0
    assert "1 failures: 0 changed, in 0 distinct texts" in capsys.readouterr().out
    assert run(["replay", str(path), "--format", "json", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["failures"], told["changed"], told["changes"][0]["tools"]) == (1, 1, ["read_file"])
    assert run(["replay", str(path), "--session", "nobody"]) == 2
    assert "has no such conversation; mulligan report" in capsys.readouterr().err


def test_a_programs_own_pipeline_has_its_own_policy(path, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_app.py").write_text(
        "from mulligan import Pipeline\npipeline = Pipeline(format='block', autoload=False)\nnot_one = 3\n"
    )
    ledger = Ledger(path)
    with Pipeline([read_file], plugins=[ledger], autoload=False, format="block") as pipeline:
        pipeline.call("read_file", {"path": "a"})
    ledger.close()

    assert run(["replay", str(path), "--pipeline", "own_app.py:pipeline"]) == 0
    assert run(["replay", str(path), "--pipeline", "own_app.py:not_one"]) == 2
    assert "it is int, not a Pipeline" in capsys.readouterr().err
    assert run(["replay", str(path), "--pipeline", "own_app.py:pipeline", "--format", "json"]) == 2


def test_a_replay_is_not_recorded(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = tmp_path / "other.db"
    ledger = Ledger(path)
    with Pipeline([read_file], plugins=[ledger], autoload=False) as pipeline:
        pipeline.call("read_file", {"path": "a"})
    ledger.close()
    monkeypatch.setenv("MULLIGAN_LEDGER", str(other))
    run(["replay", str(path)])

    assert not other.exists()


def test_the_mark_of_a_fence_is_no_change():
    from mulligan_ledger.replay import without_marks

    one, other = ("<<<d66df48ef3c5f205\nx\nd66df48ef3c5f205>>>", "<<<0123456789abcdef\nx\n0123456789abcdef>>>")
    assert without_marks(one) == without_marks(other)
    assert re.search("mark", without_marks(one))
