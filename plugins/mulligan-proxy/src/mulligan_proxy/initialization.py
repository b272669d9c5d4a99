"""How the proxy introduces itself: with the capabilities of its servers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.context import HandlerResult, ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mulligan_proxy.fleet import Fleet

_SHARED = ("logging", "completions", "prompts", "resources", "tools")


def initialize_result(fleet: Fleet, ctx: ServerRequestContext[Any, Any], own: HandlerResult) -> dict[str, Any]:
    """The answer to `initialize` or `server/discover`.

    The answer of a single server is passed on; those of several are merged, each with its instructions or its problem.

    Args:
        fleet: the servers.
        ctx: the client's request.
        own: the SDK's own answer.
    """
    answer = dict(own) if isinstance(own, Mapping) else {}
    servers = {upstream.spec.name: upstream.link.server for upstream in fleet.upstreams if upstream.link is not None}
    modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS and ctx.method != "initialize"
    answer["capabilities"] = capabilities_of([one.get("capabilities", {}) for one in servers.values()], modern=modern)
    if len(fleet.upstreams) == 1 and servers:
        only = next(iter(servers.values()))
        answer.update({name: only[name] for name in ("serverInfo", "instructions") if name in only})
        if modern:
            answer.pop("serverInfo", None)
    else:
        instructions = [f"{name}: {one['instructions']}" for name, one in servers.items() if one.get("instructions")]
        instructions += [str(one.defect.without_detail()) for one in fleet.upstreams if one.defect is not None]
        if instructions:
            answer["instructions"] = "\n\n".join(instructions)
    return answer


def capabilities_of(capabilities: list[Mapping[str, Any]], *, modern: bool) -> dict[str, Any]:
    """The combined capabilities of servers.

    Args:
        capabilities: the capabilities of each.
        modern: whether the client's version has no handshake.
    """
    only = dict(capabilities[0]) if len(capabilities) == 1 else {}
    shared: dict[str, Any] = {}
    for name in _SHARED:
        having = [one[name] or {} for one in capabilities if name in one]
        if having:
            shared[name] = {key: value for one in having for key, value in one.items()}
    together = {**only, **shared, "tools": {**shared.get("tools", {}), "listChanged": True}}
    if modern:
        for name in {"prompts", "resources"} & together.keys():
            together[name] = {**together[name], "listChanged": True}
        together = {name: value for name, value in together.items() if name != "tasks"}
    return together
