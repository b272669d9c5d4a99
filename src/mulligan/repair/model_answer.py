"""Parse the one tool call in a model's answer, strictly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mulligan.calls import ToolCall
from mulligan.dialects import built_in, plain
from mulligan.policy import Limits
from mulligan.tools import Tool
from mulligan.validate.arguments import read_arguments

_FENCE = "```"
_PARTS_OF_ONE_BLOCK = 3  # before, inside and after the block
_ARGUMENT_KEYS = ("arguments", "input", "args")


def find_call(answer: Any, only: Tool | None) -> tuple[str, Any] | None:
    """Find the name and arguments of the call in an answer.

    Args:
        answer: text with one JSON object, bare or in a fenced block; a `ToolCall`; or a mapping or SDK object that is a
            call, or a message with one.
        only: the tool whose bare arguments the text may contain; None if the text must include a tool name.

    Returns:
        The name and the arguments, or None if the answer contains no call or several.

    Raises:
        ToolArgumentError: the text is not strict JSON.
        UsageError: an SDK's object cannot be read.
    """
    if isinstance(answer, ToolCall):
        return answer.name, answer.arguments
    if isinstance(answer, str):
        return _find_in_text(answer, only)
    values = plain(answer)
    if not isinstance(values, Mapping):
        return None
    bare = values.get("function") if isinstance(values.get("function"), Mapping) else values
    return _bare_call(bare) or _find_in_message(values, only)


def _find_in_text(text: str, only: Tool | None) -> tuple[str, Any] | None:
    parts = text.split(_FENCE)
    if not text.lstrip().startswith("{") and len(parts) == _PARTS_OF_ONE_BLOCK:
        text = parts[1].partition("\n")[2]
    if not text.lstrip().startswith("{"):
        return None
    value = read_arguments(text, Limits())
    if only is None:
        return _bare_call(value)
    is_whole_call = set(value) == {"name", "arguments"} and value["name"] == only.name
    parameters = only.parameters.get("properties")
    if is_whole_call and not (isinstance(parameters, Mapping) and "arguments" in parameters):
        return only.name, value["arguments"]
    return only.name, value


def _bare_call(values: Any) -> tuple[str, Any] | None:
    """Return a call given as a name with its arguments beside it."""
    name = values.get("name")
    given = [values[word] for word in _ARGUMENT_KEYS if word in values]
    return (name, given[0]) if isinstance(name, str) and len(given) == 1 else None


def _find_in_message(values: Mapping[str, Any], only: Tool | None) -> tuple[str, Any] | None:
    for dialect in built_in().values():
        if dialect.recognises(values):
            calls = dialect.calls(values)
            if not calls:
                return _find_in_text(_text_of(values), only)
            return (calls[0].name, calls[0].arguments) if len(calls) == 1 else None
    return None


def _text_of(message: Mapping[str, Any]) -> str:
    """The text of an assistant message or of a completion's first choice; empty if it has none."""
    choices = message.get("choices")
    if isinstance(choices, Sequence) and choices and isinstance(choices[0], Mapping):
        message = choices[0].get("message") or {}
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    texts = [block["text"] for block in blocks if isinstance(block, Mapping) and isinstance(block.get("text"), str)]
    return content if isinstance(content, str) else "\n".join(texts)
