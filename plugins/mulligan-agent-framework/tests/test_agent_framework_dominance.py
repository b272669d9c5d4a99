from mulligan_agent_framework import Mulligan
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.scenes import DONE
from scripted import agent, call, play


class TestDominance(Dominance):
    framework = "Microsoft Agent Framework"
    packages = ("agent-framework-core",)

    def plain(self, scene, stage):
        return self._heard(scene, stage)

    def guarded(self, scene, stage):
        return self._heard(scene, stage, middleware=[Mulligan(timeout=scene.timeout)])

    def _heard(self, scene, stage, **options):
        turns = [[call(one.id, one.name, one.arguments) for one in message] for message in scene.messages]
        played = play(agent(stage.tools, *turns, DONE, **options))
        return Performance(played.answers, played.output == DONE, played.error)
