"""What is in the file after some calls."""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
import stat
import subprocess
import sys
import uuid
from typing import Any, Literal

import pytest
from conftest import only, rows
from mulligan_ledger import Ledger
from mulligan_ledger.records import Recorder
from mulligan_ledger.schema import MIGRATIONS, VERSION

from mulligan import Pipeline, Policy, tool
from mulligan.errors import ToolArgumentError, ToolQuotaError, ToolUnavailableError


def test_a_call_that_succeeds(record, path):
    pipeline, ledger = record()
    pipeline.session("talk").call("read_file", '{"path": "a.txt"}', call_id="c1")
    ledger.close()

    row = only(path, "calls")
    assert (row["name"], row["tool"], row["call_id"], row["step"]) == ("read_file", "read_file", "c1", 1)
    assert (row["arguments"], row["result"], row["is_error"]) == ('{"path": "a.txt"}', "content of a.txt", 0)
    assert (row["attempts"], row["error"], row["feedback"], row["fatal"]) == (1, None, None, 0)
    assert only(path, "sessions")["session_id"] == "talk"


def test_a_call_that_fails_with_all_that_words_it_again(record, path):
    pipeline, ledger = record()
    result = pipeline.session("talk").call("read_file", {"path": "missing.txt"})
    ledger.close()

    row, attempt = only(path, "calls"), only(path, "attempts")
    assert (row["error"], row["code"], row["resource"]) == ("ResourceNotFoundError", "NOT_FOUND", "missing.txt")
    assert row["feedback"] == result.content
    assert (attempt["number"], attempt["exception"]) == (1, "builtins.FileNotFoundError")
    (raised,) = json.loads(attempt["outcome"])["raised"]
    assert raised["fields"]["errno"] == 2
    assert json.loads(only(path, "toolsets")["definitions"]) == [one["hash"] for one in rows(path, "definitions")]


def test_a_definition_is_stored_once(record, path):
    pipeline, ledger = record()
    for at in range(20):
        pipeline.call("read_file", {"path": f"missing-{at}"})
    ledger.close()

    assert sorted(one["name"] for one in rows(path, "definitions")) == ["charge", "read_file"]
    assert len({one["toolset"] for one in rows(path, "calls")}) == 1


def test_a_repair_has_what_was_sent_and_what_ran(record, path):
    pipeline, ledger = record(policy=Policy(repair="all"))
    pipeline.call("read_file", '{"path": "a.txt",}')
    ledger.close()

    assert only(path, "calls")["arguments"] == '{"path": "a.txt",}'
    assert (only(path, "repairs")["kind"], only(path, "repairs")["was_json"]) == ("arguments", 0)


def test_each_attempt_has_a_row(record, path):
    left = [ToolUnavailableError("Busy.", retry_after=0.001)]

    @tool(read_only=True)
    def flaky() -> str:
        """Fails once."""
        if left:
            raise left.pop()
        return "fine"

    pipeline, ledger = record(tools=[flaky])
    pipeline.call("flaky")
    ledger.close()

    assert (only(path, "calls")["attempts"], only(path, "calls")["is_error"]) == (2, 0)
    assert only(path, "attempts")["error"] == "ToolUnavailableError"


def test_the_users_request(record, path):
    pipeline, ledger = record()
    session = pipeline.session()
    session.call("read_file", {"path": "a"})
    session.note_request("Now the other one")
    ledger.close()

    assert (only(path, "requests")["text"], only(path, "requests")["step"]) == ("Now the other one", 1)
    assert only(path, "requests")["session"] == only(path, "calls")["session"]


def test_conversations_without_an_id_are_apart_and_calls_outside_are_none(record, path):
    pipeline, ledger = record()
    for session in (pipeline.session(), pipeline.session()):
        session.call("read_file", {"path": "a"})
    pipeline.call("read_file", {"path": "a"})
    ledger.close()

    assert len({one["session"] for one in rows(path, "calls")}) == 3
    assert [bool(one["conversation"]) for one in rows(path, "sessions")] == [True, True, False]


def test_a_conversation_that_continues_in_another_process_is_one(record, path):
    pipeline, ledger = record()
    session = pipeline.session("talk")
    session.call("read_file", {"path": "a"})
    saved = session.to_dict()
    ledger.close()
    code = (
        "import json, sys; from mulligan import Pipeline, Session; from mulligan_ledger import Ledger; import conftest\n"
        f"p = Pipeline([conftest.read_file], plugins=[Ledger({str(path)!r})], autoload=False)\n"
        "Session.from_dict(p, json.loads(sys.argv[1])).call('read_file', {'path': 'b'})\n"
    )
    subprocess.run([sys.executable, "-c", code, json.dumps(saved)], check=True, cwd=__file__.rpartition("/")[0])

    assert [one["step"] for one in rows(path, "calls")] == [1, 2]
    assert only(path, "sessions")["last_step"] == 2


