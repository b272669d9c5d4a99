"""MySQL and MariaDB, through PyMySQL, aiomysql, asyncmy, mysqlclient and their makers' connectors: by error number."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.plugin import Failure, Rules, ToolError
from mulligan_sql import _meanings as m
from mulligan_sql._sqlstate import meaning_of, state_of

rules = Rules()
_PROVIDER = "mysql"
_MEANINGS: tuple[tuple[m.Meaning, tuple[int, ...]], ...] = (
    (m.REFUSED, (1045, 1130, 1129, 1251, 1698, 1820, 1862, 2049, 2059, 2061, 3118, 3955, 4151)),
    (m.denied, (1044, 1142, 1143, 1227, 1370, 1410, 1419, 3530)),
    (m.READ_ONLY, (1036, 1290, 1792, 1836)),
    (m.UNREACHABLE, (1042, 1043, 2001, 2002, 2003, 2004, 2005, 2007, 2012, 2026, 2070, 3159)),
    (m.STOPPING, (1053, 1077, 1079)),
    (m.DROPPED, (1152, 1158, 1160, 1184, 1927, 2006, 2013, 2027, 2055)),
    (m.TIMED_OUT, (1159, 1161)),
    (m.TOO_SLOW, (1969, 3024)),
    (m.CANCELLED, (1317, 1028)),
    (m.TOO_MANY_CONNECTIONS, (1040, 1203)),
    (m.LIMITED, (1226,)),
    (m.EXHAUSTED, (1037, 1038, 1041, 1135, 2008)),
    (m.FULL, (1021, 1114, 3170)),
    (m.LOCKED, (1205, 1206, 3058, 3132, 3572)),
    (m.ABORTED, (1020, 1180, 1213, 1412, 1613, 1614, 3101)),
    (m.duplicate, (1022, 1062, 1169, 1557, 1586, 1859)),
    (m.referenced, (1216, 1217, 1451, 1452, 1701, 1761, 1762, 3730)),
    (m.exists, (1007, 1050, 1060, 1061, 1068, 1125, 1304, 1359, 1537, 1826)),
    (m.FORBIDDEN, (1099, 1100, 1192, 1223, 1556, 1568, 1665)),
    (m.missing, (1008, 1017, 1049, 1051, 1091, 1094, 1109, 1133, 1141, 1146, 1147, 1176, 1243, 1305)),
    (m.missing, (1329, 1360, 1396, 1449, 1477, 1507, 1539, 1735, 4091, 4092)),
    (m.unknown_column, (1054, 1072, 1247)),
    (m.needs_value, (1048, 1171, 1263, 1364)),
    (m.rejected, (1264, 1265, 1292, 1366, 1406, 1906, 3105, 3819, 4025)),
    (m.WRONG_VALUE, (1365, 1367, 1411, 1425, 1426, 1441, 1526, 1690, 3140, 3141, 3156, 3988)),
    (m.SYNTAX, (1064, 1065, 1149)),
    (m.WRONG_SQL, (1046, 1052, 1055, 1056, 1057, 1058, 1063, 1066, 1067, 1093, 1110, 1111, 1115, 1136, 1191, 1193)),
    (m.WRONG_SQL, (1221, 1222, 1231, 1232, 1238, 1241, 1242, 1248, 1267, 1271, 1273, 1286, 1291, 1300, 1318, 1351)),
    (m.WRONG_SQL, (1494, 1508, 1582, 3065, 4161)),
    (m.WRONG_PARAMETERS, (1210, 2031, 2034)),
    (m.TOO_BIG, (1059, 1069, 1070, 1071, 1074, 1117, 1118, 1153, 1301, 1390, 1436, 2020)),
    (m.UNSUPPORTED, (1178, 1214, 1235, 1289, 1295, 2054)),
    (m.RAISED, (1644,)),
    (m.FAILED, (1005, 1016, 1025, 1026, 1030, 1034, 1035, 1105, 1194, 1195)),
)
_NUMBERS: Mapping[int, m.Meaning] = {number: meaning for meaning, numbers in _MEANINGS for number in numbers}
_NAME = r"['`]([^'`\s]{1,200})['`]|PROCEDURE (\S{1,200})|thread id: (\d{1,20})|handler \((\S{1,200})\)"
_COLUMN = r"(?i)(?:column|field) ((?:['`][^'`]{1,100}['`]\.?){1,3})"
_TABLE = r"(?:for table|failed for|fails \() ?((?:['`][^'`]{1,100}['`]\.?){1,2})"
_TABLE_OF_COLUMN = r"for column (`[^`]{1,100}`\.`[^`]{1,100}`)\."
_FOREIGN = r"FOREIGN KEY \(`([^`]{1,100})`\)"
_CHECKED = r"CONSTRAINT `([^`]{1,100}\.[^`]{1,100})` failed"
_KEY = r"for key '([^']{1,200})'$"
_NO_SPACE = r"\b(?:error|Errcode:|errno:) (28)\b"


@rules(
    "mysql.connector.errors.ReadTimeoutError",
    "mysql.connector.errors.WriteTimeoutError",
    "mysql.connector.errors.ConnectionTimeoutError",
)
def mysql_timeout(failure: Failure) -> ToolError:
    """The connector gave up waiting for the server."""
    if failure.matches("mysql.connector.errors.ConnectionTimeoutError"):
        return m.NOT_CONNECTED(provider=_PROVIDER)
    return m.TIMED_OUT(provider=_PROVIDER)


@rules("mysql.connector.PoolError")
def mysql_pool(failure: Failure) -> ToolError | None:
    """The connector's pool has no connection left."""
    return m.TOO_MANY_CONNECTIONS(provider=_PROVIDER) if failure.says("pool exhausted", "queue is full") else None


