"""Values that say the same in another form: pairs for an object, an object for pairs, a quantity in another unit. They are asked."""

from __future__ import annotations

import datetime
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Pipeline, Tool

MARK = "make this corrected call:"
ENVIRONMENT = {"type": "object", "additionalProperties": {"type": "string"}}
HEADER = {
    "type": "object",
    "properties": {"header": {"type": "string"}, "value": {"type": "string"}},
    "required": ["header"],
}
HEADERS = {"type": "array", "items": HEADER}


def told(schema, value, *, name="it", as_text=False, **declared):
    """What the model reads after a value that does not match the schema."""
    parameters = {"type": "object", "properties": {name: schema}, "required": [name]}
    sent = {name: value}
    with Pipeline([Tool.from_schema("deploy", "", parameters, dict, **declared)], autoload=False) as pipeline:
        return pipeline.call("deploy", json.dumps(sent, indent=2) if as_text else sent).content


def asked(schema, value, meant, **options):
    """Whether the model is asked if it meant another value."""
    content = told(schema, value, **options)
    return f'Did you mean "{options.get("name", "it")}": {json.dumps(meant)}?' in content and MARK not in content


PAIRS = [{"name": "REGION", "value": "eu"}, {"name": "TIER", "value": "2"}]


@pytest.mark.parametrize("declared", [{}, {"read_only": True}, {"idempotent": True}])
def test_a_list_of_pairs_is_asked_as_an_object(declared):
    assert asked(ENVIRONMENT, PAIRS, {"REGION": "eu", "TIER": "2"}, **declared)


@pytest.mark.parametrize("declared", [{}, {"read_only": True}, {"idempotent": True}])
def test_an_object_is_asked_as_a_list_of_pairs(declared):
    meant = [{"header": "Accept", "value": "*/*"}, {"header": "Host", "value": "a.example"}]
    assert asked(HEADERS, {"Accept": "*/*", "Host": "a.example"}, meant, **declared)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (ENVIRONMENT, [*PAIRS, {"name": "TIER", "value": "3"}]),  # one key twice: which one counts?
        (ENVIRONMENT, [*PAIRS, {"key": "A", "value": "3"}]),
        (ENVIRONMENT, [{**one, "secret": True} for one in PAIRS]),
        (ENVIRONMENT, [{"name": 1, "value": "a"}]),
        (ENVIRONMENT, [{"from": "a", "to": "b"}]),
        (ENVIRONMENT, []),
        ({"type": "array", "items": {"type": "string"}}, {"a": "b"}),
        (HEADERS, {"header": "Accept", "unit": "s"}),
        (ENVIRONMENT, [{"value": "5", "unit": "kg"}]),
        (ENVIRONMENT, [{"name": "Ana", "age": "3"}]),
    ],
)
def test_pairs_that_may_say_something_else_are_not_asked(schema, value):
    assert "Did you mean" not in told(schema, value)


@pytest.mark.parametrize(("schema", "value"), [(ENVIRONMENT, PAIRS), (HEADERS, {"Accept": "*/*"})])
def test_a_destructive_tool_is_not_asked_about_pairs(schema, value):
    assert "Did you mean" not in told(schema, value, destructive=True)


def test_an_object_for_a_text_of_json_is_asked_however_its_json_was_spaced():
    schema, value = {"type": "string", "description": "Labels, as JSON"}, {"zone": "b 2", "rank": [1, 2]}
    text = json.dumps(value, separators=(",", ":"))
    assert asked(schema, value, text, as_text=True)
    assert asked(schema, value, text)


def number(about="", kind="integer"):
    return {"type": kind, "description": about}


@pytest.mark.parametrize(
    ("name", "schema", "value", "meant"),
    [
        ("wait", number("Pause in seconds"), "2m30s", 150),
        ("wait", number("Pause in seconds"), "2 hours, 5 minutes", 7_500),
        ("wait", number("Milliseconds"), "0.25 s", 250),
        ("wait", number("Seconds; at most a day"), "P1DT1S", 86_401),
        ("ttl_hours", number(), "3 days", 72),
        ("period_weeks", number("", "number"), "3 days 12 hours", 0.5),
        ("depth_mm", number(), "1.5 m", 1_500),
        ("route_km", number("", "number"), "800 m", 0.8),
        ("dose", number("Dose in mg"), "2 g", 2_000),
        ("quota", number("Bytes"), "3 GiB", 3 * 2**30),
        ("quota", number("Size in MB"), "4GB", 4_000),
        ("rate", number("Bytes per second"), "5 MB/s", 5_000_000),
    ],
)
def test_a_quantity_is_asked_as_the_number_in_the_unit_of_the_argument(name, schema, value, meant):
    assert asked(schema, value, meant, name=name)
    assert asked(schema, value, meant, name=name, read_only=True)
    assert "Did you mean" not in told(schema, value, name=name, destructive=True)


