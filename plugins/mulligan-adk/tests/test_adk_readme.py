"""What the README shows is so."""

from __future__ import annotations

import pathlib
import re

from adk_play import Script, play

README = (pathlib.Path(__file__).parents[1] / "README.md").read_text()


def test_its_code_runs_and_its_texts_are_what_is_read():
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(compile(block, "README.md", "exec"), names)
    before, after = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    agent = names["agent"]
    for plugins in ((), (names["app"].plugins[0],)):
        agent.model = Script(turns=[[("c1", "read_file", {"path": "reports/2031.md"})], "ok"], requests=[])
        played = play(agent, *plugins)
        if plugins:
            assert played.text("c1") == after.strip()
        else:
            assert f"{type(played.error).__name__}: {played.error}" == before.strip()
