"""The tables of a ledger, as a list of migrations. A file of an older version is migrated forward, never back.

`docs/reference/ledger.md` describes every column for people who query the file.
"""

from __future__ import annotations

APPLICATION_ID = 0x4D4C4744
"""Marks the file as a ledger, for `file` and for the check when it is opened."""

_FIRST = """
CREATE TABLE migrations (name TEXT PRIMARY KEY, applied TEXT NOT NULL);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE processes (
    id INTEGER PRIMARY KEY,
    pid INTEGER NOT NULL,
    host TEXT NOT NULL,
    started TEXT NOT NULL,
    python TEXT NOT NULL,
    mulligan TEXT NOT NULL,
    source TEXT NOT NULL,
    content TEXT NOT NULL,
    lost INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    process INTEGER NOT NULL REFERENCES processes (id),
    conversation INTEGER NOT NULL,
    session_id TEXT,
    started TEXT NOT NULL,
    last_step INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_session_id ON sessions (session_id);

CREATE TABLE requests (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    step INTEGER NOT NULL,
    at TEXT NOT NULL,
    text TEXT
);
CREATE INDEX requests_by_session ON requests (session);

CREATE TABLE definitions (
    hash TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    parameters TEXT NOT NULL,
    options TEXT NOT NULL
);

CREATE TABLE toolsets (hash TEXT PRIMARY KEY, definitions TEXT NOT NULL);

CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    step INTEGER NOT NULL,
    at TEXT NOT NULL,
    duration REAL NOT NULL,
    call_id TEXT,
    name TEXT NOT NULL,
    tool TEXT,
    definition TEXT REFERENCES definitions (hash),
    toolset TEXT REFERENCES toolsets (hash),
    arguments TEXT,
    arguments_key TEXT,
    is_error INTEGER NOT NULL,
    error TEXT,
    code TEXT,
    rule TEXT,
    provider TEXT,
    fatal INTEGER NOT NULL,
    transient INTEGER,
    effect TEXT,
    http_status INTEGER,
    retry_after REAL,
    resource TEXT,
    message TEXT,
    user_message TEXT,
    attempts INTEGER NOT NULL,
    repaired INTEGER NOT NULL,
    result TEXT,
    result_chars INTEGER,
    feedback TEXT,
    feedback_chars INTEGER,
    corrected TEXT,
    corrected_key TEXT,
    suggestions TEXT,
    problems TEXT
);
CREATE INDEX calls_by_session ON calls (session, step);
CREATE INDEX calls_by_time ON calls (at);

CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    call INTEGER NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    error TEXT NOT NULL,
    code TEXT NOT NULL,
    rule TEXT,
    transient INTEGER NOT NULL,
    effect TEXT NOT NULL,
    http_status INTEGER,
    retry_after REAL,
    message TEXT,
    exception TEXT,
    outcome TEXT
);
CREATE INDEX attempts_by_call ON attempts (call);

CREATE TABLE repairs (
    id INTEGER PRIMARY KEY,
    call INTEGER NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    before TEXT,
    after TEXT,
    was_json INTEGER NOT NULL
);
CREATE INDEX repairs_by_call ON repairs (call);

CREATE VIEW failures AS
    SELECT calls.id, calls.at, sessions.session_id, calls.step, calls.name, calls.error, calls.code, calls.rule,
        calls.provider, calls.fatal, calls.arguments, calls.message, calls.feedback
    FROM calls JOIN sessions ON sessions.id = calls.session
    WHERE calls.is_error;
"""

_SESSIONS_BY_PROCESS = """
CREATE INDEX sessions_by_process ON sessions (process, conversation);
"""

MIGRATIONS = (("1_first", _FIRST), ("2_sessions_by_process", _SESSIONS_BY_PROCESS))
"""Names and statements, in order. `PRAGMA user_version` is the number of those that were applied."""

VERSION = len(MIGRATIONS)
