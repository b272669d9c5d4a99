"""The default `validate` plugin: reads JSON text strictly, within the pipeline's limits."""

from __future__ import annotations

from typing import Any, Protocol

from mulligan.calls import ToolCall
from mulligan.hookimpl import hookimpl
from mulligan.policy import Limits
from mulligan.validate.arguments import read_arguments


class ReadsNumbers(Protocol):
    """The part of a tool that `validate` needs."""

    @property
    def numbers(self) -> Any:
        """The function that converts the text of a number with a fraction or an exponent."""


class Validate:
    """Reads arguments.

    Args:
        limits: bounds on size and depth.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    @hookimpl(trylast=True)
    def validate(self, tool: ReadsNumbers, call: ToolCall) -> dict[str, Any]:
        """The arguments as JSON values."""
        return read_arguments(call.arguments, self._limits, numbers=tool.numbers)
