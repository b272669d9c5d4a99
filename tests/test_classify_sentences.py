"""Exceptions that complain in a sentence of no known clause: what they mean, and what such a reading may not claim."""

from __future__ import annotations

import pytest

from mulligan import Pipeline, Tool, errors

COMPLAINTS: dict[type[errors.ToolError], str] = {
    errors.ToolPermissionError: """Guests have no rights to see the salary column.
Only the duty manager may open the till.
Write access to the ledger was not granted.
Moving files outside the project folder is disallowed by the administrator.
This drawer belongs to another department.""",
    errors.ToolAuthenticationError: """This PIN code is no longer valid.
Please sign in again before you order.
Run `ferry login` first, there is no active account.
fatal: could not read Password for 'https://depot.example'
fatal: could not read Username for 'https://depot.example'
You have to re-authenticate before the next export.""",
    errors.ToolQuotaError: """Your trial has ended, pick a plan to go on.
The team has used up all its seats for this year.
You cannot afford the blue sofa.
The printer is out of paper.""",
    errors.ToolRateLimitError: """You are asking too fast.
At most 3 exports per hour, please.
Wait 20 seconds before the next booking.""",
    errors.ToolUnavailableError: """The scanner is restarting.
Our booking engine is not ready, come back in a few minutes.
Server is in maintenance mode until 14:00 UTC
No leader: an election is in progress.
The catalogue is being re-indexed.""",
    errors.ToolTimeoutError: """The oven did not answer within 30 seconds.
Gave up after 45 s: the lift has not arrived.
The report took longer than the allowed 2 minutes.""",
    errors.ToolConnectionError: """Lost the connection to the lighthouse.
The modem hung up: line dropped by peer.
MySQL server has gone away
('Connection aborted.', RemoteDisconnected('Remote end closed connection without response'))
('Connection broken: IncompleteRead(12 bytes read)', IncompleteRead(12 bytes read))""",
    errors.ResourceNotFoundError: """There is no berth numbered 17 in this harbour.
No guest called Ada is on file.
That recipe was removed last week.
Never heard of a street named Elm.""",
    errors.ResourceConflictError: """The parcel has already been handed over.
Berth 4 is occupied until Sunday.
Somebody else is editing this chapter.
The pump cannot be removed while it is running.
Only draft invoices can be deleted.
Your copy is out of date, the page was changed in the meantime.
Another import for this shop is running already.
No suspended member to reinstate.
No running pump to stop: pump 7 was stopped at noon.
You cannot reopen a locked ledger.
Only lanes that have a free gate can be booked.
Only voyages in state PLANNED can be cancelled.
[Errno 11] Could not lock the mailbox: Resource temporarily unavailable
[Errno 11] Resource temporarily unavailable, the port is held by session 7""",
    errors.ToolCancelledError: """The nightly export was cancelled.
A task was canceled.
Request 123 was cancelled.
Task 42 was canceled
your request has been cancelled by the client
The call was cancelled by the user. Set a timeout of 30 seconds.""",
    errors.ToolArgumentError: """Depth must lie between 2 and 40 metres.
I can't read this as a date: "next blue moon"
The end cannot be before the start.
Please provide either a name or a number.
size and weight are mutually exclusive
Only whole numbers are accepted.
Unterminated string in line 3""",
}


class OddError(Exception):
    """An exception whose name says nothing."""


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("cls", "text"), [(cls, one) for cls, listed in COMPLAINTS.items() for one in listed.splitlines()]
)
def test_what_a_sentence_complains_of(bare, cls, text):
    assert type(bare.classify(OddError(text))) is cls
    assert type(bare.classify(RuntimeError(f"Error: {text}"))) is cls


FACTS = """process 1234 was terminated by signal 9
connection to 10.0.0.1 port 443 was closed
No pending messages to read
Value is 5 or over
Cannot create an active user without a password
cannot move an open amount of 500 to yourself
No active route to host
The expired coupons table has 4 rows, its index is broken
assertion: timeout_count equals 0
the 'access denied' sign casts a shadow
3 permission tables were rebuilt, the last one differs
the required reading list of the closed course
the busy beaver halts
12 counters expired in round 3
a conflict of interest form
the unavailable colours are listed below
unknown pleasures, side two
a private function of the authentication module crashed
the word of the day: overloaded
missing persons bureau, room 404
the novel about locked rooms
segment 4 of the limited edition
list.remove(x): x not in list
Checksum crc32 failed, expected checksum aa did not match calculated checksum bb
the truth value of an array is ambiguous""".splitlines()


@pytest.mark.parametrize("text", FACTS)
def test_a_fact_with_words_of_a_complaint_says_nothing(bare, text):
    assert type(bare.classify(OddError(text))) is errors.ToolExecutionError


@pytest.mark.parametrize(
    ("code", "cls"),
    [
        ("invalid_auth", errors.ToolAuthenticationError),
        ("channel_not_found", errors.ResourceNotFoundError),
        ("rate_limited", errors.ToolRateLimitError),
        ("not_allowed", errors.ToolPermissionError),
        ("purple_monkey", errors.ToolExecutionError),
    ],
)
def test_a_code_in_lower_case_is_read_like_any_other(bare, code, cls):
    assert type(bare.classify(OddError(code))) is cls


def call_failing(text: str, name: str) -> errors.ToolError:
    def handler(account: str) -> str:
        raise OddError(text)

    with Pipeline([Tool.from_function(handler, name=name)], autoload=False) as pipeline:
        error = pipeline.call(name, {"account": "ACME"}).error
    assert error is not None
    return error


@pytest.mark.parametrize(
    "text", ["No receipt for account 'ACME' was found by the printer.", "The ledger is locked until Monday."]
)
def test_a_sentence_does_not_say_that_nothing_happened(text):
    error = call_failing(text, "send_payment")
    assert type(error) is not errors.ToolExecutionError
    assert error.effect == "possible"


@pytest.mark.parametrize(
    "text",
    [
        "Guests have no rights to see the salary column.",
        "There is no active account.",
        "could not reach the required accuracy",
        "lost the link between chapter 2 and 3",
        "not enough memory cells in the layout",
        "this operation is not allowed on a frozen set",
        "the key signature is wrong in bar 4",
        "missing password column in the table",
        "request blocked by the firewall rule of the fixture",
    ],
)
def test_a_sentence_ends_no_run(text):
    assert not call_failing(text, "get_salary").fatal


@pytest.mark.parametrize("text", ["Permission denied.", "You must be root.", "Your token has expired."])
def test_a_known_clause_does(text):
    assert call_failing(text, "get_salary").fatal


def test_something_is_missing_or_may_not_be_seen(bare):
    error = bare.classify(OddError("Issue does not exist or you do not have permission to see it."))
    assert (type(error), error.fatal) == (errors.ResourceNotFoundError, False)


def test_a_text_that_is_not_found_is_no_missing_resource(bare):
    error = bare.classify(OddError("text not found in page"), arguments={"path": "menu.yml"})
    assert (type(error), error.code) == (errors.ToolExecutionError, "INTERNAL")
