"""The dominance table: ADK through LiteLLM as its documentation begins, and the same with the plugin."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from adk_play import aplay
from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm, LiteLLMClient
from litellm import ModelResponse
from mulligan_adk import MulliganPlugin
from mulligan_adk.litellm import RawCalls
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.scenes import DONE, Scene, Stage


class ScriptedClient(LiteLLMClient):
    """Stands in for the network: says the messages of a scene one after the other."""

    def __init__(self, scene: Scene) -> None:
        self.messages = list(scene.messages)

    async def acompletion(self, model: Any, messages: Any, tools: Any, **_: Any) -> ModelResponse:
        calls = self.messages.pop(0) if self.messages else ()
        message: dict[str, Any] = {"role": "assistant", "content": None if calls else DONE}
        if calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in calls
            ]
        return ModelResponse(choices=[{"finish_reason": "tool_calls" if calls else "stop", "message": message}])


def _heard(scene: Scene, stage: Stage, client: LiteLLMClient, *plugins: Any) -> Performance:
    model = LiteLlm("openai/scripted", llm_client=client)
    played = asyncio.run(aplay(LlmAgent(name="scripted", model=model, tools=stage.tools), *plugins))
    answers = {id: _text(response) for id, response in played.answers.items()}
    return Performance(answers, played.last == DONE, played.error)


def _text(response: dict[str, Any]) -> str:
    if set(response) == {"error"}:
        return f"error: {response['error']}"
    return json.dumps(response, ensure_ascii=False)


@pytest.mark.filterwarnings("ignore")
class TestDominance(Dominance):
    framework = "Google ADK"
    packages = ("google-adk", "litellm", "mulligan-adk")

    def plain(self, scene: Scene, stage: Stage) -> Performance:
        return _heard(scene, stage, ScriptedClient(scene))

    def guarded(self, scene: Scene, stage: Stage) -> Performance:
        return _heard(scene, stage, RawCalls(ScriptedClient(scene)), MulliganPlugin(timeout=scene.timeout))
