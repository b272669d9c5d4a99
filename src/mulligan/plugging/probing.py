"""A package that claims what it cannot know hides all others: on its first claim it is asked about such a failure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mulligan.failures.failure import Failure

_CLAIMS = (
    "claims every failure, also one that nobody can know, so that other plugins are not asked; return None for what it "
    "does not know, mark it @hookimpl(trylast=True), or block it"
)


class _UnheardOf(Exception):
    """An exception of no library."""


_UnheardOf.__module__ = "nowhere"


def probed(function: Callable[..., Any], report: Callable[[str, BaseException | None], None]) -> Callable[..., Any]:
    """A hookimpl of `classify` that is reported if it claims a failure that nobody can know.

    Args:
        function: the hookimpl.
        report: told what is wrong with it.
    """
    trusted = False

    def classify(*args: Any) -> Any:
        nonlocal trusted
        answer = function(*args)
        if answer is not None and not trusted:
            trusted = True
            if function(*(Failure(_UnheardOf()) for _ in args)) is not None:
                report(_CLAIMS, None)
        return answer

    return classify
