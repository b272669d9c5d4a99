"""Labelled tool return values: does this value report a failure of this very call, and of which class?

Each case builds one value, with the name and the arguments of the tool that returned it. `kind` is the class of the
failure, None a result that must be left alone. `also` holds further classes that a reasonable person could pick.
"""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import email.message
import http
import http.client
import io
import json
import logging
import sqlite3
import subprocess
import sys
import unittest
import urllib.error
import urllib.response
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

NOTOOL = "ToolNotFoundError"
ARG = "ToolArgumentError"
NF = "ResourceNotFoundError"
CONFLICT = "ResourceConflictError"
TIMEOUT = "ToolTimeoutError"
RATE = "ToolRateLimitError"
UNAV = "ToolUnavailableError"
CONN = "ToolConnectionError"
AUTH = "ToolAuthenticationError"
PERM = "ToolPermissionError"
QUOTA = "ToolQuotaError"
CANCEL = "ToolCancelledError"
EXEC = "ToolExecutionError"


@dataclass(frozen=True)
class Case:
    """One value, the call that returned it, and the verdict."""

    id: str
    make: Callable[[], Any]
    kind: str | None
    also: tuple[str, ...] = ()
    tool: str = "some_tool"
    arguments: dict[str, Any] = field(default_factory=dict)
    source: str = ""


# ---------------------------------------------------------------------------------------------- builders of objects
def _headers(**pairs: str) -> email.message.Message:
    message = http.client.HTTPMessage()
    for name, value in pairs.items():
        message[name.replace("_", "-")] = value
    return message


def _addinfourl(code: int, reason: str, body: bytes, url: str, **headers: str) -> Any:
    response = urllib.response.addinfourl(io.BytesIO(body), _headers(**headers), url, code)
    response.msg = reason  # type: ignore[attr-defined]  # as urllib does it
    return response


def _http_response(raw: bytes) -> http.client.HTTPResponse:
    class Socket:
        def makefile(self, *args: Any, **kwargs: Any) -> io.BytesIO:
            return io.BytesIO(raw)

    response = http.client.HTTPResponse(Socket())  # type: ignore[arg-type]
    response.begin()
    return response


def _pydantic_error() -> Exception:
    import pydantic

    class Sample(pydantic.BaseModel):
        barcode: str
        volume_ul: float

    try:
        Sample.model_validate({"barcode": "S-2231", "volume_ul": "a lot"})
    except pydantic.ValidationError as error:
        return error
    raise AssertionError


def _pydantic_failure() -> Any:
    import pydantic

    class RateQuote(pydantic.BaseModel):
        success: bool
        rate: float | None = None
        error_message: str | None = None

    return RateQuote(success=False, error_message="401: API key is missing or no longer valid")


def _pydantic_roll() -> Any:
    import pydantic

    class Roll(pydantic.BaseModel):
        success: bool
        skill: str
        rolled: int
        needed: int

    return Roll(success=False, skill="lockpicking", rolled=6, needed=14)


def _attrs_failure() -> Any:
    import attrs

    @attrs.define
    class Outcome:
        is_success: bool
        value: object = None
        error: Exception | None = None

    return Outcome(is_success=False, error=ConnectionResetError(104, "Connection reset by peer"))


def _attrs_success() -> Any:
    import attrs

    @attrs.define
    class ImportReport:
        imported: int
        skipped: int
        errors: list[str] = attrs.field(factory=list)

    return ImportReport(imported=48, skipped=0)


def _msgspec_failure() -> Any:
    import msgspec

    class Reply(msgspec.Struct):
        ok: bool
        data: dict[str, Any] | None = None
        error: str | None = None

    return Reply(ok=False, error="no vessel with IMO 9074729 in the register")


def _click_usage_error() -> Any:
    import click
    from click.testing import CliRunner

    @click.command()
    @click.option("--berth", type=int, required=True)
    def assign(berth: int) -> None:
        click.echo(f"assigned {berth}")

    return CliRunner().invoke(assign, ["--berth", "north"])


def _click_ok() -> Any:
    import click
    from click.testing import CliRunner

    @click.command()
    def errors() -> None:
        click.echo("E07  sensor saturated\nE12  battery error\n2 errors known to this firmware")

    return CliRunner().invoke(errors, [])


@dataclasses.dataclass
class _Lookup:
    success: bool
    data: dict[str, Any] | None = None
    error: str | None = None


@dataclasses.dataclass
class _Delivery:
    success: bool
    message_id: str | None = None
    error: str | None = None
    retries: int = 0


ExecResult = collections.namedtuple("ExecResult", "exit_code,output")  # the named tuple that docker's exec_run returns


def _unittest_result() -> unittest.TestResult:
    class TestInvoice(unittest.TestCase):
        def test_total(self) -> None:
            assert sum([100, 18]) == 119, "VAT is rounded down"

        def test_number(self) -> None:
            assert "INV-7".startswith("INV")

    result = unittest.TestResult()
    TestInvoice("test_total").run(result)
    TestInvoice("test_number").run(result)
    return result


def _log_record() -> logging.LogRecord:
    return logging.LogRecord("mooring", logging.ERROR, "/srv/mooring/winch.py", 88, "winch %s timed out", ("W2",), None)


def _taskgroup_error() -> Exception:
    return ExceptionGroup("unhandled errors in a TaskGroup", [ConnectionRefusedError(111, "Connect call failed")])


NGINX_502 = (
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n"
    "<hr><center>nginx/1.24.0 (Ubuntu)</center>\r\n</body>\r\n</html>\r\n"
)

# ================================================================================================ failures: MCP, JSON-RPC
MCP = [
    Case(
        "mcp/is-error-text",
        lambda: {"content": [{"type": "text", "text": "Booking 88213 does not exist."}], "isError": True},
        NF,
        (),
        "get_booking",
        {"booking_id": "88213"},
        "MCP spec, tools, tool execution errors",
    ),
    Case(
        "mcp/is-error-validation",
        lambda: {
            "content": [{"type": "text", "text": "Input validation error: 'departure' is a required property"}],
            "isError": True,
        },
        ARG,
        (),
        "search_ferries",
        {"destination": "Visby"},
        "MCP Python SDK, low-level server",
    ),
    Case(
        "mcp/is-error-blocks",
        lambda: {
            "content": [
                {"type": "text", "text": "Uploaded 3 of 12 plates before the service refused."},
                {"type": "text", "text": "429 Too Many Requests: retry after 30 seconds"},
            ],
            "isError": True,
        },
        RATE,
        (),
        "upload_plates",
        {"plates": 12, "project": "herbarium"},
        "MCP spec, tool result content",
    ),
    Case(
        "mcp/is-error-structured",
        lambda: {
            "content": [{"type": "text", "text": '{"code": "QUOTA_EXCEEDED", "limit": 50000, "used": 50000}'}],
            "structuredContent": {"code": "QUOTA_EXCEEDED", "limit": 50000, "used": 50000},
            "isError": True,
        },
        QUOTA,
        (RATE,),
        "render_map_tile",
        {"z": 12, "x": 2201, "y": 1343},
        "MCP spec, structuredContent",
    ),
    Case(
        "mcp/is-error-sdk-dump",
        lambda: {
            "meta": None,
            "content": [
                {
                    "type": "text",
                    "text": "Error executing tool reserve_seat: seat 14C has already been reserved",
                    "annotations": None,
                    "meta": None,
                }
            ],
            "structuredContent": None,
            "isError": True,
        },
        CONFLICT,
        (),
        "reserve_seat",
        {"train": "IC 704", "seat": "14C"},
        "MCP Python SDK, CallToolResult.model_dump()",
    ),
    Case(
        "mcp/is-error-json-text",
        lambda: json.dumps(
            {
                "content": [{"type": "text", "text": "403 Forbidden: this token may not write to fleet 'north'"}],
                "isError": True,
            }
        ),
        PERM,
        (),
        "rename_fleet",
        {"fleet": "north", "name": "arctic"},
        "MCP spec, wire form of a tool result",
    ),
    Case(
        "mcp/jsonrpc-result-unknown-tool",
        lambda: {
            "jsonrpc": "2.0",
            "id": 41,
            "result": {"content": [{"type": "text", "text": "Unknown tool: list_berths"}], "isError": True},
        },
        NOTOOL,
        (),
        "list_berths",
        {"harbour": "SEGOT"},
        "MCP Python SDK, unknown tool as a result",
    ),
    Case(
        "mcp/jsonrpc-unknown-tool",
        lambda: {"jsonrpc": "2.0", "id": 3, "error": {"code": -32602, "message": "Unknown tool: weigh_parcel"}},
        NOTOOL,
        (ARG,),
        "weigh_parcel",
        {"parcel": "P-55"},
        "MCP spec, tools, protocol errors",
    ),
    Case(
        "mcp/jsonrpc-invalid-params",
        lambda: {
            "jsonrpc": "2.0",
            "id": 7,
            "error": {"code": -32602, "message": "Invalid params", "data": "Missing required arguments: isbn"},
        },
        ARG,
        (),
        "find_copies",
        {"branch": "central"},
        "JSON-RPC 2.0, error object",
    ),
    Case(
        "mcp/jsonrpc-resource-not-found",
        lambda: {
            "jsonrpc": "2.0",
            "id": 12,
            "error": {"code": -32002, "message": "Resource not found", "data": {"uri": "scan:///1911/page/208"}},
        },
        NF,
        (),
        "read_scan",
        {"uri": "scan:///1911/page/208"},
        "MCP spec, resources, error handling",
    ),
    Case(
        "mcp/jsonrpc-request-timeout",
        lambda: {
            "jsonrpc": "2.0",
            "id": 13,
            "error": {"code": -32001, "message": "Request timed out", "data": {"timeout": 60000}},
        },
        TIMEOUT,
        (),
        "align_reads",
        {"sample": "HG-118"},
        "MCP TypeScript SDK, ErrorCode.RequestTimeout",
    ),
    Case(
        "mcp/jsonrpc-cancelled",
        lambda: {"jsonrpc": "2.0", "id": 19, "error": {"code": -32800, "message": "Request cancelled"}},
        CANCEL,
        (),
        "find_references",
        {"symbol": "BerthPlan"},
        "LSP 3.17, ErrorCodes.RequestCancelled",
    ),
    Case(
        "mcp/text-connection-closed",
        lambda: "MCP error -32000: Connection closed",
        CONN,
        (UNAV,),
        "list_tide_gauges",
        {},
        "MCP TypeScript SDK, ErrorCode.ConnectionClosed",
    ),
]

