"""What a ledger records of an agent's runs."""

from __future__ import annotations

import pytest
from agent_framework import AgentSession
from mulligan_agent_framework import Mulligan
from mulligan_ledger import Ledger
from mulligan_testkit.recorded import CALLS, REQUESTS, assert_recorded, read_page
from scripted import agent, call, play

from mulligan import Pipeline


@pytest.mark.parametrize("stream", [False, True], ids=["run", "streamed"])
def test_each_call_and_each_message_of_the_user_is_recorded_once(tmp_path, stream):
    with Ledger(tmp_path / "runs.db") as ledger:
        pipeline = Pipeline(plugins=[ledger])

        def runs():
            turns = [turn for calls in CALLS for turn in (*([call(*one)] for one in calls), "Done.")]
            one, session = agent([read_page], *turns, middleware=[Mulligan(pipeline)]), AgentSession(session_id="s1")
            for request in REQUESTS:
                play(one, request, session=session, stream=stream)
            ledger.flush()

        assert_recorded(tmp_path / "runs.db", pipeline, runs)
