"""`@hookimpl` marks a function of a plugin as the implementation of a hook, `@hookspec` the hook itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

import pluggy

_F = TypeVar("_F", bound=Callable[..., Any])
_mark = pluggy.HookimplMarker("mulligan")
hookspec = pluggy.HookspecMarker("mulligan")
REQUIRED = "mulligan_required"
HOOK_API = "1.0"
"""The version of the hooks. The first number changes when a hookimpl that was right no longer is, the second when there
is something new to implement or to use. A plugin that needs a certain version declares it: `mulligan_api = "1.0"`."""


@overload
def hookimpl(function: _F) -> _F: ...


@overload
def hookimpl(
    function: None = None,
    *,
    required: bool = False,
    wrapper: bool = False,
    optionalhook: bool = False,
    tryfirst: bool = False,
    trylast: bool = False,
    specname: str | None = None,
) -> Callable[[_F], _F]: ...


def hookimpl(function: Any = None, *, required: bool = False, **options: Any) -> Any:
    """Marks a function as a hookimpl.

    Args:
        function: the function; it asks for as many of the hook's parameters as it needs.
        required: a crash refuses the call instead of being ignored; always so for `authorize`.
        options: pluggy's own: `wrapper`, `optionalhook`, `tryfirst`, `trylast`, `specname`.
    """
    if function is None:
        return lambda marked: hookimpl(marked, required=required, **options)
    setattr(function, REQUIRED, required)
    return _mark(function, **options)
