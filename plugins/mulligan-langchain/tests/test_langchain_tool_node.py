"""`MulliganToolNode` where `ToolNode` stood: in a graph of one's own, and in `create_react_agent`."""

import dataclasses
import warnings
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langchain_script import answers, asked, model, says
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import InjectedState, InjectedStore, ToolNode, create_react_agent
from langgraph.prebuilt import tools_condition as plain_condition
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, interrupt
from mulligan_langchain import FatalToolError, MulliganToolNode, raise_if_fatal, tools_condition
from pydantic import BaseModel

from mulligan import Pipeline, Policy
from mulligan.errors import RepeatedCallError, ToolAuthenticationError, UsageError


@tool
def add(first: int, second: int) -> int:
    """Add two numbers."""
    return first + second


@tool
def read_page(path: str) -> str:
    """Read a page of the handbook."""
    raise FileNotFoundError(2, "No such file or directory", path)


@tool
def login(name: str) -> str:
    """Log in."""
    raise ToolAuthenticationError("The vault rejected the credentials.", provider="vault")


def graph(turns, node, *, state=MessagesState, condition=tools_condition, stops=False, **options):
    said = model(*turns)

    def talk(state):
        messages = state["messages"] if isinstance(state, dict) else state.messages
        if stops:
            raise_if_fatal(messages)
        return {"messages": [said.invoke(messages)]}

    builder = StateGraph(state)
    builder.add_node("model", talk)
    builder.add_node("tools", node)
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", condition)
    builder.add_edge("tools", "model")
    return said, builder.compile(**options)


def told(run, turns, node, **options):
    end = run(graph(turns, node, **options)[1], asked())
    assert end["messages"][-1].text == "Done."
    return answers(end["messages"])


ONE = says(
    ("c1", "add", {"first": 2, "second": 3}),
    ("c2", "read_page", {"path": "x"}),
    ("c3", "add_numbers", {"first": 2, "second": 3}),
    ("c4", "add", {"first": "many", "second": 3}),
)


def test_every_failure_is_answered_and_the_others_run(run):
    told_ = told(run, [ONE], MulliganToolNode([add, read_page]))
    assert told_["c1"].text == "5"
    assert told_["c1"].status == "success"
    assert "Resource not found: x" in told_["c2"].text
    assert 'Closest: "add".' in told_["c3"].text
    assert "/first: wrong type" in told_["c4"].text
    assert {told_[id].status for id in ("c2", "c3", "c4")} == {"error"}


def test_plain_functions_and_the_usual_arguments(run):
    def double(number: int) -> int:
        """Double a number."""
        return 2 * number

    node = MulliganToolNode([double], name="hands", tags=["a"], messages_key="messages")
    assert node.name == "hands"
    assert list(node.tools_by_name) == ["double"]
    assert isinstance(node, ToolNode)
    assert told(run, [says(("c1", "double", {"number": 2}))], node)["c1"].text == "4"


def test_calls_that_are_no_json(run):
    turn = says(("c1", "add", '{"first": 2 "second": 3}'), ("c2", "add", {"first": 2, "second": 3}))
    told_ = told(run, [turn], MulliganToolNode([add]))
    assert "not valid JSON at line 1 column 13" in told_["c1"].text
    assert told_["c2"].text == "5"
    assert "not valid JSON" in told(run, [says(("c1", "add", "{"))], MulliganToolNode([add]))["c1"].text


def test_calls_that_are_no_json_and_are_mended(run):
    adding = add.model_copy(update={"metadata": {"mulligan": {"read_only": True}}})
    node = MulliganToolNode([adding], pipeline=Pipeline(policy=Policy(repair="json")))
    assert told(run, [says(("c1", "add", '{"first": 2 "second": 3}'))], node)["c1"].text.startswith("5")


def test_routing_is_as_before_otherwise():
    for messages in ([HumanMessage("a")], [AIMessage("b")], [says(("c1", "add", {}))]):
        assert tools_condition({"messages": messages}) == plain_condition({"messages": messages})
        assert tools_condition(messages) == plain_condition(messages)
    assert tools_condition({"said": [says(("c1", "add", "{"))]}, "said") == "tools"


def test_a_state_that_is_a_model(run):
    class State(BaseModel):
        messages: Annotated[list, add_messages]

    turn = says(("c1", "add", "{"), ("c2", "add", {"first": 2, "second": 3}))
    end = run(graph([turn], MulliganToolNode([add]), state=State)[1], asked())
    assert answers(end["messages"])["c2"].text == "5"
    assert "not valid JSON" in answers(end["messages"])["c1"].text


