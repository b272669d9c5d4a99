"""Counts how many of the failures that published packages of tools return are found.

What a function of a tool returns within an `except` is a failure; what it returns as its last statement is a result, or at
times a failure as well, so that the second count is an upper bound. Only what can be read from the source counts: constants,
f-strings, dictionaries and lists of these, `json.dumps` of them. Names in them stand for texts of exceptions, paths, ids.

    pip download --no-deps -d wheels agno camel-ai crewai-tools mcp-atlassian upsonic ...
    python bench/values/published.py wheels/*

With the newest releases of 43 packages of PyPI on 2026-11-27 (CPython 3.11.7). Five were read while rules were written for
them (agno, camel-ai, langchain-community, strands-agents-tools, zotero-mcp-server); the others were only counted:

| packages | failures found, before | and after | results taken for failures, before | and after |
|---|---|---|---|---|
| read | 1,050 of 1,334 (79%) | 1,247 (93%) | 46 of 686 | 46 |
| not read | 607 of 709 (86%) | 644 (91%) | 18 of 457 | 18 |

All but three or four of the 46 are failures: functions such as `_error`, or the last of several branches.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mulligan import Pipeline, Tool

_RAISED = (
    "HTTPSConnectionPool(host='api.example.com', port=443): Max retries exceeded with url: /v1",
    "404 Client Error: Not Found for url: https://api.example.com/v1/items/7",
    "'NoneType' object has no attribute 'get'",
    "[Errno 2] No such file or directory: 'report.txt'",
    "invalid literal for int() with base 10: 'x'",
    "timed out",
    "Connection refused",
    "Expecting value: line 1 column 1 (char 0)",
    "list index out of range",
    "permission denied",
)
_PLACES = (("path|file", "report.txt"), ("id$|num|count|port", 42), ("url", "https://example.com/a"))
_OF_TOOLS = re.compile(r"tool|server|action|utilit|mcp")


class Returned(NamedTuple):
    """A value that a function of a package returns.

    Attributes:
        name: the function.
        parameters: its first six parameters.
        value: what it returns.
        is_failure: whether it returns it within an `except`.
    """

    name: str
    parameters: tuple[str, ...]
    value: Any
    is_failure: bool


class _Unknown(Exception):
    """An expression whose value the source does not tell."""


class _Values:
    """The values of expressions, with an example for each name.

    Args:
        raised: the names of the caught exceptions.
        seed: decides which texts stand for them.
    """

    def __init__(self, raised: list[str], seed: str) -> None:
        self._raised = raised
        self._random = random.Random(seed)

    def of(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.JoinedStr():
                return "".join(str(self.of(part)) for part in node.values)
            case ast.FormattedValue():
                return self.of(node.value)
            case ast.Dict() if None not in node.keys:
                return {self.of(key): self.of(one) for key, one in zip(node.keys, node.values, strict=True) if key}
            case ast.List():
                return [self.of(one) for one in node.elts]
            case ast.Tuple():
                return tuple(self.of(one) for one in node.elts)
            case ast.BinOp(op=ast.Add()):
                return self.of(node.left) + self.of(node.right)
            case ast.Call(args=[first, *_]) if ast.unparse(node.func) in ("json.dumps", "dumps"):
                return json.dumps(self.of(first))
        return self._example(node)

    def _example(self, node: ast.expr) -> Any:
        written = ast.unparse(node)
        if any(written in (name, f"str({name})", f"repr({name})") for name in self._raised):
            return self._random.choice(_RAISED)
        if "__name__" in written:
            return "ValueError"
        if "status_code" in written:
            return 404
        if not isinstance(node, ast.Name | ast.Attribute):
            raise _Unknown(written)
        return next((example for pattern, example in _PLACES if re.search(pattern, written)), "alpha")


class _Returns(ast.NodeVisitor):
    """Collects what the functions of a module return."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
        self._raised: list[str] = []
        self.found: list[Returned] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_function(node)

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._functions.append(node)
        self.generic_visit(node)
        self._functions.pop()

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._raised.append(node.name or "")
        self.generic_visit(node)
        self._raised.pop()

    def visit_Return(self, node: ast.Return) -> None:
        function = self._functions[-1] if self._functions else None
        if function is None or node.value is None or function.name.startswith("__"):
            return
        if not self._raised and not _is_last(node, function):
            return
        try:
            value = _Values(self._raised, f"{self._module}{node.lineno}").of(node.value)
        except (_Unknown, TypeError):
            return
        if (
            not isinstance(value, str | dict | list | tuple)
            or not value
            or (isinstance(value, str) and " " not in value)
        ):
            return
        parameters = tuple(one.arg for one in function.args.args if one.arg != "self")[:6]
        self.found.append(Returned(function.name, parameters, value, bool(self._raised)))


def _is_last(node: ast.Return, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    last = function.body[-1]
    return node is last or (isinstance(last, ast.Try) and node is last.body[-1])


def sources(archive: Path) -> Iterator[tuple[str, str]]:
    """The names and texts of the modules in a wheel or a source archive."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                if name.endswith(".py"):
                    yield name, wheel.read(name).decode("utf-8", "replace")
        return
    with tarfile.open(archive) as packed:
        for member in packed:
            data = packed.extractfile(member) if member.name.endswith(".py") else None
            if data is not None:
                yield member.name, data.read().decode("utf-8", "replace")


def returned_by(archive: Path) -> Iterator[Returned]:
    """What the functions of a package's tools return, each once."""
    seen = set[str]()
    for name, text in sources(archive):
        if not _OF_TOOLS.search(name) or "test" in name:
            continue
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        returns = _Returns(name)
        returns.visit(tree)
        for one in returns.found:
            key = f"{one.name} {one.is_failure} {json.dumps(one.value, default=str)[:60]}"
            if key not in seen:
                seen.add(key)
                yield one


def is_found(returned: Returned) -> bool:
    """Whether a pipeline takes a returned value for a failure."""
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in returned.parameters}}
    tool = Tool.from_schema(returned.name, "", schema, lambda **_: returned.value)
    with Pipeline([tool], autoload=False, block=["logging"]) as pipeline:
        return pipeline.call(returned.name, {}).is_error


def main() -> None:
    """Prints a row for each archive that is named on the command line, and their sum."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", type=Path, help="wheels or source archives")
    whole = Counter[str]()
    print("| package | failures found | results taken for failures |\n|---|---|---|")
    for archive in parser.parse_args().archives:
        counts = Counter[str]()
        for one in returned_by(archive):
            kind = "failures" if one.is_failure else "results"
            counts[kind] += 1
            counts[f"{kind} found"] += is_found(one)
        whole += counts
        _print_row(archive.name.split("-")[0], counts)
    _print_row("all", whole)


def _print_row(name: str, counts: Counter[str]) -> None:
    failures = f"{counts['failures found']} of {counts['failures']}"
    print(f"| {name} | {failures} | {counts['results found']} of {counts['results']} |")


if __name__ == "__main__":
    main()
