"""Exceptions of libraries that nobody has written rules for: each principle by which they are understood."""

from __future__ import annotations

import imaplib
import poplib
from json import JSONDecodeError
from types import SimpleNamespace
from typing import Any

import pytest

from mulligan import Pipeline, errors


def classified(failure: Any, **arguments: Any) -> errors.ToolError:
    error = Pipeline(autoload=False).classify(failure, arguments=arguments)
    assert error is not None
    return error


def exception(
    name: str, *args: Any, module: str = "acme.errors", bases: tuple[type, ...] = (Exception,), **stored: Any
) -> Any:
    """An exception of a class that a library could define."""
    raised = type(name, bases, {"__module__": module})(*args)
    raised.__dict__.update(stored)
    return raised


def caused(outer: BaseException, cause: BaseException) -> BaseException:
    outer.__cause__ = cause
    return outer


RATE, QUOTA, AUTH = errors.ToolRateLimitError, errors.ToolQuotaError, errors.ToolAuthenticationError
PERM, MISSING, ARGUMENT = errors.ToolPermissionError, errors.ResourceNotFoundError, errors.ToolArgumentError
CONFLICT, UNAVAILABLE, TIMEOUT = errors.ResourceConflictError, errors.ToolUnavailableError, errors.ToolTimeoutError
CONNECTION, FAILED = errors.ToolConnectionError, errors.ToolExecutionError


@pytest.mark.parametrize(
    ("raised", "cls"),
    [
        (ValueError('Request failed with status code 429: {"error": "slower, please"}'), RATE),
        (ValueError("GET /v1/things returned error: 404"), MISSING),
        (exception("ApiFault", "acme 503 Service Unavailable"), UNAVAILABLE),
        (exception("ApiFault", "GET /things: [403] Forbidden"), PERM),
        (exception("ApiFault", "HTTP error 401 (no key)"), AUTH),
        (exception("ApiFault", "exit status 404"), FAILED),
        (IndexError("No item found with id 'release'"), MISSING),
        (exception("UnknownTimeZone", "Mars/Base", bases=(KeyError,)), FAILED),
        (
            exception("UndefinedUnitError", "'parsecs' is not defined in the registry", bases=(AttributeError,)),
            ARGUMENT,
        ),
        (exception("NoRouteFound", "from A to B"), MISSING),
        (exception("DownloadError", "ERROR: [site] x: Video unavailable"), MISSING),
        (exception("DownloadError", "[site] x: Private playlist. Sign in if you were invited"), PERM),
        (exception("RegexMatchError", "could not find match for (v=[0-9]+).*"), MISSING),
        (exception("ApiFault", "error 404 rows long"), FAILED),
        (exception("ApiFault", "the file 'status: 404' was read"), FAILED),
    ],
)
def test_a_status_that_a_message_tells_as_one(raised, cls):
    assert type(classified(raised)) is cls


def test_a_status_in_words_does_not_say_that_nothing_happened():
    assert classified(ValueError("failed with status code 409")).effect != "none"


@pytest.mark.parametrize(
    ("code", "cls"), [(516, FAILED), (497, FAILED), (404, MISSING), (429, RATE), (503, UNAVAILABLE)]
)
def test_a_code_is_a_status_only_where_http_knows_it(code, cls):
    assert type(classified(exception("DriverError", "it did not work", code=code))) is cls


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("NOT_FOUND - no queue 'q' in vhost '/'", MISSING),
        ("Code: 516. DB::Exception: password is wrong (AUTHENTICATION_FAILED) (version 1)", AUTH),
        ("QueryFault(type=USER, name=TABLE_NOT_FOUND, message=gone)", MISSING),
        ("ACCESS_REFUSED - access to queue 'q' refused", PERM),
        ("RESOURCE_LOCKED - cannot obtain access", CONFLICT),
        ("the constant NOT_FOUND is 4", FAILED),
        ("it says 'NOT_FOUND - x'", FAILED),
    ],
)
def test_a_reason_in_capitals_where_reasons_stand(text, cls):
    assert type(classified(exception("Fault", text))) is cls


