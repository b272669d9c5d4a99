"""Lazy plugins: imported when the first failure appears that they could know, in their place in the order."""

from __future__ import annotations

import sys
import textwrap
from types import ModuleType
from typing import Any

import pytest

from mulligan import Failure, Pipeline, Tool, errors
from mulligan.cli import main
from mulligan.plugin import Rules, hookimpl

CLASSIFYING = """
    from mulligan import errors
    from mulligan.plugin import Failure, Rules, hookimpl

    rules, last = Rules("NAME"), Rules("NAME", last=True)

    @rules("acme.AcmeError", "builtins.LookupError")
    def known(failure):
        "A failure of the library."
        return errors.ResourceConflictError("From NAME.")

    @last("acme.AcmeError")
    def other(failure):
        "Anything else of the library."
        return errors.ToolExecutionError("NAME failed.")

    classify = rules.hookimpl()
    classify_last = last.hookimpl()
"""
DETECTING = (
    CLASSIFYING
    + """
    @hookimpl
    def detect(value):
        return Failure(value=value, message="refused") if isinstance(value, dict) and "errors" in value else None
"""
)


def library(name: str, **members: Any) -> ModuleType:
    """A class of a library that is not installed, as it looks from outside."""
    made = type(members.pop("cls", "AcmeError"), members.pop("bases", (Exception,)), {"__module__": f"{name}.inner"})
    return made  # type: ignore[return-value]


Acme, Other = library("acme"), library("other", cls="OtherError")


def raising(error: BaseException) -> Tool:
    def work() -> None:
        raise error

    return Tool.from_function(work)


def is_imported(name: str) -> bool:
    return name in sys.modules


def test_it_is_imported_with_the_first_failure_of_its_library(site, loaded):
    site.install("first", CLASSIFYING, knows=("acme",))
    pipeline = loaded(raising(Other()))
    assert pipeline.call("work").is_error
    assert not is_imported("first")
    error = pipeline.with_tools([raising(Acme("no"))]).call("work").error
    assert (type(error), error.message, error.provider) == (errors.ResourceConflictError, "From first.", "first")
    assert is_imported("first")


def test_a_cause_is_a_failure_of_its_library(site, loaded):
    site.install("first", CLASSIFYING, knows=("acme",))
    outer = ValueError("outer")
    outer.__cause__ = Acme("inner")
    assert loaded(raising(outer)).call("work").error.message == "From first."


def test_successes_and_other_returned_values_import_nothing(site, loaded):
    site.install("first", DETECTING, knows=("acme", "value"))
    values = [
        1,
        "fine",
        None,
        [1, 2],
        {"temperature": 3, "place": {"name": "Oslo"}},
        {"rows": [[1, "a"]]},
    ]
    pipeline = loaded(Tool.from_function(lambda: values.pop(), name="give"))
    while values:
        assert not pipeline.call("give").is_error
    assert not is_imported("first")


@pytest.mark.parametrize(
    "value",
    [{"errors": ["no"]}, {"data": {"errors": []}}, [{"errors": []}], {"Message": "x"}, ({}, 1), {"a": (550, b"no")}],
)
def test_a_returned_value_that_may_report_a_failure_is_shown_to_it(site, loaded, value):
    site.install("first", DETECTING, knows=("value",))
    result = loaded(Tool.from_function(lambda: value, name="give")).call("give")
    assert is_imported("first")
    assert result.is_error is (isinstance(value, dict) and "errors" in value)


def test_a_returned_object_of_its_library_is_shown_to_it(site, loaded):
    site.install("first", DETECTING, knows=("acme",))
    result = library("acme", cls="Result", bases=(object,))()  # type: ignore[operator]
    loaded(Tool.from_function(lambda: result, name="give")).call("give")
    assert is_imported("first")


def test_a_status_is_known_whoever_reports_it(site, loaded):
    site.install("first", CLASSIFYING, knows=("status",))
    site.install("second", CLASSIFYING, knows=("acme",))
    error = Other("no")  # type: ignore[operator]
    error.status_code = 404
    loaded().classify(error)
    assert (is_imported("first"), is_imported("second")) == (True, False)


def test_a_class_may_be_named_whatever_library_has_it(site, loaded):
    site.install("first", CLASSIFYING, knows=("DatabaseError",))
    database = library("some_driver", cls="DatabaseError")
    derived = library("another", cls="Locked", bases=(database,))
    loaded().classify(derived("no"))  # type: ignore[operator]
    assert is_imported("first")


def test_it_stands_where_it_would_stand_if_imported_at_once(site, loaded):
    for name in ("bb", "cc"):
        site.install(name, CLASSIFYING, knows=("acme",))
    site.install("aa", CLASSIFYING)
    rules, own = Rules("own"), ModuleType("own")

    @rules("acme.AcmeError")
    def known(failure: Failure) -> Any:
        """Only some of them."""
        return errors.ToolTimeoutError("From own.") if "own" in str(failure.exception) else None

    own.classify = rules.hookimpl()  # type: ignore[attr-defined]
    pipeline = loaded(plugins=[own])
    for text, message in {"own": "From own.", "else": "From cc."}.items():
        assert pipeline.classify(Acme(text)).message == message  # type: ignore[operator]
    assert [info.name for info in pipeline.plugins if not info.built_in] == ["aa", "bb", "cc", "own"]


