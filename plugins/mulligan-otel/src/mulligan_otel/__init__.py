"""OpenTelemetry for mulligan: a span around each tool call, and metrics. The package registers itself."""

from mulligan_otel.plugin import OpenTelemetry

__all__ = ["OpenTelemetry", "plugin"]

plugin = OpenTelemetry()
"""The plugin that every pipeline loads once the package is installed: the program's providers, no content."""
