"""The built site: no link leads nowhere, nothing is loaded from elsewhere, every page can be reached."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SITE = ROOT / "site"
REPOSITORY = "https://github.com/mulligan-dev/mulligan/"
LOADED = {"src", "srcset", "poster", "data"}
HANDED_ON = {"stylesheet", "icon", "preload", "preconnect", "dns-prefetch", "modulepreload", "manifest"}
PAGES = sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html"))


class Page(HTMLParser):
    """What a page links to, loads, and can be jumped to in."""

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.text = path.read_text("utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        self.loaded += [given[name] for name in LOADED & set(given)]
        if tag == "link" and HANDED_ON & set(given.get("rel", "").split()):
            self.loaded.append(given.get("href", ""))
        elif "href" in given:
            self.links.append(given["href"])


READ = {name: Page(SITE / name) for name in PAGES}


def led(page: str, link: str) -> tuple[pathlib.Path, str]:
    """The file and the anchor that a link of a page leads to."""
    parts = urlsplit(link)
    target = SITE / page if not parts.path else (SITE / page).parent / unquote(parts.path)
    return target.resolve(), unquote(parts.fragment)


def broken(page: str) -> Iterator[str]:
    for link in READ[page].links + READ[page].loaded:
        if urlsplit(link).scheme in ("http", "https", "data", "mailto"):
            continue
        target, anchor = led(page, link)
        name = str(target.relative_to(SITE)) if target.is_relative_to(SITE) else ""
        if not target.is_file() or (anchor and name in READ and anchor not in READ[name].anchors):
            yield link


def test_there_is_a_site():
    assert len(PAGES) > 30, "build it first: nox -s docs"


@pytest.mark.parametrize("page", PAGES)
def test_no_link_leads_nowhere(page):
    assert list(broken(page)) == []


@pytest.mark.parametrize("page", PAGES)
def test_links_into_the_repository_lead_to_a_file(page):
    links = [link.removeprefix(REPOSITORY) for link in READ[page].links if link.startswith(REPOSITORY)]
    paths = [link.split("#")[0].split("/", 2)[2] for link in links if link.startswith(("blob/", "tree/"))]
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_loaded_from_elsewhere(page):
    assert [one for one in READ[page].loaded if re.match(r"(https?:)?//", one)] == []
    styles = re.findall(r"<style.*?</style>", READ[page].text, re.DOTALL)
    assert [one for one in styles if re.search(r"url\(['\"]?(https?:)?//|@import", one)] == []


def test_no_stylesheet_and_no_script_asks_for_anything():
    asking = {}
    for path in [*SITE.rglob("*.css"), *SITE.rglob("*.js")]:
        text = path.read_text("utf-8", "replace")
        found = re.findall(r"(?:url\(['\"]?|@import ['\"]?|fetch\(['\"`]|import\(['\"`])((?:https?:)?//[^'\")]+)", text)
        if found:
            asking[path.name] = found
    assert asking == {}


def test_every_page_can_be_reached_from_the_first_one():
    reached, ahead = set(), ["index.html"]
    while ahead:
        page = ahead.pop()
        if page in reached or page not in READ:
            continue
        reached.add(page)
        targets = [led(page, link)[0] for link in READ[page].links if not urlsplit(link).scheme]
        ahead += [str(target.relative_to(SITE)) for target in targets if target.is_relative_to(SITE)]
    assert set(PAGES) - reached == set()


def test_every_page_stands_in_the_navigation():
    first = READ["index.html"].text
    menu = first[first.index('class="sidebar-tree"') :]
    documents = {str(path.relative_to(ROOT / "docs").with_suffix(".html")) for path in (ROOT / "docs").rglob("*.md")}
    within = {page for page in documents if page.startswith("reference/dominance/")}
    assert {page for page in documents - within - {"index.html"} if f'href="{page}"' not in menu} == set()
