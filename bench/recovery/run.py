"""Does a real model make the right next call after a failed one? By the text it was told.

python run.py check                                    without the model: scenarios, judge, and mulligan's classes
python run.py ask MODEL.gguf [--arms mulligan,raw]     ask the model; answers already in --out are kept
python run.py report [--misses mulligan]               the tables of --out, or every miss of one arm
python run.py count                                    how many texts hold a ready call, ask, or do neither

All take --set: 1 (without it), 2 or 3.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import model
from arms import ARMS, raw, result_of
from forms import LabelledText, count
from judge import judge
from scenarios import SETS, Scenario, is_read_only, is_recoverable, load, schema_of
from table import Answers, tables

CHANGED = {"look_first", "narrow"}  # kinds of transient failures after which the same call is not right
CORRECTED = "make this corrected call: "


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The stored answers, oldest first."""
    if path.exists():
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def digest(prompt: str) -> str:
    """A short name of a prompt."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:16]


def ask(options: argparse.Namespace) -> None:
    """Ask for every text that is new; equal prompts share their answer."""
    scenarios, arms = load(options.set), {name: ARMS[name] for name in options.arms.split(",")}
    texts = {(name, one["id"]): arm(one) for name, arm in arms.items() for one in scenarios}
    stored = list(rows(options.out))
    known = {row["prompt"]: row["answer"] for row in stored}
    current = {(row["arm"], row["id"]): row["prompt"] for row in stored}
    complete, started = model.load(options.model, options.threads), time.monotonic()
    with options.out.open("a", encoding="utf-8") as out:
        for one in scenarios:
            for name in arms:
                text = texts[name, one["id"]]
                prompt = model.prompt(one, text)
                key = digest(prompt)
                if current.get((name, one["id"])) == key:
                    continue
                if key not in known:
                    known[key] = model.opening(one) + complete(prompt)
                row = {"arm": name, "id": one["id"], "prompt": key, "feedback": text, "answer": known[key]}
                out.write(json.dumps(row) + "\n")
                out.flush()
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)


def answers_of(path: Path) -> dict[str, Answers]:
    """The newest answers by arm and scenario."""
    found: dict[str, Answers] = {}
    for row in rows(path):
        found.setdefault(row["arm"], {})[row["id"]] = row
    return found


def report(options: argparse.Namespace) -> None:
    """Print the tables, or every miss of one arm."""
    answers = answers_of(options.out)
    if not options.misses:
        shown = options.arms.split(",") if options.arms else list(answers)
        print(tables(load(options.set), {name: answers[name] for name in shown}, options.base))
        return
    for one in load(options.set):
        row = answers[options.misses].get(one["id"])
        if row and not (verdict := judge(one, row["answer"])).right:
            print(f"## {one['id']}: {verdict.outcome}\nuser: {one['user']}\ncall: {json.dumps(one['call'])}")
            print(f"told: {row['feedback']}\nwanted: {json.dumps(one['expect'])}\nanswer: {row['answer']}\n")


def count_forms(options: argparse.Namespace) -> None:
    """Print in which forms mulligan's texts lead on, and how many of the answers that are already there are right."""
    answers = {row["prompt"]: row["answer"] for row in rows(options.out)}
    texts = []
    for one in filter(is_recoverable, load(options.set)):
        text = ARMS["mulligan"](one)
        answer = answers.get(digest(model.prompt(one, text)))
        texts.append(LabelledText(text, is_read_only(one), None if answer is None else judge(one, answer).right))
    print(count(texts))


def check(options: argparse.Namespace) -> None:
    """Check without the model that scenarios and judge are sound, and that mulligan takes each failure for what it is."""
    scenarios, wrong = load(options.set), 0
    corrected: Counter[str] = Counter()
    assert len({one["id"] for one in scenarios}) == len(scenarios), "two scenarios share an id"
    for one in scenarios:
        _check_scenario(one)
        result = result_of(one)
        if not result.is_error or result.fatal == is_recoverable(one):
            wrong += 1
            print(f"{one['id']}: {type(result.error).__name__}, fatal={result.fatal}")
        _, said, call = result.content.rpartition(CORRECTED)
        right = judge(one, call).right
        corrected["right" if said and right else "wrong" if said else "absent"] += is_recoverable(one)
        if said and not right:
            print(f"{one['id']}: a wrong corrected call: {call}")
    wanted = sum(map(is_recoverable, scenarios))
    print(f"{wanted} recoverable scenarios, {len(scenarios) - wanted} refusals; mulligan misjudges {wrong}")
    print(f"its corrected call, taken as it stands: {dict(corrected)}")


def _check_scenario(one: Scenario) -> None:
    assert raw(one) is not None, one["id"]
    failed = json.dumps({"name": one["call"]["name"], "arguments": one["call"].get("arguments", {})})
    assert judge(one, failed).right == (one["kind"] == "transient" and one["sub"] not in CHANGED), one["id"]
    if not is_recoverable(one):
        assert judge(one, "I may not do that.").right, one["id"]
        return
    assert not judge(one, "I am sorry.").right, one["id"]
    schema = schema_of(one, one["expect"]["tool"][0])
    assert schema is not None, one["id"]
    unknown = set(one["expect"]["args"]) - set(schema["properties"])
    assert not unknown, (one["id"], unknown)
    if one["kind"] in {"not_found", "transient", "conflict"}:
        failed_schema = schema_of(one, one["call"]["name"])
        assert failed_schema is not None, one["id"]
        assert jsonschema_rs.validator_for(failed_schema).is_valid(one["call"]["arguments"]), one["id"]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    checking, asking, reporting, counting = map(commands.add_parser, ("check", "ask", "report", "count"))
    checking.set_defaults(run=check)
    asking.add_argument("model", help="the .gguf file")
    asking.add_argument("--arms", default=",".join(ARMS), help="comma-separated")
    asking.add_argument("--threads", type=int, default=2)
    reporting.add_argument("--arms", help="comma-separated; all that were asked, without it")
    reporting.add_argument("--base", default="pydantic_ai", help="the arm that differences are taken from")
    reporting.add_argument("--misses", metavar="ARM", help="print what this arm missed")
    for command, run in ((asking, ask), (reporting, report), (counting, count_forms)):
        command.add_argument("--out", type=Path, default=Path("answers.jsonl"))
        command.set_defaults(run=run)
    for command in (checking, asking, reporting, counting):
        command.add_argument("--set", type=int, choices=SETS, default=1, help="which scenarios; the first, without it")
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
