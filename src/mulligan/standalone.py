"""What a result or a toolset needs outside of a pipeline and stands above it: the message shapes, and the words.

The package's face says how to find them (`load`), so that nothing below imports from above.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol


class MessageShape(Protocol):
    """What a result and a toolset ask of a dialect; `mulligan.Dialect` says what each method does."""

    def message(self, result: Any) -> dict[str, Any]:
        """The provider's message that answers a call."""

    def definition(self, tool: Any) -> Any:
        """A tool as the provider is shown it."""


class Above(NamedTuple):
    """What is found above.

    Attributes:
        shape: gives the message shape of a name, among those of a pipeline or the built-in ones.
        feedback: gives the feedback on an error of a call, as in a default pipeline, with a text to quote or None.
    """

    shape: Callable[[Any, Mapping[str, Any] | None], MessageShape]
    feedback: Callable[[Any, Any, str | None], Any]


load: Callable[[], Above]
