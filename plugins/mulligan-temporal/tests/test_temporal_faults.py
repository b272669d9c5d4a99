"""Each fault of the table, for every kind of tool: class, effect, runs and the next call. `bench/faults.py` counts many."""

import asyncio
from collections.abc import Iterator

import pytest
from conftest import DevServer
from fault_cases import CASES, KINDS, observe


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[DevServer]:
    with DevServer(tmp_path_factory.mktemp("server") / "temporal.db") as started:
        yield started


TEXTS = {
    "frozen": "The worker that ran the tool was lost.",
    "ended": "The worker was ended while it ran the tool.",
    "argument": "The worker lacks a value that the tool needs. The tool was not run.",
    "large": "The tool ran, but its result is larger than Temporal accepts.",
    "pending": "No response within 4 s; the tool had not started.",
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_said_of_a_fault(name, server, tmp_path):
    case = CASES[name]
    seen = asyncio.run(observe(case, server.address, tmp_path, 2, server))
    assert [one.kind for one in seen] == [kind for kind in KINDS for _ in range(2)]
    for one in seen:
        assert one.is_right(case), one
        assert one.next_works, one
        assert TEXTS.get(name, "") in one.content
        assert "127.0.0.1" not in one.content
