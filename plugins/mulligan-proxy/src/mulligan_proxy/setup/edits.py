"""Edits the text of a client's configuration: with the proxy in front of its servers, or without; all other bytes stay."""

from __future__ import annotations

from typing import Any

import attrs

from mulligan.errors import UsageError
from mulligan_proxy.configs import group_of, is_proxied, unwrap_entry, wrap_entry
from mulligan_proxy.setup.json_text import Node, indented, parse_json_text, to_json, with_edits

Edit = tuple[int, int, str]


@attrs.frozen
class Change:
    """The result of an edit.

    Attributes:
        text: the new text.
        names: the servers whose entries have changed.
        left: why each other server is unchanged.
    """

    text: str
    names: tuple[str, ...]
    left: dict[str, str]


def with_proxy(text: str, command: tuple[str, ...], trusted: frozenset[str] = frozenset()) -> Change:
    """Puts the proxy in front of each server where that is possible.

    Args:
        text: the text of the configuration.
        command: what starts the proxy.
        trusted: names of servers whose hints are believed.

    Raises:
        JsonTextError: the text is no JSON.
        UsageError: it contains no servers, or none with a trusted name.
    """
    servers = _servers(text)
    for unknown in sorted(trusted - servers.keys()):
        raise UsageError(f"--trust {unknown}: no such server in the file; it has {', '.join(servers) or 'none'}")
    edits: list[Edit] = []
    names: list[str] = []
    left: dict[str, str] = {}
    for name, node in servers.items():
        if is_proxied(node.value):
            left[name] = "the proxy is in front of it already"
            continue
        try:
            wrapped = wrap_entry(name, node.value, command, trusted)
        except UsageError as error:
            left[name] = str(error).removeprefix(f"server {name!r}: ")
            continue
        edits += _edits(text, node, wrapped)
        names.append(name)
    return Change(_checked(text, edits), tuple(names), left)


def without_proxy(text: str, before: str | None) -> Change:
    """Removes the proxy from each server.

    Args:
        text: the text of the configuration.
        before: its text before the proxy was added, or None if that is unknown.

    Raises:
        JsonTextError: the text is no JSON.
        UsageError: it contains no servers.
    """
    known = {} if before is None else _servers(before)
    edits: list[Edit] = []
    names: list[str] = []
    left: dict[str, str] = {}
    for name, node in _servers(text).items():
        original = known.get(name)
        if not is_proxied(node.value) or (original is not None and original.value == node.value):
            continue
        try:
            entry = unwrap_entry(node.value)
        except (UsageError, ValueError):
            left[name] = "it is not clear which server it starts"
            continue
        if before is not None and original is not None and _is_of(name, node.value, original.value):
            edits.append((node.start, node.end, before[original.start : original.end]))
        else:
            edits.append((node.start, node.end, indented(entry, text, node.start)))
        names.append(name)
    return Change(_checked(text, edits), tuple(names), left)


def _servers(text: str) -> dict[str, Node]:
    root = parse_json_text(text)
    group = root.members.get(group_of(root.value)) if isinstance(root.value, dict) else None
    if group is None or not isinstance(group.value, dict):
        raise UsageError('it has no "mcpServers", "servers" or "context_servers": add a server in your client first')
    return group.members


def _edits(text: str, node: Node, wrapped: dict[str, Any]) -> list[Edit]:
    """The edits of an entry: for a program, only the command and the first arguments, so that comments stay."""
    if not isinstance(node.value.get("command"), str) or not node.value["command"]:
        return [(node.start, node.end, indented(wrapped, text, node.start))]
    command = node.members["command"]
    edits = [(command.start, command.end, to_json(wrapped["command"]))]
    if "type" in node.members:
        edits.append((node.members["type"].start, node.members["type"].end, to_json("stdio")))
    arguments = node.members.get("args")
    words = wrapped["args"]
    if arguments is None:
        edits[0] = (command.start, command.end, f'{to_json(wrapped["command"])}, "args": {to_json(words)}')
        return edits
    if not arguments.members:
        edits.append((arguments.start, arguments.end, to_json(words)))
        return edits
    added = [to_json(word) for word in words[: len(words) - len(arguments.members)]]
    place = arguments.start + 1
    rest = text[place : arguments.end]
    blank = rest[: len(rest) - len(rest.lstrip())]
    lines = "".join(f"{blank}{word}," for word in added) if "\n" in blank else ", ".join(added) + ", "
    edits.append((place, place, lines))
    return edits


def _is_of(name: str, wrapped: Any, original: Any) -> bool:
    """Whether an entry is another one with the proxy in front, whatever proxy options a person has added since."""
    try:
        command = (wrapped["command"], *wrapped["args"][: wrapped["args"].index("--name")])
        trusted = frozenset({name} if "--trust" in wrapped["args"] else ())
        if wrap_entry(name, original, command, trusted) == wrapped:
            return True
        return bool(wrap_entry(name, unwrap_entry(wrapped), command) == wrap_entry(name, original, command))
    except (UsageError, ValueError):
        return False


def _checked(text: str, edits: list[Edit]) -> str:
    """The new text, checked to be readable too: a valid file never becomes invalid."""
    written = with_edits(text, edits)
    parse_json_text(written)
    return written
