"""The message formats and the rendering that a result or a toolset needs outside a pipeline, from higher floors.

The package's face passes a loader (`load`), so that no lower floor imports from a higher one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol


class MessageShape(Protocol):
    """The methods of a dialect that a result and a toolset use; `mulligan.Dialect` documents them."""

    def message(self, result: Any) -> dict[str, Any]:
        """The provider's message that answers a call."""

    def definition(self, tool: Any) -> Any:
        """A tool's definition in the provider's format."""


class StandaloneServices(NamedTuple):
    """The parts from higher floors.

    Attributes:
        shape: returns the message shape of a name, among those of a pipeline or the built-in ones.
        feedback: returns the feedback on an error of a call, as in a default pipeline, with a text to quote or None.
    """

    shape: Callable[[Any, Mapping[str, Any] | None], MessageShape]
    feedback: Callable[[Any, Any, str | None], Any]


load: Callable[[], StandaloneServices]
