"""Write the reference in docs/reference from the docstrings: `python tools/reference_pages.py`.

Every public name is on exactly one page. A name that no page lists is added to the end of its module's page.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pathlib
import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import attrs
import error_page
from docstring_markdown import NOTE, Entry, Link, markdown, of_class, of_constant, of_function, prose, signature_of

import mulligan
import mulligan.plugin
import pytest_mulligan
from mulligan import hookspecs
from mulligan.errors import MulliganError

FOLDER = pathlib.Path(__file__).parents[1] / "docs" / "reference"


@attrs.frozen
class Page:
    """One page.

    Attributes:
        name: the file name.
        title: the heading.
        intro: the text below the heading.
        modules: the modules from which the names can be imported.
        names: the names on the page, in order.
    """

    name: str
    title: str
    intro: str
    modules: tuple[str, ...]
    names: tuple[str, ...] = ()


PAGES = (
    Page(
        "pipeline.md",
        "Pipelines, tools and sessions",
        "What a program that uses mulligan imports from `mulligan`. The results of calls are described in "
        "[Records](records.md); limits, and which errors are fatal, in [Policy and limits](policy.md).",
        ("mulligan",),
        (
            *("Pipeline", "Session", "Budget", "tool", "Tool", "ToolOptions", "hints_of", "Toolset", "Injected"),
            *("Deadline", "current_deadline", "ApprovalRequest", "Approve", "Reject", "NeedsApproval"),
        ),
    ),
    Page(
        "policy.md",
        "Policy and limits",
        "What a pipeline may do and how much. Every default is safe, and each is an argument that you can change.",
        ("mulligan", "mulligan.plugin"),
        ("Policy", "Limits", "Catalogue", "ENGLISH"),
    ),
    Page(
        "records.md",
        "Records",
        "What goes in and what comes out: calls, results, what the model reads, what plugins did.",
        ("mulligan", "mulligan.plugin"),
        (
            *(
                "ToolCall",
                "Repair",
                "ToolResult",
                "Answers",
                "Failure",
                "Feedback",
                "FeedbackFormat",
                "body",
                "Problem",
            ),
            *("PluginInfo", "PluginFault"),
        ),
    ),
    Page(
        "events.md",
        "Events",
        "What the hook [`observe`](hooks.md#observe) receives and `ToolResult.events` holds. Every text in them is redacted. "
        "How to use them: [Watch a run](../how-to/watch-a-run.md).",
        ("mulligan.plugin",),
        (
            *("Event", "CallStarted", "CallRepaired", "AttemptFailed", "Waiting", "CallRetried", "CallFinished"),
            *("CallAbandoned", "StepFinished", "ApprovalRequested", "ApprovalDecided", "Notice", "RequestNoted"),
            *("BudgetSpent", "PluginFaulted"),
        ),
    ),
    Page(
        "plugin.md",
        "For authors of plugins",
        "What a plugin imports from `mulligan.plugin`, besides the [hooks](hooks.md), the [errors](errors.md), "
        "the [records](records.md) and the [events](events.md).",
        ("mulligan.plugin",),
        (
            *(
                "hookimpl",
                "Rules",
                "Rule",
                "meanings",
                "status_error",
                "reason_of",
                "reason_error",
                "said",
                "text_error",
            ),
            *("pointer_to", "read_arguments", "coerced", "mended_json", "same_name", "Repairer"),
            *("safe_str", "clean", "show_name", "fence", "Dialect"),
        ),
    ),
    Page(
        "running.md",
        "Steps of a run",
        "The building blocks of executors and [middleware](middleware.md). A middleware is a generator that yields steps and "
        "receives their outcomes, so the same middleware works with `call` and `acall`.",
        ("mulligan.plugin",),
        (
            *("Executor", "Middleware", "Steps", "Step", "Run", "Sleep", "Signal", "Outcome"),
            *("DeadlineExceeded", "ExecutorSaturated", "ProcessFailed"),
        ),
    ),
    Page(
        "middleware.md",
        "Middleware and repair by a model",
        "What `mulligan.middleware` and `mulligan.repair` offer. How to use them: [Retry](../how-to/retry.md), "
        "[Limit a service](../how-to/limit-a-service.md), [Repair](../how-to/repair.md).",
        ("mulligan.middleware", "mulligan.repair"),
    ),
    Page(
        "adapters.md",
        "For authors of adapters: mulligan.adapters",
        "What the adapters for agent frameworks share. How to use it: [Write an adapter](../how-to/write-an-adapter.md).",
        ("mulligan.adapters",),
    ),
    Page(
        "testing.md",
        "For tests: mulligan.testing",
        "What the tests of a plugin, or of a program that uses mulligan, import from `mulligan.testing`. How to use it: "
        "[Test a plugin](../how-to/test-a-plugin.md).",
        ("mulligan.testing",),
    ),
)


def pages() -> dict[str, str]:
    """Return the text of each page, by file name."""
    known = {page.name: list(_entries(page)) for page in PAGES}
    anchors = _anchors(known)
    made = {page.name: _page(page, known[page.name], anchors) for page in PAGES}
    errors_link = _linking(anchors, "errors.md")
    return made | {"hooks.md": _hooks(_linking(anchors, "hooks.md")), "errors.md": error_page.page(errors_link)}


def names() -> list[str]:
    """Return the file names of the pages."""
    return [*(page.name for page in PAGES), "hooks.md", "errors.md"]


def public_names() -> Iterator[tuple[str, str]]:
    """Yield each public module with each of its public names."""
    for module in dict.fromkeys(module for page in PAGES for module in page.modules):
        for name in _found(module).__all__:
            yield module, name


def _found(module: str) -> Any:
    return importlib.import_module(module)


def _names(page: Page) -> list[str]:
    """The names on a page: those that it lists, and those of its modules that no page lists."""
    asked = {name for other in PAGES for name in other.names}
    modules = [module for module in page.modules if _owner(module) is page]
    rest = [name for module in modules for name in _found(module).__all__ if name not in asked]
    return [*page.names, *dict.fromkeys(name for name in rest if not _is_on_error_page(_get(page, name)))]


def _owner(module: str) -> Page:
    """The page for the names of a module that no page lists."""
    named = {"mulligan": "pipeline.md", "mulligan.plugin": "plugin.md"}
    owners = [page for page in PAGES if module in page.modules]
    return next((page for page in owners if page.name == named.get(module)), owners[0])


def _is_on_error_page(given: Any) -> bool:
    """Whether the page of the errors describes a value."""
    is_error = isinstance(given, type) and issubclass(given, MulliganError)
    return is_error or given is mulligan.errors or getattr(given, "__args__", ())[:1] == ("none",)


def _get(page: Page, name: str) -> Any:
    return next(getattr(_found(module), name) for module in page.modules if name in _found(module).__all__)


def _entries(page: Page) -> Iterator[Entry]:
    everything = [getattr(_found(module), name) for module, name in public_names()]
    classes = {one for one in everything if isinstance(one, type)}
    told: dict[int, str] = {}
    for name in _names(page):
        given = _get(page, name)
        if id(given) in told:
            yield Entry(name, 2, f"{name} = {told[id(given)]}", f"An alias of `{told[id(given)]}`.", {})
            continue
        if isinstance(given, type) or callable(given):
            told[id(given)] = name
        yield from _entry(page, name, given, classes)


def _entry(page: Page, name: str, given: Any, classes: set[type]) -> Iterator[Entry]:
    if isinstance(given, type):
        yield from of_class(given, 2, classes - {given})
    elif isinstance(given, ModuleType):
        yield Entry(name, 2, f"from {_home(page, name)} import {name}", inspect.cleandoc(given.__doc__ or ""), {})
        yield from _members(given)
    elif inspect.isfunction(inspect.unwrap(given)):
        yield of_function(inspect.unwrap(given))
    else:
        yield of_constant(_definer(page, name), name)


def _members(module: ModuleType) -> Iterator[Entry]:
    for name, given in vars(module).items():
        if name.startswith("_") or getattr(given, "__module__", module.__name__) != module.__name__:
            continue
        if inspect.isfunction(given):
            yield of_function(given, 3)
        elif isinstance(given, type):
            yield from of_class(given, 3)


def _home(page: Page, name: str) -> str:
    return next(module for module in page.modules if name in _found(module).__all__)


def _definer(page: Page, name: str) -> ModuleType:
    """The module that defines a name which the page's module only imports."""
    tree = inspect.getsource(_found(_home(page, name)))
    found = re.search(rf"^from ([\w.]+) import [^\n(]*\b{name}\b", tree, re.MULTILINE)
    found = found or re.search(rf"^from ([\w.]+) import \([^)]*\b{name}\b[^)]*\)", tree, re.MULTILINE)
    return importlib.import_module(found[1]) if found else _found(_home(page, name))


