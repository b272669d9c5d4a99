"""Reads the fences in which a model finds foreign text, as a reader of the text would: by their marks alone."""

from __future__ import annotations

import re


def unfence(block: str) -> str | None:
    """The text of a fenced block; None if the block is not a fence, or its text can close it."""
    mark = block[-19:-3]
    _, opening, body = block.partition(f"\n<<<{mark}\n")
    closing = f"\n{mark}>>>"
    if not re.fullmatch("[0-9a-f]{16}", mark) or not opening or not body.endswith(closing):
        return None
    text = body[: -len(closing)]
    return None if mark in text else text
