"""Detects plugins that claim inputs they cannot know: after its first claim, a hookimpl is tested with such an input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from mulligan.calls import ToolCall
from mulligan.classify.failure import Failure
from mulligan.hooks.guard import Report

IGNORED = ", so it is ignored; "
_STEP = f"{IGNORED}return None for unknown inputs, or mark it @hookimpl(trylast=True)"


class _UnheardOf(Exception):
    """An exception that no library raises."""


_UnheardOf.__module__ = "nowhere"
_CLAIMS: Mapping[str, str] = {
    "classify": f"claims every failure, even an unknown one{_STEP}",
    "detect": f"treats every value as a failure, even the text 'ok'{_STEP}",
    "resolve": f"resolves every name, even an unknown one{_STEP}",
}
_RECOGNISES = f"recognises every message, even an unknown one{IGNORED}check for its own keys"


def is_probed(hook: str) -> bool:
    """Whether hookimpls of this hook can claim too much."""
    return hook == "dialects" or hook in _CLAIMS


def probe_first_claim(
    hook: str, function: Callable[..., Any], parameters: Sequence[str], report: Report
) -> Callable[..., Any]:
    """A hookimpl that is reported and ignored if it claims an input that it cannot know.

    Args:
        hook: the hook's name.
        function: the hookimpl.
        parameters: the names of its parameters.
        report: receives the fault.
    """
    if hook == "dialects":
        return lambda: list(_without_indiscriminate(function(), report))
    trusted: bool | None = None

    def decide(*args: Any) -> Any:
        nonlocal trusted
        if trusted is False:
            return None
        answer = function(*args)
        if answer is not None and trusted is None:
            unknowable = _unknown_inputs()
            trusted = (
                function(*(unknowable.get(name, argument) for name, argument in zip(parameters, args, strict=True)))
                is None
            )
            if not trusted:
                report(_CLAIMS[hook], None)
                return None
        return answer

    return decide


def _unknown_inputs() -> dict[str, Any]:
    """Inputs that no plugin can know, by parameter name."""
    call = ToolCall(None, "a_tool_that_nobody_has", "{}")
    return {"failure": Failure(_UnheardOf()), "value": "ok", "call": call}


def _without_indiscriminate(dialects: Iterable[Any], report: Report) -> Iterator[Any]:
    for dialect in dialects:
        try:
            recognised = dialect.recognises({"nobody": "writes this"})
        except Exception:
            recognised = False
        if recognised:
            report(f"its dialect {dialect.name!r} {_RECOGNISES}", None)
        else:
            yield dialect
