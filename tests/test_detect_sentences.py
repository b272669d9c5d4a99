"""Short texts that a person wrote: which sentences report a failure, by what the tool does; and which do not."""

from __future__ import annotations

import pytest

from mulligan import Pipeline, errors
from mulligan.classify.sentences import clear_sense, sense, sentences

REPORTS: dict[str, tuple[str, str, type[errors.ToolError]]] = {
    # of a tool that does something: what was not done
    "a refusal": ("feed_animal", "The keeper's door must be closed before you can feed the bears.", errors.ToolError),
    "a state": ("reserve_boat", "The eight is on loan until Sunday.", errors.ResourceConflictError),
    "what is left": (
        "order_tiles",
        "Only 4 boxes of grey tiles are left, 9 were requested.",
        errors.ResourceConflictError,
    ),
    "no result": ("open_gate", "No gate was opened: the area is occupied.", errors.ToolError),
    "a limit of an argument": ("set_depth", "Depth must lie between 2 and 40 m.", errors.ToolArgumentError),
    "a wait": ("buy_ticket", "You are in the queue. Come back in about 20 minutes.", errors.ToolUnavailableError),
    "money": ("rent_kayak", "You cannot afford a double kayak, it costs 40 and you have 12.", errors.ToolQuotaError),
    "a person": ("start_dredge", "The dive was stopped by the supervisor.", errors.ToolCancelledError),
    "a code of a device": ("start_kiln", "E07 DOOR OPEN", errors.ToolExecutionError),
    # of a tool that gets something: what hardly ever is an answer
    "a name": ("get_animal", "There is no animal called 'Bongo' in house 4.", errors.ResourceNotFoundError),
    "a question": ("get_metar", "Airfield ZZZX? Never heard of it.", errors.ResourceNotFoundError),
    "an apology": ("get_balance", "Sorry, balances are not shown to guests.", errors.ToolError),
    "rights": ("get_payslip", "You are not allowed to see other people's payslips.", errors.ToolPermissionError),
    "a session": ("get_rota", "Your session has ended, please log in again.", errors.ToolAuthenticationError),
    "an exception": ("get_rota", "KeyError: 'monday'", errors.ToolExecutionError),
    "a status": ("get_rota", "Hmm, the rota service answered 503.", errors.ToolUnavailableError),
    # decoration
    "a heading": ("add_fillet", "# 2 edges failed\n\nThe radius 8 is larger than the edge.", errors.ToolArgumentError),
    "a box": ("apply_plan", "╷\n│ Error: no such workspace\n╵\n", errors.ResourceNotFoundError),
    "a label": ("print_poster", "FAILED: printer reports a paper jam", errors.ToolExecutionError),
    "a label in brackets": ("slice_model", "[ERR] E_PARAM: layer 0.9 exceeds the nozzle", errors.ToolArgumentError),
    # other languages
    "German": ("tisch_reservieren", "Der Tisch 4 ist bereits vergeben.", errors.ResourceConflictError),
    "Italian": ("stato_treno", "Spiacenti, il treno 9999 non esiste.", errors.ResourceNotFoundError),
    "Chinese": ("query_train", "错误:日期格式不正确", errors.ToolArgumentError),
    # runtimes and programs
    "Java": ("quote", "java.lang.IllegalStateException: odd\n\tat a.B.c(B.java:3)\n", errors.ToolError),
    "Rust": ("orbit", "thread 'main' panicked at src/main.rs:1:2:\nodd\n", errors.ToolExecutionError),
    "gRPC": ("stock", "rpc error: code = NotFound desc = no bin K-5", errors.ResourceNotFoundError),
    "PowerShell": (
        "run_powershell",
        "Get-Item : odd\nAt line:1\n    + CategoryInfo          : PermissionDenied: (a:String) [Get-Item]\n",
        errors.ToolPermissionError,
    ),
    "OpenAI Agents, of a tool that writes texts": (
        "summarize_round",
        "An error occurred while running the tool. Please try again. Error: no such file",
        errors.ResourceNotFoundError,
    ),
}
RESULTS: dict[str, tuple[str, str]] = {
    "done, and a rule": ("transfer_money", "Transfer sent. It cannot be reversed."),
    "done, and a remark": ("feed_animal", "Fed Bongo. He did not finish the leaves."),
    "a reminder": ("create_reminder", "Reminder set: renew the expired certificate."),
    "a retry": ("upload_frames", "First attempt timed out, retry succeeded: 38 frames."),
    "what was asked for": ("reject_transfer", "Rejected the transfer, as you asked."),
    "what is over": ("revoke_token", "The token has been revoked and is no longer valid."),
    "already so": ("turn_on_light", "Light is already on."),
    "nothing to do": ("deploy_site", "Nothing to deploy, everything is up to date."),
    "already there": ("ensure_folder", "Folder /a already exists."),
    "a count": ("update_blocklist", "Blocked: 17 callers. Unblocked: 2."),
    "counts": ("get_totals", "unauthorized: 3, not found: 7"),
    "rules of a house": ("get_house_rules", "Children must be accompanied. Dogs are not allowed."),
    "hours": ("get_opening_hours", "The museum is closed on Mondays."),
    "a person who is away": ("get_presence", "Anna is currently unavailable."),
    "an empty search": ("scan_sheet", "No codes found on this page."),
    "a condition": ("lookup_faq", "If your card was declined, try again later."),
    "a game": ("attack", "You miss the goblin."),
    "an oracle": ("magic_8_ball", "Cannot predict now. Try again later."),
    "a made-up page": ("generate_html", "<!doctype html><title>404</title><h1>Page not found</h1>"),
    "a label of a museum": ("get_object_label", "Unknown artist, c. 1640. Not on display."),
    "output of a program": ("bash", "nginx is not running\n"),
}


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


