"""The page of the how-to and the README are true: their files are written, run, and say what is written there."""

from __future__ import annotations

import json
import pathlib
import re

import pytest
from mulligan_proxy.cli import main
from mulligan_proxy.configs import own_command

from mulligan import Pipeline, Tool
from mulligan.pipeline.config import read_tool_options

HERE = pathlib.Path(__file__).parents[1]
PAGE = HERE.parents[1] / "docs" / "how-to" / "mcp-desktop-client.md"
BLOCK = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_file_with_the_proxy_in_front_is_the_one_of_the_page(tmp_path, capsys):
    found = dict(BLOCK.findall(PAGE.read_text("utf-8")))
    (tmp_path / "client.json").write_text(found["client.json"], "utf-8")
    assert main(["--print-config", "--config", str(tmp_path / "client.json")]) == 0
    written = json.loads(capsys.readouterr().out)
    expected = json.loads(found["client.new.json"])
    own = list(own_command())
    for entry in expected["mcpServers"].values():
        entry["command"], entry["args"] = own[0], [*own[1:], *entry["args"]]
    assert written == expected


def test_the_options_of_the_page_ask_for_approval(tmp_path):
    (tmp_path / "mulligan.toml").write_text(dict(BLOCK.findall(PAGE.read_text("utf-8")))["mulligan.toml"], "utf-8")
    options = read_tool_options(tmp_path / "mulligan.toml")
    toolset = Pipeline([Tool.from_schema("write_file", "", {}, print)], autoload=False, tool_options=options).tools
    assert toolset["write_file"].approve


@pytest.mark.parametrize("page", [PAGE, HERE / "README.md"], ids=["how-to", "README"])
def test_the_options_of_the_page_are_those_of_the_command(page, capsys):
    for command in ([], ["install"], ["uninstall"], ["doctor"]):
        main([*command, "--help"])
    told = capsys.readouterr().out
    for option in set(re.findall(r"`(--[a-z-]+)", page.read_text("utf-8"))):
        assert option in told, option


def test_the_readme_names_what_there_is():
    text = (HERE / "README.md").read_text("utf-8")
    for page in re.findall(r"\((?:\.\./)+(docs/[\w/-]+\.md)\)", text):
        assert (HERE.parents[1] / page).exists(), page
