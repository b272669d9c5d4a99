"""Check the rules of plugins: whether the classes that they name exist, and how they handle a sample."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from types import ModuleType

from mulligan.classify.failure import Failure
from mulligan.classify.rules import Rule
from mulligan.errors import ToolError
from mulligan.spelling import closest
from mulligan.untrusted.objects import describe, type_name

_SAMPLE_TEXT = "a trial"
_FAKE_MARK = "_mulligan_stand_in"
_SIMILARITY_CUTOFF = 0.7
_MAX_FILES = 5_000


def check_classes(rule: Rule) -> Iterator[tuple[str, str]]:
    """Yield the problem and the fix for each class of a rule that its installed library does not have.

    Args:
        rule: the rule. Classes of a library that is not installed, or that fails at import, are not checked.
    """
    for name in rule.classes:
        package, _, class_name = name.rpartition(".")
        package = package or "builtins"
        top = package.partition(".")[0]
        if import_or_none(top) is None or _find_class(package, class_name) or _source_contains(package, class_name):
            continue
        known = {qualified_name(cls): cls for cls in exception_classes(top)}
        alias = getattr(import_or_none(package), class_name, None)
        if isinstance(alias, type) and issubclass(alias, BaseException):
            yield f"never matches {name!r}: the class is {qualified_name(alias)!r}", f"write {qualified_name(alias)!r}"
            continue
        near = closest(class_name, [cls.__name__ for cls in known.values()], _SIMILARITY_CUTOFF)
        best = next((full for full, cls in known.items() if cls.__name__ == near), None)
        step = f"write {best!r}" if best else "correct the name, or remove the rule"
        yield f"never matches {name!r}: {'Python' if top == 'builtins' else top} has no such class", step


def check_answer(rule: Rule) -> str | None:
    """Try a rule with samples, and return what is wrong with its answer; None if nothing is.

    Args:
        rule: the rule.
    """
    for sample in _samples(rule):
        try:
            answer = rule.decide(sample)
        except AttributeError:
            continue  # the rule reads a field that only a real failure has
        except Exception as error:
            return f"fails: {describe(error)}"
        if answer is not None and not isinstance(answer, ToolError):
            return f"returned {type_name(answer)} instead of a ToolError or None"
    return None


def _samples(rule: Rule) -> Iterator[Failure]:
    """A failure for each class of a rule, or one that any rule may be asked about."""
    if rule.returned:
        yield Failure(value={"error": "a trial"})
        return
    for name in rule.classes or ("mulligan_trial.Error",):
        package, _, class_name = name.rpartition(".")
        cls = _find_class(package or "builtins", class_name)
        sample = _try_instantiate(cls) if cls is not None else make_fake_exception(package or "builtins", class_name)
        if sample is not None:
            yield Failure(sample)


@cache
def exception_classes(package: str) -> list[type[BaseException]]:
    """Return the exception classes that an installed package defines, sorted by name.

    Args:
        package: the name of a package or module. It is imported, as are its modules with names such as `errors`.
    """
    for name in dict.fromkeys((package.partition(".")[0], package)):
        for info in pkgutil.iter_modules(getattr(import_or_none(name), "__path__", ()), f"{name}."):
            last = info.name.rpartition(".")[2].lower()
            if "exc" in last or "err" in last:
                import_or_none(info.name)
    return sorted((cls for cls in _subclasses() if f"{cls.__module__}.".startswith(f"{package}.")), key=qualified_name)


def qualified_name(cls: type) -> str:
    """Return the name of a class as rules write it.

    Args:
        cls: the class.
    """
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def make_fake_exception(package: str, class_name: str) -> BaseException:
    """Create an exception of a new class with the given name.

    Args:
        package: the module of the class.
        class_name: the name of the class.
    """
    made: BaseException = type(class_name, (Exception,), {"__module__": package, _FAKE_MARK: True})(_SAMPLE_TEXT)
    return made


def make_exception(cls: type[BaseException]) -> BaseException:
    """Create an instance of a class, or of a stand-in with its name if its arguments are unknown.

    Args:
        cls: the class.
    """
    return _try_instantiate(cls) or make_fake_exception(cls.__module__, cls.__name__)


def import_or_none(name: str) -> ModuleType | None:
    """Import a module; return None if it is not installed or fails at import.

    Args:
        name: the name of the module.
    """
    if name in sys.modules:
        return sys.modules[name]
    try:
        return importlib.import_module(name) if importlib.util.find_spec(name) is not None else None
    except KeyboardInterrupt:
        raise
    except BaseException:
        return None


def _find_class(package: str, class_name: str) -> type[BaseException] | None:
    """The class that `Failure.matches` finds by that name."""
    for cls in exception_classes(package.partition(".")[0]) + exception_classes(package):
        outer, _, name = cls.__qualname__.rpartition(".")
        place = f"{cls.__module__}.{outer}" if outer else cls.__module__
        if name == class_name and f"{place}.".startswith(f"{package}."):
            return cls
    return None


def _source_contains(package: str, class_name: str) -> bool:
    """Whether the source of a package contains the name: a class may be in a module that was not imported."""
    word = re.compile(rf"\b{re.escape(class_name)}\b".encode())
    folders = getattr(import_or_none(package), "__path__", ())
    files = islice((file for folder in folders for file in Path(folder).rglob("*.py")), _MAX_FILES)
    try:
        return any(word.search(file.read_bytes()) for file in files)
    except OSError:
        return True  # unreadable: the class may be in there


def _subclasses() -> Iterator[type[BaseException]]:
    seen: set[type] = set()
    todo: list[type[BaseException]] = [BaseException]
    while todo:
        cls = todo.pop()
        if cls not in seen and _FAKE_MARK not in vars(cls):
            seen.add(cls)
            todo += type.__subclasses__(cls)
            yield cls


def _try_instantiate(cls: type[BaseException]) -> BaseException | None:
    """An instance made as a library might make it, or None if it takes other arguments."""
    for arguments in ((_SAMPLE_TEXT,), ()):
        try:
            return cls(*arguments)
        except Exception:  # noqa: S112 - its parameters are unknown
            continue
    return None
