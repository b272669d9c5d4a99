"""Decides how a tool may be proposed for an unknown name, by what the tool does and by the similarity of the names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Literal

from mulligan.resolve.similarity import MISSPELT, NEGATIONS, RELATED, word_similarity
from mulligan.resolve.synonyms import HARMLESS, NAMESPACE_SEPARATORS, TRYING, VARIANTS, WIDENING
from mulligan.resolve.words import (
    UNKNOWN,
    ParsedName,
    Word,
    are_antonyms,
    canonical,
    is_same_tool,
    look_up_words,
    parse_name,
    split_words,
    stem,
    strip_namespaces,
)
from mulligan.tools import Tool, once_per_tool

Proposal = Literal["clear", "asked", "likely", "listed"]
_IF_FITTING: Literal["if_fitting"] = (
    "if_fitting"  # likely if no other similar tool takes the arguments, otherwise listed
)
_Found = Literal["clear", "asked", "likely", "listed", "if_fitting"]

_ARTICLES = frozenset(("a", "an", "the"))
_PARTICLES = _ARTICLES | {"as"}  # they change no command: `mark_as_read` is `mark_read`
_HARMLESS = frozenset(HARMLESS.split())
_VARIANTS, _WIDENING = frozenset(VARIANTS.split()), frozenset(WIDENING.split())
_TRYING = frozenset(map(stem, TRYING.split()))
_PERMISSIONS = frozenset(("read", "view", "show"))  # `grant_read` asks for a change
_ALSO_READS = frozenset(("open", "export", "download", "load", "copy", "print", "generate", "sync"))  # `open_file`
_PLAINLY_READING = frozenset(("list", "read", "show", "search", "find", "view", "describe", "lookup", "query"))
_NEGATIVE_NUMBER = re.compile(r"(?<![^\W_])-\d+")
_ENDINGS = ("", "s", "d", "ed", "ing")
_UNDO_PREFIXES = ("un", "de", "dis")
_MOST_TYPOS = 2
_MOST_REMEMBERED = 64
_FIRST_WORDS, _LONG_ENOUGH = 3, 5
_FURTHER_VERB = re.compile(  # with an object; one that destroys also without
    r"(?:\band(?: then)?|\bthen|[.:;,]) (?:(?:also|so) )?([A-Za-z]+)\b"
    r"(?= (?:it|them|the|a|an|this|that|all|one|every|its|their)\b)"
    r"|(?:\band|\bthen|[.:;,]) (?:then )?((?:delet|remov|eras|destroy|drop|purg|wip)(?:es?|s)?)\b",
    re.IGNORECASE,
)
_READING_FIRST = _PLAINLY_READING | {"get", "fetch", "browse"}
_LONGEST_SENTENCE = 200
_RUNS = frozenset(("run", "execute", "perform", "issue", "send"))
_RUNS_READ_ONLY = re.compile(
    rf"(?:{'|'.join(sorted(_RUNS))})s?\s+(?:(?:an?|any|one|the)\s+)?read[- ]?only\b", re.IGNORECASE
)


def find_proposals(
    tools: Mapping[str, Tool], called: str, clear: str | None, find_fitting: Callable[[], list[str]]
) -> dict[str, Proposal | None]:
    """How similar tools may be proposed for an unknown name.

    Args:
        tools: the similar tools by name.
        called: the name that was called.
        clear: the tool that names, arguments and descriptions favour over all others, or None.
        find_fitting: which of the tools take the arguments as they were sent. It is called only if that decides, since it
            compiles their schemas.

    Returns:
        For each tool `"clear"`, `"asked"` (clear, but the tool may change something), `"likely"`, or `"listed"` (the
        names do not mean the same); None if the tool must not be proposed at all.
    """
    proposals = {name: _proposals(tool)(called, name == clear) for name, tool in tools.items()}
    fitting = find_fitting() if _IF_FITTING in proposals.values() else []
    return {
        name: proposal if proposal != _IF_FITTING else "likely" if fitting == [name] else "listed"
        for name, proposal in proposals.items()
    }


@once_per_tool
def _proposals(tool: Tool) -> Callable[[str, bool], _Found | None]:
    """`_find_proposal` of a tool; it remembers the latest names, since models repeat them."""
    return lru_cache(maxsize=_MOST_REMEMBERED)(partial(_find_proposal, tool))


def _find_proposal(tool: Tool, called: str, is_clear: bool) -> _Found | None:
    if called in tool.also_called:
        return "asked" if tool.destructive else "clear"
    parsed = parse_name(called[:200])
    called_words, tool_words = parsed.tail_words, parse_name(tool.name[:200]).tail_words
    if any(
        word.has_opposite for word in parsed.words[: parsed.namespace_length]
    ):  # `check.profile` is an instruction, not a namespace and a name
        called_words = parsed.words
    else:
        tool_words = _without_server(tool_words, parsed)
    dropped, added = _unmatched(called_words, tool_words), _unmatched(tool_words, called_words)
    is_same = is_same_tool(called, tool.name)
    is_same_words = is_same or [word.text for word in called_words] == [word.text for word in tool_words]
    is_clear = (
        is_clear
        and not _is_other_namespace(called, tool.name)
        and _negative_numbers(called) == _negative_numbers(tool.name)
    )
    if not is_same_words and (
        _would_mislead(tool, called_words, tool_words) or (_may_act(tool) and _does_more(parsed.words, tool_words))
    ):
        return None
    if not is_same_words and not _may_act(tool) and _asks_for_more(called_words):
        return "listed"
    if _may_act(tool) and _is_of_other_variant(parsed, tool):
        return "listed"
    if tool.read_only:
        stop_words = [word for word in dropped if word.is_stop_word and word.text not in _ARTICLES]
        return "clear" if is_clear and not stop_words else "likely"
    if is_clear and is_same:
        return "asked" if tool.destructive else "clear"
    if_asked: _Found = "asked" if is_clear else "likely"
    is_related = any(word_similarity(word, other) >= RELATED for word in called_words for other in tool_words)
    if _runs_read_only(tool.summary) or (is_related and seems_to_read(tool)):
        return if_asked
    is_reworded = bool(tool.destructive) and [word.text for word in called_words] != [word.text for word in tool_words]
    is_other_number = any(word.destroys for word in tool_words) and _differs_in_number(called_words, tool_words)
    is_other = any(word.text not in _PARTICLES for word in (*dropped, *added))
    if is_reworded or is_other_number or (is_other and any(word.destroys for word in tool_words)):
        return "listed"
    return _IF_FITTING if is_other else if_asked


def _without_server(words: tuple[Word, ...], called: ParsedName) -> tuple[Word, ...]:
    """The words of a tool's name without those in front that are the called name's namespace: `acme.get` for `acme_get`."""
    server = {word.text for word in called.words[: called.namespace_length]}
    first = next((number for number, word in enumerate(words) if word.text not in server), 0)
    return words[first:]


def _may_act(tool: Tool) -> bool:
    """Whether nothing says that a tool only reads."""
    return not (tool.read_only or seems_to_read(tool))


def _is_of_other_variant(called: ParsedName, tool: Tool) -> bool:
    """Whether a called name asks for a variant, or for all, of which a tool's name does not speak: `sandbox.delete_user`."""
    stems = {word.stem for word in parse_name(tool.name[:200]).words}
    first = 0 if called.namespace_length else 1  # a verb, such as `new` or `test`
    asked = (word for word in called.words[first:] if word.text in _VARIANTS | _WIDENING)
    return any(word.stem not in stems for word in asked)


