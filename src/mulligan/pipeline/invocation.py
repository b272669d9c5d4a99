"""One call on its way to its result, and what it knows of its pipeline: `Invocation`, `Runtime`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import attrs

from mulligan.calls import ApprovalRequested, CallEvent, CallRepaired, Repair, ToolCall
from mulligan.classify.failure import Failure
from mulligan.deadline import Deadline
from mulligan.errors import ToolArgumentError
from mulligan.execute.steps import Middleware, Outcome
from mulligan.feedback import FeedbackFormat
from mulligan.hooks.callers import CompiledHooks
from mulligan.pipeline.stats import Stats
from mulligan.policy import Limits, Policy
from mulligan.resolve.toolset import Toolset
from mulligan.tools import Tool
from mulligan.validate.arguments import read_arguments

if TYPE_CHECKING:
    from mulligan.classify.classifier import Classifier
    from mulligan.execute.approval import Approver, Decision
    from mulligan.execute.executors import ToolExecutor
    from mulligan.hooks.manager import PluginManager
    from mulligan.middleware.retries import DefaultRetry
    from mulligan.render.renderer import Renderer
    from mulligan.session.memory import SessionMemory


@attrs.define(eq=False, repr=False)
class Runtime:
    """What the flow knows of its pipeline.

    Attributes:
        toolset: the tools.
        hooks: the compiled hooks.
        policy: what counts as fatal, what may be repaired.
        limits: bounds.
        middleware: what runs around every tool, the outermost first.
        classifier: says what failures mean.
        renderer: shows them without secrets.
        strict: whether errors are raised.
        clock: monotonic seconds.
        fault_log: records what a plugin did wrong.
        default_retry: makes the automatic retry; None if the policy disables it.
        approver: asks a person about a call, or None.
        stats: counts the calls of each tool.
        executors: those that plugins contribute, by name.
    """

    toolset: Toolset
    hooks: CompiledHooks
    policy: Policy
    limits: Limits
    middleware: tuple[Middleware, ...]
    classifier: Classifier
    renderer: Renderer
    strict: bool
    clock: Callable[[], float]
    fault_log: PluginManager
    default_retry: Callable[[], DefaultRetry] | None = None
    approver: Approver | None = None
    stats: Stats = attrs.field(factory=Stats)
    executors: Mapping[str, ToolExecutor] = attrs.field(factory=dict)


_new_tuple = tuple.__new__  # makes a `ToolCall` in half the time that its own constructor takes, once for each call
_shared_parts = attrgetter(
    "limits",
    "middleware",
    "classifier",
    "renderer",
    "strict",
    "clock",
    "fault_log",
    "default_retry",
    "approver",
    "stats",
    "executors",
)


class RuntimeView(Runtime):
    """What the flow knows of a pipeline that shares everything but its tools with another.

    Args:
        toolset: the tools.
        runtime: what the flow knows of the other pipeline.
        policy: the policy, which may let more pass than the other's.
    """

    __slots__ = ("_runtime",)

    def __init__(self, toolset: Toolset, runtime: Runtime, policy: Policy) -> None:
        self._runtime = runtime
        super().__init__(toolset, runtime.hooks, policy, *_shared_parts(runtime))

    @property
    def hooks(self) -> CompiledHooks:
        """The compiled hooks of the other, which change when a plugin is disabled."""
        return self._runtime.hooks

    @hooks.setter
    def hooks(self, hooks: CompiledHooks) -> None:
        self._runtime.hooks = hooks


@attrs.define(eq=False, repr=False, weakref_slot=False)
class Invocation:
    """One call on its way to its result.

    Attributes:
        runtime: what the flow knows of its pipeline.
        hooks: the compiled hooks as they were when the call came in.
        id: the id that the model gave to the call, or None.
        name: the name that was called; after a repair, the repaired one.
        given: the arguments as they were sent; after a repair, the repaired ones.
        whole: the call as one object, once anything needs it: most calls succeed without.
        sent: the call as the model sent it, once the observers know of it or it was changed; until then None.
        context: values for injected parameters, by name.
        memory: the conversation's, or None.
        format: the conversation's feedback format, or None.
        deadline: the moment by which it must have ended, or None.
        tool: the tool, once it is resolved.
        arguments_text: the arguments as JSON text, once they have been read.
        fresh_arguments: what was read from it; None once the tool has it.
        unvalidated: the JSON values of a call whose tool does not exist, once they are read.
        keywords: the handler's keyword arguments, once the arguments are validated; None once the tool has them.
        candidates: the names that the tool's author gives instead of a missing one, once they are listed.
        failure: what happened in the last attempt, or None.
        outcome: how the last attempt ended.
        attempts: how often the tool was run.
        repairs: what was read differently from how it was sent.
        events: what happened so far.
        started: when the call came in, by the runtime's clock.
        step: the number of the conversation's step that it belongs to.
        recording_key: under which key its answer will be recorded, or None.
        decision: what a person has decided about it already, or None.
        waited: seconds that a person took to decide.
        is_open: whether the observers know that it came in, and not yet how it ended.
        is_continued: whether a framework interrupted this call before, and makes it again.
    """

    runtime: Runtime
    hooks: CompiledHooks
    id: str | None
    name: str
    given: Any
    whole: ToolCall | None = None
    context: Mapping[str, Any] | None = None
    memory: SessionMemory | None = None
    format: FeedbackFormat | None = None
    deadline: Deadline | None = None
    sent: ToolCall | None = None
    tool: Tool | None = None
    arguments_text: str | None = None
    fresh_arguments: dict[str, Any] | None = None
    unvalidated: dict[str, Any] | None = None
    candidates: list[str] | None = None
    failure: Failure | None = None
    outcome: Outcome | None = None
    attempts: int = 0
    repairs: tuple[Repair, ...] = ()
    events: tuple[CallEvent, ...] = ()
    started: float = 0.0
    step: int = 0
    recording_key: str | None = None
    decision: Decision | None = None
    waited: float = 0.0
    is_open: bool = False
    is_continued: bool = False
    keywords: dict[str, Any] | None = None

    @property
    def call(self) -> ToolCall:
        """The call; after a repair, the repaired one."""
        if self.whole is None:
            self.whole = _new_tuple(ToolCall, (self.id, self.name, self.given))
        return self.whole

    @call.setter
    def call(self, call: ToolCall) -> None:
        self.whole = call
        self.id, self.name, self.given = call.id, call.name, call.arguments

    @property
    def arguments(self) -> dict[str, Any] | None:
        """The validated JSON values, once there are any: always as they were sent, whatever the tool does with its own."""
        if self.fresh_arguments is None and self.arguments_text is not None:
            self.fresh_arguments = self.read_again()
        return self.fresh_arguments

    @property
    def target(self) -> tuple[Tool | None, str | None, dict[str, Any] | None]:
        """The tool and the arguments, to return to if the call is read in another way that turns out wrong."""
        return self.tool, self.arguments_text, self.fresh_arguments

    @target.setter
    def target(self, target: tuple[Tool | None, str | None, dict[str, Any] | None]) -> None:
        self.tool, self.arguments_text, self.fresh_arguments = target

    def read_arguments(self) -> dict[str, Any]:
        """The validated JSON values; empty if there are none."""
        return self.arguments or {}

    def read_again(self) -> dict[str, Any]:
        """The arguments once more, from their text: they share nothing with those that the tool has."""
        assert self.tool is not None
        assert self.arguments_text is not None
        return read_arguments(self.arguments_text, self.runtime.limits, numbers=self.tool.numbers)

    @property
    def handler_arguments(self) -> dict[str, Any]:
        """The handler's keyword arguments, which are built again if the tool has had them.

        Raises:
            ToolArgumentError: the host's own classes refuse now what they took before.
        """
        if self.keywords is None:
            assert self.tool is not None
            fitted = self.tool.fit(self.read_again())
            if isinstance(fitted, ToolArgumentError):
                raise fitted
            self.keywords = fitted
        return self.keywords

    @property
    def session_id(self) -> str | None:
        """The conversation's id, or None."""
        return None if self.memory is None else self.memory.id

    @property
    def conversation(self) -> int:
        """The number of the conversation in this process; 0 outside one."""
        return 0 if self.memory is None else self.memory.number

    @property
    def toolset(self) -> Mapping[str, Tool]:
        """The tools that could be called, by name; it cannot be changed."""
        return self.runtime.toolset.view

    @property
    def redact(self) -> Callable[[str], str]:
        """Removes the secrets from a text, as everything does that shows this call."""
        return self.runtime.renderer.redactor.redact

    def display_arguments(self) -> str:
        """The arguments of the call as one short, redacted line."""
        return self.runtime.renderer.display_arguments(self.call, self.tool, self.runtime.toolset)

    def display_sent(self) -> str:
        """The arguments as they were sent, as one short, redacted line."""
        sent, toolset = self.sent or self.call, self.runtime.toolset
        return self.runtime.renderer.display_arguments(sent, toolset.get(sent.name), toolset)

    def hide_secrets(self) -> None:
        """Ensures that no text about the call shows its secrets."""
        runtime = self.runtime
        if not runtime.toolset.secrets:
            return
        renderer = runtime.renderer.hide_secrets(self.call, self.tool, runtime.toolset, self.arguments)
        if renderer is not runtime.renderer:
            self.runtime = RuntimeView(runtime.toolset, runtime, runtime.policy)
            self.runtime.renderer = renderer

    def note(self, event: CallEvent) -> None:
        """Keeps an event for the result, and notifies the observers."""
        self.events += (event,)
        if not (self.is_continued and isinstance(event, (ApprovalRequested, CallRepaired))):  # they received it before
            self.hooks.observe(event)
