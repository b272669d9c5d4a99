"""Whole conversations: what a new message forgives, who shares a memory, what is reported, and what runs how often."""

import asyncio
import time
from collections import Counter
from typing import Annotated

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, StructuredTool, tool
from langchain_script import answers, asked, invoke, model, says
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, RetryPolicy, interrupt
from mulligan_langchain import (
    FatalToolError,
    MulliganMiddleware,
    MulliganToolNode,
    execute_tool_safely,
    execute_tool_safely_sync,
    tools_condition,
    wrap_tool_with_error_handling,
)
from mulligan_testkit.calls import HINTS

from mulligan import Pipeline
from mulligan.errors import ToolAuthenticationError, UsageError
from mulligan.plugin import CallFinished, CallStarted, Notice, StepFinished
from mulligan.testing import capture_events

THREAD = {"configurable": {"thread_id": "1"}}


class Shelf:
    """Pages that may appear, and how often each tool ran."""

    def __init__(self):
        self.pages = set()
        self.ran = Counter()
        self.key = "old"

    def tools(self):
        @tool
        def read_page(path: str) -> str:
            """Read a page."""
            self.ran["read_page"] += 1
            if path not in self.pages:
                raise FileNotFoundError(2, "No such file or directory", path)
            return f"page {path}"

        @tool
        def fetch(place: str) -> str:
            """Fetch the mail."""
            self.ran["fetch"] += 1
            if self.key == "old":
                raise ToolAuthenticationError("The key was refused.", provider="post")
            return "mail"

        @tool
        def pay(amount: int) -> str:
            """Pay."""
            self.ran["pay"] += 1
            return "paid"

        return [read_page, fetch, pay]


@pytest.fixture
def shelf():
    return Shelf()


def looks(*ids):
    return [says((id, "read_page", {"path": "a"})) for id in ids]


def graph(turns, node, policy=None):
    said = model(*turns)
    builder = StateGraph(MessagesState)
    builder.add_node("model", lambda state: {"messages": [said.invoke(state["messages"])]})
    builder.add_node("tools", node, retry_policy=policy)
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition)
    builder.add_edge("tools", "model")
    return builder.compile(checkpointer=InMemorySaver())


KINDS = {
    "middleware": lambda turns, tools: create_agent(
        model(*turns), tools, middleware=[MulliganMiddleware()], checkpointer=InMemorySaver()
    ),
    "node": lambda turns, tools: graph(turns, MulliganToolNode(tools)),
}


@pytest.fixture(params=KINDS)
def made(request):
    return KINDS[request.param]


def test_a_new_message_lets_a_call_run_again_that_had_failed_often(run, made, shelf):
    agent = made([*looks("c1", "c2", "c3"), AIMessage("It is not there."), *looks("c4")], shelf.tools())
    run(agent, asked(), THREAD)
    shelf.pages.add("a")
    assert answers(run(agent, asked("It is there now."), THREAD)["messages"])["c4"].text == "page a"
    assert shelf.ran["read_page"] == 4


def test_a_new_key_and_a_new_message_let_the_call_run_again(run, made, shelf):
    turns = [says(("c1", "fetch", {"place": "x"})), says(("c2", "fetch", {"place": "x"}))]
    agent = made(turns, shelf.tools())
    with pytest.raises(FatalToolError) as stopped:
        run(agent, asked(), THREAD)
    assert [one.text for one in stopped.value.messages if one.type == "tool"] == [
        "Error executing tool fetch: The key was refused.\nNext: stop and tell the user what is needed: provide valid "
        "credentials for post. Do not call fetch again before that."
    ] or "The key was refused." in stopped.value.messages[-1].text
    if agent.get_state(THREAD).next == ("tools",):
        agent.update_state(THREAD, {"messages": stopped.value.messages}, as_node="tools")
    shelf.key = "new"
    assert answers(run(agent, asked("Here is a new key."), THREAD)["messages"])["c2"].text == "mail"