@pytest.mark.parametrize(
    ("args", "cls"),
    [
        ((7, "Failed to connect to 127.0.0.1 port 1 after 0 ms: Could not connect to server"), CONNECTION),
        ((28, "Operation timed out after 700 milliseconds with 0 bytes received"), TIMEOUT),
        ((18456, b"Login failed for user 'u'.\n"), AUTH),
        (((208, b"Invalid object name 'things'."),), MISSING),
        (({"code": "rateLimited", "message": "You have made too many requests recently."},), RATE),
    ],
)
def test_what_an_exception_was_raised_with_where_its_text_is_a_dump(args, cls):
    assert type(classified(exception("error", *args))) is cls


@pytest.mark.parametrize(
    ("raised", "cls"),
    [
        (imaplib.IMAP4.error(b"[AUTHENTICATIONFAILED] Authentication failed."), AUTH),
        (imaplib.IMAP4.error("select failed: [NONEXISTENT] Unknown Mailbox: x (Failure)"), MISSING),
        (imaplib.IMAP4.error("append failed: [OVERQUOTA] full"), QUOTA),
        (imaplib.IMAP4.abort("socket error: EOF"), CONNECTION),
        (poplib.error_proto(b"-ERR [AUTH] invalid user or password"), AUTH),
        (poplib.error_proto(b"-ERR [IN-USE] the mailbox is open elsewhere"), CONFLICT),
    ],
)
def test_the_codes_of_mail_servers(raised, cls):
    assert type(classified(raised)) is cls


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("Connection Refused: bad user name or password.", AUTH),
        ("Connection Refused: not authorised.", PERM),
        ("Connection refused: broker unavailable", UNAVAILABLE),
        ("Connection refused: 127.0.0.1:80", CONNECTION),
        ("Unable to connect: the server does not exist (127.0.0.1)", CONNECTION),
    ],
)
def test_the_clause_after_a_refused_connection_tells_why(text, cls):
    assert type(classified(exception("ClientFault", text))) is cls


def test_a_base_that_is_named_after_its_package_says_nothing():
    base = type("DNSException", (Exception,), {"__module__": "dns.exception"})
    assert type(classified(exception("NoAnswer", "nothing came", module="dns.resolver", bases=(base,)))) is FAILED


@pytest.mark.parametrize(
    ("module", "base"),
    [
        ("mcp.server.mcpserver.exceptions", "MCPServerError"),
        ("acme.errors", "AcmeServerError"),
        ("things.errors", "ServerError"),
        ("websockets.exceptions", "WebSocketException"),
        ("authkit.oauth2.errors", "OAuth2Error"),
        ("drive.errors", "DriveBackendError"),
    ],
)
def test_a_base_that_names_a_part_of_the_system_says_nothing(module, base):
    root = type(base, (Exception,), {"__module__": module})
    assert type(classified(exception("ToolError", "Order 77 is another's.", module=module, bases=(root,)))) is FAILED


@pytest.mark.parametrize(
    ("module", "name", "cls"),
    [
        ("acme.errors", "AcmeServerError", UNAVAILABLE),
        ("openai", "InternalServerError", UNAVAILABLE),
        ("acme.errors", "SocketError", CONNECTION),
        ("mcp.server.mcpserver.exceptions", "MCPServerError", FAILED),
    ],
)
def test_the_name_of_the_class_itself_says_what_failed(module, name, cls):
    assert type(classified(exception(name, "odd", module=module))) is cls


@pytest.mark.parametrize(
    ("name", "cls"),
    [
        ("InternalServerError", UNAVAILABLE),
        ("OrderNotFound", MISSING),
        ("ThrottledError", RATE),
        ("StorageConnectionError", CONNECTION),
    ],
)
def test_a_base_that_says_what_happened_is_believed(name, cls):
    base = type(name, (Exception,), {"__module__": "acme.errors"})
    assert type(classified(exception("Odd", "odd", bases=(base,)))) is cls


def test_a_base_that_names_two_things_says_neither():
    base = type("NotExistOrMultiple", (Exception,), {"__module__": "orm.errors"})
    assert type(classified(exception("MultipleReturned", "expected one", module="orm.errors", bases=(base,)))) is FAILED


