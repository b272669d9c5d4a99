"""A tool of LangChain as a tool of mulligan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.tools import Tool as SimpleTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from mulligan import Problem, Tool, hints_of
from mulligan.adapters import OPEN, Adapter, handler_for
from mulligan.errors import ToolArgumentError
from mulligan.plugin import pointer_of, takes_any
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

    def accepts(self, arguments: Mapping[str, Any]) -> bool:
        """Whether the tool itself takes arguments that do not fit its schema: pydantic reads `"5"` as 5.

        Args:
            arguments: what the model sent.
        """
        if isinstance(self.base.args_schema, Mapping) or self.unknown(arguments):
            return False
        if self.base.args_schema is None:
            return isinstance(self.base, SimpleTool)
        error = self.refusal(arguments)
        return error is None or (bool(errors_of(error)) and not self.problems(error))

    def refusal(self, arguments: Mapping[str, Any]) -> Exception | None:
        """What the tool's own model raises for arguments, or None.

        Args:
            arguments: what the model sent.
        """
        try:
            self._read(arguments)
        except Exception as error:
            return error
        return None

    def values(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Arguments as the tool's own model reads them.

        Args:
            arguments: what the model sent.
        """
        try:
            return {**arguments, **vars(self._read(arguments))}
        except Exception:  # a schema without a model, or arguments that the framework has yet to fill in
            return arguments

    def _read(self, arguments: Mapping[str, Any]) -> Any:
        model: Any = self.base.args_schema
        read = getattr(model, "model_validate", None) or getattr(model, "parse_obj", None)
        if read is None:
            raise TypeError("no model reads the arguments")
        return read(dict(arguments))

    def unknown(self, arguments: Mapping[str, Any]) -> set[str]:
        """The names of arguments that the tool does not have, and that the framework would drop in silence.

        Args:
            arguments: what the model sent.
        """
        is_closed = self.schema.get("additionalProperties") is False
        return set(arguments) - {*self.schema.get("properties", ()), *self.injected} if is_closed else set()

    def problems(self, error: BaseException) -> list[Problem]:
        """What a validation error says of the arguments that the model sent.

        Args:
            error: pydantic's.
        """
        rejected = [one for one in errors_of(error) if not (one.get("loc") and one["loc"][0] in self.injected)]
        return [Problem(pointer_of(one.get("loc", ())), str(one.get("msg", "not valid"))) for one in rejected]

    def misfit(self, tool: Tool, arguments: Mapping[str, Any]) -> ToolArgumentError | None:
        """What the schema says is wrong with arguments that the framework does not take either.

        Args:
            tool: the same tool, as mulligan sees it.
            arguments: JSON values.
        """
        sent = {name: value for name, value in arguments.items() if name not in self.injected}
        fitted = None if self.accepts(sent) else Tool.fit(tool, sent)
        return fitted if isinstance(fitted, ToolArgumentError) else None

    def explained(self, tool: Tool, arguments: Mapping[str, Any], error: BaseException) -> ToolArgumentError | None:
        """What it means that the framework did not take arguments; None if the error says something else.

        Args:
            tool: the same tool, as mulligan sees it.
            arguments: JSON values.
            error: what was raised.
        """
        problems = self.problems(error)
        if not problems:
            return None
        message = "Invalid arguments; nothing was run."
        explained = self.misfit(tool, arguments) or ToolArgumentError(
            message, problems=problems, effect="none", rule="langchain:arguments"
        )
        explained.__cause__ = error
        return explained

    def refused(self, tool: Tool, arguments: Mapping[str, Any]) -> ToolArgumentError | None:
        """What is wrong with arguments, before the framework is asked; None if it takes them.

        Args:
            tool: the same tool, as mulligan sees it.
            arguments: JSON values.
        """
        sent = {name: value for name, value in arguments.items() if name not in self.injected}
        error = self.refusal(sent)
        explained = None if error is None else self.explained(tool, sent, error)
        return explained or self.misfit(tool, sent)


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


def errors_of(error: BaseException) -> list[Mapping[str, Any]]:
    """The problems that pydantic lists, or none.

    Args:
        error: any exception.
    """
    try:
        listed: Any = error.errors()  # type: ignore[attr-defined]
        return [one for one in listed if isinstance(one, Mapping)]
    except Exception:
        return []


def _shown_schema(base: BaseTool) -> Mapping[str, Any]:
    try:
        schema = convert_to_openai_tool(base)["function"]["parameters"]
    except Exception:  # a schema that cannot be written as JSON; the framework's own validation remains
        return OPEN
    return schema if isinstance(schema, Mapping) and schema.get("type", "object") == "object" else OPEN


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
