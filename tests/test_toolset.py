"""The tools of a pipeline: a mapping by name that may change at run time, shown to providers in their shape."""

from __future__ import annotations

import dataclasses
import json
import threading
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from mulligan import Injected, Pipeline, Tool, Toolset, errors, tool  # noqa: F401  -- an annotation names `Injected`
from mulligan.errors import UsageError
from mulligan.plugin import OpenAIDialect, hookimpl


def read(path: str) -> str:
    """Read a file."""
    return f"read {path}"


def write(path: str, text: str) -> str:
    """Write a file."""
    return f"wrote {path}"


def another(name: str, answer: str = "") -> Tool:
    return Tool.from_schema(name, "", {"type": "object"}, lambda **_: answer or name)


def test_it_is_a_mapping_by_name():
    tools = Toolset([read, tool(write)])
    assert isinstance(tools, Mapping)
    assert list(tools) == ["read", "write"]
    assert len(tools) == 2
    assert "read" in tools
    assert "rea" not in tools
    assert tools["read"].handler is read
    assert tools.get("rea") is None
    assert tools.get("rea", 3) == 3
    assert [made.name for made in tools.values()] == ["read", "write"]
    assert repr(tools) == "Toolset(read, write)"
    assert repr(Toolset(another(f"t{number}") for number in range(30))).endswith("t19, ...)")
    with pytest.raises(KeyError):
        tools["rea"]


def test_it_is_made_of_tools_functions_mappings_and_other_toolsets():
    tools = Toolset([Toolset([read]), tool(write), another("third")])
    assert list(tools) == ["read", "write", "third"]
    assert list(Toolset({"any": tool(read)})) == ["read"]
    assert list(Toolset(made for made in [tool(read)])) == ["read"]
    assert list(Toolset(Toolset([read]))) == ["read"]
    assert list(Toolset()) == []


def test_a_pipeline_has_a_toolset_of_its_own():
    tools = Toolset([read])
    with Pipeline(tools, autoload=False) as first, Pipeline(tools, autoload=False) as second:
        first.tools.add(write)
        assert first.call("write", {"path": "a", "text": "b"}).content == "wrote a"
        assert second.call("write", {"path": "a", "text": "b"}).is_error
        assert list(tools) == ["read"]
        assert first.tools["read"] is second.tools["read"] is tools["read"]


def test_tools_are_added_and_removed_at_run_time(make_pipeline, run):
    pipeline = make_pipeline(read)
    assert isinstance(run(pipeline, "write", {}).error, errors.ToolNotFoundError)
    assert pipeline.tools.add(write).name == "write"
    assert run(pipeline, "write", {"path": "a", "text": "b"}).content == "wrote a"
    assert "write" in run(pipeline, "wriet", {}).error.suggestions
    assert "Available tools (2): read, write." in run(pipeline, "wrte", {}).content
    assert pipeline.tools.remove("read").handler is read
    result = run(pipeline, "read", {"path": "a"})
    assert isinstance(result.error, errors.ToolNotFoundError)
    assert "Available tools (1): write." in result.content


def test_a_tool_takes_the_place_of_another_only_when_told(make_pipeline, run):
    pipeline = make_pipeline(another("now", "old"))
    assert run(pipeline, "now").content == "old"
    with pytest.raises(errors.UsageError, match="two tools are named 'now'"):
        pipeline.tools.add(another("now", "new"))
    assert run(pipeline, "now").content == "old"
    pipeline.tools.add(another("now", "new"), replace=True)
    assert run(pipeline, "now").content == "new"
    assert len(pipeline.tools) == 1


def test_two_tools_of_one_name_are_both_named_with_their_place():
    def other() -> None: ...

    other.__name__ = other.__qualname__ = "read"
    with pytest.raises(errors.UsageError) as caught:
        Pipeline([read, other], autoload=False)
    told = str(caught.value)
    assert "two tools are named 'read'" in told
    assert f"{__name__}.read (line {read.__code__.co_firstlineno})" in told
    assert f"(line {other.__code__.co_firstlineno})" in told
    assert "rename one with Tool.from_function(..., name=...)" in told
    with pytest.raises(errors.UsageError, match="<built-in function print>"):
        Toolset([Tool("read", "", print), Tool("read", "", print)])


