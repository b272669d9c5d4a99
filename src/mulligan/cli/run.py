"""`mulligan run`: execute every tool call of a conversation."""

from __future__ import annotations

import io
import json as jsonlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Annotated, Any

import attrs
from cyclopts import Parameter

from mulligan.calls import ToolCall
from mulligan.cli.conversation import (
    AnsweredCalls,
    Line,
    conversations,
    insert_answers,
    open_conversation,
    read_lines,
)
from mulligan.cli.loading import find_dialect, find_tools
from mulligan.cli.output import (
    DASH,
    FAILED,
    FATAL,
    OK,
    OutputFile,
    console,
    is_styled,
    report_problem,
    stdout,
    write_stderr,
)
from mulligan.cli.settings import Settings
from mulligan.dialects import Dialect
from mulligan.dialects.ai_sdk import AISDKDialect
from mulligan.errors import UsageError
from mulligan.pipeline import Pipeline, Session
from mulligan.pipeline.messages import check_all_calls_read
from mulligan.resolve.toolset import Toolset
from mulligan.results import ToolResult
from mulligan.untrusted.text import safe_str

_PROGRESS_THRESHOLD = 20
FindDialect = Callable[[Mapping[str, Any]], Dialect | None]


def run(
    file: str,
    /,
    *,
    tools: str,
    out: str | None = None,
    dialect: str | None = None,
    session_field: str | None = None,
    keep_going: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    json: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    executor: str | None = None,
    settings: Annotated[Settings, Parameter(parse=False)],
) -> int:
    """Execute every tool call of a conversation, and write the conversation with the answers, one message per line.

    Each message with tool calls is followed by the messages that answer them. A call that the file itself answers is not
    made again, and its answer is kept. After a fatal failure, the run answers the other calls of the same message and stops.

    Args:
        file: a conversation with one JSON message per line, or an array of messages; or several conversations, as an
            array of arrays or one array per line; or - for stdin.
        tools: MODULE[:NAME] or FILE.py[:NAME] with the tools.
        out: write the conversation to this file instead of stdout.
        dialect: the message format: openai, openai-responses, anthropic, gemini, mcp, ai-sdk, or one of a plugin.
            Default: detect it.
        session_field: the member of each message that names its conversation, such as session_id. The conversations are
            executed, and written, one after the other; answers get the same member.
        keep_going: continue with the next message that can be read, and after a fatal failure with the next conversation.
        json: write the results of the calls to stdout, one per line, and the conversation only to --out.
        executor: run the tools on this executor of an installed plugin, such as ray; those that name one keep it. The
            calls of one message then run at the same time.
        settings: the common options.

    Returns:
        The exit code.
    """
    toolset = _on_executor(find_tools(tools), executor)
    with ExitStack() as stack:
        pipeline = stack.enter_context(settings.pipeline(toolset))
        find_dialect = _dialect_finder(pipeline, dialect)
        stream = stack.enter_context(open_conversation(file, stdin=file == DASH))
        writer = stack.enter_context(_open_writer(file, None if out == DASH else out, json=json))
        tally = _Tally()
        stack.callback(tally.print)
        advance = stack.enter_context(_progress(file, writes=out in (None, DASH) or json))
        lines = read_lines(stream, "stdin" if file == DASH else file, tally.skip if keep_going else None)
        for id, conversation in conversations(lines, session_field):
            marks = {} if session_field is None else {session_field: id}
            session = pipeline.session(id)
            replay = _Replay(session, find_dialect, writer, tally, marks=marks, keeps_going=keep_going)
            replay.is_concurrent = executor is not None
            replay.run(replay.with_following(conversation), advance)
            if tally.stopped and not keep_going:
                break
        tally.mark_complete(dialect, pipeline.tools.dialects or {})
        return FATAL if tally.stopped else FAILED if tally.failed or tally.skipped else OK


def _on_executor(toolset: Toolset, executor: str | None) -> Toolset:
    """The tools, of which those that name no executor run on the given one."""
    if executor is None:
        return toolset
    return Toolset(
        one.with_options(executor=executor, killable=False) if one.executor is None else one for one in toolset.values()
    )


def _dialect_finder(pipeline: Pipeline, dialect: str | None) -> FindDialect:
    """A function that finds the dialect of a message: the one of `--dialect`, or the first that recognises it, or None."""
    known = pipeline.tools.dialects or {}
    if dialect is not None:
        asked = find_dialect(dialect, known)
        return lambda message: asked if message.get("role") == "assistant" or _recognises(asked, message) else None
    return lambda message: next((shape for shape in known.values() if _recognises(shape, message)), None)


def _recognises(dialect: Dialect, message: Mapping[str, Any]) -> bool:
    """Whether a dialect recognises a message; a plugin's dialect that crashes does not."""
    try:
        return dialect.recognises(message)
    except Exception:
        if type(dialect).__module__.startswith("mulligan.dialects."):
            raise
        return False


