"""The result of a call that failed: its error completed, corrected and rendered. Imported late, for the first pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from mulligan.classify.meanings import EXISTS, IS_DIRECTORY
from mulligan.errors import (
    PluginError,
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolError,
    ToolNotFoundError,
)
from mulligan.feedback import Feedback, FeedbackFormat
from mulligan.pipeline.invocation import Invocation
from mulligan.pointers import argument_of
from mulligan.render.composer import is_unchanged
from mulligan.render.fitting import render_to_fit
from mulligan.repair.correction import Correction, SentArguments, correct
from mulligan.repair.provenance import may_propose_name
from mulligan.resolve.suggestions import resource_candidates, similar_names
from mulligan.resolve.words import is_ambiguous, is_same_tool
from mulligan.results import ToolResult
from mulligan.tools import Tool, takes_as_sent
from mulligan.untrusted.objects import call_safely
from mulligan.untrusted.text import safe_str
from mulligan.validate.arguments import read_arguments

if TYPE_CHECKING:
    from mulligan.resolve.lookups import Lookups
    from mulligan.resolve.proposals import Proposal
    from mulligan.resolve.toolset import Toolset

_FEWEST_TELLING = 2
_SEPARATORS = frozenset("_-.:/")


def not_found_error(invocation: Invocation) -> ToolNotFoundError:
    """The error for a name that no tool has.

    Args:
        invocation: the call; it keeps the arguments that are read here.
    """
    runtime, call = invocation.runtime, invocation.call
    shown = runtime.renderer.display_name(call)
    error = ToolNotFoundError(f"Tool '{shown}' not found.", rule="host:unknown-name")
    invocation.unvalidated = None
    with suppress(ToolArgumentError):
        invocation.unvalidated = read_arguments(call.arguments, runtime.limits)
    arguments = invocation.unvalidated or {}
    called = safe_str(call.name, 400)
    names, is_clear = runtime.toolset.suggest(called, arguments)
    if names:
        called = _with_shared_prefix(called, names[0], runtime.toolset)
        is_clear = is_clear and sum(is_same_tool(called, name) for name in names) <= 1
        is_clear = is_clear and not is_ambiguous(called, names)
        tools = {name: runtime.toolset[name] for name in names}
        taking = partial(_tools_taking, arguments, tools.values())
        proposals = _find_proposals()(tools, called, names[0] if is_clear else None, taking)
        error.suggestions = tuple(name for name in names if proposals[name] and may_propose_name(name, called))
        if names[0] in error.suggestions:
            error.proposal = proposals[names[0]] or "listed"
        else:  # a name that may not be proposed is not replaced by another
            from mulligan.resolve.proposals import asks_to_read

            error.proposal = "listed"
            if not asks_to_read(called):  # something was to be done, so a tool that reads would mislead
                error.suggestions = ()
        error.confident = error.proposal == "clear"
    if error.proposal not in ("clear", "asked"):
        only = _only_reader(runtime.toolset, called, arguments)
        if only is not None:
            error.suggestions, error.proposal = (only,), "likely"
    return error


def _only_reader(toolset: Toolset, called: str, arguments: dict[str, Any]) -> str | None:
    """The one tool of all that takes the arguments as they were sent, if it only reads and the name asks for no change.

    It is likelier than any tool whose name is more similar, since that would need other arguments.
    """
    fitting = _tools_taking(arguments, toolset.having(arguments))
    if len(fitting) != 1 or not may_propose_name(fitting[0], called):
        return None
    from mulligan.resolve.proposals import asks_for_change, seems_to_read

    return fitting[0] if seems_to_read(toolset[fitting[0]]) and not asks_for_change(called) else None


@cache
def _find_proposals() -> Callable[..., dict[str, Proposal | None]]:
    """`find_proposals`, imported with the first unknown name."""
    from mulligan.resolve.proposals import find_proposals

    return find_proposals


def _with_shared_prefix(called: str, name: str, names: Iterable[str]) -> str:
    """A called name with the prefix that all tools share, as a server's name, if it lacks only that; otherwise unchanged."""
    prefix = name.removesuffix(called)
    is_prefix = bool(called) and prefix != name and prefix[-1:] in _SEPARATORS and prefix[:-1].isalnum()
    return name if is_prefix and all(other.startswith(prefix) for other in names) else called


def _tools_taking(arguments: dict[str, Any], tools: Iterable[Tool]) -> list[str]:
    """The names of the first two tools that take these arguments unchanged; none for a single argument, which many take."""
    if len(arguments) < _FEWEST_TELLING:
        return []
    return list(islice((tool.name for tool in tools if takes_as_sent(tool, arguments)), 2))


