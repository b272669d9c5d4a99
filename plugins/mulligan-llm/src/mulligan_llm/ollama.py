"""ollama, whose server runs beside the tools."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_llm.answers import decide

rules = Rules("ollama")


@rules("ollama.ResponseError", "ollama.RequestError")
def ollama(failure: Failure) -> ToolError:
    """An answer of Ollama, or a request that it cannot make."""
    return decide(failure, "ollama", meaning=m.ARGUMENT if failure.matches("ollama.RequestError") else None)


@rules("ConnectionError")
def ollama_unreachable(failure: Failure) -> ToolError | None:
    """Ollama does not run: its client says so with Python's own ConnectionError."""
    if failure.came_through("ollama") is None:
        return None
    return m.error_of(failure, m.UNREACHABLE, message="Ollama cannot be reached: it may not be running.")
