"""What the tests of several adapters send: messages of a model with good and wrong calls, and the hints of a server.

A call is its id, its name and its arguments. The tool is `read_page(path, limit=100)`.
"""

from __future__ import annotations

from typing import Any

Call = tuple[str, str, Any]

CUT_OFF: tuple[Call, ...] = (
    ("c1", "read_page", {"path": "a"}),
    ("c2", "read_page", {"file": "a"}),
    ("c3", "read_page", '{"path": '),
    ("c4", "raed_page", {"path": "a"}),
    ("c5", "read_page", {"path": "b"}),
)
"""Two good calls, an argument of another name, arguments that are cut off, and a name that no tool has."""

MISTYPED: tuple[Call, ...] = (
    ("c1", "read_page", {"path": "a"}),
    ("c2", "read_page", {"file": "a"}),
    ("c3", "raed_page", {"path": "a"}),
    ("c4", "read_page", {"path": "b"}),
    ("c5", "read_page", {"path": "a", "limit": "many"}),
)
"""Two good calls, an argument of another name, a name that no tool has, and an argument of another type."""

HINTS: tuple[dict[str, bool], ...] = (
    {},
    {"readOnlyHint": True},
    {"readOnlyHint": True, "destructiveHint": True},
    {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True},
    {"idempotentHint": True},
)
"""What a server may say of a tool that writes. It runs once in any case, since only the host's word counts."""
