"""docker and kubernetes, and their asynchronous kin: the real libraries against services on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import gc

import aiodocker
import aiohttp
import docker
import docker.errors
import kubernetes
import kubernetes.dynamic.exceptions
import kubernetes_asyncio
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
    (409, "container abc is not running", CONFLICT, "abc", False),
    (500, "Bind for 0.0.0.0:80 failed: port is already allocated", CONFLICT, None, False),
    (503, "This node is not a swarm manager.", CONFLICT, None, False),
    (500, "unauthorized: incorrect username or password", ToolAuthenticationError, None, True),
    (429, "toomanyrequests: You have reached your pull rate limit.", ToolRateLimitError, None, False),
    (500, "write /var/lib/docker/tmp/x: no space left on device", ToolQuotaError, None, True),
    (500, "Get https://registry-1.docker.io/v2/: dial tcp: lookup registry-1.docker.io: no such host", ToolConnectionError,
     "registry-1.docker.io", True),
    (500, "Get https://r.example/v2/: net/http: TLS handshake timeout", ToolTimeoutError, None, False),
    (500, "something else", ToolUnavailableError, "web1", False),
]  # fmt: skip


@pytest.mark.parametrize(("status", "text", "cls", "resource", "fatal"), DOCKER, ids=[one[1][:40] for one in DOCKER])
def test_what_the_docker_daemon_answers(classify, daemon, status, text, cls, resource, fatal):
    daemon.replies["GET /v1.43/containers/web1/json"] = (status, {"message": text})
    error = classify(lambda: daemon.containers.get("web1"))
    assert (type(error), error.resource, error.fatal, error.http_status) == (cls, resource, fatal, status)
    assert (error.provider, error.rule) == ("docker", "mulligan_ops:api")
    if "pull access denied" in text:
        assert "may also be private" in error.message


@pytest.fixture
def leaky():
    """Lets what a client leaves open go away within the test that made it."""
    yield
    gc.collect()


unclosed = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a client leaves its socket


@unclosed
@pytest.mark.usefixtures("leaky")
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
    assert (type(ended), ended.message) == (ToolExecutionError, "The program in the container exited with exit code 3.")
    denied = docker.errors.DockerException(
        "Error while fetching server API version: PermissionError(13, 'Permission denied')"
    )
    error = classify(lambda: raise_(denied))
    assert (type(error), error.fatal) == (ToolPermissionError, True)


WAYS = [
    ("/slow", ToolTimeoutError, False, "possible"),
    ("/reset", ToolConnectionError, False, "possible"),
    ("/empty", ToolConnectionError, False, "possible"),
    ("nobody", ToolConnectionError, True, "none"),
    ("https", ToolConnectionError, True, "none"),
]


@pytest.fixture(params=WAYS, ids=[one[0] for one in WAYS])
def way(request, service, closed_port):
    """An address, and what becomes of a request there."""
    path, *expected = request.param
    service.always = path
    url = {"nobody": f"http://127.0.0.1:{closed_port}", "https": service.url.replace("http:", "https:")}
    return url.get(path, service.url), expected


def post_docker(url):
    client = docker.APIClient(base_url=url.replace("http:", "tcp:"), version="1.43", timeout=1, tls=False)
    with contextlib.closing(client):
        client.create_container("app")


def post_kubernetes(url):
    configuration = kubernetes.client.Configuration(host=url)
    configuration.retries = False
    with kubernetes.client.ApiClient(configuration) as api:
        kubernetes.client.CoreV1Api(api).create_namespace({}, _request_timeout=1)


async def _post_kubernetes(url):
    async with kubernetes_asyncio.client.ApiClient(kubernetes_asyncio.client.Configuration(host=url)) as api:
        await kubernetes_asyncio.client.CoreV1Api(api).create_namespace({}, _request_timeout=1)


async def _post_docker(url):
    client = aiodocker.Docker(url=url, api_version="v1.43", timeout=aiohttp.ClientTimeout(total=1))
    try:
        await client.containers.create({"Image": "app"})
    finally:
        await client.close()


POSTS = {
    "docker": (post_docker, "docker"),
    "kubernetes": (post_kubernetes, "kubernetes"),
    "kubernetes_asyncio": (lambda url: asyncio.run(_post_kubernetes(url)), "kubernetes"),
    "aiodocker": (lambda url: asyncio.run(_post_docker(url)), "docker"),
}


@unclosed
@pytest.mark.usefixtures("leaky")
@pytest.mark.parametrize("library", POSTS)
def test_what_happens_on_the_way_to_a_service(classify, library, way):
    (post, provider), (url, (cls, fatal, effect)) = POSTS[library], way
    error = classify(lambda: post(url))
    assert (type(error), error.fatal, error.effect, error.provider) == (cls, fatal, effect, provider)
    assert error.http_status is None


def test_aiodocker(classify, service):
    async def start():
        client = aiodocker.Docker(url=service.url, api_version="v1.43")
        try:
            await client.containers.get("web1")
        finally:
            await client.close()

    service.replies["GET /v1.43/containers/web1/json"] = (404, {"message": "No such container: web1"})
    error = classify(lambda: asyncio.run(start()))
    assert (type(error), error.resource, error.http_status, error.provider) == (MISSING, "web1", 404, "docker")
    pulled = aiodocker.exceptions.DockerStreamError("toomanyrequests: You have reached your pull rate limit.")
    error = classify(lambda: raise_(pulled))
    assert (type(error), error.http_status, error.effect) == (ToolRateLimitError, None, "possible")
    context = aiodocker.exceptions.DockerContextInvalidError("no meta.json", "prod")
    assert type(classify(lambda: raise_(context))) is ToolExecutionError


def test_kubernetes_manifests(classify, cluster, service):
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}}
    body = {"kind": "Status", "reason": "AlreadyExists", "message": "there", "code": 409, "details": {"name": "web"}}
    service.replies["POST /api/v1/namespaces/default/configmaps"] = (409, body)
    error = classify(lambda: kubernetes.utils.create_from_dict(cluster.api_client, manifest))
    assert (type(error), error.resource, error.effect) == (CONFLICT, "web", "possible")
    assert (error.provider, error.rule) == ("kubernetes", "mulligan_ops:kubernetes_created")
    unknown = kubernetes.dynamic.exceptions.ResourceNotFoundError("No matches found for {'kind': 'Nope'}")
    assert type(classify(lambda: raise_(unknown))) is WRONG


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
    (410, "Expired", "too old resource version", CONFLICT, "web", False),
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
