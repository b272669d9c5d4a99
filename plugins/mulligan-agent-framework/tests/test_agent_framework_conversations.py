"""What the model reads, what is reported of a run, what runs how often, and the mistakes of the host."""

import asyncio
import datetime
import threading
from collections import Counter
from typing import Annotated

import pytest
from agent_framework import (
    AgentMiddleware,
    AgentSession,
    Content,
    FunctionInvocationContext,
    FunctionMiddleware,
    FunctionTool,
    InMemoryHistoryProvider,
    Message,
    MiddlewareFailure,
    MiddlewareTermination,
    WorkflowBuilder,
    WorkflowContext,
    chat_middleware,
    executor,
    tool,
)
from agent_framework.exceptions import AgentException, MiddlewareException, UserInputRequiredException
from mulligan_agent_framework import Mulligan, RunStopped
from mulligan_testkit.calls import MISTYPED
from mulligan_testkit.returned import DATA, REPORTS, reason_of
from pydantic import BaseModel, Field, field_validator, model_validator
from scripted import Script, agent, call, play

from mulligan import Pipeline
from mulligan.errors import ToolAuthenticationError, ToolError, UsageError
from mulligan.plugin import CallFinished, CallStarted, Notice, StepFinished
from mulligan.testing import capture_events


def read_page(path: str, limit: int = 3) -> str:
    """Read a page."""
    if path != "a":
        raise FileNotFoundError(2, "No such file or directory", path)
    return f"{path} {limit}"


async def charge(amount: int) -> str:
    """Charge a card."""
    raise ToolAuthenticationError("The key was refused.", provider="bank")


MIXED = [*(call(*one) for one in MISTYPED), call("c6", "read_page", '{"path": "a" "limit": 3}')]


def guarded(tools, *turns, middleware=(), **options):
    return agent(tools, *turns, middleware=[Mulligan(**options), *middleware])


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def stream(request):
    return request.param


def test_each_failure_is_answered_and_the_run_goes_on(stream):
    played = play(guarded([read_page], MIXED), stream=stream)
    assert played.output == "Done."
    assert played.answers["c1"] == "a 3"
    assert "- /file: unknown argument; allowed:" in played.answers["c2"]
    assert 'Did you mean "read_page"?' in played.answers["c3"]
    assert "Resource not found: b" in played.answers["c4"]
    assert "- /limit: wrong type" in played.answers["c5"]
    assert "JSON" in played.answers["c6"] and "nothing was run" in played.answers["c6"]


def test_the_model_is_offered_the_tools_and_nothing_else(stream):
    one = guarded([read_page], MIXED, [call("d1", "raed_page", {"path": "a"})])
    play(one, stream=stream)
    assert one.client.offered == [["read_page"]] * 3
    assert [tool.name for tool in one.default_options["tools"]] == ["read_page"]


def test_each_call_and_each_message_is_reported_once(stream):
    events = capture_events()
    later = [call("d1", "read_page", {"path": "b"})]
    play(guarded([read_page], MIXED, later, pipeline=Pipeline(plugins=[events])), stream=stream)
    for kind in (CallStarted, CallFinished):
        assert sorted(event.call_id for event in events.of(kind)) == ["c1", "c2", "c3", "c4", "c5", "c6", "d1"]
    steps = [(step.step, sorted(step.ids)) for step in events.of(StepFinished)]
    assert steps == [(1, ["c1", "c2", "c3", "c4", "c5", "c6"]), (2, ["d1"])]
    assert [notice.text for notice in events.of(Notice)] == ["Resource not found: b."]
    (session,) = {event.session_id for event in events}
    assert session


def test_events_have_the_id_of_the_session(stream):
    events = capture_events()
    one = guarded([read_page], MIXED, "Done.", MIXED[3:4], pipeline=Pipeline(plugins=[events]))
    session = AgentSession(session_id="s1")
    for _ in range(2):
        play(one, stream=stream, session=session)
    assert {event.session_id for event in events} == {"s1"}


