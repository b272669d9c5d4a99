"""A name that does not exist, replaced by the near one that the failure itself reports, as in `Did you mean app.py?`.

What is reported is foreign text, so only what looks like a name is taken from it, and only if it is near to what was sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mulligan.failures.resources import without_reports
from mulligan.foreign.facts import guarded
from mulligan.mending.choices import nearest

_NAME = re.compile(r"(?<![\w./@-])[\w@~./-]{1,128}(?<![./-])")
_PROPOSED = re.compile(
    r"(?:did you mean|do you mean|you may mean|similar to|similar(?=:)|similar \w{1,20}(?: is| are)?|"
    r"closest (?:is|match(?:es)?)|look like|"
    r"renamed to|moved to|use|try)[:\s]{1,4}[\"'`]?([\w@~./-]{1,128})(?<![./-])",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\b[\w+.-]{1,20}://[^\s\"'`<>]{1,2000}")
_NO_WORD = re.compile(r"^\W+|\W+$")
_AROUND = "./-~@"
_BEFORE, _AFTER = frozenset(",;[(\"'`"), frozenset(",;])\"'`")
_ERRNO = re.compile(r"\[(?:Errno|WinError) \d{1,6}\]")
_KEY = re.compile(r"[\"']\w{1,60}[\"']\s{0,3}:")
_BREAK = re.compile(
    r"((?:[A-Za-z]:|\\)\\[^\s\"'<>|]*)|\\n"
)  # a line break that is escaped, but not within a path of Windows
_CODES = frozenset(("code", "status", "type", "reason", "kind", "category", "error_code", "errorCode", "error_type"))
_MOST_TEXT, _MOST_NAMES, _LONGEST = 2_000, 200, 200


class Named(NamedTuple):
    """Arguments with another name in the place of the one that does not exist.

    Attributes:
        arguments: the whole arguments.
        name: the other name.
    """

    arguments: dict[str, Any]
    name: str


def mend_name(missing: str, text: str, arguments: Mapping[str, Any]) -> Named | None:
    """The arguments with the near name that a text reports; None where it is not clear which, or where it belongs.

    Args:
        missing: the name that does not exist.
        text: what was reported.
        arguments: what was sent.
    """
    missing = missing.strip().rstrip(".:,;")
    name = _meant(missing, text[:_MOST_TEXT]) if _place(missing, arguments) is not None else None
    return None if name is None else put_name(missing, name, arguments)


def put_name(missing: str, name: str, arguments: Mapping[str, Any]) -> Named | None:
    """The arguments with another name in the place of a missing one; None where not exactly one argument holds it.

    Args:
        missing: the name that does not exist.
        name: the other name.
        arguments: what was sent.
    """
    place = _place(missing, arguments)
    if place is None:
        return None
    value = re.sub(_whole(missing), lambda _: name, arguments[place], count=1)
    return Named({**arguments, place: value}, name)


def _place(missing: str, arguments: Mapping[str, Any]) -> str | None:
    """The one argument that holds the missing name, once."""
    if not missing or len(missing) > _LONGEST:
        return None
    texts = {name: value[:10_000] for name, value in arguments.items() if isinstance(value, str) and missing in value}
    holding = [name for name, value in texts.items() if len(re.findall(_whole(missing), value)) == 1]
    return holding[0] if len(holding) == 1 else None


def _whole(name: str) -> str:
    return rf"(?<!\w){re.escape(name)}(?!\w)"


def _meant(missing: str, text: str) -> str | None:
    text = _said(text)
    proposed = _PROPOSED.search(text)
    found = _near(missing, [proposed[1]]) if proposed else None
    left = without_reports(_ERRNO.sub(" ", _ADDRESS.sub(" ", text)))
    return found or _near(missing, list(_names(left)))


def _said(text: str) -> str:
    """A text with what a body of JSON in it says, without the body's own keys and codes."""
    start = text.find("{")
    body = None if start < 0 else guarded(lambda: json.JSONDecoder().raw_decode(text[start:]))
    if body is not None:
        return "\n".join([text[:start], *_values(body[0]), text[start + body[1] :]])
    text = _KEY.sub(" ", text.replace('\\"', '"'))
    return _BREAK.sub(lambda found: found[0] if found[1] else " ", text)


def _values(part: Any, key: str = "") -> Iterator[str]:
    """The texts of a body, each as a line; a list is one line, and a name of its own is quoted."""
    if isinstance(part, Mapping):
        for name, inner in part.items():
            yield from _values(inner, str(name))
    elif isinstance(part, list) and part and all(isinstance(one, str) for one in part):
        yield f"{', '.join(part)},"
    elif isinstance(part, list):
        for inner in part:
            yield from _values(inner, key)
    elif isinstance(part, str) and key not in _CODES:
        yield part if " " in part else f'"{part}"'


def _near(missing: str, names: list[str]) -> str | None:
    """The one of several names that is near to the missing one; of paths the last steps are compared."""
    folder, slash, last = missing.rpartition("/")
    same = {missing, last, _NO_WORD.sub("", missing)}  # `div` is what is left of `div[[`
    others = [name for name in dict.fromkeys(names) if name.strip(_AROUND) not in same][:_MOST_NAMES]
    if not last.isdigit():  # `404` is a status, not the near name of `X-404`
        others = [name for name in others if not name.isdigit()]
    containing = [name for name in others if _contains(name, last)]
    by_last = {name.rpartition("/")[2]: name for name in reversed(others)}
    found = containing[0] if len(containing) == 1 else by_last.get(nearest(last, list(by_last)) or "")
    return f"{folder}/{found}" if found is not None and slash and "/" not in found else found


def _names(text: str) -> Iterator[str]:
    """What stands in a list or in quotation marks, or is no plain word, and so may be a name."""
    for found in _NAME.finditer(text):
        before, after = text[max(0, found.start() - 2) : found.start()], text[found.end() : found.end() + 1]
        if len(found[0]) > 1 and (not _BEFORE.isdisjoint(before) or after in _AFTER):
            yield found[0]


def _contains(name: str, part: str) -> bool:
    """Whether a name holds another as a whole part: `ORD-48121` holds `48121`, `unit_price` holds `price`."""
    return len(part) > 2 and re.search(rf"(?:^|[^a-zA-Z0-9]){re.escape(part)}(?:$|[^a-zA-Z0-9])", name) is not None
