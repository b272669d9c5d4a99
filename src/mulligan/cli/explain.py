"""`mulligan explain`: which plugin and rule classify a failure, and what the model reads."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Any, NoReturn

import attrs
from cyclopts import Parameter

from mulligan.classify.failure import Failure
from mulligan.cli.answers import (
    HookAnswer,
    Verdict,
    detect_answers,
    hook_answers,
    hookimpls_by_hook,
    summarize,
    verdicts,
    with_marks,
)
from mulligan.cli.detection import Detection, explain_detection, read_value
from mulligan.cli.loading import find_tools
from mulligan.cli.output import (
    DASH,
    OK,
    console,
    decode,
    decode_argument,
    is_styled,
    print_table,
    stdin,
    stdout,
    write,
    write_json,
)
from mulligan.cli.settings import Settings
from mulligan.errors import ToolError, UsageError
from mulligan.hooks.discovery import Hookimpl, PluginInfo
from mulligan.hooks.loading import find_object
from mulligan.pipeline import Pipeline
from mulligan.policy import Policy
from mulligan.resolve.toolset import Toolset
from mulligan.results import ToolResult
from mulligan.spelling import closest
from mulligan.tools import Tool
from mulligan.untrusted.objects import type_name
from mulligan.untrusted.text import MUST_PROPAGATE, safe_str

_REFERENCE = re.compile(r"(?:([A-Za-z_][\w.]*):)?([A-Za-z_][\w.]*)(\(.*)?", re.DOTALL)
_LITERAL_TEXT = re.compile(r"""(?<!\w)(["'])(?:\\.|(?!\1).)*(?:\1|$)""", re.DOTALL)
_NEAR_WORD, _NEAR_CALL = 0.85, 0.75
_NO_RETRY = Policy(retry=False)
_EFFECTS = {"none": "definitely not applied", "possible": "may have been applied", "done": "was applied"}


def explain(
    failure: str | None = None,
    /,
    *,
    value: str | None = None,
    tools: str | None = None,
    tool: str | None = None,
    arguments: str | None = None,
    format: str | None = None,
    text: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    json: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    settings: Annotated[Settings, Parameter(parse=False)],
) -> int:
    """Show which plugin and rule classify a failure, why others did not, and what the model reads.

    Without a failure, it shows the order in which plugins are called. A failure is an exception, MODULE:EXCEPTION or
    MODULE:EXCEPTION("text", name=1), whose arguments are Python literals; omit MODULE: for a built-in exception.
    Anything else is explained as the text of a failure that another runtime reported. With --value, it shows whether a
    value that a tool returned is a failure or a result, and why.

    Args:
        failure: an exception, or a text; without it and --value, the order of all hookimpls.
        value: the value that a tool returned, as JSON, or - to read it from stdin; what is not JSON is a text.
        tools: MODULE[:NAME] or FILE.py[:NAME] with the tools, for suggestions.
        tool: the tool that fails, or returned the value: one of --tools, or any name.
        arguments: the arguments of its call, as a JSON object.
        format: the feedback format: text, json, block, or one of a plugin. Default: the configured format.
        text: explain FAILURE or the value as text, even if it looks like an exception or is JSON.
        json: print everything as JSON.
        settings: the common options.

    Returns:
        The exit code.
    """
    if failure is not None and value is not None:
        raise UsageError("explain: FAILURE and --value cannot be explained at once; remove one of them")
    sent = _read_arguments(arguments)
    if failure is None and value is None:
        return _print_order(settings, json=json)
    toolset = find_tools(tools) if tools else Toolset()
    with settings.pipeline(toolset, format=format, log="OFF", policy=_NO_RETRY) as pipeline:
        if value is not None:
            returned = _read_text(value)
            explanation = _explain_value(pipeline, returned, tool, sent, as_text=text)
        else:
            assert failure is not None
            explanation = _explain_failure(pipeline, decode_argument(failure, "FAILURE"), tool, sent, as_text=text)
        has_external_plugins = any(not info.built_in for info in pipeline.plugins)
        redact = pipeline.redactor.redact
    if json:
        write_json(explanation.to_dict(redact))
    else:
        _print(explanation, shows_hookimpls=has_external_plugins)
    return OK


@attrs.define
class _Explanation:
    """What is printed about one failure or value."""

    text: str
    read_as: str
    result: ToolResult
    replies: list[HookAnswer]
    rules: list[Verdict]
    detection: Detection | None = None
    is_fatal_in_classify: bool | None = None

    def to_dict(self, redact: Callable[[str], str]) -> dict[str, Any]:
        """The explanation as JSON values.

        Args:
            redact: removes secrets.
        """
        what = "failure" if self.detection is None else "value"
        record = {what: redact(self.text), "read_as": self.read_as, **self.result.to_dict()}
        if self.detection is not None:
            record |= self.detection.to_dict()
            record["fatal_in_classify"] = self.is_fatal_in_classify
        return {
            **record,
            "asked": [attrs.asdict(reply) for reply in self.replies],
            "rules": [attrs.asdict(verdict) for verdict in self.rules],
        }


def _explain_failure(
    pipeline: Pipeline, failure: str, tool: str | None, arguments: Mapping[str, Any] | None, *, as_text: bool
) -> _Explanation:
    exception = None if as_text else _parse_exception(failure)
    if exception is None:
        read_as = "a failure that another runtime reported as text (Pipeline.recover)"
        result = pipeline.recover(failure)
    else:
        read_as = f"{type_name(exception)}, raised by a tool"
        result = pipeline.call(_raising_tool(pipeline, exception, tool).name, arguments)
    plugin_failure = _failure_for_plugins(exception, failure, result, arguments)
    assert result.error is not None
    return _Explanation(
        failure,
        read_as,
        result,
        list(hook_answers(pipeline, plugin_failure, result)),
        list(verdicts(pipeline.plugins, plugin_failure, result.error)) if plugin_failure else [],
    )


def _explain_value(
    pipeline: Pipeline, text: str, name: str | None, arguments: Mapping[str, Any] | None, *, as_text: bool
) -> _Explanation:
    value, problem = (text, "") if as_text else read_value(text)
    stand_in = _returning_tool(pipeline, value, name)
    result = pipeline.call(stand_in.name, arguments)
    impls = hookimpls_by_hook(pipeline.plugins)["detect"]
    detection = explain_detection(pipeline, stand_in, value, impls, is_failure=result.is_error)
    what = "the text" if isinstance(value, str) else "the JSON value"
    explanation = _Explanation(
        text,
        f"{what} that {stand_in.shown} returned{f'; it is not JSON: {problem}' if problem else ''}",
        result,
        list(detect_answers(pipeline, stand_in, value, detection.plugin)),
        [],
        detection,
    )
    if result.error is not None:
        classified = pipeline.classify(value, tool=stand_in, arguments=arguments)
        explanation.is_fatal_in_classify = None if classified is None else classified.fatal
        failure = detection.failure
        if failure is not None:
            failure.place(stand_in, result.call, arguments)
            explanation.rules = list(verdicts(pipeline.plugins, failure, result.error))
        explanation.replies += hook_answers(pipeline, failure, result)
    return explanation


def _read_text(word: str) -> str:
    if word == DASH:
        return decode(stdin("the value").read(), "stdin,", "encode the value as UTF-8")
    return decode_argument(word, "--value")


def _read_arguments(text: str | None) -> dict[str, Any] | None:
    """The arguments of the call that failed; None if they are not given."""
    if text is None:
        return None
    step = "write a JSON object, as in '{\"id\": 7}'"
    value, problem = read_value(decode_argument(text, "--arguments"))
    if problem or isinstance(value, str):
        raise UsageError(f"--arguments: not JSON{f' ({problem})' if problem else ''}; {step}")
    if not isinstance(value, dict):
        raise UsageError(f"--arguments: expected an object; {step}")
    return value


def _print_order(settings: Settings, *, json: bool) -> int:
    """Print the order of the hookimpls, hook by hook."""
    with settings.pipeline(log="OFF") as pipeline:
        impls = hookimpls_by_hook(pipeline.plugins)
    if json:
        record = {
            hook: [{"plugin": info.name, "marks": list(impl.marks)} for info, impl in of] for hook, of in impls.items()
        }
        write_json({"order": record})
    else:
        rows = [(hook, ", ".join(_with_marks(*impl) for impl in of) or "-") for hook, of in impls.items()]
        print_table(console(stdout(), styled=is_styled(stdout())), ("hook", "called, in this order"), rows)
    return OK


def _with_marks(info: PluginInfo, impl: Hookimpl) -> str:
    return with_marks(info.name, [*impl.marks, *(["disabled"] if info.state != "active" else [])])


def _failure_for_plugins(
    exception: BaseException | None, text: str, result: ToolResult, arguments: Mapping[str, Any] | None
) -> Failure | None:
    """The failure that plugins see; None if mulligan itself decided, as for an unknown tool."""
    error = result.error
    assert error is not None
    if error.rule is not None and error.rule != "host:unclassified" and error.rule.startswith("host:"):
        return None
    if exception is None:
        return Failure(value=text, message=text)
    return Failure(exception, tool_name=error.tool_name, arguments=arguments)


def _parse_exception(spec: str) -> BaseException | None:
    """Create the exception that a text names, with the arguments in the text; None if it names no exception."""
    if not spec.strip():
        _refuse(repr(spec), "no failure; write an exception or a text. To explain it as text, add --text")
    match = _REFERENCE.fullmatch(spec.strip())
    if match is None:
        return None
    module, name, arguments = match.groups()
    is_unclosed = arguments is not None and _is_unclosed(arguments)
    if arguments is not None and not arguments.endswith(")") and not is_unclosed:
        return None
    if module is None and not _is_exception(getattr(builtins, name, None)):
        _check_name(spec, name, f"{arguments})" if is_unclosed else arguments)
        return None
    try:
        cls = find_object(f"{module or 'builtins'}:{name}", "explain", is_listed=_is_listed)
    except UsageError as error:
        raise UsageError(f"{error}; to explain it as text, add --text") from None
    if not _is_exception(cls):
        _refuse(spec, f"{name} is not an exception class; to explain it as text, add --text")
    if issubclass(cls, MUST_PROPAGATE):
        _refuse(spec, "this exception is never classified: the host receives it")
    if is_unclosed:
        _refuse(spec, "the closing parenthesis is missing. To explain it as text, add --text")
    return _make_exception(cls, spec, arguments or "()")


def _is_unclosed(arguments: str) -> bool:
    """Whether a parenthesis is never closed, apart from those in the literals."""
    code = _LITERAL_TEXT.sub("", arguments)
    return code.count("(") > code.count(")")


def _check_name(spec: str, name: str, arguments: str | None) -> None:
    """Reject a spec that looks like an exception although no built-in exception has that name."""
    known = [key for key, value in vars(builtins).items() if _is_exception(value)]
    near = closest(name, known, _NEAR_WORD if arguments is None else _NEAR_CALL)
    module, _, class_name = name.rpartition(".")
    is_call = arguments is not None and class_name[:1].isupper() and _parse_literals(arguments) is not None
    if not near and not is_call:
        return
    step = f"Did you mean {near!r}?" if near and not module else ""
    step = step or f"For the class of a library, write {module or 'MODULE'}:{class_name}."
    _refuse(spec, f"no built-in exception is named {name!r}. {step} To explain it as text, add --text")


def _is_listed(value: Any, _: str) -> bool:
    return _is_exception(value)


def _is_exception(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def _parse_literals(arguments: str) -> tuple[list[Any], dict[str, Any]] | None:
    """The arguments of a call as values; None if they are not Python literals."""
    try:
        call = ast.parse(f"f{arguments}", mode="eval").body
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Name)
        values = [ast.literal_eval(argument) for argument in call.args]
        return values, {keyword.arg or "**": ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (SyntaxError, ValueError, AssertionError, MemoryError, RecursionError):
        return None


def _make_exception(cls: Any, spec: str, arguments: str) -> BaseException:
    literals = _parse_literals(arguments)
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


def _raising_tool(pipeline: Pipeline, exception: BaseException, name: str | None) -> Tool:
    """Add a tool that raises the exception."""

    def fail(**_: Any) -> NoReturn:
        raise exception

    return _add_stand_in(pipeline, fail, name, ())


def _returning_tool(pipeline: Pipeline, value: Any, name: str | None) -> Tool:
    """Add a tool that returns the value."""

    def answer(**_: Any) -> Any:
        return value

    return _add_stand_in(pipeline, answer, name, ("detect", "output_schema"))


def _add_stand_in(pipeline: Pipeline, handler: Callable[..., Any], name: str | None, options: Iterable[str]) -> Tool:
    """Add a tool with the name, and with what matters of the tool that has it, if there is one."""
    known: Tool | None = None if name is None else pipeline.tools.get(name)
    kept: dict[str, Any] = (
        {"idempotent": name is None}
        if known is None
        else {option: getattr(known, option) for option in ("read_only", "idempotent", "secret", *options)}
    )
    secret: dict[str, Any] = {argument: {} for argument in kept.get("secret", ())}
    schema = {"type": "object", **({"properties": secret} if secret else {})}
    stand_in = Tool.from_schema(name or "the_tool", "", schema, handler, **kept)
    pipeline.tools.add(stand_in, replace=True)
    return stand_in


def _print(explanation: _Explanation, *, shows_hookimpls: bool) -> None:
    result, error, detection = explanation.result, explanation.result.error, explanation.detection
    write(f"read as      {explanation.read_as}")
    if detection is not None:
        write(f"verdict      {'a result' if error is None else 'a failure'}")
        for reason in detection.reasons:
            write(f"because      {reason}")
    if error is not None:
        _print_error(explanation, error)
    screen = console(stdout(), styled=is_styled(stdout()))
    if shows_hookimpls and explanation.replies:
        write("\nHookimpls, in the order of their calls:\n")
        answer_rows = [
            (one.hook or "-", one.shown_plugin, f"{one.answer}: {one.says}" if one.says else one.answer)
            for one in explanation.replies
        ]
        print_table(screen, ("hook", "plugin", "answer"), answer_rows)
    if explanation.rules:
        write("\nRules:\n")
        rows = [(plugin, summarize(record)) for plugin, record in groupby(explanation.rules, key=attrgetter("plugin"))]
        print_table(screen, ("plugin", "rules"), rows)
    write("\nThe model reads:\n")
    write(result.content)


def _print_error(explanation: _Explanation, error: ToolError) -> None:
    if explanation.detection is not None:
        write(f"detected by  {explanation.detection.describe()}")
    write(f"error        {type(error).__name__} ({error.code})")
    write(f"decided by   {_decided_by(error)}")
    write(f"fatal        {_describe_fatality(error, explanation.is_fatal_in_classify)}")
    write(f"effect       {error.effect}: {_EFFECTS[error.effect]}")
    if explanation.result.feedback is not None:
        write(f"next step    {explanation.result.feedback.next_step}")
    write(f"user reads   {error.user_message}")


def _describe_fatality(error: ToolError, in_classify: bool | None) -> str:
    verdict = "yes: the run must stop" if error.fatal else "no: the model may continue"
    if in_classify is None:
        return verdict
    return f"{verdict} (in Pipeline.classify: {'yes' if in_classify else 'no'})"


def _decided_by(error: ToolError) -> str:
    plugin, _, rule = (error.rule or "host").partition(":")
    where = "mulligan itself" if plugin == "host" else f"plugin {plugin}"
    return f"{where}, rule {rule}" if rule else where
