"""The arms: each answers the calls of one conversation, and none of them sees the task."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Protocol

import attrs
import jsonschema_rs
import retry_prompt
from calls import SentCall
from disturbance import Disturbed
from worlds import ToolSpec

from mulligan import Pipeline, Policy, Tool, ToolCall, ToolResult


@attrs.frozen
class Response:
    """What the model reads after a call.

    Attributes:
        text: that.
        failed: whether the loop knows that the call failed.
        ends: whether the run must stop here.
    """

    text: str
    failed: bool = False
    ends: bool = False


class Responder(Protocol):
    """Answers the calls of one conversation."""

    def respond(self, sent: SentCall, call_id: str) -> Response:
        """Run a call, or say why not."""

    def close(self) -> None:
        """End what was started."""


class Wording(Protocol):
    """The texts of a loop for the four ways in which a call fails, and how it reads numbers."""

    def unknown_tool(self, name: str, specs: dict[str, ToolSpec]) -> str: ...
    def invalid_json(self, sent: SentCall, call_id: str, spec: ToolSpec, error: json.JSONDecodeError) -> str: ...
    def invalid_arguments(self, sent: SentCall, spec: ToolSpec) -> str: ...
    def raised(self, error: Exception) -> str: ...
    def read(self, arguments: Any, spec: ToolSpec) -> Any: ...


class Loop:
    """A loop around the tools as most programs have it: it looks up, parses, validates, runs, and feeds back a text."""

    def __init__(self, disturbed: Disturbed, wording: Wording) -> None:
        self._disturbed, self._wording = disturbed, wording

    def respond(self, sent: SentCall, call_id: str) -> Response:
        """Run a call, or say why not."""
        specs = self._disturbed.world.specs
        spec = specs.get(sent.name)
        if spec is None:
            return Response(self._wording.unknown_tool(sent.name, specs), failed=True)
        try:
            arguments = self._wording.read(json.loads(sent.arguments or "{}"), spec)
        except json.JSONDecodeError as error:
            return Response(self._wording.invalid_json(sent, call_id, spec, error), failed=True)
        if not jsonschema_rs.validator_for(spec.parameters).is_valid(arguments):
            return Response(self._wording.invalid_arguments(sent, spec), failed=True)
        try:
            return Response(text_of(self._disturbed.run(sent.name, arguments)))
        except Exception as error:
            return Response(self._wording.raised(error), failed=True)

    def close(self) -> None:
        """Nothing was started."""


def text_of(value: Any) -> str:
    """A tool's value as the model reads it."""
    if hasattr(value, "is_error"):
        from mcp_world import text_of as text_of_result

        return text_of_result(value)
    return value if isinstance(value, str) else json.dumps(value)


class Plain:
    """`str(exception)`, with a validator in front."""

    def unknown_tool(self, name: str, specs: dict[str, ToolSpec]) -> str:
        """As in the recovery benchmark."""
        return f"Tool '{name}' not found"

    def invalid_json(self, sent: SentCall, call_id: str, spec: ToolSpec, error: json.JSONDecodeError) -> str:
        """The decoder's text."""
        return str(error)

    def invalid_arguments(self, sent: SentCall, spec: ToolSpec) -> str:
        """The validator's first problem."""
        return next(iter(_problems(sent, spec))).message

    def raised(self, error: Exception) -> str:
        """The exception's text."""
        return str(error)

    def read(self, arguments: Any, spec: ToolSpec) -> Any:
        """As they are."""
        return arguments


class LangGraph(Plain):
    """LangGraph's texts, with `handle_tool_errors=True`; broken JSON gets the text that is patched in later."""

    def unknown_tool(self, name: str, specs: dict[str, ToolSpec]) -> str:
        """Every name."""
        return f"Error: {name} is not a valid tool, try one of [{', '.join(specs)}]."

    def invalid_json(self, sent: SentCall, call_id: str, spec: ToolSpec, error: json.JSONDecodeError) -> str:
        """Without this text its run ends in silence."""
        return f"Tool call {sent.name} with id {call_id} could not be executed - arguments were malformed or truncated."

    def invalid_arguments(self, sent: SentCall, spec: ToolSpec) -> str:
        """The arguments, and pydantic's messages; unknown arguments are ignored."""
        found = [one for one in retry_prompt.records(spec.parameters, sent.arguments) if one["type"] != _UNKNOWN]
        lines = "\n".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found)
        shown = f"Error invoking tool '{sent.name}' with kwargs {json.loads(sent.arguments)!r} with error:\n {lines}"
        return f"{shown}\n Please fix the error and try again."

    def raised(self, error: Exception) -> str:
        """Only with `handle_tool_errors`; by default the run dies."""
        return f"Error: {error!r}\n Please fix your mistakes."

    def read(self, arguments: Any, spec: ToolSpec) -> Any:
        """As pydantic does: digits are a number; and without unknown arguments."""
        read = _lax(arguments, spec)
        if not isinstance(read, dict):
            return read
        return {key: value for key, value in read.items() if key in spec.parameters["properties"]}


