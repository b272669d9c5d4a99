"""Log lines: failures and steps by default, one line for each, redacted, and nobody can forge one."""

from __future__ import annotations

import datetime
import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from loguru import logger

from mulligan import Pipeline, Policy, Tool, ToolCall, errors
from mulligan.plugin import hookimpl

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


def lose() -> None:
    raise errors.ToolAuthenticationError("The key was refused.")


@pytest.fixture
def logged(make_pipeline: Callable[..., Pipeline]) -> Callable[..., Pipeline]:
    def make(*tools: Any, level: str = "INFO", **options: Any) -> Pipeline:
        pipeline = make_pipeline(*tools, **options)
        pipeline.enable_logging(level)
        return pipeline

    return make


# --- the standard logger, by default


@pytest.fixture
def standard(caplog: pytest.LogCaptureFixture) -> Callable[[], list[tuple[str, str]]]:
    caplog.set_level(logging.DEBUG, "mulligan")
    return lambda: [(one.levelname, one.getMessage()) for one in caplog.records if one.name == "mulligan"]


def test_loguru_gets_nothing_until_it_is_asked_for(make_pipeline, run, lines):
    pipeline = make_pipeline(read, fail)
    run(pipeline, "read", {"path": "a"})
    run(pipeline, "fail")
    run(pipeline, "nope")
    assert lines.records == []


def test_a_crash_is_a_warning_with_inputs_duration_chain_and_the_tools_own_frames(make_pipeline, run, standard):
    def load(path: str) -> None:
        try:
            raise LookupError("the first cause")
        except LookupError as error:
            raise ValueError("no config in here") from error

    run(make_pipeline(load), "load", {"path": "a.md"}, call_id="c1")
    [(level, text)] = standard()
    first, *rest = text.split("\n")
    assert level == "WARNING"
    assert first.startswith("load (c1) failed after ")
    assert first.endswith(' s: ToolExecutionError: The tool failed with ValueError; inputs: {"path":"a.md"}')
    assert rest[:2] == ["  ValueError: no config in here", "  caused by LookupError: the first cause"]
    assert f'File "{__file__}"' in rest[2]
    assert text.count("File ") == 1
    assert "mulligan/" not in text.replace(__file__, "")


@pytest.mark.parametrize("options", [{"timeout": 5.0}, {"inline": True}, {"killable": True}])
def test_our_own_frames_are_left_out_wherever_a_tool_runs(make_pipeline, run, standard, options):
    run(make_pipeline(Tool.from_function(fail, name="work", **options)), "work")
    [(_, text)] = standard()
    assert "src/mulligan" not in text
    assert "File " in text


def test_a_classified_failure_and_a_models_mistake_are_one_line_of_info(make_pipeline, run, standard):
    def missing(path: str) -> None:
        raise FileNotFoundError(2, "No such file or directory", path)

    pipeline = make_pipeline(missing, read)
    run(pipeline, "missing", {"path": "/srv/a"})
    run(pipeline, "nope")
    run(pipeline, "read", {}, call_id="c3")
    (first, second, third) = standard()
    assert first[0] == second[0] == third[0] == "INFO"
    assert first[1].endswith('ResourceNotFoundError: Resource not found: /srv/a; inputs: {"path":"/srv/a"}')
    assert second[1] == "nope was not run: ToolNotFoundError: Tool 'nope' not found; inputs: none"
    assert third[1] == (
        "read (c3) was not run: ToolArgumentError: Invalid arguments: one problem; nothing was run; inputs: {}"
    )


def test_a_fatal_error_is_an_error_with_its_own_text_and_no_frames(make_pipeline, run, standard):
    def pay() -> None:
        try:
            raise ConnectionError("the gateway said 401")
        except ConnectionError as error:
            raise errors.ToolAuthenticationError("The key was refused.") from error

    run(make_pipeline(pay), "pay")
    [(level, text)] = standard()
    assert level == "ERROR"
    assert text.split("\n")[1:] == ["  ConnectionError: the gateway said 401"]


