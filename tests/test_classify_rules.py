"""Rules: in which order they are asked, about which exceptions, and what is left for the end."""

from __future__ import annotations

from copy import copy
from types import ModuleType
from typing import Any

import pytest

from mulligan import Pipeline, Policy, errors, tool
from mulligan.classify.builtin import rules as built_in
from mulligan.errors import UsageError
from mulligan.plugin import Failure, Rules, ToolQuotaError, ToolRateLimitError, hookimpl


class Base(Exception):
    """A library's own."""

    __module__ = "acme.errors"


class Special(Base):
    """A narrower one."""

    __module__ = "acme.errors"


class SomethingNotFoundError(Exception):
    """A name that says something."""


def package(rules: Rules, name: str = "acme") -> ModuleType:
    module = ModuleType(name)
    module.classify = rules.hookimpl()  # type: ignore[attr-defined]
    return module


def pipeline(rules: Rules) -> Pipeline:
    return Pipeline(plugins=[package(rules)], autoload=False, strict=True)


# --- Rules


def test_a_rule_about_returned_values_is_not_asked_about_exceptions():
    rules, asked = Rules("acme"), []

    @rules.returned
    def frozen(failure: Failure) -> Any:
        """A workspace that is frozen."""
        asked.append(failure.value)
        return ToolQuotaError("Frozen.") if failure.value.get("state") == "frozen" else None

    with pipeline(rules) as made:
        chained = Special("a")
        chained.__cause__ = ValueError("b")
        for error in (Special("x"), ValueError("x"), chained):
            made.classify(error)
        assert asked == []
        found = made.classify({"ok": False, "state": "frozen", "error": "workspace_frozen"})
        assert (type(found), found.rule, found.provider) == (ToolQuotaError, "acme:frozen", "acme")
        assert asked[0] == {"ok": False, "state": "frozen", "error": "workspace_frozen"}
        assert made.classify({"ok": False, "state": "open", "error": "channel_not_found"}).rule != "acme:frozen"


def test_a_rule_about_returned_values_in_a_wrong_place_is_refused():
    with pytest.raises(UsageError, match=r"@rules.returned was given str instead of a function: write it without"):
        Rules("acme").returned("acme.Frozen")
    with pytest.raises(UsageError, match=r"is about exceptions of one library; add it to a list that is asked first"):
        Rules("acme", last=True).returned(lambda failure: None)


def test_the_first_rule_that_has_an_answer_decides():
    rules, asked = Rules("acme"), []

    @rules("acme.Special")
    def special(failure: Failure) -> Any:
        """Knows the narrower one, and declines."""
        asked.append("special")

    @rules("acme.Base")
    def base(failure: Failure) -> Any:
        """Knows them all."""
        asked.append("base")
        return ToolQuotaError("Used up.")

    @rules()
    def any_other(failure: Failure) -> Any:
        """Knows everything."""
        asked.append("any other")
        return ToolRateLimitError("Slow down.", provider="else", rule="mine")

    with pipeline(rules) as made:
        found = made.classify(Special("x"))
        assert (type(found), found.rule, found.provider, asked) == (
            ToolQuotaError,
            "acme:base",
            "acme",
            ["special", "base"],
        )
        asked.clear()
        found = made.classify(ValueError("x"))
        assert (type(found), found.provider, asked) == (ToolRateLimitError, "else", ["any other"])
        assert found.rule.endswith("mine")
        asked.clear()
        made.classify({"ok": False, "error": "x"})
        assert asked == ["any other"]


def test_rules_that_are_added_later_are_asked_too():
    rules, more = Rules(), Rules()
    assert rules.decide(Failure(Base("x"))) is None

    @more("acme.Base")
    def base(failure: Failure) -> Any:
        """Knows them all."""
        return ToolQuotaError("Used up.")

    rules.listed += more.listed
    assert rules.decide(Failure(Base("x"))).rule == "base"
    for number in range(1_500):
        assert rules.decide(Failure(type(f"E{number}", (Base,), {})("x"))).rule == "base"


def test_every_built_in_rule_has_a_name_and_says_what_it_knows():
    names = [rule.name for rule in built_in.listed]
    assert len(names) == len(set(names))
    for rule in built_in.listed:
        assert rule.name.isidentifier()
        assert rule.about.endswith(".")
        assert rule.about[0].isupper() or rule.about.split()[0] in (
            "cattrs",
            "msgspec",
            "pydantic",
            "urllib3",
            "marshmallow,",
        )


