"""One live connection to a server."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import anyio
from mcp.client.session import ClientSession
from mcp.shared.dispatcher import CallOptions, ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
    find_invalid_x_mcp_header,
    mcp_param_headers,
    x_mcp_header_map,
)
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    PROTOCOL_VERSION_META_KEY,
    ClientCapabilities,
    Implementation,
)
from mcp_types import methods as spec
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError

from mulligan_proxy.failures import ConnectionEndedError, UnreadableAnswerError
from mulligan_proxy.transports import Arrival

_ENVELOPE = (PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY)
_MOST_PAGES = 200
_PONG_SECONDS = 3.0


class Link:
    """A connection that has been negotiated. Requests and answers are the server's own JSON, unchanged.

    Args:
        dispatcher: correlates requests and answers.
        session: the negotiated session; the server's own requests arrive there.
        capabilities: the client's capabilities, as sent to the server.
        info: the client's name and version, as sent to the server.
        pending: the requests in flight, by id, and whether their answers have arrived.
    """

    def __init__(
        self,
        dispatcher: JSONRPCDispatcher[Any],
        session: ClientSession,
        capabilities: ClientCapabilities,
        info: Implementation,
        pending: dict[int | str, Arrival],
    ) -> None:
        self.session = session
        self._dispatcher = dispatcher
        self._capabilities = _dumped(capabilities)
        self._info = _dumped(info)
        self._pending = pending
        self._ids = itertools.count(1_000)
        self._headers: dict[str, dict[tuple[str, ...], str]] = {}

    @property
    def version(self) -> str:
        """The version of the protocol that both sides speak."""
        return self.session.protocol_version or ""

    @property
    def is_modern(self) -> bool:
        """Whether that version has no handshake: each request identifies the client."""
        return self.version in MODERN_PROTOCOL_VERSIONS

    @property
    def server(self) -> dict[str, Any]:
        """What the server declared: `capabilities`, and `serverInfo` and `instructions` if given."""
        found = self.session.initialize_result or self.session.discover_result
        known = {} if found is None else _dumped(found)
        return {name: known[name] for name in ("capabilities", "serverInfo", "instructions") if name in known}

    async def request(
        self, method: str, params: Mapping[str, Any] | None, on_progress: ProgressFnT | None = None
    ) -> dict[str, Any]:
        """Asks the server.

        Args:
            method: such as `tools/call`.
            params: the parameters; the client's identity is added if the version requires it.
            on_progress: receives the progress.

        Raises:
            ConnectionEndedError: the connection ended before the answer came.
            UnreadableAnswerError: the answer is a frame that cannot be read.
            MCPError: the server's error.
            ValidationError: the answer does not conform to the protocol.
        """
        sent, options = self._stamped(method, params)
        if on_progress is not None:
            options["on_progress"] = on_progress
        with self._waiting() as request_id:
            options["request_id"] = request_id
            try:
                raw = await self._dispatcher.send_raw_request(method, sent, options)
            except MCPError as error:
                raise self._by_arrival(error, request_id) from error
        if method != "tools/list":  # one bad entry must not affect the others: each is checked separately
            with suppress(KeyError):  # a method outside the specification
                spec.validate_server_result(method, self.version, raw)
        return raw

    async def notify(self, method: str, params: Mapping[str, Any] | None) -> None:
        """Sends a notification; it is lost if the connection has ended.

        Args:
            method: such as `notifications/roots/list_changed`.
            params: the parameters.
        """
        await self._dispatcher.notify(method, params)

    async def listed(self, method: str, member: str) -> list[dict[str, Any]]:
        """Every page of a list.

        Args:
            method: such as `tools/list`.
            member: the member with the entries, such as `tools`.
        """
        found: list[dict[str, Any]] = []
        cursor: Any = None
        for _ in range(_MOST_PAGES):
            page = await self.request(method, {} if cursor is None else {"cursor": cursor})
            found += page.get(member) or ()
            cursor = page.get("nextCursor")
            if cursor is None:
                break
        if method == "tools/list":
            self._learn(found)
        return found

    async def answers(self) -> bool:
        """Whether the server answers at all, even with an error."""
        with anyio.move_on_after(_PONG_SECONDS):
            try:
                await self.request("server/discover" if self.is_modern else "ping", None)
            except (MCPError, ValidationError):
                return True
            return True
        return False

    def _stamped(self, method: str, params: Mapping[str, Any] | None) -> tuple[dict[str, Any], CallOptions]:
        sent = dict(params or {})
        meta = {name: value for name, value in (sent.pop("_meta", None) or {}).items() if name not in _ENVELOPE}
        meta.pop("progressToken", None)
        headers = {MCP_PROTOCOL_VERSION_HEADER: self.version}
        if self.is_modern:
            meta.update(zip(_ENVELOPE, (self.version, self._info, self._capabilities), strict=True))
            headers |= {MCP_METHOD_HEADER: method, **self._named(method, sent)}
        if meta:
            sent["_meta"] = meta
        return sent, {"headers": headers}

    def _named(self, method: str, params: Mapping[str, Any]) -> dict[str, str]:
        key = NAME_BEARING_METHODS.get(method)
        name = params.get(key) if key is not None else None
        if not isinstance(name, str):
            return {}
        mirrored = self._headers.get(name) if method == "tools/call" else None
        return {
            MCP_NAME_HEADER: encode_header_value(name),
            **(mcp_param_headers(mirrored, params.get("arguments") or {}) if mirrored else {}),
        }

    def _learn(self, definitions: list[dict[str, Any]]) -> None:
        """Remembers which arguments the server wants to see in headers; a tool that marks them wrongly is dropped."""
        if not self.is_modern:
            return
        definitions[:] = [one for one in definitions if find_invalid_x_mcp_header(one.get("inputSchema")) is None]
        self._headers = {one["name"]: x_mcp_header_map(one["inputSchema"]) for one in definitions}

    def _by_arrival(self, error: MCPError, request_id: int) -> MCPError:
        """The error as the transport saw it: a server may use any code, even those of the SDK itself."""
        arrival = self._pending[request_id]
        if arrival is Arrival.READ:
            return error
        kind = ConnectionEndedError if arrival is Arrival.NONE else UnreadableAnswerError
        return kind(error.error.code, error.error.message, error.error.data)

    @contextmanager
    def _waiting(self) -> Iterator[int]:
        request_id = next(self._ids)
        self._pending[request_id] = Arrival.NONE
        try:
            yield request_id
        finally:
            del self._pending[request_id]


def _dumped(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)
