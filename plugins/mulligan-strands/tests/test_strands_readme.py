"""What the README shows is so."""

from __future__ import annotations

import builtins
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

    one.model = Script("Found it.")
    assert names["ask"]("Find it.").strip() == "Found it."
    one.model = Script(*[[(f"d{turn}", "find", {})] for turn in range(9)])
    assert names["ask"]("Find it.") == "The assistant keeps repeating a call that cannot succeed."

    asked = []
    monkeypatch.setattr(builtins, "input", lambda prompt: asked.append(prompt) or "y")
    calls = [(f"c{limit}", "search", {"query": "comets", "limit": limit, "kind": "news"}) for limit in (1, 2)]
    names["careful"].model = Script(calls, "ok")
    assert str(names["run"]("Search.")).strip() == "ok"
    assert len(asked) == 2 and "{'tool': 'search', 'arguments': {'query': 'comets', 'limit': 1" in asked[0]
