"""A second independent set of labelled values: failures that tools return, and results that look like them."""

from __future__ import annotations

import email.message
import errno
import io
import json
import subprocess
import urllib.error
from dataclasses import dataclass, field
from typing import Any

import attrs
from handwritten_cases import Case
from pydantic import BaseModel

# ruff: noqa: ISC004
# fmt: off

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


@dataclass
class DeviceReply:
    """The answer of a small device driver."""

    ok: bool
    detail: str = ""
    payload: Any = None


@dataclass
class ServiceReply:
    """A reply with a status word."""

    status: str
    body: Any = None
    info: str = ""


class LookupOutcome(BaseModel):
    """A pydantic result of a look-up."""

    success: bool
    record: dict[str, Any] | None = None
    message: str | None = None


@attrs.define
class RenderReport:
    """An attrs result of a render."""

    frames: int
    dropped: int = 0
    error: str | None = None
    warnings: list[str] = attrs.field(factory=list)


@dataclass
class RuleVerdict:
    """What a rule checker says of the thing it checked."""

    ok: bool
    rule: str
    message: str


class ClaimRecord(BaseModel):
    """An insurance claim."""

    number: str
    status: str
    failure_reason: str | None = None
    amount: float = 0.0


@dataclass
class AccessLogEntry:
    """One line of a stored access log."""

    at: str
    path: str
    status: int
    message: str


@dataclass
class SearchPage:
    """A page of search hits."""

    hits: list[str] = field(default_factory=list)
    total: int = 0
    error: str | None = None


@dataclass
class AttackRoll:
    """A roll of a role-playing game."""

    die: int
    modifier: int
    success: bool
    text: str


def done(command: list[str], code: int, out: str = "", err: str = "") -> subprocess.CompletedProcess[str]:
    """A finished process."""
    return subprocess.CompletedProcess(command, code, stdout=out, stderr=err)


