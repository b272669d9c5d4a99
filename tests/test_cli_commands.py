"""The commands `call`, `schema`, `plugins` and `explain`, run in this process as a user types them."""

from __future__ import annotations

import io
import json
import re
import sys
import textwrap

import pytest

from mulligan.classify.builtin import rules as built_in
from mulligan.cli import main

SHOP = '''
from mulligan import Pipeline, Tool, Toolset, tool


class KeyExpired(Exception):
    status_code = 401


class Slow(Exception):
    status_code = 429
    headers = {"Retry-After": "7"}


class Picky(Exception):
    def __init__(self, number):
        super().__init__(number + 1)


@tool(read_only=True)
def find_shoe(size: int, colour: str = "red") -> str:
    """Find a shoe."""
    return f"a {colour} shoe, size {size}"


@tool
def pay(amount: int) -> str:
    """Pay."""
    raise KeyExpired("the key has expired")


@tool
async def later(text: str) -> str:
    """Say it later."""
    return text


def plain(word: str) -> str:
    """No tool by itself."""
    return word.upper()


everything = Toolset([find_shoe, later])
some = [plain, pay]
named = {"p": pay}
pipeline = Pipeline([plain], autoload=False)
number = 3


def impatient() -> str:
    """Ctrl-C."""
    raise KeyboardInterrupt
'''
PLAIN = '''
from json import dumps


def shout(word: str) -> str:
    """Shout."""
    return word.upper()


def _hidden(word: str) -> str:
    return word
'''
PLUGIN = """
from mulligan.plugin import FeedbackFormat, ToolQuotaError, hookimpl


class Short(FeedbackFormat):
    name = "short"

    def render(self, feedback):
        return feedback.code


class Quota:
    @hookimpl
    def classify(self, failure):
        if "tokens" in failure.text:
            return ToolQuotaError("No tokens are left.", rule="tokens")


@hookimpl
def feedback_formats():
    return [Short()]


quota = Quota()
"""

ACME = '''
from mulligan.plugin import Rules, ToolQuotaError, ToolUnavailableError


class Spent(Exception):
    pass


class Later(Exception):
    pass


rules = Rules("acme")


@rules("acme.Spent")
def spent(failure):
    """The month's quota is used up."""
    return ToolQuotaError("Used up.")


@rules("acme.Spent", "acme.A", "acme.B", "acme.C", "acme.D")
def clumsy(failure):
    """Trips."""
    return 1 / 0


@rules("acme.Later")
def later(failure):
    """It says when to come back, not what it has done."""
    return ToolUnavailableError("Later.", retry_after=3)


@rules()
def odd(failure):
    """Anything odd."""
    return ToolUnavailableError("Odd.")


classify = rules.hookimpl()
'''


