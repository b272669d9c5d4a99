"""Sentences that say what the tool itself did, in words that elsewhere report a failure.

`Order 7 rejected.` is the result of `reject_order` and a failure of `approve_order`; `Pump is running.` is what `start_pump`
is for. What a later clause adds (`Invitation sent to bob, who has not accepted yet.`) does not undo what the first one says.
"""

from __future__ import annotations

import re
from functools import lru_cache

from mulligan.classify.detect.outcomes import NEGATION, REFUSAL
from mulligan.classify.detect.sentences import sense, sentences
from mulligan.classify.detect.subject import PIECES, UNDOING, Subject, word_set

_LONGEST = 300
_IRREGULAR: dict[str, str] = dict(
    re.findall(
        r"(\w+):(\w+)",
        """
    begin:begun bind:bound build:built buy:bought cast:cast choose:chosen cut:cut draw:drawn feed:fed freeze:frozen
    give:given grow:grown hold:held keep:kept lend:lent light:lit make:made pay:paid put:put read:read sell:sold
    send:sent set:set show:shown shut:shut split:split take:taken throw:thrown win:won withdraw:withdrawn write:written
    """,
    )
)
# Verbs with which a thing comes to be, or reaches someone: the participle of one is said for another.
_MAKING = word_set(
    "add book create file generate issue make order place post publish record register save schedule send submit write"
)
_CARRIED_OUT = word_set("completed confirmed delivered done executed queued recorded saved started")
_REFUSING = UNDOING | word_set("fail forbid freeze halt interrupt pause restrict")
_CLAIMING = word_set(
    "allocate assign book borrow claim hire hold issue lend loan occupy register rent reserve sell take"
)
_STATES = {  # what a thing is after a verb was done to it, besides the verb's own participle
    verb: states
    for verbs, states in (
        ("boot launch reboot restart resume start unpause wake", "running|up|up and running|active|started"),
        (
            "halt kill shut shutdown stop terminate",
            "stopped|halted|down|off|inactive|(?:not|no longer) (?:running|active)",
        ),
        ("deactivate disable pause suspend", "off|stopped|inactive|on hold|(?:not|no longer) (?:running|active)"),
        ("expire invalidate void", "void|invalid|(?:not|no longer) valid"),
        ("cancel revoke", "void|no longer (?:valid|active)"),
        (
            "archive delete hide purge remove",
            "gone|no longer (?:visible|listed|public)",
        ),
        ("retire unpublish withdraw", "no longer (?:available|visible|listed|public)"),
        ("close disconnect drop end", "closed|shut|ended|over|no longer (?:open|connected|active)"),
        ("clear drain empty flush wipe", "empty"),
    )
    for verb in verbs.split()
}
_BE = r"(?:(?P<be>is|are|was|were|has been|have been) (?:now |successfully )?)?"
_NOUN = r"(?P<noun>[\w#@./-]+(?: [\w#@./-]+){0,4}?)"
_PLACE = r"(?: (?:to|with|for|from|in|on|onto|at|into|as|under)(?: (?!by )[^ ,;:]+){1,12})?"
_DEED = re.compile(rf"(?:the |your |an? )?{_NOUN} {_BE}(?P<done>[a-z]+){_PLACE}")
_NO_NOUN = word_set(  # with one of these, a clause speaks of none, of some, or of what may be
    "0 be can could if may must neither never no nobody none not nothing only should will would zero"
)
_NOMINAL = r"(?:|ing|ation|ition|ion|ment|al|ance|ery)"
_LATER = re.compile(
    r"; |, (?:but |and )?(?=(?:who|whose|which|it|he|she|they|this)\b)"
    r"| (?:and|but) (?=(?:is|are|has|have|does|do|can|will|it|he|she|they)\b)"
)
_UNDONE = re.compile(  # what became of the deed, which is more than a state
    r"\b(?:was|were|did|could|had|got|has been|have been) (?:\w+ )?(?:not|never|\w+ed|undone|withdrawn|lost|sent back)\b"
    r"|\b(?:is|are) (?:aborted|cancell?ed|declined|denied|refused|rejected)\b"
    r"|\b(?:is|are) not (?:delivered|sent|received|saved|stored|applied)\b(?! yet)"
    r"|\b(?:never|fail\w*|bounced|error|rejected|declined|refused)\b"
)
_REASON = re.compile(r":|\b(?:already|because|due to)\b")
_SETTING = word_set("adjust change configure set update")
_SET = re.compile(
    r"(?P<label>[a-z]+(?: [a-z]+){0,4})(?:: | (?:was |is )?(?:now|set to|changed to|updated to) )"
    r"[-+]?\d[\d.,]* ?(?:%|[a-z]+)?(?:(?: per | an? | every | ?/ ?)(?:\d+ )?[a-z]+)?"
)


