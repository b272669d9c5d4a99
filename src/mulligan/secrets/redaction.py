"""Remove secrets from foreign text: registered values, well-known formats, named values, and credentials in URLs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from mulligan.forks import shared_lock
from mulligan.secrets import REDACTED, commands, named_values, patterns, tokens
from mulligan.secrets.addresses import password_of
from mulligan.secrets.patterns import redact_patterns
from mulligan.secrets.values import Finder, Probe, probes_of, secrets_of

__all__ = ["PATTERNS", "REDACTED", "Redactor", "truncate"]

PATTERNS: tuple[str, ...] = (*patterns.SOURCES, *tokens.SOURCES, *named_values.SOURCES, *commands.SOURCES)

_MOST_VALUES, _SHORTEST, _MOST_PASSES = 1_000, 8, 8
_ELLIPSIS = "…"
_LONGEST_POINTER = 300
_CREDENTIAL_NAME = (
    r"(?:^|[^A-Z0-9])(?:KEYS?|SECRETS?|PASS|CREDS?|CREDENTIALS?|AUTH|DSN|SESSION|PRIVATE|ACCESS|PAT|JWT|BEARER)"
    r"(?:[^A-Z0-9]|$)|(?:TOKEN|PASSWORD|PASSWD|PASSPHRASE|PWD|COOKIE|SECRET|(?:API|ACCESS|SECRET|PRIVATE|AUTH)KEY)(?:[^A-Z0-9]|$)"
    r"|(?:DATABASE|DB|REDIS|MONGO|MONGODB|POSTGRES|BROKER|AMQP)_UR[IL]$|CONNECTION_?STRING|CONN_STR"
)
_ORDINARY_NAME = (  # a credential's location, size, count, age or presence
    r"^(?:MAX|MIN|NUM|USE|ENABLE|DISABLE)_|_(?:PATH|FILE|FILENAME|DIR|DIRECTORY|FOLDER|SOCK|SOCKET|LOG|HOST|PORT|BUS_ADDRESS"
    r"|TIMEOUT|TTL|AGE|SIZE|LENGTH|LIMIT|COUNT|BITS|SECONDS|MINUTES|HOURS|DAYS|EXPIRY)$"
)
_ORDINARY_VALUE = (  # a switch, or a URL without credentials
    r"(?i:disabled)|[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s/?#@]*(?:/[^\s/?#@]{0,15}){0,9}"
)
_ESCAPE = (
    r"\x1b\[[0-9;?]{0,32}[@-~]?|\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[0-9A-Fa-f]{4}|\\u[0-9A-Fa-f]{4}"
    r"|\\U[0-9A-Fa-f]{8}|\\x[0-9A-Fa-f]{2}|\\.|%[0-9A-Fa-f]{2}|&#?[A-Za-z0-9]{1,8};"
)
_LONGEST_ESCAPE = 36


class Redactor:
    """Replaces secrets in text with `[redacted]`.

    Args:
        values: secrets to register at creation.
        environment: the variables to search for credentials, by name (values of 8 characters or more); None means
            `os.environ`. It is read once, at the first redaction.

    Attributes:
        shortest: the length of the shortest registered secret, at most 8; shorter texts contain no secret.
    """

    def __init__(self, values: Iterable[str] = (), *, environment: Mapping[str, str] | None = None) -> None:
        self._lock = shared_lock()
        self._environment: Mapping[str, str] | None = os.environ if environment is None else environment
        self._probes: dict[str, tuple[Probe, ...] | None] = {}
        self._host_secrets: set[str] = set()
        self._finder: Finder | None = None
        self._latest_name: tuple[Finder, str, str] | None = None
        self.shortest = _SHORTEST
        for value in values:
            self._host_secrets.update(secrets_of(value))
            self.register(value)

    def register(self, value: object) -> None:
        """Register a secret.

        The latest 1,000 values are kept in addition to the host's own, each with its first 16,384 characters. Values
        shorter than 4 characters are ignored, since replacing them everywhere would make text unreadable; use
        `with_values` for those. Booleans, None and all types not listed below are ignored, too.

        Args:
            value: a str, bytes or number, or lists, tuples, sets and mappings (their values) of such.
        """
        secrets = list(secrets_of(value))
        with self._lock:
            self._add(secrets)

    def redact(self, text: str) -> str:
        """Replace every registered value, in all known encodings, and everything that looks like a secret.

        Args:
            text: foreign text of any length; the time taken is linear in it.

        Returns:
            The text with `[redacted]` in place of secrets. The names before them and the hosts after them are kept.
            Redacting the result again changes nothing.
        """
        finder = self._finder or self._build()
        redacted = _redact_once(text, finder)
        for _ in range(_MOST_PASSES):
            if redacted == text:
                break
            text, redacted = redacted, _redact_once(redacted, finder)
        return redacted

    def redact_name(self, name: str) -> str:
        """Replace secrets in the name of a call, which is shown several times: the latest is remembered.

        Args:
            name: the name that was called.
        """
        finder = self._finder or self._build()
        latest = self._latest_name
        if latest is None or latest[0] is not finder or latest[1] != name:
            latest = self._latest_name = (finder, name, self.redact(name))
        return latest[2]

    def redact_values(self, text: str) -> str:
        """Replace registered values only, as for a model's own text that is shown back to it.

        Args:
            text: a text of any length.
        """
        finder = self._finder or self._build()
        return finder.redact(text) if finder.anchors or finder.unprobed else text

    def with_values(self, values: Collection[str]) -> Redactor:
        """Create a redactor for the texts of one call that also hides the given values as whole words.

        Args:
            values: short secrets of that call, which are ordinary numbers or words elsewhere.
        """
        return _CallRedactor(self, values)

    def _add(self, secrets: Iterable[str]) -> None:
        for secret in secrets:
            if secret not in self._probes:
                self._finder = None
                self.shortest = min(self.shortest, len(secret))
            self._probes[secret] = self._probes.pop(secret, None)
        while len(self._probes) - len(self._host_secrets) > _MOST_VALUES:
            del self._probes[next(secret for secret in self._probes if secret not in self._host_secrets)]

    def _build(self) -> Finder:
        with self._lock:
            if self._environment is not None:
                registered = list(self._probes)
                host_secrets = list(_find_credentials(self._environment))
                self._host_secrets.update(host_secrets)
                self._add(host_secrets)
                self._add(registered)
                self._environment = None
            for secret, probes in self._probes.items():
                if probes is None:
                    self._probes[secret] = probes_of(secret)
            finder = self._finder = Finder.of({secret: probes or () for secret, probes in self._probes.items()})
            return finder


class _CallRedactor(Redactor):
    """Hides short values as whole words, then everything that another redactor hides."""

    def __init__(self, redactor: Redactor, values: Collection[str]) -> None:
        super().__init__(environment={})
        self._redactor = redactor
        self._words = rf"(?<![\w.])(?:{'|'.join(map(re.escape, values))})(?!\w|\.\d)"
        self.shortest = min(redactor.shortest, *map(len, values))

    def register(self, value: object) -> None:
        self._redactor.register(value)

    def redact(self, text: str) -> str:
        return self._redactor.redact(re.sub(self._words, REDACTED, text))

    def redact_name(self, name: str) -> str:
        return self.redact(name)

    def redact_values(self, text: str) -> str:
        return self._redactor.redact_values(re.sub(self._words, REDACTED, text))


def _redact_once(text: str, finder: Finder) -> str:
    return redact_patterns(finder.redact(text) if finder.anchors or finder.unprobed else text)


def _find_credentials(environment: Mapping[str, str]) -> Iterator[str]:
    for name in filter(_names_credential, environment):
        value = environment.get(name, "")
        if len(value) >= _SHORTEST:
            if not re.fullmatch(_ORDINARY_VALUE, value) and not _is_file(value):
                yield from secrets_of(value)
            for password in password_of(value):
                if len(password) >= _SHORTEST:
                    yield password


@lru_cache(maxsize=1_024)
def _names_credential(variable: str) -> bool:
    name = variable.upper()
    if name in ("PWD", "OLDPWD") or re.search(_ORDINARY_NAME, name):
        return False
    return re.search(_CREDENTIAL_NAME, name) is not None


def _is_file(value: str) -> bool:
    """Whether a value is the path of an existing file; a base64 secret may look like a path."""
    try:
        return os.path.isabs(value) and os.path.exists(value)
    except (OSError, ValueError):
        return False


def truncate(text: str, limit: int) -> str:
    """Shorten a redacted text, at a word boundary if one is near.

    Args:
        text: the text; redaction marks, accented characters and escapes are kept whole or dropped.
        limit: the maximum length of the result.

    Returns:
        The text itself if it is short enough, otherwise its beginning followed by `…`.
    """
    if len(text) <= limit:
        return text
    if limit < 1:
        return ""
    end = _boundary(text, limit - 1)
    blank = max(text.rfind(" ", 0, end + 1), text.rfind("\n", 0, end + 1))
    if blank >= end // 2:
        end = blank
    return text[:end].rstrip() + _ELLIPSIS


def _boundary(text: str, end: int) -> int:
    """The last position up to `end` that is not inside a redaction mark, an escape or a combined character."""
    mark = text.find(REDACTED, max(0, end - len(REDACTED) + 1), end + len(REDACTED) - 1)
    if 0 <= mark < end:
        return mark
    start = max(0, end - _LONGEST_ESCAPE)
    while start and text[start - 1] == "\\":
        start -= 1
    for escape in re.finditer(_ESCAPE, text[start : end + _LONGEST_ESCAPE]):
        if start + escape.start() < end < start + escape.end():
            end = start + escape.start()
            break
    while end > 0 and _continues(text, end):
        end -= 1
    return end


def _continues(text: str, at: int) -> bool:
    """Whether the character at a position combines with the one before it."""
    if text[at].isascii():
        return False
    from unicodedata import category

    joined = "\u200d" in text[at - 1 : at + 1] or "\U0001f3fb" <= text[at] <= "\U0001f3ff"
    pair = "\ud800" <= text[at - 1] <= "\udbff" and "\udc00" <= text[at] <= "\udfff"
    return joined or pair or category(text[at]) in ("Mn", "Mc", "Me")


def redacted_pointer(pointer: str, redact: Callable[[str], str]) -> str:
    """Redact a JSON Pointer, in which a secret may contain `~1` for a slash, or slashes for dots.

    Of one that is too long to be shown, nothing is: its beginning may be that of a secret, and redacting it whole takes long.

    Args:
        pointer: the pointer.
        redact: removes secrets from a text.
    """
    if len(pointer) > _LONGEST_POINTER:
        return f"/{_ELLIPSIS}"
    redacted = redact(pointer)
    for spelling in pointer_spellings(pointer):
        if redacted == pointer and redact(spelling) != spelling:
            redacted = redact(spelling)
    return redacted


def pointer_spellings(pointer: str) -> Iterator[str]:
    """Yield other spellings of the names in a JSON Pointer, if they differ from the pointer itself."""
    if "~" in pointer:
        yield pointer.replace("~1", "/").replace("~0", "~")
    if pointer.count("/") > 1:
        yield "/" + pointer[1:].replace("/", ".")
