"""Does a real model make the right next call after a failed one? By the text it was told.

python run.py check                                    without the model: scenarios, judge, and mulligan's classes
python run.py ask MODEL.gguf [--arms mulligan,raw]     ask the model; answers already in --out are kept
python run.py report [--misses mulligan]               the tables of --out, or every miss of one arm
python run.py count                                    how many texts hold a ready call, ask, or do neither
python run.py writes                                   every proposal for a tool that may change something
python run.py parts --sets 8,9,10 --out "out-{}"       what each part of mulligan's texts costs and brings, over several sets
python run.py refusals --sets 8,9,10 --out "out-{}"    after how many refusals the refused tool is left alone, over several sets

All but the last two take --set: 1 (without it) to 18. `ask --calls 2` lets the model try twice; --free does not force a call;
`ask --refusals` asks only after failures that no call can repair.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema_rs
import model
from arms import ARMS, COMPARED, PARTS, first_text, raw, results_of
from calls import SentCall, sent_call
from forms import LabelledText, count
from judge import judge
from scenarios import SETS, Scenario, failed_call, is_read_only, is_recoverable, load, schema_of
from table import parts_table, tables

CHANGED = {"look_first", "narrow"}  # kinds of transient failures after which the same call is not right
CORRECTED = "make this corrected call: "


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The stored answers, oldest first."""
    if path.exists():
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def digest(prompt: str) -> str:
    """A short name of a prompt."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:16]


class Answers:
    """The answers of the model, of which those in a file are not asked again; equal prompts share their answer.

    Args:
        options: of the command line.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._out, self._options = options.out, options
        self._known = {row["prompt"]: row["answer"] for row in rows(options.out)}
        self._newest = {_key(row): row["prompt"] for row in rows(options.out)}
        self._complete: Callable[[str], str] | None = None

    def to(self, scenario: Scenario, arm: str, turns: Sequence[tuple[SentCall, str]]) -> str:
        """The answer after these calls and texts; stored."""
        opening = model.opening(scenario, free=self._options.free)
        prompt = model.prompt(scenario, turns, opening)
        key = digest(prompt)
        before = digest(model.prompt(scenario, turns[:-1], opening)) if turns[:-1] else None
        if key not in self._known:
            self._complete = self._complete or model.load(self._options.model, self._options.threads)
            self._known[key] = opening + self._complete(prompt)
        row = {"arm": arm, "id": scenario["id"], "turn": len(turns), "free": self._options.free, "prompt": key}
        row |= {"after": before, "feedback": turns[-1][1], "answer": self._known[key]}
        if self._newest.get(_key(row)) != key:
            with self._out.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")
        return self._known[key]


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["arm"], row["id"], row.get("turn", 1), row.get("free", False)


def ask(options: argparse.Namespace) -> None:
    """Ask after the call that fails, and with --calls 2 once more where the first next call was not right."""
    answers, started = Answers(options), time.monotonic()
    for one in load(options.set):
        if options.refusals and is_recoverable(one):
            continue
        for name in options.arms.split(","):
            turns = [(failed_call(one), first_text(name, one))]
            while len(turns) <= options.calls:
                answer = answers.to(one, name, turns)
                sent = sent_call(answer)
                if judge(one, answer).right or not is_recoverable(one) or sent is None:
                    break
                calls = [*(call for call, _ in turns), sent]
                turns.append((sent, ARMS[name](one, calls)[-1]))
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)


def answers_of(options: argparse.Namespace) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """The newest answers by arm and scenario, one for each turn; a second one only if it follows from the first."""
    newest = {_key(row): row for row in rows(options.out) if row.get("free", False) == options.free}
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in sorted(newest.values(), key=lambda row: row.get("turn", 1)):
        turns = found.setdefault(row["arm"], {}).setdefault(row["id"], [])
        if row.get("turn", 1) == 1 or (turns and row["after"] == turns[0]["prompt"]):
            turns.append(row)
    return found


def report(options: argparse.Namespace) -> None:
    """Print the tables, or every miss of one arm."""
    answers = answers_of(options)
    if not options.misses:
        shown = options.arms.split(",") if options.arms else list(answers)
        print(tables(load(options.set), {name: answers[name] for name in shown}, options.base))
        return
    for one in load(options.set):
        turns = answers[options.misses].get(one["id"], [])
        if turns and not (verdict := judge(one, turns[0]["answer"])).right:
            print(f"## {one['id']}: {verdict.outcome}\nuser: {one['user']}\ncall: {json.dumps(one['call'])}")
            for row in turns:
                print(f"told: {row['feedback']}\nanswer: {row['answer']}")
            print(f"wanted: {json.dumps(one['expect'])}\n")


