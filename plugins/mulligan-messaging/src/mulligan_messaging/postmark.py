"""Postmark, through postmarker: by its own error code, otherwise by the HTTP status.

https://postmarkapp.com/developer/api/overview#error-codes
"""

from __future__ import annotations

from mulligan.plugin import Codes, Failure, Rules, ToolError, ToolExecutionError
from mulligan.plugin import meanings as m

rules = Rules("postmark")
last = Rules("postmark", last=True)
SERVICE = "Postmark"

TOKEN = m.AUTHENTICATION._replace(message="The service rejected the API token")
ACCOUNT = m.PERMISSION._replace(message="The service does not allow the account to send")
SENDER = m.PERMISSION._replace(message="The service does not know the sender, or has not confirmed it", fatal=False)
OTHERS = m.PERMISSION._replace(message="The resource belongs to another account of the service", fatal=False)
INACTIVE = m.PERMISSION._replace(message="The service sends nothing to this recipient, who is inactive", fatal=False)
CREDITS = m.QUOTA._replace(message="The service has no credits left for the account")

codes = Codes(
    {
        TOKEN: 10,
        ACCOUNT: (412, 413),
        SENDER: (400, 401),
        OTHERS: 507,
        INACTIVE: 406,
        CREDITS: 405,
        m.RATE_LIMIT: 429,
        m.UNAVAILABLE: 100,
        m.NOT_FOUND: (501, 510, 601, 701, 1101, 1226),
        m.EXISTS: (504, 512, 603),
        m.CONFLICT: (505, 506),
        m.ARGUMENT: (300, 402, 403, 409, 410, 411, 500, 502, 503, 511),
    }
)


@rules("postmarker.ClientError")
def answered(failure: Failure) -> ToolError | None:
    """An error code of Postmark, which sends most of them with status 422."""
    status = next((inner.status for inner in failure.inner if inner.status is not None), None)
    return codes.error(failure, failure.look("error_code"), service=SERVICE, http_status=status)


@last("postmarker.PostmarkerException")
def other(_: Failure) -> ToolError:
    """Any other exception of the client."""
    return ToolExecutionError("The Postmark call failed.")
