"""Texts that report a failure: a short one that starts like an error report, or the fixed sentence of a framework."""

from __future__ import annotations

import re

from mulligan.classify import meanings
from mulligan.classify.detect.mappings import leading_status
from mulligan.classify.detect.programs import detect_exit, detect_traceback
from mulligan.classify.detect.reports import coded
from mulligan.classify.detect.subject import Subject
from mulligan.classify.failure import Failure
from mulligan.classify.missing_tool import missing_tool_name
from mulligan.classify.phrases import said
from mulligan.classify.reasons import reason_of
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

_LONGEST_REPORT = 600
_LONGEST_SENTENCE = 300
_MOST_LINES = 3
_MOST_OUTPUT_LINES = 10
_TELLING = (
    ResourceNotFoundError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)
_TELLING_AFTER_TOPIC = (*_TELLING, ResourceConflictError, ToolArgumentError)
_PROTOCOL = re.compile(r"(?:Error (?:executing|calling|running|invoking) (?:tool|function)\b|MCP error -32\d{3}\b)")
_REPORT = re.compile(
    r"(?:(?:Error|ERROR|Fatal error|fatal|Exception)(?: [a-z][^:\n]{0,80}| \(?[45]\d\d\)?)?"
    r"|HTTP(?: Error)? [45]\d\d|([A-Z]\w{1,60}(?:Error|Exception))|(?:Failed|Unable) to [^:\n]{1,80}): ?(\S[^\n]*)"
)
_MARK = r"(?:[\u274c\u2717\u26a0\U0001f6ab\U0001f6d1]\ufe0f? ?)?"
_PLAIN_REPORT = re.compile(
    rf"{_MARK}\[?"
    r"(?:(?:Error|ERROR|Fatal error|FATAL|Tool error|Execution error|API error|HTTP error|Fehler|Erreur|Errore)"
    r"(?: [a-z][^:\n]{0,60})?\]?:"
    r"|(?:An?|The following) (?:unexpected |internal )?errors? (?:has |have )?occurred\b|Something went wrong\b"
    r"|Sorry, (?:but )?(?:I|we) (?:could not|couldn't|can't|cannot|was unable|were unable|am unable)\b"
    r"|(?:Failed|Unable) to [a-z]+ |(?:Could not|Couldn't|Cannot|Can't) [a-z]+ "
    r"|(?:The )?(?:[Rr]equest|[Oo]peration|[Cc]all|[Cc]ommand|[Qq]uery|[Ee]xecution|[Tt]ool execution|[Cc]onnection) failed\b"
    r"|Request (?:timed out|was rejected|error)\b|HTTP(?: error)? [45]\d\d\b"
    r"|(?:Blocked|Denied|Refused|Rejected|Forbidden|Access denied|Permission denied|Not allowed):"
    r"|(?:Invalid|Unsupported|Unrecognized|Unknown|Missing) [a-z]+(?: [a-z]+){0,3}: )"
)
_TOPIC = re.compile(rf"{_MARK}[A-Z][\w' -]{{2,40}} (?:failed|error|exception): (\S.*)", re.DOTALL)
_MARKED = re.compile(r"<((?:\w{1,20}_)?error)>(.{1,500})</\1>", re.DOTALL)
_EXCEPTION = re.compile(
    r"\((?:\w{1,40}\.){1,4}\w{1,60}(?:Error|Exception)\) |(?:[a-z_]\w{0,40}\.){0,4}[A-Z]\w{1,60}(?:Error|Exception)\(.*\)\Z",
    re.DOTALL,
)
_STATUS = re.compile(
    r"\W{0,2}(?:exit(?:ed with)?|return|Exit|Exited with|Command failed with exit)(?: code| status)[: ]{1,2}(\d{1,3})\W{0,2}"
)
_OUTPUT_ERROR = re.compile(r"^(?:error|fatal): \S", re.MULTILINE)
_REFUSED = re.compile(
    r"\b(?:cancelled|canceled|rejected|declined|denied|aborted) by (?:the )?user\b"
    r"|\b[Uu]ser (?:has )?(?:rejected|declined|denied|cancelled|canceled) (?:this|the)\b"
)
_RETURNED = re.compile(
    r"\b(?:returned|with|status|code|HTTP|error)(?: an?)?(?: HTTP)?(?: status)?(?: code)?:? ([45]\d\d)\b"
)
_LOG = re.compile(r"\n\W{0,2}(?:error|warn|info|debug)", re.IGNORECASE)
_NO_SENTENCE = re.compile(
    r"[\d\[(]|(?:raise|return|throw|def|class|import|from|if|for|while|try)\b"
)  # a log, or source
_SENTENCE = re.compile(r"(?<=[.!?])\s|\n")
_SHELL = re.compile(r"(?:[\w.+/-]{1,60}: ){1,3}[^\n:]{1,160}(?:: [^\n]{1,160})?")
_DOCUMENTATION = re.compile(r"(?:If|Raised|When|Occurs|This|The exception|is|Thrown)\b")
_NOTHING = re.compile(r"(?:[\d.,%\s+-]+|none|no|null|nil|n/a|false)\.?", re.IGNORECASE)
_FRAMEWORKS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), code)
    for pattern, code in (
        (r"An error occurred while running the tool\. Please try again\. Error: (.+)", ""),  # OpenAI Agents
        (r"(?:Error: )?(.+?)\s+Please fix your mistakes\.", ""),  # LangGraph
        (r"I encountered an error while trying to use the tool\. This was the error: (.+)", ""),  # CrewAI
        (r"Error (?:invoking|executing) tool .+? with kwargs .+? with error:\s*(.+)", ""),  # LangGraph
        (r"Your proposed edit has introduced new syntax error\(s\)\.(.+)", "INVALID_ARGUMENT"),  # SWE-agent
        (
            r"(?:The command .{0,2000}? was cancelled because it took more than \d+ seconds\.)(.*)",
            "TIMEOUT",
        ),  # SWE-agent
        (r"EXECUTION TIMED OUT\b(.*)", "TIMEOUT"),
    )
)


