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

SERVICE_ERRORS = (ToolAuthenticationError, ToolPermissionError, ToolConnectionError, ToolQuotaError)
_LONGEST_HOST = 200


def default_user_message(error: ToolError, catalogue: Catalogue) -> str:
    """The catalogue's sentence for an error whose rule has none; empty if nothing is known to name in it.

    Args:
        error: what the failure means; its `_host` is the host that was asked, if a field of the failure holds it.
        catalogue: the templates.
    """
    base = next((cls for cls in SERVICE_ERRORS if isinstance(error, cls)), None)
    if base is None or error.user_message != base.user_message:
        return ""
    if not (error.tool_name or error.provider or error.__dict__.get("_host")):
        return ""
    template = catalogue.get(f"user:{type(error).__name__}") or catalogue[f"user:{base.__name__}"]
    return template.format(
        message=error.user_message,
        resource="" if error.__dict__.get("_from_prose") else error.resource or "",
        status=error.http_status or "",
        tool=tool_name_of(error, catalogue),
        service=service_name_of(error, catalogue),
    )


def has_default_user_message(error: ToolError) -> bool:
    """Whether the sentence of an error is one that `default_user_message` made.

    Args:
        error: what the failure means, completed.
    """
    return isinstance(error, SERVICE_ERRORS) and "user_message" in error.__dict__.get("_filled", ())


def tool_name_of(error: ToolError, catalogue: Catalogue) -> str:
    """The tool's name, safe to show.

    Args:
        error: what the failure means.
        catalogue: the templates.
    """
    return show_name(error.tool_name) if error.tool_name else catalogue["a_tool"]


def service_name_of(error: ToolError, catalogue: Catalogue) -> str:
    """The service that failed, with its host in parentheses; what is not known is omitted.

    Args:
        error: what the failure means.
        catalogue: the templates.
    """
    name, host = error.provider or "", error.__dict__.get("_host")
    known = SERVICES.get(name) or (show_name(name) if is_name(name, blanks=2) else catalogue["service"])
    return catalogue["service_at"].format(service=known, host=show_name(host, _LONGEST_HOST)) if host else known
