"""The page as the report of mulligan-ledger, if that is installed, with the state of the servers above it."""

from __future__ import annotations

import hashlib
import json
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mulligan.errors import UsageError

if TYPE_CHECKING:
    from markupsafe import Markup
    from mulligan_ledger import Ledger

_STATES = {"up": ("ok", "works"), "starting": ("", "is starting"), "failed": ("bad", "does not work")}
_END = """</tbody></table></div>
<p><a href="calls">Each call as it comes</a>, by server, tool, outcome and text;
<a href="export" download="mulligan-calls.json">save all as JSON</a></p></section>
"""


class Report:
    """The report on the calls that a ledger records.

    Args:
        ledger: the ledger.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._cached = ("", "")

    def document(self, state: Mapping[str, Any]) -> str:
        """The page. With many calls it takes a while, so it is rendered in a thread.

        Args:
            state: the servers, and how many calls there were.
        """
        from mulligan_ledger.database import open_for_reading
        from mulligan_ledger.html import render

        version = version_of(state)
        with self._lock:
            if self._cached[0] != version:
                self._ledger.flush()
                connection = open_for_reading(self._ledger.path)
                try:
                    above = _state_of_servers(state["servers"])
                    page = render(connection, self._ledger.path.name, live=version, above=above)
                finally:
                    connection.close()
                self._cached = (version, page)
            return self._cached[1]


@contextmanager
def recorded_report() -> Iterator[tuple[Report | None, tuple[Ledger, ...]]]:
    """The report, and the plugins that record for it; no report if mulligan-ledger is not installed.

    A ledger that the user has configured is shown, and its own plugin records. Otherwise the calls are recorded in a file that
    is deleted with the proxy.
    """
    try:
        from mulligan_ledger import Ledger
        from mulligan_ledger.autoload import configured
        from mulligan_ledger.database import open_for_writing
    except ImportError:
        yield None, ()
        return
    try:
        kept = configured()
    except UsageError:  # the pipeline reports it, as a plugin that cannot be loaded
        kept = None
    if kept is not None:
        open_for_writing(kept.path).close()  # there is a page before the first call
        yield Report(kept), ()
        return
    with tempfile.TemporaryDirectory(prefix="mulligan-") as folder, Ledger(Path(folder, "calls.db")) as ledger:
        open_for_writing(ledger.path).close()
        yield Report(ledger), (ledger,)


def version_of(state: Mapping[str, Any]) -> str:
    """A text that changes with the state: the page polls it, and reloads itself.

    Args:
        state: the servers, and how many calls there were.
    """
    return hashlib.sha256(json.dumps([state["servers"], state["count"]]).encode()).hexdigest()[:16]


def _state_of_servers(servers: Iterable[Mapping[str, Any]]) -> Markup:
    from markupsafe import Markup
    from mulligan_ledger.text import as_markup

    row = Markup(
        '<tr class="{}"><th scope="row"><bdi>{}</bdi></th><td class="state">{}</td>'
        '<td class="n">{}</td><td class="n">{}</td></tr>\n'
    )
    rows = []
    for server in servers:
        kind, words = _STATES[server["state"]]
        said = f"{words}: {server['why']}" if server["why"] else words
        tools = "-" if server["tools"] is None else server["tools"]
        rows.append(row.format(kind, as_markup(server["name"], 80), as_markup(said), server["starts"], tools))
    head = Markup(
        '<section aria-labelledby="h-servers"><h2 id="h-servers">Servers</h2>\n<div class="wide"><table>\n'
        '<thead><tr><th scope="col">server</th><th scope="col">state</th><th scope="col" class="n">started</th>'
        '<th scope="col" class="n">tools</th></tr></thead>\n<tbody>'
    )
    return head + Markup().join(rows) + Markup(_END)  # noqa: S704 - our own text
