"""A mapping or object that a tool's author made up, read by the roles of its members.

`{"accepted": False, "why": "the door is moving"}` and `JobOutcome(state="FAILED", failure="...", artifact=None)` follow no
documented shape. What they share: a member says that the call failed (a flag, a status, an error), a member says why, and
the place of the result is empty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from mulligan.classify import meanings
from mulligan.classify.detect.mappings import MESSAGES, is_empty, is_record, mappings, message_of, status_of
from mulligan.classify.detect.reports import coded
from mulligan.classify.detect.subject import Subject
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.reasons import reason_of
from mulligan.classify.sentences import clear_sense, sense, sentences
from mulligan.untrusted.classes import as_dict, is_a
from mulligan.untrusted.text import safe_str


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ACCEPTED = _words("accepted handled executed performed processed found matched saved stored updated applied created added")  # what became of the request
_STATES = _words("done completed complete finished")  # also the state of a task
_IRREGULAR: Mapping[str, tuple[str, ...]] = {
    "sent": ("send", "mail", "post"), "paid": ("pay", "charge"), "bought": ("buy",), "sold": ("sell",), "held": ("hold",),
    "written": ("write",), "made": ("make",), "built": ("build",), "set": ("set",), "put": ("put",), "taken": ("take",),
    "found": ("find", "locate", "get", "lookup"), "answered": ("call", "dial", "ring"), "delivered": ("send",),
    "drawn": ("draw",), "driven": ("drive",), "flown": ("fly",), "begun": ("begin", "start"), "run": ("run",),
    "stored": ("save", "upload"), "saved": ("store", "save", "write"),
}  # fmt: skip
_GENERAL = _words("ok okay success successful succeeded exito erfolg succes sucesso successo")
_FAILED = _words("failed failure error errored aborted rejected refused denied unreachable")
_STATUSES = _words("status state result outcome response disposition stat")
_BAD = _words("""
    error errored err fail failed failure fails refused rejected denied declined forbidden unauthorized unauthorised invalid
    aborted timeout unavailable unreachable notfound missing blocked conflict throttled exception unsupported expired ko nok
    nack faulted faulty cancelled canceled unsuccessful unknown required needed exceeded limit insufficient disabled locked
    exhausted incorrect wrong no not bad too over out
""")
_ERRORS = _words("error errors err fault failure exception problem faultstring erro fehler erreur fout fel feil")
_TEXTS = _words("message messages msg text summary detail details string description info reason cause causes note explanation")
_REASONS = _words("""
    reason reasons why message messages msg detail details note notes cause explanation description explain comment text info
    remark mensaje mensagem messaggio meldung nachricht bericht motivo grund raison diagnostic diagnostics diagnosis hint summary problem error exception failure fault title feedback
""")
_META = _words("""
    id ids uuid guid ref reference code codes errno number timestamp time date at took duration elapsed ms seconds path url uri
    link links href docs doc documentation help request trace version type kind service tool method host retry retries attempt
    attempts param params parameters args arguments input query lang locale server origin instance headers hint suggestion
    suggestions retryable transient recoverable severity level category domain class name source operation action user usage
    span correlation syscall line file stack warnings meta metadata status state