def test_a_model_that_numbers_its_calls_anew_after_each_message_runs_them(run, made, shelf):
    turns = [says(("c1", "pay", {"amount": 5})), AIMessage("Paid."), says(("c1", "pay", {"amount": 5}))]
    agent = made(turns, shelf.tools())
    run(agent, asked("Pay 5."), THREAD)
    run(agent, asked("Pay 5 again."), THREAD)
    assert shelf.ran["pay"] == 2


def test_the_transcript_is_on_the_error_without_a_checkpointer(run, shelf):
    turn = says(("c1", "fetch", {"place": "x"}), ("c2", "pay", {"amount": 5}))
    agent = create_agent(model(turn), shelf.tools(), middleware=[MulliganMiddleware()])
    with pytest.raises(FatalToolError) as stopped:
        run(agent, asked("Get it."), {})
    assert [one.type for one in stopped.value.messages] == ["human", "ai", "tool", "tool"]
    assert stopped.value.error.user_message.startswith("post rejected the credentials used by fetch.")


def test_a_replay_from_an_earlier_checkpoint_runs_again(run, shelf):
    agent = KINDS["middleware"]([*looks("c1", "c2", "c3"), AIMessage("No."), *looks("c4")], shelf.tools())
    run(agent, asked(), THREAD)
    first = [state for state in agent.get_state_history(THREAD) if state.next][-1]
    shelf.pages.add("a")
    assert answers(run(agent, None, first.config)["messages"])["c4"].text == "page a"


def test_a_replay_of_calls_runs_them_again_as_without(run, made, shelf):
    turn = says(("c1", "read_page", {"path": "a"}), ("c2", "pay", {"amount": 1}))
    agent = made([turn, AIMessage("No.")], shelf.tools())
    run(agent, asked(), THREAD)
    before = [state for state in agent.get_state_history(THREAD) if set(state.next) == {"tools"}][-1]
    shelf.pages.add("a")
    told = answers(run(agent, None, before.config)["messages"])
    assert (told["c1"].text, told["c2"].text) == ("page a", "paid")
    assert shelf.ran == {"read_page": 2, "pay": 2}


