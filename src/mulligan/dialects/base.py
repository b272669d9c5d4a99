"""A dialect: a provider's message shape, read and written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.results import ToolResult
    from mulligan.tools import Tool


class Dialect:
    """One provider's message shape. A plugin's dialect is a subclass, offered by the hook `dialects`.

    Attributes:
        name: how `definitions`, `message` and the command line ask for it.
    """

    name: ClassVar[str]

    def recognises(self, message: Mapping[str, Any]) -> bool:
        """Whether a model's message has this shape. The first dialect that says yes answers it.

        Args:
            message: the message as plain values.
        """
        raise NotImplementedError(f"{type(self).__name__} has no recognises(message)")

    def calls(self, message: Mapping[str, Any]) -> list[ToolCall]:
        """The tool calls of a model's message, in order; those with broken arguments too.

        Args:
            message: the message as plain values.
        """
        raise NotImplementedError(f"{type(self).__name__} has no calls(message)")

    def message(self, result: ToolResult) -> dict[str, Any]:
        """The message that answers one call.

        Args:
            result: its result.
        """
        raise NotImplementedError(f"{type(self).__name__} has no message(result)")

    def messages(self, results: Sequence[ToolResult]) -> list[dict[str, Any]]:
        """The messages that answer all calls of one message.

        Args:
            results: their results, in order.
        """
        return [self.message(result) for result in results]

    def definition(self, tool: Tool) -> dict[str, Any]:
        """A tool as the provider is shown it.

        Args:
            tool: the tool.
        """
        raise NotImplementedError(f"{type(self).__name__} has no definition(tool)")

    def assemble(self, chunks: Iterable[Any]) -> dict[str, Any]:
        """The model's message that a stream carried piece by piece, as `calls` reads it and the history takes it.

        A call that the stream cut off is in it too, and is answered as such.

        Args:
            chunks: what arrived, in order, as the SDK's objects or as plain values; the stream may have ended early.

        Raises:
            UsageError: not one of the chunks belongs to a stream of this provider.
        """
        raise NotImplementedError(f"{type(self).__name__} has no assemble(chunks)")
