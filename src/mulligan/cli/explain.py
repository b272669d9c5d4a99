"""`mulligan explain`: which plugin and rule classify a failure, and what the model would read."""

from __future__ import annotations

import ast
import builtins
import re
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Any, NoReturn

import attrs
from cyclopts import Parameter

from mulligan.cli.asked import Answered, answers, order
from mulligan.cli.given_tools import find_tools
from mulligan.cli.loading import find
from mulligan.cli.output import OK, console, is_styled, print_table, write, write_json
from mulligan.cli.settings import Settings
from mulligan.cli.streams import stdout, typed
from mulligan.cli.verdicts import Verdict, summary, verdicts
from mulligan.errors import ToolError, UsageError
from mulligan.failures.failure import Failure
from mulligan.foreign.containment import safe_str
from mulligan.foreign.facts import type_name
from mulligan.pipeline import Pipeline
from mulligan.plugging.plugins import Hookimpl, PluginInfo
from mulligan.results import ToolResult
from mulligan.suggesting.nearby import near_names
from mulligan.tools import Tool
from mulligan.toolset import Toolset

_REFERENCE = re.compile(r"(?:([A-Za-z_][\w.]*):)?([A-Za-z_][\w.]*)(\(.*\))?", re.DOTALL)
_CALL = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*\((?:[\"'\d].*)?\)", re.DOTALL)
_EFFECTS = {"none": "surely not applied", "possible": "may have been applied", "done": "was applied"}


def explain(
    failure: str | None = None,
    /,
    *,
    tools: str | None = None,
    tool: str | None = None,
    format: str | None = None,
    text: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    json: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    settings: Annotated[Settings, Parameter(parse=False)],
) -> int:
    """Tell which plugin and rule classify a failure, why others did not, and what the model would read.

    Without a failure, it tells in which order the plugins are asked. The failure is an exception, MODULE:EXCEPTION or
    MODULE:EXCEPTION("text", name=1), whose arguments are Python literals; for a builtin one MODULE: may be left out.
    Anything else is taken as the text of a failure that another runtime reported.

    Args:
        failure: an exception, or a text; without it, the order of all hookimpls.
        tools: MODULE[:NAME] or FILE.py[:NAME] that holds the tools, for suggestions.
        tool: the tool that fails so: one of --tools, or any name.
        format: the feedback format: text, json, block, or one of a plugin; else what the settings say.
        text: take it as a text, even if it looks like an exception.
        json: print everything as JSON.
        settings: the common options.

    Returns:
        The exit code.
    """
    if failure is None:
        return _order(settings, json=json)
    failure = typed(failure, "FAILURE")
    toolset = find_tools(tools) if tools else Toolset()
    exception = None if text else _exception(failure)
    with settings.pipeline(toolset, format=format, log="OFF") as pipeline:
        if exception is None:
            read_as = "a failure that another runtime reported as text (Pipeline.recover)"
            result = pipeline.recover(failure)
        else:
            read_as = f"{type_name(exception)}, raised by a tool"
            result = _raised(pipeline, exception, tool)
        happened = _happened(exception, failure, result)
        asked = list(answers(pipeline, happened, result))
        rules = list(verdicts(pipeline.plugins, happened, result.error)) if happened and result.error else []
        outside = any(not info.built_in for info in pipeline.plugins)
    if json:
        told = {"asked": [attrs.asdict(one) for one in asked], "rules": [attrs.asdict(verdict) for verdict in rules]}
        write_json({"failure": failure, "read_as": read_as, **result.to_dict(), **told})
    else:
        _print(read_as, result, asked if outside else [], rules)
    return OK


def _order(settings: Settings, *, json: bool) -> int:
    """Who is asked when, hook by hook."""
    with settings.pipeline(log="OFF") as pipeline:
        impls = order(pipeline.plugins)
    if json:
        told = {
            hook: [{"plugin": info.name, "marks": list(impl.marks)} for info, impl in of] for hook, of in impls.items()
        }
        write_json({"order": told})
    else:
        rows = [(hook, ", ".join(_marked(*impl) for impl in of) or "-") for hook, of in impls.items()]
        print_table(console(stdout(), styled=is_styled(stdout())), ("hook", "asked, in this order"), rows)
    return OK


def _marked(info: PluginInfo, impl: Hookimpl) -> str:
    marks = [*impl.marks, *(["set aside"] if info.state != "active" else [])]
    return f"{info.name} ({', '.join(marks)})" if marks else info.name


def _happened(exception: BaseException | None, text: str, result: ToolResult) -> Failure | None:
    """What plugins are asked about; None where mulligan itself decided, as about a tool that does not exist."""
    error = result.error
    assert error is not None
    if error.rule is not None and error.rule != "host:unclassified" and error.rule.startswith("host:"):
        return None
    if exception is None:
        return Failure(value=text, message=text)
    return Failure(exception, tool_name=error.tool_name)


def _exception(spec: str) -> BaseException | None:
    """The exception that a text names, made with the arguments it gives; None where it names none."""
    found = _REFERENCE.fullmatch(spec.strip())
    if found is None:
        return None
    module, name, arguments = found.groups()
    if module is None and not _is_exception(getattr(builtins, name, None)):
        if _CALL.fullmatch(spec.strip()):
            _refuse_unknown(spec, name)
        return None
    try:
        cls = find(f"{module or 'builtins'}:{name}", "explain", offers=_offers)
    except UsageError as error:
        raise UsageError(f"{error}; or add --text to explain it as a text") from None
    if not _is_exception(cls):
        _refuse(spec, f"{name} is no exception class; add --text to explain it as a text")
    if issubclass(cls, (KeyboardInterrupt, GeneratorExit)):
        _refuse(spec, "it is never classified: it passes through to the host")
    return _made(cls, spec, arguments or "()")


def _refuse_unknown(spec: str, name: str) -> NoReturn:
    """What is written like an exception and is none is a slip, and no text of a failure."""
    module, _, cls = name.rpartition(".")
    if module:
        why = f"write {module}:{cls}(...) for a class of a module"
    else:
        known = [one for one, value in vars(builtins).items() if _is_exception(value)]
        near = near_names(name, known)
        why = f"there is no built-in exception {name!r}"
        why += f"; did you mean {near[0]}?" if near else "; write MODULE:NAME for a class of a module"
    _refuse(
        spec,
        f"{why} Add --text to explain it as a text"
        if why.endswith("?")
        else f"{why}; add --text to explain it as a text",
    )


def _offers(value: Any, _: str) -> bool:
    return _is_exception(value)


def _is_exception(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def _made(cls: Any, spec: str, arguments: str) -> BaseException:
    try:
        call = ast.parse(f"f{arguments}", mode="eval").body
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Name)
        given = [ast.literal_eval(argument) for argument in call.args]
        named = {keyword.arg or "**": ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (SyntaxError, ValueError, AssertionError, MemoryError, RecursionError):
        _refuse(spec, "the arguments must be Python literals, as in ValueError('text', 1)")
    try:
        made = cls(*given, **named)
    except Exception as error:
        _refuse(spec, f"it cannot be made with these arguments: {type(error).__name__}: {safe_str(error, 300)}")
    return made  # type: ignore[no-any-return]


def _refuse(spec: str, why: str) -> NoReturn:
    raise UsageError(f"explain {spec}: {why}")


def _raised(pipeline: Pipeline, exception: BaseException, name: str | None) -> ToolResult:
    """The result of a call of a tool that raises the exception: what the model would read is told by a real call."""

    def fail() -> NoReturn:
        raise exception

    known: Tool | None = None if name is None else pipeline.tools.get(name)
    options = {} if known is None else {"read_only": known.read_only, "idempotent": known.idempotent}
    stand_in = Tool.from_schema(name or "the_tool", "", {"type": "object"}, fail, **options)
    pipeline.tools.add(stand_in, replace=True)
    return pipeline.call(stand_in.name)


def _print(read_as: str, result: ToolResult, asked: list[Answered], rules: list[Verdict]) -> None:
    error = result.error
    assert error is not None
    write(f"read as      {read_as}")
    write(f"error        {type(error).__name__} ({error.code})")
    write(f"decided by   {_decided_by(error)}")
    write(f"fatal        {'yes: the run must stop' if error.fatal else 'no: the model may go on'}")
    write(f"effect       {error.effect}: {_EFFECTS[error.effect]}")
    if result.feedback is not None:
        write(f"next step    {result.feedback.next_step}")
    write(f"user reads   {error.user_message}")
    screen = console(stdout(), styled=is_styled(stdout()))
    if asked:
        write("\nWho was asked, in this order:\n")
        shown = [
            (one.hook or "-", one.plugin, f"{one.answer}: {one.says}" if one.says else one.answer) for one in asked
        ]
        print_table(screen, ("hook", "plugin", "answer"), shown)
    if rules:
        write("\nWhat the rules say:\n")
        rows = [(plugin, summary(told)) for plugin, told in groupby(rules, key=attrgetter("plugin"))]
        print_table(screen, ("plugin", "rules"), rows)
    write("\nThe model reads:\n")
    write(result.content)


def _decided_by(error: ToolError) -> str:
    plugin, _, rule = (error.rule or "host").partition(":")
    where = "mulligan itself" if plugin == "host" else f"plugin {plugin}"
    return f"{where}, rule {rule}" if rule else where
