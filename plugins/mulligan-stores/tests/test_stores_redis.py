"""Redis's documented answers, sent over loopback to the real client."""

from __future__ import annotations

import asyncio
import contextlib
import socket

import pytest
import redis
import redis.asyncio
from redis.backoff import NoBackoff
from redis.retry import Retry
from stores_servers import RedisServer, closed_port

from mulligan.plugin import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)


def ask(port, call=lambda client: client.get("k"), **more):
    settings = {"protocol": 2, "socket_timeout": 2, "retry": Retry(NoBackoff(), 0), **more}
    with redis.Redis(host=settings.pop("host", "127.0.0.1"), port=port, **settings) as client:
        return call(client)


ANSWERS = [
    ("NOAUTH Authentication required.", ToolAuthenticationError, True),
    ("WRONGPASS invalid username-password pair or user is disabled.", ToolAuthenticationError, True),
    ("DENIED Redis is running in protected mode", ToolAuthenticationError, True),
    ("NOPERM this user has no permissions to run the 'get' command", ToolPermissionError, True),
    ("WRONGTYPE Operation against a key holding the wrong kind of value", ToolArgumentError, False),
    ("ERR syntax error", ToolArgumentError, False),
    ("ERR unknown command 'FOO', with args beginning with: ", ToolArgumentError, False),
    ("ERR value is not an integer or out of range", ToolArgumentError, False),
    ("CROSSSLOT Keys in request don't hash to the same slot", ToolArgumentError, False),
    ("ERR no such key", ResourceNotFoundError, False),
    ("NOSCRIPT No matching script. Please use EVAL.", ResourceNotFoundError, False),
    ("NOGROUP No such key 'st' or consumer group 'g'", ResourceNotFoundError, False),
    ("books: no such index", ResourceNotFoundError, False),
    ("ERR Function not found", ResourceNotFoundError, False),
    ("ERR The XGROUP subcommand requires the key to exist. Note that", ResourceNotFoundError, False),
    ("NOADDR No such client", ResourceNotFoundError, False),
    ("UNBLOCKED the stream key no longer exists", ResourceNotFoundError, False),
    ("ERR Library 'lib' already exists", ResourceConflictError, False),
    ("ERR Background save already in progress", ResourceConflictError, False),
    ("ERR DEBUG command not allowed. If the enable-debug-command option is set", ToolPermissionError, True),
    ("ERR max requests limit exceeded", ToolQuotaError, True),
    ("ERR too many requests", ToolRateLimitError, False),
    ("ERR EXEC without MULTI", ToolExecutionError, False),
    ("NOQUORUM Not enough good sentinels", ToolUnavailableError, False),
    ("UNBLOCKED force unblock from blocking operation, instance state changed", ToolUnavailableError, False),
    ("BUSYKEY Target key name already exists.", ResourceConflictError, False),
    ("BUSYGROUP Consumer Group name already exists", ResourceConflictError, False),
    ("READONLY You can't write against a read only replica.", ResourceConflictError, False),
    ("OOM command not allowed when used memory > 'maxmemory'.", ToolQuotaError, True),
    ("LOADING Redis is loading the dataset in memory", ToolUnavailableError, False),
    ("BUSY Redis is busy running a script.", ToolUnavailableError, False),
    ("MISCONF Redis is configured to save RDB snapshots", ToolUnavailableError, False),
    ("NOREPLICAS Not enough good replicas to write.", ToolUnavailableError, False),
    ("MASTERDOWN Link with MASTER is down", ToolUnavailableError, False),
    ("CLUSTERDOWN The cluster is down", ToolUnavailableError, False),
    ("TRYAGAIN Multiple keys request during rehashing of slot", ToolUnavailableError, False),
    ("ERR max number of clients reached", ToolUnavailableError, False),
    ("EXECABORT Transaction discarded because of previous errors.", ResourceConflictError, False),
    ("MOVED 3999 127.0.0.1:6381", ToolExecutionError, False),
    ("ERR This instance has cluster support disabled", ToolExecutionError, False),
]


@pytest.mark.parametrize(("answer", "cls", "fatal"), ANSWERS, ids=[one[0][:30] for one in ANSWERS])
def test_what_the_server_answers(classify, answer, cls, fatal):
    with RedisServer(f"-{answer}") as server:
        error = classify(lambda: ask(server.port))
    assert (type(error), error.fatal) == (cls, fatal)
    assert error.provider == "redis"
    assert error.rule in (
        "mulligan_stores:redis_answer",
        "mulligan_stores:redis_words",
        "mulligan_stores:redis_connection",
    )
    assert error.effect == "none"