@pytest.fixture(autouse=True)
def house(tmp_path, monkeypatch):
    """A folder with modules to name; what importing them changes is put back."""
    for name, text in {"shop": SHOP, "plainly": PLAIN, "quotas": PLUGIN, "acme": ACME}.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.delenv("MULLIGAN_LOG", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(sys.modules[name].__file__):
            del sys.modules[name]


@pytest.fixture
def cli(capsys):
    """Runs a command; gives exit code, stdout and stderr."""

    def run(*words):
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_call_prints_what_the_model_reads(cli):
    assert cli("call", "--tools", "shop", "find_shoe", '{"size": 42}') == (0, "a red shoe, size 42\n", "")


def test_call_runs_an_async_tool(cli):
    assert cli("call", "--tools", "shop:later", "later", '{"text": "hello"}') == (0, "hello\n", "")


def test_call_without_arguments_means_none(cli):
    code, out, _ = cli("call", "--tools", "shop", "find_shoe", "--log", "off")
    assert code == 1
    assert "/size" in out


def test_call_that_fails_prints_the_feedback_and_exits_with_1(cli):
    code, out, err = cli("call", "--tools", "shop", "find_shoe", '{"size": "big"}', "--log", "off")
    assert (code, err) == (1, "")
    assert out.startswith("Error executing tool find_shoe: Invalid arguments")
    assert '- /size: wrong type; expected integer; got "big".' in out


def test_call_of_an_unknown_tool_is_answered_as_a_models_would_be(cli):
    code, out, _ = cli("call", "--tools", "shop", "findShoe")
    assert code == 1
    assert out.startswith("Error: Tool 'findShoe' not found.")
    assert '"find_shoe"' in out


def test_call_with_a_fatal_failure_exits_with_3_and_logs_it(cli):
    code, out, err = cli("call", "--tools", "shop", "pay", '{"amount": 1}')
    assert code == 3
    assert out.startswith("Error executing tool pay: The service rejected the credentials (HTTP 401).")
    assert "ERROR   pay failed after " in err
    assert " s: ToolAuthenticationError" in err
    assert "Traceback" not in out


def test_call_as_json_is_the_whole_result(cli):
    code, out, _ = cli("call", "--tools", "shop", "pay", '{"amount": 1}', "--json", "--log", "off")
    told = json.loads(out)
    assert code == 3
    assert (told["is_error"], told["fatal"], told["error"]["type"]) == (True, True, "ToolAuthenticationError")


def test_call_in_another_format(cli):
    _, out, _ = cli("call", "--tools", "shop", "nope", "--format", "block", "--log", "off")
    assert out.startswith("Tool Execution Result:\nTool Name: nope\nStatus: FAILED\n")


def test_call_reads_arguments_from_stdin(cli, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"size": 1, "colour": "blue"}\n')))
    assert cli("call", "--tools", "shop", "find_shoe", "-") == (0, "a blue shoe, size 1\n", "")


def test_call_refuses_half_a_character(cli):
    told = "mulligan: JSON: contains a lone surrogate; write the whole character, or a JSON escape\n"
    assert cli("call", "--tools", "shop", "find_shoe", '{"colour": "\ud800"}') == (2, "", told)


@pytest.mark.parametrize("spec", ["shop", "shop:everything", "shop:find_shoe", "shop.py", "./shop.py:everything"])
def test_tools_are_found(cli, spec):
    assert cli("call", "--tools", spec, "find_shoe", '{"size": 4}')[0] == 0


@pytest.mark.parametrize("spec", ["shop:some", "shop:plain", "shop:pipeline"])
def test_functions_lists_and_pipelines_hold_tools(cli, spec):
    assert cli("call", "--tools", spec, "plain", '{"word": "hi"}')[1] == "HI\n"


def test_a_mapping_holds_tools(cli):
    assert cli("call", "--tools", "shop:named", "pay", "{}", "--log", "off")[0] == 1


def test_a_module_without_tools_offers_its_own_public_functions(cli):
    _, out, _ = cli("schema", "--tools", "plainly")
    assert [entry["function"]["name"] for entry in json.loads(out)] == ["shout"]


def test_a_module_without_name_offers_each_of_its_tools_once(cli):
    _, out, _ = cli("schema", "--tools", "shop.py", "--dialect", "anthropic")
    assert [entry["name"] for entry in json.loads(out)] == ["find_shoe", "pay", "later"]


def test_a_file_is_not_mixed_up_with_a_module_of_the_same_name(cli, house):
    (house / "json.py").write_text(PLAIN)
    assert cli("call", "--tools", "json.py", "shout", '{"word": "x"}') == (0, "X\n", "")
    assert json.loads("1") == 1


def test_schema_shows_what_the_model_is_shown(cli):
    code, out, err = cli("schema", "--tools", "shop:find_shoe")
    assert (code, err) == (0, "")
    assert json.loads(out) == [
        {
            "type": "function",
            "function": {
                "name": "find_shoe",
                "description": "Find a shoe.",
                "parameters": {
                    "type": "object",
                    "properties": {"size": {"type": "integer"}, "colour": {"type": "string", "default": "red"}},
                    "required": ["size"],
                    "additionalProperties": False,
                },
            },
        }
    ]


MISTAKES = {
    "call --tools nope x": "--tools nope: no module named 'nope'; name an importable module or a .py file",
    "call --tools shop.nope x": "--tools shop.nope: no module named 'shop.nope'",
    "call --tools nope.py x": "--tools nope.py: no such file",
    "call --tools shop:nope x": "--tools shop:nope: shop has no 'nope'; it has find_shoe, pay, later, plain, everything, some, pipeline, impatient",
    "call --tools . x": "--tools .: not a module name; name an importable module or a .py file",
    "call --tools ./shop x": "--tools ./shop: not a module name; name an importable module",
    "call --tools= x": "--tools '': not a module name; name an importable module or a .py file",
    "call --tools shop:number.nope x": "--tools shop:number.nope: shop has no 'number.nope'; it has no such names",
    "call --tools math:sin x": "--tools math:sin: sin: it is not written in Python",
    "call --tools json x": "--tools json: none of its functions can be a tool: dump: the parameter 'obj' has no annotation.",
    "plugins -p quotas:nope": "-p quotas:nope: quotas has no 'nope'; it has Short, Quota, feedback_formats, quota",
    "call --tools shop:number x": "--tools shop:number: expected a tool, a toolset, a list of tools or a function, not int",
    "call --tools math x": "--tools math: the module has no tools; define a function, or write MODULE:NAME",
    "call --tools shop x --format loud": "loud",
    "call --tools shop x --log loud": "--log loud: unknown level; use info, success, warning, error, off",
    "call --tools shop x --nope": "call: unknown option '--nope'. Available: --tools, --format, --json, --plugin, --log, --help. See mulligan call --help",
    "call --tools shop x {} --nope": "call: unknown option '--nope'. Available: ",
    "call --tool shop x": "call: unknown option '--tool'. Did you mean '--tools'? See mulligan call --help",
    "call --tools shop x {} extra": "call: unexpected argument 'extra'; quote values that contain spaces. See mulligan call --help",
    "call --tools shop x {} two words": "call: unexpected arguments 'two', 'words'; quote values that contain spaces",
    "call --tools shop --tools shop x": "call: --tools is repeated. See mulligan call --help",
    "call --tools shop x --json=7": "call: --json takes no value; remove '7'. See mulligan call --help",
    "schema --tools": "schema: --tools requires a value. See mulligan schema --help",
    "call --tools shop x --log": "--log requires a value. See mulligan --help",
    "new theme acme": "new: KIND must be one of classifier, format, dialect, executor, repairer, not 'theme'. See mulligan new --help",
    "new": "new: KIND is missing. See mulligan new --help",
    "--nope": "unknown option '--nope'. Name a command first. See mulligan --help",
    "frobnicate": "unknown command 'frobnicate'. Available: demo, call, run, plugins, doctor, explain, schema, new. See mulligan --help",
    "call --tools shop x -p nope": "-p nope: no module named 'nope'",
    "call --tools shop x -p shop": "plugin 'shop' has no hookimpl",
    "call --tools shop x -p no:nope": "-p no:nope: unknown plugin 'nope'. Available: classify, detect,",
    "call --tools shop": "call: TOOL is missing. See mulligan call --help",
    "call x": "call: --tools is missing. See mulligan call --help",
    "run chat.jsonl": "run: --tools is missing. See mulligan run --help",
    "cal": "unknown command 'cal'. Did you mean 'call'? See mulligan --help",
    "schema --tools shop --dialect latin": "--dialect: unknown dialect 'latin'. Available: ai-sdk, anthropic, gemini, mcp, openai",
    "schema --tools shop --dialect opnai": "--dialect: unknown dialect 'opnai'. Did you mean 'openai'?",
    "call --tools shop x --format jsn": "--format: unknown feedback format 'jsn'. Did you mean 'json'?",
    "explain ValueError --format poem": "--format: unknown feedback format 'poem'. Available: block, json, text",
    "plugins -p no:classfy": "-p no:classfy: unknown plugin 'classfy'. Did you mean 'classify'?",
    "explain shop:number": "explain shop:number: number is not an exception class; to explain it as text, add --text",
    "explain shop:Nope": "explain shop:Nope: shop has no 'Nope'; it has KeyExpired, Slow, Picky; to explain it as text, add --text",
    "explain nope:Nope": "explain nope: no module named 'nope'; name an importable module or a .py file; to explain it as text, add --text",
    "explain shop:Slow(open('x'))": "the arguments must be Python literals, as in ValueError('text', 1)",
    "explain shop:Slow(1)(2)": "the arguments must be Python literals",
    "explain shop:Picky('a')": "cannot create the exception with these arguments: TypeError",
    "explain KeyboardInterrupt": "explain KeyboardInterrupt: this exception is never classified: the host receives it",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_one_line_on_stderr_and_exits_with_2(cli, line):
    code, out, err = cli(*line.split())
    assert (code, out) == (2, "")
    assert err.startswith("mulligan: ")
    assert err.count("\n") == 1
    assert MISTAKES[line] in err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import nothing_of_that_name\n", "ModuleNotFoundError: No module named 'nothing_of_that_name'"),
        ("\n\n1 / 0\n", "ZeroDivisionError: division by zero"),
        ("def f(:\n", "SyntaxError: "),
        ("raise SystemExit(4)\n", "SystemExit: 4"),
    ],
)
def test_a_module_that_fails_at_import_is_named_with_its_line(cli, house, text, why):
    (house / "broken.py").write_text(text)
    for spec in ("broken", "broken.py"):
        code, _, err = cli("call", "--tools", spec, "x")
        assert code == 2
        assert err.startswith(f"mulligan: --tools {spec}: cannot import it: {why}")
        assert f"broken.py, line {text.count(chr(10))})" in err


