"""These tests need the providers' SDKs (the dependency group `sdks`); without them there is nothing here to collect."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if all(map(find_spec, ("anthropic", "openai"))) else ["test_*.py"]
