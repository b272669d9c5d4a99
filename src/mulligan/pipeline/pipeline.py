"""The pipeline: tools, plugins and settings put together, and the calls that users make."""

from __future__ import annotations

import copy
import time
from collections.abc import Coroutine, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from mulligan.calls import ToolCall
from mulligan.errors import ToolError
from mulligan.events import PluginFaulted
from mulligan.execute.steps import Middleware
from mulligan.execute.sync_driver import drive
from mulligan.execute.workers import PipelineWorkers
from mulligan.feedback import FeedbackFormat
from mulligan.pipeline.assembly import (
    as_call,
    as_invocation,
    attach_formats,
    checked_block,
    checked_middleware,
    checked_policy,
    default_retry,
    runtime_view,
)
from mulligan.pipeline.diagnosis import Diagnosis
from mulligan.pipeline.flow import invoke
from mulligan.pipeline.invocation import Runtime
from mulligan.pipeline.logs import Logs
from mulligan.pipeline.messages import (
    acall_each,
    answers_on_error,
    async_driver,
    call_each,
    read_message,
    write_answers,
)
from mulligan.policy import Limits, Policy
from mulligan.resolve.toolset import Toolset
from mulligan.results import Answers, ToolResult
from mulligan.secrets.redaction import Redactor
from mulligan.tools import Tool

if TYPE_CHECKING:
    from mulligan.hooks.discovery import PluginFault, PluginInfo
    from mulligan.pipeline.session import Session
    from mulligan.session.budget import Budget


