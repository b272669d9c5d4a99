"""The rules of provenance, as an outsider reads them. One function a rule; each yields the violations that it finds.

Two judges look at every ready call and every repair. The first knows what was meant (`Case.acceptable`). The second,
`is_lossless`, knows only what was sent and what was made of it, and is asked for every tool that is not `read_only`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import jsonschema_rs
from adversary import vocabulary as words
from adversary.model import Call, Case, Outcome, ToolSpec, canonical

READY = "Next: make this corrected call: "
SOURCES = frozenset(("sent", "schema", "toolset", "author", "reported"))
MOST_STEPS = 300_000  # calls of functions, Python's and C's, that one tool call may take however hostile its schema is
MOST_SECONDS = 5.0  # of CPU time, which one tool call needs only if no budget is kept

_FENCE = re.compile(r"^<<<([0-9a-f]{16,})\n.*?^\1>>>$", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_RESOURCE = "Resource not found: "
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]"
)
_CONDITION = re.compile(r"\b(if|whether|which|choose|one of|pick|ask)\b|\?", re.IGNORECASE)
_SIGNS = re.compile(r"\d+|[-+!~<>=%$#?*@]")


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that is broken, and how."""

    rule: str
    why: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What a model reads in our own voice: the text without its fences."""

    own: str
    ready: tuple[Call | None, ...]  # None: not a call at all
    steps: tuple[str, ...]  # other lines that start with `Next:`
    meant: tuple[str, ...]  # names after `Did you mean`


def read(content: str) -> Reading:
    """Take a text apart."""
    own = _FENCE.sub("", content)
    ready: list[Call | None] = []
    steps, meant = [], []
    for line in re.split(r"[\r\n\x0b\x0c\x85\u2028\u2029]", own):
        if line.startswith(READY):
            ready.append(_call(line.removeprefix(READY)))
        elif line.startswith("Next:"):
            steps.append(line)
        if "Did you mean" in line and not line.startswith(READY):
            meant += _quoted(line[line.index("Did you mean") :])
    return Reading(own, tuple(ready), tuple(steps), tuple(meant))


def _call(text: str) -> Call | None:
    try:
        found = json.loads(text)
        return Call(found["name"], found["arguments"]) if set(found) == {"name", "arguments"} else None
    except (ValueError, TypeError, KeyError):
        return None


def _quoted(line: str) -> list[str]:
    found = []
    for part in _QUOTED.findall(line):
        try:
            found.append(json.loads(f'"{part}"'))
        except ValueError:
            found.append(part)
    return found


# --- the form of a text


def lines(case: Case, outcome: Outcome, reading: Reading) -> Iterator[Violation]:
    """One next step, one `Did you mean`, nothing invisible, and no fence left open."""
    nexts = len(reading.ready) + len(reading.steps)
    if nexts > 1:
        yield Violation("lines", f"{nexts} lines start with `Next:`")
    if sum(line.startswith("Did you mean") for line in reading.own.splitlines()) > 1:
        yield Violation("lines", "two lines start with `Did you mean`")
    if "<<<" in reading.own and re.search(r"^<<<[0-9a-f]{16,}$", reading.own, re.MULTILINE):
        yield Violation("lines", "a fence is not closed")
    unseen = _UNSEEN.search(outcome.content)
    if unseen:
        yield Violation("lines", f"an invisible character, U+{ord(unseen[0]):04X}")


def form(case: Case, outcome: Outcome, reading: Reading) -> Iterator[Violation]:
    """A ready call is a call of a tool that exists, with arguments that it takes, and not the one that failed."""
    for call in reading.ready:
        if call is None:
            yield Violation("form", "not a call")
            continue
        tool = tool_of(case, call.name)
        if tool is None:
            yield Violation("form", f"no tool {call.name!r}")
        elif not jsonschema_rs.is_valid(plain(tool.schema), call.arguments):
            yield Violation("form", "arguments that the tool refuses")
        elif call.name == case.name and not isinstance(case.sent, str) and equal(call.arguments, case.sent):
            yield Violation("form", "the call that failed")


def tool_of(case: Case, name: object) -> ToolSpec | None:
    """The tool of a name."""
    return next((tool for tool in case.tools if tool.name == name), None)


def plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without our own notes."""
    return {name: part for name, part in schema.items() if name != "$comment"}


