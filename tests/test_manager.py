"""Plugins: found among what is installed, loaded in isolation, guarded, set aside; and given in code, where they must be right."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from installed import HINTING

from mulligan import Dialect, FeedbackFormat, Pipeline, Tool, ToolCall, errors
from mulligan.hooks.manager import FAULTS_ALLOWED, HOOKS, PluginManager
from mulligan.plugin import DeadlineExceeded, hookimpl
from mulligan.testing.tools import echo

BUILT_IN = ["resolve", "validate", "execute", "detect", "classify", "formats", "dialects", "logging"]


def states(pipeline: Pipeline) -> dict[str, str]:
    return {info.name: info.state for info in pipeline.plugins if not info.built_in}


def hints(pipeline: Pipeline) -> tuple[str, ...]:
    return pipeline.call("nope").feedback.hints


# --- discovery


def test_an_installed_plugin_registers_itself(site, loaded):
    site.install("mulligan-acme", version="3.4")
    pipeline = loaded()
    info = pipeline.plugins[-1]
    assert (info.name, info.state, info.hooks) == ("mulligan-acme", "active", ("hints",))
    assert (info.distribution, info.version, info.built_in, info.error) == ("mulligan-acme", "3.4", False, None)
    assert info.load_seconds > 0
    assert hints(pipeline) == ("from mulligan-acme",)
    assert pipeline.faults == ()


def test_the_built_in_ones_are_named_too(make_pipeline):
    infos = make_pipeline().plugins
    assert [info.name for info in infos] == BUILT_IN
    assert all(info.built_in and info.state == "active" and info.hooks for info in infos)
    assert {hook for info in infos for hook in info.hooks} < set(HOOKS)


def test_entry_points_are_sorted_by_name_and_the_last_is_asked_first(site, loaded):
    for name in ("bb", "aa", "cc"):
        site.install(name)
    pipeline = loaded()
    assert [info.name for info in pipeline.plugins[len(BUILT_IN) :]] == ["aa", "bb", "cc"]
    assert hints(pipeline) == ("from cc", "from bb", "from aa")


def test_plugins_in_code_are_asked_before_installed_ones(site, loaded, plugin):
    site.install("zz")
    assert hints(loaded(plugins=[plugin("mine", hints=lambda: ["mine"])])) == ("mine", "from zz")


def test_several_entry_points_of_one_distribution(site, loaded):
    code = """
        from mulligan.plugin import hookimpl

        class Plugin:
            def __init__(self, word):
                self.word = word

            @hookimpl
            def hints(self):
                return [self.word]

        one, two = Plugin("one"), Plugin("two")
    """
    site.install("pair", code, points={"pair.one": "pair:one", "pair.two": "pair:two"})
    pipeline = loaded()
    assert states(pipeline) == {"pair.one": "active", "pair.two": "active"}
    assert hints(pipeline) == ("two", "one")


def test_the_same_plugin_installed_and_given_counts_once(site, loaded):
    site.install("acme")
    loaded()
    pipeline = loaded(plugins=[sys.modules["acme"]])
    assert hints(pipeline) == ("from acme",)
    assert states(pipeline) == {"acme": "active"}
    assert pipeline.faults == ()


BAD = {
    "import error": ("import nothing_of_that_name", None, "ModuleNotFoundError", "reinstall, update or block it"),
    "syntax error": ("def (", None, "SyntaxError", "reinstall, update or block it"),
    "any error": ("raise ValueError('at import')", None, "ValueError: at import", "reinstall, update or block it"),
    "sys.exit": ("import sys\nsys.exit(3)", None, "SystemExit: 3", "reinstall, update or block it"),
    "generator exit": ("raise GeneratorExit", None, "GeneratorExit", "block it"),
    "cancelled": ("import asyncio\nraise asyncio.CancelledError", None, "CancelledError", "block it"),
    "group": ("raise BaseExceptionGroup('g', [SystemExit()])", None, "BaseExceptionGroup", "block it"),
    "recursion": ("def f(): f()\nf()", None, "RecursionError", "block it"),
    "unreadable error": ("class E(Exception):\n    def __str__(self): raise KeyError\nraise E", None, "E", "block it"),
    "no such attribute": ("x = 1", "bad:y", "AttributeError", "block it"),
    "no such module": ("x = 1", "worse:y", "ModuleNotFoundError", "block it"),
    "bad reference": ("x = 1", "???", "Error", "block it"),
    "no hookimpl": ("def hints(): return []", None, "has no hookimpl", "@hookimpl from mulligan.plugin"),
    "unknown hook": (
        "from mulligan.plugin import hookimpl\n@hookimpl\ndef hint(error): ...",
        None,
        "unknown hook 'hint'",
        "Did you mean 'hints'?",
    ),
    "hook of nowhere": (
        "from mulligan.plugin import hookimpl\n@hookimpl\ndef xyzzy(): ...",
        None,
        "unknown hook 'xyzzy'",
        "Available: resolve, validate",
    ),
    "wrong argument": (
        "from mulligan.plugin import hookimpl\n@hookimpl\ndef hints(error, tool): ...",
        None,
        "'tool'",
        "use only the hook's parameters",
    ),
    "async": (
        "from mulligan.plugin import hookimpl\n@hookimpl\nasync def hints(error): ...",
        None,
        "'hints' is `async def`",
        "move waiting code to a tool, an executor, a repairer or a middleware",
    ),
    "async generator": (
        "from mulligan.plugin import hookimpl\n@hookimpl\nasync def hints(error):\n    yield 1",
        None,
        "`async def`",
        "never awaited",
    ),
    "wrapper that does not yield": (
        "from mulligan.plugin import hookimpl\n@hookimpl(wrapper=True)\ndef hints(error): ...",
        None,
        "hints",
        "plugin 'bad'",
    ),
    "class": (
        "from mulligan.plugin import hookimpl\nclass P:\n    @hookimpl\n    def hints(self): ...",
        "bad:P",
        "is a class",
        "pass an instance, P()",
    ),
    "None": ("x = None", "bad:x", "has no hookimpl", "@hookimpl"),
    "text": ("x = 'hints'", "bad:x", "has no hookimpl", "@hookimpl"),
    "list": ("x = [1]", "bad:x", "has no hookimpl", "@hookimpl"),
    "raising dir": ("class P:\n    def __dir__(self): raise KeyError('dir')\nx = P()", "bad:x", "KeyError", "bad"),
    "raising attributes": (
        "class P:\n    def __getattr__(self, name): raise KeyError(name)\nx = P()",
        "bad:x",
        "bad",
        "",
    ),
    "future hook": (
        "from mulligan.plugin import hookimpl\n@hookimpl\ndef hints(error): return 3 / 0\n@hookimpl\ndef nope(): ...",
        None,
        "unknown hook 'nope'",
        "Available: ",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_plugin_is_a_fault_and_stops_nobody_else(site, loaded, run, kind):
    code, value, what, next_step = BAD[kind]
    site.install("bad", code, points={"bad": value or "bad"}, version="0.9")
    site.install("good")
    pipeline = loaded()
    assert states(pipeline) == {"bad": "failed", "good": "active"}
    info = next(info for info in pipeline.plugins if info.name == "bad")
    assert (info.distribution, info.version) == ("bad", "0.9")
    [fault] = pipeline.faults
    assert (fault.plugin, fault.hook, fault.distribution) == ("bad", "load", "bad")
    assert info.error == fault.error
    for text in ("plugin 'bad'", what, next_step):
        assert text in fault.error
    assert len(fault.error) < 1_000
    assert run(pipeline, "nope").feedback.hints == ("from good",)


@pytest.mark.parametrize("kind", [kind for kind in BAD if kind not in ("raising attributes",)])
def test_in_strict_mode_a_bad_plugin_is_raised(site, loaded, kind):
    code, value, what, _ = BAD[kind]
    site.install("bad", code, points={"bad": value or "bad"})
    with pytest.raises(errors.PluginError) as caught:
        loaded(strict=True)
    assert "plugin 'bad', load: " in str(caught.value)
    assert what in str(caught.value)


def test_keyboard_interrupt_at_import_passes(site, loaded):
    site.install("bad", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        loaded()


def test_a_plugin_with_an_optional_hook_of_the_future_works(site, loaded):
    site.install("soon", HINTING + "\n    @hookimpl(optionalhook=True)\n    def of_the_future(): ...\n")
    pipeline = loaded()
    assert states(pipeline) == {"soon": "active"}
    assert hints(pipeline) == ("from soon",)


BROKEN_INSTALLS = {
    "no metadata": {"metadata": False},
    "not UTF-8": {"entry_points": b"[mulligan]\nbroken = \xff\xfe\n"},
    "a line without value": {"entry_points": b"[mulligan]\nbroken\n"},
    "an empty value": {"entry_points": b"[mulligan]\nbroken =\n"},
    "an empty name": {"entry_points": b"[mulligan]\n= broken\n"},
    "an unclosed section": {"entry_points": b"[mulligan\nbroken = broken\n"},
    "no section": {"entry_points": b"broken = broken\n"},
    "empty": {"entry_points": b""},
    "binary": {"entry_points": bytes(range(256))},
}


@pytest.mark.parametrize("kind", BROKEN_INSTALLS)
def test_a_broken_installation_stops_nobody_else(site, loaded, kind):
    site.install("broken", **BROKEN_INSTALLS[kind])
    site.install("good")
    pipeline = loaded()
    assert states(pipeline)["good"] == "active"
    assert "from good" in hints(pipeline)


NAMED_INSTALLS = {
    "no metadata": ("broken", "METADATA of broken cannot be read"),
    "not UTF-8": ("broken", "entry_points.txt of broken is not UTF-8; reinstall broken"),
    "a line without value": ("broken", "entry_points.txt of broken, line 2: 'broken' is not NAME = MODULE"),
    "an empty value": ("broken", "line 2: 'broken =' is not NAME = MODULE"),
    "an empty name": ("broken", "line 2: '= broken' is not NAME = MODULE"),
    "an unclosed section": ("broken", "line 1: '[mulligan' is not NAME = MODULE"),
    "binary": ("broken", "entry_points.txt of broken is not UTF-8; reinstall broken"),
}


@pytest.mark.parametrize("kind", NAMED_INSTALLS)
def test_a_broken_installation_is_a_fault_that_names_it(site, loaded, kind):
    site.install("broken", **BROKEN_INSTALLS[kind])
    name, problem = NAMED_INSTALLS[kind]
    found = [fault for fault in loaded().faults if problem in fault.error]
    assert [(fault.hook, fault.distribution) for fault in found] == [("load", "broken")]
    assert found[0].error.endswith(", or block it")


@pytest.mark.parametrize("file", ["entry_points.txt", "METADATA"])
def test_a_directory_in_place_of_a_file_is_a_fault(site, loaded, file):
    site.install("broken")
    path = site.folder / "broken-1.2.dist-info" / file
    path.unlink()
    path.mkdir()
    site.install("good")
    pipeline = loaded()
    assert [fault.distribution for fault in pipeline.faults if file in fault.error] == ["broken"]
    assert "from good" in hints(pipeline)


def test_a_bad_line_leaves_the_other_lines_of_its_file_alone(site, loaded):
    text = b"[other]\nno equals sign\n[mulligan]\nacme = acme\nthis is no entry\n[third]\nneither is this\n"
    site.install("acme", entry_points=text)
    pipeline = loaded()
    assert states(pipeline)["acme"] == "active"
    assert [fault.error for fault in pipeline.faults] == [
        (
            "plugin 'this is no entry': entry_points.txt of acme, line 5: 'this is no entry' is not NAME = MODULE; "
            "reinstall or update acme, or block it"
        )
    ]


def test_a_name_that_stands_twice_in_one_file_is_a_fault(site, loaded):
    site.install("acme", entry_points=b"[mulligan]\nacme = acme\nacme = acme:again\n")
    pipeline = loaded()
    assert states(pipeline) == {"acme": "active"}
    assert "'acme' of acme is taken by acme" in pipeline.faults[0].error


RULES = """
from mulligan.plugin import Rules, ToolQuotaError, hookimpl
limits = Rules("acme")
@limits("acme.Full")
def full(failure):
    return ToolQuotaError("Full.")
