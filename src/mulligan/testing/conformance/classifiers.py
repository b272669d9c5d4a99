"""Conformance of a plugin that classifies (and, if it has that hook, detects) failures."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

from mulligan.classify.failure import Failure
from mulligan.hooks.callers import first_result
from mulligan.hooks.discovery import discover
from mulligan.hooks.lazy_plugins import LazyHooks, LazyPlugin, lazy_names, missing_declarations
from mulligan.hooks.registration import plugin_name
from mulligan.pipeline import Pipeline
from mulligan.plugin import PluginError, ToolError, ToolExecutionError, ToolResult, safe_str
from mulligan.testing.conformance.base import (
    Conformance,
    Sample,
    assert_no_problems,
    printable,
    sample_of,
    text_outside_fences,
)
from mulligan.testing.faults import EXCEPTIONS, RESULTS, VALUES, Fault, imposters, leaked, obeyed, variants

_MAX_TEXT_LENGTH = 1_000
_MAX_CPU_SECONDS = 1.0
_COMPARED_FIELDS = (
    "message",
    "code",
    "fatal",
    "transient",
    "effect",
    "retry_after",
    "resource",
    "provider",
    "rule",
    "http_status",
)
_ABSTAIN_ADVICE = "Return None for it: `classify` answers only what it knows, by class and fields."


class ClassifierConformance(Conformance):
    """Subclass this as `TestSomething`, with `plugin` and `samples`.

    Attributes:
        samples: failures of the provider with their meanings: pairs of an exception (or a value that a tool returned)
            and the class of the error, optionally with a dict of the error's attributes as a third item. A list, or a
            fixture.
        classes: qualified names of exception classes that the plugin knows; those of its `Rules` and samples are found.
    """

    hook = "classify"
    instead_of = ("classify", "detect")
    samples: ClassVar[Any] = ()
    classes: ClassVar[tuple[str, ...]] = ()

    def test_samples(self, request: Any) -> None:
        """Each sample is classified as expected, and by this plugin."""
        __tracebackhide__ = True
        samples = [sample_of(one) for one in self.given(request, "samples")]
        if not samples:
            assert_no_problems(
                ["there are no samples"],
                "Give exceptions as the provider's library raises them: samples = [(raised, Class)].",
            )
        with self.pipeline() as pipeline:
            assert_no_problems(
                [problem for sample in samples for problem in self._sample_problems(pipeline, sample)],
                "Correct the rule, or the sample.",
            )

    def _sample_problems(self, pipeline: Pipeline, sample: Sample) -> Iterator[str]:
        error = pipeline.classify(sample.failure, tool="some_tool", arguments=sample.arguments)
        what = f"{type(sample.failure).__name__}({safe_str(sample.failure, 80)})"
        if error is None:
            yield f"{what}: no plugin detects a failure, expected {sample.error.__name__}"
            return
        for name, found, wanted in sample.differences(error):
            yield f"{what}: {name} is {found!r}, expected {wanted!r} (rule {error.rule})"
        if not self._is_from_plugin(error):
            yield f"{what}: this plugin abstains"

    def test_says_no_less_than_mulligan(self, request: Any) -> None:
        """For no sample would mulligan alone have given a more specific class, a resource, a wait or problems."""
        __tracebackhide__ = True
        samples = [sample_of(one) for one in self.given(request, "samples")]
        with Pipeline(autoload=False) as alone, self.pipeline(block=()) as both:
            assert_no_problems(
                [problem for sample in samples for problem in _losses(sample, alone, both)],
                "Move a rule that only knows which library failed to `Rules(last=True)`, which is asked after mulligan's "
                "own rules, or read what they read: failure.resource, .retry_after, .problems. If less is meant, the sample's "
                "third item says so: {'message': ...}, {'resource': None}.",
            )

    def test_never_raises(self, request: Any) -> None:
        """It answers or abstains for every input, even for its own classes with invalid fields."""
        __tracebackhide__ = True
        problems = []
        with self.pipeline(strict=True) as pipeline:
            for fault in (*EXCEPTIONS, *self._imposters(request), *VALUES):
                try:
                    pipeline.classify(fault.make(), tool="some_tool", arguments={})
                except Exception as error:
                    problems.append(f"{fault}: {error if isinstance(error, PluginError) else repr(error)}")
        assert_no_problems(
            problems,
            "A rule reads what a server sent, which may be anything: read with failure.look(...), which never raises, and "
            "check the type of what it gives before you use it.",
        )

    def test_claims_only_what_it_knows(self) -> None:
        """It abstains for exceptions and values of other libraries, whatever their text is."""
        __tracebackhide__ = True
        with self.pipeline(strict=True) as pipeline:
            claims = [(fault, _classify_or_none(pipeline, fault.make())) for fault in (*EXCEPTIONS, *RESULTS, *VALUES)]
        assert_no_problems(
            [
                f"{fault}: claimed as {type(error).__name__} ({error.rule})"
                for fault, error in claims
                if error is not None and self._is_from_plugin(error)
            ],
            f"{_ABSTAIN_ADVICE} Never decide by the words of a text alone: they may quote a page about errors.",
        )

    def test_results_stay_results(self) -> None:
        """A value that describes errors is a result."""
        __tracebackhide__ = True
        with self.pipeline() as pipeline:
            detected = [fault for fault in RESULTS if pipeline.classify(fault.make(), tool="some_tool") is not None]
        assert_no_problems(
            [f"{fault}: taken for a failure" for fault in detected],
            "Let `detect` look for the marks of your provider only.",
        )

    def test_deterministic(self, request: Any) -> None:
        """Equal failures mean the same, whatever happens in between."""
        __tracebackhide__ = True
        faults = [*self._imposters(request), *EXCEPTIONS]
        with self.pipeline(strict=True) as pipeline:
            first = [_comparable(_classify_or_none(pipeline, fault.make())) for fault in faults]
            again = [_comparable(_classify_or_none(pipeline, fault.make())) for fault in reversed(faults)]
        assert_no_problems(
            [
                f"{fault}: {one} and then {two}"
                for fault, one, two in zip(faults, first, reversed(again), strict=True)
                if one != two
            ],
            "Keep nothing between two failures, and use neither time nor chance in what an error says.",
        )

    def test_same_rule_decides(self, request: Any) -> None:
        """A failure means the same if only the rules about its class are asked as if every hookimpl is."""
        __tracebackhide__ = True
        samples = [sample_of(one) for one in self.given(request, "samples")]
        cases = [(safe_str(sample.failure, 80), sample.failure, sample.arguments) for sample in samples]
        cases += [(str(fault), fault.make(), {}) for fault in (*self._imposters(request), *EXCEPTIONS)]
        with self.pipeline() as selecting, self.pipeline() as asking:
            ask_every_hookimpl(asking)
            decisions = [
                [
                    _comparable(one.classify(failure, tool="some_tool", arguments=arguments))
                    for one in (selecting, asking)
                ]
                for _, failure, arguments in cases
            ]
        assert_no_problems(
            [
                f"{name}: {selected}, but {asked} if every hookimpl is asked"
                for (name, _, _), (selected, asked) in zip(cases, decisions, strict=True)
                if selected != asked
            ],
            "Whether a rule fits must depend on the exception's class only, and `classify` must not change a failure.",
        )

    def test_imported_in_time(self, request: Any) -> None:
        """A lazy plugin declares in the group `mulligan.lazy` what its samples and rules need."""
        __tracebackhide__ = True
        entries, declared = discover()
        module = getattr(self.required(), "__name__", None)
        entry = next((one for one in entries if one.module == module), None)
        names = lazy_names(declared).get((entry.distribution, entry.module)) if entry is not None else None
        if entry is None or names is None:
            return  # it is imported with the pipeline
        with self.pipeline() as pipeline:
            problems = list(missing_declarations(pipeline.plugins[-1], names))
        waiting = LazyHooks([LazyPlugin(entry, names)], {}, lambda names: self.stages())
        samples = [sample_of(one).failure for one in self.given(request, "samples")]
        problems += [
            f"{type(failure).__name__}({safe_str(failure, 80)}): nothing that is declared makes it known"
            for failure in samples
            if not (
                waiting.plugins_for(Failure(failure))
                if isinstance(failure, BaseException)
                else waiting.plugins_for_value(failure)
            )
        ]
        assert_no_problems(problems, "Add the entries that are missing to the group `mulligan.lazy`.")

    def test_bounded(self, request: Any) -> None:
        """Its texts are short, and it returns quickly, however long the failure's text is."""
        __tracebackhide__ = True
        problems = []
        with self.pipeline(strict=True) as pipeline:
            for fault in (*self._imposters(request, "huge", "deep", "order"), *EXCEPTIONS):
                failure, started = fault.make(), time.thread_time()
                error = _classify_or_none(pipeline, failure)
                if (seconds := time.thread_time() - started) > _MAX_CPU_SECONDS:
                    problems.append(f"{fault}: it took {seconds:.1f} s of CPU time")
                problems += [
                    f"{fault}: `{name}` has {len(text):,} characters"
                    for name, text in _own_texts(error)
                    if len(text) > _MAX_TEXT_LENGTH
                ]
        assert_no_problems(
            problems,
            f"A message is one or two sentences of yours, of {_MAX_TEXT_LENGTH} characters at most; "
            "mulligan quotes foreign text. "
            "Look at the first thousand characters of a text only, and let no pattern repeat a repetition.",
        )

    def test_redacted(self, request: Any) -> None:
        """No secret of a failure appears in what the model or an operator reads."""
        __tracebackhide__ = True
        secret = [fault for fault in EXCEPTIONS if fault.name.startswith("secret")]
        problems = []
        with self.pipeline(strict=True) as pipeline:
            for fault in (*self._imposters(request, "secret"), *secret):
                result = _recover_or_none(pipeline, fault.make())
                if result is not None:
                    outputs = {"what the model reads": result.content, "to_dict()": json.dumps(result.to_dict())}
                    problems += [
                        f"{fault}: {where} holds {name}" for where, text in outputs.items() for name in leaked(text)
                    ]
        assert_no_problems(
            problems,
            "Say what happened in your own words. `code`, `provider` and `rule` are words of yours, never texts of a failure.",
        )

    def test_contains_foreign_text(self, request: Any) -> None:
        """The text of a failure is quoted, in its fence; it never becomes mulligan's own text."""
        __tracebackhide__ = True
        problems = []
        with self.pipeline(strict=True) as pipeline:
            for fault in (*self._imposters(request, "order", "list", "mapping", "with everything"), *EXCEPTIONS):
                result = _recover_or_none(pipeline, fault.make())
                if result is not None and result.error is not None:
                    own_texts = [
                        text_outside_fences(result.content),
                        *(text for name, text in _own_texts(result.error) if name != "message"),
                    ]
                    problems += [
                        f"{fault}: it says itself {printable(run)!r}" for run in obeyed(" ".join(own_texts))[:1]
                    ]
        assert_no_problems(
            problems,
            "Never put a text of a failure into `message`, `user_message` or a hint: the model would take it for an order. "
            "mulligan quotes it anyway; what it is about belongs into `resource`.",
        )

    def test_rules_are_named(self) -> None:
        """Each rule has a unique name, and one sentence on what it knows."""
        __tracebackhide__ = True
        rules = self.info().rules
        problems = [
            f"rule {rule.name!r}: its name is not an identifier" for rule in rules if not rule.name.isidentifier()
        ]
        problems += [
            f"rule {rule.name!r}: its docstring does not end with a period"
            for rule in rules
            if not rule.about.endswith(".")
        ]
        alike = Counter((rule.name, rule.provider, name) for rule in rules for name in rule.classes or ("any class",))
        problems += [
            f"rule {name!r}: there are two for {cls}" for (name, _, cls), number in alike.items() if number > 1
        ]
        assert_no_problems(
            problems,
            "`mulligan explain` and `ToolError.rule` show it: name the function, and begin its docstring with a sentence.",
        )

    def _is_from_plugin(self, error: ToolError | None) -> bool:
        return error is not None and (error.rule or "").startswith(f"{plugin_name(self.required())}:")

    def _imposters(self, request: Any, *holding: str) -> list[Fault]:
        """Exceptions of the classes that the plugin knows, with values that no provider would send in some or all fields."""
        known = {name: None for rule in self.info().rules for name in rule.classes}
        known |= dict.fromkeys(self.classes)
        found: list[Fault] = []
        for sample in map(sample_of, self.given(request, "samples")):
            kind = type(sample.failure)
            if issubclass(kind, BaseException) and kind.__module__ != "builtins":
                known[f"{kind.__module__}.{kind.__qualname__}"] = None
            found += variants(sample.failure)
        found += [fault for name in known for fault in imposters(name)]
        return [fault for fault in found if not holding or any(word in fault.name for word in holding)]


