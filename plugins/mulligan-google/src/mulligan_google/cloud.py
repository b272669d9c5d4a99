"""Exceptions of the google-cloud libraries themselves: Storage, Pub/Sub, BigQuery, Spanner."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m

rules = Rules("google")
last = Rules("google", last=True)
SERVICE = "Google"


@rules(
    "google.cloud.storage.exceptions.DataCorruption",
    "google.resumable_media.common.DataCorruption",
)
def corrupted(failure: Failure) -> ToolError:
    """A download whose checksum does not match; it may be retried."""
    message = "The connection to the service lost or changed data: the checksum does not match"
    return m.error_of(failure, m.DROPPED._replace(message=message), service=SERVICE, http_status=None)


@rules("google.cloud.pubsub_v1.publisher.exceptions.MessageTooLargeError")
def message_too_large(failure: Failure) -> ToolError:
    """A message that the Pub/Sub client rejects; nothing was sent."""
    return m.error_of(failure, m.TOO_LARGE, service=SERVICE)


@rules("google.cloud.pubsub_v1.publisher.exceptions.FlowControlLimitError")
def too_many_messages(failure: Failure) -> ToolError:
    """The client's publish queue is full; nothing was sent."""
    message = "Too many messages wait to be published."
    return m.error_of(failure, m.UNAVAILABLE, message=message, effect="none")


@rules("google.cloud.pubsub_v1.publisher.exceptions.PublishToPausedOrderingKeyException")
def paused(failure: Failure) -> ToolError:
    """An ordering key that is paused because an earlier message could not be published."""
    return m.error_of(failure, m.CONFLICT, service=SERVICE)


@rules("google.cloud.bigquery.exceptions.BigQueryError")
def missing_package(failure: Failure) -> ToolError:
    """A package that the BigQuery library needs is missing or too old."""
    return m.error_of(failure, m.FAILED, message="A package that Google's library needs is missing or too old.")


@last(
    "google.cloud.bigquery.dbapi.exceptions.Error",
    "google.cloud.spanner_dbapi.exceptions.Error",
    "google.cloud.bigtable.batcher.MutationsBatchError",
    "google.cloud.firestore_v1._helpers.ReadAfterWriteError",
)
def other_cloud(failure: Failure) -> ToolError:
    """Any other exception of these libraries."""
    return m.error_of(failure, m.FAILED, message="Google's library failed.")
