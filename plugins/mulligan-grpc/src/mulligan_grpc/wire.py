"""Parses the wire format of Protocol Buffers as far as error details need it: no groups, no descriptors.

https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Iterator

_MOST_FIELDS = 200
_MOST_BYTES = 64_000
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5


class Malformed(ValueError):
    """The bytes are not a message."""


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message, each as its number and an integer or bytes.

    Args:
        data: the bytes of a message; its first 200 fields count.

    Raises:
        Malformed: they are not a message, or are too many.
    """
    if len(data) > _MOST_BYTES:
        raise Malformed
    position = 0
    for _ in range(_MOST_FIELDS):
        if position >= len(data):
            return
        key, position = _varint(data, position)
        kind = key & 7
        if kind == _VARINT:
            value, position = _varint(data, position)
            yield key >> 3, value
            continue
        size = 8 if kind == _FIXED64 else 4 if kind == _FIXED32 else -1
        if kind == _LENGTH:
            size, position = _varint(data, position)
        if size < 0 or position + size > len(data):
            raise Malformed
        yield key >> 3, data[position : position + size]
        position += size


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(data):
            raise Malformed
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise Malformed


def message(data: int | bytes) -> dict[int, list[int | bytes]]:
    """The fields of a message by number; empty if the data is not a message.

    Args:
        data: the value of a field.
    """
    found: dict[int, list[int | bytes]] = {}
    if isinstance(data, bytes):
        try:
            for number, value in fields(data):
                found.setdefault(number, []).append(value)
        except Malformed:
            return {}
    return found


def text(values: list[int | bytes] | None) -> str:
    """The value of a string field; empty if absent.

    Args:
        values: the values of one field.
    """
    last = values[-1] if values else b""
    return last.decode("utf-8", "replace") if isinstance(last, bytes) else ""


def number(values: list[int | bytes] | None) -> int:
    """The value of an integer field; 0 if absent.

    Args:
        values: the values of one field.
    """
    last = values[-1] if values else 0
    return last if isinstance(last, int) else 0