def test_a_state_that_is_a_dataclass(run):
    @dataclasses.dataclass
    class State:
        messages: Annotated[list, add_messages]

    turn = says(("c1", "add", "{"), ("c2", "add", {"first": 2, "second": 3}))
    end = run(graph([turn], MulliganToolNode([add]), state=State)[1], asked())
    assert answers(end["messages"])["c2"].text == "5"
    assert "not valid JSON" in answers(end["messages"])["c1"].text


def test_a_state_that_is_a_list(run):
    node = MulliganToolNode([add, login])
    builder = StateGraph(Annotated[list, add_messages])
    builder.add_node("tools", node)
    builder.add_edge(START, "tools")
    turn = says(("c1", "add", "{"), ("c2", "add", {"first": 2, "second": 3}))
    told_ = answers(run(builder.compile(), [turn]))
    assert told_["c2"].text == "5"
    assert "not valid JSON" in told_["c1"].text
    with pytest.raises(FatalToolError) as stopped:
        run(builder.compile(), [FATAL])
    assert set(answers(stopped.value.messages)) == {"c1", "c2", "c3"}


def test_outside_of_a_graph_it_says_what_the_other_says(run):
    state = {"messages": [says(("c1", "add", "{"))]}
    said = []
    for node in (ToolNode([add]), MulliganToolNode([add])):
        with pytest.raises(ValueError) as refused:
            run(node, state)
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_state_and_store_are_injected(run):
    @tool
    def remember(fact: str, state: Annotated[dict, InjectedState], store: Annotated[Any, InjectedStore()]) -> str:
        """Remember a fact."""
        store.put(("facts",), "one", {"fact": fact})
        return f"{len(state['messages'])} messages"

    store = InMemoryStore()
    told_ = told(run, [says(("c1", "remember", {"fact": "blue"}))], MulliganToolNode([remember]), store=store)
    assert told_["c1"].text == "2 messages"
    assert store.get(("facts",), "one").value == {"fact": "blue"}


