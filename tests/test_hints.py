"""What a server says of its tools: when it counts, and for what."""

from __future__ import annotations

from collections import UserDict
from types import MappingProxyType, SimpleNamespace

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mulligan.plugin
from mulligan import Pipeline, Policy, Tool, errors, hints_of, tool

READS = {"readOnlyHint": True}
WRITES = {"readOnlyHint": False, "destructiveHint": True}
UNLOCKING = {"read_only", "idempotent"}


@attrs.define
class Annotations:
    read_only_hint: bool | None = None
    idempotent_hint: bool | None = None
    destructive_hint: bool | None = None


class Hostile:
    @property
    def readOnlyHint(self) -> bool:
        raise RuntimeError("no")

    def __getattr__(self, name: str) -> object:
        raise ValueError(name)


def test_it_is_public_for_hosts_and_for_authors():
    assert mulligan.plugin.hints_of is hints_of


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        (READS, {"read_only": True}),
        ({"read_only_hint": True, "idempotent_hint": False}, {"read_only": True, "idempotent": False}),
        ({"idempotentHint": True}, {"idempotent": True}),
        (WRITES, {"read_only": False, "destructive": True}),
        ({"destructiveHint": False}, {"destructive": False}),
        ({"title": "Weather", "openWorldHint": True}, {}),
    ],
)
def test_the_hints_of_a_trusted_server_are_believed(annotations, expected):
    assert hints_of(annotations, trusted=True) == expected


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        (READS, {"claims_read_only": True}),
        ({"idempotentHint": True}, {}),
        ({"readOnlyHint": True, "idempotentHint": True}, {"claims_read_only": True}),
        (WRITES, {"destructive": True}),
        ({"destructiveHint": False}, {}),
    ],
)
def test_a_server_that_is_not_trusted_is_believed_only_when_it_warns(annotations, expected):
    assert hints_of(annotations) == expected


@pytest.mark.parametrize(
    "made",
    [dict, MappingProxyType, UserDict, lambda said: SimpleNamespace(**said), lambda said: type("A", (), said)],
)
def test_annotations_are_an_object_or_a_mapping(made):
    assert hints_of(made(READS), trusted=True) == {"read_only": True}


def test_annotations_may_be_spelled_as_python_does():
    assert hints_of(Annotations(read_only_hint=True), trusted=True) == {"read_only": True}


@pytest.mark.parametrize("said", [{"readOnlyHint": True, "destructiveHint": True, "idempotentHint": True}])
def test_a_tool_that_says_that_it_reads_and_destroys_is_not_believed_to_read_or_to_be_idempotent(said):
    assert hints_of(said, trusted=True) == {"read_only": False, "idempotent": False, "destructive": True}
    assert hints_of(said) == {"destructive": True}
    assert hints_of(said | {"readOnlyHint": False}, trusted=True)["idempotent"] is True


def test_of_two_spellings_that_differ_the_one_that_permits_less_counts():
    assert hints_of({"readOnlyHint": True, "read_only_hint": False}) == {}
    assert hints_of({"destructiveHint": False, "destructive_hint": True}) == {"destructive": True}


def test_it_never_raises():
    for value in (None, 5, "readOnlyHint", [], object(), Hostile(), {1: True}, Exception):
        assert hints_of(value) == hints_of(value, trusted=True) == {}


@pytest.mark.parametrize("trusted", ["yes", "false", 1, object()])
def test_only_true_is_trust(trusted):
    assert hints_of(READS, trusted) == {"claims_read_only": True}


_NAMES = ("readOnlyHint", "read_only_hint", "idempotentHint", "idempotent_hint", "destructiveHint", "destructive_hint")


