"""The agent loops of the examples and of their page, through the real SDKs, with models that err, read and correct themselves."""

from __future__ import annotations

import asyncio
import difflib
import importlib.util
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import anthropic
import httpx2
import openai
import pytest
from code_blocks import code_blocks
from provider_rules import Answer, Call
from provider_server import serving

from mulligan import tool
from mulligan.errors import RepeatedCallError, ToolAuthenticationError, ToolQuotaError

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "agent-loops.md"
BLOCKS = {name: text for _, name, text in code_blocks(PAGE.read_text("utf-8")) if name}
EXAMPLES = ("openai_loop.py", "anthropic_loop.py", "anthropic_runner.py")
LOOPS = (*EXAMPLES, "openai_async.py", "openai_stream.py", "openai_responses.py", "anthropic_stream.py")
NOTES = "Buy tea.\nCall Ann – today.\n"


@pytest.fixture
def server():
    with serving() as server:
        yield server


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with notes, in which the tools work."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "notes.md").write_text(NOTES, "utf-8")
    monkeypatch.chdir(folder)
    return folder


def load(name, tmp_path):
    """The module of an example, or of a block of the page."""
    path = ROOT / "examples" / name
    if not path.exists():
        path = tmp_path / name
        path.write_text(BLOCKS[name], "utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Loop:
    """One of the loops: `loop(script, pipeline)` runs it with a model that follows the script."""

    def __init__(self, module, server):
        self.module, self.server = module, server
        self.messages = [{"role": "user", "content": "What do my notes say?"}]
        self.is_async = inspect.iscoroutinefunction(module.run)

    def client(self, **options):
        options = {"api_key": "good-key", "max_retries": 0, **options}
        if hasattr(self.module, "Anthropic"):
            return anthropic.Anthropic(base_url=self.server.url, **options)
        kind = openai.AsyncOpenAI if self.is_async else openai.OpenAI
        return kind(base_url=f"{self.server.url}/v1", **options)

    def __call__(self, script, pipeline):
        return self.go_on(self.server.follow(script.__name__, script), pipeline, self.messages)

    def go_on(self, model, pipeline, messages):
        if not self.is_async:
            with self.client() as client:
                return self.module.run(client, model, pipeline, messages)

        async def run():
            async with self.client() as client:
                return await self.module.run(client, model, pipeline, messages)

        return asyncio.run(run())


@pytest.fixture
def loop_named(server, tmp_path):
    return lambda name: Loop(load(name, tmp_path), server)


@pytest.fixture(params=LOOPS)
def loop(request, loop_named):
    return loop_named(request.param)


@tool(read_only=True)
def read_file(path: str = ".") -> str | list[str]:
    """Read a text file, or list a folder."""
    place = pathlib.Path(path)
    return sorted(each.name for each in place.iterdir()) if place.is_dir() else place.read_text("utf-8")


@tool(read_only=True)
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool(read_only=True)
def fetch(url: str) -> str:
    """Fetch a page."""
    return httpx2.get(url).raise_for_status().text


@tool(read_only=True, timeout=1)
def ponder() -> str:
    """Think for long."""
    time.sleep(3)
    return "42"


@pytest.fixture
def pipeline(make_pipeline):
    return make_pipeline(read_file, add, fetch, ponder)


def call(id, name, **arguments):
    return Call(id, name, json.dumps(arguments))


def failed(answer: Answer) -> str:
    """What a model reads of a call that failed; where the protocol can mark it as failed, it is."""
    assert answer.is_error in (None, True)
    assert answer.text.startswith("Error")
    return answer.text


def succeeded(answer: Answer) -> str:
    assert not answer.is_error
    return answer.text


def corrected(id, answer):
    """The call that the feedback proposes."""
    made = json.loads(failed(answer).split("make this corrected call: ")[1])
    return Call(id, made["name"], json.dumps(made["arguments"]))


def misspells_a_tool():
    heard = yield [call("c1", "readFil", path="notes.md")]
    heard = yield [corrected("c2", heard["c1"])]
    return succeeded(heard["c2"])


def sends_a_number_as_text():
    heard = yield [call("c1", "add", a="2", b=3)]
    assert "/a: wrong type; expected integer" in failed(heard["c1"])
    heard = yield [corrected("c2", heard["c1"])]
    return succeeded(heard["c2"])


def asks_for_a_file_that_is_not_there():
    heard = yield [call("c1", "read_file", path="note.md")]
    (missing,) = re.findall("Resource not found: (.*)", failed(heard["c1"]))
    heard = yield [call("c2", "read_file")]
    (near,) = difflib.get_close_matches(missing, json.loads(succeeded(heard["c2"])), 1)
    heard = yield [call("c3", "read_file", path=near)]
    return succeeded(heard["c3"])


def calls_three_tools_at_once_and_one_fails():
    heard = yield [call("c1", "add", a=1, b=2), call("c2", "read_fil", path="notes.md"), call("c3", "add", a=3, b=4)]
    assert list(heard) == ["c1", "c2", "c3"]
    assert (succeeded(heard["c1"]), succeeded(heard["c3"])) == ("3", "7")
    heard = yield [corrected("c4", heard["c2"])]
    return succeeded(heard["c4"])


def waits_for_a_tool_that_hangs():
    heard = yield [call("c1", "ponder"), call("c2", "add", a=1, b=2)]
    assert "No response within 1 s; it may still be running." in failed(heard["c1"])
    return f"I gave up thinking; the sum is {succeeded(heard['c2'])}."


def breaks_off_its_json():
    heard = yield [Call("c1", "read_file", '{"path": "notes.md"')]
    assert "and seems to be cut off; nothing was run" in failed(heard["c1"])
    heard = yield [corrected("c2", heard["c1"])]
    return succeeded(heard["c2"])


def forgets_the_quotes():
    text = '{"path": notes.md}'
    heard = yield [Call("c1", "read_file", text)]
    (column,) = map(int, re.findall(r"not valid JSON at line 1 column (\d+): expecting value", failed(heard["c1"])))
    heard = yield [Call("c2", "read_file", f'{text[: column - 1]}"{text[column - 1 : -1]}"}}')]
    return succeeded(heard["c2"])


OBJECTS = {
    misspells_a_tool: NOTES,
    sends_a_number_as_text: "5",
    asks_for_a_file_that_is_not_there: NOTES,
    calls_three_tools_at_once_and_one_fails: NOTES,
    waits_for_a_tool_that_hangs: "I gave up thinking; the sum is 3.",
}
TEXTS = {breaks_off_its_json: NOTES, forgets_the_quotes: NOTES}


@pytest.mark.parametrize("script", OBJECTS)
def test_a_model_that_errs_reads_why_and_finishes(loop, script, pipeline):
    assert loop(script, pipeline) == OBJECTS[script]


@pytest.mark.parametrize("name", sorted({*LOOPS} - {"anthropic_loop.py", "anthropic_runner.py"}))
@pytest.mark.parametrize("script", TEXTS)
def test_so_does_one_that_writes_broken_json(loop_named, name, script, pipeline):
    """Anthropic's API sends arguments as an object, unless they are streamed."""
    assert loop_named(name)(script, pipeline) == TEXTS[script]


def test_a_rejected_credential_stops_the_run_with_the_reason_and_the_person_can_mend_it(loop, server, pipeline):
    def asks_for_what_is_closed():
        heard = yield [
            call("c1", "fetch", url=server.url),
            call("c2", "add", a=1, b=2),
            call("c3", "read_file", path="no.md"),
        ]
        assert list(heard) == ["c1", "c2", "c3"]
        assert "rejected the credentials (HTTP 401)" in failed(heard["c1"])
        assert "answer the user in words" in heard["c1"].text
        assert succeeded(heard["c2"]) == "3"
        assert "Resource not found: no.md" in failed(heard["c3"])
        heard = yield [call("c4", "fetch", url=server.url)]
        return succeeded(heard["c4"])

    with pytest.raises(ToolAuthenticationError, match=r"rejected the credentials \(HTTP 401\)") as raised:
        loop(asks_for_what_is_closed, pipeline)
    assert raised.value.user_message == (
        "A service (127.0.0.1) rejected the credentials used by fetch. Provide valid credentials, then try again."
    )
    assert len(server.requests) == 1
    server.is_open = True
    assert loop.go_on("asks_for_what_is_closed", pipeline, loop.messages) == "the door is open"


def test_a_model_that_repeats_itself_is_warned_and_then_stopped(loop, server, pipeline):
    told = []

    def repeats_itself():
        while True:
            heard = yield [call(f"c{len(told)}", "read_file", path="no.md")]
            told.extend(map(failed, heard.values()))

    with pytest.raises(RepeatedCallError, match="it has already failed 4 times"):
        loop(repeats_itself, pipeline)
    assert "This same call has already failed." in told[1]
    assert "This has failed 3 times and will not run again. Change the call, or take another approach." in told[2]
    assert "This call was not run" in told[3]
    assert len(server.requests) == 5


def test_a_model_that_never_ends_comes_to_the_end_of_its_budget(loop, server, pipeline):
    def never_ends():
        for start in range(0, 1_000, 10):
            heard = yield [call(f"c{number}", "add", a=number, b=1) for number in range(start, start + 10)]
            assert [succeeded(answer) for answer in heard.values()] == [str(n + 1) for n in range(start, start + 10)]

    with pytest.raises(ToolQuotaError, match="the budget of 100 calls for this conversation is exhausted"):
        loop(never_ends, pipeline)
    assert len(server.requests) == 11


def test_a_tool_that_is_added_on_the_way_can_be_called(loop, server, pipeline):
    @tool
    def unlock() -> str:
        """Unlock the other tools."""
        return pipeline.tools.add(double).name

    def double(number: int) -> int:
        """Double a number."""
        return 2 * number

    def unlocks():
        heard = yield [call("c1", "double", number=4)]
        assert "Tool 'double' not found." in failed(heard["c1"])
        heard = yield [call("c2", "unlock")]
        heard = yield [call("c3", succeeded(heard["c2"]), number=4)]
        return succeeded(heard["c3"])

    pipeline.tools.add(unlock)
    assert loop(unlocks, pipeline) == "8"
    assert ['"double"' in json.dumps(request["tools"]) for request in server.requests] == [False, False, True, True]


def test_a_model_that_needs_no_tool_is_not_disturbed(loop, server, pipeline):
    def answers():
        return "Hello."
        yield

    assert loop(answers, pipeline) == "Hello."
    assert len(server.requests) == 1


def test_an_error_of_the_provider_is_not_taken_for_one_of_a_tool(loop, monkeypatch, pipeline):
    monkeypatch.setattr(loop, "client", lambda client=loop.client: client(api_key="bad-key"))
    with pytest.raises((anthropic.AuthenticationError, openai.AuthenticationError)):
        loop(misspells_a_tool, pipeline)


@pytest.mark.parametrize("name", EXAMPLES)
def test_fifty_conversations_at_once_share_a_pipeline_and_nothing_else(loop_named, server, pipeline, name):
    loop = loop_named(name)

    def conversation(number):
        def counts():
            heard = yield [call("c1", "add", a=str(number), b=1), call("c2", "read_file", path="no.md")]
            failed(heard["c2"])
            heard = yield [corrected("c3", heard["c1"])]
            return succeeded(heard["c3"])

        model = server.follow(f"model-{number}", counts)
        return loop.go_on(model, pipeline, [{"role": "user", "content": f"What is {number} + 1?"}])

    with ThreadPoolExecutor(50) as threads:
        assert list(threads.map(conversation, range(50))) == [str(number + 1) for number in range(50)]


@pytest.mark.parametrize("spoil", ["leave one out", "answer one twice", "say something between"])
@pytest.mark.parametrize("name", LOOPS)
def test_the_server_refuses_a_transcript_that_is_not_closed(loop_named, server, pipeline, name, spoil):
    """Without this the tests above would show nothing."""
    loop = loop_named(name)
    loop(calls_three_tools_at_once_and_one_fails, pipeline)
    messages = json.loads(json.dumps((server.requests[-2].get("messages") or server.requests[-2]["input"])))
    answers = messages[-1]["content"] if name.startswith("anthropic") else messages
    if spoil == "leave one out":
        del answers[-1]
    elif spoil == "answer one twice":
        answers.append(answers[-1])
    elif name == "openai_responses.py":
        answers[-1]["call_id"] = "c9"
    else:
        answers.insert(-1, {"type": "text", "text": "wait"} if answers is not messages else messages[0])
    with pytest.raises((anthropic.BadRequestError, openai.BadRequestError)):
        loop.go_on(server.follow("again", misspells_a_tool), pipeline, messages)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_short_and_the_page_shows_it_as_it_is(name):
    text = (ROOT / "examples" / name).read_text("utf-8")
    assert text.count("\n") < 40
    assert BLOCKS[name] == text


def looks_for_the_shopping_list():
    heard = yield [call("c1", "readfile", path="shopping.md"), call("c2", "read_file", file="notes.md")]
    heard = yield [corrected("c3", heard["c1"]), corrected("c4", heard["c2"])]
    failed(heard["c3"])
    return f"You want to {succeeded(heard['c4']).splitlines()[0].lower()}"


def insists():
    number = 0
    while True:
        number += 1
        yield [call(f"c{number}", "read_file", path="shopping.md")]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs_as_the_page_says(server, name):
    def run(script):
        model = server.follow(script.__name__, script)
        others = {key: value for key, value in os.environ.items() if not key.startswith(("OPENAI_", "ANTHROPIC_"))}
        environment = others | {
            "OPENAI_API_KEY": "good-key",
            "OPENAI_BASE_URL": f"{server.url}/v1",
            "ANTHROPIC_API_KEY": "good-key",
            "ANTHROPIC_BASE_URL": server.url,
            "MULLIGAN_LOG": "off",
        }
        command = [sys.executable, str(ROOT / "examples" / name), model, "What shall I buy?"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    done = run(looks_for_the_shopping_list)
    assert (done.stdout, done.stderr, done.returncode) == ("You want to buy tea.\n", "", 0)
    assert shown(server.requests[-1]) in PAGE.read_text("utf-8")
    done = run(insists)
    assert (done.stdout, done.stderr[:9], done.returncode) == ("", "Stopped. ", 1)
    assert done.stderr in PAGE.read_text("utf-8")


def shown(body):
    """The conversation as the page shows it: what the model called, and what it read."""
    lines = []
    for message in body["messages"][1:]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        for made in message.get("tool_calls") or ():
            lines.append(f"> {made['function']['name']}({made['function']['arguments']})")
        for block in blocks:
            used = block["type"] == "tool_use"
            lines.append(f"> {block['name']}({json.dumps(block['input'])})" if used else block["content"])
        if message["role"] == "tool":
            lines.append(message["content"])
    return "\n".join(lines) + "\n"
