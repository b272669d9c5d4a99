"""`mulligan explain --value`, run in this process as a user types it: the verdict on a returned value, and why."""

from __future__ import annotations

import importlib
import io
import json
import re
import sys

import pytest

from mulligan.classify.detect import declared, mappings, values
from mulligan.cli import detection, main

TOOLS = '''
from mulligan import Failure, tool


@tool(read_only=True, output_schema={"type": "object", "properties": {"error": {"type": "string"}}})
def get_reading(id: int) -> dict[str, object]:
    """Get a reading and the error of the measurement."""
    return {}


@tool(detect=False)
def last_line() -> str:
    """The last line of the log."""
    return ""


@tool(detect=lambda value: Failure(value=value, message="the pump is jammed") if value == "E7" else None)
def start_pump() -> str:
    """Start a pump."""
    return ""


@tool(detect=lambda value: 1 / 0)
def broken() -> str:
    """A tool with a bug."""
    return ""
'''
PLUGIN = """
from mulligan.plugin import Failure, hookimpl


@hookimpl
def detect(value, tool):
    return Failure(value=value, message="the pump is jammed") if value == "E7" else None
"""


@pytest.fixture(autouse=True)
def house(tmp_path, monkeypatch):
    for name, text in {"pumps": TOOLS, "jams": PLUGIN}.items():
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setenv("MULLIGAN_DISABLE_PLUGIN_AUTOLOAD", "1")
    return tmp_path


@pytest.fixture
def explain(capsys):
    """Explains a value; gives exit code, stdout and stderr."""

    def run(value, *words):
        code = main(["explain", "--value", value, *words])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def lines(out, name):
    """The texts after a name in the first part of the output."""
    return re.findall(rf"^{name} +(.*)$", out.partition("\n\n")[0], re.MULTILINE)


def test_a_failure_is_shown_with_the_rule_that_found_it_and_what_the_model_reads(explain):
    code, out, err = explain('{"ok": false, "error": "invalid_auth"}')
    assert (code, err) == (0, "")
    assert out.startswith(
        "read as      the JSON value that the_tool returned\n"
        "verdict      a failure\n"
        "detected by  plugin detect, rule apis.detect_flag: Detects a false `ok` or `success` with a reason, "
    )
    assert lines(out, "error") == ["ToolAuthenticationError (UNAUTHENTICATED)"]
    assert lines(out, "decided by") == ["plugin classify, rule body_reason"]
    assert "\nRules:\n\nplugin    rules\nclassify  decided: body_reason; abstains: " in out
    assert "\nThe model reads:\n\nError executing tool the_tool: The service rejected the credentials.\n" in out


def test_it_says_whether_it_is_fatal_in_a_call_and_in_classify(explain):
    assert lines(explain('{"ok": false, "error": "invalid_auth"}')[1], "fatal") == [
        "no: the model may continue (in Pipeline.classify: yes)"
    ]
    assert lines(explain('{"ok": false, "error": "not_found"}')[1], "fatal") == [
        "no: the model may continue (in Pipeline.classify: no)"
    ]
    envelope = '{"isError": true, "content": [{"type": "text", "text": "401 Unauthorized: invalid API key"}]}'
    assert lines(explain(envelope)[1], "fatal") == ["yes: the run must stop (in Pipeline.classify: yes)"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ('{"ok": true, "error": "x"}', "it says that it succeeded (rule mappings.says_success)"),
        (
            '{"ok": false, "errors": ["line 3 is too long"]}',
            "it lists the problems found in what the tool examined (rule mappings.has_findings)",
        ),
        ('{"error": "x", "result": 3}', "it also holds a result (rule mappings.has_result)"),
        (
            '{"id": 7, "status": "failed", "error": "exit code 2"}',
            "it is the record of something other than this call (rule mappings.is_record)",
        ),
        (
            '{"id": 7, "status": "failed", "error": "exit code 2"}',
            "it has fields that no report of a failed call has (rule mappings.is_envelope)",
        ),
        ("all good", detection.UNKNOWN),
        ('{"colour": "red"}', detection.UNKNOWN),
        ("-5", detection.UNKNOWN),
        ("null", detection.UNKNOWN),
        ("", detection.UNKNOWN),
    ],
)
def test_a_result_is_shown_with_what_keeps_it_one(explain, value, reason):
    code, out, err = explain(value)
    assert (code, err) == (0, "")
    assert lines(out, "verdict") == ["a result"]
    assert reason in lines(out, "because")
    assert "error  " not in out
    assert "\nRules:\n" not in out


