"""Settings checked, and a pipeline's plugins: built-in, installed, and in code. Imported late, for the first pipeline."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import attrs

from mulligan.calls import ToolCall, known_id
from mulligan.dialects.readers import name_text
from mulligan.errors import UsageError
from mulligan.execute.steps import Middleware
from mulligan.feedback import FeedbackFormat
from mulligan.hooks.callers import Stages
from mulligan.hooks.discovery import autoload_wanted, blocked_names, discover
from mulligan.hooks.manager import PluginManager
from mulligan.pipeline.invocation import Chances, Host, HostView, Invocation
from mulligan.policy import Limits, Policy
from mulligan.resolve.toolset import Toolset
from mulligan.untrusted.text import safe_repr

if TYPE_CHECKING:
    from mulligan.pipeline.result_factory import Answering
    from mulligan.pipeline.session import Session


def checked_policy(policy: object, limits: object) -> tuple[Policy, Limits]:
    """The policy and limits of a host, or the defaults.

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
    """Converts the argument of a caller to a call.

    Args:
        given: a `ToolCall`, a name, or a pair of name and arguments.

    Raises:
        UsageError: it is something else.
    """
    if isinstance(given, ToolCall):
        if type(given.name) is str and known_id(given.id) is given.id:
            return given
        return given._replace(id=known_id(given.id), name=name_text(given.name))
    if isinstance(given, str):
        return ToolCall(None, name_text(given))
    if isinstance(given, (tuple, list)) and len(given) == 2 and isinstance(given[0], str):
        return ToolCall(None, name_text(given[0]), given[1])
    raise UsageError(f"a call must be a ToolCall, a name, or a pair of name and arguments, not {safe_repr(given)}")


def as_invocation(
    host: Host,
    name_or_call: Any,
    arguments: Any,
    call_id: str | None,
    session: Session | None,
    context: Mapping[str, Any] | None,
) -> Invocation:
    """One call of the host's code, ready for the flow.

    Args:
        host: the pipeline's parts.
        name_or_call: the tool's name, or a whole `ToolCall`.
        arguments: JSON text or a mapping.
        call_id: the model's id of the call; an empty one counts as None.
        session: the conversation it belongs to.
        context: values for injected parameters, by name.

    Raises:
        UsageError: it is not a call.
    """
    if type(name_or_call) is str:
        call = ToolCall(known_id(call_id), name_or_call, arguments)
    elif isinstance(name_or_call, str):
        call = ToolCall(known_id(call_id), name_text(name_or_call), arguments)
    elif arguments is None and call_id is None:
        call = as_call(name_or_call)
    elif isinstance(name_or_call, (ToolCall, tuple, list)):
        raise UsageError("arguments and call_id require a name; a ToolCall has its own")
    else:
        raise UsageError(
            f"the tool name must be a string, not {safe_repr(name_or_call)}; pass what a model sent to answer()"
        )
    if session is None:
        return Invocation(host, call, context)
    return Invocation(host, call, context, session.memory, session.format, session.deadline)


def checked_middleware(given: Any) -> tuple[Middleware, ...]:
    """Checks the middleware of a host.

    Args:
        given: a list of generator functions.

    Raises:
        UsageError: it is something else.
    """
    if not isinstance(given, (list, tuple)):
        raise UsageError(f"middleware must be a list of generator functions, not {given!r:.80}")
    for one in given:
        if isinstance(one, type) and not issubclass(one, Generator):
            raise UsageError(f"{one.__name__} is a class; pass an instance, as in middleware=[{one.__name__}(...)]")
        if not callable(one):
            raise UsageError(f"{one!r:.80} cannot be a middleware; pass a generator function of run, tool and call")
    return tuple(given)


def chances(policy: Policy) -> Callable[[], Chances] | None:
    """A factory of the automatic retry, created at the first transient failure.

    Args:
        policy: whether to retry.
    """
    if not policy.retry:
        return None

    @cache
    def made() -> Chances:
        from mulligan.middleware.retries import SecondChance

        return SecondChance()

    return made


