"""An identifier that was sent as the address of its page is found within it, and asked."""

from __future__ import annotations

from typing import Any

import pytest

from mulligan import Pipeline, Tool, errors
from mulligan.repair.identifiers import find_identifier


@pytest.mark.parametrize(
    ("address", "identifier"),
    [
        ("https://www.youtube.com/watch?v=dQw4w9WgXcQ", "dQw4w9WgXcQ"),
        (
            "https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit?usp=sharing",
            "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms",
        ),
        ("https://github.com/octo/hello/issues/1347", "1347"),
        ("https://acme.atlassian.net/browse/WEB-412", "WEB-412"),
        ("https://trello.com/c/aB3dE5gH/17-order-coffee", "aB3dE5gH"),
        ("https://app.asana.com/0/x/b6f4ed5c-7a9f-4c2e-9f4e-2d1a5b6c7d8e/", "b6f4ed5c-7a9f-4c2e-9f4e-2d1a5b6c7d8e"),
        ("https://blog.example/posts/intro-2026", None),
        ("https://example.org/2026/11/a7", None),
        ("https://example.org/about", None),
        ("https://example.org/file?access_token=q3KdT0mXcPz8uVbN1aYw", None),
        ("https://example.org/file?sig=1&password=hunter2x", "1"),
        ("https://example.org/oauth2/v1beta1/python3", None),
        ("https://example.org/apis/v1beta1/things/a81f09", "a81f09"),
        ("https://example.org/a/44/b/45", None),
        ("https://[broken/44", None),
        ("https://example.org/" + "a" * 3_000 + "/44", None),
    ],
)
def test_the_one_part_that_looks_like_an_identifier(address, identifier):
    assert find_identifier(address) == identifier


def told(name: str, part: dict[str, Any], arguments: dict[str, Any], **declared: bool) -> str:
    def handler(**_: Any) -> None:
        raise errors.ResourceNotFoundError("It does not exist.", resource=str(arguments[name]))

    parts = {name: part, "text": {"type": "string"}}
    tool = Tool.from_schema("add_note", "", {"type": "object", "properties": parts}, handler, **declared)
    with Pipeline([tool], autoload=False) as pipeline:
        return pipeline.call("add_note", arguments).content


PAGE = "https://files.example/f/q3KdT0mXcPz8/Checkout?node=a"


@pytest.mark.parametrize("read_only", [True, False])
def test_it_is_asked_whether_it_was_meant(read_only):
    text = told("file_key", {"type": "string"}, {"file_key": PAGE, "text": "x"}, read_only=read_only)
    assert 'Did you mean "file_key": "q3KdT0mXcPz8"?' in text
    assert "corrected call:" not in text
    assert "call add_note again with only the identifier within the address" in text  # if it was not meant


def test_a_number_is_found_where_a_number_is_wanted():
    address = "https://git.example/octo/hello/issues/1347"
    text = told("issue_number", {"type": "integer"}, {"issue_number": address, "text": "x"})
    assert 'Did you mean "issue_number": 1347?' in text


@pytest.mark.parametrize(
    ("name", "value", "declared"),
    [
        ("page_url", PAGE, {}),
        ("file_key", PAGE, {"destructive": True}),
        ("file_key", "https://files.example/about", {}),
        ("file_key", f"see {PAGE}", {}),
    ],
)
def test_nothing_is_asked_elsewhere(name, value, declared):
    assert "Did you mean" not in told(name, {"type": "string"}, {name: value, "text": "x"}, **declared)
