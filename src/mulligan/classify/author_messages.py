"""The words that a tool's author addresses to the model, as frameworks document them; all other text is foreign."""

from __future__ import annotations

from types import TracebackType

from mulligan.untrusted.objects import trace

AUTHORS = (  # what authors raise for the model to read
    "mulligan.AuthorMessage",
    "langchain_core.ToolException",
    "fastmcp.ToolError",
    "mcp.server.ToolError",
    "pydantic_ai.ModelRetry",
    "pydantic_ai.ToolFailed",
)
_RELAYS = ("langchain_mcp_adapters", "mcpadapt", "mcp_use")  # they raise a framework's class for a remote server's text


class AuthorMessage(Exception):
    """What a tool's author says to the model, where a framework has it returned: an adapter raises it for a local tool."""


def is_authored(exception: BaseException) -> bool:
    """Whether an exception was raised by an author's own code, and not by the framework or a client of a remote server.

    Args:
        exception: one of a class in `AUTHORS`, with its traceback.
    """
    module = _raising_module(trace(exception))
    packages = {name.partition(".")[0] for name in (*AUTHORS, *_RELAYS)}
    return module is not None and module.partition(".")[0] not in packages


def _raising_module(step: TracebackType | None) -> str | None:
    """The module whose code raised; None where nobody knows."""
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return None if step is None else str(step.tb_frame.f_globals.get("__name__", ""))