@pytest.mark.parametrize(
    ("tools", "text"),
    [
        (read, r"tools must be a list of tools, not <function read.*write \[read\]"),
        ("read", r"tools must be a list of tools, not 'read'"),
        (b"read", r"tools must be a list of tools"),
        ([3], r"3 cannot be a tool: pass a Tool, a function or a Toolset"),
        (["read"], r"'read' cannot be a tool"),
        ([None], r"None cannot be a tool"),
        ([lambda path: path], r"a lambda's parameters cannot be annotated"),
        (3, r"tools must be a list of tools, not 3"),
        (None, r"tools must be a list of tools, not None"),
    ],
)
def test_what_cannot_be_a_tool_is_named(tools, text):
    with pytest.raises(errors.UsageError, match=text):
        Toolset(tools)
    with pytest.raises(errors.UsageError, match=text):
        Pipeline(tools, autoload=False)


def test_removing_what_is_not_there():
    with pytest.raises(errors.UsageError, match="no tool is named 'rea'; available: read, write"):
        Toolset([read, write]).remove("rea")
    with pytest.raises(errors.UsageError, match="no tool is named 'rea'; available: none"):
        Toolset().remove("rea")


# --- definitions


def test_definitions_for_openai():
    [first, second] = json.loads(json.dumps(Toolset([read, write]).definitions("openai")))
    assert first == {
        "type": "function",
        "function": {
            "name": "read",
            "description": "Read a file.",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}},
                "required": ["path"],
                "additionalProperties": False,
            },
        },
    }
    assert second["function"]["name"] == "write"
    assert Toolset([read, write]).definitions() == [first, second]


def test_one_tool_that_a_provider_may_refuse_takes_no_other_away():
    wrong = Tool.from_schema("add", "", {"properties": {"a": {"type": "strin"}}}, print)
    shown = Toolset([read, another("files.read"), wrong]).definitions()
    assert [one["function"]["name"] for one in shown] == ["read", "files.read", "add"]


def test_definitions_for_anthropic():
    [first] = Toolset([read]).definitions("anthropic")
    assert sorted(first) == ["description", "input_schema", "name"]
    assert first["input_schema"]["properties"] == {"path": {"type": "string"}}


def test_definitions_are_copies():
    tools = Toolset([read])
    tools.definitions()[0]["function"]["parameters"]["extra"] = 1
    assert "extra" not in tools.definitions()[0]["function"]["parameters"]


def test_definitions_in_an_unknown_dialect():
    with pytest.raises(
        errors.UsageError,
        match="unknown dialect 'acme'; available: ai-sdk, anthropic, gemini, mcp, openai, openai-responses",
    ):
        Toolset([read]).definitions("acme")


class AcmeDialect(OpenAIDialect):
    """A provider's shape."""

    name = "acme"


class Acme:
    @hookimpl
    def dialects(self):
        return [AcmeDialect()]


def test_definitions_in_the_dialect_of_a_plugin(make_pipeline):
    pipeline = make_pipeline(read, plugins=[Acme()])
    assert pipeline.tools.definitions("acme") == pipeline.tools.definitions("openai")
    assert Toolset([read]).definitions(AcmeDialect()) == pipeline.tools.definitions("openai")


def test_two_pipelines_that_share_a_toolset_never_see_each_others_plugins():
    tools = Toolset([read])
    with Pipeline(tools, plugins=[Acme()], autoload=False) as first, Pipeline(tools, autoload=False) as second:
        assert first.tools.definitions("acme")
        message = {"tool_calls": [{"id": "1", "function": {"name": "read", "arguments": '{"path": "a"}'}}]}
        assert first.answer(message).results[0].message("acme")["content"] == "read a"
        with pytest.raises(errors.UsageError, match="unknown dialect 'acme'"):
            second.tools.definitions("acme")


def test_a_tool_whose_schema_cannot_be_made_is_named():
    def connect(lock: threading.Lock) -> None: ...

    with pytest.raises(errors.UsageError, match="connect, parameter 'lock'"):
        Toolset([read, connect]).definitions()


def test_a_tool_whose_schema_cannot_be_used_does_not_hinder_the_others(make_pipeline, run):
    connect = Tool.from_schema("connect", "", {"type": "object", "properties": {"lock": {"type": "Lock"}}}, dict)
    pipeline = make_pipeline(read, connect)
    assert run(pipeline, "read", {"path": "a"}).content == "read a"
    assert isinstance(run(pipeline, "conect", {"lock": 1}).error, errors.ToolNotFoundError)


# --- suggestions and specs


def test_suggestions_come_from_names_descriptions_and_arguments():
    tools = Toolset([read, write, another("delete_everything")])
    assert tools.suggest("raed").names[0] == "read"
    assert tools.suggest("read_file", {"path": "a"}).names[0] == "read"


