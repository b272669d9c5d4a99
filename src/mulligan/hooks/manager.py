"""Registers, guards and compiles plugins. Only this module uses pluggy.

pluggy orders and validates the hookimpls. They are compiled into plain functions whenever the set of plugins changes,
so that a stage without plugins costs nothing. A stage that has a wrapper is called through pluggy itself.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Collection, Mapping
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

import attrs
import pluggy

from mulligan import hookspecs
from mulligan.classify.rules import Rule, Rules, get_rules, keep_rules, rules_of
from mulligan.copies import with_copies
from mulligan.errors import PluginError, ToolArgumentError, UsageError
from mulligan.events import Event
from mulligan.forks import shared_rlock
from mulligan.hookimpl import REQUIRED
from mulligan.hooks.callers import (
    CompiledHooks,
    as_positional,
    ask_all,
    collect,
    empty_result,
    failing_wrapper,
    first_result,
    flatten_result,
    is_required,
    is_wrapper,
    marks_of,
    notify_all,
    parameters_of,
    without_default,
)
from mulligan.hooks.discovery import (
    LAZY_GROUP,
    Entry,
    Hookimpl,
    LoadedEntryPoint,
    PluginFault,
    PluginInfo,
    State,
    load,
)
from mulligan.hooks.guard import (
    CONTRIBUTING_HOOKS,
    Refusal,
    check_result,
    guard_hookimpl,
    guard_observer,
    with_checked_arguments,
)
from mulligan.hooks.lazy_plugins import LAZY_HOOKS, LazyHooks, LazyPlugin
from mulligan.hooks.probing import is_probed, probe_first_claim
from mulligan.hooks.registration import (
    HOOKS,
    IncompatibleHookAPI,
    check_hookimpls,
    check_loaded,
    name_taken_message,
    needed_api,
    pluggy_message,
    plugin_name,
    unknown_parameter,
)
from mulligan.hooks.rule_index import RuleIndex
from mulligan.policy import Limits
from mulligan.untrusted.objects import call_safely, describe
from mulligan.untrusted.text import MUST_PROPAGATE

if TYPE_CHECKING:
    from mulligan.hooks.async_observer import AsyncObserver

FAULTS_ALLOWED = 3
# If every plugin abstains, the flow calls the built-in function itself.
_DEFAULT_HOOKS = frozenset({"validate", "execute"})
_EVERY_HOOKIMPL = {"authorize": ask_all, "observe": notify_all}
# The built-in hookimpls of these hooks use no foreign objects, so they need no guard.
_UNGUARDED_HOOKS = frozenset({"resolve", "validate", "execute"})


class _Pluggy(pluggy.PluginManager):
    """pluggy, which looks only at attributes that can be marked: its search is most of what a pipeline costs."""

    def parse_hookimpl_opts(self, plugin: Any, name: str) -> Any:
        return super().parse_hookimpl_opts(plugin, name) if _can_be_marked(plugin, name) else None

    def parse_hookspec_opts(self, module_or_class: Any, name: str) -> Any:
        return super().parse_hookspec_opts(module_or_class, name) if _can_be_marked(module_or_class, name) else None


def _can_be_marked(plugin: Any, name: str) -> bool:
    if not isinstance(plugin, ModuleType) or name not in vars(plugin):
        return name not in vars(object)
    value = vars(plugin)[name]
    if isinstance(value, FunctionType):
        return bool(vars(value))
    return isinstance(value, (MethodType, staticmethod, classmethod))


class PluginManager:
    """The plugins of one pipeline.

    Args:
        strict: whether faults are raised instead of recorded.
        limits: bounds on the results of plugins.
        redact: removes secrets from faults.
        on_fault: called with each fault, and whether it disabled its plugin.
        on_load: called with the compiled hooks after lazy plugins were imported.

    Attributes:
        is_strict: whether faults are raised instead of recorded.
        faults: the last thousand faults, oldest first.
    """

    def __init__(
        self,
        strict: bool = False,
        limits: Limits | None = None,
        redact: Callable[[str], str] = str,
        on_fault: Callable[[PluginFault, bool], None] = lambda fault, is_disabled: None,
        on_load: Callable[[CompiledHooks], None] = lambda hooks: None,
    ) -> None:
        self._pluggy = _Pluggy("mulligan")
        self._pluggy.add_hookspecs(hookspecs)
        self.is_strict = strict
        self._limits = limits or Limits()
        self._lock = shared_rlock()
        self._infos: dict[str, PluginInfo] = {}
        self._lazy: dict[str, LazyPlugin] = {}
        self._fault_counts: dict[str, int] = {}
        self._disabled: set[str] = set()  # also read by the hooks of a call that began before
        self._compiled = CompiledHooks({hook: empty_result(hook) for hook in HOOKS}, frozenset(), lambda failure: None)
        self._owners: dict[int, tuple[Any, str]] = {}
        self._async_observers: dict[str, AsyncObserver] = {}
        self.faults: tuple[PluginFault, ...] = ()
        self._redact = redact
        self._on_fault = on_fault
        self._on_load = on_load

    @property
    def names(self) -> Collection[str]:
        """The name of each plugin, in the order of registration."""
        return self._infos.keys()

    def is_blocked(self, name: str) -> bool:
        """Whether the host has blocked a plugin.

        Args:
            name: the plugin's name.
        """
        return name in self._infos and self._infos[name].state == "blocked"

    @property
    def infos(self) -> tuple[PluginInfo, ...]:
        """One record for each plugin, in the order of registration. Imports the lazy plugins."""
        if self._lazy:
            self.load_lazy(frozenset(self._lazy))
        hookimpls: dict[str, list[Hookimpl]] = {name: [] for name in self._infos}
        for hook in HOOKS:
            parameters = parameters_of(hook)
            for place, impl in enumerate(reversed(getattr(self._pluggy.hook, hook).get_hookimpls()), 1):
                ask = as_positional(impl, parameters)
                hookimpls[impl.plugin_name].append(Hookimpl(hook, place, marks_of(impl, hook), ask))
        dropped = {name: observer.dropped for name, observer in self._async_observers.items()}
        return tuple(
            attrs.evolve(info, hookimpls=tuple(hookimpls[name]), dropped=dropped.get(name, 0))
            for name, info in self._infos.items()
        )

    def add(self, plugin: Any, name: str | None = None, *, built_in: bool = False) -> None:
        """Registers a plugin that is passed in code, which must be valid. It takes effect with the next `compile`.

        Args:
            plugin: a module or an instance.
            name: by default, the name of the module or class.
            built_in: whether it comes with mulligan.

        Raises:
            UsageError: it is not a plugin, or a hookimpl does not match its hook; names the culprit and the next step.
        """
        registered = [registered_plugin for _, registered_plugin in self._pluggy.list_name_plugin()]
        if call_safely(lambda: plugin in registered):  # the same or an equal one; comparing runs foreign code
            raise UsageError(f"plugin {plugin_name(plugin)!r} is registered twice; pass it once")
        name = self._free_name(name or plugin_name(plugin))
        self._register(plugin, PluginInfo(name, "active", built_in=built_in))

    def add_entry_point(self, entry_point: LoadedEntryPoint) -> None:
        """Registers the plugin of an entry point; a problem becomes a fault. It takes effect with the next `compile`.

        Args:
            entry_point: the entry point, loaded or not.
        """
        if entry_point.name in self._infos:
            error = name_taken_message(entry_point, self._infos[entry_point.name])
            self.record(PluginFault(entry_point.name, "load", error, entry_point.distribution))
            return
        self._add_loaded(entry_point)

    def _add_loaded(self, entry_point: LoadedEntryPoint) -> None:
        seconds = round(entry_point.seconds, 6)
        info = PluginInfo(
            entry_point.name, "active", (), entry_point.distribution, entry_point.version, load_seconds=seconds
        )
        try:
            check_loaded(entry_point)
            self._register(entry_point.plugin, info)
        except UsageError as error:
            state: State = "disabled" if isinstance(error, IncompatibleHookAPI) else "failed"
            self._infos[entry_point.name] = attrs.evolve(info, state=state, error=str(error))
            self.record(
                PluginFault(entry_point.name, "load", str(error), entry_point.distribution, entry_point.exception)
            )

    def add_lazy(self, plugin: LazyPlugin) -> None:
        """Registers a plugin that is imported when a failure needs it. It takes effect with the next `compile`.

        Args:
            plugin: its entry point, and what it knows.
        """
        entry = plugin.entry
        if entry.name in self._infos:
            self.add_entry_point(LoadedEntryPoint(entry.name, entry.distribution, entry.version))
            return
        self._lazy[entry.name] = plugin
        self._infos[entry.name] = PluginInfo(entry.name, "active", (), entry.distribution, entry.version)

    def load_lazy(self, names: Collection[str]) -> CompiledHooks:
        """Imports lazy plugins, each in its place in the order; returns the hooks as they are then.

        Args:
            names: the names of lazy plugins; those that were imported meanwhile are passed over.
        """
        loaded = {name: load(self._lazy[name].entry) for name in names if name in self._lazy}
        with self._lock:
            before = self._compiled
            loaded = {name: entry_point for name, entry_point in loaded.items() if name in self._lazy}
            if loaded:
                self._register_in_place(loaded)
                hooks = self.compile()
                hooks.keep_middlewares(before)
                self._on_load(hooks)
            return self._compiled

    def _register_in_place(self, loaded: Mapping[str, LoadedEntryPoint]) -> None:
        """Registers plugins in their places, so those after them are registered again: the last one is called first."""
        names = list(self._infos)
        later = [(name, self._pluggy.get_plugin(name)) for name in names[min(map(names.index, loaded)) :]]
        for name, plugin in later:
            if plugin is not None:
                self._pluggy.unregister(name=name)
        for name, plugin in later:
            if name in loaded:
                del self._lazy[name]
                self._add_loaded(loaded[name])
                self._check_lazy(name)
            elif plugin is not None:
                self._register(plugin, self._infos[name])

    def _check_lazy(self, name: str) -> None:
        others = [hook for hook in self._infos[name].hooks if hook not in LAZY_HOOKS]
        if others:
            problem = (
                f"it implements {others[0]}, which had no effect until now, since the plugin is imported with the first "
                f"failure that it knows; remove its entries in the group {LAZY_GROUP}"
            )
            self.report(name, "load", problem)

    def block(self, name: str, entry_point: Entry | None = None) -> None:
        """Records a plugin that the host has blocked.

        Args:
            name: the plugin's name.
            entry_point: the plugin's entry point; None for a built-in plugin.
        """
        distribution, version = (entry_point.distribution, entry_point.version) if entry_point else (None, None)
        self._infos[name] = PluginInfo(name, "blocked", (), distribution, version, built_in=entry_point is None)

    def _free_name(self, name: str) -> str:
        taken = (number for number in range(2, 10_000) if f"{name}-{number}" not in self._infos)
        return f"{name}-{next(taken)}" if name in self._infos else name

    def _register(self, plugin: Any, info: PluginInfo) -> None:
        name = info.name
        try:
            api = needed_api(plugin, name)
            hooks = tuple(dict.fromkeys(check_hookimpls(plugin, name, self._pluggy.parse_hookimpl_opts)))
            self._pluggy.register(plugin, name)
        except (UsageError, KeyboardInterrupt):
            raise
        except pluggy.PluginValidationError as error:
            problem = unknown_parameter(plugin, self._pluggy.parse_hookimpl_opts) or pluggy_message(error)
            raise UsageError(f"plugin {name!r}: {problem}") from None
        except BaseException as error:
            if self._pluggy.has_plugin(name):
                self._pluggy.unregister(name=name)
            cause = describe(error)
            raise UsageError(f"plugin {name!r} cannot be registered ({cause}); pass a module or an instance") from error
        rules: tuple[Rule, ...] = ()
        for caller in self._pluggy.get_hookcallers(plugin) or ():
            impls: list[Any] = caller.get_hookimpls()
            for impl in reversed(impls):  # in the order of their calls
                is_guarded = caller.name in HOOKS and not (info.built_in and caller.name in _UNGUARDED_HOOKS)
                if impl.plugin is not plugin:
                    continue
                if is_wrapper(impl) or (info.built_in and caller.name == "execute"):
                    impl.function = with_copies(impl.function, impl.argnames)
                elif is_guarded:
                    rules += rules_of(impl.function)
                    self._guard(caller.name, impl, info)
        unknown = tuple(hook for hook in hooks if hook not in HOOKS)
        hooks = tuple(hook for hook in hooks if hook in HOOKS)
        self._infos[name] = attrs.evolve(info, hooks=hooks, rules=rules, api=api, unknown_hooks=unknown)

    def _guard(self, hook: str, impl: Any, info: PluginInfo) -> None:
        def report(problem: str, exception: BaseException | None) -> None:
            if not info.built_in:  # an exception of a built-in plugin is caused by a hostile object
                self.report(info.name, hook, problem, exception)

        def remember_owner(item: Any) -> None:
            self._owners[id(item)] = (item, info.name)

        required = is_required(hook, impl.function)
        if hook == "observe" and inspect.iscoroutinefunction(impl.function):
            self._queue_events(impl, info.name, report)
        if hook == "observe" and not info.built_in:
            hookimpl = impl.function
            impl.function = guard_observer(
                hookimpl if impl.argnames else lambda _: hookimpl(),
                report,
                threading.get_ident,
                is_off=lambda: not required and info.name in self._disabled,
            )
            impl.argnames = ("event",)
            setattr(impl.function, REQUIRED, required)
            return
        function = with_checked_arguments(impl.function, self._limits) if hook == "validate" else impl.function
        if not info.built_in:
            function = with_copies(function, impl.argnames)
        function = guard_hookimpl(
            hook, function, report, plugin=info.name, required=required, on_contribution=remember_owner
        )
        probes = info.distribution is not None and is_probed(hook) and not impl.trylast
        rules = get_rules(impl.function)
        impl.function = probe_first_claim(hook, function, impl.argnames, report) if probes else function
        setattr(impl.function, REQUIRED, required)
        keep_rules(impl.function, rules)

    def _queue_events(self, impl: Any, name: str, report: Callable[[str, BaseException | None], None]) -> None:
        """Replaces an `async def observe` by a function that queues the event for it."""
        from mulligan.hooks.async_observer import AsyncObserver, warn_of_drops

        coroutine_function, takes_event = impl.function, bool(impl.argnames)
        required = is_required("observe", coroutine_function)

        async def observe(event: Event) -> None:
            if required or name not in self._disabled:
                await (coroutine_function(event) if takes_event else coroutine_function())

        def warn() -> None:
            warn_of_drops(name, self._limits.queued_events)

        observer = AsyncObserver(observe, self._limits.queued_events, report, warn)
        self._async_observers[name] = observer
        impl.function, impl.argnames = observer.put, ("event",)

    @property
    def has_async_observers(self) -> bool:
        """Whether any `observe` is `async def`."""
        return bool(self._async_observers)

    def drain(self) -> None:
        """Waits until every event is delivered to the async observers, for ten seconds at most.

        Raises:
            PluginError: in strict mode, the first fault of one of them.
        """
        if self._async_observers:
            from mulligan.hooks.async_observer import drain_all

            drain_all(tuple(self._async_observers.values()))

    def plugin_of(self, item: Any, default: str) -> str:
        """The plugin that contributed a middleware, a format or a dialect.

        Args:
            item: the contribution.
            default: the result if no plugin contributed it.
        """
        owner = self._owners.get(id(item))
        return owner[1] if owner is not None and owner[0] is item else default

    def compile(self) -> CompiledHooks:
        """The hooks as plain functions, for the current plugins."""
        callers = {hook: self._compile_hook(hook) for hook in HOOKS}
        plugged = {hook for hook in HOOKS if any(not self._is_built_in(impl) for impl in self._active_hookimpls(hook))}
        plugged |= {hook for hook in ("repair", "middlewares") if self._active_hookimpls(hook)}
        if not self._active_hookimpls("resolve"):
            plugged.add("resolve")  # the built-in one is blocked: no name has a tool
        observers = self._active_hookimpls("observe")
        of_calls = [impl for impl in observers if not getattr(impl.plugin, "only_failures", False)]
        callers["observe_calls"] = callers["observe"]
        if of_calls:
            plugged.add("observe")
            if len(of_calls) < len(observers) and not any(map(is_wrapper, observers)):
                parameters = parameters_of("observe")
                callers["observe_calls"] = notify_all(tuple(as_positional(impl, parameters) for impl in of_calls))
        for hook in _DEFAULT_HOOKS:
            if hook in self._infos and self._infos[hook].state == "blocked":
                plugged.add(hook)
                callers[hook] = without_default(hook, callers[hook])
        provider_of = self._library_rules().provider_of
        if self._lazy:
            lazy = LazyHooks(self._lazy.values(), {**callers, "provider_of": provider_of}, self.load_lazy)
            callers |= {"classify": lazy.classify, "detect": lazy.detect}
            provider_of = lazy.provider_of
        self._compiled = CompiledHooks(callers, frozenset(plugged), provider_of)
        return self._compiled

    def _library_rules(self) -> Rules:
        """The rules of all plugins that know no more than which library failed."""
        rules = Rules(last=True)
        active = (info for info in self._infos.values() if info.state == "active")
        rules.listed += [rule for info in active for rule in info.rules if rule.last]
        return rules

    def _compile_hook(self, hook: str) -> Callable[..., Any]:
        parameters = parameters_of(hook)
        active = self._active_hookimpls(hook)
        if hook in _DEFAULT_HOOKS and not all(self._is_built_in(impl) for impl in active):
            active = [impl for impl in active if not self._is_built_in(impl)]
        calls = tuple(as_positional(impl, parameters) for impl in active if not is_wrapper(impl))
        wrappers = [impl for impl in active if is_wrapper(impl)]
        if not calls and not wrappers:
            return empty_result(hook)
        if hook == "classify" and not wrappers:
            return RuleIndex((call, get_rules(call)) for call in calls)
        plain = (collect if hook in CONTRIBUTING_HOOKS else _EVERY_HOOKIMPL.get(hook, first_result))(calls)
        return self._call_through_pluggy(hook, parameters, wrappers, plain) if wrappers else plain

    def _active_hookimpls(self, hook: str) -> list[Any]:
        """pluggy's hookimpls in the order of their calls, without those of disabled plugins."""
        return [
            impl
            for impl in reversed(getattr(self._pluggy.hook, hook).get_hookimpls())
            if self._infos[impl.plugin_name].state == "active" or is_required(hook, impl.function)
        ]

    def _is_built_in(self, impl: Any) -> bool:
        return self._infos[impl.plugin_name].built_in

    def _call_through_pluggy(
        self, hook: str, parameters: tuple[str, ...], wrappers: list[Any], plain: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Calls the hook through pluggy; if a wrapper fails, returns the result without wrappers."""
        all_impls = getattr(self._pluggy.hook, hook).get_hookimpls()
        active = self._active_hookimpls(hook)
        caller = self._pluggy.subset_hook_caller(hook, [impl.plugin for impl in all_impls if impl not in active])

        def call(*args: Any) -> Any:
            try:
                answer = caller(**dict(zip(parameters, args, strict=True)))
            except (*MUST_PROPAGATE, Refusal):
                raise
            except ToolArgumentError as error:
                if hook == "validate":
                    raise
                self.report(failing_wrapper(error, wrappers), hook, describe(error), error)
            except BaseException as error:
                if self.is_strict and isinstance(error, PluginError):
                    raise
                self.report(failing_wrapper(error, wrappers), hook, describe(error), error)
            else:
                problem = check_result(hook, answer)
                if problem is None:
                    return flatten_result(hook, answer)
                self.report(wrappers[0].plugin_name, hook, f"its wrapper {problem}")
            if hook == "authorize" or any(is_required(hook, impl.function) for impl in wrappers):
                raise Refusal(wrappers[0].plugin_name)
            return plain(*args)

        return call

    def record(self, fault: PluginFault) -> None:
        """Records a fault. After three faults, the plugin is disabled, except for its required hookimpls.

        Args:
            fault: the fault.

        Raises:
            PluginError: in strict mode.
        """
        fault = attrs.evolve(fault, error=self._redact(fault.error))
        if self.is_strict:
            raise PluginError(f"plugin {fault.plugin!r}, {fault.hook}: {fault.error}") from fault.exception
        with self._lock:
            self.faults = (*self.faults, fault)[-1_000:]
            if fault.hook != "load":
                self._fault_counts[fault.plugin] = self._fault_counts.get(fault.plugin, 0) + 1
            info = self._infos.get(fault.plugin)
            is_disabled = (
                info is not None
                and info.state == "active"
                and self._fault_counts.get(fault.plugin, 0) >= FAULTS_ALLOWED
            )
            if info is not None and is_disabled:
                reason = f"disabled after {FAULTS_ALLOWED} faults, the last in {fault.hook}: {fault.error}"
                self._infos[fault.plugin] = attrs.evolve(info, state="disabled", error=reason)
                self._disabled.add(fault.plugin)
        self._on_fault(fault, is_disabled)

    def report(self, plugin: str, hook: str, error: str, exception: BaseException | None = None) -> None:
        """Records a fault of a hookimpl.

        Args:
            plugin: the plugin's name.
            hook: the hook that was called.
            error: a description of the fault.
            exception: the plugin's exception, or None.

        Raises:
            PluginError: in strict mode.
        """
        info = self._infos.get(plugin)
        self.record(PluginFault(plugin, hook, error, info.distribution if info else None, exception))
