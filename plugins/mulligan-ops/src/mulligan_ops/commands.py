"""Programs that a tool ran: which program it was, how it ended, and what it wrote."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from mulligan.plugin import Failure, Rules, ToolError, ToolExecutionError, ToolTimeoutError, meanings, said
from mulligan_ops import docker_command, downloads, packages, sftp, ssh
from mulligan_ops import git as git_command
from mulligan_ops import kubectl as kubectl_command

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
_TAKING_VALUE = frozenset(("-u", "-g", "-n", "-k", "-s", "-C"))
_SHELLS = frozenset(("sh", "bash", "zsh", "dash"))
_PROGRAM_ALIASES = {"apt-get": "apt", "apt-cache": "apt", "dpkg": "apt", "aptitude": "apt"}
_ADDRESS = r"\b[a-z]{2,6}://[^\s'\"]{1,1000}"
_JOINED = r"&&|\|\||[;|\n]"
_DURATION = r"[\d.]+[smhd]?"
_LONGEST = 8_000
_LIMIT_REACHED, _KILLED = 124, -9
_QUOTED_BY_GITPYTHON = re.compile(r"\A\n  std(?:err|out): '")
_OPENSSH_FAILED = 255


class FailedProgram(NamedTuple):
    """A program that failed.

    Attributes:
        code: its exit code; negative for a signal, None if it is unknown.
        text: the ends of its standard error and standard output.
        line: the command.
    """

    code: int | None
    text: str
    line: str

    @property
    def address(self) -> str | None:
        """The first URL in the command, or None."""
        match = re.search(_ADDRESS, self.line)
        return match[0] if match else None

    @property
    def program(self) -> str | None:
        """The program, if the command runs a single one that a rule handles."""
        names = programs(self.line) - {"timeout"}
        return next(iter(names)) if len(names) == 1 and names <= KNOWN else None

    @property
    def is_single_command(self) -> bool:
        """Whether the line is a single command with a single URL, so that nothing else can have been done."""
        return not re.search(_JOINED, self.line) and len(re.findall(_ADDRESS, self.line)) < 2


ClassifyProgram = Callable[[Failure, FailedProgram], ToolError | None]


def read_program(failure: Failure, *names: str) -> FailedProgram | None:
    """How a program ended, if the failed command contains one of the given programs.

    Args:
        failure: an exception of a process, or the result of one.
        names: the programs.
    """
    command = _command(failure)
    if names and programs(command).isdisjoint(names):
        return None
    codes = (failure.look(*path) for path in _CODES)
    code = next((code for code in codes if isinstance(code, int) and not isinstance(code, bool)), None)
    outputs = (_text(failure.look(*path)) for path in _OUTPUTS)
    line = " ".join(map(str, command[:40])) if isinstance(command, (list, tuple)) else str(command)
    return FailedProgram(code, "\n".join(text for text in outputs if text), line[:4_000])


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
    if not isinstance(written, str):
        return ""
    quoted = _QUOTED_BY_GITPYTHON.match(written)
    return (written[quoted.end() : -1] if quoted else written)[-_LONGEST:].strip()


def programs(command: Any) -> frozenset[str]:
    """The names of the programs that a command runs, as far as they can be determined without a shell.

    Args:
        command: a list of words, or a line for a shell.
    """
    if isinstance(command, (list, tuple)):
        return frozenset(_first_programs([str(word) for word in command[:40]]))
    if not isinstance(command, str):
        return frozenset()
    parts = re.split(_JOINED, command[:2_000])
    return frozenset(name for part in parts for name in _first_programs(part.split()))


def _first_programs(words: list[str]) -> set[str]:
    """The program of a simple command, and those that it wraps: `sudo -u ci timeout 9 git fetch`."""
    for place, word in enumerate(words):
        name = word.rsplit("/", 1)[-1].removesuffix(".exe").strip("'\"(")
        is_value = place > 0 and words[place - 1] in _TAKING_VALUE
        if name in _WRAPPERS or is_value or word.startswith("-") or "=" in word or re.fullmatch(_DURATION, word):
            continue
        if name == "timeout":
            return {"timeout", *_first_programs(words[place + 1 :])}
        if name in _SHELLS and "-c" in words[place:]:
            return set(programs(" ".join(words[words.index("-c") + 1 :]).strip("'\"")))
        if re.fullmatch(r"pip[\d.]*", name) or words[place + 1 : place + 3] == ["-m", "pip"]:
            return {"pip"}
        return {_PROGRAM_ALIASES.get(name, name)}
    return set()


KNOWN: set[str] = set()
PROGRAMS: list[Callable[[Failure], ToolError | None]] = []


def program(*names: str) -> Callable[[ClassifyProgram], ClassifyProgram]:
    """Makes a function a rule for the given programs.

    If a line has several commands, or a command several objects, some may have been processed before the failure.

    Args:
        names: the programs; if there are none, the rule applies to every program.
    """

    def add(read: ClassifyProgram) -> ClassifyProgram:
        @rules(*PROCESS)
        @wraps(read)
        def rule(failure: Failure) -> ToolError | None:
            run = read_program(failure, *names)
            error = None if run is None else read(failure, run)
            if error is None or run is None:
                return None
            if not (run.is_single_command and "effect" in vars(error)):
                error.effect = "possible"
            error.provider = error.provider or run.program
            return error

        PROGRAMS.append(rule)
        KNOWN.update(names)
        return read

    return add


@program("git")
def git(failure: Failure, run: FailedProgram) -> ToolError | None:
    """git: its messages about the local and the remote repository."""
    return git_command.git(failure, run.text)


@program("curl")
def curl(failure: Failure, run: FailedProgram) -> ToolError | None:
    """curl: its documented exit codes, and the HTTP status."""
    return downloads.curl(failure, run.code, run.text, run.line, run.address)


@program("wget")
def wget(failure: Failure, run: FailedProgram) -> ToolError | None:
    """wget: its documented exit codes, and the HTTP status."""
    return downloads.wget(failure, run.code, run.text, run.address)


@program("ssh", "scp", "sftp", "rsync", "ssh-copy-id")
def openssh(failure: Failure, run: FailedProgram) -> ToolError | None:
    """ssh, scp, sftp and rsync: the connection. Any other exit code of ssh is the remote program's."""
    if run.code != _OPENSSH_FAILED and "ssh" in programs(_command(failure)):
        return None
    return ssh.openssh(failure, run.text)


