"""Tools of MCP servers: what a server says of them is not believed, and CrewAI's client does not repeat their calls."""

import pathlib
import subprocess
import sys

import pytest
from crewai.mcp.config import MCPServerHTTP
from crewai.tools.mcp_tool_wrapper import MCPToolWrapper
from crewai.tools.tool_failure import ToolFailure, ToolFailureReason
from crewai_play import agent, play
from mulligan_crewai import wrap
from pydantic import create_model

pytestmark = pytest.mark.filterwarnings("ignore:Use `streamable_http_client` instead:DeprecationWarning")


class Served:
    def __init__(self, port, file):
        self.url, self._file = f"http://127.0.0.1:{port}/mcp", file

    @property
    def ran(self):
        ran = self._file.read_text().split()
        self._file.write_text("")
        return ran


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    file = tmp_path_factory.mktemp("served") / "ran"
    file.touch()
    command = [sys.executable, pathlib.Path(__file__).with_name("mcp_server.py"), file]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Served(int(process.stdout.readline()), file)
        process.stdin.close()


def as_config(url):
    return {"mcps": [MCPServerHTTP(url=url)]}


def as_wrapper(url):
    """What CrewAI makes of a server that is given as a text."""
    schema = {"description": "Send a text.", "args_schema": create_model("Send", text=(str, ...))}
    tool = MCPToolWrapper({"url": url}, "send", schema, "post")
    return {"tools": [tool]}


def named(one, name):
    found = [tool.name for tool in one.tools if tool.name.endswith(name)]
    return found[0] if found else name


def sending(given, served, text="a", **options):
    given = given(served.url)
    one = agent(given.pop("tools", []), lambda _: [("c1", named(one, "send"), {"text": text})], **options, **given)
    return one


MODES = pytest.mark.parametrize("native", [True, False], ids=["native", "text"])


@MODES
@pytest.mark.parametrize("given", [as_config, as_wrapper])
def test_a_tool_with_an_untrusted_hint_runs_once(given, native, served):
    played = play(wrap(sending(given, served, native=native)))
    assert served.ran == ["a"]
    assert "may have taken effect" in played.answers["c1"] and played.answers["c1"].startswith("Error executing tool")


@MODES
def test_what_the_host_says_counts(native, served):
    one = wrap(sending(as_wrapper, served, native=native), tool_options={"*send": {"read_only": True}})
    play(one)
    assert served.ran == ["a", "a", "a"]


@MODES
def test_a_failure_that_is_over_is_not_held_against_the_call(native, served):
    one = wrap(sending(as_wrapper, served, "late", native=native), tool_options={"*send": {"read_only": True}})
    assert play(one).answers["c1"].startswith("sent") and served.ran == ["late", "late"]


def test_crewai_alone_repeats_it(served):
    play(sending(as_wrapper, served))
    assert served.ran == ["a", "a", "a"]


@MODES
def test_a_failure_that_a_server_reports_is_explained(native):
    def look(path: str) -> object:
        """Look."""
        return ToolFailure(message="No such file or directory", reason=ToolFailureReason.MCP_ERROR)  # as MCPNativeTool

    played = play(wrap(agent([look], [("c1", "look", {"path": "a"})], native=native)))
    assert played.answers["c1"].startswith("Error executing tool look: ")
    assert "No such file or directory" in played.answers["c1"] and "Next:" in played.answers["c1"]
    assert [record.failure.reason for record in played.result.tool_failures] == ["mcp_error"]
