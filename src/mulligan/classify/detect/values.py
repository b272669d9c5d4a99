"""The failure that a value of any kind reports: which families of shapes are asked about it, and in what order."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from mulligan.classify.detect import apis, batches, mappings, member_names, objects, programs, protocols, services
from mulligan.classify.detect.cloud import detect_cloud
from mulligan.classify.detect.declared import detect_undeclared_error, is_declared_result
from mulligan.classify.detect.forms import detect_field_errors
from mulligan.classify.detect.markup import detect_document
from mulligan.classify.detect.members import detect_members, may_fail
from mulligan.classify.detect.outcomes import is_empty_result
from mulligan.classify.detect.raised_texts import is_raised_text, names_failures, names_own_attempt
from mulligan.classify.detect.reports import coded, says_tool_is_missing, with_meaning
from mulligan.classify.detect.sentences import sense
from mulligan.classify.detect.subject import Subject, subject_of
from mulligan.classify.detect.texts import detect_lines, detect_tagged, detect_text
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.printed_values import as_json
from mulligan.classify.reasons import reason_of
from mulligan.errors import ToolError
from mulligan.tools import Tool
from mulligan.untrusted.classes import as_dict, is_a

_Detector = Callable[[Mapping[Any, Any]], Failure | None]
_API_DETECTORS: tuple[tuple[frozenset[str], _Detector], ...] = (
    tuple(  # each with the fields without which it is not asked
        (frozenset(fields.split()), shape)
        for fields, shape in (
            ("ok success error status", apis.detect_flag),
            ("errors detail", apis.detect_error_list),
            ("error Error err odata.error", apis.detect_error_field),
            ("status status_code statusCode code meta data", apis.detect_problem_details),
            ("data", apis.detect_user_errors),
            ("errorMessage faultstring", apis.detect_lambda_error),
            ("status errors", apis.detect_nested_error),
            ("message error_message", apis.detect_error_code),
            ("message detail errors", apis.detect_bare_message),
            (
                "status errors code retry_after Note Information resourceType sqlState sqlstate Fault sys",
                services.detect_service,
            ),
            ("traceback syscall cause stack exception", apis.detect_raised),
        )
    )
)
# fmt: off
_FIELDS = frozenset((  # a mapping without any of them reports nothing
    "isError", "is_error", "jsonrpc", "lc", "functionResponse", "function_response", "type", "header", "ename", "__type",
    "OOMKilled", "executionArn", "done", "Failed", "Errors", "Records", "Entries", "failed", "returncode", "return_code",
    "exit_code", "exitCode", "exitcode", "ExitCode", "exit_status", "exited", "stderr", "timed_out", "timedOut", "result",
    "reason", "msg", "response", "output", "Error Message", "Warning", "messages",
)).union(*(fields for fields, _ in _API_DETECTORS))
_COUNTED = ("Failed", "Unproc")
_JSON_HINTS = (
    "rror", "ail", "ault", "eason", "rro", "unknown", "problem", '"err', '"ok"', "false", "xception", "enied", "eject",
    '"success"', '"status', '"code"', '"detail"', '"message"', '"reason"', '"exit', '"returncode"',
)
_NO_NAME = frozenset(("tool",))  # of a value that no known tool has returned
_MOST_JSON = 50_000
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]')
_ENDED = frozenset((
    "cancelled", "canceled", "deleted", "removed", "closed", "disabled", "blocked", "rejected", "revoked", "expired",
    "terminated", "stopped", "declined", "archived", "suspended",
))
# fmt: on
_OF_JOB = _ENDED | {"timed_out", "aborted"}
_OF_DEFINITION = frozenset(("code", "name", "title", "description", "type"))
_DEFINING = frozenset(("explain", "define", "definition", "meaning", "dictionary", "glossary"))
_ONLY_TEXTS = frozenset(("result", "message", "msg", "text", "output", "content", "response"))
_NOTES = ("message", "msg", "detail", "info", "note")
_ERRORS = ("error", "errors", "err", "Error", "error_code", "errorCode", "error_message", "message", "reason")
_ERROR_BLOCK = re.compile(r"(errors?|Error):[ \t]*\n((?:[ \t]+[\w-]{1,40}: [^\n]{1,400}(?:\n|\Z)){1,12})")  # YAML
_LINES = re.compile(
    r"(?:(?:code|status|message|error|detail|reason|type): [^\n]{1,400}(?:\n|\Z)){2,6}"
)  # of a protobuf
_FIELD = re.compile(r"^\s*([\w-]+): [\"']?([^\n]*?)[\"']?$", re.MULTILINE)
_REPORT = re.compile(
    r"(?:(?:error|exception|failed|failure|unable|could not)\b[^\n{\[]{0,160}"
    r"|[^\n{\[]{1,160}\b(?:error|exception|failed|failure)(?: \(?\d{3}\)?)?)(?:[:=]| -|(?<=\)))\s{0,8}(?=\[?\s{0,8}\{)",
    re.IGNORECASE,
)
_OPENING = ("{", "[", "<", "H")  # JSON, markup, or a raw HTTP response


def find_failure(value: Any, tool: Tool) -> Failure | None:
    """The failure that a returned value reports, or None.

    Args:
        value: what the tool returned.
        tool: the tool.
    """
    subject = subject_of(tool)
    failure = _find_failure(value, tool, subject)
    if failure is not None and not subject.words <= _NO_NAME:
        is_missing = says_tool_is_missing(failure, tool.name)
        failure = coded("UNKNOWN_TOOL", failure.told) if is_missing else with_meaning(failure)
    return _mark_as_data(failure, value)


def _find_failure(value: Any, tool: Tool, subject: Subject) -> Failure | None:
    kind = type(value)
    if kind is str:
        return _find_in_text(value, tool, subject)
    if kind is bytes:
        text = value[: _MOST_JSON + 1].decode("utf-8-sig", "replace")
        return _find_in_text(text, tool, subject) if text.lstrip()[:1] in _OPENING else None
    if kind is list:
        if len(value) == 1 and is_a(value[0], Mapping) and as_dict(value[0]).get("type") == "text":
            return _find_in_text(protocols.block_text(value), tool, subject)  # the only block of a result
        if len(value) == 1 and _is_only_error(value[0]) and _lists_other_things(value[0], subject):
            return _find_in_mapping(as_dict(value[0]), tool, subject)
        listed = services.detect_listed_errors(value, subject) or protocols.detect_console(value, subject)
        named = objects.detect_pair(value, subject) if value and type(value[0]) is str else None
        return listed or named or batches.detect_failed_items(value, subject) or detect_lines(value, subject)
    if kind is tuple:
        return programs.detect_streams(value, subject) or objects.detect_pair(value, subject)
    if issubclass(kind, Mapping):
        return _find_in_mapping(as_dict(value), tool, subject)
    if issubclass(kind, Exception):
        return Failure(value)
    return _find_in_object(value, subject)


def _find_in_text(text: str, tool: Tool, subject: Subject) -> Failure | None:
    start = text[:80].lstrip("\ufeff \t\r\n")[:1]
    if start in ("{", "[") and (value := _read_json(text)) is not None:
        failure = _find_failure(value, tool, subject)
        is_content = (
            subject.is_text
            and (subject.is_file or subject.is_message or not _is_only_error(value))
            and ("\n" in text.strip() or (failure is not None and _is_stored(value, failure, subject)))
        )
        return None if is_content else failure  # the content of a file
    if subject.is_made:
        return Failure(value=text, message=text) if names_own_attempt(text, subject) else None
    fields = (
        _ERROR_BLOCK.fullmatch(text.strip())
        if start in ("e", "E") and not (subject.is_file or (subject.is_text and subject.is_reading))
        else None
    )
    if fields is not None:
        return _find_failure({fields[1].lower(): dict(_FIELD.findall(fields[2]))}, tool, subject)
    if _LINES.fullmatch(text.strip()) and (lines := dict(_FIELD.findall(text))).keys() <= mappings.ENVELOPE:
        members = {name: int(line) if line.isdecimal() else line for name, line in lines.items()}
        return _find_failure(members, tool, subject)
    if start == "<" or text.startswith("HTTP/"):
        is_stored = _is_stored_page(subject)
        return detect_tagged(text, is_stored=is_stored) or (None if is_stored else detect_document(text, subject))
    return _find_in_quoted_body(text, tool, subject) or detect_text(text, subject)


def _find_in_quoted_body(text: str, tool: Tool, subject: Subject) -> Failure | None:
    """The failure in a body that a tool quotes behind its own report: `Slack API error: {"ok": false, "error": ...}`."""
    report = None if subject.is_text or subject.is_message or subject.converts else _REPORT.match(text)
    body = _read_json(text[report.end() :]) if report is not None and text.rstrip()[-1:] in ("}", "]") else None
    failure = None if body is None or names_failures(subject) else _find_failure(body, tool, subject)
    return Failure(value=body, message=text.strip(), status=failure.status) if failure is not None else None


def _is_stored_page(subject: Subject) -> bool:
    """Whether markup is what someone has written; a page of a site comes from its server, which may fail."""
    return subject.is_text and ("page" not in subject.words or subject.is_file or subject.is_message)


def _is_stored(value: Any, failure: Failure, subject: Subject) -> bool:
    """Whether JSON that a tool for texts returned is the content of a file: the envelope of an API, or nothing known."""
    if subject.is_file:
        return is_a(as_dict(value).get("error") if is_a(value, Mapping) else value, Mapping, list)
    return said(failure.told) is None and sense(failure.told) is None


def _lists_other_things(item: Mapping[Any, Any], subject: Subject) -> bool:
    """Whether a tool lists something that is no error; a record of a run says more of it than an error."""
    if names_failures(subject) or (subject.is_record and len(item) > 1):
        return False
    return subject.is_search or subject.is_reading


def _is_only_error(value: Any) -> bool:
    """Whether a value says nothing but what went wrong."""
    return is_a(value, Mapping) and "error" in value and mappings.is_envelope(as_dict(value))


def _read_json(text: str) -> Any:
    """The mapping or list that a text holds as JSON, or as Python prints it; None if it holds none that matters.

    It may have been cut off.
    """
    stripped = "" if len(text) > _MOST_JSON else as_json(text.strip())
    if not any(hint in stripped for hint in _JSON_HINTS):
        return None
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        value = _read_cut_off(stripped)
    return value if type(value) in (dict, list) else None


def _read_cut_off(text: str) -> Any:
    """A mapping whose end is missing, without its last member; None if it is not one."""
    closers, whole = list[str](), None
    for token in _TOKENS.finditer(text):
        mark = token[0]
        if mark in "{[":
            closers.append("}" if mark == "{" else "]")
        elif mark in "}]":
            closers = closers[:-1]
        elif mark == ",":
            whole = text[: token.start()] + "".join(reversed(closers))
    if not closers or whole is None or text[:1] != "{":
        return None
    try:
        return json.loads(whole)
    except (ValueError, RecursionError):
        return None


def _find_in_mapping(value: Mapping[Any, Any], tool: Tool, subject: Subject) -> Failure | None:
    if len(value) == 1 and (inner := apis.only_envelope(value, subject)) is not None:
        return _find_in_mapping(inner, tool, subject)
    if _FIELDS.isdisjoint(value) and not any(str(name)[:6] in _COUNTED for name in value):
        if not may_fail(value, subject):
            return detect_undeclared_error(value, tool) if tool.output_schema else None
        return None if is_declared_result(value, tool) else _find_by_members(value, tool, subject)
    marked = protocols.detect_marked_result(value, value.get) or protocols.detect_protocol(value, subject)
    if marked is not None:
        return marked
    if (
        mappings.says_success(value)
        or _says_undone(value, subject)
        or is_read_record(value, subject)
        or is_definition(value, subject)
        or mappings.has_findings(value)
        or _is_empty_list(value)
        or is_declared_result(value, tool)
    ):
        return None
    notebook = programs.detect_notebook(value)
    if notebook is not None:
        return notebook
    if is_asked_for(value, subject):  # only its members may still say that the call itself failed
        return detect_cloud(value, subject) or _find_by_members(value, tool, subject)
    return (
        _find_by_api(value, subject)
        or apis.detect_error_beside_nothing(value, subject)
        or apis.detect_error_of_run(value, subject)
        or apis.detect_message_list(value, subject)
        or _find_in_only_text(value, subject)
        or detect_cloud(value, subject)
        or programs.detect_program(value, subject)
        or _find_by_members(value, tool, subject)
    )


def _find_by_api(value: Mapping[Any, Any], subject: Subject) -> Failure | None:
    for fields, shape in _API_DETECTORS:
        failure = None if fields.isdisjoint(value) and len(value) > 1 else shape(value)
        if failure is not None:
            return failure
    return None if subject.is_verdict or subject.is_record else apis.detect_told_reason(value)


def _find_in_only_text(value: Mapping[Any, Any], subject: Subject) -> Failure | None:
    """The failure that the one text of a mapping reports, where all else is empty: `{"result": "Error: ...", "tabs": []}`."""
    texts = [
        name for name, one in value.items() if not (mappings.is_empty(one) or (type(one) in (int, bool) and not one))
    ]
    if len(texts) != 1 or texts[0] not in _ONLY_TEXTS or type(value[texts[0]]) is not str:
        return None
    text = value[texts[0]].strip()
    is_report = is_raised_text(text, subject) or names_own_attempt(text, subject)
    return Failure(value=value, message=text) if is_report else None


def _is_empty_list(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds an empty list, and says only that nothing was found."""
    notes = (member for name in _NOTES if type(member := value.get(name)) is str)
    has_empty_list = any(type(member) is list and not member for member in value.values())
    return has_empty_list and any(map(is_empty_result, notes)) and not any(value.get(name) for name in _ERRORS[:4])