@attrs.define
class _Writer:
    """The outputs for messages and results. The file of `--out` keeps its content until there is a message to write."""

    messages: IO[bytes] | None
    results: IO[bytes] | None
    out: str | None = None

    def open(self) -> None:
        """Open and empty the file of `--out`, before the first tool runs, so that no result is lost."""
        if self.out is None or self.messages is not None:
            return
        try:
            self.messages = io.BufferedWriter(
                OutputFile(self.out, f"--out {self.out}", "free some space, or choose another file")
            )
        except OSError as error:
            raise UsageError(f"--out {self.out}: cannot open the file: {error.strerror}; choose another file") from None

    def close(self) -> None:
        if self.out is not None and self.messages is not None:
            self.messages.close()

    def message(self, message: str | Any) -> None:
        _write_line(self.messages, message)

    def result(self, result: ToolResult, line: int) -> None:
        _write_line(self.results, {"line": line, **result.to_dict()})


def _write_line(stream: IO[bytes] | None, value: Any) -> None:
    """Write one line and flush it, so that no result is lost if the run ends early."""
    if stream is None:
        return
    stream.write((value.encode() if isinstance(value, str) else _encode_json(value)) + b"\n")
    stream.flush()


def _encode_json(value: Any) -> bytes:
    """JSON as UTF-8, with escapes if a text contains a lone surrogate."""
    try:
        return jsonlib.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return jsonlib.dumps(value).encode()


@contextmanager
def _open_writer(file: str, out: str | None, *, json: bool) -> Iterator[_Writer]:
    answers = stdout().buffer
    if out is None:
        yield _Writer(None, answers) if json else _Writer(answers, None)
        return
    if file != DASH and Path(out).exists() and Path(out).samefile(file):
        raise UsageError(f"--out {out} is the input file; choose another file")
    writer = _Writer(None, answers if json else None, out)
    try:
        yield writer
    finally:
        writer.close()


@attrs.define
class _Tally:
    """The numbers of the summary."""

    messages: int = 0
    calls: int = 0
    answered: int = 0
    skipped: int = 0
    repaired: int = 0
    failed: Counter[str] = attrs.field(factory=Counter)
    stopped: str = ""
    hint: str = ""
    wrapped: str = ""
    has_output: bool = False
    is_broken: bool = True

    def mark_complete(self, dialect: str | None, known: Iterable[str]) -> None:
        """Record that every line was read, and add a hint if there were no calls."""
        self.is_broken = False
        if not self.messages:
            self.hint = "The input has no messages. Write one JSON message per line."
        elif self.answered and not self.calls:
            self.hint = "The file already answers every call."
        elif dialect is not None and not self.calls:
            self.hint = f"Found no tool calls in the format {dialect}. Omit --dialect to detect the format."
        elif not self.calls:
            self.hint = f"Found no tool calls. Known formats: {', '.join(sorted(known))}."
        if self.wrapped:
            self.hint = self.wrapped if self.calls or self.answered else f"Found no tool calls. {self.wrapped}"

    def skip(self, error: UsageError) -> None:
        """Record and report a message that cannot be read."""
        self.skipped += 1
        report_problem(f"{error} (skipped)")

    def count(self, result: ToolResult, line: int) -> None:
        self.calls += 1
        self.repaired += bool(result.repairs)
        if result.error is not None:
            self.failed[type(result.error).__name__] += 1
        if result.fatal and result.error is not None and not self.stopped:
            self.stopped = f"stopped at line {line}: {type(result.error).__name__}: {result.error.user_message}"

    def print(self) -> None:
        if self.is_broken and not self.has_output:
            return
        classes = ", ".join(f"{count} {name}" for name, count in self.failed.most_common())
        failed = f"{self.failed.total()} failed" + (f" ({classes})" if classes else "")
        succeeded = self.calls - self.failed.total()
        total = f"{_pluralize(self.messages, 'message')}, {_pluralize(self.calls, 'call')}"
        line = f"{total}: {succeeded} ok, {failed}, {self.repaired} repaired"
        skipped = f"{_pluralize(self.skipped, 'message')} could not be read" if self.skipped else ""
        write_stderr("".join(f"{text}\n" for text in (line, skipped, self.hint, self.stopped) if text))


