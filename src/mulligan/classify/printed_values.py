"""Values as Python prints them, read like JSON: the `{'error': 'no such file'}` of a tool that says `return str(answer)`.

The text is never evaluated, since Python's own parser can be made to exhaust the stack. Source: the `repr` of the built-in
types, https://docs.python.org/3/library/functions.html#repr.
"""

from __future__ import annotations

import re

_BEGIN = re.compile(r"[\[(\s]{0,4}\{\s*'")
_TOKEN = re.compile(
    r"""(?<![\w\\])b?'(?:[^'\\]|\\.)*'|(?<![\w\\])b?"(?:[^"\\]|\\.)*"|\b(?:True|False|None|nan|inf)\b"""
    r"|(?<![\w.])[A-Za-z_][\w.]{0,80}\([^(){}]{0,400}\)|<[^<>{}\n]{0,200}>|\(|,?\)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\x([0-9a-f]{2})|\\(.)|\"", re.DOTALL)
_WORDS = {"True": "true", "False": "false", "None": "null", "nan": "null", "inf": "null", "(": "["}
_SAME_IN_JSON = frozenset('\\"nrtbfu')


def as_json(text: str) -> str:
    """A text that is a mapping as Python prints it, or a list of such, in JSON; any other text as it is.

    What JSON has no form for, such as `datetime.date(2026, 1, 2)` or `<Answer 3>`, becomes a string.

    Args:
        text: the text of a value.
    """
    return _TOKEN.sub(_token_in_json, text) if _BEGIN.match(text) else text


def _token_in_json(token: re.Match[str]) -> str:
    text = token[0]
    if text[-1] in "'\"":
        return f'"{_ESCAPE.sub(_escape_in_json, text.removeprefix("b")[1:-1])}"'
    if text in _WORDS:
        return _WORDS[text]
    return "]" if text in (")", ",)") else f'"{_ESCAPE.sub(_escape_in_json, text)}"'


def _escape_in_json(escape: re.Match[str]) -> str:
    if escape[1]:
        return rf"\u00{escape[1]}"
    if escape[2] is None:
        return r"\""
    return escape[0] if escape[2] in _SAME_IN_JSON else escape[2]