def is_asked_for(value: Mapping[Any, Any], subject: Subject) -> bool:
    """Whether a mapping is the verdict or the record that the tool was asked for, with the reason of what it says.

    A verdict is a flag that is false: one of its own (`reachable`), or `ok` without an error. A record has members that no
    report of an error has.
    """
    if subject.is_verdict:
        denied = [member_names.pieces(str(name)) for name, member in value.items() if member is False]
        is_general = [words[-1:] and words[-1] in member_names.GENERAL for words in denied]
        return not all(is_general) or (bool(denied) and not any(mappings.is_told(value.get(name)) for name in _ERRORS))
    others = (name for name, member in value.items() if name not in mappings.ENVELOPE and not mappings.is_empty(member))
    return (
        subject.is_record
        and not {"syscall", "jsonrpc", "Fault"} & value.keys()
        and any(map(member_names.is_of_record, others))
    )


def is_read_record(value: Mapping[Any, Any], subject: Subject) -> bool:
    """Whether a mapping is the record of what has its id, which a tool got: `{"id": "p1", "status": "failed", ...}`."""
    state = value.get("status", value.get("state"))
    if not (subject.is_reading and value.get("id") and type(state) is str) or "jsonrpc" in value:
        return False
    is_of_report = state.isdecimal() or state.lower() in ("error", "fail") or reason_of(state) is not None
    return state.lower() in _OF_JOB or not is_of_report