# --- causes, and the last resort


def raised_from(outer: BaseException, *causes: BaseException) -> BaseException:
    current = outer
    for cause in causes:
        current.__cause__ = cause
        current = cause
    return outer


def test_a_package_that_knows_the_cause_comes_before_the_last_resort():
    rules = Rules("acme")

    @rules("acme.Base")
    def base(failure: Failure) -> Any:
        """Knows them all."""
        return ToolQuotaError("Used up.")

    with pipeline(rules) as made:
        found = made.classify(raised_from(SomethingNotFoundError("Read timed out"), Base("x")))
        assert (type(found), found.provider) == (ToolQuotaError, "acme")


@pytest.mark.parametrize(
    ("error", "cls", "rule"),
    [
        (
            raised_from(SomethingNotFoundError("x"), FileExistsError(17, "x", "a")),
            errors.ResourceConflictError,
            "classify:os_error",
        ),
        (
            raised_from(SomethingNotFoundError("x"), ValueError("Connection refused")),
            errors.ResourceNotFoundError,
            "classify:class_name",
        ),
        (
            raised_from(RuntimeError("x"), SomethingNotFoundError("y")),
            errors.ResourceNotFoundError,
            "classify:class_name",
        ),
        (
            raised_from(RuntimeError("Read timed out"), ValueError("Permission denied")),
            errors.ToolTimeoutError,
            "classify:message_text",
        ),
        (
            raised_from(RuntimeError("x"), ValueError("y"), KeyError("z")),
            errors.ToolExecutionError,
            "host:unclassified",
        ),
        (
            raised_from(type("InvalidThing", (Exception,), {})("Too many requests")),
            errors.ToolRateLimitError,
            "classify:message_text",
        ),
        (raised_from(type("InvalidThing", (Exception,), {})("x")), errors.ToolArgumentError, "classify:general_name"),
        (
            raised_from(type("ForbiddenThing", (Exception,), {})("Rate limit exceeded")),
            errors.ToolRateLimitError,
            "classify:class_name",
        ),
        (
            raised_from(type("ConnectionThing", (Exception,), {})("Connection closed by server")),
            errors.ToolConnectionError,
            "classify:class_name",
        ),
    ],
)
def test_what_comes_first(error, cls, rule):
    with Pipeline(autoload=False) as made:
        found = made.classify(error)
    assert (type(found), found.rule) == (cls, rule)


def test_an_exception_that_is_its_own_error_is_left_as_it_is():
    with Pipeline(autoload=False) as made:
        found = made.classify(raised_from(ToolQuotaError("Used up."), TimeoutError("x")))
    assert (type(found), found.rule) == (ToolQuotaError, "tool:raised")


# --- packages whose rules are not about a failure


def test_a_list_of_rules_without_one_for_a_failure_is_not_called():
    rules, copies = Rules("acme"), []

    class Watched(Base):
        """Tells when a copy of its failure is looked at."""

    @rules("acme.Special")
    def special(failure: Failure) -> None:
        copies.append(failure)

    with pipeline(rules) as given:
        given.classify(Watched("odd"))
        assert copies == []
        given.classify(Special("odd"))
        assert len(copies) == 1
    assert rules.asked(Failure(Watched("odd"))) == ()
    assert [rule.name for rule in rules.asked(Failure(Special("odd")))] == ["special"]


def test_a_rule_that_is_added_later_is_asked():
    rules = Rules("acme")
    with pipeline(rules) as given:
        assert given.classify(Special("odd")).rule == "host:unclassified"

        @rules("acme.Special")
        def special(failure: Failure) -> ToolQuotaError:
            return ToolQuotaError("Used up.")

        assert given.classify(Special("odd")).rule == "acme:special"


def test_a_rule_of_no_provider_names_none(make_pipeline, run):
    def read() -> str:
        raise FileNotFoundError(2, "No such file", "a.md")

    assert run(make_pipeline(read), "read").error.provider is None


def test_what_a_rule_sets_to_none_is_the_default_of_the_class():
    rules = Rules()

    @rules("acme.Special")
    def special(failure: Failure) -> ToolQuotaError:
        error = ToolQuotaError("Used up.")
        error.user_message = error.code = error.effect = error.provider = None  # type: ignore[assignment]
        return error

    with pipeline(rules) as given:
        error = given.classify(Special("odd"))
    assert (error.code, error.effect, error.provider) == ("RESOURCE_EXHAUSTED", "none", None)
    assert error.user_message == ToolQuotaError.user_message


