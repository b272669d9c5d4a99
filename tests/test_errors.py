"""The tree of errors: classes, codes, defaults, and what an instance carries."""

from __future__ import annotations

import copy
import pickle
import re

import pytest

from mulligan import Problem, errors, tool
from mulligan.errors import MulliganError, PluginError, ToolError, UsageError

# class: code, fatal by default, transient by default, effect by default
TABLE = {
    "ToolNotFoundError": ("UNIMPLEMENTED", False, False, "none"),
    "ToolArgumentError": ("INVALID_ARGUMENT", False, False, "none"),
    "ResourceNotFoundError": ("NOT_FOUND", False, False, "none"),
    "ResourceConflictError": ("FAILED_PRECONDITION", False, False, "none"),
    "ToolTimeoutError": ("DEADLINE_EXCEEDED", False, True, "possible"),
    "ToolRateLimitError": ("RESOURCE_EXHAUSTED", False, True, "none"),
    "ToolUnavailableError": ("UNAVAILABLE", False, True, "possible"),
    "ToolCancelledError": ("CANCELLED", False, False, "possible"),
    "ToolExecutionError": ("INTERNAL", False, False, "possible"),
    "RepeatedCallError": ("ABORTED", False, False, "none"),
    "ToolAuthenticationError": ("UNAUTHENTICATED", True, False, "none"),
    "ToolPermissionError": ("PERMISSION_DENIED", True, False, "none"),
    "ToolConnectionError": ("UNAVAILABLE", True, False, "possible"),
    "ToolQuotaError": ("RESOURCE_EXHAUSTED", True, False, "none"),
}
CLASSES = [getattr(errors, name) for name in TABLE]
CODES = {
    *("OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED".split()),
    *(
        "RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS".split()
    ),
    "UNAUTHENTICATED",
}
FULL = {
    "code": "ABORTED",
    "fatal": True,
    "transient": True,
    "effect": "done",
    "tool_name": "pay",
    "tool_type": "datastore",
    "call_id": "c1",
    "arguments": {"amount": 3},
    "user_message": "Pay again later.",
    "retry_after": 2.5,
    "resource": "orders/7",
    "problems": (Problem("/amount", "too small", "at least 5", "3"),),
    "http_status": 409,
    "provider": "bank",
    "rule": "bank:conflict",
}


def test_the_table_is_the_whole_tree():
    classes = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, ToolError)}
    assert classes - {"ToolError"} == set(TABLE)


@pytest.mark.parametrize("cls", CLASSES, ids=list(TABLE))
def test_defaults(cls):
    error = cls("It failed.")
    assert (error.code, error.fatal, error.transient, error.effect) == TABLE[cls.__name__]
    assert error.code in CODES
    assert error.non_fatal is not error.fatal
    assert issubclass(cls, ToolError)
    assert issubclass(ToolError, MulliganError)
    assert (str(error), error.message) == ("It failed.", "It failed.")
    assert repr(error) == f"{cls.__name__}('It failed.')"
    assert error.user_message.endswith(".")
    assert (error.tool_name, error.call_id, error.arguments, error.problems) == (None, None, None, ())
    assert (error.resource, error.retry_after, error.http_status, error.provider, error.rule) == (None,) * 5
    assert error.tool_type == "function"
    assert cls().message == ""


def test_the_tree_at_the_top_of_the_module_is_true():
    drawn = re.findall(r"[├└]── (\w+) +([A-Z_]+) +(fatal:)?", errors.__doc__ or "")
    assert {name: (code, bool(fatal)) for name, code, fatal in drawn if name != "UsageError"} == {
        name: (code, fatal) for name, (code, fatal, _, _) in TABLE.items()
    }


@pytest.mark.parametrize("cls", CLASSES, ids=list(TABLE))
def test_every_attribute_can_be_given(cls):
    error = cls("It failed.", **FULL)
    assert {name: getattr(error, name) for name in FULL} == FULL
    assert not error.non_fatal


@pytest.mark.parametrize("cls", CLASSES, ids=list(TABLE))
def test_what_is_given_does_not_change_the_class(cls):
    cls("It failed.", **FULL)
    assert cls("Another.").code == TABLE[cls.__name__][0]
    assert cls("Another.").problems == ()