@pytest.mark.parametrize("kind", REPORTS)
def test_a_sentence_that_reports_a_failure(bare, kind):
    tool, text, cls = REPORTS[kind]
    assert isinstance(bare.classify(text, tool=tool), cls)


@pytest.mark.parametrize("kind", RESULTS)
def test_a_sentence_that_is_a_result(bare, kind):
    tool, text = RESULTS[kind]
    assert bare.classify(text, tool=tool) is None


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("It costs 450 gold and you carry 120: you can't afford it", errors.ToolQuotaError),
        ("5 rolls per minute are the maximum", errors.ToolRateLimitError),
        ("Nobody picked up within 45 seconds", errors.ToolTimeoutError),
        ("the device did not report back in time", errors.ToolTimeoutError),
        ("Only the class teacher can change grades", errors.ToolPermissionError),
        ("role 'guest' lacks write access", errors.ToolPermissionError),
        ("socket closed by peer", errors.ToolConnectionError),
        ("it's Black's turn", errors.ResourceConflictError),
        ("Seat F12 has just been sold", errors.ResourceConflictError),
        ("nobody registered a handler called 'open'", errors.ToolNotFoundError),
        ("Aucun compte trouvé, le client est introuvable", errors.ResourceNotFoundError),
        ("余额不足", errors.ToolQuotaError),
    ],
)
def test_what_a_report_says(text, cls):
    assert sense(text).cls is cls


@pytest.mark.parametrize("text", ["The weather in Oslo is fine", "", "x" * 5_000, "conflicts: 0, errors: 3"])
def test_what_says_nothing(text):
    assert sense(text) is None


def test_only_whole_clauses_count_without_a_tool(bare):
    value = {"error": {"message": "missing persons: 404 of 12, says the desk"}}
    assert type(bare.classify(value)) is errors.ToolExecutionError


@pytest.mark.parametrize(
    "text", ["the author is not found in 4290 lines", "an invalid in a wheelchair", "no such luck"]
)
def test_words_of_failures_that_are_not_clear(text):
    assert [clear_sense(one) for one in sentences(text)] == [None]


def test_a_report_that_names_the_tool_as_unknown(bare):
    for value in (
        {"error": "unknown_function", "name": "mint_badge"},
        {"ok": False, "error": "no such action: mint_badge"},
    ):
        assert type(bare.classify(value, tool="mint_badge")) is errors.ToolNotFoundError
        assert type(bare.classify(value, tool="other")) is not errors.ToolNotFoundError
