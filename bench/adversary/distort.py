"""Known distortions: what a model may send in place of what it meant.

Each takes a draft and changes it in one way, or returns False if it does not apply. What one preserves, and for which tools, is
said in `LOSSLESS_STEPS` and `READING`. What changes or hides the meaning is in `traps.py`.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from adversary import vocabulary as words
from adversary.model import Call, ToolSpec, canonical, distance

LONG_ENOUGH = 6  # letters of a name in which one typo leaves no doubt


@dataclass(slots=True)
class Draft:
    """A call on its way from what is meant to what is sent."""

    tool: ToolSpec
    tools: tuple[ToolSpec, ...]
    name: str
    arguments: dict[str, Any]
    meant: Call
    text: str | None = None
    touched: set[str] = field(default_factory=set)
    acceptable: list[Call] = field(default_factory=list)
    partial: bool = False
    sayable: bool = True  # whether what is sent can be said as one mapping

    def free(self, rng: Random, kinds: tuple[str, ...] | None = None) -> str | None:
        """An argument that nothing has changed yet, of these JSON types."""
        found = [
            name
            for name, value in self.arguments.items()
            if name not in self.touched and name in self.tool.properties and (kinds is None or type_of(value) in kinds)
        ]
        return rng.choice(found) if found else None


Change = Callable[[Random, Draft], bool]


def type_of(value: object) -> str:
    """The name of a JSON type."""
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")


# --- lossless: types


def as_text(rng: Random, draft: Draft) -> bool:
    """5 as "5", true as "true"."""
    name = draft.free(rng, ("integer", "number", "boolean"))
    if name is None:
        return False
    draft.touched.add(name)
    draft.arguments[name] = json.dumps(draft.arguments[name])
    return True


def as_number(rng: Random, draft: Draft) -> bool:
    """A text of digits as the number."""
    names = [
        name
        for name, schema in draft.tool.properties.items()
        if schema == {"type": "string"} and name not in draft.touched and name in draft.arguments
    ]
    if not names:
        return False
    name, number = rng.choice(names), rng.randint(11, 99_999)
    draft.touched.add(name)
    draft.arguments[name] = number
    draft.meant.arguments[name] = str(number)  # type: ignore[index]
    return True


def as_json_text(rng: Random, draft: Draft) -> bool:
    """A list or an object as its JSON text."""
    name = draft.free(rng, ("array", "object"))
    if name is None:
        return False
    draft.touched.add(name)
    draft.arguments[name] = json.dumps(draft.arguments[name])
    return True


def nested_as_text(rng: Random, draft: Draft) -> bool:
    """A number within an object as text."""
    name = draft.free(rng, ("object",))
    if name is None:
        return False
    inner = [key for key, value in draft.arguments[name].items() if type_of(value) in {"integer", "boolean"}]
    if not inner:
        return False
    key = rng.choice(inner)
    draft.touched.add(name)
    draft.arguments[name] = {**draft.arguments[name], key: json.dumps(draft.arguments[name][key])}
    return True


# --- lossless: shapes


def one_for_list(rng: Random, draft: Draft) -> bool:
    """One value where a list is wanted."""
    name = draft.free(rng, ("array",))
    if name is None:
        return False
    value = draft.arguments[name][0]
    draft.touched.add(name)
    draft.meant.arguments[name] = [value]  # type: ignore[index]
    draft.arguments[name] = value
    return True


def wrapped(rng: Random, draft: Draft) -> bool:
    """All arguments within {"arguments": ...}."""
    wrapper = rng.choice([name for name in words.WRAPPERS if name not in draft.tool.properties])
    draft.arguments = {wrapper: draft.arguments}
    return True


def whole_call_wrapped(_: Random, draft: Draft) -> bool:
    """The whole call among its arguments."""
    if {"name", "arguments"} & set(draft.tool.properties):
        return False
    draft.arguments = {"name": draft.tool.name, "arguments": draft.arguments}
    return True


# --- names


def parts_of(name: str) -> list[str]:
    """A name's words."""
    spaced = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return [part for part in spaced.replace("-", "_").replace(".", "_").split("_") if part]


def restyle(rng: Random, name: str) -> str | None:
    """The same name in another style."""
    parts = parts_of(name)
    styles = [
        "_".join(parts),
        "-".join(parts),
        ".".join(parts),
        " ".join(parts),
        "".join(part.title() for part in parts),
        parts[0] + "".join(part.title() for part in parts[1:]),
        "_".join(parts).upper(),
    ]
    others = [style for style in styles if style != name]
    return rng.choice(others) if others else None


def rename(draft: Draft, old: str, new: str | None) -> bool:
    """Send an argument by another name, in its place."""
    if new is None or new in draft.arguments or new in draft.tool.properties:
        return False
    draft.arguments = {new if name == old else name: value for name, value in draft.arguments.items()}
    draft.touched.add(old)
    return True


