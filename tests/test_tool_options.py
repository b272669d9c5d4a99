"""Options for several tools at once: which entry counts, for which tools, and what is refused."""

from __future__ import annotations

import inspect
import pickle
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, get_overloads

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mulligan
from mulligan import Pipeline, Tool, ToolOptions, Toolset, errors, tool
from mulligan.feedback import FeedbackFormat
from mulligan.plugin import ToolExecutor
from mulligan.validate.tool_options import DEFAULTS, OptionValues


def read_file(path: str) -> str:
    """Read a file."""
    return path


def read_mail(number: int) -> str:
    """Read a mail."""
    return str(number)


@tool(tags=["billing"], timeout=30, secret="card")
def pay(amount: int, card: str, note: str = "") -> str:
    """Pay."""
    return f"paid {amount}"


@tool(destructive=True)
def delete_file(path: str) -> str:
    """Delete a file."""
    return path


TOOLS = (read_file, read_mail, pay, delete_file)


def pipeline(tool_options, tools=TOOLS, **settings):
    return Pipeline(tools, tool_options=tool_options, autoload=False, **settings)


def refused(tool_options, tools=TOOLS, **settings):
    with pytest.raises(errors.UsageError) as caught:
        pipeline(tool_options, tools, **settings)
    return str(caught.value)


def test_options_are_set_by_pattern_and_by_tag():
    tools = pipeline({"read_*": {"read_only": True, "timeout": 5}, "tag:billing": ToolOptions(provider="acme")}).tools
    assert [tools[name].read_only for name in tools] == [True, True, False, False]
    assert [tools[name].timeout for name in tools] == [5, 5, 30, None]
    assert [tools[name].provider for name in tools] == [None, None, "acme", None]
    assert tools["delete_file"] is delete_file


def test_the_hosts_own_tool_is_left_as_it_is():
    assert pipeline({"pay": {"timeout": 1}}).tools["pay"].timeout == 1
    assert pay.timeout == 30
    assert pay(1, "x") == "paid 1"


def test_they_change_what_happens():
    runs = []

    def poll(path: str) -> str:
        """Poll."""
        runs.append(path)
        if len(runs) < 3:
            raise ConnectionResetError(104, "Connection reset by peer")
        return "done"

    assert pipeline({}, [poll]).call("poll", {"path": "a"}).is_error
    assert len(runs) == 1
    runs.clear()
    result = pipeline({"po*": {"read_only": True}}, [poll]).call("poll", {"path": "a"})
    assert (result.content, result.attempts) == ("done", 3)


def test_a_later_entry_overrides_an_earlier_one_and_both_the_tool():
    entries = {"*": {"timeout": 5, "provider": "a"}, "pay": {"timeout": 7}}
    assert pipeline(entries).tools["pay"].timeout == 7
    assert pipeline(dict(reversed(entries.items()))).tools["pay"].timeout == 5
    assert pipeline(entries).tools["pay"].provider == "a"


def test_what_is_not_said_stays_as_the_tool_declares_it():
    made = pipeline({"pay": {"provider": "acme"}}).tools["pay"]
    assert (made.timeout, made.tags, made.secret) == (30, {"billing"}, {"card"})
    assert pipeline({"pay": {"timeout": None}}).tools["pay"].timeout is None


def test_a_secret_argument_stays_secret():
    tools = pipeline({"pay": {"secret": "note"}, "p*": {"secret": ["amount"]}}).tools
    assert tools["pay"].secret == {"card", "note", "amount"}
    assert tools.secrets


def test_an_entry_may_give_the_tag_that_a_later_one_names():
    entries = {"read_*": {"tags": "reads"}, "tag:reads": {"timeout": 3}, "tag:bill*": {"timeout": 4}}
    tools = pipeline(entries).tools
    assert [tools[name].timeout for name in tools] == [3, 3, 4, None]
    again = pipeline(entries).with_tools(tools).tools
    assert [again[name].timeout for name in again] == [3, 3, 4, None]


def test_a_name_with_wildcards_in_it_is_meant_as_it_is():
    odd = Tool.from_schema("read[1]", "", {"type": "object"}, dict)
    assert pipeline({"read[1]": {"timeout": 3}}, [odd]).tools["read[1]"].timeout == 3


