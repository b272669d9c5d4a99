"""The scenes of the dominance table: what a model requests, what goes wrong, and what the model should learn.

A scene is played with a scripted model: after each message of the user it sends `Turn.messages` one after the other,
whatever it reads, and then says `DONE`. `SINGLE` has the scenes of one turn, `conversations` those of several. The tools
are plain functions that really fail: missing files, a server that answers like GitHub, a call that hangs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from mulligan import ToolCall, errors
from mulligan_testkit.props import (
    HostileError,
    Props,
    Stage,
    files,
    github,
    hanging,
    namespaced,
    query,
    raising,
    search,
)

DONE = "Done."

Fact = tuple[str, str]
"""What an answer should say: a label, and a regular expression that finds it, ignoring case."""


@attrs.frozen
class Turn:
    """One message of the user, and the calls that the model makes after it.

    Attributes:
        messages: the calls of each of the model's messages; arguments are JSON text, as a model writes it.
        facts: what the answers should say, by call id.
        hidden: texts that no answer may contain.
        fatal: the error that must end the run, or None if the run must continue.
        is_ordered: whether the order of the answers counts too.
        user: what the user says.
    """

    messages: tuple[tuple[ToolCall, ...], ...]
    facts: dict[str, tuple[Fact, ...]] = attrs.field(factory=dict)
    hidden: tuple[str, ...] = ()
    fatal: type[errors.ToolError] | None = None
    is_ordered: bool = False
    user: str = "Go."

    @property
    def calls(self) -> list[ToolCall]:
        """Every call of every message."""
        return [call for message in self.messages for call in message]


@attrs.frozen
class Scene:
    """A conversation in which something goes wrong.

    Attributes:
        name: its name, for test ids.
        title: what goes wrong, for the table.
        turns: the messages of the user, in order.
        way: the method of `Dominance` that plays it.
        timeout: the timeout of each tool in seconds, if the scene is about timeouts.
        most: the maximum number of runs, by tool.
        least: the minimum number of runs, by tool.
    """

    name: str
    title: str
    turns: tuple[Turn, ...]
    _props: Props
    way: str = "talk"
    timeout: float | None = None
    most: dict[str, int] = attrs.field(factory=dict)
    least: dict[str, int] = attrs.field(factory=dict)

    @contextmanager
    def staged(self, say: Callable[[str], Any]) -> Iterator[Stage]:
        """A stage with new tools. Their servers run until the scene ends, and nothing hangs after it.

        Args:
            say: sends a text to the model in the way that the framework provides for authors of tools.
        """
        stage = Stage(say)
        try:
            stage.tools = self._props(stage)
            yield stage
        finally:
            stage.close()

    def on(self, stage: Stage) -> Iterator[Turn]:
        """The turns in order; sets `stage.turn` before each.

        Args:
            stage: the stage on which they are played.
        """
        for stage.turn, turn in enumerate(self.turns, 1):
            yield turn


def _single(
    name: str,
    title: str,
    messages: tuple[tuple[ToolCall, ...], ...],
    props: Props,
    facts: dict[str, tuple[Fact, ...]] | None = None,
    *,
    hidden: tuple[str, ...] = (),
    fatal: type[errors.ToolError] | None = None,
    timeout: float | None = None,
    most: dict[str, int] | None = None,
) -> Scene:
    """A scene of one turn."""
    turn = Turn(messages, facts or {}, hidden, fatal)
    return Scene(name, title, (turn,), props, timeout=timeout, most=most or {})


def _call(id: str, name: str, arguments: str) -> ToolCall:
    return ToolCall(id, name, arguments)


_LONG = "The report has a row that cannot be read. " + "row " * 250_000
_PLANTED = "S3cr3tPa55w0rd7"
_TOKEN = "ghp_" + "a1B2c3D4e5" * 4
_LEAKY = f"The template at https://svc:{_PLANTED}@files.example/t?token={_TOKEN} is empty"
_LIMITED = {"x-ratelimit-remaining": "0", "retry-after": "40"}
_TWO = (("the sum of its sibling", r"\b5\b"),)

SINGLE = (
    _single(
        "unknown_tool",
        "A tool that does not exist",
        ((_call("c1", "read_fil", '{"path": "a.md"}'),),),
        files,
        {
            "c1": (
                ("the right name", "read_file"),
                ("it before any other", r"\A(?:(?!list_folder|send_mail).)*read_file"),
            )
        },
    ),
    _single(
        "missing_namespace",
        "A name without its namespace",
        ((_call("c1", "get_issue", '{"number": 7}'),),),
        namespaced,
        {
            "c1": (
                ("the right name", "tracker_+get_issue"),
                ("it before any other", r"\A(?:(?!calendar_).)*tracker_+get_issue"),
            )
        },
    ),
    _single(
        "malformed_json",
        "Arguments that are no JSON",
        ((_call("c1", "search", '{"query": "comets", "limit": 5 "kind": "news"}'),),),
        search,
        {"c1": (("that it is the JSON", "json"), ("where it broke", r"line|column|position(?!al)|character"))},
        most={"search": 0},
    ),
    _single(
        "bad_types",
        "Arguments of the wrong types",
        ((_call("c1", "search", '{"query": "comets", "limit": "many", "kind": "paper"}'),),),
        search,
        {"c1": (("the first field", "limit"), ("the second field", "kind"), ("its allowed values", "news.*papers"))},
        most={"search": 0},
    ),
    _single(
        "missing_file",
        "A file that is not there",
        ((_call("c1", "read_file", '{"path": "reports/2031.md"}'),),),
        files,
        {"c1": (("which file", re.escape("reports/2031.md")), ("that it is not there", "not found|no such file"))},
    ),
    _single(
        "github_404",
        "GitHub: 404",
        ((_call("c1", "get_issue", '{"repository": "acme/rocket", "number": 7}'),),),
        github(404, {"message": "Not Found", "status": "404"}),
        {"c1": (("that it is not there", "not found"), ("what", "acme/rocket|rocket|issue"))},
    ),
    _single(
        "github_rate_limit",
        "GitHub: 403, rate limit",
        ((_call("c1", "get_issue", '{"repository": "acme/rocket", "number": 7}'),),),
        github(403, {"message": "You have exceeded a secondary rate limit."}, _LIMITED),
        {"c1": (("that it is a limit", "rate limit"), ("how long to wait", r"\b(39|40) ?s"))},
    ),
    _single(
        "unauthorized",
        "401, beside a good call",
        (
            (
                _call("c1", "get_issue", '{"repository": "acme/rocket", "number": 7}'),
                _call("c2", "add", '{"first": 2, "second": 3}'),
            ),
        ),
        github(401, {"message": "Bad credentials", "status": "401"}),
        {"c1": (("that the credentials are refused", "credential|authenti|401"),), "c2": _TWO},
        fatal=errors.ToolAuthenticationError,
    ),
    _single(
        "error_value",
        "An error as a value",
        ((_call("c1", "query", '{"index": "docs2", "text": "comets"}'),),),
        query,
        {"c1": (("what is wrong", "docs2 does not exist"), ("that it failed", "error|failed"))},
    ),
    _single(
        "hang",
        "A tool that hangs",
        ((_call("c1", "fetch_page", '{"url": "https://example.org/slow"}'),),),
        hanging,
        {"c1": (("that it took too long", r"timed? ?out|too long|no (?:answer|response) within|deadline"),)},
        timeout=0.3,
    ),
    _single(
        "hostile_exception",
        "An exception that cannot be read",
        ((_call("c1", "render_report", '{"number": 7}'),),),
        raising(HostileError),
        {"c1": (("that the tool failed", "error|failed"),)},
    ),
    _single(
        "long_error",
        "An error text of 1 MB",
        ((_call("c1", "render_report", '{"number": 7}'),),),
        raising(lambda: RuntimeError(_LONG)),
        {"c1": (("what is wrong", "row that cannot be read"),)},
    ),
    _single(
        "secret",
        "A secret in the error",
        ((_call("c1", "render_report", '{"number": 7}'),),),
        raising(lambda: RuntimeError(_LEAKY)),
        {"c1": (("what is wrong", "template"),)},
        hidden=(_PLANTED, _TOKEN),
    ),
    _single(
        "parallel",
        "Three calls at once, one fails",
        (
            (
                _call("c1", "add", '{"first": 1, "second": 4}'),
                _call("c2", "render_report", '{"number": 7}'),
                _call("c3", "add", '{"first": 2, "second": 3}'),
            ),
        ),
        raising(lambda: RuntimeError("the printer is on fire")),
        {"c1": _TWO, "c2": (("what is wrong", "printer is on fire"),), "c3": _TWO},
        most={"render_report": 1},
    ),
    _single(
        "repeated",
        "The same failing call, six times",
        tuple((_call(f"c{turn}", "render_report", '{"number": 7}'),) for turn in range(1, 7)),
        raising(lambda: RuntimeError("the printer is on fire")),
        fatal=errors.RepeatedCallError,
        most={"render_report": 3},
    ),
)
