"""Mail servers, through smtplib and aiosmtplib, against a real mail server on this machine."""

import asyncio
import smtplib
from collections.abc import Callable

import aiosmtplib
import pytest
from conftest import Classify, Lines, Mail
from messaging_servers import MailServer, raised

from mulligan import Pipeline, Tool, ToolCall
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

TEXT = "Subject: Hello\r\n\r\nHello.\r\n"
ANN, BOB = "ann@example.org", "bob@example.net"
Send = Callable[..., object]


def by_smtplib(
    port: int, to: tuple[str, ...] = (BOB,), *, text: str = TEXT, login: bool = False, timeout: float = 5
) -> object:
    with smtplib.SMTP("127.0.0.1", port, local_hostname="localhost", timeout=timeout) as client:
        if login:
            client.login("ann", "wrong")
        return client.sendmail(ANN, list(to), text)


def by_aiosmtplib(
    port: int, to: tuple[str, ...] = (BOB,), *, text: str = TEXT, login: bool = False, timeout: float = 5
) -> object:
    async def send() -> object:
        async with aiosmtplib.SMTP(
            hostname="127.0.0.1", port=port, local_hostname="localhost", timeout=timeout, start_tls=False
        ) as client:
            if login:
                await client.login("ann", "wrong")
            return await client.sendmail(ANN, list(to), text)

    return asyncio.run(send())


both = pytest.mark.parametrize("send", [by_smtplib, by_aiosmtplib])

RECIPIENT = {
    "550 5.1.1 No such user": (ResourceNotFoundError, "none"),
    "550 No such user here": (ResourceNotFoundError, "none"),
    "550 5.1.10 Recipient address has null MX": (ResourceNotFoundError, "none"),
    "553 5.1.3 Bad address syntax": (ToolArgumentError, "none"),
    "553 Mailbox name not allowed": (ToolArgumentError, "none"),
    "550 5.2.1 Mailbox disabled": (ResourceConflictError, "none"),
    "452 4.2.2 Mailbox full": (ResourceConflictError, "none"),
    "552 Mailbox full": (ResourceConflictError, "none"),
    "452 4.5.3 Too many recipients": (ToolArgumentError, "none"),
    "452 Too many recipients": (ToolArgumentError, "none"),
    "550 relay not permitted": (ToolPermissionError, "none"),
    "550 5.7.708 Traffic not accepted from this IP": (ToolPermissionError, "none"),
    "554 5.7.1 Relay access denied": (ToolPermissionError, "none"),
    "550 Relay access denied": (ToolPermissionError, "none"),
    "450 4.7.1 Greylisted, please try again in 300 seconds": (ToolUnavailableError, "none"),
    "450 4.2.0 Greylisted": (ToolUnavailableError, "none"),
    "451 4.3.0 Try again later": (ToolUnavailableError, "none"),
    "450 4.7.28 Mail flood detected": (ToolRateLimitError, "none"),
    "530 5.7.0 Authentication required": (ToolAuthenticationError, "none"),
}


@both
@pytest.mark.parametrize("reply", RECIPIENT)
def test_a_recipient_is_refused(classify: Classify, mail: Mail, send: Send, reply: str) -> None:
    server = mail({BOB: reply})
    error = classify(raised(lambda: send(server.port)), to=BOB)

    cls, effect = RECIPIENT[reply]
    assert (type(error), error.effect, error.provider) == (cls, effect, "smtp")
    assert error.fatal is (cls is ToolAuthenticationError)
    is_about_bob = cls not in (ToolAuthenticationError, ToolRateLimitError) and "Too many" not in reply
    assert error.resource == (BOB if is_about_bob else None)
    assert [problem.pointer for problem in error.problems] == (["/to"] if is_about_bob else [])
    assert server.handler.accepted == []


def test_greylisting_says_when_to_come_back(classify: Classify, mail: Mail) -> None:
    server = mail({BOB: "450 4.7.1 Greylisted, please try again in 300 seconds"})
    error = classify(raised(lambda: by_smtplib(server.port)), to=BOB)

    assert (error.retry_after, error.transient) == (300.0, True)
    assert error.message == "The mail server defers this, and may accept it later (4.7.1)."


