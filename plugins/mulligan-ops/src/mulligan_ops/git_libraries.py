"""git through libraries: the exception classes of GitPython, pygit2 (libgit2) and dulwich."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Failure,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolError,
    meanings,
    status_error,
    text_error,
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
CHECKOUT = meanings.CONFLICT._replace(message="Files with local changes, or not in the index, cannot be checked out")
CONFLICTING = UNMERGED._replace(effect="none")
WRONG_OBJECT = meanings.ARGUMENT._replace(message="The object is ambiguous, or of another type")
UNSUPPORTED = meanings.UNIMPLEMENTED._replace(message="The git library does not support this")
UNREADABLE = meanings.FAILED._replace(message="The repository's data cannot be read")
TLS = meanings.TLS._replace(message="The certificate of the service is not accepted")

# A class comes before its base classes: the first matching entry counts.
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
    (UNSUPPORTED, "gitdb.UnsupportedOperation dulwich.UnsupportedVersion dulwich.UnsupportedExtension"),
    (
        UNREADABLE,
        """gitdb.ParseError gitdb.InvalidDBRoot dulwich.ChecksumMismatch dulwich.FileFormatException
        dulwich.UnresolvedDeltas dulwich.ApplyDeltaError dulwich.UnsupportedIndexFormat""",
    ),
    (meanings.AUTHENTICATION, "_pygit2.AuthError dulwich.client.HTTPUnauthorized dulwich.client.HTTPProxyUnauthorized"),
    (TLS, "_pygit2.CertificateError"),
    (LOCKED, "dulwich.file.FileLocked"),
)
_NAMED = re.compile(r"'([^'\n]{1,300})'|(?:found at|Remote|with name) (\S{1,300})|\b([0-9a-f]{7,64})\b")
_PATH = re.compile(r"[/~.\\]|[A-Za-z]:\\")
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
_GITPYTHON: Lines = (
    (r"^Lock (?:at|for file) '([^']+)'", LOCKED),
    (r"^SHA b'([0-9a-f]+)' could not be resolved|^Remote named '([^']+)' didn't exist", meanings.NOT_FOUND),
    (r"^could not find '([^']+)' to stat", meanings.NOT_FOUND),
)
_LOOKUPS = (
    "dulwich.refs",
    "dulwich.repo",
    "dulwich.object_store",
    "dulwich.objectspec",
    "pygit2.config",
    "pygit2.repository",
)


@rules("git.GitCommandNotFound")
def git_missing(failure: Failure) -> ToolError:
    """GitPython: git is not installed."""
    command = failure.look("command")
    name = command[0] if isinstance(command, list) and command else None
    message = f"The program {name} was not found. It must be installed." if isinstance(name, str) else None
    return meanings.error_of(
        failure, meanings.NOT_FOUND, resource=name if message else None, message=message, effect="none"
    )


@rules("git.HookExecutionError")
def git_hook(failure: Failure) -> ToolError:
    """GitPython: a hook of the repository failed."""
    return meanings.error_of(failure, HOOK, resource=None)


@rules("git.CheckoutError")
def git_checkout(failure: Failure) -> ToolError:
    """GitPython: files that have local changes or are not in the index. Other files may have been written."""
    failed, written = failure.look("failed_files"), failure.look("valid_files")
    name = str(failed[0])[:300] if isinstance(failed, (list, tuple)) and failed else None
    return meanings.error_of(failure, CHECKOUT, resource=name, effect="none" if name and not written else "possible")


@rules("gitdb.BadName", "gitdb.BadObject")
def git_revision(failure: Failure) -> ToolError:
    """GitPython: a branch, tag or commit that does not exist; the exception carries its name."""
    raised_with = failure.look("args")
    name = raised_with[0] if isinstance(raised_with, tuple) and raised_with else None
    name = name.hex() if isinstance(name, bytes) and len(name) in (20, 32) else name
    return meanings.error_of(failure, meanings.NOT_FOUND, resource=_short(name))


@rules("git.InvalidGitRepositoryError", "git.NoSuchPathError")
def git_repository(failure: Failure) -> ToolError:
    """GitPython: the path is missing or not a repository, or the repository is in the wrong state."""
    if failure.matches("git.WorkTreeRepositoryUnsupported"):
        return meanings.error_of(failure, BARE, resource=None)
    if _STATE.search(failure.text):
        return meanings.error_of(failure, DIRTY if failure.says("modifications", "commits") else BARE, resource=None)
    is_path = " " not in failure.text or _PATH.match(failure.text)
    return meanings.error_of(failure, meanings.NOT_FOUND, resource=_short(failure.text) if is_path else _named(failure))


@rules("dulwich.DefaultIdentityNotFound")
def git_identity(_: Failure) -> ToolError:
    """dulwich: the committer's identity is not configured."""
    return no_identity()


