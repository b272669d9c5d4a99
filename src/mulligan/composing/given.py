"""What a host's code gives a pipeline, checked: its settings, and its calls."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import attrs

from mulligan.calls import ToolCall
from mulligan.dialects.asked import name_text
from mulligan.errors import UsageError
from mulligan.foreign.containment import safe_repr
from mulligan.plugging.stages import Stages
from mulligan.policy import Limits, Policy
from mulligan.running.invocation import Chances, Host, HostView, Invocation
from mulligan.steps import Middleware
from mulligan.toolset import Toolset

if TYPE_CHECKING:
    from mulligan.answering.answering import Answering
    from mulligan.session import Session


def checked_policy(policy: object, limits: object) -> tuple[Policy, Limits]:
    """The policy and limits that a host gives; the defaults where it gives none.

    Args:
        policy: a `Policy`, or None.
        limits: a `Limits`, or None.

    Raises:
        UsageError: one of them is something else.
    """
    if not isinstance(policy, (Policy, type(None))):
        raise UsageError(f"policy must be a Policy, not {policy!r:.80}")
    if not isinstance(limits, (Limits, type(None))):
        raise UsageError(f"limits must be a Limits, not {limits!r:.80}")
    return policy or Policy(), limits or Limits()


def as_call(given: Any) -> ToolCall:
    """What a caller gives as a call.

    Args:
        given: a `ToolCall`, a name, or a pair of name and arguments.

    Raises:
        UsageError: it is something else.
    """
    if isinstance(given, ToolCall):
        return given if type(given.name) is str else given._replace(name=name_text(given.name))
    if isinstance(given, str):
        return ToolCall(None, name_text(given))
    if isinstance(given, (tuple, list)) and len(given) == 2 and isinstance(given[0], str):
        return ToolCall(None, name_text(given[0]), given[1])
    raise UsageError(f"a call is a ToolCall, a name, or a pair of name and arguments, not {safe_repr(given)}")


def as_invocation(
    host: Host,
    name_or_call: Any,
    arguments: Any,
    call_id: str | None,
    session: Session | None,
    context: Mapping[str, Any] | None,
) -> Invocation:
    """One call as the host's code gives it, ready for the flow.

    Args:
        host: the pipeline's parts.
        name_or_call: the tool's name, or a whole `ToolCall`.
        arguments: JSON text or a mapping.
        call_id: the model's id of the call.
        session: the conversation it belongs to.
        context: values for injected parameters, by name.

    Raises:
        UsageError: it is no call.
    """
    if type(name_or_call) is str:
        call = ToolCall(call_id, name_or_call, arguments)
    elif isinstance(name_or_call, str):
        call = ToolCall(call_id, name_text(name_or_call), arguments)
    elif arguments is None and call_id is None:
        call = as_call(name_or_call)
    elif isinstance(name_or_call, (ToolCall, tuple, list)):
        raise UsageError("arguments and call_id belong to a name; a ToolCall has its own")
    else:
        raise UsageError(
            f"the name of a tool is a text, not {safe_repr(name_or_call)}; what a model sent goes to answer()"
        )
    if session is None:
        return Invocation(host, call, context)
    return Invocation(host, call, context, session.memory, session.format, session.deadline)


def checked_middleware(given: Any) -> tuple[Middleware, ...]:
    """The middleware that a host gives, as it can be run.

    Args:
        given: a list of generator functions.

    Raises:
        UsageError: it is something else.
    """
    if not isinstance(given, (list, tuple)):
        raise UsageError(f"middleware must be a list of generator functions, not {given!r:.80}")
    for one in given:
        if isinstance(one, type) and not issubclass(one, Generator):
            raise UsageError(f"{one.__name__} is a class: give what it makes, as in middleware=[{one.__name__}(...)]")
        if not callable(one):
            raise UsageError(f"{one!r:.80} cannot be a middleware: give a generator function of run, tool and call")
    return tuple(given)


def chances(policy: Policy) -> Callable[[], Chances] | None:
    """What gives second chances that nobody had to ask for, made at the first failure that may pass.

    Args:
        policy: whether there are any.
    """
    if not policy.retry:
        return None

    @cache
    def made() -> Chances:
        from mulligan.middleware.retries import SecondChance

        return SecondChance()

    return made


def names_of(block: Any) -> tuple[str, ...]:
    """Names that may be given as one text.

    Args:
        block: one name or several.
    """
    if isinstance(block, str):
        return (block,)
    if not isinstance(block, (list, tuple, set, frozenset)):
        raise UsageError(f"block must be a list of plugin names, not {block!r:.80}")
    return tuple(block)


def host_view(host: Host, tools: Iterable[Any], control_flow: Iterable[Any]) -> HostView:
    """The parts of a pipeline that shares everything but its tools with another.

    Args:
        host: the other pipeline's parts.
        tools: tools, plain functions and toolsets.
        control_flow: what passes through untouched besides what the policy says.

    Raises:
        UsageError: one of the tools cannot be one, or asks for a format that nobody offers.
    """
    toolset, policy = Toolset(tools), host.policy
    if more := tuple(control_flow):
        policy = attrs.evolve(policy, control_flow=(*policy.control_flow, *more))
    toolset.dialects = host.toolset.dialects
    _check_formats(toolset, host.answering)
    return HostView(toolset, host, policy)


def equip(answering: Answering, stages: Stages, toolset: Toolset, format: Any) -> None:
    """Hands the formats and dialects of the plugins to those who use them.

    Args:
        answering: makes the results.
        stages: the compiled hooks.
        toolset: the pipeline's tools.
        format: the pipeline's feedback format, or its name.

    Raises:
        UsageError: the pipeline or one of its tools asks for a format that nobody offers.
    """
    answering.formats = stages.formats()
    answering.dialects = toolset.dialects = stages.dialects()
    answering.format = answering.format_named(format)
    _check_formats(toolset, answering)


def _check_formats(toolset: Toolset, answering: Answering) -> None:
    for tool in toolset.values():
        answering.format_named(tool.format or answering.format)
