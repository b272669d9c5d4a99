"""The report as one HTML page: no network, a strict policy, everything escaped."""

from __future__ import annotations

import base64
import hashlib
import os
import sqlite3
from collections import Counter
from importlib.resources import files
from typing import Any

import attrs
from jinja2 import Environment
from markupsafe import Markup, escape

from mulligan import __version__
from mulligan_ledger.measures import Bucket, Measures, measure
from mulligan_ledger.reading import Call, Conversation, read_conversation
from mulligan_ledger.recovery import NEXT
from mulligan_ledger.text import as_markup

MOST_CONVERSATIONS, _MOST_CHARS, _MOST_ITEMS, _AROUND = 150, 1_300_000, 60, 2
_SHOWN_SECONDS = 0.001
_TEXT, _SHORT_TEXT, _ITEM_CHARS = 2_000, 600, 700
_WIDTH, _HEIGHT, _BASE, _WIDEST = 800, 160, 130, 40
_NOTHING = Markup()


def render(connection: sqlite3.Connection, file: str, *, live: str = "", above: Markup = _NOTHING) -> str:
    """The page.

    Args:
        connection: the ledger.
        file: its name, for the heading.
        live: a text that changes whenever the ledger does, for a page that is served; otherwise empty.
        above: markup above the report, such as the state of the program that serves the page.
    """
    found = measure(connection)
    shown = _conversations(connection, found)
    names = sorted({name for one in shown for name in one.tool_names})
    numbers = {name: f"t{at}" for at, name in enumerate(names)}
    for one in shown:
        one.tools = " ".join(numbers[name] for name in one.tool_names)
    style, script = (
        files("mulligan_ledger").joinpath(f"page/report.{kind}").read_text("utf-8") for kind in ("css", "js")
    )
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["shown"] = as_markup
    template = environment.from_string(files("mulligan_ledger").joinpath("page/report.html").read_text("utf-8"))
    return template.render(
        policy=content_policy(style, script, is_live=bool(live)),
        title=f"Tool calls in {os.path.basename(file)}",
        file=file,
        live=live,
        above=above,
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        m=found,
        chart=_chart(found.buckets),
        conversations=shown,
        kept={one.id for one in shown},
        names=names,
        outside=connection.execute("SELECT count(*) FROM sessions WHERE NOT conversation").fetchone()[0],
        next_names=NEXT,
        share=share,
        number=number,
        period=period,
        plural=plural,
        version=__version__,
    )


def content_policy(style: str, script: str, *, is_live: bool) -> str:
    """The content security policy: the page may load its own style and script, by hash, and nothing else."""
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    connect = "'self'" if is_live else "'none'"
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; connect-src {connect}; "
        "base-uri 'none'; form-action 'none'"
    )


def share(part: int, whole: int) -> str:
    """A share in percent, or a dash if the whole is zero."""
    if not whole:
        return "-"
    percent = 100 * part / whole
    return f"{percent:.0f}%" if percent >= 10 or part in (0, whole) else f"{percent:.1f}%"


def number(value: float | None) -> str:
    """A number, or a dash."""
    return "-" if value is None else f"{value:g}"


def seconds(value: float) -> str:
    """A duration, in milliseconds below a second."""
    if value < _SHOWN_SECONDS:
        return "under 1 ms"
    return f"{1_000 * value:.0f} ms" if value < 1 else f"{value:.3g} s"


def period(first: str, last: str) -> str:
    """The start and the end, in minutes; on the same day, the date appears once."""
    start, end = first[:16].replace("T", " "), last[:16].replace("T", " ")
    if start == end:
        return f"{start} UTC"
    return f"{start} to {end[11:] if start[:10] == end[:10] else end} UTC"


