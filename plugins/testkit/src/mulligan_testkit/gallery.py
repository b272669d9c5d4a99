"""How a package classifies its provider's failures, recorded for the gallery in the documentation.

The tests of a package subclass `Gallery` and define the fixture `shown`. With `MULLIGAN_RECORD` set, what the model reads is
written to the file `gallery.json` beside the test.
"""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from types import ModuleType
from typing import Any, ClassVar

import attrs
import pytest

from mulligan import Pipeline, Policy, Tool, ToolCall

_MARK = re.compile(r"\b[0-9a-f]{16,}\b")


@attrs.frozen
class GalleryFailure:
    """A failure that shows what the package does.

    Attributes:
        title: what went wrong, in a reader's words.
        tool: the name of the tool that failed.
        arguments: the arguments of the call.
        fail: raises the failure, through the provider's real library.
        writes: whether the tool changes something.
    """

    title: str
    tool: str
    arguments: Mapping[str, Any]
    fail: Callable[[], object]
    writes: bool = False


class Gallery:
    """Subclass this as `TestGallery`, and define `title`, `plugin`, `packages` and the fixture `shown`.

    Attributes:
        title: the subject of the package, as readers know it.
        plugin: the package's module.
        packages: the provider's distributions, whose versions the page lists.
    """

    title: ClassVar[str]
    plugin: ClassVar[ModuleType]
    packages: ClassVar[tuple[str, ...]]

    @pytest.fixture
    def shown(self) -> Sequence[GalleryFailure]:
        """Three to six failures."""
        raise NotImplementedError

    def test_the_recorded_gallery_is_up_to_date(self, shown: Sequence[GalleryFailure]) -> None:
        """The recorded gallery has the classes, rules and errors that the package gives now."""
        path = pathlib.Path(sys.modules[type(self).__module__].__file__ or "").with_name("gallery.json")
        records = [self._record(failure) for failure in shown]
        if os.environ.get("MULLIGAN_RECORD"):
            path.write_text(json.dumps(self._page(records), indent=1, ensure_ascii=False) + "\n", "utf-8")
        recorded = json.loads(path.read_text("utf-8"))["failures"]
        assert [_comparable(record) for record in recorded] == [_comparable(record) for record in records]
        assert 3 <= len(records) <= 6

    def _record(self, shown: GalleryFailure) -> dict[str, Any]:
        tool = Tool.from_schema(
            shown.tool, "", {"type": "object"}, lambda **_: shown.fail(), read_only=not shown.writes, detect=True
        )
        with Pipeline([tool], plugins=[self.plugin], autoload=False, policy=Policy(retry=False)) as pipeline:
            result = pipeline.call(ToolCall("c1", shown.tool, dict(shown.arguments)))
        assert result.error is not None, shown.title
        is_by_package = (result.error.rule or "").partition(":")[0] == self.plugin.__name__
        assert is_by_package or result.error.provider is not None, f"{shown.title}: the package adds nothing"
        raised = result.error.__cause__
        return {
            "title": shown.title,
            "call": _without_local_details(
                f"{shown.tool}({', '.join(f'{key}={value!r}' for key, value in shown.arguments.items())})"
            ),
            "raised": None if raised is None else f"{type(raised).__module__}.{type(raised).__qualname__}",
            "error": type(result.error).__name__,
            "code": result.error.code,
            "fatal": result.fatal,
            "rule": result.error.rule,
            "reads": _without_local_details(result.content),
        }

    def _page(self, records: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "title": self.title,
            "versions": {name: version(name) for name in self.packages},
            "python": ".".join(map(str, sys.version_info[:3])),
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "failures": records,
        }


def _comparable(record: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(record[name] for name in ("title", "call", "raised", "error", "code", "fatal", "rule"))


def _without_local_details(text: str) -> str:
    """The text without what differs between machines and runs."""
    text = re.sub(r"(127\.0\.0\.1:|\bport[ =])\d+", r"\g<1>1234", text)
    text = re.sub(rf"(?<!\w){re.escape(tempfile.gettempdir())}/[\w./-]*?(?=[\w.-]+\b['\"]?)", "…/", text)
    for folder in (str(pathlib.Path.cwd()), str(pathlib.Path.home()), sys.prefix):
        text = text.replace(folder, "…")
    return _MARK.sub("0123456789abcdef", re.sub(r"0x[0-9a-f]{6,}", "0x…", text))
