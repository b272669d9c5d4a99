"""googlemaps: the Maps web services report failures in a `status` field, with HTTP status 200."""

from __future__ import annotations

from mulligan.plugin import Failure, ResourceNotFoundError, Rules, ToolError, ToolExecutionError, status_error
from mulligan_google.codes import maps as codes
from mulligan_google.connections import connection

rules = Rules("google")
SERVICE = "Google Maps"


@rules("googlemaps.exceptions.ApiError")
def maps(failure: Failure) -> ToolError:
    """A response whose `status` is not OK."""
    error = codes.error(failure, failure.look("status"), service=SERVICE)
    if isinstance(error, ResourceNotFoundError):
        error.message = f"{SERVICE} found no results."
    return error or ToolExecutionError("The Google call failed.")


@rules("googlemaps.exceptions.HTTPError")
def maps_http(failure: Failure) -> ToolError:
    """An HTTP status."""
    return status_error(failure, service=SERVICE)


@rules("googlemaps.exceptions.Timeout", "googlemaps.exceptions.TransportError")
def maps_connection(failure: Failure) -> ToolError:
    """No response at all."""
    base = failure.look("base_exception")
    return connection(failure.about(base) if isinstance(base, Exception) else failure)
