"""Rules for the SDKs of language model services: openai, anthropic, google-genai, mistralai, cohere, huggingface_hub ..."""

from __future__ import annotations

from mulligan_llm import hub, others, stainless
from mulligan_llm.deciding import rules

__all__ = ["classify", "hub", "others", "rules", "stainless"]

classify = rules.hookimpl(tryfirst=True)
