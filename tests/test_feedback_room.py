"""Feedback within its limits, of characters and of tokens, whatever it is about: whole parts go, the least important first."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from fences import unfence

from mulligan import Limits, Pipeline, Tool, errors

FORMATS = ("text", "json", "block")
WORDS = re.compile(r"\w+|[^\w\s]")


def raised(error: BaseException) -> Any:
    def handler(**_: Any) -> Any:
        raise error

    return handler


def failing(error: BaseException) -> Tool:
    return Tool.from_schema("act", "Do it", {"type": "object"}, raised(error))


def a_million_characters() -> tuple[list[Tool], str, Any]:
    return [failing(ValueError("no route to the printer in room 7, " * 30_000))], "act", {}


def a_million_characters_without_a_space() -> tuple[list[Tool], str, Any]:
    return [failing(ValueError("x" * 1_000_000))], "act", {}


def a_million_brackets() -> tuple[list[Tool], str, Any]:
    return [failing(ValueError('<<<[{\\"' * 150_000))], "act", {}


def many_problems_from_a_tool() -> tuple[list[Tool], str, Any]:
    problems = [errors.Problem(f"/items/{n}/name", "wrong type", "string", str(n)) for n in range(2_000)]
    return [failing(errors.ToolArgumentError("Invalid.", problems=problems))], "act", {}


def many_wrong_items() -> tuple[list[Tool], str, Any]:
    schema = {
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"type": "integer"}}},
        "required": ["items"],
    }
    return [Tool.from_schema("act", "", schema, dict)], "act", {"items": ["x"] * 10_000}


def many_tools() -> tuple[list[Tool], str, Any]:
    tools = [
        Tool.from_schema(f"service_{n}__read_file", f"Read file {n}", {"type": "object"}, dict) for n in range(1_000)
    ]
    return tools, "read_the_file_of_service", "{}"


def a_long_name() -> tuple[list[Tool], str, Any]:
    return [failing(ValueError("no"))], "read" * 250_000, "{}"


FLOODS = (
    *(a_million_characters, a_million_characters_without_a_space, a_million_brackets),
    *(many_problems_from_a_tool, many_wrong_items, many_tools, a_long_name),
)


class Counting:
    """Tokens as words and signs."""

    @staticmethod
    def of(text: str) -> int:
        return len(WORDS.findall(text))


def is_whole(content: str, format: str) -> bool:
    """Whether a text is no torn one: JSON parses, and a fence that begins ends."""
    if format == "json":
        content = json.loads(content)["feedback"]
    fences = re.findall(r"<<<[0-9a-f]{16}$", content, re.MULTILINE)
    ends = re.findall(r"^[0-9a-f]{16}>>>$", content, re.MULTILINE)
    return len(fences) == len(ends) <= 1


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: flood.__name__)
def test_a_flood_stays_within_the_limit(make_pipeline, flood, format):
    tools, name, arguments = flood()
    for chars in (200, 500, 2_000):
        pipeline = make_pipeline(*tools, limits=Limits(feedback_chars=chars, argument_bytes=2_000_000), format=format)
        content = pipeline.call(name, arguments).content
        assert 0 < len(content) <= chars
        assert is_whole(content, format), content


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: flood.__name__)
def test_a_flood_stays_within_the_tokens(make_pipeline, plugin, flood, format):
    tools, name, arguments = flood()
    for tokens in (50, 120, 300):
        limits = Limits(feedback_tokens=tokens, argument_bytes=2_000_000)
        counted = make_pipeline(
            *tools, limits=limits, format=format, plugins=[plugin(count_tokens=lambda text: Counting.of(text))]
        )
        content = counted.call(name, arguments).content
        assert 0 < Counting.of(content) <= tokens
        assert is_whole(content, format), content
        content = make_pipeline(*tools, limits=limits, format=format).call(name, arguments).content
        assert 0 < math.ceil(len(content) / 4) <= tokens
        assert is_whole(content, format), content


def test_parts_go_by_their_importance(make_pipeline):
    problem = errors.ToolRateLimitError("Too many calls for now.", effect="possible")
    problem.__cause__ = None
    tool = failing(ValueError("the printer hums a tune and blinks twice, " * 8))
    whole = make_pipeline(tool).call("act", {}).content
    assert unfence(whole.split("\nNext")[0].partition("effect.\n")[2]) is not None
    fewer = make_pipeline(tool, limits=Limits(feedback_tokens=60)).call("act", {}).content
    assert fewer.splitlines() == [
        "Error executing tool act: The tool failed with ValueError.",
        "It may have taken effect.",
        "Next: read the current state with another tool first. Do not repeat this call before you know whether it took effect.",
    ]


def test_the_first_plugin_that_counts_decides(make_pipeline, plugin):
    asked: list[str] = []

    def dear(text: str) -> int:
        asked.append(text)
        return len(text)

    silent, first, second = (
        plugin("a", count_tokens=lambda: None),
        plugin("b", count_tokens=dear),
        plugin("c", count_tokens=dear),
    )
    pipeline = make_pipeline(plugins=[second, first, silent], limits=Limits(feedback_tokens=150))
    content = pipeline.call("nope").content
    assert len(content) <= 150
    assert asked[-1] == content
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("wrong", ["many", 1.5, -1, True, None])
def test_a_count_that_is_none_leaves_the_estimate(make_pipeline, plugin, wrong):
    pipeline = make_pipeline(
        failing(ValueError("no route " * 200)),
        limits=Limits(feedback_tokens=60),
        plugins=[plugin("odd", count_tokens=lambda text: wrong)],
    )
    assert math.ceil(len(pipeline.call("act", {}).content) / 4) <= 60
    assert {fault.hook for fault in pipeline.faults} == (set() if wrong is None else {"count_tokens"})


def test_a_counter_that_is_never_content_ends(make_pipeline, plugin):
    pipeline = make_pipeline(limits=Limits(feedback_tokens=60), plugins=[plugin(count_tokens=lambda text: 61)])
    for format in FORMATS:
        assert isinstance(pipeline.session(format=format).call("nope").content, str)


def test_nobody_is_asked_without_a_limit(make_pipeline, plugin):
    pipeline = make_pipeline(plugins=[plugin(count_tokens=lambda text: 1 / 0)])
    assert pipeline.call("nope").is_error
    assert pipeline.faults == ()


@pytest.mark.parametrize("tokens", [0, 49])
def test_too_few_tokens_are_refused(tokens):
    with pytest.raises(errors.UsageError, match=r"Limits\(feedback_tokens=\d+\)"):
        Limits(feedback_tokens=tokens)


def test_a_format_of_a_plugin_keeps_within_the_tokens(make_pipeline):
    from mulligan import FeedbackFormat

    class Chatty(FeedbackFormat):
        name = "chatty"

        def render(self, feedback):
            return f"{feedback.headline} {feedback.detail} " + "and so on " * 200

    with Pipeline(
        [failing(ValueError("no"))], autoload=False, format=Chatty(), limits=Limits(feedback_tokens=60)
    ) as pipeline:
        assert math.ceil(len(pipeline.call("act", {}).content) / 4) <= 60
