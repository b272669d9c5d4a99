"""After a query that took too long, the model is told by which arguments it can ask for less."""

from __future__ import annotations

from typing import Any

import pytest

from mulligan import Pipeline, Policy, Tool

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
SAME = "call find again with exactly the same arguments"


def step(text: str, arguments: dict[str, Any], properties: dict[str, Any], **options: Any) -> str:
    def handler(**_: Any) -> None:
        raise TimeoutError(text)

    tool = Tool.from_schema(
        "find", "", {"type": "object", "properties": properties}, handler, read_only=True, **options
    )
    with Pipeline([tool], autoload=False) as pipeline:
        return pipeline.call("find", arguments).content.splitlines()[-1]


SCHEMA = {"text": TEXT, "page_size": NUMBER, "region": TEXT, "format": TEXT, "exact": {"type": "boolean"}}


@pytest.mark.parametrize(
    ("arguments", "properties", "ways"),
    [
        ({"text": "a", "page_size": 500}, SCHEMA, 'with "region" added or with a smaller "page_size"'),
        ({"text": "a"}, SCHEMA, 'with "page_size" or "region" added'),
        ({"text": "a", "region": "eu", "page_size": 9}, SCHEMA, 'with a smaller "page_size"'),
        (
            {"text": "a"},
            {"text": TEXT, "columns": TEXT, "kind": {"enum": ["x"]}, "day": TEXT},
            'with "kind" or "day" added',
        ),
        (
            {"teams": ["a", "b"], "since": "2025"},
            {"teams": {"type": "array"}, "since": TEXT},
            'with fewer "teams" or with a later "since"',
        ),
        ({"text": "a"}, {"text": TEXT, "max_rows": {"anyOf": [NUMBER, {"type": "null"}]}}, 'with "max_rows" added'),
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "query cancelled after 60 s, 412 GB scanned",
        "canceling statement due to statement timeout",
        "operation exceeded time limit",
        "The search took too long and was aborted",
    ],
)
def test_less_is_asked_for_by_name(text, arguments, properties, ways):
    assert step(text, arguments, properties) == (
        f"Next: call find again for less: {ways}. With the same arguments it will most likely fail again."
    )


@pytest.mark.parametrize(
    ("text", "properties"),
    [
        ("HTTPSConnectionPool(host='a.example', port=443): Read timed out. (read timeout=20)", SCHEMA),
        ("timed out", SCHEMA),
        ("gave up after the 30 s read timeout", SCHEMA),
        ("no answer in 2 minutes; 443 read errors", {"text": TEXT}),
        ("query cancelled after 60 s", {"text": TEXT, "format": TEXT, "offset": NUMBER}),
    ],
)
def test_a_slow_connection_or_a_tool_without_a_filter_is_called_again_as_it_was(text, properties):
    assert SAME in step(text, {"text": "a"}, properties)


@pytest.mark.parametrize(
    ("name", "read_only", "asks_for_less"),
    [("search_logs", True, True), ("search_logs", False, False), ("purge_logs", False, False)],
)
def test_only_a_tool_that_is_declared_to_read_is_asked_for_less_after_a_timeout(name, read_only, asks_for_less):
    def handler(**_: Any) -> None:
        raise TimeoutError("canceling statement due to statement timeout")

    schema = {"type": "object", "properties": {"text": TEXT, "limit": NUMBER}}
    tool = Tool.from_schema(name, "", schema, handler, read_only=read_only)
    with Pipeline([tool], autoload=False, policy=Policy(retry=False)) as pipeline:
        last = pipeline.call(name, {"text": "a"}).content.splitlines()[-1]
    assert (f'call {name} again for less: with "limit" added' in last) is asks_for_less
    assert ("Do not repeat this call" in last) is not asks_for_less


@pytest.mark.parametrize("text", ["Ask for at most 31 days at a time.", "There are no more than 500 rows per request."])
def test_a_report_that_states_the_most_of_one_call_asks_for_less(text):
    assert step(text, {"text": "a"}, SCHEMA).startswith("Next: call find again for less: ")


@pytest.mark.parametrize(
    "text",
    [
        "The query reads more than is allowed. Reduce the time range or add a filter",
        "Scan refused: please use a more specific filter",
        "too many matches, shorten the period",
    ],
)
def test_less_is_asked_for_where_the_report_asks_for_it(text: str) -> None:
    def handler(**_: Any) -> None:
        raise RuntimeError(text)

    properties = {"minutes": NUMBER, "region": TEXT}
    tool = Tool.from_schema("find", "", {"type": "object", "properties": properties}, handler, read_only=True)
    with Pipeline([tool], autoload=False) as pipeline:
        read = pipeline.call("find", {"minutes": 1440}).content.splitlines()[-1]
    assert read == (
        'Next: call find again for less: with "region" added or with a shorter "minutes". '
        "With the same arguments it will most likely fail again."
    )


class TooLarge(Exception):
    status_code = 413


