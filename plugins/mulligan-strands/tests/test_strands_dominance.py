"""The dominance table: Strands as its documentation begins, and the same with the plugin."""

from __future__ import annotations

from typing import Any

from mulligan_strands import MulliganPlugin
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.scenes import DONE, Scene, Stage
from strands import tool
from strands_play import agent, play


def _heard(scene: Scene, stage: Stage, *plugins: Any) -> Performance:
    turns = [[(call.id, call.name, call.arguments) for call in message] for message in scene.messages]
    played = play(agent(*turns, DONE, tools=[tool(function) for function in stage.tools], plugins=list(plugins)))
    return Performance({id: played.text(id) for id in played.results}, played.last == DONE, played.error)


class TestDominance(Dominance):
    framework = "Strands Agents"
    packages = ("strands-agents", "mulligan-strands")

    def plain(self, scene: Scene, stage: Stage) -> Performance:
        return _heard(scene, stage)

    def guarded(self, scene: Scene, stage: Stage) -> Performance:
        return _heard(scene, stage, MulliganPlugin(timeout=scene.timeout))
