"""An edit whose text is not in the file: the file exists, so it is no missing resource."""

from __future__ import annotations

import pytest

from mulligan import Pipeline, errors
from mulligan.plugin import said


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    "text",
    [
        "Could not find an exact match for the edit in menu.yml",
        "could not find old_text in the document",
        "old_str was not found in menu.yml",
        "oldString not found in content",
        "The text to replace was not found in menu.yml",
        "String to replace not found: `tea: 3`",
        "The search block does not match the file",
        "The original text did not appear verbatim in the note",
        "no matches found for the search text in menu.yml",
        "Found 2 occurrences of the text to replace; add more context",
        "The string to be replaced could not be found in menu.yml",
        "no match for search block",
        "old_string is not unique in menu.yml",
        "Failed to locate the target lines in menu.yml",
        "error: patch failed: menu.yml:14",
        "error: menu.yml: patch does not apply",
        "Hunk #2 FAILED at 14.",
        "2 out of 3 hunks FAILED",
        "File has not been read yet. Read it first before writing to it.",
        "The file was modified since it was read",
    ],
)
def test_a_failed_edit(bare, text):
    error = bare.classify(RuntimeError(text), tool="edit", arguments={"path": "menu.yml"})
    assert (type(error), error.fatal) == (errors.ResourceConflictError, False)
    assert "not found:" not in error.message


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("File not found: menu.yml", errors.ResourceNotFoundError),
        ("ENOENT: no such file or directory, open 'menu.yml'", errors.ResourceNotFoundError),
        ("source code not found", errors.ResourceNotFoundError),
        ("text not found in page", errors.ToolExecutionError),
        ("corrupt patch at line 5", errors.ToolArgumentError),
    ],
)
def test_what_is_no_failed_edit(bare, text, cls):
    assert type(bare.classify(RuntimeError(text), arguments={"path": "menu.yml"})) is cls


def test_a_patch_may_have_been_applied_in_part():
    meaning = said("Hunk #2 FAILED at 14.")
    assert meaning is not None and meaning.effect == "possible"


def test_the_step_after_a_failed_edit(make_pipeline, run):
    def edit(path: str, old: str) -> None:
        raise ValueError("Could not find old text in menu.yml")

    told = run(make_pipeline(edit), "edit", {"path": "menu.yml", "old": "tea"})
    assert told.error.resource == "menu.yml"
    assert "read the current state first" in told.content