@pytest.mark.parametrize("content", [b"\x00\x01\x02", b"\x89PNG\xff", b"a = '\xe9'\n"], ids=["null", "image", "latin"])
def test_a_file_that_is_no_text_is_told_so(cli, house, content):
    (house / "binary.py").write_bytes(content)
    code, _, err = cli("schema", "--tools", "binary.py")
    assert code == 2
    told = re.sub(r" \(.*, line 1\)", "", err)
    assert told == "mulligan: --tools binary.py: not Python source code; save the file as UTF-8 text\n"


VAGUE = "def vague(x): pass\n"


def test_a_function_that_cannot_be_a_tool_is_named(cli, house):
    (house / "vague.py").write_text(VAGUE)
    told = "vague: the parameter 'x' has no annotation. Annotate it, as in `x: str`.\n"
    code, _, err = cli("schema", "--tools", "vague.py")
    assert (code, err) == (2, f"mulligan: --tools vague.py: none of its functions can be a tool: {told}")
    code, _, err = cli("schema", "--tools", "vague:vague")
    assert (code, err) == (2, f"mulligan: --tools vague:vague: {told}")


def test_a_helper_that_cannot_be_a_tool_is_left_out_and_told(cli, house):
    good = "def double(x: int) -> int:\n    'Double.'\n    return 2 * x\n\ntwice = double\n"
    (house / "vague.py").write_text(VAGUE + good)
    assert cli("call", "--tools", "vague.py", "double", '{"x": 2}') == (
        0,
        "4\n",
        (
            "mulligan: --tools vague.py: skipped vague: the parameter 'x' has no annotation. "
            "Annotate it, as in `x: str`.\n"
        ),
    )
    (house / "vaguer.py").write_text("".join(VAGUE.replace("vague", f"vague{number}") for number in range(5)) + good)
    err = cli("schema", "--tools", "vaguer.py")[2].splitlines()
    assert len(err) == 4
    assert err[3] == "mulligan: --tools vaguer.py: skipped 2 more functions that cannot be tools"


