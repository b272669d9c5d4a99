"""The dominance table: smolagents as its documentation begins, and the same with the guard."""

from __future__ import annotations

from mulligan_smolagents import guard
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.scenes import DONE, Scene, Stage
from smolagents_play import agent, play


def _heard(scene: Scene, stage: Stage, *, is_guarded: bool) -> Performance:
    turns = [[(call.id, call.name, call.arguments) for call in message] for message in scene.messages]
    one = agent(*turns, DONE, tools=stage.tools)
    played = play(guard(one, timeout=scene.timeout) if is_guarded else one)
    answers = {id: text for id, text in played.answers.items() if id != "answer"}
    return Performance(answers, str(played.last) == DONE, played.error)


class TestDominance(Dominance):
    framework = "smolagents"
    packages = ("smolagents", "mulligan-smolagents")

    def plain(self, scene: Scene, stage: Stage) -> Performance:
        return _heard(scene, stage, is_guarded=False)

    def guarded(self, scene: Scene, stage: Stage) -> Performance:
        return _heard(scene, stage, is_guarded=True)
