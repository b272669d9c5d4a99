"""The shared corpus of faults: what models, tools, services and the people behind them really send, and worse.

The conformance suites use it, and any test can. Each `Fault` creates a new object, since handlers of exceptions change
them.
"""

from __future__ import annotations

from mulligan.testing.faults.exceptions import EXCEPTIONS, imposters, variants
from mulligan.testing.faults.messages import ARGUMENTS, MESSAGES, NESTED, garbled
from mulligan.testing.faults.texts import ORDER, SECRETS, TEXTS, WORDS, leaked, obeyed
from mulligan.testing.faults.values import RESULTS, VALUES, Fault

__all__ = [
    "ARGUMENTS",
    "EXCEPTIONS",
    "MESSAGES",
    "NESTED",
    "ORDER",
    "RESULTS",
    "SECRETS",
    "TEXTS",
    "VALUES",
    "WORDS",
    "Fault",
    "garbled",
    "imposters",
    "leaked",
    "obeyed",
    "variants",
]
