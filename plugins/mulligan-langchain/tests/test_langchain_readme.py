"""The README does what it says."""

import pathlib
import re

from langchain.agents import create_agent
from langchain_script import answers, asked, model, says
from mulligan_langchain import MulliganMiddleware

README = (pathlib.Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
TEXTS = re.findall(r"```text\n(.*?)\n```", README, re.DOTALL)


def test_the_blocks_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("hello")
    first = model(says(("c1", "read_file", {"path": "a.md"})), done="It says hello.")
    space = {"model": first}
    exec(BLOCKS[0], space)
    assert capsys.readouterr().out == "It says hello.\n"
    space["model"] = model(says(("c1", "look_up", {"word": "a"})))
    exec(BLOCKS[1], space)
    assert answers(space["agent"].invoke(asked())["messages"])["c1"].status == "error"
    space["model"] = model(says(("c1", "read_file", {"path": "a.md"})))
    exec(BLOCKS[2], space)
    assert answers(space["graph"].invoke(asked())["messages"])["c1"].text == "hello"
    space["model"] = model(says(("c1", "pay", {"amount": 5})))
    exec(BLOCKS[3], space)
    assert capsys.readouterr().out == TEXTS[3] + "\n"
    assert len(BLOCKS) == 4


def test_the_texts_are_real(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def read_file(path: str) -> str:
        """Read a text file of the workspace."""
        return pathlib.Path(path).read_text()

    missing, broken = says(("c1", "read_file", {"path": "b.md"})), says(("c1", "read_file", '{"path": "b.md",}'))
    try:
        create_agent(model(missing), [read_file]).invoke(asked())
    except FileNotFoundError as error:
        assert TEXTS[0] == f"FileNotFoundError: {error}"
    said = model(broken)
    assert create_agent(said, [read_file]).invoke(asked())["messages"][-1].invalid_tool_calls
    assert len(said.received) == 1
    for turn, text in ((missing, TEXTS[1]), (broken, TEXTS[2])):
        agent = create_agent(model(turn), [read_file], middleware=[MulliganMiddleware()])
        assert answers(agent.invoke(asked())["messages"])["c1"].text == text
