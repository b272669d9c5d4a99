"""replicate."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan_llm.answers import failed

rules = Rules("replicate")
last = Rules("replicate", last=True)


@rules("replicate.ModelError")
def model(failure: Failure) -> ToolError:
    """A model that failed during a run."""
    return failed(failure, "replicate", "The model on Replicate failed while running.")


@last("replicate.ReplicateException")
def other_replicate(failure: Failure) -> ToolError:
    """Any other exception of the SDK."""
    return failed(failure, "replicate", "The SDK of Replicate failed.")
