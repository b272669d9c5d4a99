"""Texts that report a failure: a short one that starts like an error report, or the fixed sentence of a framework."""

from __future__ import annotations

import re
from http import HTTPStatus
from itertools import islice
from typing import Any

from mulligan.classify import meanings
from mulligan.classify.detect.languages import foreign_sense
from mulligan.classify.detect.mappings import leading_status
from mulligan.classify.detect.outcomes import (
    counts_own_work,
    first_sentence,
    is_empty_result,
    is_own_work,
    is_statistic,
    reports_success,
    says_ended,
    says_over,
    says_refused,
)
from mulligan.classify.detect.own_outcomes import reports_own_work
from mulligan.classify.detect.programs import detect_exit, detect_traceback
from mulligan.classify.detect.raised_texts import is_raised_text, names_own_attempt
from mulligan.classify.detect.reports import coded
from mulligan.classify.detect.sentences import clear_sense, normalize, sense, sentences
from mulligan.classify.detect.subject import Subject
from mulligan.classify.detect.traces import detect_trace
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
_VAGUE = (None, meanings.ARGUMENT, meanings.FAILED)
_EXISTING = (meanings.EXISTS, meanings.CONFLICT)
_OF_THE_CALL = (meanings.TIMEOUT, meanings.RATE_LIMIT, meanings.CANCELLED, meanings.QUOTA)
_REFUSED_CALL = re.compile(r"this (?:command|call|request|tool|operation|action|code|query|statement)\b")
_PROTOCOL = re.compile(r"(?:Error (?:executing|calling|running|invoking) (?:tool|function)\b|MCP error -32\d{3}\b)")
_REPORT = re.compile(
    r"(?:(?:Error|ERROR|Fatal error|fatal|Exception)(?: [a-z][^:\n]{0,80}| \(?[45]\d\d\)?)?"
    r"|HTTP(?: Error)? [45]\d\d|([A-Z]\w{1,60}(?:Error|Exception))|(?:Failed|Unable) to [^:\n]{1,80}): ?(\S[^\n]*)"
)
_MARK = r"(?:[\u274c\u2717\u26a0\U0001f6ab\U0001f6d1]\ufe0f? ?)?"
_PLAIN_REPORT = re.compile(
    rf"{_MARK}\[?"
    r"(?:(?:Error|ERROR|Fatal error|FATAL|Tool error|Execution error|API error|HTTP error|Fehler|Erreur|Errore|Erro|Fout"
    r"|Fel|Feil"
    r"|B\u0142\u0105d|\u041e\u0448\u0438\u0431\u043a\u0430|\u9519\u8bef|\u932f\u8aa4|\u30a8\u30e9\u30fc|\uc624\ub958)"
    r"(?: [a-z][^:\n]{0,60}|(?: code)? [\w.-]{1,20})?\]?(?::|\uff1a)"
    r"|(?:FAILED|FAILURE|REJECTED|REFUSED|DENIED|ABORTED|UNAVAILABLE|TIMEOUT|EXCEPTION|ERR|Failed|Failure|Aborted|Timeout"
    r"|Unavailable)(?: \([^)\n]{1,40}\)| \[[^]\n]{1,40}\])?(?::| [-\u2013\u2014] )"
    r"(?! ?(?:0 ?(?:[,;/|)]|[.]?(?:\n|\Z))|[Nn]one\b))"  # a count of nothing
    r"|\[(?:ERR|ERROR|FAIL|FAILED|FATAL|FAILURE)\] \S"
    r"|\[?(?:ERR(?:OR)?|E)[-_]\w{1,40}\]?:? (?=\S+ \S)"
    r"|(?!If |When |Whenever |Unless |In case |Should |None |No one |Nobody )"
    r"[A-Z][\w /'-]{2,60} (?:(?:`[^`\n]{1,60}`|\"[^\"\n]{1,60}\") )?(?:failed|was rejected|was refused|was denied"
    r"|was declined|was aborted|rejected|refused|unsuccessful)(?: to [a-z]+)?(?:[!.]?(?=\n|\Z)|[:;,] |(?: \u2013| \u2014"
    r"| -) | (?:because|since|as|due to|with|after)\b)"
    r"|(?:Illegal|Invalid|Unsupported|Unrecogni[sz]ed|Unknown|Malformed"
    r"|Ung\u00fcltige[rsn]?) [a-z-]+(?: [a-z-]+){0,3}(?:, (?:expected|must|use|allowed|should|please|valid|supported|try"
    r"|available|got|need|known|it)| [-\u2013\u2014] |; |[.!]?\Z)"
    r"|(?:An?|The following) (?:unexpected |internal )?errors? (?:has |have )?occurred\b|Something went wrong\b"
    r"|Sorry, (?:but )?(?:I|we) (?:could not|couldn't|can't|cannot|was unable|were unable|am unable)\b"
    r"|(?:Failed|Unable) to [a-z]+ |(?:Could not|Couldn't|Cannot|Can't) [a-z]+ "
    r"|(?:The )?(?:[Rr]equest|[Oo]peration|[Cc]all|[Cc]ommand|[Qq]uery|[Ee]xecution|[Tt]ool execution|[Cc]onnection) failed\b"
    r"|Request (?:timed out|was rejected|error)\b|HTTP(?: error)? [45]\d\d\b(?!,| (?:is|means|or|and)\b)"
    r"|(?:(?:Blocked|Denied|Refused|Rejected)(?: by [\w-]{1,30})?|Forbidden|Access denied|Permission denied|Not allowed):"
    r"|(?:Invalid|Unsupported|Unrecognized|Unknown|Missing) [a-z]+(?: [a-z]+){0,3}: )"
)
_FRAME = "\u2500\u2502\u256d\u256e\u256f\u2570\u2575\u2577\u2503\u250c\u2514\u2510\u2518"
_HEADING = re.compile(r"#{1,6} (?:Result|Results|Output|Response|Error|Errors|Status)s?\s*\n+(?=\S)")
_NUMBER = re.compile(r"\A\d{1,3}[.)]? ")
_FAILED_HEADING = re.compile(
    r"#{1,6} [^\n]{0,80}\b(?:failed|error|could not|cannot|unable to|denied|refused|not found)\b"
)
_DECORATION = re.compile(
    r"(?:#{1,6} |>+ |\*{1,3}|_{1,2}(?=[A-Z])|- |[\u2190-\u2bff\ufe0f\U0001f300-\U0001faff]{1,3} ?){1,4}(?=\S)"
)
_TOPIC = re.compile(rf"{_MARK}[A-Z][\w' -]{{2,40}} (?:failed|error|exception): (\S.*)", re.DOTALL)
_REPR = re.compile(r"<((?:\w+\.)*\w*(?:Error|Exception) (?:([45]\d\d)\b)?(?!.*</).{1,2000})>", re.DOTALL)
_GRPC_CODE = re.compile(r"\bStatusCode\.([A-Z_]{2,40})\b")
_MARKED = re.compile(r"<((?:\w{1,20}_)?error)>(.{1,500})</\1>", re.DOTALL)
_EXCEPTION = re.compile(
    r"\((?:\w{1,40}\.){1,4}\w{1,60}(?:Error|Exception)\) |(?:[a-z_]\w{0,40}\.){0,4}[A-Z]\w{1,60}(?:Error|Exception)\(.*\)\Z",
    re.DOTALL,
)
_STATUS_ONLY = re.compile(
    rf"({'|'.join(str(one.value) for one in HTTPStatus if one >= 400)}):? ([A-Z][A-Za-z' -]{{2,40}})"
)
_CLASS = re.compile(r"(?:[a-z_]\w{0,40}\.){0,4}[A-Z]\w{1,60}(?:Error|Exception|Interrupt)")
_DRIVER = re.compile(  # what drivers of MySQL and of ODBC, which repeats the SQLSTATE, write of an exception
    r"\((?:\d{3,5}, |'([0-9A-Z]{5})', (?=['\"]\[\1\] ))['\"]([^\n]{5,400})['\"]\)"
)
_VALIDATION = re.compile(r"\d{1,4} validation errors? for \w[^\n]{0,80}\n\S")  # pydantic
_STATUS = re.compile(
    r"\W{0,2}(?:exit(?:ed with)?|return|Exit|Exited with|Command failed with exit)(?: code| status)[: ]{1,2}(\d{1,3})\W{0,2}"
)
_OUTPUT_ERROR = re.compile(r"^(?:(?:error|fatal): \S|\w{2,12} (?:ERR!|error) (?:code )?[A-Z\d])", re.MULTILINE)
_REFUSED = re.compile(
    r"\b(?:cancelled|canceled|rejected|declined|denied|aborted|not (?:approved|confirmed|allowed)) by (?:the )?user\b"
    r"|\b[Uu]ser (?:has )?(?:rejected|declined|denied|cancelled|canceled) (?:this|the)\b"
)
_RETURNED = re.compile(
    r"\b(?:returned|answered|replied|responded|got|gave|with|status|code|HTTP"
    r"|error)(?: an?)?(?: HTTP)?(?: status)?(?: code)?:? ([45]\d\d)\b"
)
_ANSWERED = re.compile(
    r"\b(?:answered|replied|responded|returned|got|gave)(?: with)?(?: an?| us)?(?: HTTP)?(?: status)?(?: code)? [45]\d\d\b"
)
_LOG = re.compile(r"\n\W{0,2}(?:error(?! (?:message|code|type|details?|id)\b)|warn|info|debug)", re.IGNORECASE)
_NO_SENTENCE = re.compile(
    r"[\d\[(]|(?:raise|return|throw|def|class|import|from|if|for|while|try)\b|(?:If|When|Whenever|In case"
    r"|Unless|Should you|Dry run|Preview|Simulation)\b"
)  # a log, or source
_GENERAL = re.compile(r"\b(?:anyone|persons?|people|those|visitors|users|any \w+) (?:who|that|whose|without)\b")
_DEFINITION = re.compile(
    r"[^.!?]{1,80}? (?:(?:is|are|means|refers to|indicates) (?:an?|the|that|one of)"
    r"|(?:is|are) (?:raised|thrown|returned|shown|caused|emitted)|occurs?)\b"
)
_LOG_LINE = re.compile(r"[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d \S+ \S+: ")  # of syslog
_SUMMARIZING = frozenset(("summarize", "summarise"))
_MOST_WORDS_OF_NO_SUMMARY = 6  # `The document was not found.`
_OPENING = re.compile(
    r"\W{0,3}(?:error|failed to|unable|could not|couldn't|cannot|can't|sorry|(?:the )?request|http)\b", re.IGNORECASE
)
_CITATION = re.compile(r"[^\n]{1,160}, by [A-Z][\w'.-]*(?: [A-Z][\w'.-]*){0,3}")  # a work, and whose it is
_WARNING = re.compile(r"\W{0,3}(?:[a-z]{2,12} )?(?:warn|warning|WARN|WARNING|Warning)\b")
_DEVICE_CODE = re.compile(r"(?:E|ERR|F|ALARM|FAULT)[-_ ]?\d{1,5}[ :.-]{1,3}\S[^\n]{2,80}")
_SHELL = re.compile(r"(?:[\w.+/-]{1,60}: ){1,3}[^\n:]{1,160}(?:: [^\n]{1,160})?")
_DOCUMENTATION = re.compile(r"(?:If|Raised|When|Occurs|This (?:exception|error|class)|The exception|is|Thrown)\b")
_NOTHING = re.compile(r"(?:[\d.,%\s+-]+|none|no|null|nil|n/a|false)\.?", re.IGNORECASE)
_FRAMEWORKS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), code)
    for pattern, code in (
        (r"An error occurred while running the tool\. Please try again\. Error: (.+)", ""),  # OpenAI Agents
        (r"(?:Error: )?(.+?)\s+Please fix your mistakes\.", ""),  # LangGraph
        (r"I encountered an error while trying to use the tool\. This was the error: (.+)", ""),  # CrewAI
        (r"Error (?:invoking|executing) tool .+? with kwargs .+? with error:\s*(.+)", ""),  # LangGraph
        (r"The tool execution failed with the following error:\s{0,4}<error>(.+)</error>", ""),  # Cline
        (r"Your proposed edit has introduced new syntax error\(s\)\.(.+)", "INVALID_ARGUMENT"),  # SWE-agent
        (
            r"(?:The command .{0,2000}? was cancelled because it took more than \d+ seconds\.)(.*)",
            "TIMEOUT",
        ),  # SWE-agent
        (r"EXECUTION TIMED OUT\b(.*)", "TIMEOUT"),
    )
)


