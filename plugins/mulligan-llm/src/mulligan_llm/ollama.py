"""ollama, whose server usually runs on the same machine as the tools."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_llm.answers import decide

rules = Rules("ollama")
_NO_MEMORY = m.QUOTA._replace(message="The machine of the service has too little memory for the model", fatal=False)


@rules("ollama.ResponseError", "ollama.RequestError")
def ollama(failure: Failure) -> ToolError:
    """An error response from Ollama, or a request that its client cannot make."""
    if failure.matches("ollama.RequestError"):
        return decide(failure, "ollama", meaning=m.ARGUMENT)
    return decide(failure, "ollama", meaning=_NO_MEMORY if failure.says("requires more system memory") else None)


@rules("ConnectionError")
def ollama_unreachable(failure: Failure) -> ToolError | None:
    """Ollama is not running, which its client reports with the built-in ConnectionError."""
    if failure.came_through("ollama") is None:
        return None
    return m.error_of(failure, m.UNREACHABLE, message="Ollama cannot be reached: it may not be running.")
