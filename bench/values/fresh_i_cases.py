"""Labelled values that tools return: 92 failures and 92 look-alike results, in forms that programs, services and kits document.

Written before their figures were counted.
"""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import subprocess
from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

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
    done,
    fail,
)

Lookup = namedtuple("Lookup", "ok value error")


@dataclass
class Reply:
    """The reply of a small service."""

    code: int
    data: Any
    msg: str


@dataclass
class Upload:
    """What became of an upload."""

    stored: bool
    size: int
    problem: str = ""


FAILURES: list[Case] = [
    # What programs write
    fail("i/npm", "npm ERR! code E404\nnpm ERR! 404 Not Found - GET https://registry.npmjs.org/lefpad - Not found\nnpm ERR! 404  'lefpad@*' is not in this registry.", MISSING, "install_package", ARG, name="lefpad"),
    fail("i/pip", "ERROR: Could not find a version that satisfies the requirement nump (from versions: none)\nERROR: No matching distribution found for nump", MISSING, "pip_install", ARG, package="nump"),
    fail("i/docker1", 'Error response from daemon: Conflict. The container name "/web" is already in use by container "f00d". You have to remove (or rename) that container to be able to reuse that name.', CONFLICT, "start_container", name="web"),
    fail("i/docker2", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?", CONNECTION, "list_containers", UNAVAILABLE),
    fail("i/ssh", "ssh: connect to host db1 port 22: No route to host", CONNECTION, "run_remote", command="uptime"),
    fail("i/az", "ERROR: (ResourceGroupNotFound) Resource group 'rg1' could not be found.\nCode: ResourceGroupNotFound\nMessage: Resource group 'rg1' could not be found.", MISSING, "az", command="vm list -g rg1"),
    fail("i/gh", "GraphQL: Could not resolve to a Repository with the name 'a/b'. (repository)", MISSING, "gh_repo_view", repo="a/b"),
    fail("i/heroku", " \u25b8    Couldn't find that app.\n \u25b8    \n \u25b8    Error ID: not_found", MISSING, "heroku_logs", app="shopp"),
    fail("i/make", "make: *** No rule to make target 'deply'.  Stop.", ARG, "make", MISSING, EXECUTION, target="deply"),
    fail("i/ps", "Get-Item: Cannot find path 'C:\\data\\x.txt' because it does not exist.", MISSING, "powershell", script="Get-Item C:\\data\\x.txt"),
    fail("i/cmd", "'jqq' is not recognized as an internal or external command,\r\noperable program or batch file.", MISSING, "run_command", ARG, NO_TOOL, EXECUTION, command="jqq ."),
    fail("i/helm", "Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress", CONFLICT, "helm_upgrade", release="web"),
    fail("i/systemd", "Failed to restart nginxx.service: Unit nginxx.service not found.", MISSING, "restart_service", name="nginxx"),
    fail("i/rsync", subprocess.CompletedProcess(["rsync"], 12, "", 'rsync: connection unexpectedly closed (0 bytes received so far) [sender]\nrsync error: error in rsync protocol data stream (code 12) at io.c(231)\n'), CONNECTION, "sync_folder", EXECUTION, path="a"),
    fail("i/gitpush", {"exit_code": 1, "output": "To github.com:a/b.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'github.com:a/b.git'"}, CONFLICT, "git_push", EXECUTION, branch="main"),
    fail("i/apt", "E: Unable to locate package htopp", MISSING, "apt_install", package="htopp"),
    # Databases
    fail("i/ora1", "ORA-00942: table or view does not exist", MISSING, "run_sql", ARG, sql="select * from custmers"),
    fail("i/ora2", "ORA-01017: invalid username/password; logon denied", AUTH, "oracle_query", sql="select 1 from dual"),
    fail("i/mssql", "Msg 208, Level 16, State 1, Line 1\nInvalid object name 'dbo.Custmers'.", MISSING, "execute_sql", ARG, sql="select * from dbo.Custmers"),
    fail("i/odbc", "('42S02', \"[42S02] [Microsoft][ODBC Driver 18 for SQL Server][SQL Server]Invalid object name 'x'. (208) (SQLExecDirectW)\")", MISSING, "query_database", ARG, sql="select * from x"),
    fail("i/mysql1", (1045, "Access denied for user 'app'@'10.0.0.3' (using password: YES)"), AUTH, "query_mysql", PERMISSION, sql="select 1"),
    fail("i/mysql2", "(1146, \"Table 'shop.custmers' doesn't exist\")", MISSING, "mysql_query", ARG, sql="select * from custmers"),
    fail("i/snow", "000904 (42000): SQL compilation error: error line 1 at position 7\ninvalid identifier 'NAM'", ARG, "snowflake_query", EXECUTION, MISSING, sql="select nam from t"),
    fail("i/duck", 'Catalog Error: Table with name custmers does not exist!\nDid you mean "customers"?', MISSING, "duckdb_query", ARG, sql="from custmers"),
    fail("i/trino", {"id": "q1", "infoUri": "http://t/q1", "stats": {"state": "FAILED"}, "error": {"message": "line 1:15: Table 'c.s.x' does not exist", "errorCode": 46, "errorName": "TABLE_NOT_FOUND", "errorType": "USER_ERROR"}}, MISSING, "trino_query", ARG, sql="select * from x"),
    # Services
    fail("i/zoom", {"code": 1001, "message": "User does not exist: bo@example.com."}, MISSING, "zoom_create_meeting", user="bo@example.com"),
    fail("i/dropbox", {"error_summary": "path/not_found/..", "error": {".tag": "path", "path": {".tag": "not_found"}}}, MISSING, "dropbox_download", path="/a"),
    fail("i/jira", {"errorMessages": ["Issue does not exist or you do not have permission to see it."], "errors": {}}, MISSING, "jira_get_issue", PERMISSION, key="A-9"),
    fail("i/trello", "unauthorized card permission requested", PERMISSION, "trello_get_card", AUTH, id="x"),
    fail("i/spotify", {"error": {"status": 403, "message": "Player command failed: Premium required", "reason": "PREMIUM_REQUIRED"}}, QUOTA, "spotify_play", PERMISSION, uri="x"),
    fail("i/youtube", {"error": {"errors": [{"domain": "youtube.quota", "reason": "quotaExceeded", "message": "The request cannot be completed."}], "code": 403, "message": "The request cannot be completed."}}, QUOTA, "youtube_search", q="x"),
    fail("i/owm", {"cod": "404", "message": "city not found"}, MISSING, "current_weather", city="Sprngfeld"),
    fail("i/fixer", {"success": False, "error": {"code": 104, "info": "Your monthly API request volume has been reached. Please upgrade your plan."}}, QUOTA, "exchange_rate", RATE, base="EUR"),
    fail("i/lastfm", {"error": 6, "message": "The artist you supplied could not be found", "links": []}, MISSING, "artist_info", ARG, artist="x"),
    fail("i/omdb", {"Response": "False", "Error": "Movie not found!"}, MISSING, "get_movie", title="Zzz"),
    fail("i/tmdb", {"success": False, "status_code": 34, "status_message": "The resource you requested could not be found."}, MISSING, "movie_details", id=0),
    fail("i/maps1", {"status": "REQUEST_DENIED", "error_message": "The provided API key is invalid.", "results": []}, AUTH, "geocode", PERMISSION, address="x"),
    fail("i/maps2", {"status": "OVER_QUERY_LIMIT", "results": [], "html_attributions": []}, RATE, "find_places", QUOTA, q="x"),
    fail("i/yahoo", {"chart": {"result": None, "error": {"code": "Not Found", "description": "No data found, symbol may be delisted"}}}, MISSING, "stock_chart", symbol="ZZZZ"),
    fail("i/paypal", {"name": "UNPROCESSABLE_ENTITY", "details": [{"issue": "ORDER_ALREADY_CAPTURED", "description": "Order already captured."}], "message": "The requested action could not be performed, semantically incorrect, or failed business validation.", "debug_id": "d1"}, CONFLICT, "capture_order", ARG, id="o1"),
    fail("i/wp", {"code": "rest_cannot_create", "message": "Sorry, you are not allowed to create posts as this user.", "data": {"status": 401}}, PERMISSION, "create_post", AUTH, title="x"),
    fail("i/ocs", {"ocs": {"meta": {"status": "failure", "statuscode": 404, "message": "Wrong path, file/folder doesn't exist"}, "data": []}}, MISSING, "share_file", path="/a"),
    fail("i/binance", {"code": -2015, "msg": "Invalid API-key, IP, or permissions for action."}, AUTH, "place_order", PERMISSION, symbol="BTCUSDT"),
    fail("i/kraken", {"error": ["EOrder:Insufficient funds"]}, QUOTA, "add_order", CONFLICT, pair="XBTEUR"),
    fail("i/hass", {"id": 5, "type": "result", "success": False, "error": {"code": "not_found", "message": "Service light.turn_onn not found."}}, MISSING, "call_service", NO_TOOL, service="light.turn_onn"),
    fail("i/plaid", {"error_type": "ITEM_ERROR", "error_code": "ITEM_LOGIN_REQUIRED", "error_message": "the login details of this item have changed", "display_message": None, "request_id": "r"}, AUTH, "get_transactions", id="x"),
    fail("i/sap", {"error": {"code": "SY/530", "message": {"lang": "en", "value": "Material 4711 does not exist"}}}, MISSING, "get_material", id="4711"),
    fail("i/solr", {"responseHeader": {"status": 400, "QTime": 1}, "error": {"metadata": ["error-class", "x"], "msg": "undefined field titel", "code": 400}}, ARG, "solr_search", q="titel:x"),
    fail("i/splunk", {"messages": [{"type": "FATAL", "text": "Unknown search command 'serch'."}]}, ARG, "splunk_search", NO_TOOL, MISSING, q="serch x"),
    fail("i/odoo", {"jsonrpc": "2.0", "id": None, "error": {"code": 200, "message": "Odoo Server Error", "data": {"name": "odoo.exceptions.AccessError", "message": "You are not allowed to modify 'Sales Order' records."}}}, PERMISSION, "update_order", id=4),
    fail("i/fcm", {"multicast_id": 1, "success": 0, "failure": 1, "results": [{"error": "NotRegistered"}]}, MISSING, "send_push", ARG, EXECUTION, CONFLICT, token="t"),
    fail("i/graphbatch", {"responses": [{"id": "1", "status": 404, "body": {"error": {"code": "itemNotFound", "message": "The resource could not be found."}}}]}, MISSING, "graph_batch", requests=["x"]),
    fail("i/sfcollection", [{"success": False, "errors": [{"statusCode": "DUPLICATE_VALUE", "message": "duplicate value found: Email", "fields": ["Email"]}]}], CONFLICT, "create_contacts", rows=["x"]),
    fail("i/deletemany", {"deleted": [], "failed": [{"id": 7, "error": "not found"}]}, MISSING, "delete_notes", ids=[7]),
    # Kits, servers of tools, robots
    fail("i/edit", "No replacement was performed. Multiple occurrences of old_str `x = 1` in lines: [3, 9]. Please ensure it is unique", ARG, "str_replace_editor", CONFLICT, path="a.py", old_str="x = 1"),
    fail("i/cline", "The tool execution failed with the following error:\n<error>\nENOENT: no such file or directory, open '/w/a.ts'\n</error>", MISSING, "read_file", path="a.ts"),
    fail("i/patch", "apply_patch verification failed: Failed to find expected lines in src/a.py:\n    x = 1", ARG, "apply_patch", MISSING, CONFLICT, EXECUTION, patch="x"),
    fail("i/hands", "ERROR:\nInvalid `path` parameter: a.py. The path should be an absolute path, starting with `/`.", ARG, "file_editor", path="a.py"),
    fail("i/mcp1", "MCP error -32001: Request timed out", TIMEOUT, "crawl_site", url="https://e.com"),
    fail("i/mcp2", "Input validation error: 'city' is a required property", ARG, "get_forecast"),
    fail("i/pwmcp", "### Result\nError: Ref e12 not found in the current page snapshot. Try capturing new snapshot.", MISSING, "browser_click", ARG, ref="e12"),
    fail("i/composio", {"successful": False, "error": "No connected account found for user default", "data": {}}, AUTH, "gmail_send_email", MISSING, to="a@b.c"),
    fail("i/e2b", {"results": [], "logs": {"stdout": [], "stderr": []}, "error": {"name": "ZeroDivisionError", "value": "division by zero", "traceback": "Traceback"}}, EXECUTION, "run_code", ARG, code="1/0"),
    fail("i/uipath", {"State": "Faulted", "Info": "Cannot find the UI element corresponding to this selector: <wnd app='x.exe'/>"}, MISSING, "run_process", EXECUTION, ARG, name="Invoices"),
    fail("i/selenium", 'Message: no such element: Unable to locate element: {"method":"css selector","selector":"#buy"}\n  (Session info: chrome=120.0.6099.109)\n', MISSING, "click_element", ARG, selector="#buy"),
    fail("i/webdriver", {"value": {"error": "no such element", "message": "Unable to locate element: #buy", "stacktrace": ""}}, MISSING, "find_and_click", ARG, selector="#buy"),
    # Other languages
    fail("i/rust", 'Error: Os { code: 2, kind: NotFound, message: "No such file or directory" }', MISSING, "run_binary", path="x"),
    fail("i/r", "Error in library(foo) : there is no package called \u2018foo\u2019", MISSING, "run_r", EXECUTION, ARG, code="library(foo)"),
    fail("i/lua", "lua: a.lua:3: attempt to index a nil value (local 't')", EXECUTION, "run_lua", ARG, code="x"),
    fail("i/elixir", "{:error, :enoent}", MISSING, "run_elixir", EXECUTION, code='File.read("x")'),
    fail("i/net", "Unhandled exception. System.IO.FileNotFoundException: Could not find file 'C:\\x'.", MISSING, "run_dotnet", path="x"),
    fail("i/julia", "ERROR: UndefVarError: `x` not defined", EXECUTION, "run_julia", ARG, code="x"),
    # Small shapes
    fail("i/pair", (False, "insufficient balance"), QUOTA, "transfer_funds", CONFLICT, amount=5),
    fail("i/reply", Reply(1, None, "token expired"), AUTH, "list_devices"),
    fail("i/lookup", Lookup(False, None, LookupError("no such SKU: A-9")), MISSING, "get_product", sku="A-9"),
    fail("i/upload", Upload(False, 0, "bucket is read-only"), PERMISSION, "upload_file", CONFLICT, path="a"),
    fail("i/space", SimpleNamespace(success=False, detail="Not authorised to cancel this booking"), PERMISSION, "cancel_booking", AUTH, id=3),
    fail("i/null", {"value": None, "why": "sensor did not answer"}, TIMEOUT, "read_sensor", UNAVAILABLE, CONNECTION, EXECUTION, id=3),
    # Markup and tables
    fail("i/panos", "<response status='error' code='403'><result><msg>Invalid Credential</msg></result></response>", AUTH, "firewall_commit", PERMISSION, ARG),
    fail("i/oai", '<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-01-01</responseDate><error code="idDoesNotExist">No matching identifier</error></OAI-PMH>', MISSING, "get_record_metadata", id="oai:x"),
    fail("i/wms", '<ServiceExceptionReport version="1.3.0"><ServiceException code="LayerNotDefined">Layer roads unknown</ServiceException></ServiceExceptionReport>', MISSING, "get_map", ARG, layer="roads"),
    fail("i/ec2", "<Response><Errors><Error><Code>InvalidInstanceID.NotFound</Code><Message>The instance ID 'i-1' does not exist</Message></Error></Errors><RequestID>r</RequestID></Response>", MISSING, "stop_instance", ARG, id="i-1"),
    fail("i/csv", "error,message\n404,No such dataset: sales_2031\n", MISSING, "export_dataset", name="sales_2031"),
    fail("i/php", "<br />\n<b>Fatal error</b>:  Uncaught PDOException: SQLSTATE[HY000] [2002] Connection refused in /var/www/a.php:3\n", CONNECTION, "fetch_report", url="https://e.com/r"),
    # Few words
    fail("i/w1", "Bad PIN.", AUTH, "open_safe", ARG, pin="1"),
    fail("i/w2", "Account frozen.", CONFLICT, "transfer_funds", PERMISSION, amount=5),
    fail("i/w3", "Paper jam in tray 2.", EXECUTION, "print_document", CONFLICT, UNAVAILABLE, path="a"),
    fail("i/w4", "Duplicate of ticket 77.", CONFLICT, "create_ticket", title="x"),
    fail("i/w5", "No such room: Aqua", MISSING, "book_room", ARG, room="Aqua"),
    fail("i/w6", "Qxz? Never heard of that station.", MISSING, "next_train", ARG, station="Qxz"),
    fail("i/w7", "Rate cap hit. 2 min.", RATE, "send_fax", to="1"),
    fail("i/w8", "Paused by admin.", UNAVAILABLE, "trigger_flow", CONFLICT, CANCELLED, PERMISSION, id=3),
]

RESULTS: list[Case] = [
    # What programs write
    done("j/npm", "npm warn deprecated har-validator@5.1.5: this library is no longer supported\n\nadded 12 packages in 3s", "install_package", name="x"),
    done("j/audit", "2 high severity vulnerabilities\n\nTo address all issues, run:\n  npm audit fix", "npm_audit"),
    done("j/pip", "Requirement already satisfied: numpy in ./lib (1.26.4)", "pip_install", package="numpy"),
    done("j/docker", "CONTAINER ID   IMAGE   STATUS                     NAMES\nf00d           web     Exited (1) 3 minutes ago   web-1", "list_containers"),
    done("j/dockerlogs", "2026-01-01 error: connection to db refused\n2026-01-01 retrying", "container_logs", id="f00d"),
    done("j/systemd", "\u25cf nginx.service - web\n   Active: failed (Result: exit-code) since Mon\n Process: 12 ExecStart=/usr/sbin/nginx (code=exited, status=1/FAILURE)", "service_status", name="nginx"),
    done("j/make", "make: 'all' is up to date.", "make", target="all"),
    done("j/diff", {"exit_code": 1, "stdout": "1c1\n< error\n---\n> ok\n", "stderr": ""}, "diff_files", a="a", b="b"),
    done("j/grep", subprocess.CompletedProcess(["grep", "x"], 1, "", ""), "grep_files", pattern="x"),
    done("j/git", "On branch main\nYour branch is behind 'origin/main' by 3 commits, and can be fast-forwarded.", "git_status"),
    done("j/gitlog", "a1b2 Fix 'connection refused' on restart\nc3d4 Reject unknown keys", "git_log"),
    done("j/terraform", "No changes. Your infrastructure matches the configuration.", "terraform_plan"),
    done("j/kubectl", "NAME    READY   STATUS             RESTARTS\nweb-1   0/1     CrashLoopBackOff   12", "kubectl_get_pods"),
    done("j/helm", "NAME: web\nSTATUS: failed\nREVISION: 3", "helm_status", release="web"),
    done("j/apt", "htop is already the newest version (3.2.2-2).\n0 upgraded, 0 newly installed, 0 to remove and 4 not upgraded.", "apt_install", package="htop"),
    done("j/ping", "3 packets transmitted, 0 received, 100% packet loss", "ping_host", host="x"),
    # Databases
    done("j/oradoc", "ORA-00942 means that the table or view does not exist or that you have no privilege on it.", "explain_error_code", code="ORA-00942"),
    done("j/rows", [{"id": 1, "error": "timeout"}, {"id": 2, "error": None}], "run_sql", sql="select * from errors"),
    done("j/rows2", (1045, "Bo"), "first_row", sql="select id, name from t"),
    done("j/rows3", [("42S02", "Base table not found")], "query_database", sql="select * from sqlstates"),
    done("j/plan", "Seq Scan on custmers  (cost=0.00..1.01)\n  Filter: (state = 'failed')", "explain_query", sql="x"),
    done("j/affected", "UPDATE 0", "execute_sql", sql="update t set a = 1"),
    done("j/schema", {"columns": ["error", "message", "code"], "rows": 0}, "table_schema", table="errors"),
    done("j/trino", {"id": "q1", "stats": {"state": "FINISHED"}, "data": [["denied", 3]], "columns": [{"name": "status"}]}, "trino_query", sql="x"),
    # Services
    done("j/owm", {"cod": 200, "message": 0, "name": "Oslo", "main": {"temp": 3}}, "current_weather", city="Oslo"),
    done("j/omdb", {"Response": "True", "Title": "Error 404", "Year": "2011"}, "get_movie", title="Error 404"),
    done("j/maps", {"status": "ZERO_RESULTS", "results": []}, "geocode", address="x"),
    done("j/yahoo", {"chart": {"result": [{"meta": {"symbol": "A"}}], "error": None}}, "stock_chart", symbol="A"),
    done("j/kraken", {"error": [], "result": {"txid": ["T1"]}}, "add_order", pair="XBTEUR"),
    done("j/fcm", {"multicast_id": 1, "success": 1, "failure": 0, "results": [{"message_id": "m"}]}, "send_push", token="t"),
    done("j/fcm2", {"success": 2, "failure": 1, "results": [{"message_id": "m"}, {"message_id": "n"}, {"error": "NotRegistered"}]}, "send_push", tokens=["a", "b", "c"]),
    done("j/graphbatch", {"responses": [{"id": "1", "status": 200, "body": {"name": "a"}}]}, "graph_batch", requests=["x"]),
    done("j/sf", [{"id": "003", "success": True, "errors": []}], "create_contacts", rows=["x"]),
    done("j/paypal", {"id": "o1", "status": "VOIDED", "links": []}, "show_order", id="o1"),
    done("j/plaid", {"item": {"item_id": "i", "error": {"error_code": "ITEM_LOGIN_REQUIRED", "error_message": "x"}}, "status": {}}, "get_item", id="i"),
    done("j/hass", {"id": 5, "type": "result", "success": True, "result": None}, "call_service", service="light.turn_on"),
    done("j/splunk", {"messages": [{"type": "INFO", "text": "No errors found."}], "results": []}, "splunk_search", q="x"),
    done("j/solr", {"responseHeader": {"status": 0, "QTime": 1}, "response": {"numFound": 0, "docs": []}}, "solr_search", q="x"),
    done("j/sentry", {"id": "1", "title": "TypeError: x is undefined", "status": "unresolved", "level": "error", "count": "12"}, "get_sentry_issue", id="1"),
    done("j/jira", {"key": "A-9", "fields": {"summary": "Login fails", "resolution": None, "status": {"name": "Rejected"}}}, "jira_get_issue", key="A-9"),
    done("j/stripe", {"id": "ch_1", "status": "failed", "failure_code": "card_declined", "failure_message": "Your card was declined."}, "retrieve_charge", id="ch_1"),
    done("j/webhooks", {"data": [{"event": "x", "response_code": 500, "error": "timeout"}], "has_more": False}, "list_webhook_deliveries"),
    done("j/dns", {"domain": "x.example", "answers": [], "rcode": "NXDOMAIN"}, "dns_lookup", name="x.example"),
    done("j/cert", {"host": "x", "expired": True, "days": -3}, "check_certificate", host="x"),
    done("j/moderation", {"flagged": True, "reason": "insult", "allowed": False}, "moderate_text", text="x"),
    # Kits, servers of tools, robots
    done("j/edit", "The file a.py has been edited. Review the changes: errors may remain.", "str_replace_editor", path="a.py", old_str="x"),
    done("j/view", "<error>\n  <code>404</code>\n</error>\n", "read_file", path="samples/error.xml"),
    done("j/todo", "1. [ ] Fix 'permission denied' in upload\n2. [x] Handle timeouts", "read_todos"),
    done("j/pw", "### Result\nClicked. Page title: Access denied", "browser_click", ref="e12"),
    done("j/snapshot", "- heading 'Payment failed' [level=1]\n- button 'Try again'", "browser_snapshot"),
    done("j/console", "[ERROR] Failed to load resource: the server responded with a status of 404 ()", "browser_console_messages"),
    done("j/e2b", {"results": [], "logs": {"stdout": ["error: 0\n"], "stderr": []}, "error": None}, "run_code", code="x"),
    done("j/uipath", {"State": "Successful", "Info": "Job completed", "OutputArguments": "{\"rejected\": 3}"}, "run_process", name="Invoices"),
    done("j/think", "The upload failed because the token expired. I should ask the user to log in.", "think", thought="x"),
    done("j/memory", "User's last error: 'quota exceeded' on 3 May.", "recall_memory", q="last error"),
    # Spreadsheets and other languages
    done("j/cell", "#REF!", "read_cell", cell="B2"),
    done("j/range", [["Order", "Status"], ["5", "failed"], ["6", "#N/A"]], "read_range", range="A1:B3"),
    done("j/csv", "id,error\n1,timeout\n2,\n", "read_csv", path="a.csv"),
    done("j/csv2", "error,message\n404,Not Found\n500,Internal Server Error\n", "read_file", path="codes.csv"),
    done("j/rustdoc", "pub enum ErrorKind { NotFound, PermissionDenied }", "read_source", path="a.rs"),
    done("j/elixir", "{:ok, :enoent}", "run_elixir", code="x"),
    # Small shapes
    done("j/pair", (False, "not prime: divisible by 3"), "is_prime", n=9),
    done("j/pair2", (None, "Oslo"), "split_address", address="Oslo"),
    done("j/pair3", (True, "no errors"), "compile_project"),
    done("j/reply", Reply(0, {"devices": []}, "ok"), "list_devices"),
    done("j/lookup", Lookup(True, {"sku": "A"}, None), "get_product", sku="A"),
    done("j/upload", Upload(True, 12), "upload_file", path="a"),
    done("j/null", {"value": None, "unit": "C", "reason_code": 0}, "read_sensor", id=3),
    # Markup and tables
    done("j/panos", "<response status='success'><result><msg><line>Configuration committed successfully</line></msg></result></response>", "firewall_commit"),
    done("j/rss", '<rss version="2.0"><channel><title>Errors</title><item><title>Outage</title><description>Servers are unreachable</description></item></channel></rss>', "fetch_feed", url="https://e.com/rss"),
    done("j/html", "<html><head><title>How to fix a 404 error</title></head><body><h1>Not found?</h1><p>Check the path.</p></body></html>", "fetch_page", url="https://e.com/404-help"),
    done("j/junit", '<testsuite tests="3" failures="1"><testcase name="a"><failure message="assert 1 == 2"/></testcase></testsuite>', "run_tests", path="t"),
    # Few words
    done("j/w1", "PIN set.", "set_pin", pin="1"),
    done("j/w2", "Card frozen.", "freeze_card", id=3),
    done("j/w3", "Bad weather tomorrow.", "get_forecast", city="x"),
    done("j/w4", "Ticket 78 created, similar to ticket 77.", "create_ticket", title="x"),
    done("j/w5", "Room Aqua booked. Bring no food.", "book_room", room="Aqua"),
    done("j/w6", "Qxz, 14:05, platform 3 (platform change!)", "next_train", station="Qxz"),
    done("j/w7", "Flow 3 paused.", "pause_flow", id=3),
    done("j/w8", "Song: Never heard of you, by Bo", "song_by_id", id=3),
    # What was asked for
    done("j/a1", "Duplicates: ticket 77, ticket 80", "find_duplicates", id=3),
    done("j/a2", {"tray": 2, "state": "jam", "severity": "blocking"}, "printer_diagnostics", id=3),
    done("j/a3", {"order": "o1", "captured": False, "issue": "ORDER_NOT_APPROVED"}, "get_order", id="o1"),
    done("j/a4", {"responses": [{"question": "Did it fail?", "answer": "yes"}]}, "list_survey_responses"),
    done("j/a5", {"deleted": [7], "failed": []}, "delete_notes", ids=[7]),
    done("j/a6", {"account": "A1", "frozen": True, "reason": "fraud check"}, "get_account", id="A1"),
    done("j/a7", {"job": 3, "last_error": "disk full", "next_run": "10:00"}, "get_schedule", id=3),
    done("j/a8", {"wallet": 0, "note": "insufficient for withdrawals"}, "get_balance"),
    done("j/a9", "The Multiple Errors, a novel; not for sale in 3 countries", "describe_book", id=3),
    done("j/a10", {"translation": "Zugriff verweigert"}, "translate_text", text="Access denied", to="de"),
    done("j/a11", "Mein Konto wurde gesperrt. Bitte helfen Sie mir.", "read_ticket", id=3),
    done("j/a12", {"severity": "error", "rules": ["no-unused-vars"], "fixable": False}, "lint_config"),
]

CASES = FAILURES + RESULTS
