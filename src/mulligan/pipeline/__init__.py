"""What users call: a pipeline takes each call through the stages, a session remembers what happened in a conversation."""

from mulligan.pipeline.pipeline import Pipeline
from mulligan.pipeline.session import Session

__all__ = ["Pipeline", "Session"]
