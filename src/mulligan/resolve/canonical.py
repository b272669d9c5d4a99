"""Names that are the same but for their style."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST_NAME = 200
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_NEGATIONS = frozenset(["not", "no", "non", "never", "un", "re", "ex", "de", "dis", "in", "im", "mis", "anti", "pre"])
_UNITS = frozenset(["s", "m", "h", "d", "y", "b", "g", "l", "c", "f"])
_WRAPPERS = ("functions.", "function.", "tools.", "tool.", "default_api.")
_LOOSE = str.maketrans("", "", "-_. ")
_SEPARATORS = re.compile(  # between two words, but not between two digits, and without the sign of a number
    r"(?<=[^\W\d_])(?![-_. ]+-\d)[-_. ]+(?=[^\W_])|(?<=\d)[-_. ]+(?=[^\W\d_])|^[_ ]+|[_ ]+$", re.MULTILINE
)


def canonical(name: str) -> str:
    """A name without case and without the `-`, `_`, `.` and spaces between its words: what differs in style only.

    A sign at the start or the end and a separator between two digits are no style: `-date` is not `date`, `O-` is not
    `O`, and `1.5` is not `15`.
    """
    return _SEPARATORS.sub("", name).casefold()


def is_restyled(sent: str, name: str) -> bool:
    """Whether a name is another one in another style: `filePath`, `FILE-PATH` and `file_path`.

    The case of a word counts where a name is not in one style throughout, as that of a unit does in `size_MB` and `dose_mg`.
    A separator that makes a negation or a unit counts too: `notable` is not `no_table`, nor `timeouts` `timeout_s`.

    Args:
        sent: the name that was sent.
        name: the name that exists.
    """
    if canonical(sent) != canonical(name):
        return False
    ours, theirs = _WORDS.findall(sent), _WORDS.findall(name)
    if not has_same_words(sent, name):
        return False
    return ours == theirs or (_is_uniform(ours) and _is_uniform(theirs) and not _changes_unit(ours, theirs))


def _changes_unit(words: list[str], others: list[str]) -> bool:
    """Whether a word of one letter, such as `M` or `m`, has another case in a name that is not in capitals throughout."""
    is_loud = all(map(str.isupper, words)) or all(map(str.isupper, others))
    return not is_loud and any(len(one) == 1 and one != other for one, other in zip(words, others, strict=False))


def has_same_words(sent: str, name: str) -> bool:
    """Whether no negation and no unit of one letter comes or goes with a separator: it does in `notable`, `no_table`.

    Args:
        sent: the name that was sent.
        name: a name that is canonically equal.
    """
    ours, theirs = _WORDS.findall(sent), _WORDS.findall(name)
    return not (_joins_another_word(ours, theirs) or _joins_another_word(theirs, ours))


def _joins_another_word(words: list[str], others: list[str]) -> bool:
    """Whether a negation is one word with what follows it in the other name, or a unit of one letter with its neighbour."""
    ends, place = {0}, 0
    for other in others:
        place += len(other)
        ends.add(place)
    start = 0
    for word in words:
        end, plain = start + len(word), word.casefold()
        is_joined = end not in ends or (plain in _UNITS and start not in ends)
        if is_joined and (plain in _NEGATIONS or plain in _UNITS):
            return True
        start = end
    return False


def _is_uniform(words: list[str]) -> bool:
    """Whether words are all in lower case, in upper case, capitalized, or capitalized but for the first."""
    first, *rest = words or [""]
    if all(map(str.islower, words)) or all(map(str.isupper, words)):
        return True
    return (first.islower() or first.istitle()) and all(word.istitle() or word.isdigit() for word in rest)


def is_same_tool(called: str, name: str) -> bool:
    """Whether a name that was called is that of a tool in another style, or behind what providers put before every name.

    Args:
        called: the name that was called.
        name: the tool's name.
    """
    wrapper = next((mark for mark in _WRAPPERS if called.startswith(mark)), "")
    return is_restyled(called.removeprefix(wrapper), name)


def canonical_match(called: str, names: Iterable[str]) -> str | None:
    """The one name that is the name called but for style, or but for the namespace that one of the two has.

    Args:
        called: the name that was called.
        names: the names that exist.

    Returns:
        The name that is canonically equal; without one, the name that is once a namespace (`a__b`, `mcp__a__b`, `a.b`,
        `a:b`, `a/b`) is taken off it, or off the name called where no name has one; None where there is none or more than
        one.
    """
    if not 0 < len(called) <= _LONGEST_NAME:
        return None
    given = list(names)
    forms = canonical("\n".join(given)).split("\n")
    if len(forms) != len(given):
        forms = [canonical(name) for name in given]
    wanted, shorter = canonical(called), _tails_behind_servers(called, given)
    equal, akin = [], []
    for name, form in zip(given, forms, strict=True):
        if form == wanted:
            if has_same_words(called, name):
                equal.append(name)
        elif form in shorter or (form.endswith(wanted) and wanted in _tails(name)):
            akin.append(name)
    found = equal or akin
    return found[0] if len(found) == 1 and wanted and not is_ambiguous(called, given) else None


def is_ambiguous(called: str, names: Iterable[str]) -> bool:
    """Whether more than one name has the letters and digits of the name called: `v11` may be `v1_1`.

    Args:
        called: the name that was called.
        names: the names that exist.
    """
    forms = "\n".join(["", *names, ""]).translate(_LOOSE).casefold().replace("\n", "\n\n")
    return forms.count(f"\n{called.translate(_LOOSE).casefold()}\n") > 1


def _tails(name: str) -> set[str]:
    from mulligan.resolve.words import tails

    return {canonical(tail) for tail in tails(name)} - {""}


def _tails_behind_servers(called: str, names: Iterable[str]) -> set[str]:
    """What is left of a name behind a server's namespace; of names that have such themselves, only behind a provider's."""
    from mulligan.resolve.words import tails

    spaces = {tail: called[: -len(tail)] for tail in tails(called) if tail}
    if spaces and any(map(tails, names)):
        spaces = {tail: space for tail, space in spaces.items() if space in (*_WRAPPERS, "mcp__")}
    return {canonical(tail) for tail in spaces} - {""}
