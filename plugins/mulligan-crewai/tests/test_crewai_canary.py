"""What the adapter reads of CrewAI that it does not promise: each test fails with a sentence if it has changed."""

import inspect

from crewai import Agent, Crew, Process, Task
from crewai.agents.agent_executor import AgentExecutor
from crewai.agents.step_executor import StepExecutor
from crewai.mcp import MCPClient
from crewai.tools import tool_usage
from crewai.tools.mcp_native_tool import MCPNativeTool
from crewai.tools.mcp_tool_wrapper import MCPToolWrapper
from crewai.utilities import agent_utils, tool_utils
from crewai_play import agent, as_tool, play, script
from mulligan_crewai import wrap


def look(path: str) -> str:
    """Look."""
    return path


def source(thing):
    return inspect.getsource(getattr(thing, "unwrap", lambda: thing)())


def test_where_executors_are_made():
    one = agent([look])
    made = one._prepare_kickoff("Go.")
    assert type(made[0]) is AgentExecutor, "_prepare_kickoff returns something else; correct _guarded in guard.py"
    one.create_agent_executor()
    assert type(one.agent_executor) is AgentExecutor, "create_agent_executor makes no executor; correct guard.py"


def test_how_a_flow_finds_its_methods():
    one = wrap(agent([look]))
    executor = one._prepare_kickoff("Go.")[0]
    for name in ("execute_native_tool", "execute_tool_action"):
        bound = executor._methods.get(name)
        assert getattr(bound, "__func__", None) is getattr(type(executor), name), (
            f"the flow runs another {name}; correct Guard.guard in executors.py"
        )


def test_how_native_calls_are_made():
    text = source(AgentExecutor.execute_native_tool)
    assert "self._execute_single_native_tool_call" in text, "calls are made elsewhere; correct executors.py"
    text = source(AgentExecutor._execute_single_native_tool_call)
    for part in ("self._tool_name_mapping", "self._available_functions[func_name]", "tool_func(**args_dict)"):
        assert part in text.replace('getattr(self, "_tool_name_mapping", None)', "self._tool_name_mapping"), (
            f"native calls do not use {part} any more; correct _guarded in executors.py"
        )


def test_how_calls_in_text_are_made():
    for text in (source(AgentExecutor.execute_tool_action), source(StepExecutor._execute_text_tool_with_events)):
        assert "tools=self.tools" in text, (
            "tools of calls in text come from elsewhere; correct _stand_in in executors.py"
        )
    assert "self._handle_agent_action(action, tool_result)" in source(AgentExecutor.execute_tool_action), (
        "answers are read elsewhere; correct _guarded in executors.py"
    )
    assert "sorted(\n            self.tools," in source(tool_usage.ToolUsage._select_tool), (
        "names are looked up otherwise; correct _stand_in in executors.py"
    )
    assert "tool.invoke(" in source(tool_usage.ToolUsage._use), "tools are run otherwise; correct TextTool in tools.py"
    assert "ToolUsage(" in source(tool_utils.execute_tool_and_check_finality), "ToolUsage is not used; see executors.py"


def test_how_steps_of_a_plan_make_calls():
    text = source(StepExecutor._execute_native_tool_calls)
    parts = ("for tool_call in tool_calls:", "available_functions=self._available_functions", "self.original_tools")
    for part in parts:
        assert part in text, f"steps do not use {part} any more; correct _Steps in executors.py"
    assert "build_tool_calls_assistant_message(tool_calls)" in text, "the message is made elsewhere; correct _Steps"
    assert "_execute_text_tool_with_events(formatted" in source(StepExecutor._execute_text_parsed), "correct _Steps"
    assert "StepExecutor(" in source(AgentExecutor._ensure_step_executor), (
        "correct _ensure_step_executor in executors.py"
    )


def test_the_id_of_a_call_without_one():
    class Part:
        function_call = type("Call", (), {"name": "look", "args": {}})()

    part = Part()
    assert agent_utils.extract_tool_call_info(part)[0] == f"call_{id(part)}", (
        "ids are made otherwise; correct Message.native_call in calls.py"
    )


def test_a_crew_keeps_the_manager_that_it_has():
    task = Task(description="Do it.", expected_output="It is done.")
    made = Crew(agents=[agent([])], tasks=[task], process=Process.hierarchical, manager_llm=script("Done."))
    made._create_manager_agent()
    manager = made.manager_agent
    assert isinstance(manager, Agent), "a crew has no manager any more; correct wrap in guard.py"
    play(made)
    assert made.manager_agent is manager, "a crew makes another manager; correct wrap in guard.py"


def test_what_repeats_calls_of_mcp_servers():
    assert "for attempt in range(self.max_retries)" in source(MCPClient._retry_operation), (
        "correct call_once in tools.py"
    )
    assert "self._client_factory()" in source(MCPNativeTool._run_async), "clients are made elsewhere; correct call_once"
    assert "self._retry_with_exponential_backoff" in source(MCPToolWrapper._run_async), "correct call_once in tools.py"


def test_a_feedback_round_is_told_from_a_new_run():
    assert "self._is_feedback_iteration = True" in source(AgentExecutor._prepare_feedback_iteration), (
        "rounds of feedback are marked otherwise; correct kickoff_async in executors.py"
    )


def test_a_tool_is_found_by_its_sanitized_name():
    played = play(agent([as_tool(look)], [("c1", "Look", {"path": "a"})], native=False))
    assert played.answers["c1"] == "a", "names are read otherwise; correct by_name in tools.py"