def test_what_is_read_of_a_cause_is_read_once():
    class Counting(Exception):
        """Counts how often its text is asked for."""

        asked = 0

        def __str__(self) -> str:
            type(self).asked += 1
            return "odd"

    outer = RuntimeError("odd")
    outer.__cause__ = Counting()
    with pipeline(Rules()) as given:
        given.classify(outer)
    assert Counting.asked == 1


# --- copies of a failure


def test_what_is_read_is_read_once_for_all_copies():
    class Counting(Exception):
        """Counts how often its text is asked for."""

        asked = 0

        def __str__(self) -> str:
            type(self).asked += 1
            return "odd"

    failure = Failure(Counting())
    assert [copy(failure).text, copy(failure).text, failure.text] == ["odd"] * 3
    assert Counting.asked == 1


def test_a_change_to_a_copy_shows_in_no_other():
    failure = Failure(RuntimeError("odd"), arguments={"path": "a"})
    twin = copy(failure)
    assert (failure.resource, failure.text) == ("a", "odd")
    twin.arguments, twin.exception = {"path": "b"}, RuntimeError("even")
    assert (twin.resource, twin.text) == ("b", "even")
    assert (failure.resource, failure.text, failure.arguments) == ("a", "odd", {"path": "a"})
    with pytest.raises(TypeError):
        twin.headers["x"] = "y"


@pytest.mark.parametrize("given", ["no text", 5, ("x",), {"error": 1}], ids=repr)
def test_a_rule_that_returns_something_else_is_named(given):
    rules = Rules()

    @rules("builtins.KeyError")
    def stuck(failure):
        return given

    plugin = ModuleType("acme_plugin")
    plugin.rules, plugin.classify = rules, rules.hookimpl()

    def act() -> None:
        raise KeyError("x")

    pipeline = Pipeline([act], plugins=[plugin], autoload=False)
    assert type(pipeline.call("act").error) is errors.ToolExecutionError
    (fault,) = pipeline.faults
    kind = type(given).__name__
    assert fault.error == f"TypeError: the rule 'stuck' returned {kind} instead of a ToolError or None"


def test_a_rule_without_parentheses_is_refused_where_it_is_written():
    rules = Rules()
    with pytest.raises(errors.UsageError, match=r"write @rules\(\) for a rule about every failure"):

        @rules
        def never(failure):
            return None

    with pytest.raises(errors.UsageError, match="'KeyError' instead of a qualified name"):
        rules(KeyError)
    assert rules.listed == []


def test_rules_that_nobody_asks_are_told_of():
    plugin = ModuleType("acme_plugin")
    plugin.answers = Rules("acme")
    plugin.answers("acme.Full")(lambda failure: None)
    with pytest.raises(errors.UsageError, match=r"add `classify = answers.hookimpl\(\)`"):
        Pipeline(plugins=[plugin], autoload=False)


# --- Rules that are asked after mulligan's own


def with_catch_all(**options: Any) -> ModuleType:
    rules, last = Rules("acme"), Rules("acme", last=True)

    @rules("acme.Special")
    def special(failure: Failure) -> Any:
        """Knows one thing."""
        return ToolQuotaError("Used up.") if failure.text == "used up" else None

    @last("acme.Base")
    def other(failure: Failure) -> Any:
        """Anything else of Acme."""
        return errors.ToolExecutionError("Acme failed.")

    module = ModuleType("acme")
    module.classify, module.classify_last = rules.hookimpl(**options), last.hookimpl()  # type: ignore[attr-defined]
    return module


def caused(cause: BaseException) -> Base:
    error = Base("no")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize("options", [{}, {"tryfirst": True}])
@pytest.mark.parametrize("autoload", [False, True])
@pytest.mark.parametrize(
    ("raised", "cls", "rule"),
    [
        (Special("used up"), ToolQuotaError, "acme:special"),
        (Special("no"), errors.ToolExecutionError, "acme:other"),
        (Base("429 Too Many Requests"), ToolRateLimitError, "classify:status_in_text"),
        (Base("Read timed out."), errors.ToolTimeoutError, "classify:message_text"),
        (caused(ConnectionRefusedError("refused")), errors.ToolConnectionError, "classify:os_error"),
        (caused(caused(KeyError("x"))), errors.ToolExecutionError, "acme:other"),
        (caused(errors.ResourceNotFoundError("gone")), errors.ResourceNotFoundError, "tool:raised"),
        (ExceptionGroup("two", [Base("no"), ValueError("x")]), errors.ToolExecutionError, "acme:other"),
        (ValueError("x"), errors.ToolExecutionError, "host:unclassified"),
    ],
)
def test_a_rule_that_only_knows_the_library_hides_nothing(raised, cls, rule, options, autoload):
    with Pipeline(plugins=[with_catch_all(**options)], autoload=autoload, strict=True) as made:
        found = made.classify(raised)

    assert (type(found), found.rule) == (cls, rule)
    assert found.provider == ("acme" if type(raised) is not ValueError else None)


