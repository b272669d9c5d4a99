"""How a request can end without a response, beyond what `transport_error` covers."""

from __future__ import annotations

from mulligan.plugin import Failure, ToolConnectionError, ToolError, transport_error
from mulligan.plugin import meanings as m

_URLS = (("request", "url"), ("url",))
_HOSTS = (("host",), ("conn", "host"), ("pool", "host"))
_SERVICE = "the service"  # in messages that otherwise name no culprit
_UNREACHABLE = m.sentence(m.UNREACHABLE, _SERVICE)
_UNAUTHENTICATED = 407


def connection(failure: Failure) -> ToolError:
    """A failed connection. It is fatal unless the arguments name the host, since another host may then work."""
    error = transport_error(failure, service=_SERVICE) or m.error_of(failure, m.CONNECTION, http_status=None)
    if isinstance(error, ToolConnectionError) and not error.transient:
        error.fatal = not names_host(failure)
        if not error.fatal and error.message == _UNREACHABLE:
            error.message = "The host that the arguments name cannot be reached."
    return error


def names_host(failure: Failure) -> bool:
    """Whether the call itself named the host, so that another host may work."""
    texts = [text[:2_000] for text in (failure.arguments or {}).values() if isinstance(text, str)]
    host = _host(failure)
    return any((host in text) if host else ("://" in text) for text in texts)


def _host(failure: Failure) -> str | None:
    for names in _URLS:
        text = str(failure.look(*names))[:2_000]
        if "://" in text:
            return _hostname(text)
    return next(
        (host for one in (failure, *failure.inner) for names in _HOSTS if isinstance(host := one.look(*names), str)),
        None,
    )


def _hostname(url: str) -> str | None:
    from urllib.parse import urlsplit

    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def not_http(failure: Failure) -> ToolError:
    """The response is not HTTP, so it is unknown whether the request took effect."""
    return m.error_of(
        failure,
        m.CONNECTION,
        message="The server does not speak HTTP.",
        fatal=not names_host(failure),
        http_status=None,
    )


def proxy(failure: Failure, status: int | None = None) -> ToolError:
    """The proxy is unreachable or blocked the request, so the request never reached the service.

    Args:
        failure: what happened.
        status: the status of the proxy's response, if known.
    """
    if status == _UNAUTHENTICATED:
        user = "The proxy requires credentials. Set them, then try again."
        message = "The proxy rejected the credentials."
        return m.error_of(failure, m.AUTHENTICATION, message=message, http_status=status, user_message=user)
    user = "The proxy cannot be reached or refuses the connection: check its address."
    message = "The proxy blocks the request."
    return m.error_of(failure, m.UNREACHABLE, message=message, fatal=True, http_status=None, user_message=user)


def bad_url(failure: Failure, url: object = None) -> ToolError:
    """An invalid URL; if the call named a different one, a redirect led to it.

    Args:
        failure: what happened.
        url: the invalid URL, if known.
    """
    shown = str(url)[:200] if url else ""
    texts = (text for text in (failure.arguments or {}).values() if isinstance(text, str))
    named = [text for text in texts if "://" in text]
    if "://" in shown and named and not any(shown in text or text in shown for text in named):
        return redirected(failure, "The service redirects to an unusable address.")
    place = f": {shown}" if shown and not any(map(str.isspace, shown)) else ""  # text with spaces may be prose
    message = f"The address is not a valid URL{place}. It needs a scheme, such as https://, and a host."
    return m.error_of(failure, m.ARGUMENT, message=message, http_status=None)


def bad_header(failure: Failure) -> ToolError:
    """A header that cannot be sent, such as one with a line break: nothing was sent."""
    return m.error_of(failure, m.ARGUMENT, message="A request header contains invalid characters.")


def redirected(failure: Failure, message: str = "The service redirects too many times.") -> ToolError:
    """A redirect that cannot be followed; earlier requests were sent.

    Args:
        failure: what happened.
        message: our message.
    """
    return m.error_of(failure, m.FAILED, message=message, effect="possible", http_status=None)


def unreadable(failure: Failure, message: str = "The response cannot be decoded.") -> ToolError:
    """A response whose content does not match its headers.

    Args:
        failure: what happened.
        message: our message.
    """
    return m.error_of(failure, m.FAILED, message=message, effect="possible")


def misuse(failure: Failure) -> ToolError:
    """A bug in the tool: a closed client, or a response that is read twice."""
    return m.error_of(failure, m.FAILED, message="The tool uses its HTTP client incorrectly.")
