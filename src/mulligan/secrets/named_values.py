"""Values whose names mark them as secret: `password=...`, `"api_key": "..."`, `Authorization: ...`, cookies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mulligan.secrets import REDACTED
from mulligan.secrets.tokens import is_random

_PERCENT = "%(?:25){0,2}"
_SPACE = rf"(?:[ \t]|{_PERCENT}20)"
_QUOTE = rf"(?:\\|{_PERCENT}5c){{0,7}}(?:[\"'`]|{_PERCENT}(?:2[27]|60)|&(?:quot|apos|#39|#34|#x27|#x22);)"
_ASSIGNMENT = (  # between a name and its value; matched against lower case
    rf"(?:{_QUOTE})?(?:(?:{_SPACE}|\+){{0,2}}(?P<is>=>|:=|=(?!=)|:(?!//)|{_PERCENT}3[ad]|\\u003[ad]"
    rf"|(?:>|&gt;|{_PERCENT}3e)(?=[^<>&%\s]{{1,256}}(?:<|&lt;|{_PERCENT}3c)(?:/|{_PERCENT}2f)))"
    rf"(?:(?<![ad]){_SPACE}{{0,2}}|(?<=[ad])(?:{_SPACE}|\+){{0,2}})|(?P<gap>(?:,|{_PERCENT}2c)?(?:{_SPACE}|\+)))"
    rf"(?:[bru](?=[\\\"']|{_PERCENT}2[27]))?(?P<open>{_QUOTE})?"
)
_ASCII_COUNT = 10
_NAME_PATTERNS = tuple(
    (literal, rf"(?P<word>{literal}{ending}){_ASSIGNMENT}")
    for literal, ending in (
        ("pass", "(?:w(?:or)?[dt]|phrase|code|ord|e)?"),
        ("auth", "(?:orization)?"),
        ("sig", "(?:nature)?"),
        ("credential", "s?"),
        *((word, "") for word in ("key", "token", "secret", "pwd", "cookie", "code", "sessionid", "sid", "jwt", "otp")),
    )
)
_FOREIGN_NAMES = (  # words for a password in other languages; no ASCII one is part of an English word
    *(
        "kennwort",
        "wachtwoord",
        "contrasena",
        "senha",
        "haslo",
        "losenord",
        "adgangskode",
        "salasana",
        "heslo",
        "jelszo",
    ),
    *("contraseña", "hasło", "lösenord", "jelszó", "parolă", "şifre", "mật khẩu", "пароль", "κωδικός", "סיסמה"),
    *("كلمة المرور", "पासवर्ड", "รหัสผ่าน", "密码", "密碼", "口令", "パスワード", "비밀번호", "암호"),
)
NAMES = (*(literal for literal, _ in _NAME_PATTERNS), *_FOREIGN_NAMES[:_ASCII_COUNT])
"""What the names of secrets contain, in lower case, in a text of ASCII."""
_SENTENCE = (  # "the password for bob is now hunter2"
    r"(?P<word>pass(?:word|wd|phrase|code)|pwd|(?:api|access|secret|private)[ _-]?key|token|secret)"
    r"(?: (?:for|of|on) [^\s]{1,64})? (?:(?:has been |was |is )?(?:re)?(?:set|changed) to|is|was)(?: now)?:? "
)
_COPULAS = "is|was|ist|war|lautet|es|era|est|é|è|är|er|on|jest|to|je|это|είναι"
_UNSPACED_COPULAS = "は|是|为|為|은|는"
_ADJACENT = (  # at most a verb and an opening bracket or quote between name and value: "password (hunter2)"
    rf"(?P<gap>[ \t]{{1,2}}|(?=[^\x00-\x7f]))(?:(?:{_COPULAS})[ \t]{{1,2}}|(?:{_UNSPACED_COPULAS})[ \t]{{0,2}})?"
    rf"[(\[]?(?P<open>{_QUOTE})?(?=[^\s])"
)
_VERDICT = (
    r"(?:\\{0,7}[\"'`])?[)\]]?,? (?:(?:is|was|has|are|been) ){0,2}"
    r"(?:invalid|expired|revoked|rejected|incorrect|disabled|denied|refused|wrong|leaked)\b"
)
_PHRASE_WORD = r" (?P<next>[^\W\d_A-Z]{2,15})(?![\w'])"
_BARE = (
    r"(?:[^\s\"'<>`,;&\\]|[,;](?!\s|\Z|[\w.-]{1,40}[=:])|&(?!\s|\Z|lt;|(?:amp;)?[\w.-]{1,40}=)"
    r"|\\(?!\\{0,6}[\"']|u0026|[nr][\w.-]{1,40}[=:]))+"
)
_BARE_ESCAPED = (
    r"(?:[^\s\"'<>`,;&\\%]|%(?!(?:25){0,2}(?:2[027]|0[AaDd]|(?:26|2[Cc]|3[Bb])"
    rf"(?:[\w.-]{{1,40}}{_PERCENT}3[AaDd]|{_PERCENT}20|\+|\s|\Z)|3[Cc](?:/|{_PERCENT}2[Ff]))))+"
)
_SCHEME = (
    r"(?:bearer|basic|token|apikey|negotiate|(?P<many>digest|oauth|hawk|aws4-hmac-sha256))"
    rf"(?:{_SPACE}|\+){{1,4}}"
)
_OTHER_SCHEME = (  # a name that RFC 9110 permits, with a credential or its first parameter
    rf"[a-z][\w.-]{{0,31}}(?::|{_PERCENT}3a)?(?:{_SPACE}|\+){{1,4}}"
    rf"(?P<many>[\w-]{{1,32}}(?:=|{_PERCENT}3d|\\u003d)(?:{_QUOTE})?(?=[^=%\s]))?"
)
_CREDENTIAL = r"(?=[A-Za-z._~+/=-]{0,64}(?:[0-9]|[a-z][A-Z]))[A-Za-z0-9._~+/=-]{10,}"
_COOKIE = r"(?:[^\s;\"'\\]|\\u00){1,4096}"
_COOKIES = rf"(?=[^\s;,=\"'\\]{{1,64}}(?:=|\\u003[Dd])){_COOKIE}(?:;[ ]?{_COOKIE}){{0,30}}"
_COOKIES_ESCAPED = rf"(?=[^\s;,=\"'\\%&]{{1,64}}{_PERCENT}3[Dd])(?:[^\s\"'\\%&]|%(?!(?:25){{0,2}}(?:2[27]|0[AaDd])))+"

_KEY_KINDS = (
    "(?:api|access|secret|private|encryption|signing|auth|account|shared|master|service|subscription|consumer|client"
    r"|ssh|deploy|storage|session|license|functions|webhook|hmac)(?:[_. +-]|%(?:25){0,2}20){0,3}\Z"
)
_PUBLIC_TOKENS = (
    "(?:page|continuation|next|sync|pad|eos|bos|unk|mask|stop|special|cls|sep|unexpected|expected|illegal|start|end)"
    r"(?:[_. +-]|%(?:25){0,2}20){0,3}\Z"
)
_QUERY = ("?", "&", "&amp;", "%3f", "%26", "%253f", "%2526", r"\u0026", r"\u003f")
_PROSE = (
    " a an and any are as at authentication be been blank bool but by bytes can cannot change check could did does"
    " empty error expected expired failed field for from given has have header if in incorrect int invalid is it its"
    " length may mismatch missing must need needs no not of on only option optional options or parameter please"
    " provided reject rejected required requires reset set should string that the this to too use used value was were"
    " with wrong yes you your "
)
_OPAQUE = re.compile(r"(?!0[xX])[\w.~+/=-]{10,}")
_FEWEST_DIGITS = 3
_PLACEHOLDER = r"(?:<|\$\{|\$[A-Z_]{3}|\{\{|%[sdr(])[\s\S]{0,60}"
_WORD, _ASSIGNED_WORD = r"[^\W\d_][^\W\d_A-Z]{0,14}|[0-9]{1,7}", r"[^\W\d_]{1,7}|[0-9]{1,7}"
_LONGEST_VALUE, _SHORTEST_QUOTED, _SHORTEST_PASSWORD = 16_384, 6, 6
_LONGEST_PHRASE, _SHORTEST_PHRASE = 24, 4
_PASSWORDS = ("password", "passwd", "passphrase", "passcode", "pwd")
_FOREIGN_PASSES = ("passwort", "passord", "passwt", "passe")
_TECHNICAL = (
    r"(?:base|utf-?|sha-?|md|aes-?|rsa-?|argon|bcrypt|pbkdf|oauth|http|tls|x|ipv|rfc|iso-?|v)[0-9]{1,6}[\w.-]{0,32}"
    r"|[0-9]{1,9}(?:st|nd|rd|th|[a-z]{1,2}|[-_ ][a-z-]{1,32})"
)
_PATH = r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w .@~-]{0,64}){1,32}"
_IN_PATH = r"(?:/|\w\\(?![nrt]))[\w.-]{0,30}\Z"
_MESSAGE = r"(?:[^\W\d_]{2,}(?:[/-][^\W\d_]+)?|[0-9]{3}),? [^\W\d_]{2}"
_ARN = r"arn:[a-z-]{0,20}(?::[\w-]{0,40}){3}:[\w:/-]{0,64}\Z"
_VERDICTS = " blank cannot characters empty expected field incorrect invalid length missing must required string wrong "
_NOTHING = ("", "none", "null", "nil", "true", "false", "undefined", "str", "...", "redacted", "masked", "hidden")


SOURCES = (
    *(source for _, source in _NAME_PATTERNS),
    *(
        _BARE,
        _BARE_ESCAPED,
        _SCHEME,
        _OTHER_SCHEME,
        _CREDENTIAL,
        _COOKIES,
        _COOKIES_ESCAPED,
        _SENTENCE,
        _ADJACENT,
        _VERDICT,
        _PATH,
        _TECHNICAL,
        _ARN,
    ),
)


def named_spans(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Find the values whose names mark them as secret.

    Args:
        text: foreign text of any length; the time taken is linear in it.
        lowered: the same text in lower case, with identical character positions.
    """
    is_named = False
    for literal, source in _NAME_PATTERNS:
        if literal in lowered:
            is_named = True
            yield from _assigned_spans(source, text, lowered)
            yield from _adjacent_spans(source.removesuffix(_ASSIGNMENT) + _ADJACENT, text, lowered)
    for literal in _FOREIGN_NAMES[: None if not text.isascii() else _ASCII_COUNT]:
        if literal in lowered:
            yield from _assigned_spans(
                f"(?P<word>{literal}){_ASSIGNMENT}".replace(":(?!//)", ":(?!//)|\uff1a"), text, lowered
            )
            yield from _adjacent_spans(f"(?P<word>{literal}){_ADJACENT}", text, lowered)
    if is_named and (" is " in lowered or " was " in lowered or " to " in lowered):
        for match in re.finditer(_SENTENCE, lowered):
            yield from _sentence_spans(text, lowered, match)


