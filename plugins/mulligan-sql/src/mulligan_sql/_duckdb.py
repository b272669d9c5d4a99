"""DuckDB: by the class of the exception, and by its words where a class covers several things."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError, status_error
from mulligan_sql import _meanings as m

rules = Rules()
_PROVIDER = "duckdb"
_NAMED = r"\bname(?:d)? (?!already)[\"']?([^\s\"'!]{1,200})|\bto \"([^\"\n]{1,200})\": another"
_QUOTED = r'"([^"\n]{1,200})"'
_COLUMN = r'(?:column named|column with name|[Cc]olumn) "([^"\n]{1,200})"|update column (\S{1,200}) not found'
_CONSTRAINT = r"constraint failed: (\S{1,200})"
_FOREIGN = r'because key "([^":]{1,200}):'
_KEY = r'Duplicate key "([^":]{1,200}):'
_CLASSES: tuple[tuple[str, m.Meaning], ...] = (
    ("InterruptException", m.CANCELLED),
    ("PermissionException", m.denied),
    ("DependencyException", m.DEPENDED_ON),
    ("TransactionException", m.FORBIDDEN),
    ("SequenceException", m.FORBIDDEN),
    ("OutOfMemoryException", m.EXHAUSTED),
    ("SerializationException", m.FAILED),
    ("ResourceInUseException", m.LOCKED),
    ("ConnectionException", m.DROPPED),
    ("ParserException", m.SYNTAX),
    ("SyntaxException", m.SYNTAX),
    ("BinderException", m.WRONG_SQL),
    ("InvalidInputException", m.WRONG_SQL),
    ("InvalidTypeException", m.WRONG_SQL),
    ("CatalogException", m.WRONG_SQL),
    ("DataError", m.WRONG_VALUE),
    ("NotSupportedError", m.UNSUPPORTED),
)


@rules("duckdb.ConstraintException", "_duckdb.ConstraintException")
def duckdb_constraint(failure: Failure) -> ToolError:
    """A constraint that the row breaks, with its column where that is told."""
    column, text = m.find_name(_CONSTRAINT, failure.text), failure.text
    if "NOT NULL constraint" in text:
        return m.needs_value(column, provider=_PROVIDER)
    if "CHECK constraint" in text:
        return m.rejected(None, m.find_name(_QUOTED, text), provider=_PROVIDER)
    if failure.says("foreign key constraint"):
        return m.referenced(m.find_name(_FOREIGN, text), provider=_PROVIDER)
    return m.duplicate(m.find_name(_KEY, text), provider=_PROVIDER)


@rules("duckdb.CatalogException", "_duckdb.CatalogException", "duckdb.BinderException", "_duckdb.BinderException")
def duckdb_name(failure: Failure) -> ToolError | None:
    """A table, column or function that is not there, or is there already."""
    if failure.says("already exists"):
        return m.exists(m.find_name(_NAMED, failure.text), provider=_PROVIDER)
    if failure.says("Referenced table"):
        return m.WRONG_SQL(provider=_PROVIDER)
    if failure.says("Could not drop", "Cannot drop"):
        return m.DEPENDED_ON(provider=_PROVIDER)
    if failure.says("Referenced column", "Referenced update column", "does not have a column"):
        return m.unknown_column(m.find_name(_COLUMN, failure.text), provider=_PROVIDER)
    if not failure.says("does not exist", "not found", "No catalog"):
        return None
    if failure.says("Function with name"):
        return m.UNKNOWN_FUNCTION(provider=_PROVIDER)
    return m.missing(m.find_name(_NAMED, failure.text) or m.find_name(_QUOTED, failure.text), provider=_PROVIDER)


@rules("duckdb.TransactionException", "_duckdb.TransactionException")
def duckdb_transaction(failure: Failure) -> ToolError | None:
    """Another transaction at the same time, a row that is there already at the end of one, or one that failed before."""
    for phrases, meaning in _TRANSACTIONS:
        if failure.says(*phrases):
            return m.make_error(meaning, _PROVIDER, column=m.find_name(_KEY, failure.text))
    return None


_TRANSACTIONS: tuple[tuple[tuple[str, ...], m.Meaning], ...] = (
    (("Duplicate key", "UNIQUE constraint"), m.duplicate),
    (("transaction is aborted",), m.BROKEN_TRANSACTION),
    (("conflict", "altered by a different transaction"), m.ABORTED),
)


@rules("duckdb.HTTPException", "_duckdb.HTTPException")
def duckdb_http(failure: Failure) -> ToolError | None:
    """The answer of the server that a remote file lies on, by its HTTP status."""
    status = failure.look("status_code")
    return status_error(failure, status, provider=_PROVIDER) if isinstance(status, int) and status else None


@rules("duckdb.IOException", "_duckdb.IOException")
def duckdb_file(failure: Failure) -> ToolError | None:
    """A file that is missing, held by another process, denied, or no database."""
    for phrases, meaning in _FILES:
        if failure.says(*phrases):
            return m.make_error(meaning, _PROVIDER, name=m.find_name(_QUOTED, failure.text))
    return None


_FILES: tuple[tuple[tuple[str, ...], m.Meaning], ...] = (
    (("Could not set lock on file",), m.LOCKED),
    (("No files found", "No such file or directory", "not found", "does not exist", "404"), m.missing),
    (("Permission denied",), m.denied),
    (("not a valid DuckDB database file",), m.NOT_A_DATABASE),
    (("No space left on device",), m.FULL),
    (("Could not establish connection", "Could not connect", "Failed to download extension"), m.UNREACHABLE),
)


@rules("duckdb.Error", "_duckdb.Error")
def duckdb_class(failure: Failure) -> ToolError | None:
    """The class of the exception, where its words say no more."""
    for phrases, meaning in _PLAIN:
        if failure.says(*phrases):
            return meaning(provider=_PROVIDER)
    for name, meaning in _CLASSES:
        if failure.matches(f"duckdb.{name}", f"_duckdb.{name}"):
            return meaning(provider=_PROVIDER)
    return None


_PLAIN: tuple[tuple[tuple[str, ...], m.Meaning], ...] = (
    (("attached in read-only mode",), m.READ_ONLY),
    (("with a different configuration",), m.FORBIDDEN),
    (("transform python value",), m.WRONG_PARAMETERS),
    (("automatically install the required extension",), m.UNREACHABLE),
)
