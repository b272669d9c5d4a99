"""The built-in dialects, as a plugin."""

from __future__ import annotations

from collections.abc import Iterable

from mulligan.dialects.ai_sdk import AISDKDialect
from mulligan.dialects.anthropic import AnthropicDialect
from mulligan.dialects.base import Dialect
from mulligan.dialects.gemini import GeminiDialect
from mulligan.dialects.mcp import MCPDialect
from mulligan.dialects.openai import OpenAIDialect
from mulligan.dialects.openai_responses import OpenAIResponsesDialect
from mulligan.hookimpl import hookimpl


@hookimpl(trylast=True)
def dialects() -> Iterable[Dialect]:
    """The built-in dialects, in the order in which they are asked."""
    return [
        OpenAIDialect(),
        OpenAIResponsesDialect(),
        AnthropicDialect(),
        GeminiDialect(),
        MCPDialect(),
        AISDKDialect(),
    ]
