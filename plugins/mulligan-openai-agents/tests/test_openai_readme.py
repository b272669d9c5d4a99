import asyncio
import pathlib
import re

import pytest
from agents import set_tracing_disabled
from agents.testing import ScriptedModel
from scripted import call, heard, say

README = pathlib.Path(__file__).parents[1] / "README.md"


@pytest.fixture(autouse=True)
def _event_loop():
    """`run_sync` takes the thread's event loop, and would leave one of its own open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", README.read_text(), re.DOTALL)


def test_a_person_approves_calls(capsys):
    set_tracing_disabled(True)
    sent = [{"amount": 20, "to": "ann"}, {"amount": 500, "to": "bob"}, {"amount": 700, "to": "mallory"}]
    calls = [call(f"c{n}", "pay", arguments) for n, arguments in enumerate(sent)]
    model = ScriptedModel([calls, [say("I paid Ann and Bob.")]])
    first, second = blocks("python")
    program = first.partition("\nagent =")[0] + second + "\nimport asyncio\nasyncio.run(pay_all())"
    exec(program, {"model": model})
    *_, shown, rejected = blocks("text")
    assert capsys.readouterr().out == shown
    answers = [*(f"paid {one['amount']} to {one['to']}" for one in sent[:2]), rejected.rstrip("\n")]
    assert heard(model) == dict(zip(["c0", "c1", "c2"], answers))


def test_the_code_runs_and_the_texts_are_what_it_gives(tmp_path, monkeypatch, capsys):
    set_tracing_disabled(True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("Buy tea.")
    names = ["read_fil", "read_file", "read_file"]
    calls = [
        [call(f"c{n}", name, {"path": path})] for n, (name, path) in enumerate(zip(names, ["a.md", "b.md", "a.md"]))
    ]
    model = ScriptedModel([*calls, [say("It says: buy tea.")]])
    code, _ = blocks("python")
    exec(code, {"model": model})
    assert capsys.readouterr().out == "It says: buy tea.\n"
    _, unknown, _, missing, *_ = blocks("text")
    assert heard(model) == {"c0": unknown.rstrip("\n"), "c1": missing.rstrip("\n"), "c2": "Buy tea."}


def test_what_it_says_of_the_plain_sdk(monkeypatch):
    set_tracing_disabled(True)
    code, _ = blocks("python")
    raised, _, failed, *_ = blocks("text")
    plain = code.replace("wrap(Agent(", "(Agent(").replace(", timeout=30", "").replace(", run_config=run_config()", "")
    for sent, expected in ((call("c1", "read_fil"), raised), (call("c1", "read_file", "{"), failed)):
        model = ScriptedModel([[sent], [say("Done.")]])
        try:
            exec(plain, {"model": model})
            told = heard(model)["c1"]
        except Exception as error:
            told = f"{type(error).__module__}.{type(error).__name__}: {error}"
        assert told == expected.rstrip("\n")
