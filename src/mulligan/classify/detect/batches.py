"""What a tool returns of several things that it was asked to do: a failure if none of them was done.

If some were done, it is a result: what was done must not be done again without a look. Services that document otherwise
are in `cloud.py`.

Sources: the JSON batch format of OData 4.01, section 19, which Microsoft Graph also uses; the `SaveResult` of Salesforce's
sObject Collections; the `results` of FCM's legacy protocol; the HTTP APIs of InfluxDB 1 and SurrealDB; Philips Hue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mulligan.classify.detect import member_names as names
from mulligan.classify.detect.mappings import is_empty, mappings, message_of, status_of
from mulligan.classify.detect.subject import Subject
from mulligan.classify.failure import Failure
from mulligan.untrusted.classes import as_dict, is_a

_MOST_OTHERS = 3
_NO_COUNTS = names.FAILED | names.ERRORS | names.META | {"failures", "total", "count"}
_OF_INFLUX, _OF_SURREAL = {"statement_id", "error"}, {"status", "time", "result"}
_OF_RESPONSE = frozenset(("id", "status", "headers", "body", "atomicityGroup"))


def detect_failed_batch(value: Mapping[Any, Any], subject: Subject) -> Failure | None:
    """Detects a list of items that all failed, in a mapping: `{"results": [{"id": 3, "error": "..."}]}`.

    Args:
        value: what a tool returned.
        subject: what the tool was asked for.
    """
    listed = [told for told in value.values() if type(told) is list and told]
    if len(listed) != 1:
        return None
    if len(value) == 1 and (documented := _detect_documented(listed[0], subject)) is not None:
        return documented
    if not _does_things(subject):
        return None
    others = sum(not is_empty(told) and type(told) not in (list, int) for told in value.values())
    is_done_in_part = others > _MOST_OTHERS or any(_counts_success(name, told) for name, told in value.items())
    return None if is_done_in_part else _first_failed(mappings(listed[0]), _error_of)


def detect_failed_items(listed: list[Any], subject: Subject) -> Failure | None:
    """Detects a list of items that each say that they failed, and why: `[{"success": false, "errors": [...]}]`.

    Args:
        listed: the items.
        subject: what the tool was asked for; of rows and log entries, an error may be a column.
    """
    items = mappings(listed) if _does_things(subject) and not subject.runs else []
    if items and all(one.get("success") is False or _is_only_error(one) for one in items):
        return _first_failed(items, _error_of)
    return _detect_documented(listed, subject)


def _detect_documented(listed: list[Any], subject: Subject) -> Failure | None:
    """Detects the responses of an OData batch, and the results of statements, that all failed."""
    if subject.is_record or subject.is_verdict or subject.is_text or subject.is_message:
        return None
    if not listed or not is_a(listed[0], Mapping) or not _error_of_part(as_dict(listed[0])):
        return None
    return _first_failed(mappings(listed), _error_of_part)


def _error_of_part(part: Mapping[Any, Any]) -> str:
    if part.keys() == _OF_INFLUX:
        return names.text_of(part["error"])
    if part.keys() == _OF_SURREAL:
        return names.text_of(part["result"]) if part["status"] == "ERR" else ""
    status = status_of(part) if {"id", "status"} <= part.keys() <= _OF_RESPONSE else None
    return "" if status is None else message_of(part.get("body")) or f"HTTP {status}"


def _is_only_error(item: Mapping[Any, Any]) -> bool:
    return item.keys() == {"error"} and is_a(item["error"], Mapping)


def _does_things(subject: Subject) -> bool:
    return subject.is_writing and not (subject.is_search or subject.is_record or subject.is_verdict)


def _first_failed(items: list[Mapping[Any, Any]], error_of: Callable[[Mapping[Any, Any]], str]) -> Failure | None:
    """The failure of the first item, if each reports one."""
    errors = [error_of(one) for one in items]
    if not errors or not all(errors):
        return None
    return Failure(value={"message": errors[0]}, message=errors[0], status=status_of(items[0]))


def _counts_success(name: Any, told: Any) -> bool:
    """Whether a member counts what was done: `"success": 2`, `"imported": 98`."""
    words = names.pieces(name) if type(name) is str else ()
    return type(told) is int and told > 0 and bool(words) and words[-1] not in _NO_COUNTS


def _error_of(item: Mapping[Any, Any]) -> str:
    """What an item's member says that is called an error."""
    told = (
        text
        for name, one in item.items()
        if names.is_error_name(names.pieces(str(name))) and (text := names.text_of(one))
    )
    return next(told, "")