def _page(page: Page, entries: list[Entry], anchors: dict[str, str]) -> str:
    link = _linking(anchors, page.name)
    listed = "Imported from: " + ", ".join(f"`{module}`" for module in page.modules) + ".\n"
    texts = [f"{NOTE}\n# {page.title}\n\n{page.intro}\n", listed]
    for entry in entries:
        own = lambda text, entry=entry: text if text.strip("`") in entry.title.split(".") else link(text)  # noqa: E731
        texts.append(markdown(entry, own))
        if entry.title == "Chaos":
            texts.insert(-1, _fixtures(link))
        if entry.title == "ENGLISH":
            texts.append(_sentences())
        if entry.title == "meanings":
            texts.append(_meanings(link))
    return "\n".join(texts)


def _sentences() -> str:
    rows = [f"| `{name}` | {_cell(text)} |\n" for name, text in mulligan.plugin.ENGLISH.items()]
    return "| name | template |\n|---|---|\n" + "".join(rows)


def _fixtures(link: Link) -> str:
    tree = ast.parse(inspect.getsource(pytest_mulligan))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in pytest_mulligan.__all__]
    given = [
        node
        for node in found
        if ast.unparse(node.decorator_list[0] if node.decorator_list else node) == "pytest.fixture"
    ]
    listed = [markdown(Entry(node.name, 3, "", ast.get_docstring(node) or "", {}), link) for node in given]
    return "## Fixtures\n\nThe pytest plugin that comes with mulligan provides them.\n\n" + "\n".join(listed)


