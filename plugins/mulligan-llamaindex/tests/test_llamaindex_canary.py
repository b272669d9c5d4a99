"""What the adapter reads of LlamaIndex that it does not promise: each test fails with a sentence if it has changed."""

import asyncio
import inspect

import pytest
from llama_index.core.agent.workflow import AgentWorkflow, BaseWorkflowAgent
from llama_index.core.tools import FunctionTool, adapt_to_async_tool
from mulligan_llamaindex.calls import _is_sync
from scripted import agent, play

CLASSES = pytest.mark.parametrize("cls", [BaseWorkflowAgent, AgentWorkflow])


def look(path: str) -> str:
    """Look."""
    return path


async def alook(path: str) -> str:
    """Look."""
    return path


@CLASSES
def test_the_steps(cls):
    for name in ("init_run", "run_agent_step", "call_tool", "aggregate_tool_results"):
        step = getattr(cls, name, None)
        assert hasattr(step, "_step_config"), (
            f"{cls.__name__} has no step {name} any more; correct _guarded in workflow.py"
        )


@CLASSES
def test_how_a_step_calls_a_tool(cls):
    source = inspect.getsource(cls.call_tool)
    assert "self.get_tools(" in source, (
        f"{cls.__name__}.call_tool finds tools elsewhere; correct _guarded in workflow.py"
    )
    assert "await self._call_tool(ctx, tool, ev.tool_kwargs)" in source, "tools are run elsewhere; correct _guarded"
    names = list(inspect.signature(cls._call_tool).parameters)
    assert names == ["self", "ctx", "tool", "tool_input"], f"_call_tool has changed; correct _guarded: {names}"


def test_the_answers_of_a_message_are_in_the_store():
    for cls in (BaseWorkflowAgent, AgentWorkflow):
        source = inspect.getsource(cls.aggregate_tool_results)
        assert '"current_tool_calls"' in source, "the answers are elsewhere; correct Guard.end_step in workflow.py"


def test_how_sync_functions_are_told_from_async_ones():
    made = [
        FunctionTool.from_defaults(look),
        FunctionTool.from_defaults(alook),
        adapt_to_async_tool(FunctionTool.from_defaults(look)),
    ]
    assert [_is_sync(tool) for tool in made] == [True, False, True], (
        "wrappers have changed; correct _is_sync in calls.py"
    )


def test_what_an_awaited_tool_runs():
    tool, ran = FunctionTool.from_defaults(look), []

    async def noted(path):
        ran.append(path)
        return path

    tool._async_fn = noted
    asyncio.run(tool.acall(path="a"))
    assert ran == ["a"], (
        "FunctionTool.acall does not run _async_fn any more; correct ToolAttempt._abandonable in calls.py"
    )


def test_where_the_agent_at_work_is_named():
    played = play(AgentWorkflow(agents=[agent([look], name="first", description="The first.")]))
    name = asyncio.run(played.ctx.store.get("current_agent_name", default=None))
    assert name == "first", f"the agent at work is named elsewhere; correct Guard.conversation in workflow.py: {name}"
