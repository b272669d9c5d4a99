"""`mulligan explain`: which plugin and rule classify a failure, and what the model reads."""

from __future__ import annotations

import ast
import builtins
import difflib
import re
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Any, NoReturn

import attrs
from cyclopts import Parameter

from mulligan.classify.failure import Failure
from mulligan.cli.asked import Answered, answers, order
from mulligan.cli.given_tools import find_tools
from mulligan.cli.loading import find
from mulligan.cli.output import OK, console, is_styled, print_table, write, write_json
from mulligan.cli.settings import Settings
from mulligan.cli.streams import stdout, typed
from mulligan.cli.verdicts import Verdict, summary, verdicts
from mulligan.errors import ToolError, UsageError
from mulligan.hooks.discovery import Hookimpl, PluginInfo
from mulligan.pipeline import Pipeline
from mulligan.resolve.toolset import Toolset
from mulligan.results import ToolResult
from mulligan.tools import Tool
from mulligan.untrusted.objects import type_name
from mulligan.untrusted.text import safe_str

_REFERENCE = re.compile(r"(?:([A-Za-z_][\w.]*):)?([A-Za-z_][\w.]*)(\(.*\))?", re.DOTALL)
_SURELY, _PROBABLY = 0.85, 0.75
_EFFECTS = {"none": "definitely not applied", "possible": "may have been applied", "done": "was applied"}


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
    """Show which plugin and rule classify a failure, why others did not, and what the model reads.

    Without a failure, it shows the order in which plugins are called. A failure is an exception, MODULE:EXCEPTION or
    MODULE:EXCEPTION("text", name=1), whose arguments are Python literals; omit MODULE: for a built-in exception.
    Anything else is explained as the text of a failure that another runtime reported.

    Args:
        failure: an exception, or a text; without it, the order of all hookimpls.
        tools: MODULE[:NAME] or FILE.py[:NAME] with the tools, for suggestions.
        tool: the tool that fails: one of --tools, or any name.
        format: the feedback format: text, json, block, or one of a plugin. Default: the configured format.
        text: explain FAILURE as text, even if it looks like an exception.
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
        redact = pipeline.redactor.redact
        happened = _happened(exception, failure, result)
        asked = list(answers(pipeline, happened, result))
        rules = list(verdicts(pipeline.plugins, happened, result.error)) if happened and result.error else []
        outside = any(not info.built_in for info in pipeline.plugins)
    if json:
        record = {"asked": [attrs.asdict(one) for one in asked], "rules": [attrs.asdict(verdict) for verdict in rules]}
        write_json({"failure": redact(failure), "read_as": read_as, **result.to_dict(), **record})
    else:
        _print(read_as, result, asked if outside else [], rules)
    return OK


def _order(settings: Settings, *, json: bool) -> int:
    """The order of the hookimpls, hook by hook."""
    with settings.pipeline(log="OFF") as pipeline:
        impls = order(pipeline.plugins)
    if json:
        record = {
            hook: [{"plugin": info.name, "marks": list(impl.marks)} for info, impl in of] for hook, of in impls.items()
        }
        write_json({"order": record})
    else:
        rows = [(hook, ", ".join(_marked(*impl) for impl in of) or "-") for hook, of in impls.items()]
        print_table(console(stdout(), styled=is_styled(stdout())), ("hook", "called, in this order"), rows)
    return OK


def _marked(info: PluginInfo, impl: Hookimpl) -> str:
    marks = [*impl.marks, *(["disabled"] if info.state != "active" else [])]
    return f"{info.name} ({', '.join(marks)})" if marks else info.name


def _happened(exception: BaseException | None, text: str, result: ToolResult) -> Failure | None:
    """The failure that plugins see; None if mulligan itself decided, as for a tool that does not exist."""
    error = result.error
    assert error is not None
    if error.rule is not None and error.rule != "host:unclassified" and error.rule.startswith("host:"):
        return None
    if exception is None:
        return Failure(value=text, message=text)
    return Failure(exception, tool_name=error.tool_name)


def _exception(spec: str) -> BaseException | None:
    """The exception that a text names, created with the arguments in the text; None if it names no exception."""
    found = _REFERENCE.fullmatch(spec.strip())
    if found is None:
        return None
    module, name, arguments = found.groups()
    if module is None and not _is_exception(getattr(builtins, name, None)):
        _check_name(spec, name, arguments)
        return None
    try:
        cls = find(f"{module or 'builtins'}:{name}", "explain", offers=_offers)
    except UsageError as error:
        raise UsageError(f"{error}; to explain it as text, add --text") from None
    if not _is_exception(cls):
        _refuse(spec, f"{name} is not an exception class; to explain it as text, add --text")
    if issubclass(cls, (KeyboardInterrupt, GeneratorExit)):
        _refuse(spec, "this exception is never classified: the host receives it")
    return _made(cls, spec, arguments or "()")


def _check_name(spec: str, name: str, arguments: str | None) -> None:
    """Rejects a spec that looks like an exception although no built-in exception has that name."""
    known = {key.lower(): key for key, value in vars(builtins).items() if _is_exception(value)}
    near = difflib.get_close_matches(name.lower(), known, 1, _SURELY if arguments is None else _PROBABLY)
    module, _, class_name = name.rpartition(".")
    is_made = arguments is not None and class_name[:1].isupper() and _literals(arguments) is not None
    if not near and not is_made:
        return
    step = f"Did you mean {known[near[0]]!r}?" if near and not module else ""
    step = step or f"For the class of a library, write {module or 'MODULE'}:{class_name}."
    _refuse(spec, f"no built-in exception is named {name!r}. {step} To explain it as text, add --text")


def _offers(value: Any, _: str) -> bool:
    return _is_exception(value)


def _is_exception(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def _literals(arguments: str) -> tuple[list[Any], dict[str, Any]] | None:
    """The arguments of a call as values; None if they are not Python literals."""
    try:
        call = ast.parse(f"f{arguments}", mode="eval").body
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Name)
        values = [ast.literal_eval(argument) for argument in call.args]
        return values, {keyword.arg or "**": ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (SyntaxError, ValueError, AssertionError, MemoryError, RecursionError):
        return None


def _made(cls: Any, spec: str, arguments: str) -> BaseException:
    literals = _literals(arguments)
    if literals is None:
        _refuse(spec, "the arguments must be Python literals, as in ValueError('text', 1)")
    try:
        made = cls(*literals[0], **literals[1])
    except Exception as error:
        _refuse(
            spec, f"cannot create the exception with these arguments: {type(error).__name__}: {safe_str(error, 300)}"
        )
    return made  # type: ignore[no-any-return]


def _refuse(spec: str, why: str) -> NoReturn:
    raise UsageError(f"explain {spec}: {why}")


def _raised(pipeline: Pipeline, exception: BaseException, name: str | None) -> ToolResult:
    """The result of a real call of a tool that raises the exception."""

    def fail() -> NoReturn:
        raise exception

    known: Tool | None = None if name is None else pipeline.tools.get(name)
    options = (
        {"idempotent": name is None}
        if known is None
        else {"read_only": known.read_only, "idempotent": known.idempotent}
    )
    stand_in = Tool.from_schema(name or "the_tool", "", {"type": "object"}, fail, **options)
    pipeline.tools.add(stand_in, replace=True)
    return pipeline.call(stand_in.name)


def _print(read_as: str, result: ToolResult, asked: list[Answered], rules: list[Verdict]) -> None:
    error = result.error
    assert error is not None
    write(f"read as      {read_as}")
    write(f"error        {type(error).__name__} ({error.code})")
    write(f"decided by   {_decided_by(error)}")
    write(f"fatal        {'yes: the run must stop' if error.fatal else 'no: the model may continue'}")
    write(f"effect       {error.effect}: {_EFFECTS[error.effect]}")
    if result.feedback is not None:
        write(f"next step    {result.feedback.next_step}")
    write(f"user reads   {error.user_message}")
    screen = console(stdout(), styled=is_styled(stdout()))
    if asked:
        write("\nHookimpls, in the order of their calls:\n")
        shown = [
            (one.hook or "-", one.plugin, f"{one.answer}: {one.says}" if one.says else one.answer) for one in asked
        ]
        print_table(screen, ("hook", "plugin", "answer"), shown)
    if rules:
        write("\nRules:\n")
        rows = [(plugin, summary(record)) for plugin, record in groupby(rules, key=attrgetter("plugin"))]
        print_table(screen, ("plugin", "rules"), rows)
    write("\nThe model reads:\n")
    write(result.content)


def _decided_by(error: ToolError) -> str:
    plugin, _, rule = (error.rule or "host").partition(":")
    where = "mulligan itself" if plugin == "host" else f"plugin {plugin}"
    return f"{where}, rule {rule}" if rule else where
