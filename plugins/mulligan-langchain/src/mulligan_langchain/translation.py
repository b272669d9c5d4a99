"""A tool of LangChain as a tool of mulligan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.tools import BaseTool
from langchain_core.tools import Tool as SimpleTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from mulligan import Tool
from mulligan.errors import ToolArgumentError
from mulligan_langchain.run_recorder import record_runs

Handler = Callable[..., Any]
Timeouts = float | Mapping[str, float] | None
OPEN: Mapping[str, Any] = {"type": "object"}
_HINTS = {"readOnlyHint": "read_only", "idempotentHint": "idempotent", "destructiveHint": "destructive"}


class Entry:
    """A tool of LangChain, ready to be called.

    Attributes:
        base: the tool as it was given.
        observed: a copy that notes what it raises and returns.
        schema: the JSON Schema that the model is shown.
        injected: names of arguments that the framework fills in, not the model.
    """

    def __init__(self, base: BaseTool) -> None:
        self.base = base
        self.observed = record_runs(base)
        self.schema = _shown_schema(base)
        self.injected = _injected(base)

    def accepts(self, arguments: Mapping[str, Any]) -> bool:
        """Whether the tool itself takes arguments that do not fit its schema: pydantic reads `"5"` as 5.

        Args:
            arguments: what the model sent.
        """
        model = self.base.args_schema
        if isinstance(model, Mapping):
            return False
        if model is None:
            return isinstance(self.base, SimpleTool)
        read = getattr(model, "model_validate", None) or getattr(model, "parse_obj", None)
        if read is None:
            return False
        try:
            read(dict(arguments))
        except Exception as error:
            return bool(errors_of(error)) and not self.rejected(error)
        return True

    def rejected(self, error: BaseException) -> list[Mapping[str, Any]]:
        """What a validation error says of the arguments that the model sent.

        Args:
            error: pydantic's.
        """
        return [one for one in errors_of(error) if not (one.get("loc") and one["loc"][0] in self.injected)]


class FrameworkTool(Tool):
    """A tool whose arguments are good when its framework takes them, even where its schema is stricter.

    Attributes:
        entry: the framework's tool.
        is_lenient: whether they are judged later, when others may have changed them.
    """

    entry: Entry
    is_lenient = False

    def fit(self, arguments: dict[str, Any]) -> dict[str, Any] | ToolArgumentError:
        """As in `Tool`.

        Args:
            arguments: JSON values.
        """
        if self.is_lenient:
            return arguments
        fitted = super().fit(arguments)
        return arguments if isinstance(fitted, ToolArgumentError) and self.entry.accepts(arguments) else fitted


def make_tool(entry: Entry, handler: Handler, timeouts: Timeouts = None, **others: Any) -> FrameworkTool:
    """The tool of mulligan. The hints of MCP in `metadata`, and options under its key `mulligan`, are read.

    Args:
        entry: the framework's tool.
        handler: what runs.
        timeouts: seconds, for all or by name.
        others: options of `Tool` that go before all of these.
    """
    base = entry.base
    metadata = base.metadata or {}
    options: dict[str, Any] = {ours: metadata[hint] for hint, ours in _HINTS.items() if metadata.get(hint) is not None}
    if options.get("read_only") and options.get("destructive"):
        options |= {"read_only": False, "idempotent": False}
    options["timeout"] = timeouts.get(base.name) if isinstance(timeouts, Mapping) else timeouts
    own = metadata.get("mulligan")
    options |= (own if isinstance(own, dict) else {}) | others
    made = FrameworkTool(base.name, base.description or "", handler, schema=entry.schema, **options)
    made.entry = entry
    return made


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


def _injected(base: BaseTool) -> frozenset[str]:
    try:
        every = getattr(base.get_input_schema(), "model_fields", {})
        shown = base.tool_call_schema
        return frozenset(every) - frozenset(getattr(shown, "model_fields", every))
    except Exception:
        return frozenset()
