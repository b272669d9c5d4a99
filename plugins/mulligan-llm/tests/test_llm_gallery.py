"""The package's part of the gallery."""

from collections.abc import Callable, Sequence

import mulligan_llm
import pytest
from mulligan_testkit.gallery import Gallery, GalleryFailure
from test_llm_stainless import anthropic_error, ask_anthropic, ask_openai, openai_error

Serve = Callable[..., str]


class TestGallery(Gallery):
    title = "Model providers"
    plugin = mulligan_llm
    packages = ("openai", "anthropic")

    @pytest.fixture
    def shown(self, serve: Serve) -> Sequence[GalleryFailure]:
        text = {"text": "A long report ..."}
        quota = openai_error("You exceeded your current quota.", "insufficient_quota", "insufficient_quota")
        limited = openai_error("Rate limit reached for requests.", "requests", "rate_limit_exceeded")
        long = openai_error(
            "This model's maximum context length is 8192 tokens.",
            "invalid_request_error",
            "context_length_exceeded",
            "messages",
        )
        return [
            GalleryFailure(
                "A rate limit", "summarise", text, lambda: ask_openai(serve(429, limited, {"retry-after": "20"}))
            ),
            GalleryFailure("A quota, with the same status", "summarise", text, lambda: ask_openai(serve(429, quota))),
            GalleryFailure("A text that is too long", "summarise", text, lambda: ask_openai(serve(400, long))),
            GalleryFailure(
                "A provider with too much to do",
                "summarise",
                text,
                lambda: ask_anthropic(serve(529, anthropic_error("overloaded_error", "Overloaded"))),
            ),
            GalleryFailure(
                "A key that is refused",
                "summarise",
                text,
                lambda: ask_anthropic(serve(401, anthropic_error("authentication_error", "invalid x-api-key"))),
            ),
        ]