def is_definition(value: Mapping[Any, Any], subject: Subject) -> bool:
    """Whether a mapping says what a code or term means, and that was asked for."""
    is_asked_for = names_failures(subject) or not subject.words.isdisjoint(_DEFINING)
    return is_asked_for and "description" in value and value.keys() <= _OF_DEFINITION


def _says_undone(value: Mapping[Any, Any], subject: Subject) -> bool:
    """Whether a mapping says that something has ended, and that is what the tool was asked for."""
    status = value.get("status", value.get("state")) if subject.is_undoing else None
    return type(status) is str and status.lower() in _ENDED and not value.get("error")


def _find_by_members(value: Mapping[Any, Any], tool: Tool, subject: Subject) -> Failure | None:
    undeclared = detect_undeclared_error(value, tool) or apis.detect_only_message(value, subject)
    if undeclared is not None or not may_fail(value, subject):
        return undeclared
    return detect_field_errors(value, subject) or detect_members(value, subject)


def _find_in_object(value: Any, subject: Subject) -> Failure | None:
    read = Failure(value=value).field
    found = protocols.detect_marked_result(value, read) or objects.detect_response(value, read)
    if found is not None:
        return found
    fields = {name: member for name in programs.FIELDS if (member := read(name)) is not None}
    if is_a(value, tuple):
        fields = dict(zip(getattr(type(value), "_fields", ()), tuple.__iter__(value), strict=False))
    program = programs.detect_program(fields, subject) if fields else None
    if program is not None:
        exception = read("exception")
        if program.value is fields:
            program.value = value
        return Failure(exception) if issubclass(type(exception), Exception) else program
    found = objects.detect_result_object(value, read, subject)
    return found or objects.detect_own_members(value, read, subject)


def _mark_as_data(failure: Failure | None, value: Any) -> Failure | None:
    """Marks a failure that is not in a transport's envelope: it may be a record about a failure of something else."""
    if failure is not None and not issubclass(type(failure.exception), ToolError):
        failure.is_data = not _is_envelope_of_transport(value)
    return failure


def _is_envelope_of_transport(value: Any) -> bool:
    if is_a(value, Mapping):
        marked = as_dict(value)
        return marked.get("isError") is True or marked.get("is_error") is True
    if type(value) in (str, bytes, list, tuple) or issubclass(type(value), Exception):
        return False
    read = Failure(value=value).field
    return read("isError") is True or read("is_error") is True or objects.detect_response(value, read) is not None
