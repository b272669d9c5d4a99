"""The meanings of the codes that Google's APIs send in addition to the HTTP status.

Sources: google/rpc/code.proto and google/api/error_reason.proto (https://google.aip.dev/193), whose names are
`tests/published/google.txt`; the error pages of the Drive, Gmail, Calendar, Sheets, YouTube, BigQuery, Cloud Storage and
Compute Engine APIs; the status codes of the Maps web services.
"""

from __future__ import annotations

from mulligan.plugin import Codes
from mulligan.plugin import meanings as m

DENIED = m.PERMISSION._replace(message="The service does not allow this to the account here", fatal=False)
MISSING = m.NOT_FOUND._replace(message="The service found no such resource, or none visible to the account")

canonical = Codes(
    {
        m.CANCELLED: "CANCELLED",
        m.FAILED._replace(code="UNKNOWN"): "UNKNOWN",
        m.ARGUMENT: "INVALID_ARGUMENT",
        m.TIMEOUT: "DEADLINE_EXCEEDED",
        MISSING: "NOT_FOUND",
        m.EXISTS: "ALREADY_EXISTS",
        m.CONFLICT: "CONFLICT FAILED_PRECONDITION INVALID_ACK_ID",
        m.PERMISSION: "PERMISSION_DENIED",
        m.AUTHENTICATION: "UNAUTHENTICATED",
        m.RATE_LIMIT: "RESOURCE_EXHAUSTED",
        m.ABORTED: "ABORTED",
        m.OUT_OF_RANGE: "OUT_OF_RANGE",
        m.UNIMPLEMENTED: "UNIMPLEMENTED",
        m.UNAVAILABLE: "INTERNAL UNAVAILABLE",
        m.FAILED._replace(message="The service lost data or found it corrupted", code="DATA_LOSS"): "DATA_LOSS",
    },
    skipped={"it is no error": "OK"},
)
reasons = Codes(
    {
        m.AUTHENTICATION: """
            ACCESS_TOKEN_EXPIRED ACCESS_TOKEN_TYPE_UNSUPPORTED ACCOUNT_STATE_INVALID ACCOUNT_TYPE_UNSUPPORTED
            API_KEY_EXPIRED API_KEY_INVALID CREDENTIALS_MISSING CREDENTIAL_ANDROID_APP_INVALID
            CREDENTIAL_TYPE_UNSUPPORTED JWT_TOKEN_INVALID OVERLOADED_CREDENTIALS SESSION_COOKIE_INVALID authError
            dailyLimitExceededUnreg invalidCredentials invalid_client invalid_grant keyExpired keyInvalid
            lockedDomainExpired unauthorized_client youtubeSignupRequired
        """,
        m.PERMISSION: """
            ACCESS_TOKEN_SCOPE_INSUFFICIENT API_KEY_ANDROID_APP_BLOCKED API_KEY_HTTP_REFERRER_BLOCKED
            API_KEY_IOS_APP_BLOCKED API_KEY_IP_ADDRESS_BLOCKED API_KEY_SERVICE_BLOCKED BILLING_DISABLED
            CONSUMER_INVALID CONSUMER_SUSPENDED ENDPOINT_USAGE_RESTRICTION_VIOLATED GCP_SUSPENDED
            IAM_PERMISSION_DENIED LOCATION_ORG_POLICY_VIOLATED LOCATION_POLICY_VIOLATED
            LOCATION_TAX_POLICY_VIOLATED MCP_SERVER_DISABLED MISSING_ORIGIN ORG_RESTRICTION_VIOLATION
            RESOURCE_USAGE_RESTRICTION_VIOLATED SECURITY_POLICY_VIOLATED SERVICE_DISABLED SERVICE_NOT_VISIBLE
            TLS_CIPHER_RESTRICTION_VIOLATED TLS_ORG_POLICY_VIOLATED USER_BLOCKED_BY_ADMIN USER_PROJECT_DENIED
            accessDenied accessNotConfigured accountDisabled appNotAuthorizedToChild appNotAuthorizedToFile
            billingNotEnabled domainPolicy forbidden insufficientAuthorizedParty insufficientFilePermissions
            insufficientParentPermissions insufficientPermissions ipRefererBlocked sslRequired userAccess
        """,
        DENIED: """
            cannotDownloadAbusiveFile cannotDownloadFile fileWriterTeamDriveMoveInDisabled forbiddenForNonOrganizer
        """,
        MISSING: """
            channelNotFound commentNotFound deleted fileNotFound notFound parentNotFound playlistNotFound
            projectNotFound subscriptionNotFound videoNotFound
        """,
        m.RATE_LIMIT: """
            EMULATOR_QUOTA_EXCEEDED RATE_LIMIT_EXCEEDED concurrentLimitExceeded jobRateLimitExceeded
            perHourLimitExceeded rateLimitExceeded servingLimitExceeded sharingRateLimitExceeded tooManyRequests
            uploadRateLimitExceeded userRateLimitExceeded userRateLimitExceededUnreg
        """,
        m.QUOTA: """
            QUOTA_EXCEEDED RESOURCE_QUOTA_EXCEEDED activeItemCreationLimitExceeded billingTierLimitExceeded
            calendarUsageLimitsExceeded dailyLimitExceeded quotaExceeded storageLimitExceeded storageQuotaExceeded
            uploadLimitExceeded variableTermExpiredDailyExceeded
        """,
        m.LIMIT_REACHED: """
            limitExceeded maxLiveBroadcastsExceeded numChildrenInNonRootLimitExceeded teamDriveFileLimitExceeded
            teamDrivesFolderHierarchyLimitExceeded
        """,
        m.EXISTS: "alreadyExists duplicate resourceAlreadyExists teamDriveAlreadyExists",
        m.CONFLICT: """
            cannotDeleteResourceWithChildren commentsDisabled conditionNotMet conflict containerNotReady
            failedPrecondition fileNeverWritable fullSyncRequired resourceNotReady updatedMinTooLongAgo
        """,
        m.BUSY: "resourceInUse resourceInUseByAnotherResource",
        m.ABORTED: "aborted",
        m.CANCELLED: "stopped",
        m.UNAVAILABLE: """
            ZONE_RESOURCE_POOL_EXHAUSTED ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS backendError internalError
            jobBackendError jobInternalError processingFailure tableUnavailable transientError
        """,
        m.TIMEOUT: "deadlineExceeded timeout",
        m.TOO_LARGE: """
            exportSizeLimitExceeded resourcesExceeded responseTooLarge tooManyParts uploadTooLarge
        """,
        m.ARGUMENT: """
            ORG_RESTRICTION_HEADER_INVALID RESOURCE_PROJECT_INVALID SYSTEM_PARAMETER_UNSUPPORTED badRequest
            cyclicalSharing fileNotDownloadable fileNotExportable invalid invalidArgument invalidParameter
            invalidQuery invalidSharingRequest invalidValue parseError required unknownParameter wrongUrlForUpload
        """,
        m.UNIMPLEMENTED: "notImplemented",
    }
)
maps = Codes(
    {
        m.ARGUMENT: "INVALID_REQUEST",
        m.TOO_LARGE: """
            MAX_DIMENSIONS_EXCEEDED MAX_ELEMENTS_EXCEEDED MAX_ROUTE_LENGTH_EXCEEDED MAX_WAYPOINTS_EXCEEDED
        """,
        m.NOT_FOUND._replace(message="Google Maps found no results"): "DATA_NOT_AVAILABLE NOT_FOUND ZERO_RESULTS",
        m.QUOTA: "OVER_DAILY_LIMIT",
        m.RATE_LIMIT: "OVER_QUERY_LIMIT",
        m.AUTHENTICATION: "REQUEST_DENIED",
        m.UNAVAILABLE: "UNKNOWN_ERROR",
    }
)
