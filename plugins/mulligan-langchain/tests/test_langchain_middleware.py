"""`MulliganMiddleware` in `create_agent`: what the model reads, what stops the run, and what stays as it was."""

import asyncio
import json
import re
import time
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    ToolErrorMiddleware,
    ToolRetryMiddleware,
)
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import InjectedState, InjectedStore, ToolRuntime
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, StructuredTool, ToolException, tool
from langchain_script import answers, asked, model, says
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, interrupt
from mulligan_langchain import FatalToolError, MulliganMiddleware
from mulligan_testkit.returned import DATA, REPORTS, reason_of
from pydantic import BaseModel, ValidationError, field_validator

from mulligan import Pipeline, Policy
from mulligan.errors import (
    RepeatedCallError,
    ToolAuthenticationError,
    ToolPermissionError,
    UsageError,
)
from mulligan.plugin import CallFinished, hookimpl


class Watching:
    """Keeps the ids of the calls that were answered."""

    def __init__(self):
        self.answered = []

    @hookimpl
    def observe(self, event):
        if isinstance(event, CallFinished):
            self.answered.append(event.result.call.id)


@tool
def add(first: int, second: int) -> int:
    """Add two numbers."""
    return first + second


@tool
def read_page(path: str) -> str:
    """Read a page of the handbook."""
    pages = {"home.md": "Welcome."}
    if path not in pages:
        raise FileNotFoundError(2, "No such file or directory", path)
    return pages[path]


@tool
def login(name: str) -> str:
    """Log in."""
    raise ToolAuthenticationError("The vault rejected the credentials.", provider="vault")


def agent(turns, tools, *middleware, first=None, **options):
    said = model(*turns)
    return said, create_agent(said, tools, middleware=[first or MulliganMiddleware(), *middleware], **options)


def told(run, turns, tools, *middleware, **options):
    """The answers by call id; the run must reach its end."""
    said, made = agent(turns, tools, *middleware, **options)
    end = run(made, asked())
    assert end["messages"][-1].text == "Done."
    return answers(end["messages"])


def test_an_unknown_tool_is_answered_with_what_may_be_meant(run):
    told_ = told(run, [says(("c1", "read_pge", {"path": "home.md"}))], [add, read_page])
    assert told_["c1"].status == "error"
    assert told_["c1"].name == "read_pge"
    assert told_["c1"].text.startswith("Error: Tool 'read_pge' not found.\nDid you mean \"read_page\"?\n")


def test_arguments_that_do_not_fit_are_named_all(run):
    text = told(run, [says(("c1", "add", {"first": "many"}))], [add])["c1"].text
    assert "- /first: wrong type; expected integer" in text
    assert "/second" in text


def test_what_pydantic_takes_is_taken(run):
    assert told(run, [says(("c1", "add", {"first": "2", "second": 3.0}))], [add])["c1"].text == "5"


def test_what_the_schema_cannot_say_is_told_by_pydantic(run):
    class Even(BaseModel):
        number: int

        @field_validator("number")
        @classmethod
        def even(cls, number: int) -> int:
            if number % 2:
                raise ValueError("must be even")
            return number

    halve = StructuredTool.from_function(
        lambda number: number // 2, name="halve", description="Halve.", args_schema=Even
    )
    told_ = told(run, [says(("c1", "halve", {"number": 3}), ("c2", "halve", {"number": 4}))], [halve])
    assert "nothing was run" in told_["c1"].text
    assert "/number: Value error, must be even" in told_["c1"].text
    assert told_["c1"].response_metadata["mulligan"]["effect"] == "none"
    assert told_["c2"].text == "2"


def test_malformed_json_gets_an_answer_and_another_turn(run):
    text = told(run, [says(("c1", "add", '{"first": 2 "second": 3}'))], [add])["c1"].text
    assert "not valid JSON at line 1 column 13" in text


def test_malformed_json_beside_a_good_call(run):
    turn = says(("c1", "add", '{"first": 2 "second": 3}'), ("c2", "add", {"first": 2, "second": 3}))
    told_ = told(run, [turn], [add])
    assert "not valid JSON" in told_["c1"].text
    assert told_["c2"].text == "5"


