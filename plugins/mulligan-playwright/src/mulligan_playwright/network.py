"""Navigation and requests: the error codes of Chromium, Firefox and Node.js, and WebKit's messages."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Codes,
    Failure,
    Rules,
    ToolError,
    ToolExecutionError,
    ToolTimeoutError,
    meanings,
    status_error,
)
from mulligan_playwright.message import ERROR, TIMEOUT, argument_error, full_message, message_without_log

rules = Rules("playwright")
last = Rules("playwright", last=True)
_CODE = r"\bnet::ERR_(\w+)|\b(NS_(?:ERROR|BINDING)_\w+|(?:SSL|SEC|MOZILLA_PKIX)_ERROR_\w+|E[A-Z]{4,12}|EAI_[A-Z]+)\b"
_ADDRESS = r"\bERR_\w+ at (\S{1,2000})|navigating to \"([^\"]{1,2000})\"|→ [A-Z]+ (\S{1,2000})"
_ANSWERED = "← "
_STATUS = r"^(?:\w+\.\w+: )?(?:WebSocket error: \S+ )?([45]\d\d) [A-Z]"
_BLOCKED = meanings.PERMISSION._replace(fatal=False)
_REDIRECTS = meanings.FAILED._replace(message="The address redirects in a loop")
_STOPPED = meanings.FAILED._replace(
    message="The browser stopped loading the address. It may be a download, or the page navigated away"
)
_UNREADABLE = meanings.FAILED._replace(message="The server's response could not be read as a page")
# Chromium's: https://source.chromium.org/chromium/chromium/src/+/main:net/base/net_error_list.h
codes = Codes(
    {
        meanings.UNREACHABLE: """
            NAME_NOT_RESOLVED NAME_RESOLUTION_FAILED ICANN_NAME_COLLISION CONNECTION_REFUSED CONNECTION_FAILED
            ADDRESS_UNREACHABLE ADDRESS_INVALID INTERNET_DISCONNECTED PROXY_CONNECTION_FAILED
            TUNNEL_CONNECTION_FAILED SOCKS_CONNECTION_FAILED SOCKS_CONNECTION_HOST_UNREACHABLE NETWORK_ACCESS_DENIED
            HOST_RESOLVER_QUEUE_TOO_LARGE NS_ERROR_UNKNOWN_HOST NS_ERROR_CONNECTION_REFUSED
            NS_ERROR_UNKNOWN_PROXY_HOST NS_ERROR_OFFLINE NS_ERROR_PROXY_CONNECTION_REFUSED ECONNREFUSED ENOTFOUND
            EAI_AGAIN EHOSTUNREACH ENETUNREACH
        """,
        meanings.DROPPED: """
            CONNECTION_RESET CONNECTION_CLOSED CONNECTION_ABORTED EMPTY_RESPONSE CONTENT_LENGTH_MISMATCH
            NETWORK_CHANGED INCOMPLETE_CHUNKED_ENCODING NETWORK_IO_SUSPENDED SOCKET_NOT_CONNECTED
            HTTP2_PROTOCOL_ERROR HTTP2_PING_FAILED HTTP2_SERVER_REFUSED_STREAM QUIC_PROTOCOL_ERROR NS_ERROR_NET_RESET
            NS_ERROR_NET_INTERRUPT NS_ERROR_NET_EMPTY_RESPONSE NS_ERROR_NET_PARTIAL_TRANSFER ECONNRESET ECONNABORTED
            EPIPE
        """,
        meanings.NOT_SENT: "CONNECTION_TIMED_OUT",
        meanings.TIMEOUT: "TIMED_OUT NS_ERROR_NET_TIMEOUT NS_ERROR_NET_TIMEOUT_EXTERNAL ETIMEDOUT",
        meanings.TLS: "EPROTO BAD_SSL_CLIENT_AUTH_CERT NS_ERROR_NET_INADEQUATE_SECURITY",
        meanings.AUTHENTICATION: """
            INVALID_AUTH_CREDENTIALS MISSING_AUTH_CREDENTIALS UNSUPPORTED_AUTH_SCHEME PROXY_AUTH_REQUESTED
            PROXY_AUTH_UNSUPPORTED SSL_CLIENT_AUTH_CERT_NEEDED NS_ERROR_PROXY_AUTHENTICATION_FAILED
        """,
        _BLOCKED: """
            ACCESS_DENIED BLOCKED_BY_ADMINISTRATOR BLOCKED_BY_CLIENT BLOCKED_BY_RESPONSE BLOCKED_BY_CSP
            BLOCKED_BY_ORB NS_ERROR_FILE_ACCESS_DENIED NS_ERROR_CONTENT_BLOCKED
        """,
        meanings.NOT_FOUND: "FILE_NOT_FOUND NS_ERROR_FILE_NOT_FOUND",
        meanings.ARGUMENT: """
            INVALID_URL UNKNOWN_URL_SCHEME DISALLOWED_URL_SCHEME UNSAFE_PORT NS_ERROR_MALFORMED_URI
            NS_ERROR_DOM_BAD_URI NS_ERROR_UNKNOWN_PROTOCOL NS_ERROR_PORT_ACCESS_NOT_ALLOWED
        """,
        meanings.UNAVAILABLE: "INSUFFICIENT_RESOURCES OUT_OF_MEMORY",
        _REDIRECTS: "TOO_MANY_REDIRECTS NS_ERROR_REDIRECT_LOOP",
        _STOPPED: "ABORTED NS_BINDING_ABORTED NS_ERROR_ABORT",
        _UNREADABLE: "FAILED INVALID_RESPONSE INVALID_HTTP_RESPONSE RESPONSE_HEADERS_TRUNCATED HTTP_RESPONSE_CODE_FAILURE",
    },
    words=[(meanings.TLS, "^(SSL|CERT|SEC_ERROR|MOZILLA_PKIX_ERROR)_")],
)
_WORDS: tuple[tuple[str, meanings.Meaning], ...] = (
    ("Could not connect", meanings.UNREACHABLE),
    ("Error resolving ", meanings.UNREACHABLE),
    ("TLS handshake", meanings.TLS),
    ("TLS certificate", meanings.TLS),
    ("self-signed certificate", meanings.TLS),
    ("self signed certificate", meanings.TLS),
    ("socket hang up", meanings.DROPPED),
    ("WebSocket was closed", meanings.DROPPED),
    ("Cannot navigate to invalid URL", meanings.ARGUMENT),
    ("Invalid URL", meanings.ARGUMENT),
    ("Max redirect count exceeded", _REDIRECTS),
    ("Download is starting", meanings.FAILED._replace(message="The address is a download, not a page")),
)


@rules(ERROR)
def answered(failure: Failure) -> ToolError | None:
    """An HTTP status on which a request was configured to fail."""
    match = re.match(_STATUS, message_without_log(failure))
    return status_error(failure, int(match[1]), resource=_address(failure)) if match else None


@rules(ERROR)
def network(failure: Failure) -> ToolError | None:
    """A code of the browser or Node.js, or WebKit's message, for a URL that could not be loaded."""
    text = message_without_log(failure)
    meaning = _by_code(text) or next((meaning for words, meaning in _WORDS if words in text), None)
    if meaning is meanings.ARGUMENT:
        return argument_error(failure, "the browser cannot open this address", "an absolute URL", _address(failure))
    if meaning is None:
        return None
    if _ANSWERED in full_message(failure):
        meaning = meaning._replace(effect="possible")  # an earlier URL received the request and redirected it
    return meanings.error_of(failure, meaning, service="the website", resource=_address(failure))


