"""The tasks: a request, the calls of a perfect solution, and what has changed at the end."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import attrs

HERE = Path(__file__).parent


@attrs.frozen
class Task:
    """One task.

    Attributes:
        id: its name.
        toolset: whose tools there are.
        user: the request.
        calls: a perfect solution; each with `name` and `arguments`.
        changes: the items that may change, with what they become; None: it is gone. All else must stay as it was.
        answer: patterns that the final answer must contain, all of them; without case.
        reply: the final answer of the perfect solution.
    """

    id: str
    toolset: str
    user: str
    calls: list[dict[str, Any]]
    changes: dict[str, Any] = attrs.field(factory=dict)
    answer: list[str] = attrs.field(factory=list)
    reply: str = "Done."

    def is_answered(self, text: str) -> bool:
        """Whether a final answer says what was asked."""
        return all(re.search(pattern, text, re.IGNORECASE) for pattern in self.answer)


def load() -> list[Task]:
    """All tasks, those of a toolset together: they share the model's cached prefix."""
    lines = (HERE / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    return [Task(**json.loads(line)) for line in lines]
