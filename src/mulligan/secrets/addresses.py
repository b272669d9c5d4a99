"""Credentials in URLs: the user information between `scheme://` and the host (RFC 3986, section 3.2.1).

A URL may be part of text that was percent-encoded one or more times as a whole. The spelling of its two slashes
determines which spelling of `@`, `:` and `/` separates its parts. Every other spelling is data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_START = r"(?::|%(?:25){0,2}3[Aa])(?P<slash>\\?/|%(?:25){0,2}2[Ff])(?P=slash)"
_WEB = re.compile(r"(?:https?|wss?)\Z", re.IGNORECASE)
_PORT = r"(?:[1-9][0-9]{1,4})?"
_LONGEST_SCHEME = 8
_ENCODED_AT = "%(?:25){0,2}40"
_SPELLINGS: dict[int, _Spelling] = {}


class _Spelling(NamedTuple):
    """How the parts of a URL are separated at one depth of percent-encoding."""

    colon: re.Pattern[str]
    at: re.Pattern[str]
    after_authority: re.Pattern[str]
    after_address: re.Pattern[str]


def userinfo_spans(text: str) -> Iterator[tuple[int, int]]:
    """Find the user information of URLs in a text; the `git@` of Git over SSH does not count.

    A password may contain unescaped `/`, `?`, `#` and `@`. A URL with a password is therefore redacted up to its last
    `@`, which may hide the host but never exposes the end of a password.

    Args:
        text: foreign text of any length; the time taken is linear in it.
    """
    if "@" not in text and "%40" not in text and "2540" not in text:
        return
    starts = list(re.finditer(_START, text))
    following: dict[int, int] = {}
    spans = []
    for match in reversed(starts):
        depth = _depth(match["slash"])
        limit = following.get(depth, len(text))
        following[depth] = match.start()
        end = _userinfo_end(text, match, _spelling(depth), limit)
        if end is not None:
            spans.append((match.end(), end))
    yield from reversed(spans)


def password_of(address: str) -> tuple[str, ...]:
    """The password in a URL, as written and decoded; empty if there is none, or it equals the user name.

    Args:
        address: one URL, not percent-encoded as a whole.
    """
    start, end = next(userinfo_spans(address), (0, 0))
    user, _, password = address[start:end].partition(":")
    if not password or password == user:
        return ()
    from urllib.parse import unquote

    return tuple(dict.fromkeys((password, unquote(password))))


def _userinfo_end(text: str, start: re.Match[str], spelling: _Spelling, limit: int) -> int | None:
    begin = start.end()
    limit = _end(spelling.after_address, text, begin, limit)
    authority = _end(spelling.after_authority, text, begin, limit)
    colon = spelling.colon.search(text, begin, limit)
    sign = spelling.at
    last = _last(sign, text, begin, limit)
    if last is None:  # only part of the URL was encoded
        sign = re.compile(_ENCODED_AT)
        last = _last(sign, text, begin, limit)
    if last is None:
        return None
    at = _last(sign, text, begin, authority)
    if at is not None and (colon is None or colon.start() > at):
        return None if re.fullmatch("git", text[begin:at]) else at
    if at is None and (colon is None or colon.start() > authority or _is_host(text, start, colon, authority)):
        return None
    return last


def _is_host(text: str, start: re.Match[str], colon: re.Match[str], authority: int) -> bool:
    """Whether an authority without `@` is a host and port, not a user name and the beginning of a password."""
    if text.startswith("[", start.end()):
        return True
    is_web = _WEB.search(text[max(0, start.start() - _LONGEST_SCHEME) : start.start()]) is not None
    return is_web and re.fullmatch(_PORT, text[colon.end() : authority]) is not None


def _end(pattern: re.Pattern[str], text: str, begin: int, limit: int) -> int:
    found = pattern.search(text, begin, limit)
    return limit if found is None else found.start()


def _last(pattern: re.Pattern[str], text: str, begin: int, end: int) -> int | None:
    last = None
    for found in pattern.finditer(text, begin, end):
        last = found.start()
    return last


def _depth(slash: str) -> int:
    return slash.count("25") + 1 if slash[0] == "%" else 0


def _spelling(depth: int) -> _Spelling:
    known = _SPELLINGS.get(depth)
    if known is None:
        known = _SPELLINGS[depth] = _Spelling(*(re.compile(source) for source in separator_patterns(depth)))
    return known


def separator_patterns(depth: int) -> tuple[str, str, str, str]:
    """The patterns of the separators at one depth of percent-encoding: `:`, `@`, after the host, after the URL.

    Args:
        depth: how many times the whole URL was encoded.
    """
    ends = r"[\s\"<>`]|\\[\"']|(?<!\w)'|'(?!\w)"
    if not depth:
        return ":", "@", "[/?#]", ends
    percent = "%" + "25" * (depth - 1)
    return (
        f":|{percent}3[Aa]",
        f"@|{percent}40",
        f"[/?#]|{percent}(?:2[Ff]|3[Ff]|23)",
        f"{ends}|{percent}(?:2[027]|3[CcEe]|0[9AaDd])",
    )
