"""How a tool may be proposed for an unknown name: the tool remembers it, by all that it depends on."""

from __future__ import annotations

import pytest

from mulligan import Tool
from mulligan.resolve.proposals import find_proposals


@pytest.fixture
def tool() -> Tool:
    return Tool.from_schema("send_mail", "Send a mail", {"type": "object"}, dict)


def propose(tool: Tool, called: str, *, is_clear: bool = False, fits: bool = False) -> str | None:
    fitting = [tool.name] if fits else []
    return find_proposals({tool.name: tool}, called, tool.name if is_clear else None, lambda: fitting)[tool.name]


def test_how_a_tool_may_be_proposed_follows_its_options(tool):
    changed = tool.with_options(destructive=True)
    told = [propose(one, "sendMail", is_clear=True) for one in (tool, changed, tool, changed)]
    assert told == ["clear", "asked", "clear", "asked"]


def test_how_a_tool_may_be_proposed_follows_the_name_and_what_else_fits(tool):
    asked = [("sendMail", True, False), ("send_mails_all", False, True), ("send_mails_all", False, False)]
    told = [propose(tool, name, is_clear=clear, fits=fits) for name, clear, fits in asked * 2]
    assert told == ["clear", "likely", "listed"] * 2


def test_what_else_fits_is_asked_only_if_the_name_does_not_decide(tool):
    def refuse() -> list[str]:
        raise AssertionError("schemas would be compiled for nothing")

    assert find_proposals({"send_mail": tool}, "sendMail", "send_mail", refuse) == {"send_mail": "clear"}