"""


def test_rules_without_a_hookimpl_get_the_line_that_is_missing(site, loaded):
    site.install("acme", RULES)
    [fault] = loaded().faults
    assert "plugin 'acme' never uses its rules: add `classify = limits.hookimpl()`" in fault.error


@pytest.mark.parametrize("bare", ["limits", "limits(ValueError)", "limits('acme.Full', 7)"])
def test_a_rule_that_names_no_class_as_text_is_refused_where_it_is_written(site, loaded, bare):
    site.install("acme", RULES.replace("limits('acme.Full')", bare).replace('limits("acme.Full")', bare))
    [fault] = loaded().faults
    assert "UsageError: " in fault.error
    assert "instead of a qualified name: write @rules() for a rule about every failure" in fault.error
    assert "@rules()" in fault.error


# --- blocking


def test_autoload_off_by_argument_and_environment(site, loaded, make_pipeline, monkeypatch):
    site.install("acme")
    assert states(make_pipeline(autoload=False)) == {}
    assert "acme" not in sys.modules
    monkeypatch.setenv("MULLIGAN_DISABLE_PLUGIN_AUTOLOAD", "1")
    assert states(loaded()) == {}
    monkeypatch.setenv("MULLIGAN_DISABLE_PLUGIN_AUTOLOAD", "0")
    assert states(loaded()) == {"acme": "active"}
    monkeypatch.setenv("MULLIGAN_DISABLE_PLUGIN_AUTOLOAD", "")
    assert states(loaded()) == {"acme": "active"}


@pytest.mark.parametrize("by", ["argument", "text", "environment"])
def test_a_blocked_plugin_is_not_even_imported(site, loaded, monkeypatch, by):
    site.install("bad", "raise ValueError")
    site.install("acme")
    site.install("other")
    if by == "environment":
        monkeypatch.setenv("MULLIGAN_BLOCK_PLUGINS", " bad, acme ,,")
    pipeline = loaded(block={"argument": ["bad", "acme"], "text": "bad", "environment": ()}[by])
    assert states(pipeline)["bad"] == "blocked"
    assert pipeline.faults == ()
    assert "bad" not in sys.modules
    if by != "text":
        assert states(pipeline) == {"acme": "blocked", "bad": "blocked", "other": "active"}
        assert "acme" not in sys.modules
        assert hints(pipeline) == ("from other",)
    info = next(info for info in pipeline.plugins if info.name == "bad")
    assert (info.distribution, info.version, info.hooks, info.built_in) == ("bad", "1.2", (), False)


def test_built_in_plugins_can_be_blocked(make_pipeline, run):
    def missing() -> None:
        raise FileNotFoundError("a.md")

    def failing() -> dict[str, str]:
        return {"error": "x"}

    pipeline = make_pipeline(missing, block=["classify"])
    assert isinstance(run(pipeline, "missing").error, errors.ToolExecutionError)
    info = next(info for info in pipeline.plugins if info.name == "classify")
    assert (info.state, info.built_in) == ("blocked", True)
    assert run(make_pipeline(missing, block=["resolve"]), "missing").is_error
    assert run(make_pipeline(failing, block=["detect"]), "failing").value == {"error": "x"}


@pytest.mark.parametrize("killable", [False, True])
@pytest.mark.parametrize("stage", ["validate", "execute"])
def test_a_blocked_stage_is_left_to_other_plugins_and_without_one_the_call_names_the_block(
    make_pipeline, run, stage, killable
):
    class Other:
        @hookimpl
        def validate(self, tool, call):
            return {"value": 21} if call.arguments == "twenty-one" else None

        @hookimpl
        def execute(self, tool, arguments, call):
            value = arguments["value"]
            return (lambda: value + 1) if value == 21 else None

    tool = Tool.from_function(echo, killable=killable)
    with pytest.raises(errors.UsageError) as caught:
        run(make_pipeline(tool, block=[stage]), "echo", {"value": 1})
    assert str(caught.value) == (
        f"the built-in plugin '{stage}' is blocked, and no other hookimpl of {stage} answered for tool 'echo'; "
        f"remove '{stage}' from block, or register a plugin that implements {stage}"
    )
    beside = make_pipeline(tool, plugins=[Other()], block=[stage])
    assert run(beside, "echo", "twenty-one" if stage == "validate" else {"value": 21}).value == 22
    with pytest.raises(errors.UsageError, match=f"built-in plugin '{stage}' is blocked"):
        run(beside, "echo", {"value": 1})


@pytest.mark.parametrize("name", [name for name in BUILT_IN if name not in ("validate", "execute")])
def test_a_pipeline_without_one_built_in_plugin_still_answers(make_pipeline, run, name):
    def read(path: str) -> str:
        return path

    options: dict[str, Any] = {"block": [name]}
    if name == "formats":
        with pytest.raises(errors.UsageError, match="unknown feedback format 'text'; available: "):
            make_pipeline(read, **options)
        return
    pipeline = make_pipeline(read, **options)
    for arguments in ({"path": "a"}, {}, "{"):
        assert run(pipeline, "read", arguments).content
    assert pipeline.faults == ()


def test_blocking_a_plugin_that_is_not_installed_here_changes_nothing(make_pipeline, monkeypatch):
    assert states(make_pipeline(block=["nobody", "repair"])) == {}
    monkeypatch.setenv("MULLIGAN_BLOCK_PLUGINS", "clasify")
    assert states(make_pipeline()) == {}


@pytest.mark.parametrize(("name", "meant"), [("clasify", "classify"), ("Detect", "detect"), ("format", "formats")])
def test_blocking_a_misspelt_name_is_told(make_pipeline, name, meant):
    with pytest.raises(errors.UsageError) as caught:
        make_pipeline(block=["nobody", name])
    assert str(caught.value) == f"block=['{name}']: unknown plugin '{name}'. Did you mean '{meant}'?"


# --- two of one name


@pytest.mark.parametrize("count", [2, 3, 4, 6])
def test_two_distributions_with_one_name(site, loaded, count):
    for number in range(count):
        site.install(f"dist{number}", points={"same": f"dist{number}"})
    pipeline = loaded()
    assert hints(pipeline) == ("from dist0",)
    assert states(pipeline) == {"same": "active"}
    assert [fault.distribution for fault in pipeline.faults] == [f"dist{number}" for number in range(1, count)]
    assert pipeline.faults[0].error == "the name 'same' of dist1 is taken by dist0; rename or block one of them"


def test_a_plugin_with_the_name_of_a_built_in_one(site, loaded, run):
    site.install("thief", points={"classify": "thief"})
    pipeline = loaded()
    [fault] = pipeline.faults
    assert fault.error == "the name 'classify' of thief is taken by mulligan itself; rename or block one of them"
    assert hints(pipeline) == ()


def test_a_clash_of_names_is_not_counted_against_the_one_that_is_used(site, loaded):
    failing = HINTING.replace('return ["from NAME"]', "raise KeyError")
    for number in range(3):
        site.install(f"dist{number}", failing, points={"same": f"dist{number}"})
    pipeline = loaded()
    pipeline.call("nope")
    assert states(pipeline) == {"same": "active"}


def test_plugins_of_one_class_get_names_of_their_own(make_pipeline):
    class Acme:
        def __init__(self, word: str) -> None:
            self.word = word

        @hookimpl
        def hints(self):
            return [self.word]

    pipeline = make_pipeline(plugins=[Acme("a"), Acme("b"), Acme("c")])
    assert list(states(pipeline)) == ["Acme", "Acme-2", "Acme-3"]
    assert hints(pipeline) == ("c", "b", "a")


# --- given in code


def module_of(code: str) -> Any:
    module = ModuleType("bad")
    exec(code, vars(module))
    return module


IN_CODE = [
    kind
    for kind, (code, _, what, _) in BAD.items()
    if kind != "text" and ("hookimpl" in code or what == "has no hookimpl")
]


@pytest.mark.parametrize("kind", IN_CODE)
def test_a_bad_plugin_in_code_is_a_usage_error(make_pipeline, kind):
    code, value, what, next_step = BAD[kind]
    given = module_of(code)
    if value is not None:
        given = getattr(given, value.partition(":")[2])
    with pytest.raises(errors.UsageError) as caught:
        make_pipeline(plugins=[given])
    name = "P" if kind == "class" else "bad" if value is None else type(given).__name__
    for text in (f"plugin '{name}'", what, next_step):
        assert text in str(caught.value)


def test_other_wrong_plugins_in_code(make_pipeline, plugin):
    good = plugin("acme", hints=lambda: [])
    with pytest.raises(
        errors.UsageError,
        match=r"plugins must be a list of modules or instances, not <module 'acme'>; write \[<module 'acme'>\]",
    ):
        make_pipeline(plugins=good)
    with pytest.raises(errors.UsageError, match="plugins must be a list of modules or instances, not 'acme'"):
        make_pipeline(plugins="acme")
    with pytest.raises(errors.UsageError, match="plugin 'acme' is a string; import the module and pass it"):
        make_pipeline(plugins=["acme"])
    with pytest.raises(errors.UsageError, match="plugin 'acme' is registered twice; pass it once"):
        make_pipeline(plugins=[good, good])


def test_a_plugin_may_be_any_object_with_marked_functions(make_pipeline):
    given = SimpleNamespace(hints=hookimpl(lambda error: ["a namespace"]))
    assert hints(make_pipeline(plugins=[given])) == ("a namespace",)


def test_a_property_of_a_plugin_is_not_asked_for(make_pipeline):
    class Acme:
        @property
        def connection(self):
            raise RuntimeError("not connected")

        @hookimpl
        def hints(self):
            return ["x"]

    assert hints(make_pipeline(plugins=[Acme()])) == ("x",)


def test_a_format_without_a_name_is_told(make_pipeline, plugin):
    class Nameless(FeedbackFormat):
        def render(self, feedback):
            return "x"

    class Mute(Dialect):
        pass

    for offered in (plugin("acme", feedback_formats=lambda: [Nameless()]), plugin("acme", dialects=lambda: [Mute()])):
        pipeline = make_pipeline(plugins=[offered])
        assert pipeline.call("nope").is_error
        [fault] = pipeline.faults
        assert fault.plugin == "acme"
        assert "name" in fault.error


# --- faults


def faulty(*faults: int) -> Any:
    """A plugin whose hint fails on these of its calls, counted from 1."""

    class Acme:
        calls = 0

        @hookimpl
        def hints(self, error):
            self.calls += 1
            if self.calls in faults:
                raise KeyError(f"call {self.calls}")
            return ["hint"]

        @hookimpl
        def classify(self, failure):
            return None

    return Acme()


def test_a_fault_is_recorded_and_changes_nothing_else(make_pipeline, run):
    pipeline = make_pipeline(plugins=[faulty(1)])
    first, second = run(pipeline, "nope"), run(pipeline, "nope")
    assert (first.feedback.hints, second.feedback.hints) == ((), ("hint",))
    [fault] = pipeline.faults
    assert (fault.plugin, fault.hook, fault.distribution) == ("Acme", "hints", None)
    assert fault.error == "KeyError: 'call 1'"
    assert isinstance(fault.exception, KeyError)
    assert states(pipeline) == {"Acme": "active"}


def test_a_plugin_is_set_aside_after_three_faults(make_pipeline, run):
    acme = faulty(1, 3, 4)
    pipeline = make_pipeline(plugins=[acme])
    for _ in range(6):
        run(pipeline, "nope")
    assert acme.calls == 4
    assert len(pipeline.faults) == FAULTS_ALLOWED == 3
    info = pipeline.plugins[-1]
    assert (info.state, info.hooks) == ("disabled", ("classify", "hints"))
    assert info.error == "disabled after 3 faults, the last in hints: KeyError: 'call 4'"


def test_a_fault_names_the_distribution(site, loaded, run):
    site.install("acme", HINTING.replace('return ["from NAME"]', "raise KeyError('k')"))
    pipeline = loaded()
    run(pipeline, "nope")
    [fault] = pipeline.faults
    assert (fault.plugin, fault.distribution, fault.error) == ("acme", "acme", "KeyError: 'k'")


@pytest.mark.parametrize(
    ("hook", "answer", "told"),
    [
        ("resolve", "read", "returned str instead of Tool or None"),
        ("validate", [("path", "a")], "returned list instead of a mapping or None"),
        ("repair", 3, "returned int instead of a callable or None"),
        ("authorize", True, "returned bool instead of ToolError, NeedsApproval or None"),
        ("execute", "done", "returned str instead of a callable or None"),
        ("detect", True, "returned bool instead of Failure or None"),
        ("classify", ValueError("x"), "returned ValueError instead of ToolError or None"),
        ("render_feedback", 3, "returned int instead of a string or a mapping of JSON values or None"),
        ("middlewares", [3], "returned int among its middlewares instead of a callable"),
        ("middlewares", 3, "TypeError: expected a list or a generator, not int"),
        ("hints", "a hint", "TypeError: expected a list or a generator, not str"),
        ("hints", ["a", 3], "returned int among its hints instead of str"),
        ("feedback_formats", ["text"], "returned str among its feedback_formats instead of FeedbackFormat with a name"),
        ("dialects", [object()], "returned object among its dialects instead of Dialect with a name"),
    ],
)
def test_a_wrong_type_is_told(make_pipeline, plugin, run, hook, answer, told):
    def work(path: str) -> str:
        if hook == "detect":
            return path
        raise ValueError(path)

    pipeline = make_pipeline(work, plugins=[plugin("acme", **{hook: lambda: answer})])
    run(pipeline, "work", {} if hook == "repair" else {"path": "a"})
    assert (pipeline.faults[0].plugin, pipeline.faults[0].hook, pipeline.faults[0].error) == ("acme", hook, told)


def test_a_fault_is_raised_in_strict_mode(make_pipeline, run):
    pipeline = make_pipeline(plugins=[faulty(1)], strict=True)
    with pytest.raises(errors.PluginError, match="plugin 'Acme', hints: KeyError: 'call 1'") as caught:
        run(pipeline, "nope")
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize(("hook", "answer"), [("hints", [3]), ("render_feedback", 3), ("resolve", 3)])
def test_a_wrong_type_is_raised_in_strict_mode(make_pipeline, plugin, run, hook, answer):
    pipeline = make_pipeline(plugins=[plugin("acme", **{hook: lambda: answer})], strict=True)
    with pytest.raises(errors.PluginError, match=f"plugin 'acme', {hook}: returned int"):
        run(pipeline, "nope")


def test_two_pipelines_have_plugins_and_faults_of_their_own(make_pipeline):
    acme = faulty(1, 2, 3)
    first, second = make_pipeline(plugins=[acme]), make_pipeline(plugins=[acme])
    for _ in range(3):
        first.call("nope")
    assert states(first) == {"Acme": "disabled"}
    assert states(second) == {"Acme": "active"}
    assert hints(second) == ("hint",)
    assert second.faults == ()
    assert hints(first) == ()


def test_the_last_thousand_faults_are_kept():
    manager = PluginManager()
    for number in range(1_005):
        manager.report("acme", "hints", f"fault {number}")
    assert len(manager.faults) == 1_000
    assert (manager.faults[0].error, manager.faults[-1].error) == ("fault 5", "fault 1004")


class HostileAnswerError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


class HostileValue:
    """What a tool may return: every look at it raises."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


