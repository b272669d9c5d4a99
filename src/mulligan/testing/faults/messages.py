"""Malformed messages of models, and malformed arguments."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from mulligan.testing.faults.texts import ORDER
from mulligan.testing.faults.values import Fault, Opaque

STRANGE_VALUES: tuple[Any, ...] = (
    None,
    3,
    -1.5,
    True,
    "x",
    "",
    [],
    {},
    [[]],
    [None],
    {"x": 1},
    "x" * 5_000,
    "\udc80",
    [{}] * 50,
)


def garbled(message: Any) -> Iterator[Any]:
    """Variants of a message in which one place after the other is left out or holds a strange value.

    Args:
        message: a message as plain values.
    """
    if isinstance(message, dict):
        for name, item in message.items():
            yield {other: held for other, held in message.items() if other != name}
            yield from ({**message, name: strange} for strange in (*STRANGE_VALUES, *garbled(item)))
    elif isinstance(message, list):
        for at, item in enumerate(message):
            yield from ([*message[:at], strange, *message[at + 1 :]] for strange in (*STRANGE_VALUES, *garbled(item)))


def _nested_message(depth: int = 2_000) -> dict[str, Any]:
    message: dict[str, Any] = {}
    for _ in range(depth):
        message = {"content": [message], "role": "user"}
    return message


_CALL = {"id": "c1", "name": "read_file", "arguments": "{}", "args": {}, "input": {}}
MESSAGES: tuple[Fault, ...] = (
    Fault("an empty mapping", dict),
    Fault("what a user says", lambda: {"role": "user", "content": ORDER}),
    Fault("what a user shows", lambda: {"role": "user", "content": [{"type": "image"}], "parts": [{"text": "x"}]}),
    Fault("an answer to a call", lambda: {"role": "tool", "tool_call_id": "c1", "content": "3"}),
    Fault("a result of MCP", lambda: {"content": [{"type": "text", "text": "3"}], "isError": False}),
    Fault("a list of models", lambda: {"object": "list", "data": []}),
    Fault("an error of a provider", lambda: {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}),
    Fault("keys without values", lambda: dict.fromkeys(("role", "content", "type", "parts", "output", "method"))),
    Fault("a deeply nested message", _nested_message),
    *(
        Fault(
            f"{strange!r:.20} in every place",
            partial(dict.fromkeys, ("role", "type", "method", "object", "id", "params"), strange),
        )
        for strange in STRANGE_VALUES
    ),
)
"""Messages without calls, in no provider's format; reading them must not fail."""

NESTED: tuple[Fault, ...] = (
    Fault(
        "calls that are no calls", lambda: {"role": "assistant", "tool_calls": [None, 3, "x", [], {"function": None}]}
    ),
    Fault("blocks that are no blocks", lambda: {"role": "assistant", "content": [None, 3, [], {"type": None}]}),
    Fault("parts that are no parts", lambda: {"role": "model", "parts": [None, 3, "x", {"function_call": 7}]}),
    Fault(
        "choices that are no choices", lambda: {"choices": [None, {"message": None}, {"message": {"tool_calls": 3}}]}
    ),
    Fault("a call in a call", lambda: {"role": "assistant", "tool_calls": [{**_CALL, "function": {**_CALL}}]}),
)
"""Messages whose outside a provider may have sent; what they hold makes no sense."""

ARGUMENTS: tuple[Fault, ...] = (
    *(
        Fault(f"{text!r:.40}", partial(str, text))
        for text in (
            '{"path": "a", "path": "b",}',
            '{"path": "a"}}, "text": "b"}',
            '{"path": "C:\\Users\\new"}',
            '{"path": }',
            '{"path": "a", "count": 12 34}',
            '{"path": "a", "price": NaN,}',
            '{"path": "a", "urgent": tru}',
            '{"path": "a"} {"path": "b"}',
            '[{"path": "a"}]',
            "rm -rf /",
            "",
            "{",
            '"',
            "```",
            "null",
            f'{{"path": "{ORDER}',
            "{'path': '\ud800'}",
        )
    ),
    Fault("many quotes", lambda: "'" * 50_000),
    Fault("many brackets", lambda: "{" * 30_000),
    Fault("many escapes", lambda: '{"path": "' + '\\"' * 9_000),
    Fault("many comments", lambda: "/* " * 6_000),
    Fault("a huge text", lambda: '{"path": "' + "a" * 300_000 + '",}'),
    Fault("bytes", lambda: b'{"path": "\xff"'),
    Fault("a list", lambda: [1, 2]),
    Fault("a number", lambda: 17),
    Fault("a mapping with strange keys", lambda: {3: 1, None: 2}),
    Fault("a mapping with strange values", lambda: {"path": Opaque(), "count": {1, 2}}),
)
"""Values in place of arguments whose meaning is unclear."""
