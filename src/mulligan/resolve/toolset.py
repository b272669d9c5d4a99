"""The tools of a pipeline, by name."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from copy import copy
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from mulligan import standalone
from mulligan.errors import UsageError
from mulligan.forks import shared_lock
from mulligan.lazy import lazy
from mulligan.resolve.option_table import OptionTable, as_table
from mulligan.resolve.suggestions import Entry, SuggestionIndex, Suggestions
from mulligan.secrets.arguments import SecretNames
from mulligan.standalone import MessageShape
from mulligan.tools import Tool
from mulligan.untrusted.copies import thaw
from mulligan.untrusted.text import safe_repr
from mulligan.validate.signature import visible_parameter_names

if TYPE_CHECKING:
    from mulligan.resolve.readers import ReaderIndex

_NO_SECRETS = SecretNames(())
_PACKAGES = {  # by the root package of an object's class
    "langchain": "mulligan-langchain",
    "langchain_core": "mulligan-langchain",
    "langgraph": "mulligan-langchain",
    "crewai": "mulligan-crewai",
    "haystack": "mulligan-haystack",
    "llama_index": "mulligan-llamaindex",
    "pydantic_ai": "mulligan-pydantic-ai",
    "agents": "mulligan-openai-agents",
    "google.adk": "mulligan-adk",
    "agent_framework": "mulligan-agent-framework",
    "strands": "mulligan-strands",
    "smolagents": "mulligan-smolagents",
    "mcp": "mulligan-mcp",
    "fastmcp": "mulligan-mcp",
}


class Toolset(Mapping[str, Tool]):
    """A mapping of tools by name. Tools can be added and removed at run time.

    Args:
        tools: tools, plain functions and other toolsets.
        tool_options: options by name pattern or tag, as in `Pipeline`; each tool that is added gets those that match it.

    Attributes:
        dialects: the dialects by name that `definitions` knows; None for the built-in ones.
        tool_options: the options by name pattern or tag.

    Raises:
        UsageError: two tools have the same name, an object cannot be a tool, or an option is invalid.
    """

    def __init__(
        self, tools: Iterable[Any] = (), *, tool_options: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        self.tool_options: OptionTable = as_table(tool_options)
        self._tools: dict[str, Tool] = {}
        self._names: list[str] = []  # only extended or replaced, so that nothing that reads it needs a copy
        self._entries: dict[str, Entry] = {}
        self._also_called: dict[str, str] = {}
        self._index: SuggestionIndex | None = None
        self._readers: ReaderIndex | None = None
        self._secrets: SecretNames | None = _NO_SECRETS
        self._lock = shared_lock()
        self.dialects: Mapping[str, Any] | None = None
        for item in _flatten(tools):
            self.add(item)

    def add(self, tool: Tool | Callable[..., Any], *, replace: bool = False) -> Tool:
        """Adds a tool.

        Args:
            tool: a tool, or a plain function, which becomes one.
            replace: whether it may replace a tool with the same name.

        Returns:
            The tool that was added, with the options of `tool_options` that match it.

        Raises:
            UsageError: a tool already has that name or alias, the object cannot be a tool, its parameters cannot be
                described, or an option contradicts what it declares.
        """
        added = self.tool_options.apply(tool if isinstance(tool, Tool) else _make_tool(tool))
        added.check()
        with self._lock:
            if added.name in self._tools and not replace:
                both = f"{_describe_location(self._tools[added.name])} and {_describe_location(added)}"
                raise UsageError(
                    f"two tools are named {added.name!r}: {both}; rename one with Tool.from_function(..., name=...)"
                )
            self._add_aliases(added)
            if added.name not in self._tools:
                self._names.append(added.name)
            self._tools[added.name] = added
            self._entries[added.name] = Entry(added.name, added.summary, partial(_parameter_names, added))
            self._index = self._readers = None
            if added.secret or self._secrets is not _NO_SECRETS:
                self._secrets = None
        return added

    def _add_aliases(self, tool: Tool) -> None:
        """Records the aliases of a tool, unless another tool has one of them."""
        for name in sorted({tool.name, *tool.also_called}):
            other = self._also_called.get(name, name if name in self._tools else tool.name)
            if other != tool.name:
                raise UsageError(
                    f"tools {other!r} and {tool.name!r} are both named {name!r}; change also_called of one"
                )
        self._remove_aliases(self._tools.get(tool.name))
        self._also_called.update(dict.fromkeys(tool.also_called, tool.name))

    def _remove_aliases(self, tool: Tool | None) -> None:
        for name in tool.also_called if tool is not None else ():
            self._also_called.pop(name, None)

    def remove(self, name: str) -> Tool:
        """Removes a tool and returns it.

        Args:
            name: the tool's name.

        Raises:
            UsageError: no tool has that name.
        """
        with self._lock:
            if name not in self._tools:
                raise UsageError(f"no tool is named {name!r}; available: {', '.join(list(self._tools)[:20]) or 'none'}")
            self._index = self._readers = None
            if self._secrets is not _NO_SECRETS:
                self._secrets = None
            del self._entries[name]
            self._names = [other for other in self._names if other != name]
            self._remove_aliases(self._tools[name])
            return self._tools.pop(name)

    def definitions(self, dialect: str | MessageShape = "openai") -> list[Any]:
        """The definitions of the tools in a provider's format.

        Args:
            dialect: a dialect or its name: `openai`, `anthropic`, or that of a plugin.

        Raises:
            UsageError: the dialect does not exist, or a tool's schema cannot be built.
        """
        described = standalone.load().shape(dialect, self.dialects)
        return [thaw(described.definition(tool)) for tool in self.values()]

    def suggest(self, called: str, arguments: Mapping[str, Any] | None = None) -> Suggestions:
        """The tools that an unknown name may mean, best first.

        Args:
            called: the name that was called.
            arguments: the arguments of the call, if they are readable.
        """
        if called in self._also_called:
            return Suggestions((self._also_called[called],), confident=True)
        return self._suggestions.suggest(called, arguments)

    def having(self, arguments: Mapping[str, Any]) -> list[Tool]:
        """The tools that have parameters for all these arguments; none if there are too many tools to ask each.

        Args:
            arguments: the arguments of a call.
        """
        return [self._tools[name] for name in self._suggestions.having(arguments.keys()) if name in self._tools]

    @property
    def _suggestions(self) -> SuggestionIndex:
        if self._index is None:
            self._index = SuggestionIndex(self._entries, self._names)
        return self._index

    @property
    def readers(self) -> ReaderIndex:
        """The tools that read, by the kind of thing."""
        if self._readers is None:
            from mulligan.resolve.readers import ReaderIndex

            self._readers = ReaderIndex(self._tools.copy())
        return self._readers

    @property
    def secrets(self) -> SecretNames:
        """The names of all secret arguments; empty if no tool has any."""
        if self._secrets is None:
            tools = self._tools.copy().values()
            secret = frozenset(name for tool in tools for name in tool.secret)
            declared = (name for tool in tools if secret for name in _parameter_names(tool))
            self._secrets = SecretNames(secret, frozenset(declared))
        return self._secrets

    @lazy
    def view(self) -> Toolset:
        """A live view of the same tools, without `add` and `remove`, for plugins."""
        return _View(self, self._tools)

    def without_handlers(self) -> Toolset:
        """The same tools with handlers that refuse to run, for repairers."""
        return _WithoutHandlers(self._tools.copy(), self._entries.copy(), self._also_called.copy(), self._index)

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def get(self, name: object, default: Any = None) -> Any:
        """The tool with this name, or the default."""
        return self._tools.get(name, default) if isinstance(name, str) else default

    def values(self) -> ValuesView[Tool]:
        """A copy of the current tools, so that iterating is safe while others change the toolset."""
        return self._tools.copy().values()

    def items(self) -> ItemsView[str, Tool]:
        """A copy of the current names and tools, so that iterating is safe while others change the toolset."""
        return self._tools.copy().items()

    def __iter__(self) -> Iterator[str]:
        names = self._names
        return islice(names, len(names))

    def __len__(self) -> int:
        return len(self._tools)

    def __repr__(self) -> str:
        return f"Toolset({', '.join(list(self._tools)[:20])}{', ...' if len(self._tools) > 20 else ''})"


class _ReadOnly(Toolset):
    """A read-only view of tools."""

    @property
    def view(self) -> Toolset:
        """This toolset itself, which is already read-only."""
        return self

    def add(self, tool: Tool | Callable[..., Any], *, replace: bool = False) -> Tool:
        raise UsageError("this toolset is read-only; the host adds tools to pipeline.tools")

    def remove(self, name: str) -> Tool:
        raise UsageError("this toolset is read-only; the host removes tools from pipeline.tools")


class _View(_ReadOnly):
    """A live view of another toolset's tools."""

    def __init__(self, whole: Toolset, tools: dict[str, Tool]) -> None:
        super().__init__()
        self._whole, self._tools = whole, tools
        if whole.dialects is not None:
            self.dialects = {name: copy(dialect) for name, dialect in whole.dialects.items()}

    def suggest(self, called: str, arguments: Mapping[str, Any] | None = None) -> Suggestions:
        return self._whole.suggest(called, arguments)

    def having(self, arguments: Mapping[str, Any]) -> list[Tool]:
        return self._whole.having(arguments)

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole)

    def without_handlers(self) -> Toolset:
        return self._whole.without_handlers()


