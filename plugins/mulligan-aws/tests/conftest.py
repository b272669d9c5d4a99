"""Fixtures: a pipeline with this package alone; `serve` and `dead` are the test kit's."""

import mulligan_aws
import pytest

from mulligan import Pipeline


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline(plugins=[mulligan_aws], autoload=False, strict=True)
