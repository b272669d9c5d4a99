"""The command-line application. Every usage error is reported as one line on stderr."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import IO, Annotated, Any

from cyclopts import App, CycloptsError, Group, Parameter
from rich.console import Console

from mulligan import __version__
from mulligan.cli.call import call
from mulligan.cli.commands import packaged, packaged_names
from mulligan.cli.demo import demo
from mulligan.cli.doctor import doctor
from mulligan.cli.explain import explain
from mulligan.cli.help import UNWRAPPED, USES, tidy
from mulligan.cli.mistakes import describe
from mulligan.cli.new import new
from mulligan.cli.output import DASH, INTERRUPTED, OK, PIPE_CLOSED, USAGE, complain, console, is_styled, write
from mulligan.cli.plugins import plugins
from mulligan.cli.run import run as replay
from mulligan.cli.schema import schema
from mulligan.cli.settings import Settings
from mulligan.cli.streams import answers_apart, flush, leave_pipe, ready, stdout
from mulligan.errors import UsageError

_HELP = "Give every tool call of a language model a second chance. Run `mulligan demo` to see it."
_CODES = (
    "Exit codes: 0 success, 1 the call failed, 2 usage error, 3 fatal failure, 130 interrupted, "
    "141 the reader of the output closed the pipe."
)
_COMMON = Group("Common options", sort_key=1_000)
_COMMANDS: dict[str, Callable[..., Any]] = {
    "demo": demo,
    "call": call,
    "run": replay,
    "plugins": plugins,
    "doctor": doctor,
    "explain": explain,
    "schema": schema,
    "new": new,
}


def run(arguments: Sequence[str]) -> int:
    """Runs one command.

    Args:
        arguments: the words after `mulligan`.

    Returns:
        The exit code.
    """
    try:
        ready()
        code = _run(list(arguments))
        flush()
    except CycloptsError as error:
        complain(describe(error, _COMMANDS))
        return USAGE
    except UsageError as error:
        complain(str(error))
        return USAGE
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        leave_pipe()
        return PIPE_CLOSED
    return code if isinstance(code, int) else OK


def _run(words: list[str]) -> Any:
    name = words[0] if words else ""
    if name and not name.startswith("-") and name not in _COMMANDS and (command := packaged(name)) is not None:
        return command(words[1:])
    words = [DASH if word == "-" else word for word in words]
    page = io.StringIO()
    with answers_apart():
        styled, width = is_styled(stdout()), console(stdout(), styled=False).width
        code = _app(page, width if styled else None).meta(words, exit_on_error=False, print_error=False)
        if page.getvalue():
            write(tidy(page.getvalue(), None if styled else width))
        return code


def _app(page: IO[str], width: int | None = None) -> App:
    """The application. It writes help and version to `page`: styled if there is a width, else plain and unwrapped."""
    styled = width is not None
    app = App(
        name="mulligan",
        help=_HELP,
        help_epilogue="\n\n".join([*_of_packages(), _CODES]),
        version=__version__,
        help_format="markdown",
        help_formatter="default" if styled else "plain",
        console=Console(
            file=page, width=width or UNWRAPPED, color_system="standard" if styled else None, force_terminal=styled
        ),
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for name, command in _COMMANDS.items():
        app.command(command, name=name, usage=f"mulligan {name} {USES[name]}")
    app.meta.suppress_keyboard_interrupt = False

    @app.meta.default
    def launch(
        *words: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
        plugin: Annotated[
            tuple[str, ...], Parameter(name=("--plugin", "-p"), negative=(), group=_COMMON, show_default=False)
        ] = (),
        log: Annotated[str | None, Parameter(group=_COMMON)] = None,
    ) -> Any:
        """Run a command with the options that all commands share.

        Args:
            words: the command and its own options.
            plugin: load a plugin: NAME, MODULE[:NAME] or FILE.py; no:NAME blocks a plugin.
            log: the lowest level to log on stderr: info, success, warning, error or off.
        """
        command, bound, ignored = app.parse_args(words, exit_on_error=False, print_error=False)
        extra = {"settings": Settings.of(plugin, log)} if "settings" in ignored else {}
        return command(*bound.args, **bound.kwargs, **extra)

    return app


def _of_packages() -> list[str]:
    names = packaged_names()
    return [f"Commands of installed packages: {', '.join(names)}."] if names else []
