"""The dominance table: `create_agent` alone, and with the middleware."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import ToolException, tool
from langchain_script import Scripted, answers, says
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command
from mulligan_langchain import MulliganMiddleware
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.props import Stage
from mulligan_testkit.scenes import DONE, Scene, Turn

from mulligan import ToolCall

THREAD: Any = {"configurable": {"thread_id": "1"}}


def _script(turn: Turn) -> list[AIMessage]:
    turns = [says(*((call.id or "", call.name, call.arguments) for call in message)) for message in turn.messages]
    return [*turns, AIMessage(DONE)]


def _tools(stage: Stage) -> list[Any]:
    made = [tool(function) for function in stage.tools]
    for one in made:
        one.handle_tool_error = True
    return made


def _options(scene: Scene, is_guarded: bool) -> dict[str, Any]:
    return {"middleware": [MulliganMiddleware(timeout=scene.timeout)]} if is_guarded else {}


def _model(turn: Turn | None = None) -> Scripted:
    return Scripted(turns=_script(turn) if turn else [], received=[])


def _heard(messages: list[Any], error: BaseException | None = None) -> Performance:
    last = messages[-1]
    told = {id: message.text for id, message in answers(messages).items()}
    return Performance(told, isinstance(last, AIMessage) and last.text == DONE, error)


class Talk:
    """A conversation of an agent or a graph, which a checkpointer keeps."""

    def __init__(self, model: Scripted, agent: Any) -> None:
        self.model, self.agent = model, agent

    def __call__(self, turn: Turn, config: Any = THREAD, *, is_replay: bool = False) -> Performance:
        self.model.turns, self.model.position = _script(turn), 0
        return self.run(None if is_replay else {"messages": [HumanMessage(turn.user)]}, config)

    def run(self, given: Any, config: Any = THREAD) -> Performance:
        error = None
        try:
            self.agent.invoke(given, config)
        except Exception as raised:
            error = raised
        return _heard(self.agent.get_state(THREAD).values["messages"], error)


class TestDominance(Dominance):
    framework = "LangChain and LangGraph"
    packages = ("langchain", "langchain-core", "langgraph", "langgraph-prebuilt")

    def open(self, scene: Scene, stage: Stage, is_guarded: bool) -> Talk:
        model = _model()
        options = _options(scene, is_guarded)
        return Talk(model, create_agent(model, _tools(stage), checkpointer=InMemorySaver(), **options))

    def say(self, text: str) -> Any:
        raise ToolException(text)

    def agents(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        return self._graph(scene, stage, _options(scene, is_guarded), edges=[(START, "0"), ("0", "1")])

    def branches(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        return self._graph(scene, stage, _options(scene, is_guarded), edges=[(START, "0"), (START, "1")])

    def replay(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        talk = self.open(scene, stage, is_guarded)
        heard, start = [], THREAD
        for turn in scene.on(stage):
            heard.append(talk(turn, start, is_replay=turn is scene.turns[-1]))
            if turn is scene.turns[-2]:
                history = talk.agent.get_state_history(THREAD)
                start = next(one.config for one in history if one.values["messages"][-1].type == "human")
        return heard

    def handoff(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        @tool
        def transfer(agent: str) -> Command[Any]:
            """Hand the conversation over to an agent."""
            return Command(goto=agent, graph=Command.PARENT)

        options = _options(scene, is_guarded)
        front = create_agent(_model(Turn((((ToolCall("h1", "transfer", '{"agent": "0"}'),),)))), [transfer], **options)
        return self._graph(scene, stage, options, edges=[(START, "front")], front=front)

    def _graph(
        self, scene: Scene, stage: Stage, options: dict[str, Any], *, edges: Any, **nodes: Any
    ) -> list[Performance]:
        """An agent for each turn, which are nodes of one graph, with one middleware for all."""
        builder = StateGraph(MessagesState)
        for number, turn in enumerate(scene.turns):
            builder.add_node(str(number), create_agent(_model(turn), _tools(stage), **options))
        for name, node in nodes.items():
            builder.add_node(name, node)
        for edge in edges:
            builder.add_edge(*edge)
        heard = Talk(_model(), builder.compile(checkpointer=InMemorySaver())).run({"messages": [HumanMessage("Go.")]})
        return [heard for _ in scene.turns]