# ================================================================================================ failures: agent frameworks
AGENTS = [
    Case(
        "agents/langchain-tool-message",
        lambda: {
            "content": "Error: ReadTimeout(\"HTTPSConnectionPool(host='tides.example.org', port=443): "
            'Read timed out. (read timeout=15)")\n Please fix your mistakes.',
            "additional_kwargs": {},
            "response_metadata": {},
            "type": "tool",
            "name": "get_tides",
            "id": None,
            "tool_call_id": "call_7Hc",
            "artifact": None,
            "status": "error",
        },
        TIMEOUT,
        (),
        "get_tides",
        {"station": "SMOGEN"},
        "LangGraph ToolNode, TOOL_CALL_ERROR_TEMPLATE",
    ),
    Case(
        "agents/langchain-serialized",
        lambda: {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", "ToolMessage"],
            "kwargs": {
                "content": "Error: PermissionError(13, 'Permission denied')\n Please fix your mistakes.",
                "type": "tool",
                "name": "write_ledger",
                "tool_call_id": "call_92",
                "status": "error",
            },
        },
        PERM,
        (),
        "write_ledger",
        {"row": ["2025-03-01", "fuel", 1200]},
        "LangChain serialization of a ToolMessage",
    ),
    Case(
        "agents/langchain-not-a-valid-tool",
        lambda: "Error: fetch_tide_table is not a valid tool, try one of [get_tides, get_moon_phase].",
        NOTOOL,
        (),
        "fetch_tide_table",
        {"station": "SMOGEN"},
        "LangGraph ToolNode, INVALID_TOOL_NAME_ERROR_TEMPLATE",
    ),
    Case(
        "agents/langchain-error-invoking",
        lambda: (
            "Error invoking tool 'book_room' with kwargs {'hotel': 'Alma', 'nights': 'two'} with error:\n nights: Input "
            "should be a valid integer, unable to parse string as an integer\n Please fix the error and try again."
        ),
        ARG,
        (),
        "book_room",
        {"hotel": "Alma", "nights": "two"},
        "LangGraph ToolNode, TOOL_INVOCATION_ERROR_TEMPLATE",
    ),
    Case(
        "agents/openai-agents-connection",
        lambda: "An error occurred while running the tool. Please try again. Error: [Errno 111] Connection refused",
        CONN,
        (),
        "query_greenhouse",
        {"zone": 4},
        "OpenAI Agents SDK, default_tool_error_function",
    ),
    Case(
        "agents/openai-agents-json",
        lambda: (
            "An error occurred while running the tool. Please try again. Error: Invalid JSON input for tool "
            'get_invoice: {"number": 4'
        ),
        ARG,
        (),
        "get_invoice",
        {},
        "OpenAI Agents SDK, default_tool_error_function",
    ),
    Case(
        "agents/responses-mcp-call",
        lambda: {
            "type": "mcp_call",
            "id": "mcp_68a1",
            "server_label": "warehouse",
            "name": "list_pallets",
            "arguments": '{"aisle": "C"}',
            "output": None,
            "error": "HTTP error 401 Unauthorized: the token has expired",
            "status": "failed",
            "approval_request_id": None,
        },
        AUTH,
        (),
        "list_pallets",
        {"aisle": "C"},
        "OpenAI Responses API, mcp_call item",
    ),
    Case(
        "agents/responses-shell-timeout",
        lambda: {
            "type": "shell_call_output",
            "call_id": "call_3kd",
            "max_output_length": 4096,
            "output": [{"stdout": "indexing chr1\nindexing chr2\n", "stderr": "", "outcome": {"type": "timeout"}}],
        },
        TIMEOUT,
        (),
        "shell",
        {"commands": ["samtools index genome.bam"]},
        "OpenAI Responses API, shell_call_output",
    ),
    Case(
        "agents/responses-apply-patch",
        lambda: {
            "type": "apply_patch_call_output",
            "call_id": "call_8v",
            "status": "failed",
            "output": "Error: File not found at path 'lib/berths.py'",
        },
        NF,
        (ARG,),
        "apply_patch",
        {"type": "update_file", "path": "lib/berths.py", "diff": "@@\n-a\n+b\n"},
        "OpenAI Responses API, apply_patch_call_output",
    ),
    Case(
        "agents/tool-result-text",
        lambda: {
            "type": "tool_result",
            "tool_use_id": "toolu_01Kx",
            "is_error": True,
            "content": "ConnectionError: could not reach the ferry timetable server (connection reset by peer)",
        },
        CONN,
        (UNAV,),
        "ferry_timetable",
        {"line": 8},
        "Anthropic Messages API, tool_result",
    ),
    Case(
        "agents/tool-result-blocks",
        lambda: {
            "type": "tool_result",
            "tool_use_id": "toolu_01Ky",
            "is_error": True,
            "content": [{"type": "text", "text": "Error: Missing required 'gate' parameter"}],
        },
        ARG,
        (),
        "open_lock_gate",
        {"lock": "Trollhattan"},
        "Anthropic Messages API, tool_result",
    ),
    Case(
        "agents/web-search-result-error",
        lambda: {
            "type": "web_search_tool_result",
            "tool_use_id": "srvtoolu_01a",
            "content": {"type": "web_search_tool_result_error", "error_code": "too_many_requests"},
        },
        RATE,
        (),
        "web_search",
        {"query": "lichen survey 2024"},
        "Anthropic web search tool, errors",
    ),
    Case(
        "agents/gemini-function-response",
        lambda: {
            "functionResponse": {
                "name": "track_container",
                "response": {"error": "Container MSKU1234565 was not found"},
            }
        },
        NF,
        (),
        "track_container",
        {"container": "MSKU1234565"},
        "Gemini API, FunctionResponse",
    ),
    Case(
        "agents/smolagents-unknown-tool",
        lambda: "Unknown tool lookup_genome, should be one of: search_gene, fetch_sequence, final_answer.",
        NOTOOL,
        (),
        "lookup_genome",
        {"name": "Danio rerio"},
        "smolagents, ToolCallingAgent.execute_tool_call",
    ),
    Case(
        "agents/smolagents-execution",
        lambda: (
            "Error executing tool 'fetch_sequence' with arguments {'accession': 'NM_000546'}: HTTPError: 503 Server Error: "
            "Service Unavailable for url: https://seq.example.org/NM_000546\nPlease try again or use another tool"
        ),
        UNAV,
        (EXEC,),
        "fetch_sequence",
        {"accession": "NM_000546"},
        "smolagents, AgentToolExecutionError",
    ),
    Case(
        "agents/crewai-unknown-action",
        lambda: (
            "Action 'Search hotel rates' don't exist, these are the only available Actions:\n"
            "Tool Name: Find rooms(city: str, night: str)\nTool Description: Finds free rooms in a city for one night.\n"
            "Tool Arguments: {'city': {'title': 'City', 'type': 'string'}, 'night': {'title': 'Night', 'type': 'string'}}"
        ),
        NOTOOL,
        (),
        "Search hotel rates",
        {"city": "Porto"},
        "crewAI, tool usage errors",
    ),
    Case(
        "agents/crewai-usage-error",
        lambda: (
            "I encountered an error while trying to use the tool. This was the error: 1 validation error for "
            "CheckInSchema\n"
            "room\n  Field required [type=missing, input_value={'guest': 'Ito'}, input_type=dict].\n"
            " Tool check_in accepts these inputs: Checks a guest in. Inputs: guest, room"
        ),
        ARG,
        (EXEC,),
        "check_in",
        {"guest": "Ito"},
        "crewAI, tool_usage_exception",
    ),
    Case(
        "agents/open-interpreter-console",
        lambda: [
            {
                "role": "computer",
                "type": "console",
                "format": "output",
                "content": "\n---------------------------------------------------------------------------\n"
                "FileNotFoundError                         Traceback (most recent call last)\n"
                "Cell In[2], line 3\n      1 import csv\n      2 \n----> 3 rows = "
                "list(csv.reader(open('buoys.csv')))\n"
                "\nFileNotFoundError: [Errno 2] No such file or directory: 'buoys.csv'\n",
            }
        ],
        NF,
        (EXEC,),
        "execute",
        {"language": "python", "code": "import csv\n\nrows = list(csv.reader(open('buoys.csv')))"},
        "Open Interpreter, console output messages",
    ),
    Case(
        "agents/swe-agent-timeout",
        lambda: (
            "The command 'python train.py' was cancelled because it took more than 30 seconds. Please try a different "
            "command that completes more quickly. Note: A common source of this error is if the command is interactive or "
            "requires user input (it is impossible to receive user input in the current environment, so the command will "
            "never complete)."
        ),
        TIMEOUT,
        (CANCEL,),
        "bash",
        {"command": "python train.py"},
        "SWE-agent, command_cancelled_timeout_template",
    ),
    Case(
        "agents/swe-agent-edit-refused",
        lambda: (
            "Your proposed edit has introduced new syntax error(s). Please read this error message carefully and then "
            "retry "
            "editing the file.\n\nERRORS:\n- E999 IndentationError: unexpected indent\n\nYour changes have NOT been "
            "applied. "
            "Please fix your edit command and try again."
        ),
        ARG,
        (EXEC,),
        "edit",
        {"start": 12, "end": 14, "text": "      return total"},
        "SWE-agent, windowed edit tool",
    ),
]

# ================================================================================================ failures: cloud envelopes
CLOUD = [
    Case(
        "cloud/lambda-exception",
        lambda: {
            "errorMessage": "division by zero",
            "errorType": "ZeroDivisionError",
            "requestId": "9b1c6a0e-5f0b-4e0e-a2a1-2f8a5f3d1c77",
            "stackTrace": ['  File "/var/task/occupancy.py", line 11, in handler\n    return sold / rooms\n'],
        },
        EXEC,
        (),
        "invoke_occupancy",
        {"hotel": 17},
        "AWS Lambda, Python function errors",
    ),
    Case(
        "cloud/lambda-timed-out",
        lambda: {
            "errorType": "Sandbox.Timedout",
            "errorMessage": "RequestId: 5f1f9e3c-0a86-4e57-8c49-04c1e1f2bb10 Error: Task timed out after 6.00 seconds",
        },
        TIMEOUT,
        (),
        "invoke_thumbnailer",
        {"scan": "p-0042.tif"},
        "AWS Lambda, function timeouts",
    ),
    Case(
        "cloud/lambda-proxy",
        lambda: {
            "statusCode": 404,
            "headers": {"Content-Type": "application/json"},
            "isBase64Encoded": False,
            "body": '{"message": "Reservation R-55102 not found"}',
        },
        NF,
        (),
        "get_reservation",
        {"reservation": "R-55102"},
        "API Gateway, Lambda proxy response",
    ),
    Case(
        "cloud/kinesis-put-records",
        lambda: {
            "FailedRecordCount": 1,
            "Records": [
                {
                    "SequenceNumber": "49543463076548007577105092703039560359975228518395",
                    "ShardId": "shardId-000000000000",
                },
                {
                    "ErrorCode": "ProvisionedThroughputExceededException",
                    "ErrorMessage": "Rate exceeded for shard shardId-000000000001 in stream buoy-readings under account "
                    "111122223333.",
                },
            ],
        },
        RATE,
        (),
        "put_readings",
        {"stream": "buoy-readings", "count": 2},
        "Amazon Kinesis, PutRecords",
    ),
    Case(
        "cloud/sqs-batch",
        lambda: {
            "Successful": [{"Id": "m1", "MessageId": "0d4e", "MD5OfMessageBody": "4ca2"}],
            "Failed": [
                {
                    "Id": "m2",
                    "SenderFault": True,
                    "Code": "InvalidMessageContents",
                    "Message": "The message contains characters outside the allowed set.",
                }
            ],
        },
        ARG,
        (EXEC,),
        "send_notices",
        {"queue": "overdue-loans", "messages": ["a", "\x0b"]},
        "Amazon SQS, SendMessageBatch",
    ),
    Case(
        "cloud/dynamodb-unprocessed",
        lambda: {
            "UnprocessedItems": {
                "Loans": [{"PutRequest": {"Item": {"barcode": {"S": "30124"}, "due": {"S": "2025-05-02"}}}}]
            },
            "ConsumedCapacity": [{"TableName": "Loans", "CapacityUnits": 5.0}],
        },
        RATE,
        (UNAV, EXEC),
        "save_loans",
        {"table": "Loans", "count": 6},
        "Amazon DynamoDB, BatchWriteItem",
    ),
    Case(
        "cloud/s3-delete-objects",
        lambda: {
            "Deleted": [{"Key": "scans/0041.tif"}],
            "Errors": [{"Key": "scans/0042.tif", "Code": "AccessDenied", "Message": "Access Denied"}],
        },
        PERM,
        (),
        "delete_scans",
        {"keys": ["scans/0041.tif", "scans/0042.tif"]},
        "Amazon S3, DeleteObjects",
    ),
    Case(
        "cloud/step-functions-failed",
        lambda: {
            "executionArn": "arn:aws:states:eu-north-1:111122223333:express:ParseInvoice:run-81:4f",
            "stateMachineArn": "arn:aws:states:eu-north-1:111122223333:stateMachine:ParseInvoice",
            "name": "run-81",
            "startDate": "2025-02-03T08:00:01Z",
            "stopDate": "2025-02-03T08:00:03Z",
            "status": "FAILED",
            "error": "InvoiceParseError",
            "cause": "The totals of line 12 and of the footer differ",
            "billingDetails": {"billedDurationInMilliseconds": 2000, "billedMemoryUsedInMB": 64},
        },
        EXEC,
        (),
        "parse_invoice",
        {"document": "inv-2025-118.pdf"},
        "AWS Step Functions, StartSyncExecution",
    ),
    Case(
        "cloud/step-functions-timed-out",
        lambda: {
            "executionArn": "arn:aws:states:eu-north-1:111122223333:execution:RouteShips:r-9",
            "stateMachineArn": "arn:aws:states:eu-north-1:111122223333:stateMachine:RouteShips",
            "name": "r-9",
            "startDate": "2025-02-03T08:00:01Z",
            "stopDate": "2025-02-03T08:15:01Z",
            "status": "TIMED_OUT",
        },
        TIMEOUT,
        (),
        "route_ships",
        {"ships": [4, 9], "wait": True},
        "AWS Step Functions, execution status",
    ),
    Case(
        "cloud/aws-json-conditional",
        lambda: {
            "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
            "message": "The conditional request failed",
        },
        CONFLICT,
        (),
        "extend_loan",
        {"barcode": "30124", "expected_version": 3},
        "Amazon DynamoDB, error format",
    ),
    Case(
        "cloud/aws-json-expired",
        lambda: {"__type": "ExpiredTokenException", "message": "The security token included in the request is expired"},
        AUTH,
        (),
        "list_streams",
        {"region": "eu-north-1"},
        "AWS JSON protocol, common errors",
    ),
    Case(
        "cloud/google-rate",
        lambda: {
            "error": {
                "code": 429,
                "status": "RESOURCE_EXHAUSTED",
                "message": "Quota exceeded for quota metric 'Read requests' and limit 'Read requests per minute per user' of "
                "service 'sheets.googleapis.com' for consumer 'project_number:90210'.",
                "details": [
                    {
                        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                        "reason": "RATE_LIMIT_EXCEEDED",
                        "domain": "googleapis.com",
                        "metadata": {"quota_limit": "ReadRequestsPerMinutePerUser", "quota_limit_value": "60"},
                    },
                    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "24s"},
                ],
            }
        },
        RATE,
        (QUOTA,),
        "read_sheet",
        {"sheet": "crew-rota", "range": "A1:F40"},
        "Google Cloud API design guide, errors",
    ),
    Case(
        "cloud/google-permission",
        lambda: {
            "error": {
                "code": 403,
                "message": "The caller does not have permission",
                "status": "PERMISSION_DENIED",
                "errors": [
                    {"message": "The caller does not have permission", "domain": "global", "reason": "forbidden"}
                ],
            }
        },
        PERM,
        (),
        "share_calendar",
        {"calendar": "reading-room"},
        "Google APIs, error response",
    ),
    Case(
        "cloud/google-lro-error",
        lambda: {
            "name": "projects/90210/operations/import-77",
            "done": True,
            "metadata": {"@type": "type.googleapis.com/library.ImportMetadata", "progressPercent": 12},
            "error": {"code": 5, "message": "Object gs://catalogue/2024/marc.xml does not exist.", "details": []},
        },
        NF,
        (),
        "import_catalogue",
        {"uri": "gs://catalogue/2024/marc.xml", "wait": True},
        "google.longrunning.Operation",
    ),
    Case(
        "cloud/google-compute-operation",
        lambda: {
            "kind": "compute#operation",
            "id": "7781",
            "name": "operation-1718",
            "operationType": "insert",
            "status": "DONE",
            "progress": 100,
            "httpErrorStatusCode": 403,
            "httpErrorMessage": "FORBIDDEN",
            "error": {
                "errors": [
                    {
                        "code": "QUOTA_EXCEEDED",
                        "message": "Quota 'CPUS' exceeded.  Limit: 24.0 in region europe-north1.",
                    }
                ]
            },
        },
        QUOTA,
        (),
        "create_vm",
        {"zone": "europe-north1-a", "machine_type": "n2-standard-32"},
        "Compute Engine, operations",
    ),
    Case(
        "cloud/azure-authorization",
        lambda: {
            "error": {
                "code": "AuthorizationFailed",
                "message": "The client 'rota-bot' with object id '7e9d' does not have authorization to perform action "
                "'Microsoft.Compute/virtualMachines/start/action' over scope '/subscriptions/3f/resourceGroups/lab' "
                "or the scope is invalid.",
            }
        },
        PERM,
        (),
        "start_machine",
        {"group": "lab", "machine": "sequencer-2"},
        "Azure Resource Manager, common errors",
    ),
    Case(
        "cloud/azure-inner-error",
        lambda: {
            "error": {
                "code": "BadArgument",
                "message": "The door password is too weak",
                "target": "password",
                "innererror": {
                    "code": "PasswordError",
                    "innererror": {
                        "code": "PasswordDoesNotMeetPolicy",
                        "minLength": 12,
                        "minDistinctCharacterTypes": 2,
                    },
                },
            }
        },
        ARG,
        (),
        "set_door_password",
        {"door": "archive", "password": "harbour1"},
        "Microsoft REST guidelines, error object",
    ),
    Case(
        "cloud/odata-conflict",
        lambda: {
            "odata.error": {
                "code": "EntityAlreadyExists",
                "message": {
                    "lang": "en-US",
                    "value": "The specified entity already exists.\nRequestId:6c1f\nTime:2025-04-01T10:11:12.0000000Z",
                },
            }
        },
        CONFLICT,
        (),
        "add_member",
        {"table": "members", "key": "L-1009"},
        "Azure Table storage, error codes (OData)",
    ),
    Case(
        "cloud/graph-not-found",
        lambda: {
            "error": {
                "code": "itemNotFound",
                "message": "The resource could not be found.",
                "innerError": {"date": "2025-04-02T07:30:11", "request-id": "d1b2", "client-request-id": "d1b2"},
            }
        },
        NF,
        (),
        "get_drive_item",
        {"path": "/plans/pier-4.dwg"},
        "Microsoft Graph, error responses",
    ),
    Case(
        "cloud/graph-token",
        lambda: {
            "error": {
                "code": "InvalidAuthenticationToken",
                "message": "Lifetime validation failed, the token is expired.",
                "innerError": {"date": "2025-04-02T07:31:40", "request-id": "e7aa", "client-request-id": "e7aa"},
            }
        },
        AUTH,
        (),
        "list_events",
        {"calendar": "harbour-office"},
        "Microsoft Graph, error responses",
    ),
    Case(
        "cloud/kubernetes-status",
        lambda: {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "reason": "AlreadyExists",
            "code": 409,
            "message": 'configmaps "tide-model" already exists',
            "details": {"name": "tide-model", "kind": "configmaps"},
        },
        CONFLICT,
        (),
        "create_configmap",
        {"name": "tide-model", "namespace": "hydro"},
        "Kubernetes API, Status",
    ),
]

