"""A record of every tool call in SQLite: `Pipeline(plugins=[Ledger("runs.db")])`.

The commands `mulligan report`, `replay`, `diff` and `import` read it.
"""

from mulligan_ledger.ledger import Ledger

__all__ = ["Ledger"]