def test_specs_have_no_handlers():
    specs = Toolset([read, write]).without_handlers()
    assert list(specs) == ["read", "write"]
    with pytest.raises(errors.UsageError, match="a repairer cannot run tools"):
        specs["read"](path="a")


def test_tools_may_change_while_others_are_called(make_pipeline):
    pipeline = make_pipeline(read, *(another(f"t{number}") for number in range(50)))
    failures = []

    def change() -> None:
        for number in range(300):
            pipeline.tools.add(another(f"extra{number}"))
            pipeline.tools.remove(f"extra{number}")

    def ask() -> None:
        for _ in range(150):
            if pipeline.call("read", {"path": "a"}).content != "read a":
                failures.append("read")
            if not isinstance(pipeline.call("rad", {}).error, errors.ToolNotFoundError):
                failures.append("rad")
            list(pipeline.tools.values())

    threads = [threading.Thread(target=target) for target in (change, ask, ask)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert pipeline.faults == ()
    assert len(pipeline.tools) == 51


def test_tools_removed_while_they_are_listed_stay_in_the_list():
    tools = Toolset([another("a"), another("b"), another("c")])
    seen = []
    for name, listed in tools.items():
        seen.append((name, listed.name))
        tools.remove(name)
    values = iter(Toolset([read]).values())
    assert seen == [("a", "a"), ("b", "b"), ("c", "c")]
    assert next(values).name == "read"
    assert len(tools) == 0


@pytest.mark.parametrize(
    "listing", [lambda tools: tools, lambda tools: tools.view, lambda tools: tools.without_handlers()]
)
def test_names_are_those_at_the_start_of_an_iteration(listing):
    tools = Toolset([another("a"), another("b")])
    seen = []
    for name in listing(tools):
        seen.append(name)
        tools.remove(name)
        tools.add(another(f"{name}{name}"))
    assert seen == ["a", "b"]
    assert list(tools) == list(tools.view) == ["aa", "bb"]


def test_a_replaced_tool_keeps_its_place_and_a_tool_added_again_comes_last():
    tools = Toolset([another("a"), another("b")])
    tools.add(another("a"), replace=True)
    assert list(tools) == ["a", "b"]
    tools.add(tools.remove("a"))
    assert list(tools) == list(tools.keys()) == [name for name, _ in tools.items()] == ["b", "a"]


def test_tools_listed_by_many_threads_while_they_change():
    tools = Toolset([another(f"t{number}") for number in range(200)])
    wrong = []
    done = threading.Event()

    def list_them() -> None:
        while not done.is_set():
            try:
                if len(tools.values()) < 200 or len(tools.items()) < 200 or len(list(tools)) < 200:
                    wrong.append("too few")
                tools.definitions("openai")
            except Exception as caught:
                wrong.append(repr(caught))

    threads = [threading.Thread(target=list_them) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(200):
        tools.add(another(f"extra{number}"))
        tools.remove(f"extra{number}")
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []


@dataclasses.dataclass
class Half:
    """A field's annotation names nothing."""

    whole: Nowhere  # noqa: F821


class Unheard:
    """No JSON Schema says what this is."""


def named(annotation: Any, *, injected: bool = False) -> Callable[..., Any]:
    def broken(good: int, bad: Any) -> str:
        return "never"

    broken.__annotations__ = {"good": int, "bad": annotation}
    return broken


UNDESCRIBABLE: dict[str, Any] = {
    "Nowhere": "Nowhere",
    "list[Nowhere]": "list[Nowhere]",
    "Nowhere, written inside": list["Nowhere"],  # noqa: F821
    "a syntax error": "int or",
    "an attribute that is not there": "dataclasses.Nowhere",
    "a class of one's own": Unheard,
    "within others": dict[str, list[Unheard | None]],
    "a field of a dataclass": Half,
    "a dataclass in a list": list[Half],
    "a set of lists": set[list[int]],
    "an injected one": "Injected[Nowhere]",
    "a limit that JSON Schema does not know": Annotated[bool, {"gt": 3}, types.SimpleNamespace(gt=3)],
}


@pytest.mark.parametrize("case", UNDESCRIBABLE)
@pytest.mark.parametrize(
    "made", [tool, lambda function: function, tool(name="other")], ids=["tool", "function", "named"]
)
def test_a_tool_that_cannot_be_described_is_refused_when_the_pipeline_is_made(case, made):
    given = made(named(UNDESCRIBABLE[case]))  # not here: what it names may be defined later
    name = given.name if isinstance(given, Tool) else "broken"
    toolset, pipeline = Toolset(), Pipeline(autoload=False)
    for attempt in (lambda: Pipeline([read, given]), lambda: toolset.add(given), lambda: pipeline.with_tools([given])):
        with pytest.raises(UsageError) as refused:
            attempt()
        told = str(refused.value)
        assert told.startswith(f"tool '{name}' cannot be described: ") and "parameter 'bad'" in told
        assert any(step in told for step in ("Define or import", "Use one of these", "use a list", "remove the limit"))
    assert list(toolset) == []


def test_what_an_annotation_names_may_be_defined_after_the_tool():
    module: dict[str, Any] = {"tool": tool, "__name__": "later"}
    exec("@tool\ndef early(a: 'Later') -> str: return str(a)\n", module)
    with pytest.raises(UsageError, match="Later"):
        Pipeline([module["early"]], autoload=False)
    exec("Later = int", module)
    assert Pipeline([module["early"]], autoload=False).call("early", {"a": 3}).content == "3"


@pytest.mark.parametrize(
    "annotation", [int, "str", "list[str]", "int | None", Literal["a", 1], Path, Any, "dict[str, int]"]
)
def test_a_tool_that_can_be_described_is_not(annotation):
    assert Toolset([named(annotation)]).definitions()


def test_an_annotation_that_a_written_schema_replaces_need_not_be_described():
    made = Tool.from_function(named(Unheard), schema={"type": "object"})
    assert list(Toolset([made])) == ["broken"]


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("langchain_core.tools.structured", "mulligan-langchain"),
        ("crewai.tools.base_tool", "mulligan-crewai"),
        ("haystack.tools.tool", "mulligan-haystack"),
        ("llama_index.core.tools.function_tool", "mulligan-llamaindex"),
        ("pydantic_ai.tools", "mulligan-pydantic-ai"),
        ("agents.tool", "mulligan-openai-agents"),
        ("google.adk.tools.function_tool", "mulligan-adk"),
        ("strands.tools.decorator", "mulligan-strands"),
        ("agent_framework._tools", "mulligan-agent-framework"),
        ("smolagents.tools", "mulligan-smolagents"),
        ("mcp.types", "mulligan-mcp"),
    ],
)
def test_a_tool_of_another_framework_names_the_package(module, package):
    kind = type("TheirTool", (), {"__module__": module, "__repr__": lambda self: "TheirTool(" + "x" * 200})
    own = type("Sub", (kind,), {"__module__": "app"})
    for given in (kind(), own()):
        with pytest.raises(UsageError, match=f"pip install {package}") as refused:
            Pipeline([given], autoload=False)
        assert type(given).__qualname__ in str(refused.value) and "xxx" not in str(refused.value)
    assert (Path(__file__).parent.parent / "plugins" / package).is_dir()


