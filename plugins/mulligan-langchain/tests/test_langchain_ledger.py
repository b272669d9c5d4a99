"""What a ledger records of an agent's conversation."""

from __future__ import annotations

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_script import Scripted, says
from langgraph.checkpoint.memory import InMemorySaver
from mulligan_langchain import MulliganMiddleware
from mulligan_ledger import Ledger
from mulligan_testkit.recorded import CALLS, REQUESTS, assert_recorded, read_page

from mulligan import Pipeline


def test_each_call_and_each_message_of_the_user_is_recorded_once(run, tmp_path):
    with Ledger(tmp_path / "runs.db") as ledger:
        pipeline = Pipeline(plugins=[ledger])

        def runs():
            turns = [turn for calls in CALLS for turn in (*(says(one) for one in calls), says(text="Done."))]
            agent = create_agent(
                Scripted(turns=turns, received=[]),
                [tool(read_page)],
                middleware=[MulliganMiddleware(pipeline)],
                checkpointer=InMemorySaver(),
            )
            for request in REQUESTS:
                run(agent, {"messages": [HumanMessage(request)]}, {"configurable": {"thread_id": "1"}})
            ledger.flush()

        assert_recorded(tmp_path / "runs.db", pipeline, runs)