class _WithoutHandlers(_ReadOnly):
    """Tools with handlers that refuse to run. Each is created when it is first read."""

    def __init__(
        self,
        tools: dict[str, Tool],
        entries: dict[str, Entry],
        also_called: dict[str, str],
        index: SuggestionIndex | None,
    ) -> None:
        super().__init__()
        self._tools, self._entries, self._also_called, self._index = tools, entries, also_called, index
        self._names = list(tools)
        self._copies: dict[Tool, Tool] = {}

    def __getitem__(self, name: str) -> Tool:
        tool = self._tools[name]
        if tool not in self._copies:
            self._copies[tool] = tool.without_handler()
        return self._copies[tool]

    def get(self, name: object, default: Any = None) -> Any:
        return self[name] if isinstance(name, str) and name in self._tools else default

    def values(self) -> ValuesView[Tool]:
        return dict(self.items()).values()

    def items(self) -> ItemsView[str, Tool]:
        return {name: self[name] for name in self._tools.copy()}.items()

    def __contains__(self, name: object) -> bool:
        return name in self._tools


def _flatten(tools: Any) -> Iterator[Any]:
    if isinstance(tools, Mapping):
        tools = tools.values()
    if callable(tools) or isinstance(tools, (str, bytes)) or not isinstance(tools, Iterable):
        raise UsageError(
            f"tools must be a list of tools, not {safe_repr(tools)}; write [{getattr(tools, '__name__', '...')}]"
        )
    for item in tools:
        if isinstance(item, Toolset):
            yield from item.values()
        else:
            yield item


