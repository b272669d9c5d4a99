"""Compares what a package makes of a failure with what mulligan makes of it alone."""

from __future__ import annotations

import importlib
import sys
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from mulligan import Pipeline
from mulligan.classify.builtin import fallback
from mulligan.classify.failure import Failure
from mulligan.classify.field_errors import REJECTED, rejected_fields
from mulligan.classify.rules import Rule, Rules, get_rules
from mulligan.errors import Problem, ToolError, ToolExecutionError
from mulligan.results import ToolResult

GUESSING = frozenset(rule.name for rule in fallback.rules.listed)
VERDICTS = ("same", "more specific", "different", "worse")
LESS_SPECIFIC = "less specific"
KNOWLEDGE = ("resource", "retry_after", "problems")


class Outcome(NamedTuple):
    """What a failure means, as far as a caller notices; `kind` is None if a value is a result.

    `text` is what the model and the user read, without the quotation of the failure, which no rule changes.
    """

    kind: str | None
    fatal: bool = False
    effect: str | None = None
    code: str | None = None
    resource: str | None = None
    retry_after: float | None = None
    problems: tuple[Any, ...] = ()
    provider: str | None = None
    text: str = ""

    @classmethod
    def of(cls, error: ToolError | None) -> Outcome:
        """The outcome of an error."""
        if error is None:
            return cls(None)
        fields = (error.fatal, error.effect, error.code, error.resource, error.retry_after, tuple(error.problems))
        text = f"{ToolResult.from_error(error).content}\nUser: {error.user_message}"
        return cls(type(error).__name__, *fields, error.provider, text)

    @property
    def is_vague(self) -> bool:
        """Whether it says no more than that something failed."""
        is_general = self.kind in (ToolError.__name__, ToolExecutionError.__name__)
        return self.kind is None or (is_general and self.code in (ToolError.code, ToolExecutionError.code))

    def __str__(self) -> str:
        return f"{self.kind or 'a result'}{', fatal' if self.fatal else ''}"


@dataclass(frozen=True)
class Case:
    """A failure of a service.

    Attributes:
        source: where it comes from, such as `slack.txt`.
        name: what it is, such as the code.
        failure: the exception, or the returned value.
        tool: the tool that failed, or its name.
        arguments: the arguments of the call.
        wants_fatal: whether it may end a run.
        wanted: the class that it is known to be, if it is.
        guessed: the class that follows from what was made up of the failure, such as its status.
    """

    source: str
    name: str
    failure: Any
    tool: Any = "call_service"
    arguments: Mapping[str, Any] | None = None
    wants_fatal: bool = True
    wanted: str | None = None
    guessed: str | None = None


@dataclass(frozen=True)
class Row:
    """One case with both outcomes.

    Attributes:
        package: the package.
        source: as in `Case`.
        name: as in `Case`.
        alone: what mulligan says alone.
        with_package: what it says with the package.
        verdict: one of `VERDICTS`.
        losses: why it is worse.
        guesses: what mulligan alone only guesses of it.
        rule: the package's rule that decided, or None.
        asked: that rule, and the rules that it asked in turn.
        changed_by: those of them without which the outcome is another one.
        text: what is read with the package.
        worded_by: those of them without which only the text is another one, and that text.
    """

    package: str
    source: str
    name: str
    alone: str
    with_package: str
    verdict: str
    losses: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()
    rule: str | None = None
    asked: tuple[str, ...] = ()
    changed_by: tuple[str, ...] = ()
    text: str = ""
    worded_by: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        why = f"; {', '.join(self.losses)}" if self.losses else ""
        return f"{self.package} {self.source} {self.name}: {self.with_package} ({self.rule}), alone {self.alone}{why}"


def judge(
    alone: Outcome,
    own: Outcome,
    *,
    wants_fatal: bool = True,
    wanted: str | None = None,
    guessed: str | None = None,
    guesses: Collection[str] = (),
) -> tuple[str, tuple[str, ...]]:
    """The verdict on an outcome, and why it is worse.

    Args:
        alone: what mulligan says alone.
        own: what it says with the package.
        wants_fatal: whether the failure may end a run.
        wanted: the class that it is known to be, if it is.
        guessed: the class that follows from what was made up of the failure.
        guesses: what mulligan alone only guesses.
    """
    losses = []
    known = [name for name in KNOWLEDGE if getattr(alone, name) and name not in guesses]
    is_vague = alone.is_vague or alone.kind == guessed
    if own.is_vague and not is_vague and wanted != own.kind:
        losses.append(LESS_SPECIFIC)
    if own.kind == alone.kind:
        losses += [f"no {name}" for name in known if not getattr(own, name)]
    if own.fatal and not alone.fatal and not wants_fatal:
        losses.append("fatal though nothing says so")
    if losses:
        return "worse", tuple(losses)
    if own.kind != alone.kind:
        return ("more specific" if is_vague else "different"), ()
    if own.fatal != alone.fatal:
        return "different", ()
    gained = any(getattr(own, name) and not getattr(alone, name) for name in KNOWLEDGE)
    return ("more specific" if gained else "same"), ()