def test_common_options_may_stand_before_the_command(cli):
    assert cli("--log", "off", "call", "--tools", "shop", "nope")[2] == ""


def test_the_environment_turns_logging_on_once(cli, monkeypatch):
    monkeypatch.setenv("MULLIGAN_LOG", "1")
    _, _, err = cli("call", "--tools", "shop", "find_shoe", '{"size": 4}')
    [line] = err.splitlines()
    assert " SUCCESS find_shoe ended after " in line
    assert line.endswith('inputs: {"size":4}') or line.endswith('inputs: {"size": 4}')


def test_the_option_counts_more_than_the_environment(cli, monkeypatch):
    monkeypatch.setenv("MULLIGAN_LOG", "INFO")
    assert cli("call", "--tools", "shop", "find_shoe", '{"size": 4}', "--log", "error")[2] == ""


def test_ctrl_c_is_one_line_and_exits_with_130(cli):
    assert cli("call", "--tools", "shop:impatient", "impatient") == (130, "", "mulligan: interrupted\n")


@pytest.mark.parametrize("spec", ["hasty", "hasty.py"])
def test_ctrl_c_while_a_module_is_imported(cli, house, spec):
    (house / "hasty.py").write_text("raise KeyboardInterrupt\n")
    assert cli("schema", "--tools", spec) == (130, "", "mulligan: interrupted\n")


def test_without_the_extra_it_says_what_to_install(cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "cyclopts", None)
    monkeypatch.delitem(sys.modules, "mulligan.cli.app")
    assert cli("demo") == (2, "", "The command line requires extra packages: pip install 'mulligan[cli]'\n")


