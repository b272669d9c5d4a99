"""Commands that installed packages add to `mulligan`."""

from __future__ import annotations

import pathlib

import pytest

from mulligan.cli.app import run

COMMANDS = """
import sys

def main(words):
    print("words:", words)
    return 7
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Puts a distribution with one command on the path."""

    def put(module: str, code: str, entry: str) -> pathlib.Path:
        (tmp_path / f"{module}.py").write_text(code)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module.replace('_', '-')}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[mulligan.commands]\n{entry}\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        return tmp_path

    return put


def test_a_package_adds_a_command_that_gets_every_word(install, capsys):
    install("acme_shop", COMMANDS, "shop = acme_shop:main")
    assert run(["shop", "--", "npx", "-y", "--help", "-"]) == 7
    assert capsys.readouterr().out == "words: ['--', 'npx', '-y', '--help', '-']\n"
    assert run(["--help"]) == 0
    assert "Commands of installed packages: shop (acme-shop)." in capsys.readouterr().out


def test_a_broken_package_breaks_its_own_command_alone(install, capsys):
    install("acme_broken", "raise SystemExit(3)", "breaks = acme_broken:main")
    assert run(["--help"]) == 0
    capsys.readouterr()
    assert run(["breaks"]) == 2
    told = capsys.readouterr().err
    assert told == ("mulligan: mulligan breaks: cannot import acme-broken (SystemExit: 3); reinstall or remove it\n")


def test_a_package_cannot_take_the_place_of_a_command(install, capsys):
    install("acme_schema", COMMANDS, "schema = acme_schema:main")
    assert run(["schema", "--help"]) == 0
    assert "words:" not in capsys.readouterr().out


def test_the_proxy_says_which_package_it_comes_with(capsys):
    assert run(["proxy", "--", "npx"]) == 2
    assert capsys.readouterr().err == "mulligan: mulligan proxy requires mulligan-proxy: pip install mulligan-proxy\n"


def test_an_entry_point_that_is_no_function_is_named(install, capsys):
    install("acme_constant", "main = 3", "constant = acme_constant:main")
    assert run(["constant"]) == 2
    told = capsys.readouterr().err
    assert told == (
        "mulligan: mulligan constant: acme_constant:main of acme-constant is not a function; update or remove it\n"
    )


@pytest.mark.parametrize("command", ["report", "replay", "diff", "import"])
def test_the_commands_of_the_ledger_say_which_package_they_come_with(command, capsys, monkeypatch):
    monkeypatch.setattr("mulligan.cli.package_commands.read_entry_points", lambda group: iter(()))
    assert run([command, "runs.db"]) == 2
    assert f"mulligan {command} requires mulligan-ledger: pip install mulligan-ledger" in capsys.readouterr().err
