"""Lists of the tools of well-known servers that only read, so that no one has to trust a server's own hints."""

from __future__ import annotations

import re
from pathlib import PurePath

_NPM = "npm"
_PYPI = "PyPI"
_RUNNERS = {
    ("npx",): _NPM,
    ("bunx",): _NPM,
    ("pnpm", "dlx"): _NPM,
    ("yarn", "dlx"): _NPM,
    ("uvx",): _PYPI,
    ("uv", "tool", "run"): _PYPI,
    ("pipx", "run"): _PYPI,
}
_HARMLESS_OPTIONS = {"-y", "--yes", "-q", "--quiet"}
_OFFICIAL = "@modelcontextprotocol/server-"
_READ_ONLY: dict[tuple[str, str], frozenset[str]] = {
    (_NPM, f"{_OFFICIAL}filesystem"): frozenset(
        {
            "directory_tree",
            "get_file_info",
            "list_allowed_directories",
            "list_directory",
            "list_directory_with_sizes",
            "read_file",
            "read_media_file",
            "read_multiple_files",
            "read_text_file",
            "search_files",
        }
    ),
    (_NPM, f"{_OFFICIAL}memory"): frozenset({"open_nodes", "read_graph", "search_nodes"}),
    # It declares that it only reads, but a thought that is sent twice is in its history twice.
    (_NPM, f"{_OFFICIAL}sequential-thinking"): frozenset(),
    (_NPM, f"{_OFFICIAL}everything"): frozenset(
        {
            "echo",
            "get-annotated-message",
            "get-env",
            "get-resource-links",
            "get-resource-reference",
            "get-structured-content",
            "get-sum",
            "get-tiny-image",
            "trigger-long-running-operation",
        }
    ),
    (_PYPI, "mcp-server-fetch"): frozenset({"fetch"}),
    (_PYPI, "mcp-server-git"): frozenset(
        {"git_branch", "git_diff", "git_diff_staged", "git_diff_unstaged", "git_log", "git_show", "git_status"}
    ),
}


def package_of(command: tuple[str, ...]) -> tuple[str, str] | None:
    """The registry and the name of the package that a command runs.

    Args:
        command: a server's program and its arguments.

    Returns:
        None if that is uncertain: another kind of program, an option that may name another source, a path or a URL.
    """
    words = (PurePath(command[0]).name.removesuffix(".exe").removesuffix(".cmd"), *command[1:]) if command else ()
    for runner, registry in _RUNNERS.items():
        if words[: len(runner)] == runner:
            rest = [word for word in words[len(runner) :] if word not in _HARMLESS_OPTIONS]
            name = _name(rest[0], registry) if rest else None
            return None if name is None else (registry, name)
    return None


def read_only_tools(command: tuple[str, ...]) -> frozenset[str]:
    """The tools of a well-known server that only read; nothing for any other.

    The server is known by the package that its command runs, never by its name in a configuration.

    Args:
        command: its program and its arguments.
    """
    package = package_of(command)
    return frozenset() if package is None else _READ_ONLY.get(package, frozenset())


def _name(word: str, registry: str) -> str | None:
    """The package's name without its version."""
    pattern = r"((?:@[\w.-]+/)?[\w.-]+)(?:@[\w.^~-]+)?" if registry == _NPM else r"([\w.-]+)(?:@[\w.]+|==[\w.]+)?"
    found = re.fullmatch(pattern, word, re.ASCII)
    return found[1] if found and not word.startswith(("-", ".")) else None
