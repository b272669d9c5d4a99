"""What Ray's own failures mean: a worker, an actor, a node or the cluster is lost, or has no capacity."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError, ToolExecutionError, ToolQuotaError, ToolUnavailableError
from mulligan.plugin import meanings as m

LOST = m.Meaning(ToolUnavailableError, "The worker that ran the tool was lost", effect="possible")
RESULT_LOST = m.Meaning(ToolUnavailableError, "The tool may have ended, but its result was lost", effect="possible")
CLUSTER_LOST = m.Meaning(ToolUnavailableError, "The Ray cluster does not respond", effect="possible")
NO_MEMORY = m.EXHAUSTED._replace(message="The node that ran the tool ran out of memory")
STORE_FULL = m.EXHAUSTED._replace(message="The object store of the Ray cluster is full")
DISK_FULL = m.DISK_FULL._replace(message="A disk of the Ray cluster is full")
UNSCHEDULABLE = m.Meaning(
    ToolQuotaError, "No node of the Ray cluster has the resources that the tool needs. It was not run", effect="none"
)
QUEUE_FULL = m.Meaning(ToolUnavailableError, "Too many calls wait for the same actor. It was not run", effect="none")
NO_ENVIRONMENT = m.Meaning(
    ToolExecutionError, "The tool's environment could not be set up on the worker. It was not run", effect="none"
)
UNSENDABLE = m.Meaning(ToolExecutionError, "The tool failed with an exception that Ray cannot send", effect="possible")

_MEANINGS = {
    NO_MEMORY: ("OutOfMemoryError",),
    STORE_FULL: ("ObjectStoreFullError", "PlasmaObjectNotAvailable", "RayCgraphCapacityExceeded"),
    DISK_FULL: ("OutOfDiskError",),
    UNSCHEDULABLE: ("TaskUnschedulableError", "ActorUnschedulableError"),
    QUEUE_FULL: ("PendingCallsLimitExceeded",),
    NO_ENVIRONMENT: ("RuntimeEnvSetupError",),
    m.TIMEOUT: ("GetTimeoutError", "ObjectFetchTimedOutError", "RayChannelTimeoutError"),
    m.CANCELLED._replace(effect="possible"): ("TaskCancelledError",),
    m.AUTHENTICATION: ("AuthenticationError",),
    LOST: (
        *("WorkerCrashedError", "RayActorError", "NodeDiedError", "LocalRayletDiedError", "AsyncioActorExit"),
        *("TaskPlacementGroupRemoved", "ActorPlacementGroupRemoved"),
    ),
    RESULT_LOST: ("ObjectLostError", "UnserializableException"),
    CLUSTER_LOST: ("RaySystemError", "RpcError"),
}
_BY_NAME = {f"ray.exceptions.{name}": meaning for meaning, names in _MEANINGS.items() for name in names}
rules = Rules()


@rules(*_BY_NAME)
def engine(failure: Failure) -> ToolError | None:
    """A worker, an actor, a node, a result or the cluster is lost, or the cluster has no capacity."""
    meaning = next(meaning for name, meaning in _BY_NAME.items() if failure.matches(name))
    return m.error_of(failure, meaning)


@rules("ray.exceptions.RayTaskError")
def unsendable(failure: Failure) -> ToolError | None:
    """An exception of a task that cannot be pickled; any other is its cause, which rules see instead."""
    cause = failure.look("cause")
    if cause is not None and type(cause).__name__ != "RayError":
        return None
    return m.error_of(failure, UNSENDABLE)


def engine_error(exception: BaseException) -> ToolError | None:
    """What a failure of Ray means to a call that ran on it, whose effect is then known; None if it is not one of Ray.

    Args:
        exception: what Ray raised.
    """
    failure = Failure(exception)
    error = rules.decide(failure)
    if error is not None:
        error.rule = f"ray:{error.rule}"
    return error
