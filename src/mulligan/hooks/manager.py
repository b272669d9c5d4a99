"""The only module that touches pluggy: plugins are registered, guarded and compiled here.

pluggy orders and validates the hookimpls. They are compiled into plain functions whenever the set of plugins changes, so
that a stage without plugins costs nothing; a stage that has a wrapper is called through pluggy itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import pluggy

from mulligan import hookspecs
from mulligan.classify.rules import Rule, rules_of
from mulligan.copies import with_copies
from mulligan.errors import PluginError, ToolArgumentError, UsageError
from mulligan.forks import shared_rlock
from mulligan.hookimpl import REQUIRED
from mulligan.hooks.callers import (
    Stages,
    asking_all,
    by_position,
    collecting,
    culprit,
    deciding,
    is_required,
    is_wrapper,
    joined,
    marks_of,
    nothing_of,
    parameters_of,
    without_default,
)
from mulligan.hooks.discovery import Found, Hookimpl, PluginFault, PluginInfo, State
from mulligan.hooks.guard import CONTRIBUTES, Refusal, guarded, mistaken, reading
from mulligan.hooks.probing import is_probed, probed
from mulligan.hooks.registration import (
    HOOKS,
    OtherApi,
    check_hookimpls,
    check_loaded,
    first_lines,
    name_of,
    name_taken,
    needed_api,
)
from mulligan.policy import Limits
from mulligan.untrusted.objects import type_name
from mulligan.untrusted.text import safe_str

FAULTS_ALLOWED = 3
_DEFAULTS = frozenset({"validate", "execute"})  # if every plugin abstains, the flow does the same as the built-in one
_TOTAL = frozenset({"resolve", "validate", "execute"})  # the built-in ones touch nothing foreign, so they need no guard


class PluginManager:
    """The plugins of one pipeline.

    Args:
        strict: whether a fault is raised instead of recorded.
        limits: bounds on the results of plugins.
        redact: removes secrets from faults.
        on_fault: called with each fault, and whether it disabled its plugin.

    Attributes:
        faults: the last thousand faults, oldest first.
    """

    def __init__(
        self,
        strict: bool = False,
        limits: Limits | None = None,
        redact: Callable[[str], str] = str,
        on_fault: Callable[[PluginFault, bool], None] = lambda fault, aside: None,
    ) -> None:
        self._pluggy = pluggy.PluginManager("mulligan")
        self._pluggy.add_hookspecs(hookspecs)
        self._strict = strict
        self._limits = limits or Limits()
        self._lock = shared_rlock()
        self._infos: dict[str, PluginInfo] = {}
        self._counts: dict[str, int] = {}
        self._owners: dict[int, tuple[Any, str]] = {}
        self.faults: tuple[PluginFault, ...] = ()
        self._redact = redact
        self._on_fault = on_fault

    @property
    def infos(self) -> tuple[PluginInfo, ...]:
        """One record for each plugin, in the order of registration."""
        found: dict[str, list[Hookimpl]] = {name: [] for name in self._infos}
        for hook in HOOKS:
            parameters = parameters_of(hook)
            for place, impl in enumerate(reversed(getattr(self._pluggy.hook, hook).get_hookimpls()), 1):
                ask = by_position(impl, parameters)
                found[impl.plugin_name].append(Hookimpl(hook, place, marks_of(impl, hook), ask))
        return tuple(attrs.evolve(info, hookimpls=tuple(found[name])) for name, info in self._infos.items())

    def add(self, plugin: Any, name: str | None = None, *, built_in: bool = False) -> None:
        """Registers a plugin that is passed in code, which must be valid. `compile` makes it take effect.

        Args:
            plugin: a module or an instance.
            name: by default that of the module or class.
            built_in: whether it comes with mulligan.

        Raises:
            UsageError: it is not a plugin, or one of its hookimpls does not fit; names the culprit and the next step.
        """
        if any(plugin is known for _, known in self._pluggy.list_name_plugin()):
            raise UsageError(f"plugin {name_of(plugin)!r} is registered twice; pass it once")
        name = self._free_name(name or name_of(plugin))
        self._register(plugin, PluginInfo(name, "active", built_in=built_in))

    def add_found(self, found: Found) -> None:
        """Registers the plugin of an entry point; a problem becomes a fault. `compile` makes it take effect.

        Args:
            found: the entry point, loaded or not.
        """
        if found.name in self._infos:
            error = name_taken(found, self._infos[found.name])
            self.record(PluginFault(found.name, "load", error, found.distribution))
            return
        seconds = round(found.seconds, 6)
        info = PluginInfo(found.name, "active", (), found.distribution, found.version, load_seconds=seconds)
        try:
            check_loaded(found)
            self._register(found.plugin, info)
        except UsageError as error:
            state: State = "disabled" if isinstance(error, OtherApi) else "failed"
            self._infos[found.name] = attrs.evolve(info, state=state, error=str(error))
            self.record(PluginFault(found.name, "load", str(error), found.distribution, found.exception))

    def block(self, name: str, found: Found | None = None) -> None:
        """Records a plugin that the host has blocked.

        Args:
            name: its name.
            found: its entry point; without it, it comes with mulligan.
        """
        distribution, version = (found.distribution, found.version) if found else (None, None)
        self._infos[name] = PluginInfo(name, "blocked", (), distribution, version, built_in=found is None)

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
            raise UsageError(f"plugin {name!r}: {first_lines(error)}; use only the hook's parameters") from None
        except BaseException as error:
            if self._pluggy.has_plugin(name):
                self._pluggy.unregister(name=name)
            told = f"{type_name(error)}: {safe_str(error, 300)}"
            raise UsageError(f"plugin {name!r} cannot be registered ({told}); pass a module or an instance") from error
        rules: tuple[Rule, ...] = ()
        for caller in self._pluggy.get_hookcallers(plugin) or ():
            impls: list[Any] = caller.get_hookimpls()
            for impl in impls:
                known = caller.name in HOOKS and not (info.built_in and caller.name in _TOTAL)
                if impl.plugin is not plugin:
                    continue
                if is_wrapper(impl) or (info.built_in and caller.name == "execute"):
                    impl.function = with_copies(impl.function, impl.argnames)
                elif known:
                    rules += rules_of(impl.function)
                    self._guard(caller.name, impl, info)
        unknown = tuple(hook for hook in hooks if hook not in HOOKS)
        hooks = tuple(hook for hook in hooks if hook in HOOKS)
        self._infos[name] = attrs.evolve(info, hooks=hooks, rules=rules, api=api, unknown_hooks=unknown)

    def _guard(self, hook: str, impl: Any, info: PluginInfo) -> None:
        def report(problem: str, exception: BaseException | None) -> None:
            if not info.built_in:  # an exception of a built-in plugin is the fault of a hostile object
                self.fault(info.name, hook, problem, exception)

        def own(item: Any) -> None:
            self._owners[id(item)] = (item, info.name)

        required = is_required(hook, impl.function)
        function = reading(impl.function, self._limits) if hook == "validate" else impl.function
        if not info.built_in:
            function = with_copies(function, impl.argnames)
        function = guarded(hook, function, report, plugin=info.name, required=required, own=own)
        probes = info.distribution is not None and is_probed(hook) and not impl.trylast
        impl.function = probed(hook, function, impl.argnames, report) if probes else function
        setattr(impl.function, REQUIRED, required)

    def owner(self, item: Any, otherwise: str) -> str:
        """The plugin that contributed a middleware, a format or a dialect.

        Args:
            item: the contribution.
            otherwise: its name if no plugin contributed it.
        """
        known = self._owners.get(id(item))
        return known[1] if known is not None and known[0] is item else otherwise

    def compile(self) -> Stages:
        """The hooks as plain functions, for the current plugins."""
        callers = {hook: self._caller(hook) for hook in HOOKS}
        outside = {hook for hook in HOOKS if any(not self._is_built_in(impl) for impl in self._asked(hook))}
        outside |= {hook for hook in ("observe", "repair", "middlewares") if self._asked(hook)}
        for hook in _DEFAULTS:
            if not any(self._is_built_in(impl) for impl in self._asked(hook)):  # blocked by the host
                outside.add(hook)
                callers[hook] = without_default(hook, callers[hook])
        return Stages(callers, frozenset(outside))

    def _caller(self, hook: str) -> Callable[..., Any]:
        parameters = parameters_of(hook)
        asked = self._asked(hook)
        if hook in _DEFAULTS and not all(self._is_built_in(impl) for impl in asked):
            asked = [impl for impl in asked if not self._is_built_in(impl)]
        calls = tuple(by_position(impl, parameters) for impl in asked if not is_wrapper(impl))
        wrappers = [impl for impl in asked if is_wrapper(impl)]
        if not calls and not wrappers:
            return nothing_of(hook)
        plain = (collecting if hook in CONTRIBUTES else asking_all if hook in ("authorize", "observe") else deciding)(
            calls
        )
        return self._wrapped(hook, parameters, wrappers, plain) if wrappers else plain

    def _asked(self, hook: str) -> list[Any]:
        """pluggy's hookimpls, in the order of their calls, without those of disabled plugins."""
        return [
            impl
            for impl in reversed(getattr(self._pluggy.hook, hook).get_hookimpls())
            if self._infos[impl.plugin_name].state == "active" or is_required(hook, impl.function)
        ]

    def _is_built_in(self, impl: Any) -> bool:
        return self._infos[impl.plugin_name].built_in

    def _wrapped(
        self, hook: str, parameters: tuple[str, ...], wrappers: list[Any], plain: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Calls the hook through pluggy; if a wrapper fails, the answer is the one without wrappers."""
        everyone = getattr(self._pluggy.hook, hook).get_hookimpls()
        asked = self._asked(hook)
        caller = self._pluggy.subset_hook_caller(hook, [impl.plugin for impl in everyone if impl not in asked])

        def call(*args: Any) -> Any:
            try:
                answer = caller(**dict(zip(parameters, args, strict=True)))
            except (KeyboardInterrupt, GeneratorExit, Refusal):
                raise
            except ToolArgumentError as error:
                if hook == "validate":
                    raise
                self.fault(culprit(error, wrappers), hook, f"{type_name(error)}: {safe_str(error, 300)}", error)
            except BaseException as error:
                if self._strict and isinstance(error, PluginError):
                    raise
                self.fault(culprit(error, wrappers), hook, f"{type_name(error)}: {safe_str(error, 300)}", error)
            else:
                problem = mistaken(hook, answer)
                if problem is None:
                    return joined(hook, answer)
                self.fault(wrappers[0].plugin_name, hook, f"its wrapper {problem}")
            if hook == "authorize" or any(is_required(hook, impl.function) for impl in wrappers):
                raise Refusal(wrappers[0].plugin_name)
            return plain(*args)

        return call

    def record(self, fault: PluginFault) -> None:
        """Records a fault; after three, the plugin's hookimpls that are not required are no longer called.

        Args:
            fault: what went wrong.

        Raises:
            PluginError: in strict mode.
        """
        fault = attrs.evolve(fault, error=self._redact(fault.error))
        if self._strict:
            raise PluginError(f"plugin {fault.plugin!r}, {fault.hook}: {fault.error}") from fault.exception
        with self._lock:
            self.faults = (*self.faults, fault)[-1_000:]
            if fault.hook != "load":
                self._counts[fault.plugin] = self._counts.get(fault.plugin, 0) + 1
            info = self._infos.get(fault.plugin)
            aside = info is not None and info.state == "active" and self._counts.get(fault.plugin, 0) >= FAULTS_ALLOWED
            if info is not None and aside:
                reason = f"disabled after {FAULTS_ALLOWED} faults, the last in {fault.hook}: {fault.error}"
                self._infos[fault.plugin] = attrs.evolve(info, state="disabled", error=reason)
        self._on_fault(fault, aside)

    def fault(self, plugin: str, hook: str, error: str, exception: BaseException | None = None) -> None:
        """Records the fault of a hookimpl.

        Args:
            plugin: the plugin's name.
            hook: the hook it was called for.
            error: a description of the fault.
            exception: its exception, or None.

        Raises:
            PluginError: in strict mode.
        """
        info = self._infos.get(plugin)
        self.record(PluginFault(plugin, hook, error, info.distribution if info else None, exception))
