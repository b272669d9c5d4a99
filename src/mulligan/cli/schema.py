"""`mulligan schema`: the tool definitions for the model."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from mulligan.cli.given_tools import find_tools
from mulligan.cli.output import OK, write_json
from mulligan.cli.settings import Settings


def schema(*, tools: str, dialect: str = "openai", settings: Annotated[Settings, Parameter(parse=False)]) -> int:
    """Print the tool definitions that a model receives.

    Args:
        tools: MODULE[:NAME] or FILE.py[:NAME] with the tools.
        dialect: the format of the provider: openai, openai-responses, anthropic, gemini, mcp, ai-sdk, or one of a plugin.
        settings: the common options.

    Returns:
        The exit code.
    """
    with settings.pipeline(find_tools(tools)) as pipeline:
        write_json(pipeline.tools.definitions(dialect))
    return OK
