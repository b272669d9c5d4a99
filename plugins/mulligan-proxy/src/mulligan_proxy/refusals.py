"""Answers unreadable requests of a client: each one with an id is answered; a message without an id never is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError
from pydantic import ValidationError


@asynccontextmanager
async def answering_unreadable(read: Any, write: Any) -> AsyncIterator[Any]:
    """The readable messages of a client; the SDK silently drops the others.

    Args:
        read: the messages of the client, and errors in reading them.
        write: the stream to the client.
    """
    sink, source = anyio.create_memory_object_stream[Any](0)

    async def sort() -> None:
        async with sink:
            async for item in read:
                if isinstance(item, ValidationError):
                    for refusal in refusals_of(item):
                        await write.send(SessionMessage(refusal))
                else:
                    await sink.send(item)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sort)
        yield source
        tasks.cancel_scope.cancel()


def refusals_of(error: ValidationError) -> Iterator[JSONRPCError]:
    """The answers to an unreadable message: one for each request with an id.

    Args:
        error: why it could not be read.
    """
    details = error.errors(include_url=False)
    inputs = [detail["input"] for detail in details]
    batch = next((one for one in inputs if isinstance(one, list) and any(_is_request(each) for each in one)), None)
    if batch is not None:
        why = "A message must be one object: batches are not supported."
        yield from (_refusal(one["id"], why) for one in batch if _is_request(one))
        return
    request = next((one for one in inputs if _is_request(one)), None)
    if request is not None:
        wrong = [detail for detail in details if detail["loc"][:1] == ("JSONRPCRequest",)]
        why = "; ".join(f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in wrong)
        yield _refusal(request["id"], f"The request is not valid: {why or 'it is not what the protocol allows'}.")


def _is_request(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("method"), str):
        return False
    return isinstance(value.get("id"), int | str) and not isinstance(value["id"], bool)


def _refusal(request_id: int | str, why: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=INVALID_REQUEST, message=why))
