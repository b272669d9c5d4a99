"""Reads the `mcpServers` JSON of a client, and writes it with the proxy in front of the servers."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mulligan.errors import UsageError
from mulligan_proxy.specs import Kind, ServerSpec

HEADERS = "MULLIGAN_HEADERS"
TRUST = "trust"
_GROUPS = ("mcpServers", "servers", "context_servers")
_ADDRESSES = ("url", "httpUrl", "serverUrl")
_VARIABLE = re.compile(r"\$\{(?:env:)?(\w+)(?::-([^}]*))?\}")
_OWN = ("command", "args", "type", "transport", "headers", *_ADDRESSES)


def read_config(path: Path) -> dict[str, Any]:
    """The file's JSON.

    Args:
        path: the file.

    Raises:
        UsageError: it cannot be read, or contains no servers.
    """
    try:
        held = json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"--config {path}: {error.strerror or error}") from None
    except ValueError as error:
        raise UsageError(f"--config {path}: not valid JSON: {error}") from None
    if not isinstance(held, dict) or not isinstance(held.get(group_of(held)), dict):
        raise UsageError(
            f'--config {path}: it has no "mcpServers"; give the file in which your client keeps its servers'
        )
    return held


def specs_of(held: Mapping[str, Any], *, trusted: frozenset[str] = frozenset()) -> tuple[ServerSpec, ...]:
    """The servers of a file, without the disabled ones.

    An invalid entry becomes a server with a `problem`, so that the others work.

    Args:
        held: the file's JSON.
        trusted: names of servers whose hints are believed, beside those whose entry says `"trust": true`.

    Raises:
        UsageError: a trusted server does not exist, or nothing is left.
    """
    entries = held[group_of(held)]
    for name in sorted(trusted - entries.keys()):
        raise UsageError(f"--trust {name}: no such server in the file; it has {', '.join(entries) or 'none'}")
    found = tuple(
        _spec_or_problem(name, entry, name in trusted)
        for name, entry in entries.items()
        if not (isinstance(entry, Mapping) and entry.get("disabled") is True) and not is_proxied(entry)
    )
    if not found:
        raise UsageError("the file names no server that the proxy could stand in front of")
    return found


def _spec_or_problem(name: str, entry: Any, trusted: bool) -> ServerSpec:
    try:
        return spec_of(name, entry, trusted or _is_trusted(name, entry))
    except UsageError as error:
        return ServerSpec(name=name, problem=str(error).removeprefix(f"server {name!r}: "))


def insert_proxy(
    held: Mapping[str, Any], command: tuple[str, ...], trusted: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The same file with the proxy in front of each server that does not have it yet.

    Args:
        held: the file's JSON.
        command: what starts the proxy.
        trusted: names of servers whose hints are believed, beside those whose entry says `"trust": true`.

    Raises:
        UsageError: an entry cannot be understood.
    """
    group = group_of(held)
    return {**held, group: {name: wrap_entry(name, entry, command, trusted) for name, entry in held[group].items()}}


def own_command() -> tuple[str, ...]:
    """The command that starts the proxy from anywhere: a desktop client does not have the PATH of a shell.

    An environment that `uvx` created for this run only may be deleted later, so the command runs `uvx` each time.
    """
    if "archive-v0" in Path(sys.prefix).parts:
        return (shutil.which("uvx") or "uvx", "mulligan-proxy")
    scripts = (Path(sys.executable).with_name(name) for name in ("mulligan-proxy", "mulligan-proxy.exe"))
    script = next((one for one in scripts if one.exists()), None)
    return (sys.executable, "-m", "mulligan_proxy") if script is None else (str(script),)


def group_of(held: Mapping[str, Any]) -> str:
    """The key under which a file has its servers.

    Args:
        held: the file's JSON.
    """
    return next((one for one in _GROUPS if one in held), _GROUPS[0])


def spec_of(name: str, entry: Any, trusted: bool = False) -> ServerSpec:
    """The server of an entry.

    Args:
        name: its name.
        entry: its entry.
        trusted: whether its hints are believed.

    Raises:
        UsageError: the entry cannot be understood.
    """
    kind, address = _kind(name, entry)
    if kind == "stdio":
        command = _expand_variables((entry["command"], *_texts(name, entry, "args")))
        cwd = entry.get("cwd")
        if not isinstance(cwd, str | None):
            raise UsageError(f'server {name!r}: its "cwd" must be a text')
        return ServerSpec(name=name, command=command, env=_mapping(name, entry, "env"), cwd=cwd, trusted=trusted)
    return ServerSpec(
        name=name,
        kind=kind,
        url=_expand_variables((address,))[0],
        headers=_mapping(name, entry, "headers"),
        trusted=trusted,
    )


