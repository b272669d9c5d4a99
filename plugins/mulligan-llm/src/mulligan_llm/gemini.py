"""google-genai: the Gemini API and Vertex AI, with google.rpc error details."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_llm.answers import codes_of, decide, failed
from mulligan_llm.error_body import error_in

rules = Rules("google")
_LONG = ("perday", "permonth", "per_day", "per_month", "free_tier_requests")


@rules("google.genai.errors.APIError")
def gemini(failure: Failure) -> ToolError:
    """An error response from the Gemini API or Vertex AI."""
    details = [detail for detail in error_in(failure).get("details") or () if isinstance(detail, Mapping)]
    reasons = [detail.get("reason") for detail in details]
    return decide(failure, "google", *reasons, *codes_of(failure), meaning=_long_quota(failure, details))


def _long_quota(failure: Failure, details: list[Mapping[str, Any]]) -> m.Meaning | None:
    """A daily or monthly quota, unless the response also says how long to wait."""
    violations = _inside(details, "violations")
    quotas = [str(one.get("quotaId") or one.get("description") or "").replace(" ", "").lower() for one in violations]
    is_long = any(word in quota for quota in quotas for word in _LONG)
    return m.QUOTA if is_long and failure.retry_after is None else None


def _inside(details: list[Mapping[str, Any]], name: str) -> Iterator[Mapping[str, Any]]:
    for detail in details:
        yield from (found for found in detail.get(name) or () if isinstance(found, Mapping))


@rules("google.genai.errors.UnknownFunctionCallArgumentError", "google.genai.errors.FunctionInvocationError")
def function_arguments(failure: Failure) -> ToolError:
    """Arguments of a model's function call that do not match the Python function."""
    return m.error_of(failure, m.ARGUMENT, message="The arguments do not match the function.", effect="possible")


@rules(
    "google.genai.errors.UnknownApiResponseError",
    "google.genai.errors.ContinuationInterruptedError",
    "google.genai.errors.UnsupportedFunctionError",
)
def gemini_broken(failure: Failure) -> ToolError:
    """A Gemini response that is unreadable or incomplete, or a function that the SDK cannot describe."""
    if failure.matches("google.genai.errors.UnsupportedFunctionError"):
        return failed(failure, "google", "The SDK of Gemini cannot describe the function.")
    return failed(failure, "google", "Gemini's response is malformed or incomplete.")
