"""A conversation of two steps, traced to a receiver of OTLP: `python conversation.py` prints its trace as a tree."""

from __future__ import annotations

import asyncio
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from otlp_receiver import Receiver, tree


class Archive(BaseHTTPRequestHandler):
    """A service that is traced too: its span continues the trace of the request."""

    def do_GET(self) -> None:
        from opentelemetry import propagate, trace
        from opentelemetry.trace import SpanKind

        parent = propagate.extract({name.lower(): value for name, value in self.headers.items()})
        with trace.get_tracer("archive").start_as_current_span("GET /search", parent, SpanKind.SERVER):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"3 articles")

    def log_message(self, *_: Any) -> None:
        """No line."""


def model_says(*calls: tuple[str, str, str]) -> dict[str, Any]:
    """A message of the model, in the shape of OpenAI."""
    return {
        "role": "assistant",
        "tool_calls": [
            {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for id, name, arguments in calls
        ],
    }


async def talk() -> None:
    """The conversation: parallel calls with a repair and a retry, then one more step with a mistake."""
    import traced_tools as tools
    from opentelemetry import trace

    from mulligan import Pipeline, Policy

    with trace.get_tracer("assistant").start_as_current_span("invoke_agent assistant"):
        async with Pipeline(
            [tools.search, tools.resize, tools.notify, tools.count], policy=Policy(repair="json")
        ) as pipeline:
            session = pipeline.session("talk-1")
            await session.aanswer(
                model_says(("c1", "search", '{"query": "tides",}'), ("c2", "resize", '{"path": "map.png"}'))
            )
            await session.aanswer(model_says(("c3", "notify", '{"text": "done"}')))
            await session.aanswer(model_says(("c4", "count", '{"text": "done"}'), ("c5", "serch", '{"query": "x"}')))


def run() -> Receiver:
    """Runs the conversation in this process; its spans are received."""
    archive = ThreadingHTTPServer(("127.0.0.1", 0), Archive)
    threading.Thread(target=archive.serve_forever, daemon=True).start()
    with Receiver() as receiver:
        os.environ.update(
            ARCHIVE=f"http://127.0.0.1:{archive.server_port}",
            CONFIGURE_OTEL="1",
            OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint,
        )
        import traced_tools  # noqa: F401 - configures the SDK
        from opentelemetry import trace

        asyncio.run(talk())
        provider: Any = trace.get_tracer_provider()
        provider.shutdown()
        archive.shutdown()
        archive.server_close()
    return receiver


if __name__ == "__main__":
    print(tree(run().spans))
