"""Programs that a tool ran: which program it was, how it ended, and what it wrote."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from mulligan.plugin import Failure, Rules, ToolError, ToolExecutionError, ToolTimeoutError
from mulligan_ops import _docker, _downloads, _git, _kubernetes, _packages, _ssh

rules = Rules()
PROCESS = (
    "subprocess.CalledProcessError",
    "git.CommandError",
    "sh.ErrorReturnCode",
    "plumbum.ProcessExecutionError",
    "invoke.UnexpectedExit",
    "asyncssh.ProcessError",
)
_WRAPPERS = frozenset(("sudo", "env", "nohup", "nice", "time", "xargs", "exec", "command", "doas", "setpriv"))
_SHELLS = frozenset(("sh", "bash", "zsh", "dash"))
_SAME = {"apt-get": "apt", "apt-cache": "apt", "dpkg": "apt", "aptitude": "apt", "docker-compose": "docker"}
_LONGEST = 8_000
_LIMIT_REACHED = 124
_OPENSSH_FAILED = 255


class Ran(NamedTuple):
    """A program that failed.

    Attributes:
        code: its exit code; negative for a signal, None where it is not told.
        text: the ends of what it wrote to its standard error and to its standard output.
        address: the first URL in the command, or None.
    """

    code: int | None
    text: str
    address: str | None


def ran(failure: Failure, *names: str) -> Ran | None:
    """How a program ended, if one of some programs was in the command that failed.

    Args:
        failure: an exception of a process, or the result of one.
        names: the programs.
    """
    command = _command(failure)
    if names and programs(command).isdisjoint(names):
        return None
    codes = (failure.look(*path) for path in _CODES)
    code = next((code for code in codes if isinstance(code, int) and not isinstance(code, bool)), None)
    written = (_text(failure.look(*path)) for path in _OUTPUTS)
    line = " ".join(map(str, command[:40])) if isinstance(command, (list, tuple)) else str(command)
    address = re.search(r"\b[a-z]{2,6}://[^\s'\"]{1,1000}", line[:4_000])
    return Ran(code, "\n".join(text for text in written if text), address[0] if address else None)


_CODES = (("returncode",), ("exit_code",), ("retcode",), ("exit_status",), ("status",), ("result", "exited"))
_OUTPUTS = (("stderr",), ("result", "stderr"), ("stdout",), ("result", "stdout"))
_COMMANDS = (("cmd",), ("command",), ("full_cmd",), ("argv",), ("result", "command"))


def _command(failure: Failure) -> object:
    paths = _COMMANDS if failure.exception is not None else (("args",), ("command",), ("cmd",))
    found = next((found for path in paths if (found := failure.look(*path)) is not None), None)
    if found is None and failure.exception is None:
        given = failure.arguments or {}
        found = given.get("command") or given.get("cmd")
    return found


def _text(written: object) -> str:
    if isinstance(written, bytes):
        written = written[-_LONGEST:].decode(errors="replace")
    return written[-_LONGEST:].strip() if isinstance(written, str) else ""


def programs(command: Any) -> frozenset[str]:
    """The names of the programs that a command runs, as far as can be told without a shell.

    Args:
        command: a list of words, or a line for a shell.
    """
    if isinstance(command, (list, tuple)):
        return frozenset(_first_programs([str(word) for word in command[:40]]))
    if not isinstance(command, str):
        return frozenset()
    parts = re.split(r"&&|\|\||[;|\n]", command[:2_000])
    return frozenset(name for part in parts for name in _first_programs(part.split()))


def _first_programs(words: list[str]) -> set[str]:
    """The program of one simple command, and those that it wraps."""
    for place, word in enumerate(words):
        name = word.rsplit("/", 1)[-1].removesuffix(".exe").strip("'\"")
        if name in _WRAPPERS or word.startswith("-") or "=" in word:
            continue
        if name == "timeout":
            return {"timeout", *_first_programs(words[place + 2 :])}
        if name in _SHELLS and "-c" in words[place:]:
            return set(programs(" ".join(words[words.index("-c") + 1 :]).strip("'\"")))
        if re.fullmatch(r"pip[\d.]*", name) or words[place + 1 : place + 3] == ["-m", "pip"]:
            return {"pip"}
        return {_SAME.get(name, name)}
    return set()


@rules(*PROCESS)
def git(failure: Failure) -> ToolError | None:
    """git: what it says of the repository here, and of the remote one."""
    run = ran(failure, "git")
    return None if run is None else _git.git(failure, run.text)


@rules("git.InvalidGitRepositoryError", "git.NoSuchPathError")
def git_repository(failure: Failure) -> ToolError:
    """GitPython: the path holds no repository, or is not there."""
    return _git.no_repository(failure)


@rules(*PROCESS)
def curl(failure: Failure) -> ToolError | None:
    """curl: its documented exit codes, and the HTTP status."""
    run = ran(failure, "curl")
    return None if run is None else _downloads.curl(failure, *run)


@rules(*PROCESS)
def wget(failure: Failure) -> ToolError | None:
    """wget: its documented exit codes, and the HTTP status."""
    run = ran(failure, "wget")
    return None if run is None else _downloads.wget(failure, *run)


@rules(*PROCESS)
def openssh(failure: Failure) -> ToolError | None:
    """ssh, scp, sftp and rsync: the connection; another exit code of ssh is that of the remote program."""
    run = ran(failure, "ssh", "scp", "sftp", "rsync", "ssh-copy-id")
    if run is None or (run.code != _OPENSSH_FAILED and ran(failure, "ssh") is not None):
        return None
    return _ssh.openssh(failure, run.text)


@rules(*PROCESS)
def docker(failure: Failure) -> ToolError | None:
    """docker: what the daemon and the registry answered."""
    run = ran(failure, "docker")
    return None if run is None else _docker.docker(failure, run.text)


@rules(*PROCESS)
def kubectl(failure: Failure) -> ToolError | None:
    """kubectl: the API server's reason, or kubectl's own words."""
    run = ran(failure, "kubectl")
    return None if run is None else _kubernetes.kubectl(failure, run.text)


@rules(*PROCESS)
def npm(failure: Failure) -> ToolError | None:
    """npm: its error codes."""
    run = ran(failure, "npm", "npx")
    return None if run is None else _packages.npm(failure, run.text)


@rules(*PROCESS)
def pip(failure: Failure) -> ToolError | None:
    """pip: what it says of requirements, indexes and the environment."""
    run = ran(failure, "pip")
    return None if run is None else _packages.pip(failure, run.text)


@rules(*PROCESS)
def apt(failure: Failure) -> ToolError | None:
    """apt and dpkg: what they say of packages, locks and sources."""
    run = ran(failure, "apt")
    return None if run is None else _packages.apt(failure, run.text)


@rules(*PROCESS)
def ended(failure: Failure) -> ToolError | None:
    """Any program: ended at the limit that `timeout` set, or by a signal."""
    run = ran(failure)
    if run is None or run.code is None:
        return None
    if run.code == _LIMIT_REACHED and ran(failure, "timeout") is not None:
        return ToolTimeoutError("The program was ended at its time limit.")
    if run.code < 0:
        return ToolExecutionError(f"The program was ended by signal {-run.code}; it may have used too much memory.")
    return None


@rules()
def returned(failure: Failure) -> ToolError | None:
    """The result of a program that failed, where the tool returned it instead of raising."""
    if failure.exception is not None or not isinstance(failure.look("returncode"), int):
        return None
    decided = (decide(failure) for decide in (git, curl, wget, openssh, docker, kubectl, npm, pip, apt, ended))
    return next((error for error in decided if error is not None), None)
