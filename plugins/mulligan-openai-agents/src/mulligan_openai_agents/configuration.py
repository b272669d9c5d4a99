"""`run_config`: the settings of a run with which unknown names are answered."""

from __future__ import annotations

import dataclasses
from typing import Any

from agents import RunConfig, ToolErrorFormatterArgs

from mulligan.errors import UsageError
from mulligan_openai_agents.runs import current_run, resolved


def run_config(base: RunConfig | None = None) -> RunConfig:
    """Settings with which a name that no tool has is answered, with the best matches among the tools callable now.

    A call that a person rejects is answered too, unless they give words of their own.

    Args:
        base: your own settings, which stay as they are. A `tool_error_formatter` of yours is asked first.

    Raises:
        UsageError: `base` is something else.
    """
    if not isinstance(base, (RunConfig, type(None))):
        raise UsageError(f"run_config() takes an agents.RunConfig, not {base!r:.80}")
    base = base or RunConfig()
    theirs = base.tool_error_formatter

    async def word(args: ToolErrorFormatterArgs[Any]) -> str | None:
        text: str | None = None if theirs is None else await resolved(theirs(args))
        run = current_run.get()
        if text is not None or args.tool_type != "function" or run is None or run.context() is not args.run_context:
            return text
        if args.kind == "approval_rejected":
            return await run.reject(args.tool_name, args.call_id)
        return await run.answer_unknown(args.tool_name, args.call_id) if args.kind == "tool_not_found" else None

    return dataclasses.replace(base, tool_not_found_behavior="return_error_to_model", tool_error_formatter=word)
