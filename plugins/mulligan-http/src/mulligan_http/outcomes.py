"""How a request can end without an answer, with what that says about its effect: was it sent or not?"""

from __future__ import annotations

from mulligan.plugin import (
    Failure,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolTimeoutError,
    transport_error,
)

_URLS = (("request", "url"), ("url",))
_HOSTS = (("host",), ("conn", "host"), ("pool", "host"))


def unreachable(failure: Failure) -> ToolError:
    """No connection: a refused port, an unknown host name, no route. Nothing was sent."""
    if names_host(failure):
        return ToolConnectionError("The host that the arguments name cannot be reached.", fatal=False, effect="none")
    return ToolConnectionError("The service cannot be reached.", effect="none")


def names_host(failure: Failure) -> bool:
    """Whether the call itself named the host, so that another host may do.

    Args:
        failure: what happened.
    """
    texts = [text[:2_000] for text in (failure.arguments or {}).values() if isinstance(text, str)]
    host = _host(failure)
    return any((host in text) if host else ("://" in text) for text in texts)


def _host(failure: Failure) -> str | None:
    for names in _URLS:
        text = str(failure.look(*names))[:2_000]
        if "://" in text:
            return _hostname(text)
    return next((host for names in _HOSTS if isinstance(host := failure.look(*names), str)), None)


def _hostname(url: str) -> str | None:
    from urllib.parse import urlsplit

    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def insecure(failure: Failure) -> ToolError:
    """The certificate or the handshake failed, or the connection ended midway."""
    error = transport_error(failure) or ToolConnectionError("The TLS connection failed.", effect="possible")
    if not error.transient:
        error.fatal = not names_host(failure)
    return error


def dropped() -> ToolError:
    """The connection ended in the middle: the request may have been acted upon."""
    return ToolConnectionError(
        "The connection was dropped mid-request.", fatal=False, transient=True, effect="possible"
    )


def not_http() -> ToolError:
    """What came back is not HTTP, so it is unknown what the other side made of the request."""
    return ToolConnectionError("The server does not speak HTTP.", effect="possible")


def timed_out(*, sent: bool) -> ToolError:
    """No answer in time, or not even a connection."""
    if sent:
        return ToolTimeoutError("The service did not respond in time.", effect="possible")
    return ToolTimeoutError("The connection to the service timed out; nothing was sent.", effect="none")


def proxy(status: int | None = None) -> ToolError:
    """The proxy cannot be reached or does not let the request through, so it never got to the service."""
    if status == 407:
        user = "The proxy requires credentials. Set them, then try again."
        return ToolAuthenticationError("The proxy rejected the credentials.", http_status=407, user_message=user)
    user = "The proxy cannot be reached or refuses the connection: check its address."
    return ToolConnectionError("The proxy blocks the request.", effect="none", user_message=user)


def bad_url(failure: Failure, url: object = None) -> ToolError:
    """An address that no request can be made for; where the call named another one, a redirect led to it.

    Args:
        failure: what happened.
        url: the address, where it is known.
    """
    shown = str(url)[:200] if url else ""
    texts = (text for text in (failure.arguments or {}).values() if isinstance(text, str))
    named = [text for text in texts if "://" in text]
    if "://" in shown and named and not any(shown in text or text in shown for text in named):
        return redirected("The service redirects to an unusable address.")
    place = f": {shown}" if shown and not any(map(str.isspace, shown)) else ""  # a sentence is quoted, not told
    return ToolArgumentError(f"The address is not a valid URL{place}. It needs a scheme, such as https://, and a host.")


def redirected(message: str = "The service redirects too many times.") -> ToolError:
    """A redirect that cannot be followed; what came before it was sent."""
    return ToolExecutionError(message, effect="possible")


def unreadable(message: str = "The response cannot be decoded.") -> ToolError:
    """An answer came, but it is not what it claims to be."""
    return ToolExecutionError(message, effect="possible")


def misuse() -> ToolError:
    """The tool's own mistake: a client that is closed, an answer that is read twice."""
    return ToolExecutionError("The tool uses its HTTP client incorrectly.")
