"""A model's message: which dialect is it, and which tool calls does it hold?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.calls import ToolCall
from mulligan.dialects import Dialect, plain
from mulligan.errors import UsageError
from mulligan.foreign.containment import safe_str
from mulligan.foreign.facts import type_name
from mulligan.running.invocation import Blame


def read_message(message: Any, dialects: Mapping[str, Dialect], blame: Blame) -> tuple[Dialect, list[ToolCall]]:
    """The first dialect that recognises a message, and the message's calls.

    Args:
        message: the provider's message, as its SDK's object or as plain values.
        dialects: the dialects by name, in the order in which they are asked.
        blame: records what a plugin's dialect did wrong.

    Raises:
        UsageError: no dialect recognises it.
    """
    values = plain(message)
    if isinstance(values, Mapping):
        for dialect in dialects.values():
            try:
                if dialect.recognises(values):
                    return dialect, dialect.calls(values)
            except Exception as error:
                _blame(dialect, error, blame)
    known = ", ".join(dialects)
    raise UsageError(f"no dialect recognises this message ({type_name(message)}); there are {known}")


def _blame(dialect: Dialect, error: Exception, blame: Blame) -> None:
    if type(dialect).__module__.startswith("mulligan.dialects."):
        raise UsageError(f"this message has no shape that {dialect.name} knows: {type_name(error)}") from error
    name = blame.owner(dialect, f"dialect {dialect.name}")
    blame.fault(name, "dialects", f"{type_name(error)}: {safe_str(error, 300)}", error)