def test_a_node_that_is_repeated_answers_with_what_was_returned_before(run):
    ran = []

    @tool(response_format="content_and_artifact")
    def pay(amount: int) -> tuple[str, int]:
        """Pay."""
        ran.append(amount)
        return f"paid {amount}", amount

    @tool
    def move(place: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Move."""
        ran.append(place)
        return Command(update={"messages": [ToolMessage(f"now in {place}", tool_call_id=tool_call_id)]})

    @tool
    def ask(question: str) -> str:
        """Ask the person."""
        return f"They said {interrupt(question)}."

    turn = says(("c1", "pay", {"amount": 5}), ("c2", "move", {"place": "Rome"}), ("c3", "ask", {"question": "Why?"}))
    made = graph([turn], MulliganToolNode([pay, move, ask]))
    run(made, asked(), THREAD)
    told = answers(run(made, Command(resume="so"), THREAD)["messages"])
    assert {id: one.text for id, one in told.items()} == {"c1": "paid 5", "c2": "now in Rome", "c3": "They said so."}
    assert sorted(map(str, ran)) == ["5", "Rome"]


def test_two_agents_with_one_middleware_and_the_same_thread_id_know_nothing_of_each_other(run):
    middleware, full = MulliganMiddleware(), Shelf()
    full.pages.add("a")

    def agent(shelf, *ids):
        turns = model(*looks(*ids))
        return create_agent(turns, shelf.tools(), middleware=[middleware], checkpointer=InMemorySaver())

    run(agent(Shelf(), "c1", "c2", "c3"), asked(), THREAD)
    assert answers(run(agent(full, "c4"), asked(), THREAD)["messages"])["c4"].text == "page a"


def test_two_agents_with_one_middleware_and_the_same_thread_id_run_at_once():
    middleware = MulliganMiddleware()

    async def both():
        together = asyncio.Barrier(2)

        @tool
        async def read_page(path: str) -> str:
            """Read a page."""
            await asyncio.wait_for(together.wait(), 5)
            raise FileNotFoundError(2, "No such file or directory", path)

        def agent():
            turns = model(*looks("c1", "c2", "c3"))
            return create_agent(turns, [read_page], middleware=[middleware], checkpointer=InMemorySaver())

        return await asyncio.gather(agent().ainvoke(asked(), THREAD), agent().ainvoke(asked(), THREAD))

    for ended in asyncio.run(both()):
        read = answers(ended["messages"])
        assert "already failed" not in read["c1"].text
        assert "already failed" in read["c2"].text
        assert "failed 3 times" in read["c3"].text


def test_agents_in_one_graph_each_have_a_conversation(run, shelf):
    middleware = MulliganMiddleware()

    def agent(name, *ids):
        return create_agent(model(*looks(*ids)), shelf.tools(), middleware=[middleware], name=name)

    builder = StateGraph(MessagesState)
    builder.add_node("first", agent("first", "c1", "c2", "c3"))
    builder.add_node("second", agent("second", "d1"))
    builder.add_edge(START, "first")
    builder.add_edge("first", "second")
    messages = run(builder.compile(checkpointer=InMemorySaver()), asked(), THREAD)["messages"]
    assert "already failed" in answers(messages)["c2"].text
    assert "already failed" not in answers(messages)["d1"].text


def test_a_retry_policy_does_not_repeat_a_fatal_failure(run, shelf):
    turn = says(("c1", "pay", {"amount": 5}), ("c2", "fetch", {"place": "x"}))
    policy, events = RetryPolicy(initial_interval=0.01, jitter=False), capture_events()
    with pytest.raises(FatalToolError):
        run(
            graph([turn], MulliganToolNode(shelf.tools(), pipeline=Pipeline(plugins=[events])), policy), asked(), THREAD
        )
    assert shelf.ran == {"pay": 1, "fetch": 1}
    assert sorted(event.call_id for event in events.of(CallStarted)) == ["c1", "c2"]


def test_the_bound_of_a_nested_graph_is_the_hosts(run):
    def forever(state):
        return {}

    builder = StateGraph(MessagesState)
    builder.add_node("turn", forever)
    builder.add_edge(START, "turn")
    builder.add_edge("turn", "turn")
    endless = builder.compile()

    @tool
    def research(topic: str) -> str:
        """Research."""
        return str(endless.invoke(asked(topic), {"recursion_limit": 3}))

    agent = create_agent(model(says(("c1", "research", {"topic": "x"}))), [research], middleware=[MulliganMiddleware()])
    with pytest.raises(GraphRecursionError):
        run(agent, asked())


def test_a_sync_tool_past_its_deadline_was_not_cancelled():
    effects = []

    @tool
    def pay(amount: int) -> str:
        """Pay."""
        time.sleep(3)
        effects.append(amount)
        return "paid"

    async def play():
        turns = model(says(("c1", "pay", {"amount": 5})))
        agent = create_agent(turns, [pay], middleware=[MulliganMiddleware(timeout=1)])
        return answers((await agent.ainvoke(asked()))["messages"])["c1"].text

    text = asyncio.run(play())
    assert "it may still be running" in text
    assert "cancelled" not in text
    assert effects == [5]


def test_an_argument_that_does_not_exist_is_named_and_nothing_is_run(run):
    seen = []

    @tool
    def delete_rows(table: str, dry_run: bool = False) -> str:
        """Delete rows."""
        seen.append(dry_run)
        return "deleted"

    turn = says(
        ("c1", "delete_rows", {"table": "t", "dryrun": True}), ("c2", "delete_rows", {"file": "t", "dry_run": True})
    )
    agent = create_agent(model(turn), [delete_rows], middleware=[MulliganMiddleware()])
    told = answers(run(agent, asked())["messages"])
    assert seen == []
    assert "- /dryrun: unknown argument; allowed: table, dry_run." in told["c1"].text
    assert "- /file: unknown argument; allowed: table, dry_run." in told["c2"].text
    wrapped = wrap_tool_with_error_handling(delete_rows)
    assert "/dryrun: unknown argument" in wrapped.invoke({"table": "t", "dryrun": True})
    assert "/dryrun: unknown argument" in execute_tool_safely_sync(delete_rows, {"table": "t", "dryrun": True}).content
    assert seen == []


def test_a_function_that_takes_anything_still_does(run):
    def note(text: str, **more: str) -> str:
        return text

    noting = StructuredTool.from_function(note, name="note", description="Note.")
    agent = create_agent(
        model(says(("c1", "note", {"text": "a", "mood": "good"}))), [noting], middleware=[MulliganMiddleware()]
    )
    assert answers(run(agent, asked())["messages"])["c1"].text == "a"


MIXED = says(
    ("c1", "read_page", {"path": "a"}),
    ("c2", "read_page", {"file": "a"}),
    ("c3", "read_page", '{"path": '),
    ("c4", "raed_page", {"path": "a"}),
    ("c5", "pay", {"amount": "5"}),
)


def test_each_call_and_each_message_is_reported_once(run, made, shelf):
    events = capture_events()
    kinds = {
        "middleware": lambda: create_agent(
            model(MIXED, says(("d1", "pay", {"amount": 1}))),
            shelf.tools(),
            middleware=[MulliganMiddleware(Pipeline(plugins=[events]))],
            checkpointer=InMemorySaver(),
        ),
        "node": lambda: graph(
            [MIXED, says(("d1", "pay", {"amount": 1}))],
            MulliganToolNode(shelf.tools(), pipeline=Pipeline(plugins=[events])),
        ),
    }
    for name, make in KINDS.items():
        if make is made:
            run(kinds[name](), asked(), {"configurable": {"thread_id": "talk"}})
    for kind in (CallStarted, CallFinished):
        assert sorted(event.call_id for event in events.of(kind)) == ["c1", "c2", "c3", "c4", "c5", "d1"]
    assert [(step.step, sorted(step.ids)) for step in events.of(StepFinished)] == [
        (1, ["c1", "c2", "c3", "c4", "c5"]),
        (2, ["d1"]),
    ]
    assert {event.session_id for event in events} == {"talk"}
    assert events.of(Notice) == []


def test_a_message_of_which_every_call_failed_gives_a_notice(run, shelf):
    events = capture_events()
    middleware = MulliganMiddleware(Pipeline(plugins=[events]))
    run(create_agent(model(*looks("c1")), shelf.tools(), middleware=[middleware]), asked())
    assert events.names == ["RequestNoted", "CallStarted", "AttemptFailed", "CallFinished", "StepFinished", "Notice"]
    assert events.of(Notice)[0].text == "Resource not found: a."


@pytest.mark.parametrize("hints", HINTS)
def test_a_tool_that_only_a_server_calls_harmless_runs_once(run, hints):
    ran = []

    def submit(text: str) -> str:
        ran.append(text)
        raise ConnectionResetError("reset by peer")

    for metadata in (hints, {**hints, "_meta": {}, "mulligan": {"read_only": True}}):
        ran.clear()
        remote = StructuredTool.from_function(submit, name="submit", description="Submit.", metadata=metadata)
        turns = model(says(("c1", "submit", {"text": "a"})))
        run(create_agent(turns, [remote], middleware=[MulliganMiddleware()]), asked())
        assert ran == ["a"]


def test_a_tool_that_the_host_calls_read_only_runs_again(run):
    ran = []

    def look(text: str) -> str:
        ran.append(text)
        raise ConnectionResetError("reset by peer")

    remote = StructuredTool.from_function(look, name="look", description="Look.")
    middleware = MulliganMiddleware(tool_options={"lo*": {"read_only": True}})
    run(create_agent(model(says(("c1", "look", {"text": "a"}))), [remote], middleware=[middleware]), asked())
    assert len(ran) == 3


def test_mistakes_of_the_host_are_named(shelf):
    tools = shelf.tools()
    with pytest.raises(
        UsageError, match=r"MulliganMiddleware\(pipeline=\[.*use a mulligan.Pipeline; the tools are the agent's"
    ):
        MulliganMiddleware(tools)
    with pytest.raises(UsageError, match=r"MulliganMiddleware\(fatal=...\): the pipeline decides it"):
        MulliganMiddleware(Pipeline(), fatal={})
    with pytest.raises(UsageError, match=r"tool_options\['pay'\]: unknown tool option 'timeot'"):
        MulliganMiddleware(tool_options={"pay": {"timeot": 3}})
    with pytest.raises(UsageError, match="'long' for '\\*' is not a number of seconds"):
        MulliganMiddleware(timeout="long")
    with pytest.raises(UsageError, match=r"timeout=\{'pya': ...\}\): no such tool. Did you mean 'pay'\?"):
        MulliganToolNode(tools, timeout={"pya": 3})
    agent = create_agent(model(*looks("c1")), tools, middleware=[MulliganMiddleware(tool_options={"raed_page": {}})])
    with pytest.raises(UsageError, match="no tool has such a name. Did you mean 'read_page'"):
        agent.invoke(asked())


def test_an_async_tool_that_is_called_without_await_is_the_hosts_mistake():
    @tool
    async def wait(turns: int) -> str:
        """Wait."""
        return "waited"

    turn = says(("c1", "wait", {"turns": 1}))
    words = "tool 'wait' is async: call the agent with ainvoke"
    with pytest.raises(UsageError, match=words):
        invoke(create_agent(model(turn), [wait], middleware=[MulliganMiddleware()]), asked())
    with pytest.raises(UsageError, match=words):
        execute_tool_safely_sync(wait, {"turns": 1})
    with pytest.raises(UsageError, match=words):
        wrap_tool_with_error_handling(wait).invoke({"turns": 1})
    assert asyncio.run(execute_tool_safely(wait, {"turns": 1})).content == "waited"


def test_an_async_tool_that_exits_ends_nothing():
    @tool
    async def leave(word: str) -> str:
        """Leave."""
        raise SystemExit(3)

    async def play():
        agent = create_agent(model(says(("c1", "leave", {"word": "a"}))), [leave], middleware=[MulliganMiddleware()])
        node = graph([says(("c1", "leave", {"word": "a"}))], MulliganToolNode([leave]))
        return [
            answers((await agent.ainvoke(asked()))["messages"])["c1"].text,
            answers((await node.ainvoke(asked(), THREAD))["messages"])["c1"].text,
            (await execute_tool_safely(leave, {"word": "a"})).content,
            await wrap_tool_with_error_handling(leave).ainvoke({"word": "a"}),
        ]

    for text in asyncio.run(play()):
        assert "tried to exit the program" in text


def test_fatal_and_repair_without_a_pipeline(run, shelf):
    middleware = MulliganMiddleware(repair="json", fatal={"ToolAuthenticationError": False})
    turn = says(("c1", "fetch", {"place": "x"}), ("c2", "pay", '{"amount": 5,}'))
    messages = run(create_agent(model(turn), shelf.tools(), middleware=[middleware]), asked())["messages"]
    assert messages[-1].text == "Done."
    assert answers(messages)["c2"].text == "paid"


def test_a_wrapped_tool_in_a_graph_belongs_to_its_thread(run, shelf):
    node = ToolNode([wrap_tool_with_error_handling(shelf.tools()[0])], handle_tool_errors=False)
    with pytest.raises(FatalToolError, match="it has already failed 4 times"):
        run(graph(looks(*(f"c{number}" for number in range(6))), node), asked(), THREAD)
    assert shelf.ran["read_page"] == 3


def test_a_message_that_a_command_adds_is_not_the_persons(run, shelf):
    @tool
    def note(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Take a note."""
        said = [ToolMessage("Noted.", tool_call_id=tool_call_id), HumanMessage("By the way: hello.")]
        return Command(update={"messages": said})

    note.metadata = {"mulligan": {"read_only": True}}
    turns = [says((f"c{number}", "read_page", {"path": "a"}), (f"d{number}", "note", {})) for number in range(2)]
    agent = create_agent(model(*turns), [*shelf.tools(), note], middleware=[MulliganMiddleware()])
    assert "This same call has already failed." in answers(run(agent, asked())["messages"])["c1"].text
