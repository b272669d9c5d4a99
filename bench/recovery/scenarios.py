"""The scenarios: a request, a tool call that fails, and what a right next call looks like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from calls import SentCall

HERE = Path(__file__).parent
SETS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18)
Scenario = dict[str, Any]


def load(which: int) -> list[Scenario]:
    """All scenarios of a set with their tools, those of one toolset together: they share the model's cached prefix."""
    suffix = "" if which == 1 else f"_{which}"
    sets = json.loads((HERE / f"toolsets{suffix}.json").read_text(encoding="utf-8"))
    lines = (HERE / f"scenarios{suffix}.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return sorted(({**one, "tools": sets[one["toolset"]]} for one in found), key=lambda one: one["toolset"])


def sent_arguments(scenario: Scenario) -> str:
    """The arguments of the failed call, as the model wrote them."""
    call = scenario["call"]
    return call["raw_arguments"] if "raw_arguments" in call else json.dumps(call["arguments"])


def failed_call(scenario: Scenario) -> SentCall:
    """The call that fails."""
    return SentCall(scenario["call"]["name"], sent_arguments(scenario))


def is_recoverable(scenario: Scenario) -> bool:
    """Whether a right next call exists; after a refusal none does."""
    return "not_again" not in scenario["expect"]


def schema_of(scenario: Scenario, name: str) -> dict[str, Any] | None:
    """The parameters of a tool, or None where there is none of that name."""
    return next((tool["parameters"] for tool in scenario["tools"] if tool["name"] == name), None)


def is_read_only(scenario: Scenario) -> bool:
    """Whether the tool that was called, or meant, is declared as one that only reads."""
    names = scenario["call"]["name"], *scenario["expect"].get("tool", ())
    declared = {tool["name"]: tool.get("read_only", False) for tool in scenario["tools"]}
    return next(declared[name] for name in names if name in declared)