@pytest.mark.parametrize(
    "given",
    [object(), 5, "x" * 200, type("Odd", (), {"__repr__": lambda self: 1 / 0})()],
    ids=["object", "int", "text", "odd"],
)
def test_what_cannot_be_a_tool_is_shown_whole_or_by_its_type(given):
    with pytest.raises(
        UsageError,
        match=r"^(5|<object object>|a value of type \S+) cannot be a tool: pass a Tool, a function or a Toolset$",
    ):
        Pipeline([given], autoload=False)


def test_a_callable_of_a_package_that_is_called_like_a_framework_is_a_tool():
    kind = type("Search", (), {"__module__": "agents.own", "__call__": lambda self, query: query})
    kind.__call__.__annotations__ = {"query": str}
    assert list(Toolset([kind()])) == ["Search"]


@pytest.mark.parametrize(
    "listing", [lambda tools: tools, lambda tools: tools.view, lambda tools: tools.without_handlers()]
)
def test_which_tools_have_parameters_for_all_arguments(listing):
    schema = {"type": "object", "properties": {"shelf": {}, "day": {}}}
    tools = Toolset([Tool.from_schema("get_shelf", "", {"type": "object", "properties": {"shelf": {}}}, dict)])
    tools.add(Tool.from_schema("list_loans", "", schema, dict))
    listed = listing(tools)
    assert [tool.name for tool in listed.having({"shelf": "n"})] == ["get_shelf", "list_loans"]
    assert [tool.name for tool in listed.having({"day": 1, "shelf": "n"})] == ["list_loans"]
    assert listed.having({"isbn": 1}) == []
