"""Programs other than git: the real ones against a service on loopback, and what their documentation says they write."""

from __future__ import annotations

import sys

import fabric
import fabric.exceptions
import fabric.group
import invoke
import paramiko
import plumbum
import pytest
import sh

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


@pytest.mark.program("curl")
@pytest.mark.parametrize(
    ("status", "cls", "fatal"),
    [
        (400, WRONG, False),
        (401, ToolAuthenticationError, True),
        (403, ToolPermissionError, True),
        (404, MISSING, False),
        (429, ToolRateLimitError, False),
        (503, ToolUnavailableError, False),
    ],
)
def test_curl_and_an_http_status(run, service, status, cls, fatal):
    error = run("curl", "-sSf", f"{service.url}/{status}/x")
    assert (type(error), error.fatal, error.http_status) == (cls, fatal, status)
    assert (error.provider, error.rule) == ("curl", "mulligan_ops:curl")
    if cls is MISSING:
        assert error.resource == f"{service.url}/404/x"


@pytest.mark.program("curl")
@pytest.mark.parametrize(
    ("path", "options", "cls", "fatal", "effect"),
    [
        ("/reset", "", ToolConnectionError, False, "possible"),
        ("/empty", "", ToolConnectionError, False, "possible"),
        ("/slow", "-m 1", ToolTimeoutError, False, "possible"),
        ("/circle", "-L --max-redirs 3", ToolExecutionError, False, "possible"),
        ("/200", "-o /nowhere/x", ToolExecutionError, False, "possible"),
        ("/404", "-f -s", ToolExecutionError, False, "possible"),
        ("/200", "--nonsense", WRONG, False, "none"),
    ],
)
def test_curl_and_what_else_can_happen(run, service, path, options, cls, fatal, effect):
    silent = [] if "-s" in options.split() else ["-sS"]
    error = run("curl", *silent, *options.split(), service.url + path)
    assert (type(error), error.fatal, error.effect) == (cls, fatal, effect)
    assert error.rule == "mulligan_ops:curl"


@pytest.mark.program("curl")
def test_curl_and_addresses_that_lead_nowhere(run, service, closed_port):
    refused = run("curl", "-sS", f"http://127.0.0.1:{closed_port}")
    nameless = run("curl", "-sS", "http://api.example.invalid/")
    plain = run("curl", "-sS", service.url.replace("http:", "https:"))
    assert [type(error) for error in (refused, nameless, plain)] == [ToolConnectionError] * 3
    assert all(error.fatal and error.effect == "none" for error in (refused, nameless, plain))
    assert (refused.resource, nameless.resource) == ("127.0.0.1", "api.example.invalid")
    named = run("curl", "-sS", "http://api.example.invalid/", arguments={"url": "http://api.example.invalid/"})
    assert not named.fatal
    assert type(run("curl", "-sS", "foo://x")) is WRONG
    missing = run("curl", "-sS", "file:///nowhere.txt")
    assert (type(missing), missing.resource) == (MISSING, "/nowhere.txt")


@pytest.mark.program("wget")
def test_wget(run, service, closed_port):
    missing = run("wget", "-t1", "-O", "/dev/null", f"{service.url}/404/x")
    assert (type(missing), missing.http_status, missing.resource) == (MISSING, 404, f"{service.url}/404/x")
    assert type(run("wget", "-t1", "-O", "/dev/null", f"{service.url}/503/x")) is ToolUnavailableError
    assert type(run("wget", "-t1", "-O", "/dev/null", f"http://127.0.0.1:{closed_port}/")) is ToolConnectionError
    assert type(run("wget", "--nonsense")) is WRONG


