import asyncio
from concurrent.futures import ThreadPoolExecutor

from agents import Agent, SQLiteSession, function_tool
from agents.testing import ScriptedModel
from mulligan_openai_agents import run_config, wrap
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.scenes import DONE
from scripted import SILENT, call, play, say

from mulligan import Pipeline


def script(turn):
    return ScriptedModel([*([call(*one) for one in message] for message in turn.messages), [say(DONE)]])


def words(context, error):
    return str(error)


class TestDominance(Dominance):
    framework = "OpenAI Agents SDK"
    packages = ("openai-agents",)

    def open(self, scene, stage, is_guarded):
        agent, session = self._agent(scene, stage, is_guarded), SQLiteSession("talk")
        return lambda turn: self._heard(agent, turn, is_guarded, session)

    def say(self, text):
        raise RuntimeError(text)

    def agents(self, scene, stage, is_guarded):
        pipeline, session = Pipeline(), SQLiteSession("talk")
        agents = [self._agent(scene, stage, is_guarded, pipeline=pipeline) for _ in scene.turns]
        pairs = zip(agents, scene.on(stage), strict=True)
        return [self._heard(agent, turn, is_guarded, session) for agent, turn in pairs]

    def branches(self, scene, stage, is_guarded):
        agent = self._agent(scene, stage, is_guarded)
        with ThreadPoolExecutor() as threads:
            return list(threads.map(lambda turn: self._heard(agent.clone(), turn, is_guarded), scene.turns))

    def replay(self, scene, stage, is_guarded):
        agent, session = self._agent(scene, stage, is_guarded), SQLiteSession("talk")
        heard, kept = [], []
        for turn in scene.on(stage):
            before = asyncio.run(session.get_items())
            if turn is scene.turns[-1]:
                asyncio.run(session.clear_session())
                asyncio.run(session.add_items(kept))
            kept = before
            heard.append(self._heard(agent, turn, is_guarded, session))
        return heard

    def handoff(self, scene, stage, is_guarded):
        (turn,) = scene.turns
        front = Agent(name="front", model=ScriptedModel([[call("h1", "transfer_to_worker")]]))
        agent = wrap(front, timeout=scene.timeout) if is_guarded else front
        late = Agent(name="worker", tools=self._tools(scene, stage), model=script(turn))
        agent.handoffs.append(late)
        return [self._played(agent, is_guarded)]

    def _tools(self, scene, stage):
        options = {"failure_error_function": words} if scene.way == "author" else {}
        return [function_tool(function, **options) for function in stage.tools]

    def _agent(self, scene, stage, is_guarded, **options):
        agent = Agent(name="worker", tools=self._tools(scene, stage))
        return wrap(agent, timeout=scene.timeout, **options) if is_guarded else agent

    def _heard(self, agent, turn, is_guarded, session=None):
        agent.model = script(turn)
        return self._played(agent, is_guarded, message=turn.user, session=session)

    def _played(self, agent, is_guarded, **options):
        played = play(agent, run_config(SILENT) if is_guarded else SILENT, **options)
        finished = played.result is not None and played.result.final_output == DONE
        return Performance({id: str(text) for id, text in played.answers.items()}, finished, played.error)
