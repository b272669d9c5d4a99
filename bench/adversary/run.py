"""An adversary that stays: `python bench/adversary/run.py --cases 100000 --seed 1`. README.md says what it checks."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Any

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from adversary import rules
from adversary.changes import changes
from adversary.generate import make_case
from adversary.model import Call, Case, Outcome, ToolSpec
from adversary.toolsets import make_world

from mulligan import Pipeline, Policy, Tool, errors

CASES_OF_A_WORLD = 200
WANTED_SHARE = 0.9
EFFECTS: dict[str, dict[str, bool]] = {
    "read": {"read_only": True},
    "write": {"read_only": False, "destructive": False},
    "destroy": {"destructive": True},
    "undeclared": {},
}


class StatusError(Exception):
    """What an HTTP library raises."""

    def __init__(self, status_code: int, body: object) -> None:
        super().__init__(f"HTTP {status_code}: {json.dumps(body)}")
        self.status_code, self.body = status_code, body


class OutOfStepsError(KeyboardInterrupt):
    """Ends a call that takes too many steps: the one kind of exception that a pipeline always lets through."""


@dataclass
class Tally:
    """What a run has found."""

    cases: int = 0
    by_kind: Counter[str] = field(default_factory=Counter)
    violations: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    wanted: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    missed: dict[str, str] = field(default_factory=dict)
    ready: int = 0
    repaired: int = 0
    refused: set[str] = field(default_factory=set)
    writes: dict[str, tuple[int, str]] = field(default_factory=dict)

    def add(self, other: Tally, show: int) -> None:
        """Count another run's findings too, and keep the shortest examples."""
        self.cases, self.ready, self.repaired = (
            self.cases + other.cases,
            self.ready + other.ready,
            self.repaired + other.repaired,
        )
        for name in ("by_kind", "violations", "wanted", "answered"):
            getattr(self, name).update(getattr(other, name))
        for rule, examples in other.examples.items():
            merged = [*self.examples.get(rule, ()), *examples]
            self.examples[rule] = sorted(merged, key=lambda example: len(example[1]))[:show]
        self.missed = {**other.missed, **self.missed}
        self.refused |= other.refused
        for shape, (count, example) in other.writes.items():
            self.writes[shape] = (self.writes.get(shape, (0, ""))[0] + count, example)

    @property
    def share(self) -> float:
        """The share of wanted calls that were given."""
        return self.answered.total() / max(1, self.wanted.total())


class Stage:
    """A world's pipelines, and what its tools do next."""

    def __init__(self, *, without_aliases: bool = False) -> None:
        self.without_aliases = without_aliases
        self.case: Case | None = None
        self.ran: list[Call] = []
        self.refused: set[str] = set()
        self._pipelines: dict[tuple[int, bool], Pipeline] = {}

    def pipeline(self, case: Case) -> Pipeline:
        """The pipeline of a case: one for each tool set, with and without repairs."""
        key = id(case.tools), case.repair
        if key not in self._pipelines:
            policy = Policy(repair="all") if case.repair else None
            tools = [tool for tool in map(self._tool, case.tools) if tool is not None]
            self._pipelines[key] = Pipeline(tools, autoload=False, policy=policy)
        return self._pipelines[key]

    def close(self) -> None:
        """Close every pipeline."""
        for pipeline in self._pipelines.values():
            pipeline.close()

    def _tool(self, spec: ToolSpec) -> Tool | None:
        def handler(**arguments: Any) -> Any:
            self.ran.append(Call(spec.name, arguments))
            return self._answer()

        options: dict[str, Any] = {**EFFECTS[spec.effect], "inline": True}
        if spec.resources:
            options["resources"] = list(spec.resources)
        if not self.without_aliases:
            if spec.aliases:
                options["aliases"] = {name: list(others) for name, others in spec.aliases.items()}
            if spec.also_called:
                options["also_called"] = list(spec.also_called)
        try:
            return Tool.from_schema(spec.name, spec.description, rules.plain(spec.schema), handler, **options)
        except errors.UsageError:
            if not spec.is_foreign:
                raise
            self.refused.add(spec.name)
            return None

    def _answer(self) -> Any:
        case = self.case
        if case is None or case.failure is None:
            return "done"
        if case.form == "return":
            return case.failure
        if case.form == "status":
            raise StatusError(*case.failure)
        raise errors.ResourceNotFoundError(case.failure) if case.form == "author" else LookupError(case.failure)

    def play(self, case: Case) -> Outcome:
        """Make the call."""
        pipeline = self.pipeline(case)
        self.case = case
        self.ran.clear()
        steps = 0
        try:
            if case.budget:  # counting is slow: the time is that of a second call
                steps = _count_steps(pipeline, case)
            started = time.process_time()
            result = pipeline.recover(case.failure) if case.form == "recover" else pipeline.call(case.name, case.sent)
            seconds = time.process_time() - started
        except OutOfStepsError:
            return Outcome("", is_error=True, sources={}, steps=rules.MOST_STEPS + 1)
        finally:
            if case.budget:  # its tool set is its own
                self._pipelines.pop((id(case.tools), case.repair)).close()
        error = result.error
        return Outcome(
            content=result.content,
            is_error=result.is_error,
            ran=self.ran[0] if self.ran else None,
            sources=getattr(error, "corrected_from", None) if error is not None else {},
            user_message=str(getattr(error, "user_message", "") or ""),
            steps=steps,
            seconds=seconds,
        )