def test_malformed_json_of_an_unknown_tool(run):
    assert "Tool 'ad' not found" in told(run, [says(("c1", "ad", '{"first": '))], [add])["c1"].text


def test_malformed_json_without_an_id_is_answered_too(run):
    turn = AIMessage(
        "", invalid_tool_calls=[{"name": "add", "args": "{", "id": None, "error": "", "type": "invalid_tool_call"}]
    )
    (answer,) = told(run, [turn], [add]).values()
    assert "not valid JSON" in answer.text
    assert answer.tool_call_id.startswith("call_")


def test_malformed_json_can_be_repaired_and_then_runs_like_any_call(run):
    first = MulliganMiddleware(Pipeline(policy=Policy(repair="json")))
    said, made = agent([says(("c1", "add_up", '{"first": 2 "second": 3}'))], [_read_only_add()], first=first)
    messages = run(made, asked())["messages"]
    assert messages[1].tool_calls[0]["args"] == {"first": 2, "second": 3}
    assert messages[1].invalid_tool_calls == []
    assert answers(messages)["c1"].text == "5"


def test_a_repaired_call_still_needs_its_approval(run):
    ask = HumanInTheLoopMiddleware(interrupt_on={"add_up": True})
    first = MulliganMiddleware(Pipeline(policy=Policy(repair="json")))
    said, made = agent(
        [says(("c1", "add_up", '{"first": 2 "second": 3}'))],
        [_read_only_add()],
        ask,
        first=first,
        checkpointer=InMemorySaver(),
    )
    end = run(made, asked(), {"configurable": {"thread_id": "1"}})
    assert end["__interrupt__"][0].value["action_requests"][0]["name"] == "add_up"
    assert answers(end["messages"]) == {}


def _read_only_add():
    return StructuredTool.from_function(
        lambda first, second: first + second,
        name="add_up",
        description="Add up.",
        args_schema={
            "type": "object",
            "properties": {"first": {"type": "integer"}, "second": {"type": "integer"}},
            "required": ["first", "second"],
        },
        metadata={"readOnlyHint": True},
    )


def test_an_exception_is_told_and_the_run_goes_on(run):
    answer = told(run, [says(("c1", "read_page", {"path": "hmoe.md"}))], [read_page])["c1"]
    assert answer.text.startswith("Error executing tool read_page: Resource not found: hmoe.md")
    assert answer.response_metadata["mulligan"]["type"] == "ResourceNotFoundError"
    assert answer.response_metadata["mulligan"]["fatal"] is False


def test_a_tool_that_hangs_is_given_up(run):
    @tool
    def wait() -> str:
        """Wait."""
        time.sleep(1)
        return "too late"

    @tool
    def other() -> str:
        """Do not wait."""
        return "here"

    first = MulliganMiddleware(timeout={"wait": 0.05})
    told_ = told(run, [says(("c1", "wait", {}), ("c2", "other", {}))], [wait, other], first=first)
    assert "No response within 0.05 s" in told_["c1"].text
    assert told_["c2"].text == "here"


def test_an_async_tool_that_hangs_is_cancelled():
    ended = []

    @tool
    async def wait() -> str:
        """Wait."""
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            ended.append(True)
            raise
        return "too late"

    async def play():
        said, made = agent([says(("c1", "wait", {}))], [wait], first=MulliganMiddleware(timeout=0.05))
        return await made.ainvoke(asked())

    assert "No response within 0.05 s" in answers(asyncio.run(play())["messages"])["c1"].text
    assert ended == [True]


def test_one_of_three_fails(run):
    turn = says(
        ("c1", "add", {"first": 1, "second": 1}),
        ("c2", "read_page", {"path": "x"}),
        ("c3", "add", {"first": 2, "second": 2}),
    )
    told_ = told(run, [turn], [add, read_page])
    assert [told_[id].text for id in ("c1", "c3")] == ["2", "4"]
    assert "Resource not found: x" in told_["c2"].text