def equal(a: Any, b: Any) -> bool:
    """The same JSON value; true is not 1, and 5.0 is 5."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(equal(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    return bool(isinstance(a, bool) == isinstance(b, bool) and a == b)


# --- (a) whose words


def own_words(case: Case, outcome: Outcome, reading: Reading) -> Iterator[Violation]:
    """No foreign sentence or name in our own voice, but a resource in the first line, and what a ready call may hold."""
    if case.form == "author":
        return
    own, _, rest = reading.own.partition("\n")
    for order in case.sentences:
        where = [line for line in reading.own.split("\n") if order in line]
        if case.quotable:
            where = [line for line in where if _bare(line, order)]
        if where:
            yield Violation("f" if case.quotable else "a", f"a foreign sentence among ours: {where[0][:160]!r}")
        elif not case.quotable and order in outcome.user_message:
            yield Violation("a", f"a foreign sentence for the user: {outcome.user_message[:160]!r}")
    hidden = set(case.names) - permitted_values(case)
    for name in sorted(hidden | {json.dumps(name)[1:-1] for name in hidden}):  # as it is, and with its letters escaped
        if name in rest or (name in own and name not in own.partition(_RESOURCE)[2]):
            line = next(line for line in reading.own.split("\n") if name in line)
            yield Violation("a", f"a foreign name among ours: {line[:160]!r}")


def permitted_values(case: Case) -> set[str]:
    """Texts that a ready call may hold."""
    return {value for call in case.acceptable for value in call.arguments.values() if isinstance(value, str)}


def _bare(line: str, text: str) -> bool:
    """Whether a text stands in a line without quotes."""
    before = line[: line.index(text)]
    return len(re.findall(r'(?<!\\)"', before)) % 2 == 0


# --- (b) to (d), (g) and (h): what a call may hold


def ready_call(case: Case, outcome: Outcome, reading: Reading) -> Iterator[Violation]:
    """A ready call may only be what was meant, as far as the tool permits it."""
    for call in reading.ready:
        if call is not None and not case.budget:
            yield from judge(case, call, "ready call")


def repair(case: Case, outcome: Outcome, reading: Reading) -> Iterator[Violation]:
    """(h) What ran is what was sent, or what a ready call may hold; another name only for a tool that only reads."""
    call = outcome.ran
    if call is None or case.budget or (call.name == case.name and equal(call.arguments, case.said)):
        return
    tool = tool_of(case, call.name)
    is_alias = tool is not None and case.name in tool.also_called
    if tool is not None and call.name != case.name and tool.effect != "read" and not is_alias:
        yield Violation("h", f"ran {call.name!r}, which does not only read, for {case.name!r}")
    for broken in judge(case, call, "repair"):
        yield Violation("h", f"({broken.rule}) {broken.why}")


def judge(case: Case, call: Call, what: str) -> Iterator[Violation]:
    """Both judges on one call."""
    shown = json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)[:200]
    tool = tool_of(case, call.name)
    if not any(accepts(case, meant, call) for meant in case.acceptable):
        rule = case.rule
        if case.acceptable and not case.partial:  # a call is permitted, and this is another
            rule = "d-characters" if signs(case.said) != signs(call.arguments) else "d"
        yield Violation(rule, f"{what} {shown}" + ("" if case.acceptable else " where none is certain"))
    elif tool is not None and tool.effect != "read" and case.said is not None:
        lost = is_lossless(tool, case.name, case.said, call)
        if lost is not None:
            yield Violation("c" if tool.effect == "destroy" else "b", f"{what} {shown}: {lost}")


def accepts(case: Case, meant: Call, call: Call) -> bool:
    """Whether a call is one that was meant, or a part of it if that will do."""
    if call.name != meant.name or not isinstance(call.arguments, Mapping):
        return False
    if case.partial:
        named = meant.arguments
        return all(name in named and equal(value, named[name]) for name, value in call.arguments.items())
    return equal(call.arguments, meant.arguments)


def signs(value: Any) -> list[str]:
    """The digits and signs of all values, by which another value is told from another spelling."""
    return sorted(_SIGNS.findall(json.dumps(value, default=str)))


def is_lossless(tool: ToolSpec, name: str, said: Mapping[str, Any], call: Call) -> str | None:
    """Why a call is not the one that was sent, in another spelling; None if it is."""
    destroys = tool.effect == "destroy"
    if name != call.name and name not in tool.also_called and (destroys or canonical(name) != canonical(call.name)):
        return "another tool name"
    readings = [said]
    if not destroys:
        readings += _unwrapped(tool, said)
    if any(_same_object(inner, call.arguments, tool.schema, tool.aliases, destroys) for inner in readings):
        return None
    return "not lossless"


def _unwrapped(tool: ToolSpec, said: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for wrapper in words.WRAPPERS:
        inner = said.get(wrapper)
        if wrapper in tool.properties or not isinstance(inner, Mapping):
            continue
        beside = {name: value for name, value in said.items() if name != wrapper}
        if beside == {"name": tool.name}:
            beside = {}
        if not set(beside) & set(inner):
            yield {**beside, **inner}


def _same_object(
    said: Mapping[str, Any],
    made: Any,
    schema: Mapping[str, Any],
    aliases: Mapping[str, tuple[str, ...]],
    destroys: bool,
) -> bool:
    if not isinstance(made, Mapping) or len(said) != len(made):
        return False
    properties, left = schema.get("properties", {}), dict(made)
    for name, value in said.items():
        names = [name] if name in left else []
        if not names and not destroys:
            names = [other for other in left if canonical(other) == canonical(name) or name in aliases.get(other, ())]
        if len(names) != 1 or not _same_value(value, left.pop(names[0]), properties.get(names[0], {}), destroys):
            return False
    return not left


def _same_value(said: Any, made: Any, schema: Mapping[str, Any], destroys: bool) -> bool:
    if equal(said, made):
        return True
    if isinstance(said, Mapping) and _same_object(said, made, schema, {}, destroys):
        return True
    if isinstance(said, list) and isinstance(made, list):
        items = schema.get("items", {})
        return len(said) == len(made) and all(
            _same_value(a, b, items, destroys) for a, b in zip(said, made, strict=True)
        )
    if _same_scalar(said, made, schema, destroys):
        return True
    is_one = isinstance(made, list) and not destroys and len(made) == 1
    return is_one and _same_value(said, made[0], schema.get("items", {}), destroys)


def _same_scalar(said: Any, made: Any, schema: Mapping[str, Any], destroys: bool) -> bool:
    if isinstance(made, str):
        return isinstance(said, (bool, int, float)) and made == json.dumps(said)
    if not isinstance(said, str):
        return False
    text = said.strip()
    if isinstance(made, bool):
        return text.lower() == json.dumps(made)
    if isinstance(made, (int, float)):
        return _same_number(text, made)
    try:
        return (made is None and text in {"null", "None"}) or _same_value(json.loads(text), made, schema, destroys)
    except ValueError:
        return False


def _same_number(text: str, made: float) -> bool:
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", text):
        return False
    try:
        return Decimal(text) == Decimal(json.dumps(made))
    except InvalidOperation:
        return False


# --- (c) other tools


def other_tools(case: Case, outcome: Outcome, reading: Reading) -> Iterator[Violation]:
    """No tool that is another thing, or does more, in `Did you mean` or as the next step.

    A near name of the tool that was meant is asked for, not corrected, if the tool does not only read.
    """
    if not outcome.is_error or tool_of(case, case.name) is not None:
        return
    named = [(name, f"Did you mean {name!r}", True) for name in reading.meant]
    for step in reading.steps:
        named += [(name, step, not _CONDITION.search(step.partition(name)[0])) for name in _quoted(step)]
    for name, where, is_confident in named:
        tool = tool_of(case, name)
        if is_corrected(case, tool) and is_confident and where in reading.steps:
            yield Violation("b", f"{where[:120]} for {case.name!r}")
        if tool is None or tool is case.tool:
            continue
        if is_confident and (name in case.others or tool.rank > case.intent):
            yield Violation("f" if case.rule == "f" else "c-tool", f"{where[:120]} for {case.name!r}")
        elif tool.rank > 0 and case.intent == 0:
            yield Violation("c-tool", f"{where[:120]}, which changes something, for {case.name!r}")


def is_corrected(case: Case, tool: ToolSpec | None) -> bool:
    """Whether a tool that does not only read was meant, by a name that is not its own."""
    if tool is None or tool is not case.tool or tool.effect == "read" or case.name in tool.also_called:
        return False
    return tool.effect == "destroy" or canonical(tool.name) != canonical(case.name)


def near_names(case: Case, outcome: Outcome, reading: Reading) -> Iterator[Violation]:
    """`Did you mean` of a resource: the rules of a ready call, but the author's own names may be asked for."""
    if case.kind.startswith("resource_digit") and len(reading.meant) == 1:
        yield Violation("d-characters", f"Did you mean {reading.meant[0]!r}, where a digit differs")
    if case.form == "author":
        for name in set(reading.meant) & set(case.names) - permitted_values(case):
            if f'Did you mean "{name}' not in str(case.failure):
                yield Violation("g", f"Did you mean {name!r}, out of the author's message")


