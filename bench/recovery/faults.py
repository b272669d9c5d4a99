"""The exceptions that a service's library raises, with the attributes it puts on them.

The standard library's are the real ones. Others are made here, under their real qualified name and bases, so that no
service's library has to be installed.
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
from email.message import Message
from types import SimpleNamespace
from typing import Any

BASES = {
    "docker.errors.APIError": "requests.exceptions.HTTPError",
    "docker.errors.NotFound": "docker.errors.APIError",
    "elasticsearch.exceptions.ApiError": "builtins.Exception",
    "elasticsearch.exceptions.NotFoundError": "elasticsearch.exceptions.ApiError",
    "facebook_business.exceptions.FacebookRequestError": "facebook_business.exceptions.FacebookError",
    "git.exc.CommandError": "git.exc.GitError",
    "git.exc.GitCommandError": "git.exc.CommandError",
    "github.GithubException.BadCredentialsException": "github.GithubException.GithubException",
    "github.GithubException.UnknownObjectException": "github.GithubException.GithubException",
    "google.api_core.exceptions.BadRequest": "google.api_core.exceptions.ClientError",
    "google.api_core.exceptions.ClientError": "google.api_core.exceptions.GoogleAPICallError",
    "google.api_core.exceptions.Forbidden": "google.api_core.exceptions.ClientError",
    "google.api_core.exceptions.GoogleAPICallError": "google.api_core.exceptions.GoogleAPIError",
    "google.auth.exceptions.RefreshError": "google.auth.exceptions.GoogleAuthError",
    "googleapiclient.errors.HttpError": "googleapiclient.errors.Error",
    "googlemaps.exceptions.HTTPError": "googlemaps.exceptions.TransportError",
    "grpc._channel._InactiveRpcError": "grpc.RpcError",
    "homeassistant.exceptions.EntityNotFound": "homeassistant.exceptions.HomeAssistantError",
    "httpx.HTTPStatusError": "httpx.HTTPError",
    "httpx.ReadTimeout": "httpx.TimeoutException",
    "httpx.RequestError": "httpx.HTTPError",
    "httpx.TimeoutException": "httpx.TransportError",
    "httpx.TransportError": "httpx.RequestError",
    "hvac.exceptions.Forbidden": "hvac.exceptions.VaultError",
    "hvac.exceptions.InvalidPath": "hvac.exceptions.VaultError",
    "hvac.exceptions.InvalidRequest": "hvac.exceptions.VaultError",
    "jenkins.TimeoutException": "jenkins.JenkinsException",
    "kafka.errors.BrokerResponseError": "kafka.errors.KafkaError",
    "kafka.errors.KafkaError": "builtins.RuntimeError",
    "kafka.errors.TopicAlreadyExistsError": "kafka.errors.BrokerResponseError",
    "kafka.errors.TopicAuthorizationFailedError": "kafka.errors.BrokerResponseError",
    "kafka.errors.UnknownTopicOrPartitionError": "kafka.errors.BrokerResponseError",
    "keycloak.exceptions.KeycloakAuthenticationError": "keycloak.exceptions.KeycloakError",
    "keycloak.exceptions.KeycloakGetError": "keycloak.exceptions.KeycloakOperationError",
    "keycloak.exceptions.KeycloakOperationError": "keycloak.exceptions.KeycloakError",
    "keycloak.exceptions.KeycloakPostError": "keycloak.exceptions.KeycloakOperationError",
    "kubernetes.client.exceptions.ApiException": "kubernetes.client.exceptions.OpenApiException",
    "minio.error.S3Error": "minio.error.MinioException",
    "mlflow.exceptions.RestException": "mlflow.exceptions.MlflowException",
    "mux_python.exceptions.ApiException": "mux_python.exceptions.OpenApiException",
    "mux_python.exceptions.NotFoundException": "mux_python.exceptions.ApiException",
    "mux_python.exceptions.UnauthorizedException": "mux_python.exceptions.ApiException",
    "nats.js.errors.APIError": "nats.js.errors.Error",
    "nats.js.errors.BadRequestError": "nats.js.errors.APIError",
    "nats.js.errors.Error": "nats.errors.Error",
    "nats.js.errors.KeyWrongLastSequenceError": "nats.js.errors.BadRequestError",
    "nats.js.errors.NotFoundError": "nats.js.errors.APIError",
    "odoorpc.error.RPCError": "odoorpc.error.Error",
    "onshape_client.oas.exceptions.ApiException": "onshape_client.oas.exceptions.OpenApiException",
    "psycopg.DatabaseError": "psycopg.Error",
    "psycopg.IntegrityError": "psycopg.DatabaseError",
    "psycopg.InternalError": "psycopg.DatabaseError",
    "psycopg.OperationalError": "psycopg.DatabaseError",
    "psycopg.ProgrammingError": "psycopg.DatabaseError",
    "psycopg.errors.ExclusionViolation": "psycopg.IntegrityError",
    "psycopg.errors.ForeignKeyViolation": "psycopg.IntegrityError",
    "psycopg.errors.InsufficientPrivilege": "psycopg.ProgrammingError",
    "psycopg.errors.QueryCanceled": "psycopg.OperationalError",
    "psycopg.errors.ReadOnlySqlTransaction": "psycopg.InternalError",
    "psycopg.errors.UndefinedColumn": "psycopg.ProgrammingError",
    "psycopg.errors.UndefinedTable": "psycopg.ProgrammingError",
    "pydiscourse.exceptions.DiscourseClientError": "pydiscourse.exceptions.DiscourseError",
    "pydiscourse.exceptions.DiscourseError": "requests.exceptions.HTTPError",
    "pydiscourse.exceptions.DiscourseRateLimitedError": "pydiscourse.exceptions.DiscourseError",
    "pymongo.errors.BulkWriteError": "pymongo.errors.OperationFailure",
    "pymongo.errors.ExecutionTimeout": "pymongo.errors.OperationFailure",
    "pymongo.errors.OperationFailure": "pymongo.errors.PyMongoError",
    "requests.exceptions.HTTPError": "requests.exceptions.RequestException",
    "requests.exceptions.ReadTimeout": "requests.exceptions.Timeout",
    "requests.exceptions.RequestException": "builtins.OSError",
    "requests.exceptions.Timeout": "requests.exceptions.RequestException",
    "slack_sdk.errors.SlackApiError": "slack_sdk.errors.SlackClientError",
    "spotipy.exceptions.SpotifyException": "spotipy.exceptions.SpotifyBaseException",
    "stripe._error.APIConnectionError": "stripe._error.StripeError",
    "stripe._error.AuthenticationError": "stripe._error.StripeError",
    "stripe._error.InvalidRequestError": "stripe._error.StripeErrorWithParamCode",
    "stripe._error.StripeErrorWithParamCode": "stripe._error.StripeError",
    "twilio.base.exceptions.TwilioRestException": "twilio.base.exceptions.TwilioException",
    "urllib3.exceptions.ReadTimeoutError": "urllib3.exceptions.TimeoutError",
    "urllib3.exceptions.TimeoutError": "urllib3.exceptions.HTTPError",
    "zabbix_utils.exceptions.APIRequestError": "zabbix_utils.exceptions.ModuleBaseException",
    "zabbix_utils.exceptions.ProcessingError": "zabbix_utils.exceptions.ModuleBaseException",
    "zeep.exceptions.Fault": "zeep.exceptions.Error",
}


class Response:
    """What HTTP clients hang on their exceptions."""

    def __init__(self, status_code: int, text: str, headers: dict[str, str], **more: Any) -> None:
        self.status_code, self.text, self.headers = status_code, text, headers_of(headers)
        self.content = text.encode()
        self.__dict__.update(more)

    def json(self) -> Any:
        """The body, decoded."""
        return json.loads(self.text)


class Httplib2Response(dict[str, Any]):
    """The headers and the status in one mapping, as httplib2 has them."""

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__({key: str(value) for key, value in fields.items()})
        self.status, self.reason = fields["status"], fields["reason"]


def headers_of(fields: dict[str, str]) -> Message:
    """Headers that are read without regard to case."""
    headers = Message()
    for name, value in fields.items():
        headers[name] = value
    return headers


@functools.cache
def class_of(qualified: str) -> type[Exception]:
    """The real class where Python has it, else one of that name and those bases."""
    module, _, name = qualified.rpartition(".")
    root, *path = qualified.split(".")
    if root in sys.stdlib_module_names:
        found: Any = importlib.import_module(root)
        for part in path:
            found = getattr(found, part)
        return found
    base = class_of(BASES.get(qualified, "builtins.Exception"))
    return type(name, (base,), {"__module__": module})


def attribute(name: str, value: Any) -> Any:
    """The value as the library would have it."""
    match name:
        case "response":
            return Response(**value)
        case "request":
            return SimpleNamespace(**value)
        case "resp":
            return Httplib2Response(value)
        case "headers":
            return headers_of(value)
        case _:
            return value


def exception_of(raises: dict[str, Any]) -> Exception:
    """The exception that a scenario describes."""
    arguments = (one["$bytes"].encode() if isinstance(one, dict) else one for one in raises["args"])
    exception = class_of(raises["type"])(*arguments)
    for name, value in raises.get("attributes", {}).items():
        setattr(exception, name, attribute(name, value))
    return exception