HAND_WRITTEN_FAILURES: list[Case] = [
    # Arguments
    Case(
        "b/dental/tooth-number",
        lambda: "Tooth 38 isn't valid in Universal numbering: use 1 to 32, or A to T for primary teeth.",
        ARG, (), "chart_finding", {"tooth": 38, "finding": "caries"}, "sentence",
    ),
    Case(
        "b/radio/band-limits",
        lambda: {"ok": False, "msg": "freq_mhz must lie between 144.0 and 146.0 for the 2 m band, got 432.5"},
        ARG, (), "tune_rig", {"band": "2m", "freq_mhz": 432.5}, "little dict",
    ),
    Case(
        "b/aviation/usage",
        lambda: (
            "",
            "usage: wx.py [-h] --station ICAO [--hours N]\n"
            "wx.py: error: the following arguments are required: --station\n",
            2,
        ),
        ARG, (), "wx", {"hours": 6}, "(stdout, stderr, code) of argparse",
    ),
    Case(
        "b/print3d/layer-height",
        lambda: "[ERR] E_PARAM: layer_height=0.9 exceeds 80% of nozzle diameter (0.4)",
        ARG, (), "slice_model", {"path": "bracket.stl", "layer_height": 0.9}, "prefix and code",
    ),
    Case(
        "b/tax/year-missing",
        lambda: '{"result": null, "problem": "tax_year is missing - please pass it as a four-digit number"}',
        ARG, (), "compute_tax", {"income": 48200}, "JSON string",
    ),
    # Authentication
    Case(
        "b/grid/login-first",
        lambda: "🔒 You're not signed in. Run `grid login` first and then try again.",
        AUTH, (), "read_feeder_load", {"feeder": "F-12"}, "emoji sentence",
    ),
    Case(
        "b/insurance/session-expired",
        lambda: {"status": "failed", "reason": "Session token expired 14 minutes ago, log in again"},
        AUTH, (), "get_policy", {"policy": "P-88120"}, "little dict",
    ),
    Case(
        "b/aviation/key-rejected",
        lambda: (False, "API key was rejected by the flight data feed"),
        AUTH, (), "get_departures", {"airport": "EDDM"}, "(ok, message)",
    ),
    Case(
        "b/museum/key-401",
        lambda: "Hmm, the museum's collection API doesn't accept our key any more (it answered 401).",
        AUTH, (), "search_collection", {"query": "amphora"}, "chatty sentence",
    ),
    # Cancelled
    Case(
        "b/video/escape",
        lambda: "User pressed Esc; the render was stopped before it finished.",
        CANCELLED, (), "render_timeline", {"timeline": "trailer_v2"}, "sentence",
    ),
    Case(
        "b/agriculture/operator-cancelled",
        lambda: {"executed": False, "why": "Cancelled by the operator before it was sent"},
        CANCELLED, (), "open_valve", {"valve": "north-3", "minutes": 20}, "little dict",
    ),
    # Conflict
    Case(
        "b/chess/not-your-turn",
        lambda: "Move refused: it's Black's turn, you can't move the white knight now.",
        CONFLICT, (ARG,), "make_move", {"game": "g-417", "move": "Nf3"}, "sentence",
    ),
    Case(
        "b/rooms/taken",
        lambda: {"booked": False, "error": "Room Aurora is already taken 10:00-11:00 on 14 May"},
        CONFLICT, (), "book_room", {"room": "Aurora", "start": "2026-05-14T10:00"}, "little dict",
    ),
    Case(
        "b/video/old-text",
        lambda: "No replacement made: old_text does not occur in captions.srt",
        CONFLICT, (ARG,), "edit_file", {"path": "captions.srt", "old_text": "Helo", "new_text": "Hello"}, "sentence",
    ),
    Case(
        "b/museum/stale-revision",
        lambda: json.dumps({
            "saved": False,
            "message": "Record changed since you loaded it (you have rev 7, current is rev 9). Reload and retry.",
        }),
        CONFLICT, (), "update_exhibit", {"id": "EX-31", "rev": 7, "label": "Bronze fibula"}, "JSON string",
    ),
    Case(
        "b/sports/member-exists",
        lambda: "Sorry, a member with the e-mail jo@club.example exists already.",
        CONFLICT, (), "add_member", {"name": "Jo Lind", "email": "jo@club.example"}, "polite sentence",
    ),
    Case(
        "b/print3d/busy",
        lambda: "Printer is busy with job 'bracket_v3' (62 %), so the new job was not started. Cancel it or wait.",
        CONFLICT, (UNAVAILABLE,), "start_print", {"file": "knob.gcode"}, "sentence",
    ),
    # Connection
    Case(
        "b/radio/rigctld",
        lambda: "Can't reach the rig at 192.168.7.40:4532 - connection refused. Is rigctld running?",
        CONNECTION, (), "set_mode", {"mode": "USB"}, "sentence",
    ),
    Case(
        "b/agriculture/enotfound",
        lambda: {"data": None, "err": "getaddrinfo ENOTFOUND api.harvest.example"},
        CONNECTION, (), "get_soil_moisture", {"plot": "B4"}, "little dict with a Node message",
    ),
    Case(
        "b/grid/closed-by-peer",
        lambda: (None, "socket closed by peer while reading from the SCADA gateway"),
        CONNECTION, (), "read_breaker", {"breaker": "Q0-2"}, "(value, error)",
    ),
    Case(
        "b/print3d/link-dropped",
        lambda: DeviceReply(ok=False, detail="lost connection to printer-04.local (link dropped during M105)"),
        CONNECTION, (), "get_nozzle_temperature", {"printer": "printer-04"}, "dataclass",
    ),
    # Execution
    Case(
        "b/video/ffmpeg-187",
        lambda: "⚠️ Transcoding failed: ffmpeg exited with code 187 and left no output file.",
        EXECUTION, (), "export_clip", {"clip": "interview_03", "codec": "prores"}, "emoji sentence",
    ),
    Case(
        "b/insurance/something-wrong",
        lambda: {"success": 0, "message": "Something went wrong on our side while scoring the application"},
        EXECUTION, (), "score_application", {"application": "A-5518"}, "little dict",
    ),
    Case(
        "b/print3d/segfault",
        lambda: "Slicing crashed (segfault in the support generator), nothing was written.",
        EXECUTION, (), "slice_model", {"path": "vase.stl"}, "terse sentence",
    ),
    Case(
        "b/chess/engine-reply",
        lambda: ("FAILED", "could not parse the engine's reply: 'bestmove (none'"),
        EXECUTION, (), "best_move", {"fen": "8/8/8/8/8/5k2/6q1/7K w - - 0 1"}, "(status, message)",
    ),
    Case(
        "b/agriculture/script-traceback",
        lambda: {
            "stdout": "plots: 0\n",
            "stderr": (
                "Traceback (most recent call last):\n"
                '  File "/srv/yield_calc.py", line 18, in <module>\n'
                "    print(total / len(plots))\n"
                "          ~~~~~~^~~~~~~~~~~~\n"
                "ZeroDivisionError: division by zero\n"
            ),
            "returncode": 1,
        },
        EXECUTION, (), "run_script", {"path": "yield_calc.py"}, "CLI dict",
    ),
    # Missing
    Case(
        "b/insurance/no-claim",
        lambda: "We have no claim on file under CLM-20931.",
        MISSING, (), "get_claim", {"claim_id": "CLM-20931"}, "sentence",
    ),
    Case(
        "b/sports/bib",
        lambda: {"athlete": None, "error": "bib 4127 is not in the start list"},
        MISSING, (), "get_athlete", {"race": "half-marathon-26", "bib": 4127}, "little dict",
    ),
    Case(
        "b/museum/accession",
        lambda: '{"error": "unknown accession number 1987.44.2"}',
        MISSING, (ARG,), "get_object", {"accession": "1987.44.2"}, "JSON string",
    ),
    Case(
        "b/audio/cat",
        lambda: "cat: tracks/vo_take3.txt: No such file or directory",
        MISSING, (), "run_shell", {"command": "cat tracks/vo_take3.txt"}, "CLI output",
    ),
    Case(
        "b/aviation/never-heard",
        lambda: "Airfield ZZZX? Never heard of it.",
        MISSING, (ARG,), "get_metar", {"station": "ZZZX"}, "casual sentence",
    ),
    Case(
        "b/dental/no-patient",
        lambda: LookupOutcome(success=False, message="Patient 5521 does not exist in this practice"),
        MISSING, (), "get_patient", {"patient_id": 5521}, "pydantic object",
    ),
    # No such tool
    Case(
        "b/agriculture/no-tool",
        lambda: "There's no tool called `water_field`. You can use: read_sensor, open_valve, close_valve.",
        NO_TOOL, (), "water_field", {"field": "east"}, "sentence",
    ),
    Case(
        "b/sports/unknown-function",
        lambda: {"error": "unknown_function", "name": "mint_badge"},
        NO_TOOL, (), "mint_badge", {"runner": 12}, "little dict",
    ),
    # Permission
    Case(
        "b/chess/arbiters-only",
        lambda: "Only chief arbiters may change a published result, so nothing was changed.",
        PERMISSION, (), "set_result", {"game": "R5-B3", "result": "1-0"}, "sentence",
    ),
    Case(
        "b/dental/hygienist",
        lambda: {"written": False, "error": "role 'hygienist' lacks write access to prescriptions"},
        PERMISSION, (), "write_prescription", {"patient_id": 771, "drug": "amoxicillin"}, "little dict",
    ),
    Case(
        "b/grid/setpoints",
        lambda: "bash: /srv/grid/setpoints.conf: Permission denied",
        PERMISSION, (), "run_shell", {"command": "echo 'vmax=1.05' >> /srv/grid/setpoints.conf"}, "CLI output",
    ),
    Case(
        "b/aviation/tower-tapes",
        lambda: '{"ok":false,"code":"FORBIDDEN","text":"Your user group may not open tower recordings"}',
        PERMISSION, (), "open_recording", {"tower": "A", "date": "2026-03-02"}, "JSON string",
    ),
    # Quota
    Case(
        "b/video/credits",
        lambda: "Your account is out of render credits (0 left, 12 needed). Top up to continue.",
        QUOTA, (), "render_cloud", {"project": "wedding"}, "sentence",
    ),
    Case(
        "b/radio/sd-card",
        lambda: {"done": False, "why": "no space left on the SD card"},
        QUOTA, (), "start_recording", {"channel": 16}, "little dict",
    ),
    Case(
        "b/insurance/fax-balance",
        lambda: "💸 Balance too low: sending this fax costs $0.40, you have $0.11.",
        QUOTA, (), "send_fax", {"to": "+15550100", "document": "claim.pdf"}, "emoji sentence",
    ),
    # Rate limit
    Case(
        "b/tax/slow-down",
        lambda: "Slow down please: 30 look-ups per minute is the maximum. Try again in 41 s.",
        RATE, (), "lookup_vat_number", {"number": "DE123456789"}, "polite sentence",
    ),
    Case(
        "b/sports/list-429",
        lambda: ["error", "too many requests", {"retry_in": 12}],
        RATE, (), "get_standings", {"league": "handball-2"}, "list",
    ),
    Case(
        "b/chess/server-wait",
        lambda: {"result": None, "info": "Rate limited by the chess server, wait until 14:02:10 UTC"},
        RATE, (), "get_rating_history", {"player": "petra_k"}, "little dict",
    ),
    # Time-out
    Case(
        "b/agriculture/gave-up",
        lambda: "No answer from the combine's controller within 20 seconds, gave up.",
        TIMEOUT, (CONNECTION,), "read_grain_level", {"machine": "combine-2"}, "terse sentence",
    ),
    Case(
        "b/print3d/killed",
        lambda: {
            "stdout": "Layer 1/480\nLayer 2/480\n", "stderr": "", "killed": True, "reason": "exceeded 60s limit",
        },
        TIMEOUT, (), "run_command", {"command": "slicer --in vase.stl --out vase.gcode"}, "CLI dict",
    ),
    Case(
        "b/tax/query-stopped",
        lambda: "Query took longer than 15 s and was stopped.",
        TIMEOUT, (), "query_returns", {"sql": "SELECT * FROM returns r JOIN payments p ON true"}, "sentence",
    ),
    # Unavailable
    Case(
        "b/aviation/maintenance",
        lambda: "The weather desk is down for maintenance until 06:00Z, please come back later.",
        UNAVAILABLE, (), "get_taf", {"station": "EGLL"}, "polite sentence",
    ),
    Case(
        "b/insurance/503",
        lambda: {"code": 503, "message": "Scoring service temporarily out of order"},
        UNAVAILABLE, (), "score_risk", {"vin": "WVWZZZ1JZXW000001"}, "little dict",
    ),
    Case(
        "b/grid/forecast-offline",
        lambda: ServiceReply(status="error", info="Forecast backend offline, no replica is ready"),
        UNAVAILABLE, (), "forecast_load", {"zone": "SE4"}, "dataclass with a status word",
    ),
]


