"""Pages and browsers: closed, crashed, navigated away, or not installed."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Effect,
    Failure,
    Problem,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    argument_named_in,
    pointer_to,
)
from mulligan_playwright.message import ERROR, argument_error, has_acted, message_without_log

rules = Rules("playwright")
_REFUSED = ("NotAllowedError", "SecurityError")  # https://webidl.spec.whatwg.org/#idl-DOMException-error-names
_PARAMETER = r": (\w{1,60}): expected (\w{1,40}), got \w+$"
_THROWN = r"\w+\.(?:evaluate|evaluate_handle|eval_on_selector|eval_on_selector_all|wait_for_function): (\w*Error): "


@rules(ERROR)
def script(failure: Failure) -> ToolError | None:
    """A script in the page that threw an error."""
    match = re.match(_THROWN, failure.text)
    if match is None:
        return None
    if match[1] == "SyntaxError":
        return argument_error(failure, "the script has a syntax error", "valid JavaScript")
    if match[1] in _REFUSED:
        user = "The browser does not allow this page to do what the assistant tried, such as reading the clipboard."
        message = "The browser blocked the script. The user must allow it."
        return ToolPermissionError(message, fatal=False, user_message=user)  # a page may throw an error of that name
    return ToolExecutionError("The script raised an error in the page.")


@rules("playwright.TargetClosedError")
def closed(failure: Failure) -> ToolError:
    """The page, its context or the browser was closed, or the browser exited at startup."""
    if failure.text.startswith("BrowserType.launch"):
        return ToolExecutionError("The browser could not be started.", effect="none")
    return ToolExecutionError("The page or the browser was closed. Open a new page.")


@rules(ERROR)
def parameter(failure: Failure) -> ToolError | None:
    """A parameter of a type that the call does not accept."""
    match = re.search(_PARAMETER, message_without_log(failure))
    if match is None:
        return None
    name = argument_named_in(match[1], failure.arguments) or match[1]
    problem = Problem(pointer_to([name]), "has the wrong type", f"a {match[2]}")
    return ToolArgumentError("The browser action rejected an argument.", problems=[problem])


@rules(ERROR)
def gone(failure: Failure) -> ToolError | None:
    """A page that crashed or navigated away, a detached frame, or a browser that is not installed."""
    text = message_without_log(failure)
    for phrases, message, effect, transient in _GONE:
        if any(phrase in text for phrase in phrases):
            return ToolExecutionError(message, effect="possible" if has_acted(failure) else effect, transient=transient)
    return None


_GONE: tuple[tuple[tuple[str, ...], str, Effect, bool], ...] = (
    (
        ("has been closed", "is closed", "already stopped", "Connection closed", "Browser closed"),
        "The page or the browser was closed. Open a new page.",
        "possible",
        False,
    ),
    (("Page crashed", "Target crashed", "page has crashed"), "The page crashed. Open it again.", "possible", True),
    (
        ("Execution context was destroyed", "Cannot find context with specified id", "navigated away"),
        "The page has navigated. Look at it again.",
        "possible",
        True,
    ),
    (
        ("is interrupted by another navigation",),
        "Another navigation interrupted this one. Look at the page again.",
        "possible",
        True,
    ),
    (("is not implemented",), "This browser does not support the action.", "none", False),
    (
        ("using Playwright Sync API inside the asyncio loop",),
        "The tool uses Playwright's Sync API inside an asyncio loop.",
        "none",
        False,
    ),
    (
        ("Frame was detached", "frame got detached", "Frame has been detached", "frame was detached"),
        "The frame was removed from the page. Look at the page again.",
        "possible",
        True,
    ),
    (
        ("not attached to the DOM", "Element is detached"),
        "The element was removed from the page. Look at the page again.",
        "none",
        True,
    ),
    (
        ("xecutable doesn't exist", "is not found at", "is missing dependencies to run browsers"),
        "The browser is not installed. A person must run `playwright install --with-deps`.",
        "none",
        False,
    ),
)
