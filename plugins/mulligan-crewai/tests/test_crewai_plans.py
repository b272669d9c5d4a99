"""Agents that plan: each step of the plan is an executor of its own, and steps that do not depend on each other run at once."""

import json

import pytest
from crewai.agent.planning_config import PlanningConfig
from crewai_play import agent, play, script
from mulligan_crewai import RunStopped, wrap

from mulligan import Pipeline
from mulligan.errors import ToolAuthenticationError
from mulligan.plugin import CallFinished, CallStarted, StepFinished
from mulligan.testing import capture_events

MODES = pytest.mark.parametrize("native", [True, False], ids=["native", "text"])


def read_page(path: str) -> str:
    """Read a page."""
    if path != "a":
        raise FileNotFoundError(2, "No such file or directory", path)
    return "seen"


def charge(amount: int) -> str:
    """Charge a card."""
    raise ToolAuthenticationError("The key was refused.", provider="bank")


def planning(tools, *steps, native=True, todos=1, **options):
    """An agent with a plan of so many steps, none of which depends on another."""
    plan = [{"step_number": one, "description": f"Step {one}.", "depends_on": []} for one in range(1, todos + 1)]
    planner = script(json.dumps({"plan": "A plan.", "steps": plan, "ready": True}))
    config = PlanningConfig(reasoning_effort="low", max_attempts=1, llm=planner)
    return wrap(agent(tools, *steps, native=native, planning_config=config), **options)


@MODES
def test_calls_of_a_step_are_answered_and_reported_once(native):
    events = capture_events()
    calls = [("c1", "read_page", {"path": "a"}), ("c2", "raed_page", {}), ("c3", "read_page", {"file": "a"})]
    calls += [("c4", "read_page", '{"path": '), ("c5", "read_page", {"path": "b"})]
    one = planning([read_page], calls, "The step is done.", native=native, pipeline=Pipeline(plugins=[events]))
    played = play(one)
    assert (played.error, len(one.llm.steps)) == (None, 0)
    assert played.answers["c1"] == "seen"
    assert 'Did you mean "read_page"?' in played.answers["c2"]
    assert "- /file: unknown argument; allowed: path." in played.answers["c3"]
    assert "it ends too early" in played.answers["c4"]
    assert "Resource not found: b" in played.answers["c5"]
    assert [len(events.of(kind)) for kind in (CallStarted, CallFinished)] == [5, 5]
    assert [len(step.ids) for step in events.of(StepFinished)] == ([5] if native else [1] * 5)
    assert len({event.session_id for event in events}) == 1
    if native:
        assert sorted(event.call_id for event in events.of(CallFinished)) == ["c1", "c2", "c3", "c4", "c5"]
        said = next(one for one in one.llm.requests[1] if one.get("tool_calls"))
        assert said["tool_calls"][3]["function"]["arguments"] == '{"path": '


@MODES
def test_a_tool_of_a_step_runs_once_and_the_one_that_was_called(native):
    ran = []

    def send(text: str) -> str:
        """Send a text."""
        ran.append(text)
        raise ConnectionResetError("reset by peer")

    calls = [("c1", "send", {"text": "a"}), ("c2", "sends", {"text": "b"})]
    played = play(planning([send], calls, "Done.", native=native))
    assert ran == ["a"] and "may have taken effect" in played.answers["c1"]


@MODES
def test_a_fatal_failure_of_a_step_ends_the_run(native):
    calls = [("c1", "charge", {"amount": 5}), ("c2", "read_page", {"path": "a"})]
    played = play(planning([charge, read_page], calls[: 2 if native else 1], "Done.", native=native))
    assert isinstance(played.error, RunStopped)
    assert "The key was refused." in played.answers["c1"]
    assert not native or played.answers["c2"] == "seen"
    assert [message["role"] for message in played.error.messages[:3]] == ["system", "user", "assistant"]


def test_steps_that_run_at_once_know_nothing_of_each_others_failures():
    def step(messages):
        text, is_answered = str(messages[:2]), any(one["role"] == "tool" for one in messages)
        number = next((one for one in (1, 2, 3) if f"Step {one}." in text), None)
        is_call = number is not None and not is_answered
        return [(f"c{number}", "read_page", {"path": "b"})] if is_call else "The step is done."

    events = capture_events()
    played = play(planning([read_page], *[step] * 9, todos=3, pipeline=Pipeline(plugins=[events])))
    assert played.error is None and sorted(played.answers) == ["c1", "c2", "c3"]
    assert all("already failed" not in text for text in played.answers.values())
    assert len(events.of(StepFinished)) == 3 and len({event.session_id for event in events}) == 1


def test_an_agent_that_a_tool_of_a_step_runs_has_a_conversation_of_its_own():
    events = capture_events()
    pipeline = Pipeline(plugins=[events])
    inner = wrap(agent([read_page], [("i1", "read_page", {"path": "b"})], "It is not there.", role="inner"), pipeline)

    def ask(question: str) -> str:
        """Ask another agent."""
        return inner.kickoff(question).raw

    played = play(planning([ask], [("c1", "ask", {"question": "b?"})], "The step is done.", pipeline=pipeline))
    assert played.answers["c1"] == "It is not there."
    sessions = {event.call_id: event.session_id for event in events.of(CallFinished)}
    assert len(sessions) == len(set(sessions.values())) == 2
