"""What the adapter reads of the SDK without being promised it. Each test fails with the place to look at."""

import asyncio
import copy
import inspect

import agents._debug
import agents.tool
import pytest
from agents import (
    Agent,
    AgentHooks,
    AgentsException,
    Handoff,
    ModelBehaviorError,
    RunContextWrapper,
    Runner,
    RunState,
    default_tool_error_function,
    function_tool,
    handoff,
)
from agents.agent_tool_state import get_agent_tool_state_scope, peek_agent_tool_run_result
from agents.mcp import MCPServerStdio, MCPUtil
from agents.run_internal.tool_execution import function_needs_approval
from agents.run_internal.turn_preparation import get_handoffs
from agents.testing import ScriptedModel
from agents.tool import invoke_function_tool, set_function_tool_failure_error_function
from agents.tool_context import ToolContext
from mcp.types import Tool as McpTool
from scripted import SILENT, call, say


def moved(what, where):
    return f"openai-agents has moved: {what}. Correct {where} in mulligan_openai_agents, then the upper bound."


@function_tool
def read_page(path: str) -> str:
    """Read a page."""
    raise FileNotFoundError(2, "No such file or directory", path)


def context_of(tool, arguments):
    return ToolContext(None, tool_name=tool.name, tool_call_id="c1", tool_arguments=arguments)


def raised_by(tool, arguments):
    set_function_tool_failure_error_function(tool, None)
    with pytest.raises(Exception) as caught:
        asyncio.run(invoke_function_tool(function_tool=tool, context=context_of(tool, arguments), arguments=arguments))
    return caught.value


def test_a_tool_made_of_a_function_is_known_by_its_invoker():
    why = moved("the invoker of a function tool binds itself otherwise", "Guarded.worded_by_sdk and Guarded._invoker")
    assert hasattr(read_page.on_invoke_tool, "__agents_bind_function_tool__"), why
    impl = getattr(read_page.on_invoke_tool, "_invoke_tool_impl", None)
    assert callable(getattr(impl, "__agents_prepare_arguments__", None)), why
    assert inspect.isfunction(getattr(read_page, "__wrapped__", None)), moved("__wrapped__ is gone", "_lenient")


def test_a_tool_made_of_a_sync_function_is_known_by_its_mark():
    @function_tool
    async def later() -> str:
        """Later."""
        return "later"

    marks = [
        getattr(copy.copy(tool).on_invoke_tool, "__agents_sync_function_tool__", False) for tool in (read_page, later)
    ]
    assert marks == [True, False], moved("the mark of a sync function has another name", "tools._SYNC")


def test_what_the_sdk_decides_about_an_approval_is_asked_as_it_asks():
    async def large(context, arguments, call_id):
        return arguments["amount"] > 100

    @function_tool(needs_approval=large)
    def pay(amount: int) -> str:
        """Pay."""
        return "paid"

    async def outcome(text):
        return (await function_needs_approval(pay, RunContextWrapper(None), call("c1", "pay", text))).outcome

    outcomes = [asyncio.run(outcome(f'{{"amount": {amount}}}')) for amount in (5, 500)]
    assert outcomes == ["invoke", "require_approval"], moved("approvals are decided otherwise", "_Guard.ask")


def test_the_handoffs_that_can_be_used_now_are_listed_as_the_sdk_lists_them():
    switched_off = handoff(Agent(name="b"), is_enabled=lambda context, agent: False)
    agent = Agent(name="front", handoffs=[Agent(name="a"), switched_off])
    named = [one.tool_name for one in asyncio.run(get_handoffs(agent, RunContextWrapper(None)))]
    assert named == ["transfer_to_a"], moved("handoffs are listed otherwise", "GuardedAgent.get_all_tools")


def test_what_the_sdk_puts_around_an_exception(monkeypatch):
    why = moved("exceptions of tools are wrapped otherwise", "tools._SDK_WRAPPERS")
    assert type(raised_by(copy.copy(read_page), '{"path": "a"}')) is FileNotFoundError, why
    monkeypatch.setattr(agents._debug, "DONT_LOG_TOOL_DATA", False)
    invalid = raised_by(copy.copy(read_page), '{"path": 1}')
    assert type(invalid) is ModelBehaviorError and invalid.__cause__ is not None, why


