"""What the text of a response says beside its status: a state, something that is used up, a closed account.

A 400 or 422 may say anything about a request, and some services send a 403 or 404 for a state.
"""

from __future__ import annotations

import re

from mulligan.classify import meanings as m
from mulligan.classify.failure import Failure
from mulligan.classify.reasons import meaning_of_codes
from mulligan.lazy import lazy_pattern

_REJECTED = (400, 422)
# `Instance is starting or running.`, `Cannot update archived item: i-7`, `Task b9 is in state 3 (completed)`
_STATE = lazy_pattern(
    r"\b(?:is|are) (?:currently |still |already |being )?(?:(?:re)?starting or |stopping or )?"
    r"(?:running|starting|stopping|stopped|moving|paused|suspended|archived|closed|locked|cancell?ed|completed|finished|"
    r"shipped|delivered|merged|occupied|full|in (?:state|status) (?:\d+|(?-i:[A-Z_]{3,30})))(?=\s*(?:$|[.,;(]))"
    r"|\bonly (?:draft|pending|published|scheduled|queued|failed|paid|unpaid) \w+ can be \w+ed(?=\s*(?:$|[.,;(]))"
    r"|\bcan(?:not|'t| not) (?:edit|modify|update|change|delete|remove|archive|cancel|close|merge|publish|refund|restart|"
    r"resume|stop|approve|complete|start) (?:a |an |the )?(?:active|inactive|open|closed|running|stopped|paused|pending|"
    r"queued|failed|finished|completed|cancell?ed|archived|published|draft|paid|unpaid|expired|suspended|locked) \w+"
    r"(?=\s*(?:$|[.,;:(]))"
    r"|\b(?:is|are|was|were|has been|have been) already (?:accepted|active|approved|archived|cancell?ed|claimed|closed|"
    r"completed|delivered|finished|locked|merged|paid|published|redeemed|rejected|resolved|sealed|sent|settled|shipped|sold|"
    r"started|submitted|used)(?=\s*(?:$|[.,;(]))"
    r"|\bnot your turn\b|\balready (?:over|ended|started|running|closed|cancell?ed|finished|shipped)(?=\s*(?:$|[.,;(]))",
    re.IGNORECASE | re.MULTILINE,
)
_DEMANDED = (  # what a body says of an argument
    r"\b(?:must|should|needs?|expect\w*|unexpected|invalid|illegal|malformed|require[ds]?|allowed|one of|choose|if|unless|"
    r"max(?:imum)?|min(?:imum)?|limit|at (?:least|most)|(?:less|more|greater|longer|shorter) than)\b"
)
_DEMANDS = lazy_pattern(_DEMANDED, re.IGNORECASE)
_ACCOUNT = "(?:account|plan|subscription|organi[sz]ation|workspace|team|tenant|licen[sc]e)"
# What was used up: the number of things that an account or another thing may have, but not how long or how often.
_REACHED = (
    r"(?:\breach(?:es|ed)?\b[^.\n]{0,40}\b(?:limit|maximum)\b|\b(?:limit|maximum)\b[^.\n]{0,40}\breached\b"
    r"|\b(?:will|would) exceed (?:your|its|the) (?:\w+ ){1,2}limit\b)"
)
_THING_FULL = lazy_pattern(_REACHED, re.IGNORECASE)
# Not a thing of the user, nor one that the text points at: `Your cart has reached`, `tags on this page`.
_ACCOUNT_FULL = lazy_pattern(
    rf"(?!.{{0,200}}\b(?:on|in|for|of|to|from) this (?!{_ACCOUNT}))"
    rf"(?!.{{0,200}}\byour (?!{_ACCOUNT})\w+ (?:has |have |already )*reach)"
    rf"(?=.{{0,200}}\b(?:you|your|{_ACCOUNT})\b).{{0,200}}?{_REACHED}",
    re.IGNORECASE | re.DOTALL,
)
_MEASURED = lazy_pattern(
    r"\b(?:rate|requests?|calls?|queries|retries|attempts|redirects|concurrent|connections|tokens?|characters?|bytes|letters|"
    r"words|lines|length|size|depth|value|range|minutes?|hours?|seconds?|transfer|amount|per)\b",
    re.IGNORECASE,
)
# What is full at the service, and what may have been too large instead.
_STORAGE_FULL = lazy_pattern(r"\b(?:disk|storage) (?:quota|usage|space)\b|\bno space left\b", re.IGNORECASE)
_SENT = lazy_pattern(r"\b(?:files?|requests?|uploads?|payloads?|attachments?|body|max|per)\b", re.IGNORECASE)
# An account that is closed, and a key that is: `Your subscription is cancelled.`, `This API key is suspended.`
_CLOSED = (
    r" (?:is|has|has been|was) (?:currently |temporarily )?"
    r"(?:suspended|locked|closed|disabled|deactivated|inactive|cancell?ed|expired|blocked|frozen)\b"
)
_ACCOUNT_CLOSED = lazy_pattern(
    rf"\b(?:your {_ACCOUNT}(?: \w+)?|the (?!account|team){_ACCOUNT}|billing(?: (?:for|of) \w+ \w+)?){_CLOSED}",
    re.IGNORECASE,
)
_KEY_CLOSED = lazy_pattern(
    rf"\b(?:your|the|this) (?:api[ -]?key|access (?:key|token)|api token){_CLOSED}", re.IGNORECASE
)
_PER_TIME = lazy_pattern(r"\bper[ -]?(?:second|minute|hour|\d+ ?s)|/(?:s|sec|min|minute|h|hour)\b", re.IGNORECASE)
_ADDRESS = lazy_pattern(r"https?://\S+")
_USED_UP = lazy_pattern(  # what waiting a minute does not help
    r"\bper[ -]?(?:day|week|month|year)\b|\b(?:daily|weekly|monthly|yearly|annual)\b|"
    r"\b(?:credits?|balance|billing|plan|trial|insufficient_quota|current quota)\b",
    re.IGNORECASE,
)
# What a body says of an argument, or of what is no thing that a call names; or that nothing was found.
_NO_STATE = lazy_pattern(
    rf"{_DEMANDED}|\b(?:accounts?|{_ACCOUNT}|billing|api keys?|tokens?|credentials?|users?|permissions?|access|"
    r"ip|sessions?|endpoints?|(?<!pull )(?<!merge )requests?|connections?)\b|\bno \w+ (?:with|named|matches)\b|"
    r"\bnot found\b|\bno such\b|\b(?:does not|doesn't) exist\b",
    re.IGNORECASE,
)
_INSUFFICIENT = lazy_pattern(  # `Insufficient stock of oak-7`, `Insufficient funds in account 'A1'`
    r"\b(?:insufficient|not enough|too little) (?:funds|balance|money|stock|inventory|quantity|seats|space)"
    r" (?:of|in|on|for|at) (?:the )?(?:account |item |sku |warehouse )?(['\"]?[\w.-]*[A-Za-z][\w.-]*\w['\"]?)",
    re.IGNORECASE,
)
_OF_A_THING = (400, 409, 422)
_LONGEST_TOLD = 800
# A code that repeats a 400.
_SAYS_NO_MORE = lazy_pattern(r"(?:invalid|bad)[_ -]?request(?:[_ -]?error)?", re.IGNORECASE)
# Of some statuses: what a text says, unless it also says something else, and what it then means.
_SAYINGS: tuple[tuple[tuple[int, ...], re.Pattern[str], re.Pattern[str], m.Meaning], ...] = (
    ((413,), _STORAGE_FULL, _SENT, m.QUOTA),
    (_REJECTED, _ACCOUNT_CLOSED, _DEMANDS, m.PERMISSION),
    (_REJECTED, _KEY_CLOSED, _DEMANDS, m.AUTHENTICATION),
    (_REJECTED, _ACCOUNT_FULL, _MEASURED, m.QUOTA),
    (_REJECTED, _THING_FULL, _MEASURED, m.CONFLICT),
    (_REJECTED, _STATE, _DEMANDS, m.CONFLICT),
    ((403, 404), _STATE, _NO_STATE, m.CONFLICT),
)


