"""What a model asked for: `ToolCall`, and `Repair`, how it was read differently."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import attrs


class ToolCall(NamedTuple):
    """What a model asked for.

    Attributes:
        id: the id that the model gave to the call, or None; never made up.
        name: the name of the tool, as the model wrote it.
        arguments: the arguments as the model sent them: JSON text, a mapping, or None.
    """

    id: str | None
    name: str
    arguments: str | bytes | Mapping[str, Any] | None = None

    def __repr__(self) -> str:
        return f"ToolCall(id={self.id!r}, name={self.name!r}, arguments=...)"


def known_id(id: Any) -> Any:
    """An id as it is; None for an empty text, which servers without ids send for all calls.

    Args:
        id: what was sent as an id.
    """
    return None if isinstance(id, str) and not id.strip() else id


@attrs.frozen
class Repair:
    """A call that was read differently from how it was sent.

    Attributes:
        kind: what was repaired: `name` or `arguments`.
        before: what was sent, redacted and shortened.
        after: what it was read as.
        was_json: whether the arguments were valid JSON as they were sent.
    """

    kind: str
    before: str
    after: str
    was_json: bool = True
