"""The reference is what the docstrings say, and has every public name, hook, error, event, field, command and option."""

from __future__ import annotations

import ast
import inspect
import io
import re

import attrs
import pytest
import reference_pages
from reference_pages import FOLDER

import mulligan.errors
from mulligan import Limits, Policy, hookspecs
from mulligan.cli.app import _app

APP = _app(io.StringIO())
PAGES = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
HEADINGS = {name: re.findall(r"^#+ (.+)$", text, re.MULTILINE) for name, text in PAGES.items()}
ALL = {heading for headings in HEADINGS.values() for heading in headings}
ERRORS = [name for name, one in vars(mulligan.errors).items() if inspect.isclass(one) and issubclass(one, Exception)]


def section(page: str, heading: str) -> str:
    found = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#{{1,2}} |\Z)", PAGES[page], re.MULTILINE | re.DOTALL)
    assert found, f"{page} has no section {heading!r}"
    return found[2]


@pytest.fixture(scope="module")
def made():
    return reference_pages.pages()


@pytest.mark.parametrize("name", reference_pages.names())
def test_a_page_is_what_the_docstrings_say(name, made):
    assert PAGES[name] == made[name], "update it: python tools/reference_pages.py"


@pytest.mark.parametrize(("module", "name"), list(reference_pages.public_names()))
def test_every_public_name_has_a_heading(module, name):
    assert name in ALL or (module, name) == ("mulligan", "errors")


def test_no_name_is_told_twice():
    headings = [heading for page in reference_pages.names() for heading in HEADINGS[page][1:]]
    assert sorted({heading for heading in headings if headings.count(heading) > 1}) == []


@pytest.mark.parametrize("name", hookspecs.__all__)
def test_every_hook_has_its_parameters_its_kind_and_an_example(name):
    text = section("hooks.md", name)
    assert "\nKind: *" in text
    assert text.count("```python") >= 2
    for parameter in inspect.signature(getattr(hookspecs, name)).parameters:
        assert f"\n- `{parameter}`: " in text


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_is_told(name):
    text = section("errors.md", name)
    cls = getattr(mulligan.errors, name)
    if issubclass(cls, mulligan.errors.ToolError) and cls is not mulligan.errors.ToolError:
        assert f"code `{cls.code}`, {'fatal' if cls.fatal else 'not fatal'}," in text
        assert cls.user_message in text
        assert re.search(r"```text\nError.+\n", text), "what the model reads"


@pytest.mark.parametrize("cls", [Policy, Limits])
def test_every_setting_is_told(cls):
    text = section("policy.md", cls.__name__)
    assert [field.name for field in attrs.fields(cls) if f"\n- `{field.name}`" not in text] == []


def test_every_sentence_of_the_catalogue_is_told():
    assert [name for name in mulligan.catalogue.ENGLISH if f"| `{name}` |" not in PAGES["policy.md"]] == []


@pytest.mark.parametrize("name", [name for name in APP if not name.startswith("-")])
def test_every_command_has_a_section_with_its_options(name):
    text = section("cli.md", f"mulligan {name}") + section("cli.md", "Options of every command")
    given = [one for one in APP[name].assemble_argument_collection() if one.parameter.parse is not False]
    options = {option for one in given for option in one.names}
    assert {one for one in options if one.startswith("--") and f"`{one}" not in text} == set()


def test_code_of_the_docstrings_is_python():
    for page in reference_pages.names():
        for block in re.findall(r"^```python\n(.*?)^```", PAGES[page], re.MULTILINE | re.DOTALL):
            if not re.match(r"(@\w+\n)?(async def|def|class) |\w+: ", block):
                ast.parse(block)
