"""The names that a report lists, and the values that a schema allows, nearest to what was sent first.

A model often takes the first name of a list. The names of a report are foreign and stay within its quotation; only their
order is ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from mulligan.lazy import lazy_pattern
from mulligan.pointers import value_at
from mulligan.repair.reported_names import PRINTED_BY_GO
from mulligan.untrusted.objects import call_safely

if TYPE_CHECKING:
    from mulligan.errors import ToolError

_START = lazy_pattern(r":\s+|[(\[]\s?|(?<!\w)(?<!, )(?<!,)(?=['\"`])")  # where a list may begin
_BULLETED = lazy_pattern(r"(?m)^[ \t]*[-*•] (\S{1,40}(?: \S{1,40})?)$")
_UNUSABLE = lazy_pattern(  # what stands before a list of names that are not to be chosen, or of no names
    r"(?i:\b(?:not?|never|forbidden|prohibited|unavailable|deleted|removed|reserved|occupied|missing|used|taken|locked|disabled|"
    r"blocked|banned|excluded|invalid|required|duplicate)\b[^.,:;\n]{0,40}[:(\[]?\s*$)|\b(?:IN|VALUES|INTO\s+\S+|SELECT)\s*[(:]?\s*$"
)
_NAME = lazy_pattern(
    r"(?:and\s+|or\s+)?('[^'\n]{1,60}'|\"[^\"\n]{1,60}\"|`[^`\n]{1,60}`|[^\s,;:'\"`()\[\]{}<>=][^,;:'\"`()\[\]{}<>=\n]{0,80})"
    r"(?:\s?\((?!['\"])([^():,\n]{1,60})\))?\s*"  # a remark: `gra-1 (Graz), lnz-1 (Linz)`
)
_BETWEEN = lazy_pattern(r",\s*|(?=(?:and|or)\s)")
_END = lazy_pattern(r"[)\];?\n'\"]|\.(?:\s|$)|$")
_AND = lazy_pattern(r"\s+(?:and|or)\s+")
_SENTENCE = lazy_pattern(  # words of a sentence, which no name contains
    r"(?i)\b(?:is|are|was|were|be|been|not|no|the|must|has|have|had|can|cannot|could|should|will|would|does|did|because|"
    r"this|that|you|your|it)\b|^(?:use|try|please|see|got|expected|received)\b"
)
_BEFORE, _MOST_SENT, _LONGEST_SENT, _FEWEST_LISTED = 60, 8, 100, 2
_MOST_TEXT, _MOST_STARTS, _MOST_LISTED, _MOST_WORDS, _MOST_SHOWN = 4_000, 50, 200, 5, 8
_NEAR, _LEAD, _EXPLAINED = 0.5, 0.05, 0.9
_MARKS = "'\"`"
_SIGNS_OF_A_LIST = (",", "\n", "' or ", '" or ', ": [")


def nearest_first(error: ToolError, text: str, most: int) -> str:
    """The names that a report lists, the nearest first, for a line of the quotation.

    Empty if it lists none, if none is near, or if the nearest is the first already, unless only the remark behind it is
    near: of `k-7 (Tomatoes), k-9 (Beans)`, a model that wants tomatoes takes the remark.

    Args:
        error: the classified error, which says what was sent.
        text: the report, redacted and clean.
        most: the maximum number of characters.
    """
    scores = _scores(error, text)
    ordered = _order(scores) or (list(scores) if _is_first_by_remark(scores, error, text) else [])
    return _joined(ordered, most) if ordered else ""


def lists_a_near_name(error: ToolError, text: str) -> bool:
    """Whether a report lists a name that is near to what was sent.

    Args:
        error: the classified error, which says what was sent.
        text: the report.
    """
    return max(_scores(error, text).values(), default=0.0) >= _NEAR


def _is_first_by_remark(scores: Mapping[str, float], error: ToolError, text: str) -> bool:
    """Whether the first name of a list is the nearest, and only by its remark."""
    if not scores:
        return False
    (first, best), *others = scores.items()
    if best < max([_NEAR, *(score + _LEAD for _, score in others)]):
        return False
    return _scores(error, text, explained=0.0)[first] < _NEAR


def _scores(error: ToolError, text: str, explained: float = _EXPLAINED) -> dict[str, float]:
    """How near each name that a report lists is to what was sent, in the order of the list; empty without a list.

    Args:
        error: the classified error, which says what was sent.
        text: the report.
        explained: how much it counts that a name is near with its remark.
    """
    if not any(map(text.__contains__, _SIGNS_OF_A_LIST)):
        return {}
    sent = list(islice(dict.fromkeys(_sent_names(error, text)), _MOST_SENT))
    listed = find_listed_names(text, sent)
    if not sent or len(listed) < _FEWEST_LISTED:
        return {}
    return {
        name: max(max(_nearness(one, name), explained * _nearness(one, f"{name} {remark}")) for one in sent)
        for name, remark in listed.items()
    }


def values_nearest_first(sent: str, allowed: Sequence[str]) -> list[str]:
    """The allowed values, those nearest to the one that was sent first; in their own order if none is near.

    Args:
        sent: the value as sent.
        allowed: the allowed values, in the order of the schema.
    """
    return _order({value: _nearness(sent, value) for value in allowed}) or list(allowed)


def _nearness(sent: str, name: str) -> float:
    """How near a name is to what was sent; 0 if it says the opposite, or more."""
    from mulligan.repair.names import turns_around
    from mulligan.resolve.similarity import nearness

    return 0.0 if turns_around(sent, name) else nearness(sent, name)


def _order(scores: Mapping[str, float]) -> list[str]:
    """The near names by their scores, then the others; empty if none is near, or if the nearest is the first already."""
    if not scores:
        return []
    ordered = sorted(scores, key=lambda name: scores[name] if scores[name] >= _NEAR else 0.0, reverse=True)
    best, first = scores[ordered[0]], scores[next(iter(scores))]
    return ordered if best >= max(_NEAR, first + _LEAD) else []


def _joined(names: list[str], most: int) -> str:
    """The first names, as many as fit on a line; one with a comma is in quotes."""
    shown: list[str] = []
    for name in names[:_MOST_SHOWN]:
        shown.append(f'"{name}"' if "," in name else name)
        if sum(map(len, shown)) + 2 * len(shown) > most:
            return ", ".join(shown[:-1])
    return ", ".join(shown)


def find_listed_names(text: str, sent: Sequence[str] = ()) -> dict[str, str]:
    """The names of the longest list in a text: after a colon, in brackets, in quotation marks, or one on each line.

    A list that contains what was sent, such as a command, lists no alternatives.

    Args:
        text: the report.
        sent: the names that were sent.

    Returns:
        for each name, in order, the remark in brackets after it, or an empty text.
    """
    text = text[:_MOST_TEXT]
    if "</" in text:  # a page
        return {}
    lists = [
        _read_list(text, found.end())
        for found in islice(_START.finditer(text), _MOST_STARTS)
        if _UNUSABLE.search(text[max(0, found.end() - _BEFORE) : found.end()]) is None
    ]
    lists += [dict.fromkeys(_BULLETED.findall(text), ""), *_printed_by_go(text)]
    return max((one for one in lists if not any(name in one for name in sent)), key=len, default={})


def _read_list(text: str, start: int) -> dict[str, str]:
    """The names of the list that begins at an index, with their remarks; none if one of them is no name."""
    found: list[tuple[str, str]] = []
    position: int | None = start
    while position is not None and len(found) < _MOST_LISTED and (match := _NAME.match(text, position)):
        found.append((match[1].strip(), match[2] or ""))
        end = match.end()
        between = _BETWEEN.match(text, end)
        position = between.end() if between else None
    if not found or position is not None or _END.match(text, end) is None:
        return {}
    last, remark = found.pop()
    parts = [last] if last[0] in _MARKS else _AND.split(last.rstrip("."))
    found += [(part, remark if part is parts[-1] else "") for part in parts]
    return (
        {part.strip(_MARKS).strip(): remark for part, remark in found if part}
        if all(map(_may_be_name, dict(found)))
        else {}
    )


def _printed_by_go(text: str) -> list[dict[str, str]]:
    return [dict.fromkeys(found[1].split(), "") for found in PRINTED_BY_GO.finditer(text)]


def _may_be_name(part: str) -> bool:
    """Whether a part is in quotation marks, one word, or a few of which the first is capitalized: no part of a sentence."""
    words = part.split()
    if part[:1] in _MARKS or len(words) == 1:
        return True
    return len(words) <= _MOST_WORDS and not part[0].islower() and _SENTENCE.search(part) is None


def _sent_names(error: ToolError, text: str) -> Iterator[str]:
    """What may have been sent for one of the names: the missing resource, or the texts of the argument that is blamed."""
    if error.resource is not None:
        yield error.resource
        return
    sent = error.arguments or {}
    blamed = [call_safely(partial(value_at, sent, problem.pointer)) for problem in error.problems]
    for one in _texts(blamed or [*sent.values()]):
        if one in text or blamed:
            yield one


def _texts(value: Any, depth: int = 8) -> Iterator[str]:
    """The texts in a value, and the names of members, such as those of the fields of a record."""
    if isinstance(value, str):
        if 0 < len(value) <= _LONGEST_SENT:
            yield value
    elif depth and isinstance(value, Mapping):
        yield from _texts([*value, *value.values()], depth - 1)
    elif depth and isinstance(value, (list, tuple)):
        for one in value[:_MOST_LISTED]:
            yield from _texts(one, depth - 1)
