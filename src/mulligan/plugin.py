"""Everything that the author of a plugin imports.

from mulligan.plugin import ToolQuotaError, hookimpl

@hookimpl
def classify(failure):
    if failure.matches("acme.QuotaExceeded"):
        return ToolQuotaError("Acme's quota is used up.", provider="acme")
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from mulligan.calls import Repair, ToolCall
from mulligan.catalogue import ENGLISH, Catalogue
from mulligan.classify import meanings
from mulligan.classify.author_messages import AUTHORS, AuthorMessage
from mulligan.classify.call_arguments import argument_named_in
from mulligan.classify.codes import Codes
from mulligan.classify.failure import Failure
from mulligan.classify.field_errors import pointer_to
from mulligan.classify.missing_tool import missing_tool_name
from mulligan.classify.phrases import said, text_error
from mulligan.classify.reasons import reason_error, reason_of
from mulligan.classify.rules import Rule, Rules
from mulligan.classify.status_in_text import find_status
from mulligan.classify.statuses import status_error
from mulligan.classify.transport import transport_error
from mulligan.deadline import Deadline, current_deadline
from mulligan.dialects import Dialect
from mulligan.dialects.ai_sdk import AISDKDialect
from mulligan.dialects.anthropic import AnthropicDialect
from mulligan.dialects.gemini import GeminiDialect
from mulligan.dialects.mcp import MCPDialect
from mulligan.dialects.openai import OpenAIDialect
from mulligan.dialects.openai_responses import OpenAIResponsesDialect
from mulligan.errors import (
    Effect,
    MulliganError,
    PluginError,
    Problem,
    RepeatedCallError,
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolNotFoundError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
    UsageError,
)
from mulligan.events import (
    ApprovalDecided,
    ApprovalRequested,
    AttemptFailed,
    BudgetSpent,
    CallAbandoned,
    CallFinished,
    CallRepaired,
    CallRetried,
    CallStarted,
    Event,
    Notice,
    PluginFaulted,
    RequestNoted,
    StepFinished,
    Waiting,
)
from mulligan.execute.approval import NeedsApproval
from mulligan.execute.executors import ExecutorInfo, ToolExecutor
from mulligan.execute.steps import (
    DeadlineExceeded,
    Executor,
    ExecutorSaturated,
    Middleware,
    Outcome,
    ProcessFailed,
    Run,
    Signal,
    Sleep,
    Step,
    Steps,
)
from mulligan.feedback import Feedback, FeedbackFormat, body, step_of
from mulligan.forks import shared_lock, survive_fork
from mulligan.hookimpl import HOOK_API, hookimpl
from mulligan.hookspecs import Repairer
from mulligan.pointers import pointer_of
from mulligan.policy import Limits, Policy
from mulligan.repair.helpers import coerced, mended_json, same_name
from mulligan.resolve.toolset import Toolset
from mulligan.results import Answers, ToolResult
from mulligan.secrets.redaction import Redactor
from mulligan.tools import Tool, tool
from mulligan.untrusted.classes import as_dict, is_a
from mulligan.untrusted.hints import hints_of
from mulligan.untrusted.text import clean, fence, safe_str, show_name
from mulligan.validate.arguments import read_arguments
from mulligan.validate.signature import Injected, takes_any, values_by_name

__all__ = [
    "AUTHORS",
    "ENGLISH",
    "HOOK_API",
    "AISDKDialect",
    "Answers",
    "AnthropicDialect",
    "ApprovalDecided",
    "ApprovalRequested",
    "AttemptFailed",
    "AuthorMessage",
    "BudgetSpent",
    "CallAbandoned",
    "CallFinished",
    "CallRepaired",
    "CallRetried",
    "CallStarted",
    "Catalogue",
    "Codes",
    "Deadline",
    "DeadlineExceeded",
    "Dialect",
    "Effect",
    "Event",
    "Executor",
    "ExecutorInfo",
    "ExecutorSaturated",
    "Failure",
    "Feedback",
    "FeedbackFormat",
    "GeminiDialect",
    "Injected",
    "Limits",
    "MCPDialect",
    "Middleware",
    "MulliganError",
    "NeedsApproval",
    "Notice",
    "OpenAIDialect",
    "OpenAIResponsesDialect",
    "Outcome",
    "PluginError",
    "PluginFaulted",
    "Policy",
    "Problem",
    "ProcessFailed",
    "Redactor",
    "Repair",
    "Repairer",
    "RepeatedCallError",
    "RequestNoted",
    "ResourceConflictError",
    "ResourceNotFoundError",
    "Rule",
    "Rules",
    "Run",
    "Signal",
    "Sleep",
    "Step",
    "StepFinished",
    "Steps",
    "Tool",
    "ToolArgumentError",
    "ToolAuthenticationError",
    "ToolCall",
    "ToolCancelledError",
    "ToolConnectionError",
    "ToolError",
    "ToolExecutionError",
    "ToolExecutor",
    "ToolNotFoundError",
    "ToolPermissionError",
    "ToolQuotaError",
    "ToolRateLimitError",
    "ToolResult",
    "ToolTimeoutError",
    "ToolUnavailableError",
    "Toolset",
    "UsageError",
    "Waiting",
    "argument_named_in",
    "arun_tool",
    "as_dict",
    "body",
    "clean",
    "coerced",
    "current_deadline",
    "fence",
    "find_status",
    "hints_of",
    "hookimpl",
    "is_a",
    "meanings",
    "mended_json",
    "missing_tool_name",
    "packed_call",
    "pointer_of",
    "pointer_to",
    "read_arguments",
    "reason_error",
    "reason_of",
    "run_packed_call",
    "run_tool",
    "safe_str",
    "said",
    "same_name",
    "shared_lock",
    "show_name",
    "status_error",
    "step_of",
    "survive_fork",
    "takes_any",
    "text_error",
    "tool",
    "transport_error",
    "value_of_answer",
    "values_by_name",
]

if _TYPE_CHECKING:
    from mulligan.execute.remote import arun_tool, packed_call, run_packed_call, run_tool, value_of_answer
else:

    def __getattr__(name: str) -> object:
        """Imports lazily what only plugins that run tools elsewhere need."""
        if name not in ("arun_tool", "packed_call", "run_packed_call", "run_tool", "value_of_answer"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(_import_module("mulligan.execute.remote"), name)
        return value

    def __dir__() -> list[str]:
        """All names, including those that are imported lazily."""
        return sorted({*globals(), *__all__})
