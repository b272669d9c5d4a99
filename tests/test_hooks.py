"""The hooks: what a user sees of each, what None means, who is asked first, and the examples of the reference."""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mulligan import Feedback, Limits, Pipeline, Policy, Tool, ToolCall, errors, hookspecs, tool
from mulligan.hooks.manager import HOOKS
from mulligan.plugin import (
    AttemptFailed,
    CallFinished,
    CallRepaired,
    CallStarted,
    Dialect,
    Failure,
    FeedbackFormat,
    Outcome,
    PluginFaulted,
    Sleep,
    Waiting,
    hookimpl,
)


class QuotaExceeded(Exception):
    __module__ = "acme.errors"


def read(path: str) -> str:
    """Read a file."""
    return f"read {path}"


class Misfortune(Exception):
    __module__ = "acme.errors"


def fail() -> None:
    raise Misfortune("as it happens")


def exceed() -> None:
    raise QuotaExceeded("no more")


# --- what a user sees of each hook


def test_resolve(make_pipeline, plugin, run):
    def resolve(call, toolset):
        return toolset.get(call.name.removeprefix("functions."))

    pipeline = make_pipeline(read, plugins=[plugin(resolve=resolve)])
    result = run(pipeline, "functions.read", {"path": "a"})
    assert (result.content, result.call.name, result.tool.name) == ("read a", "functions.read", "read")
    assert isinstance(run(pipeline, "functions.rad", {}).error, errors.ToolNotFoundError)


def test_validate(make_pipeline, plugin, run):
    def validate(tool, call):
        if isinstance(call.arguments, str) and call.arguments.startswith("path="):
            return {"path": call.arguments.removeprefix("path=")}
        if call.arguments == "secret":
            raise errors.ToolArgumentError("Not so.", problems=[errors.Problem("/path", "not so")])
        return None

    pipeline = make_pipeline(read, plugins=[plugin(validate=validate)])
    assert run(pipeline, "read", "path=a").content == "read a"
    assert run(pipeline, "read", '{"path": "b"}').content == "read b"
    result = run(pipeline, "read", "secret")
    assert "Error executing tool read: Not so." in result.content
    assert "- /path: not so." in result.content
    assert pipeline.faults == ()


@pytest.mark.parametrize("given", [{"path": 3}, {}, {"path": "a", "more": 1}, {"path": [[[[1]]]] * 20}])
def test_no_plugin_bypasses_the_schema(make_pipeline, plugin, run, given):
    ran = []

    def work(path: str) -> None:
        ran.append(path)

    pipeline = make_pipeline(work, plugins=[plugin(validate=lambda call: given)])
    assert isinstance(run(pipeline, "work", {"path": "a"}).error, errors.ToolArgumentError)
    assert ran == []


@pytest.mark.parametrize("given", [{"path": "\ud800"}, {"path": float("nan")}])
def test_a_mapping_that_no_json_could_hold_is_a_fault(make_pipeline, plugin, run, given):
    pipeline = make_pipeline(read, plugins=[plugin(validate=lambda call: given)])
    assert run(pipeline, "read", {"path": "a"}).content == "read a"
    assert "returned an invalid mapping" in pipeline.faults[0].error


def test_repair(make_pipeline, plugin, run):
    def repair(call, error, toolset):
        if call.name.strip() in toolset and call.name.strip() != call.name:
            return lambda: ToolCall(call.id, call.name.strip(), call.arguments)
        if isinstance(error, errors.ToolArgumentError) and isinstance(call.arguments, str):
            return lambda: ToolCall(call.id, call.name, call.arguments.replace("'", '"'))
        return None

    harmless = Tool.from_function(read, read_only=True)
    pipeline = make_pipeline(harmless, Tool.from_function(read, name="delete"), plugins=[plugin(repair=repair)])
    result = run(pipeline, " read\n", {"path": "a"}, call_id="7")
    assert result.content == "read a\nNote: tool  read\\n was read as read."
    assert [(repair.kind, repair.after) for repair in result.repairs] == [("name", "read")]
    assert (result.call.id, result.call.name) == ("7", "read")
    result = run(pipeline, "read", "{'path': 'a'}")
    assert result.content.startswith("read a\nNote: ")
    assert result.repairs[0].kind == "arguments"
    assert [type(event) for event in result.events] == [CallRepaired]
    assert run(pipeline, "delete", "{'path': 'a'}").content.startswith("read a")
    assert isinstance(run(pipeline, " delete", {"path": "a"}).error, errors.ToolNotFoundError)
    result = run(pipeline, "read", "{path: a}")
    assert isinstance(result.error, errors.ToolArgumentError)
    assert (result.repairs, result.call.arguments) == ((), "{path: a}")


