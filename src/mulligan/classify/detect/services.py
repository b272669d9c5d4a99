"""Conventions of single services that share no envelope: JSend, Elasticsearch, Salesforce, Discord, Alpha Vantage and others.

Sources: https://github.com/omniti-labs/jsend, https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-bulk,
https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/errorcodes.htm,
https://docs.discord.com/developers/reference#error-messages, https://huggingface.co/docs/inference-providers,
https://www.alphavantage.co/documentation, https://hl7.org/fhir/operationoutcome.html, https://spec.graphql.org/October2021/#sec-Errors,
https://www.contentful.com/developers/docs/references/errors/, the `Fault` of the QuickBooks Online API.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from mulligan.classify import meanings
from mulligan.classify.detect.mappings import is_envelope, mappings, message_of
from mulligan.classify.detect.reports import coded
from mulligan.classify.detect.subject import Subject
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.untrusted.classes import as_dict, is_a

_LISTED = frozenset(("message", "errorCode", "fields", "statusCode", "extendedErrorDetails", "code", "error_code"))
_NOTES = frozenset(("Note", "Information", "Error Message", "Warning"))
_RATES = (meanings.RATE_LIMIT, meanings.QUOTA)
_TABLES = frozenset(("list", "codes", "catalog", "catalogue", "table", "reference"))
_SQL_ERROR = re.compile(r"(?!00|01|02)[0-9A-Z]{5}")
_MOST_ITEMS = 1_000


def detect_service(value: Mapping[str, Any]) -> Failure | None:
    """Detects the error of a service by the exact shape that it documents."""
    for shape in _SHAPES:
        failure = shape(value)
        if failure is not None:
            return failure
    return None


def _detect_jsend(value: Mapping[str, Any]) -> Failure | None:
    """JSend's `fail`: the data say what is wrong with the request."""
    data = value.get("data")
    if value.get("status") != "fail" or not set(value) <= {"status", "data", "message", "code"} or not data:
        return None
    if is_a(data, Mapping):
        problems = [f"{name}: {text}" for name, text in islice(as_dict(data).items(), 8) if type(text) is str]
        return coded("INVALID_ARGUMENT", "; ".join(problems)) if problems else None
    return Failure(value={"message": data}, message=data) if type(data) is str else None


def _detect_bulk(value: Mapping[str, Any]) -> Failure | None:
    """A bulk request of Elasticsearch of which some items failed."""
    if value.get("errors") is not True:
        return None
    for item in islice(mappings(value.get("items")), _MOST_ITEMS):
        for outcome in item.values():
            error = as_dict(outcome).get("error") if is_a(outcome, Mapping) else None
            if is_a(error, Mapping):
                status = as_dict(outcome).get("status")
                members = as_dict(error)
                return Failure(
                    value=members, message=message_of(members), status=status if type(status) is int else None
                )
    return None


def _detect_partial_data(value: Mapping[str, Any]) -> Failure | None:
    """An error of GraphQL whose field is null in the data."""
    for error in mappings(value.get("errors")) if is_a(value.get("data"), Mapping) else ():
        path = error.get("path")
        if type(error.get("message")) is str and type(path) is list and path and _is_null(value["data"], path):
            return Failure(value=error, message=error["message"])
    return None


def _is_null(data: Any, path: list[Any]) -> bool:
    for step in path[:32]:
        if is_a(data, Mapping):
            data = as_dict(data).get(step)
        elif type(data) is list and type(step) is int and 0 <= step < len(data):
            data = data[step]
        if data is None:
            return True
    return False


def _detect_form(value: Mapping[str, Any]) -> Failure | None:
    """Fields that Discord rejects: a nested mapping that ends in `_errors`."""
    if type(value.get("code")) is not int or type(value.get("message")) is not str or not is_envelope(value):
        return None
    node, path = value.get("errors"), list[str]()
    while is_a(node, Mapping) and as_dict(node) and len(path) < 16:
        inner = as_dict(node)
        listed = mappings(inner.get("_errors"))
        if listed:
            message = f"{value['message']}: {'.'.join(path)}: {message_of(listed[0])}"
            return coded(
                "INVALID_ARGUMENT", message, errors=[{"field": ".".join(path), "message": message_of(listed[0])}]
            )
        name, node = next(iter(inner.items()))
        path.append(str(name))
    return None


