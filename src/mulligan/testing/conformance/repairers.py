"""Conformance of a plugin that repairs calls."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Iterator
from typing import Any, ClassVar

from mulligan.pipeline import Pipeline
from mulligan.plugin import (
    CallRepaired,
    Run,
    Tool,
    ToolArgumentError,
    ToolCall,
    ToolError,
    ToolNotFoundError,
    Toolset,
    hookimpl,
    safe_str,
)
from mulligan.testing.conformance.base import Conformance, assert_no_problems, printable
from mulligan.testing.faults import ARGUMENTS, SECRETS, leaked

SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "text": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "count": {"type": "integer"},
        "price": {"type": "number"},
        "urgent": {"type": "boolean"},
    },
    "required": ["path"],
    "additionalProperties": False,
}
_COMPLETE_ARGUMENTS = (
    '{"path": "notes/a.md", "text": "one, \\"two\\" }]", "tags": ["x", "y"], "count": 1234, "urgent": true}'
)
_WRONG_NAMES = (
    "reed_file",
    "delete",
    "",
    "x" * 500,
    "readfile\n",
    "r\u0435ad_file",
    "write_fil",
    "remove_file",
    "../read_file",
)


class CallOutcome:
    """The outcome of one call.

    Attributes:
        ran: the names and arguments of the tools that ran.
        content: what the model reads.
        repairs: what was read differently, as it is shown.
    """

    def __init__(self, ran: list[tuple[str, dict[str, Any]]], content: str, repairs: str) -> None:
        self.ran = ran
        self.content = content
        self.repairs = repairs


class RepairerConformance(Conformance):
    """Subclass this as `TestSomething`, with `plugin` and `samples`. Its tools are `read_file` and `write_file`.

    Attributes:
        samples: calls that the plugin repairs, with their meanings: `(name, arguments, meant name, meant arguments)`;
            or a fixture. Both tools take `path`, `text`, `tags`, `count`, `price` and `urgent`; `write_file` may write.
        sent: the texts that the plugin has sent elsewhere, such as to a model; a fixture if they are known only after a
            run.
    """

    hook = "repair"
    samples: ClassVar[Any] = ()
    sent: ClassVar[Any] = ()

    def test_samples(self, request: Any) -> None:
        """Each sample is read as it was meant."""
        __tracebackhide__ = True
        samples = self.given(request, "samples")
        problems = [] if samples else ["there are no samples"]
        for name, arguments, meant, meant_arguments in samples:
            ran = self._call(name, arguments).ran
            if ran != [(meant, meant_arguments)]:
                problems.append(
                    f"{name} {printable(repr(arguments))}: ran {ran!r}, expected {(meant, meant_arguments)!r}"
                )
        assert_no_problems(
            problems,
            "Add calls with one clear meaning: samples = [(name, arguments, meant name, meant arguments)].",
        )

    def test_never_raises(self) -> None:
        """For any call, it returns a repairer or None, and the repairer returns a call with the same id or None."""
        __tracebackhide__ = True
        problems: list[str] = []
        stages, toolset = self.stages(), Toolset(_tools([])).without_handlers()
        for call, error in _failing_calls():
            try:
                repairer = stages.repair(call, error, toolset, str)
                repaired = None if repairer is None else _run_repairer(repairer)
            except Exception as raised:
                problems.append(f"{_describe_call(call)}: {type(raised).__name__}: {safe_str(raised, 120)}")
                continue
            if repaired is not None and not isinstance(repaired, ToolCall):
                problems.append(
                    f"{_describe_call(call)}: the repairer gave {repaired!r:.60} instead of a ToolCall or None"
                )
            elif repaired is not None and repaired.id != call.id:
                problems.append(f"{_describe_call(call)}: the id {call.id!r} became {repaired.id!r}")
        assert_no_problems(
            problems,
            "Return None for an unclear call: the model reads the error and calls again. call._replace keeps the id.",
        )

    def test_deterministic(self) -> None:
        """Equal calls are read alike."""
        __tracebackhide__ = True
        stages, toolset = self.stages(), Toolset(_tools([])).without_handlers()

        def read(call: ToolCall, error: ToolError) -> str:
            repairer = stages.repair(call, error, toolset, str)
            return repr(None if repairer is None else tuple(_run_repairer(repairer) or ()))

        problems = []
        for call, error in _failing_calls():
            first, again = read(call, error), read(call, error)
            if first != again:
                problems.append(f"{_describe_call(call)}: {first} and then {again}")
        assert_no_problems(problems, "Keep nothing between two calls, and use neither time nor chance.")

    def test_leaves_alone_what_is_unclear(self) -> None:
        """Arguments that may mean several things, or nothing, run no tool that may write."""
        __tracebackhide__ = True
        problems = []
        for fault in ARGUMENTS:
            ran = self._call("write_file", fault.make()).ran
            problems += [f"{fault}: write_file ran with {printable(repr(given))}" for _, given in ran]
        assert_no_problems(
            problems,
            "Repair only what can be read in one way. To guess is worse than to ask: the model knows what it meant.",
        )

    def test_completes_nothing_that_was_cut_off(self) -> None:
        """Arguments that end early run no tool that may write, and a tool that only reads never gets half a value."""
        __tracebackhide__ = True
        whole, problems = json.loads(_COMPLETE_ARGUMENTS), []
        for end in range(len(_COMPLETE_ARGUMENTS)):
            for name in ("write_file", "read_file"):
                for _, given in self._call(name, _COMPLETE_ARGUMENTS[:end]).ran:
                    wrong = name == "write_file" or not _is_prefix(given, whole)
                    problems += [f"{name} ran with {given!r}, after {_COMPLETE_ARGUMENTS[:end]!r}"] if wrong else []
        assert_no_problems(problems, "What is missing is not known: return None, and let the model send it again.")

    def test_no_other_tool_may_write(self) -> None:
        """A name that no tool has never leads to a tool that may write."""
        __tracebackhide__ = True
        problems, stages = [], self.stages()
        for called in _WRONG_NAMES:
            toolset = Toolset(_tools([])).without_handlers()
            call = ToolCall("c1", called, '{"path": "a"}')
            repairer = stages.repair(call, ToolNotFoundError("There is no such tool."), toolset, str)
            repaired = None if repairer is None else _run_repairer(repairer)
            if isinstance(repaired, ToolCall) and repaired.name in toolset and not toolset[repaired.name].read_only:
                problems.append(f"{called!r} is read as {repaired.name!r}, which may write")
        assert_no_problems(
            problems, "Take another name only where `toolset[name].read_only`, and only where it differs in style."
        )

    def test_redacted(self, request: Any) -> None:
        """No secret of a call is shown, or sent elsewhere."""
        __tracebackhide__ = True
        problems = []
        for name, secret in SECRETS.items():
            for arguments in (f'{{"path": "{secret}",}}', {"path": secret, "count": "10"}):
                outcome = self._call("read_file", arguments)
                problems += [f"{name}: what was repaired is shown with it" for _ in leaked(outcome.repairs)]
        sent = self.given(request, "sent")
        problems += [f"what was sent elsewhere holds {name}" for text in sent for name in leaked(str(text))]
        assert_no_problems(
            problems, "Ask for the parameter `redact`, and give it every text before you send it anywhere."
        )

    def _call(self, name: str, arguments: Any) -> CallOutcome:
        """One call through a real pipeline, with this plugin."""
        ran: list[tuple[str, dict[str, Any]]] = []
        repairs: list[str] = []

        class Watch:
            @hookimpl
            def observe(self, event: Any) -> None:
                if isinstance(event, CallRepaired):
                    repairs.append(f"{event.repair.before} {event.repair.after}")

        with Pipeline(
            _tools(ran), plugins=[self.required(), Watch()], autoload=False, block=self.instead_of
        ) as pipeline:
            result = pipeline.call(name, arguments, call_id="c1")
        return CallOutcome(ran, result.content, "\n".join(repairs))


def _tools(ran: list[tuple[str, dict[str, Any]]]) -> Iterator[Tool]:
    for name, read_only in (("read_file", True), ("write_file", False)):

        def handler(name: str = name, /, **given: Any) -> str:
            ran.append((name, given))
            return "done"

        yield Tool.from_schema(name, f"{name.title()}.", SCHEMA, handler, read_only=read_only)


def _failing_calls() -> Iterator[tuple[ToolCall, ToolError]]:
    """Calls that do not fit, and why."""
    for fault in ARGUMENTS:
        for name in ("read_file", "write_file"):
            yield ToolCall("c1", name, fault.make()), ToolArgumentError("The arguments do not fit.")
    for called in _WRONG_NAMES:
        yield ToolCall("c1", called, '{"path": "a"}'), ToolNotFoundError("There is no such tool.")


def _run_repairer(repairer: Any) -> Any:
    """The result of a repairer, awaited if necessary."""
    returned = (repairer.executor if isinstance(repairer, Run) else repairer)()
    if not inspect.isawaitable(returned):
        return returned

    async def awaited() -> Any:
        return await returned

    return asyncio.run(awaited())


def _is_prefix(part: Any, whole: Any) -> bool:
    """Whether a value is the whole one with members or items left out at its end."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and _is_prefix(value, whole[name]) for name, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(_is_prefix, part, whole))
    return type(part) is type(whole) and bool(part == whole)


def _describe_call(call: ToolCall) -> str:
    return f"{printable(repr(call.name))[:40]} {printable(repr(call.arguments))[:60]}"
