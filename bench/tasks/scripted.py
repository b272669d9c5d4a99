"""Runs without the model: a perfect solution, which knows what a call has done; one that does nothing; a careless one."""

from __future__ import annotations

import json
from collections import Counter

from calls import SentCall
from conversation import Conversation, Reply, written
from disturbance import identity

STRAY = {  # a call that no task asks for
    "files": ("write_file", {"path": "notes/stray.txt", "text": "x"}),
    "shop": ("add_stock", {"product_id": 4, "pieces": 1}),
    "tickets": ("assign_ticket", {"number": 4, "person": "zoe"}),
    "git": ("add_tag", {"tag": "stray"}),
    "mcp": ("write_file", {"path": "stray.txt", "content": "x"}),
}
ADDING = {"append_line", "add_order", "add_stock", "create_ticket", "add_comment"}  # twice is not the same as once


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


def careless(conversation: Conversation) -> Reply:
    """Each call of the solution twice, then one that the task does not ask for."""
    calls = [(one["name"], one["arguments"]) for one in conversation.task.calls for _ in range(2)]
    calls.append(STRAY[conversation.task.toolset])
    made = len(conversation.turns) // 2
    if made == len(calls):
        return Reply(conversation.task.reply)
    name, arguments = calls[made]
    return Reply(written(SentCall(name, json.dumps(arguments))))
