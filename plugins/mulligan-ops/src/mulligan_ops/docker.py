"""Docker, through docker and aiodocker: the daemon's responses, by their fixed phrases and the HTTP status."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Failure,
    Rules,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    meanings,
    status_error,
    transport_error,
)
from mulligan_ops.lines import Lines, classify_text

rules = Rules("docker")
last = Rules("docker", last=True)
SERVICE = "Docker"
_REGISTRY = "the registry"

UNSEEN = meanings.NOT_FOUND._replace(message="It may also be private or require a login")
PUSH_DENIED = meanings.PERMISSION._replace(message="The registry does not allow this to the account that is logged in")
SWARM = meanings.CONFLICT._replace(message="This node is no manager of a swarm, or is already part of one")
SOCKET = "This account has no access to the socket of the Docker daemon"
ARGUMENT = meanings.ARGUMENT._replace(message="The Docker client rejected an argument")
MISCONFIGURED = meanings.FAILED._replace(message="The Docker client is misconfigured", effect="none")
NO_CREDENTIALS = meanings.AUTHENTICATION._replace(message="Docker's credential store returned no credentials")

REGISTRY: Lines = (
    (r"toomanyrequests|reached your (?:unauthenticated )?pull rate limit", meanings.RATE_LIMIT),
    (r"no space left on device", meanings.DISK_FULL),
    (r"pull access denied for ([^\s,]+)|repository ([^\s,]+) not found", UNSEEN),
    (r"push access denied|\bdenied: (?:requested access|permission)|insufficient_scope|: denied$", PUSH_DENIED),
    (r"unauthorized(?:: |$)|no basic auth credentials|incorrect username or password", meanings.AUTHENTICATION),
    (r"lookup (\S+)(?: on \S+)?: (?:no such host|server misbehaving|i/o timeout)", meanings.UNREACHABLE),
    (r"dial tcp \S+: connect: (?:connection refused|no route to host|network is unreachable)", meanings.UNREACHABLE),
    (r"x509: |certificate signed by unknown authority", meanings.TLS),
    (r"net/http: TLS handshake timeout|dial tcp \S+: i/o timeout", meanings.NOT_SENT),
    (r"context deadline exceeded|Client\.Timeout exceeded", meanings.TIMEOUT),
    (r"connection reset by peer|unexpected EOF", meanings.DROPPED),
)
DAEMON: Lines = (
    (r"No such (?:container|image|exec instance|object|config|secret|service|node): (\S+)", meanings.NOT_FOUND),
    (r"(?:manifest for|reference) (\S+) not found|manifest unknown|no matching manifest for", meanings.NOT_FOUND),
    (r"(?:network|secret|config|service|node|plugin|container) \"?([^\s\"]+)\"? not found", meanings.NOT_FOUND),
    (r"get (\S+): no such volume", meanings.NOT_FOUND),
    (r"Could not find the file (\S+) in container|bind source path does not exist: (\S+)", meanings.NOT_FOUND),
    (r"Cannot locate specified Dockerfile: (\S+)", meanings.NOT_FOUND),
    (r"exec: \"?([^\s\"]+)\"?: (?:executable file not found|stat .*no such file)", meanings.NOT_FOUND),
    (r"name \"?/?([^\s\"]+)\"? is already in use|network with name (\S+) already exists", meanings.EXISTS),
    (r"port is already allocated|address already in use", meanings.CONFLICT),
    (r"removal of container (\S+) is already in progress|is marked for removal", meanings.BUSY),
    (
        r"[Cc]ontainer \"?/?([^\s\"]+)\"? is (?:not running|restarting|paused|already paused|not paused)\b",
        meanings.CONFLICT,
    ),
    (r"remove (\S+): volume is in use\b|network (\S+) (?:id \S+ )?has active endpoints", meanings.CONFLICT),
    (r"unable to (?:delete|remove) (?:repository reference \"([^\"]+)\"|(\w+))", meanings.CONFLICT),
    (r"annot remove (?:a (?:running|paused) container|container) \"?/?([^\s\":]*)", meanings.CONFLICT),
    (r"This node is (?:not|already) (?:a swarm manager|part of a swarm)", SWARM),
    (r"could not select device driver", meanings.UNIMPLEMENTED),
    (r"invalid reference format|repository name must be lowercase|Invalid container name \((\S+)\)", meanings.ARGUMENT),
    (r"dockerfile parse error|conflicting options: |invalid (?:port|mount|volume) (?:spec|config)", meanings.ARGUMENT),
)
_CLASSES: tuple[tuple[meanings.Meaning, str], ...] = (
    (ARGUMENT, "InvalidArgument InvalidRepository NullResource MissingContextParameter"),
    (meanings.EXISTS._replace(message="The context already exists"), "ContextAlreadyExists"),
    (MISCONFIGURED, "InvalidVersion DeprecatedMethod TLSParameterError InvalidConfigFile ContextException"),
    (meanings.FAILED._replace(message="The image could not be built: see its build log"), "BuildError"),
    (meanings.FAILED._replace(message="The image could not be loaded"), "ImageLoadError"),
)
_OF_IMAGES = ("BuildError", "ImageLoadError")
_PROGRAM_FAILED = "returned a non-zero code"
_CONFLICT = 409
_NO_DAEMON = "The Docker daemon is not running, or its address is wrong. Start it."
_PATH = re.compile(
    r"/(?:containers|images|networks|volumes|services|nodes|secrets|configs|plugins)/(?!create|json|prune|search|load)([\w.-]+)"
)


def denied() -> ToolError:
    """Permission denied on the daemon's socket, which only its group may use."""
    user = "The account has no access to the Docker daemon. Add it to the group `docker`."
    return ToolPermissionError(f"{SOCKET}.", provider="docker", effect="none", user_message=user)