def test_a_plugins_fault_is_an_error(make_pipeline, run, standard, plugin):
    pipeline = make_pipeline(plugins=[plugin("acme", hints=lambda: 1 / 0)])
    for _ in range(3):
        run(pipeline, "nope")
    told = [text for level, text in standard() if level == "ERROR"]
    assert told == [
        "plugin acme, hook hints: ZeroDivisionError: division by zero",
        "plugin acme, hook hints: ZeroDivisionError: division by zero",
        "plugin acme, hook hints: ZeroDivisionError: division by zero; the plugin is disabled",
    ]


def test_a_success_is_no_line_by_default(make_pipeline, run, standard):
    run(make_pipeline(read), "read", {"path": "a"})
    assert standard() == []


def test_each_step_is_a_line_with_what_was_invalid_repaired_and_failed(make_pipeline, standard):
    pipeline = make_pipeline(read, policy=Policy(repair="json"))
    pipeline.session("talk").call_many(
        [
            ToolCall("c1", "read", '{"path": "a",}'),
            ToolCall("c2", "rea", "{}"),
            ToolCall("c3", "read", '{"path": "b"}'),
        ]
    )
    [text] = [text for _, text in standard() if "step" in text]
    assert text.startswith("[talk] step 1 ended after ")
    assert text.endswith(" s: read (c1) repaired; rea (c2) invalid, failed; read (c3)")


def test_a_notice_for_the_user_is_a_line(make_pipeline, standard):
    def pay() -> None:
        raise errors.ToolQuotaError("No credit.", user_message="The account has no credit left.")

    make_pipeline(pay).session("talk").call_many([ToolCall("c1", "pay")])
    assert ("INFO", "[talk] for the user: The account has no credit left.") in standard()


def test_an_unconfigured_program_shows_a_crash_and_no_mistake_of_the_model():
    program = """
from mulligan import Pipeline
def crash(): raise ValueError("no config")
pipeline = Pipeline([crash], autoload=False)
pipeline.call("nope")
pipeline.call("crash")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stderr.startswith("crash failed after ")
    assert "no config" in ended.stderr
    assert "nope" not in ended.stderr


def test_records_have_the_fields_as_an_attribute(make_pipeline, run, caplog):
    caplog.set_level(logging.INFO, "mulligan")
    run(make_pipeline(read), "read", {}, call_id="c1")
    fields = caplog.records[-1].mulligan
    assert (fields["event"], fields["tool"], fields["call_id"], fields["invalid"]) == (
        "call_finished",
        "read",
        "c1",
        True,
    )


def test_the_default_can_be_blocked_or_turned_off(make_pipeline, run, standard):
    run(make_pipeline(fail, block=["logging"]), "fail")
    silent = make_pipeline(fail)
    silent.enable_logging("OFF")
    run(silent, "fail")
    assert standard() == []


def test_a_plugin_that_cannot_be_loaded_is_an_error(make_pipeline, standard, monkeypatch):
    from mulligan.hooks.discovery import Entry

    broken = Entry("acme", "a_module_that_does_not_exist", "mulligan-acme", "1.0")
    monkeypatch.setattr("mulligan.hooks.discovery.discover", lambda: ([broken], []))
    Pipeline()
    [(level, text)] = standard()
    assert level == "ERROR"
    assert text.startswith("plugin acme, hook load: plugin 'acme' failed at import")


# --- turned on


def test_loguru_is_not_imported_until_it_is_asked_for():
    program = """
import sys
from mulligan import Pipeline
pipeline = Pipeline(autoload=False)
print("logging" in sys.modules, "loguru" in sys.modules)
pipeline.call("nope")
print("loguru" in sys.modules)
pipeline.enable_logging()
print("loguru" in sys.modules)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ended.stdout.split()[-3:] == ["False", "False", "True"], ended.stderr


