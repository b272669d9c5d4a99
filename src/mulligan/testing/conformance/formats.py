"""Conformance of a plugin that offers feedback formats."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from mulligan.plugin import (
    Feedback,
    FeedbackFormat,
    Limits,
    Problem,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolQuotaError,
    ToolResult,
    clean,
    fence,
    safe_str,
)
from mulligan.render.builtin import feedback_formats as built_in
from mulligan.testing.conformance.base import Conformance, assert_no_problems, printable, text_outside_fences, texts_of
from mulligan.testing.faults import EXCEPTIONS, SECRETS, TEXTS, leaked, obeyed
from mulligan.testing.tools import failing_tool, sample_tools

SMALLEST_FEEDBACK = Feedback(
    tool_name="read_file",
    error_type="ToolUnavailableError",
    code="UNAVAILABLE",
    fatal=False,
    headline="Error executing tool read_file: The archive is closed today.",
    message="The archive is closed today.",
)
"""The smallest feedback: what failed, and nothing else."""

PLAIN_FEEDBACK = Feedback(
    tool_name="read_file",
    error_type="ToolUnavailableError",
    code="UNAVAILABLE",
    fatal=False,
    headline="Error executing tool read_file: The archive is closed today.",
    message="The archive is closed today.",
    next_step="ask the librarian for another copy.",
)
"""Feedback that any format can render whole: a message and a next step, in plain words."""
_LIMITS = (200, 300, 600, 2_000)
_MIN_CHARS = 200


def feedback_samples() -> Iterator[tuple[str, Feedback]]:
    """What a format may be given, and what it is; foreign text is cleaned, quoted and bounded, as a pipeline does it."""
    yield "the smallest", SMALLEST_FEEDBACK
    yield "a plain one", PLAIN_FEEDBACK
    yield "a fatal one", _feedback_with(fatal=True, error_type="ToolQuotaError", user_message="A quota is used up.")
    yield "a wait", _feedback_with(retry_after=1.5, wait_note="Wait 1.5 s first.")
    yield "an endless wait", _feedback_with(retry_after=1e300)
    yield "an effect", _feedback_with(effect_note="It may have taken effect.", http_status=502, provider="acme")
    yield (
        "a corrected call",
        _feedback_with(corrected=json.dumps({"name": "read_file", "arguments": {"path": 'a "b".md'}})),
    )
    yield (
        "options",
        _feedback_with(options=("a", "b"), options_total=40, suggestions=("a",), suggestion='Did you mean "a"?'),
    )
    yield "no options at all", _feedback_with(options=(), options_total=3)
    yield "no message", _feedback_with(message="", headline="")
    for name, text in TEXTS.items():
        excerpt = clean(text, newlines=False)[:300]
        yield f"quoted: {name}", _feedback_with(detail=fence(clean(text)[:600], key=name, label="The tool reported:"))
        yield f"everywhere: {name}", _feedback_made_of(excerpt)


def _feedback_with(**parts: object) -> Feedback:
    made = Feedback(
        PLAIN_FEEDBACK.tool_name,
        PLAIN_FEEDBACK.error_type,
        PLAIN_FEEDBACK.code,
        False,
        PLAIN_FEEDBACK.headline,
        PLAIN_FEEDBACK.message,
    )
    made.next_step = PLAIN_FEEDBACK.next_step
    for name, value in parts.items():
        setattr(made, name, value)
    return made


def _feedback_made_of(text: str) -> Feedback:
    problem = Problem(f"/{text}", text, text, json.dumps(text))
    return _feedback_with(
        headline=f"Error executing tool read_file: {text}",
        message=text,
        problems=(problem, problem),
        problems_total=9,
        resource=text,
        suggestions=(text, text),
        suggestion=text,
        options=(text, text),
        options_total=2,
        hints=(text,),
        notes=(text,),
        user_message=text,
        effect_note=text,
        provider=text,
        detail=fence(text, key="x", label="The tool reported:"),
        corrected=json.dumps({"name": text}),
    )


class FormatConformance(Conformance):
    """Subclass this as `TestSomething`, with `plugin`; every format that it offers is tested.

    Override `outside` if a format quotes text in its own way instead of mulligan's fence.
    """

    hook = "feedback_formats"
    instead_of = ("formats",)

    def formats(self) -> list[FeedbackFormat]:
        """The formats that are tested: those of the plugin."""
        return list(self.stages().formats().values())

    def outside(self, format: str, text: str) -> str:
        """The text outside all quotations; here, outside mulligan's fences.

        Args:
            format: the format's name.
            text: what a model reads.
        """
        return text_outside_fences(text)

    def test_formats_have_names(self) -> None:
        """It offers formats, each with a unique name that a person can type."""
        __tracebackhide__ = True
        formats = self.formats()
        problems = [f"the name {one.name!r} is not a word" for one in formats if not re.fullmatch(r"[\w.-]+", one.name)]
        known = set() if self.module_name().startswith("mulligan.") else {one.name for one in built_in()}
        problems += [f"the name {one.name!r} is taken by mulligan itself" for one in formats if one.name in known]
        assert_no_problems(
            problems if formats else ["it offers no format"], "A pipeline asks for a format by its name: format='name'."
        )

    def test_never_raises(self) -> None:
        """It renders any feedback, as a text or a mapping of JSON values."""
        __tracebackhide__ = True
        problems = []
        for format in self.formats():
            for what, feedback in feedback_samples():
                try:
                    _as_text(format.render(feedback))
                except Exception as error:
                    problems.append(f"{format.name}, {what}: {type(error).__name__}: {safe_str(error, 120)}")
        assert_no_problems(
            problems,
            "Every part may be empty or contain any text: always return text, or a mapping of JSON values.",
        )

    def test_deterministic(self) -> None:
        """Equal feedback gives equal text."""
        __tracebackhide__ = True
        samples = list(feedback_samples())
        problems = []
        for format in self.formats():
            first = [_as_text(format.render(feedback)) for _, feedback in samples]
            again = [_as_text(format.render(feedback)) for _, feedback in reversed(samples)]
            pairs = zip(samples, first, reversed(again), strict=True)
            problems += [
                f"{format.name}, {what}: {one!r} and then {two!r}" for (what, _), one, two in pairs if one != two
            ]
        assert_no_problems(problems, "Keep nothing between two texts, and use neither time nor chance.")

    def test_tells_what_matters(self) -> None:
        """The model reads what failed, and what to do next."""
        __tracebackhide__ = True
        problems = []
        for format in self.formats():
            text = " ".join(_words(format.render(PLAIN_FEEDBACK)))
            parts = {"message": PLAIN_FEEDBACK.message, "next_step": PLAIN_FEEDBACK.next_step}
            problems += [
                f"{format.name}: it does not show `{name}`: {text}"
                for name, part in parts.items()
                if " ".join(_words(part)) not in text
            ]
        assert_no_problems(
            problems,
            "Put `message` (or `headline`) and `next_step` into the text: without them a model cannot recover.",
        )

    def test_bounded(self) -> None:
        """With fewer parts its text is shorter, so that it fits in any limit."""
        __tracebackhide__ = True
        problems = []
        for format in self.formats():
            rendered = format.render(SMALLEST_FEEDBACK)
            if isinstance(rendered, str) and len(rendered) > _MIN_CHARS:
                problems.append(
                    f"{format.name}: the smallest feedback takes {len(rendered)} characters of {_MIN_CHARS}"
                )
            for limit in _LIMITS:
                for what, result in self._failed_results(format, Limits(feedback_chars=limit)):
                    if len(result.content) > limit:
                        problems.append(
                            f"{format.name}, {what}: {len(result.content)} characters where {limit} are allowed"
                        )
        assert_no_problems(
            problems,
            "A pipeline asks again with fewer parts until it fits: word what is there, and add nothing that is fixed.",
        )

    def test_redacted(self, monkeypatch: Any) -> None:
        """It contains no secret of a failure or of the environment."""
        __tracebackhide__ = True
        for name, secret in SECRETS.items():
            monkeypatch.setenv(re.sub(r"\W", "_", name).upper() + "_TOKEN", secret)
        problems = []
        for format in self.formats():
            for what, result in self._failed_results(format):
                problems += [f"{format.name}, {what}: it shows {name}" for name in leaked(result.content)]
        assert_no_problems(
            problems,
            "Word the parts of the feedback and nothing else: they are redacted, what you fetch elsewhere is not.",
        )

    def test_contains_foreign_text(self) -> None:
        """Foreign text cannot leave its quotation, and nothing invisible is left in the text."""
        __tracebackhide__ = True
        problems = []
        for format in self.formats():
            for what, result in self._failed_results(format):
                obeyed_runs = obeyed(self.outside(format.name, result.content))
                problems += [f"{format.name}, {what}: it says itself {printable(run)!r}" for run in obeyed_runs[:1]]
                if any(text != clean(text) for text in _read_texts(result.content)):
                    problems.append(f"{format.name}, {what}: it holds characters that are not seen")
        assert_no_problems(
            problems,
            "Give `detail` as it is, in its fence, or quote it so that no text can end the quotation (escape it, or choose a "
            "fence that it does not hold). Where it quotes in its own way, override `outside` in the suite.",
        )

    def _failed_results(self, format: FeedbackFormat, limits: Limits | None = None) -> Iterator[tuple[str, ToolResult]]:
        """Failed calls in this format, through a real pipeline, and what they are."""
        with self.pipeline(*sample_tools().values(), format=format, limits=limits) as pipeline:
            yield "an unknown name", pipeline.call("read_fil", {"path": "a"})
            yield "an unknown name unlike any", pipeline.call("x" * 500, {})
            yield "wrong arguments", pipeline.call("list_files", {"pattern": 3, "limit": "ten", "more": "x" * 5_000})
            yield "broken JSON", pipeline.call("write_file", '{"path": "a", "text": ')
            yield "a missing file", pipeline.call("read_file", {"path": "READM.md"})
            for what, error in self._sample_errors():
                pipeline.tools.add(failing_tool(error, "act"), replace=True)
                yield what, pipeline.call("act", {})
            assert_no_problems(
                [fault.error for fault in pipeline.faults], "Its render() gave nothing that can be used."
            )

    def _sample_errors(self) -> Iterator[tuple[str, BaseException]]:
        for name, text in TEXTS.items():
            yield f"text: {name}", RuntimeError(text)
        for name, secret in SECRETS.items():
            yield f"secret: {name}", RuntimeError(f"{secret} was rejected")
        yield "a quota", ToolQuotaError("The month's credit is used up.", retry_after=86_400)
        yield "a resource", ResourceNotFoundError("There is no such page.", resource="wiki/Tides")
        yield "arguments that a service rejects", ToolArgumentError("Rejected.")
        for fault in EXCEPTIONS[:12]:
            yield fault.name, fault.make()


def _as_text(rendered: str | Mapping[str, Any]) -> str:
    if isinstance(rendered, str):
        rendered.encode()
        return rendered
    if not isinstance(rendered, Mapping):
        raise TypeError(f"render() gave {type(rendered).__name__} instead of a text or a mapping")
    return json.dumps(rendered, ensure_ascii=False)


def _read_texts(content: str) -> list[str]:
    """The texts that a model reads: of JSON, those in it."""
    if content.startswith("{"):
        try:
            return list(texts_of(json.loads(content)))
        except ValueError:
            return [content]
    return [content]


def _words(rendered: str | Mapping[str, Any]) -> list[str]:
    return re.findall(r"[a-z]+", _as_text(rendered).lower())
