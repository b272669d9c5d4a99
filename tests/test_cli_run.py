"""`mulligan run`: a conversation in a file, its tool calls executed."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import sys
import threading

import pytest

from mulligan.cli import main

TOOLS = '''
from mulligan import tool

RUNS = []


class KeyExpired(Exception):
    status_code = 401


@tool
def add(a: int, b: int) -> int:
    """Add."""
    RUNS.append((a, b))
    return a + b


@tool
def pay() -> str:
    """Pay."""
    raise KeyExpired("expired")
'''


def openai(*calls):
    """An assistant message in OpenAI's shape: (id, name, arguments)."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls],
    }


def anthropic(*calls):
    """An assistant message in Anthropic's shape."""
    blocks = [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in calls]
    return {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, *blocks]}


def lines(*messages):
    return "".join(json.dumps(message) + "\n" for message in messages)


@pytest.fixture(autouse=True)
def house(tmp_path, monkeypatch):
    """A folder with tools; what importing them changes is put back."""
    (tmp_path / "sums.py").write_text(TOOLS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.delenv("MULLIGAN_LOG", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    yield tmp_path
    sys.modules.pop("sums", None)


@pytest.fixture
def run(house, capsys):
    """Runs a conversation; gives exit code, the messages written, and stderr."""

    def run(text, *words, file="chat.jsonl"):
        (house / "chat.jsonl").write_bytes(text if isinstance(text, bytes) else text.encode())
        code = main(["run", file, "--tools", "sums", "--log", "off", *words])
        out, err = capsys.readouterr()
        return code, [json.loads(line) for line in out.splitlines()], err

    return run


USER = {"role": "user", "content": "Add 1 and 2."}


def test_tool_messages_follow_the_message_that_calls(run):
    said = openai(("c1", "add", '{"a": 1, "b": 2}'), ("c2", "add", '{"a": 3, "b": 4}'))
    code, written, err = run(lines(USER, said, {"role": "assistant", "content": "3 and 7."}))
    assert code == 0
    assert written == [
        USER,
        said,
        {"role": "tool", "tool_call_id": "c1", "content": "3"},
        {"role": "tool", "tool_call_id": "c2", "content": "7"},
        {"role": "assistant", "content": "3 and 7."},
    ]
    assert err == "3 messages, 2 calls: 2 ok, 0 failed, 0 repaired\n"


def test_anthropics_shape_is_recognised(run):
    said = anthropic(("t1", "add", {"a": 1, "b": 2}))
    code, written, _ = run(lines(USER, said))
    assert code == 0
    assert written[2] == {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "3"}]}


def test_a_chat_completion_is_answered_too(run):
    reply = {"choices": [{"message": openai(("c1", "add", '{"a": 1, "b": 2}'))}]}
    assert run(lines(reply))[1] == [reply, {"role": "tool", "tool_call_id": "c1", "content": "3"}]


def test_a_call_in_a_shape_that_nobody_knows_is_told_with_its_line(run):
    said = {"role": "assistant", "tool_calls": [{"name": "add", "args": {"a": 1, "b": 2}, "id": "c1"}]}
    code, _, err = run(lines(USER, said))
    assert code == 2
    assert err.splitlines()[-1] == (
        "mulligan: chat.jsonl, line 2: this message contains a call that openai does not know: tool_calls[0] has 'name' and "
        "'args' next to its id, not in a 'function'. For LangChain messages, use mulligan-langchain."
    )


def test_a_call_that_the_file_answers_is_not_made_again(run):
    said = openai(("c1", "add", '{"a": 1, "b": 2}'))
    old = {"role": "tool", "tool_call_id": "c1", "content": "an old answer"}
    foreign = {"role": "tool", "tool_call_id": "c9", "content": "of another call"}
    code, written, err = run(lines(USER, said, old, foreign))
    assert (code, written) == (0, [USER, said, old, foreign])
    assert err.splitlines() == [
        "4 messages, 0 calls: 0 ok, 0 failed, 0 repaired",
        "The file already answers every call.",
    ]