def test_a_repairer_may_wait(make_pipeline, plugin, run):
    def repair(call, error, toolset):
        async def mend() -> ToolCall:
            return ToolCall("another id", "read", {"path": "mended"})

        return mend

    made = tool(read_only=True)(read)
    pipeline = make_pipeline(made, plugins=[plugin(repair=repair)])
    result = run(pipeline, "read", "{'path': 'mended'}", call_id="7")
    assert (result.content.split("\n")[0], result.call.id) == ("read mended", "7")
    result = run(pipeline, "read", {}, call_id="8")  # nothing that was sent says "mended"
    assert (type(result.error), result.repairs, result.call.id) == (errors.ToolArgumentError, (), "8")


@pytest.mark.parametrize(
    "give",
    [
        lambda: None,
        lambda: 3,
        lambda: 1 / 0,
        lambda: ToolCall(None, "nope", {}),
        lambda: ToolCall(None, "read", "{"),
        lambda: ToolCall(None, [], 3),
    ],
)
def test_a_repair_that_comes_to_nothing_keeps_the_first_error(make_pipeline, plugin, run, give):
    result = run(make_pipeline(read, plugins=[plugin(repair=lambda call: give)]), "read", {"path": 3}, call_id="7")
    plain = run(make_pipeline(read), "read", {"path": 3}, call_id="7")
    assert result.content == plain.content
    assert result.call == plain.call


def test_a_repairer_cannot_run_a_tool(make_pipeline, plugin, run):
    ran = []

    def work(n: int) -> None:
        ran.append(n)

    def repair(call, error, toolset):
        return lambda: toolset["work"](n=1)

    run(make_pipeline(work, plugins=[plugin(repair=repair)]), "work", {})
    run(make_pipeline(work, plugins=[plugin(repair=repair)]), "wrk", {})
    assert ran == []


def test_authorize(make_pipeline, plugin, run):
    def authorize(tool, arguments):
        return errors.ToolPermissionError("Ask a person first.") if arguments["path"] == "secret" else None

    pipeline = make_pipeline(read, plugins=[plugin("guard", authorize=authorize)])
    assert run(pipeline, "read", {"path": "a"}).content == "read a"
    result = run(pipeline, "read", {"path": "secret"})
    assert result.content.startswith("Error executing tool read: Ask a person first.")
    assert (result.fatal, result.attempts, result.error.rule) == (True, 0, "guard:authorize")


@pytest.mark.parametrize("awaited", [False, True])
def test_execute(make_pipeline, plugin, run, awaited):
    def execute(tool, arguments, call):
        async def later() -> str:
            return f"{tool.name}({arguments['path']}) for {call.id}"

        return later if awaited else lambda: f"{tool.name}({arguments['path']}) for {call.id}"

    result = run(make_pipeline(read, plugins=[plugin(execute=execute)]), "read", {"path": "a"}, call_id="7")
    assert result.content == "read(a) for 7"


def test_detect(make_pipeline, plugin, run):
    def detect(value, tool):
        if isinstance(value, str) and value.startswith("read ERR "):
            return Failure(value=value, message=value.removeprefix("read ERR "))
        return None

    pipeline = make_pipeline(read, Tool.from_function(read, name="raw", detect=False), plugins=[plugin(detect=detect)])
    result = run(pipeline, "read", {"path": "ERR the disk hums"})
    assert isinstance(result.error, errors.ToolExecutionError)
    assert "\nthe disk hums\n" in result.content
    assert run(pipeline, "read", {"path": "a"}).content == "read a"
    assert run(pipeline, "raw", {"path": "ERR x"}).content == "read ERR x"


