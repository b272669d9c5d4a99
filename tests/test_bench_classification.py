"""`bench/classification.py` on two small packages: what it counts, what it calls worse, and which rules it calls idle."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from clean_environment import clean_environment

from mulligan import Pipeline

BENCH = Path(__file__).parents[1] / "bench"
PYPROJECT = """
[project]
name = "{name}"

[project.entry-points.mulligan]
{name} = "{module}"
"""
RULES = '''
from mulligan.plugin import (
    ResourceNotFoundError,
    Rules,
    ToolAuthenticationError,
    ToolExecutionError,
    ToolPermissionError,
)
from mulligan.plugin import meanings as m

rules = Rules("acme")
last = Rules("acme", last=True)


@rules("slack_sdk.SlackApiError")
def better(failure):
    """A code that mulligan does not know."""
    return ToolAuthenticationError("No.") if "wobbly_token" in failure.text else None


@rules("slack_sdk.SlackApiError")
def worse(failure):
    """A code that mulligan knows."""
    return ToolExecutionError("No.") if "channel_not_found" in failure.text else None


@rules("slack_sdk.SlackApiError")
def harsh(failure):
    """A code that speaks of no permission."""
    return ToolPermissionError("No.") if "wobbly_thing" in failure.text else None


@rules("slack_sdk.SlackApiError")
def idle(failure):
    """A code of which mulligan says the same."""
    return m.error_of(failure, m.RATE_LIMIT) if "ratelimited" in failure.text else None


@rules("slack_sdk.SlackApiError")
def worded(failure):
    """A code of which mulligan says the same in other words."""
    return ToolExecutionError("The thing is blue.") if "wobbly_blue" in failure.text else None


asked = Rules("acme")


@asked("slack_sdk.SlackApiError")
def inner(failure):
    """A code that another rule asks about."""
    return ToolAuthenticationError("No.") if "wobbly_key" in failure.text else None


@rules("slack_sdk.SlackApiError")
def asking(failure):
    """It asks another rule, which would be asked anyway."""
    return asked.decide(failure)


rules.include(asked)


@rules("slack_sdk.NoSuchThing", "slack_sdk.NoSuchMood")
def vague(failure):
    """Classes whose names sound like more than they mean."""
    return ToolExecutionError("The client is broken.")


@rules("acme.AcmeError")
def unused(failure):
    """What no case is about."""
    return ResourceNotFoundError("No.")


@last("slack_sdk.SlackApiError")
def other(failure):
    """Anything else."""
    return ToolExecutionError("No.")


classify = rules.hookimpl()
classify_last = last.hookimpl()
'''
CODES = "# source: none\nchannel_not_found\nratelimited\nwobbly\nwobbly_blue\nwobbly_key\nwobbly_thing\nwobbly_token\n"
TESTS = """
import mulligan_acme_bench
import pytest
from mulligan import Pipeline
from mulligan.errors import ToolExecutionError


class SlackApiError(Exception):
    pass


SlackApiError.__module__ = "slack_sdk.errors"


def test_of_the_package():
    with Pipeline(autoload=False) as pipeline:
        assert pipeline.classify(SlackApiError("wobbly_token"), tool="call_slack") is not None


class NoSuchThing(Exception):
    pass


class NoSuchMood(Exception):
    pass


NoSuchThing.__module__ = NoSuchMood.__module__ = "slack_sdk.errors"


def test_that_wants_less_than_a_name_suggests():
    with Pipeline(plugins=[mulligan_acme_bench], autoload=False) as pipeline:
        assert type(pipeline.classify(NoSuchThing("x"), tool="call_slack")) is ToolExecutionError


def test_that_does_not_care():
    with Pipeline(plugins=[mulligan_acme_bench], autoload=False) as pipeline:
        assert pipeline.classify(NoSuchMood("x"), tool="call_slack").fatal is False


