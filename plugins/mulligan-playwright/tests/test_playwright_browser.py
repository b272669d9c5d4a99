"""What a real Chromium does."""

from __future__ import annotations

import mulligan_playwright
import pytest
from playwright import sync_api

from mulligan import Pipeline, tool
from mulligan.plugin import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolTimeoutError,
)


@pytest.mark.parametrize(
    ("act", "named"),
    [
        (lambda page: page.click("#none"), "#none"),
        (lambda page: page.locator("#none").inner_text(), "#none"),
        (lambda page: page.wait_for_selector("#none"), "#none"),
        (lambda page: page.get_by_text("zzz").click(), 'get_by_text("zzz")'),
    ],
)
def test_an_element_that_is_not_there(classify, page, act, named):
    error = classify(lambda: act(page))
    assert type(error) is ResourceNotFoundError
    assert error.message == f"The element {named} was not found in time. Look at the page for another selector."
    assert (error.resource, error.effect, error.fatal) == (named, "none", False)
    assert (error.provider, error.rule) == ("playwright", "mulligan_playwright:element_timeout")


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda page: page.click("#off"), "is disabled"),
        (lambda page: page.click("#hidden"), "is not visible"),
        (lambda page: page.select_option("#colour", "blue"), "has no such option"),
        (
            lambda page: (page.evaluate("cover.style.display = 'block'"), page.click("#under")),
            "is covered by another element",
        ),
    ],
)
def test_an_element_that_is_not_ready(classify, page, act, words):
    error = classify(lambda: act(page))
    assert type(error) is ResourceConflictError
    assert error.message.endswith(f"was found, but it {words}. Look at the page first, or use another element.")
    assert (error.effect, error.fatal, error.transient) == ("none", False, False)


@pytest.mark.parametrize(
    ("selector", "read_only", "advice"),
    [
        ("#none", True, "check the name"),
        ("#none", False, "check the name"),
        ("#off", True, "call click again later"),
        ("#off", False, "read the current state"),
    ],
)
def test_the_advice_is_not_to_ask_for_less(page, selector, read_only, advice):
    @tool(read_only=read_only)
    def click(selector: str) -> None:
        """Click an element."""
        page.click(selector)

    with Pipeline([click], plugins=[mulligan_playwright], autoload=False) as pipeline:
        told = pipeline.call("click", {"selector": selector}).content
    assert "Look at the page" in told and f"\nNext: {advice}" in told
    assert "request less" not in told
    assert "exactly the same arguments" not in told


def test_an_element_that_does_not_go_away_took_too_long(classify, page):
    error = classify(lambda: page.wait_for_selector("h1", state="hidden"))
    assert (type(error), error.resource, error.effect) == (ToolTimeoutError, "h1", "possible")


@pytest.mark.parametrize(
    ("act", "words", "rule"),
    [
        (lambda page, it: page.locator(it).click(), "The selector fits several elements.", "several_elements"),
        (lambda page, it: page.fill("h1", it), "The element takes no text.", "wrong_element"),
        (lambda page, it: page.check("h1"), "The element cannot be checked.", "wrong_element"),
        (lambda page, it: page.select_option("h1", it), "The element has no options.", "wrong_element"),
        (lambda page, it: page.press("h1", "Nokey"), "Unknown key.", "wrong_element"),
    ],
)
def test_an_action_that_does_not_fit_the_element(classify, page, act, words, rule):
    error = classify(lambda: act(page, "button"), selector="button")
    assert (type(error), error.message, error.effect) == (ToolArgumentError, words, "none")
    assert error.rule == f"mulligan_playwright:{rule}"


def test_the_argument_with_the_selector_is_named(classify, page):
    error = classify(lambda: page.locator("button").click(), selector="button", timeout=3)
    assert (error.problems[0].pointer, error.problems[0].expected) == (
        "/selector",
        "a selector that fits exactly one element",
    )


@pytest.mark.parametrize("selector", ["div[[", "xpath=//[", "foo=bar"])
def test_a_selector_that_cannot_be_read(classify, page, selector):
    error = classify(lambda: page.click(selector), css=selector)
    assert (type(error), error.message) == (ToolArgumentError, "The selector cannot be read.")


def test_a_selector_that_fits_nothing_in_a_call_that_does_not_wait(classify, page):
    error = classify(lambda: page.eval_on_selector("#none", "e => 1"))
    assert (type(error), error.resource) == (ResourceNotFoundError, "#none")


