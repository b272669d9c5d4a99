"""Log lines: none until they are asked for, one for each thing that happened, redacted, and nobody can forge one."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from loguru import logger

from mulligan import Pipeline, Tool, errors

KEY = "sk-proj-abcdefghijklmnop1234567890abcdef"
SECRET = "xK9-vault-77-combination"


class Lines:
    """What loguru wrote, as pairs of level and text."""

    def __init__(self) -> None:
        self.records: list[tuple[str, str]] = []
        self.raw: list[str] = []

    def write(self, message: Any) -> None:
        self.records.append((message.record["level"].name, message.record["message"]))
        self.raw.append(str(message))

    def of(self, level: str) -> list[str]:
        return [text for name, text in self.records if name == level]


@pytest.fixture
def lines() -> Iterator[Lines]:
    lines = Lines()
    logger.remove()
    logger.add(lines.write, format="{level}|{message}", level="TRACE", backtrace=True, diagnose=True)
    yield lines
    logger.remove()


def read(path: str) -> str:
    return f"read {path}"


def fail(path: str = "") -> None:
    local_secret = SECRET + KEY
    raise ValueError(f"no {path} {local_secret[-40:]}")


@pytest.fixture
def logged(make_pipeline: Callable[..., Pipeline]) -> Callable[..., Pipeline]:
    def make(*tools: Any, level: str = "INFO", **options: Any) -> Pipeline:
        pipeline = make_pipeline(*tools, **options)
        pipeline.enable_logging(level)
        return pipeline

    return make


def test_nothing_is_written_until_it_is_asked_for(make_pipeline, run, lines):
    pipeline = make_pipeline(read, fail)
    run(pipeline, "read", {"path": "a"})
    run(pipeline, "fail")
    run(pipeline, "nope")
    assert lines.records == []


def test_loguru_is_not_imported_until_it_is_asked_for():
    program = """
import sys
from mulligan import Pipeline
pipeline = Pipeline(autoload=False)
pipeline.call("nope")
print("loguru" in sys.modules)
pipeline.enable_logging()
print("loguru" in sys.modules)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (0, "False\nTrue\n"), ended.stderr


def test_a_success(logged, run, lines):
    run(logged(read), "read", {"path": "a.md"})
    [(first, called), (second, done)] = lines.records
    assert (first, called) == ("INFO", 'read called with {"path":"a.md"}')
    assert second == "SUCCESS"
    assert done.startswith("read ended in 0.0")
    assert done.endswith(" s, 9 characters")


def test_a_call_without_arguments(logged, run, lines):
    run(logged(Tool.from_function(lambda: 1, name="now")), "now")
    assert lines.of("INFO") == ["now called with nothing"]


def test_long_arguments_are_shortened(logged, run, lines):
    run(logged(read), "read", {"path": "word " * 10_000})
    assert len(lines.of("INFO")[0]) < 250


def test_a_failure_is_an_error_with_type_message_and_traceback(logged, run, lines):
    run(logged(fail), "fail")
    [text] = lines.of("ERROR")
    assert text.startswith("fail failed: ToolExecutionError: The tool failed with ValueError.\n")
    assert f'File "{__file__}"' in text
    assert "in fail" in text
    assert lines.of("SUCCESS") == []


def test_a_call_that_was_not_run_is_an_error(logged, run, lines):
    run(logged(read), "nope")
    run(logged(read), "read", {})
    assert lines.of("ERROR") == [
        "nope was not run: ToolNotFoundError: Tool 'nope' not found.",
        "read was not run: ToolArgumentError: Invalid arguments: one problem; nothing was run.",
    ]


def test_every_attempt_is_told(logged, run, lines):
    def again(run, tool, call):
        yield run
        return (yield run)

    run(logged(Tool.from_function(fail, read_only=True), middleware=[again]), "fail")
    assert len(lines.of("ERROR")) == 2


