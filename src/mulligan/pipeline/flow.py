"""One invocation: it asks for steps, is sent their outcomes, and ends in a result.

Nothing in here waits, and nothing knows whether the driver is sync or async; the clock is the host's.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from mulligan.calls import PreparedCall, ToolCall
from mulligan.deadline import Deadline, earliest_deadline, outer_deadline
from mulligan.errors import (
    PluginError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    ToolNotFoundError,
    ToolTimeoutError,
    UsageError,
)
from mulligan.events import CallAbandoned, CallFinished, CallRepaired, CallStarted
from mulligan.execute.steps import ArgumentsRefused, Outcome, Run, Step
from mulligan.hooks.guard import Refusal
from mulligan.pipeline.attempts import (
    classify_outcome,
    copy_arguments,
    inject,
    make_run,
    middleware_for,
    retry_by_default,
    run_middleware,
    with_deadline,
)
from mulligan.pipeline.conversation import (
    admit,
    begin,
    find_recorded,
    note_on_effect,
    raise_exhausted,
    record_abandoned,
    record_failure,
    record_result,
)
from mulligan.pipeline.invocation import Invocation, Runtime
from mulligan.resolve.suggestions import resource_candidates
from mulligan.results import ToolResult
from mulligan.secrets.redaction import truncate
from mulligan.tools import Tool
from mulligan.untrusted.serialize import as_content
from mulligan.untrusted.text import safe_repr, show_name
from mulligan.validate.arguments import arguments_text, read_arguments
from mulligan.validate.schema_errors import SchemaError, unusable_tool_error

if TYPE_CHECKING:
    from mulligan.execute.approval import ApprovalRequest, NeedsApproval
    from mulligan.session.memory import Admission

CallSteps: TypeAlias = "Generator[Step, Outcome, ToolResult]"
_NOTE_CHARS = 60
_DEADLINE_RULE = "host:deadline"


@attrs.define(eq=False, repr=False, weakref_slot=False)
class Call(Invocation):
    """An invocation as a flow for a driver.

    An ordinary call waits for its run and for nothing else: what happens before and after are two functions. A generator
    is only made for a call that waits for more, such as a repair, a person, a middleware or another run.
    """

    steps: CallSteps | None = None

    def advance(self, outcome: Outcome | None) -> Step | ToolResult:
        """The next step, or the result.

        Args:
            outcome: how the last step ended; None for the first.

        Raises:
            UsageError: a mistake in the host's own code, such as a missing injected value.
            ToolError: in strict mode.
        """
        try:
            if self.steps is None:
                step = before_run(self) if outcome is None else after_run(self, outcome)
                if isinstance(step, (Run, ToolResult)):
                    return step
                self.steps, outcome = step, None
            return self.steps.send(outcome)  # type: ignore[arg-type]
        except StopIteration as stop:  # of the generator: the stages let none through
            return stop.value  # type: ignore[no-any-return]
        except BaseException as error:
            _abandon(self, error)
            raise

    def close(self) -> None:
        """Ends the call without a result, since its run was interrupted."""
        if self.steps is not None:
            self.steps.close()
        _abandon(self, GeneratorExit())


def invoke(invocation: Invocation, refused: ToolArgumentError | None = None) -> CallSteps:
    """Runs one call through the stages.

    Args:
        invocation: the call.
        refused: what the tool's framework found wrong with the arguments, where it was asked before.

    Returns:
        A generator that returns the result.

    Raises:
        UsageError: a mistake in the host's own code, such as a missing injected value.
        ToolError: in strict mode.
    """
    try:
        step = before_run(invocation, refused)
        if isinstance(step, Run):
            step = after_run(invocation, (yield step))
        return step if isinstance(step, ToolResult) else (yield from step)
    except BaseException as error:
        _abandon(invocation, error)
        raise


def before_run(invocation: Invocation, refused: ToolArgumentError | None = None) -> Run | ToolResult | CallSteps:
    """What happens before the run.

    Args:
        invocation: the call.
        refused: what the tool's framework found wrong with the arguments, where it was asked before.

    Returns:
        The run of an ordinary call, whose outcome goes to `after_run`; or a generator that takes any other to its result.
    """
    try:
        tool: Any = refused or _begin(invocation)
        if not isinstance(tool, Tool):
            invocation.hide_secrets()
            if not _may_repair(invocation, tool):
                return _failure_result(invocation, _blame_editor(invocation, tool))
            return _wait(invocation, tool, refused)
        admission = None if invocation.memory is None else admit(invocation, invocation.memory, tool)
        if admission is not None:
            return _wait(invocation, tool, refused, admission)
        deadline, has_authorize = invocation.deadline, invocation.hooks.has_authorize
        needs_preparation = tool._needs_preparation or invocation.context or has_authorize  # noqa: SLF001
        is_plain = deadline is None and not needs_preparation
        needed = None if is_plain else _prepare_run(invocation, tool)
        if (needed is None or invocation.decision is not None) and not middleware_for(invocation, tool):
            run = make_run(invocation, tool)
            if not is_plain:
                return with_deadline(invocation, run)
            if invocation.fresh_arguments is None and type(tool) is Tool:
                invocation.keywords = None  # they are the tool's now, and need not be kept for as long as it runs
            return run
    except Exception as error:
        return _continue_after(invocation, error, refused)
    return _wait_for_run(invocation, tool, needed, deadline)


def after_run(invocation: Invocation, ended: Outcome) -> ToolResult | CallSteps:
    """What happens after the run of an ordinary call.

    Args:
        invocation: the call.
        ended: how its run ended.

    Returns:
        The result; or, after some failures, a generator that returns it.
    """
    try:
        tool: Any = invocation.tool
        outcome = classify_outcome(invocation, tool, ended)
    except Exception as error:
        return _continue_after(invocation, error)
    if outcome.error is None:
        return _success_result(invocation, outcome.value)
    if outcome.error.transient or _has_candidates(tool, outcome.error):
        return _wait_after(invocation, tool, outcome)
    return _failure_result(invocation, outcome.error)


def _wait(
    invocation: Invocation,
    tool: Tool | ToolError,
    refused: ToolArgumentError | None,
    admission: Admission | None = None,
) -> CallSteps:
    """Takes a call to its result that must be repaired, or may have been answered already."""
    try:
        if not isinstance(tool, Tool):
            tool = yield from _repair(invocation, tool)
            admission = None if invocation.memory is None else admit(invocation, invocation.memory, tool)
        recorded = None if admission is None else (yield from find_recorded(invocation, tool, admission))
        if recorded is not None:
            return _finish(invocation, recorded)
        deadline = invocation.deadline
        needed = _prepare_run(invocation, tool)
    except Exception as error:
        return (yield from _continue_after(invocation, error, refused))
    return (yield from _wait_for_run(invocation, tool, needed, deadline, refused))


def _wait_for_run(
    invocation: Invocation,
    tool: Tool,
    needed: NeedsApproval | None,
    deadline: Deadline | None,
    refused: ToolArgumentError | None = None,
) -> CallSteps:
    """Takes a call to its result that has been prepared: with a person's approval, and the middleware around its run."""
    try:
        if needed is not None and invocation.decision is None:
            yield from _obtain_approval(invocation, tool, needed, deadline)
        middleware = middleware_for(invocation, tool)
        if middleware:
            outcome = yield from run_middleware(invocation, tool, middleware, make_run(invocation, tool))
        else:  # the run has no name here, so that nothing keeps it while it continues
            ended = yield with_deadline(invocation, make_run(invocation, tool))
            outcome = classify_outcome(invocation, tool, ended)
    except Exception as error:
        return (yield from _continue_after(invocation, error, refused))
    return (yield from _wait_after(invocation, tool, outcome, refused))


