"""What happened, raw: `Failure`, with the tools that a classifier reads it with."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, TypeVar

from mulligan import bodies, facts, resources, telling
from mulligan.answers import http_headers, http_status
from mulligan.bodies import Body
from mulligan.containment import safe_str
from mulligan.errors import Problem
from mulligan.lazy import lazy
from mulligan.retry_after import retry_after
from mulligan.steps import DeadlineExceeded, ExecutorSaturated
from mulligan.values import as_content

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.tools import Tool

Stage = Literal["resolve", "validate", "authorize", "execute", "detect", "serialise"]


T = TypeVar("T")
E = TypeVar("E", bound=BaseException)


def _is(exception: BaseException | None, *classes: type[E]) -> TypeGuard[E]:
    """`isinstance`, by the true class: a foreign exception may lie about it, or raise when it is asked."""
    return issubclass(type(exception), classes)


class Failure:
    """One failure, before anyone has said what it means.

    Attributes:
        exception: what was raised, or None. A group of one is unwrapped.
        value: what the tool returned, where the value reports the failure.
        tool: the tool, or None where it is not known.
        tool_name: the name that was called, or None.
        call: the tool call, or None.
        arguments: the validated arguments as JSON values, or None.
        stage: where it happened.
        outer: the failure as the tool raised it, where this one looks at a cause or a member of it; else None.
    """

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
        self.exception = None if exception is None else facts.innermost(exception)
        self.value = value
        self.tool = tool
        self.tool_name = tool_name if tool is None else tool.name
        self.call = call
        self.arguments = arguments
        self.stage = stage
        self._message = message
        self._status = status
        self.outer: Failure | None = None

    def place(self, tool: Tool, call: ToolCall, arguments: Mapping[str, Any] | None) -> None:
        """Says which call this happened to; a plugin that detected the failure need not know.

        Args:
            tool: the tool.
            call: the call.
            arguments: the validated arguments.
        """
        self.tool, self.tool_name, self.call, self.arguments = tool, tool.name, call, arguments

    def about(self, exception: BaseException) -> Failure:
        """The same failure, looked at from another exception of its chain.

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
        inner.outer = self.outer or self
        return inner

    @lazy
    def inner(self) -> tuple[Failure, ...]:
        """The same failure, looked at from each of its causes and members."""
        return tuple(self.about(exception) for exception in self.exceptions[1:])

    def matches(self, *qualified_names: str) -> bool:
        """Whether the exception is an instance of one of the named classes, which need not be imported.

        Args:
            qualified_names: `package.Class`, also where the class is defined in a module below that package.
        """
        classes = self._classes
        for name in qualified_names:
            package, cls = _split(name)
            for module in classes.get(cls, ()):
                if module == package or module.startswith(f"{package}."):
                    return True
        return False

    @lazy
    def _classes(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for cls in type(self.exception).__mro__ if self.exception is not None else ():
            found.setdefault(cls.__qualname__, []).append(cls.__module__)
        return found

    @lazy
    def exceptions(self) -> tuple[BaseException, ...]:
        """The exception, its causes, and the members of groups: at most 32, each once, outermost first."""
        return () if self.exception is None else facts.chain(self.exception)

    @property
    def _source(self) -> Any:
        return self.value if self.exception is None else self.exception

    @lazy
    def is_plain(self) -> bool:
        """Whether it is an exception of Python itself that stores nothing of its own: there is no answer in it."""
        exception = self.exception
        return exception is not None and type(exception).__module__ == "builtins" and not facts.stored(exception)

    def _read(self, read: Callable[[Any], T]) -> T | None:
        """What is read from the exception or value; None where that fails, or where there can be nothing."""
        return None if self.is_plain else facts.guarded(lambda: read(self._source))

    @lazy
    def status(self) -> int | None:
        """The HTTP status that the exception or value carries, or None."""
        return self._status or self._read(http_status)

    @lazy
    def headers(self) -> Mapping[str, str]:
        """The answer's headers, names in lower case; empty where there are none."""
        return self._read(http_headers) or {}

    @lazy
    def body(self) -> Body | None:
        """The answer's body as parsed JSON, a mapping or a list; None where there is none or it was not read yet."""
        return self._read(bodies.body)

    @lazy
    def body_text(self) -> str:
        """The answer's body as text, at most 2,000 characters; empty where there is none or it was not read yet."""
        return self._read(bodies.body_text) or ""

    @lazy
    def _told(self) -> telling.Nodes:
        return facts.guarded(lambda: telling.nodes(self.body)) or ()

    @lazy
    def codes(self) -> tuple[str, ...]:
        """The reasons that the failure gives as identifiers, such as `insufficient_quota`, the most specific first."""
        return self._read(lambda source: telling.codes(source, self._told)) or ()

    @lazy
    def told(self) -> str:
        """All that the failure says in words: what the body says, what the exception stores, and its text."""
        if self.is_plain:
            return self._key or self.text
        said = self._read(lambda source: tuple(telling.messages(source, self._told))) or ()
        return "\n".join(dict.fromkeys((*said, self.text)))[:2_000]

    @property
    def _key(self) -> str:
        """What a KeyError was raised with: its text is a quotation of that."""
        told = self.exception.args[0] if _is(self.exception, KeyError) and self.exception.args else None
        return safe_str(told) if isinstance(told, str) else ""

    @lazy
    def stderr(self) -> str:
        """What a program that failed wrote to its standard error: the last 2,000 characters."""
        written = self._read(lambda source: facts.field(source, "stderr"))
        text = written.decode("utf-8", "replace") if isinstance(written, bytes) else written
        return text[-2_000:].strip() if isinstance(text, str) else ""

    @lazy
    def retry_after(self) -> float | None:
        """Seconds to wait, as the failure tells them (attribute, header, body or text), or None."""
        return self._read(lambda source: retry_after(source, self.headers, self._told, self.told))

    @lazy
    def problems(self) -> tuple[Problem, ...]:
        """The arguments that the answer's body, or the text, names as wrong, one `Problem` each."""
        from mulligan.field_errors import problems

        return facts.guarded(lambda: problems(self._told, self.told, self.arguments)) or ()

    @lazy
    def text(self) -> str:
        """What the failure says of itself: at most 2,000 characters, never raises, not redacted."""
        if self.exception is None:
            return self._message or facts.guarded(lambda: as_content(self.value)[:2_000]) or safe_str(self.value)
        return safe_str(self.exception)

    def look(self, *names: str) -> Any:
        """What a path of attributes and keys leads to, from the exception or the value on; None where it ends early.

        `failure.look("response", "status_code")` never raises. Properties and `__getattr__` are asked, since the author
        of a rule knows the class; what they raise counts as None.

        Args:
            names: one attribute, or one key where the thing looked at is a mapping, after the other.
        """
        found = self._source
        for name in names:
            is_mapping = issubclass(type(found), Mapping)
            found = facts.guarded(partial(found.get, name)) if is_mapping else facts.look(found, name)
            if found is None:
                return None
        return found

    def ask(self, name: str) -> Any:
        """What a method that takes no arguments gives, as gRPC's `code()`; None where there is none or it raises.

        Args:
            name: the method.
        """
        method = facts.look(self._source, name)
        return facts.guarded(method) if callable(method) else None

    def says(self, *phrases: str) -> bool:
        """Whether the text, or the message in the answer's body, holds one of some phrases as whole words, in any case.

        Args:
            phrases: plain text; a space stands for any white space.
        """
        pattern = _phrases(phrases)
        return pattern.search(self.text) is not None or pattern.search(self.body_text) is not None

    @property
    def detail(self) -> str:
        """The text, where it says more than its type and its resource do, with what a program wrote; else empty."""
        exception = self.exception
        if _is(exception, OSError) and exception.errno is not None and type(exception).__str__ is OSError.__str__:
            return ""
        if _is(exception, MemoryError, RecursionError, DeadlineExceeded, ExecutorSaturated):
            return ""
        return f"{self.text}\n{self.stderr}" if self.stderr else self.text

    @property
    def traceback(self) -> str:
        """The last frames without local values, for the operator: at most 8,000 characters, not redacted."""
        import traceback

        frames = facts.guarded(lambda: traceback.format_tb(facts.look(self.exception, "__traceback__"), limit=-12))
        return "".join(frames or ())[-8_000:]

    @property
    def type_name(self) -> str:
        """The qualified name of the exception's type; empty where a value failed."""
        return "" if self.exception is None else facts.type_name(self.exception)

    @lazy
    def resource(self) -> str | None:
        """The path, URL or name that it is about, or None: from its fields, its text, or the call's arguments."""
        exception = self.exception
        path = exception.filename if _is(exception, OSError) else None
        if type(path) is str and path and "://" not in path:
            return path[:2_000]
        found: str | None = facts.guarded(self._named)
        return found

    def _named(self) -> str | None:
        stored = resources.stored_resource(self.exceptions)
        if stored is None and _is(self.exception, FileNotFoundError):
            stored = resources.bare_path(self.text)
        return stored or resources.resource(self._source, self._told, self.told, self.arguments)


@lru_cache(maxsize=1_024)
def _phrases(phrases: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(r"\s+".join(re.escape(word) for word in phrase.split()) for phrase in phrases)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=4_096)
def _split(name: str) -> tuple[str, str]:
    package, _, cls = name.rpartition(".")
    return package or "builtins", cls
