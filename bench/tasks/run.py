"""Whole tasks by a real model over real tools that fail: what do the texts of a framework, or mulligan, change?

python run.py check [--tasks 8]                       without the model: tasks, worlds, faults and slips are sound
python run.py ask MODEL.gguf [--arms plain,mulligan]  do the tasks; turns that are already in --out are not asked again
python run.py report [--misses mulligan]              the tables of --out, or every task that one arm missed
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

sys.path.append(str(Path(__file__).parents[1] / "recovery"))

import model
from conversation import Conversation, Reply, Speaker, TaskRun, converse, usable_toolsets
from responders import ARMS, UNDISTURBED
from results import tables
from scripted import ADDING, careless, idle, perfect
from task_list import Task, load

FOLDER = Path(tempfile.gettempdir()) / "mulligan-tasks"  # the same for every run: paths are part of the prompts
CONTEXT = 8192


@contextmanager
def workspace() -> Iterator[Callable[[], Path]]:
    """A function that empties the one folder; another process waits until it is free."""
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lambda: _empty(FOLDER / "workspace")


def _empty(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder.resolve()


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The stored rows, oldest first: `turn` (a prompt's hash and its answer) and `run`."""
    if path.exists():
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def chosen(options: argparse.Namespace) -> list[Task]:
    """The tasks that can be done here, and were not left out: with a number, that many over all toolsets."""
    usable = list(usable_toolsets())
    tasks = [one for one in load() if one.toolset in usable]
    for toolset in sorted({one.toolset for one in load()} - set(usable)):
        from mcp_world import missing

        print(f"{toolset}: left out, since {missing()}", file=sys.stderr)
    if options.only:
        return [one for one in tasks if one.id in options.only.split(",")]
    if options.tasks:
        picked = sorted(tasks, key=lambda one: int(one.id.rpartition("-")[2]))[: options.tasks]
        return [one for one in tasks if one in picked]
    return tasks


def ask(options: argparse.Namespace) -> None:
    """Do every task in every arm; equal prompts share their answer."""
    stored = list(rows(options.out))
    known = {row["prompt"]: row for row in stored if row["row"] == "turn"}
    done = {_key(row) for row in stored if row["row"] == "run"} if options.new else set()
    complete, asked = model.serve(options.model, options.threads, CONTEXT), 0
    started = time.monotonic()
    with options.out.open("a", encoding="utf-8") as out, workspace() as emptied:

        def store(row: dict[str, Any]) -> None:
            out.write(json.dumps(row) + "\n")
            out.flush()

        def speak(conversation: Conversation) -> Reply:
            nonlocal asked
            prompt = conversation.prompt()
            key = hashlib.sha256(prompt.encode()).hexdigest()[:16]
            if key not in known:
                reply, asked = complete(prompt), asked + 1
                usage = reply["usage"]
                known[key] = {
                    "row": "turn",
                    "prompt": key,
                    "text": reply["choices"][0]["text"],
                    "tokens": [usage["prompt_tokens"], usage["completion_tokens"]],
                }
                store(known[key])
            return Reply(known[key]["text"], *known[key]["tokens"])

        for seed in map(int, options.seeds.split(",")):
            for task in chosen(options):
                for arm in options.arms.split(","):
                    row = {"row": "run", "arm": arm, "task": task.id, "seed": seed, "forced": options.forced}
                    if _key(row) in done:
                        continue
                    run = converse(task, arm, speak, emptied(), seed, forced=options.forced)
                    store({**row, **attrs.asdict(run)})
                print(f"{task.id}: {time.monotonic() - started:.0f} s, {asked} turns asked", file=sys.stderr)


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["arm"], row["task"], row["seed"], row["forced"]