def _wait_after(
    invocation: Invocation, tool: Tool, outcome: Outcome, refused: ToolArgumentError | None = None
) -> CallSteps:
    """Takes a call that has run to its result: runs it again where that is safe, and lists what may have been meant."""
    try:
        if outcome.error is not None and outcome.error.transient:
            outcome = yield from retry_by_default(invocation, tool, outcome)
    except Exception as error:
        return (yield from _continue_after(invocation, error, refused))
    if outcome.error is None:
        return _success_result(invocation, outcome.value)
    return (yield from _finish_failed(invocation, outcome.error))


def refuse(invocation: Invocation, error: ToolError) -> ToolResult:
    """The result of a call that is refused before any stage.

    Args:
        invocation: the call.
        error: why.

    Raises:
        ToolError: in strict mode.
    """
    invocation.tool = invocation.runtime.toolset.get(invocation.call.name)
    invocation.hide_secrets()
    _start(invocation)
    return _failure_result(invocation, error)


def _abandon(invocation: Invocation, error: BaseException) -> None:
    """Reports a call that ends without a result to the observers and to the memory of the conversation."""
    if invocation.is_open:
        invocation.is_open = False
        call, position = invocation.call, (invocation.session_id, invocation.step, invocation.attempts)
        invocation.hooks.observe(CallAbandoned(call.id, invocation.runtime.renderer.display_name(call), *position))
    if invocation.memory is not None and invocation.recording_key is not None:
        may_have_run = invocation.attempts > 0 or not isinstance(error, Exception)
        record_abandoned(invocation, invocation.memory, may_have_run=may_have_run)