def test_of_several_calls_only_the_open_ones_are_made(run):
    said = openai(("c1", "add", '{"a": 1, "b": 2}'), ("c2", "add", '{"a": 2, "b": 2}'))
    later = openai(("c1", "add", '{"a": 3, "b": 3}'))
    old = {"role": "tool", "tool_call_id": "c1", "content": "an old answer"}
    _, written, err = run(lines(said, USER, old, later))
    assert [message.get("content") for message in written if message.get("role") == "tool"] == [
        "4",
        "an old answer",
        "6",
    ]
    assert err.startswith("4 messages, 2 calls: 2 ok, 0 failed")


def test_results_inside_a_message_of_the_user_are_answers_too(run):
    said = anthropic(("t1", "add", {"a": 1, "b": 2}))
    old = {"type": "tool_result", "tool_use_id": "t1", "content": "old"}
    text = {"type": "text", "text": "Go on."}
    conversation = [said, {"role": "user", "content": [old, text]}, USER]
    assert run(lines(*conversation))[1] == conversation


def test_a_message_of_the_user_lets_what_failed_run_again(run):
    asked = [openai((f"c{number}", "add", '{"a": 1, "b": "x"}')) for number in range(8)]
    assert (
        run(lines(USER, *asked[:4]))[2]
        .splitlines()[0]
        .endswith("(3 ToolArgumentError, 1 RepeatedCallError), 0 repaired")
    )
    err = run(lines(USER, *asked[:3], USER, *asked[3:6]))[2]
    assert err.splitlines()[0].endswith("(6 ToolArgumentError), 0 repaired")


def test_a_user_message_without_old_results_stays(run):
    said = anthropic(("t1", "add", {"a": 1, "b": 2}))
    foreign = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t9", "content": "x"}, "odd"]}
    assert run(lines(said, foreign))[1][2] == foreign


def test_other_messages_pass_exactly_as_they_were_written(house, capsysbinary):
    text = b'{"role":  "user", "content": "caf\\u00e9 \xc3\xa9 1.50"}\n'
    (house / "chat.jsonl").write_bytes(b"\xef\xbb\xbf" + text + b"\n")
    assert main(["run", "chat.jsonl", "--tools", "sums"]) == 0
    assert capsysbinary.readouterr().out == text


def test_a_failed_call_exits_with_1_and_is_counted(run):
    said = openai(
        ("c1", "add", '{"a": 1'), ("c2", "plus", "{}"), ("c3", "add", "{}"), ("c4", "add", '{"a": 1, "b": 1}')
    )
    code, written, err = run(lines(said))
    assert code == 1
    assert err == "1 message, 4 calls: 1 ok, 3 failed (2 ToolArgumentError, 1 ToolNotFoundError), 0 repaired\n"
    assert written[2]["content"].startswith("Error: Tool 'plus' not found.")


def test_all_calls_belong_to_one_session(run):
    wrong = [openai((f"c{number}", "plus", "{}")) for number in range(3)]
    _, written, _ = run(lines(*wrong))
    assert written[1]["content"] != written[5]["content"]


def test_a_fatal_failure_stops_after_its_siblings_are_answered(run):
    said = openai(("c1", "pay", "{}"), ("c2", "add", '{"a": 1, "b": 2}'))
    code, written, err = run(lines(USER, said, {"role": "assistant", "content": "never written"}))
    assert code == 3
    assert [message.get("tool_call_id") for message in written] == [None, None, "c1", "c2"]
    assert err.splitlines() == [
        "2 messages, 2 calls: 1 ok, 1 failed (1 ToolAuthenticationError), 0 repaired",
        "stopped at line 2: ToolAuthenticationError: A service rejected the credentials used by pay. Provide valid credentials, then try again.",
    ]


def test_out_takes_the_conversation(run, house):
    said = openai(("c1", "add", '{"a": 1, "b": 2}'))
    assert run(lines(said), "--out", "out.jsonl")[:2] == (0, [])
    assert (house / "out.jsonl").read_text() == lines(said, {"role": "tool", "tool_call_id": "c1", "content": "3"})


