"""One call on its way to its result, and what it knows of its pipeline: `Invocation`, `Host`, `Memory`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from mulligan.calls import CallEvent, Repair, ToolCall
from mulligan.classify.failure import Failure
from mulligan.deadline import Deadline
from mulligan.errors import ToolError
from mulligan.execute.steps import Middleware, Outcome, Sleep
from mulligan.feedback import FeedbackFormat
from mulligan.hooks.callers import Stages
from mulligan.policy import Limits, Policy
from mulligan.resolve.toolset import Toolset
from mulligan.results import ToolResult
from mulligan.tools import Tool

if TYPE_CHECKING:
    from mulligan.pipeline.result_factory import Answering


class Memory(Protocol):
    """What a conversation remembers of its calls."""

    def begin(self, state: Invocation) -> ToolError | None:
        """An error for a call that the conversation's budget does not allow, or None."""

    def refuse(self, state: Invocation, tool: Tool) -> ToolError | ToolResult | Sleep | None:
        """An error for a validated call that must not be run once more, its recorded result, a wait for it, or None."""

    def failed(self, state: Invocation, error: ToolError) -> tuple[ToolError, str]:
        """Takes note of a failure. Returns the error that counts, and the name of a sentence on the repetition."""

    def finished(self, state: Invocation, result: ToolResult) -> None:
        """Takes note of a result."""

    def abandoned(self, state: Invocation, *, may_have_run: bool) -> None:
        """Takes note of a call that ended without a result."""


class Blame(Protocol):
    """Records what plugins did wrong."""

    def owner(self, item: Any, otherwise: str) -> str:
        """The plugin that contributed something."""

    def fault(self, plugin: str, hook: str, error: str, exception: BaseException | None = None) -> None:
        """Records what a plugin did wrong."""


class Chances(Protocol):
    """Further attempts that nobody had to ask for."""

    def after(self, outcome: Outcome, started: float) -> Middleware:
        """A middleware that is begun after the first run has failed."""


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
        chances: further attempts that nobody had to ask for; None where the policy wants none.
    """

    __slots__ = (
        "answering",
        "blame",
        "chances",
        "clock",
        "limits",
        "middleware",
        "policy",
        "stages",
        "strict",
        "toolset",
    )

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
        chances: Callable[[], Chances] | None = None,
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
        self.chances = chances


class HostView(Host):
    """What the flow knows of a pipeline that shares everything but its tools with another.

    Args:
        toolset: the tools.
        host: the other pipeline's parts.
        policy: the policy, which may let more pass than the other's.
    """

    __slots__ = ("_host",)

    def __init__(self, toolset: Toolset, host: Host, policy: Policy) -> None:
        self._host = host
        super().__init__(
            toolset,
            host.stages,
            policy,
            host.limits,
            host.middleware,
            host.answering,
            host.strict,
            host.clock,
            host.blame,
            host.chances,
        )

    @property
    def stages(self) -> Stages:
        """The compiled hooks of the other, which change when a plugin is set aside."""
        return self._host.stages

    @stages.setter
    def stages(self, stages: Stages) -> None:
        self._host.stages = stages


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
        candidates: the names that the tool's author gives instead of a missing one, once they are listed.
        failure: what happened in the last attempt, or None.
        outcome: how the last attempt ended.
        attempts: how often the tool was run.
        repairs: what was read differently from how it was sent.
        events: what happened so far.
        started: when the call came in, by the host's clock.
        deadline: the moment by which it must have ended, or None.
        step: the number of the conversation's step that it belongs to.
        recording: under which key its answer will be recorded, or None.
    """

    __slots__ = (
        "arguments",
        "attempts",
        "bound",
        "call",
        "candidates",
        "context",
        "deadline",
        "events",
        "failure",
        "format",
        "host",
        "memory",
        "outcome",
        "recording",
        "repairs",
        "stages",
        "started",
        "step",
        "tool",
    )

    def __init__(
        self,
        host: Host,
        call: ToolCall,
        context: Mapping[str, Any] | None = None,
        memory: Memory | None = None,
        format: FeedbackFormat | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        self.host = host
        self.call = call
        self.context = context
        self.memory = memory
        self.format = format
        self.deadline = deadline
        self.stages = host.stages
        self.tool: Tool | None = None
        self.arguments: dict[str, Any] | None = None
        self.bound: dict[str, Any] = {}
        self.failure: Failure | None = None
        self.outcome: Outcome | None = None
        self.candidates: list[str] | None = None
        self.attempts = 0
        self.repairs: tuple[Repair, ...] = ()
        self.events: tuple[CallEvent, ...] = ()
        self.started = 0.0
        self.step = 0
        self.recording: str | None = None

    def hide_secrets(self) -> None:
        """Takes care that no text about the call shows its secrets."""
        host = self.host
        if not host.toolset.secrets:
            return
        answering = host.answering.hide_secrets(self.call, self.tool, host.toolset, self.arguments)
        if answering is not host.answering:
            self.host = HostView(host.toolset, host, host.policy)
            self.host.answering = answering

    def note(self, event: CallEvent) -> None:
        """Keeps an event for the result, and tells the observers."""
        self.events += (event,)
        self.stages.observe(event)