DOCUMENTED_FAILURES: list[Case] = [
    # Arguments
    Case(
        "b/doc/jsonrpc-invalid-params",
        lambda: {
            "jsonrpc": "2.0",
            "id": 7,
            "error": {"code": -32602, "message": "Invalid params", "data": {"heading": "expected a number 0..359"}},
        },
        ARG, (), "turn_antenna", {"heading": "north-ish"}, "JSON-RPC 2.0",
    ),
    Case(
        "b/doc/fastapi-422",
        lambda: {
            "detail": [
                {"type": "missing", "loc": ["body", "field_id"], "msg": "Field required", "input": {"crop": "barley"}}
            ]
        },
        ARG, (), "plan_sowing", {"crop": "barley"}, "FastAPI RequestValidationError body",
    ),
    Case(
        "b/doc/jsend-fail",
        lambda: {"status": "fail", "data": {"title": "A title is required"}},
        ARG, (), "create_exhibition", {"opens": "2026-09-01"}, "JSend fail",
    ),
    Case(
        "b/doc/stripe-param",
        lambda: json.dumps({
            "error": {
                "code": "parameter_missing",
                "doc_url": "https://stripe.com/docs/error-codes/parameter-missing",
                "message": "Missing required param: amount.",
                "param": "amount",
                "type": "invalid_request_error",
            }
        }).encode(),
        ARG, (), "create_payment_intent", {"currency": "eur"}, "Stripe error body as bytes",
    ),
    # Authentication
    Case(
        "b/doc/salesforce-session",
        lambda: [{"message": "Session expired or invalid", "errorCode": "INVALID_SESSION_ID"}],
        AUTH, (), "query_accounts", {"soql": "SELECT Id FROM Account LIMIT 5"}, "Salesforce REST",
    ),
    Case(
        "b/doc/graph-token",
        lambda: {
            "error": {
                "code": "InvalidAuthenticationToken",
                "message": "Access token has expired or is not yet valid.",
                "innerError": {
                    "date": "2026-03-04T09:11:52",
                    "request-id": "5b1f3a0e-0a9d-4c0e-8a5b-2d3c7f9e1b11",
                    "client-request-id": "5b1f3a0e-0a9d-4c0e-8a5b-2d3c7f9e1b11",
                },
            }
        },
        AUTH, (), "list_messages", {"folder": "Inbox"}, "Microsoft Graph",
    ),
    Case(
        "b/doc/git-auth",
        lambda: done(
            ["git", "push", "origin", "main"], 128, "",
            "remote: Invalid username or token. Password authentication is not supported for Git operations.\n"
            "fatal: Authentication failed for 'https://github.com/acme/tractor-maps.git/'\n",
        ),
        AUTH, (), "git_push", {"branch": "main"}, "git over HTTPS",
    ),
    # Cancelled
    Case(
        "b/doc/google-lro-cancelled",
        lambda: {
            "name": "projects/museum-3/locations/eu/operations/9917",
            "metadata": {"@type": "type.googleapis.com/google.cloud.videointelligence.v1.AnnotateVideoProgress"},
            "done": True,
            "error": {"code": 1, "message": "The operation was cancelled."},
        },
        CANCELLED, (), "annotate_video", {"uri": "gs://museum-3/tour.mp4"}, "google.longrunning.Operation",
    ),
    Case(
        "b/doc/anthropic-rejected",
        lambda: {
            "type": "tool_result",
            "tool_use_id": "toolu_01Qx7cS3",
            "is_error": True,
            "content": (
                "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file "
                "edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to "
                "tell you how to proceed."
            ),
        },
        CANCELLED, (PERMISSION,), "Bash", {"command": "rm -r renders/"}, "Anthropic tool_result of a coding agent",
    ),
    # Conflict
    Case(
        "b/doc/kubernetes-conflict",
        lambda: {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": (
                'Operation cannot be fulfilled on deployments.apps "ticketing": the object has been modified; '
                "please apply your changes to the latest version and try again"
            ),
            "reason": "Conflict",
            "details": {"name": "ticketing", "group": "apps", "kind": "deployments"},
            "code": 409,
        },
        CONFLICT, (), "replace_deployment", {"name": "ticketing", "replicas": 3}, "Kubernetes Status",
    ),
    Case(
        "b/doc/slack-name-taken",
        lambda: {"ok": False, "error": "name_taken"},
        CONFLICT, (), "conversations_create", {"name": "harvest-2026"}, "Slack Web API",
    ),
    Case(
        "b/doc/git-merge",
        lambda: done(
            ["git", "merge", "feature/irrigation"], 1,
            "Auto-merging plan.yaml\n"
            "CONFLICT (content): Merge conflict in plan.yaml\n"
            "Automatic merge failed; fix conflicts and then commit the result.\n",
        ),
        CONFLICT, (EXECUTION,), "git_merge", {"branch": "feature/irrigation"}, "git merge",
    ),
    # Connection
    Case(
        "b/doc/curl-7",
        lambda: done(
            ["curl", "-sS", "https://telemetry.local:8443/feeder"], 7, "",
            "curl: (7) Failed to connect to telemetry.local port 8443 after 2 ms: Couldn't connect to server\n",
        ),
        CONNECTION, (), "run_command", {"command": "curl -sS https://telemetry.local:8443/feeder"}, "curl exit code 7",
    ),
    Case(
        "b/doc/reset-by-peer",
        lambda: ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"),
        CONNECTION, (), "poll_inverter", {"inverter": 4}, "exception returned",
    ),
    # Execution
    Case(
        "b/doc/mcp-is-error",
        lambda: {
            "content": [{"type": "text", "text": "Error executing tool mix_stems: 'NoneType' object is not iterable"}],
            "isError": True,
        },
        EXECUTION, (), "mix_stems", {"session": "live-12"}, "MCP CallToolResult",
    ),
    Case(
        "b/doc/lambda-node",
        lambda: {
            "errorType": "TypeError",
            "errorMessage": "Cannot read properties of undefined (reading 'plots')",
            "trace": [
                "TypeError: Cannot read properties of undefined (reading 'plots')",
                "    at Runtime.handler (file:///var/task/index.mjs:14:31)",
                "    at Runtime.handleOnceNonStreaming (file:///var/runtime/index.mjs:1173:29)",
            ],
        },
        EXECUTION, (), "estimate_yield", {"farm": "F-9"}, "AWS Lambda, Node runtime",
    ),
    Case(
        "b/doc/openai-agents",
        lambda: "An error occurred while running the tool. Please try again. Error: list index out of range",
        EXECUTION, (), "summarize_round", {"round": 9}, "OpenAI Agents SDK default_tool_error_function",
    ),
    Case(
        "b/doc/go-panic",
        lambda: done(
            ["./stl-repair", "gear.stl"], 2, "reading gear.stl\n",
            "panic: runtime error: index out of range [3] with length 3\n\n"
            "goroutine 1 [running]:\n"
            "main.repair({0xc000012345, 0x3, 0x3})\n"
            "\t/src/stl-repair/main.go:57 +0x1d\n"
            "main.main()\n"
            "\t/src/stl-repair/main.go:21 +0x8f\n",
        ),
        EXECUTION, (), "repair_mesh", {"path": "gear.stl"}, "Go panic",
    ),
    Case(
        "b/doc/soap-fault",
        lambda: (
            '<?xml version="1.0" encoding="utf-8"?>'
            '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault>'
            "<faultcode>soap:Server</faultcode>"
            "<faultstring>System.Web.Services.Protocols.SoapException: Server was unable to process request. "
            "---&gt; System.NullReferenceException: Object reference not set to an instance of an object."
            "</faultstring><detail /></soap:Fault></soap:Body></soap:Envelope>"
        ),
        EXECUTION, (), "calculate_premium", {"product": "HH-2"}, "SOAP 1.1 Fault of ASP.NET",
    ),
    # Missing
    Case(
        "b/doc/elasticsearch-index",
        lambda: {
            "error": {
                "root_cause": [
                    {
                        "type": "index_not_found_exception",
                        "reason": "no such index [matches-1998]",
                        "resource.type": "index_or_alias",
                        "resource.id": "matches-1998",
                        "index_uuid": "_na_",
                        "index": "matches-1998",
                    }
                ],
                "type": "index_not_found_exception",
                "reason": "no such index [matches-1998]",
                "resource.type": "index_or_alias",
                "resource.id": "matches-1998",
                "index_uuid": "_na_",
                "index": "matches-1998",
            },
            "status": 404,
        },
        MISSING, (), "search_index", {"index": "matches-1998", "query": "final"}, "Elasticsearch",
    ),
    Case(
        "b/doc/s3-no-such-key",
        lambda: (
            b'<?xml version="1.0" encoding="UTF-8"?>\n'
            b"<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message>"
            b"<Key>scans/panoramic-0412.dcm</Key><RequestId>4442587FB7D0A2F9</RequestId>"
            b"<HostId>Uuag1LuByRx9e6j5Onimru9pO4ZVKnJ2Qz7</HostId></Error>"
        ),
        MISSING, (), "download_scan", {"key": "scans/panoramic-0412.dcm"}, "Amazon S3 REST error as bytes",
    ),
    Case(
        "b/doc/github-graphql",
        lambda: json.dumps({
            "data": {"repository": None},
            "errors": [
                {
                    "type": "NOT_FOUND",
                    "path": ["repository"],
                    "locations": [{"line": 1, "column": 9}],
                    "message": "Could not resolve to a Repository with the name 'acme/ham-logger'.",
                }
            ],
        }),
        MISSING, (), "get_repository", {"owner": "acme", "name": "ham-logger"}, "GitHub GraphQL",
    ),
    Case(
        "b/doc/discord-channel",
        lambda: {"message": "Unknown Channel", "code": 10003},
        MISSING, (), "get_channel", {"channel_id": "881207700000000000"}, "Discord JSON error code",
    ),
    # No such tool
    Case(
        "b/doc/langgraph-not-valid",
        lambda: {
            "type": "tool",
            "content": "Error: plot_elo is not a valid tool, try one of [get_rating, get_games].",
            "name": "plot_elo",
            "tool_call_id": "call_k2Jd",
            "status": "error",
        },
        NO_TOOL, (), "plot_elo", {"player": "petra_k"}, "LangGraph ToolNode message",
    ),
    Case(
        "b/doc/mcp-unknown-tool",
        lambda: '{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown tool: dim_gallery_lights"}}',
        NO_TOOL, (), "dim_gallery_lights", {"gallery": 4, "percent": 30}, "MCP specification, tools, error handling",
    ),
    # Permission
    Case(
        "b/doc/aws-cli-denied",
        lambda: done(
            ["aws", "s3api", "put-object", "--bucket", "x-rays", "--key", "a.png"], 254, "",
            "\nAn error occurred (AccessDenied) when calling the PutObject operation: User: "
            "arn:aws:iam::111122223333:user/front-desk is not authorized to perform: s3:PutObject on resource: "
            '"arn:aws:s3:::x-rays/a.png" because no identity-based policy allows the s3:PutObject action\n',
        ),
        PERMISSION, (), "put_object", {"bucket": "x-rays", "key": "a.png"}, "AWS CLI",
    ),
    Case(
        "b/doc/google-403-cut",
        lambda: (
            '{\n  "error": {\n    "code": 403,\n    "message": "The caller does not have permission",\n'
            '    "status": "PERMISSION_DENIED",\n    "details": [\n      {\n        "@type": "type.googleap'
        ),
        PERMISSION, (), "list_calendars", {"user": "arbiter@club.example"}, "Google API error, cut off",
    ),
    Case(
        "b/doc/telegram-blocked",
        lambda: {"ok": False, "error_code": 403, "description": "Forbidden: bot was blocked by the user"},
        PERMISSION, (), "send_message", {"chat_id": 552190, "text": "Your appointment is at 9:15"}, "Telegram Bot API",
    ),
    # Quota
    Case(
        "b/doc/openai-quota",
        lambda: {
            "error": {
                "message": (
                    "You exceeded your current quota, please check your plan and billing details. For more information "
                    "on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors."
                ),
                "type": "insufficient_quota",
                "param": None,
                "code": "insufficient_quota",
            }
        },
        QUOTA, (), "generate_commentary", {"match": "semi-final"}, "OpenAI API",
    ),
    Case(
        "b/doc/problem-credit",
        lambda: {
            "type": "https://example.com/probs/out-of-credit",
            "title": "You do not have enough credit.",
            "detail": "Your current balance is 30, but that costs 50.",
            "instance": "/account/12345/msgs/abc",
            "status": 403,
        },
        QUOTA, (), "send_page", {"to": "duty-engineer"}, "RFC 9457 example with a status",
    ),
    Case(
        "b/doc/enospc",
        lambda: OSError(errno.ENOSPC, "No space left on device", "/mnt/cache/reel_07.mov"),
        QUOTA, (), "write_proxy", {"clip": "reel_07"}, "exception returned",
    ),
    # Rate limit
    Case(
        "b/doc/github-rate",
        lambda: {
            "message": (
                "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you "
                "reach out to GitHub Support for help, please include the request ID 8C1A:3F2."
            ),
            "documentation_url": (
                "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
            ),
            "status": "403",
        },
        RATE, (), "search_code", {"q": "rigctl language:go"}, "GitHub REST secondary rate limit",
    ),
    Case(
        "b/doc/alpha-vantage",
        lambda: {
            "Information": (
                "Thank you for using Alpha Vantage! Our standard API rate limit is 25 requests per day. Please "
                "subscribe to any of the premium plans at https://www.alphavantage.co/premium/ to instantly remove "
                "all daily rate limits."
            )
        },
        RATE, (QUOTA,), "get_wheat_prices", {"interval": "monthly"}, "Alpha Vantage Information",
    ),
    Case(
        "b/doc/kinesis-throughput",
        lambda: {
            "FailedRecordCount": 1,
            "Records": [
                {
                    "ErrorCode": "ProvisionedThroughputExceededException",
                    "ErrorMessage": (
                        "Rate exceeded for shard shardId-000000000001 in stream meter-readings under account "
                        "111122223333."
                    ),
                }
            ],
        },
        RATE, (), "put_records", {"stream": "meter-readings", "records": [{"kwh": 4.1}]}, "Kinesis PutRecords",
    ),
    # Time-out
    Case(
        "b/doc/lambda-timed-out",
        lambda: {"errorMessage": "2026-02-11T08:14:07.331Z 8f6c2a10-77b1-4c1e-9d55-0e1f2a3b4c5d Task timed out after 3.00 seconds"},
        TIMEOUT, (), "grade_turf", {"stadium": "north"}, "AWS Lambda",
    ),
    Case(
        "b/doc/openai-shell-timeout",
        lambda: {
            "type": "shell_call_output",
            "call_id": "call_8uTj",
            "max_output_length": 4096,
            "output": [{"stdout": "", "stderr": "", "outcome": {"type": "timeout"}}],
        },
        TIMEOUT, (), "shell", {"commands": ["make -C firmware flash"], "timeout_ms": 30000}, "OpenAI Responses shell",
    ),
    Case(
        "b/doc/coreutils-124",
        lambda: done(["timeout", "30", "rtl_433", "-f", "868M"], 124, "rtl_433 version 23.11\nTuned to 868.000MHz.\n"),
        TIMEOUT, (), "capture_sensors", {"freq": "868M"}, "timeout(1) of coreutils",
    ),
    # Unavailable
    Case(
        "b/doc/nginx-503",
        lambda: (
            "<html>\r\n<head><title>503 Service Temporarily Unavailable</title></head>\r\n<body>\r\n"
            "<center><h1>503 Service Temporarily Unavailable</h1></center>\r\n<hr><center>nginx/1.24.0</center>\r\n"
            "</body>\r\n</html>\r\n"
        ),
        UNAVAILABLE, (), "get_live_scores", {"sport": "curling"}, "nginx error page",
    ),
    Case(
        "b/doc/huggingface-loading",
        lambda: {"error": "Model openai/whisper-large-v2 is currently loading", "estimated_time": 118.4},
        UNAVAILABLE, (), "transcribe", {"audio": "net-control.flac"}, "Hugging Face Inference API",
    ),
    Case(
        "b/doc/urllib-503",
        lambda: urllib.error.HTTPError(
            "https://tax.example/api/rates", 503, "Service Unavailable", email.message.Message(), io.BytesIO(b""),
        ),
        UNAVAILABLE, (), "get_tax_rates", {"year": 2026}, "urllib HTTPError returned",
    ),
]


