"""`mulligan doctor`: what is wrong with plugins, and the fix; `mulligan explain`: who was asked."""

from __future__ import annotations

import json
import sys
import textwrap

import pytest

from mulligan import hookspecs
from mulligan.cli import main
from mulligan.hookimpl import HOOK_API

HEAD = "from mulligan.plugin import *\n"
FORMAT = """
class F(FeedbackFormat):
    name = "slip"
    def render(self, feedback):
        return BODY
@hookimpl
def feedback_formats():
    yield F()
"""
DIALECT = """
class D(Dialect):
    name = "acme"
    def recognises(self, message):
        return "acme" in message
    def definition(self, tool):
        return BODY
    def message(self, result):
        return {}
@hookimpl
def dialects():
    yield D()
"""


class House:
    """A folder with distributions in it, as an installer leaves them."""

    def __init__(self, folder):
        self.folder = folder

    def install(self, name, code, requires=""):
        (self.folder / f"plugin_{name}.py").write_text(HEAD + textwrap.dedent(code))
        info = self.folder / f"mulligan_{name}-1.0.dist-info"
        info.mkdir()
        told = "".join(f"Requires-Dist: {line}\n" for line in requires.splitlines())
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: mulligan-{name}\nVersion: 1.0\n{told}")
        (info / "entry_points.txt").write_text(f"[mulligan]\n{name} = plugin_{name}\n")


@pytest.fixture
def house(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for variable in ("PLUGINS", "BLOCK_PLUGINS", "DISABLE_PLUGIN_AUTOLOAD", "FORMAT", "LOG"):
        monkeypatch.delenv(f"MULLIGAN_{variable}", raising=False)
    before = set(sys.modules)
    yield House(tmp_path)
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


@pytest.fixture
def findings(cli):
    """What doctor finds of a plugin: level, problem and fix."""

    def findings(plugin, *words):
        code, out, err = cli("doctor", "--json", *words)
        assert (code, err) == (0, "")
        found = [one for one in json.loads(out)["findings"] if one["plugin"] == plugin]
        return [(one["level"], one["problem"], one["fix"]) for one in found]

    return findings


def test_a_plugin_that_is_right_is_only_listed(house, cli, findings):
    house.install("acme", "@hookimpl\ndef hints(error):\n    return ['x']\n")
    assert findings("acme") == []
    code, out, err = cli("doctor", "--check")
    assert (code, err) == (0, "")
    assert out.startswith("mulligan ")
    assert f", hook API {HOOK_API}\n" in out
    assert [line.split()[:5] for line in out.splitlines() if line.startswith("acme ")][0][:4] == [
        *("acme", "active", "mulligan-acme", "1.0")
    ]
    assert out.endswith("\nNo problems found.\n")


def test_an_installed_adapter_is_listed_although_it_is_no_plugin(house, cli):
    house.install("acme", "@hookimpl\ndef hints(error):\n    return ['x']\n")
    for name in ("mulligan-frame", "frame"):
        info = house.folder / f"{name.replace('-', '_')}-2.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.0\n")
    out = cli("doctor")[1]
    [line] = [line for line in out.splitlines() if line.startswith("Also installed")]
    assert line.startswith("Also installed, without a plugin: ")
    assert "mulligan-frame 2.0" in line
    assert "mulligan-acme" not in line
    assert json.loads(cli("doctor", "--json")[1])["packages"]["mulligan-frame"] == "2.0"


