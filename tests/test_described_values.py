"""A value that is not allowed is read as the allowed one that the argument's description explains with its words."""

from __future__ import annotations

import pytest

from mulligan import Pipeline, Tool
from mulligan.repair.described_values import find_described


@pytest.mark.parametrize(
    ("sent", "allowed", "description", "meant"),
    [
        ("water", ["ndvi", "ndwi", "nbr"], "Vegetation, water or burnt area", "ndwi"),
        ("confirmed", ["draft", "purchase"], "draft = RFQ, purchase = confirmed", "purchase"),
        ("relative_humidity", ["rh", "vwc"], "rh (relative humidity) or vwc (soil moisture).", "rh"),
        ("soil", ["rh", "st"], "rh: humidity, st: soil temperature", "st"),
        ("humid water", ["ndvi", "ndwi", "nbr"], "Vegetation, water or burnt area", None),
        ("area", ["a", "b"], "Area of the field, area of the farm", None),
        ("water", ["ndvi", "ndwi"], "Vegetation, water or burnt area", None),
        ("mail", ["name", "phone", "post"], "Name, mail or phone", None),
        ("everything", ["own", "admin"], "own = yours, admin = everything", None),
        ("", ["a", "b"], "One, two", None),
        ("encrypted", ["plain", "aes"], "plain = never encrypted, aes = cipher", None),
        ("public", ["draft", "ready"], "draft = not yet public; ready = visible", None),
        ("active", ["off", "on"], "off = no longer active; on = running", None),
        ("subscribed", ["mute", "loud"], "mute: non-subscribed, loud: all", None),
        ("signed", ["a", "b"], "Contracts that are not signed, contracts that wait", None),
        ("team", ["closed", "open"], "closed = hidden from the team; open = shown", None),
        ("weekends", ["work", "any"], "work (except weekends), any (each day)", None),
        ("week", ["w", "pw"], "w = the days to come, pw = previous week", None),
    ],
)
def test_one_value_is_explained(sent, allowed, description, meant):
    assert find_described(sent, allowed, description) == meant


@pytest.mark.parametrize(
    ("options", "last"),
    [
        ({"read_only": True}, 'Next: make this corrected call: {"name": "act", "arguments": {"index": "ndwi"}}'),
        ({}, 'Next: if that is what you meant, call act again with "index": "ndwi". If not, call act again'),
        ({"tool_type": "extension", "read_only": True}, 'Next: call act again with one of "ndvi", "ndwi" for "index".'),
    ],
)
def test_it_is_proposed_asked_or_not_used(options, last):
    index = {"enum": ["ndvi", "ndwi"], "description": "Vegetation or water"}
    tool = Tool.from_schema("act", "", {"type": "object", "properties": {"index": index}}, dict, **options)
    with Pipeline([tool], autoload=False) as pipeline:
        assert pipeline.call("act", {"index": "water"}).content.splitlines()[-1].startswith(last)
