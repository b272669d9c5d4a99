"""git by libraries: the exception classes of GitPython, pygit2 (libgit2) and dulwich."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Failure,
    ResourceConflictError,
    Rules,
    ToolError,
    meanings,
    status_error,
    transport_error,
)
from mulligan_ops.git import BEHIND, DIRTY, SERVICE, UNMERGED, git, no_identity
from mulligan_ops.lines import LOCKED, Lines, classify_text

rules = Rules("git")
last = Rules("git", last=True)

NO_PROGRAM = meanings.NOT_FOUND._replace(message="The program was not found. It must be installed")
HOOK = meanings.CONFLICT._replace(message="A hook of the repository rejected this", effect="possible")
UNSAFE = meanings.ARGUMENT._replace(message="The git library blocks this protocol or option as unsafe")
BARE = meanings.CONFLICT._replace(message="This kind of repository does not support it")
CONFLICTING = UNMERGED._replace(effect="none")
WRONG_OBJECT = meanings.ARGUMENT._replace(message="The object is ambiguous, or of another type")
UNREADABLE = meanings.FAILED._replace(message="The repository's data cannot be read")
TLS = meanings.TLS._replace(message="The certificate of the service is not accepted")

# A class counts before its base classes; the first entry that matches counts.
_CLASSES: tuple[tuple[meanings.Meaning, str], ...] = (
    (DIRTY, "git.RepositoryDirtyError dulwich.WorkingTreeModifiedError dulwich.porcelain.CheckoutError"),
    (BARE, "git.WorkTreeRepositoryUnsupported dulwich.NoIndexPresent"),
    (
        CONFLICTING,
        """git.UnmergedEntriesError dulwich.index.UnmergedEntries dulwich.merge.MergeConflict
        dulwich.patch.PatchApplicationFailure dulwich.sparse_patterns.SparseCheckoutConflictError""",
    ),
    (UNMERGED, "dulwich.rebase.RebaseConflict dulwich.am.AmConflict"),
    (BEHIND, "dulwich.porcelain.DivergedBranches"),
    (UNSAFE, "git.UnsafeProtocolError git.UnsafeOptionError dulwich.client.TransportNotAllowed"),
    (HOOK, "dulwich.HookError"),
    (meanings.EXISTS, "_pygit2.AlreadyExistsError dulwich.porcelain.RemoteExists"),
    (
        meanings.NOT_FOUND,
        """_pygit2.NotFoundError dulwich.NotGitRepository dulwich.MissingCommitError dulwich.ObjectMissing
        dulwich.sparse_patterns.BlobNotFoundError""",
    ),
    (
        WRONG_OBJECT,
        """gitdb.AmbiguousObjectName gitdb.BadObjectType _pygit2.AmbiguousError dulwich.AmbiguousShortId
        dulwich.WrongObjectException""",
    ),
    (
        meanings.ARGUMENT,
        """_pygit2.InvalidSpecError _pygit2.InvalidError dulwich.RefFormatError dulwich.InvalidPathError
        dulwich.TimezoneFormatError dulwich.InvalidUserIdentity dulwich.StrangeHostname dulwich.MalformedPattern""",
    ),
    (meanings.UNIMPLEMENTED, "gitdb.UnsupportedOperation dulwich.UnsupportedVersion dulwich.UnsupportedExtension"),
    (
        UNREADABLE,
        """gitdb.ParseError gitdb.InvalidDBRoot dulwich.ChecksumMismatch dulwich.FileFormatException
        dulwich.UnresolvedDeltas dulwich.ApplyDeltaError dulwich.UnsupportedIndexFormat""",
    ),
    (meanings.AUTHENTICATION, "_pygit2.AuthError dulwich.client.HTTPUnauthorized dulwich.client.HTTPProxyUnauthorized"),
    (TLS, "_pygit2.CertificateError"),
    (LOCKED, "dulwich.file.FileLocked"),
)
_NAMED = re.compile(
    r"reference '([^']+)'|[Pp]ath '([^']+)'|named '([^']+)'|at '([^']+)'|at (/\S+)|(\b[0-9a-f]{7,64}\b)"
)
_STATUS = re.compile(r"unexpected http (?:status code:?|resp) (\d{3})")
_STATE = re.compile(r"with any modifications|there are new commits|not yet checked out|bare repositories")
_LIBGIT2: Lines = (
    (r"conflicts? prevents? checkout", DIRTY),
    (r"non-fast-?forwardable reference|contains commits that are not present locally", BEHIND),
    (r"failed to lock file '([^']+)'|the index is locked", LOCKED),
    (
        r"no callback set|authentication required|authenticate SSH session|no authentication methods",
        meanings.AUTHENTICATION,
    ),
    (r"failed to resolve address for (\S+):|failed to connect to (\S+):", meanings.UNREACHABLE),
    (r"could not find repository (?:from|at) '([^']+)'|repository not found", meanings.NOT_FOUND),
    (r"unmerged|uncommitted change|conflict", CONFLICTING),
    (r"unsupported URL protocol|malformed URL", meanings.ARGUMENT),
    (r"connection reset|unexpected EOF|early EOF|SSL error: received early", meanings.DROPPED),
    (r"certificate|SSL error", meanings.TLS),
)


@rules("git.GitCommandNotFound")
def git_missing(failure: Failure) -> ToolError:
    """GitPython: there is no program git."""
    command = failure.look("command")
    name = command[0] if isinstance(command, list) and command else None
    message = f"The program {name} was not found. It must be installed." if isinstance(name, str) else None
    return meanings.error_of(
        failure, meanings.NOT_FOUND, resource=name if message else None, message=message, effect="none"
    )


@rules("git.HookExecutionError")
def git_hook(failure: Failure) -> ToolError:
    """GitPython: a hook of the repository ended with an error."""
    return meanings.error_of(failure, HOOK, resource=None)


@rules("git.CheckoutError")
def git_checkout(failure: Failure) -> ToolError:
    """GitPython: files with local changes, or files that are not in the index; others may have been written."""
    failed, written = failure.look("failed_files"), failure.look("valid_files")
    name = str(failed[0])[:300] if isinstance(failed, (list, tuple)) and failed else None
    missing = failure.says("didn't exist")
    return meanings.error_of(
        failure, meanings.NOT_FOUND if missing else DIRTY, resource=name, effect="possible" if written else "none"
    )


@rules("gitdb.BadName", "gitdb.BadObject")
def git_revision(failure: Failure) -> ToolError:
    """GitPython: a branch, tag or commit that is not there; the exception was raised with its name."""
    raised_with = failure.look("args")
    name = raised_with[0] if isinstance(raised_with, tuple) and raised_with else None
    name = name.hex() if isinstance(name, bytes) and len(name) in (20, 32) else name
    return meanings.error_of(failure, meanings.NOT_FOUND, resource=_short(name))


@rules("git.InvalidGitRepositoryError", "git.NoSuchPathError")
def git_repository(failure: Failure) -> ToolError:
    """GitPython: the path holds no repository, or is not there; or the repository is not in the state for this."""
    if failure.matches("git.WorkTreeRepositoryUnsupported"):
        return meanings.error_of(failure, BARE, resource=None)
    if _STATE.search(failure.text):
        return meanings.error_of(failure, DIRTY if failure.says("modifications", "commits") else BARE, resource=None)
    return meanings.error_of(failure, meanings.NOT_FOUND, resource=_short(failure.text))


@rules("dulwich.DefaultIdentityNotFound")
def git_identity(_: Failure) -> ToolError:
    """dulwich: nobody has told git who commits."""
    return no_identity()


@rules(*(name for _, names in _CLASSES for name in names.split()))
def git_class(failure: Failure) -> ToolError:
    """A class that says what went wrong."""
    meaning = next(meaning for meaning, names in _CLASSES if failure.matches(*names.split()))
    error = meanings.error_of(failure, meaning, resource=_named(failure))
    if isinstance(error, ResourceConflictError) and meaning is LOCKED:
        error.resource = _short(failure.look("filename"))
    return error


@rules("_pygit2.GitError", "dulwich.GitProtocolError", "dulwich.porcelain.Error")
def git_text(failure: Failure) -> ToolError | None:
    """Classes that cover many things: the HTTP status, else what git, libgit2 or the remote side wrote."""
    status = _STATUS.search(failure.text)
    if status is not None:
        return status_error(failure, int(status[1]), service=SERVICE)
    error = git(failure, failure.text) or classify_text(failure, failure.text, _LIBGIT2, "git", SERVICE)
    if error is None and failure.matches("dulwich.HangupException"):
        return meanings.error_of(failure, meanings.DROPPED, service=SERVICE)
    return error


@rules("urllib3.exceptions.HTTPError", "TimeoutError", "ConnectionError", "socket.gaierror")
def git_transport(failure: Failure) -> ToolError | None:
    """What dulwich's HTTP client or socket met on the way; dulwich lets it through."""
    return None if failure.came_through("dulwich.client") is None else transport_error(failure, service=SERVICE)


@last("git.GitError", "gitdb.ODBError", "_pygit2.GitError", "dulwich.GitProtocolError", "dulwich.porcelain.Error")
def git_other(failure: Failure) -> ToolError:
    """Anything else that the libraries raise."""
    return meanings.error_of(failure, meanings.FAILED._replace(message="The git operation failed"))


def _named(failure: Failure) -> str | None:
    found = _NAMED.search(failure.text)
    return _short(next(filter(None, found.groups()), None)) if found else None


def _short(name: object) -> str | None:
    text = name.decode(errors="replace") if isinstance(name, bytes) else name
    return text[:300] or None if isinstance(text, str) else None
