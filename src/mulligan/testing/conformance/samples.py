"""One sample of a provider's failure, and its meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from mulligan.plugin import ToolError, UsageError


@attrs.frozen
class Sample:
    """One sample.

    Attributes:
        failure: the exception, or the value that a tool returned.
        error: the class of the error.
        fields: expected attributes of the error.
    """

    failure: Any
    error: type[ToolError]
    fields: Mapping[str, Any] = attrs.field(factory=dict)

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """The arguments of the call, if they matter: a field of that name."""
        return self.fields.get("arguments")

    def differences(self, error: ToolError) -> Iterator[tuple[str, Any, Any]]:
        """The differences: name, actual and expected value of each.

        Args:
            error: what the failure means.
        """
        if type(error) is not self.error:
            yield "class", type(error).__name__, self.error.__name__
        for name, wanted in self.fields.items():
            found = getattr(error, name, "no such attribute")
            if name == "rule" and isinstance(found, str) and ":" not in str(wanted):
                found = found.partition(":")[2]
            if found != wanted:
                yield name, found, wanted


def sample_of(given: Any) -> Sample:
    """Converts an item of a suite's `samples`.

    Args:
        given: a `Sample`, or a pair or triple of its attributes.

    Raises:
        UsageError: it is something else.
    """
    if isinstance(given, Sample):
        return given
    fits = isinstance(given, (tuple, list)) and len(given) in (2, 3)
    if not fits or not (isinstance(given[1], type) and issubclass(given[1], ToolError)):
        raise UsageError(
            f"a sample is (exception or value, error class), or these and a dict of the error's attributes; not {given!r:.100}"
        )
    return Sample(*given)