def restyled_argument(rng: Random, draft: Draft) -> bool:
    """An argument's name in another style."""
    name = draft.free(rng)
    return name is not None and rename(draft, name, restyle(rng, name))


def restyled_nested(rng: Random, draft: Draft) -> bool:
    """The name of an object's member in another style."""
    name = draft.free(rng, ("object",))
    if name is None:
        return False
    inner = rng.choice(list(draft.arguments[name]))
    new = restyle(rng, inner)
    draft.touched.add(name)
    draft.arguments[name] = {new if key == inner else key: value for key, value in draft.arguments[name].items()}
    return new is not None


def restyled_tool(rng: Random, draft: Draft) -> bool:
    """The tool's name in another style."""
    new = restyle(rng, draft.name)
    if new is None or sum(canonical(tool.name) == canonical(new) for tool in draft.tools) != 1:
        return False
    draft.name = new
    return True


def argument_alias(rng: Random, draft: Draft) -> bool:
    """An argument by a name that the author declared."""
    found = [name for name in draft.tool.aliases if name in draft.arguments and name not in draft.touched]
    if not found:
        return False
    name = rng.choice(found)
    return rename(draft, name, rng.choice(draft.tool.aliases[name]))


def tool_alias(rng: Random, draft: Draft) -> bool:
    """The tool by a name that the author declared."""
    if not draft.tool.also_called:
        return False
    draft.name = rng.choice(draft.tool.also_called)
    return True


# --- syntax


def loose(value: Any, quote: str = '"', **how: bool) -> str:
    """JSON as a model may write it: other quotes, bare keys, a comma too many, Python's words."""
    if isinstance(value, dict):
        keys = (key if how.get("bare") and key.isidentifier() else quote + key + quote for key in value)
        inner = [f"{key}: {loose(part, quote, **how)}" for key, part in zip(keys, value.values(), strict=True)]
        return "{" + ", ".join(inner) + ("," if how.get("comma") and inner else "") + "}"
    if isinstance(value, list):
        inner = [loose(part, quote, **how) for part in value]
        return "[" + ", ".join(inner) + ("," if how.get("comma") and inner else "") + "]"
    if isinstance(value, str):
        return quote + value + quote if quote not in value and "\\" not in value else json.dumps(value)
    if value is None or isinstance(value, bool):
        return repr(value) if how.get("python") else json.dumps(value)
    return json.dumps(value)