def _over_sets(options: argparse.Namespace) -> tuple[list[Scenario], dict[str, dict[str, list[dict[str, Any]]]]]:
    """The scenarios of several sets, and their answers by arm."""
    scenarios: list[Scenario] = []
    arms: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for number in map(int, options.sets.split(",")):
        options.out = Path(options.pattern.format(number))
        scenarios += load(number)
        for name, answers in answers_of(options).items():
            arms.setdefault(name, {}).update(answers)
    return scenarios, arms


def show_refusals(options: argparse.Namespace) -> None:
    """Print after how many refusals each arm's text makes the model leave the refused tool alone."""
    scenarios, arms = _over_sets(options)
    for name, answers in arms.items():
        asked = [one for one in scenarios if not is_recoverable(one) and one["id"] in answers]
        left = sum(judge(one, answers[one["id"]][0]["answer"]).right for one in asked)
        print(f"{name}: left alone after {left} of {len(asked)} refusals")


def show_parts(options: argparse.Namespace) -> None:
    """Print what each part of the texts costs and brings, over the sets that were asked with and without it."""
    scenarios, arms = _over_sets(options)
    print(parts_table(scenarios, arms["mulligan"], {part: arms[f"no-{part}"] for part in PARTS}))


def count_forms(options: argparse.Namespace) -> None:
    """Print in which forms mulligan's texts lead on, and how many of the answers that are already there are right."""
    answers = {row["prompt"]: row["answer"] for row in rows(options.out)}
    texts = []
    for one in filter(is_recoverable, load(options.set)):
        text = first_text("mulligan", one)
        answer = answers.get(digest(model.prompt(one, [(failed_call(one), text)], model.OPENING)))
        texts.append(LabelledText(text, is_read_only(one), None if answer is None else judge(one, answer).right))
    print(count(texts))


def list_writes(options: argparse.Namespace) -> None:
    """Print every distinct proposal for a tool that is not declared `read_only`, for a person to read."""
    proposals: dict[str, str] = {}
    for one in filter(is_recoverable, load(options.set)):
        lines = [line for line in first_text("mulligan", one).splitlines() if line.startswith(("Did you", "Next:"))]
        if not is_read_only(one) and any("{" in line or "Did you" in line for line in lines):
            call = failed_call(one)
            proposals.setdefault("\n".join(lines), f"{one['id']}: {call.name} {call.arguments}")
    print("\n\n".join(f"{call}\n{proposal}" for proposal, call in proposals.items()))


def check(options: argparse.Namespace) -> None:
    """Check without the model that scenarios and judge are sound, and that mulligan takes each failure for what it is."""
    scenarios, wrong = load(options.set), 0
    corrected: Counter[str] = Counter()
    assert len({one["id"] for one in scenarios}) == len(scenarios), "two scenarios share an id"
    for one in scenarios:
        _check_scenario(one)
        result = results_of(one, [failed_call(one)])[0]
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
    names = "check", "ask", "report", "count", "writes", "parts", "refusals"
    checking, asking, reporting, counting, listing, leaving_out, refusing = map(commands.add_parser, names)
    for command, run in ((leaving_out, show_parts), (refusing, show_refusals)):
        command.set_defaults(run=run, free=False)
        command.add_argument("--sets", required=True, help="comma-separated")
        command.add_argument("--out", dest="pattern", required=True, help="the files of the answers, {} for the set")
    checking.set_defaults(run=check)
    listing.set_defaults(run=list_writes)
    asking.add_argument("model", help="the .gguf file")
    asking.add_argument("--arms", default=",".join(COMPARED), help=f"comma-separated, of {', '.join(ARMS)}")
    asking.add_argument(
        "--calls", type=int, choices=(1, 2), default=1, help="how many next calls, if the first is wrong"
    )
    asking.add_argument("--threads", type=int, default=2)
    asking.add_argument("--refusals", action="store_true", help="only after failures that no call can repair")
    reporting.add_argument("--arms", help="comma-separated; all that were asked, without it")
    reporting.add_argument("--base", default="pydantic_ai", help="the arm that differences are taken from")
    reporting.add_argument("--misses", metavar="ARM", help="print what this arm missed")
    for command, run in ((asking, ask), (reporting, report), (counting, count_forms)):
        command.add_argument("--out", type=Path, default=Path("answers.jsonl"))
        command.add_argument("--free", action="store_true", help="the model may also answer without a call")
        command.set_defaults(run=run)
    for command in (checking, asking, reporting, counting, listing):
        command.add_argument("--set", type=int, choices=SETS, default=1, help="which scenarios; the first, without it")
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
