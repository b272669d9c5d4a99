"""What Playwright's own driver does without a browser, and its classes with the words that browsers use."""

from __future__ import annotations

import pytest
from playwright import sync_api

from mulligan.plugin import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolTimeoutError,
    ToolUnavailableError,
)


@pytest.fixture
def request_context(driver):
    context = driver.request.new_context(max_redirects=3)
    yield context
    context.dispose()


def test_requests(classify, request_context, site, nobody):
    gone = classify(lambda: request_context.get(nobody))
    assert (type(gone), gone.fatal, gone.effect, gone.resource) == (ToolConnectionError, True, "none", nobody)
    lost = classify(lambda: request_context.get(f"{site}/reset"))
    assert (type(lost), lost.fatal, lost.effect) == (ToolConnectionError, False, "possible")
    slow = classify(lambda: request_context.get(f"{site}/slow", timeout=200))
    assert (type(slow), slow.effect, slow.resource) == (ToolTimeoutError, "possible", f"{site}/slow")
    missing = classify(lambda: request_context.get(f"{site}/missing", fail_on_status_code=True))
    assert (type(missing), missing.http_status, missing.resource) == (ResourceNotFoundError, 404, f"{site}/missing")
    circle = classify(lambda: request_context.get(f"{site}/circle"))
    assert circle.message == "The address redirects in a loop."
    none = classify(lambda: request_context.get("no address"), url="no address")
    assert type(none) is ToolArgumentError


def test_a_browser_that_is_not_installed(classify, driver):
    error = classify(lambda: driver.chromium.launch(executable_path="/nowhere/chromium"))
    assert (type(error), error.fatal, error.effect) == (ToolExecutionError, False, "none")
    assert "A person must run `playwright install" in error.message


def test_a_browser_that_ends_at_once(classify, driver):
    error = classify(lambda: driver.chromium.launch(executable_path="/bin/false"))
    assert (type(error), error.message) == (ToolExecutionError, "The browser could not be started.")


def test_a_remote_browser_that_cannot_be_reached(classify, driver, nobody):
    for connect in (driver.chromium.connect_over_cdp, lambda url: driver.chromium.connect(url.replace("http", "ws"))):
        error = classify(lambda connect=connect: connect(nobody))
        assert (type(error), error.fatal) == (ToolConnectionError, True)


def raise_(exception):
    raise exception


AT = ' at https://example.com/\nCall log:\n  - navigating to "https://example.com/", waiting until "load"\n'
CODES = [
    ("net::ERR_CERT_DATE_INVALID", ToolConnectionError, True),
    ("net::ERR_SSL_PROTOCOL_ERROR", ToolConnectionError, True),
    ("net::ERR_PROXY_CONNECTION_FAILED", ToolConnectionError, True),
    ("net::ERR_TUNNEL_CONNECTION_FAILED", ToolConnectionError, True),
    ("net::ERR_HTTP2_PROTOCOL_ERROR", ToolConnectionError, False),
    ("net::ERR_EMPTY_RESPONSE", ToolConnectionError, False),
    ("net::ERR_NETWORK_CHANGED", ToolConnectionError, False),
    ("net::ERR_CONNECTION_TIMED_OUT", ToolTimeoutError, False),
    ("net::ERR_BLOCKED_BY_RESPONSE", ToolPermissionError, False),
    ("net::ERR_UNKNOWN_URL_SCHEME", ToolArgumentError, False),
    ("net::ERR_INVALID_AUTH_CREDENTIALS", ToolAuthenticationError, True),
    ("net::ERR_PROXY_AUTH_UNSUPPORTED", ToolAuthenticationError, True),
    ("net::ERR_INSUFFICIENT_RESOURCES", ToolUnavailableError, False),
    ("net::ERR_HTTP_RESPONSE_CODE_FAILURE", ToolExecutionError, False),
    ("net::ERR_SOMETHING_NEW", ToolExecutionError, False),
    ("NS_ERROR_UNKNOWN_HOST", ToolConnectionError, True),
    ("NS_ERROR_CONNECTION_REFUSED", ToolConnectionError, True),
    ("NS_ERROR_NET_RESET", ToolConnectionError, False),
    ("NS_ERROR_NET_TIMEOUT", ToolTimeoutError, False),
    ("NS_ERROR_REDIRECT_LOOP", ToolExecutionError, False),
    ("NS_BINDING_ABORTED", ToolExecutionError, False),
    ("SSL_ERROR_RX_RECORD_TOO_LONG", ToolConnectionError, True),
    ("SEC_ERROR_UNKNOWN_ISSUER", ToolConnectionError, True),
    ("Could not connect to server", ToolConnectionError, True),
    ("Unacceptable TLS certificate", ToolConnectionError, True),
    ("Page crashed", ToolExecutionError, False),
]


