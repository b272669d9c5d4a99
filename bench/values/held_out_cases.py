"""Labelled values that tools returned: 80 failures of the call itself, 80 results that only look like failures."""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import logging
import sqlite3
import subprocess
import unittest
import urllib.error
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import EmailMessage, Message
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Case:
    """One returned value with its label."""

    id: str
    make: Callable[[], Any]
    kind: str | None
    also: tuple[str, ...] = ()
    tool: str = "some_tool"
    arguments: dict = field(default_factory=dict)
    source: str = ""


# ---------------------------------------------------------------- values that need more than one expression


@dataclass
class RenderResult:
    """A result object as many projects write it by hand."""

    success: bool
    output: str | None = None
    error: str | None = None
    pages: int = 0


class StationReply(NamedTuple):
    """Go-style pair of data and error."""

    data: dict | None
    err: str | None


def _http_error() -> urllib.error.HTTPError:
    headers = Message()
    headers["Content-Type"] = "text/html; charset=utf-8"
    body = io.BytesIO(b"<h1>Not Found</h1><p>The requested resource was not found on this server.</p>")
    return urllib.error.HTTPError("https://www.museum.example/tickets/2019", 404, "Not Found", headers, body)


class _Socket:
    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    def makefile(self, *_: Any, **__: Any) -> io.BytesIO:
        return io.BytesIO(self.raw)


def _http_ok() -> http.client.HTTPResponse:
    body = b"<h1>Error codes of your washing machine</h1><p>E18: drain pump blocked. E23: water in the base.</p>"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body)
    response = http.client.HTTPResponse(_Socket(head + body))  # type: ignore[arg-type]
    response.begin()
    return response


def _attrs_denied() -> Any:
    import attrs

    @attrs.define
    class Outcome:
        is_success: bool
        value: Any = None
        error: str | None = None

    return Outcome(is_success=False, error="user 'intern7' is not allowed to publish pages in space HR")


def _attrs_fine() -> Any:
    import attrs

    @attrs.define
    class Outcome:
        is_success: bool
        value: Any = None
        error: str | None = None

    return Outcome(is_success=True, value={"page": "Holiday calendar", "version": 12})


def _pydantic_range() -> Any:
    import pydantic

    class RoomSearch(pydantic.BaseModel):
        ok: bool
        rooms: list[str] = []
        error: str | None = None

    return RoomSearch(ok=False, error="checkout (2025-07-03) must be later than checkin (2025-07-09)")


def _pydantic_import() -> Any:
    import pydantic

    class ImportReport(pydantic.BaseModel):
        imported: int
        skipped: int
        errors: list[str] = []
        warnings: list[str] = []

    return ImportReport(imported=412, skipped=3, warnings=["3 contacts had no phone number"])


def _msgspec_validation() -> Any:
    import msgspec

    class FormCheck(msgspec.Struct):
        form: str
        valid: bool
        problems: list[dict]

    return FormCheck(form="vat-return", valid=False, problems=[{"field": "box6", "problem": "must be a whole number"}])


def _click_result() -> Any:
    import click
    from click.testing import CliRunner

    @click.command("almanac")
    @click.option("--month", type=click.IntRange(1, 12), required=True)
    def almanac(month: int) -> None:
        click.echo(f"month {month}")

    return CliRunner().invoke(almanac, ["--month", "13"])


def _unittest_result() -> unittest.TestResult:
    class CartTest(unittest.TestCase):
        def test_total(self) -> None:
            self.assertEqual(17, 18)

        def test_discount(self) -> None:
            raise KeyError("discount")

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(CartTest).run(result)
    return result


def _log_record() -> logging.LogRecord:
    text = "Heating circuit 2: sensor timeout, falling back to schedule"
    return logging.LogRecord("boiler", logging.ERROR, "/opt/boiler/control.py", 88, text, None, None)


def _mail() -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = "Greta Olsen <greta@olsen.example>"
    mail["To"] = "service@bikeshop.example"
    mail["Subject"] = "Your web shop fails again!"
    mail.set_content(
        "Third time this week: 'Error 500 - internal server error' when I try to pay. I want my money back."
    )
    return mail


def _rows() -> list[tuple]:
    database = sqlite3.connect(":memory:")
    database.execute("create table imports (file text, started text, error text)")
    lines = [
        ("prices_may.csv", "2025-05-02", None),
        ("prices_june.csv", "2025-06-02", "row 17: not a number: 'n/a'"),
        ("prices_july.csv", "2025-07-02", "file not found"),
    ]
    database.executemany("insert into imports values (?, ?, ?)", lines)
    rows = database.execute("select * from imports order by started").fetchall()
    database.close()
    return rows


NGINX_502 = (
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n"
    "<hr><center>nginx/1.24.0</center>\r\n</body>\r\n</html>\r\n"
)

UNUSUAL_TRAFFIC = (
    '<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8">'
    "<title>https://www.google.com/search?q=used+piano+leipzig</title></head><body><div>"
    "<b>About this page</b><br><br>Our systems have detected unusual traffic from your computer network. "
    "This page checks to see if it&#39;s really you sending the requests, and not a robot. "
    "<br>IP address: 203.0.113.77<br>Time: 2025-06-14T10:21:07Z</div></body></html>"
)

SOAP_FAULT = (
    '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">'
    "<soap:Body><soap:Fault><faultcode>soap:Server</faultcode><faultstring>Server was unable to process request. ---&gt; "
    "Object reference not set to an instance of an object.</faultstring><detail /></soap:Fault></soap:Body></soap:Envelope>"
)

STORED_502 = (
    "<!doctype html>\n<html lang='en'>\n<head><title>502 Bad Gateway</title>"
    "<link rel='stylesheet' href='/static/errors.css'></head>\n<body>\n"
    "<h1>We are sorry, the shop is taking a nap</h1>\n<p>{{ error_id }}</p>\n</body>\n</html>\n"
)

PARSER_SOURCE = '''"""Read temperature logs.

>>> parse("12,5")
Traceback (most recent call last):
  ...
ValueError: could not convert string to float: '12,5'
"""


def parse(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise
'''

PYTEST_REPORT = """\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-8.3.2, pluggy-1.5.0
collected 3 items

tests/test_basket.py .F.                                                 [100%]

=================================== FAILURES ===================================
_______________________________ test_free_delivery _____________________________

    def test_free_delivery():
>       assert delivery_fee(40) == 0
E       assert 4.9 == 0

tests/test_basket.py:12: AssertionError
=========================== short test summary info ============================
FAILED tests/test_basket.py::test_free_delivery - assert 4.9 == 0
========================= 1 failed, 2 passed in 0.05s ==========================
"""

MYPY_REPORT = (
    'invoice.py:31: error: Argument 1 to "total" has incompatible type "str"; expected "int"  [arg-type]\n'
    'invoice.py:40: error: Name "vatt" is not defined  [name-defined]\n'
    "Found 2 errors in 1 file (checked 6 source files)\n"
)

DIFF_TEXT = "--- menu_monday.txt\n+++ menu_tuesday.txt\n@@ -1,3 +1,3 @@\n Tomato soup\n-Lasagne\n+Error cake (chef's joke)\n Coffee\n"

PLAN_TEXT = (
    "Terraform will perform the following actions:\n\n  # dns_record.www will be updated in-place\n"
    "  ~ ttl = 300 -> 3600\n\nPlan: 0 to add, 1 to change, 0 to destroy.\n"
)

OPENAPI_TEXT = """\
openapi: 3.1.0
info: {title: Library loans, version: "2.3"}
paths:
  /loans/{id}:
    get:
      responses:
        "200": {description: The loan}
        "404": {description: Not found, content: {application/json: {example: {error: loan not found}}}}
        "429": {description: Too many requests}
        "503": {description: Service unavailable}
"""

JUNIT_XML = (
    '<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="checkout" errors="1" failures="1" tests="5">'
    '<testcase classname="checkout" name="test_coupon"><failure message="assert 9 == 10">...</failure></testcase>'
    '<testcase classname="checkout" name="test_vat"><error message="KeyError: rate">...</error></testcase>'
    "</testsuite></testsuites>"
)

SHELL_LESSON = """\
## Lesson 3: what the shell tells you

    $ cat shopping.txt
    cat: shopping.txt: No such file or directory
    $ echo $?
    1
    $ ssh pi@garden
    ssh: connect to host garden port 22: Connection refused

Exit code 1 means that the program failed. Try it yourself.
"""