@pytest.mark.parametrize(
    ("report", "ways"),
    [
        ("88,014 rows match, the most is 5,000. Limit the results with 'region'.", 'with "region" added'),
        ("Too many rows, narrow it by `page_size`", 'with "page_size" added'),
        ("Too much data. Please filter the query using the region", 'with "page_size" or "region" added'),
    ],
)
def test_an_answer_that_is_too_large_is_asked_for_with_what_the_report_names(report: str, ways: str) -> None:
    def handler(**_: Any) -> None:
        raise TooLarge(report)

    properties = {"text": TEXT, "page_size": NUMBER, "region": TEXT}
    tool = Tool.from_schema("find", "", {"type": "object", "properties": properties}, handler, read_only=True)
    with Pipeline([tool], autoload=False) as pipeline:
        read = pipeline.call("find", {"text": "a"}).content.splitlines()[-1]
    assert read.startswith(f"Next: call find again for less: {ways}. ")


@pytest.mark.parametrize(
    "report",
    [
        "stopped after 60 s: 14,000 of about 90,000 rows read",
        "Timeout exceeded: elapsed 30 s, after reading 1.2 billion rows",
        "gave up with 17 pages of 500 records fetched",
        "30 s are over, 3 million documents were scanned",
    ],
)
@pytest.mark.parametrize(
    ("arguments", "ways"),
    [
        ({"since": "2021-01-01", "step": "1m"}, 'with a later "since" or with a coarser "step"'),
        ({"since": "2021-01-01", "until": "2025-01-01"}, 'with a later "since" or with an earlier "until"'),
        ({"sql": "SELECT * FROM trees"}, 'with a "sql" that reads less'),
    ],
)
def test_a_query_that_was_not_finished_in_time_is_not_repeated_as_it_was(report, arguments, ways):
    properties = dict.fromkeys(arguments, TEXT)
    assert step(report, arguments, properties) == (
        f"Next: call find again for less: {ways}. With the same arguments it will most likely fail again."
    )


def test_a_statement_that_took_too_long_reads_less_before_it_returns_less():
    properties = {"sql": TEXT, "max_rows": {"type": "integer"}}
    told = step("canceling statement due to statement timeout", {"sql": "select * from trees"}, properties)
    assert told.startswith('Next: call find again for less: with a "sql" that reads less or with "max_rows" added. ')
    told = step(
        "canceling statement due to statement timeout",
        {"query": "old oak trees"},
        {"query": TEXT, "max_rows": {"type": "integer"}},
    )
    assert told.startswith('Next: call find again for less: with "max_rows" added. ')


def test_a_sender_is_no_period():
    assert SAME in step("gave up with 17 pages read", {"from": "+493012345600"}, {"from": TEXT})


def read_failed(report: str, *, read_only: bool = True, **arguments: Any) -> str:
    def handler(**_: Any) -> None:
        raise RuntimeError(report)

    properties = {"query": TEXT, "max_rows": NUMBER, "region": TEXT}
    tool = Tool.from_schema("find", "", {"type": "object", "properties": properties}, handler, read_only=read_only)
    with Pipeline([tool], autoload=False) as pipeline:
        return pipeline.call("find", {"query": "a", **arguments}).content.splitlines()[-1]


@pytest.mark.parametrize(
    "report",
    [
        "Received message larger than max (5242880 vs. 4194304)",
        "Response size exceeds 6 MB",
        "Error: the output of 3,112 rows is too long",
        "resultSizeLimitExceeded: size limit exceeded",
        "This search matches too many documents",
        "Too many rows to display",
        "Query exceeded the maximum number of 10000 rows",
        "Response too large to return",
    ],
)
def test_an_answer_that_is_too_large_is_asked_for_less_of_a_tool_that_only_reads(report: str) -> None:
    assert read_failed(report).startswith('Next: call find again for less: with "max_rows" or "region" added')
    assert "for less" not in read_failed(report, read_only=False)


@pytest.mark.parametrize("report", ["too many requests", "the name is too long", "too many open files", "wrong result"])
def test_other_limits_ask_for_no_smaller_answer(report: str) -> None:
    assert "for less" not in read_failed(report)


def test_an_answer_is_not_blamed_where_a_long_text_was_sent() -> None:
    assert "for less" not in read_failed("the message is too long", query="word " * 400)


@pytest.mark.parametrize(
    ("arguments", "properties", "ways"),
    [
        (
            {"id": "7", "detail_level": "full"},
            {"id": TEXT, "detail_level": {"enum": ["full", "brief"]}},
            'another "detail_level"',
        ),
        ({"root": "/", "name_pattern": "*"}, {"root": TEXT, "name_pattern": TEXT}, 'a narrower "name_pattern"'),
        ({"kind": "a"}, {"kind": {"enum": ["a", "b"]}}, None),
        ({"id": "7", "view": "full"}, {"id": TEXT, "view": {"enum": ["full"]}}, None),
    ],
)
def test_a_narrower_filter_or_another_view_returns_less(arguments, properties, ways):
    def handler(**_: Any) -> None:
        raise RuntimeError("The response is too large")

    schema = {"type": "object", "properties": properties}
    with Pipeline([Tool.from_schema("find", "", schema, handler, read_only=True)], autoload=False) as pipeline:
        last = pipeline.call("find", arguments).content.splitlines()[-1]
    assert (f"for less: with {ways}. With" in last) if ways else ("for less" not in last)
