"""What the tests of mulligan-playwright share: a pipeline with this plugin only, the driver, a browser and a small site.

The tests that are marked `browser` need a program `chromium` on the PATH. Without it they are left out, which the last
lines of the run say aloud; the others need only Playwright's own driver.
"""

from __future__ import annotations

import shutil
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import mulligan_playwright
import pytest
from playwright.sync_api import sync_playwright

from mulligan import Pipeline

CHROMIUM = shutil.which("chromium")
ARGUMENTS = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
PAGE = """
<h1>Hello</h1> <button>a</button> <button>b</button> <input id=off disabled> <p id=hidden style='display:none'>x</p>
<select id=colour><option>red</option></select> <a id=under href='#'>under</a>
<p id=cover style='position:fixed;inset:0;display:none'></p>
"""
left_out: list[str] = []


def pytest_configure(config):
    config.addinivalue_line("markers", "browser: needs a program `chromium` on the PATH")


def pytest_collection_modifyitems(config, items):
    if CHROMIUM is None:
        left_out.extend(item.nodeid for item in items if "browser" in item.keywords)
        items[:] = [item for item in items if "browser" not in item.keywords]


def pytest_terminal_summary(terminalreporter):
    if left_out:
        words = f"{len(left_out)} tests with a real browser were NOT run: there is no `chromium` on the PATH"
        terminalreporter.write_sep("!", words, red=True, bold=True)


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
    browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
    yield browser
    browser.close()


@pytest.fixture
def page(browser):
    page = browser.new_page()
    page.set_content(PAGE)
    page.set_default_timeout(500)
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
