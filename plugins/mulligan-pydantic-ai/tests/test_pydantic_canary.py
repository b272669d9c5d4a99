"""What the adapter reads of Pydantic AI that it does not promise: each test fails with a sentence if it has changed."""

import asyncio
import pathlib
import sys
import time

from fastmcp.client.transports import StdioTransport
from mulligan_pydantic_ai.calls import MCP_MODULE, annotations_of, raising_module, runs_in_thread
from pydantic_ai import Agent, ModelRetry, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.toolsets import FunctionToolset, WrapperToolset
from scripted import Script, call, play, say

DONE = [say("Done.")]


class Watching(AbstractCapability):
    """Keeps what the toolsets raise, the tools, and what is asked about names."""

    def __init__(self):
        self.raised, self.tools, self.validated = [], {}, []

    def get_wrapper_toolset(self, toolset):
        watching = self

        class Noting(WrapperToolset):
            async def call_tool(self, name, tool_args, ctx, tool):
                watching.tools[name] = tool
                try:
                    return await super().call_tool(name, tool_args, ctx, tool)
                except Exception as error:
                    watching.raised.append(error)
                    raise

        return Noting(toolset)

    async def after_model_request(self, ctx, *, request_context, response):
        self.manager = ctx.tool_manager
        return response

    async def wrap_tool_validate(self, ctx, *, call, tool_def, args, handler):
        self.validated.append(call.tool_name)
        return await handler(args)


def waits(path: str) -> str:
    """Wait."""
    time.sleep(0.2)
    return path


async def refuses(path: str) -> str:
    """Refuse."""
    raise ModelRetry("Give another path.")


def test_where_a_deadline_is_raised():
    watching = Watching()
    agent = Agent(tools=[Tool(waits, timeout=0.02)], capabilities=[watching])
    play(agent, Script([call("c1", "waits", {"path": "a"})], DONE))
    (error,) = watching.raised
    assert isinstance(error, ModelRetry)
    where = raising_module(error)
    assert where == FunctionToolset.__module__, (
        f"a deadline is raised elsewhere; correct ErrorReportingToolset: {where}"
    )


def test_where_an_author_raises():
    watching = Watching()
    play(Agent(tools=[refuses], capabilities=[watching]), Script([call("c1", "refuses", {"path": "a"})], DONE))
    assert raising_module(watching.raised[0]) == __name__, "an author's words look like the framework's own"


def test_where_a_server_of_mcp_is_heard_and_what_it_says_of_its_tools():
    watching = Watching()
    server = str(pathlib.Path(__file__).with_name("mcp_server.py"))
    script = Script([call("c1", "count_lines", {"path": "b", "limit": 1})], DONE)

    async def run():
        async with MCPToolset(StdioTransport(sys.executable, [server])) as tools:
            await Agent(toolsets=[tools], capabilities=[watching]).run("go", model=script.model)

    asyncio.run(run())
    where = raising_module(watching.raised[0])
    assert where == MCP_MODULE, f"a server's error is raised elsewhere; correct MCP_MODULE in calls.py: {where}"
    hints = annotations_of(watching.tools["count_lines"].tool_def)
    assert hints is not None, "the hints of a server are elsewhere; correct annotations_of in calls.py"
    assert hints["readOnlyHint"] is True, f"hints have other names; correct annotations_of in calls.py: {hints}"


def test_how_sync_functions_are_told_from_async_ones():
    watching = Watching()
    calls = [call("c1", "waits", {"path": "a"}), call("c2", "refuses", {"path": "a"})]
    play(Agent(tools=[waits, refuses], capabilities=[watching]), Script(calls, DONE))
    found = {name: runs_in_thread(tool) for name, tool in watching.tools.items()}
    assert found == {"waits": True, "refuses": False}, "is_async is elsewhere; correct runs_in_thread in calls.py"


def test_that_a_capability_can_answer_for_names_that_no_tool_has():
    from mulligan_pydantic_ai.capability import _stand_in

    class Adding(Watching):
        async def after_model_request(self, ctx, *, request_context, response):
            manager = ctx.tool_manager
            manager.tools = {**manager.tools, "gone": _stand_in("gone", manager.toolset)}
            return response

    watching = Adding()
    play(Agent(tools=[waits], capabilities=[watching]), Script([call("c1", "gone", {})], DONE))
    assert watching.validated == ["gone"], "names are looked up elsewhere; correct after_model_request in capability.py"


def test_what_is_raised_when_the_retries_are_used_up():
    calls = [[call(f"c{turn}", "refuses", {"path": "a"})] for turn in range(3)]
    error = play(Agent(tools=[refuses]), Script(*calls, DONE)).error
    assert isinstance(error, UnexpectedModelBehavior), f"correct Execution.failure in calls.py: {error!r}"
