"""SSH through paramiko, asyncssh and OpenSSH: by class, and by message if a class covers several things."""

from __future__ import annotations

from mulligan.plugin import Codes, Failure, Rules, ToolError, ToolExecutionError, meanings
from mulligan_ops.lines import LOCAL_PERMISSION, Lines, classify_text

rules = Rules("ssh")
last = Rules("ssh", last=True)
SERVICE = "the SSH server"
HOST_KEY = meanings.TLS._replace(message="The SSH host key is unknown, or does not match the known key")
CONNECTION_DENIED = meanings.PERMISSION._replace(message="The service does not allow this connection", effect="none")
TOO_MANY = meanings.UNAVAILABLE._replace(message="The service has too many connections for now", effect="none")
NO_CHANNEL = meanings.UNAVAILABLE._replace(message="The service temporarily has no free channel", effect="none")
NO_TARGET = meanings.UNREACHABLE._replace(message="The service cannot reach the address", fatal=False)
NO_AGREEMENT = meanings.UNREACHABLE._replace(message="No connection to the service: no common version or algorithm")
PROXY = meanings.CONNECTION._replace(message="The proxy command for the service ended")
CONFIG = meanings.FAILED._replace(message="The SSH configuration cannot be read", effect="none")

channel_codes = Codes(  # RFC 4254 section 5.1
    {meanings.PERMISSION: 1, NO_TARGET: 2, meanings.UNIMPLEMENTED: 3, NO_CHANNEL: 4}
)
disconnect_codes = Codes(  # RFC 4253 section 11.1
    {
        CONNECTION_DENIED: 1,
        NO_AGREEMENT: (3, 8),
        HOST_KEY: 9,
        TOO_MANY: 12,
        meanings.AUTHENTICATION: (13, 14, 15),
        meanings.DROPPED: (2, 4, 5, 6, 7, 10, 11),
    }
)


@rules(
    "paramiko.AuthenticationException",
    "paramiko.UnknownKeyType",
    "asyncssh.PermissionDenied",
    "asyncssh.IllegalUserName",
    "asyncssh.KeyImportError",
    "asyncssh.KeyEncryptionError",
    "asyncssh.PasswordChangeRequired",
)
def ssh_credentials(failure: Failure) -> ToolError:
    """The server did not accept the key or password, a key needs a passphrase, or the login was interrupted."""
    meaning = meanings.AUTHENTICATION
    if failure.says("Authentication timeout"):
        meaning = meanings.NOT_SENT
    elif failure.says("saw EOF", "transport shut down"):
        meaning = meanings.DROPPED._replace(effect="none")
    return _error_of(failure, meaning)


def _error_of(failure: Failure, meaning: meanings.Meaning) -> ToolError:
    """The error for a meaning, without a resource: an SSH session is about the connection, which has no name."""
    user = "The SSH host key is unknown or has changed. Check it, then add it to known_hosts."
    return meanings.error_of(
        failure, meaning, service=SERVICE, resource=None, user_message=user if meaning is HOST_KEY else None
    )


@rules("paramiko.BadHostKeyException")
def ssh_host_key(failure: Failure) -> ToolError:
    """The host key has changed."""
    return _error_of(failure, HOST_KEY)


@rules("paramiko.ChannelException", "asyncssh.ChannelOpenError")
def ssh_channel(failure: Failure) -> ToolError:
    """The server refused to open a channel; classified by its code."""
    meaning = channel_codes.meaning_of(failure.look("code")) or meanings.FAILED._replace(effect="none")
    return _error_of(failure, meaning)


@rules("paramiko.ProxyCommandFailure")
def ssh_proxy(failure: Failure) -> ToolError:
    """A proxy command that ended, at startup or during a session."""
    return _error_of(failure, PROXY)


@rules("paramiko.IncompatiblePeer", "asyncssh.ProtocolNotSupported")
def ssh_setup(failure: Failure) -> ToolError:
    """No common algorithm or version; for asyncssh, `ssh_disconnected` knows the code of the former."""
    return _error_of(failure, NO_AGREEMENT)


@rules("paramiko.ssh_exception.CouldNotCanonicalize")
def ssh_host(failure: Failure) -> ToolError:
    """A host name that cannot be resolved."""
    return _error_of(failure, meanings.UNREACHABLE)


@rules("paramiko.ConfigParseError", "paramiko.InvalidHostKey", "asyncssh.ConfigParseError")
def ssh_config(failure: Failure) -> ToolError:
    """An SSH configuration file that cannot be read."""
    return _error_of(failure, CONFIG)


