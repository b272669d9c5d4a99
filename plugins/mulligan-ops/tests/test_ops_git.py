"""A real git, by subprocess, by a shell, by GitPython, invoke, sh and plumbum."""

from __future__ import annotations

import gc
import subprocess

import git as gitpython
import invoke
import plumbum
import pytest
import sh

from mulligan.plugin import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolUnavailableError,
)

pytestmark = pytest.mark.program("git")
MISSING, CONFLICT, WRONG = ResourceNotFoundError, ResourceConflictError, ToolArgumentError


@pytest.fixture
def repository(run, tmp_path):
    """A repository `here` with one commit, a branch, a tag, and a remote `bare`."""

    def do(*command, cwd="here"):
        subprocess.run(["git", *command], check=True, capture_output=True, cwd=tmp_path / cwd, env=run.settings)

    do("init", "-b", "main", "here", cwd=".")
    do("init", "--bare", "-b", "main", "bare", cwd=".")
    (tmp_path / "here" / "a.txt").write_text("1\n")
    do("add", "a.txt")
    do("commit", "-m", "one")
    do("branch", "side")
    do("tag", "v1")
    do("remote", "add", "origin", "../bare")
    do("push", "origin", "main")
    do.path = tmp_path / "here"
    return do


COMMANDS = [
    ("checkout none", MISSING, "none"),
    ("branch -d none", MISSING, "none"),
    ("tag -d none", MISSING, "none"),
    ("log none", MISSING, "none"),
    ("show HEAD:none.txt", MISSING, "none.txt"),
    ("cat-file -p deadbeef", MISSING, "deadbeef"),
    ("merge none", MISSING, "none"),
    ("rebase none", MISSING, "none"),
    ("push origin none", MISSING, "none"),
    ("fetch origin none", MISSING, "none"),
    ("push nowhere", MISSING, "nowhere"),
    ("remote get-url nowhere", MISSING, "nowhere"),
    ("clone /nowhere copy", MISSING, "/nowhere"),
    ("add none.txt", MISSING, "none.txt"),
    ("mv none.txt x", MISSING, "none.txt"),
    ("stash pop", MISSING, None),
    ("branch side", CONFLICT, "side"),
    ("tag v1", CONFLICT, "v1"),
    ("remote add origin x", CONFLICT, "origin"),
    ("clone . .", CONFLICT, "."),
    ("commit -m x", CONFLICT, None),
    ("push", CONFLICT, None),
    ("branch -D main", CONFLICT, None),
    ("nonsense", WRONG, None),
    ("log --nonsense", WRONG, None),
    ("branch a..b", WRONG, None),
]


@pytest.mark.parametrize(("command", "cls", "resource"), COMMANDS, ids=[one[0] for one in COMMANDS])
def test_what_git_says(run, repository, command, cls, resource):
    error = run("git", *command.split(), cwd=repository.path)
    assert (type(error), error.resource) == (cls, resource)
    assert (error.provider, error.rule, error.fatal) == ("git", "mulligan_ops:git", False)
    if "already" in error.message or error.message.startswith("It exists"):
        assert error.code == "ALREADY_EXISTS"


def test_outside_of_a_repository(run, tmp_path):
    assert type(run("git", "status", cwd=tmp_path)) is ResourceNotFoundError


def test_changes_that_are_in_the_way_and_changes_that_collide(run, repository):
    repository("checkout", "side")
    (repository.path / "a.txt").write_text("2\n")
    repository("commit", "-am", "two")
    repository("checkout", "main")
    (repository.path / "a.txt").write_text("3\n")
    dirty = run("git", "checkout", "side", cwd=repository.path)
    assert (type(dirty), dirty.effect) == (ResourceConflictError, "none")
    assert dirty.message == "Local changes prevent this. Commit or stash them first."
    repository("commit", "-am", "three")
    collided = run("git", "merge", "side", cwd=repository.path)
    assert (type(collided), collided.resource, collided.effect) == (ResourceConflictError, "a.txt", "possible")
    assert "Merge them by hand" in collided.message
    assert "Merge them by hand" in run("git", "commit", "-m", "x", cwd=repository.path).message


def test_a_push_that_the_remote_side_does_not_take(run, repository, tmp_path):
    repository("clone", "../bare", "../other")
    (tmp_path / "other" / "b.txt").write_text("1\n")
    repository("add", "b.txt", cwd="other")
    repository("commit", "-m", "b", cwd="other")
    repository("push", "origin", "main", cwd="other")
    repository("commit", "--allow-empty", "-m", "c")
    behind = run("git", "push", "origin", "main", cwd=repository.path)
    assert (type(behind), behind.effect) == (ResourceConflictError, "none")
    assert "Fetch and merge them first" in behind.message
    hook = tmp_path / "bare" / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    refused = run("git", "push", "origin", "side", cwd=repository.path)
    assert (type(refused), refused.fatal) == (ToolPermissionError, False)


def test_a_lock_that_another_git_holds(run, repository):
    (repository.path / ".git" / "index.lock").touch()
    error = run("git", "add", "a.txt", cwd=repository.path)
    assert (type(error), error.code, error.transient) == (ResourceConflictError, "ABORTED", True)
    assert error.resource.endswith(".git/index.lock")


