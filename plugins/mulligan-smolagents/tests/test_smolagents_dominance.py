"""The dominance table: smolagents as its documentation begins, and the same with the guard."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mulligan_smolagents import guard
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.props import Stage
from mulligan_testkit.scenes import DONE, Scene, Turn
from smolagents import ActionStep
from smolagents_play import Played, agent, play

from mulligan import Pipeline


def _script(turn: Turn) -> list[Any]:
    return [*([(call.id, call.name, call.arguments) for call in message] for message in turn.messages), DONE]


def _agent(scene: Scene, stage: Stage, is_guarded: bool, **options: Any) -> Any:
    one = agent(tools=stage.tools)
    return guard(one, timeout=scene.timeout, **options) if is_guarded else one


def _send(one: Any, turn: Turn, **options: Any) -> Performance:
    one.model.turns, one.model.requests = _script(turn), []
    return _heard(play(one, turn.user, **options))


def _heard(played: Played) -> Performance:
    answers = {id: text for id, text in played.answers.items() if id != "answer"}
    texts = "\n".join(
        str(step.observations) for step in _steps(played.agent)
    )  # in the order in which the model reads them
    ordered = dict(sorted(answers.items(), key=lambda answer: texts.find(answer[1])))
    return Performance(ordered, str(played.last) == DONE, played.error)


def _steps(one: Any) -> list[ActionStep]:
    return [step for step in one.memory.steps if isinstance(step, ActionStep)]


class TestDominance(Dominance):
    framework = "smolagents"
    packages = ("smolagents", "mulligan-smolagents")
    absent = {"author": "the author of a tool cannot word a failure for the model, who reads the text of any exception"}

    def open(self, scene: Scene, stage: Stage, is_guarded: bool) -> Callable[[Turn], Performance]:
        one = _agent(scene, stage, is_guarded)
        return lambda turn: _send(one, turn, reset=False)

    def agents(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        pipeline = Pipeline()
        agents = [_agent(scene, stage, is_guarded, pipeline=pipeline) for _ in scene.turns]
        return [_send(one, turn) for one, turn in zip(agents, scene.on(stage), strict=True)]

    def branches(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        pipeline = Pipeline()
        agents = [_agent(scene, stage, is_guarded, pipeline=pipeline) for _ in scene.turns]
        with ThreadPoolExecutor() as threads:
            return list(threads.map(_send, agents, scene.turns))

    def replay(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        one = _agent(scene, stage, is_guarded)
        heard, saved = [], []
        for turn in scene.on(stage):
            saved.append(list(one.memory.steps))
            if turn is scene.turns[-1]:
                one.memory.steps[:] = saved[-2]
            heard.append(_send(one, turn, reset=False))
        return heard

    def handoff(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        (turn,) = scene.turns
        late = agent(*_script(turn), tools=stage.tools)
        late.name, late.description = "late", "Has the tools."
        front = agent([("h1", "late", {"task": "Go on."})], DONE, managed_agents=[late])
        managed, front.managed_agents = front.managed_agents, {}
        if is_guarded:
            guard(front, timeout=scene.timeout)
        front.managed_agents = managed
        ended = _heard(play(front, turn.user))
        said = [(step, step.model_output_message.tool_calls or ()) for step in _steps(late)]
        answers = {call.id: str(step.observations or step.error) for step, calls in said for call in calls}
        return [Performance(answers, ended.finished, ended.error)]