def advice(case: Case, outcome: Outcome, reading: Reading) -> Iterator[Violation]:
    """No step says to leave out an argument whose name was only misspelt."""
    if not case.kind.startswith(("typo_in_argument", "restyled_argument")) or case.said is None:
        return
    for step in reading.steps:
        for name in _quoted(step.partition("without")[2]):
            if name in case.said:
                yield Violation("d", f"a misspelt argument is to be dropped: {step[:160]}")


# --- (e) the budget


def budget(case: Case, outcome: Outcome, reading: Reading) -> Iterator[Violation]:
    """A count of steps, not a time, where they are counted; CPU time beside it, generously."""
    if outcome.steps > MOST_STEPS:
        yield Violation("e", f"more than {MOST_STEPS:,} steps")
    if outcome.seconds > MOST_SECONDS:
        yield Violation("e", f"{outcome.seconds:.1f} s of CPU time")


# --- sources


def sources(case: Case, outcome: Outcome, reading: Reading) -> Iterator[Violation]:
    """`error.corrected_from` names the source of every name and value of a ready call, and says nothing without one."""
    calls = [call for call in reading.ready if call is not None]
    if not outcome.is_error:
        return
    if outcome.sources is None:
        yield Violation("sources", "no attribute `corrected_from`")
        return
    if not calls:
        if outcome.sources:
            yield Violation("sources", f"sources of no call: {dict(outcome.sources)}")
        return
    for call in calls[:1]:
        yield from _sources_of(case, call, outcome.sources)