@given(st.dictionaries(st.sampled_from(_NAMES), st.booleans() | st.none() | st.text() | st.integers()), st.booleans())
def test_what_comes_back_makes_a_tool_and_only_trust_unlocks(annotations, trusted):
    hints = hints_of(annotations, trusted)
    made = Tool.from_schema("act", "", {"type": "object"}, dict, **hints)
    assert trusted or not UNLOCKING & {name for name, value in hints.items() if value}
    assert not (made.destructive and (made.read_only or (made.idempotent and annotations.get("readOnlyHint") is True)))


def test_a_tool_that_reads_and_destroys_says_what_to_do():
    with pytest.raises(errors.UsageError) as caught:

        @tool(read_only=True, destructive=True)
        def act() -> None: ...

    assert str(caught.value) == (
        "tool 'act': read_only=True and destructive=True contradict each other; declare one of them"
    )


def _dropped(**_: object) -> None:
    raise ConnectionResetError(104, "Connection reset by peer")


def _result(name: str, description: str = "A thing.", **options: object):
    runs = []

    def run(**_: object) -> None:
        runs.append(1)
        _dropped()

    made = Tool.from_schema(name, description, {"type": "object"}, run, **options)
    with Pipeline([made], autoload=False, policy=Policy(repair="all")) as pipeline:
        return pipeline.call(name, {}), len(runs)


def test_a_claim_softens_what_is_said_about_effects_and_runs_nothing_again():
    undeclared, _ = _result("forecast")
    claimed, runs = _result("forecast", **hints_of(READS))
    believed, believed_runs = _result("forecast", **hints_of(READS, trusted=True))
    assert (runs, believed_runs) == (1, 3)
    assert "It may have taken effect." in undeclared.content
    assert "took effect" in undeclared.content
    assert "effect" not in claimed.content
    assert "again" not in claimed.content
    assert "again with exactly the same arguments" in believed.content
    assert claimed.error.effect == "possible"
    assert claimed.content == (
        "Error executing tool forecast: The connection was dropped mid-request.\n"
        "Next: use another tool or other arguments, or tell the user what the problem is."
    )


@pytest.mark.parametrize(
    ("name", "description"),
    [("page", "Reads a page."), ("reads", ""), ("fetches_it", "Lists the things."), ("weather", "")],
)
def test_a_claim_that_the_tools_own_words_do_not_contradict_softens(name, description):
    assert "effect" not in _result(name, description, **hints_of(READS))[0].content


@pytest.mark.parametrize(
    ("name", "description"),
    [("delete_all", "A thing."), ("tidy", "Delete the old files."), ("send_mail", "Send a mail.")],
)
def test_a_claim_that_the_tools_own_words_contradict_softens_nothing(name, description):
    result, runs = _result(name, description, **hints_of(READS))
    assert "It may have taken effect." in result.content
    assert "Do not repeat this call before you know whether it took effect." in result.content
    assert runs == 1


@pytest.mark.parametrize("sent", ['{"count": "3"}', '{"count": 3', '{"cuont": 3}', '{"count": "three"}'])
def test_a_claim_unlocks_no_corrected_call(sent):
    schema = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    schema["additionalProperties"] = False
    texts = []
    for hints in ({}, hints_of(READS)):
        made = Tool.from_schema("tidy", "Tidies.", schema, _dropped, **hints)
        with Pipeline([made], autoload=False) as pipeline:
            texts.append(pipeline.call("tidy", sent).content)
    assert texts[0] == texts[1]


def test_a_claim_proposes_no_tool_for_another_name():
    contents = []
    for hints in ({}, hints_of(READS)):
        tools = [
            Tool.from_schema(name, "A thing.", {"type": "object"}, _dropped, **hints) for name in ("purge", "bake")
        ]
        with Pipeline(tools, autoload=False) as pipeline:
            contents.append([pipeline.call(name, {}).content for name in ("purgee", "list_purge", "take", "get_bake")])
    assert contents[0] == contents[1]


def test_a_repairer_reads_the_claim_too():
    made = Tool.from_schema("tidy", "", {"type": "object"}, _dropped, **hints_of(READS))
    assert made.claims_read_only and made.without_handler().claims_read_only and not made.read_only
