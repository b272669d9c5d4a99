from agents import Agent, function_tool
from agents.testing import ScriptedModel
from mulligan_openai_agents import run_config, wrap
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.scenes import DONE
from scripted import SILENT, call, play, say


class TestDominance(Dominance):
    framework = "OpenAI Agents SDK"
    packages = ("openai-agents",)

    def plain(self, scene, stage):
        return self._heard(self._agent(scene, stage), SILENT)

    def guarded(self, scene, stage):
        return self._heard(wrap(self._agent(scene, stage), timeout=scene.timeout), run_config(SILENT))

    def _agent(self, scene, stage):
        script = [[call(*one) for one in message] for message in scene.messages]
        tools = [function_tool(function) for function in stage.tools]
        return Agent(name="worker", model=ScriptedModel([*script, [say(DONE)]]), tools=tools)

    def _heard(self, agent, config):
        played = play(agent, config)
        finished = played.result is not None and played.result.final_output == DONE
        return Performance({id: str(text) for id, text in played.answers.items()}, finished, played.error)