@pytest.mark.parametrize(("code", "cls", "fatal"), CODES, ids=[one[0] for one in CODES])
def test_the_codes_of_each_browser(classify, code, cls, fatal):
    error = classify(lambda: raise_(sync_api.Error(f"Page.goto: {code}{AT}")))
    assert (type(error), error.fatal, error.provider) == (cls, fatal, "playwright")
    assert error.effect in ("none", "possible")
    if cls is ToolConnectionError and not fatal:
        assert (error.transient, error.effect) == (True, "possible")


@pytest.mark.parametrize(
    "thrown",
    [
        "NotAllowedError: Failed to execute 'readText' on 'Clipboard': Read permission denied.",
        "SecurityError: Failed to read the 'localStorage' property from 'Window': Access is denied for this document.",
    ],
)
def test_what_the_browser_does_not_allow_a_page(classify, thrown):
    error = classify(lambda: raise_(sync_api.Error(f"Page.evaluate: {thrown}")))
    assert (type(error).__name__, error.fatal) == ("ToolPermissionError", False)
    assert "The user must allow it" in error.message


def test_an_older_log_names_the_selector_too(classify):
    error = classify(
        lambda: raise_(
            sync_api.TimeoutError(
                'Timeout 30000ms exceeded.\n=== logs ===\nwaiting for selector "#a" to be visible\n==='
            )
        )
    )
    assert (type(error), error.resource) == (ResourceNotFoundError, "#a")


def test_a_page_cannot_decide_with_its_own_words(classify):
    log = 'Page.click: Timeout 400ms exceeded.\nCall log:\n  - waiting for locator("#a")\n    - locator resolved to <b>net::ERR_CONNECTION_REFUSED strict mode violation element is not enabled</b>\n'
    error = classify(lambda: raise_(sync_api.TimeoutError(log)))
    assert (type(error), error.rule) == (ToolTimeoutError, "mulligan_playwright:element_timeout")


def test_a_long_log_hides_no_click(classify):
    log = 'Page.click: Timeout 400ms exceeded.\nCall log:\n  - waiting for locator("#a")\n    - locator resolved to <a id="a"></a>\n'
    tries = "    - element is not stable\n" * 1_000
    done = classify(lambda: raise_(sync_api.TimeoutError(f"{log}{tries}    - performing click action\n{tries}")))
    assert (done.effect, done.resource) == ("possible", "#a")


@pytest.mark.parametrize(
    "words", ['fill("x")', 'elementHandle.press("a")', "selected specified option(s)", "something new"]
)
def test_what_was_done_or_is_unknown_may_have_taken_effect(classify, words):
    log = f'Locator.fill: Timeout 400ms exceeded.\nCall log:\n  - waiting for locator("#a")\n    - locator resolved to <b></b>\n  - {words}\n'
    assert classify(lambda: raise_(sync_api.TimeoutError(log))).effect == "possible"


def test_a_request_that_was_redirected_was_answered_before(classify):
    log = "APIRequestContext.post: connect ECONNREFUSED 127.0.0.1:9\nCall log:\n  - → POST http://127.0.0.1:8/\n{}"
    answered = "  - ← 307 Temporary Redirect\n  - → POST http://127.0.0.1:9/\n"
    assert classify(lambda: raise_(sync_api.Error(log.format("")))).effect == "none"
    assert classify(lambda: raise_(sync_api.Error(log.format(answered)))).effect == "possible"


