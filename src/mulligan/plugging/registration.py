"""What a plugin implements, checked before pluggy sees it; every error names the culprit and the next step."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mulligan import hookspecs
from mulligan.errors import UsageError

OptionsOf = Callable[[Any, str], Mapping[str, Any] | None]
HOOKS = tuple(hookspecs.__all__)


def check_hookimpls(plugin: Any, name: str, options_of: OptionsOf) -> Iterator[str]:
    """The hooks that a plugin implements.

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
            found = True
            yield hook
        elif not options.get("optionalhook"):
            raise UsageError(f"plugin {name!r}: there is no hook {hook!r}{_nearest(hook)}")
    if not found:
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
