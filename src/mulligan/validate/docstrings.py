"""What a docstring says: the description, and one text for each parameter or field."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from docstring_parser import Docstring as ParsedDocstring


class Docstring(NamedTuple):
    """A docstring, read.

    Attributes:
        text: the short and the long description, without the sections.
        parameters: the text of each documented parameter or attribute, by name.
    """

    text: str
    parameters: dict[str, str]


def read_docstring(docstring: str | None) -> Docstring:
    """Read a docstring in Google, NumPy or Sphinx style.

    Args:
        docstring: as `__doc__` holds it, or None.
    """
    text = inspect.cleandoc(docstring or "")
    if "\n" not in text:
        return Docstring(text, {})
    import docstring_parser

    try:
        return _digest(docstring_parser.parse(text))
    except Exception:  # the parser stumbles over some unusual texts
        return Docstring(text, {})


def read_class_docstring(cls: type) -> Docstring:
    """Read the docstring of a class, and the docstrings below its attributes and those of its bases.

    A docstring that a decorator made from the class's signature does not count.
    """
    attributes: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if base.__module__ != "builtins":
            attributes |= _attribute_docstrings(base)
    own = read_docstring(_written_docstring(cls))
    return Docstring(own.text, attributes | own.parameters)


def _written_docstring(cls: type) -> str | None:
    docstring = cls.__dict__.get("__doc__")
    return None if docstring is None or docstring.startswith(f"{cls.__name__}(") else docstring


@lru_cache(maxsize=1024)  # to find the source of a class takes milliseconds
def _attribute_docstrings(cls: type) -> Mapping[str, str]:
    import docstring_parser

    try:
        return MappingProxyType(_digest(docstring_parser.parse_from_object(cls)).parameters)
    except Exception:  # its source is not at hand, or cannot be read by itself
        return MappingProxyType({})


def _digest(parsed: ParsedDocstring) -> Docstring:
    parameters = {
        name.strip().lstrip("*"): inspect.cleandoc(parameter.description)
        for parameter in parsed.params
        if parameter.description
        for name in parameter.arg_name.split(",")
    }
    return Docstring((parsed.description or "").strip(), parameters)
