"""A plugin of pytest: compares each failure that a package's tests classify, with the real library's exceptions.

`bench/classification.py` runs it: `pytest -p classified.recorder --package plugins/mulligan-saas --rows rows.jsonl`.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from classified.compare import Case, Package, Row

from mulligan.classify.classifier import Classifier


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    parser.addoption("--rows", help="the file for the rows, as JSON lines")
    parser.addoption("--package", help="the folder of the package")


def pytest_configure(config: pytest.Config) -> None:
    """Starts to record."""
    folder = Path(config.getoption("--package"))
    (package,) = Package.all(folder.parent, folder.name)
    config.pluginmanager.register(Recorder(package, Path(config.getoption("--rows"))))


class Recorder:
    """Compares what the tests classify, and writes it down if the test passes."""

    def __init__(self, package: Package, file: Path) -> None:
        self._package = package
        self._file = file
        self._rows: list[Row] | None = None
        self._test = ""
        self._classify = Classifier.classify
        recorder = self

        def classify(self: Classifier, failure: Any, *args: Any, **more: Any) -> Any:
            recorder.note(failure)
            return recorder._classify(self, failure, *args, **more)

        Classifier.classify = classify  # type: ignore[method-assign]

    def note(self, failure: Any) -> None:
        """Compares one failure, unless it is one of the comparison itself."""
        rows, self._rows = self._rows, None
        if rows is None or failure.outer is not None:
            self._rows = rows
            return
        try:
            subject = failure.value if failure.exception is None else failure.exception
            tool = failure.tool or failure.tool_name
            source, _, name = self._test.rpartition("/")[2].partition("::")
            row = self._package.compare(Case(source, name, subject, tool, failure.arguments))
            if row is not None and row not in rows:
                rows.append(row)
        finally:
            self._rows = rows

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Compares during a test; the suite's invented inputs are left out."""
        is_invented = "test_conformance.py" in item.nodeid and "test_samples" not in item.nodeid
        self._test, self._rows = item.nodeid, None if is_invented else []
        try:
            return (yield)
        finally:
            self._rows = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Writes the rows of a test that passes."""
        result = yield
        with self._file.open("a", encoding="utf-8") as out:
            out.writelines(f"{json.dumps(asdict(row))}\n" for row in self._rows or ())
        return result
