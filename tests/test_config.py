"""The configuration file: which one counts, what it may hold, and who reads it."""

from __future__ import annotations

import json
import os
import sys

import pytest

from mulligan import Pipeline, errors
from mulligan.cli import main

TOOLS = """
from mulligan import tool

runs = []

@tool
def read_page(url: str) -> str:
    "Read a page."
    runs.append(url)
    if len(runs) % 3:
        raise ConnectionResetError(104, "Connection reset by peer")
    return "page"

@tool(tags="billing")
def pay(amount: int, card: str = "") -> str:
    "Pay."
    raise ValueError(f"no {card}")
"""
PLUGIN = """
from mulligan.plugin import FeedbackFormat, hookimpl

class Short(FeedbackFormat):
    name = "short"

    def render(self, feedback):
        return feedback.code

@hookimpl
def feedback_formats():
    yield Short()
"""
READ_ONLY = '[tool.mulligan.tools."read_*"]\nread_only = true\ntimeout = 5\n'
OWN_READ_ONLY = '[tools."read_*"]\nread_only = true\ntimeout = 6\n'
VARIABLES = ("PLUGINS", "BLOCK_PLUGINS", "DISABLE_PLUGIN_AUTOLOAD", "FORMAT", "LOG")


@pytest.fixture(autouse=True)
def house(tmp_path, monkeypatch):
    """A project with tools, a plugin, and a folder below it."""
    (tmp_path / "my_tools.py").write_text(TOOLS)
    (tmp_path / "short_plugin.py").write_text(PLUGIN)
    (tmp_path / "below").mkdir()
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


def read_page(url: str) -> str:
    """Read a page."""
    return url


def pay(amount: int, card: str = "") -> str:
    """Pay."""
    raise ValueError(f"no {card}")


def configured(path=None, tools=(read_page, pay)):
    return Pipeline.from_config(path, tools=tools)


def refused(path=None, tools=(read_page, pay)):
    with pytest.raises(errors.UsageError) as caught:
        configured(path, tools)
    return str(caught.value)


# which file


def test_the_project_file_holds_options_of_tools(house):
    (house / "pyproject.toml").write_text(READ_ONLY)
    made = configured().tools["read_page"]
    assert (made.read_only, made.timeout) == (True, 5)


def test_a_file_of_its_own_counts_before_the_project_file(house):
    (house / "pyproject.toml").write_text(READ_ONLY)
    (house / "mulligan.toml").write_text(OWN_READ_ONLY)
    assert configured().tools["read_page"].timeout == 6


def test_it_is_searched_for_upwards_and_the_nearest_counts(house, monkeypatch):
    (house / "mulligan.toml").write_text(OWN_READ_ONLY)
    monkeypatch.chdir(house / "below")
    assert configured().tools["read_page"].timeout == 6
    (house / "below" / "pyproject.toml").write_text(READ_ONLY)
    assert configured().tools["read_page"].timeout == 5


@pytest.mark.parametrize("as_path", [str, lambda path: path])
def test_it_may_be_named(house, as_path):
    (house / "agent.toml").write_text(OWN_READ_ONLY)
    (house / "below" / "pyproject.toml").write_text(READ_ONLY)
    assert configured(as_path(house / "agent.toml")).tools["read_page"].timeout == 6
    assert configured(as_path(house / "below" / "pyproject.toml")).tools["read_page"].timeout == 5


def test_it_may_configure_a_pipeline_without_tools(house):
    (house / "mulligan.toml").write_text(OWN_READ_ONLY)
    assert configured(tools=()).with_tools([read_page]).tools["read_page"].timeout == 6


def test_a_pipeline_in_code_reads_no_file(house):
    (house / "mulligan.toml").write_text(OWN_READ_ONLY)
    assert Pipeline([read_page], autoload=False).tools["read_page"].timeout is None


# what it may hold


def test_it_holds_the_settings_of_the_command_line_too(house, monkeypatch):
    (house / "mulligan.toml").write_text(
        'plugins = ["short_plugin.py"]\nblock = ["detect"]\nautoload = false\nformat = "short"\nlog = "off"\n'
    )
    monkeypatch.chdir(house / "below")
    made = configured()
    states = {info.name: info.state for info in made.plugins}
    assert states["detect"] == "blocked"
    assert states["short_plugin"] == "active"
    assert made.call("nope").content == "UNIMPLEMENTED"


def test_it_may_turn_the_log_on(house):
    from loguru import logger

    lines: list[str] = []
    (house / "mulligan.toml").write_text('log = "info"\nautoload = false\n')
    sink = logger.add(lambda line: lines.append(str(line)), format="{message}")
    try:
        configured().call("pay", {"amount": 1})
    finally:
        logger.remove(sink)
    assert any("pay" in line for line in lines)


def test_options_by_tag_and_lists(house):
    (house / "mulligan.toml").write_text(
        '[tools."read_*"]\ntags = ["web"]\n[tools."tag:web"]\nprovider = "acme"\n[tools.pay]\nsecret = "card"\n'
    )
    tools = configured().tools
    assert (tools["read_page"].tags, tools["read_page"].provider) == ({"web"}, "acme")
    assert tools["pay"].secret == {"card"}