def test_an_installed_plugin_that_is_not_loaded_by_itself(cli, house, monkeypatch):
    info = house / "mulligan_ada-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mulligan-ada\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[mulligan]\nada = quotas:quota\nbad = bad\nhasty = hasty\n")
    (house / "bad.py").write_text("1 / 0\n")
    (house / "hasty.py").write_text("raise KeyboardInterrupt\n")
    monkeypatch.syspath_prepend(str(house))
    monkeypatch.setenv("MULLIGAN_DISABLE_PLUGIN_AUTOLOAD", "1")
    assert "ToolExecutionError" in cli("explain", "ValueError('tokens')")[1]
    assert "ToolQuotaError" in cli("explain", "ValueError('tokens')", "-p", "ada")[1]
    code, _, err = cli("plugins", "-p", "bad")
    assert code == 2
    assert err.startswith("mulligan: -p bad: cannot import it: ZeroDivisionError: division by zero (")
    assert cli("plugins", "-p", "hasty")[0] == 130
    monkeypatch.delenv("MULLIGAN_DISABLE_PLUGIN_AUTOLOAD")
    code, out, _ = cli("plugins", "-p", "no:hasty")
    assert code == 0
    assert "\nbad: plugin 'bad' failed at import (ZeroDivisionError: division by zero)" in out


def test_help_lists_commands_options_and_exit_codes(cli):
    code, out, _ = cli("--help")
    assert code == 0
    for word in ("demo", "call", "run", "plugins", "explain", "schema", "--plugin, -p", "--log", "Exit codes: 0"):
        assert word in out
    assert cli()[1] == out
    assert "--format" in cli("call", "--help")[1]


@pytest.mark.parametrize("command", ["", "demo", "call", "run", "plugins", "doctor", "explain", "schema", "new"])
def test_a_help_page_is_tidy(cli, command):
    out = cli(*command.split(), "--help")[1]
    assert "\n\n\n" not in out
    assert [line for line in out.splitlines() if line != line.rstrip() or len(line) > 100] == []
    assert out.endswith("130 interrupted, 141 the\nreader of the output closed the pipe.\n")
    entries = out.partition("Common options:\n")[0].partition(":\n")[2]
    assert [line for line in entries.splitlines() if line and line[0] != " " and not line.endswith(":")] == []


def test_help_names_the_arguments_as_its_usage_does(cli):
    call, explain = cli("call", "--help")[1], cli("explain", "--help")[1]
    assert call.startswith("Usage: mulligan call --tools MODULE[:NAME] [--format FORMAT] [--json] TOOL [JSON]\n")
    assert "\n  JSON: the arguments as JSON text, or - to read it from stdin. [default: {}]\n" in call
    assert " [--format FORMAT] [--text] [--json] [FAILURE]\n" in explain.replace("\n    ", " ")
    assert "\n  FAILURE: an exception, or a text;" in explain


def test_version(cli):
    import mulligan

    assert cli("--version") == (0, f"{mulligan.__version__}\n", "")


def test_plugins_lists_names_states_and_hooks(cli):
    code, out, _ = cli("plugins", "-p", "quotas", "-p", "quotas:Quota", "-p", "no:detect")
    lines = {line.split()[0]: line.split() for line in out.splitlines()}
    assert code == 0
    assert lines["name"] == ["name", "state", "from", "rules", "hooks"]
    assert lines["classify"] == ["classify", "active", "built", "in", str(len(built_in.listed)), "classify"]
    assert lines["detect"] == ["detect", "blocked", "built", "in", "-", "-"]
    assert lines["quotas"] == ["quotas", "active", "-p", "-", "feedback_formats"]
    assert lines["Quota"] == ["Quota", "active", "-p", "-", "classify"]


def test_plugins_lists_the_rules(cli):
    _, out, _ = cli("plugins", "--rules", "-p", "acme")
    acme = out.partition("\nacme: 4 rules\n")[2]
    assert [line.split() for line in acme.splitlines() if line] == [
        ["rule", "about", "classes"],
        ["spent", "The", "month's", "quota", "is", "used", "up.", "acme.Spent"],
        ["clumsy", "Trips.", "acme.Spent,", "acme.A,", "acme.B", "and", "2", "more"],
        [*"later It says when to come back, not what it has done. acme.Later".split()],
        ["odd", "Anything", "odd.", "everything"],
    ]
    assert f"\nclassify: {len(built_in.listed)} rules\n" in out


