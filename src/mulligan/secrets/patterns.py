"""The shapes of secrets: well-known formats, URLs, tokens, named values and command lines.

Patterns are stored as source strings, since most processes use only a few and `re` caches those. Each takes linear
time: an unbounded repeat is never followed by a required part and never contains another unbounded repeat.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from mulligan.secrets import REDACTED, redact_spans
from mulligan.secrets.addresses import userinfo_spans
from mulligan.secrets.commands import LOGIN_OPTION, command_spans
from mulligan.secrets.named_values import NAMES, is_password_like, named_spans
from mulligan.secrets.structures import WORDS, structure_spans
from mulligan.secrets.tokens import TOKENS, UNKNOWN_TOKEN, token_spans

_PERCENT = "%(?:25){0,2}"
_SLASH = rf"(?:\\?/|{_PERCENT}2[Ff])"
_BLANK = rf"(?: |_|\+|{_PERCENT}20)"
_PEM = (
    rf"-----BEGIN(?:{_BLANK}|[A-Z0-9]){{0,40}}{_BLANK}PRIVATE{_BLANK}KEY[\s\S]*?"
    rf"(?:-----END(?:{_BLANK}|[A-Z0-9]){{0,40}}KEY(?:{_BLANK}BLOCK)?-----|\Z)"
)
_JWT = r"eyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,4}"

# A pattern is tried only if the text contains its character and its literal. Group 1, if any, is kept.
_PATTERNS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
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

_BEARER = (
    rf"((?i:bearer|basic)(?:[ \t]|{_PERCENT}20|\+){{1,4}})"
    r"(?=[A-Za-z._~+/=-]{0,64}(?:[0-9]|[a-z][A-Z]))[A-Za-z0-9._~+/=-]{8,}"
)

SOURCES = (*(source for _, shapes in _PATTERNS for _, source in shapes), _BEARER)


_ASSERTION = re.compile(r"\(\?<?[=!][^()]*\)")
_REPEAT = re.compile(r"\{(\d+)(?:,\d*)?\}")
_LONGEST_REPEAT = 8


@cache
def _may_hold_secret() -> Callable[[str], bool]:
    """Whether a text in ASCII has anything that begins like a secret; most have nothing.

    It finds more than the patterns that are then searched for one after the other. A JSON Schema is an odd way to search a
    text, but the regular expressions of jsonschema-rs search for everything at once, a hundred times as quickly.
    """
    import jsonschema_rs

    words = "|".join(map(re.escape, dict.fromkeys((*NAMES, *WORDS, "login", "bearer", "basic"))))
    literals = [literal for _, patterns in _PATTERNS for literal, _ in patterns]
    tokens = [source for _, *sources in TOKENS for source in sources]
    found_anywhere = [f"(?i:{words})", *map(re.escape, literals), LOGIN_OPTION, "@", "%(?:25)*40"]
    found_anywhere += map(_loosened, (*tokens, UNKNOWN_TOKEN))
    is_found: Callable[[str], bool]
    is_found = jsonschema_rs.Draft202012Validator({"pattern": "|".join(found_anywhere)}).is_valid
    return is_found


def _loosened(source: str) -> str:
    """A pattern that finds more than another, and is quicker to compile: without assertions, and with shorter repeats."""
    source = _ASSERTION.sub("", source).replace("?P<random>", "?:")
    return _REPEAT.sub(lambda repeat: f"{{{min(int(repeat[1]), _LONGEST_REPEAT)},}}", source)


def redact_patterns(text: str) -> str:
    """Replace everything that looks like a secret.

    Args:
        text: foreign text of any length; the time taken is linear in it.

    Returns:
        The text with `[redacted]` in place of secrets.
    """
    if text.isascii() and not _may_hold_secret()(text):
        return text
    for character, patterns in _PATTERNS:
        if character in text:
            for literal, source in patterns:
                if literal in text:
                    text = re.sub(source, _redact_match, text)
    if spans := [*userinfo_spans(text), *token_spans(text)]:
        text = redact_spans(text, spans)
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text.translate({upper: upper + 32 for upper in range(65, 91)})
    in_structures = structure_spans(text, lowered, is_password_like)
    if spans := [*named_spans(text, lowered), *command_spans(text, lowered), *in_structures]:
        text = redact_spans(text, spans)
    return re.sub(_BEARER, _redact_match, text) if "bearer" in lowered or "basic" in lowered else text


def _redact_match(match: re.Match[str]) -> str:
    if match[0].startswith("eyJ") and "." not in match[0]:
        return match[0]  # base64-encoded JSON, but not a signed token
    return f"{match[1] if match.re.groups else ''}{REDACTED}"
