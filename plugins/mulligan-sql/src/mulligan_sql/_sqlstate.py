"""What a SQLSTATE means: the SQL standard's classes, and the codes of PostgreSQL (its manual's appendix A) and ODBC."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mulligan_sql import _meanings as m

_CODES: Mapping[str, m.Meaning] = {
    "01002": m.DROPPED,
    "02000": m.missing,
    "08001": m.UNREACHABLE,
    "08004": m.UNREACHABLE,
    "08P01": m.FAILED,
    "22023": m.WRONG_VALUE,
    "23001": m.referenced,
    "23502": m.needs_value,
    "23503": m.referenced,
    "23504": m.referenced,
    "23505": m.duplicate,
    "23514": m.rejected,
    "25001": m.FORBIDDEN,
    "25006": m.READ_ONLY,
    "25P01": m.FORBIDDEN,
    "25P02": m.BROKEN_TRANSACTION,
    "25P03": m.DROPPED,
    "25P04": m.TOO_SLOW,
    "26000": m.missing,
    "2BP01": m.DEPENDED_ON,
    "34000": m.missing,
    "3B001": m.missing,
    "3D000": m.missing,
    "3F000": m.missing,
    "40002": m.FORBIDDEN,
    "40003": m.DROPPED,
    "42000": m.WRONG_SQL,
    "42501": m.denied,
    "42601": m.SYNTAX,
    "42701": m.exists,
    "42703": m.unknown_column,
    "42704": m.missing,
    "42710": m.exists,
    "42712": m.WRONG_SQL,
    "42723": m.exists,
    "42883": m.UNKNOWN_FUNCTION,
    "42P01": m.missing,
    "42P03": m.exists,
    "42P04": m.exists,
    "42P05": m.exists,
    "42P06": m.exists,
    "42P07": m.exists,
    "42S01": m.exists,
    "42S02": m.missing,
    "42S11": m.exists,
    "42S12": m.missing,
    "42S21": m.exists,
    "42S22": m.unknown_column,
    "53100": m.FULL,
    "53200": m.EXHAUSTED,
    "53300": m.TOO_MANY_CONNECTIONS,
    "53400": m.FULL,
    "55000": m.FORBIDDEN,
    "55006": m.LOCKED,
    "55P03": m.LOCKED,
    "57014": m.CANCELLED,
    "57P01": m.STOPPING,
    "57P02": m.STOPPING,
    "57P03": m.STARTING,
    "57P04": m.missing,
    "57P05": m.DROPPED,
    "58P01": m.missing,
    "58P02": m.exists,
    "70100": m.CANCELLED,
    "72000": m.ABORTED,
    "HV00R": m.missing,
    "HY008": m.CANCELLED,
    "HYT00": m.TOO_SLOW,
    "HYT01": m.TIMED_OUT,
    "IM002": m.UNREACHABLE,
    "IM003": m.UNREACHABLE,
    "P0002": m.missing,
}
_CLASSES: Mapping[str, m.Meaning] = {
    "03": m.WRONG_SQL,
    "07": m.WRONG_PARAMETERS,
    "08": m.DROPPED,
    "09": m.RAISED,
    "0A": m.UNSUPPORTED,
    "0B": m.FORBIDDEN,
    "0F": m.WRONG_VALUE,
    "0L": m.WRONG_SQL,
    "0P": m.WRONG_SQL,
    "10": m.WRONG_SQL,
    "20": m.RAISED,
    "21": m.WRONG_SQL,
    "22": m.WRONG_VALUE,
    "23": m.FORBIDDEN,
    "24": m.FORBIDDEN,
    "25": m.FORBIDDEN,
    "27": m.FORBIDDEN,
    "28": m.REFUSED,
    "2D": m.FORBIDDEN,
    "2F": m.RAISED,
    "38": m.RAISED,
    "39": m.RAISED,
    "3B": m.FORBIDDEN,
    "40": m.ABORTED,
    "42": m.WRONG_SQL,
    "44": m.WRONG_VALUE,
    "53": m.EXHAUSTED,
    "54": m.TOO_BIG,
    "55": m.FORBIDDEN,
    "57": m.CANCELLED,
    "P0": m.RAISED,
}
_STATE = "[0-9A-Z]{5}"


def state_of(value: object) -> str | None:
    """The value, if it is a SQLSTATE: five digits and capital letters.

    Args:
        value: anything.
    """
    return value if isinstance(value, str) and re.fullmatch(_STATE, value) else None


def meaning_of(state: str) -> m.Meaning | None:
    """What a state means, or None where it says nothing of the cause, as the generic HY000.

    Args:
        state: a SQLSTATE.
    """
    return _CODES.get(state) or _CLASSES.get(state[:2])
