"""Labelled values that tools return: failures in hand-written and documented shapes, and results that look like them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import attrs
from pydantic import BaseModel


@dataclass(frozen=True)
class Case:
    """One value with its label."""

    id: str
    make: Callable[[], Any]
    kind: str | None
    also: tuple[str, ...] = ()
    tool: str = "some_tool"
    arguments: dict[str, Any] = field(default_factory=dict)
    source: str = ""


def fail(case: str, value: Any, kind: str, called: str, /, *also: str, **arguments: Any) -> Case:
    """A value that reports a failure."""
    return Case(case, lambda: value, kind, also, called, arguments)


def done(case: str, value: Any, called: str, /, **arguments: Any) -> Case:
    """A value that is a result."""
    return Case(case, lambda: value, None, (), called, arguments)


@dataclass
class ToolResult:
    """The result class that many small agent frameworks write for themselves."""

    success: bool
    output: str = ""
    error: str | None = None


@dataclass
class FunctionCallResult:
    """A result with a status word instead of a flag."""

    func_name: str
    output: str
    status: str = "succeeded"


class ActionResult(BaseModel):
    """A pydantic result."""

    is_success: bool
    content: str | None = None
    error: str | None = None


@attrs.define
class Outcome:
    """An attrs result."""

    ok: bool
    value: Any = None
    reason: str = ""


@dataclass
class Page:
    """A page of search hits."""

    hits: list[str]
    total: int
    error: str | None = None


class Invoice(BaseModel):
    """A plain record."""

    number: str
    total: float
    paid: bool = False


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


HAND_WRITTEN: list[Case] = [
    # Sentences
    Case(
        "support/sorry-order", lambda: "Sorry, I couldn't find that order. Please check the order ID and try again.",
        MISSING, (ARG,), "get_order_status", {"order_id": "ORD999"},
        "order support bots: error_function of a function tool",
    ),
    Case(
        "crm/no-user-with-id", lambda: "No user with id 5", MISSING, (), "get_user", {"user_id": 5},
        "idiom: look-up in a dict of a demo database",
    ),
    Case(
        "weather/geocode", lambda: "Could not find coordinates for 'Sprngfeld'. Please check the spelling of the city name.",
        MISSING, (ARG,), "get_weather", {"city": "Sprngfeld"}, "idiom: weather tools that geocode first",
    ),
    Case(
        "files/roots-denied", lambda: "❌ Access denied: /etc/shadow is not within the allowed roots_list.",
        PERMISSION, (ARG,), "read_file", {"filepath": "/etc/shadow"}, "FastMCP roots server, read_file",
    ),
    Case(
        "sql/select-only", lambda: "Error: Only SELECT queries are allowed for safety.",
        PERMISSION, (ARG,), "run_query", {"query": "DELETE FROM orders"}, "tool-use course, run_query",
    ),
    Case(
        "sql/alchemy-no-table",
        lambda: (
            "(sqlite3.OperationalError) no such table: custmers\n[SQL: SELECT count(*) FROM custmers]\n"
            "(Background on this error at: https://sqlalche.me/e/20/e3q8)"
        ),
        MISSING, (ARG, EXECUTION), "sql_db_query", {"query": "SELECT count(*) FROM custmers"},
        "str(exc) of SQLAlchemy from a SQL tool",
    ),
    Case(
        "sql/following-error", lambda: 'The following error occurred: near "FORM": syntax error',
        ARG, (EXECUTION,), "run_sqlite_query", {"query": "SELECT * FORM users"},
        "RdotSilva/Python-LangChain-Query-Agent tools/sql.py",
    ),
    Case(
        "sql/unique-violation",
        lambda: (
            'Insert failed: duplicate key value violates unique constraint "users_email_key"\n'
            "DETAIL:  Key (email)=(ann@example.org) already exists.\n"
        ),
        CONFLICT, (ARG,), "insert_row", {"table": "users", "values": {"email": "ann@example.org"}},
        "idiom: f-string around psycopg2.errors.UniqueViolation",
    ),
    Case(
        "sql/pg-password",
        lambda: (
            'Database connection error: connection to server at "10.0.4.7", port 5432 failed: '
            'FATAL:  password authentication failed for user "analyst"\n'
        ),
        AUTH, (CONNECTION,), "query_postgres", {"sql": "SELECT 1"}, "idiom: f-string around psycopg OperationalError",
    ),
    Case(
        "shell/timed-out", lambda: "Command timed out after 30 seconds", TIMEOUT, (),
        "run_shell", {"command": "find / -name '*.iso'"}, "idiom: except subprocess.TimeoutExpired",
    ),
    Case(
        "shell/blocked", lambda: "Blocked: the command 'sudo reboot' matches a forbidden pattern and was not executed.",
        PERMISSION, (ARG,), "execute", {"command": "sudo reboot"}, "idiom: deny list of shell tools",
    ),
    Case(
        "shell/make-no-rule",
        lambda: "Command failed with exit code 2\nSTDERR:\nmake: *** No rule to make target 'instal'.  Stop.\n",
        EXECUTION, (ARG, MISSING), "run_command", {"command": "make instal"}, "idiom: shell tool that formats the exit code",
    ),
    Case(
        "shell/command-not-found", lambda: "[exit code 127]\n/bin/sh: 1: kubeclt: not found",
        EXECUTION, (ARG, MISSING, NO_TOOL), "terminal", {"cmd": "kubeclt get pods"}, "idiom: shell tool, combined output",
    ),
    Case(
        "http/axios-503", lambda: "Request failed with status code 503", UNAVAILABLE, (),
        "http_get", {"url": "https://api.example.com/v1/items"}, "error.message of axios in TypeScript MCP servers",
    ),
    Case(
        "http/max-retries",
        lambda: (
            "Error fetching data: HTTPSConnectionPool(host='api.exmaple.com', port=443): Max retries exceeded with url: "
            "/v1/items (Caused by NameResolutionError(\"<urllib3.connection.HTTPSConnection object at 0x7f3a2c1d5e10>: "
            "Failed to resolve 'api.exmaple.com' ([Errno -2] Name or service not known)\"))"
        ),
        CONNECTION, (ARG,), "fetch_items", {"base": "https://api.exmaple.com"}, "idiom: f-string around ConnectionError",
    ),
    Case(
        "http/401-client-error",
        lambda: (
            "Weather lookup failed: 401 Client Error: Unauthorized for url: "
            "https://api.openweathermap.org/data/2.5/weather?q=Oslo&appid=xxx"
        ),
        AUTH, (), "get_current_weather", {"location": "Oslo"}, "idiom: raise_for_status inside try",
    ),
    Case(
        "http/repr-refused", lambda: repr(ConnectionRefusedError(111, "Connection refused")),
        CONNECTION, (UNAVAILABLE,), "query_inventory", {"sku": "A-113"}, "idiom: return repr(e)",
    ),
    Case(
        "http/repr-read-timeout", lambda: "Error: ReadTimeout('The read operation timed out')",
        TIMEOUT, (), "call_api", {"endpoint": "/reports"}, "idiom: f'Error: {e!r}' around httpx",
    ),
    Case(
        "search/firecrawl-rate",
        lambda: (
            "An error occurred during the web search with Firecrawl: Rate Limit Exceeded: Failed to search. "
            "Consumed (req/min): 11, Remaining (req/min): 0. please retry after 24s"
        ),
        RATE, (), "Web Search Tool", {"query": "best usb microphones"},
        "anamikabharali/Multi-Agent-AI-Research-App tools/custom_search_tool.py",
    ),
    Case(
        "search/ddg-202", lambda: "Search error: https://html.duckduckgo.com/html 202 Ratelimit", RATE, (),
        "DuckDuckGo Search Tool", {"query": "paraty weather"}, "Mayureshdindorkar/multiagent-trip-planner tools/trip_tools.py",
    ),
    Case(
        "web/smol-timeout", lambda: "The request timed out. Please try again later or check the URL.",
        TIMEOUT, (), "visit_webpage", {"url": "https://slow.example.org"}, "smolagents VisitWebpageTool",
    ),
    Case(
        "web/404", lambda: "Error fetching the webpage: 404 Client Error: Not Found for url: https://example.org/nope",
        MISSING, (), "visit_webpage", {"url": "https://example.org/nope"}, "smolagents VisitWebpageTool",
    ),
    Case(
        "web/bot-wall", lambda: "Unable to scrape https://shop.example.com: the site returned 403 Forbidden (bot protection).",
        PERMISSION, (EXECUTION,), "scrape_page", {"url": "https://shop.example.com"}, "idiom: scraping tools",
    ),
    Case(
        "slack/token-hint", lambda: "Slack token is invalid or expired. Refresh slack_bot_token.",
        AUTH, (), "post_slack_message", {"channel": "#ops", "text": "deploy done"}, "hint table of a Slack tool",
    ),
    Case(
        "slack/rate-hint", lambda: "Rate limited by Slack API. Wait a moment and retry.",
        RATE, (), "list_slack_messages", {"channel": "#ops"}, "hint table of a Slack tool",
    ),
    Case(
        "discord/missing-permissions",
        lambda: "Failed to send message to #general: 403 Forbidden (error code: 50013): Missing Permissions",
        PERMISSION, (), "send_message", {"channel": "general", "content": "hi"}, "idiom: str(discord.Forbidden)",
    ),
    Case(
        "rag/no-collection", lambda: "Collection 'product_docs' does not exist. Run the ingest script first.",
        MISSING, (), "retrieve_documents", {"query": "return policy", "collection": "product_docs"}, "idiom: RAG tools",
    ),
    Case(
        "rag/kb-down", lambda: "The knowledge base is temporarily unavailable. Please try again in a few minutes.",
        UNAVAILABLE, (), "search_knowledge_base", {"query": "vpn setup"}, "idiom: RAG tools of help desks",
    ),
    Case(
        "edit/stale", lambda: "File src/app.py has been modified since it was last read. Read it again before writing.",
        CONFLICT, (), "write_file", {"path": "src/app.py", "content": "..."}, "strict modification checks of edit tools",
    ),
    Case(
        "config/env-missing", lambda: "TAVILY_API_KEY is not set. Please add it to your .env file.",
        AUTH, (EXECUTION,), "tavily_search", {"query": "solar eclipse 2026"}, "idiom: os.getenv check at the top of a tool",
    ),
    Case(
        "image/quota",
        lambda: (
            "Image generation failed: Error code: 429 - {'error': {'message': 'You exceeded your current quota, please check "
            "your plan and billing details.', 'type': 'insufficient_quota', 'param': None, 'code': 'insufficient_quota'}}"
        ),
        QUOTA, (RATE,), "generate_image", {"prompt": "a red fox"}, "idiom: f-string around an SDK's exception",
    ),
    Case(
        "files/no-space", lambda: "Could not save the file: [Errno 28] No space left on device: '/data/out.csv'",
        QUOTA, (EXECUTION,), "save_csv", {"path": "/data/out.csv"}, "idiom: except OSError as e",
    ),
    Case(
        "files/cancelled", lambda: "Operation cancelled by user.", CANCELLED, (PERMISSION,),
        "delete_files", {"pattern": "*.tmp"}, "idiom: confirmation prompts of file tools",
    ),
    Case(
        "shell/rejected", lambda: "⚠️ The user rejected this command. It was not run.", CANCELLED, (PERMISSION,),
        "bash", {"command": "git reset --hard"}, "idiom: human approval around a shell tool",
    ),
    Case(
        "calc/syntax", lambda: "Error evaluating expression '2 +/ 3': invalid syntax (<string>, line 1)",
        ARG, (EXECUTION,), "calculator", {"expression": "2 +/ 3"}, "calculator tools around eval",
    ),
    Case(
        "calc/zero-division", lambda: "Error: division by zero", EXECUTION, (ARG,),
        "run_python", {"code": "10 / 0"}, "Rishikarpe/TaskPlanner-AI tools/python_tool.py",
    ),
    Case(
        "currency/unsupported", lambda: "Unsupported currency code: XBT1. Supported codes: USD, EUR, GBP, JPY.",
        ARG, (MISSING,), "convert_currency", {"amount": 10, "source": "XBT1", "target": "EUR"}, "idiom: enumerated choices",
    ),
    Case(
        "email/invalid", lambda: "Invalid email address: bob@. Please provide a valid email address.",
        ARG, (), "send_email", {"to": "bob@", "subject": "Hello"}, "idiom: checks before smtplib",
    ),
    Case(
        "email/smtp-535",
        lambda: (
            "Failed to send email: (535, b'5.7.8 Username and Password not accepted. For more information, go to\\n"
            "5.7.8  https://support.google.com/mail/?p=BadCredentials')"
        ),
        AUTH, (), "send_mail", {"to": "ann@example.org"}, "idiom: f-string around smtplib.SMTPAuthenticationError",
    ),
    Case(
        "langchain/check-input",
        lambda: (
            "Tool error: Please check your input and try again. (1 validation error for SearchInput\nquery\n"
            "  Field required [type=missing, input_value={'q': 'tea'}, input_type=dict])"
        ),
        ARG, (), "search_products", {"q": "tea"}, "wrap_tool_call handler, handle_error.py",
    ),
    Case(
        "langchain/not-available",
        lambda: (
            "The following errors occurred during tool execution: The current search tool is not available. "
            "Please try another tool."
        ),
        UNAVAILABLE, (EXECUTION, NO_TOOL), "Search_tool1", {"query": "news today"}, "handle_tool_error in langchain PR 5050",
    ),
    Case(
        "pdf/corrupt-hint",
        lambda: (
            "Could not read 'report.pdf'.\n\nReason: EOF marker not found, the file appears to be corrupted.\n"
            "Hint: ask the user to upload the file again or export it as a new PDF."
        ),
        EXECUTION, (ARG,), "read_pdf", {"path": "report.pdf"}, "idiom: multi-line message with a hint",
    ),
    Case(
        "kubectl/not-found", lambda: 'Error from server (NotFound): pods "web-1" not found',
        MISSING, (), "kubectl_get", {"resource": "pod", "name": "web-1"}, "stderr returned by Kubernetes tools",
    ),
    Case(
        "docker/name-conflict",
        lambda: (
            'Error response from daemon: Conflict. The container name "/web" is already in use by container "9f2c41". '
            "You have to remove (or rename) that container to be able to reuse that name."
        ),
        CONFLICT, (), "docker_run", {"image": "nginx", "name": "web"}, "stderr returned by Docker tools",
    ),
    Case(
        "git/push-rejected",
        lambda: (
            "To github.com:acme/site.git\n ! [rejected]        main -> main (fetch first)\n"
            "error: failed to push some refs to 'github.com:acme/site.git'\n"
            "hint: Updates were rejected because the remote contains work that you do not have locally."
        ),
        CONFLICT, (EXECUTION,), "git_push", {"remote": "origin", "branch": "main"}, "stderr returned by git tools",
    ),
    Case(
        "python/unexpected", lambda: "An unexpected error occurred: list index out of range", EXECUTION, (),
        "summarize_sheet", {"sheet": "Q3"}, "idiom: last except clause of a tool",
    ),
    Case(
        "i18n/german-file", lambda: "Fehler: Die Datei 'bericht.docx' wurde nicht gefunden.", MISSING, (),
        "datei_lesen", {"pfad": "bericht.docx"}, "idiom: tools written in German",
    ),
    Case(
        "xml/error-tag", lambda: "<error>File not found: src/main.rs</error>", MISSING, (),
        "read_source", {"path": "src/main.rs"}, "idiom: coding agents that answer in tags",
    ),
    # Dicts
    Case(
        "stock/error-key", lambda: {"error": "No data found for symbol ZZZQ"}, MISSING, (ARG,),
        "get_stock_price", {"symbol": "ZZZQ"}, "idiom: yfinance tools",
    ),
    Case(
        "mcp/try-except",
        lambda: {"success": False, "error": "[Errno 13] Permission denied: '/root/a.txt'", "prompt": "error_prompt"},
        PERMISSION, (), "read_text", {"file_path": "/root/a.txt"}, "FastMCP tutorial, file operations",
    ),
    Case(
        "hass/status-reason", lambda: {"status": "error", "reason": "entity light.kitchn not found"},
        MISSING, (ARG,), "turn_on_light", {"entity_id": "light.kitchn"}, "idiom: Home Assistant tools",
    ),
    Case(
        "mongo/ok-0",
        lambda: {"ok": 0, "err": "E11000 duplicate key error collection: app.users index: email_1 dup key: { email: 'a@b.c' }"},
        CONFLICT, (), "insert_document", {"collection": "users", "document": {"email": "a@b.c"}}, "MongoDB MCP servers",
    ),
    Case(
        "image/result-null", lambda: {"result": None, "reason": "monthly credits exhausted, upgrade your plan to continue"},
        QUOTA, (), "upscale_image", {"image_id": "im_71"}, "idiom: null next to a reason",
    ),
    Case(
        "python/is-error",
        lambda: {
            "is_error": True,
            "output": 'Traceback (most recent call last):\n  File "<stdin>", line 1, in <module>\nKeyError: \'price\'\n',
        },
        EXECUTION, (ARG,), "python_exec", {"code": "print(row['price'])"}, "idiom: code interpreters",
    ),
    Case(
        "data/exception-traceback",
        lambda: {
            "exception": "ValueError",
            "message": "could not convert string to float: 'n/a'",
            "traceback": ["  File \"tools/clean.py\", line 41, in run\n    df['x'] = df['x'].astype(float)\n"],
        },
        EXECUTION, (ARG,), "clean_column", {"column": "x", "to": "float"}, "idiom: traceback.format_tb in the answer",
    ),
    Case(
        "calendar/status-failed",
        lambda: {"status": "failed", "errorMessage": "Invalid date format: '31/02/2025'. Please use YYYY-MM-DD."},
        ARG, (), "create_event", {"title": "Dentist", "date": "31/02/2025"}, "idiom: camelCase keys of Node tools",
    ),
    Case(
        "gpu/status-failure",
        lambda: {"status": "failure", "detail": "CUDA out of memory. Tried to allocate 2.00 GiB", "outputs": []},
        QUOTA, (EXECUTION,), "run_inference", {"model": "sdxl", "steps": 40}, "idiom: local image tools",
    ),
    Case(
        "proxy/data-null",
        lambda: {
            "data": None,
            "error": {"message": "upstream connect error or disconnect/reset before headers. reset reason: overflow"},
        },
        UNAVAILABLE, (CONNECTION,), "list_customers", {"page": 1}, "supabase-style answers behind a proxy",
    ),
    Case(
        "api/code-msg", lambda: {"code": -1, "msg": "system busy, please try again later", "data": None},
        UNAVAILABLE, (EXECUTION, RATE), "query_logistics", {"tracking_no": "SF1029"}, "idiom: code/msg/data envelopes",
    ),
    Case(
        "mobile/cancelled", lambda: {"status": "cancelled", "message": "User dismissed the confirmation dialog"},
        CANCELLED, (PERMISSION,), "place_call", {"number": "+4712345678"}, "idiom: phone assistants",
    ),
    Case(
        "weather/null-error", lambda: {"temperature": None, "conditions": None, "error": "timeout after 10s"},
        TIMEOUT, (), "get_forecast", {"city": "Lima"}, "idiom: every field null next to the error",
    ),
    # JSON texts and bytes
    Case(
        "hotel/json-success-false",
        lambda: json.dumps({"success": False, "message": "Room 204 is already booked for 2025-06-01."}),
        CONFLICT, (UNAVAILABLE,), "book_room", {"room": 204, "date": "2025-06-01"}, "idiom: json.dumps in booking demos",
    ),
    Case(
        "dispatch/unknown-function", lambda: json.dumps({"error": "Unknown function: book_flihgt"}),
        NO_TOOL, (), "book_flihgt", {"to": "OSL"}, "idiom: else branch of a function-calling loop",
    ),
    Case(
        "profile/bytes", lambda: b'{"error": "invalid_token", "error_description": "The access token expired"}',
        AUTH, (), "get_profile", {}, "idiom: response.content returned unread",
    ),
    # Tuples, blocks, objects
    Case(
        "mqtt/tuple-false", lambda: (False, "Could not connect to MQTT broker at 192.168.1.20:1883"),
        CONNECTION, (UNAVAILABLE,), "publish_mqtt", {"topic": "home/light", "payload": "on"}, "idiom: (ok, message)",
    ),
    Case(
        "docs/tuple-none", lambda: (None, "Document 8813 does not exist"), MISSING, (),
        "get_document", {"doc_id": 8813}, "idiom: (value, error)",
    ),
    Case(
        "mcp/block-unknown-tool", lambda: [{"type": "text", "text": "Unknown tool: list_repos_v2"}],
        NO_TOOL, (), "list_repos_v2", {"org": "acme"}, "low-level MCP servers, else branch of call_tool",
    ),
    Case(
        "framework/dataclass", lambda: ToolResult(success=False, error="Element with index 14 not found on page"),
        MISSING, (ARG,), "click_element", {"index": 14}, "ToolResult dataclass of browser agents",
    ),
    Case(
        "framework/pydantic", lambda: ActionResult(is_success=False, error="Window 'Calculater' not found."),
        MISSING, (ARG,), "focus_window", {"title": "Calculater"}, "ToolResult model of desktop agents",
    ),
    Case(
        "framework/status-object",
        lambda: FunctionCallResult(
            "merge_totals", "unsupported operand type(s) for +: 'int' and 'str'", "failed",
        ),
        EXECUTION, (ARG,), "merge_totals", {"a": 1, "b": "2"}, "FunctionCallResult.error of chat2graph",
    ),
]  # fmt: skip


DOCUMENTED: list[Case] = [
    Case(
        "mcp/is-error", lambda: {"content": [{"type": "text", "text": "API rate limit exceeded"}], "isError": True},
        RATE, (), "search_code", {"q": "retry"}, "MCP specification, tool execution errors",
    ),
    Case(
        "jsonrpc/unknown-tool",
        lambda: {"jsonrpc": "2.0", "id": 3, "error": {"code": -32602, "message": "Unknown tool: invalid_tool_name"}},
        NO_TOOL, (ARG,), "invalid_tool_name", {}, "MCP specification, protocol errors",
    ),
    Case(
        "langchain/tool-message",
        lambda: {
            "type": "tool", "name": "serch", "tool_call_id": "call_1", "status": "error",
            "content": "Error: serch is not a valid tool, try one of [search, calculator].",
        },
        NO_TOOL, (), "serch", {"query": "tea"}, "langgraph ToolNode",
    ),
    Case(
        "agents-sdk/default",
        lambda: "An error occurred while running the tool. Please try again. Error: [Errno 104] Connection reset by peer",
        CONNECTION, (EXECUTION, UNAVAILABLE), "fetch_rates", {"base": "EUR"}, "default_tool_error_function of an agents SDK",
    ),
    Case(
        "messages-api/tool-result",
        lambda: {
            "type": "tool_result", "tool_use_id": "toolu_01A", "is_error": True,
            "content": "ConnectionError: the weather service API is not available (HTTP 500)",
        },
        UNAVAILABLE, (CONNECTION,), "get_weather", {"location": "Paris"}, "documented tool_result with is_error",
    ),
    Case(
        "genai/function-response",
        lambda: {"functionResponse": {"name": "get_quote", "response": {"error": "Symbol QQZZ not found"}}},
        MISSING, (ARG,), "get_quote", {"symbol": "QQZZ"}, "FunctionResponse with the key error",
    ),
    Case(
        "responses/shell-timeout",
        lambda: {
            "type": "shell_call_output", "call_id": "call_9",
            "output": [{"stdout": "Collecting torch\n", "stderr": "", "outcome": {"type": "timeout"}}],
        },
        TIMEOUT, (), "shell", {"commands": ["pip install torch"]}, "shell_call_output outcome",
    ),
    Case(
        "lambda/task-timed-out",
        lambda: {"errorMessage": "2025-03-04T10:11:12.345Z 7c1e Task timed out after 3.00 seconds"},
        TIMEOUT, (), "invoke_lambda", {"function": "resize"}, "AWS Lambda",
    ),
    Case(
        "lambda/proxy-403",
        lambda: {"statusCode": 403, "headers": {}, "body": json.dumps({"message": "You may not edit this project."})},
        PERMISSION, (AUTH,), "update_project", {"id": "p-1"}, "Lambda proxy response",
    ),
    Case(
        "aws/step-functions",
        lambda: {
            "executionArn": "arn:aws:states:eu-west-1:1:express:etl:run-8", "status": "TIMED_OUT",
            "error": "States.Timeout", "startDate": 1741080000, "stopDate": 1741080300,
        },
        TIMEOUT, (), "start_sync_execution", {"stateMachine": "etl"}, "Step Functions, synchronous execution",
    ),
    Case(
        "google/not-found",
        lambda: {
            "error": {
                "code": 404, "message": "File not found: 1aBc.", "status": "NOT_FOUND",
                "errors": [{"message": "File not found: 1aBc.", "domain": "global", "reason": "notFound"}],
            },
        },
        MISSING, (), "drive_get_file", {"fileId": "1aBc"}, "Google API error model",
    ),
    Case(
        "azure/authorization-failed",
        lambda: {
            "error": {
                "code": "AuthorizationFailed",
                "message": "The client 'x' does not have authorization to perform action 'Microsoft.Compute/write'.",
            },
        },
        PERMISSION, (), "create_vm", {"name": "vm1"}, "Azure Resource Manager",
    ),
    Case(
        "http/problem-412",
        lambda: {
            "type": "https://example.net/probs/stale", "title": "Precondition Failed", "status": 412,
            "detail": "The article was changed by somebody else.", "instance": "/articles/4",
        },
        CONFLICT, (), "update_article", {"id": 4}, "RFC 9457",
    ),
    Case(
        "jsend/fail", lambda: {"status": "fail", "data": {"title": "A title is required"}},
        ARG, (), "create_post", {"body": "..."}, "JSend",
    ),
    Case(
        "jsonapi/422",
        lambda: {
            "errors": [
                {
                    "status": "422", "source": {"pointer": "/data/attributes/firstName"},
                    "title": "Invalid Attribute", "detail": "First name must contain at least two characters.",
                },
            ],
        },
        ARG, (), "create_person", {"firstName": "J"}, "JSON:API",
    ),
    Case(
        "graphql/not-found",
        lambda: {
            "data": {"repository": None},
            "errors": [
                {
                    "type": "NOT_FOUND", "path": ["repository"],
                    "message": "Could not resolve to a Repository with the name 'acme/nope'.",
                },
            ],
        },
        MISSING, (), "get_repository", {"owner": "acme", "name": "nope"}, "GraphQL",
    ),
    Case(
        "slack/missing-scope",
        lambda: {"ok": False, "error": "missing_scope", "needed": "chat:write", "provided": "channels:read"},
        PERMISSION, (AUTH,), "slack_post_message", {"channel": "C1", "text": "hi"}, "Slack Web API",
    ),
    Case(
        "telegram/429",
        lambda: {
            "ok": False, "error_code": 429, "description": "Too Many Requests: retry after 14",
            "parameters": {"retry_after": 14},
        },
        RATE, (), "telegram_send", {"chat_id": 7, "text": "hi"}, "Telegram Bot API",
    ),
    Case(
        "twilio/21211",
        lambda: {
            "code": 21211, "message": "The 'To' number +1555 is not a valid phone number.",
            "more_info": "https://www.twilio.com/docs/errors/21211", "status": 400,
        },
        ARG, (), "send_sms", {"to": "+1555", "body": "hi"}, "Twilio",
    ),
    Case(
        "elastic/index-missing",
        lambda: {
            "error": {
                "root_cause": [{"type": "index_not_found_exception", "reason": "no such index [logz]", "index": "logz"}],
                "type": "index_not_found_exception", "reason": "no such index [logz]",
            },
            "status": 404,
        },
        MISSING, (), "es_search", {"index": "logz"}, "Elasticsearch",
    ),
    Case(
        "huggingface/loading",
        lambda: {"error": "Model org/tiny-bert is currently loading", "estimated_time": 20.0},
        UNAVAILABLE, (), "hf_classify", {"text": "nice"}, "hosted inference API",
    ),
    Case(
        "alphavantage/note",
        lambda: {
            "Note": "Thank you for using Alpha Vantage! Our standard API call frequency is 5 calls per minute and 500 calls "
            "per day.",
        },
        RATE, (QUOTA,), "get_daily_series", {"symbol": "IBM"}, "Alpha Vantage",
    ),
    Case(
        "salesforce/session", lambda: [{"message": "Session expired or invalid", "errorCode": "INVALID_SESSION_ID"}],
        AUTH, (), "sf_query", {"soql": "SELECT Id FROM Account"}, "Salesforce REST API",
    ),
    Case(
        "couchdb/conflict", lambda: {"error": "conflict", "reason": "Document update conflict."},
        CONFLICT, (), "couch_put", {"db": "notes", "id": "n1"}, "CouchDB",
    ),
    Case(
        "s3/access-denied-xml",
        lambda: (
            '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message>'
            "<RequestId>4442587FB7D0A2F9</RequestId></Error>"
        ),
        PERMISSION, (), "s3_get_object", {"bucket": "b", "key": "k"}, "S3 REST error",
    ),
    Case(
        "nginx/504",
        lambda: (
            "<html>\r\n<head><title>504 Gateway Time-out</title></head>\r\n<body>\r\n<center><h1>504 Gateway Time-out</h1>"
            "</center>\r\n<hr><center>nginx/1.24.0</center>\r\n</body>\r\n</html>\r\n"
        ),
        TIMEOUT, (UNAVAILABLE,), "get_report", {"report_id": 12}, "nginx's error page",
    ),
    Case(
        "program/ls-missing",
        lambda: subprocess.CompletedProcess(
            ["ls", "/nope"], 2, "", "ls: cannot access '/nope': No such file or directory\n",
        ),
        MISSING, (EXECUTION,), "run_program", {"argv": ["ls", "/nope"]}, "subprocess.run",
    ),
    Case(
        "program/timed-out-flag",
        lambda: {"stdout": "step 1\n", "stderr": "", "exit_code": None, "timed_out": True},
        TIMEOUT, (), "sandbox_exec", {"cmd": "python train.py"}, "sandbox services",
    ),
    Case(
        "python/returned-exception", lambda: PermissionError(13, "Permission denied", "/srv/secret"),
        PERMISSION, (), "open_document", {"path": "/srv/secret"}, "exception returned instead of raised",
    ),
    Case(
        "jupyter/execute-reply",
        lambda: {
            "status": "error", "execution_count": 4, "ename": "NameError", "evalue": "name 'df' is not defined",
            "traceback": ["NameError: name 'df' is not defined"],
        },
        EXECUTION, (ARG,), "run_cell", {"code": "df.head()"}, "Jupyter messaging, execute_reply",
    ),
]  # fmt: skip


PYTEST = """\
============================= test session starts ==============================
collected 43 items