def test_a_full_mailbox_may_be_emptied(classify: Classify, mail: Mail) -> None:
    later = classify(raised(lambda: by_smtplib(mail({BOB: "452 4.2.2 Full"}).port)))
    never = classify(raised(lambda: by_smtplib(mail({BOB: "552 5.2.2 Full"}).port)))

    assert (later.transient, never.transient) == (True, False)
    assert later.message == "The mailbox of the recipient is full (4.2.2)."


@both
def test_each_recipient_has_its_problem(classify: Classify, mail: Mail, send: Send) -> None:
    server = mail({ANN: "450 4.2.0 Greylisted", BOB: "550 5.1.1 No such user"})
    arguments = {"recipients": [f"Ann <{ANN}>", BOB], "body": f"Please forward it to {BOB}."}
    error = classify(raised(lambda: send(server.port, (ANN, BOB))), **arguments)

    assert (type(error), error.resource) == (ResourceNotFoundError, BOB)
    assert error.message == f"The mailbox does not exist (5.1.1): {BOB}. The other recipients were refused, too."
    assert [(problem.pointer, problem.message) for problem in error.problems] == [
        ("/recipients/0", "The mail server defers this, and may accept it later (4.2.0)"),
        ("/recipients/1", "The mailbox does not exist (5.1.1)"),
    ]


def test_the_model_reads_which_address_was_refused(mail: Mail) -> None:
    import mulligan_messaging

    server = mail({BOB: "550 5.1.1 No such user"})

    def send_mail(to: list[str], subject: str) -> str:
        by_smtplib(server.port, tuple(to))
        return subject

    with Pipeline([Tool.from_function(send_mail)], plugins=[mulligan_messaging], autoload=False) as pipeline:
        result = pipeline.call(ToolCall("1", "send_mail", {"to": [BOB], "subject": "Hello"}))

    assert f"Resource not found: {BOB}" in result.content
    assert "/to/0: The mailbox does not exist (5.1.1)" in result.content
    assert result.fatal is False


SENDER = {
    "550 5.1.8 Sender domain does not exist": ToolArgumentError,
    "553 5.1.7 Bad sender address": ToolArgumentError,
    "550 Not your address": ToolPermissionError,
    "552 5.3.4 Message too big for system": ToolArgumentError,
    "451 4.3.0 Busy": ToolUnavailableError,
    "530 5.7.0 Must issue a STARTTLS command first": ToolAuthenticationError,
    "550 5.7.23 SPF validation failed": ToolPermissionError,
    "550 5.4.5 Daily user sending limit exceeded": ResourceConflictError,
}


@both
@pytest.mark.parametrize("reply", SENDER)
def test_the_sender_is_refused(classify: Classify, mail: Mail, send: Send, reply: str) -> None:
    server = mail(replies={"MAIL": reply})
    error = classify(raised(lambda: send(server.port)), from_addr=ANN, to=BOB)

    assert (type(error), error.effect) == (SENDER[reply], "none")
    assert error.fatal is (SENDER[reply] is ToolAuthenticationError)
    is_about_ann = not any(word in reply for word in ("STARTTLS", "too big", "limit"))
    assert [problem.pointer for problem in error.problems] == (["/from_addr"] if is_about_ann else [])


def test_a_sender_that_the_call_did_not_name_is_no_problem_of_it(classify: Classify, mail: Mail) -> None:
    server = mail(replies={"MAIL": "550 5.7.1 Not allowed"})
    error = classify(raised(lambda: by_smtplib(server.port)), to=BOB)

    assert (type(error), error.problems, error.resource) == (ToolPermissionError, (), ANN)


