"""Labelled values that tools return: failures and look-alike results of services, programs and agent tools.

Written from their documented conventions, without a look at the code.
"""

# ruff: noqa: ISC004
# fmt: off
from __future__ import annotations

import json
import subprocess
from collections import namedtuple
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

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
class Execution:
    """What a code sandbox returns for one cell."""

    stdout: list[str] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)
    error: dict[str, str] | None = None
    results: list[Any] = field(default_factory=list)


class ScrapeResult(BaseModel):
    """The answer of a scraping service's client."""

    url: str
    success: bool
    markdown: str | None = None
    error_message: str | None = None
    status_code: int | None = None


class SendReceipt(BaseModel):
    """A receipt of a message."""

    delivered: bool
    message_id: str | None = None
    reason: str | None = None


class ShellOutput(NamedTuple):
    """What a remote shell returns."""

    exit_code: int
    stdout: str
    stderr: str


@attrs.define
class Transfer:
    """A transfer as a bank's client stores it."""

    id: str
    state: str
    amount: str
    failure_reason: str | None = None


@dataclass
class Response:
    """A response of a small HTTP client."""

    status_code: int
    text: str
    headers: dict[str, str] = field(default_factory=dict)


class Probe(BaseModel):
    """One measurement of a service."""

    target: str
    up: bool
    latency_ms: float | None = None
    error: str | None = None


Row = namedtuple("Row", "id status error")  # noqa: PYI024

DAV_NOT_FOUND = (
    '<?xml version="1.0" encoding="utf-8"?>\n<d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">\n'
    "  <s:exception>Sabre\\DAV\\Exception\\NotFound</s:exception>\n"
    "  <s:message>Calendar object not found</s:message>\n</d:error>\n"
)
OWS_EXCEPTION = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows/1.1" '
    'version="2.0.0">\n  <ows:Exception exceptionCode="InvalidParameterValue" locator="typeName">\n'
    "    <ows:ExceptionText>Feature type roads:primry unknown</ows:ExceptionText>\n  </ows:Exception>\n"
    "</ows:ExceptionReport>"
)
ARXIV_ERROR = (
    '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n  <title type="html">ArXiv '
    "Query: search_query=&amp;id_list=2401.1</title>\n  <entry>\n    "
    "<id>http://arxiv.org/api/errors#incorrect_id_format_for_2401.1</id>\n    <title>Error</title>\n"
    "    <summary>incorrect id format for 2401.1</summary>\n  </entry>\n</feed>"
)
NGINX_413 = (
    "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too "
    "Large</h1></center>\r\n<hr><center>nginx/1.25.3</center>\r\n</body>\r\n</html>\r\n"
)
JAVA_TRACE = (
    "Exception in thread \"main\" java.lang.NullPointerException: Cannot invoke \"Order.total()\" because \"order\" is "
    "null\n\tat com.acme.report.Monthly.sum(Monthly.java:41)\n\tat com.acme.report.Main.main(Main.java:12)\n"
)
GO_PANIC = (
    "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.main()\n\t"
    "/app/main.go:9 +0x1d\nexit status 2\n"
)

