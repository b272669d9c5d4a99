"""Labelled values that tools return: 64 failures and 64 look-alike results of other domains than those of `fresh_c`.

Written before their figures were counted.
"""

# ruff: noqa: ISC004
# fmt: off
from __future__ import annotations

import subprocess
from collections import namedtuple
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

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


class Verdict(Enum):
    """How a command of a robot ended."""

    SUCCEEDED = "succeeded"
    ABORTED = "aborted"


@dataclass
class GoalResult:
    """The end of a robot's movement."""

    outcome: str
    error_string: str = ""
    error_code: int = 0


class RefundReply(BaseModel):
    """What a payment service answers."""

    approved: bool
    decline_code: str | None = None
    message: str = ""
    refund_id: str | None = None


@attrs.define
class ToolOutput:
    """What a small agent framework hands on."""

    content: str
    is_error: bool = False
    metadata: dict[str, Any] = attrs.field(factory=dict)


@dataclass
class CommandResult:
    """What a remote command returned."""

    exited: int
    stdout: str = ""
    stderr: str = ""
    command: str = ""

    @property
    def ok(self) -> bool:
        """Whether it worked."""
        return self.exited == 0


class Shipment(BaseModel):
    """A shipment as it is stored."""

    number: str
    state: str
    error: str | None = None
    stops: list[str] = []


@dataclass
class Evaluation:
    """The evaluation of an answer by a judge."""

    passed: bool
    reason: str
    score: float = 0.0
    tags: list[str] = field(default_factory=list)


Answer = namedtuple("Answer", "value error")  # noqa: PYI024

