"""What the validation of a form returns: a reason for each field that was rejected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.classify import meanings
from mulligan.classify.detect import member_names as names
from mulligan.classify.detect.mappings import MESSAGES, is_empty, mappings, message_of
from mulligan.classify.detect.reports import coded
from mulligan.classify.detect.sentences import sense
from mulligan.classify.detect.subject import Subject
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.untrusted.classes import as_dict, is_a

_LISTS = (("error", "messages"), ("field", "errors"), ("form", "errors"))
_AROUND = frozenset(("errors", "error", "fields", "message", "status", "code", "title", "detail", "type", "error_type"))
_OF_ERRORS = frozenset(("message", "help", "phrase", "code", "type", "reason", "error", "field", "param", "parameter"))


def detect_field_errors(value: Mapping[Any, Any], subject: Subject) -> Failure | None:
    """Detects what form validation returns: a text or a list of texts for each field, and nothing else.

    `{"errors": {"email": "is invalid"}}`, `{"non_field_errors": ["..."]}`, `{"email": ["Enter a valid address."]}`.

    Args:
        value: what a tool returned.
        subject: what the tool was asked for.
    """
    members = {name: member for name, member in value.items() if not is_empty(member)}
    if subject.is_verdict or not members:
        return None
    if len(members) == 1:
        name, member = next(iter(members.items()))
        found = _detect_texts(str(name), member) or _detect_messages(
            value, member if name == "errors" else None, subject
        )
        if found is not None:
            return found
    return None if subject.is_search or subject.is_record else _detect_fields(members, subject)


def _detect_texts(name: str, member: Any) -> Failure | None:
    """`{"errorMessages": ["..."]}`: a list of texts whose name says that they are errors."""
    text = names.text_of(member) if names.pieces(name)[-2:] in _LISTS else ""
    return rejected({}, text) if text else None


def _detect_messages(value: Mapping[Any, Any], listed: Any, subject: Subject) -> Failure | None:
    """`{"errors": [{"message": "..."}]}` of a tool that gets or does something, with nothing that a linter would say."""
    errors = mappings(listed) if subject.is_reading or subject.is_writing else []
    if not errors or not all(set(one) <= _OF_ERRORS and type(one.get("message")) is str for one in errors):
        return None
    if all(type(one.get("field")) is str for one in errors):
        return rejected({one["field"]: one["message"] for one in errors[:20]}, "")
    return Failure(value=dict(value), message="; ".join(one["message"] for one in errors[:3]))


def _detect_fields(members: Mapping[Any, Any], subject: Subject) -> Failure | None:
    errors = members.get("errors") or members.get("error") or members.get("fields")
    if is_a(errors, Mapping) and set(members) <= _AROUND and (fields := fields_of(as_dict(errors))):
        message = message_of({name: members[name] for name in MESSAGES if name in members and name != "error"})
        return rejected(fields, message)
    if not subject.is_writing or not all(type(member) is list for member in members.values()):
        return None
    fields = fields_of(members)
    is_known = all(said(text) is not None or sense(text) is not None for text in fields.values())
    return rejected(fields, "") if fields and is_known else None


def fields_of(errors: Mapping[Any, Any]) -> dict[str, str]:
    """The reason for each field; empty if something else is in the mapping.

    Args:
        errors: a mapping of fields.
    """
    fields = {str(name): names.text_of(one) for name, one in list(errors.items())[:20]}
    is_plain = not {"message", "code", "type", "reason", "detail", "msg"} & set(fields)
    return fields if is_plain and all(" " in text for text in fields.values()) else {}


def rejected(fields: Mapping[str, str], text: str) -> Failure:
    """The failure of fields that were rejected.

    Args:
        fields: the reason for each field.
        text: what is said of all of them; empty if nothing is.
    """
    reasons = "; ".join(f"{name}: {reason}" for name, reason in fields.items())
    message = f"{text} ({reasons})" if text and reasons else text or reasons
    meaning = said(message) or sense(message)
    if meaning not in (None, meanings.FAILED, meanings.ARGUMENT):
        return Failure(value={"message": message}, message=message)
    return coded("INVALID_ARGUMENT", message, errors=[{"field": name, "message": one} for name, one in fields.items()])
