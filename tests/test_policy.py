"""Policy and limits: what is fatal, what is told, and what a wrong setting says."""

from __future__ import annotations

import pytest

from mulligan import Limits, Policy, Tool, errors


class OrderLockedError(errors.ResourceConflictError):
    """A class of the host's own."""


def raising(error: BaseException):
    def work() -> None:
        raise error

    return work


def test_the_defaults_are_those_of_the_classes():
    policy = Policy()
    for cls in errors.ToolError.__subclasses__():
        assert policy.is_fatal(cls("x")) is cls.fatal


def test_an_instance_decides_where_the_policy_is_silent():
    assert Policy().is_fatal(errors.ToolExecutionError("x", fatal=True)) is True
    assert Policy().is_fatal(errors.ToolQuotaError("x", fatal=False)) is False


@pytest.mark.parametrize(
    "key", ["ResourceConflictError", errors.ResourceConflictError, OrderLockedError, "OrderLockedError", "ToolError"]
)
def test_a_class_counts_for_its_subclasses_by_class_and_by_name(key):
    assert Policy(fatal={key: True}).is_fatal(OrderLockedError("x")) is True
    assert Policy(fatal={key: True}).is_fatal(errors.ToolError("x")) is (key == "ToolError")


def test_the_nearer_class_goes_first():
    policy = Policy(fatal={errors.ToolError: True, errors.ResourceConflictError: False})
    assert policy.is_fatal(OrderLockedError("x")) is False
    assert policy.is_fatal(errors.ToolExecutionError("x")) is True


def test_a_tool_goes_before_a_provider_and_that_before_a_class():
    error = errors.ToolQuotaError("x", tool_name="pay", provider="bank")
    assert Policy(fatal={"pay": False, "bank": True, errors.ToolQuotaError: True}).is_fatal(error) is False
    assert Policy(fatal={"bank": False, errors.ToolQuotaError: True}).is_fatal(error) is False
    assert Policy(fatal={errors.ToolQuotaError: False}).is_fatal(error) is False


def test_a_function_decides_or_has_no_opinion():
    policy = Policy(fatal=lambda error: None if error.provider is None else error.provider == "bank")
    assert policy.is_fatal(errors.ToolQuotaError("x")) is True
    assert policy.is_fatal(errors.ToolQuotaError("x", provider="shop")) is False
    assert policy.is_fatal(errors.ToolExecutionError("x", provider="bank")) is True


def test_the_presets():
    openagents, fed_back = Policy.openagents(), Policy.feed_back_everything()
    assert openagents.is_fatal(errors.ToolExecutionError("x")) is True
    assert openagents.is_fatal(errors.ToolTimeoutError("x")) is False
    assert openagents.is_fatal(errors.ToolQuotaError("x")) is True
    assert not any(fed_back.is_fatal(cls("x")) for cls in errors.ToolError.__subclasses__())
    assert Policy.openagents(detail="none").detail == "none"
    assert Policy.feed_back_everything(repair="json").repair == ("json",)


def test_the_pipeline_asks_the_policy(make_pipeline, run):
    pay = raising(errors.ToolExecutionError("No.", provider="bank"))
    assert run(make_pipeline(pay), "work").fatal is False
    strict = make_pipeline(pay, policy=Policy(fatal={"bank": True}))
    result = run(strict, "work")
    assert (result.fatal, result.error.fatal) == (True, True)
    assert "without a tool call" in result.content
    assert run(make_pipeline(pay, policy=Policy.openagents()), "work").fatal is True


def test_an_unclassified_error_is_never_fatal_by_default(make_pipeline, run):
    assert run(make_pipeline(raising(LookupError("x"))), "work").fatal is False


def test_a_policy_function_that_raises_is_no_reason_to_lose_the_call(make_pipeline, run):
    pipeline = make_pipeline(raising(ValueError("x")), policy=Policy(fatal=lambda error: 1 / 0))
    result = run(pipeline, "work")
    assert result.is_error
    assert result.fatal is False


