"""`mulligan plugins`: the plugins, their hooks and their problems."""

from __future__ import annotations

from typing import Annotated, Any

import attrs
from cyclopts import Parameter

from mulligan.classify.rules import Rule
from mulligan.cli.findings import origin
from mulligan.cli.output import OK, console, is_styled, print_table, stdout, write, write_json
from mulligan.cli.settings import Settings
from mulligan.hooks.discovery import PluginFault, PluginInfo
from mulligan.pipeline import Pipeline

_MAX_CLASSES = 3


def plugins(
    *,
    rules: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    json: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    settings: Annotated[Settings, Parameter(parse=False)],
) -> int:
    """List the plugins: name, state, origin, number of rules, hooks and problems.

    Args:
        rules: also list the rules by which they classify.
        json: print the list as JSON.
        settings: the common options.

    Returns:
        The exit code.
    """
    with settings.pipeline(log="OFF") as pipeline:
        faults = _other_faults(pipeline)
        if json:
            records = [{"plugin": fault.plugin, "hook": fault.hook, "error": fault.error} for fault in faults]
            write_json({"plugins": [_record(info, rules=rules) for info in pipeline.plugins], "faults": records})
        else:
            _print(pipeline.plugins, faults)
            if rules:
                _print_rules(pipeline.plugins)
    return OK


def _record(info: PluginInfo, *, rules: bool) -> dict[str, Any]:
    listed = [
        {"name": rule.name, "about": rule.about, "classes": list(rule.classes), "returned": rule.returned}
        for rule in info.rules
    ]
    record = attrs.asdict(info, recurse=False, filter=lambda field, _: field.name != "hookimpls")
    return {**record, "rules": listed if rules else len(listed)}


def _other_faults(pipeline: Pipeline) -> list[PluginFault]:
    """Faults that no plugin's entry shows, such as a name that is already taken."""
    known = {info.error for info in pipeline.plugins}
    return [fault for fault in pipeline.faults if fault.error not in known]


def _print(infos: tuple[PluginInfo, ...], faults: list[PluginFault]) -> None:
    rows = [
        (info.name, info.state, origin(info), str(len(info.rules) or "-"), ", ".join(info.hooks) or "-")
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
    """Print the rules in the order in which their plugin tries them, with their exception classes."""
    screen = console(stdout(), styled=is_styled(stdout()))
    for info in infos:
        if info.rules:
            write(f"\n{info.name}: {len(info.rules)} {'rule' if len(info.rules) == 1 else 'rules'}\n")
            rows = [(rule.name, rule.about, _classes(rule)) for rule in info.rules]
            print_table(screen, ("rule", "about", "classes"), rows)


def _classes(rule: Rule) -> str:
    if rule.returned:
        return "returned values"
    if not rule.classes:
        return "everything"
    more = f" and {len(rule.classes) - _MAX_CLASSES} more" if len(rule.classes) > _MAX_CLASSES else ""
    return ", ".join(rule.classes[:_MAX_CLASSES]) + more