def test_a_fatal_failure_stops_the_run_after_every_call_is_answered(stream):
    calls = [call("c1", "charge", {"amount": 5}), call("c2", "read_page", {"path": "a"})]
    played = play(guarded([charge, read_page], calls), stream=stream)
    assert isinstance(played.error, RunStopped) and isinstance(played.error, AgentException)
    assert played.error.error.user_message.startswith("bank rejected the credentials used by charge.")
    assert "ToolAuthenticationError in tool charge: The key was refused." in str(played.error)
    assert sorted(played.answers) == ["c1", "c2"] and played.answers["c2"] == "a 3"


def test_after_a_fatal_failure_the_session_goes_on(stream):
    refused = [True]

    def pay(amount: int) -> str:
        """Pay."""
        if refused:
            refused.clear()
            raise ToolAuthenticationError("The key was refused.", provider="bank")
        return f"paid {amount}"

    one = guarded([pay], [call("c1", "pay", {"amount": 5})], [call("c2", "pay", {"amount": 5})])
    session = AgentSession()
    assert isinstance(play(one, stream=stream, session=session).error, RunStopped)
    assert len(one.client.requests) == 1
    played = play(one, stream=stream, session=session)
    assert played.output == "Done." and played.answers == {"c2": "paid 5"}
    types = [content.type for message in one.client.requests[1] for content in message.contents]
    assert types == ["text", "function_call", "function_result", "text"]
    assert [message.role for message in one.client.requests[1]] == ["user", "assistant", "tool", "user"]


def test_a_service_that_keeps_the_conversation_gets_every_answer(stream):
    one = guarded([charge], [call("c1", "charge", {"amount": 5})], "I cannot.")
    one.client.store = True
    session = AgentSession()
    played = play(one, stream=stream, session=session)
    assert isinstance(played.error, RunStopped) and sorted(played.answers) == ["c1"]
    assert [content.type for content in one.client.requests[1][-1].contents] == ["function_result"]
    assert one.client.choices == [(None, "auto"), ("r1", "none")]
    assert session.service_session_id == "r2"
    assert play(one, stream=stream, session=session).output == "Done."
    assert one.client.choices[2] == ("r2", "auto")


def test_a_history_that_is_kept_request_by_request_gets_every_answer(stream):
    one = guarded([charge], [call("c1", "charge", {"amount": 5})], "I cannot.")
    one.context_providers = [InMemoryHistoryProvider()]
    one.require_per_service_call_history_persistence = True
    session = AgentSession()
    assert isinstance(play(one, stream=stream, session=session).error, RunStopped)
    assert play(one, stream=stream, session=session).output == "Done."
    types = [content.type for message in one.client.requests[-1] for content in message.contents]
    assert types == ["text", "function_call", "function_result", "text", "text"]


def test_a_fatal_failure_beside_a_tool_that_ends_the_run_is_not_passed_over(stream):
    calls = [call("c1", "charge", {"amount": 5}), call("c2", "read_page", {"path": "a"})]
    played = play(guarded([charge, read_page], calls, middleware=[_Finishes()]), stream=stream)
    assert isinstance(played.error, RunStopped)
    assert sorted(played.answers) == ["c1", "c2"]


class _Finishes(FunctionMiddleware):
    """Ends the run once a page has been read."""

    async def process(self, context, call_next):
        await call_next()
        if context.function.name == "read_page":
            raise MiddlewareTermination


def test_middleware_of_the_host_ends_a_run_as_before(stream):
    played = play(guarded([read_page], [MIXED[0]], "Not reached.", middleware=[_Finishes()]), stream=stream)
    assert played.error is None and played.answers == {"c1": "a 3"} and "Not reached." not in played.output


def test_a_failure_of_the_hosts_middleware_passes(stream):
    class Denies(FunctionMiddleware):
        async def process(self, context, call_next):
            raise MiddlewareFailure("denied")

    played = play(guarded([read_page], [MIXED[0]], middleware=[Denies()]), stream=stream)
    assert isinstance(played.error, MiddlewareFailure)


