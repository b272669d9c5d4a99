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