MESSAGE = {
    "552 5.3.4 Message too big": (ToolArgumentError, "The message is too large for the mail server (5.3.4)."),
    "550 5.7.1 Looks like spam": (ToolPermissionError, "The mail server refuses this by its policy (5.7.1)"),
    "554 Transaction failed": (ToolExecutionError, "The mail server rejected the message (554)."),
    "550 Message rejected": (ToolPermissionError, "The mail server refuses this by its policy (550)"),
    "451 4.7.0 Try again later": (
        ToolUnavailableError,
        "The mail server defers this, and may accept it later (4.7.0).",
    ),
    "550 5.6.1 Media not supported": (
        ToolArgumentError,
        "The mail server rejected the content of the message (5.6.1).",
    ),
    "421 4.7.0 Too many messages, rate limit exceeded": (
        ToolRateLimitError,
        "The rate limit of the mail server is reached (4.7.0).",
    ),
}


@both
@pytest.mark.parametrize("reply", MESSAGE)
def test_the_message_is_refused(classify: Classify, mail: Mail, send: Send, reply: str) -> None:
    server = mail(replies={"DATA": reply})
    error = classify(raised(lambda: send(server.port)))

    cls, message = MESSAGE[reply]
    assert (type(error), error.effect, error.fatal) == (cls, "none", False)
    assert error.message.startswith(message)
    assert server.handler.accepted == []


@both
def test_a_message_over_the_size_that_the_server_announces(classify: Classify, mail: Mail, send: Send) -> None:
    server = mail(size=1_000)
    error = classify(raised(lambda: send(server.port, text=TEXT + 200 * "0123456789\r\n")))

    assert (type(error), error.effect) == (ToolArgumentError, "none")
    assert error.message == "The message is too large for the mail server (552)."


@both
@pytest.mark.parametrize(
    ("reply", "cls"),
    [
        ("535 5.7.8 Authentication credentials invalid", ToolAuthenticationError),
        ("534 5.7.9 Application-specific password required", ToolAuthenticationError),
        ("550 Nope", ToolAuthenticationError),
        ("504 5.5.4 Unrecognized authentication type", ToolExecutionError),
        ("454 4.7.0 Temporary authentication failure", ToolUnavailableError),
    ],
)
def test_the_login_is_refused(classify: Classify, mail: Mail, send: Send, reply: str, cls: type[ToolError]) -> None:
    server = mail(login=reply)
    error = classify(raised(lambda: send(server.port, login=True)))

    assert (type(error), error.fatal, error.effect) == (cls, cls is ToolAuthenticationError, "none")


@both
def test_a_server_without_a_login(classify: Classify, mail: Mail, send: Send) -> None:
    error = classify(raised(lambda: send(mail().port, login=True)))

    assert (type(error), error.fatal, error.effect) == (ToolExecutionError, False, "none")


@both
@pytest.mark.parametrize(
    ("command", "effect"), [("EHLO", "none"), ("MAIL", "none"), ("RCPT", "none"), ("DATA", "possible")]
)
def test_a_connection_that_ends_may_have_sent_only_what_it_was_given(
    classify: Classify, mail: Mail, send: Send, command: str, effect: str
) -> None:
    error = classify(raised(lambda: send(mail(drop=command).port)))

    assert (type(error), error.effect, error.transient) == (ToolConnectionError, effect, True)
    assert error.message == "The connection to the mail server was dropped mid-request."


@both
@pytest.mark.parametrize(("command", "effect"), [("MAIL", "none"), ("DATA", "possible")])
def test_a_server_that_does_not_answer(classify: Classify, mail: Mail, send: Send, command: str, effect: str) -> None:
    error = classify(raised(lambda: send(mail(hang=command).port, timeout=0.3)))

    assert (type(error), error.effect) == (ToolTimeoutError, effect)
    assert error.message == "The mail server did not respond in time."


def test_without_a_traceback_nothing_is_claimed(classify: Classify) -> None:
    error = classify(smtplib.SMTPServerDisconnected("Connection unexpectedly closed"))

    assert (type(error), error.effect) == (ToolConnectionError, "possible")


def test_a_client_that_is_not_connected(classify: Classify) -> None:
    error = classify(raised(lambda: smtplib.SMTP().noop()))

    assert (type(error), error.effect, error.fatal) == (ToolConnectionError, "none", False)
    assert error.message == "The connection to the mail server is closed."


