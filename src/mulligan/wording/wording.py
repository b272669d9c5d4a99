"""The words that a model reads, by cause: `compose` makes the parts of a feedback out of a classified error.

Our own words come from the templates here and from the tool's schema. Foreign text appears in two places only: names
and paths, cleaned and shortened, and the detail, quoted in a fence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from mulligan.calls import Repair, ToolCall
from mulligan.catalogue import ENGLISH, Catalogue
from mulligan.errors import Problem, ResourceNotFoundError, ToolError, ToolNotFoundError
from mulligan.feedback import Feedback
from mulligan.foreign.containment import clean, fence, safe_str, show_name
from mulligan.foreign.facts import guarded
from mulligan.policy import Limits, Policy
from mulligan.secrets.redaction import REDACTED, Redactor, cut
from mulligan.wording.correction import Correction, is_own
from mulligan.wording.next_steps import effect_note, in_seconds, listed, next_step
from mulligan.wording.quoting import apart, redacted_pointer, sent_text, spellings, unnamed

if TYPE_CHECKING:
    from mulligan.failures.failure import Failure
    from mulligan.tools import Tool

_LINE = 300
_SENT, _LONGEST_POINTER = 60, 100
_MOST = 50
_BESIDE_A_CORRECTION = {"third_time": "more_times_corrected", "more_times": "more_times_corrected", "other_values": ""}
_ELLIPSIS = "…"


class Wording:
    """Makes feedback for the errors of one pipeline.

    Args:
        policy: how much of a foreign text is told.
        limits: bounds on the parts.
        redactor: removes secrets from everything that is foreign.
    """

    def __init__(self, policy: Policy, limits: Limits, redactor: Redactor) -> None:
        self._policy = policy
        self._words = policy.catalogue
        self._limits = limits
        self._redactor = redactor

    def compose(
        self,
        error: ToolError,
        call: ToolCall,
        tool: Tool | None,
        *,
        correction: Correction | None = None,
        failure: Failure | None = None,
        tools: Mapping[str, Tool] = MappingProxyType({}),
        hints: Iterable[str] = (),
        repairs: Sequence[Repair] = (),
        note: str = "",
    ) -> Feedback:
        """The parts of what the model is told.

        Args:
            error: what the failure means, its fatality decided.
            call: the call that failed.
            tool: the tool it was resolved to, or None.
            correction: the call that the model most likely meant, or None.
            failure: what happened, for the quoted detail.
            tools: all tools by name, for a tool that was not found.
            hints: advice of plugins.
            repairs: what was read differently from how it was sent.
            note: a sentence on how often this has happened, or nothing.
        """
        hints = tuple(hints)
        own, repeated = apart(hints, failure) if hints else (hints, ())
        hidden = unnamed(error, call)
        problems = error.problems[: self._limits.problems]
        if len(problems) == 1 and not problems[0].pointer and problems[0].message in error.message:
            problems = ()
        is_clean = self._is_clean(_foreign(error, hints))
        line = str if is_clean else self.line
        feedback = self._main_parts(error, self._name(call, tool), tool, line, hidden)
        if problems:
            feedback.problems_total = len(error.problems)
            feedback.problems = self._problems(problems, clean=is_clean)
        if error.retry_after is not None:
            feedback.wait_note = self._wait(error.retry_after, feedback.next_step)
        feedback.hints = tuple(map(line, own))
        if tools or suggested(error):
            self._add_names(feedback, error, tools)
        said = "" if failure is None else guarded(lambda: self._author_message(failure)) or ""
        if said:
            feedback.author_message, feedback.effect_note = said, ""
            if not error.fatal:
                feedback.next_step = self._words["as_author_says"].format(tool=feedback.tool_name or "the tool")
        elif failure is not None:
            feedback.detail = guarded(partial(self._detail, error, call, failure, (hidden, *repeated))) or ""
        if correction is not None:
            guarded(partial(self._propose, feedback, correction, sent_text(call)))
        if note or repairs:
            feedback.notes = self._notes(_BESIDE_A_CORRECTION.get(note, note) if feedback.corrected else note, repairs)
        return feedback

    def _main_parts(
        self, error: ToolError, name: str, tool: Tool | None, line: Callable[[str], str], hidden: str | None
    ) -> Feedback:
        """What every feedback has: what failed, what it means for the run, and what to do next."""
        words = self._words
        said = error.message if hidden is None else error.message.replace(hidden, _ELLIPSIS)
        resource = None if hidden is not None or error.resource is None else line(error.resource)
        message = self._of_class("message", error, line(said) or f"{type(error).__name__}.", resource)
        return Feedback(
            name,
            type(error).__name__,
            error.code,
            error.fatal,
            words["headline_without_tool" if tool is None else "headline"].format(tool=name, message=message),
            message,
            self._of_class("user", error, line(error.user_message), resource),
            next_step(error, name or "the tool", tool, words, line),
            effect_note(error, tool, words),
            (),
            0,
            resource,
            error.retry_after,
            error.http_status,
            error.provider and show_name(error.provider),
            catalogue=words,
        )

    def _wait(self, seconds: object, step: str) -> str:
        if not isinstance(seconds, (int, float)) or f"{(told := in_seconds(seconds))} s" in step:
            return ""
        return self._words["wait"].format(seconds=told)

    def _problems(self, problems: Sequence[Problem], *, clean: bool) -> Sequence[Problem]:
        if clean and all(len(problem.got or "") <= _SENT for problem in problems):
            return problems
        return tuple(self._problem(problem) for problem in problems)

    def _of_class(self, kind: str, error: ToolError, said: str, resource: str | None) -> str:
        """What the catalogue says in the place of what the error says of itself, where it has words for its class."""
        template = None if self._words is ENGLISH else self._words.get(f"{kind}:{type(error).__name__}")
        if template is None:
            return said
        return template.format(message=said, resource=resource or "", status=error.http_status or "")

    def _name(self, call: ToolCall, tool: Tool | None) -> str:
        if tool is not None and tool.name == call.name:
            return tool.shown
        return self.shown_name(call)

    def shown_name(self, call: ToolCall) -> str:
        """The name that was called, redacted and safe to show.

        Args:
            call: the call.
        """
        name = self._redactor.redact(safe_str(call.name, _LINE))
        return show_name(cut(name, _SENT) if REDACTED in name else name)

    def _problem(self, problem: Problem) -> Problem:
        pointer, message, expected, got = problem
        sent = None if got is None else cut(self.line(got), _SENT)
        where = show_name(redacted_pointer(pointer, self._redactor.redact), _LONGEST_POINTER)
        return Problem(where, self.line(message), expected and self.line(expected), sent)

    def _is_clean(self, foreign: list[str]) -> bool:
        """Whether one look at all these texts finds nothing to redact, to clean or to cut."""
        together = "  ".join(foreign)
        if len(together) > _LINE or not together.isascii() or not together.isprintable():
            return False
        if max(map(len, foreign), default=0) < self._redactor.shortest and "=" not in together:
            return True
        return self._redactor.redact(together) == together

    def _add_names(self, feedback: Feedback, error: ToolError, tools: Mapping[str, Tool]) -> None:
        best = suggested(error)
        feedback.suggestions = tuple(show_name(name, 128) for name in best)
        feedback.suggestion = suggestion(error, self._words)
        if tools:
            most = self._limits.listed_tools
            others = (name for name in islice(tools, most + len(best)) if name not in best)
            shown = tuple(show_name(name, 128) for name in islice(chain(best, others), most))
            is_sample = len(tools) > 10 * most  # of names that nothing speaks for a few will do
            feedback.options = _within(shown, self._limits.feedback_chars // (10 if is_sample else 4))
            feedback.options_total = len(tools)

    def line(self, text: str) -> str:
        """A text as one clean, redacted, bounded line."""
        if len(text) <= _LINE and text.isascii() and text.isprintable():
            return self._redactor.redact(text)
        return cut(clean(self._redactor.redact(text[: 4 * _LINE]), newlines=False), _LINE)

    def _propose(self, feedback: Feedback, correction: Correction, sent: str) -> None:
        """Adds the corrected call, unless it is too long, or something in it must not be shown or is not plain text."""
        import json

        name, arguments, meant = correction
        text = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)  # spaced, as models write it
        fits = len(text) <= self._limits.feedback_chars // 2
        if not fits or self._redactor.redact(text) != text or clean(text, newlines=False) != text:
            return
        if not is_own(correction, sent):
            return
        feedback.corrected = text
        if meant and not feedback.suggestion:
            names = listed([f'"{show_name(one, 128)}"' for one in meant], self._words)
            feedback.suggestion = self._words["meant"].format(names=names)

    def _notes(self, note: str, repairs: Sequence[Repair]) -> tuple[str, ...]:
        read = (self._words["read_as"].format(before=repair.before, after=repair.after) for repair in repairs)
        return (*filter(None, [self._words.get(note, note)]), *read)

    def _author_message(self, failure: Failure) -> str:
        """What the tool's author says to the model, redacted, on one line as long as a quoted detail."""
        text, limit = failure.author_message, self._limits.detail_chars
        if not text or self._policy.detail == "none":
            return ""
        return cut(clean(self._redactor.redact(text[: 4 * limit]), newlines=False), limit).strip()

    def _detail(self, error: ToolError, call: ToolCall, failure: Failure, quoted: Sequence[str | None]) -> str:
        if self._policy.detail == "none":
            return ""
        if self._policy.detail == "type":
            return self._words["type"].format(type=show_name(failure.type_name)) if failure.type_name else ""
        text = failure.detail
        if quoted[0] is None and (not text or text in error.message or text == error.resource):
            text = ""
        text = "\n".join(dict.fromkeys(filter(None, [*(one for one in quoted if one and one not in text), text])))
        if not text:
            return ""
        limit = self._limits.detail_chars
        told = cut(clean(self._redactor.redact(text[: 4 * limit])), limit).strip()
        key = f"{call.id}\0{call.name}\0{sent_text(call)}"
        return fence(told, key=key, label=self._words["reported"]) if told else ""


