"""The command, and what installing the package brings."""

import subprocess
import sys

import pytest
from conftest import free_port

from mulligan.cli import main


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--tools", "temporal_tools", "--threads", "0"], "--threads 0: use a whole number, at least 1"),
        (["--tools", "no_such_module"], "no_such_module"),
        (["--tools", "temporal_tools", "--address", ""], "Temporal(address=''): use a text that is not empty"),
    ],
)
def test_wrong_usage_of_the_worker_is_explained(words, text, capfd):
    assert main(["temporal", "worker", *words]) == 2
    assert text in capfd.readouterr().err


def test_a_worker_says_that_it_cannot_reach_the_server(capfd):
    assert main(["temporal", "worker", "--tools", "temporal_tools", "--address", f"127.0.0.1:{free_port()}"]) == 2
    assert "The Temporal server cannot be reached" in capfd.readouterr().err


def test_the_package_is_loaded_without_temporal():
    code = (
        "import sys, mulligan; mulligan.Pipeline([]); import mulligan_temporal; sys.exit('temporalio' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
