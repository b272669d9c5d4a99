"""Chooses one concrete step after a failure: a template of the catalogue, and its fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from mulligan.catalogue import (
    MISSING,
    Catalogue,
    finer_template,
)
from mulligan.classify.call_arguments import may_be_named_in
from mulligan.errors import (
    RepeatedCallError,
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolNotFoundError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)
from mulligan.pointers import argument_of
from mulligan.render.argument_steps import Offer, argument_step, argument_template, parameters_of
from mulligan.render.quoting import split_problems
from mulligan.render.shown_lookup import Look, ShownLookup
from mulligan.repair.identifiers import argument_with_address
from mulligan.repair.provenance import is_plain_identifier
from mulligan.tools import Tool, once_per_tool
from mulligan.untrusted.text import is_name, show_name

_SHORTEST_WAIT = 0.1
LONGEST_WAIT = 86_400.0  # no model waits for more than a day
_EXACT_BELOW = 10.0
_EXISTS = "ALREADY_EXISTS"
_WILL_NOT_RUN = ("third_time", "more_times")  # notes
_WITHOUT_EFFECT_NOTE = (
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolPermissionError,
)  # a note about effects would distract


_FIXED = (
    (ToolPermissionError, "refused"),
    (ToolAuthenticationError, "refused"),
    (RepeatedCallError, "another_approach"),
    (ToolCancelledError, "if_needed"),
)


_NOT_APPROVED = {
    "host:approval-pending": "approval_pending",
    "host:approval-missing": "approval_missing",
    "host:approval-rejected": "approval_rejected",
    "host:approval-edit": "approval_edit",
    "host:approval-tool": "approval_missing",
}  # by rule


def next_step(
    error: ToolError,
    name: str,
    tool: Tool | None,
    catalogue: Catalogue,
    sanitize_line: Callable[[str], str] = str,
    *,
    note: str = "",
    resources: Sequence[str] = (),
    offer: Offer = "",
    look: Look | None = None,
    said: str = "",
) -> str:
    """One concrete step, as an imperative sentence.

    Args:
        error: the classified error; its fatality is already decided.
        name: the name that was called, safe to show.
        tool: the tool, or None.
        catalogue: the templates.
        sanitize_line: turns a foreign text into one clean line.
        note: the name of the template about repetition, or an empty text; the step must agree with it.
        resources: the names that the tool's author provides and that are similar to a missing one.
        offer: what the quoted text offers: another tool, names or values to choose from, the form of a name, what would be
            right, a reason to request less, or that a value does not exist; or `meant`, if the feedback asks for a likely
            call.
        look: finds the tool that shows what exists (True), or the present state (False), and the call of it.
        said: the quoted text; of it, only the names of the tool's own arguments are used.
    """
    if template := _overriding_template(error, note, offer, catalogue):
        return catalogue[template].format(tool=name)
    if offer == "rejected" and (step := _rejected_step(error, name, look, catalogue)):
        return step
    if may_have_taken_effect(error, tool):
        return _effect_step(name, tool, look, catalogue)
    if isinstance(error, ToolNotFoundError):
        return _tool_step(error, name, catalogue) if tool is None else catalogue["other_way"]
    if isinstance(error, ToolArgumentError):
        less = _less_step(error, name, tool, catalogue, said) if offer == "less" else ""
        return less or argument_step(error, name, tool, catalogue, sanitize_line, offer=offer, look=look)
    if isinstance(error, ResourceNotFoundError):
        return _resource_step(error, name, tool, catalogue, offer, look, are_listed=bool(resources))
    if isinstance(error, ResourceConflictError) and not error.transient:
        return _conflict_step(error, name, tool, look, catalogue, offer)
    for cls, fixed in _FIXED:
        if isinstance(error, cls):
            return catalogue[fixed]
    return _repeat_step(error, name, tool, look, catalogue, note, offer, said)


def _conflict_step(
    error: ResourceConflictError, name: str, tool: Tool | None, look: Look | None, catalogue: Catalogue, offer: Offer
) -> str:
    """The step after a conflict: to choose one of the names that the text lists, or to read the state.

    What exists already is read only if the call for it is known: that it exists is the state.
    """
    if offer == "names":
        return catalogue[finer_template(catalogue, "existing_name", "quoted_name")].format(tool=name)
    if tool is not None and tool.read_only:
        return catalogue[finer_template(catalogue, "read_state", "read_later")].format(tool=name)
    if error.code == _EXISTS and finer_template(catalogue, "read_state", "exists") == "exists":
        found = look(False) if look is not None else None
        if found is None or not found.call:
            return catalogue["exists"].format(tool=name)
    return _state_step("read_state", name, look, catalogue)


def _repeat_step(
    error: ToolError,
    name: str,
    tool: Tool | None,
    look: Look | None,
    catalogue: Catalogue,
    note: str,
    offer: Offer,
    said: str,
) -> str:
    """The step after a failure that the same call, or one for less, may not have: unless it may have taken effect."""
    if not (error.effect == "none" or _may_be_repeated(tool)):
        return _effect_step(name, tool, look, catalogue)
    less = _less_step(error, name, tool, catalogue, said) if offer == "less" else ""
    return less or _failure_step(error, name, catalogue, note)


def _rejected_step(error: ToolError, name: str, look: Look | None, catalogue: Catalogue) -> str:
    """The step after a value that does not exist: the tool that shows which do; empty without one.

    Where the call may have taken effect, it invites no other call of the same tool.
    """
    found = look(True) if look is not None else None
    if found is None:
        return ""
    if found.call or error.effect != "possible":
        return _lookup_step("existing_name", found, name, catalogue)
    return _lookup_step("read_state", found, name, catalogue, call="read_state_call", other="read_state_with")


def _resource_step(
    error: ToolError,
    name: str,
    tool: Tool | None,
    catalogue: Catalogue,
    offer: Offer,
    look: Look | None,
    *,
    are_listed: bool,
) -> str:
    """The step after a missing resource: a name that exists, or the tool that shows which do."""
    form = finer_template(catalogue, "existing_name", "quoted_form")
    named = {"names": "quoted_name", "form": form}.get(offer, "existing_name")
    template = "closest_name" if are_listed else argument_template(error, tool, named, "other_way")
    if named == "existing_name" and (step := _identifier_step(error, name, catalogue)):
        return step
    if template == "quoted_name" and (step := _quoted_value_step(error, name, catalogue)):
        return step
    return _existing_step(template, name, look, catalogue)


def _quoted_value_step(error: ToolError, name: str, catalogue: Catalogue) -> str:
    """The step to choose a quoted name, which says for which argument; empty unless one argument alone was the missing name."""
    sent = error.arguments or {}
    holding = [argument for argument, value in sent.items() if value == error.resource]
    if len(holding) != 1 or not is_plain_identifier(holding[0]):
        return ""
    template = finer_template(catalogue, "quoted_name", "quoted_value")
    rest = catalogue["rest"] if len(sent) > 1 else ""
    return catalogue[template].format(tool=name, names=f'"{holding[0]}"', rest=rest)


def _identifier_step(error: ToolError, name: str, catalogue: Catalogue) -> str:
    """The step where an address was sent for an identifier: with the identifier alone; empty unless that is the case."""
    sent = error.arguments or {}
    argument = argument_with_address(sent)
    if argument is None:
        return ""
    rest = catalogue["rest"] if len(sent) > 1 else ""
    template = finer_template(catalogue, "existing_name", "identifier_alone")
    return catalogue[template].format(tool=name, names=f'"{argument}"', rest=rest)


def _existing_step(template: str, name: str, look: Look | None, catalogue: Catalogue) -> str:
    """The step after a missing resource: with the tool that shows which names exist, if one is known."""
    found = look(True) if look is not None and template == "existing_name" else None
    if found is None:
        return catalogue[template].format(tool=name)
    call = "read_otherwise" if found.is_direct else "see_existing"
    return _lookup_step(template, found, name, catalogue, call=call)


def _lookup_step(
    template: str,
    found: ShownLookup,
    name: str,
    catalogue: Catalogue,
    *,
    call: str = "see_existing",
    other: str = "list_existing",
) -> str:
    """The step that makes the call of another tool, or only names that tool."""
    finer = finer_template(catalogue, template, call if found.call else other)
    return catalogue[finer].format(tool=name, other=found.other, call=found.call)


def _effect_step(name: str, tool: Tool | None, look: Look | None, catalogue: Catalogue) -> str:
    """The step after a call that may have taken effect. A claim that it only reads spares the check, and invites no repeat."""
    if tool is not None and tool.claims_read_only and _is_said_to_read(tool):
        return catalogue["another_approach"]
    return _state_step("check_effect", name, look, catalogue)


def _state_step(template: str, name: str, look: Look | None, catalogue: Catalogue) -> str:
    """The step that reads the present state: with the tool that shows it, if one is known."""
    found = look(False) if look is not None else None
    if found is None:
        return catalogue[template].format(tool=name)
    return _lookup_step(template, found, name, catalogue, call=f"{template}_call", other=f"{template}_with")


def _tool_step(error: ToolNotFoundError, name: str, catalogue: Catalogue) -> str:
    if error.proposal == "listed":
        return catalogue["any_tool"]
    template = "other_tool" if error.proposal == "clear" else "likely_tool"
    return _named_step(template, error.suggestions, name, catalogue, "") or catalogue["any_tool"]


def may_have_taken_effect(error: ToolError, tool: Tool | None) -> bool:
    """Whether a call may have taken effect before an error that its arguments did not cause.

    For example, a library raises an argument error if it cannot read the response of a service.

    Args:
        error: the classified error.
        tool: the tool, or None.
    """
    if error.effect != "possible" or tool is None or _seems_to_read(tool):
        return False
    if not isinstance(error, ToolNotFoundError) and not (isinstance(error, ToolArgumentError) and error.problems):
        return False
    sent = error.arguments or {}
    is_about_the_call = error.resource is not None and may_be_named_in(error.resource, sent)
    if not sent or is_about_the_call or _may_be_repeated(tool):
        return False
    problems = split_problems(error, tool)[0]
    left_out = parameters_of(tool) - sent.keys()
    if any(argument_of(problem.pointer) in left_out for problem in problems):
        return False  # the service requires what the schema leaves open
    about = [problem for problem in problems if argument_of(problem.pointer) in sent]
    return all(problem.message == MISSING and "/" not in problem.pointer[1:] for problem in about)


def _overriding_template(error: ToolError, note: str, offer: Offer, catalogue: Catalogue) -> str:
    """The template where the class of the failure does not decide: the tool must not be called again, or another is named.

    Otherwise empty.
    """
    rule = error.rule or ""
    if rule.startswith("session:budget"):
        return "no_more" if error.fatal else "no_more_of_it"
    if rule == "host:schema":
        return "unusable"
    if rule in _NOT_APPROVED:
        return _NOT_APPROVED[rule]
    if error.fatal:
        return "stop"
    if note == "many_failures":
        return "stop_trying"
    return finer_template(catalogue, "other_way", "quoted_tool") if offer == "tool" else ""


def _named_step(template: str, names: tuple[str, ...], tool: str, catalogue: Catalogue, like: str) -> str:
    """A step with a name in it; empty if the name is a sentence, which would look like our own text."""
    if not names or not is_name(names[0], like):
        return ""
    return catalogue[template].format(tool=tool, name=show_name(names[0], 256))


def _less_step(error: ToolError, name: str, tool: Tool | None, catalogue: Catalogue, said: str) -> str:
    """The step after a query for too much: for less, by arguments that can ask for that; empty without any.

    If the quoted text names some of the arguments that may be added, only these are.
    """
    from mulligan.render.narrowing import find_filters, find_limit, find_reducible, find_statement, reads_rows

    if tool is None or finer_template(catalogue, "less", "less_with") != "less_with":
        return ""
    sent = error.arguments or {}
    limit, filters = find_limit(tool), find_filters(tool, sent, said)
    ways = [catalogue["filtered"].format(names=catalogue["or"].join(f'"{one}"' for one in filters))] if filters else []
    if limit in sent:
        ways.append(catalogue["smaller"].format(name=f'"{limit}"'))
    ways += [catalogue[how].format(name=f'"{one}"') for how, one in find_reducible(tool, sent) if one != limit]
    statement = find_statement(tool, sent)
    if statement is not None and (not ways or (isinstance(error, ToolTimeoutError) and reads_rows(sent[statement]))):
        ways.insert(0, catalogue["less_of"].format(name=f'"{statement}"'))  # other arguments bound only what it returns
    return catalogue["less_with"].format(tool=name, ways=catalogue["or"].join(ways)) if ways else ""


def _failure_step(error: ToolError, name: str, catalogue: Catalogue, note: str) -> str:
    is_timeout = isinstance(error, ToolTimeoutError)
    if not is_timeout and not (
        error.transient or isinstance(error, (ToolRateLimitError, ToolUnavailableError, ToolConnectionError))
    ):
        return catalogue["other_way"]
    if error.retry_after is not None and error.retry_after > LONGEST_WAIT:
        return catalogue["other_way"]
    if note in _WILL_NOT_RUN:
        return catalogue["another_approach"]
    is_repeated = note in ("second_time", "second_alike")
    if is_timeout:
        return catalogue["less_at_once" if is_repeated else "less"].format(tool=name)
    template = "later" if is_repeated else "again"
    if error.retry_after is None:
        return catalogue[template].format(tool=name)
    return catalogue[f"{template}_after"].format(tool=name, seconds=format_seconds(error.retry_after))


def _may_be_repeated(tool: Tool | None) -> bool:
    """Whether the model may be advised to repeat a call: only the tool's author can declare that it is safe."""
    return tool is not None and (tool.read_only or tool.idempotent)


@once_per_tool
def _seems_to_read(tool: Tool) -> bool:
    from mulligan.resolve.proposals import seems_to_read

    return seems_to_read(tool)


def _is_said_to_read(tool: Tool) -> bool:
    from mulligan.resolve.proposals import is_said_to_read

    return is_said_to_read(tool)


def format_seconds(seconds: float) -> str:
    """A wait as digits; from ten seconds on, rounded up to whole seconds."""
    return (
        f"{max(seconds, _SHORTEST_WAIT) if seconds > 0 else seconds:.3g}"
        if seconds < _EXACT_BELOW
        else str(math.ceil(seconds))
    )


def effect_note(error: ToolError, tool: Tool | None, catalogue: Catalogue) -> str:
    """A sentence about what the call may have changed already; empty if nothing.

    Args:
        error: the classified error.
        tool: the tool, or None.
        catalogue: the templates.
    """
    if error.effect == "done":
        return catalogue["done"]
    if error.effect != "possible" or tool is None or tool.read_only:
        return ""
    distracts = isinstance(error, _WITHOUT_EFFECT_NOTE) and not may_have_taken_effect(error, tool)
    return "" if distracts or _is_said_to_read(tool) else catalogue["possible"]
