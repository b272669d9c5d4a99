"""Detects returned values that report a failure: by their structure, never by one word. If in doubt, a value is a result.

What separates a failure from a result about failures: whether the value is the envelope of this very call or data inside
it, whether a result is next to the error, what the tool was asked for (`subject.py`), and whether the shape is one that a
protocol, service or library documents.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from mulligan.hookimpl import hookimpl

if TYPE_CHECKING:
    from mulligan.classify.failure import Failure
    from mulligan.tools import Tool

_PLAIN = frozenset({int, float, bool, type(None), set, frozenset})
# fmt: off
_HINTS = (  # of which every report of a failure has one, in lower case, unless it has a word of the next list
    "err", "ail", "not", "no ", "n't", "den", "lim", "tim", "val", "una", "unkn", "unsup", "bort", "orb", "eje", "pire",
    "http", "quot", "exc", "lock", "wron", "lread", "miss", "efus", "ancel", "hler", "sorr", "xit", "ould", "only", "conf",
    "fal", "fatal", "lleg", "insuf", "overl", "unfor", "kein", "xist", "rouv", "panic", "e0", "addrinfo", "violat",
    "ora-", "sqlstate", ", level ", "os {", ": ***", "nil value", "ncorr",
)
_HINT_WORDS = (
    "again|answered|before|between|busy|closed|crashed|down|else|ended|exceeds|expected|full|gone|has|insufficient|long|lost|must|need|"
    "needs|never|nobody|occupied|offline|oops|out|outage|outside|outdated|owned|please|provide|queue|required|requires|running|since|slow|sold|"
    "stop|stopped|stuck|taken|too|until|upgrade|used|wait|waiting|within|without|"
    "allerede|besoin|bereits|debe|demasiadas|demasiados|deve|doit|expirado|expiré|fout|geen|ikke|moet|muss|nicht|nie|niet|"
    "non|redan|schon|trop|viele|ya"
)
_FOREIGN_HINTS = (  # the same for texts with other letters than English ones
    "nie ", "niedo", "ungü", "fehl", "échou", "déj", "invál", "não", "inte ",
    "finns", "błąd", "не ", "ошиб", "нет ", "ocup", "agot",
    "måste", "já ", "già",
)
_UNSPACED_HINTS = (  # and for those in Chinese, Japanese and Korean
    "不", "未", "无", "错", "误", "失败", "超时", "拒", "已", "ません", "エラー", "失敗", "すでに", "없", "않", "오류", "실패",
)
# fmt: on
_NEAR, _FAR = 1_200, 5_000  # characters of a short text, and of the end of a long one
_FIRST_UNSPACED = "\u3000"
_BLANK = "[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"  # what `str.split` takes for one
_MARKUP = frozenset("{[<\ufeff")


@hookimpl(trylast=True)
def detect(value: Any, tool: Tool) -> Failure | None:
    """The failure that a text, a mapping, an MCP result or an HTTP response reports, or None."""
    if not may_report(value):  # asked again here: a plugin that implements the hook too is asked about every value
        return None
    from mulligan.classify.detect.values import find_failure  # twenty modules that most processes never need

    try:
        return find_failure(value, tool)
    except Exception:  # a value that cannot be read reports no failure
        return None


@cache
def _has_hint() -> Callable[[str], bool]:
    """Whether a text has a hint or begins like JSON or markup: every text that a tool returns is asked.

    A JSON Schema is an odd way to search a text, but the regular expressions of jsonschema-rs, which checks the arguments
    of every call anyhow, take a tenth of the time of Python's for a short text, and a twentieth for a long one.
    """
    import jsonschema_rs

    hints = "|".join(map(re.escape, _HINTS))
    words = f"(?:^|{_BLANK})(?:{_HINT_WORDS})[.,!:;]?(?:{_BLANK}|$)"
    schema = {"pattern": rf"(?i:^[{{\[<]|{hints}|{words})"}
    has_hint: Callable[[str], bool] = jsonschema_rs.Draft202012Validator(schema).is_valid
    return has_hint


def may_report(value: Any) -> bool:
    """Whether a value is worth a look: quick, since most values are results.

    Args:
        value: what a tool returned.
    """
    kind = type(value)
    if kind is not str:
        return kind not in _PLAIN
    if len(value) > _NEAR:
        return value[0] in _MARKUP or "Traceback (most recent" in value[-_FAR:] or "\tat " in value[:_FAR]
    if value.isascii():
        return _has_hint()(value)
    lowered = value.lower()
    hints = _UNSPACED_HINTS if max(lowered) > _FIRST_UNSPACED else _FOREIGN_HINTS
    return (
        any(hint in lowered for hint in hints)
        or lowered[0] in _MARKUP
        or _has_hint()(lowered.encode(errors="replace").decode())  # without lone surrogates
    )
