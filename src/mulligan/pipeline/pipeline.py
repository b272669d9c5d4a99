"""What users call: `Pipeline`, which takes each call through the stages, and `Session`, one conversation with it."""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from mulligan.calls import PreparedCall, ToolCall, id_or_none
from mulligan.deadline import Deadline
from mulligan.dialects.readers import name_text
from mulligan.errors import ToolError, UsageError
from mulligan.events import Event, PluginFaulted, RequestNoted
from mulligan.execute.steps import GeneratorFlow, Middleware
from mulligan.execute.sync_driver import drive
from mulligan.execute.workers import PipelineWorkers
from mulligan.feedback import FeedbackFormat
from mulligan.pipeline.assembly import (
    as_call,
    as_calls,
    attach_formats,
    check_executors,
    checked_block,
    checked_middleware,
    checked_policy,
    checked_switch,
    default_retry,
    runtime_view,
)
from mulligan.pipeline.diagnosis import Diagnosis
from mulligan.pipeline.flow import Call, find_approval, prepare
from mulligan.pipeline.invocation import Runtime
from mulligan.pipeline.logs import Logging, env_level
from mulligan.pipeline.messages import (
    acall_each,
    answers_on_error,
    async_driver,
    call_each,
    observed_step,
    read_message,
    write_answers,
)
from mulligan.pipeline.stats import ToolStats
from mulligan.policy import Limits, Policy
from mulligan.resolve.toolset import Toolset
from mulligan.results import Answers, ToolResult
from mulligan.secrets.redaction import Redactor
from mulligan.tools import Tool
from mulligan.untrusted.objects import call_safely
from mulligan.untrusted.text import safe_repr

