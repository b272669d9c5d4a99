"""Passwords in command lines and in calls: `curl -u user:...`, `mysql -p...`, `auth=('user', '...')`.

The short option for a password differs between programs, so each row lists its programs. Sources: the manual pages of
these programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_GAP = r"(?:[\s=]{1,4}[\"']?|[\"'],[ \t]?[\"'])"  # as a shell reads it, or as Python writes the list of arguments
_MAYBE_GAP = rf"(?:{_GAP})?"
_VALUE = r"[^\s\"',;|&<>]+"

_OPTIONS: tuple[tuple[str, str], ...] = (
    (
        "curl|wget|https?|xh|lftp|ab|aria2c|siege|elinks",
        rf"-(?:u|U|a|-user|-proxy-user|-auth){_MAYBE_GAP}[^\s:\"',]{{0,64}}:",
    ),
    ("mysql[a-z]*|mariadb[a-z-]*|mycli|7z[ar]?|7zz|rar|unrar", r"-p"),
    ("sshpass|mongo[a-z]*|mosquitto_[a-z]+|rabbitmqadmin|amqp-[a-z]+|clickhouse-client", rf"-(?:p|P){_MAYBE_GAP}"),
    (
        "docker|podman|buildah|skopeo|helm|oc|az|cf|nerdctl|crane|heroku|wp",
        rf"login\b[^\n]{{0,200}}?[\s\"']-(?:p|P|pw){_GAP}",
    ),
    ("sqlcmd|bcp|osql|tsql|zip|unzip|zipcloak|isql|impala-shell", rf"-P{_MAYBE_GAP}"),
    ("ldap[a-z]+|ipmitool", rf"-(?:w|P){_MAYBE_GAP}"),
    ("redis-cli|valkey-cli|keydb-cli", rf"-a{_GAP}"),
    ("smbclient|rpcclient|smbget|winexe|smbmap", rf"-U{_MAYBE_GAP}[^\s%\"',]{{1,64}}%"),
    ("plink|pscp|psftp|putty", rf"-pw{_GAP}"),
    ("[xw]?freerdp[0-9]?|mstsc|runas", r"/p:"),
    ("openssl", r"\bpass:"),
    ("sqlplus|rman|expdp|impdp|sqlldr", r"[\w$#]{1,30}/(?=[^\s/\"']{1,64}@)"),
)
_NAMES = "|".join(f"(?P<p{row}>{names})" for row, (names, _) in enumerate(_OPTIONS))
_PROGRAMS = rf"(?<![\w.-])(?:{_NAMES})(?:\.exe)?[\"']?(?=[\s,])"
_LOGINS = (  # the second value of `auth=("user", "...")`, `HTTPBasicAuth("user", "...")`, `login("user", "...")`
    r"(?:auth|login|credentials|authenticate)(?:[\"']?[ ]?[=:][ ]?[\(\[]|\()[ ]?[bru]?(?P<first>\\{0,3}[\"'])"
    r"[^\"'\n]{0,128}(?P=first),[ ]?[bru]?(?P=first)(?P<value>[^\"'\n\\]{1,512})"
)
_SIGNS = (" -", "'-", '"-', " /p:", "pass:", "sqlplus ")
LOGIN_OPTION = r"[\s\"'(]-(?:[upPwaU]|-(?:user|proxy-user|auth))|/p:|pass:|sqlplus "
_LONGEST_LINE = 400

SOURCES = (*(source for _, source in _OPTIONS), _PROGRAMS, _LOGINS, _VALUE)


def command_spans(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Find passwords in command lines, and in calls that log in.

    Args:
        text: foreign text of any length; the time taken is linear in it.
        lowered: the same text in lower case.
    """
    if any(map(text.__contains__, _SIGNS)) and re.search(LOGIN_OPTION, text):
        yield from _option_spans(text)
    if ("(" in text or "[" in text) and any(word in lowered for word in ("auth", "login", "credentials")):
        for match in re.finditer(_LOGINS, text, re.IGNORECASE):
            yield match.span("value")


def _option_spans(text: str) -> Iterator[tuple[int, int]]:
    searched: dict[str, int] = {}
    for program in re.finditer(_PROGRAMS, text):
        row = program.lastgroup or ""
        if program.start() < searched.get(row, 0):
            continue
        options = _OPTIONS[int(row[1:])][1]
        searched[row] = end = _line_end(text, program.end())
        for option in re.compile(rf"(?<=[\s\"'(]){options}(?={_VALUE})").finditer(text, program.end(), end):
            value = re.compile(_VALUE).match(text, option.end())
            if value and not value[0].startswith(("$", "-", "[", "<", "{", "//")):
                yield value.span()


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start, start + _LONGEST_LINE)
    return end if end >= 0 else min(len(text), start + _LONGEST_LINE)
