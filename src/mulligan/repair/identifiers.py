"""Identifiers that were sent as the address of a page: `https://videos.example/watch?v=dQw4w9WgXcQ` for `video_id`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from mulligan.repair.provenance import is_plain_identifier
from mulligan.resolve.words import split_words
from mulligan.secrets.patterns import redact_patterns

_LONGEST = 2_000
_ADDRESS = re.compile(r"https?://\S+").fullmatch
_LABELS = (["id"], ["key"], ["number"], ["no"], ["slug"], ["code"])
_IS_NUMBER_OR_UUID = re.compile(r"[1-9]\d*|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII).fullmatch
_IS_MIXED = re.compile(r"(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[\w-]{6,64}", re.ASCII).fullmatch  # letters and digits
_HAS_WORD = re.compile(r"(?:^|[-_])[a-z]{3,}(?:[-_]|$)", re.ASCII).search  # `17-order-coffee`, the title of a page

_IS_VERSION = re.compile(r"[a-z]+\d{1,2}(?:(?:alpha|beta|rc)\d*)?", re.ASCII).fullmatch  # `oauth2`, `v1beta1`


def argument_with_address(sent: Mapping[str, Any]) -> str | None:
    """The one argument for an identifier for which an address was sent; None if there is none, or there are several.

    Args:
        sent: the arguments.
    """
    found = [name for name, value in sent.items() if isinstance(value, str) and _is_address(value)]
    is_only = len(found) == 1 and split_words(found[0])[-1:] in _LABELS and is_plain_identifier(found[0])
    return found[0] if is_only else None


def _is_address(text: str) -> bool:
    return text.startswith("http") and _ADDRESS(text[:_LONGEST]) is not None


def find_identifier(address: str) -> str | None:
    """The part of an address that looks like an identifier; None if no part does, or several do.

    The steps of the path are searched first, then the values of the query; not what looks like a credential.

    Args:
        address: the address of a page.
    """
    if len(address) > _LONGEST:
        return None
    try:
        parts = urlsplit(redact_patterns(address))
        values = [value for _, value in parse_qsl(parts.query, max_num_fields=32)]
    except ValueError:
        return None
    return _only_identifier(parts.path.split("/")) or _only_identifier(values)


def _only_identifier(texts: Iterable[str]) -> str | None:
    found = [
        text
        for text in texts
        if _IS_NUMBER_OR_UUID(text) or (_IS_MIXED(text) and not (_HAS_WORD(text) or _IS_VERSION(text)))
    ]
    return found[0] if len(found) == 1 else None
