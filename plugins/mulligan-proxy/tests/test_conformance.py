"""The MCP project's own conformance suite: no scenario that passes directly fails through the proxy or with the middleware."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import PATHS, proxied, served

SERVER = pathlib.Path(__file__).parent / "servers" / "conforming.py"


def passing(programs, url):
    """The scenarios that pass at an address."""
    suite = programs.parent / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    node = shutil.which("node", path=PATHS)
    command = [node, str(suite), "server", "--suite", "all", "--url", url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ, "PATH": PATHS})
    told = re.findall(r"^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed", done.stdout, re.MULTILINE)
    assert len(told) > 25, done.stdout[-2_000:] + done.stderr[-2_000:]
    return {name for mark, name, _, failed in told if failed == "0"}


@pytest.fixture(scope="session")
def outcomes(programs):
    direct = (sys.executable, str(SERVER))
    with (
        served(*direct, "http") as plain,
        served(*direct, "http", "protected") as guarded,
        served(*proxied("--http", "127.0.0.1:0", "--", *direct, "stdio")) as over_stdio,
        served(*proxied("--http", "127.0.0.1:0", "--url", plain)) as over_http,
        ThreadPoolExecutor(2) as pool,
    ):
        urls = {"direct": plain, "middleware": guarded, "proxy of stdio": over_stdio, "proxy of HTTP": over_http}
        return dict(zip(urls, pool.map(lambda url: passing(programs, url), urls.values()), strict=True))


@pytest.mark.parametrize("way", ["middleware", "proxy of stdio", "proxy of HTTP"])
def test_what_passes_directly_passes(outcomes, way):
    assert len(outcomes["direct"]) >= 25, outcomes["direct"]
    assert outcomes["direct"] - outcomes[way] == set()
