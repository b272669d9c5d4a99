"""Every published code has a meaning, or a reason why it has none."""

import pathlib

import pytest
from mulligan_crm import airtable, hubspot
from mulligan_crm import salesforce_codes as salesforce

from mulligan.plugin import Codes

FOLDER = pathlib.Path(__file__).parent / "published"
LISTS = {"salesforce": salesforce.codes, "airtable": airtable.codes}
FATAL = "STORAGE_LIMIT_EXCEEDED LICENSE_LIMIT_EXCEEDED INSUFFICIENT_CREDITS EXCEEDED_QUOTA".split()


def published(name: str) -> list[str]:
    lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    return [line.split("\t")[0] for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("name", LISTS)
def test_every_published_code(name: str) -> None:
    known, codes = LISTS[name], published(name)

    assert [code for code in codes if known.meaning_of(code) is None and code not in known.skipped] == []
    assert set(known.skipped) <= set(codes)
    assert len(known.skipped) <= len(codes) / 10


@pytest.mark.parametrize("name", LISTS)
def test_a_list_names_its_source(name: str) -> None:
    heads = [line.partition(":")[0] for line in (FOLDER / f"{name}.txt").read_text().splitlines()[:3]]

    assert heads == ["# source", "# version", "# date"]


@pytest.mark.parametrize("codes", [salesforce.codes, airtable.codes, hubspot.codes])
def test_nothing_is_fatal_by_a_word(codes: Codes) -> None:
    words = ("CANNOT", "DENIED", "NOT_ALLOWED", "LIMIT_EXCEEDED", "INVALID", "MISSING", "NOT_ENABLED", "UNAVAILABLE")
    by_word = [form for word in words for form in (f"{word}_X", f"X_{word}", f"X_{word}_X")]
    meanings = [codes.meaning_of(code) for code in by_word]

    assert not any(meaning is not None and meaning.cls.fatal and meaning.fatal is not False for meaning in meanings)


@pytest.mark.parametrize("code", FATAL)
def test_what_only_a_person_can_raise_ends_the_run(code: str) -> None:
    meaning = salesforce.codes.meaning_of(code)

    assert meaning is not None
    assert meaning.cls.fatal