def test_what_the_sdk_puts_around_an_exception_of_a_server():
    class Broken(MCPServerStdio):
        async def call_tool(self, *args, **options):
            raise OSError("gone")

    tool = McpTool(name="leave", input_schema={"type": "object"})
    with pytest.raises(AgentsException) as caught:
        asyncio.run(MCPUtil.invoke_mcp_tool(Broken({"command": "none"}), tool, RunContextWrapper(None), "{}"))
    why = moved("exceptions of MCP servers are wrapped otherwise", "tools._SDK_WRAPPERS")
    assert type(caught.value) is AgentsException and isinstance(caught.value.__cause__, OSError), why


def test_the_mark_of_a_default_failure_text():
    why = moved("the mark of a failure text has another name", "tools._GENERATED")
    assert agents.tool._DEFAULT_FAILURE_HANDLED_ATTR == "_function_tool_default_failure_handled", why
    text = "An error occurred while running the tool. Please try again."
    assert default_tool_error_function(context_of(read_page, "{}"), ValueError("x")) == text


def test_the_interruptions_of_an_agent_that_is_a_tool_are_found():
    seen = []

    @function_tool(needs_approval=True)
    def pay() -> str:
        """Pay."""
        return "paid"

    inner = Agent(name="inner", tools=[pay], model=ScriptedModel([[call("i1", "pay")]]))
    tool = inner.as_tool("ask", "Ask.")
    invoke = tool.on_invoke_tool

    async def peeking(context: ToolContext, arguments: str):
        value = await invoke(context, arguments)
        seen.append(peek_agent_tool_run_result(context.tool_call, scope_id=get_agent_tool_state_scope(context)))
        return value

    tool.on_invoke_tool = peeking
    outer = Agent(name="outer", tools=[tool], model=ScriptedModel([[call("o1", "ask", {"input": "go"})]]))
    asyncio.run(Runner.run(outer, "go", run_config=SILENT))
    (result,) = seen
    assert len(result.interruptions) == 1, moved("nested runs are kept otherwise", "Execution._execute")


def test_a_handoff_refers_to_its_agent():
    agent = Agent(name="worker")
    made = handoff(agent)
    assert isinstance(made, Handoff)
    assert made._agent_ref() is agent, moved("a handoff finds its agent otherwise", "_Guard._handoff")


def test_when_the_sdk_asks_for_the_tools_and_calls_the_hooks():
    """The tools are asked for before the model is, and before a run goes on; the hooks are called around the model."""
    seen = []

    @function_tool(needs_approval=True)
    def pay() -> str:
        """Pay."""
        seen.append("ran")
        return "paid"

    class Hooks(AgentHooks):
        async def on_llm_start(self, context, agent, system_prompt, input_items):
            seen.append("start")

        async def on_llm_end(self, context, agent, response):
            seen.append("end")

    class Watched(Agent):
        async def get_all_tools(self, run_context):
            seen.append("tools")
            return await super().get_all_tools(run_context)

    model = ScriptedModel([[call("c1", "pay")], [say("Done.")]])
    agent = Watched(name="worker", tools=[pay], model=model, hooks=Hooks())

    async def run():
        result = await Runner.run(agent, "go", run_config=SILENT)
        state = result.to_state()
        assert isinstance(state, RunState)
        state._context.mark = vars(result.context_wrapper).get("mark")
        state.approve(result.interruptions[0])
        return await Runner.run(agent, state, run_config=SILENT)

    asyncio.run(run())
    expected = ["tools", "start", "end", "tools", "ran", "tools", "start", "end"]
    assert seen == expected, moved("the order of a turn", "GuardedAgent.get_all_tools and _Hooks")


def test_a_paused_run_keeps_what_is_on_its_context():
    @function_tool(needs_approval=True)
    def pay() -> str:
        """Pay."""
        return "paid"

    agent = Agent(name="worker", tools=[pay], model=ScriptedModel([[call("c1", "pay")], [say("Done.")]]))

    async def run():
        result = await Runner.run(agent, "go", run_config=SILENT)
        result.context_wrapper.mark = "kept"
        state = result.to_state()
        state.approve(result.interruptions[0])
        return (await Runner.run(agent, state, run_config=SILENT)).context_wrapper

    context = asyncio.run(run())
    assert getattr(context, "mark", None) == "kept", moved("a paused run has a new context", "_Guard.run")