def guesses_of(error: ToolError, case: Case) -> Iterator[str]:
    """What of an error mulligan alone only guesses.

    That is a class that only words or the name of the exception's class suggest; a resource that no field of the body
    or of the exception names, but the text, the call or the address; and problems that say no more than that something
    was rejected, if it is only a word of the text, or nothing that the call has sent.

    Args:
        error: what mulligan says alone.
        case: the failure.
    """
    is_raised = isinstance(case.failure, BaseException)
    failure = Failure(case.failure) if is_raised else Failure(value=case.failure)
    resources, fields = set[str](), set[str]()
    for one in failure.whole_chain:
        resources.update(name for name in one.stated_resources if name != one._request[0])  # noqa: SLF001
        fields.update(str(place[-1]) for place, *_ in rejected_fields(one._error_nodes) if place)  # noqa: SLF001
    if (error.rule or "").removeprefix("classify:") in GUESSING:
        yield "kind"
    if error.resource is not None and error.resource not in resources:
        yield "resource"
    if error.problems and all(_says_nothing(one) and _is_elsewhere(one, fields, case) for one in error.problems):
        yield "problems"


def _says_nothing(problem: Problem) -> bool:
    return problem.message == REJECTED and problem.expected is None


def _is_elsewhere(problem: Problem, fields: Collection[str], case: Case) -> bool:
    """Whether no field of the body names its place, or the call has arguments, but none there."""
    is_sent = problem.got is not None
    is_named = bool(fields) and (is_sent or problem.pointer.rpartition("/")[2] in fields)
    return not is_named or (bool(case.arguments) and not is_sent)


class Package:
    """A package with rules, without the libraries that raise its exceptions: its rules know them by name.

    Args:
        folder: its folder in `plugins`.
        module: the module that is its plugin.
    """

    def __init__(self, folder: Path, module: str) -> None:
        self.folder = folder
        self.name = folder.name
        self.rules: dict[str, Rule] = {}
        self._silenced: str | None = None
        self._decided: list[str] = []
        if str(folder / "src") not in sys.path:
            sys.path.insert(0, str(folder / "src"))
        path, _, attribute = module.partition(":")
        plugin: Any = importlib.import_module(path)
        plugin = getattr(plugin, attribute) if attribute else plugin
        self._watch_rules(plugin, path)
        self._alone = Pipeline(autoload=False)
        self._both = Pipeline(plugins=[plugin], autoload=False)
        self._plugin_names = {info.name for info in self._both.plugins if not info.built_in}

    @classmethod
    def all(cls, root: Path, name: str = "*") -> Iterator[Package]:
        """The packages of a folder that have rules, by name, or the one of a name."""
        for file in sorted(root.glob(f"{name}/pyproject.toml")):
            project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
            for module in project.get("entry-points", {}).get("mulligan", {}).values():
                package = cls(file.parent, module)
                if package.rules:
                    yield package

    def compare(self, case: Case) -> Row | None:
        """Both outcomes of a case; None if it is a result either way."""
        error = self._classify(self._alone, case)
        alone, (own, asked) = Outcome.of(error), self._own(case)
        if alone.kind is None and own.kind is None:
            return None
        guesses = () if error is None else tuple(guesses_of(error, case))
        verdict, losses = judge(
            alone, own, wants_fatal=case.wants_fatal, wanted=case.wanted, guessed=case.guessed, guesses=guesses
        )
        outcomes = {rule: self._without(rule, case) for rule in asked}
        changed_by = tuple(rule for rule in asked if outcomes[rule]._replace(text=own.text) != own)
        worded = {rule: text for rule in asked if rule not in changed_by and (text := outcomes[rule].text) != own.text}
        return Row(
            self.name,
            case.source,
            case.name,
            str(alone),
            str(own),
            verdict,
            losses,
            guesses=guesses,
            rule=asked[-1] if asked else None,
            asked=asked,
            changed_by=changed_by,
            text=own.text,
            worded_by=worded,
        )

    def _own(self, case: Case) -> tuple[Outcome, tuple[str, ...]]:
        """The outcome, and the rules that returned an error, the one that decided last."""
        self._decided = []
        error = self._classify(self._both, case)
        is_own = error is not None and (error.rule or "").partition(":")[0] in self._plugin_names
        return Outcome.of(error), tuple(dict.fromkeys(self._decided)) if is_own else ()

    def _without(self, rule: str, case: Case) -> Outcome:
        self._silenced = rule
        try:
            outcome = Outcome.of(self._classify(self._both, case))
            return outcome._replace(provider=None) if self.rules[rule].last else outcome  # it also names the provider
        finally:
            self._silenced = None

    @staticmethod
    def _classify(pipeline: Pipeline, case: Case) -> ToolError | None:
        return pipeline.classify(case.failure, tool=case.tool, arguments=case.arguments)

    def _watch_rules(self, plugin: Any, package: str) -> None:
        """Put a function around each rule that notes whether it decides, and can silence it."""
        watched: dict[tuple[Any, tuple[str, ...]], Rule] = {}
        for rules in filter(None, map(get_rules, vars(plugin).values())):
            for rule in rules.listed:
                module = rule.decide.__module__.partition(".")[2]
                label = f"{module}.{rule.name}" if module else rule.name
                label += " (asked last)" if rules.last else ""
                while label in self.rules:
                    label += "'"  # two of one name, for other classes
                self.rules[label] = rule
                watched[rule.decide, rule.classes] = rule._replace(decide=self._watched(label, rule.decide))
        modules = [one for name, one in list(sys.modules.items()) if f"{name}.".startswith(f"{package}.")]
        lists = {id(one): one for module in modules for one in vars(module).values() if isinstance(one, Rules)}
        for rules in lists.values():  # also those that rules ask themselves
            rules.listed = [watched.get((rule.decide, rule.classes), rule) for rule in rules.listed]

    def _watched(
        self, label: str, decide: Callable[[Failure], ToolError | None]
    ) -> Callable[[Failure], ToolError | None]:
        def watched(failure: Failure) -> ToolError | None:
            if label == self._silenced:
                return None
            error = decide(failure)
            if error is not None:
                self._decided.append(label)
            return error

        return watched
