"""What a tool's author says about its results: `detect`, a function of the value, and `output_schema`."""

from __future__ import annotations

from typing import Any

import pytest

from mulligan import Failure, Tool, errors, tool

WEATHER = {
    "type": "object",
    "properties": {"celsius": {"type": "number"}, "error": {"type": "number"}, "station": {"type": "string"}},
    "required": ["celsius"],
}


def giving(value: Any, **options: Any) -> Tool:
    def give() -> Any:
        return value

    return Tool.from_function(give, **options)


def by_code(value: Any) -> Failure | None:
    return Failure(value=value, message="the pump is jammed") if value == "E7" else None


def test_a_function_of_the_value_decides(make_pipeline, run):
    result = run(make_pipeline(giving("E7", detect=by_code)), "give")
    assert isinstance(result.error, errors.ToolExecutionError)
    assert "\nthe pump is jammed\n" in result.content
    assert result.error.tool_name == "give"


def test_what_the_function_takes_for_a_result_is_one(make_pipeline, run):
    result = run(make_pipeline(giving("Error: permission denied", detect=by_code)), "give")
    assert (result.is_error, result.value) == (False, "Error: permission denied")


def test_a_function_that_raises_is_a_fault_and_the_value_a_result(make_pipeline, run):
    def broken(value: Any) -> Failure | None:
        raise ZeroDivisionError("no divisor")

    pipeline = make_pipeline(giving("E7", detect=broken))
    assert run(pipeline, "give").content == "E7"
    (fault,) = pipeline.faults
    assert (fault.plugin, fault.hook, fault.error) == ("tool give", "detect", "ZeroDivisionError: no divisor")


def test_a_function_that_returns_something_else_is_a_fault(make_pipeline, run):
    pipeline = make_pipeline(giving("E7", detect=lambda value: "jammed"))
    assert run(pipeline, "give").content == "E7"
    assert [fault.error for fault in pipeline.faults] == ["returned str instead of a Failure or None"]


def test_the_function_decides_for_classify_too(make_pipeline):
    pipeline = make_pipeline(giving("", detect=by_code))
    assert isinstance(pipeline.classify("E7", tool="give"), errors.ToolExecutionError)
    assert pipeline.classify("Error: permission denied", tool="give") is None


@pytest.mark.parametrize("detect", ["yes", 1, None])
def test_detect_is_a_flag_or_a_function(detect):
    with pytest.raises(errors.UsageError) as caught:
        giving("", detect=detect)
    assert (
        str(caught.value)
        == f"tool 'give': detect must be True, False or a function of the returned value, not {detect!r}"
    )


def test_a_repairer_does_not_get_the_function():
    assert giving("", detect=by_code).without_handler().detect is True
    assert giving("", detect=False).without_handler().detect is False


@pytest.mark.parametrize(
    ("value", "is_error"),
    [
        ({"celsius": 3.5, "error": 0.2}, False),  # a declared field, whatever its name
        ({"celsius": 3.5, "station": "Error: permission denied"}, False),
        ({"error": "no such station"}, True),
        ({"reason": "the mast is down for maintenance", "station": "Utsira"}, True),
        ({"ok": False, "error": "no such station"}, True),
        ({"station": "Utsira"}, False),  # it lacks what it must have, and says nothing of an error
    ],
)
def test_a_declared_result_is_left_alone(make_pipeline, run, value, is_error):
    assert run(make_pipeline(giving(value, output_schema=WEATHER)), "give").is_error is is_error


@pytest.mark.parametrize(
    "schema", [{"type": "object", "properties": {"a": {"type": 7}}}, {"$ref": "http://x.example/y"}]
)
def test_a_schema_that_cannot_be_used_says_nothing(make_pipeline, run, schema):
    held = giving({"error": "permission denied"}, output_schema=schema)
    assert not held.returns({"a": 1})
    assert run(make_pipeline(held), "give").is_error


def test_an_output_schema_is_a_mapping_that_nobody_changes():
    with pytest.raises(errors.UsageError) as caught:
        giving("", output_schema=["celsius"])
    assert str(caught.value) == "tool 'give': output_schema must be a JSON Schema as a mapping, not ['celsius']"
    held = tool(output_schema=WEATHER)(lambda_free)
    assert held.returns({"celsius": 4})
    with pytest.raises(TypeError):
        held.output_schema["required"] = []  # type: ignore[index]


def lambda_free() -> dict[str, float]:
    return {"celsius": 4.0}
