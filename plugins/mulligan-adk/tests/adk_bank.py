"""A clerk who pays only what a person has approved; as a program, in one process for each message.

python adk_bank.py talk.db go
python adk_bank.py talk.db '{"c1": {"confirmed": true}}'
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from adk_play import agent
from google.adk.apps import App, ResumabilityConfig
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types
from mulligan_adk import MulliganPlugin

APPROVE = {"pay": {"approve": True}}


class Bank:
    """A conversation with the clerk."""

    def __init__(
        self,
        *turns: Any,
        service: Any = None,
        plugins: Any = None,
        tools: Any = None,
        resumable: bool = False,
        **options: Any,
    ) -> None:
        self.ran: list[Any] = []
        plugins = [MulliganPlugin(**{"tool_options": APPROVE, **options})] if plugins is None else plugins
        self.clerk = agent(*turns, tools=[self.pay, self.note] if tools is None else tools, name="clerk")
        self.service = service or InMemorySessionService()
        config = ResumabilityConfig(is_resumable=resumable)
        app = App(name="bank", root_agent=self.clerk, plugins=plugins, resumability_config=config)
        self.runner = Runner(app=app, session_service=self.service, auto_create_session=True)

    async def pay(self, amount: int) -> str:
        """Pay an amount."""
        self.ran.append(amount)
        return f"paid {amount}"

    def note(self, text: str) -> str:
        """Note a text."""
        self.ran.append(text)
        return f"noted {text}"

    async def asay(self, message: str | dict[str, Any]) -> dict[str, Any]:
        """Sends a text, or what a person decides about the calls that wait, by id; gives the answers to the calls."""
        parts = [types.Part(text=message)] if isinstance(message, str) else await self._decided(message)
        content = types.Content(role="user", parts=parts)
        run = self.runner.run_async(user_id="u", session_id="talk", new_message=content)
        events = [event async for event in run]
        return {one.id: one.response for event in events for one in event.get_function_responses()}

    def say(self, message: str | dict[str, Any]) -> dict[str, Any]:
        return asyncio.run(self.asay(message))

    async def _decided(self, decisions: dict[str, Any]) -> list[types.Part]:
        asked = {call.args["originalFunctionCall"]["id"]: call for call in await self.aasked()}
        return [
            types.Part(
                function_response=types.FunctionResponse(id=asked[id].id, name=asked[id].name, response=decision)
            )
            for id, decision in decisions.items()
        ]

    async def aasked(self) -> list[Any]:
        """The requests for a confirmation, as the session holds them."""
        session = await self.service.get_session(app_name="bank", user_id="u", session_id="talk")
        calls = [call for event in session.events for call in event.get_function_calls()]
        return [call for call in calls if call.name == "adk_request_confirmation"]

    def asked(self) -> dict[str, Any]:
        """What a person is asked, by the call's id."""
        found = asyncio.run(self.aasked())
        return {call.args["originalFunctionCall"]["id"]: call.args["toolConfirmation"] for call in found}


def pays(*amounts: Any) -> list[Any]:
    """A message of the model that pays amounts."""
    return [(f"c{number}", "pay", {"amount": amount}) for number, amount in enumerate(amounts, start=1)]


if __name__ == "__main__":
    path, said = sys.argv[1:]
    is_first = said == "go"
    bank = Bank(*([pays(5, 6)] if is_first else ["Done."]), service=SqliteSessionService(path))
    answers = bank.say(said if is_first else json.loads(said))
    print(json.dumps({"answers": answers, "ran": bank.ran, "asked": bank.asked()}))
