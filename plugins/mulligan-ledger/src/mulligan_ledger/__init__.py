"""A record of every tool call in SQLite: `Pipeline(plugins=[Ledger("runs.db")])`.

The commands `mulligan report`, `replay`, `diff` and `import` read it. Nothing is imported for a program that records nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mulligan_ledger.ledger import Ledger

__all__ = ["Ledger"]


def __getattr__(name: str) -> Any:
    if name != "Ledger":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mulligan_ledger.ledger import Ledger

    return Ledger
