"""Every test that asks for `run` is played sync and async."""

import pytest
from langchain_script import BOTH


@pytest.fixture(params=BOTH, ids=["sync", "async"])
def run(request):
    return request.param
