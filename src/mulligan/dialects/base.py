"""The base class of dialects, which read and write the message shape of one provider."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.results import ToolResult
    from mulligan.tools import Tool


class Dialect:
    """One provider's message shape. A plugin contributes a subclass by the hook `dialects`.

    Attributes:
        name: the name for `definitions`, `message` and the command line.
    """

    name: ClassVar[str]

    def recognises(self, message: Mapping[str, Any]) -> bool:
        """Whether a model's message has this shape. The first dialect that returns True answers the message.

        Args:
            message: the message as plain values.
        """
        raise NotImplementedError(f"{type(self).__name__} has no recognises(message)")

    def calls(self, message: Mapping[str, Any]) -> list[ToolCall]:
        """The tool calls of a model's message, in order, including those with broken arguments.

        Args:
            message: the message as plain values.
        """
        raise NotImplementedError(f"{type(self).__name__} has no calls(message)")

    def message(self, result: ToolResult) -> dict[str, Any]:
        """The message that answers one call.

        Args:
            result: the result of the call.
        """
        raise NotImplementedError(f"{type(self).__name__} has no message(result)")

    def messages(self, results: Sequence[ToolResult]) -> list[dict[str, Any]]:
        """The messages that answer all calls of one message.

        Args:
            results: the results of the calls, in order.
        """
        return [self.message(result) for result in results]

    def definition(self, tool: Tool) -> dict[str, Any]:
        """A tool's definition in the provider's format.

        Args:
            tool: the tool.
        """
        raise NotImplementedError(f"{type(self).__name__} has no definition(tool)")

    def assemble(self, chunks: Iterable[Any]) -> dict[str, Any]:
        """Assembles the model's message from a stream, in a form that `calls` can read and the history accepts.

        The message includes a call that the stream cut off; it is answered with an error.

        Args:
            chunks: the chunks, in order, as objects of the SDK or as plain values; the stream may have ended early.

        Raises:
            UsageError: no chunk belongs to a stream of this provider.
        """
        raise NotImplementedError(f"{type(self).__name__} has no assemble(chunks)")
