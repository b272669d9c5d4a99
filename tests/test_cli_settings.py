"""One precedence for every setting: option, environment, pyproject.toml, default."""

from __future__ import annotations

import json
import os
import re
import sys

import pytest

from mulligan import Pipeline
from mulligan.cli import main

PLUGIN = """
from mulligan.plugin import FeedbackFormat, hookimpl


class Short(FeedbackFormat):
    name = "short"

    def render(self, feedback):
        return feedback.code


@hookimpl
def feedback_formats():
    yield Short()


@hookimpl
def hints(error):
    return ["from NAME"]
"""
NAMES = ("ada", "ben", "cid", "cid_plugin")
VARIABLES = ("PLUGINS", "BLOCK_PLUGINS", "DISABLE_PLUGIN_AUTOLOAD", "FORMAT", "LOG")


@pytest.fixture(autouse=True)
def house(tmp_path, monkeypatch):
    """A project with a folder below it, plugins in files, and one that is installed."""
    for name in ("ada", "ben"):
        (tmp_path / f"{name}.py").write_text(PLUGIN.replace("NAME", name))
    (tmp_path / "below").mkdir()
    (tmp_path / "tools.py").write_text("def read(path: str) -> str:\n    'Read.'\n    raise ValueError('x')\n")
    info = tmp_path / "mulligan_cid-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mulligan-cid\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[mulligan]\ncid = cid_plugin\n")
    (tmp_path / "cid_plugin.py").write_text(PLUGIN.replace("NAME", "cid").replace('"short"', '"cid-short"'))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for variable in VARIABLES:
        monkeypatch.delenv(f"MULLIGAN_{variable}", raising=False)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def cli(capsys):
    def run(*words):
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return run


def project(house, text):
    (house / "pyproject.toml").write_text(f"[tool.mulligan]\n{text}\n")


@pytest.fixture
def used(cli):
    """The outside plugins of this test that are used, in the order in which they were loaded."""

    def used(*words):
        code, out, err = cli("plugins", "--json", *words)
        assert code == 0, err
        infos = json.loads(out)["plugins"]
        return [info["name"] for info in infos if info["name"] in NAMES and info["state"] == "active"]

    return used


def test_plugins_of_every_source_add_up(house, used, monkeypatch):
    assert used() == ["cid"]
    project(house, 'plugins = ["ada.py"]')
    assert used() == ["cid", "ada"]
    monkeypatch.setenv("MULLIGAN_PLUGINS", "ben.py")
    assert used() == ["cid", "ada", "ben"]
    assert used("-p", "ada") == ["cid", "ben", "ada"]


def test_whoever_counts_more_decides_whether_a_plugin_is_used(house, used, monkeypatch):
    project(house, 'plugins = ["ada"]\nblock = ["cid"]')
    assert used() == ["ada"]
    assert used("-p", "cid") == ["cid", "ada"]
    monkeypatch.setenv("MULLIGAN_BLOCK_PLUGINS", "ada")
    assert used() == []
    assert used("-p", "ada") == ["ada"]
    monkeypatch.setenv("MULLIGAN_PLUGINS", "cid")
    assert used() == ["cid"]
    assert used("-p", "no:cid") == []
    assert os.environ["MULLIGAN_BLOCK_PLUGINS"] == "ada"


def test_autoload(house, used, monkeypatch):
    project(house, "autoload = false")
    assert used() == []
    assert used("-p", "cid") == ["cid_plugin"]
    monkeypatch.setenv("MULLIGAN_DISABLE_PLUGIN_AUTOLOAD", "0")
    assert used() == ["cid"]
    monkeypatch.setenv("MULLIGAN_DISABLE_PLUGIN_AUTOLOAD", "1")
    project(house, "autoload = true")
    assert used() == []


def test_the_format(house, cli, monkeypatch):
    def begins(*words):
        return cli("call", "--tools", "tools.py", "nope", "--log", "off", *words)[1].split()[0]

    assert begins() == "Error:"
    project(house, 'plugins = ["ada"]\nformat = "short"')
    assert begins() == "UNIMPLEMENTED"
    monkeypatch.setenv("MULLIGAN_FORMAT", "json")
    assert begins() == '{"error":'
    assert begins("--format", "block") == "Tool"
    assert cli("explain", "ValueError('x')")[1].partition("The model reads:\n\n")[2].startswith('{"error"')


def test_the_log(house, cli, monkeypatch):
    def level(*words):
        err = cli("call", "--tools", "tools.py", "read", '{"path": "a"}', *words)[2]
        return set(re.findall(r"^\d\d:\d\d:\d\d (\w+)", err, re.MULTILINE))

    assert level() == {"WARNING"}
    project(house, 'log = "off"')
    assert level() == set()
    monkeypatch.setenv("MULLIGAN_LOG", "info")
    assert level() == {"WARNING"}
    assert level("--log", "error") == set()
    monkeypatch.setenv("MULLIGAN_LOG", "0")
    assert level() == {"WARNING"}


