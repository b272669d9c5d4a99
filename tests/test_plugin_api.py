"""What a plugin says it needs, what it may not claim, and what a deprecated hook tells it."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import pytest

from mulligan import Dialect, Pipeline, Tool, ToolCall, Toolset, errors, hookspecs
from mulligan.hookimpl import HOOK_API
from mulligan.hooks.discovery import LoadedEntryPoint
from mulligan.hooks.manager import PluginManager
from mulligan.plugin import Failure, ToolUnavailableError, hookimpl


def installed(plugin, name="acme", strict=False, exception=None):
    """A manager with one plugin as an entry point names it."""
    manager = PluginManager(strict=strict)
    manager.add_entry_point(LoadedEntryPoint(name, f"mulligan-{name}", "1.2", plugin, exception))
    return manager


def module(**names):
    return SimpleNamespace(**{name: hookimpl(value) if callable(value) else value for name, value in names.items()})


def hints(error):
    return ["Ask Ada."]


# --- the hook API that a plugin needs

MAJOR, MINOR = map(int, HOOK_API.split("."))
OTHERS = {
    f"{MAJOR}.{MINOR + 1}": f"needs hook API {MAJOR}.{MINOR + 1}, but this mulligan has {HOOK_API}; update mulligan",
    f"{MAJOR + 1}.0": f"needs hook API {MAJOR + 1}.0, but this mulligan has {HOOK_API}; update mulligan",
    f"{MAJOR - 1}.7": f"requires hook API {MAJOR - 1}.7, but this mulligan has {HOOK_API}; update it",
}


@pytest.mark.parametrize("needed", [HOOK_API, f"{MAJOR}.0", None])
def test_a_plugin_that_needs_what_there_is_is_used(needed):
    manager = installed(module(hints=hints, mulligan_api=needed))
    (info,) = manager.infos
    assert (info.state, info.hooks, info.api) == ("active", ("hints",), needed)
    assert manager.faults == ()


@pytest.mark.parametrize("needed", OTHERS)
def test_an_installed_plugin_that_needs_another_one_is_set_aside_with_a_sentence(needed):
    manager = installed(module(hints=hints, mulligan_api=needed))
    (info,) = manager.infos
    assert (info.state, info.hooks) == ("disabled", ())
    assert info.error == f"plugin 'acme' {OTHERS[needed]}"
    (fault,) = manager.faults
    assert (fault.plugin, fault.hook, fault.distribution, fault.error) == ("acme", "load", "mulligan-acme", info.error)
    assert manager.compile().hints(None, None) == []


@pytest.mark.parametrize("needed", OTHERS)
def test_in_code_and_in_strict_mode_it_is_raised(needed):
    plugin = module(hints=hints, mulligan_api=needed)
    with pytest.raises(errors.UsageError) as caught:
        Pipeline(plugins=[plugin], autoload=False)
    assert str(caught.value) == f"plugin 'SimpleNamespace' {OTHERS[needed]}"
    with pytest.raises(errors.PluginError, match="plugin 'acme', load: plugin 'acme' "):
        installed(plugin, strict=True)


@pytest.mark.parametrize("said", [1, 1.0, "one", "1", "1.0.0", ">=1", "", b"1.0", "١.٠"])
def test_what_is_no_version_is_told(said):
    (info,) = installed(module(hints=hints, mulligan_api=said)).infos
    assert info.state == "failed"
    assert info.error == f"plugin 'acme': mulligan_api must be a string such as '{HOOK_API}', not {said!r}"


def test_a_plugin_that_imports_what_there_is_not_is_told_to_update():
    with pytest.raises(ImportError) as caught:
        exec("from mulligan.plugin import of_the_future")
    (info,) = installed(None, exception=caught.value).infos
    assert "cannot import name 'of_the_future' from 'mulligan.plugin'" in info.error
    assert info.error.endswith("; it requires another version of mulligan: update one of them, or block it")


def test_an_optional_hook_that_there_is_not_is_remembered():
    plugin = SimpleNamespace(hints=hookimpl(hints), of_the_future=hookimpl(lambda: None, optionalhook=True))
    (info,) = installed(plugin).infos
    assert (info.hooks, info.unknown_hooks) == (("hints",), ("of_the_future",))
    (info,) = installed(SimpleNamespace(of_the_future=plugin.of_the_future)).infos
    assert (info.state, info.hooks, info.unknown_hooks) == ("active", (), ("of_the_future",))


# --- deprecation, as pluggy provides


@pytest.fixture
def old_parameter(monkeypatch):
    """As if the parameter `failure` of `hints` were to go."""
    told = DeprecationWarning("hints(failure) goes with hook API 2.0; ask for error")
    monkeypatch.setitem(hookspecs.hints.mulligan_spec, "warn_on_impl_args", {"failure": told})


def asks_for_failure(error, failure):
    return ["Ask Ada."]


def test_a_parameter_that_is_to_go_warns_whoever_asks_for_it(old_parameter):
    with pytest.warns(DeprecationWarning, match=r"hints\(failure\) goes with hook API 2.0") as caught:
        manager = installed(module(hints=asks_for_failure))
    assert [warning.filename for warning in caught] == [__file__]
    assert manager.compile().hints(None, None) == ["Ask Ada."]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert installed(module(hints=hints)).faults == ()


def test_a_hook_that_is_to_go_warns(monkeypatch):
    monkeypatch.setitem(hookspecs.hints.mulligan_spec, "warn_on_impl", DeprecationWarning("hints goes"))
    with pytest.warns(DeprecationWarning, match="hints goes"):
        installed(module(hints=hints))


def test_where_warnings_are_errors_the_plugin_is_left_out_whole(old_parameter):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        manager = installed(module(hints=asks_for_failure))
    (info,) = manager.infos
    assert info.state == "failed"
    assert "DeprecationWarning: hints(failure) goes with hook API 2.0" in info.error
    assert manager.compile().hints(None, None) == []


# --- the order of hookimpls


def test_a_plugin_tells_the_place_of_its_hookimpls():
    manager = PluginManager()
    manager.add(SimpleNamespace(hints=hookimpl(lambda: ["a"], trylast=True)), "a")
    manager.add(SimpleNamespace(hints=hookimpl(lambda: ["b"])), "b")
    manager.add(SimpleNamespace(hints=hookimpl(lambda: ["c"], tryfirst=True, required=True)), "c")
    manager.add(SimpleNamespace(hints=hookimpl(lambda: ["d"])), "d")
    found = {info.name: info.hookimpls[0] for info in manager.infos}
    assert [name for name in sorted(found, key=lambda name: found[name].place)] == ["c", "d", "b", "a"]
    assert [found[name].marks for name in "abcd"] == [("trylast",), (), ("tryfirst", "required"), ()]
    assert found["a"].ask(None, None) == ["a"]
    assert manager.compile().hints(None, None) == ["c", "d", "b", "a"]


# --- what claims everything


def tool():
    return Tool.from_function(lambda: None, name="read")


def test_an_installed_package_that_takes_every_value_for_a_failure_is_left_out():
    manager = installed(module(detect=lambda value: Failure(value=value, message="bad")))
    stages = manager.compile()
    assert [stages.detect(value, tool()) for value in ("fine", {"error": "x"}, 3)] == [None] * 3
    (fault,) = manager.faults
    assert fault.error.startswith("treats every value as a failure, even the text 'ok', so it is ignored; return None")


def test_an_installed_package_that_finds_a_tool_for_every_name_is_left_out():
    toolset = Toolset([tool()])
    manager = installed(module(resolve=lambda call, toolset: toolset["read"]))
    assert manager.compile().resolve(ToolCall(None, "raed"), toolset) is None
    (fault,) = manager.faults
    assert fault.error.startswith("resolves every name, even an unknown one, so it is ignored; ")


class Greedy(Dialect):
    name = "greedy"

    def recognises(self, message):
        return True


class Broken(Dialect):
    name = "broken"

    def recognises(self, message):
        raise KeyError("nobody")


def test_an_installed_dialect_that_recognises_everything_is_not_used():
    manager = installed(module(dialects=lambda: [Greedy(), Broken()]))
    assert list(manager.compile().dialects()) == ["broken"]
    (fault,) = manager.faults
    assert fault.error == (
        "its dialect 'greedy' recognises every message, even an unknown one, so it is ignored; check for its own keys"
    )


def test_what_claims_only_what_it_knows_is_asked_again_and_again():
    known = module(
        detect=lambda value: Failure(value=value, message="bad") if value == "bad" else None,
        resolve=lambda call, toolset: toolset.get(call.name.removeprefix("functions.")),
        classify=lambda failure: ToolUnavailableError("Away.") if failure.matches("TimeoutError") else None,
    )
    manager = installed(known)
    stages = manager.compile()
    toolset = Toolset([tool()])
    for _ in range(2):
        assert stages.detect("bad", tool()) is not None
        assert stages.resolve(ToolCall(None, "functions.read"), toolset) is toolset["read"]
        assert stages.classify(Failure(TimeoutError())) is not None
    assert manager.faults == ()


def test_a_host_may_give_a_plugin_that_claims_everything():
    plugin = module(classify=lambda failure: ToolUnavailableError("All is lost."))
    pipeline = Pipeline(plugins=[plugin], autoload=False)
    assert pipeline.classify(ValueError()).message == "All is lost."
    assert pipeline.faults == ()


def test_plugins_that_cannot_be_hashed_stand_beside_each_other():
    plugins = [SimpleNamespace(hints=hookimpl(lambda: [word])) for word in ("a", "b")]
    assert len(Pipeline(plugins=plugins, autoload=False).plugins) == len(Pipeline(autoload=False).plugins) + 2
