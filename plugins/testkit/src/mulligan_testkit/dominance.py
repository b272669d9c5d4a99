"""Plays every scene with a framework alone and with mulligan in it, and holds that the second is never worse.

An adapter's tests subclass `Dominance` and say how a scene is played. With `MULLIGAN_RECORD` set, what was heard is
written to the file `dominance.json` beside the test, from which the page of the documentation is made.
"""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import re
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, ClassVar

import attrs
import pytest

from mulligan.errors import ToolError
from mulligan_testkit.props import PATIENCE
from mulligan_testkit.scenes import SCENES, Scene, Stage

LONGEST = 4_000
_SHOWN = 700
_PERFORMANCES = pytest.StashKey[dict[str, tuple["Performance", "Performance"]]]()


@attrs.define
class Performance:
    """What came of one performance.

    Attributes:
        answers: what the model received for each call, by call id; one that was never answered is not there.
        finished: whether the model's last text was reached.
        error: what ended the run otherwise, or None.
        seconds: how long it took; measured by `play`.
        ran: how often each tool was run; counted by `play`.
    """

    answers: Mapping[str, str]
    finished: bool
    error: BaseException | None = None
    seconds: float = 0.0
    ran: Mapping[str, int] = attrs.field(factory=dict)


class Dominance:
    """Subclass this as `TestDominance`, and define `framework`, `packages`, `plain` and `guarded`.

    Attributes:
        framework: the framework's name, as a reader knows it.
        packages: the distributions whose versions the table names.
        cannot: merits that this adapter cannot give, as "scene: merit", and why.
    """

    framework: ClassVar[str]
    packages: ClassVar[tuple[str, ...]]
    cannot: ClassVar[Mapping[str, str]] = {}

    def plain(self, scene: Scene, stage: Stage) -> Performance:
        """The framework alone, used as its documentation begins."""
        raise NotImplementedError

    def guarded(self, scene: Scene, stage: Stage) -> Performance:
        """The framework with the adapter; `scene.timeout` is given to it where there is one."""
        raise NotImplementedError

    @pytest.fixture
    def heard(self, request: pytest.FixtureRequest) -> dict[str, tuple[Performance, Performance]]:
        """Every scene, played both ways once."""
        played = request.node.getparent(pytest.Class).stash
        if _PERFORMANCES not in played:
            played[_PERFORMANCES] = {
                scene.name: (play(self.plain, scene), play(self.guarded, scene)) for scene in SCENES
            }
        return played[_PERFORMANCES]  # type: ignore[no-any-return]

    @pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
    def test_never_worse(self, scene: Scene, heard: dict[str, tuple[Performance, Performance]]) -> None:
        """Nothing good about the framework alone is lost."""
        plain, guarded = (merits(scene, one) for one in heard[scene.name])
        lost = [merit for merit, has in plain.items() if has and not guarded[merit]]
        assert not lost, f"{heard[scene.name][1]}"

    @pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
    def test_every_merit(self, scene: Scene, heard: dict[str, tuple[Performance, Performance]]) -> None:
        """Every merit is there, but those that the adapter says it cannot give."""
        missing = {f"{scene.name}: {merit}" for merit, has in merits(scene, heard[scene.name][1]).items() if not has}
        known = {named for named in self.cannot if named.startswith(f"{scene.name}: ")}
        assert missing == known, f"{heard[scene.name][1]}"

    def test_better_in_most(self, heard: dict[str, tuple[Performance, Performance]]) -> None:
        """More than half of the scenes have gained a merit."""
        better = [scene.name for scene in SCENES if _better(scene, *heard[scene.name])]
        assert len(better) > len(SCENES) / 2, better

    def test_the_table_tells_what_is_so(self, heard: dict[str, tuple[Performance, Performance]]) -> None:
        """The table that is kept names the merits that are seen now."""
        path = pathlib.Path(sys.modules[type(self).__module__].__file__ or "").with_name("dominance.json")
        if os.environ.get("MULLIGAN_RECORD"):
            path.write_text(json.dumps(self._table(heard), indent=1, ensure_ascii=False) + "\n")
        table = json.loads(path.read_text())
        for scene in SCENES:
            told = {merit for merit, has in table["scenes"][scene.name]["guarded"]["merits"].items() if has}
            assert told == {merit for merit, has in merits(scene, heard[scene.name][1]).items() if has}

    def _table(self, heard: dict[str, tuple[Performance, Performance]]) -> dict[str, Any]:
        return {
            "framework": self.framework,
            "versions": {name: version(name) for name in self.packages},
            "python": ".".join(map(str, sys.version_info[:3])),
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "cannot": dict(self.cannot),
            "scenes": {
                scene.name: {
                    "title": scene.title,
                    "plain": _as_record(scene, heard[scene.name][0]),
                    "guarded": _as_record(scene, heard[scene.name][1]),
                }
                for scene in SCENES
            },
        }


def play(perform: Callable[[Scene, Stage], Performance], scene: Scene) -> Performance:
    """One performance, timed and counted.

    Args:
        perform: plays a scene with the tools of a stage.
        scene: which.
    """
    with scene.staged() as stage:
        started = time.monotonic()
        heard = perform(scene, stage)
        heard.seconds = time.monotonic() - started
        heard.ran = dict(stage.ran)
    return heard


def merits(scene: Scene, heard: Performance) -> dict[str, bool]:
    """What is good about a performance, each a sentence on its own.

    Args:
        scene: what was played.
        heard: what came of it.
    """
    asked = [call.id or "" for call in scene.calls]
    stopped = scene.fatal is not None and _stops(heard.error, scene.fatal)
    if stopped and len(scene.messages) > 1:
        asked = [id for id in asked if id in heard.answers]
    found = {
        "the run ends as it should": heard.finished if scene.fatal is None else stopped,
        "every call is answered": bool(heard.answers) and all(id in heard.answers for id in asked),
        "no tool runs too often": all(heard.ran.get(name, 0) <= most for name, most in scene.most.items()),
        "nothing hidden is told": not any(text in told for text in scene.hidden for told in heard.answers.values()),
        "no answer is too long": all(len(text) <= LONGEST for text in heard.answers.values()),
        "nobody waits for the tool": scene.timeout is None or heard.seconds < PATIENCE,
    }
    for id, facts in scene.facts.items():
        for label, pattern in facts:
            told = heard.answers.get(id, "")
            found[f"{id} tells {label}"] = re.search(pattern, told, re.IGNORECASE | re.DOTALL) is not None
    return found


def _stops(error: BaseException | None, wanted: type[ToolError]) -> bool:
    """Whether an error is, or was raised because of, the one that must end the run."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, wanted):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _better(scene: Scene, plain: Performance, guarded: Performance) -> bool:
    before, after = merits(scene, plain), merits(scene, guarded)
    return sum(after.values()) > sum(before.values())


def _as_record(scene: Scene, heard: Performance) -> dict[str, Any]:
    error = heard.error
    return {
        "answers": {id: _excerpt(text) for id, text in heard.answers.items()},
        "ended": "finished" if heard.finished else "stopped" if error is None else _excerpt(_describe_error(error)),
        "merits": merits(scene, heard),
    }


def _describe_error(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def _excerpt(text: str) -> str:
    text = re.sub(r"0x[0-9a-f]{6,}", "0x…", re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:…", text))
    for line in (str(pathlib.Path.cwd()), str(pathlib.Path.home()), sys.prefix):
        text = text.replace(line, "…")
    if len(text) > _SHOWN:
        text = f"{text[:_SHOWN]} … ({len(text):,} characters)"
    return text
