"""What a plugin implements, checked before pluggy sees it; every error names the culprit and the next step."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mulligan import hookspecs
from mulligan.classifying.rules import Rules
from mulligan.errors import UsageError
from mulligan.foreign.containment import safe_str
from mulligan.foreign.facts import type_name
from mulligan.plugging.plugins import Found, PluginInfo

OptionsOf = Callable[[Any, str], Mapping[str, Any] | None]
HOOKS = tuple(hookspecs.__all__)


def check_hookimpls(plugin: Any, name: str, options_of: OptionsOf) -> Iterator[str]:
    """The hooks that a plugin implements, with those that it marks as optional and that there are not.

    Args:
        plugin: a module or an instance.
        name: its name.
        options_of: what pluggy knows of one of its attributes.

    Raises:
        UsageError: it implements none, one that there is not, or one as `async def`.
    """
    if isinstance(plugin, type):
        raise UsageError(f"plugin {name!r} is a class: give an instance, {plugin.__name__}()")
    found = False
    for attribute in dir(plugin):
        options = options_of(plugin, attribute)
        if options is None:
            continue
        hook = options.get("specname") or attribute
        if hook in HOOKS:
            _check_plain(plugin, name, attribute)
        elif not options.get("optionalhook"):
            raise UsageError(f"plugin {name!r}: there is no hook {hook!r}{_nearest(hook)}")
        found = True
        yield hook
    if not found:
        rules = next(
            (attribute for attribute in dir(plugin) if isinstance(getattr(plugin, attribute, None), Rules)), None
        )
        if rules is not None:
            step = f"add `classify = {rules}.hookimpl()` at its end"
            raise UsageError(f"plugin {name!r} has rules, but no hookimpl that asks them: {step}")
        raise UsageError(f"plugin {name!r} has no hookimpl: mark its functions with @hookimpl from mulligan.plugin")


def _check_plain(plugin: Any, name: str, attribute: str) -> None:
    function = getattr(plugin, attribute)
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise UsageError(
            f"plugin {name!r}: hookimpl {attribute!r} is `async def`, but hooks decide at once and are never awaited; "
            "put what must wait into a tool, an executor, a repairer or a middleware, which the pipeline awaits"
        )


def _nearest(hook: str) -> str:
    import difflib

    near = difflib.get_close_matches(hook, HOOKS, 1)
    return f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(HOOKS)}"


def check_loaded(found: Found) -> None:
    """Sees that an entry point could be loaded.

    Args:
        found: the entry point.

    Raises:
        UsageError: it could not be; says why, and what to do.
    """
    if not found.name:
        raise UsageError(f"an entry point of {found.distribution} has no name; it needs one")
    error = found.exception
    if error is not None:
        told = f"{type_name(error)}: {safe_str(error, 300)}"
        named = error.name if isinstance(error, ImportError) and isinstance(error.name, str) else ""
        ours = named.partition(".")[0] == "mulligan"
        step = "it was made for another mulligan: update one of the two," if ours else "reinstall, update"
        raise UsageError(f"plugin {found.name!r} failed at import ({told}); {step} or block it")


def name_taken(found: Found, taken: PluginInfo) -> str:
    """What is wrong where two plugins have one name.

    Args:
        found: the second one.
        taken: the first one.
    """
    owner = "mulligan itself" if taken.built_in else taken.distribution or "the host's code"
    return f"the name {found.name!r} of {found.distribution} is taken by {owner}; rename or block one of the two"


def first_lines(error: Exception) -> str:
    """What pluggy says of a hookimpl that does not fit, without its first line.

    Args:
        error: what it raised.
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(line for line in lines if not line.startswith("Plugin "))[:500] or str(error)[:500]


def name_of(plugin: Any) -> str:
    """The name of a plugin that is given in code: that of the module or class.

    Args:
        plugin: a module or an instance.
    """
    name = getattr(plugin, "__name__", None)
    return name if isinstance(name, str) else type(plugin).__name__
