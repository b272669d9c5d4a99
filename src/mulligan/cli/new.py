"""`mulligan new`: creates a plugin package that is ready to be tested and published."""

from __future__ import annotations

import datetime
import re
import shutil
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Literal

from mulligan import __version__
from mulligan.cli.new_rules import rule_texts
from mulligan.cli.output import OK, write
from mulligan.cli.rule_checks import exception_classes
from mulligan.errors import UsageError
from mulligan.hookimpl import HOOK_API
from mulligan.pipeline import Pipeline

Kind = Literal["classifier", "format", "dialect", "executor", "repairer"]
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_LONGEST = 30
_SUMMARIES: Mapping[Kind, str] = {
    "classifier": "Explains failures of $words to language models.",
    "format": "Renders feedback to language models in the format $name.",
    "dialect": "Reads and writes tool calls of $words.",
    "executor": "Runs tools on $words.",
    "repairer": "Repairs tool calls with $words.",
}
_SHARED = {
    ".github/workflows/test.yml": "workflow.yml",
    ".gitignore": "gitignore",
    "LICENSE": "LICENSE",
    "README.md": "README.md",
    "noxfile.py": "noxfile.py",
    "pyproject.toml": "pyproject.toml",
}


def new(kind: Kind, name: str, /) -> int:
    """Create a plugin package in ./mulligan-NAME: code, tests, README and packaging files.

    A classifier gets rules for the exception classes of the library NAME if it is installed, else a marked example.

    Args:
        kind: what the plugin adds: a classifier, format, dialect, executor or repairer.
        name: the name of the plugin; the distribution is mulligan-NAME.

    Returns:
        The exit code.
    """
    _check(kind, name)
    folder = Path(f"mulligan-{name}")
    words = _words(kind, name)
    texts = list(_texts(kind, words))
    try:
        folder.mkdir()
    except FileExistsError:
        raise UsageError(
            f"new {kind} {name}: ./{folder} already exists; choose another name, or move the folder"
        ) from None
    except OSError as error:
        raise UsageError(
            f"new {kind} {name}: cannot create ./{folder}: {error.strerror}; change to another folder"
        ) from None
    try:
        for path, text in texts:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise UsageError(f"new {kind} {name}: cannot write {error.filename}: {error.strerror}; try again") from None
    _tell(kind, folder, words)
    return OK


def _check(kind: Kind, name: str) -> None:
    if not _NAME.fullmatch(name) or len(name) > _LONGEST or name.startswith("mulligan-"):
        near = (
            re.sub(r"[^a-z0-9]+", "-", name.lower().replace("mulligan", "")).strip("-0123456789")[:_LONGEST].strip("-")
        )
        like = near or "acme"
        raise UsageError(
            f"new {kind} {name}: a name consists of lowercase letters, digits and single hyphens, starts with a letter, "
            f"and omits mulligan-; use {like!r}"
        )
    with Pipeline(autoload=False) as pipeline:
        taken = {info.name for info in pipeline.plugins} | {"repair", "logging"}
        taken |= set(pipeline.tools.dialects or ()) if kind == "dialect" else set()
        taken |= {"text", "json", "block"} if kind == "format" else set()
    if name in taken:
        raise UsageError(f"new {kind} {name}: this name is built in; use 'my-{name}'")


def _words(kind: Kind, name: str) -> dict[str, str]:
    """The values of `$...` in the templates."""
    parts = name.split("-")
    major, minor = (int(number) for number in __version__.split(".")[:2])
    below = f"{major + 1}" if major else f"0.{minor + 1}"
    versions = f">={major}.{minor},<{below}"
    words = {
        "kind": kind,
        "name": name,
        "package": "_".join(parts),
        "module": f"mulligan_{'_'.join(parts)}",
        "title": "".join(map(str.capitalize, parts)),
        "words": " ".join(map(str.capitalize, parts)),
        "requirement": f"mulligan{versions}",
        "testing": f"mulligan[testing]{versions}",
        "api": HOOK_API,
        "year": str(datetime.datetime.now(datetime.UTC).year),
    }
    if kind == "classifier":
        exception_classes.cache_clear()
        words |= rule_texts(name, words["words"])
    summary = Template(_SUMMARIES[kind]).substitute(words)
    return words | {"summary": summary, "readme": _filled(kind, "readme.md", words)}


def _texts(kind: Kind, words: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The files of the package: path and text."""
    for path, template in _SHARED.items():
        yield path, _filled("shared", template, words)
    yield f"src/{words['module']}/__init__.py", _filled(kind, "module.py", words)
    yield f"src/{words['module']}/py.typed", ""
    yield f"tests/test_{words['package']}.py", _filled(kind, "test_module.py", words)


def _filled(folder: str, template: str, words: Mapping[str, str]) -> str:
    text = files("mulligan.cli").joinpath("templates", folder, f"{template}.in").read_text(encoding="utf-8")
    return Template(text).substitute(words)


def _tell(kind: Kind, folder: Path, words: Mapping[str, str]) -> None:
    write(f"Created {folder}, a package with a working {kind}. Edit these files:")
    write("")
    write(f"  {folder}/src/{words['module']}/__init__.py")
    write(f"  {folder}/tests/test_{words['package']}.py")
    write("")
    write("Then, in that folder:")
    write("")
    write('  pip install -e . "mulligan[testing]"')
    write("  python -m pytest")