""")
_CODES = _words("code cod errcode errno retcode rc ret errorcode subcode")
_NOTHING = _words("none null no false ok success n/a nil unknown")
_UNCHANGED = re.compile(r"\b(?:no changes?|nothing (?:to|changed|new)|unchanged|up[- ]to[- ]date|identical|not (?:needed|necessary|modified))\b")
_ENVELOPES = _words("result data response json body fault error payload answer output reply content d")
_OF_ERRORS = frozenset(("message", "help", "phrase", "code", "type", "reason", "error"))
_EXISTING = (meanings.EXISTS, meanings.CONFLICT)
_OF_VERDICTS = (meanings.CONFLICT, meanings.ARGUMENT, meanings.UNAVAILABLE)
_DEFECTS = (meanings.FAILED, meanings.UNAVAILABLE, meanings.RATE_LIMIT, meanings.TIMEOUT)
_RESULTS = frozenset(("data", "result", "results", "output", "response", "value", "answer"))
_MOST_EXTRAS = 3
_LONGEST_STATUS = 40
_LONGEST_VALUE = 80
_LONGEST_REASON = 600
_DEEPEST = 2


@lru_cache(maxsize=4_096)
def _role(name: str) -> str:
    """What a member with this name may say: that the call failed, how, or why; empty if none of these."""
    words = _pieces(name)
    last = words[-1] if words else ""
    if last in _FAILED:
        return "failed"
    if last in _GENERAL or last in _ACCEPTED or last in _STATES or last in _IRREGULAR or last.endswith("ed"):
        return "flag"
    if _is_error_name(words) or words[-2:] == ("error", "messages"):
        return "error"
    if last in _STATUSES:
        return "status"
    if last in _CODES or name in _CODES:
        return "code"
    return "envelope" if last in _ENVELOPES else ""


def may_fail(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping is worth a look: quick, since most mappings are results.

    Args:
        value: what a tool returned.
    """
    for name, told in value.items():
        if told is None or told is True or type(name) is not str:
            if told is None and name in _RESULTS:
                return True
            if told is not True or type(name) is not str or _role(name) not in ("failed", "error"):
                continue
            return True
        kind = type(told)
        if kind is list and told and type(told[0]) is str and len(value) == 1:
            return True
        role = _role(name)
        if not role:
            continue
        if role == "flag":
            if told is False or (kind is str and told.lower() == "false") or (kind is int and told == 0):
                return True
        elif role == "status":
            if name in _ENVELOPES and kind is not str and is_a(told, Mapping):
                return True
            if kind is str and len(told) <= _LONGEST_STATUS and _is_bad(told):
                return True
        elif role == "code":
            if _is_bad_code(told) or _is_code_of_error(_pieces(name), told):
                return True
        elif role == "envelope":
            if kind is not str and is_a(told, Mapping):
                return True
        elif told and kind not in (int, float):
            return True
    return False


@lru_cache(maxsize=4_096)
def _pieces(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _PIECES.findall(name[:80]))


class _Members(NamedTuple):
    """What the members of a mapping say.

    Attributes:
        error: what a member that is called an error says.
        reason: what another member says that explains something.
        text: what a member with any other name says.
        is_denied: whether a flag says that the request was not done.
        is_general: whether that flag is only `ok` or `success`, which a verdict also has.
        is_state: whether that flag may be the state of a task.
        is_missing: whether that flag says that something was not found.
        status: a status that says that something failed.
        code: a code that is no success, or None.
        empty: how many members have nothing in them.
        extras: how many members say something else.
        has_result: whether one of them is a list, a mapping or a long text.
    """

    error: str
    reason: str
    text: str
    is_denied: bool
    is_general: bool
    is_state: bool
    is_missing: bool
    status: str
    code: Any
    empty: int
    extras: int
    has_result: bool


def detect_members(value: Mapping[Any, Any], subject: Subject, depth: int = 0) -> Failure | None:
    """Detects a failure in a mapping of no documented shape.

    Args:
        value: what a tool returned, or the members of an object.
        subject: what the tool was asked for.
        depth: how many envelopes are around the mapping.
    """
    if subject.is_verdict and not depth:
        return _detect_broken_verdict(value)
    inner = _only_content(value) if depth < _DEEPEST else None
    if inner is not None:
        failure = _detect_listed(inner, subject) or detect_members(inner, subject, depth + 1)
        if failure is not None:
            return failure
    read = _read(value, subject)
    told = read.error or read.reason or (read.text if read.is_denied and not read.is_state else "")
    if not _fails(read, value, subject, depth):
        return None
    if not told:
        told = read.status or (read.code if type(read.code) is str else "")
    if read.is_missing and not told and read.code is None:
        return coded("NOT_FOUND", "Nothing was found.")
    status = status_of(value) or status_of({"code": value.get("cod")})
    return Failure(value=dict(value), message=told, status=status)


