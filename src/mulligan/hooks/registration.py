"""Checks the hookimpls of a plugin before pluggy sees them. Every error names the plugin and the next step."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mulligan import hookspecs
from mulligan.classify.rules import Rule, Rules, get_rules
from mulligan.errors import UsageError
from mulligan.hookimpl import HOOK_API
from mulligan.hooks.callers import parameters_of
from mulligan.hooks.discovery import LoadedEntryPoint, PluginInfo, UnreadableEntryPointError
from mulligan.spelling import closest, did_you_mean
from mulligan.untrusted.objects import describe

API_ATTRIBUTE = "mulligan_api"


class IncompatibleHookAPI(UsageError):
    """A plugin needs a hook API that this version of mulligan does not have."""


def needed_api(plugin: Any, name: str) -> str | None:
    """The hook API that a plugin needs; None if it does not declare one.

    Args:
        plugin: a module or an instance.
        name: the plugin's name.

    Raises:
        IncompatibleHookAPI: this mulligan has another hook API; the message names the package to update.
        UsageError: the declared value is not a version.
    """
    needed = getattr(plugin, API_ATTRIBUTE, None)
    if needed is None:
        return None
    if not isinstance(needed, str) or not re.fullmatch(r"\d{1,9}\.\d{1,9}", needed, re.ASCII):
        raise UsageError(f"plugin {name!r}: {API_ATTRIBUTE} must be a string such as {HOOK_API!r}, not {needed!r:.40}")
    major, minor = _parse_version(needed)
    current = _parse_version(HOOK_API)
    if (major, minor) > current:
        raise IncompatibleHookAPI(
            f"plugin {name!r} needs hook API {needed}, but this mulligan has {HOOK_API}; update mulligan"
        )
    if major < current[0]:
        raise IncompatibleHookAPI(
            f"plugin {name!r} requires hook API {needed}, but this mulligan has {HOOK_API}; update it"
        )
    return needed


def _parse_version(version: str) -> tuple[int, int]:
    major, minor = version.split(".")
    return int(major), int(minor)


OptionsOf = Callable[[Any, str], Mapping[str, Any] | None]
HOOKS = tuple(hookspecs.__all__)
_PASSED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def check_hookimpls(plugin: Any, name: str, options_of: OptionsOf) -> Iterator[str]:
    """The hooks that a plugin implements, including optional ones that do not exist.

    Args:
        plugin: a module or an instance.
        name: the plugin's name.
        options_of: returns pluggy's hookimpl options of an attribute.

    Raises:
        UsageError: the plugin implements no hook, an unknown hook, or a hook as `async def`, or it never uses some of its
            rules.
    """
    if isinstance(plugin, type):
        raise UsageError(f"plugin {name!r} is a class; pass an instance, {plugin.__name__}()")
    has_hookimpl = False
    used: list[Rule] = []
    for attribute in dir(plugin):
        options = options_of(plugin, attribute)
        if options is None:
            continue
        hook = options.get("specname") or attribute
        if hook in HOOKS:
            _check_not_async(plugin, name, attribute, may_be_coroutine=hook == "observe" and not options.get("wrapper"))
        elif not options.get("optionalhook"):
            raise UsageError(f"plugin {name!r}: unknown hook {hook!r}. {did_you_mean(hook, HOOKS)}")
        rules = get_rules(getattr(plugin, attribute))
        used += [] if rules is None else rules.listed
        has_hookimpl = True
        yield hook
    lists = rule_lists(plugin)
    for list_name, rules in lists.items():
        if rules.last and has_hookimpl and not any(rule in used for rule in rules.listed):
            raise UsageError(
                f"plugin {name!r} never uses the rules of {list_name!r}: add `classify_last = {list_name}.hookimpl()`"
            )
    if not has_hookimpl:
        unused = next(iter(lists), None)
        if unused is not None:
            ending = "_last" if lists[unused].last else ""
            raise UsageError(f"plugin {name!r} never uses its rules: add `classify{ending} = {unused}.hookimpl()`")
        raise UsageError(f"plugin {name!r} has no hookimpl: mark its functions with @hookimpl from mulligan.plugin")


def rule_lists(plugin: Any) -> dict[str, Rules]:
    """The non-empty lists of rules that a plugin defines, by name.

    Args:
        plugin: a module or an instance.
    """
    items = getattr(plugin, "__dict__", {}).items()
    return {name: value for name, value in items if isinstance(value, Rules) and value.listed}


def _check_not_async(plugin: Any, name: str, attribute: str, *, may_be_coroutine: bool) -> None:
    function = getattr(plugin, attribute)
    is_coroutine = inspect.iscoroutinefunction(function) and not may_be_coroutine
    if is_coroutine or inspect.isasyncgenfunction(function):
        raise UsageError(
            f"plugin {name!r}: hookimpl {attribute!r} is `async def`, but hooks are never awaited, except a plain `observe`; "
            "move waiting code to a tool, an executor, a repairer or a middleware"
        )


def check_loaded(entry_point: LoadedEntryPoint) -> None:
    """Checks that an entry point was loaded.

    Raises:
        UsageError: it was not; the message names the reason and the next step.
    """
    if not entry_point.name:
        raise UsageError(f"an entry point of {entry_point.distribution} has no name; name it")
    error = entry_point.exception
    if isinstance(error, UnreadableEntryPointError):
        raise UsageError(f"plugin {entry_point.name!r}: {error}, or block it")
    if error is not None:
        cause = describe(error)
        missing_module = error.name if isinstance(error, ImportError) and isinstance(error.name, str) else ""
        ours = missing_module.partition(".")[0] == "mulligan"
        step = "it requires another version of mulligan: update one of them," if ours else "reinstall, update"
        raise UsageError(f"plugin {entry_point.name!r} failed at import ({cause}); {step} or block it")


def name_taken_message(entry_point: LoadedEntryPoint, taken: PluginInfo) -> str:
    """The error message for two plugins with the same name.

    Args:
        entry_point: the second plugin.
        taken: the first plugin.
    """
    owner = "mulligan itself" if taken.built_in else taken.distribution or "the host's code"
    return (
        f"the name {entry_point.name!r} of {entry_point.distribution} is taken by {owner}; rename or block one of them"
    )


def unknown_parameter(plugin: Any, options_of: OptionsOf) -> str | None:
    """The first parameter of a hookimpl that its hook does not have, with those that it has; None if there is none.

    Args:
        plugin: a module or an instance.
        options_of: returns pluggy's hookimpl options of an attribute.
    """
    for attribute in dir(plugin):
        options = options_of(plugin, attribute)
        hook = None if options is None else options.get("specname") or attribute
        if hook not in HOOKS:
            continue
        known = parameters_of(hook)
        for parameter in inspect.signature(getattr(plugin, attribute)).parameters.values():
            if parameter.kind in _PASSED and parameter.default is parameter.empty and parameter.name not in known:
                near = closest(parameter.name, known)
                hint = f" (did you mean {near!r}?)" if near else ""
                step = f"use only the hook's parameters: {', '.join(known)}" if known else "the hook has no parameters"
                return f"hookimpl {attribute!r}: unknown parameter {parameter.name!r}{hint}; {step}"
    return None


def pluggy_message(error: Exception) -> str:
    """The message of pluggy about an invalid hookimpl, without its first line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(line for line in lines if not line.startswith("Plugin "))[:500] or str(error)[:500]


def plugin_name(plugin: Any) -> str:
    """The name of a plugin in code: that of its module or class.

    Args:
        plugin: a module or an instance.
    """
    name = getattr(plugin, "__name__", None)
    return name if isinstance(name, str) else type(plugin).__name__
