"""Rules for the SDKs of language model services: openai, anthropic, google-genai, mistralai, cohere and others.

They run early, because some of these SDKs raise subclasses of their HTTP client's exceptions.
"""

from mulligan.plugin import Rules
from mulligan_llm import cohere, connections, gemini, huggingface, litellm, mistral, ollama, replicate, stainless

__all__ = ["classify", "classify_last", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(
    litellm.rules,
    stainless.rules,
    cohere.rules,
    mistral.rules,
    gemini.rules,
    huggingface.rules,
    replicate.rules,
    ollama.rules,
    connections.rules,
)
last = Rules(last=True)
last.include(litellm.last, stainless.last, huggingface.last, replicate.last)

classify = rules.hookimpl(tryfirst=True)
classify_last = last.hookimpl()