def test_classify(make_pipeline, plugin, run):
    def classify(failure):
        if failure.matches("acme.QuotaExceeded"):
            return errors.ToolQuotaError("Acme's quota is exhausted.", provider="acme", rule="quota")
        return None

    pipeline = make_pipeline(exceed, read, plugins=[plugin("acme", classify=classify)])
    result = run(pipeline, "exceed")
    assert result.content.startswith("Error executing tool exceed: Acme's quota is exhausted.\n")
    assert (result.fatal, result.error.rule, result.error.provider) == (True, "acme:quota", "acme")
    assert isinstance(result.error.__cause__, QuotaExceeded)
    assert isinstance(run(pipeline, "read", {}).error, errors.ToolArgumentError)


def test_render_feedback(make_pipeline, plugin, run):
    def render_feedback(feedback, format):
        if feedback.error_type == "ToolNotFoundError":
            return f"No {feedback.tool_name}! ({format.name})"
        if feedback.error_type == "ToolArgumentError":
            return {"wrong": [problem.pointer for problem in feedback.problems]}
        return None

    pipeline = make_pipeline(read, fail, plugins=[plugin(render_feedback=render_feedback)])
    assert run(pipeline, "nope").content == "No nope! (text)"
    assert json.loads(run(pipeline, "read", {}).content) == {"wrong": ["/path"]}
    assert run(pipeline, "fail").content.startswith("Error executing tool fail:")


@pytest.mark.parametrize("format", ["text", "json", "block"])
def test_render_feedback_is_asked_once_and_again_only_where_the_text_is_too_long(make_pipeline, plugin, run, format):
    asked = []
    counting = plugin(render_feedback=lambda feedback: asked.append(1))
    run(make_pipeline(read, plugins=[counting], format=format), "nope")
    assert len(asked) == 1

    def too_long(feedback):
        asked.append(feedback)
        return "x" * 3_000 if feedback.next_step else "short"

    result = run(make_pipeline(read, plugins=[plugin(render_feedback=too_long)], format=format), "nope")
    assert result.content == "short"
    assert len(asked) > 3


@pytest.mark.parametrize("format", ["text", "json", "block"])
def test_a_text_that_stays_too_long_leaves_the_format_as_it_would_be(make_pipeline, plugin, run, format):
    endless = plugin(render_feedback=lambda feedback: "x" * 3_000)
    result = run(make_pipeline(read, plugins=[endless], format=format), "nope")
    assert result.content == run(make_pipeline(read, format=format), "nope").content


def test_middlewares(make_pipeline, plugin, run):
    asked = []

    def middlewares(tool):
        asked.append(tool.name)

        def shout(run, tool, call):
            outcome = yield run
            return Outcome(f"{outcome.value.upper()} ({tool.name} {call.id})")

        return [shout]

    pipeline = make_pipeline(read, plugins=[plugin(middlewares=middlewares)])
    assert run(pipeline, "read", {"path": "a"}, call_id="1").content == "READ A (read 1)"
    assert run(pipeline, "read", {"path": "b"}, call_id="2").content == "READ B (read 2)"
    assert asked == ["read"]


def test_hints(make_pipeline, plugin, run):
    def hints(error, failure):
        yield f"Hint for {error.code}."
        if failure is not None:
            yield f"It was {failure.type_name}."

    pipeline = make_pipeline(read, fail, plugins=[plugin(hints=hints)])
    assert "\nHint for UNIMPLEMENTED." in run(pipeline, "nope").content
    assert "\nHint for INTERNAL.\nIt was acme.errors.Misfortune.\n" in run(pipeline, "fail").content
    assert run(pipeline, "nope").feedback.hints == ("Hint for UNIMPLEMENTED.",)


