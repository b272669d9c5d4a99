"""The parts of a Playwright message: the message itself, and the call log below it."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Problem, ToolArgumentError, pointer_to

ERROR = "playwright.Error"
TIMEOUT = "playwright.TimeoutError"
_LONGEST = 20_000
_ACTION_MARKS = (
    "performing ",
    " action done",
    'fill("',
    "elementHandle.",
    "selected specified",
    "waiting for scheduled",
)
_LOGS = r"\n(?:Call log:|=+ logs =+)\n"
_WAITED_FOR = r"waiting for ((?:locator|frame_locator|get_by_\w+|selector)\b.{1,500}?)(?: to be \w+)?(?:\n|$)"
_QUOTED = r"(?:locator|selector)\s?\(?\"(.{1,400})\"\)?$"


def full_message(failure: Failure) -> str:
    """The message with its log, longer than `failure.text`: its beginning and its end."""
    message = failure.look("message")
    if not isinstance(message, str):
        return failure.text
    return message if len(message) <= _LONGEST else f"{message[: _LONGEST // 2]}\n{message[-_LONGEST // 2 :]}"


def has_acted(failure: Failure) -> bool:
    """Whether the log shows that the call went beyond waiting: it clicked, filled, pressed or selected."""
    message = failure.look("message")
    log = message if isinstance(message, str) else failure.text
    return any(words in log for words in _ACTION_MARKS)


def message_without_log(failure: Failure) -> str:
    """The message without the log, which quotes the page and the call."""
    return re.split(_LOGS, full_message(failure), maxsplit=1)[0][:2_000]


def selector(failure: Failure) -> str | None:
    """The target of the call: a selector, or a locator such as `get_by_text("x")`."""
    match = re.search(_WAITED_FOR, full_message(failure))
    if match is None:
        return None
    inner = re.match(_QUOTED, match[1])
    return (inner[1].replace('\\"', '"') if inner else match[1])[:200]


def argument_error(
    failure: Failure, message: str, expected: str | None = None, resource: str | None = None
) -> ToolArgumentError:
    """The error for an invalid argument, which is named if the message contains its value.

    Args:
        failure: what happened.
        message: what is wrong, in our own words.
        expected: what would be valid.
        resource: what it is about, by default the selector.
    """
    text = full_message(failure)
    given = failure.arguments or {}
    names = [name for name, value in given.items() if isinstance(value, str) and len(value) > 1 and value in text]
    problem = Problem(pointer_to(names[:1]), message, expected)
    sentence = f"{message[0].upper()}{message[1:]}."
    return ToolArgumentError(sentence, problems=[problem], resource=resource or selector(failure))
