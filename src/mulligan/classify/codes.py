"""`Codes`: the error codes of one service, as a table of what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Unpack

from mulligan.classify import meanings as m
from mulligan.classify.failure import Failure
from mulligan.errors import ErrorFields, ToolError, UsageError

Code = str | int
Listed = str | int | range | Iterable[int | range]
_LONGEST_CODE, _MOST_CACHED, _LONGEST_NUMBER = 200, 2_000, 12


class Codes:
    """The error codes of a service, each with its meaning.

        codes = Codes(
            {
                meanings.AUTHENTICATION: "invalid_auth token_revoked",
                meanings.NOT_FOUND: range(10_000, 20_000),
            },
            words=[(meanings.NOT_FOUND, "_not_found$")],
            skipped={"these end a dialog, never a call": "dialog_closed"},
        )
        error = codes.error(failure, "token_revoked", service="Acme")

    A code that is listed means what the table says. Any other code means what the first pattern says that is found in
    it. A code without either has no meaning: there is no catch-all, so that a rule abstains and mulligan's own rules
    are asked.

    Args:
        table: codes by meaning: names separated by blanks, or numbers and ranges. A number that is listed alone counts
            before a range that holds it.
        words: pairs of a meaning and a pattern that is searched in other codes, in order; anchor it with `^` and `$`
            if it is to match whole codes.
        skipped: codes that deliberately have no meaning, by reason.

    Raises:
        UsageError: a code is listed twice, a pattern is invalid, or a key is not a `Meaning`; names the culprit.

    Attributes:
        listed: the meaning of each listed code, without ranges.
        skipped: the reason for each skipped code.
    """

    __slots__ = ("_cached", "_ranges", "_words", "listed", "skipped")
    listed: Mapping[Code, m.Meaning]
    skipped: Mapping[Code, str]
    _ranges: tuple[tuple[range, m.Meaning], ...]
    _words: tuple[tuple[re.Pattern[str], m.Meaning], ...]
    _cached: dict[Code, m.Meaning | None]

    def __init__(
        self,
        table: Mapping[m.Meaning, Listed],
        *,
        words: Sequence[tuple[m.Meaning, str]] = (),
        skipped: Mapping[str, Listed] | None = None,
    ) -> None:
        listed: dict[Code, m.Meaning] = {}
        ranges: list[tuple[range, m.Meaning]] = []
        for meaning, codes in table.items():
            for code in _codes_in(codes, _checked(meaning, codes)):
                if isinstance(code, range):
                    ranges.append((_apart(code, ranges), meaning))
                elif code in listed:
                    raise UsageError(f"Codes: the code {code!r} is listed twice; keep one")
                else:
                    listed[code] = meaning
        reasons: dict[Code, str] = {}
        for reason, codes in (skipped or {}).items():
            for code in _codes_in(codes, f"skipped for {reason!r}"):
                if isinstance(code, range):
                    raise UsageError(f"Codes: {code!r} is skipped, but only single codes can be; list them")
                if code in listed or code in reasons:
                    raise UsageError(f"Codes: the skipped code {code!r} is listed twice; keep one")
                reasons[code] = reason
        set_ = object.__setattr__
        set_(self, "listed", MappingProxyType(listed))
        set_(self, "skipped", MappingProxyType(reasons))
        set_(self, "_ranges", tuple(ranges))
        set_(
            self,
            "_words",
            tuple((_compiled(pattern), meaning) for meaning, pattern in words if _checked(meaning, pattern)),
        )
        set_(self, "_cached", {})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Codes cannot be changed: {name}")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def meaning_of(self, code: object) -> m.Meaning | None:
        """The meaning of a code: the listed one, else that of the first pattern found in it, else None.

        Args:
            code: a text or a number; anything else has no meaning. A text of digits is read as the number that it
                writes if the text itself is not listed.
        """
        if type(code) is not str:
            return self._meaning_of_number(code) if type(code) is int else None
        listed = self.listed.get(code)
        if listed is not None or code in self.skipped:
            return listed
        if len(code) > _LONGEST_CODE:
            return None
        if len(code) <= _LONGEST_NUMBER and code.isascii() and code.isdecimal():
            return self._meaning_of_number(int(code))
        if code not in self._cached:
            if len(self._cached) >= _MOST_CACHED:
                self._cached.clear()
            self._cached[code] = next((meaning for pattern, meaning in self._words if pattern.search(code)), None)
        return self._cached.get(code)

    def _meaning_of_number(self, code: int) -> m.Meaning | None:
        known = self.listed.get(code)
        if known is not None or code in self.skipped:
            return known
        return next((meaning for numbers, meaning in self._ranges if code in numbers), None)

    def error(
        self, failure: Failure, code: object, /, *, service: str, **fields: Unpack[ErrorFields]
    ) -> ToolError | None:
        """The error for a code. Its message names the service and the code.

        It has the resource, wait and problems that the failure reports, as `meanings.error_of` reads them.

        Args:
            failure: the failure to classify.
            code: the service's own code.
            service: the name of the service, as it appears in sentences.
            fields: attributes of the error; they override those read from the failure.

        Returns:
            The error, or None if the code has no meaning.
        """
        meaning = self.meaning_of(code)
        return None if meaning is None else m.error_of(failure, meaning, service=service, told=code, **fields)


def _checked(meaning: object, codes: object) -> str:
    if not isinstance(meaning, m.Meaning):
        raise UsageError(
            f"Codes: {meaning!r:.80} is not a Meaning, but is one for {codes!r:.80}; use one of mulligan.plugin.meanings, "
            "or one of your own: meanings.CONFLICT._replace(message=...)"
        )
    return meaning.message


def _codes_in(codes: Listed, place: str) -> Iterator[Code | range]:
    if isinstance(codes, str):
        yield from codes.split()
        return
    several: Iterable[object] = (codes,) if isinstance(codes, (int, range)) else codes
    if not isinstance(several, Iterable):
        raise UsageError(f"Codes: {codes!r:.80} ({place}) is neither text nor numbers")
    for one in several:
        if isinstance(one, bool) or not isinstance(one, (int, range)):
            raise UsageError(f"Codes: {one!r:.80} ({place}) is neither a number nor a range; write names as one text")
        yield one


def _apart(numbers: range, others: list[tuple[range, m.Meaning]]) -> range:
    for other, _ in others:
        if numbers and other and numbers[0] <= other[-1] and other[0] <= numbers[-1]:
            raise UsageError(f"Codes: {numbers!r} and {other!r} overlap; a number has one meaning")
    return numbers


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, TypeError) as error:
        raise UsageError(f"Codes: the pattern {pattern!r:.200} is invalid: {error}") from None
