"""The command as a process of its own: what only a real one shows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from clean_environment import clean_environment


@pytest.fixture
def command(tmp_path):
    """Starts `python -m mulligan.cli` in an empty folder; gives code, stdout and stderr."""

    def run(*words, stdin="", **environment):
        done = subprocess.run(
            [sys.executable, "-m", "mulligan.cli", *words],
            cwd=tmp_path,
            env=clean_environment(tmp_path, **environment),
            input=stdin.encode(),
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return run


def install(folder, name, version, points, **modules):
    """What an installer leaves behind: metadata with entry points, and modules."""
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(
        "[mulligan]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
    )
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text)


GOOD = "from mulligan.plugin import hookimpl\n\n@hookimpl\ndef hints(error, failure):\n    return ['Ask Ada.']\n"


def test_the_result_goes_to_stdout_and_the_log_to_stderr(command, tmp_path):
    (tmp_path / "tools.py").write_text("def open_it(path: str) -> str:\n    'Open.'\n    return open(path).read()\n")
    words = ("call", "--tools", "tools.py", "open_it", "-", "--log", "info")
    code, out, err = command(*words, stdin='{"path": "none.txt"}')
    assert code == 1
    assert out.startswith("Error executing tool open_it: Resource not found: none.txt\n")
    assert " INFO    open_it failed after " in err
    assert "ResourceNotFoundError: Resource not found: none.txt" in err
    assert "\x1b" not in out + err


def test_a_stream_that_cannot_say_a_letter_escapes_it(command, tmp_path):
    (tmp_path / "tools.py").write_text("def drink() -> str:\n    'Drink.'\n    return 'café'\n", encoding="utf-8")
    assert command("call", "--tools", "tools", "drink", PYTHONIOENCODING="ascii")[:2] == (0, "caf\\xe9\n")


def test_installed_plugins_are_listed_the_broken_ones_too(command, tmp_path):
    install(tmp_path, "mulligan-ada", "1.2", {"ada": "ada", "broken": "broken", "exits": "exits"}, ada=GOOD)
    (tmp_path / "broken.py").write_text("import nothing_there\n")
    (tmp_path / "exits.py").write_text("raise SystemExit(9)\n")
    code, out, _ = command("plugins")
    assert code == 0
    assert "ada       active  mulligan-ada 1.2      -  hints" in out
    assert "broken    failed  mulligan-ada 1.2      -  -" in out
    assert "broken: plugin 'broken' failed at import (ModuleNotFoundError: No module named 'nothing_there')" in out
    assert "exits: plugin 'exits' failed at import (SystemExit: 9)" in out
    told = json.loads(command("plugins", "--json")[1])["plugins"]
    (ada,) = (info for info in told if info["name"] == "ada")
    assert (ada["distribution"], ada["version"], ada["state"], ada["hooks"]) == (
        "mulligan-ada",
        "1.2",
        "active",
        ["hints"],
    )


@pytest.mark.parametrize("words", [("call", "drink"), ("run", "chat.jsonl"), ("schema",)])
def test_a_command_that_works_without_a_broken_plugin_says_so(command, tmp_path, words):
    install(tmp_path, "mulligan-ada", "1.2", {"broken": "broken"}, broken="raise ValueError('no file')\n")
    (tmp_path / "tools.py").write_text("def drink() -> str:\n    'Drink.'\n    return 'tea'\n")
    (tmp_path / "chat.jsonl").write_text("")
    told = "mulligan: plugin broken: plugin 'broken' failed at import (ValueError: no file); reinstall, update or block it\n"
    code, _, err = command(*words, "--tools", "tools")
    assert (code, err.count(told)) == (0, 1)
    assert told not in command(*words, "--tools", "tools", "--log", "off")[2]
    assert told not in command(*words, "--tools", "tools", "-p", "no:broken")[2]


def test_a_name_that_is_taken_is_told(command, tmp_path):
    install(tmp_path, "mulligan-thief", "1", {"classify": "thief"}, thief=GOOD)
    _, out, _ = command("plugins")
    assert "classify: the name 'classify' of mulligan-thief is taken by mulligan itself" in out
    assert json.loads(command("plugins", "--json")[1])["faults"][0]["plugin"] == "classify"


def test_an_installed_plugin_can_be_blocked_or_asked_for_by_name(command, tmp_path):
    install(tmp_path, "mulligan-ada", "1.2", {"ada": "ada", "bad": "bad"}, ada=GOOD, bad="1 / 0\n")
    words = ("explain", "ValueError('x')")
    assert "Ask Ada." in command(*words)[1]
    assert "Ask Ada." in command(*words, "-p", "ada")[1]
    assert "Ask Ada." not in command(*words, "-p", "no:ada")[1]
    alone = {"MULLIGAN_DISABLE_PLUGIN_AUTOLOAD": "1"}
    assert "Ask Ada." not in command(*words, **alone)[1]
    assert "Ask Ada." in command(*words, "-p", "ada", **alone)[1]
    code, _, err = command(*words, "-p", "bad", **alone)
    assert code == 2
    assert err.startswith("mulligan: -p bad: cannot import it: ZeroDivisionError: division by zero (")


@pytest.mark.parametrize("missing", ["cyclopts", "rich"])
def test_a_missing_extra_is_one_clear_line(tmp_path, missing):
    program = f"import sys; sys.modules[{missing!r}] = None; import mulligan.cli; sys.exit(mulligan.cli.main(['demo']))"
    done = subprocess.run(
        [sys.executable, "-c", program], env=clean_environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "The command line requires extra packages: pip install 'mulligan[cli]'\n"


def test_another_missing_module_is_not_blamed_on_the_extra(tmp_path):
    program = "import sys; sys.modules['mulligan.cli.app'] = None; import mulligan.cli; mulligan.cli.main([])"
    done = subprocess.run(
        [sys.executable, "-c", program], env=clean_environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "ModuleNotFoundError" in done.stderr


def test_the_library_never_imports_what_the_command_line_needs(tmp_path):
    program = (
        "import sys, mulligan; print([name for name in sys.modules if name.split('.')[0] in ('cyclopts', 'rich')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=clean_environment(tmp_path), capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    (tmp_path / "chat.jsonl").write_text('{"role": "user", "content": "hello"}\n' * 50_000)
    (tmp_path / "tools.py").write_text("def a() -> str:\n    'A.'\n    return ''\n")
    words = [sys.executable, "-m", "mulligan.cli", "run", "chat.jsonl", "--tools", "tools"]
    with subprocess.Popen(
        words, cwd=tmp_path, env=clean_environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read().decode()
        assert process.wait() == 141
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


def test_a_reader_that_goes_away_ends_the_demo_quietly(tmp_path):
    words = [sys.executable, "-m", "mulligan.cli", "demo", "--fast"]
    with subprocess.Popen(
        words, env=clean_environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.parametrize("at", ["sequential", "1000000000"])
def test_ctrl_c_ends_the_demo_its_server_and_its_child(tmp_path, at):
    words = [sys.executable, "-m", "mulligan.cli", "demo", "--fast"]
    with subprocess.Popen(
        words,
        env=clean_environment(tmp_path, TMPDIR=str(tmp_path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        next(line for line in process.stdout if at in line)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        assert process.returncode == 130
    assert err == "mulligan: interrupted\n"
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
