"""docker, kubernetes and paramiko: the real libraries against services on loopback."""

from __future__ import annotations

import contextlib
import gc
import socket
import threading

import docker
import docker.errors
import kubernetes
import paramiko
import pytest

from mulligan.plugin import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

MISSING, CONFLICT, WRONG = ResourceNotFoundError, ResourceConflictError, ToolArgumentError


def raise_(exception):
    raise exception


@pytest.fixture
def daemon(service):
    with contextlib.closing(
        docker.DockerClient(base_url=service.url.replace("http", "tcp"), version="1.43", timeout=3)
    ) as client:
        client.replies = service.replies
        yield client


DOCKER = [
    (404, "No such container: web1", MISSING, "web1", False),
    (404, "No such image: app:latest", MISSING, "app:latest", False),
    (404, "network backend not found", MISSING, "backend", False),
    (404, "get data: no such volume", MISSING, "data", False),
    (404, "manifest for app:9 not found: manifest unknown", MISSING, "app:9", False),
    (404, "pull access denied for acme/app, repository does not exist or may require 'docker login'", MISSING, "acme/app", False),
    (400, 'exec: "nosuch": executable file not found in $PATH', MISSING, "nosuch", False),
    (400, "invalid reference format", WRONG, None, False),
    (409, 'Conflict. The container name "/web1" is already in use by container "abc".', CONFLICT, "web1", False),
    (409, "container abc is not running", CONFLICT, None, False),
    (500, "Bind for 0.0.0.0:80 failed: port is already allocated", CONFLICT, None, False),
    (503, "This node is not a swarm manager.", CONFLICT, None, False),
    (500, "unauthorized: incorrect username or password", ToolAuthenticationError, None, True),
    (429, "toomanyrequests: You have reached your pull rate limit.", ToolRateLimitError, None, False),
    (500, "write /var/lib/docker/tmp/x: no space left on device", ToolQuotaError, None, True),
    (500, "Get https://registry-1.docker.io/v2/: dial tcp: lookup registry-1.docker.io: no such host", ToolConnectionError,
     "registry-1.docker.io", True),
    (500, "Get https://r.example/v2/: net/http: TLS handshake timeout", ToolTimeoutError, None, False),
    (500, "something else", ToolUnavailableError, None, False),
]  # fmt: skip


@pytest.mark.parametrize(("status", "text", "cls", "resource", "fatal"), DOCKER, ids=[one[1][:40] for one in DOCKER])
def test_what_the_docker_daemon_answers(classify, daemon, status, text, cls, resource, fatal):
    daemon.replies["GET /v1.43/containers/web1/json"] = (status, {"message": text})
    error = classify(lambda: daemon.containers.get("web1"))
    assert (type(error), error.resource, error.fatal, error.http_status) == (cls, resource, fatal, status)
    assert (error.provider, error.rule) == ("docker", "mulligan_ops:api")
    if "pull access denied" in text:
        assert "may also be private" in error.message


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a client that fails leaves its socket
def test_docker_s_client(classify, daemon, closed_port, tmp_path):
    gone = classify(lambda: docker.DockerClient(base_url=f"tcp://127.0.0.1:{closed_port}", timeout=1))
    assert (type(gone), gone.fatal, gone.effect) == (ToolConnectionError, True, "none")
    socketless = classify(lambda: docker.DockerClient(base_url=f"unix://{tmp_path}/none.sock", timeout=1))
    assert type(socketless) is ToolConnectionError
    assert (
        type(classify(lambda: docker.DockerClient(base_url="tcp://127.0.0.1:1", version="0.1"))) is ToolExecutionError
    )
    assert type(classify(lambda: daemon.api.inspect_container(None))) is WRONG
    ended = classify(lambda: raise_(docker.errors.ContainerError("abc", 3, "app", "image", b"KeyError: 'x'")))
    assert (type(ended), ended.message) == (ToolExecutionError, "The program in the container ended with exit code 3.")
    denied = docker.errors.DockerException(
        "Error while fetching server API version: PermissionError(13, 'Permission denied')"
    )
    error = classify(lambda: raise_(denied))
    assert (type(error), error.fatal) == (ToolPermissionError, True)
    gc.collect()


@pytest.fixture
def cluster(service):
    configuration = kubernetes.client.Configuration(host=service.url)
    configuration.retries = False
    with kubernetes.client.ApiClient(configuration) as api:
        client = kubernetes.client.CoreV1Api(api)
        client.replies = service.replies
        yield client


KUBERNETES = [
    (404, "NotFound", 'pods "web" not found', MISSING, "web", False),
    (401, "Unauthorized", "Unauthorized", ToolAuthenticationError, "web", True),
    (403, "Forbidden", 'pods "web" is forbidden: User "u" cannot get resource', ToolPermissionError, "web", True),
    (403, "Forbidden", 'pods "web" is forbidden: exceeded quota: small', ToolQuotaError, "web", True),
    (409, "AlreadyExists", 'pods "web" already exists', CONFLICT, "web", False),
    (409, "Conflict", "Operation cannot be fulfilled", CONFLICT, "web", False),
    (410, "Expired", "too old resource version", MISSING, "web", False),
    (422, "Invalid", 'Pod "web" is invalid', WRONG, "web", False),
    (429, "TooManyRequests", "too many requests", ToolRateLimitError, "web", False),
    (500, "InternalError", "boom", ToolUnavailableError, "web", False),
    (504, "Timeout", "Timeout: request did not complete", ToolTimeoutError, "web", False),
]