def test_a_value_that_reports_a_failure(run):
    @tool
    def book(seat: str) -> dict:
        """Book a seat."""
        return {"error": f"seat {seat} is taken", "code": 409}

    @tool
    def show_log() -> str:
        """Show the log."""
        return '{"error": "this is only a document"}'

    told_ = told(run, [says(("c1", "book", {"seat": "4A"}), ("c2", "show_log", {}))], [book, show_log])
    assert told_["c1"].status == "error"
    assert "seat 4A is taken" in told_["c1"].text
    assert told_["c2"].text == '{"error": "this is only a document"}'
    assert told_["c2"].status == "success"


def test_fatal_ends_the_run_after_every_call_is_answered(run):
    turn = says(("c1", "login", {"name": "ann"}), ("c2", "add", {"first": 2, "second": 3}))
    said, made = agent([turn], [login, add], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    with pytest.raises(FatalToolError, match="ToolAuthenticationError: The vault rejected the credentials") as stopped:
        run(made, asked(), config)
    assert isinstance(stopped.value.__cause__, ToolAuthenticationError)
    assert stopped.value.error.provider == "vault"
    told_ = answers(made.get_state(config).values["messages"])
    assert "The vault rejected the credentials." in told_["c1"].text
    assert told_["c2"].text == "5"
    assert len(said.received) == 1


def test_the_person_may_go_on_after_a_fatal_failure(run):
    valid = []

    @tool
    def fetch() -> str:
        """Fetch the mail."""
        if not valid:
            raise ToolAuthenticationError("The mail server rejected the password.")
        return "no mail"

    said, made = agent([says(("c1", "fetch", {})), says(("c2", "fetch", {}))], [fetch], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    with pytest.raises(FatalToolError):
        run(made, asked(), config)
    valid.append(True)
    assert answers(run(made, asked("I gave it."), config)["messages"])["c2"].text == "no mail"


def test_fatal_beside_a_command_that_says_more(run):
    @tool
    def note(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Take a note."""
        said = [ToolMessage("Noted.", tool_call_id=tool_call_id), HumanMessage("By the way: hello.")]
        return Command(update={"messages": said})

    said, made = agent(
        [says(("c1", "login", {"name": "ann"}), ("c2", "note", {}))], [login, note], checkpointer=InMemorySaver()
    )
    config = {"configurable": {"thread_id": "1"}}
    with pytest.raises(FatalToolError, match="The vault rejected the credentials"):
        run(made, asked(), config)
    assert run(made, asked("Go on."), config)["messages"][-1].text == "Done."


def test_a_fatal_failure_out_of_a_checkpoint_keeps_its_reason(run):
    saver, config = InMemorySaver(), {"configurable": {"thread_id": "1"}}
    _, made = agent([says(("c1", "login", {"name": "ann"}))], [login], checkpointer=saver)
    with pytest.raises(FatalToolError):
        run(made, asked(), config)
    _, another = agent([], [login], checkpointer=saver)  # as in another process
    with pytest.raises(FatalToolError, match="The vault rejected the credentials") as stopped:
        run(another, None, config)
    assert isinstance(stopped.value.__cause__, ToolAuthenticationError)
    assert stopped.value.error.provider == "vault"


def test_fatal_can_end_with_a_sentence_instead(run):
    first = MulliganMiddleware(on_fatal="end")
    said, made = agent([says(("c1", "login", {"name": "ann"}))], [login], first=first)
    messages = run(made, asked())["messages"]
    assert (
        messages[-1].text == "vault rejected the credentials used by login. Provide valid credentials, then try again."
    )
    assert len(said.received) == 1


def test_on_fatal_is_checked():
    with pytest.raises(UsageError, match="on_fatal='stop': use 'error' or 'end'"):
        MulliganMiddleware(on_fatal="stop")


def test_calls_of_one_message_do_not_end_the_run(run):
    @tool
    def read_lines(path: str, first: int) -> str:
        """Read some lines of a page."""
        raise FileNotFoundError(2, "No such file or directory", path)

    turn = says(*((f"c{n}", "read_lines", {"path": "x", "first": n}) for n in range(8)))
    said, made = agent([turn], [read_lines], first=MulliganMiddleware())
    assert len(answers(run(made, asked())["messages"])) == 8
    assert len(said.received) == 2


def test_the_loop_guard_knows_one_run_and_no_other(run):
    turn = says(("c1", "read_page", {"path": "x"}))
    first = MulliganMiddleware()
    said, made = agent([turn] * 5, [read_page], first=first)
    with pytest.raises(FatalToolError, match="it has already failed 4 times") as stopped:
        run(made, asked())
    assert isinstance(stopped.value.error, RepeatedCallError)
    assert len(said.received) == 5
    said, another = agent([turn], [read_page], first=first)
    assert "already failed" not in answers(run(another, asked())["messages"])["c1"].text


def test_the_loop_guard_remembers_a_thread_until_the_person_writes(run):
    @tool
    def ask(question: str) -> str:
        """Ask the person."""
        return f"They said {interrupt(question)}."

    ask.metadata = {"mulligan": {"read_only": True}}
    turns = [
        says(("c1", "read_page", {"path": "x"})),
        says(("c2", "ask", {"question": "Why?"})),
        says(("c3", "read_page", {"path": "x"})),
        AIMessage("First."),
        says(("c4", "read_page", {"path": "x"})),
    ]
    said, made = agent(turns, [read_page, ask], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    run(made, asked(), config)
    told_ = answers(run(made, Command(resume="so"), config)["messages"])
    assert "This same call has already failed." in told_["c3"].text
    told_ = answers(run(made, asked("It is there now."), config)["messages"])
    assert "Resource not found: x" in told_["c4"].text
    assert "already failed" not in told_["c4"].text


def test_the_model_reads_the_feedback_corrects_itself_and_finishes(run):
    def corrected(messages):
        name = re.search(r'if "(.+?)" does what you want, call it', messages[-1].text)[1]
        return says((f"c{len(messages)}", name, {"path": "hmoe.md"}))

    def other_page(messages):
        assert "Resource not found: hmoe.md" in messages[-1].text
        return says(("c9", "read_page", {"path": "home.md"}))

    turns = [
        says(("c1", "read_pages", {"path": "hmoe.md"})),
        corrected,
        other_page,
        lambda messages: AIMessage(f"It says: {messages[-1].text}"),
    ]
    said, made = agent(turns, [add, read_page])
    messages = run(made, asked())["messages"]
    assert messages[-1].text == "It says: Welcome."
    assert "Tool 'read_pages' not found." in said.received[1][-1].text


def test_a_model_that_sends_broken_json_corrects_itself(run):
    def corrected(messages):
        call = json.loads(re.search(r"make this corrected call: (\{.*\})", messages[-1].text)[1])
        return says(("c2", call["name"], call["arguments"]))

    told_ = told(run, [says(("c1", "add", '{"first": 2 "second": 3}')), corrected], [add])
    assert told_["c2"].text == "5"


def plain_and_guarded(run, turns, tools, **options):
    plain = run(create_agent(model(*turns), tools, **options), asked())["messages"]
    guarded = run(create_agent(model(*turns), tools, middleware=[MulliganMiddleware()], **options), asked())["messages"]
    return [_shown(one) for one in plain], [_shown(one) for one in guarded]


def _shown(message):
    return {**message.model_dump(), "id": None}


def test_what_succeeds_is_the_same_as_without(run):
    class Point(BaseModel):
        x: int

    @tool(response_format="content_and_artifact")
    def paired() -> tuple[str, dict]:
        """Give both."""
        return "seen", {"raw": b"1"}

    @tool
    def picture() -> list:
        """Give a picture."""
        return [{"type": "text", "text": "a cat"}, {"type": "image_url", "image_url": {"url": "data:,"}}]

    @tool
    def odd() -> Point:
        """Give an object that is no JSON."""
        return Point(x=1)

    @tool
    def nothing() -> None:
        """Give nothing."""

    @tool
    def nested(n: int) -> dict:
        """Give a document."""
        return {"n": [n], "ä": None}

    @tool
    def own(tool_call_id: Annotated[str, InjectedToolCallId]) -> ToolMessage:
        """Give a message."""
        return ToolMessage("Error: these are my words", tool_call_id=tool_call_id, status="error", artifact={"code": 2})

    @tool
    async def slow() -> str:
        """Wait a little."""
        return "waited"

    tools = [paired, picture, odd, nothing, nested, own] + ([slow] if run.__name__ == "ainvoke" else [])
    calls = [(f"c{i}", one.name, {"n": 1} if one is nested else {}) for i, one in enumerate(tools)]
    plain, guarded = plain_and_guarded(run, [says(*calls)], tools)
    assert guarded == plain


def test_the_authors_own_words_are_kept(run):
    def refuse(order: int) -> str:
        raise ToolException("The shop is closed.")

    @tool
    def fail() -> str:
        """Fail."""
        raise ValueError("inner")

    words = StructuredTool.from_function(
        refuse, name="words", description="Order.", handle_tool_error="Ask for the hours."
    )
    function = StructuredTool.from_function(
        refuse, name="function", description="Order.", handle_tool_error=lambda error: f"Call {error} tomorrow."
    )
    own = ToolErrorMiddleware(lambda error, request: "Please fill in the form.")
    turn = says(("c1", "words", {"order": 1}), ("c2", "function", {"order": 1}), ("c3", "fail", {}))
    told_ = told(run, [turn], [words, function, fail], own)
    assert [told_[id].text for id in ("c1", "c2", "c3")] == [
        "Ask for the hours.",
        "Call The shop is closed. tomorrow.",
        "Please fill in the form.",
    ]


def test_the_frameworks_own_words_are_improved(run):
    def refuse(order: int) -> str:
        raise ToolException("Rate limit reached: key sk-ant-REDACTED")

    flagged = StructuredTool.from_function(refuse, name="flagged", description="Order.", handle_tool_error=True)
    text = told(run, [says(("c1", "flagged", {"order": 1}))], [flagged])["c1"].text
    assert text.startswith("Error executing tool flagged: ")
    assert "sk-ant-api03" not in text


def test_what_the_author_raises_for_the_model_is_shown_as_the_authors_words(run):
    def order(id: int) -> str:
        raise ToolException("Unauthorized: order 77 is locked; call unlock_order(77) first.")

    flagged = StructuredTool.from_function(order, name="order", description="Order.", handle_tool_error=True)
    text = told(run, [says(("c1", "order", {"id": 77}))], [flagged])["c1"].text
    assert 'The tool says: "Unauthorized: order 77 is locked; call unlock_order(77) first."' in text
    assert "<<<" not in text and "taken effect" not in text


def test_retries_of_the_framework_inside_end_in_one_account(run):
    ran = []

    @tool
    def flaky(place: str) -> str:
        """Look at a place."""
        ran.append(place)
        raise ConnectionResetError("reset by peer")

    retry = ToolRetryMiddleware(max_retries=2, initial_delay=0.0, jitter=False)
    text = told(run, [says(("c1", "flaky", {"place": "x"}))], [flaky], retry)["c1"].text
    assert text.startswith("Error executing tool flaky: ")
    assert len(ran) == 3


def test_retries_of_the_framework_that_succeed(run):
    ran = []

    @tool
    def flaky() -> str:
        """Look."""
        ran.append(1)
        if len(ran) < 3:
            raise ConnectionResetError("reset by peer")
        return "seen"

    retry = ToolRetryMiddleware(max_retries=2, initial_delay=0.0, jitter=False)
    assert told(run, [says(("c1", "flaky", {}))], [flaky], retry)["c1"].text == "seen"


def test_retries_of_the_core_for_tools_that_only_read(run):
    ran = []

    def look() -> str:
        ran.append(1)
        if len(ran) < 2:
            raise ConnectionResetError("reset by peer")
        return "seen"

    made = StructuredTool.from_function(
        look, name="look", description="Look.", metadata={"mulligan": {"read_only": True}}
    )
    first = MulliganMiddleware(Pipeline())
    assert told(run, [says(("c1", "look", {}))], [made], first=first)["c1"].text == "seen"
    assert len(ran) == 2


@pytest.mark.parametrize("timeout", [None, 5])
def test_an_interrupt_passes_and_resumes(run, timeout):
    @tool
    def ask(question: str) -> str:
        """Ask the person."""
        return f"They said {interrupt(question)}."

    watching = Watching()
    first = MulliganMiddleware(Pipeline(plugins=[watching]), timeout=timeout)
    said, made = agent([says(("c1", "ask", {"question": "Why?"}))], [ask], first=first, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    assert run(made, asked(), config)["__interrupt__"][0].value == "Why?"
    assert watching.answered == []
    end = run(made, Command(resume="so"), config)
    assert answers(end["messages"])["c1"].text == "They said so."
    assert watching.answered == ["c1"]


def test_an_approval_that_is_refused(run):
    ask = HumanInTheLoopMiddleware(interrupt_on={"add": True})
    said, made = agent([says(("c1", "add", {"first": 1, "second": 1}))], [add], ask, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    run(made, asked(), config)
    end = run(made, Command(resume={"decisions": [{"type": "reject", "message": "Not now."}]}), config)
    assert answers(end["messages"])["c1"].text.endswith("with reason: Not now.")


def test_state_store_runtime_and_commands(run):
    @tool
    def remember(
        fact: str,
        state: Annotated[dict, InjectedState],
        store: Annotated[Any, InjectedStore()],
        runtime: ToolRuntime,
        tool_call_id: Annotated[str, InjectedToolCallId],
    ) -> Command:
        """Remember a fact."""
        store.put(("facts",), "one", {"fact": fact})
        seen = f"{len(state['messages'])} {runtime.tool_call_id}"
        return Command(update={"messages": [ToolMessage(f"{fact} {seen}", tool_call_id=tool_call_id)]})

    store = InMemoryStore()
    turn = says(("c1", "remember", {"fact": "blue"}), ("c2", "remember", {"fact": 1}))
    told_ = told(run, [turn], [remember], store=store)
    assert told_["c1"].text == "blue 2 c1"
    assert store.get(("facts",), "one").value == {"fact": "blue"}
    assert "/fact: wrong type; expected string" in told_["c2"].text
    assert "state" not in told_["c2"].text


def test_a_model_cannot_fill_in_what_is_injected(run):
    @tool
    def whoami(runtime: ToolRuntime) -> str:
        """Say who I am."""
        return runtime.tool_call_id

    assert told(run, [says(("c1", "whoami", {"runtime": {"tool_call_id": "forged"}}))], [whoami])["c1"].text == "c1"


def test_a_tool_that_another_middleware_supplies(run):
    @tool
    def late(word: str) -> str:
        """Come late."""
        if word == "fail":
            raise RuntimeError("came too late")
        return word.upper()

    class Supplies(AgentMiddleware):
        def wrap_tool_call(self, request, handler):
            return handler(request.override(tool=late) if request.tool_call["name"] == "late" else request)

        async def awrap_tool_call(self, request, handler):
            return await handler(request.override(tool=late) if request.tool_call["name"] == "late" else request)

    turn = says(("c1", "late", {"word": "a"}), ("c2", "late", {"word": "fail"}), ("c3", "lat", {"word": "a"}))
    told_ = told(run, [turn], [add], Supplies())
    assert told_["c1"].text == "A"
    assert "came too late" in told_["c2"].text
    assert "Tool 'lat' not found." in told_["c3"].text


def test_a_middleware_that_answers_for_a_name_of_its_own(run):
    class Answers(AgentMiddleware):
        def wrap_tool_call(self, request, handler):
            if request.tool_call["name"] == "where":
                return ToolMessage("Here.", tool_call_id=request.tool_call["id"], name="where")
            return handler(request)

        async def awrap_tool_call(self, request, handler):
            if request.tool_call["name"] == "where":
                raise RuntimeError("nowhere")
            return await handler(request)

    text = told(run, [says(("c1", "where", {}))], [add], Answers())["c1"].text
    assert text == "Here." if run.__name__ == "invoke" else "nowhere" in text


@pytest.mark.parametrize("mode", ["batched", "per_call"])
def test_what_an_approval_has_edited_is_what_counts(run, mode):
    plain = _read_only_add()
    ask = HumanInTheLoopMiddleware(interrupt_on={"add": True, "add_up": True}, interrupt_mode=mode)
    config = {"configurable": {"thread_id": "1"}}

    def decided(sent, edited, used):
        turn = says(("c1", used.name, sent))
        said, made = agent([turn], [used], ask, checkpointer=InMemorySaver())
        run(made, asked(), config)
        edit = {"type": "edit", "edited_action": {"name": used.name, "args": edited}}
        end = run(made, Command(resume={"decisions": [edit]} if mode == "batched" else edit), config)
        return answers(end["messages"])["c1"].text

    for used in (add, plain):
        assert decided({"first": "many", "second": 1}, {"first": 4, "second": 1}, used).endswith("5")
        assert decided({"first": 1, "second": 1}, {"first": 4, "second": 1}, used).endswith("5")
    wrong = {"first": "many", "second": 1}
    if mode == "batched":
        assert "first: Input should be a valid integer" in decided({"first": 1, "second": 1}, wrong, add)
    else:  # the framework refuses what the person sent, so that they can answer again
        with pytest.raises(ValidationError, match="valid integer"):
            decided({"first": 1, "second": 1}, wrong, add)


def test_arguments_that_another_middleware_mends(run):
    class Mends(AgentMiddleware):
        def wrap_tool_call(self, request, handler):
            return handler(request.override(tool_call={**request.tool_call, "args": {"first": 4, "second": 1}}))

        async def awrap_tool_call(self, request, handler):
            return await handler(request.override(tool_call={**request.tool_call, "args": {"first": 4, "second": 1}}))

    turn = says(("c1", "add", {"numbers": [4, 1]}), ("c2", "add_up", {"numbers": [4, 1]}))
    told_ = told(run, [turn], [add, _read_only_add()], Mends())
    assert [told_[id].text for id in ("c1", "c2")] == ["5", "5"]


@pytest.mark.parametrize(
    ("changed", "problem"), [({"first": "many", "second": 1}, "/first: "), ({"first": 1, "second": 1, "third": 1}, "/")]
)
def test_arguments_that_another_middleware_breaks(run, changed, problem):
    class Breaks(AgentMiddleware):
        def wrap_tool_call(self, request, handler):
            return handler(request.override(tool_call={**request.tool_call, "args": changed}))

        async def awrap_tool_call(self, request, handler):
            return await handler(request.override(tool_call={**request.tool_call, "args": changed}))

    text = told(run, [says(("c1", "add", {"first": 4, "second": 1}))], [add], Breaks())["c1"].text
    assert text.startswith(f"Error executing tool add: Invalid arguments; nothing was run.\n- {problem}")


def test_arguments_that_do_not_fit_a_plain_schema(run):
    ran = []
    base = _read_only_add()
    base.func = lambda **arguments: ran.append(arguments)
    text = told(run, [says(("c1", "add_up", {"first": "many", "second": 1}))], [base])["c1"].text
    assert "/first: wrong type; expected integer" in text
    assert ran == []


def test_an_agent_as_a_tool(run):
    inner = create_agent(
        model(says(("i1", "login", {"name": "ann"}))), [login], middleware=[MulliganMiddleware()], name="inner"
    )
    quiet = create_agent(
        model(says(("i1", "read_page", {"path": "x"})), done="There is no x."),
        [read_page],
        middleware=[MulliganMiddleware()],
    )

    @tool
    def librarian(question: str) -> str:
        """Ask the librarian."""
        return quiet.invoke(asked(question))["messages"][-1].text

    @tool
    def clerk(question: str) -> str:
        """Ask the clerk."""
        return inner.invoke(asked(question))["messages"][-1].text

    said, made = agent(
        [says(("c1", "librarian", {"question": "x?"})), says(("c2", "clerk", {"question": "y?"}))], [librarian, clerk]
    )
    with pytest.raises(FatalToolError, match="The vault rejected the credentials") as stopped:
        run(made, asked())
    assert isinstance(stopped.value.error, ToolAuthenticationError)
    assert said.received[1][-1].text == "There is no x."


def test_a_tool_that_returns_directly(run):
    @tool(return_direct=True)
    def final(path: str) -> str:
        """Give the last word."""
        if path == "deny":
            raise ToolPermissionError("The archive refused access.")
        return read_page.invoke({"path": path})

    messages = run(agent([says(("c1", "final", {"path": "home.md"}))], [final])[1], asked())["messages"]
    assert messages[-1].text == "Welcome."
    said, made = agent([says(("c1", "final", {"path": "x"})), says(("c2", "final", {"path": "home.md"}))], [final])
    messages = run(made, asked())["messages"]
    assert "Resource not found: x" in said.received[1][-1].text
    assert messages[-1].text == "Welcome."
    with pytest.raises(FatalToolError, match="The archive refused access"):
        run(agent([says(("c1", "final", {"path": "deny"}))], [final])[1], asked())


def test_structured_output_is_left_to_the_framework(run):
    class Answer(BaseModel):
        sum: int

    turns = [
        says(("c1", "add", '{"first": 2 "second": 3}'), ("c0", "Answer", '{"sum": ')),
        says(("c2", "add", {"first": 2, "second": 3})),
        says(("c3", "Answer", {"sum": 5})),
    ]
    said, made = agent(turns, [add], response_format=ToolStrategy(Answer))
    end = run(made, asked())
    assert end["structured_response"] == Answer(sum=5)
    told_ = answers(end["messages"])
    assert "not valid JSON at line 1" in told_["c1"].text
    assert told_["c0"].text.startswith("Error executing tool Answer: Invalid arguments: not valid JSON")
    assert "line 1 column 9" in told_["c0"].text


def test_streams_say_the_same_as_without():
    turns = [says(("c1", "add", {"first": 2, "second": 3}))]

    def seen(*middleware):
        agent = create_agent(model(*turns), [add], middleware=list(middleware))
        return [
            _shown(message)
            for mode, update in agent.stream(asked(), stream_mode=["updates", "messages"])
            if mode == "updates"
            for node in update.values()
            for message in (node or {}).get("messages", ())
        ]

    assert seen(MulliganMiddleware()) == seen()


def test_streams_show_failures_as_they_happen():
    said, made = agent([says(("c1", "read_page", {"path": "x"}))], [read_page])
    shown = [
        message.text for message, _ in made.stream(asked(), stream_mode="messages") if isinstance(message, ToolMessage)
    ]
    assert len(shown) == 1
    assert "Resource not found: x" in shown[0]


def test_the_format_and_the_policy_of_the_pipeline_hold(run):
    first = MulliganMiddleware(Pipeline(format="json", policy=Policy.feed_back_everything()))
    answer = told(run, [says(("c1", "login", {"name": "ann"}))], [login], first=first)["c1"]
    assert json.loads(answer.text)["toolName"] == "login"


def test_the_host_cancels():
    @tool
    async def wait() -> str:
        """Wait."""
        await asyncio.sleep(30)
        return "too late"

    async def play():
        said, made = agent([says(("c1", "wait", {}))], [wait])
        task = asyncio.create_task(made.ainvoke(asked()))
        await asyncio.sleep(0.1)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(play())


def test_the_person_interrupts():
    @tool
    def stop() -> str:
        """Stop."""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        agent([says(("c1", "stop", {}))], [stop])[1].invoke({"messages": [HumanMessage("Go.")]})


@pytest.mark.parametrize("at_once", [None, 1])
def test_failures_of_one_message_neither_refuse_nor_stop_its_other_calls(run, at_once):
    ran = []

    @tool
    def check(number: int) -> str:
        """Check a record."""
        ran.append(number)
        if number < 25:
            raise FileNotFoundError(2, "No such file or directory", f"record-{number}")
        return f"found {number}"

    said, made = agent([says(*((f"c{number}", "check", {"number": number}) for number in range(40)))], [check])
    config = {} if at_once is None else {"max_concurrency": at_once}
    messages = run(made, asked(), config)["messages"]
    told_ = answers(messages)
    assert messages[-1].text == "Done."
    assert sorted(ran) == list(range(40))
    assert all("Resource not found: record-" in told_[f"c{number}"].text for number in range(25))
    assert [told_[f"c{number}"].text for number in range(25, 40)] == [f"found {number}" for number in range(25, 40)]


@pytest.mark.parametrize("record", [*REPORTS, *DATA])
def test_data_that_a_tool_returned_never_stops_the_run(run, record):
    @tool
    def last_entry() -> dict:
        """Read the last entry of the log."""
        return record

    turn = says(("c1", "last_entry", {}))
    plain, guarded = plain_and_guarded(run, [turn], [last_entry])
    if record in DATA:
        assert guarded == plain
    else:
        answer = told(run, [turn], [last_entry])["c1"]
        assert answer.status == "error"
        assert reason_of(record) in answer.text
