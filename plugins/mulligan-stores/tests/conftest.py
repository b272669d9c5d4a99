"""What the tests of mulligan-stores share: a pipeline with this plugin only."""

from __future__ import annotations

import mulligan_stores
import pytest

from mulligan import Pipeline


@pytest.fixture
def classify():
    pipeline = Pipeline(plugins=[mulligan_stores], autoload=False, strict=True)

    def ask(raising, **arguments):
        """The error for what a function raises."""
        try:
            raising()
        except Exception as raised:
            return pipeline.classify(raised, tool="ask_store", arguments=arguments)
        pytest.fail("it was to raise")

    return ask
