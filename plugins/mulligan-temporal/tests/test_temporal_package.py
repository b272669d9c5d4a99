"""The command, and what installing the package brings."""

import asyncio
import json
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest
import temporal_tools as tools
from code_blocks import code_blocks
from conftest import HERE, end, free_port, program, start_worker
from mulligan_temporal.executor import _STOPPING_SECONDS, _stopping_seconds
from mulligan_testkit.terminal import run_on_terminal

from mulligan.cli import main
from mulligan.plugin import Deadline

PACKAGE = pathlib.Path(__file__).parents[1]
PAGES = (PACKAGE / "README.md", PACKAGE.parents[1] / "docs" / "how-to" / "run-on-temporal.md")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--tools", "temporal_tools", "--threads", "0"], "--threads 0: use a whole number, at least 1"),
        (["--tools", "no_such_module"], "no_such_module"),
        (["--tools", "temporal_tools", "--address", ""], "Temporal(address=''): use a text that is not empty"),
    ],
)
def test_wrong_usage_of_the_worker_is_explained(words, text, capfd):
    assert main(["temporal", "worker", *words]) == 2
    assert text in capfd.readouterr().err


def test_a_worker_says_that_it_cannot_reach_the_server(capfd):
    assert main(["temporal", "worker", "--tools", "temporal_tools", "--address", f"127.0.0.1:{free_port()}"]) == 2
    assert "The Temporal server cannot be reached" in capfd.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_worker_is_a_process_that_ends_after_its_tools(number, address, pipeline_of, tmp_path):
    queue = f"process-{number}"
    process, pipeline = start_worker(address, queue, "temporal_tools"), pipeline_of(tools.stay, queue=queue)

    async def main() -> object:
        call = asyncio.create_task(pipeline.acall("stay", {"path": str(tmp_path / "runs"), "seconds": 2}))
        while not (tmp_path / "runs").exists() and not call.done():
            await asyncio.sleep(0.05)
        process.send_signal(number)
        return (await call).value

    try:
        assert asyncio.run(main()) == "stayed"
        assert process.wait(30) == 0
    finally:
        end(process)


def test_the_readme_and_the_page_name_options_of_the_command(capfd):
    main(["temporal", "worker", "--help"])
    told = capfd.readouterr().out
    for page in PAGES:
        for option in re.findall(r"(?<![-\w])(--[a-z][a-z-]+)", page.read_text("utf-8")):
            assert option in told or option == "--executor", option


def test_the_program_of_the_page_prints_what_the_page_says(address, tmp_path):
    blocks = code_blocks(PAGES[1].read_text("utf-8"))
    for _, name, text in blocks:
        if name is not None:
            (tmp_path / name).write_text(text, "utf-8")
    (session,) = (text for language, _, text in blocks if language == "console")
    command, _, output = session.partition("\n")
    process = start_worker(address, "shop", "shop", folder=tmp_path)
    try:
        words = [sys.executable, *command.split()[2:]]
        run = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    finally:
        end(process)
    assert run.stdout == output, run.stderr


@pytest.mark.usefixtures("conformance_worker")
def test_run_puts_the_calls_of_a_conversation_on_temporal_with_a_bar(tmp_path):
    calls = [("echo", {"value": number}) for number in range(4)] + [("fail", {"kind": "missing"}), ("nothing", {})]
    made = [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for number, (name, arguments) in enumerate(calls)
    ]
    lines = [{"role": "assistant", "tool_calls": made}] + [{"role": "user", "content": "Go on."}] * 29
    (tmp_path / "talk.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    words = [program("mulligan"), "run", "talk.jsonl", "--tools", f"{HERE / 'conformance_tools.py'}:TOOLS"]

    code, screen = run_on_terminal([*words, "--executor", "temporal", "--out", "out.jsonl"], tmp_path)

    answers = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert [line for line in answers if line["role"] != "tool"] == lines
    contents = {line["tool_call_id"]: line["content"] for line in answers if line["role"] == "tool"}
    assert [contents[f"c{number}"] for number in range(4)] == ["0", "1", "2", "3"]
    assert "Error executing tool fail: Resource not found: docs/a.md" in contents["c4"]
    assert "Error: Tool 'nothing' not found." in contents["c5"]
    *logged, bar, summary = screen
    assert code == 1, screen
    assert all(re.match(r"\d\d:\d\d:\d\d|[A-Z]+ ", line) for line in logged), screen
    assert re.fullmatch(r"━+ 30/30 messages 0:00:\d\d", bar), screen
    assert summary == "30 messages, 6 calls: 4 ok, 2 failed (1 ResourceNotFoundError, 1 ToolNotFoundError), 0 repaired"


def test_the_package_is_loaded_without_temporal():
    code = (
        "import sys, mulligan; mulligan.Pipeline([]); import mulligan_temporal; sys.exit('temporalio' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_call_that_is_given_up_late_waits_no_longer_for_its_end_than_one_given_up_in_time():
    now = time.monotonic()
    assert _stopping_seconds(None) == _STOPPING_SECONDS
    assert _stopping_seconds(Deadline(now + 60)) == _STOPPING_SECONDS  # the host cancels before the deadline
    assert _stopping_seconds(Deadline(now - _STOPPING_SECONDS / 2)) <= _STOPPING_SECONDS / 2
    assert _stopping_seconds(Deadline(now - 60)) == 0
