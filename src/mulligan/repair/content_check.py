"""Check that JSON read from malformed text has the same content: nothing added, dropped or moved."""

from __future__ import annotations

import json
import re

from mulligan.repair.json_tokens import IDENTIFIER, language_of, read_quoted, tokenize

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|“[^”]*”""", re.DOTALL)
_BARE = re.compile(r"""[^\s{}\[\],:"'“”]+""")
_SPACE = re.compile(r"\s*")
_END = re.compile(r"\s*(?:[,:}\]]|$)")
_END_OF_BARE = re.compile(r"\s*[,}\]]")
_WORDS = re.compile(r"(?:[^\W\d]|[./~])[\w./@-]*(?: [\w./@-]+)*")
_NO_WORDS = frozenset(("undefined", "nan", "infinity", "nil", "null", "none", "true", "false", "void"))
_PLACEHOLDER = re.compile(r"[.…]*")
_INNER_QUOTE = re.compile(
    r"\w(?:[\w ,.!?-]*\w)?"
)  # text inside unescaped quotes; a programming operator does not match
_PAIRS = {"{": "}", "[": "]"}
_CLOSING = ("}", "]")
_EMPTY = 2  # `{}`: an extra bracket after it may close an object whose beginning is lost
_CONSTANTS = {"true": "True", "false": "False", "null": "None"}


def preserves_content(text: str, json_text: str, *, read_only: bool) -> bool:
    """Whether JSON has exactly the content of the text it was read from.

    Every key and value occurs in the text, in the same order and between the same brackets. The text may otherwise
    contain only extra commas and an extra closing bracket. For read-only tools, closing brackets may also be missing.

    Args:
        text: the text as sent.
        json_text: the JSON it was read as.
        read_only: whether the tool is read-only. For other tools every string must be quoted, since a bare word may be
            the name of a variable.
    """
    return _Comparison(text, read_only=read_only).matches(_TOKEN.findall(json_text))


class _Comparison:
    """Looks up the tokens of a JSON text in another text, one after the other."""

    def __init__(self, text: str, *, read_only: bool) -> None:
        self._text = text
        self._position = 0
        self._read_only = read_only
        self._language = language_of(tokenize(text))
        self._open_brackets: list[str] = []

    def matches(self, tokens: list[str]) -> bool:
        before = ""
        for index, token in enumerate(tokens):
            self._skip_space()
            if self._position == len(self._text):
                return self._read_only and all(other in _CLOSING for other in tokens[index:])
            after = tokens[index + 1] if index + 1 < len(tokens) else ""
            if not self._consume_token(token, before, after):
                return False
            before = token
        rest = self._text[self._position :].strip()
        return not rest or (not rest.replace("}", "").strip() and len(tokens) > _EMPTY)

    def _consume_token(self, part: str, before: str, after: str) -> bool:
        if part in _PAIRS:
            self._open_brackets.append(_PAIRS[part])
            return self._consume(part)
        if part in _CLOSING:
            self._open_brackets.pop()
            if before not in _PAIRS:
                self._consume_commas(part)
            return self._consume(part)
        if part == ",":
            return (
                self._consume_commas(self._open_brackets[-1])
                or self._open_brackets[-1] == "}"
                or (before == "}" and after == "{")
            )
        if part == ":":
            return self._consume(part)
        return (
            self._consume_string(json.loads(part), is_key=after == ":") if part[0] == '"' else self._consume_word(part)
        )

    def _skip_space(self) -> None:
        space = _SPACE.match(self._text, self._position)
        self._position = space.end() if space else self._position

    def _consume(self, mark: str) -> bool:
        self._skip_space()
        is_next = self._text.startswith(mark, self._position)
        self._position += len(mark) if is_next else 0
        return is_next

    def _consume_commas(self, closing: str) -> bool:
        """Consume one comma, or several inside an object; in a list, repeated commas would mean a missing item."""
        has_one = self._consume(",")
        while has_one and closing == "}" and self._consume(","):
            pass
        return has_one

    def _consume_word(self, token: str) -> bool:
        found = _BARE.match(self._text, self._position)
        if found is None or found[0] not in (token, _CONSTANTS.get(token)):
            return False
        self._position = found.end()
        return True

    def _consume_string(self, value: str, *, is_key: bool) -> bool:
        quoted = _QUOTED.match(self._text, self._position)
        if quoted is not None and read_quoted(quoted[0], self._language) == value:
            end = quoted.end()
        elif is_key or not self._read_only:
            found = _BARE.match(self._text, self._position) if is_key else None
            if found is None or found[0] != value or not IDENTIFIER.fullmatch(value):
                return False
            end = found.end()
        elif self._text[self._position] in "\"'":
            end = self._position + len(value) + 2
            if not self._is_quoted_twice(value, self._text[self._position]):
                return False
        else:
            end = self._position + len(value)
            if not (
                self._text.startswith(value, self._position) and _is_word(value) and _END_OF_BARE.match(self._text, end)
            ):
                return False
        self._position = end
        return _END.match(self._text, end) is not None or quoted is not None

    def _is_quoted_twice(self, value: str, mark: str) -> bool:
        """Whether a quoted string contains words in the same quotes: `"say "hi" now"`, but not `"a" + "b"`."""
        if "\\" in value or not self._text.startswith(f"{mark}{value}{mark}", self._position):
            return False
        outside = value.split(mark)
        inside = outside[1::2]
        if len(outside) % 2 == 0 or not all(map(_INNER_QUOTE.fullmatch, inside)):
            return False
        return all(not part or part[0].isspace() for part in outside[2::2]) and outside[0][-1:].isspace()


def _is_word(value: str) -> bool:
    """Whether bare text is one or more plain words, not a placeholder or a constant."""
    is_plain = _WORDS.fullmatch(value) is not None and not _PLACEHOLDER.fullmatch(value)
    return is_plain and _NO_WORDS.isdisjoint(value.casefold().split())
