"""Compares what each package says of failures with what mulligan says alone: `python bench/classification.py`.

The cases of a package are its published error codes (`tests/published`), each in the exception in which it arrives, and
the samples of its conformance tests and its gallery, raised by the real library if that is installed; with `--tests all`,
every failure that its tests classify. A case is

- the same: class and fatality are those without the package,
- more specific: mulligan alone says no more than that something failed, or the package adds a resource, a wait or problems,
- different: another class or fatality, where mulligan alone has one,
- worse: a less specific class, a resource, a wait or problems that are lost, or fatal though nothing says so: not a word
  of the code, nor a test. There must be none.

Only knowledge can be lost, not a guess. mulligan alone guesses a class by its last rules, from words or from the name of
the exception's class; a resource from the text, the call or the address of the request, if no field names one; and
problems that say no more than that a word of the text, or what the call has not sent, was rejected. A package may give
a less specific class only if a test of the package demands it: the test fails if the error has the class that mulligan
alone gives. Where that is no guess, the case is listed.

A rule earns its place if a case has another class, fatality, effect, code, resource, wait, problems or provider without
it, or if only what is read is another text; these rules are listed with both texts, for a person to judge.
`--show different` lists cases, `--show all` every one. Without names of packages, all of them are compared. Exits with 1
if a case is worse.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from classified import published
from classified.compare import VERDICTS, Package, Row

ROOT = Path(__file__).parents[1]
PLUGINS = ROOT / "plugins"
SAMPLES = ("test_conformance.py", "test_*_gallery.py")


def published_rows(package: Package) -> Iterator[Row]:
    """The rows of a package's published lists."""
    for file in published.lists(package.folder):
        for case in published.cases(file):
            row = package.compare(case)
            if row is not None:
                yield row


def tested_rows(package: Package, which: str) -> tuple[list[Row], str]:
    """The rows of a package's tests, and what was not run.

    Args:
        package: the package.
        which: `samples` or `all`.
    """
    folder = package.folder / "tests"
    files = [folder] if which == "all" else [file for name in SAMPLES for file in sorted(folder.glob(name))]
    paths = [str(path) for path in (Path(__file__).parent, ROOT / "src", package.folder / "src")]
    paths.append(str(PLUGINS / "testkit" / "src"))
    with tempfile.TemporaryDirectory() as made:
        rows = Path(made) / "rows.jsonl"
        options = ["-p", "classified.recorder", "--rows", str(rows), "--package", str(package.folder)]
        options += [
            "-q",
            "--continue-on-collection-errors",
            "-p",
            "no:cacheprovider",
            "-c",
            str(ROOT / "pyproject.toml"),
        ]
        command = [sys.executable, "-m", "pytest", *map(str, files), *options]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        lines = rows.read_text(encoding="utf-8").splitlines() if rows.exists() else []
    found = [Row(**json.loads(line)) for line in lines]
    missing = sorted(set(re.findall(r"No module named '([\w.]+)'", done.stdout + done.stderr)))
    tally = (done.stdout.strip().splitlines() or ["pytest did not start"])[-1]
    if missing:
        return found, f"{package.name}: not all of its tests are run, without {', '.join(missing)}"
    return found, "" if done.returncode == 0 else f"{package.name}: not all of its tests pass: {tally}"


