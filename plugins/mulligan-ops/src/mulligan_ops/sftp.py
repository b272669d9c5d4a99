"""SFTP, and sockets below SSH. paramiko and asyncssh raise their own exceptions or built-in ones."""

from __future__ import annotations

from mulligan.plugin import Codes, Failure, Rules, ToolError, meanings, transport_error
from mulligan_ops.lines import LOCAL_PERMISSION

rules = Rules("ssh")
SERVICE = "the SFTP server"

DENIED = LOCAL_PERMISSION._replace(message="The service denied access")
UNKNOWN = meanings.FAILED._replace(
    message="The SFTP operation failed. The path may already exist, not be empty, or be of another type"
)
codes = Codes(  # https://datatracker.ietf.org/doc/html/draft-ietf-secsh-filexfer-13#section-9.1
    {
        meanings.NOT_FOUND: (2, 10),
        DENIED: (3, 12, 22),
        UNKNOWN: (1, 4, 28, 31),
        meanings.ARGUMENT: (5, 9, 16, 19, 20, 21, 23, 24, 29, 30),
        meanings.DROPPED: (6, 7),
        meanings.UNIMPLEMENTED: 8,
        meanings.EXISTS: 11,
        meanings.CONFLICT: (13, 18),
        meanings.BUSY: (17, 25, 26, 27),
        meanings.DISK_FULL: 14,
        meanings.QUOTA: 15,
    }
)


@rules("asyncssh.SFTPError")
def sftp_code(failure: Failure) -> ToolError:
    """asyncssh: the status of the SFTP server's response."""
    return meanings.error_of(failure, codes.meaning_of(failure.look("code")) or UNKNOWN, service=SERVICE)


@rules("OSError")
def sftp_answer(failure: Failure) -> ToolError | None:
    """paramiko: the SFTP server's response, as an OSError that names no file, with or without an errno."""
    if failure.came_through("paramiko.sftp_client") is None or failure.look("filename") is not None:
        return None
    if failure.matches("FileNotFoundError"):
        meaning = meanings.NOT_FOUND
    elif failure.matches("PermissionError"):
        meaning = DENIED
    elif failure.look("errno") is not None or failure.matches("TimeoutError", "ConnectionError"):
        return None
    elif failure.says("Operation unsupported"):
        meaning = meanings.UNIMPLEMENTED
    else:
        meaning = meanings.DROPPED if failure.says("Connection lost", "No connection") else UNKNOWN
    return meanings.error_of(failure, meaning, service=SERVICE)


_CONNECTED = ("paramiko.transport", "paramiko.channel", "paramiko.packet", "paramiko.auth_handler", "paramiko.sftp")


@rules("TimeoutError", "socket.gaierror", "ConnectionError", "EOFError")
def ssh_socket(failure: Failure) -> ToolError | None:
    """An error of the socket below an SSH session, which the libraries do not wrap."""
    if failure.came_through("paramiko", "asyncssh.connection") is None:
        return None
    service = "the SSH server"
    if failure.matches("TimeoutError"):
        connecting = failure.came_through("paramiko.client") is not None and failure.came_through(*_CONNECTED) is None
        return meanings.error_of(failure, meanings.NOT_SENT if connecting else meanings.TIMEOUT, service=service)
    return transport_error(failure, service=service) or meanings.error_of(failure, meanings.DROPPED, service=service)
