"""The dominance table: CrewAI as its documentation begins, and the same with mulligan."""

import attrs
import pytest
from crewai_play import agent, play
from mulligan_crewai import wrap
from mulligan_testkit.dominance import Dominance, Performance, merits
from mulligan_testkit.dominance import play as perform
from mulligan_testkit.scenes import DONE, SCENES


def heard(scene, stage, *, is_wrapped, native):
    turns = [[(call.id, call.name, call.arguments) for call in message] for message in scene.messages]
    one = agent(stage.tools, *turns, DONE, native=native)
    played = play(wrap(one, timeout=scene.timeout) if is_wrapped else one)
    return Performance(played.answers, played.output == DONE, played.error)


class TestDominance(Dominance):
    framework = "CrewAI"
    packages = ("crewai",)
    cannot = {
        "missing_namespace: c1 tells it before any other": "CrewAI shows the model a name without a mark for its namespace"
    }

    def plain(self, scene, stage):
        return heard(scene, stage, is_wrapped=False, native=True)

    def guarded(self, scene, stage):
        return heard(scene, stage, is_wrapped=True, native=True)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_never_worse_if_the_model_calls_tools_in_its_text(scene):
    ways = [
        lambda scene, stage, is_wrapped=is_wrapped: heard(scene, stage, is_wrapped=is_wrapped, native=False)
        for is_wrapped in (False, True)
    ]
    alone = attrs.evolve(scene, messages=tuple((call,) for call in scene.calls))  # one call a message
    plain, wrapped = (merits(alone, perform(way, scene)) for way in ways)
    is_told = {merit: has for merit, has in wrapped.items() if not (scene.fatal and merit.startswith("c2"))}
    assert not [
        merit for merit, has in is_told.items() if not has and f"{scene.name}: {merit}" not in TestDominance.cannot
    ]
    assert not [merit for merit, has in is_told.items() if plain[merit] and not has]
