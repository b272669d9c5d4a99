"""The calls that were answered again: their old answers are omitted, in every message format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from mulligan.calls import ToolCall
from mulligan.dialects.asked import mapping, part_of
from mulligan.results import ToolResult

_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_RESPONSES = ("function_response", "functionResponse")


class Answered:
    """The calls so far. A call of Gemini may have no id; then the next response of that name is its answer."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._names: Counter[str] = Counter()

    def add(self, call: ToolCall) -> None:
        """Records a call.

        Args:
            call: the call.
        """
        if call.id is None:
            self._names[call.name] += 1
        else:
            self._ids.add(call.id)

    def without(self, message: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """A message without its answers to these calls.

        Args:
            message: a message of any role.

        Returns:
            The same object if it answers none of them; None if nothing else remains.
        """
        if self._is_answer(message):
            return None
        if message.get("role") not in ("user", "function"):
            return message
        for member, answers in (("content", self._is_result), ("parts", self._is_response)):
            held = message.get(member)
            if isinstance(held, list):
                kept = [part for part in held if not (isinstance(part, dict) and answers(part))]
                if len(kept) < len(held):
                    return {**message, member: kept} if kept else None
        return message

    def _is_answer(self, message: Mapping[str, Any]) -> bool:
        """Whether the whole message is the answer to one of the calls."""
        if message.get("role") == "tool":
            return self._knows(message.get("tool_call_id"))
        if message.get("type") in _OUTPUTS:
            return self._knows(message.get("call_id"))
        is_response = "jsonrpc" in message and ("result" in message or "error" in message)
        return is_response and self._knows(message.get("id"))

    def _is_result(self, block: Mapping[str, Any]) -> bool:
        return block.get("type") == "tool_result" and self._knows(block.get("tool_use_id"))

    def _is_response(self, part: Mapping[str, Any]) -> bool:
        response = next((mapping(part[member]) for member in _RESPONSES if member in part), {})
        name = response.get("name")
        if response.get("id") is not None or not isinstance(name, str) or not self._names[name]:
            return self._knows(response.get("id"))
        self._names[name] -= 1
        return True

    def _knows(self, id: object) -> bool:
        return isinstance(id, (str, int)) and id in self._ids


def with_answers_inside(
    message: Mapping[str, Any], results: Iterable[ToolResult], parts: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """A UI message of the Vercel AI SDK in which each part with a call is replaced by the part that answers it.

    Args:
        message: the message.
        results: the results of its calls.
        parts: the parts that answer them, in the same order.
    """
    places = {id(part_of(result.call)): part for result, part in zip(results, parts, strict=True)}
    return {**message, "parts": [places.get(id(part), part) for part in message["parts"]]}