@pytest.mark.parametrize(
    ("content", "of_success", "of_failure"), [("full", True, True), ("errors", False, True), ("none", False, False)]
)
def test_how_much_content_is_kept(record, path, content, of_success, of_failure):
    pipeline, ledger = record(content=content)
    pipeline.call("read_file", {"path": "a.txt"})
    pipeline.call("read_file", {"path": "missing.txt"})
    ledger.close()

    good, bad = rows(path, "calls")
    assert [good[name] is not None for name in ("arguments", "result")] == [of_success] * 2
    assert [bad[name] is not None for name in ("arguments", "feedback", "message", "resource")] == [of_failure] * 4
    assert (only(path, "attempts")["outcome"] is not None) is of_failure
    assert bad["error"] == "ResourceNotFoundError"
    if not of_failure:
        assert "missing.txt" not in path.read_bytes().decode("latin-1")


def test_equal_arguments_have_equal_keys_which_another_file_does_not_share(tmp_path):
    keys = []
    for name in ("a.db", "b.db"):
        ledger = Ledger(tmp_path / name, content="none")
        with Pipeline([tool(read_only=True)(lookup)], plugins=[ledger], autoload=False) as pipeline:
            pipeline.call("lookup", '{"one": 1, "two": 2}')
            pipeline.call("lookup", '{"two": 2,   "one": 1}')
            pipeline.call("lookup", '{"two": 2, "one": 3}')
        ledger.close()
        keys.append([one["arguments_key"] for one in rows(tmp_path / name, "calls")])

    assert keys[0][0] == keys[0][1] != keys[0][2]
    assert not set(keys[0]) & set(keys[1])


def lookup(one: int, two: int) -> str:
    """Look something up."""
    return "found"


SECRET = "tulip-mania-1637"


def test_no_secret_is_in_the_file(path, monkeypatch):
    monkeypatch.setenv("TULIP_TOKEN", SECRET)

    class Response:
        def __init__(self):
            self.status_code = 403
            self.headers = {"Set-Cookie": f"session={SECRET}", "Authorization": "Basic dXNlcjpwYXNzd29yZDEyMw=="}
            self.text = json.dumps({"message": "no", "password": "hunter2-hunter2", "key": SECRET})

    class ServiceError(Exception):
        def __init__(self):
            super().__init__(f"refused {SECRET}", {"api_key": "sk-live-51HgGq8aBcDeFgHiJkLmNoPq"})
            self.response = Response()

    @tool(secret=["pin"])
    def pay(pin: str, note: str, amount: int = 1) -> str:
        """Pay."""
        if amount > 1:
            raise ServiceError
        return f"paid with {pin} and {SECRET}"

    ledger = Ledger(path)
    with Pipeline([pay], plugins=[ledger], autoload=False, policy=Policy(repair="all")) as pipeline:
        session = pipeline.session()
        session.note_request(f"use {SECRET}")
        session.call("pay", {"pin": "98765432", "note": SECRET})
        session.call("pay", {"pin": "98765432", "note": "x", "amount": 2})
        session.call("pay", '{"pin": "98765432", "note": "x", "amont": 2}')
        session.call("pay", '{"pin": "98765432", "note": ')
        session.call("pey", {"pin": "98765432"})
    ledger.close()

    text = path.read_bytes().decode("latin-1")
    for secret in (SECRET, "98765432", "hunter2-hunter2", "sk-live-51HgGq8aBcDeFgHiJkLmNoPq", "dXNlcjpwYXNzd29yZDEyMw"):
        assert secret not in text
    assert len(rows(path, "calls")) == 5


DIGEST = re.compile(r"\b(?=[0-9]*[a-f])[0-9a-f]{16,}\b")  # a number of three digits is in one of 70 of them


class Declined(Exception):
    """As clients of services raise it: with what was sent, in several places."""

    def __init__(self, card: float) -> None:
        super().__init__("declined", card, [card], {card: "card", "number": card})
        self.request = {"cards": [{"number": card}], "retries": 3}
        self.__cause__ = KeyError(card)