def test_plugins_tells_rules_as_json(cli):
    def acme(*options):
        plugins = json.loads(cli("plugins", "--json", "-p", "acme", *options)[1])["plugins"]
        return next(plugin["rules"] for plugin in plugins if plugin["name"] == "acme")

    assert acme() == 4
    assert acme("--rules")[0] == {
        "name": "spent",
        "about": "The month's quota is used up.",
        "classes": ["acme.Spent"],
        "returned": False,
    }


def test_plugins_and_explain_tell_rules_about_returned_values(cli, house):
    (house / "frozen.py").write_text(
        """from mulligan.plugin import Rules, ToolQuotaError

rules = Rules("frozen")


@rules.returned
def frozen(failure):
    \"\"\"A workspace that is frozen.\"\"\"
    return ToolQuotaError("Frozen.") if failure.value.get("error") == "workspace_frozen" else None


classify = rules.hookimpl()
""",
        encoding="utf-8",
    )
    out = cli("plugins", "--rules", "-p", "frozen")[1]
    assert "frozen A workspace that is frozen. returned values" in re.sub(r" +", " ", out)
    out = cli("explain", "-p", "frozen", "--value", '{"ok": false, "error": "workspace_frozen"}')[1]
    assert "decided by   plugin frozen, rule frozen" in out
    out = re.sub(r" +", " ", cli("explain", "-p", "frozen", "ValueError('x')")[1])
    assert "frozen 1 for other failures" in out
    assert cli("doctor", "-p", "frozen")[0] == 0


def test_plugins_as_json(cli):
    told = json.loads(cli("plugins", "--json")[1])
    assert told["faults"] == []
    assert {"name": "resolve", "state": "active", "built_in": True}.items() <= told["plugins"][0].items()


def test_a_plugin_of_the_command_line_is_used(cli):
    _, out, _ = cli("call", "--tools", "shop", "nope", "-p", "quotas.py", "--format", "short", "--log", "off")
    assert out == "UNIMPLEMENTED\n"


def test_explain_an_exception(cli):
    code, out, err = cli("explain", 'FileNotFoundError("notes/a.txt")')
    assert (code, err) == (0, "")
    rules = out.partition("Rules:\n\n")[2].partition("The model reads:")[0]
    assert rules.startswith("plugin    rules\nclassify  decided: missing; abstains: os_error, ")
    assert re.search(r";\s+\d+ for other\s+failures\n\n$", rules)
    assert out.replace(f"Rules:\n\n{rules}", "") == textwrap.dedent("""\
        read as      FileNotFoundError, raised by a tool
        error        ResourceNotFoundError (NOT_FOUND)
        decided by   plugin classify, rule missing
        fatal        no: the model may continue
        effect       possible: may have been applied
        next step    check the name, then call the_tool again with one that exists. Do not repeat this call.
        user reads   The assistant requested something that was not found.

        The model reads:

        Error executing tool the_tool: Resource not found: notes/a.txt
        Next: check the name, then call the_tool again with one that exists. Do not repeat this call.
        """)


def test_explain_tells_who_stops_the_run(cli):
    _, out, _ = cli("explain", "shop:KeyExpired")
    assert "fatal        yes: the run must stop\n" in out
    step = "answer the user in words, without a tool call: say what failed and what is needed."
    assert f"next step    {step}\n" in out
    assert out.endswith(f"Next: {step}\n")


@pytest.mark.parametrize(
    "words",
    [
        ("shop:Slow('wait')",),
        ("TimeoutError",),
        ("TimeoutError", "--tools", "shop", "--tool", "find_shoe"),
        ("acme:Later", "-p", "acme"),
        ("IsADirectoryError('a')",),
        ("FileNotFoundError",),
        ("Unknown tool: nothing",),
    ],
)
def test_explain_tells_the_step_that_the_model_reads(cli, words):
    table, _, read = cli("explain", *words)[1].partition("The model reads:\n")
    (step,) = re.findall(r"^next step    (.+)$", table, re.MULTILINE)
    assert f"\nNext: {step}\n" in read


def test_explain_names_the_plugin_that_decides(cli):
    _, out, _ = cli("explain", "ValueError('no tokens')", "-p", "quotas:quota")
    assert "decided by   plugin Quota, rule tokens\n" in out
    assert "error        ToolQuotaError (RESOURCE_EXHAUSTED)\n" in out


