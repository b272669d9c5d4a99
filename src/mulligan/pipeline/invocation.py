"""One call on its way to its result, and what it knows of its pipeline: `Invocation`, `Runtime`, `Memory`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from mulligan.calls import CallEvent, Repair, ToolCall
from mulligan.classify.failure import Failure
from mulligan.deadline import Deadline
from mulligan.errors import ToolError
from mulligan.execute.steps import Middleware, Outcome, Sleep
from mulligan.feedback import FeedbackFormat
from mulligan.hooks.callers import CompiledHooks
from mulligan.policy import Limits, Policy
from mulligan.resolve.toolset import Toolset
from mulligan.results import ToolResult
from mulligan.tools import Tool

if TYPE_CHECKING:
    from mulligan.pipeline.result_factory import ResultFactory


class Memory(Protocol):
    """What a conversation remembers of its calls."""

    def begin(self, invocation: Invocation) -> ToolError | None:
        """An error for a call that the conversation's budget does not allow, or None."""

    def refuse(self, invocation: Invocation, tool: Tool) -> ToolError | ToolResult | Sleep | None:
        """An error for a validated call that must not be run once more, its recorded result, a wait for it, or None."""

    def record_failure(self, invocation: Invocation, error: ToolError) -> tuple[ToolError, str]:
        """Takes note of a failure. Returns the error that counts, and the name of a sentence on the repetition."""

    def record_result(self, invocation: Invocation, result: ToolResult) -> None:
        """Takes note of a result."""

    def record_abandoned(self, invocation: Invocation, *, may_have_run: bool) -> None:
        """Takes note of a call that ended without a result."""


class FaultLog(Protocol):
    """Records what plugins did wrong."""

    def plugin_of(self, item: Any, otherwise: str) -> str:
        """The plugin that contributed something."""

    def report(self, plugin: str, hook: str, error: str, exception: BaseException | None = None) -> None:
        """Records what a plugin did wrong."""


class DefaultRetry(Protocol):
    """Further attempts that nobody had to ask for."""

    def after(self, outcome: Outcome, started: float) -> Middleware:
        """A middleware that is begun after the first run has failed."""


class Runtime:
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
        "clock",
        "default_retry",
        "fault_log",
        "hooks",
        "limits",
        "middleware",
        "policy",
        "result_factory",
        "strict",
        "toolset",
    )

    def __init__(
        self,
        toolset: Toolset,
        hooks: CompiledHooks,
        policy: Policy,
        limits: Limits,
        middleware: tuple[Middleware, ...],
        result_factory: ResultFactory,
        strict: bool,
        clock: Callable[[], float],
        fault_log: FaultLog,
        default_retry: Callable[[], DefaultRetry] | None = None,
    ) -> None:
        self.toolset = toolset
        self.hooks = hooks
        self.policy = policy
        self.limits = limits
        self.middleware = middleware
        self.result_factory = result_factory
        self.strict = strict
        self.clock = clock
        self.fault_log = fault_log
        self.default_retry = default_retry


class RuntimeView(Runtime):
    """What the flow knows of a pipeline that shares everything but its tools with another.

    Args:
        toolset: the tools.
        host: the other pipeline's parts.
        policy: the policy, which may let more pass than the other's.
    """

    __slots__ = ("_runtime",)

    def __init__(self, toolset: Toolset, runtime: Runtime, policy: Policy) -> None:
        self._runtime = runtime
        super().__init__(
            toolset,
            runtime.hooks,
            policy,
            runtime.limits,
            runtime.middleware,
            runtime.result_factory,
            runtime.strict,
            runtime.clock,
            runtime.fault_log,
            runtime.default_retry,
        )

    @property
    def hooks(self) -> CompiledHooks:
        """The compiled hooks of the other, which change when a plugin is set aside."""
        return self._runtime.hooks

    @hooks.setter
    def hooks(self, hooks: CompiledHooks) -> None:
        self._runtime.hooks = hooks


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
        "call",
        "candidates",
        "context",
        "deadline",
        "events",
        "failure",
        "format",
        "handler_arguments",
        "hooks",
        "memory",
        "outcome",
        "recording_key",
        "repairs",
        "runtime",
        "started",
        "step",
        "tool",
    )

    def __init__(
        self,
        runtime: Runtime,
        call: ToolCall,
        context: Mapping[str, Any] | None = None,
        memory: Memory | None = None,
        format: FeedbackFormat | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        self.runtime = runtime
        self.call = call
        self.context = context
        self.memory = memory
        self.format = format
        self.deadline = deadline
        self.hooks = runtime.hooks
        self.tool: Tool | None = None
        self.arguments: dict[str, Any] | None = None
        self.handler_arguments: dict[str, Any] = {}
        self.failure: Failure | None = None
        self.outcome: Outcome | None = None
        self.candidates: list[str] | None = None
        self.attempts = 0
        self.repairs: tuple[Repair, ...] = ()
        self.events: tuple[CallEvent, ...] = ()
        self.started = 0.0
        self.step = 0
        self.recording_key: str | None = None

    def hide_secrets(self) -> None:
        """Takes care that no text about the call shows its secrets."""
        runtime = self.runtime
        if not runtime.toolset.secrets:
            return
        result_factory = runtime.result_factory.hide_secrets(self.call, self.tool, runtime.toolset, self.arguments)
        if result_factory is not runtime.result_factory:
            self.runtime = RuntimeView(runtime.toolset, runtime, runtime.policy)
            self.runtime.result_factory = result_factory

    def note(self, event: CallEvent) -> None:
        """Keeps an event for the result, and tells the observers."""
        self.events += (event,)
        self.hooks.observe(event)