# ================================================================================================ failures: API envelopes
API = [
    Case(
        "api/problem-conflict",
        lambda: {
            "type": "https://harbour.example/problems/berth-occupied",
            "title": "Berth is occupied",
            "status": 409,
            "detail": "Berth 7 is held by MV Alba until 18:00.",
            "instance": "/berths/7/reservations",
        },
        CONFLICT,
        (),
        "reserve_berth",
        {"berth": 7, "ship": "MV Runa"},
        "RFC 9457",
    ),
    Case(
        "api/problem-fields",
        lambda: {
            "type": "https://hotel.example/problems/validation",
            "title": "Your request is not valid.",
            "status": 422,
            "errors": [
                {"detail": "must be a positive integer", "pointer": "#/nights"},
                {"detail": "must be a date", "pointer": "#/arrival"},
            ],
        },
        ARG,
        (),
        "quote_stay",
        {"nights": -2, "arrival": "soon"},
        "RFC 9457, extension members",
    ),
    Case(
        "api/jsend-fail",
        lambda: {"status": "fail", "data": {"checkout": "The checkout date must be after the arrival date"}},
        ARG,
        (),
        "create_booking",
        {"arrival": "2025-06-10", "checkout": "2025-06-08"},
        "JSend",
    ),
    Case(
        "api/jsend-error",
        lambda: {"status": "error", "code": 503, "message": "The timetable service is overloaded, try again later"},
        UNAV,
        (),
        "next_departures",
        {"stop": "Kungsportsplatsen"},
        "JSend",
    ),
    Case(
        "api/jsonapi-not-found",
        lambda: {
            "jsonapi": {"version": "1.1"},
            "errors": [
                {
                    "id": "c0",
                    "status": "404",
                    "title": "Not Found",
                    "detail": "Could not find vessel 9321483",
                    "source": {"parameter": "imo"},
                }
            ],
        },
        NF,
        (),
        "get_vessel",
        {"imo": 9321483},
        "JSON:API, error objects",
    ),
    Case(
        "api/graphql-null-data",
        lambda: {
            "data": None,
            "errors": [
                {
                    "message": "You must be signed in to see voyages",
                    "path": ["voyages"],
                    "locations": [{"line": 1, "column": 3}],
                    "extensions": {"code": "UNAUTHENTICATED"},
                }
            ],
        },
        AUTH,
        (),
        "graphql",
        {"query": "{ voyages { id } }"},
        "GraphQL spec, errors; Apollo error codes",
    ),
    Case(
        "api/graphql-partial",
        lambda: {
            "data": {"hotel": {"name": "Alma", "prices": None}},
            "errors": [
                {
                    "message": "upstream request timeout",
                    "path": ["hotel", "prices"],
                    "extensions": {"code": "GATEWAY_TIMEOUT"},
                }
            ],
        },
        TIMEOUT,
        (UNAV, EXEC),
        "hotel_prices",
        {"hotel": "alma", "month": "2025-07"},
        "GraphQL spec, partial data",
    ),
    Case(
        "api/graphql-user-errors",
        lambda: {
            "data": {
                "orderUpdate": {"order": None, "userErrors": [{"field": ["id"], "message": "Order does not exist"}]}
            }
        },
        NF,
        (ARG,),
        "update_order",
        {"id": "gid://shopify/Order/4477", "note": "leave at the gate"},
        "Shopify Admin API, userErrors",
    ),
    Case(
        "api/slack-scope",
        lambda: {"ok": False, "error": "missing_scope", "needed": "channels:history", "provided": "chat:write"},
        PERM,
        (AUTH,),
        "read_channel",
        {"channel": "C024BE91L"},
        "Slack Web API, errors",
    ),
    Case(
        "api/slack-token",
        lambda: {"ok": False, "error": "token_revoked"},
        AUTH,
        (),
        "post_message",
        {"channel": "C024BE91L", "text": "Low water at 14:10"},
        "Slack Web API, errors",
    ),
    Case(
        "api/telegram-flood",
        lambda: {
            "ok": False,
            "error_code": 429,
            "description": "Too Many Requests: retry after 17",
            "parameters": {"retry_after": 17},
        },
        RATE,
        (),
        "send_telegram",
        {"chat_id": 5512, "text": "Your loan is due"},
        "Telegram Bot API, ResponseParameters",
    ),
    Case(
        "api/telegram-blocked",
        lambda: {"ok": False, "error_code": 403, "description": "Forbidden: bot was blocked by the user"},
        PERM,
        (),
        "send_telegram",
        {"chat_id": 7781, "text": "Your loan is due"},
        "Telegram Bot API, making requests",
    ),
    Case(
        "api/twilio-number",
        lambda: {
            "code": 21211,
            "message": "The 'To' number +4412 is not a valid phone number.",
            "more_info": "https://www.twilio.com/docs/errors/21211",
            "status": 400,
        },
        ARG,
        (),
        "send_sms",
        {"to": "+4412", "body": "Gate opens at 9"},
        "Twilio REST API, error 21211",
    ),
    Case(
        "api/twilio-authenticate",
        lambda: {
            "code": 20003,
            "message": "Authenticate",
            "more_info": "https://www.twilio.com/docs/errors/20003",
            "status": 401,
        },
        AUTH,
        (),
        "place_call",
        {"to": "+46317000000"},
        "Twilio REST API, error 20003",
    ),
    Case(
        "api/stripe-missing",
        lambda: {
            "error": {
                "code": "resource_missing",
                "doc_url": "https://stripe.com/docs/error-codes/resource-missing",
                "message": "No such invoice: 'in_1Nq7'",
                "param": "invoice",
                "type": "invalid_request_error",
            }
        },
        NF,
        (ARG,),
        "finalize_invoice",
        {"invoice": "in_1Nq7"},
        "Stripe API, errors",
    ),
    Case(
        "api/stripe-idempotency",
        lambda: {
            "error": {
                "code": "idempotency_key_in_use",
                "type": "idempotency_error",
                "doc_url": "https://stripe.com/docs/error-codes/idempotency-key-in-use",
                "message": "There is currently another in-progress request using this Idempotent Key (that probably "
                "means you submitted twice, and the other request is still going through): stay-5510.",
            }
        },
        CONFLICT,
        (),
        "charge_deposit",
        {"amount": 9000, "currency": "eur", "key": "stay-5510"},
        "Stripe API, error codes",
    ),
    Case(
        "api/elasticsearch-index",
        lambda: {
            "error": {
                "root_cause": [
                    {
                        "type": "index_not_found_exception",
                        "reason": "no such index [herbarium-2024]",
                        "resource.type": "index_or_alias",
                        "resource.id": "herbarium-2024",
                        "index": "herbarium-2024",
                    }
                ],
                "type": "index_not_found_exception",
                "reason": "no such index [herbarium-2024]",
                "index": "herbarium-2024",
            },
            "status": 404,
        },
        NF,
        (),
        "search_specimens",
        {"index": "herbarium-2024", "query": "Salix"},
        "Elasticsearch, error responses",
    ),
    Case(
        "api/elasticsearch-disk",
        lambda: {
            "error": {
                "root_cause": [
                    {
                        "type": "cluster_block_exception",
                        "reason": "index [moorings] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage "
                        "watermark, index has read-only-allow-delete block];",
                    }
                ],
                "type": "cluster_block_exception",
                "reason": "index [moorings] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index "
                "has read-only-allow-delete block];",
            },
            "status": 429,
        },
        QUOTA,
        (RATE, UNAV),
        "index_mooring",
        {"id": 14, "state": "free"},
        "Elasticsearch, disk watermark errors",
    ),
    Case(
        "api/elasticsearch-bulk",
        lambda: {
            "took": 12,
            "errors": True,
            "items": [
                {"index": {"_index": "salinity", "_id": "s-18", "_version": 1, "result": "created", "status": 201}},
                {
                    "index": {
                        "_index": "salinity",
                        "_id": "s-19",
                        "status": 400,
                        "error": {
                            "type": "document_parsing_exception",
                            "reason": "[1:42] failed to parse field [psu] of type [float] in document with id 's-19'. "
                            "Preview of field's value: 'n/a'",
                        },
                    }
                },
            ],
        },
        ARG,
        (EXEC,),
        "bulk_index",
        {"index": "salinity", "documents": 2},
        "Elasticsearch, bulk API",
    ),
    Case(
        "api/couchdb-conflict",
        lambda: {"error": "conflict", "reason": "Document update conflict."},
        CONFLICT,
        (),
        "save_document",
        {"db": "logbook", "id": "watch-2025-04-01", "rev": "2-7c"},
        "CouchDB, document API",
    ),
    Case(
        "api/couchdb-unauthorized",
        lambda: {"error": "unauthorized", "reason": "Name or password is incorrect."},
        AUTH,
        (),
        "list_databases",
        {},
        "CouchDB, security",
    ),
    Case(
        "api/firebase-database",
        lambda: {"error": "Permission denied"},
        PERM,
        (),
        "set_value",
        {"path": "/gates/4/open", "value": True},
        "Firebase Realtime Database REST API",
    ),
    Case(
        "api/firebase-auth",
        lambda: {
            "error": {
                "code": 400,
                "message": "EMAIL_EXISTS",
                "errors": [{"message": "EMAIL_EXISTS", "domain": "global", "reason": "invalid"}],
            }
        },
        CONFLICT,
        (ARG,),
        "sign_up",
        {"email": "ito@example.org"},
        "Firebase Auth REST API, error response",
    ),
    Case(
        "api/salesforce-session",
        lambda: [{"message": "Session expired or invalid", "errorCode": "INVALID_SESSION_ID"}],
        AUTH,
        (),
        "soql_query",
        {"q": "SELECT Id FROM Contact"},
        "Salesforce REST API, error responses",
    ),
    Case(
        "api/salesforce-field",
        lambda: [
            {
                "message": "Required fields are missing: [LastName]",
                "errorCode": "REQUIRED_FIELD_MISSING",
                "fields": ["LastName"],
            }
        ],
        ARG,
        (),
        "create_contact",
        {"FirstName": "Ada"},
        "Salesforce REST API, error responses",
    ),
    Case(
        "api/discord-form",
        lambda: {
            "message": "Invalid Form Body",
            "code": 50035,
            "errors": {
                "embeds": {
                    "0": {
                        "title": {
                            "_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 256 or fewer in length."}]
                        }
                    }
                }
            },
        },
        ARG,
        (),
        "post_embed",
        {"channel": "904", "title": "x" * 300},
        "Discord API, error messages",
    ),
    Case(
        "api/discord-rate",
        lambda: {"message": "You are being rate limited.", "retry_after": 1.336, "global": False},
        RATE,
        (),
        "add_reaction",
        {"channel": "904", "message": "1189", "emoji": "⚓"},
        "Discord API, rate limits",
    ),
    Case(
        "api/hugging-face-loading",
        lambda: {"error": "Model marine/plankton-vit is currently loading", "estimated_time": 20.0},
        UNAV,
        (),
        "classify_image",
        {"model": "marine/plankton-vit", "image": "net-7.png"},
        "Hugging Face Inference API",
    ),
    Case(
        "api/alpha-vantage-note",
        lambda: {
            "Note": "Thank you for using Alpha Vantage! Our standard API call frequency is 5 calls per minute and 500 "
            "calls "
            "per day. Please visit https://www.alphavantage.co/premium/ if you would like to target a higher API "
            "call frequency."
        },
        RATE,
        (QUOTA,),
        "daily_prices",
        {"symbol": "MAERSK-B.CO"},
        "Alpha Vantage, usage limits",
    ),
    Case(
        "api/alpha-vantage-invalid",
        lambda: {
            "Error Message": "Invalid API call. Please retry or visit the documentation "
            "(https://www.alphavantage.co/documentation/) for TIME_SERIES_DAILY."
        },
        ARG,
        (NF,),
        "daily_prices",
        {"symbol": "NO SUCH THING"},
        "Alpha Vantage documentation",
    ),
    Case(
        "api/soap-fault-11",
        lambda: (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault>'
            "<faultcode>soap:Client</faultcode><faultstring>INVALID_INPUT: the VAT number is malformed</faultstring>"
            "</soap:Fault></soap:Body></soap:Envelope>"
        ),
        ARG,
        (),
        "lookup_vat",
        {"country": "SE", "number": "55-XX"},
        "SOAP 1.1, Fault",
    ),
    Case(
        "api/soap-fault-12",
        lambda: (
            b'<env:Envelope xmlns:env="http://www.w3.org/2003/05/soap-envelope"><env:Body><env:Fault>'
            b'<env:Code><env:Value>env:Receiver</env:Value></env:Code><env:Reason><env:Text xml:lang="en">The '
            b"registry is "
            b"temporarily unavailable</env:Text></env:Reason></env:Fault></env:Body></env:Envelope>"
        ),
        UNAV,
        (),
        "company_record",
        {"number": "556016-0680"},
        "SOAP 1.2, Fault",
    ),
    Case(
        "api/xml-s3",
        lambda: (
            '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not '
            "exist.</Message><Key>charts/baltic-12.kap</Key><RequestId>4442587FB7D0A2F9</RequestId>"
            "<HostId>Uu</HostId></Error>"
        ),
        NF,
        (),
        "download_chart",
        {"key": "charts/baltic-12.kap"},
        "Amazon S3, error responses",
    ),
    Case(
        "api/xml-azure-storage",
        lambda: (
            b'\xef\xbb\xbf<?xml version="1.0" '
            b'encoding="utf-8"?><Error><Code>AuthenticationFailed</Code><Message>Server '
            b"failed to authenticate the request. Make sure the value of Authorization header is formed correctly "
            b"including "
            b"the signature.\nRequestId:8f\nTime:2025-04-01T06:00:00.0000000Z</Message></Error>"
        ),
        AUTH,
        (),
        "get_blob",
        {"container": "scans", "name": "0042.tif"},
        "Azure Storage, error format",
    ),
    Case(
        "api/oauth-grant",
        lambda: {"error": "invalid_grant", "error_description": "Token has been expired or revoked."},
        AUTH,
        (),
        "refresh_calendar",
        {"account": "harbour-office"},
        "RFC 6749, section 5.2",
    ),
    Case(
        "api/anthropic-overloaded",
        lambda: {
            "type": "error",
            "error": {"type": "overloaded_error", "message": "Overloaded"},
            "request_id": "req_018E",
        },
        UNAV,
        (RATE,),
        "summarise_minutes",
        {"file": "board-2025-03.txt"},
        "Anthropic API, errors",
    ),
    Case(
        "api/fastapi-validation",
        lambda: {"detail": [{"type": "missing", "loc": ["query", "port"], "msg": "Field required", "input": None}]},
        ARG,
        (),
        "port_calls",
        {"from": "2025-01-01"},
        "FastAPI, request validation errors",
    ),
    Case(
        "api/drf-throttled",
        lambda: {"detail": "Request was throttled. Expected available in 42 seconds."},
        RATE,
        (),
        "renew_loan",
        {"barcode": "30124"},
        "Django REST framework, throttling",
    ),
    Case(
        "api/spring-unavailable",
        lambda: {
            "timestamp": "2025-04-01T09:12:44.120+00:00",
            "status": 503,
            "error": "Service Unavailable",
            "path": "/api/exchange/EUR",
        },
        UNAV,
        (),
        "exchange_rate",
        {"currency": "EUR"},
        "Spring Boot, default error attributes",
    ),
    Case(
        "api/notion-conflict",
        lambda: {
            "object": "error",
            "status": 409,
            "code": "conflict_error",
            "request_id": "a0",
            "message": "Conflict occurred while saving. Please try again.",
        },
        CONFLICT,
        (),
        "append_block",
        {"page": "crew-handbook", "text": "Drill on Friday"},
        "Notion API, status codes",
    ),
]

