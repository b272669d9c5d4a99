"""What an exception complains of in a sentence, such as `You cannot afford the bow`, where no rule knows it.

Imported on the first such exception, since the tables are large.
"""

from __future__ import annotations

import re

from mulligan.classify import meanings as m
from mulligan.classify.detect.sentences import complaint
from mulligan.classify.failure import Failure
from mulligan.classify.reasons import reason_of
from mulligan.errors import ToolError

_CODE = re.compile(r"[a-z]+(?:_[a-z]+)+")  # `invalid_auth`
_LONGEST_CODE = 60
_RULE = "host:sentence"


def complaint_error(failure: Failure) -> ToolError | None:
    """The error of an exception whose message complains in a sentence, or is a code in lower case; None for any other.

    Sentences are read more loosely than known clauses. So none says that the call had no effect (`No receipt was issued`), and
    none ends a run (`Missing password column in the table`). Of several causes, the last is read besides the exception itself.

    Args:
        failure: a failure that no rule knows.
    """
    chain = failure.whole_chain
    for one in (chain[0], chain[-1]) if len(chain) > 1 else chain:
        if one.exception is None or one.is_bug:
            continue
        meaning = reason_of(one.told) if len(one.told) <= _LONGEST_CODE and _CODE.fullmatch(one.told) else None
        if meaning is not None:
            return m.error_of(one, meaning, rule=_RULE)
        meaning = complaint(one.told)
        if meaning is not None and meaning is not m.FAILED:
            return m.error_of(one, meaning, effect="possible", fatal=False, rule=_RULE)
    return None