def _detect_broken_verdict(value: Mapping[Any, Any]) -> Failure | None:
    """Detects that something could not be judged: the reason is a defect of the service, not of what was judged."""
    read = _read(value, Subject(False, False, False, False, False, True))
    told = read.error or read.reason
    meaning = next((clear_sense(one) for one in sentences(told)), None)
    is_broken = read.is_denied and not read.extras and meaning in _DEFECTS
    return Failure(value=dict(value), message=told, status=status_of(value)) if is_broken else None


def _fails(read: _Members, value: Mapping[Any, Any], subject: Subject, depth: int) -> bool:
    if read.has_result or read.extras > _MOST_EXTRAS:
        return False
    told = read.error or read.reason or (read.text if read.is_denied and not read.is_state else "")
    is_known = bool(told) and _is_known(told, subject)
    is_failed = read.is_denied or bool(read.status)
    has_place = any(name in value and value[name] is None for name in _RESULTS)
    if has_place and told and not read.extras and any(clear_sense(one) is not None for one in sentences(told)):
        return True
    if subject.is_record and not depth:  # a record has more members than a code and a message
        return is_known and not read.extras and (read.is_denied or read.code is not None)
    if told and _UNCHANGED.search(told.lower()):
        return False
    if read.is_denied and not read.is_general and not told and not read.extras and any(name in _ERRORS for name in value):
        return not subject.is_reading
    if read.is_missing and not told:  # nothing but the name of what was looked for
        return not subject.is_search and read.empty > 0 and read.extras <= 1
    if read.is_state and not read.error and not read.status:  # unless the reason says otherwise, it has only not ended yet
        return bool(told) and read.extras <= 1 and not subject.is_reading and _says_over(told)
    if subject.is_idempotent and told and (said(told) or sense(told)) in _EXISTING:
        return False
    if read.error and not is_failed and any(value.get(name) for name in ("id", "key")):
        return False  # it has been made
    if subject.is_writing and told and (is_failed or read.error):
        return True
    if read.is_denied and read.reason and not read.is_general:
        return read.extras <= 1 or (read.empty > 0 and is_known)
    if read.error:
        if is_record(value) and not (read.is_denied or read.empty > 0 and is_failed):
            return False
        return read.empty > 0 or (not read.extras and (is_known or depth > 0))
    if is_failed and told:
        return is_known and (not read.extras or read.empty > 0) and (not read.status or not is_record(value))
    if type(read.code) is str and read.empty > 0 and not read.extras and (told or subject.is_writing):
        return True
    if read.code is not None and told:
        return (is_known or subject.is_writing) and read.extras <= 1 and not is_record(value)
    return False


def _says_over(text: str) -> bool:
    return any(clear_sense(one) is not None for one in sentences(text)) or sense(text) is meanings.CANCELLED


def _is_known(text: str, subject: Subject) -> bool:
    """Whether a reason is understood; that of an unknown tool may be a verdict, so only a clear one counts."""
    if said(text) is not None or any(clear_sense(one) is not None for one in sentences(text)):
        return True
    meaning = sense(text) if len(text) <= _LONGEST_REASON else None
    return meaning not in (None, meanings.FAILED) and (subject.is_writing or meaning not in _OF_VERDICTS)


