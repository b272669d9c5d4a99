"""Calls with a known meaning. The same seed gives the same cases."""

from __future__ import annotations

from random import Random
from typing import Any

from adversary import distort, hostile
from adversary.distort import Distortion, Draft
from adversary.model import Call, Case
from adversary.toolsets import World, arguments_of, value_of
from adversary.traps import TRAPS

REPAIRED = 0.3  # the share of malformed calls that are sent where repairs are on


def make_case(world: World, index: int) -> Case:
    """One call; each has its own random numbers, so any is made again alone."""
    rng = Random(f"{world.seed}/{world.number}/{index}")
    for _ in range(100):
        case = rng.choices(*FAMILIES)[0](rng, world)
        if case is not None:
            case.key = f"{world.number}:{index}"
            return case
    raise AssertionError("no family gave a case")


# --- malformed calls


def _start(rng: Random, world: World) -> Draft:
    tool = rng.choice(world.regular)
    return distort.start(tool, world.tools, arguments_of(rng, tool))


def _case(draft: Draft, kinds: list[str], **more: Any) -> Case:
    return Case(
        key="",
        kind=" + ".join(kinds),
        tool=draft.tool,
        tools=draft.tools,
        name=draft.name,
        sent=draft.arguments if draft.text is None else draft.text,
        said=draft.arguments if draft.sayable else None,
        partial=draft.partial,
        intent=draft.tool.changes,
        **more,
    )


def _apply(rng: Random, draft: Draft, table: tuple[Distortion, ...], done: list[Distortion]) -> None:
    distortion = rng.choice(table)
    if distortion.change(rng, draft):
        done.append(distortion)


def _make_checked_case(rng: Random, draft: Draft, done: list[Distortion]) -> Case:
    """A case whose distortions all keep the meaning, if the tool permits them."""
    effect = draft.tool.effect
    forbidding = [distortion.rule for distortion in done if effect not in distortion.permitted]
    changes_with_certainty = all(effect in distortion.wanted for distortion in done)
    careful = (
        effect == "undeclared" and draft.tool.changes == 2
    )  # its name says that it destroys, and nothing is declared
    return _case(
        draft,
        [distortion.kind for distortion in done],
        acceptable=() if forbidding else (draft.meant,),
        rule=forbidding[0] if forbidding else "d",
        wanted=changes_with_certainty and not forbidding and not careful,
        repair=rng.random() < REPAIRED,
    )


def lossless(rng: Random, world: World) -> Case | None:
    """One to three distortions that lose nothing."""
    draft, done = _start(rng, world), list[Distortion]()
    steps = sorted(rng.sample(range(len(distort.LOSSLESS_STEPS)), rng.choice([1, 1, 2, 3])))
    for step in steps:
        _apply(rng, draft, distort.LOSSLESS_STEPS[step], done)
    return _make_checked_case(rng, draft, done) if done else None


def reading(rng: Random, world: World) -> Case | None:
    """A near name or value: certain enough to read with, for anything else a question."""
    draft, done = _start(rng, world), list[Distortion]()
    _apply(rng, draft, distort.READING, done)
    if not done:
        return None
    if rng.random() < 0.3:
        _apply(rng, draft, distort.LOSSLESS_STEPS[0], done)
    return _make_checked_case(rng, draft, done)


def trap(rng: Random, world: World) -> Case | None:
    """A distortion that changes the meaning, hidden among some that do not."""
    draft, done = _start(rng, world), list[Distortion]()
    rule = rng.choices(list(TRAPS), [2, 6, 4, 1])[0]
    change = rng.choice(TRAPS[rule])
    if rng.random() < 0.4:
        _apply(rng, draft, distort.LOSSLESS_STEPS[0][:3], done)
    if not change(rng, draft):
        return None
    if draft.text is None and rng.random() < 0.15:
        _apply(rng, draft, distort.SYNTAX, done)
    return _case(
        draft,
        [change.__name__, *(distortion.kind for distortion in done)],
        acceptable=tuple(draft.acceptable),
        rule=rule,
        repair=rng.random() < REPAIRED,
    )


# --- calls that resemble another thing


