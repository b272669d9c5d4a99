"""Options of tools in a configuration file, read by the proxy: the host's word about the tools of a server."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest
from conftest import inside, program, proxied, said, spec
from mulligan_proxy import ProxyOptions
from mulligan_proxy.cli import main

from mulligan import Pipeline, ToolOptions
from mulligan.pipeline.config import read_tool_options

pytestmark = pytest.mark.anyio
FLAKY = (sys.executable, str(pathlib.Path(__file__).parent / "servers" / "flaky.py"))
READS = '[tools."re*"]\nread_only = true\n'


@pytest.fixture(autouse=True)
def house(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def runs_of(client, *names):
    """How often each tool has really run, after one call of each."""
    for name in names:
        await client.call_tool(name, {})
    return json.loads(said(await client.call_tool("runs", {})))


@pytest.mark.parametrize("named", [False, True], ids=["nearest file", "named file"])
async def test_the_host_may_say_that_a_tool_only_reads(house, named):
    (house / ("options.toml" if named else "mulligan.toml")).write_text(READS)
    words = ("--tool-options", str(house / "options.toml")) if named else ()
    async with program(*proxied("--retry", *words, "--", *FLAKY, "stdio")) as client:
        assert await runs_of(client, "reads", "repeats", "writes") == {"reads": 2, "repeats": 2, "writes": 1}


async def test_the_project_file_is_read_too(house):
    (house / "pyproject.toml").write_text(READS.replace("[tools", "[tool.mulligan.tools"))
    async with program(*proxied("--retry", "--", *FLAKY, "stdio")) as client:
        assert await runs_of(client, "reads", "writes") == {"reads": 2, "writes": 1}


async def test_a_timeout_of_a_tool_replaces_that_of_the_proxy():
    options = ProxyOptions(timeout=0.3, tool_options={"hang": ToolOptions(timeout=1.5)})
    async with inside(spec(), options=options) as client:
        told = said(await client.call_tool("hang", {}))
    assert "No response within 1.5 s" in told


async def test_a_pattern_without_a_tool_is_in_the_log_once_every_server_is_there(log, house):
    (house / "mulligan.toml").write_text('[tools."a__ecko"]\ntimeout = 5\n[tools."b__*"]\ntimeout = 5\n')
    options = ProxyOptions(timeout=5.0, tool_options=read_tool_options())
    async with inside(spec("a"), spec("b"), options=options) as client:
        await client.call_tool("b__echo", {"text": "x"})
    told = [line for line in log if "no tool has such a name" in line]
    assert told == ["mulligan.toml, [tools.a__ecko]: no tool has such a name. Did you mean 'a__echo'?"]


async def test_a_tool_whose_options_contradict_its_server_is_left_out_and_named(log):
    one = spec("flaky", *FLAKY, "stdio", trusted=True)
    options = ProxyOptions(timeout=5.0, tool_options={"says_both": {"read_only": True}})
    async with inside(one, options=options) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
    assert "says_both" not in names
    assert "reads" in names
    assert any(
        line.startswith(
            "flaky: the tool 'says_both' is left out: tool_options['says_both']: tool 'says_both': read_only=True"
        )
        and line.endswith("add destructive=False")
        for line in log
    )


@pytest.mark.parametrize("option", [{"executor": "ray"}, {"killable": True}])
async def test_a_tool_that_its_server_runs_runs_nowhere_else(log, option):
    options = ProxyOptions(timeout=5.0, tool_options={"echo": option})
    async with inside(spec(), options=options) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
    (name,) = option
    assert "echo" not in names
    assert "hang" in names
    assert [line for line in log if "'echo' is left out" in line and f"remove {name}" in line] != []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[tools.read]\ntiemout = 5",
            "mulligan.toml, [tools.read]: unknown tool option 'tiemout' (did you mean 'timeout'?); available: ",
        ),
        ("[tools.read]\ntimeout = 0", "mulligan.toml, [tools.read]: timeout must be above zero seconds, not 0\n"),
    ],
)
def test_a_mistake_in_the_file_ends_the_proxy_before_it_starts(house, capsys, text, told):
    (house / "mulligan.toml").write_text(text)
    assert main(["--", "no-such-program"]) == 2
    assert capsys.readouterr().err.startswith(f"mulligan: {told}")


def test_a_format_that_does_not_exist_ends_the_proxy_too(house, capsys):
    (house / "mulligan.toml").write_text('[tools.read]\nformat = "loud"')
    assert main(["--", "no-such-program"]) == 2
    assert "mulligan.toml, [tools.read]: unknown feedback format 'loud'" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_named(capsys):
    assert main(["--tool-options", "nope.toml", "--", "no-such-program"]) == 2
    assert capsys.readouterr().err == "mulligan: configuration file 'nope.toml': no such file\n"


def test_nothing_else_of_the_file_is_used(house):
    (house / "mulligan.toml").write_text('plugins = ["nope.py"]\nformat = "json"\n' + READS)
    assert dict(read_tool_options()["re*"]) == {"read_only": True}
    assert (
        Pipeline(autoload=False, tool_options=read_tool_options())
        .call("x")
        .content.startswith("Error: Tool 'x' not found.")
    )
