"""`mulligan call`: one tool call."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from mulligan.cli.loading import find_tools
from mulligan.cli.output import DASH, code_of, write, write_json
from mulligan.cli.settings import Settings


def call(
    tool: str,
    arguments: str = "{}",
    /,
    *,
    tools: str,
    format: str | None = None,
    json: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    settings: Annotated[Settings, Parameter(parse=False)],
) -> int:
    """Run one tool call and print what the model would read.

    Args:
        tool: the name that is called; a wrong one is answered as a model's would be.
        arguments: JSON text, or - to read it from stdin.
        tools: MODULE[:NAME] or FILE.py[:NAME] that holds the tools.
        format: the feedback format: text, json, block, or one of a plugin; else what the settings say.
        json: print the whole result as JSON.
        settings: the common options.

    Returns:
        The exit code.
    """
    text = sys.stdin.read() if arguments == DASH else arguments
    with settings.pipeline(find_tools(tools), format=format) as pipeline:
        result = pipeline.call(tool, text)
        if json:
            write_json(result.to_dict())
        else:
            write(result.content)
    return code_of(result)
