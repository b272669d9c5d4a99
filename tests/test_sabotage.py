"""Ten sabotaged packages, really installed together: every command works, every call ends as without them, and each is named."""

from __future__ import annotations

import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys

import pytest
import sabotage
from clean_environment import clean_environment

HERE = pathlib.Path(__file__).parent
TOOLS = '''
def find_shoe(size: int) -> str:
    """Find a shoe."""
    return f"a shoe, size {size}"


def read_page(path: str) -> str:
    """Read a page."""
    return open(path).read()
'''
CHAT = '{"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "findShoe", "arguments": "{}"}}]}'
COMMANDS = {
    "call": 'call --tools tools.py find_shoe {"size":42} --log off',
    "call that fails": 'call --tools tools.py read_page {"path":"none.txt"} --log off',
    "call of nothing": "call --tools tools.py findShoe {} --log off --format json",
    "run": "run chat.jsonl --tools tools.py --log off",
    "schema": "schema --tools tools.py",
    "explain": "explain TimeoutError --json",
    "explain a text": "explain the_wind_is_gone --json",
    "demo": "demo --fast --plain",
    "version": "--version",
    "help": "--help",
}
CURES = {
    "import-error": "reinstall, update or block it",
    "import-exit": "reinstall, update or block it",
    "import-sleep": "import slow modules inside the functions that need them",
    "wrong-hook": "report it to the author",
    "wrong-argument": "use only the hook's parameters",
    "async-hook": "move waiting code to a tool, an executor, a repairer or a middleware",
    "wrong-type": "report it to the author",
    "crashes": "report it to the author",
    "claims-everything": "return None for unknown inputs",
    "newer-api": "update mulligan, or block it",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder into which pip has installed the ten."""
    folder = tmp_path_factory.mktemp("sabotage")
    wheels = [sabotage.wheel(name, code, folder) for name, code in sabotage.PACKAGES.items()]
    sabotage.install(folder / "site", wheels)
    return folder / "site"


@pytest.fixture
def run(tmp_path, site):
    """Runs Python in a folder with tools, with or without the ten; gives code, stdout and stderr."""
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "chat.jsonl").write_text(CHAT)

    def run(*words, sabotaged=True, **more):
        done = subprocess.run(
            [sys.executable, *words],
            cwd=tmp_path,
            env=clean_environment(HERE.parent / "tools", *([site] if sabotaged else []), **more),
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, steady(done.stdout), done.stderr

    return run


def steady(text):
    """Without what differs from run to run: durations, ports and folders."""
    text = re.sub(r'"duration": [\d.e-]+', '"duration": 0', text)
    text = re.sub(r"(?<!:) +<?\d+$", "", text, flags=re.MULTILINE)
    return re.sub(r"\d+(\.\d+)? m?s\b|127\.0\.0\.1:\d+|mulligan-\w{8}", "~", text)


def test_all_ten_are_installed(site):
    found = [point.name for dist in importlib.metadata.distributions(path=[str(site)]) for point in dist.entry_points]
    assert sorted(found) == sorted(sabotage.PACKAGES) == sorted(CURES)


def test_every_call_ends_as_without_them(run):
    code, sabotaged, err = run(str(HERE / "sabotage_calls.py"), MULLIGAN_LOG="off")
    assert (code, err) == (0, "")
    assert run(str(HERE / "sabotage_calls.py"), sabotaged=False, MULLIGAN_LOG="off") == (0, sabotaged, "")


def test_by_default_the_log_names_them_on_standard_error_only(run):
    words = ("-m", "mulligan.cli", "call", "--tools", "tools.py", "find_shoe", '{"size":42}')
    (code, out, err), without = run(*words), run(*words, sabotaged=False)
    assert (code, out, "") == without
    loading = [line for line in err.splitlines() if line.startswith("mulligan: plugin ")]  # when nothing was logged yet
    running = [line for line in err.splitlines() if line not in loading]
    assert loading
    assert {line.partition(" ")[2][:14] for line in running} == {"ERROR   plugin"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_works_as_without_them(run, name):
    words = ("-m", "mulligan.cli", *COMMANDS[name].split())
    with_them, without = run(*words), run(*words, sabotaged=False)
    if "--json" in words:
        with_them, without = ((code, untold(out), err) for code, out, err in (with_them, without))
    assert with_them[:2] == without[:2]
    said = [line for line in with_them[2].splitlines() if not line.startswith("mulligan: plugin ")]
    assert said == without[2].splitlines()


def untold(out):
    """An explanation without who else was asked."""
    told = json.loads(out)
    told.pop("asked")
    return told


def test_new_works(run, tmp_path):
    assert run("-m", "mulligan.cli", "new", "classifier", "tulip")[0] == 0
    assert (tmp_path / "mulligan-tulip" / "pyproject.toml").exists()


def test_plugins_lists_them_all(run):
    code, out, err = run("-m", "mulligan.cli", "plugins", "--json")
    assert (code, err) == (0, "")
    states = {info["name"]: info["state"] for info in json.loads(out)["plugins"] if not info["built_in"]}
    failed = {"import-error", "import-exit", "wrong-hook", "wrong-argument", "async-hook"}
    assert {name for name, state in states.items() if state == "failed"} == failed
    assert states["newer-api"] == "disabled"
    assert set(sabotage.PACKAGES) <= set(states)


def test_doctor_names_each_with_its_cure(run):
    code, out, err = run("-m", "mulligan.cli", "doctor", "--json")
    assert (code, err) == (0, "")
    findings = json.loads(out)["findings"]
    for name, cure in CURES.items():
        own = [finding for finding in findings if finding["plugin"] == name]
        assert own, f"doctor says nothing of {name}"
        assert any(cure in finding["fix"] for finding in own), own
        assert {finding["origin"] for finding in own} == {f"mulligan-{name} 1.0"}
    crashing = [finding["problem"] for finding in findings if finding["plugin"] == "crashes"]
    assert {problem.split()[2] for problem in crashing if problem.startswith("its hook ")} == {
        *("resolve", "validate", "repair", "execute", "detect", "classify", "render_feedback", "count_tokens"),
        *("hints", "middlewares", "observe"),
    }
    text = run("-m", "mulligan.cli", "doctor")[1]
    for name, cure in CURES.items():
        assert f": {name} (mulligan-{name} 1.0): " in text
        assert cure in text
    assert "Did you mean 'classify'?" in text
    assert run("-m", "mulligan.cli", "doctor", "--check")[0] == 1


def test_what_doctor_says_to_block_is_silent_then(run):
    code, out, _ = run("-m", "mulligan.cli", "doctor", "--check", "--json", MULLIGAN_BLOCK_PLUGINS=",".join(CURES))
    assert (code, [finding for finding in json.loads(out)["findings"] if finding["plugin"] in CURES]) == (0, [])


def test_explain_says_how_they_fared(run):
    asked = json.loads(run("-m", "mulligan.cli", "explain", "TimeoutError", "--json")[1])["asked"]
    answers = {one["plugin"]: one["answer"] for one in asked if one["hook"] == "classify"}
    assert answers["import-sleep"] == "abstains"
    assert answers["wrong-type"] == answers["crashes"] == "failed"
    assert answers["claims-everything"] == "ignored"
    assert answers["classify"] == "decided"
