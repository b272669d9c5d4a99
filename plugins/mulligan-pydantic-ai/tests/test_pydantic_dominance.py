from mulligan_pydantic_ai import Mulligan
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.scenes import DONE
from pydantic_ai import Agent
from scripted import Script, call, play, say


class TestDominance(Dominance):
    framework = "Pydantic AI"
    packages = ("pydantic-ai-slim",)

    def plain(self, scene, stage):
        return self._heard(scene, Agent(tools=stage.tools))

    def guarded(self, scene, stage):
        return self._heard(scene, Agent(tools=stage.tools, capabilities=[Mulligan(timeout=scene.timeout)]))

    def _heard(self, scene, agent):
        played = play(agent, Script(*[[call(*one) for one in message] for message in scene.messages], [say(DONE)]))
        return Performance(played.answers, played.output == DONE, played.error)
