"""What a failure of AWS is about: the name in the answer, in its message, or in the call's own arguments."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, safe_str

_FIELDS = (
    ("response", "Error", "Key"),
    ("response", "Error", "BucketName"),
    ("response", "resourceId"),
    ("response", "resourceName"),
    ("response", "ResourceId"),
    ("response", "Error", "Resource"),
)
_QUOTED = re.compile(r"""['"`]([^'"`\s]{1,500})['"`]""")
_ARN = re.compile(r"\barn:[\w-]{1,20}:[^\s'\"]{1,500}[^\s'\".,;)]")
_LED = re.compile(r"(?:not found|does not exist|doesn't exist|find):? (?:Table: )?([^\s:,]*[\w/-][^\s:,]*)(?= not found|[.\s]*$)", re.I)
_NAMED = re.compile(r"\b(?:with (?:name|id|identifier)|named|id) ([\w./:@+=-]*[\w/])(?= )", re.I)
_VERB = re.compile(r"[A-Z][a-z]+")


def resource(failure: Failure) -> str | None:
    """The key, bucket, table, ARN ... that is missing or in the wrong state, or None.

    Args:
        failure: what happened.
    """
    for path in _FIELDS:
        found = failure.look(*path)
        if isinstance(found, str) and found:
            return safe_str(found)
    return _told(failure) or _argument(failure) or failure.resource


def _told(failure: Failure) -> str | None:
    message = safe_str(failure.look("response", "Error", "Message") or "", 2_000)
    for pattern in (_QUOTED, _ARN, _NAMED, _LED):
        match = pattern.search(message)
        if match:
            return match[match.lastindex or 0].rstrip(".")
    return None


def _argument(failure: Failure) -> str | None:
    """The argument that the operation's name speaks of: `key` for `HeadObject`, `queue_name` for `GetQueueUrl`."""
    words = [word.lower() for word in _VERB.findall(safe_str(failure.look("operation_name") or "", 100))]
    wanted = ["key" if word == "object" else word.removesuffix("s") for word in words[1:]]
    for word in wanted:
        for name, value in (failure.arguments or {}).items():
            if word in name.lower() and isinstance(value, str) and 0 < len(value) < 400:
                return value
    return None
