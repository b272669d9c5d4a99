"""Salesforce, through simple_salesforce: by its error code, otherwise by the status.

https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/errorcodes.htm
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from mulligan.plugin import (
    Failure,
    Problem,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    hookimpl,
    status_error,
)
from mulligan.plugin import meanings as m
from mulligan_crm.arguments import argument_with, find_field, problems_of, query_argument, was_sent
from mulligan_crm.salesforce_codes import DAILY, ROLLED_BACK, SEVERAL, codes

rules = Rules("salesforce")
last = Rules("salesforce", last=True)
SERVICE = "Salesforce"

JOB_TIMEOUT = m.TIMEOUT._replace(message="The job of the service did not end in time")
JOB_FAILED = m.FAILED._replace(message="The job of the service failed", effect="possible")
_EXISTING = re.compile(r"\brecord with id: ?([A-Za-z0-9]{15,18})\b")
_LISTED = re.compile(r"\bRequired fields are missing: \[([\w, ]{1,400})\]")
_NAMED = re.compile(r"\bNo such column '(\w{1,80})'|\bfield '(\w{1,80})'|\bUnable to create/update fields: (\w{1,80})")
_VALUE = re.compile(r"\bid value of incorrect type: (\S{1,100})")
_RECORD = re.compile(r"/sobjects/\w+/([^/]{1,200})")
_NO_FIELD = re.compile(r"\bField name not found : (\w{1,80})")
_BULK = re.compile(r"(?:^|Response content: )([A-Za-z]{4,40}) : ")
_UPLOAD = re.compile(r"^Failed to upload job data\. Error Code (\d{3})\b")
_IN_QUERY = frozenset(("MALFORMED_QUERY", "MALFORMED_SEARCH", "INVALID_QUERY_FILTER_OPERATOR", "QUERY_TOO_COMPLICATED"))


@rules("simple_salesforce.SalesforceAuthenticationFailed")
def login(failure: Failure) -> ToolError:
    """A failed login, for which the client reports status 401 even if Salesforce was busy or down."""
    code, text = failure.look("code"), failure.look("auth_message")
    if type(code) is int and code >= 400:
        return status_error(failure, code, service=SERVICE, effect="none")
    meaning = _meaning_of({"error": code, "message": text}) or m.AUTHENTICATION
    return m.error_of(failure, meaning, service=SERVICE, told=code, http_status=None, effect="none")


@rules("simple_salesforce.SalesforceMoreThanOneRecord")
def several(failure: Failure) -> ToolError:
    """An external ID that several records share."""
    return m.error_of(failure, SEVERAL, service=SERVICE, effect="none")


@rules("simple_salesforce.SalesforceError")
def answered(failure: Failure) -> ToolError | None:
    """An error response from Salesforce, by its error code, otherwise by its status."""
    error = _by_code(failure.body, failure)
    return status_error(failure, service=SERVICE) if error is None and failure.status is not None else error


@rules("simple_salesforce.SalesforceOperationError", "simple_salesforce.SalesforceGeneralError")
def job(failure: Failure) -> ToolError | None:
    """A Bulk API job that failed or did not finish; parts of it may have been processed."""
    text = failure.look("content") if failure.matches("simple_salesforce.SalesforceError") else failure.text
    text = text[:1_000] if isinstance(text, str) else ""
    upload, named = _UPLOAD.search(text), _BULK.search(text)
    if upload:
        return status_error(failure, int(upload[1]), service=SERVICE, effect="possible")
    error = codes.error(failure, named[1], service=SERVICE, effect="possible") if named else None
    if isinstance(error, ToolArgumentError):
        fields = [(found[1], text) for found in _NO_FIELD.finditer(text)]
        error.problems = problems_of(fields, failure.arguments, SERVICE)
    if error is None and text.startswith("Job timeout"):
        return m.error_of(failure, JOB_TIMEOUT, service=SERVICE)
    if error is None and text.startswith("Job failure"):
        return m.error_of(failure, JOB_FAILED, service=SERVICE)
    return error


def _by_code(content: object, failure: Failure) -> ToolError | None:
    entries = _entries(content)
    known = [(entry, meaning) for entry in entries if (meaning := _meaning_of(entry)) is not None]
    entry, meaning = next((pair for pair in known if pair[1] is not ROLLED_BACK), known[0] if known else ({}, None))
    if meaning is None or (meaning.cls is ToolExecutionError and (failure.status or 0) >= 500):
        return None  # for server failures, the status is more specific
    error = m.error_of(failure, meaning, service=SERVICE, told=_code(entry), resource=_resource(failure))
    if isinstance(error, ResourceNotFoundError):
        _name_missing(error, entry, failure)
    elif isinstance(error, ResourceConflictError) and error.code == "ALREADY_EXISTS":
        error.resource = _existing(entry) or error.resource
        if error.resource:
            error.message = f"{error.message.rstrip('.')}: {error.resource}"
        error.problems = _problems(entries, failure)
    elif isinstance(error, ToolArgumentError):
        error.problems = _problems(entries, failure) or error.problems
    return error


def _meaning_of(entry: Mapping[str, Any]) -> m.Meaning | None:
    if _code(entry) == "REQUEST_LIMIT_EXCEEDED" and _text(entry).startswith("TotalRequests"):
        return DAILY
    return codes.meaning_of(_code(entry))


def _resource(failure: Failure) -> str | None:
    """The requested record, otherwise its object: an API path does not help a model."""
    found = failure.resource
    if found is None or not found.startswith("/services/"):
        return found
    record, name = _RECORD.search(found), failure.look("resource_name")
    return record[1] if record else name if isinstance(name, str) and name else None


def _entries(content: object) -> list[Mapping[str, Any]]:
    found = content if isinstance(content, list) else [content]
    return [entry for entry in found[:20] if isinstance(entry, Mapping)]


def _code(entry: Mapping[str, Any]) -> str:
    code = next((entry[name] for name in ("errorCode", "statusCode", "exceptionCode", "error") if name in entry), "")
    return code if isinstance(code, str) else ""


def _text(entry: Mapping[str, Any]) -> str:
    text = entry.get("message")
    return text[:2_000] if isinstance(text, str) else ""


def _fields(entry: Mapping[str, Any]) -> list[str]:
    fields = entry.get("fields")
    return [one for one in fields[:20] if isinstance(one, str)] if isinstance(fields, list) else []


def _name_missing(error: ResourceNotFoundError, entry: Mapping[str, Any], failure: Failure) -> None:
    """The value sent for the field that the response names, otherwise the requested resource."""
    for field in _fields(entry):
        value = find_field(field, failure.arguments)[1]
        if isinstance(value, str) and value:
            error.resource = value
    if error.resource:
        error.message = f"Resource not found: {error.resource}, or not visible with these credentials."


def _existing(entry: Mapping[str, Any]) -> str | None:
    """The ID of the duplicate record, from Salesforce's message or its list of matches."""
    named = _EXISTING.search(_text(entry))
    if named:
        return named[1]
    result: Any = entry.get("duplicateResult") or entry.get("duplicateResut")  # as the service spells it
    for name in ("matchResults", "matchRecords"):
        found = result.get(name) if isinstance(result, Mapping) else None
        result = found[0] if isinstance(found, list) and found else None
    record = result.get("record") if isinstance(result, Mapping) else None
    existing = record.get("Id") if isinstance(record, Mapping) else None
    return existing if isinstance(existing, str) else None


