"""The argument of a call that a refusal is about: the one with the address, or the one with the name of a field."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from email.utils import getaddresses
from typing import Any

from mulligan.plugin import Problem

Arguments = Mapping[str, Any] | None
_ROLES: Mapping[str, tuple[str, ...]] = {  # argument names that tools use for the fields of a message
    "to": ("to", "recipient", "recipients", "email", "phone", "number", "address"),
    "from": ("from", "sender"),
    "reply_to": ("reply_to", "reply"),
    "subject": ("subject", "title"),
    "body": ("body", "text", "content", "html", "message"),
    "attachment": ("attachment", "attachments", "file", "files", "media", "document", "photo"),
    "chat": ("chat", "channel", "user", "to", "recipient"),
    "mailbox": ("mailbox", "folder", "directory", "label", "source", "destination", "target"),
    "number": ("number", "message", "msg", "uid", "id"),
}
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LONGEST_LIST, _MOST_VALUES, _LONGEST_VALUE, _DEEPEST = 2_000, 500, 200, 6


def pointer_to_address(address: str, arguments: Arguments) -> str | None:
    """A JSON Pointer to the argument that holds an address, alone or in a list such as `Ann <ann@example.org>, ...`.

    Args:
        address: the address, as the client sent it.
        arguments: the arguments of the call.
    """
    wanted = address.casefold()
    texts = [(pointer, text.casefold()) for pointer, text in _texts(arguments)]
    exact = next((pointer for pointer, text in texts if text == wanted), None)
    if exact is not None or "@" not in wanted:
        return exact
    return next((pointer for pointer, text in texts if wanted in text and wanted in _addresses(text)), None)


def _addresses(text: str) -> list[str]:
    if len(text) > _LONGEST_LIST or "\n" in text:
        return []
    return [address for _, address in getaddresses([text.replace(";", ",")])]


def _texts(arguments: Arguments) -> Iterator[tuple[str, str]]:
    """Every text in the arguments, with its pointer."""
    waiting: list[tuple[str, object, int]] = [("", arguments, 0)]
    for _ in range(_MOST_VALUES):
        if not waiting:
            return
        pointer, value, depth = waiting.pop(0)
        if isinstance(value, str):
            yield pointer, value
        elif depth < _DEEPEST and isinstance(value, Mapping):
            waiting += [(f"{pointer}/{_escaped(str(name))}", one, depth + 1) for name, one in value.items()]
        elif depth < _DEEPEST and isinstance(value, list | tuple):
            waiting += [(f"{pointer}/{place}", one, depth + 1) for place, one in enumerate(value)]


def name_of(role: str, arguments: Arguments) -> str | None:
    """The name of the argument for a field of a message, such as `from_email` for `from`; None if none or several match.

    Args:
        role: the field, as a service calls it.
        arguments: the arguments of the call.
    """
    known = arguments or {}
    for word in _ROLES.get(role, (role,)):
        if word in known:
            return word
        named = [
            name for name in known if word in (words := _words_of(name)) and ("reply" in words) == ("reply" in role)
        ]
        if len(named) == 1:
            return named[0]
    return None


def _words_of(name: str) -> set[str]:
    words = [word.lower() for word in _WORDS.findall(name[:_LONGEST_VALUE])]
    return {*words, "_".join(words)}


def value_of(role: str, arguments: Arguments) -> str | None:
    """What the call sent for a field of a message, if it is a short text or a number.

    Args:
        role: the field, as a service calls it.
        arguments: the arguments of the call.
    """
    value = (arguments or {}).get(name_of(role, arguments) or "")
    return str(value) if type(value) in (str, int) and 0 < len(str(value)) <= _LONGEST_VALUE else None


def problem_with(role: str, arguments: Arguments, message: str = "is not accepted") -> list[Problem]:
    """A problem with the argument for a field; none if the call has no such argument.

    Args:
        role: the field, as a service calls it.
        arguments: the arguments of the call.
        message: what is wrong, in our own words.
    """
    name = name_of(role, arguments)
    return [] if name is None else [problem_at(f"/{_escaped(name)}", arguments, message)]


def problem_at(pointer: str, arguments: Arguments, message: str) -> Problem:
    """A problem at a place in the arguments, with the text that was sent there.

    Args:
        pointer: the place, as a JSON Pointer.
        arguments: the arguments of the call.
        message: what is wrong, in our own words.
    """
    sent = next((text for place, text in _texts(arguments) if place == pointer), None)
    return Problem(pointer, message, got=None if sent is None else json.dumps(sent[:_LONGEST_LIST], ensure_ascii=False))


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