@program("docker", "docker-compose")
def docker(failure: Failure, run: FailedProgram) -> ToolError | None:
    """docker: the response of the daemon or registry, or how the program in the container ended."""
    return docker_command.docker(failure, run.code, run.text, run.line)


@program("kubectl")
def kubectl(failure: Failure, run: FailedProgram) -> ToolError | None:
    """kubectl: the API server's reason, or kubectl's own message."""
    return kubectl_command.kubectl(failure, run.text)


@program("npm", "npx")
def npm(failure: Failure, run: FailedProgram) -> ToolError | None:
    """npm: its error codes."""
    return packages.npm(failure, run.text)


@program("pip")
def pip(failure: Failure, run: FailedProgram) -> ToolError | None:
    """pip: its messages about requirements, indexes and the environment."""
    return packages.pip(failure, run.text)


@program("apt")
def apt(failure: Failure, run: FailedProgram) -> ToolError | None:
    """apt and dpkg: their messages about packages, locks and sources."""
    return packages.apt(failure, run.text)


@program()
def ended(failure: Failure, run: FailedProgram) -> ToolError | None:
    """Any program: ended by `timeout` or by a signal."""
    if run.code == _LIMIT_REACHED and "timeout" in programs(_command(failure)):
        return ToolTimeoutError("The program was stopped at its time limit.")
    if run.code is not None and run.code < 0:
        reason = "; it may have used too much memory" if run.code == _KILLED else ""
        return ToolExecutionError(f"The program was stopped by signal {-run.code}{reason}.")
    return None


def known(failure: Failure, run: FailedProgram) -> ToolError:
    """Any other message of the programs above, by phrases that all programs use."""
    ended = "" if run.code is None else f" with exit status {run.code}"
    message = f"The program failed{ended}."
    meaning = said(run.text, _ANY_PROGRAM)
    if meaning is None:
        return ToolExecutionError(message)
    fatal = False if meaning is meanings.PERMISSION else None
    named = meaning is meanings.NOT_FOUND and failure.resource
    return meanings.error_of(failure, meaning, message=None if named else message, fatal=fatal)


_ANY_PROGRAM = (
    meanings.NOT_FOUND,
    meanings.PERMISSION,
    meanings.EXISTS,
    meanings.DISK_FULL,
    meanings.AUTHENTICATION,
    meanings.UNREACHABLE,
)
program(*sorted(KNOWN))(known)


@rules("invoke.CommandTimedOut", "plumbum.ProcessTimedOut", "sh.TimeoutException", "asyncssh.TimeoutError")
def too_slow(failure: Failure) -> ToolError:
    """The library's timeout for the program expired."""
    return ToolTimeoutError("The program was stopped at its time limit.", provider=_provider(failure))


@rules("plumbum.CommandNotFound", "sh.CommandNotFound")
def no_program(failure: Failure) -> ToolError:
    """The program is not on the PATH."""
    name = failure.look("program") or failure.text
    return meanings.error_of(failure, meanings.NOT_FOUND, resource=str(name)[:300], effect="none")


@rules("invoke.AuthFailure")
def rejected_password(failure: Failure) -> ToolError:
    """sudo did not accept the password."""
    return meanings.error_of(failure, meanings.AUTHENTICATION, service="sudo", provider="sudo")


@rules("fabric.exceptions.GroupException")
def several_hosts(failure: Failure) -> ToolError | None:
    """fabric: the first failure of several hosts. The command may have run on the others."""
    hosts = failure.look("result")
    ended = list(hosts.values())[:100] if isinstance(hosts, dict) else []
    found = (_decide(failure.about(one)) for one in ended if isinstance(one, BaseException))
    error = next((error for error in found if error is not None), None)
    if error is not None:
        error.effect = "possible"
    return error


def _decide(failure: Failure) -> ToolError | None:
    return next((error for known in (ssh.rules, sftp.rules, rules) if (error := known.decide(failure))), None)


def _provider(failure: Failure) -> str | None:
    run = read_program(failure)
    return run.program if run else None


@rules.returned
def returned(failure: Failure) -> ToolError | None:
    """The result of a failed program, if the tool returned it instead of raising."""
    if not isinstance(failure.look("returncode"), int):
        return None
    decided = (decide(failure) for decide in PROGRAMS)
    return next((error for error in decided if error is not None), None)
