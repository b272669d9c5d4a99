"""How the public names are used, as `mypy --strict` must accept it. Nothing in here is run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, assert_type

from mulligan import (
    Answers,
    ApprovalRequest,
    Approve,
    Budget,
    Deadline,
    Dialect,
    Failure,
    Feedback,
    FeedbackFormat,
    Injected,
    Limits,
    NeedsApproval,
    Pipeline,
    PluginFault,
    PluginInfo,
    Policy,
    Problem,
    Reject,
    Repair,
    Session,
    Tool,
    ToolCall,
    ToolResult,
    Toolset,
    errors,
    hookimpl,
    tool,
)
from mulligan.plugin import (
    AttemptFailed,
    BudgetSpent,
    CallFinished,
    Event,
    Executor,
    Middleware,
    Notice,
    Outcome,
    Repairer,
    ResourceNotFoundError,
    Run,
    Sleep,
    StepFinished,
    Steps,
    ToolError,
    ToolQuotaError,
)


@tool(read_only=True, timeout=5)
def read_file(path: str) -> str:
    """Read a text file of the workspace."""
    return open(path).read()


@tool
async def fetch(url: str, deadline: Injected[Deadline], call: Injected[ToolCall]) -> str:
    """Fetch an address."""
    await asyncio.sleep(min(1.0, deadline.remaining))
    return f"{url} {call.id}"


@tool(
    name="pay",
    idempotent=True,
    destructive=False,
    secret="token",
    tags=["money"],
    tool_type="datastore",
    provider="bank",
    format="json",
)
def transfer(amount: int, token: str, to: list[str] | None = None) -> dict[str, Any]:
    return {"amount": amount, "to": to}


def plain(query: str, limit: int = 3) -> Iterator[str]:
    yield from [query] * limit


class Database:
    def read(self, key: str) -> bytes:
        return key.encode()


made: list[Tool] = [
    Tool.from_function(plain, name="search", description="Searches.", timeout=2.5),
    Tool.from_function(Database().read),
    Tool.from_schema(
        "echo", "Says it again.", {"type": "object"}, lambda **given: given, read_only=True, resources=("a", "b")
    ),
]
assert_type(read_file, Tool)
assert_type(transfer.name, str)
assert_type(read_file.parameters, Mapping[str, Any])


def use(pipeline: Pipeline) -> None:
    result = pipeline.call("read_file", '{"path": "a.md"}', call_id="1", context={"db": Database()})
    assert_type(result, ToolResult)
    assert_type(result.content, str)
    assert_type(result.is_error, bool)
    assert_type(result.error, errors.ToolError | None)
    assert_type(result.feedback, Feedback | None)
    assert_type(result.call, ToolCall)
    assert_type(result.tool, Tool | None)
    assert_type(result.repairs, tuple[Repair, ...])
    assert_type(result.message("anthropic"), dict[str, Any])
    assert_type(result.to_dict(), dict[str, Any])
    assert_type(result.raise_if_fatal().raise_if_fatal(), ToolResult)
    assert_type(pipeline.call(ToolCall("1", "read_file", {"path": "a.md"})), ToolResult)
    assert_type(pipeline.call_many([ToolCall("1", "a"), ("b", {}), "c"]), list[ToolResult])
    assert_type(pipeline.recover("Unknown tool: x"), ToolResult)
    assert_type(pipeline.recover(KeyError("x")), ToolResult)
    assert_type(pipeline.classify(KeyError("x"), tool="pay", arguments={"a": 1}), errors.ToolError | None)
    assert_type(pipeline.classify({"error": "x"}, tool=read_file), errors.ToolError | None)
    assert_type(pipeline.plugins, tuple[PluginInfo, ...])
    assert_type(pipeline.faults, tuple[PluginFault, ...])
    assert_type(pipeline.tools, Toolset)
    assert_type(pipeline.tools.definitions("openai"), list[Any])
    assert_type(pipeline.tools.add(plain), Tool)
    assert_type(pipeline.tools.remove("plain"), Tool)
    pipeline.enable_logging("ERROR")


def converse(pipeline: Pipeline, messages: list[Any], reply: object) -> None:
    session = pipeline.session("talk", format="json")
    assert_type(session, Session)
    answers = session.answer(reply)
    assert_type(answers, Answers)
    assert_type(answers.raise_if_fatal(), Answers)
    assert_type(answers.results, tuple[ToolResult, ...])
    messages += answers
    assert_type(session.call("read_file", {"path": "a"}), ToolResult)
    assert_type(Session.from_dict(pipeline, session.to_dict()), Session)
    assert_type(Session.from_dict(pipeline, session.to_dict(), format="json"), Session)
    bounded = pipeline.session(budget=Budget(calls=50, seconds=600, tools={"pay": Budget(calls=1)}))
    assert_type(bounded.remaining.calls, int | None)
    assert_type(bounded.budget, Budget | None)
    assert_type(bounded.deadline, Deadline | None)
    assert_type(bounded.recover("Unknown tool: pey"), ToolResult)
    session.forgive()


async def await_all(pipeline: Pipeline, session: Session) -> None:
    assert_type(await pipeline.acall("fetch", {"url": "x"}), ToolResult)
    assert_type(await pipeline.acall_many([("fetch", {})], session=session), list[ToolResult])
    assert_type(await pipeline.aanswer({"tool_calls": []}), Answers)
    assert_type(await session.acall("fetch", "{}"), ToolResult)
    async with Pipeline([fetch]) as other:
        assert_type(other, Pipeline)


def from_error() -> ToolResult:
    error = ToolQuotaError("Used up.", provider="acme", retry_after=3, problems=[Problem("/a", "missing")])
    assert_type(error.fatal, bool)
    assert_type(list(error.problems), list[Problem])
    return ToolResult.from_error(error, call=ToolCall("1", "pay"))


# --- what an author writes


class Shout(FeedbackFormat):
    name = "shout"

    def render(self, feedback: Feedback) -> str:
        return feedback.headline.upper()


class Lines(Dialect):
    name = "lines"

    def recognises(self, message: Mapping[str, Any]) -> bool:
        return "lines" in message

    def calls(self, message: Mapping[str, Any]) -> list[ToolCall]:
        return [ToolCall(None, str(line), None) for line in message["lines"]]

    def message(self, result: ToolResult) -> dict[str, Any]:
        return {"line": result.content}

    def definition(self, tool: Tool) -> dict[str, Any]:
        return {"name": tool.name}


def again(run: Run, tool: Tool, call: ToolCall) -> Steps:
    outcome = yield run
    if outcome.error is not None and outcome.error.transient:
        yield Sleep(outcome.error.retry_after or 1.0)
        outcome = yield run
    return outcome


def cached(run: Run, tool: Tool, call: ToolCall) -> Steps:
    if call.id == "cached":
        return Outcome("from the cache")
    return (yield Run(run.executor, 3.0))


class Acme:
    @hookimpl
    def resolve(self, call: ToolCall, toolset: Toolset) -> Tool | None:
        found: Tool | None = toolset.get(call.name.lower())
        return found

    @hookimpl
    def validate(self, tool: Tool, call: ToolCall) -> Mapping[str, Any] | None:
        return None

    @hookimpl
    def repair(self, call: ToolCall, error: ToolError, toolset: Toolset) -> Repairer | None:
        return lambda: ToolCall(call.id, call.name.strip(), call.arguments)

    @hookimpl(tryfirst=True)
    def authorize(self, tool: Tool, arguments: Mapping[str, Any]) -> ToolError | NeedsApproval | None:
        if tool.destructive:
            return errors.ToolPermissionError("No.")
        return None if tool.read_only else NeedsApproval("It writes.")

    @hookimpl
    def execute(self, tool: Tool, arguments: Mapping[str, Any]) -> Executor | None:
        return lambda: f"{tool.name} {arguments}"

    @hookimpl
    def detect(self, value: object, tool: Tool) -> Failure | None:
        return Failure(value=value, message="reported") if value == "ERR" else None

    @hookimpl
    def classify(self, failure: Failure) -> ToolError | None:
        if failure.matches("acme.QuotaExceeded") or failure.status == 402:
            return ToolQuotaError("Acme's quota is exhausted.", retry_after=failure.retry_after)
        return ResourceNotFoundError("Gone.", resource=failure.resource) if failure.status == 410 else None

    @hookimpl(wrapper=True)
    def render_feedback(self, feedback: Feedback, format: FeedbackFormat) -> Iterator[None]:
        yield

    @hookimpl
    def middlewares(self, tool: Tool) -> Iterable[Middleware]:
        return [again, cached] if tool.read_only else []

    @hookimpl
    def hints(self, error: ToolError, failure: Failure | None) -> Iterable[str]:
        yield f"Look at {error.code}."

    @hookimpl
    def feedback_formats(self) -> Iterable[FeedbackFormat]:
        return [Shout()]

    @hookimpl
    def dialects(self) -> Iterable[Dialect]:
        return [Lines()]

    @hookimpl(specname="observe", required=False)
    def watch(self, event: Event) -> None:
        if isinstance(event, AttemptFailed):
            print(event.error.code, event.attempt)
        elif isinstance(event, CallFinished):
            print(event.result.duration)
        elif isinstance(event, StepFinished):
            assert_type(event.invalid, tuple[ToolResult, ...])
            assert_type(event.ids, tuple[str | None, ...])
        elif isinstance(event, Notice):
            assert_type(event.text, str)
        elif isinstance(event, BudgetSpent):
            assert_type(event.limit, float)


def approver(request: ApprovalRequest) -> Approve | Reject | None:
    assert_type(request.arguments, dict[str, Any])
    return Reject("No.") if request.tool_name == "pay" else Approve(arguments={**request.arguments, "amount": 1})


async def approver_async(request: ApprovalRequest) -> Approve | Reject:
    return Approve()


async def decided(pipeline: Pipeline) -> None:
    session = Pipeline(approver=approver).with_tools([], approver=approver_async).session()
    assert_type(session.pending, dict[str, ApprovalRequest])
    assert_type(session.resume("c1", Approve()), ToolResult)
    assert_type(await session.aresume("c1", Reject("No."), context={"user": "ann"}), ToolResult)
    assert_type(pipeline.resume("c1", Approve(), session=session), ToolResult)
    assert_type(await pipeline.aresume("c1", Approve(), session=session), ToolResult)


def build() -> Pipeline:
    return Pipeline(
        [read_file, fetch, plain, Toolset([transfer]), *made],
        plugins=[Acme()],
        autoload=False,
        block=["logging"],
        policy=Policy(fatal={"pay": True, errors.ToolExecutionError: False}, repair=("json", "name"), detail="type"),
        limits=Limits(feedback_chars=500, result_chars=None, grace=0.5),
        format=Shout(),
        middleware=[again],
        strict=True,
    )


openagents: Policy = Policy.openagents(fatal=lambda error: error.provider == "bank")
