"""Fixtures: a pipeline with this package alone; `serve` and `dead` are the test kit's."""

import mulligan_azure
import pytest

from mulligan import Pipeline


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline(plugins=[mulligan_azure], autoload=False, strict=True)
