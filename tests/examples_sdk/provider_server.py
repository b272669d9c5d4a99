"""A server on 127.0.0.1 that speaks the providers' protocols, and behind it models that follow a script."""

from __future__ import annotations

import json
import threading
import traceback
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from inspect import GEN_CREATED, getgeneratorstate
from typing import Any

from provider_rules import Answer, ChatCompletions, Messages, Refused, Responses, Said

Script = Generator[Said, dict[str, Answer], str]
PROTOCOLS = {protocol.path: protocol for protocol in (ChatCompletions(), Responses(), Messages())}


class Providers(ThreadingHTTPServer):
    """Serves OpenAI's and Anthropic's protocol, and one page that asks for credentials.

    Attributes:
        models: the scripts, by the name that a request gives as its model.
        requests: the bodies that were accepted, in order.
        is_open: whether the page asks for nothing.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.models: dict[str, Script] = {}
        self.requests: list[dict[str, Any]] = []
        self.is_open = False

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_port}"

    def follow(self, name: str, script: Callable[[], Script]) -> str:
        """Makes a model that follows the script, and gives its name."""
        self.models[name] = script()
        return name

    def say(self, protocol: Any, body: dict[str, Any]) -> Said:
        """What the model says next."""
        protocol.check(body)
        self.requests.append(body)
        script = self.models[body["model"]]
        try:
            is_new = getgeneratorstate(script) == GEN_CREATED
            return next(script) if is_new else script.send(protocol.heard(body))
        except StopIteration as ended:
            return str(ended.value)


class _Handler(BaseHTTPRequestHandler):
    server: Providers
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        status, text = (200, "the door is open") if self.server.is_open else (401, '{"message": "Bad credentials"}')
        self.send(status, "text/plain", text.encode())

    def do_POST(self) -> None:
        protocol: Any = PROTOCOLS[self.path]
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.headers["authorization"] != "Bearer good-key":
            return self.refuse(protocol, 401, "authentication_error", "wrong API key")
        try:
            said = self.server.say(protocol, body)
        except Refused as refused:
            return self.refuse(protocol, 400, "invalid_request_error", str(refused))
        except Exception:
            return self.refuse(protocol, 400, "the_script_failed", traceback.format_exc())
        if not body.get("stream"):
            return self.send(200, "application/json", json.dumps(protocol.reply(said)).encode())
        lines = b"".join(map(event_lines, protocol.events(said)))
        return self.send(200, "text/event-stream", lines + protocol.end_of_stream)

    def refuse(self, protocol: Any, status: int, kind: str, text: str) -> None:
        """Answers with an error in the provider's shape."""
        self.send(status, "application/json", json.dumps(protocol.refusal(kind, text)).encode())

    def send(self, status: int, kind: str, text: bytes) -> None:
        """Answers."""
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        """Prints nothing."""


def event_lines(event: dict[str, Any]) -> bytes:
    """A server-sent event, with its name where it has one."""
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()


@contextmanager
def serving() -> Iterator[Providers]:
    """A server that runs until the block is left."""
    with Providers() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
