"""Labelled values that tools return: 90 failures and 90 look-alike results, written without a look at the code."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

import attrs
from handwritten_cases import (
    ARG,
    AUTH,
    CANCELLED,
    CONFLICT,
    CONNECTION,
    EXECUTION,
    MISSING,
    NO_TOOL,
    PERMISSION,
    QUOTA,
    RATE,
    TIMEOUT,
    UNAVAILABLE,
    Case,
)
from pydantic import BaseModel


@dataclass
class JobOutcome:
    """What a small media service returns for each job it ran."""

    state: str
    artifact: str | None = None
    failure: str | None = None
    warnings: list[str] = field(default_factory=list)


class JudgmentLookup(BaseModel):
    """The answer of a look-up in a register of judgments."""

    citation: str
    matched: bool
    text: str | None = None
    message: str = ""


class Reply(NamedTuple):
    """A named pair as handlers of a chat bot return it."""

    ok: bool
    message: str


@attrs.define
class Dose:
    """The answer of a laboratory robot."""

    well: str
    dispensed_ul: float
    fault: str | None = None


class DeviceReply:
    """A plain object without any helper methods."""

    def __init__(self, device: str, code: int, text: str) -> None:
        self.device = device
        self.code = code
        self.text = text


class Inspection(BaseModel):
    """A verdict about something else than the call."""

    passed: bool
    failures: list[str] = []
    inspector: str = "auto"


FAILURES: list[Case] = [
    # The named thing does not exist
    Case(
        "library/no-loan", lambda: "Could not find a loan with barcode 31192020405068 on this card.",
        MISSING, (ARG,), "renew_loan", {"card": "P-2209", "barcode": "31192020405068"}, "idiom: sentence of a look-up",
    ),
    Case(
        "hr/no-such-user", lambda: "No such user: jdoe2", MISSING, (ARG,), "get_vacation_balance", {"user": "jdoe2"},
        "idiom: sentence with a colon",
    ),
    Case(
        "fleet/found-false", lambda: {"found": False, "vehicle_id": "TRK-0881", "position": None},
        MISSING, (), "locate_vehicle", {"vehicle_id": "TRK-0881"}, "idiom: flag of a look-up by id",
    ),
    Case(
        "omdb/movie", lambda: {"Response": "False", "Error": "Movie not found!"},
        MISSING, (), "omdb_by_title", {"t": "Casablanka Nights"}, "OMDb API, unknown title",
    ),
    Case(
        "discord/unknown-channel", lambda: {"message": "Unknown Channel", "code": 10003},
        MISSING, (), "discord_get_messages", {"channel_id": "1029384756"}, "Discord JSON error codes",
    ),
    Case(
        "jira/issue-missing",
        lambda: json.dumps({
            "errorMessages": ["Issue does not exist or you do not have permission to see it."], "errors": {},
        }),
        MISSING, (PERMISSION,), "jira_get_issue", {"key": "OPS-99812"}, "Jira REST, ErrorCollection",
    ),
    Case(
        "i18n/spanish-booking", lambda: "Lo siento, no existe ninguna reserva con el localizador XK49PT.",
        MISSING, (ARG,), "consultar_reserva", {"localizador": "XK49PT"}, "idiom: Spanish demo",
    ),
    Case(
        "node/enoent-object",
        lambda: {"errno": -2, "code": "ENOENT", "syscall": "open", "path": "/data/menus/2025-W12.json"},
        MISSING, (), "loadMenu", {"week": "2025-W12"}, "JSON.stringify of a Node fs error (its message is not enumerable)",
    ),
    Case(
        "powershell/get-service",
        lambda: (
            "Get-Service : Cannot find any service with service name 'spoolr'.\nAt line:1 char:1\n"
            "+ Get-Service spoolr\n+ ~~~~~~~~~~~~~~~~~~\n"
            "    + CategoryInfo          : ObjectNotFound: (spoolr:String) [Get-Service], ServiceCommandException\n"
            "    + FullyQualifiedErrorId : NoServiceFoundForGivenName,Microsoft.PowerShell.Commands.GetServiceCommand\n"
        ),
        MISSING, (ARG, EXECUTION), "run_powershell", {"script": "Get-Service spoolr"}, "Windows PowerShell error record",
    ),
    Case(
        "music/pair", lambda: (False, "Playlist 'Gym 2024' is not in your library"),
        MISSING, (ARG,), "add_to_playlist", {"playlist": "Gym 2024", "track": "t:88"}, "idiom: (ok, message)",
    ),
    Case(
        "gitlab/project", lambda: {"message": "404 Project Not Found"},
        MISSING, (PERMISSION,), "gitlab_list_branches", {"project_id": "infra/terrafrom"}, "GitLab REST",
    ),
    Case(
        "dropbox/path",
        lambda: {
            "error_summary": "path/not_found/..", "error": {".tag": "path", "path": {".tag": "not_found"}},
        },
        MISSING, (), "dropbox_download", {"path": "/Offers/2025/acme.docx"}, "Dropbox API v2, 409 body",
    ),
    Case(
        "biology/gene-symbol",
        lambda: "## ⚠️ Gene lookup failed\n\n`BRAC1` is not an approved HGNC symbol. Did you mean **BRCA1**?",
        MISSING, (ARG,), "gene_info", {"symbol": "BRAC1"}, "idiom: markdown for the model",
    ),
    Case(
        "law/model",
        lambda: JudgmentLookup(
            citation="[2031] UKSC 4", matched=False, message="There is no judgment with that neutral citation.",
        ),
        MISSING, (ARG,), "get_judgment", {"citation": "[2031] UKSC 4"}, "idiom: pydantic result",
    ),
    # Wrong arguments
    Case(
        "restaurant/date", lambda: "Invalid date, expected YYYY-MM-DD",
        ARG, (), "book_table", {"date": "12/03/2025", "guests": 4}, "idiom: early return",
    ),
    Case(
        "rental/non-field", lambda: {"non_field_errors": ["Pick-up must be before drop-off."]},
        ARG, (), "quote_van", {"pickup": "2025-05-09", "dropoff": "2025-05-02"}, "Django REST framework serializer",
    ),
    Case(
        "jira/invalid-type",
        lambda: {"errorMessages": [], "errors": {"issuetype": "The issue type selected is invalid."}},
        ARG, (), "jira_create_issue", {"project": "OPS", "issuetype": "Bugg", "summary": "x"}, "Jira REST, create issue",
    ),
    Case(
        "shopify/user-errors",
        lambda: {
            "data": {"productCreate": {
                "product": None, "userErrors": [{"field": ["title"], "message": "Title can't be blank"}],
            }},
            "extensions": {"cost": {"requestedQueryCost": 10}},
        },
        ARG, (EXECUTION,), "shopify_create_product", {"title": ""}, "Shopify Admin GraphQL, userErrors of a mutation",
    ),
    Case(
        "kitchen/servings",
        lambda: {"result": None, "error_message": "servings must be between 1 and 50, got 0"},
        ARG, (), "scale_recipe", {"recipe": "pad thai", "servings": 0}, "idiom: result and error_message",
    ),
    Case(
        "chess/illegal-move", lambda: "Illegal move: Nf3 cannot be played here. Legal moves: Kd8, Kf8, Rxe4",
        ARG, (CONFLICT,), "make_move", {"game": 17, "san": "Nf3"}, "idiom: python-chess behind a tool",
    ),
    Case(
        "banking/checksum", lambda: {"success": "false", "reason": "IBAN check digits do not match", "transfer": ""},
        ARG, (), "create_transfer", {"iban": "DE00 1234", "amount": "20.00"}, "idiom: flag as a string",
    ),
    Case(
        "mcp/zod",
        lambda: {
            "content": [{
                "type": "text",
                "text": (
                    "MCP error -32602: Input validation error: Invalid arguments for tool plan_route: [\n  {\n"
                    '    "code": "invalid_type",\n    "expected": "number",\n    "received": "string",\n'
                    '    "path": [\n      "stops",\n      0,\n      "lat"\n    ],\n'
                    '    "message": "Expected number, received string"\n  }\n]'
                ),
            }],
            "isError": True,
        },
        ARG, (), "plan_route", {"stops": [{"lat": "59,91", "lon": 10.7}]}, "MCP TypeScript SDK, McpServer",
    ),
    Case(
        "cli/argparse",
        lambda: (
            2, "", "usage: thumb [-h] --width WIDTH input\nthumb: error: argument --width: invalid int value: 'wide'\n",
        ),
        ARG, (EXECUTION,), "run_cli", {"argv": ["thumb", "--width", "wide", "a.png"]}, "idiom: (code, out, err)",
    ),
    Case(
        "i18n/german-postcode", lambda: "Ungültige Postleitzahl „1011“: Es werden genau fünf Ziffern erwartet.",
        ARG, (), "tarif_berechnen", {"plz": "1011", "kwh": 2400}, "idiom: German demo",
    ),
    Case(
        "binance/symbol", lambda: {"code": -1121, "msg": "Invalid symbol."},
        ARG, (MISSING,), "binance_ticker", {"symbol": "BTCUSTD"}, "Binance REST error payload",
    ),
    Case(
        "telegram/empty-text",
        lambda: {"ok": False, "error_code": 400, "description": "Bad Request: message text is empty"},
        ARG, (), "telegram_send", {"chat_id": 4455, "text": ""}, "Telegram Bot API",
    ),
    Case(
        "alarm/strptime", lambda: "ValueError: time data '25:61' does not match format '%H:%M'",
        ARG, (EXECUTION,), "set_alarm", {"time": "25:61"}, "idiom: f'{type(e).__name__}: {e}'",
    ),
    # State in the way
    Case(
        "editor/no-replacement",
        lambda: "No replacement was performed, old_str `def total(self):` did not appear verbatim in /repo/cart.py.",
        CONFLICT, (ARG,), "str_replace_editor", {"command": "str_replace", "path": "/repo/cart.py"},
        "text editor tool of the computer-use demo",
    ),
    Case(
        "aider/no-exact-match",
        lambda: (
            "# 1 SEARCH/REPLACE block failed to match!\n\n## SearchReplaceNoExactMatch: This SEARCH block failed to "
            "exactly match lines in app/models.py\n<<<<<<< SEARCH\n    name = Column(String)\n=======\n"
            "    name = Column(String(80))\n>>>>>>> REPLACE\n"
        ),
        CONFLICT, (ARG,), "apply_edits", {"path": "app/models.py"}, "aider, editblock coder",
    ),
    Case(
        "okta/login-exists",
        lambda: {
            "errorCode": "E0000001", "errorSummary": "Api validation failed: login", "errorLink": "E0000001",
            "errorId": "oaeHfmOAx1iRLa0H10DeMz5fQ", "errorCauses": [{
                "errorSummary": "login: An object with this field already exists in the current organization",
            }],
        },
        CONFLICT, (ARG,), "okta_create_user", {"login": "mia@example.org"}, "Okta API, error object",
    ),
    Case(
        "azure/table-etag",
        lambda: json.dumps({"odata.error": {
            "code": "UpdateConditionNotSatisfied",
            "message": {
                "lang": "en-US", "value": "The update condition specified in the request was not satisfied.",
            },
        }}),
        CONFLICT, (), "update_entity", {"table": "seats", "row": "14C", "etag": "W/\"0x5B168C7B6E589D2\""},
        "Azure Table storage, 412 body",
    ),
    Case(
        "terraform/lock",
        lambda: (
            "╷\n│ Error: Error acquiring the state lock\n│ \n│ Error message: ConditionalCheckFailedException\n"
            "│ Lock Info:\n│   ID:        9db590f1-b6fe-c5f2-2678-8804f089deba\n│   Who:       ci@runner-4\n╵\n"
        ),
        CONFLICT, (UNAVAILABLE, EXECUTION), "terraform_apply", {"dir": "envs/prod"}, "Terraform CLI",
    ),
    Case(
        "rooms/booked", lambda: "Fjord is taken from 10:00 to 11:00 on that day, so no reservation was made.",
        CONFLICT, (), "book_room", {"room": "Fjord", "start": "10:00"}, "idiom: office assistant",
    ),
    Case(
        "hubspot/contact-exists",
        lambda: {
            "status": "error", "message": "Contact already exists. Existing ID: 30151",
            "correlationId": "a6d1c2b8-7d1f-4d4d-8a5d-6f8a4d1b0c11", "category": "CONFLICT",
        },
        CONFLICT, (), "hubspot_create_contact", {"email": "bo@example.com"}, "HubSpot CRM API",
    ),
    Case(
        "home/garage", lambda: {"accepted": False, "why": "door is moving; stop it before you reverse it"},
        CONFLICT, (EXECUTION, UNAVAILABLE), "garage_door", {"action": "close"}, "idiom: home automation bridge",
    ),
    Case(
        "kubectl/modified",
        lambda: (
            'Error from server (Conflict): error when replacing "web.yaml": Operation cannot be fulfilled on '
            'deployments.apps "web": the object has been modified; please apply your changes to the latest version and '
            "try again"
        ),
        CONFLICT, (), "kubectl_replace", {"file": "web.yaml"}, "Kubernetes optimistic locking",
    ),
    Case(
        "shop/already-shipped",
        lambda: {"result": {
            "status": "rejected", "reason_code": "ALREADY_SHIPPED",
            "message": "Order 7781 has left the warehouse and can no longer be cancelled.",
        }},
        CONFLICT, (EXECUTION, PERMISSION), "cancel_order", {"order_id": 7781}, "idiom: nested status",
    ),
    # Any other failure
    Case(
        "printer/jam", lambda: "FAILED: label printer reports a paper jam (tray 2)",
        EXECUTION, (UNAVAILABLE, CONFLICT), "print_label", {"parcel": "PX-19"}, "idiom: upper-case prefix",
    ),
    Case(
        "sensor/none-plus-int", lambda: "Tool raised: unsupported operand type(s) for +: 'NoneType' and 'int'",
        EXECUTION, (ARG,), "mean_temperature", {"room": "attic"}, "idiom: except Exception as e",
    ),
    Case(
        "rust/panic",
        lambda: (
            "thread 'main' panicked at src/main.rs:14:52:\ncalled `Result::unwrap()` on an `Err` value: "
            "ParseFloatError { kind: Invalid }\nnote: run with `RUST_BACKTRACE=1` environment variable to display a "
            "backtrace\n"
        ),
        EXECUTION, (ARG,), "simulate_orbit", {"config": "orbit.toml"}, "stderr of a Rust program",
    ),
    Case(
        "shell/segfault", lambda: {"exit": 139, "out": "", "err": "Segmentation fault (core dumped)\n"},
        EXECUTION, (), "bash", {"cmd": "./solver --n 4000"}, "idiom: shell tool with short keys",
    ),
    Case(
        "logistics/manifest", lambda: "❌ Something went wrong while generating the manifest for container MSKU 908 177-3.",
        EXECUTION, (), "create_manifest", {"container": "MSKU9081773"}, "idiom: emoji and an apology",
    ),
    Case(
        "java/npe",
        lambda: (
            'java.lang.NullPointerException: Cannot invoke "com.acme.hr.Contract.getGrade()" because "contract" is null\n'
            "\tat com.acme.hr.SalaryService.quote(SalaryService.java:88)\n"
            "\tat com.acme.hr.tools.QuoteTool.call(QuoteTool.java:31)\n"
        ),
        EXECUTION, (), "quote_salary", {"employee": 4410}, "Java stack trace as the result",
    ),
    Case(
        "media/transcode", lambda: JobOutcome(state="FAILED", failure="ffmpeg exited with 1: moov atom not found"),
        EXECUTION, (ARG,), "transcode", {"source": "clip.mp4", "codec": "av1"}, "idiom: dataclass of a media service",
    ),
    Case(
        "nest/500", lambda: '{"statusCode":500,"message":"Internal server error"}',
        EXECUTION, (UNAVAILABLE,), "list_shifts", {"week": 14}, "NestJS default exception filter",
    ),
    Case(
        "search/data-error",
        lambda: {"data": {"error": {"type": "InternalError", "detail": "segment 4 of the index is corrupted"}}, "took": 3},
        EXECUTION, (UNAVAILABLE,), "search_patents", {"q": "foldable bicycle"}, "idiom: error nested under data",
    ),
    Case(
        "lab/dispense", lambda: Dose(well="C7", dispensed_ul=0.0, fault="tip pick-up unsuccessful after 3 attempts"),
        EXECUTION, (), "dispense", {"well": "C7", "ul": 50}, "idiom: attrs result of a laboratory robot",
    ),
    # Not allowed
    Case(
        "zoom/scopes",
        lambda: '{"code":4711,"message":"Invalid access token, does not contain scopes:[meeting:write:meeting]."}',
        PERMISSION, (AUTH,), "zoom_create_meeting", {"topic": "Retro"}, "Zoom API",
    ),
    Case(
        "home/kids-profile", lambda: {"state": "refused", "detail": "The kids' profile may not unlock the front door"},
        PERMISSION, (), "unlock", {"door": "front"}, "idiom: state word of a home automation bridge",
    ),
    Case(
        "hr/other-department", lambda: "You are not allowed to view payslips of people outside your own department.",
        PERMISSION, (), "get_payslip", {"employee": "E-310", "month": "2025-02"}, "idiom: sentence",
    ),
    Case(
        "go/open-denied", lambda: "open /var/lib/grafana/grafana.db: permission denied",
        PERMISSION, (), "dump_dashboards", {"db": "/var/lib/grafana/grafana.db"}, "err.Error() of Go's *fs.PathError",
    ),
    Case(
        "spotify/premium",
        lambda: {
            "error": {"status": 403, "message": "Player command failed: Premium required", "reason": "PREMIUM_REQUIRED"},
        },
        PERMISSION, (QUOTA,), "spotify_skip", {}, "Spotify Web API, player error",
    ),
    Case(
        "i18n/french-denied", lambda: "Accès refusé : vous n'avez pas les droits nécessaires pour consulter ce dossier.",
        PERMISSION, (), "ouvrir_dossier", {"numero": "2024-118"}, "idiom: French demo",
    ),
    Case(
        "mysql/drop-denied",
        lambda: "ERROR 1142 (42000): DROP command denied to user 'reader'@'10.0.0.5' for table 'invoices'",
        PERMISSION, (), "mysql", {"sql": "DROP TABLE invoices"}, "MySQL client",
    ),
    # Who are you?
    Case(
        "maps/request-denied",
        lambda: {"error_message": "The provided API key is invalid.", "results": [], "status": "REQUEST_DENIED"},
        AUTH, (PERMISSION,), "geocode", {"address": "Storgata 1, Oslo"}, "Google Maps Geocoding API",
    ),
    Case(
        "linkedin/revoked",
        lambda: {
            "serviceErrorCode": 65601, "message": "The token used in the request has been revoked by the user",
            "status": 401,
        },
        AUTH, (), "linkedin_share", {"text": "We are hiring"}, "LinkedIn API",
    ),
    Case(
        "aws/expired-token",
        lambda: (
            "\nAn error occurred (ExpiredToken) when calling the ListBuckets operation: The provided token has expired.\n"
        ),
        AUTH, (), "aws_cli", {"command": "aws s3 ls"}, "AWS CLI",
    ),
    Case(
        "wechat/credential",
        lambda: {"errcode": 40001, "errmsg": "invalid credential, access_token is invalid or not latest rid: 65f1"},
        AUTH, (), "wechat_send_template", {"touser": "oX1", "template_id": "T9"}, "WeChat return codes",
    ),
    Case(
        "tax/log-in", lambda: Reply(False, "Please log in again, your session at the tax office has ended."),
        AUTH, (), "fetch_assessment", {"year": 2024}, "idiom: named tuple of a bot",
    ),
    Case(
        "ssh/publickey",
        lambda: subprocess.CompletedProcess(
            ["git", "fetch"], 128, "",
            "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\n"
            "Please make sure you have the correct access rights\nand the repository exists.\n",
        ),
        AUTH, (PERMISSION, EXECUTION), "git_fetch", {"remote": "origin"}, "OpenSSH behind git",
    ),
    # Too many calls
    Case(
        "reddit/ratelimit",
        lambda: {"json": {"errors": [["RATELIMIT", "Take a break for 4 minutes before trying again.", "ratelimit"]]}},
        RATE, (), "reddit_submit", {"sr": "sourdough", "title": "Flat loaf"}, "Reddit API, api_type=json",
    ),
    Case(
        "game/slow-down", lambda: "Whoa, slow down! 5 rolls per minute are the maximum. Next roll possible in 38 seconds.",
        RATE, (), "roll_dice", {"dice": "2d6"}, "idiom: chat bot",
    ),
    Case(
        "apigee/violation",
        lambda: (
            '{"fault":{"faultstring":"Rate limit quota violation. Quota limit  exceeded. Identifier : 8c1f",'
            '"detail":{"errorcode":"policies.ratelimit.QuotaViolation"}}}'
        ),
        RATE, (QUOTA,), "search_archive", {"q": "canal 1914"}, "Apigee fault of a newspaper's API",
    ),
    Case(
        "bedrock/throttling",
        lambda: {
            "ok": False,
            "exception": (
                "botocore.errorfactory.ThrottlingException: An error occurred (ThrottlingException) when calling the "
                "InvokeModel operation (reached max retries: 4): Too many requests, please wait before trying again."
            ),
        },
        RATE, (), "summarize_ruling", {"id": "R-77"}, "botocore ClientError",
    ),
    Case(
        "http/429-empty", lambda: {"status": 429, "headers": {"retry-after": "17", "content-length": "0"}, "body": ""},
        RATE, (), "api_request", {"method": "POST", "path": "/v1/geofences"}, "idiom: response as a dict",
    ),
    # Too slow
    Case(
        "mcp/request-timed-out",
        lambda: {"content": [{"type": "text", "text": "MCP error -32001: Request timed out"}], "isError": True},
        TIMEOUT, (), "crawl_site", {"url": "https://example.org", "depth": 6}, "MCP TypeScript SDK behind a proxy server",
    ),
    Case(
        "java/read-timed-out",
        lambda: "Exchange rates could not be loaded (java.net.SocketTimeoutException: Read timed out)",
        TIMEOUT, (CONNECTION,), "load_rates", {"base": "CHF"}, "idiom: Java exception in a sentence",
    ),
    Case(
        "playwright/locator",
        lambda: (
            "### Result\nError: locator.click: Timeout 5000ms exceeded.\nCall log:\n"
            "  - waiting for getByRole('button', { name: 'Pay now' })\n"
        ),
        TIMEOUT, (MISSING,), "browser_click", {"element": "Pay now", "ref": "e42"}, "Playwright MCP",
    ),
    Case(
        "go/deadline",
        lambda: (
            '{"err":"Get \\"https://tiles.example.net/9/271/149.png\\": context deadline exceeded '
            '(Client.Timeout exceeded while awaiting headers)"}'
        ),
        TIMEOUT, (CONNECTION,), "fetch_tile", {"z": 9, "x": 271, "y": 149}, "Go net/http",
    ),
    Case(
        "home/no-answer", lambda: DeviceReply("nursery-thermostat", -1, "no answer from the device within 10 s"),
        TIMEOUT, (CONNECTION, UNAVAILABLE), "set_temperature", {"room": "nursery", "celsius": 20},
        "idiom: plain object of a home automation bridge",
    ),
    # Not now
    Case(
        "gemini/overloaded",
        lambda: {
            "error": {
                "code": 503, "message": "The model is overloaded. Please try again later.", "status": "UNAVAILABLE",
            },
        },
        UNAVAILABLE, (RATE,), "ask_sub_agent", {"prompt": "Name three risks."}, "Gemini API",
    ),
    Case(
        "rail/maintenance", lambda: "The booking system is down for maintenance until 06:00 CET. Try again after that.",
        UNAVAILABLE, (), "buy_ticket", {"from": "Köln", "to": "Wien"}, "idiom: sentence",
    ),
    Case(
        "grpc/transport", lambda: "rpc error: code = Unavailable desc = transport is closing",
        UNAVAILABLE, (CONNECTION,), "get_stock_level", {"sku": "K-5"}, "err.Error() of grpc-go",
    ),
    Case(
        "redis/loading", lambda: "(error) LOADING Redis is loading the dataset in memory",
        UNAVAILABLE, (), "redis_cli", {"command": "GET session:9"}, "redis-cli",
    ),
    Case(
        "cloudflare/521",
        lambda: (
            '<!DOCTYPE html>\n<html lang="en-US">\n<head><title>shop.example.com | 521: Web server is down</title></head>\n'
            '<body><h1><span>Web server is down</span> <span class="code-label">Error code 521</span></h1>\n'
            "<p>The web server is not returning a connection. As a result, the web page is not displaying.</p></body></html>"
        ),
        UNAVAILABLE, (CONNECTION,), "product_page", {"slug": "red-kettle"}, "Cloudflare error page",
    ),
    # No way there
    Case(
        "node/fetch-failed",
        lambda: {"name": "TypeError", "message": "fetch failed", "cause": {"code": "ECONNRESET", "errno": -104}},
        CONNECTION, (), "translate_menu", {"lang": "fi"}, "serialized Node error of undici's fetch",
    ),
    Case(
        "go/no-such-host", lambda: "dial tcp: lookup registry.internal on 127.0.0.53:53: no such host",
        CONNECTION, (ARG,), "pull_image", {"image": "registry.internal/api:4"}, "Go net.DNSError",
    ),
    Case(
        "ansible/unreachable",
        lambda: (
            'web03 | UNREACHABLE! => {\n    "changed": false,\n    "msg": "Failed to connect to the host via ssh: ssh: '
            'connect to host 10.2.0.13 port 22: No route to host",\n    "unreachable": true\n}\n'
        ),
        CONNECTION, (), "ansible_adhoc", {"host": "web03", "module": "ping"}, "ansible ad hoc command",
    ),
    Case(
        "curl/certificate",
        lambda: "curl: (60) SSL certificate problem: unable to get local issuer certificate\n",
        CONNECTION, (EXECUTION, AUTH), "curl", {"url": "https://intranet.example.lan/hours"}, "curl with -sS",
    ),
    # Money, disk, memory
    Case(
        "adyen/not-enough-balance",
        lambda: {
            "pspReference": "KHQC5N7G84BLNK43", "resultCode": "Refused", "refusalReason": "Not enough balance",
            "refusalReasonCode": "12", "merchantReference": "A-2041",
        },
        QUOTA, (EXECUTION,), "charge_card", {"reference": "A-2041", "amount": 12900}, "Adyen Checkout API, /payments",
    ),
    Case(
        "game/gold", lambda: "You can't afford the elven bow: it costs 450 gold and you carry 120.",
        QUOTA, (CONFLICT, EXECUTION), "buy_item", {"item": "elven bow"}, "idiom: text adventure",
    ),
    Case(
        "docker/oom-killed", lambda: {"Id": "9f2c", "ExitCode": 137, "OOMKilled": True, "Logs": "epoch 1/30\n"},
        QUOTA, (EXECUTION,), "run_container", {"image": "train:7", "memory": "2g"}, "Docker State of a finished container",
    ),
    Case(
        "drive/storage",
        lambda: {
            "error": {
                "code": 403, "message": "The user's Drive storage quota has been exceeded.",
                "errors": [{
                    "message": "The user's Drive storage quota has been exceeded.", "domain": "usageLimits",
                    "reason": "storageQuotaExceeded",
                }],
            },
        },
        QUOTA, (PERMISSION,), "drive_upload", {"name": "plans.pdf"}, "Google Drive API",
    ),
    Case(
        "node/enospc", lambda: ["Could not save the export", "ENOSPC: no space left on device, write"],
        QUOTA, (EXECUTION,), "export_tracks", {"format": "gpx"}, "idiom: list of messages from Node",
    ),
    # Stopped
    Case(
        "node/abort", lambda: "AbortError: This operation was aborted", CANCELLED, (), "download_model",
        {"name": "whisper-small"}, "Node, AbortController",
    ),
    Case(
        "postgres/user-request", lambda: "ERROR:  canceling statement due to user request\n",
        CANCELLED, (), "psql", {"sql": "SELECT count(*) FROM telemetry"}, "psql",
    ),
    Case(
        "drone/operator", lambda: {"uploaded_pct": 34, "done": False, "note": "stopped by the operator before completion"},
        CANCELLED, (EXECUTION,), "upload_mission", {"drone": "D4", "file": "field-7.plan"}, "idiom: ground station",
    ),
    # No such tool
    Case(
        "semantic-kernel/undefined", lambda: "Error: Function call request for a function that wasn't defined.",
        NO_TOOL, (), "tides-get_tydes", {"place": "Bodø"}, "Semantic Kernel, function call of the model",
    ),
    Case(
        "ai-sdk/no-such-tool",
        lambda: "Model tried to call unavailable tool 'browseWeb'. Available tools: searchContracts, getClause.",
        NO_TOOL, (), "browseWeb", {"url": "https://example.org"}, "AI SDK, NoSuchToolError",
    ),
    Case(
        "dispatch/handler", lambda: {"handled": False, "problem": "nobody registered a handler called 'open_valve_2'"},
        NO_TOOL, (EXECUTION,), "open_valve_2", {"pct": 40}, "idiom: hand-written dispatcher",
    ),
]  # fmt: skip


TSC = """\
src/cart.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.
src/cart.ts(40,18): error TS2339: Property 'totl' does not exist on type 'Cart'.
Found 2 errors in the same file, starting at: src/cart.ts:12
"""

JEST = """\
FAIL src/date.test.ts
  ✕ rejects a bad date (4 ms)
  ✓ accepts ISO dates (1 ms)

  ● rejects a bad date
    Expected: "Invalid date"
    Received: undefined

