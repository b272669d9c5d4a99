"""Envelopes of protocols and agent frameworks: MCP, JSON-RPC, LangChain, OpenAI, Anthropic, Gemini, Bedrock.

Sources: https://modelcontextprotocol.io/specification, https://platform.openai.com/docs/api-reference/responses,
https://docs.anthropic.com/en/docs/build-with-claude/tool-use, https://ai.google.dev/api/caching#FunctionResponse,
https://python.langchain.com/api_reference/core/messages/langchain_core.messages.tool.ToolMessage.html,
https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultBlock.html.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from mulligan.classify.detect.mappings import mappings, message_of
from mulligan.classify.detect.programs import detect_exit, detect_traceback
from mulligan.classify.detect.reports import coded
from mulligan.classify.detect.subject import Subject
from mulligan.classify.failure import Failure
from mulligan.untrusted.classes import as_dict, is_a
from mulligan.untrusted.text import safe_str

_MOST_BLOCKS = 100
_BLOCKS = frozenset(("text", "json", "image", "document", "video"))
_CANCELLED = -32800  # Language Server Protocol, also used by clients of MCP
_ITEMS = ("_call", "_call_output")
_RAISED = re.compile(r"(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Warning)")  # a class, as a server of Odoo names it


def detect_marked_result(value: Any, read: Callable[[str], Any]) -> Failure | None:
    """Detects a tool result that is marked as an error, as those of MCP, Anthropic and LangChain are.

    Args:
        value: the result.
        read: reads one of its fields.
    """
    content = read("content")
    if read("isError") is True or read("is_error") is True:
        text = block_text(content)
        body = _with_code(value, read, text)
        message = message_of(body) if text.lstrip()[:1] == "{" else ""
        return Failure(value=body, message=message or text)
    if read("status") == "error" and _is_tool_result(read, content):
        return Failure(value={"message": block_text(content)}, message=block_text(content))
    return None


def _is_tool_result(read: Callable[[str], Any], content: Any) -> bool:
    """Whether a value is the message of a tool of LangChain, or a result of Bedrock and of Strands, with a list of blocks."""
    if read("tool_call_id") is not None or (read("toolUseId") is not None and content):
        return True
    blocks = mappings(list(content)) if type(content) in (list, tuple) else []
    return bool(blocks) and all(len(one) == 1 and _BLOCKS.issuperset(one) for one in blocks)


def _with_code(value: Any, read: Callable[[str], Any], text: str) -> Any:
    """The result itself, or what may have an error code: its structured content, or the body that its text quotes."""
    structured = read("structuredContent") or read("structured_content")
    body = structured if is_a(structured, Mapping) and structured else Failure(value=text).body
    return as_dict(body) if is_a(body, Mapping) else value


def detect_protocol(value: Mapping[str, Any], subject: Subject) -> Failure | None:
    """Detects the error of a protocol's message.

    Args:
        value: the message.
        subject: what the tool was asked for.
    """
    if "jsonrpc" in value:
        return _detect_rpc(value)
    if value.get("lc") == 1 and is_a(value.get("kwargs"), Mapping):  # a message that LangChain has serialized
        inner = as_dict(value["kwargs"])
        return detect_marked_result(inner, inner.get)
    answer = value.get("functionResponse", value.get("function_response"))
    if is_a(answer, Mapping):
        response = as_dict(as_dict(answer).get("response") or {})
        error = response.get("error")
        return Failure(value=response, message=message_of(error)) if error else None
    kind = value.get("type")
    if type(kind) is not str:
        return None
    return _detect_item(value, kind, subject) if kind.endswith(_ITEMS) else _detect_result_block(value, kind)


def _detect_rpc(value: Mapping[str, Any]) -> Failure | None:
    result, error = value.get("result"), value.get("error")
    if is_a(result, Mapping):
        inner = as_dict(result)
        return detect_marked_result(inner, inner.get)
    data = as_dict(error).get("data") if is_a(error, Mapping) else None
    raised = as_dict(data).get("name") if is_a(data, Mapping) else None
    if type(raised) is str and _RAISED.fullmatch(raised) is not None:
        message = message_of(data)
        return Failure(value={"type": raised.rpartition(".")[2], "message": message}, message=message)
    is_cancelled = is_a(error, Mapping) and as_dict(error).get("code") == _CANCELLED
    return coded("CANCELLED", message_of(error)) if is_cancelled else None


def _detect_result_block(value: Mapping[str, Any], kind: str) -> Failure | None:
    """Detects the error of one of Anthropic's server tools, such as `web_search_tool_result`."""
    if not kind.endswith("_tool_result") or not is_a(value.get("content"), Mapping):
        return None
    inner = as_dict(value["content"])
    is_error = str(inner.get("type", "")).endswith("_error")
    return coded(str(inner.get("error_code", "")), message_of(inner)) if is_error else None


def _detect_item(value: Mapping[str, Any], kind: str, subject: Subject) -> Failure | None:
    """Detects the failure of an item of OpenAI's Responses API."""
    if kind.startswith("shell_call"):
        for one in mappings(value.get("output")):
            outcome = as_dict(one.get("outcome") or {})
            if outcome.get("type") == "timeout":
                return coded("TIMEOUT", safe_str(one.get("stderr") or ""))
            status = outcome.get("exit_code")
            failure = (
                detect_exit(status, one.get("stdout"), one.get("stderr"), subject) if type(status) is int else None
            )
            if failure is not None:
                return failure
        return None
    error = value.get("error")
    if value.get("status") == "failed" or (kind == "mcp_call" and error):
        message = message_of(error) if error else message_of(value.get("output"))
        return Failure(value={"message": message}, message=message)
    return None


def detect_console(value: list[Any], subject: Subject) -> Failure | None:
    """Detects a traceback at the end of a console's messages, such as those of Open Interpreter, or of a notebook's outputs.

    Args:
        value: the list that a tool returned.
        subject: what the tool was asked for.
    """
    if subject.is_text or not value or not is_a(value[-1], Mapping):
        return None
    last = as_dict(value[-1])
    if last.get("output_type") == "error" and type(last.get("ename")) is str:
        return Failure(
            value={"message": f"{last['ename']}: {last.get('evalue')}"},
            message=f"{last['ename']}: {last.get('evalue')}",
        )
    if last.get("type") == "console" and type(last.get("content")) is str:
        return detect_traceback(last["content"])
    return None


def block_text(content: Any) -> str:
    """The text of MCP content blocks, at most 2,000 characters."""
    if type(content) is str:
        return safe_str(content)
    texts = []
    for block in islice(content, _MOST_BLOCKS) if type(content) in (list, tuple) else ():
        text = Failure(value=block).field("text")
        if type(text) is str:
            texts.append(safe_str(text))
    return "\n".join(texts)[:2_000]
