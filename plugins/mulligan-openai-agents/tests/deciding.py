"""A run with two calls that wait for a person: `start` saves it, `decide` decides and continues it."""

import asyncio
import json
import pathlib
import sys

from agents import RunState
from mulligan_openai_agents import wrap
from test_openai_approvals import LargeRefunds, agent_of, bank, call, go, heard

from mulligan import Pipeline
from mulligan.plugin import CallFinished, CallStarted, StepFinished
from mulligan.testing import capture_events

folder, is_streamed, stages = pathlib.Path(sys.argv[1]), sys.argv[2] == "streamed", sys.argv[3:]
sent = [call("c1", "refund", {"order": "a", "amount": 200}), call("c2", "refund", {"order": "b", "amount": 300})]
ran, events = [], capture_events()


def made(*messages):
    return wrap(agent_of([bank(ran)], *messages), pipeline=Pipeline(plugins=[LargeRefunds(), events]))


async def start():
    result = await go(made(sent), "go", is_streamed)
    (folder / "state.json").write_text(result.to_state().to_string())


async def decide():
    agent = made()
    state = await RunState.from_string(agent, (folder / "state.json").read_text())
    for item in state.get_interruptions():
        (state.approve if item.raw_item.call_id == "c1" else state.reject)(item)
    result = await go(agent, state, is_streamed)
    seen = {kind.__name__: sorted(event.call_id for event in events.of(kind)) for kind in (CallStarted, CallFinished)}
    seen["steps"] = [sorted(step.ids) for step in events.of(StepFinished)]
    (folder / "ran.json").write_text(json.dumps(ran))
    answers = heard(agent.model)
    (folder / "seen.json").write_text(json.dumps({"answers": answers, "output": result.final_output, "events": seen}))


for stage in stages:
    asyncio.run({"start": start, "decide": decide}[stage]())
