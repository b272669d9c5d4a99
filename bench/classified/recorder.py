"""A plugin of pytest: compares each failure that a package's tests classify, with the real library's exceptions.

`bench/classification.py` runs it: `pytest -p classified.recorder --package plugins/mulligan-saas --rows rows.jsonl`.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from classified.compare import LESS_SPECIFIC, Case, Package, Row

from mulligan import errors
from mulligan.classify.classifier import Classifier
from mulligan.errors import ToolError


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
        self._has_passed = False
        self._alone: Row | None = None
        self._classify = Classifier.classify
        recorder = self

        def classify(self: Classifier, failure: Any, *args: Any, **more: Any) -> Any:
            recorder.note(failure)
            return recorder._as_alone(recorder._classify(self, failure, *args, **more))

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

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leaves out the tests of the conformance suite whose inputs are invented."""
        invented = [one for one in items if "test_conformance.py" in one.nodeid and "test_samples" not in one.nodeid]
        config.hook.pytest_deselected(items=invented)
        items[:] = [item for item in items if item not in invented]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        """Compares during a test, and writes the rows down if it passes."""
        self._test, self._rows, self._has_passed = item.nodeid, [], False
        try:
            result = yield
        finally:
            rows, self._rows = self._rows, None
        if self._has_passed:
            wanted = [self._is_wanted(row, item, nextitem) for row in rows]
            rows = [
                replace(row, verdict="different") if is_wanted else row
                for row, is_wanted in zip(rows, wanted, strict=True)
            ]
            with self._file.open("a", encoding="utf-8") as out:
                out.writelines(f"{json.dumps(asdict(row))}\n" for row in rows)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Notes that a test passes."""
        result = yield
        self._has_passed = True
        return result

    def _is_wanted(self, row: Row, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Whether the test fails if the error has the class that mulligan alone gives, and only then."""
        if row.losses != (LESS_SPECIFIC,):
            return False
        return not self._passes(item, nextitem, row) and self._passes(item, nextitem)

    def _passes(self, item: pytest.Item, nextitem: pytest.Item | None, alone: Row | None = None) -> bool:
        """Whether a test passes again, with fresh fixtures."""
        self._alone = alone
        try:
            item._initrequest()  # type: ignore[attr-defined]  # noqa: SLF001
            return all(report.passed for report in runtestprotocol(item, log=False, nextitem=nextitem))
        finally:
            self._alone = None

    def _as_alone(self, error: ToolError) -> ToolError:
        """The error of a rule, of the class that mulligan alone gives."""
        row = self._alone
        if row is not None and type(error).__name__ == row.with_package.partition(",")[0]:
            error.__class__ = getattr(errors, row.alone.partition(",")[0])
        return error
