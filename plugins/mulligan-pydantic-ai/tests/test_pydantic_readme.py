import json
import pathlib
import re

from pydantic_ai import Agent
from scripted import Script, call, say, told

README = pathlib.Path(__file__).parents[1] / "README.md"


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", README.read_text(), re.DOTALL)


def test_the_code_runs_and_the_texts_are_what_it_gives(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("Buy tea.")
    sent = [{"path": "b.md"}, {"file": "a.md"}, {"path": "a.md"}]
    script = Script(*[[call(f"c{n}", "read_file", one)] for n, one in enumerate(sent)], [say("It says: buy tea.")])
    code, approval = blocks("python")
    names = {"model": script.model}
    exec(code, names)
    assert capsys.readouterr().out == "It says: buy tea.\n"
    two = [call(f"d{amount}", "pay", {"amount": amount}) for amount in (5, 6)]
    names["model"] = Script(two, lambda told: [say(f"{told['d5']}. {told['d6']}")]).model
    exec(approval, names)
    assert capsys.readouterr().out == "paid 5. Once is enough.\n"
    _, missing, _, wrong = blocks("text")
    answers = told(script.received[-1])
    assert json.loads(answers["c0"])["error"] == missing.rstrip("\n")
    assert json.loads(answers["c1"])["error"] == wrong.rstrip("\n")
    assert answers["c2"] == "Buy tea."


def test_what_it_says_of_plain_pydantic_ai(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _ = blocks("python")
    raised, _, refused, _ = blocks("text")
    names = {}
    exec(code.partition("agent = ")[0], names)
    agent = Agent(tools=[names["read_file"]])
    try:
        agent.run_sync("go", model=Script([call("c1", "read_file", {"path": "b.md"})]).model)
    except FileNotFoundError as error:
        assert f"FileNotFoundError: {error}\n" == raised
    script = Script([call("c1", "read_file", {"file": "a.md"})], [say("Done.")])
    agent.run_sync("go", model=script.model)
    assert json.loads(told(script.received[-1])["c1"])["error"] == json.loads(refused)
