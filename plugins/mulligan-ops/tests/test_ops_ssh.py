"""paramiko and asyncssh against a real SSH server on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading

import asyncssh
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
    ToolTimeoutError,
    ToolUnavailableError,
)

MISSING = ResourceNotFoundError


def raise_(exception):
    raise exception


KEY = paramiko.RSAKey.generate(2048)


class Files(paramiko.SFTPServerInterface):
    """Answers a path that is a number with that status."""

    def stat(self, path):
        return int(path.strip("/"))

    lstat = stat

    def mkdir(self, path, attr):
        return self.stat(path)


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
                transport.set_subsystem_handler("sftp", paramiko.SFTPServer, Files)
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
    assert all(error.fatal and "does not match the known key" in error.message for error in (unknown, changed))
    assert all("host key" in error.user_message for error in (unknown, changed))


def test_ssh_that_nobody_answers(classify, closed_port, service):
    gone = classify(lambda: connect(closed_port))
    assert (type(gone), gone.fatal, gone.message) == (ToolConnectionError, True, "The SSH server cannot be reached.")
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
        assert type(classify(lambda code=code: raise_(paramiko.ChannelException(code, "text")))) is cls


def test_ssh_other_classes(classify):
    for exception, cls in (
        (paramiko.PasswordRequiredException("Private key file is encrypted"), ToolAuthenticationError),
        (paramiko.SSHException("No authentication methods available"), ToolAuthenticationError),
        (paramiko.ProxyCommandFailure("nc h 22", "boom"), ToolConnectionError),
        (paramiko.SSHException("Timeout opening channel."), ToolTimeoutError),
        (paramiko.SSHException("took 404 ms"), ToolExecutionError),
    ):
        assert type(classify(lambda exception=exception: raise_(exception))) is cls
    proxy = classify(lambda: raise_(paramiko.ProxyCommandFailure("nc h 22", "boom")))
    assert proxy.message == "The proxy command for the SSH server ended."


def test_what_no_rule_knows_is_still_an_error_of_ssh(classify):
    for exception in (paramiko.SSHException("odd"), paramiko.SFTPError("Garbage packet received")):
        error = classify(lambda exception=exception: raise_(exception))
        assert (type(error), error.provider, error.message) == (ToolExecutionError, "ssh", "The SSH session failed.")


def test_a_configuration_of_ssh_that_cannot_be_read(classify):
    error = classify(lambda: paramiko.SSHConfig.from_text("garbage"))
    assert (type(error), error.effect, error.provider) == (ToolExecutionError, "none", "ssh")
    assert error.message == "The SSH configuration cannot be read."


SFTP = [
    (2, MISSING, "none"),
    (3, ToolPermissionError, "none"),
    (4, ToolExecutionError, "possible"),
    (7, ToolConnectionError, "possible"),
    (8, ToolExecutionError, "none"),
]


@pytest.mark.parametrize(("status", "cls", "effect"), SFTP, ids=[str(one[0]) for one in SFTP])
def test_sftp(classify, host, status, cls, effect):
    def make(client):
        with client.open_sftp() as sftp:
            sftp.mkdir(str(status))

    error = classify(lambda: connect(host, make), path=str(status))
    assert (type(error), error.effect, error.fatal) == (cls, effect, False)
    assert (error.provider, error.rule) == ("ssh", "mulligan_ops:sftp_answer")
    assert error.resource == (str(status) if cls in (MISSING, ToolPermissionError) else None)


def test_a_local_file_is_not_the_server_s(classify, host):
    def put(client):
        with client.open_sftp() as sftp:
            sftp.put("/nowhere/x", "y")

    error = classify(lambda: connect(host, put))
    assert (type(error), error.resource) == (MISSING, "/nowhere/x")
    assert not error.rule.startswith("mulligan_ops")


def test_sockets_below_ssh(classify):
    nameless = classify(lambda: paramiko.SSHClient().connect("host.example.invalid"))
    assert (type(nameless), nameless.fatal, nameless.effect) == (ToolConnectionError, True, "none")
    assert (nameless.provider, nameless.rule) == ("ssh", "mulligan_ops:ssh_socket")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        unanswered = classify(lambda: asyncio.run(login(silent.getsockname()[1], login_timeout=0.3)))
    assert (type(unanswered), unanswered.effect, unanswered.provider) == (ToolTimeoutError, "none", "ssh")


async def login(port, password="right", **options):
    given = {"known_hosts": None, "client_keys": None, "agent_path": None, "config": None, **options}
    async with asyncssh.connect("127.0.0.1", port, username="u", password=password, **given) as connection:
        async with connection.start_sftp_client() as sftp:
            await sftp.mkdir("11")


def test_asyncssh(classify, host, closed_port):
    def ask(port, **options):
        error = classify(lambda: asyncio.run(login(port, **options)))
        assert error.provider == "ssh"
        return type(error), error.fatal, error.effect

    assert ask(host, password="wrong") == (ToolAuthenticationError, True, "none")
    assert ask(host, known_hosts=([], [], [])) == (ToolConnectionError, True, "none")
    assert ask(closed_port) == (ToolConnectionError, True, "none")
    assert ask(host) == (ResourceConflictError, False, "none")
    for error, cls in (
        (asyncssh.SFTPNoSuchFile("x"), MISSING),
        (asyncssh.SFTPFileAlreadyExists("x"), ResourceConflictError),
        (asyncssh.SFTPNoSpaceOnFilesystem("x"), ToolQuotaError),
        (asyncssh.SFTPConnectionLost("x"), ToolConnectionError),
        (asyncssh.ChannelOpenError(1, "x"), ToolPermissionError),
        (asyncssh.ConnectionLost("x"), ToolConnectionError),
        (asyncssh.KeyExchangeFailed("x"), ToolConnectionError),
        (asyncssh.ProtocolNotSupported("Unsupported SSH version: 1.5"), ToolConnectionError),
        (asyncssh.DisconnectError(12, "x"), ToolUnavailableError),
        (asyncssh.KeyImportError("x"), ToolAuthenticationError),
    ):
        assert type(classify(lambda error=error: raise_(error))) is cls


@pytest.mark.parametrize(
    "setup",
    [
        paramiko.IncompatiblePeer("Incompatible ssh peer (no acceptable kex algorithm)"),
        asyncssh.KeyExchangeFailed("No matching key exchange algorithm found"),
        asyncssh.ProtocolNotSupported("Unsupported SSH version: 1.5"),
    ],
)
def test_two_sides_that_have_nothing_in_common(classify, setup):
    error = classify(lambda: raise_(setup))
    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")
    assert "no common version or algorithm" in error.message


def test_a_host_name_that_the_configuration_cannot_complete(classify):
    lines = "CanonicalizeHostname yes\nCanonicalDomains invalid\nCanonicalizeFallbackLocal no\n"
    error = classify(lambda: paramiko.SSHConfig.from_text(lines).lookup("h"))
    assert (type(error), error.fatal, error.effect, error.provider) == (ToolConnectionError, True, "none", "ssh")


@pytest.mark.parametrize(
    ("answer", "cls", "code"),
    [
        (asyncssh.SFTPFailure, ToolExecutionError, "INTERNAL"),
        (asyncssh.SFTPOpUnsupported, ToolExecutionError, "UNIMPLEMENTED"),
        (asyncssh.SFTPNotADirectory, ToolArgumentError, "INVALID_ARGUMENT"),
        (asyncssh.SFTPOwnerInvalid, ToolArgumentError, "INVALID_ARGUMENT"),
        (asyncssh.SFTPPermissionDenied, ToolPermissionError, "PERMISSION_DENIED"),
        (asyncssh.SFTPWriteProtect, ToolPermissionError, "PERMISSION_DENIED"),
        (asyncssh.SFTPDeletePending, ResourceConflictError, "ABORTED"),
        (asyncssh.SFTPNoConnection, ToolConnectionError, "UNAVAILABLE"),
    ],
)
def test_what_an_sftp_server_answers_to_asyncssh(classify, answer, cls, code):
    error = classify(lambda: raise_(answer("x")))
    assert (type(error), error.code, error.fatal, error.provider) == (cls, code, False, "ssh")


def test_a_login_that_is_cut_short(classify):
    late = classify(lambda: raise_(paramiko.AuthenticationException("Authentication timeout.")))
    assert (type(late), late.effect) == (ToolTimeoutError, "none")
    cut = paramiko.AuthenticationException("Authentication failed: transport shut down or saw EOF")
    error = classify(lambda: raise_(cut))
    assert (type(error), error.fatal, error.transient) == (ToolConnectionError, False, True)
