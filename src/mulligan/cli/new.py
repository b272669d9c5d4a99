"""`mulligan new`: creates a plugin package that is ready to be tested and published."""

from __future__ import annotations

import datetime
import keyword
import re
import shutil
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Literal

import attrs

from mulligan import __version__
from mulligan.cli.output import OK, write
from mulligan.cli.rule_checks import exception_classes, import_or_none, make_exception, make_fake_exception
from mulligan.errors import ToolError, UsageError
from mulligan.hookimpl import HOOK_API
from mulligan.pipeline import Pipeline

Kind = Literal["classifier", "format", "dialect", "executor", "repairer"]
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_MAX_NAME_LENGTH = 30
_SUMMARIES: Mapping[Kind, str] = {
    "classifier": "Explains failures of $words to language models.",
    "format": "Renders feedback to language models in the format $name.",
    "dialect": "Reads and writes tool calls of $words.",
    "executor": "Runs tools on $words.",
    "repairer": "Repairs tool calls with $words.",
}
_SHARED_TEMPLATES = {
    ".github/workflows/test.yml": "workflow.yml",
    ".gitignore": "gitignore",
    "LICENSE": "LICENSE",
    "README.md": "README.md",
    "noxfile.py": "noxfile.py",
    "pyproject.toml": "pyproject.toml",
}
EXAMPLE = "example_client"
_MAX_RULES = 4
_MAX_LINE_LENGTH = 120
_MESSAGES: Mapping[str, str] = {
    "ResourceConflictError": "The state of the resource at {words} does not allow this.",
    "ResourceNotFoundError": "{words} did not find the resource.",
    "ToolArgumentError": "{words} rejected the arguments.",
    "ToolAuthenticationError": "{words} rejected the credentials.",
    "ToolConnectionError": "{words} cannot be reached.",
    "ToolExecutionError": "{words} failed.",
    "ToolPermissionError": "{words} denied access.",
    "ToolQuotaError": "A quota of {words} is exhausted.",
    "ToolRateLimitError": "{words} limits the number of requests.",
    "ToolTimeoutError": "{words} did not answer in time.",
    "ToolUnavailableError": "{words} is temporarily unavailable.",
}
_RESERVED = {"classify", "rules", "mulligan_api"}


def new(kind: Kind, name: str, /) -> int:
    """Create a plugin package in ./mulligan-NAME: code, tests, README and packaging files.

    A classifier gets rules for the exception classes of the library NAME if it is installed, else a marked example.

    Args:
        kind: what the plugin adds: a classifier, format, dialect, executor or repairer.
        name: the name of the plugin; the distribution is mulligan-NAME.

    Returns:
        The exit code.
    """
    _check_name(kind, name)
    folder = Path(f"mulligan-{name}")
    values = _template_values(kind, name)
    texts = list(_render_files(kind, values))
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
    _print_next_steps(kind, folder, values)
    return OK


def _check_name(kind: Kind, name: str) -> None:
    if not _NAME.fullmatch(name) or len(name) > _MAX_NAME_LENGTH or name.startswith("mulligan-"):
        near = (
            re.sub(r"[^a-z0-9]+", "-", name.lower().replace("mulligan", ""))
            .strip("-0123456789")[:_MAX_NAME_LENGTH]
            .strip("-")
        )
        suggestion = near or "acme"
        raise UsageError(
            f"new {kind} {name}: a name consists of lowercase letters, digits and single hyphens, starts with a letter, "
            f"and omits mulligan-; use {suggestion!r}"
        )
    with Pipeline(autoload=False) as pipeline:
        taken = {info.name for info in pipeline.plugins} | {"repair", "logging"}
        taken |= set(pipeline.tools.dialects or ()) if kind == "dialect" else set()
        taken |= {"text", "json", "block"} if kind == "format" else set()
    if name in taken:
        raise UsageError(f"new {kind} {name}: this name is built in; use 'my-{name}'")


