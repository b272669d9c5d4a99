"""How a detector reports a failure: by what the value says, or by a code where a convention says what it means."""

from __future__ import annotations

from typing import Any

from mulligan.classify.failure import Failure


def coded(code: str, message: str = "", **more: Any) -> Failure:
    """A failure whose meaning a convention defines, such as the exit status 124 of `timeout`.

    Args:
        code: a code that `reason_of` knows, such as `TIMEOUT`.
        message: what the value says.
        more: other fields of the value that say something, such as `retry_after`.
    """
    return Failure(value={"code": code, "message": message, **more}, message=message)
