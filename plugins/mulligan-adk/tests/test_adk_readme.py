"""What the README shows is so."""

from __future__ import annotations

import asyncio
import pathlib
import re

from adk_play import Script, agent, play
from google.adk.apps import App
from google.adk.runners import InMemoryRunner
from google.genai import types
from mulligan_adk import MulliganPlugin

from mulligan.errors import ToolAuthenticationError

README = (pathlib.Path(__file__).parents[1] / "README.md").read_text()


def test_its_code_runs_and_its_texts_are_what_is_read():
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(compile(block, "README.md", "exec"), names)
    before, after, _ = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    librarian = names["agent"]
    for plugins in ((), (names["app"].plugins[0],)):
        librarian.model = Script(turns=[[("c1", "read_file", {"path": "reports/2031.md"})], "ok"], requests=[])
        played = play(librarian, *plugins)
        if plugins:
            assert played.text("c1") == after.strip()
        else:
            assert f"{type(played.error).__name__}: {played.error}" == before.strip()


def test_a_stopped_run_is_shown_with_its_reason(capsys):
    def pay() -> str:
        """Pay."""
        raise ToolAuthenticationError("The key was refused.", provider="bank")

    names: dict = {}
    (block,) = [one for one in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "async def show" in one]
    exec(compile(block, "README.md", "exec"), names)
    clerk = agent([("c1", "pay", {})], "never", tools=[pay])
    runner = InMemoryRunner(app=App(name="p", root_agent=clerk, plugins=[MulliganPlugin()]))
    runner.auto_create_session = True
    said = types.Content(role="user", parts=[types.Part(text="go")])
    asyncio.run(names["show"](runner.run_async(user_id="u", session_id="s", new_message=said)))
    assert capsys.readouterr().out.splitlines()[-1] == re.findall(r"```text\n(.*?)```", README, re.DOTALL)[2].strip()