def test_commands_go_where_they_say(run):
    @tool
    def hand_over(to: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Hand over."""
        if to == "nobody":
            raise LookupError("there is no nobody")
        return Command(update={"messages": [ToolMessage(f"To {to}.", tool_call_id=tool_call_id)]})

    turn = says(
        ("c1", "hand_over", {"to": "ann"}),
        ("c2", "hand_over", {"to": "nobody"}),
        ("c3", "add", {"first": 1, "second": 1}),
        ("c4", "add", "{"),
    )
    told_ = told(run, [turn], MulliganToolNode([hand_over, add]))
    assert told_["c1"].text == "To ann."
    assert "there is no nobody" in told_["c2"].text
    assert told_["c3"].text == "2"
    assert "not valid JSON" in told_["c4"].text


def test_an_interrupt_passes(run):
    @tool
    def ask(question: str) -> str:
        """Ask."""
        return f"They said {interrupt(question)}."

    config = {"configurable": {"thread_id": "1"}}
    said, made = graph(
        [says(("c1", "ask", {"question": "Why?"}))], MulliganToolNode([ask], timeout=5), checkpointer=InMemorySaver()
    )
    assert run(made, asked(), config)["__interrupt__"][0].value == "Why?"
    assert answers(run(made, Command(resume="so"), config)["messages"])["c1"].text == "They said so."


FATAL = says(("c1", "login", {"name": "ann"}), ("c2", "add", {"first": 2, "second": 3}), ("c3", "add", "{"))


def test_fatal_carries_every_answer(run):
    config = {"configurable": {"thread_id": "1"}}
    said, made = graph([FATAL], MulliganToolNode([login, add]), checkpointer=InMemorySaver())
    with pytest.raises(FatalToolError, match="ToolAuthenticationError: The vault rejected the credentials") as stopped:
        run(made, asked(), config)
    assert isinstance(stopped.value.__cause__, ToolAuthenticationError)
    assert set(answers(stopped.value.messages)) == {"c1", "c2", "c3"}
    made.update_state(config, {"messages": stopped.value.messages}, as_node="tools")
    assert set(answers(made.get_state(config).values["messages"])) == {"c1", "c2", "c3"}
    assert run(made, asked("Go on without it."), config)["messages"][-1].text == "Done."


def test_fatal_can_be_left_to_the_model_node(run):
    config = {"configurable": {"thread_id": "1"}}
    node = MulliganToolNode([login, add], on_fatal="answer")
    said, made = graph([FATAL], node, stops=True, checkpointer=InMemorySaver())
    with pytest.raises(FatalToolError, match="The vault rejected the credentials"):
        run(made, asked(), config)
    assert set(answers(made.get_state(config).values["messages"])) == {"c1", "c2", "c3"}
    with pytest.raises(UsageError, match="on_fatal='end': use 'error' or 'answer'"):
        MulliganToolNode([add], on_fatal="end")


def test_calls_of_one_message_do_not_end_the_run(run):
    @tool
    def read_lines(path: str, first: int) -> str:
        """Read some lines of a page."""
        raise FileNotFoundError(2, "No such file or directory", path)

    turn = says(*((f"c{n}", "read_lines", {"path": "x", "first": n}) for n in range(8)))
    said, made = graph([turn], MulliganToolNode([read_lines]))
    assert len(answers(run(made, asked())["messages"])) == 8
    assert len(said.received) == 2


@pytest.mark.parametrize("thread", [None, "1"])
def test_the_loop_guard_knows_the_run(run, thread):
    turns = [says((f"c{n}", "read_page", {"path": "x"})) for n in range(6)]
    said, made = graph(turns, MulliganToolNode([read_page]), checkpointer=InMemorySaver() if thread else None)
    with pytest.raises(FatalToolError) as stopped:
        run(made, asked(), {"configurable": {"thread_id": thread}} if thread else None)
    assert isinstance(stopped.value.error, RepeatedCallError)
    assert len(said.received) == 5


def test_words_of_the_application_are_kept(run):
    def words(error: FileNotFoundError) -> str:
        return "Ask the librarian."

    turn = says(("c1", "read_page", {"path": "x"}), ("c2", "login", {"name": "ann"}))
    node = MulliganToolNode([read_page, login], handle_tool_errors=words, on_fatal="answer")
    told_ = told(run, [turn], node)
    assert told_["c1"].text == "Ask the librarian."
    assert "The vault rejected the credentials" in told_["c2"].text
    node = MulliganToolNode([read_page], handle_tool_errors="Try later.")
    assert told(run, [says(("c1", "read_page", {"path": "x"}))], node)["c1"].text == "Try later."


@pytest.mark.parametrize("flag", [True, False, ValueError, (ValueError,)])
def test_words_of_the_framework_are_not(run, flag):
    node = MulliganToolNode([read_page], handle_tool_errors=flag)
    assert "Resource not found: x" in told(run, [says(("c1", "read_page", {"path": "x"}))], node)["c1"].text


def test_wrappers_of_the_application_run_inside():
    from langchain_script import ainvoke, invoke

    def wrap(request, execute):
        return execute(request.override(tool_call={**request.tool_call, "args": {"first": 20, "second": 3}}))

    async def awrap(request, execute):
        return await execute(request.override(tool_call={**request.tool_call, "args": {"first": 30, "second": 3}}))

    turn = says(("c1", "add", {"first": 2, "second": 3}))
    assert told(invoke, [turn], MulliganToolNode([add], wrap_tool_call=wrap))["c1"].text == "23"
    assert told(ainvoke, [turn], MulliganToolNode([add], wrap_tool_call=wrap))["c1"].text == "23"
    assert told(ainvoke, [turn], MulliganToolNode([add], awrap_tool_call=awrap))["c1"].text == "33"


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_in_a_react_agent(run, version):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = create_react_agent(model(ONE), MulliganToolNode([add, read_page]), version=version)
    told_ = answers(run(made, asked())["messages"])
    assert told_["c1"].text == "5"
    assert "Resource not found: x" in told_["c2"].text


def test_what_succeeds_is_the_same_as_without(run):
    turn = says(("c1", "add", {"first": 2, "second": 3}), ("c2", "add", {"first": 4, "second": 3}))
    plain, guarded = (
        [{**one.model_dump(), "id": None} for one in run(graph([turn], node)[1], asked())["messages"]]
        for node in (ToolNode([add]), MulliganToolNode([add]))
    )
    assert guarded == plain


def test_tools_that_come_later(run):
    node = MulliganToolNode([add])
    node.tools_by_name["read_page"] = read_page
    told_ = told(run, [says(("c1", "read_page", {"path": "x"}), ("c2", "login", {}))], node)
    assert "Resource not found: x" in told_["c1"].text
    assert "Available tools (2)" in told_["c2"].text