if TYPE_CHECKING:
    from mulligan.execute.approval import ApprovalRequest, Approver, Decision
    from mulligan.execute.executors import ExecutorInfo
    from mulligan.hooks.callers import CompiledHooks
    from mulligan.hooks.discovery import PluginFault, PluginInfo
    from mulligan.session.budget import Budget
    from mulligan.session.memory import SessionMemory
    from mulligan.session.tally import Summary


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
        tool_options: options of `@tool` for several tools at once, by name pattern (`"read_*"`) or tag (`"tag:billing"`);
            each entry is a mapping or `ToolOptions`. A later entry overrides an earlier one, and each overrides what the
            tool itself declares. Tools that are added later, and those of `with_tools`, get the options too.
        approver: asks a person about a call that needs approval: a function of an `ApprovalRequest`, sync or async, that
            returns `Approve()`, `Approve(arguments=...)` or `Reject(reason)`; None leaves the call undecided. If it
            raises, the call is refused.

    Raises:
        UsageError: an argument is invalid, or an entry of `tool_options` matches none of the tools; names the culprit and the
            next step.
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
        tool_options: Mapping[str, Mapping[str, Any]] | None = None,
        approver: Approver | None = None,
    ) -> None:
        from mulligan.classify.classifier import Classifier
        from mulligan.hooks.manager import PluginManager
        from mulligan.pipeline.assembly import assemble, record_silent_format
        from mulligan.render.renderer import Renderer

        autoload, strict = checked_switch("autoload", autoload), checked_switch("strict", strict)
        self.tools = Toolset(tools, tool_options=tool_options)
        if self.tools:
            self.tools.tool_options.check_matched(self.tools.values())
        self.policy, self.limits = checked_policy(policy, limits)
        self.redactor = Redactor()
        self._manager = PluginManager(strict, self.limits, self.redactor.redact, self._on_fault, self._on_load)
        self._renderer = Renderer(self.policy, self.limits, self.redactor)
        self._logging = Logging(self._renderer)
        blocked = checked_block(block)
        assemble(self._manager, self.policy, self.limits, plugins, self._logging, autoload=autoload, block=blocked)
        self._renderer.on_silent_format = partial(record_silent_format, self._manager)
        self._runtime = Runtime(
            self.tools,
            self._manager.compile(),
            self.policy,
            self.limits,
            checked_middleware(middleware),
            Classifier(self.policy),
            self._renderer,
            strict,
            time.monotonic,
            self._manager,
            default_retry(self.policy),
            None if approver is None else _checked_approver(approver),
        )
        if (level := env_level()) is not None:
            self.enable_logging(level)
        for fault in self._manager.faults:  # of loading, before anything could observe it
            self._log(PluginFaulted(fault.plugin, fault.hook, fault.error, set_aside=False))
        self._diagnosis = Diagnosis(self._runtime)
        attach_formats(self._renderer, self._runtime.hooks, self.tools, format)
        self._runtime.executors = self._runtime.hooks.executors()
        check_executors(self.tools, self._runtime.executors)
        self._workers = PipelineWorkers(self.limits)

    @classmethod
    def from_config(cls, path: str | os.PathLike[str] | None = None, *, tools: Iterable[Any] = ()) -> Self:
        """A pipeline with the settings of a configuration file: `mulligan.toml`, or `[tool.mulligan]` in `pyproject.toml`.

        The file may hold `plugins`, `block`, `autoload`, `format` and `log`, as for the command line, and a table `tools` of
        options by name pattern or tag, as `tool_options` takes them.

        Args:
            path: the file. By default the nearest, in the current directory or above it; in one directory, `mulligan.toml`
                is first.
            tools: tools, plain functions and toolsets.

        Raises:
            UsageError: there is no file, it has an unknown key or an invalid value, or a pattern matches none of the tools;
                names the file and the key.
        """
        from mulligan.pipeline.config import require_config

        config = require_config(path)
        pipeline = cls(
            tools,
            plugins=config.load_plugins(),
            autoload=config.autoload is not False,
            block=config.block,
            format=config.format or "text",
            tool_options=config.tool_options,
        )
        if config.log not in (None, "OFF"):
            pipeline.enable_logging(config.log)
        return pipeline

    def _log(self, event: Event) -> None:
        if not self._manager.is_blocked("logging"):
            call_safely(lambda: self._logging.observe(event))

    def _on_fault(self, fault: PluginFault, is_disabled: bool) -> None:
        if is_disabled and hasattr(self, "_runtime"):
            self._runtime.hooks = self._manager.compile()
        if hasattr(self, "_runtime"):
            event = PluginFaulted(fault.plugin, fault.hook, fault.error, is_disabled)
            if fault.hook == "observe":  # an observer that hears of another's fault may fail again, and so on
                self._log(event)
            else:
                self._runtime.hooks.observe(event)

    def _on_load(self, hooks: CompiledHooks) -> None:
        self._runtime.hooks = hooks

    def with_tools(
        self,
        tools: Iterable[Any],
        *,
        control_flow: Iterable[Any] = (),
        approver: Approver | None = None,
        tool_options: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Pipeline:
        """A pipeline with other tools that shares everything else with this one: plugins, policy, threads.

        It is cheap, so an agent can have one for the tools that it may call now. Sessions work with both.

        Args:
            tools: tools, plain functions and toolsets.
            control_flow: exceptions that pass through unchanged in addition to those of the policy, as classes or
                qualified names.
            approver: asks a person instead of this pipeline's approver.
            tool_options: options of tools by name pattern or tag, in addition to those of this pipeline.

        Raises:
            UsageError: two tools have the same name, an object cannot be a tool, or an option is invalid.
        """
        other, runtime = copy.copy(self), runtime_view(self._runtime, tools, control_flow, tool_options)
        if approver is not None:
            runtime.approver = _checked_approver(approver)
        vars(other).update(
            tools=runtime.toolset, policy=runtime.policy, _runtime=runtime, _diagnosis=Diagnosis(runtime)
        )
        return other

    @property
    def approver(self) -> Approver | None:
        """What asks a person about a call that needs approval, or None."""
        return self._runtime.approver

    @property
    def plugins(self) -> tuple[PluginInfo, ...]:
        """Every plugin: name, distribution, version, hooks, state and error."""
        return self._manager.infos

    @property
    def executors(self) -> tuple[ExecutorInfo, ...]:
        """The executors that plugins contribute or tools bring along, each with its tools and what is wrong with it."""
        from mulligan.execute.executors import list_executors

        return list_executors(self.tools.values(), self._runtime.executors)

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
        return drive(as_invocation(self._runtime, name_or_call, arguments, call_id, session, context), self._workers)

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
            as_invocation(self._runtime, name_or_call, arguments, call_id, session, context), self._workers
        )

    def prepare(self, call: ToolCall) -> PreparedCall | None:
        """Reads a call, and repairs it where the policy allows, without running it: for frameworks that read it first.

        Observers get no events of it, and no conversation records it. `call` runs what this returns.

        Args:
            call: the call, as the model sent it.

        Returns:
            The call as it can run, with valid arguments; None if it cannot.
        """
        return drive(self._prepared(call), self._workers)

    async def aprepare(self, call: ToolCall) -> PreparedCall | None:
        """`prepare`, awaited."""
        adrive: Any = async_driver()
        prepared: PreparedCall | None = await adrive(self._prepared(call), self._workers)
        return prepared

    def _prepared(self, call: ToolCall) -> GeneratorFlow[PreparedCall | None]:
        return GeneratorFlow(prepare(as_invocation(self._runtime, call, None, None, None, None)))

    def approval(self, call: ToolCall, *, session: Session | None = None) -> ApprovalRequest | None:
        """What a person would be asked about a call, without asking or running anything.

        For frameworks that ask about all calls of a message before any of them runs. Observers get no events of it.

        Args:
            call: the call, as the model sent it.
            session: the conversation it belongs to.

        Returns:
            The request; None if the call needs no approval, cannot run, or waits or was rejected already.
        """
        return drive(self._approval(call, session), self._workers)

    async def aapproval(self, call: ToolCall, *, session: Session | None = None) -> ApprovalRequest | None:
        """`approval`, awaited."""
        adrive: Any = async_driver()
        request: ApprovalRequest | None = await adrive(self._approval(call, session), self._workers)
        return request

    def _approval(self, call: ToolCall, session: Session | None) -> GeneratorFlow[ApprovalRequest | None]:
        return GeneratorFlow(find_approval(self._invocation(call, session=session, context=None)))

    def call_many(
        self, calls: Iterable[Any], *, session: Session | None = None, context: Mapping[str, Any] | None = None
    ) -> list[ToolResult]:
        """Runs several calls one after the other, results in order; a failure does not affect the others.

        Args:
            calls: `ToolCall`s, or pairs of name and arguments.
            session: the conversation they belong to.
            context: values for `Injected` parameters, by name.
        """
        return self._call_each(as_calls(calls), session, context)

    async def acall_many(
        self, calls: Iterable[Any], *, session: Session | None = None, context: Mapping[str, Any] | None = None
    ) -> list[ToolResult]:
        """`call_many`, awaited: all calls concurrently, results in order.

        Raises:
            asyncio.CancelledError: the host cancelled the batch; its attribute `results` holds the results of the calls
                that had ended, and None for the others.
        """
        return await self._acall_each(as_calls(calls), session, context)

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
        dialect, calls = read_message(message, self._renderer.dialects, self._manager)
        with answers_on_error(dialect, self._manager):
            return write_answers(dialect, self._call_each(calls, session, context), self._manager)

    async def aanswer(
        self, message: Any, *, session: Session | None = None, context: Mapping[str, Any] | None = None
    ) -> Answers:
        """`answer`, awaited: all calls concurrently."""
        dialect, calls = read_message(message, self._renderer.dialects, self._manager)
        with answers_on_error(dialect, self._manager):
            return write_answers(dialect, await self._acall_each(calls, session, context), self._manager)

    def resume(
        self, call_id: str, decision: Decision, *, session: Session, context: Mapping[str, Any] | None = None
    ) -> ToolResult:
        """Runs or refuses a call that waits for approval. Deciding again returns the answer to the first decision.

        The call is validated and authorized again. If it does not run for another reason than a rejection, such as
        changed arguments that are not valid, it still waits.

        Args:
            call_id: its key in `session.pending`.
            decision: `Approve()`, `Approve(arguments=...)` or `Reject(reason)`.
            session: the conversation it belongs to.
            context: values for `Injected` parameters, by name.

        Raises:
            UsageError: no call waits under this key, or another mistake in the host's own code.
            ToolError: in strict mode.
        """
        return drive(self._resumed(call_id, decision, session, context), self._workers)

    def aresume(
        self, call_id: str, decision: Decision, *, session: Session, context: Mapping[str, Any] | None = None
    ) -> Coroutine[Any, Any, ToolResult]:
        """`resume`, awaited."""
        return async_driver()(self._resumed(call_id, decision, session, context), self._workers)

    def _resumed(
        self, call_id: str, decision: Decision, session: Session, context: Mapping[str, Any] | None
    ) -> GeneratorFlow[ToolResult]:
        from mulligan.execute.approval import checked_decision
        from mulligan.pipeline.resume import resume
        from mulligan.session.approvals import as_key

        make = partial(self._invocation, session=session, context=context)
        return GeneratorFlow(resume(_memory_of(session), as_key(call_id), checked_decision(decision), make))

    def _call_each(
        self, calls: Sequence[ToolCall], session: Session | None, context: Mapping[str, Any] | None
    ) -> list[ToolResult]:
        call_one = partial(self.call, session=session, context=context)
        return call_each(self._runtime, calls, call_one, None if session is None else _memory_of(session))

    async def _acall_each(
        self, calls: Sequence[ToolCall], session: Session | None, context: Mapping[str, Any] | None
    ) -> list[ToolResult]:
        call_one = partial(self.acall, session=session, context=context)
        invocation_of = partial(self._invocation, session=session, context=context)
        memory = None if session is None else _memory_of(session)
        return await acall_each(self._runtime, calls, call_one, memory, invocation_of)

    def _invocation(self, call: ToolCall, *, session: Session | None, context: Mapping[str, Any] | None) -> Call:
        return as_invocation(self._runtime, call, None, None, session, context)

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
        return Session(self, self._runtime, self._diagnosis, id, format=format, budget=budget)

    def stats(self) -> dict[str, ToolStats]:
        """How often each tool was called, failed, was repaired and was retried so far, and how long it took.

        Returns:
            The statistics by tool, of all pipelines that share this one's plugins; calls of names that no tool has are
            counted together as `(unknown)`.
        """
        return self._runtime.stats.read()

    def enable_logging(self, level: str = "INFO", *, sink: str = "loguru") -> None:
        """Writes log lines of every call to a sink of your choice, and no longer to the standard logger by default.

        Without it, the standard logger `mulligan` gets a crash as `WARNING`, a fatal error or a plugin's fault as `ERROR`,
        and other failures and steps as `INFO`.

        Args:
            level: the lowest level: `INFO` for everything, `SUCCESS` without steps and a model's mistakes, `WARNING` for
                crashes, `ERROR` for what ends a run, `OFF` for nothing at all.
            sink: `loguru`; `logging`, the standard logger, where `SUCCESS` is `INFO`; or `json`, lines of JSON on standard
                error.

        Raises:
            UsageError: no such level or sink.
        """
        self._logging.set(level, sink)
        self._runtime.hooks = self._manager.compile()

    def close(self) -> None:
        """Delivers the events that wait for async observers; frees threads, event loops and what executors have started.

        Later calls create new ones as needed. What an observer does not take within ten seconds is dropped.

        Raises:
            PluginError: in strict mode, a fault of an async observer.
        """
        try:
            self._manager.drain()
        finally:
            self._free()

    def _free(self) -> None:
        self._workers.close()
        for executor in self._runtime.executors.values():
            executor.close()

    async def aclose(self) -> None:
        """`close`, for `async with`, without blocking the event loop.

        Raises:
            PluginError: in strict mode, a fault of an async observer.
        """
        if self._manager.has_async_observers:
            import asyncio

            await asyncio.to_thread(self._manager.drain)
        self._free()

    def __enter__(self) -> Pipeline:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Pipeline:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"Pipeline({len(self.tools)} tools, {len(self._manager.names)} plugins)"


