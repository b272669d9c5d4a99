"""Captures events for a test."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TypeVar, overload

from mulligan.pipeline import Pipeline
from mulligan.plugin import Event, hookimpl

E = TypeVar("E")


class Events(Sequence[Event]):
    """The events of a pipeline, in order. A plugin with the hook `observe`, and a context manager.

    Attributes:
        is_open: whether events are still kept.
    """

    def __init__(self) -> None:
        self.is_open = True
        self._events: list[Event] = []

    @overload
    def __getitem__(self, at: int) -> Event: ...

    @overload
    def __getitem__(self, at: slice) -> list[Event]: ...

    def __getitem__(self, at: int | slice) -> Event | list[Event]:
        return self._events[at]

    def __len__(self) -> int:
        return len(self._events)

    @hookimpl
    def observe(self, event: Event) -> None:
        """Records an event.

        Args:
            event: the event.
        """
        if self.is_open:
            self._events.append(event)

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind.

        Args:
            kind: a class of `mulligan.events`, such as `CallFinished`.
        """
        return [event for event in self if isinstance(event, kind)]

    @property
    def names(self) -> list[str]:
        """The class names of the events."""
        return [type(event).__name__ for event in self]

    def __repr__(self) -> str:
        return f"Events({', '.join(self.names)})"

    def __enter__(self) -> Events:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.is_open = False


def capture_events(pipeline: Pipeline | None = None) -> Events:
    """Records the events of a pipeline from now on, or, with `with`, until the end of the block.

    Args:
        pipeline: an existing pipeline; without it, pass the result to a pipeline as a plugin, `plugins=[events]`.
    """
    events = Events()
    if pipeline is not None:
        host, manager = pipeline._runtime, pipeline._manager  # noqa: SLF001 - the kit belongs to the house
        manager.add(events)
        host.hooks = manager.compile()
    return events
