"""What holds for the package as a whole."""

import pathlib
import subprocess
import sys

import mulligan_messaging
import pytest
from mulligan_messaging.arguments import name_of, pointer_to_address, value_of
from mulligan_testkit.readme import assert_example_runs

from mulligan import Pipeline

CLIENTS = (
    "smtplib",
    "imaplib",
    "poplib",
    "aiosmtplib",
    "sendgrid",
    "twilio",
    "resend",
    "postmarker",
    "mailgun",
    "telegram",
)


def test_no_client_is_imported() -> None:
    code = f"import mulligan_messaging, sys; print([name for name in {CLIENTS!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"


def test_it_registers_itself() -> None:
    with Pipeline() as pipeline:
        info = next(info for info in pipeline.plugins if info.name == "messaging")

    assert (info.state, info.distribution) == ("active", "mulligan-messaging")
    assert set(info.hooks) == {"classify", "detect"}


@pytest.mark.parametrize("rule", mulligan_messaging.rules.listed, ids=lambda rule: f"{rule.name}-{rule.classes[:1]}")
def test_every_rule_says_what_it_knows(rule: object) -> None:
    assert rule.name.isidentifier()
    assert rule.about.endswith(".")


TRAPS = [
    "550 5.1.1 No such user",
    "took 550 ms",
    "[AUTHENTICATIONFAILED] x",
    "21211",
    "chat not found",
    "daily_quota_exceeded",
]


@pytest.mark.parametrize("text", TRAPS)
def test_words_alone_never_decide(text: str) -> None:
    with Pipeline(plugins=[mulligan_messaging], autoload=False, strict=True) as pipeline:
        error = pipeline.classify(RuntimeError(text), tool="some_tool")

    assert error is not None
    assert error.provider is None


BOB = "bob@example.net"


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        ({"to": BOB}, "/to"),
        ({"to": "Bob@Example.net"}, "/to"),
        ({"to": ["ann@example.org", BOB]}, "/to/1"),
        ({"to": f"Ann <ann@example.org>, Bob <{BOB}>"}, "/to"),
        ({"body": f"Write to {BOB}.", "cc": f"Bob <{BOB}>"}, "/cc"),
        ({"mail": {"to/cc": [{"email": BOB}]}}, "/mail/to~1cc/0/email"),
        ({"to": "x" + BOB}, None),
        ({"body": f"Write to {BOB}"}, None),
        ({}, None),
        (None, None),
    ],
)
def test_the_argument_with_an_address(arguments: dict[str, object] | None, pointer: str | None) -> None:
    assert pointer_to_address(BOB, arguments) == pointer


@pytest.mark.parametrize(
    ("role", "arguments", "name"),
    [
        ("to", {"to": 1, "recipient": 2}, "to"),
        ("to", {"toNumber": 1}, "toNumber"),
        ("from", {"from_email": 1, "to_email": 2}, "from_email"),
        ("from", {"sender_name": 1, "sender_id": 2}, None),
        ("template_id", {"template_id": 1}, "template_id"),
        ("body", {"subject": 1}, None),
    ],
)
def test_the_argument_for_a_field(role: str, arguments: dict[str, object], name: str | None) -> None:
    assert name_of(role, arguments) == name


@pytest.mark.parametrize(("value", "shown"), [("x", "x"), (3, "3"), (["x"], None), ("", None), ("x" * 201, None)])
def test_only_a_short_value_is_named(value: object, shown: str | None) -> None:
    assert value_of("to", {"to": value}) == shown


def test_the_example_of_the_readme_runs() -> None:
    assert_example_runs(pathlib.Path(__file__).parents[1])
