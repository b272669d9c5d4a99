"""Calls that must not run a tool that may write: valid arguments cut off anywhere, and names that are nearly right.

Both are endless, the same in each process, and made without a look at how repairs are done.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

from mulligan import Policy, Tool, ToolCall
from mulligan.repair import ask

SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "content": {"type": "string"},
        "lines": {"type": "array", "items": {"type": "string"}},
        "meta": {"type": "object"},
        "count": {"type": "integer"},
        "price": {"type": "number"},
        "urgent": {"type": "boolean"},
    },
    "required": ["path"],
    "additionalProperties": False,
}
TEXTS = """
a.md|say "hi"|{"x": [1, 2|}|]}|it's|C:\\Users\\new|// no|/* no|```json|line\nline|tab\t|„über“|𝔘|“curly|end}"}|\\"}|,|:|"|'|{}|[]|null|10|
""".strip("\n").split("|")
READING = "read_file list_files search_web get_user_info find_text fs__stat_path github.get_issue show_status".split()
WRITING = "delete_file write_file send_mail fs__remove_path github.create_issue readfiles pay update_user_info".split()
MARKS = ("__", "--", ".", ":", "/")


def texts(seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Arguments that fit `SCHEMA`, as JSON text and as they read."""
    chance = random.Random(seed)
    while True:
        given: dict[str, Any] = {"path": text(chance)}
        for name, make in (
            ("content", text),
            ("lines", lambda _: [text(chance) for _ in range(chance.randrange(4))]),
            ("meta", lambda _: {text(chance): text(chance), "deep": [{"n": chance.randrange(99)}]}),
            ("count", lambda _: chance.randrange(-999, 99_999)),
            ("price", lambda _: chance.randrange(9_999) / 100),
            ("urgent", lambda _: chance.random() < 0.5),
        ):
            if chance.random() < 0.5:
                given[name] = make(chance)
        names = chance.sample(list(given), len(given))
        style = {"ensure_ascii": chance.random() < 0.3, "indent": chance.choice((None, None, 2))}
        separators = chance.choice((None, (",", ":")))
        yield json.dumps({name: given[name] for name in names}, separators=separators, **style), given


def text(chance: random.Random) -> str:
    """A text full of what JSON, Python and JavaScript have for punctuation."""
    return chance.choice(("", " ", "-")).join(chance.choices(TEXTS, k=chance.randrange(1, 5)))


def prefixes(seed: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every proper prefix of valid arguments, with the whole text and as it reads."""
    for whole, given in texts(seed):
        for end in range(len(whole)):
            yield whole[:end], whole, given


def begins(part: Any, whole: Any) -> bool:
    """Whether a value is the whole one with members or items left out at its end, and every other value in it whole."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and begins(value, whole[name]) for name, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(begins, part, whole))
    return type(part) is type(whole) and part == whole


def run_prefixes(make_pipeline: Any, seed: int, number: int) -> dict[str, int]:
    """Calls a tool that writes and one that reads with so many prefixes, beside a model that knows the whole text."""
    written, read, known = [], [], [""]

    def answer(messages: list[dict[str, Any]]) -> str:
        return known[0]

    tools = [
        Tool.from_schema("write", "Writes.", SCHEMA, lambda **given: written.append(given)),
        Tool.from_schema("read", "Reads.", SCHEMA, lambda **given: read.append(given), read_only=True),
    ]
    plain = make_pipeline(*tools, policy=Policy(repair="all"))
    helped = make_pipeline(*tools, policy=Policy(repair=["all", ask(answer, timeout=None)]))
    wrong = 0
    for _, (prefix, whole, given) in zip(range(number), prefixes(seed), strict=False):
        known[0] = whole
        sent = prefix.encode() if len(prefix) % 7 == 0 else prefix
        helped.call("write", sent)
        before = len(read)
        plain.call("read", sent)
        wrong += any(not begins(one, given) for one in read[before:])
    return {"prefixes": number, "written": len(written), "read": len(read), "read_with_another_value": wrong}


def names(seed: int) -> Iterator[str]:
    """Names that are nearly those of `READING` and `WRITING`, or the same but for style."""
    chance = random.Random(seed)
    known = READING + WRITING
    while True:
        name = chance.choice(known)
        for _ in range(chance.choice((1, 1, 2, 3))):
            name = mutated(name, chance)
        yield name


def mutated(name: str, chance: random.Random) -> str:
    """A name with one thing changed."""
    at = chance.randrange(len(name) + 1)
    letter = chance.choice("abcdefghijklmnopqrstuvwxyz_-. 10éаο")
    words = re.split(r"[_.\- ]+", name)
    return chance.choice(
        (
            lambda: name.upper(),
            lambda: name.title(),
            lambda: chance.choice(("-", "_", ".", " ", "")).join(words),
            lambda: words[0] + "".join(word.title() for word in words[1:]),
            lambda: (
                chance.choice(("fs", "mcp__fs", "github", "functions", "delete", "x")) + chance.choice(MARKS) + name
            ),
            lambda: name[:at] + letter + name[at:],
            lambda: name[:at] + name[at + 1 :],
            lambda: name[:at] + letter + name[at + 1 :],
            lambda: name[: at - 1] + name[at : at + 1] + name[at - 1 : at] + name[at + 1 :] if at else name,
            lambda: name + chance.choice(("s", "_tool", "()", "\n", "_v2", "!", "\u200b")),
            lambda: name.replace("a", "а").replace("e", "е"),
            lambda: "".join(chr(ord(one) + 0xFEE0) if one.isalnum() and one.isascii() else one for one in name),
            lambda: " ".join(reversed(words)),
            lambda: name.replace(words[0], chance.choice(("delete", "read", "get", "un" + words[0])), 1),
        )
    )()


def is_style(called: str, name: str) -> bool:
    """Whether two names differ in case, separators and a namespace only."""
    mine, other = forms(called), forms(name)
    return mine[0] == other[0] or mine[0] in other or other[0] in mine


def forms(name: str) -> list[str]:
    """The name and what is left of it after each mark that may end a namespace, without case and separators."""
    tails = [name[at + len(mark) :] for mark in MARKS for at in range(len(name)) if name.startswith(mark, at)]
    return [re.sub(r"[-_. ]", "", one).casefold() for one in (name, *tails)]


def run_names(make_pipeline: Any, seed: int, number: int) -> dict[str, int]:
    """Calls tools by so many names of which none exists."""
    ran: list[str] = []
    tools = [
        *(
            Tool.from_schema(name, name, {"type": "object"}, lambda name=name: ran.append(name), read_only=True)
            for name in READING
        ),
        *(Tool.from_schema(name, name, {"type": "object"}, lambda name=name: ran.append(name)) for name in WRITING),
    ]
    pipeline = make_pipeline(*tools, policy=Policy(repair="all"))
    found = {"names": 0, "read": 0, "written": 0, "read_by_another_name": 0}
    made = names(seed)
    while found["names"] < number:
        called = next(made)
        if called in pipeline.tools:
            continue
        ran.clear()
        pipeline.call(ToolCall(None, called, {}))
        found["names"] += 1
        found["read"] += len(ran)
        found["written"] += sum(name in WRITING for name in ran)
        found["read_by_another_name"] += any(not is_style(called, name) for name in ran)
    return found