class Shout(FeedbackFormat):
    name = "shout"

    def render(self, feedback: Feedback) -> str:
        return feedback.headline.upper()


def test_feedback_formats(make_pipeline, plugin, run):
    pipeline = make_pipeline(
        read,
        Tool.from_function(read, name="plain", format="text"),
        plugins=[plugin(feedback_formats=lambda: [Shout()])],
        format="shout",
    )
    assert run(pipeline, "nope").content == "ERROR: TOOL 'NOPE' NOT FOUND."
    assert run(pipeline, "plain", {}).content.startswith("Error executing tool plain: Invalid arguments")
    assert run(pipeline.session(format="block"), "nope").content.startswith("Tool Execution Result:")


def test_a_format_may_be_given_itself(make_pipeline, run):
    pipeline = make_pipeline(read, Tool.from_function(read, name="loud", format=Shout()), format=Shout())
    assert run(pipeline, "nope").content == "ERROR: TOOL 'NOPE' NOT FOUND."
    assert run(pipeline, "loud", {}).content.startswith("ERROR EXECUTING TOOL LOUD: ")


class Lines(Dialect):
    """Calls as lines `id name arguments`."""

    name = "lines"

    def recognises(self, message):
        return "lines" in message

    def calls(self, message):
        return [ToolCall(*line.split(" ", 2)) for line in message["lines"]]

    def message(self, result):
        return {"line": f"{result.call.id} {result.content}"}

    def definition(self, tool):
        return {"line": tool.name}


def test_dialects(make_pipeline, plugin):
    pipeline = make_pipeline(read, plugins=[plugin(dialects=lambda: [Lines()])])
    answers = pipeline.answer({"lines": ['1 read {"path":"a"}', "2 read {}"]})
    assert answers[0] == {"line": "1 read a"}
    assert answers[1]["line"].startswith("2 Error executing tool read")
    assert pipeline.tools.definitions("lines") == [{"line": "read"}]
    assert pipeline.call("read", {"path": "b"}, call_id="7").message("lines") == {"line": "7 read b"}


def test_observe(make_pipeline, plugin, run):
    seen: list[Any] = []

    def sleepy(run, tool, call):
        yield Sleep(0.001)
        return (yield run)

    def observe(event):
        seen.append(event)

    pipeline = make_pipeline(read, fail, plugins=[plugin(observe=observe)], middleware=[sleepy])
    result = run(pipeline, "read", {"path": "a"}, call_id="1")
    assert [type(event) for event in seen] == [CallStarted, Waiting, CallFinished]
    assert (seen[0].call_id, seen[0].tool_name, seen[0].arguments) == ("1", "read", '{"path":"a"}')
    assert (seen[1].tool_name, seen[1].seconds) == ("read", 0.001)
    assert (seen[2].result.call, seen[2].result.content) == (result.call, result.content)
    assert result.events == (seen[1],)
    seen.clear()
    result = run(pipeline, "fail")
    assert [type(event) for event in seen] == [CallStarted, Waiting, AttemptFailed, CallFinished]
    assert (seen[2].attempt, repr(seen[2].error)) == (1, repr(result.error))
    assert "raise Misfortune" in seen[2].traceback


def test_observers_hear_of_faults(make_pipeline, plugin, run):
    seen: list[Any] = []
    watcher = plugin("watcher", observe=lambda event: seen.append(event))
    bad = plugin("bad", hints=lambda error: 1 / 0)
    pipeline = make_pipeline(plugins=[watcher, bad])
    for _ in range(4):
        run(pipeline, "nope")
    faults = [event for event in seen if isinstance(event, PluginFaulted)]
    assert [(event.plugin, event.hook, event.set_aside) for event in faults] == [
        ("bad", "hints", False),
        ("bad", "hints", False),
        ("bad", "hints", True),
    ]
    assert faults[0].error == "ZeroDivisionError: division by zero"


# --- None means no opinion


