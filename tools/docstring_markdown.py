"""Render docstrings and signatures of public names as Markdown, for `reference_pages.py`."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import textwrap
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

import attrs

SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Yields|Example):$", re.MULTILINE)
BARE = re.compile(r"(https?://[^\s)]+)")
TITLES = {"Args": "Parameters"}
NOTE = "<!-- Written by tools/reference_pages.py from the docstrings. -->\n"
WIDTH = 96
Link = Callable[[str], str]


class Entry(NamedTuple):
    """One heading of a page.

    Attributes:
        title: the heading.
        level: the heading level.
        signature: Python text, or empty.
        doc: the docstring, dedented.
        types: the types of the attributes, by name.
        members: lists of members that take one line each: a title, and name, type and docstring of each member.
    """

    title: str
    level: int
    signature: str
    doc: str
    types: dict[str, str]
    members: tuple[tuple[str, list[tuple[str, str, str]]], ...] = ()


def of_class(cls: type, level: int = 2, elsewhere: Collection[type] = ()) -> Iterator[Entry]:
    """Yield an entry for a class, and for each of its public methods that mulligan defines.

    Args:
        cls: the class.
        level: the heading level.
        elsewhere: classes with entries of their own; members inherited from them are left out.
    """
    types = {name: _type_text(kind) for base in reversed(cls.__mro__) for name, kind in _annotations(base).items()}
    members = dict(_members(cls, elsewhere))
    lists = {"Properties": {name for name, member in members.items() if isinstance(member, property)}}
    checks = {name for name in members if name.startswith("test_")}
    if checks:
        lists |= {"Checks": checks, "For the checks": set(members) - checks - lists["Properties"]}
    listed = [
        (title, [(name, _result(member), _doc(member)) for name, member in members.items() if name in names])
        for title, names in lists.items()
    ]
    yield Entry(cls.__name__, level, signature_of(cls), _doc(cls), types, tuple(listed))
    for name, member in members.items():
        if not any(name in names for names in lists.values()):
            decorators = "@classmethod\n" if isinstance(member, classmethod) else ""
            decorators += "@staticmethod\n" if isinstance(member, staticmethod) else ""
            signature = decorators + signature_of(getattr(cls, name), name)
            yield Entry(f"{cls.__name__}.{name}", level + 1, signature, _doc(member), {})


def of_function(function: Any, level: int = 2) -> Entry:
    """Return the entry of a function.

    Args:
        function: the function.
        level: the heading level.
    """
    name = function.__name__
    overloads = _overloads(function)
    return Entry(name, level, "\n\n".join(overloads) or signature_of(function, name), _doc(function), {})


def of_constant(module: Any, name: str, level: int = 2) -> Entry:
    """Return the entry of a constant or type alias: its definition, and the docstring below the definition.

    Args:
        module: the module that defines it.
        name: its name.
        level: the heading level.
    """
    source = inspect.getsource(module)
    body = ast.parse(source).body
    for statement, after in zip(body, [*body[1:], ast.Pass()], strict=True):
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if name in [getattr(target, "id", None) for target in targets]:
            text = ast.get_source_segment(source, statement) or ""
            doc = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            return Entry(name, level, re.sub(r': TypeAlias = "(.*)"$', r" = \1", text), inspect.cleandoc(str(doc)), {})
    raise LookupError(f"{module.__name__} does not define {name}")


def signature_of(function: Any, name: str | None = None) -> str:
    """Return a signature as Python text, on several lines if one is too long.

    Args:
        function: a function or a class.
        name: the name of the function; without it, `function` is a class.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return f"class {function.__name__}"
    hidden = {field.alias for field in attrs.fields(function) if field.name[0] == "_"} if attrs.has(function) else set()
    parameters = [one for one in signature.parameters.values() if one.name not in {"self", "cls", *hidden}]
    result = (
        ""
        if name is None or signature.return_annotation is inspect.Signature.empty
        else (f" -> {_type_text(signature.return_annotation)}")
    )
    start = "class " if name is None else "async def " if inspect.iscoroutinefunction(function) else "def "
    shown = f"{start}{name or function.__name__}"
    texts = list(_parameters(parameters))
    line = f"{shown}({', '.join(texts)}){result}"
    if len(line) <= WIDTH:
        return line if name is not None or texts else shown
    return f"{shown}(\n" + "".join(f"    {text},\n" for text in texts) + f"){result}"


def markdown(entry: Entry, link: Link) -> str:
    """Return an entry as Markdown.

    Args:
        entry: the entry.
        link: turns a name in backticks into a link if the name is documented.
    """
    lines = [f"{'#' * entry.level} {entry.title}\n"]
    if entry.signature:
        lines.append(f"```python\n{entry.signature}\n```\n")
    lines += [f"{block}\n" for block in _blocks(entry, link)]
    return "\n".join(lines)


def sections(doc: str) -> list[tuple[str, str]]:
    """Return the sections of a docstring with their titles; text outside a section has an empty title.

    Args:
        doc: the docstring, dedented.
    """
    parts = SECTION.split(doc)
    found = [("", parts[0].strip())]
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        inside, after = _dedented(text)
        found += [(title, inside), ("", after)]
    return [(title, text) for title, text in found if text]


def prose(text: str, link: Link = str) -> str:
    """Return paragraphs as Markdown: indented code is fenced, and names in backticks become links.

    Args:
        text: text of a docstring.
        link: as for `markdown`.
    """
    blocks = text.split("\n\n")
    parts = ["\n\n".join(group) for _, group in itertools.groupby(blocks, key=lambda block: block.startswith("    "))]
    return "\n\n".join(_code(part) if part.startswith("    ") else _linked(part, link) for part in parts)


