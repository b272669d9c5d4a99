"""Any limit, any parts: the text fits and is well-formed."""

from __future__ import annotations

import json

import pytest
from format_cases import FORMATS, calls, pipeline
from format_oracles import CHECKS, check
from format_payloads import PAYLOADS
from hypothesis import given, settings
from hypothesis import strategies as st
from mulligan_formats import MarkdownFormat, TerseFormat, XmlFormat
from test_formats_containment import CARRIERS

from mulligan import Limits
from mulligan.plugin import Feedback, FeedbackFormat, Problem, fence, show_name
from mulligan.render.fitting import SizeLimit, fit_to_limit

MADE: dict[str, FeedbackFormat] = {made.name: made for made in (XmlFormat(), MarkdownFormat(), TerseFormat())}
EVERY = range(60, 2_001)
SOME = (*range(60, 400, 7), *range(400, 2_001, 100))


def fitted(format: str, feedback: Feedback, limit: int) -> str:
    found = fit_to_limit(feedback, MADE[format].render, SizeLimit(limit))
    assert found is not None, f"{format} has no text of {limit} characters"
    assert len(found[1]) <= limit
    return found[1]


@pytest.mark.parametrize("format", FORMATS)
def test_every_class_of_error_at_every_limit(format: str) -> None:
    for name, result in calls(format):
        assert result.feedback is not None
        before = ""
        for limit in EVERY:
            text = fitted(format, result.feedback, limit)
            assert len(text) >= len(before), f"{name}: more room, less text"
            if text != before:
                check(format, text)
            before = text


@pytest.mark.parametrize("format", FORMATS)
def test_payloads_at_many_limits(format: str) -> None:
    for carrier in CARRIERS.values():
        for payload in PAYLOADS[::9]:
            feedback = carrier(format, payload).feedback
            assert feedback is not None
            for text in {fitted(format, feedback, limit) for limit in SOME}:
                check(format, text)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("chars", [200, 201, 260, 500, 2_000])
def test_a_pipeline_with_a_limit(format: str, chars: int) -> None:
    def fail() -> str:
        raise RuntimeError("<&`\">'" * 100_000)

    def missing() -> str:
        raise FileNotFoundError(2, "No such file", "&" * 5_000)

    with pipeline(fail, missing, format=format, limits=Limits(feedback_chars=chars)) as made:
        for name in ("fail", "missing", "&" * 500):
            content = made.call(name, {}).content
            assert len(content) <= chars
            check(format, content)


TEXT = st.text(st.characters(codec=None), max_size=300) | st.text(
    "<>&`\"'\\ a\n\x00\x1b\u202e\ufffe\ud800", max_size=300
)
FEEDBACK = st.builds(
    lambda tool, message, resource, problems, near, hints, notes, detail, author, wait, corrected, step: Feedback(
        tool_name=tool,
        error_type="ToolExecutionError",
        code="INTERNAL",
        fatal=False,
        headline=f"Error executing tool {tool}: {message}",
        message=message,
        next_step=step,
        problems=problems,
        problems_total=len(problems),
        resource=resource,
        retry_after=wait,
        suggestions=near,
        suggestion=f'Did you mean "{near[0]}"?' if near else "",
        corrected=corrected,
        hints=hints,
        notes=notes,
        detail=fence(detail, key="", label="Reported:") if detail else "",
        author_message=author,
    ),
    TEXT.map(show_name),
    TEXT,
    st.none() | TEXT,
    st.lists(st.builds(Problem, TEXT, TEXT, st.none() | TEXT, st.none() | TEXT), max_size=3),
    st.lists(TEXT.map(show_name), max_size=3).map(tuple),
    st.lists(TEXT, max_size=2).map(tuple),
    st.lists(TEXT, max_size=2).map(tuple),
    TEXT,
    TEXT,
    st.none() | st.floats(0, 1e9),
    TEXT.map(lambda text: json.dumps({"name": text}, ensure_ascii=False)) | st.just(""),
    TEXT | st.just("call it again."),
)


@pytest.mark.parametrize("format", FORMATS)
@settings(deadline=None, max_examples=100, derandomize=True)
@given(FEEDBACK, st.integers(60, 2_000))
def test_any_parts_even_if_nobody_cleaned_them(format: str, feedback: Feedback, limit: int) -> None:
    whole = str(MADE[format].render(feedback))
    text = fitted(format, feedback, limit)
    assert whole
    assert 0 < len(text) <= limit
    for told in (whole, text):
        CHECKS[format](told)
