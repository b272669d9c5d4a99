"""The dominance table: Strands as its documentation begins, and the same with the plugin."""

from __future__ import annotations

import asyncio
from typing import Any

from mulligan_strands import MulliganPlugin
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.props import Stage
from mulligan_testkit.scenes import DONE, Scene, Turn
from strands import tool
from strands.multiagent import Swarm
from strands_play import Played, agent, aplay, play


def _script(turn: Turn) -> list[Any]:
    return [*([(call.id, call.name, call.arguments) for call in message] for message in turn.messages), DONE]


def _agent(turn: Turn, stage: Stage | None, plugins: list[Any], **options: Any) -> Any:
    tools = [tool(function) for function in stage.tools] if stage else []
    return agent(*_script(turn), tools=tools, plugins=plugins, **options)


def _plugins(scene: Scene, is_guarded: bool) -> list[Any]:
    return [MulliganPlugin(timeout=scene.timeout)] if is_guarded else []


def _heard(played: Played) -> Performance:
    return Performance({id: played.text(id) for id in played.results}, played.last == DONE, played.error)


def _send(one: Any, turn: Turn) -> Performance:
    one.model.turns, one.model.requests = _script(turn), []
    return _heard(play(one, turn.user))


class TestDominance(Dominance):
    framework = "Strands Agents"
    packages = ("strands-agents", "mulligan-strands")

    def open(self, scene: Scene, stage: Stage, is_guarded: bool) -> Any:
        one = _agent(Turn(()), stage, _plugins(scene, is_guarded))
        return lambda turn: _send(one, turn)

    def say(self, text: str) -> Any:
        return {"status": "error", "content": [{"text": text}]}

    def agents(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        plugins = _plugins(scene, is_guarded)
        return [_heard(play(_agent(turn, stage, plugins), turn.user)) for turn in scene.on(stage)]

    def branches(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        plugins = _plugins(scene, is_guarded)

        async def together() -> list[Played]:
            return await asyncio.gather(*(aplay(_agent(turn, stage, plugins), turn.user) for turn in scene.turns))

        return [_heard(played) for played in asyncio.run(together())]

    def replay(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        one = _agent(Turn(()), stage, _plugins(scene, is_guarded))
        heard, snapshots = [], []
        for turn in scene.on(stage):
            snapshots.append(one.take_snapshot(preset="session"))
            if turn is scene.turns[-1]:
                one.load_snapshot(snapshots[-2])
            heard.append(_send(one, turn))
        return heard

    def handoff(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        (turn,), plugins = scene.turns, _plugins(scene, is_guarded)
        transfer = ("h1", "handoff_to_agent", {"agent_name": "late", "message": "Go on."})
        front = agent([transfer], DONE, tools=[], plugins=plugins, name="front")
        late = _agent(turn, stage, plugins, name="late")
        error = None
        try:
            Swarm([front, late], entry_point=front)(turn.user)
        except Exception as raised:
            error = raised
        last = late.messages[-1] if late.messages else {"content": [{}]}
        is_done = last["content"][0].get("text") == DONE
        played = Played(late, None, error)
        return [Performance({id: played.text(id) for id in played.results}, is_done, error)]