@pytest.mark.parametrize("hook", [hook for hook in HOOKS if hook != "observe"])
def test_a_plugin_without_an_opinion_changes_nothing(make_pipeline, plugin, run, hook):
    silent = plugin(**{hook: lambda: None})
    for name, arguments in (("read", {"path": "a"}), ("read", {}), ("fail", None), ("nope", "{")):
        with_it = run(make_pipeline(read, fail, plugins=[silent]), name, arguments, call_id="1")
        without = run(make_pipeline(read, fail), name, arguments, call_id="1")
        assert with_it.content == without.content
        assert type(with_it.error) is type(without.error)


def test_a_repair_may_be_wanted_by_the_policy_without_any_repairer(make_pipeline, run):
    assert run(make_pipeline(read, policy=Policy(repair="all")), "read", "{").is_error


# --- order


def naming(name: str, **options: Any) -> ModuleType:
    module = ModuleType(name)
    module.classify = hookimpl(**options)(lambda failure: errors.ToolExecutionError(f"By {name}."))  # type: ignore[attr-defined]
    module.hints = hookimpl(**options)(lambda error: [name])  # type: ignore[attr-defined]
    return module


def test_the_first_answer_wins_and_the_last_given_is_asked_first(make_pipeline, run):
    result = run(make_pipeline(fail, plugins=[naming("a"), naming("b")]), "fail")
    assert result.error.message == "By b."
    assert result.error.rule == "b:classify"
    assert result.feedback.hints == ("b", "a")


def test_tryfirst_and_trylast(make_pipeline, run):
    plugins = [naming("last", trylast=True), naming("a"), naming("first", tryfirst=True), naming("b")]
    result = run(make_pipeline(fail, plugins=plugins), "fail")
    assert result.feedback.hints == ("first", "b", "a", "last")
    assert result.error.message == "By first."


def test_plugins_go_before_the_built_in_ones(make_pipeline, plugin, run):
    def missing() -> None:
        raise FileNotFoundError("a.md")

    mine = plugin(classify=lambda failure: errors.ToolUnavailableError("Mine.") if failure.matches("OSError") else None)
    assert run(make_pipeline(missing, plugins=[mine]), "missing").error.message == "Mine."


def test_of_two_formats_and_dialects_with_one_name_the_first_asked_counts(make_pipeline, plugin):
    class Loud(Shout):
        name = "text"

    class MyOpenAI(Lines):
        name = "openai"

    mine = plugin(feedback_formats=lambda: [Loud()], dialects=lambda: [MyOpenAI()])
    pipeline = make_pipeline(plugins=[mine])
    assert pipeline.call("nope").content == "ERROR: TOOL 'NOPE' NOT FOUND."
    assert pipeline.call("nope", call_id="1").message("openai") == {"line": "1 ERROR: TOOL 'NOPE' NOT FOUND."}


# --- wrappers


def test_a_wrapper_sees_the_answer_and_may_change_it(make_pipeline, plugin, run):
    def classify(failure):
        error = yield
        if error is None:
            return errors.ToolUnavailableError("Wrapped.")
        error.provider = "wrapped"
        return error

    def missing() -> None:
        raise FileNotFoundError("a.md")

    def odd() -> None:
        raise type("Odd", (Exception,), {})

    pipeline = make_pipeline(odd, missing, plugins=[plugin(_={"wrapper": True}, classify=classify)])
    assert run(pipeline, "odd").error.message == "Wrapped."
    result = run(pipeline, "missing")
    assert (type(result.error), result.error.provider) == (errors.ResourceNotFoundError, "wrapped")


def test_wrappers_lie_around_each_other_and_around_plain_ones(make_pipeline, run):
    order: list[str] = []

    def wrapping(name: str) -> ModuleType:
        def hints(error):
            order.append(f"{name} in")
            answer = yield
            order.append(f"{name} out")
            return answer

        module = ModuleType(name)
        module.hints = hookimpl(wrapper=True)(hints)  # type: ignore[attr-defined]
        return module

    plain = ModuleType("plain")
    plain.hints = hookimpl(lambda error: order.append("plain") or ["hint"])  # type: ignore[attr-defined]
    result = run(make_pipeline(plugins=[wrapping("a"), plain, wrapping("b")]), "nope")
    assert order == ["b in", "a in", "plain", "a out", "b out"]
    assert result.feedback.hints == ("hint",)


