"""Mailboxes, through imaplib and poplib, against small servers on this machine."""

import imaplib
import poplib
from collections.abc import Callable, Iterator

import pytest
from conftest import Classify, Lines
from messaging_servers import imap_answers, pop_answers, raised

from mulligan import Pipeline
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolUnavailableError,
)

HELLO = "* OK IMAP4rev1 ready\r\n"
Replies = dict[str, str | None]


Imap = Callable[..., imaplib.IMAP4]
Pop = Callable[[Replies], poplib.POP3]


@pytest.fixture
def imap(lines: Lines) -> Iterator[Imap]:
    """`imap(replies, greeting)`: a client that is connected to such a server."""
    clients: list[imaplib.IMAP4] = []

    def connect(replies: Replies, greeting: str = HELLO) -> imaplib.IMAP4:
        clients.append(imaplib.IMAP4("127.0.0.1", lines(greeting, imap_answers(replies)).port, timeout=5))
        return clients[-1]

    yield connect
    for client in clients:
        client.shutdown()


@pytest.fixture
def pop(lines: Lines) -> Iterator[Pop]:
    """`pop(replies)`: a client that is connected to such a server."""
    clients: list[poplib.POP3] = []

    def connect(replies: Replies) -> poplib.POP3:
        clients.append(poplib.POP3("127.0.0.1", lines("+OK ready\r\n", pop_answers(replies)).port, timeout=5))
        return clients[-1]

    yield connect
    for client in clients:
        client.close()


def select(port: int, mailbox: str) -> object:
    with imaplib.IMAP4("127.0.0.1", port, timeout=5) as client:
        client.login("ann", "right")
        return client.select(mailbox)


def logged_in(imap: Imap, replies: Replies) -> imaplib.IMAP4:
    client = imap(replies)
    client.login("ann", "right")
    return client


@pytest.mark.parametrize(
    ("reply", "cls"),
    [
        ("NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)", ToolAuthenticationError),
        ("NO [EXPIRED] That password expired.", ToolAuthenticationError),
        ("NO [PRIVACYREQUIRED] Connection offers no privacy.", ToolAuthenticationError),
        ("NO LOGIN failed.", ToolAuthenticationError),
        ("NO [AUTHORIZATIONFAILED] No such authorization-ID.", ToolPermissionError),
        ("NO [CONTACTADMIN] Account locked.", ToolPermissionError),
        ("NO [UNAVAILABLE] User's backend down for maintenance.", ToolUnavailableError),
        ("NO [ALERT] Rate limit exceeded.", ToolRateLimitError),
        ("BAD Could not parse command", ToolArgumentError),
    ],
)
def test_the_login_is_refused(classify: Classify, imap: Imap, reply: str, cls: type[ToolError]) -> None:
    client = imap({"LOGIN": reply})
    error = classify(raised(lambda: client.login("ann", "wrong")))

    assert (type(error), error.provider) == (cls, "imap")
    assert error.fatal is (cls in (ToolAuthenticationError, ToolPermissionError))


@pytest.mark.parametrize(
    ("reply", "cls", "fatal"),
    [
        ("NO [NONEXISTENT] Unknown Mailbox: Nope (Failure)", ResourceNotFoundError, False),
        ("NO Mailbox doesn't exist: Nope", ResourceNotFoundError, False),
        ("NO [NOPERM] Access denied.", ToolPermissionError, False),
        ("NO [INUSE] Mailbox in use.", ResourceConflictError, False),
        ("NO [CANNOT] Invalid mailbox name.", ToolArgumentError, False),
        ("NO [OVERQUOTA] Sorry.", ToolQuotaError, True),
        ("NO [LIMIT] At most 32 flags.", ResourceConflictError, False),
        ("NO [SERVERBUG] This should not happen.", ToolExecutionError, False),
        ("NO [UNAVAILABLE] Try later.", ToolUnavailableError, False),
        ("NO Computer says no.", ToolExecutionError, False),
    ],
)
def test_a_no_that_imaplib_returns(
    classify: Classify, imap: Imap, reply: str, cls: type[ToolError], fatal: bool
) -> None:
    value = logged_in(imap, {"SELECT": reply}).select("Nope")
    error = classify(value, folder="Nope")

    assert (type(error), error.fatal, error.provider) == (cls, fatal, "imap")
    expected = "Nope" if cls in (ResourceNotFoundError, ResourceConflictError, ToolPermissionError) else None
    assert error.resource == expected