@rules(*(name for _, names in _CLASSES for name in names.split()))
def git_class(failure: Failure) -> ToolError:
    """A class that identifies the failure."""
    meaning = next(meaning for meaning, names in _CLASSES if failure.matches(*names.split()))
    resource = _short(failure.look("filename")) if meaning is LOCKED else None if meaning is BEHIND else _named(failure)
    service = SERVICE if meaning in (meanings.AUTHENTICATION, TLS) else None
    error = meanings.error_of(failure, meaning, service=service, resource=resource)
    error.problems = ()  # a name in the text is the repository's, not an argument's
    return error


@rules("_pygit2.GitError", "dulwich.GitProtocolError", "dulwich.porcelain.Error")
def git_text(failure: Failure) -> ToolError | None:
    """General classes: by the HTTP status, otherwise by the text of git, libgit2 or the remote side."""
    status = _STATUS.search(failure.text)
    if status is not None:
        return status_error(failure, int(status[1]), service=SERVICE)
    error = transport_error(failure, service=SERVICE) or git(failure, failure.text)
    error = error or classify_text(failure, failure.text, _LIBGIT2, "git", SERVICE) or text_error(failure)
    if error is None and failure.matches("dulwich.HangupException"):
        return meanings.error_of(failure, meanings.DROPPED, service=SERVICE)
    if (
        error is not None
        and error.resource is None
        and isinstance(error, (ResourceNotFoundError, ResourceConflictError))
    ):
        error.resource = _named(failure)
    return error


@rules("KeyError", "ValueError", "OSError")
def git_lookup(failure: Failure) -> ToolError | None:
    """Built-in exceptions, raised when a library looks up a name or locks the index."""
    if failure.matches("KeyError") and failure.came_through(*_LOOKUPS) is not None:
        raised_with = failure.look("args")
        name = raised_with[0] if isinstance(raised_with, tuple) and raised_with else None
        return meanings.error_of(failure, meanings.NOT_FOUND, resource=_short(name))
    if (
        failure.came_through("git.cmd", "git.repo", "git.remote", "git.util", "git.index", "git.refs", "pygit2.index")
        is None
    ):
        return None
    return classify_text(failure, failure.text[:1_000], _GITPYTHON, "git")


@rules("urllib3.exceptions.HTTPError", "TimeoutError", "ConnectionError", "socket.gaierror")
def git_transport(failure: Failure) -> ToolError | None:
    """A connection error of dulwich's HTTP client or socket, which dulwich does not wrap."""
    return None if failure.came_through("dulwich.client") is None else transport_error(failure, service=SERVICE)


@last("git.GitError", "gitdb.ODBError", "_pygit2.GitError", "dulwich.GitProtocolError", "dulwich.porcelain.Error")
def git_other(failure: Failure) -> ToolError:
    """Any other exception of the libraries."""
    return meanings.error_of(failure, meanings.FAILED._replace(message="The git operation failed"))


def _named(failure: Failure) -> str | None:
    found = _NAMED.search(failure.text)
    return _short(next(filter(None, found.groups()), None)) if found else None


def _short(name: object) -> str | None:
    text = name.decode(errors="replace") if isinstance(name, bytes) else name
    return text[:300] or None if isinstance(text, str) else None
