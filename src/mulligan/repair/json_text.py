"""Arguments that were sent as broken JSON, read only where their meaning is certain; json-repair helps if it is installed."""

from __future__ import annotations

import json
import re
from importlib import import_module
from typing import Any

from mulligan.errors import ToolArgumentError
from mulligan.policy import Limits
from mulligan.repair.comparing import same_content
from mulligan.repair.faithful import is_whole, unfenced, unwrapped
from mulligan.repair.syntax import mend_syntax
from mulligan.validate.arguments import read_arguments

_LONGEST = 20_000
_KEY_BEHIND_QUOTE = re.compile(r"[\"']\s*[A-Za-z_$][\w$-]*\s*:")
_SEPARATORS = frozenset(",:;([{=")


def read_sent(sent: Any, limits: Limits, *, read_only: bool) -> dict[str, Any] | None:
    """The arguments of a call as JSON values, as they are or as `mend_json` reads them; None where neither is possible.

    Args:
        sent: the arguments as the model sent them: text, bytes, or a mapping.
        limits: bounds on size and depth.
        read_only: whether the tool that would run changes nothing.
    """
    try:
        return read_arguments(sent, limits)
    except ToolArgumentError:
        text = bytes(sent).decode(errors="replace") if isinstance(sent, (bytes, bytearray)) else sent
        mended = mend_json(text, read_only=read_only) if isinstance(text, str) else None
    try:
        return None if mended is None else read_arguments(mended, limits)
    except ToolArgumentError:
        return None


def mend_json(text: str, *, read_only: bool) -> str | None:
    """The text as JSON that says all that was sent and nothing else; None where that is not clear.

    A text that was cut off is completed only by brackets, and only for a tool that changes nothing.

    Args:
        text: what was sent, without what JSON arguments would be.
        read_only: whether the tool that would run changes nothing.
    """
    if len(text) > _LONGEST:
        return None
    text = unwrapped(unfenced(text))
    whole = is_whole(text)
    if not (whole or read_only):
        return None
    mended = mend_syntax(text)
    if mended is None and whole:
        mended = _by_library(text)
    return mended if mended is not None and same_content(text, mended, read_only=read_only) else None


def _by_library(text: str) -> str | None:
    """What json-repair makes of it. It guesses without saying so, so no quotation mark may be missing within a text."""
    if _KEY_BEHIND_QUOTE.search(text):
        return None
    try:
        value = import_module("json_repair").loads(text, skip_json_loads=True)
    except Exception:  # not installed, or it gives up
        return None
    return json.dumps(value, ensure_ascii=False) if type(value) is dict and not _is_torn(value) else None


def _is_torn(value: Any) -> bool:
    """Whether a text in a value ends in a blank or a separator, as the first half of a text does."""
    if isinstance(value, dict):
        return any(_is_torn(part) for member in value.items() for part in member)
    if isinstance(value, list):
        return any(map(_is_torn, value))
    return isinstance(value, str) and (value != value.rstrip() or value[-1:] in _SEPARATORS)
