"""`mulligan new`: what it writes is built, installed, tested, linted and typed, all five kinds together."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tomllib

import pytest
from clean_environment import SOURCE, clean_environment

import mulligan
from mulligan.cli import main

SETTINGS = str(pathlib.Path(SOURCE).parent / "pyproject.toml")
KINDS = {
    "classifier": "acme",
    "format": "slip",
    "dialect": "tulip-mail",
    "executor": "w" * 30,
    "repairer": "a-b-c-d-e-f-g-h-i-j-k-l-m-n-o1",
}
FILES = {
    ".github/workflows/test.yml",
    ".gitignore",
    "LICENSE",
    "README.md",
    "noxfile.py",
    "pyproject.toml",
    "src/mulligan_acme/__init__.py",
    "src/mulligan_acme/py.typed",
    "tests/test_acme.py",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a package of each kind, and the site that they are installed into."""
    folder = tmp_path_factory.mktemp("new")
    before = os.getcwd()
    os.chdir(folder)
    try:
        for kind, name in KINDS.items():
            assert main(["new", kind, name]) == 0
    finally:
        os.chdir(before)
    packages = [str(folder / f"mulligan-{name}") for name in KINDS.values()]
    pip = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    ended = python(*pip, "--root-user-action", "ignore", "--target", str(folder / "site"), *packages, cwd=folder)
    assert ended.returncode == 0, ended.stderr
    return folder


