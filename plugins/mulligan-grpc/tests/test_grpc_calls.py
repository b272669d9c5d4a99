"""Calls that fail: real clients against a real server."""

import asyncio
import socket
import threading
from collections.abc import Callable
from typing import Any

import grpc
import grpc.aio
import pytest
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from mulligan import Pipeline
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

Serve = Callable[[Callable[[bytes, Any], bytes]], str]
Code = grpc.StatusCode


def call(address: str, timeout: float = 5) -> None:
    with grpc.insecure_channel(address) as channel:
        channel.unary_unary("/acme.Files/Get")(b"x", timeout=timeout)


def raised_by(call: Callable[[], object]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    return pytest.fail("nothing was raised")


def classified(pipeline: Pipeline, doing: Callable[[], object], arguments: dict[str, Any] | None = None) -> ToolError:
    error = pipeline.classify(raised_by(doing), tool="rpc", arguments=arguments)
    assert error is not None
    assert (error.rule or "").startswith("mulligan_grpc:")
    return error


def abort(code: Code, message: str = "no", *details: Message) -> Callable[[bytes, Any], bytes]:
    status = status_pb2.Status(code=code.value[0], message=message)
    for detail in details:
        packed = any_pb2.Any()
        packed.Pack(detail)
        status.details.append(packed)

    def behave(_request: bytes, context: Any) -> bytes:
        context.abort_with_status(rpc_status.to_status(status))
        return b""

    return behave


@pytest.mark.parametrize(
    ("code", "cls", "canonical"),
    [
        (Code.CANCELLED, ToolCancelledError, "CANCELLED"),
        (Code.UNKNOWN, ToolExecutionError, "UNKNOWN"),
        (Code.INVALID_ARGUMENT, ToolArgumentError, "INVALID_ARGUMENT"),
        (Code.DEADLINE_EXCEEDED, ToolTimeoutError, "DEADLINE_EXCEEDED"),
        (Code.NOT_FOUND, ResourceNotFoundError, "NOT_FOUND"),
        (Code.ALREADY_EXISTS, ResourceConflictError, "ALREADY_EXISTS"),
        (Code.PERMISSION_DENIED, ToolPermissionError, "PERMISSION_DENIED"),
        (Code.RESOURCE_EXHAUSTED, ToolRateLimitError, "RESOURCE_EXHAUSTED"),
        (Code.FAILED_PRECONDITION, ResourceConflictError, "FAILED_PRECONDITION"),
        (Code.ABORTED, ResourceConflictError, "ABORTED"),
        (Code.OUT_OF_RANGE, ToolArgumentError, "OUT_OF_RANGE"),
        (Code.UNIMPLEMENTED, ToolExecutionError, "UNIMPLEMENTED"),
        (Code.INTERNAL, ToolExecutionError, "INTERNAL"),
        (Code.UNAVAILABLE, ToolUnavailableError, "UNAVAILABLE"),
        (Code.DATA_LOSS, ToolExecutionError, "DATA_LOSS"),
        (Code.UNAUTHENTICATED, ToolAuthenticationError, "UNAUTHENTICATED"),
    ],
)
def test_every_status(pipeline: Pipeline, serve: Serve, code: Code, cls: type[ToolError], canonical: str) -> None:
    error = classified(pipeline, lambda: call(serve(abort(code))))

    assert (type(error), error.code, error.fatal) == (cls, canonical, cls.fatal)
    assert (error.provider, error.http_status) == (None, None)


def test_the_asyncio_api_says_the_same(pipeline: Pipeline, serve: Serve) -> None:
    wait = error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=7))
    address = serve(abort(Code.RESOURCE_EXHAUSTED, "slow down", wait))

    async def ask() -> None:
        async with grpc.aio.insecure_channel(address) as channel:
            await channel.unary_unary("/acme.Files/Get")(b"x", timeout=5)

    error = classified(pipeline, lambda: asyncio.run(ask()))

    assert (type(error), error.retry_after) == (ToolRateLimitError, 7)


def test_retry_info(pipeline: Pipeline, serve: Serve) -> None:
    wait = error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=7, nanos=250_000_000))

    error = classified(pipeline, lambda: call(serve(abort(Code.UNAVAILABLE, "busy", wait))))

    assert (type(error), error.retry_after) == (ToolUnavailableError, 7.25)


def test_resource_info(pipeline: Pipeline, serve: Serve) -> None:
    info = error_details_pb2.ResourceInfo(resource_type="file", resource_name="files/abc", owner="me")

    error = classified(pipeline, lambda: call(serve(abort(Code.NOT_FOUND, "gone", info))))

    assert (error.resource, error.message) == ("files/abc", "Resource not found: files/abc")


def test_without_resource_info_it_is_the_argument_that_the_message_names(pipeline: Pipeline, serve: Serve) -> None:
    address = serve(abort(Code.NOT_FOUND, "document orders/17 not found"))

    error = classified(pipeline, lambda: call(address), {"document": "orders/17", "fields": "all"})

    assert error.resource == "orders/17"