# mistakes

PROJECT_MISTAKES = {
    '[tool.mulligan.tools."raed_*"]\ntimeout = 5': (
        "pyproject.toml, [tool.mulligan.tools.\"raed_*\"]: no tool has such a name. Did you mean 'read_*'?"
    ),
    "[tool.mulligan.tools.pey]": "pyproject.toml, [tool.mulligan.tools.pey]: no tool has such a name. Did you mean 'pay'?",
    '[tool.mulligan.tools."tag:x"]': (
        'pyproject.toml, [tool.mulligan.tools."tag:x"]: no tool has such a tag. Available: none'
    ),
    "[tool.mulligan.tools.pay]\ntiemout = 5": (
        "pyproject.toml, [tool.mulligan.tools.pay]: unknown tool option 'tiemout' (did you mean 'timeout'?); available: "
        "aliases, also_called, approve, claims_read_only, destructive, detect, executor, format, idempotent, inline, killable, "
        "output_schema, provider, read_only, resources, secret, tags, timeout, tool_type"
    ),
    "[tool.mulligan.tools.pay]\ntimeout = -5": (
        "pyproject.toml, [tool.mulligan.tools.pay]: timeout must be above zero seconds, not -5"
    ),
    '[tool.mulligan.tools.pay]\nread_only = "yes"': (
        "pyproject.toml, [tool.mulligan.tools.pay]: read_only must be True or False, not 'yes'"
    ),
    "[tool.mulligan.tools.pay]\nread_only = true\ndestructive = true": (
        "pyproject.toml, [tool.mulligan.tools.pay]: read_only=True and destructive=True contradict each other; "
        "declare one of them"
    ),
    '[tool.mulligan.tools.pay]\nformat = "loud"': (
        "pyproject.toml, [tool.mulligan.tools.pay]: unknown feedback format 'loud'; available: block, json, text"
    ),
    '[tool.mulligan.tools.pay]\nsecret = "crad"': (
        "pyproject.toml, [tool.mulligan.tools.pay]: tool 'pay': secret names 'crad', which is not an argument "
        "(did you mean 'card'?); available: amount, card"
    ),
    "[tool.mulligan.tools]\ntimeout = 5": (
        'pyproject.toml, [tool.mulligan.tools.timeout] must be options, such as {"timeout": 5}, not 5'
    ),
    "[tool.mulligan]\ntools = 5": (
        "pyproject.toml, [tool.mulligan]: tools must be a table of options by name pattern or tag, not 5"
    ),
    "[tool.mulligan.tool.pay]\ntimeout = 5": (
        "pyproject.toml, [tool.mulligan]: unknown key 'tool'. Did you mean 'tools'?"
    ),
}


@pytest.mark.parametrize("text", PROJECT_MISTAKES)
def test_a_mistake_names_the_file_and_the_key(house, text):
    (house / "pyproject.toml").write_text(text)
    assert refused() == PROJECT_MISTAKES[text]


@pytest.mark.parametrize("text", PROJECT_MISTAKES)
def test_the_same_mistake_in_a_file_of_its_own(house, text):
    (house / "mulligan.toml").write_text(text.replace("tool.mulligan.", "").replace("[tool.mulligan]\n", ""))
    told = PROJECT_MISTAKES[text].replace("pyproject.toml, [tool.mulligan]:", "mulligan.toml:")
    assert refused() == told.replace("pyproject.toml, [tool.mulligan.", "mulligan.toml, [")


@pytest.mark.parametrize("text", PROJECT_MISTAKES)
def test_the_command_line_says_the_same(house, cli, text):
    (house / "pyproject.toml").write_text(text)
    code, out, err = cli("schema", "--tools", "my_tools")
    assert (code, out) == (2, "")
    told = PROJECT_MISTAKES[text].replace("Available: none", "Available: billing")
    assert err == f"mulligan: {told}\n"


def test_a_file_elsewhere_is_named_with_its_folder(house, monkeypatch):
    (house / "mulligan.toml").write_text("[tools.pay]\ntimeout = 0")
    monkeypatch.chdir(house / "below")
    path = os.path.join(house, "mulligan.toml")
    assert refused() == f"{path}, [tools.pay]: timeout must be above zero seconds, not 0"


