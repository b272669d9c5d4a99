"""mulligan gives every tool call of a language model a second chance.

from mulligan import Pipeline, tool

@tool(read_only=True, timeout=5)
def read_file(path: str) -> str:
    "Read a text file of the workspace."
    return open(path).read()

pipeline = Pipeline([read_file])
result = pipeline.call("read_fil", '{"path": "a.md"}')
print(result.content)
"""

from mulligan import errors
from mulligan.calls import Repair, ToolCall
from mulligan.deadline import Deadline, current_deadline
from mulligan.dialects import Dialect
from mulligan.errors import Problem
from mulligan.failures.failure import Failure
from mulligan.feedback import Feedback, FeedbackFormat
from mulligan.hookimpl import hookimpl
from mulligan.memory.budget import Budget
from mulligan.pipeline import Pipeline
from mulligan.plugging.plugins import PluginFault, PluginInfo
from mulligan.policy import Limits, Policy
from mulligan.results import Answers, ToolResult
from mulligan.session import Session
from mulligan.signatures.signature import Injected
from mulligan.tools import Tool, tool
from mulligan.toolset import Toolset

__version__ = "0.1.0"
__all__ = [
    "Answers",
    "Budget",
    "Deadline",
    "Dialect",
    "Failure",
    "Feedback",
    "FeedbackFormat",
    "Injected",
    "Limits",
    "Pipeline",
    "PluginFault",
    "PluginInfo",
    "Policy",
    "Problem",
    "Repair",
    "Session",
    "Tool",
    "ToolCall",
    "ToolResult",
    "Toolset",
    "current_deadline",
    "errors",
    "hookimpl",
    "tool",
]