def test_bad_request(pipeline: Pipeline, serve: Serve) -> None:
    bad = error_details_pb2.BadRequest(
        field_violations=[{"field": "user.emails[1]", "description": "no"}, {"field": "age", "description": "no"}]
    )

    error = classified(pipeline, lambda: call(serve(abort(Code.INVALID_ARGUMENT, "no", bad))))

    assert [problem.pointer for problem in error.problems] == ["/user/emails/1", "/age"]


def test_a_quota_of_a_day(pipeline: Pipeline, serve: Serve) -> None:
    quota = error_details_pb2.QuotaFailure(violations=[{"subject": "project:1", "description": "Queries per day"}])
    wait = error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=3))

    used_up = classified(pipeline, lambda: call(serve(abort(Code.RESOURCE_EXHAUSTED, "no", quota))))
    for_now = classified(pipeline, lambda: call(serve(abort(Code.RESOURCE_EXHAUSTED, "no", quota, wait))))

    assert [(type(error), error.fatal) for error in (used_up, for_now)] == [
        (ToolQuotaError, True),
        (ToolRateLimitError, False),
    ]


def test_error_info_of_google(pipeline: Pipeline, serve: Serve) -> None:
    info = error_details_pb2.ErrorInfo(reason="API_KEY_INVALID", domain="googleapis.com")

    error = classified(pipeline, lambda: call(serve(abort(Code.INVALID_ARGUMENT, "no", info))))

    assert (type(error), error.provider) == (ToolAuthenticationError, "google")


def test_a_message_that_is_too_large(pipeline: Pipeline, serve: Serve) -> None:
    """The service did what it was asked to: only its answer is too large."""
    error = classified(pipeline, lambda: call(serve(lambda _request, _context: b"x" * 5_000_000)))

    assert (type(error), error.effect) == (ToolArgumentError, "possible")


@pytest.mark.parametrize(
    "bytes_", [b"", b"\xff" * 40, b"\x1a\xff\xff\xff\xff\x7f", b"\x1a\x02\x0a\x05", b"\x0b\x0b", b"\x1a\x00" * 500]
)
def test_details_that_are_none(pipeline: Pipeline, serve: Serve, bytes_: bytes) -> None:
    def behave(_request: bytes, context: Any) -> bytes:
        context.set_trailing_metadata((("grpc-status-details-bin", bytes_),))
        context.abort(Code.NOT_FOUND, "gone")
        return b""

    error = classified(pipeline, lambda: call(serve(behave)))

    assert (type(error), error.retry_after, error.problems) == (ResourceNotFoundError, None, ())


def test_nobody_listens(pipeline: Pipeline, dead: str) -> None:
    error = classified(pipeline, lambda: call(dead))

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")


def test_a_host_that_there_is_not(pipeline: Pipeline) -> None:
    error = classified(pipeline, lambda: call("files.example.invalid:443"))

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")


def test_a_server_that_speaks_of_its_own_connections(pipeline: Pipeline, serve: Serve) -> None:
    error = classified(
        pipeline, lambda: call(serve(abort(Code.UNAVAILABLE, "the shard failed to connect to all addresses")))
    )

    assert (type(error), error.fatal) == (ToolUnavailableError, False)


def test_no_answer_in_time(pipeline: Pipeline, serve: Serve) -> None:
    held = threading.Event()
    address = serve(lambda _request, _context: b"x" * held.wait(20))

    error = classified(pipeline, lambda: call(address, timeout=0.2))
    held.set()

    assert (type(error), error.effect, error.transient) == (ToolTimeoutError, "possible", True)


def test_a_connection_that_is_dropped(pipeline: Pipeline, serve: Serve) -> None:
    """A relay between client and server, which hangs up as soon as the server has the request."""
    asked, held = threading.Event(), threading.Event()

    def behave(_request: bytes, _context: Any) -> bytes:
        asked.set()
        held.wait(20)
        return b""

    host, port = serve(behave).split(":")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=relay, args=(listening, (host, int(port)), asked), daemon=True).start()
        error = classified(pipeline, lambda: call(f"127.0.0.1:{listening.getsockname()[1]}"))
    held.set()

    assert (type(error), error.fatal, error.transient, error.effect) == (ToolConnectionError, False, True, "possible")


def relay(listening: socket.socket, target: tuple[str, int], asked: threading.Event) -> None:
    with listening.accept()[0] as near, socket.create_connection(target) as far:
        threading.Thread(target=pump, args=(near, far), daemon=True).start()
        threading.Thread(target=pump, args=(far, near), daemon=True).start()
        asked.wait(20)
        near.shutdown(socket.SHUT_RDWR)
        far.shutdown(socket.SHUT_RDWR)


def pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(4_096):
            sink.sendall(data)
    except OSError:
        return


def test_a_channel_that_does_not_become_ready(pipeline: Pipeline, dead: str) -> None:
    with grpc.insecure_channel(dead) as channel:
        error = pipeline.classify(raised_by(lambda: grpc.channel_ready_future(channel).result(timeout=0.1)))

    assert type(error) is ToolTimeoutError