@pytest.mark.parametrize(
    ("status", "reason", "text", "cls", "resource", "fatal"), KUBERNETES, ids=[one[1] for one in KUBERNETES]
)
def test_what_the_kubernetes_api_answers(classify, cluster, status, reason, text, cls, resource, fatal):
    causes = [{"field": "spec.containers[0].image", "message": "Required value", "reason": "FieldValueRequired"}]
    details = {"name": "web", "kind": "pods", "causes": causes if reason == "Invalid" else [], "retryAfterSeconds": 7}
    body = {
        "kind": "Status",
        "status": "Failure",
        "reason": reason,
        "message": text,
        "code": status,
        "details": details,
    }
    cluster.replies["GET /api/v1/namespaces/default/pods/web"] = (status, body)
    error = classify(lambda: cluster.read_namespaced_pod("web", "default"))
    assert (type(error), error.resource, error.fatal, error.http_status) == (cls, resource, fatal, status)
    assert (error.provider, error.rule) == ("kubernetes", "mulligan_ops:kubernetes_answer")
    assert cls is not ToolRateLimitError or error.retry_after == 7
    assert [problem.pointer for problem in error.problems] == (
        ["/spec/containers/0/image"] if reason == "Invalid" else []
    )
    if cls is CONFLICT:
        assert error.code == ("ALREADY_EXISTS" if reason == "AlreadyExists" else "ABORTED")


def test_kubernetes_without_a_status_object(classify, cluster):
    error = classify(lambda: cluster.read_namespaced_pod("gone", "default"))
    assert (type(error), error.http_status) == (MISSING, 404)
    handshake = kubernetes.client.ApiException(status=0, reason="Handshake status 403 Forbidden -+-+- {}")
    assert type(classify(lambda: raise_(handshake))) is ToolPermissionError


def test_kubernetes_client(classify, cluster, tmp_path):
    wrong = classify(lambda: cluster.read_namespaced_pod(None, "default"))
    assert type(wrong) is WRONG
    config = classify(lambda: kubernetes.config.load_kube_config(str(tmp_path / "none")))
    assert (type(config), config.fatal) == (ToolAuthenticationError, True)


KEY = paramiko.RSAKey.generate(2048)


class Host(paramiko.ServerInterface):
    def check_auth_password(self, username, password):
        return paramiko.AUTH_SUCCESSFUL if password == "right" else paramiko.AUTH_FAILED

    def get_allowed_auths(self, username):
        return "password"

    def check_channel_request(self, kind, chanid):
        return paramiko.OPEN_SUCCEEDED


@pytest.fixture
def host():
    listener, transports = socket.create_server(("127.0.0.1", 0)), []

    def serve():
        with contextlib.suppress(OSError):
            while True:
                transport = paramiko.Transport(listener.accept()[0])
                transports.append(transport)
                transport.add_server_key(KEY)
                with contextlib.suppress(paramiko.SSHException, EOFError):
                    transport.start_server(server=Host())

    threading.Thread(target=serve, daemon=True).start()
    yield listener.getsockname()[1]
    listener.close()
    for transport in transports:
        transport.close()


def connect(port, act=lambda client: None, password="right", policy=paramiko.AutoAddPolicy, known=None):
    with paramiko.SSHClient() as client:
        client.set_missing_host_key_policy(policy())
        if known is not None:
            client.get_host_keys().add(f"[127.0.0.1]:{port}", known.get_name(), known)
        client.connect("127.0.0.1", port, "u", password, allow_agent=False, look_for_keys=False, timeout=5)
        act(client)


def test_ssh_credentials(classify, host):
    error = classify(lambda: connect(host, password="wrong"))
    assert (type(error), error.fatal, error.effect) == (ToolAuthenticationError, True, "none")
    assert (error.provider, error.rule) == ("ssh", "mulligan_ops:ssh_credentials")


def test_ssh_host_keys(classify, host):
    unknown = classify(lambda: connect(host, policy=paramiko.RejectPolicy))
    changed = classify(lambda: connect(host, known=paramiko.RSAKey.generate(2048)))
    assert [type(error) for error in (unknown, changed)] == [ToolConnectionError] * 2
    assert all(error.fatal and "not the known one" in error.message for error in (unknown, changed))


def test_ssh_that_nobody_answers(classify, closed_port, service):
    gone = classify(lambda: connect(closed_port))
    assert (type(gone), gone.fatal, gone.rule) == (ToolConnectionError, True, "mulligan_ops:ssh_unreachable")
    assert not classify(lambda: connect(closed_port), host="127.0.0.1").fatal
    banner = classify(lambda: connect(int(service.url.rpartition(":")[2])))
    assert type(banner) is ToolConnectionError


def test_ssh_channels(classify, host):
    refused = classify(
        lambda: connect(
            host, lambda client: client.get_transport().open_channel("direct-tcpip", *2 * [("127.0.0.1", 1)])
        )
    )
    assert (type(refused), refused.rule) == (ToolPermissionError, "mulligan_ops:ssh_channel")
    closed = classify(lambda: connect(host, lambda client: (client.get_transport().close(), client.exec_command("ls"))))
    assert (type(closed), closed.fatal, closed.transient) == (ToolConnectionError, False, True)
    for code, cls in ((2, ToolConnectionError), (3, ToolExecutionError), (4, ToolUnavailableError)):
        assert type(classify(lambda code=code: raise_(paramiko.ChannelException(code)))) is cls


def test_ssh_other_classes(classify):
    for exception, cls in (
        (paramiko.PasswordRequiredException("Private key file is encrypted"), ToolAuthenticationError),
        (paramiko.SSHException("No authentication methods available"), ToolAuthenticationError),
        (paramiko.ProxyCommandFailure("nc h 22", "boom"), ToolConnectionError),
        (paramiko.SSHException("Timeout opening channel."), ToolTimeoutError),
        (paramiko.SSHException("took 404 ms"), ToolExecutionError),
    ):
        assert type(classify(lambda exception=exception: raise_(exception))) is cls
