"""What the transport below a client met, where the client's own exception does not say it."""

from __future__ import annotations

from mulligan.plugin import Failure, ToolConnectionError, ToolError, ToolTimeoutError

_BEFORE = ("httpx.ConnectTimeout", "httpx.PoolTimeout", "urllib3.ConnectTimeoutError")
_TIMEOUT = ("httpx.TimeoutException", "urllib3.TimeoutError", "builtins.TimeoutError")
_NO_CONNECTION = ("httpx.ConnectError", "urllib3.NewConnectionError", "ssl.SSLError", "urllib3.SSLError")


def timed_out(failure: Failure) -> ToolError:
    """A timeout; its effect is none where the connection was not even made."""
    before = failure.met(*_BEFORE) and not failure.met("urllib3.NewConnectionError")
    return ToolTimeoutError("The search service did not respond in time.", effect="none" if before else "possible")


def connection_error(failure: Failure) -> ToolError:
    """No connection, which a person must mend, or one that was dropped midway, which may work again later."""
    if failure.met(*_NO_CONNECTION):
        return ToolConnectionError("The search service cannot be reached.", effect="none")
    if failure.met(*_TIMEOUT):
        return timed_out(failure)
    message = "The connection to the search service was dropped mid-request."
    return ToolConnectionError(message, fatal=False, transient=True, effect="possible")
