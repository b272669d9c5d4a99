"""Metrics: durations, failures, repairs, retries and refusals of each tool, with low cardinality."""

from __future__ import annotations

from opentelemetry import metrics
from opentelemetry.metrics import MeterProvider, NoOpMeter, _internal

from mulligan.plugin import CallFinished, CallRepaired, CallRetried, Redactor, RepeatedCallError, Tool, show_name
from mulligan_otel.attributes import METER_PROVIDER, OPERATION, OTHER, UNKNOWN, VERSION, PerTool, plain, provided

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_TOOL = "gen_ai.tool.name"
_OPEN_CIRCUIT = "host:circuit-breaker"
_SATURATED = "classify:saturated"
_MOST_TOOLS = 1_000


class Metrics:
    """Counts the calls of a pipeline.

    Args:
        provider: creates the meter; None for that of the program, which may be set later.

    Attributes:
        provided: holds the provider under `METER_PROVIDER`; while it is None, nothing needs to be counted.
    """

    def __init__(self, provider: MeterProvider | None) -> None:
        meter = metrics.get_meter("mulligan", VERSION, provider)
        self.provided = provided(vars(_internal), METER_PROVIDER, provider, is_off=isinstance(meter, NoOpMeter))
        self._duration = meter.create_histogram(
            "gen_ai.execute_tool.duration",
            unit="s",
            description="Duration of tool calls.",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )
        self._failures = meter.create_counter(
            "mulligan.failures", unit="{call}", description="Calls that failed, by error class."
        )
        self._repairs = meter.create_counter(
            "mulligan.repairs", unit="{repair}", description="Calls that were read differently from how they were sent."
        )
        self._retries = meter.create_counter(
            "mulligan.retries", unit="{attempt}", description="Attempts after the first."
        )
        self._repeats = meter.create_counter(
            "mulligan.refused_repeats", unit="{call}", description="Calls refused because they had failed before."
        )
        self._saturated = meter.create_counter(
            "mulligan.saturated", unit="{call}", description="Calls refused because every worker thread was occupied."
        )
        self._circuit = meter.create_gauge(
            "mulligan.circuit.open", description="1 if a circuit breaker refused the tool's last call, otherwise 0."
        )
        self._paused: set[str] = set()
        self._redact = Redactor().redact
        self._labels: dict[str, str] = {}
        self._by_tool = PerTool(self._describe_tool)

    def finish(self, event: CallFinished) -> None:
        """Counts a call that was answered."""
        tool = event.tool
        if tool is not None and not event.is_error:
            self._duration.record(event.duration, self._by_tool.get(tool))
            if self._paused:
                self._note_circuit(self._label(tool.name), is_open=False)
            return
        label = UNKNOWN if tool is None else self._label(tool.name)
        error = event.result.error
        kind = plain(type(error).__name__)
        self._duration.record(event.duration, {"gen_ai.operation.name": OPERATION, _TOOL: label, "error.type": kind})
        self._failures.add(1, {_TOOL: label, "error.type": kind})
        if isinstance(error, RepeatedCallError):
            self._repeats.add(1, {_TOOL: label})
        rule = None if error is None else error.rule
        if rule == _SATURATED:
            self._saturated.add(1, {_TOOL: label})
        if rule == _OPEN_CIRCUIT or (self._paused and event.attempt):
            self._note_circuit(label, is_open=rule == _OPEN_CIRCUIT)

    def _describe_tool(self, tool: Tool) -> dict[str, str]:
        """The attributes of every success of a tool."""
        return {"gen_ai.operation.name": OPERATION, _TOOL: self._label(tool.name)}

    def _label(self, name: str) -> str:
        """The name of a tool as a label; `other` beyond the number of names that a backend should store."""
        label = self._labels.get(name)
        if label is None:
            if len(self._labels) >= _MOST_TOOLS:
                return OTHER
            label = self._labels[name] = self._redact(show_name(name))
        return label

    def _note_circuit(self, tool: str, *, is_open: bool) -> None:
        if is_open:
            self._paused.add(tool)
        elif tool in self._paused:
            self._paused.discard(tool)
        else:
            return
        self._circuit.set(int(is_open), {_TOOL: tool})

    def repair(self, event: CallRepaired) -> None:
        """Counts a repair."""
        self._repairs.add(1, {"mulligan.repair.kind": plain(event.repair.kind)})

    def retry(self, event: CallRetried) -> None:
        """Counts an attempt after the first."""
        self._retries.add(1, {_TOOL: self._label(event.tool_name)})
