"""What a tool's declared `output_schema` says about a value: a result has the declared fields, a failure lacks them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.classify.detect.mappings import MESSAGES, is_empty, message_of
from mulligan.classify.failure import Failure
from mulligan.tools import Tool

_FLAGS = ("ok", "success")
_REPORTING = frozenset((*MESSAGES, "errors", "Error", "exception"))


def is_declared_result(value: Mapping[Any, Any], tool: Tool) -> bool:
    """Whether a mapping is what the tool declares: all its fields are declared, and it matches the schema.

    A false `ok` or `success` is still examined: a declaration may cover both outcomes.

    Args:
        value: what the tool returned.
        tool: the tool.
    """
    declared = _declared_fields(tool)
    if not declared or any(value.get(name) is False for name in _FLAGS):
        return False
    return set(value) <= declared and tool.returns(value)


def detect_undeclared_error(value: Mapping[Any, Any], tool: Tool) -> Failure | None:
    """Detects an error in a field that the tool does not declare, in a mapping that lacks what it does declare.

    Args:
        value: what the tool returned.
        tool: the tool.
    """
    declared = _declared_fields(tool)
    required = (tool.output_schema or {}).get("required") or ()
    if not declared or not required or all(not is_empty(value.get(name)) for name in required):
        return None
    reporting = {name: value[name] for name in value if name in _REPORTING - declared and not is_empty(value[name])}
    message = message_of(reporting)
    return Failure(value=value, message=message) if message else None


def _declared_fields(tool: Tool) -> frozenset[Any]:
    fields = (tool.output_schema or {}).get("properties")
    return frozenset(fields) if isinstance(fields, Mapping) else frozenset()
