"""What a tool was asked for, as its name says: a text, a record or a verdict may be about failures without being one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from mulligan.tools import Tool

PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def word_set(text: str) -> frozenset[str]:
    """The words of a text, separated by white space."""
    return frozenset(text.split())


_CONVERTING = word_set("""
    explain define translate translation ocr transcribe transcript transcription caption rewrite paraphrase proofread
    draft echo compose narrate
""")
_FILES = word_set("file files source fixture snapshot attachment path")
_MAKING = word_set("write generate create make suggest build design produce render")
_MADE = word_set("""
    story stories text texts copy poem poems haiku html page article essay letter reply email message caption slogan joke
    lyrics song speech script code sql query regex test tests prompt description summary title headline tweet dialogue
    report answer svg xml markdown
""")
_ASKING = word_set("""
    ask answer chat advise advice oracle joke fortune horoscope magic ball persona npc interview converse consult talk
    greet negotiate persuade think thought reflect explain define definition meaning dictionary wisdom proverb trivia
    riddle
""")
_DATABASES = frozenset(("oracle",))  # and no one to ask, if the tool runs a query
_TEXTS = word_set("""
    file files document documents doc docs page pages article articles post posts note notes log logs email emails mail
    mails inbox message messages chat conversation history recording source code snippet fixture fixtures snapshot archive
    archived cache cached stored template attachment attachments resource readme manual help wiki faq knowledge comment
    comments ticket tickets text texts summarize summarise summary letter letters label labels sign inscription plaque
    review reviews quote quotes verse chapter book paragraph lyrics excerpt content contents story clipboard tail cat grep
    dump export voicemail sms dm tweet tweets subtitle subtitles headline headlines news notification notifications
""")
_RECORDS = word_set("""
    job jobs run runs build builds execution executions operation operations task tasks deployment deployments deploy
    pipeline pipelines workflow workflows incident incidents alert alerts alarm alarms event events delivery deliveries
    payment payments charge charges refund refunds transfer transfers transaction transactions order orders invoice
    invoices call calls request requests message messages error errors exception exceptions fault faults failure failures
    sqlstate errno health status uptime history audit activity record records backup backups parcel shipment booking issue
    issues
""")
_SEARCHING = word_set(
    "which whereis search find query list filter lookup browse match suggest recommend grep recall retrieve"
)
_MESSAGES = word_set("""
    message messages email emails mail mails inbox note notes comment comments post posts log logs chat conversation
    history transcript recording quote lyrics reply letter clipboard tail code snippet voicemail sms dm tweet tweets
    subtitle subtitles headline headlines news notification notifications
""")
_ABOUT = word_set("status history health uptime info details report reports records list log logs")
_READING = word_set("""
    get list describe fetch show view find search retrieve read check poll watch inspect lookup look query load tail last
    track monitor browse export count download dump crawl scrape extract visit recall locate estimate measure weigh compute
""")
_WRITING = (
    word_set("""
    accept accrue activate add adjust administer admit align append apply approve archive arm assemble assign attach
    backup ban bid blend block book bookmark boot borrow branch brew broadcast bundle burn buy calculate calibrate call
    cancel capture charge chart checkout claim clean click clone close commit compile compress compute concede confirm
    convert cook cool copy counter craft create crop cut deactivate decode decompress decrypt defer delete deliver demote deploy
    deposit detach dial dim disable disarm disassemble discharge dispatch dispense downgrade drag draw drill drive drop
    dry edit email embed enable encode encrypt enrol enroll equip escalate estimate exchange exec execute extend fax feed
    file fill film fire fit fix flash fly fold follow fork format forward fuel generate grant harvest hash heal heat hire
    hold import insert install invite invoke irrigate issue join kick land launch leave lend like link load lock mail make
    measure merge migrate milk mill minify mint mirror mix mount move mute navigate normalise normalize notify offboard
    offer onboard open optimise optimize order pack page paint pan park parse patch pause pay photograph pick pin place
    plan plant play polish post postpone prescribe press print promote provision prune publish pull pump purchase push put
    quote rebase reboot reconcile record redeem redo refuel refund register reject release remove rename
    render renew reopen repair replace replay report request reschedule reserve reset resize restart restore resume retry
    return revoke rewind ring rollback rotate route run sample sanitise sanitize save scale scan schedule scroll seal seek
    select sell send set settle share shear ship shoot shuffle sign simulate skip sleep slice snapshot solder solve sort
    sow spawn split spray squash stage stake stamp star start stash stop stream submit subscribe swap switch sync tag take text
    till tow trade train transcode transcribe transfer treat triage trigger tune turn type unblock undo unfollow
    unlink unload unlock unmount unpin unsubscribe untag unzip update upgrade upload use vaccinate verify vote wake wash
    water weigh weld wire withdraw write zip
""")
    - _READING
)
UNDOING = word_set("""
    delete remove cancel stop kill block revoke reject close disable deactivate ban mute terminate clear expire lock abort
    end unsubscribe unlink detach drop reset decline refuse deny archive purge withdraw void suspend disarm kick evict
    unpublish invalidate
""")
_STATES = word_set("status history health uptime info details")
_ATTRIBUTES = word_set(
    "title plot rules price prices author authors description hours menu stats statistics results events weather"
)
_CHANGING = word_set(
    "set update change edit post publish send share report reset clear push write submit sync move create add"
)
_NOUNS = word_set(
    "page file text label quote log story report record plan schedule"
)  # as the last word, no verb: `man_page`
_RUNNING = word_set("run execute exec eval invoke")
_SENDING = word_set("send submit issue")  # with a program, they run it: `submit_query`
_COMMANDS = word_set("command cmd")  # a device takes commands, too
_STARTING = word_set("start launch trigger perform make play request simulate")  # with what they start: `start_scan`
_CHECKS = word_set("check checks test tests lint validation")  # `type_check`, but `upload_scan`
_PROGRAMS = word_set("""
    shell bash terminal command cmd cli python repl sql psql mysql sqlite script code kubectl docker git powershell
    console exec ssh notebook cell sandbox curl redis query
