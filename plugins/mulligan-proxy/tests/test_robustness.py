"""What neither side has to be careful about: stray messages, huge results, odd characters, questions and their progress."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import subprocess
import sys

import anyio
import mcp_types as types
import pytest
from conftest import PATHS, inside, proxied, said, spec

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]
ASKING = str(pathlib.Path(__file__).parent / "servers" / "asking.py")


def asking():
    return spec("asking", sys.executable, ASKING)


async def test_a_servers_question_and_the_clients_progress_pass_both_ways():
    async def sample(context, params):
        assert params.meta["com.example/x"] == 1
        await context.session.send_progress_notification(params.meta["progress_token"], 0.5, 1.0, "half")
        await context.session.send_progress_notification(params.meta["progress_token"], 1.0)
        return types.CreateMessageResult(
            role="assistant", content=types.TextContent(type="text", text="sampled"), model="m"
        )

    async with inside(asking(), sampling_callback=sample) as client:
        came = json.loads(said(await client.call_tool("sample", {})))
    assert came["answer"]["content"]["text"] == "sampled"
    assert came["progress"] == [
        {"progressToken": "mine", "progress": 0.5, "total": 1.0, "message": "half"},
        {"progressToken": "mine", "progress": 1.0},
    ]


async def test_a_question_that_the_server_takes_back_is_taken_back_at_the_client():
    cancelled = anyio.Event()

    async def sample(context, params):
        await context.session.send_progress_notification(params.meta["progress_token"], 0.5)
        try:
            await anyio.sleep(30)
        except anyio.get_cancelled_exc_class():
            cancelled.set()
            raise

    async with inside(asking(), sampling_callback=sample) as client:
        assert said(await client.call_tool("take_back", {})) == "taken back"
        with anyio.fail_after(5):
            await cancelled.wait()


@pytest.mark.parametrize("tool", ["answer_nobody", "print"])
async def test_messages_without_an_id_and_printed_lines_do_no_harm(tool):
    async with inside(asking()) as client:
        for _ in range(3):
            assert said(await client.call_tool(tool, {})) in ("done", "printed")


async def test_separators_of_unicode_end_no_line_and_broken_bytes_cost_only_themselves():
    async with inside(asking()) as client:
        assert said(await client.call_tool("raw", {})) == "a\u2028b\u2029c\x85d\x0be"
        assert said(await client.call_tool("bytes", {})) == "a\ufffdb"


async def test_a_result_of_a_hundred_megabytes_arrives_within_the_deadline():
    async with inside(asking(), timeout=40.0) as client:
        assert len(said(await client.call_tool("big_100000000", {}))) == 100_000_000
        assert said(await client.call_tool("raw", {})).startswith("a")


async def test_a_result_that_is_too_long_is_an_unreadable_answer_and_the_next_call_works(monkeypatch):
    monkeypatch.setattr("mulligan_proxy.programs._MOST_BYTES", 1_000_000)
    async with inside(asking()) as client:
        told = said(await client.call_tool("big_3000000", {}))
        assert "sent an unreadable response to this call" in told
        assert said(await client.call_tool("raw", {})).startswith("a")


@contextlib.contextmanager
def raw_client(stderr=None):
    """A proxy whose client speaks by lines of its own, after the handshake."""
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    first = json.dumps({"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": about})
    with subprocess.Popen(
        proxied("--", sys.executable, ASKING),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PATH": PATHS},
    ) as process:
        process.stdin.write(first + "\n")
        process.stdin.flush()
        process.stdout.readline()
        yield process
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        assert process.wait(20) == 0


def conversation(*lines):
    """The answers of a proxy to some lines of a client, by id."""
    last = json.dumps({"jsonrpc": "2.0", "id": "last", "method": "ping"})
    answers = {}
    with raw_client() as process:
        process.stdin.write("\n".join([*lines, last]) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            answer = json.loads(line)
            answers[answer["id"]] = answer
            if len(answers) == sum('"id":' in one and '"id":null' not in one for one in lines) + 1:
                break
    return answers


def test_a_clients_message_without_an_id_is_never_answered():
    assert set(
        conversation(
            '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"raw"}}',
            '{"jsonrpc":"2.0","method":"tools/list"}',
            '{"jsonrpc":"2.0","method":"initialize"}',
            '{"jsonrpc":"2.0","method":"no/such"}',
            '{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"raw"}}',
            '{"jsonrpc":"2.0","result":{}}',
            "no json at all",
            "[]",
            "{}",
            "null",
            "",
        )
    ) == {"last"}


def test_a_clients_request_that_cannot_be_read_is_answered():
    answers = conversation(
        '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}',
        '[{"jsonrpc":"2.0","id":8,"method":"ping"},{"jsonrpc":"2.0","method":"ping"}]',
        '{"id":"9","method":"ping"}',
    )
    assert [answers[one]["error"]["code"] for one in (7, 8, "9")] == [-32600] * 3
    assert answers[7]["error"]["message"] == "The request is not valid: params: Input should be an object."
    assert answers[8]["error"]["message"] == "A message must be one object: batches are not supported."


def test_a_request_whose_id_was_used_before_is_a_call_of_its_own():
    request = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"raw"}}\n'
    with raw_client() as process:
        answers = []
        for _ in range(3):
            process.stdin.write(request)
            process.stdin.flush()
            answers.append(json.loads(process.stdout.readline()))
    assert [one["result"]["content"][0]["text"] for one in answers] == ["a\u2028b\u2029c\x85d\x0be"] * 3


def test_a_client_that_dies_during_its_calls_ends_the_proxy_without_a_traceback():
    with raw_client(stderr=subprocess.PIPE) as process:
        for number in range(50):
            request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "raw"}}
            process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        process.stdout.close()
        assert process.stderr.read() == ""


async def test_a_models_mistake_is_no_error_in_the_log(log):
    from loguru import logger

    levels = []
    sink = logger.add(lambda message: levels.append(message.record["level"].name), level="DEBUG")
    try:
        async with inside(asking()) as client:
            await client.call_tool("no_such", {})
            await client.call_tool("raw", {"x": 1})
            await client.call_tool("raw", {})
    finally:
        logger.remove(sink)
    assert set(levels) == {"INFO"}
    assert log[0] == "no_such: was not run: Tool 'no_such' not found."
    assert log[-1].startswith("raw: answered in ")