def detect_lines(value: list[Any], subject: Subject) -> Failure | None:
    """Detects one to three texts in a list, of which the first is a report: `["Could not save it", "ENOSPC: ..."]`.

    Args:
        value: the list that a tool returned.
        subject: what the tool was asked for.
    """
    if not 0 < len(value) <= _MOST_LINES or not all(type(one) is str for one in value):
        return None
    if subject.is_search or subject.is_message or subject.is_record or _PLAIN_REPORT.match(value[0]) is None:
        return None
    message = "\n".join(value)
    if not subject.is_writing and said(message) is None:
        return None
    return Failure(value=message, message=message)


def detect_text(text: str, subject: Subject) -> Failure | None:
    """Detects a failure in a text that a tool returned.

    Args:
        text: what it returned.
        subject: what it was asked for.
    """
    message = _plain(text)
    if len(message) <= 2 * _LONGEST_REPORT and (fixed := _detect_fixed_sentence(message)) is not None:
        return fixed
    written = (message, text.strip())
    if any(is_raised_text(line, subject) or names_own_attempt(line, subject) for line in written):
        return Failure(value=message, message=message, status=leading_status(message) or _find_status(message))
    is_of_others = subject.converts or _LOG_LINE.match(message) or _is_of_others(message, subject)
    if is_of_others or reports_own_work(message, subject):
        return None
    if len(message) <= 2 * _LONGEST_REPORT:
        framework = _detect_framework(message, subject) or _detect_exception(message, subject)
        if framework is not None:
            return framework
    if subject.is_text:
        is_marked = (
            len(message) <= _LONGEST_SENTENCE and "\n" not in message and _PLAIN_REPORT.match(message) is not None
        )
        if is_marked and not subject.is_message:
            is_known = (
                said(message) is not None
                or _find_status(message) is not None
                or foreign_sense(normalize(message)) is not None
            )
            if is_known or not (subject.is_file or is_statistic(message)):
                return Failure(value=message, message=message, status=_find_status(message))
    else:
        failure = (
            _detect_heading(text.strip(), subject)
            or detect_traceback(text)
            or detect_trace(text)
            or _detect_plain_report(message, subject)
            or _detect_output(message, subject)
        )
        if failure is not None:
            return failure
    return _detect_known_report(message, subject) or _detect_sentence(message, subject)


