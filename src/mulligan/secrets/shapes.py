"""What secrets look like: well-known shapes, and values whose names say that they are secret.

Patterns are kept as sources, since most processes need few of them and `re` remembers those that were used. Each takes
linear time: an unbounded repeat is never followed by something required, nor does it hold another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mulligan.secrets.addresses import userinfo_spans
from mulligan.secrets.tokens import SOURCES, token_spans

REDACTED = "[redacted]"

_PERCENT = "%(?:25){0,2}"
_SLASH = rf"(?:\\?/|{_PERCENT}2[Ff])"
_BLANK = rf"(?: |_|\+|{_PERCENT}20)"
_PEM = (
    rf"-----BEGIN(?:{_BLANK}|[A-Z0-9]){{0,40}}{_BLANK}PRIVATE{_BLANK}KEY[\s\S]*?"
    rf"(?:-----END(?:{_BLANK}|[A-Z0-9]){{0,40}}KEY(?:{_BLANK}BLOCK)?-----|\Z)"
)
_JWT = r"eyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,4}"

# A shape is looked for only where a character and then a literal occur that it must hold. Group 1, if any, is kept.
_SHAPES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "-",
        (
            ("-----BEGIN", _PEM),
            ("glpat-", r"glpat-[A-Za-z0-9_.-]{16,}"),
            ("xox", r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}"),
            ("xapp-", r"xapp-[A-Za-z0-9-]{10,}"),
            ("pypi-", r"pypi-(?:A[A-Za-z0-9_-]{15,}|[A-Za-z0-9]{32,})"),
            ("GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{16,}"),
        ),
    ),
    (
        "_",
        (
            ("gh", r"gh[opsur]_[A-Za-z0-9_]{20,}(?:\.[A-Za-z0-9_-]+){0,2}"),
            ("github_pat_", r"github_pat_[A-Za-z0-9_]{16,}"),
            ("whsec_", r"whsec_[A-Za-z0-9+/=]{16,}"),
            ("_v1_", r"do[oprt]_v1_[A-Za-z0-9]{20,}"),
            ("shp", r"shp(?:at|ca|pa|ss)_[A-Za-z0-9]{20,}"),
        ),
    ),
    (
        "A",
        (
            ("AKIA", r"AKIA[A-Z0-9]{16,}"),
            ("ASIA", r"ASIA[A-Z0-9]{16,}"),
            ("AIza", r"AIza[A-Za-z0-9_-]{30,}"),
            ("AA", rf"[0-9]{{8,10}}(?::|{_PERCENT}3[Aa])AA[A-Za-z0-9_-]{{30,}}"),  # Telegram
        ),
    ),
    ("J", (("eyJ", _JWT),)),
    (
        ".",
        (
            ("ya29.", r"ya29\.[A-Za-z0-9_.-]{10,}"),
            ("hooks.slack", rf"(hooks\.slack\.com{_SLASH})[A-Za-z0-9_/%\\-]{{16,}}"),
            ("discord", rf"(discord(?:app)?\.com{_SLASH}api{_SLASH}webhooks{_SLASH})[A-Za-z0-9_/%\\-]{{16,}}"),
        ),
    ),
)

_SPACE = rf"(?:[ \t]|{_PERCENT}20)"
_QUOTE = rf"(?:\\|{_PERCENT}5c){{0,7}}(?:[\"']|{_PERCENT}2[27]|&(?:quot|apos|#39|#34|#x27|#x22);)"
_IS = (  # what stands between a name and its value; met with lower case only
    rf"(?:{_QUOTE})?(?:(?:{_SPACE}|\+){{0,2}}(?P<is>=>|:=|=(?!=)|:(?!//)|{_PERCENT}3[ad]|\\u003[ad]"
    rf"|(?:>|&gt;|{_PERCENT}3e)(?=[^<>&%\s]{{1,256}}(?:<|&lt;|{_PERCENT}3c)(?:/|{_PERCENT}2f)))"
    rf"(?:(?<![ad]){_SPACE}{{0,2}}|(?<=[ad])(?:{_SPACE}|\+){{0,2}})|(?P<gap>(?:,|{_PERCENT}2c)?(?:{_SPACE}|\+)))"
    rf"(?:[bru](?=[\\\"']|{_PERCENT}2[27]))?(?P<open>{_QUOTE})?"
)
_NAMED = tuple(
    (literal, rf"(?P<word>{literal}{ending}){_IS}")
    for literal, ending in (
        ("pass", "(?:w(?:or)?d|phrase|code)?"),
        ("auth", "(?:orization)?"),
        ("sig", "(?:nature)?"),
        ("credential", "s?"),
        *((word, "") for word in ("key", "token", "secret", "pwd", "cookie", "code", "sessionid", "sid", "jwt", "otp")),
    )
)
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
_BEARER = (
    rf"((?i:bearer|basic)(?:{_SPACE}|\+){{1,4}})"
    r"(?=[A-Za-z._~+/=-]{0,64}(?:[0-9]|[a-z][A-Z]))[A-Za-z0-9._~+/=-]{8,}"
)
_COOKIE = r"(?:[^\s;\"'\\]|\\u00){1,4096}"
_COOKIES = rf"(?=[^\s;,=\"'\\]{{1,64}}(?:=|\\u003[Dd])){_COOKIE}(?:;[ ]?{_COOKIE}){{0,30}}"
_COOKIES_ESCAPED = rf"(?=[^\s;,=\"'\\%&]{{1,64}}{_PERCENT}3[Dd])(?:[^\s\"'\\%&]|%(?!(?:25){{0,2}}(?:2[27]|0[AaDd])))+"

PATTERNS: tuple[str, ...] = (
    *SOURCES,
    *(source for _, shapes in _SHAPES for _, source in shapes),
    *(source for _, source in _NAMED),
    *(_BARE, _BARE_ESCAPED, _SCHEME, _BEARER, _COOKIES, _COOKIES_ESCAPED),
)

_KEY_KINDS = (
    "(?:api|access|secret|private|encryption|signing|auth|account|shared|master|service|subscription|consumer|client"
    r"|ssh|deploy|storage|session|license|functions|webhook|hmac)(?:[_. +-]|%(?:25){0,2}20){0,3}\Z"
)
_OPEN_TOKENS = (
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
_PLACEHOLDER = r"(?:<|\$\{|\$[A-Z_]{3}|\{\{|%[sdr(])[\s\S]{0,60}"
_WORD, _ASSIGNED_WORD = r"[^\W\d_][^\W\d_A-Z]{0,14}|[0-9]{1,7}", r"[^\W\d_]{1,7}|[0-9]{1,7}"
_LONGEST_VALUE, _SHORTEST_QUOTED = 16_384, 6
_VERDICTS = " blank cannot characters empty expected field incorrect invalid length missing must required string wrong "
_NOTHING = ("", "none", "null", "nil", "true", "false", "undefined", "str", "...", "redacted", "masked", "hidden")


def redact_shapes(text: str) -> str:
    """Replace what looks like a secret.

    Args:
        text: foreign text of any length; the time taken is linear in it.

    Returns:
        The text with `[redacted]` in the place of secrets.
    """
    for character, shapes in _SHAPES:
        if character in text:
            for literal, source in shapes:
                if literal in text:
                    text = re.sub(source, _mask, text)
    if spans := [*userinfo_spans(text), *token_spans(text)]:
        text = replace(text, spans)
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text.translate({upper: upper + 32 for upper in range(65, 91)})
    if spans := [span for literal, source in _NAMED if literal in lowered for span in _named(source, text, lowered)]:
        text = replace(text, spans)
    return re.sub(_BEARER, _mask, text) if "bearer" in lowered or "basic" in lowered else text


def replace(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Put one mark in the place of each span; spans that touch count as one.

    Args:
        text: any text.
        spans: where to begin and where to end, in any order.

    Returns:
        The text with `[redacted]` in the place of the spans.
    """
    done = 0
    parts: list[str] = []
    for start, end in sorted(spans):
        if start > done or not parts:
            parts += text[done:start], REDACTED
        done = max(done, end)
    return "".join([*parts, text[done:]])


