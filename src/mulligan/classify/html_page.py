"""What a reader sees of an HTML page: its title, its first heading, its texts."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

_HTML = re.compile(r"\s{0,20}(?:<!doctype html\b|<html\b|<head\b)", re.IGNORECASE)
_MOST_PAGE = 100_000


class Page(HTMLParser):
    """The title, the first heading and the first texts of an HTML page.

    Attributes:
        title: the title.
        heading: the first heading.
        texts: the texts that a reader sees.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.title = self.heading = ""
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Opens a tag."""
        if tag in ("title", "h1", "h2", "script", "style"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Closes a tag."""
        if tag in self._open:
            self._open.remove(tag)

    def handle_data(self, data: str) -> None:
        """Keeps a text, unless it is a script or a style."""
        words = " ".join(data.split())
        if not words or "script" in self._open or "style" in self._open:
            return
        if "title" in self._open:
            self.title = f"{self.title} {words}".strip()
            return
        if self._open and len(self.texts) < 4:
            self.heading = f"{self.heading} {words}".strip()
        self.texts.append(words)


def read_page(text: str) -> Page | None:
    """The parts of an HTML page; None if the text is none, or is too long.

    Args:
        text: a text.
    """
    return Page(text) if len(text) <= _MOST_PAGE and _HTML.match(text) else None