@pytest.mark.parametrize("secret", [48291377, 4029357733706151, 20391.4471, 911])
@pytest.mark.parametrize("form", ["raised", "wrong type", "mulligan's own", "returned", "as another argument"])
def test_a_secret_number_is_not_in_the_file(path, secret, form):
    @tool(secret=["card"])
    def pay(card: float, note: float = 0) -> Any:
        """Pay."""
        if form == "mulligan's own":
            raise ToolArgumentError("declined", arguments={"card": card, "sent": [card]})
        if form == "returned":
            return {"ok": False, "error": "declined", "sent": {"card": card, "all": [card]}}
        raise Declined(secret)

    with Ledger(path) as ledger, Pipeline([pay], plugins=[ledger], autoload=False) as pipeline:
        session = pipeline.session()
        sent = {"card": {"number": secret} if form == "wrong type" else secret}
        assert session.call("pay", sent | ({"note": secret} if form == "as another argument" else {})).is_error

    assert [row["is_error"] for row in rows(path, "calls")] == [1]
    for table in ("calls", "attempts"):
        for row in rows(path, table):
            texts = {name: DIGEST.sub("", text) for name, text in row.items() if isinstance(text, str) and name != "at"}
            assert not [name for name, text in texts.items() if str(secret) in text]


def test_numbers_that_are_no_secret_are_kept(path):
    @tool(secret=["pin"])
    def pay(pin: int, amount: float) -> str:
        """Pay."""
        raise ValueError("declined", 404, amount)

    with Ledger(path) as ledger, Pipeline([pay], plugins=[ledger], autoload=False) as pipeline:
        pipeline.call("pay", {"pin": 48291377, "amount": 17.25})
    (attempt,) = rows(path, "attempts")
    assert json.loads(attempt["outcome"])["raised"][0]["args"] == ["declined", 404, 17.25]


def test_what_is_kept_is_bounded(path):
    @tool
    def echo(text: str) -> str:
        """Echo."""
        return text

    ledger = Ledger(path)
    with Pipeline([echo], plugins=[ledger], autoload=False) as pipeline:
        pipeline.call("echo", {"text": "word " * 100_000})
    ledger.close()

    row = only(path, "calls")
    assert len(row["arguments"]) < 21_000
    assert len(row["result"]) < 4_100
    assert row["result_chars"] == 500_000
    assert "500,000 characters" in row["result"]


def test_the_file_says_what_it_is_and_who_may_read_it(record, path):
    pipeline, ledger = record()
    pipeline.call("read_file", {"path": "a"})
    ledger.close()

    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert not connection.execute("PRAGMA foreign_key_check").fetchall()
    assert [one["name"] for one in rows(path, "migrations")] == [name for name, _ in MIGRATIONS]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    connection.close()


def test_other_tools_read_it_as_it_is(record, path):
    import sqlite_utils

    pipeline, ledger = record()
    pipeline.session("talk").call("read_file", {"path": "missing"})
    ledger.close()

    database = sqlite_utils.Database(path)
    assert {"sessions", "calls", "attempts", "repairs", "requests", "definitions"} <= set(database.table_names())
    (failure,) = database.query("SELECT session_id, error FROM failures")
    assert failure == {"session_id": "talk", "error": "ResourceNotFoundError"}
    assert {key.other_table for key in database["calls"].foreign_keys} == {"sessions", "definitions", "toolsets"}


@pytest.mark.parametrize(
    ("arguments", "options", "told"),
    [
        (("",), {}, "takes the path of a file"),
        ((3,), {}, "takes the path of a file, not 3"),
        (("x.db",), {"content": "some"}, "use one of 'full', 'errors', 'none'"),
        (("x.db",), {"durable": 1}, "use True or False"),
        (("x.db",), {"keep_days": 0}, "keep_days=0): use a number above 0"),
        (("x.db",), {"keep_bytes": "1 GB"}, "use a number above 0, or None"),
        (("no/such/x.db",), {}, "is not a directory; use the path of a file in a directory that exists"),
        ((".",), {}, "is a directory"),
    ],
)
def test_invalid_options_say_what_is_right(arguments, options, told):
    from mulligan.errors import UsageError

    with pytest.raises(UsageError) as caught:
        Ledger(*arguments, **options)

    assert told in str(caught.value)


def nested(depth: int) -> dict:
    value: dict = {"end": 1}
    for _ in range(depth):
        value = {"in": value}
    return value