# ================================================================================================ failures: HTTP
HTTP = [
    Case(
        "http/urllib-http-error",
        lambda: urllib.error.HTTPError(
            "https://charts.example/baltic/12.kap", 404, "Not Found", _headers(), io.BytesIO(b"")
        ),
        NF,
        (),
        "download_chart",
        {"area": "baltic", "sheet": 12},
        "Python docs, urllib.error.HTTPError",
    ),
    Case(
        "http/urllib-response",
        lambda: _addinfourl(503, "Service Unavailable", b"back soon", "https://rates.example/eur", Retry_After="120"),
        UNAV,
        (),
        "exchange_rate",
        {"currency": "EUR"},
        "Python docs, urllib.response.addinfourl",
    ),
    Case(
        "http/http-client-response",
        lambda: _http_response(
            b'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm="library"\r\nContent-Length: 0\r\n\r\n'
        ),
        AUTH,
        (),
        "my_loans",
        {"card": "L-1009"},
        "Python docs, http.client.HTTPResponse",
    ),
    Case(
        "http/dict-rate",
        lambda: {
            "status_code": 429,
            "headers": {"content-type": "application/json", "retry-after": "12"},
            "body": '{"message": "slow down"}',
        },
        RATE,
        (),
        "geocode",
        {"address": "Strandvagen 1"},
        "RFC 6585, 429",
    ),
    Case(
        "http/dict-gateway-timeout",
        lambda: {
            "status_code": 504,
            "headers": {"content-type": "text/html"},
            "body": "<html><head><title>504 Gateway Time-out</title></head></html>",
        },
        TIMEOUT,
        (UNAV,),
        "forecast",
        {"lat": 57.7, "lon": 11.9},
        "RFC 9110, 504",
    ),
    Case(
        "http/fetch-style-storage",
        lambda: {
            "ok": False,
            "status": 507,
            "statusText": "Insufficient Storage",
            "url": "https://dav.example/scans/p9.tif",
            "text": "",
        },
        QUOTA,
        (),
        "upload_scan",
        {"file": "p9.tif"},
        "Fetch API, Response; RFC 4918, 507",
    ),
    Case(
        "http/raw-message",
        lambda: (
            "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: 45\r\n\r\n"
            '{"message":"only the harbour master may do it"}'
        ),
        PERM,
        (),
        "close_harbour",
        {"harbour": "SEGOT"},
        "RFC 9112, response message",
    ),
    Case(
        "http/html-nginx",
        lambda: NGINX_502,
        UNAV,
        (),
        "get_room_rates",
        {"hotel": "alma"},
        "nginx, built-in error page",
    ),
    Case(
        "http/html-apache",
        lambda: (
            b'<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head>\n<title>403 '
            b"Forbidden</title>\n</head><body>\n"
            b"<h1>Forbidden</h1>\n<p>You don't have permission to access this resource.</p>\n<hr>\n"
            b"<address>Apache/2.4.57 (Debian) Server at archive.example Port 443</address>\n</body></html>\n"
        ),
        PERM,
        (),
        "download_deed",
        {"deed": "1871-204"},
        "Apache httpd, built-in error document",
    ),
    Case(
        "http/html-tomcat",
        lambda: (
            '<!doctype html><html lang="en"><head><title>HTTP Status 404 \u2013 Not Found</title></head><body>'
            '<h1>HTTP Status 404 \u2013 Not Found</h1><hr class="line" /><p><b>Type</b> Status Report</p>'
            "<p><b>Description</b> The origin server did not find a current representation for the "
            "target resource or is not willing to disclose that one exists."
            '</p><hr class="line" /><h3>Apache Tomcat/9.0.80</h3></body></html>'
        ),
        NF,
        (),
        "get_syllabus",
        {"course": "OCE-204"},
        "Apache Tomcat, error report valve",
    ),
    Case(
        "http/html-squid",
        lambda: (
            "<html><head>\n<title>ERROR: The requested URL could not be retrieved</title>\n</head><body>\n<h1>ERROR</h1>\n"
            "<h2>The requested URL could not be retrieved</h2>\n<p>The following error was encountered while trying to "
            "retrieve "
            'the URL: <a href="http://gauge7.example/now">http://gauge7.example/now</a></p>\n<blockquote id="error">\n'
            '<p><b>Connection to 10.20.0.9 failed.</b></p>\n</blockquote>\n<p id="sysmsg">The system returned: <i>(111) '
            "Connection refused</i></p>\n<p>Generated Tue, 01 Apr 2025 06:10:00 GMT by proxy "
            "(squid/5.7)</p>\n</body></html>"
        ),
        CONN,
        (UNAV,),
        "read_gauge",
        {"gauge": 7},
        "Squid, ERR_CONNECT_FAIL",
    ),
    Case(
        "http/html-cloudflare-1015",
        lambda: (
            "<!DOCTYPE html><html><head><title>Access denied | fares.example used Cloudflare to restrict "
            "access</title></head>"
            "<body><h1><span>Error</span> <span>1015</span></h1><h2>You are being rate limited</h2><h2>What happened?</h2>"
            "<p>The owner of this website (fares.example) has banned you temporarily from accessing this website.</p>"
            "</body></html>"
        ),
        RATE,
        (),
        "fetch_fares",
        {"route": "GOT-FDH"},
        "Cloudflare, error 1015",
    ),
    Case(
        "http/html-unusual-traffic",
        lambda: (
            "<html><head><title>https://www.google.com/search?q=lichen</title></head><body><div>About this page<br><br>Our "
            "systems have detected unusual traffic from your computer network.  This page checks to see if it&#39;s really "
            "you sending the requests, and not a robot.</div><div>IP address: 203.0.113.9</div></body></html>"
        ),
        RATE,
        (PERM, UNAV),
        "web_search",
        {"query": "lichen"},
        "Google Search help, unusual traffic",
    ),
]