SENTENCE_RESULTS: list[Case] = [
    Case("b/ok/no-conflicts", lambda: "No conflicts found.", None, (), "check_schedule", {"week": 21}, "sentence"),
    Case(
        "b/ok/not-a-single-error", lambda: "Not a single error in 4,112 lines.",
        None, (), "lint_gcode", {"path": "vase.gcode"}, "sentence",
    ),
    Case(
        "b/ok/nothing-to-do", lambda: "Nothing to do: all sensors already run firmware 2.8.",
        None, (), "update_firmware", {"version": "2.8"}, "sentence",
    ),
    Case("b/ok/denied-claims", lambda: "Denied claims: 3", None, (), "count_claims", {"status": "denied"}, "sentence"),
    Case(
        "b/ok/invalid-removed", lambda: "Invalid entries removed: 4",
        None, (), "clean_start_list", {"race": "half-marathon-26"}, "sentence",
    ),
    Case(
        "b/ok/letter",
        lambda: (
            "Unable to be with us today, our founder asked me to read these lines to you: thank you for forty years "
            "of patience, of dusty shoes and of open doors. The new wing belongs to all of you.\n\nYours, Edda Holm"
        ),
        None, (), "read_letter", {"id": "L-1994-07"}, "letter",
    ),
    Case(
        "b/ok/declined-by-counterparty", lambda: "The request was declined by the counterparty.",
        None, (), "get_transfer_request_status", {"request_id": "TR-2207"}, "requested record",
    ),
    Case(
        "b/ok/error-bars", lambda: "Error bars added to chart 3.",
        None, (), "edit_chart", {"chart": 3, "add": "error_bars"}, "sentence",
    ),
    Case(
        "b/ok/timeout-called", lambda: "Timeout called by the home team with 3:41 left in the 4th quarter.",
        None, (), "get_last_play", {"game": "NB-0412"}, "sports sense of the word",
    ),
    Case(
        "b/ok/failed-harvests", lambda: "Failed harvests since 2015: 2017, 2021.",
        None, (), "ask_farm_history", {"question": "In which years did the harvest fail?"}, "answer",
    ),
    Case(
        "b/ok/restrictions-lifted", lambda: "Access restrictions lifted for gallery 4; nobody is locked out any more.",
        None, (), "set_gallery_access", {"gallery": 4, "open": True}, "sentence",
    ),
    Case(
        "b/ok/rejected-as-asked", lambda: "Rejected the transfer of Kowalski, as you asked.",
        None, (), "reject_transfer", {"player": "Kowalski"}, "sentence",
    ),
    Case(
        "b/ok/deleted", lambda: "Deleted. The file no longer exists.",
        None, (), "delete_clip", {"path": "takes/blooper_02.mov"}, "sentence",
    ),
    Case(
        "b/ok/appointment-cancelled", lambda: "Cancelled your 9:15 with Dr. Okafor; no fee was charged.",
        None, (), "cancel_appointment", {"appointment": "AP-915"}, "sentence",
    ),
    Case(
        "b/ok/critical-failure", lambda: "💥 Critical failure! You rolled a 1.",
        None, (), "roll_dice", {"dice": "1d20"}, "game",
    ),
    Case(
        "b/ok/insulators", lambda: "0 of 312 insulators failed the thermal inspection.",
        None, (), "summarize_inspection", {"line": "110kV-West"}, "sentence",
    ),
    Case(
        "b/ok/forbidden-city", lambda: "Forbidden City: open 8:30-17:00, closed on Mondays.",
        None, (), "get_opening_hours", {"place": "Forbidden City"}, "name",
    ),
    Case(
        "b/ok/blocked-callers", lambda: "Blocked: 17 callers. Unblocked: 2.",
        None, (), "update_blocklist", {"source": "studio-line"}, "sentence",
    ),
    Case(
        "b/ok/illegal-moves", lambda: "Illegal moves so far: White 1, Black 0.",
        None, (), "get_arbiter_notes", {"game": "R5-B3"}, "sentence",
    ),
    Case(
        "b/ok/unknown-artist", lambda: "Unknown artist, 'Woman with a Broken Jug', c. 1640, oil on panel. Not on display.",
        None, (), "get_object_label", {"accession": "1911.8.3"}, "record",
    ),
    Case(
        "b/ok/translation", lambda: "Access denied. Please contact your administrator.",
        None, (), "translate", {"text": "Accès refusé. Veuillez contacter votre administrateur.", "to": "en"},
        "translation",
    ),
    Case(
        "b/ok/no-frost-warning", lambda: "No frost warning tonight. Minimum 4 °C.",
        None, (), "get_frost_alert", {"plot": "orchard-2"}, "sentence",
    ),
    Case(
        "b/ok/two-too-dark", lambda: "Saved 12 photos. Two of them were too dark to be sharpened, so they are unchanged.",
        None, (), "enhance_photos", {"album": "excavation-day-3"}, "success with a remark",
    ),
    Case(
        "b/ok/missing-tooth", lambda: "Missing tooth 14 recorded.",
        None, (), "chart_finding", {"tooth": 14, "finding": "missing"}, "sentence",
    ),
    Case(
        "b/ok/limit-not-reached", lambda: "The limit of 3 video challenges is not reached yet: 1 used, 1 lost.",
        None, (), "get_challenges", {"match": "VB-77", "team": "away"}, "sentence",
    ),
    Case(
        "b/ok/expired-policies", lambda: "Expired: 2 policies (P-118, P-204).",
        None, (), "list_policies", {"state": "expired"}, "sentence",
    ),
    Case(
        "b/ok/slogan", lambda: "Can't stop. Won't stop. Northfield Dairy.",
        None, (), "write_slogan", {"brand": "Northfield Dairy"}, "generated text",
    ),
    Case(
        "b/ok/retry-succeeded", lambda: "First attempt timed out, retry succeeded: 38 frames uploaded.",
        None, (), "upload_frames", {"shot": "sc04_010"}, "success after a retry",
    ),
    Case(
        "b/ok/struck-off", lambda: "Not authorised to practise since 2019-04-01 (struck off the register).",
        None, (), "check_dentist_register", {"name": "H. Brandt", "number": "D-20714"}, "requested record",
    ),
    Case(
        "b/ok/out-of-stock", lambda: "Out of stock. Next delivery on 12 June.",
        None, (), "check_stock", {"sku": "PLA-175-RED"}, "answer",
    ),
    Case(
        "b/ok/sorry-draft",
        lambda: "I'm sorry that we could not reach you on Monday. We have not forgotten your claim and will call again.",
        None, (), "draft_reply", {"claim": "CLM-5520", "tone": "apologetic"}, "generated text",
    ),
    Case(
        "b/ok/connection-missed", lambda: "Connection missed: UA 88 -> UA 412. Rebooked on UA 430, seat 21C.",
        None, (), "get_itinerary_status", {"pnr": "Q7XK2M"}, "requested record",
    ),
]


