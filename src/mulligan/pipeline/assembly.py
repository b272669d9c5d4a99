"""Settings checked, and a pipeline's plugins: built-in, installed, and in code. Imported late, for the first pipeline."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import attrs

from mulligan.calls import ToolCall, id_or_none
from mulligan.dialects.readers import name_text
from mulligan.errors import UsageError
from mulligan.execute.steps import Middleware
from mulligan.feedback import FeedbackFormat
from mulligan.hooks.callers import CompiledHooks
from mulligan.pipeline.invocation import Runtime, RuntimeView
from mulligan.policy import Limits, Policy
from mulligan.resolve.toolset import Toolset
from mulligan.spelling import closest
from mulligan.untrusted.text import safe_repr

if TYPE_CHECKING:
    from mulligan.execute.executors import ToolExecutor
    from mulligan.hooks.manager import PluginManager
    from mulligan.middleware.retries import DefaultRetry
    from mulligan.pipeline.logs import Logging
    from mulligan.render.renderer import Renderer


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


def as_call(value: Any) -> ToolCall:
    """Converts the argument of a caller to a call.

    Args:
        value: a `ToolCall`, a name, or a pair of name and arguments.

    Raises:
        UsageError: it is something else.
    """
    if isinstance(value, ToolCall):
        if type(value.name) is str and id_or_none(value.id) is value.id:
            return value
        return value._replace(id=id_or_none(value.id), name=name_text(value.name))
    if isinstance(value, str):
        return ToolCall(None, name_text(value))
    if isinstance(value, (tuple, list)) and len(value) == 2 and isinstance(value[0], str):
        return ToolCall(None, name_text(value[0]), value[1])
    raise UsageError(f"a call must be a ToolCall, a name, or a pair of name and arguments, not {safe_repr(value)}")


def as_calls(values: Any) -> list[ToolCall]:
    """Several calls, each as `as_call` takes it.

    Args:
        values: the calls.

    Raises:
        UsageError: it is one call or one message, or none of several is a call.
    """
    if isinstance(values, (str, bytes, Mapping, ToolCall)) or not isinstance(values, Iterable):
        raise UsageError(
            f"call_many takes a list of calls, not {safe_repr(values)}; pass what a model sent to answer()"
        )
    return [as_call(value) for value in values]


def checked_middleware(middleware: Any) -> tuple[Middleware, ...]:
    """Checks the middleware of a host.

    Args:
        middleware: a list of generator functions.

    Raises:
        UsageError: it is something else.
    """
    if not isinstance(middleware, (list, tuple)):
        raise UsageError(f"middleware must be a list of generator functions, not {middleware!r:.80}")
    for item in middleware:
        if isinstance(item, type) and not issubclass(item, Generator):
            raise UsageError(f"{item.__name__} is a class; pass an instance, as in middleware=[{item.__name__}(...)]")
        if not callable(item):
            raise UsageError(f"{item!r:.80} cannot be a middleware; pass a generator function of run, tool and call")
    return tuple(middleware)


def default_retry(policy: Policy) -> Callable[[], DefaultRetry] | None:
    """A factory of the automatic retry, created at the first transient failure.

    Args:
        policy: whether to retry.
    """
    if not policy.retry:
        return None

    @cache
    def make() -> DefaultRetry:
        from mulligan.middleware.retries import DefaultRetry

        return DefaultRetry()

    return make


def checked_switch(name: str, value: Any) -> bool:
    """A parameter that is on or off; a text such as `"no"` would be on.

    Args:
        name: the parameter.
        value: its value.

    Raises:
        UsageError: the value is neither True nor False.
    """
    if not isinstance(value, bool):
        raise UsageError(f"{name} must be True or False, not {value!r:.80}")
    return value


def checked_block(block: Any) -> tuple[str, ...]:
    """A tuple of names, which may be passed as one string.

    Args:
        block: one name or several.
    """
    if isinstance(block, str):
        return (block,)
    if not isinstance(block, (list, tuple, set, frozenset)) or not all(isinstance(name, str) for name in block):
        raise UsageError(f"block must be a list of plugin names, not {block!r:.80}")
    return tuple(block)


def runtime_view(
    runtime: Runtime,
    tools: Iterable[Any],
    control_flow: Iterable[Any],
    tool_options: Mapping[str, Mapping[str, Any]] | None = None,
) -> RuntimeView:
    """The parts of a pipeline that shares everything except its tools with another.

    Args:
        runtime: the other pipeline's parts.
        tools: tools, plain functions and toolsets.
        control_flow: exceptions that pass through unchanged, in addition to those of the policy.
        tool_options: options of tools by name pattern or tag, in addition to those of the other pipeline.

    Raises:
        UsageError: a tool or an option is invalid, or names an unknown format.
    """
    table = runtime.toolset.tool_options
    toolset, policy = Toolset(tools, tool_options={**table, **tool_options} if tool_options else table), runtime.policy
    if more := tuple(control_flow):
        policy = attrs.evolve(policy, control_flow=(*policy.control_flow, *more))
    toolset.dialects = runtime.toolset.dialects
    _check_formats(toolset, runtime.renderer)
    check_executors(toolset, runtime.executors)
    return RuntimeView(toolset, runtime, policy)


def attach_formats(renderer: Renderer, hooks: CompiledHooks, toolset: Toolset, format: Any) -> None:
    """Passes the formats and dialects of the plugins to the parts that use them.

    Args:
        renderer: creates the results.
        hooks: the compiled hooks.
        toolset: the pipeline's tools.
        format: the pipeline's feedback format, or its name.

    Raises:
        UsageError: the pipeline or one of its tools names an unknown format.
    """
    renderer.formats = hooks.formats()
    renderer.dialects = toolset.dialects = hooks.dialects()
    renderer.format = renderer.find_format(format)
    table = toolset.tool_options
    for pattern, options in table.items():
        try:
            renderer.find_format(options.get("format") or renderer.format)
        except UsageError as error:
            raise UsageError(f"{table.place(pattern)}: {error}") from None
    _check_formats(toolset, renderer)


def check_executors(toolset: Toolset, executors: Mapping[str, ToolExecutor]) -> None:
    """Checks that each tool's executor exists.

    Args:
        toolset: the tools.
        executors: those that plugins contribute, by name.

    Raises:
        UsageError: a tool names an unknown executor; names the package to install.
    """
    for tool in toolset.values():
        if tool.executor is not None:
            from mulligan.execute.executors import executor_of

            executor_of(tool, executors)


def _check_formats(toolset: Toolset, renderer: Renderer) -> None:
    for tool in toolset.values():
        renderer.find_format(tool.format or renderer.format)


_BUILT_IN_NAMES = ("resolve", "validate", "execute", "detect", "classify", "formats", "dialects", "logging", "repair")
_SIMILARITY = 0.8


def _built_in_plugins(policy: Policy, limits: Limits, logging: Logging) -> Mapping[str, Any]:
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
        "logging": logging,
    }
    kinds = tuple(kind for kind in policy.repair if isinstance(kind, str))
    if kinds:
        from mulligan.repair.builtin import DefaultRepairer

        plugins["repair"] = DefaultRepairer(kinds, limits)
    return plugins


def assemble(
    manager: PluginManager,
    policy: Policy,
    limits: Limits,
    plugins: Iterable[Any],
    logging: Logging,
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
        logging: the built-in plugin that writes log lines.
        autoload: whether to load installed plugins.
        block: names of blocked plugins.

    Raises:
        UsageError: a plugin in code is invalid, or a blocked name is misspelled.
    """
    from mulligan.hooks.discovery import blocked_names, discover, is_autoload_enabled, load
    from mulligan.hooks.lazy_plugins import LazyPlugin, lazy_names

    own_plugins = [*_check_plugins(plugins), *(plugin for plugin in policy.repair if not isinstance(plugin, str))]
    blocked = blocked_names(block)
    for name, plugin in _built_in_plugins(policy, limits, logging).items():
        if name in blocked:
            manager.block(name)
        else:
            manager.add(plugin, name, built_in=True)
    entries, declared = discover() if is_autoload_enabled(autoload) else ([], [])
    known_names = lazy_names(declared)
    own_modules = {getattr(plugin, "__name__", None) for plugin in own_plugins}
    for entry in entries:
        names = known_names.get((entry.distribution, entry.module), frozenset())
        if entry.name in blocked:
            manager.block(entry.name, entry)
        elif names and not manager.is_strict and entry.problem is None and entry.module not in own_modules:
            manager.add_lazy(LazyPlugin(entry, names))
        else:
            entry_point = load(entry)
            if entry_point.plugin not in own_plugins:  # the same or an equal one, such as a ledger of the same file
                manager.add_entry_point(entry_point)
    for plugin in own_plugins:
        manager.add(plugin)
    if block:
        _check_blocked(block, manager.names)


