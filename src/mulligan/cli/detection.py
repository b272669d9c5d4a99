"""What detection makes of a returned value: the rule that finds a failure in it, or what keeps it a result."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FrameType
from typing import Any

import attrs

from mulligan.classify import detect
from mulligan.classify.detect.subject import subject_of
from mulligan.classify.failure import Failure
from mulligan.hooks.discovery import Hookimpl, PluginInfo
from mulligan.pipeline import Pipeline
from mulligan.tools import Tool

_DETECTORS = detect.__name__
_LOOK_ALIKES: Mapping[str, tuple[bool, str]] = {  # the answer that keeps a value a result, and what it means
    "says_success": (True, "it says that it succeeded"),
    "has_findings": (True, "it lists the problems found in what the tool examined"),
    "is_declared_result": (True, "it has the fields that output_schema declares"),
    "has_result": (True, "it also holds a result"),
    "is_record": (True, "it is the record of something other than this call"),
    "is_envelope": (False, "it has fields that no report of a failed call has"),
    "is_read_record": (True, "it is a record with an id, which the tool was asked to get"),
    "is_definition": (True, "it says what a code or a term means, which was asked for"),
    "is_asked_for": (True, "it is the verdict or the record that the tool was asked for"),
}
_ASKED_FOR = "is_asked_for"  # what follows it only looks for a failure of the call itself
_ATTRIBUTE = re.compile(r"^ {4,8}(\w+): (.+(?:\n {12,}.+)*)\.$", re.MULTILINE)
UNKNOWN = "no rule of detection finds a failure in it"
_OWN_FUNCTION = "the tool's own detect function"
Impl = tuple[PluginInfo, Hookimpl]


@attrs.frozen
class Detection:
    """What detection makes of a value.

    Attributes:
        failure: the failure that it reports; None if it is a result.
        plugin: the plugin that found the failure; None if the tool's own function did, or for a result.
        rule: the function that found the failure, such as `apis.detect_flag`; None if that is not known.
        about: what found it, in one sentence; may be empty.
        reasons: why it is a result; empty for a failure.
    """

    failure: Failure | None
    plugin: str | None = None
    rule: str | None = None
    about: str = ""
    reasons: tuple[str, ...] = ()

    def describe(self) -> str:
        """What found the failure, in one line."""
        where = [f"plugin {self.plugin}"] if self.plugin else []
        where += [f"rule {self.rule}"] if self.rule else []
        return ": ".join(filter(None, (", ".join(where), self.about))) or "an unknown rule"

    def to_dict(self) -> dict[str, Any]:
        """The plugin, rule and description, or the reasons, as JSON values."""
        found = {"plugin": self.plugin, "rule": self.rule, "about": self.about}
        return {"detected_by": None if self.reasons else found, "reasons": list(self.reasons)}


def read_value(text: str) -> tuple[Any, str]:
    """Read a value as JSON; text that is not JSON is the value itself.

    Args:
        text: what the command line or stdin gives.

    Returns:
        The value, and why it is not JSON if it begins like JSON; else an empty text.
    """
    try:
        return json.loads(text), ""
    except json.JSONDecodeError as error:
        begins_like_json = text.lstrip()[:1] in ("{", "[", '"')
        return text, f"line {error.lineno}, column {error.colno}: {error.msg}" if begins_like_json else ""
    except RecursionError:
        return text, "it is nested too deeply"


def explain_detection(
    pipeline: Pipeline, tool: Tool, value: Any, impls: Iterable[Impl], *, is_failure: bool
) -> Detection:
    """Find the rule that decided about a value.

    Args:
        pipeline: the pipeline that decided.
        tool: the tool that returned the value.
        value: the value.
        impls: the hookimpls of `detect`, in the order in which they are called, each with its plugin.
        is_failure: whether the pipeline found a failure.
    """
    if tool.detect is not True:
        return _decided_by_tool(pipeline, tool, value, is_failure=is_failure)
    reasons: tuple[str, ...] = ()
    for info, hookimpl in impls:
        if "wrapper" in hookimpl.marks:
            continue
        trace = _Trace()
        failure = trace.run(hookimpl.ask, value, tool)
        if is_failure and isinstance(failure, Failure):
            return Detection(failure, info.name, *trace.rule_of(failure))
        if info.built_in and not is_failure:
            reasons = tuple(_reasons(hookimpl, trace, tool, value))
    return Detection(None, reasons=() if is_failure else reasons or (UNKNOWN,))


def _decided_by_tool(pipeline: Pipeline, tool: Tool, value: Any, *, is_failure: bool) -> Detection:
    if is_failure:
        return Detection(tool.detect(value) if callable(tool.detect) else None, about=_OWN_FUNCTION)
    problems = [
        fault.error for fault in pipeline.faults if (fault.plugin, fault.hook) == (f"tool {tool.name}", "detect")
    ]
    if problems:
        return Detection(None, reasons=(f"{_OWN_FUNCTION} is broken: {problems[-1]}",))
    reason = "the tool has detect=False" if tool.detect is False else f"{_OWN_FUNCTION} returns None for it"
    return Detection(None, reasons=(reason,))


def _reasons(hookimpl: Hookimpl, trace: _Trace, tool: Tool, value: Any) -> Iterator[str]:
    """Why the built-in rules leave a value a result: the tool's name, or what the value looks like."""
    if not detect.may_report(value):
        return
    nameless = Tool("tool", "", tool.handler, schema={"type": "object"}, output_schema=tool.output_schema)
    meaning = _meaning_of_name(tool)
    if meaning and isinstance(hookimpl.ask(value, nameless), Failure):
        yield f"the name {tool.shown} says: {meaning}"
        return
    for rule in trace.look_alikes:
        yield f"{_LOOK_ALIKES[rule.rpartition('.')[2]][1]} (rule {rule})"