@pytest.mark.parametrize(
    ("name", "schema", "value"),
    [
        ("wait", number("Pause in seconds"), "2 months"),  # of different lengths
        ("wait", number("Pause in seconds"), "30s2m"),
        ("wait", number("Pause in seconds"), "in 5 min"),
        ("wait", number("Pause in seconds"), "5 min ago"),
        ("wait", number("Pause in seconds"), "-5 min"),
        ("wait", number("Pause in seconds"), "1,5 min"),
        ("wait", number("Pause in seconds"), "5 to 6 min"),
        ("wait", number("Pause in seconds"), "5 min."),
        ("wait", number("Pause in seconds"), "1 ms"),  # no whole number
        ("wait", number("How long to pause"), "5 min"),
        ("wait", number("Second attempt after this time"), "5 min"),
        ("wait", number("Pause in seconds"), "2 km"),
        ("depth_mm", number(), "5 min"),
        ("rate", number("Bytes per second"), "5 MB"),
        ("size", number("Size in bytes"), "5 MB/s"),
        ("price_cents", number(), "5 EUR"),
        ("size", number("Size in bytes"), "5 Mb"),
        ("size", number("Size in bytes"), "5 M"),
        ("wait", number("Pause in seconds"), "5M"),
        ("dose_g", number("", "number"), "500 Mg"),
        ("requests_per_minute", number(), "2 h"),
        ("price_per_kg", number("", "number"), "500 g"),
        ("speed", number("Speed in metres per minute"), "5 km"),
        ("area_m2", number(), "5 km"),
        ("start", number("Start as seconds since epoch"), "1h"),
        ("wait_m", number("", "number"), "500 mm"),
    ],
)
def test_what_may_be_another_quantity_is_not_asked(name, schema, value):
    assert "Did you mean" not in told(schema, value, name=name)


@given(st.integers(0, 9), st.integers(0, 23), st.integers(0, 59), st.integers(1, 59))
def test_any_duration_is_read_as_its_seconds(days, hours, minutes, seconds):
    meant = int(datetime.timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds).total_seconds())
    for text in (
        f"{days}d {hours}h {minutes}m {seconds}s",
        f"{days} days, {hours} hours, {minutes} min and {seconds} sec",
        f"P{days}DT{hours}H{minutes}M{seconds}S",
    ):
        assert asked(number("Time in seconds"), text, meant)


@pytest.mark.parametrize(
    ("value", "meant"),
    [("five guests", 5), ("12 copies", 12), ("twenty-one people", 21), ("-3 items", -3)],
)
def test_a_count_with_what_is_counted_is_asked_as_the_number(value, meant):
    assert asked(number(), value, meant, name="amount")


@pytest.mark.parametrize(
    "value",
    ["12 or more", "12 times", "5 dozen people", "12 guests ago", "no guests", "12 euros", "12 max", "1.234.5 pages"],
)
def test_a_count_that_may_be_another_number_is_not_asked(value):
    assert "Did you mean" not in told(number(), value, name="amount")


def test_a_number_in_words_with_a_unit_is_asked():
    assert asked(number("Pause in seconds"), "three minutes", 180, name="wait")
    assert asked(number("", "number"), "-7 dB", -7, name="gain_db")


TASK = {"type": "object", "properties": {"text": {"type": "string"}, "due": {"type": "string"}}, "required": ["text"]}
ROW = {
    "type": "object",
    "properties": {"cells": {"type": "object"}},
    "required": ["cells"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("schema", "value", "meant"),
    [
        (TASK, "Paint the fence", {"text": "Paint the fence"}),
        ({"type": "array", "items": TASK}, ["Paint", "Mow"], [{"text": "Paint"}, {"text": "Mow"}]),
        ({"type": "array", "items": ROW}, [{"Name": "Ada", "Age": 9}], [{"cells": {"Name": "Ada", "Age": 9}}]),
    ],
)
def test_a_value_is_asked_under_the_only_member_that_must_be_there(schema, value, meant):
    assert asked(schema, value, meant)
    assert "Did you mean" not in told(schema, value, destructive=True)


def test_a_value_is_not_put_under_one_of_several_members():
    both = {**TASK, "required": ["text", "due"]}
    assert "Did you mean" not in told(both, "Paint the fence")


@pytest.mark.parametrize(
    ("schema", "value", "meant"),
    [
        ({"type": "object"}, "retries=3; mode=fast", {"retries": 3, "mode": "fast"}),
        (ENVIRONMENT, ["PORT=80", "HOST=a.example"], {"PORT": "80", "HOST": "a.example"}),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "a=1,b=2", {"a": 1, "b": 2}),
    ],
)
def test_assignments_are_asked_as_an_object(schema, value, meant):
    assert asked(schema, value, meant)


