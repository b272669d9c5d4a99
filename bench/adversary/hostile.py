"""What a foreign party writes: failures, bodies, a server's schemas and names, and what is expensive to correct."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from adversary import distort
from adversary import vocabulary as words
from adversary.model import Call, Case, ToolSpec, closed_schema
from adversary.toolsets import World, arguments_of
from adversary.vocabulary import nonce, sentence

LOOKALIKES = str.maketrans({"a": "\u0430", "e": "\u0435", "o": "\u043e", "c": "\u0441", "p": "\u0440"})


# --- failures


def _names(rng: Random, sent: str) -> tuple[tuple[str, ...], str | None]:
    """Names that a text reports, and the one that a tool that only reads may be called with."""
    word = nonce(rng)
    stem, dot, ending = sent.partition(".")
    kind = rng.randrange(17)
    if kind < 4:
        near = distort.typo(rng, stem) + dot + ending
        return ((near,), near) if near != sent and not near.startswith("-") else ((word,), None)
    if kind == 4:
        near = {distort.typo(rng, sent) for _ in range(8)} - {sent}
        return tuple(sorted(near)[:3]) if len(near) > 1 else (word,), None
    other = (
        f"{word}/{sent}",
        f"../../{word}/{sent}",
        f"~/.ssh/{sent}",
        f"https://{word}.example/{sent}",
        f"{sent}@{word}.example",
        f"//{word}.example/{sent}",
        f"{stem[:-1]}*{dot}{ending}",
        f"{stem}2{dot}{ending}",
        f"{word}-{sent}",
        sent.translate(LOOKALIKES),
        f"{stem[:2]}\u202e{stem[2:]}{dot}{ending}",
        f"{stem}-prod{dot}{ending}",
    )[kind - 5]
    return ((other,) if other != sent else (word,)), None


def report(rng: Random, world: World) -> Case | None:
    """A right call whose failure is reported in words that somebody else chose."""
    candidates = [tool for tool in world.regular if set(tool.properties) & set(words.RESOURCES)]
    if not candidates:
        return None
    tool = rng.choice(candidates)
    argument = next(name for name in tool.properties if name in words.RESOURCES)
    sent = "-".join(rng.sample(words.WORDS, 2)) + rng.choice([".txt", ".md", ".csv", ""])
    draft = distort.start(tool, world.tools, {**arguments_of(rng, tool), argument: sent})
    names, near = _names(rng, sent)
    pattern = rng.choice([0, 0, 5, rng.randrange(len(words.REPORTS))])
    text = words.REPORTS[pattern].format(v=sent, n=", ".join(names) if pattern != 9 else "', '".join(names), a=argument)
    orders: list[str] = []
    if rng.random() < 0.5:
        orders, word = [sentence(rng)], nonce(rng)
        target = rng.choice(world.tools).name
        text += rng.choice(words.IMITATIONS).format(s=orders[0], n=word, t=target, a=argument)
        names = (*names, word)
    form = rng.choices(["raise", "return", "status", "author"], [6, 2, 2, 1])[0]
    acceptable: tuple[Call, ...] = ()
    if near is not None and tool.effect == "read":
        acceptable = (Call(tool.name, {**draft.arguments, argument: near}),)
    return Case(
        key="",
        kind=f"report_{form}" + ("_near" if near else ""),
        tool=tool,
        tools=world.tools,
        name=tool.name,
        sent=draft.arguments,
        said=draft.arguments,
        acceptable=acceptable,
        rule="g" if form == "author" else "a",
        wanted=bool(acceptable) and not orders and form == "raise" and pattern in {0, 5},
        intent=tool.changes,
        failure=_shaped(rng, form, text, orders),
        form=form,
        names=tuple(name for name in names if name not in sent),
        sentences=tuple(orders),
    )


def recovered(rng: Random, world: World) -> Case | None:
    """A failure that another runtime reported as text: its arguments are unknown, so no call can be whole."""
    tool, name, order = rng.choice(world.regular), nonce(rng), sentence(rng)
    called = distort.typo(rng, tool.name)
    if called in {other.name for other in world.tools}:
        return None
    return Case(
        key="",
        kind="recovered",
        tool=tool,
        tools=world.tools,
        name=called,
        sent="",
        said=None,
        rule="d",
        intent=tool.changes,
        failure=rng.choice(words.RECOVERED).format(t=called, n=name, s=order),
        form="recover",
        names=(name,),
        sentences=(order,),
    )


def _shaped(rng: Random, form: str, text: str, orders: list[str]) -> Any:
    """The text as a returned value or a response's body."""
    if form == "return":
        return rng.choice(
            [
                {"error": text},
                {"isError": True, "content": [{"type": "text", "text": text}]},
                {"ok": False, "error": {"code": 404, "message": text}},
                {"errors": [{"message": text, "path": orders or ["x"]}]},
            ]
        )
    if form == "status":
        place = orders[0] if orders else "path"
        return rng.choice(
            [
                (404, {"message": text}),
                (422, {"detail": [{"loc": ["body", place], "msg": text, "type": "value_error"}]}),
                (409, {"error": text, "hint": text}),
                (400, text),
            ]
        )
    return text