def _is_of_others(message: str, subject: Subject) -> bool:
    """Whether a text is the name of a work, with its author, or the summary of something that failed."""
    if not subject.is_writing and _CITATION.fullmatch(message):
        return True
    is_summary = not subject.words.isdisjoint(_SUMMARIZING) and len(message.split()) > _MOST_WORDS_OF_NO_SUMMARY
    return is_summary and _OPENING.match(message) is None


def _detect_heading(text: str, subject: Subject) -> Failure | None:
    """A heading of Markdown that says what happened, above any text."""
    if len(text) > 2 * _LONGEST_REPORT or _FAILED_HEADING.match(text) is None:
        return None
    heading = _NUMBER.sub("", _plain(text.split("\n", 1)[0]))
    found = _detect_plain_report(heading, subject) or _detect_sentence(heading, subject)
    return Failure(value=text, message=text) if found is not None else None


def _plain(text: str) -> str:
    """A text without what only decorates it: marks of Markdown, symbols, the frame of a box, a heading such as `Result`."""
    message = text.strip()
    if len(message) > 4 * _LONGEST_REPORT:
        return message
    if message[:1] in _FRAME:
        message = "\n".join(line.strip(_FRAME + " ") for line in message.splitlines()).strip()
    message = _HEADING.sub("", message, count=1)
    return _DECORATION.sub("", message, count=1) if message[:1] in "#>*_-[(" or message[:1] > "\u2000" else message


