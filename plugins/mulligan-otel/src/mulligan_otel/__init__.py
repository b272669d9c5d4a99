"""OpenTelemetry for mulligan: a span around each tool call, and metrics. The package registers itself."""

from mulligan_otel.plugin import OpenTelemetry

__all__ = ["OpenTelemetry", "plugin"]

plugin = OpenTelemetry()
"""What every pipeline uses once the package is installed: the providers of the program, no content."""