BOUNCE_MAIL = """\
From: MAILER-DAEMON@mx.example.org (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
Date: Tue, 3 Jun 2025 08:14:55 +0200

<o.brandt@oldfirm.example>: host mx.oldfirm.example said: 550 5.1.1 User unknown (in reply to RCPT TO command)
"""

ACCESS_LOG = """\
198.51.100.4 - - [12/May/2025:06:25:01 +0000] "GET /recipes/44 HTTP/1.1" 200 5120
198.51.100.9 - - [12/May/2025:06:25:03 +0000] "GET /recipes/99 HTTP/1.1" 404 153
198.51.100.9 - - [12/May/2025:06:25:09 +0000] "POST /login HTTP/1.1" 500 21
198.51.100.7 - - [12/May/2025:06:25:11 +0000] "GET /admin HTTP/1.1" 403 17
"""

APP_LOG = """\
2025-04-01 03:00:00 INFO  backup started
2025-04-01 03:00:41 ERROR could not copy /photos/2009: Permission denied
2025-04-01 03:02:10 WARN  retrying in 60 s
2025-04-01 03:04:59 INFO  backup finished, 1 directory skipped
"""

GENERATED_CODE = '''def read_ticket(path):
    """Return the ticket, or an error text."""
    try:
        with open(path) as file:
            return json.load(file)
    except FileNotFoundError:
        return {"error": f"File not found: {path}"}
    except json.JSONDecodeError as exc:
        raise ValueError(f"Error: invalid ticket: {exc}") from exc
'''

NGINX_CONF = """\
server {
    listen 80;
    proxy_read_timeout 30s;
    error_page 404 /404.html;
    error_page 500 502 503 504 /50x.html;
    error_log /var/log/nginx/error.log warn;
}
"""

GIT_LOG = """\
9f1c2aa fix: error 500 when the cart is empty
77be012 feat: show a message when the connection failed
1d09e3c Revert "raise TimeoutError in sync job"
"""

GIT_DIFF = """\
diff --git a/sync.py b/sync.py
@@ -14,7 +14,6 @@ def sync(album):
     try:
         upload(album)
-    except ConnectionError as error:
-        return {"success": False, "error": str(error)}
+    finally:
+        album.close()
"""

DOCKER_PS = """\
CONTAINER ID   IMAGE           COMMAND       STATUS                       NAMES
5be1d9c0f1aa   shop:2.4        "gunicorn"    Up 3 days (unhealthy)        shop
0c44a1d77e9b   worker:2.4      "celery"      Exited (137) 2 hours ago     worker
"""

KUBECTL_PODS = """\
NAME                      READY   STATUS             RESTARTS        AGE
api-7c9d8b6f5-x2l4k       1/1     Running            0               6d
mailer-5f6b7c8d9-qq8zt    0/1     CrashLoopBackOff   112 (3m ago)    9h
resize-66c5d4b7f-9mmtp    0/1     ImagePullBackOff   0               20m
"""

BASEBALL = (
    "Error (baseball): In baseball and softball statistics, an error is an act, in the judgment of the official scorer, "
    "of a fielder misplaying a ball in a manner that allows a batter or baserunner to advance one or more bases."
)

TROUBLESHOOTING = """\
# Error: printer offline

**Symptom.** Every job ends with `Error: connection refused (port 631)`.

**Cause.** The spooler was stopped or the access was denied by the firewall.

**Remedy.** Restart the spooler; then print a test page.
"""

PROMETHEUS = """\
# HELP http_request_errors_total Requests that ended with an error.
# TYPE http_request_errors_total counter
http_request_errors_total{route="/pay",code="500"} 7
http_request_errors_total{route="/pay",code="429"} 31
"""

PING_TEXT = """\
PING 192.168.178.40 (192.168.178.40) 56(84) bytes of data.
From 192.168.178.2 icmp_seq=1 Destination Host Unreachable

--- 192.168.178.40 ping statistics ---
4 packets transmitted, 0 received, +4 errors, 100% packet loss, time 3068ms
"""


# ---------------------------------------------------------------- failures in documented forms

