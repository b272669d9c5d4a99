"""`mulligan plugins`: what is installed, what it does, and what is wrong with it."""

from __future__ import annotations

import sys
from typing import Annotated

import attrs
from cyclopts import Parameter

from mulligan.cli.output import OK, console, is_styled, print_table, write, write_json
from mulligan.cli.settings import Settings
from mulligan.pipeline import Pipeline
from mulligan.plugins import PluginFault, PluginInfo


def plugins(
    *,
    json: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    settings: Annotated[Settings, Parameter(parse=False)],
) -> int:
    """List the plugins: name, state, origin, hooks, and what is wrong with them.

    Args:
        json: print them as JSON.
        settings: the common options.

    Returns:
        The exit code.
    """
    with settings.pipeline(log="OFF") as pipeline:
        faults = _other_faults(pipeline)
        if json:
            told = [{"plugin": fault.plugin, "hook": fault.hook, "error": fault.error} for fault in faults]
            write_json({"plugins": [attrs.asdict(info) for info in pipeline.plugins], "faults": told})
        else:
            _print(pipeline.plugins, faults)
    return OK


def _other_faults(pipeline: Pipeline) -> list[PluginFault]:
    """Faults that no plugin's own entry tells, such as a name that is taken."""
    told = {info.error for info in pipeline.plugins}
    return [fault for fault in pipeline.faults if fault.error not in told]


def _print(infos: tuple[PluginInfo, ...], faults: list[PluginFault]) -> None:
    rows = [(info.name, info.state, _origin(info), ", ".join(info.hooks) or "-") for info in infos]
    screen = console(sys.stdout, styled=is_styled(sys.stdout))
    print_table(screen, ("name", "state", "from", "hooks"), rows)
    errors = [f"{info.name}: {info.error}" for info in infos if info.error]
    errors += [f"{fault.plugin}: {fault.error}" for fault in faults]
    if errors:
        write("")
    for error in errors:
        write(error)


def _origin(info: PluginInfo) -> str:
    if info.built_in:
        return "built in"
    return f"{info.distribution} {info.version or ''}".rstrip() if info.distribution else "-p"
