"""How one call is made in each framework, up to the text that its model reads.

Each function takes async functions as tools and gives back a coroutine function of a tool's name and the arguments as the
model wrote them. What a framework leaves to its caller is done in the cheapest way: arguments that it wants as a dict are
read by `json.loads`, an exception that it lets through becomes one line. The context of a run is made once, that of a call
for each call, as in the framework's own loop.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import floor

ToolFunction = Callable[..., Awaitable[Any]]
Call = Callable[[str, str], Awaitable[str]]


def tools(count: int) -> list[ToolFunction]:
    """The async tools of the floor, and as many more as that makes."""
    more = (_named(f"tool_{n}") for n in range(count - 3))
    return [floor.search_issues_async, floor.read_file_async, floor.wait, *more]


def _named(name: str) -> ToolFunction:
    async def tool(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    tool.__name__ = tool.__qualname__ = name
    return tool


async def mulligan(tools: list[ToolFunction]) -> Call:
    """mulligan with every installed package, and everything else as it comes."""
    from mulligan import Pipeline

    acall = Pipeline(tools).acall

    async def call(name: str, text: str) -> str:
        return (await acall(name, text)).content

    return call


async def pydantic_ai(tools: list[ToolFunction]) -> Call:
    """The tool manager of one step of an agent's run."""
    from pydantic_ai import FunctionToolset, RunContext, RunUsage
    from pydantic_ai.exceptions import ToolRetryError
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.tool_manager import ToolManager

    endless = 10**9
    context = RunContext(deps=None, model=TestModel(), usage=RunUsage(), run_step=1)
    toolset = FunctionToolset(tools, max_retries=endless)
    manager = await ToolManager(toolset, default_max_retries=endless).for_run_step(context)

    async def call(name: str, text: str) -> str:
        try:
            return str(await manager.handle_call(ToolCallPart(name, text, "call_1")))
        except ToolRetryError as retry:
            return retry.tool_retry.model_response_str()
        except Exception as error:
            return f"Error: {error}"

    return call


async def openai_agents(tools: list[ToolFunction]) -> Call:
    """A function tool of OpenAI Agents."""
    from agents import function_tool
    from agents.tool import invoke_function_tool
    from agents.tool_context import ToolContext

    logging.getLogger("openai.agents").setLevel(logging.CRITICAL)
    table = {tool.__name__: function_tool(tool) for tool in tools}

    async def call(name: str, text: str) -> str:
        context = ToolContext(None, tool_name=name, tool_call_id="call_1", tool_arguments=text)
        return str(await invoke_function_tool(function_tool=table[name], context=context, arguments=text))

    return call


async def adk(tools: list[ToolFunction]) -> Call:
    """A function tool of ADK, which takes a dict."""
    from google.adk.agents.invocation_context import InvocationContext
    from google.adk.sessions import InMemorySessionService
    from google.adk.tools import FunctionTool, ToolContext

    service = InMemorySessionService()
    session = await service.create_session(app_name="bench", user_id="user")
    run = InvocationContext(session_service=service, invocation_id="run_1", session=session)
    table = {tool.__name__: FunctionTool(tool) for tool in tools}

    async def call(name: str, text: str) -> str:
        try:
            context = ToolContext(run, function_call_id="call_1")
            return str(await table[name].run_async(args=json.loads(text), tool_context=context))
        except Exception as error:
            return f"Error: {error}"

    return call


async def langgraph(tools: list[ToolFunction]) -> Call:
    """The tool node of LangGraph, which takes a dict."""
    from langchain_core.tools import StructuredTool
    from langgraph.prebuilt import ToolNode
    from langgraph.runtime import Runtime

    node = ToolNode([StructuredTool.from_function(coroutine=tool) for tool in tools], handle_tool_errors=True)
    config = {"configurable": {"__pregel_runtime": Runtime()}}

    async def call(name: str, text: str) -> str:
        asked = {"type": "tool_call", "name": name, "args": json.loads(text), "id": "call_1"}
        answered = await node.ainvoke([asked], config)
        return str(answered["messages"][0].content)

    return call


class Framework(NamedTuple):
    """One framework: its name, its distribution, how a call is made, and the rows in which its caller has to answer."""

    title: str
    distribution: str
    make: Callable[[list[ToolFunction]], Awaitable[Call]]
    leaves_to_caller: tuple[str, ...] = ()


FRAMEWORKS = {
    "pydantic-ai": Framework("Pydantic AI", "pydantic-ai-slim", pydantic_ai),
    "openai-agents": Framework("OpenAI Agents", "openai-agents", openai_agents, ("unknown name",)),
    "adk": Framework("ADK", "google-adk", adk, ("malformed JSON", "unknown name")),
    "langgraph": Framework("LangGraph", "langgraph", langgraph, ("malformed JSON",)),
}


async def make(name: str, tools: list[ToolFunction]) -> Call:
    """How mulligan or the framework of this name calls these tools."""
    return await (mulligan if name == "mulligan" else FRAMEWORKS[name].make)(tools)


def first_call(name: str) -> None:
    """Makes twenty tools and calls one, for a fresh process."""

    async def run() -> None:
        call = await make(name, tools(20))
        await call("search_issues_async", floor.TEXT)

    asyncio.run(run())
