"""Forms that services, databases and programs document for their failures; and results that look like them."""

from __future__ import annotations

from typing import Any

import pytest

from mulligan import Pipeline, errors

ARGUMENT = errors.ToolArgumentError
AUTHENTICATION = errors.ToolAuthenticationError
CONFLICT = errors.ResourceConflictError
CONNECTION = errors.ToolConnectionError
EXECUTION = errors.ToolExecutionError
MISSING = errors.ResourceNotFoundError
PERMISSION = errors.ToolPermissionError
TIMEOUT = errors.ToolTimeoutError

FAILURES: dict[str, list[tuple[str, Any, type[errors.ToolError]]]] = {
    "already": [
        ("install_app", "The name is already the name of another app.", CONFLICT),
        ("install_app", "Port 80 is already in use.", CONFLICT),
    ],
    "a tag": [
        ("read_file", "<error>File not found: a.md</error>", MISSING),
        ("read_file", "<tool_use_error>File does not exist.</tool_use_error>", MISSING),
        ("send_form", "<error>Missing field <b>email</b></error>", ARGUMENT),
    ],
    "a numbered error of a database": [
        ("run_sql", "ORA-00001: unique constraint (SHOP.PK_ORDERS) violated", EXECUTION),
        ("insert_row", 'ORA-01400: cannot insert NULL into ("SHOP"."ORDERS"."ID")', ARGUMENT),
        ("get_customers", "ORA-12154: TNS:could not resolve the connect identifier specified", CONNECTION),
        (
            "execute_query",
            "Msg 2627, Level 14, State 1, Line 3\nViolation of PRIMARY KEY constraint 'PK_a'.",
            EXECUTION,
        ),
        ("run_query", 'SQL0204N  "BO.ORDRS" is an undefined name.  SQLSTATE=42704', EXECUTION),
        (
            "save_order",
            "SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry '4' for key 'id'",
            CONFLICT,
        ),
        (
            "run_sql",
            "SQLSTATE[HY000] [1045] Access denied for user 'bo'@'localhost' (using password: YES)",
            AUTHENTICATION,
        ),
        ("snowflake_query", "002003 (42S02): SQL compilation error:\nObject 'ORDRS' does not exist.", MISSING),
        (
            "run_sql",
            "('42S02', \"[42S02] [Microsoft][ODBC Driver 18][SQL Server]Invalid object name 'x'. (208)\")",
            MISSING,
        ),
    ],
    "a batch of which nothing was done": [
        (
            "graph_batch",
            {
                "responses": [
                    {"id": "1", "status": 404, "body": {"error": {"code": "x", "message": "The item was not found."}}}
                ]
            },
            MISSING,
        ),
        (
            "graph_batch",
            {"responses": [{"id": "1", "status": 403, "headers": {}, "body": {}}, {"id": "2", "status": 403}]},
            PERMISSION,
        ),
        (
            "create_contacts",
            [
                {
                    "success": False,
                    "errors": [{"statusCode": "DUPLICATE_VALUE", "message": "duplicate value found: Email"}],
                }
            ],
            CONFLICT,
        ),
        (
            "delete_leads",
            [
                {"id": "1", "success": False, "errors": ["no such lead"]},
                {"id": "2", "success": False, "errors": ["no such lead"]},
            ],
            MISSING,
        ),
        (
            "send_push",
            {
                "multicast_id": 8,
                "success": 0,
                "failure": 1,
                "canonical_ids": 0,
                "results": [{"error": "InvalidRegistration"}],
            },
            ARGUMENT,
        ),
    ],
    "a document of XML": [
        (
            "wms_map",
            '<ServiceExceptionReport version="1.3.0"><ServiceException code="LayerNotDefined">Layer roads does not exist</ServiceException></ServiceExceptionReport>',
            MISSING,
        ),
        (
            "wfs_features",
            '<ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows/1.1"><ows:Exception exceptionCode="MissingParameterValue" locator="typeName"><ows:ExceptionText>typeName is required</ows:ExceptionText></ows:Exception></ows:ExceptionReport>',
            ARGUMENT,
        ),
        (
            "harvest_records",
            '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-01-01</responseDate><request>https://e.com/oai</request><error code="badArgument">The argument until is not valid</error></OAI-PMH>',
            ARGUMENT,
        ),
        (
            "start_instance",
            "<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>You are not authorized to perform this operation.</Message></Error></Errors><RequestID>r</RequestID></Response>",
            PERMISSION,
        ),
        ("photo_sizes", '<rsp stat="fail"><err code="1" msg="Photo not found" /></rsp>', MISSING),
        (
            "add_to_playlist",
            '<subsonic-response status="failed" version="1.16.1"><error code="70" message="Playlist not found"/></subsonic-response>',
            MISSING,
        ),
        (
            "top_tracks",
            '<lfm status="failed"><error code="10">Invalid API key - You must be granted a valid key</error></lfm>',
            AUTHENTICATION,
        ),
        (
            "commit_config",
            '<response status="error" code="403"><result><msg>Invalid credential</msg></result></response>',
            AUTHENTICATION,
        ),
    ],
    "the report of a runtime or build": [
        ("run_binary", 'Error: Os { code: 13, kind: PermissionDenied, message: "Permission denied" }', PERMISSION),
        ("run_binary", 'Os { code: 2, kind: NotFound, message: "No such file or directory" }', MISSING),
        ("run_elixir", "{:error, :enoent}", MISSING),
        ("run_erlang", "{error,eacces}", PERMISSION),
        ("make", "make: *** No rule to make target 'deply'.  Stop.", EXECUTION),
        ("build_target", "cc -c a.c\nmake[1]: *** [Makefile:3: a.o] Error 1", EXECUTION),
        ("run_lua", "lua: a.lua:3: attempt to index a nil value (local 't')", EXECUTION),
        ("run_lua", "luajit: a.lua:3: module 'socket' not found:\nstack traceback:\n\t[C]: in ?", MISSING),
        (
            "run_page",
            "<br />\n<b>Fatal error</b>:  Uncaught PDOException: SQLSTATE[HY000] [2002] Connection refused in /var/www/a.php:3\n",
            CONNECTION,
        ),
    ],
    "an envelope that is the only member": [
        (
            "stock_chart",
            {"chart": {"result": None, "error": {"code": "Not Found", "description": "No data found"}}},
            MISSING,
        ),
        (
            "quote_summary",
            {"quoteSummary": {"result": None, "error": {"code": "Unauthorized", "description": "Invalid Crumb"}}},
            AUTHENTICATION,
        ),
        (
            "share_file",
            {
                "ocs": {
                    "meta": {
                        "status": "failure",
                        "statuscode": 404,
                        "message": "Wrong path, file/folder doesn't exist",
                    },
                    "data": [],
                }
            },
            MISSING,
        ),
        (
            "list_shares",
            {
                "ocs": {
                    "meta": {"status": "failure", "statuscode": 997, "message": "Current user is not logged in"},
                    "data": [],
                }
            },
            AUTHENTICATION,
        ),
    ],
    "the error of what was run": [
        (
            "trino_query",
            {
                "id": "q1",
                "infoUri": "http://t/q1",
                "stats": {"state": "FAILED"},
                "error": {
                    "message": "line 1:15: Table 'c.s.x' does not exist",
                    "errorCode": 46,
                    "errorName": "TABLE_NOT_FOUND",
                },
            },
            MISSING,
        ),
        (
            "execute_statement",
            {
                "statement_id": "s",
                "status": {
                    "state": "FAILED",
                    "error": {"error_code": "PERMISSION_DENIED", "message": "User does not have SELECT on table x."},
                },
            },
            PERMISSION,
        ),
    ],
    "messages that are all errors": [
        ("splunk_search", {"messages": [{"type": "FATAL", "text": "Unknown search command 'serch'."}]}, MISSING),
        ("create_index", {"messages": [{"type": "ERROR", "text": "Index main already exists"}], "entry": []}, CONFLICT),
    ],
    "the last line of a program": [
        (
            "run_shell",
            {
                "exit_code": 1,
                "output": "To github.com:a/b.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'github.com:a/b.git'",
            },
            EXECUTION,
        ),
        ("run_command", {"exit_code": 2, "output": "Reading config\nfatal: no such file: a.toml"}, MISSING),
    ],
    "words of a service": [
        ("oracle_query", "ORA-01017: invalid username/password; logon denied", AUTHENTICATION),
        ("open_session", "Incorrect login or password.", AUTHENTICATION),
        ("view_repository", "GraphQL: Could not resolve to a Repository with the name 'a/b'. (repository)", MISSING),
        ("view_profile", "Could not resolve to a User with the login of 'bo'.", MISSING),
        ("open_page", "Could not resolve to an IP address: exmaple.test", CONNECTION),
        (
            "write_file",
            "The tool execution failed with the following error:\n<error>\nENOENT: no such file or directory, open '/w/a.ts'\n</error>",
            MISSING,
        ),
        (
            "list_partners",
            {
                "jsonrpc": "2.0",
                "id": 1,
                "error": {
                    "code": 200,
                    "message": "Odoo Server Error",
                    "data": {"name": "odoo.exceptions.AccessError", "message": "You are not allowed to access 'Bank'"},
                },
            },
            PERMISSION,
        ),
    ],
    "what was asked for": [
        ("send_cli_command", "fatal: no such file: a.toml", MISSING),
        ("send_command", {"exit_code": 1, "stdout": "", "stderr": "connect: connection refused"}, CONNECTION),
        ("get_forecast", {"id": 3, "error": "No such station: Qxz", "data": None}, MISSING),
        ("summarize_url", {"error": "access denied", "status": 403}, PERMISSION),
    ],
    "the complaint of a program": [
        (
            "run_tar",
            "tar: a.tgz: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now",
            MISSING,
        ),
        (
            "copy_files",
            "cp: cannot stat 'a.md': No such file or directory\ncp: cannot stat 'b.md': No such file or directory",
            MISSING,
        ),
        ("jq_filter", 'jq: error (at <stdin>:0): Cannot index number with "name"', EXECUTION),
        (
            "run_applescript",
            '0:41: execution error: Calendar got an error: Can\u2019t get calendar "Wrk". (-1728)',
            EXECUTION,
        ),
        ("query_metrics", "parse error at line 1, col 5: syntax error: unexpected IDENTIFIER", ARGUMENT),
        ("run_sql", 'syntax error at or near "selct"', ARGUMENT),
        ("wait_for_selector", "Waiting for selector `#buy` failed: Waiting failed: 30000ms exceeded", TIMEOUT),
        ("snmp_get", "Timeout: No Response from 10.0.0.1.", TIMEOUT),
        ("vercel_deploy", "Error: No existing credentials found. Please run `vercel login`", AUTHENTICATION),
        ("push_image", "No credentials are configured.", AUTHENTICATION),
    ],
    "an envelope that states its failure": [
        (
            "play_song",
            {
                "subsonic-response": {
                    "status": "failed",
                    "version": "1.16.1",
                    "error": {"code": 70, "message": "Song not found"},
                }
            },
            MISSING,
        ),
        ("send_sms", {"sms-reply": {"status": "error", "error": {"code": 3, "message": "Invalid number"}}}, ARGUMENT),
        (
            "get_invoice",
            {
                "Fault": {
                    "Error": [{"Message": "Object Not Found", "Detail": "Object Not Found : x", "code": "610"}],
                    "type": "ValidationFault",
                },
                "time": "2026-01-01T00:00:00Z",
            },
            MISSING,
        ),
        ("list_lists", {"err": "Token invalid", "ECODE": "OAUTH_025"}, AUTHENTICATION),
        ("list_tasks", {"err": "Team not authorized", "ECODE": "OAUTH_027"}, PERMISSION),
        (
            "run_workflow",
            {
                "errorMessage": "The resource you are requesting could not be found",
                "errorDescription": "item x",
                "errorDetails": {},
                "n8nDetails": {"n8nVersion": "1.7"},
            },
            MISSING,
        ),
    ],
    "what a statement or an item answers": [
        (
            "surreal_query",
            [{"status": "ERR", "time": "1.2ms", "result": "The table 'parcels' does not exist"}],
            MISSING,
        ),
        ("influx_query", {"results": [{"statement_id": 0, "error": "database not found: metrcs"}]}, MISSING),
        (
            "set_light",
            [{"error": {"type": 3, "address": "/lights/99", "description": "resource, /lights/99, not available"}}],
            EXECUTION,
        ),
    ],
    "a definition of a code": [
        ("explain_code", {"error": "no such code: E99"}, MISSING),
        ("explain_error", {"code": "not_found", "message": "no such code"}, MISSING),
        ("translate_text", {"code": "NOT_FOUND", "description": "The language does not exist"}, MISSING),
        ("redeem_voucher", {"code": "NOT_FOUND", "description": "The voucher does not exist"}, MISSING),
        ("get_forecast", {"code": "NOT_FOUND", "description": "The entity does not exist"}, MISSING),
    ],
    "a list of one error": [
        ("list_calls", [{"error": "no such file: a.md"}], MISSING),
        ("search_issues", '[{"error": "connection refused"}]', CONNECTION),
    ],
    "a citation": [
        ("approve_leave", "Request denied, by Bo", PERMISSION),
        ("get_page", "Access denied, by order of the administrator.", PERMISSION),
        ("get_song", "Error: no such song, see catalogue by Bo", MISSING),
    ],
    "what only resembles a rule": [
        ("deploy", "make: *** [deploy] Error 1", EXECUTION),
        ("read_meter", "No response from the device.", TIMEOUT),
    ],
    "reports of tools that summarize, find or send": [
        ("summarize_page", "Error: 401 Unauthorized", AUTHENTICATION),
        ("summarize_document", "Failed to summarize the document: timed out", TIMEOUT),
        ("which_model", "Error: unknown model x", MISSING),
        ("submit_sql", 'ERROR: relation "x" does not exist', MISSING),
        ("issue_query", "permission denied for table x", PERMISSION),
    ],
    "a summary": [
        ("summarize_url", "Error: could not fetch https://e.com/a: 404", MISSING),
        ("summarise_text", "Sorry, I cannot access this page.", EXECUTION),
        ("summarize_document", "The document was not found.", MISSING),
    ],
}

