"""The docker command: the response of the daemon or registry, or how the program in the container ended."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, ToolError, ToolExecutionError, meanings
from mulligan_ops.docker import SERVICE, denied, phrase_error
from mulligan_ops.lines import USAGE, Lines, classify_text

_NO_DAEMON = meanings.UNREACHABLE._replace(message="The Docker daemon cannot be reached")
_STEP_FAILED = meanings.FAILED._replace(message="The image could not be built: a step of its build failed")
_USAGE = r"is not a docker command|unknown (?:shorthand )?flag|unknown command: "
_COMMAND: Lines = (
    (r"Cannot connect to the Docker daemon|error during connect|failed to connect to the docker API", _NO_DAEMON),
    (_USAGE, USAGE),
    (r"requires (?:at least|exactly|at most) \d|must specify at least one|invalid argument", meanings.ARGUMENT),
    (r"context \"([^\"]+)\": context not found", meanings.NOT_FOUND),
    (
        r"failed to resolve source metadata for (\S+): .*not found|failed to solve: .*\"(/[^\"]+)\": not found",
        meanings.NOT_FOUND,
    ),
    (r"failed to solve: process .* did not complete successfully", _STEP_FAILED),
    (r"refers to undefined \w+ (\S+?):|invalid compose project|^yaml: |additional propert", meanings.ARGUMENT),
    (r"open (\S+): no such file or directory|path \"?([^\"\s]+)\"? not found", meanings.NOT_FOUND),
    (r"no configuration file provided|no such service: (\S+)", meanings.NOT_FOUND),
)


_OWN_CODES = (125, 126, 127)
_OWN_WORDS = (
    r"Error response from daemon|^Error: No such|^docker: |the Docker daemon|failed to connect to the docker API"
)


def docker(failure: Failure, code: int | None, text: str, line: str) -> ToolError | None:
    """The error for the output of the `docker` command, unless the program in the container wrote it.

    Args:
        failure: what happened.
        code: the exit code; below 125, `run` and `exec` return that of the program.
        text: what it wrote.
        line: the command.
    """
    if "permission denied while trying to connect" in text:
        return denied()
    is_own = code in _OWN_CODES or re.search(_OWN_WORDS, text, re.MULTILINE)
    if re.search(r"\b(?:run|exec|start)\b", line) and not is_own and not re.search(_USAGE, text):
        return ToolExecutionError(f"The program in the container exited with code {code}.", provider="docker")
    error = phrase_error(failure, text) or classify_text(failure, text, _COMMAND, "docker", SERVICE)
    if error is not None and "compose" in line:
        error.effect = "possible"  # some of its services may have been started
    return error
