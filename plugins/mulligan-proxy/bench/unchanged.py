"""Whether the inspector's command line reads the same with the proxy and without, for every request that the tests know.

    python bench/unchanged.py PROGRAMS [SERVER ...]

PROGRAMS is the folder of the npm packages' programs (`node_modules/.bin`). Each request is a process of the inspector, which
starts the server again, so this takes minutes; the tests ask two requests of each server. It ends with 1 if an answer differs.
"""

# ruff: noqa: INP001, S603, T201
from __future__ import annotations

import datetime
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
from official import LISTS, NAMES, SCRIPTS, Case, case_of, inspector_options, timeless, web_page, write_program


def answers(inspector: pathlib.Path, case: Case, *program: str) -> list[tuple[str, str]]:
    """What the inspector prints for each request, on stdout and on stderr."""
    case.prepare()
    told = []
    paths = f"{SCRIPTS}{os.pathsep}{os.environ.get('PATH', '')}"
    for request in [*LISTS, *case.requests]:
        words = [str(inspector), "--cli", *program, *inspector_options(request)]
        done = subprocess.run(
            words,
            check=False,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            env={**os.environ, "PATH": paths, **case.env},
        )
        told.append((timeless(f"exit code {done.returncode}\n{done.stdout}"), done.stderr))
    return told


def compare(name: str, programs: pathlib.Path, page: str) -> int:
    """Prints how many answers of a server are the same; the number of those that are not."""
    with tempfile.TemporaryDirectory() as folder:
        case = case_of(name, programs, pathlib.Path(folder).resolve() / "house", page)
        inspector = programs / "mcp-inspector-cli"
        server = str(write_program(pathlib.Path(folder).resolve() / "server", case.words))
        direct = answers(inspector, case, server)
        behind = answers(inspector, case, str(SCRIPTS / "mulligan-proxy"), server)
    different = 0
    for request, one, other in zip([*LISTS, *case.requests], direct, behind, strict=True):
        if one[0] != other[0]:
            different += 1
            print(f"{name}: {request}")
            for label, (text, stderr) in (("direct", one), ("proxy", other)):
                print(f"  {label}: {text[:500]}\n{stderr[-500:]}")
    failed = sum(not text.startswith("exit code 0") for text, _ in direct)
    print(f"{name}: {len(direct)} requests, {failed} of them refused directly too, {different} different", flush=True)
    return different


def main(programs: pathlib.Path, *names: str) -> int:
    """Compares the servers, two at a time."""
    missing = programs.parent / "@modelcontextprotocol" / "package.json"  # its package was cut out of a larger one
    missing.write_text('{"name": "@modelcontextprotocol/inspector", "version": "1.0.3"}')
    with web_page() as page, ThreadPoolExecutor(2) as pool:
        different = sum(pool.map(lambda name: compare(name, programs, page), names or NAMES))
    print(f"{datetime.date.today()}, mulligan-proxy {version('mulligan-proxy')}: {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), *sys.argv[2:]))
