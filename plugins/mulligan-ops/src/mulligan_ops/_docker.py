"""Docker: the daemon's answers, by HTTP status and its fixed phrases; the command line writes the same phrases."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Failure,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    meanings,
    status_error,
)
from mulligan_ops._lines import USAGE, Lines, classify_text
from mulligan_ops._tracing import HTTP, classify_transport

rules = Rules("docker")
_UNSEEN = "Resource not found: {}. It may also be private or require a login."
_SWARM = meanings.CONFLICT._replace(message="This node is not part of a swarm, or not its manager")
REGISTRY: Lines = (
    (r"toomanyrequests|reached your (?:unauthenticated )?pull rate limit", meanings.RATE_LIMIT),
    (r"no space left on device", meanings.DISK_FULL),
    (r"unauthorized: |no basic auth credentials|incorrect username or password", meanings.AUTHENTICATION),
    (r"lookup (\S+)(?: on \S+)?: (?:no such host|server misbehaving|i/o timeout)", meanings.UNREACHABLE),
    (r"dial tcp \S+: connect: (?:connection refused|no route to host|network is unreachable)", meanings.UNREACHABLE),
    (r"x509: |certificate signed by unknown authority", meanings.TLS),
    (r"net/http: TLS handshake timeout|dial tcp \S+: i/o timeout", meanings.NOT_SENT),
    (r"(?:context deadline exceeded|Client\.Timeout exceeded)", meanings.TIMEOUT),
    (r"connection reset by peer|unexpected EOF", meanings.DROPPED),
)
DAEMON: Lines = (
    (r"pull access denied for ([^\s,]+)|repository (\S+) not found", meanings.NOT_FOUND),
    (r"No such (?:container|image|exec instance|object|config|secret|service|node): (\S+)", meanings.NOT_FOUND),
    (r"(?:manifest for|reference) (\S+) not found|manifest unknown", meanings.NOT_FOUND),
    (r"(?:network|secret|config|service|node|plugin|container) \"?([^\s\"]+)\"? not found", meanings.NOT_FOUND),
    (r"get (\S+): no such volume", meanings.NOT_FOUND),
    (r"Could not find the file (\S+) in container|bind source path does not exist: (\S+)", meanings.NOT_FOUND),
    (r"exec: \"?([^\s\"]+)\"?: (?:executable file not found|stat .*no such file)", meanings.NOT_FOUND),
    (r"name \"?/?([^\s\"]+)\"? is already in use|network with name (\S+) already exists", meanings.EXISTS),
    (r"port is already allocated|address already in use", meanings.CONFLICT),
    (
        r"(?:is not running|is already paused|is not paused|is restarting|is in use|has active endpoints)",
        meanings.CONFLICT,
    ),
    (r"You cannot remove a (?:running|paused) container|unable to (?:delete|remove)", meanings.CONFLICT),
    (r"This node is (?:not|already) (?:a swarm manager|part of a swarm)", _SWARM),
    (r"invalid reference format|repository name must be lowercase|Invalid container name \((\S+)\)", meanings.ARGUMENT),
)


def denied(message: str) -> ToolError:
    """The daemon's socket, which only its group may use.

    Args:
        message: our words for it.
    """
    user = "The account has no access to the Docker daemon. Add it to the group `docker`."
    return ToolPermissionError(message, provider="docker", user_message=user)


@rules("docker.errors.ContainerError")
def container(failure: Failure) -> ToolError:
    """The container's own program ended with an error; Docker itself worked."""
    code = failure.look("exit_status")
    ended = f" with exit code {code}" if isinstance(code, int) else ""
    return ToolExecutionError(f"The program in the container exited{ended}.", effect="possible")


@rules("docker.errors.APIError")
def api(failure: Failure) -> ToolError | None:
    """The daemon's answer, by its explanation and its status."""
    told, status = failure.look("explanation"), failure.look("status_code")
    text = told.decode(errors="replace") if isinstance(told, bytes) else told if isinstance(told, str) else ""
    return _answer(failure, text, status if isinstance(status, int) else None)


@rules("aiodocker.DockerError")
def async_api(failure: Failure) -> ToolError | None:
    """aiodocker: the daemon's answer; what it noticed in a stream, or by itself, has no status."""
    status, text = failure.look("status"), failure.look("message")
    if failure.matches("aiodocker.exceptions.DockerContextError"):
        return ToolExecutionError("The Docker client is misconfigured.", effect="none")
    if failure.matches("aiodocker.DockerContainerError") and not status:
        return ToolExecutionError("The program in the container failed.")
    known = isinstance(status, int) and status >= 400
    before = failure.look("__context__")
    if failure.says("Cannot connect to Docker Engine") and isinstance(before, BaseException):
        return _classify_connection(failure.about(before))
    error = _answer(failure, text if isinstance(text, str) else "", status if known else None)
    if error is not None and not known:
        error.effect = "possible"
    return error


