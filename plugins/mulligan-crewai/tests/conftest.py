import os
import pathlib
import warnings

import pytest

os.environ |= {"OTEL_SDK_DISABLED": "true", "CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_TRACING_ENABLED": "false"}
with warnings.catch_warnings():  # CrewAI warns of its own modules
    warnings.simplefilter("ignore")
    import crewai  # noqa: F401

HERE = pathlib.Path(__file__).parent


def pytest_collection_modifyitems(items):
    """CrewAI reads its own deprecated fields."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.filterwarnings("ignore::DeprecationWarning:crewai"))
