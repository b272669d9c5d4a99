"""The pytest plugin of mulligan: fixtures that use `mulligan.testing`, which is imported only when a test asks for one.

It is a package of its own beside `mulligan`, so that a run of pytest in which no test needs it pays nothing for it, and so
that the coverage of `mulligan` can be measured from its first line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mulligan import Pipeline, Toolset
    from mulligan.testing import FakeClock

__all__ = ["fake_clock", "model_reads", "pipeline", "pytest_addoption", "toolset"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option `--mulligan-update`.

    Args:
        parser: pytest's.
    """
    help_text = "update the snapshots of the fixture model_reads"
    parser.getgroup("mulligan").addoption("--mulligan-update", action="store_true", help=help_text)


@pytest.fixture
def pipeline() -> Iterator[Callable[..., Pipeline]]:
    """`pipeline(tool, ..., plugins=[...], **options)`: a pipeline without installed plugins, strict, closed after the test.

    Strict raises whatever a plugin does wrong, and every error of a tool; `strict=False` is for tests of what a model reads.
    With `clock=fake_clock`, waits take no time.
    """
    from mulligan.pipeline import Pipeline
    from mulligan.testing.pipelines import TimelessPipeline

    made: list[Pipeline] = []

    def make(*tools: Any, **options: Any) -> Pipeline:
        given = {"autoload": False, "strict": True, **options}
        made.append(TimelessPipeline(tools, **given) if "clock" in given else Pipeline(tools, **given))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def toolset() -> Toolset:
    """Three tools of a small file system in memory: `read_file`, `list_files` and `write_file`."""
    from mulligan.testing.tools import sample_tools

    return sample_tools()


@pytest.fixture
def fake_clock() -> FakeClock:
    """A clock that moves only when it is advanced: `fake_clock.advance(30)`."""
    from mulligan.testing.pipelines import FakeClock

    return FakeClock()


@pytest.fixture
def model_reads(request: pytest.FixtureRequest) -> Callable[..., None]:
    """`model_reads(result, name="", hide={...})`: asserts that the model reads the content of a file beside the test.

    The file is `model_reads/<module>/<test>.txt`, and `--mulligan-update` writes it. A test with several gives each a `name`.
    """
    from mulligan.testing.assertions import assert_reads, wants_update

    folder = Path(request.path).parent / "model_reads" / Path(request.path).stem
    update = bool(request.config.getoption("--mulligan-update")) or wants_update()
    used: set[str] = set()

    def check(given: Any, name: str = "", **options: Any) -> None:
        __tracebackhide__ = True
        file = re.sub(r"[^\w.-]+", "-", f"{request.node.name}-{name}" if name else request.node.name).strip("-")
        if file in used:
            raise AssertionError(
                f"two snapshots of this test are named {file!r}; give each a name: model_reads(..., name=...)"
            )
        used.add(file)
        assert_reads(given, folder / f"{file}.txt", **{"update": update, **options})

    return check
