"""Fixtures: a pipeline with this package alone; `serve` and `dead` are the test kit's."""

import mulligan_google
import pytest

from mulligan import Pipeline


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline(plugins=[mulligan_google], autoload=False, strict=True)
