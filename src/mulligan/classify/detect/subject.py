"""What a tool was asked for, as its name says: a text, a record or a verdict may be about failures without being one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from mulligan.tools import Tool

_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CONVERTING = _words("""
    explain define translate translation ocr transcribe transcript transcription caption summarize summarise summary rewrite
    paraphrase proofread draft quote echo
""")
_TEXTS = _words("""
    file files document documents doc docs page pages article articles post posts note notes log logs email emails mail
    mails inbox message messages chat conversation history recording source code snippet fixture fixtures snapshot archive
    archived cache cached stored template attachment attachments resource readme manual help wiki faq knowledge comment
    comments ticket tickets text texts lyrics excerpt content contents story clipboard tail cat grep dump export
""")
_RECORDS = _words("""
    job jobs run runs build builds execution executions operation operations task tasks deployment deployments deploy
    pipeline pipelines workflow workflows incident incidents alert alerts alarm alarms event events delivery deliveries
    payment payments charge charges refund refunds transfer transfers transaction transactions order orders invoice
    invoices call calls request requests message messages error errors exception exceptions fault faults failure failures
    health status uptime history audit activity record records backup backups parcel shipment booking issue issues
""")
_SEARCHING = _words("search find query list filter lookup browse match suggest recommend grep")
_MESSAGES = _words("""
    message messages email emails mail mails inbox note notes comment comments post posts log logs chat conversation history
    transcript recording quote lyrics reply letter clipboard tail code snippet
""")
_ABOUT = _words("status history health uptime info details report reports records list log logs")
_READING = _words("""
    get list describe fetch show view find search retrieve read check poll watch inspect lookup look query load tail last
    track monitor browse export count download open dump
""")
_WRITING = _words("""
    post write create delete remove update edit send upload save move copy rename add set put apply append insert replace patch
    publish submit run execute exec start stop restart cancel install deploy make
""")
_JUDGING = _words("""
    test tests lint validate validation verify check audit score classify evaluate simulate roll compare diff review
    inspect is has can exists exist play guess assess scan match analyze analyse
""")


class Subject(NamedTuple):
    """What a tool's name says.

    Attributes:
        converts: it turns one text into another, so any text may be its result.
        is_text: it returns a text that someone has written, such as a file or a log.
        is_message: that is a message or log, of which any sentence may be the whole.
        is_search: it looks for something, so that finding nothing is a result.
        is_record: it returns the record of something that may have failed, such as a job.
        is_verdict: it judges something, so that a negative answer is a result.
        is_writing: it changes something.
    """

    converts: bool
    is_text: bool
    is_message: bool
    is_search: bool
    is_record: bool
    is_verdict: bool
    is_writing: bool = False


_WRITES = Subject(False, False, False, False, False, False, is_writing=True)


def subject_of(tool: Tool) -> Subject:
    """What the name of a tool says that it returns."""
    return _subject(tool.name[:200])


@lru_cache(maxsize=2_048)
def _subject(name: str) -> Subject:
    words = [word.lower() for word in _PIECES.findall(name)]
    first, known = words[0] if words else "", set(words)
    if first in _WRITING and not known & _JUDGING:
        return _WRITES
    reads = first in _READING or (bool(words) and words[-1] in _ABOUT)
    return Subject(
        converts=bool(known & _CONVERTING),
        is_text=bool(known & _TEXTS),
        is_message=bool(known & _MESSAGES),
        is_search=bool(known & _SEARCHING),
        is_record=reads and bool(known & _RECORDS),
        is_verdict=bool(known & _JUDGING),
    )
