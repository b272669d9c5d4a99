"""Why a server cannot be used, and how a person can fix it."""

from __future__ import annotations

from pathlib import Path, PurePath
from urllib.parse import urlsplit

import attrs
import httpx2

from mulligan_proxy.failures import ConnectionEndedError
from mulligan_proxy.log_text import one_line
from mulligan_proxy.negotiation import reason_of
from mulligan_proxy.specs import ServerSpec
from mulligan_proxy.transports import InvalidAddressError, InvalidHeaderError

_INSTALL = {
    "npx": "Node.js (https://nodejs.org)",
    "node": "Node.js (https://nodejs.org)",
    "uvx": "uv (https://docs.astral.sh/uv)",
    "uv": "uv (https://docs.astral.sh/uv)",
    "docker": "Docker (https://docs.docker.com/get-started/get-docker)",
    "bunx": "Bun (https://bun.com)",
    "deno": "Deno (https://deno.com)",
}
_TERMINAL = "To see more, run its command in a terminal."


@attrs.frozen
class Diagnosis:
    """What is wrong with a server.

    Attributes:
        name: the server's name in the configuration.
        reason: what is wrong, in our own words, without a final period.
        cure: how a person can fix it, as sentences.
        detail: the server's own message, or an empty text. It is for people only; a model never reads it.
    """

    name: str
    reason: str
    cure: str
    detail: str = ""

    def __str__(self) -> str:
        said = f": {self.detail}" if self.detail else ""
        return f"The MCP server {self.name!r} cannot be used: {self.reason}{said}. {self.cure}"

    def without_detail(self) -> Diagnosis:
        """The same in our own words only."""
        return attrs.evolve(self, detail="")


def diagnose(spec: ServerSpec, error: BaseException, last_words: str = "", status: int | None = None) -> Diagnosis:
    """What is wrong with a server that did not start.

    Args:
        spec: the server.
        error: the exception of the attempt.
        last_words: the end of what its program wrote to stderr.
        status: the last HTTP status of a remote server.
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if spec.kind != "stdio":
        return _of_address(spec, error, status)
    return _of_program(spec, error, one_line(last_words).rstrip("."))


def misconfigured(spec: ServerSpec) -> Diagnosis:
    """What is wrong with a server whose entry is invalid.

    Args:
        spec: the server.
    """
    return Diagnosis(spec.name, spec.problem, f"Correct the entry {spec.name!r} of your configuration.")


def _of_program(spec: ServerSpec, error: BaseException, last_words: str) -> Diagnosis:
    program = spec.command[0]
    entry = f"the entry {spec.name!r} of your configuration"
    if isinstance(error, OSError) and not isinstance(error, TimeoutError):
        if spec.cwd is not None and not Path(spec.cwd).is_dir():
            return Diagnosis(spec.name, f"its folder {spec.cwd} does not exist", f'Correct "cwd" in {entry}.')
        if isinstance(error, FileNotFoundError):
            return Diagnosis(spec.name, f"the program {program} was not found", _cure_of_missing(program, entry))
        reason = f"the program {program} cannot be run ({error.strerror})"
        return Diagnosis(spec.name, reason, f'Correct "command" in {entry}.')
    if type(error) is ValueError:  # such as a character that no command can contain
        return Diagnosis(spec.name, f"the program {program} cannot be run ({error})", f"Correct {entry}.")
    if isinstance(error, ConnectionEndedError):
        return Diagnosis(spec.name, "its program ended at its start", f"Correct {entry}. {_TERMINAL}", last_words)
    if isinstance(error, TimeoutError):
        reason = "it did not answer in time"
        return Diagnosis(spec.name, reason, f"Check that {entry} starts an MCP server. {_TERMINAL}", last_words)
    detail = one_line(reason_of(error)).rstrip(".")
    reason = "it does not answer as an MCP server does"
    return Diagnosis(spec.name, reason, f"Check that {entry} starts an MCP server. {_TERMINAL}", detail)


def _cure_of_missing(program: str, entry: str) -> str:
    words = program.split()
    if len(words) > 1 and not Path(program).parent.is_dir():
        return f'In {entry}, "command" is the program alone, "{words[0]}"; the words after it go into "args".'
    if program.startswith(("~", "$")):
        return f'Give its full path as "command" in {entry}: no shell fills in {program.partition("/")[0]!r}.'
    name = PurePath(program).name.removesuffix(".exe").removesuffix(".cmd")
    if PurePath(program).name != program:
        return f'Correct "command" in {entry}.'
    install = f"Install {_INSTALL[name]}" if name in _INSTALL else "Install it"
    return f'{install}, or give its full path as "command" in {entry}: a client may not search the PATH of your shell.'


def _of_address(spec: ServerSpec, error: BaseException, status: int | None) -> Diagnosis:
    place = f'"url" of {spec.name!r} in your configuration'
    if isinstance(error, InvalidAddressError):
        reason = f"{spec.url!r} is not the address of a web server"
        return Diagnosis(spec.name, reason, f"Correct {place}: it begins with http:// or https://.")
    url = _without_secrets(spec.url)
    if isinstance(error, InvalidHeaderError):
        reason = f"the header {str(error)!r} holds characters that no header can hold"
        return Diagnosis(spec.name, reason, f'Correct "headers" of {spec.name!r} in your configuration.')
    if isinstance(error, httpx2.HTTPStatusError):
        status = error.response.status_code
    if status in (401, 403):
        reason = f"{url} refuses the credentials (HTTP {status})"
        return Diagnosis(spec.name, reason, f'Correct "headers" of {spec.name!r} in your configuration.')
    if status is not None and status >= 500:
        return Diagnosis(spec.name, f"{url} fails (HTTP {status})", f"Check that server, or correct {place}.")
    if status is not None and status >= 400:
        reason = f"{url} is not the address of an MCP server (HTTP {status})"
        return Diagnosis(spec.name, reason, f"Correct {place}; many end in /mcp.")
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return Diagnosis(spec.name, f"nothing answers at {url}", f"Start that server, or correct {place}.")
    detail = one_line(reason_of(error)).rstrip(".")
    reason = f"{url} does not answer as an MCP server does"
    return Diagnosis(spec.name, reason, f"Check {place}; it must be the address of an MCP server.", detail)


def _without_secrets(url: str) -> str:
    """The address without user, password, query and fragment, which may hold secrets."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
