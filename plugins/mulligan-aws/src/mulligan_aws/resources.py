"""The resource of an AWS failure: named in the response, in its message, or in the arguments of the call."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mulligan.plugin import Failure, safe_str

_NOUNS = {"object": "key", "item": "table", "query": "table", "scan": "table"}
_OF_ERROR = ("Key", "BucketName", "Resource")
_OF_ANSWER = ("resourceId", "ResourceId", "resourceName")
_QUOTED = r"""['"`]([^'"`\s]{1,500})['"`]"""
_ARN = r"\barn:[\w-]{1,20}:[^\s'\"]{1,500}[^\s'\".,;)]"
_LEADING_PHRASE = (
    r"(?:not found|does not exist|doesn't exist|find):? (?:Table: )?"
    r"([^\s:,]*[\w/-][^\s:,]*)(?= not found|[.\s]*$)"
)
_NAMED = r"\b(?:with (?:name|id|identifier)|named|id) ([\w./:@+=-]*[\w/])(?= )"
_VERB = r"[A-Z][a-z]+"


def resource(failure: Failure) -> str | None:
    """The key, bucket, table, ARN ... that is missing or in the wrong state, or None."""
    answer, error = failure.look("response"), failure.look("response", "Error")
    for holder, names in ((error, _OF_ERROR), (answer, _OF_ANSWER)):
        for name in names if isinstance(holder, Mapping) else ():
            found = holder.get(name)
            if isinstance(found, str) and found:
                return safe_str(found)
    message = safe_str(error.get("Message") or "", 2_000) if isinstance(error, Mapping) else ""
    return _argument_in_message(failure, message) or _name_in_message(message) or _argument(failure)


def _argument_in_message(failure: Failure, message: str) -> str | None:
    """The argument of the call that occurs in the message; the last one if there are several."""
    values = [str(value) for value in (failure.arguments or {}).values() if _is_name(value)]
    held = [value for value in values if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", message)]
    return max(held, key=lambda value: (message.rfind(value) + len(value), len(value)), default=None)


def _name_in_message(message: str) -> str | None:
    for pattern in (_QUOTED, _ARN, _NAMED, _LEADING_PHRASE):
        match = re.search(pattern, message, re.IGNORECASE)
        if match:
            return match[match.lastindex or 0].rstrip(".")
    return None


def _argument(failure: Failure) -> str | None:
    """The argument that the operation names: `key` for `HeadObject`, `queue_name` for `GetQueueUrl`; else the only one."""
    words = [word.lower() for word in re.findall(_VERB, safe_str(failure.look("operation_name") or "", 100))]
    wanted = [_NOUNS.get(word, word.removesuffix("s")) for word in words[1:] or words]
    for word in wanted:
        for name, value in (failure.arguments or {}).items():
            if word in name.lower() and _is_name(value):
                return str(value)
    named = [value for value in (failure.arguments or {}).values() if _is_name(value)]
    return str(named[0]) if len(named) == 1 else None


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 2 < len(value) < 400