@cache
def _load_once() -> None:
    """Loads what a first wrong call loads, so that no case is charged for it."""
    schema = {
        "type": "object",
        "properties": {"kinds": {"type": "array", "items": {"enum": ["old_oak_of_the_hill", "young_oak"]}}},
    }
    tool = Tool.from_schema("measure", "Measures trees.", schema, lambda **_: None, read_only=True)
    with Pipeline([tool], autoload=False) as pipeline:
        for arguments in ({"kinds": ["old_oak_of_the_hillx", "young_oakx"]}, {"knids": ["young_oak"]}, '{"kinds": ['):
            pipeline.call("measure", arguments)


def _count_steps(pipeline: Pipeline, case: Case) -> int:
    _load_once()
    steps = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal steps
        if event in {"call", "c_call"}:
            steps += 1
            if steps > rules.MOST_STEPS:
                sys.setprofile(None)
                raise OutOfStepsError

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        pipeline.call(case.name, case.sent)
    finally:
        sys.setprofile(before)
    return steps


# --- many cases


def run_world(
    seed: int,
    number: int,
    cases: int,
    *,
    without_sources: bool = False,
    without_aliases: bool = False,
    show: int = 3,
    only: int | None = None,
) -> Tally:
    """The cases of one world; `only` this one."""
    tally, world, stage = Tally(), make_world(seed, number), Stage(without_aliases=without_aliases)
    for index in range(cases) if only is None else [only]:
        case = make_case(world, index)
        case.wanted = case.wanted and not (without_aliases and "alias" in case.kind)
        outcome = stage.play(case)
        broken = rules.check(case, outcome, without_sources=without_sources)
        _count(tally, case, outcome, broken, show)
        if only is not None:
            print(describe(seed, case, outcome, broken))
    tally.refused = stage.refused
    stage.close()
    return tally


def _count(tally: Tally, case: Case, outcome: Outcome, broken: list[rules.Violation], show: int) -> None:
    tally.cases += 1
    first = case.kind.partition(" + ")[0]
    tally.by_kind[first] += 1
    for violation in broken:
        tally.violations[violation.rule] += 1
    for rule in {violation.rule for violation in broken}:
        whys = "; ".join(violation.why for violation in broken if violation.rule == rule)
        example = (
            case.key,
            f"{case.kind} ({'repair, ' if case.repair else ''}{effect(case)}): {_sent(case)}\n    {whys}",
        )
        kept = sorted([*tally.examples.get(rule, ()), example], key=lambda kept: len(kept[1]))
        tally.examples[rule] = kept[:show]
    calls = [call for call in rules.read(outcome.content).ready if call] if outcome.is_error else []
    is_repaired = outcome.ran is not None and not (
        outcome.ran.name == case.name and rules.equal(outcome.ran.arguments, case.said)
    )
    tally.ready += bool(calls)
    tally.repaired += is_repaired
    if is_repaired and outcome.ran is not None:
        calls = [outcome.ran]
    for call in calls:
        tool = rules.tool_of(case, call.name)
        if tool is not None and tool.effect != "read":
            made = f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}"
            effect_of_call = f"{tool.effect}{', repair' if is_repaired else ''}"
            for part in changes(_sent(case), made):
                shape = f"{effect_of_call}: {part}"
                tally.writes[shape] = (
                    tally.writes.get(shape, (0, ""))[0] + 1,
                    f"{case.kind}: {_sent(case)}  =>  {made}",
                )
    if case.wanted:
        tally.wanted[first] += 1
        if rules.is_answered(case, outcome):
            tally.answered[first] += 1
        else:
            tally.missed.setdefault(first, f"{case.key} {effect(case)}: {_sent(case)}")


def effect(case: Case) -> str:
    """What the tool that was meant is declared to do."""
    return case.tool.effect if case.tool is not None else "no such tool"


def _sent(case: Case) -> str:
    sent = case.sent if isinstance(case.sent, str) else json.dumps(case.sent, ensure_ascii=False)
    return f"{case.name} {sent[:400]}"