tests/test_api.py .....F....................F...............         [100%]

=================================== FAILURES ===================================
E       AssertionError: assert 401 == 200
E       TimeoutError: no answer
=========================== short test summary info ============================
FAILED tests/test_api.py::test_login - AssertionError: assert 401 == 200
FAILED tests/test_api.py::test_slow - TimeoutError: no answer
========================= 2 failed, 41 passed in 3.18s =========================
"""

LOG = """\
2025-03-01 08:00:01 INFO  worker started
2025-03-01 08:00:07 ERROR could not connect to redis:6379: Connection refused
2025-03-01 08:00:08 WARN  retrying in 5 s
2025-03-01 08:00:13 INFO  connected
"""


LOOK_ALIKES: list[Case] = [
    Case(
        "validate/json",
        lambda: {"valid": False, "errors": [{"path": "$.age", "message": "-4 is less than the minimum of 0"}]},
        None, (), "validate_json", {"document": {"age": -4}, "schema": "person"}, "a validator's verdict",
    ),
    Case(
        "validate/lint",
        lambda: [
            {"file": "app.py", "line": 3, "severity": "error", "code": "F821", "message": "Undefined name `foo`"},
            {"file": "app.py", "line": 9, "severity": "warning", "code": "W291", "message": "Trailing whitespace"},
        ],
        None, (), "lint_code", {"path": "app.py"}, "a linter's findings",
    ),
    Case("validate/email", lambda: False, None, (), "is_valid_email", {"email": "bob@"}, "a boolean verdict"),
    Case(
        "validate/password", lambda: {"ok": False, "reasons": ["too short", "no digit"]},
        None, (), "check_password_strength", {"password": "abc"}, "a verdict with ok: false",
    ),
    Case(
        "validate/username", lambda: {"available": False, "reason": "already taken"},
        None, (), "check_username", {"username": "ann"}, "an availability check",
    ),
    Case(
        "validate/iban", lambda: "Invalid: the checksum of this IBAN does not match.",
        None, (), "validate_iban", {"iban": "DE00123456781234567890"}, "a verdict as a sentence",
    ),
    Case(
        "validate/moderation", lambda: {"flagged": True, "reason": "violence", "blocked_terms": ["kill process"]},
        None, (), "moderate_text", {"text": "how do I kill process 4"}, "a moderation verdict",
    ),
    Case(
        "tests/pytest", lambda: PYTEST, None, (), "run_tests", {"path": "tests/"}, "a test run's report",
    ),
    Case(
        "tests/all-passed", lambda: "All checks passed: 0 failures, 0 errors, 0 warnings.",
        None, (), "run_checks", {"suite": "smoke"}, "a clean report",
    ),
    Case(
        "records/job",
        lambda: {"id": "job-88", "status": "failed", "error": "OOMKilled", "finished_at": "2025-02-03T04:05:06Z", "tries": 2},
        None, (), "get_job", {"job_id": "job-88"}, "a job record",
    ),
    Case(
        "records/order", lambda: {"order_id": "A17", "status": "cancelled", "cancel_reason": "payment_failed", "items": 3},
        None, (), "get_order", {"order_id": "A17"}, "an order record",
    ),
    Case(
        "records/payment",
        lambda: {
            "id": "ch_1", "object": "charge", "amount": 1200, "status": "failed",
            "failure_code": "card_declined", "failure_message": "Your card was declined.",
        },
        None, (), "retrieve_charge", {"charge": "ch_1"}, "a stored payment",
    ),
    Case(
        "records/ci-runs",
        lambda: [
            {"id": 11, "name": "build", "conclusion": "failure"},
            {"id": 12, "name": "docs", "conclusion": "cancelled"},
            {"id": 13, "name": "build", "conclusion": "success"},
        ],
        None, (), "list_workflow_runs", {"repo": "acme/site"}, "CI records",
    ),
    Case(
        "records/ticket",
        lambda: {"id": 501, "subject": "Login fails with 401 Unauthorized", "priority": "high", "state": "open"},
        None, (), "get_ticket", {"id": 501}, "a help-desk ticket",
    ),
    Case(
        "records/sentry",
        lambda: {"type": "ValueError", "value": "bad literal", "count": 42, "last_seen": "2025-01-09", "status": "unresolved"},
        None, (), "get_issue_details", {"issue_id": "PY-3"}, "an error tracker's issue",
    ),
    Case(
        "records/tracking",
        lambda: {"tracking_no": "1Z9", "status": "exception", "events": ["Delivery failed: recipient not at home"]},
        None, (), "track_package", {"tracking_no": "1Z9"}, "a parcel's record",
    ),
    Case(
        "records/hass-state",
        lambda: {"entity_id": "sensor.attic", "state": "unavailable", "attributes": {"friendly_name": "Attic"}},
        None, (), "get_entity_state", {"entity_id": "sensor.attic"}, "a Home Assistant state",
    ),
    Case(
        "records/webhook-log",
        lambda: {"deliveries": [{"id": "d1", "status_code": 500, "response": "Internal Server Error"}], "total": 1},
        None, (), "list_webhook_deliveries", {"hook": "h1"}, "a stored HTTP log",
    ),
    Case(
        "records/failed-logins", lambda: [("ann", "10.0.0.4", "invalid password"), ("root", "10.0.0.9", "account locked")],
        None, (), "list_failed_logins", {"since": "today"}, "audit rows",
    ),
    Case(
        "logs/search", lambda: LOG, None, (), "search_logs", {"service": "worker", "level": "*"}, "log lines",
    ),
    Case(
        "logs/file",
        lambda: 'Traceback (most recent call last):\n  File "/srv/app.py", line 7, in <module>\n    main()\nKeyError: \'x\'\n',
        None, (), "read_file", {"path": "/var/log/app/crash-2025-02-11.log"}, "a crash log that was asked for",
    ),
    Case(
        "logs/git",
        lambda: "a1b2c3d fix: crash when the timeout error occurs\n9f8e7d6 Revert \"retry failed uploads\"\n",
        None, (), "git_log", {"n": 2}, "commit subjects",
    ),
    Case(
        "health/site", lambda: {"url": "https://shop.example.com", "up": False, "status_code": 503, "latency_ms": 212},
        None, (), "check_uptime", {"url": "https://shop.example.com"}, "a check of another service",
    ),
    Case(
        "health/components", lambda: {"status": "degraded", "checks": {"db": "ok", "cache": "timeout", "queue": "ok"}},
        None, (), "get_system_health", {}, "a health report",
    ),
    Case(
        "health/links",
        lambda: [{"url": "https://a.example", "status": 200}, {"url": "https://b.example/x", "status": 404, "broken": True}],
        None, (), "check_links", {"page": "index.html"}, "a link checker's report",
    ),
    Case(
        "search/web-errors",
        lambda: [
            {
                "title": "TypeError: 'NoneType' object is not subscriptable - how to fix", "url": "https://forum.example/1",
                "snippet": "I get this error when I call get_user()...",
            },
        ],
        None, (), "web_search", {"query": "TypeError 'NoneType' object is not subscriptable"}, "hits about an error",
    ),
    Case(
        "search/none-found", lambda: "No results found for 'quantum llama farming'.",
        None, (), "search_notes", {"query": "quantum llama farming"}, "a plain empty result",
    ),
    Case(
        "search/no-events", lambda: "No events found between 2025-05-01 and 2025-05-07.",
        None, (), "list_events", {"start": "2025-05-01", "end": "2025-05-07"}, "a plain empty result",
    ),
    Case("search/empty-list", list, None, (), "list_open_incidents", {"team": "core"}, "an empty list"),
    Case(
        "search/empty-hits", lambda: Page([], 0, None), None, (), "search_errors", {"q": "E999"},
        "an object with an empty error member",
    ),
    Case("noop/git-pull", lambda: "Already up to date.\n", None, (), "git_pull", {"remote": "origin"}, "nothing to do"),
    Case(
        "noop/git-status", lambda: "On branch main\nnothing to commit, working tree clean\n", None, (), "git_status", {},
        "nothing to do",
    ),
    Case(
        "noop/packages", lambda: "Nothing to do: all 14 packages are current.", None, (), "update_packages", {},
        "nothing to do",
    ),
    Case(
        "counts/cleanup", lambda: "Deleted 17 files, skipped 2, 0 errors.", None, (), "clean_cache", {"older_than": "30d"},
        "a count of failures",
    ),
    Case("counts/failures", lambda: 3, None, (), "count_failed_jobs", {"queue": "mail"}, "a number"),
    Case(
        "counts/rates", lambda: {"total_requests": 10000, "errors": 12, "error_rate": 0.0012, "timeouts": 4},
        None, (), "get_request_stats", {"window": "1h"}, "metrics",
    ),
    Case(
        "flags/import", lambda: {"imported": 120, "skipped": 3, "errors": []}, None, (), "import_contacts",
        {"file": "contacts.csv"}, "an empty list of errors",
    ),
    Case(
        "flags/error-null", lambda: {"success": True, "error": None, "data": {"id": 9}}, None, (), "create_task",
        {"title": "Call Bob"}, "error: null",
    ),
    Case(
        "flags/error-false", lambda: {"error": False, "message": "Light turned on"}, None, (), "set_light",
        {"entity_id": "light.desk", "state": "on"}, "error: false",
    ),
    Case(
        "game/skill-check", lambda: {"success": False, "roll": 4, "dc": 12, "text": "You fail to pick the lock."},
        None, (), "roll_skill_check", {"skill": "lockpicking", "dc": 12}, "a game's verdict",
    ),
    Case(
        "text/translation", lambda: "Error: archivo no encontrado", None, (), "translate",
        {"text": "Error: file not found", "target": "es"}, "a translation",
    ),
    Case(
        "text/status-code", lambda: "404 Not Found: the server cannot find the requested resource.",
        None, (), "explain_http_status", {"code": 404}, "a definition",
    ),
    Case(
        "text/reply-draft",
        lambda: "Dear Mr Lee,\n\nwe are sorry that your payment failed. The error on our side has been fixed. Kind regards",
        None, (), "draft_reply", {"ticket": 77, "tone": "polite"}, "a polite answer",
    ),
    Case(
        "text/complaint",
        lambda: {
            "from": "joe@example.com", "subject": "It does not work!!",
            "body": "Could not log in again. Your app says 'Access denied'. Please fix.",
        },
        None, (), "read_email", {"id": "m-3"}, "an e-mail that complains",
    ),
    Case(
        "text/classify", lambda: {"category": "error_report", "confidence": 0.93}, None, (), "classify_ticket",
        {"text": "the app crashes"}, "a classifier's label",
    ),
    Case(
        "reference/error-codes", lambda: {"E1001": "Invalid token", "E1002": "Quota exceeded", "E1003": "Not found"},
        None, (), "list_error_codes", {"api": "billing"}, "a table of codes",
    ),
    Case(
        "reference/schema",
        lambda: {
            "type": "object", "required": ["error"],
            "properties": {"error": {"type": "string"}, "code": {"type": "integer"}},
        },
        None, (), "get_json_schema", {"name": "ErrorResponse"}, "a JSON Schema",
    ),
    Case(
        "program/grep-1", lambda: subprocess.CompletedProcess(["grep", "-rn", "TODO", "src"], 1, "", ""),
        None, (), "run_program", {"argv": ["grep", "-rn", "TODO", "src"]}, "grep without a match",
    ),
    Case(
        "program/stderr-warning",
        lambda: {"stdout": "Successfully installed attrs-25.1.0\n", "stderr": "WARNING: Running pip as root\n", "exit_code": 0},
        None, (), "sandbox_exec", {"cmd": "pip install attrs"}, "a warning with exit 0",
    ),
    Case(
        "table/error-column",
        lambda: [{"id": 1, "name": "sync", "error": None}, {"id": 2, "name": "mail", "error": "SMTP 550 mailbox unavailable"}],
        None, (), "query_db", {"sql": "SELECT id, name, error FROM runs"}, "rows with an error column",
    ),
]  # fmt: skip


MARKDOWN_TABLE = "| city | population |\n|---|---|\n| Oslo | 717710 |\n| Bergen | 291940 |\n"

ARTICLE = (
    "<!doctype html><html><head><title>Sourdough for beginners</title></head><body><article><h1>Sourdough for beginners"
    "</h1><p>Feed the starter twice a day and keep it warm.</p><p>After a week it is ready to bake with.</p></article>"
    "</body></html>"
)

DIFF = """\
--- a/app.py
+++ b/app.py
@@ -1,3 +1,3 @@
 import os
