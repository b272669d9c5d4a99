"""mulligan in LlamaIndex: `agent = wrap(FunctionAgent(tools=..., llm=...))`."""

from mulligan_llamaindex.calls import RunStopped
from mulligan_llamaindex.workflow import wrap

__all__ = ["RunStopped", "wrap"]