def _detect_wait(value: Mapping[str, Any]) -> Failure | None:
    """A message next to a wait, and nothing else: `{"message": ..., "retry_after": 1.3, "global": false}`."""
    wait = value.get("retry_after")
    if type(wait) not in (int, float) or type(value.get("message")) is not str:
        return None
    if not set(value) <= {"message", "retry_after", "global", "code"}:
        return None
    return coded("RATE_LIMITED", value["message"], retry_after=wait)


def _detect_note(value: Mapping[str, Any]) -> Failure | None:
    """A note in place of the data, as Alpha Vantage sends it."""
    if len(value) != 1 or not set(value) <= _NOTES:
        return None
    (name, text), *_ = value.items()
    if type(text) is not str or (name != "Error Message" and said(text, _RATES) is None):
        return None
    return Failure(value={"message": text}, message=text)


def _detect_outcome(value: Mapping[str, Any]) -> Failure | None:
    """FHIR's OperationOutcome with an issue that is an error: https://hl7.org/fhir/operationoutcome.html."""
    if value.get("resourceType") != "OperationOutcome":
        return None
    issue = next((one for one in mappings(value.get("issue")) if one.get("severity") in ("error", "fatal")), None)
    if issue is None:
        return None
    details = as_dict(issue["details"]).get("text") if is_a(issue.get("details"), Mapping) else None
    message = next((one for one in (issue.get("diagnostics"), details) if type(one) is str), "")
    return coded(str(issue.get("code", "")), message)


def _detect_sql_state(value: Mapping[str, Any]) -> Failure | None:
    """An SQLSTATE that is no success or warning, next to a message, as databases behind HTTP send it."""
    state = next((value[name] for name in ("sqlState", "sqlstate", "SQLSTATE", "sql_state") if name in value), None)
    message = value.get("message")
    is_error = type(state) is str and _SQL_ERROR.fullmatch(state) is not None
    if not is_error or type(message) is not str:
        return None
    return Failure(value={"message": message, "sqlstate": state}, message=message)


def _detect_fault(value: Mapping[str, Any]) -> Failure | None:
    """The fault of QuickBooks, beside the time."""
    fault = value.get("Fault")
    errors = mappings(as_dict(fault).get("Error")) if is_a(fault, Mapping) and value.keys() <= {"Fault", "time"} else []
    texts = [one[name] for one in errors[:1] for name in ("Message", "Detail") if type(one.get(name)) is str]
    return Failure(value={"message": "; ".join(texts)}, message="; ".join(texts)) if texts else None


def _detect_system_error(value: Mapping[str, Any]) -> Failure | None:
    """An error of Contentful, whose kind is in `sys`, as that of an entry is."""
    kind = as_dict(value["sys"]) if is_a(value.get("sys"), Mapping) else {}
    message = value.get("message")
    is_error = kind.get("type") == "Error" and type(kind.get("id")) is str and type(message) is str
    return coded(kind["id"], str(message)) if is_error else None


_SHAPES = (
    _detect_jsend,
    _detect_bulk,
    _detect_partial_data,
    _detect_form,
    _detect_wait,
    _detect_note,
    _detect_outcome,
    _detect_sql_state,
    _detect_fault,
    _detect_system_error,
)


def detect_listed_errors(value: list[Any], subject: Subject) -> Failure | None:
    """Detects a list that contains only errors with a code and a message, as Salesforce sends it.

    Args:
        value: what a tool returned.
        subject: what the tool was asked for; a table of codes is a result.
    """
    if not 0 < len(value) <= 20 or not _TABLES.isdisjoint(subject.words):
        return None
    errors = mappings(value)
    codes = [one.get("errorCode") or one.get("error_code") for one in errors]
    if not errors or not all(type(code) is str and code for code in codes):
        return None
    if not all(set(one) <= _LISTED and type(one.get("message")) is str for one in errors):
        return None
    return coded(
        str(codes[0]), errors[0]["message"], **({"fields": errors[0]["fields"]} if errors[0].get("fields") else {})
    )
