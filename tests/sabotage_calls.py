"""Makes all kinds of calls in pipelines that load what is installed, and prints what came of them as JSON."""

from __future__ import annotations

import asyncio
import json

import golden_texts

import mulligan
from mulligan import Pipeline, tool


def loading(*given, **options):
    return Pipeline(*given, **{**options, "autoload": True})


@tool(read_only=True)
def find_shoe(size: int, colour: str = "red") -> str:
    """Find a shoe in the shop."""
    return f"a {colour} shoe, size {size}"


@tool(read_only=True)
def read_page(path: str) -> str:
    """Read a page."""
    raise FileNotFoundError(2, "No such file or directory", path)


@tool(read_only=True)
def weather() -> dict[str, str]:
    """Tell the weather."""
    return {"error": "the station is closed"}


@tool(read_only=True)
async def later() -> str:
    """Answer later."""
    await asyncio.sleep(0)
    raise TimeoutError("read timed out")


CALLS = [
    ("find_shoe", '{"size": 42}'),
    ("find_shoe", '{"size": "big"}'),
    ("find_shoe", '{"size": 42'),
    ("findShoe", '{"size": 42}'),
    ("read_page", {"path": "a.md"}),
    ("weather", None),
    ("later", None),
]
OPENAI = {
    "role": "assistant",
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "find_shoe", "arguments": '{"size": 42}'}},
        {"id": "c2", "type": "function", "function": {"name": "nope", "arguments": "{}"}},
    ],
}
ANTHROPIC = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "t1", "name": "read_page", "input": {"path": "b.md"}}],
}


def told(result) -> list[object]:
    error = result.error
    return [
        result.content,
        result.fatal,
        type(error).__name__,
        getattr(error, "code", None),
        getattr(error, "rule", None),
    ]


def outcomes() -> dict[str, object]:
    """The same calls again and again in one pipeline: before, while and after plugins are set aside."""
    found: dict[str, object] = {}
    with loading([find_shoe, read_page, weather, later]) as pipeline:
        for round in range(4):
            found[f"calls {round}"] = [told(pipeline.call(*call)) for call in CALLS]
            found[f"acalls {round}"] = [told(result) for result in asyncio.run(pipeline.acall_many(CALLS))]
            found[f"messages {round}"] = [list(pipeline.answer(message)) for message in (OPENAI, ANTHROPIC)]
            found[f"recovered {round}"] = told(pipeline.recover("Unknown tool: findShoe"))
            found[f"conversation {round}"] = [told(pipeline.session().call(*call)) for call in CALLS]
        found["shown"] = pipeline.tools.definitions("anthropic")
    return found


if __name__ == "__main__":
    golden_texts.Pipeline = loading
    mulligan.Pipeline = loading
    pinned = {name: golden_texts.pinned(case) for name, case in golden_texts.CASES.items()}
    print(json.dumps({"pinned": pinned, "outcomes": outcomes()}, indent=1))