def _checked_approver(approver: Approver) -> Approver | None:
    from mulligan.execute.approval import checked_approver

    return checked_approver(approver)


def as_invocation(
    runtime: Runtime,
    name_or_call: Any,
    arguments: Any,
    call_id: str | None,
    session: Session | None,
    context: Mapping[str, Any] | None,
) -> Call:
    """One call of the host's code, ready for the flow.

    Args:
        runtime: the pipeline's parts.
        name_or_call: the tool's name, or a whole `ToolCall`.
        arguments: JSON text or a mapping.
        call_id: the model's id of the call; an empty one counts as None.
        session: the conversation it belongs to.
        context: values for injected parameters, by name.

    Raises:
        UsageError: it is not a call.
    """
    if type(name_or_call) is str:
        whole = None
        id, name, given = None if call_id is None else id_or_none(call_id), name_or_call, arguments
    elif isinstance(name_or_call, str):
        whole = None
        id, name, given = id_or_none(call_id), name_text(name_or_call), arguments
    elif arguments is None and call_id is None:
        whole = as_call(name_or_call)
        id, name, given = whole
    elif isinstance(name_or_call, (ToolCall, tuple, list)):
        raise UsageError("arguments and call_id require a name; a ToolCall has its own")
    else:
        raise UsageError(
            f"the tool name must be a string, not {safe_repr(name_or_call)}; pass what a model sent to answer()"
        )
    if session is None:
        invocation = Call(runtime, runtime.hooks, id, name, given, whole, context)
    else:
        try:
            memory, format, deadline = session.memory, session.format, session.deadline
        except AttributeError:
            raise _not_a_session(session) from None
        invocation = Call(runtime, runtime.hooks, id, name, given, whole, context, memory, format, deadline)
    if type(whole) is PreparedCall:
        invocation.repairs = whole.repairs
    return invocation


