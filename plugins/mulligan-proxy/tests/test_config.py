"""The file that people have for their client, and the words of the command."""

from __future__ import annotations

import json
import sys

import pytest
from conftest import FAULTY, innermost, inside, program, proxied, refusal, said
from mulligan_proxy.cli import main
from mulligan_proxy.configs import insert_proxy, own_command, read_config, specs_of

from mulligan.errors import UsageError

CONFIG = {
    "mcpServers": {
        "files": {
            "command": "npx",
            "args": ["-y", "server", "${HOME}/x"],
            "env": {"A": "${WHO:-me}"},
            "autoApprove": ["a"],
        },
        "web": {"url": "https://example.test/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
        "old": {"type": "sse", "url": "https://example.test/sse"},
        "off": {"command": "x", "disabled": True},
    },
    "theme": "dark",
}


@pytest.fixture
def config(tmp_path):
    def write(held):
        path = tmp_path / "client.json"
        path.write_text(held if isinstance(held, str) else json.dumps(held))
        return path

    return write


def test_servers_are_read_as_clients_read_them(config, monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("TOKEN", "t")
    monkeypatch.delenv("WHO", raising=False)
    files, web, old = specs_of(read_config(config(CONFIG)), trusted=frozenset({"web"}))
    assert (files.name, files.kind, files.command) == ("files", "stdio", ("npx", "-y", "server", "/home/me/x"))
    assert dict(files.env) == {"A": "me"}
    assert (web.kind, web.url, dict(web.headers)) == ("http", "https://example.test/mcp", {"Authorization": "Bearer t"})
    assert (web.trusted, files.trusted) == (True, False)
    assert old.kind == "sse"
    assert "Bearer" not in repr(web)


def test_an_entry_may_say_that_its_server_is_trusted():
    held = {"mcpServers": {"a": {"command": "x", "trust": True}, "b": {"command": "y", "trust": False}}}
    assert [one.trusted for one in specs_of(held)] == [True, False]
    written = insert_proxy(held, ("p",))["mcpServers"]
    assert written["a"] == {"command": "p", "args": ["--name", "a", "--trust", "a", "--", "x"], "trust": True}
    assert written["b"] == {"command": "p", "args": ["--name", "b", "--", "y"], "trust": False}


def test_the_group_of_another_editor_is_read_too(config):
    (only,) = specs_of(read_config(config({"servers": {"a": {"type": "stdio", "command": "x"}}})))
    assert only.command == ("x",)


def test_the_proxy_is_put_in_front_of_each_server():
    written = insert_proxy(CONFIG, ("/bin/mulligan-proxy",))
    servers = written["mcpServers"]
    assert servers["files"] == {
        "command": "/bin/mulligan-proxy",
        "args": ["--name", "files", "--", "npx", "-y", "server", "${HOME}/x"],
        "env": {"A": "${WHO:-me}"},
        "autoApprove": ["a"],
    }
    assert servers["web"] == {
        "command": "/bin/mulligan-proxy",
        "args": ["--name", "web", "--url", "https://example.test/mcp"],
        "env": {"MULLIGAN_HEADERS": '{"Authorization": "Bearer ${TOKEN}"}'},
    }
    assert servers["old"]["args"] == ["--name", "old", "--sse", "https://example.test/sse"]
    assert servers["old"]["type"] == "stdio"
    assert servers["off"]["disabled"] is True
    assert written["theme"] == "dark"


@pytest.mark.parametrize(
    "command",
    [
        ("/bin/mulligan-proxy",),
        ("mulligan", "proxy"),
        ("/x/uvx", "mulligan-proxy"),
        ("python", "-m", "mulligan_proxy"),
        ("mulligan-proxy.exe",),
    ],
)
def test_what_is_in_front_already_stays(command):
    once = insert_proxy(CONFIG, command)
    assert insert_proxy(once, command) == once
    with pytest.raises(UsageError, match="no server that the proxy could stand in front of"):
        specs_of(once)


def test_an_environment_of_this_run_alone_is_not_written(monkeypatch):
    monkeypatch.setattr("sys.prefix", "/home/me/.cache/uv/archive-v0/abc")
    monkeypatch.setattr("shutil.which", lambda name: f"/home/me/.local/bin/{name}")
    assert own_command() == ("/home/me/.local/bin/uvx", "mulligan-proxy")


@pytest.mark.parametrize(
    ("held", "told"),
    [
        ("{", "not valid JSON"),
        ({"other": 1}, 'it has no "mcpServers"'),
        ({"mcpServers": {}}, "no server that the proxy could stand in front of"),
    ],
)
def test_a_file_that_is_wrong_is_told(config, held, told, capsys):
    assert main(["--config", str(config(held))]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("x", 'its entry must be an object, not "x"'),
        (None, "its entry must be an object, not null"),
        ({}, 'it has neither a "command" nor a "url"'),
        ({"command": ["npx", "y"]}, 'it has neither a "command" nor a "url"'),
        ({"command": "x", "args": "y"}, 'its "args" must be a list of texts'),
        ({"command": "x", "args": 5}, 'its "args" must be a list of texts'),
        ({"command": "x", "env": {"A": 1}}, 'its "env" must be an object of texts'),
        ({"command": "x", "cwd": 7}, 'its "cwd" must be a text'),
        ({"url": "http://127.0.0.1:9/mcp", "headers": ["A"]}, 'its "headers" must be an object of texts'),
        ({"command": "x", "trust": "yes"}, 'its "trust" must be true or false'),
    ],
)
@pytest.mark.anyio
async def test_an_entry_that_is_wrong_is_reported_and_the_other_servers_work(config, entry, told):
    other = {"command": sys.executable, "args": [FAULTY]}
    specs = specs_of(read_config(config({"mcpServers": {"mine": entry, "good": other}})))
    sentence = f"The MCP server 'mine' cannot be used: {told}. Correct the entry 'mine' of your configuration."
    async with inside(*specs) as client:
        assert sentence in client.instructions
        assert said(await client.call_tool("good__echo", {"text": "x"})) == "x"
        assert sentence in said(await client.call_tool("mine__anything", {}))
    assert await refusal(specs[0]) == sentence


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--config", "/no/such/file.json"], "--config /no/such/file.json: No such file or directory"),
        (["--nonsense"], "nonsense"),
        (["--timeout", "0", "--", "x"], "--timeout 0: give a number of seconds above zero"),
    ],
)
@pytest.mark.anyio
async def test_a_proxy_that_cannot_start_says_so_in_the_answer_to_the_first_request(words, told):
    with pytest.raises(ExceptionGroup) as caught:
        async with program(*proxied(*words)):
            pass
    message = innermost(caught.value).error.message
    assert message.startswith("mulligan-proxy cannot start: ")
    assert told in message


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "say which server"),
        (["--url", "http://x", "--", "y"], "say which server"),
        (["--print-config"], "--print-config needs --config FILE"),
        (["--http", "somewhere", "--", "x"], "--http somewhere: give HOST:PORT"),
        (["--http", "1:70000", "--", "x"], "--http 1:70000: give HOST:PORT"),
        (["--timeout", "0", "--", "x"], "--timeout 0: give a number of seconds above zero"),
        (["--log", "loud", "--", "x"], "--log loud: unknown level"),
        (["--trust", "a", "--", "x"], "--trust a: the server is called 'server'"),
        (["--nonsense"], "nonsense"),
    ],
)
def test_wrong_words_are_told(words, told, capsys):
    assert main(words) == 2
    assert told in capsys.readouterr().err