def _continue_after(invocation: Invocation, error: Exception, refused: ToolArgumentError | None = None) -> CallSteps:
    """The result after an exception ended the stages; arguments that a framework refused go through them once more."""
    if error.__dict__.get("_result") is not None:
        raise error  # strict mode: the call is answered
    if isinstance(error, ArgumentsRefused) and refused is None:
        if invocation.memory is not None:
            record_abandoned(invocation, invocation.memory, may_have_run=False)
        return (yield from invoke(invocation, error.error))
    return (yield from _finish_failed(invocation, _error_for_exception(invocation, error)))


def prepare(invocation: Invocation) -> Generator[Step, Outcome, PreparedCall | None]:
    """Reads one call, and repairs it where the policy allows, without running anything; observers get no events of it.

    Args:
        invocation: the call, without the memory of a conversation.

    Returns:
        A generator that returns the call as it can run; None if it cannot.
    """
    invocation.hooks = invocation.hooks.without_observers()
    try:
        resolved = _resolve_and_validate(invocation)
        if isinstance(resolved, ToolError):
            if not _may_repair(invocation, resolved):
                return None
            yield from _repair(invocation, resolved)
    except (ToolError, Refusal):
        return None
    prepared = PreparedCall(invocation.call.id, invocation.call.name, invocation.arguments)
    prepared.repairs = invocation.repairs
    return prepared


def find_approval(invocation: Invocation) -> Generator[Step, Outcome, ApprovalRequest | None]:
    """What a person would be asked about one call, without running anything; observers get no events of it.

    Args:
        invocation: the call.

    Returns:
        A generator that returns the request; None if no one would be asked.
    """
    invocation.hooks = invocation.hooks.without_observers()
    try:
        tool = _resolve_and_validate(invocation)
        if isinstance(tool, ToolError):
            if not _may_repair(invocation, tool):
                return None
            tool = yield from _repair(invocation, tool)
        needed = _authorize(invocation, tool)
    except (ToolError, Refusal):
        return None
    if needed is None:
        return None
    from mulligan.pipeline import approval

    return approval.new_request(invocation, tool, needed)


def _begin(invocation: Invocation) -> Tool | ToolError:
    """Starts the call: its tool, with the arguments read, or why there is none."""
    _start(invocation)
    return _resolve_and_validate(invocation)


def _start(invocation: Invocation) -> None:
    invocation.started = invocation.runtime.clock()
    if invocation.context is not None or invocation.deadline is not None or outer_deadline() is not None:
        _check_deadline(invocation)
        invocation.deadline = earliest_deadline(invocation.deadline, invocation.context)
    exhausted = None if invocation.memory is None else begin(invocation, invocation.memory)
    invocation.is_open = invocation.hooks.has_observe
    if invocation.is_open and not invocation.is_continued:
        _observe_start(invocation)
    if invocation.decision is not None:
        from mulligan.pipeline.approval import note_decision

        note_decision(invocation, invocation.call.name, invocation.decision)
    if type(invocation.whole) is PreparedCall:
        _note_repairs(invocation, invocation.whole)
    if exhausted is not None:
        raise_exhausted(invocation, exhausted)


def _has_candidates(tool: Tool | None, error: ToolError) -> bool:
    return isinstance(error, ResourceNotFoundError) and tool is not None and callable(tool.resources)


