"""`Pipeline.with_tools`: another toolset, everything else shared."""

from __future__ import annotations

import asyncio

import pytest

from mulligan import Pipeline, Policy, hookimpl, tool
from mulligan.errors import UsageError


def read_file(path: str) -> str:
    """Read a file."""
    return f"text of {path}"


def send_mail(to: str) -> str:
    """Send a mail."""
    raise RuntimeError("no mail today")


def read_lines(path: str, first: int) -> str:
    """Read some lines of a file."""
    raise FileNotFoundError(2, "No such file or directory", path)


class Crashing:
    @hookimpl
    def hints(self, error, failure):
        raise KeyError("hints")


def test_a_view_has_its_own_tools_and_neither_sees_those_of_the_other():
    pipeline = Pipeline([read_file], autoload=False)
    view = pipeline.with_tools([send_mail])
    assert view.call("read_file", {"path": "a"}).content.startswith("Error: Tool 'read_file' not found.")
    assert "read_file" not in view.call("read_file", {"path": "a"}).content.split("\n", 1)[1]
    assert pipeline.call("read_file", {"path": "a"}).content == "text of a"
    view.tools.add(read_file)
    assert list(pipeline.tools) == ["read_file"] and sorted(view.tools) == ["read_file", "send_mail"]


def test_a_view_works_after_the_pipeline_is_gone():
    view = Pipeline(autoload=False).with_tools([read_file])
    assert asyncio.run(view.acall("read_file", {"path": "b"})).content == "text of b"


def test_policy_format_and_plugins_are_shared():
    pipeline = Pipeline(autoload=False, format="json", plugins=[Crashing()], policy=Policy.openagents())
    view = pipeline.with_tools([send_mail])
    result = view.call("send_mail", {"to": "x"})
    assert result.fatal and result.content.startswith("{")
    assert [info.name for info in view.plugins] == [info.name for info in pipeline.plugins]


def test_a_plugin_that_is_set_aside_in_one_is_set_aside_in_all():
    pipeline = Pipeline(autoload=False, plugins=[Crashing()])
    first, second = pipeline.with_tools([send_mail]), pipeline.with_tools([send_mail])
    for _ in range(3):
        first.call("send_mail", {"to": "x"})
    assert len(pipeline.faults) == 3
    second.call("send_mail", {"to": "x"})
    assert len(second.faults) == 3 and second.plugins[-1].state == "disabled"


def test_a_session_remembers_failures_of_every_view():
    pipeline = Pipeline(autoload=False)
    session = pipeline.session()
    results = [pipeline.with_tools([send_mail]).call("send_mail", {"to": "x"}, session=session) for _ in range(5)]
    assert [result.attempts for result in results] == [1, 1, 1, 0, 0]
    assert results[4].fatal


class Paused(Exception):
    """What a framework steers with."""


def pause() -> None:
    """Ask a person first."""
    raise Paused


def test_what_a_framework_steers_with_passes_through_its_view_and_through_that_alone():
    pipeline = Pipeline([pause], autoload=False, policy=Policy(control_flow=[KeyError]))
    view = pipeline.with_tools([pause], control_flow=[Paused])
    with pytest.raises(Paused):
        view.call("pause")
    assert view.policy.control_flow == (KeyError, Paused)
    assert pipeline.call("pause").is_error
    with pytest.raises(UsageError, match="use exception classes, or their qualified names"):
        pipeline.with_tools([], control_flow=[3])


def test_calls_made_one_by_one_can_belong_to_one_message():
    session = Pipeline([read_lines], autoload=False).session()
    with session.step():
        results = [session.call("read_lines", {"path": "gone.md", "first": line}) for line in range(6)]
    assert not any(result.fatal for result in results)
    for line in range(7, 10):
        result = session.call("read_lines", {"path": "gone.md", "first": line})
    assert not result.fatal
    assert session.call("read_lines", {"path": "gone.md", "first": 11}).fatal


def test_logging_turned_on_for_a_view_is_on_for_the_pipeline():
    from loguru import logger

    lines: list[str] = []
    pipeline = Pipeline([send_mail], autoload=False)
    sink = logger.add(lines.append, format="{message}")
    try:
        pipeline.with_tools([]).enable_logging()
        pipeline.call("send_mail", {"to": "x"})
    finally:
        logger.remove(sink)
    assert any("send_mail" in line for line in lines)


def test_tools_of_a_view_are_checked():
    pipeline = Pipeline(autoload=False)
    with pytest.raises(UsageError, match="two tools are named 'read_file'"):
        pipeline.with_tools([read_file, read_file])
    with pytest.raises(UsageError, match="unknown feedback format 'poem'"):
        pipeline.with_tools([tool(read_file, format="poem")])
