"""The floor and the contenders: one function each that makes one call."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from mulligan import Pipeline, Session, Tool
from mulligan.plugin import hookimpl

TEXT = '{"query":"is:open crash","repo":"octo/hello","labels":["bug","p1"],"limit":10,"state":"open"}'
ONE_FAULT = '{"query":"is:open crash","repo":"octo/hello","labels":["bug","p1"],"limit":"ten","state":"open"}'
THREE_FAULTS = '{"query":"is:open crash","repo":"octo/hello","labels":"bug","limit":"ten","state":"any"}'
MALFORMED = TEXT[:-1]


def search_issues(query: str, repo: str, labels: list[str], limit: int, state: Literal["open", "closed"]) -> str:
    """Search the issues of a repository."""
    return query


async def search_issues_async(
    query: str, repo: str, labels: list[str], limit: int, state: Literal["open", "closed"]
) -> str:
    """Search the issues of a repository."""
    return query


def read_file(query: str, repo: str, labels: list[str], limit: int, state: str) -> str:
    """A tool that raises."""
    raise FileNotFoundError(2, "No such file or directory", "src/missing.py")


TABLE: dict[str, Callable[..., Any]] = {
    "search_issues": search_issues,
    "search_issues_async": search_issues_async,
    "read_file": read_file,
}


def bare(name: str, text: str) -> str:
    """What everybody writes first: no validation, a failure becomes one line."""
    try:
        return str(TABLE[name](**json.loads(text)))
    except Exception as error:
        return f"Error: {error}"


async def bare_async(name: str, text: str) -> str:
    """The same, awaited."""
    try:
        return str(await TABLE[name](**json.loads(text)))
    except Exception as error:
        return f"Error: {error}"


class Everywhere:
    """A plugin with a hookimpl in every stage of a successful call, each without an opinion."""

    @hookimpl
    def resolve(self, call: Any, toolset: Any) -> None:
        """No opinion."""

    @hookimpl
    def validate(self, tool: Any, call: Any) -> None:
        """No opinion."""

    @hookimpl
    def authorize(self, tool: Any, arguments: Any) -> None:
        """No objection."""

    @hookimpl
    def execute(self, tool: Any, arguments: Any) -> None:
        """No opinion."""

    @hookimpl
    def detect(self, value: Any) -> None:
        """No opinion."""

    @hookimpl
    def classify(self, failure: Any) -> None:
        """No opinion."""

    @hookimpl
    def observe(self, event: Any) -> None:
        """Looks away."""


def pipeline(*plugins: Any, extra: int = 0) -> Pipeline:
    """A pipeline with the three tools and some more."""
    names = [
        Tool.from_schema(f"tool_{n}_{n * 7919 % 1000}", "Does a thing", {"type": "object"}, dict) for n in range(extra)
    ]
    return Pipeline([*TABLE.values(), *names], plugins=plugins, autoload=False)


def caller(given: Pipeline | Session, name: str, text: str) -> Callable[[], Any]:
    """One call through mulligan, up to the text that the model reads."""
    call = given.call
    return lambda: call(name, text).content


def async_caller(given: Pipeline | Session, name: str, text: str) -> Callable[[], Awaitable[Any]]:
    """The same, awaited."""
    acall = given.acall

    async def one() -> str:
        return (await acall(name, text)).content

    return one