class FakeFileError(FileNotFoundError):
    @property
    def filename(self) -> Any:  # type: ignore[override]
        raise RuntimeError("no name")

    @property
    def errno(self) -> Any:  # type: ignore[override]
        raise RuntimeError("no number")


class OddStatusError(Exception):
    status_code = type("Odd", (int,), {"__le__": lambda *_: 1 / 0, "__ge__": lambda *_: 1 / 0})(404)


class OddDeadlineError(DeadlineExceeded):
    def __init__(self) -> None:
        pass


class OddDecodeError(json.JSONDecodeError):
    def __init__(self) -> None:
        pass


HOSTILE_TOOLS: dict[str, Callable[[], Any]] = {
    "a value that raises at every look": HostileValue,
    "a mapping that raises": lambda: type("M", (dict,), {"get": lambda *_: 1 / 0})(error="x"),
    "a property that raises": lambda: type(
        "V", (), {"headers": property(lambda self: 1 / 0), "isError": property(lambda self: 1 / 0)}
    )(),
    "a file error that raises": lambda: throw(FakeFileError()),
    "a status that raises": lambda: throw(OddStatusError()),
    "a deadline without seconds": lambda: throw(OddDeadlineError()),
    "a JSON error without text": lambda: throw(OddDecodeError()),
    "an import error with an odd name": lambda: throw(ImportError(name=HostileAnswerError("x"))),  # type: ignore[arg-type]
}


