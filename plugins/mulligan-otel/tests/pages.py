"""Writes the outputs into the pages about traces and metrics: `python pages.py`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from otlp_receiver import Receiver

HERE = Path(__file__).parent
DOCS = HERE.parents[2] / "docs" / "how-to"


def blocks(page: str) -> dict[str, str]:
    """The named blocks of a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return {name: body for name, body in re.findall(r"(?ms)^```(?:python|text) (\S+)\n(.*?)^```$", text)}


def outputs() -> dict[tuple[str, str], str]:
    """What each output block must show, by page and name."""
    found = blocks("metrics.md")
    whole = _run(found["metering.py"])
    with TemporaryDirectory() as folder:
        (Path(folder) / "metering.py").write_text(found["metering.py"], encoding="utf-8")
        both = _run(f"import sys; sys.path.insert(0, {folder!r})\n{found['stats.py']}")
    return {
        ("traces.md", "trace"): _run((HERE / "conversation.py").read_text(encoding="utf-8")),
        ("metrics.md", "metrics"): whole,
        ("metrics.md", "stats"): both.removeprefix(whole),
    }


def traced() -> tuple[str, list[str]]:
    """What the program of the page about traces prints, and the names of the spans that it sends."""
    with Receiver() as receiver:
        printed = _run(blocks("traces.md")["tracing.py"], OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint)
    return printed, sorted(span.name for span in receiver.spans)


def backends() -> dict[str, tuple[str, str]]:
    """The endpoint and the headers of each backend on the page about traces; `key` stands for what is `<in brackets>`."""
    text = (DOCS / "traces.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| (.+?) \| `(http\S+)`.*? \| (?:`(.+)` )?\|$", text)
    return {name: (re.sub("<.+?>", "key", url), re.sub("<.+?>", "key", headers)) for name, url, headers in rows}


def _run(program: str, **environment: str) -> str:
    command = [sys.executable, "-c", program]
    given = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]), **environment}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180, env=given)
    if ended.returncode:
        raise AssertionError(ended.stderr)
    return ended.stdout


def main() -> None:
    """Writes them."""
    for (page, name), shown in outputs().items():
        path = DOCS / page
        pattern = rf"(?ms)^(```text {name}\n).*?^(```)$"
        path.write_text(
            re.sub(pattern, lambda match: match[1] + shown + match[2], path.read_text(encoding="utf-8")),
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