def test_false_and_zero_count_as_given():
    error = errors.ToolQuotaError("x", fatal=False, transient=False, retry_after=0.0)
    assert (error.fatal, error.transient, error.retry_after) == (False, False, 0.0)
    assert errors.ToolTimeoutError("x", transient=False).transient is False


def test_the_sentence_for_the_person_can_be_set():
    error = errors.ToolQuotaError("x")
    error.user_message = "Add credit."
    assert error.user_message == "Add credit."


def test_suggestions_and_corrections_belong_to_their_classes():
    assert errors.ToolNotFoundError("x").suggestions == ()
    assert errors.ToolNotFoundError("x").confident is False
    assert errors.ResourceNotFoundError("x").suggestions == ()
    assert errors.ToolArgumentError("x").corrected is None


@pytest.mark.parametrize("cls", CLASSES, ids=list(TABLE))
@pytest.mark.parametrize(
    "again",
    [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy],
    ids=["pickle", "copy", "deepcopy"],
)
def test_an_error_survives_a_copy(cls, again):
    error = cls("It failed.", **FULL)
    twin = again(error)
    assert type(twin) is cls
    assert twin is not error
    assert {name: getattr(twin, name) for name in ("message", *FULL)} == {"message": "It failed.", **FULL}


def test_an_error_with_a_constructor_of_its_own_survives_a_copy():
    class RowLockedError(errors.ResourceConflictError):
        def __init__(self, table: str, row: int) -> None:
            super().__init__(f"Row {row} of {table} is locked.", resource=table)
            self.row = row

    twin = copy.copy(RowLockedError("orders", 7))
    assert (twin.message, twin.resource, twin.row) == ("Row 7 of orders is locked.", "orders", 7)


def test_usage_and_plugin_errors_are_no_tool_errors():
    for cls in (UsageError, PluginError):
        assert issubclass(cls, MulliganError)
        assert not issubclass(cls, ToolError)


def test_an_error_is_raised_and_caught_like_any_other():
    with pytest.raises(errors.ToolError, match="is exhausted") as caught:
        try:
            raise KeyError("inner")
        except KeyError as inner:
            raise errors.ToolQuotaError("It is exhausted.") from inner
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_problem_is_a_tuple_with_names():
    problem = Problem("/a", "missing")
    assert problem == ("/a", "missing", None, None)
    assert problem._asdict() == {"pointer": "/a", "message": "missing", "expected": None, "got": None}


# --- through a pipeline


def test_the_pipeline_fills_in_what_a_plugin_left_out(make_pipeline, plugin, run):
    def pay(amount: int) -> None:
        raise KeyError("bank")

    def classify(failure):
        return errors.ToolQuotaError("Nothing is left.")

    pipeline = make_pipeline(pay, plugins=[plugin("bank", classify=classify)])
    error = run(pipeline, "pay", '{"amount": 3}', call_id="c9").error
    assert (error.tool_name, error.call_id, error.arguments) == ("pay", "c9", {"amount": 3})
    assert error.rule == "bank:classify"
    assert isinstance(error.__cause__, KeyError)


def test_a_tool_may_raise_an_error_of_the_tree(make_pipeline, run):
    def find(key: str) -> None:
        raise errors.ResourceNotFoundError(f"No order {key}.", resource=key, provider="shop")

    result = run(make_pipeline(find), "find", {"key": "7"}, call_id="c1")
    assert result.content.startswith("Error executing tool find: No order 7.\n")
    assert (result.error.rule, result.error.provider, result.error.call_id) == ("tool:raised", "shop", "c1")


def test_one_instance_raised_by_two_calls_belongs_to_each(make_pipeline, run):
    shared = errors.ToolUnavailableError("Closed for lunch.", effect="none")

    def lookup(n: int) -> None:
        raise shared

    pipeline = make_pipeline(lookup)
    first = run(pipeline, "lookup", {"n": 1}, call_id="a")
    second = run(pipeline, "lookup", {"n": 2}, call_id="b")
    assert (first.error.call_id, first.error.arguments) == ("a", {"n": 1})
    assert (second.error.call_id, second.error.arguments) == ("b", {"n": 2})