""")
_ENSURING = word_set("ensure upsert sync touch")
_OR_CREATE = word_set("or create")  # `get_or_create_tag`
_JUDGING = word_set("""
    count tally test tests lint linter linters validator checker validate validation verify check audit score
    classify evaluate simulate roll compare diff review inspect is has can exists exist guess assess scan
    match analyze analyse probe ping diagnose detect
""")
_PREPOSITIONS = word_set("by for from in of on to with")
_ACTIONS = _WRITING | _READING | UNDOING


class Subject(NamedTuple):
    """What a tool's name says.

    Attributes:
        converts: it turns one text into another, so any text may be its result.
        is_text: it returns a text that someone has written, such as a file or a log.
        is_message: that is a message or log, of which any sentence may be the whole.
        is_search: it looks for something, so that finding nothing is a result.
        is_record: it returns the record of something that may have failed, such as a job.
        is_verdict: it judges something, so that a negative answer is a result.
        is_writing: it does something.
        is_undoing: it ends, removes or denies something, so that a result says that something is no longer there.
        is_reading: it gets something by its name.
        runs: it runs a program or a query, whose output may say anything.
        is_file: it returns the content of a file.
        is_made: it returns a text or code that it makes up.
        words: the words of the name.
        verb: what it does, if it does something.
        is_idempotent: it makes sure of something, which may be so already.
        action: the verb of the name, whether or not it is one that does something: `deny` of `deny_request`.
        thing: what it deals with: `item` of `add_order_item`, `file` of `delete_file_by_id`; empty if the name has no noun.
    """

    converts: bool
    is_text: bool
    is_message: bool
    is_search: bool
    is_record: bool
    is_verdict: bool
    is_writing: bool = False
    is_undoing: bool = False
    is_reading: bool = False
    runs: bool = False
    is_file: bool = False
    is_made: bool = False
    words: frozenset[str] = frozenset()
    verb: str = ""
    is_idempotent: bool = False
    action: str = ""
    thing: str = ""


def subject_of(tool: Tool) -> Subject:
    """What the name of a tool says that it returns."""
    return _subject(tool.name[:200])


@lru_cache(maxsize=2_048)
def _subject(name: str) -> Subject:
    words = [word.lower() for word in PIECES.findall(name)]
    first, all_words = words[0] if words else "", set(words)
    verbs = words[:-1] if words[1:] and words[-1] in _NOUNS else words
    verb = next((word for word in verbs[:3] if word in _WRITING or word in _READING or word in _JUDGING), first)
    action = next((word for word in verbs[:3] if word in _ACTIONS), first)
    end = next((place for place, word in enumerate(words) if place and word in _PREPOSITIONS), len(words))
    thing = next((word for word in reversed(words[:end]) if word != action), "")
    runs = verb in _RUNNING or (bool(all_words & _PROGRAMS) and (verb in _PROGRAMS or verb not in _WRITING | _READING))
    runs = runs or (verb in _SENDING and not all_words.isdisjoint(_PROGRAMS - _COMMANDS))
    is_made = bool(all_words & _MAKING) and bool(all_words & _MADE) and words[-1] in _MADE
    opens_text = verb == "open" and bool(all_words & (_TEXTS | _RECORDS))
    is_named_check = bool(words) and words[-1] in _CHECKS
    judges = bool(all_words & _JUDGING) and (verb in _JUDGING or verb in _RUNNING | _STARTING or is_named_check)
    about = words[-1] if words and words[-1] in _ABOUT else ""  # `claim_status`, but `update_status`
    is_attribute = len(words) == 2 and words[-1] in _ATTRIBUTES and verb not in _CHANGING  # `park_rules`
    is_noun = is_attribute or (bool(about) and (verb in _RECORDS or (about in _STATES and verb not in _CHANGING)))
    if verb in _WRITING and not opens_text and not judges and not is_made and not is_noun:
        converts = bool(all_words & _CONVERTING) and first in _CONVERTING
        return Subject(
            converts,
            False,
            False,
            False,
            False,
            False,
            is_writing=True,
            is_undoing=bool(all_words & UNDOING),
            runs=runs,
            words=frozenset(words),
            verb=verb,
            is_idempotent=bool(all_words & _ENSURING) or all_words >= _OR_CREATE,
            action=action,
            thing=thing,
        )
    reads = verb in _READING or opens_text or (bool(words) and words[-1] in _ABOUT)
    return Subject(
        converts=bool(all_words & _CONVERTING)
        or is_made
        or bool(all_words & (_ASKING - _DATABASES if runs else _ASKING)),
        is_text=bool(all_words & _TEXTS),
        is_message=bool(all_words & _MESSAGES),
        is_search=bool(all_words & _SEARCHING),
        is_record=reads and bool(all_words & _RECORDS),
        is_verdict=bool(all_words & _JUDGING),
        is_undoing=bool(all_words & UNDOING),
        is_reading=reads,
        runs=runs,
        is_file=bool(all_words & _FILES),
        is_made=is_made,
        is_idempotent=bool(all_words & _ENSURING) or all_words >= _OR_CREATE,
        words=frozenset(words),
        action=action,
        thing=thing,
    )
