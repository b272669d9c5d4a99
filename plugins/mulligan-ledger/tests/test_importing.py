"""Conversations that other programs logged."""

from __future__ import annotations

import json
import subprocess
import sys
from random import Random

import pytest
from conftest import only, rows
from mulligan_ledger.importing import import_files

from mulligan.cli.app import run
from mulligan.errors import UsageError


def openai(id, name, arguments):
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def tool(id, content):
    return {"role": "tool", "tool_call_id": id, "content": content}


USER = {"role": "user", "content": "What is in the notes?"}
CHAT = [
    USER,
    openai("c1", "read_file", {"path": "nots.txt"}),
    tool("c1", "Error: ENOENT: no such file or directory, open 'nots.txt'"),
    openai("c2", "read_file", {"path": "notes.txt"}),
    tool("c2", "buy tulips"),
    {"role": "assistant", "content": "Buy tulips."},
]
CLAUDE = [
    USER,
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "tulips"}}]},
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "t1",
                "is_error": True,
                "content": [{"type": "text", "text": "HTTP 429 Too Many Requests"}],
            }
        ],
    },
]


@pytest.fixture
def imported(path, tmp_path, capsys, monkeypatch):
    """`imported(text)` gives the exit code and what was written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MULLIGAN_DISABLE_PLUGIN_AUTOLOAD", "1")

    def do(text, *words, name="chat.jsonl"):
        (tmp_path / name).write_text(text if isinstance(text, str) else json.dumps(text), "utf-8")
        code = run(["import", name, "-o", str(path), *words])
        return code, capsys.readouterr()

    return do


def lines(messages, **more):
    return "\n".join(json.dumps({**more, **message}) for message in messages)


FORMS = {
    "lines": lines(CHAT),
    "an array": json.dumps(CHAT, indent=1),
    "an array of arrays": json.dumps([CHAT]),
    "a request": json.dumps({"model": "x", "messages": CHAT}),
    "a field": lines(CHAT, session_id="s1"),
    "requests that repeat what came before": "\n".join(json.dumps({"messages": CHAT[:end]}) for end in (1, 3, 5, 6)),
    "requests and responses": "\n".join(
        json.dumps({"request": {"messages": CHAT[:end]}, "response": {"choices": [{"message": CHAT[end]}]}}) for end in (1, 3)
    ) + "\n" + json.dumps({"messages": CHAT}),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_log_in_each_form(imported, path, form):
    code, told = imported(FORMS[form])

    assert (code, told.err) == (0, "")
    first, second = rows(path, "calls")
    assert (first["error"], first["feedback"]) == ("ResourceNotFoundError", CHAT[2]["content"])
    assert (second["is_error"], second["result"]) == (0, "buy tulips")
    assert [first["step"], second["step"]] == [1, 2]
    assert only(path, "requests")["text"] == USER["content"]
    assert told.out.endswith("1 conversations, 2 calls, 1 failed, 0 without an answer\n")


@pytest.mark.parametrize("words", [("-", "-o", "{path}"), ("-o", "{path}", "-"), ("--out={path}", "chat.jsonl", "-")])
def test_a_log_from_a_pipe(path, tmp_path, words, monkeypatch):
    (tmp_path / "chat.jsonl").write_text("")
    command = [sys.executable, "-m", "mulligan.cli", "import", *(word.format(path=path) for word in words)]
    done = subprocess.run(command, input=lines(CHAT), capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert [row["is_error"] for row in rows(path, "calls")] == [1, 0]


def test_a_closed_stdin_is_said(path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert run(["import", "-", "-o", str(path)]) == 2
    assert capsys.readouterr().err == "mulligan: stdin is closed; pass messages with < FILE or |\n"


def test_a_failure_that_the_log_marks(imported, path):
    imported(json.dumps(CLAUDE))

    row = only(path, "calls")
    assert (row["error"], row["http_status"], row["feedback"]) == (
        "ToolRateLimitError",
        429,
        "HTTP 429 Too Many Requests",
    )


def test_several_conversations_and_what_they_are_called(imported, path):
    imported(lines(CHAT, thread_id="a") + "\n" + lines(CHAT, thread_id="b"))

    assert [one["session_id"] for one in rows(path, "sessions")] == ["a", "b"]
    assert len(rows(path, "calls")) == 4


def test_another_field_may_name_them(imported, path):
    imported(lines(CHAT, talk="a") + "\n" + lines(CHAT, talk="b"), "--session-field", "talk")

    assert [one["session_id"] for one in rows(path, "sessions")] == ["a", "b"]


def test_a_call_without_an_answer_is_counted(imported):
    assert "1 without an answer" in imported(lines(CHAT[:4]))[1].out


def test_what_was_imported_is_reported_and_worded_as_mulligan_would(imported, path, capsys):
    imported(lines(CHAT))

    assert run(["report", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["recovered"] == 1
    assert run(["replay", str(path)]) == 1
    assert "+Error executing tool read_file: Resource not found: nots.txt" in capsys.readouterr().out


def test_an_import_is_added_to_what_is_there(imported, path):
    imported(lines(CHAT))
    imported(json.dumps(CLAUDE))

    assert len(rows(path, "calls")) == 3
    assert {one["source"] for one in rows(path, "processes")} == {"import"}


SPANS = {
    "resourceSpans": [
        {
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "traceId": "t1", "spanId": "1", "name": "execute_tool get_weather",
                            "startTimeUnixNano": "1700000000000000000", "endTimeUnixNano": "1700000001500000000",
                            "attributes": [
                                {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
                                {"key": "gen_ai.tool.name", "value": {"stringValue": "get_weather"}},
                                {"key": "gen_ai.tool.call.id", "value": {"stringValue": "c1"}},
                                {"key": "gen_ai.tool.call.arguments", "value": {"stringValue": '{"city": "Roma"}'}},
                                {"key": "error.type", "value": {"stringValue": "TimeoutError"}},
                            ],
                            "status": {"code": 2, "message": "timed out"},
                        },
                        {
                            "traceId": "t1", "spanId": "2", "name": "execute_tool get_weather",
                            "startTimeUnixNano": "1700000002000000000", "endTimeUnixNano": "1700000002100000000",
                            "attributes": [
                                {"key": "gen_ai.tool.call.arguments", "value": {"stringValue": '{"city": "Roma"}'}},
                                {"key": "gen_ai.tool.call.result", "value": {"stringValue": "sunny"}},
                            ],
                        },
                        {"traceId": "t1", "spanId": "3", "name": "chat gpt", "attributes": []},
                    ]
                }
            ]
        }
    ]
}  # fmt: skip


def test_an_otlp_export(imported, path):
    code, told = imported(SPANS, name="traces.json")

    assert code == 0, told
    first, second = rows(path, "calls")
    assert (first["name"], first["call_id"], first["is_error"], first["duration"]) == ("get_weather", "c1", 1, 1.5)
    assert first["error"] == "ToolTimeoutError"
    assert first["at"] == "2023-11-14T22:13:20.000Z"
    assert (second["result"], second["step"]) == ("sunny", 2)


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("{oops", 2, "chat.jsonl, line 1: not JSON"),
        ('{"role": "user"}\n{oops', 2, "chat.jsonl, line 2: not JSON"),
        ("[]", 1, "no tool calls found; pass messages of a model with their answers"),
        ("[" * 100_000, 2, "chat.jsonl"),
        ("3", 1, "no tool calls found"),
    ],
)
def test_what_is_no_log_is_named(imported, text, code, told):
    found, written = imported(text)

    assert found == code
    assert told in written.err


def test_a_file_that_is_missing_and_a_ledger_that_is_none(imported, path, capsys, tmp_path):
    assert run(["import", "nope.jsonl", "-o", str(path)]) == 2
    assert "cannot read nope.jsonl: No such file or directory" in capsys.readouterr().err
    assert run(["import", "-o", str(path)]) == 2
    path.write_text("something else entirely, and long enough to be read as a header of a file" * 5)
    code, told = imported(lines(CHAT))
    assert code == 2
    assert "file is not a database; choose another file" in told.err


def test_secrets_in_a_log_do_not_reach_the_ledger(imported, path, monkeypatch):
    monkeypatch.setenv("TULIP_TOKEN", "tulip-mania-1637")
    imported(
        lines(
            [
                {"role": "user", "content": "use tulip-mania-1637"},
                openai("c", "get", {"key": "tulip-mania-1637"}),
                tool("c", "Error: 401 for tulip-mania-1637"),
            ]
        )
    )

    assert b"tulip-mania-1637" not in path.read_bytes()
    assert len(rows(path, "calls")) == 1


SPAN = {
    "traceId": "a1",
    "name": "execute_tool search",
    "startTimeUnixNano": "1700000000000000000",
    "endTimeUnixNano": "1700000001000000000",
    "attributes": [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
        {"key": "gen_ai.tool.name", "value": {"stringValue": "search"}},
        {"key": "gen_ai.tool.call.id", "value": {"intValue": "7"}},
        {"key": "more", "value": {"kvlistValue": {"values": [{"key": "a", "value": {"doubleValue": 1.5}}]}}},
    ],
    "events": [{"attributes": [{"key": "exception.message", "value": {"stringValue": "no"}}]}],
    "status": {"code": 2, "message": "bad"},
}
LOGS = [
    CHAT,
    CLAUDE,
    {"resourceSpans": [{"scopeSpans": [{"spans": [SPAN]}]}]},
    {"messages": CHAT, "session_id": "s", "timestamp": 1.7e9},
    {"request": {"messages": CLAUDE}, "response": {"role": "assistant"}, "created_at": "2026-01-01T00:00:00"},
]
ODD = [
    None,
    True,
    0,
    -1,
    1e300,
    float("nan"),
    10**400,
    "",
    "x",
    "\ud800",
    "\x00",
    [],
    {},
    [[]],
    {"a": None},
    "9" * 30,
    1e18,
]


def spoiled(value, random, share):
    """A copy in which some values are others, and some members are missing."""
    if random.random() < share:
        return random.choice(ODD)
    if isinstance(value, dict):
        return {name: spoiled(one, random, share) for name, one in value.items() if random.random() > share / 3}
    return [spoiled(one, random, share) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(12))
def test_odd_logs_are_read_as_far_as_they_make_sense(path, tmp_path, seed):
    random = Random(seed)
    files = []
    for number in range(6):
        values = [spoiled(random.choice(LOGS), random, random.choice((0.02, 0.08, 0.2))) for _ in range(4)]
        lines = [json.dumps(values)] if random.random() < 0.3 else map(json.dumps, values)
        files.append(tmp_path / f"{number}.jsonl")
        files[-1].write_text("\n".join(lines), "utf-8")
    try:
        counts = import_files([str(file) for file in files], str(path))
    except UsageError as error:
        assert "not JSON" in str(error)
        return

    assert len(rows(path, "calls")) == counts.calls if path.exists() else not counts.calls
    assert not path.exists() or [one["lost"] for one in rows(path, "processes")] == [0]


def test_an_import_of_the_past_is_not_slowed_down(imported, path, monkeypatch):
    monkeypatch.setattr("mulligan_ledger.writer.LATE_SECONDS", 3_600)  # the machine may be busy
    monkeypatch.setattr("mulligan_ledger.writer.PAUSE", "no call may be slowed down")
    talks = [{"session_id": f"{at}", "timestamp": 1.6e9, "messages": CHAT} for at in range(30)]
    code, _ = imported("\n".join(map(json.dumps, talks)))

    assert (code, len(rows(path, "calls"))) == (0, 60)