def test_json_gives_the_results_instead(run, house):
    said = openai(("c1", "add", '{"a": 1, "b": 2}'), ("c2", "add", "{}"))
    _, results, _ = run(lines(USER, said), "--json")
    assert [(told["line"], told["call"]["id"], told["is_error"]) for told in results] == [
        (2, "c1", False),
        (2, "c2", True),
    ]
    assert run(lines(USER, said), "--json", "--out", "out.jsonl")[1][0]["content"] == "3"
    assert len((house / "out.jsonl").read_text().splitlines()) == 4


def test_stdin_is_read_for_a_dash(run, monkeypatch):
    text = lines(openai(("c1", "add", '{"a": 1, "b": 2}')))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run("", "--out", "-", file="-")[1][1]["content"] == "3"


def test_a_dialect_can_be_asked_for(run):
    said = anthropic(("t1", "add", {"a": 1, "b": 2}))
    assert len(run(lines(said), "--dialect", "anthropic")[1]) == 2
    code, written, err = run(lines(said), "--dialect", "openai")
    assert (code, written) == (0, [said])
    assert err.splitlines()[1:] == ["Found no tool calls in the format openai. Omit --dialect to detect the format."]


ADD = {"a": 1, "b": 2}
ANSWERED = {"name": "add", "response": {"output": 3}}
SHAPES = {
    "gemini": (
        {"role": "model", "parts": [{"functionCall": {"id": "g1", "name": "add", "args": ADD}}]},
        {"role": "user", "parts": [{"function_response": {"id": "g1", **ANSWERED}}]},
    ),
    "gemini without ids": (
        {"role": "model", "parts": [{"text": "So:"}, {"function_call": {"name": "add", "args": ADD}}]},
        {"role": "user", "parts": [{"function_response": ANSWERED}]},
    ),
    "openai-responses": (
        {"type": "function_call", "call_id": "r1", "name": "add", "arguments": json.dumps(ADD)},
        {"type": "function_call_output", "call_id": "r1", "output": "3"},
    ),
    "mcp": (
        {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "add", "arguments": ADD}},
        {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "3"}], "isError": False}},
    ),
}


@pytest.mark.parametrize("options", [(), ("--dialect",)], ids=["recognised", "asked for"])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_stored_messages_is_answered_again_and_again(run, shape, options):
    said, answer = SHAPES[shape]
    asked = (*options, shape.split()[0]) if options else ()
    code, written, err = run(lines(USER, said), *asked)
    assert (code, written) == (0, [USER, said, answer])
    assert err == "2 messages, 1 call: 1 ok, 0 failed, 0 repaired\n"
    assert run(lines(*written, *written), *asked)[1] == [USER, said, answer, USER, said, answer]


def test_an_answer_in_other_names_and_in_mixed_parts_is_found(run):
    said = SHAPES["gemini without ids"][0]
    old = {"functionResponse": {"name": "add", "response": {"output": 9}}}
    other = {"functionResponse": {"name": "sub", "response": {"output": 1}}}
    conversation = [said, {"role": "function", "parts": [other, old]}]
    assert run(lines(*conversation))[1] == conversation
    assert len(run(lines(said, {"role": "function", "parts": [other]}))[1]) == 3


def test_a_ui_message_holds_its_answers_itself(run):
    text = {"type": "text", "text": "So:"}
    call = {"type": "tool-add", "toolCallId": "u1", "state": "input-available", "input": ADD}
    done = {"type": "tool-add", "toolCallId": "u1", "input": ADD, "state": "output-available", "output": 3}
    said = {"id": "m1", "role": "assistant", "parts": [text, call]}
    code, written, _ = run(lines(USER, said))
    assert (code, written) == (0, [USER, {"id": "m1", "role": "assistant", "parts": [text, done]}])
    assert run(lines(*written), "--dialect", "ai-sdk")[1] == written


def test_a_conversation_without_calls_names_the_shapes(run):
    assert run(lines(USER))[2].splitlines() == [
        "1 message, 0 calls: 0 ok, 0 failed, 0 repaired",
        "Found no tool calls. Known formats: ai-sdk, anthropic, gemini, mcp, openai, openai-responses.",
    ]


WRAPPED_CALL = {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "add"}}]}
WRAPPED_CALL["tool_calls"][0]["function"]["arguments"] = '{"a": 1, "b": 2}'