def test_versions_and_settings_are_told(house, cli, monkeypatch):
    (house.folder / "pyproject.toml").write_text('[tool.mulligan]\nformat = "json"\nlog = "info"\n')
    (house.folder / "ada.py").write_text(HEAD + "@hookimpl\ndef hints(error):\n    return []\n")
    monkeypatch.setenv("MULLIGAN_LOG", "error")
    told = json.loads(cli("doctor", "--json", "-p", "ada.py", "-p", "no:detect")[1])
    assert told["python"] == ".".join(map(str, sys.version_info[:3]))
    pluggy = next(one for one in told["dependencies"] if one["name"] == "pluggy")
    assert (pluggy["wanted"], pluggy["fits"], pluggy["extra"]) == (">=1.7", True, "")
    assert told["settings"] == {
        "autoload": {"value": True, "from": "default"},
        "format": {"value": "json", "from": "pyproject.toml"},
        "log": {"value": "ERROR", "from": "environment"},
        "plugins": [{"plugin": "ada.py", "from": "-p"}],
        "block": ["detect"],
    }
    [ada] = [info for info in told["plugins"] if info["name"] == "ada"]
    assert (ada["hooks"], ada["state"]) == (["hints"], "active")


def test_a_hook_that_dawdles(house, findings):
    house.install("acme", "import time\n@hookimpl\ndef hints(error):\n    time.sleep(0.15)\n    return []\n")
    [(level, problem, fix)] = findings("acme")
    assert level == "warning"
    assert problem.startswith("its hook hints takes 0.")
    assert "move slow work to an executor" in fix


def test_an_optional_hook_of_the_future(house, findings):
    house.install("acme", "@hookimpl(optionalhook=True)\ndef of_the_future():\n    return 1\n")
    assert findings("acme") == [
        (
            "note",
            f"its optional hook 'of_the_future' is not in hook API {HOOK_API}, so it is never called",
            "update mulligan if you need the hook",
        )
    ]


def test_what_a_distribution_requires_and_there_is_not(house, findings):
    code = "@hookimpl\ndef hints(error):\n    return []\n"
    needs = "mulligan>=99\npluggy>=1\nno-such-thing\nother-thing; extra == 'more'\nodd; python_version < '3'\n???"
    house.install("acme", code, needs)
    import mulligan

    assert findings("acme") == [
        (
            "warning",
            f"mulligan-acme requires mulligan>=99, but {mulligan.__version__} is installed",
            "pip install 'mulligan>=99'",
        ),
        (
            "warning",
            "mulligan-acme requires no-such-thing, but it is not installed",
            "pip install 'no-such-thing'",
        ),
    ]


def test_two_formats_and_two_dialects_of_one_name(house, findings):
    house.install("ada", FORMAT.replace("BODY", "'x'") + DIALECT.replace("BODY", "{}"))
    house.install("ben", FORMAT.replace("BODY", "'x'") + DIALECT.replace("BODY", "{}"))
    assert findings("ada") == []
    assert sorted(findings("ben")) == [
        (
            "warning",
            f"its {kind} {name!r} replaces the one of plugin 'ada', which has the same name",
            "rename or block one of them",
        )
        for kind, name in (("dialect", "acme"), ("format", "slip"))
    ]


def test_a_format_in_place_of_mulligans_own(house, findings):
    house.install("acme", FORMAT.replace("BODY", "'x'").replace("slip", "text"))
    assert findings("acme") == [
        ("note", "its format 'text' replaces the built-in one", "block it if this is not intended")
    ]


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (
            FORMAT.replace("BODY", "3"),
            "its format 'slip' fails: its render(feedback) returned int instead of text or a mapping",
        ),
        (FORMAT.replace("BODY", "1 / 0"), "its format 'slip' fails: ZeroDivisionError: division by zero"),
        (
            DIALECT.replace("BODY", "3"),
            "its dialect 'acme' fails: its definition(tool) returned int instead of a mapping",
        ),
        (DIALECT.replace("BODY", "1 / 0"), "its dialect 'acme' fails: ZeroDivisionError: division by zero"),
    ],
)
def test_a_format_or_dialect_that_fails(house, findings, code, problem):
    house.install("acme", code)
    [(level, told, fix)] = findings("acme")
    assert (level, told) == ("error", problem)
    assert fix == "update it, or report it to the author; until then, do not use it"


