"""The configuration of the proxy: the servers behind it, and how it treats them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs

Kind = Literal["stdio", "http", "sse"]


@attrs.frozen(kw_only=True)
class ServerSpec:
    """One server behind the proxy.

    Attributes:
        name: its name in the log, and its namespace if there are several.
        kind: its transport.
        command: the program and its arguments, for `stdio`.
        env: environment variables besides those of the proxy.
        cwd: its working directory, or None for that of the proxy.
        url: its address, for `http` and `sse`.
        headers: HTTP headers that are sent with every request.
        trusted: whether its hints (`readOnlyHint` and so on) are believed.
        problem: what is wrong with its entry of the configuration, without a final period; if set, it is never started.
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
        timeout: seconds until a call is abandoned.
        repair: whether a call is repaired where that is safe.
        retry: whether a call is repeated after a transient failure, if a trusted server declares that the tool changes
            nothing (`readOnlyHint`) or may run twice (`idempotentHint`).
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
