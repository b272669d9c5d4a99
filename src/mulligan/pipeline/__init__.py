"""What users call: a pipeline takes each call through the stages, a session remembers what happened in a conversation."""

from mulligan.pipeline.pipeline import Pipeline, Session

__all__ = ["Pipeline", "Session"]