@given(
    st.text("ab*?", max_size=4).filter(bool), st.lists(st.text("ab", min_size=1, max_size=3), unique=True, min_size=1)
)
def test_a_pattern_is_that_of_fnmatch(pattern, names):
    tools = [Tool.from_schema(name, "", {"type": "object"}, dict) for name in names]
    matching = [name for name in names if fnmatchcase(name, pattern)]
    if not matching:
        assert refused({pattern: {}}, tools).startswith(f"tool_options[{pattern!r}]: no tool has such a name. ")
    else:
        made = pipeline({pattern: {"timeout": 9}}, tools).tools
        assert [name for name in names if made[name].timeout == 9] == matching


# tools that come later


def test_a_tool_that_is_added_later_gets_its_options():
    with pipeline({"read_*": {"timeout": 5}}) as made:
        added = made.tools.add(Tool.from_function(read_file, name="read_page"))
        assert added is made.tools["read_page"]
        assert added.timeout == 5
        made.tools.add(Tool.from_function(read_file, timeout=8), replace=True)
        assert made.tools["read_file"].timeout == 5


def test_other_tools_of_a_pipeline_get_them_too_and_need_not_match():
    base = pipeline({"read_*": {"timeout": 5}, "pay": {"timeout": 6}})
    later = base.with_tools([read_mail, delete_file])
    assert [one.timeout for one in later.tools.values()] == [5, None]
    later.tools.add(pay)
    assert later.tools["pay"].timeout == 6


def test_a_tool_is_changed_once_however_often_it_is_passed():
    base = pipeline({"pay": {"timeout": 6}})
    assert base.with_tools([pay]).tools["pay"] is base.with_tools([pay]).tools["pay"] is base.tools["pay"]


def test_a_pipeline_without_tools_waits_for_them():
    made = pipeline({"read_*": {"timeout": 5}}, [])
    assert made.with_tools([read_file]).tools["read_file"].timeout == 5
    assert made.tools.tool_options.unmatched([pay]) == []
    other = pipeline({"raed_*": {"timeout": 5}}, [])
    other.tools.add(read_file)
    assert other.tools.tool_options.unmatched(other.tools.values()) == [
        "tool_options['raed_*']: no tool has such a name. Did you mean 'read_*'?"
    ]


def test_a_tool_that_contradicts_the_options_is_not_added():
    made = pipeline({"read_*": {"read_only": True}})
    with pytest.raises(
        errors.UsageError, match=r"tool_options\['read_\*'\]: tool 'read_all': read_only=True contradicts"
    ):
        made.tools.add(Tool.from_function(read_file, name="read_all", destructive=True))
    assert "read_all" not in made.tools


def test_a_toolset_takes_them_too():
    assert Toolset([read_file], tool_options={"read_*": {"timeout": 5}})["read_file"].timeout == 5


def test_a_session_and_a_message_use_them():
    made = pipeline({"pay": {"killable": True, "format": "json"}})
    result = made.session().call("pay", {"amount": "x", "card": "1"})
    assert result.content.startswith('{"error"')


# mistakes of the host