def test_a_future_that_was_cancelled(pipeline: Pipeline, serve: Serve) -> None:
    held = threading.Event()
    with grpc.insecure_channel(serve(lambda _request, _context: b"x" * held.wait(20))) as channel:
        future = channel.unary_unary("/acme.Files/Get").future(b"x", timeout=5)
        future.cancel()
        error = pipeline.classify(raised_by(future.result))
        held.set()

    assert type(error) is ToolCancelledError


@pytest.mark.parametrize(
    ("code", "cls"),
    [("NOT_FOUND", ResourceNotFoundError), ("UNAVAILABLE", ToolUnavailableError), ("ABORTED", ResourceConflictError)],
)
def test_grpclib(pipeline: Pipeline, code: str, cls: type[ToolError]) -> None:
    from grpclib.const import Status
    from grpclib.exceptions import GRPCError, StreamTerminatedError

    error = pipeline.classify(GRPCError(Status[code], "no"))
    ended = pipeline.classify(StreamTerminatedError("Stream reset by remote party, error_code: 8"))

    assert type(error) is cls
    assert (type(ended), ended.transient) == (ToolConnectionError, True)


def test_details_of_grpclib(pipeline: Pipeline) -> None:
    from grpclib.const import Status
    from grpclib.exceptions import GRPCError

    wait = error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=7))
    bad = error_details_pb2.BadRequest(field_violations=[{"field": "age", "description": "no"}])

    busy = pipeline.classify(GRPCError(Status.UNAVAILABLE, "busy", [wait, 3, None]))
    wrong = pipeline.classify(GRPCError(Status.INVALID_ARGUMENT, "no", [bad]))

    assert busy is not None
    assert wrong is not None
    assert (busy.retry_after, [problem.pointer for problem in wrong.problems]) == (7, ["/age"])


@pytest.mark.parametrize(
    ("code", "details", "cls", "effect", "transient"),
    [
        (Code.INTERNAL, "Received RST_STREAM with error code 2", ToolConnectionError, "possible", True),
        (Code.UNAVAILABLE, "Connection reset by peer", ToolConnectionError, "possible", True),
        (
            Code.UNAVAILABLE,
            "failed to connect to all addresses; last error: UNKNOWN: ipv4:10.0.0.1:443: Ssl handshake failed: "
            "SSL_ERROR_SSL: CERTIFICATE_VERIFY_FAILED",
            ToolConnectionError,
            "none",
            False,
        ),
        (Code.INTERNAL, "the shard received RST_STREAM", ToolExecutionError, "possible", False),
        (Code.RESOURCE_EXHAUSTED, "Sent message larger than max (9 vs. 4)", ToolArgumentError, "none", False),
        (
            Code.RESOURCE_EXHAUSTED,
            "CLIENT: Received message larger than max (9 vs. 4)",
            ToolArgumentError,
            "possible",
            False,
        ),
    ],
)
def test_what_the_library_itself_says(
    pipeline: Pipeline, code: Code, details: str, cls: type[ToolError], effect: str, transient: bool
) -> None:
    error = classified(pipeline, lambda: (_ for _ in ()).throw(Told(code, details, None)))

    assert (type(error), error.effect, error.transient) == (cls, effect, transient)


class Told(grpc.RpcError):
    """What an interceptor or another implementation may raise."""

    def __init__(self, code: Any, details: Any, metadata: Any) -> None:
        self._told = code, details, metadata

    def code(self) -> Any:
        return self._told[0]

    def details(self) -> Any:
        return self._told[1]

    def trailing_metadata(self) -> Any:
        return self._told[2]


@pytest.mark.parametrize("metadata", [None, 3, [3], [("grpc-status-details-bin", "text")], [("a", b"b", b"c")]])
def test_metadata_of_another_shape(pipeline: Pipeline, metadata: Any) -> None:
    error = classified(pipeline, lambda: (_ for _ in ()).throw(Told(Code.UNKNOWN, "Stream removed", metadata)))

    assert (type(error), error.transient) == (ToolConnectionError, True)


@pytest.mark.parametrize("code", [None, 5, "NOT_FOUND"])
def test_a_status_that_is_none_is_left_to_others(pipeline: Pipeline, code: Any) -> None:
    error = pipeline.classify(Told(code, None, None))

    assert error is not None
    assert not (error.rule or "").startswith("mulligan_grpc:")


def test_the_asyncio_api_misused(pipeline: Pipeline) -> None:
    error = classified(pipeline, lambda: (_ for _ in ()).throw(grpc.aio.UsageError("no")))

    assert (type(error), error.rule) == (ToolExecutionError, "mulligan_grpc:misused")


def test_the_model_reads_it(serve: Serve) -> None:
    """From the exception to the words, as the README promises."""
    import mulligan_grpc

    address = serve(abort(Code.NOT_FOUND, "gone", error_details_pb2.ResourceInfo(resource_name="files/abc")))

    def read_file(name: str) -> None:
        call(address)

    with Pipeline([read_file], plugins=[mulligan_grpc], autoload=False) as calling:
        content = calling.call("read_file", {"name": "abc"}).content

    assert content.startswith("Error executing tool read_file: Resource not found: files/abc")
    assert "taken effect" not in content
