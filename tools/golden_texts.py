"""Write what a model reads after each kind of failure into tests/golden, for a review: `python tools/golden_texts.py`."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mulligan import Approve, Limits, Pipeline, Policy, Reject, Tool, ToolCall, ToolResult, errors
from mulligan.plugin import AuthorMessage, NeedsApproval, hookimpl
from mulligan.session.budget import Budget

GOLDEN = Path(__file__).parents[1] / "tests" / "golden"
FORMATS = ("text", "json", "block")
Case = Callable[[str], ToolResult]


def raising(error: BaseException) -> Callable[..., Any]:
    def handler(**_: Any) -> Any:
        raise error

    return handler


def saying(words: str) -> Callable[..., Any]:
    def handler(**_: Any) -> Any:
        raise AuthorMessage(words)

    return handler


def opaque() -> object:
    return object()


def schema(required: list[str] | None = None, **properties: Any) -> dict[str, Any]:
    wanted = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": wanted, "additionalProperties": False}


PATH = {"type": "string"}
NUMBER = {"type": "integer", "maximum": 100}
MODE = {"enum": ["asc", "desc"]}
TOOLS = {
    "read_file": "Read a file",
    "write_file": "Write a file",
    "search_code": "Search the code for a pattern",
    "list_branches": "List the branches of a repository",
}


def tools(number: int = 0) -> list[Tool]:
    made = [
        Tool.from_schema(name, text, schema(path=PATH), dict, read_only=name.startswith(("read", "list", "search")))
        for name, text in TOOLS.items()
    ]
    return [*made, *(Tool.from_schema(f"extra_{count:02}", "", {"type": "object"}, dict) for count in range(number))]


def called(
    held: list[Tool],
    name: str,
    arguments: Any,
    *,
    session: int = 1,
    before: Sequence[Any] = (),
    budget: Budget | None = None,
    **options: Any,
) -> Case:
    """A case: the last of `session` equal calls in one conversation, after calls with the arguments in `before`."""

    def case(format: str) -> ToolResult:
        with Pipeline(held, autoload=False, **options) as pipeline:
            conversation = pipeline.session(format=format, budget=budget)
            calls = [*before, *[arguments] * session]
            for number, given in enumerate(calls[:-1]):
                conversation.call(ToolCall(f"before_{number}", name, given))
            return conversation.call(ToolCall("call_1", name, calls[-1]))

    return case


def without_session(held: list[Tool], name: str, arguments: Any) -> Case:
    def case(format: str) -> ToolResult:
        with Pipeline(held, autoload=False, format=format) as pipeline:
            return pipeline.call(name, arguments)

    return case


def failing(
    error: BaseException, arguments: Any = None, *, name: str = "act", policy: Any = None, **options: Any
) -> Case:
    more = {key: options.pop(key) for key in ("plugins", "session", "before", "budget", "approver") if key in options}
    held = Tool.from_schema(name, "Do it", schema([], path=PATH), raising(error), **options)
    return called([held], name, arguments or {}, policy=policy or Policy(), **more)


def beside(other: str, name: str, error: BaseException, arguments: dict[str, Any], *, read_only: bool = True) -> Case:
    """A case: a tool fails, and another one with the arguments of a repository may show what is there."""
    given = schema([], **dict.fromkeys((*arguments, "owner", "repo"), PATH))
    held = [
        Tool.from_schema(name, "Do it", given, raising(error)),
        Tool.from_schema(other, "", schema(owner=PATH, repo=PATH), dict, read_only=read_only),
    ]
    return called(held, name, {"owner": "acme", "repo": "shop", **arguments})


class ServiceError(Exception):
    """An exception that no plugin knows."""

    __module__ = "acme"


class Repairing:
    """A plugin that repairs a name."""

    @hookimpl
    def repair(self, call: ToolCall) -> Any:
        return lambda: call._replace(name="act", arguments={"path": "a.md"})


class Asking:
    """A plugin that wants a person to approve."""

    @hookimpl
    def authorize(self) -> NeedsApproval:
        return NeedsApproval("It writes to production.")


class Advising:
    """A plugin with a hint."""

    @hookimpl
    def hints(self) -> Any:
        yield "Ask for several records in one call."


TOOL_TO_APPROVE = [Tool.from_schema("act", "Do it", schema([], path=PATH), dict, approve=True)]


def near(error: errors.ResourceNotFoundError, *names: str) -> errors.ResourceNotFoundError:
    error.suggestions = names
    return error


def missing(path: str) -> FileNotFoundError:
    return FileNotFoundError(2, "No such file or directory", path)


def problems(*given: errors.Problem) -> errors.ToolArgumentError:
    return errors.ToolArgumentError("The service rejected the call.", problems=given)


CASES: dict[str, Case] = {
    "tool_meant": called(tools(), "read_fil", {"path": "a.md"}),
    "tool_meant_arguments_unclear": called(tools(), "read_fil", {"file": 1, "mode": 2}),
    "tool_likely": called(tools(), "open_brief", {"path": "a.md"}),
    "tool_unclear": called(tools(), "file_thing", "{}"),
    "tool_unknown": called(tools(), "zzz", "{}"),
    "tool_of_many": called(tools(30), "zzz", "{}"),
    "tool_of_many_in_little_space": called(tools(200), "zzz", "{}", limits=Limits(feedback_chars=200)),
    "tool_whose_name_has_no_space": called(
        [Tool.from_schema("a_very_long_name_" * 8, "", {"type": "object"}, dict)],
        "zzz",
        "{}",
        limits=Limits(feedback_chars=500),
    ),
    "no_tools": called([], "read_file", "{}"),
    "arguments_cut_off": called(tools(), "read_file", '{"path": "a.m'),
    "arguments_no_object": called(tools(), "read_file", "[1]"),
    "argument_missing": called(tools(), "read_file", {}),
    "argument_missing_and_an_undeclared_one_sent": called(
        [
            Tool.from_schema(
                "act", "", {"type": "object", "properties": {"path": PATH, "n": NUMBER}, "required": ["path"]}, dict
            )
        ],
        "act",
        {"target": "a.md", "n": 1},
    ),
    "argument_missing_twice": called(tools(), "read_file", {}, session=2),
    "address_sent_for_an_identifier": called(
        [
            Tool.from_schema(
                "act",
                "",
                schema(video_id=PATH, n=NUMBER),
                raising(errors.ResourceNotFoundError("It does not exist.")),
                read_only=True,
            )
        ],
        "act",
        {"video_id": "https://videos.example/v/a1", "n": 1},
    ),
    "argument_missing_and_another_sent": called(
        [Tool.from_schema("act", "", schema(path=PATH, n=NUMBER), dict)], "act", {"n": 1}
    ),
    "argument_of_the_wrong_type": called(
        [Tool.from_schema("act", "", schema(n={"type": "integer"}), dict)], "act", {"n": "many"}
    ),
    "argument_corrected": called([Tool.from_schema("act", "", schema(n=NUMBER), dict)], "act", {"n": "10"}),
    "argument_corrected_by_a_guess": called(
        [Tool.from_schema("act", "", schema(m=MODE), dict, read_only=True)], "act", {"m": "descending"}
    ),
    "argument_asked": called(
        [Tool.from_schema("act", "", schema(m=MODE, n=NUMBER), dict)], "act", {"m": "descending", "n": 5}
    ),
    "argument_asked_by_its_name": called(
        [Tool.from_schema("act", "", schema(path=PATH), dict)], "act", {"file": "a.md"}
    ),
    "arguments_asked_by_their_names": called(
        [Tool.from_schema("act", "", schema(source=PATH, target=PATH), dict)], "act", {"src": "a.md", "dest": "b.md"}
    ),
    "argument_neither_true_nor_false": called(
        [Tool.from_schema("act", "", schema(on={"type": "boolean"}), dict)], "act", {"on": "perhaps"}
    ),
    "tool_that_writes_meant": called(tools(), "save_file", {"path": "a.md"}),
    "tool_that_writes_meant_arguments_unclear": called(tools(), "save_file", {"file": "a.md"}),
    "file_missing_and_others_reported": failing(
        LookupError("no such table: client. Tables: accounts, clients, clients_old"), {"path": "client"}
    ),
    "name_within_an_argument_missing_and_others_reported": called(
        [
            Tool.from_schema(
                "act",
                "",
                schema(steps={"type": "array"}),
                raising(LookupError("no such table: client. Tables: accounts, clients, clients_old")),
            )
        ],
        "act",
        {"steps": [{"table": "client"}]},
    ),
    "argument_rejected_and_others_reported": failing(
        sqlite3.OperationalError("no such column: height. Columns of trees: id, species, height_m"), {"path": "size"}
    ),
    "value_rejected_and_others_reported": called(
        [
            Tool.from_schema(
                "act",
                "",
                schema(path=PATH, n=NUMBER),
                raising(ValueError("no class '7 B'; classes of this year: 5a, 6a, 7a, 7b")),
            )
        ],
        "act",
        {"path": "7 B", "n": 1},
    ),
    "value_rejected_and_its_form_reported": called(
        [
            Tool.from_schema(
                "act",
                "",
                schema(path=PATH, n=NUMBER),
                raising(ValueError("number '17' is not valid; numbers look like A-17")),
            )
        ],
        "act",
        {"path": "17", "n": 1},
    ),
    "object_wanted": called(
        [
            Tool.from_schema(
                "act",
                "",
                schema(price={**schema(["amount", "unit"], amount=NUMBER, unit=PATH, note=PATH)}, n=NUMBER),
                dict,
            )
        ],
        "act",
        {"price": "five euros", "n": 1},
    ),
    "objects_wanted": called(
        [
            Tool.from_schema(
                "act", "", schema(rows={"type": "array", "items": schema([], left=NUMBER, top=NUMBER)}, n=NUMBER), dict
            )
        ],
        "act",
        {"rows": "the first", "n": 1},
    ),
    "list_wanted": called(
        [Tool.from_schema("act", "", schema(words={"type": "array", "items": PATH}, n=NUMBER), dict)],
        "act",
        {"words": "this, and that", "n": 1},
    ),
    "list_of_numbers_wanted": called(
        [
            Tool.from_schema(
                "act",
                "",
                schema(box={"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4}, n=NUMBER),
                dict,
            )
        ],
        "act",
        {"box": "the whole world", "n": 1},
    ),
    "list_of_whole_numbers_wanted": called(
        [Tool.from_schema("act", "", schema(ids={"type": "array", "items": {"type": "integer"}}, n=NUMBER), dict)],
        "act",
        {"ids": "all of them", "n": 1},
    ),
    "value_rejected_and_its_limit_reported": called(
        [Tool.from_schema("act", "", schema(path=PATH, n=NUMBER), raising(ValueError("n must be less than 10")))],
        "act",
        {"path": "a", "n": 12},
    ),
    "value_rejected_and_perhaps_listed": beside(
        "list_branches", "merge", ValueError("invalid branch specified"), {"branch": "fix"}, read_only=False
    ),
    "arguments_that_are_no_json": called(
        [Tool.from_schema("act", "", schema(path=PATH, n=NUMBER), dict)], "act", '{"path": "a "b" c", "n": 2}'
    ),
    "argument_unknown_of_many": called(
        [Tool.from_schema("act", "", schema([], **{f"a{n:02}": PATH for n in range(20)}), dict)], "act", {"zzzq": 1}
    ),
    "argument_unknown_of_a_tool_that_writes": called(
        [Tool.from_schema("act", "", schema(path=PATH, n=NUMBER), dict)], "act", {"path": "a", "n": 1, "dry_run": True}
    ),
    "argument_of_a_reading_tool_that_takes_none": called(
        [Tool.from_schema("act", "", schema(), dict, read_only=True)], "act", {"dummy": ""}
    ),
    "arguments_with_every_fault": called(
        [
            Tool.from_schema(
                "act",
                "",
                schema(
                    path=PATH, n=NUMBER, m=MODE, note=PATH, one={"anyOf": [{"type": "integer"}, {"type": "boolean"}]}
                ),
                dict,
                read_only=True,
            )
        ],
        "act",
        {"n": 500, "m": "sideways", "note": "right", "one": "x", "more": 1},
    ),
    "arguments_two_missing": called([Tool.from_schema("act", "", schema(a=PATH, b=PATH), dict)], "act", {}),
    "authors_words": called(
        [Tool.from_schema("act", "", schema(path=PATH), saying("Order 77 is locked; call unlock_order(77) first."))],
        "act",
        {"path": "a.md"},
    ),
    "authors_list_of_names": called(
        [
            Tool.from_schema(
                "act",
                "",
                schema(path=PATH, shop=PATH),
                saying("No shop is called north. Available shops: harbour, station"),
            )
        ],
        "act",
        {"path": "a.md", "shop": "north"},
    ),
    "argument_that_does_not_exist": called(tools(), "read_file", {"path": "a.md", "zzzq": 3}),
    "arguments_with_many_faults": called(
        [Tool.from_schema("act", "", schema(**{f"a{n:02}": PATH for n in range(12)}), dict)], "act", {}
    ),
    "argument_of_a_tool_that_takes_none": called([Tool.from_schema("act", "", schema(), dict)], "act", {"dummy": ""}),
    "argument_corrected_three_times": called(
        [Tool.from_schema("act", "", schema(n=NUMBER), dict)], "act", {"n": "10"}, session=3
    ),
    "arguments_rejected_by_the_service": failing(
        problems(errors.Problem("/path", "rejected", None, '"a"'), errors.Problem("", "no two of them go together"))
    ),
    "arguments_rejected_as_a_whole": failing(
        errors.ToolArgumentError("The two dates exclude each other."), {"path": "a"}
    ),
    "file_missing": failing(missing("docs/guide.md")),
    "file_missing_one_is_near": failing(missing("docs/giude.md"), resources=["docs/guide.md", "other.md"]),
    "file_missing_and_sent": failing(missing("docs/giude.md"), {"path": "docs/giude.md"}, resources=["docs/guide.md"]),
    "file_missing_and_not_named": failing(missing("settings.ini"), {"path": "docs"}),
    "file_is_a_directory": failing(IsADirectoryError(21, "Is a directory", "docs"), {"path": "docs"}),
    "file_refused": failing(PermissionError(13, "Permission denied", "docs/guide.md"), {"path": "docs/guide.md"}),
    "branch_missing_and_listed": beside(
        "list_branches", "merge", LookupError("Branch 'fix' does not exist"), {"branch": "fix"}
    ),
    "branch_missing_and_perhaps_listed": beside(
        "list_branches", "merge", LookupError("Branch 'fix' does not exist"), {"branch": "fix"}, read_only=False
    ),
    "branch_missing_and_its_form_reported": failing(
        LookupError("Branch 'fix' does not exist; names begin with 'feature/'"), {"path": "fix"}
    ),
    "another_tool_reported": beside(
        "search_branches", "merge", ValueError("more than one; find it with search_branches"), {"branch": "fix"}
    ),
    "query_over_a_long_time": called(
        [
            Tool.from_schema(
                "find",
                "",
                schema([], since=PATH, until=PATH, step=PATH),
                raising(TimeoutError("stopped after 60 s: 14,000 of about 90,000 rows read")),
                read_only=True,
            )
        ],
        "find",
        {"since": "2021-01-01", "until": "2025-12-31", "step": "1m"},
    ),
    "mapping_wanted": called(
        [
            Tool.from_schema(
                "act",
                "",
                schema(["labels"], labels={"type": "object", "additionalProperties": PATH}),
                raising(ValueError()),
            )
        ],
        "act",
        {"labels": ["a b"]},
    ),
    "answer_that_is_too_large": called(
        [
            Tool.from_schema(
                "find",
                "",
                schema([], pattern=PATH, detail={"enum": ["full", "brief"]}),
                raising(RuntimeError("The response is too large: 48 MB")),
                read_only=True,
            )
        ],
        "find",
        {"pattern": "*", "detail": "full"},
    ),
    "statement_that_reads_too_much": called(
        [
            Tool.from_schema(
                "find",
                "",
                schema(sql=PATH),
                raising(TimeoutError("stopped after 60 s: 14,000 of about 90,000 rows read")),
                read_only=True,
            )
        ],
        "find",
        {"sql": "SELECT * FROM trees"},
    ),
    "exists_and_may_be_changed": called(
        [
            Tool.from_schema("create_tag", "", schema(path=PATH), raising(ServiceError("The tag already exists"))),
            Tool.from_schema("update_tag", "", schema(path=PATH), dict),
        ],
        "create_tag",
        {"path": "v1"},
    ),
    "exists_and_may_be_changed_by_its_id": called(
        [
            Tool.from_schema(
                "create_tag", "", schema(path=PATH), raising(ServiceError("The tag already exists, id 88"))
            ),
            Tool.from_schema("update_tag", "", schema(tag_id=PATH), dict),
        ],
        "create_tag",
        {"path": "v1"},
    ),
    "another_tool_writes": called(
        [
            Tool.from_schema(
                "query", "Query the database", schema(sql=PATH), raising(ValueError("Only SELECT queries may be run"))
            ),
            Tool.from_schema("run_change", "", schema(sql=PATH), dict),
        ],
        "query",
        {"sql": "DELETE FROM trees"},
    ),
    "conflict_and_state_shown": beside(
        "list_tags", "create_tag", errors.ResourceConflictError("The tag exists."), {"tag": "v1"}
    ),
    "conflict_and_state_perhaps_shown": beside(
        "list_tags", "create_tag", errors.ResourceConflictError("The tag exists."), {"tag": "v1"}, read_only=False
    ),
    "conflict_of_a_tool_that_reads": failing(
        errors.ResourceConflictError("It is busy."), {"path": "v1"}, read_only=True
    ),
    "exists_and_not_shown": failing(
        errors.ResourceConflictError("The tag exists.", code="ALREADY_EXISTS"), {"path": "v1"}
    ),
    "read_by_another_identifier": called(
        [
            Tool.from_schema("get_tag", "", schema([], tag=PATH), raising(LookupError("Tag 'fix' does not exist"))),
            Tool.from_schema("get_tag_by_label", "", schema(label=PATH), dict, read_only=True),
        ],
        "get_tag",
        {"tag": "fix"},
    ),
    "argument_missing_that_is_read_first": called(
        [
            Tool.from_schema("update_page", "", schema(page_id=PATH, version={"type": "integer"}), dict),
            Tool.from_schema("get_page", "", schema(page_id=PATH), dict, read_only=True),
        ],
        "update_page",
        {"page_id": "home"},
    ),
    "argument_under_another_label": called(
        [Tool.from_schema("open_ticket", "", schema(number=PATH), dict, read_only=True)],
        "open_ticket",
        {"ticket_id": "42"},
    ),
    "member_unknown_of_a_tool_that_writes": called(
        [Tool.from_schema("act", "", schema(to={**schema(name=PATH), "additionalProperties": False}, path=PATH), dict)],
        "act",
        {"to": {"whole": "Ida"}, "path": "a.md"},
    ),
    "timed_out_and_state_shown": beside("list_tags", "create_tag", TimeoutError("timed out"), {"tag": "v1"}),
    "timed_out_and_state_perhaps_shown": beside(
        "list_tags", "create_tag", TimeoutError("timed out"), {"tag": "v1"}, read_only=False
    ),
    "query_took_too_long": called(
        [
            Tool.from_schema(
                "act",
                "",
                schema([], text=PATH, limit=NUMBER, team=PATH, since=PATH),
                raising(TimeoutError("query cancelled after 30 s")),
                read_only=True,
            )
        ],
        "act",
        {"text": "a", "limit": 90},
    ),
    "query_of_too_much": called(
        [
            Tool.from_schema(
                "act",
                "",
                schema([], teams={"type": "array"}, date_range=PATH),
                raising(TimeoutError("query cancelled after 30 s")),
                read_only=True,
            )
        ],
        "act",
        {"teams": ["a", "b"], "date_range": "2026"},
    ),
    "conflict": failing(errors.ResourceConflictError("The branch has moved.")),
    "timeout": failing(errors.ToolTimeoutError("No response within 5 s.")),
    "timeout_of_a_read_only_tool": failing(errors.ToolTimeoutError("No response within 5 s."), read_only=True),
    "rate_limit": failing(errors.ToolRateLimitError("Too many calls for now.", retry_after=20), read_only=True),
    "rate_limit_without_a_time": failing(errors.ToolRateLimitError("Too many calls for now.")),
    "rate_limit_that_ends_the_run": failing(
        errors.ToolRateLimitError("Too many calls for now.", retry_after=20, fatal=True)
    ),
    "unavailable": failing(errors.ToolUnavailableError("The service is down.", effect="none")),
    "cancelled": failing(
        errors.ToolCancelledError("An operation that the tool waited for was cancelled."), read_only=True
    ),
    "failed": failing(ServiceError("the printer hums a tune\nsecond line")),
    "failed_without_effect": failing(ServiceError("the printer hums a tune"), read_only=True),
    "failed_type_only": failing(ServiceError("the printer hums a tune"), policy=Policy(detail="type")),
    "failed_twice": failing(ServiceError("the printer hums a tune"), session=2),
    "failed_three_times": failing(ServiceError("the printer hums a tune"), session=3),
    "refused": failing(ServiceError("the printer hums a tune"), session=4),
    "refused_for_good": failing(ServiceError("the printer hums a tune"), session=5),
    "failed_four_times_for_one_value": failing(
        problems(errors.Problem("/path", "rejected", None, '"x"')),
        {"path": "d"},
        before=[{"path": name} for name in "abc"],
    ),
    "failed_twelve_times_with_other_values": failing(
        ServiceError("the printer hums a tune"), {"path": "z"}, before=[{"path": name} for name in "abcdefghijk"]
    ),
    "argument_corrected_twelve_times": called(
        [Tool.from_schema("act", "", schema(n=NUMBER), dict)],
        "act",
        {"n": "10"},
        before=[{"n": str(number)} for number in range(20, 31)],
    ),
    "missing_twice_in_other_calls": failing(missing("a.md"), {"path": "b"}, before=[{"path": "a"}]),
    "unavailable_twice": failing(errors.ToolUnavailableError("The service is down.", effect="none"), session=2),
    "rate_limit_twice": failing(
        errors.ToolRateLimitError("Too many calls for now.", retry_after=20), read_only=True, session=2
    ),
    "timeout_twice": failing(errors.ToolTimeoutError("No response within 5 s."), read_only=True, session=2),
    "failed_with_other_values": failing(
        ServiceError("the printer hums a tune"), {"path": "d"}, before=[{"path": name} for name in "abc"]
    ),
    "budget_spent": failing(ServiceError("the printer hums a tune"), session=2, budget=Budget(calls=1)),
    "budget_of_a_tool_spent": failing(
        ServiceError("the printer hums a tune"), session=2, budget=Budget(tools={"act": Budget(calls=1)})
    ),
    "approval_pending": called(TOOL_TO_APPROVE, "act", {"path": "a"}, plugins=[Asking()]),
    "approval_missing": without_session(TOOL_TO_APPROVE, "act", {"path": "a"}),
    "approval_rejected": called(
        TOOL_TO_APPROVE, "act", {"path": "a"}, approver=lambda _: Reject("Not on a Friday. Plan it for Monday.")
    ),
    "approval_rejected_and_repeated": called(
        TOOL_TO_APPROVE, "act", {"path": "a"}, session=6, approver=lambda _: Reject("Not on a Friday.")
    ),
    "approval_with_wrong_arguments": called(
        TOOL_TO_APPROVE, "act", {"path": "a"}, approver=lambda _: Approve(arguments={"path": 1})
    ),
    "approval_with_other_arguments": failing(
        ServiceError("the printer hums a tune"),
        {"path": "a"},
        approve=True,
        approver=lambda _: Approve(arguments={"path": "b"}),
    ),
    "approver_broken": called(TOOL_TO_APPROVE, "act", {"path": "a"}, approver=lambda _: True),
    "failed_with_a_hint": failing(ServiceError("the printer hums a tune"), plugins=[Advising()]),
    "result_unwritable": called([Tool.from_schema("act", "", schema([]), opaque)], "act", {}),
    "authentication": failing(errors.ToolAuthenticationError("GitHub rejected the credentials.", provider="github")),
    "permission": failing(errors.ToolPermissionError("The account may not push.")),
    "connection": failing(errors.ToolConnectionError("The host cannot be reached.")),
    "unusable_schema": called([Tool.from_schema("act", "Do it", schema([], path={"type": "strin"}), dict)], "act", {}),
    "quota": failing(errors.ToolQuotaError("The credit is exhausted.")),
    "repaired_and_failed": called(
        [Tool.from_schema("act", "", schema(path=PATH), raising(missing("a.md")), read_only=True)],
        "functions.act",
        '{"path": "a.md"}',
        plugins=[Repairing()],
    ),
    "repaired_json_and_failed": called(
        [Tool.from_schema("act", "", schema(path=PATH), raising(missing("a.md")), read_only=True)],
        "act",
        "{'path': 'a.md'}",
        policy=Policy(repair="json"),
    ),
    "repaired_types_and_failed": called(
        [Tool.from_schema("act", "", schema(n={"type": "integer"}), raising(missing("a.md")), read_only=True)],
        "act",
        {"n": "3"},
        policy=Policy(repair="coerce"),
    ),
}


def pinned(case: Case) -> str:
    """Return the content of a golden file: the text that the model reads, in each format."""
    return "".join(f"=== {format}\n{case(format).content}\n" for format in FORMATS)


def main() -> None:
    """Write every golden file again."""
    texts = {name: pinned(case) for name, case in CASES.items()}
    GOLDEN.mkdir(exist_ok=True)
    for old in GOLDEN.glob("*.txt"):
        old.unlink()
    for name, text in texts.items():
        (GOLDEN / f"{name}.txt").write_text(text, encoding="utf-8", newline="\n")
    sys.stdout.write(f"{len(CASES)} files written to {GOLDEN}\n")


if __name__ == "__main__":
    main()