def reports_own_work(message: str, subject: Subject) -> bool:
    """Whether a line says first that the tool did its work, and nothing after it reports a failure.

    Args:
        message: a text.
        subject: what the tool was asked for.
    """
    if len(message) > _LONGEST or "\n" in message:
        return False
    first, *others = [*sentences(message)] or [""]
    first = first.rstrip(".!")
    if not others and (_is_outcome(first, subject) or _is_setting(first, subject)):
        return True
    return _says_own_deed(first, subject) and all(sense(one) is None for one in others)


def _says_own_deed(sentence: str, subject: Subject) -> bool:
    """Whether the first clause says that the tool did its work, and a later one only how things are."""
    later = _LATER.search(sentence)
    deed = _DEED.fullmatch(sentence, 0, later.start()) if later is not None else None
    if later is None or deed is None or not _is_own_deed(deed, subject):
        return False
    rest, clause = sentence[later.end() :], deed[0]
    if _REASON.search(rest) or _becomes_undone(rest, subject):
        return False
    return NEGATION.search(clause) is None and REFUSAL.search(clause) is None and sense(clause) is None


def _is_outcome(sentence: str, subject: Subject) -> bool:
    """Whether what the tool deals with is as its verb leaves it: `Order 7 rejected`, `Pump is running`."""
    statement = _outcome_of(subject.action)
    found = statement.fullmatch(sentence) if statement is not None else None
    return found is not None and _names(found["noun"], subject)


@lru_cache(maxsize=256)
def _outcome_of(action: str) -> re.Pattern[str] | None:
    """A statement of what a verb leads to, if that is said in words of failures; otherwise None."""
    outcomes = [_participle_of(action)] if action in _REFUSING else []
    if action in _STATES:
        outcomes.append(_STATES[action])
    return re.compile(rf"(?:the |your )?{_NOUN} {_BE}(?:{'|'.join(outcomes)})") if outcomes else None


def _is_setting(sentence: str, subject: Subject) -> bool:
    """Whether a sentence gives the value of what the tool sets: `Rate limit: 5 per minute` of `set_rate_limit`."""
    found = _SET.fullmatch(sentence) if subject.action in _SETTING else None
    return found is not None and found["label"].split()[-1] == subject.thing


def _is_own_deed(deed: re.Match[str], subject: Subject) -> bool:
    """Whether a clause says that the tool's own verb was done, or another that is said for it."""
    action, noun, done = subject.action, deed["noun"], deed["done"]
    if not action or not _NO_NOUN.isdisjoint(noun.split()):
        return False
    if re.fullmatch(_participle_of(action), done):
        was_before = deed["be"] in ("is", "are") and action in _CLAIMING  # `Boat 4 is lent to Ana`
        return not was_before and (action not in _REFUSING or _names(noun, subject))
    if done not in _CARRIED_OUT and not any(re.fullmatch(_participle_of(verb), done) for verb in _MAKING):
        return False
    stem = re.escape(action.rstrip("e"))
    if any(re.fullmatch(stem + _NOMINAL, word) for word in noun.split()):  # `invitation` of `invite`
        return True
    return action in _MAKING and _names(noun, subject)


def _becomes_undone(rest: str, subject: Subject) -> bool:
    """Whether a later clause says what became of the deed, or speaks of doing it again."""
    return _UNDONE.search(rest) is not None or re.search(rf"\b{re.escape(subject.action[:-1])}", rest) is not None


def _names(noun: str, subject: Subject) -> bool:
    """Whether the words of a noun name what the tool deals with, and do not say that there is none."""
    thing = subject.thing.removesuffix("s")
    words = {piece.removesuffix("s") for word in noun.split() for piece in PIECES.findall(word)}
    return thing in words and _NO_NOUN.isdisjoint(noun.split())


@lru_cache(maxsize=256)
def _participle_of(verb: str) -> str:
    """A pattern of a verb's past participle: `stopped`, `denied`, `saved`, `sent`."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb[-1:] in ("e", "y"):
        return f"{verb[:-1]}(?:{verb[-1]}|i)?ed"
    return f"{verb}{verb[-1:]}?ed"
