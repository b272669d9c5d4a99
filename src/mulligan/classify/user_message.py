"""The message to the user after a failure that ends the run: which service, at which host, rejected which tool."""

from __future__ import annotations

from mulligan.catalogue import ENGLISH, SERVICES, Catalogue
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


def default_user_message(error: ToolError, catalogue: Catalogue, *, may_write: bool = True) -> str:
    """The catalogue's user message for an error whose rule sets none; empty if tool, provider and host are all unknown.

    Args:
        error: the classified error; its `_host` is the requested host, if a field of the failure holds it.
        catalogue: the templates.
        may_write: whether the tool may change something, so that a second call could do it twice.
    """
    if not isinstance(error, SERVICE_ERRORS):
        return ""
    base = next(cls for cls in SERVICE_ERRORS if isinstance(error, cls))
    if error.user_message != base.user_message:
        return ""
    if not (error.tool_name or error.provider or error.__dict__.get("_host")):
        return ""
    template = catalogue.get(f"user:{type(error).__name__}") or catalogue[f"user:{base.__name__}"]
    narrower = _narrower_template(error, may_write=may_write)
    if narrower and (template == ENGLISH[f"user:{base.__name__}"] or catalogue[narrower] != ENGLISH[narrower]):
        template = catalogue[narrower]  # unless the host has replaced the general one only
    return template.format(
        message=error.user_message,
        resource="" if error.__dict__.get("_from_prose") else error.resource or "",
        status=error.http_status or "",
        tool=tool_name_of(error, catalogue),
        service=service_name_of(error, catalogue),
    )


def _narrower_template(error: ToolError, *, may_write: bool) -> str:
    """The template that says more of an error than that of its class; empty if there is none."""
    if isinstance(error, ToolConnectionError) and error.transient:
        return "user:dropped" if may_write and error.effect != "none" else "user:dropped_read"
    return ""


def has_default_user_message(error: ToolError) -> bool:
    """Whether `default_user_message` rendered the user message of a completed error."""
    return isinstance(error, SERVICE_ERRORS) and "user_message" in error.__dict__.get("_filled", ())


def tool_name_of(error: ToolError, catalogue: Catalogue) -> str:
    """The tool's name, safe to show; a generic phrase if it is unknown."""
    return show_name(error.tool_name) if error.tool_name else catalogue["a_tool"]


def service_name(provider: str | None) -> str | None:
    """The name of a service in sentences, such as `Stripe` for `stripe`; None if the provider is no name.

    Args:
        provider: the service, as in `ToolError.provider`.
    """
    name = provider or ""
    return SERVICES.get(name) or (show_name(name) if is_name(name, blanks=2) else None)


def service_name_of(error: ToolError, catalogue: Catalogue) -> str:
    """The service that failed, with its host in parentheses if it is known."""
    name, host = service_name(error.provider) or catalogue["service"], error.__dict__.get("_host")
    known = f"The {name[4:]}" if name.startswith("the ") else name
    return catalogue["service_at"].format(service=known, host=show_name(host, _LONGEST_HOST)) if host else known