def test_scripts(classify, page):
    raised = classify(
        lambda: page.evaluate("() => { throw new Error('the page is closed, net::ERR_CONNECTION_RESET') }")
    )
    assert (type(raised), raised.message) == (ToolExecutionError, "The script raised an error in the page.")
    wrong = classify(lambda: page.evaluate("(("))
    assert (type(wrong), wrong.message) == (ToolArgumentError, "The script has a syntax error.")


def test_nobody_listens(classify, page, nobody):
    error = classify(lambda: page.goto(nobody))
    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")
    assert (error.resource, error.rule) == (nobody, "mulligan_playwright:network")
    assert not classify(lambda: page.goto(nobody), url=nobody).fatal


@pytest.mark.parametrize(
    ("path", "cls", "fatal"),
    [
        ("/reset", ToolConnectionError, False),
        ("/circle", ToolExecutionError, False),
        ("/file", ToolExecutionError, False),
        ("/slow", ToolTimeoutError, False),
    ],
)
def test_addresses_that_do_not_load(classify, page, site, path, cls, fatal):
    error = classify(lambda: page.goto(site + path, timeout=1_000 if path == "/slow" else 20_000))
    assert (type(error), error.fatal, error.resource) == (cls, fatal, site + path)
    if cls in (ToolConnectionError, ToolTimeoutError):
        assert (error.transient, error.effect) == (True, "possible")


def test_no_encryption_there(classify, page, site):
    error = classify(lambda: page.goto(site.replace("http:", "https:")))
    assert (type(error), error.message) == (
        ToolConnectionError,
        "The TLS connection to the website could not be established.",
    )


def test_addresses_that_are_none(classify, page):
    for address in ("example.com", "/relative", "http://127.0.0.1:99999", "http://127.0.0.1:25"):
        error = classify(lambda address=address: page.goto(address), url=address)
        assert (type(error), error.message) == (ToolArgumentError, "The browser cannot open this address.")
        assert error.problems[0].pointer == "/url"
    missing = classify(lambda: page.goto("file:///nowhere.html"))
    assert (type(missing), missing.resource) == (ResourceNotFoundError, "file:///nowhere.html")


@pytest.mark.parametrize(
    ("code", "cls"),
    [
        ("accessdenied", ToolPermissionError),
        ("blockedbyclient", ToolPermissionError),
        ("internetdisconnected", ToolConnectionError),
        ("namenotresolved", ToolConnectionError),
        ("addressunreachable", ToolConnectionError),
        ("connectionclosed", ToolConnectionError),
        ("timedout", ToolTimeoutError),
        ("aborted", ToolExecutionError),
        ("failed", ToolExecutionError),
    ],
)
def test_every_code_that_a_route_can_give(classify, page, site, code, cls):
    page.route("**/*", lambda route: route.abort(code))
    error = classify(lambda: page.goto(site))
    assert type(error) is cls
    if cls is ToolPermissionError:
        assert not error.fatal


def test_what_the_browser_waits_for(classify, page):
    assert classify(lambda: page.wait_for_function("() => false")).effect == "none"
    event = classify(lambda: page.wait_for_event("download"))
    assert (type(event), event.message) == (ToolTimeoutError, "The event download did not occur in time.")


def test_pages_that_are_gone(classify, browser, page, site):
    other = browser.new_page()
    other.close()
    closed = classify(other.title)
    assert (type(closed), closed.fatal) == (ToolExecutionError, False)
    assert closed.message == "The page or the browser was closed. Open a new page."
    moved = classify(lambda: page.evaluate("to => { location.href = to; return new Promise(() => {}) }", site))
    assert (moved.message, moved.transient) == ("The page has navigated. Look at it again.", True)


def test_elements_and_frames_that_are_gone(classify, page):
    page.set_content("<h1>x</h1><iframe src='about:blank'></iframe>")
    frame, title = page.frames[1], page.query_selector("h1")
    page.evaluate("document.body.innerHTML = ''")
    assert "removed from the page" in classify(lambda: title.click()).message
    assert "frame was removed" in classify(lambda: frame.evaluate("1")).message


def test_a_page_that_is_not_as_expected(classify, page):
    error = classify(lambda: sync_api.expect(page.locator("#hidden")).to_be_visible(timeout=100))
    assert (type(error), error.fatal, error.effect, error.provider) == (
        ResourceConflictError,
        False,
        "none",
        "playwright",
    )
    assert error.message == "The page did not reach the expected state in time."

    def own():
        raise AssertionError("Locator expected to be visible")

    assert classify(own).provider is None