DATA_RESULTS: list[Case] = [
    Case(
        "b/ok/error-rate", lambda: {"error_rate": 0.021, "errors": 14, "timeouts": 2, "requests": 661},
        None, (), "get_metrics", {"service": "ticketing", "window": "1h"}, "metrics",
    ),
    Case(
        "b/ok/tax-validation",
        lambda: {"valid": False, "errors": ["box 12a: amount must not be negative", "box 3: required"]},
        None, (), "validate_return", {"path": "return-2025.xml"}, "validator's verdict",
    ),
    Case(
        "b/ok/airworthiness",
        lambda: {"ok": False, "violations": [{"item": "ELT battery", "problem": "expired 2026-01"}]},
        None, (), "check_airworthiness", {"tail": "D-EXYZ"}, "checker's verdict",
    ),
    Case(
        "b/ok/lock-picking", lambda: {"success": False, "roll": 4, "bonus": 3, "difficulty": 15},
        None, (), "roll_skill_check", {"skill": "lockpicking"}, "game",
    ),
    Case(
        "b/ok/slicer-warnings",
        lambda: {"errors": [], "warnings": ["thin walls were dropped on layer 12"], "layers": 480, "file": "vase.gcode"},
        None, (), "slice_model", {"path": "vase.stl"}, "empty errors",
    ),
    Case(
        "b/ok/error-null", lambda: {"error": None, "data": {"load_mw": 412.6, "limit_mw": 550}},
        None, (), "read_feeder_load", {"feeder": "F-12"}, "error null",
    ),
    Case(
        "b/ok/failed-job",
        lambda: {
            "id": "job-7719", "name": "nightly-render", "status": "failed", "exit_code": 1,
            "error": "GPU lost during frame 881", "finished_at": "2026-03-02T03:12:44Z",
        },
        None, (), "get_job", {"job_id": "job-7719"}, "requested record",
    ),
    Case(
        "b/ok/payment-intent",
        lambda: {
            "id": "pi_3NqX", "object": "payment_intent", "amount": 4200, "currency": "eur",
            "status": "requires_payment_method",
            "last_payment_error": {
                "code": "card_declined", "decline_code": "insufficient_funds", "type": "card_error",
                "message": "Your card has insufficient funds.",
            },
        },
        None, (), "retrieve_payment_intent", {"id": "pi_3NqX"}, "Stripe record",
    ),
    Case(
        "b/ok/health-down",
        lambda: {"service": "ais-feed", "status": "down", "http_status": 503, "message": "connect timeout", "since": "09:40Z"},
        None, (), "check_health", {"service": "ais-feed"}, "health check of another service",
    ),
    Case(
        "b/ok/error-code-lookup",
        lambda: {"code": "E17", "message": "Door not closed", "fix": "Close the door until it clicks, then press Start."},
        None, (), "lookup_error_code", {"device": "autoclave", "code": "E17"}, "error code asked for",
    ),
    Case(
        "b/ok/incident",
        lambda: {
            "id": "INC-77", "title": "Connection refused by substation gateway", "severity": "high", "state": "open",
        },
        None, (), "get_incident", {"id": "INC-77"}, "requested record",
    ),
    Case(
        "b/ok/search-logs",
        lambda: {
            "total": 2,
            "hits": [
                "09:41:02 ERROR rig: permission denied on /dev/ttyUSB0",
                "09:44:51 ERROR rig: timeout waiting for reply",
            ],
        },
        None, (), "search_logs", {"query": "ERROR", "app": "rig"}, "search result",
    ),
    Case(
        "b/ok/grep-no-match", lambda: {"stdout": "", "stderr": "", "returncode": 1},
        None, (), "run_command", {"command": "grep -rn 'TODO' score/"}, "grep without a match",
    ),
    Case(
        "b/ok/pytest-report",
        lambda: {
            "exit_code": 1,
            "stdout": (
                "..........F.                                                             [100%]\n"
                "=================================== FAILURES ===================================\n"
                "______________________________ test_castling_rights ____________________________\n"
                "    def test_castling_rights():\n"
                ">       assert board.castling == 'KQkq'\n"
                "E       AssertionError: assert 'KQ' == 'KQkq'\n"
                "tests/test_board.py:31: AssertionError\n"
                "=========================== short test summary info ============================\n"
                "FAILED tests/test_board.py::test_castling_rights - AssertionError: assert 'KQ' == 'KQkq'\n"
                "1 failed, 11 passed in 0.34s\n"
            ),
            "stderr": "",
        },
        None, (), "run_tests", {"path": "tests"}, "pytest report",
    ),
    Case(
        "b/ok/json-schema",
        lambda: {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {"error": {"type": "string"}, "code": {"type": "integer"}, "status": {"const": "error"}},
            "required": ["error"],
        },
        None, (), "get_schema", {"name": "ErrorReply"}, "JSON Schema",
    ),
    Case(
        "b/ok/claim-decision",
        lambda: {"claim": "C-12", "result": "denied", "reason": "filed after the deadline", "appeal_until": "2026-06-30"},
        None, (), "get_claim_decision", {"claim": "C-12"}, "requested record",
    ),
    Case(
        "b/ok/mcp-not-error",
        lambda: {
            "content": [{"type": "text", "text": "Error log of spindle 2:\n03:10 E41 overheated\n03:12 E07 stalled"}],
            "isError": False,
        },
        None, (), "read_error_log", {"spindle": 2}, "MCP CallToolResult",
    ),
    Case(
        "b/ok/jsonrpc-result",
        lambda: {"jsonrpc": "2.0", "id": 3, "result": {"errors_fixed": 6, "remaining": 0}},
        None, (), "repair_mesh", {"path": "gear.stl"}, "JSON-RPC result",
    ),
    Case(
        "b/ok/slack-warning",
        lambda: {
            "ok": True, "channel": "C02HARVEST", "ts": "1772441012.000200", "warning": "missing_charset",
            "response_metadata": {"warnings": ["missing_charset"]},
        },
        None, (), "chat_post_message", {"channel": "C02HARVEST", "text": "Rain at noon"}, "Slack Web API",
    ),
    Case(
        "b/ok/elasticsearch-bulk",
        lambda: {
            "took": 30, "errors": False,
            "items": [{"index": {"_index": "matches", "_id": "1", "result": "created", "status": 201,
                                 "_shards": {"total": 2, "successful": 1, "failed": 0}}}],
        },
        None, (), "bulk_index", {"index": "matches", "count": 1}, "Elasticsearch bulk",
    ),
    Case(
        "b/ok/put-events", lambda: {"FailedEntryCount": 0, "Entries": [{"EventId": "11710aed-b79e-4468-a20b-bb3c0c3b4860"}]},
        None, (), "put_events", {"entries": 1}, "EventBridge PutEvents",
    ),
    Case(
        "b/ok/lro-running",
        lambda: {"name": "operations/9921", "metadata": {"progressPercent": 40, "error_count": 0}, "done": False},
        None, (), "annotate_video", {"uri": "gs://museum-3/tour.mp4"}, "google.longrunning.Operation",
    ),
    Case(
        "b/ok/permission-answer", lambda: {"allowed": False, "reason": "role 'volunteer' has no key to the depot"},
        None, (), "check_permission", {"user": "mira", "area": "depot"}, "answer to the question",
    ),
    Case(
        "b/ok/availability", lambda: {"available": False, "reason": "closed for restoration until October"},
        None, (), "check_availability", {"hall": "Armoury", "date": "2026-07-04"}, "answer to the question",
    ),
    Case(
        "b/ok/lost-on-time", lambda: {"result": "0-1", "termination": "timeout", "comment": "White lost on time"},
        None, (), "get_game_result", {"game": "R2-B7"}, "requested record",
    ),
    Case(
        "b/ok/describe-execution",
        lambda: {
            "executionArn": "arn:aws:states:eu-west-1:111122223333:execution:billing:run-88",
            "stateMachineArn": "arn:aws:states:eu-west-1:111122223333:stateMachine:billing",
            "name": "run-88", "status": "FAILED", "startDate": "2026-03-01T02:00:00Z",
            "stopDate": "2026-03-01T02:00:09Z", "error": "States.TaskFailed", "cause": "tariff table is empty",
        },
        None, (), "describe_execution", {"name": "run-88"}, "Step Functions record",
    ),
]