def test_middleware_of_the_host_sees_the_tool_and_what_it_reads(stream):
    seen = []

    class Sees(FunctionMiddleware):
        async def process(self, context, call_next):
            seen.append((context.function.name, type(context.function), dict(context.arguments), context.kwargs))
            await call_next()
            context.result = "changed"

    options = {"repair": "all", "tool_options": {"read_page": {"read_only": True}}}
    one = guarded([read_page], [call("c1", "Read_Page", {"path": "a", "limit": "4"})], middleware=[Sees()], **options)
    played = play(one, stream=stream, function_invocation_kwargs={"user": "ann"})
    ((name, kind, arguments, kwargs),) = seen
    assert (name, kind, arguments) == ("read_page", FunctionTool, {"path": "a", "limit": 4})
    assert kwargs["user"] == "ann" and "mulligan_run" not in kwargs
    assert played.answers["c1"].startswith("changed")


def test_a_new_message_lets_the_same_calls_run_again(stream):
    ran, there = [], []

    def look(path: str) -> str:
        """Look."""
        ran.append(path)
        if path not in there:
            raise FileNotFoundError(2, "No such file or directory", path)
        return "seen"

    looks = [[call(f"c{turn}", "look", {"path": "a"})] for turn in range(4)]
    one, session = guarded([look], *looks, "No.", [call("c9", "look", {"path": "a"})]), AgentSession()
    first = play(one, stream=stream, session=session)
    assert "already failed" in first.answers["c1"] and "was not run" in first.answers["c3"]
    there.append("a")
    assert play(one, stream=stream, session=session).answers["c9"] == "seen"


def test_a_call_that_fails_again_and_again_ends_the_run(stream):
    looks = [[call(f"c{turn}", "read_page", {"path": "b"})] for turn in range(9)]
    assert isinstance(play(guarded([read_page], *looks), stream=stream).error, RunStopped)


def test_forty_failures_of_one_message_do_not_end_the_run(stream):
    calls = [call(f"c{number}", "read_page", {"path": f"b{number}"}) for number in range(40)]
    played = play(guarded([read_page], calls), stream=stream)
    assert played.output == "Done."
    assert sum("Resource not found" in text for text in played.answers.values()) == 40


@pytest.mark.parametrize(
    ("options", "times"),
    [({}, 1), ({"se*": {"read_only": True}}, 3), ({"send": {"destructive": True}}, 1)],
    ids=["undeclared", "read-only", "writes"],
)
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_how_often_a_tool_runs_whose_connection_is_reset(options, times, is_async):
    ran = []

    def send(text: str) -> str:
        """Send a text."""
        ran.append(text)
        raise ConnectionResetError("reset by peer")

    async def send_async(text: str) -> str:
        return send(text)

    made = tool(send_async if is_async else send, name="send")
    play(guarded([made], [call("c1", "send", {"text": "a"})], tool_options=options))
    assert len(ran) == times


def test_annotations_of_a_server_are_not_believed():
    ran = []

    def send(**arguments) -> str:
        ran.append(arguments)
        raise ConnectionResetError("reset by peer")

    said = {"annotations": {"readOnlyHint": True, "idempotentHint": True}}
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    made = FunctionTool(name="send", func=send, input_model=schema, additional_properties=said)
    play(guarded([made], [call("c1", "send", {"text": "a"})]))
    assert ran == [{"text": "a"}]


def test_an_argument_that_does_not_exist_is_named_and_nothing_is_run(stream):
    ran = []

    def delete_rows(table: str, dry_run: bool = False) -> str:
        """Delete rows."""
        ran.append((table, dry_run))
        return "deleted"

    calls = [call("c1", "delete_rows", {"table": "t", "dryrun": True})]
    text = play(guarded([delete_rows], calls), stream=stream).answers["c1"]
    assert "- /dryrun: unknown argument" in text and '"dry_run"' in text
    assert ran == []


