"""Reads the google.rpc error details in a status's trailing metadata: the wait, the resource, the fields.

https://google.aip.dev/193. They are read from their bytes, so that neither protobuf nor googleapis is needed.
"""

from __future__ import annotations

from typing import NamedTuple

from mulligan.plugin import Failure, Problem, pointer_to
from mulligan_grpc.wire import message, number, text

_KEY = "grpc-status-details-bin"
_MOST = 16


class Details(NamedTuple):
    """The details of one status.

    Attributes:
        retry_after: seconds to wait, or None.
        resource: the name of the resource that is missing, in conflict or denied.
        problems: the invalid fields of the request.
        quotas: the subject and description of each exhausted quota.
        reason: the reason, as a constant of the service, such as `API_KEY_INVALID`.
        domain: the domain of that constant, such as `googleapis.com`.
    """

    retry_after: float | None = None
    resource: str | None = None
    problems: tuple[Problem, ...] = ()
    quotas: tuple[str, ...] = ()
    reason: str = ""
    domain: str = ""


def details(failure: Failure) -> Details:
    """The details in the failure's trailing metadata."""
    found = Details()
    for packed in message(_status(failure)).get(3, [])[:_MOST]:
        envelope = message(packed)
        kind = text(envelope.get(1)).rpartition("/")[2].removeprefix("google.rpc.")
        found = _add_detail(found, kind, message(envelope.get(2, [b""])[-1]))
    for one in _decoded(failure):
        found = _add_detail(found, type(one).__name__, message(_bytes_of(one)))
    return found


def _decoded(failure: Failure) -> list[object]:
    """The details as messages, which grpclib stores instead of their bytes."""
    details = failure.look("details")
    return details[:_MOST] if isinstance(details, list) else []


def _bytes_of(decoded: object) -> bytes:
    try:
        written = decoded.SerializeToString()  # type: ignore[attr-defined]
    except Exception:  # a foreign object may raise anything
        return b""
    return written if isinstance(written, bytes) else b""


def _status(failure: Failure) -> bytes:
    """The bytes of `google.rpc.Status`, or empty bytes."""
    metadata = failure.ask("trailing_metadata")
    try:
        return next((value for key, value in metadata or () if key == _KEY and isinstance(value, bytes)), b"")
    except (TypeError, ValueError):  # metadata in another form
        return b""


def _add_detail(found: Details, kind: str, inside: dict[int, list[int | bytes]]) -> Details:
    if kind == "RetryInfo":
        delay = message(inside.get(1, [b""])[-1])
        return found._replace(retry_after=round(number(delay.get(1)) + number(delay.get(2)) / 1e9, 3))
    if kind == "ResourceInfo":
        return found._replace(resource=text(inside.get(2)) or None)
    if kind == "BadRequest":
        names = [text(message(violation).get(1)) for violation in inside.get(1, [])[:_MOST]]
        return found._replace(
            problems=tuple(Problem(pointer_to(name), "rejected by the service") for name in names if pointer_to(name))
        )
    if kind == "QuotaFailure":
        parts = [message(violation) for violation in inside.get(1, [])[:_MOST]]
        return found._replace(quotas=tuple(f"{text(part.get(1))} {text(part.get(2))}" for part in parts))
    if kind == "ErrorInfo":
        return found._replace(reason=text(inside.get(1)), domain=text(inside.get(2)))
    return found