class ErrorWithTwoArguments(errors.ToolExecutionError):
    def __init__(self, table: str, row: int) -> None:
        super().__init__(f"{table} {row}")


class ErrorWithoutInit(errors.ToolExecutionError):
    def __init__(self, row: int) -> None:
        self.row = row


class ErrorThatIsAlwaysFatal(errors.ToolExecutionError):
    fatal = property(lambda self: True)  # type: ignore[assignment]


class ErrorThatCannotBeChanged(errors.ToolExecutionError):
    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(name)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ErrorWithTwoArguments("orders", 7),
        lambda: ErrorWithoutInit(7),
        lambda: ErrorThatIsAlwaysFatal("x"),
        lambda: ErrorThatCannotBeChanged.__new__(ErrorThatCannotBeChanged, "x"),
        lambda: errors.ToolExecutionError("x", provider=["unhashable"]),  # type: ignore[arg-type]
        lambda: errors.ToolExecutionError("x", tool_name=["unhashable"]),  # type: ignore[arg-type]
        lambda: errors.ToolRateLimitError("x", retry_after="soon"),  # type: ignore[arg-type]
        lambda: errors.ToolExecutionError("x", code=7),  # type: ignore[arg-type]
        lambda: errors.ToolArgumentError("x", problems=[1, "two"]),  # type: ignore[list-item]
        lambda: errors.ToolExecutionError(["x"]),  # type: ignore[arg-type]
    ],
    ids=[
        "two arguments",
        "no init",
        "always fatal",
        "unchangeable",
        "provider",
        "name",
        "retry_after",
        "code",
        "problems",
        "message",
    ],
)
def test_an_odd_error_of_a_tool_never_ends_the_conversation(make_pipeline, run, make):
    odd = make()

    def work(n: int = 1) -> None:
        raise odd

    pipeline = make_pipeline(work)
    for _ in range(3):
        result = run(pipeline, "work", "{}", call_id="c")
        assert result.is_error
        assert result.call.id == "c"
        assert isinstance(result.error, errors.ToolError)
        assert result.content.startswith("Error")
        result.to_dict()
    assert pipeline.faults == ()


@pytest.mark.parametrize(
    "resource", [7, b"orders", __import__("pathlib").Path("orders/7")], ids=["int", "bytes", "path"]
)
def test_a_resource_that_is_no_text_is_shown_as_text(make_pipeline, run, resource):
    def find() -> None:
        raise errors.ResourceNotFoundError("No such order.", resource=resource)

    result = run(make_pipeline(find), "find")
    assert result.content.splitlines()[0] == f"Error executing tool find: No such order: {resource}"
    result.to_dict()


def test_an_unknown_field_is_named():
    with pytest.raises(
        TypeError,
        match=r"ToolQuotaError has no field 'retryafter'; available: .*retry_after|unexpected keyword argument 'retryafter'",
    ):
        errors.ToolQuotaError("x", retryafter=3)  # type: ignore[call-arg]


def test_a_corrected_call_is_shown_whole_or_not_at_all(make_pipeline, plugin, run):
    def read(path: str, phrase: str = "") -> str:
        return path

    def validate(call):
        error = errors.ToolArgumentError("The path is misspelt.")
        error.corrected = {
            "path": call.arguments["path"],
            "phrase": "sk-proj-abcdefghijklmnop1234567890abcdef"[: call.arguments["n"]],
        }
        raise error

    pipeline = make_pipeline(tool(read_only=True)(read), plugins=[plugin(validate=validate)])
    result = run(pipeline, "read", {"path": "a.md", "n": 0})
    assert (
        '\nNext: make this corrected call: {"name": "read", "arguments": {"path": "a.md", "phrase": ""}}'
        in result.content
    )
    assert "corrected call" not in run(pipeline, "read", {"path": "x" * 5_000, "n": 0}).content
    assert "corrected call" not in run(pipeline, "read", {"path": "a.md", "n": 100}).content