@pytest.mark.parametrize(
    ("line", "member"),
    [
        ({"messages": [USER, WRAPPED_CALL]}, "messages"),
        ({"model": "m", "messages": [USER, anthropic(("t1", "add", ADD))]}, "messages"),
        ({"contents": [SHAPES["gemini"][0]]}, "contents"),
        ({"input": [SHAPES["openai-responses"][0]]}, "input"),
        ({"time": 7, "message": WRAPPED_CALL}, "message"),
    ],
)
def test_messages_inside_other_objects_are_reported(run, line, member):
    code, written, err = run(lines({"time": 1}, line))
    assert (code, written) == (0, [{"time": 1}, line])
    assert err.splitlines() == [
        "2 messages, 0 calls: 0 ok, 0 failed, 0 repaired",
        (
            f"Found no tool calls. chat.jsonl, line 2: the messages are in {member!r}. Write each message on a line of its "
            "own, or each conversation as an array of messages."
        ),
    ]
    assert (
        run(lines(WRAPPED_CALL, line))[2]
        .splitlines()[1]
        .startswith(f"chat.jsonl, line 2: the messages are in {member!r}")
    )


@pytest.mark.parametrize(
    "line",
    [
        {"messages": [USER, {"role": "assistant", "content": "3"}]},
        {"tools": [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]},
        {"role": "user", "content": [{"type": "text", "text": "Add."}], "was": WRAPPED_CALL},
    ],
)
def test_an_object_without_calls_gets_no_such_hint(run, line):
    assert run(lines(line))[2].splitlines()[1].startswith("Found no tool calls. Known formats: ")


def test_an_empty_file_is_told(run):
    code, written, err = run("\n")
    assert (code, written) == (0, [])
    assert err.splitlines() == [
        "0 messages, 0 calls: 0 ok, 0 failed, 0 repaired",
        "The input has no messages. Write one JSON message per line.",
    ]


def test_a_first_line_that_cannot_be_read_is_all_that_is_told(run):
    told = "mulligan: chat.jsonl, line 1 byte 30: not UTF-8; save the file as UTF-8\n"
    assert run(b'{"role": "user", "content": "\xe9"}\n') == (2, [], told)


def test_a_later_line_that_cannot_be_read_gets_no_hint_about_calls(run):
    code, _, err = run(lines(USER) + "{\n")
    assert code == 2
    assert err.splitlines() == [
        "1 message, 0 calls: 0 ok, 0 failed, 0 repaired",
        (
            "mulligan: chat.jsonl, line 2 column 2: expecting property name enclosed in double quotes; "
            "write one JSON message per line"
        ),
    ]


def test_text_that_is_half_a_character_is_escaped(house, capsysbinary):
    (house / "chat.jsonl").write_text(lines(openai(("\ud800", "add", '{"a": 1, "b": 2}'))))
    assert main(["run", "chat.jsonl", "--tools", "sums", "--log", "off"]) == 0
    assert rb'{"role": "tool", "tool_call_id": "\ud800", "content": "3"}' in capsysbinary.readouterr().out


GOOD = lines(openai(("c1", "add", '{"a": 1, "b": 2}')))
BROKEN = {
    '{"role": "user", "content": }\n': "line 3 column 29: expecting value; write one JSON message per line",
    '{"role": "user", "content": "cut off\n': "line 3 column 29: unterminated string starting at; write one JSON message per line",
    '[{"role": "user"}]\n': "line 3 column 1: a list; write one message per line, each a JSON object",
    '"hello"\n': "line 3 column 1: not a JSON object; write one message per line, each a JSON object",
    '{"a": ' * 100_000 + "\n": "line 3 column 1: nested too deeply; write one JSON message per line",
    '{"a": 1' + "0" * 5_000 + "}\n": "line 3 column 1: Exceeds the limit",
    b'{"role": "us\xffer"}\n': "line 3 byte 13: not UTF-8; save the file as UTF-8",
}