def _meaning_of_name(tool: Tool) -> str:
    """What detection takes from the name of a tool, in the words of the docstring of `Subject`."""
    subject = subject_of(tool)
    words = {name: " ".join(about.split()) for name, about in _ATTRIBUTE.findall(type(subject).__doc__ or "")}
    return "; ".join(words.get(name, name) for name, applies in subject._asdict().items() if applies is True)


class _Trace:
    """The functions of detection that returned a failure, and the checks after which one gave up.

    Detectors return a failure or None, and say no more. So the interpreter reports their returns while one value is
    examined, which is slow, but only this command does it.
    """

    def __init__(self) -> None:
        self.found: list[tuple[object, str, str]] = []
        self.look_alikes: dict[str, None] = {}
        self._last_check: dict[FrameType, str] = {}

    def run(self, examine: Callable[..., Any], *args: Any) -> Any:
        """Call a function and record the returns of detectors.

        Args:
            examine: the function.
            args: its arguments.
        """
        before = sys.getprofile()
        sys.setprofile(self._record)
        try:
            return examine(*args)
        finally:
            sys.setprofile(before)
            self._last_check.clear()

    def rule_of(self, failure: Failure) -> tuple[str | None, str]:
        """The name of the innermost function that returned a failure, and the first line of its docstring.

        Args:
            failure: the failure.
        """
        for found, name, about in self.found:
            if found is failure:
                return name, about
        return None, ""

    def _record(self, frame: FrameType, event: str, returned: Any) -> None:
        if event not in ("call", "return"):
            return
        caller, name = frame.f_back, self._name(frame)
        if event == "call" or name is None:
            if caller is not None:
                self._last_check.pop(caller, None)
            return
        if isinstance(returned, Failure):
            self.found.append((returned, name, _first_line(frame)))
        elif returned is None and (check := self._last_check.pop(frame, None)) is not None:
            self.look_alikes[check] = None
        function = frame.f_code.co_name
        if caller is None or function not in _LOOK_ALIKES or _LOOK_ALIKES[function][0] is not returned:
            return
        if function == _ASKED_FOR:
            self.look_alikes[name] = None
        else:
            self._last_check[caller] = name

    @staticmethod
    def _name(frame: FrameType) -> str | None:
        """The name of a function of detection, such as `apis.detect_flag`; None for any other."""
        module = frame.f_globals.get("__name__", "")
        if module != _DETECTORS and not module.startswith(f"{_DETECTORS}."):
            return None
        return f"{module.rpartition('.')[2]}.{frame.f_code.co_name}"


def _first_line(frame: FrameType) -> str:
    function = frame.f_globals.get(frame.f_code.co_name)
    return (getattr(function, "__doc__", None) or "").strip().partition("\n")[0]