def test_a_plugins_fault_is_a_warning(logged, run, lines, plugin):
    pipeline = logged(plugins=[plugin("acme", hints=lambda: 1 / 0)])
    for _ in range(3):
        run(pipeline, "nope")
    assert lines.of("WARNING") == [
        "plugin acme, hook hints: ZeroDivisionError: division by zero",
        "plugin acme, hook hints: ZeroDivisionError: division by zero",
        "plugin acme, hook hints: ZeroDivisionError: division by zero; the plugin is disabled",
    ]


@pytest.mark.parametrize(
    ("level", "kept"),
    [
        ("INFO", {"INFO", "SUCCESS", "WARNING", "ERROR"}),
        ("SUCCESS", {"SUCCESS", "WARNING", "ERROR"}),
        ("WARNING", {"WARNING", "ERROR"}),
        ("ERROR", {"ERROR"}),
    ],
)
def test_levels(logged, run, lines, plugin, level, kept):
    pipeline = logged(read, level=level, plugins=[plugin("acme", hints=lambda: 1 / 0)])
    run(pipeline, "read", {"path": "a"})
    run(pipeline, "nope")
    assert {name for name, _ in lines.records} == kept


@pytest.mark.parametrize("level", ["verbose", "info", "", 10, None])
def test_an_unknown_level_is_named(make_pipeline, lines, level):
    with pytest.raises(errors.UsageError, match="INFO, SUCCESS, WARNING"):
        make_pipeline(read).enable_logging(level)


def test_turning_it_on_twice_writes_each_line_once(logged, run, lines):
    pipeline = logged(read)
    pipeline.enable_logging()
    pipeline.enable_logging("ERROR")
    pipeline.enable_logging("INFO")
    run(pipeline, "read", {"path": "a"})
    assert [name for name, _ in lines.records] == ["INFO", "SUCCESS"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", "INFO"), ("info", "INFO"), ("ERROR", "ERROR"), ("error", "ERROR"), ("0", None), ("", None)],
)
def test_the_environment_turns_it_on(make_pipeline, run, lines, monkeypatch, value, expected):
    monkeypatch.setenv("MULLIGAN_LOG", value)
    pipeline = make_pipeline(read)
    run(pipeline, "read", {"path": "a"})
    run(pipeline, "nope")
    levels = [name for name, _ in lines.records]
    assert levels == {"INFO": ["INFO", "SUCCESS", "INFO", "ERROR"], "ERROR": ["ERROR"], None: []}[expected]


def test_a_wrong_value_of_the_environment_never_stops_a_program(make_pipeline, run, lines, monkeypatch):
    monkeypatch.setenv("MULLIGAN_LOG", "please")
    try:
        pipeline = make_pipeline(read)
    except errors.UsageError as error:
        assert "MULLIGAN_LOG" in str(error)
    else:
        run(pipeline, "read", {"path": "a"})


def test_two_pipelines_are_turned_on_apart(make_pipeline, run, lines):
    first, second = make_pipeline(read), make_pipeline(read)
    first.enable_logging()
    run(second, "read", {"path": "a"})
    assert lines.records == []
    assert [info.name for info in first.plugins if info.name == "logging"] == ["logging"]


# --- what no line may hold


FORGED = "x\nERROR|forged\r\x1b[2J\x1b]0;title\x07\u202e\u2028second\x85third\x00\x9b31m"


@pytest.mark.parametrize(
    "cause",
    [
        "name",
        "arguments",
        "exception",
        "own error",
        "value",
        "fault",
        "plugin name",
        "missing path",
        "refusal",
        "provider",
    ],
)
def test_nobody_can_forge_a_line(logged, run, lines, plugin, cause):
    def raise_this() -> None:
        raise {
            "exception": ValueError(FORGED),
            "own error": errors.ToolExecutionError(FORGED),
            "missing path": FileNotFoundError(2, "x", FORGED),
            "provider": errors.ToolQuotaError("x", provider=FORGED, resource=FORGED, rule=FORGED),
        }.get(cause, ValueError("x"))

    def broken() -> Any:
        raise KeyError(FORGED)

    plugins = {
        "fault": [plugin("acme", hints=broken)],
        "plugin name": [plugin(FORGED, hints=broken)],
        "refusal": [plugin("acme", authorize=lambda tool: errors.ToolPermissionError(FORGED))],
    }
    value = Tool.from_function(lambda: {"error": FORGED}, name="value")
    pipeline = logged(read, Tool.from_function(raise_this, name="work"), value, plugins=plugins.get(cause, []))
    name = {"name": FORGED, "value": "value", "arguments": "read"}.get(cause, "work")
    run(pipeline, name, FORGED if cause == "arguments" else None)
    for text in lines.raw:
        first, *rest = text.rstrip("\n").split("\n")
        assert first.startswith(("INFO|", "SUCCESS|", "WARNING|", "ERROR|"))
        assert not any(line.startswith(("INFO|", "SUCCESS|", "WARNING|", "ERROR|", "forged")) for line in rest), text
        assert all(line.startswith("  ") for line in rest), text
        assert not any(character in text for character in "\r\x1b\x07\u202e\u2028\x85\x00\x9b"), text


