"""What a sentence says of the outcome of a call: that it was refused, that it succeeded after all, or an apology.

The sentences are normalized (`normalize`). Each table is a list of patterns of whole words, one a line.
"""

from __future__ import annotations

import re

from mulligan.classify.detect.languages import foreign_sense, joined_lines
from mulligan.classify.detect.sentences import normalize
from mulligan.classify.detect.subject import Subject

_MOST_DONE, _FEWEST_WORDS, _SHORTEST_VERB = 6, 3, 3


def _words(lines: str) -> re.Pattern[str]:
    """One of the lines, as whole words."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(joined_lines(lines))})(?![A-Za-z0-9_])")


REFUSAL = _words(
    r"""
    (?:can|could|did|does|do|was|were|is|are|has|have|had|may|must|would|will|shall)(?: [a-z]+)? (?:not|never|no longer)
    unable to
    not able to
    not possible
    impossible
    no longer
    not (?:allowed|permitted|authori[sz]ed|enough|sent|saved|done|found|supported|available|accepted|valid)
    no \w+(?: \w+)? (?:was|were|has been|have been|could be|is|are) (?:\w+ed|made|sent|found|taken|built|left|set|available)
    nothing (?:was|has been|found|is)
    (?:was|were|got|been) (?:stopped|interrupted|halted|killed|aborted|cut short) (?:before|after|at|by|midway)
    (?:crashed|refuses?|refused|refusing|rejected|denied|declined|aborted|failed|fails|failure|forbidden|prohibited)
    (?:must|has to|have to|should|needs? to) (?:first |not |also |only )?(?:be|have|contain|match|start|end|include)
    (?:must|has to|have to|should|needs? to) (?:first |not |also |only )?(?:lie|come|wait|pay|log|sign)
    nobody
    no one
    sold out
    only \S+(?: \S+){0,6} (?:allowed|possible|can|may|left|remaining|accepted|supported)
    too (?:many|much|long|short|large|small|few|high|low|big|early|late|far|old|young|heavy|busy|fast|soon)
    out of
    outside(?: of)? (?:the|its|your|our)(?: \w+)? (?:range|limits?|bounds|area|hours|window|zone)
    (?:insufficient|not enough|already|exceed(?:s|ed)?|conflicts?|overlaps?|clash(?:es)?|expected)
    (?:invalid|illegal|unknown|unsupported|unrecogni[sz]ed|malformed|missing|expired|unavailable)
    (?:unreachable|timed out|overloaded|rate limit|quota|limit (?:reached|exceeded)|slow down)
    no (?:answer|response|reply|connection|signal)
    still (?!available|open|valid|possible|time)
    before you
    wait (?:for |at least )?\d
    (?:is|are|was|were|has been|have been|has just been|currently) (?:currently |already |being |just )?(?:taken|booked
        |reserved|occupied|sold|full|fully booked|locked|closed|checked out|in use|on loan|blocked|disabled|suspended
        |archived|cancell?ed|stopped|paused|running|moving|open|offline|muted|frozen)
    between \S+ and \S+(?=,? (?:got|but|not))
    """
)
_NEGATED_VERB = re.compile(r"\b(?:can|could|was|were|is|are|did|does|has|have) not\b|\b(?:unable|failed) to\b")
NEGATION = _words(
    r"""
    not
    never
    unable
    failed to
    nothing was
    no [a-z]+ (?:was|were)
    already
    by (?:another|someone)
    before (?:it|they|the|this)
    """
)
_BENIGN = _words(  # no changes, nothing to do
    r"""
    nothing (?:to|else|more|new|changed)
    no (?:changes?|need|action|errors?|problems?|warnings?|issues?|conflicts?|further|other|new|more|differences?)\b
    not (?:needed|necessary|affected|only|just|yet due)
    no longer (?:needed|receive|get|see|be charged|have|blocked)
    you will (?:not|no longer)
    does not need
    already (?:satisfied|up|installed|(?:(?:at|on) )?(?:the )?(?:current|latest|newest)|done|ok|clean|in sync)
    (?:skipp|ignor|unchanged|kept)[a-z]*
    do not (?:forget|worry|hesitate)
    no [a-z]+ (?:was|were) (?:lost|harmed|needed|affected|skipped)
    without (?:errors?|problems?|issues?)
    """
)
# Participles that say that something was not done.
_BAD_STEMS = (
    "fail|deni|refus|reject|declin|block|abort|expir|exceed|suspend|lock|clos|interrupt|tim|limit|throttl|overload|corrupt"
    "|requir|expect|need|crash|miss|drop|damag|stopp|revok|restrict|forbid|malform|exhaust|jamm|occupi|reserv|detect"
    "|encounter|occurr|rais|rate|vot|cancell?|terminat|kill|prohibit|halt|end|depart|pass|un|in|mis|dis"
)
_PARTICIPLE = re.compile(
    r"(?:sent|set|put|made|built|paid|sold|bought|fed|kept|given|written|done|drawn|begun|on|off|cast|cut|read|shut|split"
    r"|held|lent|lit|taken|thrown|shown|chosen|grown|bound|won"
    rf"|(?!{_BAD_STEMS})[a-z]{{3,}}ed)"
)
_DONE_FIRST = re.compile(  # `Booked!`, `Successfully sent`, `I have saved it`
    r"(?:ok|okay|done|i will(?! not)|i have(?! not)|success\w*|yes|all \w+|sent|made|built|set|put|paid|sold|begun|written"
    r"|(?:successfully )?(?!un|fail|deni|refus|reject|block|abort|expir|limit|rate|tim|overload|forbid|throttl|prohib|declin"
    r"|malform|interrupt|exhaust|exceed|need)[a-z]{3,}ed)\b"
    r"(?! (?:to|by|because|due|with|out|request|value|format|input|option|token|parameter))"
)
_DONE_AT_ALL = re.compile(
    r".{0,120}\b(?:successfully|is now|are now|as (?:you )?(?:requested|asked|wished|planned|instructed|ordered)|has been"
    r" (?!rejected|refused|denied|declined|blocked|suspended|taken|changed|modified|updated|deleted|removed|aborted|already"
    r"|exceeded|locked|revoked|expired|disabled|terminated)\w+ed)\b"
)
_DONE_UNLESS_NEGATED = re.compile(
    r"\b(?:succeeded|successful|removed|deleted|cleared|cleaned|lifted|restored|recovered|resolved|fixed|uploaded|unblocked"
    r"|repaired|skipped|ignored|corrected)\b"
    r"|(?<!be )(?<!un)\b(?:queued|booked|reserved|recorded|saved|added|created|updated|noted|stored|sent|uploaded|applied"
    r"|registered|charted|logged|scheduled|confirmed|completed|finished|published|marked|changed|set)[.!]?$"
    r"|\A(?:your |the |a |an )?(?:\w+ ){1,4}(?:is|are|was|were|has been) (?:now )?(?:booked|reserved|confirmed|sent|saved"
    r"|scheduled|queued) (?:for|at|on|to|in|under)\b(?!.*\bby\b)"
)
_READY = re.compile(r"\b(?:is|are) (?:now )?(?:complete|ready|live|done|active|up|on its way|all set)$")
_OVER = re.compile(
    r"\b(?:no longer(?! (?:possible|allowed|available|be|accept|editable|supported))|is now|are now|has been|have been"
    r"|from now on|any ?more)\b"
)
_ALREADY = re.compile(r"\balready (\w+)")
_EMPTY_RESULT = re.compile(  # without a name, a quotation or a number, nothing was found
    r"(?:There (?:is|are|were) )?(?:[Nn]o|[Nn]one|[Nn]othing)(?: [a-z-]+){0,4}?(?: (?:were|was|are|is))?"
    r"(?: (?:found|available|exists?|left|yet|here))?(?: (?:for|in|on|at|between|within|today|this)\b[^\"'`:#]*)?[.!]?"
)
_APOLOGY = _words(
    r"""
    (?:i am |we are )?(?:so |very |really )?(?:sorry|oops|whoops|uh-oh|unfortunately|apologies|regrettably|alas)\b
    (?:i|we) apologi[sz]e\b
    (?:lo siento|lo sentimos|désolé|leider|entschuldigung|tut mir leid|desculpe|mi dispiace|spiacenti|helaas|beklager)\b
    (?:tyvärr|dessverre|przykro)\b
    (?:抱歉|对不起|申し訳|すみません|죄송)\w*
    извините
    к сожалению
    """
)
_CLAUSE = re.compile(r"[;,:](?=\s)|[.!](?=\s|$)| but | - ")
_ERROR = re.compile(r"\W{0,3}(?:error|fehler|erreur|fatal|failed)\b", re.IGNORECASE)
_COUNT = re.compile(r"\d[\d,.]* [a-z]+(?:[.,;]|$)")
_SENTENCE = re.compile(r"(?<=[.!?])\s|\n")


def first_sentence(message: str) -> str:
    """The first sentence, with the next if it only is a question or an interjection, as in `Room X? No.`.

    Args:
        message: a text.
    """
    parts = _SENTENCE.split(message, maxsplit=2)
    is_short = parts[0].endswith("?") or (parts[0].endswith(("!", ".")) and len(parts[0].split()) < _FEWEST_WORDS)
    return " ".join(parts[:2]) if is_short and len(parts) > 1 else parts[0]


def is_empty_result(sentence: str) -> bool:
    """Whether a sentence says that a search found nothing, without the name of a thing, as in `No events found in May`.

    Args:
        sentence: the first sentence of a text.
    """
    return _EMPTY_RESULT.fullmatch(sentence.strip()) is not None


def reports_success(message: str, first: str) -> bool:
    """Whether a text says that the call succeeded, after all, or that there was nothing to do.

    Args:
        message: the text.
        first: its first sentence.
    """
    words = normalize(first)
    if _says_success(words) or _says_done(_CLAUSE.split(normalize(message), maxsplit=1)[0]):
        return True
    return _BENIGN.search(words) is not None and _NEGATED_VERB.search(words) is None


def is_statistic(message: str) -> bool:
    """Whether a label is followed by a count, or what is labelled was dealt with: `Blocked: 17 callers`.

    Args:
        message: a text.
    """
    if _ERROR.match(message):
        return False
    words = normalize(first_sentence(message))
    is_settled = _DONE_UNLESS_NEGATED.search(words) is not None and NEGATION.search(words) is None
    return is_settled or _COUNT.match(message.partition(": ")[2]) is not None


def says_over(words: str, subject: Subject) -> bool:
    """Whether something has ended, and that is what the tool was asked for: `The token has been revoked`.

    Args:
        words: a normalized sentence.
        subject: what the tool was asked for.
    """
    return subject.is_undoing and _OVER.search(words) is not None


def says_ended(words: str, subject: Subject) -> bool:
    """Whether a sentence says that what the tool was to end has ended: `Session closed.` of `close_session`.

    Args:
        words: a normalized sentence.
        subject: what the tool was asked for.
    """
    return subject.is_undoing and is_own_work(words, subject) and _NEGATED_VERB.search(words) is None


def is_own_work(words: str, subject: Subject) -> bool:
    """Whether a sentence speaks of what the tool does, or of nothing to do: `E6 closed` of `close_road`.

    Args:
        words: a normalized sentence.
        subject: what the tool was asked for.
    """
    stem = subject.verb[:-1] if len(subject.verb) > _SHORTEST_VERB else None
    if _BENIGN.search(words) or says_over(words, subject) or _is_so_already(words, stem, subject):
        return True
    if re.search(rf"\b(?:is|are) (?:now )?{re.escape(subject.verb)}\b", words):
        return True
    ending = r"\w{0,3}ed" if len(subject.verb) > _SHORTEST_VERB else ""
    return re.search(rf"\b{re.escape(stem or subject.verb)}{ending}\b", words) is not None


def counts_own_work(words: str, subject: Subject) -> bool:
    """Whether a sentence says of how many things was done what was asked for: `rejected 2 rows, imported 98`.

    Args:
        words: a normalized sentence.
        subject: what the tool was asked for.
    """
    stem = subject.verb[:-1] if len(subject.verb) > _SHORTEST_VERB else subject.verb
    return re.search(rf"(?<!not )(?<!be )(?<!never )\b{re.escape(stem)}\w{{0,3}}ed [1-9]\d*\b", words) is not None


def says_refused(words: str, subject: Subject) -> bool:
    """Whether a sentence says that what was asked for was not done: with an apology, or of a tool that does something.

    Args:
        words: a normalized sentence.
        subject: what the tool was asked for.
    """
    if subject.is_text or not (_APOLOGY.match(words) or (subject.is_writing and not subject.runs)):
        return False
    stem = subject.verb[:-1] if len(subject.verb) > _SHORTEST_VERB else None
    if _BENIGN.search(words) or says_over(words, subject) or _is_so_already(words, stem, subject):
        return False
    refusals = (
        found[0] for found in REFUSAL.finditer(words)
    )  # the tool's own verb is no refusal: `Rejected the offer`
    return any(stem is None or stem not in refusal for refusal in refusals) or foreign_sense(words) is not None


def _is_so_already(words: str, stem: str | None, subject: Subject) -> bool:
    """Whether something is already what the tool was asked to make it: `Light is already on` of `turn_on_light`."""
    states = _ALREADY.findall(words)
    return any(state in subject.words or (stem is not None and state.startswith(stem)) for state in states)


def _says_success(words: str) -> bool:
    if _DONE_FIRST.match(words) is not None or _DONE_AT_ALL.match(words) is not None:
        return True
    return NEGATION.search(words) is None and _DONE_UNLESS_NEGATED.search(words) is not None


def _says_done(clause: str) -> bool:
    """Whether the first clause only says what was done: `Reminder set`, `Grade F recorded`, `Fed Bongo`."""
    words = clause.split()
    if not 1 < len(words) <= _MOST_DONE or words[0] in ("no", "not", "nothing", "nobody"):
        return False
    if NEGATION.search(clause) or REFUSAL.search(clause):
        return False
    return _READY.search(clause) is not None or any(_PARTICIPLE.fullmatch(word) for word in (words[0], words[-1]))
