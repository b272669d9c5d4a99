"""Plays every scene with a framework alone and with mulligan in it, and checks that the second is never worse.

An adapter's tests subclass `Dominance` and define how a scene is played. With `MULLIGAN_RECORD` set, the outcomes are
written to the file `dominance.json` beside the test, from which the page of the documentation is generated.
"""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, ClassVar

import attrs
import pytest

from mulligan.errors import ToolError
from mulligan_testkit.conversations import SCENES
from mulligan_testkit.props import PATIENCE, Stage
from mulligan_testkit.scenes import Scene, Turn

LONGEST = 4_000
_SHOWN = 700
_LISTED = 8
_PLAYED = pytest.StashKey[dict[str, "Both"]]()


@attrs.define
class Performance:
    """The outcome of one turn.

    Attributes:
        answers: what the model received for each call, by call id; a call that was never answered is missing.
        finished: whether the model's last text was reached.
        error: the exception that ended the run instead, or None.
    """

    answers: Mapping[str, str]
    finished: bool
    error: BaseException | None = None


@attrs.frozen
class Played:
    """The outcome of a whole scene.

    Attributes:
        turns: the outcome of each turn.
        seconds: how long it took.
        ran: how often each tool was run.
    """

    turns: Sequence[Performance]
    seconds: float
    ran: Mapping[str, int]


Both = tuple[Played, Played]


