"""What the google-cloud libraries raise by themselves: BigQuery's driver and Pub/Sub."""

import pytest
from google.api_core import exceptions
from google.cloud.bigquery import exceptions as bigquery
from google.cloud.bigquery.dbapi import exceptions as dbapi
from google.cloud.pubsub_v1.publisher import exceptions as publisher
from google.cloud.pubsub_v1.subscriber.exceptions import AcknowledgeError, AcknowledgeStatus
from google.cloud.storage.exceptions import InvalidPathError
from googleapiclient.errors import UnexpectedMethodError
from gspread.exceptions import GSpreadException
from test_google_answers import raised_by

from mulligan import Pipeline
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolUnavailableError,
)


@pytest.mark.parametrize(
    ("raised", "cls", "effect"),
    [
        (dbapi.IntegrityError("no"), ResourceConflictError, "none"),
        (dbapi.ProgrammingError("no"), ToolArgumentError, "none"),
        (dbapi.OperationalError("no"), ToolExecutionError, "possible"),
        (dbapi.DataError("no"), ToolArgumentError, "none"),
        (bigquery.LegacyPyarrowError("no"), ToolExecutionError, "possible"),
        (UnexpectedMethodError("no"), ToolExecutionError, "possible"),
        (GSpreadException("the header row in the worksheet is not unique"), ToolExecutionError, "possible"),
        (InvalidPathError("no"), ToolArgumentError, "none"),
        (publisher.MessageTooLargeError("no"), ToolArgumentError, "none"),
        (publisher.FlowControlLimitError("no"), ToolUnavailableError, "none"),
        (publisher.PublishToPausedOrderingKeyException("key"), ResourceConflictError, "none"),
        (AcknowledgeError(AcknowledgeStatus.PERMISSION_DENIED, "no"), ToolPermissionError, "none"),
        (exceptions.GoogleAPIError("no"), ToolExecutionError, "possible"),
        (AcknowledgeError(AcknowledgeStatus.INVALID_ACK_ID, "no"), ResourceConflictError, "none"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_by_class(pipeline: Pipeline, raised: Exception, cls: type[ToolError], effect: str) -> None:
    error = pipeline.classify(raised)

    assert error is not None
    assert (type(error), error.effect, error.provider) == (cls, effect, "google")


def test_credentials_that_are_given_twice_are_an_argument(pipeline: Pipeline) -> None:
    both = exceptions.DuplicateCredentialArgs("'credentials_file' and 'credentials' are mutually exclusive.")
    error = pipeline.classify(both)

    assert error is not None
    assert (type(error), error.fatal, error.effect) == (ToolArgumentError, False, "none")
    assert error.message == "Google's library rejected the call; nothing was sent."


def test_a_driver_says_what_the_api_answered(pipeline: Pipeline) -> None:
    def execute() -> None:
        try:
            raise exceptions.NotFound("Not found: Dataset p:sales")
        except exceptions.NotFound as error:
            raise dbapi.DatabaseError(error) from error

    error = pipeline.classify(raised_by(execute))

    assert error is not None
    assert (type(error), error.resource, error.provider) == (ResourceNotFoundError, "p:sales", "google")
