"""Reads conversations from the logs of other programs: messages of every dialect, and OTLP exports."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import attrs

from mulligan import ToolCall
from mulligan.dialects import Dialect
from mulligan.errors import UsageError
from mulligan.untrusted.objects import call_safely
from mulligan.untrusted.text import safe_str

SESSION_FIELDS = ("session_id", "conversation_id", "thread_id", "trace_id")
_TIME_FIELDS = ("timestamp", "created_at", "created", "time")
_MOST_REQUEST = 4_000
_LATEST = 4_102_444_800  # the year 2100, in seconds since 1970
_LONGEST_KEY = 200


@attrs.define
class LoggedCall:
    """One call, and what the model read.

    Attributes:
        call: the call as the model sent it.
        step: the number of its message in the conversation.
        answer: what the model read, as text or JSON values.
        is_error: whether the log says that it failed; None if it does not say.
        at: when it ended, in seconds since 1970, or None.
        duration: its duration in seconds.
    """

    call: ToolCall
    step: int
    answer: Any = None
    is_error: bool | None = None
    is_answered: bool = False
    at: float | None = None
    duration: float = 0.0


@attrs.define
class Logged:
    """One conversation.

    Attributes:
        id: its id in the log, or None.
        calls: its calls.
        requests: the last step before each message of the user, and its text.
        tools: the names of the tools that the model knew; empty if the log does not say.
    """

    id: str | None
    calls: list[LoggedCall] = attrs.field(factory=list)
    requests: list[tuple[int, str]] = attrs.field(factory=list)
    tools: frozenset[str] = frozenset()


def read(text: str, where: str, dialects: Mapping[str, Dialect], session_field: str | None) -> list[Logged]:
    """The conversations of a file.

    Args:
        text: its content: JSON lines, or one JSON value.
        where: its name, for errors.
        dialects: the message shapes, in the order in which they are asked.
        session_field: the field that names a conversation; None for the usual ones.

    Raises:
        UsageError: it is not JSON; names the line.
    """
    values = list(_values(text, where))
    spans = [span for value in values for span in _spans(value)]
    groups: dict[str | None, list[Any]] = {}
    whole: list[Logged] = []
    for value in values:
        if isinstance(value, dict) and "resourceSpans" in value:
            continue
        for messages, id, tools in _messages(value, session_field):
            if id is None and len(messages) > 1:
                whole.append(_conversation(None, messages, dialects, tools))
            else:
                groups.setdefault(id, []).extend(messages)
    logged = [_conversation(id, messages, dialects, frozenset()) for id, messages in groups.items()]
    return [*_without_prefixes(whole), *logged, *_of_spans(spans)]


def _values(text: str, where: str) -> Iterator[Any]:
    try:
        value = json.loads(text)
    except ValueError:
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                try:
                    yield json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise UsageError(
                        f"{where}, line {number}: not JSON ({error}); write one JSON value per line"
                    ) from None
    except RecursionError:
        raise UsageError(f"{where}: nested too deeply") from None
    else:
        yield from value if isinstance(value, list) and any(isinstance(one, list) for one in value) else [value]


def _messages(value: Any, field: str | None) -> Iterator[tuple[list[Any], str | None, frozenset[str]]]:
    """The messages of one value, the name of their conversation, and those of the tools."""
    if isinstance(value, list):
        if all(isinstance(one, dict) and "messages" in one for one in value):
            for one in value:
                yield from _messages(one, field)
            return
        yield [one for one in value if isinstance(one, dict)], None, frozenset()
        return
    if not isinstance(value, dict):
        return
    id = _session_of(value, field)
    nested = next((value[name] for name in ("request", "body") if isinstance(value.get(name), dict)), value)
    listed = nested.get("messages", nested.get("contents", nested.get("input")))
    if isinstance(listed, list):
        answer = [one for name in ("response", "message") if isinstance(one := value.get(name), dict)]
        choices = [value] if isinstance(value.get("choices"), list) else []
        yield [one for one in [*listed, *answer, *choices] if isinstance(one, dict)], id, _tool_names(nested)
    else:
        yield [value], id, frozenset()


def _session_of(value: Mapping[str, Any], field: str | None) -> str | None:
    for name in (field,) if field else SESSION_FIELDS:
        holder = value.get("metadata") if isinstance(value.get("metadata"), dict) and name not in value else value
        found = holder.get(name) if isinstance(holder, dict) else None
        if isinstance(found, (str, int)):
            return str(found)
    return None


def _tool_names(value: Mapping[str, Any]) -> frozenset[str]:
    tools = value.get("tools")
    found = [one.get("function", one) for one in tools if isinstance(one, dict)] if isinstance(tools, list) else []
    return frozenset(one["name"] for one in found if isinstance(one, dict) and isinstance(one.get("name"), str))


def _conversation(
    id: str | None, messages: Sequence[Any], dialects: Mapping[str, Dialect], tools: frozenset[str]
) -> Logged:
    found = Logged(id, tools=tools)
    step, seen = 0, set()
    waiting: dict[Any, LoggedCall] = {}
    for message in messages:
        calls = _calls(message, dialects)
        fresh = [call for call in calls if call.id is None or call.id not in seen]
        if fresh:
            step += 1
            for call in fresh:
                logged = LoggedCall(call, step, at=_time(message))
                found.calls.append(logged)
                seen.add(call.id)
                waiting[call.id if call.id is not None else f"name:{call.name}"] = logged
        for id_or_name, answer, is_error in _answers(message):
            key = _as_key(id_or_name)
            one = waiting.pop(key, None) or waiting.pop(f"name:{key}", None)
            if one is not None:
                one.answer, one.is_error, one.is_answered = answer, is_error, True
                one.at = _time(message) or one.at
        if (text := _user_text(message)) and (step, text) not in found.requests:
            found.requests.append((step, text))
    return found


def _calls(message: Mapping[str, Any], dialects: Mapping[str, Dialect]) -> list[ToolCall]:
    for dialect in dialects.values():
        calls: list[ToolCall] | None = call_safely(partial(_calls_of, dialect, message))
        if calls:
            return calls
    return []


def _calls_of(dialect: Dialect, message: Mapping[str, Any]) -> list[ToolCall]:
    return dialect.calls(message) if dialect.recognises(message) else []


def _answers(message: Mapping[str, Any]) -> Iterator[tuple[Any, Any, bool | None]]:
    """The answers in a message: the id (or name) of the call, what the model read, and whether it is marked as a failure."""
    if message.get("role") in ("tool", "function"):
        key = message.get("tool_call_id", message.get("name"))
        yield key, _content(message.get("content")), {"error": True, "success": False}.get(str(message.get("status")))
    elif message.get("type") in ("function_call_output", "custom_tool_call_output"):
        yield message.get("call_id"), _content(message.get("output")), None
    elif "jsonrpc" in message and ("result" in message or "error" in message):
        yield message.get("id"), message.get("result", message.get("error")), True if "error" in message else None
    for part in _parts(message):
        if part.get("type") == "tool_result":
            yield part.get("tool_use_id"), _content(part.get("content")), bool(part.get("is_error", False)) or None
        elif isinstance(answer := part.get("functionResponse", part.get("function_response")), dict):
            yield answer.get("id") or answer.get("name"), answer.get("response"), None
        elif str(part.get("type", "")).startswith(("tool-", "dynamic-tool")) and "toolCallId" in part:
            if part.get("state") == "output-error":
                yield part["toolCallId"], part.get("errorText"), True
            elif part.get("state") == "output-available":
                yield part["toolCallId"], part.get("output"), None


def _parts(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in ("content", "parts"):
        if isinstance(message.get(name), list):
            yield from (part for part in message[name] if isinstance(part, dict))


def _content(content: Any) -> Any:
    """The text of an answer; blocks of text are joined."""
    if (
        isinstance(content, list)
        and content
        and all(isinstance(one, dict) and isinstance(one.get("text"), str) for one in content)
    ):
        return "\n".join(one["text"] for one in content)
    return content


def _user_text(message: Mapping[str, Any]) -> str:
    if message.get("role") != "user":
        return ""
    if isinstance(content := message.get("content"), str):
        return content[:_MOST_REQUEST]
    texts = [part["text"] for part in _parts(message) if isinstance(part.get("text"), str)]
    return "\n".join(texts)[:_MOST_REQUEST]


def _time(message: Mapping[str, Any]) -> float | None:
    for name in _TIME_FIELDS:
        value = message.get(name)
        if isinstance(value, str):
            value = call_safely(lambda value=value: datetime.fromisoformat(value).timestamp())
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= _LATEST * 1_000:
            return float(value) / (1_000 if value > 1e11 else 1)
    return None


def _as_key(value: Any) -> Any:
    """An id or a name as a key; a value of another type as text."""
    return value if value is None or isinstance(value, (str, int)) else safe_str(value, _LONGEST_KEY)


def _without_prefixes(found: list[Logged]) -> list[Logged]:
    """The conversations that are not the beginning of another: a log of requests repeats what came before."""
    keys = [tuple((one.call.id, one.call.name, str(one.call.arguments)) for one in logged.calls) for logged in found]
    answers = [sum(call.is_answered for call in one.calls) for one in found]
    longest = Counter(key[:end] for key in keys for end in range(1, len(key) + 1))
    kept: dict[tuple[Any, ...], int] = {}
    for at, key in enumerate(keys):
        is_whole = longest[key] == 1 or not any(len(other) > len(key) and other[: len(key)] == key for other in keys)
        if key and is_whole and (key not in kept or answers[at] > answers[kept[key]]):
            kept[key] = at
    return [found[at] for at in sorted(kept.values())]


def _spans(value: Any) -> Iterator[Mapping[str, Any]]:
    """The spans of an OTLP export that run a tool."""
    for resource in _members(value, "resourceSpans"):
        for scope in (*_members(resource, "scopeSpans"), *_members(resource, "instrumentationLibrarySpans")):
            for span in _members(scope, "spans"):
                facts, name = _attributes(span), str(span.get("name", ""))
                if facts.get("gen_ai.operation.name") == "execute_tool" or name.startswith("execute_tool "):
                    tool = facts.get("gen_ai.tool.name") or name.removeprefix("execute_tool ")
                    yield {**span, "facts": facts, "tool": str(tool)}


def _members(value: Any, name: str) -> list[Mapping[str, Any]]:
    """The objects in a list of an object; anything else in the list is left out."""
    listed = value.get(name) if isinstance(value, Mapping) else None
    return [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []


def _attributes(holder: Any, listed: str = "attributes") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in _members(holder, listed):
        value = one.get("value")
        kind, content = next(iter(value.items()), ("", None)) if isinstance(value, Mapping) else ("", None)
        if kind in ("stringValue", "boolValue", "doubleValue"):
            found[str(one.get("key"))] = content
        elif kind == "intValue":
            found[str(one.get("key"))] = call_safely(partial(int, content))
        elif kind == "kvlistValue":
            found[str(one.get("key"))] = _attributes(content, "values")
    return found


def _of_spans(spans: list[Mapping[str, Any]]) -> list[Logged]:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for span in spans:
        groups.setdefault(str(span["facts"].get("gen_ai.conversation.id") or span.get("traceId")), []).append(span)
    return [_of_group(id, group) for id, group in groups.items()]


def _of_group(id: str, spans: list[Mapping[str, Any]]) -> Logged:
    found, step, end = Logged(id), 0, 0.0
    for span in sorted(spans, key=lambda one: _nanoseconds(one, "startTimeUnixNano")):
        began, ended = (_nanoseconds(span, name) / 1e9 for name in ("startTimeUnixNano", "endTimeUnixNano"))
        step += began >= end or step == 0  # calls that overlap belong to one message
        end = max(end, ended)
        facts = span["facts"]
        arguments = facts.get("gen_ai.tool.call.arguments")
        call = ToolCall(_as_key(facts.get("gen_ai.tool.call.id")), span["tool"], arguments)
        failed = _status(span).get("code") in (2, "STATUS_CODE_ERROR") or "error.type" in facts
        answer = facts.get("gen_ai.tool.call.result") or _span_error(span) or ""
        found.calls.append(LoggedCall(call, step, answer, failed or None, True, ended or None, max(0.0, ended - began)))
    return found


def _nanoseconds(span: Mapping[str, Any], name: str) -> int:
    value = call_safely(partial(int, span.get(name, 0)))
    return value if isinstance(value, int) and 0 <= value <= _LATEST * 1_000_000_000 else 0


def _status(span: Mapping[str, Any]) -> Mapping[str, Any]:
    status = span.get("status")
    return status if isinstance(status, Mapping) else {}


def _span_error(span: Mapping[str, Any]) -> str:
    for event in _members(span, "events"):
        facts = _attributes(event)
        if "exception.message" in facts:
            return f"{facts.get('exception.type', 'Error')}: {facts['exception.message']}"
    return str(_status(span).get("message") or span["facts"].get("error.type") or "")