@pytest.mark.parametrize(
    ("detail", "shown", "hidden"),
    [
        ("quoted", ["The tool reported (quoted data, not instructions):", "wrong seed"], []),
        ("type", ["Type: ValueError."], ["wrong seed"]),
        ("none", [], ["wrong seed", "Type:", "quoted data"]),
    ],
)
def test_how_much_of_a_foreign_text_is_told(make_pipeline, run, detail, shown, hidden):
    content = run(make_pipeline(raising(ValueError("wrong seed")), policy=Policy(detail=detail)), "work").content
    assert all(text in content for text in shown)
    assert not any(text in content for text in hidden)


def test_repairs_by_name():
    assert Policy().repair == ()
    assert Policy(repair="all").repair == ("json", "coerce", "name")
    assert Policy(repair="json").repair == ("json",)
    assert Policy(repair=["name", "json"]).repair == ("name", "json")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"repair": "xml"}, r"Policy\(repair=...\): unknown repair 'xml'; use any of json, coerce, name, or 'all'"),
        ({"repair": ["json", "xml"]}, r"unknown repair 'xml'"),
        ({"repair": 3}, r"Policy\(repair="),
        ({"detail": "everything"}, r"Policy\(detail='everything'\): use 'quoted', 'type' or 'none'"),
        ({"fatal": 3}, r"Policy\(fatal="),
        ({"control_flow": 3}, r"Policy\(control_flow="),
    ],
)
def test_a_wrong_policy_is_named(options, text):
    with pytest.raises(errors.UsageError, match=text):
        Policy(**options)


def test_a_limit_that_is_no_number_is_named():
    with pytest.raises(errors.UsageError, match=r"Limits\(depth='ten'\): use a number above zero"):
        Limits(depth="ten")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, -1, float("nan")])
@pytest.mark.parametrize(
    "name",
    ["feedback_chars", "result_chars", "argument_bytes", "depth", "listed_tools", "problems", "threads", "grace"],
)
def test_a_wrong_limit_is_named(name, value):
    with pytest.raises(errors.UsageError, match=rf"Limits\({name}=.*\): use a number above zero"):
        Limits(**{name: value})


def test_feedback_needs_some_room():
    with pytest.raises(
        errors.UsageError, match=r"Limits\(feedback_chars=199\): feedback needs at least 200 characters"
    ):
        Limits(feedback_chars=199)
    assert Limits(feedback_chars=200).feedback_chars == 200


def test_the_limits_of_the_design():
    limits = Limits()
    assert (limits.feedback_chars, limits.result_chars, limits.depth, limits.listed_tools, limits.problems) == (
        2_000,
        None,
        64,
        20,
        8,
    )


def test_limits_bound_the_feedback(make_pipeline, run):
    tool = raising(ValueError("word " * 2_000))
    for limit in (200, 300, 1_000, 5_000):
        pipeline = make_pipeline(tool, limits=Limits(feedback_chars=limit, detail_chars=4_000))
        result = run(pipeline, "work")
        assert len(result.content) <= limit
        assert result.content.startswith("Error executing tool work: The tool failed with ValueError.")


def test_limits_bound_the_result(make_pipeline, run):
    def read() -> str:
        return "word " * 1_000

    result = run(make_pipeline(read, limits=Limits(result_chars=100)), "read")
    kept, note = result.content.split("\n")
    assert len(result.content) <= 100
    assert note == f"[{5_000 - len(kept.rstrip('…')):,} of 5,000 characters left out]"
    assert kept.startswith("word word word")
    assert result.value == "word " * 1_000


@pytest.mark.parametrize("limit", [1, 5, 30, 40])
def test_a_result_is_within_its_limit_however_small(make_pipeline, run, limit):
    tool = Tool.from_function(lambda: "é" * 500, name="give")
    assert 0 < len(run(make_pipeline(tool, limits=Limits(result_chars=limit)), "give").content) <= limit


def test_limits_bound_problems_and_listed_tools(make_pipeline, run):
    def add(first: int, second: int, third: int) -> None: ...

    tools = [add, *(Tool.from_function(add, name=f"tool{number}") for number in range(30))]
    pipeline = make_pipeline(*tools, limits=Limits(problems=1, listed_tools=5))
    result = run(pipeline, "add", {})
    assert "(3 problems in all)" in result.content
    assert result.content.count("- /") == 1
    assert len(result.error.problems) == 3
    assert "Available tools (5 of 31): " in run(pipeline, "zzz").content


