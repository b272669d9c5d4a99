"""A second independent set of labelled values: documented and hand-written failures, and results that look like them."""

from __future__ import annotations

import json
import subprocess
import urllib.error
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any

import attrs
from handwritten_cases import Case
from pydantic import BaseModel, Field

# Stand-ins with the names, modules and members of library classes that are not installed here


class TextContent(BaseModel):
    """Stands in for mcp.types.TextContent."""

    type: str = "text"
    text: str
    annotations: Any = None


class CallToolResult(BaseModel):
    """Stands in for mcp.types.CallToolResult."""

    meta: dict[str, Any] | None = Field(default=None, alias="_meta")
    content: list[TextContent]
    structuredContent: dict[str, Any] | None = None  # noqa: N815
    isError: bool = False  # noqa: N815


class ToolMessage(BaseModel):
    """Stands in for langchain_core.messages.ToolMessage."""

    content: Any
    additional_kwargs: dict[str, Any] = {}
    response_metadata: dict[str, Any] = {}
    type: str = "tool"
    name: str | None = None
    id: str | None = None
    tool_call_id: str
    artifact: Any = None
    status: str = "success"


class Response:
    """Stands in for requests.Response."""

    def __init__(
        self, status_code: int, text: str, reason: str, url: str, content_type: str = "application/json"
    ) -> None:
        self.status_code = status_code
        self.text = text
        self.content = text.encode()
        self.reason = reason
        self.url = url
        self.headers = {"Content-Type": content_type}
        self.encoding = "utf-8"

    @property
    def ok(self) -> bool:
        return self.status_code < 400

    def json(self) -> Any:
        return json.loads(self.text)

    def __repr__(self) -> str:
        return f"<Response [{self.status_code}]>"


