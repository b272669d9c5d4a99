"""Slips of the model: its k-th call becomes a faulty one. The same seed gives the same slip in every arm."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
from calls import SentCall
from task_list import Task
from worlds import TOOLSETS, ToolSpec

Arguments = dict[str, Any]
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@attrs.frozen
class Slip:
    """What happens to which call.

    Attributes:
        at: the number of the call, from 1.
        kinds: in the order of preference; the first that is possible happens.
        seed: of the random numbers.
    """

    at: int
    kinds: tuple[str, ...]
    seed: str

    def of(self, sent: SentCall, specs: Mapping[str, ToolSpec], toolset: str) -> tuple[str, SentCall] | None:
        """The kind and the faulty call; None for a call that is faulty already."""
        spec = specs.get(sent.name)
        try:
            arguments = json.loads(sent.arguments)
        except json.JSONDecodeError:
            return None
        if spec is None or not isinstance(arguments, dict):
            return None
        for kind in self.kinds:
            rng = random.Random(f"{self.seed}/{kind}")
            changed = KINDS[kind](sent.name, arguments, spec, TOOLSETS[toolset], rng)
            if changed is not None and changed != sent:
                return kind, changed
        return None


def plan(seed: int, tasks: Sequence[Task]) -> dict[str, Slip]:
    """The slip of each task, by its id: of the kinds that its solution allows, the one that was used least."""
    used: Counter[str] = Counter()
    slips = {}
    for task in tasks:
        rng = random.Random(f"{seed}/{task.id}")
        kinds = rng.sample(list(KINDS), len(KINDS))
        places = {kind: _places(kind, task) for kind in kinds}
        kinds.sort(key=lambda kind: (not places[kind], used[kind]))
        used[kinds[0]] += 1
        slips[task.id] = Slip(rng.choice(places[kinds[0]]), tuple(kinds), f"{seed}/{task.id}")
    return slips


def _places(kind: str, task: Task) -> list[int]:
    """The numbers of the solution's calls in which a kind of slip is possible."""
    toolset = TOOLSETS[task.toolset]

    def is_possible(name: str, arguments: Arguments) -> bool:
        match kind:
            case "enum":
                return any(value in toolset["values"] for value in arguments.values() if isinstance(value, str))
            case "missing":
                return any(key in toolset["existing"].get(name, ()) for key in arguments)
            case "near name" | "other name":
                return True
            case _:
                return bool(arguments)

    return [number for number, call in enumerate(task.calls, 1) if is_possible(call["name"], call["arguments"])]


def _near_name(name: str, arguments: Arguments, _: ToolSpec, toolset: Any, rng: random.Random) -> SentCall | None:
    return SentCall(rng.choice(toolset["near"][name]), json.dumps(arguments))


def _other_name(name: str, arguments: Arguments, _: ToolSpec, toolset: Any, rng: random.Random) -> SentCall | None:
    return SentCall(rng.choice(toolset["meaning"][name]), json.dumps(arguments))


def _argument_name(
    name: str, arguments: Arguments, spec: ToolSpec, toolset: Any, rng: random.Random
) -> SentCall | None:
    properties = spec.parameters["properties"]
    choices = [
        (old, new)
        for old in arguments
        for new in toolset["arguments"].get(old, ())
        if new not in properties and old in spec.parameters.get("required", ())
    ]
    if not choices:
        return None
    old, new = rng.choice(choices)
    return SentCall(name, json.dumps({new if key == old else key: value for key, value in arguments.items()}))


def _type(name: str, arguments: Arguments, spec: ToolSpec, _: Any, rng: random.Random) -> SentCall | None:
    numbers = [key for key, value in arguments.items() if type(value) is int]
    texts = [key for key, value in arguments.items() if isinstance(value, str) and "enum" not in _schema(spec, key)]
    if numbers:
        key = rng.choice(numbers)
        value = arguments[key]
        forms: list[Any] = [str(value), [value], f"no. {value}"]
        if 0 <= value < len(NUMBERS):
            forms.append(NUMBERS[value])
        return SentCall(name, json.dumps({**arguments, key: rng.choice(forms)}))
    if not texts:
        return None
    key = rng.choice(texts)
    wrapped = rng.choice(([arguments[key]], {"value": arguments[key]}))
    return SentCall(name, json.dumps({**arguments, key: wrapped}))


def _schema(spec: ToolSpec, key: str) -> dict[str, Any]:
    found: dict[str, Any] = spec.parameters["properties"].get(key, {})
    return found


def _json(name: str, arguments: Arguments, _: ToolSpec, __: Any, rng: random.Random) -> SentCall | None:
    if not arguments:
        return None
    text = json.dumps(arguments)
    forms: tuple[Callable[[], str], ...] = (
        lambda: repr(arguments),
        lambda: text[:-1] + ",}",
        lambda: text[:-1],
        lambda: re.sub(r'"(\w+)":', r"\1:", text),
        lambda: text[: -rng.randint(3, 5)],
    )
    return SentCall(name, rng.choice(forms)())


def _enum(name: str, arguments: Arguments, spec: ToolSpec, toolset: Any, rng: random.Random) -> SentCall | None:
    choices = [
        (key, other)
        for key, value in arguments.items()
        if "enum" in _schema(spec, key)
        for other in toolset["values"].get(value, ())
    ]
    if not choices:
        return None
    key, other = rng.choice(choices)
    return SentCall(name, json.dumps({**arguments, key: other}))


def _missing(name: str, arguments: Arguments, _: ToolSpec, toolset: Any, rng: random.Random) -> SentCall | None:
    """A path, name or number that does not exist."""
    keys = [key for key in toolset["existing"].get(name, ()) if key in arguments]
    if not keys:
        return None
    key = rng.choice(keys)
    value = arguments[key]
    if isinstance(value, bool) or not isinstance(value, int | str) or not value:
        return None
    if isinstance(value, int):
        wrong: Any = value + rng.choice((40, 70, 500))
    elif "." in value.rpartition("/")[2]:
        stem, _dot, ending = value.rpartition(".")
        wrong = rng.choice((f"{stem}.{'md' if ending == 'txt' else 'txt'}", f"{stem}s.{ending}", f"home/{value}"))
    else:
        wrong = rng.choice((f"{value}s", f"my-{value}"))
    return SentCall(name, json.dumps({**arguments, key: wrong}))


KINDS: dict[str, Callable[[str, Arguments, ToolSpec, Any, random.Random], SentCall | None]] = {
    "near name": _near_name,
    "other name": _other_name,
    "argument name": _argument_name,
    "type": _type,
    "json": _json,
    "enum": _enum,
    "missing": _missing,
}