@pytest.mark.parametrize("record", [*REPORTS, *DATA], ids=str)
def test_data_that_a_tool_returned_never_stops_the_run(record, stream):
    def last_entry() -> dict:
        """Read the last entry of the log."""
        return record

    calls = [call("c1", "last_entry", {})]
    played = play(guarded([last_entry], calls), stream=stream)
    assert played.error is None and played.output.endswith("Done.")
    if record in DATA:
        assert played.answers == play(agent([last_entry], calls), stream=stream).answers
    else:
        assert reason_of(record) in played.answers["c1"]


@pytest.mark.parametrize("is_async", [False, True])
def test_a_tool_past_its_deadline(is_async, stream):
    over = threading.Event()

    def wait(turns: int) -> str:
        """Wait."""
        over.wait(20)
        return "waited"

    async def wait_async(turns: int) -> str:
        """Wait."""
        await asyncio.sleep(20)
        return "waited"

    made = tool(wait_async if is_async else wait, name="wait")
    played = play(guarded([made], [call("c1", "wait", {"turns": 1})], timeout=1), stream=stream)
    over.set()
    assert "No response within" in played.answers["c1"] and played.output == "Done."
    assert ("it was cancelled" in played.answers["c1"]) is is_async


class Place(BaseModel):
    name: str
    since: datetime.date


def various():
    def numbers(first: int, second: int = 2) -> dict:
        """Give numbers."""
        return {"sum": first + second, "error_log": ["nothing"]}

    async def visit(place: Place, when: datetime.date, often: Annotated[float, Field(gt=0)] = 1) -> str:
        """Visit."""
        return f"{type(place).__name__} {type(when).__name__} {often}"

    def context(ctx: FunctionInvocationContext, word: str) -> str:
        """Use the context."""
        return f"{word} {ctx.kwargs['user']} {ctx.function.name} {ctx.arguments}"

    def picture() -> list:
        """Give a picture."""
        return [Content.from_text("here"), Content.from_data(b"a", media_type="image/png")]

    def nothing() -> None:
        """Give nothing."""

    return [numbers, visit, context, picture, nothing]


SUCCEED = [
    call("c1", "numbers", {"first": "1"}),
    call("c2", "visit", {"place": {"name": "Rome", "since": "2020-01-01"}, "when": "2021-01-01", "often": "2"}),
    call("c3", "context", {"word": "é"}),
    call("c4", "picture"),
    call("c5", "nothing"),
]


def test_what_succeeds_is_the_same_as_without(stream):
    one, other = agent(various(), SUCCEED), guarded(various(), SUCCEED)
    plain, with_it = (play(one, stream=stream, function_invocation_kwargs={"user": "ann"}) for one in (one, other))
    assert with_it.answers == plain.answers and "dict date 2.0" in plain.answers["c2"]
    contents = [
        [
            [content.to_dict(exclude={"id"}) for content in message.contents]
            for message in played.messages
            if message.role == "tool"
        ]
        for played in (plain, with_it)
    ]
    assert contents[0] == contents[1]
    assert other.client.offered == one.client.offered


def test_what_the_tools_own_model_refuses_is_explained(stream):
    class Stay(BaseModel):
        first: int
        last: int

        @model_validator(mode="after")
        def ordered(self):
            if self.last < self.first:
                raise ValueError("last must not be before first")
            return self

    ran = []

    @tool(schema=Stay)
    def stay(first: int, last: int) -> str:
        """Stay."""
        ran.append((first, last))
        return "stayed"

    calls = [call("c1", "stay", {"first": 3, "last": 1}), call("c2", "stay", {"first": 1, "last": 3})]
    played = play(guarded([stay], calls), stream=stream)
    assert "rejected by Stay: last must not be before first" in played.answers["c1"]
    assert "nothing was run" in played.answers["c1"]
    assert ran == [(1, 3)]


class Window(BaseModel):
    start: int = Field(alias="from")
    end: int = 9