@pytest.mark.parametrize("broken", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_line_is_named_and_nothing_is_lost(run, broken):
    code, written, err = run(GOOD.encode() + b"\n" + (broken if isinstance(broken, bytes) else broken.encode()))
    assert code == 2
    assert [message["role"] for message in written[:2]] == ["assistant", "tool"]
    summary, mistake = err.splitlines()
    assert summary.endswith("1 call: 1 ok, 0 failed, 0 repaired")
    assert mistake.startswith(f"mulligan: chat.jsonl, {BROKEN[broken]}")


def test_a_missing_file_is_named(run):
    code, _, err = run("", file="nope.jsonl")
    assert code == 2
    assert err == (
        "mulligan: cannot open nope.jsonl: No such file or directory; pass a file with one message per line, or -\n"
    )


def test_the_file_is_not_overwritten_by_itself(run, house):
    code, _, err = run(GOOD, "--out", "./chat.jsonl")
    assert code == 2
    assert err == "mulligan: --out ./chat.jsonl is the input file; choose another file\n"
    assert (house / "chat.jsonl").read_text() == GOOD


def test_an_out_that_cannot_be_written_is_named(run):
    code, _, err = run(GOOD, "--out", "no/folder/out.jsonl")
    assert code == 2
    assert err == (
        "mulligan: --out no/folder/out.jsonl: cannot open the file: No such file or directory; choose another file\n"
    )


def test_an_unknown_dialect_is_named(run):
    code, _, err = run(GOOD, "--dialect", "latin")
    assert code == 2
    assert (
        err
        == "mulligan: --dialect: unknown dialect 'latin'. Available: ai-sdk, anthropic, gemini, mcp, openai, openai-responses\n"
    )


@contextlib.contextmanager
def terminal(monkeypatch):
    """A real terminal as stderr; gives a list that holds what was shown, at the end."""
    master, slave = pty.openpty()
    shown: list[bytes] = []

    def drain():
        with contextlib.suppress(OSError):
            while data := os.read(master, 4_096):
                shown.append(data)

    reader = threading.Thread(target=drain)
    reader.start()
    with os.fdopen(slave, "w") as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        yield shown
    reader.join()
    os.close(master)


def test_many_messages_show_a_bar_on_a_terminal(run, monkeypatch):
    many = lines(*[openai((f"c{number}", "add", f'{{"a": {number}, "b": 2}}')) for number in range(30)])
    with terminal(monkeypatch) as shown:
        run(many, "--out", "out.jsonl")
    text = b"".join(shown).decode()
    assert "━━━" in text
    assert "30/30" in text
    assert text.endswith("30 messages, 30 calls: 30 ok, 0 failed, 0 repaired\r\n")


def test_few_messages_show_none(run, monkeypatch):
    with terminal(monkeypatch) as shown:
        run(GOOD, "--out", "out.jsonl")
    assert b"".join(shown) == b"1 message, 1 call: 1 ok, 0 failed, 0 repaired\r\n"


EARLIER = "an earlier conversation\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b'{"role": "us\xffer"}\n', ()),
        ("[]\n", ()),
        ("\n\n", ()),
        ('{"role": "assistant", "tool_calls": [{"name": "add", "args": {"a": 1, "b": 2}}]}\n', ()),
        (GOOD, ("--dialect", "latin")),
        (GOOD, ("--tools", "no_such_module")),
        (GOOD, ("-p", "no_such_plugin")),
    ],
)
def test_a_run_that_writes_nothing_leaves_an_earlier_file_alone(run, house, text, words):
    (house / "out.jsonl").write_text(EARLIER)
    run(text, "--out", "out.jsonl", *words)
    assert (house / "out.jsonl").read_text() == EARLIER


@pytest.mark.parametrize("file", ["nope.jsonl", "."])
def test_an_input_that_cannot_be_opened_leaves_an_earlier_file_alone(run, house, file):
    (house / "out.jsonl").write_text(EARLIER)
    assert run("", "--out", "out.jsonl", file=file)[0] == 2
    assert (house / "out.jsonl").read_text() == EARLIER


def test_an_out_that_cannot_be_opened_stops_before_any_call(run, house):
    message = {"role": "assistant", "parts": [{"type": "tool-add", "toolCallId": "c1", "state": "input-available"}]}
    message["parts"][0]["input"] = {"a": 1, "b": 2}
    for text in (GOOD, lines(message)):
        assert run(text, "--out", "no/folder/out.jsonl")[0] == 2
        assert sys.modules["sums"].RUNS == []