class Ok:
    """Stands in for result.Ok."""

    __match_args__ = ("ok_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def is_ok(self) -> bool:
        return True

    def is_err(self) -> bool:
        return False

    def ok(self) -> Any:
        return self._value

    def err(self) -> None:
        return None

    @property
    def ok_value(self) -> Any:
        return self._value

    def unwrap(self) -> Any:
        return self._value

    def __repr__(self) -> str:
        return f"Ok({self._value!r})"


class Err:
    """Stands in for result.Err."""

    __match_args__ = ("err_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def is_ok(self) -> bool:
        return False

    def is_err(self) -> bool:
        return True

    def ok(self) -> None:
        return None

    def err(self) -> Any:
        return self._value

    @property
    def err_value(self) -> Any:
        return self._value

    def unwrap(self) -> Any:
        raise RuntimeError(f"Called `Result.unwrap()` on an `Err` value: {self._value!r}")

    def unwrap_err(self) -> Any:
        return self._value

    def __repr__(self) -> str:
        return f"Err({self._value!r})"


TextContent.__module__ = CallToolResult.__module__ = "mcp.types"
ToolMessage.__module__ = "langchain_core.messages.tool"
Response.__module__ = "requests.models"
Ok.__module__ = Err.__module__ = "result.result"

ExecResult = namedtuple("ExecResult", "exit_code,output")  # docker.models.containers.ExecResult


# Classes of ordinary programmers


@dataclass
class DeleteOutcome:
    """What a small shop tool returns."""

    ok: bool
    message: str
    deleted: int = 0


@attrs.define
class TrainingRun:
    """An attrs result of a training tool."""

    success: bool
    checkpoint: str | None = None
    error: str | None = None


class StepResult(BaseModel):
    """A pydantic result of a set-up tool."""

    step: str
    is_success: bool
    stdout: str = ""
    error: str | None = None


@dataclass
class CommandOutput:
    """Output of a command that succeeded or not."""

    success: bool
    output: str
    error: str | None = None


@dataclass
class Reading:
    """A sensor reading."""

    sensor: str
    value: float
    unit: str
    error: float = 0.0
    flags: list[str] = field(default_factory=list)


ARG = "ToolArgumentError"
AUTH = "ToolAuthenticationError"
CANCELLED = "ToolCancelledError"
CONFLICT = "ResourceConflictError"
CONNECTION = "ToolConnectionError"
EXECUTION = "ToolExecutionError"
MISSING = "ResourceNotFoundError"
NO_TOOL = "ToolNotFoundError"
PERMISSION = "ToolPermissionError"
QUOTA = "ToolQuotaError"
RATE = "ToolRateLimitError"
TIMEOUT = "ToolTimeoutError"
UNAVAILABLE = "ToolUnavailableError"


NGINX_502 = (
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n"
    "<hr><center>nginx/1.24.0</center>\r\n</body>\r\n</html>\r\n"
)

REPL_TRACEBACK = """\
rows: 1840
columns: ['date', 'store', 'units', 'revenue']
Traceback (most recent call last):
  File "<stdin>", line 6, in <module>
  File "<stdin>", line 3, in price_per_unit
ZeroDivisionError: float division by zero
"""

SOAP_FAULT = (
    '<env:Envelope xmlns:env="http://schemas.xmlsoap.org/soap/envelope/"><env:Header/><env:Body><env:Fault>'
    "<faultcode>env:Server</faultcode><faultstring>MS_UNAVAILABLE</faultstring></env:Fault></env:Body></env:Envelope>"
)


DOCUMENTED_FAILURES: list[Case] = [
    # MCP and JSON-RPC
    Case(
        "h2/mcp/rate",
        lambda: {
            "content": [{"type": "text", "text": "GitHub API rate limit exceeded for installation 41877. Resets at 14:20 UTC."}],
            "isError": True,
        },
        RATE, (), "list_pull_requests", {"owner": "acme", "repo": "billing"}, "MCP: tool execution error",
    ),
    Case(
        "h2/mcp/unknown-tool-object",
        lambda: CallToolResult(content=[TextContent(text="Unknown tool: convert_currency")], isError=True),
        NO_TOOL, (), "convert_currency", {"amount": 40, "to": "SEK"}, "MCP Python SDK: CallToolResult of an unknown tool",
    ),
    Case(
        "h2/mcp/resource-not-found",
        lambda: json.dumps(
            {
                "jsonrpc": "2.0", "id": 5,
                "error": {"code": -32002, "message": "Resource not found", "data": {"uri": "file:///project/CHANGES.rst"}},
            }
        ),
        MISSING, (), "read_resource", {"uri": "file:///project/CHANGES.rst"}, "MCP specification: resources, error handling",
    ),
    Case(
        "h2/mcp/request-timeout", lambda: "MCP error -32001: Request timed out",
        TIMEOUT, (), "render_diagram", {"source": "graph TD; A-->B"}, "MCP TypeScript SDK: McpError of RequestTimeout",
    ),
    Case(
        "h2/mcp/declined",
        lambda: {
            "content": [
                {"type": "text", "text": "Command was not executed."},
                {"type": "text", "text": "The user cancelled the request."},
            ],
            "structuredContent": {"executed": False, "reason": "cancelled_by_user"},
            "isError": True,
        },
        CANCELLED, (PERMISSION,), "run_command", {"command": "rm -r build"}, "MCP: isError with several blocks",
    ),
    # Agent frameworks
    Case(
        "h2/langgraph/invalid-tool",
        lambda: ToolMessage(
            content="Error: lookup_flights is not a valid tool, try one of [search_flights, book_flight, cancel_flight].",
            name="lookup_flights", tool_call_id="call_9hT2", status="error",
        ),
        NO_TOOL, (), "lookup_flights", {"from": "OSL", "to": "LIS"}, "LangGraph ToolNode: INVALID_TOOL_NAME_ERROR_TEMPLATE",
    ),
    Case(
        "h2/langgraph/invocation",
        lambda: (
            "Error invoking tool 'create_event' with kwargs {'title': 'Stand-up'} with error:\n"
            " start: Field required\n Please fix the error and try again."
        ),
        ARG, (), "create_event", {"title": "Stand-up"}, "LangGraph ToolNode: TOOL_INVOCATION_ERROR_TEMPLATE",
    ),
    Case(
        "h2/openai-agents/default",
        lambda: "An error occurred while running the tool. Please try again. Error: [Errno 111] Connection refused",
        CONNECTION, (), "query_inventory", {"sku": "B-220"}, "OpenAI Agents SDK: default_tool_error_function",
    ),
    Case(
        "h2/openai/shell-timeout",
        lambda: {
            "type": "shell_call_output",
            "call_id": "call_f1Xk2",
            "max_output_length": 4096,
            "output": [{"stdout": "Resolving dependencies...\n", "stderr": "", "outcome": {"type": "timeout"}}],
        },
        TIMEOUT, (), "shell", {"commands": ["mvn -q verify"], "timeout_ms": 120000}, "OpenAI Responses: shell tool",
    ),
    Case(
        "h2/openai/apply-patch-failed",
        lambda: {
            "type": "apply_patch_call_output",
            "call_id": "call_Rjsqzz96",
            "status": "failed",
            "output": "Error: Invalid context at line 18: expected '    return total' in cart/price.py",
        },
        CONFLICT, (ARG, EXECUTION), "apply_patch", {"operation": {"type": "update_file", "path": "cart/price.py"}},
        "OpenAI Responses: apply_patch tool",
    ),
    Case(
        "h2/openai/mcp-call-error",
        lambda: {
            "id": "mcp_682d4379df088191886b70f4ec39f90403937d5f622d7a90",
            "type": "mcp_call",
            "approval_request_id": None,
            "arguments": '{"board":"Roadmap"}',
            "error": "401 Unauthorized: the access token is missing or has expired",
            "name": "list_cards",
            "output": None,
            "server_label": "kanban",
        },
        AUTH, (), "list_cards", {"board": "Roadmap"}, "OpenAI Responses: mcp_call item",
    ),
    Case(
        "h2/anthropic/tool-result",
        lambda: {
            "type": "tool_result",
            "tool_use_id": "toolu_01A09q90qw90lq917835lq9",
            "content": [{"type": "text", "text": "Error: storage quota exceeded (15.0 GB of 15.0 GB used)"}],
            "is_error": True,
        },
        QUOTA, (), "upload_video", {"path": "holiday.mp4"}, "Anthropic Messages: tool_result with is_error",
    ),
    Case(
        "h2/gemini/function-response",
        lambda: {
            "functionResponse": {
                "name": "book_table",
                "response": {"error": "'2025-02-30' is not a valid date, use YYYY-MM-DD"},
            }
        },
        ARG, (), "book_table", {"restaurant": "Noma", "date": "2025-02-30"}, "Gemini: FunctionResponse with the key error",
    ),
    Case(
        "h2/smolagents/executing",
        lambda: (
            "Error when executing tool hourly_forecast with arguments {'place': 'Tromsø'}: KeyError: 'timeseries'\n"
            "You should only use this tool with a correct input.\n"
            "As a reminder, this tool's description is the following: 'Returns the forecast for each hour of today.'.\n"
            "It takes inputs: {'place': {'type': 'string', 'description': 'a place name'}} and returns output type string"
        ),
        EXECUTION, (ARG,), "hourly_forecast", {"place": "Tromsø"}, "smolagents ToolCallingAgent.execute_tool_call",
    ),
    Case(
        "h2/crewai/no-action",
        lambda: (
            "Action 'Scrape Website' don't exist, these are the only available Actions:\n"
            "Tool Name: Search the internet\nTool Arguments: {'search_query': {'description': 'Mandatory query', 'type': 'str'}}\n"
            "Tool Description: A tool that can be used to search the internet."
        ),
        NO_TOOL, (), "Scrape Website", {"url": "https://example.org"}, "CrewAI ToolUsage._select_tool",
    ),
    Case(
        "h2/edit-tool/multiple",
        lambda: (
            "No replacement was performed. Multiple occurrences of old_str `timeout=5` in lines [12, 48]. "
            "Please ensure it is unique"
        ),
        CONFLICT, (ARG,), "str_replace_editor",
        {"command": "str_replace", "path": "/repo/client.py", "old_str": "timeout=5", "new_str": "timeout=30"},
        "Anthropic's edit tool, also SWE-agent and OpenHands",
    ),
    # Clouds
    Case(
        "h2/lambda/timed-out",
        lambda: {
            "errorType": "Sandbox.Timedout",
            "errorMessage": "RequestId: 5f1c2f0e-7d2b-4a53-9a04-2f9c1e9a11d7 Error: Task timed out after 15.02 seconds",
        },
        TIMEOUT, (), "make_thumbnail", {"key": "uploads/cat.tiff"}, "AWS Lambda: function time-out",
    ),
    Case(
        "h2/lambda/proxy-403",
        lambda: {
            "statusCode": 403,
            "headers": {"Content-Type": "application/json"},
            "body": '{"message": "You may only cancel your own bookings"}',
            "isBase64Encoded": False,
        },
        PERMISSION, (), "cancel_booking", {"booking_id": "BK-7731"}, "AWS Lambda: proxy response",
    ),
    Case(
        "h2/kinesis/failed-records",
        lambda: {
            "FailedRecordCount": 2,
            "Records": [
                {
                    "ErrorCode": "ProvisionedThroughputExceededException",
                    "ErrorMessage": "Rate exceeded for shard shardId-000000000001 in stream clicks under account 111111111111.",
                },
                {
                    "ErrorCode": "ProvisionedThroughputExceededException",
                    "ErrorMessage": "Rate exceeded for shard shardId-000000000001 in stream clicks under account 111111111111.",
                },
            ],
        },
        RATE, (QUOTA,), "put_records", {"stream": "clicks", "records": 2}, "Amazon Kinesis: PutRecords",
    ),
    Case(
        "h2/step-functions/aborted",
        lambda: {
            "ExecutionArn": "arn:aws:states:eu-west-1:123456789012:execution:Nightly:9a1f",
            "StateMachineArn": "arn:aws:states:eu-west-1:123456789012:stateMachine:Nightly",
            "Name": "9a1f",
            "Status": "ABORTED",
            "StartDate": 1714640400000,
            "StopDate": 1714640461000,
            "Input": "{}",
        },
        CANCELLED, (EXECUTION,), "run_nightly_export", {"day": "2024-05-02"}, "Step Functions: startExecution.sync",
    ),
    Case(
        "h2/google/operation-error",
        lambda: {
            "name": "projects/p-17/locations/europe-north1/operations/operation-1715000000000-61a",
            "metadata": {"@type": "type.googleapis.com/google.cloud.run.v2.Service"},
            "done": True,
            "error": {"code": 6, "message": "Resource 'checkout' already exists.", "details": []},
        },
        CONFLICT, (), "create_service", {"name": "checkout", "region": "europe-north1"}, "Google: long-running operation",
    ),
    Case(
        "h2/graph/expired",
        lambda: {
            "error": {
                "code": "InvalidAuthenticationToken",
                "message": "Lifetime validation failed, the token is expired.",
                "innerError": {
                    "date": "2025-01-17T08:11:25", "request-id": "0b6d1c2e-46c7-4a9d-8ac7-1d6b1f8b2c11",
                    "client-request-id": "0b6d1c2e-46c7-4a9d-8ac7-1d6b1f8b2c11",
                },
            }
        },
        AUTH, (), "list_mail_folders", {}, "Microsoft Graph: error resource",
    ),
    Case(
        "h2/s3/no-such-key",
        lambda: (
            '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code>'
            "<Message>The specified key does not exist.</Message><Key>invoices/2024/0091.pdf</Key>"
            "<RequestId>4442587FB7D0A2F9</RequestId><HostId>b7d0HostId</HostId></Error>"
        ),
        MISSING, (), "get_object", {"bucket": "acme-docs", "key": "invoices/2024/0091.pdf"}, "Amazon S3: error response",
    ),
    # APIs
    Case(
        "h2/problem/402",
        lambda: Response(
            402,
            json.dumps(
                {
                    "type": "https://api.postage.example/problems/insufficient-balance",
                    "title": "Insufficient balance",
                    "status": 402,
                    "detail": "The label costs 6.90 EUR, your prepaid balance is 2.15 EUR.",
                    "instance": "/labels/2291",
                }
            ),
            "Payment Required", "https://api.postage.example/labels/2291", "application/problem+json",
        ),
        QUOTA, (), "buy_label", {"parcel": "2291"}, "RFC 9457 in a requests.Response",
    ),
    Case(
        "h2/jsonapi/invalid-attribute",
        lambda: {
            "errors": [
                {
                    "status": "422",
                    "source": {"pointer": "/data/attributes/firstName"},
                    "title": "Invalid Attribute",
                    "detail": "First name must contain at least two characters.",
                }
            ]
        },
        ARG, (), "create_contact", {"firstName": "J", "lastName": "Olsen"}, "JSON:API: error objects",
    ),
    Case(
        "h2/graphql/not-found",
        lambda: json.dumps(
            {
                "data": {"repository": None},
                "errors": [
                    {
                        "type": "NOT_FOUND",
                        "path": ["repository"],
                        "locations": [{"line": 2, "column": 3}],
                        "message": "Could not resolve to a Repository with the name 'acme/attic'.",
                    }
                ],
            }
        ),
        MISSING, (), "get_repository", {"owner": "acme", "name": "attic"}, "GitHub GraphQL API",
    ),
    Case(
        "h2/slack/token-revoked", lambda: {"ok": False, "error": "token_revoked"},
        AUTH, (), "post_message", {"channel": "C024BE91L", "text": "Deploy done"}, "Slack Web API: chat.postMessage",
    ),
    Case(
        "h2/elastic/parsing",
        lambda: {
            "error": {
                "root_cause": [{"type": "parsing_exception", "reason": "unknown query [mach]", "line": 1, "col": 19}],
                "type": "parsing_exception",
                "reason": "unknown query [mach]",
                "line": 1,
                "col": 19,
                "caused_by": {"type": "named_object_not_found_exception", "reason": "[1:19] unknown field [mach]"},
            },
            "status": 400,
        },
        ARG, (), "search_index", {"index": "books", "body": {"query": {"mach": {"title": "whale"}}}}, "Elasticsearch: REST error",
    ),
    Case(
        "h2/hugging-face/loading",
        lambda: {"error": "Model sentence-transformers/LaBSE is currently loading", "estimated_time": 31.7},
        UNAVAILABLE, (), "embed_text", {"text": "hello"}, "Hugging Face Inference API",
    ),
    Case(
        "h2/alpha-vantage/information",
        lambda: {
            "Information": (
                "Thank you for using Alpha Vantage! Please consider spreading out your free API requests more sparingly "
                "(1 request per second). You may subscribe to any of the premium plans to lift the free key rate limit "
                "(25 requests per day)."
            )
        },
        RATE, (QUOTA,), "get_stock_quote", {"symbol": "EQNR"}, "Alpha Vantage: free key",
    ),
    Case(
        "h2/soap/vies", lambda: SOAP_FAULT,
        UNAVAILABLE, (EXECUTION,), "check_vat_number", {"country": "DE", "number": "123456789"}, "VIES checkVat: SOAP 1.1 Fault",
    ),
    # HTTP
    Case(
        "h2/http/nginx-502", lambda: NGINX_502,
        UNAVAILABLE, (CONNECTION,), "get_exchange_rates", {"base": "NOK"}, "nginx: built-in error page",
    ),
    Case(
        "h2/http/urlerror", lambda: urllib.error.URLError(ConnectionResetError(104, "Connection reset by peer")),
        CONNECTION, (), "download_feed", {"url": "https://feeds.example.org/tides.xml"}, "urllib: URLError returned",
    ),
    # Programs
    Case(
        "h2/process/126",
        lambda: subprocess.CompletedProcess(
            ["bash", "-c", "./deploy.sh staging"], 126, "", "bash: line 1: ./deploy.sh: Permission denied\n"
        ),
        PERMISSION, (EXECUTION,), "run_shell", {"command": "./deploy.sh staging"}, "shell: exit code 126",
    ),
    Case(
        "h2/process/git-tuple",
        lambda: ("", "fatal: unable to access 'https://git.corp.example/web.git/': Could not resolve host: git.corp.example\n", 128),
        CONNECTION, (), "run_git", {"args": ["fetch", "origin"]}, "git: exit code 128 as (stdout, stderr, code)",
    ),
    Case(
        "h2/docker/oom", lambda: ExecResult(137, b"Loading checkpoint shards:  60%\nKilled\n"),
        QUOTA, (EXECUTION, CANCELLED), "container_exec", {"cmd": "python load_model.py"}, "docker SDK: ExecResult, 128+9",
    ),
    Case(
        "h2/jupyter/aborted",
        lambda: {
            "header": {"msg_type": "execute_reply", "msg_id": "c1a0-4"},
            "parent_header": {"msg_type": "execute_request", "msg_id": "77f0-1"},
            "metadata": {},
            "content": {"status": "aborted"},
        },
        CANCELLED, (EXECUTION,), "run_cell", {"code": "df.describe()"}, "Jupyter messaging: execute_reply",
    ),
    Case(
        "h2/repl/zero-division", lambda: REPL_TRACEBACK,
        EXECUTION, (), "python_repl", {"code": "df = load()\nprint('rows:', len(df))\n..."}, "REPL output ends in a traceback",
    ),
    # Python
    Case(
        "h2/result/err", lambda: Err("page 3 could not be rendered: corrupt JPEG stream"),
        EXECUTION, (), "render_pdf", {"path": "scan.pdf"}, "result library: Err",
    ),
    Case(
        "h2/bytes/cut-json",
        lambda: (
            b'{"error": {"code": 500, "message": "An internal error has occurred. Please retry or report the problem.", '
            b'"status": "INTERNAL", "details": [{"@type": "type.googleapis.com/google.rpc.Debug'
        ),
        EXECUTION, (UNAVAILABLE,), "generate_image", {"prompt": "a red barn"}, "Google: google.rpc.Status as bytes, cut off",
    ),
]  # fmt: skip


HAND_WRITTEN_FAILURES: list[Case] = [
    # Arguments
    Case(
        "h2/yoga/time-format", lambda: "Start time must look like 18:30, got '7pm'. Class was not booked.",
        ARG, (), "book_class", {"class_name": "Vinyasa", "start": "7pm"}, "idiom: validation sentence",
    ),
    Case(
        "h2/clinic/bmi-range",
        lambda: {"bmi": None, "problems": ["height_cm must be between 50 and 250 (you sent 1.78)"]},
        ARG, (), "calculate_bmi", {"height_cm": 1.78, "weight_kg": 80}, "idiom: result None beside a list of problems",
    ),
    Case(
        "h2/money/tuple", lambda: (False, "Unsupported currency code: EURO. Use one of EUR, USD, GBP, NOK."),
        ARG, (), "convert_money", {"amount": 12, "source": "EURO", "target": "USD"}, "idiom: (ok, message)",
    ),
    Case(
        "h2/images/argparse",
        lambda: (
            "usage: resize.py [-h] --width WIDTH [--keep-ratio] infile\n"
            "resize.py: error: argument --width: invalid int value: 'wide'"
        ),
        ARG, (), "resize_image", {"infile": "a.png", "width": "wide"}, "argparse output of a wrapped script",
    ),
    # Authentication
    Case(
        "h2/school/login", lambda: "Login to the school portal failed: wrong user name or password.",
        AUTH, (), "get_timetable", {"pupil": "Jonas"}, "idiom: sentence",
    ),
    Case(
        "h2/calendar/reauthorize",
        lambda: {"events": None, "err": "Calendar token expired 2 hours ago, please sign in again."},
        AUTH, (), "list_events", {"day": "tomorrow"}, "idiom: Go-like err member",
    ),
    Case(
        "h2/maps/key", lambda: '{"success": false, "msg": "The API key you provided is not valid."}',
        AUTH, (), "geocode", {"address": "Karl Johans gate 1, Oslo"}, "idiom: JSON string",
    ),
    # Cancelled
    Case(
        "h2/upload/stop", lambda: "Upload cancelled by the user after 34 of 120 MB.",
        CANCELLED, (), "upload_file", {"path": "raw/day2.zip"}, "idiom: sentence",
    ),
    Case(
        "h2/cnc/emergency-stop",
        lambda: {"program": "bracket_v4.nc", "status": "cancelled", "reason": "operator pressed stop", "lines_executed": 112},
        CANCELLED, (EXECUTION,), "run_cnc_program", {"program": "bracket_v4.nc"}, "idiom: status word",
    ),
    # Conflict
    Case(
        "h2/airline/seat", lambda: "Sorry, seat 14C has already been taken. Your seat was not changed.",
        CONFLICT, (), "change_seat", {"booking": "X7Q2LM", "seat": "14C"}, "idiom: sentence",
    ),
    Case(
        "h2/notes/version",
        lambda: {"saved": False, "reason": "Note was changed by Marta in the meantime (it is at version 8, you sent version 7)."},
        CONFLICT, (), "save_note", {"note_id": 311, "version": 7, "text": "..."}, "idiom: saved flag and reason",
    ),
    Case(
        "h2/crm/duplicate", lambda: "❌ A customer with the e-mail liv@example.no already exists (id 4471). Nothing was created.",
        CONFLICT, (), "create_customer", {"name": "Liv", "email": "liv@example.no"}, "idiom: emoji and sentence",
    ),
    Case(
        "h2/shop/category-in-use",
        lambda: DeleteOutcome(ok=False, message="Cannot delete category 'Garden': 17 products are still assigned to it"),
        CONFLICT, (), "delete_category", {"name": "Garden"}, "idiom: dataclass",
    ),
    # Connection
    Case(
        "h2/printer/no-route", lambda: "Could not connect to printer at 192.168.1.44: No route to host",
        CONNECTION, (), "print_document", {"path": "menu.pdf", "printer": "kitchen"}, "idiom: sentence of an OSError",
    ),
    Case(
        "h2/ssh/refused",
        lambda: {"host": "build-7", "exit_status": 255, "out": "", "err": "ssh: connect to host build-7 port 22: Connection refused\r\n"},
        CONNECTION, (), "ssh_run", {"host": "build-7", "cmd": "uptime"}, "ssh: exit status 255 in a dict",
    ),
    Case(
        "h2/brewery/enotfound", lambda: {"error": "getaddrinfo ENOTFOUND api.breweries.example"},
        CONNECTION, (), "find_breweries", {"city": "Bergen"}, "Node: message of a fetch failure",
    ),
    # Execution
    Case(
        "h2/pdf/went-wrong", lambda: "Something went wrong while creating the PDF. Please try again.",
        EXECUTION, (), "export_pdf", {"report_id": 12}, "idiom: sentence",
    ),
    Case(
        "h2/audio/ffmpeg",
        lambda: {
            "returncode": 1, "stdout": "",
            "stderr": "[mp3 @ 0x55d0c8] Failed to find two consecutive MPEG audio frames.\ntalk.mp3: Invalid data found when processing input\n",
        },
        EXECUTION, (ARG,), "convert_audio", {"path": "talk.mp3", "to": "wav"}, "ffmpeg's output in a dict",
    ),
    Case(
        "h2/receipt/index-error", lambda: json.dumps({"ok": False, "detail": "list index out of range"}),
        EXECUTION, (), "parse_receipt", {"image": "kiwi.jpg"}, "idiom: str(exception) in a dict",
    ),
    Case(
        "h2/training/nan", lambda: TrainingRun(success=False, error="loss became NaN at step 40, training stopped"),
        EXECUTION, (), "train_model", {"config": "small.yaml"}, "idiom: attrs class",
    ),
    # Missing
    Case(
        "h2/recipes/none", lambda: "There's no recipe called 'Kaiserschmarn' in the cookbook.",
        MISSING, (), "get_recipe", {"name": "Kaiserschmarn"}, "idiom: sentence",
    ),
    Case(
        "h2/clinic/chart", lambda: {"patient": None, "message": "No patient with chart number 88120."},
        MISSING, (), "get_patient", {"chart_number": 88120}, "idiom: None and a message",
    ),
    Case(
        "h2/reports/cat", lambda: "cat: /srv/reports/2024-Q5.csv: No such file or directory",
        MISSING, (), "read_report", {"path": "/srv/reports/2024-Q5.csv"}, "coreutils output of a wrapped command",
    ),
    Case(
        "h2/music/tuple", lambda: (None, "playlist 'Gym 2023' does not exist"),
        MISSING, (), "get_playlist", {"name": "Gym 2023"}, "idiom: (value, error)",
    ),
    Case(
        "h2/parcels/code", lambda: '{"code": 4004, "message": "shipment not found", "data": null}',
        MISSING, (), "track_shipment", {"number": "NO-55120"}, "idiom: code, message, data",
    ),
    # No such tool
    Case(
        "h2/dispatch/did-you-mean", lambda: "There is no tool named 'sendEmail'. Did you mean 'send_email'?",
        NO_TOOL, (), "sendEmail", {"to": "ola@example.no"}, "idiom: own dispatcher",
    ),
    Case(
        "h2/dispatch/unknown-function",
        lambda: {"error": "unknown function: get_stok_price", "available_functions": ["get_stock_price", "get_news"]},
        NO_TOOL, (), "get_stok_price", {"ticker": "NHY"}, "idiom: own dispatcher",
    ),
    # Permission
    Case(
        "h2/hr/salaries", lambda: "You are not allowed to see the salaries of other departments.",
        PERMISSION, (), "get_salary", {"employee": "E-204"}, "idiom: sentence",
    ),
    Case(
        "h2/refund/approval",
        lambda: {"refunded": False, "message": "Agents may not refund more than 500 EUR. Ask a manager to do this."},
        PERMISSION, (ARG,), "issue_refund", {"order": "A-1190", "amount": 740}, "idiom: flag and message",
    ),
    Case(
        "h2/kubectl/forbidden",
        lambda: (
            'Error from server (Forbidden): pods is forbidden: User "dev" cannot list resource "pods" in API group "" '
            'in the namespace "prod"'
        ),
        PERMISSION, (), "kubectl", {"args": "get pods -n prod"}, "kubectl's stderr",
    ),
    Case(
        "h2/setup/mkdir",
        lambda: StepResult(
            step="mkdir", is_success=False, error="mkdir: cannot create directory '/opt/grafana': Permission denied"
        ),
        PERMISSION, (), "run_step", {"step": "mkdir"}, "idiom: pydantic class",
    ),
    # Quota
    Case(
        "h2/render/credits", lambda: "Not enough credits: this render costs 40 credits and you have 12 left.",
        QUOTA, (), "render_video", {"scene": "intro"}, "idiom: sentence",
    ),
    Case(
        "h2/backup/no-space", lambda: {"done": False, "why": "No space left on device: /var/backups/db-0412.dump"},
        QUOTA, (), "backup_database", {"name": "shop"}, "idiom: str(OSError) in a dict",
    ),
    # Rate limit
    Case(
        "h2/forum/slow-down", lambda: "Slow down! You can only post once every 30 seconds, please wait another 11 seconds.",
        RATE, (), "post_reply", {"topic": 90, "text": "Agreed."}, "idiom: sentence",
    ),
    Case(
        "h2/whois/too-many",
        lambda: {"error": True, "message": "Too many lookups from this key. Try again in 5 minutes.", "results": []},
        RATE, (), "whois", {"domain": "example.no"}, "idiom: error flag and message",
    ),
    # Time-out
    Case(
        "h2/thermostat/no-answer", lambda: "No answer from the thermostat after 15 seconds, giving up.",
        TIMEOUT, (CONNECTION, UNAVAILABLE), "set_temperature", {"room": "hall", "celsius": 20}, "idiom: sentence",
    ),
    Case(
        "h2/sandbox/timed-out",
        lambda: {"stdout": "collecting primes...\n", "stderr": "", "exit_code": None, "timed_out": True, "elapsed_s": 60.0},
        TIMEOUT, (), "run_code", {"language": "python", "code": "primes(10**12)"}, "idiom: sandbox result",
    ),
    Case(
        "h2/sql/statement-timeout", lambda: {"rows": None, "error": "canceling statement due to statement timeout"},
        TIMEOUT, (), "run_sql", {"sql": "SELECT count(*) FROM events e JOIN events f USING (day)"}, "PostgreSQL's message in a dict",
    ),
    # Unavailable
    Case(
        "h2/library/maintenance", lambda: "The catalogue is down for maintenance until 06:00. Please try again later.",
        UNAVAILABLE, (), "search_catalogue", {"title": "Sult"}, "idiom: sentence",
    ),
    Case(
        "h2/terminal/offline",
        lambda: {"charged": False, "error": "Payment service is temporarily unavailable", "retry_in_minutes": 20},
        UNAVAILABLE, (), "charge_card", {"amount": 249, "terminal": "T2"}, "idiom: flag and error",
    ),
]  # fmt: skip


PYTEST_REPORT = """\
============================= test session starts ==============================
platform linux -- Python 3.12.3, pytest-8.2.0, pluggy-1.5.0
rootdir: /repo
collected 18 items

tests/test_tides.py ............F.....                                   [100%]

=================================== FAILURES ===================================
_________________________________ test_spring __________________________________

    def test_spring():
>       assert range_of("2024-04-09") == 4.1
E       AssertionError: assert 3.9 == 4.1

tests/test_tides.py:61: AssertionError
=========================== short test summary info ============================
FAILED tests/test_tides.py::test_spring - AssertionError: assert 3.9 == 4.1
========================= 1 failed, 17 passed in 0.84s =========================
"""

DIFF_OUTPUT = """\
3c3
< retries = 3
---
> retries = 5
9a10
> on_error = "retry"
"""

TERRAFORM_PLAN = """\
Terraform used the selected providers to generate the following execution plan.

  # aws_cloudwatch_metric_alarm.errors will be updated in-place
  ~ resource "aws_cloudwatch_metric_alarm" "errors" {
      ~ threshold = 5 -> 10
    }

Plan: 0 to add, 1 to change, 0 to destroy.
"""

STORED_504 = (
    '<!DOCTYPE html>\n<html lang="en">\n<head><title>504 Gateway Time-out</title></head>\n<body>\n'
    "<h1>504 Gateway Time-out</h1>\n<p>Our hamsters are tired. Please try again in a minute.</p>\n</body>\n</html>\n"
)

AGENT_SOURCE = """\
def execute(self, name, arguments):
    if name not in self.tools:
        return f"Error: {name} is not a valid tool, try one of [{', '.join(self.tools)}]."
    try:
        return self.tools[name](**arguments)
    except Exception as e:
        return f"Error when executing tool {name} with arguments {arguments}: {type(e).__name__}: {e}"
"""

OPENAPI = {
    "openapi": "3.1.0",
    "info": {"title": "Tides", "version": "2.0"},
    "paths": {
        "/tides/{port}": {
            "get": {
                "responses": {
                    "200": {"description": "The tides of the port"},
                    "404": {"description": "Port not found", "content": {"application/problem+json": {"schema": {}}}},
                    "429": {"description": "Too many requests"},
                }
            }
        }
    },
}


DOCUMENTED_RESULTS: list[Case] = [
    # MCP, JSON-RPC and frameworks
    Case(
        "h2/ok/mcp-log-search",
        lambda: {
            "content": [
                {"type": "text", "text": "2 matches\n10:02:11 ERROR worker-3 ConnectionError: broker gone\n10:02:14 ERROR worker-1 timeout"}
            ],
            "isError": False,
        },
        None, (), "search_logs", {"query": "ERROR", "since": "10:00"}, "MCP: ordinary result",
    ),
    Case(
        "h2/ok/mcp-object",
        lambda: CallToolResult(
            content=[TextContent(text='{"checked": 41, "errors": []}')], structuredContent={"checked": 41, "errors": []}
        ),
        None, (), "check_links", {"site": "docs"}, "MCP Python SDK: structured result",
    ),
    Case(
        "h2/ok/json-rpc-1",
        lambda: {"result": {"height": 840000, "status": "confirmed"}, "error": None, "id": "q1"},
        None, (), "get_block", {"height": 840000}, "JSON-RPC 1.0: error null",
    ),
    Case(
        "h2/ok/langchain-docs",
        lambda: ToolMessage(
            content=(
                "ToolNode: if the model calls a tool that is not registered, the node answers with a message such as "
                "'Error: foo is not a valid tool, try one of [bar].' and lets the model try again."
            ),
            name="search_docs", tool_call_id="call_7Kd0",
        ),
        None, (), "search_docs", {"query": "ToolNode unknown tool"}, "LangChain: ToolMessage with status success",
    ),
    Case(
        "h2/ok/shell-grep",
        lambda: {
            "type": "shell_call_output",
            "call_id": "call_0aPq",
            "output": [{"stdout": "", "stderr": "", "outcome": {"type": "exit", "exit_code": 1}}],
        },
        None, (), "shell", {"commands": ["grep -rn 'FIXME' src/"]}, "OpenAI Responses: grep without a match",
    ),
    Case(
        "h2/ok/apply-patch",
        lambda: {
            "type": "apply_patch_call_output", "call_id": "call_b1Lz", "status": "completed",
            "output": "Updated src/errors.py: NotFoundError now derives from LookupError",
        },
        None, (), "apply_patch", {"operation": {"type": "update_file", "path": "src/errors.py"}}, "OpenAI Responses: apply_patch tool",
    ),
    Case(
        "h2/ok/mcp-call",
        lambda: {
            "id": "mcp_68a1", "type": "mcp_call", "approval_request_id": None, "arguments": '{"issue":812}', "error": None,
            "name": "get_issue", "output": '{"number":812,"title":"Upload fails with 413 Request Entity Too Large","state":"open"}',
            "server_label": "tracker",
        },
        None, (), "get_issue", {"issue": 812}, "OpenAI Responses: mcp_call item with output",
    ),
    Case(
        "h2/ok/anthropic-mail",
        lambda: {
            "type": "tool_result",
            "tool_use_id": "toolu_01Xy",
            "content": "From: kari@example.no\nSubject: Still broken!\n\nYour shop says 'payment failed' for the third time. Please fix it.",
            "is_error": False,
        },
        None, (), "read_email", {"id": "m-77"}, "Anthropic Messages: tool_result",
    ),
    Case(
        "h2/ok/gemini-metrics",
        lambda: {"functionResponse": {"name": "service_stats", "response": {"output": {"requests": 90210, "error_ratio": 0.004}}}},
        None, (), "service_stats", {"service": "search"}, "Gemini: FunctionResponse with the key output",
    ),
    Case(
        "h2/ok/agent-source", lambda: AGENT_SOURCE,
        None, (), "read_file", {"path": "agent/runner.py"}, "source that holds the frameworks' error texts",
    ),
    # Clouds
    Case(
        "h2/ok/describe-execution",
        lambda: {
            "executionArn": "arn:aws:states:us-east-1:123456789012:execution:Orders:aa12",
            "stateMachineArn": "arn:aws:states:us-east-1:123456789012:stateMachine:Orders",
            "name": "aa12", "status": "FAILED", "startDate": 1700000000.0, "stopDate": 1700000042.5,
            "error": "States.TaskFailed", "cause": "Card was declined",
        },
        None, (), "describe_execution", {"name": "aa12"}, "Step Functions: DescribeExecution, a record that was asked for",
    ),
    Case(
        "h2/ok/sqs-batch",
        lambda: {
            "Successful": [{"Id": "1", "MessageId": "b8f1c6e2", "MD5OfMessageBody": "0cc175b9c0f1b6a831c399e269772661"}],
            "Failed": [],
        },
        None, (), "send_message_batch", {"queue": "mail", "entries": 1}, "Amazon SQS: nothing failed",
    ),
    Case(
        "h2/ok/kinesis",
        lambda: {
            "FailedRecordCount": 0,
            "Records": [{"SequenceNumber": "49543463076548007577105092703039560359975228518395012686", "ShardId": "shardId-000000000000"}],
        },
        None, (), "put_records", {"stream": "clicks", "records": 1}, "Amazon Kinesis: PutRecords",
    ),
    Case(
        "h2/ok/dynamodb-batch",
        lambda: {"UnprocessedItems": {}, "ConsumedCapacity": [{"TableName": "Songs", "CapacityUnits": 3.0}]},
        None, (), "batch_write", {"table": "Songs"}, "DynamoDB: BatchWriteItem",
    ),
    Case(
        "h2/ok/lambda-proxy",
        lambda: {
            "statusCode": 200, "headers": {"Content-Type": "application/json"},
            "body": '{"imported": 12, "errors": [], "error": null}',
        },
        None, (), "import_contacts", {"file": "team.vcf"}, "AWS Lambda: proxy response",
    ),
    Case(
        "h2/ok/google-operation",
        lambda: {
            "name": "operations/ap.20-1", "done": True,
            "metadata": {"@type": "type.googleapis.com/example.ImportMetadata", "failureCount": "0", "successCount": "310"},
            "response": {"@type": "type.googleapis.com/google.protobuf.Empty"},
        },
        None, (), "import_documents", {"uri": "gs://acme/faq/*.html"}, "Google: long-running operation with response",
    ),
    Case(
        "h2/ok/google-operations-list",
        lambda: {
            "operations": [
                {"name": "operations/81", "done": True, "response": {}},
                {"name": "operations/80", "done": True, "error": {"code": 7, "message": "Permission denied on bucket acme-raw"}},
            ]
        },
        None, (), "list_operations", {"filter": "done=true"}, "Google: operations.list, records that were asked for",
    ),
    Case(
        "h2/ok/log-analytics",
        lambda: {
            "tables": [
                {
                    "name": "PrimaryResult",
                    "columns": [{"name": "TimeGenerated", "type": "datetime"}, {"name": "ErrorMessage", "type": "string"}],
                    "rows": [["2025-02-01T10:00:00Z", "The operation has timed out."], ["2025-02-01T10:04:00Z", "Access denied"]],
                }
            ]
        },
        None, (), "query_logs", {"kql": "AppExceptions | project TimeGenerated, ErrorMessage"}, "Azure Log Analytics: query result",
    ),
    Case(
        "h2/ok/graph-service-health",
        lambda: {
            "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#admin/serviceAnnouncement/issues",
            "value": [{"id": "EX226792", "title": "Users can't access mail", "status": "serviceDegradation", "isResolved": False}],
        },
        None, (), "list_service_issues", {}, "Microsoft Graph: serviceHealthIssue",
    ),
    # APIs
    Case(
        "h2/ok/problem-types",
        lambda: [
            {"type": "https://api.postage.example/problems/insufficient-balance", "title": "Insufficient balance", "status": 402},
            {"type": "https://api.postage.example/problems/unknown-zip", "title": "Unknown postal code", "status": 404},
        ],
        None, (), "list_problem_types", {}, "RFC 9457: a registry of types",
    ),
    Case(
        "h2/ok/jsend", lambda: '{"status": "success", "data": {"posts": [{"id": 2, "title": "My site returns an error"}]}}',
        None, (), "list_posts", {"blog": 1}, "JSend success",
    ),
    Case(
        "h2/ok/jsonapi-codes",
        lambda: {
            "data": [
                {"type": "error-codes", "id": "E17", "attributes": {"status": "404", "title": "Not Found", "detail": "No such pump"}},
                {"type": "error-codes", "id": "E18", "attributes": {"status": "503", "title": "Service Unavailable", "detail": "Pump off"}},
            ]
        },
        None, (), "list_error_codes", {"device": "pump"}, "JSON:API: primary data about errors",
    ),
    Case(
        "h2/ok/graphql-issue",
        lambda: {"data": {"issue": {"title": "TimeoutError when uploading large files", "state": "CLOSED", "labels": ["bug", "error"]}}},
        None, (), "get_issue", {"number": 91}, "GraphQL: data without errors",
    ),
    Case(
        "h2/ok/shopify-user-errors",
        lambda: {"data": {"productUpdate": {"product": {"id": "gid://shopify/Product/108828309", "title": "Mitten"}, "userErrors": []}}},
        None, (), "update_product", {"id": "108828309", "title": "Mitten"}, "Shopify: empty userErrors",
    ),
    Case(
        "h2/ok/slack-history",
        lambda: {
            "ok": True,
            "messages": [{"type": "message", "user": "U012AB3CDE", "text": "ERROR: checkout is down, connection refused", "ts": "1512085950.0002"}],
            "has_more": False,
        },
        None, (), "read_channel", {"channel": "#ops"}, "Slack: conversations.history",
    ),
    Case(
        "h2/ok/telegram-updates",
        lambda: {
            "ok": True,
            "result": [{"update_id": 91, "message": {"message_id": 4, "text": "It says: 400 Bad Request, chat not found. Help?"}}],
        },
        None, (), "get_updates", {"offset": 90}, "Telegram: getUpdates",
    ),
    Case(
        "h2/ok/stripe-intent",
        lambda: {
            "id": "pi_3MtwBwLkdIwHu7ix28a3tqPa", "object": "payment_intent", "amount": 2000, "currency": "usd",
            "status": "requires_payment_method",
            "last_payment_error": {"code": "card_declined", "decline_code": "generic_decline", "message": "Your card was declined."},
        },
        None, (), "get_payment_intent", {"id": "pi_3MtwBwLkdIwHu7ix28a3tqPa"}, "Stripe: a record that was asked for",
    ),
    Case(
        "h2/ok/elastic-hits",
        lambda: {
            "took": 6, "timed_out": False, "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
            "hits": {
                "total": {"value": 1, "relation": "eq"},
                "hits": [{"_index": "logs", "_id": "a1", "_source": {"level": "ERROR", "message": "index_not_found_exception", "status": 404}}],
            },
        },
        None, (), "search_index", {"index": "logs", "q": "level:ERROR"}, "Elasticsearch: search response",
    ),
    Case(
        "h2/ok/elastic-bulk",
        lambda: {"took": 30, "errors": False, "items": [{"index": {"_index": "books", "_id": "1", "result": "created", "status": 201}}]},
        None, (), "bulk_index", {"index": "books"}, "Elasticsearch: bulk without errors",
    ),
    Case(
        "h2/ok/salesforce-query",
        lambda: {
            "totalSize": 1, "done": True,
            "records": [
                {"attributes": {"type": "Sync_Log__c"}, "Name": "SL-0012", "Error_Code__c": "INVALID_FIELD", "Message__c": "No such column"}
            ],
        },
        None, (), "soql", {"query": "SELECT Name, Error_Code__c, Message__c FROM Sync_Log__c"}, "Salesforce: query result",
    ),
    # HTTP
    Case(
        "h2/ok/response-200",
        lambda: Response(200, '{"window": "1h", "error_rate": 0.021, "errors": 44}', "OK", "https://metrics.example/api/errors"),
        None, (), "http_get", {"url": "https://metrics.example/api/errors"}, "requests: Response 200",
    ),
    Case(
        "h2/ok/stored-http-log",
        lambda: {
            "id": "req_51", "at": "2025-03-02T09:00:00Z", "request": {"method": "POST", "url": "/hooks/paid"},
            "response": {"status": 503, "body": "Service Unavailable"}, "duration_ms": 30012,
        },
        None, (), "get_webhook_delivery", {"id": "req_51"}, "a stored HTTP log",
    ),
    Case(
        "h2/ok/stored-504", lambda: STORED_504,
        None, (), "read_file", {"path": "public/errors/504.html"}, "a stored error page",
    ),
    # Programs
    Case(
        "h2/ok/diff", lambda: subprocess.CompletedProcess(["diff", "a.toml", "b.toml"], 1, DIFF_OUTPUT, ""),
        None, (), "run_shell", {"command": "diff a.toml b.toml"}, "diff: exit code 1, the files differ",
    ),
    Case(
        "h2/ok/stderr-warning",
        lambda: subprocess.CompletedProcess(
            ["pip", "install", "attrs"], 0, "Requirement already satisfied: attrs in ./venv/lib/python3.11/site-packages (23.2.0)\n",
            "WARNING: There was an error checking the latest version of pip.\n",
        ),
        None, (), "run_shell", {"command": "pip install attrs"}, "pip: exit code 0 with a warning",
    ),
    Case(
        "h2/ok/pytest-tuple", lambda: (PYTEST_REPORT, "", 1),
        None, (), "run_tests", {"path": "tests"}, "pytest: exit code 1 with its report",
    ),
    Case(
        "h2/ok/terraform-plan", lambda: {"exit_code": 2, "stdout": TERRAFORM_PLAN, "stderr": ""},
        None, (), "run_command", {"command": "terraform plan -detailed-exitcode -no-color"}, "terraform: exit code 2, there are changes",
    ),
    Case(
        "h2/ok/jupyter-reply",
        lambda: {"status": "ok", "execution_count": 4, "payload": [], "user_expressions": {}, "stdout": "ValueError('bad row 7') was caught\n"},
        None, (), "run_cell", {"code": "try:\n    check(rows)\nexcept ValueError as e:\n    print(repr(e), 'was caught')"},
        "Jupyter messaging: execute_reply",
    ),
    # Python
    Case(
        "h2/ok/repl-exception-names", lambda: "['ArithmeticError', 'AssertionError', 'AttributeError', 'BaseException', 'BlockingIOError']\n",
        None, (), "python_repl", {"code": "print([n for n in dir(__builtins__) if n[0].isupper()][:5])"}, "class names",
    ),
    Case(
        "h2/ok/result-ok", lambda: Ok("Fejl: forbindelsen blev afbrudt"),
        None, (), "translate", {"text": "Error: the connection was lost", "to": "da"}, "result library: Ok",
    ),
]  # fmt: skip


FLAKY_LOG = """\
2025-04-03 02:00:00 INFO  backup started
2025-04-03 02:00:07 ERROR rsync: connection unexpectedly closed (0 bytes received so far)
2025-04-03 02:00:07 WARN  retry 1 of 3
2025-04-03 02:04:51 INFO  backup finished, 12.4 GB
"""

SHELL_ARTICLE = """\
# When the port is taken

You start the server and see this:

    $ python -m http.server 8000
    OSError: [Errno 98] Address already in use

Find the process with `lsof -i :8000`, stop it, and start the server again.
"""

CRASH_REPORT = """\
App: Fieldnotes 3.2 (build 811)
Device: Pixel 7
Thread main
Traceback (most recent call last):
  File "notes/sync.py", line 204, in push
    body = response["items"]
KeyError: 'items'
"""

DOCSTRING_SOURCE = '''\
def parse_amount(text):
    """Read an amount.

    >>> parse_amount("ten")
    Traceback (most recent call last):
        ...
    ValueError: not an amount: 'ten'
    """
    if not AMOUNT.fullmatch(text):
        raise ValueError(f"not an amount: {text!r}")
    return Decimal(text)
'''


HAND_WRITTEN_RESULTS: list[Case] = [
    # Text that was asked for
    Case(
        "h2/ok/translation", lambda: "Access denied: wrong password",
        None, (), "translate", {"text": "Acceso denegado: contraseña incorrecta", "target": "en"}, "a translation",
    ),
    Case(
        "h2/ok/complaint",
        lambda: "Hi,\nI get 'Error 403 - you do not have permission' whenever I open my own invoices. Please help.\nPer",
        None, (), "get_email_body", {"message_id": "19aa"}, "an e-mail that complains",
    ),
    Case(
        "h2/ok/explain",
        lambda: "ENOENT means that a file or directory was not found. Check the path and the working directory.",
        None, (), "explain_error", {"code": "ENOENT"}, "an explanation",
    ),
    Case(
        "h2/ok/article", lambda: SHELL_ARTICLE,
        None, (), "fetch_page", {"url": "https://blog.example/port-taken"}, "a quoted shell session",
    ),
    Case(
        "h2/ok/transcript", lambda: "Sorry, I couldn't find that order, could you spell the number for me again?",
        None, (), "transcribe_audio", {"path": "call-0412.wav"}, "a transcript",
    ),
    Case(
        "h2/ok/ocr", lambda: "Windows Update\n\nError 0x80070005\nAccess is denied.\n\n[ Retry ]  [ Close ]",
        None, (), "ocr_image", {"path": "screenshot.png"}, "text in a picture",
    ),
    Case(
        "h2/ok/summary", lambda: "The customer cannot log in since Monday; the app reports an expired token. She wants a call back.",
        None, (), "summarize_ticket", {"ticket": 5512}, "a summary",
    ),
    Case(
        "h2/ok/poem", lambda: "Error 404: Love Not Found\n\nI searched each index of your heart\nand every request timed out.",
        None, (), "write_poem", {"theme": "love in the age of HTTP"}, "a poem",
    ),
    Case(
        "h2/ok/commit-log",
        lambda: "3f1a9c2 fix: retry when the broker says 'connection refused'\n77b0d1e feat: raise NotFoundError for unknown ports\n",
        None, (), "git_log", {"n": 2}, "commit messages",
    ),
    Case(
        "h2/ok/log-tail", lambda: FLAKY_LOG,
        None, (), "tail_log", {"file": "backup.log", "lines": 4}, "a log",
    ),
    Case(
        "h2/ok/crash-report", lambda: CRASH_REPORT,
        None, (), "get_crash_report", {"id": "c-88"}, "a record that was asked for",
    ),
    Case(
        "h2/ok/docstring", lambda: DOCSTRING_SOURCE,
        None, (), "get_source", {"function": "parse_amount"}, "a traceback in a docstring",
    ),
    Case(
        "h2/ok/grep-hits",
        lambda: 'api/users.py:31:        raise KeyError(f"user {id} not found")\napi/auth.py:9:    return {"error": "unauthorized"}, 401',
        None, (), "search_code", {"pattern": "not found|unauthorized"}, "hits in source",
    ),
    Case(
        "h2/ok/csv", lambda: "run,started,error\n118,02:00,\n119,02:00,disk full\n120,02:00,\n",
        None, (), "export_runs", {"format": "csv"}, "a table with an error column",
    ),
    Case(
        "h2/ok/encyclopedia",
        lambda: "In sport, a time-out is a stoppage of play. In basketball a team that has no time-outs left may not request another.",
        None, (), "lookup_article", {"title": "Time-out (sport)"}, "an article",
    ),
    Case(
        "h2/ok/no-alerts", lambda: "No active alerts. Last error was 12 days ago.",
        None, (), "list_alerts", {"severity": "critical"}, "an empty list in words",
    ),
    Case(
        "h2/ok/user-answer", lambda: "Cancel the 9 o'clock one, I don't have permission to move it.",
        None, (), "ask_user", {"question": "Which meeting should I drop?"}, "an answer of the user",
    ),
    # Verdicts
    Case(
        "h2/ok/pick-lock", lambda: {"success": False, "roll": 4, "modifier": 3, "difficulty": 15},
        None, (), "roll_check", {"skill": "sleight of hand", "difficulty": 15}, "a game's verdict",
    ),
    Case(
        "h2/ok/chess-move", lambda: {"legal": False, "reason": "the king would be in check"},
        None, (), "validate_move", {"fen": "4k3/8/8/8/8/8/r7/4K3 w - - 0 1", "move": "Ke2"}, "a validator's verdict",
    ),
    Case(
        "h2/ok/iban", lambda: {"valid": False, "error": "checksum does not match", "country": "NO"},
        None, (), "validate_iban", {"iban": "NO9386011117948"}, "a validator's verdict",
    ),
    Case(
        "h2/ok/lint-yaml",
        lambda: {"ok": False, "findings": [{"line": 4, "level": "error", "message": "mapping values are not allowed here"}]},
        None, (), "lint_yaml", {"path": "ci.yml"}, "a linter's verdict",
    ),
    Case(
        "h2/ok/test-run", lambda: {"ok": False, "passed": 31, "failed": 2, "failures": ["test_login_timeout", "test_404_page"]},
        None, (), "run_tests", {"suite": "web"}, "a test run's verdict",
    ),
    Case(
        "h2/ok/quiz", lambda: {"correct": False, "message": "Wrong! The capital of Australia is Canberra."},
        None, (), "check_answer", {"question": 7, "answer": "Sydney"}, "a quiz's verdict",
    ),
    Case(
        "h2/ok/loan", lambda: {"approved": False, "score": 512, "reasons": ["income too low", "insufficient credit history"]},
        None, (), "assess_loan", {"applicant": "A-300", "amount": 90000}, "an assessment",
    ),
    Case(
        "h2/ok/site-check", lambda: {"url": "https://old.example.org", "up": False, "status_code": 503, "error": "Service Unavailable"},
        None, (), "check_website", {"url": "https://old.example.org"}, "a health check of another service",
    ),
    Case(
        "h2/ok/label", lambda: [{"label": "error_report", "score": 0.97}, {"label": "question", "score": 0.03}],
        None, (), "classify_text", {"text": "The app crashes with error 500"}, "a classifier's labels",
    ),
    Case(
        "h2/ok/exists", lambda: False,
        None, (), "file_exists", {"path": "/tmp/lock"}, "an answer",
    ),
    Case(
        "h2/ok/compare", lambda: {"identical": False, "differences": ["line 2: 'retry' != 'fail'"], "error": ""},
        None, (), "compare_files", {"a": "old.txt", "b": "new.txt"}, "a comparison",
    ),
    # Records and numbers
    Case(
        "h2/ok/ci-job",
        lambda: {"id": 90312, "name": "build-arm64", "status": "failed", "exit_code": 137, "failure_reason": "out of memory"},
        None, (), "get_ci_job", {"id": 90312}, "a record that was asked for",
    ),
    Case(
        "h2/ok/incident",
        lambda: {"incident": "INC-204", "title": "API unavailable", "state": "resolved", "cause": "TLS certificate expired"},
        None, (), "get_incident", {"id": "INC-204"}, "a record that was asked for",
    ),
    Case(
        "h2/ok/order", lambda: json.dumps({"order_id": "O-551", "status": "cancelled", "cancel_reason": "payment timed out", "total": 40}),
        None, (), "get_order", {"order_id": "O-551"}, "a record that was asked for",
    ),
    Case(
        "h2/ok/payment", lambda: {"payment": "p_19", "state": "failed", "failure_code": "expired_card", "amount": 129.0},
        None, (), "get_payment", {"payment": "p_19"}, "a record that was asked for",
    ),
    Case(
        "h2/ok/printer-codes", lambda: {"E01": "Paper jam", "E02": "Connection lost", "E03": "Out of memory"},
        None, (), "list_error_codes", {"model": "LX-300"}, "a list of error codes",
    ),
    Case(
        "h2/ok/metrics", lambda: {"window": "5m", "error_rate": 0.031, "timeouts": 12, "http_5xx": 44, "failed_logins": 3},
        None, (), "get_metrics", {"service": "gateway"}, "metrics",
    ),
    Case(
        "h2/ok/sensor", lambda: Reading(sensor="tank-2", value=4.18, unit="m", error=0.02),
        None, (), "read_sensor", {"sensor": "tank-2"}, "a measuring error",
    ),
    Case(
        "h2/ok/import", lambda: {"imported": 120, "skipped": 2, "errors": [], "error_count": 0, "warnings": ["2 duplicates not found in CRM"]},
        None, (), "import_rows", {"file": "leads.csv"}, "a summary without errors",
    ),
    Case(
        "h2/ok/fixtures", lambda: [{"status": 404, "error": "not found"}, {"status": 500, "error": "internal server error"}],
        None, (), "generate_test_data", {"kind": "API error bodies", "count": 2}, "made-up data",
    ),
    Case(
        "h2/ok/openapi", lambda: OPENAPI,
        None, (), "get_api_spec", {"service": "tides"}, "an OpenAPI document",
    ),
    Case(
        "h2/ok/tuple", lambda: (True, "Deleted 3 failed jobs and cleared their errors"),
        None, (), "purge_failed_jobs", {"queue": "mail"}, "idiom: (ok, message)",
    ),
    Case(
        "h2/ok/command-object",
        lambda: CommandOutput(success=True, output="Error handling: 14 call sites rewritten to use ServiceError"),
        None, (), "refactor", {"rule": "unify-errors"}, "idiom: success object whose text speaks of errors",
    ),
]  # fmt: skip


CASES: list[Case] = [*DOCUMENTED_FAILURES, *HAND_WRITTEN_FAILURES, *DOCUMENTED_RESULTS, *HAND_WRITTEN_RESULTS]