@pytest.mark.parametrize(
    "cause",
    ["arguments", "secret argument", "exception", "own error", "value", "fault", "missing path", "name", "refusal"],
)
def test_no_line_holds_a_secret(logged, run, lines, plugin, cause, monkeypatch):
    monkeypatch.setenv("VAULT_TOKEN", SECRET)

    def raise_this(phrase: str = "") -> None:
        local_value = f"{SECRET} {KEY}"
        raise {
            "exception": ValueError(f"bad {local_value}"),
            "own error": errors.ToolExecutionError(
                f"bad {local_value}", user_message=local_value, resource=local_value
            ),
            "missing path": FileNotFoundError(2, "x", f"/srv/{SECRET}/{KEY}"),
        }.get(cause, ValueError("x"))

    def broken() -> Any:
        raise KeyError(f"{SECRET} {KEY}")

    plugins = {
        "fault": [plugin("acme", hints=broken)],
        "refusal": [plugin("acme", authorize=lambda tool: errors.ToolPermissionError(f"{SECRET} {KEY}"))],
    }
    value = Tool.from_function(lambda: {"error": f"{SECRET} {KEY}"}, name="value")
    pipeline = logged(
        read, Tool.from_function(raise_this, name="work", secret="phrase"), value, plugins=plugins.get(cause, [])
    )
    name = {"name": f"read {SECRET} {KEY}", "value": "value", "arguments": "read"}.get(cause, "work")
    arguments: Any = {"arguments": {"path": f"{SECRET} {KEY}"}, "secret argument": {"phrase": f"{SECRET} {KEY}"}}.get(
        cause
    )
    run(pipeline, name, arguments)
    assert lines.records
    for text in lines.raw:
        assert SECRET not in text
        assert KEY not in text


@pytest.mark.parametrize(
    "arguments",
    [{"phrase": "open-sesame-1001"}, '{"phrase": "open-sesame-1001"', '{"phrase": "open-sesame-1001", "n": "x"}'],
)
def test_no_line_holds_a_secret_argument(logged, run, lines, arguments):
    def unlock(phrase: str, n: int = 0) -> str:
        if n == 0:
            raise errors.ToolExecutionError(f"Wrong: {phrase}")
        return phrase

    run(logged(Tool.from_function(unlock, secret="phrase")), "unlock", arguments)
    assert lines.records
    assert not [text for text in lines.raw if "open-sesame" in text]


def test_braces_in_foreign_text_are_no_format(logged, run, lines):
    run(logged(read), "read", {"path": "{path!r} {0} {} %s {__class__}"})
    assert "{path!r} {0} {} %s {__class__}" in lines.of("INFO")[0]


def test_a_sink_that_fails_changes_nothing(make_pipeline, run, capsys):
    def sink(message: Any) -> None:
        raise OSError("disk full")

    pipeline = make_pipeline(read)
    logger.remove()
    logger.add(sink, catch=False)
    try:
        pipeline.enable_logging()
        assert run(pipeline, "read", {"path": "a"}).content == "read a"
    finally:
        logger.remove()


def test_the_standard_librarys_logging_is_left_alone(logged, run, lines, caplog):
    with caplog.at_level(logging.DEBUG):
        run(logged(fail), "fail")
    assert [record for record in caplog.records if record.name != "asyncio"] == []
