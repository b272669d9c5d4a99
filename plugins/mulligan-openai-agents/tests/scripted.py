"""A scripted model, and what the SDK sent it."""

import asyncio
import json
from types import SimpleNamespace

from agents import RunConfig, Runner
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

SILENT = RunConfig(tracing_disabled=True)


def call(id, name, arguments="{}"):
    arguments = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ResponseFunctionToolCall(id=f"fc_{id}", call_id=id, name=name, arguments=arguments, type="function_call")


def say(text):
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="m", content=[part], role="assistant", type="message", status="completed")


def told(items):
    """What the model reads of its calls, by call id."""
    return {item["call_id"]: item["output"] for item in items if item.get("type") == "function_call_output"}


def heard(model):
    """What the model has received for each call so far."""
    answers = {}
    for one in model.calls:
        answers.update(told(one.input))
    return answers


def play(agent, config, *, stream=False, message="go", **more):
    """Runs an agent to its end: result, error, what the model was told, and what the transcript of the run answers."""
    result = error = None

    async def run():
        if not stream:
            return await Runner.run(agent, message, run_config=config, **more)
        streamed = Runner.run_streamed(agent, message, run_config=config, **more)
        async for _ in streamed.stream_events():
            pass
        return streamed

    try:
        result = asyncio.run(run())
    except Exception as raised:
        error = raised
    data = result if error is None else getattr(error, "run_data", None)
    items = [item.to_input_item() for item in data.new_items] if data is not None else []
    answers = {**heard(agent.model), **told(items)}
    return SimpleNamespace(result=result, error=error, answers=answers, items=items)