@pytest.mark.program("ssh")
def test_ssh(run, service, closed_port):
    options = ["-F", "none", "-o", "BatchMode=yes", "-o", "UserKnownHostsFile=/dev/null"]
    refused = run("ssh", *options, "-p", str(closed_port), "u@127.0.0.1", "true")
    assert (type(refused), refused.fatal, refused.resource) == (ToolConnectionError, True, "127.0.0.1")
    nameless = run("ssh", *options, "u@host.example.invalid", arguments={"host": "host.example.invalid"})
    assert (type(nameless), nameless.fatal) == (ToolConnectionError, False)
    port = service.url.rpartition(":")[2]
    no_ssh = run("ssh", *options, "-p", port, "u@127.0.0.1")
    assert (type(no_ssh), no_ssh.fatal, no_ssh.transient) == (ToolConnectionError, False, True)
    assert type(run("ssh", *options, "-o", "Nonsense=x", "u@127.0.0.1")) is WRONG


@pytest.mark.program("docker")
def test_docker_without_a_daemon(run, closed_port):
    error = run("docker", "-H", f"tcp://127.0.0.1:{closed_port}", "ps")
    assert (type(error), error.fatal, error.provider) == (ToolConnectionError, True, "docker")
    assert type(run("docker", "nonsense")) is WRONG
    assert type(run("docker", "run", "--nonsense")) is WRONG


PODS = {"name": "pods", "singularName": "", "namespaced": True, "kind": "Pod", "verbs": ["get", "create"]}


@pytest.mark.program("kubectl")
def test_kubectl(run, service, closed_port):
    def status(code, reason, message):
        return code, {
            "kind": "Status",
            "apiVersion": "v1",
            "status": "Failure",
            "reason": reason,
            "message": message,
            "code": code,
        }

    pods = "/api/v1/namespaces/default/pods"
    service.replies.update({
        "GET /api": (200, {"kind": "APIVersions", "versions": ["v1"]}),
        "GET /apis": (200, {"kind": "APIGroupList", "apiVersion": "v1", "groups": []}),
        "GET /api/v1": (200, {"kind": "APIResourceList", "groupVersion": "v1", "resources": [PODS]}),
        f"GET {pods}/web": status(404, "NotFound", 'pods "web" not found'),
        f"GET {pods}/secret": status(403, "Forbidden", 'pods "secret" is forbidden: User "u" cannot get it'),
        f"GET {pods}/login": status(401, "Unauthorized", "Unauthorized"),
        f"POST {pods}": status(422, "Invalid", 'Pod "x" is invalid: spec.containers[0].image: Required value'),
    })  # fmt: skip
    kubectl = ["kubectl", "--server", service.url, "--request-timeout=9s"]
    missing = run(*kubectl, "get", "pod", "web")
    assert (type(missing), missing.resource, missing.provider) == (MISSING, "web", "kubernetes")
    assert type(run(*kubectl, "get", "pod", "secret")) is ToolPermissionError
    assert type(run(*kubectl, "get", "pod", "login")) is ToolAuthenticationError
    invalid = run(*kubectl, "run", "x", "--image=y")
    assert (type(invalid), invalid.problems[0].pointer) == (WRONG, "/spec/containers/0/image")
    assert type(run(*kubectl, "get", "nonsense")) is WRONG
    gone = run("kubectl", "--server", f"http://127.0.0.1:{closed_port}", "get", "pod")
    assert (type(gone), gone.fatal) == (ToolConnectionError, True)


@pytest.mark.program("npm")
def test_npm(run, service, closed_port):
    service.replies["GET /private"] = (401, {"error": "no"})
    missing = run("npm", "view", "nosuch", "--registry", service.url)
    assert (type(missing), missing.resource, missing.provider) == (MISSING, "nosuch", "npm")
    assert type(run("npm", "view", "private", "--registry", service.url)) is ToolAuthenticationError
    gone = run("npm", "view", "x", "--registry", f"http://127.0.0.1:{closed_port}")
    assert (type(gone), gone.fatal, gone.effect) == (ToolConnectionError, True, "none")
    script = run("npm", "run", "build")
    assert (type(script), script.resource.endswith("package.json")) == (MISSING, True)


