"""Messages that a tool's author addresses to the model, as frameworks document them. All other text is untrusted."""

from __future__ import annotations

from types import TracebackType

from mulligan.untrusted.objects import trace

AUTHORS = (  # exceptions that authors raise for the model to read
    "mulligan.AuthorMessage",
    "langchain_core.ToolException",
    "fastmcp.ToolError",
    "mcp.server.ToolError",
    "pydantic_ai.ModelRetry",
    "pydantic_ai.ToolFailed",
)
_RELAYS = (
    "langchain_mcp_adapters",
    "mcpadapt",
    "mcp_use",
)  # these raise a framework's class with a remote server's text


class AuthorMessage(Exception):
    """A message from a tool's author to the model. Adapters raise it for local tools whose framework returns such messages."""


def is_authored(exception: BaseException) -> bool:
    """Whether an author's own code raised an exception, rather than the framework or a client of a remote server.

    Args:
        exception: an instance of a class in `AUTHORS`, with its traceback.
    """
    module = _raising_module(trace(exception))
    packages = {name.partition(".")[0] for name in (*AUTHORS, *_RELAYS)}
    return module is not None and module.partition(".")[0] not in packages


def _raising_module(step: TracebackType | None) -> str | None:
    """The module whose code raised the exception; None if it is not known."""
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return None if step is None else str(step.tb_frame.f_globals.get("__name__", ""))