def plural(count: int, what: str) -> str:
    """A number of things."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


@attrs.define
class _Shown:
    """A conversation on the page."""

    id: int
    name: str
    started: str
    calls: int
    failures: int
    judged: int
    recovered: int
    tool_names: list[str]
    errors: str
    bad: int
    items: list[dict[str, Any]]
    tools: str = ""


def _conversations(connection: sqlite3.Connection, found: Measures) -> list[_Shown]:
    """The newest and most informative conversations, as many as fit; newest first."""
    kept: list[_Shown] = []
    room = _MOST_CHARS
    for session in _ranked(connection, found)[:MOST_CONVERSATIONS]:
        row = connection.execute("SELECT * FROM sessions WHERE id = ?", (session,)).fetchone()
        shown = _shown(read_conversation(connection, row), found)
        room -= 400 + sum(_size(item) for item in shown.items)
        if room < 0 and kept:
            break
        kept.append(shown)
    return sorted(kept, key=lambda one: (one.started, one.id), reverse=True)


def _ranked(connection: sqlite3.Connection, found: Measures) -> list[int]:
    """The keys of the conversations: those of the costliest failures, then the newest and the unrecovered in turn."""
    newest = [
        row["id"]
        for row in connection.execute(
            "SELECT id FROM sessions WHERE EXISTS (SELECT 1 FROM calls WHERE session = sessions.id) "
            "ORDER BY started DESC, id DESC LIMIT ?",
            (2 * MOST_CONVERSATIONS,),
        )
    ]
    sessions = dict(connection.execute("SELECT id, session FROM calls WHERE is_error").fetchall())
    open_failures = Counter(sessions[call] for call, one in found.recoveries.items() if not one.recovered)
    telling = [session for session, _ in open_failures.most_common(MOST_CONVERSATIONS)]
    first = [one.session for one in found.costliest if one.session]
    mixed = [one for pair in zip(newest, telling, strict=False) for one in pair]
    return list(dict.fromkeys([*first, *mixed, *newest, *telling]))


def _size(item: dict[str, Any]) -> int:
    texts = (item.get("arguments"), item.get("read"), item.get("text"))
    return _ITEM_CHARS + sum(min(len(one), item.get("most", _TEXT)) * 5 // 4 for one in texts if one)


def _shown(conversation: Conversation, found: Measures) -> _Shown:
    calls = conversation.calls
    failed = [one for one in calls if one.row["is_error"]]
    became = [found.recoveries[one.row["id"]] for one in failed if one.row["id"] in found.recoveries]
    names = sorted({one.row["tool"] or one.row["name"] for one in calls})
    return _Shown(
        conversation.row["id"],
        conversation.name,
        conversation.row["started"],
        len(calls),
        len(failed),
        len(became),
        sum(one.recovered for one in became),
        names[:200],
        " ".join(sorted({one.row["error"] or "" for one in failed})),
        int(any(not one.recovered for one in became)),
        _items(conversation, found),
    )


def _items(conversation: Conversation, found: Measures) -> list[dict[str, Any]]:
    """The part of a conversation that is shown: of a long one, its failures with the calls around them."""
    calls = conversation.calls
    kept = set(range(len(calls)))
    if len(calls) > _MOST_ITEMS:
        failed = [at for at, one in enumerate(calls) if one.row["is_error"]] or [len(calls) - 1]
        kept = {near for at in failed for near in range(at - _AROUND, at + _AROUND + 1) if 0 <= near < len(calls)}
        kept = set(sorted(kept)[-_MOST_ITEMS:])
    most = _TEXT if len(kept) <= _MOST_ITEMS // 3 else _SHORT_TEXT
    items: list[dict[str, Any]] = []
    requests, left_out = list(conversation.requests), 0
    for at, call in enumerate(calls):
        while requests and requests[0]["step"] < call.row["step"]:
            request = requests.pop(0)
            if request["text"]:
                items.append({"kind": "request", "text": request["text"]})
        if at not in kept:
            left_out += 1
            continue
        if left_out:
            items.append({"kind": "gap", "count": left_out})
            left_out = 0
        items.append(_item(call, found, most))
    if left_out:
        items.append({"kind": "gap", "count": left_out})
    items += [{"kind": "request", "text": one["text"]} for one in requests if one["text"]]
    return items


def _item(call: Call, found: Measures, most: int) -> dict[str, Any]:
    row, recovery = call.row, found.recoveries.get(call.row["id"])
    outcome = ""
    if recovery is not None:
        after = plural(recovery.steps, "step") if recovery.steps is not None else ""
        outcome = f"Next: {recovery.next}. " + (f"Recovered after {after}." if after else "Not recovered.")
        outcome += {True: " It made the corrected call.", False: " It did not make the corrected call.", None: ""}[
            recovery.followed
        ]
    failed = f"{row['error']}{', ends the run' if row['fatal'] else ''}"
    return {
        "kind": "call",
        "step": row["step"],
        "name": row["name"],
        "is_error": bool(row["is_error"]),
        "state": f"{failed if row['is_error'] else 'ok'}, {seconds(row['duration'])}",
        "arguments": row["arguments"],
        "repairs": [one["after"] for one in call.repairs if one["after"]],
        "attempts": call.attempts if row["attempts"] > 1 else [],
        "read": row["feedback"] if row["is_error"] else row["result"],
        "most": most,
        "outcome": outcome,
    }


def _chart(buckets: list[Bucket]) -> Markup:
    """Calls and failures over time, as bars."""
    if not buckets:
        return Markup()
    most, wide = max(one.calls for one in buckets), _WIDTH / len(buckets)
    bars = [
        Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"><title>{}: {}</title></rect>').format(
            kind,
            round(at * wide + 1, 1),
            round(_BASE - height, 1),
            round(min(max(wide - 2, 1), _WIDEST), 1),
            round(height, 1),
            one.start,
            f"{plural(one.calls, 'call')}, {one.failures} failed",
        )
        for at, one in enumerate(buckets)
        for kind, count in (("all", one.calls), ("failed", one.failures))
        if (height := (_BASE - 10) * count / most) > 0
    ]
    calls, failures = sum(one.calls for one in buckets), sum(one.failures for one in buckets)
    period = f"from {buckets[0].start} to {buckets[-1].start}"
    said = f"Bars of calls over time, {period}: {calls:,} calls, {failures:,} failed."
    labels = Markup(
        '<text x="0" y="150">{}</text><text x="{}" y="150" text-anchor="end">{}</text><text x="0" y="10">{}</text>'
    ).format(buckets[0].start, _WIDTH, buckets[-1].start, f"{most:,}")
    head = Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">').format(_WIDTH, _HEIGHT, escape(said))
    return head + Markup("").join(bars) + labels + Markup("</svg>")
