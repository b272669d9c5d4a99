"""`install` and `uninstall`: the change to a client's file is shown, and written after a yes."""

from __future__ import annotations

import difflib
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from mulligan.errors import UsageError
from mulligan_proxy.configs import own_command
from mulligan_proxy.setup.client_files import file_of, title_of
from mulligan_proxy.setup.edits import Change, with_proxy, without_proxy
from mulligan_proxy.setup.json_text import JsonTextError

_BACKUP = ".before-mulligan"


def install(client: str | None, config: Path | None, trusted: frozenset[str], yes: bool) -> int:
    """Puts the proxy in front of the servers of a client.

    Args:
        client: which client, such as `claude`.
        config: its file, where it is another one than usual.
        trusted: names of servers whose hints are believed.
        yes: whether to write without asking.

    Returns:
        The exit code: 0 if the proxy is in front of the servers now, otherwise 1.

    Raises:
        UsageError: the file cannot be read, understood or written.
    """
    path = path_of(client, config)
    text = _read(path)
    change = _named(path, lambda: with_proxy(text, own_command(), trusted))
    for name, why in change.left.items():
        _say(f"{name} stays as it is: {why}")
    if not change.names:
        _say("nothing to change")
        return 0
    backup = path.with_name(path.name + _BACKUP)
    before = _named(path, lambda: without_proxy(text, _backup_text(backup))).text
    if not _agreed(path, text, change, yes):
        return 1
    _check_writable(path)
    _write(backup, before, path)
    _write(path, change.text, path)
    _say(f"written: {path}; as it was before: {backup.name}. Restart {title_of(client)}.")
    return 0


def uninstall(client: str | None, config: Path | None, yes: bool) -> int:
    """Removes the proxy again. A file that has not changed since `install` is restored byte for byte.

    Args:
        client: which client, such as `claude`.
        config: its file, where it is another one than usual.
        yes: whether to write without asking.

    Returns:
        The exit code: 0 if no proxy is in front of a server now, otherwise 1.

    Raises:
        UsageError: the file cannot be read, understood or written.
    """
    path = path_of(client, config)
    text = _read(path)
    backup = path.with_name(path.name + _BACKUP)
    before = _backup_text(backup)
    change = _named(path, lambda: without_proxy(text, before))
    for name, why in change.left.items():
        _say(f"{name} stays as it is: {why}")
    if not change.names:
        _say("nothing to change: the proxy is in front of no server")
        return 1 if change.left else 0
    if not _agreed(path, text, change, yes):
        return 1
    _check_writable(path)
    _write(path, change.text, path)
    if change.text == before:
        backup.unlink()
    _say(f"written: {path}. Restart {title_of(client)}.")
    return 1 if change.left else 0


def path_of(client: str | None, config: Path | None) -> Path:
    """The file to change.

    Args:
        client: which client.
        config: its file, where it is another one than usual.

    Raises:
        UsageError: neither is given, or the client is not known.
    """
    if client is None and config is None:
        raise UsageError("say which client, such as --client claude, or which file: --config FILE")
    path = config if config is not None else file_of(client or "")
    if client is not None:
        file_of(client)
    return path.expanduser()


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file; add a server in your client first, or give --config FILE") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}; nothing was written") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: byte {error.start} is not UTF-8; nothing was written") from None


def _backup_text(backup: Path) -> str | None:
    return _read(backup) if backup.exists() else None


def _named(path: Path, work: Callable[[], Change]) -> Change:
    try:
        return work()
    except JsonTextError as error:
        raise UsageError(f"{path}: not valid JSON: {error}; nothing was written") from None
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def _agreed(path: Path, text: str, change: Change, yes: bool) -> bool:
    lines = difflib.unified_diff(text.splitlines(), change.text.splitlines(), str(path), str(path), lineterm="")
    _say("\n".join(lines))
    if yes:
        return True
    if not sys.stdin.isatty():
        _say("nothing was written: add --yes to write it")
        return False
    agreed = input("Write this? [y/N] ").strip().lower() in ("y", "yes")
    if not agreed:
        _say("nothing was written")
    return agreed


def _check_writable(path: Path) -> None:
    """Refuses to replace a file that its owner has made read-only, although that would be possible."""
    if not path.stat().st_mode & stat.S_IWUSR or not os.access(path, os.W_OK):
        raise UsageError(f"{path}: the file is read-only; nothing was written")


def _write(path: Path, text: str, like: Path) -> None:
    """Writes a file whole or not at all, with the permissions of another; a link stays a link."""
    target = path.resolve()
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
        os.chmod(temporary, stat.S_IMODE(like.stat().st_mode))
        os.replace(temporary, target)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise UsageError(f"{path}: {error.strerror or error}; nothing was written") from None


def _say(text: str) -> None:
    print(text)  # noqa: T201
