"""`Failure`: a raw failure, with methods that classifiers use to read it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from mulligan.classify import resources
from mulligan.classify.author_messages import AUTHORS, is_authored
from mulligan.classify.evidence import Evidence, shared_property
from mulligan.classify.service_text import says_only_status, without_link
from mulligan.execute.steps import DeadlineExceeded, ExecutorSaturated
from mulligan.lazy import lazy, lazy_pattern
from mulligan.untrusted import objects
from mulligan.untrusted.classes import is_a, stored_attributes
from mulligan.untrusted.text import safe_str, with_plain_quotes

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.tools import Tool

Stage = Literal["resolve", "validate", "authorize", "execute", "detect", "serialise"]


_TYPES_WITHOUT_DETAIL = (MemoryError, RecursionError, DeadlineExceeded, ExecutorSaturated)


_DUMP = lazy_pattern(  # of a body, or of the response that holds it
    r"[\"'](?:error|errors|message|code|detail|status)[\"']: ?|<(?:[a-z_]\w{0,60}\.){1,6}\w{1,60}>"
)
_MOST_FRAMES = 200
_OUR_FILES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")
_MOST_WRAPPERS = 3
_BAD_INDEX = re.compile(r"index out of range|^pop from|out of bounds|^too many indices")  # of Python and of numpy
_LONGEST_INDEX_TEXT = 200
_BUGS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    NameError,
    NotImplementedError,
    StopAsyncIteration,
    StopIteration,
    SyntaxError,
    TypeError,
)
_LONGEST_PATH = 2_000


class Failure(Evidence):
    """One failure, before it is classified.

    Attributes:
        exception: the exception that was raised, or None. A group with one member is unwrapped.
        value: the tool's return value, if it reports the failure.
        tool: the tool, or None if it is not known.
        tool_name: the name that was called, or None.
        call: the tool call, or None.
        arguments: the validated arguments as JSON values, or None.
        stage: the stage in which it happened.
        outer: the failure that the tool raised, if this one describes its cause or a member of its group; otherwise
            None.
        is_data: whether the failure was read from a returned value that may only be a record about something else. Such
            a failure is fatal only if the policy says so.
    """

    tool: Tool | None
    tool_name: str | None
    call: ToolCall | None
    stage: Stage
    outer: Failure | None
    is_data: bool = False

    def __init__(
        self,
        exception: BaseException | None = None,
        *,
        value: Any = None,
        message: str = "",
        status: int | None = None,
        tool: Tool | None = None,
        tool_name: str | None = None,
        call: ToolCall | None = None,
        arguments: Mapping[str, Any] | None = None,
        stage: Stage = "execute",
    ) -> None:
        innermost = None if exception is None else objects.unwrap_group(exception)
        self.__dict__.update(  # bypasses `__setattr__`, which is for later changes
            _known={},
            exception=innermost,
            value=value,
            tool=tool,
            tool_name=tool_name if tool is None else tool.name,
            call=call,
            arguments=arguments,
            stage=stage,
            outer=None,
            _message=message,
            _status=status,
        )

    def place(self, tool: Tool, call: ToolCall, arguments: Mapping[str, Any] | None) -> None:
        """Attaches the failed call, so that a plugin that detects a failure does not have to.

        Args:
            tool: the tool.
            call: the call.
            arguments: the validated arguments.
        """
        self.tool, self.tool_name, self.call, self.arguments = tool, tool.name, call, arguments

    def about(self, exception: BaseException) -> Failure:
        """The same failure, seen from another exception of its chain.

        Args:
            exception: one of `exceptions`.
        """
        inner = Failure(
            exception,
            tool=self.tool,
            tool_name=self.tool_name,
            call=self.call,
            arguments=self.arguments,
            stage=self.stage,
        )
        inner.__dict__["outer"] = self.outer or self
        return inner

    @property
    def provider(self) -> str | None:
        """The service whose library raised the exception, or None. Its package lists the classes in `Rules(last=True)`."""
        return (self.outer or self).__dict__.get("_provider")

    @lazy
    def inner(self) -> tuple[Failure, ...]:
        """The same failure, seen from each of its causes and group members."""
        return tuple(map(self.about, self.exceptions[1:]))

    @property
    def whole_chain(self) -> tuple[Failure, ...]:
        """The failures of the whole chain, outermost first, if this is the last of them; otherwise none."""
        outer = self.outer or self
        if len(outer.exceptions) > 1 and self.exception is not outer.exceptions[-1]:
            return ()
        return (outer, *outer.inner)

    def matches(self, *qualified_names: str) -> bool:
        """Whether the exception is an instance of one of the named classes. The classes need not be imported.

        Args:
            qualified_names: `package.Class`; the class may be defined in any module below that package.
        """
        classes = self._modules_by_class
        for name in qualified_names:
            package, cls = _split(name)
            for module in classes.get(cls, ()):
                if module == package or module.startswith(f"{package}."):
                    return True
        return False

    def met(self, *qualified_names: str) -> bool:
        """Whether the exception, one of its causes or one of its group members is an instance of one of the named classes.

        Args:
            qualified_names: as in `matches`.
        """
        return self.matches(*qualified_names) or any(inner.matches(*qualified_names) for inner in self.inner)

    def came_through(self, *packages: str) -> str | None:
        """The first of the given packages that appears in the exception's traceback, or None.

        Use it for exceptions that a client does not wrap: a timeout of requests that passed through `docker` is
        Docker's.

        Args:
            packages: names of packages or modules.
        """
        step = None if self.exception is None else objects.trace(self.exception)
        for _ in range(_MOST_FRAMES):
            if step is None:
                return None
            module = f"{step.tb_frame.f_globals.get('__name__')}."
            found = next((package for package in packages if module.startswith(f"{package}.")), None)
            if found is not None:
                return found
            step = step.tb_next
        return None

    @shared_property
    def _modules_by_class(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for cls in type(self.exception).__mro__ if self.exception is not None else ():
            outer, _, name = cls.__qualname__.rpartition(".")
            found.setdefault(name, []).append(f"{cls.__module__}.{outer}" if outer else cls.__module__)
        return found

    @shared_property
    def exceptions(self) -> tuple[BaseException, ...]:
        """The exception, its causes, and the members of groups: at most 32, without duplicates, outermost first."""
        return () if self.exception is None else objects.exception_chain(self.exception)

    @property
    def detail(self) -> str:
        """What the model may read of the failure: what the service says, else the text, and a program's stderr.

        Empty if the text only repeats the type and the resource.
        """
        exception = self.exception
        if (
            is_a(exception, OSError)
            and objects.read_field(exception, "errno") is not None
            and type(exception).__str__ is OSError.__str__
        ):
            return ""
        if issubclass(type(exception), _TYPES_WITHOUT_DETAIL):
            return ""
        text, service_text = without_link(self.text), "" if exception is None else self.service_text
        if service_text and (says_only_status(text, self.status) or _DUMP.search(text) is not None):
            text = service_text
        elif service_text:
            text = "\n".join([text, *(line for line in service_text.splitlines() if line not in text)])
        return f"{text}\n{self.stderr}" if self.stderr else text

    @shared_property
    def author_message(self) -> str:
        """The message of a local tool's author to the model; empty if anyone else wrote the text."""
        exception = self.exception
        if exception is None or type(exception).__module__ == "builtins" or not self.matches(*AUTHORS):
            return ""
        for wrapped in self.exceptions[:_MOST_WRAPPERS]:  # a framework may wrap the author's message in its own
            if not self.about(wrapped).matches(*AUTHORS):
                break
            if is_authored(wrapped):
                return safe_str(wrapped)
        return ""

    @property
    def traceback(self) -> str:
        """The last frames of the tool's own code, without local values: at most 8,000 characters, not redacted."""
        import traceback

        remote_traceback = stored_attributes(self.exception).get("traceback_text")  # from a separate process
        if type(remote_traceback) is str:
            return remote_traceback[-8_000:]
        trace = None if self.exception is None else objects.trace(self.exception)
        while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_OUR_FILES):
            trace = trace.tb_next
        frames = objects.call_safely(lambda: traceback.format_tb(trace, limit=-12))
        return "".join(frames or ())[-8_000:]

    @property
    def is_bug(self) -> bool:
        """Whether Python itself raised the exception for a bug of a program, whose text says nothing about the call."""
        kind = type(self.exception)
        if kind is IndexError:
            return _BAD_INDEX.search(self.text[:_LONGEST_INDEX_TEXT]) is not None
        return kind.__module__ == "builtins" and issubclass(kind, _BUGS)

    @property
    def type_name(self) -> str:
        """The qualified name of the exception's type; empty if a returned value reports the failure."""
        return "" if self.exception is None else objects.type_name(self.exception)

    @shared_property
    def resource(self) -> str | None:
        """The path, URL or name that the failure is about, or None. It comes from fields, the text or the call's arguments."""
        path = self._filename
        if path is not None:
            return path
        found: str | None = objects.call_safely(self._find_resource)
        return found

    @property
    def stated_resources(self) -> tuple[str, ...]:
        """The resources in structured fields: a file name, fields of a body, the path that was requested."""
        stated = objects.call_safely(lambda: resources.stated_resources(self._request, self._error_nodes)) or ()
        stored = objects.call_safely(self._stored_resource)
        return tuple(filter(None, (*stated, stored, self._filename)))

    @shared_property
    def _filename(self) -> str | None:
        exception = self.exception
        path = objects.read_field(exception, "filename") if is_a(exception, OSError) else None
        return path[:_LONGEST_PATH] if type(path) is str and path and "://" not in path else None

    def _stored_resource(self) -> str | None:
        stored = resources.stored_resource(self.exceptions)
        if stored is None and is_a(self.exception, FileNotFoundError):
            stored = resources.bare_path(self.text)
        return stored

    def _find_resource(self) -> str | None:
        return self._stored_resource() or resources.find_resource(
            self._request,
            self._error_nodes,
            with_plain_quotes(self.stderr) or self.told,
            self.arguments,
            self.service_text,
        )


def stored_filename(failure: Failure) -> str | None:
    """The first file name that an exception of a failure stores, or None."""
    path = failure._filename  # noqa: SLF001
    if path is not None and len(path) < _LONGEST_PATH:
        return path  # that of the first exception, whole
    found: str | None = objects.call_safely(lambda: resources.stored_resource(failure.exceptions))
    return found


@lru_cache(maxsize=4_096)
def _split(name: str) -> tuple[str, str]:
    package, _, cls = name.rpartition(".")
    return package or "builtins", cls