@both
def test_no_mail_server(classify: Classify, dead: str, send: Send) -> None:
    error = classify(raised(lambda: send(int(dead.rpartition(":")[2]))))

    assert (type(error), error.effect, error.fatal) == (ToolConnectionError, "none", True)


@both
@pytest.mark.parametrize(
    ("greeting", "cls"),
    [
        ("554 No SMTP service here\r\n", ToolExecutionError),
        ("521 Server does not accept mail\r\n", ToolExecutionError),
        ("421 4.3.2 Service shutting down\r\n", ToolUnavailableError),
        ("SSH-2.0-OpenSSH_9.6\r\n", ToolConnectionError),
    ],
)
def test_a_server_that_does_not_want_the_connection(
    classify: Classify, lines: Lines, send: Send, greeting: str, cls: type[ToolError]
) -> None:
    server = lines(greeting, lambda _: "221 Bye\r\n")
    error = classify(raised(lambda: send(server.port)))

    assert (type(error), error.effect) == (cls, "none")


@both
@pytest.mark.parametrize("reply", ["x" * 70_000, "250-" + "x" * 70_000, "oops"])
def test_a_reply_that_cannot_be_read_is_no_refusal(classify: Classify, lines: Lines, send: Send, reply: str) -> None:
    replies = {"data": "354 Go on\r\n", "quit": "221 Bye\r\n", ".": f"{reply}\r\n"} | dict.fromkeys(
        ("ehlo", "mail", "rcpt", "rset"), "250 OK\r\n"
    )
    server = lines("220 Ready\r\n", lambda line: replies.get(line.split(" ")[0].lower(), ""))
    error = classify(raised(lambda: send(server.port)))

    assert (type(error), error.effect) == (ToolConnectionError, "possible")


def send_partly(server: MailServer, send: Send) -> object:
    return send(server.port, (ANN, BOB))


@both
def test_some_recipients_are_refused(classify: Classify, mail: Mail, send: Send) -> None:
    server = mail({BOB: "550 5.1.1 No such user"})
    error = classify(send_partly(server, send), to=f"{ANN}; {BOB}")

    assert (type(error), error.resource, error.effect) == (ResourceNotFoundError, BOB, "done")
    assert error.transient is False
    assert error.message == (
        f"The message was sent to the other recipients; do not send it to them again. Not sent to: {BOB}"
    )
    assert [problem.pointer for problem in error.problems] == ["/to"]
    assert len(server.handler.accepted) == 1


@both
def test_a_message_that_every_recipient_gets_is_a_result(pipeline: Pipeline, mail: Mail, send: Send) -> None:
    assert pipeline.classify(send(mail().port), tool="send_mail") is None


@pytest.mark.parametrize(
    "value",
    [
        {BOB: [550, "5.1.1 No such user"]},
        {BOB: (550, "5.1.1 No such user")},
        {BOB: (250, b"OK")},
        {"bob": (550, b"No such user")},
        ({}, "OK"),
        ({BOB: (550, "No such user")}, "OK"),
    ],
)
def test_a_report_on_refusals_is_a_result(pipeline: Pipeline, value: object) -> None:
    assert pipeline.classify(value, tool="list_bounces") is None


def test_something_that_the_server_does_not_offer(classify: Classify, mail: Mail) -> None:
    port = mail().port

    def secure() -> None:
        with smtplib.SMTP("127.0.0.1", port, local_hostname="localhost") as client:
            client.starttls()

    error = classify(raised(secure))

    assert (type(error), error.message) == (ToolExecutionError, "The mail server does not support this.")


def test_what_no_rule_knows_is_still_an_error_of_the_mail_server(classify: Classify) -> None:
    error = classify(smtplib.SMTPException("Server AUTH mechanism infinite loop. Last response: (334, b'')"))

    assert (type(error), error.provider, error.message) == (ToolExecutionError, "smtp", "The mail client failed.")


def test_a_code_with_an_enhanced_code_of_another_class_counts_alone(classify: Classify) -> None:
    error = classify(smtplib.SMTPDataError(451, b"5.1.1 odd"))

    assert (type(error), error.message) == (ToolUnavailableError, "The mail server cannot accept this now (451).")