def names_of(block: Any) -> tuple[str, ...]:
    """A tuple of names, which may be passed as one string.

    Args:
        block: one name or several.
    """
    if isinstance(block, str):
        return (block,)
    if not isinstance(block, (list, tuple, set, frozenset)):
        raise UsageError(f"block must be a list of plugin names, not {block!r:.80}")
    return tuple(block)


def host_view(host: Host, tools: Iterable[Any], control_flow: Iterable[Any]) -> HostView:
    """The parts of a pipeline that shares everything except its tools with another.

    Args:
        host: the other pipeline's parts.
        tools: tools, plain functions and toolsets.
        control_flow: exceptions that pass through unchanged, in addition to those of the policy.

    Raises:
        UsageError: a tool is invalid, or names an unknown format.
    """
    toolset, policy = Toolset(tools), host.policy
    if more := tuple(control_flow):
        policy = attrs.evolve(policy, control_flow=(*policy.control_flow, *more))
    toolset.dialects = host.toolset.dialects
    _check_formats(toolset, host.answering)
    return HostView(toolset, host, policy)


def equip(answering: Answering, stages: Stages, toolset: Toolset, format: Any) -> None:
    """Passes the formats and dialects of the plugins to the parts that use them.

    Args:
        answering: creates the results.
        stages: the compiled hooks.
        toolset: the pipeline's tools.
        format: the pipeline's feedback format, or its name.

    Raises:
        UsageError: the pipeline or one of its tools names an unknown format.
    """
    answering.formats = stages.formats()
    answering.dialects = toolset.dialects = stages.dialects()
    answering.format = answering.format_named(format)
    _check_formats(toolset, answering)


def _check_formats(toolset: Toolset, answering: Answering) -> None:
    for tool in toolset.values():
        answering.format_named(tool.format or answering.format)


_ALWAYS = ("resolve", "validate", "execute", "detect", "classify", "formats", "dialects", "repair")
_SURE = 0.8


def _built_in(policy: Policy, limits: Limits) -> Mapping[str, Any]:
    """The built-in plugins by name; `repair` only if the policy enables repairs."""
    from mulligan.classify import builtin as classify
    from mulligan.classify import detect
    from mulligan.dialects import builtin as dialects
    from mulligan.execute import builtin as execute
    from mulligan.render import builtin as formats
    from mulligan.resolve import builtin as resolve
    from mulligan.validate.builtin import Validate

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
        from mulligan.repair.builtin import Repair

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
    """Registers plugins; the last one registered is called first.

    Args:
        manager: registers them.
        policy: which repairs are enabled.
        limits: bounds for reading arguments.
        plugins: the plugins in code.
        autoload: whether to load installed plugins.
        block: names of blocked plugins.

    Raises:
        UsageError: a plugin in code is invalid, or a blocked name is misspelled.
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
    if block:
        _check_blocked(block, [info.name for info in manager.infos])


def _check_blocked(block: Iterable[str], known: list[str]) -> None:
    """Refuses a misspelled name; any other name may be that of a plugin that is not installed here."""
    import difflib

    alike = {_spelling(name): name for name in known}
    for name in block:
        if name not in known and name != "repair":
            near = difflib.get_close_matches(name, _ALWAYS, 1, _SURE)
            meant = alike.get(_spelling(name)) or (near[0] if near else None)
            if meant is not None:
                raise UsageError(f"block={[name]}: unknown plugin {name!r}. Did you mean {meant!r}?")


def _spelling(name: str) -> str:
    return name.lower().replace("_", "-")


def _given(plugins: Iterable[Any]) -> list[Any]:
    if isinstance(plugins, (str, bytes)) or not isinstance(plugins, Iterable):
        raise UsageError(
            f"plugins must be a list of modules or instances, not {plugins!r:.80}; write [{plugins!r:.40}]"
        )
    given = list(plugins)
    for plugin in given:
        if isinstance(plugin, str):
            raise UsageError(f"plugin {plugin!r} is a string; import the module and pass it")
    return given


def blame_silence(manager: PluginManager, format: FeedbackFormat) -> None:
    """Records that a format failed, so that the text format was used.

    Args:
        manager: records it.
        format: the format.
    """
    name = manager.owner(format, f"format {format.name}")
    manager.fault(name, "render_feedback", f"the format {format.name!r} returned no text: its render() failed")
