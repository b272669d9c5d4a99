"""SSH by paramiko: by class, and by its words where one class covers several things."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError, ToolExecutionError, ToolUnavailableError, meanings
from mulligan_ops._lines import LOCAL_PERMISSION, Lines, meant

rules = Rules("ssh")
_HOST_KEY = meanings.TLS._replace(message="The SSH host's key is not the known one")
_PROHIBITED, _CONNECT_FAILED, _SHORTAGE = 1, 2, 4


@rules("paramiko.AuthenticationException", "paramiko.PasswordRequiredException")
def ssh_credentials(failure: Failure) -> ToolError:
    """The server did not accept the key or password, or a key needs a passphrase."""
    return meanings.error_of(failure, meanings.AUTHENTICATION)


@rules("paramiko.BadHostKeyException")
def ssh_host_key(failure: Failure) -> ToolError:
    """The host's key is another one than before."""
    return _unknown_host(failure)


def _unknown_host(failure: Failure) -> ToolError:
    user = "The key of the SSH host is unknown or has changed: check it, then put it into known_hosts."
    return meanings.error_of(failure, _HOST_KEY, user_message=user)


@rules("paramiko.NoValidConnectionsError")
def ssh_unreachable(failure: Failure) -> ToolError:
    """None of the host's addresses took the connection."""
    errors = failure.look("errors")
    tried = list(errors.values()) if isinstance(errors, dict) else []
    slow = bool(tried) and all(isinstance(one, TimeoutError) for one in tried)
    return meanings.error_of(failure, meanings.NOT_SENT if slow else meanings.UNREACHABLE)


@rules("paramiko.ChannelException")
def ssh_channel(failure: Failure) -> ToolError:
    """The server refused to open a channel, by its code."""
    code = failure.look("code")
    if code == _PROHIBITED:
        return meanings.error_of(failure, meanings.PERMISSION, resource=None)
    if code == _CONNECT_FAILED:
        return meanings.error_of(failure, meanings.UNREACHABLE, fatal=False)
    if code == _SHORTAGE:
        return ToolUnavailableError("The SSH server has no channel left for now.", effect="none")
    return ToolExecutionError("The SSH server does not offer this kind of channel.", effect="none")


@rules("paramiko.ProxyCommandFailure", "paramiko.IncompatiblePeer", "paramiko.ssh_exception.CouldNotCanonicalize")
def ssh_setup(failure: Failure) -> ToolError:
    """No common algorithm, a proxy command that failed, a host name that cannot be resolved."""
    return meanings.error_of(failure, meanings.UNREACHABLE)


@rules("paramiko.SSHException")
def ssh_session(failure: Failure) -> ToolError:
    """A session that could not be set up, or was lost."""
    if failure.says("not found in known_hosts"):
        return _unknown_host(failure)
    for phrases, meaning in _SESSION:
        if failure.says(*phrases):
            return meanings.error_of(failure, meaning, resource=None)
    return ToolExecutionError("The SSH session failed.")


_SESSION: tuple[tuple[tuple[str, ...], meanings.Meaning], ...] = (
    (("No authentication methods available", "encountered RSA key", "not a valid"), meanings.AUTHENTICATION),
    (
        ("No existing session", "SSH session not active", "Server connection dropped", "Channel closed"),
        meanings.DROPPED,
    ),
    (
        ("Connection reset by peer", "EOF during negotiation", "connection lost", "Channel is not open"),
        meanings.DROPPED,
    ),
    (("Timeout opening channel", "Key-exchange timed out", "Timeout"), meanings.TIMEOUT),
    (("Error reading SSH protocol banner", "Unable to connect"), meanings.CONNECTION),
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
    return meant(failure, text, FILES, "ssh") or meant(failure, text, CLIENT, "ssh")
