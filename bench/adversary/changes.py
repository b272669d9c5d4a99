"""What a proposed call changes in the one that was sent, written so that equal changes of other names and numbers are one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from adversary.vocabulary import WRAPPERS

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\w.+-]+|\S')
_KEPT = frozenset(("true", "false", "null", "none", "undefined", "name", "arguments", "json", *WRAPPERS))
_VALUE = re.compile(r"\ba-a(?:\.a| ?\( ?a ?\))?(?![\w-])|(?<![\w.])9(?:\.9)?(?![\w.])")
_MORE = re.compile(r"""((?:\\?")?v(?:\\?")?)(?: ?, ?\1)+""")
_LETTERS = re.compile(r"[^\W\d_]+")


def changes(sent: str, made: str) -> Iterator[str]:
    """Each part that differs, as `sent -> made`: a lower-case word is `a`, a capitalised one `A`, a value `v`.

    Args:
        sent: name and arguments as the model sent them.
        made: name and arguments as they are proposed, or were run.
    """
    old, new = _TOKEN.findall(sent), _TOKEN.findall(made)
    for kind, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield f"{_shape(old[start:end])} -> {_shape(new[new_start:new_end])}"


def _shape(tokens: list[str]) -> str:
    shape = re.sub(r"\d+", "9", _LETTERS.sub(_word, " ".join(tokens)))
    shape = _VALUE.sub("v", shape)
    return _MORE.sub(r"\1 ...", shape) or "(nothing)"


def _word(found: re.Match[str]) -> str:
    word = found[0]
    if word.lower() in _KEPT:
        return word
    return re.sub(r"[^\W\d_A-Z]+", "a", re.sub(r"[A-Z]+", "A", word))
