"""GitPython, pygit2 and dulwich: their own exceptions, most of them raised on a real repository."""

from __future__ import annotations

import gc
import os

import dulwich.client
import dulwich.errors
import dulwich.file
import dulwich.porcelain
import dulwich.repo
import git
import git.exc
import gitdb.exc
import pygit2
import pytest

from mulligan.plugin import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolTimeoutError,
    ToolUnavailableError,
)

MISSING, CONFLICT, WRONG = ResourceNotFoundError, ResourceConflictError, ToolArgumentError
pytestmark = [
    pytest.mark.program("git"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # GitPython leaves pipes open
]


def raise_(exception):
    raise exception


@pytest.fixture
def repository(tmp_path):
    made = git.Repo.init(tmp_path / "here", initial_branch="main")
    (tmp_path / "here" / "a.txt").write_text("1")
    made.index.add(["a.txt"])
    made.index.commit("one", author=git.Actor("a", "a@b.c"), committer=git.Actor("a", "a@b.c"))
    made.create_tag("v1")
    yield made
    made.close()
    gc.collect()


def lock(repository):
    open(os.path.join(repository.git_dir, "index.lock"), "x").close()


GITPYTHON = [
    ("no repository", lambda r: git.Repo(os.path.dirname(r.working_dir)), MISSING, None),
    ("no revision", lambda r: r.commit("none"), MISSING, "none"),
    ("no object", lambda r: r.commit("deadbeef" * 5), MISSING, "deadbeef" * 5),
    ("no remote", lambda r: r.remote("none").fetch(), MISSING, "none"),
    ("tag", lambda r: r.create_tag("v1"), CONFLICT, "v1"),
    ("not in the index", lambda r: r.index.checkout(["none.txt"]), CONFLICT, None),
    ("unsafe", lambda r: git.Repo.clone_from("ext::sh -c x", r.working_dir + "2"), WRONG, None),
    ("locked", lambda r: (lock(r), r.index.add(["a.txt"])), CONFLICT, None),
    ("dirty", lambda r: raise_(git.exc.RepositoryDirtyError(r, "Cannot reset a dirty repository")), CONFLICT, None),
    ("unmerged", lambda _: raise_(git.exc.UnmergedEntriesError("a.txt")), CONFLICT, None),
    ("worktree", lambda _: raise_(git.exc.WorkTreeRepositoryUnsupported("/x")), CONFLICT, None),
    ("no program", lambda _: raise_(git.exc.GitCommandNotFound(["git", "status"], FileNotFoundError(2))), MISSING, "git"),
    ("cache", lambda _: raise_(git.exc.CacheError("x")), ToolExecutionError, None),
    ("other", lambda _: raise_(git.exc.GitError("x")), ToolExecutionError, None),
    ("ambiguous", lambda _: raise_(gitdb.exc.AmbiguousObjectName("dea")), WRONG, None),
    ("type", lambda _: raise_(gitdb.exc.BadObjectType("x")), WRONG, None),
    ("unreadable", lambda _: raise_(gitdb.exc.ParseError("x")), ToolExecutionError, None),
    ("unsupported", lambda _: raise_(gitdb.exc.UnsupportedOperation("x")), ToolExecutionError, None),
    ("database", lambda _: raise_(gitdb.exc.ODBError("x")), ToolExecutionError, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("raising", "cls", "resource"), [one[1:] for one in GITPYTHON], ids=[one[0] for one in GITPYTHON]
)
def test_gitpython(classify, repository, raising, cls, resource):
    error = classify(lambda: raising(repository))
    assert (type(error), error.fatal, error.provider) == (cls, False, "git")
    assert resource in (None, error.resource)
    assert not error.message.startswith("The tool failed")


def test_gitpython_s_checkout_error_names_the_file_and_knows_what_was_written(classify):
    def fail(written):
        raise git.exc.CheckoutError("Some files could not be checked out", ["a.txt"], written, ["x"])

    nothing, part = classify(lambda: fail([])), classify(lambda: fail(["b.txt"]))
    assert [type(nothing), type(part)] == [CONFLICT, CONFLICT]
    assert [nothing.effect, part.effect] == ["none", "possible"]
    assert nothing.resource == "a.txt"


REJECTED_BY_GITPYTHON = ("AmbiguousObjectName", "BadObjectType", "UnsafeOptionError", "UnsafeProtocolError")


def test_every_class_of_gitpython_has_a_rule(classify):
    for name in git.exc.__all__:
        cls = getattr(git.exc, name)
        exception = cls.__new__(cls)
        error = classify(lambda exception=exception: raise_(exception))
        assert (error.provider, name) == ("git", name)
        assert (type(error) is WRONG, name) == (name in REJECTED_BY_GITPYTHON, name)


def test_a_hook_that_rejects_a_commit(classify, repository):
    hook = os.path.join(repository.git_dir, "hooks", "pre-commit")
    os.makedirs(os.path.dirname(hook), exist_ok=True)
    with open(hook, "w") as file:
        file.write("#!/bin/sh\nexit 1\n")
    os.chmod(hook, 0o755)
    error = classify(lambda: repository.index.commit("two"))
    assert (type(error), error.message) == (CONFLICT, "A hook of the repository rejected this.")


def test_gitpython_s_own_time_limit(classify):
    text = 'Timeout: the command "git fetch" did not complete in 2 secs.'
    error = classify(lambda: raise_(git.exc.GitCommandError(["git", "fetch"], -9, text)))
    assert (type(error), error.effect, error.provider) == (ToolTimeoutError, "possible", "git")


PYGIT2 = [
    ("no repository", lambda r: pygit2.Repository(r.workdir + "none"), MISSING, None),
    ("no revision", lambda r: r.revparse_single("none"), MISSING, "none"),
    ("no reference", lambda r: r.lookup_reference("refs/heads/none"), MISSING, "refs/heads/none"),
    ("no object", lambda r: r["deadbeef" * 5], MISSING, "deadbeef" * 5),
    ("no setting", lambda r: r.config["no.such"], MISSING, "no.such"),
    ("no file", lambda r: r.index.add("none.txt"), MISSING, None),
    ("ambiguous", lambda r: r["a"], WRONG, None),
    ("name", lambda r: r.lookup_reference("bad..name"), WRONG, None),
    ("branch", lambda r: r.branches.local.create("main", r.head.peel()), CONFLICT, None),
    ("not forward", lambda _: raise_(pygit2.GitError("cannot push non-fastforwardable reference")), CONFLICT, None),
    ("changes", lambda _: raise_(pygit2.GitError("1 conflict prevents checkout")), CONFLICT, None),
    ("page", lambda _: raise_(pygit2.GitError("unexpected http status code: 503")), ToolUnavailableError, None),
    ("other", lambda _: raise_(pygit2.GitError("something")), ToolExecutionError, None),
]
PYGIT2_FATAL = [
    (pygit2.AuthError("x"), ToolAuthenticationError),
    (pygit2.GitError("remote authentication required but no callback set"), ToolAuthenticationError),
    (pygit2.CertificateError("x"), ToolConnectionError),
    (pygit2.GitError("failed to resolve address for x.invalid: Name or service not known"), ToolConnectionError),
    (pygit2.GitError("unexpected http status code: 403"), ToolPermissionError),
]


@pytest.mark.parametrize(("raising", "cls", "resource"), [one[1:] for one in PYGIT2], ids=[one[0] for one in PYGIT2])
def test_pygit2(classify, repository, raising, cls, resource):
    error = classify(lambda: raising(pygit2.Repository(repository.working_dir)))
    assert (type(error), error.fatal, error.provider) == (cls, False, "git")
    assert resource in (None, error.resource)


@pytest.mark.parametrize(("exception", "cls"), PYGIT2_FATAL, ids=lambda one: str(one)[:30])
def test_pygit2_and_what_stops_the_run(classify, exception, cls):
    error = classify(lambda: raise_(exception))
    assert (type(error), error.fatal, error.effect, error.provider) == (cls, True, "none", "git")
    assert "the remote repository" in error.message.lower()


DULWICH = [
    ("no repository", lambda r: dulwich.repo.Repo(r.path + "none"), MISSING, None),
    ("no reference", lambda r: r.refs[b"refs/heads/none"], MISSING, "refs/heads/none"),
    ("no object", lambda r: r[b"deadbeef" * 5], MISSING, "deadbeef" * 5),
    ("branch", lambda r: dulwich.porcelain.branch_create(r, "main"), CONFLICT, "main"),
    ("locked", lambda _: raise_(dulwich.file.FileLocked(b"/r/index", b"/r/index.lock")), CONFLICT, "/r/index"),
    ("diverged", lambda _: raise_(dulwich.porcelain.DivergedBranches(b"a", b"b")), CONFLICT, None),
    ("changes", lambda _: raise_(dulwich.errors.WorkingTreeModifiedError("x")), CONFLICT, None),
    ("name", lambda _: raise_(dulwich.errors.RefFormatError("x")), WRONG, None),
    ("page", lambda _: raise_(dulwich.errors.GitProtocolError("unexpected http resp 503 for x")), ToolUnavailableError, None),
    ("lost", lambda _: raise_(dulwich.errors.HangupException()), ToolConnectionError, None),
    ("other", lambda _: raise_(dulwich.porcelain.Error("something")), ToolExecutionError, None),
]  # fmt: skip


@pytest.mark.parametrize(("raising", "cls", "resource"), [one[1:] for one in DULWICH], ids=[one[0] for one in DULWICH])
def test_dulwich(classify, repository, raising, cls, resource):
    with dulwich.repo.Repo(repository.working_dir) as here:
        error = classify(lambda: raising(here))
    assert (type(error), error.fatal, error.provider) == (cls, False, "git")
    assert resource in (None, error.resource)


def test_dulwich_and_a_server(classify, service, closed_port, tmp_path):
    gone = classify(lambda: dulwich.porcelain.clone(f"http://127.0.0.1:{closed_port}/x", tmp_path / "a"))
    assert (type(gone), gone.fatal, gone.effect, gone.provider) == (ToolConnectionError, True, "none", "git")
    service.always = "/401"
    denied = classify(lambda: dulwich.porcelain.clone(f"{service.url}/x", tmp_path / "b"))
    assert (type(denied), denied.fatal, denied.provider) == (ToolAuthenticationError, True, "git")
    away = classify(lambda: dulwich.client.TCPGitClient("127.0.0.1", closed_port).get_refs(b"/x"))
    assert (type(away), away.provider, away.message) == (
        ToolConnectionError,
        "git",
        "The remote repository cannot be reached.",
    )


def test_dulwich_without_an_author(classify):
    error = classify(lambda: raise_(dulwich.repo.DefaultIdentityNotFound("no identity")))
    assert (type(error), error.fatal, error.provider) == (ToolExecutionError, False, "git")
    assert "user.email" in error.user_message


def test_a_lookup_of_the_tool_s_own_is_none_of_git(classify):
    assert classify(lambda: {}["none"]).provider is None
    assert classify(lambda: raise_(ValueError("Remote named 'none' didn't exist"))).provider is None
