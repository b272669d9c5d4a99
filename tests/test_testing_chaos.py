"""Chaos: what is injected, where, how often, and that the same seed gives the same again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mulligan import Pipeline, Tool, errors
from mulligan.middleware import retry
from mulligan.plugin import Waiting
from mulligan.testing import Chaos, FakeClock, Fault, Saboteur, TimelessPipeline, assert_fault, capture_events
from mulligan.testing.chaos import TRANSIENT_FAULTS, Injected

ran: list[str] = []


@pytest.fixture(autouse=True)
def fresh():
    ran.clear()


def read(path: str = "a") -> str:
    """Read."""
    ran.append(path)
    return f"read {path}"


def write(path: str = "a") -> str:
    """Write."""
    ran.append(path)
    return f"wrote {path}"


async def aread(path: str = "a") -> str:
    """Read."""
    ran.append(path)
    await asyncio.sleep(0)
    return f"read {path}"


def several():
    """Read."""
    ran.append("several")
    yield 1


TOOLS = [
    Tool.from_function(read, read_only=True, tags=["files"]),
    Tool.from_function(read, name="look", read_only=True, timeout=20),
    Tool.from_function(aread, read_only=True),
    Tool.from_function(several, read_only=True),
    Tool.from_function(write, tags=["files"]),
]


def pipeline(chaos: Any, **options: Any) -> TimelessPipeline:
    from mulligan import Policy

    return TimelessPipeline(
        TOOLS, **{"middleware": [chaos], "autoload": False, "policy": Policy(retry=False), **options}
    )


def called(held: Pipeline, name: str, awaited: bool = False) -> Any:
    return asyncio.run(held.acall(name, {})) if awaited else held.call(name, {})


@pytest.mark.parametrize("awaited", [False, True], ids=["call", "acall"])
@pytest.mark.parametrize("name", ["read", "look", "aread", "several"])
@pytest.mark.parametrize(("kind", "runs"), [("faults", 0), ("lost", 1)])
def test_a_fault_is_an_error_that_says_it_was_chaos(kind, runs, name, awaited):
    with pipeline(chaos := Chaos(**{kind: 1})) as held:
        result = called(held, name, awaited)
    assert result.is_error
    assert result.error.rule in {f"chaos:{fault.name}" for fault in (*TRANSIENT_FAULTS, Fault("lost", None))}
    assert not result.fatal
    assert len(ran) == runs
    (injected,) = chaos.injected
    assert injected == Injected(name, 1, {"faults": "fault", "lost": "lost"}[kind], result.error.rule[6:])
    if kind == "lost":
        assert (type(result.error), result.error.effect) == (errors.ToolConnectionError, "possible")


def test_each_fault_is_classified_like_a_real_one():
    wanted = {
        "dropped": (errors.ToolConnectionError, True),
        "timeout": (errors.ToolTimeoutError, True),
        "unavailable": (errors.ToolUnavailableError, True),
        "rate-limit": (errors.ToolRateLimitError, True),
        "unknown": (errors.ToolExecutionError, False),
    }
    for fault in TRANSIENT_FAULTS:
        with pipeline(Chaos(faults=1, raises=[fault])) as held:
            error = held.call("read", {}).error
        assert (type(error), error.transient) == wanted[fault.name]
        assert error.rule == f"chaos:{fault.name}"


@pytest.mark.parametrize("awaited", [False, True], ids=["call", "acall"])
def test_hostile_values_are_answered(awaited):
    with pipeline(chaos := Chaos(values=1)) as held:
        for _ in range(60):
            result = called(held, "read", awaited)
            assert len(result.content) <= 2_000 or not result.is_error
            if result.is_error and result.attempts and not result.error.rule.startswith("host:"):
                assert result.error.rule.startswith("chaos:")
        assert held.faults == ()
    assert ran == []
    assert len({injected.name for injected in chaos.injected}) > 15
    assert {injected.kind for injected in chaos.injected} == {"value"}


def test_a_value_of_ones_own():
    with pipeline(Chaos(values=1, gives=[Fault("refusal", lambda: {"ok": False, "error": "not_found"})])) as held:
        result = held.call("read", {})
    assert isinstance(result.error, errors.ResourceNotFoundError)
    assert result.error.rule == "chaos:refusal"


def test_a_crash_is_a_fault_of_a_plugin_and_changes_nothing_else():
    with pipeline(chaos := Chaos(crashes=1, seed="x")) as held:
        assert held.call("read", {}).content == "read a"
        assert_fault(held, hook="middlewares", match=r"ChaosError: run 1 of read \(seed 'x'\)")
    assert chaos.injected == (Injected("read", 1, "crash", "crash"),)


def test_latency_is_a_wait_that_the_clock_of_a_test_makes_short():
    clock = FakeClock()
    with pipeline(chaos := Chaos(latency=1, delay=(2, 3)), clock=clock) as held:
        with capture_events(held) as events:
            result = held.call("read", {})
    (wait,) = clock.waits
    assert 2 <= wait <= 3
    assert result.content == "read a"
    assert result.duration == pytest.approx(wait)
    assert [event.seconds for event in events.of(Waiting)] == [wait]
    assert chaos.injected == (Injected("read", 1, "latency", seconds=wait),)


@pytest.mark.parametrize("awaited", [False, True], ids=["call", "acall"])
def test_latency_beyond_the_deadline_is_a_timeout_that_says_so(awaited):
    with pipeline(Chaos(latency=1, delay=(30, 30))) as held:
        result = called(held, "look", awaited)
    assert isinstance(result.error, errors.ToolTimeoutError)
    assert result.error.rule == "chaos:latency"
    assert ran == []


def test_a_tool_that_may_write_is_left_alone_unless_asked():
    with pipeline(chaos := Chaos(faults=1, crashes=1, latency=1)) as held:
        assert held.call("write", {}).content == "wrote a"
        assert held.faults == ()
    assert chaos.injected == ()
    with pipeline(Chaos(lost=1, writes=True)) as held:
        result = held.call("write", {})
    assert ran == ["a", "a"]
    assert "It may have taken effect." in result.content
    assert result.attempts == 1


@pytest.mark.parametrize(
    ("match", "harmed"),
    [
        ("tool:read", {"read"}),
        ("tag:files", {"read"}),
        ("all", {"read", "look"}),
        (lambda tool, call: tool.name if tool.timeout else None, {"look"}),
    ],
)
def test_only_some_tools(match, harmed):
    with pipeline(Chaos(faults=1, match=match)) as held:
        assert {name for name in ("read", "look") if held.call(name, {}).is_error} == harmed


def played(chaos: Chaos, order: str = "rrrrrlrlrlrlrlllll", **options: Any) -> list[Injected]:
    with pipeline(chaos, **options) as held:
        for letter in order:
            held.call("read" if letter == "r" else "look", {})
    return sorted(chaos.injected)


def some(seed: int, **more: Any) -> Chaos:
    return Chaos(**{"seed": seed, "faults": 0.3, "lost": 0.2, "values": 0.2, "crashes": 0.1, "latency": 0.3, **more})


def test_the_same_seed_gives_the_same_run_whatever_else_is_called_meanwhile():
    first = played(some(7))
    assert first == played(some(7)) == played(some(7), "r" * 9 + "l" * 9)
    assert first != played(some(8))
    assert {injected.kind for injected in first} >= {"fault", "lost", "value", "latency"}
    chaos = some(7)
    assert played(chaos) == first
    chaos.reset()
    assert played(chaos) == first


def test_one_rate_does_not_change_what_others_do():
    few = [injected for injected in played(some(7, values=0)) if injected.kind in ("fault", "lost", "latency")]
    many = [injected for injected in played(some(7, values=1)) if injected.kind in ("fault", "lost", "latency")]
    assert few == many


def test_calls_at_once_are_harmed_as_calls_in_turn():
    def kinds(awaited: bool) -> list[Any]:
        calls = [("aread", {})] * 30
        with pipeline(some(3)) as held:
            results = asyncio.run(held.acall_many(calls)) if awaited else held.call_many(calls)
        return [(result.is_error, result.error.rule if result.is_error else "") for result in results]

    assert kinds(False) == kinds(True)


def test_it_comes_about_as_often_as_it_should():
    chaos = Chaos(seed=1, faults=0.25)
    played(chaos, "r" * 400)
    assert 70 <= len(chaos.injected) <= 130


def test_innermost_so_that_a_retry_helps():
    clock = FakeClock()
    chaos = Chaos(seed=1, faults=0.5, raises=TRANSIENT_FAULTS[:1])
    again = retry(attempts=8, timeout=1_000, budget=None, clock=clock)
    with pipeline(chaos, middleware=[again, chaos], clock=clock) as held:
        results = [held.call("read", {}) for _ in range(20)]
    assert not any(result.is_error for result in results)
    assert max(result.attempts for result in results) > 2


def test_only_the_last_thousand_are_kept():
    chaos = Chaos(faults=1)
    played(chaos, "r" * 1_010)
    assert len(chaos.injected) == 1_000
    assert chaos.injected[0].number == 11


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"faults": 1.5}, r"Chaos\(faults=1.5\): give a number from 0 \(never\) to 1 \(always\)"),
        ({"crashes": True}, r"Chaos\(crashes=True\)"),
        ({"values": "often"}, r"Chaos\(values='often'\)"),
        ({"delay": (3, 1)}, r"Chaos\(delay=\(3, 1\)\): give the shortest and the longest wait in seconds"),
        ({"raises": []}, r"Chaos\(raises=\[\]\): give a list of mulligan.testing.Fault\(name, make\)"),
        ({"gives": [ValueError]}, r"Chaos\(gives=\[<class 'ValueError'>\]\)"),
        ({"match": "files"}, r"Chaos\(key='files'\): use 'tool', 'tool:NAME'"),
    ],
)
def test_wrong_settings_are_named(options, text):
    with pytest.raises(errors.UsageError, match=text):
        Chaos(**options)


def test_how_it_is_shown():
    assert repr(Chaos(seed=7, faults=0.25, latency=0.5)) == "Chaos(seed=7, faults=0.25, latency=0.5)"
    assert repr(Chaos()) == "Chaos(seed=0, nothing)"


# --- a plugin that crashes


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("crashes", [0.3, 1.0])
def test_every_result_is_as_without_a_saboteur(seed, crashes):
    def fail() -> str:
        raise FileNotFoundError(2, "No such file or directory", "a.md")

    def contents(*plugins: Any) -> list[str]:
        with Pipeline([read, fail], plugins=plugins, autoload=False) as held:
            results = [held.call(name, {}) for name in ("read", "fail", "none", "read", "fail", "read", "fail")]
            states = {info.name: info.state for info in held.plugins}
            assert states.get("Saboteur") in (None, "disabled", "active")
            assert bool(held.faults) == bool(plugins)
        return [result.content for result in results]

    assert contents(Saboteur(seed=seed, crashes=crashes)) == contents()


def test_the_rate_of_a_saboteur():
    with Pipeline([read], plugins=[Saboteur(crashes=0)], autoload=False) as held:
        assert held.call("read", {}).content == "read a"
        assert held.faults == ()
    with pytest.raises(errors.UsageError, match=r"Saboteur\(crashes=2\): give a number from 0"):
        Saboteur(crashes=2)
