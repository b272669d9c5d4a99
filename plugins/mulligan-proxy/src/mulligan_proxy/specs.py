"""What the proxy is told: the servers behind it, and how it treats them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs

Kind = Literal["stdio", "http", "sse"]


@attrs.frozen(kw_only=True)
class ServerSpec:
    """One server behind the proxy.

    Attributes:
        name: what it is called: its namespace where there are several, and its name in the log.
        kind: how it is reached.
        command: the program and its arguments, for `stdio`.
        env: environment variables beside those of the proxy.
        cwd: the folder that it is started in, or None for the proxy's.
        url: its address, for `http` and `sse`.
        headers: HTTP headers that are sent with every request.
        trusted: whether its hints (`readOnlyHint` and so on) are believed.
        problem: what is wrong with its entry of the configuration, without a full stop; it is then never started.
    """

    name: str
    kind: Kind = "stdio"
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    cwd: str | None = None
    url: str = ""
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    trusted: bool = False
    problem: str = ""


@attrs.frozen(kw_only=True)
class ProxyOptions:
    """How the proxy treats its servers.

    Attributes:
        timeout: seconds until a call is given up.
        repair: whether a call is repaired where that does no harm.
        retry: whether a call is repeated after a passing failure, where a trusted server says of the tool that it changes
            nothing (`readOnlyHint`) or that it may run twice (`idempotentHint`).
        format: the feedback format.
        log: the lowest level that is written to stderr.
        tool_options: options of tools by name pattern or tag, as in `mulligan.Pipeline`.
    """

    timeout: float = 50.0
    repair: bool = False
    retry: bool = False
    format: str = "text"
    log: str = "WARNING"
    tool_options: Mapping[str, Mapping[str, Any]] | None = attrs.field(default=None, repr=False)
