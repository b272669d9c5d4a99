"""Is the next call right? Strict: its tool, its whole schema and every argument that matters."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import jsonschema_rs
from scenarios import Scenario, is_recoverable, schema_of

ParsedCall = tuple[str, dict[str, Any]]


class Verdict(NamedTuple):
    """Whether the answer is right, and one word for what it was."""

    right: bool
    outcome: str


def first_call(answer: str) -> ParsedCall | None:
    """The first complete JSON object of the answer that names a tool."""
    decoder = json.JSONDecoder()
    for brace in re.finditer(r"\{", answer):
        try:
            found, _ = decoder.raw_decode(answer, brace.start())
        except json.JSONDecodeError:
            continue
        if isinstance(found, dict) and isinstance(found.get("name"), str):
            arguments = found.get("arguments")
            return found["name"], arguments if isinstance(arguments, dict) else {}
    return None


def is_valid_call(scenario: Scenario, called: ParsedCall) -> bool:
    """Does the tool exist, and do the arguments keep to its schema?"""
    schema = schema_of(scenario, called[0])
    return schema is not None and jsonschema_rs.validator_for(schema).is_valid(called[1])


def is_wanted(value: Any, wanted: Any) -> bool:
    """Is this value the wanted one? `{"$re": ...}` and `{"$in": [...]}` stand for several."""
    match wanted:
        case {"$re": pattern}:
            return isinstance(value, str) and re.search(pattern, value) is not None
        case {"$in": several}:
            return any(is_wanted(value, one) for one in several)
        case dict():
            return isinstance(value, dict) and all(k in value and is_wanted(value[k], w) for k, w in wanted.items())
        case list():
            return isinstance(value, list) and len(value) == len(wanted) and all(map(is_wanted, value, wanted))
        case str():
            return isinstance(value, str) and value.strip().casefold() == wanted.casefold()
        case _:
            return isinstance(value, bool) == isinstance(wanted, bool) and value == wanted


def judge(scenario: Scenario, answer: str) -> Verdict:
    """Judge the answer to one scenario."""
    called, failed = first_call(answer), scenario["call"]
    if not is_recoverable(scenario):
        again = called is not None and called[0] == failed["name"]
        return Verdict(not again, "repeated" if again else "left alone")
    if called is None:
        return Verdict(right=False, outcome="no call")
    wanted = scenario["expect"]
    good = is_valid_call(scenario, called)
    if good and called[0] in wanted["tool"] and is_wanted(called[1], wanted["args"]):
        return Verdict(right=True, outcome="recovered")
    if called == (failed["name"], failed.get("arguments")):
        return Verdict(right=False, outcome="repeated")
    return Verdict(right=False, outcome="another call" if good else "invalid call")
