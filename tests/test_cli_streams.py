"""The standard streams of the command: closed, full, in another encoding, or printed to by a tool."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import shlex
import subprocess
import sys

import pytest
from clean_environment import clean_environment

SHOES = '''
import os

print("import noise")
os.system("echo child noise")


def find_shoe(size: int, colour: str = "red") -> str:
    """Find a shoe."""
    print("tool noise")
    return f"a {colour} shoe, size {size}"
'''
NOISE = ["import noise", "child noise", "tool noise"]
CALL = """call --tools shoes.py find_shoe '{"size": 1}'"""
FULL = "mulligan: cannot write to stdout: No space left on device; free some space, or write to another place"


@pytest.fixture
def shell(tmp_path):
    """Runs `mulligan` with words and redirections as a shell reads them; gives code, stdout and stderr."""
    (tmp_path / "shoes.py").write_text(SHOES)
    (tmp_path / "quiet.py").write_text(SHOES.replace('print("import noise")\nos.system("echo child noise")', ""))
    (tmp_path / "chat.jsonl").write_text('{"role": "user", "content": "hello"}\n')

    def run(line, stdin=b"", **environment):
        done = subprocess.run(
            ["sh", "-c", f"exec {shlex.quote(sys.executable)} -m mulligan.cli {line}"],
            cwd=tmp_path,
            env=clean_environment(tmp_path, **environment),
            input=stdin,
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return run


def test_a_closed_stdout_is_told_before_anything_is_run(shell):
    told = "stdout is closed, so there is nowhere to write the output; keep it open, or redirect it: > FILE"
    assert shell(f"{CALL} >&-") == (2, "", f"mulligan: {told}\n")


def test_a_closed_stdin_is_told(shell):
    told = "mulligan: stdin is closed; pass {} with < FILE or |\n"
    code, _, err = shell("call --tools quiet.py find_shoe - <&-")
    assert (code, err) == (2, told.format("the arguments"))
    code, _, err = shell("run - --tools quiet.py <&-")
    assert (code, err) == (2, told.format("a conversation"))


def test_a_closed_or_full_stderr_changes_no_answer(shell):
    assert shell("call --tools quiet.py nope 2>&-")[0] == 1
    code, out, _ = shell("call --tools quiet.py nope 2>/dev/full")
    assert (code, out.partition("\n")[0]) == (1, "Error: Tool 'nope' not found.")
    assert shell("run chat.jsonl --tools quiet.py 2>/dev/full")[0] == 0


@pytest.mark.parametrize(
    "line",
    [
        "call --tools quiet.py nope --log off",
        "run chat.jsonl --tools quiet.py",
        "schema --tools quiet.py",
        "plugins",
        "doctor",
        "explain ValueError",
        "demo --fast --plain",
        "--help",
        "--version",
    ],
)
def test_a_full_disk_is_one_line(shell, line):
    code, out, err = shell(f"{line} >/dev/full")
    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == FULL
    assert "Traceback" not in err
    assert "Exception ignored" not in err


def test_a_full_disk_of_out_is_named(shell):
    code, _, err = shell("run chat.jsonl --tools quiet.py --out /dev/full")
    told = "mulligan: cannot write to --out /dev/full: No space left on device; free some space, or choose another file"
    assert (code, err.splitlines()[-1]) == (2, told)


def test_what_tools_and_their_files_print_goes_to_stderr(shell):
    code, out, err = shell(f"{CALL} --json")
    assert (code, json.loads(out)["content"]) == (0, "a red shoe, size 1")
    assert err.splitlines() == NOISE
    code, out, err = shell("schema --tools shoes.py")
    assert json.loads(out)[0]["function"]["name"] == "find_shoe"
    assert err.splitlines() == NOISE[:2]


@pytest.mark.parametrize("c_locale", [False, True])
def test_bytes_that_are_no_utf_8_are_no_fault_of_the_model(shell, c_locale):
    c = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"} if c_locale else {}
    latin = b'{"size": 1, "colour": "\xe9"}'
    code, out, err = shell("call --tools quiet.py find_shoe -", stdin=latin, **c)
    assert (code, out, err) == (2, "", "mulligan: stdin, byte 24: not UTF-8; encode the arguments as UTF-8\n")
    typed = """"$(printf '{"size": 1, "colour": "\\351"}')" """
    code, out, err = shell(f"call --tools quiet.py find_shoe {typed}", **c)
    assert (code, out, err) == (2, "", "mulligan: JSON, byte 24: not UTF-8; use a terminal that writes UTF-8\n")
    assert shell("explain \"$(printf '\\351')\"", **c)[2] == (
        "mulligan: FAILURE, byte 1: not UTF-8; use a terminal that writes UTF-8\n"
    )


def test_a_locale_that_knows_ascii_only_changes_no_argument(shell):
    c = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "utf-8"}
    given = """'{"size": 1, "colour": "né"}'"""
    assert shell(f"call --tools quiet.py find_shoe {given}", **c)[1] == "a né shoe, size 1\n"
    given = """{"size": 1, "colour": "né"}""".encode()
    assert shell("call --tools quiet.py find_shoe -", stdin=given, **c)[1] == "a né shoe, size 1\n"


def test_a_command_of_a_package_has_stdout_itself_and_a_full_disk_is_one_line_too(shell, tmp_path):
    (tmp_path / "acme_shop.py").write_text("def main(words):\n    print('stock:', *words)\n    return 0\n")
    info = tmp_path / "acme_shop-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-shop\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[mulligan.commands]\nshop = acme_shop:main\n")
    assert shell("shop 42") == (0, "stock: 42\n", "")
    assert shell("shop 42 >/dev/full") == (2, "", f"{FULL}\n")


def test_a_help_page_on_a_terminal_has_colours(tmp_path):
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "mulligan.cli", "call", "--help"]
    process = subprocess.Popen(words, env=clean_environment(tmp_path, TERM="xterm", COLUMNS="100"), stdout=theirs)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):
        while data := os.read(ours, 4_096):
            shown += data
    os.close(ours)
    assert process.wait() == 0
    page = shown.decode()
    assert "\x1b[1mUsage: mulligan call --tools MODULE[:NAME] [--format FORMAT] [--json] TOOL [JSON]" in page
    assert "\r\n\r\n\r\n" not in page
