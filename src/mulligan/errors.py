"""What a failed tool call means.

    MulliganError
    ├── UsageError                     a mistake in the host's own code
    ├── PluginError                    a plugin's own bug, raised in strict mode only
    └── ToolError                      what a model, a tool or a provider did
        ├── ToolNotFoundError          UNIMPLEMENTED        no tool has that name
        ├── ToolArgumentError          INVALID_ARGUMENT     the arguments do not fit
        ├── ResourceNotFoundError      NOT_FOUND            the named thing does not exist
        ├── ResourceConflictError      FAILED_PRECONDITION  the current state forbids it
        ├── ToolTimeoutError           DEADLINE_EXCEEDED    it took too long
        ├── ToolRateLimitError         RESOURCE_EXHAUSTED   too many calls for now
        ├── ToolUnavailableError       UNAVAILABLE          the service is down for now
        ├── ToolCancelledError         CANCELLED            it was cancelled
        ├── ToolExecutionError         INTERNAL             the tool failed, no rule knows why
        ├── RepeatedCallError          ABORTED              the same call failed again and again
        ├── ToolAuthenticationError    UNAUTHENTICATED      fatal: the credentials are missing or wrong
        ├── ToolPermissionError        PERMISSION_DENIED    fatal: the account may not do this
        ├── ToolConnectionError        UNAVAILABLE          fatal: the network or the host is unreachable
        └── ToolQuotaError             RESOURCE_EXHAUSTED   fatal: money, credit or disk space is exhausted

`code` is the canonical gRPC status name (https://grpc.io/docs/guides/status-codes/). A *fatal* error is one that the
model cannot fix: the run must stop and a person must act.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypedDict, Unpack

Effect = Literal["none", "possible", "done"]
ToolType = Literal["function", "extension", "datastore"]


class Problem(NamedTuple):
    """One problem with the arguments of a tool call.

    Attributes:
        pointer: where, as a JSON Pointer (RFC 6901); `""` is the arguments as a whole.
        message: what is wrong, in our own words; after a colon, the text of a class's own check. The most common ones
            are the constants of `mulligan.catalogue`, such as `MISSING`.
        expected: what is allowed, or None if the message already says it.
        got: the value that was sent, as JSON text, its first 2,000 characters; None if nothing was sent, or if it is
            secret.
    """

    pointer: str
    message: str
    expected: str | None = None
    got: str | None = None


class MulliganError(Exception):
    """The base of every exception that mulligan itself raises."""


class UsageError(MulliganError):
    """A mistake in the host's own code: the text names the culprit and the next step."""


class PluginError(MulliganError):
    """A plugin's own bug: the text names plugin and hook, `__cause__` is its exception. Raised in strict mode only."""


class ErrorFields(TypedDict, total=False):
    """The keywords of a `ToolError`; None leaves the default of its class."""

    code: str | None
    fatal: bool | None
    transient: bool | None
    effect: Effect | None
    tool_name: str | None
    tool_type: ToolType | None
    call_id: str | None
    arguments: Mapping[str, Any] | None
    user_message: str | None
    retry_after: float | None
    resource: str | None
    problems: Sequence[Problem]
    http_status: int | None
    provider: str | None
    rule: str | None


_FIELDS = frozenset(ErrorFields.__annotations__)


class ToolError(MulliganError):
    """What a failed tool call means: the base of the classes in the tree above.

    Every attribute can be passed by keyword; the pipeline fills in the ones that a plugin leaves out.

    Attributes:
        message: one or two sentences for the model, in our own words.
        code: canonical gRPC status name; an instance may narrow the code of its class.
        tool_name: the name that was called, or None.
        tool_type: `function`, `extension` or `datastore`.
        call_id: the id that the model gave to the call, or None.
        arguments: the arguments as JSON values, or None if they could not be read.
        fatal: whether the run must stop. Until a pipeline's policy has decided, the default of the class.
        user_message: one sentence for the user.
        retry_after: seconds to wait before the same call may succeed, or None.
        resource: the path, URL, table ... that this is about, or None.
        problems: what is wrong with the arguments, one `Problem` each.
        http_status: the HTTP status that the provider answered with, or None.
        provider: the service that failed (`github`, `openai` ...), or None.
        transient: whether the same call may succeed later.
        effect: `none` (definitely not applied), `possible`, or `done` (applied, then failed).
        rule: which plugin and rule decided, as `plugin:rule`.
        corrected_from: where each word of the corrected call comes from, by JSON Pointer (`/name`, `/arguments/path`):
            `sent` by the model, `schema` or `toolset` of the host, its `author`, or `reported` by the failure; empty
            without such a call.
    """

    message: str = ""
    code: str = "UNKNOWN"
    fatal: bool = False
    transient: bool = False
    effect: Effect = "possible"
    tool_type: ToolType = "function"
    retry_after: float | None = None
    resource: str | None = None
    http_status: int | None = None
    provider: str | None = None
    tool_name: str | None = None
    call_id: str | None = None
    arguments: Mapping[str, Any] | None = None
    problems: Sequence[Problem] = ()
    rule: str | None = None
    user_message: str = "The tool failed."
    corrected_from: Mapping[str, str] = MappingProxyType({})

    def __init__(self, message: str = "", **fields: Unpack[ErrorFields]) -> None:
        super().__init__(message)
        own = self.__dict__
        own["message"] = message
        for name, value in fields.items():
            if name not in _FIELDS:
                raise TypeError(f"{type(self).__name__} has no field {name!r}; available: {', '.join(sorted(_FIELDS))}")
            if value is not None:
                own[name] = value

    @property
    def non_fatal(self) -> bool:
        """The inverse of `fatal`: whether the model may continue."""
        return not self.fatal

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.message, self.__dict__)