@pytest.mark.parametrize(
    "value",
    ["a=1, a=2", "a == b", "if a=1 then b", "a=1, b", "see: this", "age=>18", "name=~x", "a=b or c", "__proto__=1"],
)
def test_a_text_that_only_looks_like_assignments_is_not_asked(value):
    assert "Did you mean" not in told({"type": "object"}, value)


def test_a_mapping_is_asked_as_a_list_of_named_things_if_each_fits():
    kinds = {"name": {"type": "string"}, "type": {"enum": ["text", "date"]}, "note": {"type": "string"}}
    columns = {"type": "array", "items": {"type": "object", "properties": kinds, "required": ["name", "type"]}}
    meant = [{"name": "born", "type": "date"}, {"name": "city", "type": "text"}]
    assert asked(columns, {"born": "date", "city": "text"}, meant)
    assert "Did you mean" not in told(columns, {"born": "date", "city": "place"})


@pytest.mark.parametrize(
    ("item", "sent"),
    [
        (("field", "direction"), {"column": "price", "order": "desc"}),
        (("name", "email"), {"Name": "Ana", "mail": "a@x.example"}),
    ],
)
def test_an_item_under_other_names_is_no_list_of_pairs(item, sent):
    members = {name: {"type": "string"} for name in item}
    items = {"type": "array", "items": {"type": "object", "properties": members, "required": list(item)}}
    assert "Did you mean" not in told(items, sent)


def test_a_boolean_for_a_text_is_asked():
    assert asked({"type": "string"}, False, "false")
    assert "Did you mean" not in told({"type": "string"}, False, destructive=True)


@pytest.mark.parametrize(
    ("sent", "allowed", "step"),
    [
        ("failed_only", ["all", "failed"], 'one of "failed", "all"'),
        ("force_https", ["ssl", "tls", "always_use_https"], 'one of "always_use_https", "ssl", "tls"'),
        ("violet", ["red", "green"], 'one of "red", "green"'),
        ("not_ready", ["draft", "ready"], 'one of "draft", "ready"'),
        ("user", ["guest", "user_admin"], 'one of "guest", "user_admin"'),
        ("unpublish", ["draft", "publish"], 'one of "draft", "publish"'),
        ("off", ["on", "officer"], 'one of "on", "officer"'),
    ],
)
def test_the_step_names_the_allowed_value_nearest_to_the_one_that_was_sent_first(sent, allowed, step):
    content = told({"type": "string", "enum": allowed}, sent)
    assert f'with {step} for "it"' in content
    assert f"expected one of {', '.join(map(json.dumps, allowed))};" in content


@pytest.mark.parametrize(
    ("sent", "members", "meant"),
    [
        ({"pause": "5m"}, {"pause_seconds": number()}, {"pause_seconds": 300}),
        ({"pause": "1h30m"}, {"pause_seconds": number()}, {"pause_seconds": 5400}),
        ({"size": "2 GB"}, {"size_mb": number(), "note": {"type": "string"}}, {"size_mb": 2000}),
        ({"pause": 5}, {"pause_seconds": number()}, None),
        ({"pause": "5"}, {"pause_seconds": number()}, None),
        ({"pause": "5m"}, {"pause_seconds": number(), "pause_minutes": number()}, None),
        ({"pause": "5m"}, {"pause_count": number()}, None),
        ({"weight": "5 lb"}, {"weight_kg": {"type": "string"}}, None),
        ({"price": "5 eur"}, {"price_usd": number("", "number")}, None),
        ({"start": "5pm"}, {"start_hour": {"type": "string"}}, None),
    ],
)
def test_a_quantity_goes_to_the_argument_that_only_adds_its_unit(sent, members, meant):
    parameters = {"type": "object", "properties": members, "additionalProperties": False}
    with Pipeline([Tool.from_schema("deploy", "", parameters, dict)], autoload=False) as pipeline:
        content = pipeline.call("deploy", sent).content
    question = "" if meant is None else f"Did you mean {json.dumps(meant)[1:-1]} instead of"
    assert question in content and ("Did you mean" in content) is (meant is not None)