def _mask(match: re.Match[str]) -> str:
    if match[0].startswith("eyJ") and "." not in match[0]:
        return match[0]  # JSON in base64, but not a signed token
    return f"{match[1] if match.re.groups else ''}{REDACTED}"


def _named(source: str, text: str, lowered: str) -> Iterator[tuple[int, int]]:
    done = 0
    for match in re.finditer(source, lowered):
        if match.start() >= done and (span := _named_value(text, lowered, match)):
            yield span
            done = span[1]


def _named_value(text: str, lowered: str, match: re.Match[str]) -> tuple[int, int] | None:
    """Where the secret value is that follows a name, or None where there is none."""
    if not _is_credential(match, lowered):
        return None
    word, start, quote = match["word"], match.end(), match["open"]
    escaped = (match["is"] or quote or "").startswith("%")
    if word == "cookie":
        cookies = re.compile(_COOKIES_ESCAPED if escaped else _COOKIES).match(text, start)
        return cookies.span() if cookies else None
    scheme = re.compile(_SCHEME).match(lowered, start) if word == "authorization" else None
    if scheme:
        start = scheme.end()
    if quote:
        end = _closing_quote(text, start, text[match.start("open") : match.end("open")])
    elif scheme and scheme["many"]:
        end = _line_end(text, start)
    else:
        end = _bare_end(text, start, escaped=escaped)
    return None if _is_harmless(text[start:end], match, scheme is not None) else (start, end)