def _assigned_spans(source: str, text: str, lowered: str) -> Iterator[tuple[int, int]]:
    done = 0
    for match in re.finditer(source, lowered):
        if match.start() >= done and (span := _find_value(text, lowered, match)):
            yield span
            done = span[1]


def _adjacent_spans(source: str, text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Find password-like values that directly follow the name of a secret."""
    for match in re.finditer(source, lowered):
        start, quote = match.end(), match["open"]
        end = _closing_quote(text, start, quote) if quote else _bare_end(text, start, escaped=False)
        value = text[start:end].strip(".,;:!?()[] ")
        if is_password_like(value) and _names_secret(match, value, lowered, end):
            yield start, end


def _names_secret(match: re.Match[str], value: str, lowered: str, end: int) -> bool:
    """Whether a name denotes a secret: a password always does, but `key` or `token` may have an ordinary meaning."""
    word, preceding = match["word"], lowered[max(0, match.start() - 32) : match.start()]
    if word in _PASSWORDS or word in _FOREIGN_PASSES or word in _FOREIGN_NAMES:
        return not preceding[-1:].isalnum() and not (
            word == "passe" and not preceding.endswith(("mot de ", "palavra "))
        )
    if word not in ("key", "token", "secret", "jwt") or preceding[-1:].isalnum():
        return False
    if _OPAQUE.fullmatch(value) is None or sum(map(str.isdigit, value)) < _FEWEST_DIGITS:
        return False
    if word == "key":
        return bool(re.search(_KEY_KINDS, preceding)) or re.compile(_VERDICT).match(lowered, end) is not None
    return not re.search(_PUBLIC_TOKENS, preceding)


def _sentence_spans(text: str, lowered: str, match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Find the secret value that a sentence states, if it is not an ordinary word."""
    start = match.end()
    quote = re.compile(_QUOTE).match(text, start)
    if quote:
        end = _closing_quote(text, quote.end(), quote[0])
        value = text[quote.end() : end]
        if value and " " not in value and not _is_prose(value.lower(), _PROSE):
            yield quote.end(), end
        return
    end = _bare_end(text, start, escaped=False)
    value = text[start:end].strip(".,;:!?()[] ")
    if is_password_like(value):
        yield start, end
    elif match["word"] == "passphrase":
        longer = _phrase_end(text, end, lowered)
        if (
            longer > end
            and not _is_prose(value.lower(), _PROSE)
            and text.count(" ", start, longer) >= _SHORTEST_PHRASE - 1
        ):
            yield start, longer


def is_password_like(value: str) -> bool:
    """Whether a word is not ordinary prose: it combines letters with digits, or with signs typical of passwords."""
    if len(value) < _SHORTEST_PASSWORD or value == REDACTED or re.fullmatch(_PLACEHOLDER, value):
        return False
    is_technical = re.fullmatch(_TECHNICAL, value, re.IGNORECASE) and not is_random(value)
    if not any(map(str.isalpha, value)) or is_technical:
        return False
    return any(map(str.isdigit, value)) or not set(value).isdisjoint("!@#$%^&*+=?~")


def _phrase_end(text: str, end: int, lowered: str) -> int:
    """The end of a passphrase of plain words; it stops before words that are typical of prose."""
    for _ in range(_LONGEST_PHRASE):
        following = re.compile(_PHRASE_WORD).match(lowered, end)
        if not following or _is_prose(following["next"], _PROSE) or text[following.start("next")].isupper():
            break
        end = following.end()
    return end


def _find_value(text: str, lowered: str, match: re.Match[str]) -> tuple[int, int] | None:
    """Find the secret value after a name, or return None if there is none."""
    if not _is_credential(match, lowered):
        return None
    word, start, quote = match["word"], match.end(), match["open"]
    escaped = (match["is"] or quote or "").startswith("%")
    if word == "cookie":
        cookies = re.compile(_COOKIES_ESCAPED if escaped else _COOKIES).match(text, start)
        return cookies.span() if cookies else None
    scheme = _find_scheme(text, lowered, start) if word == "authorization" else None
    if scheme:
        start = scheme.end()
    if quote:
        end = _closing_quote(text, start, text[match.start("open") : match.end("open")])
    elif scheme and scheme["many"]:
        end = _line_end(text, start)
    else:
        end = _bare_end(text, start, escaped=escaped)
    if _is_harmless(text[start:end], match, lowered, authorized=scheme is not None):
        return None
    return start, _phrase_end(text, end, lowered) if word == "passphrase" and not quote else end


def _find_scheme(text: str, lowered: str, start: int) -> re.Match[str] | None:
    """Find the scheme of an `Authorization` header: a known one, or any name that a credential follows."""
    known = re.compile(_SCHEME).match(lowered, start)
    if known:
        return known
    other = re.compile(_OTHER_SCHEME).match(lowered, start)
    if not other or _is_prose(other[0].strip(), _PROSE):
        return None
    return other if re.compile(_CREDENTIAL).match(text, other.end()) else None


def _is_credential(match: re.Match[str], lowered: str) -> bool:
    word = match["word"]
    preceding = lowered[max(0, match.start() - 32) : match.start()]
    if match["gap"]:
        return _is_option_or_header(match, preceding)
    in_query = preceding.endswith(_QUERY)
    if word == "key":
        return in_query or bool(re.search(_KEY_KINDS, preceding))
    if word == "token":
        return not re.search(_PUBLIC_TOKENS, preceding)
    if word in ("code", "auth", "otp", "sid"):
        return in_query or (word == "sid" and preceding.endswith("phpses"))
    if word == "passe":
        return preceding.endswith(("mot de ", "mot_de_", "motde", "mot-de-", "palavra-", "palavra "))
    if word == "pass" or word in _FOREIGN_NAMES or word in _FOREIGN_PASSES:
        return in_query or not preceding[-1:].isalnum()
    if word in ("sig", "signature"):
        return in_query or (_is_assignment(match) and bool(re.compile(r"[\w%+/.-]{16}").match(lowered, match.end())))
    return not (word == "secret" and re.search(_ARN, lowered[max(0, match.start() - 256) : match.start()]))


def _is_option_or_header(match: re.Match[str], head: str) -> bool:
    """Whether a value separated from its name only by a space is that of an option or header, or a quoted password."""
    if re.search(r"--[\w-]{0,32}\Z", head) or (match["word"] == "authorization" and match["open"]):
        return True
    is_quoted = match["open"] and match.end("word") == match.start("gap") and match["gap"][0] not in ",%"
    return bool(is_quoted) and match["word"] in _PASSWORDS


def _is_assignment(match: re.Match[str]) -> bool:
    """Whether the name is assigned a value, as in `name=value`; `name: value` may be prose."""
    return (match["is"] or "").endswith(("=", "d", ">", ";", "e"))


def _bare_end(text: str, start: int, *, escaped: bool) -> int:
    value = re.compile(_BARE_ESCAPED if escaped else _BARE).match(text, start)
    if not value:
        return start
    end = start + len(value[0].rstrip(").:]}"))
    return max(end, text.rfind(REDACTED, start, value.end()) + len(REDACTED)) if REDACTED in value[0] else end


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start, start + _LONGEST_VALUE)
    return end if end >= 0 else min(len(text), start + _LONGEST_VALUE)


