"""The field that a text rejects, in the forms that services and validators write: `Missing required parameter: 'age'`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mulligan.lazy import lazy_pattern

_Q = r"[\"'`]"
_WORD = r"([A-Za-z_$][\w$.-]*(?:\[[\w\"'$-]{0,60}\][\w$.-]*)*)"
_PLAIN = (
    r"(?<![\w$.-])(?!(?:is|are|was|were|must|has|have|of|in|for|on|at|to|with|and|or|not|the|a|an|this|validation|that|values?|names?|types?|error|"
    rf"should|cannot|can|will|does|by|from|it)\b){_WORD}"
)
_KIND = r"(?:parameter|param|argument|field|property|option|variable|column|attribute|input|keyword|header|member|input field)"
_VERDICT = r"(?:is|are|was|were|wasn't|must|has|should|does|got|cannot|can't|not|invalid|failed)\b"
_SAYS = (
    r"(?:Required|Field required|Invalid|Expected|Must|Input should|Value must|Missing|This field|Not a valid|Ensure|Should|"
    r"Unknown|Unexpected|Cannot|Can't|Too (?:short|long|small|large|big)|An? |The )"
)
# A quoted word may be the field or its value, so the forms that say which come first.
_FORMS = tuple(
    lazy_pattern(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        rf"^{_WORD}\n  (?:Field required|Input should|Value error|Extra inputs|String should|List should)",
        r"json-pointer:(/[\w/~.-]{1,200})",
        rf"\bat path:? {_Q}?{_PLAIN}",
        r"\bPath: (\$[\w.\[\]$]{1,200})",
        rf"\bat {_Q}{_WORD}{_Q}",
        rf"\bKey: {_Q}{_WORD}{_Q} ",
        rf"\bGo struct field {_WORD} of\b",
        rf"{_Q} - {_Q}{_WORD}{_Q}$",
        rf"\bconvert {_Q}{_WORD}{_Q} with value\b",
        r"\b(?:body|querystring|params|headers)[./]([\w.\[\]/-]{1,200}?) (?:should|must|is|cannot)\b",
        rf"\b{_KIND}s?:? {_Q}\$?{_WORD}{_Q}",
        rf"\b(?:missing|required|unexpected|unknown|no such)\b[^\"'`\n{{]{{0,40}}{_Q}{_WORD}{_Q}",
        rf"{_Q}\$?{_WORD}{_Q} (?:(?:query |path |body )?{_KIND}\b|(?:\w{{1,20}} ){{0,3}}?{_VERDICT})",
        rf"\b(?:{_KIND}s?|values?) (?:(?:is|are|were|not) ){{0,2}}(?:missing|set|required|unknown|invalid)?:? ?\[{_WORD}[\],]",
        rf"\b(?:missing|required|unknown|unexpected|invalid|bad)(?: required)?(?: query| body)? (?:{_KIND}|value)s?: {_PLAIN}",
        rf"\b(?:missing|unknown|unexpected) {_KIND}:? {_PLAIN}(?=[.,;:)]?(?:$|\n))",
        rf"\bin (?:column|field|property) {_Q}?{_WORD}{_Q}?",
        rf"\b(?:field|parameter|property|column) \[{_WORD}\]",
        rf"\bon (?:property|field|parameter|attribute) {_Q}?{_WORD}",
        rf"\bError in {_Q}{_WORD}{_Q}",
        rf"\b(?:parameter|keyword argument) {_PLAIN}(?=[,:.;)]|$| {_VERDICT})",
        rf"(?:^|[\s\"']){_PLAIN} (?:parameter|argument|field|property|param|attribute) (?:is|was|must|cannot|should|has)\b",
        rf"(?:^|: |In |[-*] ){_WORD} ?: {_SAYS}",
        rf"\bvalidation failed: {_PLAIN}$",
    )
)
_CHAIN = lazy_pattern(r"\(through reference chain: ([^)\n]{1,400})\)")  # Jackson
_LINK = lazy_pattern(r"\[(?:\"([^\"\]]{1,100})\"|(\d{1,6}))\]")
_MISSING = lazy_pattern(r"missing|required|blank|is empty|not set", re.IGNORECASE)
_ABSENT = lazy_pattern(  # a field that was not sent, so that no argument has its name
    r"(?:^|[-*] |, |: )([a-z][A-Za-z0-9_]{1,60}(?:[.\[][\w.\]\[]{1,60})?) (?:is|are) (?:missing|required|mandatory)\b",
    re.MULTILINE,
)
_MISSING_NAME = lazy_pattern(r"^missing ([a-z]\w{1,60})$")
_NO_FIELD = frozenset((
    "authentication", "authorization", "request", "body", "it", "this", "field", "value", "token", "login", "payment", "input",
    "parameter", "argument", "permission", "data", "credentials", "confirmation", "license", "access", "content", "message",
))  # fmt: skip
_LONGEST = 1_000

Place = tuple[object, ...]


def fields_in_text(text: str) -> Iterator[tuple[Place, bool]]:
    """The fields that a text seems to reject, the most certain first, each with whether it is missing.

    Args:
        text: the messages of a failure; only the first 1,000 characters are read.
    """
    text = text[:_LONGEST]
    chain = _CHAIN.search(text)
    if chain is not None:
        yield tuple(name or int(number) for name, number in _LINK.findall(chain[1])), False
    for form in _FORMS:
        for found in form.finditer(text):
            line = text[text.rfind("\n", 0, found.start()) + 1 :].split("\n\n", maxsplit=1)[0][:200]
            yield (found[1].rstrip("."),), _MISSING.search(line) is not None
    for found in (*_ABSENT.finditer(text), *_MISSING_NAME.finditer(text)):
        if found[1].lower() not in _NO_FIELD:
            yield (found[1],), True