FAILURES: list[Case] = [
    Case(
        "hotel/property", lambda: {"status": "error", "data": None, "message": "Property 99812 was not found"},
        MISSING, (), "get_hotel", {"property_id": 99812}, "idiom: status envelope",
    ),
    Case(
        "law/docket", lambda: "There is no docket with number 24-cv-99999 in this district.",
        MISSING, (ARG,), "fetch_docket", {"number": "24-cv-99999"}, "idiom: sentence",
    ),
    Case(
        "school/course", lambda: {"course": None, "error": {"type": "CourseNotFound", "course_id": "MAT999"}},
        MISSING, (), "get_course", {"course_id": "MAT999"}, "idiom: typed error",
    ),
    Case(
        "helm/release", lambda: CommandResult(1, "", "Error: release: not found\n", "helm status web"),
        MISSING, (EXECUTION,), "helm_status", {"release": "web"}, "Helm",
    ),
    Case(
        "systemctl/unit", lambda: (5, "", "Failed to start ngnix.service: Unit ngnix.service not found.\n"),
        MISSING, (EXECUTION, ARG), "systemctl", {"args": ["start", "ngnix"]}, "systemd",
    ),
    Case(
        "pip/distribution",
        lambda: {
            "returncode": 1, "stdout": "", "stderr":
            "ERROR: Could not find a version that satisfies the requirement numpyy (from versions: none)\n"
            "ERROR: No matching distribution found for numpyy\n",
        },
        MISSING, (ARG, EXECUTION), "pip_install", {"package": "numpyy"}, "pip",
    ),
    Case(
        "chain/tx", lambda: {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "transaction not found"}},
        MISSING, (), "eth_call", {"tx": "0xdead"}, "Ethereum JSON-RPC",
    ),
    Case(
        "pt/cliente", lambda: {"sucesso": False, "mensagem": "Cliente não encontrado"},
        MISSING, (), "buscar_cliente", {"cpf": "000.000.000-00"}, "idiom: Portuguese",
    ),
    Case(
        "ru/order", lambda: "Ошибка: заказ № 5521 не найден",
        MISSING, (), "get_order", {"id": 5521}, "idiom: Russian",
    ),
    Case(
        "ko/seat", lambda: {"result": "fail", "reason": "존재하지 않는 좌석입니다."},
        MISSING, (ARG,), "reserve_seat", {"seat": "Z99"}, "idiom: Korean",
    ),
    Case(
        "pandas/keyerror", lambda: "KeyError: \"['prices'] not in index\"",
        EXECUTION, (ARG, MISSING), "query_dataframe", {"code": "df[['prices']]"}, "pandas agent",
    ),
    Case(
        "drone/waypoint", lambda: {"accepted": False, "reason": "waypoint 4 is above the maximum altitude of 120 m"},
        ARG, (PERMISSION, CONFLICT), "upload_mission", {"waypoints": 5}, "idiom: robotics",
    ),
    Case(
        "printer3d/gcode", lambda: 'echo:Unknown command: "G999"',
        ARG, (EXECUTION, NO_TOOL), "send_gcode", {"line": "G999"}, "Marlin firmware",
    ),
    Case(
        "payments/iban",
        lambda: {
            "error": "validation_failed", "error_description": "One or more fields are invalid",
            "fields": [{"field": "iban", "code": "checksum"}],
        },
        ARG, (), "create_payout", {"iban": "NO00"}, "idiom: OAuth-like with fields",
    ),
    Case(
        "energy/range", lambda: "Setpoint 95 is outside the allowed range (5 to 30).",
        ARG, (), "set_thermostat", {"celsius": 95}, "idiom: sentence",
    ),
    Case(
        "protobuf/text", lambda: 'code: 3\nmessage: "Invalid value for field start_time"\n',
        ARG, (EXECUTION,), "list_readings", {"start_time": "x"}, "google.rpc.Status as text",
    ),
    Case(
        "az/argument",
        lambda: subprocess.CompletedProcess(
            ["az", "vm", "create"], 2, "", "ERROR: the following arguments are required: --name/-n\n",
        ),
        ARG, (EXECUTION,), "az", {"args": ["vm", "create"]}, "Azure CLI",
    ),
    Case(
        "es/fecha", lambda: "La fecha de salida no puede ser anterior a la fecha de llegada.",
        ARG, (), "reservar_hotel", {"llegada": "2025-05-05", "salida": "2025-05-01"}, "idiom: Spanish",
    ),
    Case(
        "it/codice", lambda: {"esito": "KO", "messaggio": "Codice fiscale non valido"},
        ARG, (), "registra_paziente", {"cf": "AAA"}, "idiom: Italian",
    ),
    Case(
        "zod/array",
        lambda: {"success": False, "error": {"issues": [{
            "code": "too_small", "minimum": 1, "path": ["guests"], "message": "Number must be greater than or equal to 1",
        }], "name": "ZodError"}},
        ARG, (), "bookTable", {"guests": 0}, "Zod safeParse",
    ),
    Case(
        "hapi/boom",
        lambda: {"statusCode": 400, "error": "Bad Request", "message": "child \"size\" fails because [\"size\" must be one of [S, M, L]]"},
        ARG, (), "order_shirt", {"size": "XXL"}, "hapi, Boom",
    ),
    Case(
        "odata/key",
        lambda: {"error": {"code": "BadRequest_KeyMismatch", "message": {"lang": "en", "value":
                 "The key in the request does not match the type."}}},
        ARG, (CONFLICT, EXECUTION), "odata_get", {"path": "People(x)"}, "OData v2",
    ),
    Case(
        "bank/token", lambda: {"code": "TOKEN_EXPIRED", "message": "Access token is expired, please re-authenticate"},
        AUTH, (), "list_accounts", {}, "idiom: code and message",
    ),
    Case(
        "gcloud/login",
        lambda: (
            "ERROR: (gcloud.compute.instances.list) You do not currently have an active account selected.\nPlease run:\n\n"
            "  $ gcloud auth login\n\nto obtain new credentials.\n"
        ),
        AUTH, (), "gcloud", {"args": "compute instances list"}, "gcloud CLI",
    ),
    Case(
        "telecom/pin", lambda: {"ok": False, "message": "PIN incorrect, 2 attempts remaining"},
        AUTH, (ARG,), "change_plan", {"pin": "0000", "plan": "L"}, "idiom: flag and message",
    ),
    Case(
        "mqtt/rc", lambda: {"rc": 5, "reason": "Not authorized"},
        AUTH, (PERMISSION,), "mqtt_publish", {"topic": "a/b", "payload": "1"}, "MQTT return code",
    ),
    Case(
        "env/notset", lambda: "Error: OPENWEATHER_API_KEY is not set",
        AUTH, (EXECUTION,), "get_weather", {"city": "Oslo"}, "idiom: missing key",
    ),
    Case(
        "proxy/407",
        lambda: "<html><head><title>407 Proxy Authentication Required</title></head><body>Access to requested resource "
        "disallowed by administrator.</body></html>",
        AUTH, (PERMISSION, CONNECTION), "download", {"url": "https://example.com/a.zip"}, "proxy",
    ),
    Case(
        "health/consent", lambda: {"permitted": False, "explanation": "Patient has not consented to sharing lab results."},
        PERMISSION, (), "share_record", {"patient": 4}, "idiom: flag and explanation",
    ),
    Case(
        "windows/denied", lambda: "Access is denied.\r\n",
        PERMISSION, (), "run_cmd", {"command": "del C:\\Windows\\x"}, "Windows shell",
    ),
    Case(
        "apt/root",
        lambda: (100, "", "E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\nE: Unable "
                 "to acquire the dpkg frontend lock, are you root?\n"),
        PERMISSION, (EXECUTION, CONFLICT), "apt_install", {"package": "jq"}, "apt",
    ),
    Case(
        "confluence/space",
        lambda: {"statusCode": 403, "data": {"authorized": False, "valid": True, "errors": []}, "message":
                 "User not permitted to view space HR"},
        PERMISSION, (), "get_space", {"key": "HR"}, "Confluence REST",
    ),
    Case(
        "nl/toegang", lambda: "U heeft geen rechten om dit dossier te bekijken.",
        PERMISSION, (), "open_dossier", {"nummer": 4}, "idiom: Dutch",
    ),
    Case(
        "exchange/limit", lambda: {"code": -1003, "msg": "Too much request weight used; current limit is 1200 request weight per 1 MINUTE."},
        RATE, (), "klines", {"symbol": "BTCUSDT"}, "Binance",
    ),
    Case(
        "telegram/flood", lambda: {"ok": False, "error_code": 429, "description": "Too Many Requests: retry after 14",
                                   "parameters": {"retry_after": 14}},
        RATE, (), "telegram_broadcast", {"text": "hi"}, "Telegram Bot API",
    ),
    Case(
        "slow/prose", lambda: "You're sending messages too quickly. Please slow down and try again in 30 seconds.",
        RATE, (), "post_comment", {"text": "hi"}, "idiom: sentence",
    ),
    Case(
        "llm/credits",
        lambda: {"error": {"message": "Your credit balance is too low to access the API. Please go to Plans & Billing.",
                           "type": "invalid_request_error"}},
        QUOTA, (), "generate_image", {"prompt": "a boat"}, "model API",
    ),
    Case(
        "sms/balance", lambda: {"message-count": "1", "messages": [{"status": "9", "error-text": "Quota Exceeded - rejected"}]},
        QUOTA, (), "send_sms", {"to": "4790", "text": "hi"}, "Vonage SMS",
    ),
    Case(
        "wallet/funds", lambda: {"jsonrpc": "2.0", "id": 4, "error": {"code": -32000, "message": "insufficient funds for gas * price + value"}},
        QUOTA, (CONFLICT,), "send_transaction", {"to": "0x1", "value": 3}, "Ethereum JSON-RPC",
    ),
    Case(
        "robot/timeout", lambda: GoalResult("ABORTED", "Planning timed out after 5.0 s", -6),
        TIMEOUT, (), "move_arm", {"pose": "home"}, "MoveIt-like",
    ),
    Case(
        "sql/lock-wait", lambda: "(1205, 'Lock wait timeout exceeded; try restarting transaction')",
        TIMEOUT, (CONFLICT,), "execute_sql", {"sql": "UPDATE seats SET x=1"}, "MySQL driver, str(args)",
    ),
    Case(
        "lambda/timeout", lambda: {"errorMessage": "2025-04-01T10:00:00Z 5f1 Task timed out after 3.00 seconds"},
        TIMEOUT, (), "invoke_function", {"name": "resize"}, "AWS Lambda",
    ),
    Case(
        "agent/steps", lambda: "Tool execution exceeded the limit of 60 s and was terminated.",
        TIMEOUT, (), "crawl_site", {"url": "https://example.com"}, "idiom: agent framework",
    ),
    Case(
        "svc/maintenance", lambda: {"available": False, "message": "The booking engine is under maintenance until 06:00 UTC."},
        UNAVAILABLE, (), "search_flights", {"from": "OSL", "to": "BGO"}, "idiom: flag",
    ),
    Case(
        "grid/503", lambda: ToolOutput("Service Unavailable (503)", is_error=True),
        UNAVAILABLE, (), "grid_load", {"zone": "NO1"}, "idiom: attrs with is_error",
    ),
    Case(
        "pl/serwer", lambda: "Serwer jest chwilowo niedostępny, spróbuj ponownie później.",
        UNAVAILABLE, (EXECUTION,), "sprawdz_saldo", {"konto": "1"}, "idiom: Polish",
    ),
    Case(
        "ssh/refused", lambda: CommandResult(255, "", "ssh: connect to host 10.0.0.9 port 22: Connection refused\n"),
        CONNECTION, (), "remote_exec", {"host": "10.0.0.9", "cmd": "uptime"}, "OpenSSH",
    ),
    Case(
        "rsync/unreachable",
        lambda: (12, "", "ssh: Could not resolve hostname backup.lan: Name or service not known\nrsync: connection unexpectedly "
                 "closed (0 bytes received so far) [sender]\n"),
        CONNECTION, (), "sync_backup", {"target": "backup.lan"}, "rsync",
    ),
    Case(
        "plc/modbus", lambda: "Modbus Error: [Connection] Failed to connect[ModbusTcpClient(192.168.1.5:502)]",
        CONNECTION, (), "read_register", {"address": 40001}, "pymodbus",
    ),
    Case(
        "tls/cert", lambda: {"error": "self signed certificate in certificate chain", "code": "SELF_SIGNED_CERT_IN_CHAIN"},
        CONNECTION, (EXECUTION, AUTH), "httpRequest", {"url": "https://intern.example"}, "Node.js TLS",
    ),
    Case(
        "ticket/seat", lambda: {"held": False, "seat": "14C", "because": "another customer is holding this seat"},
        CONFLICT, (), "hold_seat", {"seat": "14C"}, "idiom: participle",
    ),
    Case(
        "refund/declined", lambda: RefundReply(approved=False, decline_code="already_refunded", message="Charge was already refunded"),
        CONFLICT, (), "refund_charge", {"charge": "ch_1"}, "idiom: pydantic",
    ),
    Case(
        "pair/error", lambda: Answer(None, "branch 'main' is protected"),
        CONFLICT, (PERMISSION, EXECUTION), "delete_branch", {"name": "main"}, "idiom: named pair",
    ),
    Case(
        "k8s/exists", lambda: 'Error from server (AlreadyExists): namespaces "dev" already exists\n',
        CONFLICT, (), "kubectl_create_ns", {"name": "dev"}, "kubectl",
    ),
    Case(
        "elevator/moving", lambda: "Cannot open doors while the cabin is moving.",
        CONFLICT, (EXECUTION,), "open_doors", {"elevator": 2}, "idiom: device",
    ),
    Case(
        "sv/bokad", lambda: "Rummet är redan bokat den tiden.",
        CONFLICT, (), "boka_rum", {"rum": "Fjord"}, "idiom: Swedish",
    ),
    Case(
        "sklearn/error", lambda: "ValueError: Found input variables with inconsistent numbers of samples: [100, 90]",
        EXECUTION, (ARG,), "train_model", {"dataset": "d1"}, "scikit-learn",
    ),
    Case(
        "ffi/segv", lambda: {"exit_code": -11, "stdout": "", "stderr": ""},
        EXECUTION, (), "run_binary", {"path": "./sim"}, "signal 11",
    ),
    Case(
        "php/fatal", lambda: "PHP Fatal error:  Uncaught TypeError: strlen(): Argument #1 ($string) must be of type string, array given in /app/a.php:3\n",
        EXECUTION, (ARG,), "run_php", {"file": "a.php"}, "PHP CLI",
    ),
    Case(
        "image/oops", lambda: {"image": None, "warning": None, "error": "Render node crashed"},
        EXECUTION, (UNAVAILABLE,), "render_scene", {"scene": "loft"}, "idiom: error and null",
    ),
    Case(
        "lab/instrument", lambda: {"state": "FAULT", "fault_text": "Centrifuge imbalance detected", "rpm": 0},
        EXECUTION, (CONFLICT,), "spin", {"rpm": 4000}, "idiom: device state",
    ),
    Case(
        "operator/abort", lambda: {"result": Verdict.ABORTED.value, "detail": "operator pressed the emergency stop"},
        CANCELLED, (EXECUTION,), "start_conveyor", {"line": 3}, "idiom: robot cell",
    ),
    Case(
        "approval/denied", lambda: "Execution was not approved by the user. Ask what to do instead.",
        CANCELLED, (PERMISSION,), "run_terminal_cmd", {"command": "rm -r build"}, "coding agent",
    ),
    Case(
        "autogen/missing", lambda: "Error: Function get_weathr not found.",
        NO_TOOL, (), "get_weathr", {"city": "Oslo"}, "AutoGen, unknown function",
    ),
]

