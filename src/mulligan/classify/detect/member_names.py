"""What the members of a mapping of no documented shape may say, by their names and by their content."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from mulligan.classify import meanings
from mulligan.classify.detect.mappings import message_of
from mulligan.classify.detect.subject import PIECES, Subject, word_set
from mulligan.classify.failure import Failure
from mulligan.classify.reasons import reason_of
from mulligan.untrusted.classes import is_a
from mulligan.untrusted.text import safe_str

GENERAL = word_set("ok okay success successful succeeded exito erfolg succes sucesso successo")
STATES = word_set("done completed complete finished")  # also the state of a task
_ACCEPTED = word_set(  # what became of the request
    "accepted handled executed performed processed found matched saved stored updated applied created added"
)
_PERMITTED = word_set("permitted allowed authorized authorised granted approved confirmed")
SERVING = word_set("available online reachable")  # of a service, if a reason says so
_IRREGULAR: Mapping[str, tuple[str, ...]] = {
    "sent": ("send", "mail", "post"),
    "paid": ("pay", "charge"),
    "bought": ("buy",),
    "sold": ("sell",),
    "held": ("hold",),
    "written": ("write",),
    "made": ("make",),
    "built": ("build",),
    "set": ("set",),
    "put": ("put",),
    "taken": ("take",),
    "found": ("find", "locate", "get", "lookup"),
    "answered": ("call", "dial", "ring"),
    "delivered": ("send",),
    "drawn": ("draw",),
    "driven": ("drive",),
    "flown": ("fly",),
    "begun": ("begin", "start"),
    "run": ("run",),
    "stored": ("save", "upload"),
    "saved": ("store", "save", "write"),
}
_AUXILIARIES = ("is", "was", "has", "been", "request", "command", "call")
FAILED = word_set("failed failure error errored aborted rejected refused denied unreachable throttled")
STATUSES = word_set(
    "status state result outcome response disposition stat esito stato estado statut etat resultado ergebnis"
)
_BAD = word_set("""
    error errored err fail failed failure fails fault
    refused rejected denied declined forbidden unauthorized unauthorised invalid
    aborted timeout unavailable unreachable notfound missing blocked conflict throttled exception unsupported expired ko nok
    notok
    nack faulted faulty cancelled canceled unsuccessful unknown required exceeded limit insufficient disabled locked exhausted
    incorrect wrong maintenance offline crashed killed interrupted
""")
_BAD_PAIRS = (("not", "found"), ("timed", "out"), ("time", "out"), ("not", "allowed"), ("not", "authorized"))
_BAD_STARTS = word_set("no not un bad too over out invalid missing")
ERRORS = word_set("error errors err fault failure exception problem faultstring erro fehler erreur fout fel feil")
_NO_ERRORS = word_set("last previous max mean standard std no num abs on if")  # `last_error`, `mean_error`
_REFUSALS = word_set("refusal rejection decline denial")
_TEXTS = word_set(
    "message messages msg text summary detail details string description info reason cause causes note explanation"
)
REASONS = word_set("""
    reason reasons why because
    message messages msg detail details note notes cause explanation description explain comment text info
    remark diagnostic diagnostics diagnosis hint summary problem error exception failure fault feedback mensaje mensagem
    messaggio meldung nachricht bericht motivo grund raison
""")
META = word_set("""
    id ids uuid guid ref reference code codes errno number timestamp time date at took duration elapsed ms seconds path url uri
    link links href docs doc documentation help request trace version type kind service tool method host retry retries attempt
    attempts param params parameters args arguments input query lang locale server origin instance headers hint suggestion
    suggestions retryable transient recoverable severity level category domain class name field fields
    source operation action user usage ecode
    span correlation syscall line file stack stacktrace traceback warnings meta metadata status state