def test_that_fails():
    with Pipeline(autoload=False) as pipeline:
        assert pipeline.classify(SlackApiError("channel_not_found"), tool="call_slack") is None
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with a package that has a list and tests."""
    package = tmp_path / "plugins" / "mulligan-acme"
    files = {
        "pyproject.toml": PYPROJECT.format(name="acme", module="mulligan_acme_bench"),
        "src/mulligan_acme_bench.py": RULES,
        "tests/published/slack.txt": CODES,
        "tests/published/acme.txt": "no_such_thing\n",
        "tests/test_acme.py": TESTS,
    }
    for name, text in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    return package.parent


def run(*words):
    environment = clean_environment(MULLIGAN_DISABLE_PLUGIN_AUTOLOAD="1")
    command = [sys.executable, str(BENCH / "classification.py"), *map(str, words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def section(out, title):
    """The lines below a title."""
    return [line.strip() for line in out.partition(f"\n{title}: ")[2].partition("\n\n")[0].splitlines()[1:]]


def test_it_counts_the_cases_and_lists_what_is_worse_and_idle(folder):
    code, out, err = run("--folder", folder, "--tests", "none")
    assert (code, err) == (1, "")
    assert "\n| mulligan-acme | slack.txt | 14 | 10 | 2 | 0 | 2 |\n" in out
    less = "channel_not_found: ToolExecutionError (worse), alone ResourceNotFoundError; less specific"
    fatal = "wobbly_thing: ToolPermissionError, fatal (harsh), alone ToolExecutionError; fatal though nothing says so"
    assert section(out, "Worse than without the package") == [f"mulligan-acme slack.txt {one}" for one in (less, fatal)]
    assert section(out, "Rules that change no case") == ["mulligan-acme idle, 1 cases", "mulligan-acme asking, 1 cases"]
    blue = "'Error executing tool call_slack: The thing is blue.'"
    assert "\n| mulligan-acme | 10 | 5 | 1 | 2 | 2 |\n" in out
    (line,) = section(out, "Rules that change only what is read")
    assert line.startswith(f"mulligan-acme worded: {blue}, without it 'Error executing tool call_slack: ")
    assert section(out, "Not compared") == [
        "mulligan-acme: no exceptions are made for acme.txt; add them to bench/classified/published.py"
    ]
    assert re.search(r"\n\w+ \w+, CPython 3\.\d+\.\d+, mulligan [\d.]+, \d{4}-\d\d-\d\d\n$", out)


def test_it_prints_the_same_again(folder):
    assert run("--folder", folder, "--tests", "none") == run("--folder", folder, "--tests", "none")


def test_it_compares_what_the_tests_of_a_package_classify(folder):
    out = run("--folder", folder, "--tests", "all")[1]
    assert "\n| mulligan-acme | tests | 3 | 0 | 1 | 1 | 1 |\n" in out
    unasked = (
        "test_acme.py test_that_does_not_care: ToolExecutionError (vague), alone ResourceNotFoundError; less specific"
    )
    assert f"mulligan-acme {unasked}" in section(out, "Worse than without the package")
    assert section(out, "Rules that decide no case") == ["mulligan-acme unused"]
    (note, _) = section(out, "Not compared")
    assert re.fullmatch(r"mulligan-acme: not all of its tests pass: 1 failed, 3 passed in .*", note)


def test_a_library_that_is_not_installed_is_named(folder):
    tests = folder / "mulligan-acme" / "tests" / "test_conformance.py"
    tests.write_text("import slack_sdk_that_is_not_there\n", encoding="utf-8")
    out = run("--folder", folder)[1]
    assert section(out, "Not compared")[0] == (
        "mulligan-acme: not all of its tests are run, without slack_sdk_that_is_not_there"
    )


def test_it_shows_the_cases_with_one_verdict(folder):
    out = run("--folder", folder, "--tests", "none", "--show", "more specific")[1]
    assert (
        "\n  more specific: mulligan-acme slack.txt wobbly_token: ToolAuthenticationError, fatal (better), "
        "alone ToolExecutionError\n"
    ) in out


def test_a_package_that_is_not_there_is_named(folder):
    code, _, err = run("--folder", folder, "mulligan-nope")
    assert code == 2
    assert err.endswith(f"{folder} has no package with rules named mulligan-nope\n")


def test_every_published_list_has_its_exceptions(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCH), *sys.path])
    from classified import published

    files = sorted((BENCH.parent / "plugins").glob("*/tests/published/*.txt"))
    assert files
    assert [file.name for file in files if next(published.cases(file), None) is None] == []


@pytest.mark.parametrize(
    ("alone", "own", "options", "verdict"),
    [
        (("A",), ("A",), {}, ("same", ())),
        (("ToolExecutionError",), ("A",), {}, ("more specific", ())),
        ((None,), ("A",), {}, ("more specific", ())),
        (("A",), ("A", False, None, None, "x"), {}, ("more specific", ())),
        (("A",), ("B",), {}, ("different", ())),
        (("A", True), ("A",), {}, ("different", ())),
        (("A",), ("ToolExecutionError",), {}, ("worse", ("less specific",))),
        (("A",), ("ToolExecutionError",), {"wanted": "ToolExecutionError"}, ("different", ())),
        (("A",), ("ToolExecutionError", False, None, "UNIMPLEMENTED"), {}, ("different", ())),
        (("A", False, None, None, "x", 3.0), ("A",), {}, ("worse", ("no resource", "no retry_after"))),
        (("A",), ("B", True), {"wants_fatal": False}, ("worse", ("fatal though nothing says so",))),
        (("A",), ("B", True), {}, ("different", ())),
        (("A",), ("ToolExecutionError",), {"guessed": "A"}, ("more specific", ())),
        (("A", False, None, None, "x", 3.0), ("A",), {"guesses": ("resource",)}, ("worse", ("no retry_after",))),
        (("A", False, None, None, "x"), ("A",), {"guesses": ("resource",)}, ("same", ())),
        (("A",), ("ToolExecutionError",), {"guesses": ("kind",)}, ("worse", ("less specific",))),
    ],
)
def test_verdicts(monkeypatch, alone, own, options, verdict):
    monkeypatch.setattr(sys, "path", [str(BENCH), *sys.path])
    from classified.compare import Outcome, judge

    outcomes = [Outcome(*fields)._replace(code=fields[3] if fields[3:4] else "INTERNAL") for fields in (alone, own)]
    assert judge(*outcomes, **options) == verdict


def test_guesses(monkeypatch):
    """A field of a body is knowledge; a word of a text, the address and a class's name are not."""
    monkeypatch.setattr(sys, "path", [str(BENCH), *sys.path])
    from classified.compare import Case, guesses_of

    def guesses(failure, arguments=None):
        with Pipeline(autoload=False) as pipeline:
            error = pipeline.classify(failure, tool="call_service", arguments=arguments)
        return tuple(guesses_of(error, Case("tests", "case", failure, arguments=arguments)))

    def answer(status, body):
        url = "https://api.example.com/users/7"
        request = SimpleNamespace(url=url, method="GET")
        content = json.dumps(body).encode()
        exception = Exception("No.")
        exception.response = SimpleNamespace(status_code=status, headers={}, _content=content, url=url, request=request)
        return exception

    class NoSuchMood(Exception):
        pass

    class InvalidMood(Exception):
        pass

    fields = {"errors": [{"field": "age", "message": "is wrong"}]}
    assert guesses(FileNotFoundError(2, "No such file or directory", "a.txt")) == ()
    assert guesses(NoSuchMood("no mood")) == ("kind",)
    assert guesses(answer(404, {"path": "a.txt"})) == ()
    assert guesses(answer(404, {"message": "No."})) == ("resource",)
    assert guesses(answer(404, {"message": "No."}), {"user": 7}) == ("resource",)
    assert guesses(answer(422, fields)) == ()
    assert guesses(answer(422, fields), {"age": -1}) == ()
    assert guesses(answer(422, fields), {"years": -1}) == ("problems",)
    assert guesses(InvalidMood("Unknown storage engine 'none'")) == ("kind", "problems")
