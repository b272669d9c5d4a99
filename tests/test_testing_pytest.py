"""The pytest plugin, in runs of pytest of their own."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import importlib_metadata  # noqa: F401 - it replaces a finder for good, so it must be there before pytester counts modules
import pytest

pytest_plugins = ["pytester"]
INSTALLED = any(point.value == "pytest_mulligan" for point in entry_points(group="pytest11"))
LOADED = () if INSTALLED else ("-p", "pytest_mulligan")
ACME = """
from types import SimpleNamespace
from mulligan.plugin import Rules, ToolQuotaError

rules = Rules("acme")

@rules("builtins.LookupError")
def frozen(failure):
    "A workspace that is frozen."
    return ToolQuotaError("Acme has frozen the workspace.")

acme = SimpleNamespace(classify=rules.hookimpl())
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """`run(source, *options)`: a run of pytest over one test module, `test_it.py`, and how it ended."""
    monkeypatch.delenv("MULLIGAN_UPDATE", raising=False)

    def go(source: str | None, *options: str):
        if source is not None:
            pytester.makepyfile(test_it=source, acme=ACME)
        return pytester.runpytest_inprocess(*LOADED, "-p", "no:cacheprovider", *options)

    return go


def test_the_entry_point_names_the_plugin():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["pytest11"] == {"mulligan": "pytest_mulligan"}
    assert "src/pytest_mulligan" in project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert any(need.startswith("pytest") for need in project["project"]["optional-dependencies"]["testing"])


def test_a_run_of_pytest_pays_nothing_for_it():
    code = "import pytest_mulligan, sys; print([name for name in sys.modules if name.split('.')[0] == 'mulligan'])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


def test_the_fixtures(run):
    run(
        """
        import pytest
        from acme import acme
        from mulligan import errors
        from mulligan.middleware import retry
        from mulligan.testing import failing_tool

        def test_a_strict_pipeline(pipeline, toolset):
            made = pipeline(*toolset.values(), plugins=[acme])
            assert made.call("read_file", {"path": "README.md"}).content == "# A project\\n"
            assert [info.name for info in made.plugins if not info.built_in] == ["SimpleNamespace"]
            with pytest.raises(errors.ResourceNotFoundError):
                made.call("read_file", {"path": "none"})

        def test_a_lenient_one_without_waiting(pipeline, fake_clock):
            busy = failing_tool(errors.ToolUnavailableError("Busy."), read_only=True)
            again = retry(attempts=3, wait_initial=100, wait_jitter=0, wait_max=500, timeout=900, clock=fake_clock)
            made = pipeline(busy, middleware=[again], clock=fake_clock, strict=False)
            assert made.call("the_tool", {}).attempts == 3
            assert fake_clock.waits == [100, 200]
        """
    ).assert_outcomes(passed=2)


def test_fixtures_of_ones_own_go_first(run, pytester):
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def pipeline():
            return "mine"
        """
    )
    run("def test_it(pipeline): assert pipeline == 'mine'").assert_outcomes(passed=1)


READS = """
from acme import acme
from mulligan.testing import feedback_for

def test_frozen(model_reads):
    text = feedback_for(LookupError("{words}"), plugins=[acme])
    model_reads(text)
    model_reads(text.upper(), name="loud", hide={{"{hidden}": "…"}})
"""


def test_snapshots(run, pytester):
    source = READS.format(words="in tulip", hidden="TULIP")
    ended = run(source)
    ended.assert_outcomes(failed=1)
    ended.stdout.fnmatch_lines(["*there is no snapshot *test_frozen.txt yet. The model reads:"])
    run(source, "--mulligan-update").assert_outcomes(passed=1)
    kept = pytester.path / "model_reads" / "test_it"
    assert sorted(path.name for path in kept.iterdir()) == ["test_frozen-loud.txt", "test_frozen.txt"]
    assert "in tulip" in (kept / "test_frozen.txt").read_text()
    assert "IN …" in (kept / "test_frozen-loud.txt").read_text()
    run(source).assert_outcomes(passed=1)
    ended = run(READS.format(words="in roses", hidden="ROSES"))
    ended.assert_outcomes(failed=1)
    ended.stdout.fnmatch_lines(["*something else than *test_frozen.txt says:", "*-in tulip", "*+in roses"])
    ended.stdout.fnmatch_lines(["*run pytest --mulligan-update, or set MULLIGAN_UPDATE=1."])


def test_snapshots_by_the_environment(run, monkeypatch):
    monkeypatch.setenv("MULLIGAN_UPDATE", "1")
    pytester_run = run
    monkeypatch.setenv("MULLIGAN_UPDATE", "1")
    pytester_run(READS.format(words="in tulip", hidden="x")).assert_outcomes(passed=1)


def test_two_snapshots_of_one_name(run):
    ended = run(
        """
        def test_it(model_reads):
            model_reads("One.")
            model_reads("Two.")
        """,
        "--mulligan-update",
    )
    ended.assert_outcomes(failed=1)
    ended.stdout.fnmatch_lines(
        ["*two snapshots of this test are named 'test_it'; give each a name: model_reads(..., name=...)"]
    )


SUITE = """
import acme, pytest
from mulligan.plugin import ToolQuotaError
from mulligan.testing import ClassifierConformance

class TestAcme(ClassifierConformance):
    plugin = acme.acme
    module = "acme"
    {samples}
    test_claims_only_what_it_knows = None  # LookupError is Python's own
"""


@pytest.mark.parametrize(
    "samples",
    [
        "samples = [(LookupError('x'), ToolQuotaError, {'rule': 'frozen'})]",
        "@pytest.fixture\n    def samples(self, tmp_path): return [(LookupError(str(tmp_path)), ToolQuotaError)]",
    ],
    ids=["a list", "a fixture"],
)
def test_a_suite_of_an_outsider(run, pytester, monkeypatch, samples):
    monkeypatch.syspath_prepend(str(pytester.path))
    run(SUITE.format(samples=samples)).assert_outcomes(passed=15)


def test_what_a_suite_says(run, pytester, monkeypatch):
    monkeypatch.syspath_prepend(str(pytester.path))
    ended = run(SUITE.format(samples="samples = [(LookupError('x'), ValueError)]"), "-k", "samples", "--tb=short")
    ended.stdout.fnmatch_lines(["*UsageError: a sample is (exception or value, error class)*"])
    ended = run(SUITE.format(samples="samples = [(ValueError('x'), ToolQuotaError)]"), "-k", "samples", "--tb=short")
    ended.stdout.fnmatch_lines(
        [
            "*AssertionError: this is wrong:",
            "*ValueError(x): class is 'ToolExecutionError'*",
            "*Correct the rule, or the sample.",
        ]
    )
