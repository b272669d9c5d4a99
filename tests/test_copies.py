"""What plugins are given is theirs: whatever a hookimpl changes in it has no effect on the call."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import pickle
from collections import OrderedDict
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import attrs
import pytest

from mulligan import Pipeline, Policy, Tool, hookimpl, hookspecs
from mulligan.plugin import FeedbackFormat, Toolset
from mulligan.untrusted.copies import copy_call_arguments, copy_data, freeze, thaw

PARAMETERS = [
    (hook, name) for hook in hookspecs.__all__ for name in inspect.signature(getattr(hookspecs, hook)).parameters
]
ALIEN = (BaseException, type, ModuleType, FunctionType, MethodType, BuiltinFunctionType)


@dataclass
class Report:
    lines: list[str] = field(default_factory=lambda: ["a"])


def ruin(thing: Any, seen: set[int] | None = None, depth: int = 8) -> None:
    """Changes everything that can be reached by public names; what refuses is left."""
    seen = set() if seen is None else seen
    if id(thing) in seen or depth == 0 or isinstance(thing, ALIEN) and not is_ours(thing):
        return
    seen.add(id(thing))
    for part in parts(thing):
        ruin(part, seen, depth - 1)
    for change in changes(thing):
        try:
            change()
        except Exception:
            continue


def is_ours(thing: Any) -> bool:
    return isinstance(thing, BaseException) and type(thing).__module__ == "mulligan.errors"


def names(thing: Any) -> list[str]:
    return [name for name in dir(thing) if not name.startswith("_")]


def parts(thing: Any) -> list[Any]:
    found: list[Any] = []
    if isinstance(thing, dict | Toolset):
        found += list(thing.values())
    elif isinstance(thing, list | tuple | set):
        found += list(thing)
    if not isinstance(thing, str | bytes | int | float | dict | list | set | type(None)):
        for name in names(thing):
            try:
                found.append(getattr(thing, name))
            except Exception:
                continue
    return found


def changes(thing: Any) -> list[Any]:
    found: list[Any] = []
    if isinstance(thing, dict):
        found += [
            lambda: thing.update(ruined=1),
            lambda: thing.__setitem__("path", "ruined"),
            thing.popitem,
            thing.clear,
        ]
    elif isinstance(thing, list):
        found += [lambda: thing.append("ruined"), thing.reverse, thing.clear]
    elif isinstance(thing, set):
        found += [lambda: thing.add("ruined"), thing.clear]
    elif isinstance(thing, Toolset):
        found += [lambda name=name: thing.remove(name) for name in list(thing)]
        found.append(lambda: thing.add(Tool.from_schema("ruined", "", {"type": "object"}, dict)))
    if not isinstance(thing, str | bytes | int | float | dict | list | set | tuple | type(None)):
        for name in names(thing):
            for other in ("ruined", True, None, lambda *_, **__: "ruined"):
                found.append(lambda name=name, other=other: setattr(thing, name, other))
            found.append(lambda name=name: delattr(thing, name))
    return found


def saboteur(hook: str, parameter: str) -> Any:
    def impl(given: Any) -> None:
        ruin(given)

    namespace: dict[str, Any] = {"ruin": ruin}
    exec(
        f"def {hook}({parameter}):\n    ruin({parameter})\n    return {'()' if hook == 'middlewares' else None}",
        namespace,
    )
    return type("Saboteur", (), {hook: staticmethod(hookimpl(namespace[hook]))})()


def middleware_saboteur() -> Any:
    def around(run: Any, tool: Any, call: Any) -> Any:
        ruin(tool)
        ruin(call)
        return (yield run)

    class Saboteur:
        @hookimpl
        def middlewares(self):
            return [around]

    return Saboteur()


def outcome(plugins: list[Any], *, format: Any = "text") -> Any:
    """Everything that can be seen of some calls, and of the pipeline afterwards; calls of one message run in any order."""
    ran: list[Any] = []
    given = {"path": "a.txt", "parts": [{"n": 1}, {"n": 2}], "deep": {"er": ["x"]}}
    schema = {"type": "object", "properties": {"path": {"type": "string"}, "parts": {"type": "array"}}}
    strict = {**schema, "properties": {"path": {"enum": ["a.txt", "b.txt"]}}, "required": ["path"]}

    def show(**arguments: Any) -> Any:
        ran.append(copy.deepcopy(arguments))
        return {"list": [1, {"two": 2}], "set": {3}}

    def pay(**arguments: Any) -> Any:
        ran.append(copy.deepcopy(arguments))
        raise ConnectionResetError(104, "reset")

    def miss(path: str, **_: Any) -> Any:
        raise FileNotFoundError(2, "No such file", path)

    def refused(**_: Any) -> Any:
        return {"error": {"code": 404, "message": "no such report", "errors": [{"reason": "notFound"}]}}

    def report(parts: list[Report] | None = None) -> Report:
        ran.append(parts)
        return Report()

    tools = [
        Tool.from_schema("show", "Shows", schema, show),
        Tool.from_schema("pay", "Pays", schema, pay),
        Tool.from_schema("miss", "Misses", schema, miss, resources=["a.txt.md", "a.tx"], read_only=True),
        Tool.from_schema("refused", "Refuses", schema, refused),
        Tool.from_schema("strict", "Wants", strict, show, tags=["a"]),
        report,
    ]
    pipeline = Pipeline(tools, plugins=plugins, autoload=False, format=format, policy=Policy(repair="all"))
    session = pipeline.session("s")
    messages = [
        {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "show", "arguments": given}},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "miss", "input": {"path": "q"}}]},
    ]
    calls = [
        ("show", given),
        ("show", json.dumps(given)),
        ("pay", given),
        ("miss", {"path": "a.tx"}),
        ("refused", OrderedDict(given)),
        ("strict", {"path": "c.txt", "parts": 3}),
        ("strict", '{"path": "a.txt",}'),
        ("report", {"parts": [{"lines": ["q"]}]}),
        ("shwo", given),
    ]
    results = [session.call(name, arguments, call_id=str(at)) for at, (name, arguments) in enumerate(calls)]
    results += asyncio.run(
        pipeline.acall_many(calls, session=pipeline.session("batch"))
    )  # whose memory depends on the order
    answers = [pipeline.answer(message) for message in messages]
    results += [result for answer in answers for result in answer.results]
    return {
        "results": [{**result.to_dict(), "duration": 0} for result in results],
        "seen": [
            (result.value, result.feedback, result.fatal, result.call, result.tool and result.tool.name)
            for result in results
        ],
        "errors": [
            result.error and {k: v for k, v in vars(result.error).items() if k != "_owner"} for result in results
        ],
        "answers": answers,
        "ran": sorted(map(repr, ran)),
        "tools": [(tool.name, tool.read_only, tool.handler is not None) for tool in pipeline.tools.values()],
        "definitions": pipeline.tools.definitions("mcp"),
        "given": [given, messages],
        "session": json.dumps(session.to_dict(), default=str, sort_keys=True),
    }


def compared(left: Any, right: Any) -> None:
    for name in left:
        assert repr(left[name]) == repr(right[name]), name


@pytest.fixture(scope="module")
def untouched() -> Any:
    return outcome([])


@pytest.mark.parametrize(("hook", "parameter"), PARAMETERS)
def test_what_a_hookimpl_changes_in_what_it_is_given_has_no_effect(hook, parameter, untouched):
    compared(outcome([saboteur(hook, parameter)]), untouched)


@pytest.mark.parametrize(("hook", "parameter"), PARAMETERS)
def test_so_it_is_beside_a_wrapper_and_a_second_plugin_that_only_looks(hook, parameter, untouched):
    seen: list[str] = []
    namespace: dict[str, Any] = {"seen": seen}
    names = ", ".join(inspect.signature(getattr(hookspecs, hook)).parameters)
    exec(f"def {hook}({names}):\n    seen.append(repr({parameter}))\n    return (yield)", namespace)
    wrapper = type("Wrapper", (), {hook: staticmethod(hookimpl(wrapper=True)(namespace[hook]))})
    exec(
        f"def {hook}({parameter}):\n    seen.append(repr({parameter}))\n    return {'()' if hook == 'middlewares' else None}",
        namespace,
    )
    looker = type("Looker", (), {hook: staticmethod(hookimpl(namespace[hook]))})
    compared(outcome([looker(), saboteur(hook, parameter), wrapper()]), untouched)
    beside = [text for text in seen if "<" not in text]
    seen.clear()
    outcome([looker(), wrapper()])
    assert beside == [text for text in seen if "<" not in text]


def test_what_a_wrapper_changes_has_no_effect_either(untouched):
    for hook, parameter in PARAMETERS:
        namespace: dict[str, Any] = {"ruin": ruin}
        exec(f"def {hook}({parameter}):\n    ruin({parameter})\n    return (yield)", namespace)
        wrapper = type("Wrapper", (), {hook: staticmethod(hookimpl(wrapper=True)(namespace[hook]))})
        compared(outcome([wrapper()]), untouched)


def test_what_a_middleware_changes_in_tool_and_call_has_no_effect(untouched):
    compared(outcome([middleware_saboteur()]), untouched)


def test_what_a_format_changes_in_the_feedback_has_no_effect():
    class Plain(FeedbackFormat):
        name = "plain"

        def render(self, feedback):
            text = feedback.headline
            ruin(feedback) if self.ruins else None
            return text

        def __init__(self, ruins):
            self.ruins = ruins

    compared(outcome([], format=Plain(True)), outcome([], format=Plain(False)))


def test_a_plugin_that_tries_is_named_in_its_fault_and_the_call_goes_on():
    class Careless:
        @hookimpl
        def detect(self, value, tool):
            tool.read_only = True

    pipeline = Pipeline([Tool.from_schema("show", "", {"type": "object"}, dict)], plugins=[Careless()], autoload=False)
    assert pipeline.call("show").value == {}
    (fault,) = pipeline.faults
    assert (fault.plugin, fault.hook) == ("Careless", "detect")
    assert fault.error == "AttributeError: tool 'show' cannot be changed: pass read_only= when creating the tool"


def test_a_check_that_tries_to_change_the_tool_fails_closed():
    class Careless:
        @hookimpl
        def authorize(self, tool):
            tool.read_only = True

    ran: list[int] = []
    pipeline = Pipeline([Tool.from_schema("pay", "", {}, lambda: ran.append(1))], plugins=[Careless()], autoload=False)
    result = pipeline.call("pay")
    assert (result.fatal, ran, [fault.plugin for fault in pipeline.faults]) == (True, [], ["Careless"])


def test_the_tools_that_a_plugin_sees_are_those_of_the_moment():
    seen: list[list[str]] = []

    class Looks:
        @hookimpl
        def resolve(self, toolset):
            seen.append(list(toolset))

    pipeline = Pipeline([Tool.from_schema("a", "", {}, dict)], plugins=[Looks()], autoload=False)
    pipeline.call("a")
    pipeline.tools.add(Tool.from_schema("b", "", {}, dict))
    pipeline.call("b")
    pipeline.tools.remove("a")
    pipeline.call("b")
    assert seen == [["a"], ["a", "b"], ["b"]]


@attrs.define
class Slotted:
    members: list[Any]


def test_copies_share_nothing_and_hold_the_same():
    around: list[Any] = [1]
    around.append(around)
    shared = {"a": 1}
    value = {"t": (1, [2]), "s": {3}, "b": bytearray(b"x"), "twice": [shared, shared], "r": Report(), "q": Slotted([1])}
    twin = copy_data(value)
    assert twin == value and twin["twice"][0] is twin["twice"][1]
    ruin(twin)
    assert value["t"] == (1, [2]) and value["s"] == {3} and shared == {"a": 1} and value["b"] == b"x"
    assert value["r"] == Report() and value["q"] == Slotted([1])
    turned = copy_data(around)
    assert turned is not around and turned[1] is turned
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert copy_data(deep) != 0


def test_arguments_of_any_kind_of_mapping_are_out_of_reach():
    class Own(OrderedDict[str, Any]):
        pass

    for kind in (dict, OrderedDict, Own):
        given = kind(a=[1])
        ruin(copy_call_arguments(given))
        assert given == {"a": [1]}


def test_frozen_data_is_json_and_its_copies_can_be_changed():
    schema = {"type": "object", "properties": {"a": {"enum": [1, 2]}}, "required": ("a",)}
    held = freeze(schema)
    ruin(held)
    assert json.loads(json.dumps(held)) == json.loads(json.dumps(schema))
    for twin in (copy.deepcopy(held), pickle.loads(pickle.dumps(held)), thaw(held)):
        twin["properties"]["a"]["enum"].append(3)
        assert type(twin) is dict and held["properties"]["a"]["enum"] == [1, 2]


def test_what_a_provider_is_shown_can_be_changed_by_the_host():
    toolset = Toolset([Tool.from_schema("a", "", {"type": "object", "properties": {"x": {"type": "string"}}}, dict)])
    for dialect in ("openai", "openai-responses", "anthropic", "gemini", "mcp", "ai-sdk"):
        (definition,) = toolset.definitions(dialect)
        before = copy.deepcopy(definition)
        ruin(definition)
        assert toolset.definitions(dialect) == [before]
