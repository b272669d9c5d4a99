"""What is wrong with a command line, in words that name the word at fault and the next step."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import get_args

from cyclopts import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

_COMMON = ("--plugin", "--log", "--help")


def told(error: CycloptsError, commands: Iterable[str]) -> str:
    """One line about a command line that cannot be read.

    Args:
        error: what the parser found.
        commands: the names of all commands.
    """
    chain = " ".join(error.command_chain or ())
    where, step = f"{chain}: " if chain else "", f"see mulligan {chain}{' ' if chain else ''}--help"
    return f"{where}{_what(error, commands)}; {step}"


def _what(error: CycloptsError, commands: Iterable[str]) -> str:
    name = "" if error.argument is None else error.argument.name
    if isinstance(error, UnknownCommandError):
        return _unknown("command", (error.unused_tokens or [""])[0], commands)
    if isinstance(error, UnknownOptionError):
        known = [name for one in error.argument_collection if one.parse for name in one.names if name.startswith("--")]
        return _unknown("option", error.token.keyword or error.token.value, [*known, *_COMMON])
    if isinstance(error, UnusedCliTokensError):
        words = error.unused_tokens or ()
        return f"{', '.join(map(repr, words))} {'is' if len(words) == 1 else 'are'} too much; quote what has blanks"
    if isinstance(error, MissingArgumentError):
        return f"{error.keyword or name} {'is missing' if error.keyword is None else 'needs a value'}"
    if isinstance(error, RepeatArgumentError):
        return f"{error.token.keyword} is given twice"
    if isinstance(error, CoercionError) and error.token is not None:
        if error.target_type is bool:
            return f"{error.token.keyword} takes no value, but {error.token.value!r} was given"
        if choices := [str(choice) for choice in get_args(error.target_type)]:
            return f"{name} is one of {', '.join(choices)}, not {error.token.value!r}"
    return str(error).rstrip(".")


def _unknown(kind: str, word: str, known: Iterable[str]) -> str:
    if kind == "command" and word.startswith("-"):
        return f"there is no option {word!r} without a command"
    names = {name.lstrip("-"): name for name in known}
    near = difflib.get_close_matches(word.lstrip("-"), names, 1)
    step = f"did you mean {names[near[0]]!r}?" if near else f"there are {', '.join(names.values())}"
    return f"there is no {kind} {word!r}; {step}"