def test_two_plugins_of_one_name(house, cli, findings):
    house.install("acme", "@hookimpl\ndef hints(error):\n    return []\n")
    info = house.folder / "mulligan_other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mulligan-other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[mulligan]\nacme = plugin_acme\n")
    [(level, problem, fix)] = findings("acme")
    assert (level, fix) == ("error", "rename or block one of them")
    assert "is taken by" in problem


def test_an_entry_point_that_cannot_be_read_is_named_once(house, cli):
    house.install("acme", "@hookimpl\ndef hints(error):\n    return []\n")
    for number, content in enumerate((b"\xff[mulligan]\n", b"[mulligan]\nnothing\n[mulligan.commands]\n")):
        info = house.folder / f"bad{number}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: bad{number}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_bytes(content)
    code, out, err = cli("doctor", "--check")
    assert (code, err) == (1, "")
    assert (
        "\nerror: bad0 (bad0 1.0): entry_points.txt of bad0 is not UTF-8\n  fix: reinstall bad0, or block it\n" in out
    )
    assert "\nerror: nothing (bad1 1.0): entry_points.txt of bad1, line 2: 'nothing' is not NAME = MODULE\n" in out
    assert out.count("error: ") == 2
    for words in (["plugins"], ["explain", "ValueError('x')"], ["--help"]):
        assert cli(*words)[::2] == (0, "")


def test_two_commands_of_one_name(house, findings):
    for name in ("ada", "ben"):
        house.install(name, "@hookimpl\ndef hints(error):\n    return []\n")
        points = house.folder / f"mulligan_{name}-1.0.dist-info" / "entry_points.txt"
        points.write_text(f"[mulligan.commands]\nshop = plugin_{name}:main\n")
    [(level, problem, fix)] = findings("shop")
    assert level == "warning"
    assert problem.startswith("its command 'shop' never runs, since mulligan-")


def test_a_parameter_that_is_to_go(house, cli, monkeypatch):
    told = DeprecationWarning("hints(failure) goes with hook API 2.0")
    monkeypatch.setitem(hookspecs.hints.mulligan_spec, "warn_on_impl_args", {"failure": told})
    house.install("acme", "@hookimpl\ndef hints(error, failure):\n    return []\n")
    found = json.loads(cli("doctor", "--json")[1])["findings"]
    assert [(one["level"], one["problem"], one["origin"]) for one in found if "hook API 2.0" in one["problem"]] == [
        ("warning", "hints(failure) goes with hook API 2.0", "a hookimpl")
    ]
    assert str(house.folder / "plugin_acme.py") in str(found)


def test_a_plugin_that_was_asked_for_and_is_wrong_is_a_finding_too(house, cli, findings):
    (house.folder / "bad.py").write_text("1 / 0\n")
    (house.folder / "empty.py").write_text("")
    (house.folder / "good.py").write_text(HEAD + "@hookimpl\ndef hints(error):\n    return []\n")
    words = ("-p", "bad.py", "-p", "empty.py", "-p", "good.py", "-p", "nope.py")
    [(level, problem, fix)] = findings("bad.py", *words)
    assert (level, fix) == ("error", "correct the module, or omit the plugin")
    assert problem.startswith("cannot import it: ZeroDivisionError: division by zero (")
    assert findings("empty.py", *words) == [
        ("error", "plugin 'empty' has no hookimpl: mark its functions with @hookimpl from mulligan.plugin", fix)
    ]
    assert findings("nope.py", *words) == [("error", "no such file", fix)]
    code, out, _ = cli("doctor", "--check", *words)
    assert code == 1
    assert "\ngood " in out


def test_a_block_that_blocks_nobody(house, findings, monkeypatch):
    monkeypatch.setenv("MULLIGAN_BLOCK_PLUGINS", "nobody")
    assert findings("nobody") == [
        ("note", "it is blocked, but no plugin has that name", "remove it from `block`"),
    ]