@pytest.mark.parametrize("hook", HOOKS)
def test_a_wrapper_that_only_passes_on_changes_nothing(make_pipeline, plugin, run, hook):
    def wrapper():
        return (yield)

    passing = plugin(_={"wrapper": True}, **{hook: wrapper})
    for name, arguments in (("read", {"path": "a"}), ("read", {}), ("fail", None), ("nope", "{")):
        pipeline = make_pipeline(read, fail, plugins=[passing])
        with_it = run(pipeline, name, arguments, call_id="1")
        without = run(make_pipeline(read, fail), name, arguments, call_id="1")
        assert (with_it.content, with_it.is_error) == (without.content, without.is_error)
        assert pipeline.faults == ()


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_wrapper_that_fails_is_left_out(make_pipeline, plugin, run, hook, when):
    def wrapper():
        if when == "before":
            raise RuntimeError("broken wrapper")
        yield
        raise RuntimeError("broken wrapper")

    broken = plugin("broken", _={"wrapper": True}, **{hook: wrapper})
    asked = 0
    for name, arguments in (("read", {"path": "a"}), ("read", {}), ("fail", None), ("nope", "{")):
        pipeline = make_pipeline(read, fail, plugins=[broken])
        with_it = run(pipeline, name, arguments, call_id="1")
        if hook == "authorize" and name != "nope" and arguments != {}:
            continue
        without = run(make_pipeline(read, fail), name, arguments, call_id="1")
        assert (with_it.content, with_it.is_error) == (without.content, without.is_error)
        asked += len(pipeline.faults)
        assert {(fault.plugin, fault.hook) for fault in pipeline.faults} <= {("broken", hook)}
    assert asked or hook in ("authorize", "feedback_formats", "dialects", "count_tokens")


WRONG_ANSWERS = {
    "text": "abc",
    "number": 3,
    "list of numbers": [1],
    "object": object(),
    "list of texts": ["abc"],
    "class": dict,
}


@pytest.mark.parametrize("kind", WRONG_ANSWERS)
@pytest.mark.parametrize("hook", [hook for hook in HOOKS if hook not in ("observe", "authorize")])
def test_a_wrapper_that_gives_something_else_is_left_out(make_pipeline, plugin, run, hook, kind):
    if (hook, kind) in {
        ("render_feedback", "text"),
        ("hints", "text"),
        ("hints", "list of texts"),
        ("execute", "class"),
        ("repair", "class"),
    }:
        return

    def wrapper():
        yield
        return WRONG_ANSWERS[kind]

    wrong = plugin("wrong", _={"wrapper": True}, **{hook: wrapper})
    for name, arguments in (("read", {"path": "a"}), ("read", {}), ("fail", None), ("nope", "{")):
        with_it = run(make_pipeline(read, fail, plugins=[wrong]), name, arguments, call_id="1")
        without = run(make_pipeline(read, fail), name, arguments, call_id="1")
        assert (with_it.content, with_it.is_error) == (without.content, without.is_error)


def test_a_wrapper_is_set_aside_after_three_faults(make_pipeline, plugin, run):
    asked = []

    def hints(error):
        asked.append(1)
        yield
        raise RuntimeError("x")

    pipeline = make_pipeline(plugins=[plugin("broken", _={"wrapper": True}, hints=hints)])
    for _ in range(6):
        run(pipeline, "nope")
    assert len(asked) == 3
    assert [(info.name, info.state) for info in pipeline.plugins if not info.built_in] == [("broken", "disabled")]


# --- options of the mark


def test_another_function_name(make_pipeline, run):
    class Plugin:
        @hookimpl(specname="hints")
        def what_to_do(self, error):
            return ["named otherwise"]

    pipeline = make_pipeline(plugins=[Plugin()])
    assert run(pipeline, "nope").feedback.hints == ("named otherwise",)
    assert pipeline.plugins[-1].hooks == ("hints",)


