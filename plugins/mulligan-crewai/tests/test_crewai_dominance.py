"""The dominance table: CrewAI as its documentation begins, and the same with mulligan."""

from concurrent.futures import ThreadPoolExecutor

import attrs
import pytest
from crewai import Task
from crewai.tools import ToolFailure
from crewai_play import agent, crew, play
from mulligan_crewai import wrap
from mulligan_testkit.conversations import SCENES
from mulligan_testkit.dominance import Dominance, Performance, merits
from mulligan_testkit.scenes import DONE

from mulligan import Pipeline


def script(turn):
    return [*([(call.id, call.name, call.arguments) for call in message] for message in turn.messages), DONE]


def heard(played):
    return Performance(played.answers, played.output == DONE, played.error)


def task(one, turn):
    return Task(description=turn.user, expected_output="It is done.", agent=one)


class TestDominance(Dominance):
    framework = "CrewAI"
    packages = ("crewai",)
    native = True

    def open(self, scene, stage, is_guarded):
        one = self._agent(scene, stage, is_guarded)

        def send(turn):
            one.llm.steps[:] = script(turn)
            return heard(play(one, turn.user))

        return send

    def say(self, text):
        return ToolFailure(message=text)

    def agents(self, scene, stage, is_guarded):
        made = [agent(stage.tools, *script(turn), native=self.native) for turn in scene.turns]
        return self._crew(scene, is_guarded, *made)

    def branches(self, scene, stage, is_guarded):
        pipeline = Pipeline()
        agents = [self._agent(scene, stage, is_guarded, turn, pipeline=pipeline) for turn in scene.turns]
        with ThreadPoolExecutor() as threads:
            return [heard(played) for played in threads.map(play, agents)]

    def replay(self, scene, stage, is_guarded):
        """A crew of two tasks, of which the second is played again."""
        paying, reading, again = scene.turns
        one = agent(stage.tools, *script(paying), *script(reading), native=self.native)
        target = crew(one, tasks=[task(one, paying), task(one, reading)])
        if is_guarded:
            wrap(target, timeout=scene.timeout)
        played = play(target)
        stage.turn, one.llm.steps[:] = len(scene.turns), script(again)
        error = output = None
        try:
            output = target.replay(str(target.tasks[1].id)).raw
        except Exception as raised:
            error = raised
        return [heard(played), heard(played), Performance(dict(one.llm.answers), output == DONE, error)]

    def handoff(self, scene, stage, is_guarded):
        (turn,) = scene.turns
        late = agent(stage.tools, *script(turn), role="late", native=self.native)
        work = {"task": "Go on.", "context": "None.", "coworker": "late"}
        steps = [[("h1", "delegate_work_to_coworker", work)], DONE]
        front = agent([], *steps, role="front", allow_delegation=True, native=self.native)
        target = crew(front, tasks=[task(front, turn)])
        if is_guarded:
            wrap(target, timeout=scene.timeout)
        target.agents.append(late)
        return [heard(play(target))]

    def _agent(self, scene, stage, is_guarded, turn=None, **options):
        one = agent(stage.tools, *(script(turn) if turn else ()), native=self.native)
        return wrap(one, timeout=scene.timeout, **options) if is_guarded else one

    def _crew(self, scene, is_guarded, *agents):
        target = crew(*agents)
        played = heard(play(wrap(target, timeout=scene.timeout) if is_guarded else target))
        return [played for _ in agents]


class InText(TestDominance):
    """The model calls tools in its text, one in each message."""

    __test__ = False
    native = False


ONE_BY_ONE = [scene for scene in SCENES if not any(turn.is_ordered for turn in scene.turns)]


@pytest.mark.parametrize("scene", ONE_BY_ONE, ids=lambda scene: scene.name)
def test_never_worse_if_the_model_calls_tools_in_its_text(scene):
    turns = [attrs.evolve(turn, messages=tuple((call,) for call in turn.calls)) for turn in scene.turns]
    alone = attrs.evolve(scene, turns=tuple(turns))
    plain, wrapped = (merits(alone, InText().play(alone, is_guarded)) for is_guarded in (False, True))
    is_told = {merit: has for merit, has in wrapped.items() if not (scene.name == "unauthorized" and "c2" in merit)}
    assert not [
        merit for merit, has in is_told.items() if not has and f"{scene.name}: {merit}" not in TestDominance.cannot
    ]
    assert not [merit for merit, has in is_told.items() if plain[merit] and not has]
