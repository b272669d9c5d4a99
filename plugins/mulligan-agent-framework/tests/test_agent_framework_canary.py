"""What the adapter reads of Agent Framework that it does not promise: each test fails with a sentence if it has changed."""

import importlib
import inspect

import agent_framework
import pytest
from agent_framework import (
    FunctionInvocationLayer,
    FunctionTool,
    MiddlewareBundle,
    _middleware,
    _tools,
    chat_middleware,
    tool,
)
from mulligan_agent_framework import Mulligan
from mulligan_agent_framework.calls import CONTROL_FLOW, StandIn, is_sync
from scripted import agent, call, play


def look(path: str) -> str:
    """Look."""
    return path


def test_chat_middleware_is_given_the_list_in_which_names_are_looked_up():
    @chat_middleware
    async def adds(context, call_next):
        await call_next()
        context.options["tools"].append(tool(look, name="later"))

    played = play(agent([look], [call("c1", "later", {"path": "a"})], middleware=[adds]))
    assert played.answers == {"c1": "a"}, "names are looked up elsewhere; correct _Run.note_calls in middleware.py"


def test_the_options_of_a_request_are_those_of_the_loop():
    @chat_middleware
    async def adds(context, call_next):
        await call_next()
        context.options["tools"] = [tool(look)]

    played = play(agent([], [call("c1", "look", {"path": "a"})], middleware=[adds]))
    assert played.answers == {"c1": "a"}, "options are copied; correct _Run.note_calls for agents without tools"


def test_a_sync_tool_is_run_by_the_method_that_a_twin_replaces():
    source = inspect.getsource(FunctionTool._invoke_function)
    assert "asyncio.to_thread(self.__call__, **call_kwargs)" in source, "correct _abandonable in calls.py"
    assert "_invoke_sync_on_event_loop" in source, "a tool is kept on the loop otherwise; correct is_sync in calls.py"
    assert "self._invoke_function(call_kwargs)" in inspect.getsource(FunctionTool.invoke), "correct _abandonable"
    assert is_sync(tool(look)) and not is_sync(agent([look]).as_tool(name="helper"))


def test_no_arguments_fit_a_stand_in():
    with pytest.raises(_tools._FunctionArgumentValidationError):
        StandIn("look", None)._prepare_arguments({"path": "a"})
        pytest.fail("arguments of a stand-in would not be read by the tool; correct _NEVER_SENT in calls.py")


def test_what_the_framework_steers_with_is_there():
    names = [name.rpartition(".") for name in CONTROL_FLOW if isinstance(name, str)]
    for module, _, name in names:
        found = getattr(importlib.import_module(module), name, None)
        assert found is not None and found.__module__ == module, (
            f"{name} is elsewhere; correct CONTROL_FLOW in calls.py"
        )


def test_refused_arguments_are_named_as_before():
    assert hasattr(_tools, "_FunctionArgumentValidationError"), "correct ToolAttempt.failure in calls.py"
    source = inspect.getsource(FunctionInvocationLayer)
    assert "_resolve_approval_responses" in source, "approved calls are made elsewhere; correct _Run.open_step"


def test_a_bundle_is_split_into_its_members():
    members = _middleware.categorize_middleware([Mulligan()])
    counts = {kind: len(listed) for kind, listed in members.items()}
    assert counts == {"agent": 1, "function": 1, "chat": 1}, "a bundle is no longer split; correct Mulligan"
    assert issubclass(Mulligan, MiddlewareBundle)


def test_a_tool_reads_the_kwargs_of_a_run_and_a_client_those_of_a_request():
    seen = {}

    @agent_framework.function_middleware
    async def calls(context, call_next):
        seen["call"] = context.kwargs.get("mark")
        await call_next()

    @chat_middleware
    async def requests(context, call_next):
        seen["request"] = context.kwargs.pop("mark", None)
        await call_next()

    marks = {"function_invocation_kwargs": {"mark": 1}, "client_kwargs": {"mark": 2}}
    play(agent([look], [call("c1", "look", {"path": "a"})], middleware=[calls, requests]), **marks)
    assert seen == {"call": 1, "request": 2}, "a run reaches its calls otherwise; correct _Runs.process"