def test_a_hook_that_there_is_not_may_be_optional(make_pipeline):
    class Plugin:
        @hookimpl(optionalhook=True)
        def of_the_future(self):
            return None

        @hookimpl
        def hints(self):
            return ["now"]

    assert make_pipeline(plugins=[Plugin()]).call("nope").feedback.hints == ("now",)


def test_a_method_that_is_kept_in_a_module_is_a_hookimpl_too(make_pipeline, run):
    class Advice:
        @hookimpl
        def hints(self, error):
            return ["bound"]

    module = ModuleType("advice")
    module.hints, module.Advice, module.unmarked = Advice().hints, Advice, lambda error: ["unmarked"]
    pipeline = make_pipeline(plugins=[module])
    assert run(pipeline, "nope").feedback.hints == ("bound",)
    assert pipeline.plugins[-1].hooks == ("hints",)


def test_static_methods_and_class_methods_are_hookimpls_too(make_pipeline, run):
    class Plugin:
        @staticmethod
        @hookimpl
        def hints(error):
            return ["static"]

        @classmethod
        @hookimpl
        def classify(cls, failure):
            return errors.ToolUnavailableError(f"By {cls.__name__}.")

    pipeline = make_pipeline(fail, plugins=[Plugin()])
    result = run(pipeline, "fail")
    assert (result.feedback.hints, result.error.message) == (("static",), "By Plugin.")
    assert set(pipeline.plugins[-1].hooks) == {"hints", "classify"}


# --- the reference


def example_of(hook: str) -> str:
    documented = inspect.getdoc(getattr(hookspecs, hook)) or ""
    return textwrap.dedent(documented.split("Example:\n")[1])


def example_plugin(hook: str) -> ModuleType:
    module = ModuleType(f"example_{hook}")
    shared = textwrap.dedent((hookspecs.__doc__ or "").split("The examples share these imports:")[1])
    exec(shared + example_of(hook), vars(module))
    return module


def acme_tool() -> None:
    raise QuotaExceeded("no more")


def example_outcome(hook: str, pipeline: Pipeline) -> Any:
    if hook == "resolve":
        return pipeline.call("functions.read", {"path": "a"}).content
    if hook == "validate":
        return pipeline.call("read", "path=a").content
    if hook == "repair":
        return pipeline.call(" read", {"path": "a"}).content.split("\n")[0]
    if hook == "authorize":
        return [pipeline.call("deploy").content.split("\n")[1], pipeline.call("read", {"path": "a"}).content]
    if hook == "execute":
        return pipeline.call("dry", {"path": "a"}).content
    if hook == "detect":
        return "\nno disk\n" in pipeline.call("echo", {"text": "ERR no disk"}).content
    if hook == "classify":
        return pipeline.call("acme_tool").error.message
    if hook == "render_feedback":
        return pipeline.call("late").content.split("\n")[1]
    if hook == "count_tokens":
        return len(re.findall(r"\w+|[^\w\s]", pipeline.call("nope").content)) <= 50
    if hook == "middlewares":
        return pipeline.call("flaky").content
    if hook == "hints":
        return pipeline.call("quota").feedback.hints
    if hook == "feedback_formats":
        return pipeline.session(format="shout").call("nope").content
    if hook == "executors":
        return pipeline.with_tools([Tool.from_function(read, executor="elsewhere")]).call("read", {"path": "a"}).value
    if hook == "dialects":
        return pipeline.tools.definitions("acme") == pipeline.tools.definitions("openai")
    pipeline.call("nope")
    return None


