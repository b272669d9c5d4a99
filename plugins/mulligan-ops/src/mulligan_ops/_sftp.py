"""SFTP, and sockets below SSH: paramiko and asyncssh say it with their own classes or with those of Python."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.plugin import Failure, Rules, ToolError, ToolExecutionError, meanings
from mulligan_ops._lines import LOCAL_PERMISSION

rules = Rules("ssh")
_DENIED = LOCAL_PERMISSION._replace(message="The SFTP server denied access")
_UNSUPPORTED = meanings.UNIMPLEMENTED._replace(message="The SFTP server does not support this")
_LOST = meanings.DROPPED
_CODES: Mapping[
    int, meanings.Meaning
] = {  # https://datatracker.ietf.org/doc/html/draft-ietf-secsh-filexfer-13#section-9.1
    2: meanings.NOT_FOUND,
    3: _DENIED,
    5: meanings.ARGUMENT,
    6: _LOST,
    7: _LOST,
    8: _UNSUPPORTED,
    10: meanings.NOT_FOUND,
    11: meanings.EXISTS,
    12: _DENIED,
    13: meanings.CONFLICT,
    14: meanings.DISK_FULL,
    15: meanings.QUOTA,
    17: meanings.CONFLICT,
    18: meanings.CONFLICT,
    19: meanings.ARGUMENT,
    20: meanings.ARGUMENT,
    21: meanings.ARGUMENT,
    22: _DENIED,
    23: meanings.ARGUMENT,
    24: meanings.ARGUMENT,
    25: meanings.CONFLICT,
    26: meanings.CONFLICT,
    27: meanings.CONFLICT,
}


@rules("asyncssh.SFTPError")
def sftp_code(failure: Failure) -> ToolError:
    """asyncssh: the status that the SFTP server answered with."""
    code = failure.look("code")
    meaning = _CODES.get(code) if isinstance(code, int) else None
    return _failed() if meaning is None else meanings.error_of(failure, meaning)


@rules("OSError")
def sftp_answer(failure: Failure) -> ToolError | None:
    """paramiko: the SFTP server's answer is an OSError, with or without a number, that names no file."""
    if failure.came_through("paramiko.sftp_client") is None or failure.look("filename") is not None:
        return None
    if failure.matches("FileNotFoundError"):
        return meanings.error_of(failure, meanings.NOT_FOUND)
    if failure.matches("PermissionError"):
        return meanings.error_of(failure, _DENIED)
    if failure.look("errno") is not None or failure.matches("TimeoutError", "ConnectionError"):
        return None
    if failure.says("Operation unsupported"):
        return meanings.error_of(failure, _UNSUPPORTED)
    return meanings.error_of(failure, _LOST) if failure.says("Connection lost", "No connection") else _failed()


def _failed() -> ToolError:
    message = "The SFTP operation failed. The path may already exist, not be empty, or be of another type."
    return ToolExecutionError(message)


@rules("paramiko.SFTPError")
def sftp_protocol(failure: Failure) -> ToolError:
    """The SFTP server answered something that does not fit."""
    return ToolExecutionError("The SFTP server's response could not be read.")


_CONNECTED = ("paramiko.transport", "paramiko.channel", "paramiko.packet", "paramiko.auth_handler", "paramiko.sftp")


@rules("TimeoutError", "socket.gaierror", "ConnectionError", "EOFError")
def ssh_socket(failure: Failure) -> ToolError | None:
    """What the socket below an SSH session met; the libraries let it through."""
    if failure.came_through("paramiko", "asyncssh.connection") is None:
        return None
    connecting = failure.came_through("paramiko.client") is not None and failure.came_through(*_CONNECTED) is None
    if failure.matches("socket.gaierror", "ConnectionRefusedError"):
        return meanings.error_of(failure, meanings.UNREACHABLE)
    if failure.matches("TimeoutError"):
        return meanings.error_of(failure, meanings.NOT_SENT if connecting else meanings.TIMEOUT)
    return meanings.error_of(failure, meanings.DROPPED)
