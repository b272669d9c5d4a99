"""litellm, which raises subclasses of openai's exceptions for every service, and some of its own."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.plugin import Failure, Rules, ToolError, transport_error
from mulligan.plugin import meanings as m
from mulligan_llm.answers import decide, failed, name_of
from mulligan_llm.codes import REFUSED
from mulligan_llm.stainless import provider_of

rules = Rules("litellm")
last = Rules("litellm", last=True)
_MEANINGS: Mapping[str, m.Meaning] = {
    "ContextWindowExceededError": m.TOO_LARGE,
    "ContentPolicyViolationError": REFUSED,
    "RejectedRequestError": REFUSED,
    "ImageFetchError": m.ARGUMENT._replace(message="The service could not fetch the image"),
}
_GUARDRAIL = m.ARGUMENT._replace(message="A guardrail blocked the content")


@rules("litellm.BudgetExceededError")
def budget(failure: Failure) -> ToolError:
    """A budget that litellm itself enforces."""
    return m.error_of(failure, m.QUOTA, message="The litellm budget is exhausted.", provider=provider_of(failure))


@rules("litellm.RouterRateLimitError", "litellm.RouterRateLimitErrorBasic")
def cooling_down(failure: Failure) -> ToolError:
    """Deployments in cooldown after failures."""
    rest = failure.look("cooldown_time")
    seconds = rest if isinstance(rest, (int, float)) and not isinstance(rest, bool) else None
    message = "All deployments of the model are paused after failures."
    return m.error_of(failure, m.RATE_LIMIT, message=message, retry_after=seconds, http_status=None)


@rules("litellm.GuardrailRaisedException", "litellm.BlockedPiiEntityError")
def guardrail(failure: Failure) -> ToolError:
    """Content that a litellm guardrail blocked."""
    return m.error_of(failure, _GUARDRAIL, effect="none", http_status=None)


@rules(*(f"litellm.{name}" for name in _MEANINGS))
def rejected(failure: Failure) -> ToolError:
    """Failures for which litellm's class is more specific than the status: text too long, content refused."""
    meaning = next(meaning for name, meaning in _MEANINGS.items() if failure.matches(f"litellm.{name}"))
    return decide(failure, provider_of(failure), meaning=meaning)


@rules("litellm.APIConnectionError")
def no_connection(failure: Failure) -> ToolError:
    """The service is unreachable, or an unknown failure, for which litellm uses the same class."""
    provider = provider_of(failure)
    error = transport_error(failure, service=name_of(provider), provider=provider)
    return error or failed(failure, provider, "LiteLLM failed.")


@last("litellm.ModelNotMappedError", "litellm.ToolLoopMaxRoundsExceeded", "litellm.exceptions.ModifyResponseException")
def other(failure: Failure) -> ToolError:
    """Any other exception of litellm itself."""
    return failed(failure, "litellm", "LiteLLM failed.")
