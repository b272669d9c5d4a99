"""A mapping or object that a tool's author made up, read by the roles of its members.

`{"accepted": False, "why": "the door is moving"}` and `JobOutcome(state="FAILED", failure="...", artifact=None)` follow no
documented shape. What they share: a member says that the call failed (a flag, a status, an error), a member says why, and
the place of the result is empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from mulligan.classify import meanings
from mulligan.classify.detect import member_names as names
from mulligan.classify.detect.batches import detect_failed_batch
from mulligan.classify.detect.mappings import is_empty, is_record, mappings, status_of
from mulligan.classify.detect.outcomes import reports_success
from mulligan.classify.detect.reports import coded
from mulligan.classify.detect.sentences import clear_sense, sense, sentences
from mulligan.classify.detect.subject import Subject
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.reasons import reason_of
from mulligan.untrusted.classes import as_dict, is_a

_UNCHANGED = re.compile(
    r"\b(?:no changes?|nothing (?:to|changed|new)|unchanged|up[- ]to[- ]date|identical|not (?:needed|necessary|modified))\b"
)
_EXISTING = (meanings.EXISTS, meanings.CONFLICT)
_OF_VERDICTS = (meanings.CONFLICT, meanings.ARGUMENT, meanings.UNAVAILABLE)
_DEFECTS = (meanings.FAILED, meanings.UNAVAILABLE, meanings.RATE_LIMIT, meanings.TIMEOUT)
_FAILED = frozenset(("failed", "failure", "error"))
_OF_THE_CALL = (meanings.NOT_FOUND, meanings.RATE_LIMIT, meanings.AUTHENTICATION, meanings.PERMISSION)
_MOST_EXTRAS = 3
_LONGEST_VALUE = 80
_LONGEST_REASON = 600
_DEEPEST = 2


def may_fail(value: Mapping[Any, Any], subject: Subject) -> bool:
    """Whether a mapping is worth a look: quick, since most mappings are results.

    Args:
        value: what a tool returned.
        subject: what the tool was asked for.
    """
    for name, member in value.items():
        if type(name) is not str:
            continue
        if member is None:
            if name in names.RESULTS or name in subject.words:
                return True
        elif (role := names.role(name)) and _SIGNS[role](name, member):
            return True
    if len(value) == 1:
        (member,) = value.values()
        if type(member) is list and member and type(member[0]) is str:
            return True
    if not (subject.is_writing or "responses" in value or "results" in value) or list not in map(type, value.values()):
        return False
    return detect_failed_batch(value, subject) is not None


def _is_mapping(member: Any) -> bool:
    return type(member) is not str and is_a(member, Mapping)


def _is_false(member: Any) -> bool:
    return member is False or member == "false" or member == "False" or (type(member) is int and member == 0)


def _is_set(member: Any) -> bool:
    return member is True or (type(member) not in (bool, int, float) and bool(member))


# For each role of a member, whether its name and content say that the call failed.
_SIGNS: Mapping[str, Callable[[str, Any], bool]] = {
    "flag": lambda _, member: _is_false(member),
    "failed": lambda _, member: _is_set(member),
    "error": lambda _, member: _is_set(member),
    "status": lambda name, member: (
        (type(member) is str and len(member) <= names.LONGEST_STATUS and names.is_bad_status(member))
        or (type(member) is int and member < 0)
        or (name in names.ENVELOPES and _is_mapping(member))
    ),
    "code": lambda name, member: names.is_bad_code(member) or names.is_code_of_error(names.pieces(name), member),
    "envelope": lambda _, member: _is_mapping(member),
    "marker": lambda _, member: names.marks_error(member),
    "name": lambda _, member: type(member) is str and "_" in member and names.is_error_code(member),
    "reason": lambda _, member: names.is_report(member),
}


class _Members:
    """What the members of a mapping say.

    Attributes:
        error: what a member that is called an error says.
        reason: what another member says that explains something.
        text: what a member with any other name says.
        is_denied: whether a flag says that the request was not done.
        is_general: whether that flag is only `ok` or `success`, which a verdict also has.
        is_state: whether that flag may be the state of a task.
        is_missing: whether that flag says that something was not found.
        is_error: whether that flag says that there was an error.
        is_marked: whether the mapping calls itself an error.
        is_report: whether what explains something is a report of its own.
        has_gap: whether a list, a text or a mapping is empty, or something is null.
        is_done_in_part: whether a count says that some of it was done.
        status: a status that says that something failed.
        code: a code that is no success, or None.
        empty: how many members have nothing in them.
        extras: how many members say something else.
        has_result: whether one of them is a list, a mapping or a long text.
        has_place: whether a member is called a result, and is null.
    """

    def __init__(self, value: Mapping[Any, Any], subject: Subject) -> None:
        self._subject = subject
        self.error = self.reason = self.text = self.status = ""
        self.is_denied = self.is_general = self.is_state = self.is_missing = self.is_error = False
        self.is_marked = self.is_report = self.has_gap = self.is_done_in_part = False
        self.has_result = self.has_place = False
        self.code: Any = None
        self.empty = self.extras = 0
        for name, member in value.items():
            words = names.pieces(name) if type(name) is str else ()
            if not self._read_flag(words, member):
                self._read_member(name, words, member)
        if self.is_state and self.is_denied:
            self.is_state = False

    @property
    def explanation(self) -> str:
        """The text that says why the call failed; empty if there is none."""
        return self.error or self.reason or (self.text if self.is_denied else "")

    @property
    def is_failed(self) -> bool:
        """Whether a flag or a status says that it failed."""
        return self.is_denied or bool(self.status)

    def _read_flag(self, words: tuple[str, ...], member: Any) -> bool:
        last = words[-1] if words else ""
        flag = names.flag_of(member)
        if last in names.GENERAL and len(words) <= 2 and (flag is False or (type(member) is int and member == 0)):
            self.is_general = self.is_general or not self.is_denied
        elif (flag is False or (last == "found" and type(member) is int and member == 0)) and names.is_about_request(
            words, self._subject
        ):
            self.is_general = False
            self.is_missing = self.is_missing or last in ("found", "matched")
        elif flag is True and len(words) <= 2 and (last in names.FAILED or last in names.ERRORS):
            self.is_general, self.is_error = False, True
            self.status = self.status or (last if last not in names.ERRORS else "")
        elif flag is False and words and last in names.STATES:
            self.is_state = True
            return True
        else:
            return False
        self.is_denied = True
        return True

    def _read_member(self, name: Any, words: tuple[str, ...], member: Any) -> None:
        last = words[-1] if words else ""
        if is_empty(member) or member is False or (type(member) in (int, float) and not member):
            self.empty += 1
            self.has_gap = self.has_gap or is_empty(member)
            is_place = name in names.RESULTS or name in self._subject.words
            self.has_place = self.has_place or (member is None and is_place)
        elif not (self._read_code(name, words, member) or self._read_reason(words, member)) and (
            last not in names.META and (not words or words[0] not in names.META_STARTS)
        ):
            self.extras += 1
            is_count = type(member) is int and last.endswith("ed")
            self.is_done_in_part = self.is_done_in_part or (is_count and names.is_about_request(words, self._subject))
            self.has_result = self.has_result or _is_result(member)
            self.text = self.text or (names.text_of(member) if type(member) is str and " " in member else "")

    def _read_code(self, name: Any, words: tuple[str, ...], member: Any) -> bool:
        """Whether a member is a marker, a code or a status, which is then kept if it says that something failed."""
        last = words[-1] if words else ""
        if name in names.MARKERS and names.marks_error(member):
            self.is_marked = True
        elif (name == "name" and names.is_error_code(member)) or (
            last in names.STATUSES and type(member) is int and member < 0
        ):
            self.code = member
        elif last in names.CODES or (last in names.KINDS and words[0] in names.ERRORS):
            is_bad = names.is_bad_code(member) or names.is_code_of_error(words, member)
            self.code = member if is_bad else self.code
        elif last in names.STATUSES and type(member) is str and len(member) <= names.LONGEST_STATUS:
            if names.is_bad_status(member, self._subject):
                self.status = self.status or member
                self.reason = self.reason or (
                    member if last == "result" and " " in member else ""
                )  # instead of the result
        elif last in names.REASONS and _is_status(member, self._subject):
            self.status = self.status or member
        else:
            return False
        return True

    def _read_reason(self, words: tuple[str, ...], member: Any) -> bool:
        """Whether a member says why something failed, or explains something."""
        last = words[-1] if words else ""
        if names.is_error_name(words):
            self._read_error(last, member)
            return True
        text = names.text_of(member) if last in names.REASONS or last in names.CONFLICTS else ""
        if last in names.CONFLICTS:
            text = f"Conflict: {text}" if text and self._subject.is_writing else ""
        self.is_report = self.is_report or (bool(text) and names.is_report(member))
        self.reason = self.reason or text
        return bool(text)

    def _read_error(self, last: str, member: Any) -> None:
        is_findings = last == "errors" and type(member) is list and any(type(item) is not str for item in member)
        text = "" if is_findings and not self._subject.is_writing else names.text_of(member)
        self.error = f"{self.error}; {text}" if self.error and text not in self.error else self.error or text
        self.has_result = self.has_result or not text


def detect_members(value: Mapping[Any, Any], subject: Subject, depth: int = 0) -> Failure | None:
    """Detects a failure in a mapping of no documented shape.

    Args:
        value: what a tool returned, or the members of an object.
        subject: what the tool was asked for.
        depth: how many envelopes are around the mapping.
    """
    failed = detect_failed_batch(value, subject)
    if failed is not None:
        return failed
    inner = _only_content(value) if depth < _DEEPEST and not subject.is_verdict else None
    if inner is not None:
        failure = _detect_listed(inner) or detect_members(inner, subject, depth + 1)
        if failure is not None:
            return failure
    read = _Members(value, subject)
    fails = _is_broken_verdict(read) if subject.is_verdict else _fails(read, value, subject, depth)
    if not fails:
        return None
    if read.is_missing and not read.explanation and read.code is None:
        return coded("NOT_FOUND", "Nothing was found.")
    code = {"error_code": read.code} if type(read.code) is str and not read.explanation else {}
    reason = read.explanation or read.code or read.status
    message = reason if type(reason) is str else ""
    statuses = (status_of({"code": value.get(name)}) for name in ("cod", "error_code", "errorCode"))
    return Failure(
        value={**value, **code}, message=message, status=status_of(value) or next(filter(None, statuses), None)
    )


def _is_broken_verdict(read: _Members) -> bool:
    """Whether something could not be judged: the reason is a defect of the service, not of what was judged."""
    return read.is_denied and not read.extras and _clear(read.explanation) in _DEFECTS


def _fails(read: _Members, value: Mapping[Any, Any], subject: Subject, depth: int) -> bool:
    """Whether members report a failure of this call, rather than the record of one or a verdict."""
    reason = read.explanation
    if read.has_result or read.is_done_in_part or read.extras > _MOST_EXTRAS or _UNCHANGED.search(reason.lower()):
        return False
    if read.has_place and reason and read.extras <= 1 and _clear(reason) is not None:
        return True
    if (
        (read.is_marked or (read.is_report and read.has_gap))
        and reason
        and not subject.is_text
        and not subject.is_record
    ):
        return read.extras <= 1
    if subject.is_record and not depth:  # a record has more members than a code and a message
        return not read.extras and (read.is_denied or read.code is not None) and _is_known(reason, subject)
    if subject.is_idempotent and (said(reason) or sense(reason)) in _EXISTING:
        return False
    if not (read.error or read.is_failed) and sense(reason) is None and reports_success(reason, reason):
        return False
    if not reason:
        return _fails_without_reason(read, value, subject)
    if (
        read.is_state and not read.error and not read.status
    ):  # unless the reason says otherwise, it has only not ended yet
        is_over = _clear(reason) is not None or sense(reason) is meanings.CANCELLED
        return is_over and read.extras <= 1 and not subject.is_reading
    if subject.is_writing and (read.is_failed or read.error):
        was_made = bool(value.get("id") or value.get("key"))
        return read.is_failed or not was_made
    return _fails_with_reason(read, value, subject, depth)


def _fails_without_reason(read: _Members, value: Mapping[Any, Any], subject: Subject) -> bool:
    if read.is_error and not read.extras:
        return not subject.is_reading
    if read.status and not subject.is_record and not subject.is_verdict:  # nothing else is in it
        meaning = reason_of(read.status)
        is_bare = read.status.lower() in _FAILED and not value.get("id")  # with the step that failed, at most
        return (subject.is_writing and read.extras <= is_bare) or (
            read.extras <= 1 and meaning in (_OF_THE_CALL[1:] if subject.is_search else _OF_THE_CALL)
        )
    if type(read.code) is str and (read.empty or read.status) and not read.extras:
        return subject.is_writing or reason_of(read.code) is not None
    # nothing but the name of what was looked for
    return read.is_missing and not subject.is_search and read.empty > 0 and read.extras <= 1


def _fails_with_reason(read: _Members, value: Mapping[Any, Any], subject: Subject, depth: int) -> bool:
    """Whether members with a reason report a failure, of a tool that gets something or of which nothing is known."""
    is_known, is_alone = _is_known(read.explanation, subject), not read.extras
    if read.is_denied and not read.is_general and read.reason:
        return read.extras <= 1 or (read.empty > 0 and is_known)
    if read.error:
        if is_record(value) and not (read.is_denied or (read.empty and read.status)):
            return False
        return read.empty > 0 or (is_alone and (is_known or depth > 0))
    if is_alone and read.empty and _clear(read.reason) in _DEFECTS[1:]:  # `available: false`
        return True
    if read.is_failed:
        is_known = is_known or reason_of(read.status) in _OF_THE_CALL
        return is_known and (is_alone or read.empty > 0) and not (read.status and is_record(value))
    if is_alone and (
        (type(read.code) is str and (read.empty or (" " in read.reason and not value.get("id"))))
        or (type(read.code) is int and read.code < 0)
    ):
        return True
    return read.code is not None and (is_known or subject.is_writing) and read.extras <= 1 and not is_record(value)


def _clear(text: str) -> meanings.Meaning | None:
    """The first clear meaning in a text."""
    return next((meaning for one in sentences(text) if (meaning := clear_sense(one)) is not None), None)


def _is_known(text: str, subject: Subject) -> bool:
    """Whether a reason is understood; that of an unknown tool may be a verdict, so only a clear one counts."""
    if said(text) is not None or _clear(text) is not None:
        return True
    meaning = sense(text) if len(text) <= _LONGEST_REASON else None
    return meaning not in (None, meanings.FAILED) and (subject.is_writing or meaning not in _OF_VERDICTS)


def _is_status(member: Any, subject: Subject) -> bool:
    """Whether what should explain something is only a status: `NOTOK`."""
    return (
        type(member) is str
        and " " not in member
        and not names.is_report(member)
        and names.is_bad_status(member, subject)
    )


def _is_result(member: Any) -> bool:
    if type(member) is str:
        return len(member) > _LONGEST_VALUE
    return not issubclass(type(member), (int, float))


def _only_content(value: Mapping[Any, Any]) -> Mapping[str, Any] | None:
    """The mapping in an envelope such as `data` or `fault`, if nothing else is next to it but numbers."""
    inner = None
    for name, member in value.items():
        if is_a(member, Mapping) and as_dict(member):
            words = names.pieces(name) if type(name) is str else ()
            if inner is not None or not words or words[-1] not in names.ENVELOPES:
                return None
            inner = as_dict(member)
        elif not (is_empty(member) or type(member) in (int, float, bool)):
            return None
    return inner


def _detect_listed(value: Mapping[Any, Any]) -> Failure | None:
    """Detects `{"errors": [["RATELIMIT", "Take a break", ...]]}`: errors as lists of texts."""
    errors = value.get("errors")
    coded_errors = mappings(errors)
    if (
        len(value) == 1
        and coded_errors
        and all(type(item.get("message")) is str and item.get("code") for item in coded_errors)
    ):
        return Failure(value=coded_errors[0], message=coded_errors[0]["message"], status=status_of(coded_errors[0]))
    if len(value) > 2 or type(errors) is not list or not errors or type(errors[0]) is not list:
        return None
    texts = [item for item in errors[0] if type(item) is str and item]
    return coded(texts[0], next((item for item in texts if " " in item), texts[0])) if texts else None
