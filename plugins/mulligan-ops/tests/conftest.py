"""What the tests of mulligan-ops share: a pipeline with this plugin only, programs, and a small HTTP service."""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import mulligan_ops
import pytest

from mulligan import Pipeline


def pytest_configure(config):
    config.addinivalue_line("markers", "program(name): needs a program on the PATH")


def pytest_runtest_setup(item):
    for mark in item.iter_markers("program"):
        if shutil.which(mark.args[0], path=PATH) is None:
            pytest.fail(f"there is no program `{mark.args[0]}`: install it, this test runs the real one", pytrace=False)


PATH = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"  # the environment's own pip and npm come first


@pytest.fixture
def pipeline():
    return Pipeline(plugins=[mulligan_ops], autoload=False, strict=True)


@pytest.fixture
def classify(pipeline):
    def ask(raising, **arguments):
        """The error for what a function raises."""
        try:
            raising()
        except Exception as raised:
            return pipeline.classify(raised, tool="operate", arguments=arguments)
        pytest.fail("it was to raise")

    return ask


@pytest.fixture
def run(classify, tmp_path):
    """Runs a program that fails, in an environment of its own."""
    settings = {
        "PATH": f"{tmp_path}/bin:{PATH}", "HOME": str(tmp_path), "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b.c", "npm_config_fetch_retries": "0", "npm_config_update_notifier": "false",
        "PIP_RETRIES": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "GIT_SSH_COMMAND": "ssh -F none -o BatchMode=yes",
    }  # fmt: skip

    def ask(*command, cwd=tmp_path, arguments=None, shell=False):
        line = command[0] if shell else command
        options = {"check": True, "capture_output": True, "text": True, "env": settings, "shell": shell}
        return classify(lambda: subprocess.run(line, cwd=cwd, timeout=60, **options), **(arguments or {}))

    ask.settings = settings
    return ask


@pytest.fixture
def program(tmp_path):
    """Puts a program of that name on the PATH, which writes one text to its standard error and ends with one code."""

    def put(name, code, text, output=""):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "error").write_text(text)
        (folder / "output").write_text(output)
        script = f"#!/bin/sh\ncat '{folder}/error' >&2\ncat '{folder}/output'\nexit {code}\n"
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)

    return put


class Service(BaseHTTPRequestHandler):
    """Answers a path that is a number with that status, and others as `server.replies` says."""

    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.server.always or self.path.split("?")[0]
        if path == "/reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
        elif path == "/empty":
            self.close_connection = True
        elif path == "/slow":
            self.server.stopping.wait(20)
        elif path == "/circle":
            self.reply(302, {}, Location="/circle")
        elif path[1:4].isdigit():
            self.reply(int(path[1:4]), {})
        else:
            self.reply(*self.server.replies.get(f"{self.command} {path}", (404, {"message": "page not found"})))

    def reply(self, status, body, **headers):
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = answer

    def log_message(self, *_):
        pass


@pytest.fixture
def service():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    server.daemon_threads = True
    server.handle_error = lambda *_: None
    server.stopping = threading.Event()
    server.replies, server.always = {}, None
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield server
    server.stopping.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def closed_port():
    """A port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
