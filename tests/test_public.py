"""The face of the package: its names, its imports, its size, and what importing it costs."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from public_names import LIST, public_names

import mulligan
import mulligan.plugin

ROOT = Path(mulligan.__file__).parent
MODULES = sorted(["mulligan", *(found.name for found in pkgutil.walk_packages([str(ROOT)], "mulligan."))])
SOURCES = sorted(ROOT.rglob("*.py"))
FACE = {
    *(
        "Answers ApprovalRequest Approve Budget Deadline Dialect Failure Feedback FeedbackFormat Injected Limits NeedsApproval".split()
    ),
    *("Pipeline PluginFault PluginInfo Policy Problem Reject".split()),
    *(
        "Repair Session Tool ToolCall ToolOptions ToolResult Toolset current_deadline errors hints_of hookimpl tool".split()
    ),
}
AUTHOR = {
    *(
        "Answers AttemptFailed BudgetSpent CallFinished CallRepaired CallStarted Deadline DeadlineExceeded Dialect Effect Event Executor".split()
    ),
    *(
        "ExecutorSaturated Failure Feedback FeedbackFormat Injected Limits Middleware MulliganError Notice Outcome PluginError PluginFaulted".split()
    ),
    *(
        "Policy Problem Repair Repairer RepeatedCallError ResourceConflictError ResourceNotFoundError Run Sleep Step StepFinished Steps Tool".split()
    ),
    *(
        "ToolArgumentError ToolAuthenticationError ToolCall ToolCancelledError ToolConnectionError ToolError ToolExecutionError".split()
    ),
    *(
        "ToolNotFoundError ToolPermissionError ToolQuotaError ToolRateLimitError ToolResult ToolTimeoutError ToolUnavailableError".split()
    ),
    *("Toolset UsageError Waiting body clean fence hookimpl safe_str show_name tool".split()),
}
HEAVY = {
    *(
        "asyncio attr.validators cattrs docstring_parser hashlib importlib_metadata jsonschema_rs loguru msgspec rapidfuzz".split()
    ),
    *("rich typer pydantic email logging concurrent.futures multiprocessing socket ssl urllib.request".split()),
} - {"attr.validators", "logging"}


def public_of(module: object) -> set[str]:
    return {name for name in vars(module) if not name.startswith("_")}


def test_the_face_is_exactly_what_it_says():
    assert set(mulligan.__all__) == FACE
    assert mulligan.__all__ == sorted(mulligan.__all__)
    for name in mulligan.__all__:
        assert getattr(mulligan, name) is not None
    namespace: dict[str, object] = {}
    exec("from mulligan import *", namespace)
    assert FACE <= set(namespace)
    submodules = {found.name for found in pkgutil.iter_modules([str(ROOT)])}
    assert public_of(mulligan) <= FACE | submodules


def test_the_authors_door_has_every_name_that_it_promises():
    assert AUTHOR <= set(mulligan.plugin.__all__)
    in_order = sorted(mulligan.plugin.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name))
    assert mulligan.plugin.__all__ == in_order
    for name in mulligan.plugin.__all__:
        assert getattr(mulligan.plugin, name) is not None
    assert public_of(mulligan.plugin) == set(mulligan.plugin.__all__)
    for name in set(mulligan.plugin.__all__) & FACE:
        assert getattr(mulligan.plugin, name) is getattr(mulligan, name)


def test_the_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert mulligan.__version__ == version("mulligan")


def test_there_is_a_marker_for_type_checkers():
    assert (ROOT / "py.typed").exists()


def test_every_module_imports_alone_and_in_silence():
    """Each one that the package itself does not import, in a fork of an interpreter in which every warning is an error."""
    program = """
import importlib, json, os, sys, traceback
import mulligan
failed, names = {}, [name for name in json.loads(sys.stdin.read()) if name not in sys.modules]
while names:
    forks = {}
    for name in names[:4]:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                importlib.import_module(name)
            except BaseException:
                os.write(write, traceback.format_exc().encode()[-3000:])
            os._exit(0)
        os.close(write)
        forks[name] = child, os.fdopen(read)
    for name, (child, told) in forks.items():
        with told:
            problem = told.read()
        os.waitpid(child, 0)
        if problem:
            failed[name] = problem
    names = names[4:]
