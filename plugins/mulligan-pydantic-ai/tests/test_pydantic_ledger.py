"""What a ledger records of an agent's runs."""

from __future__ import annotations

import asyncio

from mulligan_ledger import Ledger
from mulligan_pydantic_ai import Mulligan
from mulligan_testkit.recorded import CALLS, REQUESTS, assert_recorded, read_page
from pydantic_ai import Agent
from scripted import Script, call, say

from mulligan import Pipeline


def test_each_call_and_each_message_of_the_user_is_recorded_once(tmp_path):
    async def play(agent, script):
        messages = []
        for request in REQUESTS:
            result = await agent.run([request], model=script.model, message_history=messages)
            messages = result.all_messages()

    with Ledger(tmp_path / "runs.db") as ledger:
        pipeline = Pipeline(plugins=[ledger])

        def runs():
            turns = [turn for calls in CALLS for turn in (*([call(*one)] for one in calls), [say("Done.")])]
            agent = Agent(tools=[read_page], capabilities=[Mulligan(pipeline)])
            asyncio.run(play(agent, Script(*turns)))
            ledger.flush()

        assert_recorded(tmp_path / "runs.db", pipeline, runs)
