"""The dominance table: ADK through LiteLLM as its documentation begins, and the same with the plugin."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

import pytest
from adk_play import Played, converse
from google.adk.agents import BaseAgent, LlmAgent, ParallelAgent, SequentialAgent
from google.adk.apps import App
from google.adk.models.lite_llm import LiteLlm, LiteLLMClient
from google.adk.runners import InMemoryRunner
from litellm import ModelResponse
from mulligan_adk import MulliganPlugin
from mulligan_adk.litellm import RawCalls
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.props import Stage
from mulligan_testkit.scenes import DONE, Scene, Turn

from mulligan import ToolCall

Messages = Iterable[Iterable[ToolCall]]


class ScriptedClient(LiteLLMClient):
    """Stands in for the network: says the messages of a turn one after the other."""

    def __init__(self, messages: Messages = ()) -> None:
        self.messages = list(messages)

    async def acompletion(self, model: Any, messages: Any, tools: Any, **_: Any) -> ModelResponse:
        calls = self.messages.pop(0) if self.messages else ()
        message: dict[str, Any] = {"role": "assistant", "content": None if calls else DONE}
        if calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in calls
            ]
        return ModelResponse(choices=[{"finish_reason": "tool_calls" if calls else "stop", "message": message}])


def _agent(client: LiteLLMClient, tools: list[Any], is_guarded: bool, name: str = "scripted") -> LlmAgent:
    model = LiteLlm("openai/scripted", llm_client=RawCalls(client) if is_guarded else client)
    return LlmAgent(name=name, model=model, tools=tools)


def _plugins(scene: Scene, is_guarded: bool) -> list[Any]:
    return [MulliganPlugin(timeout=scene.timeout)] if is_guarded else []


def _heard(played: Played) -> Performance:
    answers = {id: _text(response) for id, response in played.answers.items()}
    return Performance(answers, played.error is None and played.last == DONE, played.error)


def _text(response: dict[str, Any]) -> str:
    if set(response) == {"error"}:
        return f"error: {response['error']}"
    return json.dumps(response, ensure_ascii=False)


class Talk:
    """A session of a runner."""

    def __init__(self, client: ScriptedClient, agent: BaseAgent, plugins: list[Any]) -> None:
        self.client = client
        self.runner = InMemoryRunner(app=App(name="play", root_agent=agent, plugins=plugins))
        self.runner.auto_create_session = True

    def __call__(self, turn: Turn) -> Performance:
        self.client.messages = list(turn.messages)
        return _heard(asyncio.run(converse(self.runner, "s", turn.user)))


@pytest.mark.filterwarnings("ignore")
class TestDominance(Dominance):
    framework = "Google ADK"
    packages = ("google-adk", "litellm", "mulligan-adk")

    def open(self, scene: Scene, stage: Stage, is_guarded: bool) -> Talk:
        client = ScriptedClient()
        return Talk(client, _agent(client, stage.tools, is_guarded), _plugins(scene, is_guarded))

    def say(self, text: str) -> Any:
        return {"status": "error", "error_message": text}

    def agents(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        return self._together(SequentialAgent, scene, stage, is_guarded)

    def branches(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        return self._together(ParallelAgent, scene, stage, is_guarded)

    def replay(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        talk = self.open(scene, stage, is_guarded)
        heard: list[Performance] = []
        for turn in scene.on(stage):
            if turn is scene.turns[-1]:
                asyncio.run(self._rewind(talk.runner))
            heard.append(talk(turn))
        return heard

    def handoff(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        (turn,) = scene.turns
        transfer = ToolCall("h1", "transfer_to_agent", '{"agent_name": "late"}')
        front = _agent(ScriptedClient([[transfer]]), [], is_guarded, "front")
        runner = Talk(ScriptedClient(), front, _plugins(scene, is_guarded)).runner
        late = _agent(ScriptedClient(turn.messages), stage.tools, is_guarded, "late")
        front.sub_agents.append(late)
        late.parent_agent = front
        return [_heard(asyncio.run(converse(runner, "s", turn.user)))]

    async def _rewind(self, runner: InMemoryRunner) -> None:
        """Returns to the point before the user's latest message."""
        here = {"user_id": "u", "session_id": "s"}
        session = await runner.session_service.get_session(app_name="play", **here)
        await runner.rewind_async(rewind_before_invocation_id=session.events[-1].invocation_id, **here)

    def _together(self, kind: type[Any], scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        """An agent for each turn, all in one run."""
        agents = [
            _agent(ScriptedClient(turn.messages), stage.tools, is_guarded, f"worker{number}")
            for number, turn in enumerate(scene.turns)
        ]
        heard = Talk(ScriptedClient(), kind(name="root", sub_agents=agents), _plugins(scene, is_guarded))(Turn(()))
        return [heard for _ in agents]
