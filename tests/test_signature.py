"""Functions as tools: their parameters, their docstrings, and what is refused."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pytest

from mulligan import Pipeline, Tool
from mulligan.errors import UsageError
from mulligan.validate.signature import (
    Injected,
    check_signature,
    is_injected,
    read_description,
    read_injected,
    read_parameters,
    visible_parameter_names,
)

if TYPE_CHECKING:
    from nowhere import Missing


class Color(Enum):
    RED = "red"


@dataclass
class Place:
    """A place."""

    name: str


class Database:
    pass


EXPECTED = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "default": 10}},
    "required": ["path"],
    "additionalProperties": False,
}


def plain(path: str, limit: int = 10) -> Missing:
    return path[:limit]


def keyword_only(path: str, *, limit: int = 10) -> str:
    return path[:limit]


async def coroutine(path: str, limit: int = 10) -> str:
    return path[:limit]


def generator(path: str, limit: int = 10) -> Iterator[str]:
    yield path[:limit]


async def async_generator(path: str, limit: int = 10) -> AsyncIterator[str]:
    yield path[:limit]


@functools.wraps(plain)
def wrapped(*args: Any, **kwargs: Any) -> Any:
    return plain(*args, **kwargs)


@functools.lru_cache
def cached(path: str, limit: int = 10) -> str:
    """Read a file."""
    return path[:limit]


def with_more(path: str, database: Database, limit: int = 10) -> str:
    return path[:limit]


class Reader:
    """Reads."""

    def method(self, path: str, limit: int = 10) -> str:
        return path[:limit]

    @classmethod
    def of_class(cls, path: str, limit: int = 10) -> str:
        return path[:limit]

    @staticmethod
    def static(path: str, limit: int = 10) -> str:
        return path[:limit]

    def __call__(self, path: str, limit: int = 10) -> str:
        return path[:limit]


class Constructed:
    """Make one."""

    def __init__(self, path: str, limit: int = 10) -> None:
        self.path = path[:limit]


FUNCTIONS = [
    plain,
    keyword_only,
    coroutine,
    generator,
    async_generator,
    wrapped,
    cached,
    Reader().method,
    Reader.of_class,
    Reader.static,
    Reader(),
    Constructed,
    functools.partial(with_more, database=Database()),
    functools.partial(functools.partial(Reader.method, Reader())),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: getattr(function, "__name__", repr(function))[:20])
def test_every_kind_of_function(function: Callable[..., Any]) -> None:
    check_signature(function)
    assert read_parameters(function).schema == EXPECTED


def test_no_parameters() -> None:
    def now() -> str:
        return "now"

    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    assert read_parameters(now) == (schema, {}, None, False)


GOOGLE = """Search the index.

Finds whole words only.

Args:
    query: What to look for,
        in words.
    limit (int): At most so many. Defaults to 10.

Returns:
    The matches.

Raises:
    ValueError: never
"""
NUMPY = """Search the index.

Finds whole words only.

Parameters
----------
query : str
    What to look for,
    in words.
limit : int
    At most so many. Defaults to 10.

Returns
-------
list
    The matches.
"""
SPHINX = """Search the index.

Finds whole words only.

:param query: What to look for,
    in words.
