"""Argument repair, corrected calls, and repair by a model.

`ask(model)` lets a model correct a call that cannot be run.

from mulligan import Pipeline
from mulligan.repair import ask

def model(messages):
    return client.chat.completions.create(model="a-small-one", messages=messages)

pipeline = Pipeline(tools, plugins=[ask(model)])
"""

import typing as _typing

if _typing.TYPE_CHECKING:
    from mulligan.repair.model import Ask, ask

__all__ = ["Ask", "ask"]

if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import `ask` and `Ask` lazily."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from mulligan.repair import model

        value = globals()[name] = getattr(model, name)
        return value

    def __dir__() -> list[str]:
        """List all names, including lazily imported ones."""
        return sorted({*globals(), *__all__})