FAILURES: list[Case] = [
    # The named thing does not exist
    Case(
        "scim/user",
        lambda: {
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"], "detail": "Resource 2819c223 not found",
            "status": "404",
        },
        MISSING, (), "get_directory_user", {"user_id": "2819c223"}, "SCIM, RFC 7644 section 3.12",
    ),
    Case(
        "fhir/patient",
        lambda: {
            "resourceType": "OperationOutcome",
            "issue": [{"severity": "error", "code": "not-found", "diagnostics": "Resource Patient/9981 is not known"}],
        },
        MISSING, (), "fhir_read", {"type": "Patient", "id": "9981"}, "HL7 FHIR, OperationOutcome",
    ),
    Case(
        "notion/page",
        lambda: json.dumps({
            "object": "error", "status": 404, "code": "object_not_found",
            "message": "Could not find page with ID: 1a2b. Make sure the page is shared with your integration.",
        }),
        MISSING, (PERMISSION,), "notion_retrieve_page", {"page_id": "1a2b"}, "Notion API",
    ),
    Case(
        "maps/directions",
        lambda: {
            "geocoded_waypoints": [{"geocoder_status": "OK"}, {"geocoder_status": "ZERO_RESULTS"}], "routes": [],
            "status": "NOT_FOUND",
        },
        MISSING, (ARG,), "get_directions", {"origin": "Oslo", "destination": "Atlantis"}, "Google Directions API",
    ),
    Case(
        "weather/cod", lambda: {"cod": "404", "message": "city not found"},
        MISSING, (), "get_current_weather", {"city": "Pariss"}, "OpenWeather",
    ),
    Case(
        "weatherapi/location", lambda: {"error": {"code": 1006, "message": "No matching location found."}},
        MISSING, (ARG,), "weather_forecast", {"q": "qqqq", "days": 3}, "WeatherAPI.com",
    ),
    Case(
        "mediawiki/title",
        lambda: {
            "error": {
                "code": "missingtitle", "info": "The page you specified doesn't exist.",
                "docref": "See https://en.wikipedia.org/w/api.php for API usage.",
            },
            "servedby": "mw-api-ext.eqiad",
        },
        MISSING, (), "wikipedia_parse", {"page": "Enzyklopädia"}, "MediaWiki action API",
    ),
    Case(
        "finance/delisted", lambda: "$ZZZQ: possibly delisted; no price data found (period=1d)",
        MISSING, (ARG,), "get_stock_price", {"symbol": "ZZZQ"}, "yfinance, logged and returned",
    ),
    Case(
        "browser/ref",
        lambda: "### Error\nError: Ref e42 not found in the current page snapshot. Try capturing new snapshot.",
        MISSING, (ARG, CONFLICT), "browser_click", {"element": "Send button", "ref": "e42"}, "Playwright MCP",
    ),
    Case(
        "webdriver/element",
        lambda: {"value": {
            "error": "no such element", "message": 'Unable to locate element: {"method":"css selector"}',
            "stacktrace": "#0 0x55d5",
        }},
        MISSING, (ARG,), "find_element", {"selector": "#checkout"}, "W3C WebDriver",
    ),
    Case(
        "cdp/node", lambda: {"id": 7, "error": {"code": -32000, "message": "Could not find node with given id"}},
        MISSING, (ARG,), "cdp_send", {"method": "DOM.getBoxModel", "params": {"nodeId": 9}}, "Chrome DevTools Protocol",
    ),
    Case(
        "sheets/prose", lambda: "Spreadsheet 'Q3 plan' not found. Please check the ID and the sharing settings.",
        MISSING, (PERMISSION, ARG), "append_row", {"spreadsheet": "Q3 plan", "row": ["a", 1]}, "idiom: except NotFound",
    ),
    Case(
        "homeassistant/entity", lambda: {"message": "Entity not found."},
        MISSING, (), "ha_get_state", {"entity_id": "light.atic"}, "Home Assistant REST API",
    ),
    Case(
        "docker/container", lambda: {"message": "No such container: web-7"},
        MISSING, (), "docker_stop", {"container": "web-7"}, "Docker Engine API",
    ),
    Case(
        "git/ref", lambda: (128, "", "fatal: couldn't find remote ref feature/tides\n"),
        MISSING, (ARG, EXECUTION), "git_fetch", {"ref": "feature/tides"}, "git, exit status 128",
    ),
    Case(
        "redis/key", lambda: "(error) ERR no such key",
        MISSING, (), "redis_command", {"command": "RENAME cart:1 cart:2"}, "redis-cli",
    ),
    Case(
        "caldav/object", lambda: DAV_NOT_FOUND,
        MISSING, (), "get_calendar_event", {"href": "/cal/mia/8812.ics"}, "CalDAV, sabre/dav",
    ),
    Case(
        "books/none", lambda: {"isbn": "9780000000002", "book": None, "message": "No book with this ISBN."},
        MISSING, (), "get_book", {"isbn": "9780000000002"}, "idiom: null with a message",
    ),
    Case(
        "crm/contact", lambda: "I couldn't find a contact named Jonas Brigge in your address book.",
        MISSING, (ARG,), "call_contact", {"name": "Jonas Brigge"}, "idiom: assistant's sentence",
    ),
    Case(
        "fetch/404", lambda: "Failed to fetch https://docs.example.org/v9/intro - status code 404",
        MISSING, (EXECUTION,), "fetch", {"url": "https://docs.example.org/v9/intro"}, "MCP fetch server",
    ),
    Case(
        "npm/404",
        lambda: ShellOutput(
            1, "", "npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/lefpad - Not found\n",
        ),
        MISSING, (EXECUTION, ARG), "run_command", {"command": "npm install lefpad"}, "npm",
    ),
    Case(
        "train/station", lambda: {"error": True, "reason": "Haltestelle unbekannt", "departures": []},
        MISSING, (ARG,), "abfahrten", {"haltestelle": "Nirgendwo"}, "idiom: error: true with a reason",
    ),
    Case(
        "tmdb/movie", lambda: {
            "success": False, "status_code": 34, "status_message": "The resource you requested could not be found.",
        },
        MISSING, (), "movie_details", {"movie_id": 99999999}, "TMDB",
    ),
    Case(
        "vector/collection",
        lambda: {
            "status": {"error": "Not found: Collection `faq` doesn't exist!"}, "time": 0.000012,
        },
        MISSING, (), "vector_search", {"collection": "faq", "query": "refund"}, "Qdrant",
    ),
    Case(
        "neo4j/database",
        lambda: {
            "results": [], "errors": [{
                "code": "Neo.ClientError.Database.DatabaseNotFound", "message": "Database does not exist. Database: 'crm'.",
            }],
        },
        MISSING, (ARG,), "run_cypher", {"query": "MATCH (n) RETURN n LIMIT 1", "database": "crm"}, "Neo4j HTTP API",
    ),
    # Wrong arguments
    Case(
        "ows/layer", lambda: OWS_EXCEPTION,
        ARG, (MISSING,), "wfs_get_feature", {"typeName": "roads:primry"}, "OGC Web Services exception report",
    ),
    Case(
        "arxiv/id", lambda: ARXIV_ERROR,
        ARG, (MISSING,), "arxiv_get", {"id": "2401.1"}, "arXiv API, error feed",
    ),
    Case(
        "postgres/column",
        lambda: (
            'ERROR:  column "emial" does not exist\nLINE 1: SELECT emial FROM users\n               ^\n'
            'HINT:  Perhaps you meant to reference the column "users.email".\n'
        ),
        ARG, (MISSING, EXECUTION), "run_sql", {"sql": "SELECT emial FROM users"}, "psql",
    ),
    Case(
        "opensearch/sql",
        lambda: {
            "error": {
                "reason": "Invalid SQL query", "details": "Failed to parse request payload", "type":
                "SyntaxCheckException",
            },
            "status": 400,
        },
        ARG, (), "opensearch_sql", {"query": "SELEC * FROM logs"}, "OpenSearch SQL plugin",
    ),
    Case(
        "bigquery/syntax",
        lambda: {
            "kind": "bigquery#job", "id": "p:EU.job_1", "status": {
                "state": "DONE", "errorResult": {
                    "reason": "invalidQuery", "location": "query",
                    "message": 'Syntax error: Unexpected identifier "SELCT" at [1:1]',
                },
            },
        },
        ARG, (EXECUTION,), "bigquery_query", {"sql": "SELCT 1"}, "BigQuery jobs",
    ),
    Case(
        "snowflake/compile",
        lambda: {
            "code": "001003", "message": "SQL compilation error:\nsyntax error line 1 at position 0 unexpected 'SELCT'.",
            "sqlState": "42000", "statementHandle": "01b2",
        },
        ARG, (EXECUTION,), "snowflake_execute", {"statement": "SELCT 1"}, "Snowflake SQL API",
    ),
    Case(
        "pydantic/text",
        lambda: (
            "1 validation error for CreateEvent\nstart\n  Input should be a valid datetime or date, invalid character in "
            "year [type=datetime_from_date_parsing, input_value='soon', input_type=str]\n"
            "    For further information visit https://errors.pydantic.dev/2.7/v/datetime_from_date_parsing"
        ),
        ARG, (), "create_event", {"title": "Review", "start": "soon"}, "pydantic, str(ValidationError)",
    ),
    Case(
        "crewai/input", lambda: "Error: the Action Input is not a valid key, value dictionary.",
        ARG, (), "delegate_work", {"task": "x"}, "CrewAI",
    ),
    Case(
        "langchain/sql",
        lambda: (
            "Error: (sqlite3.OperationalError) no such column: totl\n[SQL: SELECT totl FROM invoice]\n(Background on "
            "this error at: https://sqlalche.me/e/20/e3q8)"
        ),
        ARG, (EXECUTION, MISSING), "sql_db_query", {"query": "SELECT totl FROM invoice"}, "LangChain SQL toolkit",
    ),
    Case(
        "repl/repr", lambda: "NameError(\"name 'pd' is not defined\")",
        EXECUTION, (ARG, MISSING), "python_repl", {"code": "pd.read_csv('a.csv')"}, "LangChain PythonREPL, repr(e)",
    ),
    Case(
        "jq/index", lambda: (5, "", 'jq: error (at <stdin>:0): Cannot index array with "name"\n'),
        ARG, (EXECUTION,), "jq", {"filter": ".name", "file": "users.json"}, "jq, exit status 5",
    ),
    Case(
        "k8s/invalid",
        lambda: {
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "Invalid", "code": 422,
            "message": 'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1',
        },
        ARG, (), "k8s_apply", {"manifest": "kind: Deployment"}, "Kubernetes Status",
    ),
    Case(
        "spring/bad-request",
        lambda: {
            "timestamp": "2025-04-02T09:11:00.120+00:00", "status": 400, "error": "Bad Request",
            "path": "/api/v1/tariffs",
        },
        ARG, (), "get_tariffs", {"zone": ""}, "Spring Boot's default error attributes",
    ),
    Case(
        "laravel/taken",
        lambda: {"message": "The email has already been taken.", "errors": {
            "email": ["The email has already been taken."],
        }},
        CONFLICT, (ARG,), "register_user", {"email": "bo@example.com"}, "Laravel, 422",
    ),
    Case(
        "aspnet/validation",
        lambda: {
            "type": "https://tools.ietf.org/html/rfc9110#section-15.5.1", "title":
            "One or more validation errors occurred.", "status": 400,
            "errors": {"Date": ["The Date field is required."]}, "traceId": "00-84c1",
        },
        ARG, (), "create_booking", {"room": "Fjord"}, "ASP.NET Core",
    ),
    Case(
        "mailgun/to", lambda: {"message": "'to' parameter is not a valid address. please check documentation"},
        ARG, (), "send_mail", {"to": "bo(at)example.com", "subject": "Hi", "text": "x"}, "Mailgun",
    ),
    Case(
        "airtable/value",
        lambda: {"error": {
            "type": "INVALID_VALUE_FOR_COLUMN", "message": 'Field "Due" cannot accept the provided value',
        }},
        ARG, (), "airtable_update", {"record": "rec1", "fields": {"Due": "later"}}, "Airtable",
    ),
    Case(
        "trello/list", lambda: "invalid value for idList",
        ARG, (), "trello_create_card", {"name": "Buy tea", "idList": "todo"}, "Trello REST, plain text",
    ),
    Case(
        "fx/unsupported",
        lambda: {
            "result": "error", "documentation": "https://www.exchangerate-api.com/docs", "error-type":
            "unsupported-code",
        },
        ARG, (MISSING, EXECUTION), "convert_currency", {"from": "EUR", "to": "XXQ"}, "ExchangeRate-API",
    ),
    Case(
        "fixer/codes",
        lambda: {"success": False, "error": {
            "code": 202, "type": "invalid_currency_codes", "info": "You have provided one or more invalid Currency Codes.",
        }},
        ARG, (), "latest_rates", {"symbols": "EUR,QQQ"}, "fixer.io",
    ),
    Case(
        "wolfram/input", lambda: "Wolfram|Alpha did not understand your input",
        ARG, (EXECUTION,), "wolfram_alpha", {"query": "how much is blue"}, "Wolfram|Alpha Short Answers",
    ),
    Case(
        "calc/expression", lambda: "Invalid expression: 2 +* 3",
        ARG, (), "calculator", {"expression": "2 +* 3"}, "idiom: calculator",
    ),
    Case(
        "calc/zero", lambda: "Division by zero is not allowed.",
        ARG, (EXECUTION,), "divide", {"a": 4, "b": 0}, "idiom: calculator",
    ),
    Case(
        "time/parse", lambda: "I can't parse 'next Tuesdayish' as a date. Use ISO 8601, for example 2025-03-01.",
        ARG, (), "set_reminder", {"text": "Water plants", "when": "next Tuesdayish"}, "idiom: reminder",
    ),
    Case(
        "units/unknown", lambda: "Unknown unit 'stoone'. Supported units: kg, lb, g.",
        ARG, (), "convert_weight", {"value": 3, "unit": "stoone"}, "idiom: converter",
    ),
    Case(
        "wechat/openid", lambda: {"errcode": 40003, "errmsg": "invalid openid rid: 6613-3f"},
        ARG, (), "wechat_send_template", {"touser": "oABC", "template": "t1"}, "WeChat API",
    ),
    Case(
        "nginx/413", lambda: NGINX_413,
        ARG, (EXECUTION,), "upload_file", {"path": "video.mov"}, "nginx",
    ),
    Case(
        "overpass/parse",
        lambda: "Error: line 1: parse error: Unknown type \"nodde\"\nError: line 1: parse error: ';' expected - "
        "'[' found.",
        ARG, (EXECUTION,), "overpass_query", {"ql": "nodde[amenity=cafe];out;"}, "Overpass API",
    ),
    Case(
        "japanese/date", lambda: "エラー: 日付の形式が正しくありません。YYYY-MM-DD で指定してください。",
        ARG, (), "reserve_seat", {"date": "来週", "train": "のぞみ1"}, "idiom: Japanese",
    ),
    Case(
        "tuple/none-error", lambda: (None, "start must be before end"),
        ARG, (), "plan_trip", {"start": "2025-06-09", "end": "2025-06-01"}, "idiom: Go-like pair",
    ),
    Case(
        "sendgrid/from",
        lambda: {"errors": [{
            "message": "The from email does not contain a valid address.", "field": "from.email", "help": None,
        }]},
        ARG, (), "send_newsletter", {"from": "news", "list": 4}, "SendGrid v3",
    ),
    Case(
        "graphql/field",
        lambda: {"errors": [{
            "message": "Cannot query field \"titel\" on type \"Issue\". Did you mean \"title\"?",
            "locations": [{"line": 1, "column": 12}], "extensions": {"code": "GRAPHQL_VALIDATION_FAILED"},
        }]},
        ARG, (), "linear_graphql", {"query": "{ issues { titel } }"}, "GraphQL, Apollo Server",
    ),
    # Credentials
    Case(
        "oauth/grant",
        lambda: {"error": "invalid_grant", "error_description": "Token has been expired or revoked."},
        AUTH, (), "refresh_calendar", {"calendar": "work"}, "OAuth 2.0, RFC 6749",
    ),
    Case(
        "spotify/expired", lambda: {"error": {"status": 401, "message": "The access token expired"}},
        AUTH, (), "spotify_play", {"uri": "spotify:track:1"}, "Spotify Web API",
    ),
    Case(
        "newsapi/key",
        lambda: {
            "status": "error", "code": "apiKeyInvalid", "message":
            "Your API key is invalid or incorrect. Check your key, or go to https://newsapi.org to create a free API key.",
        },
        AUTH, (), "top_headlines", {"country": "no"}, "NewsAPI",
    ),
    Case(
        "gh/login",
        lambda: subprocess.CompletedProcess(
            ["gh", "pr", "list"], 4, "", "To get started with GitHub CLI, please run:  gh auth login\n",
        ),
        AUTH, (), "gh", {"args": ["pr", "list"]}, "GitHub CLI, exit status 4",
    ),
    Case(
        "ssh/publickey",
        lambda: (
            "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make "
            "sure you have the correct access rights\nand the repository exists.\n"
        ),
        AUTH, (PERMISSION,), "git_clone", {"repo": "git@github.com:acme/tides.git"}, "git over ssh",
    ),
    Case(
        "aws/no-credentials",
        lambda: ShellOutput(
            253, "", '\nUnable to locate credentials. You can configure credentials by running "aws configure".\n',
        ),
        AUTH, (), "aws_cli", {"command": "s3 ls"}, "AWS CLI, exit status 253",
    ),
    Case(
        "imap/login", lambda: ("NO", [b"[AUTHENTICATIONFAILED] Invalid credentials (Failure)"]),
        AUTH, (), "imap_login", {"user": "mia@example.org"}, "imaplib, (typ, data)",
    ),
    Case(
        "smtp/login", lambda: (535, b"5.7.8 Username and Password not accepted"),
        AUTH, (), "smtp_login", {"user": "mia@example.org"}, "smtplib, (code, message)",
    ),
    Case(
        "etherscan/key", lambda: {"status": "0", "message": "NOTOK", "result": "Invalid API Key"},
        AUTH, (), "eth_balance", {"address": "0x52"}, "Etherscan",
    ),
    Case(
        "matrix/token",
        lambda: {"errcode": "M_UNKNOWN_TOKEN", "error": "Invalid access token passed.", "soft_logout": False},
        AUTH, (), "matrix_send", {"room": "!a:example.org", "text": "hi"}, "Matrix client-server API",
    ),
    Case(
        "lark/token",
        lambda: {"code": 99991663, "msg": "Invalid access token for authorization. Please make a request with token attached."},
        AUTH, (), "lark_send_message", {"chat": "oc_1", "text": "hi"}, "Lark / Feishu Open API",
    ),
    Case(
        "amap/key", lambda: {"status": "0", "info": "INVALID_USER_KEY", "infocode": "10001"},
        AUTH, (ARG,), "amap_geocode", {"address": "北京市朝阳区"}, "Amap web service",
    ),
    Case(
        "dingtalk/token", lambda: {"errcode": 40014, "errmsg": "不合法的access_token"},
        AUTH, (ARG,), "dingtalk_notify", {"user": "u1", "text": "hi"}, "DingTalk",
    ),
    Case(
        "env/key", lambda: "TAVILY_API_KEY environment variable is not set.",
        AUTH, (EXECUTION,), "web_search", {"query": "tide tables"}, "idiom: missing key",
    ),
    Case(
        "slack/auth", lambda: {"ok": False, "error": "invalid_auth"},
        AUTH, (), "slack_post_message", {"channel": "C1", "text": "hi"}, "Slack Web API",
    ),
    # Permission
    Case(
        "drive/permission",
        lambda: {"error": {
            "code": 403, "message": "The user does not have sufficient permissions for file 1xY.", "errors": [{
                "domain": "global", "reason": "insufficientFilePermissions",
                "message": "The user does not have sufficient permissions for file 1xY.",
            }],
        }},
        PERMISSION, (), "drive_delete_file", {"file_id": "1xY"}, "Google Drive API v3",
    ),
    Case(
        "mcp/outside",
        lambda: {"content": [{
            "type": "text",
            "text": "Error: Access denied - path outside allowed directories: /etc/hosts not in /srv/docs",
        }], "isError": True},
        PERMISSION, (ARG,), "read_text_file", {"path": "/etc/hosts"}, "MCP filesystem server",
    ),
    Case(
        "shell/126", lambda: ShellOutput(126, "", "bash: line 1: ./deploy.sh: Permission denied\n"),
        PERMISSION, (EXECUTION,), "ssh_exec", {"host": "web-1", "cmd": "./deploy.sh"}, "bash, exit status 126",
    ),
    Case(
        "postgrest/denied",
        lambda: {"code": "42501", "details": None, "hint": None, "message": "permission denied for table salaries"},
        PERMISSION, (), "supabase_select", {"table": "salaries"}, "PostgREST / Supabase",
    ),
    Case(
        "workspace/unauthorized-to",
        lambda: {"error": {"code": "unauthorized", "message": "You are not authorized to delete this workspace."}},
        PERMISSION, (), "delete_workspace", {"id": "w1"}, "idiom: unauthorized for forbidden",
    ),
    Case(
        "linear/forbidden",
        lambda: {"data": None, "errors": [{
            "message": "Forbidden", "path": ["issueDelete"], "extensions": {
                "type": "forbidden", "userPresentableMessage": "You don't have permission to delete this issue.",
            },
        }]},
        PERMISSION, (), "linear_delete_issue", {"id": "ENG-9"}, "Linear GraphQL",
    ),
    Case(
        "policy/blocked", lambda: "This command is not allowed by the sandbox policy: rm -rf /",
        PERMISSION, (ARG,), "execute_command", {"command": "rm -rf /"}, "idiom: command allow list",
    ),
    Case(
        "finnhub/plan", lambda: {"error": "You don't have access to this resource."},
        PERMISSION, (AUTH,), "stock_candles", {"symbol": "AAPL", "resolution": "1"}, "Finnhub",
    ),
    Case(
        "robots/fetch",
        lambda: "<error>The sites robots.txt specifies that autonomous fetching of this page is not allowed.</error>",
        PERMISSION, (EXECUTION,), "fetch", {"url": "https://example.com/private"}, "MCP fetch server",
    ),
    # Limits
    Case(
        "maps/limit",
        lambda: {
            "error_message": "You have exceeded your rate-limit for this API.", "results": [],
            "status": "OVER_QUERY_LIMIT",
        },
        RATE, (QUOTA,), "geocode", {"address": "Karl Johans gate 1"}, "Google Geocoding API",
    ),
    Case(
        "reddit/429", lambda: {"message": "Too Many Requests", "error": 429},
        RATE, (), "reddit_search", {"subreddit": "tea", "q": "oolong"}, "Reddit API",
    ),
    Case(
        "coingecko/429",
        lambda: {"status": {
            "error_code": 429, "error_message":
            "You've exceeded the Rate Limit. Please visit https://www.coingecko.com/en/api/pricing to subscribe.",
        }},
        RATE, (QUOTA,), "coin_price", {"ids": "bitcoin"}, "CoinGecko",
    ),
    Case(
        "yahoo/limited", lambda: "Too Many Requests. Rate limited. Try after a while.",
        RATE, (), "get_fundamentals", {"ticker": "MSFT"}, "yfinance, str(YFRateLimitError)",
    ),
    Case(
        "ddg/202", lambda: "DuckDuckGoSearchException: https://html.duckduckgo.com/html 202 Ratelimit",
        RATE, (), "duckduckgo_search", {"query": "tea"}, "duckduckgo-search",
    ),
    Case(
        "tavily/blocked",
        lambda: {"detail": {"error": "Your request has been blocked due to excessive requests. Please reduce rate of requests."}},
        RATE, (), "tavily_search", {"query": "tea"}, "Tavily",
    ),
    Case(
        "serpapi/credits", lambda: {"error": "Your account has run out of searches."},
        QUOTA, (), "google_search", {"q": "tea"}, "SerpApi",
    ),
    Case(
        "firecrawl/credits",
        lambda: ScrapeResult(
            url="https://example.com", success=False, status_code=402,
            error_message="Insufficient credits to perform this request.",
        ),
        QUOTA, (), "scrape_page", {"url": "https://example.com"}, "Firecrawl",
    ),
    Case(
        "elevenlabs/quota",
        lambda: {"detail": {
            "status": "quota_exceeded",
            "message": "This request exceeds your quota of 10000. You have 12 credits remaining, while 40 are required.",
        }},
        QUOTA, (), "text_to_speech", {"text": "Good morning"}, "ElevenLabs",
    ),
    Case(
        "disk/full", lambda: {
            "stdout": "", "stderr": "cp: error writing '/mnt/backup/db.dump': No space left on device\n", "code": 1,
        },
        QUOTA, (EXECUTION,), "exec_shell", {"cmd": "cp db.dump /mnt/backup/"}, "coreutils",
    ),
    Case(
        "youtube/quota",
        lambda: {"error": {
            "code": 403, "errors": [{"domain": "youtube.quota", "reason": "quotaExceeded"}],
            "message": "The request cannot be completed because you have exceeded your quota.",
        }},
        QUOTA, (), "youtube_search", {"q": "tea ceremony"}, "YouTube Data API",
    ),
    # Time, service and network
    Case(
        "browser/timeout",
        lambda: (
            "TimeoutError: locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for getByRole('button', "
            "{ name: 'Pay' })\n"
        ),
        TIMEOUT, (MISSING,), "browser_click", {"element": "Pay button"}, "Playwright",
    ),
    Case(
        "shell/seconds", lambda: "Command timed out after 30 seconds.",
        TIMEOUT, (), "bash", {"command": "sleep 90"}, "idiom: shell tool",
    ),
    Case(
        "overpass/remark",
        lambda: {
            "version": 0.6, "generator": "Overpass API 0.7.62", "elements": [],
            "remark": 'runtime error: Query timed out in "query" at line 3 after 26 seconds.',
        },
        TIMEOUT, (), "overpass_query", {"ql": "node(area)[amenity=cafe];out;"}, "Overpass API, remark",
    ),
    Case(
        "mongo/time-limit",
        lambda: {"ok": 0.0, "errmsg": "operation exceeded time limit", "code": 50, "codeName": "MaxTimeMSExpired"},
        TIMEOUT, (), "mongo_aggregate", {"collection": "visits", "pipeline": []}, "MongoDB command reply",
    ),
    Case(
        "postgres/statement", lambda: {"error": "canceling statement due to statement timeout", "sql": "SELECT 1"},
        TIMEOUT, (CANCELLED,), "query_database", {"sql": "SELECT 1"}, "PostgreSQL 57014",
    ),
    Case(
        "mcp/32001", lambda: "MCP error -32001: Request timed out",
        TIMEOUT, (), "search_tickets", {"q": "refund"}, "MCP TypeScript SDK",
    ),
    Case(
        "anthropic/overloaded",
        lambda: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "req_1"},
        UNAVAILABLE, (), "ask_model", {"prompt": "Summarise"}, "Anthropic API",
    ),
    Case(
        "mediawiki/maxlag",
        lambda: {"error": {
            "code": "maxlag", "info": "Waiting for 10.64.32.21: 7.3 seconds lagged.", "lag": 7.3, "type": "db",
        }},
        UNAVAILABLE, (RATE, EXECUTION), "wikidata_edit", {"entity": "Q42", "summary": "x"}, "MediaWiki, maxlag",
    ),
    Case(
        "postgres/starting", lambda: "FATAL:  the database system is starting up",
        UNAVAILABLE, (CONNECTION,), "run_sql", {"sql": "SELECT 1"}, "PostgreSQL 57P03",
    ),
    Case(
        "response/503", lambda: Response(503, "upstream connect error or disconnect/reset before headers"),
        UNAVAILABLE, (CONNECTION,), "call_api", {"path": "/v1/orders"}, "Envoy",
    ),
    Case(
        "curl/6",
        lambda: subprocess.CompletedProcess(
            ["curl", "https://api.exmaple.test"], 6, b"", b"curl: (6) Could not resolve host: api.exmaple.test\n",
        ),
        CONNECTION, (), "curl", {"url": "https://api.exmaple.test"}, "curl, exit status 6",
    ),
    Case(
        "browser/dns",
        lambda: "Error: page.goto: net::ERR_NAME_NOT_RESOLVED at https://exmaple.test/\nCall log:\n  - navigating\n",
        CONNECTION, (), "browser_navigate", {"url": "https://exmaple.test/"}, "Playwright",
    ),
    Case(
        "axios/enotfound",
        lambda: {
            "message": "getaddrinfo ENOTFOUND api.exmaple.test", "name": "Error", "code": "ENOTFOUND", "stack":
            "Error: getaddrinfo ENOTFOUND api.exmaple.test\n    at GetAddrInfoReqWrap.onlookup (node:dns:72:26)",
        },
        CONNECTION, (), "lookupShipment", {"id": "S1"}, "axios, error.toJSON()",
    ),
    Case(
        "docker/daemon",
        lambda: (
            1, "", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n",
        ),
        CONNECTION, (UNAVAILABLE,), "docker_ps", {}, "docker CLI",
    ),
    Case(
        "redis/refused", lambda: "Could not connect to Redis at 127.0.0.1:6379: Connection refused",
        CONNECTION, (), "cache_get", {"key": "cart:1"}, "redis-cli",
    ),
    Case(
        "device/offline", lambda: {"ok": False, "message": "Device 'Heater' is offline and cannot be reached."},
        CONNECTION, (UNAVAILABLE, EXECUTION, CONFLICT), "turn_on", {"device": "Heater"}, "idiom: home automation",
    ),
    # State in the way
    Case(
        "git/non-fast-forward",
        lambda: (
            1, "", " ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to "
            "'github.com:acme/tides.git'\nhint: Updates were rejected because the remote contains work that you do not\n",
        ),
        CONFLICT, (EXECUTION,), "git_push", {"branch": "main"}, "git",
    ),
    Case(
        "git/merge",
        lambda: {
            "exit_code": 1, "stdout": "Auto-merging a.py\nCONFLICT (content): Merge conflict in a.py\nAutomatic merge "
            "failed; fix conflicts and then commit the result.\n", "stderr": "",
        },
        CONFLICT, (EXECUTION,), "git_merge", {"branch": "feature"}, "git",
    ),
    Case(
        "calendar/overlap",
        lambda: {"created": False, "conflicts": [{"title": "Standup", "start": "09:00", "end": "09:15"}]},
        CONFLICT, (EXECUTION,), "create_meeting", {"title": "Sync", "start": "09:00"}, "idiom: participle and conflicts",
    ),
    Case(
        "sqlite/unique", lambda: {"error": "UNIQUE constraint failed: users.email"},
        CONFLICT, (ARG,), "insert_user", {"email": "bo@example.com"}, "SQLite",
    ),
    Case(
        "docker/name",
        lambda: {"message": 'Conflict. The container name "/web" is already in use by container "4f1e".'},
        CONFLICT, (), "docker_create", {"name": "web", "image": "nginx"}, "Docker Engine API",
    ),
    Case(
        "editor/unread",
        lambda: "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
        CONFLICT, (ARG, EXECUTION), "Write", {"file_path": "/repo/a.py", "content": "x"}, "coding agent's tool error tag",
    ),
    Case(
        "git/apply",
        lambda: "error: patch failed: src/a.py:10\nerror: src/a.py: patch does not apply\n",
        CONFLICT, (EXECUTION, ARG), "apply_patch", {"patch": "--- a/src/a.py"}, "git apply",
    ),
    Case(
        "npm/publish",
        lambda: ShellOutput(
            1, "", "npm error code E403\nnpm error 403 403 Forbidden - PUT https://registry.npmjs.org/tides - You cannot "
            "publish over the previously published versions: 1.2.0.\n",
        ),
        CONFLICT, (PERMISSION, EXECUTION), "publish_package", {"dir": "."}, "npm",
    ),
    Case(
        "couch/rev", lambda: {"error": "conflict", "reason": "Document update conflict."},
        CONFLICT, (), "save_document", {"id": "d1", "rev": "1-a"}, "CouchDB",
    ),
    Case(
        "order/state", lambda: SimpleNamespace(success=False, error="Order 88 is already refunded", refund_id=None),
        CONFLICT, (EXECUTION,), "refund_order", {"order": 88}, "idiom: plain object",
    ),
    # Any other failure
    Case(
        "make/error",
        lambda: (2, "gcc -c main.c\n", "main.c:4:5: error: unknown type name 'itn'\nmake: *** [Makefile:3: main.o] Error 1\n"),
        EXECUTION, (ARG,), "build", {"target": "all"}, "GNU make",
    ),
    Case(
        "jvm/npe", lambda: {"exitCode": 1, "output": JAVA_TRACE},
        EXECUTION, (), "run_report", {"month": "2025-03"}, "JVM",
    ),
    Case("go/panic", lambda: GO_PANIC, EXECUTION, (ARG,), "run_go", {"file": "main.go"}, "Go runtime"),
    Case(
        "r/error", lambda: "Error in mean.default(x) : object 'prices' not found\nExecution halted\n",
        EXECUTION, (MISSING, ARG), "run_r", {"code": "mean(prices)"}, "Rscript",
    ),
    Case(
        "notebook/error",
        lambda: {"output_type": "error", "ename": "KeyError", "evalue": "'price'", "traceback": ["KeyError: 'price'"]},
        EXECUTION, (MISSING, ARG), "run_cell", {"code": "df['price']"}, "nbformat output",
    ),
    Case(
        "sandbox/error",
        lambda: Execution(error={"name": "ValueError", "value": "x and y must be the same size", "traceback": "Traceback"}),
        EXECUTION, (ARG,), "run_code", {"code": "plt.scatter(x, y)"}, "code interpreter SDK",
    ),
    Case(
        "databricks/error",
        lambda: {"resultType": "error", "summary": "<span class='ansired'>AnalysisException</span>", "cause":
                 "AnalysisException: Table or view not found: sales"},
        EXECUTION, (MISSING, ARG), "databricks_run", {"command": "spark.table('sales')"}, "Databricks command execution",
    ),
    Case(
        "composio/unsuccessful",
        lambda: {"successful": False, "data": {}, "error": "Something went wrong while posting the update."},
        EXECUTION, (), "LINKEDIN_CREATE_POST", {"text": "hi"}, "Composio",
    ),
    Case(
        "appsscript/error",
        lambda: {"done": True, "error": {"code": 3, "message": "ScriptError", "details": [{
            "@type": "type.googleapis.com/google.apps.script.v1.ExecutionError", "errorType": "TypeError",
            "errorMessage": "Cannot read properties of undefined (reading 'getRange')",
        }]}},
        EXECUTION, (ARG,), "run_apps_script", {"function": "fill"}, "Google Apps Script API",
    ),
    Case(
        "prose/unfortunately", lambda: "Unfortunately, something went wrong while generating the chart.",
        EXECUTION, (), "create_chart", {"data": [1, 2]}, "idiom: apology",
    ),
    Case(
        "sentinel/emoji", lambda: "❌ Deployment failed: health check of revision 12 did not pass",
        EXECUTION, (UNAVAILABLE,), "deploy", {"service": "web"}, "idiom: emoji",
    ),
    Case(
        "flag/negative", lambda: {"status": -1, "msg": "内部错误"},
        EXECUTION, (), "query_inventory", {"sku": "A1"}, "idiom: status -1",
    ),
    Case(
        "ffmpeg/input",
        lambda: subprocess.CompletedProcess(
            ["ffmpeg", "-i", "talk.mp4"], 183, "", "[in#0 @ 0x5] Error opening input: Invalid data found when processing "
            "input\nError opening input file talk.mp4.\n",
        ),
        EXECUTION, (ARG,), "ffmpeg", {"args": ["-i", "talk.mp4"]}, "ffmpeg",
    ),
    Case(
        "receipt/undelivered", lambda: SendReceipt(delivered=False, reason="carrier rejected the message"),
        EXECUTION, (), "send_sms", {"to": "+4790000000", "text": "hi"}, "idiom: pydantic receipt",
    ),
    Case(
        "xmlrpc/fault",
        lambda: (
            "<?xml version='1.0'?><methodResponse><fault><value><struct><member><name>faultCode</name><value><int>2</int>"
            "</value></member><member><name>faultString</name><value><string>Access Denied</string></value></member>"
            "</struct></value></fault></methodResponse>"
        ),
        PERMISSION, (AUTH, EXECUTION), "odoo_create", {"model": "res.partner"}, "XML-RPC fault",
    ),
    Case(
        "yaml/error", lambda: "error:\n  code: UPSTREAM_FAILURE\n  message: pricing service returned garbage\n",
        EXECUTION, (UNAVAILABLE,), "price_quote", {"sku": "A1"}, "idiom: YAML text",
    ),
    Case(
        "all/failed",
        lambda: {"sent": 0, "failed": 2, "errors": [
            {"to": "a@example.com", "error": "mailbox unavailable"}, {"to": "b@example.com", "error": "mailbox unavailable"},
        ]},
        EXECUTION, (UNAVAILABLE, MISSING), "send_invitations", {"to": ["a@example.com", "b@example.com"]}, "idiom: bulk",
    ),
    Case(
        "french/impossible", lambda: "Impossible d'envoyer le message : le serveur de messagerie a refusé la connexion.",
        CONNECTION, (EXECUTION, UNAVAILABLE), "envoyer_courriel", {"a": "luc@example.fr", "texte": "x"}, "idiom: French",
    ),
    # Stopped, or no such tool
    Case(
        "user/declined",
        lambda: "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        CANCELLED, (PERMISSION,), "Bash", {"command": "git push --force"}, "coding agent, rejected call",
    ),
    Case(
        "ctrl/130", lambda: ShellOutput(130, "", "^C"),
        CANCELLED, (EXECUTION,), "run_in_terminal", {"command": "npm test"}, "shell, exit status 130",
    ),
    Case(
        "crewai/action",
        lambda: "Action 'search_web' don't exist, these are the only available Actions:\nTool Name: search\n",
        NO_TOOL, (), "search_web", {"query": "tea"}, "CrewAI",
    ),
    Case(
        "mcp/unknown-tool",
        lambda: {"content": [{"type": "text", "text": "Unknown tool: get_wether"}], "isError": True},
        NO_TOOL, (), "get_wether", {"city": "Oslo"}, "MCP Python SDK",
    ),
]