def test_a_result_is_shown_as_the_model_reads_it(explain):
    assert explain('{"colour": "red"}')[1].endswith('\nThe model reads:\n\n{"colour":"red"}\n')


def test_the_name_of_the_tool_decides_too(explain):
    assert lines(explain("Failed to build the image.", "--tool", "build_image")[1], "verdict") == ["a failure"]
    out = explain("Failed to build the image.", "--tool", "read_log")[1]
    assert lines(out, "verdict") == ["a result"]
    (reason,) = lines(out, "because")
    assert reason.startswith(
        "the name read_log says: it returns a text that someone has written, such as a file or a log"
    )


@pytest.mark.parametrize(
    ("tool", "value", "verdict", "why"),
    [
        ("last_line", "Error: boom", "a result", "the tool has detect=False"),
        ("start_pump", "E7", "a failure", "the tool's own detect function"),
        ("start_pump", "Error: boom", "a result", "the tool's own detect function returns None for it"),
        (
            "broken",
            "Error: boom",
            "a result",
            "the tool's own detect function is broken: ZeroDivisionError: division by zero",
        ),
        (
            "get_reading",
            '{"error": "0.3 degrees"}',
            "a result",
            "it has the fields that output_schema declares (rule declared.is_declared_result)",
        ),
    ],
)
def test_what_the_author_of_the_tool_declares_decides(explain, tool, value, verdict, why):
    _, out, _ = explain(value, "--tools", "pumps", "--tool", tool)
    assert lines(out, "read as") == [f"the {'JSON value' if value[0] == '{' else 'text'} that {tool} returned"]
    assert lines(out, "verdict") == [verdict]
    assert lines(out, "detected by" if verdict == "a failure" else "because") == [why]


def test_a_plugin_that_finds_the_failure_is_named(explain):
    out = explain("E7", "-p", "jams")[1]
    assert lines(out, "detected by") == ["plugin jams"]
    assert "\ndetect    jams              decided: Failure\ndetect    detect (trylast)  abstains\nclassify  " in out
    both = explain('{"ok": false, "error": "x"}', "-p", "jams")[1]
    assert "\ndetect    jams              abstains\ndetect    detect (trylast)  decided: Failure\n" in both
    assert (
        "\ndetect  jams              abstains\ndetect  detect (trylast)  abstains\n" in explain("E8", "-p", "jams")[1]
    )


def test_a_failure_that_a_plugin_does_not_find_again_has_an_unknown_rule(explain, house):
    (house / "moody.py").write_text(
        PLUGIN.replace('if value == "E7"', "if not seen.append(1) and len(seen) == 1") + "\n\nseen = []\n"
    )
    out = explain("E7", "-p", "moody")[1]
    assert lines(out, "verdict") == ["a failure"]
    assert lines(out, "detected by") == ["an unknown rule"]
    assert lines(out, "because") == []


def test_without_the_plugin_that_detects_everything_is_a_result(explain):
    assert lines(explain("Error: boom", "-p", "no:detect")[1], "because") == [detection.UNKNOWN]


def test_what_begins_like_json_and_is_none_is_a_text_and_the_output_says_where(explain):
    told = "the text that the_tool returned; it is not JSON: line 1, column 13: Expecting ',' delimiter"
    assert lines(explain('{"ok": false')[1], "read as") == [told]
    deep = "[" * 200_000
    assert lines(explain(deep)[1], "read as") == [
        "the text that the_tool returned; it is not JSON: it is nested too deeply"
    ]
    assert lines(explain("Error: boom")[1], "read as") == ["the text that the_tool returned"]
    assert lines(explain('"Error: boom"')[1], "read as") == ["the text that the_tool returned"]


