"""The command-line application. Every usage error is reported as one line on stderr."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Annotated, Any, get_args

from cyclopts import (
    App,
    CoercionError,
    CycloptsError,
    Group,
    MissingArgumentError,
    Parameter,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)
from rich.console import Console

from mulligan import __version__
from mulligan.cli.call import call, schema
from mulligan.cli.demo import demo
from mulligan.cli.doctor import doctor
from mulligan.cli.explain import explain
from mulligan.cli.new import new
from mulligan.cli.output import (
    DASH,
    INTERRUPTED,
    OK,
    PIPE_CLOSED,
    USAGE_ERROR,
    console,
    discard_output,
    flush,
    is_styled,
    prepare_streams,
    report_problem,
    reserve_stdout,
    stdout,
    write,
)
from mulligan.cli.package_commands import find_package_command, package_command_names
from mulligan.cli.plugins import plugins
from mulligan.cli.run import run as replay
from mulligan.cli.settings import Settings
from mulligan.errors import UsageError
from mulligan.spelling import closest

_COMMON_MISTAKES = ("--plugin", "--log", "--help")
USAGE_LINES: Mapping[str, str] = {
    "demo": "[--plain] [--fast]",
    "call": "--tools MODULE[:NAME] [--format FORMAT] [--json] TOOL [JSON]",
    "run": "FILE --tools MODULE[:NAME] [--out FILE] [--dialect DIALECT] [--executor NAME] [--session-field NAME] "
    "[--keep-going] [--json]",
    "plugins": "[--rules] [--json]",
    "doctor": "[--check] [--json]",
    "explain": "[--value JSON] [--tools MODULE[:NAME]] [--tool NAME] [--arguments JSON] [--format FORMAT] [--text] "
    "[--json] [FAILURE]",
    "schema": "--tools MODULE[:NAME] [--dialect DIALECT]",
    "new": "classifier|format|dialect|executor|repairer NAME",
}
UNWRAPPED_WIDTH = 10_000
"""The width at which plain pages are rendered; `tidy` wraps them afterwards."""
_HELP = "Give every tool call of a language model a second chance. Run `mulligan demo` to see it."
_EXIT_CODES = (
    "Exit codes: 0 success, 1 the call failed, 2 usage error, 3 fatal failure, 130 interrupted, "
    "141 the reader of the output closed the pipe."
)
_COMMON_GROUP = Group("Common options", sort_key=1_000)
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


def describe(error: CycloptsError, commands: Iterable[str]) -> str:
    """Describe an invalid command line in one line.

    Args:
        error: the error of the parser.
        commands: the names of all commands.
    """
    chain = " ".join(error.command_chain or ())
    where = f"{chain}: " if chain else ""
    what = _describe_problem(error, commands)
    step = f"See mulligan {chain}{' ' if chain else ''}--help"
    return f"{where}{what}{'' if what.endswith('?') else '.'} {step}"


def _describe_problem(error: CycloptsError, commands: Iterable[str]) -> str:
    name = "" if error.argument is None else error.argument.name
    if isinstance(error, UnknownCommandError):
        return _describe_unknown("command", (error.unused_tokens or [""])[0], commands)
    if isinstance(error, UnknownOptionError):
        known = [name for one in error.argument_collection if one.parse for name in one.names if name.startswith("--")]
        return _describe_unknown("option", error.token.keyword or error.token.value, [*known, *_COMMON_MISTAKES])
    if isinstance(error, UnusedCliTokensError):
        words = error.unused_tokens or ()
        return f"unexpected argument{'s'[: len(words) - 1]} {', '.join(map(repr, words))}; quote values that contain spaces"
    if isinstance(error, MissingArgumentError):
        return f"{error.keyword or name} {'is missing' if error.keyword is None else 'requires a value'}"
    if isinstance(error, RepeatArgumentError):
        return f"{error.token.keyword} is repeated"
    if isinstance(error, CoercionError) and error.token is not None:
        if error.target_type is bool:
            return f"{error.token.keyword} takes no value; remove {error.token.value!r}"
        if choices := [str(choice) for choice in get_args(error.target_type)]:
            return f"{name} must be one of {', '.join(choices)}, not {error.token.value!r}"
    return str(error).rstrip(".")


def _describe_unknown(kind: str, word: str, known: Iterable[str]) -> str:
    if kind == "command" and word.startswith("-"):
        return f"unknown option {word!r}. Name a command first"
    names = {name.lstrip("-"): name for name in known}
    near = closest(word.lstrip("-"), names)
    step = f"Did you mean {names[near]!r}?" if near else f"Available: {', '.join(names.values())}"
    return f"unknown {kind} {word!r}. {step}"


def tidy(page: str, width: int | None) -> str:
    """Wrap the lines of a help page, and leave at most one empty line in a row.

    Args:
        page: the page.
        width: the maximum width; None if the page is already wrapped.
    """
    lines = [part for line in page.splitlines() for part in (_wrap_line(line.rstrip(), width) if width else [line])]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _wrap_line(line: str, width: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    below = f"{indent}    " if indent or line.startswith("Usage: ") else ""
    wrapped = textwrap.wrap(line, width, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)
    return wrapped or [""]


def run(arguments: Sequence[str]) -> int:
    """Run one command.

    Args:
        arguments: the words after `mulligan`.

    Returns:
        The exit code.
    """
    try:
        prepare_streams()
        code = _run(list(arguments))
        flush()
    except CycloptsError as error:
        report_problem(describe(error, _COMMANDS))
        return USAGE_ERROR
    except UsageError as error:
        report_problem(str(error))
        return USAGE_ERROR
    except KeyboardInterrupt:
        report_problem("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        discard_output()
        return PIPE_CLOSED
    return code if isinstance(code, int) else OK


def _run(words: list[str]) -> Any:
    name = words[0] if words else ""
    if (
        name
        and not name.startswith("-")
        and name not in _COMMANDS
        and (command := find_package_command(name)) is not None
    ):
        return command(words[1:])
    words = [DASH if word == "-" else word for word in words]
    page = io.StringIO()
    with reserve_stdout():
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
        help_epilogue="\n\n".join([*_describe_package_commands(), _EXIT_CODES]),
        version=__version__,
        help_format="markdown",
        help_formatter="default" if styled else "plain",
        console=Console(
            file=page,
            width=width or UNWRAPPED_WIDTH,
            color_system="standard" if styled else None,
            force_terminal=styled,
        ),
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for name, command in _COMMANDS.items():
        app.command(command, name=name, usage=f"mulligan {name} {USAGE_LINES[name]}")
    app.meta.suppress_keyboard_interrupt = False

    @app.meta.default
    def launch(
        *words: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
        plugin: Annotated[
            tuple[str, ...], Parameter(name=("--plugin", "-p"), negative=(), group=_COMMON_GROUP, show_default=False)
        ] = (),
        log: Annotated[str | None, Parameter(group=_COMMON_GROUP)] = None,
    ) -> Any:
        """Run a command with the options that all commands share.

        Args:
            words: the command and its options.
            plugin: load a plugin: NAME, MODULE[:NAME] or FILE.py; no:NAME blocks a plugin.
            log: the lowest level to log on stderr: info, success, warning, error or off.
        """
        command, bound, ignored = app.parse_args(words, exit_on_error=False, print_error=False)
        extra = {"settings": Settings.of(plugin, log)} if "settings" in ignored else {}
        return command(*bound.args, **bound.kwargs, **extra)

    return app


def _describe_package_commands() -> list[str]:
    names = package_command_names()
    return [f"Commands of installed packages: {', '.join(names)}."] if names else []