def throw(error: BaseException) -> Any:
    raise error


@pytest.mark.parametrize("kind", HOSTILE_TOOLS)
def test_a_hostile_tool_never_costs_a_pipeline_one_of_its_own_plugins(make_pipeline, run, kind):
    def missing() -> None:
        raise FileNotFoundError("a.md")

    def told() -> dict[str, Any]:
        return {"error": "no disk"}

    pipeline = make_pipeline(Tool.from_function(HOSTILE_TOOLS[kind], name="hostile"), missing, told)
    for _ in range(4):
        assert run(pipeline, "hostile").content
    assert {info.name: info.state for info in pipeline.plugins} == dict.fromkeys(BUILT_IN, "active")
    assert isinstance(run(pipeline, "missing").error, errors.ResourceNotFoundError)
    assert run(pipeline, "told").is_error


@pytest.mark.parametrize("kind", HOSTILE_TOOLS)
def test_a_hostile_tool_is_no_fault_of_a_plugin(make_pipeline, kind):
    pipeline = make_pipeline(Tool.from_function(HOSTILE_TOOLS[kind], name="hostile"))
    pipeline.call("hostile")
    assert pipeline.faults == ()


@pytest.mark.parametrize(
    "name", [["read"], {"a": 1}, {1}, bytearray(b"read"), None, 3, float("nan"), ("read",), object()]
)
def test_a_hostile_name_never_costs_a_pipeline_one_of_its_own_plugins(make_pipeline, run, name):
    def read() -> str:
        return "read"

    pipeline = make_pipeline(read)
    for _ in range(4):
        result = run(pipeline, ToolCall("1", name, {}))
        assert isinstance(result.error, errors.ToolNotFoundError)
        assert result.call.id == "1"
    assert run(pipeline, "read").content == "read"
    assert pipeline.faults == ()