def test_arguments_with_another_name_in_the_tools_own_model_are_read_as_generously(stream):
    @tool(name="look", description="Look.", schema=Window)
    def look(**arguments) -> str:
        return str(arguments)

    calls = [call("c1", "look", {"from": "5", "end": "7"}), call("c2", "look", {"from": 5, "until": 6})]
    played = play(guarded([look], calls), stream=stream)
    assert played.answers["c1"] == "{'start': 5, 'end': 7}"
    assert "- /until: unknown argument" in played.answers["c2"]


def test_a_problem_within_an_argument_is_named_with_its_whole_place(stream):
    class Stay(BaseModel):
        first: int

        @field_validator("first")
        def positive(cls, value):
            if value < 1:
                raise ValueError("days are counted from 1")
            return value

    class Booking(BaseModel):
        data: Stay  # a name that a service may use for the whole body

    @tool(schema=Booking)
    def book(data: dict) -> str:
        """Book a stay."""
        return "booked"

    played = play(guarded([book], [call("c1", "book", {"data": {"first": 0}})]), stream=stream)
    assert "- /data/first: rejected by Booking: days are counted from 1" in played.answers["c1"]


def test_a_repaired_name_runs_the_tool(stream):
    one = guarded(
        [read_page], [call("c1", "readPage", {"path": "a"})], tool_options={"*": {"read_only": True}}, repair="all"
    )
    assert play(one, stream=stream).answers["c1"].startswith("a 3")


def test_the_same_call_id_twice(stream):
    ran = []

    def note(text: str) -> str:
        """Note."""
        ran.append(text)
        return f"noted {text}"

    calls = [[call("c1", "note", {"text": "a"})], [call("c1", "note", {"text": "b"})]]
    one = guarded([note], *calls)
    session = AgentSession()
    try:
        play(one, stream=stream, session=session)
    except AssertionError:
        pass
    assert ran == ["a", "b"]


def test_an_agent_without_tools_is_answered_too(stream):
    played = play(guarded([], [call("c1", "look", {"path": "a"})]), stream=stream)
    assert played.output == "Done." and "Tool 'look' not found." in played.answers["c1"]


@pytest.mark.filterwarnings("ignore:.*PROGRESSIVE_TOOLS")
def test_tools_that_a_tool_adds_and_removes(stream):
    def later(word: str) -> str:
        """Come later."""
        return f"later {word}"

    def load(ctx: FunctionInvocationContext) -> str:
        """Load."""
        ctx.add_tools([tool(later)])
        ctx.remove_tools("load")
        return "loaded"

    one = guarded([load], [call("c1", "load")], [call("c2", "later", {"word": "a"}), call("c3", "load")])
    played = play(one, stream=stream)
    assert played.answers["c1"] == "loaded" and played.answers["c2"] == "later a"
    assert "Tool 'load' not found." in played.answers["c3"]
    assert one.client.offered == [["load"], ["later"], ["later"]]


def test_the_limits_of_a_tool_stay(stream):
    @tool(max_invocations=1)
    def look(path: str) -> str:
        """Look."""
        return "seen"

    turns = [[call("c1", "look", {"path": "a"})], [call("c2", "look", {"path": "b"})]]
    played = play(guarded([look], *turns), stream=stream)
    assert played.answers["c1"] == "seen" and "reached its maximum invocation limit" in played.answers["c2"]
    assert look.invocation_count == 1


def test_tools_that_run_elsewhere_are_left_to_the_host(stream):
    there = FunctionTool(name="there", description="Runs elsewhere.", input_model={"type": "object", "properties": {}})
    played = play(
        guarded([there, read_page], [call("c1", "there"), call("c2", "read_page", {"path": "a"})]), stream=stream
    )
    assert [content.name for content in played.asked] == ["there"] and played.answers == {"c2": "a 3"}


