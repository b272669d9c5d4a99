"""What a package makes of its provider's failures, recorded for the gallery of the documentation.

The tests of a package subclass `Gallery` and give the fixture `shown`. With `MULLIGAN_RECORD` set, what the model reads is
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
    """A failure that says something about the package.

    Attributes:
        title: what went wrong, as a reader would say it.
        tool: the name of the tool that met it.
        arguments: those of the call.
        fail: raises it, by the provider's real library.
        writes: whether the tool changes something.
    """

    title: str
    tool: str
    arguments: Mapping[str, Any]
    fail: Callable[[], object]
    writes: bool = False


class Gallery:
    """Subclass this as `TestGallery`, define `title`, `plugin` and `packages`, and give the fixture `shown`.

    Attributes:
        title: what the package is about, as a reader knows it.
        plugin: the package's module.
        packages: the provider's distributions, whose versions the page names.
    """

    title: ClassVar[str]
    plugin: ClassVar[ModuleType]
    packages: ClassVar[tuple[str, ...]]

    @pytest.fixture
    def shown(self) -> Sequence[GalleryFailure]:
        """Three to six failures."""
        raise NotImplementedError

    def test_the_gallery_tells_what_is_so(self, shown: Sequence[GalleryFailure]) -> None:
        """What is kept names the classes, rules and errors that are seen now, and the model is told something of each."""
        path = pathlib.Path(sys.modules[type(self).__module__].__file__ or "").with_name("gallery.json")
        told = [self._record(one) for one in shown]
        if os.environ.get("MULLIGAN_RECORD"):
            path.write_text(json.dumps(self._page(told), indent=1, ensure_ascii=False) + "\n", "utf-8")
        kept = json.loads(path.read_text("utf-8"))["failures"]
        assert [_comparable(one) for one in kept] == [_comparable(one) for one in told]
        assert 3 <= len(told) <= 6

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

    def _page(self, told: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "title": self.title,
            "versions": {name: version(name) for name in self.packages},
            "python": ".".join(map(str, sys.version_info[:3])),
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "failures": told,
        }


def _comparable(told: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(told[name] for name in ("title", "call", "raised", "error", "code", "fatal", "rule"))


def _without_local_details(text: str) -> str:
    """A text without what differs from one machine and run to another."""
    text = re.sub(r"(127\.0\.0\.1:|\bport[ =])\d+", r"\g<1>1234", text)
    text = re.sub(rf"(?<!\w){re.escape(tempfile.gettempdir())}/[\w./-]*?(?=[\w.-]+\b['\"]?)", "…/", text)
    for folder in (str(pathlib.Path.cwd()), str(pathlib.Path.home()), sys.prefix):
        text = text.replace(folder, "…")
    return _MARK.sub("0123456789abcdef", re.sub(r"0x[0-9a-f]{6,}", "0x…", text))
