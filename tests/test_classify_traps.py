"""Messages that hold words and numbers of failures, and mean none of them: they never decide a class."""

from __future__ import annotations

import pytest

from mulligan import Pipeline
from mulligan.errors import ResourceConflictError, ToolExecutionError

TRAPS = """
took 404 ms
author not found in 4290 lines
port 4040
authored by Ann
processed 500 rows in 401 ms
listening on port 4290
request 429 of 1000 handled
row 404 holds no price
exit after 403 iterations
version 4.0.4 is older than 5.0.3
chunk 503 of 504 has a wrong checksum
the book 'Timeout' was authored by Kim
unauthorized: 3, forbidden: 2, not found: 7
timeout: 30
timeout=30, retries=5
rate limit: 5000
rate limits are described on page 12
the section on rate limits was left out
the quota table has 3 columns
quota: 500 MB
permission denied rate: 3%
denied 4 of 9 loan requests on Monday
access denied events per day: 14
the words "permission denied" occur 12 times
the user asked 'why is access denied?'
found the string `connection refused` in 5 files
a log line said "401 Unauthorized"
title "Error 404: Not Found" is longer than 10 characters allows here
page 404 of the scan is blank
channel 403 has no signal strength
the novel Gone was lent to 410 readers
conflict of interest statement absent from the draft
conflicts: 0
merged 409 branches
locked room mystery has 3 endings
the lock screen picture has 404 pixels
deadlocks seen: 0
duplicated rows dropped: 17
duplicate detection ran for 500 s
the connection between A and B has weight 5
connections: 404
closed 12 issues
reset 3 counters
aborted takeoffs: 2
cancelled flights in May: 429
the cancelled flights table has no header
interrupted time series has 404 points
the network has 503 nodes
network diameter of 4 is odd
disconnected components: 4
the proxy variable explains 40 percent
socket count per board: 2
host galaxy at redshift 4.04
hosted by Ann and Bo
certificate of Ann, page 3
certificates issued: 504
the validation set holds 422 pictures
validation loss went up to 4.22
invalidated 400 cache entries
invalid ballots: 429
an invalid in a wheelchair came on stage
the argument of the play is thin
arguments for and against took 400 words
missing persons: 404
missing values: 12
required reading has 401 pages
the required time was 5 s
credit to Ann for the picture
credits roll for 402 seconds
the balance of the force shifted
balance sheet rows: 402
billing period ends in March
payment terms are 30 days
insufficient evidence for a link
insufficient light at 4 am
the disk of the galaxy is full of stars and dust in 3 bands
full house in 402 seats
no spaces left between the words
free space is 507 light years wide
unavailable colours: 3
available seats: 503
the service was held at noon
service stations along the road: 503
temporarily housed 503 people
overloaded function table has 5 rows
busy hours are 9 to 5
maintenance cost grew by 5.03 percent
the gateway arch is 192 m high
bad gateways to the garden were repaired
token count is 4290
tokens: 429
expired coupons: 401
the password field is drawn in red
passwords are hashed in chapter 4
login page renders in 401 ms
logins per day: 401
keys found under the sofa
key signature is D major
the key was turned twice
users who exceeded expectations: 429
exceeded the speed of sound by 4 percent
slow dance at 4:03
throttle body cleaned at 42900 km
too many cooks spoil the broth
12 players timed out in round 3
too long; didn't read it
the file format was invented in 1987
files: 404
directory of 404 streets
no such thing as a free lunch was said by 3 people
no such luck
No such luck today
there is no such thing
no such thing as luck
we had no such problem before
sorry, no such luck: it rained
no such guarantee was made in 404 days
does not matter
nothing was found odd in 404 samples
existing members already have 3 cards
the tool box is empty
unknown soldiers: 404
unknown pleasures has 10 tracks
""".strip().splitlines()


STATES = ["the door is locked", "Ann is busy on Monday"]  # what an answer says, an exception may complain of


class OddError(Exception):
    """An exception whose name says nothing."""


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


@pytest.mark.exhaustive
@pytest.mark.parametrize("cls", [RuntimeError, ValueError, LookupError, KeyError, OSError, OddError])
@pytest.mark.parametrize("message", TRAPS)
def test_a_message_that_only_sounds_like_a_failure(bare, message, cls):
    error = bare.classify(cls(message))
    assert type(error) is ToolExecutionError, error.rule
    assert error.rule == "host:unclassified"
    assert not error.fatal


@pytest.mark.parametrize("message", STATES)
def test_a_state_that_an_exception_reports_is_a_conflict(bare, message):
    error = bare.classify(OddError(message))
    assert (type(error), error.fatal, error.effect) == (ResourceConflictError, False, "possible")


@pytest.mark.parametrize("message", [*TRAPS, *STATES])
def test_a_value_that_only_sounds_like_a_failure(bare, message):
    for value in (
        message,
        {"note": message},
        {"title": message, "state": "open"},
        [message],
        message.encode(),
    ):
        assert bare.classify(value) is None


@pytest.mark.parametrize("message", [*TRAPS, *STATES])
def test_a_text_that_begins_like_a_report_is_a_failure_of_no_known_kind(bare, message):
    assert type(bare.classify(f"Error: {message}")) is ToolExecutionError


@pytest.mark.parametrize("message", [*TRAPS, *STATES])
def test_a_reported_error_that_only_sounds_like_another(bare, message):
    error = bare.classify({"error": {"message": message}})
    assert type(error) is ToolExecutionError, error.rule


@pytest.mark.parametrize(
    "stored",
    [
        {"code": 10003},
        {"code": 404.5},
        {"code": True},
        {"code": "US"},
        {"code": "40400"},
        {"status": "open"},
        {"status": 200},
        {"status": 0},
        {"status": "4040"},
        {"status_code": "OOM"},
        {"errno": 404},
        {"line": 404},
        {"port": 503},
        {"reason": "because"},
        {"code": 401, "details": {"codeName": "SomethingOdd"}},
        {"response": None},
        {"response": "404"},
    ],
)
def test_a_number_of_its_own_is_no_http_status(bare, stored):
    error = OddError("something odd")
    error.__dict__.update(stored)
    told = bare.classify(error)
    assert (type(told), told.http_status) == (ToolExecutionError, None)


def test_the_number_that_a_program_ends_with_is_no_status(bare):
    assert bare.classify(SystemExit(404)).http_status is None


@pytest.mark.parametrize(
    "text",
    [
        "No closing token found",
        "no matching token found",
        "No LP token found for pool 7",
        "no page token provided",
        "No continuation token given",
        "no default password found",
        "No matching credentials found for query",
        "connection failure",
        "network problems",
    ],
)
def test_a_text_that_only_sounds_like_it_does_not_end_the_run(bare, text):
    assert not bare.classify(ValueError(text)).fatal
