"""Arguments that were sent as broken JSON, read only where their meaning is certain; json-repair helps if it is installed."""

from __future__ import annotations

import json
import re
from importlib import import_module
from typing import Any

from mulligan.errors import ToolArgumentError
from mulligan.policy import Limits
from mulligan.repair.content_check import preserves_content
from mulligan.repair.json_tokens import is_complete, strip_code_fence, unwrap_string
from mulligan.repair.syntax import fix_syntax
from mulligan.validate.arguments import read_arguments

_LONGEST = 20_000
_KEY_BEHIND_QUOTE = re.compile(r"[\"']\s*[A-Za-z_$][\w$-]*\s*:")
_SEPARATORS = frozenset(",:;([{=")


def read_or_fix_arguments(sent: Any, limits: Limits, *, read_only: bool) -> dict[str, Any] | None:
    """The arguments of a call as JSON values, as they are or as `fix_json` reads them; None where neither is possible.

    Args:
        sent: the arguments as the model sent them: text, bytes, or a mapping.
        limits: bounds on size and depth.
        read_only: whether the tool that would run changes nothing.
    """
    try:
        return read_arguments(sent, limits)
    except ToolArgumentError:
        text = bytes(sent).decode(errors="replace") if isinstance(sent, (bytes, bytearray)) else sent
        fixed = fix_json(text, read_only=read_only) if isinstance(text, str) else None
    try:
        return None if fixed is None else read_arguments(fixed, limits)
    except ToolArgumentError:
        return None


def fix_json(text: str, *, read_only: bool) -> str | None:
    """The text as JSON that says all that was sent and nothing else; None where that is not clear.

    A text that was cut off is completed only by brackets, and only for a tool that changes nothing.

    Args:
        text: what was sent, without what JSON arguments would be.
        read_only: whether the tool that would run changes nothing.
    """
    if len(text) > _LONGEST:
        return None
    text = unwrap_string(strip_code_fence(text))
    is_complete_text = is_complete(text)
    if not (is_complete_text or read_only):
        return None
    fixed = fix_syntax(text)
    if fixed is None and is_complete_text:
        fixed = _fix_with_json_repair(text)
    return fixed if fixed is not None and preserves_content(text, fixed, read_only=read_only) else None


def _fix_with_json_repair(text: str) -> str | None:
    """What json-repair makes of it. It guesses without saying so, so no quotation mark may be missing within a text."""
    if _KEY_BEHIND_QUOTE.search(text):
        return None
    try:
        value = import_module("json_repair").loads(text, skip_json_loads=True)
    except Exception:  # not installed, or it gives up
        return None
    return json.dumps(value, ensure_ascii=False) if type(value) is dict and not _has_cut_string(value) else None


def _has_cut_string(value: Any) -> bool:
    """Whether a text in a value ends in a blank or a separator, as the first half of a text does."""
    if isinstance(value, dict):
        return any(_has_cut_string(part) for member in value.items() for part in member)
    if isinstance(value, list):
        return any(map(_has_cut_string, value))
    return isinstance(value, str) and (value != value.rstrip() or value[-1:] in _SEPARATORS)