def _does_more(ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """Whether a tool that may act does more than a name asks for.

    It destroys where the name does not, reaches more (`notify_everyone` for `notify_user`), does in earnest what was to be
    tried, does it in another place or the opposite, or removes what the called thing is part of (`remove_team` for
    `remove_team_member`).
    """
    dropped, added = _unmatched(ours, theirs), _unmatched(theirs, ours)
    if any(word.destroys and not any(one.destroys or _is_misspelt(one, word) for one in ours) for word in theirs):
        return True
    variants = [{word.text for word in words} & _VARIANTS for words in (dropped, added)]
    if all(variants) or not _WIDENING.isdisjoint(word.text for word in added):
        return True
    if not _TRYING.isdisjoint(word.stem for word in dropped):
        return True
    if any(are_antonyms(one, other) for one in dropped for other in added if not (one.reads or other.reads)):
        return True
    is_part = dropped[-1:] == [*ours[-1:]] and not any(word.is_stop_word or _is_change(word) for word in dropped)
    return is_part and any(word.destroys for word in theirs)


def _would_mislead(tool: Tool, ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """Whether a tool does what a name does not ask for: a change, the opposite, or another change."""
    if _is_declared_change(tool, theirs) and not _asks_for_change(ours, theirs):
        return True
    if (_is_read_request(ours) and _may_change(tool, theirs)) or _are_opposites(ours, theirs):
        return True
    return not (tool.read_only or seems_to_read(tool)) and _is_another_verb(ours, theirs)


def _asks_for_more(words: Sequence[Word]) -> bool:
    """Whether the first word of a name asks for a change, which no tool that reads makes: `pause_job` is no `get_job`."""
    if any(word.reads and word.text not in _PERMISSIONS for word in words[-1:]):  # `post_list`
        return False
    return any(_is_change(word) and word.text not in _ALSO_READS | _RUNS for word in words[:1])


def asks_to_read(called: str) -> bool:
    """Whether the first word of an unknown name says that something is only read.

    Args:
        called: the name that was called.
    """
    return _is_read_request(parse_name(called[:200]).tail_words)


def asks_for_change(called: str) -> bool:
    """Whether an unknown name may say that something is changed: any word does so, unless the first says that it is read.

    Args:
        called: the name that was called.
    """
    parsed = parse_name(called[:200])
    if _is_read_request(parsed.tail_words):
        return any(word.destroys for word in parsed.tail_words)
    return any(_is_change(word) and word.text not in _ALSO_READS | _RUNS for word in parsed.words)


def _is_read_request(words: Sequence[Word]) -> bool:
    """Whether a name says that something is only read."""
    return bool(words) and words[0].reads


def _may_change(tool: Tool, words: Sequence[Word]) -> bool:
    """Whether a tool may change something: nothing says that it only reads, and its first word is not known as harmless."""
    return not (tool.read_only or seems_to_read(tool) or (words and words[0].text in _HARMLESS))


def _is_another_verb(ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """Whether the first words are unrelated, and one is no misspelling of the other: `brain_node` and `drain_node`."""
    if not (ours and theirs):
        return False
    may_be_misspelt = ours[0].meaning is UNKNOWN and not ours[0].changes
    if (may_be_misspelt and ours[0].text[0] == theirs[0].text[0]) or _is_inflected(ours[0], theirs[0]):
        return False
    is_known = bool(
        ours[0].meaning.same & theirs[0].meaning.same or ours[0].meaning.related & theirs[0].meaning.related
    )
    return not is_known and not any(word.stem == theirs[0].stem for word in ours)


def _is_inflected(one: Word, other: Word) -> bool:
    """Whether one verb is a form of the other: `add` and `added`."""
    short, long = sorted((one.text, other.text), key=len)
    return long.startswith(short) and long[len(short) :] in _ENDINGS


def _are_opposites(ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """Whether a word of one name reverses a word of the other, as `unlock` and `lock` do, or only one is without something."""
    texts, others = {word.text for word in ours}, {word.text for word in theirs}
    if "without" in texts ^ others and (NEGATIONS.isdisjoint(texts) or NEGATIONS.isdisjoint(others)):
        return True
    pairs = [(texts, others), (others, texts)]
    return any(
        f"{prefix}{text}" in there - here for here, there in pairs for text in here - there for prefix in _UNDO_PREFIXES
    )


def _differs_in_number(ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """Whether one name has a word in the singular and the other in the plural, as `drop_table` and `drop_tables` do."""
    return any(word.text != other.text and word.stem == other.stem for word, other in zip(ours, theirs, strict=False))


def seems_to_read(tool: Tool) -> bool:
    """Whether the name or description of a tool says that it reads, and neither says that it changes something.

    This is accurate enough to choose the sentences of feedback, but not to run a tool again.

    Args:
        tool: a tool, usually without declared hints.
    """
    if tool.read_only or tool.destructive:
        return tool.read_only
    return _describes_reading(tool.name[:200], tool.summary)


def is_said_to_read(tool: Tool) -> bool:
    """Whether a tool seems to read, or a server that is not trusted says so and its name and description do not contradict.

    This is accurate enough to leave out a sentence about effects, and for nothing else.

    Args:
        tool: a tool, usually without declared hints.
    """
    if seems_to_read(tool):
        return True
    return tool.claims_read_only and not tool.destructive and not _names_change(tool.name[:200], tool.summary)


@lru_cache(maxsize=1024)
def _names_change(name: str, summary: str) -> bool:
    words = [*parse_name(name).tail_words, *_first_words(summary)[:1]]
    excused = _RUNS if _runs_read_only(summary) else frozenset()
    return any(_is_change(word) for word in words if not (word.is_form_of_reading or word.text in excused))


@lru_cache(maxsize=1024)
def _describes_reading(name: str, summary: str) -> bool:
    words = parse_name(name).tail_words
    if not words:  # `_`
        return False
    described = _first_words(summary)
    if any(map(_is_change, _further_verbs(summary))):
        return False
    names_what_it_returns = any(word.text in _ARTICLES for word in described[:1])  # "The weather of a city."
    is_plain_read = words[0].text in _PLAINLY_READING or (
        _has_verb_elsewhere(words) and any(word.reads for word in described[:1])
    )
    knows_rest = all(word.meaning is not UNKNOWN and not word.has_opposite for word in words[1:])
    reads = names_what_it_returns or is_plain_read or _runs_read_only(summary) or (words[0].reads and knows_rest)
    return bool(reads) and not _describes_change(words, summary)


def _has_verb_elsewhere(words: Sequence[Word]) -> bool:
    """Whether a verb that reads is last, or behind what may be a server's name: `posts_read`, `printers_list_jobs`."""
    if words[-1].text in _READING_FIRST and len(words) > 1:
        return True
    return words[0].meaning is UNKNOWN and len(words) > 2 and words[1].text in _READING_FIRST


def _is_declared_change(tool: Tool, words: Sequence[Word]) -> bool:
    """Whether a tool is declared destructive, or its name or description says that it changes something."""
    if tool.read_only or tool.destructive:
        return bool(tool.destructive)
    return _describes_change(words, tool.summary)


def _describes_change(words: Sequence[Word], summary: str) -> bool:
    described = _first_words(summary)
    if len(words) == 1 and not (words[0].reads or any(word.reads for word in described[:1])):
        return True  # a single word is a command, such as `order` or `email`
    excused = _RUNS if _runs_read_only(summary) else frozenset()
    return any(_is_change(word) for word in (*words, *described[:1]) if word.text not in excused)


def _first_words(summary: str) -> list[Word]:
    return look_up_words(split_words(summary[:80])[:_FIRST_WORDS])


def _further_verbs(summary: str) -> list[Word]:
    """What else a description may say that a tool does: "Read a message and remove it.", "Read and delete messages."."""
    forms = ((found[1] or found[2]).lower() for found in _FURTHER_VERB.finditer(summary[:_LONGEST_SENTENCE]))
    return look_up_words(dict.fromkeys(one for form in forms for one in (form, form.removesuffix("s"))))


def _runs_read_only(summary: str) -> bool:
    """Whether a description says that the tool runs something read-only, as in "Run a read-only SQL query."."""
    return bool(_RUNS_READ_ONLY.match(summary))


def _is_change(word: Word) -> bool:
    return word.destroys or (word.changes and word.text not in _HARMLESS)


def _asks_for_change(ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """Whether a name asks for a change, even if it misspells the verb of the tool's name."""
    if any(word.reads for word in ours[:1]):
        return False
    if _is_plural_of(ours, theirs) or _is_plural_of(theirs, ours):
        return True
    verbs = list(filter(_is_change, theirs)) or (theirs[:1] if len(ours) == 1 else [])
    words = [word for word in ours if not (word is ours[-1] and _is_noun_of(word, verbs or theirs[:1]))]
    return any(_is_change(word) or any(_is_typo_of(word, verb) for verb in verbs) for word in words)


def _is_plural_of(ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """Whether two names differ only in an `s` at the end: `discard_runs` and `discard_run`."""
    one, other = ([word.text for word in words] for words in (ours, theirs))
    return len(one) > 1 and one[:-1] == other[:-1] and one[-1] == f"{other[-1]}s"


def _is_noun_of(word: Word, verbs: Sequence[Word]) -> bool:
    """Whether the last word of a name is a noun formed from one of the verbs, as in `posts` and `flight_booking`."""
    stems = {verb.stem for verb in verbs}
    return word.stem in stems and all(word.text != verb.text for verb in verbs)


def _is_other_namespace(called: str, name: str) -> bool:
    """Whether a name has a different server as its namespace than a tool's name."""
    ours, theirs = _namespace(called), _namespace(name)
    if not (ours and theirs) or ours.endswith(theirs) or theirs.endswith(ours):
        return False
    from rapidfuzz.distance import OSA

    most = _MOST_TYPOS if min(len(ours), len(theirs)) >= _LONG_ENOUGH else 0
    return OSA.distance(ours, theirs, score_cutoff=most) > most


def _namespace(name: str) -> str:
    return (
        canonical(name[: max((name.rfind(mark) for mark in NAMESPACE_SEPARATORS), default=0)])
        if strip_namespaces(name)
        else ""
    )


def _negative_numbers(name: str) -> list[str]:
    """The negative numbers in a name: names that differ in a sign are different names, not styles of one name."""
    return _NEGATIVE_NUMBER.findall(name)


def _is_typo_of(word: Word, verb: Word) -> bool:
    """Whether an unknown word is a verb, another word for it, or misspelt."""
    return bool(word.meaning.same & verb.meaning.same) or _is_misspelt(word, verb)


def _is_misspelt(word: Word, verb: Word) -> bool:
    """Whether a word is a form of a verb, or an unknown word that is spelt like it, with the same first letter."""
    is_near = (
        word.text[0] == verb.text[0] and len(word.text) >= _LONG_ENOUGH and word_similarity(word, verb) >= MISSPELT
    )
    return word.stem == verb.stem or (is_near and word.meaning is UNKNOWN)


def _unmatched(words: Sequence[Word], others: Sequence[Word]) -> list[Word]:
    remaining = list(others)
    unmatched = []
    for word in words:
        match = next((other for other in remaining if word_similarity(word, other) >= MISSPELT), None)
        if match is None:
            unmatched.append(word)
        else:
            remaining.remove(match)
    return unmatched
