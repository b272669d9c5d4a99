"""Assertions for tests of plugins: what a failure means, what the model reads, and the faults of a plugin."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from mulligan.hooks.discovery import PluginFault
from mulligan.pipeline import Pipeline
from mulligan.plugin import ToolError, ToolResult, safe_str
from mulligan.testing.tools import failing_tool

E = TypeVar("E", bound=ToolError)
TOOL = "the_tool"


def result_for(
    error_or_value: Any,
    *,
    plugins: Iterable[Any] = (),
    tool: str = TOOL,
    arguments: Mapping[str, Any] | None = None,
    **options: Any,
) -> ToolResult:
    """The result of a call of a tool that raises or returns something, in a pipeline with some plugins and no installed ones.

    Args:
        error_or_value: what the tool raises or returns.
        plugins: modules and instances with hookimpls.
        tool: the tool's name.
        arguments: what it is called with.
        options: as for `Pipeline`, such as `format="json"` or `policy=...`.

    Raises:
        AssertionError: a plugin had a fault; names it.
    """
    held = failing_tool(error_or_value, tool)
    with Pipeline([held], plugins=plugins, **{"autoload": False, **options}) as pipeline:
        result = pipeline.call(tool, dict(arguments or {}))
        assert_no_faults(pipeline)
    return result


def feedback_for(
    error_or_value: Any,
    *,
    plugins: Iterable[Any] = (),
    tool: str = TOOL,
    arguments: Mapping[str, Any] | None = None,
    **options: Any,
) -> str:
    """What the model reads after a tool has raised something, or returned a value that reports a failure.

    Args:
        error_or_value: what the tool raises or returns.
        plugins: modules and instances with hookimpls.
        tool: the tool's name.
        arguments: what it is called with.
        options: as for `Pipeline`, such as `format="json"` or `policy=...`.

    Raises:
        AssertionError: the value is a result, not a failure, or a plugin had a fault.
    """
    __tracebackhide__ = True
    result = result_for(error_or_value, plugins=plugins, tool=tool, arguments=arguments, **options)
    if not result.is_error:
        raise AssertionError(
            f"no plugin detects a failure in this value, so the model reads it as a result: {result.content:.200}\n"
            "Give the plugin that detects it in `plugins`, or raise an exception."
        )
    return result.content


def assert_classified(
    failure: Any,
    expected: type[E],
    *,
    plugins: Iterable[Any] = (),
    tool: str = TOOL,
    arguments: Mapping[str, Any] | None = None,
    rule: str | None = None,
    **fields: Any,
) -> E:
    """Asserts what a failure means.

    Args:
        failure: an exception, or a value that a tool returned.
        expected: the class of the error, exactly.
        plugins: modules and instances with hookimpls.
        tool: the tool's name.
        arguments: what it was called with.
        rule: the rule that decides, as `plugin:rule` or `rule` alone; None if it does not matter.
        fields: expected attributes of the error, such as `retry_after=7`.

    Returns:
        The error, for further assertions.

    Raises:
        AssertionError: it means something else; names the error, the rule that decided, and each field that differs.
    """
    __tracebackhide__ = True
    with Pipeline(plugins=plugins, autoload=False) as pipeline:
        error = pipeline.classify(failure, tool=tool, arguments=arguments)
        assert_no_faults(pipeline)
    if error is None:
        raise AssertionError(
            f"expected {expected.__name__}, but no plugin detects a failure in this value: {_short(failure)}"
        )
    wrong = list(_differences(error, expected, rule, fields))
    if wrong:
        decided = f"Decided by {error.rule}: {type(error).__name__}: {error.message}"
        raise AssertionError("\n".join([f"{_short(failure)} is classified otherwise:", *wrong, decided]))
    return error  # type: ignore[return-value]  # its class was compared


def _short(failure: Any) -> str:
    return f"{type(failure).__name__}({safe_str(failure, 120)})"


def _differences(
    error: ToolError, expected: type[ToolError], rule: str | None, fields: Mapping[str, Any]
) -> Iterable[str]:
    if type(error) is not expected:
        yield f"- class: {type(error).__name__}, expected {expected.__name__}"
    if rule is not None and rule not in (error.rule, (error.rule or "").partition(":")[2]):
        yield f"- rule: {error.rule!r}, expected {rule!r}"
    for name, value in fields.items():
        if not hasattr(error, name):
            raise TypeError(f"a {type(error).__name__} has no attribute {name!r}")
        if getattr(error, name) != value:
            yield f"- {name}: {getattr(error, name)!r}, expected {value!r}"


def assert_no_faults(pipeline: Pipeline) -> None:
    """Asserts that no plugin of a pipeline had a fault.

    Args:
        pipeline: the pipeline.

    Raises:
        AssertionError: names each plugin, its hook and its fault.
    """
    __tracebackhide__ = True
    if pipeline.faults:
        told = "\n".join(f"- {_told(fault)}" for fault in pipeline.faults)
        raise AssertionError(f"plugins have faults:\n{told}") from pipeline.faults[0].exception


def assert_fault(
    pipeline: Pipeline, plugin: str | None = None, *, hook: str | None = None, match: str = ""
) -> PluginFault:
    """Asserts that a plugin had a fault, and that the pipeline recorded it.

    Args:
        pipeline: the pipeline.
        plugin: the plugin's name; None for any.
        hook: the hook it was called for; None for any.
        match: a regular expression that is found in the fault's error.

    Returns:
        The first such fault.

    Raises:
        AssertionError: there is none; lists the recorded faults.
    """
    __tracebackhide__ = True
    for fault in pipeline.faults:
        if plugin in (None, fault.plugin) and hook in (None, fault.hook) and re.search(match, fault.error):
            return fault
    wanted = ", ".join(
        f"{name}={value!r}" for name, value in (("plugin", plugin), ("hook", hook), ("match", match)) if value
    )
    told = "\n".join(f"- {_told(fault)}" for fault in pipeline.faults) or "- there are no faults"
    raise AssertionError(f"no fault with {wanted or 'anything'}:\n{told}")


def _told(fault: PluginFault) -> str:
    return f"plugin {fault.plugin!r}, {fault.hook}: {fault.error}"
