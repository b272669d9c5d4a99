"""A plugin that crashes at random; every result must be the same with and without it."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from mulligan.plugin import hookimpl
from mulligan.testing.chaos import ChaosError, check_rate


class Saboteur:
    """A plugin that crashes at random, in any hook; a pipeline disables it after three crashes.

    Pass it with other plugins, `plugins=[acme, Saboteur(seed=7, crashes=0.5)]`: every result must be as without it.

    Args:
        seed: the seed of the random numbers.
        crashes: how often it crashes, from 0 to 1; it raises, tries to exit the interpreter, or returns an unusable value.

    Raises:
        UsageError: `crashes` is not a number from 0 to 1.
    """

    def __init__(self, *, seed: int | str = 0, crashes: float = 1.0) -> None:
        check_rate("Saboteur", "crashes", crashes)
        self._seed = seed
        self._crashes = crashes
        self._asked: Counter[str] = Counter()

    def _perhaps(self, hook: str) -> Any:
        self._asked[hook] += 1
        number = self._asked[hook]
        chance = random.Random(f"{self._seed}/{hook}/{number}")  # noqa: S311 - chance, no secret
        if chance.random() >= self._crashes:
            return None
        way = chance.randrange(3)
        if way == 0:
            raise ChaosError(f"{hook}, time {number} (seed {self._seed!r})")
        if way == 1:
            raise SystemExit(3)
        return object()

    @hookimpl(tryfirst=True)
    def resolve(self) -> Any:
        """Crashes by chance."""
        return self._perhaps("resolve")

    @hookimpl(tryfirst=True)
    def validate(self) -> Any:
        """Crashes by chance."""
        return self._perhaps("validate")

    @hookimpl(tryfirst=True)
    def detect(self) -> Any:
        """Crashes by chance."""
        return self._perhaps("detect")

    @hookimpl(tryfirst=True)
    def classify(self) -> Any:
        """Crashes by chance."""
        return self._perhaps("classify")

    @hookimpl(tryfirst=True)
    def hints(self) -> Any:
        """Crashes by chance."""
        return self._perhaps("hints")

    @hookimpl(tryfirst=True)
    def render_feedback(self) -> Any:
        """Crashes by chance."""
        return self._perhaps("render_feedback")
