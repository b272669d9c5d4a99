"""Every error shape of botocore has a meaning that fits its HTTP status, or a reason why it has none."""

import pathlib

from mulligan_aws.codes import codes, meaning_of, plain

from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)
from mulligan.plugin import meanings as m

PUBLISHED = pathlib.Path(__file__).parent / "published" / "botocore.txt"
ROWS = [line.split("\t") for line in PUBLISHED.read_text().splitlines() if line and not line.startswith("#")]
ANY_REJECTION = {400, 420, 422}  # services that speak JSON answer 400 to everything, AWS Elemental 420
FITS: dict[type[ToolError], set[int]] = {
    ToolAuthenticationError: {401, 403},
    ToolPermissionError: {401, 403},
    ResourceNotFoundError: {404, 409, 410, 424},
    ResourceConflictError: {409, 410, 412, 423, 424, 428},
    ToolRateLimitError: {429, 503},
    ToolQuotaError: {402, 403, 409, 412, 413, 429},
    ToolTimeoutError: {408, 504},
    ToolUnavailableError: {424, 429, 500, 502, 503, 504, 508, 530, 531},
    ToolArgumentError: {401, 404, 405, 406, 409, 411, 413, 414, 415, 416, 431},
    ToolExecutionError: {409, 412, 424, 500, 501, 502},
}
REASONS: dict[str, str] = {  # what contradicts its status, with the reason
    "AWS Lambda answers 502 to what it met itself at Amazon EC2 and AWS KMS, which another call will meet, too": """
        EC2AccessDenied EC2Throttled ENILimitReached ENINotReady InvalidRuntime InvalidSecurityGroupID InvalidSubnetID
        InvalidZipFile KMSAccessDenied KMSDisabled KMSInvalidState KMSNotFound SubnetIPAddressLimitReached
        ResourceNotReady
    """,
    "what is there in the wrong state is answered like what is missing, or the other way round": """
        ChannelNotBroadcasting ContactFlowNotPublished FeatureDisabled ReportInProgress ReservedCacheNodeAlreadyExists
        ReservedDBInstanceAlreadyExists ReservedNodeAlreadyExists ResourceUnavailable
    """,
    "the permission, or what it is for, is answered like something else": "UnauthorizedResourceAccess",
    "a state is answered like a missing permission, and another object may be in another state": """
        InvalidObjectState ObjectAlreadyInActiveTierError OutboundWebIdentityFederationDisabled RegionDisabled
    """,
    "an argument that the plan, edition or set-up does not include; another one may work": """
        DestinationNotAllowed IdentityTypeNotSupported InvalidAuthenticationCode UnsupportedPricingPlan
        UnsupportedUserEdition
    """,
    "the service's own capacity, which the caller cannot raise": "InsufficientDBClusterCapacity",
    "a limit or a conflict that the service answers like a failure of its own": """
        CancelledByUser ConcurrentModification ConcurrentUpdating IdempotentCallInProgress MemoryLimitExceeded
        QueryLimitExceeded Throttling
    """,
    "the time that a connector or a query takes": "ConnectorTimeout KafkaTimeout TimeLimitExceeded",
    "what the service waits for is not there yet": "ClusterConnectivity ResourcePropagationDelay",
    "an object in a state in which it is not acceptable": "CertificateState",
    "a token that is locked": "InvalidToken",
    "the credentials of a directory's connector": "InvalidCredentials",
    "a call that calls itself": "LoopDetected",
    "what has expired is gone; another one may be there": "Expired ReportExpired",
    "the file system failed while it was mounted": "EFSIO",
    "the status is that of another protocol": "ResourceNotFound LimitExceeded",
}


def statuses_of(row: list[str]) -> list[int]:
    return [int(status) for status in row[1].split(",")] if len(row) > 1 and row[1] else []


def test_every_name_has_a_meaning_or_is_skipped() -> None:
    names = {plain(row[0]) for row in ROWS}

    assert [name for name in names if codes.meaning_of(name) is None and name not in codes.skipped] == []
    assert set(codes.skipped) <= names
    assert len(codes.skipped) <= len(names) / 10


def test_no_meaning_contradicts_the_status_without_a_reason() -> None:
    contradicting = set()
    for row in ROWS:
        for status in statuses_of(row):
            meaning = meaning_of(plain(row[0]), status)
            if meaning is not None and status not in FITS[meaning.cls] | ANY_REJECTION:
                contradicting.add(plain(row[0]))

    known = {name for names in REASONS.values() for name in names.split()}
    assert contradicting - known == set(), "write the reason down"
    assert known - contradicting == set(), "these reasons are not needed"


def test_what_is_fatal_by_a_word_says_so() -> None:
    words = ("Denied", "Forbidden", "Unauthor", "NotAuthorized", "NoAuthorization", "NotSubscribed", "Permission", "Policy",
             "Privilege", "Access", "Credential", "Token", "Auth", "Unauthenticated")  # fmt: skip
    by_word = {plain(row[0]) for row in ROWS} - set(codes.listed)
    fatal = [name for name in by_word if _is_fatal(codes.meaning_of(name)) and not any(word in name for word in words)]

    assert fatal == []


def _is_fatal(meaning: m.Meaning | None) -> bool:
    return (
        meaning is not None
        and meaning.cls in (ToolPermissionError, ToolAuthenticationError)
        and meaning.fatal is not False
    )