def _is_credential(match: re.Match[str], lowered: str) -> bool:
    word = match["word"]
    head = lowered[max(0, match.start() - 32) : match.start()]
    if match["gap"] and not re.search(r"--[\w-]{0,32}\Z", head) and not (word == "authorization" and match["open"]):
        return False
    in_query = head.endswith(_QUERY)
    if word == "key":
        return in_query or bool(re.search(_KEY_KINDS, head))
    if word == "token":
        return not re.search(_OPEN_TOKENS, head)
    if word in ("code", "auth", "otp", "sid"):
        return in_query or (word == "sid" and head.endswith("phpses"))
    if word == "pass":
        return in_query or (_is_tight(match) and not head[-1:].isalnum())
    if word in ("sig", "signature"):
        return in_query or (_is_tight(match) and bool(re.compile(r"[\w%+/.-]{16}").match(lowered, match.end())))
    return True


def _is_tight(match: re.Match[str]) -> bool:
    """Whether the name is assigned to, `name=value`, where `name: value` may be prose."""
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


def _is_harmless(value: str, match: re.Match[str], authorized: bool) -> bool:
    """Whether a value is no secret though its name says so: a placeholder, a number or a word of a sentence."""
    word, tight, quoted = match["word"], _is_tight(match), bool(match["open"])
    bare = value.strip(".,;:!?()[]'\" ")
    plain = bare.lower()
    if value == REDACTED or plain in _NOTHING or not plain.strip("*x•.#-") or re.fullmatch(_PLACEHOLDER, value):
        return True
    prose = _VERDICTS if " " in plain else _PROSE
    if not tight and any(f" {a_word} " in prose for a_word in plain.split()):
        return True
    if word != "pass" and word.startswith(("pass", "pwd", "secret")):
        return False
    if quoted and not authorized and (" " in plain or len(plain) < _SHORTEST_QUOTED):
        return True
    return re.fullmatch("[0-9]{1,7}" if quoted else _ASSIGNED_WORD if tight else _WORD, bare) is not None
