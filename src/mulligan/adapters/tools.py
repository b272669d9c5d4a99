"""An adapter's pipeline, and mulligan's tools made of a framework's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from mulligan.adapters.attempts import ControlFlow, FrameworkTool, decide
from mulligan.deadline import is_seconds
from mulligan.errors import UsageError
from mulligan.pipeline import Pipeline
from mulligan.policy import Policy
from mulligan.spelling import did_you_mean
from mulligan.tools import Tool
from mulligan.validate.tool_checks import refuse_to_run

OPEN: Mapping[str, Any] = {"type": "object"}
_MOST_TOOLS, _MOST_VIEWS = 1_000, 256


class Adapter:
    """The pipeline of an adapter, and the tools and views that are made for it.

    Args:
        owner: what the user calls, for errors.
        pipeline: plugins, policy, limits and format; its own tools are not used.
        timeout: seconds that a tool may take, for all or by name.
        tool_options: as in `Pipeline`.
        fatal: as in `Policy`, without a `pipeline`.
        repair: as in `Policy`, without a `pipeline`.
        control_flow: exceptions with which the framework steers, as classes or qualified names.

    Attributes:
        owner: what the user calls.
        pipeline: plugins, policy, limits and format.
        has_approver: whether the given pipeline has an approver, which is asked instead of `Attempt.decide`.

    Raises:
        UsageError: an argument is wrong; names it and the next step.
    """

    def __init__(
        self,
        owner: str,
        pipeline: Pipeline | None = None,
        *,
        timeout: float | Mapping[str, float] | None = None,
        tool_options: Mapping[str, Mapping[str, Any]] | None = None,
        fatal: Any = None,
        repair: Any = None,
        control_flow: Iterable[Any] = (),
    ) -> None:
        if not isinstance(pipeline, (Pipeline, type(None))):
            raise UsageError(f"{owner}(pipeline={pipeline!r:.80}): use a mulligan.Pipeline; the tools are the agent's")
        for name, value in {"fatal": fatal, "repair": repair}.items():
            if pipeline is not None and value is not None:
                raise UsageError(f"{owner}({name}=...): the pipeline decides it; use Policy({name}=...) there")
        self._timeouts = timeout if isinstance(timeout, Mapping) else {"*": timeout}
        for name, seconds in self._timeouts.items():
            if seconds is not None and not (is_seconds(seconds) and seconds > 0):
                raise UsageError(f"{owner}(timeout=...): {seconds!r:.40} for {name!r} is not a number of seconds")
        base = pipeline or Pipeline(policy=Policy(fatal=fatal or {}, repair=repair or ()))
        self.owner, self.has_approver = owner, base.approver is not None
        approver, control_flow = base.approver or decide, (*control_flow, ControlFlow)
        self.pipeline = base.with_tools((), control_flow=control_flow, approver=approver, tool_options=tool_options)
        self._tools: dict[tuple[str, Any], tuple[Any, Tool]] = {}
        self._view = lru_cache(maxsize=_MOST_VIEWS)(self.pipeline.with_tools)

    @property
    def authorizes(self) -> bool:
        """Whether a plugin judges calls by their arguments, which must have been validated before that."""
        return self.pipeline._runtime.hooks.has_authorize  # noqa: SLF001 - the kit is a part of mulligan

    def check_names(self, tools: Iterable[Tool], *, others: Iterable[str] = (), are_all: bool) -> None:
        """Refuses a timeout or options for a tool that does not exist, by a `UsageError` that names the closest one.

        A tool that was made before exists too, such as one of another agent, but is not the closest one.

        Args:
            tools: those that exist.
            others: the names of more that exist, of which only that is known.
            are_all: whether no other can come later; otherwise only a misspelt name is refused.
        """
        by_name = {tool.name: tool for tool in (*tools, *(self.tool(name, "", OPEN, None) for name in others))}
        existing = {"*", *by_name, *(name for name, _ in self._tools)}
        wrong = [
            f"{self.owner}(timeout={{{name!r}: ...}}): no such tool. {did_you_mean(name, by_name)}"
            for name in sorted(self._timeouts.keys() - existing)
        ]
        wrong += self.pipeline.tools.tool_options.unmatched(by_name.values())
        for sentence in wrong:
            if are_all or "Did you mean" in sentence:
                raise UsageError(sentence)

    def tool(
        self, name: str, description: str | None, schema: Any, handler: Callable[..., Any] | None, /, **options: Any
    ) -> Tool:
        """A tool of the framework as mulligan sees it: the same one until something of it changes.

        Args:
            name: the name that the model calls.
            description: what the model reads about it.
            schema: the JSON Schema of its arguments. If it cannot be used, any are taken, as the framework does.
            handler: such as `handler_for(name)`; None if the tool runs elsewhere. Such a tool is only suggested: it never
                runs, not even under a repaired name.
            options: what the framework says of it, as options of `Tool`; those of the host go before.

        Raises:
            UsageError: the host's options give it an executor, or make it killable. Both run a function with arguments that can
                be sent elsewhere; what a framework runs takes its own objects (contexts, models, ids) beside them, and its
                hooks, callbacks and traces would not see the run. So the tool's function calls a pipeline instead.
        """
        content = (description, schema, options)
        known = self._tools.get((name, handler))
        if known is None or known[0] != content:
            if len(self._tools) >= _MOST_TOOLS:
                self._tools.clear()
            options = {"timeout": self._timeouts.get(name, self._timeouts.get("*")), **options}
            made = self.pipeline.tools.tool_options.apply(_make(name, description, schema, handler, options))
            if made.executor is not None or made.killable:
                raise UsageError(
                    f"{self.owner}: tool {name!r} has an executor or is killable, but the framework runs it, with hooks and "
                    "arguments of its own; remove the option, and let the tool call a Pipeline(strict=True) whose tool has it"
                )
            known = self._tools[name, handler] = content, made
        return known[1]

    def view(self, tools: Iterable[Tool]) -> Pipeline:
        """The pipeline with these tools; of two with the same name the later one counts."""
        return self._view(tuple({tool.name: tool for tool in tools}.values()))


class NamedTool(Tool):
    """A tool that is only named, and runs elsewhere: no option of the host makes it run by a repaired name."""

    def with_options(self, **_: Any) -> NamedTool:
        """As it is."""
        return self


def _make(name: str, description: str | None, schema: Any, handler: Any, options: Any) -> Tool:
    cls, handler = (NamedTool, refuse_to_run) if handler is None else (FrameworkTool, handler)
    if isinstance(schema, Mapping) and schema.get("type", "object") == "object":
        tool = cls.from_schema(name, description or "", schema, handler, **options)
        with suppress(Exception):  # a schema that the framework can send, but that cannot be checked
            tool.validator.is_valid({})
            return tool
    return cls.from_schema(name, description or "", OPEN, handler, **options)
