"""Reads the HTTP response that an exception or a value carries: status, headers and address in any known attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from mulligan.lazy import lazy_pattern
from mulligan.untrusted.classes import as_dict, is_a, is_in_memory
from mulligan.untrusted.objects import call_safely, read_field, read_fields

_MOST_HEADERS = 200
_RESPONSE_FIELDS = ("response", "raw_response", "http_response", "resp", "answer", "meta")
_STATUS = ("status_code", "status", "http_status", "http_status_code", "statusCode", "http_code", "response_code")
_AMBIGUOUS_STATUS_FIELDS = ("response_status_code", "code")
_LONGEST_HOST = 253  # RFC 1035, section 2.3.4
_LINE = lazy_pattern(r"([45]\d\d)(?: [A-Z][A-Za-z' -]{0,60})?")
_KNOWN_STATUSES = frozenset(  # RFC 9110, its registry, and the 4xx and 5xx that proxies added
    (*range(400, 419), *range(421, 427), 428, 429, 431, 440, 444, 449, 450, 451, 456, 460, 463, 494, 495, 496, 498, 499)
) | frozenset((*range(500, 509), 510, 511, *range(520, 528), 529, 530, 561, 598, 599))
_SIMPLE = (str, bytes, int, float)
_URLS = ("url", "uri", "real_url", "request_url")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.?|[0-9a-f:.]+").fullmatch


def find_responses(value: object) -> tuple[Any, ...]:
    """The response objects that an exception holds, including those of its `reason` if that is an exception.

    Args:
        value: an exception or a response.
    """
    found = [answer for answer in read_fields(value, _RESPONSE_FIELDS) if not is_a(answer, str, bytes)]
    reason = read_field(value, "reason")
    if is_a(reason, BaseException):
        found += read_fields(reason, _RESPONSE_FIELDS)
    wrapped = [
        inner for answer in found if not is_a(answer, Mapping) for inner in read_fields(answer, _RESPONSE_FIELDS[:1])
    ]
    return (*found, *wrapped)


def http_status(value: object, responses: tuple[Any, ...]) -> int | None:
    """The HTTP status of an exception, its response or a value, or None.

    Only 400 to 599 count, so that a service's own error number is not taken for a status.

    Args:
        value: an exception or a response.
        responses: the responses that it holds.
    """
    status = _status_of(value)
    for answer in () if status is not None else responses:
        status = _status_of(answer)
        if status is None and is_a(answer, Mapping):
            status = _as_status(read_field(read_field(answer, "ResponseMetadata"), "HTTPStatusCode"))
        if status is not None:
            break
    if status is None:
        error = read_field(value, "error")
        status = None if error is None or is_a(error, str) else _as_status(read_field(error, "status", "code"))
    return status


def _status_of(holder: object) -> int | None:
    if is_a(holder, SystemExit):
        return None
    for found in read_fields(holder, _STATUS):
        status = _as_status(found)
        if status is not None:
            return status
    for found in read_fields(holder, _AMBIGUOUS_STATUS_FIELDS):
        status = _as_status(found)
        if status in _KNOWN_STATUSES:
            return None if read_field(read_field(holder, "details"), "codeName") is not None else status
    return None


def _as_status(value: object) -> int | None:
    if type(value) is str:
        line = _LINE.fullmatch(value[:80])
        return int(line[1]) if line else None
    return value if type(value) is int and 400 <= value <= 599 else None


def http_headers(value: object, responses: tuple[Any, ...]) -> dict[str, str]:
    """The response's headers with lower-case names; empty if there are none.

    Headers of the response come first, because the `headers` of an exception may be those of the request.

    Args:
        value: an exception or a response.
        responses: the responses that it holds.
    """
    for answer in responses:
        headers = _lower(_raw_headers(answer))
        if headers:
            return headers
    return _lower(read_field(value, "headers", "hdrs", "http_headers"))


def _raw_headers(answer: object) -> object:
    headers = read_field(answer, "headers")
    if headers is not None or not is_a(answer, Mapping):
        return headers
    headers = read_field(read_field(answer, "ResponseMetadata"), "HTTPHeaders")
    if headers is None and all(type(text) is str for text in tuple(as_dict(answer).values())[:64]):
        return answer
    return headers


def _lower(headers: object) -> dict[str, str]:
    items = islice(as_dict(headers).items(), _MOST_HEADERS)
    return {str(name).lower(): str(text) for name, text in items if type(text) in _SIMPLE}


def request_of(value: object, responses: tuple[Any, ...]) -> tuple[str | None, str]:
    """The path of the requested address, without query, and the HTTP method in upper case.

    Args:
        value: an exception or a response.
        responses: the responses that it holds.

    Returns:
        The path, or None if there is none but the root; and the method, or an empty string if it is not known.
    """
    path, method = None, ""
    for holder in _holders(value, responses):
        for url in read_fields(holder, _URLS) if path is None else ():
            path = path or _path_of(url)
        stored_method = read_field(holder, "method") if not method else None
        method = stored_method.upper() if type(stored_method) is str else method
        if path and method:
            break
    return path, method


def host_of(value: object, responses: tuple[Any, ...]) -> str | None:
    """The host of the requested address, taken from the request or the response, or None.

    Mappings are ignored, and so is an address that an exception stores next to its text: both may concern anything.

    Args:
        value: an exception or a response.
        responses: the responses that it holds.
    """
    if is_a(value, Mapping):
        return None
    for holder in _holders(value, responses):
        if is_a(holder, Mapping) or (holder is value and read_field(value, "headers", "hdrs") is None):
            continue
        for url in read_fields(holder, _URLS):
            host = _host_of(url)
            if host is not None:
                return host
    return None


def _host_of(url: object) -> str | None:
    from urllib.parse import urlsplit

    found = call_safely(lambda: urlsplit(_address(url)).hostname)
    return found if type(found) is str and len(found) <= _LONGEST_HOST and _HOST(found) else None


def _path_of(url: object) -> str | None:
    from urllib.parse import urlsplit

    path = call_safely(lambda: urlsplit(_address(url)).path)
    return path if path and path != "/" else None


def _address(url: Any) -> str:
    """An address as text, if it is a string or an object of a known client; otherwise empty."""
    known = type(url) is str or (is_in_memory(type(url)) and not is_a(url, list, tuple, Mapping))
    return str(url)[:2_000] if known else ""


def _holders(value: object, responses: tuple[Any, ...]) -> Iterator[Any]:
    yield value
    for answer in responses:
        yield answer
        yield from read_fields(answer, ("request",))
    yield from read_fields(value, ("request", "request_info"))
