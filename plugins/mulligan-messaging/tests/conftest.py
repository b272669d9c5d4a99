"""Fixtures: a pipeline with this package alone, and servers."""

import os
from collections.abc import Callable, Iterator

import mulligan_messaging
import pytest
from messaging_servers import LineServer, MailServer, Refusing
from mulligan_testkit.loopback import dead, serve

from mulligan import Pipeline
from mulligan.errors import ToolError

__all__ = ["dead", "serve"]

os.environ["PTB_TIMEDELTA"] = "true"  # without it, python-telegram-bot warns of its own next version

Classify = Callable[..., ToolError]
Mail = Callable[..., MailServer]
Lines = Callable[..., LineServer]


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline(plugins=[mulligan_messaging], autoload=False, strict=True)


@pytest.fixture
def classify(pipeline: Pipeline) -> Classify:
    """`classify(failure, **arguments)`: the error, which there must be."""

    def ask(failure: object, **arguments: object) -> ToolError:
        error = pipeline.classify(failure, tool="some_tool", arguments=arguments)
        assert error is not None
        return error

    return ask


@pytest.fixture
def mail() -> Iterator[Mail]:
    """`mail(recipients, replies=..., login=..., size=...)` starts a mail server; see `Refusing` and `MailServer`."""
    servers: list[MailServer] = []

    def start(*given: object, login: str | None = None, size: int = 100_000, **more: object) -> MailServer:
        servers.append(MailServer(Refusing(*given, **more), login=login, size=size))  # type: ignore[arg-type]
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def lines() -> Iterator[Lines]:
    """`lines(greeting, answer)` starts a server of a protocol of lines; see `LineServer`."""
    servers: list[LineServer] = []

    def start(greeting: str, answer: Callable[[str], str | None]) -> LineServer:
        servers.append(LineServer(greeting, answer))
        return servers[-1]

    yield start
    for server in servers:
        server.close()