def _problems(entries: list[Mapping[str, Any]], failure: Failure) -> list[Problem]:
    fields = [pair for entry in entries for pair in _rejected(entry, failure)]
    return problems_of(fields, failure.arguments, SERVICE)


def _rejected(entry: Mapping[str, Any], failure: Failure) -> Iterator[tuple[str, str]]:
    """Each field of an entry, with the reason."""
    code, text = _code(entry), _text(entry)
    listed, named, value = _LISTED.search(text), _NAMED.search(text), _VALUE.search(text)
    query = query_argument(failure.arguments)
    if _fields(entry):
        yield from ((field, text) for field in _fields(entry))
    elif listed:
        yield from ((field.strip(), text) for field in listed[1].split(","))
    elif value:
        sent = argument_with(value[1], failure.arguments)
        if sent:
            yield sent, text
    elif named:
        field = next(filter(None, named.groups()))
        yield (query if query and not was_sent(field, failure.arguments) else field), text
    elif code in _IN_QUERY and query:
        yield query, text


@hookimpl
def detect(value: Any) -> Failure | None:
    """Save results in which every record failed; if some were saved, the value is a result."""
    try:
        errors = _save_errors(value)
    except Exception:  # an unreadable value reports no failure
        return None
    return Failure(value=value, message="\n".join(map(_text, errors))[:2_000]) if errors else None


def _save_errors(value: Any) -> list[Mapping[str, Any]]:
    """The errors of `[{"success": false, "errors": [{"statusCode": ..., "message": ..., "fields": [...]}]}]`."""
    results = value if isinstance(value, list) else [value]
    errors: list[Mapping[str, Any]] = []
    for result in results[:10_000]:
        found = result.get("errors") if isinstance(result, Mapping) and result.get("success") is False else None
        if not isinstance(found, list) or not found:
            return []
        for entry in found:
            if not isinstance(entry, Mapping) or not isinstance(entry.get("statusCode"), str) or "message" not in entry:
                return []
        errors += found[:20]
    return errors[:20]


@rules.returned
def returned(failure: Failure) -> ToolError | None:
    """Results of saving records, as the REST, composite and bulk APIs return them."""
    errors = _save_errors(failure.value)
    return (_by_code(errors, failure) or m.error_of(failure, m.FAILED, service=SERVICE)) if errors else None


@last("simple_salesforce.SalesforceError", "simple_salesforce.SalesforceOperationError")
def other(_: Failure) -> ToolError:
    """Any other exception of the client."""
    return ToolExecutionError("The Salesforce call failed.")
