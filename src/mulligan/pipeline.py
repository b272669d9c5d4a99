"""The pipeline: tools, plugins and settings put together, and the calls that users make."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cache
from typing import Any

from mulligan.answering import Answering
from mulligan.assembly import assemble, builtins
from mulligan.batches import acall_each, call_each
from mulligan.calls import ToolCall
from mulligan.containment import safe_str
from mulligan.dialects import Dialect, plain
from mulligan.drivers import Means, drive
from mulligan.errors import ToolError, UsageError
from mulligan.events import PluginFaulted
from mulligan.facts import type_name
from mulligan.failure import Failure
from mulligan.feedback import FeedbackFormat
from mulligan.flow import invoke
from mulligan.invocation import Host, Invocation
from mulligan.manager import PluginManager
from mulligan.plugins import PluginFault, PluginInfo
from mulligan.policy import Limits, Policy
from mulligan.redaction import Redactor
from mulligan.results import Answers, ToolResult
from mulligan.session import Session
from mulligan.steps import Middleware
from mulligan.threads import ThreadPool
from mulligan.tools import Tool
from mulligan.toolset import Toolset


class Pipeline:
    """Gives every tool call of a language model a second chance. A context manager, sync and async.

    Args:
        tools: tools, plain functions and toolsets; they are copied into `Pipeline.tools`, which can change at run time.
        plugins: modules and instances with hookimpls, asked before those that are installed.
        autoload: whether installed plugins register themselves.
        block: names of plugins that are not used, built-in ones too.
        policy: what counts as fatal, what may be repaired, how much of a foreign text the model reads.
        limits: bounds.
        format: the feedback format: `text`, `json`, `block`, or one of a plugin.
        middleware: what runs around every tool, the outermost first.
        strict: whether every ToolError and every plugin fault is raised, for tests.

    Raises:
        UsageError: something of this is wrong; names the culprit and the next step.
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
        self.tools = Toolset(tools)
        self.policy = policy or Policy()
        self.limits = limits or Limits()
        self.redactor = Redactor()
        self._manager = PluginManager(strict=strict)
        self._manager.on_fault = self._faulted
        self._answering = Answering(self.policy, self.limits, self.redactor)
        self._answering.on_silence = self._silent
        assemble(self._manager, builtins(self.limits), plugins, autoload=autoload, block=_names(block))
        self._host = Host(
            self.tools,
            self._manager.compile(),
            self.policy,
            self.limits,
            _middleware(middleware),
            self._answering,
            strict,
            time.monotonic,
            self._manager,
        )
        self._offer()
        self._answering.format = self._answering.format_named(format)
        for tool in self.tools.values():
            if tool.format is not None:
                self._answering.format_named(tool.format)
        self._lock = threading.Lock()
        self._pool: ThreadPool | None = None
        self._local = threading.local()
        self._loops: list[Any] = []
        self._means = Means(self._thread_pool, self._private_loop, self.limits.grace, self.limits.yielded_values)
        self._logging: Any = None
        self._start_logging()

    def _offer(self) -> None:
        """Formats and dialects as the plugins offer them now."""
        stages = self._host.stages
        self._answering.formats = stages.formats()
        self._answering.dialects = stages.dialects()
        self.tools.dialects = self._answering.dialects

    def _faulted(self, fault: PluginFault, aside: bool) -> None:
        if aside and hasattr(self, "_host"):
            self._host.stages = self._manager.compile()
        if fault.hook != "observe" and hasattr(self, "_host"):
            self._host.stages.observe(PluginFaulted(fault.plugin, fault.hook, self.redactor.redact(fault.error), aside))

    def _silent(self, format: FeedbackFormat) -> None:
        name = self._manager.owner(format, f"format {format.name}")
        self._manager.fault(name, "render_feedback", f"the format {format.name!r} gave no text; its render() failed")

    @property
    def plugins(self) -> tuple[PluginInfo, ...]:
        """Every plugin: name, distribution, version, hooks, state and error."""
        return self._manager.infos

    @property
    def faults(self) -> tuple[PluginFault, ...]:
        """What plugins did wrong so far, the last thousand."""
        return self._manager.faults

    def format_named(self, format: str | FeedbackFormat) -> FeedbackFormat:
        """The feedback format of that name.

        Args:
            format: a name, or the format itself.

        Raises:
            UsageError: there is none of that name.
        """
        return self._answering.format_named(format)

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
        return drive(invoke(self._invocation(name_or_call, arguments, call_id, session, context)), self._means)

    async def acall(
        self,
        name_or_call: str | ToolCall,
        arguments: Any = None,
        *,
        call_id: str | None = None,
        session: Session | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> ToolResult:
        """`call`, awaited: async tools run on the event loop, sync ones in a thread unless declared `inline`."""
        return await _async_driver()(invoke(self._invocation(name_or_call, arguments, call_id, session, context)), self._means)

    def _invocation(
        self,
        name_or_call: Any,
        arguments: Any,
        call_id: str | None,
        session: Session | None,
        context: Mapping[str, Any] | None,
    ) -> Invocation:
        if type(name_or_call) is str:
            call = ToolCall(call_id, name_or_call, arguments)
        elif arguments is None and call_id is None:
            call = _as_call(name_or_call)
        else:
            raise UsageError("arguments and call_id belong to a name; a ToolCall has its own")
        if session is None:
            return Invocation(self._host, call, context)
        return Invocation(self._host, call, context, session.guard, session.format)

    def call_many(
        self, calls: Iterable[Any], *, session: Session | None = None, context: Mapping[str, Any] | None = None
    ) -> list[ToolResult]:
        """Runs several calls one after the other; order kept, one that fails touches none of the others.

        Args:
            calls: `ToolCall`s, or pairs of name and arguments.
            session: the conversation they belong to.
            context: values for `Injected` parameters, by name.
        """
        return call_each(self, [_as_call(given) for given in calls], session, context)

    async def acall_many(
        self, calls: Iterable[Any], *, session: Session | None = None, context: Mapping[str, Any] | None = None
    ) -> list[ToolResult]:
        """`call_many`, awaited: all calls at once, results in order.

        Raises:
            asyncio.CancelledError: the host cancelled the batch; its attribute `results` holds the results of the calls
                that had ended, and None for the others.
        """
        return await acall_each(self, [_as_call(given) for given in calls], session, context)

    def answer(
        self, message: Any, *, session: Session | None = None, context: Mapping[str, Any] | None = None
    ) -> Answers:
        """Runs every tool call of a model's message and gives the messages that answer it, in the same shape.

        Args:
            message: the provider's message, as its SDK's object or as plain values; the shape is recognised.
            session: the conversation it belongs to.
            context: values for `Injected` parameters, by name.

        Raises:
            UsageError: no dialect recognises the message.
        """
        dialect, calls = self._read(message)
        results = call_each(self, calls, session, context)
        return Answers(dialect.messages(results), results)

    async def aanswer(
        self, message: Any, *, session: Session | None = None, context: Mapping[str, Any] | None = None
    ) -> Answers:
        """`answer`, awaited: all calls at once."""
        dialect, calls = self._read(message)
        results = await acall_each(self, calls, session, context)
        return Answers(dialect.messages(results), results)

    def _read(self, message: Any) -> tuple[Dialect, list[ToolCall]]:
        values = plain(message)
        if isinstance(values, Mapping):
            for dialect in self._answering.dialects.values():
                try:
                    if dialect.recognises(values):
                        return dialect, dialect.calls(values)
                except Exception as error:
                    if type(dialect).__module__.startswith("mulligan.dialects."):
                        raise UsageError(f"this message has no shape that {dialect.name} knows: {type_name(error)}") from error
                    name = self._manager.owner(dialect, f"dialect {dialect.name}")
                    self._manager.fault(name, "dialects", f"{type_name(error)}: {safe_str(error, 300)}", error)
        known = ", ".join(self._answering.dialects)
        raise UsageError(f"no dialect recognises this message ({type_name(message)}); there are {known}")

    def classify(
        self, exception_or_value: Any, *, tool: Tool | str | None = None, arguments: Mapping[str, Any] | None = None
    ) -> ToolError | None:
        """What a failure means, without running anything.

        Args:
            exception_or_value: what a tool raised or returned.
            tool: the tool, or any name.
            arguments: the call's arguments.

        Returns:
            The error, its fatality decided; None where a value reports no failure.
        """
        known = self.tools.get(tool) if isinstance(tool, str) else tool
        name = tool if isinstance(tool, str) else None
        failure: Failure | None
        if isinstance(exception_or_value, BaseException):
            failure = Failure(exception_or_value)
        else:
            failure = self._host.stages.detect(exception_or_value, known or _NAMELESS)
        if failure is None:
            return None
        failure.tool, failure.arguments = known, arguments
        failure.tool_name = known.name if known is not None else name
        error = self._answering.classify(failure, self._host.stages)
        error.tool_name = error.tool_name or failure.tool_name
        return error

    def recover(self, text_or_exception: str | BaseException) -> ToolResult:
        """The feedback for a tool failure that another runtime reported only as text, or raised.

        Args:
            text_or_exception: what it said.
        """
        from mulligan.reports import attempted_name

        name = attempted_name(text_or_exception)
        if name is not None and name not in self.tools:
            return self.call(name)
        call = ToolCall(None, name or "", None)
        state = Invocation(self._host, call)
        if isinstance(text_or_exception, BaseException):
            state.failure = Failure(text_or_exception, tool_name=name)
        else:
            state.failure = Failure(value=text_or_exception, message=text_or_exception, tool_name=name)
        state.tool = self.tools.get(name) if name else None
        return self._answering.failed(state, self._answering.classify(state.failure, self._host.stages))

    def session(self, id: str | None = None, *, format: str | FeedbackFormat | None = None) -> Session:
        """A conversation: it notices a call that fails again and again.

        Args:
            id: its id, for logs.
            format: its feedback format, by default the pipeline's.

        Raises:
            UsageError: no format of that name.
        """
        return Session(self, id, format=format)

    def enable_logging(self, level: str = "INFO") -> None:
        """Writes log lines through loguru from now on; once it is on, this sets the level.

        Args:
            level: the lowest level: `INFO` for every call, `SUCCESS`, `WARNING`, or `ERROR` for failures only.

        Raises:
            UsageError: no such level.
        """
        from mulligan.builtin.logging import Logging

        if self._logging is not None:
            self._logging.set_level(level)
            return
        self._logging = Logging(level, self._answering.line)
        self._manager.add(self._logging, "logging", built_in=True)
        self._host.stages = self._manager.compile()

    def _start_logging(self) -> None:
        level = os.environ.get("MULLIGAN_LOG", "")
        if level not in ("", "0"):
            try:
                self.enable_logging("INFO" if level == "1" else level.upper())
            except UsageError as error:
                raise UsageError(f"MULLIGAN_LOG={level!r}: {error}") from None

    def _thread_pool(self) -> ThreadPool:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPool(self.limits.threads)
            return self._pool

    def _private_loop(self) -> Any:
        loop = getattr(self._local, "loop", None)
        if loop is None:
            from mulligan.async_driver import PrivateLoop

            loop = self._local.loop = PrivateLoop()
            with self._lock:
                self._loops.append(loop)
        return loop

    def close(self) -> None:
        """Frees threads and event loops; calls that need them again make new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
            loops, self._loops = self._loops, []
            self._local = threading.local()
        if pool is not None:
            pool.close()
        for loop in loops:
            loop.close()

    async def aclose(self) -> None:
        """`close`, for `async with`."""
        import asyncio

        await asyncio.to_thread(self.close)

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


@cache
def _async_driver() -> Callable[..., Awaitable[ToolResult]]:
    from mulligan.async_driver import adrive

    return adrive


def _as_call(given: Any) -> ToolCall:
    if isinstance(given, ToolCall):
        return given
    if isinstance(given, str):
        return ToolCall(None, given)
    if isinstance(given, (tuple, list)) and len(given) == 2 and isinstance(given[0], str):
        return ToolCall(None, *given)
    raise UsageError(f"a call is a ToolCall, a name, or a pair of name and arguments, not {given!r:.80}")


def _middleware(given: Any) -> tuple[Middleware, ...]:
    if not isinstance(given, (list, tuple)):
        raise UsageError(f"middleware must be a list of generator functions, not {given!r:.80}")
    for one in given:
        if not callable(one):
            raise UsageError(f"{one!r:.80} cannot be a middleware: give a generator function of run, tool and call")
    return tuple(given)


def _names(block: Iterable[str]) -> tuple[str, ...]:
    return (block,) if isinstance(block, str) else tuple(block)


def _nothing() -> None:
    return None


_NAMELESS = Tool("tool", "", _nothing, schema={"type": "object"})