class Pipeline:
    """Gives every tool call of a language model a second chance. A context manager, sync and async.

    Args:
        tools: tools, plain functions and toolsets; they are copied into `Pipeline.tools`, which can change at run time.
        plugins: modules and instances with hookimpls, called before installed ones.
        autoload: whether installed plugins register themselves.
        block: names of plugins that are not used, built-in ones too.
        policy: what counts as fatal, what may be repaired, how much of a foreign text the model reads.
        limits: bounds.
        format: the feedback format: `text`, `json`, `block`, or one of a plugin.
        middleware: runs around every tool, the outermost first.
        strict: whether every ToolError and every plugin fault is raised, for tests.

    Raises:
        UsageError: an argument is invalid; names the culprit and the next step.
    """

    def __init__(
        self,
        tools: Iterable[Any] = (),
        *,
        plugins: Iterable[Any] = (),
        autoload: bool = True,
        block: Iterable[str] = (),
        policy: Policy | None = None,
        limits: Limits | None = None,
        format: str | FeedbackFormat = "text",
        middleware: Iterable[Middleware] = (),
        strict: bool = False,
    ) -> None:
        from mulligan.hooks.manager import PluginManager
        from mulligan.pipeline.assembly import assemble, record_silent_format
        from mulligan.pipeline.result_factory import ResultFactory

        self.tools = Toolset(tools)
        self.policy, self.limits = checked_policy(policy, limits)
        self.redactor = Redactor()
        self._manager = PluginManager(strict, self.limits, self.redactor.redact, self._on_fault)
        assemble(self._manager, self.policy, self.limits, plugins, autoload=autoload, block=checked_block(block))
        self._result_factory = ResultFactory(self.policy, self.limits, self.redactor)
        self._result_factory.on_silent_format = partial(record_silent_format, self._manager)
        self._runtime = Runtime(
            self.tools,
            self._manager.compile(),
            self.policy,
            self.limits,
            checked_middleware(middleware),
            self._result_factory,
            strict,
            time.monotonic,
            self._manager,
            default_retry(self.policy),
        )
        self._diagnosis = Diagnosis(self._runtime)
        attach_formats(self._result_factory, self._runtime.hooks, self.tools, format)
        self._workers = PipelineWorkers(self.limits)
        self._logs = Logs(partial(self._manager.add, built_in=True), self._result_factory.sanitize_line)
        if (level := self._logs.read_env_level()) is not None:
            self.enable_logging(level)

    def _on_fault(self, fault: PluginFault, is_disabled: bool) -> None:
        if is_disabled and hasattr(self, "_runtime"):
            self._runtime.hooks = self._manager.compile()
        if fault.hook != "observe" and hasattr(self, "_runtime"):
            self._runtime.hooks.observe(PluginFaulted(fault.plugin, fault.hook, fault.error, is_disabled))

    def with_tools(self, tools: Iterable[Any], *, control_flow: Iterable[Any] = ()) -> Pipeline:
        """A pipeline with other tools that shares everything else with this one: plugins, policy, threads.

        It is cheap, so an agent can have one for the tools that it may call now. Sessions work with both.

        Args:
            tools: tools, plain functions and toolsets.
            control_flow: exceptions that pass through unchanged in addition to those of the policy, as classes or
                qualified names.

        Raises:
            UsageError: two tools have the same name, or an object cannot be a tool.
        """
        other, runtime = copy.copy(self), runtime_view(self._runtime, tools, control_flow)
        vars(other).update(
            tools=runtime.toolset, policy=runtime.policy, _runtime=runtime, _diagnosis=Diagnosis(runtime)
        )
        return other

    @property
    def plugins(self) -> tuple[PluginInfo, ...]:
        """Every plugin: name, distribution, version, hooks, state and error."""
        return self._manager.infos

    @property
    def faults(self) -> tuple[PluginFault, ...]:
        """The faults of plugins so far, the last thousand."""
        return self._manager.faults

    def call(
        self,
        name_or_call: str | ToolCall,
        arguments: Any = None,
        *,
        call_id: str | None = None,
        session: Session | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> ToolResult:
        """Runs one tool call. Never raises for what the model, the tool or a plugin did.

        Args:
            name_or_call: the tool's name, or a whole `ToolCall`.
            arguments: JSON text or a mapping.
            call_id: the model's id of the call.
            session: the conversation it belongs to.
            context: values for `Injected` parameters, by name.

        Raises:
            UsageError: a mistake in the host's own code; an async tool inside a running event loop.
            ToolError: in strict mode.
        """
        return drive(
            invoke(as_invocation(self._runtime, name_or_call, arguments, call_id, session, context)), self._workers
        )

    def acall(
        self,
        name_or_call: str | ToolCall,
        arguments: Any = None,
        *,
        call_id: str | None = None,
        session: Session | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, ToolResult]:
        """`call`, awaited: async tools run on the event loop, sync ones in a thread unless declared `inline`."""
        return async_driver()(
            invoke(as_invocation(self._runtime, name_or_call, arguments, call_id, session, context)), self._workers
        )

    def call_many(
        self, calls: Iterable[Any], *, session: Session | None = None, context: Mapping[str, Any] | None = None
    ) -> list[ToolResult]:
        """Runs several calls one after the other, results in order; a failure does not affect the others.

        Args:
            calls: `ToolCall`s, or pairs of name and arguments.
            session: the conversation they belong to.
            context: values for `Injected` parameters, by name.
        """
        return call_each(self, self._runtime, [as_call(given) for given in calls], session, context)

    async def acall_many(
        self, calls: Iterable[Any], *, session: Session | None = None, context: Mapping[str, Any] | None = None
    ) -> list[ToolResult]:
        """`call_many`, awaited: all calls concurrently, results in order.

        Raises:
            asyncio.CancelledError: the host cancelled the batch; its attribute `results` holds the results of the calls
                that had ended, and None for the others.
        """
        return await acall_each(self, self._runtime, [as_call(given) for given in calls], session, context)

    def answer(
        self, message: Any, *, session: Session | None = None, context: Mapping[str, Any] | None = None
    ) -> Answers:
        """Runs every tool call of a model's message and returns the messages that answer it, in the same shape.

        Args:
            message: the provider's message, as its SDK's object or as plain values; the shape is detected.
            session: the conversation it belongs to.
            context: values for `Injected` parameters, by name.

        Raises:
            UsageError: no dialect recognises the message.
            ToolError: in strict mode, once all calls have run; its attribute `answers` holds the answers to all of them,
                as its attribute `results` does after `call_many`.
        """
        dialect, calls = read_message(message, self._result_factory.dialects, self._manager)
        with answers_on_error(dialect, self._manager):
            return write_answers(dialect, call_each(self, self._runtime, calls, session, context), self._manager)

    async def aanswer(
        self, message: Any, *, session: Session | None = None, context: Mapping[str, Any] | None = None
    ) -> Answers:
        """`answer`, awaited: all calls concurrently."""
        dialect, calls = read_message(message, self._result_factory.dialects, self._manager)
        with answers_on_error(dialect, self._manager):
            return write_answers(dialect, await acall_each(self, self._runtime, calls, session, context), self._manager)

    def classify(
        self, exception_or_value: Any, *, tool: Tool | str | None = None, arguments: Mapping[str, Any] | None = None
    ) -> ToolError | None:
        """Classifies a failure, without running anything.

        Args:
            exception_or_value: what a tool raised or returned.
            tool: the tool, or any name.
            arguments: the call's arguments.

        Returns:
            The error, its fatality decided; None if a value reports no failure.
        """
        return self._diagnosis.classify(exception_or_value, tool, arguments)

    def recover(self, text_or_exception: str | BaseException) -> ToolResult:
        """The feedback for a tool failure that another runtime reported only as text, or raised.

        Args:
            text_or_exception: its report.
        """
        return self._diagnosis.recover(text_or_exception)

    def session(
        self, id: str | None = None, *, format: str | FeedbackFormat | None = None, budget: Budget | None = None
    ) -> Session:
        """Creates a conversation, which notices a call that fails repeatedly, and enforces a budget.

        Args:
            id: its id, for logs.
            format: its feedback format, by default the pipeline's.
            budget: how much it may use, by default any amount.

        Raises:
            UsageError: no format has that name, or `budget` is not a `Budget`.
        """
        from mulligan.pipeline.session import Session

        return Session(self, self._runtime, self._diagnosis, id, format=format, budget=budget)

    def enable_logging(self, level: str = "INFO") -> None:
        """Starts writing log lines through loguru; if logging is on already, changes the level.

        Args:
            level: the lowest level: `INFO` for every call, `SUCCESS`, `WARNING`, or `ERROR` for failures only.

        Raises:
            UsageError: no such level.
        """
        if self._logs.enable(level):
            self._runtime.hooks = self._manager.compile()

    def close(self) -> None:
        """Frees threads and event loops; later calls create new ones as needed."""
        self._workers.close()

    async def aclose(self) -> None:
        """`close`, for `async with`."""
        self.close()

    def __enter__(self) -> Pipeline:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Pipeline:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"Pipeline({len(self.tools)} tools, {len(self.plugins)} plugins)"
