"""What holds for a text in each format: it is well-formed, and what is outside its fences is our own."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping

from format_payloads import MARK
from markdown_it import MarkdownIt
from markdown_it.token import Token

from mulligan.plugin import clean

ELEMENTS = {
    "error", "message", "problem", "problems", "suggestion", "tools", "note", "effect", "next", "corrected_call", "hint", "reported",
    "tool_says",
}  # fmt: skip
ATTRIBUTES = {"tool", "type", "fatal", "wait_seconds", "at", "listed", "total", "note"}
BLOCKS = {"paragraph", "bullet_list", "list_item", "inline", "fence"}
INLINE = {"text", "code_inline", "strong", "softbreak"}
MARKDOWN = MarkdownIt("gfm-like")


def check_xml(text: str) -> None:
    root = ET.fromstring(text)
    assert root.tag == "error"
    for element in root.iter():
        assert element.tag in ELEMENTS
        assert set(element.attrib) <= ATTRIBUTES
        if element.tag in ("next", "effect"):
            assert MARK not in "".join(element.itertext())
    for tag in re.findall("<[^>]*>", text):
        assert re.fullmatch(r'</?[a-z_]+( [a-z_]+="[^"<>]*")*/?>', tag), tag
    assert not re.search(r"&(?!(amp|lt|gt|quot);)", text)


def check_markdown(text: str) -> None:
    tokens = MARKDOWN.parse(text)
    for token in tokens:
        kind = token.type.removesuffix("_open").removesuffix("_close")
        assert kind in BLOCKS, (kind, text)
        if kind == "fence":
            assert token.markup not in token.content
            assert text.endswith(f"\n{token.markup}")
        for child in token.children or ():
            inner = child.type.removesuffix("_open").removesuffix("_close")
            assert inner in INLINE, (inner, text)
            if inner == "text":
                assert MARK not in child.content, text
    for step in _next_steps(tokens):
        assert MARK not in step, text


def _next_steps(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        children = token.children or []
        if len(children) > 1 and children[0].type == "text" and children[0].content == "":
            children = children[1:]
        if len(children) > 1 and children[0].type == "strong_open" and children[1].content == "Next:":
            yield "".join(child.content for child in children)


def check_terse(text: str) -> None:
    assert text.count("\n") <= 1
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    assert MARK not in outside, text
    assert "<" not in text
    assert ">" not in text
    assert "``" not in text
    assert outside.count('"') % 2 == 0
    assert not re.search(r"[\[\]|]|//", re.sub(r"Call: .*", "", outside)), outside
    assert MARK not in text.rpartition("Next: ")[2] or "Next: " not in outside, text


def check(format: str, text: str) -> None:
    """Fails where a text in a format is not well-formed, or something foreign is outside its fences."""
    CHECKS[format](text)
    assert text == clean(text), "nothing invisible is left"
    assert text.encode("utf-8")


CHECKS: Mapping[str, Callable[[str], None]] = {"xml": check_xml, "markdown": check_markdown, "terse": check_terse}
