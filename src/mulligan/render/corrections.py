"""Writes the call that was most likely meant into a feedback: as a call to make if it is certain, otherwise as a question."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mulligan.calls import ToolCall
from mulligan.catalogue import Catalogue, finer_template
from mulligan.feedback import Feedback
from mulligan.pointers import value_at
from mulligan.render.argument_steps import join_names
from mulligan.repair.correction import Correction
from mulligan.repair.provenance import is_plain_identifier
from mulligan.untrusted.serialize import spaced_json
from mulligan.untrusted.text import show_name

if TYPE_CHECKING:
    from mulligan.tools import Tool

_LONGEST_CHANGES = 300
_SCALARS = frozenset((str, int, float, bool, type(None)))


class CorrectionWriter:
    """Writes corrected calls.

    Args:
        catalogue: the templates.
        display_name: the name of a call, redacted and safe to show.
        may_show: whether a text that holds a call may be shown: it is short, and free of secrets and invisible characters.
    """

    def __init__(
        self, catalogue: Catalogue, display_name: Callable[[ToolCall], str], may_show: Callable[[str], bool]
    ) -> None:
        self._catalogue = catalogue
        self._display_name = display_name
        self._may_show = may_show

    def add(self, feedback: Feedback, correction: Correction, call: ToolCall, tool: Tool | None) -> None:
        """Adds a corrected call to a feedback, unless it is too long or contains text that must not be shown.

        Args:
            feedback: the parts; changed in place.
            correction: the call that the model most likely meant.
            call: the call that failed.
            tool: the tool that the correction names, or None.
        """
        if correction.is_ready:
            self._propose(feedback, correction)
            if feedback.corrected and correction.name != call.name:
                self._contrast_names(feedback, correction.name, self._display_name(call))
        elif correction.name == call.name and not correction.sent:
            self._ask_if_read(feedback, correction)
        elif correction.name == call.name:
            self._ask_if_meant(feedback, correction, tool)
        else:
            self._suggest_call(feedback, correction, tool)

    def _propose(self, feedback: Feedback, correction: Correction) -> None:
        """Adds the corrected call, unless it is too long or contains text that must not be shown."""
        import json

        text = spaced_json({"name": correction.name, "arguments": correction.arguments})
        if not self._may_show(text):
            return
        feedback.corrected = text
        chosen = [
            value_at(correction.arguments, pointer.removeprefix("/arguments"))
            for pointer, source in correction.sources.items()
            if source != "sent" and pointer != "/name"
        ]
        proposed = [value if isinstance(value, str) else json.dumps(value) for value in chosen]
        proposed += [name for name in correction.renamed.values() if name not in proposed]
        if proposed and not feedback.suggestion:
            names = join_names([f'"{show_name(name, 128)}"' for name in proposed], self._catalogue)
            feedback.suggestion = self._catalogue["meant"].format(names=names)

    def _contrast_names(self, feedback: Feedback, name: str, called: str) -> None:
        """Says which of two similar names to call: a small model repeats its own call although the right one follows."""
        is_ours = finer_template(self._catalogue, "meant", "not_that") == "not_that"
        if is_ours and is_plain_identifier(name) and is_plain_identifier(called):
            contrast = self._catalogue["not_that"].format(name=name, called=called)
            feedback.suggestion = f"{feedback.suggestion} {contrast}".lstrip()

    def _suggest_call(self, feedback: Feedback, correction: Correction, tool: Tool | None) -> None:
        """Says on which condition another tool is to be called with the same arguments: as a call if it only reads."""
        if tool is None or not is_plain_identifier(tool.name):
            return
        text = spaced_json({"name": tool.name, "arguments": correction.arguments}) if tool.read_only else ""
        finer = "likely_call" if text and self._may_show(text) else "likely_tool_same"
        template = finer_template(self._catalogue, "likely_tool", finer)
        feedback.next_step = self._catalogue[template].format(name=tool.shown, call=text)

    def _ask_if_meant(self, feedback: Feedback, correction: Correction, tool: Tool | None) -> None:
        """Asks whether the likely call was meant, by its differences. The existing step remains for the other case.

        The whole call is easier to copy, but is written out only for a tool that only reads.
        """
        sent = correction.sent
        old_names = {new: old for old, new in correction.renamed.items()}
        changes = []
        for name, value in correction.arguments.items():
            if name in sent and (value is sent[name] or _reads_alike(value, sent[name])):
                continue
            pair = f"{spaced_json(name)}: {spaced_json(value)}"
            if name in old_names:
                changes.append(self._catalogue["instead"].format(pair=pair, old=show_name(old_names[name])))
            else:
                changes.append(self._catalogue["pair"].format(pair=pair))
        text = join_names(changes, self._catalogue) if changes else ""
        if not text or len(text) > _LONGEST_CHANGES or not self._may_show(text):
            return
        if not feedback.suggestion:
            feedback.suggestion = self._catalogue["meant"].format(names=text)
        call = spaced_json({"name": correction.name, "arguments": correction.arguments})
        finer = finer_template(self._catalogue, "if_meant", "if_meant_call")
        if finer == "if_meant_call" and tool is not None and tool.read_only and self._may_show(call):
            feedback.next_step = self._catalogue[finer].format(otherwise=feedback.next_step, call=call)
            return
        is_whole = len(correction.arguments) == 1
        arguments = "" if is_whole else spaced_json(correction.arguments)
        if arguments and len(arguments) <= _LONGEST_CHANGES and self._may_show(arguments):
            text, is_whole = self._catalogue["all_of_them"].format(arguments=arguments), True  # easier to copy
        feedback.next_step = self._catalogue["if_meant"].format(
            tool=feedback.tool_name,
            names=text,
            rest="" if is_whole else self._catalogue["rest"],
            otherwise=feedback.next_step,
        )

    def _ask_if_read(self, feedback: Feedback, correction: Correction) -> None:
        """Asks whether text that is no JSON was meant as these arguments."""
        arguments = spaced_json(correction.arguments)
        if self._may_show(arguments):
            feedback.next_step = self._catalogue["if_read"].format(
                tool=feedback.tool_name, arguments=arguments, otherwise=feedback.next_step
            )


def _reads_alike(value: Any, sent: Any) -> bool:
    """Whether two JSON values have the same text."""
    if type(value) is not type(sent) and type(value) in _SCALARS and type(sent) in _SCALARS:
        return False
    return spaced_json(value) == spaced_json(sent)
