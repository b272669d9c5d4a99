"""A traced agent: each call is a span below the run, with what its tool makes below it, and is counted once."""

from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_script import asked, model, says
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command
from mulligan_langchain import MulliganMiddleware, MulliganToolNode
from mulligan_testkit.tracing import Traced


def tools_of(traced):
    tries = []

    @tool
    def look_up(word: str) -> str:
        """Look a word up."""
        tries.append(word)
        with traced.tracer.start_as_current_span(f"GET {len(tries)}"):
            if len(tries) == 1:
                raise ConnectionResetError("reset by peer")
            return "found"

    @tool
    def count(text: str) -> int:
        """Count characters."""
        with traced.tracer.start_as_current_span("count"):
            return len(text)

    look_up.metadata = {"mulligan": {"read_only": True}}
    return [look_up, count]


CALLS = [
    ("c1", "look_up", {"word": "a"}),
    ("c2", "count", {"text": "ab"}),
    ("c3", "cuont", {"text": "ab"}),
    ("c4", "count", {}),
]
TREE = """\
agent
  execute_tool count  [c2]
    count
  execute_tool count  [c4, ToolArgumentError]
  execute_tool cuont  [c3, ToolNotFoundError]
  execute_tool look_up  [c1]
    GET 1
    attempt 1  [ToolConnectionError]
    attempt 2
      GET 2""".splitlines()
COUNTS = {"count": 2, "look_up": 1, "unknown": 1}


def test_the_calls_of_an_agent(run):
    traced = Traced()
    agent = create_agent(model(says(*CALLS)), tools_of(traced), middleware=[MulliganMiddleware(traced.pipeline())])
    with traced.tracer.start_as_current_span("agent"):
        run(agent, asked())
    assert traced.tree() == TREE
    assert traced.counted("gen_ai.execute_tool.duration") == COUNTS


def test_the_calls_of_a_tool_node(run):
    traced = Traced()
    graph = StateGraph(MessagesState).add_node("tools", MulliganToolNode(tools_of(traced), pipeline=traced.pipeline()))
    with traced.tracer.start_as_current_span("agent"):
        run(graph.add_edge(START, "tools").compile(), {"messages": [says(*CALLS)]})
    assert traced.tree() == TREE
    assert traced.counted("gen_ai.execute_tool.duration") == COUNTS


def test_a_call_that_waited_for_a_person_is_a_span_in_each_run(run):
    traced = Traced()

    @tool
    def pay(amount: int) -> str:
        """Pay an amount."""
        with traced.tracer.start_as_current_span("charge"):
            return f"paid {amount}"

    middleware = MulliganMiddleware(traced.pipeline(), tool_options={"pay": {"approve": True}})
    agent = create_agent(
        model(says(("c1", "pay", {"amount": 1}))), [pay], middleware=[middleware], checkpointer=InMemorySaver()
    )
    thread = {"configurable": {"thread_id": "talk"}}
    with traced.tracer.start_as_current_span("asks"):
        run(agent, asked(), thread)
    with traced.tracer.start_as_current_span("continues"):
        run(agent, Command(resume={"type": "approve"}), thread)
    assert traced.tree() == [
        "asks",
        "  execute_tool pay  [c1, CallAbandoned]",
        "continues",
        "  execute_tool pay  [c1]",
        "    charge",
    ]
    assert traced.counted("gen_ai.execute_tool.duration") == {"pay": 1}