def _blocks(entry: Entry, link: Link) -> Iterator[str]:
    for title, text in sections(entry.doc):
        if title == "Example":
            yield _code(textwrap.indent(text, "    "))
        elif title in ("Returns", "Yields"):
            yield f"**{title}:** {_linked(_joined(text), link)}"
        elif title:
            items = [_item(name, description, entry.types, link) for name, description in _items(text)]
            yield f"**{TITLES.get(title, title)}**\n\n" + "\n".join(items)
        else:
            yield prose(text, link)
    for title, members in entry.members:
        if members:
            items = [_item(name, _joined(doc), {name: kind}, link) for name, kind, doc in members]
            yield f"**{title}**\n\n" + "\n".join(items)


def _items(text: str) -> Iterator[tuple[str, str]]:
    for item in re.split(r"\n(?=\S)", text):
        name, _, description = item.partition(": ")
        yield name, _joined(description)


def _item(name: str, description: str, types: dict[str, str], link: Link) -> str:
    kind = types.get(name.lstrip("*"), "")
    head = link(f"`{name}`") if name[0].isupper() else f"`{name}`"
    shown = f" (`{kind}`)" if kind and "ClassVar" not in kind else ""
    return f"- {head}{shown}: {_linked(description, link)}"


def _linked(text: str, link: Link) -> str:
    def part(found: re.Match[str]) -> str:
        piece = found[0]
        return link(piece) if piece.startswith("`") else BARE.sub(r"<\1>", piece.replace("<", "&lt;"))

    return re.sub(r"`[^`]+`|[^`]+", part, text)


def _code(block: str) -> str:
    return f"```python\n{textwrap.dedent(block).strip()}\n```"


def _joined(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines())


def _dedented(text: str) -> tuple[str, str]:
    """The indented lines at the start, dedented, and what follows them."""
    lines = text.strip("\n").split("\n")
    end = next((at for at, line in enumerate(lines) if line and not line.startswith(" ")), len(lines))
    return textwrap.dedent("\n".join(lines[:end])).strip(), "\n".join(lines[end:]).strip()


def _doc(given: Any) -> str:
    return inspect.cleandoc(given.__doc__ or "")


def _members(cls: type, elsewhere: Collection[type]) -> Iterator[tuple[str, Any]]:
    """Public methods and properties of a class and its bases, each once, in their order."""
    seen: set[str] = set()
    for base in cls.__mro__:
        if not base.__module__.startswith("mulligan") or (base is not cls and base in elsewhere):
            continue
        for name, member in vars(base).items():
            is_method = isinstance(member, (classmethod, staticmethod, property)) or inspect.isfunction(member)
            if is_method and not name.startswith("_") and name not in seen and member.__doc__:
                seen.add(name)
                yield name, member


def _result(member: Any) -> str:
    """The type of a property; empty for anything else."""
    return _type_text(_annotations(member.fget).get("return", "")) if isinstance(member, property) else ""


def _annotations(given: Any) -> dict[str, Any]:
    return dict(getattr(given, "__annotations__", {}))


def _type_text(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__forward_arg__", None)
    text = text or getattr(annotation, "__name__", None) or str(annotation)
    return re.sub(r"\b(typing|collections\.abc|mulligan(\.\w+)+)\.", "", text.strip("'"))


def _parameters(parameters: list[inspect.Parameter]) -> Iterator[str]:
    is_open = True
    for one in parameters:
        if one.kind is one.VAR_POSITIONAL:
            is_open = False
        if one.kind is one.KEYWORD_ONLY and is_open:
            is_open = False
            yield "*"
        yield _parameter(one)


def _parameter(one: inspect.Parameter) -> str:
    stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    kind = "" if one.annotation is one.empty else f": {_type_text(one.annotation)}"
    if one.default is one.empty:
        return f"{stars}{one.name}{kind}"
    return f"{stars}{one.name}{kind} = {_default(one.default)}" if kind else f"{one.name}={_default(one.default)}"


def _default(value: Any) -> str:
    if isinstance(value, (str, int, float, bool, type(None))):
        return repr(value)
    if isinstance(value, tuple):
        inside = ", ".join(map(_default, value))
        return "..." if len(inside) > WIDTH else f"({inside},)" if len(value) == 1 else f"({inside})"
    return value.__name__ if isinstance(value, type) or inspect.isroutine(value) else "..."


def _overloads(function: Any) -> list[str]:
    """The overloads that a function declares for type checkers."""
    module = inspect.getmodule(function)
    if module is None or not inspect.isfunction(function):
        return []
    tree = ast.parse(inspect.getsource(module))
    found = []
    for node in tree.body:
        marks = [getattr(one, "id", "") for one in getattr(node, "decorator_list", [])]
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__ and "overload" in marks:
            found.append(_declared(node))
    return found


def _declared(node: ast.FunctionDef) -> str:
    bare = ast.FunctionDef(node.name, node.args, [ast.Expr(ast.Constant(...))], [], node.returns, None)
    line = ast.unparse(ast.fix_missing_locations(ast.copy_location(bare, node))).split("\n")[0].removesuffix(":")
    if len(line) <= WIDTH:
        return line
    head, _, rest = line.partition("(")
    inside, _, tail = rest.rpartition(") -> ")
    return f"{head}(\n" + "".join(f"    {one},\n" for one in _split(inside)) + f") -> {tail}"


def _split(inside: str) -> list[str]:
    """Split parameters at the commas outside brackets."""
    parts, depth = [""], 0
    for sign in inside:
        depth += (sign in "[(") - (sign in "])")
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]
