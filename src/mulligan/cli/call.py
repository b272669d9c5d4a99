"""`mulligan call` runs one tool; `mulligan schema` prints the definitions for the model."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from mulligan.cli.loading import find_dialect, find_tools
from mulligan.cli.output import DASH, OK, decode, decode_argument, exit_code, stdin, write, write_json
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
        write_json(pipeline.tools.definitions(find_dialect(dialect, pipeline.tools.dialects or {})))
    return OK


def call(
    tool: str,
    arguments: Annotated[str, Parameter(name="JSON")] = "{}",
    /,
    *,
    tools: str,
    format: str | None = None,
    json: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    settings: Annotated[Settings, Parameter(parse=False)],
) -> int:
    """Run one tool call and print what the model reads.

    Args:
        tool: the tool to call; a wrong name gets the feedback that a model would get.
        arguments: the arguments as JSON text, or - to read it from stdin.
        tools: MODULE[:NAME] or FILE.py[:NAME] with the tools.
        format: the feedback format: text, json, block, or one of a plugin. Default: the configured format.
        json: print the whole result as JSON.
        settings: the common options.

    Returns:
        The exit code.
    """
    if arguments == DASH:
        text = decode(stdin("the arguments").read(), "stdin,", "encode the arguments as UTF-8")
    else:
        text = decode_argument(arguments, "JSON")
    with settings.pipeline(find_tools(tools), format=format) as pipeline:
        result = pipeline.call(decode_argument(tool, "TOOL"), text)
        if json:
            write_json(result.to_dict())
        else:
            write(result.content)
    return exit_code(result)