def _restore(cls: type[ToolError], message: str, state: dict[str, Any]) -> ToolError:
    error = cls.__new__(cls, message)
    error.__dict__.update(state)
    return error


class ToolNotFoundError(ToolError):
    """No tool has that name. The feedback asks the model to choose a listed one, best matches first.

    Attributes:
        suggestions: names of tools that may be meant, best first.
        confident: whether the first suggestion is a clear proposal.
        proposal: how far the first suggestion may be proposed: `clear`, `asked` (clear, but the tool may change
            something), `likely`, or only `listed`, since the names do not say the same.
        available: the names of the existing tools, only the first few of many; the error's text lists them.
    """

    code = "UNIMPLEMENTED"
    effect: Effect = "none"
    user_message = "The assistant called a tool that does not exist."
    suggestions: tuple[str, ...] = ()
    confident: bool = False
    proposal: Literal["clear", "asked", "likely", "listed"] = "likely"
    available: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.message} Available tools: {', '.join(self.available)}." if self.available else self.message


class ToolArgumentError(ToolError):
    """The arguments do not fit: the model can call again with other ones.

    If the tool itself refused them, it did run, and `effect` says what may have changed.

    Attributes:
        corrected: the whole argument object with every problem fixed: the most likely meaning, which fits the schema;
            or None.
    """

    code = "INVALID_ARGUMENT"
    effect: Effect = "none"
    user_message = "The assistant called a tool with invalid arguments."
    corrected: Mapping[str, Any] | None = None


class ResourceNotFoundError(ToolError):
    """The named thing does not exist: check the name.

    Attributes:
        suggestions: existing names that are similar to the requested one, best first.
    """

    code = "NOT_FOUND"
    effect: Effect = "none"
    user_message = "The assistant requested something that was not found."
    suggestions: tuple[str, ...] = ()


class ResourceConflictError(ToolError):
    """The current state forbids it (ABORTED, ALREADY_EXISTS or FAILED_PRECONDITION): read that state first."""

    code = "FAILED_PRECONDITION"
    effect: Effect = "none"
    user_message = "The current state of a resource does not allow what the assistant tried."


class ToolTimeoutError(ToolError):
    """It took too long: request less at once, or check whether it took effect."""

    code = "DEADLINE_EXCEEDED"
    transient = True
    user_message = "A tool took too long."


class ToolRateLimitError(ToolError):
    """Too many calls for now: wait `retry_after` seconds, or do something else."""

    code = "RESOURCE_EXHAUSTED"
    transient = True
    effect: Effect = "none"
    user_message = "The rate limit of a service is reached. Try again later."


class ToolUnavailableError(ToolError):
    """The service is down for now: try later or another way."""

    code = "UNAVAILABLE"
    transient = True
    user_message = "A service is temporarily unavailable. Try again later."


class ToolCancelledError(ToolError):
    """The call was cancelled before it ended, or has not been approved by a person."""

    code = "CANCELLED"
    user_message = "A tool call was cancelled."


class ToolExecutionError(ToolError):
    """The tool failed, and no rule knows why: try another way."""

    code = "INTERNAL"
    user_message = "A tool failed."


class RepeatedCallError(ToolError):
    """The same call failed repeatedly and was not run: change the approach. Fatal if it continues."""

    code = "ABORTED"
    effect: Effect = "none"
    user_message = "The assistant keeps repeating a call that cannot succeed."


class ToolAuthenticationError(ToolError):
    """The credentials are missing or wrong. Fatal: a person must provide them."""

    code = "UNAUTHENTICATED"
    fatal = True
    effect: Effect = "none"
    user_message = "A service rejected the credentials. Provide valid credentials, then try again."


class ToolPermissionError(ToolError):
    """The account may not do this. Fatal (except for one local path): a person must grant the permission."""

    code = "PERMISSION_DENIED"
    fatal = True
    effect: Effect = "none"
    user_message = "The account has no permission for this. Grant it or use another account, then try again."


class ToolConnectionError(ToolError):
    """The network or the host is unreachable. Fatal, unless the connection was dropped midway or the call named the host."""

    code = "UNAVAILABLE"
    fatal = True
    user_message = "A service cannot be reached. Check the network and the address, then try again."


class ToolQuotaError(ToolError):
    """Money, credit or disk space is exhausted. Fatal: a person must add some."""

    code = "RESOURCE_EXHAUSTED"
    fatal = True
    effect: Effect = "none"
    user_message = "A quota, credit balance or disk is exhausted. Increase it, then try again."
