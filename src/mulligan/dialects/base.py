"""The base class of dialects, which read and write the message shape of one provider."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from mulligan.errors import UsageError

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.results import ToolResult
    from mulligan.tools import Tool

_MAX_DEPTH = 8


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


def plain(message: Any) -> Any:
    """A message as plain values. SDK objects are converted by their `model_dump`, `to_dict` or `dict` method.

    Args:
        message: a mapping, a list, or an object of an SDK.
    """
    return _plain(message, _MAX_DEPTH)


def _plain(value: Any, depth: int) -> Any:
    if isinstance(value, (str, int, float, bool, type(None))) or depth == 0:
        return value
    if isinstance(value, Mapping):
        return {name: _plain(item, depth - 1) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth - 1) for item in value]
    for name in ("model_dump", "to_dict", "dict"):
        dump = getattr(value, name, None)
        if callable(dump) and not isinstance(value, type):
            return _dump(value, dump)
    return value


def _dump(value: Any, dump: Callable[..., Any]) -> Any:
    """The dump of an SDK object, without pydantic's warnings about messages that do not match their declared type."""
    quiet = {"warnings": False} if hasattr(type(value), "__pydantic_serializer__") else {}
    try:
        return dump(**quiet)
    except Exception as error:
        raise UsageError(f"{type(value).__name__} cannot be read as a message: {type(error).__name__}") from error