def other_tool(rng: Random, world: World) -> Case | None:
    """A name that means another thing than the tool that resembles it."""
    (tool,) = world.special["other_tool"]
    draft = distort.start(tool, world.tools, {"path": value_of(rng, {})} if rng.random() < 0.7 else {})
    called, intent = world.twin
    draft.name = rng.choice([called, called, distort.restyle(rng, called) or called])
    case = _case(draft, ["other_tool"], rule="c-tool", others=frozenset((tool.name,)), repair=rng.random() < REPAIRED)
    case.tool, case.intent = None, intent
    return case


def other_value(rng: Random, world: World) -> Case | None:
    """A value that is none of the allowed ones, however near."""
    tool = rng.choice(world.special["other_value"])
    draft = distort.start(tool, world.tools, {"which": tool.schema["$comment"]})
    return _case(draft, ["other_value"], repair=rng.random() < REPAIRED)


def other_unit(rng: Random, world: World) -> Case | None:
    """A number in another unit, which the argument's name says."""
    (tool,) = world.special["unit"]
    (argument,), (name, factor), number = tool.properties, tool.schema["$comment"], rng.randint(2, 90)
    draft = distort.start(tool, world.tools, {name: number})
    converted = (Call(tool.name, {argument: number * factor}),) if factor and tool.effect == "read" else ()
    return _case(draft, ["other_unit"], acceptable=converted, rule="d-characters", repair=rng.random() < REPAIRED)


def confirmation(rng: Random, world: World) -> Case | None:
    """A confirmation that is mistyped, another, or not given."""
    (tool,) = world.special["confirmation"]
    sent = {"path": value_of(rng, {})}
    if rng.random() < 0.8:
        sent["confirm"] = rng.choice(
            ["DELET", "delete", "harbor", "no", "CONFIM", "DELETE- harbor", "confirmed", "yes"]
        )
    return _case(distort.start(tool, world.tools, sent), ["confirmation"], rule="b", repair=rng.random() < REPAIRED)


def twins(rng: Random, world: World) -> Case | None:
    """A name that is canonically equal to two tools, or to two arguments."""
    if rng.random() < 0.5:
        first = world.special["twins"][0]
        draft = distort.start(first, world.tools, {"path": value_of(rng, {})})
        draft.name = rng.choice([first.name.upper(), first.name.replace("_", "-"), first.name.title()])
    else:
        (tool,) = world.special["twin_arguments"]
        draft = distort.start(tool, world.tools, {rng.choice(["USER_ID", "UserID", "user-id"]): value_of(rng, {})})
    return _case(draft, ["twins"], repair=rng.random() < REPAIRED)


def resource(rng: Random, world: World) -> Case | None:
    """A resource that is not there, and the author's list of those that are."""
    tool = rng.choice(world.special["resources"])
    near, numbered, alike, _ = tool.resources
    kind = rng.choice(["typo", "typo", "digit", "several", "far"])
    sent = {
        "typo": distort.typo(rng, near.removesuffix(".txt")) + ".txt",
        "digit": numbered.replace("2023", rng.choice(["2024", "2032", "202"])),
        "several": alike.replace("_left", "_lft"),
        "far": "something-else.doc",
    }[kind]
    if sent in tool.resources:
        return None
    draft = distort.start(tool, world.tools, {"path": sent})
    case = _case(draft, [f"resource_{kind}"], failure=f"'{sent}' not found")
    reads = tool.effect == "read"
    case.rule = "b" if kind == "typo" else "d-characters" if kind == "digit" else "d"
    case.acceptable = (Call(tool.name, {"path": near}),) if kind == "typo" and reads else ()
    case.wanted = bool(case.acceptable)
    return case


def as_meant(rng: Random, world: World) -> Case | None:
    """A call that is right: it runs as it was sent."""
    draft = _start(rng, world)
    return _case(draft, ["as_meant"], acceptable=(draft.meant,), repair=rng.random() < REPAIRED)


FAMILIES = (
    (
        lossless,
        reading,
        trap,
        other_tool,
        other_value,
        other_unit,
        confirmation,
        twins,
        resource,
        as_meant,
        hostile.report,
        hostile.recovered,
        hostile.schema,
        hostile.tool_name,
        hostile.expensive,
    ),
    (30.0, 9.0, 23.0, 5.0, 5.0, 2.0, 2.0, 2.0, 4.0, 0.5, 13.0, 2.0, 3.0, 1.5, 0.1),
)