@rules("docker.errors.ContainerError")
def container(failure: Failure) -> ToolError:
    """The container's own program ended with an error; Docker itself worked."""
    code = failure.look("exit_status")
    ended = f" with exit code {code}" if isinstance(code, int) else ""
    return ToolExecutionError(f"The program in the container exited{ended}.", effect="possible")


@rules("docker.errors.APIError")
def api(failure: Failure) -> ToolError | None:
    """The daemon's response, by its explanation and its status."""
    explanation, status = failure.look("explanation"), failure.look("status_code")
    if isinstance(explanation, bytes):
        explanation = explanation.decode(errors="replace")
    text = explanation if isinstance(explanation, str) else ""
    return _answer(failure, text, status if isinstance(status, int) else None)


@rules("aiodocker.DockerError")
def async_api(failure: Failure) -> ToolError | None:
    """aiodocker: the daemon's response. Errors in a stream, or of the client itself, have no status."""
    status, text = failure.look("status"), failure.look("message")
    if failure.matches("aiodocker.exceptions.DockerContextError"):
        return meanings.error_of(failure, MISCONFIGURED, http_status=None)
    if failure.matches("aiodocker.DockerContainerError") and not status:
        return ToolExecutionError("The program in the container failed.")
    known = isinstance(status, int) and status >= 400
    before = failure.look("__context__")
    if failure.says("Cannot connect to Docker Engine"):
        if isinstance(before, BaseException):
            return _no_answer(failure.about(before))
        return meanings.error_of(failure, meanings.CONNECTION, service=SERVICE, http_status=None)
    error = _answer(failure, text if isinstance(text, str) else "", status if known else None)
    if error is not None and not known:
        error.effect = "possible"
    return error


def _answer(failure: Failure, text: str, status: int | None) -> ToolError | None:
    error = phrase_error(failure, text)
    if error is None and status == _CONFLICT:
        error = meanings.error_of(failure, meanings.CONFLICT, service=SERVICE, resource=_asked_for(failure))
    elif error is None:
        return status_error(failure, status, service=SERVICE, resource=_asked_for(failure)) if status else None
    error.http_status = status
    return error


def phrase_error(failure: Failure, text: str) -> ToolError | None:
    """The error for a message of the daemon or a registry.

    Args:
        failure: what happened.
        text: what was written.
    """
    error = classify_text(failure, text, REGISTRY, "docker", _REGISTRY)
    return error or classify_text(failure, text, DAEMON, "docker", SERVICE)


def _asked_for(failure: Failure) -> str | None:
    """The container, image or other object in the URL of the request."""
    found = _PATH.search(str(failure.look("response", "url"))[:2_000])
    return found[1] if found else None


@rules("requests.RequestException", "urllib3.exceptions.HTTPError", "aiohttp.ClientError", "TimeoutError")
def transport(failure: Failure) -> ToolError | None:
    """A connection error of the HTTP client, which the Docker clients do not wrap; the traceback identifies them."""
    return None if failure.came_through("docker", "aiodocker") is None else _no_answer(failure)


def _no_answer(failure: Failure) -> ToolError:
    if failure.met("PermissionError") or failure.says("PermissionError"):
        return denied()
    error = transport_error(failure, service=SERVICE) or status_error(failure, service=SERVICE)
    if error.effect == "none" and isinstance(error, ToolConnectionError):
        error.user_message = _NO_DAEMON
    return error


def _no_connection(failure: Failure) -> ToolError:
    """No connection, or no API version, which a client requests first: the actual request was not made."""
    error = _no_answer(failure)
    if type(error) is ToolExecutionError:
        error = meanings.error_of(failure, meanings.UNREACHABLE, service=SERVICE, user_message=_NO_DAEMON)
    error.effect, error.http_status = "none", None
    return error


@rules("docker.errors.StreamParseError", "docker.utils.socket.SocketError")
def stream(failure: Failure) -> ToolError:
    """The daemon's stream of output ended early or cannot be read."""
    return meanings.error_of(failure, meanings.DROPPED, service=SERVICE)


@rules("docker.errors.DockerException")
def client(failure: Failure) -> ToolError | None:
    """An error of the client itself: no daemon, an invalid argument, a missing context."""
    if failure.says("Error while fetching server API version"):
        return _no_connection(failure)
    if failure.matches("docker.errors.ContextNotFound"):
        name = failure.look("name")
        return meanings.error_of(failure, meanings.NOT_FOUND, resource=name if isinstance(name, str) else None)
    if failure.matches(*(f"docker.errors.{name}" for name in _OF_IMAGES)) and not failure.says(_PROGRAM_FAILED):
        error = phrase_error(failure, failure.text)
        if error is not None:
            return error
    for meaning, names in _CLASSES:
        if failure.matches(*(f"docker.errors.{name}" for name in names.split())):
            return meanings.error_of(failure, meaning)
    return None


@rules("docker.credentials.errors.StoreError")
def credentials(failure: Failure) -> ToolError:
    """The credential store is empty or does not work."""
    return meanings.error_of(failure, NO_CREDENTIALS)


@last("docker.errors.DockerException", "aiodocker.DockerError")
def docker_other(_: Failure) -> ToolError:
    """Any other exception of the clients."""
    return ToolExecutionError("The Docker client failed.")
