"""One call on its way through the pipeline and the framework's own execution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.messages.tool import ToolOutputMixin
from langchain_core.tools import ToolException
from langgraph.errors import GraphBubbleUp, is_invalid_resume
from langgraph.prebuilt.tool_node import ToolInvocationError
from pydantic_core import PydanticCustomError, ValidationError

from mulligan import Pipeline, Problem, ToolResult
from mulligan.errors import ToolArgumentError
from mulligan_langchain.fatal import FatalToolError
from mulligan_langchain.run_recorder import RUN_RECORDER, RunRecorder
from mulligan_langchain.translation import Entry, errors_of

Start = Callable[[Entry, dict[str, Any]], Any]


class ControlFlow(Exception):
    """Carries what the framework steers with through a pipeline, since its class alone does not always tell.

    Attributes:
        carried: the framework's exception.
    """

    def __init__(self, carried: BaseException) -> None:
        super().__init__()
        self.carried = carried


def is_control_flow(error: BaseException) -> bool:
    """Whether the framework steers with an exception: interrupts, commands to a parent, answers that do not fit.

    Args:
        error: what was raised.
    """
    return isinstance(error, GraphBubbleUp) or is_invalid_resume(error)


class Attempt:
    """What a call needs while it runs.

    Attributes:
        start: begins the framework's own execution; for an async one it gives an awaitable.
        pipeline: with the tools that may be called now.
        output: what the framework gave, once it has.
        returned: what the tool's own code returned.
        latest: the run that counts; one that was given up may still end.

    Args:
        start: as above.
        pipeline: as above.
        fits: whether a tool takes what reaches it in the end; None where that is known.
    """

    def __init__(self, start: Start, pipeline: Pipeline, fits: Callable[[str, Any], bool] | None = None) -> None:
        self.start = start
        self.pipeline = pipeline
        self.fits = fits
        self.output: Any = None
        self.returned: Any = None
        self.latest: _Run | None = None

    def was_refused(self, result: ToolResult) -> bool:
        """Whether nothing ran since the arguments did not fit, even as they reached the tool.

        Args:
            result: what came of the call.
        """
        entered = self.latest is not None and self.latest.entered
        return isinstance(result.error, ToolArgumentError) and not entered

    def answered(self, result: ToolResult) -> Any:
        """What the framework gave; its text as the pipeline has shortened it or added to it.

        Args:
            result: what came of the call, which was no failure.
        """
        seen = self.output.content if isinstance(self.output, ToolMessage) else None
        if result.content and isinstance(seen, str) and result.content != seen:
            return self.output.model_copy(update={"content": result.content})
        return self.output


ATTEMPT: ContextVar[Attempt] = ContextVar("mulligan_langchain_attempt")


@contextmanager
def current_attempt(attempt: Attempt) -> Iterator[None]:
    """While a pipeline runs a call; what the framework steers with comes out as it was.

    Args:
        attempt: what the call needs.
    """
    token = ATTEMPT.set(attempt)
    try:
        yield
    except ControlFlow as passing:
        carried = passing.carried
    else:
        return
    finally:
        ATTEMPT.reset(token)
    raise carried


def handler_of(entry: Entry) -> Callable[..., Any]:
    """The handler of a tool, which runs the attempt of the moment.

    Args:
        entry: the tool.
    """

    def handler(**arguments: Any) -> Any:
        run = _Run(entry, ATTEMPT.get())
        token = RUN_RECORDER.set(run)
        try:
            output = run.attempt.start(entry, arguments)
        except Exception as error:
            failure = run.meant(error)
        else:
            return run.read_output(arguments, output)
        finally:
            RUN_RECORDER.reset(token)
        raise failure

    return handler


def async_handler_of(entry: Entry) -> Callable[..., Any]:
    """`handler_of`, awaited.

    Args:
        entry: the tool.
    """

    async def handler(**arguments: Any) -> Any:
        run = _Run(entry, ATTEMPT.get())
        token = RUN_RECORDER.set(run)
        try:
            output = await run.attempt.start(entry, arguments)
        except Exception as error:
            failure = run.meant(error)
        else:
            return run.read_output(arguments, output)
        finally:
            RUN_RECORDER.reset(token)
        raise failure

    return handler


class _Run(RunRecorder):
    """The framework's own execution of a call, once."""

    def __init__(self, entry: Entry, attempt: Attempt) -> None:
        super().__init__()
        self.entry = entry
        self.attempt = attempt
        attempt.latest = self

    def admit(self, tool_input: Any) -> None:
        """Refuses as the framework does what it does not check by itself: arguments of a tool with a plain schema."""
        fits, base = self.attempt.fits, self.entry.base
        if fits is None or not isinstance(base.args_schema, Mapping) or not isinstance(tool_input, dict):
            return
        if not fits(base.name, {name: tool_input[name] for name in tool_input if name not in self.entry.injected}):
            unfit = PydanticCustomError("unfit", "the arguments do not fit")
            raise ValidationError.from_exception_data(
                base.name, [{"type": unfit, "loc": ("arguments",), "input": None}]
            )

    def meant(self, error: BaseException) -> BaseException:
        """What to raise for what the framework raised."""
        if is_control_flow(error):
            return ControlFlow(error)
        if isinstance(error, FatalToolError):  # of an agent that is a tool of this one
            return error.error
        return self._invalid_arguments_error(error.source if isinstance(error, ToolInvocationError) else error)

    def read_output(self, arguments: Mapping[str, Any], output: Any) -> Any:
        """Takes what the framework gave, and says what the pipeline is to see of it: a text, or what reports a failure.

        Raises:
            BaseException: the failure behind an answer that the framework worded.
        """
        if isinstance(output, ToolMessage) and output.status == "error":
            reported = _reported_by_server(self.raised)
            if reported is not None:
                return reported
            failure = self._original_failure(output)
            if failure is not None:
                raise failure
            self._take(output)  # the author's own words
            return ""
        self._take(output)
        returned = self._returned()
        if not isinstance(returned, (str, ToolOutputMixin, list, type(None))) and self._reports(returned, arguments):
            return returned
        text = getattr(output, "content", output)
        return text if isinstance(text, str) and not isinstance(returned, ToolOutputMixin) else ""

    def _reports(self, returned: Any, arguments: Mapping[str, Any]) -> bool:
        """Whether a value is a failure."""
        pipeline, name = self.attempt.pipeline, self.entry.base.name
        return pipeline.tools[name].detect and pipeline.classify(returned, tool=name, arguments=arguments) is not None

    def _take(self, output: Any) -> None:
        if self.attempt.latest is self:
            self.attempt.output, self.attempt.returned = output, self._returned()

    def _returned(self) -> Any:
        """What the tool's own code returned, without its artifact."""
        value = self.returned if self.has_returned else None
        paired = self.entry.base.response_format == "content_and_artifact"
        return value[0] if paired and isinstance(value, tuple) and value else value

    def _original_failure(self, message: ToolMessage) -> BaseException | None:
        """The failure that the framework put into its own words; None for words that somebody wrote on purpose."""
        base, raised = self.entry.base, self.raised
        if raised is None or not isinstance(message.content, str):
            return None
        flag = base.handle_tool_error if isinstance(raised, ToolException) else base.handle_validation_error
        own = (f"Error invoking tool '{base.name}' with kwargs ", f"Tool '{base.name}' failed after ")
        return self.meant(raised) if flag is True or message.content.startswith(own) else None

    def _invalid_arguments_error(self, error: BaseException) -> BaseException:
        """What it means that the framework did not take the arguments, although they fit the schema."""
        rejected = () if self.entered or not errors_of(error) else self.entry.rejected(error)
        if not rejected:
            return error
        problems = [Problem(_pointer(one.get("loc", ())), str(one.get("msg", "not valid"))) for one in rejected]
        words = "Invalid arguments; nothing was run."
        told = ToolArgumentError(words, problems=problems, effect="none", rule="langchain:arguments")
        told.__cause__ = error
        return told


def _reported_by_server(error: BaseException | None) -> Any:
    """What a server of MCP reported as a failure, as far as langchain-mcp-adapters tells it; None with more than text."""
    if not any(one.__module__.startswith("langchain_mcp_adapters") for one in type(error).__mro__):
        return None
    blocks = getattr(error, "tool_content", None)
    if not isinstance(blocks, list) or any(block.get("type") != "text" for block in blocks):
        return None
    return {"isError": True, "content": blocks or [{"type": "text", "text": "The server gave no reason."}]}


def _pointer(place: Any) -> str:
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in place)
