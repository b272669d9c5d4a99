"""npm, pip and apt: by npm's error codes and the fixed beginnings of pip's and apt's messages."""

from __future__ import annotations

import re

from mulligan.plugin import Codes, Failure, ToolError, meanings, reason_of, status_error
from mulligan_ops.git import git
from mulligan_ops.lines import LOCAL_PERMISSION, LOCKED, USAGE, Lines, classify_text

_DEPENDENCIES = meanings.CONFLICT._replace(message="The dependencies conflict")
_OUT_OF_SYNC = meanings.CONFLICT._replace(message="package.json and the lock file do not agree")
_INTERRUPTED = meanings.CONFLICT._replace(message="dpkg was interrupted. A person must run `dpkg --configure -a`")
_NOT_BUILT = meanings.FAILED._replace(message="A package could not be built")
_NOT_ROOT = meanings.PERMISSION._replace(message="This needs the rights of root", effect="none")
npm_codes = Codes(
    {
        meanings.AUTHENTICATION: "E401 ENEEDAUTH EOTP",
        meanings.PERMISSION: "E403",
        LOCAL_PERMISSION: "EACCES EPERM EROFS",
        meanings.NOT_FOUND: "E404 ETARGET ENOVERSIONS ENOENT",
        _DEPENDENCIES: "ERESOLVE EBADENGINE EBADPLATFORM EPEERINVALID",
        meanings.CONFLICT: "EPRIVATE ENOLOCK EAUDITNOLOCK",
        meanings.EXISTS: "EPUBLISHCONFLICT EEXIST",
        meanings.ARGUMENT: "EJSONPARSE EINVALIDTAGNAME EINVALIDPACKAGENAME EUNSUPPORTEDPROTOCOL",
        USAGE: "EUSAGE ENOWORKSPACES",
        meanings.DISK_FULL: "ENOSPC",
        meanings.TIMEOUT: "ETIMEDOUT ESOCKETTIMEDOUT ERR_SOCKET_TIMEOUT",
        meanings.UNREACHABLE: "ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH",
        meanings.DROPPED: "ECONNRESET ECONNABORTED EPIPE",
    },
    words=[(meanings.TLS, "CERT|UNABLE_TO_VERIFY|^ERR_(SSL|TLS)_")],
)
_CODE = r"^npm (?:ERR!|error) code (\w{2,50})"
_NPM_NAME = (
    r"'([^'\s]+?)(?:@[^'@\s]*)?' (?:is not in (?:this|the npm) registry|could not be found)|"
    r"open '([^']+)'|notarget .* for (\S+?)\.?$"
)
_NPM_STATES: Lines = (  # with a code that usually means something else
    (r"cannot publish over the previously published", meanings.EXISTS),
    (r"can only install packages when your package\.json and", _OUT_OF_SYNC),
)
_NPM_LINES: Lines = (
    (r"[Mm]issing script: \"?([^\"\s]+)", meanings.NOT_FOUND),
    (r"[Uu]nknown command: \"?([^\"\s]+)", USAGE),
)
_PIP: Lines = (
    (r"\[Errno 28\]|No space left on device", meanings.DISK_FULL),
    (r"[Nn]ame or service not known|Temporary failure in name resolution|nodename nor servname", meanings.UNREACHABLE),
    (r"Failed to establish a new connection|Connection refused|ProxyError", meanings.UNREACHABLE),
    (r"CERTIFICATE_VERIFY_FAILED|SSLCertVerificationError", meanings.TLS),
    (r"Read timed out|ReadTimeoutError|ConnectTimeoutError", meanings.TIMEOUT),
    (r"Connection aborted|Connection reset by peer|IncompleteRead", meanings.DROPPED),
    (r"401 Error|403 Error, Credentials not correct|^User for \S+:", meanings.AUTHENTICATION),
    (r"\[Errno 13\] Permission denied: '([^']+)'", LOCAL_PERMISSION),
    (r"externally-managed-environment", meanings.CONFLICT),
    (r"Could not open requirements file: .*?'([^']+)'|Requirements file not found: (\S+)", meanings.NOT_FOUND),
    (r"No matching distribution found for ([^\s;(]+)", meanings.NOT_FOUND),
    (r"Could not find a version that satisfies the requirement ([^\s;(]+)", meanings.NOT_FOUND),
    (r"Package\(s\) not found: (\S+)", meanings.NOT_FOUND),
    (r"Invalid requirement: '?([^'\s]+)|is not a valid (?:editable )?requirement", meanings.ARGUMENT),
    (
        r"not a supported wheel on this platform|[Nn]either 'setup\.py' nor 'pyproject\.toml' found|is not a valid wheel",
        meanings.ARGUMENT,
    ),
    (r"no such option|unknown command|at least one requirement to install|^Usage:", USAGE),
    (r"metadata-generation-failed|[Ff]ailed building wheel|ould not build wheels", _NOT_BUILT),
    (r"ResolutionImpossible|conflicting dependencies|requires a different Python", _DEPENDENCIES),
)
_PIP_STATUS = r"\b([45]\d\d) (?:while getting|(?:Client|Server) Error: .* for url:) (\S+)"
_APT_STATUS = r"Failed to fetch (\S+)\s+([45]\d\d) "
_APT: Lines = (
    (r"are you root|Could not open lock file .*Permission denied", _NOT_ROOT),
    (r"Could not get lock (\S+?)\.|Unable to (?:acquire|lock) .*lock", LOCKED),
    (r"enough free space|No space left on device", meanings.DISK_FULL),
    (r"(?:resolving|resolve) '([^']+)'", meanings.UNREACHABLE),
    (r"Connection timed out|connection timed out", meanings.NOT_SENT),
    (r"Could not connect to (\S+)|Connection (?:refused|failed)|Cannot initiate the connection", meanings.UNREACHABLE),
    (r"Certificate verification failed", meanings.TLS),
    (r"Unable to locate package (\S+)|Package '([^']+)' has no installation candidate", meanings.NOT_FOUND),
    (r"Version '[^']+' for '([^']+)' was not found|Couldn't find any package by", meanings.NOT_FOUND),
    (r"404 +Not Found|[Nn]o packages found|package '?([^'\s]+?)'? is not installed", meanings.NOT_FOUND),
    (r"dpkg was interrupted", _INTERRUPTED),
    (r"held broken packages|[Uu]nmet dependencies|dependency problems", _DEPENDENCIES),
    (r"repository '([^']+)' does not have a Release file", meanings.NOT_FOUND),
    (r"archive '([^']+)' is not a Debian format archive", meanings.ARGUMENT),
    (r"Invalid operation (\S+)|Command line option|not understood", USAGE),
    (r"Hash Sum mismatch", meanings.UNAVAILABLE),
)