@rules("asyncssh.DisconnectError")
def ssh_disconnected(failure: Failure) -> ToolError:
    """The server closed the connection; classified by the reasons of RFC 4253."""
    if failure.says("Login timeout expired"):
        return _error_of(failure, meanings.NOT_SENT)
    if failure.says("Too many authentication failures"):  # OpenSSH's server reports it as a protocol error
        return _error_of(failure, meanings.AUTHENTICATION)
    return _error_of(failure, disconnect_codes.meaning_of(failure.look("code")) or meanings.DROPPED)


@rules("paramiko.SSHException")
def ssh_session(failure: Failure) -> ToolError | None:
    """A session that could not be established, or was lost."""
    meaning = next((meaning for phrases, meaning in _SESSION if failure.says(*phrases)), None)
    return None if meaning is None else _error_of(failure, meaning)


@last("paramiko.SSHException", "paramiko.SFTPError", "asyncssh.misc.Error", "asyncssh.ChannelListenError")
def ssh_other(failure: Failure) -> ToolError | None:
    """Any other failure of a session. A failed remote program is not a failure of the session."""
    if failure.matches("asyncssh.ProcessError"):
        return None
    return ToolExecutionError("The SSH session failed.")


_SESSION: tuple[tuple[tuple[str, ...], meanings.Meaning], ...] = (
    (("not found in known_hosts",), HOST_KEY),
    (("No authentication methods available", "encountered RSA key", "Invalid key"), meanings.AUTHENTICATION),
    (("not a valid", "Bad password or corrupt", "private key file"), meanings.AUTHENTICATION),
    (
        ("No existing session", "SSH session not active", "Server connection dropped", "Channel closed"),
        meanings.DROPPED,
    ),
    (
        ("Connection reset by peer", "EOF during negotiation", "connection lost", "Channel is not open"),
        meanings.DROPPED,
    ),
    (("Timeout opening channel", "Key-exchange timed out", "Timeout"), meanings.TIMEOUT),
    (("Error reading SSH protocol banner",), meanings.DROPPED._replace(effect="none")),
    (("Unable to connect",), meanings.UNREACHABLE),
    (("Negotiation failed",), NO_AGREEMENT),
)

CLIENT: Lines = (  # messages of OpenSSH's own programs, whose exit code is 255
    (r"Permission denied \([\w,-]+\)|Too many authentication failures|no mutual signature", meanings.AUTHENTICATION),
    (r"Load key \"([^\"]+)\": (?:invalid format|incorrect passphrase|error in libcrypto)", meanings.AUTHENTICATION),
    (r"Could not resolve hostname (\S+):", meanings.UNREACHABLE),
    (r"Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED", HOST_KEY),
    (r"connect to host (\S+) port \d+: (?:Connection|Operation) timed out", meanings.NOT_SENT),
    (r"connect to host (\S+) port \d+: ", meanings.UNREACHABLE),
    (r"no matching (?:key exchange method|host key type|cipher|MAC) found", NO_AGREEMENT),
    (r"open failed: connect failed|stdio forwarding failed", NO_TARGET),
    (r"timeout waiting for daemon connection", meanings.NOT_SENT),
    (r"Timeout, server \S+ not responding|timeout in data send", meanings.TIMEOUT),
    (
        r"[Cc]onnection (?:to \S+ )?(?:unexpectedly )?(?:closed|reset)|kex_exchange_identification|banner exchange|Broken pipe",
        meanings.DROPPED,
    ),
    (r"Bad configuration option|^usage: (?:ssh|scp|sftp)|unknown option", meanings.ARGUMENT),
)
FILES: Lines = (  # messages of scp, sftp and rsync about single files
    (r"(?:scp|sftp|rsync): .*?\"?([^\s\":(]+)\"?(?: failed)?: No such file or directory", meanings.NOT_FOUND),
    (r"(?:scp|sftp|rsync): .*?\"?([^\s\":(]+)\"?(?: failed)?: Permission denied", LOCAL_PERMISSION),
    (r"No space left on device", meanings.DISK_FULL),
)


def openssh(failure: Failure, text: str) -> ToolError | None:
    """The error for the output of an OpenSSH program, or rsync over one: about single files, else the connection.

    Args:
        failure: what happened.
        text: what it wrote.
    """
    return classify_text(failure, text, FILES, "ssh", SERVICE) or classify_text(failure, text, CLIENT, "ssh", SERVICE)