STATUSES = {
    "403": (ToolPermissionError, True),
    "404": (ResourceNotFoundError, False),
    "429": (ToolRateLimitError, False),
    "503": (ToolUnavailableError, False),
}


@pytest.mark.parametrize("status", STATUSES)
def test_what_a_remote_service_answers(run, service, status):
    error = run("git", "ls-remote", f"{service.url}/{status}/x.git")
    assert (type(error), error.fatal) == STATUSES[status]
    assert error.resource == f"{service.url}/{status}/x.git/"
    assert error.http_status == (None if status == "404" else int(status))  # git words a 404 by itself


def test_credentials_that_are_asked_for(run, service):
    service.replies["GET /x.git/info/refs"] = (401, {})
    error = run("git", "ls-remote", f"{service.url}/401/x.git")
    assert type(error) is ToolAuthenticationError or error.http_status == 401
    assert error.fatal


def test_remotes_that_cannot_be_reached(run, closed_port):
    here = f"127.0.0.1:{closed_port}"
    for url, named in ((f"http://{here}/x", "127.0.0.1"), ("http://git.example.invalid/x", "git.example.invalid")):
        error = run("git", "clone", url)
        assert (type(error), error.fatal, error.effect, error.resource) == (ToolConnectionError, True, "none", named)
        assert not run("git", "clone", url, arguments={"url": url}).fatal


@pytest.mark.program("ssh")
def test_a_remote_over_ssh_that_cannot_be_reached(run, closed_port):
    error = run("git", "clone", f"ssh://git@127.0.0.1:{closed_port}/x")
    assert (type(error), error.fatal, error.provider) == (ToolConnectionError, True, "git")


def test_a_shell_around_it(run, repository):
    inside = {"cwd": repository.path}
    for error in (
        run("git fetch && git checkout none", shell=True, **inside),
        run("sh", "-c", "git checkout none", **inside),
        run("env", "A=b", "git", "checkout", "none", **inside),
    ):
        assert (type(error), error.rule, error.resource) == (ResourceNotFoundError, "mulligan_ops:git", "none")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # plumbum leaves its pipes open
def test_other_libraries_that_run_it(classify, run, repository, monkeypatch):
    monkeypatch.chdir(repository.path)
    for name, value in run.settings.items():
        monkeypatch.setenv(name, value)
    for raising in (
        lambda: gitpython.Repo(".").git.checkout("none"),
        lambda: invoke.run("git checkout none", hide=True, in_stream=False),
        lambda: sh.git("checkout", "none"),
        lambda: plumbum.local["git"]("checkout", "none"),
    ):
        error = classify(raising)
        assert (type(error), error.rule, error.resource) == (ResourceNotFoundError, "mulligan_ops:git", "none")
    gc.collect()


def test_gitpython_and_a_folder_without_a_repository(classify, tmp_path):
    for path in (tmp_path, tmp_path / "nowhere"):
        error = classify(lambda path=path: gitpython.Repo(path))
        assert (type(error), error.resource) == (ResourceNotFoundError, str(path))


def test_a_result_that_the_tool_returns(pipeline, run, repository):
    result = subprocess.run(["git", "checkout", "none"], capture_output=True, cwd=repository.path, env=run.settings)
    error = pipeline.classify(result, tool="shell")
    assert (type(error), error.rule, error.resource) == (ResourceNotFoundError, "mulligan_ops:returned", "none")
    mapping = {"returncode": result.returncode, "stdout": "", "stderr": result.stderr.decode()}
    error = pipeline.classify(mapping, tool="shell", arguments={"command": "git checkout none"})
    assert (type(error), error.rule, error.resource) == (ResourceNotFoundError, "mulligan_ops:returned", "none")


def test_an_exit_code_that_says_nothing(run, repository):
    error = run("git", "config", "no.such", cwd=repository.path)
    assert (type(error), error.fatal, error.provider) == (ToolExecutionError, False, "git")
    assert error.message == "The program failed with exit status 1."


def test_a_push_of_which_a_part_was_taken(run, repository, tmp_path):
    repository("clone", "../bare", "../other")
    repository("commit", "--allow-empty", "-m", "b", cwd="other")
    repository("push", "origin", "main", cwd="other")
    repository("commit", "--allow-empty", "-m", "c")
    error = run("git", "push", "origin", "main", "side", cwd=repository.path)
    assert (type(error), error.effect) == (ResourceConflictError, "possible")


def test_a_line_of_several_commands_may_have_done_something(run, repository, closed_port):
    push = f"git push http://127.0.0.1:{closed_port}/x main"
    alone, after = (run(line, shell=True, cwd=repository.path) for line in (push, f"git tag v2 && {push}"))
    assert [type(alone), type(after)] == [ToolConnectionError] * 2
    assert [alone.effect, after.effect] == ["none", "possible"]


def test_programs_that_are_wrapped(run, repository):
    for wrapped in ("nice -n 5 git", "timeout -k 1 9s git", "env -u NOTHING A=b git"):
        error = run(f"{wrapped} checkout none", shell=True, cwd=repository.path)
        assert (type(error), error.rule) == (ResourceNotFoundError, "mulligan_ops:git")