def _make_tool(value: Any) -> Tool:
    package = _package(value)
    if callable(value):
        try:
            return Tool.from_function(value)
        except UsageError:
            if package is None:
                raise
    if package is None:
        raise UsageError(f"{safe_repr(value)} cannot be a tool: pass a Tool, a function or a Toolset")
    kind = type(value)
    raise UsageError(
        f"{kind.__module__}.{kind.__qualname__} is a tool of another framework: `pip install {package}` protects it "
        "there; to run it here, pass its function"
    )


def _package(value: Any) -> str | None:
    """The package for the framework of an object; None for a function or any other object."""
    roots = (cls.__module__.split(".") for cls in type(value).__mro__)
    names = (name for parts in roots for name in (parts[0], ".".join(parts[:2])))
    return next((_PACKAGES[name] for name in names if name in _PACKAGES), None)


def _describe_location(tool: Tool) -> str:
    code = getattr(tool.handler, "__code__", None)
    if code is None:
        return repr(tool.handler)[:80]
    return f"{getattr(tool.handler, '__module__', '?')}.{tool.handler.__qualname__} (line {code.co_firstlineno})"


def _parameter_names(tool: Tool) -> list[str]:
    if tool.is_read_from_signature:
        return visible_parameter_names(tool.handler)
    properties = tool.parameters.get("properties")
    return list(properties) if isinstance(properties, Mapping) else []
