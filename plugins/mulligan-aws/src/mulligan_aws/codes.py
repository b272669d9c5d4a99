"""What the error codes of AWS mean: the documented ones by name, the others by the words that AWS makes its codes of.

Sources: the "Common Errors" page that every API reference shares, the error lists of Amazon S3 and Amazon EC2, and the
error shapes of botocore's service models.
"""

from __future__ import annotations

import re
from functools import lru_cache

from mulligan.plugin import (
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

_NAMED: dict[type[ToolError], str] = {
    ToolAuthenticationError: """
        400-401 401 AccessKeyIdNotFound AuthFailure CredentialsNotFound ExpiredCredentials ExpiredIdentityToken
        ExpiredToken ExpiredTokenId IDPCommunicationError IDPRejectedClaim IncompleteSignature
        InvalidAccessKeyId InvalidClient InvalidClientTokenId InvalidGrant InvalidIdentityToken InvalidSecurity
        InvalidSignature InvalidToken MissingAuthenticationToken MissingSecurityHeader NotSignedUp
        RequestExpired RequestTimeTooSkewed SignatureDoesNotMatch SSOTokenNotFound TokenRefreshRequired
        UnauthorizedClient UnauthorizedSSOToken UnrecognizedClient X509CertificateInvalid
    """,
    ToolPermissionError: """
        403 AccessDenied AccessDeniedForDependency AccountProblem AccountSuspended AllAccessDisabled
        AuthorizationError AuthorizerAccessDenied Blocked CrossLocationLoggingProhibited Forbidden InvalidPayer
        KMSAccessDenied NotAuthorizedOperation OperationDisabled OptInRequired PendingVerification
        SubscriptionRequired UnauthorizedAccess UnauthorizedOperation UnauthorizedRequest UserNotAuthorized
    """,
    ResourceNotFoundError: """
        404 410 Gone InvalidHostnameId KMSNotFound NotFound QueueDoesNotExist ResourceNotFound UnknownResource
    """,
    ResourceConflictError: """
        409 412 BucketAlreadyExists BucketAlreadyOwnedByYou BucketNotEmpty ConditionalCheckFailed
        ConditionalRequestConflict DeleteConflict DependencyViolation EntityAlreadyExists
        EntityTemporarilyUnmodifiable GlobalTableAlreadyExists IncorrectInstanceState InvalidBucketState
        InvalidObjectState KMSInvalidState KMSDisabled ObjectNotInActiveTier OperationAborted PreconditionFailed
        QueueDeletedRecently PurgeQueueInProgress ReplicatedWriteConflict RestoreAlreadyInProgress
        TransactionCanceled TransactionConflict TransactionInProgress VersionMismatch
    """,
    ToolRateLimitError: """
        429 BandwidthLimitExceeded CodeArtifactRateExceeded ConcurrentInvocationLimitExceeded EC2Throttled
        KMSThrottled OverLimit PriorRequestNotComplete ProvisionedThroughputExceeded RequestLimitExceeded
        RequestThrottled SlowDown ThrottledClient Throttled Throttling ThrottlingError TooManyRequests
        TooManyRequestsFault
    """,
    ToolQuotaError: """
        402 AddressLimitExceeded InstanceLimitExceeded InsufficientFunds PaymentRequired QuotaExceeded
        ServiceLimitExceeded ServiceQuotaExceeded TooManyBuckets VcpuLimitExceeded VolumeLimitExceeded
    """,
    ToolTimeoutError: """
        408 504 ETimedOut GatewayTimeout LambdaTimeout ModelTimeout RequestTimeout TaskTimedOut
        TimeLimitExceeded
    """,
    ToolUnavailableError: """
        500 502 503 BadGateway DependencyFailed InsufficientHostCapacity InsufficientInstanceCapacity
        InternalError InternalFailure InternalServer InternalServerError ModelNotReady ModelStreamError
        ServiceUnavailable ServerInternal Unavailable
    """,
    ToolArgumentError: """
        400 405 411 413 414 415 416 422 BadDigest BadRequest EntityTooLarge EntityTooSmall
        IdempotentParameterMismatch ItemCollectionSizeLimitExceeded KeyTooLongError MaxMessageLengthExceeded
        MethodNotAllowed MetadataTooLarge RequestEntityTooLarge RequestHeaderSectionTooLarge ValidationError
        Validation
    """,
    ToolExecutionError: """
        501 FunctionError InvalidAction ModelError NotImplemented UnknownOperation
    """,
}
_CLASSES = {code: cls for cls, codes in _NAMED.items() for code in codes.split()}

# Asked in this order; a code is in camel case, so `(?![a-z])` is the end of one of its words.
_WORDS: tuple[tuple[type[ToolError], str], ...] = (
    (ToolRateLimitError, r"Throttl|TooMany(Requests|Concurrent|Updates)|ThroughputExceeded|Rate\w*Exceeded|RateLimit"),
    (ToolRateLimitError, r"Concurrent\w*Exceeded|RequestLimitExceeded"),
    (ToolArgumentError, r"^Invalid(?!\w*(State|Status|NotFound|InUse|Credentials|SecurityToken)(?![a-z]))[^.]*$"),
    (ToolTimeoutError, r"TimedOut|Timeout(?![a-z])"),
    (ToolAuthenticationError, r"^Expired(Security)?Token|SecurityToken|InvalidCredentials|^NotAuthorized$"),
    (ToolAuthenticationError, r"Unauthenticated|AuthenticationFailed|^(Authentication|Auth)$"),
    (ToolPermissionError, r"AccessDenied|Denied$|Forbidden|Unauthori[sz]ed|NotAuthorized|NoAuthorization|NotPermitted"),
    (
        ToolPermissionError,
        r"NotSubscribed|MissingPermission|Insufficient\w*(Permission|Privilege|Policy|Access)|Paused$",
    ),
    (ToolArgumentError, r"(Token|Marker)NotFound|TooLarge|TooLong|TooBig|TooSmall|(Size|Length)(Limit)?Exceeded"),
    (ResourceNotFoundError, r"NotFound|NoSuch|Do(es)?(Not|nt)Exist|Non[Ee]xist|NotExists?(?![a-z])"),
    (ResourceNotFoundError, r"^Unknown\w*(Id|Name|Resource)$"),
    (ResourceConflictError, r"Conflict|Already|Exists(?![a-z])|Duplicat|InUse(?![a-z])|NotEmpty|InProgress|Concurrent"),
    (
        ResourceConflictError,
        r"CheckFailed|Precondition|OptimisticLock|Locked|Busy|Collision|NotReady|BeingDeleted|Stale",
    ),
    (
        ResourceConflictError,
        r"(Incorrect|Invalid|Illegal|Unexpected)\w*(State|Status)(?![a-z])|(State|Deleted|Disabled)$",
    ),
    (ResourceConflictError, r"(ETag|Version|Revision)Mismatch|Pending|Cannot|Unmodifiable|TerminationProtect|ReadOnly"),
    (
        ResourceConflictError,
        r"Not(Active|Approved|Attached|Confirmed|Connected|Enabled|Published|Running|Started|Verified)",
    ),
    (ResourceConflictError, r"(Deleting|Outdated|OutOfSync|Referenced|Running|Stopping|Transitioning)$|Contains[A-Z]"),
    (ToolArgumentError, r"TooMany(Tags|Entries|Parameters|Filters)|EmptyBatch"),
    (ToolQuotaError, r"Quota|Limits?(Exceed|Reached|Perm)|Exceed\w*Limit|(Max|Maximum|Number|Count|Storage)\w*Exceed"),
    (ToolQuotaError, r"^TooMany|Over(Limit|Quota)|StorageFull|InsufficientStorage"),
    (ToolUnavailableError, r"Unavailable|Internal|^Server|Server$|ServiceFailure|Backend|BadGateway|Overload"),
    (
        ToolUnavailableError,
        r"Insufficient\w*Capacity|OutOfCapacity|CapacityNotAvailable|FailedDependency|Dependency(Failed|Failure|$)",
    ),
    (ToolArgumentError, r"^Bad|Invalid|Malformed|Missing|Mismatch|Validation|Unsupported|NotSupported|Illegal"),
    (ToolArgumentError, r"BadRequest|Required$|Unprocessable|Serialization|OutOfRange|Incompatible|NotAllowed|Expired"),
)

_NARROWED: dict[tuple[type[ToolError] | None, int | None], type[ToolError]] = {
    (ToolPermissionError, 401): ToolAuthenticationError,
    (ToolAuthenticationError, 403): ToolPermissionError,
    (ToolQuotaError, 429): ToolRateLimitError,
}
_EXISTS = "Already(?!InProgress)|Exists(?![a-z])|Duplicat|^BucketAlready"
_CONCURRENT = "Concurrent|TransactionConflict|TransactionInProgress|OperationAborted|ReplicatedWrite|Retryable"


def plain(code: object) -> str:
    """A code without what services put around it: `AWS.SimpleQueueService.NonExistentQueue` is `NonExistentQueue`.

    Args:
        code: the error code of an answer; in event streams it begins in lower case.
    """
    text = str(code or "")[:200].rpartition("#")[2]
    if text.startswith("AWS."):
        text = text.rpartition(".")[2]
    text = text[:1].upper() + text[1:]
    for ending in ("Exception", "Fault"):
        text = text.removesuffix(ending) or text
    return text


@lru_cache(maxsize=1_024)
def meaning(code: str, status: int | None = None) -> type[ToolError] | None:
    """The class of error that a plain code stands for, or None where nothing is known of it.

    Args:
        code: as `plain` gives it.
        status: the HTTP status of the answer; it decides where one word means two things.
    """
    known = _CLASSES.get(code)
    if known is not None:
        return known
    found = next((cls for cls, words in _WORDS if re.search(words, code)), None)
    return _NARROWED.get((found, status), found)


@lru_cache(maxsize=1_024)
def conflict(code: str) -> str | None:
    """The canonical code of a conflict, where it is not a plain failed precondition.

    Args:
        code: as `plain` gives it.
    """
    if re.search(_EXISTS, code):
        return "ALREADY_EXISTS"
    return "ABORTED" if re.search(_CONCURRENT, code) else None
