"""Mappings and objects that follow no documented shape: read by the roles of their members and by what the tool does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import attrs
import pytest

from mulligan import Pipeline, errors


@dataclass
class Lift:
    name: str
    accepted: bool
    eta: int | None = None
    why: str = ""


@attrs.define
class Pass:
    satellite: str
    status: str
    frames: int = 0
    fault: str | None = None


class Vote(NamedTuple):
    stored: bool
    note: str


REPORTS: dict[str, tuple[str, Any, type[errors.ToolError]]] = {
    # a flag about the request, and a reason
    "the tool's verb": ("open_lift", {"opened": False, "cause": "wind"}, errors.ToolExecutionError),
    "an irregular verb": ("send_fax", {"sent": False, "line": "busy", "reply": "550 User unknown"}, errors.ToolError),
    "accepted": ("garage", {"accepted": False, "why": "door is moving; stop it first"}, errors.ResourceConflictError),
    "a flag as a text": ("pay_bill", {"success": "false", "reason": "too many requests"}, errors.ToolRateLimitError),
    "a flag as a number": ("pay_bill", {"success": 0, "message": "Card expired"}, errors.ToolError),
    "found": ("locate_van", {"found": False, "van": "K-1", "position": None}, errors.ResourceNotFoundError),
    "a flag of an error": ("buscar_cep", {"erro": True}, errors.ToolExecutionError),
    "Spanish": ("transferir", {"exito": False, "mensaje": "Saldo insuficiente"}, errors.ToolQuotaError),
    "a task that a person ended": (
        "fly",
        {"done": False, "note": "stopped by the operator"},
        errors.ToolCancelledError,
    ),
    # a status, a code, an error
    "a status": ("unlock", {"state": "refused", "detail": "Children may not unlock it"}, errors.ToolPermissionError),
    "a code": ("get_quote", {"cod": "404", "message": "city not found"}, errors.ResourceNotFoundError),
    "a negative code": ("place_order", {"code": -1121, "msg": "Invalid symbol."}, errors.ToolArgumentError),
    "a named code": ("identify", {"label": None, "error_code": "TOO_MANY_REQUESTS"}, errors.ToolRateLimitError),
    "an error beside an empty result": ("render", {"file": None, "failure": "disk full"}, errors.ToolQuotaError),
    "a null result with a reason": (
        "get_log",
        {"result": None, "info": "Rate limited, slow down"},
        errors.ToolRateLimitError,
    ),
    # envelopes around it
    "data": ("search", {"data": {"error": {"detail": "index is corrupted"}}, "took": 3}, errors.ToolExecutionError),
    "result": ("sell", {"result": {"status": "rejected", "message": "already sold"}}, errors.ResourceConflictError),
    "lists": ("submit", {"json": {"errors": [["RATELIMIT", "Take a break."]]}}, errors.ToolRateLimitError),
    "a fault": ("search", {"fault": {"faultstring": "Rate limit exceeded"}}, errors.ToolRateLimitError),
    # validation
    "fields": ("create_issue", {"errors": {"kind": "The kind is invalid."}}, errors.ToolArgumentError),
    "messages": ("get_issue", {"errorMessages": ["Issue does not exist."], "errors": {}}, errors.ResourceNotFoundError),
    "a list a field": ("hire_van", {"pickup": ["must be before the return"]}, errors.ToolArgumentError),
    "errors of a service": ("get_task", {"errors": [{"message": "Not a recognized ID: 12"}]}, errors.ToolArgumentError),
    "a message alone": ("get_state", {"message": "Entity not found."}, errors.ResourceNotFoundError),
    # exceptions as mappings
    "Node's errno": ("load", {"errno": -2, "code": "ENOENT", "syscall": "open"}, errors.ResourceNotFoundError),
    "Node's error": (
        "fetch",
        {"name": "TypeError", "message": "fetch failed", "cause": {}},
        errors.ToolConnectionError,
    ),
    # programs
    "out of memory": ("run_container", {"ExitCode": 137, "OOMKilled": True, "Logs": ""}, errors.ToolQuotaError),
    "killed": ("bash", {"stdout": "", "killed": True, "reason": "exceeded 60s limit"}, errors.ToolTimeoutError),
    "a traceback beside output": (
        "run_script",
        {"stdout": "1", "stderr": "Traceback (most recent call last):\nZeroDivisionError: odd\n", "returncode": 1},
        errors.ToolExecutionError,
    ),
    # objects, pairs, lists
    "a dataclass": ("call_lift", Lift("B", accepted=False, why="in inspection mode"), errors.ToolExecutionError),
    "attrs": ("take_picture", Pass("N19", "ok", fault="tip pick-up failed"), errors.ToolExecutionError),
    "a named tuple": (
        "store_vote",
        Vote(stored=False, note="This vote has already been cast."),
        errors.ResourceConflictError,
    ),
    "a pair with a flag": ("add_song", (False, "Playlist 'x' is not in your library"), errors.ResourceNotFoundError),
    "a pair with a status": ("best_move", ("FAILED", "the engine did not answer in time"), errors.ToolTimeoutError),
    "a list with a status": ("get_table", ["error", "too many requests", {"retry_in": 12}], errors.ToolRateLimitError),
    "lines": ("export_track", ["Could not save it", "ENOSPC: no space left on device"], errors.ToolQuotaError),
    "XML": (
        "crm",
        "<response><status>error</status><message>Invalid number</message></response>",
        errors.ToolArgumentError,
    ),
    # a verdict that could not be given
    "a broken verdict": (
        "score",
        {"success": False, "message": "Something went wrong here"},
        errors.ToolExecutionError,
    ),
}
RESULTS: dict[str, tuple[str, Any]] = {
    "a state of a task": ("create_todo", {"title": "milk", "done": False, "note": "2 litres"}),
    "an order": ("create_order", {"order": 1, "paid": False, "shipped": False, "comment": "waiting for payment"}),
    "a run that began": ("start_job", {"job": "j", "state": "running", "finished": False, "message": "3 of 10"}),
    "what was made": ("create_ticket", {"id": 12, "status": "open", "title": "x", "error": "card declined"}),
    "what was asked for": ("cancel_order", {"status": "cancelled", "message": "Order cancelled."}),
    "what was asked for, of another verb": ("reject_request", {"status": "rejected", "reason": "too expensive"}),
    "no change": ("sync_contacts", {"updated": False, "message": "Nothing changed"}),
    "already there": ("ensure_folder", {"created": False, "message": "folder exists already"}),
    "a verdict": ("check_permission", {"allowed": False, "reason": "role viewer may not write"}),
    "a verdict of an object": ("check_lift", Lift("B", accepted=False, why="not inspected")),
    "a check whose good answer is no": ("check_breaches", {"found": False, "breaches": []}),
    "a comparison": ("compare_faces", {"matched": False, "distance": 0.8}),
    "a flight": ("get_flight", {"flight": "LH 1", "status": "CANCELLED", "reason": "strike"}),
    "on its way": ("ship_order", {"status": "out_for_delivery", "message": "On its way"}),
    "colours": ("get_theme", {"error": "#ff0000", "ok": "#00ff00"}),
    "a geological fault": ("nearest_fault", {"fault": "San Andreas", "depth_km": 8}),
    "settings": ("get_config", {"retries": 3, "on_error": "abort", "fail_fast": False}),
    "a last error": ("create_hook", {"id": 4, "active": True, "last_error": "timeout"}),
    "headlines": ("get_headlines", ["Bank fails to open", "Talks aborted"]),
    "a pair of data": ("most_common_status", ("failed", 12)),
    "a cursor": ("next_page", (None, "cursor_88")),
    "a table of codes": ("list_error_codes", [{"errorCode": "E12", "message": "Paper jam"}]),
    "a vote": ("store_vote", Vote(stored=True, note="no further votes are possible")),
}


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


@pytest.mark.parametrize("kind", REPORTS)
def test_a_value_that_reports_a_failure(bare, kind):
    tool, value, cls = REPORTS[kind]
    assert isinstance(bare.classify(value, tool=tool), cls)


@pytest.mark.parametrize("kind", RESULTS)
def test_a_value_that_is_a_result(bare, kind):
    tool, value = RESULTS[kind]
    assert bare.classify(value, tool=tool) is None


def test_the_field_that_a_form_rejects(bare):
    error = bare.classify({"errors": {"email": "is not valid"}}, tool="create_user")
    assert [problem.pointer for problem in error.problems] == ["/email"]


def test_what_the_model_reads_of_a_reason_in_a_member_of_any_name(run, make_pipeline):
    from mulligan import Tool

    tool = Tool.from_function(lambda: {"sent": False, "smtp": "550 User unknown"}, name="send_mail")
    assert "550 User unknown" in run(make_pipeline(tool), "send_mail").content
