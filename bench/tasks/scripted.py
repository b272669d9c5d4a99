"""A perfect solution, which knows what a call has done, and a run that does nothing: both without the model."""

from __future__ import annotations

import json
from collections import Counter

from conversation import Conversation, Reply, written
from disturbance import identity
from slips import SentCall


def perfect(conversation: Conversation) -> Reply:
    """The next call of the solution that has not run to its end yet, or the answer."""
    needed: Counter[str] = Counter()
    for call in conversation.task.calls:
        key = identity(call["name"], call["arguments"])
        needed[key] += 1
        if conversation.disturbed.ended[key] < needed[key]:
            return Reply(written(SentCall(call["name"], json.dumps(call["arguments"]))))
    return Reply(conversation.task.reply)


def idle(conversation: Conversation) -> Reply:
    """An answer without a call."""
    return Reply("I have done it. Everything is as you wanted.")
