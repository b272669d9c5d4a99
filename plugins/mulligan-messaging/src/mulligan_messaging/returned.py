"""Failures that mail clients return instead of raising them.

smtplib returns the recipients refused while others were accepted, aiosmtplib returns them in a pair, and imaplib returns
`("NO", [b"..."])`. Only these shapes count. JSON cannot express them, so a list of refusals that a tool reports is a result.
"""

from __future__ import annotations

from typing import Any

from mulligan.plugin import Failure, Tool, hookimpl

_MOST_RECIPIENTS = 100


@hookimpl
def detect(value: Any, tool: Tool) -> Failure | None:
    """Recipients that were refused while others were accepted, and an IMAP server's NO or BAD."""
    refused = refused_recipients(value)
    if refused:
        return Failure(value=value, message="\n".join(f"{one}: {code} {text}" for one, (code, text) in refused.items()))
    answer = imap_refusal(value)
    return None if answer is None else Failure(value=value, message=answer)


def refused_recipients(value: object) -> dict[str, tuple[int, str]]:
    """The recipients in what `sendmail` of smtplib or aiosmtplib returned, each with its reply; empty for any other value.

    Args:
        value: what a tool returned.
    """
    is_async = type(value) is tuple and len(value) == 2 and type(value[1]) is str
    replies = value[0] if is_async and isinstance(value, tuple) else value
    if type(replies) is not dict or not 0 < len(replies) <= _MOST_RECIPIENTS:
        return {}
    refused: dict[str, tuple[int, str]] = {}
    for address, pair in replies.items():
        reply = reply_of(pair)
        is_clients_own = type(pair).__name__ == "SMTPResponse" if is_async else _has_bytes(pair)
        if reply is None or not is_clients_own or type(address) is not str or "@" not in address:
            return {}
        refused[address] = reply
    return refused


def _has_bytes(pair: object) -> bool:
    return type(pair) is tuple and type(pair[-1]) is bytes


def reply_of(pair: object) -> tuple[int, str] | None:
    """A server's refusal as code and text; None if the pair is not a refusal.

    Args:
        pair: `(550, b"5.1.1 No such user")`.
    """
    if not isinstance(pair, tuple) or len(pair) != 2:
        return None
    code, text = pair
    if not isinstance(code, int) or not 400 <= code <= 599:
        return None
    return int(code), text_of(text)


def text_of(text: object) -> str:
    """The text of a reply, which smtplib has as bytes; at most 1,000 characters.

    Args:
        text: the text or bytes.
    """
    if isinstance(text, bytes):
        return text[:1_000].decode("utf-8", "replace")
    return text[:1_000] if isinstance(text, str) else ""


def imap_refusal(value: object) -> str | None:
    """The text of an IMAP server's NO or BAD, as imaplib returns it; None for any other value.

    Args:
        value: what a tool returned.
    """
    if type(value) is not tuple or len(value) != 2 or value[0] not in ("NO", "BAD") or type(value[1]) is not list:
        return None
    data = value[1]
    if not data or not all(one is None or type(one) is bytes for one in data):
        return None
    return f"{value[0]} {' '.join(text_of(one) for one in data[:20] if one)}".strip()
