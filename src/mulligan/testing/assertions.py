"""Assertions for tests of plugins: what a failure means, what the model reads, and the faults of a plugin."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from mulligan.hooks.discovery import PluginFault
from mulligan.pipeline import Pipeline
from mulligan.plugin import ToolError, ToolResult, safe_str
from mulligan.testing.tools import failing_tool

E = TypeVar("E", bound=ToolError)
DEFAULT_TOOL = "the_tool"
UPDATE_VARIABLE = "MULLIGAN_UPDATE"
_UPDATE_HELP = f"Read it; if it is as it should be, run pytest --mulligan-update, or set {UPDATE_VARIABLE}=1."


def result_for(
    error_or_value: Any,
    *,
    plugins: Iterable[Any] = (),
    tool: str = DEFAULT_TOOL,
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
    failing = failing_tool(error_or_value, tool)
    with Pipeline([failing], plugins=plugins, **{"autoload": False, **options}) as pipeline:
        result = pipeline.call(tool, dict(arguments or {}))
        assert_no_faults(pipeline)
    return result


def feedback_for(
    error_or_value: Any,
    *,
    plugins: Iterable[Any] = (),
    tool: str = DEFAULT_TOOL,
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
    tool: str = DEFAULT_TOOL,
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
            f"expected {expected.__name__}, but no plugin detects a failure in this value: {_describe_failure(failure)}"
        )
    wrong = list(_differences(error, expected, rule, fields))
    if wrong:
        decided = f"Decided by {error.rule}: {type(error).__name__}: {error.message}"
        raise AssertionError("\n".join([f"{_describe_failure(failure)} is classified otherwise:", *wrong, decided]))
    return error  # type: ignore[return-value]  # its class was compared


def _describe_failure(failure: Any) -> str:
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
        lines = "\n".join(f"- {_describe_fault(fault)}" for fault in pipeline.faults)
        raise AssertionError(f"plugins have faults:\n{lines}") from pipeline.faults[0].exception


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
    lines = "\n".join(f"- {_describe_fault(fault)}" for fault in pipeline.faults) or "- there are no faults"
    raise AssertionError(f"no fault with {wanted or 'anything'}:\n{lines}")


def _describe_fault(fault: PluginFault) -> str:
    return f"plugin {fault.plugin!r}, {fault.hook}: {fault.error}"


def wants_update() -> bool:
    """Whether the environment requests an update of the snapshots (`MULLIGAN_UPDATE=1`)."""
    return os.environ.get(UPDATE_VARIABLE, "") not in ("", "0")


def assert_reads(
    given: ToolResult | str, path: str | Path, *, hide: Mapping[str, str] | None = None, update: bool | None = None
) -> None:
    """Asserts that a model reads the content of a file; or updates the file.

    Args:
        given: a result, or a text.
        path: the file.
        hide: texts that change from run to run, such as a folder's name, and their replacements.
        update: whether the file is written; by default if the environment requests it.

    Raises:
        AssertionError: the texts differ, or the file does not exist; shows the difference and the next step.
    """
    __tracebackhide__ = True
    text = given if isinstance(given, str) else given.content
    for changing, fixed in (hide or {}).items():
        text = text.replace(changing, fixed)
    file, text = Path(path), text.rstrip("\n") + "\n"
    display_path = file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file
    if wants_update() if update is None else update:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
        return
    if not file.exists():
        raise AssertionError(f"there is no snapshot {display_path} yet. The model reads:\n{text}{_UPDATE_HELP}")
    snapshot = file.read_text(encoding="utf-8")
    if snapshot != text:
        raise AssertionError(
            f"the model reads something else than {display_path} says:\n{_text_diff(snapshot, text)}\n{_UPDATE_HELP}"
        )


def _text_diff(kept: str, text: str) -> str:
    lines = (kept.splitlines(), text.splitlines())
    return "\n".join(difflib.unified_diff(*lines, "snapshot", "what the model reads", lineterm=""))