def _answer(failure: Failure, text: str, status: int | None) -> ToolError | None:
    error = classify_text(failure, text, (*REGISTRY, *DAEMON), "docker")
    if error is None:
        return status_error(failure, status) if status else None
    error.http_status = status
    if "pull access denied" in text and error.resource:
        return ResourceNotFoundError(_UNSEEN.format(error.resource), resource=error.resource, http_status=status)
    return error


@rules(*HTTP)
def transport(failure: Failure) -> ToolError | None:
    """What the HTTP client met on the way to the daemon; the clients let it through, as the traceback tells."""
    return None if failure.came_through("docker", "aiodocker") is None else _classify_connection(failure)


def _classify_connection(failure: Failure) -> ToolError:
    if failure.met("PermissionError") or failure.says("PermissionError"):
        return denied("This account has no access to the Docker daemon's socket.")
    error = classify_transport(failure)
    if error.effect == "none" and isinstance(error, ToolConnectionError):
        error.user_message = "The Docker daemon is not running, or its address is wrong. Start it."
    return error


@rules("docker.errors.StreamParseError", "docker.utils.socket.SocketError")
def stream(failure: Failure) -> ToolError:
    """The daemon's stream of output ended early or cannot be read."""
    return meanings.error_of(failure, meanings.DROPPED)


@rules("docker.errors.DockerException")
def client(failure: Failure) -> ToolError | None:
    """What the client noticed by itself: no daemon, a wrong argument, a context that is not there."""
    if failure.says("Error while fetching server API version"):
        return _classify_connection(failure)
    for names, cls, message in _CLASSES:
        if failure.matches(*(f"docker.errors.{name}" for name in names)):
            return cls(message)
    if failure.matches("docker.errors.ContextNotFound"):
        name = failure.look("name")
        return ResourceNotFoundError(f"Resource not found: {name}", resource=name if isinstance(name, str) else None)
    return None


_CLASSES: tuple[tuple[tuple[str, ...], type[ToolError], str], ...] = (
    (
        ("InvalidArgument", "InvalidRepository", "NullResource", "MissingContextParameter"),
        ToolArgumentError,
        "The Docker client rejected an argument.",
    ),
    (("ContextAlreadyExists",), ResourceConflictError, "The context already exists."),
    (
        ("InvalidVersion", "DeprecatedMethod", "TLSParameterError", "InvalidConfigFile"),
        ToolExecutionError,
        "The Docker client is misconfigured.",
    ),
    (("BuildError",), ToolExecutionError, "The image could not be built: see its build log."),
    (("ImageLoadError",), ToolExecutionError, "The image could not be loaded."),
)


@rules("docker.credentials.errors.CredentialsNotFound", "docker.credentials.errors.StoreError")
def credentials(failure: Failure) -> ToolError:
    """The store of credentials has none, or does not work."""
    return ToolAuthenticationError("Docker's credential store returned no credentials.")


_NO_DAEMON = meanings.UNREACHABLE._replace(message="The Docker daemon cannot be reached")
_USAGE = r"is not a docker command|unknown (?:shorthand )?flag|unknown command: "
_COMMAND: Lines = (
    (r"Cannot connect to the Docker daemon|error during connect|failed to connect to the docker API", _NO_DAEMON),
    (_USAGE, USAGE),
    (r"requires (?:at least|exactly|at most) \d|must specify at least one|invalid argument", meanings.ARGUMENT),
    (r"context \"([^\"]+)\": context not found", meanings.NOT_FOUND),
    (r"open (\S+): no such file or directory|path \"?([^\"\s]+)\"? not found", meanings.NOT_FOUND),
    (r"no configuration file provided|no such service: (\S+)", meanings.NOT_FOUND),
)


_OWN_CODES = (125, 126, 127)
_OWN_WORDS = (
    r"Error response from daemon|^Error: No such|^docker: |the Docker daemon|failed to connect to the docker API"
)


def docker(failure: Failure, code: int | None, text: str, line: str) -> ToolError | None:
    """What the command `docker` wrote, unless the program in the container wrote it.

    Args:
        failure: what happened.
        code: the exit code; below 125, `run` and `exec` hand on that of the program.
        text: what it wrote.
        line: the command.
    """
    if "permission denied while trying to connect" in text:
        return denied("This account has no access to the Docker daemon's socket.")
    is_own = code in _OWN_CODES or re.search(_OWN_WORDS, text, re.MULTILINE)
    if re.search(r"\b(?:run|exec|start)\b", line) and not is_own and not re.search(_USAGE, text):
        return ToolExecutionError(f"The program in the container exited with code {code}.", provider="docker")
    error = classify_text(failure, text, (*REGISTRY, *DAEMON, *_COMMAND), "docker")
    if error is not None and "compose" in line:
        error.effect = "possible"  # some of its services may have been started
    return error