EXAMPLES = {
    "resolve": "read a",
    "validate": "read a",
    "repair": "read a",
    "authorize": ["Reason: It writes to production.", "read a"],
    "execute": "dry would run with {'path': 'a'}",
    "detect": True,
    "classify": "Acme's quota is used up.",
    "render_feedback": "Request less at once.",
    "count_tokens": True,
    "middlewares": "second time",
    "hints": ("Request several records in one call.",),
    "feedback_formats": "ERROR: TOOL 'NOPE' NOT FOUND.",
    "dialects": True,
    "executors": "read would run with {'path': 'a'}",
    "observe": None,
}


def test_every_hook_has_an_example():
    assert set(EXAMPLES) == set(HOOKS)
    assert {name for name, value in vars(hookspecs).items() if hasattr(value, "mulligan_spec")} == set(HOOKS)


@pytest.mark.parametrize("hook", HOOKS)
def test_the_example_of_the_reference_works(make_pipeline, capsys, hook):
    tries = []

    def flaky() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise errors.ToolUnavailableError("Busy.", effect="none")
        return "second time"

    def late() -> None:
        raise TimeoutError

    def quota() -> None:
        raise errors.ToolQuotaError("Used up.", provider="acme")

    def deploy() -> str:
        return "deployed"

    def echo(text: str) -> str:
        return text

    pipeline = make_pipeline(
        Tool.from_function(read, read_only=True),
        Tool.from_function(deploy, tags="production"),
        Tool.from_function(read, name="dry", tags="dry-run"),
        Tool.from_function(flaky, read_only=True),
        *(echo, acme_tool, late, quota),
        plugins=[example_plugin(hook)],
        limits=Limits(feedback_tokens=50 if hook == "count_tokens" else None),
    )
    assert example_outcome(hook, pipeline) == EXAMPLES[hook]
    assert pipeline.faults == ()
    assert capsys.readouterr().out == ("nope UNIMPLEMENTED\n" if hook == "observe" else "")


@pytest.mark.parametrize("hook", HOOKS)
def test_the_reference_says_everything(hook):
    function = getattr(hookspecs, hook)
    documented = inspect.getdoc(function) or ""
    for parameter in inspect.signature(function).parameters:
        assert re.search(rf"^    {parameter}: \S", documented, re.MULTILINE), parameter
    assert len(inspect.signature(function).parameters) <= 4
    assert "Asked" in documented
    assert "built-in" in documented
    assert documented.split("\n")[0].startswith(("Decides", "Contributes", "Observes"))
    has_none = ("middlewares", "hints", "feedback_formats", "dialects", "executors", "observe")
    assert hook in has_none or "None" in documented


def test_the_examples_need_no_other_module():
    text = Path(hookspecs.__file__).read_text()
    assert "import re" in text
    assert "from mulligan.plugin import *" in text


def test_a_wrapper_around_validate_may_refuse_the_arguments(make_pipeline, plugin, run):
    def validate(call):
        yield
        raise errors.ToolArgumentError("Wrapped and refused.")

    pipeline = make_pipeline(read, plugins=[plugin(_={"wrapper": True}, validate=validate)])
    assert "Wrapped and refused." in run(pipeline, "read", {"path": "a"}).content
    assert pipeline.faults == ()


def test_an_interrupt_in_a_wrapper_passes(make_pipeline, plugin, run):
    def hints(error):
        yield
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(make_pipeline(plugins=[plugin(_={"wrapper": True}, hints=hints)]), "nope")


def test_a_fault_inside_of_a_wrapper_is_raised_in_strict_mode(make_pipeline, plugin, run):
    def wrapper(error):
        return (yield)

    inner = plugin("inner", hints=lambda error: 1 / 0)
    outer = plugin("outer", _={"wrapper": True}, hints=wrapper)
    with pytest.raises(errors.PluginError, match="plugin 'inner', hints: ZeroDivisionError"):
        run(make_pipeline(plugins=[inner, outer], strict=True), "nope")


def test_events_are_shown_without_arguments(make_pipeline, plugin, run):
    seen = []
    run(
        make_pipeline(read, plugins=[plugin(observe=lambda event: seen.append(event))]),
        "read",
        {"path": "a secret place"},
    )
    assert "secret" not in repr(seen[0])
    assert "read" in repr(seen[0])
