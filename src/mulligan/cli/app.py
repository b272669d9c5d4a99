"""The commands, put together; every mistake ends as one line on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Group, Parameter

from mulligan import __version__
from mulligan.cli.call import call
from mulligan.cli.demo import demo
from mulligan.cli.explain import explain
from mulligan.cli.output import DASH, INTERRUPTED, OK, PIPE_CLOSED, USAGE, complain, console, is_styled, lenient
from mulligan.cli.plugins import plugins
from mulligan.cli.run import run as replay
from mulligan.cli.schema import schema
from mulligan.cli.settings import Settings
from mulligan.errors import UsageError

_HELP = "Gives every tool call of a language model a second chance. `mulligan demo` shows it."
_CODES = "Exit codes: 0 all went well, 1 the call failed, 2 wrong usage, 3 a fatal failure, 130 interrupted."
_COMMON = Group("Common options", sort_key=1_000)


def run(arguments: Sequence[str]) -> int:
    """Runs one command.

    Args:
        arguments: the words after `mulligan`.

    Returns:
        The exit code.
    """
    lenient(sys.stdout, sys.stderr)
    try:
        words = [DASH if word == "-" else word for word in arguments]
        code = _app().meta(words, exit_on_error=False, print_error=False)
        sys.stdout.flush()
    except (CycloptsError, UsageError) as error:
        complain(str(error))
        return USAGE
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _leave_pipe()
        return PIPE_CLOSED
    return code if isinstance(code, int) else OK


def _app() -> App:
    styled = is_styled(sys.stdout)
    app = App(
        name="mulligan",
        help=_HELP,
        help_epilogue=_CODES,
        version=__version__,
        help_format="markdown",
        help_formatter="default" if styled else "plain",
        console=console(sys.stdout, styled=styled),
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for command in (demo, call, replay, plugins, explain, schema):
        app.command(command, name="run" if command is replay else None)
    app.meta.suppress_keyboard_interrupt = False

    @app.meta.default
    def launch(
        *words: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
        plugin: Annotated[
            tuple[str, ...], Parameter(name=("--plugin", "-p"), negative=(), group=_COMMON, show_default=False)
        ] = (),
        log: Annotated[str | None, Parameter(group=_COMMON)] = None,
    ) -> Any:
        """Runs a command with the options that all commands share.

        Args:
            words: the command and its own options.
            plugin: load a plugin: NAME, MODULE[:NAME] or FILE.py; no:NAME blocks one.
            log: what is logged on stderr: info, success, warning, error or off.
        """
        command, bound, ignored = app.parse_args(words, exit_on_error=False, print_error=False)
        extra = {"settings": Settings.of(plugin, log)} if "settings" in ignored else {}
        return command(*bound.args, **bound.kwargs, **extra)

    return app


def _leave_pipe() -> None:
    """Whoever read the output has gone: what is still buffered goes nowhere, without a complaint at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