def _read(value: Mapping[Any, Any], subject: Subject) -> _Members:
    error = reason = status = other = ""
    is_denied = is_general = is_missing = has_result = is_state = False
    code: Any = None
    empty = extras = 0
    for name, told in value.items():
        words = _pieces(name) if type(name) is str else ()
        last = words[-1] if words else ""
        flag = _flag_of(told)
        if last in _GENERAL and len(words) <= 2 and (flag is False or (type(told) is int and told == 0)):
            is_denied, is_general = True, not is_denied or is_general
        elif flag is False and _is_own_flag(words, subject):
            is_denied, is_general, is_missing = True, False, is_missing or last in ("found", "matched", "resolved")
        elif flag is False and last in _STATES and len(words) == 1:
            is_state = True
        elif flag is True and len(words) <= 2 and (last in _FAILED or last in _ERRORS):
            is_denied, is_general = True, False
        elif is_empty(told) or told is False or (type(told) in (int, float) and not told):
            empty += 1
        elif last in _CODES or name in _CODES:
            code = told if _is_bad_code(told) or _is_code_of_error(words, told) else code
        elif last in _STATUSES and type(told) is str and len(told) <= _LONGEST_STATUS:
            status = status or (told if _is_bad(told) else "")
            extras += not _is_bad(told) and last not in _META
        elif _is_error_name(words):
            is_list = last == "errors" and type(told) is list and not subject.is_writing and not all(type(one) is str for one in told)
            text = "" if is_list else _text_of(told)  # the findings of a linter
            error = f"{error}; {text}" if error and text not in error else error or text
            has_result |= not text
        elif last in _REASONS and (text := _text_of(told)):
            reason = reason or text
        elif last in _META or (words and words[0] in ("request", "retry", "error", "err", "trace")):
            continue
        else:
            extras += 1
            has_result |= _is_result(told)
            other = other or (_text_of(told) if type(told) is str and " " in told else "")
    is_state = is_state and not is_denied
    return _Members(
        error, reason, other, is_denied or is_state, is_general, is_state, is_missing, status, code, empty, extras, has_result
    )


def _is_own_flag(words: tuple[str, ...], subject: Subject) -> bool:
    """Whether a flag is about the request: `accepted`, or the participle of the tool's verb, as `opened` of `open_lift`."""
    last = words[-1] if words else ""
    if len(words) > 1 and words[0] not in ("is", "was", "has", "been", "request", "command", "call"):
        return False
    if last in _ACCEPTED:
        return True
    verbs = _IRREGULAR.get(last, ())
    if any(verb in subject.words for verb in verbs):
        return True
    return last.endswith("ed") and any(last.startswith(word[: max(3, len(word) - 1)]) for word in subject.words if len(word) > 2)


def _flag_of(told: Any) -> bool | None:
    if type(told) is bool:
        return told
    if type(told) is str and told.lower() in ("true", "false"):
        return told.lower() == "true"
    return None


def _is_error_name(words: tuple[str, ...]) -> bool:
    """Whether a member is called an error, or what an error says: `fault`, `errorSummary`, `refusalReason`."""
    if not words:
        return False
    if words[-1] in _ERRORS or words in (("errmsg",), ("errormessage",), ("errors",)):
        return len(words) <= 3 and words[0] not in ("last", "previous", "max", "mean", "standard", "std", "no", "num", "abs")
    return words[0] in (*_ERRORS, "refusal", "rejection", "decline", "denial") and words[-1] in _TEXTS


def _text_of(told: Any) -> str:
    """What a member says, if it is a text with letters, a list of texts, or a mapping with a message."""
    if type(told) is str:
        text = told.strip()
        is_said = bool(re.search(r"[^\W\d_]{3}", text)) and text.lower() not in _NOTHING and len(text) <= 4 * _LONGEST_REASON
        return safe_str(text) if is_said else ""
    if is_a(told, Mapping):
        return message_of(told) or next((one for name, one in told.items() if _is_error_name(_pieces(str(name))) and type(one) is str), "")
    if type(told) in (list, tuple) and told:
        texts = [_text_of(one) for one in told[:3]]
        return "; ".join(texts) if all(texts) else ""
    if issubclass(type(told), Exception):
        return safe_str(told) or type(told).__name__
    return ""


def _is_bad(status: str) -> bool:
    words = _pieces(status)
    return words[:1] != ("not",) and any(word in _BAD for word in words) or words[:2] in (("not", "found"), ("timed", "out"), ("time", "out"), ("not", "allowed"))


def _is_bad_code(code: Any) -> bool:
    if type(code) is int:
        return code < 0 or code >= 400
    return type(code) is str and (reason_of(code) is not None or _is_bad(code) or bool(re.fullmatch(r"-?[1-9]\d{2,}|[A-Z]{1,6}[-_]?\d{2,}", code)))


def _is_code_of_error(words: tuple[str, ...], code: Any) -> bool:
    """Whether a code that is not zero belongs to a member that only has one if the call failed."""
    is_named = words[0] in ("error", "err", "result", "ret", "return", "fault", "status") and len(words) > 1
    if words[0] in ("error", "err", "fault") and type(code) is str:
        return bool(re.search(r"[A-Za-z]{3}", code)) and code.lower() not in _NOTHING
    return is_named and type(code) is int and code != 0 and not 100 <= code < 400