def test_a_level_that_there_is_not_is_told_wherever_it_stands(cli, monkeypatch):
    monkeypatch.setenv("MULLIGAN_LOG", "bogus")
    told = "mulligan: MULLIGAN_LOG bogus: unknown level; use info, success, warning, error, off\n"
    assert cli("call", "--tools", "tools.py", "read") == (2, "", told)
    monkeypatch.setenv("MULLIGAN_LOG", "off")
    assert cli("call", "--tools", "tools.py", "read")[2] == ""
    assert Pipeline(autoload=False).call("nope").is_error


def test_the_nearest_file_counts_and_its_plugins_stand_beside_it(house, used, monkeypatch):
    project(house, 'plugins = ["ada.py", "ben"]')
    monkeypatch.chdir(house / "below")
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place != str(house)])
    assert used("-p", "no:cid") == ["ada", "ben"]
    (house / "below" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert used("-p", "no:cid") == []


def test_the_demo_shows_the_same_everywhere(house, cli):
    project(house, 'plugins = ["ada"]\nformat = "short"')
    assert "UNIMPLEMENTED" not in cli("demo", "--fast", "--plain")[1]


WRONG = {
    "plugin = []": "pyproject.toml, [tool.mulligan]: unknown key 'plugin'. Did you mean 'plugins'?",
    "xyz = 1": "unknown key 'xyz'. Available: plugins, block, autoload, format, log",
    'plugins = "ada"': "plugins must be a list of strings, not 'ada'",
    "block = [1]": "block must be a list of strings, not [1]",
    'block = [""]': "block must be a list of strings, not ['']",
    "autoload = 1": "autoload must be true or false, not 1",
    "format = 3": "format must be a string, not 3",
    'log = "loud"': "pyproject.toml, [tool.mulligan] log loud: unknown level; use info, success, warning, error, off",
    'plugins = ["nope"]': "pyproject.toml plugins nope: no module named 'nope'; name an importable module",
    'plugins = ["nope.py"]': "nope.py: no such file",
    'format = "loud"': "pyproject.toml, [tool.mulligan] format: unknown feedback format 'loud'. Available: block, ",
    'format = "jsn"': "pyproject.toml, [tool.mulligan] format: unknown feedback format 'jsn'. Did you mean 'json'?",
    'block = ["classfy"]': "pyproject.toml, [tool.mulligan] block: unknown plugin 'classfy'. Did you mean 'classify'?",
    "plugins = [": "pyproject.toml: ",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_in_the_file_is_told_in_one_line(house, cli, text):
    project(house, text)
    code, out, err = cli("call", "--tools", "tools.py", "read")
    assert (code, out) == (2, "")
    assert err.startswith("mulligan: ")
    assert err.count("\n") == 1
    assert WRONG[text] in err


def test_a_wrong_name_is_reported_with_the_source_that_decides(house, cli, monkeypatch):
    (house / "mulligan.toml").write_text('format = "jsn"\nblock = ["classfy"]\n')
    block = "mulligan.toml block: unknown plugin 'classfy'. Did you mean 'classify'?"
    assert cli("plugins") == (2, "", f"mulligan: {block}\n")
    (house / "mulligan.toml").write_text('format = "jsn"\n')
    assert cli("plugins")[2] == "mulligan: mulligan.toml format: unknown feedback format 'jsn'. Did you mean 'json'?\n"
    (house / "lower").mkdir()
    monkeypatch.chdir(house / "lower")
    assert cli("plugins")[2].startswith(f"mulligan: {house / 'mulligan.toml'} format: unknown feedback format 'jsn'")
    monkeypatch.chdir(house)
    monkeypatch.setenv("MULLIGAN_FORMAT", "txt")
    assert cli("plugins")[2] == "mulligan: MULLIGAN_FORMAT: unknown feedback format 'txt'. Did you mean 'text'?\n"
    words = ("call", "--tools", "tools.py", "read", "--format", "blok")
    assert cli(*words)[2] == "mulligan: --format: unknown feedback format 'blok'. Did you mean 'block'?\n"
    monkeypatch.setenv("MULLIGAN_BLOCK_PLUGINS", "classfy")
    monkeypatch.setenv("MULLIGAN_FORMAT", "json")
    assert cli("plugins")[2].startswith("mulligan: MULLIGAN_BLOCK_PLUGINS: unknown plugin 'classfy'")
    assert cli("plugins", "-p", "no:classfy")[2].startswith(
        "mulligan: -p no:classfy: unknown plugin 'classfy'. Did you"
    )


def test_doctor_needs_no_format(house, cli):
    assert cli("doctor", "-p", "no:formats")[0] == 0


@pytest.mark.parametrize("text", ["", "tool = 3", "[tool]\nmulligan = 3", "[tool.other]\nx = 1"])
def test_a_file_that_says_nothing_of_mulligan(house, cli, text):
    (house / "pyproject.toml").write_text(text)
    code, _, err = cli("plugins")
    assert (code, err) == (
        (2, "mulligan: pyproject.toml: tool.mulligan must be a table, [tool.mulligan]\n")
        if "mulligan" in text
        else (0, "")
    )
