"""Every published code has a meaning, or a reason why it has none."""

import pathlib

import pytest
from mulligan_google.codes import canonical, reasons

from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)
from mulligan.plugin import Codes

PUBLISHED = pathlib.Path(__file__).parent / "published" / "google.txt"
ROWS = [line.split("\t") for line in PUBLISHED.read_text().splitlines() if line and not line.startswith("#")]

FITS: dict[int, set[type[ToolError]]] = {
    400: {ToolArgumentError, ResourceConflictError},
    401: {ToolAuthenticationError},
    403: {ToolPermissionError},
    404: {ResourceNotFoundError},
    409: {ResourceConflictError},
    429: {ToolRateLimitError},
    499: {ToolCancelledError},
    500: {ToolUnavailableError, ToolExecutionError},
    501: {ToolExecutionError},
    503: {ToolUnavailableError},
    504: {ToolTimeoutError},
}


def names(kind: str) -> set[str]:
    return {row[0] for row in ROWS if row[2] == kind}


@pytest.mark.parametrize(("kind", "codes"), [("Code", canonical), ("ErrorReason", reasons)])
def test_every_code(kind: str, codes: Codes) -> None:
    unknown = [name for name in names(kind) if codes.meaning_of(name) is None]

    assert sorted(unknown) == sorted(codes.skipped)
    assert len(unknown) <= len(names(kind)) / 10


def test_no_canonical_code_contradicts_its_http_status() -> None:
    rows = [(row[0], int(row[1])) for row in ROWS if row[2] == "Code" and row[0] not in canonical.skipped]
    meanings = [(name, status, canonical.meaning_of(name)) for name, status in rows]

    assert [name for name, status, meaning in meanings if meaning is None or meaning.cls not in FITS[status]] == []
