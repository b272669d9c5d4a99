"""What the error codes of Azure's Storage, Resource Manager and Key Vault mean.

Sources: "Common REST API error codes" and the Blob, Queue, Table and File pages of the Storage reference;
"Troubleshoot common Azure deployment errors" and "Understand throttling" of Resource Manager; the Key Vault reference.
"""

from __future__ import annotations

import re

from mulligan.plugin import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

_CODES_BY_CLASS: dict[type[ToolError], str] = {
    ToolAuthenticationError: """
        AuthenticationFailed ExpiredAuthenticationToken InvalidAuthenticationInfo InvalidAuthenticationToken
        InvalidAuthenticationTokenTenant NoAuthenticationInformation TokenExpired Unauthenticated
    """,
    ToolPermissionError: """
        AccountIsDisabled AuthorizationFailed AuthorizationFailure AuthorizationPermissionMismatch
        AuthorizationProtocolMismatch AuthorizationResourceTypeMismatch AuthorizationServiceMismatch
        AuthorizationSourceIPMismatch DisallowedOperation Forbidden ForbiddenByFirewall ForbiddenByPolicy
        ForbiddenByRbac InsufficientAccountPermissions InsufficientAuthenticationPermissions
        KeyBasedAuthenticationNotPermitted LinkedAuthorizationFailed MarketplacePurchaseEligibilityFailed
        PublicAccessNotPermitted ReadOnlyDisabledSubscription RequestDisallowedByAzure RequestDisallowedByPolicy
        SubscriptionDisabled UnauthorizedBlobOverwrite
    """,
    ResourceNotFoundError: """
        BlobNotFound ContainerNotFound FilesystemNotFound ImageNotFound InvalidSubscriptionId KeyNotFound
        NotFound ParentNotFound ParentResourceNotFound PathNotFound PrincipalNotFound QueueNotFound
        ResourceGroupNotFound ResourceNotFound SecretNotFound ShareNotFound SubscriptionNotFound TableNotFound
        VaultNotFound
    """,
    ResourceConflictError: """
        AccountBeingCreated AnotherOperationInProgress BlobArchived BlobBeingRehydrated ConditionNotMet Conflict
        ContainerBeingDeleted LeaseIdMissing MissingRegistrationForLocation MissingSubscriptionRegistration
        ObjectIsBeingDeleted ObjectIsDeletedButRecoverable PendingCopyOperation QueueBeingDeleted QueueNotEmpty
        ReferencedResourceNotProvisioned ResourceGroupBeingDeleted ScopeLocked SecretDisabled ShareBeingDeleted
        SharingViolation SkuNotAvailable SubscriptionNotRegistered TableBeingDeleted UpdateConditionNotSatisfied
    """,
    ToolRateLimitError: """
        OperationsPerSecondOverLimit RequestRateTooLarge RateLimitExceeded ServerBusy
        SnapshotOperationRateExceeded SubscriptionRequestsThrottled TenantRequestsThrottled Throttled
        TooManyRequests
    """,
    ToolQuotaError: """
        DeploymentQuotaExceeded InsufficientQuota JobQuotaExceeded PublicIPCountLimitReached QuotaExceeded
        ResourceCountExceedsLimitDueToTemplate ResourceQuotaExceeded ShareSnapshotCountExceeded
        SnapshotCountExceeded TotalSharesCountExceedsAccountLimit
        TotalSharesProvisionedBandwidthExceedsAccountLimit TotalSharesProvisionedCapacityExceedsAccountLimit
        TotalSharesProvisionedIopsExceedsAccountLimit
    """,
    ToolTimeoutError: "GatewayTimeout OperationTimedOut RequestTimeout",
    ToolUnavailableError: """
        AllocationFailed InternalError InternalServerError OverconstrainedAllocationRequest RetryableError
        ServiceUnavailable ZonalAllocationFailed
    """,
    ToolArgumentError: """
        BadParameter BadRequest InvalidApiVersionParameter InvalidInput InvalidParameter
        InvalidQueryParameterValue InvalidRange InvalidResourceName InvalidTemplate InvalidTemplateDeployment
        MessageTooLarge NoRegisteredProviderFound RequestBodyTooLarge ReservedResourceName
    """,
}
_CLASSES = {code: cls for cls, codes in _CODES_BY_CLASS.items() for code in codes.split()}
_WORDS: tuple[tuple[type[ToolError], str], ...] = (
    (ToolRateLimitError, r"Throttl|TooManyRequests|RateLimit|RateExceeded"),
    (ToolQuotaError, r"Quota(?!Downgrade)|(?:Count|Capacity)Limit(?:Reached|Exceeded)|AccountLimit$"),
    (ResourceNotFoundError, r"NotFound$|DoesNotExist"),
    (ToolAuthenticationError, r"^(?:Expired|Invalid|Missing)\w*Token|AuthenticationFailed"),
    (ToolPermissionError, r"^Forbidden|AuthorizationFail|NotAuthorized|PermissionDenied|DisallowedBy"),
    (ResourceConflictError, r"Already|BeingDeleted|InUse|Locked|Conflict|NotReady|Precondition|InProgress"),
)
_VAGUE = (None, 400, 403, 409, 429, 503)

_EXISTS = "AlreadyExists|AlreadyTaken|AlreadyInUse"
_UNCLEAR = "OperationNotAllowed"


def meaning(code: str, status: int | None, text: str) -> type[ToolError] | None:
    """The class of error that a code stands for, or None where the status says as much.

    Args:
        code: the error code of the answer.
        status: its HTTP status.
        text: its message: Resource Manager says `OperationNotAllowed` of quotas and of states.
    """
    if code == _UNCLEAR:
        return ToolQuotaError if re.search(r"\bquota\b|\blimit\b", text, re.IGNORECASE) else ResourceConflictError
    known = _CLASSES.get(code)
    if known is not None or status not in _VAGUE:
        return known
    return next((cls for cls, words in _WORDS if re.search(words, code)), None)


def exists(code: str) -> bool:
    """Whether a code says that the thing is there already.

    Args:
        code: the error code of the answer.
    """
    return re.search(_EXISTS, code) is not None