-PORT = 8000
+PORT = 8080
"""

CODE = '''\
def mean(values: list[float]) -> float:
    """Return the arithmetic mean."""
    if not values:
        raise ValueError("mean of nothing")
    return sum(values) / len(values)
'''


ORDINARY: list[Case] = [
    Case(
        "plain/weather", lambda: "The weather in Oslo is 14°C with light rain.", None, (), "get_weather", {"city": "Oslo"},
        "a sentence",
    ),
    Case("plain/sum", lambda: "4", None, (), "calculator", {"expression": "2 + 2"}, "a number as text"),
    Case("plain/float", lambda: 187.44, None, (), "get_stock_price", {"symbol": "AAPL"}, "a number"),
    Case("plain/true", lambda: True, None, (), "is_prime", {"n": 97}, "a boolean"),
    Case("plain/none", lambda: None, None, (), "set_volume", {"level": 30}, "a side effect without an answer"),
    Case("plain/empty-text", lambda: "", None, (), "run_shell", {"command": "mkdir -p out"}, "silent command"),
    Case("plain/zero", lambda: 0, None, (), "count_unread", {"folder": "inbox"}, "a zero"),
    Case("plain/date", lambda: "2025-10-26T02:30:00+02:00", None, (), "get_current_time", {"tz": "Europe/Oslo"}, "a date"),
    Case("plain/uuid", lambda: "6f1c2f0e-7e0a-4f4a-9d59-0c8c2d1b7a11", None, (), "create_uuid", {}, "an identifier"),
    Case("plain/bytes", lambda: b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", None, (), "take_screenshot", {}, "image bytes"),
    Case(
        "text/summary",
        lambda: "The report covers three quarters. Revenue grew by 8 %, mostly in the north, while costs stayed flat.",
        None, (), "summarize_document", {"doc_id": "r-1"}, "a summary",
    ),
    Case(
        "text/poem", lambda: "Rain on the window,\na kettle begins to sing.\nThe cat does not care.", None, (), "write_haiku",
        {"topic": "rain"}, "a poem",
    ),
    Case("text/translation-fr", lambda: "Bonjour, comment allez-vous ?", None, (), "translate_text",
         {"text": "Hello, how are you?", "target": "fr"}, "a translation"),
    Case(
        "text/recipe", lambda: "1. Boil the pasta.\n2. Fry the garlic.\n3. Mix and serve with parmesan.", None, (),
        "get_recipe", {"dish": "aglio e olio"}, "a list of steps",
    ),
    Case("text/markdown-table", lambda: MARKDOWN_TABLE, None, (), "render_table", {"name": "cities"}, "a Markdown table"),
    Case(
        "text/csv", lambda: "id,name,qty\n1,bolt,40\n2,nut,38\n", None, (), "export_csv", {"table": "stock"}, "CSV text",
    ),
    Case(
        "text/yaml", lambda: "replicas: 3\nimage: nginx:1.27\nports:\n  - 80\n", None, (), "get_manifest",
        {"name": "web"}, "YAML text",
    ),
    Case("text/html", lambda: ARTICLE, None, (), "fetch_url", {"url": "https://bread.example/sourdough"}, "an HTML article"),
    Case(
        "text/xml",
        lambda: "<rss version='2.0'><channel><title>News</title><item><title>Fair opens</title></item></channel></rss>",
        None, (), "read_feed", {"url": "https://news.example/rss"}, "an RSS feed",
    ),
    Case("code/source", lambda: CODE, None, (), "read_source", {"path": "stats.py"}, "source code"),
    Case(
        "code/sql", lambda: "SELECT name, sum(total) FROM invoices GROUP BY name ORDER BY 2 DESC LIMIT 5;", None, (),
        "write_sql", {"question": "top five customers"}, "generated SQL",
    ),
    Case("code/diff", lambda: DIFF, None, (), "git_diff", {"path": "app.py"}, "a diff"),
    Case(
        "shell/ls", lambda: "total 8\n-rw-r--r-- 1 ann ann 120 Mar  1 09:00 notes.md\ndrwxr-xr-x 2 ann ann 4096 Mar  1 src\n",
        None, (), "bash", {"command": "ls -l"}, "shell output",
    ),
    Case("shell/tuple", lambda: ("3.11.7\n", "", 0), None, (), "exec_command", {"cmd": "python -V"}, "(stdout, stderr, code)"),
    Case(
        "shell/completed", lambda: subprocess.CompletedProcess(["date", "-u"], 0, "Sat Mar  1 08:00:00 UTC 2025\n", ""),
        None, (), "run_program", {"argv": ["date", "-u"]}, "subprocess.run",
    ),
    Case(
        "shell/df", lambda: "Filesystem  Size  Used Avail Use% Mounted on\n/dev/sda1    40G   21G   17G  56% /\n", None, (),
        "disk_usage", {}, "a table of a program",
    ),
    Case(
        "lists/users", lambda: [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}], None, (), "list_users", {"page": 1},
        "records",
    ),
    Case("lists/strings", lambda: ["todo.md", "src/app.py", "README.md"], None, (), "list_files", {"path": "."}, "names"),
    Case("lists/rows", lambda: [(1, "bolt", 40), (2, "nut", 38)], None, (), "run_sqlite_query",
         {"query": "SELECT * FROM stock"}, "cursor.fetchall()"),
    Case("lists/vector", lambda: [0.12, -0.48, 0.33, 0.07], None, (), "embed_text", {"text": "tea"}, "an embedding"),
    Case(
        "lists/blocks", lambda: [{"type": "text", "text": "Created issue #41: Add dark mode"}], None, (), "create_issue",
        {"title": "Add dark mode"}, "MCP text blocks",
    ),
    Case(
        "dicts/profile", lambda: {"id": 7, "name": "Ann", "email": "ann@example.org", "active": False}, None, (),
        "get_user", {"user_id": 7}, "a record with a false flag",
    ),
    Case(
        "dicts/ok-true", lambda: {"ok": True, "channel": "C1", "ts": "1741.0001"}, None, (), "slack_post_message",
        {"channel": "C1", "text": "hi"}, "Slack Web API",
    ),
    Case(
        "dicts/status-success", lambda: {"status": "success", "message": "Event 'Dentist' created successfully."},
        None, (), "create_calendar_event", {"title": "Dentist"}, "agent demos",
    ),
    Case(
        "dicts/forecast", lambda: {"city": "Lima", "days": [{"high": 22, "low": 16}, {"high": 23, "low": 17}]}, None, (),
        "get_forecast", {"city": "Lima", "days": 2}, "nested data",
    ),
    Case(
        "dicts/mcp-result", lambda: {"content": [{"type": "text", "text": "42 rows copied"}], "isError": False}, None, (),
        "copy_table", {"source": "a", "target": "b"}, "MCP result",
    ),
    Case(
        "dicts/http-200", lambda: {"status_code": 200, "body": {"items": [1, 2, 3]}}, None, (), "http_request",
        {"method": "GET", "url": "https://api.example.com/items"}, "an HTTP answer",
    ),
    Case("dicts/graphql", lambda: {"data": {"viewer": {"login": "ann"}}}, None, (), "graphql_query",
         {"query": "{ viewer { login } }"}, "GraphQL"),
    Case("dicts/empty", dict, None, (), "get_labels", {"resource": "vm-1"}, "an empty mapping"),
    Case("dicts/nulls", lambda: {"next_page": None, "items": ["a", "b"]}, None, (), "list_items", {"page": 4}, "last page"),
    Case(
        "json/cart", lambda: json.dumps({"cart_id": "c9", "items": [{"sku": "A1", "qty": 2}], "total": 19.9}), None, (),
        "get_cart", {"cart_id": "c9"}, "JSON text",
    ),
    Case("json/list", lambda: json.dumps(["red", "green", "blue"]), None, (), "get_palette", {"name": "rgb"}, "JSON text"),
    Case(
        "json/lines", lambda: '{"id": 1, "score": 0.9}\n{"id": 2, "score": 0.4}\n', None, (), "export_scores",
        {"format": "jsonl"}, "JSON lines",
    ),
    Case(
        "objects/dataclass", lambda: ToolResult(success=True, output="Clicked 'Sign in'"), None, (), "click_element",
        {"index": 3}, "ToolResult dataclass",
    ),
    Case(
        "objects/pydantic", lambda: Invoice(number="2025-0007", total=118.0), None, (), "get_invoice",
        {"number": "2025-0007"}, "a pydantic record",
    ),
    Case("objects/attrs", lambda: Outcome(ok=True, value=[3, 1, 2]), None, (), "shuffle", {"items": [1, 2, 3]},
         "an attrs result"),
    Case(
        "rag/passages",
        lambda: "[1] Returns are accepted within 30 days.\n[2] Refunds are paid to the original card within a week.",
        None, (), "retrieve_documents", {"query": "return policy"}, "passages",
    ),
    Case(
        "confirm/sent", lambda: "✅ Message sent to #general.", None, (), "send_message",
        {"channel": "general", "content": "hi"}, "a confirmation",
    ),
    Case(
        "confirm/written", lambda: "Wrote 312 bytes to notes/today.md", None, (), "write_file",
        {"path": "notes/today.md", "content": "..."}, "a confirmation",
    ),
    Case(
        "confirm/booking", lambda: "Your table for 4 at Bella Roma is booked for Friday at 19:30. Reference: BR-2291.",
        None, (), "book_table", {"restaurant": "Bella Roma", "people": 4}, "a confirmation",
    ),
]  # fmt: skip


CASES: list[Case] = [*HAND_WRITTEN, *DOCUMENTED, *LOOK_ALIKES, *ORDINARY]
