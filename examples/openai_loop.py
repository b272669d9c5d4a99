"""An agent loop with OpenAI's SDK: python openai_loop.py MODEL TASK."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from openai import OpenAI

from mulligan import Budget, Pipeline, tool
from mulligan.errors import ToolError


@tool(read_only=True, timeout=10)
def read_file(path: str = ".") -> str | list[str]:
    """Read a text file, or list a folder."""
    place = Path(path)
    return sorted(each.name for each in place.iterdir()) if place.is_dir() else place.read_text("utf-8")


def run(client: OpenAI, model: str, pipeline: Pipeline, messages: list[Any]) -> str:
    session = pipeline.session(budget=Budget(calls=100))
    while True:
        tools = pipeline.tools.definitions("openai")
        reply = client.chat.completions.create(model=model, messages=messages, tools=tools)
        messages.append(reply.choices[0].message)
        answers = session.answer(reply)
        if not answers:
            return reply.choices[0].message.content or ""
        messages += answers  # every call has its answer, even a failed one
        answers.raise_if_fatal()


if __name__ == "__main__":
    try:
        print(run(OpenAI(), sys.argv[1], Pipeline([read_file]), [{"role": "user", "content": sys.argv[2]}]))
    except ToolError as error:
        sys.exit(f"Stopped. {error.user_message}")
