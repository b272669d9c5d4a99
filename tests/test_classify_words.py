"""Reasons and clauses: what names and messages mean, and that reading them stays quick whatever they hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Pipeline, errors
from mulligan.classify.phrasebook import Phrasebook
from mulligan.plugin import Failure, meanings, pointer_to, reason_error, reason_of, said, text_error

REASONS = {
    meanings.RATE_LIMIT: """RESOURCE_EXHAUSTED userRateLimitExceeded rate_limit_error RATE_LIMIT_EXCEEDED too_many_requests ratelimited
        ThrottlingException com.acme#ThrottlingException ProvisionedThroughputExceededException RequestLimitExceeded SlowDown
        activityLimitReached FloodWaitError RetryAfter EnhanceYourCalm OVER_QUERY_LIMIT concurrency_limit ServerBusy""",
    meanings.QUOTA: """insufficient_quota quotaExceeded dailyLimitExceeded LimitExceeded LimitExceededException BILLING_DISABLED
        payment_required insufficient_credits storageQuotaExceeded balance_insufficient""",
    meanings.AUTHENTICATION: """UNAUTHENTICATED authentication_error invalid_api_key API_KEY_INVALID invalid_grant invalid_client
        ExpiredToken ExpiredTokenException InvalidClientTokenId InvalidAccessKeyId UnrecognizedClientException SignatureDoesNotMatch
        RequestTimeTooSkewed AuthFailure not_authed token_revoked NoCredentialsError DefaultCredentialsError TokenExpiredError
        ExpiredSignatureError Neo.ClientError.Security.Unauthorized login_required INVALID_SESSION_ID""",
    meanings.PERMISSION: """PERMISSION_DENIED AccessDenied AccessDeniedException forbidden UnauthorizedOperation missing_scope
        insufficient_scope accessNotConfigured InsufficientPrivilege authorization_error restricted_action""",
    meanings.NOT_FOUND: """NOT_FOUND not_found_error ResourceNotFoundException NoSuchKey InvalidInstanceID.NotFound resource_missing
        AWS.SimpleQueueService.NonExistentQueue channel_not_found itemNotFound NoSuchElementException UnknownObjectException
        DoesNotExist NoResultFound UndefinedTable ENOENT NXDOMAIN TemplateNotFound""",
    meanings.EXISTS: "ALREADY_EXISTS AlreadyExists nameAlreadyExists DuplicateKeyError BucketAlreadyOwnedByYou name_taken EEXIST",
    meanings.ABORTED: "ABORTED DeadlockDetected SerializationFailure version_conflict_engine_exception WriteConflict",
    meanings.CONFLICT: "FAILED_PRECONDITION ConditionalCheckFailedException PreconditionFailed InvalidObjectState is_archived ReadOnlyError",
    meanings.TIMEOUT: "DEADLINE_EXCEEDED ReadTimeout APITimeoutError timeout RequestTimeout ETIMEDOUT TimeLimitExceeded",
    meanings.NOT_SENT: "ConnectTimeout ConnectTimeoutError PoolTimeout",
    meanings.UNAVAILABLE: """UNAVAILABLE overloaded_error server_error INTERNAL_SERVER_ERROR circuit_breaking_exception backendError
        ServiceUnavailable BusyLoadingError NotPrimaryError TooManyConnections""",
    meanings.UNREACHABLE: "ECONNREFUSED ENOTFOUND ServerNotFoundError ERR_NAME_NOT_RESOLVED ERR_CONNECTION_REFUSED NameResolutionError",
    meanings.DROPPED: "ECONNRESET EPIPE ServerDisconnectedError RemoteProtocolError IncompleteReadError AutoReconnect ChunkedEncodingError",
    meanings.TLS: "SSLError ERR_CERT_AUTHORITY_INVALID CertificateError BadHostKeyException",
    meanings.CONNECTION: "ConnectionError APIConnectionError EndpointConnectionError ClientConnectorError ProxyError NetworkError",
    meanings.CANCELLED: "CANCELLED QueryCanceled OperationCancelled",
    meanings.ARGUMENT: """INVALID_ARGUMENT invalid_request_error BadRequest ValidationError BAD_USER_INPUT GRAPHQL_VALIDATION_FAILED
        UndefinedColumn UnsupportedProtocol parameter_missing ProgrammingError illegal_argument_exception NoSuchAttributeException""",
    meanings.TOO_LARGE: "EntityTooLarge PayloadTooLarge context_length_exceeded SizeLimitExceeded",
    meanings.DISK_FULL: "ENOSPC DiskFull",
    meanings.UNIMPLEMENTED: "UNIMPLEMENTED",
}
SILENT = """UnknownError CustomError HTTPError ClientError ApiError OperationalError MultipleResultsFound NotImplementedException
    NetworkXError DisconnectedGraphError GraphRecursionError MyError E Error Exception card_declined custom us-east-1 req_1 v1.2 open
    active AuthoredBy PortError RowError ImportRows Unstable PageError LimitOverrun StopProcessing WarningRaised""".split()


@pytest.mark.parametrize(
    ("meaning", "reason"), [(meaning, one) for meaning, listed in REASONS.items() for one in listed.split()]
)
def test_what_a_reason_means(meaning, reason):
    assert reason_of(reason) == meaning


@pytest.mark.parametrize("reason", SILENT)
def test_a_reason_that_says_nothing(reason):
    assert reason_of(reason) is None


SAID = {
    meanings.RATE_LIMIT: ["API rate limit exceeded for user 1.", "Too Many Requests", "You are being rate limited."],
    meanings.QUOTA: [
        "You exceeded your current quota, see your plan",
        "Insufficient funds",
        "Your credit balance is too low to use this",
    ],
    meanings.AUTHENTICATION: [
        "Incorrect API key provided: sk-x.",
        "Login failed for user",
        "Authentication required",
        "The token has expired",
    ],
    meanings.PERMISSION: [
        "Permission denied",
        "access denied: /x",
        "You are not authorized to see this",
        "Operation not permitted",
        "You need to be root to run this script",
        "This command must be run as root",
        "Please re-run as root",
        "must be superuser to create subscriptions",
        "must be owner of table orders",
        "only superusers can alter the system",
        "Only project owners may delete a project",
        "you cannot perform this operation unless you are root",
        "Unable to lock the directory, are you root?",
        "This operation requires administrator privileges",
        "The requested operation requires elevation",
        "Root privileges are required",
        "This endpoint requires the `admin:org` scope",
        "Requires the Editor role",
        "bob is not in the sudoers file",
    ],
    meanings.NOT_FOUND: [
        "Page not found",
        'relation "a" does not exist',
        "No such table: a",
        "could not find the page",
        "Unknown resource: a",
        "Function 'a' is not defined",
    ],
    meanings.EXISTS: ["The branch already exists", "duplicate key value", "UNIQUE constraint failed: a.b"],
    meanings.CONFLICT: [
        "Directory not empty",
        "conflict",
        "Check-and-set failed for key a",
        "CAS mismatch on menu",
        "The row has been changed after you read it",
    ],
    meanings.BUSY: ["database is locked", "Deadlock found when trying to get lock"],
    meanings.TIMEOUT: ["Read timed out. (read timeout=1)", "Operation timed out after 30 s", "timeout expired"],
    meanings.DROPPED: ["Connection reset by peer", "Broken pipe", "Remote end closed connection without response"],
    meanings.UNREACHABLE: [
        "Connection refused",
        "Name or service not known",
        "net::ERR_NAME_NOT_RESOLVED at https://x",
        "Could not connect to server",
    ],
    meanings.TLS: ["certificate verify failed: self signed certificate"],
    meanings.UNAVAILABLE: [
        "Service temporarily unavailable",
        "please try again later",
        "The server is down for maintenance",
    ],
    meanings.CANCELLED: ["The operation was cancelled"],
    meanings.ARGUMENT: [
        "Invalid value for limit",
        "limit must be between 1 and 100",
        "missing required parameter",
        "syntax error at or near x",
    ],
    meanings.DISK_FULL: ["No space left on device"],
    meanings.NO_TOOL: ["Unknown tool: x", "Method not found"],
    meanings.TOO_LARGE: ["The prompt is too long", "Request too large"],
}


@pytest.mark.parametrize(("meaning", "text"), [(meaning, one) for meaning, listed in SAID.items() for one in listed])
def test_what_a_clause_says(meaning, text):
    assert said(text) == meaning
    assert said(f"It went wrong: {text}") == meaning
    assert said(f"{text}\nsee the log") == meaning
    assert said(text.upper() if "ERR_" not in text else text) == meaning


THINGS = """No such file or directory
No such file or directory: 'a.md'
no such table: x
no such table
No such bucket
no such element: Unable to locate element
no such user
No such process
No such row: 12
no such order: 12 for user 3
No such File object: file-1
No such customer: 'cus_1'
get data: no such volume
no such index [logs]
no such shadow root
there is no such route
no such 'thingummy'
no such thingummy: 'x'
no such thingummy: pi_1
no such thingummy: a/b.md
no such thingummy [logs-7]
no such payment_intent: "pi_1"
no such thingummy foo/bar
no such widget""".splitlines()


@pytest.mark.parametrize("text", THINGS)
def test_whatever_there_is_no_such_one_of_is_not_found(text):
    assert said(text) == meanings.NOT_FOUND
    assert said(f"Error: {text}") == meanings.NOT_FOUND


@pytest.mark.parametrize(
    "text",
    [
        "parent must be root",
        "parent: must be root",
        "role must be administrator or member",
        "role: must be admin or editor",
        "root must be an object",
        "owner is required",
        "The container must not be run as root",
        "The image will run as root",
        "only the root element can have a namespace",
        "only owner is a valid column",
        "only admin is a value of role",
        "the field requires a scope",
        "the variable needs a permission",
        "name: only the owner field is accepted",
        "the field requires elevation in meters",
        "the step needs a role",
        "The value needs the scope to be a string",
        "You must be online",
    ],
)
def test_a_role_that_is_a_value_or_an_object_is_no_missing_permission(text):
    assert said(text) is not meanings.PERMISSION


@pytest.mark.parametrize(
    "text", ["no such luck", "there is no such thing", "No such luck: better next time", "no such luck 3 times"]
)
def test_ordinary_words_after_no_such_say_nothing(text):
    assert said(text) is None


def test_what_follows_no_such_luck_still_counts():
    assert said("no such luck: connection refused") == meanings.UNREACHABLE
    assert said("no such luck, unauthorized") == meanings.AUTHENTICATION


# --- the names of tools in what is written around an error

TOOLS = """crash timeout unauthorized quota not_found permission_denied access-denied rate_limited quota_exceeded broken_pipe
    connection_refused no_such_file timed_out already_exists token_expired db.not_found ENOENT ECONNRESET NOT_FOUND""".split()
AROUND = [
    "Error executing tool {}",
    "Error executing tool {}: bad day",
    "Error executing tool {} with arguments {{}}: bad day",
    "Error in tool '{}': bad day",
    "Error in tool {}: bad day",
    "Error calling tool '{}': bad day",
    "Error calling {}: bad day",
    "Error running tool {} (non-fatal): bad day",
    "Error invoking function {}: bad day",
    "Failed to invoke Tool `{}` with parameters {{}}. Error: bad day",
    "Error executing MCP tool {}: bad day",
    "An error occurred while running the tool {}: bad day",
    "Call to tool {} failed: bad day",
    "Tool {} failed: bad day",
    "Tool '{}' raised an error: bad day",
]


@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("around", AROUND)
def test_the_name_of_a_tool_says_nothing(around, name):
    assert said(around.format(name)) is None


@pytest.mark.parametrize("around", [one for one in AROUND if "bad day" in one])
def test_what_stands_beside_the_name_of_a_tool_counts(around):
    assert said(around.replace("bad day", "permission denied").format("timed_out")) == meanings.PERMISSION


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Error calling tool: timed out", meanings.TIMEOUT),
        ("the call of the tool timed out", meanings.TIMEOUT),
        ("The tool timed out", meanings.TIMEOUT),
        ("Error running tool timed out", meanings.TIMEOUT),
        ("Unknown tool: not_found", meanings.NO_TOOL),
        ("tool crash not found", meanings.NO_TOOL),
        ("Invalid tool argument", meanings.ARGUMENT),
        ("Error in function: no such file", meanings.NOT_FOUND),
    ],
)
def test_what_is_said_of_a_tool_counts(text, meaning):
    assert said(text) == meaning


def test_a_server_whose_tool_has_the_name_of_a_failure():
    with Pipeline(autoload=False) as pipeline:
        for name in TOOLS:
            text = f"Error executing tool {name}: bad day"
            for failure in (RuntimeError(text), text, {"isError": True, "content": [{"type": "text", "text": text}]}):
                assert type(pipeline.classify(failure)) is errors.ToolExecutionError


@pytest.mark.parametrize(
    ("meaning", "text"), [(meaning, one) for meaning, listed in SAID.items() for one in listed if '"' not in one]
)
def test_what_is_quoted_says_nothing(meaning, text):
    if "ERR_" not in text and "'" not in text:
        assert said(f'the title is "{text}"') is None


def test_what_is_allowed_can_be_bounded():
    assert said("Permission denied", (meanings.QUOTA,)) is None
    assert said("Permission denied", (meanings.PERMISSION,)) == meanings.PERMISSION


def test_an_exception_that_is_told_as_text_counts_by_its_name():
    assert said("Traceback:\n  ...\nopenai.RateLimitError: see you") == meanings.RATE_LIMIT
    assert said("ValueError: odd") is None


@given(st.text(max_size=2_000))
def test_any_text_can_be_read(text):
    assert said(text) is None or isinstance(said(text), meanings.Meaning)
    assert reason_of(text) is None or isinstance(reason_of(text), meanings.Meaning)
    assert isinstance(pointer_to(text), str)


HARD = ["a " * 50_000, "x" * 100_000, "(" * 50_000, "'" * 50_000, "not " * 20_000, "could not find the " * 5_000, "a.b." * 20_000, "A" * 50_000,
        "~ (a|b) " * 5_000, "must be " * 10_000, "\n" * 50_000, "no such " * 10_000, "E" * 50_000, ": " * 50_000]  # fmt: skip


@pytest.mark.parametrize("text", HARD, ids=range(len(HARD)))
def test_a_text_that_is_made_to_take_long(text):
    with Pipeline(autoload=False) as pipeline:
        for _ in range(20):
            raised = pipeline.classify(RuntimeError(text), arguments={"path": text[:300]})
            reported = pipeline.classify({"error": {"code": text, "message": text, "type": text}})
            assert isinstance(raised, errors.ToolError)
            assert isinstance(reported, errors.ToolError)
            assert pipeline.classify(text) is None or text.startswith(("could not", "no such", "not "))
        assert pipeline.faults == ()


# --- the notation of phrases


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("not found", "not found", True),
        ("not found", "not founded", False),
        ("rate limit*", "rate limited", True),
        ("(invalid|expired) token", "expired token", True),
        ("(invalid|expired) token", "token expired", False),
        ("(very|) long", "long", True),
        ("(very|) long", "very long", True),
        ("~ denied", "the access to it was denied", True),
        ("~ denied", "one two three four five six seven eight nine denied", False),
        ("denied …", "denied for table users", True),
        ("denied …", "denied 4 of 9", False),
        ("token @ expired", "token has already expired", True),
        ("must be ~", "must be between 1 and 100", True),
    ],
)
def test_the_notation_of_phrases(phrase, text, found):
    assert (Phrasebook([("yes", phrase)], whole=True).find(text) == "yes") is found


def test_a_phrase_anywhere_in_a_text():
    book = Phrasebook([(1, "not found, no such *"), (2, "found")], whole=False)
    assert [book.find(text) for text in ("resource not found error", "no such key", "is found", "foundry")] == [
        1,
        1,
        2,
        None,
    ]
    assert book.find("not found", allowed=(2,)) == 2
    assert list(book) == [(1, "not found"), (1, "no such *"), (2, "found")]


def test_a_phrase_without_a_word_is_refused():
    with pytest.raises(ValueError, match=r"the phrase '~ …' has no word to be found by"):
        Phrasebook([(1, "~ …")], whole=True)


# --- errors of reasons, texts and places


class Odd(Exception):
    """An exception that stores nothing."""


def test_a_rule_asks_what_a_reason_means():
    error = reason_error(Failure(Odd()), "ThrottlingException", provider="acme")
    assert (type(error), error.provider) == (errors.ToolRateLimitError, "acme")
    error = reason_error(Failure(Odd()), "custom", "InvalidRequest", "NoSuchKey", message="There is no such key.")
    assert (type(error), error.message) == (errors.ResourceNotFoundError, "There is no such key.")
    assert reason_error(Failure(Odd()), "custom") is None
    assert reason_error(Failure(Odd())) is None


def test_a_rule_asks_what_a_text_means():
    error = text_error(Failure(Odd("Permission denied: /etc/shadow")))
    assert (type(error), error.fatal, error.resource) == (errors.ToolPermissionError, False, "/etc/shadow")
    assert text_error(Failure(Odd("Permission denied"))).fatal is True
    assert text_error(Failure(Odd("odd"))) is None


@pytest.mark.parametrize(
    ("place", "pointer"),
    [
        ("title", "/title"),
        ("a.b[0].c", "/a/b/0/c"),
        ("/data/attributes/email", "/email"),
        ("#/name", "/name"),
        (["body", "user", 0, "a/b~c"], "/user/0/a~1b~0c"),
        (("query",), "/query"),
        ("not a name", ""),
        ("", ""),
        ([], ""),
        ([None], ""),
        (None, ""),
        (7, ""),
        ({}, ""),
    ],
)
def test_a_pointer_to_a_field(place, pointer):
    assert pointer_to(place) == pointer


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        (
            "An error occurred (ThrottlingException) when calling the Query operation (reached max retries: 4): x",
            meanings.RATE_LIMIT,
        ),
        ("An error occurred (ConditionalCheckFailedException) when calling the Put operation: x", meanings.CONFLICT),
        ('Error from server (NotFound): deployments.apps "web" x', meanings.NOT_FOUND),
        ("Error from server (AlreadyExists): x", meanings.EXISTS),
        ("An error occurred (LimitExceededException) when calling the Query operation: x", None),  # a limit of anything
        ("An error occurred (Monday)", None),
        ("the error (NotFoundException) is described below", None),
    ],
)
def test_a_code_in_brackets_behind_error(text, meaning):
    assert said(text) is meaning


@pytest.mark.parametrize(
    "text", ["Object violates owner / name unique constraint", "unique constraint violation on slug"]
)
def test_a_violated_unique_constraint_is_a_thing_that_exists(text):
    assert said(text) is meanings.EXISTS