def _check_blocked(block: Iterable[str], names: Collection[str]) -> None:
    """Refuses a misspelled name; any other name may be that of a plugin that is not installed here."""
    by_spelling = {_spelling(name): name for name in names}
    for name in block:
        if name not in names and name != "repair":
            suggestion = by_spelling.get(_spelling(name)) or closest(name, _BUILT_IN_NAMES, _SIMILARITY)
            if suggestion is not None:
                raise UsageError(f"block={[name]}: unknown plugin {name!r}. Did you mean {suggestion!r}?")


def _spelling(name: str) -> str:
    return name.lower().replace("_", "-")


def _check_plugins(plugins: Iterable[Any]) -> list[Any]:
    if isinstance(plugins, (str, bytes)) or not isinstance(plugins, Iterable):
        raise UsageError(
            f"plugins must be a list of modules or instances, not {plugins!r:.80}; write [{plugins!r:.40}]"
        )
    listed = list(plugins)
    for plugin in listed:
        if isinstance(plugin, str):
            raise UsageError(f"plugin {plugin!r} is a string; import the module and pass it")
    return listed


def record_silent_format(manager: PluginManager, format: FeedbackFormat) -> None:
    """Records that a format failed, so that the text format was used.

    Args:
        manager: records it.
        format: the format.
    """
    name = manager.plugin_of(format, f"format {format.name}")
    manager.report(name, "render_feedback", f"the format {format.name!r} returned no text: its render() failed")
