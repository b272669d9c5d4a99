"""Checks a server's tool definitions for signs of deception. Each concern is a line for the log; no tool changes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mulligan_mcp.definitions import claims

_CYRILLIC_AND_GREEK = (
    "\u0430\u0441\u0435\u0456\u0458\u043e\u0440\u0455\u0443\u0445\u0501\u04bb\u051b\u051d\u04cf\u0433"
    "\u043f\u043a\u043c\u0442\u0432\u043d\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e"
    "\u0420\u0405\u0422\u0425\u0423\u04c0\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03b3"
    "\u03c9\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
)
_LATIN = "aceijopsyxdhqwlrnkmtbhABCEHlJKMOPSTXYlaikvoptuxywABEZHlKMNOPTYX"
_FOLD = str.maketrans(_CYRILLIC_AND_GREEK + "1I|0", _LATIN + "lllO")
_ORDERS = re.compile(
    r"ignore (?:all |any |the )*(?:previous|prior|above|other)|disregard (?:all|any|the|previous)"
    r"|do not (?:tell|mention|inform|show|reveal)|don't (?:tell|mention)|without (?:telling|asking) the user"
    r"|<\s*(?:important|system|secret|instructions?)\s*>|(?:system|developer) prompt"
    r"|(?:always|first|before)[^.\n]{0,60}\b(?:call|use|run|read|send|pass)\b[^.\n]{0,60}\b(?:this|other|any) tool"
    r"|(?:id_rsa|\.ssh/|/etc/passwd|\.env\b)",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"(?:^|[_\-./])(?:delete|remove|drop|write|create|update|send|kill|move|edit|push|exec|run)(?=$|[_\-./A-Z0-9])"
)
_MOST_CHARACTERS = 20_000


def concerns(definitions: Iterable[Any]) -> Iterator[str]:
    """Concerns about the tools of one server that a person should read, one line each.

    Args:
        definitions: the entries of `tools/list`.
    """
    entries = [(str(one.get("name", "")), one) for one in definitions if isinstance(one, Mapping)]
    yield from _lookalikes(name for name, _ in entries)
    for name, definition in entries:
        description = str(definition.get("description") or "")[:_MOST_CHARACTERS]
        if found := _ORDERS.search(description):
            yield f"the description of {name!a} gives the model orders: {found[0]!a}"
        if any(unicodedata.category(one) in ("Cf", "Co") for one in description if one not in "\u200d\ufeff"):
            yield f"the description of {name!a} holds characters that cannot be seen"
        yield from _contradicted_hints(name, definition)


def skeleton(name: str) -> str:
    """A name with every letter replaced by the Latin letter that it resembles.

    Args:
        name: any name.
    """
    plain = "".join(one for one in unicodedata.normalize("NFKC", name) if unicodedata.category(one) != "Cf")
    return plain.translate(_FOLD)


def _lookalikes(names: Iterable[str]) -> Iterator[str]:
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(skeleton(name), name)
        if other != name:
            yield f"two tools look alike: {other!a} and {name!a}"
        elif not name.isascii():
            yield f"the name of the tool {name!a} holds letters that may look like others"


def _contradicted_hints(name: str, definition: Mapping[str, Any]) -> Iterator[str]:
    said = claims(definition)
    if said.get("readOnlyHint") is not True:
        return
    if said.get("destructiveHint") is True:
        yield f"the tool {name!a} says both that it changes nothing and that it destroys"
    elif _WRITES.search(name):
        yield f"the tool {name!a} says that it changes nothing, which its name contradicts"
