"""mulligan in LangChain and LangGraph: every tool call of an agent gets a second chance.

from langchain.agents import create_agent
from mulligan_langchain import MulliganMiddleware

agent = create_agent(model, tools, middleware=[MulliganMiddleware(timeout=30)])
"""

from mulligan.errors import ToolExecutionError
from mulligan_langchain.fatal import FatalToolError, raise_if_fatal
from mulligan_langchain.functions import (
    aexecute_tool_safely,
    execute_tool_safely,
    execute_tool_safely_sync,
    wrap_tool_with_error_handling,
)
from mulligan_langchain.middleware import MulliganMiddleware
from mulligan_langchain.tool_node import ErrorHandlingToolNode, MulliganToolNode, tools_condition

__all__ = [
    "ErrorHandlingToolNode",
    "FatalToolError",
    "MulliganMiddleware",
    "MulliganToolNode",
    "ToolExecutionError",
    "aexecute_tool_safely",
    "execute_tool_safely",
    "execute_tool_safely_sync",
    "raise_if_fatal",
    "tools_condition",
    "wrap_tool_with_error_handling",
]