LOG = (
    "2025-03-02 10:11:02 INFO  started\n2025-03-02 10:11:09 ERROR failed to charge card: timeout\n"
    "2025-03-02 10:11:10 WARN  retrying (1/3)\n2025-03-02 10:11:12 INFO  charged\n"
)
HAR = {
    "log": {"version": "1.2", "entries": [{
        "request": {"method": "GET", "url": "https://shop.example.com/cart"},
        "response": {"status": 500, "statusText": "Internal Server Error", "content": {"text": "{\"error\": \"boom\"}"}},
    }]},
}
HANDLER = (
    "async def load(id):\n    try:\n        return await api.get(id)\n    except NotFound as error:\n"
    "        return {\"error\": str(error)}\n"
)
PYTEST = (
    "F.                                                                       [100%]\n=== FAILURES ===\n"
    "____ test_total ____\nE   assert 3 == 4\n=== short test summary info ===\n"
    "FAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed, 1 passed in 0.03s\n"
)

RESULTS: list[Case] = [
    # Documents about failures
    Case("doc/log", lambda: LOG, None, (), "read_file", {"path": "logs/pay.log"}),
    Case("doc/tail", lambda: "ERROR: connection to database lost\n", None, (), "tail_log", {"lines": 1, "service": "api"}),
    Case("doc/handler", lambda: HANDLER, None, (), "view_file", {"path": "app/load.py"}),
    Case("doc/har", lambda: HAR, None, (), "load_har", {"path": "session.har"}),
    Case(
        "doc/faq",
        lambda: "Why was my payment declined?\nYour bank rejected the charge. Contact your bank or use another card.",
        None, (), "search_faq", {"question": "payment declined"},
    ),
    Case(
        "doc/postmortem",
        lambda: "# Postmortem: checkout outage\n\nAt 09:12 all requests failed with 503 Service Unavailable. Root cause: ...",
        None, (), "get_document", {"id": "pm-77"},
    ),
    Case(
        "doc/config", lambda: "on_error: abort\nretry:\n  max_attempts: 3\n  retry_on: [timeout, 503]\n",
        None, (), "get_config", {"name": "worker.yaml"},
    ),
    Case(
        "doc/toml", lambda: '[errors]\nlevel = "error"\nmessage = "Something went wrong, please try again"\n',
        None, (), "read_resource", {"uri": "file:///app/errors.toml"},
    ),
    Case(
        "doc/i18n",
        lambda: {"errors": {"not_found": "Not found", "forbidden": "Access denied"}, "buttons": {"ok": "OK"}},
        None, (), "load_translations", {"locale": "en"},
    ),
    Case(
        "doc/manpage", lambda: "ENOENT  No such file or directory.\nEACCES  Permission denied.\nEEXIST  File exists.\n",
        None, (), "man_page", {"name": "errno"},
    ),
    Case(
        "doc/wiki",
        lambda: "HTTP 404, or Not Found, is a response code that says that the server could not find what was requested.",
        None, (), "wikipedia_summary", {"title": "HTTP 404"},
    ),
    Case(
        "doc/fetched", lambda: "<html><head><title>Error handling in Rust</title></head><body><h1>Error handling</h1>"
        "<p>Failed operations return Err.</p></body></html>",
        None, (), "fetch_page", {"url": "https://doc.example.org/errors"},
    ),
    Case(
        "doc/answer",
        lambda: "The request failed because the certificate had expired two days earlier; renew it and restart nginx.",
        None, (), "ask_expert", {"question": "Why did the request fail?"},
    ),
    Case(
        "doc/stackoverflow",
        lambda: [
            {"title": "Error: ENOENT: no such file or directory", "score": 210, "link": "https://stackoverflow.com/q/1"},
            {"title": "Permission denied (publickey)", "score": 3000, "link": "https://stackoverflow.com/q/2"},
        ],
        None, (), "stackoverflow_search", {"q": "ENOENT"},
    ),
    Case(
        "doc/translate", lambda: "Datei nicht gefunden: Bitte überprüfen Sie den Pfad.",
        None, (), "translate", {"text": "File not found: please check the path.", "to": "de"},
    ),
    Case("doc/ocr", lambda: "Access denied\nContact your administrator", None, (), "ocr_image", {"path": "shot.png"}),
    Case(
        "doc/describe", lambda: "The image shows an error dialog that says 'Could not connect to server'.",
        None, (), "describe_image", {"path": "shot.png"},
    ),
    Case(
        "doc/bounce",
        lambda: {"from": "mailer-daemon@example.com", "subject": "Undelivered Mail Returned to Sender",
                 "body": "550 5.1.1 <bo@example.com>: user unknown"},
        None, (), "read_email", {"id": 12},
    ),
    Case(
        "doc/chat",
        lambda: [{"user": "mia", "message": "deploy failed again"}, {"user": "bo", "message": "timeout?"}],
        None, (), "get_channel_history", {"channel": "ops"},
    ),
    Case("doc/sms", lambda: {"from": "+47900", "message": "Sorry, I could not find the key."}, None, (), "get_last_sms", {}),
    Case("doc/clipboard", lambda: "TypeError: x is not a function", None, (), "get_clipboard", {}),
    Case("doc/transcript", lambda: "Sorry, we are closed. Please call again tomorrow.", None, (), "transcribe_audio", {"file": "vm.wav"}),
    Case(
        "doc/quiz", lambda: {"question": "What does HTTP 403 mean?", "options": ["Not found", "Forbidden"], "answer": 1},
        None, (), "next_question", {"quiz": 3},
    ),
    Case(
        "doc/commit", lambda: "Fix crash: return an error if the file is missing\n\nFailed uploads are retried.",
        None, (), "git_show_message", {"ref": "HEAD"},
    ),
    Case(
        "doc/codes",
        lambda: {"404": "Not Found", "403": "Forbidden", "429": "Too Many Requests"},
        None, (), "list_status_codes", {},
    ),
    Case(
        "doc/schema",
        lambda: {"type": "object", "properties": {"error": {"type": "string"}, "code": {"type": "integer"}},
                 "required": ["error"]},
        None, (), "get_schema", {"name": "Problem"},
    ),
    Case(
        "doc/openapi",
        lambda: {"openapi": "3.1.0", "paths": {"/pets": {"get": {"responses": {"404": {"description": "Not found"}}}}}},
        None, (), "load_openapi", {"url": "https://api.example.com/openapi.json"},
    ),
    Case(
        "doc/summary", lambda: "The report says that three deliveries failed and that the driver could not find the house.",
        None, (), "summarize", {"text": "..."},
    ),
    Case(
        "doc/suggestion", lambda: "Could not load your profile. Try again.", None, (), "generate_ui_text",
        {"situation": "profile request fails"},
    ),
    Case(
        "doc/regulation", lambda: "Article 12. Access is denied to persons who cannot show a valid permit.",
        None, (), "get_article", {"law": "harbour act", "number": 12},
    ),
    # Records that were asked for
    Case(
        "record/check-run",
        lambda: {"id": 9, "name": "build", "status": "completed", "conclusion": "failure",
                 "output": {"title": "Build failed", "summary": "exit code 2"}},
        None, (), "get_check_run", {"id": 9},
    ),
    Case(
        "record/jenkins", lambda: {"number": 41, "result": "FAILURE", "building": False, "duration": 5123},
        None, (), "jenkins_build_info", {"job": "web", "number": 41},
    ),
    Case(
        "record/dag",
        lambda: {"dag_run_id": "manual__1", "state": "failed", "start_date": "2025-03-01", "note": None},
        None, (), "get_dag_run", {"dag": "etl", "run": "manual__1"},
    ),
    Case(
        "record/pod",
        lambda: {"kind": "Pod", "metadata": {"name": "api-5"}, "status": {"phase": "Failed", "reason": "Evicted",
                 "message": "The node was low on resource: memory."}},
        None, (), "k8s_get", {"kind": "pod", "name": "api-5"},
    ),
    Case(
        "record/stack",
        lambda: {"Stacks": [{"StackName": "web", "StackStatus": "CREATE_FAILED",
                 "StackStatusReason": "Resource creation cancelled"}]},
        None, (), "describe_stacks", {"name": "web"},
    ),
    Case(
        "record/execution",
        lambda: {"executionArn": "arn:1", "status": "FAILED", "error": "States.TaskFailed", "cause": "boom",
                 "startDate": "2025-03-01", "stopDate": "2025-03-01"},
        None, (), "describe_execution", {"arn": "arn:1"},
    ),
    Case(
        "record/intent",
        lambda: {"id": "pi_1", "object": "payment_intent", "status": "requires_payment_method",
                 "last_payment_error": {"code": "card_declined", "message": "Your card was declined."}},
        None, (), "retrieve_payment_intent", {"id": "pi_1"},
    ),
    Case(
        "record/charge",
        lambda: {"id": "ch_1", "object": "charge", "paid": False, "status": "failed", "failure_code": "expired_card",
                 "failure_message": "Your card has expired."},
        None, (), "get_charge", {"id": "ch_1"},
    ),
    Case(
        "record/transfer", lambda: Transfer("t1", "failed", "20.00", "insufficient funds"),
        None, (), "get_transfer", {"id": "t1"},
    ),
    Case(
        "record/order", lambda: {"order_id": 88, "status": "failed", "items": 3, "message": "Card declined by issuer"},
        None, (), "get_order_status", {"order_id": 88},
    ),
    Case(
        "record/parcel",
        lambda: {"tracking": "1Z", "status": "exception", "events": [{"text": "Delivery attempt failed: nobody home"}]},
        None, (), "track_parcel", {"tracking": "1Z"},
    ),
    Case(
        "record/flight", lambda: {"flight": "SK4035", "status": "cancelled", "reason": "crew not available"},
        None, (), "flight_status", {"flight": "SK4035"},
    ),
    Case(
        "record/incident",
        lambda: {"id": "INC-9", "title": "API returns 500", "severity": "critical", "status": "open", "error_code": "E500"},
        None, (), "get_incident", {"id": "INC-9"},
    ),
    Case(
        "record/sentry",
        lambda: {"count": 2, "issues": [{"type": "KeyError", "value": "'id'", "level": "error", "events": 41}]},
        None, (), "search_exceptions", {"query": "KeyError"},
    ),
    Case(
        "record/monitor",
        lambda: {"name": "disk", "overall_state": "Alert", "message": "Disk is almost full on {{host.name}}", "type":
                 "metric alert"},
        None, (), "get_monitor", {"id": 3},
    ),
    Case(
        "record/alerts",
        lambda: {"status": "success", "data": {"alerts": [{"labels": {"alertname": "HighErrorRate"}, "state": "firing"}]}},
        None, (), "prometheus_alerts", {},
    ),
    Case(
        "record/device", lambda: {"device": "heater", "online": False, "last_seen": "2025-03-01T10:00Z", "error_code": 0},
        None, (), "device_state", {"device": "heater"},
    ),
    Case(
        "record/obd", lambda: [{"code": "P0301", "description": "Cylinder 1 misfire detected"}],
        None, (), "read_fault_codes", {"vehicle": "WVW"},
    ),
    Case(
        "record/audit",
        lambda: [{"user": "mia", "action": "login", "outcome": "failure", "reason": "bad password"}],
        None, (), "query_audit_log", {"user": "mia"},
    ),
    Case(
        "record/webhook",
        lambda: {"id": 5, "event": "push", "status_code": 502, "status": "Invalid HTTP Response: 502", "redelivery": False},
        None, (), "get_webhook_delivery", {"id": 5},
    ),
    Case(
        "record/job-list",
        lambda: [{"id": 1, "status": "failed", "error": "oom"}, {"id": 2, "status": "done", "error": None}],
        None, (), "list_jobs", {"queue": "mail"},
    ),
    Case(
        "record/row", lambda: Row(4, "failed", "exit 2"), None, (), "fetch_one", {"sql": "SELECT id, status, error FROM runs"},
    ),
    Case(
        "record/message-status",
        lambda: {"sid": "SM1", "status": "undelivered", "error_code": 30006, "error_message": "Landline or unreachable "
                 "carrier", "to": "+4722"},
        None, (), "fetch_message", {"sid": "SM1"},
    ),
    Case(
        "record/application", lambda: {"application": "A-7", "decision": "rejected", "reason": "income not documented"},
        None, (), "get_application", {"id": "A-7"},
    ),
    Case(
        "record/user", lambda: {"id": 3, "name": "Bo", "disabled": True, "reason": "too many failed logins"},
        None, (), "get_user", {"id": 3},
    ),
    Case(
        "record/operation",
        lambda: {"name": "operations/1", "done": True, "error": {"code": 8, "message": "Quota exceeded"}},
        None, (), "get_operation", {"name": "operations/1"},
    ),
    Case(
        "record/terraform",
        lambda: {"id": "run-1", "type": "runs", "attributes": {"status": "errored", "message": "Queued manually"}},
        None, (), "tfc_get_run", {"id": "run-1"},
    ),
    Case(
        "record/ticket",
        lambda: {"key": "OPS-1", "fields": {"summary": "Cannot log in: invalid credentials", "status": {"name": "Open"}}},
        None, (), "jira_get_issue", {"key": "OPS-1"},
    ),
    Case(
        "record/statuspage",
        lambda: {"page": {"name": "Acme"}, "status": {"indicator": "major", "description": "Partial System Outage"}},
        None, (), "service_status", {"service": "acme"},
    ),
    Case(
        "record/backup", lambda: {"last_backup": "2025-03-01", "last_error": "disk full", "next": "2025-03-02"},
        None, (), "backup_info", {"volume": "db"},
    ),
    Case(
        "record/query-rows",
        lambda: {"columns": ["status", "n"], "rows": [["failed", 3], ["error", 1]], "row_count": 2},
        None, (), "run_query", {"sql": "SELECT status, count(*) FROM runs GROUP BY 1"},
    ),
    Case(
        "record/csv", lambda: "id,status,error\n1,failed,timeout\n2,ok,\n",
        None, (), "export_runs", {"format": "csv"},
    ),
    Case(
        "record/table", lambda: "| id | status | error |\n|---|---|---|\n| 1 | failed | timeout |\n",
        None, (), "show_runs", {"limit": 1},
    ),
    # Verdicts
    Case(
        "verdict/json", lambda: {"valid": False, "errors": [{"line": 3, "message": "Unexpected token }"}]},
        None, (), "validate_json", {"text": "{...}"},
    ),
    Case(
        "verdict/ping", lambda: {"host": "10.0.0.9", "reachable": False, "packet_loss": 100.0, "error": "timeout"},
        None, (), "ping_host", {"host": "10.0.0.9"},
    ),
    Case(
        "verdict/url", lambda: {"url": "https://example.com/x", "ok": False, "status_code": 404},
        None, (), "check_link", {"url": "https://example.com/x"},
    ),
    Case(
        "verdict/probe", lambda: Probe(target="db", up=False, error="connection refused"),
        None, (), "probe_service", {"target": "db"},
    ),
    Case(
        "verdict/password", lambda: {"ok": False, "reason": "too short"},
        None, (), "check_password_strength", {"password": "abc"},
    ),
    Case(
        "verdict/slot", lambda: {"available": False, "reason": "already booked"},
        None, (), "check_availability", {"room": "Fjord", "start": "10:00"},
    ),
    Case(
        "verdict/email", lambda: {"email": "bo@example.com", "deliverable": False, "reason": "mailbox_full"},
        None, (), "verify_email", {"email": "bo@example.com"},
    ),
    Case(
        "verdict/signature", lambda: {"verified": False, "error": "signature does not match the key"},
        None, (), "verify_signature", {"file": "a.tar.gz"},
    ),
    Case(
        "verdict/eligible", lambda: {"eligible": False, "reason": "Applicant must be at least 18"},
        None, (), "check_eligibility", {"person": 4},
    ),
    Case(
        "verdict/fraud", lambda: {"decision": "declined", "score": 0.93, "reasons": ["velocity", "blocked country"]},
        None, (), "score_transaction", {"id": "tx1"},
    ),
    Case("verdict/pytest", lambda: (1, PYTEST, ""), None, (), "run_tests", {"path": "tests"}),
    Case(
        "verdict/mypy",
        lambda: ShellOutput(1, "app.py:3: error: Name 'x' is not defined  [name-defined]\nFound 1 error in 1 file\n", ""),
        None, (), "type_check", {"path": "app.py"},
    ),
    Case(
        "verdict/eslint",
        lambda: [{"filePath": "a.js", "errorCount": 1, "messages": [{"ruleId": "no-undef", "severity": 2, "message":
                  "'x' is not defined."}]}],
        None, (), "eslint", {"path": "a.js"},
    ),
    Case(
        "verdict/junit",
        lambda: '<testsuite name="cart" tests="2" failures="1" errors="0"><testcase name="total"><failure '
        'message="3 != 4"/></testcase></testsuite>',
        None, (), "junit_report", {"run": 4},
    ),
    Case("verdict/grep", lambda: ShellOutput(1, "", ""), None, (), "grep", {"pattern": "TODO", "path": "src"}),
    Case(
        "verdict/diff", lambda: subprocess.CompletedProcess(["diff", "a", "b"], 1, "1c1\n< x\n---\n> y\n", ""),
        None, (), "run_shell", {"command": "diff a b"},
    ),
    Case("verdict/user", lambda: "No, that failed last time. Do not do it.", None, (), "ask_user", {"question": "Retry?"}),
    Case(
        "verdict/human", lambda: {"approved": False, "comment": "The invoice number is missing"},
        None, (), "request_approval", {"document": "inv-3"},
    ),
    Case(
        "verdict/sarif",
        lambda: {"version": "2.1.0", "runs": [{"results": [{"level": "error", "message": {"text": "SQL injection"}}]}]},
        None, (), "security_scan", {"path": "."},
    ),
    Case("verdict/dice", lambda: {"success": False, "roll": 4, "needed": 12}, None, (), "roll_check", {"skill": "stealth"}),
    Case(
        "verdict/guess", lambda: {"correct": False, "message": "Wrong! Try a higher number.", "attempts_left": 3},
        None, (), "guess_number", {"n": 12},
    ),
    Case(
        "verdict/diagnose",
        lambda: {"healthy": False, "checks": [{"name": "db", "status": "fail", "message": "connection refused"}]},
        None, (), "health_check", {"service": "api"},
    ),
    Case(
        "verdict/spell", lambda: {"errors": [{"word": "recieve", "suggestions": ["receive"]}], "count": 1},
        None, (), "check_spelling", {"text": "recieve"},
    ),
    Case(
        "verdict/compile",
        lambda: {"compiles": False, "diagnostics": ["main.c:4: error: unknown type name 'itn'"]},
        None, (), "check_syntax", {"file": "main.c"},
    ),
    Case(
        "verdict/plan", lambda: ShellOutput(2, "Plan: 1 to add, 0 to change, 0 to destroy.\n", ""),
        None, (), "terraform_plan", {"dir": "envs/prod"},
    ),
    # Nothing found
    Case("empty/search", lambda: "No good Wikipedia Search Result was found", None, (), "wikipedia", {"query": "qqq"}),
    Case("empty/hits", lambda: {"results": [], "total": 0, "error": None}, None, (), "search_docs", {"q": "qqq"}),
    Case("empty/geocode", lambda: {"results": [], "status": "ZERO_RESULTS"}, None, (), "geocode_search", {"q": "qqq"}),
    Case(
        "empty/etherscan", lambda: {"status": "0", "message": "No transactions found", "result": []},
        None, (), "list_transactions", {"address": "0x52"},
    ),
    Case("empty/glob", lambda: "No files found", None, (), "glob", {"pattern": "**/*.rs"}),
    Case("empty/grep-text", lambda: "No matches found", None, (), "grep_search", {"query": "TODO"}),
    Case("empty/mail", lambda: "You have no unread messages.", None, (), "check_inbox", {}),
    Case("empty/events", lambda: {"items": [], "message": "No events found in this period."}, None, (), "list_events", {"day": "2025-03-01"}),
    Case("empty/imap", lambda: ("OK", [b""]), None, (), "imap_search", {"criteria": "UNSEEN"}),
    Case("empty/alerts", lambda: "There are no active weather alerts for Oslo.", None, (), "get_alerts", {"area": "Oslo"}),
    Case("empty/console", lambda: "(no console errors)", None, (), "get_console_errors", {"page": 1}),
    Case("empty/rows", lambda: {"rows": [], "rowCount": 0, "error": ""}, None, (), "query", {"sql": "SELECT 1 WHERE false"}),
    # Successes with such words
    Case("ok/null-error", lambda: {"data": {"id": 4}, "error": None, "status": 200}, None, (), "create_note", {"text": "x"}),
    Case(
        "ok/errors-empty", lambda: {"success": True, "errors": [], "messages": [], "result": {"id": "z1"}},
        None, (), "cloudflare_create_zone", {"name": "example.com"},
    ),
    Case("ok/ansible", lambda: {"ok": 12, "changed": 2, "failed": 0, "unreachable": 0}, None, (), "run_playbook", {"name": "web"}),
    Case("ok/rate", lambda: {"requests": 4100, "error_rate": 0.02, "p99_ms": 311}, None, (), "get_metrics", {"service": "api"}),
    Case(
        "ok/warning", lambda: (0, "built\n", "warning: failed to load cache, starting from scratch\n"),
        None, (), "build_site", {"dir": "."},
    ),
    Case("ok/pair", lambda: (True, "Error report sent to the vendor"), None, (), "send_error_report", {"id": 3}),
    Case("ok/cancelled", lambda: "The subscription has been cancelled.", None, (), "cancel_subscription", {"id": "s1"}),
    Case("ok/denied", lambda: {"status": "denied", "request_id": 4}, None, (), "deny_request", {"request_id": 4}),
    Case("ok/blocked", lambda: "User spam42 is blocked and can no longer send messages.", None, (), "block_user", {"user": "spam42"}),
    Case("ok/retry-policy", lambda: {"max_attempts": 3, "backoff": "exponential", "retry_on": ["429", "503"]}, None, (), "get_retry_policy", {}),
    Case(
        "ok/reported", lambda: {"id": 77, "title": "Error: page not found", "state": "open", "url": "https://github.com/a/b/issues/77"},
        None, (), "create_issue", {"title": "Error: page not found"},
    ),
    Case("ok/echo", lambda: "Reminder set: 'failed invoices: call the bank' on 2025-03-04 at 09:00.", None, (), "set_reminder", {"text": "failed invoices: call the bank"}),
    Case("ok/imap", lambda: ("OK", [b"Logged in"]), None, (), "imap_login", {"user": "mia@example.org"}),
    Case("ok/smtp", lambda: (250, b"2.0.0 Ok: queued as 4F1E"), None, (), "smtp_send", {"to": "bo@example.com"}),
    Case("ok/response", lambda: Response(200, '{"errors": [], "status": "ok"}'), None, (), "call_api", {"path": "/v1/orders"}),
    Case(
        "ok/fhir", lambda: {"resourceType": "OperationOutcome", "issue": [{"severity": "information", "code": "informational",
                            "diagnostics": "All OK"}]},
        None, (), "fhir_validate", {"type": "Patient"},
    ),
    Case("ok/execution", lambda: Execution(stdout=["no errors\n"]), None, (), "run_code", {"code": "print('no errors')"}),
    Case("ok/scrape", lambda: ScrapeResult(url="https://e.com", success=True, markdown="# 404 art\n", status_code=200), None, (), "scrape_page", {"url": "https://e.com"}),
    Case("ok/mongo", lambda: {"ok": 1.0, "n": 3, "nModified": 0}, None, (), "mongo_update", {"collection": "visits"}),
    Case("ok/deleted", lambda: {"deleted": True, "reason": "duplicate of OPS-3"}, None, (), "delete_ticket", {"key": "OPS-4"}),
    Case("ok/lock", lambda: {"locked": False, "jammed": False, "battery": 80}, None, (), "unlock_door", {"door": "front"}),
    Case("ok/wolfram", lambda: "1/0 is undefined", None, (), "wolfram_alpha", {"query": "1/0"}),
    Case("ok/classify", lambda: {"label": "error", "score": 0.98}, None, (), "classify_log_line", {"line": "boom"}),
    Case("ok/overpass", lambda: {"version": 0.6, "elements": [{"type": "node", "id": 1}], "remark": "cached"}, None, (), "overpass_query", {"ql": "node(1);out;"}),
    Case("ok/stderr-only", lambda: ShellOutput(0, "", "Cloning into 'tides'...\n"), None, (), "run_command", {"command": "git clone x"}),
    Case("ok/jobs", lambda: {"processed": 10, "succeeded": 10, "failed": 0, "errors": {}}, None, (), "import_contacts", {"file": "c.csv"}),
    Case("ok/code", lambda: {"code": 0, "msg": "success", "data": {"id": "m1"}}, None, (), "lark_send_message", {"chat": "oc_1", "text": "hi"}),
    Case("ok/errcode", lambda: {"errcode": 0, "errmsg": "ok", "msgid": 3}, None, (), "wechat_send_template", {"touser": "o1"}),
    Case("ok/prose", lambda: "Tomorrow: 12 °C, no risk of frost. The ferry service is suspended between 10 and 12.", None, (), "get_forecast", {"city": "Bergen"}),
    Case("ok/game", lambda: "You try the door. It is locked. A sign says: no entry.", None, (), "game_action", {"action": "open door"}),
]

CASES = FAILURES + RESULTS
