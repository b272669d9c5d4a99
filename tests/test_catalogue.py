"""The sentences that a model reads are templates in one mapping, which another language or house style replaces whole."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from mulligan import Pipeline, Policy, Tool, errors, tool
from mulligan.plugin import ENGLISH

GERMAN = {
    **ENGLISH,
    "headline": "Fehler in {tool}: {message}",
    "headline_without_tool": "Fehler: {message}",
    "problem_expected_got": "- {place}: {what}; erwartet {expected}; bekommen {got}.",
    "problem:wrong type": "vom falschen Typ",
    "meant": "Meintest du {names}?",
    "options": "Werkzeuge ({total}): {names}.",
    "next": "Weiter: {step}",
    "next_corrected": "Weiter: mach diesen Aufruf: {call}",
    "valid": "ruf {tool} noch einmal auf, mit richtigem {names}.",
    "message:ToolNotFoundError": "So ein Werkzeug gibt es nicht.",
    "message:ResourceNotFoundError": "{resource} gibt es nicht.",
    "user:ToolAuthenticationError": "Der Dienst nimmt die Zugangsdaten nicht an ({status}).",
}


class Refused(Exception):
    status_code = 401


@tool(read_only=True)
def add(first: int, second: int = 0) -> int:
    """Add two numbers."""
    return first + second


@tool(read_only=True)
def read(path: str) -> str:
    """Read a file."""
    if path == "secret":
        raise Refused("no")
    raise FileNotFoundError(2, "No such file or directory", path)


@pytest.fixture
def german():
    with Pipeline([add, read], autoload=False, policy=Policy(catalogue=GERMAN)) as pipeline:
        yield pipeline


def test_another_language(german):
    assert german.call("add", {"first": "many"}).content == (
        "Fehler in add: Invalid arguments: one problem; nothing was run.\n"
        '- /first: vom falschen Typ; erwartet integer; bekommen "many".\n'
        'Weiter: ruf add noch einmal auf, mit richtigem "first".'
    )
    assert german.call("addd", {"first": 1}).content == (
        "Fehler: So ein Werkzeug gibt es nicht.\n"
        'Meintest du "add"?\n'
        "Werkzeuge (2): add, read.\n"
        'Weiter: mach diesen Aufruf: {"name": "add", "arguments": {"first": 1}}'
    )


def test_what_a_rule_says_is_replaced_by_class(german):
    assert german.call("read", {"path": "a.md"}).content.startswith("Fehler in read: a.md gibt es nicht.\n")
    refused = german.call("read", {"path": "secret"})
    assert refused.feedback.user_message == "Der Dienst nimmt die Zugangsdaten nicht an (401)."


def test_every_format_uses_it(german):
    session = german.session(format="block")
    assert "\nWeiter: " in session.call("add", {"first": "many"}).content
    assert "Weiter: " in german.session(format="json").call("add", {"first": "many"}).content


def test_every_template_of_the_original_is_used_by_its_own_name():
    for name, template in ENGLISH.items():
        assert name == name.strip()
        for _, field, spec, conversion in Formatter().parse(template):
            assert field is None or (field.isidentifier() and not spec and conversion is None)


@pytest.mark.parametrize(
    ("catalogue", "told"),
    [
        ("german", r"Policy(catalogue='german'): use a mapping of templates, such as {**ENGLISH, ...}"),
        (
            {"next": "Weiter: {step}"},
            r"Policy(catalogue=...): template 'headline' is missing; start from {**ENGLISH, ...}",
        ),
        ({**ENGLISH, "nxt": "x"}, r"Policy(catalogue=...): unknown template 'nxt'; available: headline, "),
        ({**ENGLISH, 3: "x"}, r"Policy(catalogue=...): unknown template 3; available: headline, "),
        (
            {**ENGLISH, "next": "{stepp}"},
            r"Policy(catalogue=...): template 'next' has the unknown field {stepp}; allowed: {step}",
        ),
        ({**ENGLISH, "and": "{x}"}, r"Policy(catalogue=...): template 'and' has the unknown field {x}; allowed: none"),
        ({**ENGLISH, "next": "{"}, r"Policy(catalogue=...): template 'next' is invalid: "),
        ({**ENGLISH, "next": 5}, r"Policy(catalogue=...): template 'next' is invalid: expected a string, not int"),
        (
            {**ENGLISH, "user:ToolError": "{name}"},
            r"Policy(catalogue=...): template 'user:ToolError' has the unknown field {name}; allowed: {message}, {resource}, {service}, {status}, {tool}",
        ),
    ],
)
def test_what_is_wrong_with_a_catalogue_is_named(catalogue, told):
    with pytest.raises(errors.UsageError, match="^" + re.escape(told)):
        Policy(catalogue=catalogue)


def test_a_finer_sentence_never_replaces_one_of_another_language(make_pipeline):
    def open_board(board: str) -> str:
        raise errors.ResourceNotFoundError("No board.", resource=board)

    def read_boards() -> str:
        return "none"

    def last_line(**own: str) -> str:
        lists = Tool.from_function(read_boards, name="list_boards", read_only=True)
        pipeline = make_pipeline(open_board, lists, policy=Policy(catalogue={**ENGLISH, **own}))
        return pipeline.call("open_board", {"board": "b1"}).content.splitlines()[-1]

    call = '{"name": "list_boards", "arguments": {}}'
    assert last_line() == f"Next: see which exist, with this call: {call}"
    assert last_line(existing_name="Nimm einen, den es gibt.") == "Next: Nimm einen, den es gibt."
    assert last_line(existing_name="Nimm einen.", see_existing="Sieh nach: {call}") == f"Next: Sieh nach: {call}"
