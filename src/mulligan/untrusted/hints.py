"""What another program says about its tools, such as `readOnlyHint`, read as options of a `Tool`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.untrusted.classes import as_dict, is_a
from mulligan.untrusted.objects import read_attribute

_SPELLINGS = {
    "read_only": ("readOnlyHint", "read_only_hint"),
    "idempotent": ("idempotentHint", "idempotent_hint"),
    "destructive": ("destructiveHint", "destructive_hint"),
}


def hints_of(annotations: Any, trusted: bool = False) -> dict[str, bool]:
    """The options of a `Tool` that the annotations of an MCP tool justify. Never raises.

    A hint is a claim of the server. From a server that you do not trust, `readOnlyHint` becomes `claims_read_only`, which
    softens the wording about effects and nothing else; `idempotentHint` counts for nothing. A warning needs no trust:
    `destructiveHint: true` always becomes `destructive`. If a tool says that it is both read-only and destructive, it counts as
    destructive, and as neither read-only nor idempotent. Any value that is not a boolean is ignored.

    Args:
        annotations: an object or a mapping with MCP's names, in camelCase or snake_case; anything else has no hints.
        trusted: whether the host vouches for the server: only True does.

    Returns:
        Some of `read_only`, `idempotent`, `destructive` and `claims_read_only`, for `Tool.from_schema(..., **hints)`.
    """
    claims = {option: _claim(annotations, option) for option in _SPELLINGS}
    if claims["destructive"] and claims["read_only"]:
        claims.update(read_only=False, idempotent=False)
    if trusted is True:
        return {option: claim for option, claim in claims.items() if claim is not None}
    if claims["destructive"]:
        return {"destructive": True}
    return {"claims_read_only": True} if claims["read_only"] else {}


def _claim(annotations: Any, option: str) -> bool | None:
    """What the annotations say of one option; if its two spellings differ, the claim that permits less."""
    if is_a(annotations, Mapping):
        stored = as_dict(annotations)
        values = [stored.get(name) for name in _SPELLINGS[option]]
    else:
        values = [read_attribute(annotations, name) for name in _SPELLINGS[option]]
    said = [value for value in values if isinstance(value, bool)]
    if not said:
        return None
    return any(said) if option == "destructive" else all(said)
