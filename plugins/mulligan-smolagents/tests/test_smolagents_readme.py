"""What the README shows is so."""

from __future__ import annotations

import contextlib
import io
import pathlib
import re

from mulligan_smolagents import guard
from smolagents_play import Script, agent, play

README = (pathlib.Path(__file__).parents[1] / "README.md").read_text()


def test_its_code_runs_and_its_texts_are_what_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("a.md").write_text("hello")
    names: dict = {"model": Script([("c1", "read_file", {"path": "a.md"})], "It says hello.")}
    first, *others = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    printed = io.StringIO()
    pathlib.Path("readme.py").write_text(first)  # smolagents reads the source of a tool
    with contextlib.redirect_stdout(printed):
        exec(compile(first, str(tmp_path / "readme.py"), "exec"), names)
    assert printed.getvalue().splitlines()[-1] == "It says hello."
    for block in others:
        exec(compile(block, "README.md", "exec"), names)

    gone, explained, wrong, corrected = (text.strip() for text in re.findall(r"```text\n(.*?)```", README, re.DOTALL))
    two = [("c1", "read_file", {"path": "b.md"}), ("c2", "read_file", {"path": "a.md"})]
    misnamed = [("c1", "read_file", {"file": "b.md"})]
    for turn, plain, guarded in ((two, gone, explained), (misnamed, wrong, corrected)):
        one, other = (agent(turn, "ok", tools=[names["read_file"]]) for _ in range(2))
        play(one)
        assert plain in one.model.requests[1][-1].replace("\\n", "\n").replace("\\'", "'")
        if turn is two:
            assert "hello" not in one.model.requests[1][-1]
        played = play(guard(other))
        assert played.answers["c1"] == guarded
        assert played.answers.get("c2", "hello") == "hello"
