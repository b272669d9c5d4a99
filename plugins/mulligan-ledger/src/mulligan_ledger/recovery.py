"""What a model did after a failed call, and whether it reached its goal: `docs/explanation/recovered.md` in code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

import attrs
from rapidfuzz.distance import Indel

from mulligan_ledger.reading import read_list

STEPS = 5
_NEAR, _NEAR_LONG, _LONG, _SHORTEST_TEXT, _MOST_CHARS, _MOST_VALUES = 0.6, 0.4, 200, 3, 2_000, 100
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
Case = Literal["same call", "corrected call", "another tool"]
Next = Literal["same call", "corrected call", "another tool", "something else", "gave up"]
NEXT: tuple[Next, ...] = ("same call", "corrected call", "another tool", "something else", "gave up")


@attrs.frozen
class Sent:
    """The facts about one call of a conversation.

    Attributes:
        id: its key.
        step: the conversation's step.
        name: the name that was called.
        key: a hash of name and arguments, or None.
        arguments: the arguments as JSON text, or None if they are not kept.
        is_error: whether it failed.
        error: the class of its error, or None.
        corrected_key: the hash of the corrected call in its feedback, or None.
        suggestions: names that its feedback suggested, as JSON text, or None.
        problems: what was wrong with its arguments, as JSON text, or None.
        resource: the resource that it is about, or None.
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
    """The outcome of one failed call.

    Attributes:
        id: the call's key.
        next: what the model did next.
        recovered: whether a later call achieved the goal of this one.
        steps: how many steps later; None if it was not recovered.
        followed: whether the corrected call of the feedback was made; None if there was none.
        by: the key of the call that did so, or None.
    """

    id: int
    next: Next
    recovered: bool
    steps: int | None
    followed: bool | None
    by: int | None = None


def recoveries(calls: Sequence[Sent], requests: Iterable[int] = ()) -> Iterator[Recovery]:
    """The outcome of each failed call of one conversation.

    Args:
        calls: its calls, in order.
        requests: the last step before each message of the user; later calls have another goal.
    """
    ends = sorted(requests)
    for at, call in enumerate(calls):
        if not call.is_error:
            continue
        until = min([call.step + STEPS, *(end for end in ends if end >= call.step)])
        later = [one for one in calls[at + 1 :] if call.step < one.step <= until]
        beside = [one for one in calls if one.step == call.step and one.is_error and one is not call]
        yield _recovery(call, beside, later)


def _recovery(failed: Sent, beside: list[Sent], later: list[Sent]) -> Recovery:
    followed = None if failed.corrected_key is None else any(one.key == failed.corrected_key for one in later)
    served = [
        (case, one)
        for one in later
        if (case := serves(failed, one)) is not None
        and not (
            case == "another tool" and any(serves(other, one) in ("same call", "corrected call") for other in beside)
        )
    ]
    success = next((one for _, one in served if not one.is_error), None)
    did: Next = served[0][0] if served else "something else" if later else "gave up"
    steps = None if success is None else success.step - failed.step
    return Recovery(failed.id, did, success is not None, steps, followed, None if success is None else success.id)


def serves(failed: Sent, later: Sent) -> Case | None:
    """How a later call serves the goal of a failed one; None if it does not.

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
    if is_meant and (before is None or after is None or _keeps_one(before, after)):
        return "corrected call"
    if before is None or after is None:
        return None
    if failed.name == later.name:
        blamed = _blamed(failed) | (_missing(failed, before) if later.step == failed.step + 1 else frozenset())
        return "corrected call" if _is_variation(blamed, before, after) else None
    return "another tool" if _is_another_way(before, after) else None


def _is_meant(failed: Sent, later: Sent) -> bool:
    return later.name in read_list(failed.suggestions) or _is_near(failed.name, later.name)


def _is_variation(blamed: frozenset[str], before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    found = _values(after)
    kept = [value for name, argument in before.items() if name not in blamed for value in _inside(argument)]
    return all(any(_is_kept(value, other) for other in found) for value in kept)


def _keeps_one(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    sent, found = _values(before), _values(after)
    return not sent or any(_is_kept(value, other) for value in sent for other in found)


def _is_another_way(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    texts = [value for value in _values(before) if isinstance(value, str) and len(value) >= _SHORTEST_TEXT]
    others = [str(value) for value in _values(after) if not isinstance(value, bool)]
    got = sum(any(_holds(other, text) for other in others) for text in texts)
    return got > 0 and 2 * got >= len(texts)


def _blamed(failed: Sent) -> frozenset[str]:
    """The arguments that the failure rejects by name."""
    if failed.error not in ("ToolArgumentError", "ToolNotFoundError") or not failed.problems:
        return frozenset()
    pointers = [str(one.get("pointer", "")) for one in read_list(failed.problems, dict)]
    names = [pointer.split("/")[1] for pointer in pointers if "/" in pointer]
    return frozenset(name.replace("~1", "/").replace("~0", "~") for name in names)


def _missing(failed: Sent, before: Mapping[str, Any]) -> frozenset[str]:
    """The arguments that name what does not exist; if none does, the only text among them."""
    if failed.error != "ResourceNotFoundError":
        return frozenset()
    wanted = failed.resource or ""
    named = frozenset(
        name for name, argument in before.items() if any(_is_named(one, wanted) for one in _inside(argument))
    )
    texts = frozenset(name for name, value in before.items() if isinstance(value, str))
    return named or (texts if len(texts) == 1 else named)


def _is_named(value: str | float, resource: str) -> bool:
    if isinstance(value, bool) or not resource:
        return False
    if isinstance(value, str) and _holds(value, resource):
        return True
    return _holds(resource, str(value))


def _is_kept(value: str | float, other: str | float) -> bool:
    """Whether one value equals the other or is near it."""
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    number, other_number = _number(value), _number(other)
    if number is not None or other_number is not None:
        return number == other_number
    return _is_near(str(value), str(other))


def _number(value: str | float) -> Decimal | None:
    text = str(value)
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def _is_near(one: str, other: str) -> bool:
    one, other = one[:_MOST_CHARS].lower(), other[:_MOST_CHARS].lower()
    if one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}"):
        return True
    least = _NEAR_LONG if max(len(one), len(other)) > _LONG else _NEAR
    return Indel.normalized_similarity(one, other, score_cutoff=least) > least


def _holds(text: str, part: str) -> bool:
    """Whether a text equals another one or contains it as whole words."""
    text, part = text.lower(), part.lower()
    return part in text and re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text, re.ASCII) is not None


def _values(arguments: Mapping[str, Any]) -> list[str | float]:
    return [value for one in arguments.values() for value in _inside(one)]


def _inside(argument: Any) -> list[str | float]:
    """The first hundred texts, numbers and booleans in an argument; null and an empty text do not count."""
    found: list[str | float] = []
    waiting = [argument]
    while waiting and len(found) < _MOST_VALUES:
        value = waiting.pop()
        if isinstance(value, Mapping):
            waiting.extend(reversed(list(value.values())))
        elif isinstance(value, list):
            waiting.extend(reversed(value))
        elif value is not None and value != "":
            found.append(value)
    return found


def _parsed(arguments: str | None) -> Mapping[str, Any] | None:
    """The arguments as values; text that is not JSON is one value."""
    if arguments is None:
        return None
    try:
        values = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return {"": arguments}
    return values if isinstance(values, dict) else {"": arguments}
