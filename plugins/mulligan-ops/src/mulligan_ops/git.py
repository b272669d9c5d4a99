"""git: by the fixed beginnings of its messages. Its exit codes (https://git-scm.com/docs/git) say only that it failed."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, ToolError, ToolExecutionError, meanings, status_error
from mulligan_ops.lines import LOCAL_PERMISSION, LOCKED, USAGE, Lines, classify_text
from mulligan_ops.ssh import CLIENT

SERVICE = "the remote repository"
UNMERGED = meanings.CONFLICT._replace(
    message="The changes conflict. Merge them by hand, or abort the merge", effect="possible"
)
DIRTY = meanings.CONFLICT._replace(message="Local changes prevent this. Commit or stash them first", effect="none")
BEHIND = meanings.CONFLICT._replace(
    message="The remote branch has newer commits. Fetch and merge them first", effect="none"
)
_PARTLY = r"^(?: [ +*-] |Deleted )(?!\[rejected|\[remote rejected)"
_PROTECTED = meanings.PERMISSION._replace(fatal=False, message="The remote repository rejected this push")
_IGNORED = meanings.ARGUMENT._replace(message="The paths are ignored by .gitignore")
_UNSIGNED = meanings.FAILED._replace(message="The commit or tag could not be signed", effect="none")
_NO_IDENTITY = "git has no author identity. A person must set user.name and user.email."
_STATUS = r"The requested URL returned error: (\d{3})"
_LOCAL: Lines = (
    (r"^Timeout: the command .{1,1000} did not complete in", meanings.TIMEOUT),
    (r"Unable to create '([^']+\.lock)': File exists", LOCKED),
    (r"cannot lock ref '([^']+)'", meanings.ABORTED),
    (r"No space left on device", meanings.DISK_FULL),
    (r"not a git repository \(or any|not in a git directory", meanings.NOT_FOUND),
    (
        r"repository '([^']+)' (?:not found|does not exist)|'([^']+)' does not appear to be a git repository",
        meanings.NOT_FOUND,
    ),
    (
        r"pathspec '([^']+)' did not match|couldn't find remote ref (\S+)|Remote branch (\S+) not found",
        meanings.NOT_FOUND,
    ),
    (r"ambiguous argument '([^']+)': unknown revision|bad revision '([^']+)'", meanings.NOT_FOUND),
    (r"branch '([^']+)' not found|tag '([^']+)' not found|No such remote:? '?([^'\s]+)", meanings.NOT_FOUND),
    (
        r"path '([^']+)' (?:does not exist|exists on disk, but not) in|[Ii]nvalid object name '?([^'\s]+)",
        meanings.NOT_FOUND,
    ),
    (
        r"src refspec (\S+) does not match any|invalid reference: (\S+)|[Nn]ot a valid object name:? '?([^'\s]+)",
        meanings.NOT_FOUND,
    ),
    (
        r"'([^']+)' is not a commit and a branch|No stash entries found|cannot open '([^']+)': No such file",
        meanings.NOT_FOUND,
    ),
    (r"bad source, source=([^,]+),|merge: (\S+) - not something we can|invalid upstream '([^']+)'", meanings.NOT_FOUND),
    (r"no such path '([^']+)'|can't open patch '([^']+)'|(\S+) is not a valid reference", meanings.NOT_FOUND),
    (r"[Rr]epository not found|No (?:annotated tags|tags|names) (?:can describe|found)", meanings.NOT_FOUND),
    (
        r"branch named '([^']+)' already exists|tag '([^']+)' already exists|remote (\S+) already exists",
        meanings.EXISTS,
    ),
    (r"'([^']+)' already exists", meanings.EXISTS),
    (r"exceeds GitHub's file size limit|exceeds the maximum", meanings.TOO_LARGE),
    (r"protected branch|hook declined|push declined|You are not allowed to push", _PROTECTED),
    (r"non-fast-forward|\(fetch first\)|tip of your current branch is behind|divergent branches", BEHIND),
    (r"Not possible to fast-forward", BEHIND),
    (r"would be overwritten by|commit your changes or stash them|You have unstaged changes", DIRTY),
    (r"index contains uncommitted changes|contains modified or untracked files", DIRTY),
    (r"CONFLICT \([^)]+\): .*? in (\S+)|Automatic merge failed|could not apply|patch does not apply", UNMERGED),
    (r"unmerged files|unresolved conflict|have not concluded your|needs merge", UNMERGED),
    (r"refusing to merge unrelated|is not fully merged|checked out at|used by worktree", meanings.CONFLICT),
    (r"nothing to commit|nothing added to commit|no changes added to commit", meanings.CONFLICT),
    (
        r"has no upstream branch|is no tracking information|need to start by|does not have any commits yet|no commits yet",
        meanings.CONFLICT,
    ),
    (r"is not a git command|unknown (?:option|switch|subcommand)|unrecognized argument|^usage: git", USAGE),
    (r"is not a valid (?:branch|tag|remote) name|empty commit message|bad (?:config|numeric)", meanings.ARGUMENT),
    (r"over its data quota", meanings.QUOTA),
    (r"^fatal: bad object (\S+)", meanings.NOT_FOUND),
    (r"paths are ignored by one of your \.gitignore files", _IGNORED),
    (r"gpg failed to sign|failed to sign the data", _UNSIGNED),
    (r"\[remote rejected\]", _PROTECTED),
)
_REMOTE: Lines = (
    (
        r"Authentication failed for '([^']+)'|could not read (?:Username|Password)|terminal prompts disabled",
        meanings.AUTHENTICATION,
    ),
    (r"Support for password authentication was removed|Invalid username or|Access denied", meanings.AUTHENTICATION),
    (r"Permission to (\S+) denied|insufficient permission for", meanings.PERMISSION),
    *CLIENT,
    (r"Could not resolve (?:host|proxy): (\S+)", meanings.UNREACHABLE),
    (
        r"(?:Failed to connect|unable to connect).*timed out|[Cc]onnection timed out after|Resolving timed out",
        meanings.NOT_SENT,
    ),
    (r"Operation (?:timed out|too slow)", meanings.TIMEOUT),
    (r"Recv failure|Send failure|curl (?:5[56]|18|92) ", meanings.DROPPED),
    (
        r"Failed to connect to (\S+) port|Connection refused|No route to host|unable to connect to (\S+)",
        meanings.UNREACHABLE,
    ),
    (r"certificate problem|certificate verification failed|TLS connect error|handshake\(\) failed", meanings.TLS),
    (r"hung up unexpectedly|early EOF|RPC failed|Connection reset by peer", meanings.DROPPED),
    (r"dubious ownership in repository at '([^']+)'", LOCAL_PERMISSION),
    (r"'([^']+)': Permission denied|^error: open\(\"([^\"]+)\"\): Permission denied", LOCAL_PERMISSION),
)


def no_identity() -> ToolError:
    """The committer's identity is not configured."""
    return ToolExecutionError(_NO_IDENTITY, effect="none", provider="git", user_message=_NO_IDENTITY)


def git(failure: Failure, text: str) -> ToolError | None:
    """The error for git's output: problems of the local repository first, then messages of the remote side.

    Args:
        failure: what happened.
        text: what it wrote, to stdout and stderr.
    """
    if any(words in text for words in ("Please tell me who you are", "identity unknown", "auto-detect email address")):
        return no_identity()
    match = re.search(_STATUS, text)
    if match is not None:
        return status_error(failure, int(match[1]), service=SERVICE, provider="git", resource=_address(text))
    error = classify_text(failure, text, _LOCAL, "git") or classify_text(failure, text, _REMOTE, "git", SERVICE)
    if error is not None and re.search(_PARTLY, text, re.MULTILINE):
        error.effect = "possible"  # other branches or names of the same command were processed
    return error


def _address(text: str) -> str | None:
    match = re.search(r"unable to access '([^']{1,500})'", text)
    return match[1] if match else None
