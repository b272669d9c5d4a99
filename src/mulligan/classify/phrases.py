"""Classifies messages in plain words, as a last resort. Only whole clauses count, never words within a clause.

`Read timed out. (read timeout=1)` contains the clause `Read timed out`. `author not found in 4290 lines` contains no
known clause. Quotations are ignored, because they may be text of a third party.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Unpack

from mulligan.classify import failed_edits as edits
from mulligan.classify import meanings as m
from mulligan.classify import system_errors as system
from mulligan.classify.failure import Failure
from mulligan.classify.phrasebook import Phrasebook, clauses, hide_tool_names
from mulligan.classify.reasons import reason_of
from mulligan.errors import ErrorFields, ToolError
from mulligan.lazy import lazy_pattern

_SYSTEM_CODE = lazy_pattern(r"(?<![\w.])(?:net::)?(ERR_[A-Z_]{4,40}|E2BIG|E[A-Z]{4,14}(?:_AGAIN)?)(?![\w])")
_ERRNO = lazy_pattern(r"(?:\[Errno |\(os error )(\d{1,4})(?=[\])])")  # Python, Rust
_REASON_CODE = lazy_pattern(  # a provider's code: at the start, in brackets, behind `failed:`, or labelled as a code
    r"(?:^|[(\[]|\b(?:name|code|reason|errorCode)[=:] ?|\b(?:failed|failure|error)\b[^:\n]{0,40}: )"
    r"(?!HTTP)([A-Z]{2,20}(?:_[A-Z]{2,20}){1,6})(?=$|[)\]:,]| [-(])",
    re.MULTILINE,
)
_LOCKED = lazy_pattern(  # what EAGAIN means for a file
    r"\b(?:could not|cannot|can't|unable to|failed to) (?:\w+ ){0,3}lock\b|\bheld by\b", re.IGNORECASE
)
_CAUSE_CLASS = lazy_pattern(r"\(Caused by ([A-Z]\w{1,60}(?:Error|Exception|Timeout))\(")
_EXCEPTION_CLASS = lazy_pattern(  # at the start, or qualified as in Java and .NET: `Caused by: java.net.ConnectException`
    r"(?:^|(?<![\w.])(?=[A-Za-z_]\w{0,40}\.))(?:[A-Za-z_]\w{0,40}\.){0,8}([A-Z]\w{1,60}(?:Error|Exception))(?=: |\s*$)",
    re.MULTILINE,
)
_CONNECTION_MEANINGS = (
    m.UNREACHABLE,
    m.CONNECTION,
)  # a later clause may give the reason: `Connection refused: not authorised`
_REFUSAL_MEANINGS = (m.AUTHENTICATION, m.PERMISSION, m.TLS, m.TIMEOUT, m.UNAVAILABLE)
_NARROWED = {  # what a later clause may say instead
    **dict.fromkeys(_CONNECTION_MEANINGS, _REFUSAL_MEANINGS),
    m.ARGUMENT: (m.AUTHENTICATION, m.RATE_LIMIT, m.QUOTA),
    m.PERMISSION: (m.AUTHENTICATION,),
    m.QUOTA: (m.RATE_LIMIT,),
}
_VAGUE = (None, m.ARGUMENT, m.FAILED)
_NARROWER: Mapping[m.Meaning, tuple[m.Meaning, ...]] = {
    **m.NARROWER,
    m.RATE_LIMIT: (system.OUT_OF_MEMORY,),
    m.CONFLICT: (m.EXISTS,),
    m.NOT_FOUND: (m.PERMISSION, system.OUT_OF_RESOURCES, *m.PATHS),
}
_BRACKETED_CODE = (
    lazy_pattern(  # `An error occurred (ThrottlingException) when ...`; a limit alone may be one of anything
        r"(?:^|(?<=: ))(?:An )?[Ee]rror(?: occurred| from server| code)? \((?!LimitExceeded)([A-Z][A-Za-z]{3,60})\)",
        re.MULTILINE,
    )
)
_RAISED_CLASS = lazy_pattern(
    r"\b([A-Z][a-z]\w{1,60}(?:Error|Exception|Timeout|Refused|Exceeded|Disconnected|Read))\((?=['\"\d)])"
)  # a repr
# No credential: `Invalid token: line 3`. A bearer or access token has its kind between these two words.
_TOKEN_OF_TEXT = lazy_pattern(
    r"\b(?:invalid|bad|illegal|unknown|wrong|incorrect|missing) tokens?\b.*?"
    r"\b(?:line|column|col|position|pos|offset|char(?:acter)?|index) \d",
    re.IGNORECASE | re.DOTALL,
)
_LOCAL = lazy_pattern(r"(?:\.{0,2}/|~/|[A-Za-z]:\\)[^/]")  # a local path was denied, not an account
_LONGEST_TEXT = 1_200
_TABLE: tuple[tuple[m.Meaning, str], ...] = (  # `_` matches a quotation
    (
        m.FAILED,
        """~ (malformed|unexpected|unparseable|non json) (server|json|http|api|) (response|answer|reply) …,
        ~ nil pointer dereference, ~ null pointer ~, segmentation fault ~,
        (list|string|tuple|pop) index out of range, runtime error index out of range …, runtime error,
        ~ division by zero, ~ could not parse * * (response|reply|answer|output) …""",
    ),
    (
        m.NOT_FOUND,
        """~ (do|does|did) not exist or ~ ~, ~ not found or ~ ~, ~ (could not|cannot) be found or ~ ~""",
    ),
    (
        m.DISK_FULL,
        """~ no space left on device, ~ disk (is|) full, ~ database or disk is full, ~ disk quota exceeded,
        ~ not enough (disk|storage|free|) (disk|) space …, ~ insufficient disk space …""",
    ),
    (
        system.OUT_OF_MEMORY,
        """~ out of memory …, ~ out of memory error, ~ out of memory (trying|while|when) ~,
        ~ (cannot|could not|unable to|failed to) allocate ~, bad alloc, malloc @ failed …,
        malloc of size * failed, java heap space, gc overhead limit exceeded, ~ memory (limit|quota|budget) @
            (exceeded|exhausted|reached) …, allowed memory size of * bytes exhausted,
        ~ (exceeds|exceeded|exceeding) (the|its|your|) (available|) memory (limit|size|quota) …,
        ~ (insufficient|not enough) (memory|system resources) …, ~ memory (is|) exhausted …, ~ ran out of (memory|ram) …,
        oomkilled, oom killed, ~ (killed|terminated) by (the|) oom killer …""",
    ),
    (system.FILE_SIZE, "file size limit exceeded, ~ file (would exceed|exceeds) (the|) maximum file size …"),
    (system.ARGUMENT_LIST, "~ (argument|arguments|arg) list (is|) too long …, the command line is too long"),
    (
        m.IS_DIRECTORY,
        """is a directory, illegal operation on a directory,
        (the|) (path|file|target|destination|source) (_|) is a (directory|folder) …,
        _ is a (directory|folder) …, ~ (path|_) is not a (regular|) file …""",
    ),
    (
        m.NOT_DIRECTORY,
        "not a directory, ~ (path|_) is not a (directory|folder) …, the directory name is invalid",
    ),
    (
        m.NAME_TOO_LONG,
        "~ (file|path|) name too long …, ~ the specified path @ too long, ~ (path|filename) is too long …",
    ),
    (m.LINK_LOOP, "too many levels of symbolic links"),
    (system.OUT_OF_RESOURCES, "~ too many open files …, resource temporarily unavailable"),
    (
        m.UNREACHABLE,
        """no such host …, no such host is known, ~ actively refused ~, unknown host …,
        ~ remote name could not be resolved …""",
    ),
    (
        m.RATE_LIMIT,
        """~ (rate|request|throughput) (limit|limits) @ (exceeded|reached|hit|error) …, ~ rate limited …,
        ~ rate limit of ~ exceeded …,
        ~ ratelimited …, (way|) too many requests (recently|) …, ~ made too many requests (recently|) …,
        ~ too many (simultaneous|concurrent) ~, ~ due to (too many requests|rate limiting|rate limits) …,
        ~ @ throttled …, rate exceeded, slow down,
        ~ flood control exceeded …, ~ (maximum|max|admitted|allowed|at most) (*|) * (calls|requests|) per (second|minute) …,
        ~ (exceeded|reached|hit) (a|your|the) (secondary|primary|api|request|) rate (limit|limits) …,
        ~ (limited to|frequency is|limit is) * (calls|requests|queries) per ~,
        ~ detected unusual traffic from ~, ~ ratelimit, rate limited by ~""",
    ),
    (
        m.QUOTA,
        """~ (quota|quotas) @ (exceeded|exhausted|reached|used up) …,
        ~ (exceed|exceeded|exceeds|reached) (your|the|its|their|) (current|storage|account|) quota …,
        insufficient (account|) (quota|credit|credits|funds|balance) …, payment required,
        ~ (credit|credits|quota|allowance) (exhausted|depleted|used up) …,
        ~ (run|ran|running|is|are) out of (credit|credits|searches|funds|quota|requests|messages) …,
        ~ (credit|account|plan|token) balance @ (too|) (low|insufficient|exhausted|empty) …,
        ~ not (have|) enough (credit|credits|balance|funds|quota) …, ~ check your (plan|billing) ~,
        ~ (daily|monthly|weekly|plan|usage|spending|billing|credit) (usage|request|) (limit|limits|quota) @
            (exceeded|reached) …,
        ~ (exceeds|exceeded|reached) (the|your) (daily|monthly|plan|usage|spending|credit|billing) (usage|request|)
            limit …,
        ~ limit for (the|this|your) (current|) (day|week|month|billing period|billing cycle) …,
        ~ usage cap exceeded, ~ insufficient (buying power|balance) …,
        ~ (storage|seat) (limit|limits) @ (reached|exceeded) …,
        maximum credits exceeded, ~ credit limit exceeded, ~ (exceeded|reached) your (credits|credit) limit,
        ~ (exceeds|exceeded|reached) (the|your) (pay as you go|free tier|plan set usage) limit …""",
    ),
    (
        m.AUTHENTICATION,
        """unauthorized, unauthorised,
        ~ (authentication|login|sign in|log in) @ (failed|required|incorrect|unsuccessful) …,
        ~ (unable to|cannot|could not|failed to) (locate|find|load|retrieve|obtain) @ credentials …,
        authentication (error|failure), ~ authentication unavailable, ~ (requires|needs|missing) authentication …,
        (user|you|) (are|is|) not logged in, ~ not authenticated, ~ you must be logged in …,
        (must|please) (log|sign) in …, publickey, keyboard interactive, ~ session @ (timed out|ended) …,
        ~ (invalid|incorrect|bad|wrong|missing|expired|revoked|missing or invalid|invalid or expired)
            (api|access|secret) key* (provided|supplied|given|) …,
        ~ (invalid|incorrect|bad|wrong|missing|expired|revoked|missing or invalid|invalid or expired)
            (api|access|auth|bearer|security|client|session|refresh|id|) (token|tokens|credential|credentials|password|username
            or password|user name or password|username password pair|username and password)
            @ (provided|supplied|given|specified|) …,
        ~ (token|credential|credentials|password|session) @ (invalid|expired|revoked|incorrect|rejected) …,
        ~ key @ (expired|revoked|rejected) …,
        ~ (api|access|secret|security|license|auth|authentication|subscription) key @
            (invalid|incorrect|missing|required) …,
        ~ (token|credential|credentials|password) @ not (valid|recognized|provided|supplied|found|accepted|set) …,
        ~ (api|access|secret|security|license|auth|authentication|subscription) key @
            not (valid|recognized|provided|supplied|found|accepted|set) …,
        ~ no (access|auth|authentication|bearer|existing|service|session|user|valid|) (password|credentials|api key|token)
            (supplied|provided|found|given|specified|available) …,
        access denied for user ~, ~ could not (authenticate|log in|login) ~, login failed for ~, authorization failed,
        ~ not be authenticated ~, ~ (key|token|credential|credentials|grant|session|password) header @ invalid,
        ~ (grant|session) @ (invalid|expired|revoked) …, ~ sign in to continue …""",
    ),
    (
        m.PERMISSION,
        """~ permission @ denied …, ~ access @ (denied|refused) …, ~ not enough (privileges|permissions|rights) …,
        forbidden, ~ operation not permitted,
        ~ not (authorized|authorised) …, ~ violates (the|our|your|a|) (*|) (policy|policies|guidelines) …,
        ~ missing (permission|permissions|access|scope) …,
        private (video|playlist|channel|account|profile|repository|post),
        (this|the) (video|playlist|channel|account|profile|repository|post|page) is private …,
        ~ insufficient (permission|permissions|privilege|privileges|scope|scopes|access rights) …,
        ~ (do|does) not have (the|) (required|necessary|sufficient|)
            (permission|permissions|access|privilege|privileges|rights) …,
        ~ not accessible by ~, read only file system, access to (the|) (path|file|folder|directory|) (_|) is denied,
        ~ (popup|popups|pop up|pop ups) (window|windows|) @ blocked …,
        ~ you (must|need to|have to) be (the|a|an|) (*|) (root|superuser|administrator|admin|owner) (user|) …,
        ~ unless you are (the|a|an|) (*|) (root|superuser|administrator|admin|owner) (user|) …, are you root,
        ~ only (the|a|an|) (*|)
            (root|superuser|superusers|administrator|administrators|admin|admins|owner|owners)
            (can|may|is allowed to|are allowed to|is permitted to|are permitted to) ~,
        ~ (must|should|needs to|has to|can only|may only) be (run|executed|started|launched) (as|by|with) (the|a|an|)
            (root|superuser|administrator|sudo) (user|) …,
        (please|) (run|rerun|re run|try running) (this|the|it|) (command|script|program|again|) (as|with) (an|the|)
            (root|superuser|administrator|sudo) (user|) …,
        ~ (root|superuser|administrator|administrative|admin|elevated|owner)
            (privilege|privileges|permission|permissions|right|rights|access) @ (required|needed|necessary) …,
        ~ (requires|require|need|needs|requiring) (root|superuser|administrator|administrative|admin|elevated|owner)
            (privilege|privileges|permission|permissions|right|rights|access) …,
        ~ (requires|require|need|needs) (the|a|an) (_|*) (permission|permissions|privilege|privileges|scope|scopes),
        ~ (requires|require|need|needs) (_|read|write|edit|delete|publish)
            (permission|permissions|privilege|privileges|scope|scopes|access),
        ~ (requires|require|need|needs) (the|a|an) (_|*)
            (permission|permissions|privilege|privileges|scope|scopes) (on|for|in|to access) ~,
        ~ (requires|require|need|needs) (the|a|an) (_|*) role, ~ (requires|require|need|needs) (the|a|an) (_|*) role on ~,
        must be (a|the|) superuser …, must be owner of ~, ~ requires superuser …, (need|needs|requires) root …,
        ~ (operation|command|action|program|it|this) requires elevation …, ~ is not in the sudoers file …""",
    ),
    (
        m.ARGUMENT,
        """~ no such (column|function|option|argument|parameter|field) ~, ~ no such (column|field|argument|parameter),
        (unknown|undefined|invalid) (column|argument|option|parameter|field) (name|) (_|) …, unknown function …,
        (argument|parameter|field|property|option) (_|) is (missing|required) ~,
        ~ expected (a|an|) (string|number|integer|boolean|array|object|int|float|list|date),
        no enum constant ~, requested value _ was not found, for input string, invalid digit found in string,
        ~ input string (_|) was not in a correct format, _ could not be parsed ~, ~ connection string ~ malformed,
        ~ (invalid|malformed|bad) (dsn|uri|connection string|connection uri|connection url) ~,
        ~ (invalid|unsupported|unknown) (uri|url|dsn|database) scheme ~, ~ (uri|url|dsn|connection string) (must|should) ~,
        ~ (could not|cannot|unable to|failed to) parse (the|) (*|) (url|uri|dsn|address|connection string) ~,
        missing _ after _ in connection info string, invalid connection option _, no authority ~ in (uri|url|dsn),
        corrupt patch ~, ~ only garbage was found in the patch input, patch fragment without header ~,
        ~ (could not|cannot|unable to) find (a|the|) (field|column|parameter|argument|property) ~, no element found,
        (unknown|unresolved) (*|) identifier ~,
        (unknown|unsupported|unrecognized) (*|) (extension|format|encoding|scheme|protocol|expression) (_|*|) …""",
    ),
    (
        m.TOO_LARGE,
        """~ (is|are|was) too (large|long|big) …,
        (request|payload|message|file|body|text|input|name|request entity|content) too (large|long) …""",
    ),
    (
        m.NO_TOOL,
        """(unknown|unavailable) (tool|method) (_|*|), (tool|method) (_|*|) not found, no such tool (_|*|),
        no tool (named|called|with name|with the name) (_|*),
        ~ (call|called|use) (an|) unavailable tool (_|), ~ is not a valid (tool|function) …""",
    ),
    (edits.PATCH_FAILED, edits.PATCH_PHRASES),
    (edits.EDIT_MISMATCH, edits.PHRASES),
    (m.UNREACHABLE, "dial tcp ~, dial tcp, lookup * on ~, ~ unknown host …"),
    (
        m.NOT_FOUND,
        """~ @ not found, ~ key @ not found …, ~ not be found, invalid object name ~,
        ~ _ @ not found (in|on|at|under|for|with) ~, the system cannot find the (file|path|drive) specified …,
        no (*|) (*|) @ found (for|with|at|under|matching) ~, no (*|) * (was|were) found (by|with|in|under|for) ~,
        no * (*|) (matches|match) the given query,
        unknown (resource|prompt|file|page|user|table|index|collection|channel|model|database) (_|*|),
        unknown (object|mailbox|topic|queue) (_|*|),
        ~ not found (for|in|at) (the|) (*|) _, ~ (do|does|did) not exist …,
        ~ (do|does|did) not (point|refer|resolve) to (a|an|any) ~, ~ no such ~,
        there is no (*|) (*|) named _ …, (could not|cannot|unable to|failed to) (find|locate) ~,
        ~ (could not|cannot) resolve to (a|an) ~ with the ~,
        ~ (do|does|did) not match any ~, no matching ~, ~ no longer exists,
        ~ not found on (the|this|) page, (i|we) (could not|cannot|was unable to|am unable to) (find|locate) ~,
        ~ is not present in (table|) _,
        (function|symbol|command|procedure|macro|variable|label|class|type|method|module|target|task) _ (is|) not defined …,
        ~ executable file not found in ~, command not found, ~ given key _ was not present ~,
        no (*|) (*|) @ found, no * (with|named|called|matching) ~,
        (*|) (video|track|playlist|post|page|product|article|listing) (is|)
            (unavailable|not available|no longer available) …""",
    ),
    (
        m.EXISTS,
        """~ file exists, ~ already (exists|exist|taken) …,
        ~ already been (taken|used|registered|reserved|booked|sold|claimed|assigned|processed|submitted|created|added) …,
        ~ (is|are|was|were) already (booked|reserved|taken|sold|registered|assigned) …,
        ~ duplicate (key|entry) ~, ~ unique constraint violation …, ~ violates ~ unique constraint …,
        unique constraint failed, ~ already in use …""",
    ),
    (
        m.BUSY,
        """(database|table|row|file|resource|record|object|document|_) (is|has been) (locked|busy) …,
        ~ (is|are|currently|still) in use …, deadlock (found|detected) …,
        ~ being used by another (process|program|user) …, ~ (idempotent|idempotency) lock ~,
        ~ request (with|using) (the|this|that) (same|) (idempotency|idempotent) key ~,
        ~ (idempotency|idempotent) key @ in use ~,
        ~ another (api|) request ~ in progress ~,
        ~ another (api|) request ~ (is|) (currently|already) (accessing|modifying|processing) ~,
        ~ @ deadlocked ~, (resource|database|table|row|file) busy ~, ~ exclusive access to ~""",
    ),
    (
        m.CONFLICT,
        """conflict, merge conflict …, version conflict …, foreign key constraint failed, ~ directory not empty,
        ~ modified since ~, ~ changed since ~, ~ (was|were|been) (modified|changed|updated) after ~,
        ~ (check and set|compare and set|compare and swap|cas) (failed|failure|mismatch) …,
        ~ (check and set|compare and set|compare and swap|cas) (parameter|index|value|) (did|does) not match ~,
        wrong last sequence* ~, (stale|outdated) (sequence|revision|etag|row version),
        ~ (revision|etag|row version|resource version) @ (mismatch|mismatched|stale|outdated) …,
        ~ (revision|etag|generation|row version) (number|) (*|) @ not (match|the latest|the current|the newest) ~,
        updates were rejected …, ~ non fast forward …, ~ violates ~,
        ~ (must|has to|have to|needs to) be *ed (before|first) ~, account (is|has been) locked …,
        ~ already (over|ended|finished|completed|closed|started|running|stopped|cancelled|canceled|archived|merged) …,
        not your turn …""",
    ),
    (
        m.TIMEOUT,
        """~ timeout of * (s|ms|second|seconds|milliseconds|minutes|) (exceeded|and was cancelled|and was canceled) …,
        ~ timeout of * (s|ms|second|seconds|minutes), ~ timed out,
        ~ timed out (after|while|waiting|reading|writing|connecting|trying|on|for) ~,
        ~ timeout (expired|exceeded|reached|occurred) …, ~ due to (a|the|) (*|) timeout …,
        ~ deadline exceeded …, ~ took too long …,
        timeout (reading|waiting|connecting|after) ~, i/o timeout, tls handshake timeout,
        (connection|request|read|gateway|operation) timeout""",
    ),
    (
        m.DROPPED,
        """~ connection @ (unexpectedly|) (reset|closed|aborted|dropped|lost|broken|terminated|interrupted)
            (unexpectedly|) …,
        ~ broken pipe, (server|client|peer) disconnected …, ~ closed (the|) connection …,
        ~ closed (the|) connection without ~, socket hang up, unexpected (eof|end of file) …,
        eof, end of file on ~, empty reply from server,
        server has gone away, eof occurred in violation of protocol""",
    ),
    (
        m.UNREACHABLE,
        """~ connection @ refused …, ~ connection to ~ (was|is|has been) refused …,
        name or service not known, temporary failure in name resolution,
        nodename nor servname provided, (network|host) is unreachable, no route to host, getaddrinfo ~,
        connect call failed, ~ (could not|cannot|unable to|failed to) resolve ~,
        ~ (could not|cannot|unable to|failed to) (connect|resolve) …,
        all connection attempts failed,
        ~ (could not|cannot|unable to|failed to) (establish|open) (a|) (new|) connection …,
        no address associated with hostname, unable to find the server …,
        ~ connection could not be (made|established) …""",
    ),
    (m.CONNECTION, "~ (could not|cannot|unable to|failed to) reach …"),
    (
        m.CONNECTION._replace(fatal=False),  # it may pass
        "~ (connection|connectivity|network) (issue|issues|problem|problems|failure|outage) …",
    ),
    (
        m.TLS,
        """~ certificate (verify|verification) failed …, ~ certificate @ (expired|invalid|not trusted|self signed) …,
        ~ (ssl|tls) handshake failed …, self signed certificate …, certificate signed by unknown authority,
        certificate is valid for ~, host key verification failed,
        pkix path building failed, unable to get local issuer certificate,
        unable to verify the first certificate, ~ hostname mismatch …""",
    ),
    (
        m.UNAVAILABLE,
        """~ (temporarily|currently) (unavailable|overloaded) …,
        (service|server|api|system|backend|model) (is|) (unavailable|overloaded) …,
        ~ service (is|) not available …, ~ (try|retry) again (later|soon) …, internal server error, bad gateway,
        ~ (under|down for) maintenance, server (is|) (busy|down), ~ is loading the dataset in memory,
        ~ is (currently|still) loading …, (model|index|dataset|service) (_|*|) is loading …,
        (broker|cluster|node|database|upstream) (is|) unavailable …,
        ~ not (currently|) responding …, upstream connect error ~, (system|server|service) (is|) busy …""",
    ),
    (
        m.CANCELLED,
        """~ (was|been|is|were) (cancelled|canceled) …, context (cancelled|canceled), (the|this) operation was aborted,
        (canceling|cancelling) statement due to user request""",
    ),
    (
        m.ARGUMENT,
        """~ (invalid|illegal|malformed|unsupported|unrecognized) (*|)
            (argument|parameter|value|input|type|format|url|request|field) (_|) …,
        ~ (invalid|illegal|malformed|unsupported|unrecognized) (*|)
            (json|literal|id|syntax|query|schema|port|email|date|header|name|identifier) (_|) …,
        ~ (invalid|illegal|malformed) (*|) (subject|topic|symbol|expression|string|key) (_|) …,
        (invalid|illegal) (*) name ~, invalid * id, ~ not recognized …, ~ not supported …,
        ~ cannot (contain|include|exceed|start with|end with) ~,
        ~ cannot be (null|none|empty|blank|negative|zero), ~ cannot insert null ~, ~ cannot be resolved,
        ~ does not appear to be ~, badly formed ~, ~ not (currently|) supported, url rejected,
        ~ required (fields|parameters|arguments) @ missing …,
        missing required ~, missing (*) required ~, ~ (is|are) (a|) required (property|parameter|field|) …,
        ~ must (not|) be ~, ~ must (specify|provide|include) ~, ~ (is|are) not (a|) valid ~, ~ (is|are) invalid …,
        ~ syntax error …, unknown url type, ~ got an unexpected keyword argument ~,
        unknown (operator|command|option|flag|parameter|field) (_|*|) …, ~ out of range …,
        ~ (is|are|was) too (short|small) …, embedded null (byte|character) …,
        field required, input should be ~, only ~ (is|are) allowed …,
        invalid (*|)
            (address|number|code|email|city|country|currency|unit|location|timezone|phone|postcode|amount) (_|) …,
        invalid (api|) (call|request|query|argument|arguments) …,
        (unsupported|unrecognized|unrecognised) * (*|) (_|*|) …, unknown (*) _ …, ~ (wrong|incorrect) number of ~""",
    ),
)


@lru_cache(maxsize=1)
def _phrasebook() -> Phrasebook[m.Meaning]:
    return Phrasebook(_TABLE, whole=True)


def said(text: str, allowed: Iterable[m.Meaning] | None = None) -> m.Meaning | None:
    """The meaning of the first known clause, or None.

    Args:
        text: untrusted text; only the first 1,200 characters are searched.
        allowed: the meanings that count; by default, all.
    """
    text = hide_tool_names(text[:_LONGEST_TEXT])
    for mark in _codes_in_text(text):
        meaning = reason_of(mark)
        if meaning not in _VAGUE and (allowed is None or meaning in allowed):
            return _narrowed(meaning, text) if allowed is None else meaning
    phrasebook = _phrasebook()
    general: m.Meaning | None = None
    for clause in clauses(text):
        meaning = phrasebook.find(clause, allowed)
        if meaning is not None and (allowed is None or phrasebook.find(clause) is not m.ARGUMENT):
            general = general or meaning
            if meaning is m.AUTHENTICATION and _TOKEN_OF_TEXT.search(text):
                return m.ARGUMENT
            if general not in _NARROWED or meaning in _NARROWED[general]:
                return meaning
    return general


def _narrowed(meaning: m.Meaning, text: str) -> m.Meaning:
    """The meaning of a code, narrowed by the clauses beside it: `FileNotFoundException: a.txt (Permission denied)`."""
    if meaning is system.OUT_OF_RESOURCES and _LOCKED.search(text):
        return m.BUSY
    narrower = _NARROWER.get(meaning, ())
    found = (_phrasebook().find(clause) for clause in clauses(text)) if narrower else ()
    return next((one for one in found if one in narrower), meaning)


def _codes_in_text(text: str) -> Iterator[str]:
    if "rr" in text:
        yield from (errno.errorcode.get(int(number), "") for number in _ERRNO.findall(text)[:4])
    if "E" in text:
        yield from _SYSTEM_CODE.findall(text)[:4]
        yield from _EXCEPTION_CLASS.findall(text)[:4]
    if "_" in text:
        yield from _REASON_CODE.findall(text)[:4]
    if "(" in text:
        yield from _RAISED_CLASS.findall(text)[:4]
        yield from _BRACKETED_CODE.findall(text)[:4]
    if "(Caused by " in text:
        yield from _CAUSE_CLASS.findall(text)[:4]


def text_error(failure: Failure, *, message: str | None = None, **fields: Unpack[ErrorFields]) -> ToolError | None:
    """Classifies a failure by its text, if a whole clause of it is known.

    Args:
        failure: the failure to classify.
        message: replaces the default message.
        fields: attributes of the error; they override those read from the failure.

    Returns:
        The error, or None if no clause is known.
    """
    meaning = said(failure.told)
    if meaning is None:
        return None
    if meaning is m.PERMISSION and failure.status is None and _LOCAL.match(failure.resource or ""):
        fields.setdefault("fatal", False)
    return m.error_of(failure, meaning, message=message, **fields)
