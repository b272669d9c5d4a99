"""Every published code has a meaning, or a reason why it has none."""

import pathlib

import chromadb.errors
import redis.exceptions
from mulligan_stores import chroma, mongodb
from mulligan_stores import redis as rules_of_redis

FOLDER = pathlib.Path(__file__).parent / "published"


def published(name: str) -> list[list[str]]:
    lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def test_every_code_of_mongodb() -> None:
    numbers = [int(row[0]) for row in published("mongodb")]
    codes = mongodb.codes

    assert [one for one in numbers if codes.meaning_of(one) is None and one not in codes.skipped] == []
    assert set(codes.skipped) <= set(numbers)
    assert len(codes.skipped) <= len(numbers) / 10


def test_what_mongodb_retries_is_transient() -> None:
    retried = [int(row[0]) for row in published("mongodb") if "RetriableError" in "".join(row[2:])]
    meanings = {one: mongodb.codes.meaning_of(one) for one in retried}

    assert [
        one for one, meaning in meanings.items() if meaning and not (meaning.transient or meaning.cls.transient)
    ] == []


def test_every_class_of_chroma() -> None:
    classes = [
        name
        for name, one in vars(chromadb.errors).items()
        if isinstance(one, type) and issubclass(one, chromadb.errors.ChromaError)
    ]

    assert [name for name in classes if chroma.codes.meaning_of(name) is None] == ["ChromaError"]


def test_every_class_that_redis_makes_of_a_prefix() -> None:
    known = {name for name, one in vars(redis.exceptions).items() if isinstance(one, type)}
    prefixes = {
        one.__name__
        for one in vars(redis.exceptions).values()
        if isinstance(one, type) and issubclass(one, redis.exceptions.ResponseError)
    }

    assert len(known & set(rules_of_redis.PREFIX_OF_CLASS)) >= 15
    assert prefixes - set(rules_of_redis.PREFIX_OF_CLASS) <= {"ResponseError", "ModuleError"}
