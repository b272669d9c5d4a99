"""Repair: the built-in repairers that a policy turns on. What each reads, what it leaves alone, and what is told of it."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import sys
from typing import Annotated, Literal

import pytest
import repair_cases
from loguru import logger

from mulligan import Policy, Repair, Tool, ToolCall, errors
from mulligan.plugin import CallRepaired, Limits, Run
from mulligan.repair.json_tokens import is_complete, tokenize
from mulligan.repair.lossless import LosslessCheck

KINDS = ("json", "coerce", "name")


class Level(enum.Enum):
    LOW = "low"
    URGENT = "very urgent"


def file(
    path: str,
    text: str = "",
    count: int = 0,
    price: float = 0.0,
    urgent: bool = False,
    tags: list[str] | None = None,
    level: Literal["low", "very_urgent"] = "low",
    meta: dict[str, int] | None = None,
) -> str:
    told = {"text": text, "count": count, "price": price, "urgent": urgent, "tags": tags, "level": level, "meta": meta}
    changed = {name: value for name, value in told.items() if value not in ("", 0, False, None, "low")}
    return f"{path} {json.dumps(changed)}" if changed else path


def read(path: str) -> str:
    return f"read {path}"


READING = Tool.from_function(file, name="read_file", read_only=True)
WRITING = Tool.from_function(file, name="write_file")
BOTH = pytest.mark.parametrize("name", ["read_file", "write_file"])


@pytest.fixture
def pipeline(make_pipeline):
    return make_pipeline(READING, WRITING, policy=Policy(repair="all"))


@pytest.fixture
def without_library(monkeypatch):
    """json-repair as it is where it is not installed."""
    monkeypatch.setitem(sys.modules, "json_repair", None)


@pytest.fixture
def log_lines():
    lines = []
    logger.remove()
    logger.add(lines.append, format="{message}", level="TRACE")
    yield lambda: [line.strip() for line in lines]
    logger.remove()


def told(result) -> str:
    """What a call that was repaired gave, without the note on the repair."""
    assert not result.is_error, result.content
    assert result.repairs
    return result.content.split("\nNote: ")[0]


# --- what the policy turns on


@pytest.mark.parametrize(
    ("kind", "name", "sent"),
    [
        ("json", "write_file", "{'path': 'a'}"),
        ("coerce", "write_file", {"path": "a", "count": "3"}),
        ("name", "ReadFile", {"path": "a"}),
    ],
)
def test_each_repairer_is_off_until_the_policy_turns_it_on(make_pipeline, run, kind, name, sent):
    others = [other for other in KINDS if other != kind]
    for policy in (Policy(), Policy(repair=others)):
        result = run(make_pipeline(READING, WRITING, policy=policy), name, sent)
        assert result.is_error
        assert result.repairs == ()
    for policy in (Policy(repair=kind), Policy(repair=[kind]), Policy(repair="all")):
        assert told(run(make_pipeline(READING, WRITING, policy=policy), name, sent)).startswith("a")


def test_without_a_policy_there_is_no_such_plugin(make_pipeline):
    assert [info.name for info in make_pipeline(policy=Policy(repair="json")).plugins][-1] == "repair"
    assert "repair" not in [info.name for info in make_pipeline().plugins]


def test_it_can_be_blocked(make_pipeline, run):
    pipeline = make_pipeline(WRITING, policy=Policy(repair="all"), block=["repair"])
    assert run(pipeline, "write_file", "{'path': 'a'}").is_error
    assert [info.state for info in pipeline.plugins if info.name == "repair"] == ["blocked"]


def test_a_plugin_is_asked_before_the_built_in_ones(make_pipeline, plugin, run):
    mine = plugin(repair=lambda call: lambda: call._replace(arguments={"path": "A"}))
    pipeline = make_pipeline(READING, WRITING, plugins=[mine], policy=Policy(repair="all"))
    assert told(run(pipeline, "read_file", "{'path': 'a'}")) == "A"
    assert run(pipeline, "write_file", "{'path': 'a'}").is_error  # a repair does no more than a corrected call may


# --- JSON syntax


@BOTH
@pytest.mark.parametrize(
    ("sent", "read_as"),
    [
        ("{'path': 'a'}", "a"),
        ('{path: "a"}', "a"),
        ('{"path": "a",}', "a"),
        ('{"path": "a" "count": 3}', 'a {"count": 3}'),
        ('{"path": "a", "urgent": True, "tags": None}', 'a {"urgent": true}'),
        ('```json\n{"path": "a"}\n```', "a"),
        ('```\n{"path": "a",}\n```', "a"),
        ('{"path": "a", "text": "one\ntwo"}', 'a {"text": "one\\ntwo"}'),
        ('{"path": "a"}}', "a"),
        ('"{\\"path\\": \\"a\\"}"', "a"),
        ("\"{'path': 'a'}\"", "a"),
        ("{'path': 'say \"hi\"'}", 'say "hi"'),
        ('{"path": "a", "count": 123456789012345678901,}', 'a {"count": 123456789012345678901}'),
    ],
)
@pytest.mark.parametrize("library", [True, False])
def test_json_that_says_clearly_what_it_means(pipeline, run, request, name, sent, read_as, library):
    if not library:
        request.getfixturevalue("without_library")
    assert told(run(pipeline, name, sent)) == read_as
    assert told(run(pipeline, name, sent.encode())) == read_as


@BOTH
@pytest.mark.parametrize(
    "sent",
    [
        '{"path": "a", "path": "b",}',  # which of the two?
        '{"path": "a"}}, "text": "b"}',  # the end would be lost
        '{"path": "C:\\Users\\new"}',  # a line break, or a backslash?
        '{"path": }',
        '{"path": "a", "text": }',
        '{"path": "a", "count": 12 34}',
        '{"path": "a", "count": - 5}',
        '{"path": "a", "price": NaN,}',
        '{"path": "a", "urgent": tru}',
        '{"path": "a"} {"path": "b"}',
        '[{"path": "a"}]',
        "rm -rf /",
        "",
        "{",
        '"',
        "```",
        "'" * 50_000,
        "{" * 30_000,
        '{"path": "' + "a" * 30_000 + '",}',
        "{'path': '\ud800'}",
        "```\n" + "\n" * 2_000,
        "/* " * 6_000,
        '{"path": "' + '\\"' * 9_000,
    ],
)
@pytest.mark.parametrize("library", [True, False])
def test_json_that_may_mean_several_things_is_left_alone(make_pipeline, run, request, name, sent, library):
    if not library:
        request.getfixturevalue("without_library")
    plain = run(make_pipeline(READING, WRITING), name, sent)
    result = run(make_pipeline(READING, WRITING, policy=Policy(repair="json")), name, sent)
    assert (result.content, result.call, result.repairs) == (plain.content, plain.call, ())
    assert result.is_error


@pytest.mark.parametrize(
    ("sent", "read_as", "writing"),
    [
        ("{path: a.md}", "a.md", False),
        ("{path: a.md, count: 3}", 'a.md {"count": 3}', False),
        ('{"path": a.md, "tags": [x, y]}', 'a.md {"tags": ["x", "y"]}', False),
        ('{"path": "a.md", "text": ...}', None, False),
        ('{"path": a.read()}', None, False),
        ("{path: “a b”}", "a b", True),
        ('{"path": "say "hi" now"}', 'say "hi" now', False),  # whoever may not write may guess where it ends
        ("{path: http://a.example/b}", None, False),
    ],
)
def test_json_repair_helps_where_it_is_installed(pipeline, run, monkeypatch, sent, read_as, writing):
    for name, allowed in (("read_file", True), ("write_file", writing)):
        result = run(pipeline, name, sent)
        if allowed and read_as is not None:
            assert told(result) == read_as
        else:
            assert result.is_error
    monkeypatch.setitem(sys.modules, "json_repair", None)
    assert run(pipeline, "read_file", sent).is_error


@pytest.mark.parametrize(
    ("sent", "read_as"),
    [('{"path": "a"', "a"), ('{"path": "a", "tags": ["x", "y"]', 'a {"tags": ["x", "y"]}'), ("{'path': 'a'", "a")],
)
def test_a_bracket_that_is_missing_at_the_end_is_added_for_a_tool_that_only_reads(pipeline, run, sent, read_as):
    assert told(run(pipeline, "read_file", sent)) == read_as
    assert run(pipeline, "write_file", sent).is_error


@pytest.mark.parametrize(
    "sent",
    [
        '{"path": "a',
        '{"path": "a", "count": 1',
        '{"path": "a", "tags": ["x", "y"',
        '{"path": "a",',
        '{"path": "a", "text"',
        '{"path": "a", "urgent": tr',
        "{path: a.m",
    ],
)
@BOTH
def test_a_value_that_was_cut_off_is_completed_for_nobody(pipeline, run, name, sent):
    assert run(pipeline, name, sent).is_error


# --- coercion


@BOTH
@pytest.mark.parametrize(
    ("sent", "read_as"),
    [
        ({"count": "10"}, {"count": 10}),
        ({"count": "-7"}, {"count": -7}),
        ({"count": " 10 "}, {"count": 10}),
        ({"count": "10.0"}, {"count": 10}),
        ({"count": "1000.000"}, {"count": 1000}),
        ({"count": "123456789012345678901"}, {"count": 123456789012345678901}),
        ({"price": "19.90"}, {"price": 19.9}),
        ({"price": "3"}, {"price": 3.0}),
        ({"urgent": "true"}, {"urgent": True}),
        ({"urgent": "True"}, {"urgent": True}),
        ({"text": 48121}, {"text": "48121"}),
        ({"tags": '["x", "y"]'}, {"tags": ["x", "y"]}),
        ({"tags": "x"}, {"tags": ["x"]}),
        ({"text": ["x"]}, {"text": "x"}),
        ({"count": ["10"]}, {"count": 10}),
        ({"price": {"value": "19.90"}}, {"price": 19.9}),
        ({"meta": '{"a": 1}'}, {"meta": {"a": 1}}),
        ({"Text": "x"}, {"text": "x"}),
        ({"count": "10", "urgent": "true"}, {"count": 10, "urgent": True}),
    ],
)
def test_a_value_of_another_type_that_says_the_same(pipeline, run, name, sent, read_as):
    assert told(run(pipeline, name, {"path": "a", **sent})) == f"a {json.dumps(read_as)}"


@pytest.mark.parametrize(
    ("sent", "read_as"),
    [
        ({"body": "x"}, {"text": "x"}),
        ({"body": ["x"], "count": "10"}, {"text": "x", "count": 10}),
    ],
)
def test_only_a_tool_that_reads_is_run_under_another_argument_name(pipeline, run, sent, read_as):
    reading = run(pipeline, "read_file", {"path": "a", **sent})
    assert told(reading) == f"a {json.dumps(read_as)}"
    assert f"were read as {json.dumps({'path': 'a', **read_as})}" in reading.content
    writing = run(pipeline, "write_file", {"path": "a", **sent})
    assert writing.is_error
    assert writing.attempts == 0


@BOTH
@pytest.mark.parametrize(
    "sent",
    [
        {"count": "ten"},
        {"count": "three nights"},
        {"count": "10 kg"},
        {"count": "1,000"},
        {"count": "1.000"},
        {"count": "010"},
        {"count": "１０"},
        {"count": "10.5"},
        {"count": "1e3"},
        {"count": "0x10"},
        {"count": 10.5},
        {"count": True},
        {"price": "19.90 euros"},
        {"price": "0.1000000000000000000001"},
        {"price": "inf"},
        {"urgent": "yes"},
        {"urgent": "1"},
        {"urgent": 1},
        {"text": 1.10},
        {"text": True},
        {"text": ["x", "y"]},
        {"text": []},
        {"text": {"a": 1}},
        {"tags": "x, y"},
        {"tags": "x y"},
        {"tags": '["x", 1.5]'},
        {"tags": ["x", None]},
        {"meta": '{"a": 1, "a": 2}'},
        {"meta": '{"a": 1'},
        {"level": "urgent"},
        {"level": "Very-Urgent"},
        {"level": "very"},
        {"txt": "x"},
        {"body": "yes", "count": "ten"},
        {"path": None},
        {"count": None},  # left out it is 0, which null does not say
    ],
)
def test_a_value_that_would_have_to_be_guessed_is_left_alone(make_pipeline, run, name, sent):
    sent = {"path": "a", **sent}
    plain = run(make_pipeline(READING, WRITING), name, sent)
    result = run(make_pipeline(READING, WRITING, policy=Policy(repair="all")), name, sent)
    assert result.is_error
    assert (result.content, result.repairs) == (plain.content, ())
    assert result.error.arguments == plain.error.arguments


@pytest.mark.parametrize(
    ("sent", "read_as"),
    [
        ("-1", "+1"),
        ("C", "C++"),
        ("1.5", "15"),
        ("-date", "date"),
        ("M", "m"),
        (1, True),
        (True, "True"),
        ("a", "b"),
        (["1"], [1, 2]),
        ([1], [1.5]),
        ({"a": 1}, {"b": 1}),
        ({"aaa": 1}, {"aaa": 1, "bbb": 2}),
        ({"aaa": None}, {"aaa": 1}),
        ("[" * 100_000, []),
        ("NaN", float("nan")),
        ("x", None),
        (None, "x"),
    ],
)
def test_what_is_lost(sent, read_as):
    assert not LosslessCheck(WRITING).is_same(sent, read_as)


def test_what_python_builds_is_built_of_a_coerced_value(make_pipeline, run):
    def note(on: datetime.date, amount: decimal.Decimal, level: Level, days: Annotated[int, "from 1"]) -> str:
        return f"{on:%d.%m.%y} {amount + 1} {level.name} {days + 1}"

    sent = {"on": "2026-03-01", "amount": "1.10", "level": "very urgent", "days": "3"}
    assert told(run(make_pipeline(note, policy=Policy(repair="coerce")), "note", sent)) == "01.03.26 2.10 URGENT 4"
    sent["on"] = "2026-02-31"
    assert run(make_pipeline(note, policy=Policy(repair="coerce")), "note", sent).is_error


def test_broken_json_with_values_to_coerce(pipeline, run):
    result = run(pipeline, "write_file", "{'path': 'a', 'count': '10'}")
    assert told(result) == 'a {"count": 10}'
    assert result.call.arguments == {"path": "a", "count": 10}


# --- names


@pytest.mark.parametrize(
    "name",
    [
        "ReadFile",
        "READ_FILE",
        "read-file",
        "read.file",
        "read file",
        "readFile",
        "fs__read_file",
        "mcp__fs__ReadFile",
        "functions.read_file",
    ],
)
def test_a_name_that_differs_in_style_only(pipeline, run, name):
    result = run(pipeline, name, {"path": "a"}, call_id="7")
    assert told(result) == "a"
    assert result.call == ToolCall("7", "read_file", {"path": "a"})
    assert [repair.kind for repair in result.repairs] == ["name"]


@pytest.mark.parametrize(
    "name",
    [
        "read_fil",
        "read_files",
        "readfile2",
        "file_read",
        "get_file",
        "rеad_file",
        "delete.read_file",
        "",
        " ",
        "fs__",
        "a" * 9_000,
    ],
)
def test_a_name_that_is_only_near(make_pipeline, run, name):
    result = run(make_pipeline(READING, WRITING, policy=Policy(repair="all")), name, {"path": "a"})
    assert isinstance(result.error, errors.ToolNotFoundError)
    assert result.content == run(make_pipeline(READING, WRITING), name, {"path": "a"}).content


@pytest.mark.parametrize("name", ["WriteFile", "write-file", "fs__write_file"])
def test_no_other_name_leads_to_a_tool_that_may_write(pipeline, run, name):
    result = run(pipeline, name, {"path": "a"})
    assert isinstance(result.error, errors.ToolNotFoundError)
    assert result.error.suggestions[0] == "write_file"


def test_a_name_that_two_tools_have_but_for_style(make_pipeline, run):
    tools = [Tool.from_function(read, name=name, read_only=True) for name in ("read_file", "readFile")]
    assert run(make_pipeline(*tools, policy=Policy(repair="name")), "READFILE", {"path": "a"}).is_error


def test_a_name_and_its_arguments(pipeline, run):
    result = run(pipeline, "readFile", "{'path': 'a', 'count': '3'}")
    assert told(result) == 'a {"count": 3}'
    assert [(repair.kind, repair.after) for repair in result.repairs] == [
        ("name", "read_file"),
        ("arguments", '{"path": "a", "count": 3}'),
    ]
    result = run(pipeline, "readFile", {"count": 3})
    assert isinstance(result.error, errors.ToolNotFoundError)
    assert result.repairs == ()


# --- what is told, and what a session remembers


def test_the_model_is_told_what_was_read_as_what(pipeline, run):
    result = run(pipeline, "write_file", "{'path': 'a'}")
    assert result.content == 'a\nNote: your arguments were not valid JSON and were read as {"path": "a"}.'
    assert result.repairs == (Repair("arguments", "{'path': 'a'}", '{"path": "a"}', was_json=False),)
    assert result.to_dict()["repairs"] == [
        {"kind": "arguments", "before": "{'path': 'a'}", "after": '{"path": "a"}', "was_json": False}
    ]
    assert [type(event) for event in result.events] == [CallRepaired]


def test_the_model_is_told_of_a_repair_too_when_the_tool_fails(make_pipeline, run):
    def work(n: int) -> None:
        raise FileNotFoundError("a.md")

    result = run(make_pipeline(work, policy=Policy(repair="all")), "work", {"n": "3"})
    assert isinstance(result.error, errors.ResourceNotFoundError)
    assert 'Note: your arguments did not match the schema and were read as {"n": 3}.' in result.content.splitlines()


def test_the_log_says_so(pipeline, run, log_lines):
    pipeline.enable_logging()
    run(pipeline, "readFile", "{'path': 'a'}")
    [line] = log_lines()
    assert line.startswith("read_file ended after ")
    assert line.endswith(
        "; tool readFile was read as read_file; {'path': 'a'} was read as {\"path\": \"a\"}",
    )


def test_what_is_secret_is_not_told(make_pipeline, run, log_lines):
    def login(user: str, password: str) -> str:
        return f"hello {user}"

    pipeline = make_pipeline(Tool.from_function(login, secret="password"), policy=Policy(repair="all"))
    pipeline.enable_logging()
    for sent in ("{'user': 'ann', 'password': 'hunter2-or-so'}", {"user": 5, "password": "hunter2-or-so"}):
        result = run(pipeline, "login", sent)
        assert told(result).startswith("hello")
        assert "hunter2" not in f"{result.content} {result.repairs} {result.to_dict()} {log_lines()}"


def test_a_repaired_call_that_fails_again_and_again_is_noticed(make_pipeline, run):
    def work(n: int) -> None:
        raise ValueError("no")

    pipeline = make_pipeline(work, policy=Policy(repair="all"))
    session = pipeline.session()
    told = [run(pipeline, "work", {"n": sent}, session=session) for sent in ("3", 3, "3", 3)]
    assert [result.attempts for result in told] == [1, 1, 1, 0]


# --- what the flow holds every repairer to


def test_nobody_completes_for_a_tool_that_may_write(make_pipeline, plugin, run):
    mine = plugin(repair=lambda call: lambda: call._replace(arguments={"path": "A"}))
    pipeline = make_pipeline(READING, WRITING, plugins=[mine])
    for sent in ('{"path": "a', b'{"path": "a', '{"path": "a"', '{"path": ["a"}', "", " ", None, '"{\\"path\\": 1"'):
        assert run(pipeline, "write_file", sent).is_error
    for sent in ('{"path": "a', b'{"path": "a', '{"path": "a"', '{"path": ["a"}'):
        assert told(run(pipeline, "read_file", sent)) == "A"
    assert pipeline.faults == ()


def test_a_repairer_of_a_tool_that_may_write_changes_the_form_and_not_the_meaning(make_pipeline, plugin, run):
    mine = plugin(repair=lambda call: lambda: call._replace(arguments={"path": "1"}))
    pipeline = make_pipeline(READING, WRITING, plugins=[mine])
    for sent in ({"path": 1}, "{'path': 1}", '"{\\"path\\": 1}"'):
        assert told(run(pipeline, "write_file", sent)) == "1"
    for sent in ("{}", {}, {"path": 2}, {"path": 1, "text": 5}, "{'path': 1 // the first\n}", {"path": True}):
        assert run(pipeline, "write_file", sent).is_error
    assert told(run(pipeline, "read_file", "{'path': 1 // the first\n}")) == "1"
    assert run(pipeline, "read_file", {"path": 2}).is_error  # nothing that was not sent, for any tool
    assert pipeline.faults == ()


@pytest.mark.parametrize(
    ("sent", "whole"),
    [
        ("{'a': 'b}'}", True),
        ("{'a': 'b}", False),
        ("{“a”: “b}", False),
        ('{"a": 1} ```', True),
        ('{"a": 1} and so on', False),
        ('{"a": /* 1}', False),
        ("/* " * 100_000, False),
        ('{"a": [1}', False),
        ('{"a": [1}}', False),
        (b'{"a": 1}', True),
        ("text", False),
    ],
)
def test_what_is_whole(sent, whole):
    assert is_complete(sent) == whole


@pytest.mark.parametrize("opened", ["/* ", "“", '"', "'", "{", '{"a": “', "-0 /* ", "```"])
def test_what_is_opened_again_and_again_is_read_once(opened):
    """In quadratic time, these would take minutes."""
    text = opened * 200_000
    assert not is_complete(text)
    assert len(list(tokenize(text))) <= 1_600_000


def test_only_an_unknown_name_or_invalid_input_is_repaired(make_pipeline, plugin, run):
    asked = []
    broken = Tool.from_schema("broken", "", {"type": "object", "properties": {"a": {"type": 3}}}, dict)
    pipeline = make_pipeline(read, broken, plugins=[plugin(repair=lambda error: asked.append(type(error).__name__))])
    for name, sent in (("broken", {"a": 1}), ("read", {"path": "a"}), ("read", {}), ("nope", {})):
        run(pipeline, name, sent)
    assert asked == ["ToolArgumentError", "ToolNotFoundError"]


def test_a_repairer_that_says_its_deadline(make_pipeline, plugin, run):
    import threading

    stop = threading.Event()

    def repair(call):
        return Run(lambda: stop.wait(20) and ToolCall(None, "read", {"path": "late"}), 0.02)

    result = run(make_pipeline(read, plugins=[plugin(repair=repair)]), "read", {})
    stop.set()
    assert isinstance(result.error, errors.ToolArgumentError)


def test_one_tool_that_cannot_be_described_hinders_no_repair_of_another(make_pipeline, run):
    odd = Tool.from_schema("odd", "", {"type": "object", "properties": {"other": {"type": "complex"}}}, dict)
    pipeline = make_pipeline(WRITING, odd, policy=Policy(repair="all"))
    assert told(run(pipeline, "write_file", "{'path': 'a'}")) == "a"


def test_the_specs_that_a_repairer_gets_can_be_neither_run_nor_changed(make_pipeline, plugin, run):
    seen = []

    def repair(toolset):
        seen.append((list(toolset), len(toolset), "write_file" in toolset, "nope" in toolset, toolset.get("nope")))
        assert toolset["write_file"] is toolset.get("write_file")
        for spec in (*toolset.values(), *dict(toolset.items()).values()):
            with pytest.raises(errors.UsageError, match="cannot run tools"):
                spec.handler(path="a")
        for change in (lambda: toolset.remove("write_file"), lambda: toolset.add(read)):
            with pytest.raises(errors.UsageError, match="this toolset is read-only"):
                change()
        seen.append((list(toolset), toolset.suggest("red_file").names))

    pipeline = make_pipeline(READING, WRITING, plugins=[plugin(repair=repair)], strict=False)
    run(pipeline, "write_file", {})
    assert seen == [
        (["read_file", "write_file"], 2, True, False, None),
        (["read_file", "write_file"], ("read_file",)),
    ]
    assert list(pipeline.tools) == ["read_file", "write_file"]
    assert pipeline.faults == ()


def test_the_limits_hold_for_what_was_repaired(make_pipeline, run):
    pipeline = make_pipeline(WRITING, policy=Policy(repair="all"), limits=Limits(depth=3))
    assert run(pipeline, "write_file", "{'path': 'a', 'meta': {'a': {'a': {'a': 1}}}}").is_error


# --- what it shows: more of it by `python bench/repair_safety.py`


@pytest.mark.parametrize("library", [True, False])
def test_arguments_that_were_cut_off_run_no_tool_that_may_write(make_pipeline, request, library):
    if not library:
        request.getfixturevalue("without_library")
    found = repair_cases.run_prefixes(make_pipeline, 7, 2_000)
    assert (found["written"], found["read_with_another_value"]) == (0, 0)
    assert found["read"] > 20


def test_a_name_that_is_nearly_right_runs_no_tool_but_one_of_that_name_that_only_reads(make_pipeline):
    found = repair_cases.run_names(make_pipeline, 7, 2_500)
    assert (found["written"], found["read_by_another_name"]) == (0, 0)
    assert found["read"] > 100
