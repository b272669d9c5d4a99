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

import importlib as _importlib
import typing as _typing

from mulligan import errors
from mulligan import standalone as _standalone
from mulligan.calls import Repair, ToolCall
from mulligan.deadline import Deadline, current_deadline
from mulligan.dialects import Dialect
from mulligan.errors import Problem
from mulligan.feedback import Feedback, FeedbackFormat
from mulligan.hookimpl import hookimpl
from mulligan.policy import Limits, Policy
from mulligan.resolve.toolset import Toolset
from mulligan.results import Answers, ToolResult
from mulligan.tools import Tool, tool
from mulligan.untrusted.hints import hints_of
from mulligan.validate.signature import Injected
from mulligan.validate.tool_options import ToolOptions

if _typing.TYPE_CHECKING:
    from mulligan.classify.failure import Failure
    from mulligan.execute.approval import ApprovalRequest, Approve, NeedsApproval, Reject
    from mulligan.hooks.discovery import PluginFault, PluginInfo
    from mulligan.pipeline import Pipeline, Session
    from mulligan.session.budget import Budget

__version__ = "0.1.0"
__all__ = [
    "Answers",
    "ApprovalRequest",
    "Approve",
    "Budget",
    "Deadline",
    "Dialect",
    "Failure",
    "Feedback",
    "FeedbackFormat",
    "Injected",
    "Limits",
    "NeedsApproval",
    "Pipeline",
    "PluginFault",
    "PluginInfo",
    "Policy",
    "Problem",
    "Reject",
    "Repair",
    "Session",
    "Tool",
    "ToolCall",
    "ToolOptions",
    "ToolResult",
    "Toolset",
    "current_deadline",
    "errors",
    "hints_of",
    "hookimpl",
    "tool",
]


def _load_services() -> _standalone.StandaloneServices:
    """The parts that a result or a toolset needs outside a pipeline, imported lazily."""
    from mulligan.dialects import named
    from mulligan.render.composer import standalone_feedback

    return _standalone.StandaloneServices(named, standalone_feedback)


_standalone.load = _load_services

if not _typing.TYPE_CHECKING:  # a type checker would take every name for one that exists
    _NEEDED_LATER = {
        **dict.fromkeys(("ApprovalRequest", "Approve", "NeedsApproval", "Reject"), "mulligan.execute.approval"),
        "Budget": "mulligan.session.budget",
        "Failure": "mulligan.classify.failure",
        "Pipeline": "mulligan.pipeline",
        "Session": "mulligan.pipeline",
        "PluginFault": "mulligan.hooks.discovery",
        "PluginInfo": "mulligan.hooks.discovery",
    }

    def __getattr__(name: str) -> object:
        """Imports lazily the names that not every program needs."""
        if name not in _NEEDED_LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(_importlib.import_module(_NEEDED_LATER[name]), name)
        return value

    def __dir__() -> list[str]:
        """All names, including those that are imported lazily."""
        return sorted({*globals(), *__all__})