def test_a_missing_mailbox_is_a_problem_of_its_argument(classify: Classify, imap: Imap) -> None:
    client = logged_in(imap, {"COPY": "NO [TRYCREATE] No such mailbox."})
    client.select()
    value = client.copy("1", "Nope")
    error = classify(value, message_id=1, mailbox="Nope")

    assert (type(error), error.message) == (ResourceNotFoundError, "Resource not found: Nope")
    assert [problem.pointer for problem in error.problems] == ["/mailbox"]


@pytest.mark.parametrize(
    "value", [("OK", [b"3"]), ["NO", ["a"]], ("NO", "a"), ("NO", []), ("NO", ["a"]), ("BYE", [b"x"])]
)
def test_other_pairs_are_results(pipeline: Pipeline, value: object) -> None:
    assert pipeline.classify(value, tool="ask") is None


def test_a_bad_command(classify: Classify, imap: Imap) -> None:
    client = logged_in(imap, {"SEARCH": "BAD Could not parse command"})
    client.select()
    error = classify(raised(lambda: client.search(None, "FRMO", "ann")))

    assert (type(error), error.message) == (ToolArgumentError, "The IMAP server rejected the arguments.")


def test_no_mailbox_is_selected(classify: Classify, imap: Imap) -> None:
    error = classify(raised(lambda: logged_in(imap, {}).fetch("1", "(FLAGS)")))

    assert (type(error), error.effect) == (ResourceConflictError, "none")
    assert error.message == "The connection has no mailbox selected, or no login."


def test_a_mailbox_that_can_only_be_read(classify: Classify, imap: Imap) -> None:
    client = logged_in(imap, {"SELECT": "OK [READ-ONLY] Done."})

    def select() -> object:
        client.untagged_responses["READ-ONLY"] = [b""]  # as servers send it in a line of its own
        return client.select("Archive")

    error = classify(raised(select), mailbox="Archive")

    assert (type(error), error.fatal, error.resource) == (ToolPermissionError, False, "Archive")


def test_a_connection_that_ends(classify: Classify, imap: Imap) -> None:
    client = logged_in(imap, {"APPEND": None, "NOOP": None})
    error = classify(raised(client.noop))

    assert (type(error), error.effect, error.transient) == (ToolConnectionError, "possible", True)


def test_a_server_that_says_goodbye_and_why(classify: Classify, imap: Imap) -> None:
    error = classify(raised(lambda: imap({}, "* BYE [UNAVAILABLE] Down for maintenance\r\n")))

    assert type(error) is ToolUnavailableError


def test_a_server_without_tls(classify: Classify, imap: Imap) -> None:
    error = classify(raised(imap({}).starttls))

    assert (type(error), error.message) == (ToolExecutionError, "The IMAP server does not support this.")


@pytest.mark.parametrize(
    ("reply", "cls"),
    [
        ("-ERR [AUTH] Invalid login", ToolAuthenticationError),
        ("-ERR Sorry, no", ToolAuthenticationError),
        ("-ERR [IN-USE] Do you have another POP session running?", ResourceConflictError),
        ("-ERR [LOGIN-DELAY] minimum time between mail checks violation", ToolRateLimitError),
        ("-ERR [SYS/TEMP] Try later", ToolUnavailableError),
        ("-ERR [SYS/PERM] Mailbox is corrupt", ToolExecutionError),
    ],
)
def test_a_pop_login_is_refused(classify: Classify, pop: Pop, reply: str, cls: type[ToolError]) -> None:
    client = pop({"PASS": reply})
    client.user("ann")
    error = classify(raised(lambda: client.pass_("wrong")))

    assert (type(error), error.provider, error.fatal) == (cls, "pop", cls is ToolAuthenticationError)


@pytest.mark.parametrize("command", ["retr", "dele"])
def test_a_pop_message_that_does_not_exist(classify: Classify, pop: Pop, command: str) -> None:
    client = pop({"RETR": "-ERR no such message", "DELE": "-ERR no such message"})
    call: Callable[[int], object] = getattr(client, command)
    error = classify(raised(lambda: call(9)), message_number=9)

    assert (type(error), error.resource) == (ResourceNotFoundError, "9")
    assert [problem.pointer for problem in error.problems] == ["/message_number"]


def test_a_pop_connection_that_ends(classify: Classify, pop: Pop) -> None:
    error = classify(raised(pop({"STAT": None}).stat))

    assert (type(error), error.effect, error.transient) == (ToolConnectionError, "possible", True)


def test_another_pop_refusal(classify: Classify, pop: Pop) -> None:
    error = classify(raised(pop({"STAT": "-ERR hm"}).stat))

    assert (type(error), error.message) == (ToolExecutionError, "The POP3 command failed.")