class Dominance:
    """Subclass this as `TestDominance`, and define the attributes, `open`, and the ways that the framework supports.

    Each way plays a scene either with the framework alone, as its documentation shows first, or with the adapter, and
    returns the outcome of each turn. The adapter gets `scene.timeout` if the scene has one.

    Attributes:
        framework: the framework's name, as readers know it.
        packages: the distributions whose versions the table lists.
        cannot: merits that this adapter cannot have, as "scene: merit", each with the reason.
        absent: ways that this framework does not support, each with the reason.
    """

    framework: ClassVar[str]
    packages: ClassVar[tuple[str, ...]]
    cannot: ClassVar[Mapping[str, str]] = {}
    absent: ClassVar[Mapping[str, str]] = {}

    def open(self, scene: Scene, stage: Stage, is_guarded: bool) -> Callable[[Turn], Performance]:
        """Begins a conversation with one agent, and returns the function that plays a turn of it."""
        raise NotImplementedError

    def say(self, text: str) -> Any:
        """Called in a tool: sends a text to the model in the way that the framework provides for authors of tools."""
        raise NotImplementedError

    def talk(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        """One agent, and messages of the user one after the other."""
        send = self.open(scene, stage, is_guarded)
        return [send(turn) for turn in scene.on(stage)]

    def author(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        """Like `talk`; the tool calls `say`."""
        return self.talk(scene, stage, is_guarded)

    def agents(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        """Each turn has its own agent, as close to the previous one as the framework allows."""
        raise NotImplementedError

    def branches(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        """All turns at the same time, each in its own branch."""
        raise NotImplementedError

    def replay(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        """One agent; the last turn starts where the previous one started."""
        raise NotImplementedError

    def handoff(self, scene: Scene, stage: Stage, is_guarded: bool) -> list[Performance]:
        """An agent without tools hands off to one with tools, which did not exist when the first was created or guarded."""
        raise NotImplementedError

    def play(self, scene: Scene, is_guarded: bool) -> Played:
        """Plays a whole scene on its own stage; measures the time and counts the runs of tools."""
        with scene.staged(self.say) as stage:
            started = time.monotonic()
            turns = getattr(self, scene.way)(scene, stage, is_guarded)
            return Played(turns, time.monotonic() - started, dict(stage.ran))

    @pytest.fixture
    def heard(self, request: pytest.FixtureRequest) -> dict[str, Both]:
        """The outcomes of every scene, played once without the adapter and once with it."""
        stash = request.node.getparent(pytest.Class).stash
        if _PLAYED not in stash:
            stash[_PLAYED] = {scene.name: (self.play(scene, False), self.play(scene, True)) for scene in self._scenes()}
        return stash[_PLAYED]  # type: ignore[no-any-return]

    @pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
    def test_never_worse(self, scene: Scene, heard: dict[str, Both]) -> None:
        """Nothing good about the framework alone is lost."""
        if self._lacks(scene):
            return
        plain, guarded = (merits(scene, one) for one in heard[scene.name])
        lost = [merit for merit, has in plain.items() if has and not guarded[merit]]
        assert not lost, f"{heard[scene.name][1]}"

    @pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
    def test_every_merit(self, scene: Scene, heard: dict[str, Both]) -> None:
        """Every merit is present, except those that the adapter says it cannot have."""
        if self._lacks(scene):
            return
        missing = {f"{scene.name}: {merit}" for merit, has in merits(scene, heard[scene.name][1]).items() if not has}
        known = {named for named in self.cannot if named.startswith(f"{scene.name}: ")}
        assert missing == known, f"{heard[scene.name][1]}"

    def test_better_in_most(self, heard: dict[str, Both]) -> None:
        """More than half of the scenes have gained a merit."""
        better = [scene.name for scene in self._scenes() if _better(scene, *heard[scene.name])]
        assert len(better) > len(heard) / 2, better

    def test_the_recorded_table_is_up_to_date(self, heard: dict[str, Both]) -> None:
        """The recorded table lists the merits that the scenes have now."""
        path = pathlib.Path(sys.modules[type(self).__module__].__file__ or "").with_name("dominance.json")
        if os.environ.get("MULLIGAN_RECORD"):
            path.write_text(json.dumps(self._table(heard), indent=1, ensure_ascii=False) + "\n")
        table = json.loads(path.read_text())
        assert [name for name, scene in table["scenes"].items() if "absent" not in scene] == list(heard)
        for scene in self._scenes():
            recorded = {merit for merit, has in table["scenes"][scene.name]["guarded"]["merits"].items() if has}
            assert recorded == {merit for merit, has in merits(scene, heard[scene.name][1]).items() if has}

    def _lacks(self, scene: Scene) -> bool:
        """Whether the framework does not support this kind of scene; the subclass must then not define how to play it."""
        if scene.way not in self.absent:
            return False
        way = "say" if scene.way == "author" else scene.way
        assert self.absent[scene.way]
        assert getattr(type(self), way) is getattr(Dominance, way)
        return True

    def _scenes(self) -> list[Scene]:
        return [scene for scene in SCENES if not self._lacks(scene)]

    def _table(self, heard: dict[str, Both]) -> dict[str, Any]:
        return {
            "framework": self.framework,
            "versions": {name: version(name) for name in self.packages},
            "python": ".".join(map(str, sys.version_info[:3])),
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "cannot": dict(self.cannot),
            "scenes": {scene.name: {"title": scene.title, **self._cell(scene, heard)} for scene in SCENES},
        }

    def _cell(self, scene: Scene, heard: dict[str, Both]) -> dict[str, Any]:
        if scene.way in self.absent:
            return {"absent": self.absent[scene.way]}
        plain, guarded = heard[scene.name]
        return {"plain": _as_record(scene, plain), "guarded": _as_record(scene, guarded)}


def merits(scene: Scene, played: Played) -> dict[str, bool]:
    """What a good outcome has, each as a sentence, and whether this one has it.

    Args:
        scene: the scene.
        played: its outcome.
    """
    found = {}
    for number, (turn, heard) in enumerate(zip(scene.turns, played.turns, strict=True), 1):
        label = f"turn {number}: " if len(scene.turns) > 1 else ""
        found |= {label + merit: has for merit, has in _merits_of_turn(turn, heard).items()}
    found["no tool runs too often"] = all(played.ran.get(name, 0) <= most for name, most in scene.most.items())
    if scene.least:
        found["every call that should run is run"] = all(
            played.ran.get(name, 0) >= least for name, least in scene.least.items()
        )
    found["nobody waits for the tool"] = scene.timeout is None or played.seconds < PATIENCE
    return found


def _merits_of_turn(turn: Turn, heard: Performance) -> dict[str, bool]:
    asked = [call.id or "" for call in turn.calls]
    told = {id: text for id, text in heard.answers.items() if id in asked}
    stopped = turn.fatal is not None and _stops(heard.error, turn.fatal)
    if stopped and len(turn.messages) > 1:
        asked = [id for id in asked if id in told]
    found = {
        "the run ends as it should": heard.finished if turn.fatal is None else stopped,
        "every call is answered": bool(told) and all(id in told for id in asked),
        "nothing hidden is told": not any(text in answer for text in turn.hidden for answer in told.values()),
        "no answer is too long": all(len(text) <= LONGEST for text in told.values()),
    }
    if turn.is_ordered:
        found["the answers come in the order of the calls"] = list(told) == asked
    for id, facts in turn.facts.items():
        for label, pattern in facts:
            found[f"{id} tells {label}"] = re.search(pattern, told.get(id, ""), re.IGNORECASE | re.DOTALL) is not None
    return found


def _stops(error: BaseException | None, wanted: type[ToolError]) -> bool:
    """Whether an error is the one that must end the run, or was caused by it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, wanted):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _better(scene: Scene, plain: Played, guarded: Played) -> bool:
    before, after = merits(scene, plain), merits(scene, guarded)
    return sum(after.values()) > sum(before.values())


def _as_record(scene: Scene, played: Played) -> dict[str, Any]:
    turns = [_turn_record(turn, heard) for turn, heard in zip(scene.turns, played.turns, strict=True)]
    return {"turns": turns, "ran": dict(played.ran), "merits": merits(scene, played)}


def _turn_record(turn: Turn, heard: Performance) -> dict[str, Any]:
    asked = {call.id for call in turn.calls}
    answers = {id: _excerpt(text) for id, text in heard.answers.items() if id in asked}
    if len(answers) > _LISTED:
        shown = list(answers)
        answers = {id: answers[id] for id in (*shown[:2], *shown[-2:])} | {"…": f"{len(shown)} answers in all"}
    error = heard.error
    ended = (
        "finished" if heard.finished else "stopped" if error is None else _excerpt(_describe_error(error), shown=200)
    )
    return {"answers": answers, "ended": ended}


def _describe_error(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def _excerpt(text: str, shown: int = _SHOWN) -> str:
    text = re.sub(r"0x[0-9a-f]{6,}", "0x…", re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:…", text))
    for line in (str(pathlib.Path.cwd()), str(pathlib.Path.home()), sys.prefix):
        text = text.replace(line, "…")
    if len(text) > shown:
        text = f"{text[:shown]} … ({len(text):,} characters)"
    return text
