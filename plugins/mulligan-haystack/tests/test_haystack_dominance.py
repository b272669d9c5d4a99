from concurrent.futures import ThreadPoolExecutor

from haystack.dataclasses import ChatMessage
from mulligan_haystack import wrap
from mulligan_testkit.dominance import Dominance, Performance
from mulligan_testkit.scenes import DONE
from scripted import agent, call, play

from mulligan import Pipeline


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
    absent = {
        "author": "the author of a tool cannot word a failure for the model, who reads the text of any exception",
        "handoff": "an agent calls another as a tool, or is a component before it; none takes a run over from it",
    }

    def open(self, scene, stage, is_guarded):
        one, messages = self._agent(scene, stage, is_guarded), []
        return lambda turn: self._send(one, turn, messages)

    def agents(self, scene, stage, is_guarded):
        pipeline, messages = Pipeline(), []
        agents = [self._agent(scene, stage, is_guarded, pipeline=pipeline) for _ in scene.turns]
        return [self._send(one, turn, messages) for one, turn in zip(agents, scene.on(stage), strict=True)]

    def branches(self, scene, stage, is_guarded):
        pipeline = Pipeline()
        agents = [self._agent(scene, stage, is_guarded, pipeline=pipeline) for _ in scene.turns]
        with ThreadPoolExecutor() as threads:
            return list(threads.map(lambda one, turn: self._send(one, turn, []), agents, scene.turns))

    def replay(self, scene, stage, is_guarded):
        one, messages = self._agent(scene, stage, is_guarded), []
        saved, heard = [], []
        for turn in scene.on(stage):
            saved.append([message.to_dict() for message in messages])
            if turn is scene.turns[-1]:
                messages = [ChatMessage.from_dict(message) for message in saved[-2]]
            heard.append(self._send(one, turn, messages))
        return heard

    def _agent(self, scene, stage, is_guarded, **options):
        one = agent(stage.tools)
        return wrap(one, timeout=scene.timeout, **options) if is_guarded else one

    def _send(self, one, turn, messages):
        """One message of the user, after the messages of the runs before; they become those of this run."""
        one.chat_generator.turns[:] = [[call(*sent) for sent in message] for message in turn.messages] + [DONE]
        played = play(one, message=turn.user, messages=messages)
        messages[:] = [message for message in played.messages if not message.is_from("system")]
        return Performance(played.answers, played.output == DONE, played.error)