""")
META_STARTS = word_set("request retry error err trace")
CODES = word_set("code cod ecode errcode errno retcode rc ret errorcode subcode infocode statuscode resultcode")
KINDS = word_set("type kind name class")  # with `error`, the code of an error: `error-type`
MARKERS = frozenset(
    ("type", "@type", "$type", "kind", "object", "schemas", "resultType", "result_type", "responseType")
)
CONFLICTS = word_set("conflict conflicts clash clashes overlap overlaps collision collisions")
_RETURNED = word_set("rc ret retcode errno errcode errorcode")  # zero is the only success
_CODED = word_set("error err result ret return fault status")
ENVELOPES = word_set(
    "result data response json body fault error payload answer output reply content d detail status value"
)
RESULTS = word_set("data result results output response value answer")
NOTHING = word_set("none null no false ok success n/a nil unknown")
_REPORT = re.compile(r"(?:[a-z]+ )?(?:error|exception|fatal|failure)\b[^:\n]{0,20}: \S", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[A-Z][A-Z0-9]{1,40}(?:_[A-Z0-9]{1,40}){1,8}")
_VAGUE = (None, meanings.ARGUMENT, meanings.FAILED)
_ERROR_URN = re.compile(r"(?:error|.*[:.#/]error)", re.IGNORECASE)
_ATOMS = frozenset((int, float, bool, type(None)))
_LONGEST_TEXT = 2_400
LONGEST_STATUS = 40
_MOST_WORDS, _SHORTEST_STEM = 3, 3


@lru_cache(maxsize=4_096)
def pieces(name: str) -> tuple[str, ...]:
    """The words of a name: `refusalReason`, `error_code`."""
    return tuple(word.lower() for word in PIECES.findall(name[:80]))


@lru_cache(maxsize=4_096)
def role(name: str) -> str:
    """What a member with this name may say: that the call failed, how, or why; empty if none of these."""
    words = pieces(name)
    last = words[-1] if words else ""
    if last in FAILED:
        return "failed"
    if (
        last in GENERAL
        or last in _ACCEPTED
        or last in STATES
        or last in _IRREGULAR
        or last.endswith("ed")
        or last in SERVING
    ):
        return "flag"
    if is_error_name(words) or words[-2:] == ("error", "messages"):
        return "error"
    if name in MARKERS:
        return "marker"
    if name == "name":
        return "name"
    if last in STATUSES:
        return "status"
    if last in CODES:
        return "code"
    if last in ENVELOPES:
        return "envelope"
    return "reason" if last in REASONS else ""


def marks_error(value: Any) -> bool:
    """Whether a marker of a mapping's type says that the mapping is an error: `error`, or a name that ends in it."""
    if type(value) is list:
        return len(value) == 1 and marks_error(value[0])
    return type(value) is str and _ERROR_URN.fullmatch(value) is not None


def is_report(value: Any) -> bool:
    """Whether a text that explains something is a report of its own: `runtime error: ...`, `INVALID_USER_KEY`."""
    if type(value) is not str:
        return False
    if _REPORT.match(value) is not None:
        return True
    return _IDENTIFIER.fullmatch(value) is not None and reason_of(value) not in _VAGUE


def is_error_code(value: Any) -> bool:
    """Whether a text is an identifier in capitals that says that something failed: `INSTRUMENT_DECLINED`."""
    return type(value) is str and _IDENTIFIER.fullmatch(value) is not None and is_bad_code(value)


def is_of_record(name: Any) -> bool:
    """Whether a member belongs to a record of something, rather than to a report: `id`, but not `trace`."""
    words = pieces(name) if type(name) is str else ()
    return not words or name == "id" or words[-1] not in META


def is_error_name(words: tuple[str, ...]) -> bool:
    """Whether a member is called an error, or what an error says: `fault`, `errorSummary`, `refusalReason`."""
    if not words:
        return False
    if words[-1] in ERRORS or words in (("errmsg",), ("errormessage",)):
        return len(words) <= _MOST_WORDS and words[0] not in _NO_ERRORS
    return (words[0] in ERRORS or words[0] in _REFUSALS) and words[-1] in _TEXTS