# ================================================================================================ failures: programs
PROGRAMS = [
    Case(
        "programs/completed-124",
        lambda: subprocess.CompletedProcess(
            ["timeout", "30", "gdalwarp", "dem.tif", "out.tif"], 124, "0...10...20...", ""
        ),
        TIMEOUT,
        (),
        "run_command",
        {"command": "timeout 30 gdalwarp dem.tif out.tif"},
        "coreutils timeout, exit status",
    ),
    Case(
        "programs/dict-126",
        lambda: {"returncode": 126, "stdout": "", "stderr": "sh: 1: ./survey.sh: Permission denied\n"},
        PERM,
        (EXEC,),
        "run_command",
        {"command": "./survey.sh"},
        "POSIX shell, exit status 126",
    ),
    Case(
        "programs/dict-127",
        lambda: {"stdout": "", "stderr": "bash: line 1: exiftool: command not found\n", "exit_code": 127},
        NF,
        (EXEC, NOTOOL),
        "bash",
        {"command": "exiftool IMG_2201.jpg"},
        "POSIX shell, exit status 127",
    ),
    Case(
        "programs/completed-signal",
        lambda: subprocess.CompletedProcess(["raxml", "-s", "trees.phy"], -11, "starting tree search\n", ""),
        EXEC,
        (),
        "build_tree",
        {"alignment": "trees.phy"},
        "Python docs, CompletedProcess.returncode",
    ),
    Case(
        "programs/dict-interrupted",
        lambda: {"exit_code": 130, "stdout": "downloading 12/90\n", "stderr": "^C"},
        CANCEL,
        (EXEC,),
        "bash",
        {"command": "./sync-plates.sh"},
        "Bash manual, exit status 128+n",
    ),
    Case(
        "programs/dict-no-space",
        lambda: {
            "returncode": 2,
            "stdout": "",
            "stderr": "tar: /backup/genomes.tar: Cannot write: No space left on device\n"
            "tar: Error is not recoverable: exiting now\n",
        },
        QUOTA,
        (),
        "run_command",
        {"command": "tar cf /backup/genomes.tar genomes"},
        "GNU tar; errno ENOSPC",
    ),
    Case(
        "programs/tuple-refused",
        lambda: (
            "",
            (
                'psql: error: connection to server at "10.0.3.4", port 5432 failed: Connection refused\n\tIs the '
                "server running on that host and accepting TCP/IP connections?\n"
            ),
            2,
        ),
        CONN,
        (),
        "run_sql",
        {"sql": "select count(*) from loans"},
        "psql, exit status",
    ),
    Case(
        "programs/tuple-rejected-push",
        lambda: (
            "",
            (
                "To git.example:charts.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push "
                "some refs to 'git.example:charts.git'\n"
            ),
            1,
        ),
        CONFLICT,
        (EXEC,),
        "git",
        {"args": ["push", "origin", "main"]},
        "git push, rejected refs",
    ),
    Case(
        "programs/timed-out-flag",
        lambda: {"stdout": "frame=  512 fps= 11\n", "stderr": "", "exit_code": None, "timed_out": True},
        TIMEOUT,
        (),
        "execute_command",
        {"command": "ffmpeg -i dive.mov dive.mp4", "timeout": 60},
        "sandbox runners, timed_out",
    ),
    Case(
        "programs/dict-publickey",
        lambda: {"code": 255, "stdout": "", "stderr": "deploy@buoy3: Permission denied (publickey).\r\n"},
        AUTH,
        (PERM, CONN),
        "ssh_exec",
        {"host": "buoy3", "command": "uptime"},
        "OpenSSH, exit status 255",
    ),
    Case(
        "programs/docker-exec",
        lambda: ExecResult(
            1,
            b"mysqldump: Got error: 1045: Access denied for user 'ro'@'172.18.0.4' (using password: YES) "
            b"when trying to connect\n",
        ),
        AUTH,
        (PERM,),
        "container_exec",
        {"container": "db", "cmd": "mysqldump library"},
        "Docker SDK, Container.exec_run",
    ),
    Case(
        "programs/jupyter-error",
        lambda: {
            "status": "error",
            "execution_count": 4,
            "ename": "ZeroDivisionError",
            "evalue": "division by zero",
            "traceback": [
                "\x1b[0;31mZeroDivisionError\x1b[0m                         Traceback (most recent call last)",
                "Cell \x1b[0;32mIn[4], line 1\x1b[0m\n\x1b[0;32m----> 1\x1b[0m sold / rooms",
                "\x1b[0;31mZeroDivisionError\x1b[0m: division by zero",
            ],
        },
        EXEC,
        (),
        "run_cell",
        {"code": "sold / rooms"},
        "Jupyter messaging, execute_reply",
    ),
    Case(
        "programs/jupyter-aborted",
        lambda: {
            "header": {
                "msg_id": "b7_11",
                "msg_type": "execute_reply",
                "username": "",
                "session": "b7",
                "version": "5.3",
            },
            "parent_header": {"msg_id": "a1_9", "msg_type": "execute_request"},
            "metadata": {},
            "content": {"status": "aborted"},
            "buffers": [],
        },
        CANCEL,
        (EXEC,),
        "run_cell",
        {"code": "plot(tides)"},
        "Jupyter messaging, status aborted",
    ),
    Case(
        "programs/repl-traceback",
        lambda: (
            'loaded 412 rows\nTraceback (most recent call last):\n  File "<stdin>", line 3, in <module>\n'
            '  File "/usr/lib/python3.11/statistics.py", line 327, in mean\n    raise StatisticsError(\'mean requires at '
            "least one data point')\nstatistics.StatisticsError: mean requires at least one data point\n"
        ),
        EXEC,
        (),
        "python_repl",
        {"code": "print('loaded', len(rows), 'rows')\nprint(mean(psu))"},
        "Python, traceback output",
    ),
    Case(
        "programs/repl-memory",
        lambda: (
            'Traceback (most recent call last):\n  File "<stdin>", line 1, in <module>\n'
            "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 58.2 GiB for an array with shape (88388, 88388) "
            "and data type float64"
        ),
        QUOTA,
        (EXEC,),
        "python_repl",
        {"code": "d = np.zeros((88388, 88388))"},
        "NumPy, memory error message",
    ),
    Case(
        "programs/click-result",
        _click_usage_error,
        ARG,
        (EXEC,),
        "assign_berth",
        {"argv": ["--berth", "north"]},
        "Click, testing Result and exit code 2",
    ),
]

# ================================================================================================ failures: Python
PYTHON = [
    Case(
        "python/file-not-found",
        lambda: FileNotFoundError(2, "No such file or directory", "/srv/scans/p17.tif"),
        NF,
        (),
        "load_scan",
        {"path": "/srv/scans/p17.tif"},
        "Python docs, FileNotFoundError",
    ),
    Case(
        "python/timeout-expired",
        lambda: subprocess.TimeoutExpired(["blastn", "-query", "q.fa"], 20, output=b""),
        TIMEOUT,
        (),
        "blast",
        {"query": "q.fa"},
        "Python docs, subprocess.TimeoutExpired",
    ),
    Case(
        "python/cancelled",
        asyncio.CancelledError,
        CANCEL,
        (),
        "stream_readings",
        {"buoy": 3},
        "Python docs, asyncio.CancelledError",
    ),
    Case(
        "python/integrity-error",
        lambda: sqlite3.IntegrityError("UNIQUE constraint failed: members.card_number"),
        CONFLICT,
        (ARG, EXEC),
        "add_member",
        {"card_number": "L-1009"},
        "Python docs, sqlite3 exceptions",
    ),
    Case(
        "python/pydantic-validation-error",
        _pydantic_error,
        ARG,
        (EXEC,),
        "register_sample",
        {"barcode": "S-2231", "volume_ul": "a lot"},
        "Pydantic, ValidationError",
    ),
    Case(
        "python/exception-group",
        _taskgroup_error,
        CONN,
        (EXEC,),
        "poll_gauges",
        {"gauges": [1, 2, 3]},
        "Python docs, ExceptionGroup",
    ),
    Case(
        "python/tuple-none-error",
        lambda: (None, "error: station 4417 not found"),
        NF,
        (),
        "station_info",
        {"station": 4417},
        "(value, error) return convention",
    ),
    Case(
        "python/dataclass-failure",
        lambda: _Lookup(success=False, error="rate limit exceeded, try again in 8 s"),
        RATE,
        (),
        "lookup_isbn",
        {"isbn": "9789113084907"},
        "dataclass result with success and error",
    ),
    Case(
        "python/attrs-failure",
        _attrs_failure,
        CONN,
        (),
        "sync_catalogue",
        {"peer": "branch-4"},
        "attrs result with is_success and error",
    ),
    Case(
        "python/pydantic-failure",
        _pydantic_failure,
        AUTH,
        (),
        "quote_rate",
        {"lane": "GOT-HAM"},
        "Pydantic result with success and error_message",
    ),
    Case(
        "python/msgspec-failure",
        _msgspec_failure,
        NF,
        (),
        "vessel_record",
        {"imo": 9074729},
        "msgspec result with ok and error",
    ),
    Case(
        "python/error-text-argument",
        lambda: "Error: unsupported currency code 'XBQ'. Use one of EUR, SEK, USD.",
        ARG,
        (),
        "convert_amount",
        {"amount": 40, "to": "XBQ"},
        "error prefix of short texts",
    ),
    Case(
        "python/error-text-cancelled",
        lambda: "Error: the export was cancelled by the user",
        CANCEL,
        (),
        "export_ledger",
        {"year": 2024},
        "error prefix of short texts",
    ),
    Case(
        "python/json-bytes",
        lambda: b'{"error": {"code": "SERVICE_UNAVAILABLE", "message": "The cable sensor gateway is restarting"}}',
        UNAV,
        (),
        "cable_tension",
        {"cable": "W-2"},
        "JSON error body as bytes",
    ),
    Case(
        "python/json-cut-off",
        lambda: (
            '{"error": {"type": "authentication_error", "message": "Invalid bearer token", "details": {"hint": "the tok'
        ),
        AUTH,
        (),
        "list_exhibits",
        {"museum": "vasa"},
        "JSON error body, truncated",
    ),
    Case(
        "python/json-wrong-state",
        lambda: (
            '{"success": false, "error": {"code": "INVALID_STATE", "message": "Cannot weigh anchor: the '
            "vessel is "
            'already under way"}, "data": null}'
        ),
        CONFLICT,
        (),
        "weigh_anchor",
        {"vessel": "Runa"},
        "JSON envelope with success, error and data",
    ),
]

FAILURES = [*MCP, *AGENTS, *CLOUD, *API, *HTTP, *PROGRAMS, *PYTHON]

# ================================================================================================ results: same envelopes
RESULTS_MCP = [
    Case(
        "mcp/ok-explains-error",
        lambda: {
            "content": [
                {
                    "type": "text",
                    "text": "502 Bad Gateway: a proxy got an invalid answer from the server "
                    "behind it. "
                    "Retry, then check the upstream logs.",
                }
            ],
            "isError": False,
        },
        None,
        (),
        "explain_status_code",
        {"code": 502},
        "MCP spec, tool result",
    ),
    Case(
        "mcp/ok-jsonrpc-result",
        lambda: {
            "jsonrpc": "2.0",
            "id": 8,
            "result": {
                "content": [
                    {"type": "text", "text": "2 tickets: #14 'Timeout at checkout', #22 'Login failed for guests'"}
                ]
            },
        },
        None,
        (),
        "search_tickets",
        {"text": "failed OR timeout"},
        "MCP spec, tools/call response",
    ),
    Case(
        "mcp/ok-structured-counters",
        lambda: {
            "content": [{"type": "text", "text": '{"errors": 0, "warnings": 3, "failed_sensors": []}'}],
            "structuredContent": {"errors": 0, "warnings": 3, "failed_sensors": []},
            "isError": False,
        },
        None,
        (),
        "array_status",
        {"array": "hydrophone-2"},
        "MCP spec, structuredContent",
    ),
    Case(
        "mcp/ok-stored-fixture",
        lambda: (
            '{\n  "jsonrpc": "2.0",\n  "id": 3,\n  "error": {\n    "code": -32602,\n    "message": '
            '"Unknown tool: '
            'weigh_parcel"\n  }\n}\n'
        ),
        None,
        (),
        "read_file",
        {"path": "tests/fixtures/unknown_tool_response.json"},
        "file content, JSON-RPC fixture",
    ),
    Case(
        "mcp/ok-resource-contents",
        lambda: {
            "contents": [
                {
                    "uri": "file:///var/log/winch.log",
                    "mimeType": "text/plain",
                    "text": "06:10:02 ERROR motor overheated\n06:10:03 FATAL emergency stop\n",
                }
            ]
        },
        None,
        (),
        "read_resource",
        {"uri": "file:///var/log/winch.log"},
        "MCP spec, resources/read",
    ),
]

RESULTS_AGENTS = [
    Case(
        "agents/ok-tool-message",
        lambda: {
            "content": "No errors found in 12 invoices.",
            "additional_kwargs": {},
            "response_metadata": {},
            "type": "tool",
            "name": "audit_invoices",
            "id": None,
            "tool_call_id": "call_1",
            "artifact": None,
            "status": "success",
        },
        None,
        (),
        "audit_invoices",
        {"month": "2025-03"},
        "LangChain, ToolMessage",
    ),
    Case(
        "agents/ok-shell-warning",
        lambda: {
            "type": "shell_call_output",
            "call_id": "call_4",
            "max_output_length": 4096,
            "output": [
                {
                    "stdout": "built 14 pages\n",
                    "stderr": "warning: duplicate label 'error-codes'\n",
                    "outcome": {"type": "exit", "exit_code": 0},
                }
            ],
        },
        None,
        (),
        "shell",
        {"commands": ["make html"]},
        "OpenAI Responses API, shell_call_output",
    ),
    Case(
        "agents/ok-shell-grep",
        lambda: {
            "type": "shell_call_output",
            "call_id": "call_5",
            "max_output_length": 4096,
            "output": [{"stdout": "", "stderr": "", "outcome": {"type": "exit", "exit_code": 1}}],
        },
        None,
        (),
        "shell",
        {"commands": ["grep -rn 'deprecated' src/"]},
        "OpenAI Responses API; grep exit status",
    ),
    Case(
        "agents/ok-apply-patch",
        lambda: {
            "type": "apply_patch_call_output",
            "call_id": "call_6",
            "status": "completed",
            "output": "Updated src/errors/not_found.py",
        },
        None,
        (),
        "apply_patch",
        {"type": "update_file", "path": "src/errors/not_found.py", "diff": "@@\n-a\n+b\n"},
        "OpenAI Responses API, apply_patch_call_output",
    ),
    Case(
        "agents/ok-mcp-call",
        lambda: {
            "type": "mcp_call",
            "id": "mcp_68b2",
            "server_label": "warehouse",
            "name": "list_incidents",
            "error": None,
            "arguments": '{"aisle": "D"}',
            "output": "1 incident: forklift 3 failed to start (battery error)",
            "status": "completed",
            "approval_request_id": None,
        },
        None,
        (),
        "list_incidents",
        {"aisle": "D"},
        "OpenAI Responses API, mcp_call item",
    ),
    Case(
        "agents/ok-tool-result",
        lambda: {
            "type": "tool_result",
            "tool_use_id": "toolu_01Kz",
            "is_error": False,
            "content": "The last deploy failed at 10:02 with exit code 1; the one before succeeded.",
        },
        None,
        (),
        "deploy_history",
        {"service": "timetable", "limit": 2},
        "Anthropic Messages API, tool_result",
    ),
    Case(
        "agents/ok-gemini-output",
        lambda: {
            "functionResponse": {
                "name": "flight_status",
                "response": {"output": {"flight": "SK 431", "status": "CANCELLED", "reason": "crew timeout"}},
            }
        },
        None,
        (),
        "flight_status",
        {"flight": "SK 431"},
        "Gemini API, FunctionResponse",
    ),
    Case(
        "agents/ok-no-output",
        lambda: "Your command ran successfully and did not produce any output.",
        None,
        (),
        "bash",
        {"command": "mkdir -p charts/failed"},
        "SWE-agent, next_step_no_output_template",
    ),
    Case(
        "agents/ok-transcript",
        lambda: {
            "conversation": "c-71",
            "messages": [
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "toolu_9", "name": "get_tides", "input": {}}],
                },
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "toolu_9",
                            "is_error": True,
                            "content": "Error: station is required",
                        }
                    ],
                },
            ],
        },
        None,
        (),
        "get_conversation",
        {"conversation": "c-71"},
        "stored conversation",
    ),
]

