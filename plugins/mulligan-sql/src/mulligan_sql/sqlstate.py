"""The meanings of SQLSTATEs: those of PostgreSQL, the SQL standard and ODBC.

https://www.postgresql.org/docs/18/errcodes-appendix.html, src/backend/utils/errcodes.txt of PostgreSQL 18.6 (2026-08-15), whose
list is `tests/published/sqlstate.txt`. A state that is not listed has the meaning of its class, its first two characters.
"""

from __future__ import annotations

import re

from mulligan.plugin import Codes
from mulligan.plugin import meanings as m
from mulligan_sql.database import (
    ABORTED,
    BROKEN_TRANSACTION,
    DEPENDED_ON,
    DUPLICATE,
    EXHAUSTED,
    FULL,
    INVALID_SQL,
    INVALID_VALUE,
    IO_FAILED,
    LOCKED,
    NEEDS_VALUE,
    NO_FREE_CONNECTION,
    OVER_LIMIT,
    PARAMETERS,
    RAISED,
    READ_ONLY,
    REFERENCED,
    REJECTED,
    ROUTINE_DENIED,
    STARTING,
    STOPPING,
    SYNTAX,
    TOO_LARGE,
    TOO_SLOW,
    UNKNOWN_COLUMN,
    UNKNOWN_FUNCTION,
    UNSUPPORTED,
    Meaning,
)

codes = Codes(
    {
        m.NOT_FOUND: """
            02000 02001 26000 34000 3B001 3D000 3F000 42704 42P01 42S02 42S12 57P04 58P01 HV00J HV00P HV00Q HV00R P0002
        """,
        m.EXISTS: "42701 42710 42723 42P03 42P04 42P05 42P06 42P07 42S01 42S11 42S21 58P02",
        m.AUTHENTICATION: "28000 28P01",
        m.PERMISSION: "42501",
        READ_ONLY: "25006",
        m.UNREACHABLE: "08001 08004 IM002 IM003",
        m.DROPPED: "01002 08000 08003 08006 08007 25P03 40003 57P05",
        m.CONNECTION: "08P01",
        m.UNAVAILABLE: "57000 HV00N",
        NO_FREE_CONNECTION: "53300",
        STARTING: "57P03",
        STOPPING: "57P01 57P02",
        m.CANCELLED: "57014 70100 HY008",
        m.TIMEOUT: "HYT01",
        TOO_SLOW: "25P04 HYT00",
        EXHAUSTED: "53000 53200 HV001 HV014",
        FULL: "53100",
        OVER_LIMIT: "53400",
        LOCKED: "55006 55P03 F0001",
        ABORTED: "40000 40001 40P01 72000",
        BROKEN_TRANSACTION: "25P02",
        DEPENDED_ON: "2B000 2BP01",
        REFERENCED: "23001 23503 23504",
        DUPLICATE: "23505",
        m.CONFLICT: "23000 P0003 23P01 40002 55000 55P02 55P04",
        NEEDS_VALUE: "23502",
        REJECTED: "23514",
        UNKNOWN_COLUMN: "42703 42S22 HV005",
        UNKNOWN_FUNCTION: "42883",
        SYNTAX: "42601",
        INVALID_SQL: "42000 42712 HV006 HV007 HV008 HV00C HV00D",
        INVALID_VALUE: "10608 22023 39004 58P03 HV004 HV009 HV00A HV00B HV024 HV090 HV091",
        PARAMETERS: "HV002",
        UNSUPPORTED: "0A000",
        IO_FAILED: "58000 58030",
        ROUTINE_DENIED: "2F002 2F003 2F004 38001 38002 38003 38004",
        RAISED: "09000 2F000 2F005 38000 39000 39001 39P01 39P02 39P03 45000 P0000 P0001 P0004",
        m.FAILED: "F0000 HV000 HV00K HV00L HV00M HV010 HV021 XX000 XX001 XX002",
    },
    skipped={
        "it says that the statement succeeded": "00000",
        "a warning, which no driver raises": "01000 01003 01004 01006 01007 01008 0100C 01P01",
    },
)
classes = Codes(
    {
        PARAMETERS: "07",
        m.DROPPED: "08",
        UNSUPPORTED: "0A",
        INVALID_SQL: "03 0L 0P 10 21 42",
        INVALID_VALUE: "0F 20 22 44",
        m.CONFLICT: "0B 23 24 25 27 2D 3B 55",
        DEPENDED_ON: "2B",
        m.NOT_FOUND: "26 34 3D 3F",
        m.AUTHENTICATION: "28",
        ABORTED: "40",
        EXHAUSTED: "53",
        TOO_LARGE: "54",
        m.UNAVAILABLE: "57",
        IO_FAILED: "58",
        RAISED: "09 0Z 2F 38 39 45 P0",
        m.FAILED: "F0 HV XX",
    }
)
_STATE = re.compile(r"[0-9A-Z]{5}")


def state_of(value: object) -> str | None:
    """The value, if it is a SQLSTATE: five digits and capital letters.

    Args:
        value: anything.
    """
    return value if isinstance(value, str) and _STATE.fullmatch(value) else None


def meaning_of(state: str | None) -> Meaning | None:
    """The meaning of a state; None if it does not indicate the cause, such as the general HY000.

    Args:
        state: a SQLSTATE, or None.
    """
    if state is None or state in codes.skipped:
        return None
    return codes.meaning_of(state) or classes.meaning_of(state[:2])
