"""What a ledger records of an agent's runs."""

from __future__ import annotations

import pytest
from llama_index.core.agent.workflow import AgentWorkflow
from mulligan_ledger import Ledger
from mulligan_llamaindex import wrap
from mulligan_testkit.recorded import CALLS, REQUESTS, assert_recorded, read_page
from scripted import agent, call, play

from mulligan import Pipeline


@pytest.mark.parametrize("inside", [False, True], ids=["agent", "workflow"])
def test_each_call_and_each_message_of_the_user_is_recorded_once(tmp_path, inside):
    with Ledger(tmp_path / "runs.db") as ledger:
        pipeline = Pipeline(plugins=[ledger])

        def runs():
            turns = [turn for calls in CALLS for turn in (*([call(*one)] for one in calls), "Done.")]
            one = agent([read_page], *turns, name="first", description="The first.")
            one = wrap(AgentWorkflow(agents=[one]) if inside else one, pipeline)
            ctx = None
            for request in REQUESTS:
                ctx = play(one, ctx=ctx, message=request).ctx
            ledger.flush()

        assert_recorded(tmp_path / "runs.db", pipeline, runs)
