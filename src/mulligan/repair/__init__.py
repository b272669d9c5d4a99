"""The repair of arguments, the corrected call, and repair by a model.

`ask(model)` has a model say once more what a call that cannot be run should have been.

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
        """What asks a model is imported when it is asked for."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from mulligan.repair import model

        value = globals()[name] = getattr(model, name)
        return value

    def __dir__() -> list[str]:
        """All names, those too that are imported later."""
        return sorted({*globals(), *__all__})