def test_pip(run, service):
    pip = [sys.executable, "-m", "pip"]
    missing = run(*pip, "install", "--target", "x", "--index-url", f"{service.url}/simple", "nosuch")
    assert (type(missing), missing.resource, missing.provider) == (MISSING, "nosuch", "pip")
    file = run(*pip, "install", "-r", "nowhere.txt")
    assert (type(file), file.resource) == (MISSING, "nowhere.txt")
    archive = run(*pip, "install", "--target", "x", f"{service.url}/403/x-1.0.tar.gz")
    assert (type(archive), archive.http_status) == (ToolPermissionError, 403)
    assert type(run(*pip, "install", "!!!")) is WRONG
    assert type(run(*pip, "nonsense")) is WRONG
    shell = run(f"'{sys.executable}' -m pip show nosuch", shell=True)
    assert (type(shell), shell.resource) == (MISSING, "nosuch")


@pytest.mark.program("apt-get")
def test_apt(run):
    missing = run("apt-get", "install", "-s", "no-such-package-x")
    assert (type(missing), missing.resource, missing.provider) == (MISSING, "no-such-package-x", "apt")
    assert type(run("apt-get", "nonsense")) is WRONG


def test_limits_and_signals(run):
    late = run("timeout", "0.2", "sleep", "9")
    assert (type(late), late.effect) == (ToolTimeoutError, "possible")
    killed = run("sh", "-c", "kill -9 $$")
    assert (type(killed), killed.fatal) == (ToolExecutionError, False)
    assert killed.message == "The program was stopped by signal 9; it may have used too much memory."


def test_a_bare_exit_code(run):
    error = run("sh", "-c", "exit 3")
    assert (type(error), error.fatal, error.effect) == (ToolExecutionError, False, "possible")
    assert not error.rule.startswith("mulligan_ops")