def test_explain_tells_why_other_rules_did_not_decide(cli):
    _, out, _ = cli("explain", "acme:Spent", "-p", "acme")
    acme = " ".join(out.partition("\nacme ")[2].partition("\n\n")[0].split())
    assert acme == (
        "decided: spent; failed: clumsy (ZeroDivisionError); also matches: odd (ToolUnavailableError); 1 for other failures"
    )
    told = json.loads(cli("explain", "ValueError('x')", "-p", "acme", "--json")[1])["rules"]
    assert [(one["rule"], one["answer"], one["says"]) for one in told if one["plugin"] == "acme"] == [
        ("spent", "other failures", None),
        ("clumsy", "other failures", None),
        ("later", "other failures", None),
        ("odd", "decided", "ToolUnavailableError"),
    ]


NAMESAKES = """
from mulligan.plugin import Rules, ToolExecutionError, ToolQuotaError

first, second, third, fourth = Rules(), Rules(), Rules(), Rules()


def add(rules, cls, error):
    @rules(cls)
    def connection(failure):
        return error and error("Ended.")


add(first, "acme.Other", ToolExecutionError)
add(second, "acme.Spent", None)
add(third, "acme.Spent", ToolQuotaError)
add(fourth, "acme.Spent", ToolExecutionError)
add(fourth, "acme.Spent", ToolExecutionError)
rules = Rules("acme")
rules.include(first, second, third, fourth)
classify = rules.hookimpl()
"""


def test_explain_shows_which_of_the_rules_of_one_name_decided(cli, house):
    (house / "namesakes.py").write_text(NAMESAKES)
    told = json.loads(cli("explain", "acme:Spent", "-p", "namesakes.py", "--json")[1])["rules"]
    assert [(one["answer"], one["says"]) for one in told if one["plugin"] == "namesakes"] == [
        ("other failures", None),
        ("abstains", None),
        ("decided", "ToolQuotaError"),
        ("also matches", "ToolExecutionError"),
        ("also matches", "ToolExecutionError"),
    ]
    _, out, _ = cli("explain", "acme:Spent", "-p", "namesakes.py")
    line = " ".join(out.partition("\nRules:\n")[2].partition("\nnamesakes ")[2].partition("\n\n")[0].split())
    assert line == (
        "decided: connection; also matches: connection (ToolExecutionError); abstains: connection; 1 for other failures"
    )


def test_explain_names_no_rules_where_none_was_asked(cli):
    assert "\nRules:\n" not in cli("explain", "Unknown tool: findShoe", "--tools", "shop")[1]
    assert "\nRules:\n" in cli("explain", "Read timed out")[1]


def test_explain_a_text_of_another_runtime(cli):
    _, out, _ = cli("explain", "Unknown tool: findShoe", "--tools", "shop")
    assert out.startswith("read as      a failure that another runtime reported as text (Pipeline.recover)\n")
    assert "decided by   mulligan itself, rule unknown-name\n" in out
    assert '"find_shoe"' in out


@pytest.mark.parametrize(
    ("failure", "advice"),
    [
        ("ValueErr('x')", "Did you mean 'ValueError'?"),
        ("KeyErro(1, 2)", "Did you mean 'KeyError'?"),
        ("timeouterror()", "Did you mean 'TimeoutError'?"),
        ("OSEror", "Did you mean 'OSError'?"),
        ("QuotaExceeded('x', left=3)", "For the class of a library, write MODULE:QuotaExceeded"),
        ("json.JSONDecodeErr('x', 'y', 1)", "write json:JSONDecodeErr"),
        ("json.decoder.JSONDecodeErr('x', 'y', 1)", "write json.decoder:JSONDecodeErr"),
        ("shop.Slow('x')", "write shop:Slow"),
    ],
)
def test_explain_says_that_a_class_does_not_exist(cli, failure, advice):
    code, out, err = cli("explain", failure)
    assert (code, out) == (2, "")
    assert err.startswith(f"mulligan: explain {failure}: no built-in exception is named ")
    assert advice in err
    assert "add --text" in err
    assert cli("explain", failure, "--text")[0] == 0


@pytest.mark.parametrize("failure", ["", "  ", "\n"])
def test_explain_says_that_there_is_nothing_to_explain(cli, failure):
    code, out, err = cli("explain", failure)
    assert (code, out) == (2, "")
    assert "no failure; write an exception or a text. To explain it as text, add --text\n" in err
    assert err.count("\n") == 1
    assert cli("explain", failure, "--text")[0] == 0


