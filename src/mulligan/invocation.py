"""One call on its way to its result, and what it knows of its pipeline: `Invocation`, `Host`, `Memory`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from mulligan.answering import Answering
from mulligan.calls import Repair, ToolCall
from mulligan.errors import ToolError
from mulligan.events import Event
from mulligan.failure import Failure
from mulligan.feedback import FeedbackFormat
from mulligan.policy import Limits, Policy
from mulligan.stages import Stages
from mulligan.steps import Middleware, Outcome
from mulligan.tools import Tool
from mulligan.toolset import Toolset


class Memory(Protocol):
    """What a conversation remembers of its calls."""

    def refuse(self, call: ToolCall, tool: Tool, arguments: Mapping[str, Any]) -> ToolError | None:
        """An error for a call that must not be run once more, or None."""

    def failed(self, call: ToolCall, arguments: Mapping[str, Any] | None, error: ToolError) -> tuple[ToolError, str]:
        """Takes note of a failure. Returns the error that counts, and a sentence on the repetition or nothing."""

    def succeeded(self, call: ToolCall, arguments: Mapping[str, Any], content: str) -> None:
        """Takes note of a success."""


class Blame(Protocol):
    """Records what plugins did wrong."""

    def owner(self, item: Any, otherwise: str) -> str:
        """The plugin that contributed something."""

    def fault(self, plugin: str, hook: str, error: str, exception: BaseException | None = None) -> None:
        """Records what a plugin did wrong."""


class Host:
    """What the flow knows of its pipeline.

    Attributes:
        toolset: the tools.
        stages: the compiled hooks.
        policy: what counts as fatal, what may be repaired.
        limits: bounds.
        middleware: what runs around every tool, the outermost first.
        answering: makes results.
        strict: whether errors are raised.
        clock: monotonic seconds.
        blame: records what a plugin did wrong.
    """

    __slots__ = ("answering", "blame", "clock", "limits", "middleware", "policy", "stages", "strict", "toolset")

    def __init__(
        self,
        toolset: Toolset,
        stages: Stages,
        policy: Policy,
        limits: Limits,
        middleware: tuple[Middleware, ...],
        answering: Answering,
        strict: bool,
        clock: Callable[[], float],
        blame: Blame,
    ) -> None:
        self.toolset = toolset
        self.stages = stages
        self.policy = policy
        self.limits = limits
        self.middleware = middleware
        self.answering = answering
        self.strict = strict
        self.clock = clock
        self.blame = blame


class Invocation:
    """One call on its way to its result.

    Attributes:
        host: the pipeline's parts.
        call: the call; after a repair, the repaired one.
        context: values for injected parameters, by name.
        memory: the conversation's, or None.
        format: the conversation's feedback format, or None.
        stages: the compiled hooks as they were when the call came in.
        tool: the tool, once it is resolved.
        arguments: the validated JSON values, once there are any.
        bound: the handler's keyword arguments.
        failure: what happened in the last attempt, or None.
        outcome: how the last attempt ended.
        attempts: how often the tool was run.
        repairs: what was read differently from how it was sent.
        events: what happened so far.
        started: when the call came in, by the host's clock.
    """

    __slots__ = (
        "arguments",
        "attempts",
        "bound",
        "call",
        "context",
        "events",
        "failure",
        "format",
        "host",
        "memory",
        "outcome",
        "repairs",
        "stages",
        "started",
        "tool",
    )

    def __init__(
        self,
        host: Host,
        call: ToolCall,
        context: Mapping[str, Any] | None = None,
        memory: Memory | None = None,
        format: FeedbackFormat | None = None,
    ) -> None:
        self.host = host
        self.call = call
        self.context = context
        self.memory = memory
        self.format = format
        self.stages = host.stages
        self.tool: Tool | None = None
        self.arguments: dict[str, Any] | None = None
        self.bound: dict[str, Any] = {}
        self.failure: Failure | None = None
        self.outcome: Outcome | None = None
        self.attempts = 0
        self.repairs: tuple[Repair, ...] = ()
        self.events: tuple[Event, ...] = ()
        self.started = 0.0

    def note(self, event: Event) -> None:
        """Keeps an event for the result, and tells the observers."""
        self.events += (event,)
        self.stages.observe(event)