def test_headers_that_are_no_json_are_told(monkeypatch, capsys):
    monkeypatch.setenv("MULLIGAN_HEADERS", "[1]")
    assert main(["--url", "http://127.0.0.1:1/mcp"]) == 2
    assert "MULLIGAN_HEADERS: give an object of texts" in capsys.readouterr().err


@pytest.mark.anyio
async def test_what_is_printed_works_when_it_is_put_in_its_place(config, capsys):
    path = config({"mcpServers": {"a": {"command": sys.executable, "args": [FAULTY], "env": {"FAULTY": "set"}}}})
    assert main(["--print-config", "--config", str(path), "--trust", "a"]) == 0
    entry = json.loads(capsys.readouterr().out)["mcpServers"]["a"]
    assert "--trust" in entry["args"]
    async with program(entry["command"], *entry["args"], env=entry["env"]) as client:
        assert said(await client.call_tool("environment", {})) == "set"
        assert (await client.call_tool("ecko", {})).is_error


def test_a_reader_that_leaves_early_sees_no_traceback(config):
    import subprocess

    path = config({"mcpServers": {f"s{number}": {"command": "x" * 1_000} for number in range(1_000)}})
    words = f"{sys.executable} -m mulligan_proxy --print-config --config {path} | head -1"
    done = subprocess.run(["sh", "-c", words], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("{\n", "")