def _is_result(told: Any) -> bool:
    if type(told) is str:
        return len(told) > _LONGEST_VALUE
    return type(told) not in (int, float, bool) and not issubclass(type(told), (int, float))


def _only_content(value: Mapping[Any, Any]) -> Mapping[str, Any] | None:
    """The mapping in an envelope such as `data` or `fault`, if nothing else is next to it but numbers."""
    inner = None
    for name, told in value.items():
        if is_a(told, Mapping) and as_dict(told):
            words = _pieces(name) if type(name) is str else ()
            if inner is not None or not words or words[-1] not in _ENVELOPES:
                return None
            inner = as_dict(told)
        elif not (is_empty(told) or type(told) in (int, float, bool)):
            return None
    return inner


def _detect_listed(value: Mapping[Any, Any], subject: Subject) -> Failure | None:
    """Detects `{"errors": [["RATELIMIT", "Take a break", ...]]}`: errors as lists of texts."""
    errors = value.get("errors")
    if len(value) > 2 or type(errors) is not list or not errors or type(errors[0]) is not list:
        return None
    texts = [one for one in errors[0] if type(one) is str and one]
    return coded(texts[0], next((one for one in texts if " " in one), texts[0])) if texts else None


def detect_field_errors(value: Mapping[Any, Any], subject: Subject) -> Failure | None:
    """Detects what form validation returns: a text or a list of texts for each field, and nothing else.

    `{"errors": {"email": "is invalid"}}`, `{"non_field_errors": ["..."]}`, `{"email": ["Enter a valid address."]}`.

    Args:
        value: what a tool returned.
        subject: what the tool was asked for.
    """
    if subject.is_verdict:
        return None
    told = {name: one for name, one in value.items() if not is_empty(one)}
    listed = [name for name in told if _pieces(str(name))[-2:] in (("error", "messages"), ("field", "errors"), ("form", "errors"))]
    if listed and len(told) == 1:
        text = _text_of(told[listed[0]])
        return _rejected({}, text) if text else None
    listed_errors = mappings(told.get("errors")) if len(told) == 1 and (subject.is_reading or subject.is_writing) else []
    if listed_errors and all(set(one) <= _OF_ERRORS and type(one.get("message")) is str for one in listed_errors):
        return Failure(value=dict(value), message="; ".join(one["message"] for one in listed_errors[:3]))
    if subject.is_search or subject.is_record:
        return None
    errors = told.get("errors") or told.get("error") or told.get("fields")
    others = set(told) - {"errors", "error", "fields", "message", "status", "code", "title", "detail", "type", "error_type"}
    if is_a(errors, Mapping) and not others and (fields := _fields_of(as_dict(errors))):
        return _rejected(fields, message_of({name: told[name] for name in MESSAGES if name in told and name != "error"}))
    fields = _fields_of(told) if all(type(one) is list for one in told.values()) else {}
    if fields and subject.is_writing and all(said(text) is not None or sense(text) is not None for text in fields.values()):
        return _rejected(fields, "")
    return None


def _fields_of(errors: Mapping[Any, Any]) -> dict[str, str]:
    """The reason for each field; empty if something else is in the mapping."""
    fields = {str(name): _text_of(one) for name, one in list(errors.items())[:20]}
    is_plain = not {"message", "code", "type", "reason", "detail", "msg"} & set(fields)
    return fields if is_plain and all(" " in text for text in fields.values()) else {}


def _rejected(fields: Mapping[str, str], text: str) -> Failure:
    told = "; ".join(f"{name}: {reason}" for name, reason in fields.items())
    message = f"{text} ({told})" if text and told else text or told
    meaning = said(message) or sense(message)
    if meaning not in (None, meanings.FAILED, meanings.ARGUMENT):
        return Failure(value={"message": message}, message=message)
    return coded("INVALID_ARGUMENT", message, errors=[{"field": name, "message": one} for name, one in fields.items()])