@pytest.mark.parametrize("provider", ["billing", None])
def test_the_library_that_failed_is_named_whichever_rule_decides(provider):
    def pay() -> None:
        raise caused(ConnectionRefusedError("refused"))

    declared = tool(pay, provider=provider)
    with Pipeline([declared], plugins=[with_catch_all()], autoload=False, policy=Policy(fatal={"acme": False})) as made:
        error = made.call("pay").error
        recovered = made.recover(caused(ConnectionRefusedError("refused"))).error

    assert (error.provider, error.rule, error.fatal) == ("acme", "classify:os_error", False)
    assert error.message == "Acme cannot be reached."
    assert (recovered.provider, recovered.fatal) == ("acme", False)


def test_a_library_that_only_wraps_another_is_not_named():
    last = Rules(last=True)

    @last("builtins.RuntimeError")
    def wrapper(failure: Failure) -> Any:
        """Of a library that has no service of its own."""

    module = ModuleType("wrapper")
    module.classify_last = last.hookimpl()  # type: ignore[attr-defined]
    wrapped, alone = RuntimeError("timed out"), RuntimeError("timed out")
    wrapped.__cause__ = Base("no")
    with Pipeline(plugins=[module, with_catch_all()], autoload=False, strict=True) as made:
        assert [made.classify(one).provider for one in (wrapped, alone)] == ["acme", None]


def test_an_error_that_a_plugin_returns_for_every_failure_is_named_for_each_alone():
    shared, module = errors.ToolUnavailableError("Busy."), ModuleType("busy")
    module.classify = hookimpl(lambda failure: shared, specname="classify")  # type: ignore[attr-defined]

    def fail(like: str) -> None:
        raise Base("no") if like == "acme" else ValueError("no")

    with Pipeline([fail], plugins=[module, with_catch_all()], autoload=False) as made:
        found = [made.call("fail", {"like": like}).error for like in ("acme", "other", "acme")]

    assert [one.provider for one in found] == ["acme", None, "acme"]


def test_the_last_rules_of_two_plugins_and_of_included_lists_are_asked_in_order():
    part, whole = Rules("acme", last=True), Rules(last=True)

    @part("acme.Base")
    def of_part(failure: Failure) -> Any:
        """Of the part."""
        return errors.ToolExecutionError("The part failed.")

    whole.include(part)
    module = ModuleType("whole")
    module.classify_last = whole.hookimpl()  # type: ignore[attr-defined]
    with Pipeline(plugins=[with_catch_all(), module], autoload=False, strict=True) as made:
        found = made.classify(Special("no"))
        rules = {info.name: [rule.name for rule in info.rules] for info in made.plugins}

    assert (found.rule, found.provider) == ("acme:other", "acme")  # of the plugin that was registered first
    assert (rules["acme"], rules["whole"]) == (["special", "other"], ["of_part"])


def test_the_last_rules_answer_where_the_built_in_plugin_is_blocked():
    with Pipeline(plugins=[with_catch_all()], autoload=False, block=["classify"]) as made:
        assert made.classify(Special("no")).rule == "acme:other"


def test_the_last_rules_name_their_classes_and_are_never_forgotten():
    rules, last = Rules("acme"), Rules("acme", last=True)
    with pytest.raises(errors.UsageError, match=r"a rule of Rules\(last=True\) names no class, so it would claim"):
        last()
    last("acme.Base")(lambda failure: None)
    with pytest.raises(
        errors.UsageError, match="rules that are asked last cannot be included in a list that is asked fi"
    ):
        rules.include(last)
    with pytest.raises(errors.UsageError, match=r"plugin 'acme' never uses the rules of 'last': add `classify_last = "):
        module = package(rules)
        module.last = last  # type: ignore[attr-defined]
        Pipeline(plugins=[module], autoload=False)