def _written(draft: Draft, text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        draft.text = text
        return True
    return False


def single_quotes(_: Random, draft: Draft) -> bool:
    """As Python's repr writes it."""
    return "'" not in json.dumps(draft.arguments) and _written(draft, loose(draft.arguments, "'", python=True))


def comma_too_many(_: Random, draft: Draft) -> bool:
    """A comma before a closing bracket."""
    return _written(draft, loose(draft.arguments, comma=True))


def bare_keys(_: Random, draft: Draft) -> bool:
    """Keys without quotes."""
    return _written(draft, loose(draft.arguments, bare=True))


def code_fence(_: Random, draft: Draft) -> bool:
    """Within a code fence."""
    return _written(draft, f"```json\n{json.dumps(draft.arguments)}\n```")


def python_words(_: Random, draft: Draft) -> bool:
    """True for true."""
    return _written(draft, loose(draft.arguments, python=True))


def closing_too_many(_: Random, draft: Draft) -> bool:
    """A closing bracket too many."""
    return _written(draft, json.dumps(draft.arguments) + "}")


def smart_quotes(_: Random, draft: Draft) -> bool:
    """A word processor's quotes."""
    return _written(draft, json.dumps(draft.arguments).replace('"', "\u201d"))


def encoded_twice(_: Random, draft: Draft) -> bool:
    """The JSON text as a JSON string."""
    draft.text = json.dumps(json.dumps(draft.arguments))
    return True


# --- for tools that only read


def typo(rng: Random, name: str) -> str:
    """One slip of the finger within a word: letters only, and never at an end."""
    places = [i for i in range(1, len(name) - 2) if name[i : i + 2].isalpha() and name[i : i + 2].islower()]
    if not places:
        return name
    place, slip = rng.choice(places), rng.choice(["swap", "drop", "double", "other"])
    before, letter, after = name[:place], name[place], name[place + 1 :]
    if slip == "swap":
        return before + after[0] + letter + after[1:]
    if slip == "drop":
        return before + after
    if slip == "double":
        return before + letter * 2 + after
    return before + rng.choice("aeiorstln".replace(letter, "")) + after


def _typo_in(rng: Random, name: str, names: list[str]) -> str | None:
    """A typo that is still nearest to its name, far from the others."""
    if len(name) < LONG_ENOUGH:
        return None
    new = typo(rng, name)
    if canonical(new) == canonical(name) or any(distance(new, other, 3) <= 3 for other in names if other != name):
        return None
    return new


def typo_in_tool(rng: Random, draft: Draft) -> bool:
    """A typo in the tool's name."""
    verb = parts_of(draft.name)[0]  # which stays: another verb is another thing
    noun = _typo_in(rng, draft.name[len(verb) :], [])
    others = [tool.name for tool in draft.tools if tool.name != draft.name]
    if noun is None or any(distance(verb + noun, other, 3) <= 3 for other in others):
        return False
    draft.name = verb + noun
    return True


def typo_in_argument(rng: Random, draft: Draft) -> bool:
    """A typo in an argument's name."""
    name = draft.free(rng)
    return name is not None and rename(draft, name, _typo_in(rng, name, list(draft.tool.properties)))


def _choice(rng: Random, draft: Draft) -> str | None:
    found = [
        n for n, s in draft.tool.properties.items() if "enum" in s and n in draft.arguments and n not in draft.touched
    ]
    return rng.choice(found) if found else None


def typo_in_value(rng: Random, draft: Draft) -> bool:
    """A typo in one of a few allowed values."""
    name = _choice(rng, draft)
    new = name and _typo_in(rng, draft.arguments[name], draft.tool.properties[name]["enum"])
    if not new:
        return False
    draft.touched.add(str(name))
    draft.arguments[str(name)] = new
    return True


def restyled_value(rng: Random, draft: Draft) -> bool:
    """One of a few allowed values in another style."""
    name = _choice(rng, draft)
    if name is None:
        return False
    new = restyle(rng, draft.arguments[name])
    draft.touched.add(name)
    draft.arguments[name] = new
    return new is not None


# --- the tables


@dataclass(frozen=True, slots=True)
class Distortion:
    """A change, the effects of the tools for which it leaves a call certain, and the rule that forbids it for the others."""

    change: Change
    permitted: frozenset[str]
    wanted: frozenset[str]
    rule: str

    @property
    def kind(self) -> str:
        """What it is called in reports."""
        return self.change.__name__


ANY = frozenset(("read", "write", "destroy", "undeclared"))
NOT_DESTROYING = ANY - {"destroy"}
READ = frozenset(("read",))

_VALUES = (
    Distortion(as_text, ANY, ANY, "b"),
    Distortion(as_number, ANY, ANY, "b"),
    Distortion(nested_as_text, ANY, ANY, "b"),
    Distortion(as_json_text, ANY, NOT_DESTROYING, "b"),
    Distortion(one_for_list, NOT_DESTROYING, NOT_DESTROYING, "c"),
)
_NAMES = (
    Distortion(restyled_argument, NOT_DESTROYING, NOT_DESTROYING, "c"),
    Distortion(restyled_nested, NOT_DESTROYING, NOT_DESTROYING, "c"),
    Distortion(argument_alias, NOT_DESTROYING, NOT_DESTROYING, "c"),
)
_WRAPS = (
    Distortion(wrapped, NOT_DESTROYING, NOT_DESTROYING, "c"),
    Distortion(whole_call_wrapped, NOT_DESTROYING, frozenset(), "c"),
)
_TOOLS = (
    Distortion(restyled_tool, NOT_DESTROYING, NOT_DESTROYING, "c"),
    Distortion(tool_alias, ANY, NOT_DESTROYING, "c"),
)
SYNTAX = (
    Distortion(single_quotes, ANY, ANY, "b"),
    Distortion(comma_too_many, ANY, ANY, "b"),
    Distortion(bare_keys, ANY, ANY, "b"),
    Distortion(code_fence, ANY, ANY, "b"),
    Distortion(python_words, ANY, ANY, "b"),
    Distortion(closing_too_many, ANY, frozenset(), "b"),
    Distortion(smart_quotes, ANY, frozenset(), "b"),
    Distortion(encoded_twice, ANY, frozenset(), "b"),
)
READING = (
    Distortion(typo_in_tool, READ, READ, "b"),
    Distortion(typo_in_argument, READ, READ, "b"),
    Distortion(typo_in_value, READ, READ, "b"),
    Distortion(restyled_value, READ, READ, "b"),
)
LOSSLESS_STEPS = (_VALUES, _VALUES, _NAMES, _WRAPS, _TOOLS, SYNTAX)  # in this order, each at most once


def start(tool: ToolSpec, tools: tuple[ToolSpec, ...], arguments: dict[str, Any]) -> Draft:
    """A draft of the call that is meant."""
    return Draft(tool, tools, tool.name, copy.deepcopy(arguments), Call(tool.name, copy.deepcopy(arguments)))