def _template_values(kind: Kind, name: str) -> dict[str, str]:
    """The values of `$...` in the templates."""
    parts = name.split("-")
    major, minor = (int(number) for number in __version__.split(".")[:2])
    upper_bound = f"{major + 1}" if major else f"0.{minor + 1}"
    versions = f">={major}.{minor},<{upper_bound}"
    values = {
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
        values |= rule_texts(name, values["words"])
    summary = Template(_SUMMARIES[kind]).substitute(values)
    return values | {"summary": summary, "readme": _render_template(kind, "readme.md", values)}


def _render_files(kind: Kind, words: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The files of the package: path and text."""
    for path, template in _SHARED_TEMPLATES.items():
        yield path, _render_template("shared", template, words)
    yield f"src/{words['module']}/__init__.py", _render_template(kind, "module.py", words)
    yield f"src/{words['module']}/py.typed", ""
    yield f"tests/test_{words['package']}.py", _render_template(kind, "test_module.py", words)


def _render_template(folder: str, template: str, words: Mapping[str, str]) -> str:
    text = files("mulligan.cli").joinpath("templates", folder, f"{template}.in").read_text(encoding="utf-8")
    return Template(text).substitute(words)


def _print_next_steps(kind: Kind, folder: Path, words: Mapping[str, str]) -> None:
    write(f"Created {folder}, a package with a working {kind}. Edit these files:")
    write("")
    write(f"  {folder}/src/{words['module']}/__init__.py")
    write(f"  {folder}/tests/test_{words['package']}.py")
    write("")
    write("Then, in that folder:")
    write("")
    write('  pip install -e . "mulligan[testing]"')
    write("  python -m pytest")


@attrs.frozen
class NewRule:
    """A rule of the new package.

    Attributes:
        module: the module of the exception class.
        class_name: the name of the exception class.
        error: the name of the `ToolError` that the rule returns.
        fatal: whether that error stops the run.
        name: the name of the rule.
    """

    module: str
    class_name: str
    error: str
    fatal: bool
    name: str


def rule_texts(name: str, words: str) -> dict[str, str]:
    """Return the values that the templates of a classifier need.

    Args:
        name: the name of the plugin, which is looked up as the name of a library.
        words: the name of the library, for readers.
    """
    library = name.replace("-", "_")
    known_rules = list(_library_rules(library))
    rules = known_rules or list(
        _make_rules([make_fake_exception(EXAMPLE, "RateLimited"), make_fake_exception(EXAMPLE, "KeyRevoked")])
    )
    errors = sorted({rule.error for rule in rules})
    return {
        "note": _note(library, words) if known_rules else _example_note(library, words),
        "imports": _import_line(["Failure", "Rules", "ToolError", *errors]),
        "tested": _import_line(errors),
        "rules": "\n\n\n".join(_rule_code(rule, words, is_example=not known_rules) for rule in rules),
        "rows": "\n".join(_table_row(rule) for rule in rules),
        "samples": "\n".join(f'    "{rule.module}.{rule.class_name}": {rule.error},' for rule in rules),
    }


def _library_rules(library: str) -> Iterator[NewRule]:
    """Rules for the exception classes of an installed library that have the most descriptive names."""
    if import_or_none(library) is None:
        return
    classes = [cls for cls in exception_classes(library) if _is_public(cls)]
    yield from _make_rules([make_exception(cls) for cls in classes])


def _is_public(cls: type[BaseException]) -> bool:
    names = (*cls.__module__.split("."), cls.__qualname__)
    return issubclass(cls, Exception) and not issubclass(cls, Warning) and not any(n[0] in "_<" for n in names if n)


def _make_rules(exceptions: list[BaseException]) -> Iterator[NewRule]:
    """A rule for each exception, at most four; exceptions with different meanings come first."""
    with Pipeline(autoload=False) as pipeline:
        errors = [(type(one), pipeline.classify(one)) for one in exceptions]
    known = [(cls, error) for cls, error in errors if error is not None and type(error).__name__ in _MESSAGES]
    seen: set[str] = set()
    for cls, error in sorted(known, key=lambda item: _rank(item[1], [type(other) for _, other in known])):
        name = _snake_case(cls.__name__)
        if name not in seen and cls.__qualname__ == cls.__name__ and len(seen) < _MAX_RULES:
            seen.add(name)
            kind = type(error)
            yield NewRule(cls.__module__, cls.__name__, kind.__name__, kind("").fatal, name)


def _rank(error: ToolError, kinds: list[type]) -> tuple[bool, int]:
    """Unclassified exceptions last, rare meanings first."""
    return error.rule == "host:unclassified", kinds.count(type(error))


def _snake_case(name: str) -> str:
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    return f"{snake}_rule" if keyword.iskeyword(snake) or snake in _RESERVED else snake


def _note(library: str, words: str) -> str:
    return (
        f"The classes were found in the installed `{library}`. Their meanings are guessed from their names:\n"
        f"check them against the documentation of {words}, and correct the rules."
    )


def _example_note(library: str, words: str) -> str:
    return (
        f"**This is an example.** `{EXAMPLE}` does not exist: `mulligan new` found no installed library `{library}`\n"
        f"that defines exceptions. Replace the rules and this table with the exceptions that {words} really raises."
    )


def _rule_code(rule: NewRule, words: str, *, is_example: bool) -> str:
    sentence = _MESSAGES[rule.error].format(words=words)
    wait = ", retry_after=failure.retry_after" if rule.error in ("ToolRateLimitError", "ToolUnavailableError") else ""
    about = (
        f"EXAMPLE: replace `{rule.class_name}`" if is_example else f"`{rule.class_name}`: TODO, say when it is raised"
    )
    return (
        f'@rules("{rule.module}.{rule.class_name}")\n'
        f"def {rule.name}(failure: Failure) -> ToolError | None:\n"
        f'    """{about}."""\n'
        f'    return {rule.error}("{sentence}"{wait})'
    )


def _table_row(rule: NewRule) -> str:
    return f"| `{rule.module}.{rule.class_name}` | `{rule.error}` | {'yes' if rule.fatal else 'no'} |"


def _import_line(names: list[str]) -> str:
    names = sorted(set(names))
    line = f"from mulligan.plugin import {', '.join(names)}"
    if len(line) <= _MAX_LINE_LENGTH:
        return line
    return "\n".join(["from mulligan.plugin import (", *(f"    {name}," for name in names), ")"])