def test_calls_beside_one_that_runs_elsewhere_are_put_off_to_the_next_run(stream):
    there = FunctionTool(name="there", description="Runs elsewhere.", input_model={"type": "object", "properties": {}})
    calls = [
        call("c1", "there"),
        call("c2", "read_page", {"path": "b"}),
        call("c3", "visit", {"place": {"name": "Rome", "since": "2020-01-01"}, "when": "2021-01-01"}),
        call("c4", "read_page", {"file": "a"}),
    ]
    one, session = guarded([there, read_page, *various()[1:2]], calls), AgentSession()
    (asked,) = play(one, stream=stream, session=session).asked
    answer = Message("tool", [Content.from_function_result("c1", id=asked.id, result="done")])
    assert play(one, answer, stream=stream, session=session).output.endswith("Done.")
    read = {
        content.call_id: content.result
        for message in one.client.requests[-1]
        for content in message.contents
        if content.type == "function_result"
    }
    assert read["c1"] == "done" and "Resource not found: b" in read["c2"]
    assert read["c3"] == "dict date 1" and "- /file: unknown argument" in read["c4"]


def test_tools_that_run_elsewhere_are_named_but_never_run(stream):
    there = FunctionTool(name="fetch_page", description="Fetch.", input_model={"type": "object", "properties": {}})
    options = {"repair": "all", "tool_options": {"*": {"read_only": True}}}
    played = play(guarded([there, charge], [call("c1", "fetchPage")], **options), stream=stream)
    assert 'Did you mean "fetch_page"?' in played.answers["c1"]


def test_a_host_that_ends_runs_at_unknown_names_has_its_way(stream):
    one = guarded([read_page], [call("c1", "raed_page", {"path": "a"})])
    one.client.function_invocation_configuration["terminate_on_unknown_calls"] = True
    assert isinstance(play(one, stream=stream).error, KeyError)


def test_what_a_tool_needs_of_the_user_ends_the_run(stream):
    def consent(amount: int) -> str:
        """Ask."""
        raise UserInputRequiredException([Content("oauth_consent_request", user_input_request=True)])

    played = play(guarded([consent], [call("c1", "consent", {"amount": 5})]), stream=stream, session=AgentSession())
    assert [asked.type for asked in played.asked] == ["oauth_consent_request"] and played.answers == {}


def test_a_fatal_failure_of_an_agent_that_is_a_tool_stops_the_outer_one(stream):
    inner = guarded([charge], [call("i1", "charge", {"amount": 5})])
    inner.name = "teller"
    outer = guarded([inner.as_tool(name="teller", description="Pays.")], [call("o1", "teller", {"task": "Pay."})])
    played = play(outer, stream=stream)
    assert isinstance(played.error, RunStopped), played.answers
    assert isinstance(played.error.error, ToolAuthenticationError)


def test_two_agents_of_one_session_have_memories_of_their_own():
    mulligan = Mulligan()
    looks = [[call(f"c{turn}", "read_page", {"path": "b"})] for turn in range(2)]
    one, other = (agent([read_page], *looks, middleware=[mulligan]) for _ in range(2))
    session = AgentSession()
    approval = Message("user", [Content.from_text("Go.")])
    first = play(one, approval, session=session)
    second = play(other, approval, session=session)
    assert "already failed" in first.answers["c1"] and "already failed" not in second.answers["c0"]


def test_two_agents_of_a_workflow_at_once(stream):
    @executor(id="both")
    async def both(text: str, context: WorkflowContext[str]) -> None:
        await context.send_message(text)

    events = capture_events()
    mulligan = Mulligan(Pipeline(plugins=[events]))
    agents = [
        agent([read_page], [call("c1", "read_page", {"path": path})], name=f"reader-{path}", middleware=[mulligan])
        for path in ("a", "b")
    ]
    workflow = WorkflowBuilder(start_executor=both).add_fan_out_edges(both, agents).build()
    asyncio.run(workflow.run("Go.", stream=stream).get_final_response() if stream else workflow.run("Go."))
    answers = [one.client.requests[1][-1].contents[0].result for one in agents]
    assert answers[0] == "a 3" and "Resource not found: b" in answers[1]
    assert len({event.session_id for event in events.of(StepFinished)}) == 2


