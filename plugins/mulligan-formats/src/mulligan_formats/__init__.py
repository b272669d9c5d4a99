"""Feedback as XML, as Markdown, and in two terse lines."""

from collections.abc import Iterable

from mulligan.plugin import FeedbackFormat, hookimpl
from mulligan_formats.markdown import MarkdownFormat
from mulligan_formats.terse import TerseFormat
from mulligan_formats.xml import XmlFormat

__all__ = ["MarkdownFormat", "TerseFormat", "XmlFormat", "feedback_formats", "mulligan_api"]

mulligan_api = "1.0"


@hookimpl
def feedback_formats() -> Iterable[FeedbackFormat]:
    """The formats `xml`, `markdown` and `terse`."""
    return [XmlFormat(), MarkdownFormat(), TerseFormat()]
