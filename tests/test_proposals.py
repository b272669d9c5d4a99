"""How a tool may be proposed for an unknown name: the tool remembers it, by all that it depends on."""

from __future__ import annotations

import pytest

from mulligan import Tool
from mulligan.resolve.proposals import proposal


@pytest.fixture
def tool() -> Tool:
    return Tool.from_schema("send_mail", "Send a mail", {"type": "object"}, dict)


def test_how_a_tool_may_be_proposed_follows_its_options(tool):
    changed = tool.with_options(destructive=True)
    told = [proposal(one, "sendMail", is_clear=True) for one in (tool, changed, tool, changed)]
    assert told == ["clear", "asked", "clear", "asked"]


def test_how_a_tool_may_be_proposed_follows_the_name_and_what_else_fits(tool):
    asked = [("sendMail", True, False), ("send_mails_all", False, True), ("send_mails_all", False, False)]
    told = [proposal(tool, name, is_clear=clear, fits=fits) for name, clear, fits in asked * 2]
    assert told == ["clear", "likely", "listed"] * 2