def _by_code(text: str) -> meanings.Meaning | None:
    match = re.search(_CODE, text)
    code = (match[1] or match[2]) if match else ""
    return codes.meaning_of(code)


def _address(failure: Failure) -> str | None:
    match = re.search(_ADDRESS, full_message(failure))
    return next(filter(None, match.groups()), None) if match else None


@rules(TIMEOUT)
def navigation_timeout(failure: Failure) -> ToolError:
    """A page, request or event that did not arrive in time."""
    address = _address(failure)
    if address is not None:
        return ToolTimeoutError("The address was not loaded in time.", resource=address)
    waits = re.search(r"waiting for event \"(\w{1,40})\"", full_message(failure))
    if waits is not None:
        return ToolTimeoutError(f"The event {waits[1]} did not occur in time.")
    if failure.text.startswith("BrowserType."):
        what = "did not start" if failure.text.startswith("BrowserType.launch") else "could not be reached"
        return ToolTimeoutError(f"The browser {what} in time.", effect="none")
    reads = re.match(r"\w+\.wait_for_(?:function|url|load_state|timeout)", failure.text)
    return ToolTimeoutError("The browser timed out while waiting.", effect="none" if reads else "possible")


@last(ERROR)
def other(_: Failure) -> ToolError:
    """Any other exception of Playwright itself."""
    return ToolExecutionError("The browser action failed.")
