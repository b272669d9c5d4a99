"""Running the guides takes minutes, so only `nox -s docs` does it; elsewhere there is nothing to collect."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("sphinx") else ["test_*.py"]
