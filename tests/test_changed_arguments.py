"""A tool may change the lists and mappings that it is called with: nothing else sees that, and a retry gets what was sent."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from mulligan import Approve, Injected, Tool, ToolCall, errors, hookimpl, tool
from mulligan.middleware import retry

SENT = {"path": "a.md", "tags": ["new"], "about": {"size": {"unit": "m"}, "sides": [1, 2]}}
ADDED = count()


@dataclass
class About:
    size: dict[str, str]
    sides: list[int]


class Store:
    """Tools that change everything that they get, and fail."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.error: BaseException = ValueError("no")

    def save(self, path: str, tags: list[str], about: dict[str, Any]) -> str:
        """Save."""
        self.seen.append((path, [*tags], {**about, "sides": [*about["sides"]], "size": {**about["size"]}}))
        tags.append(f"tag{next(ADDED)}")
        about["sides"].clear()
        about["size"][f"more{next(ADDED)}"] = "x"
        raise self.error

    def save_object(self, path: str, tags: tuple[str, ...], about: About) -> str:
        """Save."""
        self.seen.append((path, [*tags], {"sides": [*about.sides], "size": {**about.size}}))
        about.sides.append(next(ADDED))
        about.size[f"more{next(ADDED)}"] = "x"
        raise self.error

    def save_open(self, **arguments: Any) -> str:
        return self.save(**arguments)

    def tool(self, kind: str, **options: Any) -> Tool:
        if kind == "schema":
            parts = {"path": {"type": "string"}, "tags": {"type": "array"}, "about": {"type": "object"}}
            return Tool.from_schema("save", "Save.", {"type": "object", "properties": parts}, self.save_open, **options)
        if kind == "open":
            return Tool.from_schema("save", "Save.", {"type": "object"}, self.save_open, **options)
        return Tool.from_function(self.save if kind == "function" else self.save_object, name="save", **options)


@pytest.fixture
def store() -> Store:
    return Store()


KINDS = pytest.mark.parametrize("kind", ["function", "objects", "schema", "open"])
SENT_AS_RUN = ("a.md", ["new"], {"size": {"unit": "m"}, "sides": [1, 2]})


@KINDS
def test_the_same_call_is_recognised_though_its_tool_changes_the_arguments(make_pipeline, store, kind):
    session = make_pipeline(store.tool(kind)).session()
    results = [session.call("save", SENT) for _ in range(5)]
    assert [result.attempts for result in results] == [1, 1, 1, 0, 0]
    assert results[-1].fatal
    assert store.seen == [SENT_AS_RUN] * 3


@KINDS
@pytest.mark.parametrize("is_text", [False, True], ids=["mapping", "text"])
def test_the_error_has_the_arguments_that_were_sent(make_pipeline, run, store, kind, is_text):
    result = run(make_pipeline(store.tool(kind)), "save", json.dumps(SENT) if is_text else SENT)
    assert result.error.arguments == SENT
    assert SENT["tags"] == ["new"]


def test_the_error_has_what_a_validate_hook_made_of_them(make_pipeline, run, store):
    class Renames:
        @hookimpl
        def validate(self, tool, call):
            return {**SENT, "path": "b.md"}

    result = run(make_pipeline(store.tool("function"), plugins=[Renames()]), "save", {"path": "a.md"})
    assert result.error.arguments == {**SENT, "path": "b.md"}


def test_a_tool_past_its_deadline_changes_what_it_has_and_nothing_else(make_pipeline, run):
    go, done = threading.Event(), threading.Event()

    def save(tags: list[str]) -> str:
        go.wait(20)
        tags.append("late")
        done.set()
        return "saved"

    result = run(make_pipeline(Tool.from_function(save, timeout=0.1)), "save", {"tags": ["a"]})
    go.set()
    assert done.wait(20)
    assert result.error.arguments == {"tags": ["a"]}


def test_a_success_ends_the_failures_of_the_arguments_that_were_sent(make_pipeline):
    is_broken = [True]

    @tool(read_only=True)
    def look(tags: list[str]) -> str:
        """Look."""
        tags.append("seen")
        if is_broken[0]:
            raise ValueError("no")
        return "looked"

    session = make_pipeline(look).session()
    for _ in range(2):
        session.call("look", {"tags": ["a"]})
    is_broken[0] = False
    assert session.call("look", {"tags": ["a"]}).content == "looked"
    is_broken[0] = True
    assert [session.call("look", {"tags": ["a"]}).attempts for _ in range(3)] == [1, 1, 1]


def quick() -> retry:
    return retry(attempts=3, wait_initial=0.001, wait_jitter=0)


@KINDS
def test_a_retry_runs_with_what_was_validated(make_pipeline, run, store, kind):
    store.error = errors.ToolUnavailableError("busy")
    pipeline = make_pipeline(store.tool(kind, read_only=True), middleware=[quick()])
    assert run(pipeline, "save", SENT).attempts == 3
    assert store.seen == [SENT_AS_RUN] * 3


def test_the_default_retry_runs_with_what_was_validated(make_pipeline, run, store):
    store.error = errors.ToolUnavailableError("busy")
    assert run(make_pipeline(store.tool("function", read_only=True)), "save", SENT).attempts == 3
    assert store.seen == [SENT_AS_RUN] * 3


@KINDS
def test_a_retry_runs_with_what_a_person_changed(make_pipeline, run, store, kind):
    store.error = errors.ToolUnavailableError("busy")
    edited = {**SENT, "path": "b.md"}
    saving = store.tool(kind, read_only=True, approve=True)
    pipeline = make_pipeline(saving, approver=lambda _: Approve(edited), middleware=[quick()])
    assert run(pipeline, "save", SENT).attempts == 3
    assert store.seen == [("b.md", *SENT_AS_RUN[1:])] * 3


def test_a_retry_keeps_what_the_host_injects(make_pipeline, run):
    database, seen = object(), []

    @tool(read_only=True)
    def save(tags: list[str], db: Injected[Any], call: Injected[ToolCall], lines: list[str] = []) -> str:  # noqa: B006
        """Save."""
        seen.append(([*tags], db, call.id, [*lines]))
        tags.append("x")
        lines.append("y")
        raise errors.ToolUnavailableError("busy")

    run(make_pipeline(save, middleware=[quick()]), "save", {"tags": ["a"]}, call_id="7", context={"db": database})
    assert seen == [(["a"], database, "7", [])] * 3


@dataclass
class Box:
    """Can be built once."""

    sides: list[int]

    def __post_init__(self) -> None:
        BUILT.append(self.sides)
        if len(BUILT) > 1:
            raise ValueError("the box is taken")


BUILT: list[list[int]] = []


def test_what_cannot_be_built_again_is_not_retried(make_pipeline, run):
    BUILT.clear()

    def pack(box: Box) -> str:
        """Pack."""
        raise errors.ToolUnavailableError("busy")

    result = run(make_pipeline(Tool.from_function(pack, read_only=True)), "pack", {"box": {"sides": [1]}})
    assert (result.attempts, type(result.error)) == (1, errors.ToolUnavailableError)
    assert len(BUILT) == 2