def test_a_broken_format_costs_only_itself(make_pipeline, plugin, run):
    class Broken(FeedbackFormat):
        name = "broken"

        def render(self, feedback):
            raise KeyError("render")

    pipeline = make_pipeline(plugins=[plugin("acme", feedback_formats=lambda: [Broken()])], format="broken")
    for _ in range(4):
        assert run(pipeline, "nope").content.startswith("Error: Tool 'nope' not found.")
    assert run(pipeline.session(format="block"), "nope").content.startswith("Tool Execution Result:")
    assert {fault.plugin for fault in pipeline.faults} <= {"acme"}
    assert {info.state for info in pipeline.plugins if info.built_in} == {"active"}


def test_a_broken_dialect_costs_only_itself(make_pipeline, plugin):
    class Broken(Dialect):
        name = "broken"

    def read() -> str:
        return "read"

    pipeline = make_pipeline(read, plugins=[plugin("acme", dialects=lambda: [Broken()])])
    message = {"tool_calls": [{"id": "1", "function": {"name": "read", "arguments": "{}"}}]}
    assert pipeline.answer(message) == [{"role": "tool", "tool_call_id": "1", "content": "read"}]
    assert {fault.plugin for fault in pipeline.faults} == {"acme"}


# --- one bad package among good ones

