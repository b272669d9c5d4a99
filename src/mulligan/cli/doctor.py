"""`mulligan doctor`: the environment, its problems and how to fix them."""

from __future__ import annotations

import platform
import sys
from typing import Annotated, Any

import attrs
from cyclopts import Parameter

from mulligan import __version__
from mulligan.cli.findings import (
    Examination,
    Finding,
    Requirement,
    examine,
    origin,
    packages_without_plugins,
    requirements,
)
from mulligan.cli.output import FAILED, OK, console, is_styled, print_table, stdout, write, write_json
from mulligan.cli.settings import EffectiveSettings, Settings
from mulligan.hookimpl import HOOK_API

_BLOCK_HELP = 'To block a plugin: -p no:NAME, MULLIGAN_BLOCK_PLUGINS=NAME, or block = ["NAME"] in pyproject.toml.'


def doctor(
    *,
    check: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    json: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    settings: Annotated[Settings, Parameter(parse=False)],
) -> int:
    """Check the plugins: versions, load times, faults and conflicts, each with a fix.

    Every hookimpl of every installed plugin is called once with harmless sample data, and every rule is tried. No tool
    runs.

    Args:
        check: exit with 1 if there is an error.
        json: print everything as JSON.
        settings: the common options.

    Returns:
        The exit code.
    """
    examination = examine(settings)
    dependencies = list(requirements("mulligan"))
    if json:
        write_json(_as_json(examination, dependencies))
    else:
        _print(examination, dependencies)
    has_errors = any(finding.level == "error" for finding in examination.findings) or not all(
        one.fits for one in dependencies
    )
    return FAILED if check and has_errors else OK


def _as_json(examination: Examination, dependencies: list[Requirement]) -> dict[str, Any]:
    return {
        "mulligan": __version__,
        "hook_api": HOOK_API,
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": sys.platform,
        "dependencies": [attrs.asdict(one) for one in dependencies],
        "settings": _settings(examination.settings),
        "plugins": [
            attrs.asdict(info, recurse=False, filter=lambda field, _: field.name not in ("hookimpls", "rules"))
            for info in examination.plugins
        ],
        "packages": packages_without_plugins(examination.plugins),
        "findings": [attrs.asdict(finding) for finding in examination.findings],
    }


def _settings(chosen: EffectiveSettings) -> dict[str, Any]:
    values = {name: {"value": getattr(chosen, name), "from": place} for name, place in chosen.origins.items()}
    plugins = [{"plugin": named.spec, "from": named.where} for named in chosen.plugins]
    return {**values, "plugins": plugins, "block": list(chosen.block)}


def _print(examination: Examination, dependencies: list[Requirement]) -> None:
    write(f"mulligan {__version__}, hook API {HOOK_API}")
    write(f"{platform.python_implementation()} {platform.python_version()} on {sys.platform}")
    versions = ", ".join(f"{one.name} {one.installed}" for one in dependencies if one.installed and not one.extra)
    screen = console(stdout(), styled=is_styled(stdout()))
    if versions:
        screen.print(f"with {versions}", soft_wrap=False)
    write("")
    rows = [
        (info.name, info.state, origin(info), f"{info.load_seconds * 1_000:.0f} ms", ", ".join(info.hooks) or "-")
        for info in examination.plugins
        if not info.built_in or info.state != "active"
    ]
    if rows:
        print_table(screen, ("plugin", "state", "from", "import", "hooks"), rows, right=("import",))
    else:
        write("No plugins are installed besides the built-in ones.")
    packages = packages_without_plugins(examination.plugins)
    if packages:
        also = ", ".join(f"{name} {version}" for name, version in packages.items())
        screen.print(f"\nAlso installed, without a plugin: {also}", soft_wrap=False)
    for one in dependencies:
        if not one.fits:
            write(f"\nerror: mulligan requires {one}, but {one.installed or 'no version'} is installed")
            write(f"  fix: pip install '{one}'")
    _print_findings(examination.findings, has_misfit=not all(one.fits for one in dependencies))


def _print_findings(findings: tuple[Finding, ...], *, has_misfit: bool) -> None:
    for finding in findings:
        write(f"\n{finding.level}: {finding.plugin} ({finding.origin}): {finding.problem}")
        write(f"  fix: {finding.fix}")
    write("")
    if any("block" in finding.fix for finding in findings):
        write(_BLOCK_HELP)
    if all(finding.level == "note" for finding in findings) and not has_misfit:
        notes = f" {len(findings)} note{'s' * (len(findings) != 1)}." if findings else ""
        write(f"No problems found.{notes}")
