"""The package's part of the gallery."""

import mulligan_stores
import pytest
from mulligan_testkit.gallery import Gallery, GalleryFailure
from stores_servers import HTTPServer, MongoServer, RedisServer
from test_stores_mongodb import ask as ask_mongo
from test_stores_mongodb import failed as mongo_failed
from test_stores_redis import ask as ask_redis
from test_stores_search import PRODUCT, by_elasticsearch, failed


class TestGallery(Gallery):
    title = "Redis, MongoDB, Elasticsearch"
    plugin = mulligan_stores
    packages = ("redis", "pymongo", "elasticsearch")

    @pytest.fixture
    def shown(self):
        def redis(answer):
            with RedisServer(f"-{answer}") as server:
                ask_redis(server.port)

        def mongo(*answer):
            with MongoServer(mongo_failed(*answer)) as server:
                ask_mongo(server.port)

        def elastic(status, body):
            with HTTPServer(status, body, PRODUCT) as server:
                by_elasticsearch(server.url)

        cart, users, entry = {"key": "cart:7"}, {"collection": "users"}, {"index": "logs", "id": "7"}
        wrong = "WRONGTYPE Operation against a key holding the wrong kind of value"
        missing = failed(404, "index_not_found_exception", "no such index [logs]", index="logs")
        return [
            GalleryFailure("Redis: a key of another kind", "get_value", cart, lambda: redis(wrong)),
            GalleryFailure(
                "Redis: no more memory",
                "get_value",
                cart,
                lambda: redis("OOM command not allowed when used memory > 'maxmemory'."),
            ),
            GalleryFailure(
                "MongoDB: an operator that does not exist",
                "find",
                users,
                lambda: mongo(2, "BadValue", "unknown operator: $foo"),
            ),
            GalleryFailure(
                "MongoDB: a user without the role",
                "find",
                users,
                lambda: mongo(13, "Unauthorized", "not authorized on shop to execute command { find: 'users' }"),
            ),
            GalleryFailure(
                "Elasticsearch: an index that is not there", "get_entry", entry, lambda: elastic(404, missing)
            ),
        ]
