"""What is remembered of a conversation: failures, repeated calls, budgets and answers."""

import importlib as _importlib


def __getattr__(name: str) -> object:
    """`Session` is defined where pipelines are, and is found here too."""
    if name != "Session":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = _importlib.import_module("mulligan.pipeline").Session
    return value