@pytest.mark.parametrize(
    ("tool_options", "text"),
    [
        ({"raed_*": {}}, "tool_options['raed_*']: no tool has such a name. Did you mean 'read_*'?"),
        ({"readfile": {}}, "tool_options['readfile']: no tool has such a name. Did you mean 'read_file'?"),
        ({"Read_File": {}}, "tool_options['Read_File']: no tool has such a name. Did you mean 'read_file'?"),
        (
            {"zzz": {}},
            "tool_options['zzz']: no tool has such a name. Available: read_file, read_mail, pay, delete_file",
        ),
        (
            {"*zzz": {}},
            "tool_options['*zzz']: no tool has such a name. Available: read_file, read_mail, pay, delete_file",
        ),
        ({"tag:biling": {}}, "tool_options['tag:biling']: no tool has such a tag. Did you mean 'tag:billing'?"),
        ({"tag:x": {}}, "tool_options['tag:x']: no tool has such a tag. Available: billing"),
        (
            {"pay": {"tiemout": 1}},
            (
                "tool_options['pay']: unknown tool option 'tiemout' (did you mean 'timeout'?); available: aliases, also_called, "
                "approve, claims_read_only, destructive, detect, executor, format, idempotent, inline, killable, output_schema, provider, "
                "read_only, resources, secret, tags, timeout, tool_type"
            ),
        ),
        (
            {"pay": {"timeout": -1}},
            "tool_options['pay']: timeout must be above zero seconds, not -1",
        ),
        ({"pay": {"read_only": "yes"}}, "tool_options['pay']: read_only must be True or False, not 'yes'"),
        ({"pay": {"destructive": 1}}, "tool_options['pay']: destructive must be True, False or None, not 1"),
        ({"pay": {"tags": 5}}, "tool_options['pay']: tags must be a string or a list of strings, not 5"),
        (
            {"pay": {"resources": 5}},
            "tool_options['pay']: resources must be a list of names or a function of the arguments that returns them, not 5",
        ),
        (
            {"pay": {"detect": "no"}},
            "tool_options['pay']: detect must be True, False or a function of the returned value, not 'no'",
        ),
        (
            {"pay": {"output_schema": 5}},
            "tool_options['pay']: output_schema must be a JSON Schema as a mapping, not 5",
        ),
        (
            {"pay": {"format": 5}},
            "tool_options['pay']: format must be the name of a feedback format, or a FeedbackFormat, not 5",
        ),
        (
            {"pay": {"tool_type": "tool"}},
            "tool_options['pay']: tool_type must be one of 'function', 'extension', 'datastore', not 'tool'",
        ),
        ({"pay": {"provider": 5}}, "tool_options['pay']: provider must be the name of a service, not 5"),
        ({"pay": {"aliases": []}}, "tool_options['pay']: aliases must map arguments to their other names, not []"),
        (
            {"pay": {"format": "loud"}},
            "tool_options['pay']: unknown feedback format 'loud'; available: block, json, text",
        ),
        (
            {"*": {"read_only": True}},
            (
                "tool_options['*']: tool 'delete_file': read_only=True contradicts destructive=True, which it already has; "
                "add destructive=False"
            ),
        ),
        (
            {"pay": {"read_only": True, "destructive": True}},
            "tool_options['pay']: read_only=True and destructive=True contradict each other; declare one of them",
        ),
        (
            {"*": {"destructive": True}, "read_*": {"read_only": True}},
            (
                "tool_options['*'] and tool_options['read_*']: tool 'read_file': read_only=True and destructive=True "
                "contradict each other; declare one of them"
            ),
        ),
        (
            {"pay": {"secret": "crad"}},
            (
                "tool_options['pay']: tool 'pay': secret names 'crad', which is not an argument (did you mean 'card'?); "
                "available: amount, card, note"
            ),
        ),
        (
            {"pay": {"aliases": {"amount": "card"}}},
            (
                "tool_options['pay']: tool 'pay': aliases gives the name 'card' to another argument, but that is one of its "
                "arguments"
            ),
        ),
        (
            {"": {}},
            "tool_options['']: use a tool's name, a pattern such as 'read_*', or a tag such as 'tag:billing'",
        ),
        (
            {"tag:": {}},
            "tool_options['tag:']: use a tool's name, a pattern such as 'read_*', or a tag such as 'tag:billing'",
        ),
        ({3: {}}, "tool_options[3]: use a tool's name, a pattern such as 'read_*', or a tag such as 'tag:billing'"),
        ({"pay": 5}, "tool_options['pay'] must be options, such as {\"timeout\": 5}, not 5"),
        (
            [("pay", {})],
            (
                'tool_options must map name patterns or tags to options, such as {"read_*": {"timeout": 5}}, '
                "not [('pay', {})]"
            ),
        ),
    ],
)
def test_what_is_wrong_is_named_with_the_next_step(tool_options, text):
    assert refused(tool_options) == text


def test_a_wrong_value_is_named_before_there_are_tools():
    assert refused({"a": {"timeout": 0}}, []) == "tool_options['a']: timeout must be above zero seconds, not 0"
    assert refused({"a": {"format": "loud"}}, []).startswith("tool_options['a']: unknown feedback format 'loud'")


def test_many_names_are_not_listed_whole():
    tools = [Tool.from_schema(f"tool_{number}", "", {"type": "object"}, dict) for number in range(50)]
    text = refused({"xyz": {}}, tools)
    assert text.endswith("tool_18, tool_19 ... (50 in all)")


# the record


