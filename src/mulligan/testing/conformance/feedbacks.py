"""Feedback of every kind, as formats receive it: little, much, and with foreign text in every part."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mulligan.plugin import Feedback, Problem, clean, fence
from mulligan.testing.faults import TEXTS

SMALL = Feedback(
    tool_name="read_file",
    error_type="ToolUnavailableError",
    code="UNAVAILABLE",
    fatal=False,
    headline="Error executing tool read_file: The archive is closed today.",
    message="The archive is closed today.",
)
"""The smallest feedback: what failed, and nothing else."""

PLAIN = Feedback(
    tool_name="read_file",
    error_type="ToolUnavailableError",
    code="UNAVAILABLE",
    fatal=False,
    headline="Error executing tool read_file: The archive is closed today.",
    message="The archive is closed today.",
    next_step="ask the librarian for another copy.",
)
"""Feedback that any format can word whole: a message and a next step, in plain words."""


def feedbacks() -> Iterator[tuple[str, Feedback]]:
    """What a format may be given, and what it is; foreign text is cleaned, quoted and bounded, as a pipeline does it."""
    yield "the smallest", SMALL
    yield "a plain one", PLAIN
    yield "a fatal one", _with(fatal=True, error_type="ToolQuotaError", user_message="A quota is used up.")
    yield "a wait", _with(retry_after=1.5, wait_note="Wait 1.5 s first.")
    yield "an endless wait", _with(retry_after=1e300)
    yield "an effect", _with(effect_note="It may have taken effect.", http_status=502, provider="acme")
    yield "a corrected call", _with(corrected=json.dumps({"name": "read_file", "arguments": {"path": 'a "b".md'}}))
    yield "options", _with(options=("a", "b"), options_total=40, suggestions=("a",), suggestion='Did you mean "a"?')
    yield "no options at all", _with(options=(), options_total=3)
    yield "no message", _with(message="", headline="")
    for name, text in TEXTS.items():
        shown = clean(text, newlines=False)[:300]
        yield f"quoted: {name}", _with(detail=fence(clean(text)[:600], key=name, label="The tool reported:"))
        yield f"everywhere: {name}", _everywhere(shown)


def _with(**parts: object) -> Feedback:
    made = Feedback(PLAIN.tool_name, PLAIN.error_type, PLAIN.code, False, PLAIN.headline, PLAIN.message)
    made.next_step = PLAIN.next_step
    for name, value in parts.items():
        setattr(made, name, value)
    return made


def _everywhere(text: str) -> Feedback:
    problem = Problem(f"/{text}", text, text, json.dumps(text))
    return _with(
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
