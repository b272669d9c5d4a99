"""The README does what it says."""

import pathlib
import re

from mulligan_agent_framework import Mulligan
from scripted import Script, agent, call, play

README = (pathlib.Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
TEXTS = re.findall(r"```text\n(.*?)\n```", README, re.DOTALL)


def test_the_blocks_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("Buy tea.")
    space = {"client": Script([call("c1", "read_file", {"path": "a.md"})], "It says: buy tea.")}
    exec(BLOCKS[0], space)
    assert capsys.readouterr().out == "It says: buy tea.\n"
    space["client"] = Script([call("c1", "pay", {"amount": 5})], "I have paid.")
    exec(BLOCKS[1], space)
    assert "I have paid." in capsys.readouterr().out
    assert space["client"].requests[1][-1].contents[0].result == "paid 5"
    assert len(BLOCKS) == 2


def test_the_texts_are_real(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space = {"client": Script("Done.")}
    exec(BLOCKS[0], space)
    for arguments, plain, guarded in (({"file": "a.md"}, *TEXTS[:2]), ({"path": "b.md"}, *TEXTS[2:])):
        calls = [call("c1", "read_file", arguments)]
        assert play(agent([space["read_file"]], calls)).answers["c1"] == plain
        assert play(agent([space["read_file"]], calls, middleware=[Mulligan()])).answers["c1"] == guarded
