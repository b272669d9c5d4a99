import inspect

from llama_index.core.agent.workflow import FunctionAgent
from mulligan_llamaindex import wrap
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.scenes import DONE
from scripted import call, play, script


class TestDominance(Dominance):
    framework = "LlamaIndex"
    packages = ("llama-index-core",)
    cannot = {
        "malformed_json: c1 tells that it is the JSON": "the class for a provider has read it as no arguments at all",
        "malformed_json: c1 tells where it broke": "the class for a provider has read it as no arguments at all",
    }

    def plain(self, scene, stage):
        return self._heard(self._agent(scene, stage))

    def guarded(self, scene, stage):
        return self._heard(wrap(self._agent(scene, stage), timeout=scene.timeout))

    def _agent(self, scene, stage):
        said = script(*[[call(*one) for one in message] for message in scene.messages], DONE)
        for tool in stage.tools:  # LlamaIndex does not resolve annotations that are text
            tool.__signature__ = inspect.signature(tool, eval_str=True)
        return FunctionAgent(tools=list(stage.tools), llm=said)

    def _heard(self, agent):
        played = play(agent)
        return Performance(played.answers, played.output == DONE, played.error)
