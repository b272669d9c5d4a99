"""Anthropic's tool runner: python anthropic_runner.py MODEL TASK."""

import sys
import warnings
from pathlib import Path
from typing import Any

from anthropic import Anthropic

from mulligan import Budget, Pipeline, tool
from mulligan.errors import ToolError

warnings.filterwarnings("ignore", "Tool .* not found in tool runner")  # it is in the pipeline


@tool(read_only=True, timeout=10)
def read_file(path: str = ".") -> str | list[str]:
    """Read a text file, or list a folder."""
    place = Path(path)
    return sorted(each.name for each in place.iterdir()) if place.is_dir() else place.read_text("utf-8")


def run(client: Anthropic, model: str, pipeline: Pipeline, messages: list[Any]) -> str:
    session, tools = pipeline.session(budget=Budget(calls=100)), pipeline.tools.definitions("anthropic")
    options: Any = {"model": model, "max_tokens": 4096, "messages": messages, "tools": tools, "thread": False}
    for reply in (runner := client.beta.messages.tool_runner(**options)):
        answers = session.answer(reply)
        messages += (added := [{"role": "assistant", "content": reply.content}, *answers])
        answers.raise_if_fatal()  # every call has its answer, even a failed one
        runner.append_messages(*added)
        runner.set_messages_params(lambda sent: {**sent, "tools": pipeline.tools.definitions("anthropic")})
    return "".join(block.text for block in runner.until_done().content if block.type == "text")


if __name__ == "__main__":
    try:
        print(run(Anthropic(), sys.argv[1], Pipeline([read_file]), [{"role": "user", "content": sys.argv[2]}]))
    except ToolError as error:
        sys.exit(f"Stopped. {error.user_message}")