def test_a_run_that_is_cancelled_ends_at_once():
    began = asyncio.Event()

    async def wait(turns: int) -> str:
        """Wait."""
        began.set()
        await asyncio.sleep(60)
        return "waited"

    async def run():
        task = asyncio.create_task(guarded([wait], [call("c1", "wait", {"turns": 1})]).run("Go."))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


def test_many_runs_of_one_agent_at_once_keep_to_themselves():
    def look(path: str) -> str:
        """Look."""
        raise FileNotFoundError(2, "No such file or directory", path)

    events = capture_events()
    turns = [[call("c1", "look", {"path": "a"})] for _ in range(20)] + ["Done."] * 20
    one = guarded([look], *turns, pipeline=Pipeline(plugins=[events]))

    async def run():
        return await asyncio.gather(*[one.run("Go.") for _ in range(20)])

    for response in asyncio.run(run()):
        assert response.text == "Done."
    assert Counter(event.call_id for event in events.of(CallStarted)) == {"c1": 20}
    assert len({event.session_id for event in events.of(CallStarted)}) == 20


def test_chat_middleware_of_the_host_is_asked_too(stream):
    seen = []

    @chat_middleware
    async def sees(context, call_next):
        seen.append(sorted(context.kwargs))
        await call_next()

    assert play(guarded([read_page], MIXED, middleware=[sees]), stream=stream).output == "Done."
    assert len(seen) == 2 and "mulligan_run" not in seen[0]


@pytest.mark.parametrize("is_outer", [True, False], ids=["before", "after"])
def test_agent_middleware_of_the_host_may_run_the_agent_again(is_outer):
    class Twice(AgentMiddleware):
        async def process(self, context, call_next):
            await call_next()
            await call_next()

    middleware = [Twice(), Mulligan()] if is_outer else [Mulligan(), Twice()]
    turns = [call("c1", "read_page", {"path": "b"})], "First.", [call("c2", "read_page", {"path": "a"})]
    played = play(agent([read_page], *turns, middleware=middleware))
    assert played.output == "Done." and played.answers == {"c2": "a 3"}


def test_fatal_and_repair_without_a_pipeline(stream):
    own = {"fatal": {"ToolAuthenticationError": False}, "repair": "coerce", "timeout": {"charge": 20}}
    calls = [call("c1", "charge", {"amount": 5}), call("c2", "read_page", {"path": "a", "limit": "4"})]
    played = play(guarded([charge, read_page], calls, **own), stream=stream)
    assert played.output == "Done." and played.answers["c2"] == "a 4"


def test_mistakes_of_the_host_are_named():
    with pytest.raises(UsageError, match=r"Mulligan\(pipeline=\[.*use a mulligan.Pipeline; the tools are the agent's"):
        Mulligan([read_page])
    with pytest.raises(UsageError, match=r"Mulligan\(fatal=...\): the pipeline decides it"):
        Mulligan(Pipeline(), fatal={})
    for options, text in (
        ({"timeout": {"raed_page": 3}}, "no such tool. Did you mean 'read_page'"),
        ({"tool_options": {"raed_page": {}}}, "no tool has such a name. Did you mean 'read_page'"),
    ):
        error = play(guarded([read_page], MIXED, **options)).error
        assert isinstance(error, UsageError) and text in str(error)
    error = play(guarded([read_page], MIXED, middleware=[Mulligan()])).error
    assert isinstance(error, UsageError) and "twice, of the agent or of the run: leave one of them out" in str(error)
    with pytest.raises(MiddlewareException, match="supports only chat, function middleware"):
        Script(middleware=[Mulligan()])


def test_an_error_of_the_model_is_raised_as_it_is(stream):
    class Down(Script):
        def _inner_get_response(self, **options):
            raise ConnectionError("down")

    one = guarded([read_page])
    one.client = Down()
    error = play(one, stream=stream).error
    assert isinstance(error, ConnectionError) and not isinstance(error, ToolError)
