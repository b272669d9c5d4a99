"""Labelled values that tools return: 60 failures and 60 look-alike results of shells, browsers, databases, clouds and search.

Written from documented conventions that no other set has, before their figures were counted.
"""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

from handwritten_cases import (
    ARG,
    AUTH,
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

FAILURES: list[Case] = [
    # Shells and programs
    fail("k/pwsh", "jqq: The term 'jqq' is not recognized as a name of a cmdlet, function, script file, or executable program.\nCheck the spelling of the name, or if a path was included, verify that the path is correct and try again.", MISSING, "run_powershell", ARG, NO_TOOL, EXECUTION, script="jqq ."),
    fail("k/fish", "fish: Unknown command: jqq\nfish: \njqq . a.json\n^~^", MISSING, "run_shell", ARG, NO_TOOL, EXECUTION, command="jqq . a.json"),
    fail("k/sudo", "sudo: a terminal is required to read the password; either use the -S option to read from standard input or configure an askpass helper\nsudo: a password is required", AUTH, "execute_command", PERMISSION, command="sudo ls"),
    fail("k/tar", "tar: a.tgz: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now", MISSING, "extract_archive", path="a.tgz"),
    fail("k/jq", 'jq: error (at <stdin>:0): Cannot index number with "name"', ARG, "jq_filter", EXECUTION, filter=".name"),
    fail("k/unzip", "unzip:  cannot find or open x.zip, x.zip.zip or x.zip.ZIP.", MISSING, "unzip_file", path="x.zip"),
    fail("k/applescript", '0:41: execution error: Calendar got an error: Can\u2019t get calendar "Wrk". (-1728)', MISSING, "run_applescript", EXECUTION, ARG, script='tell application "Calendar" to get calendar "Wrk"'),
    fail("k/ios", "show verison\n       ^\n% Invalid input detected at '^' marker.", ARG, "send_cli_command", device="sw1", command="show verison"),
    fail("k/snmp", "Timeout: No Response from 10.0.0.1.", TIMEOUT, "snmp_get", CONNECTION, UNAVAILABLE, host="10.0.0.1", oid="1.3.6.1.2.1.1.1.0"),
    fail("k/ldap", "ldap_bind: Invalid credentials (49)", AUTH, "search_directory", filter="(uid=bo)"),
    # Command lines of clouds
    fail("k/gcloud", "ERROR: (gcloud.compute.instances.describe) Could not fetch resource:\n - The resource 'projects/p/zones/z/instances/wbe-1' was not found", MISSING, "gcloud", args="compute instances describe wbe-1"),
    fail("k/aws", 'Unable to locate credentials. You can configure credentials by running "aws configure".', AUTH, "aws_cli", command="s3 ls"),
    fail("k/wrangler", "\u2718 [ERROR] A request to the Cloudflare API (/accounts/x/workers) failed.\n\n  Authentication error [code: 10000]", AUTH, "deploy_worker", name="edge"),
    fail("k/doctl", 'Error: GET https://api.digitalocean.com/v2/droplets/1: 404 (request "6f") The resource you were accessing could not be found.', MISSING, "get_droplet", id=1),
    fail("k/vercel", 'Error: No existing credentials found. Please run `vercel login` or pass "--token"', AUTH, "vercel_deploy", project="shop"),
    fail("k/bq", "BigQuery error in query operation: Error processing job 'p:bqjob_r1': Not found: Table p:d.custmers was not found in location EU", MISSING, "bq_query", ARG, sql="select * from d.custmers"),
    # Databases
    fail("k/psql", 'psql: error: connection to server at "db1" (10.0.0.3), port 5432 failed: FATAL:  password authentication failed for user "bo"', AUTH, "psql", CONNECTION, sql="select 1"),
    fail("k/clickhouse", "Code: 60. DB::Exception: Table default.custmers does not exist. (UNKNOWN_TABLE) (version 23.8.1.1)", MISSING, "run_clickhouse", ARG, sql="select * from custmers"),
    fail("k/cassandra", 'InvalidRequest: Error from server: code=2200 [Invalid query] message="unconfigured table usrs"', ARG, "run_cql", MISSING, cql="select * from usrs"),
    fail("k/surreal", [{"status": "ERR", "time": "1.2ms", "result": "The table 'custmers' does not exist"}], MISSING, "surreal_query", ARG, sql="select * from custmers"),
    fail("k/influx", {"results": [{"statement_id": 0, "error": "database not found: metrcs"}]}, MISSING, "influx_query", q="select * from cpu"),
    fail("k/postgrest", {"code": "42P01", "details": None, "hint": None, "message": 'relation "public.custmers" does not exist'}, MISSING, "supabase_select", ARG, table="custmers"),
    fail("k/arango", {"error": True, "errorNum": 1203, "errorMessage": "collection or view not found: usrs", "code": 404}, MISSING, "run_aql", query="for u in usrs return u"),
    fail("k/qdrant", {"status": {"error": "Not found: Collection `docz` doesn't exist!"}, "time": 1.2e-05}, MISSING, "vector_search", collection="docz"),
    fail("k/databricks", {"statement_id": "01ee", "status": {"state": "FAILED", "error": {"error_code": "BAD_REQUEST", "message": "[TABLE_OR_VIEW_NOT_FOUND] The table or view `custmers` cannot be found."}}}, MISSING, "execute_statement", ARG, sql="select * from custmers"),
    fail("k/athena", {"QueryExecution": {"QueryExecutionId": "q", "Status": {"State": "FAILED", "StateChangeReason": "TABLE_NOT_FOUND: line 1:15: Table 'd.custmers' does not exist"}}}, MISSING, "run_athena_query", ARG, EXECUTION, sql="select * from custmers"),
    fail("k/prom", {"status": "error", "errorType": "bad_data", "error": 'invalid parameter "query": 1:5: parse error: unexpected end of input'}, ARG, "query_prometheus", query="rate("),
    fail("k/loki", "parse error at line 1, col 5: syntax error: unexpected IDENTIFIER", ARG, "query_loki", query="{app= x}"),
    # Browsers
    fail("k/puppeteer", "net::ERR_NAME_NOT_RESOLVED at https://exmaple.test/", CONNECTION, "puppeteer_navigate", ARG, MISSING, url="https://exmaple.test/"),
    fail("k/waitfor", "Waiting for selector `#buy` failed: Waiting failed: 30000ms exceeded", TIMEOUT, "wait_for_selector", MISSING, selector="#buy"),
    fail("k/cdp", {"id": 3, "error": {"code": -32000, "message": "No node with given id found"}}, MISSING, "cdp_send", ARG, method="DOM.focus"),
    fail("k/browseruse", {"is_done": False, "success": None, "error": "Element index 99 does not exist - retry or use alternative actions", "extracted_content": None}, MISSING, "click_element", ARG, index=99),
    # Services
    fail("k/asana", {"errors": [{"message": "project: Not a recognized ID: 123", "help": "For more information on API status codes and how to handle them, read the docs on errors"}]}, ARG, "asana_create_task", MISSING, project="123"),
    fail("k/clickup", {"err": "Team not authorized", "ECODE": "OAUTH_027"}, PERMISSION, "clickup_list_tasks", AUTH, list_id="1"),
    fail("k/zendesk", {"error": "RecordInvalid", "description": "Record validation errors", "details": {"email": [{"description": "Email: bo is not properly formatted"}]}}, ARG, "zendesk_create_user", email="bo"),
    fail("k/intercom", {"type": "error.list", "request_id": "r", "errors": [{"code": "not_found", "message": "Contact Not Found"}]}, MISSING, "intercom_reply", contact="x"),
    fail("k/pagerduty", {"error": {"message": "Invalid Input Provided", "code": 2001, "errors": ["Name can't be blank."]}}, ARG, "create_pagerduty_service", name=""),
    fail("k/datadog", {"status": "error", "code": 403, "errors": ["Forbidden"], "statuspage": "http://status.datadoghq.com", "twitter": "http://twitter.com/datadogops", "email": "support@datadoghq.com"}, PERMISSION, "create_monitor", AUTH, name="cpu"),
    fail("k/okta", {"errorCode": "E0000007", "errorSummary": "Not found: Resource not found: bo (User)", "errorLink": "E0000007", "errorId": "oae", "errorCauses": []}, MISSING, "okta_get_user", id="bo"),
    fail("k/grafana", {"accessErrorId": "ACE1", "message": "You'll need additional permissions to perform this action. Permissions needed: dashboards:write", "title": "Access denied"}, PERMISSION, "save_dashboard", uid="x"),
    fail("k/vault", {"errors": ["permission denied"]}, PERMISSION, "vault_read", AUTH, path="secret/x"),
    fail("k/contentful", {"sys": {"type": "Error", "id": "NotFound"}, "message": "The resource could not be found.", "requestId": "r"}, MISSING, "contentful_get_entry", id="x"),
    fail("k/xero", {"ErrorNumber": 10, "Type": "ValidationException", "Message": "A validation exception occurred", "Elements": [{"ValidationErrors": [{"Message": "Email address must be valid."}]}]}, ARG, "xero_create_contact", email="bo"),
    fail("k/quickbooks", {"Fault": {"Error": [{"Message": "Object Not Found", "Detail": "Object Not Found : Something you're trying to use has been made inactive", "code": "610"}], "type": "ValidationFault"}, "time": "2026-01-01T00:00:00Z"}, MISSING, "quickbooks_get_invoice", ARG, id="9"),
    fail("k/subsonic", {"subsonic-response": {"status": "failed", "version": "1.16.1", "error": {"code": 70, "message": "Song not found"}}}, MISSING, "play_song", id="9"),
    fail("k/hue", [{"error": {"type": 3, "address": "/lights/99", "description": "resource, /lights/99, not available"}}], MISSING, "set_light", id=99, on=True),
    fail("k/replicate", {"id": "p1", "status": "failed", "error": "CUDA out of memory.", "output": None, "logs": "loading weights"}, EXECUTION, "run_model", QUOTA, UNAVAILABLE, model="x"),
    fail("k/elevenlabs", {"detail": {"status": "quota_exceeded", "message": "This request exceeds your quota of 10000. You have 3 credits remaining, while 12 credits are required for this request."}}, QUOTA, "text_to_speech", text="hello there"),
    # Search and the web
    fail("k/tavily", {"detail": {"error": "Unauthorized: missing or invalid API key."}}, AUTH, "web_search", query="x"),
    fail("k/brave", {"type": "ErrorResponse", "error": {"id": "x", "status": 429, "code": "RATE_LIMITED", "detail": "Request rate limit exceeded for plan."}, "time": 1700000000}, RATE, "brave_search", q="x"),
    fail("k/wolfram", "Wolfram|Alpha did not understand your input", ARG, "ask_wolfram", MISSING, EXECUTION, input="how many is tuesday"),
    fail("k/arxiv", '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title><entry><id>http://arxiv.org/api/errors#incorrect_id_format_for_12x</id><title>Error</title><summary>incorrect id format for 12x</summary></entry></feed>', ARG, "arxiv_lookup", id="12x"),
    fail("k/flickr", '<rsp stat="fail"><err code="1" msg="Photo not found" /></rsp>', MISSING, "flickr_photo", id="9"),
    fail("k/webdav", '<?xml version="1.0" encoding="utf-8"?><d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns"><s:exception>Sabre\\DAV\\Exception\\NotFound</s:exception><s:message>File with name notes.md could not be located</s:message></d:error>', MISSING, "webdav_download", path="notes.md"),
    fail("k/xmlrpc", "<?xml version='1.0'?><methodResponse><fault><value><struct><member><name>faultCode</name><value><int>4</int></value></member><member><name>faultString</name><value><string>Too many parameters.</string></value></member></struct></value></fault></methodResponse>", ARG, "call_xmlrpc", method="add"),
    # Servers of tools and coding agents
    fail("k/robots", "The sites robots.txt (https://e.com/robots.txt), specifies that autonomous fetching of this page is not allowed, <useragent>bot</useragent>", PERMISSION, "fetch", url="https://e.com/a"),
    fail("k/tooluse", "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>", CONFLICT, "Write", ARG, EXECUTION, file_path="a.py"),
    fail("k/codex", "Exit code: 127\nWall time: 0.1 seconds\nOutput:\nbash: jqq: command not found", MISSING, "shell", ARG, NO_TOOL, EXECUTION, command=["bash", "-lc", "jqq"]),
    fail("k/fsmcp", "Access denied - path outside allowed directories: /etc/x not in /w", PERMISSION, "write_file", ARG, path="/etc/x"),
    fail("k/n8n", {"errorMessage": "The resource you are requesting could not be found", "errorDescription": "item x", "errorDetails": {}, "n8nDetails": {"n8nVersion": "1.70.0"}}, MISSING, "run_workflow", id="9"),
]

RESULTS: list[Case] = [
    # Shells and programs
    done("l/pwsh", "Get-Command: The term is recognized as a cmdlet.\nName: Get-Item", "run_powershell", script="help"),
    done("l/man", "sudo - execute a command as another user\n\nIf a password is required and no terminal is available, sudo exits with an error.", "man_page", name="sudo"),
    done("l/tar", "tar: Removing leading `/' from member names\n/etc/a\n/etc/b", "create_archive", path="/etc"),
    done("l/jq", "null", "jq_filter", filter=".error"),
    done("l/jq2", '"not found"', "jq_filter", filter=".message"),
    done("l/unzip", "Archive:  a.zip\n  inflating: errors.txt\n  inflating: not_found.html", "unzip_file", path="a.zip"),
    done("l/ios", "GigabitEthernet0/1 is down, line protocol is down (notconnect)\n     0 input errors, 0 CRC", "send_cli_command", device="sw1", command="show interfaces"),
    done("l/snmp", "SNMPv2-MIB::sysDescr.0 = STRING: Timeout tester, no response expected", "snmp_get", host="10.0.0.1"),
    done("l/ldap", "dn: cn=denied,ou=groups\nmember: uid=bo\n\n# numEntries: 1\nresult: 0 Success", "search_directory", filter="(cn=denied)"),
    done("l/dmesg", "[ 3.1] ata1: link is slow to respond\n[ 9.2] EXT4-fs error (device sda1): bad block", "dmesg"),
    done("l/whynot", "jqq: not found in PATH; /usr/bin/jq is found", "which", name="jqq"),
    # Command lines of clouds
    done("l/gcloud", "NAME   ZONE  STATUS\nweb-1  z     TERMINATED\nweb-2  z     SUSPENDED", "gcloud", args="compute instances list"),
    done("l/awserr", "NoSuchBucket: The specified bucket does not exist. (404)\nBucketNotEmpty: The bucket is not empty. (409)", "list_s3_error_codes"),
    done("l/wrangler", "\u25b2 [WARNING] Your worker has no routes\nDeployed edge (1.2 sec)", "deploy_worker", name="edge"),
    done("l/events", "LAST SEEN  TYPE     REASON   MESSAGE\n3m         Warning  Failed   Error: ImagePullBackOff", "kubectl_get_events"),
    done("l/quota", {"limit": 24, "used": 24, "metric": "CPUS", "exceeded": True}, "get_quota", region="eu"),
    # Databases
    done("l/surreal", [{"status": "OK", "time": "1ms", "result": [{"id": "t:1", "error": "x"}]}], "surreal_query", sql="select * from t"),
    done("l/influx", {"results": [{"statement_id": 0}]}, "influx_query", q="select * from errors"),
    done("l/influx2", {"results": [{"statement_id": 0, "series": [{"name": "errors", "columns": ["time", "error"], "values": [["t", "timeout"]]}]}]}, "influx_query", q="select * from errors"),
    done("l/qdrant", {"status": "ok", "result": [{"id": 1, "payload": {"error": "Not found"}}], "time": 0.1}, "vector_search", collection="docs"),
    done("l/databricks", {"statement_id": "01ee", "status": {"state": "SUCCEEDED"}, "result": {"data_array": [["FAILED"]]}}, "execute_statement", sql="select state from jobs"),
    done("l/athena", {"QueryExecution": {"QueryExecutionId": "q", "Status": {"State": "FAILED", "StateChangeReason": "TABLE_NOT_FOUND"}}}, "get_query_execution", id="q"),
    done("l/history", [{"query": "select 1", "state": "FAILED", "error": "permission denied"}], "list_query_history"),
    done("l/sqlstate", {"code": "42P01", "name": "undefined_table", "class": "Syntax Error or Access Rule Violation"}, "describe_sqlstate", code="42P01"),
    done("l/row", {"id": 4, "errors": ["permission denied"], "path": "/x", "at": "10:00"}, "fetch_one", sql="select * from audit"),
    done("l/prom", {"status": "success", "data": {"resultType": "vector", "result": [{"metric": {"alertname": "Down", "error": "timeout"}, "value": [1, "1"]}]}}, "query_prometheus", query="ALERTS"),
    done("l/loki", "level=error msg=\"parse error at line 1, col 5\"\nlevel=info msg=ok", "query_loki", query='{app="x"}'),
    done("l/deadlocks", "LATEST DETECTED DEADLOCK\n*** (1) TRANSACTION:\nlock wait timeout 50", "innodb_status"),
    # Browsers
    done("l/network", "GET https://e.com/ => [200]\nGET https://e.com/x.js => [FAILED] net::ERR_ABORTED", "browser_network_requests"),
    done("l/eval", "net::ERR_NAME_NOT_RESOLVED", "evaluate_script", script="window.lastError"),
    done("l/cdp", {"id": 3, "result": {"nodeId": 0, "errorText": ""}}, "cdp_send", method="DOM.focus"),
    done("l/navigate", {"frameId": "F", "loaderId": "L", "title": "404 Not Found - how we design error pages"}, "navigate", url="https://e.com/blog"),
    done("l/dialog", "A dialog is open: confirm 'Delete? This cannot be undone.'", "get_dialog"),
    done("l/browseruse", {"is_done": True, "success": True, "error": None, "extracted_content": "Login failed 3 times today"}, "done"),
    # Services
    done("l/asana", {"data": [], "next_page": None}, "asana_list_tasks", project="1"),
    done("l/zendesk", {"ticket": {"id": 3, "subject": "RecordInvalid when saving", "status": "open", "description": "error 422"}}, "zendesk_get_ticket", id=3),
    done("l/intercom", {"type": "list", "data": [], "total_count": 0}, "intercom_search", q="x"),
    done("l/pagerduty", {"incident": {"id": "P1", "status": "triggered", "title": "API is down", "urgency": "high"}}, "get_incident", id="P1"),
    done("l/monitor", {"id": 3, "overall_state": "Alert", "message": "{{#is_alert}}Service is unavailable{{/is_alert}}", "type": "metric alert"}, "get_monitor", id=3),
    done("l/okta", {"id": "u1", "status": "LOCKED_OUT", "profile": {"login": "bo@e.com"}}, "okta_get_user", id="u1"),
    done("l/oktalog", [{"eventType": "user.session.start", "outcome": {"result": "FAILURE", "reason": "INVALID_CREDENTIALS"}}], "okta_system_log"),
    done("l/vault", {"request_id": "r", "data": {"error": "permission denied"}, "warnings": None, "errors": None}, "vault_read", path="secret/messages"),
    done("l/contentful", {"sys": {"type": "Entry", "id": "404"}, "fields": {"title": "Error", "message": "The resource could not be found."}}, "contentful_get_entry", id="404"),
    done("l/xero", {"Contacts": [{"Name": "Bo", "HasValidationErrors": False, "ValidationErrors": []}]}, "xero_create_contact", name="Bo"),
    done("l/subsonic", {"subsonic-response": {"status": "ok", "version": "1.16.1"}}, "play_song", id="1"),
    done("l/hue", [{"success": {"/lights/1/state/on": True}}], "set_light", id=1, on=True),
    done("l/replicate", {"id": "p1", "status": "failed", "error": "CUDA out of memory.", "output": None}, "get_prediction", id="p1"),
    done("l/tts", {"audio_url": "https://e.com/a.mp3", "text": "Your quota is exceeded."}, "text_to_speech", text="Your quota is exceeded."),
    done("l/flags", {"flag": "fail_open", "enabled": False, "reason": "OFF"}, "evaluate_flag", key="fail_open"),
    # Search and the web
    done("l/search", {"query": "permission denied", "results": [{"title": "permission denied (publickey)", "url": "https://e.com", "content": "Unauthorized: invalid key"}], "response_time": 1.2}, "web_search", query="permission denied"),
    done("l/noresults", {"query": {"original": "asdf"}, "type": "search", "web": None, "mixed": None}, "brave_search", q="asdf"),
    done("l/arxiv", '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title><entry><id>http://arxiv.org/abs/1</id><title>Error bounds</title><summary>We bound the error of failed queries.</summary></entry></feed>', "arxiv_search", q="error"),
    done("l/flickr", '<rsp stat="ok"><photos total="0" /></rsp>', "flickr_search", q="fail"),
    done("l/webdav", '<?xml version="1.0"?><d:multistatus xmlns:d="DAV:"><d:response><d:href>/a</d:href><d:propstat><d:prop><d:size/></d:prop><d:status>HTTP/1.1 404 Not Found</d:status></d:propstat><d:propstat><d:prop><d:name>a</d:name></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>', "webdav_properties", path="a"),
    done("l/robots", "User-agent: *\nDisallow: /private\n# autonomous fetching of these pages is not allowed", "fetch", url="https://e.com/robots.txt"),
    # Servers of tools and coding agents
    done("l/grep", "src/tool.py:31: raise ToolUseError('File has not been read yet')\nsrc/tool.py:40: return '<error>denied</error>'", "Grep", pattern="error"),
    done("l/codex", "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nbash: jqq: command not found (seen 3 times)", "shell", command=["bash", "-lc", "tail log"]),
    done("l/commit", "[main 3f2] Return 'Access denied' for paths outside allowed directories\n 1 file changed", "git_commit", message="Return 'Access denied' for paths outside allowed directories"),
    done("l/executions", {"data": [{"id": 1, "status": "error", "stoppedAt": "t"}], "nextCursor": None}, "list_executions", workflow="9"),
    done("l/summary", "The deploy failed because the quota was exceeded; the team raised it and tried again.", "summarize_thread", id="T1"),
]

CASES = FAILURES + RESULTS