def npm(failure: Failure, text: str) -> ToolError | None:
    """The error for npm's error code: its own, an HTTP status, or one of Node.js.

    Args:
        failure: what happened.
        text: what it wrote.
    """
    known = classify_text(failure, text, _NPM_STATES, "npm")
    if known is not None:
        return known
    match = re.search(_CODE, text, re.MULTILINE)
    if match is None:
        return classify_text(failure, text, _NPM_LINES, "npm")
    meaning = npm_codes.meaning_of(match[1]) or reason_of(match[1])
    status = re.fullmatch(r"E([45]\d\d)", match[1])
    if meaning is None and status is not None:
        return status_error(failure, int(status[1]), provider="npm")
    if meaning is None:
        return None
    named = re.search(_NPM_NAME, text, re.MULTILINE)
    name = next(filter(None, named.groups()), None) if named else None
    return meanings.error_of(failure, meaning, resource=name, provider="npm")


def pip(failure: Failure, text: str) -> ToolError | None:
    """The error for pip's output. Network errors come first, since pip also reports "no version was found" for them.

    Args:
        failure: what happened.
        text: what it wrote.
    """
    match = re.search(_PIP_STATUS, text)
    if match is not None:
        return status_error(failure, int(match[1]), provider="pip", resource=match[2])
    return classify_text(failure, text, _PIP, "pip") or (git(failure, text) if "git clone" in text else None)


def apt(failure: Failure, text: str) -> ToolError | None:
    """The error for the output of apt or dpkg.

    Args:
        failure: what happened.
        text: what it wrote.
    """
    match = re.search(_APT_STATUS, text)
    if match is not None:
        return status_error(failure, int(match[2]), provider="apt", resource=match[1])
    return classify_text(failure, text, _APT, "apt")