def test_the_key_of_the_call_is_named(classify):
    with RedisServer("-ERR no such key") as server:
        error = classify(lambda: ask(server.port), key="cart:7")
    assert (error.resource, error.message) == ("cart:7", "Resource not found: cart:7")


def test_one_command_of_a_pipeline_leaves_the_others_done(classify):
    def pipeline(client):
        with client.pipeline(transaction=False) as commands:
            commands.set("a", 1)
            commands.execute()

    with RedisServer("-WRONGTYPE Operation against a key holding the wrong kind of value") as server:
        error = classify(lambda: ask(server.port, pipeline))
    assert type(error) is ToolArgumentError
    assert error.message == "The key holds the wrong type of value for this operation (WRONGTYPE)."
    assert error.effect == "possible"


def test_no_answer_in_time(classify):
    with RedisServer("silence") as server:
        error = classify(lambda: ask(server.port, socket_timeout=0.2))
    assert (type(error), error.effect, error.transient) == (ToolTimeoutError, "possible", True)


def test_no_connection_in_time(classify):
    with contextlib.ExitStack() as opened:
        full = opened.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))  # accepts no further connection
        for _ in range(4):
            waiting = opened.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        error = classify(lambda: ask(full.getsockname()[1], socket_connect_timeout=0.2))
    assert isinstance(error.__cause__, redis.TimeoutError)
    assert (type(error), error.effect) == (ToolTimeoutError, "none")


def test_what_no_rule_knows_is_still_an_error_of_redis(classify):
    def nest(client):
        with client.pipeline() as commands:
            commands.multi()
            commands.multi()

    error = classify(lambda: ask(6379, nest))
    assert (type(error), error.provider, error.message) == (ToolExecutionError, "redis", "Redis failed.")


def test_a_connection_that_is_dropped(classify):
    with RedisServer(None) as server:
        error = classify(lambda: ask(server.port))
    assert (type(error), error.fatal, error.transient, error.effect) == (ToolConnectionError, False, True, "possible")


def test_nobody_listens_or_the_host_has_no_address(classify):
    async def asynchronous():
        async with redis.asyncio.Redis(host="127.0.0.1", port=closed_port(), retry=None) as client:
            await client.get("k")

    errors = [
        classify(lambda: ask(closed_port())),
        classify(lambda: ask(6379, host="redis.example.invalid")),
        classify(lambda: asyncio.run(asynchronous())),
        classify(lambda: redis.RedisCluster(host="127.0.0.1", port=closed_port())),
    ]
    assert [type(error) for error in errors] == [ToolConnectionError] * 4
    assert all(error.fatal and error.effect == "none" for error in errors)


def test_a_pool_without_a_free_connection(classify):
    with RedisServer("+OK") as server:
        for pool_class, cls in (
            (redis.ConnectionPool, ToolUnavailableError),
            (redis.BlockingConnectionPool, ToolTimeoutError),
        ):
            pool = pool_class(host="127.0.0.1", port=server.port, protocol=2, max_connections=1)
            if pool_class is redis.BlockingConnectionPool:
                pool.timeout = 0.1
            taken = pool.get_connection()
            error = classify(pool.get_connection)
            assert (type(error), error.effect) == (cls, "none")
            taken.disconnect()


def test_a_lock_that_somebody_else_holds(classify):
    with RedisServer("$-1") as server:
        error = classify(lambda: ask(server.port, lambda client: client.lock("L", blocking_timeout=0.05).__enter__()))
    assert (type(error), error.code, error.transient) == (ResourceConflictError, "ABORTED", True)
    assert error.message == "Another client holds the lock."


def test_a_watched_key_that_was_changed(classify):
    def watched(client):
        with client.pipeline() as commands:
            commands.watch("a")
            commands.multi()
            commands.set("a", 1)
            commands.execute()

    with RedisServer("*-1") as server:
        error = classify(lambda: ask(server.port, watched))
    assert (type(error), error.code) == (ResourceConflictError, "ABORTED")


def test_a_value_that_redis_cannot_hold(classify):
    with RedisServer("+OK") as server:
        error = classify(lambda: ask(server.port, lambda client: client.set("a", {"b": 1})))
    assert (type(error), error.message) == (ToolArgumentError, "Redis rejected the arguments.")


