"""Error codes: what providers put into `code`, `type` or `reason`, and the names of exception classes.

`RESOURCE_EXHAUSTED`, `userRateLimitExceeded`, `not_found_error`, `ResourceNotFoundException` and
`com.acme#ThrottlingException` are all split into words. The first row of the table whose words occur among them
decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Unpack

from mulligan.classify import meanings as m
from mulligan.classify import system_errors as system
from mulligan.classify.failure import Failure
from mulligan.classify.phrasebook import Phrasebook
from mulligan.errors import ErrorFields, ToolError
from mulligan.lazy import lazy_pattern

CANONICAL: Mapping[str, m.Meaning] = {
    "CANCELLED": m.CANCELLED,
    "UNKNOWN": m.FAILED,
    "INVALID_ARGUMENT": m.ARGUMENT,
    "DEADLINE_EXCEEDED": m.TIMEOUT,
    "NOT_FOUND": m.NOT_FOUND,
    "ALREADY_EXISTS": m.EXISTS,
    "PERMISSION_DENIED": m.PERMISSION,
    "RESOURCE_EXHAUSTED": m.RATE_LIMIT,
    "FAILED_PRECONDITION": m.CONFLICT,
    "ABORTED": m.ABORTED,
    "OUT_OF_RANGE": m.OUT_OF_RANGE,
    "UNIMPLEMENTED": m.UNIMPLEMENTED,
    "INTERNAL": m.FAILED,
    "UNAVAILABLE": m.UNAVAILABLE,
    "DATA_LOSS": m.FAILED,
    "UNAUTHENTICATED": m.AUTHENTICATION,
}
_EXACT: Mapping[str, m.Meaning] = {  # errno names, as in Node.js and shells, and an AWS code
    **system.BY_NAME,
    "UND_ERR_CONNECT_TIMEOUT": m.NOT_SENT,
    "CERT_HAS_EXPIRED": m.TLS,
    "DEPTH_ZERO_SELF_SIGNED_CERT": m.TLS,
    "LimitExceeded": m.QUOTA,
}
_TABLE: tuple[tuple[m.Meaning, str], ...] = (
    (
        m.FAILED,
        """response validation, (invalid|bad) (response|answer), invalid operation, invalid state error, internal error,
        null (pointer|reference), illegal state""",
    ),
    (
        m.UNREACHABLE,
        """(server|host|hostname|name) not (found|known|resolved), unknown host, name resolution, host unreachable,
        server selection, connection refused, no valid connection*""",
    ),
    (
        m.RATE_LIMIT,
        """rate limit*, ratelimit*, rate exceeded, throttl*, too many request*, slow down,
        (request|requests) limit exceeded, throughput exceeded, enhance your calm, over query limit, flood wait,
        slow mode wait, retry after, server busy, activity limit reached, concurrent (limit|requests|request),
        concurrency limit, too fast, too frequent, too many (simultaneous|concurrent) *""",
    ),
    (
        system.OUT_OF_MEMORY,
        """out of memory, memory error, memory (limit|exhausted), (insufficient|not enough) memory, oom, oom killed,
        bad alloc""",
    ),
    (system.FILE_SIZE, "large zip file"),
    (
        m.TOO_LARGE,
        """too (large|long|big), entity too large, size limit, size exceeded, length exceeded, context length,
        context window, (max|maximum) (length|tokens|payload|size)""",
    ),
    (
        m.UNAVAILABLE,
        "queue full, too many connections, max connections, insufficient capacity, capacity exceeded, no capacity",
    ),
    (m.DISK_FULL, "disk full, no space, not enough space, storage full, database full"),
    (m.TIMEOUT, "time limit exceeded, exceeded time limit"),
    (
        m.QUOTA,
        """quota*, insufficient (quota|credit|credits|funds|balance),
        (balance|credit|credits|funds) (insufficient|exhausted), billing*, payment required, not enough credit*,
        out of credit*,
        (daily|monthly|hard|usage|plan|account|storage|subscription|spending|spend|credit|license) limit*,
        subscription (required|expired|inactive), limit exceeded exception, overdue,
        (usage|spend|spending|monthly|daily) cap*, over quota*, max * limit (reached|exceeded)""",
    ),
    (m.PERMISSION, "unauthorized operation"),
    (
        m.AUTHENTICATION,
        """unauthenticated, unauthorized*, unauthorised, authenticat*, not authenticated, not authed, no auth,
        auth (error|failure|failed|required), invalid auth, wrong pass*,
        (invalid|bad|wrong|missing|incorrect|expired|revoked|no|malformed)
            (access|auth|security|session|client|refresh|api|id|) (key|keys|key id|token|tokens|token
            id|credential|credentials|grant|client|signature|password|login|username|jwt|session),
        (key|token|credential|credentials|signature|password|login|session)
            (invalid|expired|missing|revoked|required|incorrect),
        (key|token|credential|credentials|signature|password|login|session) (unavailable|mismatch|rejected|failed),
        signature does not match, unrecognized client, time too skewed, credential*, refresh error,
        account (inactive|disabled|suspended), account is disabled, api keys invalid, invalid api keys,
        (log in|sign in|interaction|consent) required,
        captcha*, not logged in, authorization (required|missing), oauth*""",
    ),
    (
        m.PERMISSION,
        """permission*, forbidden*, denied, access denied, accessdenied, not (authorized|authorised|permitted),
        authorization*,
        insufficient (account|client|file|) (privilege|privileges|permission|permissions|scope|scopes|access|rights),
        missing (access|scope|scopes), (scope|scopes) (insufficient|missing), no access, no privileges,
        restricted*, access (not configured|blocked), service (disabled|blocked), ip referer blocked,
        read only transaction, insufficient privilege*, access refused, request denied, not allowed""",
    ),
    (
        m.ARGUMENT,
        """(column|field|attribute|parameter|property|function|operator|option) not found,
        (invalid|malformed|bad) connection (string|uri|url),
        (undefined|unknown|no such|missing|unrecognized)
            (column|field|attribute|parameter|property|function|operator|argument|identifier),
        (undefined|unknown|unsupported|unrecognized|invalid)
            (unit|units|currency|language|locale|encoding|format|option|choice|keyword|command|mode|variable),
        (argument|parameter|field|param) (missing|required|unknown|invalid), invalid (key|parameter|parameters)""",
    ),
    (
        m.NO_TOOL,
        """(no such|unknown|unavailable|invalid) tool, tool (not found|unavailable|not available|unknown|does not exist)""",
    ),
    (
        m.NOT_FOUND,
        """not found, notfound, no such *, does not exist, doesnt exist, not exist*, non existent*, nonexistent*,
        no longer exists, (no|zero) result*, undefined (table|object|database), resource missing, deleted, gone,
        nxdomain, no script, nonexistent, not registered,
        no (section|option|record|records|row|rows|entry|item|document|match|matches|path|route),
        (ticker|symbol|record|entry|item|page|document|row|table|node|index) missing,
        unknown
            (object|table|database|collection|index|user|channel|member|message|guild|role|resource|model|project|bucket),
        unknown (topic|queue|container|account|page|server|service|id|ticker|symbol|item|product|customer|order
            |city|place|country)""",
    ),
    (
        m.EXISTS,
        """already exist*, already (owned|taken|defined|created), duplicate*, name taken,
        (entity|file|object|member|user|record|resource|item|name) exists""",
    ),
    (
        m.ABORTED,
        """aborted, deadlock*, serialization failure, write conflict, version conflict, transaction conflict,
        concurrent (modification|update|transaction|transactional|append)""",
    ),
    (m.BUSY, "sqlite busy, locked, lock (timeout|not available), in use, unable to lock, resource busy"),
    (
        m.CONFLICT,
        """conflict*, precondition*, condition not met, conditional check failed, integrity*, already *, not empty,
        (invalid|incorrect|illegal|wrong) (object|resource|entity|instance|cluster|db|) (state|status), stale*,
        version mismatch, duplicates *, in progress, read only, constraint*, immutable, archived, is archived,
        not in channel,
        being (deleted|created|modified), resource modified, idempotency*, cluster block""",
    ),
    (m.NOT_SENT, "connect (timeout|time out), pool timeout"),
    (m.TIMEOUT, "timeout*, timed out, time out, deadline*"),
    (m.CANCELLED, "cancelled, canceled, cancellation, abort error, interrupted"),
    (
        m.DROPPED,
        """(server|remote|client|peer) disconnected, connection (reset|closed|aborted|lost|dropped|broken|done),
        broken pipe, incomplete read, (broken|closed) resource, end of stream, remote protocol, auto reconnect,
        chunked encoding, protocol connection""",
    ),
    (m.TLS, "ssl*, tls, certificate*, cert, handshake, host key"),
    (
        m.UNAVAILABLE,
        """unavailable, not available, overload*, server error, backend error, bad gateway, maintenance, busy,
        try again*, circuit break*, not ready, not responding, shutting down,
        no (brokers|responders|nodes|hosts|nameservers|servers|backends|replicas|workers|instances) *, no responders,
        not (primary|master|leader), not writable primary,
        no (primary|master|leader), rejected execution,
        (cluster|service|server|node|broker|database|institution|host|backend|system) down, temporarily *, transient""",
    ),
    (
        m.CONNECTION,
        """connection, connect, connector, network (error|exception|failure|unreachable), dns, socket, proxy,
        unreachable""",
    ),
    (
        m.ARGUMENT,
        """invalid*, validation,
        bad (request|value|parameter|argument|input|user|json|query|subject|topic|symbol|name|id|type), malformed,
        unprocessable*,
        missing (required|) (param|params|parameter|parameters|field|fields|argument|arguments|property|value),
        out of (range|bounds), type mismatch, syntax, (parse|parsing) (error|failed|exception), failed to parse,
        unsupported, not supported, illegal, too (small|short|few), wrong (type|number|format), data error,
        programming error, usage error, disambiguation*, not valid, policy violation, no text, query error,
        missing schema, argument (error|exception|null), number format, format exception, date time parse,
        (invalid|bad|malformed) (dsn|uri|url)""",
    ),
)
_CAMEL_BOUNDARY = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LONGEST_CODE = 160
_JOINTS = lazy_pattern(r"[^A-Za-z0-9]+")


@lru_cache(maxsize=1)
def _phrasebook() -> Phrasebook[m.Meaning]:
    return Phrasebook(_TABLE, whole=False)


@lru_cache(maxsize=4_096)
def reason_of(code: str) -> m.Meaning | None:
    """The meaning of an error code or of the name of an exception class, or None."""
    known = CANONICAL.get(code) or _EXACT.get(code)
    if known is not None:
        return known
    name = re.split(r"[.#/]", code[:_LONGEST_CODE].split(":", maxsplit=1)[0].rstrip(".#/"))[-1]
    if name in system.CLASSES:
        return system.CLASSES[name]
    words = _JOINTS.sub(" ", _CAMEL_BOUNDARY.sub(" ", name)).lower().strip()
    return _phrasebook().find(words)


def meaning_of_codes(codes: Iterable[str], allowed: Iterable[m.Meaning] | None = None) -> m.Meaning | None:
    """The meaning of the first specific error code, else of the first general one, or None.

    Args:
        codes: error codes, most specific first.
        allowed: the meanings that count; by default, all.
    """
    vague: m.Meaning | None = None
    for code in codes:
        meaning = reason_of(code)
        if meaning is None or (allowed is not None and meaning not in allowed):
            continue
        if meaning not in _VAGUE:
            return meaning
        vague = vague or meaning
    return vague


_VAGUE = (m.ARGUMENT, m.FAILED)


def reason_error(
    failure: Failure, *codes: str, message: str | None = None, **fields: Unpack[ErrorFields]
) -> ToolError | None:
    """Classifies a failure by an error code, split into words: `ThrottlingException`, `not_found_error`, `UNAVAILABLE`.

    Args:
        failure: the failure to classify.
        codes: one or more error codes, most specific first; by default, those in the body of the response.
        message: replaces the default message.
        fields: attributes of the error; they override those read from the failure.

    Returns:
        The error, or None if no code is known.
    """
    meaning = meaning_of_codes(codes or failure.codes)
    return None if meaning is None else m.error_of(failure, meaning, message=message, **fields)