SHAPED_RESULTS: list[Case] = [
    # Tuples
    Case(
        "b/ok/diff-tuple", lambda: ("3c3\n< vmax=1.05\n---\n> vmax=1.07\n", "", 1),
        None, (), "run_command", {"command": "diff setpoints.old setpoints.new"}, "diff's exit 1",
    ),
    Case(
        "b/ok/stderr-warning-tuple",
        lambda: ("wrote reel_07.mp4 (250 frames)\n", "[swscaler] deprecated pixel format used, errors may occur\n", 0),
        None, (), "transcode", {"clip": "reel_07"}, "warning on stderr",
    ),
    Case("b/ok/no-problems-tuple", lambda: (True, "No problems detected"), None, (), "self_test", {"rig": "IC-7300"}, "(ok, message)"),
    Case(
        "b/ok/not-attacked-tuple", lambda: (False, "e4 is not attacked by Black"),
        None, (), "is_square_attacked", {"game": "g-417", "square": "e4", "by": "black"}, "answer to the question",
    ),
    Case("b/ok/value-none-tuple", lambda: ("renders/trailer_v2.mp4", None), None, (), "render_timeline", {"timeline": "trailer_v2"}, "(value, error)"),
    # Objects
    Case(
        "b/ok/terraform-plan",
        lambda: done(
            ["terraform", "plan", "-detailed-exitcode"], 2,
            "Terraform will perform the following actions:\n\n  # aws_sqs_queue.failed_readings will be destroyed\n\n"
            "Plan: 0 to add, 0 to change, 1 to destroy.\n",
        ),
        None, (), "run_command", {"command": "terraform plan -detailed-exitcode"}, "terraform's exit 2",
    ),
    Case(
        "b/ok/npm-warn",
        lambda: done(
            ["npm", "ci"], 0, "added 212 packages in 4s\n",
            "npm warn deprecated inflight@1.0.6: This module is not supported, and leaks memory. Do not use it.\n",
        ),
        None, (), "run_command", {"command": "npm ci"}, "warning on stderr",
    ),
    Case(
        "b/ok/rule-verdict",
        lambda: RuleVerdict(ok=False, rule="offside", message="Attacker 9 was beyond the second-last defender"),
        None, (), "check_offside", {"frame": 18822}, "checker's verdict",
    ),
    Case(
        "b/ok/claim-record",
        lambda: ClaimRecord(number="CLM-811", status="rejected", failure_reason="policy had lapsed", amount=1250.0),
        None, (), "get_claim", {"claim_id": "CLM-811"}, "pydantic record",
    ),
    Case(
        "b/ok/render-report", lambda: RenderReport(frames=250, dropped=2, warnings=["2 frames failed and were rendered again"]),
        None, (), "render_timeline", {"timeline": "intro"}, "attrs object, error None",
    ),
    Case(
        "b/ok/access-log",
        lambda: [
            AccessLogEntry("09:40:11", "/tickets", 500, "Internal Server Error"),
            AccessLogEntry("09:40:12", "/tickets", 429, "Too Many Requests"),
        ],
        None, (), "get_access_log", {"site": "museum", "min_status": 400}, "stored HTTP log",
    ),
    Case(
        "b/ok/search-page",
        lambda: SearchPage(hits=["Error handling on Arduino weather stations", "Why did my solder joint fail?"], total=2),
        None, (), "search_forum", {"query": "error fail"}, "search result",
    ),
    Case(
        "b/ok/attack-roll", lambda: AttackRoll(die=3, modifier=2, success=False, text="The arrow misses the goblin."),
        None, (), "attack", {"target": "goblin"}, "game",
    ),
    # JSON strings and bytes
    Case(
        "b/ok/empty-search", lambda: '{"count": 0, "results": []}',
        None, (), "search_collection", {"query": "porcelain walrus"}, "empty search",
    ),
    Case(
        "b/ok/list-of-codes",
        lambda: json.dumps([
            {"errorCode": "E12", "message": "Paper jam"}, {"errorCode": "E13", "message": "Tray not found"},
            {"errorCode": "E14", "message": "Unauthorized cartridge"},
        ]),
        None, (), "list_error_codes", {"device": "ticket-printer"}, "list of error codes",
    ),
    Case(
        "b/ok/playwright",
        lambda: json.dumps({
            "passed": 41, "failed": 2,
            "failures": [{"test": "checkout", "error": "Timeout 30000ms exceeded."}, {"test": "login", "error": "expected 200, got 401"}],
        }),
        None, (), "run_tests", {"suite": "e2e"}, "test report",
    ),
    Case(
        "b/ok/stored-event",
        lambda: json.dumps({
            "id": "evt_1Nq", "object": "event", "type": "charge.failed",
            "data": {"object": {"id": "ch_3Nq", "status": "failed", "failure_code": "expired_card",
                                "failure_message": "Your card has expired."}},
        }),
        None, (), "get_event", {"id": "evt_1Nq"}, "stored event",
    ),
    Case(
        "b/ok/openapi",
        lambda: json.dumps({
            "openapi": "3.1.0", "info": {"title": "Field API", "version": "1.4"},
            "paths": {"/plots/{id}": {"get": {"responses": {
                "200": {"description": "The plot"}, "404": {"description": "Plot not found"},
                "503": {"description": "Service unavailable"}}}}},
        }),
        None, (), "get_api_spec", {"service": "field"}, "OpenAPI document",
    ),
    Case(
        "b/ok/bytes-json", lambda: b'{"status":"ok","failed":0,"error_message":"","meters_read":1188}',
        None, (), "read_meters", {"district": "harbour"}, "JSON bytes",
    ),
    Case(
        "b/ok/graphql-empty",
        lambda: json.dumps({"data": {"failedInspections": []}, "extensions": {"cost": {"requestedQueryCost": 3}}}),
        None, (), "graphql_query", {"query": "{ failedInspections { id } }"}, "GraphQL",
    ),
    # Command output and documents
    Case(
        "b/ok/grep-log",
        lambda: (
            "118:2026-03-02 04:10:09 ERROR pump-3 dry run protection tripped\n"
            "240:2026-03-02 05:31:55 ERROR pump-1 no reply from inverter\n"
        ),
        None, (), "run_shell", {"command": "grep -n ERROR pumps.log"}, "grep output",
    ),
    Case(
        "b/ok/source-code",
        lambda: (
            "def parse_callsign(text: str) -> str:\n"
            '    """Return the call sign in upper case.\n\n'
            "    >>> parse_callsign('')\n"
            "    Traceback (most recent call last):\n"
            "        ...\n"
            "    ValueError: empty call sign\n"
            '    """\n'
            "    if not text:\n"
            "        raise ValueError('empty call sign')\n"
            "    return text.upper()\n"
        ),
        None, (), "read_file", {"path": "radio/callsign.py"}, "source code with a traceback",
    ),
    Case(
        "b/ok/stored-502",
        lambda: (
            "<!DOCTYPE html>\n<html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n"
            "<h1>Our ticket shop is taking a short break</h1>\n<p>Please try again in a minute.</p>\n</body>\n</html>\n"
        ),
        None, (), "read_file", {"path": "deploy/errors/502.html"}, "stored error page",
    ),
    Case(
        "b/ok/error-table",
        lambda: (
            "| printer | job | error |\n|---|---|---|\n| P1 | knob | |\n| P2 | vase | thermal runaway |\n"
            "| P3 | gear | filament not found |\n"
        ),
        None, (), "query_print_history", {"since": "2026-03-01"}, "table with an error column",
    ),
    Case(
        "b/ok/complaint",
        lambda: (
            "From: Hanne Vik <hanne@example.org>\nSubject: Your app is broken!\n\n"
            "Error after error. I could not log in for three days, it says 'Access denied' and now my claim has timed "
            "out. Please fix this or cancel my policy.\n\nHanne Vik"
        ),
        None, (), "read_email", {"id": "m-20417"}, "e-mail that complains",
    ),
    Case(
        "b/ok/quoted-session",
        lambda: (
            "## Serial port on Linux\n\nIf you see this:\n\n```\n$ cat /dev/ttyUSB0\ncat: /dev/ttyUSB0: Permission denied\n"
            "```\n\nadd yourself to the `dialout` group and log in again.\n"
        ),
        None, (), "fetch_page", {"url": "https://radio.example/docs/serial"}, "quoted shell session",
    ),
    Case(
        "b/ok/git-diff",
        lambda: (
            "diff --git a/api/errors.py b/api/errors.py\n--- a/api/errors.py\n+++ b/api/errors.py\n@@ -4,2 +4,2 @@\n"
            '-NOT_FOUND = "Error: policy not found"\n+NOT_FOUND = "We could not find this policy"\n'
        ),
        None, (), "git_diff", {"path": "api/errors.py"}, "git diff",
    ),
    Case(
        "b/ok/class-names", lambda: ["ValueError", "KeyError", "TariffNotFoundError", "TimeoutError"],
        None, (), "list_exceptions", {"module": "billing.tariffs"}, "class names",
    ),
    Case(
        "b/ok/journal-tail",
        lambda: (
            "Mar 02 05:00:01 gw1 meterd[811]: polling 240 meters\n"
            "Mar 02 05:00:07 gw1 meterd[811]: meter 17: connection refused, will retry\n"
            "Mar 02 05:00:31 gw1 meterd[811]: meter 17: failed after 3 attempts\n"
        ),
        None, (), "tail_log", {"unit": "meterd", "lines": 3}, "log asked for",
    ),
    Case(
        "b/ok/notams",
        lambda: (
            "A0412/26 EDDM: ILS RWY 26L UNAVAILABLE DUE TO MAINT 0600-1400 DAILY\n"
            "A0419/26 EDDM: TWY N CLOSED. ACCESS PROHIBITED FOR CODE F\n"
        ),
        None, (), "get_notams", {"airport": "EDDM"}, "notices asked for",
    ),
    Case(
        "b/ok/release-notes",
        lambda: (
            "Failed uploads are now retried. Crashes on start-up with two displays are fixed. Known issue: exporting "
            "to ProRes on Windows fails with error 187."
        ),
        None, (), "get_release_notes", {"version": "18.2"}, "document about errors",
    ),
    Case(
        "b/ok/transcript",
        lambda: "Mayday, mayday. We have lost engine two, unable to maintain altitude, request immediate return.",
        None, (), "transcribe_audio", {"path": "tower/2026-03-02-1412.wav"}, "transcript",
    ),
]


FAILURES: list[Case] = HAND_WRITTEN_FAILURES + DOCUMENTED_FAILURES
RESULTS: list[Case] = SENTENCE_RESULTS + DATA_RESULTS + SHAPED_RESULTS
CASES: list[Case] = FAILURES + RESULTS