def python(*words, cwd, site=None, **more):
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env=clean_environment(*([site] if site else []), **more),
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_says_what_it_wrote_and_what_comes_next(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "executor", "acme"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out == (
        "Created mulligan-acme, a package with a working executor. Edit these files:\n\n"
        "  mulligan-acme/src/mulligan_acme/__init__.py\n"
        "  mulligan-acme/tests/test_acme.py\n\n"
        "Then, in that folder:\n\n"
        '  pip install -e . "mulligan[testing]"\n'
        "  python -m pytest\n"
    )


def test_a_package_has_all_that_publishing_needs(made):
    folder = made / "mulligan-acme"
    written = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert written == FILES
    for path in FILES - {".github/workflows/test.yml"}:
        text = (folder / path).read_text(encoding="utf-8")
        assert "$" not in text, path
        assert text.endswith("\n") or path.endswith("py.typed"), path
    assert "${{ matrix.python }}" in (folder / ".github/workflows/test.yml").read_text(encoding="utf-8")
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == "mulligan-acme"
    assert project["entry-points"]["mulligan"] == {"acme": "mulligan_acme"}
    major, minor = mulligan.__version__.split(".")[:2]
    assert project["dependencies"] == [f"mulligan>={major}.{minor},<{major}.{int(minor) + 1}"]
    assert "mulligan-plugin" in project["keywords"]


def test_all_kinds_are_installed_together_and_register_themselves(made):
    ended = python("-m", "mulligan.cli", "doctor", "--check", "--json", cwd=made, site=made / "site")
    told = json.loads(ended.stdout)
    mine = {info["name"]: info for info in told["plugins"] if info["name"] in KINDS.values()}
    assert {name: info["state"] for name, info in mine.items()} == dict.fromkeys(KINDS.values(), "active")
    assert {info["api"] for info in mine.values()} == {told["hook_api"]}
    assert [finding for finding in told["findings"] if finding["plugin"] in mine] == []


EACH = """
import contextlib, io, json, os, pytest, sys

told = {}
for folder in sys.argv[1:]:
    os.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = pytest.main(["-q", "-p", "pytest_mulligan", "-p", "no:cacheprovider"])
    told[os.path.basename(folder)] = [code, printed.getvalue()]
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def own_tests(made):
    """How the tests of each package ended, by its folder: one process runs pytest in one after the other."""
    folders = [str(made / f"mulligan-{name}") for name in KINDS.values()]
    ended = python("-c", EACH, *folders, cwd=made, site=made / "site", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.parametrize("kind", KINDS)
def test_its_own_tests_pass_with_what_was_installed(own_tests, kind):
    code, printed = own_tests[f"mulligan-{KINDS[kind]}"]
    assert code == 0, printed
    assert " passed" in printed


def test_its_own_lint_passes_and_so_does_ours(made):
    packages = [f"mulligan-{name}" for name in KINDS.values()]
    for words in (
        ["check", *packages],
        ["format", "--check", *packages],
        ["check", "--config", SETTINGS, *(f"{package}/src" for package in packages)],
    ):
        ended = python("-m", "ruff", *words, "--no-cache", cwd=made)
        assert ended.returncode == 0, ended.stdout


def test_its_types_are_strict(made):
    """One run for all: each package's own settings are `strict` and nothing else."""
    parts = [f"mulligan-{name}/{part}" for name in KINDS.values() for part in ("src", "tests")]
    for name in KINDS.values():
        own = tomllib.loads((made / f"mulligan-{name}" / "pyproject.toml").read_text())["tool"]["mypy"]
        assert own == {"strict": True, "files": ["src", "tests"]}
    words = ["-m", "mypy", "--strict", "--config-file", "", "--follow-imports", "silent", "--cache-dir", "cache"]
    folders = os.pathsep.join([SOURCE, *(str(made / f"mulligan-{name}" / "src") for name in KINDS.values())])
    ended = python(*words, *parts, cwd=made, MYPYPATH=folders)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout


def test_nothing_is_overwritten(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mulligan-acme").mkdir()
    assert main(["new", "format", "acme"]) == 2
    assert capsys.readouterr().err == (
        "mulligan: new format acme: ./mulligan-acme already exists; choose another name, or move the folder\n"
    )
    assert list((tmp_path / "mulligan-acme").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def full(self, *args, **options):
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(pathlib.Path, "write_text", full)
    assert main(["new", "format", "acme"]) == 2
    assert ": No space left on device; try again\n" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(pathlib.Path, "mkdir", full)
    assert main(["new", "format", "acme"]) == 2
    assert (
        "cannot create ./mulligan-acme: No space left on device; change to another folder\n" in capsys.readouterr().err
    )


NAMES = {
    "Acme": "acme",
    "acme_cloud": "acme-cloud",
    "acme--cloud": "acme-cloud",
    "-acme": "acme",
    "acme-": "acme",
    "9acme": "acme",
    "mulligan-acme": "acme",
    "mulligan_acme": "acme",
    "acme.cloud": "acme-cloud",
    "../acme": "acme",
    "acme/cloud": "acme-cloud",
    "acmé": "acm",
    "9": "acme",
    "a" * 31: "a" * 30,
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_cannot_be_is_refused_with_one_that_can(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "format", "--", name]) == 2
    assert capsys.readouterr().err == (
        f"mulligan: new format {name}: a name consists of lowercase letters, digits and single hyphens, "
        f"starts with a letter, and omits mulligan-; use '{NAMES[name]}'\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "name"), [("classifier", "classify"), ("format", "json"), ("dialect", "openai"), ("executor", "repair")]
)
def test_a_name_of_mulligans_own_is_refused(tmp_path, monkeypatch, capsys, kind, name):
    monkeypatch.chdir(tmp_path)
    assert main(["new", kind, name]) == 2
    assert f"this name is built in; use 'my-{name}'" in capsys.readouterr().err


def test_a_kind_that_there_is_not_is_told(capsys):
    assert main(["new", "plugin", "acme"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert all(kind in err for kind in KINDS)


LIBRARY = """
class TulipError(Exception):
    pass
class TooManyRequests(TulipError):
    def __init__(self, *, wait):
        self.wait = wait
class AccessDenied(TulipError): pass
class BedNotFound(TulipError): pass
class _Private(TulipError): pass
class TulipWarning(UserWarning): pass
"""


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A library `tulipshop` that is installed, with its exceptions in a module of its own."""
    site = tmp_path / "site"
    (site / "tulipshop").mkdir(parents=True)
    (site / "tulipshop" / "__init__.py").write_text("")
    (site / "tulipshop" / "errors.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for module in ("tulipshop", "tulipshop.errors"):
        sys.modules.pop(module, None)


def test_a_classifier_names_the_classes_of_the_installed_library(library):
    assert main(["new", "classifier", "tulipshop"]) == 0
    folder = library / "mulligan-tulipshop"
    code = (folder / "src/mulligan_tulipshop/__init__.py").read_text()
    readme = (folder / "README.md").read_text()
    for name, error in (
        ("TooManyRequests", "ToolRateLimitError"),
        ("AccessDenied", "ToolPermissionError"),
        ("BedNotFound", "ResourceNotFoundError"),
    ):
        assert f'@rules("tulipshop.errors.{name}")' in code
        assert f"| `tulipshop.errors.{name}` | `{error}` |" in readme
    assert "_Private" not in code
    assert "Warning" not in code
    assert "guessed from their names" in readme
    assert "example" not in code + readme
    words = ["-m", "pytest", "-q", "-p", "pytest_mulligan", "-p", "no:cacheprovider"]
    ended = python(*words, cwd=folder, site=folder / "src", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert ended.returncode == 0, ended.stdout
    for command in (["check"], ["format", "--check"]):
        ended = python("-m", "ruff", *command, "--no-cache", str(folder), cwd=library)
        assert ended.returncode == 0, ended.stdout


def test_a_classifier_for_a_library_that_is_not_installed_is_marked_as_an_example(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "classifier", "no-such-library"]) == 0
    folder = tmp_path / "mulligan-no-such-library"
    code = (folder / "src/mulligan_no_such_library/__init__.py").read_text()
    readme = (folder / "README.md").read_text()
    assert '@rules("no_such_library' not in code
    assert code.count("EXAMPLE: replace ") == 2
    assert "**This is an example.** `example_client` does not exist" in readme