def flag_of(value: Any) -> bool | None:
    """The truth value of a member, which may be written as a text."""
    if type(value) is bool:
        return value
    if type(value) is str and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return None


def is_about_request(words: tuple[str, ...], subject: Subject) -> bool:
    """Whether a flag is about the request: `accepted`, or the participle of the tool's verb, as `opened` of `open_lift`."""
    last = words[-1] if words else ""
    if len(words) > 1 and words[0] not in _AUXILIARIES:
        return False
    if last in _PERMITTED and subject.is_writing and not any(one.startswith(last[:5]) for one in subject.words):
        return True  # unless that is what it was asked for, as of `request_approval`
    if last in _ACCEPTED or not subject.words.isdisjoint(_IRREGULAR.get(last, ())):
        return True
    return last.endswith("ed") and _is_of_name(last, subject)


def _is_of_name(word: str, subject: Subject) -> bool:
    """Whether a word has the stem of a word in the tool's name: `opened` of `open_lift`."""
    stems = (one[: max(_SHORTEST_STEM, len(one) - 1)] for one in subject.words if len(one) >= _SHORTEST_STEM)
    return any(word.startswith(stem) for stem in stems)


def is_bad_status(status: str, subject: Subject | None = None) -> bool:
    """Whether a status says that something failed, unless it is what the tool was asked for: `cancelled` of `cancel_order`."""
    words = pieces(status)
    if words[:2] in _BAD_PAIRS:
        return True
    bad = [word for word in words if word in _BAD]
    return (
        bool(bad) and words[0] != "not" and not (subject is not None and all(_is_of_name(one, subject) for one in bad))
    )


def is_bad_code(code: Any) -> bool:
    """Whether a code is none of success."""
    if type(code) is int:
        return code < 0 or code >= 400
    if type(code) is not str or not code:
        return False
    words = pieces(code)
    is_named = is_bad_status(code) or (bool(words) and words[0] in _BAD_STARTS) or reason_of(code) is not None
    return is_named or bool(re.fullmatch(r"-?[1-9]\d{2,}|[A-Z]{1,6}[-_]?\d{2,}|E(?:RR)?_[A-Z_]{3,40}", code))


def is_code_of_error(words: tuple[str, ...], code: Any) -> bool:
    """Whether a code that is not zero belongs to a member that only has one if the call failed."""
    if not words:
        return False
    if words[-1] in _RETURNED:
        return type(code) is int and code != 0 and not 200 <= code < 300
    if words[0] in ERRORS and type(code) is str:
        return bool(re.search(r"[A-Za-z]{3}", code)) and code.lower() not in NOTHING
    return words[0] in _CODED and len(words) > 1 and type(code) is int and code != 0 and not 100 <= code < 400


def text_of(value: Any) -> str:
    """What a member says, if it is a text with a word, a list of texts, or a mapping with a message."""
    if type(value) is str:
        text = value.strip()
        is_said = re.search(r"[^\W\d_]{3}", text) is not None and text.lower() not in NOTHING
        return safe_str(text) if is_said and len(text) <= _LONGEST_TEXT else ""
    if is_a(value, Mapping):
        named = (one for name, one in value.items() if is_error_name(pieces(str(name))) and type(one) is str)
        return message_of(value) or next(named, "") or _raised(value.get)
    if type(value) in (list, tuple) and value:
        texts = [text_of(one) for one in value[:3]]
        return "; ".join(texts) if all(texts) else ""
    if issubclass(type(value), Exception):
        return safe_str(value) or type(value).__name__
    return _raised(Failure(value=value).field) if type(value) not in _ATOMS else ""


def _raised(read: Callable[[str], Any]) -> str:
    """An exception that another process has reported as its class and its text: `{"name": "KeyError", "value": "'id'"}`."""
    for kind, text in (("name", "value"), ("ename", "evalue"), ("type", "value"), ("name", "message")):
        name, message = read(kind), read(text)
        if type(name) is str and type(message) is str and name.endswith(("Error", "Exception")):
            return safe_str(f"{name}: {message}")
    return ""
