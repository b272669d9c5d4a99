"""Elements of a page: not found in time, found but not ready, found twice, or of the wrong kind."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Effect,
    Failure,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolError,
    ToolTimeoutError,
)
from mulligan_playwright.message import (
    ERROR,
    TIMEOUT,
    argument_error,
    full_message,
    has_acted,
    message_without_log,
    selector,
)

rules = Rules("playwright")
_STATES: tuple[tuple[str, str], ...] = (
    ("intercepts pointer events", "is covered by another element"),
    ("element is not enabled", "is disabled"),
    ("element is not editable", "cannot be edited"),
    ("element is not visible", "is not visible"),
    ("element is not stable", "does not stop moving"),
    ("element is outside of the viewport", "is outside the visible part of the page"),
    ("did not find some options", "has no such option"),
)
_SHOWN = r"^[ -]*locator resolved to (hidden|visible) <"  # Playwright's text while waiting for the other state
_SEEN = {"hidden": "is not visible", "visible": "is still visible"}


@rules(TIMEOUT)
def element_timeout(failure: Failure) -> ToolError | None:
    """An element that was not found or not ready in time. A longer timeout or a smaller request would not help."""
    wanted, log = selector(failure), full_message(failure)
    if wanted is None:
        return None
    did = has_acted(failure)
    if "resolved to" not in log and not did:
        message = f"The element {wanted} was not found in time. Look at the page for another selector."
        return ResourceNotFoundError(message, resource=wanted)
    own = re.sub(r" resolved to .*", "", log)  # the rest is the page's text
    shown = re.search(_SHOWN, log, re.MULTILINE)
    state = next((words for phrase, words in _STATES if phrase in own), shown and _SEEN[shown[1]])
    if state is None:
        message = f"The element {wanted} was found, but was not ready in time."
        return ToolTimeoutError(message, resource=wanted, effect="possible")
    message = f"The element {wanted} was found, but it {state}. Look at the page first, or use another element."
    effect: Effect = "possible" if did else "none"
    return ResourceConflictError(message, resource=wanted, effect=effect)


@rules(ERROR)
def several_elements(failure: Failure) -> ToolError | None:
    """A selector that matches several elements where exactly one is required (strict mode)."""
    if "strict mode violation" not in message_without_log(failure):
        return None
    return argument_error(failure, "the selector fits several elements", "a selector that fits exactly one element")


@rules(ERROR)
def no_element(failure: Failure) -> ToolError | None:
    """A selector that matches nothing, in a call that does not wait."""
    if "Failed to find element matching selector" not in message_without_log(failure):
        return None
    wanted = message_without_log(failure).rpartition("matching selector ")[2].strip('" \n')[:200]
    return ResourceNotFoundError(f"Resource not found: {wanted}", resource=wanted)


@rules(ERROR)
def invalid_selector(failure: Failure) -> ToolError | None:
    """A selector that cannot be parsed."""
    text = message_without_log(failure)
    if not any(phrase in text for phrase in _UNREADABLE):
        return None
    return argument_error(failure, "the selector cannot be read", "a valid CSS selector, XPath or locator")


_UNREADABLE = (
    "while parsing css selector",
    "while parsing selector",
    "Unknown engine ",
    "is not a valid XPath expression",
    "is not a valid selector",
    "Invalid selector",
    "Malformed selector",
)


@rules(ERROR)
def out_of_view(failure: Failure) -> ToolError | None:
    """An element that cannot be scrolled into view."""
    if "Element is outside of the viewport" not in message_without_log(failure):
        return None
    message = "The element is outside the visible part of the page. Scroll, or use another element."
    return ResourceConflictError(message, resource=selector(failure))


@rules("AssertionError")
def expectation(failure: Failure) -> ToolError | None:
    """`expect(...)`: the page did not reach the expected state. The traceback identifies Playwright."""
    if failure.came_through("playwright") is None:
        return None
    return ResourceConflictError("The page did not reach the expected state in time.", resource=selector(failure))


@rules(ERROR)
def wrong_element(failure: Failure) -> ToolError | None:
    """An element of the wrong kind for the action, or a key or option that does not exist."""
    text = message_without_log(failure)
    for phrase, message, expected in _WRONG:
        if phrase in text:
            error = argument_error(failure, message, expected)
            error.effect = "possible" if phrase == _CLICKED else "none"
            return error
    return None


_CLICKED = "Clicking the checkbox did not change its state"
_WRONG: tuple[tuple[str, str, str], ...] = (
    ("Element is not an <input>", "the element takes no text", "an input, textarea or editable element"),
    ("Not a checkbox or radio button", "the element cannot be checked", "a checkbox or radio button"),
    ("Element is not a <select>", "the element has no options", "a select element"),
    ("Node is not an HTMLInputElement", "the element takes no files", "a file input"),
    ("file input can only accept single file", "the file input takes a single file", "one path"),
    ("Unknown key:", "unknown key", "a key such as Enter or ArrowDown"),
    (_CLICKED, "the checkbox did not change", "another way to check it"),
    ("unsupported mime type", "the file's name has no known ending", "a path that ends in .png or .jpeg"),
)
