"""The commands that the package adds to `mulligan`: `report`, `replay`, `diff` and `import`."""

from __future__ import annotations

import io
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Parameter
from rich.console import Console

from mulligan import Pipeline, Policy
from mulligan.cli.app import UNWRAPPED_WIDTH, describe, tidy
from mulligan.cli.output import (
    DASH,
    FAILED,
    OK,
    USAGE_ERROR,
    console,
    is_styled,
    print_table,
    report_problem,
    reserve_stdout,
    stdout,
    write,
    write_json,
    write_stderr,
)
from mulligan.cli.settings import EffectiveSettings, Settings
from mulligan.errors import UsageError
from mulligan.hooks.loading import find_object
from mulligan_ledger import autoload
from mulligan_ledger.database import foreign_value, open_for_reading
from mulligan_ledger.text import visible

_Flag = Annotated[bool, Parameter(negative=(), show_default=False)]


def report(words: list[str]) -> int:
    """`mulligan report`."""
    return _run("report", _report, words, "DB [-o FILE.html] [--json | --csv | --serve] [--port N]")


def replay(words: list[str]) -> int:
    """`mulligan replay`."""
    return _run(
        "replay", _replay, words, "DB [--session ID] [--pipeline MODULE:NAME] [--format FORMAT] [-p PLUGIN] [--json]"
    )


def diff(words: list[str]) -> int:
    """`mulligan diff`."""
    return _run("diff", _diff, words, "A B [--json]")


def import_(words: list[str]) -> int:
    """`mulligan import`."""
    return _run("import", _import, words, "FILE... -o DB [--dialect DIALECT] [--session-field NAME]")