RESULTS: dict[str, list[tuple[str, Any]]] = {
    "already": [
        ("install_package", "htop is already the newest version (3.2.2-2)."),
        ("upgrade_package", "ripgrep 14.1 is already the latest release."),
        ("install_package", "numpy is already up-to-date."),
        ("install_package", "curl is already at the newest version."),
        ("switch_branch", "Already on the current branch."),
    ],
    "a tag": [
        ("read_file", "<error>\n  <code>404</code>\n</error>\n"),
        ("read_document", "<error><message>denied</message></error>"),
        ("open_file", "<error>\n  <!-- the default page -->\n  <title>Not found</title>\n</error>"),
        ("cat_file", "<error><retry>3</retry><text>timed out</text></error>"),
    ],
    "a numbered error of a database": [
        ("explain_error_code", "ORA-00942: table or view does not exist"),
        ("search_error_codes", "ORA-00942: table or view does not exist\nORA-00943: cluster does not exist"),
        ("lookup_oracle_message", "ORA-01017: invalid username/password; logon denied"),
        ("tail_log", "ORA-12154: TNS:could not resolve the connect identifier specified"),
        ("read_file", "Msg 208, Level 16, State 1, Line 1\nInvalid object name 'x'."),
        ("get_ticket", "SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry"),
        ("list_last_errors", 'SQL0204N  "BO.ORDRS" is an undefined name.'),
        ("get_postcode", "000904 (42000): Springfield, not assigned"),
        ("get_message_of_code", "ORA-01017: invalid username/password; logon denied"),
        ("describe_sqlstate", "SQLSTATE[42S02] Base table or view not found"),
        ("run_sql", "('42S02', 'Base table or view not found')"),
        ("first_row", "('00904', 'Not available')"),
        ("run_sql", "ORA-00942: 3 times, ORA-01017: once"),
    ],
    "a batch of which nothing was done": [
        (
            "graph_batch",
            {"responses": [{"id": "1", "status": 404, "body": {}}, {"id": "2", "status": 201, "body": {"id": "x"}}]},
        ),
        ("check_links", {"responses": [{"id": "1", "status": 404, "body": {"message": "Not Found"}}]}),
        ("list_recorded_requests", {"responses": [{"id": "1", "status": 500, "body": {"message": "timed out"}}]}),
        ("crawl_site", {"responses": [{"url": "https://e.com/x", "status": 404}]}),
        ("list_survey", {"responses": [{"id": "1", "status": "failed", "body": "It did not work"}]}),
        ("create_contacts", [{"success": False, "errors": ["no email"]}, {"success": True, "id": "3"}]),
        ("run_sql", [{"success": False, "errors": "timeout"}]),
        ("run_checks", [{"name": "dns", "success": False, "errors": ["no such host"]}]),
        ("parse_log", [{"line": 1, "error": "connection refused"}, {"line": 2, "error": "timed out"}]),
        ("get_sync_history", [{"success": False, "error": "token expired"}]),
        ("send_push", {"multicast_id": 8, "success": 1, "failure": 1, "results": [{"error": "NotRegistered"}]}),
        ("import_rows", {"imported": 98, "skipped": [{"row": 3, "error": "no email"}]}),
    ],
    "a document of XML": [
        ("photo_sizes", '<rsp stat="ok"><sizes><size label="fail" /></sizes></rsp>'),
        ("play_song", '<subsonic-response status="ok" version="1.16.1"/>'),
        ("run_tests", '<testsuite status="failed"><error message="no such host"/></testsuite>'),
        ("get_build", '<build status="failed"><error message="timed out" code="3"/></build>'),
        ("export_events", '<events><error code="3">access denied</error></events>'),
        ("fetch_feed", '<journal><date>2026-01-01</date><error code="E1">disk full</error></journal>'),
        ("list_jobs", '<response><jobs><job status="failed"><error code="1">denied</error></job></jobs></response>'),
        ("validate_document", '<response status="fail"><msg>Element book is not allowed here</msg></response>'),
        ("get_payment", '<response status="failed"><msg>Card was declined</msg></response>'),
        (
            "harvest_records",
            '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>x</responseDate><ListRecords><record><title>error</title></record></ListRecords></OAI-PMH>',
        ),
        (
            "get_config",
            '<response status="success"><result><error-page code="404">not found</error-page></result></response>',
        ),
        ("describe_instances", "<Response><Errors/><Instances><i>i-1</i></Instances></Response>"),
    ],
    "the report of a runtime or build": [
        ("run_elixir", "{:ok, :enoent}"),
        ("run_elixir", "{:error, 3}"),
        ("run_elixir", "[{:error, :enoent}, {:ok, 3}]"),
        ("read_source", "{:error, :enoent}"),
        ("explain_code", "{:error, :enoent}"),
        ("read_file", 'Os { code: 2, kind: NotFound, message: "No such file or directory" }'),
        ("make", "make: 'all' is up to date."),
        ("make", "make: Nothing to be done for 'all'."),
        ("tail_log", "make: *** [all] Error 2"),
        ("build_target", "make: [Makefile:3: a.o] Error 1 (ignored)\ncc -o a a.o"),
        ("lint_lua", "luacheck: a.lua:3: unused variable t"),
        ("compile_file", "gcc: a.c:3: warning: unused variable"),
        ("search_code", "grep: a.lua:3: local t = nil"),
        ("git_blame", "Bo: a.lua:3: local t = nil"),
        ("get_comment", "bo: a.lua:3: this is nil"),
        ("view_source", "<br />\n<b>Fatal error</b>:  Uncaught Exception in /a.php:3\n"),
    ],
    "an envelope that is the only member": [
        ("stock_chart", {"chart": {"result": [{"symbol": "A"}], "error": None}}),
        ("share_file", {"ocs": {"meta": {"status": "ok", "statuscode": 200, "message": None}, "data": []}}),
        ("get_item", {"item": {"item_id": "i", "error": {"code": "ITEM_LOGIN_REQUIRED", "message": "login required"}}}),
        ("latest_run", {"run": {"result": None, "error": {"message": "timed out"}}}),
        ("last_sync", {"sync": {"error": {"code": "x", "message": "access denied"}, "data": []}}),
        ("check_server", {"mail": {"result": None, "error": {"message": "timed out"}}}),
        ("describe_api", {"responses": {"error": {"description": "Not found"}, "result": {"description": "The item"}}}),
        ("get_job", {"import": {"result": None, "error": {"code": "x", "message": "no such file"}}}),
    ],
    "the error of what was run": [
        (
            "get_query_status",
            {"id": "q1", "stats": {"state": "FAILED"}, "error": {"message": "Table x does not exist", "errorCode": 46}},
        ),
        ("list_statements", {"statement_id": "s", "status": {"state": "FAILED", "error": {"message": "denied"}}}),
        ("run_sql", {"id": 4, "state": "DONE", "error": {"code": "E3", "message": "access denied"}, "path": "/x"}),
        ("trino_query", {"id": "q1", "stats": {"state": "FINISHED"}, "data": [["denied", 3]], "error": None}),
        ("kubectl_get_job", {"status": {"state": "FAILED", "error": {"message": "image not found"}}, "id": 3}),
    ],
    "messages that are all errors": [
        ("splunk_search", {"messages": [{"type": "INFO", "text": "No matching fields exist."}], "results": []}),
        (
            "splunk_search",
            {"messages": [{"type": "ERROR", "text": "Peer p2 is unreachable"}], "results": [{"host": "a"}]},
        ),
        ("validate_html", {"messages": [{"type": "error", "text": "Unknown element x"}]}),
        ("build_page", {"messages": [{"type": "error", "text": "Unknown element x", "line": 3}], "errors": 1}),
        ("list_messages", {"messages": [{"type": "error", "text": "Access denied"}]}),
        ("get_notifications", {"messages": [{"type": "error", "text": "Disk full on db1"}]}),
        ("read_console", {"messages": [{"level": "error", "text": "x is not defined"}]}),
        ("browser_console", {"messages": [{"level": "error", "text": "x is not defined"}]}),
        ("get_logs", {"messages": [{"level": "error", "message": "connection refused"}]}),
    ],
    "the last line of a program": [
        ("run_command", {"exit_code": 1, "output": "1c1\n< error: a\n---\n> error: b"}),
        ("lint_files", {"exit_code": 1, "output": "a.py:1: unused import\nerror: 1 problem found"}),
        ("run_tests", {"exit_code": 1, "output": "FAILED test_a.py::test_b\nerror: 1 test failed"}),
        ("run_command", {"exit_code": 0, "output": "retrying\nerror: timed out once, then done"}),
        ("run_command", {"exit_code": 1, "output": "error: 3\nwarning: 4\nok: 12"}),
    ],
    "words of a service": [
        ("ask_oracle", "You will not find what you seek."),
        ("get_issue", "Login page: invalid username/password message is shown twice"),
        (
            "get_message",
            {
                "jsonrpc": "2.0",
                "id": 1,
                "result": {"name": "odoo.exceptions.AccessError", "message": "You are not allowed"},
            },
        ),
        ("write_test", "assert str(error) == 'invalid username/password'"),
    ],
    "what was asked for": [
        ("send_cli_command", "Vlan10 is down, line protocol is down\n  0 input errors"),
        ("send_command", "eth0 is up\neth1 is not connected"),
        ("submit_query", "denied | 3\ntimed out | 1"),
        ("which", "jqq: not found in PATH; /usr/bin/jq is found"),
        ("which_program", "No program named jqq was found"),
        ("get_prediction", {"id": "p1", "status": "failed", "error": "CUDA out of memory.", "output": None}),
        ("fetch_crawl", {"id": "c1", "status": "failed", "error": "timed out", "data": []}),
        ("describe_export", {"id": "e1", "state": "FAILED", "error": "quota exceeded", "result": None}),
    ],
    "the complaint of a program": [
        ("search_files", "tar: docs/a.md: how to open an archive\ntar: docs/b.md: error codes"),
        ("grep_files", "a.py: cannot open: No such file\nb.py: cannot open: denied"),
        ("tail_log", "tar: a.tgz: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now"),
        ("read_notes", "jq: error messages are explained in chapter 3"),
        ("list_programs", "jq: error (3), ok (12)\nawk: error (1), ok (9)"),
        ("lint_query", "parse error at line 1, col 5: syntax error: unexpected IDENTIFIER"),
        ("validate_query", 'syntax error at or near "selct"'),
        ("explain_message", "parse error at line 1: the query is cut off"),
        ("scan_repository", "No credentials were found in 120 files."),
        ("search_secrets", "No credentials found."),
    ],
    "an envelope that states its failure": [
        ("play_song", {"subsonic-response": {"status": "ok", "version": "1.16.1"}}),
        (
            "latest_build",
            {"build": {"status": "failed", "version": "1.2", "error": {"code": 3, "message": "no such file"}}},
        ),
        ("get_job", {"job": {"status": "failed", "error": {"code": 70, "message": "Song not found"}}}),
        ("check_mail", {"imap": {"status": "failed", "error": {"message": "connection refused"}}}),
        ("get_device", {"device": {"status": "failed", "version": "2", "error": {"code": 3, "message": "overheated"}}}),
        (
            "get_schema",
            {"Fault": {"type": "object", "properties": {"Error": {"type": "array"}}}, "time": {"type": "string"}},
        ),
        ("get_seismic_map", {"Fault": {"name": "San Andreas", "type": "strike-slip"}, "time": "2026-01-01"}),
        ("list_tasks", {"tasks": [], "err": None, "ECODE": None}),
        ("get_execution", {"id": "3", "errorMessage": "timed out", "status": "failed", "workflow": "w"}),
    ],
    "what a statement or an item answers": [
        ("surreal_query", [{"status": "OK", "time": "1ms", "result": [{"error": "x"}]}]),
        (
            "surreal_query",
            [{"status": "OK", "time": "1ms", "result": []}, {"status": "ERR", "time": "1ms", "result": "denied"}],
        ),
        ("run_sql", [{"status": "ERR", "time": "1.2ms", "result": "denied", "id": 3}]),
        ("run_sql", [{"status": "ERR", "count": 3}, {"status": "OK", "count": 8}]),
        ("run_tests", [{"status": "ERR", "time": "1.2ms", "result": "expected 3"}]),
        ("influx_query", {"results": [{"statement_id": 0, "series": [{"name": "errors"}]}]}),
        ("influx_query", {"results": [{"statement_id": 0}, {"statement_id": 1, "error": "database not found: x"}]}),
        (
            "set_light",
            [{"success": {"/lights/1/state/on": True}}, {"error": {"type": 7, "description": "invalid value"}}],
        ),
        ("parse_log", [{"error": "connection refused"}, {"error": "timed out"}]),
        ("list_errors", [{"error": {"type": 3, "description": "resource not available"}}]),
    ],
    "a definition of a code": [
        ("explain_code", {"code": "PERMISSION_DENIED", "description": "The caller does not have permission"}),
        (
            "describe_error_code",
            {"code": "ORA-00942", "title": "Table does not exist", "description": "The table was not found"},
        ),
        ("define_term", {"name": "timeout", "code": "timeout", "description": "The request timed out"}),
        ("get_error", {"code": "rate_limited", "description": "Too many requests"}),
        ("explain_status", {"code": 404, "title": "Not Found", "description": "The page does not exist"}),
    ],
    "a list of one error": [
        ("list_calls", [{"error": "no such host", "success": False}]),
        ("list_errors", [{"error": "no such file: a.md"}]),
        ("list_calls", [{"id": 3, "error": "timed out"}]),
        ("search_issues", [{"title": "Crash", "error": "index out of range"}]),
    ],
    "a citation": [
        ("get_film", "Access Denied, by Ann Ray"),
        ("get_book_of_the_day", "Error: Not Found, by J. Roe"),
        ("random_album", "Connection Refused, by The Timeouts"),
        ("get_painting", "Failed: a study in grey, by Mo Lee."),
    ],
    "what only resembles a rule": [
        ("race_results", "Bo: 30 seconds exceeded the record"),
        ("list_replies", "No reply from Bo yet"),
        ("get_tree", {"root": {"error": {"message": "overheated"}, "value": None}}),
        ("poll_sensor", {"sensor": {"value": None, "error": {"code": 3, "message": "timed out"}}}),
        ("survey_summary", "No response from 3 of 40 customers yet."),
        ("rhyme", "make: *** love"),
        ("generate_xml", '<rsp stat="fail"><err code="1" msg="Photo not found"/></rsp>'),
        ("deploy_app", {"steps": [{"name": "a", "error": "retry 1 failed"}], "deployed": True}),
        ("get_export", {"id": "e1", "status": "timed_out", "error": "timed out", "result": None}),
    ],
    "reports of tools that summarize, find or send": [
        ("which", "which: no jqq in (/usr/bin:/bin)"),
        ("submit_query", "state | failed"),
        ("send_query", "denied"),
        ("summarize_paper", "The paper shows that most requests failed."),
    ],
    "a summary": [
        ("summarize_thread", "The deploy failed because the quota was exceeded; the team raised it and tried again."),
        ("summarise_call", "Login failed: the customer had forgotten the password."),
        ("summarize_incident", "Access denied: a firewall rule was missing. It was added."),
        ("summarize_meeting", "The vote failed with 3 to 4; the budget is rejected."),
    ],
    "records with an id and a number": [
        ("list_monitors", [{"id": "m1", "status": 503}]),
        ("list_products", [{"id": "p1", "status": 404}]),
        ("get_seats", {"results": [{"id": "12A", "status": "401"}]}),
        ("list_mocks", {"responses": [{"id": "1", "status": 404, "body": {"error": "no such thing"}}]}),
    ],
    "findings, messages of a page, and texts of a form": [
        ("eslint_file", {"messages": [{"type": "error", "text": "Missing semicolon"}]}),
        ("run_linter", {"checked": 12, "errors": [{"line": 3, "rule": "E501", "message": "line too long"}]}),
        ("start_link_checker", {"errors": [{"url": "/a", "message": "not found"}], "checked": 3}),
        ("phpcs", {"messages": [{"type": "ERROR", "text": "Missing semicolon"}]}),
        ("get_flash", {"messages": [{"type": "error", "text": "Wrong PIN"}]}),
        ("get_form", {"errorMessage": "Enter a name", "errorColor": "red"}),
    ],
    "goals and polls": [
        ("get_goal_progress", "Goal of 30 minutes exceeded!"),
        ("workout_goal", "Move goal of 60 minutes exceeded! Great job."),
        ("rsvp", "No response was received from 3 guests"),
    ],
}


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("tool", "value", "kind"), [one for group in FAILURES.values() for one in group], ids=lambda one: str(one)[:60]
)
def test_a_documented_failure_is_found(bare, tool: str, value: Any, kind: type[errors.ToolError]) -> None:
    assert isinstance(bare.classify(value, tool=tool), kind)


@pytest.mark.parametrize(
    ("tool", "value"), [one for group in RESULTS.values() for one in group], ids=lambda one: str(one)[:60]
)
def test_a_result_that_looks_like_one_is_left_alone(bare, tool: str, value: Any) -> None:
    assert bare.classify(value, tool=tool) is None
