"""Where each client keeps its servers."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import attrs

from mulligan.errors import UsageError


@attrs.frozen
class KnownClient:
    """A client.

    Attributes:
        title: its display name.
        macos: its file below the home folder.
        windows: its file below `%APPDATA%`, or below the home folder if it begins with a dot.
        linux: its file below the home folder.
    """

    title: str
    macos: str
    windows: str
    linux: str


_SUPPORT = "Library/Application Support"
CLIENTS = {
    "claude": KnownClient(
        "Claude Desktop",
        f"{_SUPPORT}/Claude/claude_desktop_config.json",
        "Claude/claude_desktop_config.json",
        ".config/Claude/claude_desktop_config.json",
    ),
    "cursor": KnownClient("Cursor", ".cursor/mcp.json", ".cursor/mcp.json", ".cursor/mcp.json"),
    "vscode": KnownClient(
        "VS Code", f"{_SUPPORT}/Code/User/mcp.json", "Code/User/mcp.json", ".config/Code/User/mcp.json"
    ),
    "windsurf": KnownClient(
        "Windsurf",
        ".codeium/windsurf/mcp_config.json",
        ".codeium/windsurf/mcp_config.json",
        ".codeium/windsurf/mcp_config.json",
    ),
    "zed": KnownClient("Zed", ".config/zed/settings.json", "Zed/settings.json", ".config/zed/settings.json"),
}


def file_of(client: str, platform: str = sys.platform) -> Path:
    """The file in which a client keeps the servers of this user.

    Args:
        client: such as `claude`.
        platform: as in `sys.platform`.

    Raises:
        UsageError: the client is not known.
    """
    known = CLIENTS.get(client)
    if known is None:
        raise UsageError(
            f"--client {client}: unknown client; available: {', '.join(CLIENTS)}. For another, give --config FILE"
        )
    if platform == "win32":
        below = Path.home() if known.windows.startswith(".") else Path(os.environ.get("APPDATA") or Path.home())
        return below / known.windows
    return Path.home() / (known.macos if platform == "darwin" else known.linux)


def title_of(client: str | None) -> str:
    """The display name of a client.

    Args:
        client: such as `claude`, or None if only the file is known.
    """
    known = None if client is None else CLIENTS.get(client)
    return "your client" if known is None else known.title