def detect_tagged(text: str, *, is_stored: bool) -> Failure | None:
    """Detects a text in a tag that says that it is an error, and nothing else: `<error>File not found</error>`.

    The text of an exception may look like a tag: `<HTTPError 404: 'Not Found'>`, `<_InactiveRpcError of RPC that ...>`.

    Args:
        text: what a tool returned.
        is_stored: whether the text may be the content of a file, which has further tags.
    """
    tag = _MARKED.fullmatch(text.strip())
    if tag is not None and not (is_stored and "<" in tag[2]):
        return Failure(value=tag[2], message=tag[2])
    shown = _REPR.fullmatch(text.strip())
    if shown is None:
        return None
    code = _GRPC_CODE.search(shown[1])
    if code is not None:
        return coded(code[1], shown[1])
    return Failure(value=shown[1], message=shown[1], status=int(shown[2]) if shown[2] else None)


def _detect_exception(message: str, subject: Subject) -> Failure | None:
    """The `repr` of an exception, or what SQLAlchemy writes of one."""
    driver = _DRIVER.fullmatch(message)
    if driver is not None:
        return Failure(value={"message": driver[2]}, message=driver[2])
    if subject.is_writing and _CLASS.fullmatch(message) is not None:
        return Failure(value={"type": message, "message": message}, message=message)
    if _VALIDATION.match(message):
        return coded("INVALID_ARGUMENT", message)
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
    if not message or len(message) > _LONGEST_SENTENCE or message.count("\n") >= 2 * _MOST_LINES:
        return None
    if subject.is_verdict:  # of the call itself, only a limit is certain
        is_limited = clear_sense(normalize(first_sentence(message))) is meanings.RATE_LIMIT
        return Failure(value=message, message=message) if is_limited else None
    if subject.is_message or _is_no_report(message, subject):
        return None
    topic = _TOPIC.match(message)
    first = topic[1] if topic is not None else first_sentence(message)
    if topic is not None and sense(first) is None and sense(message) is not None:  # the topic says more
        topic, first = None, first_sentence(message)
    if topic is None and (reports_success(message, first) or (subject.is_idempotent and said(first) in _EXISTING)):
        return None
    status = leading_status(first) or _find_status(first)
    is_answer = status is not None and (topic is not None or _ANSWERED.search(first) is not None)
    is_word = " " not in first.strip() and first.isascii()
    if is_answer or (not is_word and _reports(message, first, subject, is_expected=topic is not None)):
        return Failure(value=message, message=message, status=status)
    return None


