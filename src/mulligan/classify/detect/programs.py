"""Failures of programs: exit statuses with what was written, time limits, notebooks and tracebacks.

Exit statuses: 124 to 127 are those of `timeout` and of POSIX shells (https://www.gnu.org/software/coreutils/timeout,
https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_08_02), and 128 + n that of signal n.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from signal import Signals
from typing import Any

from mulligan.classify import meanings
from mulligan.classify.detect.mappings import is_empty
from mulligan.classify.detect.reports import coded
from mulligan.classify.detect.sentences import sense
from mulligan.classify.detect.subject import Subject
from mulligan.classify.detect.traces import detect_trace
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.reasons import reason_of
from mulligan.untrusted.classes import as_dict, is_a

_STATUSES = (
    "returncode",
    "return_code",
    "exit_code",
    "exitCode",
    "exitcode",
    "ExitCode",
    "exit_status",
    "exited",
    "code",
)
_OUTPUTS = ("stdout", "output", "out", "Stdout", "stdout_bytes", "output_bytes")
_ERRORS = ("stderr", "err", "Stderr", "stderr_bytes")
FIELDS = (*_STATUSES[:-1], *_OUTPUTS, *_ERRORS, "timed_out")
_BY_STATUS: Mapping[int, tuple[str, str]] = {
    124: ("TIMEOUT", "The program was stopped at its time limit (exit status 124)."),
    126: ("PERMISSION_DENIED", "The program cannot be executed (exit status 126)."),
    127: ("NOT_FOUND", "The program does not exist (exit status 127)."),
    130: ("CANCELLED", "The program was interrupted (exit status 130)."),
}
_COMPLAINT = re.compile(
    r"(?:[\w./-]{1,60}: )?(?:error|fatal|panic|ERROR|FATAL|Error)\b(?!: \d+\n)"
    r"|[\w./-]{1,60}(?::\d{1,6}){0,2}: (?:fatal )?(?:error|cannot|unable|failed)"
)
_REPORTED = re.compile(r"^(?:CONFLICT \(|(?:error|fatal|ERROR|FATAL|E): \S)", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last)"
_RAISED = re.compile(
    r"(?:[A-Za-z_]\w{0,60}\.){0,8}_?([A-Z]\w{0,60}(?:Error|Exception|Exit|Interrupt|Warning))\b(?:: |$)"
)
_NAMED = re.compile(r"(?:[A-Z]\w{0,60} +)?")  # IPython writes the name of the class before it
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_TAIL = 5_000
_LONGEST_TEXT = 2_000


def detect_program(value: Mapping[str, Any], subject: Subject) -> Failure | None:
    """Detects a program that failed, given as a mapping of its exit status and what it wrote.

    Args:
        value: the mapping.
        subject: what the tool was asked for.
    """
    if value.get("OOMKilled") is True or value.get("oom_killed") is True:
        return (
            None
            if subject.is_record or subject.is_reading
            else coded("STORAGE_LIMIT", "The program ran out of memory.")
        )
    is_program = any(name in value for name in (*_OUTPUTS, *_ERRORS))
    if is_program and value.get("killed") is True and not subject.is_record:
        reason = next((value[name] for name in ("reason", "message", "error") if type(value.get(name)) is str), "")
        return coded(
            "TIMEOUT" if sense(reason) is meanings.TIMEOUT else "INTERNAL", reason or "The program was stopped."
        )
    if is_program and any(value.get(name) is True for name in ("timed_out", "timedOut", "timeout")):
        return coded("TIMEOUT", _text(_first(value, _ERRORS))[-_LONGEST_TEXT:])
    status = next((value[name] for name in _STATUSES if type(value.get(name)) is int), None)
    if status is None or not is_program:
        return None
    has_streams = any(name in value for name in _ERRORS)
    if not has_streams and "code" in value and not any(name in value for name in _STATUSES[:-1]):
        return None  # a code next to some output is rarely an exit status
    return detect_exit(
        status, _first(value, _OUTPUTS), _first(value, _ERRORS), subject, is_merged=not has_streams, value=value
    )


def detect_exit(
    status: int, stdout: Any, stderr: Any, subject: Subject, *, is_merged: bool = False, value: Any = None
) -> Failure | None:
    """Detects a program that failed. A report on standard output, as of a linter, is a result.

    Args:
        status: its exit status.
        stdout: its standard output.
        stderr: its standard error.
        subject: what the tool was asked for.
        is_merged: whether standard output contains standard error, too.
        value: the tool's return value, or None.
    """
    if status == 0 or status is True or subject.is_record:
        return None
    output, complaint = _text(stdout).strip(), _text(stderr).strip()[-_LONGEST_TEXT:]
    if is_merged:
        complaint, output = output[-_LONGEST_TEXT:], ""
        last = complaint.rpartition("\n")[2]  # a program that gives up says so last; a linter ends with a count
        is_report = _COMPLAINT.match(complaint) or (not subject.is_verdict and _REPORTED.match(last))
        if said(complaint) is None and not is_report and detect_trace(complaint) is None:
            complaint = ""
    trace = detect_trace(complaint) or detect_traceback(complaint) if complaint else None
    if trace is not None and not subject.is_verdict:
        return trace
    if not complaint and not subject.is_verdict and len(output) <= _LONGEST_TEXT and _REPORTED.search(output):
        return Failure(value=value or output, message=output)  # git writes conflicts to standard output
    if complaint and said(complaint) is not None and (not output or _COMPLAINT.match(complaint)):
        return Failure(value=value or complaint, message=complaint)
    known_code = _by_status(status, complaint)
    if known_code is not None:
        return known_code
    is_loud = bool(complaint) and (not output or (not subject.is_verdict and _COMPLAINT.match(complaint) is not None))
    return Failure(value=value or complaint, message=complaint) if is_loud else None


def _by_status(status: int, complaint: str) -> Failure | None:
    if status in _BY_STATUS:
        code, message = _BY_STATUS[status]
        return coded(code, complaint or message)
    number = -status if -65 < status < 0 else status - 128
    if 0 < number < 65 and number in _signals():
        name = Signals(number).name
        code = "CANCELLED" if name == "SIGINT" else "INTERNAL"
        return coded(code, complaint or f"The program was ended by the signal {name}.")
    return None


def _signals() -> frozenset[int]:
    return frozenset(Signals)


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if not is_empty(value.get(name))), None)


def _text(written: Any) -> str:
    if is_a(written, bytes):
        return bytes(written[-_TAIL:]).decode("utf-8", "replace")
    return written[-_TAIL:] if type(written) is str else ""


def detect_streams(value: tuple[Any, ...], subject: Subject) -> Failure | None:
    """Detects a failed program given as `(stdout, stderr, status)` or `(status, stdout, stderr)`.

    Args:
        value: the tuple.
        subject: what the tool was asked for.
    """
    if len(value) != 3:
        return None
    status, stdout, stderr = value if type(value[0]) is int else (value[2], value[0], value[1])
    if type(status) is not int or not all(is_a(one, str, bytes) for one in (stdout, stderr)):
        return None
    return detect_exit(status, stdout, stderr, subject)


def detect_notebook(value: Mapping[str, Any]) -> Failure | None:
    """Detects an error of a notebook's kernel: an `execute_reply`, an `error` output, or an aborted cell.

    https://jupyter-client.readthedocs.io/en/stable/messaging.html#request-reply
    """
    if is_a(value.get("header"), Mapping) and is_a(value.get("content"), Mapping):
        if as_dict(value["header"]).get("msg_type") not in ("execute_reply", "error"):
            return None
        value = as_dict(value["content"])
        if value.get("status") in ("aborted", "abort"):
            return coded("CANCELLED", "The cell was not run, since an earlier one failed.")
    name, message = value.get("ename"), value.get("evalue")
    is_error = value.get("status") == "error" or value.get("output_type") == "error" or "traceback" in value
    if type(name) is str and type(message) is str and is_error:
        return raised(f"{name}: {message}")
    return None


def detect_traceback(text: str) -> Failure | None:
    """Detects a text that ends with a traceback of Python, as the output of an interpreter does.

    Args:
        text: what was written.
    """
    tail = text[-_TAIL:]
    at = tail.rfind(_TRACEBACK)
    if at < 0:
        return None
    tail = _COLOURS.sub("", tail)
    at = tail.rfind(_TRACEBACK)
    start = tail.rfind("\n", 0, at) + 1
    if not _NAMED.fullmatch(tail[start:at]):
        return None  # quoted, or in a docstring
    lines = tail[at:].rstrip().splitlines()[1:]
    ends = [place for place, line in enumerate(lines) if _RAISED.match(line)]
    if (
        not ends
        or any(line[:1] not in (" ", "\t", "") for line in lines[ends[-1] + 1 :][:1])
        or len(lines) - ends[-1] > 6
    ):
        return None
    return raised("\n".join(lines[ends[-1] :]))


def raised(report: str) -> Failure:
    """The failure of an exception that was reported as `Class: message`.

    Args:
        report: its last lines.
    """
    found = _RAISED.match(report)
    name = found[1] if found else ""
    if (not name or reason_of(name) is None) and said(report) is None:
        return coded("INTERNAL", report[:_LONGEST_TEXT])  # the words of an unknown exception are a programmer's
    code = {"type": name} if name and reason_of(name) is not None else {}
    return Failure(value={**code, "message": report[:_LONGEST_TEXT]}, message=report[:_LONGEST_TEXT])
