"""Secret arguments in a call, both under their own names and where a model put them by mistake.

A misspelled name, a wrapper (`{"arguments": {...}}`) or JSON text inside a string must not expose a secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any
from unicodedata import normalize

from mulligan.secrets import REDACTED

_PAIR = r"(?P<name>[^\W\d][\w.-]{0,63})\\{0,8}[\"']?[ \t]{0,4}[:=][ \t]{0,4}(?P<open>\\{0,8}[\"'])?"
_BARE = r"[^\s,;&}\])\"'<>\\]{1,4096}"
_WORD = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\da-zA-Z_]+"
_MOST_ITEMS, _LONGEST_TEXT, _LONGEST_VALUE, _LONGEST_NAME = 10_000, 100_000, 4_096, 64
_SHORT_NAME = 5
_KINDS = ((bool, "boolean"), (str, "string"), (int, "number"), (float, "number"), (list, "array"), (Mapping, "object"))


class SecretNames:
    """Detects argument names that may be meant for secret arguments.

    Args:
        secret: the names of secret arguments.
        declared: the names of ordinary arguments, which never count as misspelled secret ones.
    """

    def __init__(self, secret: Collection[str], declared: Collection[str] = ()) -> None:
        self._forms = {_canonical(name) for name in secret} - {""}
        self._words = [words for name in secret if (words := _words(name))]
        self._declared = frozenset(declared).difference(secret)

    def __bool__(self) -> bool:
        return bool(self._forms)

    def may_be_secret(self, name: str) -> bool:
        """Whether a name matches a secret argument, allowing for style, one or two typos, or additional words.

        Args:
            name: a name that a model sent.
        """
        form = _canonical(name[:_LONGEST_NAME])
        if form in self._forms:
            return True
        if name in self._declared or not form:
            return False
        words = _words(name[:_LONGEST_NAME])
        return any(wanted <= words for wanted in self._words) or any(_is_near(form, known) for known in self._forms)

    def find_values(self, arguments: object) -> Iterator[object]:
        """Find the values under such names, at any depth, including in strings that contain JSON or `name=value`.

        Args:
            arguments: the arguments as sent, parsed or not.
        """
        waiting: list[Any] = [arguments]
        for _ in range(_MOST_ITEMS):
            if not waiting:
                break
            item = waiting.pop()
            if type(item) is dict:
                for name, value in item.items():
                    if type(name) is str and self.may_be_secret(name):
                        yield value
                    else:
                        waiting.append(value)
            elif type(item) is list:
                waiting.extend(item[:_MOST_ITEMS])
            elif type(item) is bytes:
                waiting.append(item[:_LONGEST_TEXT].decode("utf-8", "replace"))
            elif type(item) is str and (":" in item or "=" in item):
                read = _parse_json(item)
                if read is None:
                    yield from self._find_values_in_text(item[:_LONGEST_TEXT])
                else:
                    waiting.append(read)

    def _find_values_in_text(self, text: str) -> Iterator[str]:
        for pair in re.finditer(_PAIR, text):
            if self.may_be_secret(pair["name"]):
                start, quote = pair.end(), pair["open"]
                if quote:
                    end = text.find(quote, start, start + _LONGEST_VALUE)
                    yield text[start : end if end >= 0 else start + _LONGEST_VALUE]
                elif value := re.compile(_BARE).match(text, start):
                    yield value[0]


def redact_arguments(arguments: Any, secret: Collection[str], redact: Callable[[str], str]) -> Any:
    """Copy JSON arguments, replacing secrets with the redaction mark.

    Args:
        arguments: a JSON value.
        secret: names of members whose values are always hidden.
        redact: removes secrets from a text.
    """
    if isinstance(arguments, Mapping):
        return {
            name: REDACTED if name in secret and value is not None else redact_arguments(value, (), redact)
            for name, value in arguments.items()
        }
    if isinstance(arguments, (list, tuple)):
        return [redact_arguments(item, (), redact) for item in arguments]
    if isinstance(arguments, str):
        return redact(arguments)
    if (
        isinstance(arguments, (int, float))
        and not isinstance(arguments, bool)
        and redact(str(arguments)) != str(arguments)
    ):
        return REDACTED
    return arguments


def outline(arguments: Mapping[str, Any]) -> str:
    """The argument names and the JSON types of their values, for use while it is unknown which are secret.

    Args:
        arguments: JSON values by name.
    """
    kinds = (next((kind for cls, kind in _KINDS if isinstance(value, cls)), "null") for value in arguments.values())
    return f"{{{', '.join(f'{name}: {kind}' for name, kind in zip(arguments, kinds, strict=True))}}}"


def _parse_json(text: str) -> Any:
    if text[:_LONGEST_TEXT].lstrip()[:1] not in ("{", "[", '"') or len(text) > _LONGEST_TEXT:
        return None
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _canonical(name: str) -> str:
    return re.sub(r"[\W_]", "", _folded(name).casefold())


def _words(name: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in re.findall(_WORD, _folded(name)))


def _folded(name: str) -> str:
    """Normalize full-width and other compatibility characters in a name to plain ones."""
    return name if name.isascii() else normalize("NFKC", name)


def _is_near(name: str, known: str) -> bool:
    if len(known) < len("pin"):
        return False
    from rapidfuzz.distance import OSA

    most = 1 if len(known) <= _SHORT_NAME else 2
    return OSA.distance(name, known, score_cutoff=most) <= most
