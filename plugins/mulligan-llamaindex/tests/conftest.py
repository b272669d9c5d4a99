import pathlib

import pytest

HERE = pathlib.Path(__file__).parent


def pytest_collection_modifyitems(items):
    """LlamaIndex reads every attribute of an agent, deprecated ones of pydantic too."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20"))
            item.add_marker(pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince211"))
            item.add_marker(pytest.mark.filterwarnings("ignore:is_running called from within a step"))
            item.add_marker(pytest.mark.filterwarnings("ignore:Skipping serialization of known unserializable key"))
