"""The file under several processes, forks, kills, full disks, locks and damage. Nothing of that touches a call."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from conftest import read_file, rows
from mulligan_ledger import Ledger
from mulligan_ledger import database as databases
from mulligan_ledger.schema import APPLICATION_ID, VERSION

from mulligan import Pipeline, Tool
from mulligan.cli.app import run

LOAD = str(Path(__file__).with_name("ledger_load.py"))
PROCESSES, CALLS = 8, 5_000


def intact(path: Path) -> bool:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        connection.close()


def test_eight_processes_of_which_one_is_killed(path):
    running = [
        subprocess.Popen([sys.executable, LOAD, str(path), str(CALLS), str(at)], stdout=subprocess.PIPE, text=True)
        for at in range(PROCESSES)
    ]
    victim = running[0]
    made: list[tuple[int, float]] = []
    for line in victim.stdout:
        number, moment = line.split()
        made.append((int(number), float(moment)))
        if made[-1][0] >= CALLS // 2:
            break
    killed = time.monotonic()
    victim.send_signal(signal.SIGKILL)
    for process in running:
        process.communicate(timeout=300)

    assert [process.returncode for process in running] == [-signal.SIGKILL, *[0] * (PROCESSES - 1)]
    assert intact(path)
    recorded = {one["session_id"]: 0 for one in rows(path, "sessions")}
    names = {one["id"]: one["session_id"] for one in rows(path, "sessions")}
    for call in rows(path, "calls"):
        recorded[names[call["session"]]] += 1
    assert {recorded[f"talk-{at}"] for at in range(1, PROCESSES)} == {CALLS}
    before_the_last_second = max((number for number, moment in made if moment < killed - 1), default=0)
    assert before_the_last_second <= recorded.get("talk-0", 0) < CALLS
    assert [one["lost"] for one in rows(path, "processes")] == [0] * len(rows(path, "processes"))


def test_nothing_is_lost_when_the_program_ends(path):
    subprocess.run([sys.executable, LOAD, str(path), "123"], check=True, stdout=subprocess.DEVNULL)

    assert len(rows(path, "calls")) == 123


def test_nothing_is_lost_when_it_is_interrupted(path):
    process = subprocess.Popen(
        [sys.executable, LOAD, str(path), "1000000"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    made = 0
    for line in process.stdout:
        made = int(line.split()[0])
        if made >= 300:
            process.send_signal(signal.SIGINT)
            break
    try:
        rest = [line.split()[0] for line in process.communicate(timeout=120)[0].splitlines()]
    finally:
        process.kill()

    assert len(rows(path, "calls")) >= max([made, *map(int, rest)])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_records_by_itself(record, path):
    pipeline, ledger = record()
    session = pipeline.session("talk")
    session.call("read_file", {"path": "before"})
    ledger.flush()
    session.call("read_file", {"path": "waits in the parent"})
    child = os.fork()
    if child == 0:
        try:
            for at in range(50):
                pipeline.call("read_file", {"path": f"child {at}"})
            os._exit(0 if ledger.flush() else 1)
        finally:
            os._exit(2)
    for at in range(50):
        session.call("read_file", {"path": f"parent {at}"})
    assert os.waitpid(child, 0)[1] == 0
    ledger.close()

    results = sorted(one["result"] for one in rows(path, "calls"))
    assert len(results) == len(set(results)) == 102
    assert len({one["pid"] for one in rows(path, "processes")}) == 2
    assert intact(path)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_child_of_multiprocessing_writes_before_it_ends(path):
    code = (
        "import multiprocessing as m, conftest; from mulligan import Pipeline; from mulligan_ledger import Ledger\n"
        f"p = Pipeline([conftest.read_file], plugins=[Ledger({str(path)!r})], autoload=False)\n"
        "def work(): p.call('read_file', {'path': 'x'})\n"
        "if __name__ == '__main__':\n"
        "    work()\n"
        "    c = m.get_context('fork').Process(target=work); c.start(); c.join(); assert c.exitcode == 0\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent)

    assert len(rows(path, "calls")) == 2


def test_durable_writes_before_the_result_is_returned(record, path):
    pipeline, _ = record(durable=True)
    pipeline.call("read_file", {"path": "a"})

    assert len(rows(path, "calls")) == 1


def test_threads_and_tasks_share_one_ledger(record, path):
    pipeline, ledger = record()

    async def play() -> None:
        session = pipeline.session()
        await asyncio.gather(*[session.acall("read_file", {"path": f"{at}"}) for at in range(200)])

    asyncio.run(play())
    ledger.close()

    assert len({one["arguments"] for one in rows(path, "calls")}) == 200


def test_a_ledger_that_was_closed_opens_again(record, path):
    pipeline, ledger = record()
    for at in range(2):
        pipeline.call("read_file", {"path": f"{at}"})
        ledger.close()

    assert len(rows(path, "calls")) == 2
    assert len(rows(path, "processes")) == 1


def test_a_locked_file_costs_no_call_and_is_written_later(record, path, monkeypatch):
    monkeypatch.setattr(databases, "BUSY_SECONDS", 0.05)
    pipeline, ledger = record()
    pipeline.call("read_file", {"path": "first"})
    assert ledger.flush()
    ledger.close()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    results = [pipeline.call("read_file", {"path": f"{at}"}) for at in range(3)]
    assert ledger.flush() is False
    results += [pipeline.call("read_file", {"path": f"{at}"}) for at in range(3, 10)]

    assert not any(result.is_error for result in results)
    (fault,) = pipeline.faults
    assert "runs.db: database is locked; calls continue, and those that are not recorded are counted" in fault.error
    holder.execute("COMMIT")
    holder.close()
    assert ledger.flush()
    assert (len(rows(path, "calls")), ledger.lost) == (11, 0)


def test_what_does_not_fit_into_the_queue_is_counted(record, path, monkeypatch):
    monkeypatch.setattr(databases, "BUSY_SECONDS", 0.05)
    monkeypatch.setattr("mulligan_ledger.writer.MOST_WAITING", 5)
    pipeline, ledger = record()
    pipeline.call("read_file", {"path": "first"})
    ledger.close()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    for at in range(12):
        pipeline.call("read_file", {"path": f"{at}"})
    holder.execute("COMMIT")
    holder.close()
    ledger.close()

    assert len(rows(path, "calls")) + ledger.lost == 13
    assert ledger.lost >= 1
    assert rows(path, "processes")[0]["lost"] == ledger.lost


def damaged(path: Path) -> None:
    path.write_bytes(b"this is no database at all, but a letter to the editor" * 100)


def of_something_else(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()


def of_the_future(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE calls (id INTEGER)")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (damaged, "file is not a database"),
        (of_something_else, "is a database of something else"),
        (of_the_future, f"written by a newer mulligan-ledger (version {VERSION + 1}"),
    ],
)
def test_a_file_that_is_no_ledger_is_left_as_it_is(record, path, make, told):
    make(path)
    before = path.read_bytes()
    pipeline, ledger = record(durable=True)
    results = [pipeline.call("read_file", {"path": f"{at}"}) for at in range(5)]

    assert not any(result.is_error for result in results)
    (fault,) = pipeline.faults
    assert told in fault.error
    assert ledger.lost == 5
    assert path.read_bytes() == before


FULL = """
import os, subprocess, sys
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", sys.argv[1]], check=True)
from mulligan_ledger import Ledger
from mulligan import Pipeline, Tool
import conftest
ledger = Ledger(sys.argv[1] + "/runs.db")
with Pipeline([conftest.read_file], plugins=[ledger], autoload=False) as pipeline:
    failed = 0
    for at in range(3000):
        failed += pipeline.call("read_file", {"path": f"{at} " + "x" * 500}).is_error
        if at % 500 == 0:
            ledger.flush()
    print(failed, len(pipeline.faults), pipeline.faults[0].error if pipeline.faults else "")
    ledger.close()
    import sqlite3
    connection = sqlite3.connect(sys.argv[1] + "/runs.db")
    print(connection.execute("PRAGMA integrity_check").fetchone()[0], 0 < ledger.recorded < 3000)
    connection.close()
    with open(sys.argv[1] + "/more", "w"):
        pass
    os.remove(sys.argv[1] + "/more")
    subprocess.run(["mount", "-o", "remount,size=30m", sys.argv[1]], check=True)
    print(ledger.flush(), ledger.recorded + ledger.lost)
