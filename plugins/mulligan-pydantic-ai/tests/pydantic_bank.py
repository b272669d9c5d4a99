"""One run of an agent whose payments a person approves, in a process of its own: `python pydantic_bank.py FILE [ANSWERS]`."""

import json
import pathlib
import sys

from mulligan_pydantic_ai import Mulligan
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied
from pydantic_ai.messages import ModelMessagesTypeAdapter
from scripted import Script, call, play, say, told

TWO = [call("c1", "pay", {"amount": 1}), call("c2", "pay", {"amount": 2}), call("c3", "note", {"text": "a"})]
NEEDED = {"pay": {"approve": True}}


def bank(ran, pipeline=None, options=NEEDED, is_async=False, output_type=(str, DeferredToolRequests)):
    """An agent whose tools say what they did."""

    def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        return f"paid {amount}"

    async def apay(amount: int) -> str:
        """Pay."""
        return pay(amount)

    apay.__name__ = "pay"

    def note(text: str) -> str:
        """Note."""
        ran.append(text)
        return f"noted {text}"

    own = Mulligan(pipeline, tool_options=options)
    return Agent(tools=[apay if is_async else pay, note], output_type=list(output_type), capabilities=[own])


def decided(decisions):
    """The results of `{id: True, {"amount": ...} or a reason}`."""

    def decision(one):
        if isinstance(one, str):
            return ToolDenied(one)
        return ToolApproved(override_args=one) if isinstance(one, dict) else one

    return DeferredToolResults(approvals={id: decision(one) for id, one in decisions.items()})


def main(file, *answers):
    ran, saved = [], pathlib.Path(file)
    if answers:
        history = ModelMessagesTypeAdapter.validate_json(saved.read_bytes())
        more = {"message_history": history, "deferred_tool_results": decided(json.loads(answers[0]))}
        played = play(bank(ran), Script([say("Done.")]), **more)
    else:
        played = play(bank(ran), Script(TWO))
        saved.write_bytes(ModelMessagesTypeAdapter.dump_json(played.messages))
    waiting = [one.tool_call_id for one in getattr(played.output, "approvals", ())]
    print(json.dumps({"waiting": waiting, "ran": ran, "answers": told(played.messages), "error": repr(played.error)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
