"""The model: its prompt, written out, and greedy completion by llama.cpp."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

from calls import SentCall, written
from scenarios import Scenario, is_recoverable

SYSTEM = "You are a helpful assistant. Answer the user's request with the tools you have."
OPENING = '<tool_call>\n{"name": "'  # a forced tool call: what is measured is which one
STOPS = ["</tool_call>", "<|im_end|>"]
FORM = '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'


def opening(scenario: Scenario, *, free: bool = False) -> str:
    """How the answer begins: as a tool call, but free after a refusal, where none should follow, or if asked for."""
    return OPENING if is_recoverable(scenario) and not free else ""


def prompt(scenario: Scenario, turns: Iterable[tuple[SentCall, str]], opening: str) -> str:
    """The conversation up to the answer, in the chat template that Qwen2.5 was trained on.

    Args:
        scenario: the request and the tools.
        turns: the calls so far, each with what the model read after it.
        opening: how the answer begins.
    """
    shown = [{key: tool[key] for key in ("name", "description", "parameters")} for tool in scenario["tools"]]
    tools = "\n".join(json.dumps({"type": "function", "function": one}) for one in shown)
    system = (
        f"{SYSTEM}\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided "
        f"with function signatures within <tools></tools> XML tags:\n<tools>\n{tools}\n</tools>\n\nFor each function "
        "call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n" + FORM
    )
    said = [("system", system), ("user", scenario["user"])]
    for call, text in turns:
        said += [("assistant", written(call)), ("user", f"<tool_response>\n{text}\n</tool_response>")]
    shown_turns = "".join(f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text in said)
    return f"{shown_turns}<|im_start|>assistant\n{opening}"


def serve(path: str, threads: int, context: int = 6144) -> Callable[[str], dict[str, Any]]:
    """A function that completes a prompt greedily, and returns the server's whole reply."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # spinning threads starve each other on a busy machine
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = path
    parameters.n_ctx, parameters.n_parallel, parameters.warmup, parameters.verbosity = context, 1, False, 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(parameters)
    greedy = {"max_tokens": 160, "temperature": 0, "top_k": 1, "seed": 1, "cache_prompt": True, "stop": STOPS}

    def complete(text: str) -> dict[str, Any]:
        reply = server.handle_completions({"prompt": text, **greedy})
        decoded: dict[str, Any] = json.loads(reply) if isinstance(reply, str | bytes) else reply
        return decoded

    return complete


def load(path: str, threads: int) -> Callable[[str], str]:
    """A function that completes a prompt greedily."""
    complete = serve(path, threads)
    return lambda text: complete(text)["choices"][0]["text"]
