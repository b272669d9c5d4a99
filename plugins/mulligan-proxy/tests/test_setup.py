"""`install`, `uninstall` and `doctor`, on files as the five clients have them."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest
from conftest import FAULTY, program, said
from hypothesis import given
from hypothesis import strategies as st
from mulligan_proxy.cli import main
from mulligan_proxy.configs import insert_proxy
from mulligan_proxy.setup.client_files import CLIENTS, file_of
from mulligan_proxy.setup.edits import with_proxy, without_proxy
from mulligan_proxy.setup.json_text import JsonTextError, parse_json_text

FILES = {
    "claude": '{\n  "mcpServers": {\n    "files": {\n      "command": "npx",\n      "args": [\n        "-y",\n        "x"\n      ]\n    }\n  }\n}',
    "cursor": '{"mcpServers":{"a":{"command":"uvx","args":[],"env":{"K":"v"}},"web":{"url":"https://example.com/mcp","headers":{"A":"${TOKEN}"}}}}\n',
    "vscode": '\ufeff{\r\n\t// servers of mine\r\n\t"inputs": [],\r\n\t"servers": {\r\n\t\t"a": { "type": "stdio", "command": "npx", /* why */ "args": ["-y", "x",], },\r\n\t\t"b": { "type": "http", "url": "https://example.com/mcp" },\r\n\t},\r\n}\r\n',
    "windsurf": '{\n "mcpServers": {\n      "old": {"serverUrl": "https://example.com/sse", "disabled": true},\n   "plain":{"command":"server"}}}',
    "zed": '// Zed\n{\n  "theme": "One Dark", // dark\n  "context_servers": {\n    "ext": {"settings": {}},\n    "mine": {\n      "source": "custom",\n      "command": "node",\n      "args": [ // the file\n        "a.js", ],\n      "env": null\n    }\n  },\n  "tabs": {"git": true}\n}\n\n',
}


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path


@pytest.fixture(params=FILES)
def client(request, home):
    path = file_of(request.param)
    path.parent.mkdir(parents=True)
    path.write_bytes(FILES[request.param].encode())
    return request.param, path


def test_install_and_uninstall_bring_the_file_back_byte_by_byte(client, capsys):
    name, path = client
    before = path.read_bytes()
    assert main(["install", "--client", name, "--yes"]) == 0
    written = path.read_bytes()
    assert written != before
    assert parse_json_text(written.decode()).value == with_left_out(before.decode())
    out = capsys.readouterr().out
    assert f"Restart {CLIENTS[name].title}." in out
    assert "+" in out
    assert main(["install", "--client", name, "--yes"]) == 0
    assert path.read_bytes() == written
    assert main(["uninstall", "--client", name, "--yes"]) == 0
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def with_left_out(text):
    """What the file must mean after `install`: each entry that can have the proxy in front has it."""
    from mulligan_proxy.configs import group_of, own_command

    held = parse_json_text(text).value
    group = group_of(held)
    usable = {key: value for key, value in held[group].items() if "settings" not in value}
    return {**held, group: {**held[group], **insert_proxy({group: usable}, own_command())[group]}}


def test_comments_stay_while_the_proxy_is_in_front(home):
    path = file_of("zed")
    path.parent.mkdir(parents=True)
    path.write_text(FILES["zed"])
    main(["install", "--client", "zed", "--yes"])
    assert all(comment in path.read_text() for comment in ("// Zed", "// dark", "// the file"))


def test_an_entry_without_a_server_is_left_and_named(home, capsys):
    path = file_of("zed")
    path.parent.mkdir(parents=True)
    path.write_text(FILES["zed"])
    main(["install", "--client", "zed", "--yes"])
    assert 'ext stays as it is: it has neither a "command" nor a "url"' in capsys.readouterr().out


def test_what_a_person_changed_meanwhile_stays(client, capsys):
    name, path = client
    main(["install", "--client", name, "--yes"])
    path.write_bytes(path.read_bytes().replace(b"{", b'{"mine": 1,', 1))
    assert main(["uninstall", "--client", name, "--yes"]) == 0
    assert path.read_bytes().decode() == FILES[name].replace("{", '{"mine": 1,', 1)


def test_a_server_that_is_added_meanwhile_gets_the_proxy_too_and_all_come_back(home):
    path = file_of("cursor")
    path.parent.mkdir(parents=True)
    path.write_text('{"mcpServers": {"a": {"command": "x"}}}')
    main(["install", "--client", "cursor", "--yes"])
    grown = path.read_text().replace('{"a"', '{"b": {"command": "y" /* why */, "args": ["z"]}, "a"')
    path.write_text(grown)
    main(["install", "--client", "cursor", "--yes"])
    assert path.read_text().count("--name") == 2
    main(["uninstall", "--client", "cursor", "--yes"])
    assert path.read_text() == '{"mcpServers": {"b": {"command": "y" /* why */, "args": ["z"]}, "a": {"command": "x"}}}'


def test_an_option_that_a_person_added_goes_with_the_proxy_and_the_comments_come_back(home):
    path = file_of("zed")
    path.parent.mkdir(parents=True)
    path.write_text(FILES["zed"])
    main(["install", "--client", "zed", "--yes"])
    path.write_text(path.read_text().replace('"--name"', '"--timeout", "120", "--name"'))
    main(["uninstall", "--client", "zed", "--yes"])
    assert path.read_text() == FILES["zed"]


def test_without_the_copy_the_servers_come_back_all_the_same(client):
    name, path = client
    main(["install", "--client", name, "--yes"])
    path.with_name(path.name + ".before-mulligan").unlink()
    assert main(["uninstall", "--client", name, "--yes"]) == 0
    assert "mulligan" not in path.read_text("utf-8")
    before, after = (parse_json_text(text).value for text in (FILES[name], path.read_bytes().decode()))
    wrapped = [with_left_out(json.dumps(one)) for one in (before, after)]
    assert wrapped[0] == wrapped[1]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "not valid JSON: line 1, column 2: a text in double quotes is expected; nothing was written"),
        ('{"mcpServers": {"a": {"command": "x"},}', "not valid JSON: line 1, column 40: "),
        ('{"mcpServers": {"a": {}, "a": {}}}', "the key 'a' is there twice"),
        ('{"mcpServers": []}', 'it has no "mcpServers", "servers" or "context_servers"'),
        ("[]", 'it has no "mcpServers"'),
        ("", "not valid JSON: line 1, column 1: a value is expected"),
        (b"\xff\xfe", "byte 0 is not UTF-8; nothing was written"),
        ("[" * 1_000, "it is nested too deeply"),
        ('{"mcpServers": {"a": {"command": "x"}}} x', "the end of the file is expected"),
    ],
)
@pytest.mark.parametrize("command", ["install", "uninstall", "doctor"])
def test_a_file_that_cannot_be_read_is_never_written(tmp_path, command, text, told, capsys):
    path = tmp_path / "mcp.json"
    before = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(before)
    yes = [] if command == "doctor" else ["--yes"]
    assert main([command, "--config", str(path), *yes]) == 2
    error = capsys.readouterr().err
    assert str(path) in error
    assert (told.split("; nothing")[0] if command == "doctor" else told) in error or "UTF-8" in told
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("command", ["install", "uninstall", "doctor"])
def test_a_missing_file_is_named_and_not_made(home, command, capsys):
    assert main([command, "--client", "windsurf"]) == 2
    assert f"{file_of('windsurf')}: no such file; add a server in your client first" in capsys.readouterr().err
    assert os.listdir(home) == []


def test_a_read_only_file_stays_as_it_is(client, capsys):
    name, path = client
    path.chmod(0o444)
    before = path.read_bytes()
    assert main(["install", "--client", name, "--yes"]) == 2
    assert f"{path}: the file is read-only; nothing was written" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_half_a_surrogate_pair_and_a_terminal_without_unicode_do_no_harm(tmp_path):
    path = tmp_path / "mcp.json"
    before = '{"mcpServers": {"\u65e5\\ud800": {"command": "x", "args": ["\\udfff"]}, "w\\udc00": {"url": "http://h/\u65e5"}}}'
    path.write_text(before, "utf-8")
    words = (sys.executable, "-m", "mulligan_proxy")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for command in ("install", "uninstall"):
        done = subprocess.run(
            [*words, command, "--config", str(path), "--yes"], capture_output=True, text=True, env=environment
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert (path.read_text("utf-8") == before) is (command == "uninstall")


def test_permissions_stay_and_a_link_stays_a_link(tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_text(FILES["cursor"])
    real.chmod(0o600)
    link = tmp_path / "mcp.json"
    link.symlink_to(real)
    main(["install", "--config", str(link), "--yes"])
    assert link.is_symlink()
    assert "mulligan" in real.read_text()
    for one in (real, tmp_path / "mcp.json.before-mulligan"):
        assert stat.S_IMODE(one.stat().st_mode) == 0o600
    main(["uninstall", "--config", str(link), "--yes"])
    assert real.read_text() == FILES["cursor"]


@pytest.mark.parametrize(("answer", "is_written"), [("y", True), ("", False), ("n", False)])
def test_a_person_is_asked_first(client, answer, is_written, monkeypatch, capsys):
    name, path = client
    before = path.read_bytes()
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda question: answer)
    assert main(["install", "--client", name]) == (0 if is_written else 1)
    assert (path.read_bytes() != before) is is_written
    assert ("nothing was written" in capsys.readouterr().out) is not is_written


def test_without_a_terminal_and_without_yes_nothing_is_written(client, monkeypatch, capsys):
    name, path = client
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert main(["install", "--client", name]) == 1
    assert "nothing was written: add --yes to write it" in capsys.readouterr().out
    assert path.read_bytes() == FILES[name].encode()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["install"], "say which client, such as --client claude, or which file: --config FILE"),
        (
            ["install", "--client", "emacs"],
            "--client emacs: unknown client; available: claude, cursor, vscode, windsurf, zed.",
        ),
        (["uninstall"], "say which client"),
        (["doctor"], "say which client"),
    ],
)
def test_wrong_words_are_told(words, told, capsys):
    assert main(words) == 2
    assert told in capsys.readouterr().err


def test_trust_goes_into_the_entry_and_an_unknown_server_is_named(tmp_path, capsys):
    path = tmp_path / "mcp.json"
    path.write_text(FILES["cursor"])
    assert main(["install", "--config", str(path), "--yes", "--trust", "b"]) == 2
    assert "--trust b: no such server in the file; it has a, web" in capsys.readouterr().err
    assert main(["install", "--config", str(path), "--yes", "--trust", "a"]) == 0
    assert '"--name", "a", "--trust", "a", "--", "uvx"' in path.read_text()


@pytest.mark.parametrize("platform", ["darwin", "win32", "linux"])
def test_every_client_has_a_file_on_every_platform(platform, monkeypatch, tmp_path):
    monkeypatch.setenv("APPDATA", str(tmp_path / "AppData"))
    monkeypatch.setenv("HOME", str(tmp_path))
    paths = {file_of(client, platform) for client in CLIENTS}
    assert len(paths) == 5
    assert all(path.is_relative_to(tmp_path) for path in paths)


NAMES = st.text(max_size=8)
ENTRIES = st.one_of(
    st.fixed_dictionaries(
        {"command": st.text(min_size=1, max_size=8).filter(lambda one: "mulligan" not in one)},
        optional={
            "args": st.lists(st.text(max_size=5), max_size=3),
            "env": st.dictionaries(NAMES, st.text(max_size=5), max_size=2),
            "type": st.just("stdio"),
            "disabled": st.booleans(),
            "cwd": st.text(max_size=5),
        },
    ),
    st.fixed_dictionaries(
        {"url": st.text(min_size=1, max_size=9)},
        optional={
            "type": st.sampled_from(["http", "sse"]),
            "headers": st.dictionaries(NAMES, st.text(max_size=5), max_size=2),
            "env": st.dictionaries(st.just("E"), st.text(max_size=5), max_size=1),
        },
    ),
)
SERVERS = st.dictionaries(NAMES, ENTRIES, max_size=4)


@given(SERVERS, st.sampled_from([None, 1, 2, 7, "\t"]), st.booleans(), st.booleans())
def test_any_file_comes_back_and_means_what_it_should(servers, indent, crlf, ascii):
    text = json.dumps({"a": [1, {}], "mcpServers": servers, "z": None}, indent=indent, ensure_ascii=ascii)
    text = text.replace("\n", "\r\n") if crlf else text
    written = with_proxy(text, ("/bin/mulligan-proxy",)).text
    assert parse_json_text(written).value == insert_proxy(json.loads(text), ("/bin/mulligan-proxy",))
    assert without_proxy(written, text).text == text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON, st.sampled_from([None, 2]))
def test_every_json_is_read_as_the_standard_library_reads_it(value, indent):
    text = json.dumps(value, indent=indent)
    assert parse_json_text(text).value == value


@given(st.text('{}[],:"/*\\ \n1a'))
def test_what_is_no_json_is_an_error_with_its_place(text):
    try:
        parse_json_text(text)
    except JsonTextError as error:
        assert str(error).startswith("line ")


@pytest.mark.anyio
async def test_what_is_written_starts_the_server(tmp_path):
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"a": {"command": sys.executable, "args": [FAULTY]}}}))
    assert main(["install", "--config", str(path), "--yes"]) == 0
    entry = json.loads(path.read_text())["mcpServers"]["a"]
    async with program(entry["command"], *entry["args"]) as client:
        assert said(await client.call_tool("echo", {"text": "x"})) == "x"


def test_the_doctor_says_what_works_and_how_to_cure_what_does_not(tmp_path, capfd):
    entries = {
        "good": {"command": sys.executable, "args": [FAULTY]},
        "gone": {"command": "no-such-program-at-all"},
        "web": {"url": "nonsense"},
        "empty": {},
        "off": {"command": "x", "disabled": True},
        "asked": {"command": "x", "args": ["${input:key}"]},
    }
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": entries}))
    assert main(["doctor", "--config", str(path)]) == 1
    out = capfd.readouterr().out
    assert f"{path}: 6 servers" in out
    assert "good: works: 21 tools, after" in out
    assert "\n  echo\n" in out
    assert (
        "gone: FAILED: The MCP server 'gone' cannot be used: the program no-such-program-at-all was not found. Install"
        in out
    )
    assert "web: FAILED: The MCP server 'web' cannot be used: 'nonsense' is not the address of a web server." in out
    assert 'empty: FAILED: server \'empty\': it has neither a "command" nor a "url"' in out
    assert "off: is switched off" in out
    assert "asked: not tried: ${input:key} is not set here; your client may fill it in" in out
    main(["install", "--config", str(path), "--yes"])
    for name in ("gone", "web", "empty"):
        text = json.loads(path.read_text())
        del text["mcpServers"][name]
        path.write_text(json.dumps(text))
    assert main(["doctor", "--config", str(path)]) == 0
    assert "good: works; the proxy is in front of it: 21 tools" in capfd.readouterr().out


def test_the_doctor_does_not_wait_for_a_server_that_does_not_list_its_tools(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr("mulligan_proxy.setup.doctor.LIST_SECONDS", 0.5)
    path = tmp_path / "mcp.json"
    entry = {"command": sys.executable, "args": [FAULTY, "hang-listing"]}
    path.write_text(json.dumps({"mcpServers": {"a": entry}}))
    assert main(["doctor", "--config", str(path)]) == 1
    assert "a: FAILED: its tools cannot be listed: it did not respond in time" in capfd.readouterr().out