RESULTS_CLOUD = [
    Case(
        "cloud/ok-described-execution",
        lambda: {
            "executionArn": "arn:aws:states:eu-north-1:111122223333:execution:ParseInvoice:run-12",
            "stateMachineArn": "arn:aws:states:eu-north-1:111122223333:stateMachine:ParseInvoice",
            "name": "run-12",
            "status": "FAILED",
            "startDate": "2025-01-09T08:00:01Z",
            "stopDate": "2025-01-09T08:02:11Z",
            "input": '{"document": "inv-7.pdf"}',
            "error": "States.TaskFailed",
            "cause": "OCR returned an empty page",
        },
        None,
        (),
        "describe_execution",
        {"execution_arn": "arn:aws:states:eu-north-1:111122223333:execution:ParseInvoice:run-12"},
        "AWS Step Functions, DescribeExecution",
    ),
    Case(
        "cloud/ok-kinesis",
        lambda: {
            "FailedRecordCount": 0,
            "EncryptionType": "KMS",
            "Records": [{"SequenceNumber": "4954346307654800757", "ShardId": "shardId-000000000002"}],
        },
        None,
        (),
        "put_readings",
        {"stream": "buoy-readings", "count": 1},
        "Amazon Kinesis, PutRecords",
    ),
    Case(
        "cloud/ok-dynamodb",
        lambda: {"UnprocessedItems": {}, "ItemCollectionMetrics": {}},
        None,
        (),
        "save_loans",
        {"table": "Loans", "count": 4},
        "Amazon DynamoDB, BatchWriteItem",
    ),
    Case(
        "cloud/ok-sqs",
        lambda: {"Successful": [{"Id": "m1", "MessageId": "77aa", "MD5OfMessageBody": "91c0"}], "Failed": []},
        None,
        (),
        "send_notices",
        {"queue": "errors-dead-letter", "messages": ["a"]},
        "Amazon SQS, SendMessageBatch",
    ),
    Case(
        "cloud/ok-operations-list",
        lambda: {
            "operations": [
                {"name": "operations/import-75", "done": True, "response": {"imported": 4100}},
                {
                    "name": "operations/import-76",
                    "done": True,
                    "error": {"code": 8, "message": "Disk quota exhausted."},
                },
            ]
        },
        None,
        (),
        "list_operations",
        {"filter": "done=true"},
        "google.longrunning, ListOperations",
    ),
    Case(
        "cloud/ok-lro-response",
        lambda: {
            "name": "projects/90210/operations/transcribe-5",
            "done": True,
            "response": {
                "@type": "type.googleapis.com/speech.Response",
                "results": [{"alternatives": [{"transcript": "error on channel sixteen, over", "confidence": 0.91}]}],
            },
        },
        None,
        (),
        "transcribe_radio",
        {"uri": "gs://vhf/ch16.flac"},
        "google.longrunning.Operation",
    ),
    Case(
        "cloud/ok-activity-log",
        lambda: {
            "value": [
                {
                    "operationName": {"value": "Microsoft.Web/sites/restart/action"},
                    "status": {"value": "Failed"},
                    "subStatus": {"value": "Conflict"},
                    "level": "Error",
                    "eventTimestamp": "2025-03-02T10:00:00Z",
                    "properties": {"statusCode": "Conflict", "message": "The site is locked."},
                }
            ]
        },
        None,
        (),
        "list_activity_log",
        {"resource_group": "lab", "days": 1},
        "Azure Monitor, activity log",
    ),
    Case(
        "cloud/ok-proxy",
        lambda: {
            "statusCode": 200,
            "headers": {"Content-Type": "application/json"},
            "isBase64Encoded": False,
            "body": '{"faults": [{"code": "E12", "error": "belt slip"}], "errors": []}',
        },
        None,
        (),
        "machine_faults",
        {"machine": "baler-2"},
        "API Gateway, Lambda proxy response",
    ),
    Case(
        "cloud/ok-metric-data",
        lambda: {
            "MetricDataResults": [
                {
                    "Id": "errors",
                    "Label": "Errors",
                    "StatusCode": "Complete",
                    "Timestamps": ["2025-04-01T00:00:00Z"],
                    "Values": [14.0],
                }
            ],
            "Messages": [],
        },
        None,
        (),
        "get_metric_data",
        {"metric": "Errors", "function": "thumbnailer"},
        "Amazon CloudWatch, GetMetricData",
    ),
    Case(
        "cloud/ok-function-configuration",
        lambda: {
            "FunctionName": "thumbnailer",
            "Runtime": "python3.12",
            "Timeout": 6,
            "MemorySize": 512,
            "State": "Inactive",
            "StateReasonCode": "Idle",
            "LastUpdateStatus": "Failed",
            "LastUpdateStatusReasonCode": "EniLimitExceeded",
            "DeadLetterConfig": {"TargetArn": "arn:aws:sqs:eu-north-1:111122223333:failed"},
        },
        None,
        (),
        "get_function_configuration",
        {"name": "thumbnailer"},
        "AWS Lambda, GetFunctionConfiguration",
    ),
]

RESULTS_API = [
    Case(
        "api/ok-payment-intent",
        lambda: {
            "id": "pi_3Nq",
            "object": "payment_intent",
            "amount": 12000,
            "currency": "sek",
            "status": "requires_payment_method",
            "last_payment_error": {
                "code": "card_declined",
                "decline_code": "insufficient_funds",
                "type": "card_error",
                "message": "Your card has insufficient funds.",
            },
        },
        None,
        (),
        "get_payment_intent",
        {"id": "pi_3Nq"},
        "Stripe API, PaymentIntent",
    ),
    Case(
        "api/ok-charge",
        lambda: {
            "id": "ch_3Nr",
            "object": "charge",
            "amount": 900,
            "paid": False,
            "status": "failed",
            "failure_code": "expired_card",
            "failure_message": "Your card has expired.",
            "outcome": {"network_status": "declined_by_network", "type": "issuer_declined"},
        },
        None,
        (),
        "retrieve_charge",
        {"id": "ch_3Nr"},
        "Stripe API, Charge",
    ),
    Case(
        "api/ok-twilio-message",
        lambda: {
            "sid": "SM81",
            "to": "+46700000001",
            "from": "+46317000000",
            "body": "Gate opens at 9",
            "status": "undelivered",
            "error_code": 30003,
            "error_message": "Unreachable destination handset",
            "direction": "outbound-api",
        },
        None,
        (),
        "get_message",
        {"sid": "SM81"},
        "Twilio, Message resource",
    ),
    Case(
        "api/ok-telegram-webhook",
        lambda: {
            "ok": True,
            "result": {
                "url": "https://library.example/hook",
                "pending_update_count": 3,
                "last_error_date": 1743490000,
                "last_error_message": "Wrong response from the webhook: 502 Bad Gateway",
            },
        },
        None,
        (),
        "get_webhook_info",
        {},
        "Telegram Bot API, WebhookInfo",
    ),
    Case(
        "api/ok-slack-history",
        lambda: {
            "ok": True,
            "has_more": False,
            "messages": [
                {
                    "type": "message",
                    "user": "U1",
                    "ts": "1743490000.1",
                    "text": "error: channel_not_found when I post to #berths",
                }
            ],
        },
        None,
        (),
        "channel_history",
        {"channel": "C02"},
        "Slack Web API, conversations.history",
    ),
    Case(
        "api/ok-graphql-user-errors",
        lambda: {
            "data": {
                "orderUpdate": {"order": {"id": "gid://shopify/Order/4480", "note": "error on label"}, "userErrors": []}
            }
        },
        None,
        (),
        "update_order",
        {"id": "gid://shopify/Order/4480", "note": "error on label"},
        "Shopify Admin API, userErrors",
    ),
    Case(
        "api/ok-jsend",
        lambda: {"status": "success", "data": {"failed_renewals": [], "renewed": ["30124", "30127"]}},
        None,
        (),
        "renew_all",
        {"card": "L-1009"},
        "JSend",
    ),
    Case(
        "api/ok-elasticsearch-search",
        lambda: {
            "took": 4,
            "timed_out": False,
            "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
            "hits": {
                "total": {"value": 1, "relation": "eq"},
                "hits": [{"_id": "a1", "_source": {"level": "error", "message": "connection refused", "status": 503}}],
            },
        },
        None,
        (),
        "search_logs",
        {"query": "level:error"},
        "Elasticsearch, search API",
    ),
    Case(
        "api/ok-elasticsearch-bulk",
        lambda: {
            "took": 9,
            "errors": False,
            "items": [{"delete": {"_index": "salinity", "_id": "s-2", "result": "deleted", "status": 200}}],
        },
        None,
        (),
        "bulk_index",
        {"index": "salinity", "documents": 1},
        "Elasticsearch, bulk API",
    ),
    Case(
        "api/ok-couchdb-document",
        lambda: {
            "_id": "fault-2025-031",
            "_rev": "1-9a",
            "machine": "baler-2",
            "error": "belt_slip",
            "reason": "tension below 40 N",
            "at": "2025-03-30T11:02:00Z",
        },
        None,
        (),
        "get_document",
        {"db": "machine-faults", "id": "fault-2025-031"},
        "CouchDB, document API",
    ),
    Case(
        "api/ok-salesforce-create",
        lambda: {"id": "0035g00000XyZ1AAE", "success": True, "errors": []},
        None,
        (),
        "create_contact",
        {"LastName": "Error", "FirstName": "Terry"},
        "Salesforce REST API, create",
    ),
    Case(
        "api/ok-classification",
        lambda: [[{"label": "error_report", "score": 0.94}, {"label": "praise", "score": 0.06}]],
        None,
        (),
        "classify_text",
        {"text": "It fails every time I scan my card"},
        "Hugging Face, text classification",
    ),
    Case(
        "api/ok-alpha-vantage",
        lambda: {
            "Meta Data": {
                "1. Information": "Daily Prices (open, high, low, close) and Volumes",
                "2. Symbol": "MAERSK-B.CO",
            },
            "Time Series (Daily)": {"2025-03-31": {"1. open": "11905.0", "4. close": "11850.0"}},
        },
        None,
        (),
        "daily_prices",
        {"symbol": "MAERSK-B.CO"},
        "Alpha Vantage, TIME_SERIES_DAILY",
    ),
    Case(
        "api/ok-soap-fault-history",
        lambda: (
            b'<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><GetFaultHistoryResponse '
            b'xmlns="urn:grid"><LineFault line="L7" at="2025-02-01">phase to ground</LineFault><LineFault '
            b'line="L9" '
            b'at="2025-02-03">breaker timeout</LineFault></GetFaultHistoryResponse></soap:Body></soap:Envelope>'
        ),
        None,
        (),
        "get_fault_history",
        {"substation": "north"},
        "SOAP 1.1, response body",
    ),
    Case(
        "api/ok-token-introspection",
        lambda: {"active": False},
        None,
        (),
        "introspect_token",
        {"token": "mF_9.B5f"},
        "RFC 7662, introspection response",
    ),
    Case(
        "api/ok-errcode-zero",
        lambda: {"errcode": 0, "errmsg": "ok", "msgid": 294410},
        None,
        (),
        "send_wechat",
        {"to": "oABC", "text": "Your room is ready"},
        "WeChat API, global return codes",
    ),
]