def ask_every_hookimpl(pipeline: Pipeline) -> None:
    """Makes a pipeline ask every hookimpl of `classify` in order, without looking at its rules first.

    Args:
        pipeline: the pipeline; none of its plugins has a wrapper of `classify`.
    """
    hookimpls = [impl for info in pipeline.plugins for impl in info.hookimpls if impl.hook == "classify"]
    in_order = sorted(hookimpls, key=lambda impl: impl.place)
    pipeline._runtime.hooks.classify = first_result(  # noqa: SLF001 - the kit belongs to the house
        tuple(impl.ask for impl in in_order if "wrapper" not in impl.marks)
    )


_VAGUE = (ToolError, ToolExecutionError)
_KNOWLEDGE = ("resource", "retry_after", "problems")
_DECISIONS = frozenset(("message", "code", "effect"))


def _losses(sample: Sample, alone: Pipeline, both: Pipeline) -> Iterator[str]:
    """What a failure loses by the plugin, unless the sample says that it is to."""
    own, ours = (one.classify(sample.failure, tool="some_tool", arguments=sample.arguments) for one in (both, alone))
    what = f"{type(sample.failure).__name__}({safe_str(sample.failure, 80)})"
    if own is None or ours is None:
        return
    if type(own) in _VAGUE and type(ours) not in _VAGUE and _DECISIONS.isdisjoint(sample.fields):
        yield f"{what}: {type(own).__name__} ({_rule_name(own)}), but mulligan alone {type(ours).__name__}"
    if type(own) is type(ours):
        for name in _KNOWLEDGE:
            known = getattr(ours, name, None)
            if known and not getattr(own, name, None) and name not in sample.fields:
                yield f"{what}: no {name}, but mulligan alone reads {known!r}"


def _rule_name(error: ToolError) -> str:
    return (error.rule or "").partition(":")[2]


def _classify_or_none(pipeline: Pipeline, failure: Any) -> ToolError | None:
    """The classified failure; None also if the plugin raises, which another test checks."""
    try:
        return pipeline.classify(failure, tool="some_tool")
    except Exception:
        return None


def _recover_or_none(pipeline: Pipeline, exception: BaseException) -> ToolResult | None:
    """What the model would read; None if the plugin raises."""
    try:
        return pipeline.recover(exception)
    except Exception:
        return None


def _own_texts(error: ToolError | None) -> Iterator[tuple[str, str]]:
    """The texts of an error that are a plugin's own words, by name; what it is about is left out of its message."""
    if error is not None:
        for name in ("message", "user_message", "code", "provider", "rule"):
            text = str(getattr(error, name) or "")
            yield name, text.replace(error.resource, "") if name == "message" and error.resource else text


def _comparable(error: ToolError | None) -> Any:
    if error is None:
        return None
    return (type(error).__name__, *(repr(getattr(error, name)) for name in _COMPARED_FIELDS), repr(error.problems))