def _is_no_report(message: str, subject: Subject) -> bool:
    """Whether a text is of a kind that reports nothing of the call, whatever it says: a warning, a log, an article."""
    if subject.is_writing and counts_own_work(normalize(message), subject):
        return True
    if not subject.is_writing and _GENERAL.search(message):
        return True
    if subject.is_text and ("\n" in message or _DEFINITION.match(message)):
        return True
    kinds = (_WARNING.match(message), _NO_SENTENCE.match(message), _LOG.search(message))
    return any(kinds) or _DOCUMENTATION.match(message.partition(": ")[2]) is not None


def _reports(message: str, first: str, subject: Subject, *, is_expected: bool) -> bool:
    if _is_known_clause(first, subject, is_expected=is_expected) or says_refused(normalize(first), subject):
        return True
    if not subject.is_writing or subject.runs:
        return False
    meaning = sense(first)
    if meaning is not None and not subject.is_undoing and not is_own_work(normalize(first), subject):
        return not (meaning is meanings.NOT_FOUND and is_empty_result(first))
    later = islice(sentences(message), 1, _MOST_LINES)  # `Come back in 20 minutes.`
    return any(clear_sense(one) in (meanings.RATE_LIMIT, meanings.UNAVAILABLE) for one in later)


def _is_known_clause(first: str, subject: Subject, *, is_expected: bool) -> bool:
    """Whether a sentence contains a known clause, or what hardly ever answers a question."""
    words = normalize(first)
    if (subject.is_record and not is_expected) or says_over(words, subject):
        return False
    if says_ended(words, subject):
        return False
    accepted = _TELLING_AFTER_TOPIC if is_expected or subject.is_writing else _TELLING
    meaning = said(first)
    clear = clear_sense(words)
    if meaning is None or meaning.cls not in accepted:
        is_of_call = clear in _OF_THE_CALL or _REFUSED_CALL.match(words) is not None
        is_page = subject.is_text and not (subject.is_reading and not subject.is_file and clear in _OF_THE_CALL)
        if clear is None or is_page or (subject.runs and not is_expected and not is_of_call):
            return False
        meaning = clear
    if (meaning is meanings.NOT_FOUND or subject.is_search) and is_empty_result(first):
        return False
    if is_expected:
        return True
    if meaning is meanings.UNAVAILABLE and subject.is_reading and clear is None:
        return False  # what was asked for may be unavailable
    return not (meaning is meanings.NOT_FOUND and subject.is_search and "does not exist" not in first)