DOCUMENTED: list[Case] = [
    # MCP, JSON-RPC
    Case(
        "mcp/past-date",
        lambda: {
            "content": [
                {"type": "text", "text": "Invalid departure date: must be in the future. Current date is 2025-08-08."}
            ],
            "isError": True,
        },
        "ToolArgumentError",
        tool="search_ferries",
        arguments={"origin": "Kiel", "destination": "Oslo", "departure": "2024-08-10"},
        source="MCP tools specification, error handling",
    ),
    Case(
        "mcp/structured-forbidden",
        lambda: {
            "content": [
                {"type": "text", "text": "The sheet could not be changed."},
                {"type": "text", "text": "Your role 'viewer' lacks the right 'sheet.write'."},
            ],
            "structuredContent": {"code": "FORBIDDEN", "status": 403, "message": "missing right sheet.write"},
            "isError": True,
        },
        "ToolPermissionError",
        tool="update_cells",
        arguments={"sheet": "rota-2025", "range": "B2:B9", "values": ["x"]},
        source="MCP schema, CallToolResult",
    ),
    Case(
        "mcp/jsonrpc-unknown-tool",
        lambda: {"jsonrpc": "2.0", "id": 3, "error": {"code": -32602, "message": "Unknown tool: translate_pge"}},
        "ToolNotFoundError",
        tool="translate_pge",
        arguments={"url": "https://zoo.example/info", "to": "fr"},
        source="MCP tools specification, protocol errors",
    ),
    Case(
        "mcp/resource-not-found-text",
        lambda: json.dumps(
            {
                "jsonrpc": "2.0",
                "id": 5,
                "error": {"code": -32002, "message": "Resource not found", "data": {"uri": "file:///menus/june.pdf"}},
            }
        ),
        "ResourceNotFoundError",
        tool="read_resource",
        arguments={"uri": "file:///menus/june.pdf"},
        source="MCP resources specification, error handling",
    ),
    # agent frameworks
    Case(
        "frameworks/tool-message-status",
        lambda: {
            "content": "Error: ConnectionError(MaxRetryError(\"HTTPSConnectionPool(host='tides.example', port=443): Max "
            'retries exceeded with url: /v1/hamburg (Caused by NewConnectionError: [Errno 111] Connection refused)"))'
            "\n Please fix your mistakes.",
            "additional_kwargs": {},
            "response_metadata": {},
            "type": "tool",
            "name": "get_tides",
            "id": None,
            "tool_call_id": "call_7Hq2",
            "artifact": None,
            "status": "error",
        },
        "ToolConnectionError",
        tool="get_tides",
        arguments={"harbour": "hamburg"},
        source="LangGraph ToolNode, ToolMessage.status",
    ),
    Case(
        "frameworks/not-a-valid-tool",
        lambda: "Error: convert_currency is not a valid tool, try one of [get_rates, list_currencies].",
        "ToolNotFoundError",
        tool="convert_currency",
        arguments={"amount": 12, "to": "SEK"},
        source="LangGraph ToolNode, invalid tool template",
    ),
    Case(
        "frameworks/default-sentence",
        lambda: (
            "An error occurred while running the tool. Please try again. Error: Error code: 401 - {'error': "
            "{'message': 'Incorrect API key provided: pk-****wxyz.', 'type': 'invalid_request_error', "
            "'code': 'invalid_api_key'}}"
        ),
        "ToolAuthenticationError",
        tool="summarise_minutes",
        arguments={"meeting_id": "m-204"},
        source="Agents SDK, default_tool_error_function",
    ),
    Case(
        "frameworks/mcp-call-item",
        lambda: {
            "type": "mcp_call",
            "id": "mcp_68a1",
            "server_label": "theatre",
            "name": "reserve_seat",
            "arguments": '{"show": "hamlet-0612", "seat": "14C"}',
            "approval_request_id": None,
            "output": None,
            "status": "failed",
            "error": {
                "type": "mcp_tool_execution_error",
                "content": [{"type": "text", "text": "Seat 14C has already been reserved by another customer."}],
            },
        },
        "ResourceConflictError",
        tool="reserve_seat",
        arguments={"show": "hamlet-0612", "seat": "14C"},
        source="Responses API, mcp_call item",
    ),
    Case(
        "frameworks/shell-call-timeout",
        lambda: {
            "type": "shell_call_output",
            "call_id": "call_pk31",
            "max_output_length": 4096,
            "output": [{"stdout": "frame=  211 fps= 12\n", "stderr": "", "outcome": {"type": "timeout"}}],
        },
        "ToolTimeoutError",
        tool="shell",
        arguments={"commands": ["ffmpeg -i wedding.mov wedding.mp4"], "timeout_ms": 30000},
        source="Responses API, shell tool",
    ),
    Case(
        "frameworks/apply-patch-failed",
        lambda: {
            "type": "apply_patch_call_output",
            "call_id": "call_cNWm",
            "status": "failed",
            "output": "Error: File not found at path 'lib/opening_hours.py'",
        },
        "ResourceNotFoundError",
        tool="apply_patch",
        arguments={"operation": {"type": "update_file", "path": "lib/opening_hours.py", "diff": "@@\n-8\n+9"}},
        source="Responses API, apply patch tool",
    ),
    Case(
        "frameworks/tool-result-is-error",
        lambda: {
            "type": "tool_result",
            "tool_use_id": "toolu_01A0",
            "content": "the parcel tracking service is temporarily unavailable (HTTP 503)",
            "is_error": True,
        },
        "ToolUnavailableError",
        tool="track_parcel",
        arguments={"number": "JJD000390007"},
        source="Messages API, handling tool errors",
    ),
    Case(
        "frameworks/function-response-error",
        lambda: {
            "functionResponse": {
                "id": "fc-18",
                "name": "find_properties",
                "response": {"error": "Monthly search credits used up: 1000 of 1000. Buy more credits to continue."},
            }
        },
        "ToolQuotaError",
        tool="find_properties",
        arguments={"city": "Graz", "rooms": 3},
        source="Gemini API, FunctionResponse.response",
    ),
    Case(
        "frameworks/encountered-an-error",
        lambda: (
            "\nI encountered an error while trying to use the tool. This was the error: 1 validation error for "
            "ReserveCourtSchema\nstart_time\n  field required (type=value_error.missing).\n Tool Reserve court accepts these "
            "inputs: Reserve court(court: 'integer', start_time: 'string') - Reserves a tennis court"
        ),
        "ToolArgumentError",
        tool="Reserve court",
        arguments={"court": 2},
        source="CrewAI, tool usage error text",
    ),
    # cloud envelopes
    Case(
        "cloud/lambda-timeout",
        lambda: {
            "errorType": "Sandbox.Timedout",
            "errorMessage": "RequestId: 2f0a7c51-93a3-4a5e-b4ef-8c1f0d4b7e19 Error: Task timed out after 15.00 seconds",
        },
        "ToolTimeoutError",
        tool="resize_image",
        arguments={"bucket": "holiday", "key": "rome/0042.tif"},
        source="Lambda, troubleshoot invocation",
    ),
    Case(
        "cloud/lambda-proxy-conflict",
        lambda: {
            "isBase64Encoded": False,
            "statusCode": 409,
            "headers": {"Content-Type": "application/json"},
            "body": '{"message": "The club name \\"Chess Friends\\" is already taken"}',
        },
        "ResourceConflictError",
        tool="create_club",
        arguments={"name": "Chess Friends"},
        source="Lambda proxy integration, response format",
    ),
    Case(
        "cloud/put-records-throttled",
        lambda: {
            "FailedRecordCount": 2,
            "Records": [
                {
                    "ErrorCode": "ProvisionedThroughputExceededException",
                    "ErrorMessage": "Rate exceeded for shard shardId-000000000001 in stream turnstiles under account 1111.",
                },
                {
                    "ErrorCode": "ProvisionedThroughputExceededException",
                    "ErrorMessage": "Rate exceeded for shard shardId-000000000001 in stream turnstiles under account 1111.",
                },
            ],
        },
        "ToolRateLimitError",
        also=("ToolQuotaError",),
        tool="put_stream_records",
        arguments={"stream": "turnstiles", "records": [{"gate": 4}, {"gate": 5}]},
        source="Kinesis PutRecords, PutRecordsResultEntry",
    ),
    Case(
        "cloud/workflow-aborted",
        lambda: {
            "ExecutionArn": "arn:aws:states:eu-west-1:111122223333:execution:Payroll:may",
            "StateMachineArn": "arn:aws:states:eu-west-1:111122223333:stateMachine:Payroll",
            "Name": "may",
            "Status": "ABORTED",
            "StartDate": 1748330000.0,
            "StopDate": 1748330042.0,
            "Input": '{"month": "2025-05"}',
        },
        "ToolCancelledError",
        tool="run_payroll_workflow",
        arguments={"month": "2025-05"},
        source="Step Functions, startExecution.sync",
    ),
    Case(
        "cloud/long-running-operation",
        lambda: {
            "name": "projects/site-12/operations/op-8813",
            "metadata": {"@type": "type.googleapis.com/site.v1.SnapshotMetadata", "target": "disks/orchard-cam"},
            "done": True,
            "error": {
                "code": 8,
                "message": "Quota 'SNAPSHOT_STORAGE_GB' exceeded. Limit: 500.0 in region europe-west1.",
                "details": [],
            },
        },
        "ToolQuotaError",
        tool="create_disk_snapshot",
        arguments={"disk": "orchard-cam"},
        source="google.longrunning Operation, google.rpc.Status",
    ),
    Case(
        "cloud/graph-expired-token",
        lambda: {
            "error": {
                "code": "InvalidAuthenticationToken",
                "message": "Access token has expired or is not yet valid.",
                "innerError": {
                    "date": "2025-03-11T07:40:12",
                    "request-id": "0b6d4f6e-5d53-4d6c-8f0e-2e5a2a0f7f11",
                    "client-request-id": "0b6d4f6e-5d53-4d6c-8f0e-2e5a2a0f7f11",
                },
            }
        },
        "ToolAuthenticationError",
        tool="list_mail_folders",
        arguments={"user": "me"},
        source="Microsoft Graph, error responses",
    ),
    # API envelopes
    Case(
        "api/problem-out-of-credit",
        lambda: {
            "type": "https://sms.example/probs/out-of-credit",
            "title": "You do not have enough credit.",
            "status": 402,
            "detail": "Your current balance is 0.30, but that costs 0.50.",
            "instance": "/account/12345/msgs/abc",
            "balance": 0.3,
        },
        "ToolQuotaError",
        tool="send_sms",
        arguments={"to": "+4670000000", "text": "Dinner is ready"},
        source="RFC 9457, problem details",
    ),
    Case(
        "api/jsend-fail",
        lambda: {"status": "fail", "data": {"postcode": "A postcode is required"}},
        "ToolArgumentError",
        tool="create_delivery_address",
        arguments={"street": "Hauptstrasse 3", "city": "Bern"},
        source="JSend specification",
    ),
    Case(
        "api/json-api-errors",
        lambda: {
            "jsonapi": {"version": "1.1"},
            "errors": [
                {
                    "status": "404",
                    "code": "record_not_found",
                    "title": "Record not found",
                    "detail": "The library card identified by 9001 could not be found.",
                    "source": {"parameter": "id"},
                }
            ],
        },
        "ResourceNotFoundError",
        tool="get_library_card",
        arguments={"id": "9001"},
        source="JSON:API 1.1, errors",
    ),
    Case(
        "api/graphql-unknown-field",
        lambda: {
            "errors": [
                {
                    "message": 'Cannot query field "temprature" on type "Reading". Did you mean "temperature"?',
                    "locations": [{"line": 3, "column": 5}],
                    "extensions": {"code": "GRAPHQL_VALIDATION_FAILED"},
                }
            ]
        },
        "ToolArgumentError",
        tool="query_greenhouse",
        arguments={"query": "{ readings {\n    id\n    temprature } }"},
        source="GraphQL specification, response errors",
    ),
    Case(
        "api/bulk-version-conflict",
        lambda: {
            "took": 7,
            "errors": True,
            "items": [
                {
                    "create": {
                        "_index": "books",
                        "_id": "17",
                        "status": 409,
                        "error": {
                            "type": "version_conflict_engine_exception",
                            "reason": "[17]: version conflict, document already exists (current version [1])",
                            "shard": "0",
                            "index": "books",
                        },
                    }
                }
            ],
        },
        "ResourceConflictError",
        tool="index_books",
        arguments={"books": [{"id": "17", "title": "Momo"}]},
        source="Elasticsearch bulk API",
    ),
    Case(
        "api/invalid-session-list",
        lambda: [{"message": "Session expired or invalid", "errorCode": "INVALID_SESSION_ID"}],
        "ToolAuthenticationError",
        tool="query_leads",
        arguments={"soql": "SELECT Id, Name FROM Lead LIMIT 5"},
        source="Salesforce REST API, status codes and error responses",
    ),
    Case(
        "api/model-loading",
        lambda: {"error": "Model acme/bird-song-classifier is currently loading", "estimated_time": 20.0},
        "ToolUnavailableError",
        tool="classify_bird_song",
        arguments={"clip": "garden_0530.wav"},
        source="Hugging Face Inference API",
    ),
    Case(
        "api/information-note",
        lambda: {
            "Information": "Thank you for using Alpha Vantage! Please consider spreading out your free API requests more "
            "sparingly. You may subscribe to any of the premium plans at https://www.alphavantage.co/premium/ to lift "
            "the free key rate limit (25 requests per day) and instantly unlock all premium endpoints"
        },
        "ToolRateLimitError",
        also=("ToolQuotaError",),
        tool="get_daily_prices",
        arguments={"symbol": "SAP.DEX"},
        source="Alpha Vantage, free key limit",
    ),
    Case(
        "api/soap-fault",
        lambda: SOAP_FAULT,
        "ToolExecutionError",
        also=("ToolUnavailableError",),
        tool="calculate_toll",
        arguments={"plate": "W-1234", "route": "A10"},
        source="SOAP 1.1, Fault",
    ),
    Case(
        "api/missing-permissions",
        lambda: {"message": "Missing Permissions", "code": 50013},
        "ToolPermissionError",
        tool="pin_message",
        arguments={"channel_id": "5512", "message_id": "90017"},
        source="Discord API, JSON error codes",
    ),
    # HTTP
    Case(
        "http/urllib-404",
        _http_error,
        "ResourceNotFoundError",
        tool="download_page",
        arguments={"url": "https://www.museum.example/tickets/2019"},
        source="urllib.error.HTTPError",
    ),
    Case(
        "http/bad-gateway-page",
        lambda: NGINX_502,
        "ToolUnavailableError",
        tool="get_canteen_menu",
        arguments={"day": "friday"},
        source="nginx built-in error page",
    ),
    Case(
        "http/unusual-traffic",
        lambda: UNUSUAL_TRAFFIC,
        "ToolRateLimitError",
        also=("ToolPermissionError",),
        tool="web_search",
        arguments={"query": "used piano leipzig"},
        source="search engine's block page",
    ),
    # programs
    Case(
        "programs/timeout-124",
        lambda: subprocess.CompletedProcess(
            ["timeout", "60", "./render.sh", "intro"], 124, "rendering intro ...\n", ""
        ),
        "ToolTimeoutError",
        tool="run_command",
        arguments={"command": "timeout 60 ./render.sh intro"},
        source="coreutils, timeout invocation",
    ),
    Case(
        "programs/disk-full-tuple",
        lambda: ("", "cp: error writing '/mnt/stick/photos.tar': No space left on device\n", 1),
        "ToolQuotaError",
        tool="execute_bash",
        arguments={"command": "cp photos.tar /mnt/stick/"},
        source="stdout, stderr and exit code",
    ),
    Case(
        "programs/execute-reply-error",
        lambda: {
            "status": "error",
            "execution_count": 4,
            "ename": "KeyError",
            "evalue": "'price'",
            "traceback": ["KeyError  Traceback (most recent call last)", "Cell In[4], line 1", "KeyError: 'price'"],
        },
        "ToolExecutionError",
        also=("ToolArgumentError",),
        tool="run_cell",
        arguments={"code": "table['price'].mean()"},
        source="Jupyter messaging, execute_reply",
    ),
    Case(
        "programs/repl-traceback",
        lambda: (
            ">>> open('/etc/shadow').read()\nTraceback (most recent call last):\n"
            '  File "<stdin>", line 1, in <module>\n'
            "PermissionError: [Errno 13] Permission denied: '/etc/shadow'\n"
        ),
        "ToolPermissionError",
        also=("ToolExecutionError",),
        tool="python_repl",
        arguments={"code": "open('/etc/shadow').read()"},
        source="interactive interpreter output",
    ),
    # Python
    Case(
        "python/returned-exception",
        lambda: ConnectionRefusedError(111, "Connection refused"),
        "ToolConnectionError",
        tool="read_water_meter",
        arguments={"host": "192.168.1.40"},
        source="exception returned instead of raised",
    ),
    Case(
        "python/none-and-error",
        lambda: (None, "error: no invoice with number INV-2291"),
        "ResourceNotFoundError",
        tool="load_invoice",
        arguments={"number": "INV-2291"},
        source="pair of value and error",
    ),
    Case(
        "python/attrs-outcome",
        _attrs_denied,
        "ToolPermissionError",
        tool="publish_page",
        arguments={"space": "HR", "title": "Holiday calendar"},
        source="attrs object with is_success",
    ),
    Case(
        "python/cut-off-json",
        lambda: (
            '{"error": {"message": "Rate limit reached for requests. Limit: 3 / min. Please try again in 20s.", '
            '"type": "requests", "param": null, "code": "rate_limit_exceeded"}, "request_id": "req_8f1'
        ),
        "ToolRateLimitError",
        tool="transcribe_memo",
        arguments={"file": "memo-17.m4a"},
        source="JSON text that was cut off",
    ),
]


