"""Where in a client of the standard library a failure was raised, which shows the refused command."""

from __future__ import annotations

from mulligan.plugin import Failure

_MOST_FRAMES = 200


def functions_of(failure: Failure, package: str) -> list[str]:
    """The names of a package's functions that the exception passed through, outermost first; empty if it has no traceback.

    Args:
        failure: the failure.
        package: the name of a package or module.
    """
    names: list[str] = []
    step = None if failure.exception is None else failure.exception.__traceback__
    for _ in range(_MOST_FRAMES):
        if step is None:
            break
        if f"{step.tb_frame.f_globals.get('__name__')}.".startswith(f"{package}."):
            names.append(step.tb_frame.f_code.co_name)
        step = step.tb_next
    return names