"""


def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    command = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="needs a mount namespace of its own, for a small disk")
def test_a_full_disk_costs_no_call(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["unshare", "-rm", sys.executable, "-c", FULL, str(disk)]
    told = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parent, check=False)

    assert told.returncode == 0, told.stderr
    first, second, third = told.stdout.splitlines()
    assert first.startswith("0 1 ")
    assert "full" in first
    assert second == "ok True"
    assert third == "True 3000"


def test_old_conversations_are_deleted(record, path):
    pipeline, ledger = record(keep_days=10)
    for name in ("old", "new"):
        pipeline.session(name).call("read_file", {"path": name})
    ledger.close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE calls SET at = '2020-01-01T00:00:00.000Z' WHERE id = 1")
    connection.execute("UPDATE sessions SET started = '2020-01-01T00:00:00.000Z' WHERE id = 1")
    connection.commit()
    connection.close()
    with Ledger(path, keep_days=10) as other, Pipeline([read_file], plugins=[other], autoload=False) as pipeline:
        pipeline.session("newest").call("read_file", {"path": "a"})

    assert [one["session_id"] for one in rows(path, "sessions")] == ["new", "newest"]
    assert len(rows(path, "calls")) == 2


def test_a_file_keeps_its_size(path):
    for _ in range(3):
        with (
            Ledger(path, keep_bytes=300_000) as ledger,
            Pipeline([read_file], plugins=[ledger], autoload=False) as pipeline,
        ):
            for at in range(300):
                pipeline.session(f"{at}").call("read_file", {"path": "x" * 1_000})
    with (
        Ledger(path, keep_bytes=300_000) as ledger,
        Pipeline([read_file], plugins=[ledger], autoload=False) as pipeline,
    ):
        pipeline.session("last").call("read_file", {"path": "x"})

    assert path.stat().st_size <= 330_000
    assert rows(path, "sessions")[-1]["session_id"] == "last"


@pytest.mark.parametrize(
    ("version", "fixed"),
    [
        ((3, 40, 1), False), ((3, 44, 5), False), ((3, 44, 6), True), ((3, 45, 3), False), ((3, 50, 6), False),
        ((3, 50, 7), True), ((3, 51, 2), False), ((3, 51, 3), True), ((3, 52, 0), True), ((4, 0, 0), True),
    ],
)  # fmt: skip
def test_wal_only_where_sqlite_is_free_of_its_bug(version, fixed):
    assert databases.is_fixed(version) is fixed


def test_the_journal_follows_from_version_and_disk(record, path, monkeypatch):
    monkeypatch.setattr(databases, "is_fixed", lambda version: True)
    monkeypatch.setattr(databases, "is_local", lambda file: True)
    pipeline, ledger = record()
    pipeline.call("read_file", {"path": "a"})
    ledger.flush()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_network_disk_is_not_local(tmp_path):
    assert databases.is_local(Path("/proc/self")) in (True, False)
    assert databases.is_local(tmp_path / "x.db") is sys.platform.startswith("linux")


def test_a_reader_keeps_nobody_from_writing(record, path, monkeypatch):
    monkeypatch.setattr(databases, "BUSY_SECONDS", 0.05)
    pipeline, ledger = record()
    for at in range(3):
        pipeline.call("read_file", {"path": f"{at}"})
    ledger.flush()
    reader = databases.open_for_reading(path)
    reading = reader.execute("SELECT * FROM calls")
    reading.fetchone()
    pipeline.call("read_file", {"path": "while it reads"})

    assert ledger.flush()
    assert len(reading.fetchall()) == 2
    reader.close()


def test_a_new_file_that_another_process_makes_meanwhile_is_no_foreign_one(path):
    """The marks of a file and its tables are read at one moment."""

    class Slow:
        """A connection; once it has read the mark of the file, another process makes a table."""

        in_transaction = False

        def execute(self, statement):
            row = connection.execute(statement).fetchone()
            self.in_transaction = connection.in_transaction
            code = f"import sqlite3; sqlite3.connect({str(path)!r}, timeout=0.1).execute('CREATE TABLE calls (id)')"
            if "application_id" in statement:
                subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
            return SimpleNamespace(fetchone=lambda: row)

    connection = sqlite3.connect(path, isolation_level=None)
    databases._check_kind(Slow(), path)
    connection.close()


def test_processes_that_make_one_file_at_once_all_record(tmp_path):
    code = (
        "import sys, time, pathlib\n"
        "from mulligan_ledger.database import open_for_writing\n"
        "while time.time() < float(sys.argv[2]): pass\n"
        "open_for_writing(pathlib.Path(sys.argv[1])).close()\n"
    )
    for number in range(3):
        start = str(time.time() + 1.5)
        command = [sys.executable, "-c", code, str(tmp_path / f"{number}.db"), start]
        running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(6)]
        assert [process.communicate()[1] for process in running] == [""] * 6


def test_a_file_of_the_first_version_is_brought_forward(record, path):
    connection = databases.sqlite3.connect(path, isolation_level=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(databases, "MIGRATIONS", databases.MIGRATIONS[:1])
        databases._migrate(connection, path)
    connection.execute("INSERT INTO processes VALUES (1, 1, 'host', '', '', '', 'live', 'full', 0)")
    connection.execute("INSERT INTO sessions VALUES (1, 1, 1, 'old', '2026-01-01T00:00:00.000Z', 1)")
    connection.close()
    pipeline, ledger = record()
    pipeline.session("new").call("read_file", {"path": "a"})
    ledger.close()

    assert [one["session_id"] for one in rows(path, "sessions")] == ["old", "new"]
    assert [one["name"] for one in rows(path, "migrations")] == [name for name, _ in databases.MIGRATIONS]
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    connection.close()


def test_a_conversation_that_was_deleted_as_too_old_and_continues_is_recorded_again(record, path):
    pipeline, ledger = record()
    session = pipeline.session("talk")
    session.call("read_file", {"path": "1"})
    ledger.flush()
    other = sqlite3.connect(path)
    other.execute("PRAGMA foreign_keys = ON")
    other.execute("DELETE FROM sessions")
    other.commit()
    other.close()
    session.call("read_file", {"path": "2"})
    assert ledger.flush()

    assert [one["arguments"] for one in rows(path, "calls")] == ['{"path": "2"}']
    assert (ledger.lost, pipeline.faults) == (0, ())


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be moved there")
@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_was_moved_away_is_begun_again(record, path, tmp_path, replaced):
    pipeline, ledger = record()
    session = pipeline.session("talk")
    session.call("read_file", {"path": "1"})
    ledger.flush()
    path.rename(tmp_path / "yesterday.db")
    if replaced:
        with Ledger(path) as other, Pipeline([read_file], plugins=[other], autoload=False) as another:
            another.call("read_file", {"path": "of another"})
    session.call("read_file", {"path": "missing"})
    assert ledger.flush()

    assert len(rows(tmp_path / "yesterday.db", "calls")) == 1
    last = rows(path, "calls")[-1]
    assert (last["arguments"], len(rows(path, "definitions"))) == ('{"path": "missing"}', 2)
    assert rows(path, "sessions")[-1]["session_id"] == "talk"
    assert (ledger.lost, pipeline.faults) == (0, ())


def test_a_conversation_is_one_also_if_many_others_came_between(record, path, monkeypatch):
    monkeypatch.setattr("mulligan_ledger.writer._MOST_SESSIONS", 3)
    pipeline, ledger = record()
    first = pipeline.session()
    for _ in range(3):
        first.call("read_file", {"path": "a"})
        for _ in range(5):
            pipeline.session().call("read_file", {"path": "b"})
            ledger.flush()

    counts = [sum(call["session"] == one["id"] for call in rows(path, "calls")) for one in rows(path, "sessions")]
    assert sorted(counts) == [1] * 15 + [3]


@pytest.mark.parametrize("known", ["no file", "a file", "an open file"])
def test_a_call_waits_a_little_while_another_process_keeps_the_file(record, path, monkeypatch, known):
    from mulligan_ledger import writer

    if known != "no file":
        Ledger(path).close()
        databases.open_for_writing(path).close()
    pipeline, ledger = record()
    if known == "an open file":
        pipeline.call("read_file", {"path": "before"})
        assert ledger.flush()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        pipeline.call("read_file", {"path": "a"})
        with monkeypatch.context() as patch:
            patch.setattr(writer, "LATE_SECONDS", 0.1)
            patch.setattr(writer, "PAUSE", "a pause")  # which fails
            for _ in range(1_000):
                if pipeline.faults:
                    break
                pipeline.call("read_file", {"path": "b"})
                time.sleep(0.01)
    finally:
        other.execute("ROLLBACK")
        other.close()

    assert ["TypeError" in fault.error for fault in pipeline.faults] == [True]
    assert ledger.flush()
    assert '{"path": "a"}' in [one["arguments"] for one in rows(path, "calls")]


@pytest.mark.parametrize("jump", [-86_400.0, 86_400.0])
def test_a_clock_that_jumps_slows_nothing_down_and_loses_nothing(record, path, monkeypatch, jump):
    from mulligan_ledger import writer

    pipeline, ledger = record()
    session = pipeline.session("talk")
    session.call("read_file", {"path": "missing"})
    real = time.time
    monkeypatch.setattr(writer.time, "time", lambda: real() + jump)
    assert ledger.flush()
    monkeypatch.setattr(writer, "LATE_SECONDS", 3_600)  # the machine may be busy
    monkeypatch.setattr(writer, "PAUSE", "no call may be slowed down")
    for at in range(20):
        session.call("read_file", {"path": f"{at}"})
        assert ledger.flush()

    assert [one["step"] for one in rows(path, "calls")] == list(range(1, 22))
    assert pipeline.faults == ()


@pytest.mark.parametrize("error", [sqlite3.OperationalError("disk is full"), RuntimeError("a bug")])
def test_a_failing_clean_up_does_not_record_anything_twice(record, path, monkeypatch, error):
    from mulligan_ledger.retention import Retention

    def fail(self, connection):
        raise error

    pipeline, ledger = record()
    for at in range(3):
        pipeline.call("read_file", {"path": f"{at}"})
    with monkeypatch.context() as patch:
        patch.setattr(Retention, "apply", fail)
        ledger.flush()
    pipeline.call("read_file", {"path": "3"})
    assert ledger.flush()

    assert sorted(one["arguments"] for one in rows(path, "calls")) == [f'{{"path": "{at}"}}' for at in range(4)]
    assert (ledger.recorded, ledger.lost) == (4, 0)


def test_nothing_is_lost_when_writing_itself_is_interrupted(record, path, monkeypatch):
    from mulligan_ledger.writer import Writer

    def interrupt(*_):
        raise KeyboardInterrupt

    pipeline, ledger = record()
    with monkeypatch.context() as patch:
        patch.setattr(Writer, "_start", lambda self: None)  # no thread: the caller writes
        patch.setattr(Writer, "_insert", interrupt)
        for at in range(3):
            pipeline.call("read_file", {"path": f"{at}"})
        with pytest.raises(KeyboardInterrupt):
            ledger.flush()
    assert ledger.flush()

    assert [one["arguments"] for one in rows(path, "calls")] == [f'{{"path": "{at}"}}' for at in range(3)]


def test_definitions_that_no_call_is_left_of_are_deleted(path):
    for day in range(6):

        def look(word: str) -> str:
            return word

        today = Tool.from_function(look, description=f"Look a word up. Today is day {day}. " + "x" * 50_000)
        with (
            Ledger(path, keep_bytes=250_000) as ledger,
            Pipeline([today], plugins=[ledger], autoload=False) as pipeline,
        ):
            pipeline.session(f"day-{day}").call("look", {"wrod": "tulip"})

    kept = [one["session_id"] for one in rows(path, "sessions")]
    assert kept == [f"day-{day}" for day in range(6 - len(kept), 6)]
    assert 2 <= len(kept) < 6
    assert len(rows(path, "definitions")) == len(kept)


@pytest.mark.parametrize("seed", range(10))
def test_a_damaged_file_costs_no_call_and_every_call_is_counted(record, path, seed, capsys):
    pipeline, ledger = record()
    for at in range(30):
        pipeline.session(f"{at}").call("read_file", {"path": f"missing {at}"})
    ledger.close()
    random = Random(seed)
    content = bytearray(path.read_bytes())
    places = range(100, 4_096) if seed % 2 else range(len(content))  # the names of the tables are at the start
    for place in random.choices(places, k=random.choice((1, 20, 2_000))):
        content[place] = random.randrange(256)
    path.write_bytes(content)
    with Ledger(path) as other, Pipeline([read_file], plugins=[other], autoload=False) as again:
        results = [again.call("read_file", {"path": f"{at}"}) for at in range(10)]
        other.flush()
        results.append(again.call("read_file", {"path": "10"}))

    assert not any(result.is_error for result in results)
    assert other.recorded + other.lost == 11
    assert len(again.faults) <= 1
    for command in ("report", "replay"):
        assert run([command, str(path)]) in (0, 1, 2)
    assert "Traceback" not in capsys.readouterr().err


def test_tables_that_somebody_has_changed_are_one_fault(record, path):
    pipeline, ledger = record()
    pipeline.call("read_file", {"path": "a"})
    ledger.close()
    connection = sqlite3.connect(path)
    connection.execute("ALTER TABLE calls RENAME COLUMN code TO kode")
    connection.close()
    with Ledger(path, durable=True) as other, Pipeline([read_file], plugins=[other], autoload=False) as again:
        for at in range(3):
            again.call("read_file", {"path": f"missing {at}"})

    (fault,) = again.faults
    assert "table calls has no column named code; calls continue" in fault.error
    assert other.lost == 3