def test_a_dependency_that_is_too_old(house, cli, monkeypatch):
    from mulligan.cli import doctor, findings

    old = findings.Requirement("pluggy", ">=99", "1.7.0", "", False)
    monkeypatch.setattr(doctor, "requirements", lambda name: iter([old]))
    code, out, _ = cli("doctor", "--check")
    assert code == 1
    assert "\nerror: mulligan requires pluggy>=99, but 1.7.0 is installed\n  fix: pip install 'pluggy>=99'\n" in out


def test_without_its_library_it_says_what_to_install(house, cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "packaging.requirements", None)
    assert cli("doctor") == (2, "", "mulligan: mulligan doctor requires packaging: pip install 'mulligan[cli]'\n")


def test_a_plugin_whose_import_hangs_is_named_while_it_does(house, cli, monkeypatch):
    from mulligan.cli import loading

    monkeypatch.setattr(loading, "SLOW_IMPORT_SECONDS", 1.0)
    waiting = "import threading\n[one for one in threading.enumerate() if isinstance(one, threading.Timer)][0].join()\n"
    house.install("quick", "@hookimpl\ndef hints(error):\n    return []\n")
    house.install("sleepy", waiting + "@hookimpl\ndef hints(error):\n    return []\n")
    code, _, err = cli("plugins")
    assert code == 0
    assert err == (
        "mulligan: the import of plugin 'sleepy' takes more than 1 s; "
        "wait, or block it with MULLIGAN_BLOCK_PLUGINS=sleepy\n"
    )


LIBRARY = """
class AcmeError(Exception):
    pass
class Forbidden(AcmeError):
    def __init__(self, text, *, code=7):
        super().__init__(text)
        self.code = code
class Hidden:
    class Late(AcmeError):
        pass
"""


@pytest.fixture
def library(house):
    """A library `acmelib` that is installed, with its exceptions in a module of its own."""
    package = house.folder / "acmelib"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "exceptions.py").write_text(LIBRARY)


def rules(*named, body="return ToolQuotaError('Full.')"):
    """A plugin with one rule for each of the names."""
    rules = "".join(f"@rules({name!r})\ndef rule{n}(failure):\n    {body}\n" for n, name in enumerate(named))
    return f"rules = Rules('acme')\n{rules}classify = rules.hookimpl()\n"


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("acmelib.Forbiden", "write 'acmelib.exceptions.Forbidden'"),
        ("acmelib.exceptions.Forbiddn", "write 'acmelib.exceptions.Forbidden'"),
        ("acmelib.errors.Forbidden", "write 'acmelib.exceptions.Forbidden'"),
        ("ValuError", "write 'ValueError'"),
        ("json.JSONDecodingError", "write 'json.decoder.JSONDecodeError'"),
        ("socket.timeout", "write 'TimeoutError'"),
        ("acmelib.Nothing", "correct the name, or remove the rule"),
    ],
)
def test_a_rule_for_a_class_that_the_library_does_not_have(house, library, findings, name, fix):
    house.install("acme", rules(name))
    [(level, problem, told)] = findings("acme")
    assert level == "warning"
    assert problem.startswith(f"its rule 'rule0' never matches {name!r}: ")
    assert told == f"for the author: {fix}"


def test_a_rule_for_a_class_that_is_there_or_whose_library_is_not(house, library, findings):
    there = ("acmelib.Forbidden", "acmelib.exceptions.Forbidden", "acmelib.exceptions.Hidden.Late", "ValueError")
    house.install("acme", rules(*there[:2], there[3], "json.JSONDecodeError", "no_such_library.Error"))
    assert findings("acme") == []