print(json.dumps(failed))
"""
    names = [name for name in MODULES if not name.startswith("mulligan.cli")]
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        input=json.dumps(names),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout) == {}


def loaded_after(code: str) -> set[str]:
    program = f"import sys\nbefore = set(sys.modules)\n{code}\nprint(*(set(sys.modules) - before))"
    env = {**os.environ, "MULLIGAN_DISABLE_PLUGIN_AUTOLOAD": ""}
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=env, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return set(ended.stdout.split())


def test_a_session_imports_what_reads_saved_ones_when_one_is_read():
    saved = "from mulligan import Pipeline, Session\npipeline = Pipeline(autoload=False)\n"
    saved += "session = pipeline.session()\nsession.call('nope')\nsaved = session.to_dict()\n"
    assert "cattrs" not in loaded_after(saved)
    assert "cattrs" in loaded_after(saved + "Session.from_dict(pipeline, saved)")


@pytest.mark.parametrize("name", ["mulligan", "mulligan.plugin"])
def test_importing_it_imports_nothing_heavy(name):
    assert loaded_after(f"import {name}") & HEAVY == set()


def test_a_pipeline_imports_what_is_heavy_when_it_is_needed():
    made = "from mulligan import Pipeline\npipeline = Pipeline(autoload=False)\n"
    assert loaded_after(made) & HEAVY == set()
    assert (
        loaded_after(made + "pipeline.call('nope')")
        & {"asyncio", "loguru", "importlib_metadata", "rich", "typer", "pydantic"}
        == set()
    )
    used = """
from mulligan import Pipeline
def read(path: str, n: int = 1) -> str:
    return path
