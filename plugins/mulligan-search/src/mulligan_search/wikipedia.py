"""Wikipedia, through `wikipedia` and `wikipediaapi` (the distribution Wikipedia-API)."""

from __future__ import annotations

from mulligan.plugin import (
    Failure,
    Problem,
    Rules,
    ToolError,
    pointer_to,
    safe_str,
    status_error,
    transport_error,
)
from mulligan.plugin import meanings as m

rules = Rules("wikipedia")
last = Rules("wikipedia", last=True)
SERVICE = "Wikipedia"
_OPTIONS = 8
_WORDS = 8


@rules("wikipedia.PageError")
def no_page(failure: Failure) -> ToolError:
    """No page matches the title or the page id."""
    title = failure.look("title") or failure.look("pageid")
    return m.error_of(failure, m.NOT_FOUND, service=SERVICE, resource=None if title is None else safe_str(title, 400))


@rules("wikipedia.DisambiguationError")
def ambiguous(failure: Failure) -> ToolError:
    """The title is ambiguous; the first matching pages are suggested."""
    offered = failure.look("options")
    titles = [safe_str(one, 100) for one in offered] if isinstance(offered, (list, tuple)) else []
    options = [title for title in titles if title.count(" ") < _WORDS]  # anyone can title a page with a sentence
    expected = f"one of: {', '.join(options[:_OPTIONS])}" if options else "a more exact title"
    problem = Problem(_pointer(failure), "is ambiguous", expected)
    return m.error_of(failure, m.ARGUMENT, message="The title is ambiguous. Choose one page.", problems=[problem])


@rules("wikipedia.RedirectError")
def redirect(failure: Failure) -> ToolError:
    """The title redirects to another page, and the tool does not follow redirects."""
    problem = Problem(_pointer(failure), "redirects to another title", "the title of the page itself")
    return m.error_of(failure, m.ARGUMENT, message="The title is only a redirect.", problems=[problem])


def _pointer(failure: Failure) -> str:
    """The argument that contains the title; `title` if none does."""
    title = str(failure.look("title")).lower()
    named = (name for name, value in (failure.arguments or {}).items() if str(value).lower() == title)
    return pointer_to(next(named, "title"))


@rules("wikipedia.WikipediaException")
def api_error(failure: Failure) -> ToolError | None:
    """An error response from Wikipedia's API: https://www.mediawiki.org/wiki/API:Errors_and_warnings."""
    if failure.says("exceeded your rate limit", "rate limit", "too many requests"):
        return m.error_of(failure, m.RATE_LIMIT, service=SERVICE)
    if failure.says("must be set", "longer than the maximum", "may not be empty", "unrecognized value", "too long"):
        return m.error_of(failure, m.ARGUMENT, service=SERVICE)
    if failure.says("read-only", "database", "search is currently too busy", "temporarily", "replication lag"):
        return m.error_of(failure, m.UNAVAILABLE, service=SERVICE)
    return None


@last("wikipedia.WikipediaException", "wikipediaapi.WikipediaException")
def other_wikipedia(failure: Failure) -> ToolError:
    """Any other exception of the client."""
    return m.error_of(failure, m.FAILED, service=SERVICE)


@rules("builtins.ValueError")
def empty_query(failure: Failure) -> ToolError | None:
    """wikipedia: neither a title nor a page id was given."""
    if not failure.says("a title or a pageid must be specified"):
        return None
    problems = [Problem(pointer_to("title"), "is required, or a page ID")]
    return m.error_of(failure, m.ARGUMENT, message="A title or a page ID is required.", problems=problems)


@rules("wikipediaapi.WikiHttpError")
def status(failure: Failure) -> ToolError:
    """wikipediaapi: any other status. Its URL is the API's, the same for every page."""
    named = next((value for name in ("title", "page", "query") if (value := (failure.arguments or {}).get(name))), None)
    return status_error(failure, service=SERVICE, resource=None if named is None else str(named))


@rules("wikipediaapi.WikiHttpTimeoutError")
def timeout(failure: Failure) -> ToolError:
    """wikipediaapi: no response in time."""
    return transport_error(failure, service=SERVICE) or m.error_of(failure, m.TIMEOUT, service=SERVICE)


@rules("wikipediaapi.WikiInvalidJsonError")
def not_json(failure: Failure) -> ToolError:
    """wikipediaapi: the response is not JSON."""
    return m.error_of(failure, m.FAILED, message="Wikipedia returned a response that is not JSON.")