def test_a_general_name_is_narrowed_by_its_cause():
    cause = exception("RemoteProtocolError", "the peer left", module="wire")
    error = classified(caused(exception("APIConnectionError", "Connection error."), cause))
    assert (type(error), error.fatal, error.effect) == (CONNECTION, False, "possible")


def test_a_general_name_is_narrowed_by_what_its_text_blames():
    text = "HTTPPool(host='h'): Max retries exceeded (Caused by ReadTimeoutError(\"HTTPPool: Read timed out.\"))"
    assert type(classified(exception("GeocoderUnavailable", text))) is TIMEOUT


def test_an_answer_that_is_no_json_is_told_by_the_client_that_met_it():
    cause = JSONDecodeError("Expecting value", "bad gateway", 0)
    error = classified(caused(exception("ClientFault", "Bad Gateway (502)"), cause))
    assert type(error) is UNAVAILABLE


def test_a_connection_error_without_a_number_tells_in_words():
    refused = classified(ConnectionError("Failed to connect to Acme. Is it running?"))
    dropped = classified(ConnectionError("the stream ended"))
    assert (refused.fatal, dropped.fatal) == (True, False)


def union(tag: str, value: Any = None) -> SimpleNamespace:
    return SimpleNamespace(_tag=tag, _value=value)


@pytest.mark.parametrize(
    ("stored", "cls"),
    [
        ({"error": union("path", union("not_found"))}, MISSING),
        ({"_error": {"errorName": "EXCEEDED_TIME_LIMIT", "errorType": "INSUFFICIENT_RESOURCES"}}, TIMEOUT),
        ({"status": 400, "body": {"message": {"name": ["has already been taken"]}}}, CONFLICT),
        ({"status": 400, "body": {"title": "Member Exists", "detail": "a@b.example is a member."}}, CONFLICT),
        ({"status": 400, "body": [{"errorCode": "UNABLE_TO_LOCK_ROW", "message": "no"}]}, CONFLICT),
        ({"status": 403, "body": {"error": {"type": "invalid_request_error", "message": "no"}}}, PERM),
        ({"status": 456, "body": {"message": "Quota Exceeded"}}, QUOTA),
        ({"status": 418, "body": {"msg": "Way too many requests; banned."}}, RATE),
        ({"status": 401, "body": {"errors": [{"message": "Maximum credits exceeded"}]}}, QUOTA),
        ({"errors": ["missing client token"]}, AUTH),
        ({"status": 400, "body": {"message": "No such column 'Foo' on entity 'Account'."}}, ARGUMENT),
        ({"body": {"status": "REQUEST_DENIED", "error_message": "The provided API key is invalid."}}, AUTH),
    ],
)
def test_what_an_answer_tells(stored, cls):
    assert type(classified(exception("AcmeFault", "it failed", **stored))) is cls


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"message": {"path": ["can hold only letters"]}}, "/path"),
        ({"errorCode": "REQUIRED", "message": "Required fields are missing", "fields": ["Name"]}, "/Name"),
        (
            {"reason": "Invalid", "details": {"causes": [{"field": "spec.containers", "message": "Required"}]}},
            "/spec/containers",
        ),
        ({"message": "The `id` query parameter value [abc] is not valid"}, "/id"),
        ({"message": "Value for 'target_lang' not supported."}, "/target_lang"),
    ],
)
def test_the_field_that_an_answer_names(body, pointer):
    error = classified(exception("AcmeFault", "it failed", status=422, body=body))
    assert [problem.pointer for problem in error.problems] == [pointer]


def test_the_wait_that_a_client_calls_backoff():
    assert classified(exception("RateLimitError", "slow down", backoff=15)).retry_after == 15


@pytest.mark.parametrize(
    ("name", "cls"),
    [
        ("MaxPayloadError", ARGUMENT),
        ("BadSubjectError", ARGUMENT),
        ("NoRespondersError", UNAVAILABLE),
        ("NoBrokersAvailable", UNAVAILABLE),
        ("NotRegistered", MISSING),
        ("TickerMissingError", MISSING),
        ("NoSectionError", MISSING),
        ("NotEnoughSpace", QUOTA),
        ("UsageCapExceeded", QUOTA),
        ("PolicyViolationError", ARGUMENT),
    ],
)
def test_names_of_classes(name, cls):
    assert type(classified(exception(name, "x"))) is cls