def failure_result(invocation: Invocation, error: ToolError, note: str = "") -> ToolResult:
    """The result of a call that failed. It is always returned, even if rendering fails.

    Args:
        invocation: the call.
        error: what the failure means.
        note: a sentence on how often this has happened, or nothing.
    """
    runtime = invocation.runtime
    renderer = runtime.renderer
    error = runtime.classifier.complete(error, invocation.call, invocation.tool, invocation.arguments)
    resources: tuple[str, ...] = ()
    if isinstance(error, ResourceNotFoundError):
        resources = _near_resources(error, invocation)
        error.suggestions = resources or tuple(filter(partial(renderer.may_suggest, ""), error.suggestions))
    try:
        feedback, content = _render(invocation, error, note, resources)
    except PluginError:
        raise
    except Exception:
        feedback, content = None, f"Error: the tool failed ({type(error).__name__})."
    if feedback is None or not is_unchanged(feedback, error):
        error = renderer.redacted_error(error)
        if feedback is not None:
            error.user_message = feedback.user_message
    return ToolResult(
        invocation.call,
        invocation.tool,
        True,
        None,
        error,
        error.fatal,
        feedback,
        content,
        invocation.attempts,
        invocation.repairs,
        0.0,
        invocation.events,
        renderer,
    )


def _near_resources(error: ResourceNotFoundError, invocation: Invocation) -> tuple[str, ...]:
    """The names similar to a missing one that the tool's author gave, and that may appear in our own text."""
    tool = invocation.tool
    if tool is None or tool.resources is None or not error.resource:
        return ()
    listed = (
        resource_candidates(tool, invocation.arguments or {})
        if invocation.candidates is None
        else invocation.candidates
    )
    names = similar_names(error.resource, listed)
    return tuple(filter(partial(invocation.runtime.renderer.may_suggest, error.resource), names))


def _render(invocation: Invocation, error: ToolError, note: str, resources: tuple[str, ...]) -> tuple[Feedback, str]:
    runtime, tool = invocation.runtime, invocation.tool
    renderer = runtime.renderer
    failure = invocation.failure
    hints = invocation.hooks.hints(error, failure)
    correction = call_safely(lambda: _correction(invocation, error, resources))
    lookups = None
    if tool is not None and not tool.secret and (correction is None or failure is not None):
        lookups = _lookups(invocation, error, tool)
    feedback = renderer.composer.compose(
        error,
        invocation.call,
        tool,
        correction=correction,
        failure=failure,
        tools=runtime.toolset if isinstance(error, ToolNotFoundError) else None,
        hints=hints,
        repairs=invocation.repairs,
        note=note,
        resources=resources,
        lookups=lookups,
    )
    format = (tool.format if tool is not None else None) or invocation.format
    known_format = format if isinstance(format, FeedbackFormat) else renderer.formats.get(format or "")
    hooks = invocation.hooks
    fitted, content = render_to_fit(
        feedback,
        known_format or renderer.format,
        runtime.limits,
        renderer.on_silent_format,
        by_hook=hooks.render_feedback if hooks.has_render else None,
        count_tokens=hooks.count_tokens,
    )
    if correction is not None and fitted.corrected:
        _keep_correction(error, correction)
    return fitted, content


def _lookups(invocation: Invocation, error: ToolError, tool: Tool) -> Lookups:
    """What the other tools can show."""
    failure = invocation.failure
    rejected = error.problems[0].pointer if len(error.problems) == 1 else ""
    is_conflict = isinstance(error, ResourceConflictError)
    if is_conflict and not rejected and failure is not None:
        rejected = failure.blamed(by_value=False) or ""
    return _lookups_class()(
        tool,
        invocation.arguments or {},
        error.resource,
        invocation.runtime.toolset,
        argument_of(rejected) if rejected and "/" not in rejected[1:] else None,
        is_folder=IS_DIRECTORY.message in error.message,
        type_name="" if failure is None or failure.exception is None else failure.type_name,
        is_refused=is_conflict and error.code != EXISTS.code,
    )


@cache
def _lookups_class() -> type[Lookups]:
    """`Lookups`, imported with the first failure that other tools may explain."""
    from mulligan.resolve.lookups import Lookups

    return Lookups


def _correction(invocation: Invocation, error: ToolError, resources: tuple[str, ...]) -> Correction | None:
    """The corrected call; None if the text holds a secret."""
    runtime, tool, failure = invocation.runtime, invocation.tool, invocation.failure
    sent = _arguments_as_read(invocation, error)
    correction = correct(error, invocation.call, tool, failure, runtime.toolset, runtime.limits, resources, sent=sent)
    if correction is None or failure is None or not isinstance(error, (ResourceNotFoundError, ToolArgumentError)):
        return correction
    return correction if runtime.renderer.redactor.redact(failure.text) == failure.text else None


def _arguments_as_read(invocation: Invocation, error: ToolError) -> SentArguments | None:
    """The arguments as they were read for an unknown name, or as the validation refused them; None after other failures."""
    tool, arguments = invocation.tool, invocation.unvalidated
    if tool is not None or arguments is None:
        is_ours = error.rule == "host:arguments" and invocation.failure is None and not invocation.hooks.has_validate
        if not is_ours or tool is None or tool.numbers is not None:
            return None
        arguments = invocation.arguments
    sent = SentArguments(invocation.call, invocation.runtime.limits)
    sent.arguments = arguments
    return sent


def _keep_correction(error: ToolError, correction: Correction) -> None:
    """Notes on the error which call the model was given, and where each word of it comes from."""
    fields = error.__dict__
    fields["corrected_from"] = correction.sources
    fields["_filled"] = [*fields.get("_filled", ()), "corrected_from"]
    if isinstance(error, ToolArgumentError) and error.corrected is None:
        fields["corrected"] = correction.arguments
        fields["_filled"].append("corrected")