def _finish_failed(invocation: Invocation, error: ToolError) -> CallSteps:
    """The result of a call that failed, with the names that may be meant instead of a missing one."""
    tool = invocation.tool
    if tool is not None and _has_candidates(tool, error):
        yield from _list_candidates(invocation, tool)
    return _failure_result(invocation, error)


def _list_candidates(invocation: Invocation, tool: Tool) -> Generator[Step, Outcome, None]:
    """Lists the names that may be meant: as a run, so that it ends by the call's deadline."""
    deadline = invocation.deadline
    if deadline is not None and deadline.remaining <= 0:
        invocation.candidates = []
        return
    listing = Run(
        partial(resource_candidates, tool, invocation.arguments or {}),
        None,
        not tool.inline,
        is_async=False,
        lane=tool.name,
    )
    listed = yield with_deadline(invocation, listing)
    invocation.candidates = [] if listed.exception is not None else listed.value


def _check_deadline(invocation: Invocation) -> None:
    """Refuses an invalid deadline, unless it is the value of some tool's own parameter of that name."""
    if invocation.context is not None and not isinstance(invocation.context, Mapping):
        shown = safe_repr(invocation.context, 40)
        raise UsageError(f"context must be a mapping of names to values, not {shown}; pass context={{'name': value}}")
    deadline = None if invocation.context is None else invocation.context.get("deadline")
    if deadline is None or isinstance(deadline, Deadline):
        return
    if not any("deadline" in tool.injected for tool in invocation.runtime.toolset.values()):
        shown = safe_repr(deadline, 40)
        raise UsageError(f'context={{"deadline": {shown}}}: use a Deadline, as in Deadline.after(5) for 5 s from now')


def _check_names(state: Invocation) -> None:
    """Refuses a context of which no tool has any parameter: a name in it is misspelt."""
    names = [name for name in state.context or () if name != "deadline"]
    tools = state.runtime.toolset.values()
    if names and not any(name in tool.injected for tool in tools for name in names):
        known = ", ".join(sorted({name for tool in tools for name in tool.injected} | {"deadline"}))
        raise UsageError(
            f"context={{{names[0]!r}: ...}}: no tool has an Injected parameter of that name; known: {known}"
        )


def _observe_start(invocation: Invocation) -> None:
    call = invocation.sent = invocation.call
    tool = invocation.runtime.toolset.get(call.name)
    name = call.name if tool is not None else invocation.runtime.renderer.display_name(call)
    invocation.hooks.observe_calls(CallStarted.of(call.id, name, tool, invocation))


def _error_for_exception(invocation: Invocation, error: Exception) -> ToolError:
    """What an exception means that ended the stages; one that must pass is raised again."""
    if isinstance(error, ToolError):
        return error
    if isinstance(error, (Refusal, ArgumentsRefused)):
        return error.error
    if isinstance(error, (UsageError, PluginError)):
        raise error
    if invocation.outcome is not None and error is invocation.outcome.exception:
        raise error  # control flow of a framework
    message = f"mulligan itself failed ({type(error).__name__}); please report it."
    bug = ToolExecutionError(message, effect="possible" if invocation.attempts else "none", rule="host:bug")
    bug.__cause__ = error
    return bug


def _resolve_and_validate(invocation: Invocation) -> Tool | ToolError:
    """Resolve and validate: the tool with its arguments, or the error of one of the two."""
    runtime, hooks = invocation.runtime, invocation.hooks
    if hooks.has_resolve:
        tool = invocation.tool = hooks.resolve(invocation.call, runtime.toolset)
    else:
        tool = invocation.tool = runtime.toolset.get(invocation.name)
    if tool is None:
        return _not_found_error()(invocation)
    try:
        given: Any = hooks.validate(tool, invocation.call) if hooks.has_validate else None
        given = invocation.given if given is None else given
        text = given if type(given) is str else arguments_text(given)
        arguments = read_arguments(text, runtime.limits, numbers=tool.numbers)
        bound = tool.fit(arguments)
    except ToolArgumentError as error:
        return error.with_traceback(None)
    except SchemaError as error:
        return unusable_tool_error(tool.shown, error)
    invocation.arguments_text, invocation.fresh_arguments = text, arguments
    if not isinstance(bound, dict):
        return bound
    if tool.secret:
        invocation.hide_secrets()
    invocation.keywords = bound
    return tool


