"""Distortions that change or hide the meaning: no call is right, or only those in `Draft.acceptable`."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from adversary import vocabulary as words
from adversary.distort import Draft, rename, restyle
from adversary.model import Call

# --- in the text


def cut_off(rng: Random, draft: Draft) -> bool:
    """The text ends early."""
    whole = json.dumps(draft.arguments)
    draft.text = whole[: rng.choice([len(whole) - 1, rng.randint(2, len(whole) - 1)])]
    draft.partial = True
    draft.acceptable = [draft.meant] if draft.tool.effect == "read" else []
    draft.sayable = False
    return True


def bracket_missing(rng: Random, draft: Draft) -> bool:
    """A bracket within the text is never closed."""
    whole = json.dumps(draft.arguments)
    places = [i for i, letter in enumerate(whole[:-1]) if letter in "]}"]
    if not places:
        return False
    place = rng.choice(places)
    draft.text, draft.sayable = whole[:place] + whole[place + 1 :], False
    draft.acceptable = [draft.meant] if draft.tool.effect == "read" else []
    return True


def comment(rng: Random, draft: Draft) -> bool:
    """A comment that says what else is meant."""
    lines = json.dumps(draft.arguments, indent=1).split("\n")
    place = rng.randrange(1, len(lines))
    lines[place] += rng.choice(words.COMMENTS)
    draft.text, draft.sayable = "\n".join(lines), False
    return True


def prose(rng: Random, draft: Draft) -> bool:
    """Words around the text that qualify it."""
    draft.text, draft.sayable = rng.choice(words.PROSE).format(json.dumps(draft.arguments)), False
    return True


def two_objects(_: Random, draft: Draft) -> bool:
    """Two calls' arguments in one text."""
    other = {name: _other(value) for name, value in draft.arguments.items()}
    draft.text, draft.sayable = json.dumps(draft.arguments) + json.dumps(other), False
    return True


def same_key_twice(rng: Random, draft: Draft) -> bool:
    """One key with two values."""
    name = rng.choice(list(draft.arguments))
    again = json.dumps({name: _other(draft.arguments[name])})
    draft.text, draft.sayable = json.dumps(draft.arguments)[:-1] + ", " + again[1:], False
    return True


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 3
    return [*value, *value] if isinstance(value, list) else f"old-{value}"


def bare_number(rng: Random, draft: Draft) -> bool:
    """A number that JSON has no form for."""
    name = draft.free(rng, ("integer", "number"))
    if name is None:
        return False
    mark = 987_654_321
    text = json.dumps({**draft.arguments, name: mark})
    draft.text, draft.sayable = text.replace(str(mark), rng.choice(words.BARE_NUMBERS), 1), False
    return True


# --- in the names and values


def written_number(rng: Random, draft: Draft) -> bool:
    """A number in words, with a unit, a sign or a separator."""
    name = draft.free(rng, ("integer", "number"))
    if name is None:
        return False
    text, readings = rng.choice(words.WRITTEN_NUMBERS)
    draft.touched.add(name)
    draft.arguments[name] = text
    if draft.tool.effect == "read":
        draft.acceptable = [Call(draft.meant.name, {**draft.meant.arguments, name: int(number)}) for number in readings]
    return True


def qualified_argument(rng: Random, draft: Draft) -> bool:
    """A word before an argument's name that turns it into another."""
    name = draft.free(rng)
    return name is not None and rename(draft, name, f"{rng.choice(words.QUALIFIERS)}_{name}")


def operator_in_argument(rng: Random, draft: Draft) -> bool:
    """A sign at an argument's name: a comparison, a negation, an order."""
    name = draft.free(rng)
    return name is not None and rename(draft, name, rng.choice(words.OPERATORS).format(name))


def digit_in_argument(rng: Random, draft: Draft) -> bool:
    """A digit at an argument's name."""
    name = draft.free(rng)
    return name is not None and rename(draft, name, f"{name}{rng.choice(['2', '_2', '3'])}")


def unknown_argument(rng: Random, draft: Draft) -> bool:
    """An argument that the tool does not have: without it the call would do something else."""
    name = rng.choice(["only_drafts", "dry_run", "unless_archived", "starting_from", "for_user", "older_than_days"])
    if name in draft.tool.properties:
        return False
    draft.arguments = {**draft.arguments, name: rng.choice([True, "mia", 30])}
    return True


def sibling_of_wrapper(rng: Random, draft: Draft) -> bool:
    """An argument of its own beside the wrapper."""
    name = draft.free(rng)
    if name is None or len(draft.arguments) < 2:
        return False
    inner = {key: value for key, value in draft.arguments.items() if key != name}
    wrapper = rng.choice([word for word in words.WRAPPERS if word not in draft.tool.properties])
    draft.arguments = {name: draft.arguments[name], wrapper: inner}
    draft.acceptable = [] if draft.tool.effect == "destroy" else [draft.meant]
    return True


def both_spellings(rng: Random, draft: Draft) -> bool:
    """One argument by two spellings, with two values."""
    name = draft.free(rng)
    new = restyle(rng, name) if name else None
    if name is None or new is None or new in draft.tool.properties:
        return False
    draft.arguments = {**draft.arguments, new: _other(draft.arguments[name])}
    return True


def negated_value(rng: Random, draft: Draft) -> bool:
    """A value within {"not": ...}."""
    name = draft.free(rng, ("string", "integer", "number"))
    if name is None:
        return False
    draft.touched.add(name)
    draft.arguments[name] = {rng.choice(["not", "exclude", "lt", "except", "$ne", "before"]): draft.arguments[name]}
    return True


def text_with_commas(rng: Random, draft: Draft) -> bool:
    """One text with a comma where a list is wanted: one value, or two."""
    name = draft.free(rng, ("array",))
    if name is None or draft.tool.properties[name].get("items") != {"type": "string"}:
        return False
    first, second = rng.sample(words.WORDS, 2)
    text = f"{first}, {second}.pdf"
    draft.touched.add(name)
    draft.arguments[name] = text
    whole = Call(draft.meant.name, {**draft.meant.arguments, name: [text]})
    split = Call(draft.meant.name, {**draft.meant.arguments, name: [first, f"{second}.pdf"]})
    draft.acceptable = {"read": [whole, split], "destroy": []}.get(draft.tool.effect, [whole])
    return True


def truth_in_words(rng: Random, draft: Draft) -> bool:
    """Yes, 1 or on for true: a reading, not a spelling."""
    name = draft.free(rng, ("boolean",))
    if name is None:
        return False
    value = draft.arguments[name]
    draft.touched.add(name)
    draft.arguments[name] = rng.choice(["yes", "on", "1", 1, "Y"] if value else ["no", "off", "0", 0, "N"])
    draft.acceptable = [draft.meant] if draft.tool.effect == "read" else []
    return True


def one_left_out(rng: Random, draft: Draft) -> bool:
    """A required argument is not sent."""
    required = [name for name in draft.tool.schema.get("required", ()) if name not in draft.touched]
    if not required:
        return False
    del draft.arguments[rng.choice(required)]
    return True


# The rule that a call breaks if one is given, and the distortions.
TRAPS = {
    "cut-off": (cut_off, cut_off, bracket_missing),
    "d": (
        comment,
        prose,
        two_objects,
        same_key_twice,
        qualified_argument,
        operator_in_argument,
        unknown_argument,
        sibling_of_wrapper,
        both_spellings,
        negated_value,
        text_with_commas,
        one_left_out,
    ),
    "d-characters": (bare_number, written_number, written_number, digit_in_argument),
    "b": (truth_in_words,),
}