# ---------------------------------------------------------------- failures as ordinary tools return them

HANDWRITTEN: list[Case] = [
    Case(
        "handwritten/weather-503-text",
        lambda: (
            "Error fetching weather data: 503 Server Error: Service Unavailable for url: "
            "https://api.weather.example/v2/now?city=Lisbon"
        ),
        "ToolUnavailableError",
        tool="get_weather",
        arguments={"city": "Lisbon"},
        source="f-string in an except block",
    ),
    Case(
        "handwritten/error-key",
        lambda: {"error": "City 'Reykjavikk' not found"},
        "ResourceNotFoundError",
        also=("ToolArgumentError",),
        tool="get_current_weather",
        arguments={"city": "Reykjavikk"},
        source="dict with error only",
    ),
    Case(
        "handwritten/retry-hint",
        lambda: {"error": "network timeout", "retry_hint": "try again in 1s"},
        "ToolTimeoutError",
        also=("ToolConnectionError",),
        tool="fetch_pollen_forecast",
        arguments={"region": "Tirol"},
        source="tutorial on tool errors as data",
    ),
    Case(
        "handwritten/status-error-message",
        lambda: {"status": "error", "error_message": "Order ID 88213 not found."},
        "ResourceNotFoundError",
        tool="lookup_order_status",
        arguments={"order_id": "88213"},
        source="Agent Development Kit, function tools",
    ),
    Case(
        "handwritten/unique-constraint",
        lambda: {"success": False, "error": "UNIQUE constraint failed: members.email"},
        "ResourceConflictError",
        also=("ToolArgumentError",),
        tool="add_member",
        arguments={"name": "Pia", "email": "pia@club.example"},
        source="str(exception) of a database",
    ),
    Case(
        "handwritten/success-false-message",
        lambda: {"success": False, "message": "You do not have permission to delete events in the calendar 'Board'."},
        "ToolPermissionError",
        tool="delete_event",
        arguments={"calendar": "Board", "event_id": "ev-71"},
        source="dict with success and message",
    ),
    Case(
        "handwritten/sql-syntax",
        lambda: (
            'Error: (sqlite3.OperationalError) near "FORM": syntax error\n[SQL: SELECT title FORM books LIMIT 5]\n'
            "(Background on this error at: https://sqlalche.me/e/20/e3q8)"
        ),
        "ToolArgumentError",
        also=("ToolExecutionError",),
        tool="sql_db_query",
        arguments={"query": "SELECT title FORM books LIMIT 5"},
        source="SQL toolkit, run_no_throw",
    ),
    Case(
        "handwritten/content-blocks-enoent",
        lambda: [{"type": "text", "text": "Error: ENOENT: no such file or directory, open '/srv/notes/garden.md'"}],
        "ResourceNotFoundError",
        tool="read_text_file",
        arguments={"path": "/srv/notes/garden.md"},
        source="filesystem server, content without flag",
    ),
    Case(
        "handwritten/outside-directories",
        lambda: "Access denied - path outside allowed directories: /etc/hosts not in /srv/notes",
        "ToolPermissionError",
        also=("ToolArgumentError",),
        tool="write_file",
        arguments={"path": "/etc/hosts", "content": "127.0.0.1 shop"},
        source="filesystem server, path check",
    ),
    Case(
        "handwritten/repr-of-exception",
        lambda: "HTTPError('401 Client Error: Unauthorized for url: https://api.football.example/v4/matches')",
        "ToolAuthenticationError",
        tool="list_matches",
        arguments={"league": "2. Bundesliga"},
        source="repr(e) in an except block",
    ),
    Case(
        "handwritten/temporarily-unavailable",
        lambda: "The booking system is temporarily unavailable. Please try again in a few minutes.",
        "ToolUnavailableError",
        tool="book_table",
        arguments={"restaurant": "Al Porto", "guests": 4, "time": "19:30"},
        source="sentence for the model",
    ),
    Case(
        "handwritten/false-and-text",
        lambda: (False, "Mailbox is full: 15.0 GB of 15.0 GB used"),
        "ToolQuotaError",
        tool="save_draft",
        arguments={"to": "aunt@family.example", "subject": "Photos"},
        source="pair of bool and text",
    ),
    Case(
        "handwritten/cancelled-by-user",
        lambda: "Operation cancelled by user.",
        "ToolCancelledError",
        tool="format_card",
        arguments={"device": "/dev/sdc1"},
        source="answer of a confirmation step",
    ),
    Case(
        "handwritten/status-cancelled",
        lambda: {"status": "cancelled", "message": "The export was cancelled before it finished", "file": None},
        "ToolCancelledError",
        tool="export_album",
        arguments={"album": "Corsica", "format": "zip"},
        source="dict with status of the call",
    ),
    Case(
        "handwritten/cancelled-exception",
        lambda: asyncio.CancelledError("stopped by the user"),
        "ToolCancelledError",
        tool="search_archive",
        arguments={"query": "harvest 1974"},
        source="asyncio.gather with return_exceptions",
    ),
    Case(
        "handwritten/unknown-function",
        lambda: json.dumps({"error": "Unknown function: get_stock_prize"}),
        "ToolNotFoundError",
        tool="get_stock_prize",
        arguments={"ticker": "NESN"},
        source="dispatcher of function calls",
    ),
    Case(
        "handwritten/available-tools",
        lambda: "Tool 'send_fax' not found. Available tools: send_email, send_sms, list_contacts",
        "ToolNotFoundError",
        tool="send_fax",
        arguments={"number": "+41 44 000 00 00", "text": "Hello"},
        source="dispatcher of an agent loop",
    ),
    Case(
        "handwritten/credits-exhausted",
        lambda: {
            "error": True,
            "code": "CREDITS_EXHAUSTED",
            "message": "0 of 500 enrichment credits left in your plan",
        },
        "ToolQuotaError",
        tool="enrich_company",
        arguments={"domain": "bakery.example"},
        source="dict with error flag and code",
    ),
    Case(
        "handwritten/emoji-dns",
        lambda: "\u274c Failed to post message: [Errno -2] Name or service not known",
        "ToolConnectionError",
        tool="post_to_chat",
        arguments={"room": "kitchen", "text": "Soup at 12"},
        source="text with a cross mark",
    ),
    Case(
        "handwritten/result-none-error",
        lambda: {"result": None, "error": "ConnectionResetError: [Errno 104] Connection reset by peer"},
        "ToolConnectionError",
        tool="query_inventory",
        arguments={"sku": "PLT-220"},
        source="dict with result and error",
    ),
    Case(
        "handwritten/broker-refused",
        lambda: {"connected": False, "detail": "could not connect to MQTT broker mqtt.local:1883: connection refused"},
        "ToolConnectionError",
        tool="switch_light",
        arguments={"room": "hall", "on": True},
        source="dict of a smart-home tool",
    ),
    Case(
        "handwritten/dataclass-result",
        lambda: RenderResult(success=False, error="renderer crashed on page 14: segmentation fault"),
        "ToolExecutionError",
        tool="render_pdf",
        arguments={"document": "yearbook.md"},
        source="dataclass with success and error",
    ),
    Case(
        "handwritten/pydantic-range",
        _pydantic_range,
        "ToolArgumentError",
        tool="search_rooms",
        arguments={"city": "Porto", "checkin": "2025-07-09", "checkout": "2025-07-03"},
        source="pydantic model with ok and error",
    ),
    Case(
        "handwritten/error-and-traceback",
        lambda: {
            "error": "list index out of range",
            "traceback": 'Traceback (most recent call last):\n  File "/app/tools/stats.py", line 22, in median\n'
            "    return ordered[middle]\nIndexError: list index out of range\n",
        },
        "ToolExecutionError",
        also=("ToolArgumentError",),
        tool="compute_median",
        arguments={"column": "weight"},
        source="traceback.format_exc() in a dict",
    ),
    Case(
        "handwritten/failed-with-errors",
        lambda: {"status": "failed", "errors": ["'guests' must be at least 1", "'date' has the wrong format"]},
        "ToolArgumentError",
        tool="book_museum_tour",
        arguments={"guests": 0, "date": "tomorrow"},
        source="dict with a list of errors",
    ),
    Case(
        "handwritten/code-and-msg",
        lambda: {"code": 429, "msg": "请求过于频繁，请稍后再试", "data": None},
        "ToolRateLimitError",
        tool="query_train_tickets",
        arguments={"from": "北京", "to": "上海"},
        source="code, msg and data",
    ),
    Case(
        "handwritten/wait-thirty-seconds",
        lambda: "Rate limit exceeded. Please wait 30 seconds before making another request.",
        "ToolRateLimitError",
        tool="search_recipes",
        arguments={"query": "plum cake"},
        source="sentence of a limiter",
    ),
    Case(
        "handwritten/error-pair",
        lambda: ("error", "Sensor hub did not respond within 5 seconds"),
        "ToolTimeoutError",
        also=("ToolConnectionError",),
        tool="read_soil_moisture",
        arguments={"bed": 3},
        source="pair of status and text",
    ),
    Case(
        "handwritten/missing-key",
        lambda: "Missing API key: set ROUTES_API_KEY in the environment before using this tool.",
        "ToolAuthenticationError",
        tool="plan_bike_route",
        arguments={"start": "Ghent", "end": "Bruges"},
        source="check of an environment variable",
    ),
    Case(
        "handwritten/invalid-grant",
        lambda: {"error": "invalid_grant", "error_description": "Token has been expired or revoked."},
        "ToolAuthenticationError",
        tool="list_calendar_events",
        arguments={"day": "2025-05-30"},
        source="OAuth token response handed on",
    ),
    Case(
        "handwritten/bytes-quota",
        lambda: b'{"status":"error","code":"quota_exceeded","message":"Monthly quota of 100 map tiles is used up"}',
        "ToolQuotaError",
        also=("ToolRateLimitError",),
        tool="fetch_map_tile",
        arguments={"x": 33, "y": 21, "zoom": 6},
        source="response.content handed on",
    ),
    Case(
        "handwritten/etag-mismatch",
        lambda: {"status": 412, "message": "The event was changed by someone else since you read it (etag mismatch)"},
        "ResourceConflictError",
        tool="update_event",
        arguments={"event_id": "ev-9", "etag": 'W/"3"', "title": "Choir"},
        source="dict with HTTP status and message",
    ),
    Case(
        "handwritten/file-exists",
        lambda: {"error": {"message": "File already exists: recipes/soup.md. Pass overwrite=true to replace it."}},
        "ResourceConflictError",
        tool="create_file",
        arguments={"path": "recipes/soup.md", "content": "# Soup"},
        source="nested error with message",
    ),
    Case(
        "handwritten/empty-answer-crash",
        lambda: {"answer": "", "sources": [], "error": "worker exited unexpectedly (signal 11)"},
        "ToolExecutionError",
        also=("ToolUnavailableError",),
        tool="ask_handbook",
        arguments={"question": "How many holidays do I have?"},
        source="empty result beside an error",
    ),
    Case(
        "handwritten/git-credentials",
        lambda: {
            "stdout": "",
            "stderr": "fatal: Authentication failed for 'https://git.example/band/lyrics.git/'\n",
            "returncode": 128,
        },
        "ToolAuthenticationError",
        tool="git_push",
        arguments={"remote": "origin", "branch": "main"},
        source="subprocess result as a dict",
    ),
    Case(
        "handwritten/click-usage-error",
        _click_result,
        "ToolArgumentError",
        tool="run_almanac",
        arguments={"args": ["--month", "13"]},
        source="click.testing.Result",
    ),
    Case(
        "handwritten/named-tuple-err",
        lambda: StationReply(data=None, err="no station with id 'ZZQ'"),
        "ResourceNotFoundError",
        also=("ToolArgumentError",),
        tool="get_station",
        arguments={"station_id": "ZZQ"},
        source="named tuple of data and err",
    ),
    Case(
        "handwritten/german-maintenance",
        lambda: "Fehler: Der Fahrplandienst ist wegen Wartungsarbeiten vor\u00fcbergehend nicht verf\u00fcgbar.",
        "ToolUnavailableError",
        tool="fahrplan_abfragen",
        arguments={"von": "Ulm", "nach": "Lindau"},
        source="tool in another language",
    ),
    Case(
        "handwritten/timed-out-sentence",
        lambda: "Tool execution timed out after 20 seconds.",
        "ToolTimeoutError",
        tool="scan_document",
        arguments={"tray": "A4"},
        source="wrapper with wait_for",
    ),
    Case(
        "handwritten/make-failed",
        lambda: (
            "Command failed with exit code 2\nSTDERR:\npandoc: cannot decode byte '\\xe9'\n"
            "make: *** [Makefile:14: book.pdf] Error 92\n"
        ),
        "ToolExecutionError",
        tool="build_book",
        arguments={"target": "book.pdf"},
        source="wrapper of subprocess.run",
    ),
]