@pytest.mark.parametrize(
    "sent",
    [10**5_000, {(1, 2): 3}, {None: 1, 2: 3}, float("nan"), {1, 2}, object(), b"\xff", "\ud800", "a\x00b", nested(5_000),
     "[" * 100_000, '{"x": 1' + "0" * 5_000 + "}"],
    ids=lambda sent: f"{type(sent).__name__} {str(type(sent))[:9]}",
)  # fmt: skip
def test_what_no_json_can_hold_is_recorded_without_its_content(path, sent):
    @tool
    def keep(x: Any = None) -> str:
        """Keep it."""
        raise ValueError(sent)

    with Ledger(path) as ledger, Pipeline([keep], plugins=[ledger], autoload=False) as pipeline:
        session = pipeline.session("talk")
        for arguments in ({"x": sent}, sent):
            session.call("keep", arguments)
        ledger.flush()
        assert (ledger.recorded, ledger.lost, pipeline.faults) == (2, 0, ())

    assert [one["is_error"] for one in rows(path, "calls")] == [1, 1]


def test_an_id_that_is_no_text_of_sqlite(path):
    with Ledger(path) as ledger, Pipeline(autoload=False, plugins=[ledger]) as pipeline:
        for id in ("talk \ud800", "a\x00b", uuid.UUID(int=7), 2**80):
            pipeline.session(id).call("nothing", call_id="c \udfff")

    assert [one["session_id"] for one in rows(path, "sessions")][1:] == ["a\x00b", str(uuid.UUID(int=7)), str(2**80)]
    assert ledger.lost == 0


def test_an_event_that_cannot_be_written_is_lost_alone(path, monkeypatch):
    describe = Recorder.call

    def spoil(self, event, at):
        record = describe(self, event, at)
        if "bad" in str(event.sent.arguments):
            record.call["is_error"] = None  # NOT NULL
        return record

    monkeypatch.setattr(Recorder, "call", spoil)
    with Ledger(path) as ledger, Pipeline(autoload=False, plugins=[ledger]) as pipeline:
        for word in ("one", "bad", "two", "bad", "three"):
            pipeline.session("talk").call("say", {"word": word})
        ledger.flush()
        assert (ledger.recorded, ledger.lost) == (3, 2)

    assert len(rows(path, "calls")) == 3
    assert only(path, "processes")["lost"] == 2


def test_what_the_user_wrote_is_bounded(record, path):
    pipeline, ledger = record()
    pipeline.session("talk").note_request("word " * 100_000)
    ledger.close()

    assert len(only(path, "requests")["text"]) < 8_100
    assert only(path, "requests")["text"].endswith("… [500,000 characters]")


class ServiceError(Exception):
    """Carries texts wherever a client library keeps them."""

    def __init__(self, mark):
        super().__init__(mark())
        self.code, self.reason, self.sqlstate = mark(), mark(), mark()
        self.status_code, self.headers = 418, {"x-reason": mark(), "retry-after": mark()}
        self.body = {"error": {"code": mark(), "type": mark(), "message": mark()}}
        self.response = self


def test_without_content_no_text_of_model_tool_or_user_is_in_the_file(path):
    marks = itertools.count()
    mark = lambda: f"zebra {next(marks)} zebra"  # noqa: E731

    @tool(also_called=["peek"])
    def look(path: str, mode: Literal["a", "b"] = "a", lines: int = 1) -> Any:
        """Look."""
        if path.startswith("raise"):
            raise ServiceError(mark)
        if path.startswith("missing"):
            raise FileNotFoundError(2, mark(), mark())
        if path.startswith("own"):
            raise ToolQuotaError(mark(), resource=mark(), user_message=mark())
        return {"error": {"code": mark(), "message": mark()}} if path.startswith("value") else mark()

    ledger = Ledger(path, content="none")
    with Pipeline([look], plugins=[ledger], autoload=False, policy=Policy(repair="all")) as pipeline:
        session = pipeline.session("talk")
        session.note_request(mark())
        for start in ("raise", "missing", "own", "value", "fine"):
            session.call("look", {"path": start + mark()})
        for arguments in (
            {"path": mark(), "mode": mark(), "lines": mark()},
            {mark(): mark()},
            '{"path": "' + mark(),
            '{"path": "' + mark() + '",}',
            mark(),
        ):
            session.call("look", arguments)
        for name in (mark(), f"peek {mark()}", "lok"):
            session.call(name, {"path": mark()})
    ledger.close()

    assert "zebra" not in path.read_bytes().decode("latin-1")
    assert (next(marks) > 30, len(rows(path, "calls"))) == (True, 13)
    assert [one["name"] for one in rows(path, "calls")][-3:] == ["[redacted]", "[redacted]", "lok"]
