"""A call as a model writes it: found in its turn, and written as one."""

from __future__ import annotations

import json
import re

import attrs

_UNFINISHED = re.compile(r'\{\s*"name"\s*:\s*"([^"]*)"\s*,\s*"arguments"\s*:\s*(.*)', re.DOTALL)


@attrs.frozen
class SentCall:
    """A call as the model wrote it: the arguments are JSON text, which may be broken."""

    name: str
    arguments: str


def sent_call(text: str) -> SentCall | None:
    """The first call of a turn; its JSON may be broken."""
    decoder = json.JSONDecoder()
    for brace in re.finditer(r"\{", text):
        try:
            found, _ = decoder.raw_decode(text, brace.start())
        except json.JSONDecodeError:
            continue
        if isinstance(found, dict) and isinstance(found.get("name"), str) and found.keys() <= {"name", "arguments"}:
            arguments = found.get("arguments", {})
            return SentCall(found["name"], arguments if isinstance(arguments, str) else json.dumps(arguments))
        if brace.start() == text.find("{"):
            break  # an object that is no call: not what is in it
    unfinished = _UNFINISHED.search(text)
    if unfinished is None:
        return None
    rest = unfinished[2].partition("</tool_call>")[0].strip().removesuffix("```").strip()
    return SentCall(unfinished[1], rest if _is_json(rest) else rest.removesuffix("}").strip())


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    return True


def written(sent: SentCall) -> str:
    """A call as a turn of the model."""
    return f'<tool_call>\n{{"name": "{sent.name}", "arguments": {sent.arguments}}}\n</tool_call>'