WRITTEN = [
    ("ssh", 255, "u@h: Permission denied (publickey,password).", ToolAuthenticationError, None),
    ("ssh", 255, "Host key verification failed.", ToolConnectionError, None),
    ("ssh", 255, "ssh: connect to host h port 22: Connection timed out", ToolTimeoutError, "h"),
    ("scp", 1, "scp: /data/x.csv: No such file or directory", MISSING, "/data/x.csv"),
    ("rsync", 23, 'rsync: [sender] link_stat "/data/x" failed: No such file or directory (2)', MISSING, "/data/x"),
    ("docker", 1, "Error: No such container: web1", MISSING, "web1"),
    ("docker", 1, "Error response from daemon: pull access denied for acme/app, repository does not exist", MISSING, "acme/app"),
    ("docker", 125, 'docker: Error response from daemon: Conflict. The container name "/web1" is already in use', CONFLICT, "web1"),
    ("docker", 1, "toomanyrequests: You have reached your pull rate limit.", ToolRateLimitError, None),
    ("docker", 1, "write /var/lib/docker/x: no space left on device", ToolQuotaError, None),
    ("docker", 1, "permission denied while trying to connect to the Docker daemon socket", ToolPermissionError, None),
    ("docker", 127, 'exec: "nosuch": executable file not found in $PATH', MISSING, "nosuch"),
    ("kubectl", 1, 'Error from server (AlreadyExists): deployments.apps "web" already exists', CONFLICT, "web"),
    ("kubectl", 1, 'Error from server (Conflict): Operation cannot be fulfilled on pods "web"', CONFLICT, "web"),
    ("kubectl", 1, 'Error from server (Forbidden): pods "x" is forbidden: exceeded quota: small', ToolQuotaError, "x"),
    ("kubectl", 1, "error: timed out waiting for the condition", ToolTimeoutError, None),
    ("kubectl", 1, 'error: context "prod" does not exist', MISSING, "prod"),
    ("npm", 1, "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree", CONFLICT, None),
    ("npm", 1, "npm error code EACCES\nnpm error path /usr/lib/node_modules", ToolPermissionError, None),
    ("npm", 1, "npm error code ENOSPC\nnpm error nospc no space", ToolQuotaError, None),
    ("npm", 1, "npm error code ETIMEDOUT", ToolTimeoutError, None),
    ("npm", 1, "npm error code ECONNRESET", ToolConnectionError, None),
    ("npm", 1, "npm error code E503", ToolUnavailableError, None),
    ("npm", 1, 'npm error Missing script: "build"', MISSING, "build"),
    ("pip", 1, "WARNING: Retrying: Failed to establish a new connection\nERROR: No matching distribution found for x",
     ToolConnectionError, None),
    ("pip", 1, "ERROR: ResolutionImpossible: for help visit", CONFLICT, None),
    ("pip3", 1, "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/usr/x'",
     ToolPermissionError, "/usr/x"),
    ("pip", 1, "error: externally-managed-environment", CONFLICT, None),
    ("apt-get", 100, "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt)", CONFLICT,
     "/var/lib/dpkg/lock-frontend"),
    ("apt-get", 100, "E: Could not open lock file /var/x - open (13: Permission denied)\nE: ..., are you root?",
     ToolPermissionError, None),
    ("apt-get", 100, "W: Failed to fetch http://x/  Temporary failure resolving 'deb.debian.org'", ToolConnectionError, "deb.debian.org"),
    ("git", 128, "fatal: Authentication failed for 'https://x/'", ToolAuthenticationError, "https://x/"),
    ("git", 128, "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.",
     ToolAuthenticationError, None),
    ("git", 128, "ERROR: Repository not found.\nfatal: Could not read from remote repository.", MISSING, None),
    ("git", 128, "error: RPC failed; curl 56 Recv failure\nfatal: the remote end hung up unexpectedly", ToolConnectionError, None),
    ("git", 128, "Author identity unknown\n\n*** Please tell me who you are.", ToolExecutionError, None),
    ("git", 1, "remote: error: GH013: Repository rule violations found\n ! [remote rejected] main -> main (push declined due to rule)",
     ToolPermissionError, None),
    ("git", 1, "remote: error: this exceeds GitHub's file size limit of 100.00 MB\n ! [remote rejected] main (pre-receive hook declined)",
     WRONG, None),
    ("git", 1, "The following paths are ignored by one of your .gitignore files:\nx", WRONG, None),
    ("git", 128, "fatal: bad object abc", MISSING, "abc"),
    ("git", 128, "error: gpg failed to sign the data", ToolExecutionError, None),
    ("git", 128, "fatal: unable to auto-detect email address (got 'root@h.(none)')", ToolExecutionError, None),
    ("docker", 1, "ERROR: failed to solve: x:9: failed to resolve source metadata for docker.io/x:9: docker.io/x:9: not found",
     MISSING, "docker.io/x:9"),
    ("docker", 1, 'ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1',
     ToolExecutionError, None),
    ("docker", 1, 'service "web" refers to undefined volume data: invalid compose project', WRONG, "data"),
    ("docker", 1, "denied: requested access to the resource is denied", ToolPermissionError, None),
    ("kubectl", 1, 'Error from server (Forbidden): pods is forbidden: User "dev" cannot list resource "pods"', ToolPermissionError, None),
    ("kubectl", 1, 'Error from server: error when creating "x": admission webhook "a.b" denied the request: no', WRONG, None),
    ("kubectl", 1, "error: Apply failed with 1 conflict: conflict with kubectl: .spec.replicas", CONFLICT, None),
    ("kubectl", 1, 'Error from server (BadRequest): container "web" in pod "x" is waiting to start', CONFLICT, "web"),
    ("kubectl", 1, "Cannot evict pod as it would violate the pod's disruption budget.", CONFLICT, None),
    ("kubectl", 1, "error: a container name must be specified for pod x, choose one of: [a b]", WRONG, None),
    ("kubectl", 1, 'error: unable to upgrade connection: container not found ("web")', MISSING, "web"),
    ("npm", 1, "npm error code E403\nnpm error 403 You cannot publish over the previously published versions: 1.0.0.", CONFLICT, None),
    ("npm", 1, "npm error code EUSAGE\nnpm error `npm ci` can only install packages when your package.json and package-lock.json are in sync",
     CONFLICT, None),
    ("pip", 1, "error: metadata-generation-failed", ToolExecutionError, None),
    ("apt-get", 100, "E: Failed to fetch http://x/y.deb  401  Unauthorized [IP: 1.2.3.4 80]", ToolAuthenticationError, "http://x/y.deb"),
    ("apt-get", 100, "E: dpkg was interrupted, you must manually run 'dpkg --configure -a'", CONFLICT, None),
    ("apt-get", 1, "dpkg: error processing x:\n dependency problems - leaving unconfigured", CONFLICT, None),
    ("rsync", 12, "rsync: connection unexpectedly closed (0 bytes received so far) [sender]", ToolConnectionError, None),
    ("rsync", 30, "rsync error: timeout in data send/receive (code 30)", ToolTimeoutError, None),
    ("ssh", 255, "channel 0: open failed: connect failed: Connection refused\nstdio forwarding failed", ToolConnectionError, None),
    ("curl", 56, "curl: (56) CONNECT tunnel failed, response 407", ToolAuthenticationError, None),
    ("curl", 56, "curl: (56) Received HTTP code 403 from proxy after CONNECT", ToolConnectionError, None),
]  # fmt: skip
LOCAL = ("ERR! code", "EACCES", "Errno 13", "remote rejected")
MENDED = ("RESET", "hung up", "unexpectedly closed", "stdio forwarding")


