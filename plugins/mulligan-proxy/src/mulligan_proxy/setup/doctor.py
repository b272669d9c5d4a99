"""`doctor`: starts each server of a configuration, lists its tools, and reports problems and how to fix them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp.client.session import IncomingMessage
from mcp.client.subscriptions import ServerEvent
from mcp.shared.exceptions import MCPError
from mcp_types import ClientCapabilities, Implementation
from mulligan_mcp.definitions import claims
from mulligan_mcp.vetting import concerns
from pydantic import ValidationError

from mulligan import Pipeline
from mulligan.errors import UsageError
from mulligan_proxy.catalogue import Catalogue
from mulligan_proxy.configs import TRUST, group_of, is_proxied, spec_of, unwrap_entry
from mulligan_proxy.fleet import LIST_SECONDS
from mulligan_proxy.log_text import one_line
from mulligan_proxy.negotiation import reason_of
from mulligan_proxy.presets import read_only_tools
from mulligan_proxy.setup.client_files import title_of
from mulligan_proxy.setup.install import path_of
from mulligan_proxy.setup.json_text import JsonTextError, parse_json_text
from mulligan_proxy.specs import ServerSpec
from mulligan_proxy.upstreams import Peer, Upstream

_START_SECONDS = 60.0
_UNFILLED = re.compile(r"\$\{[^}]*\}")


def doctor(client: str | None, config: Path | None) -> int:
    """Checks each server of a client, and prints the findings.

    Args:
        client: which client, such as `claude`.
        config: its file, where it is another one than usual.

    Returns:
        The exit code: 0 if every server works, otherwise 1.

    Raises:
        UsageError: the file cannot be read or is invalid.
    """
    path = path_of(client, config)
    entries = _entries(path)
    _say(f"{path}: {len(entries)} servers")
    with _quiet_stderr():
        works = [anyio.run(_examine, name, entry, title_of(client)) for name, entry in entries.items()]
    return 0 if all(works) else 1


def _entries(path: Path) -> dict[str, Any]:
    try:
        held = parse_json_text(path.read_bytes().decode("utf-8")).value
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file; add a server in your client first, or give --config FILE") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    except (JsonTextError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not valid JSON: {error}") from None
    entries = held.get(group_of(held)) if isinstance(held, dict) else None
    if not isinstance(entries, dict):
        raise UsageError(f'{path}: it has no "mcpServers", "servers" or "context_servers"')
    return entries


async def _examine(name: str, entry: Any, title: str) -> bool:
    """Prints the findings about one server; returns whether it works or is disabled."""
    if isinstance(entry, Mapping) and entry.get("disabled") is True:
        _say(f"{name}: is switched off")
        return True
    in_front = "; the proxy is in front of it" if is_proxied(entry) else ""
    try:
        plain = unwrap_entry(entry) if is_proxied(entry) else entry
        spec = spec_of(name, plain, trusted=plain.get(TRUST) is True or "--trust" in (entry.get("args") or ()))
    except (UsageError, ValueError) as error:
        _say(f"{name}: FAILED: {error}")
        return False
    unfilled = _UNFILLED.findall(" ".join((*spec.command, spec.url, *spec.env.values(), *spec.headers.values())))
    if unfilled:
        _say(f"{name}: not tried: {', '.join(dict.fromkeys(unfilled))} is not set here; {title} may fill it in")
        return True
    return await _try(spec, in_front)


async def _try(spec: ServerSpec, in_front: str) -> bool:
    upstream = Upstream(spec, _NoClient())
    began = time.monotonic()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(upstream.run, Peer(ClientCapabilities(), Implementation(name="mulligan", version=""), False))
        with anyio.move_on_after(_START_SECONDS):
            await upstream.settled.wait()
        taken = time.monotonic() - began
        link = upstream.link
        if link is None:
            why = upstream.defect or f"it did not answer within {_START_SECONDS:g} s"
            _say(f"{spec.name}: FAILED{in_front}: {one_line(why, most=1_000)}")
            tasks.cancel_scope.cancel()
            return False
        try:
            has_tools = "tools" in link.server.get("capabilities", {})
            with anyio.fail_after(LIST_SECONDS):
                definitions = await link.listed("tools/list", "tools") if has_tools else []
        except (MCPError, ValidationError, TimeoutError) as error:
            _say(f"{spec.name}: FAILED{in_front}: its tools cannot be listed: {one_line(reason_of(error))}")
            tasks.cancel_scope.cancel()
            return False
        _say(f"{spec.name}: works{in_front}: {len(definitions)} tools, after {taken:.1f} s")
        _describe(upstream, definitions)
        tasks.cancel_scope.cancel()
    return True


def _describe(upstream: Upstream, definitions: list[dict[str, Any]]) -> None:
    spec = upstream.spec
    reads = read_only_tools(spec.command)
    catalogue = Catalogue(Pipeline(autoload=False), servers=[spec.name], timeout=1.0)
    catalogue.replace(upstream, definitions)
    for definition in catalogue.definitions:
        note = " (only reads)" if definition["name"] in reads else ""
        _say(f"  {definition['name']}{note}")
    for concern in concerns(definitions):
        _say(f"  note: {one_line(concern)}")
    hints = [one for one in catalogue.definitions if claims(one).get("readOnlyHint")]
    if hints and not reads and not spec.trusted:
        _say(f"  note: it declares {len(hints)} tools read-only, which counts only with --trust {spec.name}")


@contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Hides what the servers write to stderr: the findings contain the part that matters."""
    kept = os.dup(2)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


class _NoClient:
    """Ignores what happens to the server: there is no client."""

    async def on_start(self, upstream: Upstream) -> None:
        pass

    async def on_notification(self, upstream: Upstream, message: IncomingMessage) -> None:
        pass

    async def on_change(self, upstream: Upstream, event: ServerEvent) -> None:
        pass

    def callbacks(self, upstream: Upstream, capabilities: ClientCapabilities) -> dict[str, Any]:
        return {}


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201
