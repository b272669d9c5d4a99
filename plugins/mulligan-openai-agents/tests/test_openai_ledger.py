"""What a ledger records of an agent's runs."""

from __future__ import annotations

import asyncio

import pytest
from agents import Agent, Runner, SQLiteSession, function_tool
from agents.testing import ScriptedModel
from mulligan_ledger import Ledger
from mulligan_openai_agents import run_config, wrap
from mulligan_testkit.recorded import CALLS, REQUESTS, assert_recorded, read_page
from scripted import SILENT, call, say

from mulligan import Pipeline


@pytest.mark.parametrize("kept", [True, False], ids=["session", "list"])
def test_each_call_and_each_message_of_the_user_is_recorded_once(tmp_path, kept):
    async def play(agent):
        session = SQLiteSession("talk") if kept else None
        items = []
        for request in REQUESTS:
            asked = request if kept else [*items, {"role": "user", "content": request}]
            result = await Runner.run(agent, asked, session=session, run_config=run_config(SILENT))
            items = result.to_input_list()

    with Ledger(tmp_path / "runs.db") as ledger:
        pipeline = Pipeline(plugins=[ledger])

        def runs():
            turns = [turn for calls in CALLS for turn in (*([call(*one)] for one in calls), [say("Done.")])]
            agent = Agent(name="worker", tools=[function_tool(read_page)], model=ScriptedModel(turns))
            asyncio.run(play(wrap(agent, pipeline=pipeline)))
            ledger.flush()

        assert_recorded(tmp_path / "runs.db", pipeline, runs)
