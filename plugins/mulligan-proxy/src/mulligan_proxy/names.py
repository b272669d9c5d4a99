"""The names under which clients see the tools of all servers: accepted by every provider, and unique."""

from __future__ import annotations

import hashlib
import re
import unicodedata

SEPARATOR = "__"
_LONGEST = 64
_MARK = 6
_ACCEPTED = re.compile(rf"[A-Za-z_][A-Za-z0-9_-]{{0,{_LONGEST - 1}}}", re.ASCII)


def accepted_name(name: str) -> str:
    """The name itself if every provider accepts it, otherwise a similar one with a unique mark.

    Providers accept 64 letters, digits, underscores and hyphens, of which the first is a letter or an underscore.

    Args:
        name: any name.
    """
    if _ACCEPTED.fullmatch(name):
        return name
    latin = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^A-Za-z0-9-]+", "_", latin).strip("_-") or "tool"
    start = "" if plain[0].isalpha() else "_"
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]
    return f"{start}{plain}"[: _LONGEST - _MARK - 1] + f"_{mark}"


def prefixes_of(servers: list[str]) -> dict[str, str]:
    """The prefix for the names of each server's tools, if there are several servers.

    No prefix holds the separator within it or ends with a part of it, so each name has one way of being read.

    Args:
        servers: the names of the servers in the configuration.
    """
    prefixes: dict[str, str] = {}
    for server in servers:
        plain = re.sub("_{2,}", "_", accepted_name(server)).rstrip("_") or "server"
        if plain + SEPARATOR in prefixes.values():
            plain = f"{plain}-{hashlib.sha256(server.encode('utf-8', 'surrogatepass')).hexdigest()[:_MARK]}"
        prefixes[server] = plain + SEPARATOR
    return prefixes