def _sources_of(case: Case, call: Call, told: Mapping[str, str]) -> Iterator[Violation]:
    tree = {"name": call.name, "arguments": call.arguments}
    for pointer, source in told.items():
        if source not in SOURCES:
            yield Violation("sources", f"{pointer} is from {source!r}")
        if not _exists(tree, pointer):
            yield Violation("sources", f"{pointer} is not in the call")
    for pointer, value in [("/name", call.name), *_leaves(call.arguments, "/arguments")]:
        found = next((told[place] for place in _above(pointer) if place in told), None)
        expected = _expected(case, call, pointer, value)
        if found not in expected:
            yield Violation("sources", f"{pointer} is from {found!r}, not from {' or '.join(sorted(expected))}")


def _expected(case: Case, call: Call, pointer: str, value: Any) -> set[str]:
    tool = tool_of(case, call.name)
    if pointer == "/name":
        if call.name == case.name:
            return {"sent", "toolset"}
        return {"toolset", "author"} if tool is not None and case.name in tool.also_called else {"toolset"}
    sent = _texts(case.said if case.said is not None else str(case.sent))
    if isinstance(value, str) and tool is not None and not any(value in text for text in sent):
        if value in case.names:
            return {"reported"}
        if value in tool.resources:
            return {"author"}
        return {"schema"} if any(value in _texts(part) for part in tool.properties.values()) else {"sent"}
    # The value was sent; its name may be the author's or the schema's, and so may the value be, if it is an allowed one.
    is_allowed = tool is not None and any(value in part.get("enum", ()) for part in tool.properties.values())
    return {"sent", "schema", "author"} if is_allowed or _renamed(case, pointer) else {"sent"}