@pytest.mark.parametrize(("count", "told"), [(1, "1 note"), (2, "2 notes")])
def test_notes_alone_are_no_problem_and_are_counted(house, library, cli, count, told):
    rule = "@rules('acmelib.Forbidden', 'acmelib.v{0}.Denied')\ndef rule{0}(failure):\n    return None\n"
    listed = "".join(map(rule.format, range(count)))
    house.install("acme", f"rules = Rules('acme')\n{listed}classify = rules.hookimpl()\n")
    out = cli("doctor")[1]
    assert out.count("\nnote: ") == count
    assert out.endswith(f"\n\nNo problems found. {told}.\n")
    house.install("other", "1 / 0\n")
    assert "No problems found" not in cli("doctor")[1]


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("classify(error)", "'classify': unknown parameter 'error'; use only the hook's parameters: failure"),
        ("hints(eror)", "'hints': unknown parameter 'eror' (did you mean 'error'?); use only"),
        ("dialects(name)", "'dialects': unknown parameter 'name'; the hook has no parameters"),
    ],
)
def test_a_parameter_that_the_hook_does_not_have(house, cli, code, problem):
    (house.folder / "wrong.py").write_text(f"from mulligan.plugin import hookimpl\n@hookimpl\ndef {code}: ...\n")
    code, out, err = cli("plugins", "-p", "wrong.py")
    assert (code, out) == (2, "")
    assert err.startswith(f"mulligan: plugin 'wrong': hookimpl {problem}")


def test_a_rule_may_name_the_classes_of_several_versions(house, library, findings):
    house.install(
        "acme", rules("acmelib.Forbidden").replace("'acmelib.Forbidden'", "'acmelib.Forbidden', 'acmelib.v1.Denied'")
    )
    assert [(level, fix) for level, _, fix in findings("acme")] == [
        ("note", "for the author: correct the name, or remove the rule")
    ]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("return 'Full.'", "its rule 'rule0' returned str instead of a ToolError or None"),
        ("return ToolQuotaError", "its rule 'rule0' returned type instead of a ToolError or None"),
        ("raise KeyError('x')", "its rule 'rule0' fails: KeyError: 'x'"),
    ],
)
@pytest.mark.parametrize("name", ["acmelib.Forbidden", "no_such_library.Error"])
def test_every_rule_is_tried_with_a_sample(house, library, findings, body, problem, name):
    house.install("acme", rules(name, body=body))
    [(level, told, fix)] = findings("acme")
    assert (level, told) == ("error", problem)
    assert fix.endswith("until then, block it")


def test_a_rule_may_read_fields_that_a_sample_lacks(house, library, findings):
    house.install("acme", rules("no_such_library.Error", body="return failure.exception.reply['code']"))
    assert findings("acme") == []


def test_rules_beside_other_hookimpls_that_are_never_used(house, findings):
    unused = rules("acme.Full").replace("classify = rules.hookimpl()", "")
    house.install("acme", f"{unused}@hookimpl\ndef hints(error):\n    return []\n")
    assert findings("acme") == [
        (
            "error",
            "never uses its 1 rule in `rules`",
            "for the author: add `classify = rules.hookimpl()`; until then, block it",
        )
    ]


# --- explain

DECIDES = """
@hookimpl
def classify(failure):
    if failure.matches("TimeoutError"):
        return ToolUnavailableError("Acme sleeps.")

@hookimpl
def hints(error):
    return ["Ask Ada."]
"""


@pytest.fixture
def asked(cli):
    def asked(*words):
        told = json.loads(cli("explain", *words, "--json")[1])["asked"]
        return [(one["hook"], one["plugin"], one["answer"], one["says"]) for one in told]

    return asked