def detect_text(text: str, subject: Subject) -> Failure | None:
    """Detects a failure in a text that a tool returned.

    Args:
        text: what it returned.
        subject: what it was asked for.
    """
    if subject.converts:
        return None
    message = text.strip()
    if len(message) <= 2 * _LONGEST_REPORT:
        framework = _detect_framework(message, subject) or _detect_exception(message)
        if framework is not None:
            return framework
    if subject.is_text:
        is_marked = (
            len(message) <= _LONGEST_SENTENCE and "\n" not in message and _PLAIN_REPORT.match(message) is not None
        )
        if is_marked and not subject.is_message and (said(message) is not None or _find_status(message)):
            return Failure(value=message, message=message, status=_find_status(message))
    else:
        failure = detect_traceback(text) or _detect_plain_report(message, subject) or _detect_output(message, subject)
        if failure is not None:
            return failure
    return _detect_known_report(message) or _detect_sentence(message, subject)


def detect_tagged(text: str) -> Failure | None:
    """Detects a text in a tag that says that it is an error, and nothing else: `<error>File not found</error>`.

    Args:
        text: what a tool returned.
    """
    tag = _MARKED.fullmatch(text.strip())
    return None if tag is None else Failure(value=tag[2], message=tag[2])


def _detect_exception(message: str) -> Failure | None:
    """The `repr` of an exception, or what SQLAlchemy writes of one."""
    return Failure(value=message, message=message) if _EXCEPTION.match(message) else None


def _detect_output(message: str, subject: Subject) -> Failure | None:
    """The output of a command, with its exit status or a line that begins with `error:`."""
    if len(message) > 2 * _LONGEST_REPORT or subject.is_record or subject.is_verdict:
        return None
    status = _STATUS.match(message)
    if status is not None:
        return detect_exit(int(status[1]), "", message[status.end() :], subject, value=message)
    is_short = message.count("\n") < _MOST_OUTPUT_LINES
    return Failure(value=message, message=message) if is_short and _OUTPUT_ERROR.search(message) else None


def _detect_sentence(message: str, subject: Subject) -> Failure | None:
    """One or two sentences of which the first says what is wrong, where the tool returns no messages or verdicts."""
    if not message or len(message) > _LONGEST_SENTENCE or message.count("\n") >= _MOST_LINES:
        return None
    if subject.is_message or subject.is_verdict:
        return None
    if _NO_SENTENCE.match(message) or _DOCUMENTATION.match(message.partition(": ")[2]):
        return None
    topic = _TOPIC.match(message)
    first = topic[1] if topic is not None else _SENTENCE.split(message, maxsplit=1)[0]
    status = leading_status(first) or _find_status(first)
    if topic is not None and status is not None:
        return Failure(value=message, message=message, status=status)
    meaning = said(first) if " " in first else None
    is_expected = topic is not None or subject.is_writing
    if meaning is None or meaning.cls not in (_TELLING_AFTER_TOPIC if is_expected else _TELLING):
        return None
    if meaning is meanings.NOT_FOUND and subject.is_search and topic is None and "does not exist" not in first:
        return None
    return Failure(value=message, message=message, status=status)


def _detect_framework(message: str, subject: Subject) -> Failure | None:
    """The fixed sentence of a framework, or of a person who refused the call."""
    if _REFUSED.search(message) and len(message) <= _LONGEST_SENTENCE and not subject.is_message:
        return coded("CANCELLED", message)
    for sentence, code in _FRAMEWORKS:
        found = sentence.fullmatch(message)
        if found is not None:
            told = found[1].strip() or message
            return coded(code, told) if code else Failure(value=told, message=told)
    name = missing_tool_name(message)
    return coded("UNKNOWN_TOOL", message) if name is not None else None


def _detect_known_report(message: str) -> Failure | None:
    """A short text that starts like an error report and contains a known error."""
    if not message or len(message) > _LONGEST_REPORT or message.count("\n") >= _MOST_LINES:
        return None
    if _PROTOCOL.match(message):
        return Failure(value=message, message=message)
    match = _REPORT.match(message)
    if match is None or _DOCUMENTATION.match(match[2]):
        return None
    meaning = reason_of(match[1]) if match[1] else None
    if meaning in (meanings.ARGUMENT, meanings.FAILED):
        meaning = None
    status = leading_status(message)
    known = status is not None or meaning is not None or said(match[2]) is not None
    return Failure(value=message, message=message, status=status) if known else None


def _detect_plain_report(message: str, subject: Subject) -> Failure | None:
    """A sentence that says that the call failed, or the complaint of a shell's command, and nothing else."""
    if not message or len(message) > _LONGEST_SENTENCE or message.count("\n") >= 2 * _MOST_LINES:
        return None
    found = _PLAIN_REPORT.match(message)
    if subject.is_record and said(message) is None:
        return None
    told = message[found.end() :].strip() if found is not None else ""
    if _LOG.search(message):  # several reports are a log
        return None
    if found is not None and not _DOCUMENTATION.match(told) and not _NOTHING.fullmatch(told):
        return Failure(value=message, message=message, status=leading_status(message))
    if _SHELL.fullmatch(message) and message[:1].islower() and said(message) is not None:
        return Failure(value=message, message=message)
    return None


def _find_status(message: str) -> int | None:
    found = _RETURNED.search(message)
    return None if found is None else int(found[1])