RESULTS: list[Case] = [
    Case("medical/article", lambda: "Heart failure occurs when the heart cannot pump enough blood. It is not the same as cardiac arrest.", None, (), "medline_article", {"topic": "heart failure"}),
    Case("bank/transaction", lambda: {"id": "tx9", "status": "declined", "decline_reason": "insufficient_funds", "amount": 40}, None, (), "get_transaction", {"id": "tx9"}),
    Case("bank/history", lambda: [{"id": 1, "status": "failed", "message": "Card expired"}, {"id": 2, "status": "settled"}], None, (), "transaction_history", {"account": "A1"}),
    Case("shipment/object", lambda: Shipment(number="S1", state="failed", error="address unknown", stops=["OSL"]), None, (), "get_shipment", {"number": "S1"}),
    Case("hr/leave", lambda: {"request": 12, "state": "rejected", "reason": "Not enough leave days"}, None, (), "get_leave_request", {"request": 12}),
    Case("school/grade", lambda: {"student": 4, "course": "MAT101", "passed": False, "grade": "F", "comment": "Missed the exam"}, None, (), "get_grade", {"student": 4}),
    Case("legal/case", lambda: {"docket": "24-cv-1", "disposition": "dismissed", "reason": "lack of jurisdiction"}, None, (), "fetch_docket", {"number": "24-cv-1"}),
    Case("realestate/listing", lambda: {"id": 7, "available": False, "note": "Sold in March"}, None, (), "get_listing", {"id": 7}),
    Case("agri/sensor", lambda: {"sensor": "soil-3", "ok": False, "battery": 2, "last_error": "low voltage"}, None, (), "sensor_info", {"sensor": "soil-3"}),
    Case("judge/evaluation", lambda: Evaluation(passed=False, reason="The answer does not mention the deadline"), None, (), "evaluate_answer", {"answer": "x"}),
    Case("lint/yaml", lambda: "config.yaml\n  3:1  error  syntax error: expected <block end>  (syntax)\n", None, (), "yamllint", {"path": "config.yaml"}),
    Case("cert/check", lambda: {"host": "example.com", "valid": False, "error": "certificate has expired"}, None, (), "check_certificate", {"host": "example.com"}),
    Case("dns/lookup", lambda: {"name": "nope.example", "status": "NXDOMAIN", "answers": []}, None, (), "dns_lookup", {"name": "nope.example"}),
    Case("port/scan", lambda: {"host": "10.0.0.9", "ports": [{"port": 22, "state": "closed", "reason": "conn-refused"}]}, None, (), "scan_ports", {"host": "10.0.0.9"}),
    Case("captcha/verdict", lambda: {"success": False, "error-codes": ["invalid-input-response"]}, None, (), "verify_captcha", {"token": "x"}),
    Case("vat/check", lambda: {"countryCode": "NO", "vatNumber": "1", "valid": False, "name": "---"}, None, (), "check_vat", {"number": "1"}),
    Case("sudoku/move", lambda: {"valid": False, "reason": "5 is already in this row"}, None, (), "check_move", {"cell": "A1", "value": 5}),
    Case("spam/classify", lambda: {"label": "rejected", "confidence": 0.7, "reason": "contains forbidden words"}, None, (), "moderate_text", {"text": "x"}),
    Case("regex/test", lambda: {"matched": False, "error": None}, None, (), "test_regex", {"pattern": "a", "text": "b"}),
    Case("stock/alert", lambda: "Alert 4: AAPL fell below 150. Order was not executed because the limit was not reached.", None, (), "get_alert", {"id": 4}),
    Case("diff/text", lambda: "-raise ValueError('not found')\n+raise KeyError('not found')\n", None, (), "git_diff", {"path": "a.py"}),
    Case("blame/text", lambda: "3f2a1 (mia 2025-01-02) # Error: must not be empty", None, (), "git_blame", {"path": "a.py", "line": 4}),
    Case("issue/body", lambda: "App crashes on start\n\nError: Cannot find module 'left-pad'", None, (), "read_issue", {"number": 12}),
    Case("subtitles/line", lambda: "I'm sorry, Dave. I'm afraid I can't do that.", None, (), "get_quote", {"film": "2001"}),
    Case("poem/made", lambda: "Error 404, my heart not found,\nthe server of your love is down.", None, (), "write_poem", {"topic": "lost love"}),
    Case("reply/draft", lambda: "Dear customer, unfortunately we could not find your order. Please send us the number.", None, (), "draft_reply", {"ticket": 3}),
    Case("advice/text", lambda: "You cannot deduct these costs, since the office is not used only for work.", None, (), "tax_advisor", {"question": "Can I deduct my office?"}),
    Case("recipe/text", lambda: "Do not open the oven too early, otherwise the dough will fail to rise.", None, (), "recipe_tip", {"dish": "souffle"}),
    Case("traffic/text", lambda: "Road 7 is closed between Gol and Geilo because of an accident.", None, (), "traffic_report", {"road": 7}),
    Case("ferry/text", lambda: "The 14:10 departure is cancelled. Next departure: 14:50.", None, (), "ferry_departures", {"quay": "Lavik"}),
    Case("news/headlines", lambda: ["Power outage in Bergen", "Bank denies access to accounts"], None, (), "top_news", {"country": "no"}),
    Case("museum/closed", lambda: "The museum is closed on Mondays.", None, (), "opening_hours", {"place": "Munch"}),
    Case("pharmacy/stock", lambda: {"product": "ibuprofen", "in_stock": 0, "message": "Out of stock until Friday"}, None, (), "check_stock", {"product": "ibuprofen"}),
    Case("empty/flights", lambda: {"flights": [], "message": "No flights found for this date"}, None, (), "search_flights", {"from": "OSL", "to": "BGO"}),
    Case("empty/memory", lambda: "No relevant memories found.", None, (), "recall_memory", {"query": "birthday"}),
    Case("empty/rag", lambda: {"documents": [], "scores": [], "error": None}, None, (), "retrieve", {"query": "vacation policy"}),
    Case("empty/df", lambda: "Empty DataFrame\nColumns: [id, error]\nIndex: []", None, (), "query_dataframe", {"code": "df[df.error]"}),
    Case("empty/recall", lambda: {"recalls": 0, "results": [], "note": "No open recalls for this vehicle."}, None, (), "vehicle_recalls", {"vin": "W"}),
    Case("zero/stats", lambda: {"sent": 40, "bounced": 0, "failed": 0, "unsubscribed": 1}, None, (), "campaign_stats", {"id": 4}),
    Case("bulk/ok", lambda: {"total": 3, "successful": 3, "failures": [], "took": 12}, None, (), "bulk_index", {"docs": 3}),
    Case("shards/ok", lambda: {"took": 4, "timed_out": False, "_shards": {"total": 5, "failed": 0}, "hits": {"total": 0, "hits": []}}, None, (), "es_search", {"q": "x"}),
    Case("robot/ok", lambda: GoalResult("SUCCEEDED"), None, (), "move_arm", {"pose": "home"}),
    Case("cmd/ok", lambda: CommandResult(0, "", "Warning: Permanently added '10.0.0.9' to the list of known hosts.\n"), None, (), "remote_exec", {"cmd": "true"}),
    Case("refund/ok", lambda: RefundReply(approved=True, refund_id="re_1", message="Refund will appear within 5 days"), None, (), "refund_charge", {"charge": "ch_1"}),
    Case("output/ok", lambda: ToolOutput("Error budget: 99.2 % left"), None, (), "slo_budget", {"service": "api"}),
    Case("pair/ok", lambda: Answer(4, None), None, (), "count_branches", {}),
    Case("ended/session", lambda: "Session 12 was terminated.", None, (), "terminate_session", {"id": 12}),
    Case("ended/hold", lambda: {"hold": "h1", "status": "expired"}, None, (), "expire_hold", {"hold": "h1"}),
    Case("reject/offer", lambda: {"offer": 3, "status": "rejected", "message": "Offer rejected."}, None, (), "reject_offer", {"offer": 3}),
    Case("report/created", lambda: {"id": "INC-77", "status": "open", "title": "Payment errors", "error_code": "E42"}, None, (), "create_incident", {"title": "Payment errors"}),
    Case("rule/made", lambda: {"name": "errors", "condition": "status >= 500", "action": "notify", "enabled": True}, None, (), "create_alert_rule", {"name": "errors"}),
    Case("ping/result", lambda: "4 packets transmitted, 0 received, 100% packet loss, time 3052ms", None, (), "ping", {"host": "10.0.0.9"}),
    Case("curl/headers", lambda: "HTTP/2 301\r\nlocation: https://example.com/404\r\n\r\n", None, (), "curl_head", {"url": "https://example.com"}),
    Case("metrics/text", lambda: "# TYPE http_requests_total counter\nhttp_requests_total{code=\"500\"} 3\n", None, (), "scrape_metrics", {"target": "api"}),
    Case("journal/lines", lambda: "Apr 01 10:00:01 web nginx[1]: connect() failed (111: Connection refused)", None, (), "journalctl", {"unit": "nginx"}),
    Case("events/k8s", lambda: [{"type": "Warning", "reason": "FailedScheduling", "message": "0/3 nodes are available"}], None, (), "list_events", {"namespace": "dev"}),
    Case("deploy/list", lambda: {"deployments": [{"id": "d1", "state": "ERROR", "errorMessage": "Build failed"}]}, None, (), "list_deployments", {"project": "web"}),
    Case("survey/answers", lambda: [{"q": "What went wrong?", "a": "The page timed out"}], None, (), "survey_answers", {"id": 2}),
    Case("review/text", lambda: {"rating": 1, "text": "Does not work. Failed after two days.", "verified": True}, None, (), "get_review", {"id": 8}),
    Case("command/help", lambda: "usage: tool [-h] {run,stop}\n\noptions:\n  --fail-fast  stop at the first error\n", None, (), "tool_help", {}),
    Case("exam/question", lambda: {"question": "Which error is raised by int('x')?", "answer": "ValueError"}, None, (), "make_question", {"topic": "python"}),
    Case("constants/errors", lambda: {"ERR_TIMEOUT": 4, "ERR_NOT_FOUND": 7}, None, (), "get_constants", {"module": "err"}),
    Case("permission/list", lambda: {"user": 3, "allowed": ["read"], "denied": ["delete"]}, None, (), "get_permissions", {"user": 3}),
    Case("limits/info", lambda: {"rate_limit": 60, "remaining": 0, "reset": 1700000000}, None, (), "rate_limit_status", {}),
]

CASES = FAILURES + RESULTS
