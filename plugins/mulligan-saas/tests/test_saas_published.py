"""Every published code has a meaning, or a reason why it has none."""

import pathlib

import pytest
from mulligan_saas import discord, slack

from mulligan.plugin import Codes

FOLDER = pathlib.Path(__file__).parent / "published"
OF_LIST = {
    "RESTJSONErrorCodes": discord.codes,
    "GatewayCloseCodes": discord.gateway_codes,
    "VoiceCloseCodes": discord.voice_codes,
    "RPCErrorCodes": discord.rpc_codes,
}
SKIPPED_LISTS = {
    "RPCCloseEventCodes": "pypresence reports the end of the connection to the desktop app without its code"
}


def published(name: str) -> list[list[str]]:
    lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def discord_codes() -> list[tuple[Codes | None, int]]:
    return [(OF_LIST.get(of), int(code)) for code, _, of in published("discord") if of not in SKIPPED_LISTS]


def test_every_slack_code() -> None:
    codes = [code for (code,) in published("slack")]

    assert [code for code in codes if slack.codes.meaning_of(code) is None and code not in slack.codes.skipped] == []
    assert set(slack.codes.skipped) <= set(codes)
    assert len(slack.codes.skipped) <= len(codes) / 10


def test_every_discord_code() -> None:
    unknown = [code for of, code in discord_codes() if of is None or not (of.meaning_of(code) or code in of.skipped)]
    left_out = [code for *_, of in published("discord") for code in [of] if of in SKIPPED_LISTS]

    assert unknown == []
    assert len(left_out) + len(discord.codes.skipped) <= len(published("discord")) / 10


def test_every_listed_discord_code_is_published() -> None:
    known = {code for _, code in discord_codes()}

    assert [code for of in OF_LIST.values() for code in of.listed if code not in known] == []


@pytest.mark.parametrize("codes", [slack.codes, *OF_LIST.values()])
def test_only_a_permission_that_is_listed_or_restricted_is_fatal_by_a_word(codes: Codes) -> None:
    by_word = [
        f"{word}_x x_{word} x_{word}_x".split() for word in ("cannot", "cant", "denied", "not_allowed", "is_not")
    ]
    meanings = [codes.meaning_of(code) for forms in by_word for code in forms]

    assert not any(meaning is not None and (meaning.cls.fatal and meaning.fatal is not False) for meaning in meanings)
