"""The message shapes of OpenAI Chat Completions and Anthropic Messages."""

from __future__ import annotations

from collections.abc import Iterable

from mulligan.plugin import AnthropicDialect, Dialect, OpenAIDialect, hookimpl


@hookimpl(trylast=True)
def dialects() -> Iterable[Dialect]:
    """The two dialects of the core."""
    return [OpenAIDialect(), AnthropicDialect()]
