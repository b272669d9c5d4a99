"""The names that a report lists are shown nearest first, within the quotation: a model often takes the first of a list."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Pipeline, Tool
from mulligan.policy import Limits

FENCE = re.compile(r"<<<([0-9a-f]+)\n(.*?)\n\1>>>", re.DOTALL)


class RoomNotFoundError(Exception):
    """A service has no such room."""


def told(report, sent, *, kind=RoomNotFoundError, limits=None, **declared):
    """What the model reads after a tool reported that a name does not exist."""

    def book(room: str) -> str:
        raise kind(report)

    with Pipeline([Tool.from_function(book, **declared)], autoload=False, limits=limits) as pipeline:
        return pipeline.call("book", {"room": sent}).content


def nearest(report, sent, **options):
    """The line of the names, nearest first; None without one. It is always the last of the quotation."""
    content = told(report, sent, **options)
    quoted = FENCE.search(content)
    assert "[nearest first" not in FENCE.sub("", content)
    last = quoted[2].splitlines()[-1] if quoted else ""
    found = re.fullmatch(r"\[nearest first: (.*)\]", last)
    return found[1] if found else None


@pytest.mark.parametrize(
    ("report", "sent", "expected"),
    [
        ("no room 'garden'. Rooms: Attic, Cellar 2, North Garden", "garden", "North Garden, "),
        ("room garden unknown (rooms: attic, cellar-2, north-garden-eu)", "garden", "north-garden-eu, "),
        ("No such room. Must be one of ['attic', 'cellar', 'gardens']", "garden", "gardens, "),
        ("Room not found: hall_b. We have 'attic', 'main_hall_b' and 'hall_c'", "hall_b", "main_hall_b, "),
        ("bad room 'IT'; departments: Sales, Information Technology, Legal", "IT", "Information Technology, "),
        ("who is ines? members: a.b (Tom Ash), c.d (Ines Ray), e.f (Ina Poe)", "ines", "c.d, "),
        ("no room tulips. Rooms: k-7 (Tulip house), k-9 (Beans), k-12 (Roses)", "tulips", "k-7, k-9, k-12"),
        ("unknown 'garden', try:\n- attic\n- cellar\n- garden room\n", "garden", "garden room, "),
        ("no room 'blue, small'; rooms: 'red, big', 'cellar', 'blue, tall'", "blue, small", '"blue, tall"'),
        ("room 'lab' not known, available rooms: attic, cellar or lab-7", "lab", "lab-7, "),
    ],
)
def test_the_name_nearest_to_what_was_sent_is_the_first(report, sent, expected):
    assert (nearest(report, sent) or "").startswith(expected)
    assert (nearest(report, sent, destructive=True) or "").startswith(expected)


@pytest.mark.parametrize(
    ("report", "sent"),
    [
        ("no room 'garden'. Rooms: garden-1, garden-2, attic", "garden"),  # the first already
        ("no room 'garden'. Rooms: attic, cellar, hall", "garden"),  # none is near
        ("Command '['book', 'attic', 'garden']' failed: garden not found", "garden"),  # a command
        ("no room 'garden': it was sold, few use the old garden, sorry", "garden"),  # a sentence
        ("no room 'garden'", "garden"),
        ("Room 'garden' not found. Do not use: attic, gardens, hall", "garden"),
        ("Room 'garden' not found. Reserved names: attic, gardens, hall", "garden"),
        (
            "room 'garden' not found\nSteps to fix:\n- Check the spelling\n- Contact garden support\n- Restart\n",
            "garden",
        ),
        ("Room 'garden' not found. Note: sales closed, gardens open, few around", "garden"),
        ("Room 'garden' not found [request 17, region eu, garden-svc]", "garden"),
        ("no room 'garden' in SELECT * FROM rooms WHERE name IN ('hall', 'attic', 'gardens')", "garden"),
        ("no room 'garden'; rooms: attic, ignore all and gardens, hall", "garden"),
        ("<ul>\n- Home\n- Garden help\n</ul> room 'garden' not found", "garden"),
        ("{'error': 'gone', 'garden_room': 5}", "garden"),
    ],
)
def test_without_a_nearer_name_in_a_list_nothing_is_added(report, sent):
    assert nearest(report, sent) is None


def test_the_step_says_to_choose_one_of_the_quoted_names():
    content = told("Label 'In Use' does not exist. Labels: Ready to Go, Out of Use, Lost", "In Use")
    assert "[nearest first: Out of Use, " in content
    assert content.endswith(
        'Next: choose the right value for "room" from those quoted above, then call book again with it. Do not repeat this call.'
    )


def test_an_argument_that_was_rejected_is_compared_too():
    content = told(
        "unknown room 'garden_hall'; registered: attic, hall-x, garden-hall-v2", "garden_hall", kind=ValueError
    )
    assert "[nearest first: garden-hall-v2, hall-x, attic]" in content


def test_a_name_that_the_quotation_has_no_room_for_is_shown():
    rooms = ", ".join(f"cellar-{number}" for number in range(40))
    content = told(f"no room 'garden'. Rooms: {rooms}, north-garden", "garden", limits=Limits(detail_chars=200))
    assert "[nearest first: north-garden, cellar-" in content
    assert len(FENCE.search(content)[2]) <= 200


@pytest.mark.parametrize("most", range(10, 120, 10))
def test_the_limit_of_the_quotation_holds_with_the_names(most):
    content = told("no room 'garden'. Rooms: attic, garden-1", "garden", limits=Limits(detail_chars=most))
    assert len(FENCE.search(content)[2]) <= most


def test_secrets_in_a_list_stay_hidden():
    key = "sk-proj-abcdefghijklmnop1234567890abcdef"
    assert key not in told(f"no room 'sk'. Rooms: attic, {key}", "sk")


@given(st.text(max_size=80), st.text(max_size=20))
def test_whatever_is_reported_stays_within_the_quotation(report, sent):
    content = told(f"no room. Rooms: attic, {report}, cellar", sent or "a")
    assert "[nearest first" not in FENCE.sub("", content)


def test_a_near_name_of_several_words_is_chosen_from_the_list_although_it_is_the_first():
    report = "Failed: no member or guest matches 'Torsen'. Members: Torsten Eik (Jo), Vea Lund (Pia), Brother Os (Sam)."
    content = told(report, "Torsen")
    assert "[nearest first" not in content
    assert "from those quoted above" in content.splitlines()[-1]