GOOD_RULE = """
    from mulligan.plugin import ToolQuotaError, hookimpl

    @hookimpl
    def classify(failure):
        return ToolQuotaError("Used up.") if failure.says("tulips are gone") else None
"""
CLAIMS_ALL = """
    from mulligan.plugin import ToolUnavailableError, hookimpl

    @hookimpl
    def classify(failure):
        return ToolUnavailableError("I know everything.")
"""
CLAIMS_LAST = CLAIMS_ALL.replace("@hookimpl", "@hookimpl(trylast=True)")
CRASHES_ON_ALL = """
    from mulligan.plugin import hookimpl

    @hookimpl
    def classify(failure):
        raise LookupError("I crash on everything")
"""
CASES = (
    RuntimeError("the tulips are gone"),
    FileNotFoundError(2, "No such file", "a.txt"),
    TimeoutError("x"),
    ValueError("x"),
)


def classes(pipeline: Pipeline) -> list[str]:
    return [type(pipeline.classify(case)).__name__ for case in CASES]


RIGHT = ["ToolQuotaError", "ResourceNotFoundError", "ToolTimeoutError", "ToolExecutionError"]


@pytest.mark.parametrize("code", [CLAIMS_ALL, CLAIMS_LAST, CRASHES_ON_ALL])
def test_a_bad_package_that_is_blocked_changes_nothing(site, loaded, code):
    site.install("aa-good", GOOD_RULE)
    site.install("zz-bad", code)
    pipeline = loaded(block=["zz-bad"])
    assert classes(pipeline) == RIGHT
    assert pipeline.faults == ()


