"""The meanings of gRPC's status codes (https://grpc.io/docs/guides/status-codes/) and of more specific reasons."""

from __future__ import annotations

from mulligan.plugin import Codes
from mulligan.plugin import meanings as m

codes = Codes(
    {
        m.CANCELLED: "CANCELLED",
        m.FAILED._replace(message="The service failed for an unknown reason", code="UNKNOWN"): "UNKNOWN",
        m.ARGUMENT: "INVALID_ARGUMENT",
        m.OUT_OF_RANGE: "OUT_OF_RANGE",
        m.TIMEOUT: "DEADLINE_EXCEEDED",
        m.NOT_FOUND: "NOT_FOUND",
        m.EXISTS: "ALREADY_EXISTS",
        m.CONFLICT: "FAILED_PRECONDITION",
        m.ABORTED: "ABORTED",
        m.PERMISSION: "PERMISSION_DENIED",
        m.AUTHENTICATION: "UNAUTHENTICATED",
        m.RATE_LIMIT: "RESOURCE_EXHAUSTED",
        m.UNIMPLEMENTED: "UNIMPLEMENTED",
        m.FAILED: "INTERNAL",
        m.UNAVAILABLE: "UNAVAILABLE",
        m.FAILED._replace(message="The service lost data or found it corrupted", code="DATA_LOSS"): "DATA_LOSS",
    },
    skipped={"it is no error": "OK"},
)
reasons = Codes(  # of google.rpc.ErrorInfo, if they contradict the status
    {
        m.AUTHENTICATION: "API_KEY_INVALID ACCESS_TOKEN_EXPIRED CREDENTIALS_MISSING",
        m.RATE_LIMIT: "RATE_LIMIT_EXCEEDED",
        m.QUOTA: "RESOURCE_QUOTA_EXCEEDED",
    }
)