def _prepare_run(invocation: Invocation, tool: Tool) -> NeedsApproval | None:
    """The deadline, injected values, and authorize: why a person must approve the call, if so."""
    clock = invocation.runtime.clock
    if invocation.deadline is not None and invocation.deadline.remaining <= 0:
        raise ToolTimeoutError(
            "The deadline of this call passed. The tool was not run.", effect="none", rule=_DEADLINE_RULE
        )
    if tool.timeout is not None and (invocation.deadline is None or tool.timeout < invocation.deadline.remaining):
        invocation.deadline = Deadline(clock() + tool.timeout, clock)
    if tool.injected:
        invocation.keywords = {
            **invocation.handler_arguments,
            **inject(tool, invocation.context, invocation.call, invocation.deadline, clock),
        }
    if invocation.context:
        _check_names(invocation)
    if tool.approve or invocation.hooks.has_authorize:
        return _authorize(invocation, tool)
    return None


def _authorize(invocation: Invocation, tool: Tool) -> NeedsApproval | None:
    answer: ToolError | NeedsApproval | None = None
    if invocation.hooks.has_authorize:
        answer = invocation.hooks.authorize(tool, partial(copy_arguments, invocation, tool), invocation.call)
    if answer is None:
        if not tool.approve:
            return None
        from mulligan.execute.approval import NeedsApproval

        return NeedsApproval()
    if isinstance(answer, ToolError):
        raise answer
    return answer


def _blame_editor(invocation: Invocation, error: ToolError) -> ToolError:
    """The error of a call that cannot be resolved, or does not validate: the person's, if a person changed it."""
    if not (invocation.repairs and isinstance(error, ToolArgumentError)):
        return error
    from mulligan.pipeline.approval import edit_error

    invocation.repairs = ()
    return edit_error(invocation.call.name, error.problems, still_waits=True)


def _obtain_approval(
    invocation: Invocation, tool: Tool, needed: NeedsApproval, deadline: Deadline | None
) -> Generator[Step, Outcome, None]:
    """Waits for a person's approval. What then runs is validated, bounded and authorized like any call."""
    from mulligan.pipeline import approval

    decision = yield from approval.ask_person(invocation, tool, needed, deadline)
    if decision.arguments is not None:
        sent, before = invocation.call, invocation.target
        invocation.sent = invocation.sent or sent
        invocation.call = approval.edited_call(sent, decision)
        edited = _resolve_and_validate(invocation)
        if edited is not tool:
            invocation.hide_secrets()
            invocation.call, invocation.target = sent, before
            approval.raise_undecided(invocation, tool, needed, edit_problems=getattr(edited, "problems", ()))
        approval.note_edit(invocation, tool, sent)
    _prepare_run(invocation, tool)


def _may_repair(invocation: Invocation, error: ToolError) -> bool:
    """Whether a repair may be tried: not of a call that a person has decided about, which must stay what it was."""
    is_repairable = isinstance(error, (ToolNotFoundError, ToolArgumentError))
    return invocation.hooks.has_repair and is_repairable and invocation.decision is None


def _repair(invocation: Invocation, error: ToolError) -> Generator[Step, Outcome, Tool]:
    """One pass: the repaired call is resolved and validated again; whatever goes wrong keeps the first error."""
    runtime, sent, before = invocation.runtime, invocation.call, invocation.target
    tool_before = invocation.tool
    redact = runtime.renderer.redactor.redact
    repairer = invocation.hooks.repair(sent, error, runtime.toolset.without_handlers(), redact)
    if repairer is None:
        raise error
    outcome = yield with_deadline(invocation, repairer if isinstance(repairer, Run) else Run(repairer))
    repaired = outcome.value
    if outcome.exception is not None or not isinstance(repaired, ToolCall):
        raise error
    invocation.sent = sent
    invocation.call = sent._replace(name=repaired.name, arguments=repaired.arguments)
    tool = _resolve_and_validate(invocation)
    runtime = invocation.runtime
    if isinstance(tool, ToolError) or not _is_safe_repair(invocation, sent, tool):
        invocation.call, invocation.target = sent, before
        raise error
    invocation.repairs = runtime.renderer.describe_repairs(sent, invocation.call, (tool_before, tool), runtime.toolset)
    _note_repairs(invocation, sent)
    return tool