def test_the_clock_of_json_lines_is_imported_with_the_first_line():
    program = """
import sys
from mulligan import Pipeline
pipeline = Pipeline(autoload=False)
pipeline.enable_logging(sink="json")
print("datetime" in sys.modules)
pipeline.call("nope")
print("datetime" in sys.modules)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ended.stdout.split() == ["False", "True"], ended.stderr


def test_a_success(logged, run, lines):
    run(logged(read), "read", {"path": "a.md"}, call_id="c1")
    [(level, text)] = lines.records
    assert level == "SUCCESS"
    assert text.startswith("read (c1) ended after ")
    assert text.endswith(' s, 9 characters; inputs: {"path":"a.md"}')


def test_a_call_without_arguments(logged, run, lines):
    run(logged(Tool.from_function(lambda: 1, name="now")), "now")
    assert lines.of("SUCCESS")[0].endswith("; inputs: none")


def test_long_arguments_are_shortened(logged, run, lines):
    run(logged(read), "read", {"path": "word " * 10_000})
    assert len(lines.of("SUCCESS")[0]) < 300


def test_the_attempts_before_are_in_the_line_of_the_call(logged, run, lines):
    tries: list[int] = []

    def flaky() -> str:
        tries.append(1)
        if len(tries) < 3:
            raise errors.ToolUnavailableError("Busy.", retry_after=0.001)
        return "ok"

    run(logged(Tool.from_function(flaky, read_only=True)), "flaky")
    [text] = lines.of("SUCCESS")
    assert text.endswith("attempts: 3, after ToolUnavailableError: Busy., ToolUnavailableError: Busy.")


def test_many_calls_make_few_lines(logged, lines):
    def missing(path: str) -> None:
        raise FileNotFoundError(2, "No such file or directory", path)

    session = logged(read, missing).session("talk")
    for number in range(13):
        session.call_many(
            [ToolCall(f"a{number}", "read", {"path": "a"}), ToolCall(f"b{number}", "missing", {"path": str(number)})]
        )
    assert sum(len(text.splitlines()) for text in lines.raw) == 26 + 13


def test_many_crashes_make_few_lines(logged, lines):
    def parse(text: str) -> int:
        return int(text)

    def work(text: str) -> int:
        try:
            return parse(text)
        except ValueError as error:
            raise RuntimeError("no number") from error

    session = logged(Tool.from_function(work)).session("talk")
    for number in range(26):
        session.call("work", {"text": f"word {number}"})
    assert sum(len(text.splitlines()) for text in lines.raw) <= 26 * 8


def test_while_it_is_on_the_standard_logger_gets_nothing(logged, run, lines, standard):
    run(logged(fail), "fail")
    assert lines.of("WARNING")
    assert standard() == []


def test_json_lines_are_objects_with_time_level_message_and_fields(make_pipeline, run, capsys):
    pipeline = make_pipeline(read, fail)
    pipeline.enable_logging("INFO", sink="json")
    run(pipeline, "read", {"path": "a\nb"}, call_id="c1")
    run(pipeline, "fail")
    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert (first["level"], first["event"], first["tool"], first["call_id"]) == (
        "SUCCESS",
        "call_finished",
        "read",
        "c1",
    )
    assert datetime.datetime.fromisoformat(first["time"]).tzinfo is not None
    assert (second["level"], second["error"], second["rule"]) == ("WARNING", "ToolExecutionError", "host:unclassified")
    assert second["details"][0].startswith("ValueError: no")


def test_the_standard_logger_as_a_sink_gets_successes_too(make_pipeline, run, standard):
    pipeline = make_pipeline(read)
    pipeline.enable_logging("INFO", sink="logging")
    run(pipeline, "read", {"path": "a"})
    assert [level for level, _ in standard()] == ["INFO"]


@pytest.mark.parametrize(
    ("level", "kept"),
    [
        ("INFO", {"INFO", "SUCCESS", "WARNING", "ERROR"}),
        ("SUCCESS", {"SUCCESS", "WARNING", "ERROR"}),
        ("WARNING", {"WARNING", "ERROR"}),
        ("ERROR", {"ERROR"}),
        ("OFF", set()),
    ],
)
def test_levels(logged, run, lines, plugin, level, kept):
    pipeline = logged(read, fail, level=level, plugins=[plugin("acme", hints=lambda: 1 / 0)])
    run(pipeline, "read", {"path": "a"})
    run(pipeline, "nope")
    run(pipeline, "fail")
    assert {name for name, _ in lines.records} == kept


@pytest.mark.parametrize("level", ["verbose", "info", "", 10, None])
def test_an_unknown_level_is_named(make_pipeline, lines, level):
    with pytest.raises(errors.UsageError, match="INFO, SUCCESS, WARNING"):
        make_pipeline(read).enable_logging(level)


@pytest.mark.parametrize("sink", ["syslog", "", None])
def test_an_unknown_sink_is_named(make_pipeline, sink):
    with pytest.raises(errors.UsageError, match="unknown log sink .*; available: loguru, logging, json"):
        make_pipeline(read).enable_logging(sink=sink)


def test_turning_it_on_twice_writes_each_line_once(logged, run, lines):
    pipeline = logged(read)
    pipeline.enable_logging()
    pipeline.enable_logging("ERROR")
    pipeline.enable_logging("INFO")
    run(pipeline, "read", {"path": "a"})
    assert [name for name, _ in lines.records] == ["SUCCESS"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", "INFO"), ("info", "INFO"), ("ERROR", "ERROR"), ("error", "ERROR"), ("0", None), ("off", None), ("", None)],
)
def test_the_environment_turns_it_on(make_pipeline, run, lines, monkeypatch, value, expected):
    monkeypatch.setenv("MULLIGAN_LOG", value)
    pipeline = make_pipeline(read, lose)
    run(pipeline, "read", {"path": "a"})
    run(pipeline, "lose")
    levels = [name for name, _ in lines.records]
    assert levels == {"INFO": ["SUCCESS", "ERROR"], "ERROR": ["ERROR"], None: []}[expected]


def test_the_environment_turns_all_of_it_off(make_pipeline, run, standard, monkeypatch):
    monkeypatch.setenv("MULLIGAN_LOG", "off")
    run(make_pipeline(lose), "lose")
    assert standard() == []


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


@pytest.mark.parametrize("place", ["session id", "call id", "name", "crash"])
def test_no_field_of_a_json_line_holds_a_secret(make_pipeline, capsys, place):
    def work() -> str:
        raise ValueError(KEY)

    pipeline = make_pipeline(Tool.from_function(work))
    pipeline.enable_logging(sink="json")
    name = f"work {KEY}" if place == "name" else "work"
    session = pipeline.session(KEY if place == "session id" else "talk")
    session.call_many([ToolCall(KEY if place == "call id" else "c1", name, {})])
    told = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert {one["event"] for one in told} == {"call_finished", "step_finished", "notice"}
    assert KEY not in str(told)


def test_braces_in_foreign_text_are_no_format(logged, run, lines):
    run(logged(read), "read", {"path": "{path!r} {0} {} %s {__class__}"})
    assert "{path!r} {0} {} %s {__class__}" in lines.of("SUCCESS")[0]


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


def test_an_observers_fault_is_an_error_too_and_does_not_cause_another(make_pipeline, run, standard, plugin):
    pipeline = make_pipeline(plugins=[plugin("acme", observe=lambda event: 1 / 0)])
    for _ in range(4):
        run(pipeline, "nope")
    told = [text for level, text in standard() if level == "ERROR"]
    fault = "plugin acme, hook observe: ZeroDivisionError: division by zero"
    assert told == [fault, fault, f"{fault}; the plugin is disabled"]
    assert len(pipeline.faults) == 3


def test_a_fault_of_an_async_observer_is_logged_and_three_are_enough(make_pipeline, run, standard):
    class Acme:
        @hookimpl
        async def observe(self, event):
            raise RuntimeError("disk full")

    with make_pipeline(plugins=[Acme()]) as pipeline:
        for _ in range(6):
            run(pipeline, "nope")
    told = [text for level, text in standard() if level == "ERROR"]
    assert told[-1] == "plugin Acme, hook observe: RuntimeError: disk full; the plugin is disabled"
    assert len(told) == len(pipeline.faults) == 3


def test_an_error_without_a_text_has_the_sentence_that_the_model_reads(make_pipeline, run, standard):
    def pay() -> None:
        raise errors.ToolQuotaError

    result = run(make_pipeline(pay), "pay")
    [(_, text)] = standard()
    assert "A quota, credit balance or disk is exhausted. Increase it, then try again." in result.content
    assert text.split("\n")[0].endswith(
        ": ToolQuotaError: A quota, credit balance or disk is exhausted. Increase it, then try again; inputs: none"
    )
