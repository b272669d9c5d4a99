"""`Fault`, one fault of the corpus; and return values of tools: hostile ones, and documents that are not failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from mulligan.testing.faults.texts import ORDER, TEXTS

_FAILURE_VALUES: Mapping[str, Any] = {
    "an error of a wrong type": {"error": 17},
    "an error without a text": {"error": {}},
    "errors that are no list": {"errors": "many"},
    "errors of wrong types": {"errors": [None, 3, [], {"message": {"no": "text"}}]},
    "a status that is no number": {"ok": False, "status": "soon", "code": [1], "message": {"x": 1}},
    "a status beyond all bounds": {"ok": False, "status": 10**400},
    "a code that is not a number": {"ok": False, "code": float("nan")},
    "an error with an order": {"ok": False, "error": ORDER, "message": ORDER},
    "an error of a huge size": {"ok": False, "error": "x" * 500_000},
}


class Fault(NamedTuple):
    """One fault.

    Attributes:
        name: a short description, for test ids and assertion messages.
        make: creates a new exception, value or message.
    """

    name: str
    make: Callable[[], Any]

    def __str__(self) -> str:
        return self.name


class _RaisingMapping(Mapping[str, Any]):
    """A mapping of which nothing can be read."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no items for you")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no keys for you")

    def __len__(self) -> int:
        raise RuntimeError("no length for you")


class _RaisingDict(dict[str, Any]):
    """A dict whose methods raise."""

    def get(self, *_: Any) -> Any:
        raise RuntimeError("no items for you")

    items = keys = values = __contains__ = __getitem__ = get


class _Raising:
    """An object of which no attribute can be read."""

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__"):
            return super().__getattribute__(name)
        raise RuntimeError(f"no {name} for you")


class _Unwritable:
    """An object that cannot be shown, compared, counted or hashed."""

    def __repr__(self) -> str:
        raise RuntimeError("no text for you")

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compares with nothing")

    def __bool__(self) -> bool:
        raise RuntimeError("neither true nor false")

    def __len__(self) -> int:
        raise RuntimeError("of no length")


class Anything:
    """An object that has every attribute, item and method, and each of them is such an object again."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __getitem__(self, key: object) -> Any:
        return Anything()

    def __call__(self, *_: Any, **__: Any) -> Any:
        """One more of them."""
        return Anything()

    def __iter__(self) -> Iterator[Any]:
        return iter((Anything(), Anything()))

    def __str__(self) -> str:
        return ORDER


class Opaque:
    """An object of an unknown class."""

    def __repr__(self) -> str:
        return "<something opaque>"


def nested_lists(depth: int = 5_000) -> Any:
    """Nested lists.

    Args:
        depth: the number of lists.
    """
    value: Any = "the innermost"
    for _ in range(depth):
        value = [value]
    return value


def _cyclic_value() -> Any:
    value: dict[str, Any] = {"error": None}
    value["error"] = value
    return value


VALUES: tuple[Fault, ...] = (
    Fault("None", lambda: None),
    Fault("NaN", lambda: float("nan")),
    Fault("a huge number", lambda: 10**5_000),
    Fault("bytes that are no text", lambda: b"\xff\xfe\x00\x80"),
    Fault("an object", Opaque),
    Fault("an object that cannot be read", _Raising),
    Fault("an object that cannot be shown", _Unwritable),
    Fault("an object that has everything", Anything),
    Fault("a mapping that cannot be read", _RaisingMapping),
    Fault("a dict that cannot be read", lambda: _RaisingDict(error="x")),
    Fault("a value that holds itself", _cyclic_value),
    Fault("a deeply nested value", nested_lists),
    Fault("keys that are no texts", lambda: {None: 1, 3: 2, (1, 2): 3, b"error": 4}),
    Fault("a generator", lambda: (number for number in range(3))),
    Fault("a set", lambda: {1, 2}),
    *(Fault(name, partial(dict, value)) for name, value in _FAILURE_VALUES.items()),
    *(Fault(f"a text: {name}", partial(str, text)) for name, text in TEXTS.items()),
)
"""Values that tools return; reading them must not fail."""

RESULTS: tuple[Fault, ...] = (
    Fault("a document about errors", lambda: {"title": "Error handling in Go", "body": "An error is a value."}),
    Fault("rows of a log", lambda: {"rows": [{"level": "error", "error": "disk full", "status": 500}]}),
    Fault("a list of failures", lambda: [{"error": "one"}, {"error": "two"}]),
    Fault("no errors", lambda: {"errors": [], "data": {"id": 1}}),
    Fault("an empty error", lambda: {"error": None, "result": 3}),
    Fault("an error rate", lambda: {"error_rate": 0.25, "error_count": 3}),
    Fault("success", lambda: {"ok": True, "status": "success"}),
    Fault("a text about a failure", lambda: "The word error appears 404 times in this report."),
    Fault("a number", lambda: 404),
    Fault("a plain mapping", lambda: {"a": 1}),
)
"""Values that are results, also where they speak of errors."""
