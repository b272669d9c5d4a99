"""What the events hold for a recorder: the call as it was sent, what the tool raised or returned, the conversation."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from mulligan import Pipeline, Policy, ToolCall, tool
from mulligan.plugin import AttemptFailed, CallFinished, RequestNoted, hookimpl
from mulligan.testing import capture_events


@tool(read_only=True, secret=("key",))
def look(word: str, key: str = "") -> Any:
    """Look a word up."""
    if word == "raise":
        raise FileNotFoundError(2, "No such file or directory", "words.txt")
    return {"isError": True, "content": [{"type": "text", "text": "gone"}]} if word == "report" else word


def finished(events: Any) -> list[CallFinished]:
    return [event for event in events if isinstance(event, CallFinished)]


def test_the_call_as_it_was_sent_stays_beside_the_repaired_one():
    with Pipeline([look], autoload=False, policy=Policy(repair="all")) as pipeline, capture_events(pipeline) as events:
        pipeline.call("Look", '{"word": "a",}')

    (event,) = finished(events)
    assert event.sent == ToolCall(None, "Look", '{"word": "a",}')
    assert event.result.call.name == "look"
    assert list(event.toolset) == ["look"]


@pytest.mark.parametrize(("word", "kind"), [("raise", FileNotFoundError), ("report", dict)])
def test_an_attempt_holds_what_the_tool_raised_or_returned(word, kind):
    with Pipeline([look], autoload=False) as pipeline, capture_events(pipeline) as events:
        pipeline.call("look", {"word": word})

    (attempt,) = [event for event in finished(events)[0].result.events if isinstance(event, AttemptFailed)]
    assert type(attempt.outcome) is kind
    assert pickle.loads(pickle.dumps(attempt)).outcome is None


def test_a_changed_outcome_changes_nothing():
    with Pipeline([look], autoload=False) as pipeline, capture_events(pipeline) as events:
        pipeline.call("look", {"word": "report"})

    (attempt,) = [event for event in finished(events)[0].result.events if isinstance(event, AttemptFailed)]
    attempt.outcome.clear()
    assert attempt.outcome["isError"] is True


def test_redact_hides_what_the_call_hides():
    with Pipeline([look], autoload=False) as pipeline, capture_events(pipeline) as events:
        pipeline.call("look", {"word": "raise", "key": "tulip-mania-1637"})

    assert "tulip-mania" not in finished(events)[0].redact("the key is tulip-mania-1637")


def test_an_event_made_by_hand_redacts_everything():
    event = CallFinished(Pipeline([look], autoload=False).call("look", {"word": "a"}))

    assert (event.redact("anything"), event.redact("")) == ("[redacted]", "")


def test_conversations_without_an_id_have_different_numbers():
    with Pipeline([look], autoload=False) as pipeline, capture_events(pipeline) as events:
        one, other = pipeline.session(), pipeline.session()
        for session in (one, other, one):
            session.call("look", {"word": "a"})
        pipeline.call("look", {"word": "a"})

    numbers = [event.conversation for event in finished(events)]
    assert numbers[0] == numbers[2] != numbers[1]
    assert numbers[3] == 0


def test_the_request_of_the_user_is_an_event_without_secrets(monkeypatch):
    monkeypatch.setenv("TULIP_TOKEN", "tulip-mania-1637")
    with Pipeline([look], autoload=False) as pipeline, capture_events(pipeline) as events:
        session = pipeline.session("talk")
        session.call("look", {"word": "a"})
        session.note_request("Find it with tulip-mania-1637")

    noted = [event for event in events if isinstance(event, RequestNoted)]
    assert [(one.session_id, one.text, one.step, one.call_id, one.attempt) for one in noted] == [
        ("talk", "Find it with [redacted]", 1, None, 0)
    ]
    assert noted[0].conversation == finished(events)[0].conversation


def test_an_observer_may_change_its_own_copy():
    class Renames:
        @hookimpl
        def observe(self, event: Any) -> None:
            if isinstance(event, CallFinished):
                event.session_id, event.step = "mine", 99

    with (
        Pipeline([look], autoload=False, plugins=[Renames()]) as pipeline,
        capture_events(pipeline) as events,
    ):
        pipeline.session("talk").call("look", {"word": "a"})

    (event,) = finished(events)
    assert (event.session_id, event.step) == ("talk", 1)
    event.session_id = "mine"
    assert (event.session_id, event.step) == ("mine", 1)
    assert pipeline.faults == ()
    with pytest.raises(AttributeError, match="'CallFinished' object has no attribute 'sesion_id'"):
        event.sesion_id  # noqa: B018
