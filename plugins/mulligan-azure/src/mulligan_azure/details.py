"""Reads the code, wait, name and fields from Azure's exceptions, which store them differently in each client."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mulligan.plugin import Failure, Problem, pointer_to, safe_str

_CODES = (("error_code",), ("error", "code"), ("model", "code"), ("model", "error", "code"), ("code",))
_NAMED = (r"\(name/id\) ([^\s.]{1,200})", r"['\"`]([^'\"`\s]{2,500})['\"`]")
_MOST = 8
_CODE = r"[A-Za-z][\w.]{1,100}"


def code(failure: Failure) -> str:
    """The error code from the response's body, otherwise from its header; empty if there is none."""
    inner = failure.look("error", "innererror", "code")
    found = [failure.look(*path) for path in _CODES]
    candidates = [getattr(value, "value", value) for value in (*found, failure.headers.get("x-ms-error-code"))]
    codes = [value for value in candidates if isinstance(value, str) and re.fullmatch(_CODE, value)]
    if isinstance(inner, str) and codes[:1] in (["Forbidden"], ["Conflict"], ["BadParameter"]):
        codes.insert(0, inner)
    return codes[0] if codes else ""


def resource(failure: Failure, code: str) -> str | None:
    """The blob, container, secret, virtual machine ... that the failure is about.

    Args:
        failure: what happened.
        code: the error code, whose noun chooses among the call's arguments: `ContainerNotFound` is about the container.
    """
    from urllib.parse import unquote, urlsplit

    url = unquote(urlsplit(_url(failure)).path)
    text = safe_str(failure.look("error", "message") or failure.look("message") or "")
    noun = re.split("NotFound|Already|Being|Not|Archived|Disabled", code)[0].lower()
    values = {
        name: value
        for name, value in (failure.arguments or {}).items()
        if isinstance(value, str) and 0 < len(value) < 400
    }
    for name, value in values.items():
        if noun and noun in name.lower().replace("_", ""):
            return value
    within = [value for value in values.values() if f"/{value}" in url or f"'{value}'" in text]
    if within:
        return max(within, key=lambda value: (url.rfind(value) + len(value), len(value)))
    found = (re.search(pattern, text) for pattern in _NAMED)
    named = next((match[1] for match in found if match), None)
    return named or (url if url not in ("", "/") else failure.resource)


def _url(failure: Failure) -> str:
    return safe_str(failure.look("response", "request", "url") or failure.look("response", "url") or "")


def problems(failure: Failure) -> list[Problem]:
    """The parameters that the service rejects."""
    pointers = dict.fromkeys(pointer_to(name) for name in _wrong_parameters(failure))
    return [Problem(pointer, "rejected by the service") for pointer in pointers if pointer][:_MOST]


def _wrong_parameters(failure: Failure) -> Iterator[str]:
    extra = failure.look("additional_info")
    for key in ("queryparametername", "headername", "QueryParameterName", "HeaderName"):
        name = extra.get(key) if isinstance(extra, Mapping) else None
        if isinstance(name, str) and name:
            yield name
    details = failure.look("error", "details")
    for part in (failure.look("error"), *(details if isinstance(details, list) else ())):
        target = getattr(part, "target", None)
        if isinstance(target, str) and target:
            yield target
