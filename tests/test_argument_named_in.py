"""Which argument a code or message speaks of."""

import pytest

from mulligan.plugin import argument_named_in


@pytest.mark.parametrize(
    ("text", "arguments", "name"),
    [
        ("channel_not_found", {"text": "hello", "channel": "C1"}, "channel"),
        ("channel_not_found", {"user_id": "U1", "channel_id": "C1"}, "channel_id"),
        ("users_not_found", {"user": "U1"}, "user"),
        ("Unknown Channel", {"channelId": 7, "messageId": 8}, "channelId"),
        ("HeadObject", {"object_name": "a", "bucket": "b"}, "object_name"),
        ("invalid_ts_latest", {"latest": 1, "ts_latest": 2}, "ts_latest"),
        ("the user of the channel", {"user": 1, "channel": 2}, None),
        ('no such city "Atlantis"', {"town": "Atlantis", "unit": "C"}, "town"),
        ("no such city `7`", {"town": 7, "unit": 8}, "town"),
        ("'a' and 'b'", {"x": "a", "y": "b"}, None),
        ("channels_of_a_rival", {"chan": 1}, None),
        ("not found", {"id": 1}, None),
        ("", {"a": 1}, None),
        ("anything", {}, None),
        ("anything", None, None),
        ("x" * 5_000 + " channel", {"channel": 1}, None),
    ],
)
def test_the_argument_that_is_named(text, arguments, name):
    assert argument_named_in(text, arguments) == name