def test_a_package_that_claims_everything_is_named_and_changes_nothing(site, loaded):
    site.install("aa-good", GOOD_RULE)
    site.install("zz-bad", CLAIMS_ALL)
    pipeline = loaded()
    assert classes(pipeline) == RIGHT
    (fault,) = pipeline.faults
    assert (fault.plugin, fault.hook, fault.distribution) == ("zz-bad", "classify", "zz-bad")
    assert fault.error == (
        "claims every failure, even an unknown one, so it is ignored; "
        "return None for unknown inputs, or mark it @hookimpl(trylast=True)"
    )


def test_a_package_that_crashes_on_everything_is_named_and_changes_nothing(site, loaded):
    site.install("aa-good", GOOD_RULE)
    site.install("zz-bad", CRASHES_ON_ALL)
    pipeline = loaded()
    assert classes(pipeline) == RIGHT
    assert {fault.plugin for fault in pipeline.faults} == {"zz-bad"}
    assert pipeline.faults[0].error == "LookupError: I crash on everything"
    assert states(pipeline) == {"aa-good": "active", "zz-bad": "disabled"}


def test_a_last_resort_may_claim_everything(site, loaded):
    site.install("aa-good", GOOD_RULE)
    site.install("zz-last", CLAIMS_LAST)
    pipeline = loaded()
    assert classes(pipeline)[0] == "ToolQuotaError"
    assert pipeline.faults == ()


def test_a_package_that_claims_everything_is_an_error_in_strict_mode(site, loaded):
    site.install("zz-bad", CLAIMS_ALL)
    with pytest.raises(errors.PluginError, match="plugin 'zz-bad', classify: claims every failure"):
        loaded(strict=True).classify(ValueError("x"))
