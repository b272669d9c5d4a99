"""The sentence for the user after a failure that ends the run: which service, at which host, refused which tool."""

from __future__ import annotations

from mulligan.catalogue import SERVICES, Catalogue
from mulligan.errors import (
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolPermissionError,
    ToolQuotaError,
)
from mulligan.untrusted.text import is_name, show_name

NAMING_SERVICES = (ToolAuthenticationError, ToolPermissionError, ToolConnectionError, ToolQuotaError)
_LONGEST_HOST = 200


def default_sentence(error: ToolError, words: Catalogue) -> str:
    """The catalogue's sentence for an error whose rule has none; empty if nothing is known to name in it.

    Args:
        error: what the failure means; its `_host` is the host that was asked, if a field of the failure holds it.
        words: the templates.
    """
    base = next((cls for cls in NAMING_SERVICES if isinstance(error, cls)), None)
    if base is None or error.user_message != base.user_message:
        return ""
    if not (error.tool_name or error.provider or error.__dict__.get("_host")):
        return ""
    template = words.get(f"user:{type(error).__name__}") or words[f"user:{base.__name__}"]
    return template.format(
        message=error.user_message,
        resource="" if error.__dict__.get("_from_prose") else error.resource or "",
        status=error.http_status or "",
        tool=tool_of(error, words),
        service=service_of(error, words),
    )


def is_default(error: ToolError) -> bool:
    """Whether the sentence of an error is one that `default_sentence` made.

    Args:
        error: what the failure means, completed.
    """
    return isinstance(error, NAMING_SERVICES) and "user_message" in error.__dict__.get("_filled", ())


def tool_of(error: ToolError, words: Catalogue) -> str:
    """The tool's name, safe to show.

    Args:
        error: what the failure means.
        words: the templates.
    """
    return show_name(error.tool_name) if error.tool_name else words["a_tool"]


def service_of(error: ToolError, words: Catalogue) -> str:
    """The service that failed, with its host in parentheses; what is not known is omitted.

    Args:
        error: what the failure means.
        words: the templates.
    """
    name, host = error.provider or "", error.__dict__.get("_host")
    known = SERVICES.get(name) or (show_name(name) if is_name(name, blanks=2) else words["service"])
    return words["service_at"].format(service=known, host=show_name(host, _LONGEST_HOST)) if host else known
