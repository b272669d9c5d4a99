"""Draw the pictures of docs/reference/ledger.md: `python tools/ledger_screenshots.py`, in the environment of mulligan-ledger.

It plays some conversations with scripted failures, writes their report, and opens it in Chromium.
"""

from __future__ import annotations

import pathlib
import shutil
import sqlite3
import sys
import tempfile

from playwright.sync_api import Page, sync_playwright

ROOT = pathlib.Path(__file__).parents[1]
OUT = ROOT / "docs" / "_static"
sys.path.insert(0, str(ROOT / "plugins" / "mulligan-ledger" / "tests"))

from mulligan_ledger import Ledger  # noqa: E402
from mulligan_ledger.database import open_for_reading  # noqa: E402
from mulligan_ledger.html import render  # noqa: E402
from test_page_in_browser import ARGUMENTS, installed_chromium  # noqa: E402

from mulligan import Pipeline, Policy, tool  # noqa: E402
from mulligan.errors import ToolRateLimitError  # noqa: E402

FILES = ["notes/garden.md", "notes/tulips.md", "invoices/2026-11.csv"]


@tool(read_only=True, resources=lambda arguments: FILES)
def read_file(path: str) -> str:
    """Read a file of the workspace."""
    if path not in FILES:
        raise FileNotFoundError(2, "No such file or directory", path)
    return "Plant fifty tulip bulbs before the first frost."


@tool(read_only=True)
def search(query: str) -> str:
    """Search the web."""
    if "price" in query:
        raise ToolRateLimitError("The rate limit of the search service is reached.", retry_after=30)
    return "Three results about tulips."


@tool
def book_delivery(day: str, boxes: int) -> str:
    """Book a delivery."""
    return f"Booked {boxes} boxes for {day}."


def play(pipeline: Pipeline) -> None:
    """Some conversations, as models have them."""
    for at in range(12):
        session = pipeline.session(f"order-{1041 + at}")
        session.note_request("Read my notes on tulips, and book the delivery of two boxes for Tuesday.")
        session.call("read_file", {"path": "notes/tulip.md" if at % 3 else "notes/tulips.md"})
        session.call("read_file", {"path": "notes/tulips.md"})
        if at % 4 == 0:
            session.call("search", {"query": "tulip bulbs price"})
            session.call("search", {"query": "tulip bulbs price"})
        session.call(
            "bookDelivery" if at % 5 == 0 else "book_delivery",
            '{"day": "2026-11-24", "boxes": "two"}' if at % 2 else '{"day": "2026-11-24", "boxes": 2}',
        )
        session.call("book_delivery", {"day": "2026-11-24", "boxes": 2})


def spread(path: pathlib.Path) -> None:
    """Puts the conversations on different days, so that the pictures are the same each time and the chart has bars."""
    connection = sqlite3.connect(path)
    moment = "strftime('%Y-%m-%dT%H:%M:%fZ', '2026-11-10', '+' || ({} * {} % 300) || ' hours')"
    connection.execute(f"UPDATE calls SET at = {moment.format('session', 31)}")
    connection.execute(f"UPDATE sessions SET started = {moment.format('id', 31)}")
    connection.commit()
    connection.close()


def draw(page: Page, name: str) -> None:
    """Writes a picture of what the window shows."""
    page.screenshot(path=OUT / f"{name}.png")


def main() -> None:
    """Draws the three pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = pathlib.Path(folder) / "runs.db"
        policy = Policy(retry=False)
        with (
            Ledger(path) as ledger,
            Pipeline([read_file, search, book_delivery], plugins=[ledger], autoload=False, policy=policy) as pipeline,
        ):
            play(pipeline)
        spread(path)
        connection = open_for_reading(path)
        report = path.with_name("report.html")
        report.write_text(render(connection, "runs.db"), "utf-8")
        connection.close()
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium") or installed_chromium(), args=ARGUMENTS
        )
        page = browser.new_page(viewport={"width": 1100, "height": 900})
        page.goto(report.as_uri())
        draw(page, "ledger-report")
        dark = browser.new_page(viewport={"width": 1100, "height": 900}, color_scheme="dark")
        dark.goto(report.as_uri())
        dark.locator(".talk", has_text="order-1050").locator("summary").click()
        dark.locator(".talk[open]").evaluate("one => scrollTo(0, one.offsetTop - 80)")
        draw(dark, "ledger-conversation")
        phone = browser.new_page(viewport={"width": 360, "height": 740})
        phone.goto(report.as_uri())
        phone.get_by_role("checkbox").check()
        phone.locator("#conversations").scroll_into_view_if_needed()
        phone.locator("#conversations").evaluate("one => scrollTo(0, one.offsetTop - 10)")
        draw(phone, "ledger-phone")
        browser.close()


if __name__ == "__main__":
    main()