def _foreign(error: ToolError, hints: Sequence[str]) -> list[str]:
    """The texts of an error that are not our own words."""
    own = error.rule is not None and error.rule.startswith("host:")
    texts = [*hints] if own else [error.message, *hints]
    if "user_message" in error.__dict__:
        texts.append(error.user_message)
    if error.resource is not None and (own or error.resource not in error.message):
        texts.append(error.resource)
    for problem in error.problems[:_MOST]:
        texts += (problem.pointer, *spellings(problem.pointer))
        if problem.got is not None:
            texts.append(problem.got)
        if not own:
            texts += (problem.message, problem.expected or "")
    return texts


def _within(names: tuple[str, ...], characters: int) -> tuple[str, ...]:
    used = 0
    for index, name in enumerate(names):
        used += len(name) + 2
        if used > characters:
            return names[:index]
    return names


def suggested(error: ToolError) -> tuple[str, ...]:
    """Names that may be meant, best first.

    Args:
        error: what the failure means.
    """
    return error.suggestions if isinstance(error, (ToolNotFoundError, ResourceNotFoundError)) else ()


def suggestion(error: ToolError, words: Catalogue) -> str:
    """The one proposal that is clear, or the best guesses, as a sentence; empty without any.

    Args:
        error: what the failure means.
        words: the templates.
    """
    names = [f'"{show_name(name, 128)}"' for name in suggested(error)]
    if not names:
        return ""
    if getattr(error, "confident", True):
        return words["meant"].format(names=names[0])
    return words["closest"].format(names=", ".join(names))


def says_the_same(feedback: Feedback, error: ToolError) -> bool:
    """Whether nothing that an error says had to be changed for its feedback.

    Args:
        feedback: its feedback.
        error: what the failure means.
    """
    told = (feedback.message, feedback.user_message, feedback.resource)
    if told != (error.message, error.user_message, error.resource):
        return False
    return tuple(feedback.problems) == tuple(error.problems[: len(feedback.problems)])
