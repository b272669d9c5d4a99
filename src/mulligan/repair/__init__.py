"""Repair by a model: `ask(model)` has a model say once more what a call that cannot be run should have been.

from mulligan import Pipeline
from mulligan.repair import ask

def model(messages):
    return client.chat.completions.create(model="a-small-one", messages=messages)

pipeline = Pipeline(tools, plugins=[ask(model)])
"""

from mulligan.repair.asking import Ask, ask

__all__ = ["Ask", "ask"]
