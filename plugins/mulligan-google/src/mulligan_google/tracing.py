"""Which package an exception passed: what a library lets through of others belongs to the service that it called."""

from __future__ import annotations

from mulligan.plugin import Failure

_MOST = 200


def came_through(failure: Failure, *packages: str) -> str | None:
    """The first of some packages whose code the exception passed, or None.

    Args:
        failure: what happened.
        packages: names of packages.
    """
    step = getattr(failure.exception, "__traceback__", None)
    for _ in range(_MOST):
        if step is None:
            return None
        module = f"{step.tb_frame.f_globals.get('__name__')}."
        found = next((package for package in packages if module.startswith(f"{package}.")), None)
        if found:
            return found
        step = step.tb_next
    return None