@rules("pymysql.MySQLError", "mysql.connector.Error", "MySQLdb.MySQLError", "asyncmy.MySQLError", "mariadb.Error")
def mysql_number(failure: Failure) -> ToolError | None:
    """The server's or the client's error number, with the table and column that its text names."""
    number, text = _number_and_text(failure)
    meaning = _meaning(number, text) or meaning_of(state_of(failure.look("sqlstate")) or "")
    if meaning is None:
        return _connection_closed(failure)
    table = _table(text)
    return m.make_error(meaning, _PROVIDER, name=_name(meaning, text), column=_column(meaning, text), table=table)


def _number_and_text(failure: Failure) -> tuple[int, str]:
    """The number and the text, which each driver keeps in its own way."""
    number, text = failure.look("errno"), failure.look("msg")
    if not isinstance(number, int):
        arguments = failure.look("args")
        number, text = (arguments[0], arguments[-1]) if isinstance(arguments, tuple) and arguments else (None, None)
    return (number if isinstance(number, int) else -1), (text if isinstance(text, str) else failure.text)


def _meaning(number: int, text: str) -> m.Meaning | None:
    """What a number means; some stand for two things, which only the text tells apart."""
    if number in _WITH_ERRNO and m.find_name(_NO_SPACE, text):
        return m.FULL
    for one, phrase, meaning in _AMBIGUOUS_NUMBERS:
        if one == number and phrase in text:
            return meaning
    return _NUMBERS.get(number)


_WITH_ERRNO = frozenset({1005, 1016, 1025, 1026, 1030})
_AMBIGUOUS_NUMBERS: tuple[tuple[int, str, m.Meaning], ...] = (
    (1005, "errno: 150", m.WRONG_SQL),
    (1226, "max_user_connections", m.TOO_MANY_CONNECTIONS),
    (1290, "-file-priv", m.denied),
    (1305, "FUNCTION", m.UNKNOWN_FUNCTION),
    (1396, "CREATE", m.exists),
    (2003, "timed out", m.NOT_CONNECTED),
    (2013, "timed out", m.TIMED_OUT),
)


def _connection_closed(failure: Failure) -> ToolError | None:
    """A connection that is closed already, which has no number of its own."""
    if failure.look("args") == (0, "") or failure.says(
        "Connection not available", "Cursor is not connected", "Not connected"
    ):
        return m.DROPPED(provider=_PROVIDER)
    if failure.says("No result set to fetch from", "Unread result found"):
        return m.MISUSED(provider=_PROVIDER)
    return m.CLOSED(provider=_PROVIDER) if failure.says("Cursor closed", "execute() first") else None


def _name(meaning: m.Meaning, text: str) -> str | None:
    """The thing that the text names."""
    if meaning not in (m.missing, m.unknown_column, m.exists):
        return None
    return m.find_name(_NAME, text)


def _column(meaning: m.Meaning, text: str) -> str | None:
    """The column that the text names; a key that MySQL named after its column tells it too."""
    checked = m.find_name(_CHECKED, text) if meaning is m.rejected else None
    column = checked or m.find_name(_COLUMNS.get(meaning, _COLUMN), text)
    return None if column is None or column.endswith("PRIMARY") else column


_COLUMNS = {m.duplicate: _KEY, m.referenced: _FOREIGN}


def _table(text: str) -> str | None:
    """The table that the text names, with its database's name where that is told."""
    table = m.find_name(_TABLE, text)
    return table or m.find_name(_TABLE_OF_COLUMN, text)