def _pluralize(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


class _Replay:
    """Replays a conversation in one session.

    Args:
        session: the session.
        find_dialect: finds the dialect of a message.
        writer: the outputs.
        tally: the numbers of the summary, of all conversations.
        marks: members that every answer gets.
        keeps_going: whether a message that cannot be read is skipped, and the rest of a conversation written unchanged
            after a fatal failure.

    Attributes:
        is_concurrent: whether the calls of one message run at the same time.
    """

    def __init__(
        self,
        session: Session,
        find_dialect: FindDialect,
        writer: _Writer,
        tally: _Tally,
        *,
        marks: Mapping[str, Any],
        keeps_going: bool,
    ) -> None:
        self._session = session
        self._marks = marks
        self._keeps_going = keeps_going
        self._has_stopped = False
        self.is_concurrent = False
        self._find_dialect = find_dialect
        self._writer = writer
        self._answered_calls = AnsweredCalls()
        self._kept_calls = AnsweredCalls()
        self.tally = tally

    def with_following(self, lines: Iterable[Line]) -> Iterator[tuple[Line, Sequence[Line]]]:
        """Yield each line with the lines up to the next one that has calls: its answers are among them.

        Args:
            lines: the conversation.
        """
        group: list[Line] = []
        try:
            for line in lines:
                if group and self._has_calls(line):
                    yield from ((item, group[at + 1 :]) for at, item in enumerate(group))
                    group = []
                group.append(line)
        except UsageError:
            yield from ((item, group[at + 1 :]) for at, item in enumerate(group))
            raise
        yield from ((item, group[at + 1 :]) for at, item in enumerate(group))

    def _has_calls(self, line: Line) -> bool:
        try:
            return bool(self._read_calls(line)[1])
        except UsageError:
            return True  # raised again when this line is executed

    def _wrapping_member(self, line: Line) -> str | None:
        """The member of an object that is no message itself, but holds a message with calls; None if there is none."""
        for name, value in line.message.items() if "role" not in line.message else ():
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, dict) and self._has_calls(attrs.evolve(line, message=part)):
                    return name
        return None

    def run(self, lines: Iterable[tuple[Line, Sequence[Line]]], advance: Callable[[], None]) -> None:
        """Execute all calls that the file does not answer, until a failure is fatal."""
        for line, following in lines:
            try:
                self._replay_message(line, following)
            except UsageError as error:
                if not self._keeps_going:
                    raise
                self.tally.skip(error)
            advance()
            if self._has_stopped and not self._keeps_going:
                return

    def _replay_message(self, line: Line, following: Sequence[Line]) -> None:
        message = self._answered_calls.without(line.message)
        if message is None:
            return
        self.tally.messages += 1
        if message.get("role") == "user" and self._kept_calls.without(message) is message:
            self._session.note_request(safe_str(message.get("content", ""), 1_000))
        output = line.text if message is line.message else message
        dialect, calls = (None, []) if self._has_stopped else self._read_calls(line)
        self._writer.open()
        self.tally.has_output = True
        if dialect is None and not self.tally.wrapped and (member := self._wrapping_member(line)) is not None:
            self.tally.wrapped = (
                f"{line.where}: the messages are in {member!r}. Write each message on a line of its own, or each "
                "conversation as an array of messages."
            )
        if isinstance(dialect, AISDKDialect) and calls:
            self._writer.message(insert_answers(message, *self._answer_calls(dialect, calls, line)))
            return
        self._writer.message(output)
        answered = [call for call in calls if _is_answered(call, following)]
        self.tally.answered += len(answered)
        for call in answered:
            self._kept_calls.add(call)
        if dialect is not None and (unanswered := [call for call in calls if call not in answered]):
            for answer in self._answer_calls(dialect, unanswered, line)[1]:
                self._writer.message({**self._marks, **answer} if isinstance(answer, dict) else answer)

    def _answer_calls(self, dialect: Dialect, calls: list[ToolCall], line: Line) -> tuple[list[ToolResult], list[Any]]:
        results = []
        with self._session.step():
            for call, result in zip(calls, self._results(calls), strict=True):
                results.append(result)
                self._answered_calls.add(call)
                self._writer.result(result, line.number)
                self.tally.count(result, line.number)
                self._has_stopped = self._has_stopped or result.fatal
        return results, dialect.messages(results)

    def _results(self, calls: list[ToolCall]) -> Iterable[ToolResult]:
        """The results of the calls, in order: one call after the other, or all at once."""
        if not self.is_concurrent:
            return map(self._session.call, calls)
        import asyncio

        return asyncio.run(self._session.acall_many(calls))

    def _read_calls(self, line: Line) -> tuple[Dialect | None, list[ToolCall]]:
        try:
            dialect = self._find_dialect(line.message)
            calls = [] if dialect is None else dialect.calls(line.message)
            if dialect is not None and dialect.recognises(line.message):
                check_all_calls_read(line.message, dialect, calls)
            return dialect, calls
        except UsageError as error:
            raise UsageError(f"{line.where}: {error}") from None
        except Exception as error:
            why = f"{type(error).__name__}: {safe_str(error, 200)}"
            raise UsageError(f"{line.where}: cannot read its tool calls ({why}); correct their format") from None


def _is_answered(call: ToolCall, following: Sequence[Line]) -> bool:
    """Whether one of the messages after a call answers it."""
    probe = AnsweredCalls()
    probe.add(call)
    return any(probe.without(line.message) is not line.message for line in following)


@contextmanager
def _progress(file: str, *, writes: bool) -> Iterator[Callable[[], None]]:
    """A progress bar on stderr, if stderr is a terminal that stdout does not share and there are many messages."""
    shared = writes and stdout().isatty()
    total = _count_messages(file) if file != DASH and sys.stderr.isatty() and not shared else 0
    if total < _PROGRESS_THRESHOLD:
        yield lambda: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    screen = console(sys.stderr, styled=is_styled(sys.stderr))
    with Progress(BarColumn(), MofNCompleteColumn(), "messages", TimeElapsedColumn(), console=screen) as progress:
        task = progress.add_task("", total=total)
        yield lambda: progress.advance(task)


def _count_messages(file: str) -> int:
    with Path(file).open("rb") as stream:
        return sum(1 for line in stream if line.strip())
