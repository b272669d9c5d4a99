"""What the adapter reads of Haystack that it does not promise: each test fails with a sentence if it has changed."""

import inspect

from haystack.components.agents import agent as agents
from haystack.components.agents import tool_calling
from haystack.components.agents.state import State
from haystack.hooks import hook
from haystack.tools import create_tool_from_function
from scripted import agent, call, play


def look(path: str) -> str:
    """Look."""
    return path


def test_a_hook_is_given_the_list_in_which_names_are_looked_up():
    @hook
    def add(state: State) -> None:
        state.data["tools"].append(create_tool_from_function(look, name="later"))

    played = play(agent([look], [call("c1", "later", {"path": "a"})], hooks={"before_tool": [add]}))
    assert played.answers == {"c1": "a"}, "names are looked up elsewhere; correct Guard._prepare in hook.py"


def test_a_tool_is_given_a_copy_of_the_arguments():
    class Marked(dict):
        def copy(self):
            return {"path": "marked"}

    tool = create_tool_from_function(look)
    prepared = tool_calling._prepare_tool_args(tool=tool, tool_call_arguments=Marked(path="a"), state=State(schema={}))
    assert prepared == {"path": "marked"}, "arguments are not copied by copy(); correct Arguments in calls.py"


def test_tools_are_run_by_the_methods_that_a_twin_replaces():
    for function, method in (("_run_tool", ".invoke(**args)"), ("_run_tool_async", ".invoke_async(**args)")):
        assert f"tool{method}" in inspect.getsource(tool_calling), f"{function} runs tools otherwise; correct guarded"
    for name in ("_run_step", "_run_step_async"):
        source = inspect.getsource(getattr(agents.Agent, name))
        hooks = [source.index(point) for point in ("BEFORE_TOOL", "_run_tool", "AFTER_TOOL")]
        assert hooks == sorted(hooks), f"{name} has its hooks elsewhere; correct Guard.run in hook.py"