def test_tool_options_are_a_mapping_of_what_is_said():
    options = ToolOptions(read_only=True, timeout=5)
    assert dict(options) == {"read_only": True, "timeout": 5}
    assert options == {"read_only": True, "timeout": 5}
    assert repr(options) == "ToolOptions(read_only=True, timeout=5)"
    assert Tool.from_schema("a", "", {"type": "object"}, dict, **options).timeout == 5


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"timeout": True}, "ToolOptions: timeout must be above zero seconds, not True"),
        ({"raed_only": True}, "ToolOptions: unknown tool option 'raed_only' (did you mean 'read_only'?); available: "),
    ],
)
def test_tool_options_are_checked_where_they_are_written(options, text):
    with pytest.raises(errors.UsageError) as caught:
        ToolOptions(**options)
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("option", ["read_only", "idempotent", "inline", "killable", "claims_read_only"])
def test_a_tools_own_options_are_checked_like_those_in_bulk(option):
    with pytest.raises(errors.UsageError, match=f"^tool 'read_file': {option} must be True or False, not None$"):
        tool(**{option: None})(read_file)


# one list of options


def test_every_list_of_options_is_the_same():
    declared = inspect.signature(get_overloads(tool)[1]).parameters
    assert set(declared) - {"f", "name", "description", "schema"} == set(OptionValues.__annotations__)
    for option, default in DEFAULTS.items():
        made = Tool.from_schema("a", "", {"type": "object"}, dict)
        assert getattr(made, option) == default, option
        assert option in Tool.__annotations__
        said = declared[option].default
        assert said == default or (said in ((), None) and not default), option
        assert f"    {option}: " in (Tool.__doc__ or "")


class Loud(FeedbackFormat):
    name = "loud"


class Elsewhere(ToolExecutor):
    name = "elsewhere"

    def execute(self, tool: Tool, arguments: Any, call: Any) -> Any:
        return partial(tool.handler, **arguments)


VALUES = {
    "timeout": 3.5,
    "read_only": True,
    "idempotent": True,
    "destructive": False,
    "claims_read_only": True,
    "inline": True,
    "killable": True,
    "secret": ["path"],
    "resources": ["a"],
    "detect": False,
    "output_schema": {"type": "string"},
    "format": Loud(),
    "tags": ["a"],
    "tool_type": "datastore",
    "provider": "acme",
    "aliases": {"path": "file"},
    "also_called": ["open_file"],
    "approve": True,
    "executor": Elsewhere(),
}


@pytest.mark.parametrize("option", sorted(DEFAULTS))
def test_an_option_in_bulk_is_that_of_the_tool(option):
    declared = tool(**{option: VALUES[option]})(read_file)
    changed = pipeline({"read_*": {option: VALUES[option]}}, [read_file]).tools["read_file"]
    assert getattr(changed, option) == getattr(declared, option) != DEFAULTS[option]
    unchanged = [other for other in DEFAULTS if other != option]
    assert [getattr(changed, other) for other in unchanged] == [DEFAULTS[other] for other in unchanged]


def test_an_alias_in_bulk_is_no_other_tools_name():
    with pytest.raises(errors.UsageError, match="'read_mail' and 'pay' are both named 'pay'"):
        pipeline({"read_mail": {"also_called": "pay"}})


def test_a_result_is_checked_against_the_schema_that_it_has_now():
    made = Tool.from_schema("a", "", {"type": "object"}, dict, output_schema={"type": "integer"})
    assert made.returns(1)
    changed = made.with_options(output_schema={"type": "string"})
    assert changed.returns("a") and not changed.returns(1)
    assert made.returns(1)


def test_with_options_keeps_the_kind_and_the_secrets_of_a_tool():
    class Special(Tool):
        pass

    made = Special("a", "", dict, schema={"type": "object"}, secret="b").with_options(
        secret="c", also_called=["a", "d"]
    )
    assert type(made) is Special
    assert (made.secret, made.also_called) == ({"b", "c"}, {"d"})


def test_a_tool_with_options_can_be_pickled():
    made = Tool.from_schema("a", "", {"type": "object"}, dict).with_options(timeout=5)
    assert pickle.loads(pickle.dumps(pipeline({"a": {"tags": "b"}}, [made]).tools["a"])).tags == {"b"}


def test_a_repairer_sees_the_options_in_bulk():
    assert pipeline({"read_*": {"read_only": True}}).tools.without_handlers()["read_file"].read_only


def test_it_is_public():
    assert mulligan.ToolOptions is ToolOptions