def _cell(text: str) -> str:
    return "`" + text.replace("|", r"\|") + "`"


def _meanings(link: Link) -> str:
    meanings = mulligan.plugin.meanings
    rows = [
        f"| `meanings.{name}` | {link(f'`{one.cls.__name__}`')} | {one.message} |\n"
        for name, one in vars(meanings).items()
        if isinstance(one, meanings.Meaning)
    ]
    return "| meaning | error | words |\n|---|---|---|\n" + "".join(rows)


def _hooks(link: Link) -> str:
    kinds = {"decide": "decides", "contribute": "contributes", "observe": "observes"}
    doc = inspect.cleandoc(hookspecs.__doc__ or "")
    rest = doc.partition("\n\n")[2]
    texts = [f"{NOTE}\n# Hooks\n\n{prose(rest, link)}\n", "| hook | kind | its first sentence |\n|---|---|---|\n"]
    for name in hookspecs.__all__:
        sentence = re.split(r"(?<=\.)\s", _hook_doc(name), maxsplit=1)[0].replace("\n", " ")
        texts[-1] += f"| [`{name}`](#{name}) | {kinds[_kind(name)]} | {sentence} |\n"
    for name in hookspecs.__all__:
        entry = Entry(name, 2, signature_of(getattr(hookspecs, name), name), _hook_doc(name), {})
        text = markdown(entry, lambda piece, name=name: piece if piece == f"`{name}`" else link(piece))
        texts.append(text.replace("```\n", f"```\n\nKind: *{_kind(name)}*. {_how_called(name)}\n", 1))
    return "\n".join(texts)


def _hook_doc(name: str) -> str:
    return inspect.cleandoc(getattr(hookspecs, name).__doc__ or "")


def _kind(name: str) -> str:
    if name == "observe":
        return "observe"
    given = getattr(hookspecs, name)
    decides = name == "authorize" or getattr(given, "mulligan_spec", {}).get("firstresult")
    return "decide" if decides else "contribute"


def _how_called(name: str) -> str:
    if name == "authorize":
        return "Every hookimpl is called; one that crashes refuses the call."
    return {
        "decide": "The first result that is not None wins.",
        "contribute": "The results of all hookimpls are collected.",
        "observe": "Every hookimpl is called; what it returns is ignored.",
    }[_kind(name)]


def _anchors(known: dict[str, list[Entry]]) -> dict[str, str]:
    """Where each name is explained, as `page.md#anchor`; methods have the name of their class in front."""
    found = {}
    for page, entries in known.items():
        seen: dict[str, int] = {}
        for entry in entries:
            slug = re.sub(r"[^\w-]", "", entry.title.lower())
            count = seen[slug] = seen.get(slug, -1) + 1
            found[entry.title] = f"{page}#{slug}" + (f"-{count}" if count else "")
            listed = [f"{entry.title}.{name}" for _, members in entry.members for name, *_ in members]
            found |= dict.fromkeys(listed, found[entry.title])
    hooks = {name: f"hooks.md#{name}" for name in hookspecs.__all__}
    errors = {name: f"errors.md#{name.lower()}" for name in error_page.names()}
    return hooks | errors | found


def _linking(anchors: dict[str, str], page: str) -> Link:
    def link(piece: str) -> str:
        name = piece.strip("`").removesuffix("()").removeprefix("mulligan.").removeprefix("plugin.")
        target = anchors.get(name)
        if target is None or (name.islower() and "." not in name and name in _EVERYDAY):
            return piece
        return f"[{piece}]({target.removeprefix(page) if target.startswith(page) else target})"

    return link


_EVERYDAY = frozenset(hookspecs.__all__) | {"tool", "retry", "body", "said", "clean", "fence", "concurrency"}


def main() -> None:
    """Write the pages."""
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
