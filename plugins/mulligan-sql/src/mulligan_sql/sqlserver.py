"""SQL Server and Azure SQL, through pyodbc, mssql-python and pymssql: by the number of the error.

https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors (2025-11), the numbers that
statements and logins can cause. ODBC shows only a SQLSTATE, which is 42000 for most; its message ends with the number.
"""

from __future__ import annotations

import re
from functools import partial

from mulligan.plugin import Codes, Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_sql.database import (
    ABORTED,
    DUPLICATE,
    EXHAUSTED,
    FULL,
    INVALID_SQL,
    INVALID_VALUE,
    LOCKED,
    NEEDS_VALUE,
    NO_FREE_CONNECTION,
    PARAMETERS,
    READ_ONLY,
    REFERENCED,
    REJECTED,
    STOPPING,
    SYNTAX,
    TOO_LARGE,
    UNKNOWN_COLUMN,
    UNKNOWN_FUNCTION,
    Database,
    Meaning,
    database_error,
    find_name,
)

rules = Rules("sqlserver")
SQL_SERVER = Database("sqlserver", "SQL Server")
_error = partial(database_error, database=SQL_SERVER)
codes = Codes(
    {
        m.AUTHENTICATION: (18452, 18456, 18470, 18486, 18487, 18488, 40532),
        m.PERMISSION: (229, 230, 262, 297, 300, 916, 3704, 15247, 40615),
        READ_ONLY: (3906, 3908),
        m.NOT_FOUND: (208, 911, 942, 2812, 3701, 4060, 15151),
        m.EXISTS: (1801, 1913, 2705, 2714, 15023, 15025),
        UNKNOWN_COLUMN: (207,),
        UNKNOWN_FUNCTION: (195,),
        SYNTAX: (102, 103, 105, 156, 170, 319),
        INVALID_SQL: (107, 109, 110, 120, 121, 137, 141, 145, 205, 209, 213, 264, 306, 512, 4104, 8120, 8155, 10709),
        PARAMETERS: (201, 8144, 8145, 8146, 8178),
        INVALID_VALUE: (220, 232, 235, 236, 241, 242, 244, 245, 248, 295, 296, 517, 8114, 8115, 8134, 8169),
        REJECTED: (544, 2628, 8152),
        NEEDS_VALUE: (515,),
        DUPLICATE: (2601, 2627),
        REFERENCED: (547,),
        TOO_LARGE: (191, 511, 8631, 8632),
        ABORTED: (1205, 3960, 3961, 41301, 41302, 41305, 41325),
        LOCKED: (1204, 1222),
        NO_FREE_CONNECTION: (10928, 10929, 17809),
        EXHAUSTED: (701, 802, 8645, 8651),
        m.RATE_LIMIT: (40501, 49918, 49919, 49920),
        FULL: (1101, 1105, 9002, 40544),
        m.UNAVAILABLE: (926, 927, 976, 978, 979, 983, 40197, 40540, 40613),
        STOPPING: (6005, 40143),
        m.UNREACHABLE: (20009,),  # the rest are those of pymssql's DB-Library
        m.TIMEOUT: (20003,),
        m.DROPPED: (20004, 20006, 20017, 20047),
    }
)
_NUMBER = re.compile(r"\((\d{3,5})\)(?: \(\w{1,40}\)|;|$)")
_NAMES = {
    m.NOT_FOUND: r"'([^']{1,200})'|database \"([^\"]{1,200})\"",
    m.EXISTS: r"'([^']{1,200})'",
    m.PERMISSION: r"on the object '([^']{1,200})'",
    UNKNOWN_COLUMN: r"column name '([^']{1,200})'",
}
_COLUMN = r"column '([^']{1,200})'"
_TABLE = r"(?:table|object) ['\"]([^'\"]{1,200})['\"]"


@rules("pyodbc.Error", "mssql_python.Error", "pymssql.Error", "pymssql.exceptions.Error")
def sqlserver_number(failure: Failure) -> ToolError | None:
    """The number of the error. ODBC's message ends with it and names the vendor of the driver."""
    number, text = _number_and_text(failure)
    meaning = codes.meaning_of(number)
    if meaning is None:
        return None
    if number == 547 and "CHECK constraint" in text:
        meaning = REJECTED
    return _error(
        failure,
        meaning,
        code=number,
        name=_name(meaning, text),
        column=find_name(_COLUMN, text) if meaning in (REJECTED, NEEDS_VALUE, REFERENCED) else None,
        table=find_name(_TABLE, text) if meaning in (DUPLICATE, REJECTED, NEEDS_VALUE, REFERENCED) else None,
    )


def _number_and_text(failure: Failure) -> tuple[int | None, str]:
    arguments = failure.look("args")
    arguments = arguments if isinstance(arguments, tuple) and arguments else (None, failure.text)
    if isinstance(arguments[0], tuple) and arguments[0]:
        arguments = arguments[0]  # pymssql: while connecting
    number, message = arguments[0], arguments[-1]
    text = message[:4_000].decode(errors="replace") if isinstance(message, bytes) else str(message)[:4_000]
    if isinstance(number, int):
        return number, text
    found = _NUMBER.search(text) if "[SQL Server]" in text else None
    return (int(found[1]) if found else None), text


def _name(meaning: Meaning, text: str) -> str | None:
    return find_name(_NAMES[meaning], text) if meaning in _NAMES else None
