"""The meanings of Azure error codes: Storage, Tables, Resource Manager, Key Vault, Cosmos DB and the message brokers.

Sources: the enums of the Azure SDK for Python, whose values are `tests/published/azure.txt`; "Common REST API error codes"
of the Storage reference; "Troubleshoot common Azure deployment errors" and "Understand throttling" of Resource Manager;
the Key Vault reference; "HTTP status codes for Azure Cosmos DB".
"""

from __future__ import annotations

from mulligan.plugin import Codes
from mulligan.plugin import meanings as m

DENIED = m.PERMISSION._replace(message="The service does not allow this here", fatal=False)
QUOTA = m.QUOTA._replace(message="A quota of the subscription or account at the service is exhausted")
MOVING = m.UNAVAILABLE._replace(message="The service is moving the data, or has not replicated it yet", effect="none")

codes = Codes(
    {
        m.AUTHENTICATION: """
            AuthenticationFailed ExpiredAuthenticationToken InvalidAuthenticationInfo InvalidAuthenticationToken
            InvalidAuthenticationTokenTenant KeyBasedAuthenticationNotPermitted NoAuthenticationInformation
            TokenExpired Unauthenticated
        """,
        m.PERMISSION: """
            AccountIsDisabled AuthorizationFailed AuthorizationFailure AuthorizationPermissionMismatch
            AuthorizationProtocolMismatch AuthorizationResourceTypeMismatch AuthorizationServiceMismatch
            AuthorizationSourceIPMismatch Forbidden ForbiddenByFirewall ForbiddenByPolicy ForbiddenByRbac
            InsufficientAccountPermissions InsufficientAuthenticationPermissions LinkedAuthorizationFailed
            MarketplacePurchaseEligibilityFailed PublicAccessNotPermitted ReadOnlyDisabledSubscription
            SubscriptionDisabled UnauthorizedBlobOverwrite
        """,
        DENIED: "DisallowedOperation RequestDisallowedByAzure RequestDisallowedByPolicy",
        m.NOT_FOUND: "InvalidSubscriptionId NotFound",
        m.EXISTS: "AccountAlreadyExists",
        m.CONFLICT: """
            BlobArchived BlobImmutableDueToPolicy BlobNotArchived BlobOverwritten CannotChangeToLowerTier Conflict
            ContainerDisabled CopyIdMismatch DirectoryNotEmpty FeatureVersionMismatch IncrementalCopyBlobMismatch
            InfiniteLeaseDurationRequired LeaseIdMissing LeaseLost LeaseNameMismatch
            MissingRegistrationForLocation MissingSubscriptionRegistration NoPendingCopyOperation
            ObjectIsDeletedButRecoverable PopReceiptMismatch PreviousSnapshotCannotBeNewer QueueDisabled
            QueueNotEmpty ReadOnlyAttribute ReferencedResourceNotProvisioned ResourceTypeMismatch ScopeLocked
            SecretDisabled ShareDisabled ShareHasSnapshots SkuNotAvailable SnapshotsPresent
            SubscriptionNotRegistered
        """,
        m.LIMIT_REACHED: "BlockCountExceedsLimit BlockListTooLong",
        m.TOO_LARGE: "ContentLengthLargerThanTierLimit",
        m.BUSY: """
            AnotherOperationInProgress CannotDeleteFileOrDirectory ClientCacheFlushDelay FileLockConflict
            SharingViolation SystemInUse
        """,
        m.RATE_LIMIT: """
            OperationsPerSecondOverLimit RequestRateTooLarge ServerBusy SnapshotOperationRateExceeded
            TenantRequestsThrottled TooManyRequests
        """,
        QUOTA: """
            PublicIPCountLimitReached ResourceCountExceedsLimitDueToTemplate ShareSnapshotCountExceeded
            SnapshotCountExceeded
        """,
        m.TIMEOUT: "GatewayTimeout OperationTimedOut RequestTimeout",
        m.UNAVAILABLE: """
            AllocationFailed InternalError InternalServerError OverconstrainedAllocationRequest RetryableError
            ServiceUnavailable ZonalAllocationFailed
        """,
        m.UNIMPLEMENTED: "NotImplemented",
        m.OUT_OF_RANGE: "OutOfRangeInput OutOfRangeQueryParameterValue InvalidRange InvalidPageRange",
        m.ARGUMENT: """
            BadParameter BadRequest BlobTierInadequateForContentLength BlobUsesCustomerSpecifiedEncryption
            EmptyMetadataKey HostInformationNotPresent MethodNotAllowed NoRegisteredProviderFound
            OperationNotAllowedOnIncrementalCopyBlob PropertiesNeedValue RequestUrlFailedToParse
            ReservedResourceName XMethodNotUsingPost
        """,
    },
    words=(
        (m.RATE_LIMIT, r"Throttl|TooManyRequests|RateLimit|RateExceeded"),
        (QUOTA, r"Quota(?!Downgrade)|(?:Count|Capacity)Limit(?:Reached|Exceeded)|AccountLimit$"),
        (m.TOO_LARGE, r"Too(?:Large|Long|Many)"),
        (m.NOT_FOUND, r"NotFound$|DoesNotExist"),
        (m.AUTHENTICATION, r"^(?:Expired|Invalid|Missing)\w*Token|AuthenticationFailed"),
        (m.PERMISSION, r"^Forbidden|AuthorizationFail|NotAuthorized|PermissionDenied"),
        (DENIED, r"DisallowedBy"),
        (m.EXISTS, r"AlreadyExists|AlreadyTaken|AlreadyInUse"),
        (m.CONFLICT, r"Already|ConditionNotMet|LeaseIdMismatch|NotAllowed"),
        (m.BUSY, r"BeingDeleted|BeingCreated|BeingRehydrated|DeletePending|InProgress|PendingCopy|InUse|Locked"),
        (m.CONFLICT, r"Conflict|NotReady|Precondition|ConditionNotSatisfied|Lease(?:Is|Not)|Lease\w*Present"),
        (m.ARGUMENT, r"Invalid|^(?:Missing|Unsupported|Multiple|Duplicate|OutOfRange)|NotSupported|Mismatch|Incorrect"),
        (m.ARGUMENT, r"MustBe|CannotBe"),
    ),
    skipped={"the status says how the source failed": "CannotVerifyCopySource"},
)
cosmos = Codes(  # substatuses; the statuses 410 and 449 take precedence
    {
        m.ARGUMENT: (1001, 1004),
        m.NOT_FOUND: (1003, 1008, 10004),
        m.PERMISSION: 5300,
        QUOTA: (1005, 1010),
        m.CONFLICT: (1006, 1009, 1011, 1024),
        m.BUSY: 1013,
        MOVING: (3, 1000, 1002, 1007, 21015),
    },
    skipped={"it says nothing": 0},
)
conditions = Codes(  # of AMQP, and of Service Bus and Event Hubs
    {
        m.AUTHENTICATION: "amqp:unauthorized-access com.microsoft:auth-failed",
        m.NOT_FOUND: "amqp:not-found amqp:resource-deleted com.microsoft:message-not-found",
        m.EXISTS: "com.microsoft:entity-already-exists",
        m.CONFLICT: """
            amqp:precondition-failed amqp:illegal-state com.microsoft:entity-disabled com.microsoft:message-lock-lost
            com.microsoft:precondition-failed com.microsoft:session-lock-lost
        """,
        m.BUSY: "amqp:resource-locked amqp:link:stolen com.microsoft:session-cannot-be-locked",
        m.RATE_LIMIT: "com.microsoft:server-busy",
        QUOTA: "amqp:resource-limit-exceeded",
        m.TIMEOUT: "com.microsoft:timeout",
        m.ARGUMENT: "amqp:invalid-field com.microsoft:argument-error",
        m.OUT_OF_RANGE: "com.microsoft:argument-out-of-range",
        m.TOO_LARGE: "amqp:link:message-size-exceeded",
        m.UNIMPLEMENTED: "amqp:not-implemented",
        m.UNAVAILABLE: "amqp:internal-error",
        m.DROPPED: """
            amqp:connection:forced amqp:connection:framing-error amqp:link:detach-forced amqp:socket-error
        """,
        m.FAILED: """
            amqp:client-error amqp:decode-error amqp:frame-size-too-small amqp:link:transfer-limit-exceeded
            amqp:not-allowed amqp:session:errant-link amqp:session:handle-in-use amqp:session:unattached-handle
            amqp:session:window-violation
        """,
    },
    skipped={
        "the client follows it": "amqp:connection:redirect amqp:link:redirect",
        "they say nothing": "amqp:unknown-error amqp:vendor-error",
    },
)
