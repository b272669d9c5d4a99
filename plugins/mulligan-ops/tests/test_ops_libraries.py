"""docker and kubernetes, and their asynchronous kin: the real libraries against services on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import io
import json
import socket

import aiodocker
import aiohttp
import docker
import docker.credentials.errors
import docker.errors
import docker.utils.json_stream
import docker.utils.socket
import kubernetes
import kubernetes.aio
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


def test_output_of_docker_that_cannot_be_read(classify):
    def read():
        one, other = socket.socketpair()
        with one, other:
            other.close()
            docker.utils.socket.read_exactly(one, 8)

    for reading in (lambda: list(docker.utils.json_stream.json_stream(["{no}"])), read):
        error = classify(reading)
        assert (type(error), error.fatal, error.effect) == (ToolConnectionError, False, "possible")
        assert (error.provider, error.message) == ("docker", "The connection to Docker was dropped mid-request.")


@unclosed
@pytest.mark.usefixtures("leaky")
@pytest.mark.filterwarnings("ignore:docker-credential-nowhere")
def test_a_build_of_docker_whose_credential_store_is_not_there(classify, service, tmp_path, monkeypatch):
    (tmp_path / "config.json").write_text(json.dumps({"credsStore": "nowhere"}))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    url = service.url.replace("http", "tcp")
    with contextlib.closing(docker.DockerClient(base_url=url, version="1.43", timeout=3)) as client:
        error = classify(lambda: client.images.build(fileobj=io.BytesIO(b"FROM app"), tag="app"))
    assert isinstance(error.__cause__, docker.credentials.errors.StoreError)
    assert (type(error), error.fatal, error.provider) == (ToolAuthenticationError, True, "docker")
    assert error.message == "Docker's credential store returned no credentials."


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
    stream = classify(lambda: raise_(kubernetes.client.ApiException(status=0, reason="Invalid frame")))
    assert (type(stream), stream.provider) == (ToolExecutionError, "kubernetes")
    assert stream.message == "The Kubernetes client failed."


def status_object(reason, code, message, causes=(), **details):
    details = {"kind": "pods", "causes": list(causes), **details}
    body = {"kind": "Status", "status": "Failure", "reason": reason, "message": message, "code": code}
    return code, {**body, "details": details}


ANON = 'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group ""'
SECURITY = 'pods "web" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false'
HOOK = 'admission webhook "validate.example.com" denied the request: label team is required'
ENDING = 'pods "web" is forbidden: unable to create new content in namespace x because it is being terminated'
WAITING = 'container "web" in pod "web" is waiting to start: ContainerCreating'
EVICTION = "Cannot evict pod as it would violate the pod's disruption budget."
OWNED = 'Apply failed with 1 conflict: conflict with "kubectl" using apps/v1: .spec.replicas'
SAME_REASON = [
    ("Forbidden", 403, ANON, ToolAuthenticationError, True, False),
    ("Forbidden", 403, SECURITY, WRONG, False, False),
    ("Forbidden", 403, HOOK, WRONG, False, False),
    ("BadRequest", 400, HOOK, WRONG, False, False),
    ("Forbidden", 403, ENDING, CONFLICT, False, True),
    ("BadRequest", 400, WAITING, CONFLICT, False, True),
    ("TooManyRequests", 429, EVICTION, CONFLICT, False, True),
    ("Conflict", 409, OWNED, CONFLICT, False, False),
    ("Gone", 410, "too old resource version: 1 (2)", CONFLICT, False, False),
]


@pytest.mark.parametrize(
    ("reason", "code", "message", "cls", "fatal", "transient"),
    SAME_REASON,
    ids=[f"{one[0]}-{one[2][:40]}" for one in SAME_REASON],
)
def test_one_reason_of_kubernetes_stands_for_several_things(
    classify, cluster, reason, code, message, cls, fatal, transient
):
    cluster.replies["GET /api/v1/namespaces/default/pods/web"] = status_object(reason, code, message)
    error = classify(lambda: cluster.read_namespaced_pod("web", "default"), name="web", namespace="default")
    assert (type(error), error.fatal, error.transient, error.effect) == (cls, fatal, transient, "none")
    assert (error.provider, error.http_status) == ("kubernetes", code)


def test_an_expired_list_of_kubernetes_is_to_be_listed_again(classify, cluster):
    cluster.replies["GET /api/v1/namespaces/default/pods/web"] = status_object("Expired", 410, "too old")
    listed = classify(lambda: cluster.read_namespaced_pod("web", "default"))
    watched = classify(
        lambda: raise_(kubernetes.client.ApiException(status=410, reason="Expired: too old resource version: 1 (2)"))
    )
    for error in (listed, watched):
        assert (type(error), error.code, error.fatal) == (CONFLICT, "ABORTED", False)
        assert "list again" in error.message


FIELDS = [
    ("metadata.labels[app.kubernetes.io/name]", "FieldValueInvalid", "/metadata/labels/app.kubernetes.io~1name"),
    ("spec.containers[0].image", "FieldValueRequired", "/spec/containers/0/image"),
    ("data[a.b]", "FieldValueInvalid", "/data/a.b"),
    (".spec.replicas", "FieldManagerConflict", "/spec/replicas"),
]


def test_each_field_of_a_kubernetes_object_is_pointed_at_in_the_argument_that_is_the_object(classify, cluster):
    causes = [{"field": field, "reason": reason, "message": "x"} for field, reason, _ in FIELDS]
    cluster.replies["POST /api/v1/namespaces/default/pods"] = status_object("Invalid", 422, "invalid", causes)
    manifest = {"kind": "Pod", "metadata": {}, "spec": {}, "data": {}}

    def create():
        cluster.create_namespaced_pod("default", {"metadata": {}})

    bare, within = classify(create), classify(create, namespace="default", manifest=manifest)
    assert [problem.pointer for problem in bare.problems] == [pointer for *_, pointer in FIELDS]
    assert [problem.pointer for problem in within.problems] == [f"/manifest{pointer}" for *_, pointer in FIELDS]
    assert [problem.message for problem in bare.problems] == [
        "is not valid",
        "is required",
        "is not valid",
        "belongs to another manager",
    ]


def test_fields_that_kubernetes_names_in_its_message(classify, cluster):
    text = "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"
    cluster.replies["POST /api/v1/namespaces/default/pods"] = status_object("BadRequest", 400, text)
    error = classify(lambda: cluster.create_namespaced_pod("default", {}))
    assert [(one.pointer, one.message) for one in error.problems] == [("/spec/replicas", "has the wrong type")]


CLIENTS = [kubernetes.client, kubernetes_asyncio.client, kubernetes.aio.client]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.__name__)
def test_every_client_of_kubernetes_is_understood_alike(classify, client):
    answer = json.dumps(status_object("NotFound", 404, 'pods "web" not found', name="web")[1])
    exception = client.ApiException(status=404, reason="Not Found")
    exception.body = answer
    error = classify(lambda: raise_(exception))
    assert (type(error), error.resource, error.provider, error.http_status) == (MISSING, "web", "kubernetes", 404)
    config = {kubernetes.aio.client: kubernetes.aio.config}.get(client, kubernetes.config)
    missing = config.ConfigException("Invalid kube-config file. Expected object with name prod in x/contexts list")
    assert (type(classify(lambda: raise_(missing))), classify(lambda: raise_(missing)).resource) == (MISSING, "prod")


def test_a_handshake_of_kubernetes_holds_the_answer(classify):
    body = json.dumps(status_object("NotFound", 404, 'pods "web" not found', name="web")[1]).encode()
    refused = kubernetes.client.ApiException(status=0, reason=f"Handshake status 404 Not Found -+-+- {{}} -+-+- {body}")
    error = classify(lambda: raise_(refused))
    assert (type(error), error.resource, error.http_status) == (MISSING, "web", 404)
    unsendable = kubernetes.client.ApiException(status=0, reason="Cannot prepare a request message for provided")
    assert (type(classify(lambda: raise_(unsendable))), classify(lambda: raise_(unsendable)).effect) == (WRONG, "none")


REGISTRY = [
    (500, 'Head "https://ghcr.io/v2/acme/app/manifests/1": denied', ToolPermissionError, True),
    (500, 'Head "https://ghcr.io/v2/acme/app/manifests/1": unauthorized', ToolAuthenticationError, True),
    (500, "denied: requested access to the resource is denied", ToolPermissionError, True),
    (409, "removal of container web1 is already in progress", CONFLICT, False),
    (409, "container web1 is paused, unpause the container before stopping or killing", CONFLICT, False),
    (500, 'could not select device driver "nvidia" with capabilities: [[gpu]]', ToolExecutionError, False),
    (400, "conflicting options: host type networking can't be used with links", WRONG, False),
]


@pytest.mark.parametrize(("status", "text", "cls", "fatal"), REGISTRY, ids=[one[1][:40] for one in REGISTRY])
def test_what_a_registry_says_through_docker(classify, daemon, status, text, cls, fatal):
    daemon.replies["GET /v1.43/containers/web1/json"] = (status, {"message": text})
    error = classify(lambda: daemon.containers.get("web1"))
    assert (type(error), error.fatal, error.effect, error.provider) == (cls, fatal, "none", "docker")
    if cls in (ToolPermissionError, ToolAuthenticationError):
        assert error.message.startswith("The registry ")


def test_a_build_of_docker_that_failed(classify):
    step = docker.errors.BuildError("The command '/bin/sh -c false' returned a non-zero code: 1", iter([]))
    base = docker.errors.BuildError("pull access denied for acme/none, repository does not exist", iter([]))
    assert type(classify(lambda: raise_(step))) is ToolExecutionError
    assert (type(classify(lambda: raise_(base))), classify(lambda: raise_(base)).resource) == (MISSING, "acme/none")
    loose = docker.errors.DockerException("something new")
    assert (classify(lambda: raise_(loose)).message, classify(lambda: raise_(loose)).provider) == (
        "The Docker client failed.",
        "docker",
    )
