"""What the failures of data stores mean. No client library is imported.

Error codes and documented fields decide: the prefixes of Redis, the numbers and labels of MongoDB, the types of
Elasticsearch, the classes of Qdrant and Chroma.
"""

from __future__ import annotations

from mulligan.plugin import Rules
from mulligan_stores import chroma, elasticsearch, mongodb, qdrant, redis

__all__ = ["classify", "classify_last", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(redis.rules, mongodb.rules, elasticsearch.rules, qdrant.rules, chroma.rules)
last = Rules(last=True)
last.include(redis.last, mongodb.last, elasticsearch.last, qdrant.last)
classify = rules.hookimpl()
classify_last = last.hookimpl()
