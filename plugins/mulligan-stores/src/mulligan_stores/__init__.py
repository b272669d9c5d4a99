"""What the failures of data stores mean, for mulligan; it registers itself when it is installed.

Error codes and documented fields decide: Redis's prefixes, MongoDB's numbers, Elasticsearch's types, the classes of
Qdrant and Chroma. No client library is imported.
"""

from __future__ import annotations

from mulligan.plugin import Rules
from mulligan_stores import _elasticsearch, _mongodb, _redis, _vectors

__all__ = ["classify", "classify_last", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(_redis.rules, _mongodb.rules, _elasticsearch.rules, _vectors.rules)
last = Rules(last=True)
last.include(_elasticsearch.last)
classify = rules.hookimpl()
classify_last = last.hookimpl()