def _run(name: str, command: Callable[..., int], words: Sequence[str], usage: str) -> int:
    page = io.StringIO()
    app = App(
        name="mulligan",
        version_flags=(),
        help_format="markdown",
        help_formatter="plain",
        console=Console(file=page, width=UNWRAPPED_WIDTH),
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    app.command(command, name=name, usage=f"mulligan {name} {usage}")
    with reserve_stdout():
        try:
            words = [DASH if word == "-" else word for word in words]  # the parser would read it as an option
            parsed, bound, _ = app.parse_args([name, *words], exit_on_error=False, print_error=False)
            code = parsed(
                *("-" if value == DASH else value for value in bound.args),
                **{option: "-" if value == DASH else value for option, value in bound.kwargs.items()},
            )
        except CycloptsError as error:
            report_problem(describe(error, [name]))
            return USAGE_ERROR
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise UsageError(
                f"{name}: the ledger cannot be read: {error}; check it with PRAGMA integrity_check"
            ) from None
        if page.getvalue():
            write(tidy(page.getvalue(), console(stdout(), styled=False).width))
        return code if isinstance(code, int) else OK


def _report(
    db: str,
    /,
    *,
    out: Annotated[str | None, Parameter(name=("--out", "-o"))] = None,
    json: _Flag = False,
    csv: _Flag = False,
    serve: _Flag = False,
    port: int = 0,
) -> int:
    """Say what went wrong in the recorded calls, what the model read, and whether it recovered.

    Without an option, a summary for the terminal.

    Args:
        db: the file of a ledger.
        out: write the report as one HTML page to this file; - for stdout.
        json: write the figures as JSON.
        csv: write one line for each call.
        serve: show the page on 127.0.0.1, also while a program records, until interrupted.
        port: the port for --serve. Default: any free one.
    """
    if json + csv + serve + (out is not None) > 1:
        raise UsageError("report: use one of --out, --json, --csv and --serve")
    if serve:
        return _serve(db, port)
    from mulligan_ledger.measures import measure

    with _reading(db) as connection:
        if out is not None:
            from mulligan_ledger.html import render

            _write_page(render(connection, db), out, db)
            return OK
        found = measure(connection)
        if json:
            write_json(found.to_dict())
        elif csv:
            from mulligan_ledger.terminal import csv_lines

            for line in csv_lines(connection, found):
                write(line)
        else:
            from mulligan_ledger.terminal import print_summary

            print_summary(found, db)
    return OK


@contextmanager
def _reading(db: str) -> Iterator[sqlite3.Connection]:
    """Opens a ledger. If a command fails because of a value that was edited by hand, the error names its place."""
    with closing(open_for_reading(db)) as connection:
        try:
            yield connection
        except UsageError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            if wrong := foreign_value(connection):
                raise UsageError(f"{db}: {wrong}; correct or delete that row") from None
            raise


def _write_page(page: str, out: str, db: str) -> None:
    if out == "-":
        write(page)
        return
    if Path(out).exists() and Path(out).samefile(db):
        raise UsageError(f"--out {out} is the ledger itself; choose another file")
    try:
        descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(page)
    except OSError as error:
        raise UsageError(f"--out {out}: cannot write the file: {error.strerror}; choose another file") from None
    write_stderr(f"{out}: {len(page.encode()):,} bytes\n")


def _serve(db: str, port: int) -> int:
    from mulligan_ledger.serve import Server

    open_for_reading(db).close()
    try:
        server = Server(db, port)
    except (OSError, OverflowError) as error:
        raise UsageError(f"--port {port}: {error}; choose another port, or leave it out") from None
    write(f"{server.url}\nOnly this machine can open it. Press Ctrl+C to stop.")
    stdout().flush()
    server.run()
    return OK


def _replay(
    db: str,
    /,
    *,
    session: str | None = None,
    pipeline: str | None = None,
    format: str | None = None,
    plugin: Annotated[tuple[str, ...], Parameter(name=("--plugin", "-p"), negative=(), show_default=False)] = (),
    json: _Flag = False,
) -> int:
    """Render every recorded failure again with the present code, plugins, format and policy, and show what changed.

    No tool runs: each call raises or returns what was recorded. The exit code is 1 if a text changed.

    Args:
        db: the file of a ledger.
        session: replay only this conversation (its id, or its number in the file), and show all its texts.
        pipeline: MODULE:NAME or FILE.py:NAME of your program's own pipeline, for its policy, plugins and format.
        format: the feedback format. Default: that of the settings.
        plugin: load a plugin: NAME, MODULE[:NAME] or FILE.py; no:NAME blocks a plugin.
        json: write the changes as JSON.
    """
    from mulligan_ledger.replay import changes
    from mulligan_ledger.replay import replay as reworded

    if pipeline is not None and (plugin or format):
        raise UsageError("replay: --pipeline has its own plugins and format; leave out --plugin and --format")
    with ExitStack() as stack:
        connection = stack.enter_context(_reading(db))
        stack.enter_context(autoload.suspended())
        make = _pipeline_maker(stack, pipeline, plugin, format)
        found = list(reworded(connection, make, session=session))
        if (
            session is not None
            and not connection.execute(
                "SELECT 1 FROM sessions WHERE session_id = ? OR CAST(id AS TEXT) = ?",
                (session, session.removeprefix("#")),
            ).fetchone()
        ):
            raise UsageError(
                f"--session {session}: {db} has no such conversation; mulligan report {db} --csv lists them"
            )
    different = changes(found)
    skipped = [one for one in found if one.after is None]
    changed = sum(one.count for one in different)
    if json:
        write_json(
            {
                "failures": len(found),
                "changed": changed,
                "skipped": len(skipped),
                "changes": [
                    {
                        "before": one.before,
                        "after": one.after,
                        "tools": one.tools,
                        "count": one.count,
                        "sessions": one.sessions,
                    }
                    for one in different
                ],
            }
        )
    else:
        if session is not None:
            for one in found:
                write(f"--- step {one.call['step']}, {visible(one.call['name'])}\n{visible(one.after or one.before)}\n")
        for one in different:
            tools = visible(", ".join(one.tools))
            write(f"{one.count} x {tools}, as in {visible(', '.join(one.sessions))}")
            write("\n".join(f"  {visible(line)}" for line in one.diff()) + "\n")
        rest = "".join(f"; {count} not replayed: {reason}" for reason, count in _reasons(skipped).items())
        write(f"{len(found)} failures: {changed} changed, in {len(different)} distinct texts{rest}")
    return FAILED if different else OK


def _reasons(skipped: Sequence[Any]) -> dict[str, int]:
    return {
        reason: sum(one.reason == reason for one in skipped) for reason in dict.fromkeys(one.reason for one in skipped)
    }


def _pipeline_maker(
    stack: ExitStack, named: str | None, plugins: Sequence[str], format: str | None
) -> Callable[[Any, Any], Pipeline]:
    if named is not None:
        own = find_object(named, "--pipeline")
        if not isinstance(own, Pipeline):
            raise UsageError(
                f"--pipeline {named}: it is {type(own).__name__}, not a Pipeline; write MODULE:NAME of one"
            )
        return lambda tools, recorded: own
    settings = Settings.of(plugins, None)

    def make(tools: Any, recorded: Any) -> Pipeline:
        loaded = [*EffectiveSettings.of(settings.options).load(), recorded]
        made = settings.pipeline(
            tools, format=format, log="OFF", policy=Policy(retry=False), loaded_plugins=loaded, uses_tool_options=False
        )
        return stack.enter_context(made)

    return make


def _diff(a: str, b: str, /, *, json: _Flag = False) -> int:
    """Compare two ledgers, with 95 % intervals, and report which differences may be chance.

    Args:
        a: the file of the first ledger.
        b: the file of the second ledger.
        json: write the rows as JSON.
    """
    import attrs

    from mulligan_ledger.compare import compare
    from mulligan_ledger.measures import measure

    with _reading(a) as first, _reading(b) as second:
        rows = compare(measure(first), measure(second))
    if json:
        write_json([attrs.asdict(row) for row in rows])
        return OK
    screen = console(stdout(), styled=is_styled(stdout()))
    heads = ("measure", "first", "second", "difference", "verdict")
    cells = [[visible(row.name), row.before, row.after, row.difference, row.verdict] for row in rows]
    print_table(screen, heads, cells)
    clear = [row.name for row in rows if row.verdict == "differs"]
    enough = any(row.verdict != "not enough data" for row in rows)
    conclusion = (
        f"Differs: {visible(', '.join(clear))}."
        if clear
        else "Every difference may be chance."
        if enough
        else "Not enough data."
    )
    write(f"\n{conclusion}")
    if len(clear) > 0 and len(rows) > 10:
        write(f"Of {len(rows)} measures, one in twenty looks different by chance alone.")
    return OK


def _import(
    *files: str,
    out: Annotated[str, Parameter(name=("--out", "-o"))],
    dialect: str | None = None,
    session_field: str | None = None,
) -> int:
    """Import conversations that another program logged, so that their failures can be reported.

    It reads messages of every known dialect, as JSON lines, as arrays, or in a member `messages`, and OTLP exports in JSON
    with spans of `execute_tool`. Failures are detected in the texts of the answers, so a failure that reads like a result
    is missed.

    Args:
        files: the files; - for stdin.
        out: the file of the ledger; it is created, or added to.
        dialect: the message format. Default: detect it.
        session_field: the field of each line that names its conversation. Default: session_id, conversation_id, thread_id
            or trace_id, where there is one.
    """
    from mulligan_ledger.importing import import_files

    if not files:
        raise UsageError("import: name a file with messages, or - for stdin")
    counts = import_files(files, out, dialect=dialect, session_field=session_field)
    write(
        f"{out}: {counts.conversations} conversations, {counts.calls} calls, {counts.failures} failed, "
        f"{counts.unanswered} without an answer"
    )
    if not counts.calls:
        report_problem(
            "no tool calls found; pass messages of a model with their answers, one conversation per line or array"
        )
        return FAILED
    return OK


__all__ = ["diff", "import_", "replay", "report"]
