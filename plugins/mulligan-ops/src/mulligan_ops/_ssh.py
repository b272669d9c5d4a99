"""SSH by paramiko, asyncssh and OpenSSH: by class, and by words where one class covers several things."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError, ToolExecutionError, ToolUnavailableError, meanings
from mulligan_ops._lines import LOCAL_PERMISSION, Lines, classify_text

rules = Rules("ssh")
last = Rules("ssh", last=True)
_HOST_KEY = meanings.TLS._replace(message="The SSH host key does not match the known key")
_DENIED = (
    "asyncssh.PermissionDenied",
    "asyncssh.KeyImportError",
    "asyncssh.PasswordChangeRequired",
    "asyncssh.IllegalUserName",
)
_OLD = ("asyncssh.ProtocolNotSupported",)
_PROHIBITED, _CONNECT_FAILED, _SHORTAGE = 1, 2, 4  # RFC 4254 section 5.1
_NOT_ALLOWED, _TOO_MANY = 1, 12  # RFC 4253 section 11.1


@rules("paramiko.AuthenticationException", "paramiko.PasswordRequiredException", "paramiko.UnknownKeyType", *_DENIED)
def ssh_credentials(failure: Failure) -> ToolError:
    """The server did not accept the key or password, a key needs a passphrase, or the log-in was cut short."""
    if failure.says("Authentication timeout"):
        return meanings.error_of(failure, meanings.NOT_SENT, message="The SSH login timed out.")
    if failure.says("saw EOF", "transport shut down"):
        return meanings.error_of(failure, meanings.DROPPED, effect="none")
    return meanings.error_of(failure, meanings.AUTHENTICATION)


@rules("paramiko.BadHostKeyException", "asyncssh.HostKeyNotVerifiable")
def ssh_host_key(failure: Failure) -> ToolError:
    """The host's key is another one than before."""
    return _unknown_host(failure)


def _unknown_host(failure: Failure) -> ToolError:
    user = "The SSH host key is unknown or has changed. Check it, then add it to known_hosts."
    return meanings.error_of(failure, _HOST_KEY, user_message=user)


@rules("paramiko.NoValidConnectionsError")
def ssh_unreachable(failure: Failure) -> ToolError:
    """None of the host's addresses took the connection."""
    errors = failure.look("errors")
    tried = list(errors.values()) if isinstance(errors, dict) else []
    slow = bool(tried) and all(isinstance(one, TimeoutError) for one in tried)
    return meanings.error_of(failure, meanings.NOT_SENT if slow else meanings.UNREACHABLE)


@rules("paramiko.ChannelException", "asyncssh.ChannelOpenError")
def ssh_channel(failure: Failure) -> ToolError:
    """The server refused to open a channel, by its code."""
    code = failure.look("code")
    if code == _PROHIBITED:
        return meanings.error_of(failure, meanings.PERMISSION, resource=None)
    if code == _CONNECT_FAILED:
        return meanings.error_of(failure, meanings.UNREACHABLE, fatal=False)
    if code == _SHORTAGE:
        return ToolUnavailableError("The SSH server temporarily has no free channel.", effect="none")
    return ToolExecutionError("The SSH server does not support this type of channel.", effect="none")


@rules("paramiko.ProxyCommandFailure")
def ssh_proxy(failure: Failure) -> ToolError:
    """A proxy command that ended, at its start or in the middle of a session."""
    return meanings.error_of(failure, meanings.CONNECTION)


@rules("paramiko.IncompatiblePeer", "paramiko.ssh_exception.CouldNotCanonicalize", "asyncssh.KeyExchangeFailed", *_OLD)
def ssh_setup(failure: Failure) -> ToolError:
    """No common algorithm or version, or a host name that cannot be resolved."""
    return meanings.error_of(failure, meanings.UNREACHABLE)


@rules("paramiko.ConfigParseError", "asyncssh.ConfigParseError")
def ssh_config(failure: Failure) -> ToolError:
    """A configuration file of SSH that cannot be read."""
    return ToolExecutionError("The SSH configuration cannot be read.", effect="none")


@rules("asyncssh.DisconnectError")
def ssh_disconnected(failure: Failure) -> ToolError:
    """The server ended the connection, by the reasons of RFC 4253."""
    if failure.says("Login timeout expired"):
        return meanings.error_of(failure, meanings.NOT_SENT)
    code = failure.look("code")
    if code == _NOT_ALLOWED:
        return meanings.error_of(failure, meanings.PERMISSION, resource=None, effect="none")
    if code == _TOO_MANY:
        return ToolUnavailableError("The SSH server temporarily has too many connections.", effect="none")
    return meanings.error_of(failure, meanings.DROPPED)


@rules("paramiko.SSHException")
def ssh_session(failure: Failure) -> ToolError | None:
    """A session that could not be set up, or was lost."""
    if failure.says("not found in known_hosts"):
        return _unknown_host(failure)
    for phrases, meaning in _SESSION:
        if failure.says(*phrases):
            return meanings.error_of(failure, meaning, resource=None)
    return None


@last("paramiko.SSHException")
def ssh_other(_: Failure) -> ToolError:
    """Any other failure of a session."""
    return ToolExecutionError("The SSH session failed.")


_SESSION: tuple[tuple[tuple[str, ...], meanings.Meaning], ...] = (
    (
        ("No authentication methods available", "encountered RSA key", "not a valid", "Bad password or corrupt"),
        meanings.AUTHENTICATION,
    ),
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
    (("Unable to connect",), meanings.CONNECTION),
)

CLIENT: Lines = (  # what OpenSSH's own programs write; their exit code is 255
    (r"Permission denied \([\w,-]+\)|Too many authentication failures|no mutual signature", meanings.AUTHENTICATION),
    (r"Load key \"([^\"]+)\": (?:invalid format|incorrect passphrase|error in libcrypto)", meanings.AUTHENTICATION),
    (r"Could not resolve hostname (\S+):", meanings.UNREACHABLE),
    (r"Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED", _HOST_KEY),
    (r"connect to host (\S+) port \d+: (?:Connection|Operation) timed out", meanings.NOT_SENT),
    (r"connect to host (\S+) port \d+: ", meanings.UNREACHABLE),
    (r"no matching (?:key exchange method|host key type|cipher|MAC) found", meanings.UNREACHABLE),
    (r"Timeout, server \S+ not responding", meanings.TIMEOUT),
    (
        r"[Cc]onnection (?:to \S+ )?(?:closed|reset)|kex_exchange_identification|banner exchange|Broken pipe",
        meanings.DROPPED,
    ),
    (r"Bad configuration option|^usage: (?:ssh|scp|sftp)|unknown option", meanings.ARGUMENT),
)
FILES: Lines = (  # what scp, sftp and rsync say of single files
    (r"(?:scp|sftp|rsync): .*?\"?([^\s\":(]+)\"?(?: failed)?: No such file or directory", meanings.NOT_FOUND),
    (r"(?:scp|sftp|rsync): .*?\"?([^\s\":(]+)\"?(?: failed)?: Permission denied", LOCAL_PERMISSION),
    (r"No space left on device", meanings.DISK_FULL),
)


def openssh(failure: Failure, text: str) -> ToolError | None:
    """What an OpenSSH program, or rsync over one, wrote: of single files, else of the connection.

    Args:
        failure: what happened.
        text: what it wrote.
    """
    return classify_text(failure, text, FILES, "ssh") or classify_text(failure, text, CLIENT, "ssh")
