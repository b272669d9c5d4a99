"""The dominance table: `create_agent` alone, and with the middleware."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langchain_script import answers, asked, model, says
from langgraph.checkpoint.memory import InMemorySaver
from mulligan_langchain import MulliganMiddleware
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.scenes import DONE, Scene, Stage


def _play(scene: Scene, stage: Stage, **options: Any) -> Performance:
    turns = [says(*((call.id or "", call.name, call.arguments) for call in message)) for message in scene.messages]
    agent = create_agent(
        model(*turns, done=DONE), [tool(f) for f in stage.tools], checkpointer=InMemorySaver(), **options
    )
    config: Any = {"configurable": {"thread_id": "1"}}
    error: BaseException | None = None
    try:
        agent.invoke(asked(), config)
    except Exception as raised:
        error = raised
    said = agent.get_state(config).values["messages"]
    told = {id: message.text for id, message in answers(said).items()}
    last = said[-1]
    return Performance(told, isinstance(last, AIMessage) and last.text == DONE, error)


class TestDominance(Dominance):
    framework = "LangChain and LangGraph"
    packages = ("langchain", "langchain-core", "langgraph", "langgraph-prebuilt")

    def plain(self, scene: Scene, stage: Stage) -> Performance:
        return _play(scene, stage)

    def guarded(self, scene: Scene, stage: Stage) -> Performance:
        return _play(scene, stage, middleware=[MulliganMiddleware(timeout=scene.timeout)])