def _renamed(case: Case, pointer: str) -> bool:
    names = {part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[2:] if not part.isdigit()}
    return case.said is None or not names <= set(_keys(case.said))


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield name
            yield from _keys(part)


def _texts(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [text for part in value.values() for text in _texts(part)]
    if isinstance(value, (list, tuple)):
        return [text for part in value for text in _texts(part)]
    return [value if isinstance(value, str) else json.dumps(value, default=str)]


def _leaves(value: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    inner: list[tuple[str, Any]] = []
    if isinstance(value, Mapping):
        inner = [(str(name).replace("~", "~0").replace("/", "~1"), part) for name, part in value.items()]
    elif isinstance(value, list):
        inner = [(str(place), part) for place, part in enumerate(value)]
    for name, part in inner:
        yield from _leaves(part, f"{pointer}/{name}")
    if not inner and pointer != "/arguments":
        yield pointer, value


def _above(pointer: str) -> Iterator[str]:
    """A pointer and those above it, down to an argument."""
    while pointer.count("/") >= 2 or pointer == "/name":
        yield pointer
        pointer = pointer.rpartition("/")[0]


def _exists(tree: Any, pointer: str) -> bool:
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(tree, Mapping) and name in tree:
            tree = tree[name]
        elif isinstance(tree, list) and name.isdigit() and int(name) < len(tree):
            tree = tree[int(name)]
        else:
            return False
    return pointer.startswith("/")


# --- all


Rule = Callable[[Case, Outcome, Reading], Iterator[Violation]]
RULES: tuple[Rule, ...] = (lines, form, own_words, ready_call, repair, other_tools, near_names, advice, budget, sources)
NAMES = {
    "lines": "one next step, nothing invisible, fences closed",
    "form": "a ready call is whole, valid, of a tool that exists, and not the one that failed",
    "a": "no reported word in our own voice",
    "b": "for a tool that is not read_only, only what loses nothing",
    "c": "for a destructive tool, only JSON syntax and lossless types",
    "c-tool": "no tool that is another thing, or destroys more",
    "cut-off": "what was cut off is not completed",
    "d": "everything sent has its place, and the meaning is the one that was known",
    "d-characters": "no digit, sign, unit, leading zero or separator is changed or lost",
    "e": "the budget of steps is kept",
    "f": "a server's sentences and look-alikes are never ours",
    "g": "the author's message is no source of a call",
    "h": "a repair does no more than a ready call may hold",
    "sources": "error.corrected_from names every source",
}


def check(case: Case, outcome: Outcome, *, without_sources: bool = False) -> list[Violation]:
    """Every violation of one call."""
    reading = read(outcome.content) if outcome.is_error else Reading("", (), (), ())
    rules = [rule for rule in RULES if not (without_sources and rule is sources)]
    return list(dict.fromkeys(broken for rule in rules for broken in rule(case, outcome, reading)))


def is_answered(case: Case, outcome: Outcome) -> bool:
    """Whether a wanted call was given, or made by a repair."""
    calls = [outcome.ran] if not outcome.is_error else list(read(outcome.content).ready)
    return any(call is not None and accepts(case, meant, call) for call in calls for meant in case.acceptable)
