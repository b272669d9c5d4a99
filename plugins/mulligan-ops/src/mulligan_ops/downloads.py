"""curl and wget: by their documented exit codes (https://everything.curl.dev/cmdline/exitcode.html, wget's manual)."""

from __future__ import annotations

import re

from mulligan.plugin import Codes, Failure, ToolError, ToolExecutionError, meanings, status_error
from mulligan_ops.lines import LOCAL_PERMISSION, USAGE, Lines, classify_text

_UNREADABLE = meanings.FAILED._replace(message="The server's response could not be read")
_UNWRITTEN = meanings.FAILED._replace(message="The download could not be written")
curl_codes = Codes(
    {
        USAGE: (1, 2, 3, 48),
        meanings.ARGUMENT: (33, 34, 45),
        meanings.UNREACHABLE: (5, 6, 7, 96, 97),
        meanings.CONNECTION: 79,
        meanings.TLS: (35, 51, 53, 54, 59, 60, 64, 66, 77, 82, 83, 90, 91),
        meanings.TIMEOUT: 28,
        meanings.DROPPED: (16, 18, 52, 55, 56, 80, 92, 95),
        meanings.AUTHENTICATION: (58, 67, 94, 98),
        meanings.PERMISSION._replace(fatal=False): (9, 69),
        meanings.NOT_FOUND: (19, 26, 37, 68, 78),
        meanings.DISK_FULL: 70,
        meanings.EXISTS: 73,
        meanings.TOO_LARGE: 63,
        meanings.UNIMPLEMENTED: 4,
        meanings.FAILED._replace(message="The address redirects in a loop"): 47,
        _UNREADABLE: (8, 61),
    }
)
wget_codes = Codes({USAGE: 2, meanings.CONNECTION: 4, meanings.TLS: 5, meanings.AUTHENTICATION: 6})
_PAGE_NOT_RETRIEVED, _WRITE_ERROR = 22, 23
_PROXY_ANSWERED = r"(?:CONNECT tunnel failed, response|Received HTTP code) (\d{3})"
_PROXY = meanings.UNREACHABLE._replace(message="The service does not connect to the address")
_WRITING: Lines = (
    (r"No space left on device", meanings.DISK_FULL),
    (r"Failed to open the file (\S+): Permission denied|(\S+): Permission denied", LOCAL_PERMISSION),
    (r"Failed to open the file (\S+): No such file", meanings.NOT_FOUND),
)
_NAMED = (
    r"(?:Could not resolve (?:host|proxy): |Failed to connect to |Couldn't open file |Can't open '?)([^\s']{1,300})"
)
_NOT_CONNECTED = r"Failed to connect|(?:Connection|Resolving|SSL connection) time"
_FOLLOWED = r"\s(?:-\w*L|--location|--retry)"  # requests before the one that failed may have been sent
_WGET_NETWORK: Lines = (
    (r"Read error .*timed out|\(.*\): timed out", meanings.TIMEOUT),
    (r"Read error|Write error|No data received|closed at byte|HTTP request sent", meanings.DROPPED),
    (r"failed: (?:Connection|Operation) timed out|connect: .*timed out", meanings.NOT_SENT),
    (
        r"unable to resolve host address .(\S+?).$|failed: (?:Connection refused|.*unreachable|No route)",
        meanings.UNREACHABLE,
    ),
)


def curl(failure: Failure, code: int | None, text: str, line: str, address: str | None) -> ToolError | None:
    """The error for curl's exit code. With `--fail`, its output contains the HTTP status.

    Args:
        failure: what happened.
        code: the exit code.
        text: what it wrote.
        line: the command.
        address: the URL that it was given.
    """
    if code == _PAGE_NOT_RETRIEVED:
        match = re.search(r"returned error: (\d{3})", text)
        return _classify_status(failure, match[1] if match else None, "curl", address)
    if code == _WRITE_ERROR:
        return classify_text(failure, text, _WRITING, "curl") or meanings.error_of(failure, _UNWRITTEN, provider="curl")
    proxy = re.search(_PROXY_ANSWERED, text)
    if proxy is not None:
        meaning = meanings.AUTHENTICATION if proxy[1] == "407" else _PROXY
        return meanings.error_of(failure, meaning, service="the proxy", resource=None, effect="none", provider="curl")
    meaning = _UNREADABLE if "HTTP/0.9" in text else curl_codes.meaning_of(code)
    if meaning is None:
        return None
    if meaning is meanings.TIMEOUT and re.search(_NOT_CONNECTED, text):
        meaning = meanings.NOT_SENT
    if re.search(_FOLLOWED, line):
        meaning = meaning._replace(effect="possible")
    match = re.search(_NAMED, text)
    named = match[1] if match else None if meaning is meanings.NOT_FOUND else address  # the missing file is a local one
    return meanings.error_of(failure, meaning, resource=named, provider="curl")


def wget(failure: Failure, code: int | None, text: str, address: str | None) -> ToolError | None:
    """The error for wget's exit code.

    Args:
        failure: what happened.
        code: the exit code.
        text: what it wrote.
        address: the URL that it was given.
    """
    match = re.search(r"ERROR (\d{3})", text)
    if match is not None:
        return _classify_status(failure, match[1], "wget", address)
    written = classify_text(
        failure, text, ((r"(\S+): No such file or directory", meanings.NOT_FOUND), *_WRITING), "wget"
    )
    if written is not None:
        return written
    meaning = wget_codes.meaning_of(code)
    if meaning is meanings.CONNECTION:
        written = classify_text(failure, text, _WGET_NETWORK, "wget")
    return (
        written
        if written is not None or meaning is None
        else meanings.error_of(failure, meaning, resource=address, provider="wget")
    )


def _classify_status(failure: Failure, status: str | None, provider: str, address: str | None) -> ToolError:
    """The error for the server's response; a silent curl does not report the status."""
    if status is None:
        return ToolExecutionError("The server returned an HTTP error.", provider=provider, resource=address)
    return status_error(failure, int(status), provider=provider, resource=address)
