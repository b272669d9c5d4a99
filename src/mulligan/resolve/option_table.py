"""Options for several tools at once, by name pattern or tag, applied to each tool when it is added to a toolset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from mulligan.errors import UsageError
from mulligan.spelling import closest
from mulligan.tools import Tool
from mulligan.validate.tool_options import check_options

_TAG = "tag:"
_WILDCARDS = "*?["
_MOST_LISTED = 20


class OptionTable(Mapping[str, Mapping[str, Any]]):
    """Options by name pattern or tag. A later entry overrides an earlier one, and each overrides what the tool declares.

    Args:
        entries: the options by pattern: a name as in `fnmatch`, or `tag:` and a tag.
        describe: the place of an entry, for errors.

    Raises:
        UsageError: the entries are not a mapping, or one is invalid.
    """

    def __init__(self, entries: object, describe: Callable[[Any], str] = "tool_options[{!r}]".format) -> None:
        if not isinstance(entries, Mapping):
            raise UsageError(
                "tool_options must map name patterns or tags to options, such as "
                f'{{"read_*": {{"timeout": 5}}}}, not {entries!r:.80}'
            )
        self._describe = describe
        self._entries = {pattern: self._checked(pattern, options) for pattern, options in entries.items()}
        self._unmatched = dict.fromkeys(self._entries)
        self._changed: WeakKeyDictionary[Tool, Tool] = WeakKeyDictionary()
        self._complete: WeakSet[Tool] = WeakSet()

    def _checked(self, pattern: object, options: object) -> Mapping[str, Any]:
        if not isinstance(pattern, str) or pattern in ("", _TAG):
            raise UsageError(
                f"{self._describe(pattern)}: use a tool's name, a pattern such as 'read_*', or a tag such as 'tag:billing'"
            )
        if not isinstance(options, Mapping):
            raise UsageError(
                f'{self._describe(pattern)} must be options, such as {{"timeout": 5}}, not {options!r:.80}'
            )
        return check_options(self._describe(pattern), options)

    def place(self, pattern: str) -> str:
        """Where an entry is written, for errors.

        Args:
            pattern: the key of the entry.
        """
        return self._describe(pattern)

    def __getitem__(self, pattern: str) -> Mapping[str, Any]:
        return self._entries[pattern]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def apply(self, tool: Tool) -> Tool:
        """The tool with the options of the entries that match it: the tool itself if none does.

        Args:
            tool: the tool as its author declared it.

        Raises:
            UsageError: the options contradict what the tool declares, or name an argument that it does not have.
        """
        if not self._entries or tool in self._complete:
            return tool
        changed = self._changed.get(tool)
        if changed is None:
            changed = self._with_matching_options(tool)
            self._complete.add(changed)
            if changed is not tool:
                self._changed[tool] = changed
        return changed

    def _with_matching_options(self, tool: Tool) -> Tool:
        values: dict[str, Any] = {}
        places = []
        for pattern, options in self._entries.items():
            if _matches(pattern, tool.name, values.get("tags", tool.tags)):
                self._unmatched.pop(pattern, None)
                places.append(self._describe(pattern))
                secret = values.get("secret", frozenset()) | options.get("secret", frozenset())
                values |= options
                if secret:
                    values["secret"] = secret
        if not values:
            return tool
        try:
            return tool.with_options(**values)
        except UsageError as error:
            raise UsageError(f"{' and '.join(places)}: {error}") from None

    def unmatched(self, tools: Iterable[Tool]) -> list[str]:
        """One sentence for each entry that has matched no tool so far, with the closest key that would.

        Args:
            tools: the tools that exist.
        """
        existing = list(tools)
        return [f"{self._describe(pattern)}: {_no_match(pattern, existing)}" for pattern in self._unmatched]

    def check_matched(self, tools: Iterable[Tool]) -> None:
        """Checks that every entry has matched a tool.

        Args:
            tools: the tools that exist.

        Raises:
            UsageError: one has not; names the closest key that would.
        """
        if self._unmatched:
            raise UsageError(self.unmatched(tools)[0])


def as_table(tool_options: Mapping[str, Mapping[str, Any]] | None) -> OptionTable:
    """A table out of the argument of a host.

    Args:
        tool_options: options by pattern, which may be a table already, or None.

    Raises:
        UsageError: it is something else, or an entry is invalid.
    """
    return (
        tool_options
        if isinstance(tool_options, OptionTable)
        else OptionTable({} if tool_options is None else tool_options)
    )


def _matches(pattern: str, name: str, tags: Iterable[str]) -> bool:
    if pattern.startswith(_TAG):
        return any(_matches_text(pattern.removeprefix(_TAG), tag) for tag in tags)
    return _matches_text(pattern, name)


def _matches_text(pattern: str, text: str) -> bool:
    from fnmatch import fnmatchcase

    return pattern == text or fnmatchcase(text, pattern)


def _no_match(pattern: str, tools: Iterable[Tool]) -> str:
    if pattern.startswith(_TAG):
        prefix, kind, known = _TAG, "tag", sorted({tag for tool in tools for tag in tool.tags})
    else:
        prefix, kind, known = "", "name", [tool.name for tool in tools]
    near = _closest_pattern(pattern.removeprefix(prefix), known)
    if near is not None:
        return f"no tool has such a {kind}. Did you mean {prefix + near!r}?"
    listed = ", ".join(known[:_MOST_LISTED]) + (f" ... ({len(known)} in all)" if len(known) > _MOST_LISTED else "")
    return f"no tool has such a {kind}. Available: {listed or 'none'}"


def _closest_pattern(pattern: str, known: list[str]) -> str | None:
    """The pattern that was most likely meant: with another beginning if it has wildcards, otherwise a known name."""
    at = next((place for place, character in enumerate(pattern) if character in _WILDCARDS), len(pattern))
    beginning, rest = pattern[:at], pattern[at:]
    if not rest:
        return closest(pattern, known)
    near = closest(beginning, {name[:at] for name in known}) if beginning else None
    fits = near is not None and any(_matches_text(near + rest, name) for name in known)
    return f"{near}{rest}" if fits else None
