"""Rules for the SDKs of language model services: openai, anthropic, google-genai, mistralai, cohere and others.

They are asked early, since some of these SDKs raise subclasses of what their HTTP client raises.
"""

from __future__ import annotations

from mulligan_llm import hub, others, stainless
from mulligan_llm.classification import last, rules

__all__ = ["classify", "classify_last", "hub", "last", "mulligan_api", "others", "rules", "stainless"]

mulligan_api = "1.0"
classify = rules.hookimpl(tryfirst=True)
classify_last = last.hookimpl()
