"""Arms: functions from the calls of a conversation to the texts that the model reads. None of them sees the request."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import jsonschema_rs
import retry_prompt
from calls import SentCall
from faults import exception_of
from scenarios import Scenario, failed_call, schema_of, sent_arguments

from mulligan import Pipeline, Tool, ToolCall, ToolResult

Arm = Callable[[Scenario, Sequence[SentCall]], list[str]]
Wording = Callable[[Scenario], str]


def results_of(scenario: Scenario, calls: Sequence[SentCall]) -> list[ToolResult]:
    """The calls, made for real in one session of a default pipeline: mulligan is told nothing about the failure."""
    tools = [_tool(scenario, one) for one in scenario["tools"]]
    with Pipeline(tools) as pipeline:
        session = pipeline.session()
        return [session.call(ToolCall(f"call_{at}", one.name, one.arguments)) for at, one in enumerate(calls, 1)]


def _tool(scenario: Scenario, declared: dict[str, Any]) -> Tool:
    def handler(**arguments: Any) -> Any:
        if declared["name"] == scenario["call"]["name"] and "raises" in scenario:
            raise exception_of(_about(scenario, arguments))
        return declared.get("returns", "done")

    return Tool.from_schema(handler=handler, **{key: value for key, value in declared.items() if key != "returns"})


def _about(scenario: Scenario, arguments: Any) -> Any:
    """What the scenario raises, about other arguments: the texts that were sent first become those sent now."""
    text, first = json.dumps(scenario["raises"]), scenario["call"].get("arguments", {})
    for key, value in arguments.items():
        before = first.get(key)
        if isinstance(value, str) and isinstance(before, str) and before:
            text = text.replace(json.dumps(before)[1:-1], json.dumps(value)[1:-1])
    return json.loads(text)


def mulligan(scenario: Scenario, calls: Sequence[SentCall]) -> list[str]:
    """What mulligan's default pipeline tells the model."""
    return [result.content for result in results_of(scenario, calls)]


def raw(scenario: Scenario) -> str:
    """`str(exception)`, as a plain loop around the tools sends it."""
    name = scenario["call"]["name"]
    schema = schema_of(scenario, name)
    if schema is None:
        return f"Tool '{name}' not found"
    try:
        jsonschema_rs.validator_for(schema).validate(json.loads(sent_arguments(scenario)))
    except json.JSONDecodeError as error:
        return str(error)
    except jsonschema_rs.ValidationError as error:
        return error.message
    return str(exception_of(scenario["raises"]))


def pydantic_ai(scenario: Scenario) -> str:
    """Pydantic AI's retry prompt; an exception of a tool counts as a ModelRetry with its text."""
    if schema_of(scenario, scenario["call"]["name"]) is None:
        return retry_prompt.unknown_tool(scenario)
    if is_valid(scenario):
        return retry_prompt.model_retry(raw(scenario))
    return retry_prompt.invalid_arguments(scenario)


def is_valid(scenario: Scenario) -> bool:
    """Do the arguments of the call keep to the schema of its tool?"""
    schema = schema_of(scenario, scenario["call"]["name"])
    try:
        arguments = json.loads(sent_arguments(scenario))
    except json.JSONDecodeError:
        return False
    return schema is not None and jsonschema_rs.validator_for(schema).is_valid(arguments)


def without_memory(word: Wording) -> Arm:
    """An arm that words each failed call by itself; a tool that does not fail returns what the scenario says."""

    def texts(scenario: Scenario, calls: Sequence[SentCall]) -> list[str]:
        return [_after(scenario, one, word) for one in calls]

    return texts


def _after(scenario: Scenario, sent: SentCall, word: Wording) -> str:
    is_same_tool = sent.name == scenario["call"]["name"]
    call = {"name": sent.name, "raw_arguments": sent.arguments}
    if not is_valid({**scenario, "call": call}):
        return word({**scenario, "call": call})
    arguments = json.loads(sent.arguments)
    if is_same_tool and "raises" in scenario:
        return word({**scenario, "call": call, "raises": _about(scenario, arguments)})
    returned = next(tool.get("returns", "done") for tool in scenario["tools"] if tool["name"] == sent.name)
    return returned if isinstance(returned, str) else json.dumps(returned)


PARTS = {  # of mulligan's texts: what is left out of them
    "meant": re.compile(r"^(?:Did you mean|Closest:).*\n?", re.MULTILINE),
    "options": re.compile(r"^(?:Available tools|There are \d+ tools).*\n?", re.MULTILINE),
    "quoted": re.compile(r"^The tool reported.*\n<<<(\w+)\n(?:.*\n)*?\1>>>\n?", re.MULTILINE),
    "notes": re.compile(r"^(?:It may have taken effect|The tool ran, and|You can call it again in).*\n?", re.MULTILINE),
    "problems": re.compile(r"^- /.*\n?", re.MULTILINE),
    "step": re.compile(r"^Next:.*\n?", re.MULTILINE),
}


def without(part: str) -> Arm:
    """mulligan's texts without one of their parts."""
    return lambda scenario, calls: [PARTS[part].sub("", text).rstrip() for text in mulligan(scenario, calls)]


ARMS: dict[str, Arm] = {
    "mulligan": mulligan,
    "pydantic_ai": without_memory(pydantic_ai),
    "raw": without_memory(raw),
    **{f"no-{part}": without(part) for part in PARTS},
}
COMPARED = ("mulligan", "pydantic_ai", "raw")


def first_text(arm: str, scenario: Scenario) -> str:
    """What the model reads after the call that fails."""
    return ARMS[arm](scenario, [failed_call(scenario)])[0]