# ---------------------------------------------------------------- results of the kinds that look like failures

LOOKALIKES: list[Case] = [
    Case(
        "lookalike/search-hits",
        lambda: [
            {
                "title": "ConnectionError: Max retries exceeded with url",
                "url": "https://qa.example/q/230",
                "score": 0.97,
            },
            {"title": "How do I fix 'Permission denied (publickey)'?", "url": "https://qa.example/q/17", "score": 0.91},
        ],
        None,
        tool="web_search",
        arguments={"query": "python requests ConnectionError max retries"},
        source="search results about errors",
    ),
    Case(
        "lookalike/search-text",
        lambda: (
            "1. Error 404: why pages vanish - https://blog.example/404\n"
            "2. Error 500 explained for shop owners - https://blog.example/500\n3. Access denied? Five remedies"
        ),
        None,
        tool="search_blog",
        arguments={"query": "http error explained"},
        source="search results about errors",
    ),
    Case(
        "lookalike/log-search-lines",
        lambda: {
            "count": 2,
            "lines": [
                "ERROR payment-service: card gateway timed out after 30s",
                "ERROR payment-service: 503 from card gateway",
            ],
        },
        None,
        tool="search_logs",
        arguments={"service": "payment-service", "level": "ERROR", "since": "1h"},
        source="logs about errors",
    ),
    Case(
        "lookalike/log-entries",
        lambda: [
            {
                "time": "2025-06-01T04:00:02Z",
                "level": "error",
                "message": "unauthorized: token expired",
                "host": "web-2",
            },
            {
                "time": "2025-06-01T04:00:09Z",
                "level": "error",
                "message": "unauthorized: token expired",
                "host": "web-1",
            },
        ],
        None,
        tool="query_log_store",
        arguments={"filter": "level=error", "limit": 2},
        source="logs about errors",
    ),
    Case(
        "lookalike/troubleshooting-page",
        lambda: TROUBLESHOOTING,
        None,
        tool="read_wiki_page",
        arguments={"page": "printing/offline"},
        source="document about errors",
    ),
    Case(
        "lookalike/error-catalogue",
        lambda: [
            {"errorCode": "E10", "message": "Door is open"},
            {"errorCode": "E20", "message": "Water supply failed"},
            {"errorCode": "E30", "message": "Heating failed"},
        ],
        None,
        tool="list_error_codes",
        arguments={"appliance": "dishwasher GS-450"},
        source="list of error codes",
    ),
    Case(
        "lookalike/class-name",
        lambda: "ValueError",
        None,
        tool="get_symbol_at",
        arguments={"file": "parse.py", "line": 31, "column": 14},
        source="class name",
    ),
    Case(
        "lookalike/exception-list",
        lambda: ["ConnectionAbortedError", "ConnectionRefusedError", "ConnectionResetError", "BrokenPipeError"],
        None,
        tool="list_subclasses",
        arguments={"name": "builtins.ConnectionError"},
        source="class names",
    ),
    Case(
        "lookalike/traceback-in-docstring",
        lambda: PARSER_SOURCE,
        None,
        tool="read_file",
        arguments={"path": "src/thermo/parser.py"},
        source="traceback inside source code",
    ),
    Case(
        "lookalike/stored-error-json",
        lambda: (
            '{\n  "error": {\n    "code": 404,\n    "message": "Requested entity was not found.",\n'
            '    "status": "NOT_FOUND"\n  }\n}\n'
        ),
        None,
        tool="read_file",
        arguments={"path": "tests/fixtures/not_found.json"},
        source="stored error response",
    ),
    Case(
        "lookalike/incident-record",
        lambda: {
            "id": "INC-311",
            "title": "Ticket machines offline",
            "severity": "high",
            "status": "open",
            "error": "Database connection pool exhausted",
            "opened_at": "2025-02-10T05:55:00Z",
        },
        None,
        tool="get_incident",
        arguments={"id": "INC-311"},
        source="record that was asked for",
    ),
    Case(
        "lookalike/ci-job",
        lambda: {
            "id": 90211,
            "name": "build-brochure",
            "status": "failed",
            "failure_reason": "script_failure",
            "exit_code": 1,
            "duration": 81.4,
            "web_url": "https://git.example/print/brochure/-/jobs/90211",
        },
        None,
        tool="get_job",
        arguments={"project": "print/brochure", "job_id": 90211},
        source="CI job",
    ),
    Case(
        "lookalike/declined-payment",
        lambda: {
            "id": "ch_3Nf",
            "object": "charge",
            "amount": 4200,
            "currency": "eur",
            "status": "failed",
            "paid": False,
            "failure_code": "card_declined",
            "failure_message": "Your card was declined.",
        },
        None,
        tool="get_payment",
        arguments={"payment_id": "ch_3Nf"},
        source="payment with failure_code",
    ),
    Case(
        "lookalike/stored-exchange",
        lambda: {
            "request": {"method": "POST", "path": "/webhooks/parcel", "at": "2025-01-09T11:02:44Z"},
            "response": {"status_code": 500, "body": '{"error": "internal server error"}'},
            "attempt": 3,
        },
        None,
        tool="get_webhook_delivery",
        arguments={"delivery_id": "d-5501"},
        source="stored HTTP log",
    ),
    Case(
        "lookalike/stored-502-page",
        lambda: STORED_502,
        None,
        tool="read_file",
        arguments={"path": "templates/errors/502.html"},
        source="stored 502.html",
    ),
    Case(
        "lookalike/health-of-other",
        lambda: {"service": "label-printer", "healthy": False, "status_code": 503, "error": "connection refused"},
        None,
        tool="check_service_health",
        arguments={"service": "label-printer"},
        source="health check of another service",
    ),
    Case(
        "lookalike/error-metrics",
        lambda: {"window": "24h", "requests": 88120, "errors_total": 214, "error_rate": 0.0024, "timeouts": 11},
        None,
        tool="get_metrics",
        arguments={"service": "search", "window": "24h"},
        source="metrics with error in their names",
    ),
    Case(
        "lookalike/prometheus-text",
        lambda: PROMETHEUS,
        None,
        tool="scrape_metrics",
        arguments={"target": "shop:9100"},
        source="metrics with error in their names",
    ),
    Case(
        "lookalike/empty-errors",
        lambda: {"data": {"createNote": {"note": {"id": "n-4", "title": "Milk"}, "userErrors": []}}, "errors": []},
        None,
        tool="create_note",
        arguments={"title": "Milk"},
        source="errors is empty",
    ),
    Case(
        "lookalike/null-error",
        lambda: {"result": {"distance_km": 42.7, "duration_min": 38}, "error": None},
        None,
        tool="get_route",
        arguments={"from": "Delft", "to": "Breda"},
        source="error is null",
    ),
    Case(
        "lookalike/error-false",
        lambda: {"error": False, "msg": "capital retrieved", "data": {"name": "Bhutan", "capital": "Thimphu"}},
        None,
        tool="get_capital",
        arguments={"country": "Bhutan"},
        source="error is false",
    ),
    Case(
        "lookalike/error-count-zero",
        lambda: {"file": "wine_list.xml", "error_count": 0, "warning_count": 2, "failed": 0, "checked": 118},
        None,
        tool="validate_catalogue",
        arguments={"file": "wine_list.xml"},
        source="error_count is zero",
    ),
    Case(
        "lookalike/translation-text",
        lambda: "Error: file not found",
        None,
        tool="translate_text",
        arguments={"text": "Fehler: Datei nicht gefunden", "source": "de", "target": "en"},
        source="translation",
    ),
    Case(
        "lookalike/translation-dict",
        lambda: {"translatedText": "Acceso denegado", "detectedLanguage": {"language": "en", "confidence": 0.98}},
        None,
        tool="translate",
        arguments={"q": "Access denied", "target": "es"},
        source="translation",
    ),
    Case(
        "lookalike/dice-roll",
        lambda: {"dice": "1d20", "roll": 4, "modifier": 2, "total": 6, "difficulty": 15, "success": False},
        None,
        tool="roll_dice",
        arguments={"dice": "1d20", "modifier": 2, "difficulty": 15},
        source="verdict of a game",
    ),
    Case(
        "lookalike/linter-verdict",
        lambda: {
            "ok": False,
            "issues": [{"rule": "MD013", "line": 7, "severity": "error", "message": "Line too long (131 > 80)"}],
            "files": 4,
        },
        None,
        tool="lint_markdown",
        arguments={"path": "docs/"},
        source="verdict of a linter",
    ),
    Case(
        "lookalike/schema-verdict",
        _msgspec_validation,
        None,
        tool="validate_form",
        arguments={"form": "vat-return"},
        source="verdict of a validator",
    ),
    Case(
        "lookalike/pytest-process",
        lambda: subprocess.CompletedProcess(["pytest", "tests"], 1, PYTEST_REPORT, ""),
        None,
        tool="run_tests",
        arguments={"path": "tests"},
        source="pytest's exit 1 with its report",
    ),
    Case(
        "lookalike/grep-no-match",
        lambda: subprocess.CompletedProcess(["grep", "-rn", "marzipan", "recipes/"], 1, "", ""),
        None,
        tool="grep_files",
        arguments={"pattern": "marzipan", "path": "recipes/"},
        source="grep's exit 1 without a match",
    ),
    Case(
        "lookalike/diff-exit-1",
        lambda: {"exit_code": 1, "stdout": DIFF_TEXT, "stderr": ""},
        None,
        tool="run_shell",
        arguments={"command": "diff -u menu_monday.txt menu_tuesday.txt"},
        source="diff's exit 1",
    ),
    Case(
        "lookalike/terraform-exit-2",
        lambda: (PLAN_TEXT, "", 2),
        None,
        tool="execute_command",
        arguments={"command": "terraform plan -detailed-exitcode -no-color"},
        source="terraform's exit 2",
    ),
    Case(
        "lookalike/type-check-tuple",
        lambda: (MYPY_REPORT, "", 1),
        None,
        tool="type_check",
        arguments={"path": "invoice.py"},
        source="mypy.api.run with findings",
    ),
    Case(
        "lookalike/stderr-warning",
        lambda: {
            "returncode": 0,
            "stdout": "added 214 packages in 9s\n",
            "stderr": "npm warn deprecated inflight@1.0.6: This module is not supported, and leaks memory. Do not use it.\n",
        },
        None,
        tool="install_packages",
        arguments={"manager": "npm", "directory": "site"},
        source="warnings on stderr with exit 0",
    ),
    Case(
        "lookalike/json-schema",
        lambda: {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "ErrorResponse",
            "type": "object",
            "required": ["error"],
            "properties": {"error": {"type": "string"}, "status": {"type": "integer", "minimum": 400}},
        },
        None,
        tool="get_schema",
        arguments={"name": "ErrorResponse"},
        source="JSON Schema",
    ),
    Case(
        "lookalike/openapi-document",
        lambda: OPENAPI_TEXT,
        None,
        tool="fetch_api_description",
        arguments={"service": "library-loans"},
        source="OpenAPI document",
    ),
    Case(
        "lookalike/complaint-mail",
        _mail,
        None,
        tool="read_email",
        arguments={"uid": 4417},
        source="e-mail that complains",
    ),
    Case(
        "lookalike/complaint-dict",
        lambda: {
            "from": "r.moreau@mail.example",
            "subject": "Login failed AGAIN",
            "body": "Your app says 'Unauthorized: invalid token' and nothing works. Please fix this at once!",
            "labels": ["inbox", "angry"],
        },
        None,
        tool="get_message",
        arguments={"message_id": "m-9920"},
        source="e-mail that complains",
    ),
    Case(
        "lookalike/shell-lesson",
        lambda: SHELL_LESSON,
        None,
        tool="read_document",
        arguments={"path": "course/lesson3.md"},
        source="quoted shell session",
    ),
    Case(
        "lookalike/error-column-csv",
        lambda: "file,pages,error\nletter1.pdf,2,\nletter2.pdf,0,password required\nletter3.pdf,5,\n",
        None,
        tool="read_csv",
        arguments={"path": "scan_report.csv"},
        source="table with an error column",
    ),
    Case(
        "lookalike/error-column-rows",
        _rows,
        None,
        tool="run_sql",
        arguments={"query": "select * from imports order by started"},
        source="table with an error column",
    ),
]


