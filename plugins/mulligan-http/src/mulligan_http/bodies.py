"""Keeps the body of a response with the exception, for clients that drop it: aiohttp and urllib."""

from __future__ import annotations

from typing import Any

_MOST_BYTES = 200_000


async def raise_for_status(response: Any) -> None:
    """`response.raise_for_status()` of aiohttp, but with the body, so that a model reads what the service says.

    Args:
        response: aiohttp's response, inside its `async with`. The first 200,000 bytes of its body are read.

    Raises:
        aiohttp.ClientResponseError: the status is 400 or above; `body` holds the body as text.
    """
    if response.status < 400:
        return
    body = await response.content.read(_MOST_BYTES)
    try:
        response.raise_for_status()
    except Exception as error:
        error.body = body.decode(response.charset or "utf-8", "replace")  # type: ignore[attr-defined]
        raise


def keep_body(error: Any) -> Any:
    """Keeps the response's body on urllib's exception. Raise the returned exception `from None`.

    Args:
        error: what `urlopen` raised. The first 200,000 bytes of its body are read.

    Returns:
        The same exception; its `body` holds the body as text.
    """
    error.body = error.read(_MOST_BYTES).decode("utf-8", "replace")
    return error