@pytest.mark.parametrize(
    ("name", "code", "text", "cls", "resource"), WRITTEN, ids=[f"{one[0]}-{one[2][:30]}" for one in WRITTEN]
)
def test_what_programs_are_documented_to_write(run, program, name, code, text, cls, resource):
    program(name, code, text + "\n")
    error = run(name, "do", "it")
    assert (type(error), error.resource) == (cls, resource)
    assert error.rule.startswith("mulligan_ops:")
    assert error.provider is not None
    assert not error.message.startswith("The program failed")
    if cls is ToolPermissionError:
        assert error.fatal is not any(word in text for word in LOCAL)
    if cls is ToolConnectionError:
        assert error.fatal is not any(word in text for word in MENDED)


TRAPS = [
    "took 404 ms",
    "port 4040",
    "author not found in 4290 lines",
    "authored by fatal: nobody",
    "see image 401 for details",
]


@pytest.mark.parametrize("text", TRAPS)
@pytest.mark.parametrize("name", ["git", "curl", "ssh", "docker", "kubectl", "npm", "pip", "apt-get"])
def test_words_that_say_nothing(run, program, name, text):
    program(name, 99, f"{text}\n")
    error = run(name, "do", "it")
    assert (type(error), error.fatal) == (ToolExecutionError, False)


SENT = [
    ("git", 128, "fatal: unable to access 'http://x/': Operation timed out after 9 ms with 0 bytes received", ToolTimeoutError, "possible"),
    ("git", 128, "fatal: unable to access 'http://x/': Failed to connect to x port 80: Connection timed out", ToolTimeoutError, "none"),
    ("git", 128, "Resolving deltas: 50%\nerror: RPC failed; curl 56 Recv failure: Connection timed out", ToolConnectionError, "possible"),
    ("curl", 28, "curl: (28) Operation timed out after 9 milliseconds", ToolTimeoutError, "possible"),
    ("curl", 28, "curl: (28) Connection timed out after 9 milliseconds", ToolTimeoutError, "none"),
    ("wget", 4, "failed: Connection refused.", ToolConnectionError, "none"),
    ("wget", 4, "HTTP request sent, awaiting response... Read error (Connection timed out) in headers.", ToolTimeoutError, "possible"),
    ("wget", 4, "HTTP request sent, awaiting response... No data received.", ToolConnectionError, "possible"),
    ("wget", 4, "", ToolConnectionError, "possible"),
    ("ssh", 255, "client_loop: send disconnect: Broken pipe", ToolConnectionError, "possible"),
    ("kubectl", 1, "service/web created\nThe connection to the server h:6443 was refused", ToolConnectionError, "possible"),
    ("kubectl", 1, "The connection to the server h:6443 was refused", ToolConnectionError, "none"),
    ("rsync", 23, 'rsync: link_stat "/data/x" failed: No such file or directory (2)', MISSING, "possible"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "code", "text", "cls", "effect"), SENT, ids=[f"{one[0]}-{one[2][:40]}" for one in SENT]
)
def test_what_was_sent_may_have_taken_effect(run, program, name, code, text, cls, effect):
    program(name, code, text + "\n")
    error = run(name, "do", "it")
    assert (type(error), error.effect) == (cls, effect)
    assert error.rule.startswith("mulligan_ops:")


