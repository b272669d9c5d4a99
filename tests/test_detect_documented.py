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