SCRIPT = "script: 82903a0434f1503e152f89c03c9acd881a0e8150, on @user_script:1."
FROM_SCRIPTS = [
    (f"WRONGTYPE Operation against a key holding the wrong kind of value {SCRIPT}", ToolArgumentError),
    (f"ERR value is not an integer or out of range {SCRIPT}", ToolArgumentError),
    (f"READONLY You can't write against a read only replica. {SCRIPT}", ResourceConflictError),
    (f"ERR Script killed by user with SCRIPT KILL... {SCRIPT}", ToolCancelledError),
    ("UNBLOCKED client unblocked via CLIENT UNBLOCK", ToolCancelledError),
    ("MINE a prefix of the script's own", ToolExecutionError),
    ("Some words of the script's own", ToolArgumentError),
]


@pytest.mark.parametrize(("answer", "cls"), FROM_SCRIPTS, ids=[one[0][:20] for one in FROM_SCRIPTS])
def test_a_script_may_have_written_before_it_failed(classify, answer, cls):
    with RedisServer(f"-{answer}") as server:
        error = classify(lambda: ask(server.port, lambda client: client.eval("return 1", 0)))
    assert (type(error), error.effect, error.provider) == (cls, "possible", "redis")


def test_a_command_that_was_sent_before_nobody_listened(classify):
    with RedisServer("hang up for good") as server:
        error = classify(lambda: ask(server.port, lambda client: client.incr("n"), retry=Retry(NoBackoff(), 2)))
    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "possible")


def test_a_lock_that_ran_out_before_it_was_given_back(classify):
    def work(client):
        lock = client.lock("L", timeout=10)
        lock.local.token = b"mine"
        lock.release()

    with RedisServer(":0") as server:
        error = classify(lambda: ask(server.port, work))
    assert (type(error), error.code, error.transient, error.effect) == (
        ResourceConflictError,
        "ABORTED",
        False,
        "possible",
    )


def test_an_answer_that_is_not_redis(classify):
    with RedisServer("HTTP/1.1 400 Bad Request") as server:
        error = classify(lambda: ask(server.port))
    assert (type(error), error.effect, error.rule) == (
        ToolExecutionError,
        "possible",
        "mulligan_stores:redis_unreadable",
    )


def test_a_cluster_s_client_used_for_something_else(classify):
    with RedisServer("-ERR This instance has cluster support disabled") as server:
        error = classify(lambda: redis.RedisCluster(host="127.0.0.1", port=server.port, protocol=2))
    assert (type(error), error.provider, error.effect) == (ToolExecutionError, "redis", "none")
    error = classify(lambda: redis.RedisCluster(host="127.0.0.1", db=3))
    assert (type(error), error.rule) == (ToolExecutionError, "mulligan_stores:redis_cluster_use")


CLUSTER = [
    (redis.exceptions.ClusterDownError("Hash slot not served"), ToolUnavailableError, "none"),
    (redis.exceptions.SlotNotCoveredError('Slot "3999" not covered by the cluster.'), ToolUnavailableError, "none"),
    (redis.exceptions.ClusterError("TTL exhausted."), ToolUnavailableError, "possible"),
    (redis.exceptions.MovedError("3999 127.0.0.1:6381"), ToolExecutionError, "none"),
    (redis.exceptions.AskError("3999 127.0.0.1:6381"), ToolExecutionError, "none"),
    (redis.exceptions.ClusterCrossSlotError("Keys in request don't hash to the same slot"), ToolArgumentError, "none"),
    (redis.exceptions.CrossSlotTransactionError("All keys must map to the same slot"), ToolArgumentError, "none"),
    (redis.exceptions.InvalidPipelineStack("Unexpected response length"), ToolExecutionError, "possible"),
    (redis.exceptions.RedisClusterException("ERROR sending 'config get' command"), ToolUnavailableError, "possible"),
]


@pytest.mark.parametrize(("raised", "cls", "effect"), CLUSTER, ids=[type(one[0]).__name__ for one in CLUSTER])
def test_what_the_client_of_a_cluster_raises(classify, raised, cls, effect):
    def raising():
        raise raised

    error = classify(raising)
    assert (type(error), error.effect, error.provider) == (cls, effect, "redis")


def test_a_redirection_says_which_client_is_needed(classify):
    with RedisServer("-MOVED 3999 127.0.0.1:6381") as server:
        error = classify(lambda: ask(server.port))
    assert error.message == "Redis is a cluster, which needs the client for clusters (MOVED)."


def test_a_certificate_that_cannot_be_verified(classify):
    def raising():
        raise redis.ConnectionError("Error 1 connecting to r.example.com:6380. certificate verify failed: self-signed")

    error = classify(raising)
    assert type(error) is ToolConnectionError
    assert error.message == "The TLS connection to Redis could not be established."