# ---------------------------------------------------------------- data that tools return every day

DATA: list[Case] = [
    Case(
        "data/weather-warning",
        lambda: {
            "city": "Bergen",
            "temp_c": 6.5,
            "wind_kmh": 88,
            "alerts": [{"event": "Severe storm", "severity": "critical", "text": "Ferry services suspended."}],
            "forecast_error_c": 1.4,
        },
        None,
        tool="get_weather",
        arguments={"city": "Bergen"},
        source="weather",
    ),
    Case(
        "data/cancelled-flight",
        lambda: {
            "flight": "LX 1612",
            "status": "CANCELLED",
            "reason": "Crew timeout",
            "scheduled": "2025-12-21T07:05",
            "rebooked_to": "LX 1620",
        },
        None,
        tool="get_flight_status",
        arguments={"flight": "LX1612", "date": "2025-12-21"},
        source="flight record",
    ),
    Case(
        "data/order-failed-delivery",
        lambda: {
            "order_id": "A-5513",
            "state": "delivery_failed",
            "events": ["packed", "in transit", "delivery failed: recipient absent", "returned to depot"],
            "total": 34.9,
        },
        None,
        tool="get_order",
        arguments={"order_id": "A-5513"},
        source="order",
    ),
    Case(
        "data/order-list",
        lambda: [
            {"id": 31, "status": "paid"},
            {"id": 32, "status": "cancelled"},
            {"id": 33, "status": "error"},
        ],
        None,
        tool="list_orders",
        arguments={"customer": "c-77"},
        source="orders",
    ),
    Case(
        "data/sql-tuples",
        lambda: "[('boiler', 'ERROR', 12), ('boiler', 'OK', 301), ('pump', 'TIMEOUT', 3)]",
        None,
        tool="sql_db_query",
        arguments={"query": "SELECT device, state, count(*) FROM readings GROUP BY 1, 2"},
        source="database rows as text",
    ),
    Case(
        "data/tombstone-row",
        lambda: {"columns": ["id", "name", "deleted", "reason"], "rows": [[7, "Otto", True, "not found in registry"]]},
        None,
        tool="execute_query",
        arguments={"sql": "select id, name, deleted, reason from members where id = 7"},
        source="database rows",
    ),
    Case(
        "data/nginx-conf",
        lambda: NGINX_CONF,
        None,
        tool="read_file",
        arguments={"path": "/etc/nginx/conf.d/shop.conf"},
        source="file contents",
    ),
    Case(
        "data/messages-file",
        lambda: '{"error.404": "Page not found", "error.403": "You are not allowed to see this", "ok": "Saved"}',
        None,
        tool="read_file",
        arguments={"path": "locales/en/messages.json"},
        source="file contents",
    ),
    Case(
        "data/job-list",
        lambda: {
            "jobs": [
                {"id": "j1", "state": "SUCCEEDED", "error": None},
                {"id": "j2", "state": "FAILED", "error": "out of memory"},
                {"id": "j3", "state": "TIMED_OUT", "error": "limit of 3600 s reached"},
            ],
            "next_page": None,
        },
        None,
        tool="list_jobs",
        arguments={"queue": "thumbnails"},
        source="job records",
    ),
    Case(
        "data/print-job",
        lambda: {"job": 118, "printer": "hall", "state": "aborted", "state_reason": "job-canceled-by-user", "pages": 2},
        None,
        tool="get_print_job",
        arguments={"job": 118},
        source="job record",
    ),
    Case(
        "data/tail-log",
        lambda: APP_LOG,
        None,
        tool="tail_log",
        arguments={"file": "/var/log/backup.log", "lines": 4},
        source="log lines",
    ),
    Case(
        "data/access-log",
        lambda: ACCESS_LOG,
        None,
        tool="read_log_file",
        arguments={"path": "access.log", "lines": 4},
        source="log lines",
    ),
    Case(
        "data/log-record",
        _log_record,
        None,
        tool="get_last_log_record",
        arguments={"logger": "boiler"},
        source="logging.LogRecord",
    ),
    Case(
        "data/unittest-result",
        _unittest_result,
        None,
        tool="run_unit_tests",
        arguments={"suite": "cart"},
        source="unittest.TestResult",
    ),
    Case(
        "data/junit-report",
        lambda: JUNIT_XML,
        None,
        tool="get_test_report",
        arguments={"pipeline": 4021},
        source="test report",
    ),
    Case(
        "data/status-page",
        lambda: {
            "status": {"indicator": "major", "description": "Partial System Outage"},
            "components": [{"name": "Payments", "status": "major_outage"}, {"name": "Shop", "status": "operational"}],
        },
        None,
        tool="get_status_page",
        arguments={"url": "https://status.shop.example"},
        source="health of another service",
    ),
    Case(
        "data/ping-unreachable",
        lambda: PING_TEXT,
        None,
        tool="ping_host",
        arguments={"host": "192.168.178.40", "count": 4},
        source="health check of a device",
    ),
    Case(
        "data/link-check",
        lambda: {
            "checked": 57,
            "broken": [
                {"url": "https://old.example/menu", "status": 404, "error": "Not Found"},
                {"url": "https://slow.example", "status": None, "error": "timeout"},
            ],
        },
        None,
        tool="check_links",
        arguments={"site": "https://cafe.example"},
        source="link checker's report",
    ),
    Case(
        "data/translation-list",
        lambda: [
            {"translations": [{"text": "Zugriff verweigert", "to": "de"}]},
            {"translations": [{"text": "Ung\u00fcltiges Passwort", "to": "de"}]},
        ],
        None,
        tool="translate_batch",
        arguments={"texts": ["Access denied", "Invalid password"], "target": "de"},
        source="translation",
    ),
    Case(
        "data/generated-code",
        lambda: GENERATED_CODE,
        None,
        tool="generate_code",
        arguments={"task": "read a ticket file and report problems"},
        source="code",
    ),
    Case(
        "data/sql-code",
        lambda: "SELECT error, count(*) FROM failures WHERE error LIKE '%timeout%' GROUP BY error;",
        None,
        tool="write_sql",
        arguments={"question": "Which timeout errors are most frequent?"},
        source="code",
    ),
    Case(
        "data/git-log",
        lambda: GIT_LOG,
        None,
        tool="git_log",
        arguments={"max_count": 3},
        source="commit history",
    ),
    Case(
        "data/git-diff",
        lambda: GIT_DIFF,
        None,
        tool="git_diff",
        arguments={"path": "sync.py"},
        source="code",
    ),
    Case(
        "data/baseball-article",
        lambda: BASEBALL,
        None,
        tool="wikipedia_summary",
        arguments={"title": "Error (baseball)"},
        source="encyclopaedia",
    ),
    Case(
        "data/chat-history",
        lambda: [
            {"role": "user", "text": "It says: Error: could not connect to server"},
            {"role": "agent", "text": "Please restart the router."},
        ],
        None,
        tool="get_chat_history",
        arguments={"ticket": "T-81"},
        source="support chat",
    ),
    Case(
        "data/reviews",
        lambda: {"product": "Kettle K2", "stars": 2.1, "reviews": ["Failed after a week.", "Error E04 all the time!"]},
        None,
        tool="get_reviews",
        arguments={"product": "Kettle K2"},
        source="product reviews",
    ),
    Case(
        "data/screen-text",
        lambda: "Windows Update\nError 0x80070005\nAccess is denied.\n[Retry]  [Close]",
        None,
        tool="ocr_image",
        arguments={"image": "screenshot_0311.png"},
        source="text in a picture",
    ),
    Case(
        "data/console-messages",
        lambda: [
            "[ERROR] Failed to load resource: the server responded with a status of 404 (Not Found) @ /favicon.ico:0",
            "[WARNING] Slow network is detected",
        ],
        None,
        tool="browser_console_messages",
        arguments={"level": "warning"},
        source="browser console",
    ),
    Case(
        "data/network-requests",
        lambda: (
            "[GET] https://shop.example/ => [200] OK\n[POST] https://shop.example/api/cart => [500] Internal Server Error"
        ),
        None,
        tool="browser_network_requests",
        arguments={"include_static": False},
        source="browser network list",
    ),
    Case(
        "data/username-taken",
        lambda: {"username": "moonrabbit", "available": False, "message": "Username already taken"},
        None,
        tool="check_username",
        arguments={"username": "moonrabbit"},
        source="answer of a check",
    ),
    Case(
        "data/access-check",
        lambda: {"user": "lea", "resource": "cellar door", "allowed": False, "reason": "permission denied by rule 12"},
        None,
        tool="check_access",
        arguments={"user": "lea", "resource": "cellar door"},
        source="answer of a check",
    ),
    Case(
        "data/rate-limit-status",
        lambda: {"resources": {"core": {"limit": 60, "used": 60, "remaining": 0, "reset": 1749900000}}},
        None,
        tool="get_rate_limit",
        arguments={"token": "default"},
        source="GitHub rate-limit resource",
    ),
    Case(
        "data/disk-usage",
        lambda: "Filesystem      Size  Used Avail Use% Mounted on\n/dev/sda1       118G  118G     0 100% /\n",
        None,
        tool="disk_usage",
        arguments={"path": "/"},
        source="state of a machine",
    ),
    Case(
        "data/bounce-mail",
        lambda: BOUNCE_MAIL,
        None,
        tool="read_mail",
        arguments={"folder": "INBOX", "uid": 902},
        source="e-mail",
    ),
    Case(
        "data/docker-ps",
        lambda: DOCKER_PS,
        None,
        tool="list_containers",
        arguments={"all": True},
        source="state of containers",
    ),
    Case(
        "data/kubectl-pods",
        lambda: KUBECTL_PODS.encode(),
        None,
        tool="kubectl_get",
        arguments={"kind": "pods", "namespace": "shop"},
        source="state of pods",
    ),
    Case(
        "data/level-counter",
        lambda: Counter({"INFO": 911, "ERROR": 37, "CRITICAL": 2}),
        None,
        tool="count_log_levels",
        arguments={"file": "boiler.log"},
        source="statistics",
    ),
    Case(
        "data/import-model",
        _pydantic_import,
        None,
        tool="import_contacts",
        arguments={"file": "contacts.vcf"},
        source="pydantic model with errors=[]",
    ),
    Case(
        "data/outcome-fine",
        _attrs_fine,
        None,
        tool="publish_page",
        arguments={"space": "HR", "title": "Holiday calendar"},
        source="attrs object with error=None",
    ),
    Case(
        "data/appliance-page",
        _http_ok,
        None,
        tool="fetch_url",
        arguments={"url": "https://washers.example/help/error-codes"},
        source="http.client.HTTPResponse with status 200",
    ),
]


CASES: list[Case] = [*DOCUMENTED, *HANDWRITTEN, *LOOKALIKES, *DATA]


if __name__ == "__main__":
    assert len({case.id for case in CASES}) == len(CASES)
    for case in CASES:
        case.make()
    print(Counter(case.id.split("/")[0] for case in CASES))
    print(Counter(str(case.kind) for case in CASES))
