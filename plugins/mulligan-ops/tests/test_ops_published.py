"""Every published reason of Kubernetes has a meaning, or a reason why it has none."""

import pathlib

from mulligan_ops.kubernetes import codes

PUBLISHED = pathlib.Path(__file__).parent / "published" / "kubernetes.txt"


def lines() -> tuple[dict[str, str], dict[str, int]]:
    """The head of the list (source, version, date), and each reason with its HTTP status."""
    written = PUBLISHED.read_text().splitlines()
    head = dict(line[2:].split(": ", 1) for line in written if line.startswith("# "))
    return head, {name: int(status) for name, status in (line.split("\t") for line in written if line[:1] != "#")}


def test_every_reason_of_kubernetes() -> None:
    _, reasons = lines()

    assert [name for name in reasons if codes.meaning_of(name) is None and name not in codes.skipped] == []
    assert set(codes.listed) | set(codes.skipped) <= set(reasons)
    assert len(codes.skipped) <= len(reasons) / 10


def test_the_list_says_where_it_comes_from() -> None:
    head, reasons = lines()

    assert list(head) == ["source", "version", "date"]
    assert len(reasons) > 15


def test_only_the_reasons_that_say_so_are_fatal() -> None:
    fatal = {name for name, meaning in codes.listed.items() if meaning.cls.fatal and meaning.fatal is not False}

    assert fatal == {"Forbidden", "Unauthorized"}
