"""What the README shows is so."""

from __future__ import annotations

import pathlib
import re

from strands_play import Script, play

README = (pathlib.Path(__file__).parents[1] / "README.md").read_text()


def test_its_code_runs_and_its_texts_are_what_is_read(monkeypatch):
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    names: dict = {}
    plain, guarded = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(compile(block, "README.md", "exec"), names)
    sent = re.search(r"not valid JSON: `(.*?)`", README)[1]
    one, Agent = names["agent"], names["Agent"]
    for agent, text in ((Agent(tools=[names["search"]], callback_handler=None), plain), (one, guarded)):
        agent.model = Script([("c1", "search", sent)], "ok")
        assert play(agent).text("c1").startswith(text.strip())