def _note_repairs(invocation: Invocation, sent: ToolCall) -> None:
    name = invocation.runtime.renderer.display_name(sent)
    for repair in invocation.repairs:
        invocation.note(CallRepaired(sent.id, name, repair, session_id=invocation.session_id, step=invocation.step))


def _is_safe_repair(invocation: Invocation, sent: ToolCall, tool: Tool) -> bool:
    """Whether a repaired call, which has just been validated, holds no more than a corrected call may."""
    from mulligan.repair.provenance import may_repair

    limits = invocation.runtime.limits
    return may_repair(tool, sent, read_arguments(invocation.call.arguments, limits), limits)


def _success_result(invocation: Invocation, value: Any) -> ToolResult:
    runtime = invocation.runtime
    try:
        content = (_dict_content if type(value) is dict else as_content)(value, invocation.deadline)
    except ToolExecutionError as error:  # it cannot be written as text
        return _failure_result(invocation, error)
    limit = runtime.limits.result_chars
    if limit is not None and len(content) > limit:
        content = _shorten(content, limit)
    if invocation.repairs:
        content = "\n".join([content, *runtime.renderer.composer.repair_notes(invocation.repairs)])
    memory, tool = invocation.memory, invocation.tool
    if memory is not None and memory.open_effect is not None and tool is not None:
        content = "\n".join(filter(None, [content, note_on_effect(invocation, memory, tool)]))
    result = ToolResult(
        invocation.call,
        invocation.tool,
        False,
        value,
        None,
        False,
        None,
        content,
        invocation.attempts,
        invocation.repairs,
        0.0,
        invocation.events,
        runtime.renderer,
    )
    return _finish(invocation, result)


def _dict_content(value: dict[Any, Any], deadline: Deadline | None) -> str:
    """What the model reads of a dict: if it is an MCP `CallToolResult`, its texts, as in every message; otherwise JSON."""
    if "content" in value:
        from mulligan.dialects.blocks import envelope_text

        with suppress(TypeError, ValueError, RecursionError, ToolExecutionError):
            text = envelope_text(value)
            if text is not None:
                return as_content(text)
    return as_content(value, deadline)


def _shorten(content: str, limit: int) -> str:
    """A result that is longer than `limit` characters, with a line that says how much was left out."""
    if limit <= _NOTE_CHARS:
        return truncate(content, limit)
    kept = truncate(content, limit - _NOTE_CHARS)
    left_out = len(content) - len(kept.rstrip("…"))
    return f"{kept}\n[{left_out:,} of {len(content):,} characters left out]"


def _failure_result(invocation: Invocation, error: ToolError) -> ToolResult:
    note = ""
    if invocation.memory is not None:
        error = invocation.runtime.classifier.complete(error, invocation.call, invocation.tool, invocation.arguments)
        error, note = record_failure(invocation, invocation.memory, error)
    return _finish(invocation, _rendered_result()(invocation, error, note))


@cache
def _rendered_result() -> Callable[[Invocation, ToolError, str], ToolResult]:
    """`failure_result`, imported with the first failure: an import statement takes most of a microsecond each time."""
    from mulligan.pipeline.failures import failure_result

    return failure_result


@cache
def _not_found_error() -> Callable[[Invocation], ToolNotFoundError]:
    """`not_found_error`, imported with the first unknown name."""
    from mulligan.pipeline.failures import not_found_error

    return not_found_error


def _finish(invocation: Invocation, result: ToolResult) -> ToolResult:
    runtime = invocation.runtime
    result.duration = runtime.clock() - invocation.started
    runtime.stats.add(result)
    if invocation.memory is not None:
        record_result(invocation, invocation.memory, result)
    if invocation.hooks.has_observe or result.is_error:
        invocation.is_open = False
        observe = invocation.hooks.observe if result.is_error else invocation.hooks.observe_calls
        observe(CallFinished.of(result, invocation, invocation.sent))
    if runtime.strict and result.error is not None:
        raise _strict_error(runtime, result, result.error)
    return result


def _strict_error(runtime: Runtime, result: ToolResult, error: ToolError) -> ToolError:
    """The error of a result as strict mode raises it: with the existing tools, and the answer to its call."""
    if isinstance(error, ToolNotFoundError):
        error.available = tuple(show_name(name, 128) for name in islice(runtime.toolset, runtime.limits.listed_tools))
    error.__dict__["_result"] = result
    return error
