"""`mulligan plugins`: what is installed, what it does, and what is wrong with it."""

from __future__ import annotations

from typing import Annotated, Any

import attrs
from cyclopts import Parameter

from mulligan.classifying.rules import Rule
from mulligan.cli.output import OK, console, is_styled, print_table, write, write_json
from mulligan.cli.settings import Settings
from mulligan.cli.streams import stdout
from mulligan.pipeline import Pipeline
from mulligan.plugging.plugins import PluginFault, PluginInfo

_LISTED = 3


def plugins(
    *,
    rules: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    json: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    settings: Annotated[Settings, Parameter(parse=False)],
) -> int:
    """List the plugins: name, state, origin, hooks, how many rules, and what is wrong with them.

    Args:
        rules: list the rules by which they classify, too.
        json: print them as JSON.
        settings: the common options.

    Returns:
        The exit code.
    """
    with settings.pipeline(log="OFF") as pipeline:
        faults = _other_faults(pipeline)
        if json:
            told = [{"plugin": fault.plugin, "hook": fault.hook, "error": fault.error} for fault in faults]
            write_json({"plugins": [_told(info, rules=rules) for info in pipeline.plugins], "faults": told})
        else:
            _print(pipeline.plugins, faults)
            if rules:
                _print_rules(pipeline.plugins)
    return OK


def _told(info: PluginInfo, *, rules: bool) -> dict[str, Any]:
    listed = [{"name": rule.name, "about": rule.about, "classes": list(rule.classes)} for rule in info.rules]
    told = attrs.asdict(info, recurse=False, filter=lambda field, _: field.name != "hookimpls")
    return {**told, "rules": listed if rules else len(listed)}


def _other_faults(pipeline: Pipeline) -> list[PluginFault]:
    """Faults that no plugin's own entry tells, such as a name that is taken."""
    told = {info.error for info in pipeline.plugins}
    return [fault for fault in pipeline.faults if fault.error not in told]


def _print(infos: tuple[PluginInfo, ...], faults: list[PluginFault]) -> None:
    rows = [
        (info.name, info.state, _origin(info), str(len(info.rules) or "-"), ", ".join(info.hooks) or "-")
        for info in infos
    ]
    screen = console(stdout(), styled=is_styled(stdout()))
    print_table(screen, ("name", "state", "from", "rules", "hooks"), rows, right=("rules",))
    errors = [f"{info.name}: {info.error}" for info in infos if info.error]
    errors += [f"{fault.plugin}: {fault.error}" for fault in faults]
    if errors:
        write("")
    for error in errors:
        write(error)


def _print_rules(infos: tuple[PluginInfo, ...]) -> None:
    """Every rule in the order in which its plugin asks them, and for which exception classes."""
    screen = console(stdout(), styled=is_styled(stdout()))
    for info in infos:
        if info.rules:
            write(f"\n{info.name}: {len(info.rules)} {'rule' if len(info.rules) == 1 else 'rules'}\n")
            rows = [(rule.name, rule.about, _asked_about(rule)) for rule in info.rules]
            print_table(screen, ("rule", "knows", "asked about"), rows)


def _asked_about(rule: Rule) -> str:
    if not rule.classes:
        return "everything"
    more = f" and {len(rule.classes) - _LISTED} more" if len(rule.classes) > _LISTED else ""
    return ", ".join(rule.classes[:_LISTED]) + more


def _origin(info: PluginInfo) -> str:
    if info.built_in:
        return "built in"
    return f"{info.distribution} {info.version or ''}".rstrip() if info.distribution else "-p"
