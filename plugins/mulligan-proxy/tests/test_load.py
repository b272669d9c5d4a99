"""Many calls of many clients at once: none is lost. The bench script makes ten times as many."""

from __future__ import annotations

import pathlib
import sys

import pytest
from conftest import PATHS

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "bench"))
import load

pytestmark = pytest.mark.anyio


async def test_a_thousand_mixed_calls_of_fifty_clients_lose_none(programs, monkeypatch):
    monkeypatch.setenv("PATH", PATHS)
    ended = await load.load(programs, 1_000, 50)
    assert ended == {"as they should": 1_000, "otherwise": 0, "lost": 0}