@pytest.mark.parametrize(
    "failure", ['ValueError("x"', "KeyError(1, (2, 3)", "shop:Slow('x'", "OSError(2, 'no", "TimeoutError("]
)
def test_explain_says_that_a_parenthesis_is_missing(cli, failure):
    code, out, err = cli("explain", failure)
    assert (code, out) == (2, "")
    assert err == (
        f"mulligan: explain {failure}: the closing parenthesis is missing. To explain it as text, add --text\n"
    )
    assert cli("explain", failure, "--text")[0] == 0


def test_explain_names_a_close_class_although_a_parenthesis_is_missing(cli):
    assert "Did you mean 'KeyError'?" in cli("explain", "KeyEror('x'")[2]
    assert "write MODULE:Quota" in cli("explain", "Quota('x'")[2]


def test_a_parenthesis_in_a_literal_is_none(cli):
    for failure in ("ValueError('a :(')", 'ValueError("(", ")(")'):
        assert cli("explain", failure)[1].startswith("read as      ValueError, raised by a tool\n")


@pytest.mark.parametrize(
    "text",
    [
        *("Forbidden", "exit(1)", "Timeout", "failed(path)", "f('x')", "acme.Error: no (really)"),
        *("exit(1", "failed(path", "ValueError('x') was raised", "TimeoutError(can't connect) again", "no (really"),
    ],
)
def test_explain_still_reads_a_text_as_a_text(cli, text):
    code, out, _ = cli("explain", text)
    assert code == 0
    assert out.splitlines()[0].endswith("text (Pipeline.recover)")


def test_explain_takes_a_name_as_text_when_asked_to(cli):
    assert "read as      a failure that another" in cli("explain", "TimeoutError", "--text")[1]
    assert "read as      a failure that another" in cli("explain", "Timeout")[1]


def test_explain_takes_no_class_name_for_what_was_denied(cli):
    said = "acme.exceptions.Forbidden: permission denied, on get http://127.0.0.1:8200/v1/secret"
    _, out, _ = cli("explain", said)
    assert "ToolPermissionError" in out
    assert "acme.exceptions.Forbidden" not in out.partition("The model reads:\n")[2].partition("<<<")[0]


def test_explain_words_it_for_the_tool_that_is_named(cli):
    careful = cli("explain", "ValueError('x')", "--tool", "pay", "--tools", "shop")[1]
    harmless = cli("explain", "ValueError('x')", "--tool", "find_shoe", "--tools", "shop")[1]
    assert "Error executing tool pay: " in careful
    assert "before you know whether it took effect" in careful
    assert "before you know whether it took effect" not in harmless


def test_explain_as_json(cli):
    told = json.loads(cli("explain", "shop:KeyExpired('x')", "--json")[1])
    assert told["read_as"] == "shop.KeyExpired, raised by a tool"
    assert told["error"]["rule"] == "classify:http_status"
    assert [one["rule"] for one in told["rules"] if one["answer"] == "decided"] == ["http_status"]
    assert told["content"].startswith("Error executing tool the_tool: ")


@pytest.mark.parametrize("options", [(), ("--json",)])
@pytest.mark.parametrize(
    "words",
    [
        ("ValueError('wrong pin swordfish')",),
        ("shop:KeyExpired('swordfish')",),
        ("--value", '{"ok": false, "error": "invalid_auth", "sent": ["swordfish"]}'),
        ("--value", "Error: no account has the pin swordfish"),
    ],
)
def test_explain_shows_no_secret_argument(cli, house, words, options):
    (house / "bank.py").write_text(
        "from mulligan import tool\n\n\n@tool(secret='pin')\ndef open_account(pin: str) -> str:\n    'Open.'\n    return pin\n"
    )
    about = ("--tools", "bank", "--tool", "open_account", "--arguments", '{"pin": "swordfish"}')
    code, out, err = cli("explain", *words, *about, *options)
    assert (code, err) == (0, "")
    assert "swordfish" not in out
    assert "open_account" in out


@pytest.mark.parametrize("options", [(), ("--json",), ("--text",), ("--json", "--text")])
@pytest.mark.parametrize("failure", ["ValueError('bad token {}')", "nope:Nope('{}')", "401 for https://ada:{}@h/x"])
def test_explain_shows_no_secret(cli, options, failure):
    secret = "ghp_" + "Zz9Yy8Xx7W" * 4
    assert secret not in "".join(map(str, cli("explain", *options, failure.format(secret))))