class PydanticAI(Plain):
    """Pydantic AI's texts; an exception of a tool counts as a ModelRetry with its text, else its run ends."""

    def unknown_tool(self, name: str, specs: dict[str, ToolSpec]) -> str:
        """Every name."""
        return _error(f"Unknown tool name: {name!r}. Available tools: {', '.join(map(repr, sorted(specs)))}")

    def invalid_json(self, sent: SentCall, call_id: str, spec: ToolSpec, error: json.JSONDecodeError) -> str:
        """One record."""
        return _error(list(retry_prompt.records(spec.parameters, sent.arguments)))

    def invalid_arguments(self, sent: SentCall, spec: ToolSpec) -> str:
        """A record for each problem."""
        return _error(list(retry_prompt.records(spec.parameters, sent.arguments)))

    def raised(self, error: Exception) -> str:
        """The author's message."""
        return _error(str(error))

    def read(self, arguments: Any, spec: ToolSpec) -> Any:
        """As pydantic does: digits are a number."""
        return _lax(arguments, spec)


_UNKNOWN = "extra_forbidden"


def _error(value: Any) -> str:
    return json.dumps({"error": value}, separators=(",", ":"))


def _lax(arguments: Any, spec: ToolSpec) -> Any:
    if not isinstance(arguments, dict):
        return arguments
    read = dict(arguments)
    for key, value in arguments.items():
        if spec.parameters["properties"].get(key, {}).get("type") == "integer" and isinstance(value, str):
            try:
                read[key] = int(value)
            except ValueError:
                continue
    return read


def _problems(sent: SentCall, spec: ToolSpec) -> Any:
    return jsonschema_rs.validator_for(spec.parameters).iter_errors(json.loads(sent.arguments))


class Mulligan:
    """mulligan's pipeline: its texts only, or all of it."""

    def __init__(self, disturbed: Disturbed, *, whole: bool) -> None:
        world = disturbed.world
        policy = Policy(repair="all") if whole else Policy(retry=False)
        self._wait_for = getattr(world, "wait_for", None)
        self._pipeline = Pipeline(_tools(disturbed), policy=policy, autoload=False)
        self._whole = whole
        self._callee: Any = self._pipeline.session() if whole else self._pipeline

    def respond(self, sent: SentCall, call_id: str) -> Response:
        """Run a call, or say why not; only the whole pipeline may end the run."""
        call = ToolCall(call_id, sent.name, sent.arguments)
        result: ToolResult = self._wait_for(self._callee.acall(call)) if self._wait_for else self._callee.call(call)
        return Response(result.message("openai")["content"], result.is_error, self._whole and result.fatal)

    def close(self) -> None:
        """End the pipeline's threads."""
        self._pipeline.close()


def _tools(disturbed: Disturbed) -> list[Any]:
    """The tools as their author gives them to mulligan."""
    if hasattr(disturbed.world, "tools"):
        tools: list[Any] = disturbed.world.tools(disturbed.run)
        return tools
    return [_tool(spec, disturbed) for spec in disturbed.world.specs.values()]


def _tool(spec: ToolSpec, disturbed: Disturbed) -> Tool:
    def handler(**arguments: Any) -> Any:
        return disturbed.run(spec.name, arguments)

    hints = {key: True for key in ("read_only", "idempotent", "destructive") if getattr(spec, key)}
    return Tool.from_schema(spec.name, spec.description, spec.parameters, handler, **hints)


ARMS: dict[str, Callable[[Disturbed], Responder]] = {
    "no-faults": lambda disturbed: Loop(disturbed, Plain()),
    "plain": lambda disturbed: Loop(disturbed, Plain()),
    "langgraph": lambda disturbed: Loop(disturbed, LangGraph()),
    "pydantic_ai": lambda disturbed: Loop(disturbed, PydanticAI()),
    "texts": lambda disturbed: Mulligan(disturbed, whole=False),
    "mulligan": lambda disturbed: Mulligan(disturbed, whole=True),
}
UNDISTURBED = "no-faults"
