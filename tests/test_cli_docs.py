"""The reference page of the command line says what is true: its examples are run, its options are all there are."""

from __future__ import annotations

import pathlib
import re
import shlex
import sys

import cli_page
import pytest

from mulligan.cli import main

PAGE = cli_page.PAGE.read_text(encoding="utf-8")
COMMANDS = ("demo", "call", "run", "plugins", "doctor", "explain", "schema", "new")


def blocks(language):
    return cli_page.blocks(PAGE, language)


def examples():
    """Each command line of the page, with the output below it."""
    for block in blocks("console"):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = example.partition("\n")
            yield line, output


def test_the_examples_are_what_really_happens(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setenv("MULLIGAN_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("MULLIGAN_LOG", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    pathlib.Path("shoes.py").write_text(blocks("python")[0])
    pathlib.Path("chat.jsonl").write_text(blocks("json")[0])
    for line, output in examples():
        program, *words = shlex.split(line)
        assert program == "mulligan"
        main(words)
        shown = capsys.readouterr()
        assert f"$ {line}\n{shown.out}{shown.err}" == f"$ {line}\n{output}"
        sys.modules.pop("shoes", None)


def test_the_excerpt_of_the_demo_is_what_it_shows(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    (given,) = cli_page.EXCERPT.findall(PAGE)
    main(["demo", "--fast", "--plain"])
    assert given == cli_page.demo_turn(capsys.readouterr().out, given), "update it: python tools/cli_page.py"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_on_the_page(command, capsys):
    main([command, "--help"])
    shown = capsys.readouterr().out
    options = set(re.findall(r"--[a-z]+", shown))
    section = PAGE.partition(f"\n## mulligan {command}\n")[2].partition("\n## ")[0]
    assert " ".join(shown.partition("\n\n")[0].split()) == "Usage: " + section.partition("\n    ")[2].partition("\n")[0]
    common = PAGE.partition("\n## Options of every command\n")[2].partition("\n## ")[0]
    assert {option for option in options if f"`{option}" not in section + common} == set()
    named = set(re.findall(r"^\| `(--[a-z]+)", section, re.MULTILINE))
    assert named == options - set(re.findall(r"--[a-z]+", common))
