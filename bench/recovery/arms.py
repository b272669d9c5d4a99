"""Arms: functions from a failed call to the text that the model is told. None of them sees the request or the answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema_rs
import retry_prompt
from faults import exception_of
from scenarios import Scenario, schema_of, sent_arguments

from mulligan import Pipeline, Tool, ToolResult

Arm = Callable[[Scenario], str]


def result_of(scenario: Scenario) -> ToolResult:
    """The failed call, made for real in a default pipeline: mulligan is told nothing about the failure."""

    def handler(**_: Any) -> str:
        if "raises" in scenario:
            raise exception_of(scenario["raises"])
        return "done"

    tools = [Tool.from_schema(handler=handler, **one) for one in scenario["tools"]]
    with Pipeline(tools) as pipeline:
        return pipeline.call(scenario["call"]["name"], sent_arguments(scenario), call_id="call_1")


def mulligan(scenario: Scenario) -> str:
    """What mulligan's default pipeline tells the model."""
    return result_of(scenario).content


def raw(scenario: Scenario) -> str:
    """`str(exception)`, as a plain loop around the tools sends it."""
    name = scenario["call"]["name"]
    if "raises" in scenario:
        return str(exception_of(scenario["raises"]))
    schema = schema_of(scenario, name)
    if schema is None:
        return f"Tool '{name}' not found"
    try:
        jsonschema_rs.validator_for(schema).validate(json.loads(sent_arguments(scenario)))
    except json.JSONDecodeError as error:
        return str(error)
    except jsonschema_rs.ValidationError as error:
        return error.message
    raise AssertionError(f"{scenario['id']}: the call does not fail")


def pydantic_ai(scenario: Scenario) -> str:
    """Pydantic AI's retry prompt; an exception of a tool counts as a ModelRetry with its text."""
    if "raises" in scenario:
        return retry_prompt.model_retry(raw(scenario))
    if schema_of(scenario, scenario["call"]["name"]) is None:
        return retry_prompt.unknown_tool(scenario)
    return retry_prompt.invalid_arguments(scenario)


ARMS: dict[str, Arm] = {"mulligan": mulligan, "pydantic_ai": pydantic_ai, "raw": raw}
