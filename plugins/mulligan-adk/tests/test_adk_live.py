"""Live runs, whose tools no plugin sees before ADK takes them."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import Any

import pytest
from adk_play import agent
from google.adk.agents.live_request_queue import LiveRequestQueue
from google.adk.apps import App
from google.adk.models.base_llm_connection import BaseLlmConnection
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from mulligan_adk import MulliganPlugin

pytestmark = pytest.mark.filterwarnings("ignore")


class Connection(BaseLlmConnection):
    """A model that makes one message of calls, and waits for the answers."""

    def __init__(self, calls: list[Any]) -> None:
        self.calls = calls
        self.answers: dict[str, Any] = {}
        self.answered = asyncio.Event()

    async def send_history(self, history: Any) -> None:
        pass

    async def send_content(self, content: Any, **_: Any) -> None:
        responses = [part.function_response for part in content.parts if part.function_response]
        self.answers |= {one.id: one.response for one in responses}
        if len(self.answers) == len(self.calls):
            self.answered.set()

    async def send_realtime(self, *_: Any) -> None:
        pass

    async def receive(self) -> Any:
        parts = [
            types.Part(function_call=types.FunctionCall(id=id, name=name, args=args)) for id, name, args in self.calls
        ]
        yield LlmResponse(content=types.Content(role="model", parts=parts))
        await self.answered.wait()
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="ok")]), turn_complete=True)

    async def close(self) -> None:
        pass


def answers(calls, tools, **options):
    async def run():
        live = agent("unused", tools=tools)
        connection = Connection(calls)

        @asynccontextmanager
        async def connect(llm_request):
            yield connection

        object.__setattr__(live.model, "connect", connect)
        runner = InMemoryRunner(app=App(name="p", root_agent=live, plugins=[MulliganPlugin(**options)]))
        session = await runner.session_service.create_session(app_name="p", user_id="u")
        queue = LiveRequestQueue()
        queue.send_content(types.Content(role="user", parts=[types.Part(text="go")]))
        async for event in runner.run_live(user_id="u", session_id=session.id, live_request_queue=queue):
            if event.turn_complete:
                queue.close()
                break
        return connection.answers

    return asyncio.run(asyncio.wait_for(run(), 30))


def test_exceptions_are_answered_and_a_call_that_needs_approval_does_not_run():
    ran = []

    def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        return "paid"

    def read(path: str) -> str:
        """Read."""
        raise FileNotFoundError(2, "No such file or directory", path)

    def note(text: str) -> str:
        """Note."""
        return f"noted {text}"

    calls = [("c1", "pay", {"amount": 5}), ("c2", "read", {"path": "a"}), ("c3", "note", {"text": "b"})]
    told = answers(calls, [pay, read, note], tool_options={"pay": {"approve": True}})
    assert ran == []
    assert "This call was not run: it waits for a person's approval." in told["c1"]["error"]
    assert "Resource not found: a" in told["c2"]["error"]
    assert told["c3"] == {"result": "noted b"}
