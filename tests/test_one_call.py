"""The page about one failing call is true: its links lead to what they name, and its program prints what it shows."""

from __future__ import annotations

import re

import one_call_page
import pytest

from mulligan.errors import ResourceNotFoundError

PAGE = one_call_page.PAGE.read_text("utf-8")
LINKS = one_call_page.LINK.findall(PAGE)


@pytest.mark.parametrize(("name", "file", "line"), LINKS, ids=[name for name, _, _ in LINKS])
def test_each_link_leads_to_the_line_that_defines_what_it_names(name, file, line):
    text = (one_call_page.ROOT / file).read_text("utf-8").splitlines()[int(line) - 1]
    assert re.match(rf"\s*(async def|def|class) {name.rpartition('.')[2]}\b", text), (
        "update it: python tools/one_call_page.py"
    )
    assert one_call_page.find_line(file, name) == int(line)


def test_each_step_has_a_link():
    steps = re.split(r"^\d+\. ", PAGE, flags=re.MULTILINE)[1:]
    assert steps
    assert [text for text in steps if not one_call_page.LINK.search(text)] == []
    assert PAGE.count("#L") == len(LINKS)


def test_the_model_reads_what_the_page_shows():
    printed, result = one_call_page.run_program(PAGE)
    assert one_call_page.PRINTED.findall(PAGE) == [printed]
    assert type(result.error) is ResourceNotFoundError
    assert result.error.rule == "classify:missing"
    assert isinstance(result.error.__cause__, FileNotFoundError)


def test_an_outdated_page_is_updated():
    outdated = re.sub(r"#L\d+", "#L1", one_call_page.PRINTED.sub("```text\n```", PAGE))
    assert one_call_page.update(outdated) == PAGE


def test_a_definition_that_is_gone_is_named():
    with pytest.raises(LookupError, match="flow.py does not define _steps"):
        one_call_page.find_line("src/mulligan/pipeline/flow.py", "_steps")
