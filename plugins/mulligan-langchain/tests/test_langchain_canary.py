"""What the adapter reads of LangChain and LangGraph that they do not promise: each test fails with a sentence if they have changed."""

import asyncio
import inspect
import pathlib
import sys

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware, ToolRetryMiddleware
from langchain_core.tools import BaseTool, tool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_script import answers, asked, model, says
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime, get_runtime
from mulligan_langchain.attempt import framework_words
from mulligan_langchain.gate import is_unknown


@tool
def fail(place: str) -> str:
    """Fail."""
    raise ValueError("It failed.")


class Watching(AgentMiddleware):
    """Keeps what goes in and out of the calls."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def wrap_tool_call(self, request, handler):
        self.seen.append((request, handler(request)))
        return self.seen[-1][1]


def test_how_an_unknown_name_is_answered():
    watching = Watching()
    create_agent(model(says(("c1", "fial", {}))), [fail], middleware=[watching]).invoke(asked())
    ((request, output),) = watching.seen
    assert is_unknown(output, request), (
        f"LangGraph words unknown names otherwise; correct is_unknown in gate.py: {output}"
    )


def test_how_an_exception_is_worded_by_a_node():
    builder = StateGraph(MessagesState)
    builder.add_node("tools", ToolNode([fail]))
    builder.add_edge(START, "tools")
    turn = says(("c1", "fail", {"wrong": "a"}))
    text = answers(builder.compile().invoke({"messages": [turn]})["messages"])["c1"].text
    expected = framework_words("fail")[0]
    assert text.startswith(expected), f"LangGraph words errors otherwise; correct framework_words in attempt.py: {text}"


def test_how_an_exception_is_worded_by_the_retry_middleware():
    middleware = [ToolRetryMiddleware(max_retries=0)]
    end = create_agent(model(says(("c1", "fail", {"place": "a"}))), [fail], middleware=middleware).invoke(asked())
    text, expected = answers(end["messages"])["c1"].text, framework_words("fail")[1]
    assert text.startswith(expected), (
        f"LangChain words retries otherwise; correct framework_words in attempt.py: {text}"
    )


@pytest.mark.parametrize(("outer", "inner"), [("run", "_run"), ("arun", "_arun")])
def test_which_methods_run_a_tool(outer, inner):
    source = inspect.getsource(getattr(BaseTool, outer))
    assert f"self.{inner}" in source, f"BaseTool.{outer} does not call {inner} any more; correct run_recorder.py"


def test_that_each_call_of_an_agent_is_a_task_of_its_own():
    """So that its interrupt, and the answer to that, are of this call alone."""
    watching = Watching()
    turn = says(("c1", "fail", {"place": "a"}), ("c2", "fail", {"place": "b"}))
    create_agent(model(turn), [fail], middleware=[watching, ToolRetryMiddleware(max_retries=0)]).invoke(asked())
    tasks = {request.runtime.execution_info.task_id for request, _ in watching.seen}
    assert len(tasks) == 2, (
        "create_agent runs several calls in one task: ask_about_call in approval.py must not be used"
    )


def test_the_names_of_nested_graphs():
    seen = []

    def note(state):
        seen.append(get_runtime().execution_info)
        return {}

    inner = StateGraph(MessagesState)
    inner.add_node("deep", note)
    inner.add_edge(START, "deep")
    outer = StateGraph(MessagesState)
    outer.add_node("sub", inner.compile())
    outer.add_node("flat", note)
    outer.add_edge(START, "flat")
    outer.add_edge("flat", "sub")
    made = outer.compile(checkpointer=InMemorySaver())
    made.invoke(asked(), {"configurable": {"thread_id": "1"}})
    graphs = [info.checkpoint_ns.rpartition("|")[0].partition(":")[0] for info in seen]
    assert graphs == ["", "sub"], f"LangGraph names nested graphs otherwise; correct Gate.thread: {seen}"
    assert [info.thread_id for info in seen] == ["1", "1"]


def test_that_each_run_has_a_stream_writer_of_its_own():
    seen = []

    def note(state):
        seen.append(get_runtime().stream_writer)
        return {}

    builder = StateGraph(MessagesState)
    builder.add_node("one", note)
    builder.add_node("two", note)
    builder.add_edge(START, "one")
    builder.add_edge("one", "two")
    made = builder.compile()
    made.invoke(asked())
    made.invoke(asked())
    assert seen[0] is seen[1], "the nodes of a run do not share a stream writer any more; correct Gate.thread"
    assert seen[0] is not seen[2], "runs share a stream writer; correct Gate.thread"
    assert Runtime().stream_writer is Runtime().stream_writer, (
        "a runtime without a run is not known; correct Gate.thread"
    )


def test_the_shape_of_a_question_to_a_person():
    middleware = [HumanInTheLoopMiddleware(interrupt_on={"fail": True}, interrupt_mode="per_call")]
    made = create_agent(
        model(says(("c1", "fail", {"place": "a"}))), [fail], middleware=middleware, checkpointer=InMemorySaver()
    )
    (question,) = made.invoke(asked(), {"configurable": {"thread_id": "1"}})["__interrupt__"]
    keys = {"type", "tool_call_id", "name", "args", "description"}
    assert question.value["type"] == "tool_approval", "LangChain asks otherwise; correct approval.py"
    assert set(question.value) == keys, f"LangChain asks otherwise; correct _shown in approval.py: {question.value}"


def test_what_the_adapters_of_mcp_say_of_a_tool_and_of_an_error():
    server = str(pathlib.Path(__file__).with_name("mcp_server.py"))
    client = MultiServerMCPClient({"library": {"command": sys.executable, "args": [server], "transport": "stdio"}})

    async def look():
        tools = {one.name: one for one in await client.get_tools()}
        try:
            await tools["read_page"].coroutine(path="x", runtime=None)
        except Exception as error:
            return tools, error

    tools, error = asyncio.run(look())
    assert "readOnlyHint" in (tools["read_page"].metadata or {}), (
        "hints are elsewhere; correct _REMOTE in translation.py"
    )
    blocks = getattr(error, "tool_content", None)
    assert isinstance(blocks, list), "a server's error is elsewhere; correct _reported_by_server in attempt.py"
    assert type(error).__module__.startswith("langchain_mcp_adapters"), f"correct _reported_by_server: {type(error)}"
