"""The test kit: what a test of a plugin asserts, and the texts with which that fails."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from mulligan import Pipeline, Session, errors, testing
from mulligan.middleware import rate_limit, retry
from mulligan.plugin import CallFinished, Failure, Outcome, PluginError, Rules, hookimpl
from mulligan.session.budget import Budget
from mulligan.testing import (
    FakeClock,
    TimelessPipeline,
    assert_classified,
    assert_fault,
    assert_no_faults,
    assert_reads,
    capture_events,
    failing_tool,
    faults,
    feedback_for,
    result_for,
    sample_tools,
)


class Frozen(Exception):
    __module__ = "acme"


rules = Rules("acme")


@rules("acme.Frozen")
def frozen(failure: Failure):
    """A workspace that is frozen."""
    return errors.ToolQuotaError("Acme has frozen the workspace.", retry_after=60)


acme = SimpleNamespace(classify=rules.hookimpl(), __name__="acme")


@hookimpl
def crash(failure):
    raise KeyError("resource")


crashing = SimpleNamespace(classify=crash, __name__="crashing")


def told(function, *args, **options) -> str:
    with pytest.raises(AssertionError) as raised:
        function(*args, **options)
    return str(raised.value)


# --- what a failure means


def test_assert_classified():
    error = assert_classified(Frozen("x"), errors.ToolQuotaError, plugins=[acme], rule="frozen", retry_after=60)
    assert error.provider == "acme"
    assert_classified(Frozen("x"), errors.ToolQuotaError, plugins=[acme], rule="acme:frozen", fatal=True)
    assert_classified(
        {"ok": False, "error": "not_found"}, errors.ResourceNotFoundError, arguments={"path": "a"}, tool="read"
    )


def test_assert_classified_tells_every_difference():
    text = told(
        assert_classified,
        Frozen("x"),
        errors.ToolRateLimitError,
        plugins=[acme],
        rule="busy",
        retry_after=7,
        fatal=True,
    )
    assert text.splitlines() == [
        "Frozen(x) is classified otherwise:",
        "- class: ToolQuotaError, expected ToolRateLimitError",
        "- rule: 'acme:frozen', expected 'busy'",
        "- retry_after: 60, expected 7",
        "Decided by acme:frozen: ToolQuotaError: Acme has frozen the workspace.",
    ]
    assert "no plugin detects a failure in this value: dict({'a': 1})" in told(
        assert_classified, {"a": 1}, errors.ToolError
    )
    with pytest.raises(TypeError, match="a ToolQuotaError has no attribute 'retry'"):
        assert_classified(Frozen("x"), errors.ToolQuotaError, plugins=[acme], retry=7)


def test_a_plugin_that_crashes_is_named():
    text = told(assert_classified, Frozen("x"), errors.ToolQuotaError, plugins=[crashing])
    assert text == "plugins have faults:\n- plugin 'crashing', classify: KeyError: 'resource'"
    assert "plugin 'crashing', classify" in told(feedback_for, Frozen("x"), plugins=[crashing])


# --- what the model reads


def test_feedback_for():
    text = feedback_for(Frozen("the tulip workspace"), plugins=[acme], tool="save", arguments={"page": 3})
    assert text.startswith("Error executing tool save: Acme has frozen the workspace.\n")
    assert "the tulip workspace" in text
    assert feedback_for({"ok": False, "error": "not_found"}).startswith("Error executing tool the_tool: ")
    assert feedback_for(Frozen("x"), plugins=[acme], format="json").startswith('{"error": true')
    text = told(feedback_for, {"rows": []})
    assert text.startswith('no plugin detects a failure in this value, so the model reads it as a result: {"rows":[]}')
    assert text.endswith("Give the plugin that detects it in `plugins`, or raise an exception.")


def test_result_for():
    result = result_for(Frozen("x"), plugins=[acme])
    assert (result.fatal, result.attempts, result.error.rule) == (True, 1, "acme:frozen")
    assert result_for({"rows": []}).value == {"rows": []}


@pytest.fixture
def kept(tmp_path):
    path = tmp_path / "texts" / "frozen.txt"
    assert_reads(result_for(Frozen("in tulip"), plugins=[acme]), path, hide={"tulip": "…"}, update=True)
    return path


def test_assert_reads(kept, monkeypatch):
    assert kept.read_text().startswith("Error executing tool the_tool: Acme has frozen the workspace.\n")
    assert kept.read_text().endswith(".\n")
    assert "in …" in kept.read_text()
    assert_reads(kept.read_text(), kept, update=False)
    assert_reads(kept.read_text().rstrip(), kept)
    monkeypatch.setenv("MULLIGAN_UPDATE", "1")
    assert_reads("Other words.", kept)
    assert kept.read_text() == "Other words.\n"
    monkeypatch.setenv("MULLIGAN_UPDATE", "0")
    assert "Other words." in told(assert_reads, "Once more.", kept)


def test_assert_reads_shows_the_difference_and_what_to_do(kept, tmp_path):
    text = told(assert_reads, kept.read_text().replace("frozen", "thawed"), kept, update=False)
    assert text.startswith(
        f"the model reads something else than {kept} says:\n--- snapshot\n+++ what the model reads\n"
    )
    assert "\n-Error executing tool the_tool: Acme has frozen the workspace.\n" in text
    assert "\n+Error executing tool the_tool: Acme has thawed the workspace.\n" in text
    assert text.endswith("if it is as it should be, run pytest --mulligan-update, or set MULLIGAN_UPDATE=1.")
    text = told(assert_reads, "Some words.", tmp_path / "none.txt", update=False)
    assert text.startswith(f"there is no snapshot {tmp_path / 'none.txt'} yet. The model reads:\nSome words.\n")
    assert not (tmp_path / "none.txt").exists()


# --- faults of plugins


def test_faults():
    with Pipeline([failing_tool(Frozen("x"))], plugins=[acme, crashing], autoload=False) as pipeline:
        assert_no_faults(pipeline)
        assert told(assert_fault, pipeline) == "no fault with anything:\n- there are no faults"
        pipeline.call("the_tool", {})
        assert assert_fault(pipeline, "crashing", hook="classify", match="KeyError").exception is not None
        assert assert_fault(pipeline).plugin == "crashing"
        text = told(assert_fault, pipeline, "acme", match="x")
        assert text == "no fault with plugin='acme', match='x':\n- plugin 'crashing', classify: KeyError: 'resource'"
        text = told(assert_no_faults, pipeline)
        assert text == "plugins have faults:\n- plugin 'crashing', classify: KeyError: 'resource'"


# --- events


def test_events_of_a_pipeline_that_there_is():
    with Pipeline(sample_tools().values(), autoload=False) as pipeline:
        pipeline.call("list_files", {})
        with capture_events(pipeline) as events:
            pipeline.call("read_file", {"path": "none"})
            asyncio.run(pipeline.acall("read_file", {"path": "README.md"}))
        pipeline.call("read_file", {"path": "README.md"})
    assert events.names == ["CallStarted", "AttemptFailed", "CallFinished", "CallStarted", "CallFinished"]
    assert [event.result.is_error for event in events.of(CallFinished)] == [True, False]
    assert [event.result.content for event in events.of(CallFinished)][1] == "# A project\n"


def test_events_as_a_plugin():
    one, other = capture_events(), capture_events()
    assert len(one) == 0
    with Pipeline(plugins=[one, other], autoload=False) as pipeline:
        pipeline.call("none", {})
    assert one.names == other.names == ["CallStarted", "CallFinished"]


# --- time


def busy() -> Exception:
    return errors.ToolUnavailableError("The service is busy.")


def test_a_pipeline_in_which_no_time_passes():
    clock = FakeClock()
    wanted = retry(attempts=4, wait_initial=10, wait_max=60, wait_jitter=0, timeout=600, clock=clock)
    held = failing_tool(busy(), read_only=True)
    with TimelessPipeline([held], clock=clock, middleware=[wanted], autoload=False) as pipeline:
        for result in (pipeline.call("the_tool", {}), asyncio.run(pipeline.acall("the_tool", {}))):
            assert (result.attempts, result.duration) == (4, 70)
    assert clock.waits == [10, 20, 40, 10, 20, 40]
    assert clock() == 1_140


def test_the_second_chance_and_budgets_keep_to_the_clock():
    with TimelessPipeline([failing_tool(busy(), read_only=True)], autoload=False) as pipeline:
        assert pipeline.call("the_tool", {}).attempts == 3
        assert len(pipeline.clock.waits) == 2
        session: Session = pipeline.session(budget=Budget(seconds=30))
        pipeline.clock.advance(31)
        result = session.call("the_tool", {})
        assert "the budget of 30 s for this conversation is exhausted" in result.content
        assert result.attempts == 0


def test_a_rate_limit_without_waiting():
    clock = FakeClock()
    limit = rate_limit(1, per=20, clock=clock)
    with TimelessPipeline(sample_tools().values(), clock=clock, middleware=[limit], autoload=False) as pipeline:
        results = pipeline.call_many([("read_file", {"path": "README.md"})] * 2)
    assert not any(result.is_error for result in results)
    assert sum(clock.waits) == 20


def test_a_middleware_is_closed_when_the_call_ends_early():
    closed = []

    def watching(run, tool, call):
        try:
            return (yield run)
        finally:
            closed.append(tool.name)

    def leaving() -> str:
        raise KeyboardInterrupt

    with (
        TimelessPipeline([leaving], middleware=[watching], autoload=False) as pipeline,
        pytest.raises(KeyboardInterrupt),
    ):
        pipeline.call("leaving", {})
    assert closed == ["leaving"]


# --- tools


def test_sample_tools():
    with Pipeline(sample_tools().values(), autoload=False, strict=True) as pipeline:
        assert pipeline.call("list_files", {}).value == ["README.md"]
        pipeline.call("write_file", {"path": "a.txt", "text": "one "})
        pipeline.call("write_file", {"path": "a.txt", "text": "two", "append": True})
        assert pipeline.call("read_file", {"path": "a.txt"}).value == "one two"
        with pytest.raises(errors.ResourceNotFoundError) as raised:
            pipeline.call("read_file", {"path": "README.MD"})
        assert raised.value.suggestions == ("README.md",)
    assert {name: tool.read_only for name, tool in sample_tools().items()} == {
        "read_file": True,
        "list_files": True,
        "write_file": False,
    }


def test_failing_tool():
    with Pipeline([failing_tool([1, 2], "give", read_only=True)], autoload=False) as pipeline:
        assert pipeline.call("give", {"any": "thing"}).value == [1, 2]


# --- the corpus


@pytest.mark.parametrize("fault", faults.EXCEPTIONS, ids=str)
def test_no_exception_of_the_corpus_trips_mulligan(fault):
    text = feedback_for(fault.make())
    assert text.startswith("Error executing tool the_tool: ")
    assert len(text) <= 2_000
    assert faults.leaked(text) == []
    assert type(fault.make()) is type(fault.make())


@pytest.mark.parametrize("fault", (*faults.VALUES, *faults.RESULTS), ids=str)
def test_no_value_of_the_corpus_trips_mulligan(fault):
    result = result_for(fault.make())
    assert not (result.is_error and fault in faults.RESULTS)


def test_what_the_corpus_looks_for():
    assert faults.obeyed(f"so: {faults.ORDER}")[0] == "Ignore all previous instructions"
    assert faults.obeyed("Ignore all previous commands") == []
    for name, secret in faults.SECRETS.items():
        assert faults.leaked(f"<{secret}>") == [name]
    assert faults.leaked("nothing") == []
    for fault in faults.imposters("acme.sdk.QuotaError"):
        made = Failure(fault.make())
        assert made.matches("acme.sdk.QuotaError", "acme.QuotaError")
        assert not made.matches("acme.Other")
    assert list(faults.garbled({"a": [1]}))[:2] == [{}, {"a": None}]


def test_variants_of_a_sample():
    class Refused(Exception):
        def __init__(self, code, *, message):
            super().__init__(f"{code}: {message}")
            self.code, self.message = code, message

    made = {fault.name: fault.make() for fault in faults.variants(Refused(3, message="No."))}
    assert vars(made["Refused with an order as `message`"]) == {"code": 3, "message": faults.ORDER}
    assert made["Refused with an order as `message`"].args == ("3: No.",)
    assert str(made["Refused with an order as its text"]) == faults.ORDER
    assert vars(made["Refused with nothing as `code`"]) == {"code": None, "message": "No."}
    values = {fault.name: fault.make() for fault in faults.variants({"ok": False, "errors": [{"text": "No."}]})}
    assert values["dict with an order as `errors/0/text`"] == {"ok": False, "errors": [{"text": faults.ORDER}]}
    assert values["dict with nothing as `ok`"] == {"ok": None, "errors": [{"text": "No."}]}


# --- the package


def test_it_needs_no_pytest_and_no_command_line():
    code = (
        "import sys; sys.modules['pytest'] = None; import mulligan.testing as t; "
        "print([name for name in t.__all__ if not hasattr(t, name)], 'mulligan.cli' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[] False"


def test_the_core_does_not_import_it():
    code = "import sys, mulligan, mulligan.plugin; print([name for name in sys.modules if 'mulligan.testing' in name])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


def test_every_name_is_documented():
    assert testing.__all__ == sorted(testing.__all__, key=lambda name: (not name[0].isupper(), name))
    page = (Path(__file__).parents[1] / "docs" / "how-to" / "test-a-plugin.md").read_text()
    for name in testing.__all__:
        assert getattr(testing, name).__doc__
        assert f"`{name}" in page or f"{name}(" in page, name


def test_strict_pipelines_raise_what_plugins_do_wrong():
    with Pipeline([failing_tool(Frozen("x"))], plugins=[crashing], autoload=False, strict=True) as pipeline:
        with pytest.raises(PluginError, match="plugin 'crashing', classify: KeyError"):
            pipeline.call("the_tool", {})
    assert Outcome().value is None
