"""Read arguments sent as broken JSON, if their meaning is certain. json-repair is used if it is installed."""

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
    """Read a call's arguments as JSON values, repairing the JSON with `fix_json` if needed.

    Args:
        sent: the arguments as the model sent them: text, bytes, or a mapping.
        limits: bounds on size and depth.
        read_only: whether the tool is read-only.

    Returns:
        The arguments, or None if they cannot be read.
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
    """Repair broken JSON, preserving its content exactly.

    Truncated text is completed only for read-only tools, and only with closing brackets.

    Args:
        text: the text as sent, which is not valid JSON.
        read_only: whether the tool is read-only.

    Returns:
        Valid JSON, or None if the meaning is ambiguous.
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
    """Repair with json-repair. It guesses silently, so text that may lack a quotation mark is rejected."""
    if _KEY_BEHIND_QUOTE.search(text):
        return None
    try:
        value = import_module("json_repair").loads(text, skip_json_loads=True)
    except Exception:  # not installed, or unable to repair
        return None
    return json.dumps(value, ensure_ascii=False) if type(value) is dict and not _has_cut_string(value) else None


def _has_cut_string(value: Any) -> bool:
    """Whether any string in a value ends in white space or a separator, as a truncated string does."""
    if isinstance(value, dict):
        return any(_has_cut_string(part) for member in value.items() for part in member)
    if isinstance(value, list):
        return any(map(_has_cut_string, value))
    return isinstance(value, str) and (value != value.rstrip() or value[-1:] in _SEPARATORS)
