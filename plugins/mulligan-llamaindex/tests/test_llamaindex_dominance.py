import inspect
from concurrent.futures import ThreadPoolExecutor

from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.tools import ToolOutput
from llama_index.core.workflow import Context
from mulligan_llamaindex import wrap
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.scenes import DONE
from scripted import call, play, script

from mulligan import Pipeline


def steps(turn):
    return [*([call(*one) for one in message] for message in turn.messages), DONE]


def heard(played):
    return Performance(played.answers, played.output == DONE, played.error)


class TestDominance(Dominance):
    framework = "LlamaIndex"
    packages = ("llama-index-core",)
    cannot = {
        "malformed_json: c1 tells that it is the JSON": "the class for a provider has read it as no arguments at all",
        "malformed_json: c1 tells where it broke": "the class for a provider has read it as no arguments at all",
    }

    def open(self, scene, stage, is_guarded):
        agent = self._agent(scene, stage, is_guarded)
        context = Context(agent)
        return lambda turn: self._send(agent, turn, context)

    def say(self, text):
        content = {"tool_name": "ship_order", "raw_input": {}, "raw_output": text}
        return ToolOutput(content=text, is_error=True, **content)

    def agents(self, scene, stage, is_guarded):
        pipeline = Pipeline()
        agents = [self._agent(scene, stage, is_guarded, pipeline=pipeline) for _ in scene.turns]
        return [self._send(agent, turn) for agent, turn in zip(agents, scene.on(stage), strict=True)]

    def branches(self, scene, stage, is_guarded):
        pipeline = Pipeline()
        agents = [self._agent(scene, stage, is_guarded, pipeline=pipeline) for _ in scene.turns]
        with ThreadPoolExecutor() as threads:
            return list(threads.map(self._send, agents, scene.turns))

    def replay(self, scene, stage, is_guarded):
        agent = self._agent(scene, stage, is_guarded)
        context, saved, performances = Context(agent), [], []
        for turn in scene.on(stage):
            saved.append(context.to_dict())
            if turn is scene.turns[-1]:
                context = Context.from_dict(agent, saved[-2])
            performances.append(self._send(agent, turn, context))
        return performances

    def handoff(self, scene, stage, is_guarded):
        (turn,) = scene.turns
        transfer = call("h1", "handoff", {"to_agent": "late", "reason": "It has the tools."})
        front = FunctionAgent(name="front", description="The first.", llm=script([transfer]), can_handoff_to=["late"])
        workflow = AgentWorkflow(agents=[front], root_agent="front")
        if is_guarded:
            wrap(workflow, timeout=scene.timeout)
        late = FunctionAgent(
            name="late", description="The late one.", llm=script(*steps(turn)), tools=self._tools(stage)
        )
        workflow.agents["late"] = late
        return [heard(play(workflow, message=turn.user))]

    def _agent(self, scene, stage, is_guarded, **options):
        agent = FunctionAgent(tools=self._tools(stage), llm=script())
        return wrap(agent, timeout=scene.timeout, **options) if is_guarded else agent

    def _tools(self, stage):
        for tool in stage.tools:  # LlamaIndex does not resolve annotations that are text
            tool.__signature__ = inspect.signature(tool, eval_str=True)
        return list(stage.tools)

    def _send(self, agent, turn, context=None):
        agent.llm.steps[:] = steps(turn)
        return heard(play(agent, ctx=context, message=turn.user))
