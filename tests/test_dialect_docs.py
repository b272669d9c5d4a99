"""The reference page of the dialects says what is true: its examples are run, its table has all names."""

from __future__ import annotations

import contextlib
import io
import pathlib
import re
from typing import Any

from mulligan.dialects import built_in

PAGE = (pathlib.Path(__file__).parents[1] / "docs" / "reference" / "dialects.md").read_text(encoding="utf-8")


def test_the_examples_print_what_stands_below_them():
    blocks = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == PAGE.count("```python")
    namespace: dict[str, Any] = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
        assert printed.getvalue() == expected
    namespace["pipeline"].close()


def test_the_tables_name_every_dialect():
    names, streams = (re.findall(r"^\| `([a-z-]+)` \|", part, re.MULTILINE) for part in PAGE.split("## Streams"))
    assert names == list(built_in())
    assert streams == [name for name in names if name != "mcp"]
