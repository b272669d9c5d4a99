"""Describes usage errors: which word is wrong, and the next step."""

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


def describe(error: CycloptsError, commands: Iterable[str]) -> str:
    """One line about an invalid command line.

    Args:
        error: the error of the parser.
        commands: the names of all commands.
    """
    chain = " ".join(error.command_chain or ())
    where = f"{chain}: " if chain else ""
    what = _what(error, commands)
    step = f"See mulligan {chain}{' ' if chain else ''}--help"
    return f"{where}{what}{'' if what.endswith('?') else '.'} {step}"


def _what(error: CycloptsError, commands: Iterable[str]) -> str:
    name = "" if error.argument is None else error.argument.name
    if isinstance(error, UnknownCommandError):
        return _unknown("command", (error.unused_tokens or [""])[0], commands)
    if isinstance(error, UnknownOptionError):
        known = [name for one in error.argument_collection if one.parse for name in one.names if name.startswith("--")]
        return _unknown("option", error.token.keyword or error.token.value, [*known, *_COMMON])
    if isinstance(error, UnusedCliTokensError):
        words = error.unused_tokens or ()
        return f"unexpected argument{'s'[: len(words) - 1]} {', '.join(map(repr, words))}; quote values that contain spaces"
    if isinstance(error, MissingArgumentError):
        return f"{error.keyword or name} {'is missing' if error.keyword is None else 'requires a value'}"
    if isinstance(error, RepeatArgumentError):
        return f"{error.token.keyword} is repeated"
    if isinstance(error, CoercionError) and error.token is not None:
        if error.target_type is bool:
            return f"{error.token.keyword} takes no value, not {error.token.value!r}"
        if choices := [str(choice) for choice in get_args(error.target_type)]:
            return f"{name} must be one of {', '.join(choices)}, not {error.token.value!r}"
    return str(error).rstrip(".")


def _unknown(kind: str, word: str, known: Iterable[str]) -> str:
    if kind == "command" and word.startswith("-"):
        return f"unknown option {word!r}. Name a command first"
    names = {name.lstrip("-"): name for name in known}
    near = difflib.get_close_matches(word.lstrip("-"), names, 1)
    step = f"Did you mean {names[near[0]]!r}?" if near else f"Available: {', '.join(names.values())}"
    return f"unknown {kind} {word!r}. {step}"