def test_looking_at_the_plugins_imports_them(site, loaded):
    site.install("first", DETECTING, knows=("acme",), version="3")
    info = loaded().plugins[-1]
    assert (info.name, info.distribution, info.version, info.hooks) == ("first", "first", "3", ("classify", "detect"))
    assert [rule.name for rule in info.rules] == ["known", "other"]


def test_its_number_is_told_without_importing_it(site, loaded):
    site.install("first", CLASSIFYING, knows=("acme",))
    assert repr(loaded()) == "Pipeline(0 tools, 9 plugins)"
    assert not is_imported("first")


@pytest.mark.parametrize("options", [{"block": ["first"]}, {"strict": True}])
def test_a_blocked_one_is_never_imported_and_a_strict_pipeline_waits_for_none(site, loaded, options):
    site.install("first", CLASSIFYING, knows=("acme",))
    pipeline = loaded(**options)
    assert is_imported("first") is ("strict" in options)
    assert pipeline.classify(Acme("no")).message == (
        "From first." if "strict" in options else "The tool failed with acme.inner.AcmeError."
    )  # type: ignore[operator]


def test_one_that_fails_at_import_is_a_fault_and_the_failure_is_told_without_it(site, loaded):
    site.install("first", "raise OSError('broken disk')", knows=("acme",))
    site.install("second", CLASSIFYING, knows=("acme",))
    pipeline = loaded(raising(Acme("no")))
    assert pipeline.faults == ()
    assert pipeline.call("work").error.message == "From second."
    assert [fault.error for fault in pipeline.faults] == [
        "plugin 'first' failed at import (OSError: broken disk); reinstall, update or block it"
    ]


def test_one_that_implements_another_hook_is_a_fault_that_says_what_to_remove(site, loaded):
    hints = """
    @hookimpl
    def hints(error):
        return ["too late"]
"""
    site.install("first", CLASSIFYING + hints, knows=("acme", "status"))
    pipeline = loaded(raising(Acme("no")))
    pipeline.call("work")
    (fault,) = pipeline.faults
    assert fault.error == (
        "it implements hints, which had no effect until now, since the plugin is imported with the first failure that it "
        "knows; remove its entries in the group mulligan.lazy"
    )


def test_middleware_keeps_its_count_when_a_plugin_is_imported(site, loaded):
    site.install("first", CLASSIFYING, knows=("acme",))
    made: list[str] = []

    class Counting:
        @hookimpl
        def middlewares(self, tool: Tool) -> Any:
            made.append(tool.name)
            return ()

    pipeline = loaded(raising(Acme("no")), plugins=[Counting()])
    pipeline.call("work")
    pipeline.call("work")
    assert made == ["work"]


def test_hooks_that_a_call_holds_know_what_is_imported_meanwhile(site, loaded):
    site.install("first", CLASSIFYING, knows=("acme",))
    site.install("second", CLASSIFYING.replace("acme.", "other."), knows=("other",))
    inner: list[Any] = []

    def work() -> None:
        inner.append(pipeline.classify(Acme("no")).message)  # type: ignore[operator]
        raise Other("no")  # type: ignore[operator]

    pipeline: Pipeline = loaded(work)
    result = pipeline.call("work")
    assert (inner, is_imported("second")) == (["From first."], True)
    assert result.error.provider is None


def test_another_name_in_code_is_the_same_module(site, loaded):
    site.install("first", textwrap.dedent(CLASSIFYING), knows=("acme",))
    import first  # type: ignore[import-not-found]

    pipeline = loaded(plugins=[first])
    assert [info.name for info in pipeline.plugins if not info.built_in] == ["first"]


def test_a_failure_that_came_through_the_code_of_its_library_is_shown_to_it(site, loaded):
    site.install("first", CLASSIFYING, knows=("acme",))
    inside = ModuleType("acme.client")
    exec("def ask(): return {}['nothing']", vars(inside))  # noqa: S102 - the code of a library that is not installed
    assert loaded(Tool.from_function(inside.ask, name="ask")).call("ask").error.message == "From first."


@pytest.mark.parametrize(
    ("code", "knows", "problem"),
    [
        (CLASSIFYING, ("other",), "it has rules about classes of 'acme', but no entry of that name"),
        (DETECTING, ("acme",), "it implements detect, but has no entry named 'value'"),
        (
            CLASSIFYING.replace('"acme.AcmeError", "builtins.LookupError"', ""),
            ("acme",),
            "its rule 'known' names no class, but no entry is named 'status', 'value' or after a class",
        ),
    ],
)
def test_doctor_says_what_a_declaration_leaves_out(site, capsys, code, knows, problem):
    site.install("first", code, knows=knows)
    main(["doctor"])
    assert problem in " ".join(capsys.readouterr().out.split())


def test_doctor_is_content_with_a_whole_declaration(site, capsys):
    site.install("first", DETECTING, knows=("acme", "value"))
    main(["doctor"])
    assert "mulligan.lazy" not in capsys.readouterr().out


def test_doctor_names_entries_that_declare_nothing(site, capsys):
    text = "[mulligan]\nfirst = first\n[mulligan.lazy]\nacme = no_plugin\nvalue\n"
    site.install("first", CLASSIFYING, entry_points=text.encode())
    main(["doctor"])
    told = " ".join(capsys.readouterr().out.split())
    assert "its entries in the group mulligan.lazy name no_plugin, which is none of its plugins" in told
    assert "entry_points.txt of first, line 5: 'value' is not NAME = MODULE" in told
