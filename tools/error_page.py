"""Render docs/reference/errors.md, with what a model reads after each error, for `reference_pages.py`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from docstring_markdown import NOTE, Entry, Link, markdown, of_constant, prose, signature_of

from mulligan import Pipeline, Policy, ToolResult, errors, tool
from mulligan.errors import MulliganError, ToolError

BASES = ("MulliganError", "UsageError", "PluginError", "ToolError")
WORDS = ("Effect", "ToolType")
SAMPLES: dict[str, ToolError] = {
    "ResourceNotFoundError": errors.ResourceNotFoundError(
        "Resource not found: docs/plan.md", resource="docs/plan.md", http_status=404
    ),
    "ResourceConflictError": errors.ResourceConflictError("The branch has moved on since it was read."),
    "ToolTimeoutError": errors.ToolTimeoutError("The search took longer than 30 s."),
    "ToolRateLimitError": errors.ToolRateLimitError("The rate limit of the service is reached.", retry_after=20),
    "ToolUnavailableError": errors.ToolUnavailableError("The service is temporarily unavailable (HTTP 503)."),
    "ToolCancelledError": errors.ToolCancelledError("The call was cancelled."),
    "ToolExecutionError": errors.ToolExecutionError("The service failed (HTTP 500)."),
    "ToolAuthenticationError": errors.ToolAuthenticationError("The service rejected the credentials (HTTP 401)."),
    "ToolPermissionError": errors.ToolPermissionError("The account may not read this page."),
    "ToolConnectionError": errors.ToolConnectionError("The service cannot be reached."),
    "ToolQuotaError": errors.ToolQuotaError("The month's credit is exhausted."),
}
INTRO = """Every failed call becomes one of these. A program reads its fields, the model reads a text such as the one below
each class, and the user reads `user_message`. `Policy(fatal=...)` overrides which errors are fatal
([Policy and limits](policy.md)).
"""
FIELDS = """Each class below accepts these fields as keyword arguments; the pipeline fills in those that a plugin leaves out."""


def names() -> list[str]:
    """Return the names of all error classes, and of the types that belong to them."""
    found = [name for name, one in vars(errors).items() if inspect.isclass(one) and issubclass(one, MulliganError)]
    return [*found, *WORDS]


def page(link: Link) -> str:
    """Return the text of the page.

    Args:
        link: turns a name into a link.
    """
    tree, _, rest = inspect.cleandoc(errors.__doc__ or "").partition("\n\n")[2].partition("\n\n")
    texts = [f"{NOTE}\n# Errors\n", INTRO]
    texts += [f"```\n{inspect.cleandoc(tree)}\n```\n", f"{prose(rest, link)}\n", _table(link)]
    contents = {result.error.__class__.__name__: result.content for result in _failures() if result.error is not None}
    for name in BASES:
        texts.append(_base(name, link))
    for cls in _classes():
        texts.append(_one(cls, contents[cls.__name__], link))
    for name in WORDS:
        texts.append(markdown(of_constant(errors, name), link))
    return "\n".join(texts)


def _classes() -> list[type[ToolError]]:
    return [
        one
        for name in names()
        if (one := getattr(errors, name)) not in [getattr(errors, base) for base in BASES] and inspect.isclass(one)
    ]


def _table(link: Link) -> str:
    rows = [
        f"| {link(f'`{cls.__name__}`')} | {cls.code} | {'yes' if cls.fatal else 'no'} | {_advice(cls)} |\n"
        for cls in _classes()
    ]
    return (
        "| error | code | fatal by default | what it means, and what the model reads |\n|---|---|---|---|\n"
        + "".join(rows)
    )


def _advice(cls: type[ToolError]) -> str:
    return inspect.cleandoc(cls.__doc__ or "").split("\n")[0]


def _base(name: str, link: Link) -> str:
    cls = getattr(errors, name)
    types = {key: str(kind) for key, kind in inspect.get_annotations(cls).items()}
    signature = signature_of(cls) if cls is ToolError else f"class {name}({cls.__base__.__name__})"
    text = markdown(Entry(name, 2, signature, inspect.cleandoc(cls.__doc__ or ""), types), link)
    return f"{text}\n{FIELDS}\n" if cls is ToolError else text


def _one(cls: type[ToolError], content: str, link: Link) -> str:
    name = cls.__name__
    types = {key: str(kind) for key, kind in inspect.get_annotations(cls).items()}
    signature = f"class {name}(ToolError)"
    text = markdown(Entry(name, 2, signature, inspect.cleandoc(cls.__doc__ or ""), types), link)
    facts = [f"code `{cls.code}`", "fatal" if cls.fatal else "not fatal", f"effect `{cls.effect}`"]
    facts.append("transient" if cls.transient else "not transient")
    shown = re.sub(r"[0-9a-f]{16}", "0123456789abcdef", content)
    return (
        f"{text}\nBy default: {', '.join(facts)}. The user reads: “{cls.user_message}”\n\n"
        f"The model reads, for example:\n\n```text\n{shown}\n```\n"
    )


def _failures() -> Iterator[ToolResult]:
    """Make one failed call for each class."""
    titled = {error.resource or name: error for name, error in SAMPLES.items()}

    @tool(read_only=True)
    def read_page(title: str, lines: int = 10) -> str:
        """Read a page of the wiki."""
        raise titled.get(title, RuntimeError("no such luck"))

    with Pipeline([read_page], autoload=False, block=("logging",), policy=Policy(retry=False)) as pipeline:
        yield pipeline.call("read_pages", {"title": "Home"})
        yield pipeline.call("read_page", {"title": "Home", "lines": "ten"})
        for title in titled:
            yield pipeline.call("read_page", {"title": title})
        yield _repeated(pipeline)


def _repeated(pipeline: Pipeline) -> ToolResult:
    session = pipeline.session()
    results: list[Any] = [session.call("read_page", {"title": "Home"}) for _ in range(4)]
    return results[-1]
