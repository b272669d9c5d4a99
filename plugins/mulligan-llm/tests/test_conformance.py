"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import httpx
import mulligan_llm
import openai

from mulligan.errors import ToolAuthenticationError, ToolConnectionError, ToolQuotaError
from mulligan.testing import ClassifierConformance

REQUEST = httpx.Request("POST", "https://api.openai.com/v1/responses")


def answer(cls: type[openai.APIStatusError], status: int, code: str) -> openai.APIStatusError:
    body = {"code": code, "message": "It says so."}
    return cls("It says so.", response=httpx.Response(status, request=REQUEST), body=body)


class TestLLM(ClassifierConformance):
    plugin = mulligan_llm
    samples = [
        (openai.APIConnectionError(request=REQUEST), ToolConnectionError),
        (answer(openai.RateLimitError, 429, "insufficient_quota"), ToolQuotaError),
        (answer(openai.AuthenticationError, 401, "invalid_api_key"), ToolAuthenticationError),
    ]
