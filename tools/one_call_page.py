"""Update the line numbers and the program output in docs/explanation/one-call.md: `python tools/one_call_page.py`."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import pathlib
import re
from typing import cast
from unittest import mock

from mulligan import ToolResult

ROOT = pathlib.Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explanation" / "one-call.md"
LINK = re.compile(r"\[`([\w.]+)`\]\(\.\./\.\./([\w/]+\.py)#L(\d+)\)")
PROGRAM = re.compile(r"^```python \S+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def find_line(file: str, name: str) -> int:
    """Return the line of a definition, not of its decorators.

    Args:
        file: the path of the module in this repository.
        name: a function or class, or a method as `Class.method`.

    Raises:
        LookupError: the module does not define the name.
    """
    node: ast.AST = ast.parse((ROOT / file).read_text("utf-8"))
    for part in name.split("."):
        inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, Definition) and child.name == part]
        if not inner:
            raise LookupError(f"{file} does not define {name}; name what the step on this page is now called")
        node = inner[-1]
    assert isinstance(node, Definition)
    return node.lineno


def run_program(page: str) -> tuple[str, ToolResult]:
    """Run the program of the page without installed plugins; return its output and its result.

    Args:
        page: the text of the page.
    """
    found = PROGRAM.search(page)
    assert found
    printed, names = io.StringIO(), {"__name__": "one_call"}
    with mock.patch.dict(os.environ, MULLIGAN_DISABLE_PLUGIN_AUTOLOAD="1"), contextlib.redirect_stdout(printed):
        exec(compile(found[1], "one_call.py", "exec"), names)
    return printed.getvalue(), cast("ToolResult", names["result"])


def update(page: str) -> str:
    """Return the page with the current line numbers and the current output.

    Args:
        page: the text of the page.
    """
    page = LINK.sub(lambda link: f"[`{link[1]}`](../../{link[2]}#L{find_line(link[2], link[1])})", page)
    return PRINTED.sub(lambda _: f"```text\n{run_program(page)[0]}```", page)


if __name__ == "__main__":
    PAGE.write_text(update(PAGE.read_text("utf-8")), "utf-8")
