"""The contender: pipelines with the tools of the floor, and one function that makes one call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import floor

from mulligan import Pipeline, Session, Tool
from mulligan.plugin import hookimpl


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
    return Pipeline([*floor.TABLE.values(), *names], plugins=plugins, autoload=False)


def caller(given: Pipeline | Session, name: str, text: str) -> Callable[[], Any]:
    """One call through mulligan, up to the text that the model reads."""
    call = given.call
    return lambda: call(name, text).content


def async_caller(given: Pipeline | Session, name: str, text: str) -> Callable[[], Awaitable[Any]]:
    """The same, awaited: the text is an attribute of the result, and a coroutine that reads it would be the bench's own."""
    acall = given.acall
    return lambda: acall(name, text)