:param int limit: At most so many. Defaults to 10.
:returns: The matches.
"""


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_docstring_styles(docstring: str) -> None:
    def search(query: str, limit: int = 10) -> list[str]:
        return [query] * limit

    search.__doc__ = docstring
    assert read_description(search) == "Search the index.\n\nFinds whole words only."
    properties = read_parameters(search).schema["properties"]
    assert properties["query"]["description"] == "What to look for,\nin words."
    assert properties["limit"]["description"] == "At most so many. Defaults to 10."


def test_annotated_text_comes_before_the_docstring() -> None:
    def search(query: Annotated[str, "from the annotation"], place: Place) -> None:
        """Search.

        Args:
            query: from the docstring
            place: where to look
        """

    properties = read_parameters(search).schema["properties"]
    assert properties["query"]["description"] == "from the annotation"
    assert properties["place"]["description"] == "where to look"


def test_description_without_sections_is_kept_whole() -> None:
    def odd() -> None:
        """Do this: and that.

        Note: the colon is no section.
            - one
        """

    assert read_description(odd) == "Do this: and that.\n\nNote: the colon is no section.\n    - one"


def test_description_of_what_has_no_docstring() -> None:
    assert read_description(plain) == ""


def test_description_that_no_style_can_read_is_kept() -> None:
    def odd() -> None:
        """- a ----------
        :: :
        :
        :raises
        """

    assert read_description(odd) == "- a ----------\n:: :\n:\n:raises"


def test_description_is_that_of_what_runs() -> None:
    def greet(name: str) -> str:
        """Greet somebody."""
        return name

    assert read_description(functools.partial(greet, name="x")) == "Greet somebody."
    assert read_description(cached) == "Read a file."
    assert read_description(Reader()) == "Reads."
    assert read_description(Constructed) == "Make one."


def test_defaults_that_json_can_show() -> None:
    def many(
        color: Color = Color.RED,
        day: date = date(2026, 11, 21),
        path: Path = Path("a/b"),
        price: Decimal = Decimal("1.50"),
        pair: tuple[int, Color] = (1, Color.RED),
        table: dict[str, Any] = {"a": [None, 1.5]},  # noqa: B006
        nothing: int | None = None,
    ) -> None:
        pass

    parameters = read_parameters(many)
    assert {name: part["default"] for name, part in parameters.schema["properties"].items()} == {
        "color": "red",
        "day": "2026-11-21",
        "path": "a/b",
        "price": "1.50",
        "pair": [1, "red"],
        "table": {"a": [None, 1.5]},
        "nothing": None,
    }


def test_defaults_that_json_cannot_show_only_make_it_optional() -> None:
    def many(
        wait: timedelta = timedelta(0),
        place: Place = Place("x"),  # noqa: B008
        limit: float = float("inf"),
        places: list[Any] = [Place("x")],  # noqa: B006, B008
        table: dict[str, Any] = {"a": Place("x")},  # noqa: B006, B008
        implicit: int = None,  # noqa: RUF013
    ) -> None:
        pass

    schema = read_parameters(many).schema
    assert schema["required"] == []
    assert not any("default" in part for part in schema["properties"].values())


def test_injected_parameters_are_hidden() -> None:
    def query(
        sql: str,
        database: Injected[Database],
        maybe: Injected[Database] | None = None,
        noted: Annotated[Injected[Database], "the second"] = None,
    ) -> None:
        """Run a query.

        Args:
            sql: the text
            database: not for the model
        """

    parameters = read_parameters(query)
    assert list(parameters.schema["properties"]) == ["sql"]
    assert parameters.schema["required"] == ["sql"]
    assert parameters.injected == {
        "database": Database,
        "maybe": Database | None,
        "noted": Annotated[Database, "the second"],
    }
    assert read_injected(query) == parameters.injected
    assert visible_parameter_names(query) == ["sql"]
    assert parameters.structure is None


def test_is_injected() -> None:
    assert is_injected(Injected[Database])
    assert is_injected(Annotated[Injected[Database], "doc"])
    assert is_injected(Injected[Database] | None)
    assert not is_injected(Database)
    assert not is_injected(Annotated[Database, "Injected"])
    assert not is_injected(list[Injected[Database]])
    assert repr(Injected[Database]).endswith("Database, Injected]")


def star(*paths: str) -> None: ...
def double_star(**options: str) -> None: ...
def positional(path: str, /) -> None: ...
def unannotated(path: str, limit=10) -> None: ...
def unresolvable(path: str, thing: Missing) -> None: ...
def unsupported(path: str, database: Database) -> None: ...
def nested(place: dict[str, list[Bad]]) -> None: ...


@dataclass
class Bad:
    database: Database


CHECKED = [
    (star, "star: *paths has no parameter names for a model to use. Declare a parameter such as `paths: list[str]`"),
    (
        double_star,
        "double_star: **options hides the names of its arguments. Make each one a parameter, or use Tool.from",
    ),
    (
        positional,
        "positional: the parameter 'path' is positional-only, but arguments are passed by name. Remove the `/`.",
    ),
    (unannotated, "unannotated: the parameter 'limit' has no annotation. Annotate it, as in `limit: str`."),
    (lambda path: path, "<lambda>: a lambda's parameters cannot be annotated. Write a function with `def`"),
    (Reader.method, "Reader.method: it is an unbound method with the parameter 'self'. Pass the bound method, as in"),
    (functools.partial(star), "star: *paths"),
    (
        dict.fromkeys,
        "fromkeys: it is not written in Python, so its parameters have no annotations. Write a function that calls it.",
    ),
    (min, "min: its signature cannot be read (no signature found for builtin <built-in function min>). Wrap it"),
]


@pytest.mark.parametrize(("function", "says"), CHECKED, ids=[says.partition(":")[0] for _, says in CHECKED])
def test_refused_at_registration(function: Callable[..., Any], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_signature(function)
    assert says in str(caught.value)
    with pytest.raises(UsageError):
        read_parameters(function)


READ = [
    (
        unresolvable,
        "unresolvable, parameter 'thing': the annotation 'Missing' cannot be resolved (name 'Missing' is not",
    ),
    (
        unresolvable,
        "Define or import its names at the top of the module, outside functions and `if TYPE_CHECKING:`.",
    ),
    (unsupported, "unsupported, parameter 'database': test_signature.Database has no JSON Schema: supported are str"),
    (unsupported, "annotate it as Injected[...] if it is not for the model, or write the schema yourself"),
    (nested, "nested, parameter 'place': field 'database' of Bad: "),
]


@pytest.mark.parametrize(("function", "says"), READ)
def test_refused_when_it_is_read(function: Callable[..., Any], says: str) -> None:
    check_signature(function)
    with pytest.raises(UsageError) as caught:
        read_parameters(function)
    assert says in str(caught.value)


def test_a_module_may_mean_something_else_by_str():
    from mulligan import Tool

    namespace = {"str": int}
    exec("def shout(text: 'str') -> None:\n    'Shout.'", namespace)
    assert Tool.from_function(namespace["shout"]).parameters["properties"]["text"] == {"type": "integer"}


def test_an_annotation_that_is_defined_later_counts_from_then_on() -> None:
    namespace: dict[str, Any] = {}
    exec("from __future__ import annotations\ndef later(place: Spot) -> str: return place", namespace)
    with pytest.raises(UsageError, match="Spot"):
        read_parameters(namespace["later"])
    namespace["Spot"] = str
    for _ in range(2):
        assert visible_parameter_names(namespace["later"]) == ["place"]
        assert read_parameters(namespace["later"]).schema["properties"] == {"place": {"type": "string"}}


def test_no_call_sees_what_another_put_into_a_default() -> None:
    def note(
        text: str,
        lines: list[str] = [],  # noqa: B006
        about: dict[str, list[int]] = {"seen": []},  # noqa: B006
        size: Color = Color.RED,
        pair: tuple[list[int], int] = ([], 1),
    ) -> str:
        """Note a text."""
        lines.append(text)
        about["seen"].append(len(lines))
        pair[0].append(1)
        return f"{lines} {about} {pair} {size.name}"

    note("by the program")
    tool = Tool.from_function(note)
    with Pipeline([tool], autoload=False) as pipeline:
        first, second = (pipeline.call("note", {"text": text}).content for text in "ab")
        assert first == "['by the program', 'a'] {'seen': [1, 2]} ([1, 1], 1) RED"
        assert second == first.replace("'a'", "'b'")
        assert pipeline.call("note", {"text": "c", "lines": ["sent"]}).content.startswith(
            "['sent', 'c'] {'seen': [1, 2]}"
        )
        assert list(tool.parameters["properties"]["lines"]["default"]) == ["by the program"]
    assert note("by the program") == ("['by the program', 'by the program'] {'seen': [1, 2]} ([1, 1], 1) RED")