def test_json_is_a_text_when_asked_to(explain):
    assert lines(explain('{"error": "boom"}', "--text")[1], "read as") == ["the text that the_tool returned"]


def test_the_arguments_say_what_is_missing(explain):
    out = explain("Error: user not found", "--arguments", '{"user": "bob"}')[1]
    assert lines(out, "user reads") == ["Resource not found: bob"]
    assert lines(explain("Error: user not found")[1], "user reads") != ["Resource not found: bob"]


def test_the_arguments_say_what_an_exception_is_about(capsys):
    main(["explain", "Exception('404: user not found')", "--arguments", '{"user": "bob"}'])
    assert lines(capsys.readouterr().out, "user reads") == ["Resource not found: bob"]


def test_a_transient_failure_is_explained_without_a_retry(explain):
    told = json.loads(explain('{"ok": false, "error": "ratelimited"}', "--json")[1])
    assert (told["error"]["type"], told["attempts"]) == ("ToolRateLimitError", 1)


def test_the_value_is_read_from_stdin(explain, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO('{"error": "café not found"}\n'.encode())))
    assert lines(explain("-")[1], "read as") == ["the JSON value that the_tool returned"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    assert explain("-") == (2, "", "mulligan: stdin, byte 1: not UTF-8; encode the value as UTF-8\n")


def test_as_json(explain):
    told = json.loads(explain('{"ok": false, "error": "invalid_auth"}', "--json")[1])
    assert told["value"] == '{"ok": false, "error": "invalid_auth"}'
    assert told["detected_by"]["rule"] == "apis.detect_flag"
    assert (told["fatal"], told["fatal_in_classify"], told["reasons"]) == (False, True, [])
    assert [one["rule"] for one in told["rules"] if one["answer"] == "decided"] == ["body_reason"]
    assert {(one["hook"], one["plugin"]) for one in told["asked"]} == {("detect", "detect"), ("classify", "classify")}
    result = json.loads(explain('{"ok": true, "error": "x"}', "--json")[1])
    assert (result["is_error"], result["detected_by"], result["fatal_in_classify"]) == (False, None, None)
    assert result["reasons"] == ["it says that it succeeded (rule mappings.says_success)"]


STEP = """write a JSON object, as in '{"id": 7}'"""


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            ("--value", "3", "ValueError"),
            "explain: FAILURE and --value cannot be explained at once; remove one of them",
        ),
        (("--value", "3", "--arguments", "x"), f"--arguments: not JSON; {STEP}"),
        (("--value", "3", "--arguments", "{x"), "--arguments: not JSON (line 1, column 2: Expecting property name "),
        (("--value", "3", "--arguments", "[1]"), f"--arguments: expected an object; {STEP}"),
        (("--value",), "explain: --value requires a value. See mulligan explain --help"),
        (("--value", "3", "--tools", "nowhere"), "--tools nowhere: no module named 'nowhere'; "),
        (("--value", "\ud800"), "--value: contains a lone surrogate; write the whole character, or a JSON escape"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(capsys, words, problem):
    code = main(["explain", *words])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith(f"mulligan: {problem}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_failure_shows_no_secret(explain, options):
    secret = "ghp_" + "Zz9Yy8Xx7W" * 4
    value = json.dumps({"ok": False, "error": f"bad token {secret}"})
    assert secret not in "".join(map(str, explain(value, *options)))


def test_every_look_alike_is_a_check_of_detection():
    """The names of the checks are those that the detectors call."""
    assert [
        name for name in detection._LOOK_ALIKES if not any(hasattr(of, name) for of in (mappings, declared, values))
    ] == []


@pytest.mark.parametrize(
    "value",
    [
        '{"error": "boom"}',
        "Error: boom",
        '{"isError": true, "content": []}',
        '{"returncode": 2, "stderr": "no"}',
        '{"errors": [{"message": "no", "path": ["a"]}], "data": null}',
    ],
)
def test_the_rule_that_finds_a_failure_is_a_function_of_detection(explain, value):
    rule = json.loads(explain(value, "--json")[1])["detected_by"]["rule"]
    family, _, function = rule.partition(".")
    assert callable(getattr(importlib.import_module(f"mulligan.classify.detect.{family}"), function))
