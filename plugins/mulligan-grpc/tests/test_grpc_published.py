"""Every published status has a meaning, or a reason why it has none."""

import pathlib

from mulligan_grpc.codes import codes

PUBLISHED = pathlib.Path(__file__).parent / "published" / "grpc.txt"
NAMES = {line.split("\t")[0] for line in PUBLISHED.read_text().splitlines() if line and not line.startswith("#")}


def test_every_status() -> None:
    assert sorted(name for name in NAMES if codes.meaning_of(name) is None) == sorted(codes.skipped)
    assert len(codes.skipped) <= len(NAMES) / 10


def test_every_listed_status_is_published() -> None:
    assert set(codes.listed) <= NAMES
