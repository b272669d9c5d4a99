"""Names that a provider refuses are replaced, and lead back to the server's own; two servers never share one."""

from __future__ import annotations

import itertools
import json
import pathlib
import re
import sys

import pytest
from conftest import inside, said, spec
from hypothesis import given
from hypothesis import strategies as st
from mulligan_proxy.names import accepted_name, prefixes_of

ECHO = str(pathlib.Path(__file__).parent / "servers" / "named.py")
ACCEPTED = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
ODD = [
    "files.read",
    "read file",
    "a/b",
    "\u043f\u0440\u0438\u0432\u0435\u0442",
    "7zip",
    "x" * 65,
    "x" * 66,
    "",
    "a b",
    "a_b",
    "-",
]


@given(st.text())
def test_every_name_becomes_one_that_providers_accept(name):
    offered = accepted_name(name)
    assert ACCEPTED.fullmatch(offered)
    assert accepted_name(offered) == offered


@pytest.mark.parametrize("name", ["read_file", "get-sum", "_x", "a__b", "x" * 64])
def test_a_name_that_is_accepted_stays(name):
    assert accepted_name(name) == name


def test_names_that_would_look_alike_stay_apart():
    assert len({accepted_name(name) for name in ODD}) == len(ODD)


@given(
    st.lists(st.one_of(st.text(), st.text("ab_", max_size=4)), unique=True, min_size=2, max_size=4),
    st.text("ab_", max_size=4),
)
def test_a_name_has_one_way_of_being_read(servers, tool):
    prefixes = list(prefixes_of(servers).values())
    assert len(set(prefixes)) == len(servers)
    for one, other in itertools.permutations(prefixes, 2):
        assert not (one + tool).startswith(other) or one == other


@pytest.mark.anyio
async def test_a_renamed_tool_reaches_the_servers_own():
    names = [name for name in ODD if name]
    async with inside(spec("odd", sys.executable, ECHO, json.dumps(names))) as client:
        offered = [tool.name for tool in (await client.list_tools()).tools]
        assert offered == [accepted_name(name) for name in names]
        assert [said(await client.call_tool(name, {})) for name in offered] == names


@pytest.mark.anyio
async def test_servers_with_the_same_tools_and_odd_names_stay_apart():
    named = ("my files", "my_files", "a", "a__b", "7")
    specs = [spec(name, sys.executable, ECHO, '["b__c", "c", "x.y"]', name) for name in named]
    async with inside(*specs) as client:
        offered = [tool.name for tool in (await client.list_tools()).tools]
        assert len(set(offered)) == 15
        assert all(ACCEPTED.fullmatch(name) for name in offered)
        assert {"my_files__c", "a__b__c", "a__c", "a_b__b__c"} <= set(offered)
        told = {said(await client.call_tool(name, {})) for name in offered}
        assert told == {f"{server}: {tool}" for server in named for tool in ("b__c", "c", "x.y")}