def _closing_quote(text: str, start: int, quote: str) -> int:
    line_end = _line_end(text, start)
    end = text.find(quote, start, line_end)
    while end > start and text[end - 1] == "\\":
        end = text.find(quote, end + len(quote), line_end)
    return end if end >= 0 else line_end


def _is_harmless(value: str, match: re.Match[str], lowered: str, *, authorized: bool) -> bool:
    """Whether a value with a secret's name is not a secret: a placeholder, a path, a number or an ordinary word."""
    word, is_assigned, is_quoted = match["word"], _is_assignment(match), bool(match["open"])
    if not is_assigned and not is_quoted and _is_message_about_path(match, lowered):
        return True
    bare = value.strip(".,;:!?()[]'\" ")
    plain = bare.lower()
    if value == REDACTED or plain in _NOTHING or not plain.strip("*x•.#-") or re.fullmatch(_PLACEHOLDER, value):
        return True
    if not is_assigned and _is_prose(plain, _VERDICTS if " " in plain else _PROSE):
        return True
    if plain.startswith("arn:") or (word not in _PASSWORDS[:-1] and word != "pass" and _is_path(value)):
        return True
    if word == "pass" and not is_assigned and not match["gap"]:
        after_user = re.search(r"(?:user|login|name|account)\W", lowered[max(0, match.start() - 40) : match.start()])
        return not after_user and (not is_password_like(bare) or not set(bare).isdisjoint("_/.:"))
    if word in _FOREIGN_NAMES or word in _FOREIGN_PASSES:
        return not is_assigned and not is_quoted and re.fullmatch(_WORD, bare) is not None
    if word != "pass" and word.startswith(("pass", "pwd", "secret")):
        return False
    if is_quoted and not authorized and (" " in plain or len(plain) < _SHORTEST_QUOTED):
        return True
    return re.fullmatch("[0-9]{1,7}" if is_quoted else _ASSIGNED_WORD if is_assigned else _WORD, bare) is not None


def _is_prose(plain: str, prose: str) -> bool:
    return any(f" {a_word} " in prose for a_word in plain.split())


def _is_message_about_path(match: re.Match[str], lowered: str) -> bool:
    """Whether the name ends a path, and at least two words follow, as in `/etc/passwd: permission denied`."""
    is_path = re.search(_IN_PATH, lowered[max(0, match.start() - 32) : match.start()])
    return is_path is not None and re.compile(_MESSAGE).match(lowered, match.end()) is not None


def _is_path(value: str) -> bool:
    """Whether a value is a file path; a base64 key may also begin with a slash."""
    return re.fullmatch(_PATH, value) is not None and not is_random(re.sub(r"\W", "", value))
