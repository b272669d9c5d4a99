"""`FeedbackComposer` builds the parts of a feedback from a classified error.

Our own text comes from the catalogue and from the tool's schema. Foreign text appears in two places only: names and
paths, cleaned and shortened, and the detail, quoted in a fence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from mulligan.calls import Repair, ToolCall
from mulligan.catalogue import ENGLISH, Catalogue, finer_template
from mulligan.classify.call_arguments import sent_text
from mulligan.classify.user_message import has_default_user_message, service_name_of, tool_name_of
from mulligan.errors import (
    Problem,
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    ToolNotFoundError,
    ToolQuotaError,
    ToolTimeoutError,
    ToolUnavailableError,
)
from mulligan.feedback import Feedback
from mulligan.lazy import lazy_pattern
from mulligan.pointers import argument_of, escape, steps_of
from mulligan.policy import Limits, Policy
from mulligan.render.argument_steps import Offer
from mulligan.render.corrections import CorrectionWriter
from mulligan.render.narrowing import asks_for_less, is_too_much, reads_rows, takes_too_long
from mulligan.render.next_steps import (
    LONGEST_WAIT,
    effect_note,
    format_seconds,
    next_step,
)
from mulligan.render.quoting import split_hints, split_problems, untrusted_resource
from mulligan.render.shown_lookup import Look, ShownLookup
from mulligan.repair.correction import Correction
from mulligan.repair.provenance import is_plain_identifier
from mulligan.secrets.redaction import REDACTED, Redactor, pointer_spellings, redacted_pointer, truncate
from mulligan.untrusted.objects import call_safely
from mulligan.untrusted.serialize import spaced_json
from mulligan.untrusted.text import clean, fence, is_name, safe_str, show_name, show_type_name

if TYPE_CHECKING:
    from mulligan.classify.failure import Failure
    from mulligan.resolve.lookups import Lookups
    from mulligan.tools import Tool

_LINE_CHARS = 300
_NAMES_CHARS = 200
_SENT_CHARS, _LONGEST_POINTER = 60, 100
_MAX_PROBLEMS = 50
_MOST_REQUIRED, _MOST_VALUES = 3, 4
_NOTES_WITH_CORRECTION = {
    "third_time": "more_times_corrected",
    "more_times": "more_times_corrected",
    "many_failures": "many_failures_corrected",
    "other_values": "",
}
_READ_AS = {
    ("name", True): "read_as",
    ("arguments", True): "arguments_read_as",
    ("arguments", False): "invalid_json_read_as",
    ("edited", True): "edited",
}
_ELLIPSIS = "…"
_APPROVAL_PREFIX, _REJECTED = "host:approval-", "host:approval-rejected"
_PROPOSAL = lazy_pattern(r"did you mean|corrected call|\bnext:|<<<|>>>", re.IGNORECASE)
_PROPOSAL_PARTS = ("you mean", "corrected", "next:", "<<<", ">>>")
_EXPLAINS = lazy_pattern(  # what a report says on how a name is written
    r"\b(?:form(?:at)? (?:of|is|must|like)|(?:has|have|in|of) (?:the|this) form(?:at)?|"
    r"(?:the|a|its|with|without|missing) (?:prefix|suffix)|(?:prefix|suffix) (?:is|must|of)|digits?|(?:begins?|starts?|"
    r"ends?) (?:with|in)|written|spelled|must be|should be|use the|give|e\.g|for example|such as)\b",
    re.IGNORECASE,
)
_ADDRESS = lazy_pattern(r"\b\w+://\S+")
_SHOWS_FORM = lazy_pattern(
    r"\b(?:looks? like|for example|such as|(?:in|of|have|has) the form(?:at)?)\b(?! of)|\be\.g\.", re.IGNORECASE
)
_REJECTS = lazy_pattern(
    r"\b(?:incorrect|invalid|unknown|unrecogni[sz]ed|no such|not found|(?:does not|doesn't) exist)\b", re.IGNORECASE
)
_SUGGESTS = lazy_pattern(r"\b(?:you mean|you meant|meant to|closest|similar to|nearest)\b", re.IGNORECASE)
_SAYS_WHAT_IS_ALLOWED = lazy_pattern(
    r"\b(?:(?:must|should) be|at (?:most|least)|(?:less|greater|more|fewer|larger|smaller|longer|shorter) than|max(?:imum)?|"
    r"min(?:imum)?|limit|expect(?:s|ed)|between)\b|"
    r"\b(?:available|valid|allowed|known|supported|configured|defined|existing|possible) [\w-]{1,30}(?: [\w-]{1,30})?: \S",
    re.IGNORECASE,
)
_MAY_NAME_NOTHING = (ToolArgumentError, ToolExecutionError, ResourceConflictError)
_MAY_BE_TOO_MUCH = (ToolExecutionError, ToolArgumentError)
_MAY_LIST_NAMES = (ResourceNotFoundError, ToolArgumentError, ResourceConflictError)
_MAY_BE_LARGE = (*_MAY_BE_TOO_MUCH, ToolQuotaError)
_PLAIN_NAME = re.compile(r"[\w.:/-]{1,128}").fullmatch
_PLAIN_POINTER = re.compile(r"(?:/[\w.:@$\[\]~-]{0,64}){0,16}").fullmatch


class FeedbackComposer:
    """Builds feedback for the errors of one pipeline.

    Args:
        policy: the catalogue, and how much foreign text the model reads.
        limits: bounds on the parts.
        redactor: removes secrets from all foreign text.
    """

    def __init__(self, policy: Policy, limits: Limits, redactor: Redactor) -> None:
        self._policy = policy
        self._catalogue = policy.catalogue
        self._limits = limits
        self._redactor = redactor
        self._replaces_texts = policy.catalogue is not ENGLISH

    def compose(
        self,
        error: ToolError,
        call: ToolCall,
        tool: Tool | None,
        *,
        correction: Correction | None = None,
        failure: Failure | None = None,
        tools: Mapping[str, Tool] | None = None,
        hints: Iterable[str] = (),
        repairs: Sequence[Repair] = (),
        note: str = "",
        resources: Sequence[str] = (),
        lookups: Lookups | None = None,
    ) -> Feedback:
        """The parts of the text that the model reads.

        Args:
            error: the classified error; its fatality is already decided.
            call: the call that failed.
            tool: the tool that the call was resolved to, or None.
            correction: the call that the model most likely meant, or None.
            failure: the raw failure, for the quoted detail.
            tools: all tools by name, if the tool was not found; otherwise None.
            hints: advice of plugins.
            repairs: the repairs of the call.
            note: a sentence about repetition, or an empty text.
            resources: the names that the tool's author provides and that are similar to a missing one.
            lookups: what the other tools can show.
        """
        hints = tuple(hints)
        original_hints, repeated_hints = split_hints(hints, failure) if hints else (hints, ())
        hidden = None if error.resource is None else untrusted_resource(error, call)
        is_imitation = _is_imitation(error)
        own_problems, foreign_problems = (
            (error.problems, []) if failure is None else split_problems(error, tool, self._redactor.redact)
        )
        problems = own_problems[: self._limits.problems]
        if len(problems) == 1 and not problems[0].pointer and problems[0].message in error.message:
            problems = ()
        is_clean = self._is_clean(_foreign_texts(error, hints))
        sanitize_line = str if is_clean else self.sanitize_line
        look = None if lookups is None or correction is not None else partial(self._show_lookup, lookups)
        is_rejected = lookups is not None and lookups.is_folder
        likely: Offer = "meant" if correction is not None else "rejected" if is_rejected else ""
        feedback = self._main_parts(
            error,
            self._tool_name(call, tool),
            tool,
            sanitize_line,
            hidden,
            note,
            resources,
            look,
            is_imitation=is_imitation,
            offer=likely,
        )
        if problems:
            feedback.problems_total = error.__dict__.get("_problems_total", len(own_problems))
            feedback.problems = self._problems(problems, tool, clean=is_clean)
        if error.retry_after is not None:
            feedback.wait_note = self._wait_note(error.retry_after, feedback.next_step)
        feedback.hints = tuple(map(sanitize_line, original_hints))
        tool_count = 0 if tools is None else len(tools)
        if tool_count or resources:
            self._add_names(feedback, error, {} if tools is None else tools, tool_count, resources)
        elif tools is not None:
            feedback.next_step = self._catalogue["no_tool"]
        if failure is not None:
            imitation = error.message if is_imitation else None
            quoted = (hidden, imitation, *foreign_problems, *repeated_hints)
            self._add_report(feedback, error, call, failure, quoted, lookups)
            if not resources:
                self._add_offered_step(feedback, error, failure, tool, lookups, note, look)
        if correction is not None:
            target = tool if tools is None else tools.get(correction.name)
            writer = CorrectionWriter(self._catalogue, self.display_name, self._may_show)
            call_safely(partial(writer.add, feedback, correction, call, target))
        if note or repairs or "_reason" in error.__dict__:
            self._add_notes(feedback, error, note, repairs)
        return feedback

    def _add_notes(self, feedback: Feedback, error: ToolError, note: str, repairs: Sequence[Repair]) -> None:
        """Adds the reason of a person, how often this has happened and what was read differently."""
        if note == "second_time" and feedback.next_step and type(error) is ToolArgumentError:
            feedback.next_step = self._catalogue["not_again"].format(step=feedback.next_step)
        note = _NOTES_WITH_CORRECTION.get(note, note) if feedback.corrected else note
        feedback.notes = (*self._reason(error), *self._notes(note, repairs))

    def _main_parts(
        self,
        error: ToolError,
        name: str,
        tool: Tool | None,
        sanitize_line: Callable[[str], str],
        hidden: str | None,
        note: str,
        resources: Sequence[str],
        look: Look | None,
        *,
        is_imitation: bool,
        offer: Offer,
    ) -> Feedback:
        """The parts of every feedback: what failed, what it means for the run, and what to do next."""
        catalogue = self._catalogue
        text = "" if is_imitation else error.message
        text = text if hidden is None else _hide_resource(text, hidden, error)
        resource = None if hidden is not None or error.resource is None else sanitize_line(error.resource)
        message = _with_resource(sanitize_line(text) or _default_message(error), error, resource)
        user_message = sanitize_line(error.user_message)
        if self._replaces_texts:
            message = self._apply_class_template("message", error, message, resource)
            user_message = self._apply_class_template("user", error, user_message, resource)
        return Feedback(
            name,
            type(error).__name__,
            error.code,
            error.fatal,
            catalogue[_headline_template(error, tool)].format(tool=name, message=message),
            message,
            user_message,
            next_step(
                error,
                name or "the tool",
                tool,
                catalogue,
                sanitize_line,
                note=note,
                resources=resources,
                offer=offer,
                look=look,
            ),
            effect_note(error, tool, catalogue),
            (),
            0,
            resource,
            error.retry_after,
            error.http_status,
            error.provider and show_name(error.provider),
            catalogue=catalogue,
        )

    def _show_lookup(self, lookups: Lookups, is_missing: bool) -> ShownLookup | None:
        """The tool that shows what is there, and the call of it unless that is too long or must not be shown."""
        found = call_safely(lookups.existing if is_missing else lookups.state)
        if found is None or not is_plain_identifier(found.tool.name):
            return None
        call = ""
        if found.arguments is not None:
            call = spaced_json({"name": found.tool.name, "arguments": found.arguments})
        call = call if self._may_show(call) else ""
        needed = "" if call else _required_arguments(found.tool)
        return ShownLookup(f"{found.tool.shown}{needed}", call, found.is_direct)

    def _wait_note(self, seconds: object, step: str) -> str:
        if (
            not isinstance(seconds, (int, float))
            or seconds > LONGEST_WAIT
            or f"{(shown := format_seconds(seconds))} s" in step
        ):
            return ""
        return self._catalogue["wait"].format(seconds=shown)

    def _problems(self, problems: Sequence[Problem], tool: Tool | None, *, clean: bool) -> Sequence[Problem]:
        is_short = clean and all(len(problem.got or "") <= _SENT_CHARS for problem in problems)
        shown = problems if is_short else tuple(self._redact_problem(problem) for problem in problems)
        hidden = {problem.pointer for problem in shown if not _is_safe_pointer(problem.pointer, tool)}
        if not hidden:
            return shown
        return tuple(problem._replace(pointer="") if problem.pointer in hidden else problem for problem in shown)

    def _apply_class_template(self, kind: str, error: ToolError, default: str, resource: str | None) -> str:
        """The catalogue's text for the class of the error; the default if the catalogue does not replace it."""
        key = f"{kind}:{type(error).__name__}"
        template = self._catalogue.get(key)
        if template is None or template == ENGLISH.get(key) or (kind == "user" and has_default_user_message(error)):
            return default  # the default already uses the built-in template, which must not replace the text of a rule
        tool, service = (self.sanitize_line(find(error, self._catalogue)) for find in (tool_name_of, service_name_of))
        return template.format(
            message=default, resource=resource or "", status=error.http_status or "", tool=tool, service=service
        )

    def _tool_name(self, call: ToolCall, tool: Tool | None) -> str:
        name = tool.shown if tool is not None and tool.name == call.name else self.display_name(call)
        return name if not name or _PLAIN_NAME(name) or REDACTED in name else f'"{name}"'

    def display_name(self, call: ToolCall) -> str:
        """The name that was called, redacted and safe to show."""
        name = self._redactor.redact_name(safe_str(call.name, _LINE_CHARS))
        return show_name(truncate(name, _SENT_CHARS) if REDACTED in name else name)

    def _redact_problem(self, problem: Problem) -> Problem:
        pointer, message, expected, got = problem
        sent = None if got is None else truncate(self.sanitize_line(got), _SENT_CHARS)
        where = show_name(redacted_pointer(pointer, self._redactor.redact), _LONGEST_POINTER)
        return Problem(where, self.sanitize_line(message), expected and self.sanitize_line(expected), sent)

    def _is_clean(self, foreign: list[str]) -> bool:
        """Whether none of these texts needs to be redacted, cleaned or cut. Checks them together, which is faster."""
        if not foreign:
            return True
        together = "  ".join(foreign)
        if len(together) > _LINE_CHARS or not together.isascii() or not together.isprintable():
            return False
        if max(map(len, foreign), default=0) < self._redactor.shortest and "=" not in together:
            return True
        return self._redactor.redact(together) == together

    def _add_names(
        self,
        feedback: Feedback,
        error: ToolError,
        tools: Mapping[str, Tool],
        tool_count: int,
        resources: Sequence[str],
    ) -> None:
        best = error.suggestions if isinstance(error, ToolNotFoundError) else tuple(resources)
        feedback.suggestions = tuple(show_name(name, 128) for name in best)
        feedback.suggestion = suggestion_sentence(error, best, self._catalogue)
        if tool_count:
            most = self._limits.listed_tools
            is_sample = tool_count > 10 * most  # a few unlikely names are enough
            characters = self._limits.feedback_chars // (10 if is_sample else 4)
            feedback.options = _list_names(tuple(islice(tools, most + len(best))), tuple(best), most, characters)
            feedback.options_total = tool_count

    def _add_report(
        self,
        feedback: Feedback,
        error: ToolError,
        call: ToolCall,
        failure: Failure,
        quoted: Sequence[str | None],
        lookups: Lookups | None,
    ) -> None:
        """Adds the author's message to the model, if there is one, otherwise the fenced text of the failure."""
        author_message = call_safely(lambda: self._author_message(failure)) or ""
        if author_message:
            feedback.author_message, feedback.effect_note = author_message, ""
            if not error.fatal:
                feedback.next_step = self._step_of_author(error, failure.author_message, feedback.tool_name, lookups)
            return
        if type(error) is ToolExecutionError and self._policy.detail != "none":
            feedback.exception = _exception_type(failure)
        feedback.detail = call_safely(partial(self._detail, error, call, failure, quoted)) or ""

    def _step_of_author(self, error: ToolError, message: str, name: str, lookups: Lookups | None) -> str:
        """The step after a message of the tool's author: to choose one of the names that it lists, or to follow it."""
        from mulligan.repair.reported_names import find_offered_names

        names_tool = lookups is None or call_safely(partial(lookups.is_named_in, message))
        lists = not names_tool and call_safely(partial(find_offered_names, message, error.resource))
        template = finer_template(self._catalogue, "as_author_says", "author_lists") if lists else "as_author_says"
        rest = self._catalogue["rest"] if len(error.arguments or {}) > 1 else ""
        return self._catalogue[template].format(tool=name or "the tool", rest=rest)

    def _add_offered_step(
        self,
        feedback: Feedback,
        error: ToolError,
        failure: Failure,
        tool: Tool | None,
        lookups: Lookups | None,
        note: str,
        look: Look | None,
    ) -> None:
        """Replaces the step where the text of the failure offers a better one."""
        name = feedback.tool_name or "the tool"
        said = failure.author_message or failure.detail
        is_told = not error.fatal and (feedback.detail or feedback.author_message)
        if lookups is not None and is_told and (step := self._other_change_step(error, feedback, lookups, said)):
            feedback.next_step = step
            return
        quotes = feedback.detail and not feedback.author_message
        offer = self._offer(feedback, error, failure, tool, lookups) if quotes else ""
        if offer:
            catalogue, clean_line = self._catalogue, self.sanitize_line
            feedback.next_step = next_step(
                error, name, tool, catalogue, clean_line, note=note, offer=offer, look=look, said=said
            )

    def _other_change_step(self, error: ToolError, feedback: Feedback, lookups: Lookups, said: str) -> str:
        """The step that names the tool which changes what the failed one could not create or write; empty without one."""
        name = feedback.tool_name or "the tool"
        if not isinstance(error, ResourceConflictError):
            writer = call_safely(partial(lookups.writer, said))
            is_named = writer is not None and is_plain_identifier(writer.name)
            return self._catalogue["writer"].format(tool=name, other=writer.shown) if writer and is_named else ""
        updater = call_safely(partial(lookups.updater, said))
        if updater is None or not is_plain_identifier(updater.tool.name):
            return ""
        other, identifier = updater.tool.shown, updater.identifier
        if not identifier:
            return self._catalogue["updater"].format(tool=name, other=other)
        if not (feedback.detail and is_plain_identifier(identifier)):
            return ""
        template = finer_template(self._catalogue, "updater", "updater_by_id")
        return self._catalogue[template].format(tool=name, other=other, names=f'"{identifier}"')

    def _offer(
        self, feedback: Feedback, error: ToolError, failure: Failure, tool: Tool | None, lookups: Lookups | None
    ) -> Offer:
        """What the quoted text offers: another tool, names to choose from, the form of one, or a reason to request less."""
        if lookups is not None and call_safely(partial(lookups.is_named_in, failure.detail)):
            return "tool"
        if isinstance(error, (ToolTimeoutError, ToolUnavailableError)):
            is_slow = isinstance(error, ToolTimeoutError) and takes_too_long(failure.detail)
            return "less" if is_slow or asks_for_less(failure.detail) else ""
        detail = failure.detail
        if type(error) in _MAY_BE_TOO_MUCH and asks_for_less(detail):
            return "less"
        offered = self._explained(error, feedback, failure) or self._rejected(error, failure, lookups)
        is_large = not offered and type(error) in _MAY_BE_LARGE and is_too_much(detail, tool, error.arguments or {})
        return "less" if is_large else offered

    def _rejected(self, error: ToolError, failure: Failure, lookups: Lookups | None) -> Offer:
        """Whether the quoted text says that a value does not exist, or what would be right."""
        if lookups is None or not isinstance(error, _MAY_NAME_NOTHING):
            return ""
        rejects = partial(lookups.is_rejected_in, failure.detail, failure.type_name)
        if call_safely(rejects) and call_safely(lookups.existing) is not None:
            return "rejected"
        is_argument = isinstance(error, ToolArgumentError)
        return "correction" if is_argument and _SAYS_WHAT_IS_ALLOWED.search(failure.detail) else ""

    def _explained(self, error: ToolError, feedback: Feedback, failure: Failure) -> Offer:
        """Whether the quoted text lists names or values, or says how one is written."""
        rejects = isinstance(error, ResourceConflictError) and _REJECTS.search(failure.detail) is not None
        if not (rejects or isinstance(error, (ResourceNotFoundError, ToolArgumentError))):
            return ""
        from mulligan.render.listed_names import lists_a_near_name
        from mulligan.repair.reported_names import find_offered_names, near_reported_names

        near = near_reported_names(error.resource, failure.detail) if error.resource else []
        shows_form = _SHOWS_FORM.search(failure.detail) is not None
        offered = near if near or shows_form else find_offered_names(failure.detail, error.resource)
        is_list = any(name != error.resource and name in feedback.detail for name in offered)
        if is_list or (not shows_form and lists_a_near_name(error, feedback.detail)):
            return "correction" if _blames_statement(error) else "names"
        explains = (
            isinstance(error, ResourceNotFoundError) and _EXPLAINS.search(_ADDRESS.sub("", failure.detail)) is not None
        )
        if rejects:
            return ""
        if shows_form or explains:
            return "form"
        suggests = isinstance(error, ToolArgumentError) and _SUGGESTS.search(failure.detail) is not None
        return "correction" if suggests else ""

    def sanitize_line(self, text: str) -> str:
        """A text as one clean, redacted, bounded line."""
        if len(text) <= _LINE_CHARS and text.isascii() and text.isprintable():
            return self._redactor.redact(text)
        return truncate(self._redact_and_clean(text[: 4 * _LINE_CHARS], newlines=False), _LINE_CHARS)

    def _redact_and_clean(self, text: str, *, newlines: bool) -> str:
        """A text without secrets and invisible characters, redacted again if invisible characters may have split a secret."""
        redacted = self._redactor.redact(text)
        shown = clean(redacted, newlines=newlines)
        return shown if shown == redacted else self._redactor.redact(shown)

    def _may_show(self, text: str) -> bool:
        fits = len(text) <= self._limits.feedback_chars // 2
        return fits and self._redactor.redact(text) == text and clean(text, newlines=False) == text

    def _notes(self, note: str, repairs: Sequence[Repair]) -> tuple[str, ...]:
        return (*filter(None, [self._catalogue.get(note, note)]), *self.repair_notes(repairs))

    def _reason(self, error: ToolError) -> tuple[str, ...]:
        """Why a call needs approval or was rejected, on one line; only a person's own reason may look like our text."""
        reason, limit = error.__dict__.get("_reason", ""), self._limits.detail_chars
        if error.rule != _REJECTED and _PROPOSAL.search(reason) is not None:
            return ()
        text = truncate(self._redact_and_clean(reason[: 4 * limit], newlines=False), limit).strip()
        return (self._catalogue["reason"].format(reason=text),) if text else ()

    def repair_notes(self, repairs: Sequence[Repair]) -> list[str]:
        """Notes on the repairs, one sentence each."""
        templates = (_READ_AS.get((repair.kind, repair.was_json), "read_as") for repair in repairs)
        return [
            self._catalogue[template].format(**attrs.asdict(repair))
            for template, repair in zip(templates, repairs, strict=True)
        ]

    def effect_to_check(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        """After a look-up: that a call is still open, and what to do if it took no effect.

        Args:
            tool: the tool of the call that may have taken effect.
            arguments: its arguments.
        """
        call = spaced_json({"name": tool.name, "arguments": arguments})
        template = "repeat_call" if is_plain_identifier(tool.name) and self._may_show(call) else "repeat"
        step = self._catalogue[template].format(tool=tool.shown, call=call)
        return f"{self._catalogue['open_effect'].format(tool=tool.shown)}\n{self._catalogue['next'].format(step=step)}"

    def _author_message(self, failure: Failure) -> str:
        """The author's message to the model, redacted, on one line of at most `Limits.detail_chars`."""
        text, limit = failure.author_message, self._limits.detail_chars
        if not text or self._policy.detail == "none":
            return ""
        return truncate(clean(self._redactor.redact(text[: 4 * limit]), newlines=False), limit).strip()

    def _detail(self, error: ToolError, call: ToolCall, failure: Failure, quoted: Sequence[str | None]) -> str:
        if self._policy.detail == "none":
            return ""
        if self._policy.detail == "type":
            return (
                self._catalogue["type"].format(type=show_name(name))
                if (name := show_type_name(failure.type_name))
                else ""
            )
        text = failure.detail
        is_repeated = not text or text in error.message or text == error.resource
        if is_repeated and not any(quoted):
            return ""
        text = "\n".join(dict.fromkeys(filter(None, [*(one for one in quoted if one and one not in text), text])))
        limit = self._limits.detail_chars
        shown = self._redact_and_clean(text[: 4 * limit], newlines=True)
        added = self._nearest_names(error, shown) if isinstance(error, _MAY_LIST_NAMES) else ""
        excerpt = truncate(shown, limit - len(added)).strip() + added
        key = f"{call.id}\0{call.name}\0{sent_text(call)}"
        return fence(excerpt, key=key, label=self._catalogue["reported"]) if excerpt else ""

    def _nearest_names(self, error: ToolError, shown: str) -> str:
        """The names that a report lists as a last line of its quotation, the nearest to what was sent first; or nothing."""
        from mulligan.render.listed_names import nearest_first

        limit = self._limits.detail_chars // 2
        names = nearest_first(error, shown, min(_NAMES_CHARS, limit))
        line = "\n" + self._catalogue["nearest_first"].format(names=names) if names else ""
        return line if len(line) <= limit else ""


def _blames_statement(error: ToolError) -> bool:
    """Whether the only rejected argument is a statement that selects rows: no quoted name is its value."""
    if not isinstance(error, ToolArgumentError) or len(error.problems) != 1:
        return False
    sent = (error.arguments or {}).get(argument_of(error.problems[0].pointer))
    return isinstance(sent, str) and reads_rows(sent)


def _required_arguments(tool: Tool) -> str:
    """The arguments without which a tool cannot be called, for a sentence: ` (with "state": "open" or "closed")`."""
    required, properties = tool.parameters.get("required"), tool.parameters.get("properties")
    names = [name for name in required or () if isinstance(name, str)]
    if not names or len(names) > _MOST_REQUIRED or not all(map(is_plain_identifier, names)):
        return ""
    shown = []
    for name in names:
        member = properties.get(name) if isinstance(properties, (dict, Mapping)) else None
        allowed = member.get("enum") if isinstance(member, (dict, Mapping)) else None
        values = list(islice(allowed, _MOST_VALUES + 1)) if isinstance(allowed, (list, tuple)) else []
        is_shown = len(values) <= _MOST_VALUES and all(
            isinstance(value, str) and is_plain_identifier(value) for value in values
        )
        text = " or ".join(f'"{value}"' for value in values) if is_shown else ""
        shown.append(f'"{name}": {text}' if text else f'"{name}"')
    return f" (with {', '.join(shown)})"


def _headline_template(error: ToolError, tool: Tool | None) -> str:
    if tool is None:
        return "headline_without_tool"
    return "headline_not_approved" if (error.rule or "").startswith(_APPROVAL_PREFIX) else "headline"


def _hide_resource(message: str, resource: str, error: ToolError) -> str:
    """A message without the name of its resource. If the name came from prose, `: name` at the end is removed."""
    before, colon, after = message.partition(f": {resource}")
    if error.__dict__.get("_from_prose") and colon and after in ("", "."):
        return f"{before}."
    if resource.isalnum():  # as a whole word only: `x` is not part of `exists`
        return re.sub(rf"(?<!\w){resource}(?!\w)", _ELLIPSIS, message)
    return message.replace(resource, _ELLIPSIS)


def _exception_type(failure: Failure) -> str:
    """The type of a tool's exception, safe to show; empty for our own errors."""
    is_ours = failure.exception is None or issubclass(type(failure.exception), ToolError)
    return "" if is_ours else show_type_name(failure.type_name)


def _is_imitation(error: ToolError) -> bool:
    """Whether the message of a tool or plugin looks like one of our own proposals, so that it belongs in the fence."""
    message, is_ours = error.message, error.rule is not None and error.rule.startswith("host:")
    if is_ours or (message.isascii() and not any(map(message.lower().__contains__, _PROPOSAL_PARTS))):
        return False
    return _PROPOSAL.search(message) is not None


def _default_message(error: ToolError) -> str:
    """The message for an error without one: "Resource not found", or the class's sentence for the user."""
    return "Resource not found" if isinstance(error, ResourceNotFoundError) else type(error).user_message


def _with_resource(message: str, error: ToolError, resource: str | None) -> str:
    """The message, with the resource appended if it is missing from a not-found message."""
    if not isinstance(error, ResourceNotFoundError) or not resource or resource in message:
        return message
    return f"{message.rstrip('.: ')}: {resource}"


def _foreign_texts(error: ToolError, hints: Sequence[str]) -> list[str]:
    """The texts of an error that are not our own."""
    is_ours = error.rule is not None and error.rule.startswith("host:")
    texts = [*hints] if is_ours else [error.message, *hints]
    if "user_message" in error.__dict__:
        texts.append(error.user_message)
    if error.resource is not None and (is_ours or error.resource not in error.message):
        texts.append(error.resource)
    for problem in error.problems[:_MAX_PROBLEMS]:
        texts.append(problem.pointer)
        if "~" in problem.pointer or "/" in problem.pointer[1:]:
            texts += pointer_spellings(problem.pointer)
        if problem.got is not None:
            texts.append(problem.got)
        if not is_ours:
            texts += (problem.message, problem.expected or "")
    return texts


@lru_cache(maxsize=64)
def _list_names(names: tuple[str, ...], best: tuple[str, ...], most: int, characters: int) -> tuple[str, ...]:
    """The names to list, the best ones first: at most `most`, within this many characters."""
    others = [name for name in names if name not in best]
    return _fit_names(tuple(map(quote_name, [*best, *others][:most])), characters)


def _fit_names(names: tuple[str, ...], characters: int) -> tuple[str, ...]:
    if sum(map(len, names)) + 2 * len(names) <= characters:
        return names
    used = 0
    for index, name in enumerate(names):
        used += len(name) + 2
        if used > characters:
            return names[:index]
    return names


def suggestion_sentence(error: ToolError, names: Sequence[str], catalogue: Catalogue) -> str:
    """A sentence with the single clear proposal, or with the closest names; empty if there are none.

    Args:
        error: the classified error.
        names: the names that may be meant, best first.
        catalogue: the templates.
    """
    if not names:
        return ""
    if isinstance(error, ToolNotFoundError):
        is_clear = error.proposal in ("clear", "asked")
    else:
        from mulligan.repair.reported_names import near_names

        is_clear = len(near_names(error.resource or "", names)) == 1 == len(names)
    shown = [f'"{show_name(name, 128)}"' for name in (names[:1] if is_clear else names)]
    return catalogue["meant" if is_clear else "closest"].format(names=", ".join(shown))


@lru_cache(maxsize=1_024)
def quote_name(name: str) -> str:
    """A tool's name for a list, in quotes unless it is a plain identifier: a bare sentence would look like our own text."""
    return show_name(name, 128) if _PLAIN_NAME(name) else f'"{show_name(name, 128)}"'


def _is_safe_pointer(pointer: str, tool: Tool | None) -> bool:
    """Whether a JSON Pointer may appear in our own text: its steps are plain, or names that the tool's author declared.

    Names that a remote server declares do not count, and a sentence is not a name.
    """
    if _PLAIN_POINTER(pointer):
        return True
    if tool is None or tool.tool_type == "extension":
        return False
    schema: Any = tool.parameters
    for name in steps_of(pointer):
        declared = schema if isinstance(schema, (dict, Mapping)) else {}
        properties: Any = declared.get("properties")
        is_declared = isinstance(properties, (dict, Mapping)) and name in properties
        if not (_PLAIN_POINTER(f"/{escape(name)}") or (is_declared and is_name(name, blanks=2))):
            return False
        schema = properties[name] if is_declared else declared.get("items")
    return True


def is_unchanged(feedback: Feedback, error: ToolError) -> bool:
    """Whether the feedback shows the error's texts unchanged.

    Args:
        feedback: the feedback of the error.
        error: the error.
    """
    shown = (feedback.message, feedback.user_message, feedback.resource)
    if shown != (error.message, error.user_message, error.resource):
        return False
    return tuple(feedback.problems) == tuple(error.problems[: len(feedback.problems)])


def standalone_feedback(error: ToolError, call: ToolCall, text: str | None) -> Feedback:
    """The feedback for an error outside a pipeline, with the default policy and limits.

    Args:
        error: the error.
        call: the call that failed.
        text: a text to quote, or None.
    """
    from mulligan.classify.failure import Failure

    failure = None if text is None else Failure(value=text, message=text, tool_name=error.tool_name)
    return FeedbackComposer(Policy(), Limits(), Redactor()).compose(error, call, None, failure=failure)
