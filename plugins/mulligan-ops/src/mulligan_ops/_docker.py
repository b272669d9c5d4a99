"""Docker: the daemon's answers, by HTTP status and its fixed phrases; the command line writes the same phrases."""

from __future__ import annotations

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
from mulligan_ops._lines import Lines, meant

rules = Rules("docker")
_UNSEEN = "Resource not found: {}. It may also be private, or need a log-in."
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
    user = "The account may not talk to the Docker daemon: add it to the group `docker`."
    return ToolPermissionError(message, provider="docker", user_message=user)


@rules("docker.errors.ContainerError")
def container(failure: Failure) -> ToolError:
    """The container's own program ended with an error; Docker itself worked."""
    code = failure.look("exit_status")
    ended = f" with exit code {code}" if isinstance(code, int) else ""
    return ToolExecutionError(f"The program in the container ended{ended}.", effect="possible")


@rules("docker.errors.APIError")
def api(failure: Failure) -> ToolError | None:
    """The daemon's answer, by its explanation and its status."""
    told, status = failure.look("explanation"), failure.look("status_code")
    text = told.decode(errors="replace") if isinstance(told, bytes) else told if isinstance(told, str) else ""
    error = meant(failure, text, (*REGISTRY, *DAEMON), "docker")
    if error is None:
        return status_error(failure, status) if isinstance(status, int) else None
    error.http_status = status
    if "pull access denied" in text and error.resource:
        return ResourceNotFoundError(_UNSEEN.format(error.resource), resource=error.resource, http_status=status)
    return error


@rules("docker.errors.DockerException")
def client(failure: Failure) -> ToolError | None:
    """What the client noticed by itself: no daemon, a wrong argument, a context that is not there."""
    if failure.says("Error while fetching server API version"):
        return _no_daemon(failure)
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
        "Docker's client rejected an argument.",
    ),
    (("ContextAlreadyExists",), ResourceConflictError, "The context exists already."),
    (
        ("InvalidVersion", "DeprecatedMethod", "TLSParameterError", "InvalidConfigFile"),
        ToolExecutionError,
        "Docker's client is set up wrongly.",
    ),
    (("BuildError",), ToolExecutionError, "The image could not be built: see its build log."),
    (("ImageLoadError",), ToolExecutionError, "The image could not be loaded."),
)


def _no_daemon(failure: Failure) -> ToolError | None:
    if failure.says("PermissionError", "Permission denied"):
        return denied("The Docker daemon's socket may not be used by this account.")
    if failure.says("Read timed out"):
        return meanings.error_of(failure, meanings.TIMEOUT)
    user = "The Docker daemon does not run, or its address is wrong: start it."
    return ToolConnectionError("The Docker daemon cannot be reached.", effect="none", user_message=user)


@rules("docker.credentials.errors.CredentialsNotFound", "docker.credentials.errors.StoreError")
def credentials(failure: Failure) -> ToolError:
    """The store of credentials has none, or does not work."""
    return ToolAuthenticationError("Docker's store of credentials gave none.")


_COMMAND: Lines = (
    (r"Cannot connect to the Docker daemon|error during connect", meanings.UNREACHABLE),
    (r"is not a docker command|unknown (?:shorthand )?flag|unknown command: ", meanings.ARGUMENT),
    (r"requires (?:at least|exactly|at most) \d|must specify at least one|invalid argument", meanings.ARGUMENT),
    (r"context \"([^\"]+)\": context not found", meanings.NOT_FOUND),
    (r"open (\S+): no such file or directory|path \"?([^\"\s]+)\"? not found", meanings.NOT_FOUND),
    (r"no configuration file provided|no such service: (\S+)", meanings.NOT_FOUND),
)


def docker(failure: Failure, text: str) -> ToolError | None:
    """What the command `docker` wrote.

    Args:
        failure: what happened.
        text: what it wrote.
    """
    if "permission denied while trying to connect" in text:
        return denied("The Docker daemon's socket may not be used by this account.")
    return meant(failure, text, (*REGISTRY, *DAEMON, *_COMMAND), "docker")
