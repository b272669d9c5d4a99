from concurrent.futures import ThreadPoolExecutor

from mulligan_pydantic_ai import Mulligan
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.scenes import DONE
from pydantic_ai import Agent, ModelRetry
from scripted import Script, call, play, say


class TestDominance(Dominance):
    framework = "Pydantic AI"
    packages = ("pydantic-ai-slim",)
    absent = {"handoff": "an agent calls another as a tool; none takes a run over from it"}

    def open(self, scene, stage, is_guarded):
        agent, messages = self._agent(scene, stage, is_guarded), []
        return lambda turn: self._heard(agent, turn, messages)

    def say(self, text):
        raise ModelRetry(text)

    def agents(self, scene, stage, is_guarded):
        capability, messages = Mulligan(timeout=scene.timeout), []
        agents = [Agent(tools=stage.tools, capabilities=[capability] if is_guarded else []) for _ in scene.turns]
        return [self._heard(agent, turn, messages) for agent, turn in zip(agents, scene.on(stage), strict=True)]

    def branches(self, scene, stage, is_guarded):
        agent = self._agent(scene, stage, is_guarded)
        with ThreadPoolExecutor() as threads:
            return list(threads.map(lambda turn: self._heard(agent, turn, []), scene.turns))

    def replay(self, scene, stage, is_guarded):
        agent, messages, heard, before = self._agent(scene, stage, is_guarded), [], [], []
        for turn in scene.on(stage):
            if turn is scene.turns[-1]:
                messages = before
            before = list(messages)
            heard.append(self._heard(agent, turn, messages))
        return heard

    def _agent(self, scene, stage, is_guarded):
        return Agent(tools=stage.tools, capabilities=[Mulligan(timeout=scene.timeout)] if is_guarded else [])

    def _heard(self, agent, turn, messages):
        """One message of the user, after the messages of the runs before; they become those of this run."""
        script = Script(*[[call(*one) for one in message] for message in turn.messages], [say(DONE)])
        played = play(agent, script, message=turn.user, message_history=list(messages))
        messages[:] = played.messages
        return Performance(played.answers, played.output == DONE, played.error)