def test_a_program_that_asks_for_a_file_needs_one(house, monkeypatch):
    (house / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert refused() == "pyproject.toml has no [tool.mulligan]; add that table, or create mulligan.toml beside it"
    assert refused("nope.toml") == "configuration file 'nope.toml': no such file"
    assert refused(str(house)) == f"configuration file {str(house)!r}: no such file"
    assert refused(5) == "a configuration file must be a path, not 5"
    monkeypatch.setattr("mulligan.pipeline.config.OWN_FILE", "no-such-file.toml")
    monkeypatch.setattr("mulligan.pipeline.config.PROJECT_FILE", "no-such-file-either.toml")
    assert refused() == (
        f"no no-such-file.toml and no no-such-file-either.toml in {house} or above it; create one, or pass the path of "
        "the file"
    )


def test_a_file_that_is_not_toml_is_named(house):
    (house / "mulligan.toml").write_text("[tools")
    assert refused().startswith(f"cannot read {house / 'mulligan.toml'}: ")


def test_a_file_with_a_byte_order_mark_is_read(house):
    (house / "mulligan.toml").write_bytes(b"\xef\xbb\xbf" + OWN_READ_ONLY.encode())
    assert configured().tools["read_page"].timeout == 6


@pytest.mark.parametrize("name", ["mulligan.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("format = 'json'".encode("utf-16"), "byte 1: not UTF-8; save the file as UTF-8"),
        ("# caf\xe9".encode("latin-1"), "byte 6: not UTF-8; save the file as UTF-8"),
        (b"a = " + b"[" * 100_000, "nested too deeply; correct the file"),
    ],
)
def test_a_file_that_no_parser_reads_is_named(house, name, content, told):
    (house / name).write_bytes(content)
    assert refused() == f"cannot read {house / name}: {told}"


@pytest.mark.parametrize("error", ["ValueError('no key')", "SystemExit(3)", "RecursionError('again')"])
@pytest.mark.parametrize("name", ["Plugin", "made", "Outer.inner"])
def test_a_plugin_that_cannot_be_created_is_named(house, cli, name, error):
    (house / "broken.py").write_text(
        f"def fail(*_):\n    raise {error}\n"
        "class Plugin:\n    __init__ = fail\n"
        "class Meta(type):\n    inner = property(fail)\n"
        "class Outer(metaclass=Meta):\n    pass\n"
        "def __getattr__(name):\n    if name == 'made':\n        fail()\n    raise AttributeError(name)\n"
    )
    (house / "mulligan.toml").write_text(f'plugins = ["broken.py:{name}"]')
    kind, _, text = error.rstrip(")").partition("(")
    told = f": {kind}: {text.strip(chr(39))}"
    assert refused().startswith(f"mulligan.toml plugins {house / 'broken.py'}:{name}: cannot ")
    assert refused().endswith(told)
    (house / "mulligan.toml").unlink()
    code, out, err = cli("plugins", "-p", f"broken.py:{name}")
    assert (code, out) == (2, "")
    assert err.startswith(f"mulligan: -p broken.py:{name}: cannot ")
    assert err.endswith(f"{told}\n")


def test_a_plugin_that_cannot_be_imported_is_named(house):
    (house / "mulligan.toml").write_text('plugins = ["nope"]')
    assert refused() == "mulligan.toml plugins nope: no module named 'nope'; name an importable module or a .py file"


def test_a_level_that_does_not_exist_is_named(house):
    (house / "mulligan.toml").write_text('log = "loud"')
    assert refused() == "mulligan.toml log loud: unknown level; use info, success, warning, error, off"


# the command line


def test_a_call_uses_the_options(house, cli):
    assert cli("call", "--tools", "my_tools.py", "read_page", '{"url": "a"}', "--log", "off")[0] == 1
    del sys.modules["my_tools"]
    (house / "pyproject.toml").write_text(READ_ONLY)
    code, out, err = cli("call", "--tools", "my_tools.py", "read_page", '{"url": "a"}', "--json")
    assert (code, json.loads(out)["attempts"]) == (0, 3)


def test_a_run_uses_the_options(house, cli):
    (house / "mulligan.toml").write_text(OWN_READ_ONLY)
    message = {"id": "1", "type": "function", "function": {"name": "read_page", "arguments": '{"url": "a"}'}}
    (house / "talk.jsonl").write_text(json.dumps({"role": "assistant", "content": None, "tool_calls": [message]}))
    code, out, err = cli("run", "talk.jsonl", "--tools", "my_tools.py")
    assert code == 0
    assert json.loads(out.splitlines()[1])["content"] == "page"


def test_an_explanation_uses_the_options(house, cli):
    told = cli("explain", "--tools", "my_tools.py", "--tool", "pay", "ValueError('x')")[1]
    assert "may have taken effect" in told
    (house / "mulligan.toml").write_text("[tools.pay]\nread_only = true\n")
    assert (
        "may have taken effect" not in cli("explain", "--tools", "my_tools.py", "--tool", "pay", "ValueError('x')")[1]
    )


def test_commands_without_tools_do_not_mind_a_pattern(house, cli):
    (house / "pyproject.toml").write_text(READ_ONLY)
    assert cli("plugins")[0] == 0
    assert cli("doctor")[2] == ""
    assert cli("explain", "ValueError('x')")[0] == 0


def test_the_doctor_names_the_file_of_a_setting(house, cli):
    (house / "mulligan.toml").write_text('format = "json"\n')
    settings = json.loads(cli("doctor", "--json")[1])["settings"]
    assert settings["format"] == {"value": "json", "from": "mulligan.toml"}
