"""Measures what a ledger costs and how long its report takes: `python bench/ledger.py`, with mulligan-ledger installed.

The cost is CPU time of the caller's thread, over that of the same call without a ledger; the writing thread has its own.
"""

from __future__ import annotations

import datetime
import gc
import os
import platform
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import contenders
import floor
from mulligan_ledger import Ledger
from mulligan_ledger.database import open_for_reading
from mulligan_ledger.html import render

from mulligan import Pipeline

ROUNDS, BATCH = 15, 400
REPORT_CALLS = 100_000
LOAD = Path(__file__).parents[1] / "plugins/mulligan-ledger/tests/ledger_load.py"


def thread_seconds(function: Callable[[], Any]) -> float:
    """CPU seconds that the caller's thread takes for a batch of calls."""
    gc.collect()
    started = time.thread_time()
    for _ in range(BATCH):
        function()
    return time.thread_time() - started


def ratio(contender: Callable[[], Any], plain: Callable[[], Any], settle: Callable[[], Any]) -> float:
    """How many times the time of `plain` the contender takes; what it left to write is written between the rounds."""
    thread_seconds(contender), thread_seconds(plain)
    found = []
    for _ in range(ROUNDS):
        settle()
        found.append(thread_seconds(contender) / thread_seconds(plain))
    return statistics.median(found)


def cost_rows(folder: Path) -> Iterator[tuple[str, float, float, str]]:
    """Calls with a ledger over the same calls without one."""
    plain = contenders.pipeline()
    for name, title, budget in (("search_issues", "success", 1.8), ("read_file", "a raising tool", 2.5)):
        for content in ("full", "none"):
            with Ledger(folder / f"{name}-{content}.db", content=content) as ledger:
                pipeline = contenders.pipeline(ledger)
                value = ratio(
                    contenders.caller(pipeline, name, floor.TEXT),
                    contenders.caller(plain, name, floor.TEXT),
                    ledger.flush,
                )
                assert not pipeline.faults
                assert ledger.lost == 0
            yield f"{title}, content={content!r}", value, budget, "x"
    with Ledger(folder / "session.db") as ledger:
        session, bare = contenders.pipeline(ledger).session(), plain.session()
        calls = [contenders.caller(one, "search_issues", floor.TEXT) for one in (session, bare)]
        yield "success in a session", ratio(*calls, ledger.flush), 1.8, "x"


def report_rows(folder: Path) -> Iterator[tuple[str, float, float, str]]:
    """The page of a ledger with 100,000 calls, a fifth of which failed."""
    path = folder / "many.db"
    with Ledger(path) as ledger, Pipeline([*floor.TABLE.values()], plugins=[ledger], autoload=False) as pipeline:
        for at in range(100):
            session = pipeline.session(f"talk-{at}")
            for step in range(10):
                session.call("read_file" if step % 5 == 0 else "search_issues", floor.TEXT)
    connection = sqlite3.connect(path)
    names = [row[1] for row in connection.execute("PRAGMA table_info(calls)") if row[1] not in ("id", "session")]
    columns = ", ".join(names)
    for copy in range(1, REPORT_CALLS // 1_000):
        values = (copy * 100, copy)
        connection.execute(
            "INSERT INTO sessions (id, process, conversation, session_id, started, last_step) SELECT id + ?, process, "
            "conversation, session_id || '-' || ?, started, last_step FROM sessions WHERE id <= 100",
            values,
        )
        connection.execute(
            f"INSERT INTO calls (session, {columns}) SELECT session + ?, {columns} FROM calls WHERE session <= 100",
            values[:1],
        )
    connection.commit()
    connection.close()
    reader = open_for_reading(path)
    started = time.perf_counter()
    page = render(reader, str(path))
    yield "the report of 100,000 calls", time.perf_counter() - started, 10, "s"
    yield "its size", len(page.encode()) / 1e6, 2, "MB"
    file = folder / "report.html"
    file.write_text(page, "utf-8")
    if (program := shutil.which("chromium")) is not None:
        yield "opening it in Chromium", seconds_to_open(file, program), 1, "s"
    reader.close()


def seconds_to_open(page: Path, program: str) -> float:
    """Seconds until the page is loaded and its script has run, in the middle of five."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        found = []
        for _ in range(5):
            tab = browser.new_page()
            started = time.perf_counter()
            tab.goto(page.as_uri(), wait_until="load")
            tab.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            found.append(time.perf_counter() - started)
            tab.close()
        browser.close()
    return statistics.median(found)


def load_rows(folder: Path) -> Iterator[tuple[str, float, float, str]]:
    """Eight processes of 5,000 calls each that record in one file; one is killed halfway."""
    path = folder / "load.db"
    environment = {**os.environ, "MULLIGAN_LOG": "OFF"}
    running = [
        subprocess.Popen(
            [sys.executable, str(LOAD), str(path), "5000", str(at)], stdout=subprocess.PIPE, text=True, env=environment
        )
        for at in range(8)
    ]
    made: list[tuple[int, float]] = []
    for line in running[0].stdout or ():
        number, moment = line.split()
        made.append((int(number), float(moment)))
        if made[-1][0] >= 2_500:
            break
    killed = time.monotonic()
    running[0].kill()
    for process in running:
        process.communicate()
    connection = sqlite3.connect(path)
    counts = dict(
        connection.execute(
            "SELECT session_id, count(*) FROM calls JOIN sessions ON sessions.id = session GROUP BY session_id"
        ).fetchall()
    )
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    yield (
        "calls of seven processes that are missing",
        7 * 5_000 - sum(counts[f"talk-{at}"] for at in range(1, 8)),
        0,
        "",
    )
    kept = counts.get("talk-0", 0)
    first_lost = next((moment for number, moment in made if number > kept), killed)
    yield f"the killed process lost {max(0, made[-1][0] - kept)} calls, of the last", killed - first_lost, 1, "s"


def main() -> None:
    """Prints the table."""
    print(
        f"{datetime.date.today()}, CPython {platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores\n"
    )
    print("| what | measured | budget | |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for rows in (cost_rows, report_rows, load_rows):
            for title, value, budget, unit in rows(Path(folder)):
                met = "met" if value <= budget else "MISSED"
                print(f"| {title} | {value:.3g} {unit} | <= {budget:g} {unit} | {met} |", flush=True)


if __name__ == "__main__":
    main()
