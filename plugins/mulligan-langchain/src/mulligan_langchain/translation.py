"""A tool of LangChain as a tool of mulligan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.tools import Tool as SimpleTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from mulligan import Pipeline, Tool, hints_of
from mulligan.adapters import OPEN, Adapter, handler_for
from mulligan.plugin import takes_any
from mulligan_langchain.run_recorder import record_runs

_REMOTE = ("readOnlyHint", "_meta")  # langchain-mcp-adapters writes what a server says into the same mapping


class Entry:
    """A tool of LangChain, ready to be called.

    Attributes:
        base: the tool as it was given.
        observed: a copy that notes what it raises and returns.
        schema: the JSON Schema that the model is shown; closed where the tool is a function that takes nothing else.
        injected: names of arguments that the framework fills in, not the model.
    """

    def __init__(self, base: BaseTool) -> None:
        self.base = base
        self.observed = record_runs(base)
        self.injected = _injected(base)
        self.schema = _shown_schema(base)
        function = getattr(base, "func", None) or getattr(base, "coroutine", None)
        if isinstance(base, StructuredTool) and _is_closed(base.args_schema, function):
            self.schema = {"additionalProperties": False, **self.schema}

    @property
    def is_sync(self) -> bool:
        """Whether the tool blocks a thread, also where it is awaited."""
        if isinstance(self.base, (StructuredTool, SimpleTool)):
            return self.base.coroutine is None
        return vars(type(self.base)).get("_arun") is None

    @property
    def is_async(self) -> bool:
        """Whether the tool can only be awaited."""
        return isinstance(self.base, (StructuredTool, SimpleTool)) and self.base.func is None

    def read(self, arguments: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Arguments as the tool's own model reads them, without unknown ones; None if only the schema can tell.

        Args:
            arguments: what the model sent.

        Raises:
            InvalidArguments: the tool does not take them.
        """
        model: Any = self.base.args_schema
        validate = getattr(model, "model_validate", None) or getattr(model, "parse_obj", None)
        if validate is None and not (model is None and isinstance(self.base, SimpleTool)):
            return None
        values: Mapping[str, Any] = {}
        try:
            values = vars(validate(dict(arguments))) if validate else {}
        except Exception as error:
            problems = self.problems(error)
            if problems:
                raise InvalidArguments(problems) from error
        unknown = self.unknown(arguments)
        return {name: value for name, value in {**arguments, **values}.items() if name not in unknown}

    def unknown(self, arguments: Mapping[str, Any]) -> set[str]:
        """The names of arguments that the tool does not have, and that the framework would drop in silence.

        Args:
            arguments: what the model sent.
        """
        is_closed = self.schema.get("additionalProperties") is False
        return set(arguments) - {*self.schema.get("properties", ()), *self.injected} if is_closed else set()

    def problems(self, error: BaseException) -> list[Mapping[str, Any]]:
        """What a validation error of pydantic lists about the arguments that the model sent.

        Args:
            error: any exception.
        """
        try:
            listed: Any = error.errors()  # type: ignore[attr-defined]
            return [one for one in listed if not (one["loc"] and one["loc"][0] in self.injected)]
        except Exception:
            return []


class InvalidArguments(Exception):
    """The framework does not take the arguments that the model sent.

    Args:
        problems: what pydantic lists about them.
    """

    def __init__(self, problems: list[Mapping[str, Any]]) -> None:
        super().__init__()
        self.errors = lambda: problems


class Toolbox:
    """The tools that may be called at one moment.

    Attributes:
        adapter: makes the pipelines.
        entries: the tools by name, ready to be called.

    Args:
        adapter: makes the pipelines.
        tools: the framework's tools.
    """

    def __init__(self, adapter: Adapter, tools: Iterable[BaseTool]) -> None:
        self.adapter = adapter
        self.entries = {tool.name: Entry(tool) for tool in tools}
        self._views: dict[bool, Pipeline] = {}

    def view(self, *, awaited: bool) -> Pipeline:
        """The pipeline with these tools.

        Args:
            awaited: whether they are called with `await`.
        """
        if awaited not in self._views:
            tools = [as_tool(entry, self.adapter, awaited=awaited) for entry in self.entries.values()]
            self._views[awaited] = self.adapter.view(tools)
        return self._views[awaited]


def as_tool(entry: Entry, adapter: Adapter, *, awaited: bool) -> Tool:
    """The tool of mulligan. The author's own options are read from `metadata["mulligan"]`, but not from a server's.

    Args:
        entry: the framework's tool.
        adapter: knows the host's options.
        awaited: whether it is called with `await`.
    """
    base, metadata = entry.base, entry.base.metadata or {}
    own = {} if any(name in metadata for name in _REMOTE) else metadata.get("mulligan")
    options = {**hints_of(metadata), **(own if isinstance(own, dict) else {})}
    return adapter.tool(base.name, base.description, entry.schema, handler_for(base.name, awaited=awaited), **options)


def _shown_schema(base: BaseTool) -> Mapping[str, Any]:
    try:
        return convert_to_openai_tool(base)["function"]["parameters"]  # type: ignore[no-any-return]
    except Exception:  # a schema that cannot be written as JSON; the framework's own validation remains
        return OPEN


def _is_closed(model: Any, function: Callable[..., Any] | None) -> bool:
    if function is None or isinstance(model, Mapping) or getattr(model, "model_config", {}).get("extra") == "allow":
        return False
    return not takes_any(function)


def _injected(base: BaseTool) -> frozenset[str]:
    try:
        every = getattr(base.get_input_schema(), "model_fields", {})
        shown = base.tool_call_schema
        return frozenset(every) - frozenset(getattr(shown, "model_fields", every))
    except Exception:
        return frozenset()
