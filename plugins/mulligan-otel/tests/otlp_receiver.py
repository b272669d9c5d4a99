"""A receiver of OTLP on 127.0.0.1: decodes what an exporter sends, and shows the spans as trees."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


class ReceivedSpan(NamedTuple):
    """A span as it came over the wire."""

    id: bytes
    parent: bytes
    trace: bytes
    name: str
    kind: int
    start: int
    end: int
    attributes: Mapping[str, Any]
    failed: bool
    process: int


class Receiver:
    """The receiver. A context manager.

    Attributes:
        spans: what was received.
        requests: path and headers of each request.
    """

    def __init__(self) -> None:
        self.spans: list[ReceivedSpan] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        self._lock = threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                receiver.take(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
                answer = ExportTraceServiceResponse().SerializeToString()
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                """No line."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def take(self, body: bytes) -> None:
        """Decodes a request."""
        request = ExportTraceServiceRequest.FromString(body)
        spans = [
            ReceivedSpan(
                one.span_id,
                one.parent_span_id,
                one.trace_id,
                one.name,
                one.kind,
                one.start_time_unix_nano,
                one.end_time_unix_nano,
                {pair.key: _value(pair.value) for pair in one.attributes},
                one.status.code == 2,
                next((p.value.int_value for p in resource.resource.attributes if p.key == "process.pid"), 0),
            )
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for one in scope.spans
        ]
        with self._lock:
            self.spans += spans

    def __enter__(self) -> Receiver:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    return getattr(value, kind) if kind else None


def children(spans: list[ReceivedSpan], parent: bytes) -> list[ReceivedSpan]:
    """The spans below another, in the order in which they started."""
    return sorted((one for one in spans if one.parent == parent), key=lambda one: one.start)


def tree(spans: list[ReceivedSpan]) -> str:
    """The spans as an indented tree, with what matters of their attributes; spans without a known parent are roots."""
    known = {one.id for one in spans}
    lines: list[str] = []

    def show(one: ReceivedSpan, depth: int) -> None:
        lines.append(f"{'  ' * depth}{one.name}{_facts(one)}")
        for child in children(spans, one.id):
            show(child, depth + 1)

    for root in sorted((one for one in spans if one.parent not in known), key=lambda one: one.start):
        show(root, 0)
    return "\n".join(lines)


def _facts(one: ReceivedSpan) -> str:
    found = one.attributes
    facts = [found["error.type"]] if "error.type" in found else []
    if found.get("mulligan.attempts", 0) > 1:
        facts.append(f"{found['mulligan.attempts']} attempts")
    if found.get("mulligan.repairs"):
        facts.append(f"{found['mulligan.repairs']} repair")
    if one.process and "gen_ai.operation.name" not in found and found.get("note"):
        facts.append(found["note"])
    return f"  [{', '.join(map(str, facts))}]" if facts else ""
