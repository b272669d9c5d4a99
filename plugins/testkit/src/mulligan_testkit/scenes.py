"""The scenes of the dominance table: what a model asks for, what goes wrong, and what it should learn of it.

A scene is played with a scripted model: it sends `Scene.messages` one after the other, whatever it reads, and then
says `DONE`. The tools are plain functions that really fail: files that are not there, a server that answers as GitHub
does, a call that hangs.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from mulligan import ToolCall, errors
from mulligan_testkit.loopback import Server
from mulligan_testkit.props import (
    Function,
    HostileError,
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
"""What an answer should tell: a label, and a regular expression that finds it, letter case aside."""


class Stage:
    """The tools of one performance.

    Attributes:
        tools: plain functions.
        ran: how often each was run, by name.
    """

    def __init__(self, tools: list[Function], ran: Counter[str]) -> None:
        self.tools = tools
        self.ran = ran


@attrs.frozen
class Scene:
    """One failure, as a conversation.

    Attributes:
        name: its name, for test ids.
        title: what goes wrong, for the table.
        messages: the calls of each of the model's messages; arguments are JSON text, as a model writes it.
        facts: what the answers should tell, by call id.
        hidden: texts that no answer may hold.
        fatal: the error that must end the run, or None where it must go on.
        timeout: the seconds that a tool gets, where this scene is about that.
        most: how often a tool may be run, by name.
    """

    name: str
    title: str
    messages: tuple[tuple[ToolCall, ...], ...]
    _tools: Callable[[Counter[str], Callable[..., str], threading.Event], list[Function]]
    facts: dict[str, tuple[Fact, ...]] = attrs.field(factory=dict)
    hidden: tuple[str, ...] = ()
    fatal: type[errors.ToolError] | None = None
    timeout: float | None = None
    most: dict[str, int] = attrs.field(factory=dict)

    @property
    def calls(self) -> list[ToolCall]:
        """Every call of every message."""
        return [call for message in self.messages for call in message]

    @contextmanager
    def staged(self) -> Iterator[Stage]:
        """Fresh tools; what they need runs until the performance is over, and nothing hangs after it."""
        servers: list[Server] = []
        over = threading.Event()
        ran: Counter[str] = Counter()

        def serve(*told: Any) -> str:
            servers.append(Server(*told))
            return servers[-1].url

        try:
            yield Stage(self._tools(ran, serve, over), ran)
        finally:
            over.set()
            for server in servers:
                server.close()


def _call(id: str, name: str, arguments: str) -> ToolCall:
    return ToolCall(id, name, arguments)


_LONG = "The report has a row that cannot be read. " + "row " * 250_000
_PLANTED = "S3cr3tPa55w0rd7"
_TOKEN = "ghp_" + "a1B2c3D4e5" * 4
_LEAKY = f"The template at https://svc:{_PLANTED}@files.example/t?token={_TOKEN} is empty"
_LIMITED = {"x-ratelimit-remaining": "0", "retry-after": "40"}
_TWO = (("the sum of its sibling", r"\b5\b"),)

SCENES = (
    Scene(
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
    Scene(
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
    Scene(
        "malformed_json",
        "Arguments that are no JSON",
        ((_call("c1", "search", '{"query": "comets", "limit": 5 "kind": "news"}'),),),
        search,
        {"c1": (("that it is the JSON", "json"), ("where it broke", r"line|column|position(?!al)|character"))},
        most={"search": 0},
    ),
    Scene(
        "bad_types",
        "Arguments of the wrong types",
        ((_call("c1", "search", '{"query": "comets", "limit": "many", "kind": "paper"}'),),),
        search,
        {"c1": (("the first field", "limit"), ("the second field", "kind"), ("its allowed values", "news.*papers"))},
        most={"search": 0},
    ),
    Scene(
        "missing_file",
        "A file that is not there",
        ((_call("c1", "read_file", '{"path": "reports/2031.md"}'),),),
        files,
        {"c1": (("which file", re.escape("reports/2031.md")), ("that it is not there", "not found|no such file"))},
    ),
    Scene(
        "github_404",
        "GitHub: 404",
        ((_call("c1", "get_issue", '{"repository": "acme/rocket", "number": 7}'),),),
        github(404, {"message": "Not Found", "status": "404"}),
        {"c1": (("that it is not there", "not found"), ("what", "acme/rocket|rocket|issue"))},
    ),
    Scene(
        "github_rate_limit",
        "GitHub: 403, rate limit",
        ((_call("c1", "get_issue", '{"repository": "acme/rocket", "number": 7}'),),),
        github(403, {"message": "You have exceeded a secondary rate limit."}, _LIMITED),
        {"c1": (("that it is a limit", "rate limit"), ("how long to wait", r"\b(39|40) ?s"))},
    ),
    Scene(
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
    Scene(
        "error_value",
        "An error as a value",
        ((_call("c1", "query", '{"index": "docs2", "text": "comets"}'),),),
        query,
        {"c1": (("what is wrong", "docs2 does not exist"), ("that it failed", "error|failed"))},
    ),
    Scene(
        "hang",
        "A tool that hangs",
        ((_call("c1", "fetch_page", '{"url": "https://example.org/slow"}'),),),
        hanging,
        {"c1": (("that it took too long", r"timed? ?out|too long|no (?:answer|response) within|deadline"),)},
        timeout=0.3,
    ),
    Scene(
        "hostile_exception",
        "An exception that cannot be read",
        ((_call("c1", "render_report", '{"number": 7}'),),),
        raising(HostileError),
        {"c1": (("that the tool failed", "error|failed"),)},
    ),
    Scene(
        "long_error",
        "An error text of 1 MB",
        ((_call("c1", "render_report", '{"number": 7}'),),),
        raising(lambda: RuntimeError(_LONG)),
        {"c1": (("what is wrong", "row that cannot be read"),)},
    ),
    Scene(
        "secret",
        "A secret in the error",
        ((_call("c1", "render_report", '{"number": 7}'),),),
        raising(lambda: RuntimeError(_LEAKY)),
        {"c1": (("what is wrong", "template"),)},
        hidden=(_PLANTED, _TOKEN),
    ),
    Scene(
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
    Scene(
        "repeated",
        "The same failing call, six times",
        tuple((_call(f"c{turn}", "render_report", '{"number": 7}'),) for turn in range(1, 7)),
        raising(lambda: RuntimeError("the printer is on fire")),
        fatal=errors.RepeatedCallError,
        most={"render_report": 3},
    ),
)