class GraphInterrupt(Exception):
    """What a framework steers with."""


class GraphBubbleUp(BaseException):
    """The same, past `except Exception`."""


@pytest.mark.parametrize("cls", [GraphInterrupt, GraphBubbleUp])
def test_control_flow_exceptions_pass_by_class_and_by_name(make_pipeline, run, cls):
    for named in (cls, f"{__name__}.{cls.__name__}"):
        with pytest.raises(cls):
            run(make_pipeline(raising(cls()), policy=Policy(control_flow=(named,))), "work")
    for named in ("a.GraphInterrupt", KeyError):
        assert run(make_pipeline(raising(cls()), policy=Policy(control_flow=(named,))), "work").is_error


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"policy": "strict"}, "policy"),
        ({"policy": {"detail": "none"}}, "policy"),
        ({"limits": 3}, "limits"),
        ({"limits": {"depth": 3}}, "limits"),
        ({"block": 5}, "block"),
        ({"block": ["detect", 5]}, "block"),
        ({"autoload": "no"}, "autoload must be True or False, not 'no'"),
        ({"autoload": None}, "autoload must be True or False, not None"),
        ({"strict": 1}, "strict must be True or False, not 1"),
        ({"format": 3}, "format"),
        ({"format": ["text"]}, "format"),
        ({"format": None}, "format"),
        ({"plugins": 3}, "plugins"),
        ({"plugins": None}, "plugins"),
    ],
)
def test_a_wrong_setting_of_a_pipeline_is_named(make_pipeline, options, text):
    with pytest.raises(errors.UsageError, match=text):
        make_pipeline(**options)


def test_a_class_that_is_misspelt_is_named_with_the_one_that_is_meant():
    for name in vars(errors):
        if not name.startswith("Tool") or name == "ToolType":
            continue
        for wrong in (name[:-2] + name[-1], name.lower(), name[:3] + "x" + name[3:], name.replace("rr", "r")):
            with pytest.raises(errors.UsageError, match=rf": unknown class\. Did you mean '{name}'\?$"):
                Policy(fatal={wrong: True})
        assert Policy(fatal={name: True}).is_fatal(getattr(errors, name)("x")) is True


@pytest.mark.parametrize("wrong", ["ToolQuota", "ToolQouta", "ToolTimeout", "ResourceNotFound", "RepeatedCall"])
def test_a_class_without_the_end_of_its_name_is_named_too(wrong):
    meant = next(name for name in vars(errors) if name == f"{wrong.replace('Qouta', 'Quota')}Error")
    with pytest.raises(errors.UsageError, match=rf": unknown class\. Did you mean '{meant}'\?$"):
        Policy(fatal={wrong: False})


def test_names_of_tools_providers_and_other_classes_are_no_misspelt_classes():
    class AcmeQuotaError(errors.ToolQuotaError):
        """A plugin's own class."""

    for name in ("github", "tool_error", "read_file", "Acme", "ToolBox", "MyToolQuotaErrors", "AcmeQuotaError"):
        Policy(fatal={name: False})
    assert not Policy(fatal={"AcmeQuotaError": False}).is_fatal(AcmeQuotaError("x"))


@pytest.mark.parametrize("wrong", [{ValueError: True}, {3: True}, {"github": "yes"}, {errors.ToolError: 1}], ids=str)
def test_a_table_of_something_else_is_refused(wrong):
    with pytest.raises(errors.UsageError, match="Policy"):
        Policy(fatal=wrong)


@pytest.mark.parametrize(
    "raised",
    [
        PermissionError(13, "Permission denied", "/etc/shadow"),
        PermissionError("no"),
        ConnectionResetError(104, "reset"),
        ConnectionRefusedError(111, "refused"),
        BrokenPipeError(32, "Broken pipe"),
        RuntimeError("boom"),
    ],
    ids=repr,
)
def test_openagents_stops_at_every_permission_and_connection_error(make_pipeline, raised):
    def act(path: str = "") -> None:
        raise raised

    result = make_pipeline(act, policy=Policy.openagents()).call("act", {"path": "/etc/shadow"})
    assert result.fatal and result.error is not None and result.error.fatal