RESULTS_HTTP = [
    Case(
        "http/ok-article",
        lambda: {
            "status_code": 200,
            "headers": {"content-type": "text/html"},
            "body": "<html><head><title>404 Not Found: a short history of an error page</title></head><body><h1>404 "
            "Not Found"
            "</h1><p>The most famous number of the web was coined at CERN, or so the story "
            "goes.</p></body></html>",
        },
        None,
        (),
        "fetch_page",
        {"url": "https://blog.example/history-of-404"},
        "HTTP 200 with an article",
    ),
    Case(
        "http/ok-stored-page",
        lambda: NGINX_502,
        None,
        (),
        "read_file",
        {"path": "/usr/share/nginx/html/502.html"},
        "stored error page",
    ),
    Case(
        "http/ok-urllib-response",
        lambda: _addinfourl(200, "OK", b'{"error_budget": 0.4, "errors": 12}', "https://slo.example/timetable"),
        None,
        (),
        "get_slo",
        {"service": "timetable"},
        "Python docs, urllib.response.addinfourl",
    ),
    Case(
        "http/ok-http-client-response",
        lambda: _http_response(b"HTTP/1.1 204 No Content\r\nDate: Tue, 01 Apr 2025 06:00:00 GMT\r\n\r\n"),
        None,
        (),
        "clear_alarm",
        {"alarm": "timeout-gauge-7"},
        "Python docs, http.client.HTTPResponse",
    ),
    Case(
        "http/ok-status-enum",
        lambda: http.HTTPStatus.NOT_FOUND,
        None,
        (),
        "lookup_http_status",
        {"phrase": "Not Found"},
        "Python docs, http.HTTPStatus",
    ),
    Case(
        "http/ok-link-report",
        lambda: {
            "checked": 3,
            "broken": 2,
            "links": [
                {"url": "https://a.example/", "status": 200},
                {"url": "https://b.example/gone", "status": 410},
                {"url": "https://c.example/", "status": None, "error": "getaddrinfo ENOTFOUND c.example"},
            ],
        },
        None,
        (),
        "check_links",
        {"page": "https://museum.example/links"},
        "link checker report",
    ),
    Case(
        "http/ok-redirect-trace",
        lambda: [
            {"url": "http://old.example/menu", "status": 301, "location": "https://old.example/menu"},
            {"url": "https://old.example/menu", "status": 404, "location": None},
        ],
        None,
        (),
        "trace_redirects",
        {"url": "http://old.example/menu"},
        "redirect trace",
    ),
    Case(
        "http/ok-har-entries",
        lambda: {
            "log": {
                "version": "1.2",
                "entries": [
                    {
                        "request": {"method": "GET", "url": "https://fares.example/q"},
                        "response": {
                            "status": 500,
                            "statusText": "Internal Server Error",
                            "content": {"text": '{"error": "boom"}'},
                        },
                    }
                ],
            }
        },
        None,
        (),
        "load_har",
        {"path": "session-14.har"},
        "HAR 1.2",
    ),
    Case(
        "http/ok-stored-exchange",
        lambda: {
            "id": "wh_201",
            "attempt": 3,
            "request": {"url": "https://pms.example/hook", "event": "booking.created"},
            "response": {"status_code": 503, "body": "Service Unavailable"},
            "next_attempt": "2025-04-01T10:00:00Z",
        },
        None,
        (),
        "get_webhook_delivery",
        {"id": "wh_201"},
        "webhook delivery log",
    ),
]

RESULTS_PROGRAMS = [
    Case(
        "programs/ok-grep",
        lambda: subprocess.CompletedProcess(["grep", "-c", "ERROR", "winch.log"], 1, "0\n", ""),
        None,
        (),
        "run_command",
        {"command": "grep -c ERROR winch.log"},
        "grep manual, exit status 1",
    ),
    Case(
        "programs/ok-diff",
        lambda: {"returncode": 1, "stdout": "3c3\n< Mon: Ito\n---\n> Mon: Berg\n", "stderr": ""},
        None,
        (),
        "run_command",
        {"command": "diff rota-old.txt rota-new.txt"},
        "diff manual, exit status 1",
    ),
    Case(
        "programs/ok-git-diff-quiet",
        lambda: {"stdout": "", "stderr": "", "exit_code": 1},
        None,
        (),
        "bash",
        {"command": "git diff --quiet HEAD -- charts/"},
        "git diff manual, --quiet",
    ),
    Case(
        "programs/ok-terraform-plan",
        lambda: {
            "exit_code": 2,
            "stderr": "",
            "stdout": "Terraform will perform the following actions:\n\n  # "
            "aws_sqs_queue.failed "
            "will be created\n\nPlan: 1 to add, 0 to change, 0 to destroy.\n",
        },
        None,
        (),
        "terraform",
        {"args": ["plan", "-detailed-exitcode"]},
        "terraform plan, -detailed-exitcode",
    ),
    Case(
        "programs/ok-pytest",
        lambda: (
            (
                "============================= test session starts ==============================\ncollected 12 items\n\n"
                "tests/test_tides.py ..........F.                                         [100%]\n\n"
                "=================================== FAILURES ===================================\n"
                "E       AssertionError: assert 3.2 == 3.4\n=========================== short test summary info ===========\n"
                "FAILED tests/test_tides.py::test_high_water - AssertionError: assert 3.2 == 3.4\n"
                "========================= 1 failed, 11 passed in 0.41s =========================\n"
            ),
            "",
            1,
        ),
        None,
        (),
        "run_tests",
        {"command": "pytest tests/test_tides.py"},
        "pytest, exit code 1",
    ),
    Case(
        "programs/ok-eslint",
        lambda: {
            "command": "eslint src --format json",
            "exitCode": 1,
            "stderr": "",
            "stdout": '[{"filePath":"/app/src/map.js","errorCount":1,"fatalErrorCount":0,"messages":[{'
            '"ruleId":"no-undef","severity":2,"message":"\'zoom\' is not defined.","line":7}]}]',
        },
        None,
        (),
        "lint",
        {"paths": ["src"]},
        "ESLint, exit code 1",
    ),
    Case(
        "programs/ok-stderr-warning",
        lambda: subprocess.CompletedProcess(
            ["pdftotext", "deed.pdf", "-"],
            0,
            "Deed of sale, 4 May 1871 ...\n",
            "Syntax Error (1204): Missing 'endstream'\nSyntax Warning: Invalid Font Weight\n",
        ),
        None,
        (),
        "extract_text",
        {"file": "deed.pdf"},
        "Poppler, warnings on stderr",
    ),
    Case(
        "programs/ok-tuple",
        lambda: ("Already up to date.\n", "warning: redirecting to https://git.example/charts.git/\n", 0),
        None,
        (),
        "git",
        {"args": ["pull"]},
        "git, messages on stderr",
    ),
    Case(
        "programs/ok-docker-exec",
        lambda: ExecResult(0, b"ERROR 1045: access denied (28000)\nERROR 1046: no database selected (3D000)\n"),
        None,
        (),
        "container_exec",
        {"container": "db", "cmd": "perror 1045 1046"},
        "Docker SDK, Container.exec_run",
    ),
    Case(
        "programs/ok-not-timed-out",
        lambda: {
            "stdout": "aligned 40 reads, 2 failed the quality filter\n",
            "stderr": "",
            "exit_code": 0,
            "timed_out": False,
        },
        None,
        (),
        "execute_command",
        {"command": "align reads.fq", "timeout": 60},
        "sandbox runners, timed_out",
    ),
    Case(
        "programs/ok-jupyter",
        lambda: {
            "status": "ok",
            "execution_count": 9,
            "payload": [],
            "user_expressions": {"n_errors": {"status": "ok", "data": {"text/plain": "3"}, "metadata": {}}},
        },
        None,
        (),
        "run_cell",
        {"code": "n_errors = df['error'].notna().sum()"},
        "Jupyter messaging, execute_reply",
    ),
    Case(
        "programs/ok-repl-handled",
        lambda: (
            "row 7: caught ValueError(\"could not convert string to float: 'n/a'\"), skipped\nmean salinity 34.1 over "
            "411 rows\n"
        ),
        None,
        (),
        "python_repl",
        {"code": "clean(rows)\nprint(f'mean salinity {mean:.1f} over {n} rows')"},
        "REPL output",
    ),
    Case(
        "programs/ok-click-result",
        _click_ok,
        None,
        (),
        "firmware_errors",
        {"model": "CTD-9"},
        "Click, testing Result and exit code 0",
    ),
]

RESULTS_PYTHON = [
    Case(
        "python/ok-dataclass",
        lambda: _Delivery(success=True, message_id="m-771", error=None, retries=2),
        None,
        (),
        "send_notice",
        {"to": "L-1009"},
        "dataclass result with success and error",
    ),
    Case(
        "python/ok-attrs",
        _attrs_success,
        None,
        (),
        "import_catalogue",
        {"file": "marc-0401.xml"},
        "attrs result with an empty errors list",
    ),
    Case(
        "python/ok-tuple-value",
        lambda: ({"station": 4411, "name": "Smogen"}, None),
        None,
        (),
        "station_info",
        {"station": 4411},
        "(value, error) return convention",
    ),
    Case(
        "python/ok-none",
        lambda: None,
        None,
        (),
        "dim_lights",
        {"room": 204, "level": 20},
        "tool without a return value",
    ),
    Case(
        "python/ok-empty-list",
        list,
        None,
        (),
        "find_overdue_loans",
        {"card": "L-1009"},
        "empty search result",
    ),
    Case(
        "python/ok-false",
        lambda: False,
        None,
        (),
        "file_exists",
        {"path": "/srv/scans/p18.tif"},
        "predicate",
    ),
    Case(
        "python/ok-log-record",
        _log_record,
        None,
        (),
        "last_log_record",
        {"logger": "mooring", "level": "ERROR"},
        "Python docs, logging.LogRecord",
    ),
    Case(
        "python/ok-test-result",
        _unittest_result,
        None,
        (),
        "run_tests",
        {"module": "test_invoice"},
        "Python docs, unittest.TestResult",
    ),
    Case(
        "python/ok-counter",
        lambda: collections.Counter({"ERROR": 14, "WARNING": 3, "CRITICAL": 1}),
        None,
        (),
        "count_log_levels",
        {"file": "winch.log"},
        "Python docs, collections.Counter",
    ),
    Case(
        "python/ok-json-cut-off",
        lambda: '[{"id": 1, "status": "failed", "error": "exit code 2"}, {"id": 2, "status": "passed"}, {"id": 3, "sta',
        None,
        (),
        "list_jobs",
        {"pipeline": "charts", "max_chars": 110},
        "JSON list of jobs, truncated",
    ),
]