def test_explain_tells_who_was_asked_in_order(house, cli, asked):
    house.install("acme", DECIDES)
    house.install("zeno", "@hookimpl\ndef classify(failure):\n    return None\n")
    found = asked("TimeoutError('x')")
    assert found[:3] == [
        ("classify", "zeno", "abstains", None),
        ("classify", "acme", "decided", "ToolUnavailableError"),
        ("classify", "classify", "also matches", "ToolTimeoutError"),
    ]
    assert ("hints", "acme", "contributes", "1 hint") in found
    out = cli("explain", "TimeoutError('x')")[1]
    section = out.partition("Hookimpls, in the order of their calls:\n\n")[2].partition("\n\n")[0]
    assert [line.split() for line in section.splitlines()][:3] == [
        ["hook", "plugin", "answer"],
        ["classify", "zeno", "abstains"],
        ["classify", "acme", "decided:", "ToolUnavailableError"],
    ]


TWO_LISTS = """
rules, last = Rules("acme"), Rules("acme", last=True)

@rules("ZeroDivisionError")
def known(failure):
    return ToolQuotaError("Full.") if failure.says("full") else None

@last("ArithmeticError")
def other(failure):
    return ToolUnavailableError("Acme sleeps.")

classify, classify_last = rules.hookimpl(), last.hookimpl()
"""


def test_explain_marks_the_rules_that_are_asked_last(house, cli, asked):
    house.install("acme", TWO_LISTS)

    def rows(failure):
        out = cli("explain", failure)[1].partition("Hookimpls, in the order of their calls:\n\n")[2]
        found = [line.split(None, 1)[1] for line in out.partition("\n\n")[0].splitlines()]
        return [" ".join(row.split()) for row in found if row.startswith("acme")]

    assert rows("ZeroDivisionError('boom')") == ["acme abstains", "acme (trylast) decided: ToolUnavailableError"]
    assert rows("ZeroDivisionError('full')") == [
        "acme decided: ToolQuotaError",
        "acme (trylast) also matches: ToolUnavailableError",
    ]
    told = json.loads(cli("explain", "ZeroDivisionError('boom')", "--json")[1])["asked"]
    assert [one["marks"] for one in told if one["plugin"] == "acme"] == [[], ["trylast"]]


def test_explain_tells_why_others_were_not_heard(house, asked):
    house.install("broken", "1 / 0\n")
    house.install("crash", "@hookimpl\ndef classify(failure):\n    raise KeyError('x')\n")
    house.install("future", "mulligan_api = '99.0'\n@hookimpl\ndef hints(error):\n    return []\n")
    house.install("greedy", "@hookimpl\ndef classify(failure):\n    return ToolQuotaError('All.')\n")
    house.install("wraps", "@hookimpl(wrapper=True)\ndef classify(failure):\n    return (yield)\n")
    found = {(hook, plugin): (answer, says) for hook, plugin, answer, says in asked("ValueError('x')")}
    assert found["classify", "crash"] == ("failed", "KeyError: 'x'")
    assert found["classify", "greedy"] == ("ignored", "claims every failure, even an unknown one")
    assert found["classify", "wraps"] == ("wraps", None)
    assert found["", "future"][0] == "disabled"
    assert found["", "future"][1].endswith("; update mulligan")
    assert found["", "broken"][0] == "not loaded"
    assert "ZeroDivisionError" in found["", "broken"][1]
    assert {plugin: answer for _, plugin, answer, _ in asked("ValueError('x')", "-p", "no:crash")}["crash"] == "blocked"


def test_explain_without_a_failure_tells_the_order(house, cli):
    house.install("acme", DECIDES)
    house.install("wraps", "@hookimpl(wrapper=True, tryfirst=True)\ndef classify(failure):\n    return (yield)\n")
    order = json.loads(cli("explain", "--json")[1])["order"]
    assert set(order) == set(hookspecs.__all__)
    names = [one["plugin"] for one in order["classify"] if one["plugin"] in ("acme", "wraps", "classify")]
    assert names == ["wraps", "acme", "classify"]
    assert order["classify"][-1] == {"plugin": "classify", "marks": []}
    line = next(line for line in cli("explain")[1].splitlines() if line.startswith("classify"))
    assert line.split(None, 1)[1].startswith("wraps (tryfirst, wrapper), ")
    assert line.endswith("acme, classify")
