"""Every published code has a meaning, or a reason why it has none."""

import pathlib

import pytest
from mulligan_azure.codes import codes, conditions, cosmos

from mulligan.plugin import Codes

PUBLISHED = pathlib.Path(__file__).parent / "published" / "azure.txt"
ROWS = [line.split("\t") for line in PUBLISHED.read_text().splitlines() if line and not line.startswith("#")]
OF_KIND = {
    "StorageErrorCode": codes,
    "TableErrorCode": codes,
    "SubStatusCodes": cosmos,
    "ErrorCondition": conditions,
    "": conditions,
}
SAYS_SO = """
    Authentication Authorization Permission Unauthorized Disabled unauthorized auth- Quota Limit limit Count 5300
""".split()


def published(kind: str) -> set[str]:
    return {row[0] for row in ROWS if (row[2] if len(row) > 2 else "") == kind}


@pytest.mark.parametrize(("kind", "of"), OF_KIND.items())
def test_every_code(kind: str, of: Codes) -> None:
    names = published(kind)
    unknown = {name for name in names if of.meaning_of(name) is None}

    assert names
    assert unknown <= {str(code) for code in of.skipped}


def test_few_codes_are_skipped() -> None:
    skipped = [name for of in (codes, cosmos, conditions) for name in of.skipped]

    assert len(skipped) <= len(ROWS) / 10


def test_what_is_fatal_says_so() -> None:
    found = [(row[0], OF_KIND[row[2] if len(row) > 2 else ""].meaning_of(row[0])) for row in ROWS]
    fatal = [code for code, meaning in found if meaning and meaning.cls.fatal and meaning.fatal is not False]

    quotas_of_cosmos = ["1005", "1010"]  # PROVISION_LIMIT_REACHED, SHARED_THROUGHPUT_DATABASE_QUOTA_EXCEEDED

    assert [code for code in fatal if not any(word in code for word in SAYS_SO)] == quotas_of_cosmos
