"""Check that a converted or renamed value still says exactly what was sent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any
from unicodedata import category, normalize

from mulligan.repair.schemas import SchemaResolver, is_formatted_text
from mulligan.repair.units import is_unit
from mulligan.resolve.words import canonical, is_restyled, split_words

if TYPE_CHECKING:
    from mulligan.tools import Tool

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
AMBIGUOUS_NUMBER = re.compile(r"[-+]?[1-9][0-9]{0,2}[.,][0-9]{3}")  # one thousand or one, depending on the locale
_SEPARATOR = re.compile(r"[\s,;|&*?]|\.\.|^!|(?<=\w)\+(?=\w)")
_RANGE = re.compile(r"\w*\d[-:]\d\w*")
_PATH = re.compile(r"(?:[A-Za-z]:|~|\.{1,2})?/.*|.*\.\w{1,5}")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://[^\s,;|]+|[^\s,;|&@/]+@[^\s,;|&@/]+", re.IGNORECASE)
_NO_ITEM = frozenset(
    ("", "null", "none", "nil", "undefined", "all", "any", "*")
)  # words for no value, or for all values
_NO_ITEM |= frozenset(("everyone", "everybody", "everything", "every", "each", "both", "anyone", "anything", "nothing"))
_LITERALS = {True: "true", False: "false"}
VALUE_KEYS = frozenset(("value", "values"))
_SHORTEST_WORD = 3
_ANY: Mapping[str, Any] = {}


class LosslessCheck:
    """Decides which conversions a tool may receive, without any loss or addition.

    Every tool may receive a number, boolean or JSON read from a string, and text read from a whole number. Tools that
    are not destructive may also receive a one-item list for a single value, the single value of such a list or of
    `{"value": ...}`, and arguments whose names differ only in case or separators or are declared aliases.

    Args:
        tool: the tool that would receive the arguments.
    """

    def __init__(self, tool: Tool) -> None:
        self._allows_types_only = bool(tool.destructive)
        self._aliases = tool.aliases
        self._schemas = SchemaResolver(tool.parameters)
        self._parameters = tool.parameters

    def is_same_object(self, sent: Mapping[str, Any], read: Mapping[str, Any], schema: Any = None) -> bool:
        """Whether two objects have the same content, member by member.

        Args:
            sent: the object as sent.
            read: the object it was read as.
            schema: the object's schema; by default, that of the tool's arguments.
        """
        schema = self._parameters if schema is None else schema
        others = [name for name in read if name not in sent]
        twins: frozenset[str] | None = None
        for name, value in sent.items():
            known = name
            if name not in read:
                twins = sent_twice(sent) if twins is None else twins
                renamed = None if name in twins else self._find_renamed(name, others)
                if renamed is None:
                    return False
                known = renamed
                others.remove(known)
            same = read[known]
            if value is not same and not self.is_same(value, same, self._schemas.member(schema, known)):
                return False
        return not others

    def is_same(self, sent: Any, read: Any, schema: Mapping[str, Any] = _ANY) -> bool:
        """Whether two JSON values have the same content.

        Args:
            sent: the value as sent.
            read: the value it was read as.
            schema: the value's schema.
        """
        if isinstance(sent, dict) and isinstance(read, dict):
            return self.is_same_object(sent, read, schema)
        if isinstance(sent, list) and isinstance(read, list):
            items = self._schemas.items(schema)
            is_split = len(sent) > 1 and any(map(is_wrapped, sent, read))
            return len(sent) == len(read) and not is_split and all(map(partial(self.is_same, schema=items), sent, read))
        if isinstance(sent, str):
            return self._is_same_text(sent, read, schema)
        if isinstance(sent, (list, dict)) and not isinstance(read, (list, dict)):
            inner = None if self._allows_types_only else _unwrap(sent)
            return inner is not None and self.is_same(inner, read, schema)
        if isinstance(read, list):
            is_one = not self._allows_types_only and len(read) == 1 and sent is not None
            return is_one and self.is_same(sent, read[0], self._schemas.items(schema))
        if isinstance(read, str):
            is_coded_text = any(map(is_formatted_text, self._schemas.options(schema)))
            return type(sent) is int and str(sent) == read and not is_coded_text
        if isinstance(sent, (int, float)) and isinstance(read, (int, float)):
            return isinstance(sent, bool) is isinstance(read, bool) and sent == read
        return type(sent) is type(read) and bool(sent == read)

    def _find_renamed(self, name: str, others: list[str]) -> str | None:
        """The one other name that an argument may have been sent under, or None if none or several match."""
        if self._allows_types_only:
            return None
        declared = [other for other in others if name in self._aliases.get(other, ())]
        alike = declared or [other for other in others if is_restyled_name(name, other)]
        return alike[0] if len(alike) == 1 else None

    def _is_same_text(self, sent: str, read: Any, schema: Mapping[str, Any]) -> bool:
        if isinstance(read, str):
            return sent == read
        if isinstance(read, bool):
            return sent.strip().casefold() == _LITERALS[read]
        if isinstance(read, (int, float)):
            number = sent.strip()
            is_number = _NUMBER.fullmatch(number) is not None and not AMBIGUOUS_NUMBER.fullmatch(number)
            return is_number and _is_same_number(Decimal(number), Decimal(repr(read)))
        if read is None:
            return not self._allows_types_only and sent == "null"
        parsed = parse_json(sent)
        if isinstance(parsed, (dict, list)) and type(parsed) is type(read):
            return self.is_same(parsed, read, schema)
        return self._is_single_item(sent, read, schema)

    def _is_single_item(self, sent: str, read: Any, schema: Mapping[str, Any]) -> bool:
        """Whether a list contains only the text that was sent, and the text cannot name several things."""
        if self._allows_types_only or not isinstance(read, list) or len(read) != 1:
            return False
        items = self._schemas.items(schema)
        if sent.strip().casefold() in _NO_ITEM or sent.lstrip().startswith(("[", "{")):
            return False
        return not may_be_list(sent, items) and self.is_same(sent, read[0], items)


def is_wrapped(sent: Any, read: Any) -> bool:
    """Whether a list was put around a value. Around each of several it is ambiguous: one row of two cells, or two rows?

    Args:
        sent: the value as sent.
        read: the value it was read as.
    """
    if not isinstance(read, list) or isinstance(sent, list):
        return False
    return not (isinstance(sent, str) and isinstance(parse_json(sent), list))


def _unwrap(wrapped: list[Any] | dict[str, Any]) -> Any:
    """The one value in a list, or in an object such as `{"value": 5}`; None if there is not exactly one."""
    if len(wrapped) != 1:
        return None
    if isinstance(wrapped, list):
        return wrapped[0]
    ((key, value),) = wrapped.items()
    return value if key in VALUE_KEYS else None


def _is_same_number(sent: Decimal, read: Decimal) -> bool:
    """Whether two numbers are equal in value and sign: `-0` is not `0`."""
    return sent == read and sent.is_signed() == read.is_signed()


def may_be_list(text: str, item: Mapping[str, Any]) -> bool:
    """Whether text may name several values, a range or a pattern; a path, an address or a known value counts as one.

    Args:
        text: the text sent for a list.
        item: the schema of a list item.
    """
    if text in item.get("enum", ()) or _ADDRESS.fullmatch(text):
        return False
    plain = normalize("NFKC", text)
    is_path = "/" not in plain or _PATH.fullmatch(plain)
    is_foreign = any(not sign.isascii() and category(sign) in ("Po", "Pd") for sign in text + plain)
    return bool(is_foreign or not is_path or _SEPARATOR.search(plain) or _RANGE.fullmatch(plain))


def parse_json(text: str, read_number: Callable[[str], Any] | None = None) -> Any:
    """Parse JSON text; None if it is invalid or repeats a key.

    Args:
        text: the text.
        read_number: reads numbers with a fraction or an exponent, NaN and infinity; its `ValueError` makes the text invalid.
    """

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key is given twice")
        return found

    try:
        return json.loads(text, object_pairs_hook=members, parse_float=read_number, parse_constant=read_number)
    except (ValueError, RecursionError):
        return None


def is_restyled_name(one: str, other: str) -> bool:
    """Whether two names of three or more letters differ only in style; `M` and `m` are different names.

    A separator that adds or removes a unit is more than style: `minus` is not `min_us`.
    """
    if not is_restyled(one, other) or len(canonical(one)) < _SHORTEST_WORD:
        return False
    return not any(map(is_unit, {*split_words(one)} ^ {*split_words(other)}))


def sent_twice(names: Iterable[str]) -> frozenset[str]:
    """The names that differ from another of the names only in style, so that their meaning is ambiguous."""
    known: dict[str, list[str]] = {}
    for name in names:
        known.setdefault(canonical(name), []).append(name)
    return frozenset(name for alike in known.values() if len(alike) > 1 for name in alike)
