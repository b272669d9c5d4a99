"""Rules for botocore, boto3 and aiobotocore: what the error codes of AWS and the SDK's own exceptions mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from mulligan.plugin import (
    ErrorFields,
    Failure,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
    status_error,
)

from mulligan_aws.codes import CONCURRENT, EXISTS, meaning, plain
from mulligan_aws.parameters import pointer, refused, reported
from mulligan_aws.resources import resource
