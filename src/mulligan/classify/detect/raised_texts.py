"""Texts of exceptions that a tool returned as they are: `return str(e)`, or `return f"Error reading file: {e}"`.

What Python, its standard library and its most used clients write into an exception has fixed forms. Hardly anything else
has those of a program that went wrong; those of a connection or a query are also what a check finds. A tool that returns a
text that someone has written reports a failure only with the name of what it tried.

Sources: CPython's `Objects`, `Python` and `Lib/json`, urllib3, requests, httpx, aiohttp, botocore, SQLite, PostgreSQL and MySQL
(https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html); the numbered errors of Oracle
(https://docs.oracle.com/error-help/db/), SQL Server
(https://learn.microsoft.com/sql/relational-databases/errors-events), Db2 (SQLCODE with SQLSTATE), PDO
(https://www.php.net/manual/class.pdoexception.php) and Snowflake's connector.
"""

from __future__ import annotations

import re

from mulligan.classify.detect.subject import Subject

_LONGEST, _MOST_LINES, _MOST_PREFIXES = 600, 3, 3
_FORMS = r"""
    \[(?:Errno -?\d+|WinError \d+|SSL: [A-Z_]+)\] \S.*
    HTTPS?ConnectionPool\(host=.+
    \d{3} (?:Client|Server) Error: .* for url: \S+
    (?:Client|Server) error '\d{3} .+' for url '.+'.*
    \('Connection aborted\.', .+\)
    Event loop is closed
    An error occurred \(\w+\) when calling the \w+ operation.*: .+
    '[\w.]+' object (?:has no attribute '\w+'|is not (?:callable|iterable|subscriptable|an iterator)|does not support .+)
    (?:list|string|tuple|pop|deque|range object|bytearray)(?: assignment)? index out of range
    Expecting (?:value|property name enclosed in double quotes|'.' delimiter): line \d+ column \d+ \(char \d+\)
    (?:Extra data|Unterminated string starting at|Invalid control character at|Invalid \\escape): line \d+ column \d+ .+
    invalid literal for int\(\) with base \d+: .+
    could not convert string to float: .+
    (?:name|free variable|local variable) '\w+' (?:is not defined|referenced before assignment)\b.*
    cannot access (?:local|free) variable '\w+' .+
    unsupported operand type\(s\) for .+
    '.+' not supported between instances of .+
    [\w.]+\(\) (?:got (?:an unexpected keyword|multiple values for) argument|missing \d+ required|takes (?:from )?\d+ .*pos).+
    No module named '.+'
    cannot import name '.+' from '.+'.*
    '\w+' is an invalid keyword argument for .+
    (?:not enough|too many) values to unpack \(.+\)
    '[\w-]+' codec can't (?:decode|encode) .+
    maximum recursion depth exceeded.*
"""
_STATES = r"""
    (?:Read|Connection|Request) timed out\.?(?: \(.+\))?
    (?:The )?(?:read|write|handshake|connect) operation timed out
    timed out
    [Cc]onnection (?:refused|reset by peer|aborted)
    Cannot connect to host \S+ .+
    Server disconnected(?: without sending a response\.)?
    Remote end closed connection without response
    All connection attempts failed
    no such (?:table|column): \S+
    near ".+": syntax error
    syntax error at end of input.*
    duplicate key value violates unique constraint ".+
    (?:insert or update|update or delete) on table ".+" violates foreign key constraint ".+
    null value in column ".+" .+ violates not-null constraint.*
    (?:relation|column|function|schema|role|database) .+ does not exist(?:\n.*)?
    (?:permission denied for|must be owner of) (?:table|relation|schema|database|function|sequence|view) \S+
    cannot execute [A-Z ]+ in a read-only transaction
    You have an error in your SQL syntax; .+
    (?:Table|Column) '.+' (?:doesn't exist|cannot be null)
    (?:Unknown (?:column|table)|Duplicate entry) '.+' (?:in|for key) '.+'
    (?:parse|syntax) error (?:at (?:or near|line \d+|position \d+)|in line \d+)\b.+
    syntax error, unexpected .+
    (?:UNIQUE|NOT NULL|FOREIGN KEY|CHECK) constraint failed(?:: .+)?
"""
_NUMBERED = r"""
    (?:ORA|PLS|TNS|DPY|DPI|SP2)-\d{4,5}: [A-Za-z"(].+
    Msg \d+, Level \d+, State \d+\b.+
    SQL\d{4,5}N +\S.+
    SQLSTATE\[\w{5}\](?:: [^:\n]+:| \[\d+\]) .+
    \d{6} \((?:08\w{3}\): |[0-9A-Z]{5}\): (?:[\w-]+: )?SQL (?:compilation|execution) error).+
"""
_PROGRAM, _STATE, _DATABASE = (
    re.compile("|".join(line.strip() for line in forms.strip().splitlines()), re.DOTALL)
    for forms in (_FORMS, _STATES, _NUMBERED)
)
_PREFIX = re.compile(
    r"(?:[^:\n]{0,80}\b(?:[Ee]rror|ERROR|[Ee]xception|[Ff]ailed|[Ff]ailure|[Uu]nable|not able|[Cc]annot|[Cc]an't"
    r"|[Cc]ould not|[Cc]ouldn't)\b[^:\n]{0,80}|(?:\w+\.)*[A-Z]\w+(?:Error|Exception)): "
)
_HEADING = re.compile(r"#{1,6} [^\n]{1,100}\n+")
_ATTEMPT = re.compile(
    r"[^\w\n]{0,3}(?:Error: )?(?:An? |Unexpected |HTTP |Internal )?"
    r"(?:[Ee]rror|ERROR|[Ff]ailed|Failure|[Uu]nable|[Cc]ould not|[Cc]ouldn't|[Cc]annot|[Cc]an't)"
    r"(?: to| in| while| when| during)? (?P<verb>[a-z]+) (?:the |an? |any |your |all |some )?"
    r"(?P<object>[\w'-]+(?: [\w'-]+){0,2})"
)
_READING_VERBS = """
    read get fetch retrieve load list search find access open query look resolve download decode parse process extract
"""
_ENDING = re.compile(r"(?<=[^\Waeiou])ies$|ing$|ed$|e?s$|e$|ion$")
_SHORTEST = 3
_ABOUT_FAILURES = frozenset(("error", "errors", "failure", "failures", "exception", "exceptions", "fault", "faults"))


