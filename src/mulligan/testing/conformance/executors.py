"""Conformance of a plugin that runs tools elsewhere: in another process, on another machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from mulligan.execute.executors import executor_of
from mulligan.pipeline import Pipeline
from mulligan.plugin import Executor, Tool, ToolCall, ToolResult, ToolTimeoutError
from mulligan.testing import tools as work
from mulligan.testing.conformance.base import Conformance, assert_no_problems, printable
from mulligan.testing.faults import SECRETS, TEXTS, leaked

_TEXTS = tuple(text.encode("utf-8", "replace").decode()[:2_000] for text in TEXTS.values())
_VALUES: tuple[Any, ...] = (
    *(None, True, 2**80, "", "ä \n\u20ac"),
    [0, -7, 1.5, False, [], {}, [None, [3]], *_TEXTS],
    {"a": {"b": [True, None]}, "": 1},
)
_HANG_SECONDS = 4.0
_FAILURES = ("missing", "value", "timeout", "exit", "any other text")


class ExecutorConformance(Conformance):
    """Subclass this as `TestSomething`, with `plugin`, and `options` of a tool that it runs.

    The plugin implements `execute`, or contributes a `ToolExecutor` by the hook `executors`.

    Its tools are the functions of `mulligan.testing.tools`, which a worker must be able to import.

    Attributes:
        options: the attributes of a tool that this executor runs, such as `{"tags": ["remote"]}` or `{"executor": "acme"}`.
        declined: those of a tool that it leaves alone; None if it runs every tool.
        patience: the maximum number of seconds for a call.
    """

    hook = "execute"
    options: ClassVar[Mapping[str, Any]] = {}
    declined: ClassVar[Mapping[str, Any] | None] = None
    patience: ClassVar[float] = 60.0

    def tool(self, function: Callable[..., Any], **more: Any) -> Tool:
        """A tool that this executor runs.

        Args:
            function: one of `mulligan.testing.tools`.
            more: further attributes.
        """
        return Tool.from_schema(
            function.__name__, "", {"type": "object"}, function, **{"timeout": self.patience, **self.options, **more}
        )

    def test_deciding_runs_nothing(self, tmp_path: Path) -> None:
        """The hookimpl returns an executor and does not run the tool; it leaves other tools alone."""
        __tracebackhide__ = True
        file, problems = tmp_path / "runs", []
        executor = self._executor(self.tool(work.count), file)
        if file.exists():
            problems.append("the tool has run before its executor was called")
        if executor is not None and not callable(executor):
            problems.append(f"it gave {executor!r:.80} instead of something that can be called")
        if self.declined is not None:
            other = Tool.from_schema("count", "", {"type": "object"}, work.count, **self.declined)
            if self._executor(other, file) is not None:
                problems.append(f"it takes a tool that it should leave alone: {dict(self.declined)!r}")
        assert_no_problems(
            problems,
            "`execute` returns a callable of no arguments, or None for a tool that is not its own; the pipeline calls it.",
        )

    def _executor(self, tool: Tool, file: Path) -> Executor | None:
        stages, call, arguments = self.stages(), ToolCall("c1", "count", None), {"path": str(file)}
        found: Executor | None = stages.execute(tool, arguments, call)
        chosen = None if found is not None else executor_of(tool, stages.executors())
        return found if chosen is None else chosen.execute(tool, arguments, call)

    def test_it_registers(self) -> None:
        """A strict pipeline accepts the plugin, and it implements the hook `execute` or `executors`."""
        __tracebackhide__ = True
        if "executors" not in self.info().hooks:
            super().test_it_registers()

    def test_round_trip(self) -> None:
        """Arguments and return values arrive unchanged, with and without `await`."""
        __tracebackhide__ = True
        problems = []
        with self._pipeline_of(work.echo) as pipeline:
            for value in _VALUES:
                for how, result in self._call_and_acall(pipeline, "echo", {"value": value}):
                    actual = result.content if result.is_error else repr(result.value)
                    if result.is_error or actual != repr(value):
                        problems.append(f"{how}, {printable(repr(value))[:60]}: {printable(actual)}")
        assert_no_problems(
            problems, "Send JSON values as they are: integers of any size, texts of any language, None, nesting."
        )

    def test_failures_arrive(self) -> None:
        """An exception of a tool means the same as if it ran in this process."""
        __tracebackhide__ = True
        problems = []
        with self._pipeline_of(work.fail) as pipeline, Pipeline([work.fail], autoload=False) as plain:
            for kind in _FAILURES:
                expected = plain.call("fail", {"kind": kind}).error
                for how, result in self._call_and_acall(pipeline, "fail", {"kind": kind}):
                    if type(result.error) is not type(expected):
                        problems.append(f"{how}, {kind}: {result!r}, and in this process {type(expected).__name__}")
        assert_no_problems(
            problems,
            "Raise the tool's own exception, rebuilt with its class and fields; let no SystemExit end a worker. A failure "
            "of your own (a worker that is lost) is another exception, with a rule that says so.",
        )

    def test_at_most_once(self, tmp_path: Path) -> None:
        """A tool that may write runs once for each call, even if it fails."""
        __tracebackhide__ = True
        problems = []
        with self._pipeline_of(work.count, work.count_and_fail) as pipeline:
            for name in ("count", "count_and_fail"):
                for number, (how, result) in enumerate(
                    self._call_and_acall(pipeline, name, {"path": str(tmp_path / name)}), 1
                ):
                    file = tmp_path / name
                    runs = len(file.read_text().splitlines()) if file.exists() else 0
                    if runs != number:
                        problems.append(f"{how}, {name}: {runs} runs after {number} calls ({result!r})")
        assert_no_problems(
            problems,
            "Run the tool once each time the executor is called, and never again by yourself: mulligan decides on retries.",
        )

    def test_deadline(self) -> None:
        """A tool that hangs times out, and the next call works."""
        __tracebackhide__ = True
        with Pipeline(
            [self.tool(work.hang, timeout=0.3), self.tool(work.echo)],
            plugins=[self.required()],
            autoload=False,
            block=self.instead_of,
        ) as pipeline:
            late = pipeline.call("hang", {"seconds": _HANG_SECONDS})
            after = pipeline.call("echo", {"value": "still there"})
        problems = [] if isinstance(late.error, ToolTimeoutError) else [f"a tool that hangs gives {late!r}"]
        if late.duration > _HANG_SECONDS - 1:
            problems.append(f"a tool with a timeout of 0.3 s is given up after {late.duration:.1f} s")
        problems += [] if after.value == "still there" else [f"the next call gives {printable(after.content)}"]
        assert_no_problems(
            problems,
            "Let the pipeline wait: neither the hookimpl nor anything at import may block, and a slow job blocks no other.",
        )

    def test_odd_values(self) -> None:
        """A value that cannot be sent or written is a failure of this call, not a fault."""
        __tracebackhide__ = True
        problems = []
        with self._pipeline_of(work.lock, work.echo) as pipeline:
            for how, result in self._call_and_acall(pipeline, "lock", {}):
                if not result.is_error:
                    problems.append(
                        f"{how}: an object that cannot be serialized is read as {printable(result.content)}"
                    )
            problems += [fault.error for fault in pipeline.faults]
        assert_no_problems(
            problems, "Raise an exception where a value cannot be sent back, and say that the tool has run."
        )

    def test_redacted(self) -> None:
        """The model reads no secret of a failure."""
        __tracebackhide__ = True
        problems = []
        with self._pipeline_of(work.fail) as pipeline:
            for secret in SECRETS.values():
                result = pipeline.call("fail", {"kind": f"{secret} was rejected"})
                problems += [f"the model reads {name}" for name in leaked(result.content)]
        assert_no_problems(
            problems,
            "Raise exceptions, and return what the tool returned: a text that you make of an exception is a result.",
        )

    def _pipeline_of(self, *functions: Callable[..., Any]) -> Pipeline:
        return self.pipeline(*(self.tool(function) for function in functions))

    def _call_and_acall(
        self, pipeline: Pipeline, name: str, arguments: Mapping[str, Any]
    ) -> Iterator[tuple[str, ToolResult]]:
        yield "call", pipeline.call(name, dict(arguments), call_id="c1")
        yield "acall", asyncio.run(_acall(pipeline, name, arguments))


async def _acall(pipeline: Pipeline, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    return await pipeline.acall(name, dict(arguments), call_id="c1")
