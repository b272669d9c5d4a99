"""Each rule for returned values, with a failure that it finds and a result that looks like it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from mulligan import Pipeline, errors

ARGUMENT = errors.ToolArgumentError
AUTHENTICATION = errors.ToolAuthenticationError
CONFLICT = errors.ResourceConflictError
CONNECTION = errors.ToolConnectionError
EXECUTION = errors.ToolExecutionError
MISSING = errors.ResourceNotFoundError
PERMISSION = errors.ToolPermissionError
QUOTA = errors.ToolQuotaError
RATE = errors.ToolRateLimitError
TIMEOUT = errors.ToolTimeoutError
UNAVAILABLE = errors.ToolUnavailableError


@dataclass
class Cell:
    """The outcome of a cell; its error is of another process."""

    text: str = ""
    error: Any = None


@dataclass
class Raised:
    """An exception of another process."""

    name: str
    value: str


@dataclass
class Remote:
    """A remote command."""

    exited: int
    stdout: str
    stderr: str


Side = tuple[str, Any]
RULES: dict[str, tuple[type[errors.ToolError], Side, Side]] = {
    "a marker of the type": (
        PERMISSION,
        ("create_role", {"object": "error", "text": "Access denied for this key"}),
        ("get_log_entry", {"object": "error", "text": "Access denied for this key", "count": 4}),
    ),
    "an error in the only member": (
        RATE,
        ("find_places", {"detail": {"error": "Too many requests, slow down"}}),
        ("get_place", {"detail": {"stars": 4, "error": None}}),
    ),
    "a null under the tool's noun": (
        MISSING,
        ("get_ferry", {"number": 9, "ferry": None, "note": "There is no ferry with this number."}),
        ("get_ferry", {"number": 9, "ferry": None, "note": "Runs on Sundays."}),
    ),
    "a negative status": (
        EXECUTION,
        ("stock_level", {"status": -3, "message": "unknown internal error"}),
        ("stock_level", {"level": -3, "message": "3 pieces are owed"}),
    ),
    "a code that only zero excuses": (
        PERMISSION,
        ("switch_relay", {"rc": 13, "reason": "not authorized"}),
        ("switch_relay", {"rc": 0, "reason": "switched"}),
    ),
    "conflicts of what was not made": (
        CONFLICT,
        ("book_studio", {"booked": False, "conflicts": [{"title": "Choir"}]}),
        ("check_studio", {"free": False, "conflicts": [{"title": "Choir"}]}),
    ),
    "every item failed": (
        CONFLICT,
        (
            "archive_mails",
            {"results": [{"id": 1, "error": "already archived"}, {"id": 2, "error": "already archived"}]},
        ),
        ("archive_mails", {"results": [{"id": 1, "error": "already archived"}, {"id": 2, "error": None}]}),
    ),
    "a count of what was done": (
        ARGUMENT,
        ("import_books", {"imported": 0, "errors": ["line 4: invalid isbn"]}),
        ("import_books", {"imported": 12, "errors": ["line 4: invalid isbn"]}),
    ),
    "a report beside an empty list": (
        TIMEOUT,
        ("map_features", {"features": [], "remark": "runtime error: query timed out after 25 s"}),
        ("map_features", {"features": [], "remark": "Nothing in this area."}),
    ),
    "a status inside meta": (
        AUTHENTICATION,
        ("find_clips", {"meta": {"status": 401, "msg": "No API key found"}, "data": []}),
        ("find_clips", {"meta": {"status": 200, "msg": "OK"}, "data": []}),
    ),
    "an exception by name and text": (
        EXECUTION,
        ("run_cell", Cell(error=Raised("ZeroDivisionError", "division by zero"))),
        ("run_cell", Cell(text="ZeroDivisionError: division by zero is what 1/0 raises")),
    ),
    "the status of a remote command": (
        CONNECTION,
        ("remote_run", Remote(255, "", "ssh: connect to host 10.1.1.1 port 22: No route to host")),
        ("remote_run", Remote(0, "", "Warning: host key was added")),
    ),
    "a verdict with its reason": (
        MISSING,
        ("get_certificate", {"error": "certificate not found"}),
        ("check_certificate", {"trusted": False, "error": "certificate not found"}),
    ),
    "a record that was asked for": (
        EXECUTION,
        ("start_render", {"status": "failed", "error": "lamp burst"}),
        ("get_render_job", {"renderId": 3, "status": "failed", "error": "lamp burst", "node": "n4"}),
    ),
    "a judging noun after another verb": (
        QUOTA,
        ("upload_scan", {"ok": False, "status": 507, "statusText": "Insufficient Storage", "text": ""}),
        ("run_scan", {"ok": False, "status": 507}),
    ),
    "an empty list with a note": (
        RATE,
        ("list_payments", {"items": [], "error": "rate limit exceeded"}),
        ("list_payments", {"items": [], "status": "0", "message": "No payments found"}),
    ),
    "a server's reply": (
        AUTHENTICATION,
        ("mail_login", (535, b"5.7.8 Authentication credentials invalid")),
        ("mail_login", (235, b"2.7.0 Authentication successful")),
    ),
    "a mailbox's reply": (
        MISSING,
        ("select_folder", ("NO", [b"[NONEXISTENT] Unknown Mailbox: Old"])),
        ("select_folder", ("OK", [b"14"])),
    ),
    "FHIR": (
        MISSING,
        (
            "read_observation",
            {"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "not-found"}]},
        ),
        (
            "read_observation",
            {"resourceType": "OperationOutcome", "issue": [{"severity": "warning", "code": "not-found"}]},
        ),
    ),
    "an SQLSTATE": (
        CONFLICT,
        ("insert_seat", {"sqlState": "23505", "message": "key exists", "line": 1}),
        ("insert_seat", {"sqlState": "00000", "message": "key exists", "line": 1}),
    ),
    "a fault of XML-RPC": (
        ARGUMENT,
        (
            "wiki_edit",
            (
                "<methodResponse><fault><value><struct><member><name>faultCode</name><value><int>4</int></value></member>"
                "<member><name>faultString</name><value><string>Invalid argument</string></value></member></struct></value>"
                "</fault></methodResponse>"
            ),
        ),
        ("wiki_edit", "<methodResponse><params><param><value>ok</value></param></params></methodResponse>"),
    ),
    "a block of YAML": (
        UNAVAILABLE,
        ("quote_freight", "error:\n  code: UNAVAILABLE\n  message: the tariff service is down\n"),
        ("read_file", "error:\n  code: UNAVAILABLE\n  message: the tariff service is down\n"),
    ),
    "a validator's text": (
        ARGUMENT,
        ("create_trip", "2 validation errors for Trip\nstart\n  Field required [type=missing]"),
        ("validate_trip", {"valid": False, "report": "2 validation errors for Trip"}),
    ),
    "unauthorized to do it": (
        PERMISSION,
        ("close_project", {"error": {"code": "unauthorized", "message": "You are not allowed to close it."}}),
        ("list_rules", {"rules": ["You are not allowed to close it."]}),
    ),
    "a vague code beside clear words": (
        QUOTA,
        ("draw_picture", {"error": {"type": "invalid_request_error", "message": "Your credit balance is too low."}}),
        ("get_wallet", {"type": "prepaid", "message": "Your credit balance is 3 EUR."}),
    ),
    "a secret that is not set": (
        AUTHENTICATION,
        ("fetch_tides", "TIDES_API_TOKEN is not set"),
        ("get_setting", {"TIDES_API_TOKEN": None}),
    ),
    "a refusal of this call": (
        PERMISSION,
        ("execute_sql", "This statement is not allowed by the read-only policy."),
        ("get_policy", "Statements are read-only."),
    ),
    "what a doing tool says": (
        CONFLICT,
        ("submit_bid", "The auction has ended."),
        ("auction_info", "The auction has ended."),
    ),
    "what was done in part": (
        ARGUMENT,
        ("insert_rows", "Both rows are invalid."),
        ("insert_rows", "Both rows of the old sheet are invalid, inserted 40."),
    ),
    "a warning": (
        ARGUMENT,
        ("compile_docs", "error: option --fst is not supported"),
        ("compile_docs", "warning: option --fst is not supported\nbuilt 4 pages"),
    ),
    "an article": (
        MISSING,
        ("get_article", "Article 9 was not found."),
        ("get_article", "A lost key is a key that was not found."),
    ),
    "several lines of a document": (
        MISSING,
        ("read_notes", {"error": "no such file or directory: notes.md"}),
        ("read_notes", "No such file or directory means ENOENT.\nPermission denied means EACCES."),
    ),
    "a line of a log": (
        CONNECTION,
        ("open_tunnel", "connect() failed: Connection refused"),
        ("journal", "Jun 02 09:00:01 web sshd[7]: connect() failed: Connection refused"),
    ),
    "a status as the whole text": (
        MISSING,
        ("get_raw_file", "404: Not Found"),
        ("get_raw_file", "404: Not Found is what a server says if a page is missing"),
    ),
    "get or create": (
        CONFLICT,
        ("create_label", {"created": False, "message": "Already exists"}),
        ("get_or_create_label", {"created": False, "message": "Already exists"}),
    ),
}


@pytest.fixture(scope="module")
def bare() -> Iterator[Pipeline]:
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


@pytest.mark.parametrize("rule", RULES)
def test_a_failure_and_the_result_that_looks_like_it(bare: Pipeline, rule: str) -> None:
    kind, (failing, failure), (working, result) = RULES[rule]
    assert type(bare.classify(failure, tool=failing)) is kind
    assert bare.classify(result, tool=working) is None
