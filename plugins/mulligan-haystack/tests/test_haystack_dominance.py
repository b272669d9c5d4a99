from mulligan_haystack import wrap
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.scenes import DONE
from scripted import agent, call, play


class TestDominance(Dominance):
    framework = "Haystack"
    packages = ("haystack-ai",)
    cannot = {
        f"malformed_json: {merit}": "the class for a provider has left the call out before any agent sees it"
        for merit in (
            "every call is answered",
            "c1 tells that it is the JSON",
            "c1 tells where it broke",
        )
    }

    def plain(self, scene, stage):
        return self._heard(self._agent(scene, stage))

    def guarded(self, scene, stage):
        return self._heard(wrap(self._agent(scene, stage), timeout=scene.timeout))

    def _agent(self, scene, stage):
        turns = [[call(one.id, one.name, one.arguments) for one in message] for message in scene.messages]
        return agent(stage.tools, *turns, DONE)

    def _heard(self, one):
        played = play(one)
        return Performance(played.answers, played.output == DONE, played.error)
