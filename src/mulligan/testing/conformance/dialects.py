"""Conformance of a dialect: a provider's message shape."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from mulligan.dialects import plain
from mulligan.pipeline import Pipeline
from mulligan.plugin import Dialect, ToolCall, ToolResult, UsageError, safe_str
from mulligan.testing.conformance.base import Conformance, assert_no_problems, printable, texts_of
from mulligan.testing.faults import MESSAGES, NESTED, VALUES, garbled
from mulligan.testing.tools import failing_tool, sample_tools

_MAX_GARBLED = 3_000
CALLS = (
    ToolCall("c1", "read_file", '{"path": "README.md"}'),
    ToolCall("c2", "list_files", '{"pattern": "*.md", "limit": 3}'),
    ToolCall("c3", "write_file", '{"path": "ä \\"b\\".md", "text": "one\\ntwo", "append": true}'),
)


class DialectConformance(Conformance):
    """Subclass this as `TestSomething`, with `plugin` and the method `asking`.

    Attributes:
        dialect: the dialect's name, if the plugin offers several.
        several: whether one message can ask for several calls.
        has_ids: whether calls and answers have ids.
    """

    hook = "dialects"
    instead_of = ("dialects",)
    dialect: ClassVar[str | None] = None
    several: ClassVar[bool] = True
    has_ids: ClassVar[bool] = True

    def asking(self, calls: Sequence[ToolCall]) -> Any:
        """A model's message with some calls, as the provider sends it.

        Args:
            calls: the calls; their arguments are JSON text.
        """
        raise NotImplementedError(
            f"{type(self).__name__} has no asking(calls): give a model's message with these calls"
        )

    def streamed(self, calls: Sequence[ToolCall]) -> Sequence[Any] | None:
        """The chunks of the same message as a stream; None if the provider does not stream.

        Args:
            calls: the calls; their arguments are JSON text.
        """
        return None

    def found(self) -> Dialect:
        """The dialect that is tested."""
        offered = self.stages().dialects()
        if self.dialect is None and len(offered) == 1:
            return next(iter(offered.values()))
        if self.dialect not in offered:
            raise UsageError(
                f"{type(self).__name__}: set `dialect` to one of {', '.join(offered)}, not {self.dialect!r}"
            )
        return offered[self.dialect]

    def calls(self) -> tuple[ToolCall, ...]:
        """The calls of the message: three, or one if a message has only one."""
        return CALLS if self.several else CALLS[:1]

    def test_recognises_its_own(self) -> None:
        """It recognises its provider's messages, and no built-in dialect does."""
        __tracebackhide__ = True
        dialect, message = self.found(), plain(self.asking(self.calls()))
        problems = [] if dialect.recognises(message) is True else [f"it does not recognise {printable(repr(message))}"]
        with Pipeline(autoload=False) as pipeline:
            others = pipeline._renderer.dialects  # noqa: SLF001 - the kit belongs to the house
        if not self.module_name().startswith("mulligan."):
            problems += [f"{name} recognises it too" for name, one in others.items() if one.recognises(message)]
        assert_no_problems(
            problems,
            "`recognises` looks for the marks that only this provider's messages have; the first who says yes answers.",
        )

    def test_recognises_nothing_else(self) -> None:
        """It leaves messages without calls alone, and never raises."""
        __tracebackhide__ = True
        dialect, problems = self.found(), []
        for fault in MESSAGES:
            try:
                if dialect.recognises(fault.make()) is not False:
                    problems.append(f"{fault}: recognised")
            except Exception as error:
                problems.append(f"{fault}: {type(error).__name__}: {safe_str(error, 100)}")
        assert_no_problems(
            problems,
            "`recognises` gives True or False for any mapping: check the type of each member before you look into it.",
        )

    def test_round_trip(self) -> None:
        """The calls of a message are read as they were sent: ids, names, arguments, order."""
        __tracebackhide__ = True
        sent_calls = self.calls()
        read_calls = self.found().calls(plain(self.asking(sent_calls)))
        problems = (
            []
            if len(read_calls) == len(sent_calls)
            else [f"{len(sent_calls)} calls are asked for, {len(read_calls)} are read"]
        )
        for sent, received in zip(sent_calls, read_calls, strict=False):
            if self.has_ids and received.id != sent.id:
                problems.append(f"{sent.name}: the id {sent.id!r} is read as {received.id!r}")
            if received.name != sent.name:
                problems.append(f"the name {sent.name!r} is read as {received.name!r}")
            if _parse_arguments(received.arguments) != _parse_arguments(sent.arguments):
                problems.append(f"{sent.name}: the arguments {sent.arguments!r} are read as {received.arguments!r}")
        assert_no_problems(problems, "`calls` hands over what the model sent, in its order, and repairs nothing.")

    def test_answers_every_call(self) -> None:
        """Each call gets one answer with its id and what the model reads, as JSON values; the message is not changed."""
        __tracebackhide__ = True
        message = self.asking(self.calls())
        before = repr(message)
        with self.pipeline(*sample_tools().values()) as pipeline, self.pipeline(*sample_tools().values()) as other:
            answers, again = pipeline.answer(message), other.answer(message)
        problems = [f"the message was changed to {printable(repr(message))}"] if repr(message) != before else []
        problems += _find_unanswered(list(answers), answers.results, has_ids=self.has_ids)
        if list(again) != list(answers):
            problems.append(f"equal results are answered by {answers!r} and then by {again!r}")
        assert_no_problems(
            problems,
            "`messages` gives the messages that answer all calls of one message; nothing in them but JSON values.",
        )

    def test_answers_failures(self) -> None:
        """A failed call is answered with the whole feedback, and values that are hard to write do not raise."""
        __tracebackhide__ = True
        dialect, problems = self.found(), []
        with self.pipeline() as pipeline:
            for fault in VALUES:
                pipeline.tools.add(failing_tool(fault.make(), "act"), replace=True)
                result = pipeline.call("act", {}, call_id="c1")
                try:
                    answers = dialect.messages([result])
                    problems += [f"{fault}: {one}" for one in _find_unanswered(answers, [result], has_ids=self.has_ids)]
                except Exception as error:
                    problems.append(f"{fault}: {type(error).__name__}: {safe_str(error, 100)}")
        assert_no_problems(
            problems,
            "Write `result.content`, which is always a text, where the provider's shape has no better place for a value.",
        )

    def test_never_raises(self) -> None:
        """With any value in any place, a message is not recognised, or its calls can be read."""
        __tracebackhide__ = True
        dialect, problems = self.found(), []
        messages = [fault.make() for fault in NESTED]
        messages += [
            one for one, _ in zip(garbled(plain(self.asking(self.calls()[:1]))), range(_MAX_GARBLED), strict=False)
        ]
        for message in messages:
            try:
                if isinstance(message, Mapping) and dialect.recognises(message):
                    for call in dialect.calls(message):
                        _check_call(call)
            except Exception as error:
                problems.append(f"{printable(repr(message))[:160]}: {type(error).__name__}: {safe_str(error, 100)}")
        assert_no_problems(
            problems,
            "A message may contain anything: return a malformed call as a ToolCall, with an empty name and "
            "the arguments as they are, so that the model gets an error.",
        )

    def test_definitions(self) -> None:
        """Each tool's definition has its name, description and parameters, as JSON values."""
        __tracebackhide__ = True
        dialect = self.found()
        problems: list[str] = []
        for tool in sample_tools().values():
            shape = dialect.definition(tool)
            texts = set(texts_of(_as_json(shape, problems)))
            wanted = {tool.name, tool.description, *tool.parameters["properties"]}
            problems += [f"{tool.name}: the definition does not hold {part!r}" for part in wanted - texts]
        assert_no_problems(
            problems, "`definition` gives the name, the description and the whole JSON Schema of a tool."
        )

    def test_streams(self) -> None:
        """The chunks of a stream give the message, and a stream that is cut off anywhere still gives its calls."""
        __tracebackhide__ = True
        chunks = self.streamed(self.calls())
        if chunks is None:
            return
        dialect, problems = self.found(), []
        read = [(call.name, _parse_arguments(call.arguments)) for call in dialect.calls(dialect.assemble(chunks))]
        if read != [(call.name, _parse_arguments(call.arguments)) for call in self.calls()]:
            problems.append(f"the whole stream is read as {read!r}")
        for end in range(1, len(chunks)):
            try:
                dialect.calls(dialect.assemble(chunks[:end]))
            except UsageError:
                continue
            except Exception as error:
                problems.append(f"cut off after {end} chunks: {type(error).__name__}: {safe_str(error, 100)}")
        assert_no_problems(
            problems,
            "`assemble` makes the message that the provider would have sent at once, of as much as has arrived.",
        )


def _parse_arguments(arguments: Any) -> Any:
    return json.loads(arguments) if isinstance(arguments, str) else arguments


def _as_json(value: Any, problems: list[str]) -> Any:
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError) as error:
        problems.append(f"{printable(repr(value))} is no JSON value: {error}")
        return None


def _find_unanswered(answers: list[dict[str, Any]], results: Sequence[ToolResult], *, has_ids: bool) -> list[str]:
    problems: list[str] = []
    texts = list(texts_of(_as_json(answers, problems)))
    for result in results:
        if has_ids and str(result.call.id) not in texts:
            problems.append(f"no answer has the id {result.call.id!r}")
        if result.is_error and not any(result.content in text for text in texts):
            problems.append(f"no answer holds what the model reads: {printable(result.content)}")
    return problems


def _check_call(call: Any) -> None:
    if not isinstance(call, ToolCall) or not isinstance(call.name, str):
        raise TypeError(f"calls() gave {call!r:.80} instead of a ToolCall with a name")
