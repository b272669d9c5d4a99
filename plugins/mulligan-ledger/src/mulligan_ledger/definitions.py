"""Tool definitions, each stored once under its hash, so that a replay knows what the model saw."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mulligan import Tool
from mulligan.errors import UsageError
from mulligan.untrusted.copies import thaw
from mulligan.untrusted.objects import call_safely

_FLAGS = ("read_only", "idempotent", "destructive", "claims_read_only", "tool_type", "provider", "timeout", "approve")
_SETS = ("secret", "tags", "also_called")
_MOST_RESOURCES = 200


class Definition(NamedTuple):
    """One tool as the model saw it.

    Attributes:
        hash: identifies the other fields; `s:` marks it as the start of a SHA-256.
        name: the tool's name.
        description: what the model reads.
        parameters: its JSON Schema, as text.
        options: the options that affect its feedback, as JSON text.
    """

    hash: str
    name: str
    description: str
    parameters: str
    options: str


def definition_of(tool: Tool) -> Definition:
    """The definition of a tool."""
    options: dict[str, Any] = {name: getattr(tool, name) for name in _FLAGS}
    options |= {name: sorted(getattr(tool, name)) for name in _SETS}
    options["aliases"] = {name: sorted(others) for name, others in tool.aliases.items()}
    options["format"] = tool.format if isinstance(tool.format, str) else None
    options["detect"] = tool.detect if isinstance(tool.detect, bool) else "function"
    options["output_schema"] = None if tool.output_schema is None else thaw(tool.output_schema)
    if isinstance(tool.resources, (list, tuple, set, frozenset)):
        options["resources"] = sorted(map(str, tool.resources))[:_MOST_RESOURCES]
    elif tool.resources is not None:
        options["resources"] = "function"
    kept = {name: value for name, value in options.items() if value not in (None, False, [], {}) or name == "detect"}
    schema = call_safely(lambda: thaw(tool.parameters)) or {"type": "object"}
    parameters = json.dumps(schema, ensure_ascii=False, default=str)  # unsorted: texts list arguments in this order
    description = str(call_safely(lambda: tool.description) or "")
    texts = (tool.name, description, parameters, _canonical(kept))
    return Definition(hash_of("\0".join(texts)), *texts)


def hash_of(text: str) -> str:
    """The hash that identifies a text in a ledger."""
    return f"s:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def make_tool(row: Mapping[str, Any], handler: Callable[..., Any], resources: Callable[..., Any]) -> Tool:
    """Creates the tool of a definition, with another handler.

    Args:
        row: a row of the table `definitions`.
        handler: what runs instead.
        resources: lists the existing names, if a function did so originally.
    """
    options, schema = (_object(row[name]) for name in ("options", "parameters"))
    if options.get("detect") == "function":
        options["detect"] = True
    if options.get("resources") == "function":
        options["resources"] = resources
    options.pop("approve", None)
    options.pop("timeout", None)
    try:
        return Tool.from_schema(row["name"], str(row["description"]), schema, handler, **options)
    except UsageError:  # an option that this version no longer has
        return Tool.from_schema(row["name"], str(row["description"]), schema, handler)