# ================================================================================================ results: by kind
RESULTS_KINDS = [
    # search results and documents
    Case(
        "search/web",
        lambda: {
            "results": [
                {
                    "title": "Error 404 on the booking page - how to fix it",
                    "url": "https://help.example/404",
                    "snippet": 'If you see "Error: page not found", clear the cache ...',
                }
            ],
            "total": 1,
        },
        None,
        (),
        "web_search",
        {"query": "booking page error 404"},
        "search results",
    ),
    Case(
        "search/books",
        lambda: (
            "1. Failed States and Fragile Societies (2014)\n2. The Error World: An Affair with Stamps (2008)\n3. "
            "Timeout (2010)"
        ),
        None,
        (),
        "search_books",
        {"query": "error failed timeout"},
        "search results",
    ),
    Case(
        "docs/help-article",
        lambda: (
            "Error: EADDRINUSE\n=================\n\nThis error appears when two servers want the same port. Find the "
            "other "
            "process with `ss -ltnp`, stop it or choose another port, then start the server again.\n\nSee also: EACCES, "
            "ECONNREFUSED."
        ),
        None,
        (),
        "get_help_article",
        {"slug": "eaddrinuse"},
        "help article",
    ),
    Case(
        "docs/retrieved-chunks",
        lambda: [
            {
                "score": 0.82,
                "document": "ops-handbook.md#timeouts",
                "text": "When a request times out, the client must not retry a payment.",
            },
            {"score": 0.79, "document": "ops-handbook.md#errors", "text": "Return 403 when the card is blocked."},
        ],
        None,
        (),
        "query_knowledge_base",
        {"question": "What do we do when a payment times out?"},
        "retrieval results",
    ),
    # logs
    Case(
        "logs/tail-text",
        lambda: "ERROR:winch:motor overheated\nERROR:winch:emergency stop\nINFO:winch:restarted\n",
        None,
        (),
        "tail_log",
        {"file": "winch.log", "lines": 3},
        "Python logging, basicConfig format",
    ),
    Case(
        "logs/tail-bytes",
        lambda: (
            b"2025/04/01 06:10:00 [error] 31#31: *918 connect() failed (111: Connection refused) while connecting to "
            b"upstream, "
            b"client: 10.0.0.4, server: charts.example\n"
        ),
        None,
        (),
        "read_log",
        {"path": "/var/log/nginx/error.log", "tail": 1},
        "nginx, error log",
    ),
    Case(
        "logs/events",
        lambda: {
            "events": [
                {
                    "timestamp": 1743490000000,
                    "message": "[ERROR] KeyError: 'berth'\nTraceback (most recent call "
                    "last):"
                    '\n  File "/var/task/app.py", line 9, in handler',
                }
            ],
            "searchedLogStreams": [],
        },
        None,
        (),
        "filter_log_events",
        {"group": "/aws/lambda/berths", "pattern": "ERROR"},
        "CloudWatch Logs, FilterLogEvents",
    ),
    # lists of error codes, class names
    Case(
        "codes/errno",
        lambda: {
            "ENOENT": "No such file or directory",
            "EACCES": "Permission denied",
            "ETIMEDOUT": "Connection timed out",
        },
        None,
        (),
        "list_errno",
        {"names": ["ENOENT", "EACCES", "ETIMEDOUT"]},
        "errno(3)",
    ),
    Case(
        "codes/catalogue-xml",
        lambda: (
            '<ErrorCatalogue device="CTD-9"><Error code="E07">Sensor saturated</Error><Error code="E12">Battery low'
            "</Error></ErrorCatalogue>"
        ),
        None,
        (),
        "get_error_catalogue",
        {"device": "CTD-9"},
        "device error catalogue",
    ),
    Case(
        "codes/class-name",
        lambda: "FileNotFoundError",
        None,
        (),
        "exception_for_errno",
        {"errno": 2},
        "Python docs, exception names",
    ),
    # source code
    Case(
        "source/docstring",
        lambda: (
            'def parse(line):\n    """Parse one reading.\n\n    >>> parse(\'x\')\n    Traceback (most recent call last):\n'
            '        ...\n    ValueError: could not convert string to float: \'x\'\n    """\n    return float(line)\n'
        ),
        None,
        (),
        "read_file",
        {"path": "src/readings/parse.py"},
        "doctest, expected exceptions",
    ),
    Case(
        "source/handler",
        lambda: {
            "path": "app/errors.py",
            "encoding": "utf-8",
            "size": 118,
            "content": '@app.errorhandler(404)\ndef missing(e):\n    return {"error": "not found", "status": '
            "404}, 404\n",
        },
        None,
        (),
        "get_file_contents",
        {"path": "app/errors.py", "ref": "main"},
        "source file",
    ),
    # records that were asked for
    Case(
        "records/incident",
        lambda: {
            "id": "INC-209",
            "status": "resolved",
            "severity": "critical",
            "title": "Booking API returned 503 for 20 minutes",
            "error": "upstream connect error",
            "root_cause": "expired TLS certificate",
        },
        None,
        (),
        "get_incident",
        {"id": "INC-209"},
        "incident record",
    ),
    Case(
        "records/ci-job",
        lambda: {
            "id": 88120,
            "name": "build-charts",
            "status": "failed",
            "failure_reason": "script_failure",
            "exit_code": 2,
            "stage": "build",
            "finished_at": "2025-04-01T06:22:00Z",
            "web_url": "https://ci.example/j/88120",
        },
        None,
        (),
        "get_job",
        {"job_id": 88120},
        "GitLab, jobs API",
    ),
    Case(
        "records/backup",
        lambda: {
            "jobs": [
                {"id": "b1", "status": "success", "error": None},
                {"id": "b2", "status": "error", "error": "No space left on device"},
            ]
        },
        None,
        (),
        "list_backups",
        {"since": "2025-03-30"},
        "backup records",
    ),
    Case(
        "records/parcel",
        lambda: {
            "parcel": "RR123456785SE",
            "status": "DELIVERY_FAILED",
            "reason": "recipient not found at address",
            "next_attempt": "2025-04-03",
        },
        None,
        (),
        "track_parcel",
        {"parcel": "RR123456785SE"},
        "parcel tracking",
    ),
    Case(
        "records/error-group",
        lambda: {
            "id": "4410",
            "type": "error",
            "level": "error",
            "title": "KeyError: 'total'",
            "status": "unresolved",
            "count": 71,
            "metadata": {"type": "KeyError", "value": "'total'", "filename": "invoice.py"},
        },
        None,
        (),
        "get_error_details",
        {"issue_id": "4410"},
        "Sentry, issue",
    ),
    # health of another service
    Case(
        "health/service",
        lambda: {
            "service": "billing",
            "status": "DOWN",
            "components": {
                "db": {"status": "DOWN", "details": {"error": "java.net.ConnectException: Connection refused"}},
                "diskSpace": {"status": "UP"},
            },
        },
        None,
        (),
        "check_health",
        {"service": "billing"},
        "Spring Boot Actuator, health",
    ),
    Case(
        "health/probe",
        lambda: {
            "url": "https://timetable.example/",
            "healthy": False,
            "status_code": 503,
            "latency_ms": 41,
            "error": "Service Unavailable",
            "checked_at": "2025-04-01T06:00:00Z",
        },
        None,
        (),
        "check_uptime",
        {"url": "https://timetable.example/"},
        "uptime probe",
    ),
    # metrics
    Case(
        "metrics/service",
        lambda: {"service": "timetable", "error_rate": 0.031, "errors_per_minute": 12, "timeouts": 4, "p99_ms": 810},
        None,
        (),
        "get_metrics",
        {"service": "timetable", "window": "5m"},
        "service metrics",
    ),
    Case(
        "metrics/model",
        lambda: {
            "mean_absolute_error": 0.412,
            "root_mean_squared_error": 0.61,
            "standard_error": 0.02,
            "max_error": 2.9,
        },
        None,
        (),
        "evaluate_model",
        {"model": "tide-gbm", "split": "test"},
        "regression metrics",
    ),
    # flags without an error
    Case(
        "flags/error-null",
        lambda: {"error": None, "result": {"room": 204, "price": 118.0}},
        None,
        (),
        "quote_room",
        {"room": 204},
        "error: null",
    ),
    Case(
        "flags/error-false",
        lambda: {"error": False, "message": "Saved. The error log was cleared as well.", "id": 31},
        None,
        (),
        "save_settings",
        {"clear_error_log": True},
        "error: false",
    ),
    Case(
        "flags/counts",
        lambda: {"error_count": 0, "failed": 0, "errors": [], "processed": 412, "status": "completed_with_warnings"},
        None,
        (),
        "process_readings",
        {"buoy": 3},
        "error_count: 0",
    ),
    Case(
        "flags/code-zero",
        lambda: {"code": 0, "msg": "success", "error": "", "data": {"seat": "14C"}},
        None,
        (),
        "reserve_seat",
        {"train": "IC 706", "seat": "14C"},
        "code 0 and an empty error",
    ),
    # texts that were asked for
    Case(
        "text/translation",
        lambda: "Error: the ticket is not valid",
        None,
        (),
        "translate_text",
        {"text": "Fel: biljetten är inte giltig", "target": "en"},
        "translation",
    ),
    Case(
        "text/ocr",
        lambda: "Error: paper jam in tray 2\nOpen the rear door and remove the sheet.",
        None,
        (),
        "ocr_image",
        {"image": "printer-panel.jpg"},
        "text recognition",
    ),
    Case(
        "text/timetable-note",
        lambda: "Exception: line 8 does not run on Sundays and public holidays.",
        None,
        (),
        "timetable_note",
        {"line": 8},
        "timetable note",
    ),
    Case(
        "text/summary",
        lambda: (
            "Errors were found in 3 of 20 invoices: two have a wrong VAT rate (INV-7, INV-12), one lacks a date "
            "(INV-19). The "
            "others are correct."
        ),
        None,
        (),
        "audit_invoices",
        {"month": "2025-02"},
        "audit summary",
    ),
    Case(
        "text/drafted-mail",
        lambda: (
            "Dear guest,\n\nWe are sorry: your payment failed because the card was declined, and access to the sauna "
            "was denied. "
            "Please try again at the desk.\n\nHotel Alma"
        ),
        None,
        (),
        "draft_reply",
        {"topic": "declined card", "tone": "kind"},
        "generated text",
    ),
    # verdicts
    Case(
        "verdict/dice",
        _pydantic_roll,
        None,
        (),
        "roll_skill_check",
        {"skill": "lockpicking", "difficulty": 14},
        "game verdict",
    ),
    Case(
        "verdict/vat",
        lambda: {"valid": False, "reason": "checksum mismatch", "number": "SE556016068002"},
        None,
        (),
        "validate_vat",
        {"number": "SE556016068002"},
        "validator verdict",
    ),
    Case(
        "verdict/schema",
        lambda: {
            "ok": False,
            "errors": [
                {"path": "/voyage/eta", "message": "is not a date-time"},
                {"path": "/voyage", "message": "'draught' is a required property"},
            ],
        },
        None,
        (),
        "validate_document",
        {"schema": "voyage-plan", "document": "plan-14.json"},
        "validator verdict",
    ),
    Case(
        "verdict/test-run",
        lambda: {
            "success": False,
            "total": 40,
            "passed": 38,
            "failed": 2,
            "duration_s": 3.1,
            "failures": [
                {"name": "test_vat", "message": "expected 25, got 24"},
                {"name": "test_timeout", "message": "TimeoutError: page did not load"},
            ],
        },
        None,
        (),
        "run_tests",
        {"suite": "invoices"},
        "test runner verdict",
    ),
    Case(
        "verdict/fraud",
        lambda: {
            "decision": "denied",
            "score": 0.97,
            "reasons": ["card not found in vault", "too many requests from this device"],
        },
        None,
        (),
        "score_transaction",
        {"amount": 900, "card": "tok_9"},
        "fraud check verdict",
    ),
    # schemas
    Case(
        "schema/json-schema",
        lambda: {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Problem",
            "type": "object",
            "properties": {"status": {"type": "integer", "const": 404}, "error": {"type": "string"}},
            "required": ["error"],
        },
        None,
        (),
        "get_schema",
        {"name": "Problem"},
        "JSON Schema 2020-12",
    ),
    Case(
        "schema/openapi",
        lambda: {
            "openapi": "3.1.0",
            "info": {"title": "Berths", "version": "1.0"},
            "paths": {
                "/berths/{id}": {
                    "get": {
                        "responses": {
                            "404": {"description": "Berth not found"},
                            "429": {"description": "Too many requests"},
                        }
                    }
                }
            },
        },
        None,
        (),
        "get_api_spec",
        {"api": "berths"},
        "OpenAPI 3.1",
    ),
    # e-mails
    Case(
        "email/complaint",
        lambda: {
            "id": "m-81",
            "from": "guest@example.org",
            "subject": "ERROR on my invoice!!",
            "body": "Your site says 'Error: access denied' whenever I open my invoice. This has failed since Monday.",
        },
        None,
        (),
        "read_email",
        {"id": "m-81"},
        "e-mail",
    ),
    Case(
        "email/bounce",
        lambda: (
            "From: MAILER-DAEMON@mx.example\nSubject: Undelivered Mail Returned to Sender\n\n<ito@nowhere.example>: host "
            "mx.nowhere.example said: 550 5.1.1 User unknown (in reply to RCPT TO command)\n"
        ),
        None,
        (),
        "get_mail",
        {"folder": "INBOX", "uid": 4410},
        "Postfix, bounce message",
    ),
    # quoted shell sessions
    Case(
        "session/forum-post",
        lambda: (
            "How do I read the log of the winch? I tried:\n\n    $ cat /var/log/winch.log\n    cat: /var/log/winch.log: "
            "Permission "
            "denied\n    $ echo $?\n    1\n\nAnswer: add yourself to the group `adm` and sign in again."
        ),
        None,
        (),
        "fetch_post",
        {"id": 20114},
        "forum post",
    ),
    Case(
        "session/recorded",
        lambda: {
            "recording": "term-12",
            "commands": [
                {
                    "input": "ssh buoy3",
                    "output": "ssh: connect to host buoy3 port 22: Connection timed out",
                    "exit": 255,
                },
                {"input": "ssh buoy4", "output": "Welcome to buoy4", "exit": 0},
            ],
        },
        None,
        (),
        "get_terminal_recording",
        {"id": "term-12"},
        "terminal recording",
    ),
    # tables
    Case(
        "table/csv",
        lambda: "sensor,value,error\nS1,34.1,\nS2,,timeout\nS3,33.9,\n",
        None,
        (),
        "export_csv",
        {"table": "readings", "date": "2025-04-01"},
        "CSV with an error column",
    ),
    Case(
        "table/rows",
        lambda: [{"id": 7, "status": "error", "error": "E12 battery low"}, {"id": 8, "status": "ok", "error": None}],
        None,
        (),
        "run_sql",
        {"sql": "select id, status, error from sensors where id in (7, 8)"},
        "query rows",
    ),
    Case(
        "table/markdown",
        lambda: (
            "| code | meaning |\n|---|---|\n| 401 | Unauthorized |\n| 403 | Forbidden |\n| 503 | Service Unavailable |\n"
        ),
        None,
        (),
        "render_table",
        {"rows": "http_errors", "format": "markdown"},
        "Markdown table",
    ),
]

RESULTS = [
    *RESULTS_MCP,
    *RESULTS_AGENTS,
    *RESULTS_CLOUD,
    *RESULTS_API,
    *RESULTS_HTTP,
    *RESULTS_PROGRAMS,
    *RESULTS_PYTHON,
    *RESULTS_KINDS,
]

CASES: list[Case] = [*FAILURES, *RESULTS]

KINDS = (NOTOOL, ARG, NF, CONFLICT, TIMEOUT, RATE, UNAV, CONN, AUTH, PERM, QUOTA, CANCEL, EXEC)


def main() -> None:
    """Make every value and count the cases."""
    assert len({case.id for case in CASES}) == len(CASES), "ids must be unique"
    families: dict[str, list[int]] = {}
    for case in CASES:
        assert case.kind is None or case.kind in KINDS, case.id
        assert set(case.also) <= set(KINDS) - {case.kind}, case.id
        assert case.tool != "some_tool", case.id
        assert case.source, case.id
        case.make()
        families.setdefault(case.id.split("/")[0], [0, 0])[case.kind is None] += 1
    lines = [f"{len(CASES)} cases: {len(FAILURES)} failures, {len(RESULTS)} results"]
    lines += [f"  {family:10} failures {count[0]:3}  results {count[1]:3}" for family, count in families.items()]
    kinds = collections.Counter(str(case.kind) for case in CASES)
    lines += [f"  {kind:24} {count:3}" for kind, count in kinds.most_common()]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
