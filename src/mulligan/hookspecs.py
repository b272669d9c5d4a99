"""The hooks: what a plugin may implement. These docstrings are the reference.

A hookimpl is a plain function, marked `@hookimpl`, that asks for as many of the hook's parameters as it needs. Hooks that
*decide* return an answer, or None to abstain; the first answer wins, and third-party plugins are asked before the
built-in ones. Hooks that *contribute* return any number of things, and all of them are collected. Hooks that *observe*
return nothing. A hookimpl that raises, or returns a wrong type, abstains: the fault is recorded in `Pipeline.faults`,
and after three faults the plugin is disabled. Hooks decide, they do not wait: `async def` is refused.

The examples share these imports:

    import re
    from mulligan.plugin import *
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mulligan.calls import ToolCall
from mulligan.classify.failure import Failure
from mulligan.dialects import Dialect
from mulligan.errors import ToolError
from mulligan.events import Event
from mulligan.execute.executors import ToolExecutor
from mulligan.execute.steps import Executor, Middleware, Run
from mulligan.feedback import Feedback, FeedbackFormat
from mulligan.hookimpl import hookspec
from mulligan.resolve.toolset import Toolset
from mulligan.tools import Tool

if TYPE_CHECKING:
    from mulligan.execute.approval import NeedsApproval

__all__ = [  # noqa: RUF022  -- the hooks, in the order in which a call meets them
    "resolve",
    "validate",
    "repair",
    "authorize",
    "execute",
    "detect",
    "classify",
    "render_feedback",
    "count_tokens",
    "hints",
    "middlewares",
    "feedback_formats",
    "dialects",
    "executors",
    "observe",
]
Repairer = Callable[[], ToolCall | None] | Callable[[], Awaitable[ToolCall | None]] | Run


@hookspec(firstresult=True)
def resolve(call: ToolCall, toolset: Toolset) -> Tool | None:
    """Decides which tool a call means.

    Asked once for each call, and once more after a repair. None leaves it to the next plugin.

    The built-in takes the tool of exactly that name. If every plugin abstains, the call fails with a
    `ToolNotFoundError` that names the closest tools; another tool is never run silently because its name is similar.

    Args:
        call: the call as the model sent it.
        toolset: the tools, a mapping by name.

    Example:
        @hookimpl
        def resolve(call, toolset):
            return toolset.get(call.name.removeprefix("functions."))
    """


@hookspec(firstresult=True)
def validate(tool: Tool, call: ToolCall) -> Mapping[str, Any] | None:
    """Decides how the arguments of a call are read.

    Asked once for each resolved call. None leaves it to the next plugin. The returned value is bounded and checked
    against the tool's schema afterwards: no plugin can bypass that. The built-in reads JSON text strictly.

    Args:
        tool: the tool that was resolved.
        call: the call, its arguments as the model sent them.

    Raises:
        ToolArgumentError: the arguments cannot be read; this ends the stage.

    Example:
        @hookimpl
        def validate(tool, call):
            if isinstance(call.arguments, str) and call.arguments.startswith("path="):
                return {"path": call.arguments.removeprefix("path=")}
    """


@hookspec(firstresult=True)
def repair(call: ToolCall, error: ToolError, toolset: Toolset, redact: Callable[[str], str]) -> Repairer | None:
    """Decides how a call that names no tool, or whose arguments do not fit, could be read after all.

    Asked once for each such call. The repairer is run once; return a `Run` of it to set a deadline. The call that it
    returns is resolved and validated again, and None keeps the first error. A changed name may only lead to a
    `read_only` tool, and arguments that were cut off are completed only for such a tool. The built-in repairers are off
    until the policy names them.

    Args:
        call: the call as the model sent it.
        error: a `ToolNotFoundError` or a `ToolArgumentError`.
        toolset: the tools without their handlers: a repair cannot run anything.
        redact: takes secrets out of a text that a repairer sends elsewhere.

    Example:
        @hookimpl
        def repair(call, error, toolset):
            name = call.name.strip()
            if name in toolset:
                return lambda: ToolCall(call.id, name, call.arguments)
    """


@hookspec
def authorize(tool: Tool, arguments: Mapping[str, Any], call: ToolCall) -> ToolError | NeedsApproval | None:
    """Decides whether a call may run, or needs a person's approval. Fails closed.

    Asked once for each validated call, every hookimpl in turn, and once more after a person approved it, with the
    arguments that it runs with. None permits the call; an error refuses it; `NeedsApproval(reason)` puts it before
    the pipeline's `approver`, or leaves it in `Session.pending`. An error wins over `NeedsApproval`, and several reasons
    are joined. A hookimpl that crashes, or returns anything else, refuses the call too, and its plugin is never disabled.

    There is no built-in. A tool declared with `approve=True` needs approval whatever the hookimpls say.

    Args:
        tool: the tool.
        arguments: a copy of the validated arguments, as Python objects.
        call: the call as the model sent it.

    Example:
        @hookimpl
        def authorize(tool, arguments):
            if not tool.read_only and "production" in tool.tags:
                return NeedsApproval("It writes to production.")
    """


@hookspec(firstresult=True)
def execute(tool: Tool, arguments: Mapping[str, Any], call: ToolCall) -> Executor | None:
    """Decides how a call is run: here, in a process, on another machine.

    Asked once for each call that may run. Return a callable, or a coroutine function, without parameters; the pipeline
    runs it under the deadline. None leaves it to the next plugin. The built-in calls the tool's handler.

    Args:
        tool: the tool.
        arguments: a copy of the validated arguments, as Python objects, injected ones included.
        call: the call as the model sent it.

    Example:
        @hookimpl
        def execute(tool, arguments):
            if "dry-run" in tool.tags:
                return lambda: f"{tool.name} would run with {dict(arguments)}"
    """


@hookspec(firstresult=True)
def detect(value: Any, tool: Tool) -> Failure | None:
    """Decides whether a value that a tool returned reports a failure.

    Asked once for each value, unless the tool was declared with `detect=False`. None means that it is a result.

    The built-in knows MCP's `isError`, `{"error": ...}`, `{"ok": false, "error": ...}`, GraphQL's `errors` and HTTP
    responses with a status of 400 and above. A document *about* errors is a result. A failure that the built-in finds
    in plain data does not end the run, unless the policy says so; one that a plugin finds may.

    Args:
        value: what the tool returned.
        tool: the tool.

    Example:
        @hookimpl
        def detect(value, tool):
            if isinstance(value, str) and value.startswith("ERR "):
                return Failure(value=value, message=value.removeprefix("ERR "))
    """


@hookspec(firstresult=True)
def classify(failure: Failure) -> ToolError | None:
    """Decides what a failure means.

    Asked once for each failed attempt. None leaves it to the next plugin. Name the rule that decided (`rule=`) if a
    plugin has several; the plugin's name is put before it.

    The built-in knows the exceptions of Python itself and everything that carries an HTTP status. If every plugin
    abstains, the error is a `ToolExecutionError`.

    Args:
        failure: what happened; `failure.matches("package.Class")` needs no import.

    Example:
        @hookimpl
        def classify(failure):
            if failure.matches("acme.QuotaExceeded"):
                return ToolQuotaError("Acme's quota is used up.", provider="acme")
    """


@hookspec(firstresult=True)
def render_feedback(feedback: Feedback, format: FeedbackFormat) -> str | Mapping[str, Any] | None:
    """Decides how the feedback on one kind of failure is rendered; for a whole format, see `feedback_formats`.

    Asked once for each failure, and again with fewer parts if the text is too long. A mapping is written as JSON; None
    leaves it to the next plugin.

    The built-in calls the format's own `render`.

    Args:
        feedback: the parts, redacted and bounded.
        format: the format that was asked for.

    Example:
        @hookimpl
        def render_feedback(feedback, format):
            if format.name == "text" and feedback.error_type == "ToolTimeoutError":
                return f"{feedback.headline}\\nRequest less at once."
    """


@hookspec(firstresult=True)
def count_tokens(text: str) -> int | None:
    """Decides how many tokens of the model's context a text takes.

    Asked only if `Limits.feedback_tokens` is set, for each feedback text, and again with fewer parts if it is too long.
    None leaves it to the next plugin.

    The built-in estimate is a quarter of the characters, rounded up.

    Args:
        text: the whole feedback.

    Example:
        @hookimpl
        def count_tokens(text):
            return len(re.findall(r"\\w+|[^\\w\\s]", text))
    """


@hookspec
def hints(error: ToolError, failure: Failure | None) -> Iterable[str]:
    """Contributes further advice for the model, one sentence each.

    Asked once for each failure. There is no built-in.

    Args:
        error: what the failure means.
        failure: what happened, or None if no tool was run.

    Example:
        @hookimpl
        def hints(error):
            if isinstance(error, ToolQuotaError) and error.provider == "acme":
                yield "Request several records in one call."
    """
    return ()


@hookspec
def middlewares(tool: Tool) -> Iterable[Middleware]:
    """Contributes middleware around a tool: generator functions, the first one outermost.

    Asked once for each tool, when it is first run. A middleware receives the run, the tool and the call; it yields the
    run, is sent its outcome, may yield it again, and returns an outcome. There is no built-in.

    Args:
        tool: the tool.

    Example:
        @hookimpl
        def middlewares(tool):
            def once_more(run, tool, call):
                outcome = yield run
                if outcome.error is not None and outcome.error.transient and tool.read_only:
                    outcome = yield run
                return outcome
            yield once_more
    """
    return ()


@hookspec
def feedback_formats() -> Iterable[FeedbackFormat]:
    """Contributes formats of feedback, chosen by name per pipeline, session and tool.

    Asked once for each pipeline. The built-in ones are `text`, `json` and `block`.

    Example:
        class Shout(FeedbackFormat):
            name = "shout"

            def render(self, feedback):
                return feedback.headline.upper()

        @hookimpl
        def feedback_formats():
            yield Shout()
    """
    return ()


@hookspec
def dialects() -> Iterable[Dialect]:
    """Contributes message shapes of providers.

    Asked once for each pipeline. The built-in ones are `openai`, `openai-responses`, `anthropic`,
    `gemini`, `mcp` and `ai-sdk`.

    Example:
        class Acme(OpenAIDialect):
            name = "acme"

        @hookimpl
        def dialects():
            yield Acme()
    """
    return ()


@hookspec
def executors() -> Iterable[ToolExecutor]:
    """Contributes executors, which tools choose by name: `@tool(executor="name")`.

    Asked once for each pipeline, which closes them when it is closed. There is no built-in. To decide about tools by
    anything else than their choice, see `execute`, which goes before.

    Example:
        class Elsewhere(ToolExecutor):
            name = "elsewhere"

            def execute(self, tool, arguments, call):
                return lambda: f"{tool.name} would run with {dict(arguments)}"

        @hookimpl
        def executors():
            yield Elsewhere()
    """
    return ()


@hookspec
def observe(event: Event) -> None:
    """Observes what happens. Its return value is ignored, and an exception changes nothing.

    Asked for each event of `mulligan.events`, in order, in the thread or task of the call. The built-in writes log lines.
    It may be `async def`, alone of all hooks: its events wait in a queue of its own, and it is awaited one event at a time
    in a thread with an event loop of its own, so it never delays a call. Up to `Limits.queued_events` wait; more are dropped
    and counted in `PluginInfo.dropped`. `Pipeline.close` delivers what waits. An observer gets no events of calls that it makes
    itself.

    For each call: `CallStarted`; `CallRepaired` if it was read differently; `AttemptFailed` for each run that failed;
    `Waiting` before another one, and `CallRetried` as it starts; `BudgetSpent` if the conversation's budget refuses it;
    `ApprovalRequested` if it needs a person's approval, and `ApprovalDecided` once there is a decision; finally
    `CallFinished` with the result, or `CallAbandoned` if there is none, since the host cancelled the call. For each message
    whose calls are made together, by `answer`, `call_many` or their async twins: `StepFinished` with all results, which
    calls were invalid or repaired, and how long they took; then, if every call failed, so that there is nothing to show,
    `Notice` with a text for the user. `RequestNoted` says what the user wrote, where the host passes it on. A plugin's own
    bug is a `PluginFaulted`.

    Args:
        event: a record; every text in it is redacted, but for the results' own contents and values, `CallFinished.sent`
            and `AttemptFailed.outcome`.

    Example:
        @hookimpl
        def observe(event):
            if isinstance(event, CallFinished) and event.result.is_error:
                print(event.result.call.name, event.result.error.code)
    """
