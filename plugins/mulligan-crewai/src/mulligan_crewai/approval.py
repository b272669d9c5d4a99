"""A person's approval of calls, asked on the console as CrewAI's hooks do."""

from __future__ import annotations

import json
from typing import Any

from crewai.hooks.tool_hooks import ToolCallHookContext

from mulligan import ApprovalRequest, Approve, Reject

_YES = ("approve", "yes", "y")


def ask_on_console(request: ApprovalRequest) -> Approve | Reject | None:
    """An approver for a pipeline: `Pipeline(approver=ask_on_console)`. It shows the call and waits for a line of text.

    Args:
        request: the call, its arguments validated.

    Returns:
        The decision; None if there is no console, so that the call waits.
    """
    nothing: Any = None
    shown = json.dumps(request.arguments, ensure_ascii=False)
    asking = ToolCallHookContext(tool_name=request.tool_name, tool_input=dict(request.arguments), tool=nothing)
    prompt = f"{request.tool_name} {shown}\n{request.reason}".rstrip()
    try:
        line = asking.request_human_input(prompt, "Type 'approve' to run this call, or the reason why it must not run:")
    except EOFError:
        return None
    return Approve() if line.lower() in _YES else Reject(line)
