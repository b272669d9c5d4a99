"""What the reasons mean that Google's APIs give beside the HTTP status.

Sources: the enum `google.api.ErrorReason` and the canonical codes of google.rpc (https://google.aip.dev/193); the error
pages of the Drive, Gmail, Calendar, Sheets, YouTube, BigQuery, Cloud Storage and Compute Engine APIs.
"""

from __future__ import annotations

from collections.abc import Iterable

from mulligan.plugin import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

_REASONS: dict[type[ToolError], str] = {
    ToolAuthenticationError: """
        API_KEY_INVALID API_KEY_EXPIRED ACCESS_TOKEN_EXPIRED ACCESS_TOKEN_TYPE_UNSUPPORTED ACCOUNT_STATE_INVALID
        CREDENTIALS_MISSING SESSION_COOKIE_INVALID authError invalidCredentials keyExpired keyInvalid
        lockedDomainExpired youtubeSignupRequired invalid_grant invalid_client unauthorized_client
        dailyLimitExceededUnreg
    """,
    ToolPermissionError: """
        SERVICE_DISABLED BILLING_DISABLED API_KEY_SERVICE_BLOCKED API_KEY_HTTP_REFERRER_BLOCKED
        API_KEY_IP_ADDRESS_BLOCKED API_KEY_ANDROID_APP_BLOCKED API_KEY_IOS_APP_BLOCKED
        RESOURCE_USAGE_RESTRICTION_VIOLATED USER_PROJECT_DENIED CONSUMER_SUSPENDED CONSUMER_INVALID
        ORG_RESTRICTION_VIOLATION SECURITY_POLICY_VIOLATED LOCATION_POLICY_VIOLATED LOCATION_ORG_POLICY_VIOLATED
        LOCATION_TAX_POLICY_VIOLATED ACCESS_TOKEN_SCOPE_INSUFFICIENT IAM_PERMISSION_DENIED SERVICE_NOT_VISIBLE
        GCP_SUSPENDED USER_BLOCKED_BY_ADMIN accessDenied accessNotConfigured accountDisabled
        appNotAuthorizedToFile appNotAuthorizedToChild billingNotEnabled cannotDownloadAbusiveFile
        cannotDownloadFile domainPolicy forbidden forbiddenForNonOrganizer insufficientAuthorizedParty
        insufficientFilePermissions insufficientParentPermissions insufficientPermissions ipRefererBlocked
        sslRequired userAccess
    """,
    ResourceNotFoundError: """
        channelNotFound commentNotFound deleted fileNotFound notFound parentNotFound playlistNotFound
        projectNotFound subscriptionNotFound videoNotFound
    """,
    ToolRateLimitError: """
        RATE_LIMIT_EXCEEDED rateLimitExceeded userRateLimitExceeded userRateLimitExceededUnreg
        concurrentLimitExceeded jobRateLimitExceeded perHourLimitExceeded servingLimitExceeded
        sharingRateLimitExceeded tooManyRequests uploadRateLimitExceeded
    """,
    ToolQuotaError: """
        RESOURCE_QUOTA_EXCEEDED QUOTA_EXCEEDED activeItemCreationLimitExceeded billingTierLimitExceeded
        calendarUsageLimitsExceeded dailyLimitExceeded fileWriterTeamDriveMoveInDisabled limitExceeded
        maxLiveBroadcastsExceeded numChildrenInNonRootLimitExceeded quotaExceeded storageQuotaExceeded
        storageLimitExceeded teamDriveFileLimitExceeded teamDrivesFolderHierarchyLimitExceeded
        uploadLimitExceeded variableTermExpiredDailyExceeded
    """,
    ResourceConflictError: """
        commentsDisabled conditionNotMet conflict cannotDeleteResourceWithChildren containerNotReady duplicate
        failedPrecondition fileNeverWritable fullSyncRequired resourceInUse resourceInUseByAnotherResource
        resourceNotReady resourceAlreadyExists stopped updatedMinTooLongAgo alreadyExists teamDriveAlreadyExists
        aborted
    """,
    ToolUnavailableError: """
        backendError internalError jobBackendError jobInternalError tableUnavailable transientError
        ZONE_RESOURCE_POOL_EXHAUSTED ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS processingFailure
    """,
    ToolTimeoutError: "timeout deadlineExceeded",
    ToolArgumentError: """
        SYSTEM_PARAMETER_UNSUPPORTED RESOURCE_PROJECT_INVALID ORG_RESTRICTION_HEADER_INVALID badRequest
        cyclicalSharing exportSizeLimitExceeded fileNotDownloadable fileNotExportable invalid invalidArgument
        invalidParameter invalidQuery invalidSharingRequest invalidValue parseError required resourcesExceeded
        responseTooLarge tooManyParts unknownParameter uploadTooLarge wrongUrlForUpload
    """,
    ToolExecutionError: "notImplemented",
}
_BY_REASON = {reason: cls for cls, reasons in _REASONS.items() for reason in reasons.split()}

CANONICAL: dict[str, type[ToolError]] = {
    "CANCELLED": ToolCancelledError,
    "UNKNOWN": ToolExecutionError,
    "INVALID_ARGUMENT": ToolArgumentError,
    "DEADLINE_EXCEEDED": ToolTimeoutError,
    "NOT_FOUND": ResourceNotFoundError,
    "ALREADY_EXISTS": ResourceConflictError,
    "CONFLICT": ResourceConflictError,
    "PERMISSION_DENIED": ToolPermissionError,
    "UNAUTHENTICATED": ToolAuthenticationError,
    "RESOURCE_EXHAUSTED": ToolRateLimitError,
    "FAILED_PRECONDITION": ResourceConflictError,
    "ABORTED": ResourceConflictError,
    "OUT_OF_RANGE": ToolArgumentError,
    "UNIMPLEMENTED": ToolExecutionError,
    "INTERNAL": ToolUnavailableError,
    "UNAVAILABLE": ToolUnavailableError,
    "DATA_LOSS": ToolExecutionError,
}
MAPS: dict[str, type[ToolError]] = {
    "INVALID_REQUEST": ToolArgumentError,
    "MAX_DIMENSIONS_EXCEEDED": ToolArgumentError,
    "MAX_ELEMENTS_EXCEEDED": ToolArgumentError,
    "MAX_ROUTE_LENGTH_EXCEEDED": ToolArgumentError,
    "MAX_WAYPOINTS_EXCEEDED": ToolArgumentError,
    "NOT_FOUND": ResourceNotFoundError,
    "ZERO_RESULTS": ResourceNotFoundError,
    "DATA_NOT_AVAILABLE": ResourceNotFoundError,
    "OVER_DAILY_LIMIT": ToolQuotaError,
    "OVER_QUERY_LIMIT": ToolRateLimitError,
    "REQUEST_DENIED": ToolAuthenticationError,
    "UNKNOWN_ERROR": ToolUnavailableError,
}
_UNAUTHENTICATED = 401


def meaning(reasons: Iterable[str], status: int | None) -> type[ToolError] | None:
    """The class of error that the first known reason stands for, or None.

    Args:
        reasons: as the answer gives them.
        status: the HTTP status of the answer: `required` under 401 is about the login, not about a parameter.
    """
    if status == _UNAUTHENTICATED:
        return ToolAuthenticationError
    return next((_BY_REASON[reason] for reason in reasons if reason in _BY_REASON), None)