def _detect_fixed_sentence(message: str) -> Failure | None:
    """The fixed sentence of a framework around an error."""
    status = _STATUS_ONLY.fullmatch(message)
    if status is not None and status[2].lower() == HTTPStatus(int(status[1])).phrase.lower():
        return Failure(value=message, message=message, status=int(status[1]))
    for sentence, code in _FRAMEWORKS:
        found = sentence.fullmatch(message)
        if found is not None:
            reason = found[1].strip() or message
            return coded(code, reason) if code else Failure(value=reason, message=reason)
    return None


def _detect_framework(message: str, subject: Subject) -> Failure | None:
    """A person who refused the call, or a tool that does not exist."""
    if _REFUSED.search(message) and len(message) <= _LONGEST_SENTENCE and not subject.is_message:
        return coded("CANCELLED", message)
    is_missing = missing_tool_name(message) is not None
    return coded("UNKNOWN_TOOL", message) if is_missing else None


def _detect_known_report(message: str, subject: Subject) -> Failure | None:
    """A short text that starts like an error report and contains a known error."""
    if not message or len(message) > _LONGEST_REPORT or message.count("\n") >= _MOST_LINES:
        return None
    if _PROTOCOL.match(message):
        return Failure(value=message, message=message)
    match = _REPORT.match(message)
    if match is None or _DOCUMENTATION.match(match[2]):
        return None
    meaning = reason_of(match[1]) if match[1] else None
    status = leading_status(message)
    known = status is not None or meaning not in _VAGUE or said(match[2]) is not None
    if match[1] and "\n" not in message and not (subject.is_text or subject.is_record):
        known = known or subject.is_writing or subject.is_reading
    return Failure(value=message, message=message, status=status) if known else None


def _detect_plain_report(message: str, subject: Subject) -> Failure | None:
    """A sentence that says that the call failed, or the complaint of a shell's command, and nothing else."""
    if not message or len(message) > _LONGEST_REPORT or message.count("\n") >= _MOST_OUTPUT_LINES:
        return None
    match = _PLAIN_REPORT.match(message)
    if len(message) > _LONGEST_SENTENCE and (match is None or subject.runs):
        return None
    if subject.is_record and said(message) is None and foreign_sense(normalize(message)) is None:
        return None
    rest = message[match.end() :].strip() if match is not None else ""
    if _LOG.search(message):  # several reports are a log
        return None
    if (
        match is not None
        and not _DOCUMENTATION.match(rest)
        and not _NOTHING.fullmatch(rest)
        and not is_statistic(message)
    ):
        return Failure(value=message, message=message, status=leading_status(message) or _find_status(message))
    if subject.is_verdict or len(message) > _LONGEST_SENTENCE:
        return None
    if subject.is_writing and not subject.runs and _DEVICE_CODE.fullmatch(message):
        return Failure(value=message, message=message)
    if message[:1].islower() and _is_complaint(message) and said(message) is not None:
        return Failure(value=message, message=message)
    return None


def _is_complaint(message: str) -> bool:
    """Whether a text is what a program complains about, in one or several lines: `tar: a.tgz: Cannot open: ...`."""
    first, *others = message.splitlines()
    program = first.partition(": ")[0] + ": "
    return _SHELL.fullmatch(first) is not None and all(line.startswith(program) for line in others)


def _find_status(message: str) -> int | None:
    found = _RETURNED.search(message)
    return None if found is None else int(found[1])