Tests:       1 failed, 1 passed, 2 total
"""

POSTMORTEM = """\
# Postmortem: checkout outage of 3 March

**Status:** resolved

## Impact
For 41 minutes every payment failed with `503 Service Unavailable`.

## Root cause
The connection pool was exhausted; new requests timed out after 30 s.
"""

PODS = """\
NAME                      READY   STATUS             RESTARTS      AGE
api-6c9f7d5b9-2xkqp       1/1     Running            0             4d
mailer-7f5c-hh2vz         0/1     CrashLoopBackOff   112 (2m ago)  9h
migrate-1-tq8rw           0/1     Error              0             9h
"""

SERVICE = """\
× nginx.service - A high performance web server and a reverse proxy server
     Loaded: loaded (/lib/systemd/system/nginx.service; enabled; preset: enabled)
     Active: failed (Result: exit-code) since Mon 2025-03-03 07:12:44 UTC; 2h ago
   Main PID: 812 (code=exited, status=1/FAILURE)
"""

SOURCE = '''\
def parse_day(text: str) -> date:
    """Raises: ValueError: if the text is no ISO date."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        print("Error: invalid date", file=sys.stderr)
        raise
'''


LOOK_ALIKES: list[Case] = [
    # Nothing there, and that is the answer
    Case("empty/docs-search", lambda: "No results found.", None, (), "search_docs", {"query": "teleport setup"}),
    Case(
        "empty/flights", lambda: "There are no direct flights from Tromsø to Faro on 2 May.", None, (),
        "search_flights", {"from": "TOS", "to": "FAO", "date": "2025-05-02", "direct": True},
    ),
    Case(
        "empty/blast", lambda: "No significant similarity found.", None, (),
        "run_blast", {"sequence": "MKVLLAAGG", "database": "swissprot"}, "NCBI BLAST",
    ),
    Case(
        "empty/places", lambda: {"html_attributions": [], "results": [], "status": "ZERO_RESULTS"}, None, (),
        "nearby_search", {"location": "71.1,25.8", "type": "bakery"}, "Google Places: successful, no results",
    ),
    Case("empty/recent-errors", list, None, (), "get_recent_errors", {"service": "billing", "minutes": 15}),
    Case("empty/clipboard", str, None, (), "get_clipboard", {}),
    Case("empty/next-alarm", lambda: None, None, (), "get_next_alarm", {"device": "bedroom"}),
    Case("empty/set-volume", lambda: None, None, (), "set_volume", {"percent": 30}),
    Case(
        "empty/spanish-appointments", lambda: "No hay citas para mañana.", None, (), "listar_citas", {"dia": "mañana"},
    ),
    Case(
        "empty/breach", lambda: {"email": "kim@example.org", "found": False, "breaches": []}, None, (),
        "check_breaches", {"email": "kim@example.org"}, "idiom: a check whose good answer is false",
    ),
    Case(
        "empty/similar-cases",
        lambda: {"query": "drone over nudist beach", "matches": [], "note": "No precedent matches all of these terms."},
        None, (), "search_case_law", {"query": "drone over nudist beach"},
    ),
    Case(
        "empty/interactions", lambda: "No known interactions between ibuprofen and vitamin D.", None, (),
        "check_interactions", {"drugs": ["ibuprofen", "vitamin D"]},
    ),
    # Answers yes and no
    Case("flags/holiday", lambda: False, None, (), "is_public_holiday", {"date": "2025-03-04", "region": "BY"}),
    Case(
        "flags/allergen", lambda: {"contains": False, "checked": ["nuts", "gluten"]}, None, (),
        "contains_allergen", {"dish": "ratatouille"},
    ),
    Case("flags/compare", lambda: -1, None, (), "compare_versions", {"a": "1.9.2", "b": "1.10.0"}),
    Case(
        "flags/username", lambda: {"username": "anna", "available": False, "suggestions": ["anna_42", "annak"]},
        None, (), "check_username", {"username": "anna"},
    ),
    Case(
        "flags/port", lambda: {"host": "10.0.0.9", "port": 8080, "state": "closed", "detail": "connection refused"},
        None, (), "check_port", {"host": "10.0.0.9", "port": 8080}, "a scanner's verdict",
    ),
    Case(
        "flags/ping", lambda: "4 packets transmitted, 0 received, 100% packet loss, time 3061ms", None, (),
        "ping_host", {"host": "192.168.1.77"}, "a measurement",
    ),
    # Empty error fields
    Case(
        "fields/no-fault", lambda: {"seats": 14, "fault": None, "exception": "", "failed": False}, None, (),
        "count_free_seats", {"showing": 9},
    ),
    Case(
        "fields/errors-empty", lambda: '{"data":{"viewer":{"login":"octo"}},"errors":[]}', None, (),
        "graphql", {"query": "{viewer{login}}"},
    ),
    Case(
        "fields/omdb-true",
        lambda: {"Title": "The Error of Omission", "Year": "1912", "imdbID": "tt0002167", "Response": "True"}, None, (),
        "omdb_by_title", {"t": "The Error of Omission"}, "OMDb API",
    ),
    Case(
        "fields/job-warnings",
        lambda: JobOutcome(state="DONE", artifact="clip.av1.mkv", warnings=["timestamps were not monotonic", "no audio"]),
        None, (), "transcode", {"source": "clip.mp4", "codec": "av1"},
    ),
    Case("fields/dose", lambda: Dose(well="C8", dispensed_ul=50.0), None, (), "dispense", {"well": "C8", "ul": 50}),
    Case(
        "fields/user-errors-empty",
        lambda: {"data": {"productCreate": {"product": {"id": "gid://shopify/Product/9"}, "userErrors": []}}}, None, (),
        "shopify_create_product", {"title": "Red kettle"}, "Shopify Admin GraphQL",
    ),
    Case("fields/reply", lambda: Reply(True, "Unsubscribed: no further failure notices."), None, (), "unsubscribe", {}),
    # Records that were asked for
    Case(
        "records/webhook-event",
        lambda: {
            "eventCode": "AUTHORISATION", "success": "false", "reason": "Refused", "merchantReference": "A-2041",
            "eventDate": "2025-03-01T09:12:11+01:00",
        },
        None, (), "get_webhook_event", {"merchant_reference": "A-2041"}, "Adyen notification about a payment",
    ),
    Case(
        "records/workflow-run",
        lambda: {"id": 30433642, "name": "Build", "status": "completed", "conclusion": "failure", "run_number": 562},
        None, (), "get_workflow_run", {"run_id": 30433642}, "GitHub REST, workflow run",
    ),
    Case(
        "records/ferries", lambda: "07:40 Moss – cancelled, technical fault\n08:10 Moss – on time", None, (),
        "departure_board", {"pier": "Horten"},
    ),
    Case(
        "records/pagerduty",
        lambda: {"incident": {
            "incident_number": 1234, "title": "Connection timeout: db-primary unreachable", "status": "triggered",
            "urgency": "high",
        }},
        None, (), "get_incident", {"id": "PT4KHLK"}, "PagerDuty REST",
    ),
    Case(
        "records/leave-requests",
        lambda: [
            {"employee": "Ola", "from": "2025-07-01", "status": "rejected", "reason": "insufficient balance"},
            {"employee": "Ida", "from": "2025-07-14", "status": "approved", "reason": None},
        ],
        None, (), "list_leave_requests", {"team": "Service Desk"},
    ),
    Case(
        "records/obd",
        lambda: {"vin": "WVWZZZ1JZ3W386752", "dtc": [{"code": "P0300", "text": "Random misfire detected", "level": "error"}]},
        None, (), "read_fault_codes", {"vehicle": "VAN-3"},
    ),
    Case(
        "records/statement",
        lambda: (
            "Date,Text,Amount\n2025-03-01,Direct debit returned: insufficient funds,-39.90\n2025-03-02,Salary,2911.00\n"
        ),
        None, (), "get_statement", {"account": "main", "month": "2025-03"},
    ),
    Case(
        "records/pipelines",
        lambda: [{"id": 47, "status": "failed", "ref": "main"}, {"id": 48, "status": "canceled", "ref": "fix-timeouts"}],
        None, (), "gitlab_list_pipelines", {"project_id": 12}, "GitLab REST",
    ),
    Case(
        "records/task", lambda: {"task": "T-91", "status": "not started", "assignee": None},
        None, (), "get_task", {"id": "T-91"},
    ),
    Case(
        "records/devices",
        lambda: [{"name": "Porch lamp", "offline": True, "last_error": "timeout"}, {"name": "Boiler", "offline": False}],
        None, (), "list_devices", {"home": "cabin"},
    ),
    Case(
        "records/audit",
        lambda: "2025-03-02 22:10 sam   DENIED   read  /payroll\n2025-03-02 22:11 sam   DENIED   read  /payroll/2024\n",
        None, (), "audit_trail", {"user": "sam", "days": 1},
    ),
    Case(
        "records/calendar", lambda: "10:00 Cancelled: Sprint review\n11:30 Dentist\n15:00 Incident retro (503s)",
        None, (), "list_events", {"date": "2025-03-04"},
    ),
    Case(
        "records/sqs-dead-letters",
        lambda: {"Messages": [{"MessageId": "5f", "Body": '{"error":"schema mismatch","order":81}'}]}, None, (),
        "read_dead_letter_queue", {"queue": "orders-dlq", "max": 1}, "Amazon SQS ReceiveMessage",
    ),
    Case(
        "records/docker-ps",
        lambda: "CONTAINER ID   IMAGE   STATUS                   NAMES\n1f2c9a8b7d    etl:3   Exited (137) 3 hours ago   etl",
        None, (), "docker_ps", {"all": True},
    ),
    Case("records/pods", lambda: PODS, None, (), "kubectl", {"args": "get pods"}),
    Case("records/service", lambda: SERVICE, None, (), "service_status", {"name": "nginx"}, "systemctl status"),
    # Verdicts of checks
    Case("verdict/tsc", lambda: TSC, None, (), "type_check", {"project": "tsconfig.json"}),
    Case("verdict/jest", lambda: JEST, None, (), "run_tests", {"path": "src"}),
    Case(
        "verdict/spelling",
        lambda: {"errors": [{"word": "recieve", "offset": 14, "suggestions": ["receive"]}], "language": "en"}, None, (),
        "check_spelling", {"text": "We will soon recieve it."},
    ),
    Case(
        "verdict/credit", lambda: {"decision": "DECLINED", "score": 487, "reasons": ["too many recent inquiries"]},
        None, (), "assess_credit", {"applicant": 5512},
    ),
    Case(
        "verdict/certificate", lambda: "❌ expired.example.com: certificate has expired (notAfter=2025-01-09)", None, (),
        "check_certificate", {"host": "expired.example.com"},
    ),
    Case(
        "verdict/inspection", lambda: Inspection(passed=False, failures=["brake pads below 3 mm", "fog light out"]),
        None, (), "inspect_vehicle", {"plate": "AB 12345"},
    ),
    Case(
        "verdict/mail-domain", lambda: {"valid": False, "reason": "domain has no MX record"}, None, (),
        "verify_email_address", {"email": "x@nomx.example"},
    ),
    Case(
        "verdict/quiz", lambda: {"correct": False, "message": "Wrong! The capital of Australia is Canberra."}, None, (),
        "submit_answer", {"question": 4, "answer": "Sydney"},
    ),
    Case(
        "verdict/review", lambda: "**Changes requested**\n\n- `parse()` swallows exceptions\n- missing test for 404",
        None, (), "review_pull_request", {"number": 88},
    ),
    Case(
        "verdict/subtitles", lambda: (False, ["cue 2 overlaps cue 1", "cue 9: more than 42 characters"]), None, (),
        "check_subtitles", {"file": "ep4.srt"}, "a validator's pair",
    ),
    Case("verdict/no-errors", lambda: "0 errors, 0 warnings, 0 failed checks", None, (), "lint_yaml", {"file": "ci.yml"}),
    Case(
        "verdict/trivy",
        lambda: "libssl3 │ CVE-2024-5535 │ CRITICAL │ fixed in 3.0.15 │ buffer overread may crash the server", None, (),
        "scan_image", {"image": "api:4"},
    ),
    Case("verdict/wordle", lambda: "⬛❌✅⬛✅ 3 guesses left", None, (), "guess_word", {"word": "crane"}),
    # Done, with words that sound bad
    Case(
        "done/cancel", lambda: "Order 5512 has been cancelled and the money refunded.",
        None, (), "cancel_order", {"order_id": 5512},
    ),
    Case("done/terminated", lambda: "Process 4411 killed (SIGKILL).", None, (), "kill_process", {"pid": 4411}),
    Case(
        "done/block-user", lambda: {"user": "mallory", "access": "denied", "since": "2025-03-04T08:00:00Z"}, None, (),
        "block_user", {"user": "mallory"},
    ),
    Case(
        "done/revoke", lambda: "Token ghp_…41 is now invalid and will be rejected from now on.", None, (),
        "revoke_token", {"id": 41},
    ),
    Case(
        "done/ensure-folder", lambda: "Folder /backups/2025 already exists, nothing to create.", None, (),
        "ensure_folder", {"path": "/backups/2025"}, "idempotent",
    ),
    Case(
        "done/pip", lambda: "Requirement already satisfied: rich in ./.venv/lib/python3.12/site-packages (13.9.4)\n",
        None, (), "pip_install", {"package": "rich"},
    ),
    Case(
        "done/import-partial", lambda: "Imported 1,180 of 1,182 contacts. 2 rows skipped: invalid e-mail address.",
        None, (), "import_contacts", {"file": "fair.csv"},
    ),
    Case(
        "done/german-transfer", lambda: "Fehlerfrei abgeschlossen: 12 Dateien übertragen, 0 Fehler.", None, (),
        "sync_ordner", {"ziel": "nas"},
    ),
    Case(
        "done/npm-warnings",
        lambda: {
            "exit_code": 0, "stdout": "added 212 packages in 9s\n",
            "stderr": "npm warn deprecated inflight@1.0.6: This module is not supported, and leaks memory.\n",
        },
        None, (), "run_command", {"command": "npm ci"},
    ),
    Case(
        "done/diff-1", lambda: subprocess.CompletedProcess(["diff", "a", "b"], 1, "2c2\n< colour\n---\n> color\n", ""),
        None, (), "run_diff", {"left": "a", "right": "b"}, "diff: 1 means that the files differ",
    ),
    Case(
        "done/ansible-recap",
        lambda: "PLAY RECAP\nweb01 : ok=9  changed=2  unreachable=0  failed=0  skipped=1  rescued=0  ignored=0\n",
        None, (), "ansible_playbook", {"playbook": "site.yml"},
    ),
    Case(
        "done/retry",
        lambda: {"attempts": 3, "log": ["timeout", "connection reset", "sent"], "delivered": True}, None, (),
        "send_webhook", {"url": "https://hooks.example.net/1"},
    ),
    Case(
        "done/device-reply", lambda: DeviceReply("cellar-pump", 0, "fault memory cleared (was: E7 overcurrent)"),
        None, (), "clear_faults", {"device": "cellar-pump"},
    ),
    # Texts that were asked for
    Case(
        "text/story",
        lambda: "Error was the name they gave the youngest robot, because nobody had planned for him. He did not mind.",
        None, (), "write_story", {"topic": "a robot family"},
    ),
    Case(
        "text/translate", lambda: "Access denied. Please sign in.", None, (),
        "translate", {"text": "Zugriff verweigert. Bitte melden Sie sich an.", "to": "en"},
    ),
    Case(
        "text/transcript", lambda: "Sorry, I couldn't find you in the system. Could you spell your last name?",
        None, (), "transcribe_audio", {"file": "call-0311.wav"},
    ),
    Case(
        "text/magic-ball", lambda: "Cannot predict now. Try again later.", None, (), "magic_8_ball",
        {"question": "Will it snow?"},
    ),
    Case(
        "text/ui-copy", lambda: "Oops! Something went wrong on our side. Please try again in a few minutes.", None, (),
        "write_ui_text", {"purpose": "toast for a failed upload", "tone": "friendly"},
    ),
    Case(
        "text/error-page", lambda: "<!doctype html><title>404</title><h1>404 – Page not found</h1><a href='/'>Home</a>",
        None, (), "generate_html", {"description": "a minimal 404 page"},
    ),
    Case(
        "text/ocr", lambda: "A problem has been detected and Windows has been shut down\nSTOP: 0x0000007E", None, (),
        "ocr_image", {"image": "photo-of-screen.jpg"},
    ),
    Case(
        "text/printer-code", lambda: "E-04: Paper jam in the rear tray. Switch the printer off and pull the sheet out.",
        None, (), "explain_printer_code", {"code": "E-04"},
    ),
    Case(
        "text/definition", lambda: "failure (noun): 1. lack of success. 2. the neglect of something expected.",
        None, (), "define_word", {"word": "failure"},
    ),
    Case(
        "text/clause",
        lambda: "14.2 Failure to pay within ten days shall constitute an Event of Default; the Lender may cancel the facility.",
        None, (), "get_clause", {"contract": "LMA-7", "clause": "14.2"},
    ),
    Case(
        "text/ci-mail",
        lambda: "Subject: [ci] Build broken on main\n\nThe job e2e exceeded its limit of 60 minutes and was aborted.",
        None, (), "read_email", {"id": "m-2291"},
    ),
    Case(
        "text/tenancy", lambda: "You may not sublet without the landlord's written permission (clause 4.3).", None, (),
        "ask_contract", {"question": "Can I sublet my room?"},
    ),
    Case(
        "text/chat-history",
        lambda: [
            {"user": "U04", "ts": "1741.1", "text": "Error: connect ECONNREFUSED 10.0.0.4:5432 – anyone else?"},
            {"user": "U11", "ts": "1741.2", "text": "yep, unauthorized here"},
        ],
        None, (), "slack_history", {"channel": "#dev", "limit": 2},
    ),
    Case(
        "text/complaint",
        lambda: {
            "from": "j.berg@example.no", "subject": "FAILED DELIVERY AGAIN!!!",
            "body": "Your app says 'not found' when I enter the parcel number. Fix it.",
        },
        None, (), "get_latest_mail", {"mailbox": "support"},
    ),
    Case("text/postmortem", lambda: POSTMORTEM, None, (), "read_document", {"title": "Postmortem 3 March"}),
    # Files, code, references
    Case(
        "files/fixture", lambda: '{"error": {"code": 404, "message": "Customer does not exist"}}', None, (),
        "read_file", {"path": "tests/fixtures/customer_not_found.json"},
    ),
    Case("files/source", lambda: SOURCE, None, (), "read_file", {"path": "src/days.py"}),
    Case(
        "files/log-tail", lambda: "2025-03-04T07:00:02Z ERROR worker-3 job 881 failed: out of memory\n", None, (),
        "tail_log", {"file": "/var/log/worker.log", "lines": 1},
    ),
    Case(
        "files/messages", lambda: {"error.notFound": "Not found", "error.timeout": "The request timed out", "ok": "OK"},
        None, (), "load_translations", {"locale": "en"},
    ),
    Case(
        "files/openapi",
        lambda: {"get": {"responses": {"200": {"description": "OK"}, "404": {"description": "Pet not found"}}}},
        None, (), "get_endpoint_spec", {"path": "/pets/{id}"},
    ),
    Case(
        "files/settings", lambda: {"timeout": 30, "retry_on_error": True, "fail_fast": False, "max_failures": 5},
        None, (), "get_settings", {"section": "runner"},
    ),
    Case(
        "files/metrics",
        lambda: 'http_requests_total{code="500"} 3\nhttp_requests_total{code="200"} 90412\ntimeouts_total 7\n',
        None, (), "scrape_metrics", {"job": "api"}, "Prometheus text format",
    ),
    Case(
        "files/sql-rows", lambda: [("ETIMEDOUT", 41, Decimal("0.02")), ("EPERM", 3, Decimal("0.00"))], None, (),
        "query_db", {"sql": "SELECT code, count(*), share FROM failures GROUP BY 1"},
    ),
]  # fmt: skip


CASES: list[Case] = [*FAILURES, *LOOK_ALIKES]