def describe(seed: int, case: Case, outcome: Outcome, broken: list[rules.Violation]) -> str:
    """All of one case, for a person to read."""
    tool = case.tool
    parts: Mapping[str, Any] = {
        "case": f"--seed {seed} --case {case.key} ({case.kind})",
        "tool": f"{tool.name}, {tool.effect}, {json.dumps(rules.plain(tool.schema))[:2000]}" if tool else None,
        "sent": _sent(case),
        "repairs": case.repair,
        "failure": case.failure,
        "acceptable": [f"{call.name} {json.dumps(call.arguments)}" for call in case.acceptable] or "no ready call",
        "wanted": case.wanted,
        "ran": outcome.ran,
        "sources": outcome.sources,
        "text": "\n" + outcome.content,
        "violations": broken or "none",
    }
    return "\n".join(f"{name}: {part}" for name, part in parts.items())


def run(cases: int, seed: int, *, processes: int = 1, show: int = 3, **options: bool) -> Tally:
    """All cases, in as many processes as said. The same cases, however many there are."""
    total, worlds = Tally(), -(-cases // CASES_OF_A_WORLD)
    for found in _all(cases, seed, worlds, processes, {**options, "show": show}):
        total.add(found, show)
    return total


def _all(cases: int, seed: int, worlds: int, processes: int, options: dict[str, Any]) -> Iterator[Tally]:
    jobs = [
        (seed, number, min(CASES_OF_A_WORLD, cases - number * CASES_OF_A_WORLD), options) for number in range(worlds)
    ]
    if processes == 1:
        yield from map(_job, jobs)
        return
    with ProcessPoolExecutor(processes) as workers:
        yield from workers.map(_job, jobs, chunksize=4)


def _job(job: tuple[int, int, int, dict[str, Any]]) -> Tally:
    seed, number, cases, options = job
    return run_world(seed, number, cases, **options)


# --- what is printed


def report(tally: Tally, seed: int) -> Iterator[str]:
    """The lines of a report."""
    for rule, meaning in rules.NAMES.items():
        count = tally.violations[rule]
        yield f"{rule:13} {count:7,}  {meaning}"
        for key, example in tally.examples.get(rule, ()):
            yield f"  --seed {seed} --case {key}: {example}"
    yield ""
    yield "cases by kind: " + ", ".join(f"{kind} {count:,}" for kind, count in tally.by_kind.most_common())
    yield "wanted calls made, by kind:"
    for kind, count in tally.wanted.most_common():
        missed = f"  e.g. {tally.missed[kind][:200]}" if kind in tally.missed else ""
        yield f"  {kind:20} {tally.answered[kind]:7,} of {count:7,}{missed}"
    if tally.refused:
        yield f"tools refused when they were made: {len(tally.refused):,}"
    yield (
        f"{tally.cases:,} cases: {tally.ready:,} ready calls, {tally.repaired:,} repairs, "
        f"{tally.violations.total():,} violations; "
        f"{tally.answered.total():,} of {tally.wanted.total():,} wanted calls made ({tally.share:.1%})"
    )


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--show", type=int, default=3, help="examples of each rule")
    parser.add_argument("--case", help="WORLD:INDEX: print this one only, whole")
    parser.add_argument(
        "--list-writes", type=Path, metavar="FILE", help="the distinct changes proposed for tools that may write"
    )
    parser.add_argument("--without-sources", action="store_true", help="leave error.corrected_from unchecked")
    parser.add_argument("--without-aliases", action="store_true", help="declare no aliases=, also_called=")
    options = parser.parse_args()
    chosen = {"without_sources": options.without_sources, "without_aliases": options.without_aliases}
    if options.case:
        number, index = map(int, options.case.split(":"))
        tally = run_world(options.seed, number, 1, only=index, **chosen)
        return 1 if tally.violations else 0
    started, cpu = time.perf_counter(), os.times()
    tally = run(options.cases, options.seed, processes=options.processes, show=options.show, **chosen)
    print("\n".join(report(tally, options.seed)))
    used = sum(os.times()[:4]) - sum(cpu[:4])
    python = f"Python {platform.python_version()}, mulligan {version('mulligan')}"
    today = datetime.datetime.now(datetime.UTC).date()
    print(
        f"seed {options.seed}, {time.perf_counter() - started:.0f} s ({used:.0f} s of CPU), {options.processes} processes"
    )
    print(f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}; {python}; {today}")
    if options.list_writes:
        lines = [f"{shape}  x{count}\n    {example}\n" for shape, (count, example) in sorted(tally.writes.items())]
        options.list_writes.write_text("".join(lines), encoding="utf-8")
        print(f"{len(lines):,} distinct changes to calls of tools that may write: {options.list_writes.name}")
    return 1 if tally.violations or tally.share < WANTED_SHARE else 0


if __name__ == "__main__":
    sys.exit(main())
