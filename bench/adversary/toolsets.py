"""Worlds: tool sets of every effect, each with special tools that hold one difficulty. The same seed gives the same worlds."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from adversary import vocabulary as words
from adversary.model import ToolSpec, canonical, closed_schema
from adversary.vocabulary import sentence

REGULAR_TOOLS = 12
VERBS = {"read": words.READING, "write": words.WRITING, "destroy": words.DESTROYING}


@dataclass(frozen=True, slots=True)
class World:
    """A tool set. `regular` have arguments of all types, `special` hold one difficulty each, by kind."""

    seed: int
    number: int
    regular: tuple[ToolSpec, ...]
    special: dict[str, tuple[ToolSpec, ...]]
    twin: tuple[str, int]  # a name of which `special["other_tool"]` is not meant, and what it says (`ToolSpec.changes`)
    tools: tuple[ToolSpec, ...]  # all of these
    hostile: tuple[ToolSpec, ...]  # tools of a server that cannot be trusted, in a tool set of their own


def make_world(seed: int, number: int) -> World:
    """The tool set of one number."""
    rng = Random(f"{seed}/{number}")
    nouns = rng.sample(words.NOUNS, 18)
    regular: dict[str, ToolSpec] = {}
    while len(regular) < REGULAR_TOOLS:
        tool = _regular(rng, rng.choice(nouns[:7]))
        taken = {canonical(name) for other in regular.values() for name in (other.name, *other.also_called)}
        if not taken & {canonical(name) for name in (tool.name, *tool.also_called)}:
            regular[tool.name] = tool
    called, other, intent = rng.choice(words.OTHER_TOOLS)
    called, other = called.format(n=nouns[8]), other.format(n=nouns[8])
    verb = other.partition("_")[0]
    says = 2 if verb in words.DESTROYING else int("_" in other)
    effect = rng.choice(["destroy", "destroy", "undeclared", "write"])
    special = {
        "other_tool": (ToolSpec(other, effect, closed_schema({"path": {"type": "string"}}), changes=says),),
        "other_value": tuple(_other_value(rng, noun) for noun in nouns[9:12]),
        "unit": (_unit(rng, nouns[12]),),
        "confirmation": (_confirmation(rng, nouns[13]),),
        "twins": tuple(_twin(rng, name) for name in (f"get_{nouns[14]}", f"get{nouns[14].title()}")),
        "twin_arguments": (_twin(rng, f"show_{nouns[15]}", ("user_id", "userId")),),
        "resources": tuple(_with_resources(rng, noun) for noun in nouns[16:18]),
    }
    tools = (*regular.values(), *(tool for tools in special.values() for tool in tools))
    return World(seed, number, tuple(regular.values()), special, (called, intent), tools, server(rng))


# --- tools


def _regular(rng: Random, noun: str) -> ToolSpec:
    effect = rng.choice(["read", "read", "write", "destroy", "undeclared"])
    kind = rng.choice(list(VERBS)) if effect == "undeclared" else effect
    verb = rng.choice(VERBS[kind])
    style = rng.choice([0, 0, 0, 1, 5])
    name = [f"{verb}_{noun}", f"{verb}-{noun}", None, None, None, verb + noun.title()][style] or ""
    properties = {
        rng.choice(words.RESOURCES): {"type": "string"},
        rng.choice(words.INTEGERS): {"type": "integer"},
        rng.choice(words.FLAGS): {"type": "boolean"},
    }
    extra = {
        rng.choice(words.TEXTS): {"type": "string"},
        rng.choice(words.NUMBERS): {"type": "number"},
        rng.choice(words.LISTS): {"type": "array", "items": {"type": "string"}},
        rng.choice(words.INTEGER_LISTS): {"type": "array", "items": {"type": "integer"}},
        rng.choice(list(words.CHOICES)): {},
        rng.choice(words.NESTED): closed_schema({"line_width": {"type": "integer"}, "strict": {"type": "boolean"}}),
    }
    for argument in rng.sample(list(extra), rng.randint(1, 4)):
        choices = words.CHOICES.get(argument)
        properties[argument] = {"type": "string", "enum": list(choices)} if choices else extra[argument]
    aliases = {argument: words.ALIASES[argument] for argument in properties if argument in words.ALIASES}
    also = (f"{rng.choice(words.ALSO_CALLED[kind])}_the_{noun}",) if rng.random() < 0.5 else ()
    order = rng.sample(list(properties), len(properties))
    return ToolSpec(
        name,
        effect,
        closed_schema({argument: properties[argument] for argument in order}, order[: rng.randint(1, len(order))]),
        f"{verb.title()} a {noun}.",
        list(VERBS).index(kind),
        aliases,
        also,
    )


def _other_value(rng: Random, noun: str) -> ToolSpec:
    sent, allowed = rng.choice(words.OTHER_VALUES)
    effect = rng.choice(["destroy", "undeclared", "write", "read"])
    schema = closed_schema({"which": {"enum": list(allowed)}})
    return ToolSpec(f"apply_{noun}", effect, {**schema, "$comment": sent}, changes=1)


def _unit(rng: Random, noun: str) -> ToolSpec:
    argument, description, sent = rng.choice(words.UNITS)
    schema = closed_schema({argument: {"type": "integer", "description": description}})
    return ToolSpec(
        f"adjust_{noun}", rng.choice(["undeclared", "write", "read"]), {**schema, "$comment": rng.choice(sent)}
    )


def _confirmation(rng: Random, noun: str) -> ToolSpec:
    forms: list[dict[str, Any]] = [
        {"type": "string", "pattern": "^DELETE-[a-z]+$"},
        {"type": "string", "pattern": "^CONFIRM"},
        {"type": "string", "const": f"yes, delete {noun}"},
        {"const": "DELETE"},
        {"enum": ["CONFIRM"]},
        {"const": True},
    ]
    confirm = rng.choice(forms)
    schema = closed_schema({"path": {"type": "string"}, "confirm": confirm})
    return ToolSpec(f"erase_{noun}", rng.choice(["destroy", "undeclared", "write"]), schema, changes=2)


def _twin(rng: Random, name: str, arguments: tuple[str, ...] = ("path",)) -> ToolSpec:
    schema = closed_schema({argument: {"type": "string"} for argument in arguments}, [])
    return ToolSpec(name, rng.choice(["read", "undeclared"]), schema)


def _with_resources(rng: Random, noun: str) -> ToolSpec:
    first, second, third = rng.sample(words.WORDS, 3)
    here = (f"{first}-{second}.txt", f"{second}-report_2023.pdf", f"{third}_left.csv", f"{third}_lift.csv")
    effect = rng.choice(["read", "read", "write", "destroy", "undeclared"])
    kind = rng.choice(list(VERBS)) if effect == "undeclared" else effect
    name = f"{rng.choice(VERBS[kind])}_{noun}"
    changes = list(VERBS).index(kind)
    return ToolSpec(name, effect, closed_schema({"path": {"type": "string"}}), changes=changes, resources=here)


def server(rng: Random) -> tuple[ToolSpec, ...]:
    """Tools of a server that cannot be trusted: sentences for names, values, descriptions."""
    tools = []
    for place in ("enum", "const", "property", "default", "description", "pattern", "nested"):
        order = sentence(rng)
        schema: dict[str, Any] = {
            "enum": closed_schema({"which": {"enum": [order]}}),
            "const": closed_schema({"which": {"const": order}}),
            "property": closed_schema({"which": {"type": "integer"}, order: {"type": "string"}}, ["which"]),
            "default": closed_schema({"which": {"type": "integer", "default": order, "examples": [order]}}),
            "description": closed_schema({"which": {"type": "integer", "description": order, "title": order}}),
            "pattern": closed_schema({"which": {"type": "string", "pattern": f"^{order}$"}}),
            "nested": closed_schema(
                {"which": {"type": "object", "properties": {order: {"type": "integer"}}, "required": [order]}}
            ),
        }[place]
        effect = rng.choice(["read", "undeclared", "destroy"])
        tools.append(ToolSpec(f"query_{place}", effect, {**schema, "$comment": order}, order, 1, is_foreign=True))
    path = closed_schema({"path": {"type": "string"}})
    lookalike = ToolSpec("fetch_v\u0430lue", "read", path, is_foreign=True)  # a Cyrillic letter
    order = sentence(rng)
    spoken = ToolSpec(order, "read", path, order, is_foreign=True)
    hidden = ToolSpec("show\u200b_page", "read", path, is_foreign=True)
    long = ToolSpec("collect_" + "_".join(rng.sample(words.WORDS, 12)), "read", path, is_foreign=True)
    return (*tools, lookalike, spoken, hidden, long)


# --- arguments


def value_of(rng: Random, schema: dict[str, Any]) -> Any:
    """A value that fits."""
    if "enum" in schema:
        return rng.choice(schema["enum"])
    match schema.get("type"):
        case "integer":
            return rng.randint(2, 900)
        case "number":
            return rng.randint(1, 400) + rng.choice([0.5, 0.25, 0.75])
        case "boolean":
            return rng.random() < 0.5
        case "array":
            return [value_of(rng, schema["items"]) for _ in range(rng.randint(1, 3))]
        case "object":
            return {name: value_of(rng, part) for name, part in schema["properties"].items()}
    return "-".join(rng.sample(words.WORDS, 2)) + rng.choice(["", ".txt", ".csv", " (final)"])


def arguments_of(rng: Random, tool: ToolSpec) -> dict[str, Any]:
    """Arguments that fit: the required ones and some others."""
    required = tool.schema.get("required", ())
    names = [name for name in tool.properties if name in required or rng.random() < 0.7]
    return {name: value_of(rng, tool.properties[name]) for name in names}