def _kind(name: str, entry: Any) -> tuple[Kind, str]:
    """The transport of a server, and its address."""
    if not isinstance(entry, Mapping):
        raise UsageError(f"server {name!r}: its entry must be an object, not {json.dumps(entry)[:80]}")
    address = next((entry[one] for one in _ADDRESSES if isinstance(entry.get(one), str)), "")
    if isinstance(entry.get("command"), str) and entry["command"]:
        return "stdio", ""
    if not address:
        raise UsageError(f'server {name!r}: it has neither a "command" nor a "url"')
    said = str(entry.get("type") or entry.get("transport") or "")
    return ("sse" if said == "sse" else "http"), address


def _is_trusted(name: str, entry: Any) -> bool:
    said = entry.get(TRUST, False) if isinstance(entry, Mapping) else False
    if not isinstance(said, bool):
        raise UsageError(f'server {name!r}: its "{TRUST}" must be true or false')
    return said


def _texts(name: str, entry: Mapping[str, Any], member: str) -> tuple[str, ...]:
    given = [] if entry.get(member) is None else entry[member]
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise UsageError(f'server {name!r}: its "{member}" must be a list of texts')
    return tuple(given)


def _mapping(name: str, entry: Mapping[str, Any], member: str, *, expanded: bool = True) -> dict[str, str]:
    given = entry.get(member) or {}
    if not isinstance(given, Mapping) or not all(isinstance(one, str) for one in given.values()):
        raise UsageError(f'server {name!r}: its "{member}" must be an object of texts')
    return {key: _expand_variables((value,))[0] if expanded else value for key, value in given.items()}


def _expand_variables(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Expands `${NAME}`, `${NAME:-otherwise}` and `${env:NAME}`; variables that are not set are left unchanged."""
    return tuple(_VARIABLE.sub(lambda found: os.environ.get(found[1], found[2] or found[0]), one) for one in texts)


def is_proxied(entry: Any) -> bool:
    """Whether the proxy is in front of a server.

    Args:
        entry: the server's entry.
    """
    arguments = entry.get("args") if isinstance(entry, Mapping) else None
    words = (
        [entry.get("command"), *(arguments if isinstance(arguments, list) else ())]
        if isinstance(entry, Mapping)
        else []
    )
    first, *rest = [Path(one).name.removesuffix(".exe") for one in words[:3] if isinstance(one, str)] or [""]
    if first == "mulligan-proxy" or rest == ["-m", "mulligan_proxy"]:
        return True
    return (first, *rest[:1]) in (("mulligan", "proxy"), ("uvx", "mulligan-proxy"))


def wrap_entry(name: str, entry: Any, command: tuple[str, ...], trusted: frozenset[str] = frozenset()) -> Any:
    """The entry of a server with the proxy in front of it; unchanged if it has it already.

    Args:
        name: the server's name.
        entry: its entry.
        command: what starts the proxy.
        trusted: names of servers whose hints are believed.

    Raises:
        UsageError: the entry cannot be understood.
    """
    if is_proxied(entry):
        return entry
    kind, address = _kind(name, entry)
    others = {key: value for key, value in entry.items() if key not in _OWN}
    if "type" in entry:
        others["type"] = "stdio"
    args = [*command[1:], "--name", name, *(("--trust", name) if name in trusted or _is_trusted(name, entry) else ())]
    if kind == "stdio":
        return {
            "command": command[0],
            "args": [*args, "--", entry["command"], *_texts(name, entry, "args")],
            **others,
        }
    args += ["--sse", address] if kind == "sse" else ["--url", address]
    headers = _mapping(name, entry, "headers", expanded=False)
    env = {**_mapping(name, entry, "env", expanded=False), **({HEADERS: json.dumps(headers)} if headers else {})}
    return {"command": command[0], "args": args, **others, **({"env": env} if env else {})}


def unwrap_entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a server without the proxy in front of it.

    Args:
        entry: an entry with the proxy in front.

    Raises:
        UsageError: it names no server.
    """
    words = list(entry.get("args") or ())
    others = {key: value for key, value in entry.items() if key not in ("command", "args", "type")}
    if "--" in words:
        command, *arguments = words[words.index("--") + 1 :] or [""]
        kept = {"type": entry["type"]} if "type" in entry else {}
        if not command:
            raise UsageError("it names no server")
        return {**kept, "command": command, **({"args": arguments} if arguments else {}), **others}
    said = dict(itertools.pairwise(words))
    option = next((one for one in ("--url", "--sse") if one in said), None)
    if option is None:
        raise UsageError("it names no server")
    kind = "sse" if option == "--sse" else "http"
    env = dict(others.pop("env", None) or {})
    headers = json.loads(env.pop(HEADERS, "{}"))
    return {
        **({"type": kind} if "type" in entry or kind == "sse" else {}),
        "url": said[option],
        **({"headers": headers} if headers else {}),
        **({"env": env} if env else {}),
        **others,
    }