def table(rows: Iterable[Row]) -> Iterator[str]:
    """The numbers of cases by package and source; tests are one source."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        source = row.source if row.source.endswith(".txt") else "tests"
        for key in ((row.package, source), ("all", "")):
            counts.setdefault(key, Counter())[row.verdict] += 1
    yield f"| package | cases of | cases | {' | '.join(VERDICTS)} |"
    yield "|---|---|---|" + "---|" * len(VERDICTS)
    for (package, source), of in sorted(counts.items(), key=lambda item: (item[0][0] == "all", item[0])):
        numbers = " | ".join(f"{of[verdict]:,}" for verdict in VERDICTS)
        yield f"| {package} | {source} | {of.total():,} | {numbers} |"


def fatality(rows: list[Row]) -> str:
    """How many cases are fatal without and with the packages."""
    alone, own = (sum(text.endswith(", fatal") for text in texts) for texts in zip(*map(_outcomes, rows), strict=True))
    return f"fatal: {alone:,} of {len(rows):,} without the packages, {own:,} with them"


def _outcomes(row: Row) -> tuple[str, str]:
    return row.alone, row.with_package


class RuleReport:
    """What the rules of packages earn, in lines."""

    def __init__(self) -> None:
        self.counts: list[tuple[str, int, int, int, int, int]] = []
        self.idle: list[str] = []
        self.worded: list[str] = []
        self.unused: list[str] = []

    def add(self, package: Package, rows: Iterable[Row]) -> None:
        """Adds the rules of a package.

        Args:
            package: the package.
            rows: its cases.
        """
        decided, changed, texts = Counter[str](), set[str](), dict[str, str]()
        for row in rows:
            decided.update(row.asked)
            changed.update(row.changed_by)
            for rule, text in row.worded_by.items():
                texts.setdefault(rule, _difference(row.text, text))
        unused = [rule for rule in package.rules if not decided[rule]]
        same = [rule for rule in package.rules if decided[rule] and rule not in changed]
        idle = [rule for rule in same if rule not in texts]
        self.unused += [f"{package.name} {rule}" for rule in unused]
        self.idle += [f"{package.name} {rule}, {decided[rule]} cases" for rule in idle]
        self.worded += [f"{package.name} {rule}: {texts[rule]}" for rule in same if rule in texts]
        total, worded = len(package.rules), len(same) - len(idle)
        self.counts.append((package.name, total, total - len(same) - len(unused), worded, len(idle), len(unused)))

    def table(self) -> Iterator[str]:
        """The numbers of rules by package."""
        yield "| package | rules | that change a case | only what is read | nothing | without a case |"
        yield "|---|---|---|---|---|---|"
        for name, *numbers in self.counts:
            yield f"| {name} | {' | '.join(map(str, numbers))} |"


def _difference(text: str, without: str) -> str:
    """The first line that differs, with and without a rule."""
    own, other = next(pair for pair in zip_longest(text.splitlines(), without.splitlines()) if pair[0] != pair[1])
    return f"{own!r}, without it {other!r}"


def report(title: str, lines: list[str]) -> None:
    """Prints a list with its title, also an empty one."""
    print(f"\n{title}: {len(lines)}", *lines, sep="\n  ")


def main(arguments: list[str]) -> int:
    """Prints the comparison; 1 if a case is worse.

    Args:
        arguments: the words of the command line.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="such as mulligan-saas; default: all")
    parser.add_argument("--tests", choices=("none", "samples", "all"), default="samples")
    parser.add_argument("--folder", type=Path, default=PLUGINS, help="the folder of the packages; default: plugins")
    parser.add_argument("--show", choices=(*VERDICTS, "all"), help="list the cases with this verdict")
    options = parser.parse_args(arguments)
    packages = [package for name in options.packages or ["*"] for package in Package.all(options.folder, name)]
    unknown = set(options.packages) - {package.name for package in packages}
    if unknown:
        parser.error(f"{options.folder} has no package with rules named {', '.join(sorted(unknown))}")
    rows, notes, rules = list[Row](), list[str](), RuleReport()
    for package in packages:
        own = list(published_rows(package))
        if options.tests != "none":
            tested, note = tested_rows(package, options.tests)
            own += tested
            notes += filter(None, [note])
        unread = [file.name for file in published.lists(package.folder) if file.stem not in published.MAKERS]
        notes += [
            f"{package.name}: no exceptions are made for {name}; add them to bench/classified/published.py"
            for name in unread
        ]
        rows += own
        rules.add(package, own)
    print("\n".join(table(rows)), "\n".join(rules.table()), sep="\n\n")
    print(f"\n{fatality(rows)}" if rows else "\nno cases")
    for row in rows if options.show else ():
        if options.show in (row.verdict, "all"):
            print(f"  {row.verdict}: {row}")
    worse = [str(row) for row in rows if row.verdict == "worse"]
    report("Worse than without the package", worse)
    less = [str(row) for row in rows if row.verdict == "different" and row.losses and "kind" not in row.guesses]
    report("Less specific than what mulligan alone knows, as a test of the package demands", less)
    report("Rules that change no case", rules.idle)
    report("Rules that change only what is read", rules.worded)
    if options.tests == "all":
        report("Rules that decide no case", rules.unused)
    else:
        print(f"\nRules that decide no case: {len(rules.unused)}; --tests all has cases for more, and lists the others")
    report("Not compared", notes)
    machine = f"{platform.system()} {platform.machine()}, CPython {platform.python_version()}"
    print(f"\n{machine}, mulligan {version('mulligan')}, {datetime.now(UTC):%Y-%m-%d}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
