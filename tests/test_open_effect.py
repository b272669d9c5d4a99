"""After a look-up, the model reads what remains to be done about a call that may have taken effect."""

from __future__ import annotations

import pytest

from mulligan import Tool, errors, tool
from mulligan.plugin import ENGLISH, Policy

NOTE = "Note: it is not known yet whether your earlier call of create_invoice took effect."
STEP = 'Next: if it did not, make this call again: {"name": "create_invoice", "arguments": {"customer": "Ada", "cents": 120}}'
CALL = {"customer": "Ada", "cents": 120}


class Billing:
    """Invoices that are created with some trouble."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error or TimeoutError("timed out")

    @property
    def tools(self):
        return [
            Tool.from_function(self.create_invoice),
            Tool.from_function(self.get_invoice, read_only=True),
            Tool.from_function(self.list_invoices, read_only=True),
            Tool.from_function(self.get_weather, read_only=True),
        ]

    def create_invoice(self, customer: str, cents: int) -> str:
        """Create an invoice."""
        if self.error is not None:
            raise self.error
        return "created"

    def get_invoice(self, number: int) -> str:
        """An invoice."""
        return f"invoice {number}"

    def list_invoices(self, customer: str = "") -> str:
        """The invoices, newest first."""
        return "no invoices"

    def get_weather(self, place: str) -> str:
        """The weather."""
        return "rain"


@pytest.fixture
def billing():
    return Billing()


@pytest.fixture
def session(make_pipeline, billing):
    return make_pipeline(*billing.tools).session()


def test_the_look_up_says_what_remains_to_be_done(session):
    assert "list_invoices" in session.call("create_invoice", CALL).content
    looked = session.call("list_invoices", {})
    assert looked.content == f"no invoices\n{NOTE}\n{STEP}"
    assert looked.value == "no invoices"


def test_it_is_said_once(session):
    session.call("create_invoice", CALL)
    session.call("list_invoices", {})
    assert session.call("list_invoices", {}).content == "no invoices"


def test_it_is_said_again_after_the_next_failure(session):
    for _ in range(2):
        session.call("create_invoice", CALL)
        assert NOTE in session.call("list_invoices", {}).content


@pytest.mark.parametrize(("name", "arguments"), [("get_weather", {"place": "Oslo"}), ("get_invoice", {"number": 3})])
def test_what_another_tool_reads_says_nothing_about_it(session, name, arguments):
    session.call("create_invoice", CALL)
    assert "create_invoice" not in session.call(name, arguments).content
    assert NOTE in session.call("list_invoices", {}).content


def test_a_look_up_of_the_same_step_was_made_before_the_model_knew(make_pipeline, billing):
    session = make_pipeline(*billing.tools).session()
    with session.step():
        session.call("create_invoice", CALL)
        assert session.call("list_invoices", {}).content == "no invoices"


def test_nothing_is_open_once_the_call_succeeded(session, billing):
    session.call("create_invoice", CALL)
    billing.error = None
    session.call("create_invoice", CALL)
    assert session.call("list_invoices", {}).content == "no invoices"


def test_nothing_is_open_once_the_tool_succeeded_with_other_arguments(session, billing):
    session.call("create_invoice", CALL)
    billing.error = None
    session.call("create_invoice", {**CALL, "customer": "Ada L."})
    assert session.call("list_invoices", {}).content == "no invoices"


def test_nothing_is_open_once_the_same_tool_of_another_pipeline_succeeded(make_pipeline, billing):
    pipeline = make_pipeline(*billing.tools)
    session = pipeline.session()
    session.call("create_invoice", CALL)
    billing.error = None
    view = pipeline.with_tools(billing.tools)  # as an adapter makes one for each step
    assert not view.call("create_invoice", CALL, session=session).is_error
    assert view.call("list_invoices", {}, session=session).content == "no invoices"


def test_a_result_stays_one_where_the_tools_cannot_be_compared(make_pipeline, billing):
    class Unreadable(dict):
        """Arguments of a host that break when they are read."""

        def items(self):
            raise RuntimeError("broken")

    session = make_pipeline(*billing.tools).session()
    session.call("create_invoice", CALL)
    session.memory.open_effect = session.memory.open_effect._replace(arguments=Unreadable(CALL))
    looked = session.call("list_invoices", {})
    assert (looked.is_error, looked.content) == (False, "no invoices")


def test_nothing_is_open_once_the_failures_are_forgiven(session):
    session.call("create_invoice", CALL)
    session.forgive()
    assert session.call("list_invoices", {}).content == "no invoices"


@pytest.mark.parametrize(
    "error",
    [
        errors.ResourceConflictError("It exists already."),
        errors.ToolUnavailableError("Down.", effect="none"),
        errors.ToolUnavailableError("Down.", effect="done"),
        errors.ToolPermissionError("Not yours.", effect="possible"),
    ],
)
def test_a_call_that_had_no_effect_or_would_fail_again_is_not_to_be_repeated(make_pipeline, error):
    session = make_pipeline(*Billing(error).tools).session()
    session.call("create_invoice", CALL)
    assert session.call("list_invoices", {}).content == "no invoices"


def test_an_unknown_failure_that_speaks_of_what_was_sent_would_come_again(make_pipeline):
    session = make_pipeline(*Billing(LookupError("Ada puzzles the clerk.")).tools).session()
    assert "It may have taken effect." in session.call("create_invoice", CALL).content
    assert session.call("list_invoices", {}).content == "no invoices"


def test_an_unknown_failure_that_does_not_may_be_over(make_pipeline):
    session = make_pipeline(*Billing(RuntimeError("the printer is on fire")).tools).session()
    session.call("create_invoice", CALL)
    assert STEP in session.call("list_invoices", {}).content


def test_invalid_arguments_leave_nothing_open(session):
    session.call("create_invoice", {"customer": "Ada"})
    assert session.call("list_invoices", {}).content == "no invoices"


def test_a_look_up_of_another_thing_says_nothing(make_pipeline):
    @tool
    def delete_berth(berth_id: int) -> str:
        """Delete a berth."""
        raise TimeoutError

    @tool(read_only=True)
    def get_berth(berth_id: int) -> str:
        """A berth."""
        return "free"

    session = make_pipeline(delete_berth, get_berth).session()
    session.call("delete_berth", {"berth_id": 7})
    assert session.call("get_berth", {"berth_id": 8}).content == "free"
    assert 'make this call again: {"name": "delete_berth"' in session.call("get_berth", {"berth_id": 7}).content


def test_a_long_call_is_named_only(session):
    session.call("create_invoice", {"customer": "Ada" * 1_000, "cents": 1})
    content = session.call("list_invoices", {}).content
    assert content.endswith("Next: if it did not, call create_invoice again with the same arguments.")


def test_a_call_with_a_secret_is_named_only(make_pipeline, billing, monkeypatch):
    monkeypatch.setenv("BILLING_TOKEN", "c0ffee-4711-secret")
    session = make_pipeline(*billing.tools).session()
    session.call("create_invoice", {"customer": "c0ffee-4711-secret", "cents": 1})
    content = session.call("list_invoices", {}).content
    assert NOTE in content
    assert "c0ffee" not in content


def test_without_a_session_nothing_is_remembered(make_pipeline, billing):
    pipeline = make_pipeline(*billing.tools)
    pipeline.call("create_invoice", CALL)
    assert pipeline.call("list_invoices", {}).content == "no invoices"


def test_a_catalogue_has_the_sentences_in_its_own_words(make_pipeline, billing):
    catalogue = {
        **ENGLISH,
        "open_effect": "{tool} ist offen.",
        "repeat_call": "Noch einmal: {call}",
        "next": "Dann: {step}",
    }
    session = make_pipeline(*billing.tools, policy=Policy(catalogue=catalogue)).session()
    session.call("create_invoice", CALL)
    content = session.call("list_invoices", {}).content
    assert content.startswith('no invoices\ncreate_invoice ist offen.\nDann: Noch einmal: {"name": "create_invoice"')
