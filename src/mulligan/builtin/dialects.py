"""The message shapes of the core: six providers."""

from __future__ import annotations

from collections.abc import Iterable

from mulligan.plugin import (
    AISDKDialect,
    AnthropicDialect,
    Dialect,
    GeminiDialect,
    MCPDialect,
    OpenAIDialect,
    OpenAIResponsesDialect,
    hookimpl,
)


@hookimpl(trylast=True)
def dialects() -> Iterable[Dialect]:
    """The dialects of the core, in the order in which they are asked."""
    return [
        OpenAIDialect(),
        OpenAIResponsesDialect(),
        AnthropicDialect(),
        GeminiDialect(),
        MCPDialect(),
        AISDKDialect(),
    ]
