"""google-api-python-client, which checks a call before sending it."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Problem, Rules, ToolError, pointer_to
from mulligan.plugin import meanings as m

rules = Rules("google")
last = Rules("google", last=True)
_UNFIT = (
    "UnknownFileType",
    "UnknownLinkType",
    "UnknownApiNameOrVersion",
    "UnacceptableMimeTypeError",
    "MediaUploadSizeError",
    "InvalidChunkSizeError",
    "InvalidNotificationError",
)
_CHECKS = (
    (re.compile(r"Got an unexpected keyword argument '?(\w{1,100})'?"), "unknown"),
    (re.compile(r'Missing required parameter "(\w{1,100})"'), "is missing"),
    (re.compile(r'Parameter "(\w{1,100})" value '), "is not an allowed value"),
)


@rules(*(f"googleapiclient.errors.{name}" for name in _UNFIT))
def unfit(failure: Failure) -> ToolError:
    """A request that the library rejects before sending."""
    return m.error_of(failure, m.ARGUMENT, message="Google's library rejected the call; nothing was sent.")


@rules("TypeError")
def parameters(failure: Failure) -> ToolError | None:
    """Invalid parameters of a method, which the library reports with the built-in TypeError."""
    found = ((pattern.match(failure.text), words) for pattern, words in _CHECKS)
    match, words = next(((match, words) for match, words in found if match), (None, ""))
    if match is None or failure.came_through("googleapiclient") is None:
        return None
    message = "The parameters do not match the method; nothing was sent."
    return m.error_of(failure, m.ARGUMENT, message=message, problems=[Problem(pointer_to(match[1]), words)])


@rules("googleapiclient.errors.InvalidJsonError")
def not_json(failure: Failure) -> ToolError:
    """A response or an API description that is not JSON."""
    return m.error_of(failure, m.FAILED, message="Google returned a response that is not JSON.")


@last("googleapiclient.errors.Error")
def other(failure: Failure) -> ToolError:
    """Any other exception of the library itself."""
    return m.error_of(failure, m.FAILED, message="Google's library failed.")