def test_an_address_that_curl_was_sent_on_to(run, program):
    program("curl", 7, "curl: (7) Failed to connect to b port 80 after 0 ms: Couldn't connect to server\n")
    assert run("curl", "-X", "POST", "http://a/").effect == "none"
    assert run("curl", "-sL", "-X", "POST", "http://a/").effect == "possible"
    assert run("curl", "-X", "POST", "http://a/", "http://b/").effect == "possible"


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (("docker", "run", "app"), 3, "The program in the container exited with code 3."),
        (("docker", "exec", "web", "ls"), 1, "The program in the container exited with code 1."),
        (("kubectl", "exec", "web", "--", "ls"), 1, "The program in the pod exited with code 1."),
    ],
)
def test_words_of_a_program_in_a_container(run, program, line, code, words):
    ended = "\ncommand terminated with exit code 1" if line[0] == "kubectl" else ""
    program(line[0], code, f"connection reset by peer: x.txt is in use, no space left on device{ended}\n")
    error = run(*line)
    assert (type(error), error.message, error.effect) == (ToolExecutionError, words, "possible")


def test_fields_that_kubectl_names(run, program):
    text = """The Deployment "web" is invalid:
* spec.template.spec.containers[0].image: Required value
* metadata.labels[app.kubernetes.io/name]: Invalid value: "a b": a valid label must be ..."""
    program("kubectl", 1, text)
    error = run("kubectl", "apply", "-f", "x")
    assert [(problem.pointer, problem.message) for problem in error.problems] == [
        ("/spec/template/spec/containers/0/image", "is required"),
        ("/metadata/labels/app.kubernetes.io~1name", "is not valid"),
    ]
    program(
        "kubectl", 1, 'error validating data: [ValidationError(Deployment.spec): unknown field "replica" in io.k8s]'
    )
    error = run("kubectl", "apply", "-f", "x")
    assert [(problem.pointer, problem.message) for problem in error.problems] == [("/spec/replica", "is unknown")]


def test_a_known_program_that_says_nothing_known_is_named(run, program):
    program("git", 1, "the hook of somebody wrote this\n")
    error = run("git", "commit", "-m", "x")
    assert (type(error), error.provider, error.message) == (
        ToolExecutionError,
        "git",
        "The program failed with exit status 1.",
    )


@pytest.mark.parametrize(
    ("exception", "cls", "resource"),
    [
        (plumbum.ProcessTimedOut("late", ["git", "fetch"]), ToolTimeoutError, None),
        (sh.TimeoutException(-9, "git fetch"), ToolTimeoutError, None),
        (invoke.CommandTimedOut(invoke.Result(command="git fetch"), timeout=2), ToolTimeoutError, None),
        (plumbum.CommandNotFound("nosuch", []), MISSING, "nosuch"),
        (sh.CommandNotFound("nosuch"), MISSING, "nosuch"),
        (invoke.AuthFailure(invoke.Result(), "password:"), ToolAuthenticationError, None),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_the_libraries_that_run_programs_raise_themselves(classify, exception, cls, resource):
    def fail():
        raise exception

    error = classify(fail)
    assert (type(error), error.resource) == (cls, resource)


def test_several_hosts_of_fabric(classify):
    failed = paramiko.AuthenticationException("Authentication failed.")
    result = fabric.group.GroupResult()
    result.update({fabric.Connection("a"): fabric.Result(connection=None), fabric.Connection("b"): failed})

    def fail(result):
        raise fabric.exceptions.GroupException(result)

    error = classify(lambda: fail(result))
    assert (type(error), error.fatal, error.effect, error.provider) == (
        ToolAuthenticationError,
        True,
        "possible",
        "ssh",
    )
    unknown = fabric.group.GroupResult()
    unknown.update({fabric.Connection("a"): LookupError("x")})
    assert classify(lambda: fail(unknown)).provider is None
