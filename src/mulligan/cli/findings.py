"""Find problems of the plugins in this environment, and how to fix them."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import attrs

from mulligan import hookspecs
from mulligan.calls import ToolCall
from mulligan.classify.failure import Failure
from mulligan.cli.package_commands import GROUP as COMMANDS
from mulligan.cli.rule_checks import check_answer, check_classes, exception_classes
from mulligan.cli.settings import EffectiveSettings, Settings
from mulligan.dialects import Dialect
from mulligan.errors import UsageError
from mulligan.events import CallStarted
from mulligan.feedback import FeedbackFormat
from mulligan.hookimpl import HOOK_API
from mulligan.hooks.discovery import (
    GROUP,
    LAZY_GROUP,
    Entry,
    Hookimpl,
    PluginFault,
    PluginInfo,
    discover,
    read_entry_points,
)
from mulligan.hooks.lazy_plugins import lazy_names, missing_declarations
from mulligan.hooks.loading import installed_plugins, split_spec
from mulligan.hooks.manager import PluginManager
from mulligan.hooks.probing import IGNORED
from mulligan.hooks.registration import plugin_name, rule_lists
from mulligan.pipeline import Pipeline
from mulligan.render.builtin import TextFormat
from mulligan.resolve.toolset import Toolset
from mulligan.tools import Tool
from mulligan.untrusted.objects import describe, type_name

_TRIAL_TOOL = "doctor_trial"
_FAILURES = (
    RuntimeError("a trial"),
    TimeoutError("a trial"),
    ConnectionRefusedError(111, "a trial"),
    FileNotFoundError(2, "a trial", "trial.txt"),
    ValueError("a trial"),
)
TrialArguments = Mapping[str, tuple[tuple[Any, ...], ...]]
Level = Literal["error", "warning", "note"]
SLOW_LOAD = 0.5
SLOW_HOOK = 0.1
_ORDER = ("error", "warning", "note")
_FIX = "correct the module, or omit the plugin"


@attrs.frozen
class Requirement:
    """One requirement of a distribution.

    Attributes:
        name: the required distribution.
        wanted: the required versions, as in `>=1,<2`; empty for any.
        installed: the installed version, or None.
        extra: the extra that requires it, or empty.
        fits: whether the requirement is met; also true for an extra that is not installed.
    """

    name: str
    wanted: str
    installed: str | None
    extra: str
    fits: bool

    def __str__(self) -> str:
        return f"{self.name}{self.wanted}"


def requirements(distribution: str) -> Iterator[Requirement]:
    """Yield the requirements of a distribution in this environment, including extras; none if its metadata cannot be read.

    Args:
        distribution: the name of the distribution.

    Raises:
        UsageError: the library that parses requirements is not installed.
    """
    import importlib_metadata

    try:
        from packaging.requirements import InvalidRequirement
        from packaging.requirements import Requirement as Line
    except ModuleNotFoundError:
        raise UsageError("mulligan doctor requires packaging: pip install 'mulligan[cli]'") from None

    try:
        lines = importlib_metadata.requires(distribution) or []
    except Exception:  # the distribution is not installed, or its metadata cannot be read: see `read_entry_points`
        return
    for text in lines:
        try:
            line = Line(text)
        except InvalidRequirement:
            continue
        extra = _extra(line)
        if extra is not None:
            installed = _version(line.name)
            fits = line.specifier.contains(installed, prereleases=True) if installed else bool(extra)
            yield Requirement(line.name, str(line.specifier), installed, extra, fits)


def _extra(line: object) -> str | None:
    """The extra that a requirement belongs to; empty for none, None if its marker excludes this environment."""
    import re

    marker = getattr(line, "marker", None)
    if marker is None or marker.evaluate({"extra": ""}):
        return ""
    found = re.search(r"""extra\s*==\s*["']([^"']+)["']""", str(marker))
    return found[1] if found and marker.evaluate({"extra": found[1]}) else None


def _version(distribution: str) -> str | None:
    import importlib_metadata

    try:
        return importlib_metadata.version(distribution)
    except Exception:  # unreadable metadata counts as not installed
        return None


def packages_without_plugins(plugins: Iterable[PluginInfo]) -> dict[str, str]:
    """The versions of installed packages of mulligan that provide no plugin, such as adapters, by name.

    Args:
        plugins: every plugin.
    """
    import importlib_metadata

    providing = {info.distribution for info in plugins}
    names = {str(distribution.name or "") for distribution in importlib_metadata.distributions()}
    found = {name: _version(name) for name in sorted(names - providing) if name.startswith("mulligan-")}
    return {name: version for name, version in found.items() if version is not None}


@attrs.frozen
class HookTrial:
    """The outcome of the trials of one hookimpl.

    Attributes:
        plugin: its plugin.
        hook: its hook.
        seconds: the duration of its longest trial.
        returned: the result of each trial.
    """

    plugin: PluginInfo
    hook: str
    seconds: float
    returned: tuple[Any, ...]


def make_trial_tool() -> Tool:
    """A tool that does nothing and never runs."""
    return Tool.from_schema(_TRIAL_TOOL, "A trial of the plugins.", {"type": "object"}, dict, read_only=True)


def call_hookimpls(pipeline: Pipeline) -> Iterator[HookTrial]:
    """Call every hookimpl of every plugin that is not built in; errors become faults of the pipeline.

    Args:
        pipeline: the pipeline with the plugins and the tool of `make_trial_tool`.
    """
    trials = _trial_arguments(pipeline)
    for plugin in pipeline.plugins:
        for hookimpl in () if plugin.built_in else plugin.hookimpls:
            if "wrapper" not in hookimpl.marks:
                yield _call_hookimpl(plugin, hookimpl, trials[hookimpl.hook])


def _trial_arguments(pipeline: Pipeline) -> TrialArguments:
    tool = pipeline.tools[_TRIAL_TOOL]
    call, unknown = ToolCall(None, _TRIAL_TOOL, "{}"), ToolCall(None, "doctor_trail", "{}")
    result = Pipeline([tool], autoload=False).call(unknown)
    return {
        "resolve": ((unknown, pipeline.tools), (call, pipeline.tools)),
        "validate": ((tool, call),),
        "repair": ((unknown, result.error, Toolset([tool]), str),),
        "authorize": ((tool, {}, call),),
        "execute": ((tool, {}, call),),
        "detect": (("a trial", tool), ({"trial": 1}, tool), (None, tool)),
        "classify": tuple((Failure(error),) for error in _FAILURES),
        "render_feedback": ((result.feedback, TextFormat()),),
        "count_tokens": (("a few words",),),
        "hints": ((result.error, None),),
        "middlewares": ((tool,),),
        "feedback_formats": ((),),
        "dialects": ((),),
        "observe": ((CallStarted(None, _TRIAL_TOOL, lambda: "{}"),),),
    }


def _call_hookimpl(plugin: PluginInfo, hookimpl: Hookimpl, trials: tuple[tuple[Any, ...], ...]) -> HookTrial:
    returned, longest = [], 0.0
    for trial in trials:
        started = time.perf_counter()
        try:
            returned.append(hookimpl.ask(*trial))
        except Exception:
            returned.append(None)  # it refused the call; the reason is in the faults of the pipeline
        longest = max(longest, time.perf_counter() - started)
    return HookTrial(plugin, hookimpl.hook, longest, tuple(returned))


def contributions(trial: HookTrial) -> tuple[FeedbackFormat | Dialect, ...]:
    """Return the formats or dialects that a hookimpl contributes.

    Args:
        trial: the outcome of its trials.
    """
    return tuple(trial.returned[0] or ()) if trial.hook in ("feedback_formats", "dialects") else ()


def check_contribution(offer: FeedbackFormat | Dialect) -> str | None:
    """Use a format or dialect, and return what is wrong with it; None if nothing is.

    Args:
        offer: a format or a dialect.
    """
    tool = make_trial_tool()
    result = Pipeline([tool], autoload=False).call("doctor_trail")
    assert result.feedback is not None
    try:
        if isinstance(offer, FeedbackFormat):
            return _describe_mismatch(
                "render(feedback)", offer.render(result.feedback), (str, Mapping), "text or a mapping"
            )
        problem = _describe_mismatch("definition(tool)", offer.definition(tool), (Mapping,), "a mapping")
        return problem or _describe_mismatch("message(result)", offer.message(result), (Mapping,), "a mapping")
    except Exception as error:
        return describe(error)


def _describe_mismatch(what: str, given: Any, kinds: tuple[type, ...], wanted: str) -> str | None:
    return None if isinstance(given, kinds) else f"its {what} returned {type_name(given)} instead of {wanted}"


@attrs.frozen
class Finding:
    """A problem, or something worth knowing.

    Attributes:
        level: `error`: it does not work; `warning`: it works, but not well; `note`: it may be intended.
        plugin: the plugin's name.
        origin: its distribution with the version, or the setting that names it.
        problem: what is wrong.
        fix: how to fix it.
    """

    level: Level
    plugin: str
    origin: str
    problem: str
    fix: str


@attrs.frozen
class Examination:
    """The result of an examination.

    Attributes:
        settings: the settings in effect.
        plugins: every plugin.
        findings: the problems, worst first.
    """

    settings: EffectiveSettings
    plugins: tuple[PluginInfo, ...]
    findings: tuple[Finding, ...]


def origin(info: PluginInfo) -> str:
    """Return where a plugin comes from.

    Args:
        info: the plugin.
    """
    if info.built_in:
        return "built in"
    return f"{info.distribution} {info.version or ''}".rstrip() if info.distribution else "-p"


def examine(settings: Settings) -> Examination:
    """Load every plugin and call each of its hookimpls once. A broken plugin is a finding, even if a setting names it.

    Args:
        settings: the settings.

    Raises:
        UsageError: the configuration file is invalid, or `-p no:NAME` names no plugin.
    """
    chosen = EffectiveSettings.of(settings.options)
    exception_classes.cache_clear()
    named_plugins, findings = _load_plugins(chosen)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with settings.pipeline(
            [make_trial_tool()], format=TextFormat(), log="OFF", loaded_plugins=named_plugins, uses_tool_options=False
        ) as pipeline:
            infos = pipeline.plugins
            trials = list(call_hookimpls(pipeline))
            findings += _check_faults(pipeline)
            findings += [found for info in infos for found in _check_load(info)]
            findings += [found for one in trials for found in _check_trial(one)]
            findings += [found for info in infos if not info.built_in for found in _check_rules(info)]
            findings += [found for info in infos for found in _check_unused_rules(info, named_plugins)]
            findings += _check_lazy({info.name: info for info in infos})
            findings += _check_names(trials)
            findings += _check_blocked(chosen, infos)
            findings += _check_commands()
    findings += _check_warnings(warned)
    ordered = sorted(dict.fromkeys(findings), key=lambda found: (_ORDER.index(found.level), found.plugin))
    return Examination(chosen, infos, tuple(ordered))


def _load_plugins(chosen: EffectiveSettings) -> tuple[list[Any], list[Finding]]:
    """The loaded plugins that the settings name, and the findings about those that cannot be loaded."""
    loaded, findings = [], []
    names = installed_plugins() if chosen.autoload else frozenset()
    for named in chosen.plugins:
        if named.spec in names:
            continue
        try:
            plugin = named.load()
            PluginManager().add(plugin)
        except UsageError as error:
            message = str(error)
            for spec in (named.spec, split_spec(named.spec)[0]):
                message = message.removeprefix(f"{named.where} {spec}: ")
            problem, _, fix = message.rpartition("; ")
            findings.append(Finding("error", named.spec, named.where, problem or message, fix if problem else _FIX))
        else:
            loaded.append(plugin)
    return loaded, findings


def _check_faults(pipeline: Pipeline) -> Iterator[Finding]:
    """The faults of loading and calling plugins, each once."""
    infos = {info.name: info for info in pipeline.plugins}
    for fault in {(fault.plugin, fault.hook, fault.error): fault for fault in pipeline.faults}.values():
        info = infos.get(fault.plugin)
        where = f"{fault.distribution}" if info is None or info.distribution != fault.distribution else origin(info)
        problem, fix = _split_fix(fault)
        yield Finding("error", fault.plugin, where, problem, fix)


def _split_fix(fault: PluginFault) -> tuple[str, str]:
    """Split a fault into problem and fix: messages of mulligan end with the next step, exceptions of plugins do not."""
    problem, _, step = fault.error.rpartition("; ")
    if fault.hook == "load" and not problem:
        return step.removeprefix(f"plugin {fault.plugin!r}").lstrip(
            ": "
        ), "report it to the author; until then, block it"
    if fault.hook == "load":
        problem = problem.removeprefix(f"plugin {fault.plugin!r}").lstrip(": ")
        if "block" in step:
            return problem, step
        is_for_user = step.startswith(("update", "reinstall"))
        return problem, f"{step}, or block it" if is_for_user else f"for the author: {step}; until then, block it"
    if IGNORED in fault.error:
        return problem, f"for the author: {step}; or block it"
    return f"its hook {fault.hook} fails: {fault.error}", "update it, or report it to the author; until then, block it"


def _check_load(info: PluginInfo) -> Iterator[Finding]:
    if info.load_seconds > SLOW_LOAD:
        problem = f"its import takes {info.load_seconds:.1f} s at every start"
        fix = "for the author: import slow modules inside the functions that need them; until then, block it"
        yield Finding("warning", info.name, origin(info), problem, fix)
    for hook in info.unknown_hooks:
        problem = f"its optional hook {hook!r} is not in hook API {HOOK_API}, so it is never called"
        yield Finding("note", info.name, origin(info), problem, "update mulligan if you need the hook")
    for needed in requirements(info.distribution) if info.distribution and info.state != "blocked" else ():
        if not needed.fits:
            state = f"{needed.installed} is installed" if needed.installed else "it is not installed"
            problem = f"{info.distribution} requires {needed}, but {state}"
            yield Finding("warning", info.name, origin(info), problem, f"pip install '{needed}'")


def _check_trial(trial: HookTrial) -> Iterator[Finding]:
    info = trial.plugin
    if trial.seconds > SLOW_HOOK:
        problem = f"its hook {trial.hook} takes {trial.seconds:.1f} s"
        fix = "for the author: hooks must return at once; move slow work to an executor or a repairer"
        yield Finding("warning", info.name, origin(info), problem, fix)
    for offer in contributions(trial):
        failure = check_contribution(offer)
        if failure is not None:
            kind = trial.hook.removeprefix("feedback_").removesuffix("s")
            fix = "update it, or report it to the author; until then, do not use it"
            yield Finding("error", info.name, origin(info), f"its {kind} {offer.name!r} fails: {failure}", fix)


def _check_rules(info: PluginInfo) -> Iterator[Finding]:
    for rule in info.rules:
        failure = check_answer(rule)
        if failure is not None:
            fix = "update it, or report it to the author; until then, block it"
            yield Finding("error", info.name, origin(info), f"its rule {rule.name!r} {failure}", fix)
        missing = list(check_classes(rule))
        # a rule may name the classes of several versions of a library, of which one is installed
        level: Level = "warning" if len(missing) == len(rule.classes) else "note"
        for problem, step in missing:
            message = f"its rule {rule.name!r} {problem}"
            yield Finding(level, info.name, origin(info), message, f"for the author: {step}")


def _check_unused_rules(info: PluginInfo, plugins: Iterable[Any]) -> Iterator[Finding]:
    """Lists of rules in a plugin without a `classify` that uses them."""
    if info.state != "active" or info.built_in:
        return
    modules = [sys.modules.get(entry.module) for entry in read_entry_points(GROUP) if entry.name == info.name]
    matching = [plugin for plugin in plugins if plugin_name(plugin) == info.name]
    for plugin in matching or modules[:1]:
        for name, rules in rule_lists(plugin).items():
            unused = [rule for rule in rules.listed if rule not in info.rules]
            if unused and not info.rules:
                counted = "1 rule" if len(unused) == 1 else f"{len(unused)} rules"
                problem = f"never uses its {counted} in `{name}`"
                fix = f"for the author: add `classify = {name}.hookimpl()`; until then, block it"
                yield Finding("error", info.name, origin(info), problem, fix)


def _check_lazy(infos: Mapping[str, PluginInfo]) -> Iterator[Finding]:
    """What lazy plugins leave out of their declarations, and entries that declare nothing."""
    entries, declared = discover()
    known = lazy_names(declared)
    for entry in entries:
        info, names = infos.get(entry.name), known.pop((entry.distribution, entry.module), None)
        if names and info is not None and info.state == "active" and info.distribution == entry.distribution:
            for problem in missing_declarations(info, names):
                fix = f"for the author: correct the entries in the group {LAZY_GROUP}; until then, block it"
                yield Finding("error", info.name, origin(info), problem, fix)
    for distribution, module in known:
        problem = f"its entries in the group {LAZY_GROUP} name {module}, which is none of its plugins"
        yield Finding("warning", distribution, distribution, problem, "for the author: name the module of a plugin")
    for entry in declared:
        if entry.problem is not None:
            problem, _, fix = entry.problem.rpartition("; ")
            yield Finding("error", entry.name, entry.distribution, problem, fix)


def _check_names(trials: Iterable[HookTrial]) -> Iterator[Finding]:
    """Formats and dialects with the same name: the plugin that was registered last wins."""
    from mulligan.dialects.builtin import dialects
    from mulligan.render.builtin import feedback_formats

    built_in = {"feedback_formats": feedback_formats(), "dialects": dialects()}
    known = {(hook, offer.name): "mulligan itself" for hook, offered in built_in.items() for offer in offered}  # type: ignore[attr-defined]
    for trial in trials:
        for offer in contributions(trial):
            kind = trial.hook.removeprefix("feedback_").removesuffix("s")
            previous = known.get((trial.hook, offer.name))
            known[trial.hook, offer.name] = trial.plugin.name
            if previous == "mulligan itself":
                problem = f"its {kind} {offer.name!r} replaces the built-in one"
                yield Finding(
                    "note", trial.plugin.name, origin(trial.plugin), problem, "block it if this is not intended"
                )
            elif previous is not None:
                problem = f"its {kind} {offer.name!r} replaces the one of plugin {previous!r}, which has the same name"
                yield Finding(
                    "warning", trial.plugin.name, origin(trial.plugin), problem, "rename or block one of them"
                )


def _check_blocked(chosen: EffectiveSettings, infos: tuple[PluginInfo, ...]) -> Iterator[Finding]:
    known = {info.name for info in infos}
    for name in chosen.block:
        if name not in known:
            yield Finding(
                "note", name, "settings", "it is blocked, but no plugin has that name", "remove it from `block`"
            )


def _check_commands() -> Iterator[Finding]:
    """Commands of packages that cannot be read, and commands with the same name: only the first one runs."""
    known: dict[str, Entry] = {}
    for entry in read_entry_points(COMMANDS):
        where = f"{entry.distribution} {entry.version or ''}".rstrip()
        if entry.problem is not None:
            problem, _, step = entry.problem.rpartition("; ")
            yield Finding("error", entry.name, where, problem, f"{step}, or block it")
        elif entry.name in known:
            first = known[entry.name].distribution
            problem = f"its command {entry.name!r} never runs, since {first} offers a command of that name"
            yield Finding("warning", entry.name, where, problem, f"uninstall {entry.distribution} or {first}")
        known.setdefault(entry.name, entry)


def _check_warnings(warned: Iterable[warnings.WarningMessage]) -> Iterator[Finding]:
    """Deprecated hooks and parameters, from the warnings of pluggy."""
    options = [getattr(hookspecs, hook).mulligan_spec for hook in hookspecs.__all__]
    message = {str(spec.get("warn_on_impl")) for spec in options}
    message |= {str(text) for spec in options for text in (spec.get("warn_on_impl_args") or {}).values()}
    for warning in warned:
        if str(warning.message) in message:
            place = f"{warning.filename}:{warning.lineno}"
            fix = "for the author: use the replacement; until then, it still works"
            yield Finding("warning", place, "a hookimpl", str(warning.message), fix)
