"""How the site is built: `nox -s docs`. The pages are plain Markdown that reads well in the repository too.

What Markdown cannot express is added while a page is read: the navigation, from the lists of links in index pages; a caption
for a block that is a file; the repository's address for links that lead out of this folder; and drawings, which are inlined
so that they have the colors of the theme.
"""

from __future__ import annotations

import pathlib
import posixpath
import re

from sphinx.application import Sphinx
from sphinx.util import logging

FOLDER = pathlib.Path(__file__).parent
REPOSITORY = "https://github.com/mulligan-dev/mulligan"
FENCE = re.compile(r"^(`{3,}|~{3,})(.*?)^\1$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"^```(\w+) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()(\.{0,2}/?[\w./-]+)(#[\w-]+)?(?=\))")
DRAWING = re.compile(r"^!\[[^]]*\]\((\S+\.svg)\)$", re.MULTILINE)
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)

project = "mulligan"
author = "The mulligan developers"
copyright = author
extensions = ["myst_parser"]
exclude_patterns = ["_static"]
nitpicky = True
myst_heading_anchors = 4
html_theme = "furo"
html_title = "mulligan"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"top_of_page_buttons": [], "navigation_with_keys": True}
highlight_language = "text"
pygments_style = "friendly"
pygments_dark_style = "github-dark"


def read(app: Sphinx, name: str, source: list[str]) -> None:
    """Adds to a page what Markdown has no words for.

    Args:
        app: the builder.
        name: of the page.
        source: its text, the only one in the list.
    """
    text = _outside(source[0], lambda part: LINK.sub(lambda found: _led(found, name), part))
    if posixpath.basename(name) in ("index", "README"):
        text += _navigation(text)
    text = DRAWING.sub(lambda found: _inlined(found, name), text)
    source[0] = NAMED.sub(r"```{code-block} \1\n:caption: \2\n\n\3```", text)


def _outside(text: str, change) -> str:  # noqa: ANN001
    """Changes what stands outside of code blocks."""
    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, change(text[end:])])


def _led(found: re.Match[str], page: str) -> str:
    """A link that leaves this folder as an address in the repository; a broken one is a warning, and so an error."""
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), found[1]))
    target = FOLDER.parent / path
    if path.startswith("docs/") or path == "docs":
        return found[0]
    if not target.exists():
        logging.getLogger(__name__).warning("the link %s leads nowhere", found[0], location=page)
    return f"{REPOSITORY}/{'tree' if target.is_dir() else 'blob'}/main/{path}{found[2] or ''}"


def _inlined(found: re.Match[str], page: str) -> str:
    """A drawing as part of the page."""
    drawing = FOLDER / posixpath.normpath(posixpath.join(posixpath.dirname(page), found[1]))
    return f"```{{raw}} html\n{drawing.read_text('utf-8')}```"


def _navigation(text: str) -> str:
    """Hidden tables of contents of the pages that a page lists, with each section's heading above them."""
    first, *sections = SECTION.split(text)
    parts = list(zip(sections[::2], sections[1::2], strict=True)) or [("", first)]
    made = []
    for title, part in parts:
        targets = re.findall(r"\]\(([\w/-]+(?:\.\w+)*)\.md\)", part)
        if targets:
            caption = f":caption: {title}\n" if title else ""
            made.append("\n\n```{toctree}\n:hidden:\n" + caption + "\n" + "\n".join(dict.fromkeys(targets)) + "\n```\n")
    return "".join(made)


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls.

    Args:
        app: the builder.
    """
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
