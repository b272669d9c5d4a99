"""The HTTP status that a text reports: `status code 404`, `error: 404`, `404 Not Found`."""

from __future__ import annotations

import re
from http import HTTPStatus

from mulligan.lazy import lazy_pattern

_QUOTED = lazy_pattern(r"\"[^\"\n]{0,200}\"|(?<!\w)'[^'\n]{0,200}'(?!\w)|`[^`\n]{0,200}`")
_STATUS = lazy_pattern(
    r"(?:^|[^\w\"'`])(?<!exit )(?:HTTP(?:/[\d.]{1,3})?(?: ?error| status)?(?: code)?"
    r"|(?:HTTP |response |error )?status(?: code)?|(?:returned|received|with|HTTP) (?:an? )?(?:error|response)(?: code)?|error)"
    r"[ :=]{1,3}[\[(]?([45]\d\d)(?=$|[\])}:,;.\n]|\s[-(\[{]| (?:Client|Server) Error\b| received\b)"
    r"|\b(?:api|server|service|endpoint|request|backend|upstream|host|site|page|url) (?:returned|responded with|answered"
    r"(?: with)?|replied(?: with)?|gave) (?:an? |HTTP |status ){0,3}([45]\d\d)(?=$|[,;:.)]| (?:for|on|from|to|with|after|at)\b)"
    r"|\b(?:got|received|returned|answered) (?:an? |HTTP |status |code ){0,3}([45]\d\d)(?= (?:from|response|error|status)\b)"
    r"|\A\s{0,8}(?:[\w.]{1,120}(?:Error|Exception): )?([45]\d\d)(?=\s{0,8}\Z|: \S|\s\{| (?:Client|Server) Error: )"
    r"|: ([45]\d\d)(?= (?:Client|Server) Error: )"
    r"|\b(?:error|failed|failure)\b[^\n()\d]{0,80}\(([45]\d\d)\)(?=:|\.?\Z)|\bhttps?://\S{1,400}: ([45]\d\d)\b"
    r"|(?:^|[^\w.\"'`#])[\[(]?([45]\d\d)[\])]?:? ([A-Z][a-z]{1,16}(?: [A-Za-z-]{2,16}){0,4})",
    re.IGNORECASE,
)
_REASON_PHRASES = {
    **{status.value: (status.phrase.lower(),) for status in HTTPStatus if status >= 400},
    408: ("request timeout", "request time-out"),
    413: ("request entity too large", "payload too large", "content too large"),
    414: ("request-uri too long", "uri too long", "request uri too long"),
    422: ("unprocessable entity", "unprocessable content"),
    504: ("gateway timeout", "gateway time-out"),
}


def find_status(text: str, messages: str = "") -> int | None:
    """The HTTP status that a text reports, or None.

    Args:
        text: the text of a failure.
        messages: the messages of its body, if there is one; they come first.
    """
    both = text[:600] if messages in ("", text) else f"{messages[:600]}\n{text[:600]}"
    for match in _STATUS.finditer(_QUOTED.sub("_", both)) if "4" in both or "5" in both else ():
        status = next(filter(None, match.groups()[:7]), None)
        if status:
            return int(status)
        if match[9].lower().startswith(_REASON_PHRASES.get(int(match[8]), ())):
            return int(match[8])
    return None
