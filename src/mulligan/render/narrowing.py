"""The arguments by which a query that takes too long can ask for less."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mulligan.lazy import lazy_pattern
from mulligan.repair.provenance import is_plain_identifier
from mulligan.resolve.words import split_words, word_set

if TYPE_CHECKING:
    from mulligan.tools import Tool

_RAN_OUT = lazy_pattern(  # a query that took too long, not a connection that was slow for once
    r"\b(?:query|statement|quer(?:y|ies) execution|aggregation|scan(?:ned)?|search|operation|job|report|execution)\b.{0,80}?"
    r"\b(?:time ?limit|time[d ]?-?out|too long|cancel+ed|exceeded|aborted|killed)\b|MaxTimeMS|\brows? scanned\b",
    re.IGNORECASE | re.DOTALL,
)
_READ_SO_FAR = lazy_pattern(  # how much had been read when the time was over
    r"\b\d[\d,.]*(?: (?:thousand|million|billion))? "
    r"(?:of (?:about |some |a total of )?\d[^\n]{0,40}|(?!m?s\b|sec|min|hour)[\w-]+ (?:of \d+ )?){1,2}"
    r"\b(?:read|scanned|processed|examined|fetched|searched|checked)\b|"
    r"\b(?:after )?(?:reading|scanning|processing|examining|fetching|searching|checking) \d[\d,.]*",
    re.IGNORECASE,
)
_ASKS_FOR_LESS = lazy_pattern(
    r"\b(?:(?:reduc(?:e|ing)|shorten(?:ing)?|restrict(?:ing)?) (?:the|your) (?:[\w-]+ )?"
    r"(?:amount|size|number|range|scope|volume|interval|period|window)|"
    r"(?:ask|request)(?:ing)? (?:for )?(?:less|fewer)|"
    r"(?:smaller|shorter|narrower) (?:range|interval|period|page|window|query|request)|"
    r"more (?:specific|selective|restrictive) (?:query|search|filter|pattern|criteri(?:a|on)|condition)|"
    r"add(?:ing)? (?:a|more) (?:[\w-]+ )?filters?|"
    r"(?:at most|maximum of|up to|no more than) \d+ \w+ (?:at a time|at once|per (?:request|query|call))|"
    r"\d[\d,.]* (?:[\w-]+ )?or (?:fewer|less)|"
    r"(?:fewer|less) than \d[\d,.]* [\w-]+ (?:at a time|at once|per (?:request|query|call))|"
    r"narrow (?:down )?(?:the|your)|too much data|"
    r"(?:restrict|limit|narrow|filter) (?:it|them|(?:the )?results?|(?:the )?(?:query|search)) (?:with|by|using|to))\b",
    re.IGNORECASE,
)
_TOO_MUCH = lazy_pattern(  # of a call that only reads, it is the answer that is too large
    r"\b(?:results?|response|answer|output|reply|content|messages?|payload|body|rows?|page|file|blob|diff)"
    r"(?: (?:set|size|length|count|window|was|is|are|of [\w-]+|\([^()\n]{1,40}\))){0,3}"
    r" (?:(?:much |far |still )?too (?:large|long|big|many)\b|larger than |exceed(?:s|ed|ing)?\b)|"
    r"\b(?:return|yield|produce|match|select|find)(?:s|e?d|es|ing)? (?:far |much )?too (?:many|much)\b|"
    r"\btoo (?:many|much) (?:matching |returned )?"
    r"(?:results?|rows?|records?|entries|matches|items|hits|documents|objects|lines|data)\b|"
    r"\bexceed(?:s|ed|ing)? the (?:maximum|max|limit)(?: number)? of (?:[\d,]+ )?"
    r"(?:results?|rows?|records?|entries|matches|items|lines|files|bytes|tokens|characters)\b|"
    r"\bsize ?limit ?(?:was |is )?exceeded",
    re.IGNORECASE,
)
_MOMENT = lazy_pattern(r"-?\d|P\d|now|today|yesterday|last|past|this|previous", re.IGNORECASE)
_LIMITS = word_set("limit max maximum top count size rows first num")
_NO_FILTERS = word_set(
    "format output sort order page offset cursor token fields verbose timeout wait retry retries color lang language "
    "locale include encoding style mode dry id projection columns select"
)
_SELECTS = lazy_pattern(r"\s*(?:select|with|match)\s", re.IGNORECASE)
_STARTS, _ENDS = word_set("since from start after begin"), word_set("until to end before")
_STEPS = word_set("timeframe granularity resolution interval step bucket")
_FILTERS = word_set("filter filters pattern prefix match where condition glob")
_VIEWS = word_set("filter scope view detail details verbosity depth level format include part parts")
_STATEMENTS = word_set("sql query statement cypher expression script")
_PERIODS = word_set(
    "date dates day days week weeks month months hour hours minute minutes lookback since until from start end period range "
    "window preset interval"
)
_MOST_TEXT, _MOST_NAMES, _LONG_VALUE = 1_000, 3, 1_000


def asks_for_less(text: str) -> bool:
    """Whether a report asks to request less.

    Args:
        text: the quoted text of a failure.
    """
    return _ASKS_FOR_LESS.search(text[:_MOST_TEXT]) is not None


def is_too_much(text: str, tool: Tool | None, sent: Mapping[str, Any]) -> bool:
    """Whether a report says that the answer is too large: of a tool that only reads, and that was sent nothing large itself.

    Args:
        text: the quoted text of a failure.
        tool: the tool, or None.
        sent: the arguments of the call.
    """
    if (
        tool is None
        or not tool.read_only
        or any(isinstance(one, str) and len(one) > _LONG_VALUE for one in sent.values())
    ):
        return False
    return _TOO_MUCH.search(text[:_MOST_TEXT]) is not None


def takes_too_long(text: str) -> bool:
    """Whether a report on a timeout says that the query itself took too long.

    Args:
        text: the quoted text of the failure.
    """
    text = text[:_MOST_TEXT]
    return _RAN_OUT.search(text) is not None or _READ_SO_FAR.search(text) is not None


def find_limit(tool: Tool) -> str | None:
    """The argument that bounds how much is returned; None without one.

    Args:
        tool: the tool.
    """
    names = (
        name for name, schema in _members(tool) if _is_number(schema) and not _LIMITS.isdisjoint(split_words(name))
    )
    return next(names, None)


def find_filters(tool: Tool, sent: Mapping[str, Any], said: str = "") -> list[str]:
    """At most three optional arguments that were not sent and that may bound or select what is returned.

    Args:
        tool: the tool.
        sent: the arguments of the call.
        said: the report; if it names some of them in quotes, only these are returned.
    """
    limit = find_limit(tool)
    names = [
        name
        for name, schema in _members(tool)
        if not _is_number(schema) and not _is_flag(schema) and _NO_FILTERS.isdisjoint(split_words(name))
    ]
    names = [name for name in ([limit] if limit else []) + names if name not in sent]
    named = [name for name in names if re.search(rf"['\"`]{re.escape(name)}['\"`]", said[:_MOST_TEXT])]
    return (named or names)[:_MOST_NAMES]


def find_reducible(tool: Tool, sent: Mapping[str, Any]) -> list[tuple[str, str]]:
    """At most three arguments that were sent and that can ask for less, each with how.

    That is `fewer` of a list, a `shorter` period, a `later_start`, an `earlier_end`, `coarser` steps, a `narrower` filter, or
    `another` choice of what is returned.

    Args:
        tool: the tool.
        sent: the arguments of the call.
    """
    members = dict(_members(tool))
    sent_names = [name for name in members if name in sent]
    lists = [("fewer", name) for name in sent_names if isinstance(sent[name], list) and len(sent[name]) > 1]
    periods = [
        (_how(name), name)
        for name in sent_names
        if _may_be_period(sent[name]) and not (_PERIODS | _STEPS).isdisjoint(split_words(name))
    ]
    bounded = {name for _, name in lists + periods}
    others = [name for name in sent_names if name not in bounded]
    choices = [("another", name) for name in others if _chooses_view(name, members[name])]
    narrower = [("narrower", name) for name in others if "enum" not in members[name] and _is_filter(name, sent[name])]
    return (lists + periods + narrower + choices)[:_MOST_NAMES]


def _is_filter(name: str, value: object) -> bool:
    """Whether an argument selects what is returned; a statement in a query language is asked for otherwise."""
    words = split_words(name)
    return isinstance(value, str) and not _FILTERS.isdisjoint(words) and _STATEMENTS.isdisjoint(words)


def _chooses_view(name: str, schema: Mapping[str, Any]) -> bool:
    """Whether an argument chooses one of several ways in which more or less is returned."""
    options = schema.get("enum")
    return isinstance(options, list) and len(options) > 1 and not _VIEWS.isdisjoint(split_words(name))


def _may_be_period(value: object) -> bool:
    """Whether a value may be a number, a date or a span of time; a `from` may be a sender, too."""
    return isinstance(value, int) or (isinstance(value, str) and _MOMENT.match(value) is not None)


def find_statement(tool: Tool, sent: Mapping[str, Any]) -> str | None:
    """The argument that was sent and holds a statement in a query language; None without one.

    Args:
        tool: the tool.
        sent: the arguments of the call.
    """
    texts = (name for name, _ in _members(tool) if isinstance(sent.get(name), str) and " " in sent[name])
    return next((name for name in texts if not _STATEMENTS.isdisjoint(split_words(name))), None)


def reads_rows(statement: str) -> bool:
    """Whether a statement selects rows, as one of SQL or Cypher does."""
    return _SELECTS.match(statement) is not None


def _how(name: str) -> str:
    """How an argument that is about a period asks for less."""
    words = set(split_words(name))
    how = {"coarser": _STEPS, "later_start": _STARTS, "earlier_end": _ENDS}
    return next((key for key, known in how.items() if not known.isdisjoint(words)), "shorter")


def _members(tool: Tool) -> list[tuple[str, Mapping[str, Any]]]:
    properties = tool.parameters.get("properties")
    members = properties.items() if isinstance(properties, Mapping) else ()
    return [(name, schema) for name, schema in members if isinstance(schema, Mapping) and is_plain_identifier(name)]


def _types(schema: Mapping[str, Any]) -> set[object]:
    options = [schema, *(option for option in schema.get("anyOf", ()) if isinstance(option, Mapping))]
    return {
        kind
        for option in options
        for kind in ([option["type"]] if isinstance(option.get("type"), str) else option.get("type") or ())
    }


def _is_number(schema: Mapping[str, Any]) -> bool:
    return not _types(schema).isdisjoint(("integer", "number"))


def _is_flag(schema: Mapping[str, Any]) -> bool:
    return "boolean" in _types(schema)