def names_failures(subject: Subject) -> bool:
    """Whether a tool's name says that it returns failures, such as `list_errors`."""
    return not _ABOUT_FAILURES.isdisjoint(subject.words)


def is_raised_text(text: str, subject: Subject) -> bool:
    """Whether a text is that of an exception, alone or after `Error: ` or the like.

    Args:
        text: what a tool returned.
        subject: what it was asked for; the text alone may be part of a file or a message, or an answer, and `timed out`
            the verdict of `ping_host`.
    """
    text = _HEADING.sub("", text, count=1)
    if len(text) > _LONGEST or text.count("\n") >= _MOST_LINES:
        return False
    if _is_raised(text):
        is_answer = subject.is_text or subject.converts or names_failures(subject)
        is_asked_for = subject.is_verdict or (subject.is_record and not subject.runs)
        return not (is_answer or (is_asked_for and _STATE.fullmatch(text) is not None))
    if _DATABASE.fullmatch(text) is not None:  # a list of error numbers is searched, too
        is_answer = subject.is_text or subject.converts or names_failures(subject)
        return not is_answer and (subject.runs or not subject.is_search)
    prefix = _PREFIX.match(text)
    for _ in range(_MOST_PREFIXES):
        if prefix is None:
            return False
        if _is_raised(text, prefix.end()):
            return True
        prefix = _PREFIX.match(text, prefix.end())
    return False


def _is_raised(text: str, start: int = 0) -> bool:
    return _PROGRAM.fullmatch(text, start) is not None or _STATE.fullmatch(text, start) is not None


def names_own_attempt(text: str, subject: Subject) -> bool:
    """Whether a text says that what the tool does, with what it does it to, has failed: `Error reading file: ...`.

    Args:
        text: what a tool returned.
        subject: what it was asked for.
    """
    text = _HEADING.sub("", text, count=1)
    if len(text) > _LONGEST or text.count("\n") >= _MOST_LINES or names_failures(subject):
        return False
    attempt = _ATTEMPT.match(text)
    if attempt is None:
        return False
    verb, words = _base(attempt["verb"]), frozenset(map(_base, subject.words))
    is_own = verb in words or (subject.is_reading and verb in _READING)
    objects = frozenset(map(_base, attempt["object"].lower().replace("-", " ").split()))
    return is_own and not (words - {verb}).isdisjoint(objects)


def _base(word: str) -> str:
    """A word without its ending: `getting` and `get`, `retrieving` and `retrieve`, `queries` and `query` are the same."""
    short = _ENDING.sub("y" if word.endswith("ies") else "", word)
    short = short if len(short) >= _SHORTEST else word
    return short[:-1] if len(short) > _SHORTEST and short[-1] == short[-2] != "s" else short


_READING = frozenset(map(_base, _READING_VERBS.split()))
