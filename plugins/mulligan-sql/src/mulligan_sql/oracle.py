"""Oracle Database, through oracledb and cx_Oracle: by the code of the error, as in ORA-00942 and DPY-6005.

https://docs.oracle.com/en/error-help/db/ (23ai, 2025-11) and errors.py of oracledb 3.4: the codes
that statements and logins can cause.
"""

from __future__ import annotations

from functools import partial

from mulligan.plugin import Codes, Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_sql.database import (
    ABORTED,
    CLOSED,
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
    STARTING,
    STOPPING,
    SYNTAX,
    TOO_LARGE,
    TOO_SLOW,
    UNKNOWN_COLUMN,
    Database,
    Meaning,
    database_error,
    find_name,
    first_argument,
)

rules = Rules("oracle")
ORACLE = Database("oracle", "Oracle Database")
_error = partial(database_error, database=ORACLE)
codes = Codes(
    {
        m.AUTHENTICATION: "ORA-01005 ORA-01017 ORA-28000 ORA-28001 ORA-28009 DPY-4001",
        m.PERMISSION: "ORA-00990 ORA-01031 ORA-01045 ORA-01720 ORA-41900",
        READ_ONLY: "ORA-01456 ORA-16000 ORA-12081",
        m.UNREACHABLE: "ORA-12154 ORA-12170 ORA-12541 ORA-12543 ORA-12545 DPY-4026 DPY-4027 DPY-6000 DPY-6005",
        m.NOT_FOUND: """
            ORA-00942 ORA-01403 ORA-01418 ORA-01432 ORA-01434 ORA-01435 ORA-01917 ORA-01918 ORA-01919 ORA-02289 ORA-04043
            ORA-04080 ORA-12505 ORA-12514 DPY-6001 DPY-6003
        """,
        m.EXISTS: "ORA-00955 ORA-01408 ORA-01430 ORA-01920 ORA-01921 ORA-02264",
        UNKNOWN_COLUMN: "ORA-00904",
        SYNTAX: "ORA-00900 ORA-00905 ORA-00907 ORA-00911 ORA-00923 ORA-00933 ORA-00936 ORA-01756 ORA-03048 ORA-03049",
        INVALID_SQL: """
            ORA-00901 ORA-00902 ORA-00903 ORA-00906 ORA-00909 ORA-00913 ORA-00917 ORA-00918 ORA-00921 ORA-00922 ORA-00924
            ORA-00925 ORA-00926 ORA-00927 ORA-00928 ORA-00932 ORA-00934 ORA-00937 ORA-00938 ORA-00947 ORA-00957 ORA-00960
            ORA-00972 ORA-00979 ORA-01427 ORA-01747 ORA-01789 ORA-01790 ORA-06550
        """,
        PARAMETERS: "ORA-01006 ORA-01008 ORA-01036 DPY-4008 DPY-4009 DPY-4010",
        INVALID_VALUE: """
            ORA-01426 ORA-01438 ORA-01476 ORA-01722 ORA-01830 ORA-01839 ORA-01840 ORA-01841 ORA-01843 ORA-01847 ORA-01858
            ORA-01861 ORA-06502 ORA-40441
        """,
        REJECTED: "ORA-01401 ORA-02290 ORA-12899",
        NEEDS_VALUE: "ORA-01400 ORA-01407",
        DUPLICATE: "ORA-00001",
        REFERENCED: "ORA-02266 ORA-02291 ORA-02292 ORA-02449",
        ABORTED: "ORA-00060 ORA-01555 ORA-02049 ORA-08177",
        LOCKED: "ORA-00054 ORA-04021 ORA-30006",
        m.CONFLICT: "ORA-02391 ORA-14411",
        m.CANCELLED: "ORA-01013",
        TOO_SLOW: "ORA-00040 ORA-03136 DPY-4024",
        m.NOT_SENT: "ORA-12535 DPY-4005",
        m.DROPPED: "ORA-00028 ORA-02396 ORA-03113 ORA-03114 ORA-03135 ORA-12537 ORA-12547 ORA-12570 DPY-4011 DPY-1003",
        STOPPING: "ORA-01089 ORA-01092",
        STARTING: "ORA-01033 ORA-01034 ORA-01035 ORA-12526 ORA-12528",
        NO_FREE_CONNECTION: "ORA-00018 ORA-00020 ORA-12516 ORA-12518 ORA-12519 ORA-12520 ORA-24418",
        EXHAUSTED: "ORA-04030 ORA-04031 ORA-04036",
        FULL: "ORA-01536 ORA-01650 ORA-01652 ORA-01653 ORA-01654 ORA-01658 ORA-01691 ORA-30036",
        TOO_LARGE: "ORA-01489 ORA-01795 ORA-01461",
        CLOSED: "DPY-1001 DPY-1002 DPY-1006",
    }
)
_NAMES = {
    UNKNOWN_COLUMN: r"((?:\"[^\"]{1,100}\"\.?){1,3})",
    m.NOT_FOUND: r"table or view ((?:\"[^\"]{1,100}\"\.?){1,2})|object (\S{1,200}) does not exist",
}
_COLUMN = r"((?:\"[^\"]{1,100}\"\.){2}\"[^\"]{1,100}\")"


@rules("oracledb.Error", "cx_Oracle.Error")
def oracle_code(failure: Failure) -> ToolError | None:
    """The code of the error, which the driver stores with the message in a separate object."""
    kept = Failure(value=first_argument(failure))
    code, message = kept.look("full_code"), kept.look("message")
    text = message if isinstance(message, str) else failure.text
    if not isinstance(code, str):
        code = find_name(r"^((?:ORA|DPY)-\d{4,5}):", text)
    meaning = codes.meaning_of(code)
    if meaning is None:
        return None
    column = find_name(_COLUMN, text) if meaning in (NEEDS_VALUE, REJECTED) else None
    return _error(failure, meaning, code=code, name=_name(meaning, text), column=column)


def _name(meaning: Meaning, text: str) -> str | None:
    return find_name(_NAMES[meaning], text) if meaning in _NAMES else None
