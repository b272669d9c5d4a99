"""Middleware for a pipeline: retries, circuit breakers, concurrency limits and rate limits.

from mulligan import Pipeline
from mulligan.middleware import circuit_breaker, concurrency, rate_limit, retry

pipeline = Pipeline(
    tools,
    middleware=[retry(attempts=4), circuit_breaker(key="provider"), rate_limit(10, per=1, key="tag:search"), concurrency(4)],
)

The first middleware is the outermost: each attempt of the retry above passes through the breaker and the limits.
"""

from mulligan.middleware.breaker import CircuitBreaker
from mulligan.middleware.keys import Key
from mulligan.middleware.limits import ConcurrencyLimit, RateLimit
from mulligan.middleware.retries import Retry

retry = Retry
circuit_breaker = CircuitBreaker
concurrency = ConcurrencyLimit
rate_limit = RateLimit

__all__ = [
    "CircuitBreaker",
    "ConcurrencyLimit",
    "Key",
    "RateLimit",
    "Retry",
    "circuit_breaker",
    "concurrency",
    "rate_limit",
    "retry",
]
