"""Extract names from a failure's text, as in `Did you mean app.py?`. The text is foreign: only what looks like a name counts.

A near spelling of the name that was sent may replace it in a call to a read-only tool. Any other name stays in the
quotation, and the model is asked to choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from mulligan.classify.resources import remove_missing_reports
from mulligan.repair.provenance import is_near_name, is_plain_identifier
from mulligan.untrusted.text import with_plain_quotes

_NAME = r"[\w@~./:-]{1,128}"
_IS_NAME = re.compile(_NAME)
_PROPOSED = re.compile(
    r"(?:did you mean|do you mean|you may mean|similar to|similar(?=:)|similar \w{1,20}(?: is| are)?|"
    r"(?:perhaps|maybe|probably) you meant(?: to reference)?(?: the)?(?: (?:column|table|relation|function|field))?|"
    rf"closest (?:is|match(?:es)?|existing|known|valid)|look like|renamed to|moved to)"
    rf"[:\s]{{1,4}}[\"'`]?({_NAME})(?![^\s\"'`,;?.!)\]])",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"([^\"]{1,400})\"|'([^']{1,400})'|`([^`]{1,400})`")
_LISTED = re.compile(  # `known: a, b`, `not one of a, b and c`
    r"(?::|\b(?:(?<!must not )(?<!cannot )(?<!may not )be|is not|isn't|expected) one of)"
    rf"\s{{1,4}}((?:{_NAME}\s*,\s*){{1,100}}(?:and\s|or\s)?{_NAME}(?:\s(?:and|or)\s{_NAME})?)"
)
_QUOTED_LIST = re.compile(  # not the keys and values of an object
    r"""(?:"[^"\n]{1,100}"|'[^'\n]{1,100}')"""
    r"""(?:,\s{1,4}(?:and\s|or\s)?(?:"[^"\n]{1,100}"|'[^'\n]{1,100}')(?!\s?:)){1,100}"""
)
_BRACKETED = re.compile(rf":\s{{0,4}}\[((?:{_NAME},\s{{0,4}}){{1,100}}{_NAME})\]")  # `value set: [A, B]`
PRINTED_BY_GO = re.compile(  # `known queries: [current_step items_left]`
    rf"\b(?:known|available|valid|allowed|existing|supported|possible|registered)(?: [\w-]{{1,30}}){{0,3}}: "
    rf"\[((?:{_NAME} ){{1,100}}{_NAME})\]",
    re.IGNORECASE,
)
_REMARK = re.compile(r"(?<=[\w'\"]) \((?!['\"])[^():\n]{1,60}\)(?=[,;.'\"\]]|\s*$)")  # `gra-1 (Graz), lnz-1 (Linz)`
_SEPARATOR = re.compile(r"\s*,\s*(?:and\s+|or\s+)?")
_AND_LAST = re.compile(r"\s(?:and|or)\s(\S+)$")
_TRAILING = ".:,;-/"
_DIGITS = re.compile(r"\d+")
_MOST_TYPOS = 2
_MOST_TEXT, _MOST_NAMES, _LONGEST = 2_000, 200, 200


def find_reported_names(text: str) -> list[str]:
    """Extract the possible names that a text proposes, quotes or lists, in order."""
    groups = _find_offered(text)
    groups += [
        next(filter(None, found.groups())) for found in _QUOTED.finditer(remove_missing_reports(_unescape_quotes(text)))
    ]
    return _split_names(groups)


def find_offered_names(text: str, missing: str | None = None) -> list[str]:
    """Extract the names that a text proposes or lists as alternatives; merely quoted text is ignored.

    A list that contains the missing name itself, such as a command, lists no alternatives.

    Args:
        text: the reported text.
        missing: the name that does not exist, or None.
    """
    return _split_names(group for group in _find_offered(text) if missing not in _split_names([group]))


def _unescape_quotes(text: str) -> str:
    return with_plain_quotes(text[:_MOST_TEXT]).replace('\\"', '"').replace("\\n", " ")  # as in a JSON body


def _find_offered(text: str) -> list[str]:
    text = _unescape_quotes(text)
    reported = _REMARK.sub("", remove_missing_reports(text))
    lists = (
        found[0] for found in _QUOTED_LIST.finditer(_REMARK.sub("", text))
    )  # no list: `('Not Found', 'No record')`
    quoted = [one.replace('"', "").replace("'", "") for one in lists if remove_missing_reports(one) == one]
    listed = (_AND_LAST.sub(r", \1", found[1]) for found in _LISTED.finditer(reported))
    names = [group for group in listed if not any(name.endswith(":") for name in _SEPARATOR.split(group))]
    bracketed = [found[1] for found in _BRACKETED.finditer(reported)]
    bracketed += [found[1].replace(" ", ",") for found in PRINTED_BY_GO.finditer(reported)]
    proposed = [found[1] for found in _PROPOSED.finditer(text)]
    return proposed + names + quoted + bracketed  # `code: 7, message: x` lists no names


def _split_names(groups: Iterable[str]) -> list[str]:
    names = (part.strip().rstrip(_TRAILING) for group in groups for part in _SEPARATOR.split(group))
    return [name for name in dict.fromkeys(names) if _IS_NAME.fullmatch(name)][:_MOST_NAMES]


def near_reported_names(missing: str, text: str) -> list[str]:
    """The plain names in a text that are near spellings of a missing one.

    If the text contains another similar word, that word is added, so that the choice is ambiguous.

    Args:
        missing: the name that does not exist.
        text: the reported text.
    """
    near = near_names(missing, filter(is_plain_identifier, find_reported_names(text)))
    known = {_last_step(name) for name in (missing, *near)}
    words = dict.fromkeys(word.strip(_TRAILING) for word in _IS_NAME.findall(text[:_MOST_TEXT]))
    others = [
        word for word in words if _last_step(word) not in known and _is_alike(_last_step(missing), _last_step(word))
    ]
    return near + others if len(near) == 1 else near


def _last_step(name: str) -> str:
    return name.rpartition("/")[2].casefold()


def _is_alike(one: str, other: str) -> bool:
    """Whether a name with the same digits may also be meant: it is within two typos, even in the first letter."""
    from mulligan.resolve.similarity import distance

    return _DIGITS.findall(one) == _DIGITS.findall(other) and distance(one, other, _MOST_TYPOS) <= _MOST_TYPOS


def near_names(missing: str, names: Iterable[str]) -> list[str]:
    """The names that are near spellings of a missing one; a name without a folder is placed in the missing name's folder.

    Args:
        missing: the name that does not exist.
        names: the existing names.
    """
    folder, slash, _ = missing.rpartition("/")
    full_names = (name if "/" in name or not slash else f"{folder}/{name}" for name in names)
    return [name for name in dict.fromkeys(full_names) if is_near_name(missing, name)]


def replace_name(missing: str, name: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Replace a missing name in the arguments with another one.

    Args:
        missing: the name that does not exist.
        name: the replacement.
        arguments: the arguments as sent.

    Returns:
        The argument that contained the name, and all arguments; None unless exactly one argument contains it once.
    """
    missing = missing.strip().rstrip(".:,;")
    if not missing or len(missing) > _LONGEST:
        return None
    whole = rf"(?<![\w-]){re.escape(missing)}(?![\w-])"
    texts = {key: value[:10_000] for key, value in arguments.items() if isinstance(value, str) and missing in value}
    holding = [key for key, value in texts.items() if len(re.findall(whole, value)) == 1]
    if len(texts) != 1 or len(holding) != 1:
        return None
    value = arguments[holding[0]]
    return holding[0], {**arguments, holding[0]: re.sub(whole, lambda _: name, value, count=1)}