def test_a_click_that_was_made_may_have_taken_effect(classify):
    log = 'Page.click: Timeout 400ms exceeded.\nCall log:\n  - waiting for locator("#a")\n    - locator resolved to <a id="a"></a>\n'
    tried = "  - attempting click action\n    - performing click action\n    - waiting for scheduled navigations to finish\n"
    waited = "  - attempting click action\n    - element is not stable\n"
    assert classify(lambda: raise_(sync_api.TimeoutError(log + waited))).effect == "none"
    assert classify(lambda: raise_(sync_api.TimeoutError(log + waited + tried))).effect == "possible"


def test_fonts_are_no_element(classify):
    log = "Page.screenshot: Timeout 30000ms exceeded.\nCall log:\n  - taking page screenshot\n  - waiting for fonts to load...\n"
    error = classify(lambda: raise_(sync_api.TimeoutError(log)))
    assert (type(error), error.resource) == (ToolTimeoutError, None)


@pytest.mark.parametrize(("seen", "words"), [("hidden", "is not visible"), ("visible", "is still visible")])
def test_an_element_that_stays_as_it_is(classify, seen, words):
    log = f'Locator.wait_for: Timeout 9ms exceeded.\nCall log:\n  - waiting for locator("#a") to be x\n    - locator resolved to {seen} <p id="a"></p>\n'
    error = classify(lambda: raise_(sync_api.TimeoutError(log)))
    assert (type(error), error.resource, words in error.message) == (ResourceConflictError, "#a", True)


def test_a_browser_that_does_not_start_or_answer_in_time(classify):
    for text in ("BrowserType.launch: Timeout 9ms exceeded.", "BrowserType.connect: Timeout 9ms exceeded."):
        error = classify(lambda text=text: raise_(sync_api.TimeoutError(text)))
        assert (type(error), error.effect, "The browser" in error.message) == (ToolTimeoutError, "none", True)


def test_the_status_of_an_answer_counts_before_its_words(classify):
    text = "APIRequestContext.get: 404 Not Found\nResponse text:\nconnect ECONNREFUSED net::ERR_CONNECTION_REFUSED\nCall log:\n  - → GET https://x/y\n"
    error = classify(lambda: raise_(sync_api.Error(text)))
    assert (type(error), error.http_status, error.resource) == (ResourceNotFoundError, 404, "https://x/y")


def test_a_parameter_of_another_type_is_the_argument(classify):
    error = classify(lambda: raise_(sync_api.Error("Page.goto: url: expected string, got number")), url=7)
    assert (type(error), error.message) == (ToolArgumentError, "The browser action rejected an argument.")
    assert [(one.pointer, one.message, one.expected) for one in error.problems] == [
        ("/url", "has the wrong type", "a string")
    ]


def test_a_local_file_is_playwright_s_too(classify):
    error = classify(
        lambda: raise_(sync_api.Error("Page.set_input_files: ENOENT: no such file or directory, stat '/none'"))
    )
    assert (type(error), error.resource, error.provider) == (ResourceNotFoundError, "/none", "playwright")


OTHERS = [
    ('Navigation to "https://a/" is interrupted by another navigation to "https://b/"', "Another navigation", True),
    ("PrintToPDF is not implemented", "This browser does not support the action.", False),
    ("It looks like you are using Playwright Sync API inside the asyncio loop.", "The tool uses Playwright's", False),
]


@pytest.mark.parametrize(("text", "words", "transient"), OTHERS)
def test_other_things_that_playwright_says(classify, text, words, transient):
    error = classify(lambda: raise_(sync_api.Error(text)))
    assert (type(error), error.transient) == (ToolExecutionError, transient)
    assert error.message.startswith(words)


def test_an_element_outside_of_the_page(classify):
    error = classify(lambda: raise_(sync_api.Error("Locator.click: Error: Element is outside of the viewport")))
    assert (type(error), error.effect) == (ResourceConflictError, "none")
    several = classify(lambda: raise_(sync_api.Error("Error: Non-multiple file input can only accept single file")))
    assert type(several) is ToolArgumentError