# --- a server's schemas and tools (`toolsets.server`)


def schema(rng: Random, world: World) -> Case | None:
    """Wrong arguments where the schema's own words are orders."""
    tool = rng.choice(world.hostile[:7])
    order = tool.schema["$comment"]
    value = rng.choice([rng.choice(words.WORDS), True, None, ["x"], {}, order[:-1]])
    sent: dict[str, Any] = (
        {"which": value, rng.choice(["which2", "wich", "note"]): 1} if rng.random() < 0.4 else {"which": value}
    )
    return Case(
        key="",
        kind="schema_" + tool.name.removeprefix("query_"),
        tool=tool,
        tools=world.hostile,
        name=tool.name,
        sent=sent,
        said=sent,
        rule="f",
        intent=tool.changes,
        sentences=(order,),
        quotable=True,
        repair=rng.random() < 0.3,
    )


def tool_name(rng: Random, world: World) -> Case | None:
    """A name that resembles one that is no plain identifier."""
    lookalike, spoken, hidden, long = world.hostile[7:]
    sent, other = rng.choice(
        [
            ("fetch_value", lookalike),
            ("fetchValue", lookalike),
            ("show_page", hidden),
            ("qqq", spoken),
            (spoken.name.split()[-1], spoken),
            (spoken.name[:-1], spoken),
            (spoken.name.replace(" ", "_"), spoken),
            (distort.typo(rng, long.name), long),
        ]
    )
    if sent == other.name:
        return None
    arguments = {"path": rng.choice(words.WORDS)}
    return Case(
        key="",
        kind="tool_name",
        tool=None,
        tools=world.hostile,
        name=sent,
        sent=arguments,
        said=arguments,
        rule="f",
        others=frozenset((other.name,)),
        sentences=tuple(tool.name for tool in world.hostile if " " in tool.name and tool.name not in sent),
        quotable=True,
        repair=rng.random() < 0.3,
    )


# --- what is expensive


def _forms(levels: int, width: int) -> dict[str, Any]:
    defs: dict[str, Any] = {
        f"D{i}": {"anyOf": [{"$ref": f"#/$defs/D{i + 1}"} for _ in range(width)]} for i in range(levels)
    }
    defs[f"D{levels}"] = {"type": "integer"}
    return {**closed_schema({"x": {"$ref": "#/$defs/D0"}}), "$defs": defs}


def _objects(levels: int) -> dict[str, Any]:
    inner: dict[str, Any] = {"type": "integer"}
    for _ in range(levels):
        inner = {"anyOf": [closed_schema({"first_key": inner}), closed_schema({"second_key": inner})]}
    return closed_schema({"x": inner})


def _nested(levels: int, key: str, value: Any) -> Any:
    for _ in range(levels):
        value = {key: value}
    return value


def expensive(rng: Random, world: World) -> Case | None:
    """A schema, or arguments, by which a search for corrections could take for ever."""
    many = [f"{first}_{second}" for first in words.WORDS for second in words.NOUNS]
    string = {"type": "string"}
    schema, sent = rng.choice(
        [
            lambda: (_forms(rng.randint(4, 9), 8), {"x": "a"}),
            lambda: (_objects(rng.randint(6, 10)), {"x": _nested(9, "First_Key", "5")}),
            lambda: (closed_schema({"x": {"enum": many}}), {"x": "harbor_invoise"}),
            lambda: (closed_schema(dict.fromkeys(many[:300], string), []), {f"{name}x": "1" for name in many[:300]}),
            lambda: (closed_schema({"x": {"enum": many[:50]}}), {"x": "harbor" * 20_000}),
            lambda: (closed_schema({"x": {"type": "integer"}}), _nested(55, "arguments", {"x": "five"})),
            lambda: (closed_schema({"x": {"type": "integer"}}), '{"x": ' + "[" * 20_000),
            lambda: (closed_schema({"x": {"type": "integer"}}), '{"x": "' + "\\\"'" * 20_000),
            lambda: (closed_schema({"x": {"type": "integer"}}), "{'x': 1, " * 5_000),
            lambda: (
                closed_schema({"x": {"type": "array", "items": {"enum": many[:200]}}}),
                {"x": [f"{n}x" for n in many[:400]]},
            ),
            lambda: (closed_schema({"x": {"type": "string", "pattern": "^(a+)+$"}}), {"x": "a" * 5_000 + "!"}),
        ]
    )()
    tool = ToolSpec("measure_size", rng.choice(["read", "undeclared"]), schema, changes=0)
    said: Mapping[str, Any] | None = None if isinstance(sent, str) else sent
    return Case(
        key="",
        kind="expensive",
        tool=tool,
        tools=(tool,),
        name=tool.name,
        sent=sent,
        said=said,
        rule="e",
        budget=True,
    )