def said_beside(status: int, failure: Failure) -> m.Meaning | None:
    """What the text of a response says that a code of rejected arguments does not contradict; None if it says nothing known.

    Args:
        status: the HTTP status.
        failure: the failure to classify.
    """
    # The service's own words, since a client adds others: `400 Client Error: Bad Request for url`.
    told = (failure.service_text or failure.told)[:_LONGEST_TOLD]
    for statuses, said_so, unless, meaning in _SAYINGS:
        if status in statuses and said_so.search(told) and not unless.search(told):
            telling = tuple(code for code in failure.codes if not _SAYS_NO_MORE.fullmatch(code))
            return None if meaning_of_codes(telling, (m.ARGUMENT,)) is m.ARGUMENT else meaning
    return None


def is_rate(failure: Failure) -> bool:
    """Whether a quota is for a short time, so that waiting helps: `Read requests per minute per user`.

    Args:
        failure: the failure, which says that something is used up.
    """
    told = _ADDRESS.sub(" ", failure.told[:_LONGEST_TOLD])
    return _PER_TIME.search(told) is not None and _USED_UP.search(told) is None


def is_of_a_thing(status: int, failure: Failure) -> bool:
    """Whether what is used up belongs to a thing that the call names, such as a bank account: another may do.

    Args:
        status: the HTTP status.
        failure: the failure, which says that something is used up.
    """
    found = _INSUFFICIENT.search(failure.told[:_LONGEST_TOLD]) if status in _OF_A_THING else None
    sent = (value for value in (failure.arguments or {}).values() if type(value) is str)
    return found is not None and found[1].strip("'\"") in sent
