"""Which conversation a call belongs to: the thread where there is one, else the run."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from contextlib import ExitStack
from typing import Any
from weakref import WeakKeyDictionary

from langgraph.runtime import Runtime

from mulligan import Pipeline, Session
from mulligan.errors import ToolError

_MOST = 1_000


class Conversation:
    """What is remembered of one.

    Attributes:
        session: mulligan's memory of what failed.
        fatal: errors that stop the run, by call id.
        is_stopped: whether it was stopped for them.
    """

    def __init__(self, session: Session) -> None:
        self._step = ExitStack()
        self.session = session
        self.fatal: dict[str, ToolError] = {}
        self.is_stopped = False

    def next_step(self) -> None:
        """What is called from now on, the model calls in one message."""
        self._step.close()
        self._step.enter_context(self.session.step())

    def forgive(self) -> None:
        """The person has spoken since the run was stopped: the same calls may run again."""
        if self.fatal:
            self.fatal.clear()
            self.is_stopped = False
            self.session.forgive()


class Conversations:
    """The conversations of one agent: by thread, the latest thousand; by run, as long as it goes on.

    Args:
        pipeline: makes the sessions.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._lock = threading.Lock()
        self._threads: OrderedDict[Hashable, Conversation] = OrderedDict()
        self._runs: WeakKeyDictionary[Any, dict[str, Conversation]] = WeakKeyDictionary()

    def of(self, runtime: Any) -> Conversation | None:
        """The conversation, or None outside of a graph.

        Args:
            runtime: the framework's, of a node or of a tool.
        """
        info = getattr(runtime, "execution_info", None)
        thread = getattr(info, "thread_id", None)
        graph = (getattr(info, "checkpoint_ns", None) or "").rpartition("|")[0]
        with self._lock:
            if thread is not None:
                return self._of_thread(thread, graph)
            writer = getattr(runtime, "stream_writer", None)  # each run makes one of its own
            if writer is None or writer is Runtime().stream_writer:
                return None
            found = self._runs.setdefault(writer, {})
            return found.get(graph) or found.setdefault(graph, self._begin(None))

    def _of_thread(self, thread: str, graph: str) -> Conversation:
        key = (thread, graph)
        found = self._threads.pop(key, None) or self._begin(thread)
        self._threads[key] = found
        if len(self._threads) > _MOST:
            self._threads.popitem(last=False)
        return found

    def _begin(self, id: str | None) -> Conversation:
        return Conversation(self._pipeline.session(id))
