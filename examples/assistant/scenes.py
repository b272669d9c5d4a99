"""What the scripted model asks for, scene by scene, and how each call must end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Move:
    """One call of the model.

    Attributes:
        name: the tool.
        arguments: its arguments.
        error: class name of the error that the call must end with; empty for a success.
    """

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True)
class Scene:
    """One thing that goes wrong, and what the model makes of it.

    Attributes:
        title: what goes wrong.
        moves: the call that fails, and those that follow; none follows where the run must stop.
    """

    title: str
    moves: tuple[Move, ...]


_ENDLESS = "n = 27\nwhile n != 0:\n    n = n // 2 if n % 2 == 0 else 3 * n + 1"
_ENDING = "n, steps = 27, 0\nwhile n != 1:\n    n, steps = n // 2 if n % 2 == 0 else 3 * n + 1, steps + 1\nsteps"
_REPORT = "Fifty tulip bulbs cost EUR 24.50.\n" * 50

SCENES = (
    Scene(
        "Timeout: a page that never answers",
        (Move("open_page", {"path": "/shop/archive"}, "ToolTimeoutError"), Move("open_page", {"path": "/shop"})),
    ),
    Scene(
        "Missing element: the page spells it otherwise",
        (
            Move("read_element", {"id": "total_price"}, "ResourceNotFoundError"),
            Move("read_element", {"id": "total-price"}),
        ),
    ),
    Scene(
        "A service that is down for a moment: tried again before the model reads anything",
        (Move("web_search", {"query": "tulip prices"}),),
    ),
    Scene(
        "Rate limit: 429 with Retry-After",
        (
            Move("web_search", {"query": "plant stores"}),
            Move("web_search", {"query": "Dutch bulbs"}, "ToolRateLimitError"),
            Move("web_search", {"query": "Dutch bulbs"}),
        ),
    ),
    Scene(
        "Bad query: the search service cannot read it",
        (
            Move("web_search", {"query": '"tulip bulbs'}, "ToolArgumentError"),
            Move("web_search", {"query": '"tulip bulbs"'}),
        ),
    ),
    Scene(
        "Bad query: no article of that title",
        (
            Move("encyclopedia", {"title": "The Great Tulip Bubble"}, "ResourceNotFoundError"),
            Move("encyclopedia", {"title": "Tulip mania"}),
        ),
    ),
    Scene(
        "Infinite loop: killed at the deadline",
        (Move("python", {"code": _ENDLESS}, "ToolTimeoutError"), Move("python", {"code": _ENDING})),
    ),
    Scene(
        "Exhausted memory: stopped by the limit",
        (
            Move("python", {"code": "sum(list(range(10**9)))"}, "ToolQuotaError"),
            Move("python", {"code": "sum(range(10**6))"}),
        ),
    ),
    Scene(
        "Disk full: the workspace has no room for the report",
        (
            Move("write_file", {"name": "report.txt", "text": _REPORT}, "ToolQuotaError"),
            Move("list_files"),
            Move("delete_file", {"name": "old.log"}),
            Move("write_file", {"name": "report.txt", "text": _REPORT}),
        ),
    ),
    Scene(
        "Bad credentials: the run must stop",
        (Move("notify", {"text": "The report is written."}, "ToolAuthenticationError"),),
    ),
)