def report(options: argparse.Namespace) -> None:
    """Print the tables, or every task that one arm missed."""
    newest = {_key(row): row for row in rows(options.out) if row["row"] == "run" and row["forced"] == options.forced}
    found = list(newest.values())
    if not options.misses:
        print(tables(found, list(ARMS), options.base))
        return
    requests = {one.id: one for one in load()}
    for row in found:
        if row["arm"] == options.misses and (not row["completed"] or row["harmful"]):
            print(f"## {row['task']}, seed {row['seed']}: {row['end']}; completed: {row['completed']}")
            print(f"harmful: {row['harmful']}\nslip: {row['slip']}; chaos: {row['injected']}")
            print(f"user: {requests[row['task']].user}")
            print("\n".join(f"{role}: {text}" for role, text in row["transcript"]), end="\n\n")


def check(options: argparse.Namespace) -> None:
    """Check without the model: each task can be solved, with faults too, but not by doing nothing, and harm is noticed."""
    tasks, wrong = chosen(options), 0
    slips: Counter[str] = Counter()
    injected: Counter[str] = Counter()
    for task in tasks:
        for arm, seed, speaker in _checks(options.seeds):
            run = _checked(task, arm, speaker, seed)
            if speaker is perfect and arm != UNDISTURBED:
                slips[run.slip or "none"] += 1
                injected.update(one.partition(": ")[2] for one in run.injected)
            problem = _problem(task, run, speaker)
            if problem:
                wrong += 1
                print(f"{task.id}, {arm}, seed {seed}, {speaker.__name__}: {problem}")
                print("\n".join(f"    {role}: {text}" for role, text in run.transcript))
    print(f"{len(tasks)} tasks; slips: {dict(slips)}; chaos: {dict(injected)}; problems: {wrong}")
    if wrong:
        sys.exit(1)


def _checks(seeds: str) -> Iterator[tuple[str, int, Speaker]]:
    yield UNDISTURBED, 0, idle
    yield UNDISTURBED, 0, perfect
    yield UNDISTURBED, 0, careless
    for seed in map(int, seeds.split(",")):
        for arm in ("plain", "mulligan"):
            yield arm, seed, perfect


def _checked(task: Task, arm: str, speaker: Speaker, seed: int) -> TaskRun:
    with tempfile.TemporaryDirectory() as folder:
        return converse(task, arm, speaker, Path(folder).resolve(), seed)


def _problem(task: Task, run: TaskRun, speaker: Speaker) -> str:
    if speaker is idle:
        return "doing nothing completes it" if run.completed or run.calls or run.harmful else ""
    if speaker is careless:
        expected = sum(call["name"] in ADDING for call in task.calls) + 1
        return "" if len(run.harmful) == expected and not run.completed else f"{expected} harmful calls: {run.harmful}"
    if not run.completed:
        return f"the solution does not complete it ({run.end} after {run.calls} calls)"
    return f"the solution does harm: {run.harmful}" if run.harmful else ""


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    checking, asking, reporting = map(commands.add_parser, ("check", "ask", "report"))
    checking.set_defaults(run=check)
    asking.set_defaults(run=ask)
    reporting.set_defaults(run=report)
    asking.add_argument("model", help="the .gguf file")
    asking.add_argument("--arms", default=",".join(ARMS), help="comma-separated")
    asking.add_argument("--threads", type=int, default=2)
    asking.add_argument("--new", action="store_true", help="only what has no result yet, not what may have changed")
    for command in (checking, asking):
        command.add_argument("--seeds", default="1", help="of faults and slips, comma-separated")
        command.add_argument("--tasks", type=int, default=0, help="only so many, over all toolsets")
        command.add_argument("--only", default="", help="only these, comma-separated")
    reporting.add_argument("--base", default="plain", help="the arm that differences are taken from")
    reporting.add_argument("--misses", metavar="ARM", help="print what this arm missed, and what did harm")
    for command in (asking, reporting):
        command.add_argument("--out", type=Path, default=Path("answers.jsonl"))
        command.add_argument("--forced", action="store_true", help="after a failure, a call is forced")
    options = parser.parse_args(arguments)
    options.run(options)


if __name__ == "__main__":
    main()
