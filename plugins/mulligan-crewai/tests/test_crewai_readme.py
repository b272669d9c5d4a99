"""What the README shows is so."""

import pathlib
import re

from crewai_play import agent, play, script
from mulligan_crewai import wrap

README = (pathlib.Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
TEXTS = re.findall(r"```text\n(.*?)\n```", README, re.DOTALL)


def test_the_blocks_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.input", lambda *_: "approve")
    (tmp_path / "a.md").write_text("Buy tea.")
    space = {"llm": script([("c1", "read_file", {"path": "a.md"})], "It says: buy tea.")}
    exec(BLOCKS[0], space)
    assert capsys.readouterr().out.endswith("It says: buy tea.\n")
    space["llm"] = script([("c1", "pay", {"amount": 5})], "It is paid.")
    exec(BLOCKS[1], space)
    assert space["llm"].answers == {"c1": "paid 5"}
    assert len(BLOCKS) == 2


def test_the_texts_are_real(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.md").write_text("Buy milk.")
    space = {}
    exec(BLOCKS[0].partition("reader =")[0], space)
    unknown, wrong, corrected = TEXTS
    calls = [("c1", "read_files", {"path": "b.md"})]
    assert play(agent([space["read_file"]], list(calls), native=False)).answers["c1"] == "Buy milk."
    assert play(wrap(agent([space["read_file"]], list(calls), native=False))).answers["c1"] == unknown
    calls = [("c1", "read_file", {"file": "b.md"})]
    assert play(agent([space["read_file"]], list(calls))).answers["c1"] == wrong
    assert play(wrap(agent([space["read_file"]], list(calls)))).answers["c1"] == corrected
