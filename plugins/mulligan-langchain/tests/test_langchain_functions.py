"""`wrap_tool_with_error_handling` and `execute_tool_safely`."""

import asyncio
import time
from typing import Annotated

import pytest
from langchain.agents import create_agent
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool, tool
from langchain_core.tools import Tool as SimpleTool
from langchain_script import answers, asked, model, says
from langgraph.prebuilt import InjectedState
from mulligan_langchain import (
    ErrorHandlingToolNode,
    FatalToolError,
    MulliganMiddleware,
    MulliganToolNode,
    ToolExecutionError,
    aexecute_tool_safely,
    execute_tool_safely,
    execute_tool_safely_sync,
    wrap_tool_with_error_handling,
)

from mulligan import Pipeline
from mulligan.errors import ResourceNotFoundError, ToolAuthenticationError


def read_page(path: str) -> str:
    """Read a page of the handbook."""
    if path == "secret":
        raise ToolAuthenticationError("The vault rejected the credentials.")
    if path != "home.md":
        raise FileNotFoundError(2, "No such file or directory", path)
    return "Welcome."


async def aread_page(path: str) -> str:
    """Read a page of the handbook."""
    return read_page(path)


def test_the_names_of_other_error_handling_nodes_are_there():
    def fail(path: str) -> str:
        """Fail."""
        raise RuntimeError("no such luck")

    result = asyncio.run(aexecute_tool_safely(fail, {"path": "a"}))
    assert type(result.error) is ToolExecutionError and aexecute_tool_safely is execute_tool_safely
    assert ErrorHandlingToolNode is MulliganToolNode


def call(name, args, id="c1"):
    return {"type": "tool_call", "name": name, "args": args, "id": id}


WAYS = [
    (read_page, lambda wrapped, given: wrapped.invoke(given)),
    (read_page, lambda wrapped, given: asyncio.run(wrapped.ainvoke(given))),
    (aread_page, lambda wrapped, given: asyncio.run(wrapped.ainvoke(given))),
]


@pytest.mark.parametrize(("function", "invoke"), WAYS, ids=["sync", "sync awaited", "async"])
def test_a_wrapped_tool(function, invoke):
    base = tool(function)
    wrapped = wrap_tool_with_error_handling(base)
    assert type(wrapped) is type(base)
    assert (wrapped.name, wrapped.args, wrapped.description) == (base.name, base.args, base.description)
    assert invoke(wrapped, {"path": "home.md"}) == "Welcome."
    assert invoke(wrapped, call(base.name, {"path": "home.md"})) == ToolMessage(
        "Welcome.", name=base.name, tool_call_id="c1"
    )
    answer = invoke(wrapped, call(base.name, {"path": "x"}))
    assert answer.status == "error"
    assert answer.text.startswith(f"Error executing tool {base.name}: Resource not found: x")
    assert "Resource not found: x" in invoke(wrapped, {"path": "x"})
    assert "/path: wrong type; expected string" in invoke(wrapped, {"path": 1})
    with pytest.raises(FatalToolError, match="The vault rejected the credentials"):
        invoke(wrapped, {"path": "secret"})
    with pytest.raises(FileNotFoundError):  # the tool itself is as it was
        invoke(base, {"path": "x"})


def test_a_wrapped_function_with_a_timeout_and_a_session():
    def wait(name: str) -> str:
        """Wait."""
        time.sleep(1)
        return "late"

    pipeline = Pipeline()
    wrapped = wrap_tool_with_error_handling(wait, pipeline=pipeline, session=pipeline.session(), timeout=0.05)
    assert "No response within 0.05 s" in wrapped.invoke({"name": "x"})
    assert "This same call has already failed." in wrapped.invoke({"name": "x"})


def test_a_wrapped_tool_of_one_text():
    wrapped = wrap_tool_with_error_handling(SimpleTool(name="page", func=read_page, description="Read a page."))
    assert wrapped.invoke("home.md") == "Welcome."
    assert wrapped.run("home.md") == "Welcome."
    assert wrapped.invoke({"anything": "home.md"}) == "Welcome."
    assert "Resource not found: x" in wrapped.invoke("x")
    assert tool(read_page).invoke("home.md") == wrap_tool_with_error_handling(read_page).invoke("home.md")


def test_a_wrapped_tool_of_a_class_of_its_own():
    class Pages(BaseTool):
        name: str = "pages"
        description: str = "Read a page."

        def _run(self, path: str) -> str:
            return read_page(path)

    wrapped = wrap_tool_with_error_handling(Pages())
    assert isinstance(wrapped, Pages)
    assert wrapped.invoke({"path": "home.md"}) == "Welcome."
    assert "Resource not found: x" in wrapped.invoke({"path": "x"})
    assert "Resource not found: x" in asyncio.run(wrapped.ainvoke({"path": "x"}))


@pytest.mark.parametrize("middleware", [(), (MulliganMiddleware(),)], ids=["plain", "guarded"])
def test_a_wrapped_tool_in_an_agent(run, middleware):
    @tool
    def note(text: str, state: Annotated[dict, InjectedState], tool_call_id: Annotated[str, InjectedToolCallId]) -> str:
        """Take a note."""
        if text == "bad":
            raise RuntimeError("the pen is empty")
        return f"{text} {len(state['messages'])} {tool_call_id}"

    turn = says(("c1", "note", {"text": "a"}), ("c2", "note", {"text": "bad"}), ("c3", "note", {"text": 1}))
    agent = create_agent(model(turn), [wrap_tool_with_error_handling(note)], middleware=middleware)
    told = answers(run(agent, asked())["messages"])
    assert told["c1"].text == "a 2 c1"
    assert "the pen is empty" in told["c2"].text
    assert "/text: wrong type" in told["c3"].text


def execute(*args, **options):
    return execute_tool_safely_sync(*args, **options)


def aexecute(*args, **options):
    return asyncio.run(execute_tool_safely(*args, **options))


@pytest.mark.parametrize("execute", [execute, aexecute], ids=["sync", "async"])
def test_one_call_of_one_tool(execute):
    result = execute(read_page, {"path": "home.md"})
    assert (result.is_error, result.value, result.content) == (False, "Welcome.", "Welcome.")
    result = execute(tool(read_page), '{"path": "x"}', call_id="c1")
    assert isinstance(result.error, ResourceNotFoundError)
    assert result.call.id == "c1"
    assert "line 1 column" in execute(read_page, '{"path": ').content
    assert "missing" in execute(read_page).content
    result = execute(read_page, {"path": "secret"})
    with pytest.raises(ToolAuthenticationError):
        result.raise_if_fatal()


@pytest.mark.parametrize("execute", [execute, aexecute], ids=["sync", "async"])
def test_the_value_is_what_the_tool_returned(execute):
    @tool(response_format="content_and_artifact")
    def paired(tool_call_id: Annotated[str, InjectedToolCallId]) -> tuple[dict, object]:
        """Give both."""
        return {"seen": [1]}, object()

    result = execute(paired, {})
    assert result.value == {"seen": [1]}
    assert result.content == '{"seen": [1]}'

    quiet = StructuredTool.from_function(lambda: None, name="quiet", description="Say nothing.")
    result = execute(quiet, {}, timeout=5)
    assert (result.value, result.content) == (None, "null")
