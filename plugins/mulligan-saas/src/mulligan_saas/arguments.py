"""Finds the argument of a call that names what a service did not find."""

from __future__ import annotations

from collections.abc import Iterable

from mulligan.plugin import Failure, argument_named_in


def name_sent(failure: Failure, things: Iterable[str]) -> str | None:
    """The value sent for the argument that the service's message refers to, otherwise for the first of `things`.

    Args:
        failure: what happened.
        things: kinds of objects of the service (`issue`, `project` ...), most specific first.
    """
    arguments = {
        name: value for name, value in (failure.arguments or {}).items() if type(value) in (str, int) and value != ""
    }
    for text in (failure.told, *things):
        name = argument_named_in(text, arguments)
        if name is not None:
            return str(arguments[name])
    return None
