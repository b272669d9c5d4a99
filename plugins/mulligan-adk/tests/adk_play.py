"""Runs an ADK app with a scripted model, and says what the model received."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable
from typing import Any

import attrs
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

logging.getLogger("google_adk").setLevel(logging.CRITICAL)

Turn = Any
"""A text, a list of calls as (id, name, arguments), or a function of the request that gives one of these."""


class Script(BaseLlm):
    """A model that says what it was told to say."""

    model: str = "scripted"
    turns: list[Any]
    requests: list[LlmRequest] = []

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self.requests.append(llm_request)
        turn = self.turns[min(len(self.requests), len(self.turns)) - 1]
        turn = turn(llm_request) if callable(turn) else turn
        if isinstance(turn, LlmResponse):
            yield turn
            return
        if isinstance(turn, str):
            if stream:
                yield LlmResponse(content=_said(turn[:2]), partial=True)
            yield LlmResponse(content=_said(turn), partial=False)
            return
        calls = [types.FunctionCall(id=id, name=name, args=args) for id, name, args in turn]
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(function_call=call) for call in calls]))


def _said(text: str) -> types.Content:
    return types.Content(role="model", parts=[types.Part(text=text)])


@attrs.define
class Played:
    """What came of a run."""

    events: list[Any]
    stored: list[Any]
    error: BaseException | None
    session: str = ""

    @property
    def answers(self) -> dict[str, Any]:
        """The response to each call, by id, as the session holds them."""
        return {one.id: one.response for event in self.stored for one in event.get_function_responses()}

    @property
    def asked(self) -> list[str]:
        return [one.id for event in self.stored for one in event.get_function_calls()]

    @property
    def last(self) -> str | None:
        said = [event.content for event in self.stored if event.author != "user" and event.content is not None]
        texts = [part.text for content in said for part in content.parts or () if part.text]
        return texts[-1] if texts else None

    def text(self, id: str) -> str:
        """What the model reads as the answer to a call."""
        answer = self.answers[id]
        return answer["error"] if set(answer) == {"error"} else json.dumps(answer)


async def aplay(
    agent: Any, *plugins: Any, config: RunConfig | None = None, messages: tuple[Any, ...] = ("go",), app: str = "play"
) -> Played:
    runner = InMemoryRunner(app=App(name=app, root_agent=agent, plugins=list(plugins)))
    session = await runner.session_service.create_session(app_name=app, user_id="u")
    return await converse(runner, session.id, *messages, config=config)


async def converse(runner: InMemoryRunner, session: str, *messages: Any, config: RunConfig | None = None) -> Played:
    """Sends messages of the user to a session, one after the other; says what is in the session then."""
    events, error = [], None
    try:
        for message in messages:
            content = message if isinstance(message, types.Content) else _said(message)
            content.role = "user"
            run = runner.run_async(
                user_id="u", session_id=session, new_message=content, run_config=config or RunConfig()
            )
            events += [event async for event in run]
    except Exception as raised:
        error = raised
    stored = await runner.session_service.get_session(app_name=runner.app_name, user_id="u", session_id=session)
    return Played(events, stored.events, error, session)


def play(agent: Any, *plugins: Any, **options: Any) -> Played:
    return asyncio.run(aplay(agent, *plugins, **options))


def agent(*turns: Turn, tools: list[Any], name: str = "librarian", **options: Any) -> LlmAgent:
    return LlmAgent(name=name, model=Script(turns=list(turns), requests=[]), tools=tools, **options)


def answered(request: LlmRequest, id: str) -> dict[str, Any]:
    """What a request tells of a call."""
    parts = [part for content in request.contents for part in content.parts or ()]
    return next(one.response for part in parts if (one := part.function_response) is not None and one.id == id)


def seen(request: LlmRequest) -> list[Any]:
    parts = [part for content in request.contents for part in content.parts or ()]
    return [part.function_response for part in parts if part.function_response is not None]


__all__ = ["Callable", "Played", "Script", "agent", "answered", "aplay", "play", "seen"]