def _memory_of(session: Session) -> SessionMemory:
    if not isinstance(session, Session):
        raise _not_a_session(session)
    return session.memory


def _not_a_session(session: object) -> UsageError:
    return UsageError(f"session must be a conversation from Pipeline.session(), not {safe_repr(session)}")


class Session:
    """One conversation with a pipeline. Made by `Pipeline.session`.

    Attributes:
        id: the conversation's id, or None.
        format: the feedback format, or None for the pipeline's.
        memory: the failures, and the used part of the budget.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        runtime: Runtime,
        diagnosis: Diagnosis,
        id: str | None = None,
        *,
        format: str | FeedbackFormat | None = None,
        budget: Budget | None = None,
    ) -> None:
        from mulligan.session.budget import check_tool_names
        from mulligan.session.memory import SessionMemory

        self.id = id
        self._pipeline = pipeline
        self._runtime = runtime
        self._renderer = runtime.renderer
        self._diagnosis = diagnosis
        self.format = None if format is None else self._renderer.find_format(format)
        check_tool_names(budget, runtime.toolset)
        self.memory = SessionMemory(runtime.clock, id, budget)

    def __repr__(self) -> str:
        summary = self.summary()
        return (
            f"Session(id={self.id!r}, {summary.calls} calls, {summary.failures} failures, {summary.recovered} recovered, "
            f"{summary.repeated} repeated, {summary.fatal} fatal)"
        )

    def summary(self) -> Summary:
        """How the calls of this conversation have ended so far, in this process."""
        return self.memory.tally.read()

    def call(self, name: str | ToolCall, arguments: Any = None, **options: Any) -> ToolResult:
        """`Pipeline.call` with this conversation's memory."""
        return self._pipeline.call(name, arguments, session=self, **options)

    async def acall(self, name: str | ToolCall, arguments: Any = None, **options: Any) -> ToolResult:
        """`Pipeline.acall` with this conversation's memory."""
        return await self._pipeline.acall(name, arguments, session=self, **options)

    def call_many(self, calls: Sequence[Any], **options: Any) -> list[ToolResult]:
        """`Pipeline.call_many` with this conversation's memory."""
        return self._pipeline.call_many(calls, session=self, **options)

    async def acall_many(self, calls: Sequence[Any], **options: Any) -> list[ToolResult]:
        """`Pipeline.acall_many` with this conversation's memory."""
        return await self._pipeline.acall_many(calls, session=self, **options)

    def answer(self, message: Any, **options: Any) -> Answers:
        """`Pipeline.answer` with this conversation's memory."""
        return self._pipeline.answer(message, session=self, **options)

    async def aanswer(self, message: Any, **options: Any) -> Answers:
        """`Pipeline.aanswer` with this conversation's memory."""
        return await self._pipeline.aanswer(message, session=self, **options)

    @property
    def pending(self) -> dict[str, ApprovalRequest]:
        """The calls that wait for a person's approval, by key, the oldest first: a copy.

        A key is the id of the call, or `pending-N` if it has none or shares its id with another call.
        """
        from mulligan.execute.approval import ApprovalRequest

        return {
            call.key: ApprovalRequest(
                tool_name=call.call.name,
                tool=call.tool or self._pipeline.tools.get(call.call.name),
                arguments=call.arguments,
                reason=call.reason,
                call=call.call,
                session_id=self.id,
            )
            for call in self.memory.approvals.pending
        }

    def resume(self, call_id: str, decision: Decision, **options: Any) -> ToolResult:
        """`Pipeline.resume` with this conversation's memory."""
        return self._pipeline.resume(call_id, decision, session=self, **options)

    async def aresume(self, call_id: str, decision: Decision, **options: Any) -> ToolResult:
        """`Pipeline.aresume` with this conversation's memory."""
        return await self._pipeline.aresume(call_id, decision, session=self, **options)

    def step(self) -> AbstractContextManager[None]:
        """The calls in here belong to one message of the model: it has read nothing in between.

        `answer` and `call_many` do this automatically; frameworks that make the calls one by one have to do it. At its
        end the observers receive a `StepFinished`.
        """
        return observed_step(self._runtime, self.memory)

    def recover(self, text_or_exception: str | BaseException) -> ToolResult:
        """`Pipeline.recover` in this conversation's format; a name that no tool has is remembered.

        Args:
            text_or_exception: the other runtime's report.
        """
        with self.memory.step(joins=True):
            return self._diagnosis.recover(text_or_exception, self.memory, self.format)

    def forgive(self) -> None:
        """Forgets every failure: the user has fixed the cause, and the same calls may run again.

        The used part of the budget stays used, and a call with an id that may have had an effect is not run again.
        """
        self.memory.forgive()

    def note_request(self, text: str) -> None:
        """Records a new message of the user: failures before it no longer count, as after `forgive`.

        Args:
            text: what the user wrote.
        """
        if not isinstance(text, str):
            raise UsageError(f"note_request takes the user's message as a string, not {text!r:.80}")
        self.memory.forgive()
        if self._runtime.hooks.has_observe:
            shown = self._renderer.redactor.redact(text)
            memory = self.memory
            self._runtime.hooks.observe(RequestNoted(self.id, shown, memory.number, step=memory.guard.step))

    @property
    def budget(self) -> Budget | None:
        """How much this conversation may use. It can be replaced; the used part stays used."""
        return None if self.memory.spending is None else self.memory.spending.budget

    @budget.setter
    def budget(self, budget: Budget | None) -> None:
        from mulligan.session.budget import check_tool_names

        check_tool_names(budget, self._runtime.toolset)
        self.memory.set_budget(budget)

    @property
    def remaining(self) -> Budget:
        """The remaining budget; None where there is no bound."""
        return self.memory.remaining()

    @property
    def deadline(self) -> Deadline | None:
        """The moment when the budget's time ends, or None. No tool runs beyond it."""
        return self.memory.deadline

    def to_dict(self) -> dict[str, Any]:
        """The conversation's memory as JSON values: hashes of what failed, and the recorded answers of calls with an id.

        The answers are what the tools returned, and calls that wait for approval have their arguments, all unredacted:
        keep the values where you keep the conversation itself.
        A format that the pipeline does not know by name cannot be saved: pass it to `from_dict` again.
        """
        from mulligan.session.memory import SAVED_VERSION

        name = None if self.format is None else self.format.name
        known_format = None if name is None else self._renderer.formats.get(name)
        spending, approvals = self.memory.spending, self.memory.approvals.to_dict()
        return {
            "version": SAVED_VERSION,
            "id": None if self.id is None else f"{self.id}",
            "format": name,
            "format_is_own": self.format is not known_format,
            "guard": self.memory.guard.to_dict(),
            "answered": self.memory.answers.to_dict(),
            "budget": None if spending is None else spending.to_dict(),
            **({"approvals": approvals} if approvals else {}),
        }

    @classmethod
    def from_dict(
        cls, pipeline: Pipeline, saved: Mapping[str, Any], *, format: str | FeedbackFormat | None = None
    ) -> Session:
        """Restores the conversation that `to_dict` saved, to continue in another process.

        The time in between does not count; the rest of the used budget stays used.

        Args:
            pipeline: a pipeline with the same tools.
            saved: the result of `to_dict`.
            format: another feedback format than the saved one; required if the saved one was a custom object.

        Raises:
            UsageError: `saved` is something else, or of another version; or the pipeline has no such format.
        """
        from mulligan.session.memory import load_session
        from mulligan.session.saved_state import short_repr

        state = load_session(saved)
        if format is None and state.format_is_own:
            raise UsageError(
                f"the format {short_repr(state.format)} of this conversation is an object, which cannot be "
                "saved: pass it again, Session.from_dict(pipeline, saved, format=...)"
            )
        session = pipeline.session(state.id, format=format or state.format)
        session.memory.load(state)
        return session
