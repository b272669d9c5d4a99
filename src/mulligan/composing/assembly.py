"""What a pipeline is given, checked; and its plugins: the built-in ones, then the installed ones, then those in code."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import attrs

from mulligan.answering.answering import Answering
from mulligan.calls import ToolCall
from mulligan.errors import UsageError
from mulligan.feedback import FeedbackFormat
from mulligan.manager import PluginManager
from mulligan.plugging.plugins import autoload_wanted, blocked_names, discover
from mulligan.policy import Limits, Policy
from mulligan.running.invocation import Chances, Host, HostView, Invocation
from mulligan.steps import Middleware
from mulligan.toolset import Toolset

if TYPE_CHECKING:
    from mulligan.session import Session


def _built_in(policy: Policy, limits: Limits) -> Mapping[str, Any]:
    """The plugins that come with mulligan, by name; `repair` only where the policy wants repairs."""
    from mulligan.builtin import classify, detect, dialects, execute, formats, resolve
    from mulligan.builtin.validate import Validate

    plugins = {
        "resolve": resolve,
        "validate": Validate(limits),
        "execute": execute,
        "detect": detect,
        "classify": classify,
        "formats": formats,
        "dialects": dialects,
    }
    kinds = tuple(kind for kind in policy.repair if isinstance(kind, str))
    if kinds:
        from mulligan.builtin.repair import Repair

        plugins["repair"] = Repair(kinds, limits)
    return plugins


def assemble(
    manager: PluginManager,
    policy: Policy,
    limits: Limits,
    plugins: Iterable[Any],
    *,
    autoload: bool,
    block: tuple[str, ...],
) -> None:
    """Registers plugins; those registered last are asked first.

    Args:
        manager: where they are registered.
        policy: which repairs are wanted.
        limits: bounds, for reading arguments.
        plugins: those that are given in code.
        autoload: whether installed plugins are loaded.
        block: names of plugins that are not used.

    Raises:
        UsageError: a plugin given in code is wrong.
    """
    given = [*_given(plugins), *(plugin for plugin in policy.repair if not isinstance(plugin, str))]
    blocked = blocked_names(block)
    for name, plugin in _built_in(policy, limits).items():
        if name in blocked:
            manager.block(name)
        else:
            manager.add(plugin, name, built_in=True)
    for found in discover(blocked) if autoload_wanted(autoload) else ():
        if found.name in blocked and found.plugin is None and found.exception is None:
            manager.block(found.name, found)
        elif not any(found.plugin is plugin for plugin in given):
            manager.add_found(found)
    for plugin in given:
        manager.add(plugin)


def _given(plugins: Iterable[Any]) -> list[Any]:
    if isinstance(plugins, (str, bytes)) or not isinstance(plugins, Iterable):
        raise UsageError(
            f"plugins must be a list of modules or instances, not {plugins!r:.80}; write [{plugins!r:.40}]"
        )
    given = list(plugins)
    for plugin in given:
        if isinstance(plugin, str):
            raise UsageError(f"plugin {plugin!r} is a text: import the module and give it itself")
    return given


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


def blame_silence(manager: PluginManager, format: FeedbackFormat) -> None:
    """Records that a format gave no text, so that the text format was taken.

    Args:
        manager: records it.
        format: the format.
    """
    name = manager.owner(format, f"format {format.name}")
    manager.fault(name, "render_feedback", f"the format {format.name!r} gave no text; its render() failed")


def as_call(given: Any) -> ToolCall:
    """What a caller gives as a call.

    Args:
        given: a `ToolCall`, a name, or a pair of name and arguments.

    Raises:
        UsageError: it is something else.
    """
    if isinstance(given, ToolCall):
        return given
    if isinstance(given, str):
        return ToolCall(None, given)
    if isinstance(given, (tuple, list)) and len(given) == 2 and isinstance(given[0], str):
        return ToolCall(None, *given)
    raise UsageError(f"a call is a ToolCall, a name, or a pair of name and arguments, not {given!r:.80}")


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
    elif arguments is None and call_id is None:
        call = as_call(name_or_call)
    else:
        raise UsageError("arguments and call_id belong to a name; a ToolCall has its own")
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
    check_formats(toolset, host.answering)
    return HostView(toolset, host, policy)


def check_formats(toolset: Toolset, answering: Answering) -> None:
    """Sees that there is the feedback format that each tool asks for.

    Args:
        toolset: the tools.
        answering: knows the formats.

    Raises:
        UsageError: a tool asks for a format that nobody offers.
    """
    for tool in toolset.values():
        answering.format_named(tool.format or answering.format)
