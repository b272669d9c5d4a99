from concurrent.futures import ThreadPoolExecutor

from agent_framework import AgentSession
from mulligan_agent_framework import Mulligan
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.scenes import DONE
from scripted import agent, call, play


class TestDominance(Dominance):
    framework = "Microsoft Agent Framework"
    packages = ("agent-framework-core",)
    absent = {
        "author": "the author of a tool cannot word a failure for the model; texts of exceptions are left out",
        "handoff": "handoffs are a package of their own, whose agents are given when the workflow is built",
    }

    def open(self, scene, stage, is_guarded):
        one, session = agent(stage.tools, **self._options(scene, is_guarded)), AgentSession()
        return lambda turn: self._send(one, turn, session)

    def agents(self, scene, stage, is_guarded):
        options, session = self._options(scene, is_guarded), AgentSession()
        return [self._send(agent(stage.tools, **options), turn, session) for turn in scene.on(stage)]

    def branches(self, scene, stage, is_guarded):
        options = self._options(scene, is_guarded)
        agents = [agent(stage.tools, **options) for _ in scene.turns]
        sessions = [AgentSession(session_id="talk") for _ in scene.turns]
        with ThreadPoolExecutor() as threads:
            return list(threads.map(self._send, agents, scene.turns, sessions))

    def replay(self, scene, stage, is_guarded):
        one, session = agent(stage.tools, **self._options(scene, is_guarded)), AgentSession()
        saved, heard = [], []
        for turn in scene.on(stage):
            saved.append(session.to_dict())
            if turn is scene.turns[-1]:
                session = AgentSession.from_dict(saved[-2])
            heard.append(self._send(one, turn, session))
        return heard

    def _options(self, scene, is_guarded):
        return {"middleware": [Mulligan(timeout=scene.timeout)]} if is_guarded else {}

    def _send(self, one, turn, session):
        one.client.turns[:] = [[call(*sent) for sent in message] for message in turn.messages] + [DONE]
        played = play(one, turn.user, session=session)
        return Performance(played.answers, played.output == DONE, played.error)