pipeline = Pipeline([read], autoload=False)
assert pipeline.call("read", '{"path": "a"}').content == "a"
"""
    assert (
        loaded_after(used) & {"asyncio", "loguru", "importlib_metadata", "rapidfuzz", "rich", "typer", "pydantic"}
        == set()
    )


def imports_of(source: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


BUILT_IN = sorted(
    {
        *ROOT.glob("*/builtin.py"),
        *ROOT.glob("*/builtin/*.py"),
        *ROOT.glob("middleware/*.py"),
        *ROOT.glob("classify/detect/*.py"),
        ROOT / "classify/html_page.py",
        ROOT / "classify/printed_values.py",
        ROOT / "pipeline/logs.py",
        ROOT / "pipeline/log_sinks.py",
    }
)


def module_of(source: Path) -> str:
    return ".".join(("mulligan", *source.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


@pytest.mark.parametrize("source", BUILT_IN, ids=module_of)
def test_an_outsider_could_have_written_the_built_in_plugins(source):
    """What they take from the library, beside one another, is what `mulligan.plugin` gives to every author."""
    theirs = {module_of(other) for other in BUILT_IN}
    taken = [(module, name) for module, name in imports_of(source) if module.split(".")[0] == "mulligan"]
    own = {name for module, name in taken if module in theirs or f"{module}.{name}" in theirs}
    assert {name for _, name in taken} - own <= {*mulligan.plugin.__all__}


def test_only_one_module_touches_pluggy():
    touching = {source.stem for source in SOURCES if any(module == "pluggy" for module, _ in imports_of(source))}
    assert touching <= {"manager", "hookspecs", "hookimpl"}


def test_the_flow_knows_no_clock_no_loop_and_no_thread():
    for stem in ("pipeline/flow", "pipeline/attempts", "hooks/guard", "hooks/callers"):
        imported = {module.split(".")[0] for module, _ in imports_of(ROOT / f"{stem}.py")}
        assert not imported & {"time", "asyncio", "threading", "pluggy", "random"}


def test_no_source_names_a_workplace():
    for source in SOURCES:
        text = source.read_text()
        for place in ("work", "tmp", "root", "home"):
            assert f"/{place}/" not in text


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.relative_to(ROOT)))
def test_modules_are_documented(source):
    tree = ast.parse(source.read_text())
    assert ast.get_docstring(tree) or source.stat().st_size == 0, "the module has no docstring"
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            documented = ast.get_docstring(node) or any(is_overload(decorator) for decorator in node.decorator_list)
            assert documented, f"{node.name} has no docstring"
            for inner in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)) and not inner.name.startswith("_"):
                    setter = any(isinstance(decorator, ast.Attribute) for decorator in inner.decorator_list)
                    assert ast.get_docstring(inner) or setter, f"{node.name}.{inner.name} has no docstring"


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.relative_to(ROOT)))
def test_docstrings_name_what_exists(source):
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            stale = described_names(ast.get_docstring(node) or "") - names_within(node)
            assert stale == set(), f"the docstring of {node.name} describes {', '.join(sorted(stale))}"


def described_names(docstring: str) -> set[str]:
    """The names in the sections `Args:` and `Attributes:`."""
    sections = re.findall(r"^(?:Args|Attributes):\n((?:    .*\n?|\n)+)", docstring + "\n", re.MULTILINE)
    return {name for section in sections for name in re.findall(r"^    \*{0,2}(\w+): ", section, re.MULTILINE)}


def names_within(node: ast.AST) -> set[str]:
    """Parameters, fields, methods and attributes of `self`."""
    names: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.arg):
            names.add(inner.arg)
        elif isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add(inner.name)
        elif isinstance(inner, ast.Name):
            names.add(inner.id)
        elif isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == "self":
            names.add(inner.attr)
    return names


def is_overload(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id == "overload"


@pytest.mark.parametrize("name", sorted(FACE | set(mulligan.plugin.__all__)))
def test_every_public_name_is_documented(name):
    value = getattr(mulligan, name, None) or getattr(mulligan.plugin, name)
    if inspect.ismodule(value) or inspect.isclass(value) or inspect.isfunction(value):
        assert inspect.getdoc(value)
        if inspect.isfunction(value):
            for parameter in inspect.signature(value).parameters:
                assert f"{parameter}:" in (inspect.getdoc(value) or ""), parameter


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("Pipeline", "tools plugins autoload block policy limits format middleware strict tool_options approver"),
        ("Pipeline.call", "self name_or_call arguments call_id session context"),
        ("Pipeline.acall", "self name_or_call arguments call_id session context"),
        ("Pipeline.call_many", "self calls session context"),
        ("Pipeline.acall_many", "self calls session context"),
        ("Pipeline.answer", "self message session context"),
        ("Pipeline.aanswer", "self message session context"),
        ("Pipeline.recover", "self text_or_exception"),
        ("Pipeline.classify", "self exception_or_value tool arguments"),
        ("Pipeline.session", "self id format budget"),
        ("Pipeline.with_tools", "self tools control_flow approver tool_options"),
        ("Pipeline.resume", "self call_id decision session context"),
        ("Pipeline.aresume", "self call_id decision session context"),
        ("Tool.from_schema", "name description parameters handler options"),
        ("Toolset.definitions", "self dialect"),
        ("ToolCall", "id name arguments"),
        ("ToolResult.message", "self dialect"),
        ("ToolResult.from_error", "error call"),
        ("Problem", "pointer message expected got"),
    ],
)
def test_the_signatures_of_the_contract(name, parameters):
    value: object = mulligan
    for part in name.split("."):
        value = getattr(value, part)
    assert list(inspect.signature(value).parameters) == parameters.split()  # type: ignore[arg-type]


def test_the_docstring_of_the_package_is_true(tmp_path, monkeypatch, capsys):
    example = inspect.cleandoc(mulligan.__doc__ or "").split("\n\n", 1)[1]
    exec(example, {"__name__": "example"})
    assert capsys.readouterr().out.startswith(
        "Error: Tool 'read_fil' not found.\nDid you mean \"read_file\"? Call read_file, "
    )


def test_every_submodule_is_importable_here():
    for name in MODULES:
        if not name.startswith("mulligan.cli"):
            assert importlib.import_module(name).__name__ == name


def test_what_is_imported_later_is_there_like_all_other_names():
    program = "import mulligan; print(set(mulligan.__all__) - set(dir(mulligan))); from mulligan import *; print(Budget, Session)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (
        ended.stdout == "set()\n<class 'mulligan.session.budget.Budget'> <class 'mulligan.pipeline.pipeline.Session'>\n"
    )


def test_a_name_that_does_not_exist_is_named():
    with pytest.raises(AttributeError, match=r"^module 'mulligan' has no attribute 'Sesion'"):
        mulligan.Sesion


def test_no_public_name_is_lost():
    names = public_names()
    known = set(LIST.read_text("utf-8").splitlines())
    assert known - names == set(), "a public name stays; one that goes on purpose is taken off the list by hand"
    assert names - known == set(), "new public names: python tools/public_names.py"
