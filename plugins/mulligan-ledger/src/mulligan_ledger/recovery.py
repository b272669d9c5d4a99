"""What a model did after a failed call, and whether it reached what it wanted: `docs/explanation/recovered.md` in code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import attrs
from rapidfuzz.distance import Indel

STEPS = 5
_NEAR, _NEAR_LONG, _LONG, _SHORTEST_TEXT, _MOST_CHARS = 0.6, 0.4, 200, 3, 2_000
Case = Literal["same call", "corrected call", "another tool"]
Next = Literal["same call", "corrected call", "another tool", "something else", "gave up"]
NEXT: tuple[Next, ...] = ("same call", "corrected call", "another tool", "something else", "gave up")


@attrs.frozen
class Sent:
    """What is needed of one call of a conversation.

    Attributes:
        id: its key.
        step: the conversation's step.
        name: the name that was called.
        key: a hash of name and arguments, or None.
        arguments: the arguments as JSON text, or None where they are not kept.
        is_error: whether it failed.
        error: the class of its error, or None.
        corrected_key: the hash of the corrected call that its feedback held, or None.
        suggestions: names that its feedback suggested, as JSON text, or None.
        problems: what was wrong with its arguments, as JSON text, or None.
        resource: what it is about, or None.
    """

    id: int
    step: int
    name: str
    key: str | None
    arguments: str | None
    is_error: bool
    error: str | None = None
    corrected_key: str | None = None
    suggestions: str | None = None
    problems: str | None = None
    resource: str | None = None


@attrs.frozen
class Recovery:
    """What became of one failed call.

    Attributes:
        id: the call's key.
        next: what the model did next.
        recovered: whether a later call reached what this one wanted.
        steps: how many steps later; None if none did.
        followed: whether the corrected call of the feedback was made; None if it held none.
        by: the key of the call that reached it, or None.
    """

    id: int
    next: Next
    recovered: bool
    steps: int | None
    followed: bool | None
    by: int | None = None


def recoveries(calls: Sequence[Sent], requests: Iterable[int] = ()) -> Iterator[Recovery]:
    """What became of each failed call of one conversation.

    Args:
        calls: its calls, in order.
        requests: the last step before each message of the user; calls after it answer something else.
    """
    ends = sorted(requests)
    for at, call in enumerate(calls):
        if not call.is_error:
            continue
        until = min([call.step + STEPS, *(end for end in ends if end >= call.step)])
        later = [one for one in calls[at + 1 :] if call.step < one.step <= until]
        yield _recovery(call, later)


def _recovery(failed: Sent, later: list[Sent]) -> Recovery:
    followed = None if failed.corrected_key is None else any(one.key == failed.corrected_key for one in later)
    served = [(case, one) for one in later if (case := serves(failed, one)) is not None]
    success = next((one for _, one in served if not one.is_error), None)
    did: Next = served[0][0] if served else "something else" if later else "gave up"
    steps = None if success is None else success.step - failed.step
    return Recovery(failed.id, did, success is not None, steps, followed, None if success is None else success.id)


def serves(failed: Sent, later: Sent) -> Case | None:
    """How a later call serves the intent of a failed one; None if it does not.

    Args:
        failed: the failed call.
        later: a call of a later step.
    """
    if failed.key is not None and failed.key == later.key:
        return "same call"
    if failed.corrected_key is not None and failed.corrected_key == later.key:
        return "corrected call"
    before, after = _parsed(failed.arguments), _parsed(later.arguments)
    is_meant = failed.error == "ToolNotFoundError" and _is_meant(failed, later)
    if is_meant and (not before or after is None or _kept(before, after, _blamed(failed))):
        return "corrected call"
    if before is None or after is None:
        return None
    if failed.name == later.name:
        blamed = _blamed(failed) | (_missing(failed, before) if later.step == failed.step + 1 else frozenset())
        return "corrected call" if _is_variation(blamed, before, after) else None
    return "another tool" if _is_another_way(before, after) else None


def _is_meant(failed: Sent, later: Sent) -> bool:
    suggested = json.loads(failed.suggestions) if failed.suggestions else []
    return later.name in suggested or _is_near(failed.name.lower(), later.name.lower())


def _is_variation(blamed: frozenset[str], before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    values = list(after.values())
    return all(
        name in blamed or any(_is_kept(value, other) for other in ([after[name]] if name in after else []) + values)
        for name, value in before.items()
    )


def _kept(before: Mapping[str, Any], after: Mapping[str, Any], blamed: frozenset[str]) -> bool:
    return any(
        name in blamed or any(_is_kept(value, other) for other in after.values()) for name, value in before.items()
    )


def _is_another_way(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    texts = [text for text in _texts(before) if len(text) >= _SHORTEST_TEXT]
    others = set(_texts(after))
    kept = sum(text in others for text in texts)
    return kept > 0 and 2 * kept >= len(texts)


def _blamed(failed: Sent) -> frozenset[str]:
    """The arguments that the failure rejects by name."""
    if failed.error not in ("ToolArgumentError", "ToolNotFoundError") or not failed.problems:
        return frozenset()
    pointers = [one["pointer"] for one in json.loads(failed.problems)]
    return frozenset(pointer.split("/")[1].replace("~1", "/").replace("~0", "~") for pointer in pointers if pointer)


def _missing(failed: Sent, before: Mapping[str, Any]) -> frozenset[str]:
    """The arguments that name what does not exist; of a single text, it is that."""
    if failed.error != "ResourceNotFoundError":
        return frozenset()
    texts = {name: value for name, value in before.items() if isinstance(value, str)}
    wanted = failed.resource or ""
    named = frozenset(name for name, value in texts.items() if wanted and (value in wanted or wanted in value))
    return named or (frozenset(texts) if len(texts) == 1 else named)


def _is_kept(value: Any, other: Any) -> bool:
    if isinstance(value, str) and isinstance(other, str):
        return _is_near(value, other)
    return bool(value == other) or str(value) == str(other) or (isinstance(other, list) and value in other)


def _is_near(one: str, other: str) -> bool:
    if one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}"):
        return True
    least = _NEAR_LONG if max(len(one), len(other)) > _LONG else _NEAR
    return Indel.normalized_similarity(one[:_MOST_CHARS], other[:_MOST_CHARS]) > least


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _parsed(arguments: str | None) -> Mapping[str, Any] | None:
    """The arguments as values; text that is not JSON is one value."""
    if arguments is None:
        return None
    try:
        values = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return {"": arguments}
    return values if isinstance(values, dict) else {"": arguments}
